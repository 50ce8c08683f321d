/* src/inspect/render_tree.c -- a record as a tree: every field on its own line.
 *
 * Behind the value, in brackets, stands what the published descriptions call the field, its kind
 * or its value, where they use another name; and a question mark where the meaning is inferred.
 */
#include "inspect/render.h"

#include "inspect/show.h"
#include "inspect/text.h"
#include "inspect/value_text.h"

enum { DEPTH_MAX = 64, INDENT = 2, NAME_COLUMNS = 20, VALUE_COLUMNS = 58, VALUE_MAX = 4096 };

typedef struct tree {
    sb_output *out;
    unsigned   depth;
    bool       waits; /* the line of a list item is open: a note that names it may follow */
    struct {
        bool   list;
        size_t count; /* items so far */
    } open[DEPTH_MAX];
} tree;

static void end_waiting(tree *t)
{
    if (t->waits) sb_output_char(t->out, '\n');
    t->waits = false;
}

static void put_name(tree *t, const char *name, bool alone)
{
    char    room[64];
    sb_text text = { room, sizeof room, 0 };
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
    sb_output_cell(t->out, SB_STYLE_CYAN, text.data, text.size, columns);
}

static void add_remark(sb_text *t, const char *remark)
{
    if (!remark) return;
    if (t->size > 0) sb_text_add_string(t, "; ");
    sb_text_add_string(t, remark);
}

static void add_remarks(sb_text *remarks, const sb_field *f, const sb_value *v)
{
    add_remark(remarks, f->published);
    add_remark(remarks, sb_kind_published(f->kind));
    char    room[256];
    sb_text names = { room, sizeof room - 1, 0 };
    sb_text_add_published_value(&names, f, v);
    room[names.size] = '\0';
    if (names.size > 0) add_remark(remarks, room);
    if (f->tentative) add_remark(remarks, "meaning inferred");
}

static void put_remarks(tree *t, const sb_text *remarks)
{
    if (remarks->size == 0) return;
    sb_output_style(t->out, SB_STYLE_DIM);
    sb_output_text(t->out, "  [");
    sb_output_write(t->out, remarks->data, remarks->size);
    sb_output_char(t->out, ']');
    sb_output_style(t->out, SB_STYLE_RESET);
}

static void tree_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    tree   *t = self;
    char    room[VALUE_MAX], remark_room[512];
    sb_text text = { room, sizeof room, 0 }, remarks = { remark_room, sizeof remark_room, 0 };
    (void)at;
    (void)size;
    sb_text_add_value(&text, f, v, SB_DETAIL_FULL);
    if (t->waits && f->kind == SB_KIND_NOTE) {
        sb_output_char(t->out, ' ');
        sb_output_cell(t->out, SB_STYLE_BOLD, text.data, text.size, 0);
        end_waiting(t);
        return;
    }
    end_waiting(t);
    put_name(t, f->name, false);
    add_remarks(&remarks, f, v);
    sb_output_cell(t->out, f->kind == SB_KIND_NOTE ? SB_STYLE_BOLD : NULL, text.data, text.size,
                   remarks.size > 0 ? VALUE_COLUMNS : 0);
    put_remarks(t, &remarks);
    sb_output_char(t->out, '\n');
}

static void tree_begin(void *self, const sb_field *f)
{
    tree *t = self;
    end_waiting(t);
    bool item = t->depth > 0 && t->open[t->depth - 1].list;
    put_name(t, f->name, true);
    if (item) t->waits = true;
    else sb_output_char(t->out, '\n');
    if (t->depth == DEPTH_MAX) return;
    t->open[t->depth].list = f->kind == SB_KIND_LIST;
    t->open[t->depth].count = 0;
    t->depth++;
}

static void tree_end(void *self, const sb_field *f)
{
    tree *t = self;
    (void)f;
    end_waiting(t);
    if (t->depth > 0) t->depth--;
}

void sb_render_tree(sb_render *render, const sb_record *r)
{
    tree          t = { .out = render->out };
    const sb_sink sink = { &t, tree_value, tree_begin, tree_end };
    sb_render_heading(render, r);
    (void)!sb_show_record(r, &sink, NULL);
    end_waiting(&t);
    if (r->result != SB_OK) {
        sb_output_spaces(t.out, 6);
        sb_render_refusal(render, r);
        sb_output_char(t.out, '\n');
    }
}
