/* tests/wire/compressed_test.c -- compressed numbers at the ends of their ranges, and properties of
 * all codes. The tables of spec 02 are in vectors/02. */
#include <starbase/compressed.h>

#include "base/bytes.h"
#include "base/random.h"
#include "test.h"

#include <float.h>
#include <math.h>

TEST(cf16_of_special_values_is_as_specified)
{
    CHECK_EQ(sb_encode_cf16(0.0f), 0x0000);
    CHECK_EQ(sb_encode_cf16(-0.0f), 0x0000); /* "v < 0" is false for it */
    CHECK_EQ(sb_encode_cf16(NAN), 0x0000);
    CHECK_EQ(sb_encode_cf16(-NAN), 0x0000);
    CHECK_EQ(sb_encode_cf16(INFINITY), 0x7FFF);
    CHECK_EQ(sb_encode_cf16(-INFINITY), 0xFFFF);
    CHECK_EQ(sb_encode_cf16(1e30f), 0x7FFF);
    CHECK_EQ(sb_encode_cf16(-20000.0f), 0xFFFF);
    CHECK_EQ(sb_encode_cf16(2e-7f), 0x0000);
    CHECK_EQ(sb_encode_cf16(-2e-7f), 0x8000);
    CHECK_EQ(sb_encode_cf16(1e-45f), 0x0000); /* the smallest denormal */
    CHECK_EQ(sb_float_bits(sb_decode_cf16(0x8000)), 0x80000000u);
}

TEST(all_cf16_codes_decode_to_finite_numbers_of_range_and_sign)
{
    for (unsigned code = 0; code < 0x10000; code++) {
        float value = sb_decode_cf16((uint16_t)code);
        CHECK(isfinite(value));
        CHECK(fabsf(value) <= 10000.002f);
        CHECK_EQ(signbit(value) != 0, code >> 15);
    }
}

TEST(decoded_cf16_values_grow_with_their_codes)
{
    for (unsigned code = 1; code < 0x8000; code++)
        if ((code & 0xFFF) !=
            0) /* adjacent ranges overlap slightly: spec 02 §5.5, decoder-only checks */
            CHECK(sb_decode_cf16((uint16_t)code) > sb_decode_cf16((uint16_t)(code - 1)));
}

TEST(as_many_codes_survive_decode_and_encode_as_the_spec_counts)
{
    unsigned changed = 0;
    for (unsigned code = 0; code < 0x8000; code++)
        if (sb_encode_cf16(sb_decode_cf16((uint16_t)code)) != code) changed++;
    CHECK_EQ(changed, 1467); /* spec 02 §5.8: why relays keep the code */
}

TEST(cf16_never_rounds_away_from_zero)
{
    sb_random random;
    sb_random_init(&random, 5);
    for (int i = 0; i < 200000; i++) {
        float value = sb_bits_float((uint32_t)sb_random_next(&random) & 0x7FFFFFFFu);
        if (!(value < 10000.0f)) continue;
        CHECK(sb_decode_cf16(sb_encode_cf16(value)) <= value * 1.0000003f);
    }
}

TEST(directions_of_special_vectors_are_zero)
{
    const sb_vec3 odd[] = { { 0, 0, 0 },           { NAN, 1, 1 },       { INFINITY, 0, 0 },
                            { 1e-7f, 0, 0 },       { 1, -INFINITY, 3 }, { 5e-7f, 5e-7f, 5e-7f },
                            { -0.0f, -0.0f, 0.0f } };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        sb_cv3 code = sb_encode_cv3(odd[i]);
        CHECK_EQ(code.x, 0);
        CHECK_EQ(code.y, 0);
        CHECK_EQ(code.z, 0);
        CHECK_EQ(sb_encode_cv4(odd[i]).magnitude_code, 0);
        CHECK_EQ(sb_float_bits(sb_encode_cv4f(odd[i]).magnitude), 0);
        CHECK_EQ(sb_encode_cv4b(odd[i], 1).magnitude_code, 0);
    }
}

TEST(direction_bytes_are_never_0x80_and_decode_it_as_minus_one)
{
    sb_random random;
    sb_random_init(&random, 6);
    for (int i = 0; i < 200000; i++) {
        float v[3];
        for (int k = 0; k < 3; k++) v[k] = sb_bits_float((uint32_t)sb_random_next(&random));
        sb_cv3 code = sb_encode_cv3((sb_vec3){ v[0], v[1], v[2] });
        CHECK(code.x > -128 && code.y > -128 && code.z > -128);
    }
    CHECK(sb_decode_cv3((sb_cv3){ -128, 0, 127 }).x == -1.0f);
}

/* Spec 02 §7: what has no length that fits has no direction either. */
TEST(the_longest_vector_is_as_long_as_the_largest_float)
{
    sb_cv4f longest = sb_encode_cv4f((sb_vec3){ 0, -FLT_MAX, 0 });
    CHECK_EQ(longest.direction.y, -127);
    CHECK_EQ(sb_float_bits(longest.magnitude), sb_float_bits(FLT_MAX));
    sb_cv4f longer = sb_encode_cv4f((sb_vec3){ FLT_MAX, FLT_MAX, 0 });
    CHECK_EQ(longer.direction.x | longer.direction.y, 0);
    CHECK_EQ(sb_float_bits(longer.magnitude), 0);
    sb_cv4f shortest = sb_encode_cv4f((sb_vec3){ 1.01e-6f, 0, 0 });
    CHECK_EQ(shortest.direction.x, 127);
    CHECK_EQ(sb_float_bits(shortest.magnitude), sb_float_bits(1.01e-6f));
    CHECK_EQ(sb_encode_cv3((sb_vec3){ 0, 0, 1.01e-6f }).z, 127);
}

TEST(contact_points_clamp_and_survive_a_radius_of_zero)
{
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 3, 0 }, 2.5f).magnitude_code, 255);
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 1, 0 }, 0).magnitude_code, 255);
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 1, 0 }, -3).magnitude_code, 255);
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 1, 0 }, INFINITY).magnitude_code, 0);
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 0.25f, 0 }, 0.5f).magnitude_code, 127);
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 2, 0 }, 2).magnitude_code, 255);
    CHECK_EQ(sb_encode_cv4b((sb_vec3){ 0, 0.001f, 0 }, 0).magnitude_code, 25);
    CHECK(sb_decode_cv4b((sb_cv4b){ { 127, 0, 0 }, 255 }, 0.5f).x == 0.5f);
    CHECK_EQ(sb_float_bits(sb_decode_cv4b((sb_cv4b){ { 0, 127, 0 }, 255 }, 0).y),
             0x3C23D70A); /* 0.01 */
}

TEST(ratios_and_power_settings_truncate_and_clamp)
{
    CHECK_EQ(sb_encode_ratio(1.0f), 255);
    CHECK_EQ(sb_encode_ratio(0.999f), 254);
    CHECK_EQ(sb_encode_ratio(-1), 0);
    CHECK_EQ(sb_encode_ratio(7), 255);
    CHECK_EQ(sb_encode_ratio(NAN), 0);
    CHECK_EQ(sb_encode_power_pct(1.25f), 125);
    CHECK_EQ(sb_encode_power_pct(9), 125);
    CHECK_EQ(sb_encode_power_level(1.25f), 255);
    CHECK_EQ(sb_encode_power_level(1), 204);
    CHECK_EQ(sb_encode_power_switch(1, true), 100);
    CHECK_EQ((uint8_t)sb_encode_power_switch(0.5f, false), 0xCE);
    bool on;
    CHECK(sb_decode_power_switch(-50, &on) == 0.5f && !on);
    CHECK(sb_decode_power_switch(0, &on) == 0 && !on);
    CHECK(sb_decode_power_switch(100, &on) == 1 && on);
    CHECK(sb_decode_power_switch(1, &on) == 0.01f && on);
    CHECK(sb_decode_power_switch(-1, &on) == 0.01f && !on);
    CHECK(sb_decode_power_switch(-128, &on) == 1.28f && !on);
    CHECK_EQ(sb_encode_ratio(0.004f), 1);
    CHECK_EQ(sb_encode_ratio(0.003f), 0);
    CHECK_EQ(sb_encode_power_pct(1.24f), 124);
    CHECK_EQ(sb_encode_power_pct(1.26f), 125);
    CHECK_EQ(sb_encode_power_level(1.24f), 252);
    CHECK_EQ(sb_encode_power_level(9), 255);
    CHECK(sb_decode_ratio(51) == 0.2f);
    CHECK(sb_decode_power_pct(50) == 0.5f);
    CHECK(sb_decode_power_level(102) == 0.5f);
}
