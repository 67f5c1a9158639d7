# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorts the suffixes of the words, and finds tokens in the suffix array.

The text is every word followed by the separator 0, with one more separator in front; symbols are
ranks >= 1.  A token that occurs is an interval of the suffix array and a length: the occurrences of
(lo, hi, length) are ``sa[lo:hi]``, so no lists of occurrences are needed.

Positions have 32 bits if all fit, else 64; the type of the suffix array tells which.  Symbols,
words and lengths have 32 bits in both cases.
"""

from libc.stdint cimport UINT8_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

include "../shared/_numpy.pxi"
include "../shared/_position.pxi"
include "../shared/_prefetch.pxi"

cdef enum:
    AHEAD = 16          # how many suffixes ahead memory is prefetched
    BLOCK = 1 << 10     # positions whose LMS suffixes are listed at a time


ctypedef fused rank_t:      # the type of a symbol of the words; bytes stay bytes
    uint8_t
    int32_t


ctypedef fused symbol_t:    # a symbol of the text, or in the recursion the name of an LMS substring
    uint8_t
    int32_t
    int64_t


def lay_out(const rank_t[::1] ranks, const int64_t[::1] offsets, int32_t[::1] text,
            int32_t[::1] word_of):
    """Writes the text of words given as ranks from 0, and the word of each position.

    A separator gets the number of the word after it; the last one, the number of words.
    """
    cdef int32_t word, n_words = <int32_t> offsets.shape[0] - 1
    cdef Py_ssize_t i
    with nogil:
        for word in range(n_words):
            text[offsets[word] + word] = 0
            word_of[offsets[word] + word] = word
            for i in range(offsets[word], offsets[word + 1]):
                text[i + word + 1] = <int32_t> ranks[i] + 1
                word_of[i + word + 1] = word
        text[offsets[n_words] + n_words] = 0
        word_of[offsets[n_words] + n_words] = n_words


cdef int _sais(const symbol_t *s, position_t *sa, position_t n, position_t upper) noexcept nogil:
    """Builds the suffix array by induced sorting (Nong, Zhang and Chan 2009); O(n + upper).

    A suffix is S if it sorts before the next one, else L; the last suffix is L.  It is LMS if it
    is S and the suffix before it is L.  The order of the LMS suffixes determines that of all
    others.  They are sorted by recursion on a text of names, one name for the part of the text
    from each LMS suffix to the next.  During a scan the sign of an entry stores what has to be
    known about a suffix (as in sais-lite by Yuta Mori), and the text of names is stored in `sa`:
    no memory is needed except for the buckets.

    Returns -1 when memory runs out.
    """
    cdef position_t m, names, i
    cdef position_t *names_of
    cdef int status = -1
    if n == 1:
        sa[0] = 0
        return 0
    cdef position_t *counts = <position_t *> calloc(<size_t> upper + 1, sizeof(position_t))
    cdef position_t *bucket = <position_t *> malloc((<size_t> upper + 1) * sizeof(position_t))
    if counts != NULL and bucket != NULL:
        status = 0
        for i in range(n):
            counts[s[i]] += 1
        m = _sort_substrings(s, sa, n, upper, counts, bucket)
        names = _name_substrings(s, sa, n, m)
        names_of = sa + n - m
        if names < m:
            status = _sais(names_of, sa, m, names - 1)
        else:
            for i in range(m):
                sa[names_of[i]] = i
        if status == 0:
            _sort_suffixes(s, sa, n, upper, counts, bucket, m)
    free(counts)
    free(bucket)
    return status


cdef void _begins(const position_t *counts, position_t *bucket, position_t upper) noexcept nogil:
    cdef position_t c, place = 0
    for c in range(upper + 1):
        bucket[c] = place
        place += counts[c]


cdef void _ends(const position_t *counts, position_t *bucket, position_t upper) noexcept nogil:
    cdef position_t c, place = 0
    for c in range(upper + 1):
        place += counts[c]
        bucket[c] = place


cdef position_t _list_lms(const symbol_t *s, position_t begin, position_t end, bint *is_s,
                          position_t *found) noexcept nogil:
    """Writes the LMS suffixes after `begin` up to `end`, descending; returns their number.

    `is_s` is the type of the suffix at `end`, and afterwards of that at `begin`.  The loop also
    writes to the place after the last result, because a branch would often be mispredicted.
    """
    cdef position_t j, m = 0
    cdef bint now, later = is_s[0]
    for j in range(end - 1, begin - 1, -1):
        now = (s[j] < s[j + 1]) | ((s[j] == s[j + 1]) & later)
        found[m] = j + 1
        m += later > now
        later = now
    is_s[0] = later
    return m


cdef inline void _look_ahead(const symbol_t *s, const position_t *sa, const position_t *bucket,
                             position_t later, position_t soon) noexcept nogil:
    """Prefetches the memory for two entries of `sa`: one that is used later, and one soon."""
    cdef position_t v = sa[later]
    prefetch(&s[v if v > 0 else 0])
    if symbol_t is not uint8_t:
        v = sa[soon]
        if v > 0:
            prefetch(&bucket[s[v]])


cdef position_t _sort_substrings(const symbol_t *s, position_t *sa, position_t n,
                                 position_t upper, const position_t *counts,
                                 position_t *bucket) noexcept nogil:
    """Sorts the LMS suffixes by their symbols up to the next LMS suffix.

    Returns their number m; they are then the last m entries of `sa`, and all others are 0.  During
    the scans an entry of `sa` is the suffix before the one that belongs there, or its complement
    ~ if the other scan has to place it.
    """
    cdef position_t i, j, begin, end = n - 1, top = n
    cdef position_t lms[BLOCK + 1]
    cdef symbol_t c
    cdef bint is_s = False
    memset(sa, 0, n * sizeof(position_t))
    _ends(counts, bucket, upper)
    while end > 0:
        begin = max(end - BLOCK, 0)
        for i in range(_list_lms(s, begin, end, &is_s, lms)):
            c = s[lms[i]]
            bucket[c] -= 1
            sa[bucket[c]] = lms[i] - 1
        end = begin
    _begins(counts, bucket, upper)
    c = s[n - 1]
    sa[bucket[c]] = ~(n - 2) if s[n - 2] < c else n - 2
    bucket[c] += 1
    for i in range(n):
        if i + 2 * AHEAD < n:
            _look_ahead(s, sa, bucket, i + 2 * AHEAD, i + AHEAD)
        j = sa[i]
        if j > 0:
            sa[i] = 0
            c = s[j]
            j -= 1
            sa[bucket[c]] = ~j if s[j] < c else j
            bucket[c] += 1
        elif j < 0:
            sa[i] = ~j
    _ends(counts, bucket, upper)
    for i in range(n - 1, -1, -1):
        if i >= 2 * AHEAD:
            _look_ahead(s, sa, bucket, i - 2 * AHEAD, i - AHEAD)
        j = sa[i]
        sa[i] = 0
        if j > 0:
            c = s[j]
            j -= 1
            bucket[c] -= 1
            sa[bucket[c]] = ~(j + 1) if s[j] > c else j
        elif j < 0:
            top -= 1
            sa[top] = ~j
    return n - top


cdef position_t _name_substrings(const symbol_t *s, position_t *sa, position_t n,
                                 position_t m) noexcept nogil:
    """Writes the names of the m LMS substrings, in text order, to the end of `sa`.

    Names count from 0 in the order of the substrings; equal substrings have the same name.
    Returns the number of names.
    """
    cdef position_t i, j, k, length, begin, end = n - 1, next_lms = n
    cdef position_t last = 0, last_length = 0, names = 0
    cdef position_t lms[BLOCK + 1]
    cdef bint is_s = False
    # write lengths, then names; they fit, because two LMS suffixes are never adjacent
    while end > 0:
        begin = max(end - BLOCK, 0)
        for i in range(_list_lms(s, begin, end, &is_s, lms)):
            sa[lms[i] // 2] = next_lms - lms[i]
            next_lms = lms[i]
        end = begin
    for i in range(n - m, n):
        if i + 2 * AHEAD < n:
            prefetch(&sa[sa[i + 2 * AHEAD] // 2])
            prefetch(&s[sa[i + 2 * AHEAD]])
        j = sa[i]
        length = sa[j // 2]
        k = 0
        if length == last_length:
            while k < length and s[j + k] == s[last + k]:
                k += 1
        if k < length:
            names += 1
        sa[j // 2] = names
        last = j
        last_length = length
    j = n
    for i in range(n // 2 - 1, -1, -1):
        sa[j - 1] = sa[i] - 1
        j -= sa[i] > 0
    return names


cdef void _sort_suffixes(const symbol_t *s, position_t *sa, position_t n, position_t upper,
                         const position_t *counts, position_t *bucket,
                         position_t m) noexcept nogil:
    """Sorts all suffixes; the first m entries of `sa` give the order of the LMS suffixes."""
    cdef position_t i, j
    cdef position_t *first = sa + n - 2      # the first LMS suffix in the text
    cdef symbol_t c
    cdef bint is_s = False
    _list_lms(s, <position_t> 0, n - 1, &is_s, sa + n - 1 - m)
    for i in range(m):
        if i + 2 * AHEAD < m:
            prefetch(&first[-sa[i + 2 * AHEAD]])
        sa[i] = first[-sa[i]]
    memset(sa + m, 0, (n - m) * sizeof(position_t))
    _ends(counts, bucket, upper)
    for i in range(m - 1, -1, -1):
        if i >= 2 * AHEAD:
            _look_ahead(s, sa, bucket, i - 2 * AHEAD, i - AHEAD)
        j = sa[i]
        sa[i] = 0
        bucket[s[j]] -= 1
        sa[bucket[s[j]]] = j
    _begins(counts, bucket, upper)
    c = s[n - 1]
    sa[bucket[c]] = ~(n - 1) if s[n - 2] < c else n - 1
    bucket[c] += 1
    for i in range(n):
        if i + 2 * AHEAD < n:
            _look_ahead(s - 1, sa, bucket, i + 2 * AHEAD, i + AHEAD)
        j = sa[i]
        sa[i] = ~j
        if j > 0:
            j -= 1
            c = s[j]
            sa[bucket[c]] = ~j if j and s[j - 1] < c else j
            bucket[c] += 1
    _ends(counts, bucket, upper)
    for i in range(n - 1, -1, -1):
        if i >= 2 * AHEAD:
            _look_ahead(s - 1, sa, bucket, i - 2 * AHEAD, i - AHEAD)
        j = sa[i]
        if j > 0:
            j -= 1
            c = s[j]
            bucket[c] -= 1
            sa[bucket[c]] = j if j and s[j - 1] <= c else ~j
        else:
            sa[i] = ~j


def suffix_array(const int32_t[::1] text, int32_t upper, position_t[::1] sa):
    """Writes the positions of `text` (values 0..upper) in suffix order to `sa`."""
    cdef Py_ssize_t i, n = sa.shape[0]
    cdef uint8_t *narrow = NULL
    cdef int status = 0
    if n == 0:
        return
    with nogil:
        if upper > UINT8_MAX:
            status = _sais(&text[0], &sa[0], <position_t> n, <position_t> upper)
        else:
            # bytes take a quarter of the memory, which is read at random
            narrow = <uint8_t *> malloc(n)
            status = -1
            if narrow != NULL:
                for i in range(n):
                    narrow[i] = <uint8_t> text[i]
                status = _sais(narrow, &sa[0], <position_t> n, <position_t> upper)
                free(narrow)
    if status < 0:
        raise MemoryError


def suffix_ranks(const position_t[::1] sa, position_t[::1] rank, Py_ssize_t begin,
                 Py_ssize_t end):
    """Writes to the start of each suffix from `begin` to before `end` its place in the array."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(begin, end):
            rank[sa[i]] = <position_t> i


def common_prefixes(const int32_t[::1] text, const position_t[::1] sa,
                    const position_t[::1] rank, int32_t[::1] lcp, Py_ssize_t begin,
                    Py_ssize_t end):
    """Writes the length of the common prefix of adjacent suffixes, up to the separator 0.

    ``lcp[i]`` is the length for ``sa[i - 1]`` and ``sa[i]``; ``lcp[0]`` is 0.  It writes the
    lengths of the suffixes that start from `begin` to before `end` (Kasai et al. 2001; their
    argument still holds: a common prefix without a separator loses at most its first symbol).
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
    """Returns the suffix-array interval of each pattern of ranks; -1 marks unknown symbols."""
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
    """-1, 0 or 1: the suffix sorts before the pattern, begins with it, or sorts after it."""
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
    """Returns for each interval the only word of its occurrences (or -1), and their weight."""
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
