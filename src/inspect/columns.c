/* src/inspect/columns.c -- prints chosen values of a record, separated by tabs.
 *
 * Tests:    tests/inspect/render_test.c
 */
#include "inspect/columns.h"

#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/value_numbers.h"
#include "inspect/value_text.h"

typedef struct collector {
    sb_columns *columns;
    sb_path     path;
    size_t inside[SB_COLUMNS_MAX]; /* depth of the open group or list that the column shows, or 0 */
    sb_text texts[SB_COLUMNS_MAX];
    char    buffers[SB_COLUMNS_MAX][SB_COLUMN_TEXT_MAX];
} collector;

bool sb_columns_init(sb_columns *columns, const char *text)
{
    columns->count = 0;
    for (;;) {
        size_t size = strcspn(text, ",");
        if (columns->count == SB_COLUMNS_MAX) return false;
        sb_column *c = &columns->columns[columns->count++];
        *c = (sb_column){ .text = { (const uint8_t *)text, size } };
        if (!sb_dotted_init(&c->name, text, size)) return false;
        c->meta = sb_find_meta(text, size);
        if (text[size] == '\0') return true;
        text += size + 1;
    }
}

bool sb_columns_check_names(const sb_columns *columns, const sb_field_names *names, char *error,
                            size_t capacity)
{
    for (size_t i = 0; i < columns->count; i++) {
        const sb_column *c = &columns->columns[i];
        if (c->meta || sb_field_names_has(names, &c->name)) continue;
        sb_field_names_explain(names, c->text, error, capacity);
        return false;
    }
    return true;
}

void sb_render_column_names(sb_render *render, const sb_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (i > 0) sb_output_char(render->out, '\t');
        sb_span text = columns->columns[i].text;
        sb_output_write(render->out, (const char *)text.data, text.size);
    }
    sb_output_char(render->out, '\n');
}

static void add_numbers(sb_text *t, const double *numbers, size_t count)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sb_text_add_char(t, ',');
        bool whole =
            numbers[i] > -1e15 && numbers[i] < 1e15 && numbers[i] == (double)(int64_t)numbers[i];
        size_t size = whole ? sb_format_i64(buffer, (int64_t)numbers[i])
                            : sb_format_float(buffer, (float)numbers[i]);
        sb_text_add(t, buffer, size);
    }
}

static void add_value(sb_text *t, const sb_field *f, const sb_value *v, sb_part part)
{
    double numbers[SB_VALUE_NUMBERS_MAX];
    if (t->size > 0) sb_text_add_char(t, ',');
    if (f->kind == SB_KIND_ID) {
        sb_text_add_hex_number(t, v->number, 8);
        return;
    }
    size_t count = f->kind == SB_KIND_BIT || f->kind == SB_KIND_ADDRESS
                       ? 0
                       : sb_value_numbers(f, v, part, numbers);
    if (count > 0) add_numbers(t, numbers, count);
    else if (part == SB_PART_ALL)
        sb_text_add_value(t, f, v, f->kind == SB_KIND_BYTES ? SB_DETAIL_FULL : SB_DETAIL_BRIEF);
}

/* Adds a value inside a list that the column shows as a whole: "Hull 100%;Shield Generator 80%". */
static void add_inner(sb_text *t, const sb_field *f, const sb_value *v)
{
    if (t->size > 0 && t->data[t->size - 1] != ';') sb_text_add_char(t, ' ');
    sb_text_add_value(t, f, v, SB_DETAIL_BRIEF);
}

static void column_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    collector *c = self;
    (void)at;
    (void)size;
    for (size_t i = 0; i < c->columns->count; i++) {
        sb_part part;
        if (c->inside[i] > 0) {
            add_inner(&c->texts[i], f, v);
            continue;
        }
        if (!sb_path_matches(&c->path, f, &c->columns->columns[i].name, &part)) continue;
        c->columns->columns[i].found = true;
        add_value(&c->texts[i], f, v, part);
    }
}

static void column_enter(void *self, const sb_field *f)
{
    collector *c = self;
    for (size_t i = 0; i < c->columns->count; i++) {
        sb_part  part;
        sb_text *t = &c->texts[i];
        if (c->inside[i] > 0) { /* the next item starts */
            if (t->size > 0) sb_text_add_char(t, ';');
            continue;
        }
        if (!sb_path_matches(&c->path, f, &c->columns->columns[i].name, &part)) continue;
        if (part != SB_PART_ALL) continue;
        c->columns->columns[i].found = true;
        c->inside[i] = c->path.depth;
    }
    sb_path_push(&c->path, f);
}

static void column_leave(void *self, const sb_field *f)
{
    collector *c = self;
    (void)f;
    sb_path_pop(&c->path);
    for (size_t i = 0; i < c->columns->count; i++)
        if (c->inside[i] == c->path.depth) c->inside[i] = 0;
}

static void add_meta(sb_text *t, const sb_meta_value *v)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    switch (v->kind) {
    case SB_META_TEXT: sb_text_add(t, v->text.data, v->text.size); break;
    case SB_META_SECONDS: sb_text_add(t, buffer, sb_format_micros(buffer, v->integer)); break;
    case SB_META_FLAG: sb_text_add_string(t, v->integer ? "yes" : "no"); break;
    case SB_META_BYTES: break; /* too long for the buffer: sb_render_columns prints the bytes */
    case SB_META_NUMBER: sb_text_add_number(t, v->integer); break;
    }
}

/* Fills the columns that are properties of the record itself. True if other columns remain, which
 * only the fields can fill. */
static bool fill_meta(sb_render *render, const sb_record *r, collector *c)
{
    bool needs_fields = false;
    for (size_t i = 0; i < c->columns->count; i++) {
        sb_column    *column = &c->columns->columns[i];
        sb_meta_value value;
        c->texts[i] = (sb_text){ c->buffers[i], SB_COLUMN_TEXT_MAX, 0 };
        c->inside[i] = 0;
        if (column->meta && sb_meta_read(column->meta, r, render->start_us, &value))
            add_meta(&c->texts[i], &value);
        else needs_fields = true;
    }
    return needs_fields;
}

static void print_hex(sb_output *o, sb_span bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        char *p = sb_output_reserve(o, 2);
        o->size += sb_format_hex(p, bytes.data + i, 1);
    }
}

void sb_render_columns(sb_render *render, sb_columns *columns, const sb_record *r)
{
    collector     c;
    const sb_sink sink = { &c, column_value, column_enter, column_leave };
    c.columns = columns;
    sb_path_init(&c.path);
    if (fill_meta(render, r, &c)) {
        sb_text   from_meta[SB_COLUMNS_MAX];
        sb_result result;
        memcpy(from_meta, c.texts, sizeof from_meta);
        result = sb_show_record(r, &sink, NULL);
        (void)result;
        for (size_t i = 0; i < columns->count; i++)
            if (from_meta[i].size > 0) c.texts[i] = from_meta[i]; /* drop fields of the same name */
    }
    for (size_t i = 0; i < columns->count; i++) {
        if (i > 0) sb_output_char(render->out, '\t');
        bool raw =
            columns->columns[i].meta && sb_meta_kind_of(columns->columns[i].meta) == SB_META_BYTES;
        if (raw) print_hex(render->out, r->bytes);
        else sb_output_write(render->out, c.texts[i].data, c.texts[i].size);
    }
    sb_output_char(render->out, '\n');
}
