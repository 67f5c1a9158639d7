# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Segmentation of words over a fixed vocabulary, by a trie of its tokens."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, qsort, realloc


# what stands in the output at a symbol that ends no token, and at a symbol that is its own token
INSIDE = -2
SINGLE = -1

ctypedef fused Symbol:
    uint8_t
    int32_t


cdef struct Place:
    int32_t rank
    int32_t start
    int32_t end


cdef int _by_priority(const void *a, const void *b) noexcept nogil:
    cdef const Place *x = <const Place *> a
    cdef const Place *y = <const Place *> b
    if x.rank != y.rank:
        return (x.rank > y.rank) - (x.rank < y.rank)
    return (x.start > y.start) - (x.start < y.start)


cdef class Segmenter:
    """Tokens in a trie: an open-addressing table from (node, symbol) to node.

    Parameters
    ----------
    tokens : ndarray of int32
        Symbols (>= 0) of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """
    cdef int64_t[::1] keys       # node << 32 | symbol, or -1
    cdef int32_t[::1] children
    cdef int32_t[::1] token_at   # the token that ends at a node, or -1
    cdef uint64_t mask
    cdef readonly Py_ssize_t longest

    def __init__(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        cdef Py_ssize_t room = 16
        cdef Py_ssize_t t, i
        cdef int32_t node, child
        cdef int32_t nodes = 1
        while room < 2 * tokens.shape[0]:
            room *= 2
        self.mask = room - 1
        self.keys = np.full(room, -1, np.int64)
        self.children = np.zeros(room, np.int32)
        self.token_at = np.full(tokens.shape[0] + 1, -1, np.int32)
        self.longest = 1
        for t in range(offsets.shape[0] - 1):
            node = 0
            self.longest = max(self.longest, offsets[t + 1] - offsets[t])
            for i in range(offsets[t], offsets[t + 1]):
                child = self._child(node, tokens[i])
                if child < 0:
                    child = nodes
                    nodes += 1
                    self._add(node, tokens[i], child)
                node = child
            self.token_at[node] = <int32_t> t

    cdef uint64_t _slot(self, int64_t key) noexcept nogil:
        return ((<uint64_t> key * <uint64_t> 0x9E3779B97F4A7C15) >> 20) & self.mask

    cdef int32_t _child(self, int32_t node, int32_t symbol) noexcept nogil:
        cdef int64_t key = <int64_t> node << 32 | symbol
        cdef uint64_t slot = self._slot(key)
        while self.keys[slot] != -1:
            if self.keys[slot] == key:
                return self.children[slot]
            slot = (slot + 1) & self.mask
        return -1

    cdef void _add(self, int32_t node, int32_t symbol, int32_t child) noexcept nogil:
        cdef int64_t key = <int64_t> node << 32 | symbol
        cdef uint64_t slot = self._slot(key)
        while self.keys[slot] != -1:
            slot = (slot + 1) & self.mask
        self.keys[slot] = key
        self.children[slot] = child

    def shortest_path(self, const Symbol[::1] data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which):
        """Fewest tokens for words first..last - 1; at each end the earliest start wins a tie.

        Writes to `which`, at the last symbol of each token, its index, or SINGLE for a symbol
        of its own, and INSIDE elsewhere.  O(symbols · longest token) time, O(longest word)
        memory.
        """
        cdef Py_ssize_t w, i, j, size, begin
        cdef Py_ssize_t longest = 1
        cdef int32_t node
        cdef int32_t *cost
        cdef int32_t *back
        cdef int32_t *token
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        cost = <int32_t *> malloc(3 * (longest + 1) * sizeof(int32_t))
        if cost == NULL:
            raise MemoryError
        back = cost + longest + 1
        token = back + longest + 1
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                cost[0] = 0
                for i in range(1, size + 1):
                    cost[i] = 2147483647
                for i in range(size):
                    if cost[i] + 1 < cost[i + 1]:
                        cost[i + 1] = cost[i] + 1
                        back[i + 1] = <int32_t> i
                        token[i + 1] = -1
                    node = 0
                    for j in range(i, size):
                        node = self._child(node, data[begin + j])
                        if node < 0:
                            break
                        if self.token_at[node] >= 0 and cost[i] + 1 < cost[j + 1]:
                            cost[j + 1] = cost[i] + 1
                            back[j + 1] = <int32_t> i
                            token[j + 1] = self.token_at[node]
                for i in range(size):
                    which[begin + i] = -2
                i = size
                while i:
                    which[begin + i - 1] = token[i]
                    i = back[i]
        free(cost)

    def priority(self, const Symbol[::1] data, const int64_t[::1] offsets,
                 Py_ssize_t first, Py_ssize_t last, int32_t[::1] which):
        """GreedTok's rule for words first..last - 1: tokens in their order, each left to right.

        A token may be placed where the pairs just before and just after it are not inside a
        placed token; it may swallow shorter ones whole.  Same output as `shortest_path`.
        O(occurrences · log(occurrences) + symbols covered) time.
        """
        cdef Py_ssize_t w, i, j, size, begin
        cdef Py_ssize_t many
        cdef Py_ssize_t room = 256
        cdef int32_t node
        cdef Place *places = <Place *> malloc(room * sizeof(Place))
        cdef Place *moved
        if places == NULL:
            raise MemoryError
        try:
            with nogil:
                for w in range(first, last):
                    begin = offsets[w]
                    size = offsets[w + 1] - begin
                    many = 0
                    for i in range(size):
                        which[begin + i] = -1
                        node = 0
                        for j in range(i, size):
                            node = self._child(node, data[begin + j])
                            if node < 0:
                                break
                            if self.token_at[node] >= 0:
                                if many == room:
                                    room *= 2
                                    moved = <Place *> realloc(places, room * sizeof(Place))
                                    if moved == NULL:
                                        with gil:
                                            raise MemoryError
                                    places = moved
                                places[many] = Place(self.token_at[node], <int32_t> i,
                                                     <int32_t> (j + 1))
                                many += 1
                    if many > 1:
                        qsort(places, many, sizeof(Place), _by_priority)
                    for i in range(many):
                        # the pair after symbol s is inside a token where which[s] is INSIDE
                        if places[i].start and which[begin + places[i].start - 1] == -2:
                            continue
                        if which[begin + places[i].end - 1] == -2:
                            continue
                        for j in range(begin + places[i].start, begin + places[i].end - 1):
                            which[j] = -2
                        which[begin + places[i].end - 1] = places[i].rank
        finally:
            free(places)
