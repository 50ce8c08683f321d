/* src/wire/kinds.c -- slow walks: converts every kind between bytes, struct member and sb_value.
 *
 * For:      sinks (bytes are read and shown) and sources (values are asked for and written).
 * Never:    called by a running server: the fast walks read and write without it.
 * Tests:    tests/message/table_test.c
 */
#include "wire/walk.h"

sb_vec3 sb_read_vec3(sb_reader *r)
{
    sb_vec3 v;
    v.x = sb_reader_read_f32(r);
    v.y = sb_reader_read_f32(r);
    v.z = sb_reader_read_f32(r);
    return v;
}

void sb_write_vec3(sb_writer *w, sb_vec3 v)
{
    sb_writer_write_f32(w, v.x);
    sb_writer_write_f32(w, v.y);
    sb_writer_write_f32(w, v.z);
}

sb_quat sb_read_quat(sb_reader *r)
{
    sb_quat v;
    v.w = sb_reader_read_f32(r);
    v.x = sb_reader_read_f32(r);
    v.y = sb_reader_read_f32(r);
    v.z = sb_reader_read_f32(r);
    return v;
}

void sb_write_quat(sb_writer *w, sb_quat v)
{
    sb_writer_write_f32(w, v.w);
    sb_writer_write_f32(w, v.x);
    sb_writer_write_f32(w, v.y);
    sb_writer_write_f32(w, v.z);
}

sb_span sb_read_text32(sb_reader *r)
{
    return sb_reader_read_span(r, sb_reader_read_u32(r));
}

void sb_write_text32(sb_writer *w, sb_span v)
{
    if (v.size > 0x7FFFFFFF) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_u32(w, (uint32_t)v.size);
    sb_writer_write_bytes(w, v.data, v.size);
}

/* The length counts the NUL, which is not part of the text. */
sb_span sb_read_text32z(sb_reader *r)
{
    sb_span text = sb_read_text32(r);
    if (text.size == 0 || text.data[text.size - 1] != 0) {
        sb_reader_fail(r, SB_BAD_VALUE);
        return (sb_span){ NULL, 0 };
    }
    return (sb_span){ text.data, text.size - 1 };
}

void sb_write_text32z(sb_writer *w, sb_span v)
{
    if (v.size >= 0x7FFFFFFF) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_u32(w, (uint32_t)v.size + 1);
    sb_writer_write_bytes(w, v.data, v.size);
    sb_writer_write_u8(w, 0);
}

/* The text with its terminator; without a terminator, all bytes (spec 01 §13 Q3). */
sb_span sb_read_utf16(sb_reader *r)
{
    const uint8_t *p = r->next;
    size_t         left = r->left, size = 0;
    while (size + 2 <= left) {
        size += 2;
        if (p[size - 2] == 0 && p[size - 1] == 0) return sb_reader_read_span(r, size);
    }
    return sb_reader_read_span(r, left);
}

uint32_t sb_read_address(sb_reader *r)
{
    sb_span s = sb_reader_read_span(r, 4);
    if (s.size == 0) return 0;
    const uint8_t *p = s.data;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void sb_write_address(sb_writer *w, uint32_t v)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(v >> (24 - 8 * i));
    sb_writer_write_bytes(w, bytes, 4);
}

/* ---- one row per kind ---- */

typedef struct kind_row {
    void (*read)(sb_reader *r, void *v, size_t count);
    void (*write)(sb_writer *w, const void *v, size_t count);
    void (*load)(const void *v, sb_value *out, size_t count);    /* struct member to value */
    void (*store)(void *v, const sb_value *value, size_t count); /* value to struct member */
} kind_row;

#define SCALAR(suffix, type, number_type)                                                          \
    static void read_##suffix(sb_reader *r, void *v, size_t count)                                 \
    {                                                                                              \
        (void)count;                                                                               \
        *(type *)v = (type)sb_reader_read_##suffix(r);                                             \
    }                                                                                              \
    static void write_##suffix(sb_writer *w, const void *v, size_t count)                          \
    {                                                                                              \
        (void)count;                                                                               \
        sb_writer_write_##suffix(w, *(const type *)v);                                             \
    }                                                                                              \
    static void load_##suffix(const void *v, sb_value *out, size_t count)                          \
    {                                                                                              \
        (void)count;                                                                               \
        out->number = (uint32_t)(number_type) * (const type *)v;                                   \
    }                                                                                              \
    static void store_##suffix(void *v, const sb_value *value, size_t count)                       \
    {                                                                                              \
        (void)count;                                                                               \
        *(type *)v = (type)value->number;                                                          \
    }
SCALAR(u8, uint8_t, uint32_t)
SCALAR(u16, uint16_t, uint32_t)
SCALAR(u32, uint32_t, uint32_t)
SCALAR(bit, bool, uint32_t)

#define COMPOSITE(suffix, type)                                                                    \
    static void read_##suffix(sb_reader *r, void *v, size_t count)                                 \
    {                                                                                              \
        (void)count;                                                                               \
        *(type *)v = sb_read_##suffix(r);                                                          \
    }                                                                                              \
    static void write_##suffix(sb_writer *w, const void *v, size_t count)                          \
    {                                                                                              \
        (void)count;                                                                               \
        sb_write_##suffix(w, *(const type *)v);                                                    \
    }
COMPOSITE(vec3, sb_vec3)
COMPOSITE(position, sb_vec3)
COMPOSITE(quat, sb_quat)
COMPOSITE(cv3, sb_cv3)
COMPOSITE(cv4, sb_cv4)
COMPOSITE(cv4f, sb_cv4f)
COMPOSITE(cv4b, sb_cv4b)
COMPOSITE(text8, sb_span)
COMPOSITE(text16, sb_span)
COMPOSITE(text32, sb_span)
COMPOSITE(text32z, sb_span)
COMPOSITE(utf16, sb_span)
COMPOSITE(address, uint32_t)
COMPOSITE(bytes, sb_span)

static void load_i8(const void *v, sb_value *out, size_t count)
{
    (void)count;
    out->number = (uint32_t)(int32_t) * (const int8_t *)v;
}

static void read_f32(sb_reader *r, void *v, size_t count)
{
    (void)count;
    *(float *)v = sb_reader_read_f32(r);
}

static void write_f32(sb_writer *w, const void *v, size_t count)
{
    (void)count;
    sb_writer_write_f32(w, *(const float *)v);
}

static void load_f32(const void *v, sb_value *out, size_t count)
{
    (void)count;
    out->real[0] = *(const float *)v;
}

static void store_f32(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(float *)v = value->real[0];
}

static void load_vec(sb_vec3 v, sb_value *out)
{
    out->real[0] = v.x;
    out->real[1] = v.y;
    out->real[2] = v.z;
}

static void load_vec3(const void *v, sb_value *out, size_t count)
{
    (void)count;
    load_vec(*(const sb_vec3 *)v, out);
}

static void store_vec3(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_vec3 *)v = (sb_vec3){ value->real[0], value->real[1], value->real[2] };
}

static void load_quat(const void *v, sb_value *out, size_t count)
{
    (void)count;
    const sb_quat *q = v;
    out->real[0] = q->w;
    out->real[1] = q->x;
    out->real[2] = q->y;
    out->real[3] = q->z;
}

static void store_quat(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_quat *)v = (sb_quat){ value->real[0], value->real[1], value->real[2], value->real[3] };
}

static void load_cf16(const void *v, sb_value *out, size_t count)
{
    load_u16(v, out, count);
    out->real[0] = sb_decode_cf16((uint16_t)out->number);
}

static void load_direction(sb_cv3 v, sb_value *out)
{
    out->direction[0] = v.x;
    out->direction[1] = v.y;
    out->direction[2] = v.z;
}

static sb_cv3 direction_from(const sb_value *value)
{
    return (sb_cv3){ value->direction[0], value->direction[1], value->direction[2] };
}

static void load_cv3(const void *v, sb_value *out, size_t count)
{
    (void)count;
    load_direction(*(const sb_cv3 *)v, out);
    load_vec(sb_decode_cv3(*(const sb_cv3 *)v), out);
}

static void store_cv3(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_cv3 *)v = direction_from(value);
}

static void load_cv4(const void *v, sb_value *out, size_t count)
{
    (void)count;
    const sb_cv4 *c = v;
    load_direction(c->direction, out);
    out->number = c->magnitude_code;
    load_vec(sb_decode_cv4(*c), out);
}

static void store_cv4(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_cv4 *)v = (sb_cv4){ direction_from(value), (uint16_t)value->number };
}

static void load_cv4f(const void *v, sb_value *out, size_t count)
{
    (void)count;
    const sb_cv4f *c = v;
    load_direction(c->direction, out);
    load_vec(sb_decode_cv4f(*c), out);
    out->real[3] = c->magnitude;
}

static void store_cv4f(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_cv4f *)v = (sb_cv4f){ direction_from(value), value->real[3] };
}

static void load_cv4b(const void *v, sb_value *out, size_t count)
{
    (void)count;
    const sb_cv4b *c = v;
    load_direction(c->direction, out);
    out->number = c->magnitude_code;
    load_vec(sb_decode_cv4b(*c, 1.0f), out); /* in units of the radius, which is not known here */
}

static void store_cv4b(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_cv4b *)v = (sb_cv4b){ direction_from(value), (uint8_t)value->number };
}

static void load_ratio(const void *v, sb_value *out, size_t count)
{
    load_u8(v, out, count);
    out->real[0] = sb_decode_ratio((uint8_t)out->number);
}

static void load_percent(const void *v, sb_value *out, size_t count)
{
    load_u8(v, out, count);
    out->real[0] = sb_decode_power_pct((uint8_t)out->number);
}

static void load_level(const void *v, sb_value *out, size_t count)
{
    load_u8(v, out, count);
    out->real[0] = sb_decode_power_level((uint8_t)out->number);
}

static void load_switch(const void *v, sb_value *out, size_t count)
{
    bool on;
    load_i8(v, out, count);
    out->real[0] = sb_decode_power_switch(*(const int8_t *)v, &on);
}

static void read_ratios(sb_reader *r, void *v, size_t count)
{
    sb_span span = sb_reader_read_span(r, count);
    if (span.size > 0) memcpy(v, span.data, count);
}

static void write_ratios(sb_writer *w, const void *v, size_t count)
{
    sb_writer_write_bytes(w, v, count);
}

static void load_ratios(const void *v, sb_value *out, size_t count)
{
    out->bytes = (sb_span){ v, count };
}

static void store_ratios(void *v, const sb_value *value, size_t count)
{
    SB_ASSERT(value->bytes.size == count);
    if (count > 0) memmove(v, value->bytes.data, count);
}

static void load_bytes(const void *v, sb_value *out, size_t count)
{
    (void)count;
    out->bytes = *(const sb_span *)v;
}

static void store_bytes(void *v, const sb_value *value, size_t count)
{
    (void)count;
    *(sb_span *)v = value->bytes;
}

/* clang-format off */
static const kind_row kinds[SB_KIND_COUNT] = {
    [SB_KIND_U8]       = { read_u8,       write_u8,       load_u8,      store_u8 },
    [SB_KIND_I8]       = { read_u8,       write_u8,       load_i8,      store_u8 },
    [SB_KIND_U16]      = { read_u16,      write_u16,      load_u16,     store_u16 },
    [SB_KIND_U32]      = { read_u32,      write_u32,      load_u32,     store_u32 },
    [SB_KIND_I32]      = { read_u32,      write_u32,      load_u32,     store_u32 },
    [SB_KIND_ID]       = { read_u32,      write_u32,      load_u32,     store_u32 },
    [SB_KIND_FLAGS]    = { read_u8,       write_u8,       load_u8,      store_u8 },
    [SB_KIND_BIT]      = { read_bit,      write_bit,      load_bit,     store_bit },
    [SB_KIND_F32]      = { read_f32,      write_f32,      load_f32,     store_f32 },
    [SB_KIND_VEC3]     = { read_vec3,     write_vec3,     load_vec3,    store_vec3 },
    [SB_KIND_POSITION] = { read_position, write_position, load_vec3,    store_vec3 },
    [SB_KIND_QUAT]     = { read_quat,     write_quat,     load_quat,    store_quat },
    [SB_KIND_CF16]     = { read_u16,      write_u16,      load_cf16,    store_u16 },
    [SB_KIND_CV3]      = { read_cv3,      write_cv3,      load_cv3,     store_cv3 },
    [SB_KIND_CV4]      = { read_cv4,      write_cv4,      load_cv4,     store_cv4 },
    [SB_KIND_CV4F]     = { read_cv4f,     write_cv4f,     load_cv4f,    store_cv4f },
    [SB_KIND_CV4B]     = { read_cv4b,     write_cv4b,     load_cv4b,    store_cv4b },
    [SB_KIND_RATIO]    = { read_u8,       write_u8,       load_ratio,   store_u8 },
    [SB_KIND_RATIOS]   = { read_ratios,   write_ratios,   load_ratios,  store_ratios },
    [SB_KIND_PERCENT]  = { read_u8,       write_u8,       load_percent, store_u8 },
    [SB_KIND_LEVEL]    = { read_u8,       write_u8,       load_level,   store_u8 },
    [SB_KIND_SWITCH]   = { read_u8,       write_u8,       load_switch,  store_u8 },
    [SB_KIND_TEXT8]    = { read_text8,    write_text8,    load_bytes,   store_bytes },
    [SB_KIND_TEXT16]   = { read_text16,   write_text16,   load_bytes,   store_bytes },
    [SB_KIND_TEXT32]   = { read_text32,   write_text32,   load_bytes,   store_bytes },
    [SB_KIND_TEXT32Z]  = { read_text32z,  write_text32z,  load_bytes,   store_bytes },
    [SB_KIND_UTF16]    = { read_utf16,    write_utf16,    load_bytes,   store_bytes },
    [SB_KIND_ADDRESS]  = { read_address,  write_address,  load_u32,     store_u32 },
    [SB_KIND_BYTES]    = { read_bytes,    write_bytes,    load_bytes,   store_bytes },
};
/* clang-format on */

/* Remembers the field for the refusal. */
static void set_current_field(sb_walk *w, const sb_field *f)
{
    w->field = f;
    w->field_at = sb_walk_at(w, SB_SLOW);
}

static void show_field(sb_walk *w, const sb_field *f, void *v, size_t count)
{
    const kind_row *kind = &kinds[f->kind];
    size_t          at = sb_reader_at(&w->r);
    kind->read(&w->r, v, count);
    if (w->r.status != SB_OK) return;
    sb_value value = { 0 };
    kind->load(v, &value, count);
    size_t size = sb_reader_at(&w->r) - at;
    if (f->kind == SB_KIND_BIT) { /* its group byte may lie before other fields */
        at = (size_t)(w->r.group_byte - w->r.data);
        size = 1;
    }
    w->sink->value(w->sink->self, f, &value, at, size);
}

static void build_field(sb_walk *w, const sb_field *f, void *v, size_t count)
{
    const kind_row *kind = &kinds[f->kind];
    sb_value        value = { 0 };
    kind->load(v, &value, count);
    sb_answer answer = w->source->value(w->source->self, f, &value, count);
    if (f->kind == SB_KIND_RATIOS && value.bytes.size != count) answer = SB_REFUSED;
    if (answer == SB_REFUSED) sb_writer_fail(&w->w, SB_BAD_VALUE);
    if (answer == SB_GIVEN) kind->store(v, &value, count);
    kind->write(&w->w, v, count);
}

static void walk_value(sb_walk *w, const sb_field *f, void *v, size_t count)
{
    SB_ASSERT((unsigned)f->kind < SB_KIND_COUNT);
    SB_ASSERT(kinds[f->kind].read); /* not NOTE, GROUP or LIST */
    if (sb_walk_has_failed(w)) return;
    set_current_field(w, f);
    if (w->source) build_field(w, f, v, count);
    else show_field(w, f, v, count);
}

void sb_walk_field(sb_walk *w, const sb_field *f, void *v)
{
    walk_value(w, f, v, 0);
}

void sb_walk_codes(sb_walk *w, const sb_field *f, uint8_t *codes, size_t count)
{
    walk_value(w, f, codes, count);
}

void sb_walk_refuse_rest(sb_walk *w)
{
    static const sb_field rest = { SB_FIELD_NAME("trailing"), .kind = SB_KIND_BYTES };
    w->field = &rest;
    w->field_at = sb_reader_at(&w->r);
    sb_reader_fail(&w->r, SB_TRAILING);
}

void sb_walk_show_note(sb_walk *w, const sb_field *f, const char *text)
{
    if (sb_walk_has_failed(w) || !text) return;
    sb_value value = { .bytes = { (const uint8_t *)text, strlen(text) } };
    if (!w->source) w->sink->value(w->sink->self, f, &value, sb_reader_at(&w->r), 0);
    else (void)w->source->has(w->source->self, f); /* lets the source accept the key */
}

void sb_walk_choice(sb_walk *w, const sb_field *f, bool *there)
{
    if (sb_walk_has_failed(w)) return;
    set_current_field(w, f);
    sb_value value = { .number = w->source ? 1 : w->r.left > 0 };
    if (!w->source) w->sink->value(w->sink->self, f, &value, sb_reader_at(&w->r), 0);
    else if (w->source->value(w->source->self, f, &value, 0) == SB_REFUSED)
        sb_writer_fail(&w->w, SB_BAD_VALUE);
    *there = value.number != 0;
}

void sb_walk_rare_form(sb_walk *w, const sb_field *f, bool *there)
{
    if (sb_walk_has_failed(w)) return;
    sb_value value = { .number = !w->source && *there };
    set_current_field(w, f);
    if (!w->source && *there) w->sink->value(w->sink->self, f, &value, sb_reader_at(&w->r), 0);
    if (w->source && w->source->has(w->source->self, f) &&
        w->source->value(w->source->self, f, &value, 0) == SB_REFUSED)
        sb_writer_fail(&w->w, SB_BAD_VALUE);
    *there = value.number != 0;
}

void sb_walk_enter_group(sb_walk *w, const sb_field *f)
{
    size_t count;
    sb_walk_enter_list(w, f, &count, 1);
}

void sb_walk_enter_list(sb_walk *w, const sb_field *f, size_t *count, size_t max_count)
{
    if (sb_walk_has_failed(w)) {
        if (w->source) *count = 0;
        return;
    }
    set_current_field(w, f);
    if (!w->source) {
        w->sink->enter(w->sink->self, f);
        return;
    }
    *count = max_count;
    sb_answer answer = w->source->enter(w->source->self, f, count);
    if (answer != SB_GIVEN) *count = 0;
    if (answer == SB_REFUSED || *count > max_count) {
        sb_writer_fail(&w->w, SB_BAD_VALUE);
        *count = 0;
    }
}

static void store_count(sb_writer *w, size_t at, bool wide, size_t count)
{
    if (w->status != SB_OK) return;
    if (wide) sb_store_u16(w->data + at, (uint16_t)count);
    else w->data[at] = (uint8_t)count;
}

void sb_walk_count_slow(sb_walk *w, const sb_field *f_count, const sb_field *f_list, size_t *count,
                        size_t max_count)
{
    bool     wide = f_count->kind == SB_KIND_U16;
    size_t   at = sb_writer_at(&w->w);
    uint16_t number = 0;
    if (w->source) {
        /* The list gives the count; asking lets the source accept the key. */
        (void)w->source->has(w->source->self, f_count);
        sb_writer_write_bytes(&w->w, (const uint8_t[2]){ 0, 0 }, wide ? 2 : 1);
        sb_walk_enter_list(w, f_list, count, max_count);
        store_count(&w->w, at, wide, *count);
        return;
    }
    uint8_t narrow = 0;
    sb_walk_field(w, f_count, wide ? (void *)&number : (void *)&narrow);
    *count = wide ? number : narrow;
    if (*count > max_count) sb_reader_fail(&w->r, SB_BAD_VALUE);
    if (w->r.status != SB_OK) *count = 0;
    sb_walk_enter_list(w, f_list, count, max_count);
}

void sb_walk_leave(sb_walk *w, const sb_field *f)
{
    if (sb_walk_has_failed(w)) return; /* after an error, `end` is not called */
    if (w->source) w->source->leave(w->source->self, f);
    else w->sink->leave(w->sink->self, f);
}
