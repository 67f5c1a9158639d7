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


cdef struct Pair:
    int64_t count        # current number of its occurrences
    int64_t key          # its count in the heap; 0: it is not in the heap
    int64_t left_count   # counts of its parts when `key` was set, if pairs are scored
    int64_t right_count
    double score         # key / (left_count · right_count), rounded
    int32_t left
    int32_t right
    int32_t *places      # where it has begun, until it is merged; some places may be outdated
    uint32_t n_places
    uint32_t place_room
    int32_t heap_place   # its index in the heap, or -1
    int32_t rank         # the number of its merge, or -1
    int32_t next_left    # the next pair with the same left part, if pairs are scored
    int32_t next_right
    bint in_left         # whether it is in the list of pairs of its left part
    bint in_right
    bint changed
    bint excluded        # never merged: its token is too long or forbidden


cdef inline bint _precedes(const Pair *a, const Pair *b, bint scored) noexcept nogil:
    """Whether pair a is merged before pair b."""
    cdef int order
    if scored:
        # each rounded score has a relative error of at most 10^-15
        if a.score > b.score * (1 + 1e-14):
            return True
        if b.score > a.score * (1 + 1e-14):
            return False
        order = compare_products(a.key, b.left_count, b.right_count,
                                 b.key, a.left_count, a.right_count)
        if order:
            return order > 0
    if a.key != b.key:
        return a.key > b.key
    if a.left != b.left:
        return a.left < b.left
    return a.right < b.right


cdef void _sift(Pair *pairs, int32_t *heap, Py_ssize_t size, bint scored, Py_ssize_t place,
                int32_t number) noexcept nogil:
    """Moves a pair to its place in the heap, starting from a free place."""
    cdef const Pair *pair = &pairs[number]
    cdef Py_ssize_t other
    while place and _precedes(pair, &pairs[heap[(place - 1) // 2]], scored):
        other = (place - 1) // 2
        heap[place] = heap[other]
        pairs[heap[place]].heap_place = <int32_t> place
        place = other
    while 2 * place + 1 < size:
        other = 2 * place + 1
        if other + 1 < size and _precedes(&pairs[heap[other + 1]],
                                          &pairs[heap[other]], scored):
            other += 1
        if not _precedes(&pairs[heap[other]], pair, scored):
            break
        heap[place] = heap[other]
        pairs[heap[place]].heap_place = <int32_t> place
        place = other
    heap[place] = number
    pairs[number].heap_place = <int32_t> place
