# The kinds of all characters of a window at once, where the machine can.  Included by _windows.pxi
# and by kernels that look for characters of some kinds.

cdef extern from *:
    """
    typedef int (*pc_kinds_finder)(const uint8_t *, const uint8_t *, const uint8_t *, int,
                                   uint64_t *, uint64_t *);

    static int pc_no_kinds(const uint8_t *p, const uint8_t *kinds, const uint8_t *flags,
                           int n_flags, uint64_t *bytes, uint64_t *firsts)
    {
        return 0;
    }

    static pc_kinds_finder pc_kinds_at_once = pc_no_kinds;

    /* for Windows, GCC does not align such vectors on the stack (GCC's bug 54412) */
    #if defined(__x86_64__) && !defined(_WIN32)
    #define PC_WIDE
    #include <immintrin.h>

    static const uint8_t pc_to_63[64] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

    /* Finds which bytes of the window of 64 bytes at p belong to non-ASCII characters that match
       flags[f], for each f, and where such characters begin.  Returns 0 if one of them has four
       bytes or is invalid; the bytes of the last one that follow the window are not checked. */
    __attribute__((target("avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2")))
    static int pc_kinds64(const uint8_t *p, const uint8_t *kinds, const uint8_t *flags,
                          int n_flags, uint64_t *bytes, uint64_t *begins)
    {
    #define PC_ALL(x) _mm512_set1_epi8((char) (x))
        const __m512i low6 = _mm512_set1_epi16(0x3F);
        __m512i v = _mm512_loadu_si512(p), at, code, b[3];
        uint64_t inner = _mm512_cmplt_epi8_mask(v, PC_ALL(0xC0));
        uint64_t firsts = *begins = _mm512_movepi8_mask(v) & ~inner;
        uint64_t threes = firsts & _mm512_cmpge_epu8_mask(v, PC_ALL(0xE0));
        uint64_t below_a0 = _mm512_cmplt_epu8_mask(v, PC_ALL(0xA0));
        uint64_t wrong = firsts & (_mm512_cmplt_epu8_mask(v, PC_ALL(0xC2))
                                   | _mm512_cmpge_epu8_mask(v, PC_ALL(0xF0)));
        wrong |= _mm512_cmpeq_epi8_mask(v, PC_ALL(0xE0)) << 1 & below_a0;
        wrong |= _mm512_cmpeq_epi8_mask(v, PC_ALL(0xED)) << 1 & ~below_a0;
        if (wrong || (firsts << 1 | threes << 2) != inner)
            return 0;
        if (!firsts) {
            memset(bytes, 0, n_flags * sizeof *bytes);
            return 1;
        }
        /* of the at most 32 characters, in 16 bits each: the three bytes, and the code point */
        at = _mm512_maskz_compress_epi8(firsts, _mm512_loadu_si512(pc_to_63));
        for (int i = 0; i < 3; i++) {
            b[i] = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(_mm512_permutexvar_epi8(at, v)));
            at = _mm512_add_epi8(at, PC_ALL(1));
        }
        code = _mm512_or_si512(_mm512_slli_epi16(_mm512_and_si512(b[0], low6), 6),
                               _mm512_and_si512(b[1], low6));
        code = _mm512_mask_blend_epi16(
            _mm512_cmpge_epu16_mask(b[0], _mm512_set1_epi16(0xE0)),
            _mm512_and_si512(code, _mm512_set1_epi16(0x7FF)),
            _mm512_or_si512(_mm512_slli_epi16(code, 6), _mm512_and_si512(b[2], low6)));
        /* a gathered number is the kind and the three after it, which are dropped */
    #define PC_GATHER(half) _mm512_cvtepi32_epi8(_mm512_i32gather_epi32( \\
        _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(code, half)), kinds, 1))
        __m128i low = PC_GATHER(0);
        __m256i found = _mm256_set_m128i(
            __builtin_popcountll(firsts) > 16 ? PC_GATHER(1) : low, low);
        for (int i = 0; i < n_flags; i++) {
            __m256i flag = _mm256_set1_epi8((char) flags[i]);
            uint64_t x = _pdep_u64(_mm256_test_epi8_mask(found, flag), firsts);
            bytes[i] = x | x << 1 | (x & threes) << 2;
        }
        return 1;
    }

    static int pc_choose_kinds(int most)
    {
        __builtin_cpu_init();
        int can = most >= 64 && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi")
            && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
        pc_kinds_at_once = can ? pc_kinds64 : pc_no_kinds;
        return can;
    }
    #else
    static int pc_choose_kinds(int most)
    {
        return 0;
    }
    #endif
    """
    int _kinds_at_once "pc_kinds_at_once"(
        const uint8_t *p, const uint8_t *kinds, const uint8_t *flags, int n_flags,
        uint64_t *bytes, uint64_t *firsts) noexcept nogil
    int _choose_kinds "pc_choose_kinds"(int most) noexcept nogil
