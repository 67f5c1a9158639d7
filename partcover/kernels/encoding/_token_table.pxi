# Words as keys of 128 bits, and the table of those that are one token: included by _encoder.pyx,
# after _hash.pxi.

cdef struct Slot:       # half a cache line
    uint64_t a          # of a short word its first 8 bytes; of a longer one where it is kept, + 1
    uint64_t b          # its length, 8 bits, and its other bytes or a part of its hash; 0: free
    int32_t pieces[3]   # the numbers of its pieces; or the first is the place of their entry
    uint32_t tag        # as the key's, and how many pieces stand here; 0: in an entry


cdef struct Key:        # of a word, as in a slot, but that no longer word is kept yet
    uint64_t a
    uint64_t b
    uint32_t tag        # its hash, whose two lowest bits are 0
    uint32_t home       # of its slot


cdef enum:
    INLINE = 15         # bytes of the longest word that a key holds
    PIECES = 3          # that stand in a slot


cdef extern from *:
    """
    /* what stays of the 16 bytes at a word of n <= 15 */
    static const uint64_t pc_kept[2][16] = {
        {0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
         ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull},
        {0, 0, 0, 0, 0, 0, 0, 0, 0,
         0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF}};

    /* the n <= 15 bytes at p, and n; bytes up to end may be read */
    static inline void pc_short_key(const uint8_t *p, int64_t n, const uint8_t *end,
                                    uint64_t *a, uint64_t *b)
    {
        *b = (uint64_t) n << 56;
        if (end - p >= 16) {
            *a = pc_load8(p) & pc_kept[0][n];
            *b |= pc_load8(p + 8) & pc_kept[1][n];
        } else if (n >= 8) {
            *a = pc_load8(p);
            if (n > 8)
                *b |= pc_load8(p + n - 8) >> 8 * (16 - n);
        } else {
            *a = 0;
            for (int64_t i = 0; i < n; i++)
                *a |= (uint64_t) p[i] << 8 * i;
        }
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


cdef inline void _short_word(Key *key, const uint8_t *p, int64_t n,
                             const uint8_t *end) noexcept nogil:
    """Sets the key of a word of at most INLINE bytes; those up to `end` may be read."""
    _short_key(p, n, end, &key.a, &key.b)
    key.tag = hash_pair(key.a, key.b) & ~<uint32_t> PIECES


cdef inline Key _key_of(const uint8_t *p, int64_t n, const uint8_t *end) noexcept nogil:
    """Returns the key of a word of at most 255 bytes; those up to `end` may be read."""
    cdef Key key
    if n <= INLINE:
        _short_word(&key, p, n, end)
    else:
        key.tag = _hash_sum(_sum_bytes(p, n)) & ~<uint32_t> PIECES
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
    return slot.a == key.a if n <= INLINE else memcmp(kept + slot.a - 1, p, n) == 0


cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    /* large pages, so that fewer places have to be looked up where memory is */
    #define pc_in_large_pages(p, n) ((void) madvise(p, n, MADV_HUGEPAGE))
    #else
    #define pc_in_large_pages(p, n) ((void) 0)
    #endif
    """
    void _in_large_pages "pc_in_large_pages"(void *p, size_t n) noexcept nogil

cdef enum:
    LARGE_PAGE = 1 << 21


cdef struct Slots:      # a hash table with linear probing
    Slot *at            # in whole cache lines
    void *memory
    uint64_t mask


cdef inline uint64_t _home(const Slots *slots, uint32_t tag) noexcept nogil:
    return tag >> 2 & slots.mask


cdef int _new_slots(Slots *slots, uint64_t mask) noexcept nogil:
    """Makes mask + 1 free slots, or returns -1."""
    cdef size_t size = (mask + 1) * sizeof(Slot)
    cdef uintptr_t unit = LARGE_PAGE if size >= LARGE_PAGE else 64
    slots.memory = calloc(size + unit, 1)
    if slots.memory == NULL:
        return -1
    slots.at = <Slot *> ((<uintptr_t> slots.memory + unit - 1) & ~(unit - 1))
    if unit == LARGE_PAGE:
        _in_large_pages(slots.at, size)
    slots.mask = mask
    return 0


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
    cdef Slots slots

    def __cinit__(self, const uint8_t[::1] data, const int64_t[::1] offsets,
                  const int32_t[::1] numbers):
        cdef Py_ssize_t i, n = numbers.shape[0]
        cdef const uint8_t *end
        cdef uint64_t home, mask = 1
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
            if size > CAP:
                continue
            key = _key_of(self.bytes + offsets[i], size, end)
            home = _home(&self.slots, key.tag)
            while self.slots.at[home].b:
                home = (home + 1) & mask
            slot = self.slots.at + home
            slot.a = key.a if size <= INLINE else <uint64_t> offsets[i] + 1
            slot.b = key.b
            slot.tag = key.tag | 1
            slot.pieces[0] = numbers[i]

    def __dealloc__(self):
        free(self.slots.memory)

    cdef inline int32_t find(self, const Key *key, const uint8_t *p) noexcept nogil:
        """Returns the number of the token that the word at `p` is, or 0."""
        cdef uint64_t home = _home(&self.slots, key.tag)
        while self.slots.at[home].b:
            if _same(self.slots.at + home, key, self.bytes, p):
                return self.slots.at[home].pieces[0]
            home = (home + 1) & self.slots.mask
        return 0
