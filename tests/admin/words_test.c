/* tests/admin/words_test.c -- words, quotes, durations, numbers. */
#include "admin/words.h"

#include "test.h"

#include <string.h>

TEST(words_end_at_blanks_and_quotes_hold_blanks_together)
{
    char  line[] = "  kick \"Bot \\\"1\\\" x\"  10m no\tramming";
    char *text = line;
    bool  quoted;
    CHECK_TEXT(sb_words_next(&text, &quoted), "kick");
    CHECK(!quoted);
    CHECK_TEXT(sb_words_next(&text, &quoted), "Bot \"1\" x");
    CHECK(quoted);
    CHECK_TEXT(text, "10m no\tramming");
    CHECK_TEXT(sb_words_next(&text, NULL), "10m");
    CHECK_TEXT(sb_words_next(&text, NULL), "no");
    CHECK_TEXT(sb_words_next(&text, NULL), "ramming");
    CHECK(sb_words_next(&text, NULL) == NULL);
    CHECK(sb_words_next(&text, NULL) == NULL);
}

TEST(a_quote_that_is_not_closed_ends_with_the_line)
{
    char  line[] = "\"a b";
    char *text = line;
    CHECK_TEXT(sb_words_next(&text, NULL), "a b");
    CHECK(sb_words_next(&text, NULL) == NULL);
    char  empty[] = "\"\" x";
    char *rest = empty;
    CHECK_TEXT(sb_words_next(&rest, NULL), "");
    CHECK_TEXT(rest, "x");
    char  slash[] = "\"a\\";
    char *last = slash;
    CHECK_TEXT(sb_words_next(&last, NULL), "a\\");
}

TEST(durations_have_a_number_and_a_unit)
{
    static const struct {
        const char *word;
        sb_time     seconds;
    } good[] = { { "90s", 90 },     { "10m", 600 },   { "2h", 7200 },   { "7d", 604800 },
                 { "4w", 2419200 }, { "forever", 0 }, { "Forever", 0 }, { "36600d", 3162240000 } };
    static const char *const bad[] = {
        "",     "10",  "m",  "10x", "10mm",   "-1m",
        "1.5h", " 1m", "0s", "1m ", "36601d", "99999999999999999999w"
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sb_time out = -1;
        CHECK(sb_words_parse_duration(good[i].word, &out));
        CHECK_EQ(out, good[i].seconds * SB_SECOND);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sb_time out;
        if (sb_words_parse_duration(bad[i], &out)) FAIL("`%s` is taken for a duration", bad[i]);
    }
}

TEST(durations_are_printed_in_the_largest_whole_unit)
{
    static const struct {
        sb_time     seconds;
        const char *text;
    } cases[] = { { 1, "1 second" },     { 90, "90 seconds" }, { 60, "1 minute" },
                  { 600, "10 minutes" }, { 86400, "1 day" },   { 604800, "1 week" },
                  { 90000, "25 hours" }, { 0, "without end" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[48];
        sb_words_print_duration(cases[i].seconds * SB_SECOND, out, sizeof out);
        CHECK_TEXT(out, cases[i].text);
    }
}

TEST(a_misspelt_duration_is_told_from_a_text)
{
    static const struct {
        const char *text;
        size_t      size;
    } cases[] = { { "10x", 3 },       { "10min spam", 5 }, { "0s", 2 },         { "30", 2 },
                  { "2 hours", 7 },   { "2 h spam", 3 },   { "7 Days", 6 },     { "10M", 3 },
                  { "1.5h spam", 4 }, { "1.5 hours", 9 },  { "3 warnings", 0 }, { "no 10m", 0 },
                  { "4th time", 0 },  { "2nd", 0 },        { "1st", 0 },        { "", 0 },
                  { "10.0.0.1", 0 },  { "3x3 grid", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sb_words_like_duration(cases[i].text) != cases[i].size)
            FAIL("`%s`: %zu", cases[i].text, sb_words_like_duration(cases[i].text));
}

TEST(a_time_that_passes_is_rounded_up)
{
    static const struct {
        sb_time     seconds;
        const char *text;
    } cases[] = { { 2591997, "30 days" }, { 1209599, "2 weeks" },  { 90000, "25 hours" },
                  { 86397, "1 day" },     { 172801, "3 days" },    { 299, "5 minutes" },
                  { 119, "119 seconds" }, { 61, "61 seconds" },    { 1, "1 second" },
                  { 7199, "2 hours" },    { 7140, "119 minutes" }, { 0, "without end" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[48];
        sb_words_print_time_left(cases[i].seconds * SB_SECOND, out, sizeof out);
        CHECK_TEXT(out, cases[i].text);
    }
}

TEST(numbers_are_whole_and_inside_their_bounds)
{
    uint32_t out = 77;
    CHECK(sb_words_parse_number("0", 0, 9, &out) && out == 0);
    CHECK(sb_words_parse_number("009", 0, 9, &out) && out == 9);
    CHECK(!sb_words_parse_number("10", 0, 9, &out));
    CHECK(!sb_words_parse_number("", 0, 9, &out));
    CHECK(!sb_words_parse_number("1x", 0, 9, &out));
    CHECK(!sb_words_parse_number("-1", 0, 9, &out));
    CHECK(!sb_words_parse_number("4294967296", 0, UINT32_MAX, &out));
    CHECK(!sb_words_parse_number("99999999999999999999999999", 0, UINT32_MAX, &out));
    CHECK_EQ(out, 9);
}

TEST(words_are_compared_without_regard_to_case)
{
    CHECK(sb_words_is_same("Kirk", "kIRK"));
    CHECK(!sb_words_is_same("Kirk", "Kirk2"));
    CHECK(sb_words_starts_with("Kirk the Great", "KIRK"));
    CHECK(!sb_words_starts_with("Ki", "Kirk"));
    CHECK(sb_words_starts_with("x", ""));
    char text[] = "kick x \r\n";
    sb_words_trim_end(text);
    CHECK_TEXT(text, "kick x");
}
