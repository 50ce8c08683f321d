/* src/inspect/json/write_fields.c -- writes the fields of a record as JSON.
 *
 * `starbase encode` must turn the fields back into the same bytes. So lossy kinds carry their wire
 * code, floats their shortest exact text, and texts every byte.
 *
 * Tests:    tests/inspect/render_test.c, tests/inspect/json/line_test.c
 */
#include "inspect/json/writing.h"

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
    sb_output     *out;
    sb_float_text *floats;
    bool           comma; /* the next member needs a comma before it */
    unsigned       depth;
    char           closing[DEPTH_MAX]; /* '}' or ']' of each open object and array */
} json;

/* ---- characters ---- */

void sb_json_write_code_point(sb_output *o, uint32_t c)
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

void sb_json_write_hex(sb_output *o, sb_span bytes)
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

static void write_bool(sb_output *o, bool value)
{
    char *p = sb_output_reserve(o, 8);
    sb_output_end_at(o, value ? sb_json_put(p, "true") : sb_json_put(p, "false"));
}

static void write_float(json *j, float value)
{
    char *p = sb_output_reserve(j->out, SB_NUMBER_TEXT_MAX);
    j->out->size += sb_format_known_float(j->floats, p, value);
}

static void write_floats(json *j, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sb_output_char(j->out, i == 0 ? '[' : ',');
        write_float(j, values[i]);
    }
    sb_output_char(j->out, ']');
}

/* Writes at most 3 * SB_FLOAT_TEXT_MAX + 4 characters. */
static char *put_vec3(json *j, char *p, const float *values)
{
    for (size_t i = 0; i < 3; i++) {
        *p++ = i == 0 ? '[' : ',';
        p += sb_format_known_float(j->floats, p, values[i]);
    }
    *p++ = ']';
    return p;
}

/* ---- values, one function per family of kinds ---- */

#define WRITE(name_) static void name_(json *j, const sb_field *f, const sb_value *v)

WRITE(write_number)
{
    (void)f;
    write_u64(j->out, v->number);
}

WRITE(write_signed)
{
    (void)f;
    write_i64(j->out, (int32_t)v->number);
}

WRITE(write_bit)
{
    (void)f;
    write_bool(j->out, v->number != 0);
}

WRITE(write_f32)
{
    (void)f;
    write_float(j, v->real[0]);
}

WRITE(write_vec3)
{
    (void)f;
    char *p = sb_output_reserve(j->out, 64);
    sb_output_end_at(j->out, put_vec3(j, p, v->real));
}

WRITE(write_quat)
{
    (void)f;
    write_floats(j, v->real, 4);
}

static void write_code(json *j, int64_t code, float value)
{
    char *p = sb_json_put(sb_output_reserve(j->out, 64), "{\"code\":");
    p += sb_format_i64(p, code);
    p = sb_json_put(p, ",\"value\":");
    p += sb_format_known_float(j->floats, p, value);
    *p++ = '}';
    sb_output_end_at(j->out, p);
}

WRITE(write_coded)
{
    (void)f;
    write_code(j, v->number, v->real[0]);
}

WRITE(write_switch)
{
    (void)f;
    write_code(j, (int32_t)v->number, v->real[0]);
}

/* Writes the codes and, of a CV4 or CV4B, the code of the magnitude. */
static void write_vector_code(sb_output *o, const sb_field *f, const sb_value *v)
{
    char *p = sb_json_put(sb_output_reserve(o, 64), "{\"code\":[");
    for (int i = 0; i < 3; i++) {
        p += sb_format_i64(p, v->direction[i]);
        *p++ = ',';
    }
    if (f->kind == SB_KIND_CV4 || f->kind == SB_KIND_CV4B) p += sb_format_u64(p, v->number);
    else p--;
    *p++ = ']';
    sb_output_end_at(o, p);
}

WRITE(write_vector)
{
    write_vector_code(j->out, f, v);
    if (f->kind == SB_KIND_CV4F) {
        sb_json_write_literal(j->out, ",\"magnitude\":");
        write_float(j, v->real[3]);
    }
    char *p = sb_json_put(sb_output_reserve(j->out, 64), ",\"value\":");
    p = put_vec3(j, p, v->real);
    *p++ = '}';
    sb_output_end_at(j->out, p);
}

/* Begins an item of an array of numbers. */
static char *reserve_item(json *j, size_t index)
{
    char *p = sb_output_reserve(j->out, 1 + SB_NUMBER_TEXT_MAX);
    p[0] = ',';
    return p + (index > 0);
}

WRITE(write_ratios)
{
    (void)f;
    sb_json_write_literal(j->out, "{\"code\":[");
    for (size_t i = 0; i < v->bytes.size; i++) {
        char *p = reserve_item(j, i);
        sb_output_end_at(j->out, p + sb_format_u64(p, v->bytes.data[i]));
    }
    sb_json_write_literal(j->out, "],\"value\":[");
    for (size_t i = 0; i < v->bytes.size; i++) {
        char *p = reserve_item(j, i);
        float ratio = sb_decode_ratio(v->bytes.data[i]);
        sb_output_end_at(j->out, p + sb_format_known_float(j->floats, p, ratio));
    }
    sb_json_write_literal(j->out, "]}");
}

WRITE(write_address)
{
    sb_output *o = j->out;
    (void)f;
    sb_output_char(o, '"');
    char *p = sb_output_reserve(o, SB_NUMBER_TEXT_MAX);
    o->size += sb_format_address(p, v->number);
    sb_output_char(o, '"');
}

/* True for ASCII that needs no escape. */
static bool is_plain(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

/* Copies plain characters up to the first other one, at most 64, and returns their number. */
static size_t write_plain_part(sb_output *o, sb_span text)
{
    char  *p = sb_output_reserve(o, 64);
    size_t size = 0, max = text.size < 64 ? text.size : 64;
    for (; size < max && is_plain(text.data[size]); size++) p[size] = (char)text.data[size];
    o->size += size;
    return size;
}

WRITE(write_text)
{
    sb_output *o = j->out;
    (void)f;
    sb_output_char(o, '"');
    for (size_t at = 0; at < v->bytes.size;) {
        sb_span rest = { v->bytes.data + at, v->bytes.size - at };
        size_t  plain = write_plain_part(o, rest);
        if (plain == 0) sb_json_write_code_point(o, sb_windows1252_code_point(rest.data[0]));
        at += plain > 0 ? plain : 1;
    }
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
    sb_output *o = j->out;
    (void)f;
    if (!is_clean_utf16(v->bytes)) {
        sb_json_write_literal(o, "{\"hex\":");
        sb_json_write_hex(o, v->bytes);
        sb_output_char(o, '}');
        return;
    }
    sb_output_char(o, '"');
    for (size_t at = 0; at + 2 < v->bytes.size;) {
        uint32_t c;
        size_t   taken;
        if (!sb_utf16_read_point(v->bytes, at, &c, &taken)) break;
        sb_json_write_code_point(o, c);
        at += taken;
    }
    sb_output_char(o, '"');
}

WRITE(write_bytes)
{
    (void)f;
    sb_json_write_hex(j->out, v->bytes);
}

#define ROW(kind, name, is_long, text, numbers, write, read) [SB_KIND_##kind] = write,
static void (*const writers[SB_KIND_COUNT])(json *, const sb_field *,
                                            const sb_value *) = { SB_KIND_TABLE(ROW) };

/* ---- the sink ---- */

/* Writes the comma before a member and, inside an object, its key. */
static void write_key(json *j, const sb_field *f)
{
    size_t size = f->name_size ? f->name_size : strlen(f->name);
    char  *p = sb_output_reserve(j->out, KEY_MAX + 4);
    p[0] = ',';
    p += j->comma;
    j->comma = true;
    if (j->closing[j->depth - 1] == '}') {
        if (size > KEY_MAX) size = KEY_MAX; /* our own names need no escapes and are short */
        *p++ = '"';
        if (size <= SB_JSON_NAME_SHORT) (void)sb_json_put_name(p, f->name, size);
        else memcpy(p, f->name, size);
        p += size;
        *p++ = '"';
        *p++ = ':';
    }
    sb_output_end_at(j->out, p);
}

static void json_value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    json *j = self;
    (void)at;
    (void)size;
    SB_ASSERT((unsigned)f->kind < SB_KIND_COUNT);
    SB_ASSERT(writers[f->kind]); /* a group or list has no value */
    write_key(j, f);
    writers[f->kind](j, f, v);
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
    write_key(j, f);
    bool list = f->kind == SB_KIND_LIST;
    open_bracket(j, list ? '[' : '{', list ? ']' : '}');
}

static void json_leave(void *self, const sb_field *f)
{
    (void)f;
    close_bracket(self);
}

void sb_json_write_fields(sb_render *render, const sb_record *r)
{
    sb_output    *o = render->out;
    json          j = { .out = o, .floats = render->floats, .depth = 1, .closing = "}" };
    const sb_sink sink = { &j, json_value, json_enter, json_leave };
    sb_json_write_literal(o, ",\"fields\":{");
    (void)!sb_show_record(r, &sink, NULL);
    while (j.depth > 0) close_bracket(&j); /* a refused record leaves brackets open */
}
