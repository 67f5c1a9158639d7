# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Segmentation of words over a fixed vocabulary, by a trie of its tokens."""

cimport cython

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset


# what stands in the output at a symbol that ends no token, and at a symbol that is its own token
INSIDE = -2
SINGLE = -1

ctypedef fused Symbol:
    uint8_t
    int32_t


include "_hash.pxi"
include "_heap.pxi"
include "_pairs.pxi"
include "_neighbours.pxi"
include "_prefetch.pxi"
include "_queue.pxi"
include "_random.pxi"
include "_trie.pxi"
include "_weights.pxi"

# `priority` needs the tokens backward too for words that are longer
SHORT_WORD = SHORT


@cython.final
cdef class Segmenter:
    """Tokens in a trie, as a double array (Aoe 1989): a child is found by one addition.

    Each node knows its longest proper suffix in the trie (Aho and Corasick 1975), and each token
    the longest token it ends with: the tokens that end at a position are met longest first.

    Parameters
    ----------
    tokens : ndarray of int32
        Symbols (>= 0) of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """
    cdef int32_t[::1] codes      # of symbols: the frequent ones are small; 0: in no token
    cdef Node[::1] nodes         # the root is the first
    cdef int32_t[::1] lengths    # of tokens
    # tokens that a token begins with, itself included, in order: chain[links[t]:links[t + 1]]
    cdef int64_t[::1] links
    cdef int32_t[::1] chain
    cdef Tail[::1] tails         # of nodes
    cdef int32_t[::1] shorter    # the longest token that a token ends with, itself aside, or -1
    # after `join`
    cdef Half[::1] halves        # of tokens
    cdef const Rung[::1] rungs
    cdef const Pair[::1] pairs
    cdef const uint64_t[::1] some
    cdef readonly Py_ssize_t longest
    cdef readonly int64_t displacement   # of the children, in the table that the trie was made by

    def __init__(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        symbols, counts = np.unique(tokens, return_counts=True)
        codes = np.zeros(max(256, symbols.max(initial=0) + 1), np.int32)
        codes[symbols[np.lexsort((symbols, -counts))]] = np.arange(1, len(symbols) + 1)
        self.codes = codes
        lengths = np.diff(offsets)
        self.longest = lengths.max(initial=1)
        self.lengths = lengths.astype(np.int32)
        *tree, self.displacement = _tree(codes[tokens], offsets)
        self._place(*tree, len(symbols))
        self._link(tokens, offsets)

    def _place(self, parents, codes, ends, Py_ssize_t symbols):
        """Lay out a tree, nodes with many children first.

        Children go to the first places that fit, looked for from where the search for nodes
        with as many children stands; after 64 vain ones, to the end.
        """
        cdef Py_ssize_t many = len(parents)
        children = np.bincount(parents[1:], minlength=many)
        cdef const int64_t[::1] order = np.argsort(-children, kind="stable").astype(np.int64)
        cdef const int32_t[::1] code = codes[np.lexsort((codes, parents))]  # root's -1 is first
        cdef const int64_t[::1] first = np.concatenate([[1], 1 + np.cumsum(children)])
        bases = np.zeros(many, np.int32)
        cdef int32_t[::1] base = bases
        cdef Py_ssize_t room = 1024 + symbols
        cdef Py_ssize_t end = 1     # all places from here on are empty
        cdef Py_ssize_t cursor = 1
        cdef Py_ssize_t size = -1
        cdef Py_ssize_t n, i, j, tries, place
        cdef int32_t *after = NULL
        cdef int32_t *moved
        try:
            after = <int32_t *> malloc(room * sizeof(int32_t))
            if after == NULL:
                raise MemoryError
            for i in range(room):
                after[i] = <int32_t> i
            after[0] = 1
            for n in range(many):
                i, j = first[order[n]], first[order[n] + 1]
                if i == j:
                    break
                if j - i != size:
                    size = j - i
                    cursor = 1
                place = _free(after, max(cursor, code[i]))
                tries = 0
                while place < end and not _fits(after, place - code[i], &code[i], size, end):
                    tries += 1
                    if tries == 64:
                        cursor = place
                        place = end
                    else:
                        place = _free(after, place + 1)
                place = max(place, code[i])
                base[order[n]] = <int32_t> (place - code[i])
                # room for a place after the last
                if base[order[n]] + symbols + 2 > room:
                    moved = <int32_t *> realloc(
                        after, 2 * (room + symbols) * sizeof(int32_t)
                    )
                    if moved == NULL:
                        raise MemoryError
                    after = moved
                    for tries in range(room, 2 * (room + symbols)):
                        after[tries] = <int32_t> tries
                    room = 2 * (room + symbols)
                for i in range(i, j):
                    place = base[order[n]] + code[i]
                    after[place] = <int32_t> (place + 1)
                    end = max(end, place + 1)
        finally:
            free(after)
        places = bases[parents] + codes
        places[0] = 0
        table = np.zeros(int(bases.max()) + symbols + 1, _NODE)
        table["parent"] = table["token"] = -1
        table["base"][places] = bases
        table["parent"][places[1:]] = places[parents[1:]]
        table["token"][places] = ends
        self.nodes = table
        self._suffixes(parents, codes, places)

    def _suffixes(self, const int32_t[::1] parents, const int32_t[::1] codes,
                  const int32_t[::1] places):
        """Find `tails` and `shorter`, the nodes of short strings first: O(symbols of tokens)."""
        cdef Py_ssize_t i, n
        cdef int32_t place, token, suffix
        depths = np.zeros(parents.shape[0], np.int32)
        cdef int32_t[::1] depth = depths
        for n in range(1, parents.shape[0]):
            depth[n] = depth[parents[n]] + 1
        cdef const int64_t[::1] order = np.argsort(depths, kind="stable").astype(np.int64)
        tails = np.zeros(self.nodes.shape[0], _TAIL)
        tails["token"] = -1
        self.tails = tails
        self.shorter = np.full(self.lengths.shape[0], -1, np.int32)
        for i in range(1, order.shape[0]):
            n = order[i]
            place = places[n]
            suffix = 0
            if parents[n]:
                suffix = self._walk(self.tails[places[parents[n]]].node, codes[n])
            token = self.nodes[place].token
            if token >= 0:
                self.shorter[token] = self.tails[suffix].token
            self.tails[place].node = suffix
            self.tails[place].token = token if token >= 0 else self.tails[suffix].token

    cdef inline int32_t _walk(self, int32_t node, int32_t code) noexcept nogil:
        """The node of the longest suffix that has one, of a node's string and one more symbol."""
        cdef int32_t child
        while True:
            child = self.nodes[node].base + code
            if self.nodes[child].parent == node:
                return child
            if node == 0:
                return 0
            node = self.tails[node].node

    cdef inline int32_t _next(self, int32_t node, int32_t symbol) noexcept nogil:
        return self._walk(node, self.codes[symbol]) if symbol < self.codes.shape[0] else 0

    cdef inline void _trace(self, int32_t[::1] which, Py_ssize_t begin,
                            Py_ssize_t end) noexcept nogil:
        """Of the tokens that end best at each symbol, keep those met from the end on."""
        cdef Py_ssize_t i, start
        cdef int32_t token
        while end > begin:
            token = which[end - 1]
            start = end - (1 if token < 0 else self.lengths[token])
            for i in range(start, end - 1):
                which[i] = -2
            end = start

    def _link(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        cdef Py_ssize_t t, i, j
        cdef int64_t many = 0
        cdef int32_t node, token
        links = np.zeros(offsets.shape[0], np.int64)
        self.links = links
        for t in range(offsets.shape[0] - 1):
            node = 0
            for i in range(offsets[t], offsets[t + 1]):
                node = self._child(node, tokens[i])
                many += self.nodes[node].token >= 0
            self.links[t + 1] = many
        self.chain = np.empty(many, np.int32)
        for t in range(offsets.shape[0] - 1):
            node = 0
            many = self.links[t]
            for i in range(offsets[t], offsets[t + 1]):
                node = self._child(node, tokens[i])
                token = self.nodes[node].token
                if token >= 0:
                    j = many
                    while j > self.links[t] and self.chain[j - 1] > token:
                        self.chain[j] = self.chain[j - 1]
                        j -= 1
                    self.chain[j] = token
                    many += 1

    cdef inline int32_t _child(self, int32_t node, int32_t symbol) noexcept nogil:
        cdef int32_t child
        if symbol >= self.codes.shape[0]:
            return -1
        child = self.nodes[node].base + self.codes[symbol]
        return child if self.nodes[child].parent == node else -1

    def shortest_path(self, const Symbol[::1] data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which):
        """Fewest tokens for words first..last - 1; at each end the earliest start wins a tie.

        Writes to `which`, at the last symbol of each token, its index, or SINGLE for a symbol
        of its own, and INSIDE elsewhere.

        At each end tokens are met by their starts, the earliest first, and a start is taken if
        its cost (the tokens before it) is below `fewest`, that of the start taken so far; to begin
        with, one more than that of the single symbol, which starts last and loses ties.  None is
        left after the last position of a cost below `fewest`.  That position has cost
        `fewest` − 1, since costs rise by at most 1 a symbol and the one just before the end is at
        least that; `latest` knows it.

        O(symbols) time where costs never fall, as when all prefixes of tokens are tokens: the
        longest token is taken and no other is left.  In general O(symbols + occurrences of
        tokens) time; O(longest word) memory.
        """
        cdef Py_ssize_t w, i, size, begin, start
        cdef Py_ssize_t longest = 1
        cdef int32_t node, token, taken, fewest
        cdef int32_t *cost
        cdef int32_t *latest  # 1 + c: the last position of cost c
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        cost = <int32_t *> malloc((2 * longest + 3) * sizeof(int32_t))
        if cost == NULL:
            raise MemoryError
        latest = cost + longest + 1
        latest[0] = -1
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                cost[0] = latest[1] = 0
                node = 0
                for i in range(1, size + 1):
                    node = self._next(node, data[begin + i - 1])
                    token = self.tails[node].token
                    fewest = cost[i - 1] + 1  # a token wins a tie with the single symbol
                    taken = -1
                    while token >= 0:
                        start = i - self.lengths[token]
                        if start > latest[fewest]:
                            break
                        if cost[start] < fewest:
                            fewest = cost[start]
                            taken = token
                        token = self.shorter[token]
                    which[begin + i - 1] = taken
                    cost[i] = fewest + (taken >= 0)
                    latest[1 + cost[i]] = <int32_t> i
                self._trace(which, begin, begin + size)
        free(cost)

    def priority(self, const Symbol[::1] data, const int64_t[::1] offsets,
                 Py_ssize_t first, Py_ssize_t last, int32_t[::1] which, Segmenter backward):
        """GreedTok's rule for words first..last - 1: tokens in their order, each left to right.

        A token may be placed where the pairs just before and just after it are not inside a
        placed token; it may swallow shorter ones whole.  Same output as `shortest_path`.
        In a short word all occurrences are sorted; in a long one each position queues with the
        next token that begins there, and leaves once a token covers the pair before it.
        `backward` has the same tokens, each from its end to its begin; it may be None where no
        word is longer than `SHORT_WORD`.
        O(symbols · longest token · log(word)) time, O(longest word) memory.
        """
        cdef Py_ssize_t w, i, j, size, begin, many
        cdef Py_ssize_t longest = 0
        cdef int32_t node, token
        cdef int64_t link
        cdef uint64_t key
        cdef uint64_t *keys
        cdef int32_t *deepest
        cdef Queue queue
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        longest = longest if longest > SHORT else 0
        keys = <uint64_t *> malloc(SHORT * SHORT * sizeof(uint64_t))   # half of it to sort with
        # the longest token that begins at each position, and the place in its chain
        deepest = <int32_t *> malloc((2 * longest + 1) * sizeof(int32_t))
        try:
            if (_make(&queue, self.lengths.shape[0] if longest else 0, longest) < 0
                    or keys == NULL or deepest == NULL):
                raise MemoryError
            with nogil:
                for w in range(first, last):
                    begin = offsets[w]
                    size = offsets[w + 1] - begin
                    many = 0
                    for i in range(size):
                        which[begin + i] = -1
                    if size <= SHORT:
                        for i in range(size - 1):
                            node = 0
                            for j in range(begin + i, begin + size):
                                node = self._child(node, data[j])
                                if node < 0:
                                    break
                                token = self.nodes[node].token
                                if token >= 0:
                                    keys[many] = <uint64_t> token << 32 | <uint64_t> i
                                    many += 1
                        _sort(keys, many, keys + SHORT * SHORT // 2)
                        for j in range(many):
                            i = <Py_ssize_t> <uint32_t> keys[j]
                            self._put(&which[begin], i, <int32_t> (keys[j] >> 32))
                        continue
                    node = 0
                    for i in range(size - 1, -1, -1):
                        node = backward._next(node, data[begin + i])
                        token = backward.tails[node].token
                        deepest[2 * i] = token
                        deepest[2 * i + 1] = 0
                        if token >= 0:
                            _enter(&queue, self.chain[self.links[token]], <int32_t> i, False)
                    while _leave(&queue, &key):
                        if queue.opened > AHEAD:
                            i = <Py_ssize_t> <uint32_t> queue.open[queue.opened - AHEAD]
                            prefetch(deepest + 2 * i)
                            prefetch(&which[begin + i])
                        i = <Py_ssize_t> <uint32_t> key
                        self._put(&which[begin], i, <int32_t> (key >> 32))
                        deepest[2 * i + 1] += 1
                        token = deepest[2 * i]
                        link = self.links[token] + deepest[2 * i + 1]
                        if link == self.links[token + 1] or i and which[begin + i - 1] == -2:
                            continue
                        _enter(&queue, self.chain[link], <int32_t> i, False)
        finally:
            _unmake(&queue)
            free(keys)
            free(deepest)

    cdef inline void _put(self, int32_t *which, Py_ssize_t start, int32_t token) noexcept nogil:
        """Place a token if it may be: the pair after symbol s is inside one where INSIDE is."""
        cdef Py_ssize_t last = start + self.lengths[token] - 1
        cdef Py_ssize_t i
        if (start and which[start - 1] == -2) or which[last] == -2:
            return
        for i in range(start, last):
            which[i] = -2
        which[last] = token

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
                        if self.nodes[node].token >= 0 and not (
                            dropout > 0 and _uniform(&state) < dropout
                        ):
                            stop = j + 1
                            token = self.nodes[node].token
                    for j in range(i, stop - 1):
                        which[j] = -2
                    which[stop - 1] = token
                    i = stop

    def endings(self):
        """The tokens that each token ends with, itself first, then the longest first.

        Returns where those of each begin (int64, one more than there are tokens), and which they
        are (int32).  O(symbols of tokens) time and memory.
        """
        cdef Py_ssize_t t
        cdef int64_t many = 0
        cdef int32_t token
        links = np.zeros(self.lengths.shape[0] + 1, np.int64)
        cdef int64_t[::1] link = links
        for t in range(self.lengths.shape[0]):
            token = <int32_t> t
            while token >= 0:
                many += 1
                token = self.shorter[token]
            link[t + 1] = many
        chain = np.empty(many, np.int32)
        cdef int32_t[::1] place = chain
        for t in range(self.lengths.shape[0]):
            token = <int32_t> t
            many = link[t]
            while token >= 0:
                place[many] = token
                many += 1
                token = self.shorter[token]
        return links, chain

    def likelihood(self, const Symbol[::1] data, const int64_t[::1] offsets,
                   Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
                   const int64_t[::1] links, const Scored[::1] scores,
                   const double[::1] singles):
        """The largest sum of scores, added up from the left; the earliest start wins a tie.

        `scores` are of the tokens that `endings` lists and `links` tells apart, `singles` of the
        symbols, the last entry of those that lie beyond it.  Output as of `shortest_path`.
        O(symbols + occurrences of tokens) time, O(longest word) memory.
        """
        cdef Py_ssize_t w, i, size, begin
        cdef Py_ssize_t longest = 1
        cdef Py_ssize_t beyond = singles.shape[0] - 1
        cdef int32_t node, token, taken
        cdef double score, most
        cdef const Scored *arc
        cdef const Scored *end
        cdef double *best
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        best = <double *> malloc((longest + 1) * sizeof(double))
        if best == NULL:
            raise MemoryError
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                best[0] = 0
                node = 0
                for i in range(size):
                    node = self._next(node, data[begin + i])
                    token = self.tails[node].token
                    most = best[i] + singles[min(<Py_ssize_t> data[begin + i], beyond)]
                    taken = -1
                    if token >= 0:
                        arc = &scores[links[token]]
                        end = &scores[links[token + 1]]
                        while arc < end:
                            score = best[i + 1 - arc.length] + arc.score
                            if score > most or score == most and taken < 0:
                                most = score
                                taken = arc.token
                            arc += 1
                    best[i + 1] = most
                    which[begin + i] = taken
                self._trace(which, begin, begin + size)
        free(best)

    def paths(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
              const int64_t[::1] draws, const int64_t[::1] links, const Weighed[::1] weights,
              const Weight[::1] singles, uint64_t seed, const int64_t[::1] names):
        """A random segmentation, each with a probability in proportion to its weight.

        The weight of a segmentation is the product of its tokens' weights, given as scores are to
        `likelihood`.  The sum over all segmentations of what ends at each position is found from
        the left, as a part and a power of its own, so that nothing overflows; then tokens are drawn
        from the right.  Sums round to 53 bits, a term below 2^-1000 of another counts as nothing.
        The numbers drawn depend on `seed`, the word (its symbols, or their `names`, if any) and
        its entry of `draws`, if any, alone.  Output, time and memory as of `likelihood`.
        """
        cdef Py_ssize_t w, i, size, begin, start
        cdef Py_ssize_t longest = 1
        cdef Py_ssize_t beyond = singles.shape[0] - 1
        cdef int32_t node, token
        cdef uint64_t state
        cdef double part, share, left
        cdef int64_t power, shift
        cdef const Weight *single
        cdef const Weight *before
        cdef const Weighed *arc
        cdef const Weighed *end
        cdef Weight *sums
        for w in range(first, last):
            longest = max(longest, offsets[w + 1] - offsets[w])
        sums = <Weight *> malloc((longest + 1) * sizeof(Weight))
        if sums == NULL:
            raise MemoryError
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                sums[0] = Weight(1, 0)
                node = 0
                for i in range(size):
                    node = self._next(node, data[begin + i])
                    token = self.tails[node].token
                    which[begin + i] = token
                    single = &singles[min(<Py_ssize_t> data[begin + i], beyond)]
                    part = single.part * sums[i].part
                    power = single.power + sums[i].power
                    if token >= 0:
                        arc = &weights[links[token]]
                        end = &weights[links[token + 1]]
                        while arc < end:
                            before = sums + (i + 1 - arc.length)
                            shift = arc.power + before.power - power
                            if shift > 0:  # keep the larger power, lest it overflow
                                part = _shifted(part, -shift)
                                power += shift
                                shift = 0
                            if shift >= -1000:
                                part += _shifted(arc.part * before.part, shift)
                            arc += 1
                    sums[i + 1] = _normal(part, power)
                state = _begin(seed, <uint64_t> (draws[w] if draws.shape[0] else 0),
                               &data[begin], size, names)
                i = size
                while i > 0:
                    token = which[begin + i - 1]   # the longest of those that end here
                    left = _uniform(&state) * sums[i].part
                    single = &singles[min(<Py_ssize_t> data[begin + i - 1], beyond)]
                    left -= _shifted(single.part * sums[i - 1].part,
                                     single.power + sums[i - 1].power - sums[i].power)
                    start = i - 1
                    which[begin + i - 1] = -1
                    if token >= 0:
                        arc = &weights[links[token]]
                        end = &weights[links[token + 1]]
                        # where rounding leaves something at the end, the last token that has
                        # weight is taken
                        while left >= 0 and arc < end:
                            before = sums + (i - arc.length)
                            share = _shifted(arc.part * before.part,
                                             arc.power + before.power - sums[i].power)
                            if share > 0:
                                left -= share
                                start = i - arc.length
                                which[begin + i - 1] = arc.token
                            arc += 1
                    while i - 1 > start:
                        i -= 1
                        which[begin + i - 1] = -2
                    i = start
        free(sums)

    def join(self, const int32_t[::1] left, const int32_t[::1] right, const int32_t[::1] rank,
             const int32_t[::1] tokens, const int64_t[::1] offsets):
        """Make ready for `merges`: the pair that makes each token, as `Merger.last_pairs` says.

        O(symbols of tokens) time and memory.
        """
        cdef Py_ssize_t t, i
        cdef int32_t node, token, shorter
        made = np.asarray(left) != -1
        sides = np.asarray(left)[made], np.asarray(right)[made]
        self.pairs = _table(*sides, np.asarray(rank)[made])
        self.some = _some(*sides)
        order = np.argsort(np.diff(offsets), kind="stable")
        halves = np.zeros(left.shape[0], _HALF)
        self.rungs, halves["left"], halves["right"] = _ladders(left, right, rank, order)
        self.halves = halves
        for t in range(left.shape[0]):
            node = 0
            shorter = -1
            for i in range(offsets[t], offsets[t + 1] - 1):
                node = self._child(node, tokens[i])
                token = self.nodes[node].token
                if token >= 0 and left[token] != -1:
                    shorter = token
            self.halves[t].shorter = shorter

    def merges(self, const Symbol[::1] data, const int64_t[::1] offsets,
               Py_ssize_t first, Py_ssize_t last, int32_t[::1] which, bint whole):
        """Byte pair encoding for words first..last - 1, from the left to the right.

        A word has one way to be cut into tokens that can all be neighbours.  It is looked for by
        the longest token that begins at each position and can follow the one before; where none
        can, not even the symbol alone, the one before was wrong.  No position is come to twice,
        since a beginning of the word has one way too.

        With `whole`, a word that is a token stays whole.  Same output as `shortest_path`.
        Returns the words that were given up (int64): those where more than 64 pairs a symbol were
        looked at, which a queue does sooner.  O(symbols · longest token) time, O(1) memory.
        """
        cdef Py_ssize_t w, i, size, begin
        cdef int32_t token
        given_up = []
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                if whole:
                    token = self._token(data, begin, begin + size)
                    if token >= 0:
                        for i in range(begin, begin + size - 1):
                            which[i] = -2
                        which[begin + size - 1] = token
                        continue
                if self._merged(&data[begin], size, &which[begin]):
                    self._trace(which, begin, begin + size)
                else:
                    with gil:
                        given_up.append(w)
        return np.array(given_up, np.int64)

    cdef bint _merged(self, const Symbol *word, Py_ssize_t size, int32_t *which) noexcept nogil:
        """Write, at the last symbol of each token, what it is; False where the word is given up."""
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t steps = 0
        cdef Py_ssize_t most = 64 * (size + 16)
        cdef int32_t token = self._longest(word, size, 0)
        # symbols alone have one rung
        cdef Rung symbol_before = Rung(0, NEVER, NEVER)
        cdef Rung symbol = Rung(0, NEVER, NEVER)
        cdef const Rung *before = NULL   # of what ends at i
        cdef const Rung *after
        while steps < most:
            if token >= 0:
                after = &self.rungs[self.halves[token].left]
            else:
                symbol.piece = -2 - <int32_t> word[i]
                after = &symbol
            if i == 0 or _can_meet(before, after, &self.pairs[0], self.pairs.shape[0] - 1,
                                   &self.some[0], 64 * self.some.shape[0] - 1, &steps):
                i += self.lengths[token] if token >= 0 else 1
                which[i - 1] = token
                if i == size:
                    return True
                token = self._longest(word, size, i)
            else:
                while token < 0:  # the symbol alone was the last to try
                    token = which[i - 1]
                    i -= self.lengths[token] if token >= 0 else 1
                token = self.halves[token].shorter
            if i and which[i - 1] >= 0:
                before = &self.rungs[self.halves[which[i - 1]].right]
            elif i:
                symbol_before.piece = -2 - <int32_t> word[i - 1]
                before = &symbol_before
        return False

    cdef inline int32_t _longest(self, const Symbol *word, Py_ssize_t size,
                                 Py_ssize_t i) noexcept nogil:
        """The longest token at i that merging gives, or −1."""
        cdef int32_t node = 0
        cdef int32_t token = -1
        while i < size:
            node = self._child(node, word[i])
            if node < 0:
                break
            if self.nodes[node].token >= 0 and self.halves[self.nodes[node].token].left != -1:
                token = self.nodes[node].token
            i += 1
        return token

    cdef int32_t _token(self, const Symbol[::1] data, Py_ssize_t begin,
                        Py_ssize_t end) noexcept nogil:
        cdef int32_t node = 0
        cdef Py_ssize_t i
        for i in range(begin, end):
            node = self._child(node, data[i])
            if node < 0:
                return -1
        return self.nodes[node].token

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
                left = -2 - tokens[i] if i == begin else self.nodes[node].token
                if left == -1:
                    continue
                right = -2 - tokens[end - 1] if i == end - 2 else self._token(tokens, i + 1, end)
                if right == -1:
                    continue
                lefts.append(left)
                rights.append(right)
                made.append(t)
        return tuple(np.array(part, np.int32) for part in (lefts, rights, made))
