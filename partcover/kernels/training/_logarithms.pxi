# Natural logarithms and exponentials.  Included by _unigram.pyx.
#
# Those of C libraries and of NumPy differ in the last bit between processors and systems, and so
# would scores.  These consist of operations whose results IEEE 754 fixes.

cdef double HIGH = 0.6931471804855391   # the first 33 bits of the logarithm of 2
cdef double LOW = 7.440617110012397e-11     # the rest


cdef inline double _two_to(int64_t power) noexcept nogil:
    """2^power for -1022 <= power <= 1023."""
    cdef uint64_t bits = <uint64_t> (power + 1023) << 52
    cdef double value
    memcpy(&value, &bits, 8)
    return value


cdef inline int64_t _exponent(double x) noexcept nogil:
    """The largest exponent of a power of two that is at most x, for 2^-1022 <= x < infinity."""
    cdef uint64_t bits
    memcpy(&bits, &x, 8)
    return <int64_t> (bits >> 52) - 1023


cdef inline double _log(double x) noexcept nogil:
    """The natural logarithm of 2^-1000 <= x <= 2^1000, with an error of less than one ulp."""
    # x = 2^power · (1 + f), where 1 + f is between the roots of 1/2 and 2
    cdef int64_t power = _exponent(x * 0.7071067811865476) + 1
    cdef double f = x * _two_to(-power) - 1
    cdef double s, z, half, more
    s = f / (2 + f)
    z = s * s
    # log(1 + f) = 2 artanh(s) = f - half + s · (half + more)
    half = f * f / 2
    more = z * (2 / 3.0 + z * (2 / 5.0 + z * (2 / 7.0 + z * (2 / 9.0 + z * (2 / 11.0 + z * (
        2 / 13.0 + z * (2 / 15.0 + z * (2 / 17.0 + z * (2 / 19.0 + z * (2 / 21.0))))))))))
    return power * HIGH - ((half - (s * (half + more) + power * LOW)) - f)


cdef inline double _exp(double x, int64_t *power) noexcept nogil:
    """Returns the part, and sets the power, of which the exponential of x is part · 2^power.

    For |x| <= 10^6.  The part is between 1/2 and 2, with an error of less than two ulps.
    """
    cdef double part = 1
    cdef double r
    cdef int n
    power[0] = <int64_t> (x * 1.4426950408889634)
    r = (x - power[0] * HIGH) - power[0] * LOW
    for n in range(20, 0, -1):
        part = 1 + part * r / n
    return part
