/* src/load/lua_shape.c -- recognises lines of a configuration that are written in another language.
 *
 * For:      lua_shape.h. In this order: pieces of text, values, keys, whole lines, the scan.
 * Tests:    tests/load/lua_shape_test.c
 */
#include "load/lua_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SHOWN = 48 }; /* bytes of a key or a value in a hint */

/* ---- pieces of text ---- */

/* A part of a line; it may be empty. */
typedef struct piece {
    const char *at, *end;
} piece;

#define SHOW(p) (int)((p).end - (p).at > SHOWN ? SHOWN : (p).end - (p).at), (p).at

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static piece trim(piece p)
{
    while (p.at < p.end && is_blank(*p.at)) p.at++;
    while (p.at < p.end && is_blank(p.end[-1])) p.end--;
    return p;
}

static bool starts_with(piece p, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(p.end - p.at) >= size && memcmp(p.at, text, size) == 0;
}

static bool is_one_of(piece p, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == (size_t)(p.end - p.at) &&
            strncasecmp(*words, p.at, strlen(*words)) == 0)
            return true;
    return false;
}

/* The first character of `set` outside of quotes; p.end: none. */
static const char *find_outside_quotes(piece p, const char *set)
{
    char quote = 0;
    for (const char *c = p.at; c < p.end; c++) {
        if (quote && *c == '\\') c++;
        else if (quote) quote = *c == quote ? 0 : quote;
        else if (*c == '"' || *c == '\'') quote = *c;
        else if (*c && strchr(set, *c)) return c;
    }
    return p.end;
}

/* A word at the start of `p`: letters, digits and characters of `also`. */
static piece take_word(piece *p, const char *also)
{
    piece word = { p->at, p->at };
    while (word.end < p->end &&
           (is_letter(*word.end) || is_digit(*word.end) || (*word.end && strchr(also, *word.end))))
        word.end++;
    p->at = word.end;
    return word;
}

static bool is_same(piece p, const char *text)
{
    const char *const words[] = { text, NULL };
    return is_one_of(p, words);
}

/* ---- values ---- */

static const char *const words_true[] = { "yes", "on", "true", "y", "enabled", NULL };
static const char *const words_false[] = { "no", "off", "false", "n", "disabled", NULL };

/* A text without quotes. Passwords are not repeated: errors appear in logs. */
static bool ask_for_quotes(piece key, piece value, char *hint)
{
    if (is_same(key, "password"))
        snprintf(hint, SB_SHAPE_HINT, "texts stand in quotes: write `password = \"...\"`");
    else
        snprintf(hint, SB_SHAPE_HINT, "texts stand in quotes: write `%.*s = \"%.*s\"`", SHOW(key),
                 SHOW(value));
    return true;
}

/* `yes`, `Friday night`, `master.example.org`. A single word may be a name that the file has
 * defined, so it counts only in the line that Lua complained about. */
static bool explain_word(piece key, piece value, bool is_error_line, char *hint)
{
    static const char *const lua[] = { "true", "false", "nil", "not", "function", NULL };
    piece                    rest = value, first = take_word(&rest, "");
    bool                     is_lua = is_one_of(first, lua) && rest.at < rest.end;
    bool                     single = rest.at == rest.end;
    if (single &&
        (starts_with(value, "true") || starts_with(value, "false") || is_same(value, "nil")))
        return false;
    if (is_lua || (single && !is_error_line)) return false;
    if (single && (is_one_of(value, words_true) || is_one_of(value, words_false))) {
        snprintf(hint, SB_SHAPE_HINT, "write `%.*s = %s` instead of `%.*s`", SHOW(key),
                 is_one_of(value, words_true) ? "true" : "false", SHOW(value));
        return true;
    }
    piece all = value, words = take_word(&all, " .:/@-");
    bool  is_text =
        all.at == all.end && (is_error_line || (rest.at < rest.end && is_blank(*rest.at)));
    return is_text ? ask_for_quotes(key, words, hint) : false;
}

/* `0.0.0.0`, `30s`, `20 min`. */
static bool explain_number(piece key, piece value, char *hint)
{
    char  text[SHOWN + 1], *end;
    int   size = snprintf(text, sizeof text, "%.*s", SHOW(value));
    piece all = value;
    (void)take_word(&all, " .:/-");
    (void)strtod(text, &end);
    bool number = end == text + size && value.end - value.at <= SHOWN;
    if (number || all.at < all.end) return false;
    if (*end == '.' || *end == ':' || *end == '/') return ask_for_quotes(key, value, hint);
    bool unit = is_letter(*end) || (*end == ' ' && is_letter(end[1]));
    if (!unit) return false;
    snprintf(hint, SB_SHAPE_HINT, "a number has no unit: write `%.*s = %.*s`, or a text in quotes",
             SHOW(key), (int)(end - text), text);
    return true;
}

static bool explain_list(piece key, piece value, char *hint)
{
    piece inside = { value.at + 1, value.end };
    if (inside.at < inside.end && inside.end[-1] == ']') inside.end--;
    inside = trim(inside);
    snprintf(hint, SB_SHAPE_HINT, "a list stands in braces: write `%.*s = { %.*s }`", SHOW(key),
             SHOW(inside));
    return true;
}

/* The comment characters of other languages behind a value. */
static bool has_foreign_comment(piece value)
{
    const char *at = find_outside_quotes(value, "#;");
    return at > value.at && at < value.end && is_blank(at[-1]) && at + 1 < value.end;
}

static const char hint_comment[] = "a comment starts with `--`";

static bool explain_value(piece key, piece value, bool is_error_line, char *hint)
{
    if (value.at == value.end) {
        snprintf(hint, SB_SHAPE_HINT, "`%.*s =` has no value: write one, or remove the line",
                 SHOW(key));
        return true;
    }
    if (starts_with(value, "\xE2\x80\x9C") || starts_with(value, "\xE2\x80\x9D")) {
        snprintf(hint, SB_SHAPE_HINT,
                 "texts stand in plain quotes, \"...\", not in typographic ones");
        return true;
    }
    if (has_foreign_comment(value)) {
        snprintf(hint, SB_SHAPE_HINT, "%s", hint_comment);
        return true;
    }
    if (value.end[-1] == ',' && find_outside_quotes(value, "{") == value.end) {
        snprintf(hint, SB_SHAPE_HINT,
                 "remove the comma at the end, or write `return {` before the first key and `}` "
                 "after the last");
        return true;
    }
    bool long_text = starts_with(value, "[[") || starts_with(value, "[=");
    if (*value.at == '[') return !long_text && explain_list(key, value, hint);
    if (is_letter(*value.at)) return explain_word(key, value, is_error_line, hint);
    if (is_digit(*value.at)) return explain_number(key, value, hint);
    return false;
}

/* ---- keys ---- */

/* True for a word that starts a statement of Lua. */
static bool is_keyword(piece word)
{
    static const char *const keywords[] = { "break",  "do",       "else",  "elseif", "end",
                                            "for",    "function", "goto",  "if",     "local",
                                            "repeat", "return",   "until", "while",  NULL };
    return is_one_of(word, keywords);
}

/* A value as it stands in Lua: numbers, true, false and quoted texts as they are, other texts in
 * quotes, a password not at all. */
static void write_line(char *hint, const char *before, piece key, piece value)
{
    char text[SHOWN + 1], *end;
    bool fits = value.end - value.at <= SHOWN, secret = is_same(key, "password");
    int  size = snprintf(text, sizeof text, "%.*s", SHOW(value));
    (void)strtod(text, &end);
    bool plain = (size > 0 && fits && end == text + size) || is_same(value, "true") ||
                 is_same(value, "false") || starts_with(value, "\"") || starts_with(value, "'");
    const char *quote = plain && !secret ? "" : "\"";
    snprintf(hint, SB_SHAPE_HINT, "%s`%.*s = %s%.*s%s`", before, SHOW(key), quote,
             secret || size == 0 ? 3 : size, secret || size == 0 ? "..." : text, quote);
}

/* `max-players = 8`, `server.port = 22101`. */
static bool explain_key(piece key, char *hint)
{
    const char *dot = memchr(key.at, '.', (size_t)(key.end - key.at));
    const char *dash = memchr(key.at, '-', (size_t)(key.end - key.at));
    if (!dot && !dash) return false;
    if (dot)
        snprintf(hint, SB_SHAPE_HINT,
                 "a key has no dots: write `%.*s = { %.*s = ... }`, or `%.*s = ...` alone",
                 (int)(dot - key.at), key.at, (int)(key.end - dot - 1), dot + 1,
                 (int)(key.end - dot - 1), dot + 1);
    else {
        char name[SHOWN + 1];
        snprintf(name, sizeof name, "%.*s", SHOW(key));
        for (char *c = name; *c; c++)
            if (*c == '-') *c = '_';
        snprintf(hint, SB_SHAPE_HINT, "write `%s` instead of `%.*s`", name, SHOW(key));
    }
    return true;
}

/* The key at the start of a line, without its quotes. */
static piece take_key(piece *line)
{
    char  quote = *line->at == '"' || *line->at == '\'' ? *line->at : 0;
    piece start = *line;
    if (quote) line->at++;
    piece key = take_word(line, "-.");
    if (quote && line->at < line->end && *line->at == quote) line->at++;
    else if (quote) *line = start;
    return key;
}

static bool explain_assignment(piece line, bool is_error_line, char *hint)
{
    bool  quoted = *line.at == '"' || *line.at == '\'';
    piece key = take_key(&line), value = trim(line);
    if (key.at == key.end || is_keyword(key) || line.at < key.end) return false;
    char next = value.at < value.end ? *value.at : '\0';
    if (next == '=' && !starts_with(value, "==")) {
        piece right = trim((piece){ value.at + 1, value.end });
        if (quoted) return write_line(hint, "a key has no quotes: write ", key, right), true;
        return explain_key(key, hint) || explain_value(key, right, is_error_line, hint);
    }
    if (next == ':' && !starts_with(value, "::")) {
        piece right = trim((piece){ value.at + 1, value.end });
        if (right.at < right.end && right.end[-1] == ',') right.end--;
        return write_line(hint, "write ", key, right), true;
    }
    bool separate = value.at > line.at || next == '\0'; /* a blank, or nothing, follows the key */
    if (!separate || (next && strchr("+-*/^%<>~&|(){}[],.=", next))) return false;
    return write_line(hint, "write ", key, value), true;
}

/* ---- whole lines ---- */

/* `[server]`, `[[rooms]]`. */
static bool explain_section(piece line, char *hint)
{
    bool  list = starts_with(line, "[[");
    piece rest = { line.at + 1 + list, line.end };
    piece name = take_word(&rest, "-. \"'");
    if (name.at == name.end || rest.at == rest.end || *rest.at != ']') return false;
    if (list)
        snprintf(hint, SB_SHAPE_HINT,
                 "`[[%.*s]]` is not known here: write `%.*s = { { key = value }, ... }`",
                 SHOW(name), SHOW(name));
    else
        snprintf(hint, SB_SHAPE_HINT,
                 "sections such as `[%.*s]` are not known here: remove the line, and write "
                 "`key = value` lines",
                 SHOW(name));
    return true;
}

/* `set port 22101`, `export NAME=x`: the words before a key in other languages. */
static piece skip_prefix(piece line)
{
    static const char *const prefixes[] = { "set", "export", "let", "var", "const", NULL };
    piece                    rest = line, word = take_word(&rest, "");
    bool                     follows = rest.at < rest.end && is_blank(*rest.at);
    piece                    key = trim(rest);
    return follows && is_one_of(word, prefixes) && key.at < key.end && is_letter(*key.at) ? key
                                                                                          : line;
}

static bool explain_line(piece line, bool is_first, bool is_error_line, char *hint)
{
    if (starts_with(line, "[")) return explain_section(line, hint);
    if (starts_with(line, ";") || starts_with(line, "#") || starts_with(line, "//")) {
        snprintf(hint, SB_SHAPE_HINT, "%s", hint_comment);
        return true;
    }
    if (starts_with(line, "{") && is_first) {
        snprintf(hint, SB_SHAPE_HINT,
                 "write `return {` instead of `{`, and `key = value,` lines up to the `}`");
        return true;
    }
    if (starts_with(line, "- ")) {
        snprintf(hint, SB_SHAPE_HINT, "a list stands in braces: write `key = { ..., ... }`");
        return true;
    }
    piece assignment = skip_prefix(line);
    if (explain_assignment(assignment, is_error_line, hint)) return true;
    if (assignment.at == line.at) return false;
    snprintf(hint, SB_SHAPE_HINT, "write `%.*s`", SHOW(assignment));
    return true;
}

/* ---- the scan ---- */

/* Follows brackets, strings and comments of Lua from line to line. */
typedef struct scan {
    const char *at, *end;
    int         line, depth;
    int         long_level; /* of an open [==[; -1: none */
    bool        seen;       /* a line with content came before */
} scan;

/* The level of a long bracket at `at`: 0 for `[[`, 2 for `[==[`; -1: there is none. */
static int long_bracket(const char *at, const char *end, char bracket)
{
    const char *c = at + 1;
    if (at >= end || *at != bracket) return -1;
    while (c < end && *c == '=') c++;
    return c < end && *c == bracket ? (int)(c - at - 1) : -1;
}

static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote) at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* Moves over one token inside a line; returns `end` after a comment. */
static const char *skip_token(scan *s, const char *at, const char *end)
{
    if (s->long_level >= 0) {
        int level = long_bracket(at, end, ']');
        if (level != s->long_level) return at + 1;
        s->long_level = -1;
        return at + level + 2;
    }
    bool comment = end - at >= 2 && at[0] == '-' && at[1] == '-';
    if (comment) at += 2;
    int level = long_bracket(at, end, '[');
    if (level >= 0) {
        s->long_level = level;
        return at + level + 2;
    }
    if (comment) return end;
    if (*at == '"' || *at == '\'') return skip_quoted(at, end);
    if (strchr("([{", *at) && *at) s->depth++;
    else if (strchr(")]}", *at) && *at && s->depth > 0) s->depth--;
    return at + 1;
}

/* The next line that starts outside of brackets, strings and comments, trimmed and not empty. */
static bool next_line(scan *s, piece *out, bool *is_first)
{
    while (s->at < s->end) {
        const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
        const char *stop = newline ? newline : s->end;
        bool        outside = s->depth == 0 && s->long_level < 0;
        *out = trim((piece){ s->at, stop });
        for (const char *c = s->at; c < stop;) c = skip_token(s, c, stop);
        s->at = newline ? newline + 1 : s->end;
        s->line++;
        if (!outside || out->at == out->end || starts_with(*out, "--")) continue;
        *is_first = !s->seen;
        s->seen = true;
        return true;
    }
    return false;
}

bool sb_shape_explain(const char *text, size_t size, int error_line, sb_shape *out)
{
    scan  s = { .at = text, .end = text + size, .long_level = -1 };
    piece line;
    bool  is_first;
    while (next_line(&s, &line, &is_first) && s.line <= error_line) {
        if (!explain_line(line, is_first, s.line == error_line, out->hint)) continue;
        out->line = s.line;
        return true;
    }
    return false;
}

/* `masters = "a", "b"`: Lua would assign the first value and drop the rest. Sets `key`. */
static bool find_second_value(piece line, piece *key)
{
    scan  s = { .long_level = -1 };
    piece rest = line, value;
    *key = take_word(&rest, "");
    value = trim(rest);
    if (key->at == key->end || is_keyword(*key)) return false;
    if (!starts_with(value, "=") || starts_with(value, "==")) return false;
    value = trim((piece){ value.at + 1, value.end });
    if (starts_with(value, "function")) return false;
    for (const char *c = value.at; c < value.end; c = skip_token(&s, c, value.end)) {
        if (*c != ',' || s.depth > 0 || s.long_level >= 0) continue;
        rest = trim((piece){ c + 1, value.end });
        return rest.at < rest.end && !starts_with(rest, "--");
    }
    return false;
}

bool sb_shape_find_silent(const char *text, size_t size, sb_shape *out)
{
    scan  s = { .at = text, .end = text + size, .long_level = -1 };
    piece line, key;
    bool  is_first;
    while (next_line(&s, &line, &is_first)) {
        out->line = s.line;
        if (starts_with(line, ";")) {
            snprintf(out->hint, sizeof out->hint, "%s", hint_comment);
            return true;
        }
        if (!find_second_value(line, &key)) continue;
        snprintf(out->hint, sizeof out->hint,
                 "`%.*s` has several values: write one; a list stands in braces, `{ ..., ... }`",
                 SHOW(key));
        return true;
    }
    return false;
}
