# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Applies a map of characters to a text as Hugging Face's tokenizers do.

A grapheme cluster below six bytes becomes what the shortest entry that it begins with says, if
there is one; of others, each character does.

Where clusters end is not decided here but for the plain cases.  By the rules of Unicode Standard
Annex #29 that do not break (GB3 to GB13), two characters may be of one cluster only if the first is
AFTER, the second BEFORE, or the first LINKING and the second LINKED.  A rule that looks further
back looks over characters of which each two are such.  So a break is certain between all others,
and what is between two certain ones has the clusters that it has by itself.  A character and MARKs
are one cluster unless it is a CONTROL (GB4, GB9, GB9a).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcpy, memset

include "../shared/_utf8.pxi"
include "_character_trie.pxi"
include "_growing_text.pxi"

cdef enum:
    _BEFORE = 1             # may be of one cluster with what precedes
    _AFTER = 2              # with what follows
    _MARK = 4               # is, with what precedes and is no control
    _CONTROL = 8
    _LINKING = 16           # may be of one cluster with a LINKED that follows
    _LINKED = 32
    LARGEST = 5             # bytes of a cluster that is looked up as a whole

BEFORE, AFTER, MARK, CONTROL = _BEFORE, _AFTER, _MARK, _CONTROL
LINKING, LINKED = _LINKING, _LINKED


cdef inline bint _may_join(int kind, int next_kind) noexcept nogil:
    """Whether two characters may be of one cluster."""
    return (kind & _AFTER or next_kind & _BEFORE
            or (kind & _LINKING and next_kind & _LINKED))


cdef class CharacterMap:
    """A map of characters.

    Parameters
    ----------
    units : array of uint32
        The trie.
    texts : bytes
        What is written, each ended by a zero byte.
    """

    cdef const uint32_t[::1] units
    cdef bytes texts
    cdef Trie trie
    cdef uint8_t plain[256]         # of ASCII: characters that no entry begins with, alone

    def __init__(self, const uint32_t[::1] units, bytes texts not None):
        cdef uint8_t byte
        cdef int64_t size
        self.units, self.texts = units, texts
        self.trie = _trie(units, texts)
        memset(self.plain, 0, sizeof(self.plain))
        for byte in range(0x80):
            self.plain[byte] = _entry(&self.trie, &byte, &byte + 1, False, &size) < 0
        self.plain[c'\r'] = False

    def shortest(self, bytes key not None):
        """Returns what the shortest entry that a text begins with says, in UTF-8; None for none."""
        cdef const uint8_t *p = <const uint8_t *> PyBytes_AS_STRING(key)
        cdef Growing out = Growing(NULL, 0, 0, False, NULL, NULL)
        try:
            if not self._write(&out, p, len(key)):
                return None
            return PyBytes_FromStringAndSize(<char *> out.text, out.size)
        finally:
            _discard(&out)

    cdef int _write(self, Growing *out, const uint8_t *p, int64_t n) except -1:
        """Writes what the shortest entry at `p` says; returns whether there is one."""
        cdef int64_t size, start = _entry(&self.trie, p, p + n, False, &size)
        if start < 0:
            return 0
        _append_utf8(out, self.trie.texts + start, _text_size(&self.trie, start))
        return 1

    def applied(self, bytes text not None, const uint8_t[::1] kinds not None, clusters not None):
        """Returns a text in UTF-8 after the map; bytes that are not UTF-8 have entries, too.

        Parameters
        ----------
        text : bytes
            The text.
        kinds : ndarray of uint8, shape (0x110000,)
            Bits of each code point: BEFORE, AFTER, MARK, CONTROL, LINKING and LINKED.
        clusters : callable
            Returns the same for a part of the text that may have several clusters, of several
            characters.
        """
        cdef const uint8_t *begin = <const uint8_t *> PyBytes_AS_STRING(text)
        cdef const uint8_t *p = begin
        cdef const uint8_t *q
        cdef const uint8_t *end = p + len(text)
        cdef Growing out = Growing(NULL, 0, 0, False, NULL, NULL)
        cdef bint one
        cdef int kind, next_kind, size
        try:
            _reserve(&out, end - p + 1)
            while p < end:
                q = p
                while q < end and self.plain[q[0]]:
                    q += 1
                if p < q < end and q[0] >= 0x80:
                    q -= 1          # the next character may join it
                if q > p:
                    _append(&out, p, q - p)
                    p = q
                    if p == end:
                        break
                kind = kinds[_code(p, end, &size)]
                one = not kind & _CONTROL
                q = p + size
                while q < end:
                    next_kind = kinds[_code(q, end, &size)]
                    if not _may_join(kind, next_kind):
                        break
                    one = one and next_kind & _MARK
                    kind = next_kind
                    q += size
                if q - p == 2 and p[0] == c'\r' and p[1] == c'\n':
                    one = True
                self._of_part(&out, p, q, one, clusters)
                p = q
            return PyBytes_FromStringAndSize(<char *> out.text, out.size)
        finally:
            _discard(&out)

    cdef int _of_part(self, Growing *out, const uint8_t *p, const uint8_t *end, bint one,
                      object clusters) except -1:
        """Writes what becomes of what is between two certain breaks; `one`: surely one cluster."""
        cdef int size
        cdef bytes written
        _code(p, end, &size)
        if p + size < end:
            if not one:
                written = clusters(p[:end - p])
                return _append(out, <const uint8_t *> PyBytes_AS_STRING(written), len(written))
            if end - p <= LARGEST and self._write(out, p, end - p):
                return 0
        while p < end:
            _code(p, end, &size)
            if not self._write(out, p, size):
                _append(out, p, size)
            p += size
        return 0
