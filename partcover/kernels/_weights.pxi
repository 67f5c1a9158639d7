# What tokens are worth along a path: included by _segment.pyx.

cdef struct Scored:     # a token
    double score
    int32_t length
    int32_t token


cdef struct Weight:
    # part · 2^power, part in [1, 2]
    double part
    int64_t power


cdef struct Weighed:    # a token
    double part
    int64_t power
    int32_t length
    int32_t token


cdef union Double:
    double value
    uint64_t bits


cdef inline Weight _normal(double part, int64_t power) noexcept nogil:
    """A weight whose part is at least 1 and may be above 2."""
    cdef Double number
    cdef int64_t exponent
    number.value = part
    exponent = <int64_t> (number.bits >> 52) - 1023
    number.bits -= <uint64_t> exponent << 52
    return Weight(number.value, power + exponent)


cdef inline double _shifted(double part, int64_t shift) noexcept nogil:
    """part · 2^shift, where shift is not above 0; 0 where it is too small to tell."""
    cdef Double scale
    if shift == 0:
        return part
    if shift < -1000:
        return 0.0
    scale.bits = <uint64_t> (1023 + shift) << 52
    return part * scale.value
