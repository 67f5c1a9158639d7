# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Computes the rewards of candidates from the prices of symbols, in exact integers.

Positions number the symbols of all words, one word after another.  Each function takes a range of
candidates, so that threads can share the work.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, qsort

include "../shared/_ascending.pxi"
include "../shared/_numpy.pxi"

cdef extern from *:
    """
    typedef __int128 wide_t;
    """
    ctypedef long long wide_t  # 128 bits


def self_overlaps(const int32_t[::1] text, const int32_t[::1] sa, const int32_t[::1] lo,
                  const int32_t[::1] hi, const int32_t[::1] length):
    """Returns which candidates have a border: only these can overlap themselves."""
    cdef Py_ssize_t n = lo.shape[0], c, j, b, size, done = 0
    cdef Py_ssize_t room = 0, current = -1
    cdef const int32_t *word
    overlaps = np.zeros(n, np.uint8)
    cdef uint8_t[::1] view = overlaps
    for c in range(n):
        room = max(room, length[c])
    cdef int32_t *border = <int32_t *> malloc((room + 1) * sizeof(int32_t))
    if border == NULL:
        raise MemoryError
    with nogil:
        for c in range(n):
            if hi[c] - lo[c] < 2:
                continue
            size = length[c]
            if lo[c] != current:  # candidates with the same prefix share its borders
                current = lo[c]
                done = 1
                border[0] = 0
            word = &text[sa[current]]
            b = border[done - 1]
            for j in range(done, size):
                while b > 0 and word[j] != word[b]:
                    b = border[b - 1]
                if word[j] == word[b]:
                    b += 1
                border[j] = <int32_t> b
            done = max(done, size)
            view[c] = border[size - 1] > 0
    free(border)
    return overlaps


ctypedef fused price_t:
    int32_t
    int64_t


def sums_before(const price_t[::1] prices, const int64_t[::1] offsets):
    """Returns the sum of the prices before each position of the text of the words.

    In this text a separator with the price 0 stands before each word and after the last.
    """
    cdef Py_ssize_t w, p, n_words = offsets.shape[0] - 1
    cdef int64_t total = 0
    before = np.empty(offsets[n_words] + n_words + 1, np.int64)
    cdef int64_t[::1] view = before
    with nogil:
        for w in range(n_words):
            view[offsets[w] + w] = total
            for p in range(offsets[w], offsets[w + 1]):
                view[p + w + 1] = total
                total += prices[p]
        view[offsets[n_words] + n_words] = total
    return before


def in_order(const price_t[::1] prices, const int64_t[::1] offsets, const int32_t[::1] order):
    """Returns the prices for the words in another order."""
    cdef Py_ssize_t i, p, at = 0
    arranged = np.empty(prices.shape[0], np.asarray(prices).dtype)
    cdef price_t[::1] view = arranged
    with nogil:
        for i in range(order.shape[0]):
            for p in range(offsets[order[i]], offsets[order[i] + 1]):
                view[at] = prices[p]
                at += 1
    return arranged


def rewards(const int32_t[::1] sa, const int32_t[::1] word_of, const int64_t[::1] counts,
            const int64_t[::1] before, int64_t one, const int32_t[::1] lo,
            const int32_t[::1] hi, const int32_t[::1] length, const uint8_t[::1] overlaps,
            const int32_t[::1] which, int64_t[::1] out, int64_t[::1] low, int shift,
            Py_ssize_t first, Py_ssize_t last):
    """Computes the rewards of candidates ``which[first:last]`` and writes that of c to ``out[c]``.

    ``before[p]`` is the sum of the prices before position p of the text, in which a separator
    with the price 0 stands before each word and after the last.  A reward is summed in 128 bits:
    its lowest `shift` bits are written to `low`, which may be empty if `shift` is 0, and the
    higher ones to `out`.  The caller ensures that the higher bits fit in 63 bits, and that every
    sum of prices fits in 64.
    """
    cdef Py_ssize_t n, c, i, j, room = 0
    cdef int64_t worth
    cdef wide_t total
    cdef int32_t p, size
    cdef int32_t *positive = NULL   # places with a positive reward
    cdef wide_t *best = NULL
    for n in range(first, last):
        c = which[n]
        if overlaps[c]:
            room = max(room, hi[c] - lo[c])
    if room:
        positive = <int32_t *> malloc(room * sizeof(int32_t))
        best = <wide_t *> malloc((room + 1) * sizeof(wide_t))
        if positive == NULL or best == NULL:
            free(positive)
            free(best)
            raise MemoryError
    with nogil:
        for n in range(first, last):
            c = which[n]
            size = length[c]
            total = 0
            if overlaps[c]:
                j = 0
                for i in range(lo[c], hi[c]):
                    p = sa[i]
                    if before[p + size] - before[p] > one:
                        positive[j] = p
                        j += 1
                total = _best_disjoint(positive, best, j, size, before, word_of, counts, one)
            else:
                for i in range(lo[c], hi[c]):
                    p = sa[i]
                    worth = before[p + size] - before[p] - one
                    if worth > 0:
                        total += <wide_t> worth * counts[word_of[p]]
            out[c] = <int64_t> (total >> shift)
            if shift:
                low[c] = <int64_t> (total - ((total >> shift) << shift))
    free(positive)
    free(best)


cdef wide_t _best_disjoint(int32_t *places, wide_t *best, Py_ssize_t n, int32_t size,
                           const int64_t[::1] before, const int32_t[::1] word_of,
                           const int64_t[::1] counts, int64_t one) noexcept nogil:
    """Returns the largest total reward of places that do not overlap; sorts the places."""
    cdef Py_ssize_t i, n_clear = 0   # number of places whose occurrence ends at p or before
    cdef wide_t value
    cdef int32_t p
    qsort(places, n, sizeof(int32_t), _ascending)
    best[0] = 0
    for i in range(n):
        p = places[i]
        while places[n_clear] + size <= p:
            n_clear += 1
        value = best[n_clear]
        value += <wide_t> (before[p + size] - before[p] - one) * counts[word_of[p]]
        best[i + 1] = value if value > best[i] else best[i]
    return best[n]


def charged_rewards(const int32_t[::1] places, const int64_t[::1] before,
                    const int64_t[::1] count_at, int64_t one, const int32_t[::1] lo,
                    const int32_t[::1] hi, const int32_t[::1] length, const int32_t[::1] which,
                    const int64_t[::1] lists, const int32_t[::1] listed,
                    const int64_t[::1] first, const int32_t[::1] positions,
                    const int64_t[::1] sums, int64_t[::1] out, int64_t[::1] low, int shift,
                    Py_ssize_t begin, Py_ssize_t stop):
    """Computes the rewards of candidates ``which[begin:stop]`` less their multipliers.

    It is like `rewards`, but from the reward of an occurrence of ``which[n]`` it also subtracts
    the multipliers at its positions in the lists ``listed[lists[n]:lists[n + 1]]``.  The positions
    of list q are ``positions[first[q]:first[q + 1]]``, ascending; ``sums`` holds from index
    q + first[q] on a 0 and then the partial sums of the multipliers.
    """
    cdef Py_ssize_t n, c, i, j, q, at, clear, room = 0
    cdef int64_t worth
    cdef wide_t value
    cdef int32_t p, size
    for n in range(begin, stop):
        room = max(room, hi[which[n]] - lo[which[n]])
    cdef int32_t *occurrence = <int32_t *> malloc((room + 1) * sizeof(int32_t))
    cdef wide_t *best = <wide_t *> malloc((room + 1) * sizeof(wide_t))
    if occurrence == NULL or best == NULL:
        free(occurrence)
        free(best)
        raise MemoryError
    with nogil:
        for n in range(begin, stop):
            c = which[n]
            size = length[c]
            j = hi[c] - lo[c]
            for i in range(j):
                occurrence[i] = places[lo[c] + i]
            qsort(occurrence, j, sizeof(int32_t), _ascending)
            best[0] = 0
            clear = 0
            for i in range(j):
                p = occurrence[i]
                while occurrence[clear] + size <= p:
                    clear += 1
                worth = before[p + size] - before[p] - one
                for at in range(lists[n], lists[n + 1]):
                    q = listed[at]
                    worth -= sums[q + _until(positions, first[q], first[q + 1], p + size)]
                    worth += sums[q + _until(positions, first[q], first[q + 1], p)]
                value = best[clear] + <wide_t> worth * count_at[p]
                best[i + 1] = value if value > best[i] else best[i]
            out[c] = <int64_t> (best[j] >> shift)
            if shift:
                low[c] = <int64_t> (best[j] - ((best[j] >> shift) << shift))
    free(occurrence)
    free(best)


cdef inline Py_ssize_t _until(const int32_t[::1] positions, Py_ssize_t begin, Py_ssize_t end,
                              int32_t p) noexcept nogil:
    """Returns the first index from `begin` on whose position is at or after p."""
    cdef Py_ssize_t middle
    while begin < end:
        middle = (begin + end) >> 1
        if positions[middle] < p:
            begin = middle + 1
        else:
            end = middle
    return begin
