# Pairs of adjacent pieces with the rank at which they merge, in an open-addressing table.  Included
# by the kernels that merge, after _hash.pxi.

cpdef enum:
    FIRST_SYMBOL = -2    # a side of a pair is a token's index, or FIRST_SYMBOL - symbol

cdef enum:
    NEVER = 2147483647   # a rank after all others, for pairs that do not merge


cdef struct Pair:
    uint64_t key     # left << 32 | right
    int32_t rank     # NEVER: the slot is empty


cdef inline uint64_t _key(int32_t left, int32_t right) noexcept nogil:
    return <uint64_t> left << 32 | (<uint64_t> right & <uint64_t> 0xFFFFFFFF)


cdef inline int32_t _rank(const Pair *pairs, uint64_t mask, int32_t left,
                          int32_t right) noexcept nogil:
    """The rank of a pair, or NEVER."""
    cdef uint64_t key = _key(left, right)
    cdef uint64_t slot = hash_number(key) & mask
    while pairs[slot].key != key and pairs[slot].rank != NEVER:
        slot = (slot + 1) & mask
    return pairs[slot].rank


cdef Pair *_table(const int32_t[::1] left, const int32_t[::1] right, const int32_t[::1] rank,
                  uint64_t *mask) except NULL:
    """Returns a table of distinct pairs, without those whose left side is -1.

    At least half of its slots, whose number is `mask` + 1, a power of 2, are empty.
    """
    cdef Py_ssize_t room = 16
    cdef Py_ssize_t i
    cdef Py_ssize_t n = 0
    cdef uint64_t key, slot
    cdef Pair *pairs
    for i in range(left.shape[0]):
        n += left[i] != -1
    while room < 2 * n:
        room *= 2
    mask[0] = room - 1
    pairs = <Pair *> malloc(room * sizeof(Pair))
    if pairs == NULL:
        raise MemoryError
    for i in range(room):
        pairs[i] = Pair(0, NEVER)
    for i in range(left.shape[0]):
        if left[i] == -1:
            continue
        key = _key(left[i], right[i])
        slot = hash_number(key) & mask[0]
        while pairs[slot].rank != NEVER:
            slot = (slot + 1) & mask[0]
        pairs[slot] = Pair(key, rank[i])
    return pairs


cdef uint64_t _displacement(const Pair *pairs, uint64_t mask) noexcept nogil:
    """Returns the sum of the pairs' distances from their home slots."""
    cdef uint64_t i, total = 0
    for i in range(mask + 1):
        if pairs[i].rank != NEVER:
            total += (i - hash_number(pairs[i].key)) & mask
    return total


# A filter of pairs, with one bit for each hash.

cdef inline uint64_t _bit(uint64_t key, uint64_t mask) noexcept nogil:
    # The hash has no secret key: keys chosen to collide only cost one look-up each in the table of
    # pairs.
    return (key * <uint64_t> 0x9E3779B97F4A7C15 >> 24) & mask


cdef inline bint _may_merge(const uint64_t *filter, uint64_t mask, uint64_t key) noexcept nogil:
    """Whether a key may be that of a pair; False for most others.  The filter fits in the cache."""
    cdef uint64_t bit = _bit(key, mask)
    return filter[bit >> 6] >> (bit & 63) & 1
