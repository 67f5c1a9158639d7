# A text that grows.  Included by the kernels that write a text whose size is not known in advance.

cdef struct Growing:
    uint8_t *text
    int64_t size
    int64_t room
    bint traced
    int64_t *begin  # only if traced: for each byte the part of the original text that it comes from
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
    """Appends bytes unchanged; does not set the parts that they come from."""
    if n == 0:
        return 0
    _reserve(out, n)
    memcpy(out.text + out.size, p, n)
    out.size += n
    return 0


cdef inline int _append_utf8(Growing *out, const uint8_t *p, int64_t n) except -1 nogil:
    """Appends bytes, with U+FFFD for each that is not UTF-8; does not set where they come from."""
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
