/* src/inspect/render_tree.c -- prints a record as a tree: every field on its own line.
 *
 * Brackets after the value hold the published names of the field, of its kind and of its value
 * where they differ from ours, and "meaning inferred" if the spec marks the field so.
 *
 * Tests:    tests/inspect/render_test.c
 */
#include "inspect/kinds.h"
#include "inspect/render.h"

#include "inspect/show.h"
#include "inspect/text.h"
#include "inspect/value_text.h"

enum { DEPTH_MAX = 64, INDENT = 2, NAME_COLUMNS = 20, VALUE_COLUMNS = 58, VALUE_MAX = 4096 };

typedef struct tree {
    const sb_render *render;
    const sb_record *record;
    sb_output       *out;
    size_t           width;  /* columns of the terminal, or 0 */
    size_t           column; /* column of the value */
    unsigned         depth;
    bool
        item_line_is_open; /* the line of a list item is open, as a note that names it may follow */
    struct {
        bool   list;
        size_t count; /* items so far */
    } open[DEPTH_MAX];
} tree;

static void close_item_line(tree *t)
{
    if (t->item_line_is_open) sb_output_char(t->out, '\n');
    t->item_line_is_open = false;
}

static void print_name(tree *t, const char *name, bool alone)
{
    char    buffer[64];
    sb_text text = { buffer, sizeof buffer, 0 };
    size_t  indent = 6 + INDENT * (size_t)t->depth;
    sb_output_spaces(t->out, indent);
    if (t->depth > 0 && t->open[t->depth - 1].list) {
        sb_text_add_char(&text, '[');
        sb_text_add_number(&text, (int64_t)t->open[t->depth - 1].count++);
        sb_text_add_char(&text, ']');
    } else {
        sb_text_add_string(&text, name);
    }
    size_t columns = !alone && 6 + NAME_COLUMNS > indent ? 6 + NAME_COLUMNS - indent : 0;
    if (!alone && columns < text.size + 2) columns = text.size + 2; /* deeply nested or long name */
    sb_output_cell(t->out, SB_STYLE_CYAN, text.data, text.size, columns);
    t->column = indent + (columns > text.size ? columns : text.size);
}

/* Prints the remarks after the value: in their own column if they fit there, else cut at the edge
 * of the terminal. */
static void print_remarks(tree *t, const sb_text *value, const sb_text *remarks)
{
    if (remarks->size == 0) return;
    size_t taken = sb_text_columns(value->data, value->size);
    size_t needed = 4 + sb_text_columns(remarks->data, remarks->size), fill = 0, size;
    if (taken < VALUE_COLUMNS) fill = VALUE_COLUMNS - taken;
    size_t free_columns = t->width > t->column + taken ? t->width - t->column - taken : 0;
    if (t->width == 0) free_columns = SIZE_MAX;
    if (fill + needed > free_columns) fill = needed < free_columns ? free_columns - needed : 0;
    if (free_columns < 6) return;
    size = needed > free_columns ? free_columns - 5 : remarks->size; /* remarks are ASCII */
    sb_output_spaces(t->out, fill);
    sb_output_style(t->out, SB_STYLE_DIM);
    sb_output_text(t->out, "  [");
    sb_output_write(t->out, remarks->data, size);
    sb_output_text(t->out, size < remarks->size ? "…]" : "]");
    sb_output_style(t->out, SB_STYLE_RESET);
}

static void tree_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    tree   *t = self;
    char    buffer[VALUE_MAX], remark_buffer[512];
    sb_text text = { buffer, sizeof buffer, 0 },
            remarks = { remark_buffer, sizeof remark_buffer, 0 };
    (void)at;
    (void)size;
    if (sb_is_name_note(f)) return; /* printed beside its number */
    sb_text_add_value(&text, f, v, SB_DETAIL_FULL);
    if (t->item_line_is_open && f->kind == SB_KIND_NOTE) {
        sb_output_char(t->out, ' ');
        sb_output_cell(t->out, SB_STYLE_BOLD, text.data, text.size, 0);
        close_item_line(t);
        return;
    }
    close_item_line(t);
    print_name(t, f->name, false);
    sb_render_add_name(t->render, t->record, f, v, &text);
    sb_text_add_remarks(&remarks, f, v);
    sb_output_cell(t->out, f->kind == SB_KIND_NOTE ? SB_STYLE_BOLD : NULL, text.data, text.size, 0);
    print_remarks(t, &text, &remarks);
    sb_output_char(t->out, '\n');
}

static void tree_enter(void *self, const sb_field *f)
{
    tree *t = self;
    close_item_line(t);
    bool item = t->depth > 0 && t->open[t->depth - 1].list;
    print_name(t, f->name, true);
    if (item) t->item_line_is_open = true;
    else sb_output_char(t->out, '\n');
    if (t->depth == DEPTH_MAX) return;
    t->open[t->depth].list = f->kind == SB_KIND_LIST;
    t->open[t->depth].count = 0;
    t->depth++;
}

static void tree_leave(void *self, const sb_field *f)
{
    tree *t = self;
    (void)f;
    close_item_line(t);
    if (t->depth > 0) t->depth--;
}

void sb_render_tree(sb_render *render, const sb_record *r)
{
    tree          t = { .out = render->out, .width = render->width, .render = render, .record = r };
    const sb_sink sink = { &t, tree_value, tree_enter, tree_leave };
    sb_render_heading(render, r);
    (void)!sb_show_record(r, &sink, NULL);
    close_item_line(&t);
    if (r->result != SB_OK) {
        sb_output_spaces(t.out, 6);
        sb_render_refusal(render, r);
        sb_output_char(t.out, '\n');
    }
}
