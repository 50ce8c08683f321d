/* src/inspect/render_line.c -- prints a record as one aligned line.
 *
 * The line ends with a summary of the fields: first short ones in wire order, then vectors, texts
 * and lists. Only a state update begins with its flags and motion. A list shows its first items.
 * Fields that do not fit the terminal are left out.
 *
 * Tests:    tests/inspect/render_test.c
 */
#include "inspect/render.h"

#include "base/assert.h"
#include "inspect/kinds.h"
#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/text.h"
#include "inspect/value_text.h"
#include "message/table.h"

enum {
    ITEMS_MAX = 48,
    TEXT_MAX = 2048,
    LIST_ITEMS = 3, /* items of a list that are printed */
    NARROW = 160,   /* terminals with fewer columns get narrower cells and shorter keys */
    WIDTH_MIN = 40, /* lines are not cut for terminals with fewer columns */
};

typedef struct item {
    const char *key;
    size_t      at, size; /* of its value in `summary.text` */
    unsigned    rank;     /* items with a lower rank are printed first */
} item;

/* Items of the same rank keep their wire order. */
enum { RANK_FLAGS, RANK_PLACE, RANK_SPEED, RANK_ID, RANK_SHORT, RANK_LONG, RANK_COUNT };

typedef struct summary {
    const sb_render *render;
    const sb_record *record;
    bool             state; /* the message updates the state of an object */
    sb_text          text;
    item             items[ITEMS_MAX];
    size_t           count;
    unsigned         depth, list_depth; /* list_depth: depth of the open list, 0 if none is open */
    size_t           list_count;        /* items of the open list so far */
    unsigned         value_count;       /* values printed of the open item */
    uint32_t         usual_code; /* the only event code this opcode has; 0: there are several */
    bool             transport;  /* the columns before the summary show type, number and flags */
} summary;

static item *open_item(summary *s, const char *key, unsigned rank)
{
    if (s->count == ITEMS_MAX) return NULL;
    item *i = &s->items[s->count++];
    *i = (item){ key, s->text.size, 0, rank };
    return i;
}

static void close_item(summary *s)
{
    SB_ASSERT(s->count > 0);
    item *i = &s->items[s->count - 1];
    i->size = s->text.size - i->at;
}

/* Flags and motion of a ship come first, so that they are seen on a narrow terminal. */
static unsigned rank_of(const summary *s, sb_kind kind)
{
    if (!s->state) return sb_kind_is_long(kind) ? RANK_LONG : RANK_SHORT;
    switch (kind) {
    case SB_KIND_FLAGS: return RANK_FLAGS;
    case SB_KIND_POSITION:
    case SB_KIND_CV4: return RANK_PLACE;
    case SB_KIND_CF16: return RANK_SPEED;
    case SB_KIND_ID: return RANK_ID;
    default: return sb_kind_is_long(kind) ? RANK_LONG : RANK_SHORT;
    }
}

static void add_value(summary *s, const sb_field *f, const sb_value *v)
{
    const sb_object_names *names = s->render->names;
    if (!names || !sb_object_names_add_value(names, s->record, f, v, false, &s->text))
        sb_text_add_value(&s->text, f, v, SB_DETAIL_BRIEF);
}

static bool is_text_kind(sb_kind kind)
{
    return kind >= SB_KIND_TEXT8 && kind <= SB_KIND_UTF16;
}

/* An item of a list prints its first value. True if it also prints a second value of this kind:
 * texts come in pairs, and a level needs the index before it. */
static bool is_shown_as_second(sb_kind kind)
{
    return is_text_kind(kind) || kind == SB_KIND_LEVEL;
}

static void start_list_item(summary *s)
{
    s->list_count++;
    s->value_count = 0;
    if (s->list_count > 1 && s->list_count <= LIST_ITEMS) sb_text_add_string(&s->text, ", ");
}

/* Inside a list, prints the note that names the item and the item's first value. */
static void add_list_value(summary *s, const sb_field *f, const sb_value *v)
{
    if (s->depth == s->list_depth) start_list_item(s); /* a plain value is an item */
    if (s->list_count > LIST_ITEMS || s->depth > s->list_depth + 1) return;
    bool note = f->kind == SB_KIND_NOTE;
    bool second = s->value_count == 1 && is_shown_as_second(f->kind);
    if (!note && s->value_count > 0 && !second) return;
    char last = s->text.data[s->text.size - 1];
    if (last != '[' && last != ' ') sb_text_add_char(&s->text, ' ');
    add_value(s, f, v);
    if (!note) s->value_count++;
}

/* True if the rest of the line already shows or implies the field. */
static bool is_superfluous(const summary *s, const sb_field *f, const sb_value *v)
{
    static const char *const columns[] = { "type",     "flags_len", "reliable",
                                           "priority", "fragment",  "seq" };
    if ((f->kind == SB_KIND_NOTE && !f->brief) || f->implied || f->derived) return true;
    if (f->kind == SB_KIND_ID && v->number == 0) return true; /* no object */
    if (s->usual_code && v->number == s->usual_code && strcmp(f->name, "event_code") == 0)
        return true;
    if (f->kind == SB_KIND_BIT && strncmp(f->name, "has_", 4) == 0) return true;
    if (!s->transport) return false;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(f->name, columns[i]) == 0) return true;
    return f->kind == SB_KIND_FLAGS && v->number == 0;
}

static void summary_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    summary *s = self;
    (void)at;
    (void)size;
    if (s->list_depth > 0) {
        add_list_value(s, f, v);
        return;
    }
    if (is_superfluous(s, f, v)) return;
    if (!open_item(s, f->name, rank_of(s, f->kind))) return;
    add_value(s, f, v);
    close_item(s);
}

static void summary_enter(void *self, const sb_field *f)
{
    summary *s = self;
    s->depth++;
    if (s->list_depth == 0 && f->kind == SB_KIND_LIST && open_item(s, f->name, RANK_LONG)) {
        s->list_depth = s->depth;
        s->list_count = 0;
        sb_text_add_char(&s->text, '[');
    } else if (s->list_depth > 0 && s->depth == s->list_depth + 1) {
        start_list_item(s);
    }
}

static void close_list(summary *s)
{
    s->list_depth = 0;
    if (s->list_count == 0) { /* an empty list is not printed: undo "[" */
        s->count--;
        s->text.size--;
        return;
    }
    if (s->list_count > LIST_ITEMS) {
        sb_text_add_string(&s->text, ", … ");
        sb_text_add_number(&s->text, (int64_t)s->list_count);
    }
    sb_text_add_char(&s->text, ']');
    close_item(s);
}

static void summary_leave(void *self, const sb_field *f)
{
    summary *s = self;
    (void)f;
    if (s->depth == s->list_depth) close_list(s);
    s->depth--;
}

static void sum_up(summary *s, const sb_record *r)
{
    const sb_sink sink = { s, summary_value, summary_enter, summary_leave };
    s->transport = r->layer == SB_LAYER_TRANSPORT;
    if (r->layer == SB_LAYER_MESSAGE && r->bytes.size > 0) {
        const sb_message_row *row = sb_find_row(r->bytes.data[0]);
        if (row->type.relay == SB_RELAY_OTHERS) s->usual_code = row->event_code;
        s->state = row->type.relay == SB_RELAY_STATE;
    }
    (void)!sb_show_record(r, &sink, NULL);
    if (s->list_depth > 0) close_list(s);
}

/* ---- columns ---- */

/* Counts the columns left in the line; SIZE_MAX if lines are not cut. */
typedef struct budget {
    sb_output *out;
    size_t     left;
    bool       narrow;
} budget;

static void print_cell(budget *b, const char *style, const char *text, size_t size, size_t columns)
{
    sb_output_cell(b->out, style, text, size, columns);
    size_t taken = sb_text_columns(text, size);
    if (taken < columns) taken = columns;
    b->left -= taken < b->left ? taken : b->left;
}

static void print_right_aligned(budget *b, const char *style, const char *text, size_t size,
                                size_t columns)
{
    if (size < columns) print_cell(b, NULL, "", 0, columns - size);
    print_cell(b, style, text, size, 0);
}

/* Prints text, cut with an ellipsis if it does not fit; false: the line is full. */
static bool print_piece(budget *b, const char *style, const char *text, size_t size)
{
    size_t columns = sb_text_columns(text, size);
    if (columns < b->left) {
        print_cell(b, style, text, size, 0);
        return true;
    }
    size_t cut = 0;
    for (size_t taken = 0; cut < size; cut++) {
        bool starts = ((unsigned char)text[cut] & 0xC0) != 0x80;
        if (starts && ++taken >= b->left) break;
    }
    print_cell(b, style, text, cut, 0);
    if (b->left > 0) print_cell(b, SB_STYLE_DIM, "…", 3, 0);
    b->left = 0;
    return false;
}

/* Narrow lines shorten frequent names; the flags of a state update need none. */
static const char *key_of(const budget *b, const item *i)
{
    if (!b->narrow) return i->key;
    if (i->rank == RANK_FLAGS) return "";
    if (strcmp(i->key, "object_id") == 0) return "id";
    return strcmp(i->key, "position") == 0 ? "pos" : i->key;
}

static size_t columns_of(const budget *b, const summary *s, const item *i)
{
    size_t key = strlen(key_of(b, i));
    return key + (key > 0) + sb_text_columns(s->text.data + i->at, i->size);
}

static bool print_item(budget *b, const summary *s, const item *i, const char *style)
{
    const char *key = key_of(b, i);
    if (key[0] != '\0') {
        if (!print_piece(b, SB_STYLE_DIM, key, strlen(key))) return false;
        if (!print_piece(b, SB_STYLE_DIM, "=", 1)) return false;
    }
    return print_piece(b, style, s->text.data + i->at, i->size);
}

/* Prints as many whole fields as fit; only the first field may be cut. */
static void print_summary(budget *b, const summary *s, const char *style, bool first)
{
    for (unsigned rank = 0; rank < RANK_COUNT; rank++)
        for (size_t i = 0; i < s->count; i++) {
            if (s->items[i].rank != rank) continue;
            if (!print_piece(b, NULL, "  ", first ? 0 : 2)) return;
            if (!first && columns_of(b, s, &s->items[i]) >= b->left) {
                print_cell(b, SB_STYLE_DIM, "…", 3, 0);
                return;
            }
            if (!print_item(b, s, &s->items[i], style)) return;
            first = false;
        }
}

static const char *style_of(const sb_record *r)
{
    static const char *const by_relay[SB_RELAY_COUNT] = {
        [SB_RELAY_SERVER] = SB_STYLE_YELLOW, [SB_RELAY_OTHERS] = SB_STYLE_CYAN,
        [SB_RELAY_ABSORB] = SB_STYLE_BLUE,   [SB_RELAY_STATE] = SB_STYLE_GREEN,
        [SB_RELAY_ALL] = SB_STYLE_MAGENTA,   [SB_RELAY_TEAM] = SB_STYLE_MAGENTA,
        [SB_RELAY_ACTING] = SB_STYLE_YELLOW, [SB_RELAY_CONFIGURABLE] = SB_STYLE_MAGENTA,
        [SB_RELAY_IGNORE] = SB_STYLE_RED,
    };
    uint8_t opcode;
    if (r->result != SB_OK) return SB_STYLE_RED;
    if (r->retransmission) return SB_STYLE_DIM;
    if (!sb_record_opcode(r, &opcode)) return SB_STYLE_DIM;
    sb_relay relay = sb_find_message_type(opcode)->relay;
    SB_ASSERT((unsigned)relay < SB_RELAY_COUNT);
    return by_relay[relay];
}

static void print_number_and_time(const sb_render *render, const sb_record *r, budget *b)
{
    char   buffer[SB_NUMBER_TEXT_MAX];
    size_t size = sb_format_u64(buffer, r->number);
    print_right_aligned(b, SB_STYLE_DIM, buffer, size, b->narrow ? 5 : 6);
    if (r->has_time) {
        buffer[0] = '+';
        size = 1 + sb_format_micros(buffer + 1, r->time_us - render->start_us);
        if (b->narrow) size -= 3; /* microseconds to milliseconds */
        print_right_aligned(b, NULL, buffer, size, b->narrow ? 9 : 14);
    }
    print_cell(b, NULL, "  ", 2, 0);
}

static void print_direction(const sb_render *render, const sb_record *r, budget *b)
{
    char    buffer[SB_NAME_BYTES_MAX + SB_NUMBER_TEXT_MAX];
    sb_text direction = { buffer, sizeof buffer, 0 };
    size_t  size, seq_columns = b->narrow ? 7 : 8;
    sb_render_add_direction(render, r, b->narrow ? SB_DIRECTION_COMPACT : SB_DIRECTION_FULL,
                            &direction);
    size_t columns = !r->has_endpoints || !render->names ? 7 : b->narrow ? 11 : 18;
    if (r->has_endpoints || direction.size > 0)
        print_cell(b, NULL, direction.data, direction.size, columns);
    if (!r->has_transport) {
        if (r->has_endpoints) print_cell(b, NULL, "", 0, seq_columns);
        return;
    }
    size = 0;
    bool numbered = r->transport.type == SB_TRANSPORT_ACK || r->transport.reliable;
    if (numbered) {
        buffer[0] = '#';
        size = 1 + sb_format_u64(buffer + 1, r->transport.seq);
    }
    print_cell(b, SB_STYLE_DIM, buffer, size, seq_columns);
}

static void print_mark(budget *b, bool *first, const char *style, const char *text, unsigned number)
{
    char    buffer[64];
    sb_text t = { buffer, sizeof buffer, 0 };
    if (!*first) print_cell(b, NULL, "  ", 2, 0);
    *first = false;
    sb_text_add_string(&t, text);
    if (number > 0) sb_text_add_number(&t, number);
    print_cell(b, style, t.data, t.size, 0);
}

/* Returns true if it printed nothing, so that the summary is the first item of its column. */
static bool print_marks(budget *b, const sb_record *r)
{
    bool first = true;
    if (r->retransmission) print_mark(b, &first, SB_STYLE_YELLOW, "again", 0);
    if (r->repeated) print_mark(b, &first, SB_STYLE_DIM, "again", 0);
    if (r->late) print_mark(b, &first, SB_STYLE_YELLOW, "late", 0);
    if (r->gap > 0) print_mark(b, &first, SB_STYLE_RED, "gap ", r->gap);
    if (r->fragment_count > 0) print_mark(b, &first, SB_STYLE_DIM, "fragments ", r->fragment_count);
    if (r->shield_layout_changed)
        print_mark(b, &first, SB_STYLE_YELLOW, sb_record_shield_change(r), 0);
    return first;
}

static bool has_marks(const sb_record *r)
{
    return r->retransmission || r->repeated || r->late || r->gap > 0 || r->fragment_count > 0 ||
           r->shield_layout_changed;
}

/* All mod messages share one name, so their opcode is printed too. `more`: text follows. */
static void print_name(budget *b, const sb_record *r, bool more)
{
    const char *name = sb_record_name(r);
    char        buffer[64];
    sb_text     t = { buffer, sizeof buffer, 0 };
    uint8_t     opcode;
    sb_text_add_string(&t, name);
    bool known = sb_record_opcode(r, &opcode);
    if (known && sb_find_message_type(opcode)->relay == SB_RELAY_CONFIGURABLE) {
        sb_text_add_char(&t, ' ');
        sb_text_add_hex_number(&t, opcode, 2);
    }
    size_t columns = b->narrow ? 14 : 24;
    if (more && columns < t.size + 2) columns = t.size + 2;
    print_cell(b, style_of(r), t.data, t.size, more ? columns : 0);
}

static void print_refusal(budget *b, const sb_record *r, bool first)
{
    char    buffer[512];
    sb_text t = { buffer, sizeof buffer, 0 };
    if (!first) print_cell(b, NULL, "  ", 2, 0);
    sb_text_add_refusal(&t, r);
    (void)print_piece(b, SB_STYLE_RED, t.data, t.size);
}

void sb_render_line(sb_render *render, const sb_record *r)
{
    char    buffer[TEXT_MAX];
    summary s = { .render = render, .record = r, .text = { buffer, sizeof buffer, 0 } };
    bool    cut = render->width >= WIDTH_MIN;
    budget  b = { render->out, cut ? render->width : SIZE_MAX, cut && render->width < NARROW };
    sb_render_file(render, r);
    if (r->result == SB_OK) sum_up(&s, r);
    print_number_and_time(render, r, &b);
    print_direction(render, r, &b);
    print_name(&b, r, r->result != SB_OK || s.count > 0 || has_marks(r));
    bool first = print_marks(&b, r);
    if (r->result != SB_OK) print_refusal(&b, r, first);
    else print_summary(&b, &s, r->retransmission ? SB_STYLE_DIM : NULL, first);
    sb_output_char(render->out, '\n');
}
