# The table of words that are one token.  Included by _encoder.pyx, after _word_slots.pxi.

cdef class TokenTable:
    """A table of words that are one token each; threads may share it.

    Parameters
    ----------
    data : ndarray of uint8
        The words, one after another, distinct and not empty.
    offsets : ndarray of int64, shape (words + 1,)
        Where each word starts, and the end of the last one.
    numbers : ndarray of int32, shape (words,)
        The number of each word's token, at least 1.
    """

    cdef const uint8_t[::1] data
    cdef const uint8_t *bytes
    cdef Slots slots

    def __cinit__(self, const uint8_t[::1] data, const int64_t[::1] offsets,
                  const int32_t[::1] numbers):
        cdef Py_ssize_t i, n = numbers.shape[0]
        cdef const uint8_t *end
        cdef uint64_t mask = 1
        cdef int64_t size
        cdef Slot *slot
        cdef Key key
        self.data = data
        while mask < 2 * <uint64_t> n:
            mask = 2 * mask + 1
        if _new_slots(&self.slots, mask) < 0:
            raise MemoryError
        if n == 0:
            return
        self.bytes = &data[0]
        end = self.bytes + data.shape[0]
        for i in range(n):
            size = offsets[i + 1] - offsets[i]
            if size > LONGEST:
                continue
            _set_word_key(&key, self.bytes + offsets[i], size, LONGEST, end, self.slots.at,
                          mask & HOMES)
            slot = _add_slot(&self.slots, key.home)
            slot.a = key.a if size <= INLINE else <uint64_t> offsets[i] + 1
            slot.b = key.b
            slot.more = 1
            slot.pieces[0] = numbers[i]

    def __dealloc__(self):
        free(self.slots.memory)

    cdef inline int32_t find(self, const Key *key) noexcept nogil:
        """Returns the number of the token that equals a word, or 0."""
        cdef Key own = key[0]
        cdef const Slot *slot
        own.home = _home(&self.slots, key.a, key.b)
        slot = _slot_of(&self.slots, &own, self.bytes)
        return 0 if slot == NULL else slot.pieces[0]

    cdef inline void prefetch_slot(self, const Key *key) noexcept nogil:
        """Prefetches where a word would be."""
        prefetch(self.slots.at + _home(&self.slots, key.a, key.b))
