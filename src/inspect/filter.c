/* src/inspect/filter.c -- parses filter expressions by recursive descent. */
#include "inspect/filter.h"

#include "base/suggestion.h"
#include "inspect/message_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 32, NOWHERE = SB_FILTER_NODES_MAX, WORD_BYTES = 64 };

typedef struct parser {
    sb_filter  *filter;
    const char *text;
    size_t      at;
    unsigned    depth;
    bool        failed;

    const sb_definitions *definitions; /* messages of mods, or NULL */
} parser;

static size_t fail(parser *p, size_t at, const char *message)
{
    if (!p->failed) {
        snprintf(p->filter->error, sizeof p->filter->error, "%s", message);
        p->filter->error_at = at;
    }
    p->failed = true;
    return NOWHERE;
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char)p->text[p->at])) p->at++;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Skips `what`, a sign or a word, and returns true if the text continues with it. */
static bool accept(parser *p, const char *what)
{
    size_t size = strlen(what);
    skip_blanks(p);
    if (strncasecmp(p->text + p->at, what, size) != 0) return false;
    bool word = isalpha((unsigned char)what[0]);
    if (word && is_name_char(p->text[p->at + size])) return false;
    p->at += size;
    return true;
}

static size_t add_node(parser *p, sb_filter_node node)
{
    if (p->failed) return NOWHERE;
    if (p->filter->count == SB_FILTER_NODES_MAX)
        return fail(p, p->at, "the expression has too many parts");
    p->filter->nodes[p->filter->count] = node;
    return p->filter->count++;
}

/* ---- tests ---- */

static bool accept_operator(parser *p, sb_filter_operator *out)
{
    static const struct {
        const char        *sign;
        sb_filter_operator relation;
    } rows[] = {
        { "==", SB_FILTER_EQUAL },
        { "!=", SB_FILTER_UNEQUAL },
        { "<=", SB_FILTER_LESS_EQUAL },
        { ">=", SB_FILTER_GREATER_EQUAL },
        { "<", SB_FILTER_LESS },
        { ">", SB_FILTER_GREATER },
        { "~", SB_FILTER_CONTAINS },
        { "=", SB_FILTER_EQUAL },
        { "eq", SB_FILTER_EQUAL },
        { "ne", SB_FILTER_UNEQUAL },
        { "le", SB_FILTER_LESS_EQUAL },
        { "ge", SB_FILTER_GREATER_EQUAL },
        { "lt", SB_FILTER_LESS },
        { "gt", SB_FILTER_GREATER },
        { "contains", SB_FILTER_CONTAINS },
        { "matches", SB_FILTER_MATCHES },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!accept(p, rows[i].sign)) continue;
        *out = rows[i].relation;
        return true;
    }
    if (p->text[p->at] != '&' || p->text[p->at + 1] == '&') return false;
    p->at++;
    *out = SB_FILTER_BITS;
    return true;
}

static bool is_word_char(const char *p)
{
    if (p[0] == '|') return p[1] != '|' && isalnum((unsigned char)p[1]);
    return is_name_char(p[0]) || p[0] == ':' || p[0] == '-' || p[0] == '+' || p[0] == '%';
}

static double scaled(double value, int exponent)
{
    for (; exponent > 0; exponent--) value *= 10;
    double divisor = 1;
    for (; exponent < 0; exponent++) divisor *= 10;
    return value / divisor;
}

static size_t read_hex_digits(const char *text, size_t size, double *out)
{
    size_t at = 0;
    for (*out = 0; at < size && isxdigit((unsigned char)text[at]); at++) {
        char c = text[at];
        *out = *out * 16 + (isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return at;
}

/* Reads digits with an optional point and exponent. Returns how many characters it used, 0 if there
 * is no digit. */
static size_t read_decimal(const char *text, size_t size, double *out)
{
    size_t at = 0, digits = 0;
    int    exponent = 0, written = 0;
    bool   point = false;
    for (*out = 0; at < size && (isdigit((unsigned char)text[at]) || (text[at] == '.' && !point));
         at++) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        *out = *out * 10 + (text[at] - '0');
        digits++;
        exponent -= point;
    }
    if (digits == 0) return 0;
    if (at + 1 < size && (text[at] | 0x20) == 'e') {
        bool negative = text[at + 1] == '-';
        at += negative || text[at + 1] == '+' ? 2 : 1;
        for (; at < size && isdigit((unsigned char)text[at]) && written < 400; at++)
            written = written * 10 + (text[at] - '0');
        exponent += negative ? -written : written;
    }
    *out = scaled(*out, exponent);
    return at;
}

/* Reads the word as a number if it is decimal, hex or a percentage (50% is 0.5). */
static void read_number(sb_filter_node *node)
{
    const char *text = (const char *)node->word.data;
    size_t      size = node->word.size, at = 0;
    bool        negative = size > 0 && text[0] == '-';
    double      number;
    if (negative || (size > 0 && text[0] == '+')) at++;
    if (size - at > 2 && text[at] == '0' && (text[at + 1] | 0x20) == 'x') {
        at += 2 + read_hex_digits(text + at + 2, size - at - 2, &number);
    } else {
        size_t taken = read_decimal(text + at, size - at, &number);
        if (taken == 0) return;
        at += taken;
    }
    if (at + 1 == size && text[at] == '%') {
        number /= 100;
        at++;
    }
    node->is_number = at == size;
    node->number = negative ? -number : number;
}

static void read_value(parser *p, sb_filter_node *node)
{
    skip_blanks(p);
    size_t start = p->at;
    char   quote = p->text[p->at];
    if (quote == '"' || quote == '\'') {
        const char *end = strchr(p->text + start + 1, quote);
        if (!end) {
            (void)fail(p, start, "this quote is never closed");
            return;
        }
        node->quoted = true;
        p->at = (size_t)(end - p->text) + 1;
        node->word = (sb_span){ (const uint8_t *)p->text + start + 1, p->at - start - 2 };
        return;
    }
    while (is_word_char(p->text + p->at)) p->at++;
    node->word = (sb_span){ (const uint8_t *)p->text + start, p->at - start };
    if (p->at == start) {
        (void)fail(p, start, "a value is missing here: a number, a name, or a text in quotes");
        return;
    }
    read_number(node);
}

static bool is_textual(sb_filter_operator relation)
{
    return relation == SB_FILTER_CONTAINS || relation == SB_FILTER_MATCHES;
}

/* True if the pattern refers back to a group (\1), which would take exponential time. */
static bool refers_back(sb_span pattern)
{
    for (size_t i = 0; i + 1 < pattern.size; i++) {
        if (pattern.data[i] != '\\') continue;
        if (isdigit(pattern.data[++i])) return true;
    }
    return false;
}

static bool compile_pattern(parser *p, sb_filter_node *node, size_t at)
{
    char text[SB_FILTER_PATTERN_MAX + 1], reason[120], error[SB_FILTER_ERROR_MAX];
    if (node->word.size > SB_FILTER_PATTERN_MAX)
        return fail(p, at, "this pattern is too long: at most 120 characters") != NOWHERE;
    if (refers_back(node->word))
        return fail(p, at, "back references (\\1) are not supported") != NOWHERE;
    memcpy(text, node->word.data, node->word.size);
    text[node->word.size] = '\0';
    int status = regcomp(&node->pattern, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (status == 0) return true;
    regerror(status, &node->pattern, reason, sizeof reason);
    snprintf(error, sizeof error, "not a POSIX extended regular expression: %s", reason);
    return fail(p, at, error) != NOWHERE;
}

static void expect_number(parser *p, const sb_filter_node *node, size_t at)
{
    if (!node->meta || node->is_number || is_textual(node->relation)) return;
    if (sb_meta_is_plain_number(node->meta)) (void)fail(p, at, "a number is expected here");
}

/* Turns `opcode == Ack` into a test of the type: transport messages have a type and no opcode. */
static bool resolve_type(sb_filter_node *node, const char *name)
{
    for (const sb_name *n = sb_transport_type_names(); n->name; n++) {
        bool same = strcasecmp(n->name, name) == 0;
        if (!same && !(n->published && strcasecmp(n->published, name) == 0)) continue;
        node->meta = sb_find_meta("type", 4);
        node->is_number = true;
        node->number = n->value;
        return true;
    }
    return false;
}

/* A misspelt name of a message would match nothing, without a word. */
static void refuse_message(parser *p, const char *word, size_t at)
{
    char        text[SB_FILTER_ERROR_MAX];
    const char *near = sb_message_words_suggest(word, p->definitions);
    if (near) snprintf(text, sizeof text, "no message has this name; did you mean `%s`?", near);
    else
        snprintf(text, sizeof text,
                 "no message has this name; `starbase messages` lists the names");
    (void)fail(p, at, text);
}

static void copy_word(const sb_filter_node *node, char out[WORD_BYTES])
{
    size_t size = node->word.size < WORD_BYTES - 1 ? node->word.size : WORD_BYTES - 1;
    if (size > 0) memcpy(out, node->word.data, size);
    out[size] = '\0';
}

static void check_message_name(parser *p, const sb_filter_node *node, size_t at)
{
    char word[WORD_BYTES];
    bool equal = node->relation == SB_FILTER_EQUAL || node->relation == SB_FILTER_UNEQUAL;
    if (!equal || !node->meta || !sb_meta_is_name(node->meta)) return;
    copy_word(node, word);
    if (!sb_message_words_has(word, p->definitions)) refuse_message(p, word, at);
}

/* Replaces the name of a message by its opcode, so that a misspelt name fails before decoding. */
static void resolve_opcode(parser *p, sb_filter_node *node, size_t at)
{
    char buffer[WORD_BYTES];
    if (!node->meta || !sb_meta_is_opcode(node->meta)) return;
    if (node->relation == SB_FILTER_EXISTS) return;
    if (is_textual(node->relation)) {
        node->meta = sb_find_meta("name", 4);
        return;
    }
    if (node->is_number) {
        bool equal = node->relation == SB_FILTER_EQUAL || node->relation == SB_FILTER_UNEQUAL;
        if (equal && !(node->number >= 0 && node->number <= 255))
            (void)fail(p, at, "an opcode is a number from 0 to 255");
        return;
    }
    copy_word(node, buffer);
    const sb_message_type *type = sb_find_defined_type_by_name(p->definitions, buffer);
    if (!type && resolve_type(node, buffer)) return;
    if (!type) {
        refuse_message(p, buffer, at);
        return;
    }
    node->is_number = true;
    node->number = type->opcode;
}

static size_t parse_test(parser *p)
{
    skip_blanks(p);
    size_t start = p->at;
    while (is_name_char(p->text[p->at])) p->at++;
    if (p->at == start)
        return fail(p, start, "a name is expected here, such as opcode or object_id");
    sb_filter_node node = { .kind = SB_FILTER_TEST };
    const char    *name = p->text + start;
    size_t         size = p->at - start;
    node.name_text = (sb_span){ (const uint8_t *)name, size };
    node.meta = sb_find_meta(name, size);
    if (!sb_dotted_init(&node.name, name, size)) return fail(p, start, "not a name");
    if (accept_operator(p, &node.relation)) {
        skip_blanks(p);
        size_t at = p->at;
        read_value(p, &node);
        if (!p->failed) resolve_opcode(p, &node, at);
        if (!p->failed) check_message_name(p, &node, at);
        if (!p->failed) expect_number(p, &node, at);
        if (p->failed || node.relation != SB_FILTER_MATCHES) return add_node(p, node);
        if (!compile_pattern(p, &node, at)) return NOWHERE;
        size_t added = add_node(p, node);
        if (added == NOWHERE) regfree(&node.pattern);
        return added;
    }
    return add_node(p, node);
}

/* ---- structure ---- */

static size_t parse_or(parser *p);

static size_t parse_term(parser *p)
{
    size_t node;
    if (++p->depth > DEPTH_MAX) return fail(p, p->at, "parentheses are nested too deep");
    if (accept(p, "not") ||
        (p->text[p->at] == '!' && p->text[p->at + 1] != '=' && accept(p, "!"))) {
        node = parse_term(p);
        node = add_node(p, (sb_filter_node){ .kind = SB_FILTER_NOT, .left = node });
    } else if (accept(p, "(")) {
        size_t open = p->at - 1;
        node = parse_or(p);
        if (!p->failed && !accept(p, ")")) node = fail(p, open, "this parenthesis is never closed");
    } else {
        node = parse_test(p);
    }
    p->depth--;
    return node;
}

static size_t parse_and(parser *p)
{
    size_t left = parse_term(p);
    while (!p->failed && (accept(p, "and") || accept(p, "&&"))) {
        size_t right = parse_term(p);
        left = add_node(p, (sb_filter_node){ .kind = SB_FILTER_AND, .left = left, .right = right });
    }
    return left;
}

static size_t parse_or(parser *p)
{
    size_t left = parse_and(p);
    while (!p->failed && (accept(p, "or") || accept(p, "||"))) {
        size_t right = parse_and(p);
        left = add_node(p, (sb_filter_node){ .kind = SB_FILTER_OR, .left = left, .right = right });
    }
    return left;
}

static void refuse_rest(parser *p)
{
    static const char *const words[] = { "contains", "matches", "and", "or" };
    char                     word[WORD_BYTES], text[SB_FILTER_ERROR_MAX];
    size_t                   size = 0;
    while (is_name_char(p->text[p->at + size]) && size < WORD_BYTES - 1) size++;
    memcpy(word, p->text + p->at, size);
    word[size] = '\0';
    const char *near = sb_suggestion_find(word, words, sizeof words / sizeof *words);
    if (near) snprintf(text, sizeof text, "unknown operator; did you mean `%s`?", near);
    else snprintf(text, sizeof text, "expected `and`, `or`, an operator or the end");
    (void)fail(p, p->at, text);
}

bool sb_filter_init(sb_filter *filter, const char *text)
{
    return sb_filter_init_defined(filter, text, NULL);
}

bool sb_filter_init_defined(sb_filter *filter, const char *text, const sb_definitions *definitions)
{
    parser p = { .filter = filter, .text = text, .definitions = definitions };
    filter->text = text;
    filter->count = 0;
    filter->names = NULL;
    filter->skipped_fields = false;
    filter->error[0] = '\0';
    filter->error_at = 0;
    filter->root = parse_or(&p);
    skip_blanks(&p);
    if (!p.failed && text[p.at] != '\0') refuse_rest(&p);
    return !p.failed;
}

void sb_filter_free(sb_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        sb_filter_node *n = &filter->nodes[i];
        if (n->kind == SB_FILTER_TEST && n->relation == SB_FILTER_MATCHES) regfree(&n->pattern);
    }
    filter->count = 0;
}

bool sb_filter_check_names(sb_filter *filter, const sb_field_names *names)
{
    for (size_t i = 0; i < filter->count; i++) {
        sb_filter_node *n = &filter->nodes[i];
        if (n->kind != SB_FILTER_TEST || n->meta || sb_field_names_has(names, &n->name)) continue;
        sb_field_names_explain(names, n->name_text, filter->error, sizeof filter->error);
        filter->error_at = (size_t)((const char *)n->name_text.data - filter->text);
        return false;
    }
    return true;
}

bool sb_filter_next_warning(const sb_filter *filter, size_t *index, char *out, size_t capacity)
{
    for (; *index < filter->count; (*index)++) {
        const sb_filter_node *n = &filter->nodes[*index];
        if (n->kind != SB_FILTER_TEST) continue;
        int name_size = (int)n->name_text.size, word_size = (int)n->word.size;
        if (!n->found && !n->meta && n->searched) {
            snprintf(out, capacity, "no record %s has a field `%.*s`",
                     filter->skipped_fields ? "that passes the rest of the filter" : "in the input",
                     name_size, (const char *)n->name_text.data);
            (*index)++;
            return true;
        }
        bool compares = n->relation != SB_FILTER_EXISTS && !is_textual(n->relation);
        if (n->found && !n->meta && compares && !n->is_number && !n->named) {
            snprintf(out, capacity, "`%.*s` has no value named `%.*s`", name_size,
                     (const char *)n->name_text.data, word_size, (const char *)n->word.data);
            (*index)++;
            return true;
        }
    }
    return false;
}
