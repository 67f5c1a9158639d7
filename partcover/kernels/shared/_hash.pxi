# Keyed hashing for every table whose keys come from the input.  Included by the kernels that have
# such a table.
#
# A key of 64 bits with the halves a and b is hashed to ((a + p)(b + q) + r) >> 32 mod 2^32.  Any
# two keys collide with probability 2^-32 (pair-multiply-shift: Thorup, "High Speed Hashing for
# Integers and Strings", 2015); for a key of 128 bits the products of its two parts are added.  This
# suffices for a table with chaining: its chains have a constant expected length.  For other tables
# these 32 bits go through simple tabulation (Zobrist 1970): each of the four bytes selects a random
# number, and these are combined by exclusive or.  Then linear probing at a bounded load takes
# constant expected time for any set of keys, and deviates little from it (Patrascu and Thorup, "The
# Power of Simple Tabulation Hashing", J. ACM 59(3), 2012).
#
# Words of up to 15 bytes are such keys already, with their length in the last byte.  Longer words,
# and runs of symbols, are first reduced to one key by a polynomial over the field of 2^61 - 1
# elements at a random point: two of them collide with probability at most blocks / 2^61 (Carter and
# Wegman 1979).  All random numbers are drawn from the operating system when the module is imported,
# so no input can be made to collide; no result depends on them.  A table must not leave its
# process, because other processes have other random numbers.

import os as _os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define PC_PRIME 0x1FFFFFFFFFFFFFFFull  /* 2^61 - 1 */

    static struct { uint32_t of[4][256]; uint64_t p, q, r, s, t, point; } pc_key;
    static uint64_t pc_fourth;      /* pc_key.point to the power of 4 */

    /* sum * point + block, which is below 2^62 if sum is and block is below 2^61 */
    static inline uint64_t pc_step_at(uint64_t sum, uint64_t block, uint64_t point)
    {
        unsigned __int128 m = (unsigned __int128) sum * point;
        uint64_t low = ((uint64_t) m & PC_PRIME) + (uint64_t) (m >> 61);
        return (low & PC_PRIME) + (low >> 61) + block;
    }

    static inline uint64_t pc_step(uint64_t sum, uint64_t block)
    {
        return pc_step_at(sum, block, pc_key.point);
    }

    static void pc_set_key(const char *random)
    {
        memcpy(&pc_key, random, sizeof pc_key);
        pc_key.point = pc_key.point % (PC_PRIME - 1) + 1;
        pc_fourth = pc_step(pc_step(pc_step(pc_key.point, 0), 0), 0);
        pc_fourth = (pc_fourth & PC_PRIME) + (pc_fourth >> 61);
    }

    /* the first byte is the lowest on every machine */
    static inline uint64_t pc_load8(const uint8_t *p)
    {
        uint64_t x;
        memcpy(&x, p, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap64(x);
    #endif
        return x;
    }

    /* simple tabulation of the upper half */
    static inline uint32_t pc_tabulated(uint64_t x)
    {
        uint32_t y = (uint32_t) (x >> 32);
        return pc_key.of[0][y & 255] ^ pc_key.of[1][y >> 8 & 255] ^ pc_key.of[2][y >> 16 & 255]
            ^ pc_key.of[3][y >> 24];
    }

    static inline uint32_t pc_hash_number(uint64_t x)
    {
        return pc_tabulated(((uint32_t) x + pc_key.p) * ((x >> 32) + pc_key.q) + pc_key.r);
    }

    static inline uint64_t pc_pair_sum(uint64_t x, uint64_t y)
    {
        return ((uint32_t) x + pc_key.p) * ((x >> 32) + pc_key.q)
            + ((uint32_t) y + pc_key.s) * ((y >> 32) + pc_key.t) + pc_key.r;
    }

    /* the hash of a key of 128 bits, for tables with chaining */
    static inline uint32_t pc_hash_pair(uint64_t x, uint64_t y)
    {
        return (uint32_t) (pc_pair_sum(x, y) >> 32);
    }

    /* masks that keep the n <= 15 bytes of a word among the 16 bytes at it */
    static const uint64_t pc_kept[2][16] = {
        {0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
         ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull},
        {0, 0, 0, 0, 0, 0, 0, 0, 0,
         0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF}};

    /* the n <= 15 bytes at p, and n; bytes up to end may be read */
    static inline void pc_short_key(const uint8_t *p, int64_t n, const uint8_t *end,
                                    uint64_t *a, uint64_t *b)
    {
        /* set at the end: the text could be where a and b are, for all that a compiler knows */
        uint64_t first = 0, rest = (uint64_t) n << 56;
        if (end - p >= 16) {
            first = pc_load8(p) & pc_kept[0][n];
            rest |= pc_load8(p + 8) & pc_kept[1][n];
        } else if (n >= 8) {
            first = pc_load8(p);
            if (n > 8)
                rest |= pc_load8(p + n - 8) >> 8 * (16 - n);
        } else {
            for (int64_t i = 0; i < n; i++)
                first |= (uint64_t) p[i] << 8 * i;
        }
        *a = first;
        *b = rest;
    }

    static inline uint32_t pc_hash_sum(uint64_t sum)
    {
        sum = (sum & PC_PRIME) + (sum >> 61);
        /* the highest bits distinguish it from a short word */
        return pc_hash_number((sum == PC_PRIME ? 0 : sum) | (uint64_t) 7 << 61);
    }

    #if defined(__GNUC__) || defined(__clang__)
    #define PC_APART __attribute__((noinline))
    #else
    #define PC_APART
    #endif

    /* the hash of n >= 8 bytes by a polynomial; apart from its caller, so that
       short words have the registers */
    static PC_APART uint32_t pc_hash_long(const uint8_t *p, int64_t n)
    {
        uint64_t x = (uint64_t) n & PC_PRIME;
        int64_t i = 0;
        if (n >= 64) {
            /* each block waits for the one before, so sum every fourth block by itself */
            uint64_t sums[4] = {0, 0, 0, x};
            for (; i < n - 28; i += 28)
                for (int j = 0; j < 4; j++)
                    sums[j] = pc_step_at(sums[j], pc_load8(p + i + 7 * j) << 8 >> 8, pc_fourth);
            x = sums[0];
            for (int j = 1; j < 4; j++)
                x = pc_step(x, (sums[j] & PC_PRIME) + (sums[j] >> 61));
        }
        for (; i < n - 7; i += 7)
            x = pc_step(x, pc_load8(p + i) << 8 >> 8);
        return pc_hash_sum(pc_step(x, pc_load8(p + n - 8) >> 8));
    }

    /* the hash of the n bytes at p, for tables with linear probing; bytes up to end may be read */
    static inline uint32_t pc_hash_bytes(const uint8_t *p, int64_t n, const uint8_t *end)
    {
        uint64_t a, b;
        if (n > 15)
            return pc_hash_long(p, n);
        pc_short_key(p, n, end, &a, &b);
        return pc_tabulated(pc_pair_sum(a, b));
    }

    /* whether the n bytes at p and q are the same; bytes up to their ends may be read */
    static inline int pc_same_bytes(const uint8_t *p, const uint8_t *p_end, const uint8_t *q,
                                    const uint8_t *q_end, int64_t n)
    {
        if (n > 15 || p_end - p < 16 || q_end - q < 16)
            return memcmp(p, q, n) == 0;
        return !((pc_load8(p) ^ pc_load8(q)) & pc_kept[0][n]
                 | (pc_load8(p + 8) ^ pc_load8(q + 8)) & pc_kept[1][n]);
    }

    static inline uint32_t pc_hash_symbols(const int32_t *p, int64_t n)
    {
        uint64_t x = (uint64_t) n & PC_PRIME;
        int64_t i;
        for (i = 0; i < n; i++)
            x = pc_step(x, (uint32_t) p[i]);
        return pc_hash_sum(x);
    }
    """
    uint64_t load8 "pc_load8"(const uint8_t *p) noexcept nogil
    void _set_key "pc_set_key"(const char *random)
    uint32_t hash_number "pc_hash_number"(uint64_t x) noexcept nogil
    uint32_t hash_pair "pc_hash_pair"(uint64_t x, uint64_t y) noexcept nogil
    void _short_key "pc_short_key"(const uint8_t *p, int64_t n, const uint8_t *end,
                                   uint64_t *a, uint64_t *b) noexcept nogil
    uint32_t _hash_long "pc_hash_long"(const uint8_t *p, int64_t n) noexcept nogil
    uint32_t hash_bytes "pc_hash_bytes"(const uint8_t *p, int64_t n,
                                        const uint8_t *end) noexcept nogil
    bint _same_bytes "pc_same_bytes"(const uint8_t *p, const uint8_t *p_end, const uint8_t *q,
                                     const uint8_t *q_end, int64_t n) noexcept nogil
    uint32_t hash_symbols "pc_hash_symbols"(const int32_t *p, int64_t n) noexcept nogil

_set_key(_os.urandom(4 * 256 * 4 + 6 * 8))
