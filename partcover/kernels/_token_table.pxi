# The words that are one token: included by _encoder.pyx, after _hash.pxi.

cdef struct Known:
    uint32_t tag        # the hash; the slot's home is tag & mask
    int32_t number      # of the token; 0 when free
    uint32_t start      # of its bytes
    uint32_t length


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
        cdef uint64_t home
        self.data = data
        self.mask = 1
        while self.mask < 2 * <uint64_t> n:
            self.mask = 2 * self.mask + 1
        self.slots = <Known *> calloc(self.mask + 1, sizeof(Known))
        if self.slots == NULL:
            raise MemoryError
        if data.shape[0] >> 32:
            n = 0           # places do not fit: nothing is known
        if n == 0:
            return
        self.bytes = &data[0]
        end = self.bytes + data.shape[0]
        for i in range(n):
            tag = hash_bytes(self.bytes + offsets[i], offsets[i + 1] - offsets[i], end)
            home = tag & self.mask
            while self.slots[home].number:
                home = (home + 1) & self.mask
            self.slots[home] = Known(tag, numbers[i], <uint32_t> offsets[i],
                                     <uint32_t> (offsets[i + 1] - offsets[i]))

    def __dealloc__(self):
        free(self.slots)

    cdef inline int32_t find(self, const uint8_t *p, int64_t n, uint32_t tag) noexcept nogil:
        """Returns the number of the token that a word is, or 0."""
        cdef uint64_t home = tag & self.mask
        cdef Known *slot
        while True:
            slot = self.slots + home
            if slot.number == 0:
                return 0
            if (slot.tag == tag and slot.length == n
                    and memcmp(self.bytes + slot.start, p, n) == 0):
                return slot.number
            home = (home + 1) & self.mask
