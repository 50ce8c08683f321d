/* src/inspect/render_hex.c -- a record as an annotated hexdump: the bytes of each field beside its
 * name and value. Booleans show the byte they share and which bit of it they are.
 */
#include "inspect/render.h"

#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/text.h"
#include "inspect/value_text.h"

enum { BYTES_PER_LINE = 8, HEX_COLUMNS = 3 * BYTES_PER_LINE, NAME_COLUMNS = 20, VALUE_MAX = 4096 };

typedef struct dump {
    sb_output *out;
    sb_span    bytes;
    size_t     covered;   /* all bytes before are beside some field */
    size_t     group_at;  /* the shared byte of the last booleans ... */
    unsigned   group_bit; /* ... and how many of its bits have been shown */
    unsigned   depth;
} dump;

static void put_offset(dump *d, size_t at)
{
    uint8_t bytes[2] = { (uint8_t)(at >> 8), (uint8_t)at };
    char    room[4];
    (void)sb_format_hex(room, bytes, 2);
    sb_output_cell(d->out, SB_STYLE_DIM, room, 4, 6);
}

/* One line's worth of bytes, filled up to the column of the names. */
static void put_bytes(dump *d, size_t at, size_t size, const char *style, size_t columns)
{
    char    room[HEX_COLUMNS];
    sb_text t = { room, sizeof room, 0 };
    sb_text_add_bytes(&t, (sb_span){ d->bytes.data + at, size }, BYTES_PER_LINE);
    sb_output_cell(d->out, style, t.data, t.size, columns);
}

static void put_more_bytes(dump *d, size_t at, size_t end, const char *style)
{
    while (at < end) {
        size_t size = end - at < BYTES_PER_LINE ? end - at : BYTES_PER_LINE;
        put_offset(d, at);
        put_bytes(d, at, size, style, 0);
        sb_output_char(d->out, '\n');
        at += size;
    }
}

static void put_name(dump *d, const char *name, bool alone)
{
    size_t indent = 2 * (size_t)d->depth,
           columns = NAME_COLUMNS > indent ? NAME_COLUMNS - indent : 0;
    sb_output_spaces(d->out, indent);
    sb_output_cell(d->out, SB_STYLE_CYAN, name, strlen(name), alone ? 0 : columns);
    if (!alone) sb_output_char(d->out, ' ');
}

/* "bit 1 of 23" */
static void put_bit(dump *d, size_t at)
{
    char    room[48];
    sb_text t = { room, sizeof room, 0 };
    if (d->group_at != at) d->group_bit = 0;
    d->group_at = at;
    sb_text_add_string(&t, "  bit ");
    sb_text_add_number(&t, d->group_bit++);
    sb_text_add_string(&t, " of ");
    sb_text_add_bytes(&t, (sb_span){ d->bytes.data + at, 1 }, 1);
    sb_text_add_string(&t, ", a group of ");
    sb_text_add_number(&t, d->bytes.data[at] >> 5);
    sb_output_cell(d->out, SB_STYLE_DIM, t.data, t.size, 0);
}

static bool is_inside(const dump *d, size_t at, size_t size)
{
    return at <= d->bytes.size && size <= d->bytes.size - at;
}

static void dump_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    dump   *d = self;
    char    room[VALUE_MAX];
    sb_text text = { room, sizeof room, 0 };
    if (!is_inside(d, at, size)) size = 0;
    bool   again = size > 0 && at + size <= d->covered; /* shown before: a shared byte */
    size_t first = size < BYTES_PER_LINE ? size : BYTES_PER_LINE;
    if (size > 0) put_offset(d, at);
    else sb_output_spaces(d->out, 6);
    put_bytes(d, at, first, again ? SB_STYLE_DIM : NULL, HEX_COLUMNS + 2);
    put_name(d, f->name, false);
    bool raw = f->kind == SB_KIND_BYTES; /* the bytes stand beside it already */
    if (!raw || size == 0) sb_text_add_value(&text, f, v, SB_DETAIL_FULL);
    if (raw && size > 0) sb_text_add_number(&text, (int64_t)size);
    if (raw && size > 0) sb_text_add_string(&text, " bytes");
    sb_output_cell(d->out, NULL, text.data, text.size, 0);
    if (f->kind == SB_KIND_BIT && size == 1) put_bit(d, at);
    sb_output_char(d->out, '\n');
    if (!again) put_more_bytes(d, at + first, at + size, NULL);
    if (size > 0 && at + size > d->covered) d->covered = at + size;
}

static void dump_begin(void *self, const sb_field *f)
{
    dump *d = self;
    sb_output_spaces(d->out, 6 + HEX_COLUMNS + 2);
    put_name(d, f->name, true);
    sb_output_char(d->out, '\n');
    d->depth++;
}

static void dump_end(void *self, const sb_field *f)
{
    dump *d = self;
    (void)f;
    if (d->depth > 0) d->depth--;
}

static void put_opcode(dump *d, const sb_record *r)
{
    static const sb_field f_opcode = { .name = "opcode", .kind = SB_KIND_NOTE };
    uint8_t               opcode;
    if (r->layer != SB_LAYER_MESSAGE || !sb_record_opcode(r, &opcode)) return;
    char    room[64];
    sb_text t = { room, sizeof room, 0 };
    sb_text_add_hex_number(&t, opcode, 2);
    sb_text_add_string(&t, "  ");
    sb_text_add_string(&t, sb_record_name(r));
    sb_value value = { .bytes = { (const uint8_t *)t.data, t.size } };
    dump_value(d, &f_opcode, &value, 0, 1);
}

void sb_render_hex(sb_render *render, const sb_record *r)
{
    dump          d = { .out = render->out, .bytes = sb_record_shown(r), .group_at = SIZE_MAX };
    const sb_sink sink = { &d, dump_value, dump_begin, dump_end };
    sb_render_heading(render, r);
    put_opcode(&d, r);
    (void)!sb_show_record(r, &sink, NULL);
    if (r->result != SB_OK) {
        size_t at = r->refusal.offset > d.covered ? r->refusal.offset : d.covered;
        put_more_bytes(&d, at, d.bytes.size, SB_STYLE_RED);
        sb_output_spaces(d.out, 6);
        sb_render_refusal(render, r);
        sb_output_char(d.out, '\n');
    }
}
