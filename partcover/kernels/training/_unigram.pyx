# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Unigram: expected counts, best segmentations, and the loss when a piece is removed.

Words and pieces are given as a lattice; see `partcover.trainers.shared.lattice`.  Scores are
finite natural logarithms.  Sums are computed in the order of words and arcs.
"""

from libc.math cimport INFINITY, floor
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

include "../shared/_weights.pxi"
include "_logarithms.pxi"


def take_logarithms(double[::1] values):
    """Replaces values, which are from 2^-1000 to 2^1000, by their natural logarithms."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(values.shape[0]):
            values[i] = _log(values[i])


def exponentials(const double[::1] values, Weight[::1] results):
    """Writes the exponential of each value, which is at most 2^31 from 0."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(values.shape[0]):
            results[i] = _exp(values[i])


def expect(const int64_t[::1] begin, const int32_t[::1] arcs, const int32_t[::1] length,
           const Weight[::1] share, const int64_t[::1] offsets, const int64_t[::1] counts,
           Py_ssize_t first, Py_ssize_t last, double[::1] expected):
    """Adds to `expected`, shape (pieces,), each piece's expected count in words first..last - 1.

    The probability of each piece is its `share`.

    Returns
    -------
    float
        The log-likelihood of the words: Σ count · log(sum over segmentations).
    """
    cdef Py_ssize_t w, i, a, base, size, lowest, e
    cdef Py_ssize_t longest = 1
    cdef Py_ssize_t widest = 1
    cdef double likelihood = 0.0
    cdef double total, passing
    cdef int64_t power
    cdef Weight *rest    # probability of the rest of the word from each node on
    cdef double *flow    # probability that a segmentation visits each node
    cdef double *odds    # probability of each arc among the arcs with the same beginning
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
        widest = max(widest, begin[offsets[w + 1]] - begin[offsets[w]])
    rest = <Weight *> malloc((longest + 1) * sizeof(Weight)
                             + (longest + 1 + widest) * sizeof(double))
    if rest == NULL:
        raise MemoryError
    flow = <double *> (rest + longest + 1)
    odds = flow + longest + 1
    with nogil:
        for w in range(first, last):
            base = offsets[w]
            size = offsets[w + 1] - base
            lowest = begin[base]
            rest[size] = Weight(1, 0)
            flow[size] = 0.0
            for i in range(size - 1, -1, -1):
                flow[i] = 0.0
                power = INT64_MIN
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    power = max(power, share[arcs[a]].power + rest[e].power)
                total = 0.0
                for a in range(begin[base + i], begin[base + i + 1]):
                    e = i + length[arcs[a]]
                    odds[a - lowest] = _shifted(share[arcs[a]].part * rest[e].part,
                                                share[arcs[a]].power + rest[e].power - power)
                    total += odds[a - lowest]
                rest[i] = _normal(total, power)
                for a in range(begin[base + i], begin[base + i + 1]):
                    odds[a - lowest] /= total
            likelihood += counts[w] * (_log(rest[0].part) + rest[0].power * (HIGH + LOW))
            flow[0] = 1.0
            for i in range(size):
                for a in range(begin[base + i], begin[base + i + 1]):
                    passing = flow[i] * odds[a - lowest]
                    flow[i + length[arcs[a]]] += passing
                    expected[arcs[a]] += counts[w] * passing
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
