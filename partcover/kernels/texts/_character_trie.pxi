# A map of characters as sentencepiece compiles it: a double-array trie.  Included by the kernels
# that apply it.  The data is not trusted: each index is checked, and a key has at most KEY bytes,
# since a trie may contain cycles.

cdef enum:
    KEY = 256

cdef struct Trie:
    const uint32_t *units
    int64_t n_units
    const uint8_t *texts
    int64_t n_texts


cdef inline Trie _trie(const uint32_t[::1] units, bytes texts) noexcept:
    """The trie in these arrays, which must exist as long as it does."""
    cdef const uint32_t *first = NULL
    if units.shape[0]:
        first = &units[0]
    return Trie(first, units.shape[0], <const uint8_t *> PyBytes_AS_STRING(texts), len(texts))


cdef inline uint32_t _offset(uint32_t unit) noexcept nogil:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


cdef inline bint _follow(const Trie *trie, uint32_t *base, uint8_t byte, bint *leaf) noexcept nogil:
    """Follows the edge for this byte, if there is one, and sets whether an entry ends there."""
    cdef uint32_t place = base[0] ^ byte, unit
    if byte == 0 or place >= trie.n_units:
        return False
    unit = trie.units[place]
    if unit & <uint32_t> 0x800000FF != byte:
        return False
    base[0] = place ^ _offset(unit)
    leaf[0] = unit >> 8 & 1
    return True


cdef inline int64_t _entry(const Trie *trie, const uint8_t *p, const uint8_t *end, bint longest,
                           int64_t *size) noexcept nogil:
    """Where the text of the longest or shortest entry at `p` begins, and its size; -1 if none."""
    cdef int64_t found = -1, length = 0, most = min(end - p, KEY)
    cdef uint32_t base
    cdef bint leaf = False
    if trie.n_units == 0:
        return -1
    base = _offset(trie.units[0])
    while length < most and _follow(trie, &base, p[length], &leaf):
        length += 1
        if leaf:
            if base >= trie.n_units:
                break
            found = trie.units[base] & 0x7FFFFFFF
            size[0] = length
            if not longest:
                break
    return found


cdef inline int64_t _text_size(const Trie *trie, int64_t start) noexcept nogil:
    """The number of bytes of the text that begins at `start` and ends before a zero byte."""
    cdef const uint8_t *stop
    if start >= trie.n_texts:
        return 0
    stop = <const uint8_t *> memchr(trie.texts + start, 0, trie.n_texts - start)
    return trie.n_texts - start if stop == NULL else stop - (trie.texts + start)
