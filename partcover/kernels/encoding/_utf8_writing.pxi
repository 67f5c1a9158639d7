# Writes characters as UTF-8, four to sixteen at a time.  Included by _shares.pyx.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif
    #if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
    #include <immintrin.h>
    #define PC_SHUFFLES
    #endif

    /* writes 16 characters of 1, 2 or 4 bytes as bytes; returns how many of the first are ASCII */
    static inline int pc_narrow(const void *from, int kind, uint8_t *to)
    {
    #if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
        const __m128i *p = (const __m128i *) from;
        __m128i a = _mm_loadu_si128(p), b;
        /* larger values become 0x80 to 0xFF */
        if (kind == 2) {
            b = _mm_loadu_si128(p + 1);
            /* the one limits 0x80 to 0x7FFF, the other what is more, which it takes as negative */
            a = _mm_or_si128(_mm_packus_epi16(a, b), _mm_packs_epi16(a, b));
        } else if (kind == 4) {
            a = _mm_packs_epi32(a, _mm_loadu_si128(p + 1));
            b = _mm_packs_epi32(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));
            a = _mm_packus_epi16(a, b);
        }
        _mm_storeu_si128((__m128i *) to, a);
        return __builtin_ctz(_mm_movemask_epi8(a) | 1 << 16);
    #else
        int i = 0;
        for (; i < 16; i++) {
            uint32_t c = kind == 1 ? ((const uint8_t *) from)[i]
                : kind == 2 ? ((const uint16_t *) from)[i] : ((const uint32_t *) from)[i];
            if (c >= 0x80)
                break;
            to[i] = (uint8_t) c;
        }
        return i;
    #endif
    }

    #if defined(PC_SHUFFLES)
    /* The index has a bit for each of four characters that needs two bytes at least (low half) or
       three (high half); the values are which bytes of four 32-bit words are kept, and how many. */
    static uint8_t pc_kept[256][16], pc_sizes[256];
    static int pc_at_once;

    static void pc_prepare(int most)
    {
        /* once, while the module is imported: later other threads may be reading */
        for (int which = pc_sizes[0] ? 256 : 0; which < 256; which++) {
            int n = 0;
            memset(pc_kept[which], 0x80, 16);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 1 + (which >> i & 1) + (which >> (i + 4) & 1); j++)
                    pc_kept[which][n++] = (uint8_t) (4 * i + j);
            pc_sizes[which] = (uint8_t) n;
        }
        __builtin_cpu_init();
        pc_at_once = most >= 4 && __builtin_cpu_supports("ssse3") ? 4 : 1;
    #if !defined(_WIN32)    /* for which GCC does not align such vectors on the stack */
        if (most >= 16 && __builtin_cpu_supports("avx512bw")
                && __builtin_cpu_supports("avx512vbmi2"))
            pc_at_once = 16;
    #endif
    }

    /* writes groups of 16 characters or more from *from on, at most to end, and up to 16 bytes in
       excess; moves *from after them: to a group of which one needs four bytes or is a surrogate,
       or to the last few */
    __attribute__((target("avx512bw,avx512vbmi2")))
    static uint8_t *pc_write_16(const void **from, const void *end, int kind, uint8_t *to)
    {
    #define PC_ALL(x) _mm512_set1_epi32(x)
        const uint8_t *p = (const uint8_t *) *from;
        for (; (const uint8_t *) end - p >= 16 * kind; p += 16 * kind) {
            __m512i c, low, two, three, kept;
            /* most text is ASCII */
            while ((const uint8_t *) end - p >= 64) {
                c = _mm512_loadu_si512(p);
                if (kind == 1 && !_mm512_movepi8_mask(c))
                    _mm512_storeu_si512(to, c);
                else if (kind == 2 && !_mm512_cmpgt_epu16_mask(c, _mm512_set1_epi16(0x7F)))
                    _mm256_storeu_si256((__m256i *) to, _mm512_cvtepi16_epi8(c));
                else if (kind == 4 && !_mm512_cmpgt_epu32_mask(c, PC_ALL(0x7F)))
                    _mm_storeu_si128((__m128i *) to, _mm512_cvtepi32_epi8(c));
                else
                    break;
                p += 64;
                to += 64 / kind;
            }
            if ((const uint8_t *) end - p < 16 * kind)
                break;
            if (kind == 1)
                c = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *) p));
            else if (kind == 2)
                c = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *) p));
            else
                c = _mm512_loadu_si512(p);
            __mmask16 is_two = _mm512_cmpgt_epu32_mask(c, PC_ALL(0x7F));
            __mmask16 is_three = _mm512_cmpgt_epu32_mask(c, PC_ALL(0x7FF));
            __mmask16 is_surrogate = _mm512_cmpeq_epi32_mask(
                _mm512_and_si512(c, PC_ALL(0xF800)), PC_ALL(0xD800));
            if (is_surrogate || _mm512_cmpgt_epu32_mask(c, PC_ALL(0xFFFF)))
                break;
            low = _mm512_and_si512(c, PC_ALL(0x3F));
            two = _mm512_or_si512(_mm512_srli_epi32(c, 6), _mm512_slli_epi32(low, 8));
            three = _mm512_or_si512(
                _mm512_or_si512(_mm512_srli_epi32(c, 12), _mm512_slli_epi32(low, 16)),
                _mm512_slli_epi32(_mm512_and_si512(c, PC_ALL(0xFC0)), 2));
            c = _mm512_mask_or_epi32(c, is_two, two, PC_ALL(0x80C0));
            c = _mm512_mask_or_epi32(c, is_three, three, PC_ALL(0x8080E0));
            kept = _mm512_mask_mov_epi32(PC_ALL(0x80), is_two, PC_ALL(0x8080));
            kept = _mm512_mask_mov_epi32(kept, is_three, PC_ALL(0x808080));
            uint64_t bytes = _mm512_movepi8_mask(kept);
            c = _mm512_maskz_compress_epi8(bytes, c);
            if (kind == 1)      /* at most 32 bytes, and there is no room for twice as many */
                _mm256_storeu_si256((__m256i *) to, _mm512_castsi512_si256(c));
            else
                _mm512_storeu_si512(to, c);
            to += __builtin_popcountll(bytes);
        }
        *from = p;
        return to;
    #undef PC_ALL
    }

    /* writes four characters of `kind` bytes, and bytes in excess, up to 16 bytes; returns how
       many bytes they take, or 0 if one needs four bytes or is a surrogate */
    __attribute__((target("ssse3")))
    static int pc_shuffled(const void *from, int kind, uint8_t *to)
    {
        __m128i zero = _mm_setzero_si128(), c, low, two, three, is_two, is_three, odd;
        int32_t bytes;
        if (kind == 1) {
            memcpy(&bytes, from, 4);
            c = _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), zero), zero);
        } else if (kind == 2) {
            c = _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *) from), zero);
        } else {
            c = _mm_loadu_si128((const __m128i *) from);
        }
        odd = _mm_or_si128(_mm_cmpgt_epi32(c, _mm_set1_epi32(0xFFFF)),
                           _mm_cmpeq_epi32(_mm_and_si128(c, _mm_set1_epi32(0xF800)),
                                           _mm_set1_epi32(0xD800)));
        if (_mm_movemask_epi8(odd))
            return 0;
        low = _mm_and_si128(c, _mm_set1_epi32(0x3F));
        two = _mm_or_si128(_mm_or_si128(_mm_srli_epi32(c, 6), _mm_slli_epi32(low, 8)),
                           _mm_set1_epi32(0x80C0));
        three = _mm_or_si128(
            _mm_or_si128(_mm_srli_epi32(c, 12), _mm_slli_epi32(low, 16)),
            _mm_or_si128(_mm_slli_epi32(_mm_and_si128(c, _mm_set1_epi32(0xFC0)), 2),
                         _mm_set1_epi32(0x8080E0)));
        is_two = _mm_cmpgt_epi32(c, _mm_set1_epi32(0x7F));
        is_three = _mm_cmpgt_epi32(c, _mm_set1_epi32(0x7FF));
        c = _mm_or_si128(_mm_and_si128(is_two, two), _mm_andnot_si128(is_two, c));
        c = _mm_or_si128(_mm_and_si128(is_three, three), _mm_andnot_si128(is_three, c));
        int which = _mm_movemask_ps(_mm_castsi128_ps(is_two))
            | _mm_movemask_ps(_mm_castsi128_ps(is_three)) << 4;
        _mm_storeu_si128((__m128i *) to,
                         _mm_shuffle_epi8(c, _mm_loadu_si128((const __m128i *) pc_kept[which])));
        return pc_sizes[which];
    }

    /* writes groups of four characters from *from on, at most to end, and moves *from after them;
       stops after a group that is ASCII, or before one that needs more bytes */
    __attribute__((target("ssse3")))
    static uint8_t *pc_write_groups(const void **from, const void *end, int kind, uint8_t *to)
    {
        const uint8_t *p = (const uint8_t *) *from;
        int size = 0;
        while ((const uint8_t *) end - p >= 4 * kind && size != 4
               && (size = pc_shuffled(p, kind, to))) {
            p += 4 * kind;
            to += size;
        }
        *from = p;
        return to;
    }
    #else
    static int pc_at_once = 1;
    static void pc_prepare(int most)
    {
    }
    static uint8_t *pc_write_groups(const void **from, const void *end, int kind, uint8_t *to)
    {
        return to;
    }
    static uint8_t *pc_write_16(const void **from, const void *end, int kind, uint8_t *to)
    {
        return to;
    }
    #endif
    """
    int groups_of "pc_at_once"
    void _prepare "pc_prepare"(int most)
    uint8_t *_write_16 "pc_write_16"(const void **from_, const void *end, int kind,
                                     uint8_t *to) noexcept nogil
    uint8_t *_write_groups "pc_write_groups"(const void **from_, const void *end, int kind,
                                             uint8_t *to) noexcept nogil
    int _narrow "pc_narrow"(const void *p, int kind, uint8_t *out) noexcept nogil
