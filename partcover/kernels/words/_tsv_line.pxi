# The two columns of a line of counted words.  Included by _word_table.pyx.

cdef inline int _hex_digit(uint8_t c) noexcept nogil:
    """The value of a hexadecimal digit, or -1."""
    if c'0' <= c <= c'9':
        return c - c'0'
    c |= 0x20
    if c'a' <= c <= c'f':
        return c - c'a' + 10
    return -1


cdef int64_t _unescape(const uint8_t *p, int64_t n, uint8_t *out) noexcept nogil:
    """Decodes ``\\\\ \\t \\n \\r \\xHH``; returns the length, or -1 for a broken escape."""
    cdef int64_t i = 0, used = 0
    cdef uint8_t c
    while i < n:
        c = p[i]
        i += 1
        if c == c'\\':
            if i == n:
                return -1
            c = p[i]
            i += 1
            if c == c't':
                c = c'\t'
            elif c == c'n':
                c = c'\n'
            elif c == c'r':
                c = c'\r'
            elif c == c'x':
                if i + 2 > n or _hex_digit(p[i]) < 0 or _hex_digit(p[i + 1]) < 0:
                    return -1
                c = <uint8_t> (16 * _hex_digit(p[i]) + _hex_digit(p[i + 1]))
                i += 2
            elif c != c'\\':
                return -1
        out[used] = c
        used += 1
    return used


cdef int64_t _count(const uint8_t *p, int64_t n) noexcept nogil:
    """The value of a decimal count from 1 to the largest int64, or 0."""
    cdef int64_t i, value = 0
    cdef int digit
    for i in range(n):
        if not c'0' <= p[i] <= c'9':
            return 0
        digit = p[i] - c'0'
        if value > (INT64_MAX - digit) // 10:
            return 0
        value = 10 * value + digit
    return value
