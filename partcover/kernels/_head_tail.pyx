# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prices the words of a tail by the tolls of tokens, and sums what that makes tokens worth.

`partcover.verification.head_check` has the rule, and is the slow twin.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc

include "_hash.pxi"
include "_prefetch.pxi"

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15

cdef enum:
    MOST_TOKENS = 16  # that of `partcover.problem.head_certificate`
    AHEAD = 3         # rows of substrings by which slots, and then tokens, are read ahead


cdef extern from *:
    uint64_t _step "pc_step"(uint64_t sum, uint64_t block) noexcept nogil
    uint32_t _hash_sum "pc_hash_sum"(uint64_t sum) noexcept nogil


cdef struct Slot:
    uint32_t tag    # the hash of a token
    int32_t number  # its number and 1; 0: free
    int64_t place   # where it begins, and its length in the last 16 bits


cdef struct Substring:
    uint64_t key    # its class is the first bits of it
    uint64_t slot   # where it may be among the known tokens
    uint32_t tag    # its hash
    int32_t number  # that of a known token, or -1


cdef class KnownTokens:
    """A table of known tokens, all different, which threads may share.

    In another process it is made again, as hashes are others there.

    Parameters
    ----------
    data : ndarray of uint8, int32 or int64
        Symbols in which the tokens stand.
    place, length : ndarray of int64 and int32, shape (tokens,)
        Where each begins in them, and how long it is.
    longest : int
        Longer ones are not looked up; at most 65535.
    """
    cdef tuple made_of
    cdef const uint8_t[::1] data
    cdef int width
    cdef readonly Py_ssize_t longest
    cdef object held
    cdef Slot *slots
    cdef uint64_t mask

    def __cinit__(self, data, const int64_t[::1] place, const int32_t[::1] length,
                  Py_ssize_t longest):
        cdef Py_ssize_t n, size = place.shape[0]
        self.made_of = data, place.base, length.base, longest
        self.data, self.width = data.view(np.uint8), data.itemsize
        self.longest = longest
        self.mask = 1
        while self.mask < 2 * <uint64_t> size:
            self.mask = 2 * self.mask + 1
        self.held = np.zeros((self.mask + 1) * sizeof(Slot), np.uint8)  # in large pages
        self.slots = <Slot *> <uintptr_t> self.held.ctypes.data
        with nogil:
            for n in range(size):
                if length[n] <= longest:
                    self._insert(<int32_t> n, place[n], length[n])

    def __reduce__(self):
        return KnownTokens, self.made_of

    cdef void _insert(self, int32_t n, int64_t place, int32_t length) noexcept nogil:
        cdef uint64_t slot, sum = 0
        cdef uint32_t tag
        cdef int32_t i
        for i in range(length):
            sum = _step(sum, <uint64_t> self._symbol(place + i) + 1)
        tag = _hash_sum(sum)
        slot = tag & self.mask
        while self.slots[slot].number:
            slot = slot + 1 & self.mask
        self.slots[slot] = Slot(tag, n + 1, place << 16 | length)

    cdef inline int64_t _symbol(self, int64_t at) noexcept nogil:
        if self.width == 1:
            return self.data[at]
        if self.width == 4:
            return (<const int32_t *> &self.data[0])[at]
        return (<const int64_t *> &self.data[0])[at]

    cdef inline void _read_ahead(self, uint32_t tag) noexcept nogil:
        """Reads the slot of a hash ahead."""
        prefetch(self.slots + (tag & self.mask))

    cdef inline uint64_t _slot_of(self, uint32_t tag) noexcept nogil:
        """Returns the first slot with a hash, or one that is free, and reads its token ahead."""
        cdef uint64_t slot = tag & self.mask
        while self.slots[slot].number and self.slots[slot].tag != tag:
            slot = slot + 1 & self.mask
        if self.slots[slot].number:
            prefetch(&self.data[0] + self.width * (self.slots[slot].place >> 16))
        return slot

    cdef inline int32_t _number(self, uint64_t slot, uint32_t tag, const int64_t *token,
                                Py_ssize_t size) noexcept nogil:
        """Returns the number of a token from the first slot with its hash on; -1 for others."""
        cdef int64_t place
        cdef Py_ssize_t i
        while self.slots[slot].number:
            place = self.slots[slot].place
            if self.slots[slot].tag == tag and place & 0xFFFF == size:
                i = 0
                while i < size and self._symbol((place >> 16) + i) == token[i]:
                    i += 1
                if i == size:
                    return self.slots[slot].number - 1
            slot = slot + 1 & self.mask
        return -1

    cdef void find(self, const int64_t *word, Py_ssize_t size, Substring *found) noexcept nogil:
        """Finds each substring of two symbols or more: that of start and end at both's place."""
        cdef Py_ssize_t row, start, end, side = size + 1
        cdef uint64_t key, sum
        cdef Substring *row_of
        for row in range(size - 1 + 2 * AHEAD):
            if row < size - 1:
                row_of = found + row * side
                key = (<uint64_t> word[row] + 1) * FACTOR
                sum = _step(0, <uint64_t> word[row] + 1)
                for end in range(row + 2, self.last(row, size) + 1):
                    key = (key + <uint64_t> word[end - 1] + 1) * FACTOR
                    sum = _step(sum, <uint64_t> word[end - 1] + 1)
                    row_of[end].key = key
                    row_of[end].tag = _hash_sum(sum)
                    self._read_ahead(row_of[end].tag)
            start = row - AHEAD
            if 0 <= start < size - 1:
                row_of = found + start * side
                for end in range(start + 2, self.last(start, size) + 1):
                    row_of[end].slot = self._slot_of(row_of[end].tag)
            start -= AHEAD
            if start >= 0:
                row_of = found + start * side
                for end in range(start + 2, self.last(start, size) + 1):
                    row_of[end].number = self._number(row_of[end].slot, row_of[end].tag,
                                                      word + start, end - start)

    cdef inline Py_ssize_t last(self, Py_ssize_t start, Py_ssize_t size) noexcept nogil:
        """Returns where the longest substring from a place on ends."""
        return min(start + self.longest, size)

    def weights(self, const int64_t[::1] data, const int64_t[::1] offsets,
                const int64_t[::1] counts, Py_ssize_t most):
        """Returns how often each token is in words of at most so many symbols."""
        cdef Py_ssize_t w, size, start, end
        cdef int32_t n
        cdef Substring *found = <Substring *> malloc((most + 1) * (most + 1) * sizeof(Substring))
        if found == NULL:
            raise MemoryError
        weights = np.zeros(self.made_of[1].shape[0], np.int64)
        cdef int64_t[::1] view = weights
        with nogil:
            for w in range(counts.shape[0]):
                size = offsets[w + 1] - offsets[w]
                if size > most:
                    continue
                self.find(&data[offsets[w]], size, found)
                for start in range(size - 1):
                    for end in range(start + 2, self.last(start, size) + 1):
                        n = found[start * (size + 1) + end].number
                        if n >= 0:
                            view[n] += counts[w]
        free(found)
        return weights


cdef class TokenSums:
    """Sums of what prices make known tokens worth, and the classes of all others.

    Parameters
    ----------
    known : KnownTokens
        The known tokens.
    tolls : ndarray of int64, shape (tokens,)
        The toll of each; -1 for a token that is not used.
    ignored : int
        Tokens from this number on are worth nothing.
    class_bits : int
        There are 2^class_bits classes.
    one : int
        A price of 1.
    longest_priced : int
        Symbols of the longest word that gets prices.
    sixteenths : int
        How many sixteenths of the prices are by tolls.

    Attributes
    ----------
    sums : ndarray of int64, shape (tokens,)
        What each known token is worth, in units of 1 / (32 · one).
    classes : ndarray of int64
        The same of each class.
    used : ndarray of bool, shape (tokens,)
        Whether a toll decides a price: without the others all prices are the same.
    total : int
        Σ c·Σ d of all words, in the same units.
    """
    cdef KnownTokens known
    cdef const int64_t[::1] tolls
    cdef int64_t[::1] sums_view, classes_view
    cdef uint8_t[::1] used_view
    cdef readonly object sums, classes, used
    cdef readonly int64_t total
    cdef int64_t one
    cdef Py_ssize_t ignored, longest_priced
    cdef int shift, sixteenths

    def __init__(self, KnownTokens known, tolls, Py_ssize_t ignored, int class_bits, int64_t one,
                 Py_ssize_t longest_priced, int sixteenths):
        self.known = known
        self.tolls = tolls
        self.one, self.ignored = one, ignored
        self.longest_priced = longest_priced
        self.shift = 64 - class_bits
        self.classes = np.zeros(1 << class_bits, np.int64)
        self.classes_view = self.classes
        self.sums = np.zeros(tolls.shape[0], np.int64)
        self.sums_view = self.sums
        self.used = np.zeros(tolls.shape[0], bool)
        self.used_view = self.used.view(np.uint8)
        self.sixteenths = sixteenths

    def add(self, const int64_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts):
        """Adds words of the tail, one after another in `data`."""
        cdef Py_ssize_t w, size, side = self.longest_priced + 1
        cdef Substring *found = <Substring *> malloc(side * side * sizeof(Substring))
        cdef int64_t *before = <int64_t *> malloc(2 * side * sizeof(int64_t))
        if found == NULL or before == NULL:
            free(found)
            free(before)
            raise MemoryError
        with nogil:
            for w in range(counts.shape[0]):
                size = offsets[w + 1] - offsets[w]
                if size > self.longest_priced:
                    self.total += 32 * self.one * counts[w]
                else:
                    self.known.find(&data[offsets[w]], size, found)
                    self._add(size, counts[w], found, before, before + side)
        free(found)
        free(before)

    cdef void _add(self, Py_ssize_t size, int64_t count, const Substring *found, int64_t *before,
                   int64_t *behind) noexcept nogil:
        """Adds a word, whose substrings are found."""
        cdef Py_ssize_t start, end, side = size + 1
        cdef const Substring *substring
        cdef int64_t cost, worth, one = self.one
        cdef int sixteenths
        cdef int32_t n
        for end in range(size + 1):
            before[end] = end * one
        for start in range(size):
            if start and before[start - 1] + one < before[start]:
                before[start] = before[start - 1] + one
            for end in range(start + 2, self.known.last(start, size) + 1):
                n = found[start * side + end].number
                if n >= 0 and self.tolls[n] >= 0:
                    cost = before[start] + one + self.tolls[n]
                    if cost < before[end]:
                        before[end] = cost
        if size and before[size - 1] + one < before[size]:
            before[size] = before[size - 1] + one
        behind[size] = 0
        for start in range(size - 1, -1, -1):
            behind[start] = behind[start + 1] + one
            for end in range(start + 2, self.known.last(start, size) + 1):
                n = found[start * side + end].number
                if n >= 0 and self.tolls[n] >= 0:
                    cost = behind[end] + one + self.tolls[n]
                    if cost < behind[start]:
                        behind[start] = cost
        for start in range(size - 1):
            for end in range(start + 2, self.known.last(start, size) + 1):
                n = found[start * side + end].number
                if n >= 0 and self.tolls[n] >= 0:
                    cost = one + self.tolls[n]
                    if before[end] == before[start] + cost or behind[start] == behind[end] + cost:
                        self.used_view[n] = 1
        sixteenths = self.sixteenths if before[size] <= MOST_TOKENS * one else 0
        for end in range(size + 1):  # from here on the sum of prices before each place
            cost = one * (0 if end == 0 else 1 if end < size or size == 1 else 2)
            before[end] = (sixteenths * (before[end] - behind[end] + behind[0])
                           + (16 - sixteenths) * 2 * cost)
        self.total += count * before[size]
        for start in range(size - 1):
            for end in range(start + 2, self.known.last(start, size) + 1):
                worth = before[end] - before[start] - 32 * one
                if worth > 0:
                    substring = found + start * side + end
                    n = substring.number
                    if n < 0:
                        self.classes_view[substring.key >> self.shift] += count * worth
                    elif n < self.ignored:
                        self.sums_view[n] += count * worth


def largest_classes(const int64_t[::1] classes, Py_ssize_t longest_priced,
                    const int64_t[::1] data, const int64_t[::1] offsets, const int32_t[::1] words):
    """Returns the largest class sum that a shorter substring of each of some words has.

    Parameters
    ----------
    classes : ndarray of int64, shape (2^bits,)
        The sums of the classes.
    longest_priced : int
        A longer word may have substrings in any class.
    data, offsets : ndarray of int64
        All words, one after another.
    words : ndarray of int32
        The numbers of those to look at.
    """
    cdef Py_ssize_t i, w, start, end, size, base
    cdef uint64_t key
    cdef int shift = 65 - int(classes.shape[0]).bit_length()
    cdef int64_t most = np.asarray(classes).max()
    largest = np.zeros(words.shape[0], np.int64)
    cdef int64_t[::1] view = largest
    with nogil:
        for i in range(words.shape[0]):
            w = words[i]
            base = offsets[w]
            size = offsets[w + 1] - base
            if size > longest_priced:
                view[i] = most
                continue
            for start in range(size - 1):
                key = (<uint64_t> data[base + start] + 1) * FACTOR
                for end in range(start + 2, size + 1):
                    key = (key + <uint64_t> data[base + end - 1] + 1) * FACTOR
                    if end - start < size:
                        view[i] = max(view[i], classes[key >> shift])
    return largest
