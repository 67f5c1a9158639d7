# The keys of all words of a window at once, where the machine can.  Included by _word_keys.pxi.

cdef extern from *:
    """
    /* as Key of _word_slots.pxi */
    typedef struct { uint64_t a, b, home; const uint8_t *start; } pc_word_key;

    static int pc_can_keys;

    #if defined(PC_WIDE)    /* see _character_kinds.pxi */

    static int pc_choose_keys(int allowed)
    {
        __builtin_cpu_init();
        pc_can_keys = allowed && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi")
            && __builtin_cpu_supports("avx512vbmi2");
        return pc_can_keys;
    }

    /* Makes the keys of the words of at most 15 bytes in the window of 64 bytes at p, like
       pc_short_key and pc_hash_pair, and prefetches their homes.  Bit i of `ends` is set if a word
       ends before byte i; 80 bytes may be read, and three keys are written in excess.  Sets the
       sizes of all words; returns the longer ones, of whose keys only the start is set. */
    __attribute__((target("avx512bw,avx512dq,avx512vbmi,avx512vbmi2")))
    static uint64_t pc_keys64(const uint8_t *p, uint64_t ends, const void *slots, uint64_t homes,
                              void *to, uint8_t *sizes)
    {
        pc_word_key *keys = (pc_word_key *) to;
        uint64_t home[8] __attribute__((aligned(64)));
        int n = __builtin_popcountll(ends);
        uint64_t last = (uint64_t) 1 << (63 - __builtin_clzll(ends));
        const __m512i window = _mm512_loadu_si512(p), numbers = _mm512_loadu_si512(pc_to_63);
        const __m512i after = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *) (p + 64)));
        const __m512i low4 = _mm512_and_si512(numbers, _mm512_set1_epi8(15));
        const __m512i low32 = _mm512_set1_epi64(0xFFFFFFFF);
        const __m512i low_key = _mm512_broadcast_i32x4(
            _mm_set_epi64x((long long) pc_key.s, (long long) pc_key.p));
        const __m512i high_key = _mm512_broadcast_i32x4(
            _mm_set_epi64x((long long) pc_key.t, (long long) pc_key.q));
        const __m512i sum_key = _mm512_set1_epi64((long long) pc_key.r);
        const __m512i home_bits = _mm512_set1_epi64((long long) homes);
        const __m512i base = _mm512_set1_epi64((long long) (uintptr_t) p);
        const __m512i first_two = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
        const __m512i last_two = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
        __m512i ends_at = _mm512_maskz_compress_epi8(ends, numbers);
        __m512i starts_at = _mm512_maskz_compress_epi8(ends & ~last | 1, numbers);
        __m512i size_of = _mm512_sub_epi8(ends_at, starts_at);
        __m512i which = _mm512_srli_epi16(_mm512_andnot_si512(_mm512_set1_epi8(15), numbers), 4);
        _mm512_storeu_si512(sizes, size_of);
        for (int i = 0; i < n; i += 4) {
            __m512i start = _mm512_permutexvar_epi8(which, starts_at);
            __m512i size = _mm512_permutexvar_epi8(which, size_of);
            /* a and b of four words */
            __m512i word = _mm512_maskz_permutex2var_epi8(
                _mm512_cmplt_epu8_mask(low4, size), window, _mm512_add_epi8(start, low4), after);
            word = _mm512_mask_mov_epi8(word, 0x8000800080008000, size);
            __m512i sum = _mm512_mullo_epi64(
                _mm512_add_epi64(_mm512_and_si512(word, low32), low_key),
                _mm512_add_epi64(_mm512_srli_epi64(word, 32), high_key));
            sum = _mm512_add_epi64(sum, _mm512_shuffle_epi32(sum, _MM_PERM_BADC));
            sum = _mm512_srli_epi64(_mm512_add_epi64(sum, sum_key), 32);
            sum = _mm512_and_si512(sum, home_bits);
            _mm512_store_si512(home, sum);
            /* the home and the start of four words */
            __m512i rest = _mm512_mask_add_epi64(
                sum, 0xAA, base, _mm512_maskz_mov_epi8(0x0100010001000100, start));
            _mm512_storeu_si512(keys + i, _mm512_permutex2var_epi64(word, first_two, rest));
            _mm512_storeu_si512(keys + i + 2, _mm512_permutex2var_epi64(word, last_two, rest));
            for (int j = 0; j < 4; j++)
                __builtin_prefetch((const char *) slots + 32 * home[2 * j]);
            which = _mm512_add_epi8(which, _mm512_set1_epi8(4));
        }
        return _mm512_cmpgt_epu8_mask(size_of, _mm512_set1_epi8(15));
    }
    #else
    static int pc_choose_keys(int allowed)
    {
        return 0;
    }

    static uint64_t pc_keys64(const uint8_t *p, uint64_t ends, const void *slots, uint64_t homes,
                              void *keys, uint8_t *sizes)
    {
        return 0;
    }
    #endif
    """
    bint can_keys "pc_can_keys"
    bint _choose_keys "pc_choose_keys"(bint allowed) noexcept nogil
    uint64_t _keys64 "pc_keys64"(const uint8_t *p, uint64_t ends, const Slot *slots,
                                 uint64_t homes, Key *keys, uint8_t *sizes) noexcept nogil


def keys_at_once(bint allowed=True):
    """Sets whether keys are made for all words of a window at once, which some machines can do.

    Returns whether they are.  No result depends on it.
    """
    return _choose_keys(allowed)


keys_at_once()
