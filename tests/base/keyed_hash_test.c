/* tests/base/keyed_hash_test.c -- the keyed hash is SipHash-2-4.
 *
 * For:      src/base/keyed_hash.h.
 */
#include "base/keyed_hash.h"
#include "test.h"

/* Vector 16 of its authors: key 00 01 .. 0F, input 00 01 .. 0F, output DB 9B C2 57 7F CC 2A 3F. */
TEST(the_keyed_hash_gives_the_published_vector)
{
    const uint64_t low = 0x0706050403020100u, high = 0x0F0E0D0C0B0A0908u;
    CHECK(sb_keyed_hash(low, high, low, high) == 0x3F2ACC7F57C29BDBu);
}

TEST(the_keyed_hash_depends_on_every_bit)
{
    uint64_t plain = sb_keyed_hash(1, 2, 3, 4);
    for (unsigned i = 0; i < 64; i++) {
        uint64_t bit = (uint64_t)1 << i;
        CHECK(sb_keyed_hash(1 ^ bit, 2, 3, 4) != plain && sb_keyed_hash(1, 2 ^ bit, 3, 4) != plain);
        CHECK(sb_keyed_hash(1, 2, 3 ^ bit, 4) != plain && sb_keyed_hash(1, 2, 3, 4 ^ bit) != plain);
    }
}
