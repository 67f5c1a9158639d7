# The number of ones of 64 bits: included by the kernels that have sets of pairs as bits.

cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t mask) noexcept nogil
