/* tests/server/sentence_test.c -- lines of text that the room builds. */
#include "server/sentence.h"

#include "test.h"

#include <string.h>

TEST(a_sentence_is_cut_at_159_characters)
{
    sb_sentence s;
    memset(&s, 'x', sizeof s);
    s.size = 0;
    sb_sentence_add(&s, "");
    CHECK_TEXT(s.text, "");
    for (unsigned i = 0; i < 53; i++) sb_sentence_add(&s, "abc");
    CHECK_EQ(s.size, 159);
    CHECK_EQ(strlen(s.text), 159);
    sb_sentence_add(&s, "def");
    CHECK_EQ(s.size, 159);
    CHECK_EQ(strlen(s.text), 159);
    CHECK_TEXT(s.text + 156, "abc");
}

TEST(a_sentence_writes_numbers_in_decimal_digits)
{
    sb_sentence s = { .size = 0 };
    sb_sentence_add_number(&s, 0);
    sb_sentence_add(&s, " ");
    sb_sentence_add_number(&s, 9);
    sb_sentence_add(&s, " ");
    sb_sentence_add_number(&s, 10);
    sb_sentence_add(&s, " ");
    sb_sentence_add_number(&s, UINT64_MAX);
    CHECK_TEXT(s.text, "0 9 10 18446744073709551615");
    CHECK_EQ(s.size, strlen(s.text));
}
