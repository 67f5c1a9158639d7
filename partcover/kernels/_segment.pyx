# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Segmentation of words over a fixed vocabulary, by a trie of its tokens."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.math cimport frexp, ldexp
from libc.stdlib cimport free, malloc, qsort, realloc


# what stands in the output at a symbol that ends no token, and at a symbol that is its own token
INSIDE = -2
SINGLE = -1

ctypedef fused Symbol:
    uint8_t
    int32_t


include "_random.pxi"


cdef struct Weight:
    # part · 2^power, part in [1, 2) or 0
    double part
    int64_t power


cdef inline Weight _normal(double part, int64_t power) noexcept nogil:
    cdef int shift = 0
    part = frexp(part, &shift)
    return Weight(2 * part, power + shift - 1)


cdef inline double _over(Weight a, int64_t power) noexcept nogil:
    """A weight over 2^power; 0 where it is too small to tell."""
    cdef int64_t shift = a.power - power
    return 0.0 if shift < -1000 else ldexp(a.part, <int> shift)


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

    def longest_match(self, const Symbol[::1] data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
                      const int64_t[::1] draws, double dropout, uint64_t seed,
                      const int64_t[::1] names):
        """From the left, the longest token that begins there, else the single symbol.

        With `dropout` p, a token is passed over with probability p wherever it is met, each
        time for itself.  Output as of `shortest_path`, numbers as of `paths`.
        O(symbols · longest token) time, O(1) memory.
        """
        cdef Py_ssize_t w, i, j, begin, end, stop
        cdef int32_t node, token
        cdef uint64_t state = 0
        with nogil:
            for w in range(first, last):
                i = begin = offsets[w]
                end = offsets[w + 1]
                if dropout > 0:
                    state = _begin(seed, <uint64_t> (draws[w] if draws.shape[0] else 0),
                                   &data[begin], end - begin, names)
                while i < end:
                    stop = i + 1
                    token = -1
                    node = 0
                    for j in range(i, end):
                        node = self._child(node, data[j])
                        if node < 0:
                            break
                        if self.token_at[node] >= 0 and not (
                            dropout > 0 and _uniform(&state) < dropout
                        ):
                            stop = j + 1
                            token = self.token_at[node]
                    for j in range(i, stop - 1):
                        which[j] = -2
                    which[stop - 1] = token
                    i = stop

    def likelihood(self, const Symbol[::1] data, const int64_t[::1] offsets,
                   Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
                   const double[::1] scores, const double[::1] singles):
        """The largest sum of scores, added up from the left; the earliest start wins a tie.

        `scores` are of the tokens, `singles` of the symbols, the last entry of those that lie
        beyond it.  Output, time and memory as of `shortest_path`.
        """
        cdef Py_ssize_t w, i, j, size, begin
        cdef Py_ssize_t longest = 1
        cdef Py_ssize_t beyond = singles.shape[0] - 1
        cdef int32_t node
        cdef double score
        cdef double *best
        cdef int32_t *back
        cdef int32_t *token
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        best = <double *> malloc((longest + 1) * sizeof(double))
        back = <int32_t *> malloc(2 * (longest + 1) * sizeof(int32_t))
        token = back + longest + 1
        try:
            if best == NULL or back == NULL:
                raise MemoryError
            with nogil:
                for w in range(first, last):
                    begin = offsets[w]
                    size = offsets[w + 1] - begin
                    best[0] = 0
                    for i in range(1, size + 1):
                        back[i] = -1
                    for i in range(size):
                        which[begin + i] = -2
                        score = best[i] + singles[min(<Py_ssize_t> data[begin + i], beyond)]
                        if back[i + 1] < 0 or score > best[i + 1]:
                            best[i + 1] = score
                            back[i + 1] = <int32_t> i
                            token[i + 1] = -1
                        node = 0
                        for j in range(i, size):
                            node = self._child(node, data[begin + j])
                            if node < 0:
                                break
                            if self.token_at[node] < 0:
                                continue
                            score = best[i] + scores[self.token_at[node]]
                            if back[j + 1] < 0 or score > best[j + 1]:
                                best[j + 1] = score
                                back[j + 1] = <int32_t> i
                                token[j + 1] = self.token_at[node]
                    i = size
                    while i:
                        which[begin + i - 1] = token[i]
                        i = back[i]
        finally:
            free(best)
            free(back)

    def paths(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
              const int64_t[::1] draws, const double[::1] parts,
              const int64_t[::1] powers, const double[::1] single_parts,
              const int64_t[::1] single_powers, uint64_t seed, const int64_t[::1] names):
        """A random segmentation, each with a probability in proportion to its weight.

        The weight of a segmentation is the product of its tokens' weights, each ``part ·
        2^power`` with part in [1, 2); those of symbols as in `likelihood`.  The sum over all
        segmentations of what begins at each position is found from the right and kept as such
        a pair, so that nothing overflows; then tokens are drawn from the left.  Sums round to
        53 bits, a term below 2^-1000 of another counts as nothing.  The numbers drawn depend
        on `seed`, the word (its symbols, or their `names`, if any) and its entry of `draws`, if
        any, alone.  Output, time and memory as of `shortest_path`.
        """
        cdef Py_ssize_t w, i, j, size, begin, end
        cdef Py_ssize_t longest = 1
        cdef Py_ssize_t beyond = single_parts.shape[0] - 1
        cdef Py_ssize_t s
        cdef int32_t node, token
        cdef uint64_t state
        cdef double part, left
        cdef int64_t power
        cdef Weight arc
        cdef Weight *rest
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        rest = <Weight *> malloc((longest + 1) * sizeof(Weight))
        if rest == NULL:
            raise MemoryError
        try:
            with nogil:
                for w in range(first, last):
                    begin = offsets[w]
                    size = offsets[w + 1] - begin
                    rest[size] = Weight(1, 0)
                    for i in range(size - 1, -1, -1):
                        s = min(<Py_ssize_t> data[begin + i], beyond)
                        part = single_parts[s] * rest[i + 1].part
                        power = single_powers[s] + rest[i + 1].power
                        node = 0
                        for j in range(i, size):
                            node = self._child(node, data[begin + j])
                            if node < 0:
                                break
                            token = self.token_at[node]
                            if token < 0:
                                continue
                            arc = Weight(parts[token] * rest[j + 1].part,
                                         powers[token] + rest[j + 1].power)
                            if arc.power > power:  # keep the larger power, lest it overflow
                                part = arc.part + _over(Weight(part, power), arc.power)
                                power = arc.power
                            else:
                                part += _over(arc, power)
                        rest[i] = _normal(part, power)
                    state = _begin(seed, <uint64_t> (draws[w] if draws.shape[0] else 0),
                                   &data[begin], size, names)
                    i = 0
                    while i < size:
                        which[begin + i] = -2
                        left = _uniform(&state) * rest[i].part
                        s = min(<Py_ssize_t> data[begin + i], beyond)
                        arc = Weight(single_parts[s] * rest[i + 1].part,
                                     single_powers[s] + rest[i + 1].power)
                        left -= _over(arc, rest[i].power)
                        end = i + 1
                        token = -1
                        node = 0
                        j = i
                        # where rounding leaves something at the end, the last token that has
                        # weight is taken
                        while left >= 0 and j < size:
                            node = self._child(node, data[begin + j])
                            if node < 0:
                                break
                            j += 1
                            if self.token_at[node] < 0:
                                continue
                            arc = Weight(parts[self.token_at[node]] * rest[j].part,
                                         powers[self.token_at[node]] + rest[j].power)
                            part = _over(arc, rest[i].power)
                            if part > 0:
                                left -= part
                                end = j
                                token = self.token_at[node]
                        for j in range(i, end - 1):
                            which[begin + j] = -2
                        which[begin + end - 1] = token
                        i = end
        finally:
            free(rest)

    def whole(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last):
        """The tokens that words first..last - 1 are as a whole, or −1; O(symbols) time."""
        cdef int32_t[::1] found = np.empty(last - first, np.int32)
        cdef Py_ssize_t w
        with nogil:
            for w in range(first, last):
                found[w - first] = self._token(data, offsets[w], offsets[w + 1])
        return np.asarray(found)

    cdef int32_t _token(self, const Symbol[::1] data, Py_ssize_t begin,
                        Py_ssize_t end) noexcept nogil:
        cdef int32_t node = 0
        cdef Py_ssize_t i
        for i in range(begin, end):
            node = self._child(node, data[i])
            if node < 0:
                return -1
        return self.token_at[node]

    def splits(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        """Every way to make a token of two parts, each a token or a single symbol.

        Takes what the Segmenter was made of.  Returns the left parts, the right parts (int32:
        the index of a token, or −2 − symbol) and the tokens, in order.  O(Σ length²) time.
        """
        cdef Py_ssize_t t, i, begin, end
        cdef int32_t node, left, right
        lefts, rights, made = [], [], []
        for t in range(offsets.shape[0] - 1):
            begin, end = offsets[t], offsets[t + 1]
            node = 0
            for i in range(begin, end - 1):
                node = self._child(node, tokens[i])
                left = -2 - tokens[i] if i == begin else self.token_at[node]
                if left == -1:
                    continue
                right = -2 - tokens[end - 1] if i == end - 2 else self._token(tokens, i + 1, end)
                if right == -1:
                    continue
                lefts.append(left)
                rights.append(right)
                made.append(t)
        return tuple(np.array(part, np.int32) for part in (lefts, rights, made))
