# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The fewest tokens for words, by the automaton of Aho and Corasick (1975) over the tokens."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

ctypedef fused Symbol:
    uint8_t
    int32_t


cdef struct Edge:
    int64_t key         # node << 32 | symbol, or -1
    int64_t child

cdef struct Node:
    int32_t fallback    # the longest proper suffix that is a node
    int32_t token       # the longest token that is a suffix, or -1
    int32_t onward      # the node itself, or its longest suffix that has children, or the root

cdef struct Token:
    int32_t length
    int32_t shorter     # the longest token that is a proper suffix of this one, or -1


cdef class Automaton:
    """Tokens, so that one pass over a word meets at each symbol those that end there.

    Parameters
    ----------
    tokens : ndarray of int32
        Symbols (>= 0) of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """
    cdef Edge *edges
    cdef Node *nodes
    cdef Token *tokens
    cdef uint64_t mask
    cdef int32_t roots[256]     # the children of the root for symbols below 256, or the root

    def __cinit__(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        cdef Py_ssize_t total = tokens.shape[0], many = offsets.shape[0] - 1
        cdef Py_ssize_t room = 16, t, i, depth
        cdef int32_t node, child, fallback, count = 1
        cdef uint64_t slot
        while room < 2 * total:
            room *= 2
        self.mask = room - 1
        self.edges = <Edge *> malloc(room * sizeof(Edge))
        self.nodes = <Node *> malloc((total + 1) * sizeof(Node))
        self.tokens = <Token *> malloc((many + 1) * sizeof(Token))
        if self.edges == NULL or self.nodes == NULL or self.tokens == NULL:
            raise MemoryError
        for i in range(room):
            self.edges[i].key = -1
        for i in range(256):
            self.roots[i] = 0
        self.nodes[0] = Node(0, -1, 0)
        parents_ = np.zeros(total + 1, np.int32)
        symbols_ = np.zeros(total + 1, np.int32)
        depths_ = np.zeros(total + 1, np.int64)
        cdef int32_t[::1] parents = parents_
        cdef int32_t[::1] symbols = symbols_
        cdef int64_t[::1] depths = depths_
        for t in range(many):
            node = 0
            for i in range(offsets[t], offsets[t + 1]):
                child = self._child(node, tokens[i])
                if child == 0:
                    child = count
                    count += 1
                    self.nodes[child] = Node(0, -1, 0)
                    self.nodes[node].onward = node
                    parents[child] = node
                    symbols[child] = tokens[i]
                    depths[child] = i + 1 - offsets[t]
                    if node == 0 and tokens[i] < 256:
                        self.roots[tokens[i]] = child
                    else:
                        slot = self._slot(node, tokens[i])
                        while self.edges[slot].key != -1:
                            slot = (slot + 1) & self.mask
                        self.edges[slot] = Edge(<int64_t> node << 32 | tokens[i], child)
                node = child
            self.nodes[node].token = <int32_t> t
            self.tokens[t] = Token(<int32_t> (offsets[t + 1] - offsets[t]), -1)
        cdef int64_t[::1] order = np.argsort(depths_[:count], kind="stable")
        for i in range(1, count):       # a fallback is shorter, so it is done
            node = <int32_t> order[i]
            if parents[node]:
                fallback = self._next(self.nodes[parents[node]].fallback, symbols[node])
                self.nodes[node].fallback = fallback
                if self.nodes[node].onward == 0:
                    self.nodes[node].onward = self.nodes[fallback].onward
                t = self.nodes[node].token
                if t >= 0:
                    self.tokens[t].shorter = self.nodes[fallback].token
                else:
                    self.nodes[node].token = self.nodes[fallback].token

    def __dealloc__(self):
        free(self.edges)
        free(self.nodes)
        free(self.tokens)

    cdef inline uint64_t _slot(self, int32_t node, int32_t symbol) noexcept nogil:
        cdef uint64_t key = <uint64_t> node << 32 | <uint64_t> symbol
        return ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 20) & self.mask

    cdef inline int32_t _child(self, int32_t node, int32_t symbol) noexcept nogil:
        """The child of a node, or the root for none."""
        cdef int64_t key
        cdef uint64_t slot
        if node == 0 and symbol < 256:
            return self.roots[symbol]
        key = <int64_t> node << 32 | symbol
        slot = self._slot(node, symbol)
        while self.edges[slot].key != -1:
            if self.edges[slot].key == key:
                return <int32_t> self.edges[slot].child
            slot = (slot + 1) & self.mask
        return 0

    cdef inline int32_t _next(self, int32_t node, int32_t symbol) noexcept nogil:
        """The longest suffix of what has been read and `symbol` that is a node."""
        cdef int32_t child
        node = self.nodes[node].onward
        child = self._child(node, symbol)
        while child == 0 and node:
            node = self.nodes[self.nodes[node].fallback].onward
            child = self._child(node, symbol)
        return child

    def shortest_path(self, const Symbol[::1] data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which):
        """Fewest tokens for words first..last - 1; at each end the earliest start wins a tie.

        Writes to `which`, at the last symbol of each token, its index, or -1 for a symbol of
        its own, and -2 elsewhere.  O(symbols + occurrences of tokens) time, O(longest word)
        memory.
        """
        cdef Py_ssize_t w, i, j, size, begin
        cdef Py_ssize_t longest = 1
        cdef int32_t node, token, best, taken, length
        cdef int32_t *cost
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        cost = <int32_t *> malloc((longest + 1) * sizeof(int32_t))
        if cost == NULL:
            raise MemoryError
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                cost[0] = 0
                node = 0
                for i in range(size):
                    node = self._next(node, data[begin + i])
                    best = 2147483647
                    taken = -1
                    token = self.nodes[node].token
                    while token >= 0:   # from the longest, whose start is the earliest
                        if cost[i + 1 - self.tokens[token].length] < best:
                            best = cost[i + 1 - self.tokens[token].length]
                            taken = token
                        token = self.tokens[token].shorter
                    if cost[i] < best:
                        best = cost[i]
                        taken = -1
                    cost[i + 1] = best + 1
                    which[begin + i] = taken
                i = size - 1
                while i >= 0:
                    token = which[begin + i]
                    length = self.tokens[token].length if token >= 0 else 1
                    for j in range(i + 1 - length, i):
                        which[begin + j] = -2
                    i -= length
        free(cost)
