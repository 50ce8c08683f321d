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

TEST(kinds_have_sizes_and_bounds)
{
    static const struct {
        sb_kind kind;
        size_t  bytes;
        bool    bounded;
        double  low, high;
    } rows[] = {
        { SB_KIND_U8, 1, true, 0, 255 },
        { SB_KIND_I8, 1, true, -128, 127 },
        { SB_KIND_I32, 4, true, -2147483648.0, 2147483647 },
        { SB_KIND_POSITION, 12, true, -1e7, 1e7 },
        { SB_KIND_SWITCH, 1, true, 0, 1.28 },
        { SB_KIND_F32, 4, false, 0, 0 },
        { SB_KIND_BIT, 0, true, 0, 1 },
        { SB_KIND_LIST, 0, false, 0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double low = 7, high = 7;
        CHECK_EQ(sb_kind_bytes(rows[i].kind), rows[i].bytes);
        CHECK_EQ(sb_kind_bounds(rows[i].kind, &low, &high), rows[i].bounded);
        CHECK(low == rows[i].low && high == rows[i].high);
    }
}

TEST(kinds_for_stock_messages_are_not_definable)
{
    CHECK(!sb_kind_is_definable(SB_KIND_NOTE));
    CHECK(!sb_kind_is_definable(SB_KIND_RATIOS));
    CHECK(sb_kind_is_definable(SB_KIND_TEXT16));
}
