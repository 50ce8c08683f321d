/* tests/base/base_test.c -- names of results, tables of names, numbers in bytes, random numbers. */
#include "base/bytes.h"
#include "base/random.h"
#include "test.h"

#include <starbase/base.h>

TEST(every_result_has_its_name_and_text)
{
    CHECK_TEXT(sb_result_name(SB_OK), "OK");
    CHECK_TEXT(sb_result_name(SB_OS_ERROR), "OS_ERROR");
    CHECK_TEXT(sb_result_text(SB_OK), "no error");
    CHECK_TEXT(sb_result_text(SB_OS_ERROR), "the operating system refused");
    CHECK_TEXT(sb_result_name(SB_RESULT_COUNT), "UNKNOWN");
    CHECK_TEXT(sb_result_text(SB_RESULT_COUNT), "unknown result");
    CHECK_TEXT(sb_result_name((sb_result)(SB_RESULT_COUNT + 1)), "UNKNOWN");
    CHECK_TEXT(sb_result_text((sb_result)(SB_RESULT_COUNT + 1)), "unknown result");
}

TEST(a_name_is_found_by_its_value)
{
    static const sb_name table[] = { { 0, "none" }, { 7, "seven" }, { 0 } };
    CHECK_TEXT(sb_find_name(table, 0), "none");
    CHECK_TEXT(sb_find_name(table, 7), "seven");
    CHECK(!sb_find_name(table, 8));
    CHECK(!sb_find_name(NULL, 7));
}

TEST(numbers_are_little_endian_in_bytes)
{
    uint8_t bytes[4];
    sb_store_u32(bytes, 0x89ABCDEF);
    CHECK_BYTES(bytes, 4, "\xEF\xCD\xAB\x89", 4);
    CHECK_EQ(sb_load_u32(bytes), 0x89ABCDEF);
    CHECK_EQ(sb_load_u16(bytes + 1), 0xABCD);
    sb_store_u16(bytes, 0x8001);
    CHECK_BYTES(bytes, 4, "\x01\x80\xAB\x89", 4);
}

TEST(only_numbers_are_finite)
{
    static const uint32_t finite[] = { 0, 0x80000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 1 };
    static const uint32_t others[] = { 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF };
    for (size_t i = 0; i < sizeof finite / sizeof *finite; i++) {
        CHECK(sb_bits_finite(finite[i]));
        CHECK(sb_float_is_finite(sb_bits_float(finite[i])));
        CHECK_EQ(sb_float_bits(sb_bits_float(finite[i])), finite[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) CHECK(!sb_bits_finite(others[i]));
}

/* The published numbers of SplitMix64 for the seed 1234567. */
TEST(random_numbers_are_those_of_splitmix64)
{
    static const uint64_t published[] = { 6457827717110365317u, 3203168211198807973u,
                                          9817491932198370423u, 4593380528125082431u,
                                          16408922859458223821u };
    sb_random             r;
    sb_random_init(&r, 1234567);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        CHECK(sb_random_next(&r) == published[i]);
}

TEST(bounded_random_numbers_reach_all_values_and_no_other)
{
    sb_random r;
    unsigned  seen = 0;
    sb_random_init(&r, 1);
    for (int i = 0; i < 200; i++) {
        uint32_t value = sb_random_below(&r, 5);
        CHECK(value < 5);
        seen |= 1u << value;
        CHECK_EQ(sb_random_below(&r, 1), 0);
    }
    CHECK_EQ(seen, 31);
    sb_random_init(&r, 1234567); /* the upper half of the first number, scaled */
    CHECK_EQ(sb_random_below(&r, 1000), (6457827717110365317u >> 32) * 1000 >> 32);
}
