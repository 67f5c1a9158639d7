# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lists the substrings of the words that may become tokens, by an upper bound on their savings.

The upper bound of a candidate is its weight times (length - 1): no vocabulary saves more tokens by
this candidate.  Candidates are nodes of the suffix tree.  The tree is traversed by means
of the suffix array and the common prefixes of adjacent suffixes (see `_suffix_array`); only the
path to the current node and the requested nodes are kept in memory.
"""

from libc.stdint cimport INT32_MAX, INT64_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc

include "../shared/_numpy.pxi"
include "../shared/_position.pxi"
include "../shared/_prefetch.pxi"

cdef enum:
    N_CLASSES = 488     # classes of upper bounds; the last holds 2^63 - 1
    AHEAD = 16          # how many suffixes ahead memory is prefetched

cpdef enum:
    # a key holds a length in this many low bits, and a place in the suffix array above them
    LENGTH_BITS = 32
    WIDE_LENGTH_BITS = 28   # the same for 64-bit positions


cdef struct Node:
    int64_t lo
    int64_t hi
    int32_t first        # shortest length on the edge into the node
    int32_t last         # longest length that is a candidate
    int64_t weight       # count of the occurrences that count, weighted by the words' counts


cdef struct Open:
    int32_t depth
    int32_t word         # the word that has all occurrences, or -1 if there are several
    int64_t lo
    int64_t weight
    int64_t live         # the weight of the occurrences that count


cdef class Nodes:
    """The nodes of the suffix tree that stand for candidates, from a range of suffixes.

    Attributes
    ----------
    candidates : int
        Number of candidates; a node stands for all lengths on the edge that leads to it.
    occurrences : int
        Number of their occurrences, including overlapping ones and those that do not count.
    longest : int
        Length of the longest candidate.
    total : int
        Number of distinct substrings in the range, including those that are left out.
    """
    cdef readonly int64_t candidates, occurrences, longest, total
    cdef Node *items
    cdef Py_ssize_t size
    cdef Py_ssize_t room
    cdef int32_t cap             # length of the longest candidate allowed
    cdef int64_t min_count       # minimum count of a candidate
    cdef int64_t least           # minimum upper bound of a candidate
    cdef bint is_wide            # whether positions have 64 bits
    cdef int64_t *classes  # receives the number of candidates in each class; NULL to keep the nodes

    def __cinit__(self, Py_ssize_t max_length, int64_t min_count, int64_t least):
        self.cap = <int32_t> min(max_length, INT32_MAX)
        self.min_count, self.least = min_count, least

    def __dealloc__(self):
        free(self.items)

    def intervals(self):
        """Returns the candidates in lexicographic order: their lo, hi, length and weight."""
        cdef Py_ssize_t a
        cdef int length_bits = WIDE_LENGTH_BITS if self.is_wide else LENGTH_BITS
        # order by first position in suffix order, then by length
        key = np.empty(self.size, np.int64)
        cdef int64_t[::1] key_view = key
        for a in range(self.size):
            key_view[a] = self.items[a].lo << length_bits | self.items[a].first
        cdef const int64_t[::1] order = np.argsort(key)
        del key
        position = np.int64 if self.is_wide else np.int32
        lo = np.empty(self.candidates, position)
        hi = np.empty(self.candidates, position)
        lengths = np.empty(self.candidates, np.int32)
        weights = np.empty(self.candidates, np.int64)
        if self.is_wide:
            self.list_nodes[int64_t](order, lo, hi, lengths, weights)
        else:
            self.list_nodes[int32_t](order, lo, hi, lengths, weights)
        return lo, hi, lengths, weights

    cdef int list_nodes(self, const int64_t[::1] order, position_t[::1] lo, position_t[::1] hi,
                        int32_t[::1] lengths, int64_t[::1] weights) except -1:
        cdef Py_ssize_t a, at = 0
        cdef int32_t length
        cdef Node node
        with nogil:
            for a in range(self.size):
                node = self.items[order[a]]
                for length in range(node.first, node.last + 1):
                    lo[at] = <position_t> node.lo
                    hi[at] = <position_t> node.hi
                    lengths[at] = length
                    weights[at] = node.weight
                    at += 1
        return 0

    cdef Py_ssize_t emit(self, const Open *node, int64_t hi, int32_t parent,
                         const uint8_t[::1] whole, bint is_word) except -1 nogil:
        """Adds a node; returns how many substrings it stands for, including dominated ones."""
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
        # divide, since the upper bound, live * (length - 1), may exceed int64
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
        """Counts the lengths first..last by class, not one by one: long words have many."""
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
    """The class of an upper bound; each power of two has eight classes."""
    cdef int64_t promise = INT64_MAX if weight > INT64_MAX // pairs else weight * pairs
    cdef int top = 0
    while promise >> top > 15:
        top += 1
    return 8 * top + <int> (promise >> top)


cdef inline int64_t _floor_of(int number) noexcept nogil:
    return number if number < 16 else (<int64_t> (8 + number % 8)) << (number // 8 - 1)


def class_floor(int number):
    """Returns the smallest upper bound in a class of `promise_classes`."""
    return _floor_of(number)


cdef int _walk(const position_t[::1] sa, const int32_t[::1] lcp, const int32_t[::1] word_of,
               const int64_t[::1] offsets, const int64_t[::1] counts, const uint8_t[::1] whole,
               const uint8_t[::1] blocked, Py_ssize_t begin, Py_ssize_t end,
               Nodes nodes) except -1:
    """Walks the tree of the suffixes from `begin` to before `end`, and adds its nodes to `nodes`.

    Occurrences that begin at a blocked position are not in the weight of a node.  No two symbols
    may begin both a suffix of the range and one outside it.
    """
    cdef Py_ssize_t i = begin
    cdef Py_ssize_t top = 0
    cdef int64_t total = 0
    cdef int32_t here, after, parent, w
    cdef position_t pos
    cdef int64_t live
    cdef bint all_live = blocked.shape[0] == 0
    cdef Open node
    cdef Py_ssize_t room = 64
    cdef Open *stack = <Open *> malloc(room * sizeof(Open))
    cdef Open *moved
    if stack == NULL:
        raise MemoryError
    nodes.is_wide = position_t is int64_t
    try:
        with nogil:
            stack[0] = Open(0, -1, i, 0, 0)
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
                # the leaf: a substring that occurs once
                live = counts[w] if all_live or not blocked[pos] else 0
                parent = max(here, after)
                node = Open(<int32_t> (offsets[w + 1] + w + 1 - pos), w, i, counts[w], live)
                if node.depth > parent:
                    total += nodes.emit(&node, i + 1, parent, whole,
                                        pos == offsets[w] + w + 1)
                # open the inner node that starts here, add the leaf, close the nodes that end here
                if after > stack[top].depth:
                    top += 1
                    if top == room:
                        room *= 2
                        moved = <Open *> realloc(stack, room * sizeof(Open))
                        if moved == NULL:
                            with gil:
                                raise MemoryError
                        stack = moved
                    stack[top] = Open(after, w, i, 0, 0)
                stack[top].weight += counts[w]
                stack[top].live += live
                if stack[top].word != w:
                    stack[top].word = -1
                while after < stack[top].depth:
                    node = stack[top]
                    top -= 1
                    parent = max(after, stack[top].depth)
                    total += nodes.emit(&node, i + 1, parent, whole, False)
                    if after > stack[top].depth:
                        top += 1
                        stack[top] = Open(after, node.word, node.lo, node.weight, node.live)
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
    """Returns where the ranges end when the suffixes from `first` on are split into shards.

    There are between 1 and `n_shards` ranges.  Suffixes that begin with the same two symbols are in
    the same range.
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


def promise_classes(const position_t[::1] sa, const int32_t[::1] lcp,
                    const int32_t[::1] word_of, const int64_t[::1] offsets,
                    const int64_t[::1] counts, const uint8_t[::1] whole, Py_ssize_t max_length,
                    int64_t min_count, blocked, Py_ssize_t begin, Py_ssize_t end):
    """Counts the candidates of a range of suffixes in classes of their upper bounds.

    Returns the number of candidates in each class; `class_floor` gives the smallest upper bound of
    a class.  O(suffixes + nodes) time, and memory only for the path to the deepest node.  The
    arguments are those of `candidate_nodes`.
    """
    cdef Nodes nodes = Nodes(max_length, min_count, 0)
    classes = np.zeros(N_CLASSES, np.int64)
    cdef int64_t[::1] view = classes
    nodes.classes = &view[0]
    cdef const uint8_t[::1] dead = np.zeros(0, np.uint8) if blocked is None else blocked
    _walk(sa, lcp, word_of, offsets, counts, whole, dead, begin, end, nodes)
    nodes.classes = NULL
    return classes


def candidate_nodes(const position_t[::1] sa, const int32_t[::1] lcp,
                    const int32_t[::1] word_of, const int64_t[::1] offsets,
                    const int64_t[::1] counts, const uint8_t[::1] whole, Py_ssize_t max_length,
                    int64_t min_count, blocked, Py_ssize_t begin, Py_ssize_t end, int64_t least=0):
    """Finds all substrings of length 2..max_length with weighted occurrences >= min_count.

    The range of suffixes begins at `begin` and ends before `end`, one of `shard_ends`.  A substring
    that occurs in only one distinct word w is dominated by w if ``whole[w]`` says that w is a
    candidate, and is left out unless it is w itself.  Substrings with an upper bound (see
    `promise_classes`) below `least` are left out, too.  If `blocked` is given, uint8 for each
    position, occurrences that begin at a blocked position count neither for the upper bound nor
    for the returned weight, and a substring that has no others is left out.

    Returns `Nodes`.  O(suffixes) time.
    """
    cdef Nodes nodes = Nodes(max_length, min_count, least)
    cdef const uint8_t[::1] dead = np.zeros(0, np.uint8) if blocked is None else blocked
    _walk(sa, lcp, word_of, offsets, counts, whole, dead, begin, end, nodes)
    return nodes
