# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Normalizes a text as sentencepiece does before it segments it.

At each place the longest kept text stays unchanged.  If none is there, the longest entry of the
character map is written; if there is none, the character itself; and for a byte that is not UTF-8,
U+FFFD.  If extra spaces are removed, spaces at the beginning of what a place writes are dropped
after a space and at the beginning of the text, and all spaces at the end of the text are removed.

Runs of ASCII characters that none of this changes are copied in one step.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

include "../shared/_utf8.pxi"
include "_character_trie.pxi"
include "_growing_text.pxi"

cdef enum:                  # the kinds of bytes, for finding runs that can be copied
    SPACE = 1               # a space, of which no two may be adjacent
    STOP = 2                # a kept text or an entry may begin here
    FOLLOWED = 4            # an entry may begin here if a byte that is not ASCII follows


cdef struct Place:          # the replacement of a part of the text
    const uint8_t *text
    int64_t size
    int64_t taken           # number of bytes of the part
    bint checked            # whether the replacement is known to be UTF-8

cdef struct Rules:
    bint front              # put a space in front of the text
    bint behind
    bint extra              # remove extra spaces
    bint escaped            # replace ▁ by a space


cdef const uint8_t *MARK = <const uint8_t *> <const char *> b"\xe2\x96\x81"
cdef const uint8_t *BROKEN = <const uint8_t *> <const char *> b"\xef\xbf\xbd"
cdef const uint8_t *BLANK = <const uint8_t *> <const char *> b" "


cdef class SentencePieceText:
    """The normalization of a text.

    Parameters
    ----------
    units : array of uint32
        The trie of the character map; empty if there is no map.
    texts : bytes
        The replacement texts of the map, each terminated by a zero byte.
    kept : sequence of bytes
        Texts in UTF-8 that stay unchanged, distinct and in ascending order.
    front, behind, extra, escaped : bool
        Whether to put a space in front of a text, to put one after it, to remove extra spaces, and
        to replace ▁ by a space.
    """

    cdef const uint32_t[::1] units
    cdef bytes texts
    cdef bytes data
    cdef const uint8_t *kept        # the kept texts, one after another, in `data`
    cdef Trie trie
    cdef Rules rules
    cdef int64_t *ends              # where each kept text ends
    cdef int64_t first[257]         # for each byte the first kept text that begins with it
    cdef uint8_t kinds[256]

    def __cinit__(self):
        self.ends = NULL

    def __init__(self, const uint32_t[::1] units, bytes texts not None, kept, *, bint front,
                 bint behind, bint extra, bint escaped):
        cdef int64_t i, n = len(kept), byte
        self.units, self.texts = units, texts
        self.trie = _trie(units, texts)
        self.rules = Rules(front, behind, extra, escaped)
        self.data = b"".join(kept)
        self.kept = <const uint8_t *> PyBytes_AS_STRING(self.data)
        free(self.ends)
        self.ends = <int64_t *> malloc((n + 1) * sizeof(int64_t))
        if self.ends == NULL:
            raise MemoryError
        self.ends[0] = 0
        memset(self.first, 0, sizeof(self.first))
        for i in range(n):
            self.ends[i + 1] = self.ends[i] + len(kept[i])
            self.first[<uint8_t> kept[i][0] + 1] += 1
        for byte in range(256):
            self.first[byte + 1] += self.first[byte]
        for byte in range(256):
            self.kinds[byte] = self._kind(<uint8_t> byte)

    def __dealloc__(self):
        free(self.ends)

    cdef uint8_t _kind(self, uint8_t byte):
        """The kind of a byte, for finding runs that can be copied."""
        cdef uint8_t kind = SPACE if byte == c' ' and self.rules.extra else 0
        cdef uint32_t base, inner
        cdef bint leaf = False
        cdef int following
        if byte >= 0x80 or self.first[byte] < self.first[byte + 1]:
            return STOP
        if self.trie.n_units == 0:
            return kind
        base = _offset(self.trie.units[0])
        if not _follow(&self.trie, &base, byte, &leaf):
            return kind
        if leaf:
            return STOP
        for following in range(0x80):
            inner = base
            if _follow(&self.trie, &inner, <uint8_t> following, &leaf):
                return STOP
        return kind | FOLLOWED

    cdef int64_t _kept(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """The size of the longest kept text at `p`, or 0."""
        cdef const int64_t *ends = self.ends
        cdef int64_t low = self.first[p[0]], high = self.first[p[0] + 1], size = 1, found = 0
        # all kept texts from `low` to `high` begin with the first `size` bytes at `p`
        while low < high:
            if ends[low + 1] - ends[low] == size:   # the shortest is the first
                found = size
                low += 1
            if p + size == end:
                break
            low = self._from(low, high, size, p[size])
            high = self._from(low, high, size, p[size] + 1)
            size += 1
        return found

    cdef inline int64_t _from(self, int64_t low, int64_t high, int64_t at, int byte) noexcept nogil:
        """The first text from `low` to before `high` whose byte at index `at` is >= `byte`."""
        cdef int64_t middle
        while low < high:
            middle = (low + high) // 2
            if self.kept[self.ends[middle] + at] < byte:
                low = middle + 1
            else:
                high = middle
        return low

    cdef inline Place _place(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """The replacement of the part of the text that begins at `p`."""
        cdef int64_t taken = 0, start
        cdef int size
        if self.first[p[0]] < self.first[p[0] + 1]:
            taken = self._kept(p, end)
            if taken:
                return Place(p, taken, taken, True)
        start = _entry(&self.trie, p, end, True, &taken)
        if start >= 0:
            return Place(self.trie.texts + start, _text_size(&self.trie, start), taken, False)
        if p[0] >= 0x80 and _code(p, end, &size) >> 8 == 0xDC:
            return Place(BROKEN, 3, 1, True)
        if p[0] < 0x80:
            size = 1
        return Place(p, size, size, True)

    def applied(self, bytes text not None):
        """Returns the normalized text, in UTF-8."""
        cdef Growing out = Growing(NULL, 0, 0, False, NULL, NULL)
        cdef const uint8_t *p = <const uint8_t *> PyBytes_AS_STRING(text)
        cdef const uint8_t *end = p + len(text)
        try:
            with nogil:
                self._apply(&out, p, end)
            return PyBytes_FromStringAndSize(<char *> out.text, out.size)
        finally:
            _discard(&out)

    def traced(self, bytes text not None):
        """Returns the normalized text, and for each of its characters where it comes from.

        Returns
        -------
        text : bytes
            The text, in UTF-8.
        begin, end : list of int
            The part of the given text that it comes from, in characters; a byte that is not UTF-8
            counts as one character.
        """
        cdef Growing out = Growing(NULL, 0, 0, True, NULL, NULL)
        cdef const uint8_t *start = <const uint8_t *> PyBytes_AS_STRING(text)
        cdef const uint8_t *p = start
        cdef const uint8_t *stop = p + len(text)
        cdef int64_t *character = <int64_t *> malloc((len(text) + 1) * sizeof(int64_t))
        cdef int64_t i, n = 0
        cdef int size
        cdef list begin = [], end = []
        try:
            if character == NULL:
                raise MemoryError
            while p < stop:
                _code(p, stop, &size)
                for i in range(size):
                    character[p + i - start] = n
                n += 1
                p += size
            character[len(text)] = n
            self._apply(&out, start, stop)
            p = out.text
            while p < out.text + out.size:
                _code(p, out.text + out.size, &size)
                i = p - out.text
                begin.append(character[out.begin[i]])
                i = out.end[i + size - 1]
                end.append(character[i - 1] + 1 if i > 0 else 0)
                p += size
            return PyBytes_FromStringAndSize(<char *> out.text, out.size), begin, end
        finally:
            free(character)
            _discard(&out)

    cdef int _apply(self, Growing *out, const uint8_t *start, const uint8_t *end) except -1 nogil:
        """Writes the normalized text."""
        cdef const uint8_t *p = start
        cdef bint spaced = self.rules.extra         # whether spaces are dropped at this place
        cdef Place place
        cdef int64_t blank = end - start            # where the spaces at the end begin
        cdef int size
        _reserve(out, end - start + 2)
        while self.rules.extra and p < end:
            place = self._place(p, end)
            if place.size != 1 or place.text[0] != c' ':
                break
            p += place.taken
        if p == end:
            return 0
        if self.rules.front:
            _code(p, end, &size)
            self._written(out, BLANK, 1, p - start, p - start + size)
        while p < end:
            p = self._run(out, start, p, end, &spaced)
            if p < end:
                place = self._place(p, end)
                self._write(out, &place, p - start, &spaced)
                p += place.taken
        if self.rules.extra:
            while out.size and out.text[out.size - 1] == c' ':
                out.size -= 1
                blank = out.begin[out.size] if out.traced else blank
        if self.rules.behind:
            # the space comes from an empty part after the last character
            if out.traced and out.size:
                blank = out.end[out.size - 1]
            self._written(out, BLANK, 1, blank, blank)
        return 0

    cdef const uint8_t *_run(self, Growing *out, const uint8_t *start, const uint8_t *p,
                             const uint8_t *end, bint *spaced) except NULL nogil:
        """Copies unchanged ASCII and drops repeated spaces; returns where it stops."""
        cdef const uint8_t *kinds = self.kinds
        cdef const uint8_t *q
        cdef int before, kind
        while p < end and not kinds[p[0]] & STOP:
            before = SPACE if spaced[0] else 0
            q = p
            while q < end:
                kind = kinds[q[0]]
                if kind & (STOP | before):
                    break
                before = kind & SPACE
                q += 1
            if p < q < end and q[0] >= 0x80 and kinds[(q - 1)[0]] & FOLLOWED:
                q -= 1
            if q > p:
                self._copied(out, p, q - p, p - start)
                spaced[0] = kinds[(q - 1)[0]] & SPACE
                p = q
            if p == end or kinds[p[0]] & STOP or self._followed(p, end):
                break
            if spaced[0] and kinds[p[0]] & SPACE:
                p += 1
                self._widen(out, p - start)
        return p

    cdef inline bint _followed(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        return self.kinds[p[0]] & FOLLOWED and p + 1 < end and p[1] >= 0x80

    cdef inline int _write(self, Growing *out, const Place *place, int64_t begin,
                           bint *spaced) except -1 nogil:
        """Writes the replacement of a part of the text."""
        cdef const uint8_t *p = place.text
        cdef const uint8_t *end = p + place.size
        cdef const uint8_t *q
        cdef int64_t stop = begin + place.taken
        cdef int size
        if spaced[0]:
            while p < end and p[0] == c' ':
                p += 1
        if p == end:
            self._widen(out, stop)              # a dropped part belongs to the byte before it
            return 0
        spaced[0] = self.rules.extra and (end - 1)[0] == c' '
        while p < end:
            if p[0] < 0x80:
                size = 1
                self._written(out, p, 1, begin, stop)
            elif self.rules.escaped and end - p >= 3 and memcmp(p, MARK, 3) == 0:
                size = 3
                self._written(out, BLANK, 1, begin, stop)
            elif place.checked:
                # up to the next byte that may begin a ▁
                q = p + 1
                while q < end and q[0] != MARK[0] and q[0] >= 0x80:
                    q += 1
                size = <int> (q - p)
                self._written(out, p, size, begin, stop)
            elif _code(p, end, &size) >> 8 == 0xDC:
                self._written(out, BROKEN, 3, begin, stop)
            else:
                self._written(out, p, size, begin, stop)
            p += size
        return 0

    cdef inline int _written(self, Growing *out, const uint8_t *p, int64_t n, int64_t begin,
                             int64_t end) except -1 nogil:
        """Writes bytes that come from a part of the text."""
        cdef int64_t i
        _append(out, p, n)
        if out.traced:
            for i in range(out.size - n, out.size):
                out.begin[i], out.end[i] = begin, end
        return 0

    cdef inline int _copied(self, Growing *out, const uint8_t *p, int64_t n,
                            int64_t begin) except -1 nogil:
        """Writes bytes of which each comes from one byte of the text."""
        cdef int64_t i
        _append(out, p, n)
        if out.traced:
            for i in range(n):
                out.begin[out.size - n + i], out.end[out.size - n + i] = begin + i, begin + i + 1
        return 0

    cdef inline void _widen(self, Growing *out, int64_t end) noexcept nogil:
        """Extends the part that the last byte comes from up to `end`."""
        if out.traced and out.size:
            out.end[out.size - 1] = end
