/* src/inspect/value_text.c -- values for people. */
#include "inspect/value_text.h"

#include <starbase/compressed.h>

#include "base/assert.h"
#include "inspect/number_text.h"

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

static void add_hex_code(sb_text *t, uint32_t code, size_t digits, sb_detail detail)
{
    if (detail == SB_DETAIL_BRIEF) return;
    sb_text_add_string(t, "  code ");
    sb_text_add_hex_number(t, code, digits);
}

static size_t hex_digits(sb_kind kind)
{
    return kind == SB_KIND_U8 || kind == SB_KIND_I8 ? 2 : kind == SB_KIND_U16 ? 4 : 8;
}

/* Words that have a name and all 32-bit words are easier to recognise in hex. */
static void add_integer(sb_text *t, const sb_field *f, uint32_t number, sb_detail detail)
{
    const char *name = f->names ? sb_find_name(f->names(), number) : NULL;
    bool        is_signed = f->kind == SB_KIND_I8 || f->kind == SB_KIND_I32;
    bool        hex = f->kind == SB_KIND_U32 || f->kind == SB_KIND_ID;
    if (name && detail == SB_DETAIL_BRIEF) {
        sb_text_add_string(t, name);
        return;
    }
    if (f->kind == SB_KIND_ID && number == 0 && detail == SB_DETAIL_BRIEF)
        sb_text_add_char(t, '0'); /* no object */
    else if (hex) sb_text_add_hex_number(t, number, 8);
    else sb_text_add_number(t, is_signed ? (int32_t)number : (int64_t)number);
    if (detail == SB_DETAIL_FULL && !hex && !is_signed && number > 9) {
        sb_text_add_string(t, "  ");
        sb_text_add_hex_number(t, number, hex_digits(f->kind));
    }
    if (!name) return;
    sb_text_add_string(t, "  ");
    sb_text_add_string(t, name);
}

static void add_flags(sb_text *t, const sb_field *f, uint32_t number, sb_detail detail)
{
    uint32_t rest = number;
    bool     first = true;
    if (detail == SB_DETAIL_FULL) {
        sb_text_add_hex_number(t, number, 2);
        first = false;
    }
    for (const sb_name *n = f->names ? f->names() : NULL; n && n->name; n++) {
        if (!(number & n->value)) continue;
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

static void add_direction(sb_text *t, const sb_field *f, const sb_value *v, sb_detail detail)
{
    if (detail == SB_DETAIL_BRIEF) return;
    sb_text_add_string(t, "  code ");
    for (int i = 0; i < 3; i++) {
        sb_text_add_string(t, i == 0 ? "(" : ", ");
        sb_text_add_number(t, v->direction[i]);
    }
    sb_text_add_char(t, ')');
    if (f->kind == SB_KIND_CV4) {
        sb_text_add_char(t, ' ');
        sb_text_add_hex_number(t, v->number, 4);
    }
    if (f->kind == SB_KIND_CV4B) {
        sb_text_add_char(t, ' ');
        sb_text_add_hex_number(t, v->number, 2);
    }
    if (f->kind == SB_KIND_CV4F) {
        sb_text_add_string(t, " x ");
        add_real(t, v->real[3], detail, 2);
    }
}

static void add_ratios(sb_text *t, sb_span codes, sb_detail detail)
{
    for (size_t i = 0; i < codes.size; i++) {
        if (i > 0) sb_text_add_char(t, ' ');
        add_percent(t, sb_decode_ratio(codes.data[i]));
    }
    if (detail == SB_DETAIL_BRIEF) return;
    sb_text_add_string(t, "  codes ");
    sb_text_add_bytes(t, codes, codes.size);
}

static void add_switch(sb_text *t, const sb_value *v, sb_detail detail)
{
    int32_t code = (int32_t)v->number;
    sb_text_add_string(t, code > 0 ? "on " : "off ");
    add_percent(t, v->real[0]);
    add_code(t, code, detail);
}

static void add_address(sb_text *t, uint32_t address)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    sb_text_add(t, buffer, sb_format_address(buffer, address));
}

void sb_text_add_value(sb_text *t, const sb_field *f, const sb_value *v, sb_detail detail)
{
    size_t most = detail == SB_DETAIL_BRIEF ? 8 : 1024;
    switch (f->kind) {
    case SB_KIND_U8:
    case SB_KIND_I8:
    case SB_KIND_U16:
    case SB_KIND_U32:
    case SB_KIND_I32:
    case SB_KIND_ID: add_integer(t, f, v->number, detail); break;
    case SB_KIND_FLAGS: add_flags(t, f, v->number, detail); break;
    case SB_KIND_BIT: sb_text_add_string(t, v->number ? "yes" : "no"); break;
    case SB_KIND_F32: add_real(t, v->real[0], detail, 3); break;
    case SB_KIND_VEC3:
    case SB_KIND_POSITION: add_reals(t, v->real, 3, detail, 1); break;
    case SB_KIND_QUAT: add_reals(t, v->real, 4, detail, 2); break;
    case SB_KIND_CF16:
        add_real(t, v->real[0], detail, 2);
        add_hex_code(t, v->number, 4, detail);
        break;
    case SB_KIND_CV3:
    case SB_KIND_CV4:
    case SB_KIND_CV4F:
    case SB_KIND_CV4B:
        add_reals(t, v->real, 3, detail, 2);
        add_direction(t, f, v, detail);
        break;
    case SB_KIND_RATIO:
    case SB_KIND_PERCENT:
    case SB_KIND_LEVEL:
        add_percent(t, v->real[0]);
        add_code(t, v->number, detail);
        break;
    case SB_KIND_SWITCH: add_switch(t, v, detail); break;
    case SB_KIND_RATIOS: add_ratios(t, v->bytes, detail); break;
    case SB_KIND_TEXT8:
    case SB_KIND_TEXT16:
    case SB_KIND_TEXT32: sb_text_add_quoted(t, v->bytes); break;
    case SB_KIND_UTF16: sb_text_add_quoted_utf16(t, v->bytes); break;
    case SB_KIND_ADDRESS: add_address(t, v->number); break;
    case SB_KIND_BYTES: sb_text_add_bytes(t, v->bytes, most); break;
    case SB_KIND_NOTE: sb_text_add(t, (const char *)v->bytes.data, v->bytes.size); break;
    case SB_KIND_GROUP:
    case SB_KIND_LIST:
    case SB_KIND_COUNT: SB_ASSERT(false);
    }
}

const char *sb_kind_published(sb_kind kind)
{
    switch (kind) {
    case SB_KIND_CF16: return "CompressedFloat16";
    case SB_KIND_CV3: return "CompressedVector3";
    case SB_KIND_CV4: return "CompressedVector4, cf16";
    case SB_KIND_CV4F: return "CompressedVector4, f32";
    case SB_KIND_CV4B: return "CompressedVector4, byte";
    default: return NULL;
    }
}

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
