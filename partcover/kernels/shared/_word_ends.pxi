# The rules of `partcover.corpus.pretokenizers` that say where each word of a text ends.
#
# A rule is a function from the start of a word to its end.  Characters are those that Python
# decodes with ``surrogateescape``: a byte that belongs to no character is a lone surrogate, which
# is neither a letter nor a number nor white space.

# _hash.pxi must be included before, since it defines `pc_load8`.

include "_utf8.pxi"

cdef extern from *:
    """
    /* the end of the ASCII letters at p, searched eight at a time; the search may stop before it.
       With fold 0x20 these are letters of both cases, with 0 those of lower case. */
    static inline const uint8_t *pc_letters(const uint8_t *p, const uint8_t *end, uint64_t fold)
    {
    #if defined(__GNUC__) || defined(__clang__)
        const uint64_t ones = 0x0101010101010101ull;
        while (end - p >= 8) {
            uint64_t x = pc_load8(p);
            /* each byte's low seven bits, folded: no sum below carries into the next */
            uint64_t y = (x | fold * ones) & 0x7F * ones;
            uint64_t above_z = y + (0x7F - 'z') * ones;
            uint64_t from_a = y + (0x80 - 'a') * ones;
            uint64_t others = (x | above_z | ~from_a) & 0x80 * ones;
            if (others)
                return p + (__builtin_ctzll(others) >> 3);
            p += 8;
        }
    #endif
        return p;
    }
    """
    const uint8_t *_ascii_letters "pc_letters"(const uint8_t *p, const uint8_t *end,
                                               uint64_t fold) noexcept nogil

# The rules; see `partcover.corpus.pretokenizers` for their meaning.
cpdef enum:
    FIRST_SPACE = 0
    SPACE = 1
    DIGIT = 2
    GPT2 = 3
    CL100K = 4
    O200K = 5
    WHOLE = 6           # the text is one word
    QWEN2 = 7
    AFTER_WORD_SPACE = 8    # a word begins at each space after a character that is not white space
    DEEPSEEK = 9
    TEKKEN = 10
    SPACE_RUNS = 11     # a word begins at each run of spaces
    # rules of `partcover.corpus.pretokenizers.raw_words`, which have kinds of their own
    CLASSES = 12
    CLIP = 13           # like `CLASSES`, with CLIP's contractions
    QWEN35 = 14
    MARKED = 15         # words begin where marks say, such as those of `_step_cutter`

# The mark of a byte; 0 for no mark.
cpdef enum:
    WORD = 1            # a word begins
    GAP = 2             # a part that is left out begins

# The kinds of a character: bits of the table `kinds`, which has one byte for each code point.
cpdef enum:
    LETTER = 1
    NUMBER = 2
    WHITE = 4
    UPPER = 8           # Lu Lt Lm Lo M
    LOWER = 16          # Ll Lm Lo M
    DECIMAL = 32        # Nd
    MARK = 64           # M
    SIGN = 128          # P S


cdef struct Scanner:    # a rule, the kind of each character, and the most words in a phrase
    const uint8_t *kinds
    int mode
    int phrase
    bint skips          # whether there is white space that belongs to no word
    bint wide           # whether words are found by windows
    const uint8_t *text     # only for MARKED: the text that the marks describe
    const uint8_t *marks
    # the end of the bytes that may be read, which may be those of other texts; NULL: of this text
    const uint8_t *readable


cdef inline uint8_t _kind(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                          int *size) noexcept nogil:
    if p[0] < 0x80:
        size[0] = 1
        return kinds[p[0]]
    # a fast way for most characters of two or three bytes; same result as `_code`
    if 0xC2 <= p[0] < 0xE0 and end - p >= 2 and (p[1] & 0xC0) == 0x80:
        size[0] = 2
        return kinds[(p[0] & 0x1F) << 6 | (p[1] & 0x3F)]
    if (0xE1 <= p[0] < 0xED and end - p >= 3 and (p[1] & 0xC0) == 0x80
            and (p[2] & 0xC0) == 0x80):
        size[0] = 3
        return kinds[(p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)]
    return kinds[_code(p, end, size)]


cdef inline const uint8_t *_run(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                uint8_t mask) noexcept nogil:
    """Returns the end of the run of characters at `p` that match `mask`."""
    cdef int size
    while p < end and _kind(kinds, p, end, &size) & mask:
        p += size
    return p


cdef inline const uint8_t *_letters(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                    uint8_t letter=LETTER) noexcept nogil:
    """Returns the end of the run of letters at `p`: of characters that match `letter`."""
    return _run(kinds, _ascii_letters(p, end, 0x20), end, letter)


cdef inline const uint8_t *_others(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                   uint8_t mask) noexcept nogil:
    """Returns the end of the run of characters at `p` that match no bit of `mask`."""
    cdef int size
    while p < end and not _kind(kinds, p, end, &size) & mask:
        p += size
    return p


cdef inline const uint8_t *_contraction(const uint8_t *p, const uint8_t *end,
                                        bint any_case) noexcept nogil:
    """Returns the end of ``'s|'t|'re|'ve|'m|'ll|'d`` at `p`, or `p` if there is none."""
    cdef uint8_t c, d
    cdef uint8_t fold = 0x20 if any_case else 0
    if end - p < 2 or p[0] != c"'":
        return p
    c = p[1] | fold
    if c == c's' or c == c't' or c == c'm' or c == c'd':
        return p + 2
    if end - p < 3:
        return p
    d = p[2] | fold
    if (c == c'r' or c == c'v') and d == c'e' or c == c'l' and d == c'l':
        return p + 3
    if any_case and p[1] == 0xC5 and p[2] == 0xBF:    # the long s matches s when case is ignored
        return p + 3
    return p


cdef inline const uint8_t *_white(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                  bint lines) noexcept nogil:
    r"""Returns the end of ``\s+(?!\S)|\s+`` at `p`; with `lines`, ``\s*[\r\n]+`` is tried first."""
    cdef const uint8_t *at = p
    cdef const uint8_t *last = p
    cdef const uint8_t *line = NULL
    cdef int size
    while at < end and _kind(kinds, at, end, &size) & WHITE:
        last = at
        if at[0] == c'\n' or at[0] == c'\r':
            line = at + 1
        at += size
    if lines and line != NULL:
        return line
    return at if at == end or last == p else last


cdef const uint8_t *_gpt2(const uint8_t *kinds, const uint8_t *p,
                          const uint8_t *end) noexcept nogil:
    cdef int size
    cdef uint8_t kind
    cdef const uint8_t *at = _contraction(p, end, False)
    if at > p:
        return at
    if p[0] == c' ' and p + 1 < end:
        at = p + 1
    kind = _kind(kinds, at, end, &size)
    if kind & WHITE:
        return _white(kinds, p, end, False)
    if kind & LETTER:
        return _letters(kinds, at + size, end)
    if kind & NUMBER:
        return _run(kinds, at + size, end, NUMBER)
    return _others(kinds, at + size, end, LETTER | NUMBER | WHITE)


cdef inline const uint8_t *_numbers(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                    int most) noexcept nogil:
    r"""Returns the end of ``\p{N}{1,most}`` at `p`, or `p` if there is no number."""
    cdef int _i, size
    for _i in range(most):
        if p == end or not _kind(kinds, p, end, &size) & NUMBER:
            break
        p += size
    return p


cdef inline const uint8_t *_rest(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                 int numbers, bint slash,
                                 uint8_t letter=LETTER) noexcept nogil:
    r"""Returns the end of `numbers` numbers, ` ?[^\s\p{L}\p{N}]+[\r\n/]*` or white space at `p`."""
    cdef int size
    cdef const uint8_t *at = _numbers(kinds, p, end, numbers)
    if at > p:
        return at
    if p[0] == c' ' and p + 1 < end:
        at = p + 1
    if _kind(kinds, at, end, &size) & (letter | NUMBER | WHITE):
        return _white(kinds, p, end, True)
    at = _others(kinds, at + size, end, letter | NUMBER | WHITE)
    while at < end and (at[0] == c'\n' or at[0] == c'\r' or (slash and at[0] == c'/')):
        at += 1
    return at


cdef const uint8_t *_cl100k(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                            int numbers, uint8_t letter) noexcept nogil:
    cdef int size
    cdef uint8_t kind
    cdef const uint8_t *at = _contraction(p, end, True)
    if at > p:
        return at
    kind = _kind(kinds, p, end, &size)
    if kind & letter:
        return _letters(kinds, p + size, end, letter)
    if not kind & NUMBER and p[0] != c'\n' and p[0] != c'\r':
        at = _letters(kinds, p + size, end, letter)
        if at > p + size:
            return at
    return _rest(kinds, p, end, numbers, False, letter)


cdef inline const uint8_t *_cased(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                  const uint8_t **upper) noexcept nogil:
    """Returns the end of ``[Lu Lt Lm Lo M]*[Ll Lm Lo M]+`` at `p`, or `p` where it does not match.

    Sets `upper` to the end of the first part.  If no lower case follows, the match ends with the
    last character of the first part that also counts as lower case.
    """
    cdef int size
    cdef uint8_t kind
    cdef const uint8_t *both = p
    upper[0] = p
    while upper[0] < end:
        kind = _kind(kinds, upper[0], end, &size)
        if not kind & UPPER:
            break
        upper[0] += size
        if kind & LOWER:
            both = upper[0]
    p = _run(kinds, upper[0], end, LOWER)
    return p if p > upper[0] else both


cdef inline const uint8_t *_ascii_word(const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Returns the end of ``[A-Z]*[a-z]+|[A-Z]+`` at `p`, or `p` if this is not certain.

    It is not certain if nothing matches, or if what follows may belong to the word, as a mark does.
    """
    cdef const uint8_t *at = p
    while at < end and <uint8_t> (at[0] - c'A') < 26:
        at += 1
    at = _ascii_letters(at, end, 0)
    while at < end and <uint8_t> (at[0] - c'a') < 26:
        at += 1
    return p if at < end and at[0] >= 0x80 else at


cdef inline const uint8_t *_cased_word(const uint8_t *kinds, const uint8_t *p,
                                       const uint8_t *end) noexcept nogil:
    """Returns the end of the word of letters and marks at `p`, or `p` if there is none.

    One character that is neither a letter nor a number nor a line feed may precede it.
    """
    cdef int size
    cdef uint8_t kind = _kind(kinds, p, end, &size)
    cdef const uint8_t *word = p         # after the one character that may precede a word
    cdef const uint8_t *upper
    cdef const uint8_t *upper_word
    cdef const uint8_t *at
    if not kind & (LETTER | NUMBER) and p[0] != c'\n' and p[0] != c'\r':
        word = p + size
    if p[0] < 0x80:      # not a mark, which could be a word of its own
        at = _ascii_word(word, end)
        if at > word:
            return at
        if word == end or word[0] < 0x80 and not kinds[word[0]] & LETTER:
            return p
    at = _cased(kinds, word, end, &upper_word)
    if at > word:
        return at
    upper = upper_word
    if word > p:
        at = _cased(kinds, p, end, &upper)
        if at > p:
            return at
    return upper_word if upper_word > word else upper


cdef const uint8_t *_o200k(const uint8_t *kinds, const uint8_t *p,
                           const uint8_t *end) noexcept nogil:
    cdef const uint8_t *at = _cased_word(kinds, p, end)
    return _contraction(at, end, True) if at > p else _rest(kinds, p, end, 3, True)


cdef const uint8_t *_tekken(const uint8_t *kinds, const uint8_t *p,
                            const uint8_t *end) noexcept nogil:
    cdef const uint8_t *at = _cased_word(kinds, p, end)
    return at if at > p else _rest(kinds, p, end, 1, True)


cdef inline bint _kana_or_han(int32_t code) noexcept nogil:
    return 0x4E00 <= code <= 0x9FA5 or 0x3040 <= code <= 0x30FF


cdef inline uint8_t _kind_between(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                  bint kana, int *size) noexcept nogil:
    """Returns the kind of the character at `p`, or NUMBER where the piece before it ends.

    DeepSeek's first two patterns split off numbers, and runs of kana and Han.  A piece is such a
    run of kana and Han (`kana`), or contains none of these characters.
    """
    cdef int32_t code
    size[0] = 0
    if p == end:
        return NUMBER
    code = _code(p, end, size)
    return kinds[code] if _kana_or_han(code) == kana else NUMBER


cdef const uint8_t *_run_between(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                                 bint kana, uint8_t mask) noexcept nogil:
    """Returns the end of the run of characters at `p` that match `mask`, which has no NUMBER."""
    cdef int size
    cdef uint8_t kind = _kind_between(kinds, p, end, kana, &size)
    while not kind & NUMBER and kind & mask:
        p += size
        kind = _kind_between(kinds, p, end, kana, &size)
    return p


cdef inline bint _ascii_letter(uint8_t c) noexcept nogil:
    return <uint8_t> ((c | 0x20) - c'a') < 26


cdef const uint8_t *_deepseek(const uint8_t *kinds, const uint8_t *p,
                              const uint8_t *end) noexcept nogil:
    cdef int size, next_size
    cdef uint8_t kind
    cdef const uint8_t *at = _numbers(kinds, p, end, 3)
    if at > p:
        return at
    cdef bint kana = _kana_or_han(_code(p, end, &size))
    if at > p:
        return at
    kind = _kind_between(kinds, p, end, kana, &size)
    at = p + size
    if p[0] < 0x80 and kind & SIGN and at < end and _ascii_letter(at[0]):
        while at < end and _ascii_letter(at[0]):
            at += 1
        return at
    if not kind & (LETTER | SIGN) and p[0] != c'\n' and p[0] != c'\r':
        at = _run_between(kinds, p + size, end, kana, LETTER | MARK)
        if at > p + size:
            return at
    if kind & (LETTER | MARK):
        return _run_between(kinds, p, end, kana, LETTER | MARK)
    at = p + 1 if p[0] == c' ' else p
    if _kind_between(kinds, at, end, kana, &next_size) & SIGN:
        at = _run_between(kinds, at, end, kana, SIGN)
        while not kana and at < end and (at[0] == c'\n' or at[0] == c'\r'):
            at += 1
        return at
    if kind & WHITE:
        at = _run_between(kinds, p, end, kana, WHITE)
        # a number after it ends the piece
        if _kind_between(kinds, at, end, kana, &size) & NUMBER:
            end = at
        return _white(kinds, p, end, True)
    # nothing matches: go on to the next match, which may begin one character before letters
    at = p + size
    while True:
        kind = _kind_between(kinds, at, end, kana, &size)
        if kind & (LETTER | MARK | SIGN | WHITE | NUMBER):
            return at
        if _kind_between(kinds, at + size, end, kana, &next_size) & (LETTER | MARK):
            return at
        at += size


cdef const uint8_t *_class_end(const uint8_t *kinds, const uint8_t *p, const uint8_t *end,
                               bint contractions) noexcept nogil:
    """Returns the end of the part at `p`, by the classes of `raw_words`.

    LETTER and SIGN are the two kinds of runs, UPPER is for characters that are removed, and MARK
    for joining characters.
    """
    cdef int size
    cdef uint8_t kind = _kind(kinds, p, end, &size)
    cdef const uint8_t *at = p
    if contractions and end - p > 1 and p[1] < 0x80:
        at = _contraction(p, end, True)
    if at == p:
        at = p + size
        if kind & LETTER:
            at = _ascii_letters(at, end, 0x20)
        at = _run(kinds, at, end, UPPER if kind & NUMBER else kind | UPPER)
    if kind & MARK or at < end and _kind(kinds, at, end, &size) & MARK:
        at = _others(kinds, at, end, WHITE)
    return at


cdef const uint8_t *_after_word_space(const uint8_t *kinds, const uint8_t *p,
                                      const uint8_t *end) noexcept nogil:
    cdef const uint8_t *at = p
    cdef const uint8_t *before
    cdef int size
    while True:
        at = <const uint8_t *> memchr(at + 1, c' ', end - at - 1)
        if at == NULL:
            return end
        before = at - 1
        while before > p and before[0] & 0xC0 == 0x80 and at - before < 4:
            before -= 1
        # a byte that belongs to no character counts as white space: no word must begin after it
        if not _kind(kinds, before, end, &size) & WHITE and before + size == at:
            return at


cdef inline int64_t next_mark(const uint8_t *marks, int64_t at, int64_t end) noexcept nogil:
    """Returns the first marked place from `at` on, or `end`."""
    while end - at >= 8 and load8(marks + at) == 0:
        at += 8
    while at < end and marks[at] == 0:
        at += 1
    return at


cdef inline const uint8_t *word_start(const Scanner *scanner, const uint8_t *p,
                                      const uint8_t *end) noexcept nogil:
    """Returns where the next word starts, from `p` on; `end` if only skipped text follows."""
    if scanner.skips and (scanner.mode == CLASSES or scanner.mode == CLIP):
        return _run(scanner.kinds, p, end, WHITE | UPPER)
    while scanner.mode == MARKED and p < end and scanner.marks[p - scanner.text] == GAP:
        p = _marked_end(scanner, p, end)
    return p


cdef inline const uint8_t *_marked_end(const Scanner *scanner, const uint8_t *p,
                                       const uint8_t *end) noexcept nogil:
    return scanner.text + next_mark(scanner.marks, p + 1 - scanner.text, end - scanner.text)


cdef inline const uint8_t *_one_word_end(const Scanner *scanner, const uint8_t *p,
                                         const uint8_t *end) noexcept nogil:
    """Returns the end of the word that starts at `p` < `end`, before words form phrases."""
    cdef const uint8_t *at
    cdef int size
    if scanner.mode == GPT2:
        return _gpt2(scanner.kinds, p, end)
    if scanner.mode == CL100K:
        return _cl100k(scanner.kinds, p, end, 3, LETTER)
    if scanner.mode == QWEN2:
        return _cl100k(scanner.kinds, p, end, 1, LETTER)
    if scanner.mode == QWEN35:
        return _cl100k(scanner.kinds, p, end, 1, LETTER | MARK)
    if scanner.mode == O200K:
        return _o200k(scanner.kinds, p, end)
    if scanner.mode == DIGIT:
        if _kind(scanner.kinds, p, end, &size) & DECIMAL:
            return p + size
        return _others(scanner.kinds, p + size, end, DECIMAL)
    if scanner.mode == WHOLE:
        return end
    if scanner.mode == DEEPSEEK:
        return _deepseek(scanner.kinds, p, end)
    if scanner.mode == TEKKEN:
        return _tekken(scanner.kinds, p, end)
    if scanner.mode == MARKED:
        return _marked_end(scanner, p, end)
    if scanner.mode == CLASSES or scanner.mode == CLIP:
        return _class_end(scanner.kinds, p, end, scanner.mode == CLIP)
    if scanner.mode == AFTER_WORD_SPACE:
        return _after_word_space(scanner.kinds, p, end)
    if scanner.mode == SPACE and p[0] == c' ':
        return p + 1
    if scanner.mode == SPACE_RUNS:
        while p + 1 < end and p[0] == c' ':
            p += 1
    at = <const uint8_t *> memchr(p + 1, c' ', end - p - 1)
    return end if at == NULL else at


cdef bint _ends_in_letter(const uint8_t *kinds, const uint8_t *p,
                          const uint8_t *end) noexcept nogil:
    """Returns whether the last character of a word, not counting marks, is a letter."""
    cdef const uint8_t *last
    cdef uint8_t kind
    cdef int size
    while end > p:
        last = end - 1
        while last > p and last[0] & 0xC0 == 0x80 and end - last < 4:
            last -= 1
        kind = _kind(kinds, last, end, &size)
        if last + size != end or not kind & (LETTER | MARK):
            return False
        if kind & LETTER:
            return True
        end = last
    return False


cdef bint _begins_with_letter(const uint8_t *kinds, const uint8_t *p,
                              const uint8_t *end) noexcept nogil:
    """Returns whether a word begins with a letter, possibly after a space or an apostrophe."""
    cdef int size
    if p[0] == c' ' or p[0] == c"'":
        p += 1
    elif end - p > 3 and p[0] == 0xE2 and p[1] == 0x80 and p[2] == 0x99:
        p += 3
    return p < end and _kind(kinds, p, end, &size) & LETTER != 0


cdef inline const uint8_t *word_end(const Scanner *scanner, const uint8_t *p,
                                    const uint8_t *end) noexcept nogil:
    """Returns the end of the word, or of the phrase, that starts at `p` < `end`."""
    cdef const uint8_t *at = _one_word_end(scanner, p, end)
    cdef const uint8_t *next
    cdef int words = 1
    while words < scanner.phrase and at < end and _ends_in_letter(scanner.kinds, p, at):
        next = _one_word_end(scanner, at, end)
        if not _begins_with_letter(scanner.kinds, at, next):
            break
        p = at
        at = next
        words += 1
    return at
