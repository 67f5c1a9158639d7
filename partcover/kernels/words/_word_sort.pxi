# Sorts words that are one after another in memory.  Included by the kernels that need it.

cdef struct Key:
    int64_t count       # higher counts come first
    uint64_t prefix     # the word's first eight bytes, big-endian
    int64_t word        # word w is text[starts[w]:starts[w + 1]]


cdef uint64_t _prefix(const uint8_t *p, int64_t n) noexcept nogil:
    cdef uint64_t value = 0
    cdef int64_t i
    for i in range(8):
        value = (value << 8) | (p[i] if i < n else 0)
    return value


cdef inline bint _before(const Key *a, const Key *b, const uint8_t *text,
                         const int64_t *starts) noexcept nogil:
    cdef int64_t n, m
    cdef int order
    if a.count != b.count:
        return a.count > b.count
    if a.prefix != b.prefix:
        return a.prefix < b.prefix
    n = starts[a.word + 1] - starts[a.word]
    m = starts[b.word + 1] - starts[b.word]
    order = memcmp(text + starts[a.word], text + starts[b.word], min(n, m))
    return order < 0 or (order == 0 and n < m)


cdef void _sort(Key *keys, Key *spare, int64_t n, const uint8_t *text,
                const int64_t *starts) noexcept nogil:
    """Merge sort; no two words may compare equal.  `spare` has room for half of the words."""
    cdef int64_t half = n // 2, i = 0, j = half, k
    if n < 2:
        return
    _sort(keys, spare, half, text, starts)
    _sort(keys + half, spare, n - half, text, starts)
    if _before(keys + half - 1, keys + half, text, starts):
        return
    memcpy(spare, keys, half * sizeof(Key))
    for k in range(n):
        if i == half:
            break
        if j == n or _before(spare + i, keys + j, text, starts):
            keys[k] = spare[i]
            i += 1
        else:
            keys[k] = keys[j]
            j += 1
