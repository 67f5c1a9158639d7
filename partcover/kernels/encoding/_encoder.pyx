# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Finds the words of a text, and caches the pieces that they are cut into."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

cdef enum:
    CAP = 255           # bytes of the longest word that is kept
    AHEAD = 16          # words that are hashed before the first of them is looked up
    UNCACHED = -2147483648  # of the first word of a section that is not kept

include "../shared/_hash.pxi"
include "_list_values.pxi"
include "../shared/_marks.pxi"
include "../shared/_pairs.pxi"
include "../shared/_pair_bits.pxi"
include "_short_merges.pxi"
include "_token_table.pxi"
include "_word_ends.pxi"
include "_windows.pxi"


cdef struct Entry:      # a word of several numbers, or whose numbers are not known yet
    int64_t first       # of its numbers
    int64_t count       # of its numbers; −1: not known yet

cdef struct NewWord:    # of this section
    int64_t start       # in the text
    int64_t length
    int32_t entry


def word_ends(const uint8_t[::1] text, int mode, const uint8_t[::1] kinds, int phrase=1):
    """Returns where each word of `text` ends, as a list; up to `phrase` words are joined."""
    cdef Scanner scanner = _scanner(kinds, mode, phrase, False)
    cdef Word words[WINDOW]
    cdef const uint8_t *p
    cdef const uint8_t *end
    cdef int i, n
    ends = []
    if text.shape[0]:
        p = &text[0]
        end = p + text.shape[0]
        while True:
            n = _next_words(&scanner, &p, end, end, words)
            if n == 0:
                break
            for i in range(n):
                ends.append(words[i].start + words[i].length - &text[0])
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
    cdef Scanner scanner = _scanner(kinds, mode, phrase, False)
    cdef Word words[WINDOW]
    cdef Py_ssize_t i, n = 0
    cdef int j, found
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
            while True:
                found = _next_words(&scanner, &p, end, end, words)
                if found == 0:
                    break
                for j in range(found):
                    t[n] = i
                    n += 1
                    e[n] = words[j].start + words[j].length - &data[0]
    return ends[:n + 1].copy(), text[:n].copy()


cdef class WordCache:
    """A cache of the pieces that words are cut into, bounded in bytes.

    For each section of text, call `find`, which looks its words up; `new_words` and `add_pieces`
    if there are new ones; and `numbers_of_words` or `values_of_words`.  A cache belongs to one
    thread at a time; `find` and `numbers_of_words` run without the interpreter lock.  Words of more
    than 255 bytes are not kept, and none is where `limit` is 0; a cache that has outgrown `limit`
    starts anew.

    Parameters
    ----------
    mode : int
        Where words end: `FIRST_SPACE` to `CLIP`.
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
    merges : ShortMerges, optional
        What cuts short words that are kept and not in `tokens`, so that they are never new.
    """

    cdef TokenTable tokens
    cdef ShortMerges merges
    cdef Scanner scanner
    cdef const uint8_t[::1] kinds
    cdef bytes mark
    cdef int64_t limit
    cdef Slot *slots
    cdef uint64_t mask
    cdef int64_t n_kept         # words in slots
    cdef uint8_t *arena         # of words that are too long for a slot
    cdef int64_t used, room
    cdef Entry *entries
    cdef int64_t n_entries, entries_room
    cdef int32_t *numbers       # of the entries
    cdef int64_t n_numbers, numbers_room
    cdef NewWord *new           # words of this section that are kept, and not known yet
    cdef int64_t n_new, new_room
    cdef NewWord *uncached      # words of this section that are not kept, each time they come
    cdef int64_t n_uncached, uncached_room
    cdef int64_t n_own          # entries but for those of `uncached`, once they have pieces
    cdef int32_t *out           # the section's numbers; −1 − i: those of entry i; `UNCACHED` + i
    cdef int64_t n_out, out_room

    def __cinit__(self, int mode, const uint8_t[::1] kinds, bytes mark, int64_t limit,
                  TokenTable tokens=None, int phrase=1, ShortMerges merges=None):
        self.tokens = tokens
        self.merges = merges
        self.kinds = kinds
        self.scanner = _scanner(kinds, mode, phrase, True)
        self.mark = mark
        self.limit = limit
        self.mask = (1 << 9) - 1
        self.slots = <Slot *> calloc(self.mask + 1, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)
        free(self.arena)
        free(self.entries)
        free(self.numbers)
        free(self.new)
        free(self.uncached)
        free(self.out)

    def __len__(self):
        """Returns the number of words kept."""
        return self.n_kept

    @property
    def nbytes(self):
        """The memory of the cache in bytes."""
        return self._nbytes()

    @property
    def displacement(self):
        """The sum of the words' distances from their home slots."""
        cdef uint64_t i, total = 0
        for i in range(self.mask + 1):
            if self.slots[i].b:
                total += (i - self.slots[i].tag) & self.mask
        return total

    cdef int64_t _nbytes(self) noexcept nogil:
        return (self.used + self.n_entries * sizeof(Entry) + (self.mask + 1) * sizeof(Slot)
                + self.n_numbers * sizeof(int32_t))

    cdef int _rehash(self) noexcept nogil:
        cdef uint64_t mask = 4 * self.mask + 3
        cdef uint64_t i, home
        cdef Slot *slots = <Slot *> calloc(mask + 1, sizeof(Slot))
        if slots == NULL:
            return -1
        for i in range(self.mask + 1):
            if self.slots[i].b:
                home = self.slots[i].tag & mask
                while slots[home].b:
                    home = (home + 1) & mask
                slots[home] = self.slots[i]
        free(self.slots)
        self.slots = slots
        self.mask = mask
        return 0

    cdef int _keep(self, const Key *key, const uint8_t *p, int64_t start,
                   uint64_t home) noexcept nogil:
        """Adds the word at `p` to the free slot `home`, and its numbers to the section's."""
        cdef int64_t n = <int64_t> (key.b >> 56)
        cdef int64_t count = -1
        cdef uint64_t a = key.a
        cdef int32_t value = 0
        if self.tokens is not None:
            value = self.tokens.find(key, p)
        if value == 0:
            if (_grow(<void **> &self.entries, &self.entries_room, self.n_entries + 1,
                      sizeof(Entry)) < 0
                    or _grow(<void **> &self.numbers, &self.numbers_room, self.n_numbers + n,
                             sizeof(int32_t)) < 0
                    or _grow(<void **> &self.new, &self.new_room, self.n_new + 1,
                             sizeof(NewWord)) < 0):
                return -1
            value = <int32_t> (-1 - self.n_entries)
            if self.merges is not None and n <= MERGED:
                count = self.merges.merge(p, n, self.numbers + self.n_numbers)
            else:
                self.new[self.n_new] = NewWord(start, n, <int32_t> self.n_entries)
                self.n_new += 1
            self.entries[self.n_entries] = Entry(self.n_numbers, count)
            self.n_entries += 1
            self.n_numbers += max(count, 0)
        if n > INLINE:
            if _grow(<void **> &self.arena, &self.room, self.used + n, 1) < 0:
                return -1
            memcpy(self.arena + self.used, p, n)
            a = self.used
            self.used += n
        self.slots[home] = Slot(a, key.b, key.tag, value)
        self.n_kept += 1
        if 2 * <uint64_t> self.n_kept > self.mask and self._rehash() < 0:
            return -1
        return self._put(value)

    cdef inline int _put(self, int32_t value) noexcept nogil:
        """Adds the numbers of a slot's value to the section's, for one of which there is room."""
        cdef const Entry *entry
        cdef int64_t i
        if value >= 0 or self.entries[-1 - value].count < 0:
            self.out[self.n_out] = value
            self.n_out += 1
            return 0
        entry = self.entries + (-1 - value)
        if _grow(<void **> &self.out, &self.out_room, self.n_out + entry.count + AHEAD,
                 sizeof(int32_t)) < 0:
            return -1
        for i in range(entry.count):
            self.out[self.n_out + i] = self.numbers[entry.first + i]
        self.n_out += entry.count
        return 0

    cdef inline int _look_up(self, const Key *key, const uint8_t *p,
                             int64_t start) noexcept nogil:
        cdef uint64_t home = key.tag & self.mask
        while self.slots[home].b:
            if _same(self.slots + home, key, self.arena, p):
                return self._put(self.slots[home].value)
            home = (home + 1) & self.mask
        return self._keep(key, p, start, home)

    cdef int _skip(self, int64_t start, int64_t length) noexcept nogil:
        if _grow(<void **> &self.uncached, &self.uncached_room, self.n_uncached + 1,
                 sizeof(NewWord)) < 0:
            return -1
        self.out[self.n_out] = <int32_t> (UNCACHED + self.n_uncached)
        self.n_out += 1
        self.uncached[self.n_uncached] = NewWord(start, length, 0)
        self.n_uncached += 1
        return 0

    def find(self, bytes text not None, int64_t at, int64_t upto):
        """Looks up the words from `at` on, to the end of the one that reaches `upto`.

        Parameters
        ----------
        text : bytes
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
        if at >= len(text):
            raise ValueError("there is no text from there on")
        at = self._find(text, at, min(upto, <int64_t> len(text)))
        return at, self.n_new + self.n_uncached

    def values_of(self, bytes text not None, list values):
        """Returns the values of all words of a text; None after `find` where some are new."""
        if len(text):
            self._find(text, 0, len(text))
            if self.n_new + self.n_uncached:
                return None
            return _listed(self.out, self.n_out, values)
        return []

    cdef int64_t _find(self, bytes text, int64_t at, int64_t upto) except -1:
        cdef const uint8_t *base = <const uint8_t *> PyBytes_AS_STRING(text)
        cdef const uint8_t *p = base + at
        cdef const uint8_t *stop = base + upto
        cdef const uint8_t *end = base + len(text)
        cdef Word words[WINDOW]
        cdef Key key[WINDOW]
        cdef int64_t cap = CAP if self.limit else 0
        cdef int i, ready, status = 0
        with nogil:
            if self._nbytes() > self.limit and self.n_kept:
                memset(self.slots, 0, (self.mask + 1) * sizeof(Slot))
                self.used = self.n_entries = self.n_numbers = self.n_kept = 0
            self.n_new = self.n_uncached = self.n_out = 0
            while status == 0:
                ready = _next_words(&self.scanner, &p, stop, end, words)
                if ready == 0:
                    break
                # the table is mostly waiting for memory, so ask for it some words ahead
                for i in range(ready):
                    if words[i].length <= cap:
                        key[i] = _key_of(words[i].start, words[i].length, end)
                        prefetch(self.slots + (key[i].tag & self.mask))
                status = _grow(<void **> &self.out, &self.out_room, self.n_out + ready,
                               sizeof(int32_t))
                if self.tokens is not None:
                    for i in range(ready):
                        if words[i].length <= cap and not self.slots[key[i].tag & self.mask].b:
                            prefetch(self.tokens.slots + (key[i].tag & self.tokens.mask))
                for i in range(ready):
                    if status < 0:
                        break
                    if words[i].length <= cap:
                        status = self._look_up(&key[i], words[i].start, words[i].start - base)
                    else:
                        status = self._skip(words[i].start - base, words[i].length)
        if status < 0:
            raise MemoryError
        return p - base

    cdef inline const NewWord *_new_word(self, int64_t i) noexcept nogil:
        return self.new + i if i < self.n_new else self.uncached + (i - self.n_new)

    def new_words(self, bytes text not None):
        """Returns the words whose pieces are not known, with mark and space exchanged.

        Returns
        -------
        data : ndarray of uint8
            One word after another.
        offsets : ndarray of int64, shape (misses + 1,)
            Where they start.
        """
        cdef int64_t i, total = 0
        cdef int64_t n = self.n_new + self.n_uncached
        cdef const uint8_t *mark = self.mark
        cdef int64_t width = len(self.mark)
        cdef const uint8_t *base = <const uint8_t *> PyBytes_AS_STRING(text)
        cdef const NewWord *word
        cdef uint8_t *out
        cdef uint8_t[::1] d
        cdef int64_t[::1] o
        for i in range(n):
            total += self._new_word(i).length
        offsets = np.zeros(n + 1, np.int64)
        data = np.empty(total * width, np.uint8)     # what is not written takes no memory
        o = offsets
        d = data
        if n == 0:
            return data, offsets
        with nogil:
            out = &d[0]
            for i in range(n):
                word = self._new_word(i)
                out = _exchange(base + word.start, word.length, mark, width, out)
                o[i + 1] = out - &d[0]
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
        cdef int64_t i, j
        cdef int64_t n = self.n_new + self.n_uncached
        cdef Entry entry
        self.n_own = self.n_entries
        if (_grow(<void **> &self.numbers, &self.numbers_room, self.n_numbers + data.shape[0],
                  sizeof(int32_t)) < 0
                or _grow(<void **> &self.entries, &self.entries_room,
                         self.n_entries + self.n_uncached, sizeof(Entry)) < 0):
            raise MemoryError
        with nogil:
            for i in range(n):
                entry.first = self.n_numbers
                for j in range(offsets[i], offsets[i + 1]):
                    if which[j] != INSIDE:
                        self.numbers[self.n_numbers] = which[j] + 256 if which[j] >= 0 else data[j]
                        self.n_numbers += 1
                entry.count = self.n_numbers - entry.first
                if i < self.n_new:
                    self.entries[self.new[i].entry] = entry
                else:
                    self.entries[self.n_own + i - self.n_new] = entry

    cdef inline const Entry *_entry(self, int32_t value) noexcept nogil:
        """Returns the entry of a negative value of `out`."""
        if value < UNCACHED + self.n_uncached:
            return self.entries + (self.n_own + value - <int64_t> UNCACHED)
        return self.entries + (-1 - value)

    def numbers_of_words(self):
        """Returns the numbers of the section's words, one word after another, int32."""
        cdef int64_t i, j, total = self.n_out
        cdef const Entry *entry
        cdef int32_t *at
        cdef int32_t[::1] o
        cdef bint known = self.n_new + self.n_uncached == 0
        if not known:
            for i in range(self.n_out):
                if self.out[i] < 0:
                    total += self._entry(self.out[i]).count - 1
        numbers = np.empty(total, np.int32)
        if total == 0:
            return numbers
        o = numbers
        if known:
            memcpy(&o[0], self.out, total * sizeof(int32_t))
            return numbers
        with nogil:
            at = &o[0]
            for i in range(self.n_out):
                if self.out[i] >= 0:
                    at[0] = self.out[i]
                    at += 1
                    continue
                entry = self._entry(self.out[i])
                for j in range(entry.count):
                    at[j] = self.numbers[entry.first + j]
                at += entry.count
            if self.n_uncached:
                self.n_numbers = self.entries[self.n_own].first
        return numbers

    def values_of_words(self, list values):
        """Returns the values of the section's numbers, one word after another."""
        cdef const int32_t[::1] numbers
        if self.n_new + self.n_uncached:
            numbers = self.numbers_of_words()
            return _listed(&numbers[0] if numbers.shape[0] else NULL, numbers.shape[0], values)
        return _listed(self.out, self.n_out, values)


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
