/* src/inspect/render_hex.c -- prints a record as an annotated hexdump.
 *
 * The bytes of each field stand beside its name and value; every byte is printed once. Booleans
 * share a byte, so each prints its bit.
 *
 * Tests:    tests/inspect/render_test.c
 */
#include "inspect/kinds.h"
#include "inspect/render.h"

#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/text.h"
#include "inspect/value_text.h"

enum { BYTES_PER_LINE = 8, HEX_COLUMNS = 3 * BYTES_PER_LINE, NAME_COLUMNS = 20, VALUE_MAX = 4096 };

typedef struct dump {
    sb_output       *out;
    const sb_render *render;
    const sb_record *record;
    sb_span          bytes;
    size_t           covered;   /* all bytes before this offset are printed */
    size_t           group_at;  /* offset of the byte that the newest booleans share */
    unsigned         group_bit; /* bits of that byte printed so far */
    unsigned         depth;
    bool             remarks; /* print published names */
    /* A payload is held back until the next callback: its bytes are printed only if no message
     * follows that shows them. */
    bool            holds_payload; /* the members below hold a payload */
    const sb_field *field;
    sb_value        value;
    size_t          at;
} dump;

static void print_offset(dump *d, size_t at)
{
    uint8_t bytes[2] = { (uint8_t)(at >> 8), (uint8_t)at };
    char    buffer[4];
    (void)sb_format_hex(buffer, bytes, 2);
    sb_output_cell(d->out, SB_STYLE_DIM, buffer, 4, 6);
}

/* Prints at most one line of bytes, padded to `columns`. */
static void print_bytes(dump *d, size_t at, size_t size, const char *style, size_t columns)
{
    char    buffer[HEX_COLUMNS];
    sb_text t = { buffer, sizeof buffer, 0 };
    sb_text_add_bytes(&t, (sb_span){ d->bytes.data + at, size }, BYTES_PER_LINE);
    sb_output_cell(d->out, style, t.data, t.size, columns);
}

static void print_more_bytes(dump *d, size_t at, size_t end, const char *style)
{
    while (at < end) {
        size_t size = end - at < BYTES_PER_LINE ? end - at : BYTES_PER_LINE;
        print_offset(d, at);
        print_bytes(d, at, size, style, 0);
        sb_output_char(d->out, '\n');
        at += size;
    }
}

static void print_name(dump *d, const char *name, bool alone)
{
    size_t indent = 2 * (size_t)d->depth,
           columns = NAME_COLUMNS > indent ? NAME_COLUMNS - indent : 0;
    sb_output_spaces(d->out, indent);
    sb_output_cell(d->out, SB_STYLE_CYAN, name, strlen(name), alone ? 0 : columns);
    if (!alone) sb_output_char(d->out, ' ');
}

/* Prints "bit 1 of 23, a group of 1". The flags of a 16-bit flags_len count from the highest bit:
 * "bit 15 of C00F". */
static void print_bit(dump *d, size_t at, size_t size)
{
    const uint8_t *byte = d->bytes.data + at;
    char           buffer[48];
    sb_text        t = { buffer, sizeof buffer, 0 };
    if (d->group_at != at) d->group_bit = 0;
    d->group_at = at;
    sb_text_add_string(&t, "  bit ");
    sb_text_add_number(&t, size == 2 ? 15 - d->group_bit : d->group_bit);
    d->group_bit++;
    sb_text_add_string(&t, " of ");
    char hex[4];
    for (size_t i = size; i > 0; i--) sb_text_add(&t, hex, sb_format_hex(hex, byte + i - 1, 1));
    if (size == 1) {
        sb_text_add_string(&t, ", a group of ");
        sb_text_add_number(&t, byte[0] >> 5);
    }
    sb_output_cell(d->out, SB_STYLE_DIM, t.data, t.size, 0);
}

static bool is_inside(const dump *d, size_t at, size_t size)
{
    return at <= d->bytes.size && size <= d->bytes.size - at;
}

static void print_remarks(dump *d, const sb_field *f, const sb_value *v)
{
    char    buffer[512];
    sb_text t = { buffer, sizeof buffer, 0 };
    if (!d->remarks) return;
    sb_text_add_remarks(&t, f, v);
    if (t.size == 0) return;
    sb_output_style(d->out, SB_STYLE_DIM);
    sb_output_text(d->out, "  [");
    sb_output_write(d->out, t.data, t.size);
    sb_output_char(d->out, ']');
    sb_output_style(d->out, SB_STYLE_RESET);
}

/* Prints one field beside its `shown` bytes from `at`; 0 if they were printed before. */
static void print_row(dump *d, const sb_field *f, const sb_value *v, size_t at, size_t size,
                      size_t shown)
{
    char    buffer[VALUE_MAX];
    sb_text text = { buffer, sizeof buffer, 0 };
    size_t  first = shown < BYTES_PER_LINE ? shown : BYTES_PER_LINE;
    if (shown > 0) print_offset(d, at);
    else sb_output_spaces(d->out, 6);
    print_bytes(d, at, first, NULL, HEX_COLUMNS + 2);
    print_name(d, f->name, false);
    bool raw =
        f->kind == SB_KIND_BYTES && size > 0; /* the row shows the bytes: print their count */
    if (raw) sb_text_add_number(&text, (int64_t)size);
    if (raw) sb_text_add_string(&text, size == 1 ? " byte" : " bytes");
    else sb_text_add_value(&text, f, v, SB_DETAIL_FULL);
    sb_render_add_name(d->render, d->record, f, v, &text);
    sb_output_cell(d->out, NULL, text.data, text.size, 0);
    if (f->kind == SB_KIND_BIT && (size == 1 || size == 2)) print_bit(d, at, size);
    print_remarks(d, f, v);
    sb_output_char(d->out, '\n');
    print_more_bytes(d, at + first, at + shown, NULL);
}

/* Prints the payload that was held back. Its bytes are left out if its message follows, because the
 * fields of the message show them. */
static void print_held_payload(dump *d, bool with_bytes)
{
    if (!d->holds_payload) return;
    d->holds_payload = false;
    print_row(d, d->field, &d->value, d->at, d->value.bytes.size,
              with_bytes ? d->value.bytes.size : 0);
    if (with_bytes) d->covered = d->at + d->value.bytes.size;
}

static void dump_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    dump *d = self;
    if (sb_is_name_note(f)) return; /* printed beside its number */
    print_held_payload(d, true);
    if (!is_inside(d, at, size)) size = 0;
    if (f->kind == SB_KIND_BYTES && strcmp(f->name, "payload") == 0 && size > 0) {
        d->holds_payload = true;
        d->field = f;
        d->value = *v;
        d->at = at;
        return;
    }
    bool again = at + size <= d->covered; /* a shared byte, printed before */
    print_row(d, f, v, at, size, again ? 0 : size);
    if (!again) d->covered = at + size;
}

static void dump_enter(void *self, const sb_field *f)
{
    dump *d = self;
    print_held_payload(d, strcmp(f->name, "message") != 0);
    sb_output_spaces(d->out, 6 + HEX_COLUMNS + 2);
    print_name(d, f->name, true);
    sb_output_char(d->out, '\n');
    d->depth++;
}

static void dump_leave(void *self, const sb_field *f)
{
    dump *d = self;
    (void)f;
    print_held_payload(d, true);
    if (d->depth > 0) d->depth--;
}

static void print_opcode(dump *d, const sb_record *r)
{
    static const sb_field f_opcode = { .name = "opcode", .kind = SB_KIND_NOTE };
    uint8_t               opcode;
    if (r->layer != SB_LAYER_MESSAGE || !sb_record_opcode(r, &opcode)) return;
    char    buffer[64];
    sb_text t = { buffer, sizeof buffer, 0 };
    sb_text_add_hex_number(&t, opcode, 2);
    sb_text_add_string(&t, "  ");
    sb_text_add_string(&t, sb_record_name(r));
    sb_value value = { .bytes = { (const uint8_t *)t.data, t.size } };
    dump_value(d, &f_opcode, &value, 0, 1);
}

/* Adds "bytes 7-41 of the decrypted datagram, after the header 32 23 80 05 00". */
static void add_place(sb_text *t, const sb_record *r)
{
    size_t at = (size_t)(r->bytes.data - r->plain.data);
    sb_text_add_string(t, "bytes ");
    sb_text_add_number(t, (int64_t)at);
    sb_text_add_string(t, "-");
    sb_text_add_number(t, (int64_t)(at + r->bytes.size - 1));
    sb_text_add_string(t, " of the decrypted datagram");
    if (r->layer != SB_LAYER_MESSAGE) return;
    size_t header = r->transport.reliable ? 5 : 3;
    if (r->transport.fragment || at < header) return;
    sb_text_add_string(t, ", after the header ");
    sb_text_add_bytes(t, (sb_span){ r->plain.data + at - header, header }, header);
}

static bool is_part_of(sb_span part, sb_span whole)
{
    if (part.size == 0 || part.data < whole.data) return false;
    return (size_t)(part.data - whole.data) + part.size <= whole.size;
}

/* Says which bytes the dump shows if they are not those of the input. */
static void print_place(sb_render *render, const sb_record *r)
{
    char    buffer[160];
    sb_text t = { buffer, sizeof buffer, 0 };
    bool    part = r->layer == SB_LAYER_MESSAGE || r->layer == SB_LAYER_TRANSPORT;
    if (r->layer == SB_LAYER_DATAGRAM && r->plain.size > 0)
        sb_text_add_string(&t, "the bytes after decryption");
    else if (r->fragment_count > 0) sb_text_add_string(&t, "the bytes of all fragments, joined");
    else if (part && r->has_transport && is_part_of(r->bytes, r->plain)) add_place(&t, r);
    if (t.size == 0) return;
    sb_output_spaces(render->out, 6);
    sb_output_cell(render->out, SB_STYLE_DIM, t.data, t.size, 0);
    sb_output_char(render->out, '\n');
}

void sb_render_hex(sb_render *render, const sb_record *r)
{
    dump          d = { .out = render->out,
                        .render = render,
                        .record = r,
                        .bytes = sb_record_shown_bytes(r),
                        .group_at = SIZE_MAX,
                        .remarks = render->remarks };
    const sb_sink sink = { &d, dump_value, dump_enter, dump_leave };
    sb_render_heading(render, r);
    print_place(render, r);
    print_opcode(&d, r);
    (void)!sb_show_record(r, &sink, NULL);
    print_held_payload(&d, true);
    if (r->result != SB_OK) {
        print_more_bytes(&d, d.covered, d.bytes.size, SB_STYLE_RED);
        sb_output_spaces(d.out, 6);
        sb_render_refusal(render, r);
        sb_output_char(d.out, '\n');
    }
}
