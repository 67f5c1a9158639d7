# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Checks and adds up words in flat arrays, without NumPy.

Word ``w`` has ``offsets[w + 1] - offsets[w]`` symbols, and is counted ``counts[w]`` times.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t

include "../shared/_arrays.pxi"


def extremes(const int64_t[::1] offsets, const int64_t[::1] counts):
    """Returns the smallest count, the fewest and the most symbols of a word, and all symbols.

    Without words the first two are the largest number of 64 bits, and the others are 0.  All
    symbols, each as often as it is counted, are a float, since their number may not fit in 64 bits.
    """
    cdef int64_t least = INT64_MAX, shortest = INT64_MAX, longest = 0, n
    cdef double symbols = 0
    cdef Py_ssize_t w
    for w in range(counts.shape[0]):
        n = offsets[w + 1] - offsets[w]
        least = min(least, counts[w])
        shortest = min(shortest, n)
        longest = max(longest, n)
        symbols += <double> counts[w] * <double> n
    return least, shortest, longest, symbols


def total(const int64_t[::1] values):
    """Returns the sum of values, which must fit."""
    cdef int64_t found = 0
    cdef Py_ssize_t w
    for w in range(values.shape[0]):
        found += values[w]
    return found


def total_symbols(const int64_t[::1] offsets, const int64_t[::1] counts):
    """Returns the number of all symbols, each as often as it is counted, which must fit."""
    cdef int64_t found = 0
    cdef Py_ssize_t w
    for w in range(counts.shape[0]):
        found += counts[w] * (offsets[w + 1] - offsets[w])
    return found


def weighted_sum(const int64_t[::1] counts, const int64_t[::1] values):
    """Returns the sum of values, each as often as its word is counted, which must fit."""
    cdef int64_t found = 0
    cdef Py_ssize_t w
    for w in range(counts.shape[0]):
        found += counts[w] * values[w]
    return found


def picked(const int64_t[::1] values, const int64_t[::1] places):
    """Returns the values at some places (int64)."""
    cdef Py_ssize_t i
    array = _array(places.shape[0], "q")
    cdef int64_t[::1] out = array
    for i in range(places.shape[0]):
        out[i] = values[places[i]]
    return array


def numbers_of(const uint8_t[::1] data, const int32_t[::1] numbers):
    """Returns the number of each byte (int32)."""
    cdef Py_ssize_t i
    array = _array(data.shape[0], "i")
    cdef int32_t[::1] out = array
    for i in range(data.shape[0]):
        out[i] = numbers[data[i]]
    return array
