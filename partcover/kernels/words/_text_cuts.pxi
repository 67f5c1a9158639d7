# Where text may be split into parts whose words can be counted one by one.  Included by
# _word_table.pyx, after the modes.

cdef inline bint _ends_word(const uint8_t *end, int64_t n) noexcept nogil:
    """Whether the last character of the `n` bytes before `end` is certainly not white space.

    White space is an ASCII control character, a space, or a Unicode White_Space character.
    """
    cdef uint8_t last
    if n < 1:
        return False
    last = end[-1]
    if last < 0x80:
        return last > 0x20
    if n >= 2 and end[-2] == 0xC2 and (last == 0x85 or last == 0xA0):
        return False
    if n >= 3:
        if end[-3] == 0xE2:
            if end[-2] == 0x80:
                return not (last <= 0x8A or last == 0xA8 or last == 0xA9 or last == 0xAF)
            return not (end[-2] == 0x81 and last == 0x9F)
        if end[-3] == 0xE1:
            return not (end[-2] == 0x9A and last == 0x80)
        if end[-3] == 0xE3:
            return not (end[-2] == 0x80 and last == 0x80)
    return True


cdef inline bint _letter(uint8_t c) noexcept nogil:
    return <uint8_t> ((c | 0x20) - c'a') < 26


cdef inline bint _cut_here(const uint8_t *at, int64_t n, int mode) noexcept nogil:
    """Whether `mode` splits at `at`, with `n` >= 1 bytes of the text before it."""
    if mode == EVERY_SPACE:
        return at[0] == c' '
    if mode == NOWHERE or at[0] >= 0x80 or _letter(at[0]):
        return False
    if _letter(at[-1]):
        return (mode != AFTER_SIGN and at[0] != c"'"
                and not (mode == AFTER_PHRASE and at[0] == c' '))
    return at[0] == c' ' and (mode == AFTER_WORD or at[-1] < 0x80) and _ends_word(at, n)


cdef inline const uint8_t *_word_end(const uint8_t *p, const uint8_t *end,
                                     int mode) noexcept nogil:
    """Where the word that starts at `p` < `end` ends."""
    cdef const uint8_t *at
    if mode == NOWHERE:
        return end
    if mode == EVERY_SPACE:
        at = <const uint8_t *> memchr(p + 1, c' ', end - p - 1)
        return end if at == NULL else at
    at = p + 1
    while at < end and not _cut_here(at, at - p, mode):
        at += 1
    return at


def last_cut(const uint8_t[::1] text, int mode):
    """Returns the last position > 0 where `add_text` would split `text`, or -1."""
    cdef int64_t i, last = -1
    cdef const uint8_t *p
    if text.shape[0] == 0 or mode == NOWHERE:
        return -1
    p = &text[0]
    with nogil:
        for i in range(text.shape[0] - 1, 0, -1):
            if _cut_here(p + i, i, mode):
                last = i
                break
    return last


def first_cut(const uint8_t[::1] text, int64_t begin, int mode):
    """Returns the first position >= `begin` > 0 where `add_text` would split `text`, or -1."""
    cdef int64_t i, first = -1
    cdef const uint8_t *p
    if begin >= text.shape[0] or mode == NOWHERE:
        return -1
    p = &text[0]
    with nogil:
        for i in range(begin, text.shape[0]):
            if _cut_here(p + i, i, mode):
                first = i
                break
    return first
