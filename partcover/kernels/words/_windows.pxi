# Finds the ends of all words in up to 64 bytes at once.  Included by the kernels that find words,
# after _word_ends.pxi, whose rules it implements.
#
# For each class of characters there are 64 bits, one for each byte of a window, and a rule becomes
# operations on these bits: for example, a run of letters begins at a letter that follows no letter.
# What a window cannot decide, such as the end of a word that continues after it, is left to the
# code that goes byte by byte.  So each window begins where a word begins, and depends on no other
# window.

cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #elif defined(__ARM_NEON) && defined(__aarch64__)
    #include <arm_neon.h>
    #endif

    /* bit i: the i-th byte is in this class; inner: from 0x80 to 0xBF.  Fields that are changed
       together are not adjacent, because writing two at a time would wait for both. */
    typedef struct {
        uint64_t high, letter, inner, upper, space, digit, apostrophe, white, slash, line;
    } pc_classes;

    #if defined(__SSE2__)
    /* the same function for 16, 32 or 64 bytes at a time */
    #define PC_CLASSIFIER(name, target, width, vector, load, set, either, equal, within, top, \\
                          inner_) \\
        target static void name(const uint8_t *p, pc_classes *c) \\
        { \\
            memset(c, 0, sizeof *c); \\
            for (int at = 0; at < 64; at += width) { \\
                vector v = load(p + at), folded = either(v, set(0x20)); \\
                uint64_t space = equal(v, set(' ')); \\
                c->high |= (uint64_t) top(v) << at; \\
                c->inner |= (uint64_t) inner_(v) << at; \\
                c->letter |= (uint64_t) within(folded, 'a', 'z') << at; \\
                c->upper |= (uint64_t) within(v, 'A', 'Z') << at; \\
                c->digit |= (uint64_t) within(v, '0', '9') << at; \\
                c->white |= (space | within(v, 9, 13)) << at; \\
                c->space |= space << at; \\
                c->line |= (uint64_t) (equal(v, set(10)) | equal(v, set(13))) << at; \\
                c->apostrophe |= (uint64_t) equal(v, set(0x27)) << at; \\
                c->slash |= (uint64_t) equal(v, set('/')) << at; \\
            } \\
        }

    #define PC_LOAD16(p) _mm_loadu_si128((const __m128i *) (p))
    #define PC_HIGH16(v) ((uint32_t) _mm_movemask_epi8(v))
    #define PC_INNER16(v) PC_HIGH16(_mm_cmpgt_epi8(_mm_set1_epi8(-64), v))
    #define PC_EQUAL16(v, w) PC_HIGH16(_mm_cmpeq_epi8(v, w))
    #define PC_WITHIN16(v, low, last) PC_HIGH16(_mm_and_si128( \\
        _mm_cmpgt_epi8(v, _mm_set1_epi8(low - 1)), _mm_cmpgt_epi8(_mm_set1_epi8(last + 1), v)))
    PC_CLASSIFIER(pc_classify16, , 16, __m128i, PC_LOAD16, _mm_set1_epi8, _mm_or_si128,
                  PC_EQUAL16, PC_WITHIN16, PC_HIGH16, PC_INNER16)
    static void (*pc_classify)(const uint8_t *, pc_classes *) = pc_classify16;

    #if defined(__GNUC__) || defined(__clang__)
    #include <immintrin.h>
    #define PC_LOAD32(p) _mm256_loadu_si256((const __m256i *) (p))
    #define PC_HIGH32(v) ((uint32_t) _mm256_movemask_epi8(v))
    #define PC_INNER32(v) PC_HIGH32(_mm256_cmpgt_epi8(_mm256_set1_epi8(-64), v))
    #define PC_EQUAL32(v, w) PC_HIGH32(_mm256_cmpeq_epi8(v, w))
    #define PC_WITHIN32(v, low, last) PC_HIGH32(_mm256_and_si256( \\
        _mm256_cmpgt_epi8(v, _mm256_set1_epi8(low - 1)), \\
        _mm256_cmpgt_epi8(_mm256_set1_epi8(last + 1), v)))
    PC_CLASSIFIER(pc_classify32, __attribute__((target("avx2"))), 32, __m256i, PC_LOAD32,
                  _mm256_set1_epi8, _mm256_or_si256, PC_EQUAL32, PC_WITHIN32, PC_HIGH32,
                  PC_INNER32)

    #define PC_LOAD64(p) _mm512_loadu_si512(p)
    #define PC_HIGH64(v) _mm512_movepi8_mask(v)
    #define PC_INNER64(v) _mm512_cmpgt_epi8_mask(_mm512_set1_epi8(-64), v)
    #define PC_EQUAL64(v, w) _mm512_cmpeq_epi8_mask(v, w)
    #define PC_WITHIN64(v, low, last) _mm512_cmple_epu8_mask( \\
        _mm512_sub_epi8(v, _mm512_set1_epi8(low)), _mm512_set1_epi8((last) - (low)))
    PC_CLASSIFIER(pc_classify64, __attribute__((target("avx512bw"))), 64, __m512i, PC_LOAD64,
                  _mm512_set1_epi8, _mm512_or_si512, PC_EQUAL64, PC_WITHIN64, PC_HIGH64,
                  PC_INNER64)
    #endif

    /* chooses how many bytes are classified at a time, up to `most`; returns how many */
    static int pc_choose(int most)
    {
        void (*chosen)(const uint8_t *, pc_classes *) = pc_classify16;
        int width = 16;
    #if defined(__GNUC__) || defined(__clang__)
        __builtin_cpu_init();
        if (most >= 64 && __builtin_cpu_supports("avx512bw")) {
            chosen = pc_classify64;
            width = 64;
        } else if (most >= 32 && __builtin_cpu_supports("avx2")) {
            chosen = pc_classify32;
            width = 32;
        }
    #endif
        pc_classify = chosen;   /* at once: other threads may be calling it */
        return width;
    }
    #elif defined(__ARM_NEON) && defined(__aarch64__)
    static inline uint64_t pc_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
    {
        const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        uint8x16_t ab = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
        uint8x16_t cd = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
        ab = vpaddq_u8(ab, cd);
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(ab, ab)), 0);
    }

    static inline void pc_classify(const uint8_t *p, pc_classes *c)
    {
        uint8x16_t v[4], f[4];
        for (int i = 0; i < 4; i++) {
            v[i] = vld1q_u8(p + 16 * i);
            f[i] = vorrq_u8(v[i], vdupq_n_u8(0x20));
        }
    #define PC_FOUR(x) pc_bits(x(0), x(1), x(2), x(3))
    #define PC_WITHIN(v, low, count) vcltq_u8(vsubq_u8(v, vdupq_n_u8(low)), vdupq_n_u8(count))
    #define PC_EQUAL(i, x) vceqq_u8(v[i], vdupq_n_u8(x))
    #define PC_HIGH(i) vcgeq_u8(v[i], vdupq_n_u8(0x80))
    #define PC_INNER(i) PC_WITHIN(v[i], 0x80, 0x40)
    #define PC_LETTER(i) PC_WITHIN(f[i], 'a', 26)
    #define PC_UPPER(i) PC_WITHIN(v[i], 'A', 26)
    #define PC_DIGIT(i) PC_WITHIN(v[i], '0', 10)
    #define PC_SPACE(i) PC_EQUAL(i, ' ')
    #define PC_WHITE(i) vorrq_u8(PC_SPACE(i), PC_WITHIN(v[i], 9, 5))
    #define PC_LINE(i) vorrq_u8(PC_EQUAL(i, 10), PC_EQUAL(i, 13))
    #define PC_APOSTROPHE(i) PC_EQUAL(i, 0x27)
    #define PC_SLASH(i) PC_EQUAL(i, '/')
        c->high = PC_FOUR(PC_HIGH);
        c->inner = PC_FOUR(PC_INNER);
        c->letter = PC_FOUR(PC_LETTER);
        c->upper = PC_FOUR(PC_UPPER);
        c->digit = PC_FOUR(PC_DIGIT);
        c->white = PC_FOUR(PC_WHITE);
        c->space = PC_FOUR(PC_SPACE);
        c->line = PC_FOUR(PC_LINE);
        c->apostrophe = PC_FOUR(PC_APOSTROPHE);
        c->slash = PC_FOUR(PC_SLASH);
    }

    static int pc_choose(int most)
    {
        return 64;
    }
    #else
    static inline void pc_classify(const uint8_t *p, pc_classes *c)
    {
        memset(c, 0, sizeof *c);
        for (int i = 0; i < 64; i++) {
            uint8_t x = p[i];
            c->high |= (uint64_t) (x >= 0x80) << i;
            c->inner |= (uint64_t) ((x & 0xC0) == 0x80) << i;
            c->letter |= (uint64_t) ((uint8_t) ((x | 0x20) - 'a') < 26) << i;
            c->upper |= (uint64_t) ((uint8_t) (x - 'A') < 26) << i;
            c->digit |= (uint64_t) ((uint8_t) (x - '0') < 10) << i;
            c->white |= (uint64_t) (x == ' ' || (uint8_t) (x - 9) < 5) << i;
            c->space |= (uint64_t) (x == ' ') << i;
            c->line |= (uint64_t) (x == '\\n' || x == '\\r') << i;
            c->apostrophe |= (uint64_t) (x == 0x27) << i;
            c->slash |= (uint64_t) (x == '/') << i;
        }
    }

    static int pc_choose(int most)
    {
        return 1;
    }
    #endif
    """
    ctypedef struct Classes "pc_classes":
        uint64_t high, inner, letter, upper, digit, white, space, line, apostrophe, slash
    void _classify "pc_classify"(const uint8_t *p, Classes *c) noexcept nogil
    int _choose "pc_choose"(int most) noexcept nogil

include "../shared/_bits.pxi"
include "_character_kinds.pxi"

cdef enum:
    WINDOW = 64
    SOME = 16           # most words that are found one by one in a call


_choose(64)
_choose_kinds(64)


cdef bint _is_usual(const uint8_t *kinds, int first) noexcept nogil:
    """Whether `kinds` has for the ASCII characters the classes that windows assume."""
    cdef Classes c
    cdef uint8_t text[WINDOW]
    cdef uint8_t kind
    cdef int i
    for i in range(64):
        text[i] = <uint8_t> (first + i)
    _classify(text, &c)
    for i in range(64):
        kind = kinds[first + i]
        if ((kind & LETTER != 0) != (c.letter >> i & 1)
                or (kind & NUMBER != 0) != (c.digit >> i & 1)
                or (kind & WHITE != 0) != (c.white >> i & 1)
                or (kind & UPPER != 0) != (c.upper >> i & 1)
                or (kind & LOWER != 0) != ((c.letter & ~c.upper) >> i & 1)):
            return False
    return True


cdef Scanner _scanner(const uint8_t[::1] kinds, int mode, int phrase, bint skips) noexcept nogil:
    cdef bint wide = (mode == GPT2 or mode == CL100K or mode == QWEN2 or mode == QWEN35
                      or mode == O200K)
    wide = wide and phrase == 1 and _is_usual(&kinds[0], 0) and _is_usual(&kinds[0], 64)
    return Scanner(&kinds[0], mode, phrase, skips, wide, NULL, NULL, NULL)


cdef uint64_t _others_of(const Scanner *scanner, const uint8_t *p, const uint8_t *end,
                         Classes *c, int *n, uint64_t *lower) noexcept nogil:
    """Adds characters that are not ASCII to the classes; returns the bytes that begin no character.

    Reduces `n` to the place of the first character that a window cannot decide.
    """
    cdef uint64_t left = c.high & _below(n[0])
    cdef uint64_t inner = 0, bits
    cdef uint8_t kind
    cdef int i, size
    while left:
        i = _lowest(left)
        kind = _kind(scanner.kinds, p + i, end, &size)
        if i + size > n[0] or kind & _unsettled(scanner):
            n[0] = i
            break
        bits = _below(size) << i
        inner |= bits & ~(<uint64_t> 1 << i)
        if kind & WHITE:
            c.white |= bits
        if kind & _letter_of(scanner):
            c.letter |= bits
            if kind & UPPER:
                c.upper |= bits
            if kind & LOWER:
                lower[0] |= bits
        left &= ~bits
    return inner


cdef inline uint8_t _unsettled(const Scanner *scanner) noexcept nogil:
    """The kinds of non-ASCII characters that a window cannot decide."""
    return NUMBER | (MARK if scanner.mode == O200K else 0)


cdef inline uint8_t _letter_of(const Scanner *scanner) noexcept nogil:
    """The kinds of characters that words are made of."""
    return LETTER | MARK if scanner.mode == QWEN35 else LETTER


cdef inline uint64_t _if(int condition) noexcept nogil:
    """All bits if the argument is true, else none."""
    return -<uint64_t> (condition != 0)


cdef uint64_t _letters_of(const Scanner *scanner, const uint8_t *p, const uint8_t *end,
                          Classes *c, int *n, uint64_t *lower) noexcept nogil:
    """Does the same as `_others_of`, but processes characters independently of each other.

    The places of their first bytes are known in advance.  Invalid UTF-8 is left to `_others_of`.
    """
    cdef uint64_t firsts = c.high & ~c.inner, left = firsts
    cdef uint64_t following = 0, letter = 0, upper = 0, low = 0, white = 0, stop = 0
    cdef uint64_t bits = 0
    cdef const uint8_t *kinds = scanner.kinds
    cdef const uint8_t *at
    cdef uint8_t unsettled = _unsettled(scanner)
    cdef uint8_t letter_kind = _letter_of(scanner)
    cdef uint8_t kind
    cdef bint marks = scanner.mode == O200K
    cdef uint8_t flags[6]
    cdef uint64_t found[6]
    cdef int i
    if end - p < WINDOW + 4:
        return _others_of(scanner, p, end, c, n, lower)
    flags[0], flags[1], flags[2] = letter_kind, WHITE, NUMBER
    flags[3], flags[4], flags[5] = UPPER, LOWER, MARK
    if _kinds_at_once(p, kinds, flags, 6 if marks else 3, found, &firsts):
        left = 0
        following = c.inner
        letter = found[0]
        white = found[1]
        stop = found[2]
        if marks:
            # marks that follow a letter continue the word, and count as both upper and lower case
            bits = found[5] & ~(found[5] + ((c.letter | letter) << 1 & found[5]))
            letter |= bits
            upper = found[3] & letter | bits
            low = found[4] & letter | bits
            stop |= found[5] & ~bits
    while left:
        i = _lowest(left)
        left &= left - 1
        at = p + i
        if 0xC2 <= at[0] < 0xE0:
            kind = kinds[(at[0] & 0x1F) << 6 | (at[1] & 0x3F)]
            bits = <uint64_t> 3 << i
            following |= <uint64_t> 2 << i
        elif (0xE0 <= at[0] < 0xF0 and not (at[0] == 0xE0 and at[1] < 0xA0)
                and not (at[0] == 0xED and at[1] >= 0xA0)):
            kind = kinds[(at[0] & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)]
            bits = <uint64_t> 7 << i
            following |= <uint64_t> 6 << i
        else:
            return _others_of(scanner, p, end, c, n, lower)
        if marks and kind & MARK and i and (c.letter | letter) >> (i - 1) & 1:
            # after a letter, a mark counts as both upper and lower case
            letter |= bits
            upper |= bits
            low |= bits
            continue
        if kind & unsettled:
            stop |= bits
        if kind & WHITE:
            white |= bits
        if kind & letter_kind:
            letter |= bits
            if scanner.mode == O200K:
                upper |= bits & _if(kind & UPPER)
                low |= bits & _if(kind & LOWER)
    if following != c.inner:
        return _others_of(scanner, p, end, c, n, lower)
    stop |= firsts & ~_below(WINDOW - 2)    # which may continue after the window
    if stop:
        n[0] = min(n[0], _lowest(stop))
    c.letter |= letter
    c.upper |= upper
    c.white |= white
    lower[0] |= low
    return c.inner


cdef uint64_t _window_ends(const Scanner *scanner, const uint8_t *p,
                           const uint8_t *end) noexcept nogil:
    """Returns where words end in a window of 64 bytes that begins with a word.

    Bit i > 0 is set if a word ends before byte i.  Nothing is decided about words that end after
    the highest bit.
    """
    cdef Classes c
    cdef int mode = scanner.mode
    cdef int n = WINDOW if end - p > WINDOW else <int> (end - p)
    cdef int i, size
    cdef uint8_t padded[WINDOW]
    cdef uint64_t inner = 0, lower, valid, others, not_white, ends, found, bits
    cdef uint64_t taken, rest, blank, first, one
    cdef const uint8_t *at
    if n < WINDOW and scanner.readable - p < WINDOW:
        memset(padded, 0, WINDOW)
        memcpy(padded, p, n)
        _classify(padded, &c)
    else:
        _classify(p, &c)
    lower = c.letter & ~c.upper
    if c.high:
        inner = _letters_of(scanner, p, end, &c, &n, &lower)
    if mode == O200K:
        # a slash after a line break may belong to the signs before it
        bits = c.line << 1 & c.slash & _below(n)
        if bits:
            n = _lowest(bits)
        # after a letter of both cases, upper case may continue the word or begin one
        bits = c.upper & ~lower & (c.upper & lower) << 1 & _below(n)
        if bits:
            n = _lowest(bits)
    if n == 0:
        return 0
    valid = ~<uint64_t> 0
    if n < WINDOW:
        valid = _below(n)
        c.letter &= valid
        c.digit &= valid
        c.white &= valid
        c.line &= valid
    others = valid & ~(c.letter | c.digit | c.white)
    not_white = valid & ~c.white
    if mode == GPT2:
        rest = c.white
        ends = (c.letter & ~((c.letter | c.space) << 1) | c.digit & ~((c.digit | c.space) << 1)
                | others & ~((others | c.space) << 1)
                | rest & (~(rest << 1) | not_white >> 1))
    else:
        # line breaks after signs belong to them
        taken = c.line & ~(c.line + (c.line & others << 1))
        rest = c.white & ~taken
        blank = c.white & ~c.line
        ends = rest & ~(rest << 1) | blank & not_white >> 1
        # a new word begins after the last line break of white space
        first = blank & ((c.line & ~taken) << 1)
        if first:
            found = (blank + (blank & ~(blank << 1))) & ~blank & c.line
            while found:
                i = _lowest(found)
                found &= found - 1
                bits = ~blank & _below(i)
                first &= ~(<uint64_t> 1 << (_length(bits) if bits else 0))
            ends |= first
        # a single sign without a space before it belongs to the letters after it, and so does a
        # blank
        one = others & ~((others | c.space) << 1)
        ends |= one
        bits = (inner + (one << 1)) & ~inner if inner else one << 1
        ends |= c.letter & ~((c.letter | blank) << 1 | bits)
        # a word has up to three digits
        bits = c.digit & ~(c.digit << 1)
        ends |= c.digit if mode == QWEN2 or mode == QWEN35 else bits
        found = c.digit & c.digit << 1 & c.digit << 2 & c.digit << 3
        if found:
            bits = bits << 3 & found
            while bits:
                ends |= bits
                bits = bits << 3 & found
        if mode == O200K:
            ends |= c.upper & ~lower & valid & lower << 1
    # the word that begins with the last blank begins at the blank's first byte
    if inner & ends:
        for i in range(3):
            ends = ends & ~inner | (ends & inner) >> 1
    # white space that continues after the window
    if rest >> (n - 1) & 1:
        bits = ~rest & valid
        size = _length(bits) if bits else 0
    elif n < WINDOW and p + n == end:
        ends |= <uint64_t> 1 << n
        size = n
    else:
        size = n - 1
    found = c.apostrophe & valid
    if found:
        found &= (c.letter << 1) if mode == O200K else ends | 1
        at = p
        while found:
            i = _lowest(found)
            found &= found - 1
            if mode == O200K and p + i == at:
                continue        # a word has at most one contraction
            at = _contraction(p + i, end, mode != GPT2)
            if at > p + i:
                bits = _below(<int> (at - p - i))
                ends &= ~((bits if mode == O200K else bits & ~<uint64_t> 1) << i)
                if at - p < WINDOW and at < end:
                    ends |= <uint64_t> 1 << (at - p)
    return ends & _below(size + 1) & ~<uint64_t> 1


cdef struct Word:
    const uint8_t *start
    int64_t length


cdef struct Cut:        # the state of a search for words
    const uint8_t *p    # where the next word starts
    uint64_t ends       # where words end in the window that starts there; 0: not computed yet


cdef inline uint64_t _ends_before(const Scanner *scanner, const uint8_t *p, const uint8_t *stop,
                                  const uint8_t *end) noexcept nogil:
    """Returns where words end in the window at `p`, up to `stop`."""
    cdef uint64_t ends
    if p >= stop:
        return 0
    ends = _window_ends(scanner, p, end)
    return ends & _below(<int> (stop - p) + 1) if stop - p < WINDOW else ends


cdef const uint8_t *_letter_windows(const Scanner *scanner, const uint8_t *p,
                                    const uint8_t *end) noexcept nogil:
    """Returns the end of the windows at `p` that have letters alone."""
    cdef Classes c
    cdef uint8_t letter_kind = _letter_of(scanner)
    cdef uint64_t found, firsts
    cdef int size
    while end - p >= WINDOW + 4:
        _classify(p, &c)
        size = WINDOW
        if c.high:
            if not _kinds_at_once(p, scanner.kinds, &letter_kind, 1, &found, &firsts):
                break
            c.letter |= found
            if firsts >> (WINDOW - 2):      # the last character may continue after the window
                size = _lowest(firsts & ~_below(WINDOW - 2))
        if ~c.letter & _below(size):
            break
        p += size
    return p


cdef const uint8_t *_wide_word_end(const Scanner *scanner, const uint8_t *p,
                                   const uint8_t *end) noexcept nogil:
    """Returns the end of the word at `p` < `end`, which may be long."""
    cdef const uint8_t *letters = p + (p[0] == c' ')
    cdef const uint8_t *at = letters
    if scanner.mode != O200K:       # whose words depend on the case
        at = _letter_windows(scanner, letters, end)
    if at == letters:
        return word_end(scanner, p, end)
    return _letters(scanner.kinds, at, end, _letter_of(scanner))


cdef int _next_words(const Scanner *scanner, Cut *cut, const uint8_t *stop, const uint8_t *end,
                     Word *words) noexcept nogil:
    """Finds up to 64 words, and moves `cut` to the end of the last one.

    No word starts at or after `stop`; if no word is found, `cut` has reached `stop`.
    """
    cdef const uint8_t *start
    cdef uint64_t ends
    cdef int n = 0
    if scanner.wide and cut.ends == 0:
        cut.ends = _ends_before(scanner, cut.p, stop, end)
    ends = cut.ends
    if ends:
        start = cut.p
        while ends:
            words[n].start = start
            start = cut.p + _lowest(ends)
            words[n].length = start - words[n].start
            ends &= ends - 1
            n += 1
        cut.p = start
        cut.ends = 0
        return n
    while n < SOME:
        cut.p = word_start(scanner, cut.p, end)
        if cut.p >= stop:
            break
        start = cut.p
        cut.p = (_wide_word_end if scanner.wide else word_end)(scanner, start, end)
        words[n] = Word(start, cut.p - start)
        n += 1
        if scanner.wide:
            break
    return n
