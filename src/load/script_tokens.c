/* src/load/script_tokens.c -- names, numbers, texts and signs of a Python script.
 *
 * For:      script_tokens.h. Line ends may be LF, CRLF or CR; comments and blank lines disappear.
 * Tests:    tests/load/script_tokens_test.c, fuzz/hardpoint_fuzz.c
 */
#include "load/script_tokens.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES_MAX = 63 };

void sb_script_reader_init(sb_script_reader *r, const char *text, size_t size)
{
    *r = (sb_script_reader){ .text = text, .size = size, .line = 1 };
}

static int peek(const sb_script_reader *r, size_t ahead)
{
    return r->at + ahead < r->size ? (unsigned char)r->text[r->at + ahead] : -1;
}

static bool is_newline(int c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_character(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* Moves past LF, CRLF or CR. */
static void pass_newline(sb_script_reader *r)
{
    r->at += peek(r, 0) == '\r' && peek(r, 1) == '\n' ? 2 : 1;
    r->line++;
}

static void pass_comment(sb_script_reader *r)
{
    while (peek(r, 0) >= 0 && !is_newline(peek(r, 0))) r->at++;
}

static void fail(sb_script_reader *r, uint32_t line, const char *error)
{
    r->error = error;
    r->error_line = line;
}

/* ---- tokens ---- */

static sb_span span_from(const sb_script_reader *r, size_t start)
{
    return (sb_span){ (const uint8_t *)r->text + start, r->at - start };
}

static void read_name(sb_script_reader *r, sb_token *out)
{
    size_t start = r->at;
    while (is_name_character(peek(r, 0))) r->at++;
    out->kind = SB_TOKEN_NAME;
    out->text = span_from(r, start);
}

/* 12, 12L, 0x1F, 1.5, .5, 1e+050. A sign belongs to the number only behind an exponent. */
static void read_number(sb_script_reader *r, sb_token *out)
{
    char   digits[NUMBER_BYTES_MAX + 1];
    size_t start = r->at;
    bool   hex = peek(r, 0) == '0' && (peek(r, 1) == 'x' || peek(r, 1) == 'X');
    out->is_whole = true;
    for (int c = peek(r, 0); is_name_character(c) || c == '.'; c = peek(r, 0)) {
        bool exponent = !hex && (c == 'e' || c == 'E');
        if (c == '.' || exponent) out->is_whole = false;
        r->at++;
        if (exponent && (peek(r, 0) == '+' || peek(r, 0) == '-')) r->at++;
    }
    out->kind = SB_TOKEN_SIGN;
    out->text = span_from(r, start);
    if (out->text.size > NUMBER_BYTES_MAX) return;
    memcpy(digits, out->text.data, out->text.size);
    digits[out->text.size] = '\0';
    char *end;
    out->number = strtod(digits, &end);
    if (*end == 'L' || *end == 'l') end++;
    if (*end == '\0') out->kind = SB_TOKEN_NUMBER;
}

static bool is_triple(const sb_script_reader *r, int quote)
{
    return peek(r, 0) == quote && peek(r, 1) == quote && peek(r, 2) == quote;
}

/* The reader stands at the opening quote. */
static void read_text(sb_script_reader *r, sb_token *out)
{
    int      quote = peek(r, 0);
    bool     triple = is_triple(r, quote);
    uint32_t line = r->line;
    r->at += triple ? 3 : 1;
    size_t start = r->at;
    while (triple ? !is_triple(r, quote) : peek(r, 0) != quote) {
        bool escaped =
            peek(r, 0) == '\\'; /* the next character, or line end, belongs to the text */
        if (escaped) r->at++;
        if (peek(r, 0) < 0 || (is_newline(peek(r, 0)) && !triple && !escaped)) {
            fail(r, line, "a text has no closing quote");
            return;
        }
        if (is_newline(peek(r, 0))) pass_newline(r);
        else r->at++;
    }
    out->kind = SB_TOKEN_TEXT;
    out->text = span_from(r, start);
    r->at += triple ? 3 : 1;
}

static void read_sign(sb_script_reader *r, sb_token *out)
{
    size_t start = r->at;
    int    c = peek(r, 0);
    out->kind = SB_TOKEN_SIGN;
    out->sign = (char)c;
    if (c && strchr("=!<>", c) && peek(r, 1) == '=') {
        out->sign = SB_SIGN_COMPARE;
        r->at++;
    } else if (c == SB_SIGN_COMPARE) out->sign = '$'; /* neither belongs to the language */
    r->at++;
    out->text = span_from(r, start);
}

static bool is_text_prefix(const sb_script_reader *r)
{
    int c = peek(r, 0), next = peek(r, 1);
    return (c == 'r' || c == 'R' || c == 'u' || c == 'U') && (next == '"' || next == '\'');
}

static void read_token(sb_script_reader *r, sb_token *out)
{
    int c = peek(r, 0);
    *out = (sb_token){ .line = r->line };
    if (is_text_prefix(r)) {
        r->at++;
        read_text(r, out);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(r, 1)))) read_number(r, out);
    else if (is_name_character(c)) read_name(r, out);
    else if (c == '"' || c == '\'') read_text(r, out);
    else read_sign(r, out);
}

/* ---- lines ---- */

/* Moves to the first token of a line and measures its indent. False: the script ends. */
static bool find_line(sb_script_reader *r, sb_script_line *out)
{
    out->indent = 0;
    for (int c; (c = peek(r, 0)) >= 0;) {
        if (is_newline(c)) {
            pass_newline(r);
            out->indent = 0;
        } else if (c == '#') pass_comment(r);
        else if (is_blank(c)) {
            out->indent = c == '\t' ? (out->indent / 8 + 1) * 8 : out->indent + (c == ' ');
            r->at++;
        } else return true;
    }
    return false;
}

/* Moves to the next token of the line. False: the line ends here. */
static bool find_token(sb_script_reader *r, size_t depth)
{
    for (int c; (c = peek(r, 0)) >= 0;) {
        if (c == '#') pass_comment(r);
        else if (is_blank(c)) r->at++;
        else if (c == '\\' && is_newline(peek(r, 1))) {
            r->at++;
            pass_newline(r);
        } else if (is_newline(c) && depth > 0) pass_newline(r);
        else return !is_newline(c);
    }
    return false;
}

static size_t change_depth(sb_script_reader *r, const sb_token *token, size_t depth)
{
    if (token->kind != SB_TOKEN_SIGN || !token->sign) return depth;
    if (strchr("([{", token->sign)) return depth + 1;
    if (!strchr(")]}", token->sign)) return depth;
    if (depth == 0) fail(r, token->line, "a bracket closes that was not opened");
    return depth > 0 ? depth - 1 : 0;
}

bool sb_script_next_line(sb_script_reader *r, sb_script_line *out)
{
    size_t depth = 0;
    if (r->error || !find_line(r, out)) return false;
    out->count = 0;
    out->is_too_long = false;
    out->number = r->line;
    while (!r->error && find_token(r, depth)) {
        sb_token token;
        read_token(r, &token);
        depth = change_depth(r, &token, depth);
        if (out->count == SB_SCRIPT_TOKENS_MAX) out->is_too_long = true;
        else out->tokens[out->count++] = token;
    }
    if (!r->error && depth > 0) fail(r, out->number, "a bracket is not closed");
    SB_ASSERT(r->at <= r->size);
    out->tokens[out->count] = (sb_token){ .kind = SB_TOKEN_END, .line = r->line };
    return !r->error;
}
