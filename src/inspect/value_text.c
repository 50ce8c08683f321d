/* src/inspect/value_text.c -- adds one value to a text, one function per family of kinds.
 *
 * Tests:    tests/inspect/render_test.c, tests/inspect/kinds_test.c
 */
#include "inspect/value_text.h"

#include <starbase/compressed.h>

#include "base/assert.h"
#include "inspect/kinds.h"
#include "inspect/number_text.h"
#include "message/names.h"

#define ADD(name_)                                                                                 \
    static void name_(sb_text *t, const sb_field *f, const sb_value *v, sb_detail detail)

/* ---- whole numbers ---- */

static size_t hex_digits(sb_kind kind)
{
    return kind == SB_KIND_U8 || kind == SB_KIND_I8 ? 2 : kind == SB_KIND_U16 ? 4 : 8;
}

/* Unsigned 32-bit words and object ids are shown in hex, which is easier to recognise. */
ADD(add_integer)
{
    const char *name = f->names ? sb_find_name(f->names(), v->number) : NULL;
    if (!name && f->is_class) name = sb_class_name(v->number);
    bool is_signed = f->kind == SB_KIND_I8 || f->kind == SB_KIND_I32;
    bool hex = f->kind == SB_KIND_U32 || f->kind == SB_KIND_ID;
    if (name && detail == SB_DETAIL_BRIEF) {
        sb_text_add_string(t, name);
        return;
    }
    if (f->kind == SB_KIND_ID && v->number == 0 && detail == SB_DETAIL_BRIEF)
        sb_text_add_char(t, '0'); /* no object */
    else if (hex) sb_text_add_hex_number(t, v->number, 8);
    else sb_text_add_number(t, is_signed ? (int32_t)v->number : (int64_t)v->number);
    if (detail == SB_DETAIL_FULL && !hex && !is_signed && v->number > 9) {
        sb_text_add_string(t, "  ");
        sb_text_add_hex_number(t, v->number, hex_digits(f->kind));
    }
    if (!name) return;
    sb_text_add_string(t, "  ");
    sb_text_add_string(t, name);
}

ADD(add_flags)
{
    uint32_t rest = v->number;
    bool     first = true;
    if (detail == SB_DETAIL_FULL) {
        sb_text_add_hex_number(t, v->number, 2);
        first = false;
    }
    for (const sb_name *n = f->names ? f->names() : NULL; n && n->name; n++) {
        if (!(v->number & n->value)) continue;
        if (!first) sb_text_add_char(t, detail == SB_DETAIL_BRIEF ? '|' : ' ');
        sb_text_add_string(t, n->name);
        rest &= ~n->value;
        first = false;
    }
    if (detail == SB_DETAIL_FULL || (rest == 0 && !first)) return;
    if (!first) sb_text_add_char(t, '|');
    if (rest == 0) sb_text_add_char(t, '-');
    else sb_text_add_hex_number(t, rest, 2);
}

ADD(add_bit)
{
    (void)f, (void)detail;
    sb_text_add_string(t, v->number ? "yes" : "no");
}

ADD(add_address)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    (void)f, (void)detail;
    sb_text_add(t, buffer, sb_format_address(buffer, v->number));
}

/* ---- real numbers ---- */

static void add_real(sb_text *t, float value, sb_detail detail, unsigned decimals)
{
    char   buffer[SB_NUMBER_TEXT_MAX];
    size_t size = detail == SB_DETAIL_BRIEF ? sb_format_rounded(buffer, value, decimals)
                                            : sb_format_float(buffer, value);
    sb_text_add(t, buffer, size);
}

static void add_reals(sb_text *t, const float *values, size_t count, sb_detail detail,
                      unsigned decimals)
{
    for (size_t i = 0; i < count; i++) {
        sb_text_add_string(t, i == 0 ? "(" : detail == SB_DETAIL_BRIEF ? "," : ", ");
        add_real(t, values[i], detail, decimals);
    }
    sb_text_add_char(t, ')');
}

ADD(add_f32)
{
    (void)f;
    add_real(t, v->real[0], detail, 3);
}

ADD(add_vec3)
{
    (void)f;
    add_reals(t, v->real, 3, detail, 1);
}

ADD(add_quat)
{
    (void)f;
    add_reals(t, v->real, 4, detail, 2);
}

/* ---- lossy numbers: the value, and in full also its wire code ---- */

static void add_percent(sb_text *t, float ratio)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    sb_text_add(t, buffer, sb_format_rounded(buffer, ratio * 100, 0));
    sb_text_add_char(t, '%');
}

static void add_code(sb_text *t, int64_t code, sb_detail detail)
{
    if (detail == SB_DETAIL_BRIEF) return;
    sb_text_add_string(t, "  code ");
    sb_text_add_number(t, code);
}

ADD(add_cf16)
{
    (void)f;
    add_real(t, v->real[0], detail, 2);
    if (detail == SB_DETAIL_BRIEF) return;
    sb_text_add_string(t, "  code ");
    sb_text_add_hex_number(t, v->number, 4);
}

ADD(add_ratio)
{
    (void)f;
    add_percent(t, v->real[0]);
    add_code(t, v->number, detail);
}

ADD(add_switch)
{
    int32_t code = (int32_t)v->number;
    (void)f;
    sb_text_add_string(t, code > 0 ? "on " : "off ");
    add_percent(t, v->real[0]);
    add_code(t, code, detail);
}

ADD(add_ratios)
{
    (void)f;
    for (size_t i = 0; i < v->bytes.size; i++) {
        if (i > 0) sb_text_add_char(t, ' ');
        add_percent(t, sb_decode_ratio(v->bytes.data[i]));
    }
    if (detail == SB_DETAIL_BRIEF) return;
    sb_text_add_string(t, "  codes ");
    sb_text_add_bytes(t, v->bytes, v->bytes.size);
}

static void add_vector_code(sb_text *t, const sb_field *f, const sb_value *v)
{
    sb_text_add_string(t, "  code ");
    for (int i = 0; i < 3; i++) {
        sb_text_add_string(t, i == 0 ? "(" : ", ");
        sb_text_add_number(t, v->direction[i]);
    }
    sb_text_add_char(t, ')');
    if (f->kind == SB_KIND_CV4 || f->kind == SB_KIND_CV4B) {
        sb_text_add_char(t, ' ');
        sb_text_add_hex_number(t, v->number, f->kind == SB_KIND_CV4 ? 4 : 2);
    }
    if (f->kind == SB_KIND_CV4F) {
        sb_text_add_string(t, " x ");
        add_real(t, v->real[3], SB_DETAIL_FULL, 2);
    }
}

ADD(add_vector)
{
    add_reals(t, v->real, 3, detail, 2);
    if (detail == SB_DETAIL_FULL) add_vector_code(t, f, v);
}

/* ---- texts and bytes ---- */

ADD(add_text)
{
    (void)f, (void)detail;
    sb_text_add_quoted(t, v->bytes);
}

ADD(add_utf16)
{
    (void)f, (void)detail;
    sb_text_add_quoted_utf16(t, v->bytes);
}

ADD(add_bytes)
{
    (void)f;
    sb_text_add_bytes(t, v->bytes, detail == SB_DETAIL_BRIEF ? 8 : 1024);
}

ADD(add_note)
{
    (void)f, (void)detail;
    sb_text_add(t, (const char *)v->bytes.data, v->bytes.size);
}

#define ROW(kind, name, is_long, text, numbers, write, read) [SB_KIND_##kind] = text,
static void (*const adders[SB_KIND_COUNT])(sb_text *, const sb_field *, const sb_value *,
                                           sb_detail) = { SB_KIND_TABLE(ROW) };

void sb_text_add_value(sb_text *t, const sb_field *f, const sb_value *v, sb_detail detail)
{
    SB_ASSERT((unsigned)f->kind < SB_KIND_COUNT);
    SB_ASSERT(adders[f->kind]); /* a group or list has no value */
    adders[f->kind](t, f, v, detail);
}

/* ---- published names ---- */

void sb_text_add_published_value(sb_text *t, const sb_field *f, const sb_value *v)
{
    if (!f->names || f->kind > SB_KIND_FLAGS) return;
    bool first = true;
    for (const sb_name *n = f->names(); n->name; n++) {
        bool hit = f->kind == SB_KIND_FLAGS ? (v->number & n->value) != 0 : v->number == n->value;
        if (!hit || !n->published) continue;
        if (!first) sb_text_add_char(t, ' ');
        sb_text_add_string(t, n->published);
        first = false;
    }
}

static void add_remark(sb_text *t, const char *remark)
{
    if (!remark) return;
    if (t->size > 0) sb_text_add_string(t, "; ");
    sb_text_add_string(t, remark);
}

void sb_text_add_remarks(sb_text *remarks, const sb_field *f, const sb_value *v)
{
    add_remark(remarks, f->published);
    add_remark(remarks, sb_kind_published(f->kind));
    char    buffer[256];
    sb_text names = { buffer, sizeof buffer - 1, 0 };
    sb_text_add_published_value(&names, f, v);
    buffer[names.size] = '\0';
    if (names.size > 0) add_remark(remarks, buffer);
    if (f->tentative) add_remark(remarks, "meaning inferred");
}
