# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorts the suffixes of the words, and lists their substrings.

The text is every word followed by the separator 0, with one separator in front; symbols are
ranks >= 1.  A substring with two or more occurrences is an interval of the suffix array and a
length, so no occurrence lists are ever built: the occurrences of candidate (lo, hi, length)
are ``sa[lo:hi]``.
"""

import numpy as np

from libc.stdint cimport INT32_MAX, INT64_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, realloc

include "_prefetch.pxi"

cdef enum:
    N_CLASSES = 488     # of promises; the last is that of 2^63 - 1
    AHEAD = 16          # suffixes, of which what is read next is prefetched


cdef int _sais(const int32_t *s, int32_t *sa, int32_t n, int32_t upper) noexcept nogil:
    """Builds the suffix array by induced sorting (Nong, Zhang and Chan 2009); O(n + upper).

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
    # of an LMS position, at its half: two are never neighbours
    cdef int32_t *lms_map = <int32_t *> malloc((<size_t> n // 2 + 1) * sizeof(int32_t))
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
    for i in range(1, n):
        if not ls[i - 1] and ls[i]:
            lms_map[i // 2] = m
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
    """Returns the positions of `text` (values 0..upper) in suffix order."""
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


def suffix_ranks(const int32_t[::1] sa, int32_t[::1] rank, Py_ssize_t begin, Py_ssize_t end):
    """Writes the places of the suffixes from `begin` on, before `end`, to where they start."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(begin, end):
            rank[sa[i]] = <int32_t> i


def common_prefixes(const int32_t[::1] text, const int32_t[::1] sa, const int32_t[::1] rank,
                    int32_t[::1] lcp, Py_ssize_t begin, Py_ssize_t end):
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


cdef struct Node:
    int32_t lo
    int32_t hi
    int32_t first        # shortest length on the edge into the node
    int32_t last         # longest length that is a candidate
    int64_t weight       # occurrences that may count, weighted by word counts


cdef struct Open:
    int32_t depth
    int32_t lo
    int32_t word         # the one word all occurrences are in, or -1
    int64_t weight
    int64_t live         # the weight of the occurrences that may count


cdef class Nodes:
    """The nodes of the tree of suffixes that stand for candidates, from a range of suffixes.

    Attributes
    ----------
    candidates : int
        Their number; a node stands for all lengths on the edge into it.
    occurrences : int
        How often they occur, overlapping ones and those that do not count included.
    longest : int
        The length of the longest.
    total : int
        The number of distinct substrings in the range, those that are left out included.
    """
    cdef readonly int64_t candidates, occurrences, longest, total
    cdef Node *items
    cdef Py_ssize_t size
    cdef Py_ssize_t room
    cdef int32_t cap             # the longest candidate
    cdef int64_t min_count       # the fewest occurrences of one
    cdef int64_t least           # the least promise of one
    cdef int64_t *classes        # receives the candidates of each class; NULL to keep the nodes

    def __cinit__(self, Py_ssize_t max_length, int64_t min_count, int64_t least):
        self.cap = <int32_t> min(max_length, INT32_MAX)
        self.min_count, self.least = min_count, least

    def __dealloc__(self):
        free(self.items)

    def intervals(self):
        """Returns the candidates in lexicographic order: their lo, hi, length and weight."""
        cdef Py_ssize_t a, at = 0
        cdef int32_t length
        cdef Node node
        # by first position in suffix order, shorter substrings first
        key = np.empty(self.size, np.int64)
        cdef int64_t[::1] key_view = key
        for a in range(self.size):
            key_view[a] = <int64_t> self.items[a].lo << 32 | self.items[a].first
        cdef const int64_t[::1] order = np.argsort(key)
        del key
        lo = np.empty(self.candidates, np.int32)
        hi = np.empty(self.candidates, np.int32)
        lengths = np.empty(self.candidates, np.int32)
        weights = np.empty(self.candidates, np.int64)
        cdef int32_t[::1] lo_view = lo
        cdef int32_t[::1] hi_view = hi
        cdef int32_t[::1] length_view = lengths
        cdef int64_t[::1] weight_view = weights
        with nogil:
            for a in range(self.size):
                node = self.items[order[a]]
                for length in range(node.first, node.last + 1):
                    lo_view[at] = node.lo
                    hi_view[at] = node.hi
                    length_view[at] = length
                    weight_view[at] = node.weight
                    at += 1
        return lo, hi, lengths, weights

    cdef Py_ssize_t emit(self, const Open *node, int32_t hi, int32_t parent,
                         const uint8_t[::1] whole, bint is_word) except -1 nogil:
        """Takes a node in; returns how many substrings it stands for, dominated ones included."""
        cdef int32_t first = max(parent, 1) + 1
        cdef int32_t last = min(node.depth, self.cap)
        cdef int64_t pairs
        cdef Py_ssize_t n_lengths = last - first + 1
        if n_lengths <= 0 or node.weight < self.min_count:
            return 0
        if node.word >= 0 and whole[node.word]:
            if not is_word:
                return n_lengths
            first = last
        if node.live == 0:
            return n_lengths
        # by a division: the promise, live weight times (length - 1), may pass int64
        if self.least > 0:
            pairs = (self.least - 1) // node.live + 1
            if pairs >= last:
                return n_lengths
            first = max(first, <int32_t> pairs + 1)
        if self.classes != NULL:
            self.classify(node.live, first, last)
        else:
            self.push(Node(node.lo, hi, first, last, node.live))
        return n_lengths

    cdef void classify(self, int64_t weight, int64_t first, int64_t last) noexcept nogil:
        """Counts the lengths first..last by their classes: of long words there are many."""
        cdef int64_t end
        cdef int number
        while first <= last:
            number = _class_of(weight, first - 1)
            end = last
            if number < N_CLASSES - 1:
                end = min(end, (_floor_of(number + 1) - 1) // weight + 1)
            self.classes[number] += end - first + 1
            first = end + 1

    cdef int push(self, Node node) except -1 nogil:
        cdef Node *moved
        if self.size == self.room:
            self.room = 1024 if self.room == 0 else self.room * 2
            moved = <Node *> realloc(self.items, self.room * sizeof(Node))
            if moved == NULL:
                with gil:
                    raise MemoryError
            self.items = moved
        self.items[self.size] = node
        self.size += 1
        self.candidates += node.last - node.first + 1
        self.longest = max(self.longest, node.last)
        self.occurrences += <int64_t> (node.last - node.first + 1) * (node.hi - node.lo)
        return 0


cdef inline int _class_of(int64_t weight, int64_t pairs) noexcept nogil:
    """The class of a promise: eight for each power of two."""
    cdef int64_t promise = INT64_MAX if weight > INT64_MAX // pairs else weight * pairs
    cdef int top = 0
    while promise >> top > 15:
        top += 1
    return 8 * top + <int> (promise >> top)


cdef inline int64_t _floor_of(int number) noexcept nogil:
    return number if number < 16 else (<int64_t> (8 + number % 8)) << (number // 8 - 1)


def class_floor(int number):
    """Returns the least promise of a class that `promise_classes` counts."""
    return _floor_of(number)


cdef int _walk(const int32_t[::1] sa, const int32_t[::1] lcp, const int32_t[::1] word_of,
               const int64_t[::1] offsets, const int64_t[::1] counts, const uint8_t[::1] whole,
               const uint8_t[::1] blocked, Py_ssize_t begin, Py_ssize_t end,
               Nodes nodes) except -1:
    """Walks the tree of the suffixes from `begin` on, before `end`, and gives its nodes to `nodes`.

    Occurrences that begin at a position that is blocked do not count, if any is: their weight is
    not in that of a node.  No two symbols begin a suffix of the range and one outside it.
    """
    cdef Py_ssize_t i = begin
    cdef Py_ssize_t top = 0
    cdef int64_t total = 0
    cdef int32_t here, after, parent, pos, w
    cdef int64_t live
    cdef bint all_live = blocked.shape[0] == 0
    cdef Open node
    cdef Py_ssize_t room = 64
    cdef Open *stack = <Open *> malloc(room * sizeof(Open))
    cdef Open *moved
    if stack == NULL:
        raise MemoryError
    try:
        with nogil:
            stack[0] = Open(0, <int32_t> i, -1, 0, 0)
            while i < end:
                if i + 2 * AHEAD < end:
                    pos = sa[i + 2 * AHEAD]
                    prefetch(&word_of[pos])
                    if not all_live:
                        prefetch(&blocked[pos])
                    w = word_of[sa[i + AHEAD]]
                    prefetch(&offsets[w])
                    prefetch(&counts[w])
                pos = sa[i]
                w = word_of[pos]
                here = lcp[i] if i > begin else 0
                after = lcp[i + 1] if i + 1 < end else 0
                # the leaf: occurs once
                live = counts[w] if all_live or not blocked[pos] else 0
                parent = max(here, after)
                node = Open(<int32_t> (offsets[w + 1] + w + 1) - pos, <int32_t> i, w, counts[w],
                            live)
                if node.depth > parent:
                    total += nodes.emit(&node, <int32_t> (i + 1), parent, whole,
                                        pos == offsets[w] + w + 1)
                # open the inner node that starts here, add the leaf, close what ends here
                if after > stack[top].depth:
                    top += 1
                    if top == room:
                        room *= 2
                        moved = <Open *> realloc(stack, room * sizeof(Open))
                        if moved == NULL:
                            with gil:
                                raise MemoryError
                        stack = moved
                    stack[top] = Open(after, <int32_t> i, w, 0, 0)
                stack[top].weight += counts[w]
                stack[top].live += live
                if stack[top].word != w:
                    stack[top].word = -1
                while after < stack[top].depth:
                    node = stack[top]
                    top -= 1
                    parent = max(after, stack[top].depth)
                    total += nodes.emit(&node, <int32_t> (i + 1), parent, whole, False)
                    if after > stack[top].depth:
                        top += 1
                        stack[top] = Open(after, node.lo, node.word, node.weight, node.live)
                        break
                    stack[top].weight += node.weight
                    stack[top].live += node.live
                    if stack[top].word != node.word:
                        stack[top].word = -1
                i += 1
    finally:
        free(stack)
    nodes.total = total
    return 0


def shard_ends(const int32_t[::1] lcp, Py_ssize_t first, Py_ssize_t n_shards):
    """Returns where at most `n_shards` ranges of the suffixes from `first` on end, one at least.

    Suffixes that begin with the same two symbols are in the same range.
    """
    cdef Py_ssize_t n = lcp.shape[0]
    cdef Py_ssize_t s, end
    ends = []
    for s in range(1, n_shards + 1):
        end = max(first + (n - first) * s // n_shards, ends[len(ends) - 1] if ends else first)
        with nogil:
            while end < n and lcp[end] > 1:
                end += 1
        if end > (ends[len(ends) - 1] if ends else first):
            ends.append(end)
    return ends or [n]


def promise_classes(const int32_t[::1] sa, const int32_t[::1] lcp, const int32_t[::1] word_of,
                    const int64_t[::1] offsets, const int64_t[::1] counts,
                    const uint8_t[::1] whole, Py_ssize_t max_length, int64_t min_count, blocked,
                    Py_ssize_t begin, Py_ssize_t end):
    """Counts the candidates of a range of suffixes by classes of promise.

    The promise of a candidate is its weight times (length - 1): no vocabulary saves more by it.
    Returns the candidates of each class, whose least promise is `class_floor` of its number.
    O(suffixes + nodes) time, and memory for the deepest node alone.  Arguments as for
    `candidate_nodes`.
    """
    cdef Nodes nodes = Nodes(max_length, min_count, 0)
    classes = np.zeros(N_CLASSES, np.int64)
    cdef int64_t[::1] view = classes
    nodes.classes = &view[0]
    blocked = np.zeros(0, np.uint8) if blocked is None else blocked
    _walk(sa, lcp, word_of, offsets, counts, whole, blocked, begin, end, nodes)
    nodes.classes = NULL
    return classes


def candidate_nodes(const int32_t[::1] sa, const int32_t[::1] lcp, const int32_t[::1] word_of,
                    const int64_t[::1] offsets, const int64_t[::1] counts,
                    const uint8_t[::1] whole, Py_ssize_t max_length, int64_t min_count, blocked,
                    Py_ssize_t begin, Py_ssize_t end, int64_t least=0):
    """Finds all substrings of length 2..max_length with weighted occurrences >= min_count.

    They are those of a range of suffixes, from `begin` on and before `end`, one of `shard_ends`.
    A substring of only one distinct word w is dominated, and left out, if ``whole[w]`` says that
    w itself is a candidate, unless it is w.  So are those of a promise (see `promise_classes`)
    less than `least`.  Where `blocked`, uint8 for each position, is given, occurrences that begin
    at a blocked position are in neither the promise nor the weight that is returned, and what has
    no others is left out.

    Returns their `Nodes`.  O(suffixes) time.
    """
    cdef Nodes nodes = Nodes(max_length, min_count, least)
    blocked = np.zeros(0, np.uint8) if blocked is None else blocked
    _walk(sa, lcp, word_of, offsets, counts, whole, blocked, begin, end, nodes)
    return nodes


def find(const int32_t[::1] text, const int32_t[::1] sa,
         const int32_t[::1] patterns, const int64_t[::1] offsets):
    """Returns the suffix-array interval of each pattern, given as ranks, -1 for unknown symbols."""
    cdef Py_ssize_t n_patterns = offsets.shape[0] - 1
    cdef Py_ssize_t p, left, right, mid
    cdef int side
    lo = np.zeros(n_patterns, np.int32)
    hi = np.zeros(n_patterns, np.int32)
    cdef int32_t[::1] lo_view = lo
    cdef int32_t[::1] hi_view = hi
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
                    lo_view[p] = <int32_t> left
                else:
                    hi_view[p] = <int32_t> left
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


def interval_words(const int32_t[::1] sa, const int32_t[::1] word_of, const int64_t[::1] counts,
                   const int32_t[::1] lo, const int32_t[::1] hi):
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
