# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prices the words of a tail by the tolls of tokens, and sums what that makes tokens worth.

`partcover.verification.head_check` has the rule, and is the slow twin.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15

cdef enum:
    MOST_TOKENS = 16  # that of `partcover.problem.head_certificate`


cdef class TokenSums:
    """A table of known tokens, each with a toll and a sum, and sums of the classes of all others.

    Parameters
    ----------
    data : ndarray of int64
        Symbols in which the tokens stand.
    place, length : ndarray of int64 and int32, shape (tokens,)
        Where each begins in them, and how long it is; all are different.
    tolls : ndarray of int64, shape (tokens,)
        The toll of each; -1 for a token that is not used.
    ignored : int
        Tokens from this number on are worth nothing.
    class_bits : int
        There are 2^class_bits classes.
    one : int
        A price of 1.
    longest : int
        Symbols of the longest token.
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
    total : int
        Σ c·Σ d of all words, in the same units.
    """
    cdef const int64_t[::1] data
    cdef const int64_t[::1] place
    cdef const int32_t[::1] length
    cdef int64_t[::1] tolls, sums_view, classes_view
    cdef uint64_t[::1] keys
    cdef int32_t[::1] slots
    cdef readonly object sums, classes
    cdef readonly int64_t total
    cdef int64_t one
    cdef Py_ssize_t ignored, longest, longest_priced
    cdef uint64_t mask
    cdef int shift, sixteenths

    def __init__(self, data, place, length, tolls, Py_ssize_t ignored, int class_bits, int64_t one,
                 Py_ssize_t longest, Py_ssize_t longest_priced, int sixteenths):
        cdef Py_ssize_t n, i, size = place.shape[0]
        cdef uint64_t key, slot
        self.data, self.place, self.length = data, place, length
        self.one, self.ignored = one, ignored
        self.longest, self.longest_priced = longest, longest_priced
        self.shift = 64 - class_bits
        self.classes = np.zeros(1 << class_bits, np.int64)
        self.classes_view = self.classes
        self.sums = np.zeros(size, np.int64)
        self.sums_view = self.sums
        self.tolls = tolls
        self.sixteenths = sixteenths
        self.mask = 1
        while self.mask < 2 * <uint64_t> size:
            self.mask = 2 * self.mask + 1
        self.keys = np.zeros(size, np.uint64)
        self.slots = np.full(self.mask + 1, -1, np.int32)
        with nogil:
            for n in range(size):
                key = 0
                for i in range(self.length[n]):
                    key = (key + <uint64_t> self.data[self.place[n] + i] + 1) * FACTOR
                self.keys[n] = key
                slot = key >> 20 & self.mask
                while self.slots[slot] >= 0:
                    slot = slot + 1 & self.mask
                self.slots[slot] = <int32_t> n

    cdef inline int32_t _number(self, uint64_t key, const int64_t *token,
                                Py_ssize_t size) noexcept nogil:
        """Returns the number of a known token, -1 for others."""
        cdef uint64_t slot = key >> 20 & self.mask
        cdef int32_t n = self.slots[slot]
        cdef Py_ssize_t i
        while n >= 0:
            if self.keys[n] == key and self.length[n] == size:
                i = 0
                while i < size and self.data[self.place[n] + i] == token[i]:
                    i += 1
                if i == size:
                    return n
            slot = slot + 1 & self.mask
            n = self.slots[slot]
        return -1

    def add(self, const int64_t[::1] data, const int64_t[::1] offsets, const int64_t[::1] counts):
        """Adds words of the tail, one after another in `data`."""
        cdef Py_ssize_t w, side = self.longest_priced + 1
        cdef int32_t *number = <int32_t *> malloc(side * side * sizeof(int32_t))
        cdef uint64_t *key = <uint64_t *> malloc(side * side * sizeof(uint64_t))
        cdef int64_t *before = <int64_t *> malloc(2 * side * sizeof(int64_t))
        if number == NULL or key == NULL or before == NULL:
            free(number)
            free(key)
            free(before)
            raise MemoryError
        with nogil:
            for w in range(counts.shape[0]):
                if offsets[w + 1] - offsets[w] > self.longest_priced:
                    self.total += 32 * self.one * counts[w]
                else:
                    self._add(&data[offsets[w]], offsets[w + 1] - offsets[w], counts[w],
                              number, key, before, before + side)
        free(number)
        free(key)
        free(before)

    cdef void _add(self, const int64_t *word, Py_ssize_t size, int64_t count, int32_t *number,
                   uint64_t *keys, int64_t *before, int64_t *behind) noexcept nogil:
        cdef Py_ssize_t start, end, last, at, side = self.longest_priced + 1
        cdef uint64_t key
        cdef int32_t n
        cdef int64_t cost, worth, one = self.one
        cdef int sixteenths
        for end in range(size + 1):
            before[end] = end * one
        for start in range(size):
            if start and before[start - 1] + one < before[start]:
                before[start] = before[start - 1] + one
            key = (<uint64_t> word[start] + 1) * FACTOR
            last = min(start + self.longest, size)
            for end in range(start + 2, last + 1):
                key = (key + <uint64_t> word[end - 1] + 1) * FACTOR
                at = start * side + end
                keys[at] = key
                n = self._number(key, word + start, end - start)
                number[at] = n
                if n >= 0 and self.tolls[n] >= 0:
                    cost = before[start] + one + self.tolls[n]
                    if cost < before[end]:
                        before[end] = cost
        if size and before[size - 1] + one < before[size]:
            before[size] = before[size - 1] + one
        behind[size] = 0
        for start in range(size - 1, -1, -1):
            behind[start] = behind[start + 1] + one
            last = min(start + self.longest, size)
            for end in range(start + 2, last + 1):
                n = number[start * side + end]
                if n >= 0 and self.tolls[n] >= 0:
                    cost = behind[end] + one + self.tolls[n]
                    if cost < behind[start]:
                        behind[start] = cost
        sixteenths = self.sixteenths if before[size] <= MOST_TOKENS * one else 0
        for end in range(size + 1):  # from here on the sum of prices before each place
            cost = one * (0 if end == 0 else 1 if end < size or size == 1 else 2)
            before[end] = (sixteenths * (before[end] - behind[end] + behind[0])
                           + (16 - sixteenths) * 2 * cost)
        self.total += count * before[size]
        for start in range(size - 1):
            last = min(start + self.longest, size)
            for end in range(start + 2, last + 1):
                worth = before[end] - before[start] - 32 * one
                if worth > 0:
                    at = start * side + end
                    n = number[at]
                    if n < 0:
                        self.classes_view[keys[at] >> self.shift] += count * worth
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
