/* tests/load/script_tokens_test.c -- lines and tokens of Python scripts. */
#include "load/script_tokens.h"

#include "base/text.h"
#include "test.h"

#include <string.h>

static sb_script_reader reader;
static sb_script_line   line;

static void start(const char *text)
{
    sb_script_reader_init(&reader, text, strlen(text));
}

static void check_line(uint32_t number, unsigned indent, size_t count)
{
    CHECK(sb_script_next_line(&reader, &line));
    CHECK_EQ(line.number, number);
    CHECK_EQ(line.indent, indent);
    CHECK_EQ(line.count, count);
    CHECK_EQ(line.tokens[count].kind, SB_TOKEN_END);
}

static void check_end(void)
{
    CHECK(!sb_script_next_line(&reader, &line));
    CHECK(reader.error == NULL);
}

static void check_error(const char *text, const char *error, uint32_t number)
{
    start(text);
    while (sb_script_next_line(&reader, &line)) continue;
    CHECK(reader.error != NULL);
    CHECK_TEXT(reader.error, error);
    CHECK_EQ(reader.error_line, number);
    CHECK(!sb_script_next_line(&reader, &line)); /* stays failed */
}

TEST(every_kind_of_line_end_counts_once)
{
    start("a\nb\r\nc\rd");
    for (uint32_t i = 1; i <= 4; i++) check_line(i, 0, 1);
    check_end();
}

TEST(comments_and_blank_lines_disappear)
{
    start("\n  # a comment with 'quotes\n\t\nx = 1 # more\n#");
    check_line(4, 0, 3);
    check_end();
}

TEST(a_line_goes_on_inside_brackets_and_behind_a_backslash)
{
    start("f(1,\n  # comment\n 2)\ng \\\r\n h\ni");
    check_line(1, 0, 6);
    CHECK_EQ(line.tokens[4].line, 3);
    check_line(4, 0, 2);
    check_line(6, 0, 1);
    check_end();
}

TEST(indents_count_columns_and_tabs_end_at_multiples_of_8)
{
    start("a\n  b\n\tc\n  \td\n\t e");
    check_line(1, 0, 1);
    check_line(2, 2, 1);
    check_line(3, 8, 1);
    check_line(4, 8, 1);
    check_line(5, 9, 1);
}

static void check_number(const char *text, double number, bool is_whole)
{
    start(text);
    check_line(1, 0, 1);
    CHECK_EQ(line.tokens[0].kind, SB_TOKEN_NUMBER);
    CHECK(line.tokens[0].number == number);
    CHECK_EQ(line.tokens[0].is_whole, is_whole);
}

TEST(numbers_are_read_as_python_writes_them)
{
    check_number("12", 12, true);
    check_number("12L", 12, true);
    check_number("0x1F", 31, true);
    check_number("12.500000", 12.5, false);
    check_number(".5", 0.5, false);
    check_number("3.", 3, false);
    check_number("1e+050", 1e50, false);
    check_number("2E-3", 0.002, false);
    start("12abc 1.2.3");
    check_line(1, 0, 2);
    CHECK_EQ(line.tokens[0].kind, SB_TOKEN_SIGN); /* no number, and no sign either */
    CHECK_EQ(line.tokens[1].kind, SB_TOKEN_SIGN);
}

static void check_text(size_t at, const char *text)
{
    CHECK_EQ(line.tokens[at].kind, SB_TOKEN_TEXT);
    CHECK(sb_text_equals(line.tokens[at].text, text));
}

TEST(texts_end_at_their_own_quotes)
{
    start("'a\"b' \"c'd\" \"e\\\"f\" r'\\g' '' \"\" '\\\\'");
    check_line(1, 0, 7);
    check_text(0, "a\"b");
    check_text(1, "c'd");
    check_text(2, "e\\\"f");
    check_text(3, "\\g");
    check_text(4, "");
    check_text(5, "");
    check_text(6, "\\\\");
}

TEST(texts_in_triple_quotes_span_lines)
{
    start("\"\"\"one 'two'\n# \"three\" \n\"\"\" x\ny '''z\\\n'''");
    check_line(1, 0, 2);
    check_text(0, "one 'two'\n# \"three\" \n");
    check_line(4, 0, 2);
    check_end();
    start("'a\\\nb' c"); /* a backslash also continues a text */
    check_line(1, 0, 2);
    check_end();
}

TEST(comparisons_are_one_token_and_assignments_another)
{
    start("a != b == c <= d = e");
    check_line(1, 0, 9);
    CHECK_EQ(line.tokens[1].sign, SB_SIGN_COMPARE);
    CHECK(sb_text_equals(line.tokens[1].text, "!="));
    CHECK_EQ(line.tokens[3].sign, SB_SIGN_COMPARE);
    CHECK_EQ(line.tokens[5].sign, SB_SIGN_COMPARE);
    CHECK_EQ(line.tokens[7].sign, '=');
}

TEST(texts_and_brackets_without_an_end_are_errors)
{
    check_error("a\n'b\nc'", "a text has no closing quote", 2);
    check_error("a\n\n'b", "a text has no closing quote", 3);
    check_error("'a\\", "a text has no closing quote", 1);
    check_error("'''a\n''", "a text has no closing quote", 1);
    check_error("a\nf(1,\n[2)", "a bracket is not closed", 2);
    check_error("f(1))", "a bracket closes that was not opened", 1);
}

TEST(a_line_with_too_many_tokens_is_cut)
{
    static char text[3 * SB_SCRIPT_TOKENS_MAX];
    memset(text, 0, sizeof text);
    for (size_t i = 0; i <= SB_SCRIPT_TOKENS_MAX; i++) strcat(text, "a ");
    start(text);
    check_line(1, 0, SB_SCRIPT_TOKENS_MAX);
    CHECK(line.is_too_long);
    text[2 * SB_SCRIPT_TOKENS_MAX] = '\0';
    start(text);
    check_line(1, 0, SB_SCRIPT_TOKENS_MAX);
    CHECK(!line.is_too_long);
}
