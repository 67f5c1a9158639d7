# Sets of numbers below 64 as bits.  Included by the kernels that store or compute such sets.

cdef extern from *:
    """
    #define pc_length(x) (64 - __builtin_clzll(x))
    """
    int popcount "__builtin_popcountll"(uint64_t x) noexcept nogil
    # the index of the lowest bit, and that of the highest bit + 1; x is not 0
    int _lowest "__builtin_ctzll"(uint64_t x) noexcept nogil
    int _length "pc_length"(uint64_t x) noexcept nogil


cdef inline uint64_t _below(int n) noexcept nogil:
    """The lowest n bits, for n <= 64."""
    return ~<uint64_t> 0 >> (64 - n) if n else 0
