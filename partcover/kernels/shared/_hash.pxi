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
# Words of up to 7 bytes are such keys already, with their length in the eighth byte.  Longer words,
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

    /* the hash of a key of 128 bits, for tables with chaining */
    static inline uint32_t pc_hash_pair(uint64_t x, uint64_t y)
    {
        return (uint32_t) ((((uint32_t) x + pc_key.p) * ((x >> 32) + pc_key.q)
                            + ((uint32_t) y + pc_key.s) * ((y >> 32) + pc_key.t)
                            + pc_key.r) >> 32);
    }

    static inline uint32_t pc_hash_sum(uint64_t sum)
    {
        sum = (sum & PC_PRIME) + (sum >> 61);
        /* the highest bits distinguish it from a short word */
        return pc_hash_number((sum == PC_PRIME ? 0 : sum) | (uint64_t) 7 << 61);
    }

    /* the hash of the n bytes at p; bytes up to end may be read */
    static inline uint32_t pc_hash_bytes(const uint8_t *p, int64_t n, const uint8_t *end)
    {
        uint64_t x;
        int64_t i;
        if (n < 8) {
            if (end - p >= 8)
                x = pc_load8(p) & (((uint64_t) 1 << 8 * n) - 1);
            else
                for (x = 0, i = 0; i < n; i++)
                    x |= (uint64_t) p[i] << 8 * i;
            return pc_hash_number(x | (uint64_t) n << 56);
        }
        x = (uint64_t) n & PC_PRIME;
        for (i = 0; i < n - 7; i += 7)
            x = pc_step(x, pc_load8(p + i) << 8 >> 8);
        return pc_hash_sum(pc_step(x, pc_load8(p + n - 8) >> 8));
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
    uint32_t hash_bytes "pc_hash_bytes"(const uint8_t *p, int64_t n,
                                        const uint8_t *end) noexcept nogil
    uint32_t hash_symbols "pc_hash_symbols"(const int32_t *p, int64_t n) noexcept nogil

_set_key(_os.urandom(4 * 256 * 4 + 6 * 8))
