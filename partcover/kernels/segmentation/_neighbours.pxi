# Which tokens can be neighbors when adjacent pieces merge by rank (byte pair encoding).  A piece is
# a token or a single symbol.  Included by _segment.pyx, after _pairs.pxi.
#
# Theorem.  A word has exactly one partition into pieces that merging produces and of which each two
# adjacent ones can be neighbors: the partition that merging the word produces.  The same holds for
# each prefix of the word.
#
# Proof.  If merging a word produces the neighbors u and v, nothing merged across their borders.  So
# between these borders the merges were those of the word uv alone: merging uv produces u and v.
# Conversely, let each two adjacent pieces of a partition be neighbors in this sense, and take the
# first merge across a border between two of them.  Until then these two had the merges of their own
# word, in the same order.  So that merge would be possible in their own word, and be next there,
# which contradicts that they are neighbors.  So nothing merges across a border, and merging
# produces these pieces.
#
# The order of merges.  In the word uv, as long as nothing has merged across the border, the merges
# are those of u and those of v, the lower rank first, and on a tie that of u.  So a merge of v, for
# example, comes after all merges of u whose rank is lower than its own rank or than that of an
# earlier merge of v: its turn is the highest rank up to it.  At the border there are first the last
# symbol of u and the first symbol of v, then the pieces into which these merge, up to u and v.  Let
# x and y be at the border at the same time.  Would they merge before one of them merges into its
# next piece?  They would if their rank is lower than the highest rank of the merges until then.
# These are merges of u alone or of v alone, since the turns of the others are later.

cdef struct Rung:        # a piece at a token's border; the first rung is the symbol there
    int32_t piece
    int32_t turn  # the turn of the merge that produces the next rung; NEVER for the token itself
    int32_t limit  # the highest rank among the merges from the one that produced it to that one


cdef struct Half:
    int32_t left  # index of the first rung at its left border; -1: merging never produces the token
    int32_t right        # index of the first rung at its right border
    # the longest shorter token that it begins with and that merging produces, or -1
    int32_t shorter


cdef uint64_t *_pair_filter(const Pair *pairs, uint64_t slots, uint64_t *bits) except NULL:
    """Returns the filter of `_may_merge`: one hash, and at least eight bits for each pair.

    `slots` and `bits` are masks: of the table of pairs, and of the filter.
    """
    cdef uint64_t i, bit
    cdef uint64_t *filter
    cdef Py_ssize_t room = 64
    cdef Py_ssize_t n = 0
    for i in range(slots + 1):
        n += pairs[i].rank != NEVER
    while room < 8 * n:
        room *= 2
    bits[0] = room - 1
    filter = <uint64_t *> calloc(room >> 6, sizeof(uint64_t))
    if filter == NULL:
        raise MemoryError
    for i in range(slots + 1):
        if pairs[i].rank != NEVER:
            bit = _bit(pairs[i].key, bits[0])
            filter[bit >> 6] |= <uint64_t> 1 << (bit & 63)
    return filter


cdef Rung *_ladders(const int32_t[::1] left, const int32_t[::1] right, const int32_t[::1] rank,
                    const int32_t[::1] order, Half *halves) except NULL:
    """Returns the rungs of all tokens; sets where each token's rungs begin, left and right.

    The arguments are the sides and the rank of each token's last merge, where the left side is -1
    if there is none, and an order of the tokens in which parts precede what they form.
    """
    cdef Py_ssize_t i, t, side, at, below
    cdef int32_t a, b, part, turn_a, turn_b
    cdef Py_ssize_t size = 0
    cdef Rung *rungs
    cdef int32_t[::1] turn = _filled(left.shape[0], -1)     # the highest rank of a token's merges
    # of each token at its left, then at its right
    cdef int32_t[::1] limit = _filled(2 * left.shape[0], -1)
    cdef int64_t[::1] depth = _array(2 * left.shape[0], "q")
    for i in range(order.shape[0]):
        t = order[i]
        halves[t] = Half(-1, -1, -1)
        if left[t] == -1:
            continue
        a, b = left[t], right[t]
        turn_a = turn[a] if a >= 0 else -1
        turn_b = turn[b] if b >= 0 else -1
        turn[t] = max(rank[t], max(turn_a, turn_b))
        # Once a exists, the merges of b whose turn is not lower remain.  A merge across the border
        # is left of them, so it precedes those of its own rank.
        limit[2 * t] = max(rank[t], turn_b if turn_b >= turn_a else -1) + 1
        # Once b exists, the merges of a whose turn is higher remain.  A merge across the border is
        # right of them.
        limit[2 * t + 1] = max(rank[t], turn_a if turn_a > turn_b else -1)
        depth[2 * t] = 2 if a < 0 else depth[2 * a] + 1
        depth[2 * t + 1] = 2 if b < 0 else depth[2 * b + 1] + 1
        size += depth[2 * t] + depth[2 * t + 1]
    rungs = <Rung *> malloc((size + 1) * sizeof(Rung))
    if rungs == NULL:
        raise MemoryError
    at = 0
    for i in range(order.shape[0]):
        t = order[i]
        if left[t] == -1:
            continue
        for side in range(2):
            part = right[t] if side else left[t]
            if side:
                halves[t].right = <int32_t> at
            else:
                halves[t].left = <int32_t> at
            if part < 0:
                rungs[at] = Rung(part, 0, 0)
                at += 1
            else:
                below = halves[part].right if side else halves[part].left
                memcpy(rungs + at, rungs + below, depth[2 * part + side] * sizeof(Rung))
                at += depth[2 * part + side]
            rungs[at - 1].turn = turn[t]
            rungs[at - 1].limit = limit[2 * t + side]
            rungs[at] = Rung(<int32_t> t, NEVER, NEVER)
            at += 1
    return rungs


cdef inline bint _can_meet(const Rung *x, const Rung *y, const Pair *pairs, uint64_t mask,
                           const uint64_t *filter, uint64_t bits, Py_ssize_t *steps) noexcept nogil:
    """Whether two tokens can be neighbors, by the rungs at their border; `steps` counts pairs."""
    cdef const Rung *next
    while True:
        steps[0] += 1
        next = x if x.turn <= y.turn else y
        if (_may_merge(filter, bits, _key(x.piece, y.piece))
                and _rank(pairs, mask, x.piece, y.piece) < next.limit):
            return False
        if next.turn == NEVER:
            return True
        if next == x:
            x += 1
        else:
            y += 1
