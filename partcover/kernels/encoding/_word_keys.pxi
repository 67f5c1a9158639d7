# The next words of a text with their keys.  Included by _encoder.pyx, after _word_slots.pxi and
# _windows.pxi.

include "_keys_at_once.pxi"

cdef enum:
    AHEAD = 64          # words that are hashed before the first of them is looked up


cdef int _next_keys(const Scanner *scanner, Cut *cut, const uint8_t *stop, const uint8_t *end,
                    int64_t cap, const Slots *slots, Key *keys) noexcept nogil:
    """Finds the keys of about AHEAD words, as `_next_words` finds words; returns how many.

    A window depends on the result of the one before, and the keys do not.  So the next window is
    started before the keys of the current one are computed.
    """
    cdef const uint8_t *start
    cdef const uint8_t *next
    cdef uint64_t ends, following, homes = slots.mask & HOMES
    cdef const Slot *at = slots.at
    cdef const uint8_t *readable = scanner.readable
    cdef Word words[WINDOW]
    cdef int n = 0, i, found
    cdef int64_t size
    cdef uint64_t longer
    cdef uint8_t sizes[WINDOW]
    while n < AHEAD:
        if cut.ends == 0 or readable - cut.p < WINDOW + INLINE + 1:
            found = _next_words(scanner, cut, stop, end, words)
            for i in range(found):
                _set_word_key(keys + n, words[i].start, words[i].length, cap, readable, at, homes)
                n += 1
            if found == 0:
                break
            if scanner.wide:
                cut.ends = _ends_before(scanner, cut.p, stop, end)
            continue
        ends = cut.ends
        start = cut.p
        cut.p = start + _length(ends) - 1
        following = _ends_before(scanner, cut.p, stop, end)
        if can_keys:
            longer = _keys64(start, ends, at, homes, keys + n, sizes)
            while longer:
                i = _lowest(longer)
                longer &= longer - 1
                next = keys[n + i].start
                _set_word_key(keys + n + i, next, sizes[i], cap, next + INLINE + 1, at, homes)
            n += popcount(ends)
            cut.ends = following
            continue
        next = start
        while ends:
            size = start + _lowest(ends) - next
            # all words of this window may be read beyond their ends
            _set_word_key(keys + n, next, size, cap, next + INLINE + 1, at, homes)
            next += size
            ends &= ends - 1
            n += 1
        cut.ends = following
    return n
