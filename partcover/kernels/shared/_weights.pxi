# Weights that are too small for floating point.  Included by the kernels that multiply
# probabilities along a word.

cdef enum:
    MIN_SHIFT = -1000   # a weight below 2^MIN_SHIFT of another counts as 0


cdef struct Weight:     # the number part · 2^power, part in [1, 2] but for rounding
    double part
    int64_t power


cdef union Double:
    double value
    uint64_t bits


cdef inline Weight _normal(double part, int64_t power) noexcept nogil:
    """The weight part · 2^power, for a normal number as part, which is brought into [1, 2)."""
    cdef Double number
    cdef int64_t exponent
    number.value = part
    exponent = <int64_t> (number.bits >> 52) - 1023
    number.bits -= <uint64_t> exponent << 52
    return Weight(number.value, power + exponent)


cdef inline double _shifted(double part, int64_t shift) noexcept nogil:
    """part · 2^shift for a shift of at most 0; 0 below `MIN_SHIFT`."""
    cdef Double scale
    if shift == 0:
        return part
    if shift < MIN_SHIFT:
        return 0.0
    scale.bits = <uint64_t> (1023 + shift) << 52
    return part * scale.value
