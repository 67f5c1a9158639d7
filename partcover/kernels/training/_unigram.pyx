# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Unigram: expected counts, best segmentations, and the loss when a piece is removed.

Words and pieces are given as a lattice; see `partcover.trainers.shared.lattice`.  Scores are
finite natural logarithms.  Sums are computed in the order of words and arcs.
"""

from libc.math cimport INFINITY
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

include "_logarithms.pxi"


def take_logarithms(double[::1] values):
    """Replaces values, which are from 2^-1000 to 2^1000, by their natural logarithms."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(values.shape[0]):
            values[i] = _log(values[i])


def exponentials(const double[::1] score, double[::1] part, int64_t[::1] power):
    """Writes the exponential of each score as part · 2^power; they are at most 10^6 from 0."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(score.shape[0]):
            part[i] = _exp(score[i], &power[i])


def expect(const int64_t[::1] begin, const int32_t[::1] arcs, const int32_t[::1] length,
           const double[::1] part, const int64_t[::1] power, const int64_t[::1] offsets,
           const int64_t[::1] counts, Py_ssize_t first, Py_ssize_t last, double[::1] expected):
    """Adds to `expected`, shape (pieces,), each piece's expected count in words first..last - 1.

    The probability of each piece is part · 2^power, where 1/2 <= part <= 2.

    Returns
    -------
    float
        The log-likelihood of the words: Σ count · log(sum over segmentations).
    """
    cdef Py_ssize_t w, i, a, base, size, lowest, e
    cdef Py_ssize_t longest = 1
    cdef Py_ssize_t widest = 1
    cdef double likelihood = 0.0
    cdef double total, share
    cdef int64_t scale, largest
    # the probability of the rest of the word from each node on is rest · 2^rest_power
    cdef double *rest
    cdef int64_t *rest_power
    cdef double *flow    # probability that a segmentation visits each node
    cdef double *odds    # probability of each arc among the arcs with the same beginning
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
        widest = max(widest, begin[offsets[w + 1]] - begin[offsets[w]])
    rest = <double *> malloc((longest + 1) * (2 * sizeof(double) + sizeof(int64_t))
                             + widest * sizeof(double))
    if rest == NULL:
        raise MemoryError
    rest_power = <int64_t *> (rest + longest + 1)
    flow = <double *> (rest_power + longest + 1)
    odds = flow + longest + 1
    with nogil:
        for w in range(first, last):
            base = offsets[w]
            size = offsets[w + 1] - base
            lowest = begin[base]
            rest[size] = 1.0
            rest_power[size] = 0
            flow[size] = 0.0
            for i in range(size - 1, -1, -1):
                flow[i] = 0.0
                largest = INT64_MIN
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    largest = max(largest, power[arcs[a]] + rest_power[e])
                total = 0.0
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    scale = power[arcs[a]] + rest_power[e] - largest
                    share = part[arcs[a]] * rest[e]
                    odds[a - lowest] = share * _two_to(scale) if scale > -1000 else 0
                    total += odds[a - lowest]
                scale = _exponent(total)
                rest[i] = total * _two_to(-scale)
                rest_power[i] = largest + scale
                for a in range(begin[base + i], begin[base + i + 1]):
                    odds[a - lowest] /= total
            likelihood += counts[w] * (_log(rest[0]) + rest_power[0] * (HIGH + LOW))
            flow[0] = 1.0
            for i in range(size):
                for a in range(begin[base + i], begin[base + i + 1]):
                    share = flow[i] * odds[a - lowest]
                    flow[i + length[arcs[a]]] += share
                    expected[arcs[a]] += counts[w] * share
    free(rest)
    return likelihood


def best(const int64_t[::1] begin, const int32_t[::1] arcs, const int32_t[::1] length,
         const double[::1] score, const int64_t[::1] offsets, const int64_t[::1] counts,
         Py_ssize_t first, Py_ssize_t last, int64_t[::1] uses):
    """Adds to `uses` how often each piece is in the best segmentations of words first..last - 1.

    At each end ties go to the earliest start; sums are computed from left to right.

    Returns
    -------
    float
        The log-likelihood of these segmentations: Σ count · score.
    """
    cdef Py_ssize_t w, i, a, base, size, e
    cdef Py_ssize_t longest = 1
    cdef double likelihood = 0.0
    cdef double value
    cdef double *ahead
    cdef int32_t *token
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
    ahead = <double *> malloc((longest + 1) * (sizeof(double) + sizeof(int32_t)))
    if ahead == NULL:
        raise MemoryError
    token = <int32_t *> (ahead + longest + 1)
    with nogil:
        for w in range(first, last):
            base = offsets[w]
            size = offsets[w + 1] - base
            for i in range(1, size + 1):
                ahead[i] = -INFINITY
            ahead[0] = 0.0
            for i in range(size):
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    value = ahead[i] + score[arcs[a]]
                    if value > ahead[e]:
                        ahead[e] = value
                        token[e] = arcs[a]
            likelihood += counts[w] * ahead[size]
            i = size
            while i:
                uses[token[i]] += counts[w]
                i -= length[token[i]]
    free(ahead)
    return likelihood


def losses(const int64_t[::1] begin, const int32_t[::1] arcs, const int32_t[::1] length,
           const double[::1] score, const int64_t[::1] place, const int64_t[::1] uses,
           Py_ssize_t singles, double[::1] loss):
    """Estimates the loss in log-likelihood of the best segmentations without each piece.

    The estimate assumes that a piece's best segmentation into other pieces replaces it everywhere,
    and that the probability of a piece is its share of all uses.  The loss is −1e300 if that
    segmentation has a higher score than the piece, −infinity if the piece is not used, and infinity
    for single symbols.

    Parameters
    ----------
    place : ndarray of int64, shape (pieces,)
        The position of one occurrence of each piece, or −1.
    uses : ndarray of int64, shape (pieces,)
        From `best`.
    singles : int
        The number of single symbols, which are the first pieces.
    """
    cdef Py_ssize_t p, i, a, e, n, parts
    cdef Py_ssize_t longest = 1
    cdef int64_t total = 0
    cdef double value, without, more
    cdef double *ahead
    cdef int32_t *token
    for p in range(length.shape[0]):
        longest = max(longest, length[p])
        total += uses[p]
    ahead = <double *> malloc((longest + 1) * (sizeof(double) + sizeof(int32_t)))
    if ahead == NULL:
        raise MemoryError
    token = <int32_t *> (ahead + longest + 1)
    with nogil:
        for p in range(length.shape[0]):
            if p < singles:
                loss[p] = INFINITY
                continue
            if uses[p] == 0:
                loss[p] = -INFINITY
                continue
            n = length[p]
            for i in range(1, n + 1):
                ahead[i] = -INFINITY
            ahead[0] = 0.0
            for i in range(n):
                for a in range(begin[place[p] + i], begin[place[p] + i + 1]):
                    e = i + length[arcs[a]]
                    value = ahead[i] + score[arcs[a]]
                    if e <= n and arcs[a] != p and value > ahead[e]:
                        ahead[e] = value
                        token[e] = arcs[a]
            if ahead[n] > score[p]:
                loss[p] = -1e300
                continue
            parts = 0
            i = n
            while i:
                parts += 1
                i -= length[token[i]]
            more = _log(<double> (total + uses[p] * (parts - 1)))
            without = 0.0
            i = n
            while i:
                without += _log(<double> (uses[token[i]] + uses[p])) - more
                i -= length[token[i]]
            loss[p] = uses[p] * (_log(<double> uses[p]) - _log(<double> total) - without)
    free(ahead)
