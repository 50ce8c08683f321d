/* tests/platform/clock_test.c -- monotonic time, wall-clock texts, seeds. */
#include "platform/clock.h"

#include "test.h"

TEST(wall_time_has_its_date)
{
    char text[SB_CLOCK_TEXT];
    sb_clock_text(0, text);
    CHECK_TEXT(text, "1970-01-01T00:00:00.000Z");
    sb_clock_text(951782399999000, text);
    CHECK_TEXT(text, "2000-02-28T23:59:59.999Z");
    sb_clock_text(951782400000000, text);
    CHECK_TEXT(text, "2000-02-29T00:00:00.000Z");
    sb_clock_text(951868800000000, text);
    CHECK_TEXT(text, "2000-03-01T00:00:00.000Z");
    sb_clock_text(1767225599001999, text);
    CHECK_TEXT(text, "2025-12-31T23:59:59.001Z");
    sb_clock_text(4107542399999999, text);
    CHECK_TEXT(text, "2100-02-28T23:59:59.999Z");
    sb_clock_text(4107542400000000, text);
    CHECK_TEXT(text, "2100-03-01T00:00:00.000Z");
}

TEST(the_clock_of_the_core_never_goes_back_and_seeds_differ)
{
    sb_time before = sb_clock_now();
    for (int i = 0; i < 1000; i++) {
        sb_time now = sb_clock_now();
        CHECK(now >= before);
        before = now;
    }
    CHECK(sb_clock_seed() != sb_clock_seed());
}
