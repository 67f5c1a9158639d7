# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words of a text found one after another, and a bounded table of what each is cut into.

A rule of `partcover.corpus.pretokenizers` is a function from where a word starts to where it ends.
Characters are those that Python decodes with ``surrogateescape``: a byte that belongs to none is
a lone surrogate, neither letter nor number nor white space.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

# How words are found; see `partcover.corpus.pretokenizers` for what the rules say.
FIRST_SPACE = 0
SPACE = 1
DIGIT = 2
GPT2 = 3
CL100K = 4
O200K = 5
WHOLE = 6

# What a character can be: bits of the table `kinds`, one byte for each code point.
LETTER = 1
NUMBER = 2
WHITE = 4
UPPER = 8       # Lu Lt Lm Lo M
LOWER = 16      # Ll Lm Lo M
DECIMAL = 32    # Nd

cdef enum:
    L = 1
    N = 2
    S = 4
    A = 8
    B = 16
    D = 32
    CAP = 255           # bytes of the longest word that is kept
    AHEAD = 16          # words that are hashed before the first of them is looked up

include "_hash.pxi"
include "_prefetch.pxi"
include "_utf8.pxi"


cdef struct Slot:
    uint32_t tag        # the hash; the slot's home is tag & mask
    uint32_t entry      # index of the entry + 1; 0 when free

cdef struct Entry:
    int64_t start       # of its bytes: in the arena, or in the text where it is not kept
    int64_t length
    int64_t first       # of its numbers
    int64_t many

cdef struct Finder:     # what finding words needs
    const uint8_t *kinds
    int mode


cdef inline uint8_t _kind(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                          int *size) noexcept nogil:
    if p[0] < 0x80:
        size[0] = 1
        return kinds[p[0]]
    return kinds[_code(p, end, size)]


cdef inline const uint8_t *_run(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                uint8_t mask) noexcept nogil:
    """Behind the characters from `p` on that are one of `mask`."""
    cdef int size
    while p < end and _kind(kinds, p, end, &size) & mask:
        p += size
    return p


cdef inline const uint8_t *_others(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                   uint8_t mask) noexcept nogil:
    """Behind the characters from `p` on that are none of `mask`."""
    cdef int size
    while p < end and not _kind(kinds, p, end, &size) & mask:
        p += size
    return p


cdef inline const uint8_t *_contraction(const uint8_t *p, const uint8_t *end,
                                        bint any_case) noexcept nogil:
    """Behind ``'s|'t|'re|'ve|'m|'ll|'d`` at `p`, or `p`."""
    cdef uint8_t c, d
    cdef uint8_t fold = 0x20 if any_case else 0
    if end - p < 2 or p[0] != 39:
        return p
    c = p[1] | fold
    if c == 115 or c == 116 or c == 109 or c == 100:
        return p + 2
    if end - p < 3:
        return p
    d = p[2] | fold
    if (c == 114 and d == 101) or (c == 118 and d == 101) or (c == 108 and d == 108):
        return p + 3
    if any_case and p[1] == 0xC5 and p[2] == 0xBF:    # the long s is an s in any case
        return p + 3
    return p


cdef inline const uint8_t *_white(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                  bint lines) noexcept nogil:
    r"""Behind ``\s+(?!\S)|\s+`` at `p`; with `lines`, ``\s*[\r\n]+`` is tried first."""
    cdef const uint8_t *at = p
    cdef const uint8_t *last = p
    cdef const uint8_t *line = NULL
    cdef int size
    while at < end and _kind(kinds, at, end, &size) & S:
        last = at
        if at[0] == 10 or at[0] == 13:
            line = at + 1
        at += size
    if lines and line != NULL:
        return line
    return at if at == end or last == p else last


cdef const uint8_t *_gpt2(const uint8_t *kinds, const uint8_t *p,
                          const uint8_t *end) noexcept nogil:
    cdef int size
    cdef uint8_t kind
    cdef const uint8_t *at = _contraction(p, end, False)
    if at > p:
        return at
    kind = _kind(kinds, p, end, &size)
    if p[0] == 0x20 and p + 1 < end:
        at = p + 1
        kind = _kind(kinds, at, end, &size)
    if kind & S:
        return _white(kinds, p, end, False)
    if kind & L:
        return _run(kinds, at + size, end, L)
    if kind & N:
        return _run(kinds, at + size, end, N)
    return _others(kinds, at + size, end, L | N | S)


cdef inline const uint8_t *_numbers(const uint8_t *kinds, const uint8_t *p,
                                    const uint8_t *end) noexcept nogil:
    r"""Behind ``\p{N}{1,3}`` at `p`, or `p`."""
    cdef int _i, size
    for _i in range(3):
        if p == end or not _kind(kinds, p, end, &size) & N:
            break
        p += size
    return p


cdef inline const uint8_t *_rest(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                 bint slash) noexcept nogil:
    r"""Behind what is no word at `p`: numbers, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, white space."""
    cdef int size
    cdef const uint8_t *at = _numbers(kinds, p, end)
    if at > p:
        return at
    if p[0] == 0x20 and p + 1 < end:
        at = p + 1
    if _kind(kinds, at, end, &size) & (L | N | S):
        return _white(kinds, p, end, True)
    at = _others(kinds, at + size, end, L | N | S)
    while at < end and (at[0] == 10 or at[0] == 13 or (slash and at[0] == 47)):
        at += 1
    return at


cdef const uint8_t *_cl100k(const uint8_t *kinds, const uint8_t *p,
                            const uint8_t *end) noexcept nogil:
    cdef int size
    cdef uint8_t kind
    cdef const uint8_t *at = _contraction(p, end, True)
    if at > p:
        return at
    kind = _kind(kinds, p, end, &size)
    if kind & L:
        return _run(kinds, p + size, end, L)
    if not kind & N and p[0] != 10 and p[0] != 13:
        at = _run(kinds, p + size, end, L)
        if at > p + size:
            return at
    return _rest(kinds, p, end, False)


cdef inline const uint8_t *_cased(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                  const uint8_t **upper) noexcept nogil:
    """Behind ``[Lu Lt Lm Lo M]*[Ll Lm Lo M]+`` at `p`, or `p`; `upper` is behind its first part.

    Where no lower case follows, the last character that may count as such is given back.
    """
    cdef int size
    cdef uint8_t kind
    cdef const uint8_t *both = p
    upper[0] = p
    while upper[0] < end:
        kind = _kind(kinds, upper[0], end, &size)
        if not kind & A:
            break
        upper[0] += size
        if kind & B:
            both = upper[0]
    p = _run(kinds, upper[0], end, B)
    return p if p > upper[0] else both


cdef const uint8_t *_o200k(const uint8_t *kinds, const uint8_t *p,
                           const uint8_t *end) noexcept nogil:
    cdef int size
    cdef uint8_t kind = _kind(kinds, p, end, &size)
    cdef const uint8_t *behind = p      # the one character that may stand before a word
    cdef const uint8_t *upper
    cdef const uint8_t *upper_behind
    cdef const uint8_t *at
    if not kind & (L | N) and p[0] != 10 and p[0] != 13:
        behind = p + size
    at = _cased(kinds, behind, end, &upper_behind)
    if at > behind:
        return _contraction(at, end, True)
    upper = upper_behind
    if behind > p:
        at = _cased(kinds, p, end, &upper)
        if at > p:
            return _contraction(at, end, True)
    if upper_behind > behind:
        return _contraction(upper_behind, end, True)
    if upper > p:
        return _contraction(upper, end, True)
    return _rest(kinds, p, end, True)


cdef inline const uint8_t *_word_end(const Finder *finder, const uint8_t *p,
                                     const uint8_t *end) noexcept nogil:
    """Where the word that starts at `p` < `end` ends."""
    cdef const uint8_t *at
    cdef int size
    if finder.mode == 3:
        return _gpt2(finder.kinds, p, end)
    if finder.mode == 4:
        return _cl100k(finder.kinds, p, end)
    if finder.mode == 5:
        return _o200k(finder.kinds, p, end)
    if finder.mode == 2:
        if _kind(finder.kinds, p, end, &size) & D:
            return p + size
        return _others(finder.kinds, p + size, end, D)
    if finder.mode == 6:
        return end
    if finder.mode == 1 and p[0] == 0x20:
        return p + 1
    at = <const uint8_t *> memchr(p + 1, 0x20, end - p - 1)
    return end if at == NULL else at


def word_ends(const uint8_t[::1] text, int mode, const uint8_t[::1] kinds):
    """Where each word of `text` ends, as a list."""
    cdef Finder finder = Finder(&kinds[0], mode)
    cdef const uint8_t *p
    cdef const uint8_t *end
    ends = []
    if text.shape[0]:
        p = &text[0]
        end = p + text.shape[0]
        while p < end:
            p = _word_end(&finder, p, end)
            ends.append(p - &text[0])
    return ends


def cut_words(const uint8_t[::1] data, const int64_t[::1] offsets, int mode,
              const uint8_t[::1] kinds):
    """Cut texts that stand one after another, each by itself.

    Returns
    -------
    ends : ndarray of int64, shape (words + 1,)
        Where the words are in `data`, one after another.
    text : ndarray of int64, shape (words,)
        Which text each is of.
    """
    cdef Finder finder = Finder(&kinds[0], mode)
    cdef Py_ssize_t i, n = 0
    cdef const uint8_t *p
    cdef const uint8_t *end
    # no more words than bytes; what is not written takes no memory
    ends = np.empty(data.shape[0] + 1, np.int64)
    text = np.empty(data.shape[0], np.int64)
    cdef int64_t[::1] e = ends
    cdef int64_t[::1] t = text
    e[0] = 0
    with nogil:
        for i in range(offsets.shape[0] - 1):
            if offsets[i] == offsets[i + 1]:
                continue
            p = &data[offsets[i]]
            end = p + (offsets[i + 1] - offsets[i])
            while p < end:
                p = _word_end(&finder, p, end)
                t[n] = i
                n += 1
                e[n] = p - &data[0]
    return ends[:n + 1].copy(), text[:n].copy()


cdef class WordCache:
    """What words are cut into, for as many words as fit in a number of bytes.

    A section of text goes through `find`, which looks its words up; `missed` and `learn`, where
    there are new ones; and `take`.  A table belongs to one thread at a time; `find` and `take`
    run without the interpreter lock.  Words of more than 255 bytes are not kept, and none is
    where `limit` is 0; when what is kept outgrows `limit`, the table starts anew.

    Parameters
    ----------
    mode : int
        How words are found.
    kinds : ndarray of uint8, shape (0x110000,)
        What each code point can be.
    mark : bytes
        What stands for a leading space, not empty; where it is no space, one found in a word
        becomes a space.
    limit : int
        Bytes to hold, at least 0.
    """

    cdef Finder finder
    cdef const uint8_t[::1] kinds
    cdef bytes mark
    cdef int64_t limit
    cdef uint8_t *arena
    cdef int64_t used, room
    cdef Entry *entries         # of the words kept, then of this section's that are not
    cdef int64_t size, capacity
    cdef int64_t known          # entries that were there before this section
    cdef int64_t passing        # words of this section that are not kept
    cdef Slot *slots
    cdef uint64_t mask
    cdef int32_t *numbers
    cdef int64_t many, numbers_room
    cdef Entry *long_words
    cdef int64_t long_room
    cdef int32_t *found         # the entry of each word of the section; −1 − i for the i-th long
    cdef int64_t finds, found_room

    def __cinit__(self, int mode, const uint8_t[::1] kinds, bytes mark, int64_t limit):
        self.kinds = kinds
        self.finder = Finder(&kinds[0], mode)
        self.mark = mark
        self.limit = limit
        self.room = 1 << 12
        self.capacity = self.numbers_room = self.long_room = self.found_room = 1 << 8
        self.mask = (1 << 9) - 1
        self.arena = <uint8_t *> malloc(self.room)
        self.entries = <Entry *> malloc(self.capacity * sizeof(Entry))
        self.slots = <Slot *> calloc(self.mask + 1, sizeof(Slot))
        self.numbers = <int32_t *> malloc(self.numbers_room * sizeof(int32_t))
        self.long_words = <Entry *> malloc(self.long_room * sizeof(Entry))
        self.found = <int32_t *> malloc(self.found_room * sizeof(int32_t))
        if (self.arena == NULL or self.entries == NULL or self.slots == NULL
                or self.numbers == NULL or self.long_words == NULL or self.found == NULL):
            raise MemoryError

    def __dealloc__(self):
        free(self.arena)
        free(self.entries)
        free(self.slots)
        free(self.numbers)
        free(self.long_words)
        free(self.found)

    def __len__(self):
        """Words kept."""
        return self.size

    @property
    def nbytes(self):
        """Bytes of what is kept."""
        return self._held()

    @property
    def displacement(self):
        """How far words are from their homes, summed: the slots stepped over to find each."""
        cdef uint64_t i, total = 0
        for i in range(self.mask + 1):
            if self.slots[i].entry:
                total += (i - self.slots[i].tag) & self.mask
        return total

    cdef int64_t _held(self) noexcept nogil:
        return (self.used + self.size * sizeof(Entry) + (self.mask + 1) * sizeof(Slot)
                + self.many * sizeof(int32_t))

    cdef int _rehash(self) noexcept nogil:
        cdef uint64_t mask = 2 * self.mask + 1
        cdef uint64_t i, home
        cdef Slot *slots = <Slot *> calloc(mask + 1, sizeof(Slot))
        if slots == NULL:
            return -1
        for i in range(self.mask + 1):
            if self.slots[i].entry:
                home = self.slots[i].tag & mask
                while slots[home].entry:
                    home = (home + 1) & mask
                slots[home] = self.slots[i]
        free(self.slots)
        self.slots = slots
        self.mask = mask
        return 0

    cdef int _keep(self, const uint8_t *p, int64_t n, uint32_t tag,
                   uint64_t home) noexcept nogil:
        """A new word, into the free slot `home`."""
        if (_grow(<void **> &self.entries, &self.capacity, self.size + 1, sizeof(Entry)) < 0
                or _grow(<void **> &self.arena, &self.room, self.used + n, 1) < 0):
            return -1
        memcpy(self.arena + self.used, p, n)
        self.entries[self.size] = Entry(self.used, n, 0, 0)
        self.used += n
        self.size += 1
        self.slots[home] = Slot(tag, <uint32_t> self.size)
        if 2 * <uint64_t> self.size > self.mask:
            return self._rehash()
        return 0

    cdef int _look_up(self, const uint8_t *p, int64_t n, uint32_t tag) noexcept nogil:
        cdef uint64_t home = tag & self.mask
        cdef Entry *entry
        while self.slots[home].entry:
            if self.slots[home].tag == tag:
                entry = self.entries + (self.slots[home].entry - 1)
                if entry.length == n and memcmp(self.arena + entry.start, p, n) == 0:
                    self.found[self.finds] = <int32_t> (self.slots[home].entry - 1)
                    self.finds += 1
                    return 0
            home = (home + 1) & self.mask
        self.found[self.finds] = <int32_t> self.size
        self.finds += 1
        return self._keep(p, n, tag, home)

    cdef int _pass_by(self, int64_t start, int64_t length) noexcept nogil:
        if _grow(<void **> &self.long_words, &self.long_room, self.passing + 1,
                 sizeof(Entry)) < 0:
            return -1
        self.long_words[self.passing] = Entry(start, length, 0, 0)
        self.found[self.finds] = <int32_t> (-1 - self.passing)
        self.finds += 1
        self.passing += 1
        return 0

    def find(self, const uint8_t[::1] text, int64_t at, int64_t upto):
        """Look up the words from `at` on, to the end of the one that reaches `upto`.

        Parameters
        ----------
        text : buffer of bytes
            The whole text, so that words end where they do in it.
        at : int
            Where a word starts.
        upto : int
            More than `at`; a section of less than 2^30 bytes and one word.

        Returns
        -------
        end : int
            Where the next section starts.
        misses : int
            Words whose pieces are not known: `missed` gives them, `learn` takes the pieces.
        """
        cdef const uint8_t *base
        cdef const uint8_t *p
        cdef const uint8_t *end
        cdef const uint8_t *stop
        cdef const uint8_t *start[AHEAD]
        cdef int64_t length[AHEAD]
        cdef uint32_t tag[AHEAD]
        cdef int64_t cap = CAP if self.limit else 0
        cdef int i, ready, status = 0
        if at >= text.shape[0]:
            raise ValueError("there is no text from there on")
        base = &text[0]
        with nogil:
            if self._held() > self.limit and self.size:
                memset(self.slots, 0, (self.mask + 1) * sizeof(Slot))
                self.used = self.size = self.many = 0
            self.known = self.size
            self.passing = self.finds = 0
            p = base + at
            end = base + text.shape[0]
            stop = base + min(upto, text.shape[0])
            while p < stop and status == 0:
                # the table is mostly waiting for memory, so ask for it some words ahead
                ready = 0
                while ready < AHEAD and p < stop:
                    start[ready] = p
                    p = _word_end(&self.finder, p, end)
                    length[ready] = p - start[ready]
                    if length[ready] <= cap:
                        tag[ready] = hash_bytes(start[ready], length[ready], end)
                        prefetch(self.slots + (tag[ready] & self.mask))
                    ready += 1
                status = _grow(<void **> &self.found, &self.found_room, self.finds + ready,
                               sizeof(int32_t))
                for i in range(ready):
                    if length[i] <= cap:
                        prefetch(self.entries + self.slots[tag[i] & self.mask].entry - 1)
                for i in range(ready):
                    if status < 0:
                        break
                    if length[i] <= cap:
                        status = self._look_up(start[i], length[i], tag[i])
                    else:
                        status = self._pass_by(start[i] - base, length[i])
        if status < 0:
            raise MemoryError
        return p - base, self.size - self.known + self.passing

    def missed(self, const uint8_t[::1] text):
        """The words whose pieces are not known, with mark and space exchanged.

        Returns
        -------
        data : ndarray of uint8
            One word after another.
        offsets : ndarray of int64, shape (misses + 1,)
            Where they start.
        """
        cdef int64_t total = 0, i, n = self.size - self.known + self.passing
        cdef const uint8_t *mark = self.mark
        cdef int64_t width = len(self.mark)
        cdef const uint8_t *p
        cdef uint8_t *out
        cdef Entry *entry
        cdef uint8_t[::1] d
        cdef int64_t[::1] o
        if _grow(<void **> &self.entries, &self.capacity, self.size + self.passing,
                 sizeof(Entry)) < 0:
            raise MemoryError
        memcpy(self.entries + self.size, self.long_words, self.passing * sizeof(Entry))
        offsets = np.zeros(n + 1, np.int64)
        for i in range(n):
            entry = self.entries + self.known + i
            total += entry.length
        data = np.empty(total + (width - 1) * n, np.uint8)
        o = offsets
        d = data
        if n == 0:
            return data, offsets
        with nogil:
            out = &d[0]
            for i in range(n):
                entry = self.entries + self.known + i
                p = (self.arena if self.known + i < self.size else &text[0]) + entry.start
                out = _exchange(p, entry.length, mark, width, out)
                o[i + 1] = out - &d[0]
        return data[:o[n]], offsets

    def passed(self):
        """Where the words of this section that are not kept start in the text, int64."""
        cdef int64_t i
        starts = np.empty(self.passing, np.int64)
        cdef int64_t[::1] s = starts
        for i in range(self.passing):
            s[i] = self.long_words[i].start
        return starts

    def learn(self, const int64_t[::1] offsets, const uint8_t[::1] data,
              const int32_t[::1] which):
        """Take what the words of `missed` were cut into.

        Parameters
        ----------
        offsets, data : ndarray
            As `missed` gave them.
        which : ndarray of int32, shape (len(data),)
            At the last symbol of each piece its number: the token's, −1 for a single byte; −2
            elsewhere.  `take` gives bytes as 0 to 255, and token t as 256 + t.
        """
        cdef int64_t i, j
        cdef int64_t n = offsets.shape[0] - 1
        cdef Entry *entry
        if _grow(<void **> &self.numbers, &self.numbers_room, self.many + offsets[n],
                 sizeof(int32_t)) < 0:
            raise MemoryError
        with nogil:
            for i in range(n):
                entry = self.entries + self.known + i
                entry.first = self.many
                for j in range(offsets[i], offsets[i + 1]):
                    if which[j] != -2:
                        self.numbers[self.many] = which[j] + 256 if which[j] >= 0 else data[j]
                        self.many += 1
                entry.many = self.many - entry.first

    def take(self):
        """The section as numbers, int32."""
        cdef int64_t i, j, total = 0
        cdef Entry *entry
        cdef int32_t *at
        cdef const int32_t *first
        cdef int32_t[::1] o
        with nogil:
            for i in range(self.finds):
                total += self._entry(self.found[i]).many
        out = np.empty(total, np.int32)
        if total == 0:
            return out
        o = out
        with nogil:
            at = &o[0]
            for i in range(self.finds):
                entry = self._entry(self.found[i])
                first = self.numbers + entry.first
                for j in range(entry.many):
                    at[j] = first[j]
                at += entry.many
            if self.passing:
                self.many = self.entries[self.size].first
        return out

    cdef inline Entry *_entry(self, int32_t index) noexcept nogil:
        return self.entries + (index if index >= 0 else self.size - 1 - index)


cdef uint8_t *_exchange(const uint8_t *p, int64_t n, const uint8_t *mark, int64_t width,
                        uint8_t *out) noexcept nogil:
    """Write a word, its leading space as the mark and each mark in it as a space."""
    cdef const uint8_t *end = p + n
    cdef const uint8_t *next
    if width == 1 and mark[0] == 0x20:
        memcpy(out, p, n)
        return out + n
    if p[0] == 0x20:
        memcpy(out, mark, width)
        out += width
        p += 1
    while p < end:
        next = <const uint8_t *> memchr(p, mark[0], end - p)
        if next == NULL:
            next = end
        memcpy(out, p, next - p)
        out += next - p
        p = next
        if p < end:
            if end - p >= width and memcmp(p, mark, width) == 0:
                out[0] = 0x20
                p += width
            else:
                out[0] = p[0]
                p += 1
            out += 1
    return out


cdef int _grow(void **array, int64_t *room, int64_t wanted, size_t width) noexcept nogil:
    cdef void *grown
    cdef int64_t new_room
    if wanted <= room[0]:
        return 0
    new_room = max(2 * room[0], wanted)
    grown = realloc(array[0], new_room * width)
    if grown == NULL:
        return -1
    array[0] = grown
    room[0] = new_room
    return 0
