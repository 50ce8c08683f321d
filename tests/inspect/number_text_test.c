/* tests/inspect/number_text_test.c -- formatted numbers parse back to the same numbers. */
#include "inspect/number_text.h"

#include "base/bytes.h"
#include "base/random.h"
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *ended(char *text, size_t size)
{
    text[size] = '\0';
    return text;
}

static const char *float_text(float value)
{
    static char buffer[SB_NUMBER_TEXT_MAX + 1];
    return ended(buffer, sb_format_float(buffer, value));
}

static const char *rounded(float value, unsigned decimals)
{
    static char buffer[SB_NUMBER_TEXT_MAX + 1];
    return ended(buffer, sb_format_rounded(buffer, value, decimals));
}

/* Also parses the text as a double first, as JSON readers do. */
static void check_round_trip(uint32_t bits)
{
    float       value = sb_bits_float(bits);
    const char *text = float_text(value);
    if (sb_float_bits(strtof(text, NULL)) != bits ||
        sb_float_bits((float)strtod(text, NULL)) != bits)
        FAIL("0x%08X became %s", bits, text);
}

TEST(floats_are_written_with_the_fewest_digits)
{
    CHECK_TEXT(float_text(0.0f), "0");
    CHECK_TEXT(float_text(1.0f), "1");
    CHECK_TEXT(float_text(-66.0f), "-66");
    CHECK_TEXT(float_text(0.1f), "0.1");
    CHECK_TEXT(float_text(28.19f), "28.19");
    CHECK_TEXT(float_text(1.0f / 3.0f), "0.33333334");
    CHECK_TEXT(float_text(16777216.0f), "16777216");
    CHECK_TEXT(float_text(1e10f), "1e10");
    CHECK_TEXT(float_text(0.0001f), "0.0001");
    CHECK_TEXT(float_text(0.000001f), "1e-6");
    CHECK_TEXT(float_text(3.4028235e38f), "3.4028235e38");
    CHECK_TEXT(float_text(-1.1754944e-38f), "-1.1754944e-38");
    CHECK_TEXT(float_text(1e-45f), "1e-45");
}

/* JSON readers take "-0" for an integer, which has no negative zero. */
TEST(negative_zero_keeps_its_sign)
{
    CHECK_TEXT(float_text(-0.0f), "-0.0");
    CHECK(signbit(strtod(float_text(-0.0f), NULL)));
}

TEST(floats_that_are_not_finite_are_null)
{
    CHECK_TEXT(float_text(INFINITY), "null");
    CHECK_TEXT(float_text(NAN), "null");
}

/* The shortest text of this float gives its neighbour if it is parsed as a double first. */
TEST(the_float_that_double_rounding_breaks_gets_one_more_digit)
{
    CHECK_TEXT(float_text(sb_bits_float(0x15AE43FD)), "7.0385307e-26");
    check_round_trip(0x15AE43FD);
    check_round_trip(0x95AE43FD);
}

/* All 2^32 floats passed once; this test covers the edges of every binade and a random part. */
TEST(floats_come_back_as_they_were)
{
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t near = 0; near < 4; near++) {
            check_round_trip(exponent << 23 | near);
            check_round_trip(exponent << 23 | (0x7FFFFF - near));
            check_round_trip(0x80000000 | exponent << 23 | near);
        }
    sb_random random;
    sb_random_init(&random, 1);
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)sb_random_next(&random);
        if (sb_bits_finite(bits)) check_round_trip(bits);
    }
}

static void check_number(uint64_t value)
{
    char ours[SB_NUMBER_TEXT_MAX + 1], wanted[SB_NUMBER_TEXT_MAX + 1];
    (void)snprintf(wanted, sizeof wanted, "%" PRIu64, value);
    CHECK_TEXT(ended(ours, sb_format_u64(ours, value)), wanted);
    (void)snprintf(wanted, sizeof wanted, "%" PRId64, (int64_t)value);
    CHECK_TEXT(ended(ours, sb_format_i64(ours, (int64_t)value)), wanted);
}

/* Two passes over more floats than there are rows: the second meets rows of other floats. */
TEST(known_floats_have_the_text_of_new_ones)
{
    static sb_float_text rows[SB_FLOAT_TEXTS];
    for (int pass = 0; pass < 2; pass++) {
        sb_random random;
        sb_random_init(&random, 2);
        for (int i = 0; i < 4 * SB_FLOAT_TEXTS; i++) {
            float value = i == 0 ? 0.0f : sb_bits_float((uint32_t)sb_random_next(&random));
            char  known[SB_NUMBER_TEXT_MAX + 1];
            for (int again = 0; again < 2; again++)
                CHECK_TEXT(ended(known, sb_format_known_float(rows, known, value)),
                           float_text(value));
        }
    }
}

TEST(integers_of_every_length_are_written_as_printf_writes_them)
{
    sb_random random;
    sb_random_init(&random, 1);
    check_number(UINT64_MAX);
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (uint64_t near = 0; near < 4; near++) check_number(power - 2 + near);
    for (int i = 0; i < 20000; i++) check_number(sb_random_next(&random) >> (i % 64));
}

TEST(whole_floats_are_written_as_integers_up_to_ten_digits)
{
    CHECK_TEXT(float_text(999999.0f), "999999");
    CHECK_TEXT(float_text(-1000000.0f), "-1000000");
    CHECK_TEXT(float_text(1000001.0f), "1000001");
    CHECK_TEXT(float_text(4294967296.0f), "4294967300");
}

TEST(every_byte_is_written_as_two_hex_digits)
{
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        char    ours[3], wanted[3];
        uint8_t byte = (uint8_t)i;
        (void)snprintf(wanted, sizeof wanted, "%02X", i);
        CHECK_TEXT(ended(ours, sb_format_hex(ours, &byte, 1)), wanted);
    }
}

TEST(rounded_numbers_have_no_superfluous_zeros)
{
    CHECK_TEXT(rounded(88.0f, 1), "88");
    CHECK_TEXT(rounded(-66.25f, 1), "-66.3");
    CHECK_TEXT(rounded(0.5f, 2), "0.5");
    CHECK_TEXT(rounded(1.005f, 1), "1");
    CHECK_TEXT(rounded(9.96f, 1), "10");
    CHECK_TEXT(rounded(0.04f, 3), "0.04");
    CHECK_TEXT(rounded(0.0f, 2), "0");
    CHECK_TEXT(rounded(0.0001f, 2), "0.0001"); /* must not look like zero */
    CHECK_TEXT(rounded(1e12f, 1), "1e12");
}

TEST(integers_hex_times_and_addresses_are_written)
{
    char buffer[SB_NUMBER_TEXT_MAX + 1];
    CHECK_TEXT(ended(buffer, sb_format_u64(buffer, 0)), "0");
    CHECK_TEXT(ended(buffer, sb_format_u64(buffer, 100)), "100");
    CHECK_TEXT(ended(buffer, sb_format_u64(buffer, UINT64_MAX)), "18446744073709551615");
    CHECK_TEXT(ended(buffer, sb_format_i64(buffer, INT64_MIN)), "-9223372036854775808");
    CHECK_TEXT(ended(buffer, sb_format_micros(buffer, 1000001)), "1.000001");
    CHECK_TEXT(ended(buffer, sb_format_micros(buffer, -1)), "-0.000001");
    CHECK_TEXT(ended(buffer, sb_format_hex_number(buffer, 0x3FFFFFFF, 8)), "0x3FFFFFFF");
    CHECK_TEXT(ended(buffer, sb_format_hex(buffer, (const uint8_t *)"\x1C\xFF", 2)), "1CFF");
    CHECK_TEXT(ended(buffer, sb_format_address(buffer, 0x0A0A0AEF)), "10.10.10.239");
}
