/* tests/replica/code_block_test.c -- codes of 16 numbers at once are those of single numbers. Spec
 * 03 §11.
 */
#include "replica/code_block.h"

#include "base/random.h"
#include "ship/codes.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 100000 };

/* Of every second block any bits, else what a ship may have: a number near a step of the code. */
static float random_value(sb_random *random, unsigned round, float max)
{
    uint32_t bits = (uint32_t)sb_random_next(random);
    if (round % 2 == 0) return sb_bits_float(bits);
    float near = max * (float)(bits % 258) / 255.0f;
    return bits >> 30 == 0 ? nextafterf(near, -INFINITY) : near;
}

static float random_max(sb_random *random)
{
    static const float odd[] = { 1.0f, INFINITY, 1e-45f, 3e38f };
    uint32_t           bits = (uint32_t)sb_random_next(random);
    return bits % 8 < 4 ? odd[bits % 4] : (float)(1 + bits % 20000) * 0.37f;
}

TEST(a_block_has_the_codes_of_single_numbers_and_marks_lower_ones)
{
    sb_random random;
    uint8_t   codes[SB_CODE_BLOCK] = { 0 }, before[SB_CODE_BLOCK];
    sb_random_init(&random, 11);
    for (unsigned round = 0; round < ROUNDS; round++) {
        float values[SB_CODE_BLOCK], max[SB_CODE_BLOCK];
        for (size_t i = 0; i < SB_CODE_BLOCK; i++) {
            max[i] = random_max(&random);
            values[i] = random_value(&random, round, max[i]);
        }
        memcpy(before, codes, sizeof codes);
        uint32_t lower = sb_encode_code_block(codes, values, max);
        CHECK_EQ(lower >> SB_CODE_BLOCK, 0);
        for (size_t i = 0; i < SB_CODE_BLOCK; i++) {
            CHECK_EQ(codes[i], sb_code_of_ratio(values[i], max[i]));
            CHECK_EQ(lower >> i & 1, codes[i] < before[i]);
        }
    }
}
