# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorts the suffixes of the words, and finds tokens among them.

The text is every word followed by the separator 0, with one separator in front; symbols are
ranks >= 1.  A token that occurs is an interval of the suffix array and a length, so no occurrence
lists are ever built: the occurrences of (lo, hi, length) are ``sa[lo:hi]``.

Positions have 32 bits where all fit, else 64: the type of the suffix array says which.  Symbols,
words and lengths have 32 bits in both.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc

include "_position.pxi"
include "_prefetch.pxi"

cdef enum:
    AHEAD = 16          # suffixes, of which what is read next is prefetched


ctypedef fused symbol_t:    # of the text, or in the recursion a place of its own suffix array
    int32_t
    int64_t


cdef int _sais(const symbol_t *s, position_t *sa, position_t n,
               position_t upper) noexcept nogil:
    """Builds the suffix array by induced sorting (Nong, Zhang and Chan 2009); O(n + upper).

    Follows the recursive scheme of the AtCoder Library (public domain, CC0).  Returns -1 when
    memory runs out.
    """
    cdef position_t i, j, v, m, name, left, right, end_l, end_r
    cdef bint same
    if n == 0:
        return 0
    if n == 1:
        sa[0] = 0
        return 0
    cdef char *ls = <char *> calloc(n, 1)
    cdef position_t *sum_l = <position_t *> calloc(<size_t> upper + 2, sizeof(position_t))
    cdef position_t *sum_s = <position_t *> calloc(<size_t> upper + 2, sizeof(position_t))
    cdef position_t *buf = <position_t *> malloc((<size_t> upper + 2) * sizeof(position_t))
    # of an LMS position, at its half: two are never neighbours
    cdef position_t *lms_map = <position_t *> malloc((<size_t> n // 2 + 1) * sizeof(position_t))
    cdef position_t *lms = NULL
    cdef position_t *rec_s = NULL
    cdef position_t *rec_sa = NULL
    cdef int status = -1
    if ls == NULL or sum_l == NULL or sum_s == NULL or buf == NULL or lms_map == NULL:
        free(ls)
        free(sum_l)
        free(sum_s)
        free(buf)
        free(lms_map)
        return -1
    for i in range(n - 2, -1, -1):
        ls[i] = ls[i + 1] if s[i] == s[i + 1] else s[i] < s[i + 1]
    for i in range(n):
        if not ls[i]:
            sum_s[s[i]] += 1
        elif s[i] < upper:
            sum_l[s[i] + 1] += 1
    for i in range(upper + 1):
        sum_s[i] += sum_l[i]
        if i < upper:
            sum_l[i + 1] += sum_s[i]
    m = 0
    for i in range(1, n):
        if not ls[i - 1] and ls[i]:
            lms_map[i // 2] = m
            m += 1
    lms = <position_t *> malloc((<size_t> m + 1) * sizeof(position_t))
    rec_s = <position_t *> malloc((<size_t> m + 1) * sizeof(position_t))
    rec_sa = <position_t *> malloc((<size_t> m + 1) * sizeof(position_t))
    if lms != NULL and rec_s != NULL and rec_sa != NULL:
        status = 0
        j = 0
        for i in range(1, n):
            if not ls[i - 1] and ls[i]:
                lms[j] = i
                j += 1
        _induce(s, sa, n, upper, ls, sum_l, sum_s, buf, lms, m)
        if m:
            j = 0
            for i in range(n):
                v = sa[i]
                if v and not ls[v - 1] and ls[v]:
                    rec_sa[j] = v      # the sorted LMS positions, for now
                    j += 1
            name = 0
            rec_s[lms_map[rec_sa[0] // 2]] = 0
            for i in range(1, m):
                left = rec_sa[i - 1]
                right = rec_sa[i]
                j = lms_map[left // 2] + 1
                end_l = lms[j] if j < m else n
                j = lms_map[right // 2] + 1
                end_r = lms[j] if j < m else n
                same = True
                if end_l - left != end_r - right:
                    same = False
                else:
                    while left < end_l:
                        if s[left] != s[right]:
                            break
                        left += 1
                        right += 1
                    if left == n or s[left] != s[right]:
                        same = False
                if not same:
                    name += 1
                rec_s[lms_map[rec_sa[i] // 2]] = name
            if name + 1 < m:
                status = _sais(rec_s, rec_sa, m, name)
            else:
                for i in range(m):
                    rec_sa[rec_s[i]] = i
            if status == 0:
                for i in range(m):
                    rec_s[i] = lms[rec_sa[i]]
                _induce(s, sa, n, upper, ls, sum_l, sum_s, buf, rec_s, m)
    free(ls)
    free(sum_l)
    free(sum_s)
    free(buf)
    free(lms_map)
    free(lms)
    free(rec_s)
    free(rec_sa)
    return status


cdef void _induce(const symbol_t *s, position_t *sa, position_t n, position_t upper,
                  const char *ls, const position_t *sum_l, const position_t *sum_s,
                  position_t *buf, const position_t *lms, position_t m) noexcept nogil:
    cdef position_t i, v, d
    for i in range(n):
        sa[i] = -1
    for i in range(upper + 1):
        buf[i] = sum_s[i]
    for i in range(m):
        d = lms[i]
        if d == n:
            continue
        sa[buf[s[d]]] = d
        buf[s[d]] += 1
    for i in range(upper + 1):
        buf[i] = sum_l[i]
    sa[buf[s[n - 1]]] = n - 1
    buf[s[n - 1]] += 1
    for i in range(n):
        v = sa[i]
        if v >= 1 and not ls[v - 1]:
            sa[buf[s[v - 1]]] = v - 1
            buf[s[v - 1]] += 1
    for i in range(upper + 1):
        buf[i] = sum_l[i]
    for i in range(n - 1, -1, -1):
        v = sa[i]
        if v >= 1 and ls[v - 1]:
            buf[s[v - 1] + 1] -= 1
            sa[buf[s[v - 1] + 1]] = v - 1


def suffix_array(const int32_t[::1] text, int32_t upper, position_t[::1] sa):
    """Writes the positions of `text` (values 0..upper) in suffix order to `sa`."""
    cdef int status = 0
    if sa.shape[0]:
        with nogil:
            status = _sais(&text[0], &sa[0], <position_t> sa.shape[0], <position_t> upper)
    if status < 0:
        raise MemoryError


def suffix_ranks(const position_t[::1] sa, position_t[::1] rank, Py_ssize_t begin,
                 Py_ssize_t end):
    """Writes the places of the suffixes from `begin` on, before `end`, to where they start."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(begin, end):
            rank[sa[i]] = <position_t> i


def common_prefixes(const int32_t[::1] text, const position_t[::1] sa,
                    const position_t[::1] rank, int32_t[::1] lcp, Py_ssize_t begin,
                    Py_ssize_t end):
    """Writes the length of the common prefix of neighbouring suffixes, up to the separator 0.

    ``lcp[i]`` is between ``sa[i - 1]`` and ``sa[i]``; ``lcp[0]`` is 0.  Those of the suffixes that
    start at `begin` or later, before `end`, are written.  (Kasai et al. 2001; their argument still
    holds: a common prefix without a separator loses at most its first symbol.)
    """
    cdef Py_ssize_t n = sa.shape[0]
    cdef Py_ssize_t i, j
    cdef int32_t h = 0
    with nogil:
        for i in range(begin, end):
            if i + 2 * AHEAD < end:
                prefetch(&sa[max(rank[i + 2 * AHEAD], 1) - 1])
                prefetch(&text[sa[max(rank[i + AHEAD], 1) - 1]])
                prefetch(&lcp[rank[i + AHEAD]])
            if rank[i] == 0:
                h = 0
                lcp[0] = 0
                continue
            j = sa[rank[i] - 1]
            while i + h < n and j + h < n and text[i + h] == text[j + h] and text[i + h] != 0:
                h += 1
            lcp[rank[i]] = h
            if h:
                h -= 1


def find(const int32_t[::1] text, const position_t[::1] sa,
         const int32_t[::1] patterns, const int64_t[::1] offsets):
    """Returns the suffix-array interval of each pattern, given as ranks, -1 for unknown symbols."""
    cdef Py_ssize_t n_patterns = offsets.shape[0] - 1
    cdef Py_ssize_t p, left, right, mid
    cdef int side
    position = np.int32 if position_t is int32_t else np.int64
    lo = np.zeros(n_patterns, position)
    hi = np.zeros(n_patterns, position)
    cdef position_t[::1] lo_view = lo
    cdef position_t[::1] hi_view = hi
    with nogil:
        for p in range(n_patterns):
            for side in range(2):
                left = 0
                right = sa.shape[0]
                while left < right:
                    mid = (left + right) // 2
                    if _compare(text, sa[mid], patterns, offsets[p], offsets[p + 1]) < side:
                        left = mid + 1
                    else:
                        right = mid
                if side == 0:
                    lo_view[p] = <position_t> left
                else:
                    hi_view[p] = <position_t> left
    return lo, hi


cdef int _compare(const int32_t[::1] text, Py_ssize_t pos, const int32_t[::1] patterns,
                  int64_t start, int64_t end) noexcept nogil:
    """-1, 0 or 1: the suffix sorts before, begins with, or sorts after the pattern."""
    cdef int64_t j
    for j in range(start, end):
        if pos + j - start >= text.shape[0] or text[pos + j - start] < patterns[j]:
            return -1
        if text[pos + j - start] > patterns[j]:
            return 1
    return 0


def interval_words(const position_t[::1] sa, const int32_t[::1] word_of,
                   const int64_t[::1] counts, const position_t[::1] lo,
                   const position_t[::1] hi):
    """Returns, for each interval, the only word of its occurrences (or -1) and their weight."""
    cdef Py_ssize_t n_intervals = lo.shape[0]
    cdef Py_ssize_t p, i
    cdef int32_t w
    words = np.full(n_intervals, -1, np.int32)
    weights = np.zeros(n_intervals, np.int64)
    cdef int32_t[::1] word_view = words
    cdef int64_t[::1] weight_view = weights
    with nogil:
        for p in range(n_intervals):
            for i in range(lo[p], hi[p]):
                w = word_of[sa[i]]
                weight_view[p] += counts[w]
                if i == lo[p]:
                    word_view[p] = w
                elif word_view[p] != w:
                    word_view[p] = -1
    return words, weights
