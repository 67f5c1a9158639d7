# Which tokens can be neighbours where neighbours merge by rank (byte pair encoding).  Included by
# _segment.pyx, after _pairs.pxi and _pair_bits.pxi.
#
# Theorem.  A word has exactly one partition into tokens that merging makes and that can all be
# neighbours: the one that merging the word makes.  So has each prefix of the word.
#
# Proof.  If merging a word makes the neighbours u and v, nothing merged across their borders, so
# between these borders the merges were those of the word uv alone: merging uv makes u and v.
# Conversely, let each two adjacent pieces of a partition be neighbours in this sense, and take the
# first merge across a border of two of them.  Until then these two had the merges of their own
# word, in the same order; so that merge would be possible in their own word, and be next there,
# which contradicts that they are neighbours.  So nothing merges across, and merging makes these
# pieces.
#
# Which merges come when.  In the word uv, as long as nothing has merged across, the merges are
# those of u and those of v, the lower rank first, u's on a tie.  So a merge of v, say, comes after
# all merges of u whose rank is lower than its own or than that of a merge before it in v: its turn
# is the highest rank up to it.  At the border there are first the last symbol of u and the first of
# v, then what these merge into, up to u and v.  For each x and y that are at the border together:
# would they merge before one of them merges into the next?  They would if their rank is lower than
# the highest rank of the merges until then, and these are u's or v's alone: the others' turns are
# later.

cdef struct Rung:        # one of the pieces at a token's border, the symbol first
    int32_t piece
    int32_t turn         # of the merge that makes the next piece of it; NEVER for the token itself
    int32_t limit        # the highest rank of the merges from the one that made it to that one


cdef struct Half:
    int32_t left         # the first of its rungs at its left border; -1: merging does not make it
    int32_t right        # the first of its rungs at its right border
    int32_t shorter      # the longest token it begins with that merging makes, or -1

_HALF = np.dtype([("left", np.int32), ("right", np.int32), ("shorter", np.int32)])


def _pair_filter(const int32_t[::1] left, const int32_t[::1] right):
    """Returns the filter of `_may_merge`: one hash, at least eight bits for a pair."""
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
    """Returns the rungs of all tokens, and where each token's begin at its left and right border.

    Takes the sides and the rank of each token's last merge, the left side -1 where there is none,
    and the order of the tokens, parts before what they make.
    """
    cdef Py_ssize_t t, side, at
    cdef int32_t a, b, part, first, turn_a, turn_b
    turns = np.full(left.shape[0], -1, np.int32)      # the highest rank of a token's merges
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
        # once a is made, the merges of b whose turn is not lower remain; a merge across is left of
        # them, so it comes before those of its own rank
        limit[0, t] = max(rank[t], turn_b if turn_b >= turn_a else -1) + 1
        # once b is made, those of a whose turn is higher remain; a merge across is right of them
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
    """Whether two tokens can be neighbours, by the rungs at their border; `steps` counts pairs."""
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
