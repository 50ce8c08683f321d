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

static bool is_near(const char *name, const char *word)
{
    sb_suggestion found = sb_suggestion_start(name);
    sb_suggestion_try(&found, word);
    return found.best != NULL;
}

/* At most three changes, and at most half of the word's letters. */
TEST(three_changes_are_similar_and_four_are_not)
{
    CHECK(is_near("abcdefXXX", "abcdefghi"));
    CHECK(!is_near("abcdeXXXX", "abcdefghi"));
    CHECK(is_near("Xb", "ab"));
    CHECK(!is_near("XY", "ab"));
    CHECK(is_near("XYcd", "abcd"));
    CHECK(!is_near("XYZd", "abcd"));
    CHECK(is_near("badcfe", "abcdef")); /* three swaps */
    CHECK(!is_near("badcfehg", "abcdefgh"));
    CHECK(is_near("bcdef", "abcdef")); /* a letter is missing in front, ... */
    CHECK(is_near("Xabcdef", "abcdef"));
    CHECK(is_near("XXXabcdef", "abcdef"));
    CHECK(!is_near("XXXXabcdef", "abcdef"));
}

TEST(the_nearest_of_several_words_is_suggested)
{
    static const char *const near[] = { "abcdXX", "abcdeX", "aXcdXf", "abcXXX" };
    CHECK_TEXT(sb_suggestion_find("abcdef", near, 4), "abcdeX");
    CHECK_TEXT(sb_suggestion_find("abcdef", near + 2, 2), "aXcdXf");
}

TEST(a_dash_is_the_same_as_an_underscore)
{
    static const char *const near[] = { "a-bcX", "a_bcd" };
    CHECK_TEXT(sb_suggestion_find("a-bcd", near, 2), "a_bcd");
    static const char *const other[] = { "a_bcX", "a-bcd" };
    CHECK_TEXT(sb_suggestion_find("a_bcd", other, 2), "a-bcd");
}

/* Four letters are a start; it is as near as one wrong letter, and the first of equals stays. */
TEST(a_start_of_four_letters_is_as_near_as_one_change)
{
    static const char *const words_of_start[] = { "passengers", "pasX", "password" };
    static const char *const start_and_twin[] = { "password", "pasX" };
    CHECK_TEXT(sb_suggestion_find("pass", words_of_start, 3), "passengers");
    CHECK_TEXT(sb_suggestion_find("pass", start_and_twin, 2), "password");
    CHECK_TEXT(sb_suggestion_find("pass", words_of_start + 1, 2), "pasX");
    static const char *const two_more[] = { "passen", "pasX" };
    CHECK_TEXT(sb_suggestion_find("pass", two_more, 2), "passen");
    CHECK(!sb_suggestion_find("pas", words_of_start + 2, 1));
    CHECK(is_near("pass", "pass"));
    static const char *const exact_last[] = { "passX", "pass" };
    CHECK_TEXT(sb_suggestion_find("pass", exact_last, 2), "pass");
}

TEST(letters_differ_only_by_their_case_and_dashes)
{
    static const char *const upper[] = { "@[^x", "AZ_" };
    CHECK_TEXT(sb_suggestion_find("az-", upper, 2), "AZ_");
    CHECK(!is_near("@", "`"));
    CHECK(!is_near("[", "{"));
    CHECK(!is_near("a", "b"));
    CHECK(is_near("AAAAAAZZZZZZ", "aaaaaazzzzzz"));
    CHECK(!is_near("@@@@[[[[", "````{{{{"));
}

TEST(words_of_forty_letters_are_compared_and_longer_ones_not)
{
    static const char forty[] = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";
    static const char longer[] = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde";
    static const char other[] = "aaaaaaaaaabbbbbbbbbbcccccccccXdddddddddd";
    CHECK(is_near(other, forty));
    CHECK(is_near(forty + 1, forty));
    CHECK(is_near(forty, forty + 1));
    CHECK(!is_near(longer, forty));
    CHECK(!is_near(forty + 1, longer));
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
