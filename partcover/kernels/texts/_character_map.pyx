# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Applies a map of characters to a text as Hugging Face's tokenizers do.

A grapheme cluster of fewer than six bytes is replaced by the text of the shortest entry that it
begins with, if there is one; in all other clusters each character is replaced in this way by
itself.

The kernel decides where clusters end only in plain cases.  By the rules of Unicode Standard
Annex #29 that do not break (GB3 to GB13), two characters may be in one cluster only if the first is
AFTER, or the second is BEFORE, or the first is LINKING and the second is LINKED.  A rule that looks
further back passes only over characters of which each adjacent two are such a pair.  So there is
certainly a break between any other two characters, and the text between two certain breaks has the
same clusters as it has by itself.  A character followed by MARKs is one cluster unless it is a
CONTROL (GB4, GB9, GB9a).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcpy, memset

include "../shared/_utf8.pxi"
include "_character_trie.pxi"
include "_growing_text.pxi"

cdef enum:
    _BEFORE = 1             # may be in one cluster with the preceding character
    _AFTER = 2              # may be in one cluster with the following character
    _MARK = 4               # is in one cluster with a preceding character that is no control
    _CONTROL = 8
    _LINKING = 16           # may be in one cluster with a LINKED character that follows
    _LINKED = 32
    LARGEST = 5             # bytes of the longest cluster that is looked up as a whole

BEFORE, AFTER, MARK, CONTROL = _BEFORE, _AFTER, _MARK, _CONTROL
LINKING, LINKED = _LINKING, _LINKED


cdef inline bint _may_join(int kind, int next_kind) noexcept nogil:
    """Whether two adjacent characters may be in one cluster."""
    return (kind & _AFTER or next_kind & _BEFORE
            or (kind & _LINKING and next_kind & _LINKED))


cdef class CharacterMap:
    """A map of characters.

    Parameters
    ----------
    units : array of uint32
        The trie of the map.
    texts : bytes
        The replacement texts, each terminated by a zero byte.
    """

    cdef const uint32_t[::1] units
    cdef bytes texts
    cdef Trie trie
    cdef uint8_t plain[256]         # whether an ASCII character begins no entry and stands alone

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
        """Returns the text of the shortest entry that a text begins with, in UTF-8, or None."""
        cdef const uint8_t *p = <const uint8_t *> PyBytes_AS_STRING(key)
        cdef Growing out = Growing(NULL, 0, 0, False, NULL, NULL)
        try:
            if not self._write(&out, p, len(key)):
                return None
            return PyBytes_FromStringAndSize(<char *> out.text, out.size)
        finally:
            _discard(&out)

    cdef int _write(self, Growing *out, const uint8_t *p, int64_t n) except -1:
        """Writes the text of the shortest entry at `p`; returns whether there is one."""
        cdef int64_t size, start = _entry(&self.trie, p, p + n, False, &size)
        if start < 0:
            return 0
        _append_utf8(out, self.trie.texts + start, _text_size(&self.trie, start))
        return 1

    def applied(self, bytes text not None, const uint8_t[::1] kinds not None, clusters not None):
        """Returns the mapped text in UTF-8; bytes that are not UTF-8 may have entries, too.

        Parameters
        ----------
        text : bytes
            The text.
        kinds : ndarray of uint8, shape (0x110000,)
            Bits of each code point: BEFORE, AFTER, MARK, CONTROL, LINKING and LINKED.
        clusters : callable
            Maps a part of the text with several characters that may have several clusters, and
            returns the result.
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
                    q -= 1          # the next character may be in one cluster with it
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
        """Writes the mapped text between two certain breaks; `one`: it is certainly one cluster."""
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
