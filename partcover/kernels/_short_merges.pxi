# Byte pair encoding of short words: included by _encoder.pyx, after _pairs.pxi
# and _pair_bits.pxi.
#
# The merges that make the tokens are enough: a token that a word's merging makes is made as when it
# stands alone, since nothing merged across its borders (`_neighbours.pxi`).

cdef enum:
    MERGED = 48         # bytes of the longest word


cdef struct Join:
    uint64_t key        # left << 32 | right, numbers as the encoder's
    int32_t rank        # NEVER: a free slot
    int32_t number      # of the token that the pair makes


cdef class ShortMerges:
    """Merges the neighbours in short words of bytes by rank; threads may share it.

    Parameters
    ----------
    left, right : ndarray of int32, shape (tokens,)
        The sides of the last merge that makes each token: a token's index, or `FIRST_SYMBOL` −
        byte; the left side is −1 where merging does not make it.
    rank : ndarray of int32, shape (tokens,)
        The rank of that merge: lower ranks merge first, equal ones from left to right.
    """

    cdef Join *slots
    cdef uint64_t mask
    cdef uint64_t *filter       # of pairs that are not of two bytes, see `_may_merge`
    cdef uint64_t filter_mask
    cdef Join *of_bytes         # of two bytes, by the first and the second

    def __cinit__(self, const int32_t[::1] left, const int32_t[::1] right,
                  const int32_t[::1] rank):
        cdef Py_ssize_t t, n = left.shape[0]
        cdef uint64_t home, bit, key
        cdef int32_t a, b
        self.mask = self.filter_mask = 63
        while 4 * self.mask < 5 * <uint64_t> n:
            self.mask = 2 * self.mask + 1
        while self.filter_mask < 8 * <uint64_t> n:
            self.filter_mask = 2 * self.filter_mask + 1
        self.slots = <Join *> malloc((self.mask + 1) * sizeof(Join))
        self.of_bytes = <Join *> malloc((1 << 16) * sizeof(Join))
        self.filter = <uint64_t *> calloc((self.filter_mask >> 6) + 1, sizeof(uint64_t))
        if self.slots == NULL or self.of_bytes == NULL or self.filter == NULL:
            raise MemoryError
        for home in range(self.mask + 1):
            self.slots[home].rank = NEVER
        for home in range(1 << 16):
            self.of_bytes[home].rank = NEVER
        for t in range(n):
            if left[t] == -1:
                continue
            a = left[t] + 256 if left[t] >= 0 else FIRST_SYMBOL - left[t]
            b = right[t] + 256 if right[t] >= 0 else FIRST_SYMBOL - right[t]
            if a < 256 and b < 256:
                self.of_bytes[a << 8 | b] = Join(0, rank[t], <int32_t> t + 256)
                continue
            key = _key(a, b)
            bit = _bit(key, self.filter_mask)
            self.filter[bit >> 6] |= <uint64_t> 1 << (bit & 63)
            home = hash_number(key) & self.mask
            while self.slots[home].rank != NEVER:
                home = (home + 1) & self.mask
            self.slots[home] = Join(key, rank[t], <int32_t> t + 256)

    def __dealloc__(self):
        free(self.slots)
        free(self.of_bytes)
        free(self.filter)

    cdef inline int32_t _find(self, int32_t left, int32_t right, int32_t *number) noexcept nogil:
        """Returns the rank of a pair, or NEVER, and sets the token that it makes."""
        cdef uint64_t key, home
        cdef Join *join
        if (left | right) < 256:
            join = self.of_bytes + (left << 8 | right)
            number[0] = join.number
            return join.rank
        key = _key(left, right)
        if not _may_merge(self.filter, self.filter_mask, key):
            return NEVER
        home = hash_number(key) & self.mask
        while self.slots[home].rank != NEVER and self.slots[home].key != key:
            home = (home + 1) & self.mask
        number[0] = self.slots[home].number
        return self.slots[home].rank

    cdef int merge(self, const uint8_t *word, int64_t size, int32_t *pieces) noexcept nogil:
        """Writes the numbers of a word of up to MERGED bytes; returns how many."""
        cdef int32_t rank[MERGED]       # of each piece with the next one
        cdef int32_t made[MERGED]       # what they become
        cdef int i, best
        cdef int n = <int> size
        cdef int32_t lowest
        for i in range(n):
            pieces[i] = word[i]
        for i in range(n - 1):
            rank[i] = self._find(pieces[i], pieces[i + 1], made + i)
        while True:
            lowest = NEVER
            best = 0
            for i in range(n - 1):
                if rank[i] < lowest:
                    lowest = rank[i]
                    best = i
            if lowest == NEVER:
                return n
            pieces[best] = made[best]
            n -= 1
            for i in range(best + 1, n):
                pieces[i] = pieces[i + 1]
                rank[i - 1] = rank[i]
                made[i - 1] = made[i]
            # the pair of `best` and the one before it are others now
            if best + 1 < n:
                rank[best] = self._find(pieces[best], pieces[best + 1], made + best)
            if best:
                rank[best - 1] = self._find(pieces[best - 1], pieces[best], made + best - 1)
