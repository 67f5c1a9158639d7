# Words as keys of 128 bits, and the table of those that are one token: included by _encoder.pyx,
# after _hash.pxi.

cdef struct Slot:
    uint64_t a          # of a short word its first 8 bytes; of a longer one where it is kept
    uint64_t b          # its length, 8 bits, and its other bytes or a part of its hash; 0: free
    uint32_t tag        # the hash; the slot's home is tag & mask
    int32_t value       # the number of its only token; −1 − i: the i-th entry


cdef struct Key:        # of a word, as in a slot, but that no longer word is kept yet
    uint64_t a
    uint64_t b
    uint32_t tag


cdef enum:
    INLINE = 15         # bytes of the longest word that a key holds


cdef extern from *:
    """
    /* the first n of 15 bytes at p, and n; bytes up to end may be read */
    static inline void pc_short_key(const uint8_t *p, int64_t n, const uint8_t *end,
                                    uint64_t *a, uint64_t *b)
    {
        if (end - p < 16) {
            uint8_t padded[16] = {0};
            memcpy(padded, p, n);
            *a = pc_load8(padded);
            *b = pc_load8(padded + 8);
        } else if (n < 8) {
            *a = pc_load8(p) & (((uint64_t) 1 << 8 * n) - 1);
            *b = 0;
        } else {
            *a = pc_load8(p);
            *b = pc_load8(p + 8) & (((uint64_t) 1 << 8 * (n - 8)) - 1);
        }
        *b |= (uint64_t) n << 56;
    }

    /* the polynomial of pc_hash_bytes, for n >= 8 bytes */
    static inline uint64_t pc_sum_bytes(const uint8_t *p, int64_t n)
    {
        uint64_t x = (uint64_t) n & PC_PRIME;
        int64_t i;
        for (i = 0; i < n - 7; i += 7)
            x = pc_step(x, pc_load8(p + i) << 8 >> 8);
        return pc_step(x, pc_load8(p + n - 8) >> 8);
    }
    """
    void _short_key "pc_short_key"(const uint8_t *p, int64_t n, const uint8_t *end,
                                   uint64_t *a, uint64_t *b) noexcept nogil
    uint64_t _sum_bytes "pc_sum_bytes"(const uint8_t *p, int64_t n) noexcept nogil
    uint32_t _hash_sum "pc_hash_sum"(uint64_t sum) noexcept nogil


cdef inline Key _key_of(const uint8_t *p, int64_t n, const uint8_t *end) noexcept nogil:
    """Returns the key of a word of at most 255 bytes; those up to `end` may be read."""
    cdef Key key
    if n <= INLINE:
        _short_key(p, n, end, &key.a, &key.b)
        key.tag = hash_pair(key.a, key.b)
    else:
        key.tag = _hash_sum(_sum_bytes(p, n))
        key.a = 0
        key.b = <uint64_t> n << 56 | key.tag
    return key


cdef inline bint _same(const Slot *slot, const Key *key, const uint8_t *kept,
                       const uint8_t *p) noexcept nogil:
    """Whether a slot has the word at `p`; longer words are kept from `kept` on."""
    cdef int64_t n
    if slot.b != key.b:
        return False
    n = <int64_t> (key.b >> 56)
    return slot.a == key.a if n <= INLINE else memcmp(kept + slot.a, p, n) == 0


cdef class TokenTable:
    """A table of words that are cut into one token each; threads may share it.

    Parameters
    ----------
    data : ndarray of uint8
        The words, one after another, distinct and not empty.
    offsets : ndarray of int64, shape (words + 1,)
        Where they start.
    numbers : ndarray of int32, shape (words,)
        The number of each word's token, at least 1.
    """

    cdef const uint8_t[::1] data
    cdef const uint8_t *bytes
    cdef Slot *slots
    cdef uint64_t mask

    def __cinit__(self, const uint8_t[::1] data, const int64_t[::1] offsets,
                  const int32_t[::1] numbers):
        cdef Py_ssize_t i, n = numbers.shape[0]
        cdef const uint8_t *end
        cdef uint64_t home
        cdef int64_t size
        cdef Key key
        self.data = data
        self.mask = 1
        while self.mask < 2 * <uint64_t> n:
            self.mask = 2 * self.mask + 1
        self.slots = <Slot *> calloc(self.mask + 1, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError
        if n == 0:
            return
        self.bytes = &data[0]
        end = self.bytes + data.shape[0]
        for i in range(n):
            size = offsets[i + 1] - offsets[i]
            if size > CAP:
                continue
            key = _key_of(self.bytes + offsets[i], size, end)
            home = key.tag & self.mask
            while self.slots[home].b:
                home = (home + 1) & self.mask
            if size > INLINE:
                key.a = <uint64_t> offsets[i]
            self.slots[home] = Slot(key.a, key.b, key.tag, numbers[i])

    def __dealloc__(self):
        free(self.slots)

    cdef inline int32_t find(self, const Key *key, const uint8_t *p) noexcept nogil:
        """Returns the number of the token that the word at `p` is, or 0."""
        cdef uint64_t home = key.tag & self.mask
        while self.slots[home].b:
            if _same(self.slots + home, key, self.bytes, p):
                return self.slots[home].value
            home = (home + 1) & self.mask
        return 0
