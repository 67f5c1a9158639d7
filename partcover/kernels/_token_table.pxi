# The words that are one token: included by _encoder.pyx, after _hash.pxi.

cdef struct Known:
    uint32_t tag        # the hash; the slot's home is tag & mask
    int32_t number      # of the token; 0 when free
    uint64_t key        # the length, 8 bits, and the bytes themselves or, from 8 on, their place


cdef extern from *:
    uint64_t load8 "pc_load8"(const uint8_t *p) noexcept nogil


cdef inline uint64_t _short_key(const uint8_t *p, int64_t n, const uint8_t *end) noexcept nogil:
    """Returns the key of a word of less than 8 bytes; those up to `end` may be read."""
    cdef uint64_t key = 0
    cdef int64_t i
    if end - p >= 8:
        key = load8(p) & ((<uint64_t> 1 << 8 * n) - 1)
    else:
        for i in range(n):
            key |= <uint64_t> p[i] << 8 * i
    return key | <uint64_t> n << 56


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
    cdef Known *slots
    cdef uint64_t mask

    def __cinit__(self, const uint8_t[::1] data, const int64_t[::1] offsets,
                  const int32_t[::1] numbers):
        cdef Py_ssize_t i, n = numbers.shape[0]
        cdef const uint8_t *end
        cdef uint32_t tag
        cdef uint64_t home, key
        cdef int64_t size
        self.data = data
        self.mask = 1
        while self.mask < 2 * <uint64_t> n:
            self.mask = 2 * self.mask + 1
        self.slots = <Known *> calloc(self.mask + 1, sizeof(Known))
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
            tag = hash_bytes(self.bytes + offsets[i], size, end)
            home = tag & self.mask
            while self.slots[home].number:
                home = (home + 1) & self.mask
            if size < 8:
                key = _short_key(self.bytes + offsets[i], size, end)
            else:
                key = <uint64_t> size << 56 | <uint64_t> offsets[i]
            self.slots[home] = Known(tag, numbers[i], key)

    def __dealloc__(self):
        free(self.slots)

    cdef inline int32_t find(self, const uint8_t *p, int64_t n, const uint8_t *end,
                             uint32_t tag) noexcept nogil:
        """Returns the number of the token that a word is, or 0.

        The word has 255 bytes at most; bytes up to `end` may be read.
        """
        cdef uint64_t home = tag & self.mask
        cdef uint64_t key = _short_key(p, n, end) if n < 8 else 0
        cdef Known *slot
        while True:
            slot = self.slots + home
            if slot.number == 0:
                return 0
            if slot.tag == tag:
                if n < 8:
                    if slot.key == key:
                        return slot.number
                elif slot.key >> 56 == <uint64_t> n and memcmp(
                    self.bytes + (slot.key & ((<uint64_t> 1 << 56) - 1)), p, n
                ) == 0:
                    return slot.number
            home = (home + 1) & self.mask
