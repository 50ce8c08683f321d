/* tests/web/buffer_test.c -- escaping, growth and the limit of a text. */
#include "web/buffer.h"

#include "test.h"

#include <string.h>

static const char *label_of(const char *text)
{
    static sb_web_buffer b;
    sb_web_buffer_free(&b);
    sb_web_print_label(&b, text);
    return b.data ? b.data : "";
}

TEST(labels_escape_quotes_backslashes_and_line_ends)
{
    CHECK_TEXT(label_of("plain"), "plain");
    CHECK_TEXT(label_of("a\"b\\c"), "a\\\"b\\\\c");
    CHECK_TEXT(label_of("a\nb\rc\td\x01"), "a?b?c?d?");
    CHECK_TEXT(label_of("\xC3\xA9\xE2\x82\xAC"), "\xC3\xA9\xE2\x82\xAC");
    CHECK_TEXT(label_of("\xFF\xC3"), "??");
    CHECK_TEXT(label_of("\xE2\x80\xAE!"), "?!"); /* reverses the writing direction */
    CHECK_TEXT(label_of(""), "");
}

TEST(json_strings_have_quotes)
{
    sb_web_buffer b = { 0 };
    sb_web_print_json(&b, "a\"b\\\n");
    CHECK_TEXT(b.data, "\"a\\\"b\\\\?\"");
    sb_web_buffer_free(&b);
    CHECK(!b.data && b.size == 0);
}

TEST(a_text_grows_as_needed)
{
    sb_web_buffer b = { 0 };
    for (int i = 0; i < 10000; i++) sb_web_print(&b, "line %05d\n", i);
    CHECK(!b.failed);
    CHECK_EQ(b.size, 110000);
    CHECK(strncmp(b.data + b.size - 11, "line 09999\n", 11) == 0);
    sb_web_buffer_free(&b);
}

TEST(a_text_beyond_the_limit_is_marked_as_failed)
{
    static char   megabyte[(1 << 20) + 1];
    sb_web_buffer b = { 0 };
    memset(megabyte, 'x', sizeof megabyte - 1);
    for (int i = 0; i < 20; i++) sb_web_print(&b, "%s", megabyte);
    CHECK(b.failed);
    CHECK(b.size < SB_WEB_TEXT_MAX);
    CHECK_EQ(strlen(b.data), b.size);
    sb_web_print_label(&b, "more");
    CHECK_EQ(strlen(b.data), b.size);
    sb_web_buffer_free(&b);
}
