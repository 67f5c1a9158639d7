# The hash of a run of bytes that the tables of words share.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    static inline uint64_t pc_load8(const uint8_t *p) { uint64_t x; memcpy(&x, p, 8); return x; }
    static inline uint32_t pc_load4(const uint8_t *p) { uint32_t x; memcpy(&x, p, 4); return x; }
    """
    uint64_t load8 "pc_load8"(const uint8_t *p) noexcept nogil
    uint32_t load4 "pc_load4"(const uint8_t *p) noexcept nogil


cdef inline uint64_t _mix(uint64_t x) noexcept nogil:
    x *= <uint64_t> 0x9E3779B97F4A7C15
    return x ^ (x >> 29)


cdef inline uint32_t _hash(const uint8_t *p, int64_t n) noexcept nogil:
    cdef uint64_t h = <uint64_t> n
    cdef int64_t i
    if n >= 8:
        for i in range(0, n - 8, 8):
            h = _mix(h ^ load8(p + i))
        h = _mix(h ^ load8(p + n - 8))        # may overlap the block before it
    elif n >= 4:
        h = _mix(h ^ ((<uint64_t> load4(p) << 32) | load4(p + n - 4)))
    else:
        h = _mix(h ^ ((<uint64_t> p[0] << 24) | (<uint64_t> p[n >> 1] << 16) | p[n - 1]))
    h = _mix(h)
    return <uint32_t> (h >> 32)
