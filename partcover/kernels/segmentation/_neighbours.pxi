# Which tokens can be neighbors when adjacent pieces merge by rank (byte pair encoding).  A piece is
# a token or a single symbol.  Included by _segment.pyx, after _pairs.pxi and _pair_bits.pxi.
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

_HALF = np.dtype([("left", np.int32), ("right", np.int32), ("shorter", np.int32)])


def _pair_filter(const int32_t[::1] left, const int32_t[::1] right):
    """Returns the filter of `_may_merge`: one hash, and at least eight bits for each pair."""
    cdef Py_ssize_t i
    cdef Py_ssize_t room = 64
    cdef uint64_t bit
    while room < 8 * left.shape[0]:
        room *= 2
    cdef uint64_t[::1] filter = np.zeros(room >> 6, np.uint64)
    for i in range(left.shape[0]):
        bit = _bit(_key(left[i], right[i]), room - 1)
        filter[bit >> 6] |= <uint64_t> 1 << (bit & 63)
    return np.asarray(filter)


def _ladders(const int32_t[::1] left, const int32_t[::1] right, const int32_t[::1] rank,
             const int64_t[::1] order):
    """Returns the rungs of all tokens, and where each token's rungs begin, at its left and right.

    The arguments are the sides and the rank of each token's last merge, where the left side is -1
    if there is none, and an order of the tokens in which parts precede what they form.
    """
    cdef Py_ssize_t t, side, at
    cdef int32_t a, b, part, first, turn_a, turn_b
    turns = np.full(left.shape[0], -1, np.int32)      # the highest rank among a token's merges
    limits = np.full((2, left.shape[0]), -1, np.int32)
    depths = np.zeros((2, left.shape[0]), np.int64)
    starts = np.full((2, left.shape[0]), -1, np.int32)
    cdef int32_t[::1] turn = turns
    cdef int32_t[:, ::1] limit = limits, start = starts
    cdef int64_t[:, ::1] depth = depths
    for t in order:
        if left[t] == -1:
            continue
        a, b = left[t], right[t]
        turn_a = turn[a] if a >= 0 else -1
        turn_b = turn[b] if b >= 0 else -1
        turn[t] = max(rank[t], max(turn_a, turn_b))
        # Once a exists, the merges of b whose turn is not lower remain.  A merge across the border
        # is left of them, so it precedes those of its own rank.
        limit[0, t] = max(rank[t], turn_b if turn_b >= turn_a else -1) + 1
        # Once b exists, the merges of a whose turn is higher remain.  A merge across the border is
        # right of them.
        limit[1, t] = max(rank[t], turn_a if turn_a > turn_b else -1)
        depth[0, t] = 2 if a < 0 else depth[0, a] + 1
        depth[1, t] = 2 if b < 0 else depth[1, b] + 1
    rungs = np.zeros(depths.sum(), [("piece", np.int32), ("turn", np.int32), ("limit", np.int32)])
    cdef Rung[::1] rung = rungs
    at = 0
    for t in order:
        if left[t] == -1:
            continue
        for side in range(2):
            part = right[t] if side else left[t]
            start[side, t] = <int32_t> at
            if part < 0:
                rung[at] = Rung(part, 0, 0)
                at += 1
            else:
                first = start[side, part]
                rung[at : at + depth[side, part]] = rung[first : first + depth[side, part]]
                at += depth[side, part]
            rung[at - 1].turn = turn[t]
            rung[at - 1].limit = limit[side, t]
            rung[at] = Rung(<int32_t> t, NEVER, NEVER)
            at += 1
    return rungs, starts[0], starts[1]


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
