/* tests/message/when_test.c -- conditions of fields. */
#include "test.h"

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
                                         "mode is five",
                                         "mode is 5 and",
                                         "mode is 5,",
                                         "mode is 6..5",
                                         "mode is 4294967296",
                                         "flags has 1..2",
                                         "mode  is 5",
                                         "mode is 5 or",
                                         "mode is 0x" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (sb_when_is_numeric(wrong[i])) FAIL("accepted: %s", wrong[i]);
    CHECK(sb_when_is_numeric("mode is 0xFFFFFFFF or flags has 1 and x is not 3,4..6"));
}
