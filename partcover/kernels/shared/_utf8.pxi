# Decodes characters as Python does with ``surrogateescape``.  Included by the kernels that read
# text.

cdef inline int32_t _code(const uint8_t *p, const uint8_t *end, int *size) noexcept nogil:
    """The character at `p` < `end` and its length in bytes."""
    cdef int64_t n = end - p
    cdef uint8_t c = p[0]
    size[0] = 1
    if c < 0x80:
        return c
    if 0xC2 <= c < 0xE0:
        if n >= 2 and (p[1] & 0xC0) == 0x80:
            size[0] = 2
            return (c & 0x1F) << 6 | (p[1] & 0x3F)
    elif 0xE0 <= c < 0xF0:
        if (n >= 3 and (p[1] & 0xC0) == 0x80 and (p[2] & 0xC0) == 0x80
                and not (c == 0xE0 and p[1] < 0xA0) and not (c == 0xED and p[1] >= 0xA0)):
            size[0] = 3
            return (c & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)
    elif 0xF0 <= c < 0xF5:
        if (n >= 4 and (p[1] & 0xC0) == 0x80 and (p[2] & 0xC0) == 0x80
                and (p[3] & 0xC0) == 0x80
                and not (c == 0xF0 and p[1] < 0x90) and not (c == 0xF4 and p[1] >= 0x90)):
            size[0] = 4
            return ((c & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6
                    | (p[3] & 0x3F))
    return 0xDC00 + c
