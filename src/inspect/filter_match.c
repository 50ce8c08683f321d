/* src/inspect/filter_match.c -- evaluates a filter against a record.
 *
 * The filter is first evaluated with the properties of the record alone, in three-valued logic:
 * tests of fields are OPEN. Most filters test the opcode, which decides most records this way. Only
 * if the result is OPEN are the fields walked.
 *
 * Tests:    tests/inspect/filter_test.c
 */
#include "inspect/filter.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "base/windows1252.h"
#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/value_numbers.h"
#include "inspect/value_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

typedef enum truth { IS_FALSE, IS_TRUE, IS_OPEN } truth;

typedef struct matcher {
    sb_filter       *filter;
    const sb_record *record;
    sb_path          path;
    truth            tests[SB_FILTER_NODES_MAX];
} matcher;

/* ---- comparing ---- */

static bool compare_numbers(sb_filter_operator relation, double a, double b)
{
    switch (relation) {
    case SB_FILTER_EQUAL: return a == b;
    case SB_FILTER_UNEQUAL: return a != b;
    case SB_FILTER_LESS: return a < b;
    case SB_FILTER_LESS_EQUAL: return a <= b;
    case SB_FILTER_GREATER: return a > b;
    case SB_FILTER_GREATER_EQUAL: return a >= b;
    case SB_FILTER_BITS:
        return a >= 0 && b >= 0 && a < 0x1p32 && b < 0x1p32 && ((uint32_t)a & (uint32_t)b) != 0;
    default: return false;
    }
}

static bool contains(sb_span text, sb_span word)
{
    for (size_t i = 0; i + word.size <= text.size; i++)
        if (strncasecmp((const char *)text.data + i, (const char *)word.data, word.size) == 0)
            return true;
    return false;
}

static bool matches(const regex_t *pattern, const sb_text *text)
{
    regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)text->size };
    return regexec(pattern, text->data, 1, &range, REG_STARTEND) == 0;
}

static bool compare_texts(const sb_filter_node *n, sb_filter_operator relation, const sb_text *text)
{
    sb_span word = n->word;
    if (relation == SB_FILTER_MATCHES) return matches(&n->pattern, text);
    if (relation == SB_FILTER_CONTAINS)
        return contains((sb_span){ (const uint8_t *)text->data, text->size }, word);
    size_t common = text->size < word.size ? text->size : word.size;
    int    order = strncasecmp(text->data, (const char *)word.data, common);
    if (order == 0) order = (text->size > word.size) - (text->size < word.size);
    return compare_numbers(relation, order, 0);
}

static bool is_called(const char *name, const uint8_t *word, size_t size)
{
    return name && strncasecmp(name, (const char *)word, size) == 0 && name[size] == '\0';
}

static bool find_value(const sb_name *names, const uint8_t *word, size_t size, uint32_t *out)
{
    for (; names && names->name; names++) {
        if (!is_called(names->name, word, size) && !is_called(names->published, word, size))
            continue;
        *out = names->value;
        return true;
    }
    return false;
}

/* Looks up "POS|FWD": every part must be a name; `*out` is the union of their bits. */
static bool find_values(const sb_name *names, sb_span word, uint32_t *out)
{
    size_t start = 0;
    *out = 0;
    for (size_t i = 0; i <= word.size; i++) {
        uint32_t value;
        if (i < word.size && word.data[i] != '|') continue;
        if (!find_value(names, word.data + start, i - start, &value)) return false;
        *out |= value;
        start = i + 1;
    }
    return true;
}

static bool parse_boolean(sb_span word, double *out)
{
    static const struct {
        const char *word;
        double      value;
    } rows[] = { { "true", 1 }, { "false", 0 }, { "yes", 1 }, { "no", 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_called(rows[i].word, word.data, word.size)) continue;
        *out = rows[i].value;
        return true;
    }
    return false;
}

/* Finds the number the value is compared with. False: the word is no value of this field. */
static bool find_wanted_number(sb_filter_node *n, const sb_name *names, bool boolean, double *out)
{
    uint32_t value;
    *out = n->number;
    if (n->is_number) return true;
    if (find_values(names, n->word, &value)) {
        *out = value;
        n->named = true;
        return true;
    }
    if (!boolean || !parse_boolean(n->word, out)) return false;
    n->named = true;
    return true;
}

/* ---- properties of the record ---- */

/* `from` and `to` also equal a side (`from == client`) and an address without its port
 * (`from == 10.0.0.1`). */
static bool compare_endpoint(const sb_filter_node *n, const sb_record *r, const sb_text *text)
{
    bool equal = n->relation == SB_FILTER_EQUAL || n->relation == SB_FILTER_UNEQUAL;
    bool same = compare_texts(n, SB_FILTER_EQUAL, text);
    bool source = n->name_text.size == 4; /* from, not to */
    if (!equal) return compare_texts(n, n->relation, text);
    sb_side side = r->from;
    if (!source && side != SB_SIDE_UNKNOWN)
        side = side == SB_SIDE_HOST ? SB_SIDE_CLIENT : SB_SIDE_HOST;
    if (is_called("client", n->word.data, n->word.size)) same = side == SB_SIDE_CLIENT;
    if (is_called("host", n->word.data, n->word.size)) same = side == SB_SIDE_HOST;
    char    buffer[SB_NUMBER_TEXT_MAX];
    sb_text address = { buffer, sizeof buffer, 0 };
    address.size = sb_format_address(buffer, source ? r->source.address : r->destination.address);
    if (compare_texts(n, SB_FILTER_EQUAL, &address)) same = true;
    return same == (n->relation == SB_FILTER_EQUAL);
}

/* Reads the word as pairs of hex digits, joined by nothing, colons or dashes. Returns the number of
 * bytes, 0 if the word is something else. */
static size_t parse_hex_word(sb_span word, uint8_t *out, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < word.size; i += 2) {
        if (i > 0 && (word.data[i] == ':' || word.data[i] == '-')) i++;
        if (i + 1 >= word.size || count == capacity) return 0;
        if (!isxdigit(word.data[i]) || !isxdigit(word.data[i + 1])) return 0;
        const char pair[3] = { (char)word.data[i], (char)word.data[i + 1], '\0' };
        out[count++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return count;
}

static bool bytes_contain(sb_span bytes, sb_span word)
{
    uint8_t wanted[256];
    size_t  count = parse_hex_word(word, wanted, sizeof wanted);
    if (count == 0) return contains(bytes, word);
    return memmem(bytes.data, bytes.size, wanted, count) != NULL;
}

/* Bytes are compared as hex. */
static bool test_bytes(const sb_filter_node *n, sb_span bytes)
{
    char    buffer[4096];
    sb_text text = { buffer, sizeof buffer, 0 };
    size_t  count = bytes.size < sizeof buffer / 2 ? bytes.size : sizeof buffer / 2;
    if (n->relation == SB_FILTER_CONTAINS) return bytes_contain(bytes, n->word);
    text.size = sb_format_hex(buffer, bytes.data, count);
    return compare_texts(n, n->relation, &text);
}

/* True if the test compares for equality with the record's published name. */
static bool is_published(const sb_filter_node *n, const sb_record *r)
{
    bool equal = n->relation == SB_FILTER_EQUAL || n->relation == SB_FILTER_UNEQUAL;
    return equal && is_called(sb_record_published(r), n->word.data, n->word.size);
}

static truth test_meta(sb_filter_node *n, const sb_record *r, int64_t start_us)
{
    sb_meta_value v;
    double        wanted;
    if (!sb_meta_read(n->meta, r, start_us, &v)) return IS_OPEN; /* a field may have this name */
    n->found = true;
    if (n->relation == SB_FILTER_EXISTS) return v.kind != SB_META_FLAG || v.number != 0;
    if (v.kind == SB_META_BYTES) return test_bytes(n, v.bytes);
    if (v.kind == SB_META_TEXT) {
        if (sb_meta_is_name(n->meta) && is_published(n, r)) return n->relation == SB_FILTER_EQUAL;
        bool endpoint = is_called("from", n->name_text.data, n->name_text.size) ||
                        is_called("to", n->name_text.data, n->name_text.size);
        return endpoint ? compare_endpoint(n, r, &v.text) : compare_texts(n, n->relation, &v.text);
    }
    if (n->relation == SB_FILTER_CONTAINS || n->relation == SB_FILTER_MATCHES) {
        const char *name = v.names ? sb_find_name(v.names, (uint32_t)v.integer) : NULL;
        if (name) sb_text_add_string(&v.text, name);
        else sb_text_add_number(&v.text, v.integer);
        return compare_texts(n, n->relation, &v.text);
    }
    if (!find_wanted_number(n, v.names, v.kind == SB_META_FLAG, &wanted)) return IS_FALSE;
    return compare_numbers(n->relation, v.number, wanted);
}

/* ---- fields ---- */

static void add_windows1252(sb_text *t, sb_span bytes)
{
    char buffer[4];
    for (size_t i = 0; i < bytes.size; i++)
        sb_text_add(t, buffer, sb_utf8_write(buffer, sb_windows1252_code_point(bytes.data[i])));
}

static void add_utf16(sb_text *t, sb_span bytes)
{
    for (size_t at = 0; at < bytes.size;) {
        char     buffer[4];
        uint32_t c = 0;
        size_t   taken = 2;
        if (!sb_utf16_read_point(bytes, at, &c, &taken)) c = 0xFFFD;
        if (c != 0) sb_text_add(t, buffer, sb_utf8_write(buffer, c));
        at += taken;
    }
}

/* Adds the value as text; false: the kind is compared as numbers. */
static bool value_as_text(const sb_field *f, const sb_value *v, sb_text *t)
{
    switch (f->kind) {
    case SB_KIND_TEXT8:
    case SB_KIND_TEXT16:
    case SB_KIND_TEXT32:
    case SB_KIND_TEXT32Z: add_windows1252(t, v->bytes); return true;
    case SB_KIND_UTF16: add_utf16(t, v->bytes); return true;
    case SB_KIND_NOTE: sb_text_add(t, (const char *)v->bytes.data, v->bytes.size); return true;
    case SB_KIND_ADDRESS: sb_text_add_value(t, f, v, SB_DETAIL_BRIEF); return true;
    default: return false;
    }
}

static bool test_numbers(sb_filter_node *n, const sb_field *f, const sb_value *v, sb_part part)
{
    double numbers[SB_VALUE_NUMBERS_MAX], wanted;
    bool   integer = f->kind <= SB_KIND_FLAGS;
    size_t count = sb_value_numbers(f, v, part, numbers);
    if (n->relation == SB_FILTER_EXISTS) return f->kind == SB_KIND_BIT ? v->number != 0 : count > 0;
    if (!find_wanted_number(n, integer && f->names ? f->names() : NULL, f->kind == SB_KIND_BIT,
                            &wanted))
        return false;
    bool real = f->kind == SB_KIND_F32 || f->kind == SB_KIND_VEC3 || f->kind == SB_KIND_POSITION ||
                f->kind == SB_KIND_QUAT;
    if (real) wanted = (double)(float)wanted; /* 28.19 means the float printed as 28.19 */
    for (size_t i = 0; i < count; i++)
        if (compare_numbers(n->relation, numbers[i], wanted)) return true;
    return false;
}

/* Compares the name that lines show instead of an id: `target == "Kira/Akira"`. Names have no
 * order. */
static bool test_object_name(const matcher *m, sb_filter_node *n, const sb_field *f,
                             const sb_value *v, bool exact)
{
    char                   buffer[256];
    sb_text                text = { buffer, sizeof buffer, 0 };
    const sb_object_names *names = m->filter->names;
    if (!names || n->relation == SB_FILTER_EXISTS || (n->is_number && !exact)) return false;
    if (n->relation > SB_FILTER_UNEQUAL && !exact) return false;
    if (!sb_object_names_add_value(names, m->record, f, v, exact, &text)) return false;
    if (!exact && compare_texts(n, SB_FILTER_EQUAL, &text)) n->named = true;
    return compare_texts(n, n->relation, &text);
}

static bool test_field(const matcher *m, sb_filter_node *n, const sb_field *f, const sb_value *v,
                       sb_part part)
{
    char    buffer[4096];
    sb_text text = { buffer, sizeof buffer, 0 };
    if (f->kind == SB_KIND_BYTES) {
        n->named = true;
        return n->relation == SB_FILTER_EXISTS || test_bytes(n, v->bytes);
    }
    if (!value_as_text(f, v, &text)) {
        bool textual = n->relation == SB_FILTER_CONTAINS || n->relation == SB_FILTER_MATCHES;
        if (!textual) return test_numbers(n, f, v, part) || test_object_name(m, n, f, v, false);
        if (test_object_name(m, n, f, v, true)) return true;
        sb_text_add_value(&text, f, v, SB_DETAIL_FULL);
    }
    n->named = true;
    return n->relation == SB_FILTER_EXISTS || compare_texts(n, n->relation, &text);
}

static void match_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    matcher *m = self;
    (void)at;
    (void)size;
    for (size_t i = 0; i < m->filter->count; i++) {
        sb_filter_node *n = &m->filter->nodes[i];
        sb_part         part;
        if (n->kind != SB_FILTER_TEST || m->tests[i] == IS_TRUE) continue;
        if (!sb_path_matches(&m->path, f, &n->name, &part)) continue;
        n->found = true;
        if (m->tests[i] == IS_OPEN && test_field(m, n, f, v, part)) m->tests[i] = IS_TRUE;
    }
}

static void match_enter(void *self, const sb_field *f)
{
    matcher *m = self;
    for (size_t i = 0; i < m->filter->count; i++) {
        sb_filter_node *n = &m->filter->nodes[i];
        sb_part         part;
        if (n->kind != SB_FILTER_TEST || m->tests[i] != IS_OPEN) continue;
        if (!sb_path_matches(&m->path, f, &n->name, &part) || part != SB_PART_ALL) continue;
        n->found = true;
        if (n->relation == SB_FILTER_EXISTS) m->tests[i] = IS_TRUE;
    }
    sb_path_push(&m->path, f);
}

static void match_leave(void *self, const sb_field *f)
{
    matcher *m = self;
    (void)f;
    sb_path_pop(&m->path);
}

/* ---- the whole expression ---- */

static truth evaluate(const matcher *m, size_t at)
{
    SB_ASSERT(at < m->filter->count);
    const sb_filter_node *n = &m->filter->nodes[at];
    if (n->kind == SB_FILTER_TEST) return m->tests[at];
    truth left = evaluate(m, n->left);
    if (n->kind == SB_FILTER_NOT) return left == IS_OPEN ? IS_OPEN : left == IS_FALSE;
    truth decides = n->kind == SB_FILTER_OR ? IS_TRUE : IS_FALSE;
    if (left == decides) return left;
    truth right = evaluate(m, n->right);
    if (right == decides) return right;
    return left == IS_OPEN || right == IS_OPEN ? IS_OPEN : left;
}

bool sb_filter_matches(sb_filter *filter, const sb_record *r, int64_t start_us)
{
    matcher m = { .filter = filter, .record = r };
    for (size_t i = 0; i < filter->count; i++) {
        sb_filter_node *n = &filter->nodes[i];
        if (n->kind != SB_FILTER_TEST) continue;
        m.tests[i] = n->meta ? test_meta(n, r, start_us) : IS_OPEN;
    }
    truth known = evaluate(&m, filter->root);
    if (known != IS_OPEN) {
        filter->skipped_fields = true;
        return known == IS_TRUE;
    }
    const sb_sink sink = { &m, match_value, match_enter, match_leave };
    sb_path_init(&m.path);
    (void)!sb_show_record(r, &sink, NULL);
    for (size_t i = 0; i < filter->count; i++) {
        filter->nodes[i].searched = true;
        if (m.tests[i] == IS_OPEN) m.tests[i] = IS_FALSE;
    }
    return evaluate(&m, filter->root) == IS_TRUE;
}
