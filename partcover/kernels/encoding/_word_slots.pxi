# A hash table of words as keys of 128 bits.  Included by _encoder.pyx, after _hash.pxi.
#
# Collisions are chained.  For that it suffices that any two words collide rarely, which a hash of
# two products ensures.  A home is a cache line of two slots; its chain continues after all homes.

cdef struct Slot:       # half a cache line
    uint64_t a  # short word: its first 8 bytes; longer word: where its bytes are stored, + 1
    # short word: its other bytes, and its length in the highest byte; longer word: its hash,
    # its length (24 bits), and LONG in the highest byte; 0: the slot is free
    uint64_t b
    int32_t pieces[3]   # the numbers of its pieces; or the first is the index of its entry
    # 2 bits: how many pieces the slot has, 0: they are in an entry; the rest: the next slot
    uint32_t more


cdef struct Key:        # of a word, as in a slot, except that a longer word is not stored yet
    uint64_t a          # if b is TOO_LONG: the length
    uint64_t b
    uint64_t home       # the first slot of its home
    const uint8_t *start


cdef enum:
    INLINE = 15         # bytes of the longest word that fits in a key
    LONG = 255
    TOO_LONG = 1
    LONGEST = (1 << 24) - 1     # bytes of the longest word that has a key
    PIECES = 3          # most pieces in a slot


cdef struct Slots:
    Slot *at            # aligned to cache lines
    void *memory
    uint64_t mask       # number of slots in homes, minus 1
    uint64_t used       # number of slots in homes, and of those in use after them


cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    /* large pages, so that fewer address translations miss the TLB */
    #define pc_in_large_pages(p, n) ((void) madvise(p, n, MADV_HUGEPAGE))
    #else
    #define pc_in_large_pages(p, n) ((void) 0)
    #endif
    """
    void _in_large_pages "pc_in_large_pages"(void *p, size_t n) noexcept nogil

cdef enum:
    LARGE_PAGE = 1 << 21
    HOMES = 0xFFFFFFFE      # the bits of a hash that may choose a home


cdef int _new_slots(Slots *slots, uint64_t mask) noexcept nogil:
    """Allocates mask + 1 slots in homes, and room for chains of `_most`; returns -1 on failure."""
    cdef size_t size = (mask + 1 + (mask >> 1) + 2) * sizeof(Slot)
    cdef uintptr_t unit = LARGE_PAGE if size >= LARGE_PAGE else 64
    slots.memory = calloc(size + unit, 1)    # pages that are never written take no memory
    if slots.memory == NULL:
        return -1
    slots.at = <Slot *> ((<uintptr_t> slots.memory + unit - 1) & ~(unit - 1))
    if unit == LARGE_PAGE:
        _in_large_pages(slots.at, size)
    slots.mask = mask
    slots.used = mask + 1
    return 0


cdef inline int64_t _most(const Slots *slots) noexcept nogil:
    """How many words a table may have before it grows: half of the slots in homes.

    With three quarters, a fifth of the words are in chains, which takes a mispredicted branch.
    """
    return <int64_t> (slots.mask >> 1)


cdef void _clear(Slots *slots) noexcept nogil:
    memset(slots.at, 0, slots.used * sizeof(Slot))
    slots.used = slots.mask + 1


cdef inline void _set_long(Key *key, const uint8_t *p, int64_t n, uint64_t homes) noexcept nogil:
    """Sets the key, but for the start, of a word of more than INLINE and at most LONGEST bytes."""
    cdef uint32_t tag = _hash_long(p, n)
    key.a = 0
    key.b = <uint64_t> LONG << 56 | <uint64_t> n << 32 | tag
    key.home = tag & homes


cdef inline void _set_word_key(Key *key, const uint8_t *p, int64_t n, int64_t cap,
                               const uint8_t *end, const Slot *at,
                               uint64_t homes) noexcept nogil:
    """Sets the key of a word, and prefetches its home in the table with these slots.

    `homes` is the mask of the table without the lowest bit.  If a word does not fit in the key and
    has more than `cap` bytes, no slot has its key.  Bytes up to `end` may be read.
    """
    cdef uint64_t home
    key.start = p
    if n <= INLINE:
        _short_key(p, n, end, &key.a, &key.b)
        home = hash_pair(key.a, key.b) & homes
        prefetch(at + home)
        key.home = home
        return      # a path of its own for most words is faster
    if n <= cap:
        _set_long(key, p, n, homes)
    else:
        key.a = n
        key.b = TOO_LONG
        key.home = 0
    prefetch(at + key.home)


cdef inline int64_t _size(const Key *key) noexcept nogil:
    """Returns the length of the word of a key."""
    if key.b == TOO_LONG:
        return key.a
    return key.b >> 56 if key.b >> 56 <= INLINE else key.b >> 32 & LONGEST


cdef inline uint64_t _home(const Slots *slots, uint64_t a, uint64_t b) noexcept nogil:
    return (hash_pair(a, b) if b >> 56 <= INLINE else <uint32_t> b) & slots.mask & HOMES


cdef inline Slot *_next_slot(const Slots *slots, const Slot *slot) noexcept nogil:
    """Returns the next slot in the chain of this one, or NULL."""
    return slots.at + (slot.more >> 2) if slot.more >> 2 else NULL


cdef inline bint _is(const Slot *slot, const Key *key, const uint8_t *kept) noexcept nogil:
    """Whether a slot holds the word of a key; `kept` has the bytes of longer words."""
    if slot.b != key.b:
        return False
    return slot.a == key.a or key.b >> 56 > INLINE and memcmp(
        kept + slot.a - 1, key.start, key.b >> 32 & LONGEST) == 0


cdef inline Slot *_slot_of(const Slots *slots, const Key *key,
                           const uint8_t *kept) noexcept nogil:
    """Returns the slot of a word, or NULL."""
    cdef Slot *slot = slots.at + key.home
    if _is(slot, key, kept):
        return slot
    slot += 1
    while slot != NULL and not _is(slot, key, kept):
        slot = _next_slot(slots, slot)
    return slot


cdef inline Slot *_known(const Slots *slots, const Key *key,
                         const uint8_t *kept) noexcept nogil:
    """Returns the slot of a word, or NULL; fast for words that are in their home."""
    cdef Slot *slot = slots.at + key.home
    cdef uint64_t other = slot[0].a ^ key.a | slot[0].b ^ key.b
    # choose between the two slots without a branch, which would often be mispredicted
    slot += other != 0
    other = slot[0].a ^ key.a | slot[0].b ^ key.b
    return _slot_of(slots, key, kept) if other else slot


cdef Slot *_add_slot(Slots *slots, uint64_t home) noexcept nogil:
    """Returns a free slot for a word, of which there are at most one more than `_most`."""
    cdef Slot *slot = slots.at + home
    if slot.b == 0:
        return slot
    slot += 1
    if slot.b == 0:
        return slot
    while slot.more >> 2:
        slot = slots.at + (slot.more >> 2)
    slot.more |= <uint32_t> slots.used << 2
    slots.used += 1
    return slots.at + (slots.used - 1)
