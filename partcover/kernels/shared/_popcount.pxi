# The number of ones among 64 bits.  Included by the kernels that store sets of pairs as bits.

cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t mask) noexcept nogil
