# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Suffix order of the words, and the substrings that come out of it.

The text is every word followed by the separator 0, with one separator in front; symbols are
ranks >= 1.  A substring with two or more occurrences is an interval of the suffix array and a
length, so no occurrence lists are ever built: the occurrences of candidate (lo, hi, length)
are ``sa[lo:hi]``.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc


cdef int _sais(const int32_t *s, int32_t *sa, int32_t n, int32_t upper) noexcept nogil:
    """Suffix array by induced sorting (Nong, Zhang and Chan 2009); O(n + upper).

    Follows the recursive scheme of the AtCoder Library (public domain, CC0).  Returns -1 when
    memory runs out.
    """
    cdef int32_t i, j, v, m, name, left, right, end_l, end_r
    cdef bint same
    if n == 0:
        return 0
    if n == 1:
        sa[0] = 0
        return 0
    cdef char *ls = <char *> calloc(n, 1)
    cdef int32_t *sum_l = <int32_t *> calloc(<size_t> upper + 2, sizeof(int32_t))
    cdef int32_t *sum_s = <int32_t *> calloc(<size_t> upper + 2, sizeof(int32_t))
    cdef int32_t *buf = <int32_t *> malloc((<size_t> upper + 2) * sizeof(int32_t))
    cdef int32_t *lms_map = <int32_t *> malloc((<size_t> n + 1) * sizeof(int32_t))
    cdef int32_t *lms = NULL
    cdef int32_t *rec_s = NULL
    cdef int32_t *rec_sa = NULL
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
    for i in range(n + 1):
        lms_map[i] = -1
    for i in range(1, n):
        if not ls[i - 1] and ls[i]:
            lms_map[i] = m
            m += 1
    lms = <int32_t *> malloc((<size_t> m + 1) * sizeof(int32_t))
    rec_s = <int32_t *> malloc((<size_t> m + 1) * sizeof(int32_t))
    rec_sa = <int32_t *> malloc((<size_t> m + 1) * sizeof(int32_t))
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
                if lms_map[v] != -1:
                    rec_sa[j] = v      # the sorted LMS positions, for now
                    j += 1
            name = 0
            rec_s[lms_map[rec_sa[0]]] = 0
            for i in range(1, m):
                left = rec_sa[i - 1]
                right = rec_sa[i]
                end_l = lms[lms_map[left] + 1] if lms_map[left] + 1 < m else n
                end_r = lms[lms_map[right] + 1] if lms_map[right] + 1 < m else n
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
                rec_s[lms_map[rec_sa[i]]] = name
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


cdef void _induce(const int32_t *s, int32_t *sa, int32_t n, int32_t upper, const char *ls,
                  const int32_t *sum_l, const int32_t *sum_s, int32_t *buf,
                  const int32_t *lms, int32_t m) noexcept nogil:
    cdef int32_t i, v, d
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


def suffix_array(const int32_t[::1] text, int32_t upper):
    """Positions of `text` (values 0..upper) in suffix order."""
    cdef int32_t n = <int32_t> text.shape[0]
    sa = np.empty(n, np.int32)
    cdef int32_t[::1] view = sa
    cdef int status = 0
    if n:
        with nogil:
            status = _sais(&text[0], &view[0], n, upper)
    if status < 0:
        raise MemoryError
    return sa


def common_prefixes(const int32_t[::1] text, const int32_t[::1] sa):
    """Length of the common prefix of neighbours in suffix order, cut at the separator 0.

    ``lcp[i]`` is between ``sa[i - 1]`` and ``sa[i]``; ``lcp[0]`` is 0.  (Kasai et al. 2001;
    the cut keeps the argument: a common part without a separator loses at most its first
    symbol.)
    """
    cdef int32_t n = <int32_t> sa.shape[0]
    lcp = np.zeros(n, np.int32)
    rank = np.empty(n, np.int32)
    cdef int32_t[::1] out = lcp
    cdef int32_t[::1] where = rank
    cdef int32_t i, j, h = 0
    with nogil:
        for i in range(n):
            where[sa[i]] = i
        for i in range(n):
            if where[i] == 0:
                h = 0
                continue
            j = sa[where[i] - 1]
            while i + h < n and j + h < n and text[i + h] == text[j + h] and text[i + h] != 0:
                h += 1
            out[where[i]] = h
            if h:
                h -= 1
    return lcp
