# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Finds the words of a text, and caches the pieces that they are cut into."""

import numpy as np

from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

cdef enum:
    CAP = 255           # bytes of the longest word that is kept
    AHEAD = 16          # words that are hashed before the first of them is looked up

include "_hash.pxi"
include "_marks.pxi"
include "_prefetch.pxi"
include "_token_table.pxi"
include "_word_ends.pxi"


cdef struct Slot:
    uint32_t tag        # the hash; the slot's home is tag & mask
    uint32_t entry      # index of the entry + 1; 0 when free

cdef struct Entry:
    int64_t start       # of its bytes: in the arena, or in the text where it is not kept
    int64_t length
    int64_t first       # of its numbers
    int64_t count       # of its numbers


def word_ends(const uint8_t[::1] text, int mode, const uint8_t[::1] kinds, int phrase=1):
    """Returns where each word of `text` ends, as a list; up to `phrase` words are joined."""
    cdef Scanner scanner = Scanner(&kinds[0], mode, phrase)
    cdef const uint8_t *p
    cdef const uint8_t *end
    ends = []
    if text.shape[0]:
        p = &text[0]
        end = p + text.shape[0]
        while p < end:
            p = word_end(&scanner, p, end)
            ends.append(p - &text[0])
    return ends


def cut_words(const uint8_t[::1] data, const int64_t[::1] offsets, int mode,
              const uint8_t[::1] kinds, int phrase=1):
    """Cuts texts that stand one after another, each by itself; up to `phrase` words are joined.

    Returns
    -------
    ends : ndarray of int64, shape (words + 1,)
        Offsets of the words in `data`.
    text : ndarray of int64, shape (words,)
        Index of the text that each word is of.
    """
    cdef Scanner scanner = Scanner(&kinds[0], mode, phrase)
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
                p = word_end(&scanner, p, end)
                t[n] = i
                n += 1
                e[n] = p - &data[0]
    return ends[:n + 1].copy(), text[:n].copy()


cdef class WordCache:
    """A cache of the pieces that words are cut into, bounded in bytes.

    For each section of text, call `find`, which looks its words up; `new_words` and `add_pieces`
    if there are new ones; and `numbers_of_words`.  A cache belongs to one thread at a time; `find`
    and `numbers_of_words` run without the interpreter lock.  Words of more than 255 bytes are not
    kept, and none is where `limit` is 0; a cache that has outgrown `limit` starts anew.

    Parameters
    ----------
    mode : int
        Where words end: `FIRST_SPACE` to `WHOLE`.
    kinds : ndarray of uint8, shape (0x110000,)
        What each code point can be, bits from `LETTER` to `DECIMAL`.
    mark : bytes
        What stands for a space, not empty.  Where it is not a space, a mark within a word becomes
        a space.
    limit : int
        Bytes that the cache may take, at least 0.
    tokens : TokenTable, optional
        Words whose one token is known; it is not asked for words that are not kept.
    phrase : int
        The most words that are joined.
    """

    cdef TokenTable tokens
    cdef Scanner scanner
    cdef const uint8_t[::1] kinds
    cdef bytes mark
    cdef int64_t limit
    cdef uint8_t *arena
    cdef int64_t used, room
    cdef Entry *entries         # of the words kept, then of this section's that are not
    cdef int64_t size, capacity
    cdef int64_t known          # entries that were there before this section
    cdef int64_t n_new          # entries of this section whose pieces are not known
    cdef int64_t n_uncached     # words of this section that are not kept
    cdef Slot *slots
    cdef uint64_t mask
    cdef int32_t *numbers
    cdef int64_t n_numbers, numbers_room
    cdef Entry *uncached
    cdef int64_t uncached_room
    cdef int32_t *words         # the entry of each word of the section; −1 − i for the i-th long
    cdef int64_t n_words, words_room
    cdef int64_t total          # numbers of the section's words, but for those that are new

    def __cinit__(self, int mode, const uint8_t[::1] kinds, bytes mark, int64_t limit,
                  TokenTable tokens=None, int phrase=1):
        self.tokens = tokens
        self.kinds = kinds
        self.scanner = Scanner(&kinds[0], mode, phrase)
        self.mark = mark
        self.limit = limit
        self.room = 1 << 12
        self.capacity = self.numbers_room = self.uncached_room = self.words_room = 1 << 8
        self.mask = (1 << 9) - 1
        self.arena = <uint8_t *> malloc(self.room)
        self.entries = <Entry *> malloc(self.capacity * sizeof(Entry))
        self.slots = <Slot *> calloc(self.mask + 1, sizeof(Slot))
        self.numbers = <int32_t *> malloc(self.numbers_room * sizeof(int32_t))
        self.uncached = <Entry *> malloc(self.uncached_room * sizeof(Entry))
        self.words = <int32_t *> malloc(self.words_room * sizeof(int32_t))
        if (self.arena == NULL or self.entries == NULL or self.slots == NULL
                or self.numbers == NULL or self.uncached == NULL or self.words == NULL):
            raise MemoryError

    def __dealloc__(self):
        free(self.arena)
        free(self.entries)
        free(self.slots)
        free(self.numbers)
        free(self.uncached)
        free(self.words)

    def __len__(self):
        """Returns the number of words kept."""
        return self.size

    @property
    def nbytes(self):
        """The memory of the cache in bytes."""
        return self._nbytes()

    @property
    def displacement(self):
        """The sum of the words' distances from their home slots."""
        cdef uint64_t i, total = 0
        for i in range(self.mask + 1):
            if self.slots[i].entry:
                total += (i - self.slots[i].tag) & self.mask
        return total

    cdef int64_t _nbytes(self) noexcept nogil:
        return (self.used + self.size * sizeof(Entry) + (self.mask + 1) * sizeof(Slot)
                + self.n_numbers * sizeof(int32_t))

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

    cdef int _keep(self, const uint8_t *p, int64_t n, const uint8_t *end, uint32_t tag,
                   uint64_t home) noexcept nogil:
        """Adds a word to the free slot `home`."""
        cdef int32_t token = 0
        if self.tokens is not None:
            token = self.tokens.find(p, n, end, tag)
        if (_grow(<void **> &self.entries, &self.capacity, self.size + 1, sizeof(Entry)) < 0
                or _grow(<void **> &self.arena, &self.room, self.used + n, 1) < 0):
            return -1
        memcpy(self.arena + self.used, p, n)
        self.entries[self.size] = Entry(self.used, n, 0, 0)
        if token:
            if _grow(<void **> &self.numbers, &self.numbers_room, self.n_numbers + 1,
                     sizeof(int32_t)) < 0:
                return -1
            self.entries[self.size] = Entry(self.used, n, self.n_numbers, 1)
            self.numbers[self.n_numbers] = token
            self.n_numbers += 1
        else:
            self.n_new += 1
        self.used += n
        self.size += 1
        self.slots[home] = Slot(tag, <uint32_t> self.size)
        if 2 * <uint64_t> self.size > self.mask:
            return self._rehash()
        return 0

    cdef int _look_up(self, const uint8_t *p, int64_t n, const uint8_t *end,
                      uint32_t tag) noexcept nogil:
        cdef uint64_t home = tag & self.mask
        cdef Entry *entry
        while self.slots[home].entry:
            if self.slots[home].tag == tag:
                entry = self.entries + (self.slots[home].entry - 1)
                if entry.length == n and memcmp(self.arena + entry.start, p, n) == 0:
                    self.words[self.n_words] = <int32_t> (self.slots[home].entry - 1)
                    self.n_words += 1
                    self.total += entry.count
                    return 0
            home = (home + 1) & self.mask
        self.words[self.n_words] = <int32_t> self.size
        self.n_words += 1
        return self._keep(p, n, end, tag, home)

    cdef int _skip(self, int64_t start, int64_t length) noexcept nogil:
        if _grow(<void **> &self.uncached, &self.uncached_room, self.n_uncached + 1,
                 sizeof(Entry)) < 0:
            return -1
        self.uncached[self.n_uncached] = Entry(start, length, 0, 0)
        self.words[self.n_words] = <int32_t> (-1 - self.n_uncached)
        self.n_words += 1
        self.n_uncached += 1
        return 0

    def find(self, const uint8_t[::1] text, int64_t at, int64_t upto):
        """Looks up the words from `at` on, to the end of the one that reaches `upto`.

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
            Number of words whose pieces are not known.
        """
        cdef const uint8_t *base
        cdef const uint8_t *p
        cdef const uint8_t *end
        cdef const uint8_t *stop
        cdef const uint8_t *start[AHEAD]
        cdef int64_t length[AHEAD]
        cdef uint32_t tag[AHEAD]
        cdef uint32_t entry
        cdef int64_t cap = CAP if self.limit else 0
        cdef int i, ready, status = 0
        if at >= text.shape[0]:
            raise ValueError("there is no text from there on")
        base = &text[0]
        with nogil:
            if self._nbytes() > self.limit and self.size:
                memset(self.slots, 0, (self.mask + 1) * sizeof(Slot))
                self.used = self.size = self.n_numbers = 0
            self.known = self.size
            self.n_new = self.n_uncached = self.n_words = self.total = 0
            p = base + at
            end = base + text.shape[0]
            stop = base + min(upto, text.shape[0])
            while p < stop and status == 0:
                # the table is mostly waiting for memory, so ask for it some words ahead
                ready = 0
                while ready < AHEAD:
                    p = word_start(&self.scanner, p, end)
                    if p >= stop:
                        break
                    start[ready] = p
                    p = word_end(&self.scanner, p, end)
                    length[ready] = p - start[ready]
                    if length[ready] <= cap:
                        tag[ready] = hash_bytes(start[ready], length[ready], end)
                        prefetch(self.slots + (tag[ready] & self.mask))
                    ready += 1
                status = _grow(<void **> &self.words, &self.words_room, self.n_words + ready,
                               sizeof(int32_t))
                for i in range(ready):
                    if length[i] > cap:
                        continue
                    entry = self.slots[tag[i] & self.mask].entry
                    if entry:
                        prefetch(self.entries + entry - 1)
                    elif self.tokens is not None:
                        prefetch(self.tokens.slots + (tag[i] & self.tokens.mask))
                for i in range(ready):
                    if status < 0:
                        break
                    if length[i] <= cap:
                        status = self._look_up(start[i], length[i], end, tag[i])
                    else:
                        status = self._skip(start[i] - base, length[i])
        if status < 0:
            raise MemoryError
        return p - base, self.n_new + self.n_uncached

    def new_words(self, const uint8_t[::1] text):
        """Returns the words whose pieces are not known, with mark and space exchanged.

        Returns
        -------
        data : ndarray of uint8
            One word after another.
        offsets : ndarray of int64, shape (misses + 1,)
            Where they start.
        """
        cdef int64_t total = 0, n = 0, i
        cdef int64_t all_new = self.size + self.n_uncached
        cdef const uint8_t *mark = self.mark
        cdef int64_t width = len(self.mark)
        cdef const uint8_t *p
        cdef uint8_t *out
        cdef Entry *entry
        cdef uint8_t[::1] d
        cdef int64_t[::1] o
        if _grow(<void **> &self.entries, &self.capacity, all_new, sizeof(Entry)) < 0:
            raise MemoryError
        memcpy(self.entries + self.size, self.uncached, self.n_uncached * sizeof(Entry))
        for i in range(self.known, all_new):
            if self.entries[i].count == 0:
                total += self.entries[i].length
        offsets = np.zeros(self.n_new + self.n_uncached + 1, np.int64)
        data = np.empty(total * width, np.uint8)     # what is not written takes no memory
        o = offsets
        d = data
        if offsets.size == 1:
            return data, offsets
        with nogil:
            out = &d[0]
            for i in range(self.known, all_new):
                entry = self.entries + i
                if entry.count == 0:
                    p = (self.arena if i < self.size else &text[0]) + entry.start
                    out = _exchange(p, entry.length, mark, width, out)
                    n += 1
                    o[n] = out - &d[0]
        return data[:o[n]], offsets

    def uncached_starts(self):
        """Returns where the section's words that are not kept start in the text, int64."""
        cdef int64_t i
        starts = np.empty(self.n_uncached, np.int64)
        cdef int64_t[::1] s = starts
        for i in range(self.n_uncached):
            s[i] = self.uncached[i].start
        return starts

    def add_pieces(self, const int64_t[::1] offsets, const uint8_t[::1] data,
                   const int32_t[::1] which):
        """Adds the pieces that the words of `new_words` were cut into.

        Parameters
        ----------
        offsets, data : ndarray
            As `new_words` gave them.
        which : ndarray of int32, shape (len(data),)
            At the last symbol of each piece its number: the token's, −1 for a single byte; −2
            elsewhere.  `numbers_of_words` gives bytes as 0 to 255, and token t as 256 + t.
        """
        cdef int64_t i, j, n = 0
        cdef Entry *entry
        if _grow(<void **> &self.numbers, &self.numbers_room, self.n_numbers + data.shape[0],
                 sizeof(int32_t)) < 0:
            raise MemoryError
        with nogil:
            for i in range(self.known, self.size + self.n_uncached):
                entry = self.entries + i
                if entry.count:
                    continue
                entry.first = self.n_numbers
                for j in range(offsets[n], offsets[n + 1]):
                    if which[j] != INSIDE:
                        self.numbers[self.n_numbers] = which[j] + 256 if which[j] >= 0 else data[j]
                        self.n_numbers += 1
                n += 1
                entry.count = self.n_numbers - entry.first

    def numbers_of_words(self):
        """Returns the numbers of the section's words, one word after another, int32."""
        cdef int64_t i, j, total = self.total
        cdef Entry *entry
        cdef int32_t *at
        cdef const int32_t *first
        cdef int32_t[::1] o
        if self.size > self.known or self.n_uncached:
            with nogil:
                total = 0
                for i in range(self.n_words):
                    total += self._entry(self.words[i]).count
        out = np.empty(total, np.int32)
        if total == 0:
            return out
        o = out
        with nogil:
            at = &o[0]
            for i in range(self.n_words):
                if i + AHEAD < self.n_words:
                    prefetch(self._entry(self.words[i + AHEAD]))
                entry = self._entry(self.words[i])
                first = self.numbers + entry.first
                for j in range(entry.count):
                    at[j] = first[j]
                at += entry.count
            if self.n_uncached:
                self.n_numbers = self.entries[self.size].first
        return out

    cdef inline Entry *_entry(self, int32_t index) noexcept nogil:
        return self.entries + (index if index >= 0 else self.size - 1 - index)


def listed(const int32_t[::1] numbers, list values):
    """Returns the value of each number; those from the last value's on have that one.

    It makes no new objects, which would take most of the time.
    """
    cdef Py_ssize_t i, n = numbers.shape[0]
    cdef int32_t last = <int32_t> len(values) - 1
    cdef list out = PyList_New(n)
    cdef object value
    for i in range(n):
        if i + AHEAD < n:
            prefetch(<void *> PyList_GET_ITEM(values, min(numbers[i + AHEAD], last)))
        value = <object> PyList_GET_ITEM(values, min(numbers[i], last))
        Py_INCREF(value)
        PyList_SET_ITEM(out, i, value)
    return out


cdef uint8_t *_exchange(const uint8_t *p, int64_t n, const uint8_t *mark, int64_t width,
                        uint8_t *out) noexcept nogil:
    """Writes a word, each space as the mark and each mark as a space."""
    cdef const uint8_t *end = p + n
    if width == 1 and mark[0] == c' ':
        memcpy(out, p, n)
        return out + n
    while p < end:
        if p[0] == c' ':
            memcpy(out, mark, width)
            out += width
            p += 1
        elif p[0] == mark[0] and end - p >= width and memcmp(p, mark, width) == 0:
            out[0] = c' '
            out += 1
            p += width
        else:
            out[0] = p[0]
            out += 1
            p += 1
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
