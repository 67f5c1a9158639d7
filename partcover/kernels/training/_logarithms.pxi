# Natural logarithms and exponentials.  Included by _unigram.pyx, after _weights.pxi.
#
# Those of C libraries and of NumPy differ in the last bit between processors and systems, and so
# would scores.  These consist of operations whose results IEEE 754 fixes.

cdef double HIGH = 0.6931471804855391   # the first 33 bits of the logarithm of 2
cdef double LOW = 7.440617110012397e-11     # the rest


cdef inline double _log(double x) noexcept nogil:
    """The natural logarithm of 2^-1000 <= x <= 2^1000, with an error of less than one ulp."""
    cdef Weight weight = _normal(x, 0)
    cdef double f, s, z, half, more
    if weight.part > 1.4142135623730951:
        weight = Weight(weight.part / 2, weight.power + 1)
    f = weight.part - 1
    s = f / (2 + f)
    z = s * s
    # log(1 + f) = 2 artanh(s) = f - half + s · (half + more)
    half = f * f / 2
    more = z * (2 / 3.0 + z * (2 / 5.0 + z * (2 / 7.0 + z * (2 / 9.0 + z * (2 / 11.0 + z * (
        2 / 13.0 + z * (2 / 15.0 + z * (2 / 17.0 + z * (2 / 19.0 + z * (2 / 21.0))))))))))
    return weight.power * HIGH - ((half - (s * (half + more) + weight.power * LOW)) - f)


cdef inline Weight _exp(double x) noexcept nogil:
    """The exponential of |x| <= 2^31; the error of its part is less than two ulps up to 10^6."""
    cdef int64_t power = <int64_t> floor(x * 1.4426950408889634)
    cdef double r = (x - power * HIGH) - power * LOW
    cdef double part = 1
    cdef int n
    for n in range(20, 0, -1):
        part = 1 + part * r / n
    return Weight(part, power)
