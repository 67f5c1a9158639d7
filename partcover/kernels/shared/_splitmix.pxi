# The random number generator splitmix64 (Steele, Lea and Flood 2014).  Included by the kernels that
# draw.

cdef extern from *:
    """
    #define PC_GOLDEN UINT64_C(0x9E3779B97F4A7C15)
    """
    const uint64_t GOLDEN "PC_GOLDEN"


cdef inline uint64_t _mix(uint64_t x) noexcept nogil:
    """The finalizer: every bit of the result depends on every bit of x."""
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t _next_bits(uint64_t *state) noexcept nogil:
    """The next 64 random bits."""
    state[0] += GOLDEN
    return _mix(state[0])
