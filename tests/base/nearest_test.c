/* tests/base/nearest_test.c -- suggestions for misspelt words. */
#include "test.h"

#include "base/nearest.h"

static const char *const words[] = { "CHAT", NULL, "StateUpdate", "lstr16" };

TEST(the_nearest_word_is_found_whatever_its_case)
{
    CHECK_TEXT(sb_nearest_word("stateupdat", words, 4), "StateUpdate");
    CHECK_TEXT(sb_nearest_word("CAHT", words, 4), "CHAT");
    CHECK_TEXT(sb_nearest_word("str16", words, 4), "lstr16");
}

TEST(a_word_that_resembles_none_gets_no_suggestion)
{
    CHECK(!sb_nearest_word("zzzzzzzz", words, 4));
    CHECK(!sb_nearest_word("StateUpdateStateUpdateStateUpdateStateUpdate", words, 4));
    CHECK(!sb_nearest_word("CHAT", words, 0));
}
