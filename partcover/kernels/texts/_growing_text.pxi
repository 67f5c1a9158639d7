# A text that grows: included by what writes one of a size that is not known before.

cdef struct Growing:
    uint8_t *text
    int64_t size
    int64_t room
    bint traced
    int64_t *begin          # if traced: for each byte the part of another text that it stands for
    int64_t *end


cdef int _reserve(Growing *out, int64_t more) except -1 nogil:
    """Makes room for `more` bytes."""
    cdef int64_t room = 2 * (out.size + more) + 16
    cdef void *moved
    if out.text != NULL and out.size + more <= out.room:
        return 0
    moved = realloc(out.text, room)
    if moved == NULL:
        raise MemoryError
    out.text = <uint8_t *> moved
    if out.traced:
        moved = realloc(out.begin, room * sizeof(int64_t))
        if moved == NULL:
            raise MemoryError
        out.begin = <int64_t *> moved
        moved = realloc(out.end, room * sizeof(int64_t))
        if moved == NULL:
            raise MemoryError
        out.end = <int64_t *> moved
    out.room = room
    return 0


cdef inline void _discard(Growing *out) noexcept nogil:
    free(out.text)
    free(out.begin)
    free(out.end)


cdef inline int _append(Growing *out, const uint8_t *p, int64_t n) except -1 nogil:
    """Writes bytes as they are, without their origin."""
    if n == 0:
        return 0
    _reserve(out, n)
    memcpy(out.text + out.size, p, n)
    out.size += n
    return 0


cdef inline int _append_utf8(Growing *out, const uint8_t *p, int64_t n) except -1 nogil:
    """Writes bytes, and U+FFFD for each that is not UTF-8, without their origin."""
    cdef const uint8_t *end = p + n
    cdef int size
    _reserve(out, 3 * n)
    while p < end:
        if _code(p, end, &size) >> 8 == 0xDC:
            memcpy(out.text + out.size, <const char *> b"\xef\xbf\xbd", 3)
            out.size += 3
        else:
            memcpy(out.text + out.size, p, size)
            out.size += size
        p += size
    return 0
