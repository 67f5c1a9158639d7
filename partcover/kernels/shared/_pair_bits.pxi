# A filter of pairs, with one bit for each hash.  Included by the kernels that merge, after
# _pairs.pxi.

cdef inline uint64_t _bit(uint64_t key, uint64_t mask) noexcept nogil:
    # The hash has no secret key: keys chosen to collide only cost one look-up each in the table of
    # pairs.
    return (key * <uint64_t> 0x9E3779B97F4A7C15 >> 24) & mask


cdef inline bint _may_merge(const uint64_t *filter, uint64_t mask, uint64_t key) noexcept nogil:
    """Whether a key may be that of a pair; False for most others.  The filter fits in the cache."""
    cdef uint64_t bit = _bit(key, mask)
    return filter[bit >> 6] >> (bit & 63) & 1
