/* tests/config/placeholders_test.c -- %server% and the like in lines for players. */
#include "config/placeholders.h"

#include <string.h>

#include "test.h"

static const sb_placeholder_values values = {
    .server = "Friday",
    .player = "Kirk",
    .system = "Multi1",
    .mission = "free for all",
    .next_system = "Multi3",
    .players = 3,
    .max_players = 8,
    .seconds_left = 754,
    .frag_limit = 10,
};

static const char *fill(const char *line)
{
    static char out[200];
    size_t      size = sb_placeholder_fill(line, &values, out, sizeof out);
    CHECK_EQ(size, strlen(out));
    return out;
}

TEST(placeholders_are_filled_in)
{
    CHECK_TEXT(fill("Welcome to %server%, %player%!"), "Welcome to Friday, Kirk!");
    CHECK_TEXT(fill("%players% of %max_players% in %system%, %mission%"),
               "3 of 8 in Multi1, free for all");
    CHECK_TEXT(fill("%time_left% left, limit %frag_limit%, then %next_system%"),
               "12:34 left, limit 10, then Multi3");
    CHECK_TEXT(fill("%next_mission%"), "");
}

TEST(other_percent_signs_stay)
{
    CHECK_TEXT(fill("100 % fun, 50% off, %%, %x"), "100 % fun, 50% off, %%, %x");
    CHECK_TEXT(fill("%"), "%");
    CHECK_TEXT(fill("%%server%"), "%Friday");
}

TEST(no_limit_is_said_in_words)
{
    sb_placeholder_values none = values;
    char                  out[64];
    none.seconds_left = -1;
    none.frag_limit = 0;
    (void)sb_placeholder_fill("%time_left%/%frag_limit%", &none, out, sizeof out);
    CHECK_TEXT(out, "no limit/no limit");
}

TEST(an_unknown_placeholder_is_refused)
{
    CHECK(sb_placeholder_fault("Welcome to %sever%") != NULL);
    CHECK(sb_placeholder_fault("%server% %Server%") != NULL);
    CHECK(sb_placeholder_fault("100 % of all, 5% x") == NULL);
    CHECK(sb_placeholder_fault("%server% %time_left%") == NULL);
}

TEST(a_long_line_is_cut_between_characters)
{
    char out[8];
    CHECK_EQ(
        sb_placeholder_fill("\xC3\x96\xC3\x96\xC3\x96\xC3\x96\xC3\x96", &values, out, sizeof out),
        6);
    CHECK_EQ(sb_placeholder_fill("%server%%server%", &values, out, sizeof out), 7);
    CHECK_TEXT(out, "FridayF");
}
