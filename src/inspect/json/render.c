/* src/inspect/json/render.c -- prints a record as one JSON object on one line.
 *
 * `starbase encode` must turn the line back into the same bytes. So lossy kinds carry their wire
 * code, floats their shortest exact text, and texts every byte.
 *
 * Tests:    tests/inspect/render_test.c, tests/inspect/json/line_test.c
 */
#include "inspect/render.h"

#include <starbase/compressed.h>

#include "base/assert.h"
#include "base/utf8.h"
#include "base/windows1252.h"
#include "inspect/kinds.h"
#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/text.h"

enum { DEPTH_MAX = 64, KEY_MAX = 60 };

typedef struct json {
    sb_output *out;
    bool       comma; /* the next member needs a comma before it */
    unsigned   depth;
    char       closing[DEPTH_MAX]; /* '}' or ']' of each open object and array */
} json;

/* ---- characters ---- */

static void write_code_point(sb_output *o, uint32_t c)
{
    char *p = sb_output_reserve(o, 8);
    if (c == '"' || c == '\\') {
        p[0] = '\\';
        p[1] = (char)c;
        o->size += 2;
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
        uint8_t byte = (uint8_t)c;
        memcpy(p, "\\u00", 4);
        o->size += 4 + sb_format_hex(p + 4, &byte, 1);
    } else {
        o->size += sb_utf8_write(p, c);
    }
}

static void write_plain(sb_output *o, const char *text) /* ASCII without quotes in it */
{
    sb_output_char(o, '"');
    sb_output_text(o, text);
    sb_output_char(o, '"');
}

static void write_hex(sb_output *o, sb_span bytes)
{
    sb_output_char(o, '"');
    for (size_t at = 0; at < bytes.size;) {
        size_t count = bytes.size - at < 32 ? bytes.size - at : 32;
        char  *p = sb_output_reserve(o, 64);
        o->size += sb_format_hex(p, bytes.data + at, count);
        at += count;
    }
    sb_output_char(o, '"');
}

/* ---- numbers ---- */

static void write_u64(sb_output *o, uint64_t number)
{
    char *p = sb_output_reserve(o, SB_NUMBER_TEXT_MAX);
    o->size += sb_format_u64(p, number);
}

static void write_i64(sb_output *o, int64_t number)
{
    char *p = sb_output_reserve(o, SB_NUMBER_TEXT_MAX);
    o->size += sb_format_i64(p, number);
}

static void write_float(sb_output *o, float value)
{
    char *p = sb_output_reserve(o, SB_NUMBER_TEXT_MAX);
    o->size += sb_format_float(p, value);
}

static void write_floats(sb_output *o, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sb_output_char(o, i == 0 ? '[' : ',');
        write_float(o, values[i]);
    }
    sb_output_char(o, ']');
}

/* ---- values, one function per family of kinds ---- */

#define WRITE(name_) static void name_(sb_output *o, const sb_field *f, const sb_value *v)

WRITE(write_number)
{
    (void)f;
    write_u64(o, v->number);
}

WRITE(write_signed)
{
    (void)f;
    write_i64(o, (int32_t)v->number);
}

WRITE(write_bit)
{
    (void)f;
    sb_output_text(o, v->number ? "true" : "false");
}

WRITE(write_f32)
{
    (void)f;
    write_float(o, v->real[0]);
}

WRITE(write_vec3)
{
    (void)f;
    write_floats(o, v->real, 3);
}

WRITE(write_quat)
{
    (void)f;
    write_floats(o, v->real, 4);
}

static void write_code(sb_output *o, int64_t code, float value)
{
    sb_output_write(o, "{\"code\":", 8);
    write_i64(o, code);
    sb_output_write(o, ",\"value\":", 9);
    write_float(o, value);
    sb_output_char(o, '}');
}

WRITE(write_coded)
{
    (void)f;
    write_code(o, v->number, v->real[0]);
}

WRITE(write_switch)
{
    (void)f;
    write_code(o, (int32_t)v->number, v->real[0]);
}

static void write_direction(sb_output *o, const sb_value *v)
{
    sb_output_write(o, "{\"code\":[", 9);
    for (int i = 0; i < 3; i++) {
        if (i > 0) sb_output_char(o, ',');
        write_i64(o, v->direction[i]);
    }
}

WRITE(write_vector)
{
    write_direction(o, v);
    if (f->kind == SB_KIND_CV4 || f->kind == SB_KIND_CV4B) {
        sb_output_char(o, ',');
        write_u64(o, v->number);
    }
    sb_output_char(o, ']');
    if (f->kind == SB_KIND_CV4F) {
        sb_output_write(o, ",\"magnitude\":", 13);
        write_float(o, v->real[3]);
    }
    sb_output_write(o, ",\"value\":", 9);
    write_floats(o, v->real, 3);
    sb_output_char(o, '}');
}

WRITE(write_ratios)
{
    (void)f;
    sb_output_write(o, "{\"code\":[", 9);
    for (size_t i = 0; i < v->bytes.size; i++) {
        if (i > 0) sb_output_char(o, ',');
        write_u64(o, v->bytes.data[i]);
    }
    sb_output_write(o, "],\"value\":[", 11);
    for (size_t i = 0; i < v->bytes.size; i++) {
        if (i > 0) sb_output_char(o, ',');
        write_float(o, sb_decode_ratio(v->bytes.data[i]));
    }
    sb_output_write(o, "]}", 2);
}

WRITE(write_address)
{
    (void)f;
    sb_output_char(o, '"');
    char *p = sb_output_reserve(o, SB_NUMBER_TEXT_MAX);
    o->size += sb_format_address(p, v->number);
    sb_output_char(o, '"');
}

WRITE(write_text)
{
    (void)f;
    sb_output_char(o, '"');
    for (size_t i = 0; i < v->bytes.size; i++)
        write_code_point(o, sb_windows1252_code_point(v->bytes.data[i]));
    sb_output_char(o, '"');
}

/* True if encoding the text gives the same bytes: well formed, one terminator, at the end. */
static bool is_clean_utf16(sb_span bytes)
{
    size_t at = 0;
    while (at < bytes.size) {
        uint32_t c;
        size_t   taken;
        if (!sb_utf16_read_point(bytes, at, &c, &taken)) return false;
        at += taken;
        if (c == 0) return at == bytes.size;
    }
    return false;
}

WRITE(write_utf16)
{
    (void)f;
    if (!is_clean_utf16(v->bytes)) {
        sb_output_text(o, "{\"hex\":");
        write_hex(o, v->bytes);
        sb_output_char(o, '}');
        return;
    }
    sb_output_char(o, '"');
    for (size_t at = 0; at + 2 < v->bytes.size;) {
        uint32_t c;
        size_t   taken;
        if (!sb_utf16_read_point(v->bytes, at, &c, &taken)) break;
        write_code_point(o, c);
        at += taken;
    }
    sb_output_char(o, '"');
}

WRITE(write_bytes)
{
    (void)f;
    write_hex(o, v->bytes);
}

#define ROW(kind, name, is_long, text, numbers, write, read) [SB_KIND_##kind] = write,
static void (*const writers[SB_KIND_COUNT])(sb_output *, const sb_field *,
                                            const sb_value *) = { SB_KIND_TABLE(ROW) };

/* ---- the sink ---- */

/* Writes the comma before a member and, inside an object, its key. */
static void write_key(json *j, const char *name)
{
    sb_output *o = j->out;
    if (j->comma) sb_output_char(o, ',');
    j->comma = true;
    if (j->closing[j->depth - 1] == ']') return;
    char *start = sb_output_reserve(o, KEY_MAX + 3), *p = start, *end = p + KEY_MAX + 1;
    *p++ = '"';
    while (*name && p < end) *p++ = *name++; /* our own names need no escapes and are short */
    *p++ = '"';
    *p++ = ':';
    o->size += (size_t)(p - start);
}

static void json_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    json *j = self;
    (void)at;
    (void)size;
    SB_ASSERT((unsigned)f->kind < SB_KIND_COUNT);
    SB_ASSERT(writers[f->kind]); /* a group or list has no value */
    write_key(j, f->name);
    writers[f->kind](j->out, f, v);
}

static void open_bracket(json *j, char opening, char closing)
{
    SB_ASSERT(j->depth < DEPTH_MAX);
    sb_output_char(j->out, opening);
    j->closing[j->depth++] = closing;
    j->comma = false;
}

static void close_bracket(json *j)
{
    SB_ASSERT(j->depth > 0);
    sb_output_char(j->out, j->closing[--j->depth]);
    j->comma = true;
}

static void json_enter(void *self, const sb_field *f)
{
    json *j = self;
    write_key(j, f->name);
    bool list = f->kind == SB_KIND_LIST;
    open_bracket(j, list ? '[' : '{', list ? ']' : '}');
}

static void json_leave(void *self, const sb_field *f)
{
    (void)f;
    close_bracket(self);
}

/* ---- the record ---- */

static void write_endpoint(json *j, const char *key, sb_endpoint endpoint)
{
    write_key(j, key);
    sb_output_char(j->out, '"');
    char *p = sb_output_reserve(j->out, SB_NUMBER_TEXT_MAX);
    j->out->size += sb_format_endpoint(p, endpoint);
    sb_output_char(j->out, '"');
}

static void write_number_key(json *j, const char *key, uint64_t number)
{
    write_key(j, key);
    write_u64(j->out, number);
}

static void write_flag_key(json *j, const char *key, bool flag)
{
    write_key(j, key);
    sb_output_text(j->out, flag ? "true" : "false");
}

static void write_transport(json *j, const sb_record *r)
{
    const sb_transport_message *m = &r->transport;
    write_key(j, "transport");
    open_bracket(j, '{', '}');
    write_number_key(j, "type", m->type);
    const char *name = sb_find_name(sb_transport_type_names(), m->type);
    write_key(j, "name");
    write_plain(j->out, name ? name : "(unknown)");
    if (m->type == SB_TRANSPORT_ACK) {
        write_number_key(j, "seq", m->seq);
        write_number_key(j, "flags", m->ack_flags);
        if (m->ack_flags & SB_ACK_FRAGMENT) write_number_key(j, "frag_index", m->frag_index);
        if (r->repeated) write_flag_key(j, "repeated", true);
    } else if (m->type != SB_TRANSPORT_NOOP) {
        write_flag_key(j, "reliable", m->reliable);
        write_flag_key(j, "priority", m->priority);
        if (m->reliable) write_number_key(j, "seq", m->seq);
        if (m->fragment) write_number_key(j, "frag_index", m->frag_index);
        if (m->fragment && m->frag_index == 0) write_number_key(j, "frag_total", m->frag_total);
    }
    close_bracket(j);
}

/* The encoding of a file name is unknown, so bytes from 0x80 up are written as they are. */
static void write_file(json *j, const char *name)
{
    write_key(j, "file");
    sb_output_char(j->out, '"');
    for (; *name; name++) {
        bool plain = (unsigned char)*name >= 0x20 && *name != '"' && *name != '\\';
        if (plain) sb_output_char(j->out, *name);
        else write_code_point(j->out, (unsigned char)*name);
    }
    sb_output_char(j->out, '"');
}

static void write_where(json *j, const sb_record *r)
{
    if (r->file) write_file(j, r->file);
    if (r->has_time) {
        write_key(j, "time");
        char *p = sb_output_reserve(j->out, SB_NUMBER_TEXT_MAX);
        j->out->size += sb_format_micros(p, r->time_us);
    }
    if (r->has_endpoints) {
        write_endpoint(j, "from", r->source);
        write_endpoint(j, "to", r->destination);
    }
    if (r->from != SB_SIDE_UNKNOWN) {
        write_key(j, "side");
        write_plain(j->out, r->from == SB_SIDE_HOST ? "host" : "client");
    }
    if (r->has_peer_id) write_number_key(j, "peer_id", r->peer_id);
    if (r->has_time) write_number_key(j, "datagram", r->datagram);
    if (r->has_transport) write_transport(j, r);
    if (r->retransmission) write_flag_key(j, "retransmission", true);
    if (r->gap > 0) write_number_key(j, "gap", r->gap);
    if (r->late) write_flag_key(j, "late", true);
    if (r->fragment_count > 0) write_number_key(j, "fragments", r->fragment_count);
}

static void write_name(json *j, const sb_record *r)
{
    uint8_t opcode;
    write_key(j, "opcode");
    if (sb_record_opcode(r, &opcode)) write_u64(j->out, opcode);
    else sb_output_text(j->out, "null");
    write_key(j, "name");
    write_plain(j->out, sb_record_name(r));
}

/* Writes the ship and layout by which the fields were read; encoding the line needs both. */
static void write_context(json *j, const sb_record *r)
{
    if (r->context.ship) write_number_key(j, "species", r->context.ship->species);
    if (r->context.own) write_flag_key(j, "own", true);
    if (r->context.ship && r->context.layout != SB_SHIELD_STOCK) {
        write_key(j, "shields");
        write_plain(j->out, sb_shield_layout_text((sb_shield_layout)r->context.layout));
    }
}

static void write_error(json *j, const sb_record *r)
{
    sb_span bytes = sb_record_shown_bytes(r);
    size_t  offset = r->refusal.offset < bytes.size ? r->refusal.offset : bytes.size;
    write_key(j, "error");
    sb_output_char(j->out, '"');
    sb_output_text(j->out, sb_result_name(r->result));
    sb_output_text(j->out, ": ");
    sb_output_text(j->out, sb_record_reason(r));
    if (r->refusal.field) {
        sb_output_text(j->out, ", in ");
        sb_output_text(j->out, r->refusal.field);
    }
    sb_output_char(j->out, '"');
    write_number_key(j, "offset", offset);
    write_key(j, "undecoded");
    write_hex(j->out, (sb_span){ bytes.data + offset, bytes.size - offset });
}

void sb_render_json(sb_render *render, const sb_record *r)
{
    json          j = { .out = render->out };
    const sb_sink sink = { &j, json_value, json_enter, json_leave };
    open_bracket(&j, '{', '}');
    write_key(&j, "schema");
    write_plain(j.out, SB_JSON_SCHEMA);
    write_flag_key(&j, "ok", r->result == SB_OK);
    write_key(&j, "layer");
    write_plain(j.out, sb_layer_name(r->layer));
    write_where(&j, r);
    write_name(&j, r);
    write_context(&j, r);
    write_key(&j, "fields");
    open_bracket(&j, '{', '}');
    (void)!sb_show_record(r, &sink, NULL);
    while (j.depth > 1) close_bracket(&j); /* a refused record leaves brackets open */
    write_key(&j, "raw");
    write_hex(j.out, r->bytes);
    if (r->result != SB_OK) write_error(&j, r);
    close_bracket(&j);
    sb_output_char(j.out, '\n');
}
