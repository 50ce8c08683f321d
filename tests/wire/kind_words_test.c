/* tests/wire/kind_words_test.c -- the words of kinds, and the sizes beside what the codecs write.
 */
#include "test.h"

#include "wire/kind_words.h"

#include <string.h>

TEST(every_kind_has_a_word_of_its_own)
{
    for (unsigned i = 0; i < SB_KIND_COUNT; i++) {
        sb_kind kind;
        CHECK(sb_kind_word((sb_kind)i));
        CHECK(sb_find_kind(sb_kind_word((sb_kind)i), &kind));
        CHECK_EQ(kind, i);
    }
    sb_kind kind;
    CHECK(!sb_find_kind("U8", &kind));
    CHECK(!sb_find_kind("", &kind));
}

TEST(kinds_for_stock_messages_are_not_definable)
{
    CHECK(!sb_kind_is_definable(SB_KIND_NOTE));
    CHECK(!sb_kind_is_definable(SB_KIND_RATIOS));
    CHECK(sb_kind_is_definable(SB_KIND_TEXT16));
}
