# GreedTok, GreedWMC and byte pair encoding on tiny instances.  Included by _worst_case.pyx, after
# _tiny_instance.pxi.

cdef enum Method:
    GREEDTOK = 0
    GREEDWMC = 1
    RELAXED = 2         # GreedWMC by its own objective, compared with the optimum of that objective
    BPE = 3


cdef int64_t _place(const Tiny *t, const Token *token, uint64_t *mask) noexcept nogil:
    """Places a token from left to right where no pair at its ends is covered; returns the gain."""
    cdef uint64_t left = token.starts
    cdef uint64_t inside, one
    cdef int64_t gain = 0
    cdef int p
    while left:
        p = lowest(left)
        left &= left - 1
        one = <uint64_t> 1 << p
        if mask[0] & (one >> 1 | one << (token.length - 1)):
            continue
        inside = _inside(p, token.length)
        gain += t.counts[t.word_of[p]] * popcount(inside & ~mask[0])
        mask[0] |= inside
    return gain


cdef void _greedy(const Tiny *t, int k, bint relaxed, Best *best, bint *tied) noexcept nogil:
    """Runs GreedTok or GreedWMC, with the tie rules of `_greedy.Greedy`.

    Sets `tied` if two tokens of equal length tied: then the result depends on the symbols' names.
    """
    cdef uint64_t mask = 0
    cdef uint64_t now
    cdef int64_t score, top
    cdef int pick, c
    cdef bint even
    cdef const Token *a
    cdef const Token *b
    best.cover = 0
    best.size = 0
    tied[0] = False
    while best.size < k:
        pick = -1
        top = 0
        even = False
        for c in range(t.tokens):
            a = &t.token[c]
            if a.weight < top:
                continue
            if relaxed:
                score = _weight(t, a.cover & ~mask)
            else:
                now = mask
                score = _place(t, a, &now)
            if score == 0 or score < top:
                continue
            if score == top:
                b = &t.token[pick]
                if a.length == b.length:
                    even = True
                    if a.key < b.key:
                        continue
                elif (a.length > b.length) != relaxed:
                    continue
                else:
                    even = False
            else:
                even = False
            pick = c
            top = score
        if pick < 0:
            break
        if even:
            tied[0] = True
        if relaxed:
            mask |= t.token[pick].cover
        else:
            _place(t, &t.token[pick], &mask)
        best.cover += top
        best.tokens[best.size] = pick
        best.size += 1


cdef struct Piece:
    uint64_t key
    int start
    int length


cdef inline int _order(const Piece *a, const Piece *b) noexcept nogil:
    """Compares two pieces lexicographically: -1, 0 or 1."""
    if a.key != b.key:
        return 1 if a.key > b.key else -1
    return (a.length > b.length) - (a.length < b.length)


cdef void _bpe(const Tiny *t, int k, Best *best, int *lengths, bint *tied) noexcept nogil:
    """Runs byte pair encoding: the most frequent pair of adjacent pieces is merged, k times.

    A pair of equal pieces is counted from the left without overlaps, as it is merged.  Ties go
    to the lexicographically smallest left piece, then right piece.  It stops when no pair is
    left; it also merges pairs that occur once.  `best.tokens` receives text positions, `lengths`
    the tokens' lengths.
    """
    cdef Piece pieces[MAX_SYMBOLS]
    cdef int last[MAX_SYMBOLS]           # the number of pieces in the words up to this one
    cdef int w, i, j, v, kept, begin, pick, order
    cdef int n_pieces = 0
    cdef int64_t count, top
    cdef bint even
    cdef Piece left, right
    best.size = 0
    best.cover = 0
    tied[0] = False
    for w in range(t.words):
        for i in range(t.begin[w], t.begin[w + 1]):
            pieces[n_pieces].start = i
            pieces[n_pieces].length = 1
            pieces[n_pieces].key = <uint64_t> t.text[i] << 60
            n_pieces += 1
        last[w] = n_pieces
    while best.size < k:
        top = 0
        pick = -1
        even = False
        begin = 0
        for w in range(t.words):
            for i in range(begin, last[w] - 1):
                count = 0
                kept = 0
                for v in range(t.words):
                    j = kept
                    kept = last[v]
                    while j + 1 < last[v]:
                        if _order(&pieces[j], &pieces[i]) == 0 and \
                                _order(&pieces[j + 1], &pieces[i + 1]) == 0:
                            count += t.counts[v]
                            j += 1
                        j += 1
                if count < top:
                    continue
                if count == top:
                    order = _order(&pieces[i], &pieces[pick])
                    if order == 0:
                        order = _order(&pieces[i + 1], &pieces[pick + 1])
                    if order == 0:
                        continue
                    even = True
                    if order > 0:
                        continue
                else:
                    even = False
                top = count
                pick = i
            begin = last[w]
        if pick < 0:
            break
        if even:
            tied[0] = True
        left = pieces[pick]
        right = pieces[pick + 1]
        best.tokens[best.size] = left.start
        lengths[best.size] = left.length + right.length
        best.size += 1
        kept = 0
        j = 0
        for w in range(t.words):
            while j < last[w]:
                pieces[kept] = pieces[j]
                if j + 1 < last[w] and _order(&pieces[j], &left) == 0 and \
                        _order(&pieces[j + 1], &right) == 0:
                    pieces[kept].key |= pieces[j + 1].key >> (4 * left.length)
                    pieces[kept].length += right.length
                    best.cover += t.counts[w]
                    j += 1
                kept += 1
                j += 1
            last[w] = kept


cdef int64_t _run(const Tiny *t, int k, Method method, Best *best, bint *tied) noexcept nogil:
    """Runs a method and returns the cover of its tokens."""
    cdef int lengths[MAX_SYMBOLS]
    if method == BPE:
        _bpe(t, k, best, lengths, tied)
    else:
        _greedy(t, k, method != GREEDTOK, best, tied)
        if method == GREEDWMC:
            best.cover = _cover(t, best.tokens, best.size)
    return best.cover
