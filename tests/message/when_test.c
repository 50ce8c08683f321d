/* tests/message/when_test.c -- conditions of fields. */
#include "test.h"

#include <string.h>

#include "base/text.h"
#include "message/when.h"

/* `mode` is 5, `flags` is 0x22; there is no other field. */
static bool find(const void *self, sb_span name, uint32_t *number)
{
    (void)self;
    *number = sb_text_equals(name, "mode") ? 5 : 0x22;
    return sb_text_equals(name, "mode") || sb_text_equals(name, "flags");
}

static bool holds(const char *text)
{
    return sb_when_holds(text, find, NULL);
}

TEST(conditions_compare_the_number_of_a_field)
{
    CHECK(holds(NULL));
    CHECK(holds("mode is 5"));
    CHECK(!holds("mode is 6"));
    CHECK(holds("mode is 1,5,9"));
    CHECK(holds("mode is 4..6"));
    CHECK(!holds("mode is 0..4,6..9"));
    CHECK(!holds("mode is not 5"));
    CHECK(holds("mode is not 0x06"));
    CHECK(holds("flags has 0x20"));
    CHECK(holds("flags has 0x22"));
    CHECK(!holds("flags has 0x21"));
    CHECK(holds("flags lacks 0x11"));
    CHECK(!holds("flags lacks 0x12"));
}

TEST(an_absent_field_is_nothing_and_has_nothing)
{
    CHECK(!holds("other is 34"));
    CHECK(holds("other is not 34"));
    CHECK(!holds("other has 0x02"));
    CHECK(holds("other lacks 0x02"));
}

TEST(and_binds_closer_than_or)
{
    CHECK(holds("mode is 5 and flags has 0x20"));
    CHECK(!holds("mode is 5 and flags has 0x01"));
    CHECK(holds("mode is 6 and flags has 0x20 or mode is 5"));
    CHECK(holds("mode is 5 or mode is 6 and flags has 0x20"));
    CHECK(!holds("mode is 6 or mode is 5 and flags has 0x01"));
    CHECK(!holds("mode is 6 and mode is 5 or mode is 7"));
}

TEST(malformed_conditions_are_not_numeric)
{
    static const char *const wrong[] = { "",
                                         "mode",
                                         "mode is",
                                         "mode was 5",
                                         "mode 5",
                                         "mode is five",
                                         "mode is 5 and",
                                         "mode is 5,",
                                         "mode is 6..5",
                                         "mode is 4294967296",
                                         "flags has 1..2",
                                         "flags lacks 1..2",
                                         "mode is ",
                                         "mode is  5",
                                         "mode has",
                                         " is 5",
                                         "mode is 5 and  is 5",
                                         "mode is 5,,6",
                                         "mode  is 5",
                                         "mode is 5 or",
                                         "mode is 0x" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (sb_when_is_numeric(wrong[i])) FAIL("accepted: %s", wrong[i]);
    CHECK(sb_when_is_numeric("mode is 0xFFFFFFFF or flags has 1 and x is not 3,4..6"));
    CHECK(sb_when_is_numeric("flags lacks 3..3"));
    CHECK(sb_when_is_numeric(NULL));
}

static bool reads_as(const char *text, uint32_t low, uint32_t high)
{
    sb_span       values = { (const uint8_t *)text, strlen(text) };
    sb_when_value value;
    return sb_when_next_value(&values, &value) && value.is_number && value.low == low &&
           value.high == high && values.size == 0;
}

TEST(numbers_are_decimal_or_hex_up_to_32_bits)
{
    CHECK(reads_as("0", 0, 0));
    CHECK(reads_as("9", 9, 9));
    CHECK(reads_as("1234567890", 1234567890, 1234567890));
    CHECK(reads_as("4294967295", UINT32_MAX, UINT32_MAX));
    CHECK(!reads_as("4294967296", 0, 0));
    CHECK(reads_as("0xabcdef", 0xABCDEF, 0xABCDEF));
    CHECK(reads_as("0XABCDEF", 0xABCDEF, 0xABCDEF));
    CHECK(reads_as("0xFFFFFFFF", UINT32_MAX, UINT32_MAX));
    CHECK(reads_as("0x0", 0, 0));
    CHECK(reads_as("0123", 123, 123));
    static const char *const wrong[] = { "0x",  "0xg", "0xG", "0x`",         "0x@", "0x/",
                                         "0x:", "a",   "1/",  "1:",          "f",   "x1",
                                         "1x",  "1x5", "0y1", "100000000000" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sb_span       values = { (const uint8_t *)wrong[i], strlen(wrong[i]) };
        sb_when_value value = { .is_number = true };
        CHECK(sb_when_next_value(&values, &value));
        if (value.is_number) FAIL("%s is a number", wrong[i]);
    }
}

TEST(a_range_has_two_numbers_in_order)
{
    CHECK(reads_as("1..5", 1, 5));
    CHECK(reads_as("5..5", 5, 5));
    CHECK(reads_as("0..0xF", 0, 15));
    CHECK(!reads_as("5..4", 5, 4));
    CHECK(!reads_as("..5", 0, 5));
    CHECK(!reads_as("5..", 5, 5));
    CHECK(!reads_as("1.5", 1, 5));
    CHECK(!reads_as("1.25", 1, 5));
    CHECK(!reads_as("..", 0, 0));
}

TEST(values_are_separated_by_commas)
{
    sb_span       values = { (const uint8_t *)"1,2..3,name", 11 };
    sb_when_value value;
    CHECK(sb_when_next_value(&values, &value) && value.low == 1 && value.text.size == 1);
    CHECK(sb_when_next_value(&values, &value) && value.low == 2 && value.high == 3);
    CHECK(sb_when_next_value(&values, &value) && !value.is_number && value.text.size == 4);
    CHECK_EQ(value.low | value.high, 0);
    CHECK(!sb_when_next_value(&values, &value));
}
