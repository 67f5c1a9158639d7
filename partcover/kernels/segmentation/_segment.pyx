# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Segments words into the tokens of a vocabulary, by a trie of the tokens."""

cimport cython

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset


ctypedef fused Symbol:
    uint8_t
    int32_t


include "../shared/_arrays.pxi"
include "../shared/_hash.pxi"
include "../shared/_heap.pxi"
include "../shared/_marks.pxi"
include "../shared/_pairs.pxi"
include "_neighbours.pxi"
include "../shared/_prefetch.pxi"
include "_queue.pxi"
include "../shared/_random.pxi"
include "_scored_arcs.pxi"
include "_trie.pxi"
include "../shared/_weights.pxi"

# for longer words `Segmenter.priority` also needs the reversed tokens
SHORT_WORD = SHORT

cdef enum:
    MAX_PAIRS = 64   # pairs per symbol that `merges` checks before it gives a word up
    NODES = 8        # this many visited nodes of the trie count as one pair
    LONG_TOKEN = 256  # with longer tokens `longest_match` visits each symbol only once


cdef inline Py_ssize_t _longest_word(const int64_t[::1] offsets, Py_ssize_t first,
                                     Py_ssize_t last) noexcept nogil:
    cdef Py_ssize_t w
    cdef Py_ssize_t longest = 1
    for w in range(first, last):
        longest = max(longest, offsets[w + 1] - offsets[w])
    return longest


def piece_counts(const int32_t[::1] which, const int64_t[::1] offsets):
    """Returns the number of tokens and single symbols of each word (int64); O(symbols) time."""
    cdef Py_ssize_t w, i
    cdef int64_t n
    found = _array(offsets.shape[0] - 1, "q")
    cdef int64_t[::1] counts = found
    with nogil:
        for w in range(counts.shape[0]):
            n = 0
            for i in range(offsets[w], offsets[w + 1]):
                n += which[i] != INSIDE
            counts[w] = n
    return found


@cython.final
cdef class Segmenter(Trie):
    """Segments words into tokens of a trie, by the rules of `partcover.segment`.

    Parameters
    ----------
    tokens : ndarray of int32
        Symbols (>= 0) of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """
    # these are set by `join`
    cdef Half *halves        # one for each token
    cdef Rung *rungs
    cdef Pair *pairs
    cdef uint64_t slots      # a mask
    cdef uint64_t *filter    # a filter of pairs; see `_may_merge`
    cdef uint64_t bits       # a mask

    def __dealloc__(self):
        free(self.halves)
        free(self.rungs)
        free(self.pairs)
        free(self.filter)

    cdef inline void _trace(self, int32_t[::1] which, Py_ssize_t begin,
                            Py_ssize_t end) noexcept nogil:
        """Keeps of the best tokens that end at each symbol only those on the path from the end."""
        cdef Py_ssize_t i, start
        cdef int32_t token
        while end > begin:
            token = which[end - 1]
            start = end - (1 if token < 0 else self.lengths[token])
            for i in range(start, end - 1):
                which[i] = INSIDE
            end = start

    def shortest_path(self, data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which):
        """Segments words first..last - 1 into the fewest tokens; ties go to the earliest start.

        Writes to `which` the index of each token at its last symbol, SINGLE at a symbol that
        stands alone, and INSIDE elsewhere.

        At each end the tokens are visited by their starts, the earliest first.  A start replaces
        the best start so far if its cost (the tokens before it) is below `fewest`, the cost of
        the best one.  At first `fewest` is one more than the cost of the single symbol, which
        starts last and loses ties.  No start after the last position whose cost is below `fewest`
        can win.  That position has cost `fewest` − 1, since costs rise by at most 1 per symbol and
        the cost just before the end is at least that; `latest` holds it.

        O(symbols) time if costs never decrease, as when all prefixes of tokens are tokens: then
        only the longest token is visited.  In general O(symbols + occurrences of tokens) time, and
        O(longest word) memory.
        """
        # Cython's own choice of a function by the type of an array would import NumPy
        if memoryview(data).itemsize == 1:
            self._shortest_path[uint8_t](data, offsets, first, last, which)
        else:
            self._shortest_path[int32_t](data, offsets, first, last, which)

    cdef int _shortest_path(self, const Symbol[::1] data, const int64_t[::1] offsets,
                            Py_ssize_t first, Py_ssize_t last, int32_t[::1] which) except -1:
        cdef Py_ssize_t w, i, size, begin, start
        cdef Py_ssize_t longest = _longest_word(offsets, first, last)
        cdef int32_t node, token, taken, fewest
        cdef int32_t *cost
        cdef int32_t *latest  # index 1 + c: the last position with cost c
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
                    taken = SINGLE
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
        return 0

    def priority(self, const Symbol[::1] data, const int64_t[::1] offsets,
                 Py_ssize_t first, Py_ssize_t last, int32_t[::1] which, Segmenter backward,
                 const int64_t[::1] links, const int32_t[::1] chain):
        """Segments words by GreedTok's rule: tokens in their order, each from left to right.

        The words are first..last - 1.  A token may be placed where the pairs just before and just
        after it are not inside a placed token; it may contain shorter placed tokens.  The output is
        that of `shortest_path`.  In a short word all occurrences are sorted.  In a long one each
        position is queued with the next token that begins there, and leaves the queue once a token
        covers the pair before it.  `backward` holds the same tokens reversed; token ``t`` begins
        with the tokens ``chain[links[t]:links[t + 1]]``, including itself, in order.  They may be
        None and empty if no word is longer than `SHORT_WORD`.
        O(symbols · longest token · log(word)) time, O(longest word) memory.
        """
        cdef Py_ssize_t w, i, j, size, begin, n_keys
        cdef Py_ssize_t longest = _longest_word(offsets, first, last)
        cdef int32_t node, token
        cdef int64_t link
        cdef uint64_t key
        cdef uint64_t *keys
        cdef int32_t *deepest
        cdef Queue queue
        longest = longest if longest > SHORT else 0
        # the second half is memory for sorting
        keys = <uint64_t *> malloc(SHORT * SHORT * sizeof(uint64_t))
        # for each position the longest token that begins there, and the place in its chain
        deepest = <int32_t *> malloc((2 * longest + 1) * sizeof(int32_t))
        try:
            if (_new_queue(&queue, self.lengths.shape[0] if longest else 0, longest) < 0
                    or keys == NULL or deepest == NULL):
                raise MemoryError
            with nogil:
                for w in range(first, last):
                    begin = offsets[w]
                    size = offsets[w + 1] - begin
                    n_keys = 0
                    for i in range(size):
                        which[begin + i] = SINGLE
                    if size <= SHORT:
                        for i in range(size - 1):
                            node = 0
                            for j in range(begin + i, begin + size):
                                node = self._child(node, data[j])
                                if node < 0:
                                    break
                                token = self.nodes[node].token
                                if token >= 0:
                                    keys[n_keys] = <uint64_t> token << 32 | <uint64_t> i
                                    n_keys += 1
                        _sort(keys, n_keys, keys + SHORT * SHORT // 2)
                        for j in range(n_keys):
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
                            _enqueue(&queue, chain[links[token]], <int32_t> i, False)
                    while _dequeue(&queue, &key):
                        if queue.n_open > AHEAD:
                            i = <Py_ssize_t> <uint32_t> queue.open[queue.n_open - AHEAD]
                            prefetch(deepest + 2 * i)
                            prefetch(&which[begin + i])
                        i = <Py_ssize_t> <uint32_t> key
                        self._put(&which[begin], i, <int32_t> (key >> 32))
                        deepest[2 * i + 1] += 1
                        token = deepest[2 * i]
                        link = links[token] + deepest[2 * i + 1]
                        if link == links[token + 1] or i and which[begin + i - 1] == INSIDE:
                            continue
                        _enqueue(&queue, chain[link], <int32_t> i, False)
        finally:
            _free_queue(&queue)
            free(keys)
            free(deepest)

    cdef inline void _put(self, int32_t *which, Py_ssize_t start, int32_t token) noexcept nogil:
        """Places a token unless it would split another: INSIDE at s covers the pair after s."""
        cdef Py_ssize_t last = start + self.lengths[token] - 1
        cdef Py_ssize_t i
        if (start and which[start - 1] == INSIDE) or which[last] == INSIDE:
            return
        for i in range(start, last):
            which[i] = INSIDE
        which[last] = token

    def longest_match(self, const Symbol[::1] data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
                      const int64_t[::1] draws, double dropout, uint64_t seed,
                      const int64_t[::1] names, const uint8_t[::1] keeps):
        """Takes, from left to right, the longest token that begins at a place, or a single symbol.

        With `dropout` p, each token found is skipped with probability p, independently, except the
        shortest one that begins with a symbol where `keeps` is not 0; it is 0 beyond its end.  The
        output is that of `shortest_path`; random numbers are as in `paths`.
        O(symbols · longest token) time, O(1) memory.  Without dropout, and if a token is longer
        than `LONG_TOKEN`, O(symbols + occurrences of tokens) time.
        """
        cdef Py_ssize_t w, i, j, begin, end, stop
        cdef int32_t node, token
        cdef uint64_t state = 0
        cdef bint kept
        if self.longest > LONG_TOKEN and not dropout > 0:
            with nogil:
                for w in range(first, last):
                    self._longest_match(&data[offsets[w]], offsets[w + 1] - offsets[w],
                                        &which[offsets[w]])
            return
        with nogil:
            for w in range(first, last):
                i = begin = offsets[w]
                end = offsets[w + 1]
                if dropout > 0:
                    state = _word_state(seed, <uint64_t> (draws[w] if draws.shape[0] else 0),
                                        &data[begin], end - begin, names)
                while i < end:
                    stop = i + 1
                    token = SINGLE
                    node = 0
                    kept = data[i] < keeps.shape[0] and keeps[data[i]] != 0
                    for j in range(i, end):
                        node = self._child(node, data[j])
                        if node < 0:
                            break
                        if self.nodes[node].token >= 0:
                            if not kept and dropout > 0 and _uniform(&state) < dropout:
                                continue
                            kept = False
                            stop = j + 1
                            token = self.nodes[node].token
                    for j in range(i, stop - 1):
                        which[j] = INSIDE
                    which[stop - 1] = token
                    i = stop

    cdef void _longest_match(self, const Symbol *word, Py_ssize_t size,
                             int32_t *which) noexcept nogil:
        """Takes the longest token at each place, after visiting all that end at each symbol."""
        cdef Py_ssize_t i, stop
        cdef int32_t node = 0
        cdef int32_t token
        for i in range(size):
            which[i] = SINGLE
            node = self._next(node, word[i])
            token = self.tails[node].token
            while token >= 0:   # the last one written for a beginning is the longest
                which[i + 1 - self.lengths[token]] = token
                token = self.shorter[token]
        i = 0
        while i < size:
            token = which[i]
            stop = i + (self.lengths[token] if token >= 0 else 1)
            while i < stop - 1:
                which[i] = INSIDE
                i += 1
            which[i] = token
            i = stop

    def likelihood(self, const Symbol[::1] data, const int64_t[::1] offsets,
                   Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
                   const int64_t[::1] links, const Scored[::1] scores,
                   const double[::1] singles):
        """Segments for the largest sum of scores, added from the left; ties go to early starts.

        `scores` has a row for each entry of the chain of `endings`, whose links are `links`.
        `singles` has the score of each symbol; its last entry is for all larger symbols.  The
        output is that of `shortest_path`.
        O(symbols + occurrences of tokens) time, O(longest word) memory.
        """
        cdef Py_ssize_t w, i, size, begin
        cdef Py_ssize_t longest = _longest_word(offsets, first, last)
        cdef Py_ssize_t beyond = singles.shape[0] - 1
        cdef int32_t node, token, taken
        cdef double score, best_score
        cdef const Scored *arc
        cdef const Scored *end
        cdef double *best
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
                    best_score = best[i] + singles[min(<Py_ssize_t> data[begin + i], beyond)]
                    taken = SINGLE
                    if token >= 0:
                        arc = &scores[links[token]]
                        end = &scores[links[token + 1]]
                        while arc < end:
                            score = best[i + 1 - arc.length] + arc.score
                            if score > best_score or score == best_score and taken < 0:
                                best_score = score
                                taken = arc.token
                            arc += 1
                    best[i + 1] = best_score
                    which[begin + i] = taken
                self._trace(which, begin, begin + size)
        free(best)

    def paths(self, const Symbol[::1] data, const int64_t[::1] offsets,
              Py_ssize_t first, Py_ssize_t last, int32_t[::1] which,
              const int64_t[::1] draws, const int64_t[::1] links, const Weighed[::1] weights,
              const Weight[::1] singles, uint64_t seed, const int64_t[::1] names):
        """Draws a segmentation of each word with probability proportional to its weight.

        The weight of a segmentation is the product of its tokens' weights, which are given like
        the scores of `likelihood`.  Forward, the sum over all segmentations up to each position is
        computed as a part and a power, so that nothing overflows.  Backward, the tokens are drawn
        from the right.  Sums are rounded to 53 bits; a term below 2^-1000 of another counts as 0.
        The random numbers depend only on `seed`, the word (its symbols, or their `names`, if any)
        and its entry of `draws`, if any.  Output, time and memory are as for `likelihood`.
        """
        cdef Py_ssize_t w, i, size, begin, start
        cdef Py_ssize_t longest = _longest_word(offsets, first, last)
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
                            if shift > 0:  # keep the larger power, so that nothing overflows
                                part = _shifted(part, -shift)
                                power += shift
                                shift = 0
                            if shift >= MIN_SHIFT:
                                part += _shifted(arc.part * before.part, shift)
                            arc += 1
                    sums[i + 1] = _normal(part, power)
                state = _word_state(seed, <uint64_t> (draws[w] if draws.shape[0] else 0),
                                    &data[begin], size, names)
                i = size
                while i > 0:
                    token = which[begin + i - 1]   # the longest token that ends here
                    left = _uniform(&state) * sums[i].part
                    single = &singles[min(<Py_ssize_t> data[begin + i - 1], beyond)]
                    left -= _shifted(single.part * sums[i - 1].part,
                                     single.power + sums[i - 1].power - sums[i].power)
                    start = i - 1
                    which[begin + i - 1] = SINGLE
                    if token >= 0:
                        arc = &weights[links[token]]
                        end = &weights[links[token + 1]]
                        # if rounding leaves a rest, take the last token that has a weight
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
                        which[begin + i - 1] = INSIDE
                    i = start
        free(sums)

    def join(self, const int32_t[::1] left, const int32_t[::1] right, const int32_t[::1] rank,
             const int32_t[::1] tokens, const int64_t[::1] offsets):
        """Prepares for `merges`, from the last pair that produces each token.

        The pairs are those of `MergeSegmenter.last_pairs`.

        O(symbols of tokens) time and memory.
        """
        cdef Py_ssize_t t, i
        cdef int32_t node, token, shorter
        cdef int64_t[::1] keys = _array(left.shape[0], "q")
        if self.halves != NULL:
            raise ValueError("the pairs are set already")
        self.pairs = _table(left, right, rank, &self.slots)
        self.filter = _pair_filter(self.pairs, self.slots, &self.bits)
        self.halves = <Half *> malloc((left.shape[0] + 1) * sizeof(Half))
        if self.halves == NULL:
            raise MemoryError
        for t in range(left.shape[0]):  # parts are shorter than what they form
            keys[t] = self.longest - self.lengths[t]
        self.rungs = _ladders(left, right, rank, _largest_first(keys, 0), self.halves)
        for t in range(left.shape[0]):
            node = 0
            shorter = -1
            for i in range(offsets[t], offsets[t + 1] - 1):
                node = self._child(node, tokens[i])
                token = self.nodes[node].token
                if token >= 0 and left[token] != -1:
                    shorter = token
            self.halves[t].shorter = shorter

    def merges(self, data, const int64_t[::1] offsets,
               Py_ssize_t first, Py_ssize_t last, int32_t[::1] which, bint whole):
        """Segments words first..last - 1 by byte pair encoding, from left to right.

        A word has exactly one partition into tokens that can all be neighbors (`_neighbours.pxi`
        has the proof).  It is found by backtracking: at each position the longest token that can
        follow the previous one is taken; if none can, not even the single symbol, the previous one
        was wrong.  No position is reached twice, since a prefix of the word has one partition, too.

        With `whole`, a word that is a token stays whole.  The output is that of `shortest_path`.
        Returns a list of the words that were given up: those where more than `MAX_PAIRS` pairs per
        symbol, or `NODES` times as many nodes, would be checked; a queue is faster for them.
        O(symbols) time and O(1) memory.
        """
        if memoryview(data).itemsize == 1:  # as in `shortest_path`
            return self._merges[uint8_t](data, offsets, first, last, which, whole)
        return self._merges[int32_t](data, offsets, first, last, which, whole)

    cdef list _merges(self, const Symbol[::1] data, const int64_t[::1] offsets,
                      Py_ssize_t first, Py_ssize_t last, int32_t[::1] which, bint whole):
        cdef Py_ssize_t w, i, size, begin
        cdef int32_t token
        cdef list given_up = []
        with nogil:
            for w in range(first, last):
                begin = offsets[w]
                size = offsets[w + 1] - begin
                if whole:
                    token = self._token(data, begin, begin + size)
                    if token >= 0:
                        for i in range(begin, begin + size - 1):
                            which[i] = INSIDE
                        which[begin + size - 1] = token
                        continue
                if self._merged(&data[begin], size, &which[begin]):
                    self._trace(which, begin, begin + size)
                else:
                    with gil:
                        given_up.append(w)
        return given_up

    cdef bint _merged(self, const Symbol *word, Py_ssize_t size, int32_t *which) noexcept nogil:
        """Writes each token's index at its last symbol; returns False if it gives the word up."""
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t steps = 0
        cdef Py_ssize_t max_steps = MAX_PAIRS * (size + 16)
        cdef int32_t token = self._longest(word, size, 0, &steps)
        # a single symbol has one rung
        cdef Rung symbol_before = Rung(0, NEVER, NEVER)
        cdef Rung symbol = Rung(0, NEVER, NEVER)
        cdef const Rung *before = NULL   # rungs of the piece that ends at i
        cdef const Rung *after
        while steps < max_steps:
            if token >= 0:
                after = self.rungs + self.halves[token].left
            else:
                symbol.piece = FIRST_SYMBOL - <int32_t> word[i]
                after = &symbol
            if i == 0 or _can_meet(before, after, self.pairs, self.slots, self.filter, self.bits,
                                   &steps):
                i += self.lengths[token] if token >= 0 else 1
                which[i - 1] = token
                if i == size:
                    return True
                token = self._longest(word, size, i, &steps)
            else:
                while token < 0:  # the single symbol was the last one to try
                    token = which[i - 1]
                    i -= self.lengths[token] if token >= 0 else 1
                token = self.halves[token].shorter
            if i and which[i - 1] >= 0:
                before = self.rungs + self.halves[which[i - 1]].right
            elif i:
                symbol_before.piece = FIRST_SYMBOL - <int32_t> word[i - 1]
                before = &symbol_before
        return False

    cdef inline int32_t _longest(self, const Symbol *word, Py_ssize_t size, Py_ssize_t i,
                                 Py_ssize_t *steps) noexcept nogil:
        """The longest token at i that merging produces, or -1; counts the steps to find it."""
        cdef Py_ssize_t begin = i
        cdef int32_t node = 0
        cdef int32_t token = -1
        while i < size:
            node = self._child(node, word[i])
            if node < 0:
                break
            if self.nodes[node].token >= 0:
                token = self.nodes[node].token
            i += 1
        steps[0] += (i - begin) // NODES
        # look up only the longest one, because each look-up waits for memory
        if token >= 0 and self.halves[token].left == -1:
            token = self.halves[token].shorter
        return token

    cdef int32_t _token(self, const Symbol[::1] data, Py_ssize_t begin,
                        Py_ssize_t end) noexcept nogil:
        """The token with the symbols data[begin:end], or -1."""
        cdef int32_t node = 0
        cdef Py_ssize_t i
        for i in range(begin, end):
            node = self._child(node, data[i])
            if node < 0:
                return -1
        return self.nodes[node].token

    def splits(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        """Returns every way to form a token from two parts, each a token or a single symbol.

        The arguments are the arrays that the Segmenter was made from.  Returns the left parts, the
        right parts (int32: a token's index, or `FIRST_SYMBOL` − symbol) and the tokens, in order.
        O(Σ length²) time.
        """
        cdef Py_ssize_t t, i, begin, end
        cdef int32_t node, left, right
        lefts, rights, wholes = [], [], []
        for t in range(offsets.shape[0] - 1):
            begin, end = offsets[t], offsets[t + 1]
            node = 0
            for i in range(begin, end - 1):
                node = self._child(node, tokens[i])
                left = FIRST_SYMBOL - tokens[i] if i == begin else self.nodes[node].token
                if left == -1:
                    continue
                if i == end - 2:
                    right = FIRST_SYMBOL - tokens[end - 1]
                else:
                    right = self._token(tokens, i + 1, end)
                if right == -1:
                    continue
                lefts.append(left)
                rights.append(right)
                wholes.append(t)
        return tuple(_array_of(part) for part in (lefts, rights, wholes))
