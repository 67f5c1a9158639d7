# Byte pair encoding of short words.  Included by _encoder.pyx, after _pairs.pxi.
#
# The last merge of each token suffices: when merging a word produces a token, it merges the token's
# symbols as if the token stood alone, because nothing has merged across the token's borders
# (`segmentation/_neighbours.pxi`).
#
# Not faster (measured on Zen 5): merging 2 to 16 words in turns, with prefetching; pairs of 8 bytes
# instead of 16; a bit set of places instead of moving pieces; loops without branches; and ranks and
# pieces in vectors of AVX-512.

cdef enum:
    MERGED = 48         # bytes of the longest word that is merged here


cdef extern from *:
    """
    /* Keeps a loop of few rounds as it is: preparing vectors, or calling memmove, takes longer. */
    #if defined(__GNUC__) || defined(__clang__)
    #define pc_few() __asm__ volatile ("")
    #else
    #define pc_few() ((void) 0)
    #endif
    #define PC_NO_MERGE ((uint64_t) 0x7FFFFFFF << 32)   /* its rank is NEVER */
    """
    void _few "pc_few"() noexcept nogil
    const uint64_t NO_MERGE "PC_NO_MERGE"


cdef struct Join:
    uint64_t key        # left << 32 | right: the numbers of the two sides
    uint64_t merge      # rank << 32 | the number of the token that it becomes; NO_MERGE: free


cdef class ShortMerges:
    """Merges adjacent pieces in short words of bytes by rank; threads may share it.

    Parameters
    ----------
    left, right : ndarray of int32, shape (tokens,)
        The sides of the last merge that produces each token: a token's index, or `FIRST_SYMBOL` −
        byte; the left side is −1 if merging never produces the token.
    rank : ndarray of int32, shape (tokens,)
        The rank of that merge: lower ranks merge first, equal ranks from left to right.
    """

    cdef Join *slots
    cdef uint64_t mask
    cdef uint64_t *filter       # of the pairs that are not two bytes; see `_may_merge`
    cdef uint64_t filter_mask
    cdef uint64_t *bytes        # the merge of each pair of two bytes

    def __cinit__(self, const int32_t[::1] left, const int32_t[::1] right,
                  const int32_t[::1] rank):
        cdef Py_ssize_t t, n = left.shape[0]
        cdef uint64_t home, bit, key, merge
        cdef int32_t a, b
        self.mask = self.filter_mask = 63
        while 4 * self.mask < 5 * <uint64_t> n:
            self.mask = 2 * self.mask + 1
        while self.filter_mask < 8 * <uint64_t> n:
            self.filter_mask = 2 * self.filter_mask + 1
        self.slots = <Join *> malloc((self.mask + 1) * sizeof(Join))
        self.bytes = <uint64_t *> malloc((1 << 16) * sizeof(uint64_t))
        self.filter = <uint64_t *> calloc((self.filter_mask >> 6) + 1, sizeof(uint64_t))
        if self.slots == NULL or self.bytes == NULL or self.filter == NULL:
            raise MemoryError
        for home in range(self.mask + 1):
            self.slots[home] = Join(0, NO_MERGE)
        for home in range(1 << 16):
            self.bytes[home] = NO_MERGE
        for t in range(n):
            if left[t] == -1:
                continue
            a = left[t] + 256 if left[t] >= 0 else FIRST_SYMBOL - left[t]
            b = right[t] + 256 if right[t] >= 0 else FIRST_SYMBOL - right[t]
            merge = _key(rank[t], <int32_t> t + 256)
            if a < 256 and b < 256:
                self.bytes[a << 8 | b] = merge
                continue
            key = _key(a, b)
            bit = _bit(key, self.filter_mask)
            self.filter[bit >> 6] |= <uint64_t> 1 << (bit & 63)
            home = hash_number(key) & self.mask
            while self.slots[home].merge != NO_MERGE:
                home = (home + 1) & self.mask
            self.slots[home] = Join(key, merge)

    def __dealloc__(self):
        free(self.slots)
        free(self.bytes)
        free(self.filter)

    cdef inline bint _may_be(self, uint64_t key) noexcept nogil:
        """Whether a key may be the key of a pair; if so, prefetches its slot."""
        if not _may_merge(self.filter, self.filter_mask, key):
            return False
        prefetch(self.slots + (hash_number(key) & self.mask))
        return True

    cdef inline uint64_t _find(self, uint64_t key) noexcept nogil:
        """Returns the merge of a pair, or NO_MERGE."""
        cdef uint64_t home = hash_number(key) & self.mask
        while self.slots[home].merge != NO_MERGE and self.slots[home].key != key:
            home = (home + 1) & self.mask
        return self.slots[home].merge

    cdef int merge(self, const uint8_t *word, int64_t size, int32_t *pieces) noexcept nogil:
        """Writes the numbers of a word of at most MERGED bytes; returns how many."""
        cdef uint64_t merges[MERGED]    # of each piece with the next one
        cdef int i, best
        cdef int n = <int> size
        cdef uint64_t lowest
        cdef int32_t number
        cdef uint64_t before, after     # the new pairs on both sides of a merge
        cdef bint may_before, may_after
        for i in range(n):
            pieces[i] = word[i]
            _few()
        for i in range(n - 1):
            merges[i] = self.bytes[word[i] << 8 | word[i + 1]]
            _few()
        while True:
            lowest = NEVER
            best = 0
            for i in range(n - 1):
                if merges[i] >> 32 < lowest:
                    lowest = merges[i] >> 32
                    best = i
                _few()
            if lowest == NEVER:
                return n
            number = <int32_t> merges[best]
            pieces[best] = number
            n -= 1
            for i in range(best + 1, n):
                pieces[i] = pieces[i + 1]
                merges[i - 1] = merges[i]
                _few()
            # prefetch both before either is needed
            before = _key(pieces[best - 1], number) if best else 0
            after = _key(number, pieces[best + 1]) if best + 1 < n else 0
            may_before = best > 0 and self._may_be(before)
            may_after = best + 1 < n and self._may_be(after)
            if best:
                merges[best - 1] = self._find(before) if may_before else NO_MERGE
            if best + 1 < n:
                merges[best] = self._find(after) if may_after else NO_MERGE
