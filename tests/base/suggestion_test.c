/* tests/base/suggestion_test.c -- which word a misspelt one is taken for. */
#include "base/suggestion.h"

#include "test.h"

#include <string.h>

static const char *const words[] = { "serve", "bot",      "query",       "swarm",
                                     "port",  "password", "max_players", "frag_limit" };

static const char *nearest(const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) sb_suggestion_try(&found, words[i]);
    return found.best ? found.best : "";
}

TEST(a_missing_a_wrong_and_a_swapped_letter_are_found)
{
    CHECK_TEXT(nearest("srve"), "serve");
    CHECK_TEXT(nearest("serv"), "serve");
    CHECK_TEXT(nearest("servee"), "serve");
    CHECK_TEXT(nearest("prot"), "port");
    CHECK_TEXT(nearest("qeury"), "query");
    CHECK_TEXT(nearest("max-player"), "max_players");
    CHECK_TEXT(nearest("FRAGLIMIT"), "frag_limit");
    CHECK_TEXT(nearest("pass"), "password"); /* a start */
}

/* Two changes would be too many for a word of three letters. */
TEST(a_swap_counts_as_one_change)
{
    CHECK_TEXT(nearest("bto"), "bot");
}

TEST(words_that_are_not_similar_get_no_suggestion)
{
    CHECK_TEXT(nearest("xyzzy"), "");
    CHECK_TEXT(nearest(""), "");
    CHECK_TEXT(nearest("b"), "");
    CHECK_TEXT(nearest("a very long word that nobody has ever mistyped for a key of ours"), "");
}

/* ---- one of a list ---- */

static const char *const given[] = { "CHAT", NULL, "StateUpdate", "lstr16" };

TEST(the_nearest_word_is_found_whatever_its_case)
{
    CHECK_TEXT(sb_suggestion_find("stateupdat", given, 4), "StateUpdate");
    CHECK_TEXT(sb_suggestion_find("CAHT", given, 4), "CHAT");
    CHECK_TEXT(sb_suggestion_find("str16", given, 4), "lstr16");
}

TEST(a_word_that_resembles_none_gets_no_suggestion)
{
    CHECK(!sb_suggestion_find("zzzzzzzz", given, 4));
    CHECK(!sb_suggestion_find("StateUpdateStateUpdateStateUpdateStateUpdate", given, 4));
    CHECK(!sb_suggestion_find("CHAT", given, 0));
}
