/* src/base/keyed_hash.h -- a hash that nobody can predict without its key: SipHash-2-4.
 *
 * For:      tables whose places, and numbers whose values, a stranger must not be able to guess.
 * Never:    makes the key: it is an argument.
 * Tests:    tests/base/keyed_hash_test.c.
 */
#ifndef SB_BASE_KEYED_HASH_H
#define SB_BASE_KEYED_HASH_H

#include <stdint.h>

static inline uint64_t sb_rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sb_keyed_hash_rounds(uint64_t v[4], unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = sb_rotate_left(v[1], 13) ^ v[0];
        v[3] = sb_rotate_left(v[3], 16) ^ v[2];
        v[0] = sb_rotate_left(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = sb_rotate_left(v[1], 17) ^ v[2];
        v[3] = sb_rotate_left(v[3], 21) ^ v[0];
        v[2] = sb_rotate_left(v[2], 32);
    }
}

/* SipHash-2-4 with the key (k0, k1) of the 16 bytes of `a` and `b`, little-endian. */
static inline uint64_t sb_keyed_hash(uint64_t k0, uint64_t k1, uint64_t a, uint64_t b)
{
    const uint64_t words[3] = { a, b, (uint64_t)16 << 56 };
    uint64_t v[4] = { k0 ^ 0x736F6D6570736575u, k1 ^ 0x646F72616E646F6Du, k0 ^ 0x6C7967656E657261u,
                      k1 ^ 0x7465646279746573u };
    for (unsigned i = 0; i < 3; i++) {
        v[3] ^= words[i];
        sb_keyed_hash_rounds(v, 2);
        v[0] ^= words[i];
    }
    v[2] ^= 0xFF;
    sb_keyed_hash_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
