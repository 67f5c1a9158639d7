# A heap of pairs of adjacent pieces with the next one to merge at the top; each pair stores its
# place in the heap.  Included by _merge_training.pyx.

cdef extern from *:
    """
    /* the sign of a·b·c − d·e·f, exactly: each factor is below 2^63 */
    static int compare_products(uint64_t a, uint64_t b, uint64_t c,
                                uint64_t d, uint64_t e, uint64_t f) {
        unsigned __int128 p = (unsigned __int128) b * c, q = (unsigned __int128) e * f;
        unsigned __int128 low_p = (unsigned __int128) (uint64_t) p * a;
        unsigned __int128 low_q = (unsigned __int128) (uint64_t) q * d;
        unsigned __int128 high_p = (p >> 64) * a + (low_p >> 64);
        unsigned __int128 high_q = (q >> 64) * d + (low_q >> 64);
        if (high_p != high_q) return high_p > high_q ? 1 : -1;
        if ((uint64_t) low_p != (uint64_t) low_q)
            return (uint64_t) low_p > (uint64_t) low_q ? 1 : -1;
        return 0;
    }
    """
    int compare_products(uint64_t a, uint64_t b, uint64_t c,
                         uint64_t d, uint64_t e, uint64_t f) noexcept nogil


cdef enum:
    FEW = 2             # places that need no memory of their own: most pairs have no more
    # in place of the place in the heap
    OUTSIDE = -1        # it is not in the heap
    NEW = -2            # neither, and it is among the changed pairs
    # in place of the number of places where none are listed
    MERGED = 0xFFFFFFFE     # the merge was made
    EXCLUDED = 0xFFFFFFFF   # it is never made: its token is too long or forbidden


cdef union Places:
    int32_t few[FEW]
    int64_t many         # the block of their list
    int32_t rank         # of a pair that was merged, the number of its merge
    int32_t next         # of an unused pair, the next one


cdef struct Pair:
    int64_t count        # current number of its occurrences
    int32_t left
    int32_t right
    Places places        # where it has begun, until it is merged; some places may be outdated
    uint32_t n_places    # more than FEW: they are in a block
    int32_t heap_place   # its index in the heap, or see OUTSIDE


cdef struct Entry:
    # a pair in the heap
    int64_t count        # that of the pair when the entry was made
    int32_t number       # of the pair


cdef struct Score:
    # what a pair has besides if pairs are scored
    int64_t left_count   # counts of its parts when its entry was made
    int64_t right_count
    double score         # count / (left_count · right_count), rounded
    int32_t next_left    # the next pair with the same left part
    int32_t next_right
    uint8_t in_left      # whether it is in the list of pairs of its left part
    uint8_t in_right
    uint8_t changed


cdef inline bint _precedes(const Pair *pairs, const Score *scores, Entry a,
                           Entry b) noexcept nogil:
    """Whether pair a is merged before pair b; `scores` is NULL if pairs are not scored."""
    cdef const Score *first
    cdef const Score *second
    cdef int order
    if scores != NULL:
        first = &scores[a.number]
        second = &scores[b.number]
        # each rounded score has a relative error of at most 10^-15
        if first.score > second.score * (1 + 1e-14):
            return True
        if second.score > first.score * (1 + 1e-14):
            return False
        order = compare_products(a.count, second.left_count, second.right_count,
                                 b.count, first.left_count, first.right_count)
        if order:
            return order > 0
    if a.count != b.count:
        return a.count > b.count
    if pairs[a.number].left != pairs[b.number].left:
        return pairs[a.number].left < pairs[b.number].left
    return pairs[a.number].right < pairs[b.number].right


cdef void _sift(Pair *pairs, const Score *scores, Entry *heap, Py_ssize_t size,
                Py_ssize_t place, Entry entry) noexcept nogil:
    """Moves a pair to its place in the heap, starting from a free place."""
    cdef Py_ssize_t other
    while place and _precedes(pairs, scores, entry, heap[(place - 1) // 2]):
        other = (place - 1) // 2
        heap[place] = heap[other]
        pairs[heap[place].number].heap_place = <int32_t> place
        place = other
    while 2 * place + 1 < size:
        other = 2 * place + 1
        if other + 1 < size and _precedes(pairs, scores, heap[other + 1], heap[other]):
            other += 1
        if not _precedes(pairs, scores, heap[other], entry):
            break
        heap[place] = heap[other]
        pairs[heap[place].number].heap_place = <int32_t> place
        place = other
    heap[place] = entry
    pairs[entry.number].heap_place = <int32_t> place
