/* src/wire/walk.h -- one description of a unit serves reading, writing, showing and building.
 *
 * For:      descriptions. A description is a function that names the fields of a unit (a message or
 *           a control payload) once, in wire order. The same function reads bytes into a struct,
 *           writes a struct to bytes, shows bytes to a sink and builds bytes from a source; so the
 *           decoder, the encoder, printers, JSON and random messages cannot disagree.
 * May use:  base/, reader, writer.
 * Never:    interprets a unit.
 * Tests:    tests/wire/stream_test.c, and tests/message/table_test.c for every message.
 *
 * A description looks like the table of its spec section:
 *
 *     SB_DESCRIBE(score, sb_score)          // spec 09 §7
 *     {
 *         SB_I32(player);
 *         SB_I32(kills);
 *     }
 *
 * and defines sb_read_score, sb_write_score and sb_walk_score. `how` is a constant in the first
 * two, so they compile to straight code; the third calls sinks and sources through kinds.c.
 * Conditions and loops in a description are plain C on the struct's members.
 */
#ifndef SB_WIRE_WALK_H
#define SB_WIRE_WALK_H

#include <starbase/compressed.h>
#include <starbase/field.h>

#include "wire/reader.h"
#include "wire/writer.h"

typedef enum sb_how {
    SB_READ,
    SB_WRITE,
    SB_SLOW, /* a sink or a source, decided at run time */
} sb_how;

typedef struct sb_walk {
    sb_reader        r; /* SB_READ, and SB_SLOW with a sink */
    sb_writer        w; /* SB_WRITE, and SB_SLOW with a source */
    const sb_sink   *sink;
    const sb_source *source;
    const sb_field  *field;    /* SB_SLOW: the last field walked, for the refusal */
    size_t           field_at; /* SB_SLOW: offset of that field */
    const void      *context;  /* extra data for the descriptions: sb_message_context */
    bool             exact;    /* writing: nothing may follow the last field */
} sb_walk;

/* Walk a field the slow way: of any kind but RATIOS, whose struct member is `v`; RATIOS. */
void sb_walk_field(sb_walk *w, const sb_field *f, void *v);
void sb_walk_codes(sb_walk *w, const sb_field *f, uint8_t *codes, size_t count);
/* A text about other fields: sinks get it, sources may contain it, the wire does not. */
void sb_walk_show_note(sb_walk *w, const sb_field *f, const char *text);
/* Enclose a group or a list. `*count`: number of items; when building, the source sets it, at most
 * `max_count`. */
void sb_walk_enter_group(sb_walk *w, const sb_field *f);
void sb_walk_enter_list(sb_walk *w, const sb_field *f, size_t *count, size_t max_count);
void sb_walk_leave(sb_walk *w, const sb_field *f);

/* Fails with SB_TRAILING at the bytes that follow the description. */
void sb_walk_refuse_rest(sb_walk *w);
/* The slow part of sb_walk_count. When building, the source sets the number of items, so the count
 * is written after the source was asked. */
void sb_walk_count_slow(sb_walk *w, const sb_field *f_count, const sb_field *f_list, size_t *count,
                        size_t max_count);

/* True while a unit is built from a source. */
static inline bool sb_walk_builds(const sb_walk *w)
{
    return w->source != NULL;
}

/* True if the walk writes bytes; else it reads them. */
static SB_ALWAYS_INLINE bool sb_walk_writes(const sb_walk *w, const sb_how how)
{
    return how == SB_WRITE || (how == SB_SLOW && sb_walk_builds(w));
}

static SB_ALWAYS_INLINE sb_result sb_walk_status(const sb_walk *w, const sb_how how)
{
    return sb_walk_writes(w, how) ? w->w.status : w->r.status;
}

/* Bytes read or written so far. */
static SB_ALWAYS_INLINE size_t sb_walk_at(const sb_walk *w, const sb_how how)
{
    return sb_walk_writes(w, how) ? sb_writer_at(&w->w) : sb_reader_at(&w->r);
}

static SB_ALWAYS_INLINE void sb_walk_fail(sb_walk *w, const sb_how how, sb_result why)
{
    if (sb_walk_writes(w, how)) sb_writer_fail(&w->w, why);
    else sb_reader_fail(&w->r, why);
}

/* SB_SLOW: true after a failure. */
static inline bool sb_walk_has_failed(const sb_walk *w)
{
    return sb_walk_status(w, SB_SLOW) != SB_OK;
}

/* Decides whether an optional tail is present. The wire has no field for it: the tail is present if
 * bytes are left. Sinks get a boolean without bytes. A source may decide; by default the tail is
 * present. */
void sb_walk_choice(sb_walk *w, const sb_field *f, bool *there);
/* Shows or asks for a rare form of a unit, a field with `rare` set, for which the wire has no
 * field. Sinks get a boolean without bytes, and only if the form is there; a source may choose it.
 */
void sb_walk_rare_form(sb_walk *w, const sb_field *f, bool *there);

#define SB_WALK_SCALAR(suffix, type, reading, writing)                                             \
    static SB_ALWAYS_INLINE void sb_walk_##suffix(sb_walk *w, const sb_how how, const sb_field *f, \
                                                  type *v)                                         \
    {                                                                                              \
        if (how == SB_READ) *v = (type)sb_reader_read_##reading(&w->r);                            \
        else if (how == SB_WRITE) sb_writer_write_##reading(&w->w, (writing)*v);                   \
        else sb_walk_field(w, f, v);                                                               \
    }
SB_WALK_SCALAR(u8, uint8_t, u8, uint8_t)
SB_WALK_SCALAR(i8, int8_t, u8, uint8_t)
SB_WALK_SCALAR(u16, uint16_t, u16, uint16_t)
SB_WALK_SCALAR(u32, uint32_t, u32, uint32_t)
SB_WALK_SCALAR(i32, int32_t, u32, uint32_t)
SB_WALK_SCALAR(bit, bool, bit, bool)
SB_WALK_SCALAR(f32, float, f32, float)
#undef SB_WALK_SCALAR

/* Kinds longer than a scalar; kinds.c and the fast path share these functions. */
sb_vec3 sb_read_vec3(sb_reader *r);
void    sb_write_vec3(sb_writer *w, sb_vec3 v);
sb_quat sb_read_quat(sb_reader *r);
void    sb_write_quat(sb_writer *w, sb_quat v);

static SB_ALWAYS_INLINE void sb_check_coordinate(sb_reader *r, float v)
{
    if (SB_UNLIKELY(v > 1e7f || v < -1e7f)) sb_reader_fail(r, SB_BAD_VALUE); /* spec 12 #4 */
}

static SB_ALWAYS_INLINE sb_vec3 sb_read_position(sb_reader *r)
{
    sb_vec3 v;
    v.x = sb_reader_read_f32(r);
    v.y = sb_reader_read_f32(r);
    v.z = sb_reader_read_f32(r);
    sb_check_coordinate(r, v.x);
    sb_check_coordinate(r, v.y);
    sb_check_coordinate(r, v.z);
    return v;
}

static SB_ALWAYS_INLINE void sb_write_position(sb_writer *w, sb_vec3 v)
{
    bool out_of_range = !(v.x <= 1e7f && v.x >= -1e7f && v.y <= 1e7f && v.y >= -1e7f &&
                          v.z <= 1e7f && v.z >= -1e7f);
    if (SB_UNLIKELY(out_of_range)) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_f32(w, v.x);
    sb_writer_write_f32(w, v.y);
    sb_writer_write_f32(w, v.z);
}

static SB_ALWAYS_INLINE sb_cv3 sb_read_cv3(sb_reader *r)
{
    if (!sb_reader_needs(r, 3)) return (sb_cv3){ 0, 0, 0 };
    sb_cv3 v = { (int8_t)r->next[0], (int8_t)r->next[1], (int8_t)r->next[2] };
    sb_reader_skip(r, 3);
    return v;
}

static SB_ALWAYS_INLINE void sb_write_cv3(sb_writer *w, sb_cv3 v)
{
    if (!sb_writer_check_capacity(w, 3)) return;
    w->next[0] = (uint8_t)v.x;
    w->next[1] = (uint8_t)v.y;
    w->next[2] = (uint8_t)v.z;
    sb_writer_skip(w, 3);
}

static SB_ALWAYS_INLINE sb_cv4 sb_read_cv4(sb_reader *r)
{
    sb_cv3 direction = sb_read_cv3(r);
    return (sb_cv4){ direction, sb_reader_read_u16(r) };
}

static SB_ALWAYS_INLINE void sb_write_cv4(sb_writer *w, sb_cv4 v)
{
    sb_write_cv3(w, v.direction);
    sb_writer_write_u16(w, v.magnitude_code);
}

static inline sb_cv4f sb_read_cv4f(sb_reader *r)
{
    sb_cv3 direction = sb_read_cv3(r);
    return (sb_cv4f){ direction, sb_reader_read_f32(r) };
}

static inline void sb_write_cv4f(sb_writer *w, sb_cv4f v)
{
    sb_write_cv3(w, v.direction);
    sb_writer_write_f32(w, v.magnitude);
}

static inline sb_cv4b sb_read_cv4b(sb_reader *r)
{
    sb_cv3 direction = sb_read_cv3(r);
    return (sb_cv4b){ direction, sb_reader_read_u8(r) };
}

static inline void sb_write_cv4b(sb_writer *w, sb_cv4b v)
{
    sb_write_cv3(w, v.direction);
    sb_writer_write_u8(w, v.magnitude_code);
}

static inline sb_span sb_read_text8(sb_reader *r)
{
    return sb_reader_read_span(r, sb_reader_read_u8(r));
}

static inline void sb_write_text8(sb_writer *w, sb_span v)
{
    if (v.size > 0xFF) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_u8(w, (uint8_t)v.size);
    sb_writer_write_bytes(w, v.data, v.size);
}

static inline sb_span sb_read_text16(sb_reader *r)
{
    return sb_reader_read_span(r, sb_reader_read_u16(r));
}

static inline void sb_write_text16(sb_writer *w, sb_span v)
{
    if (v.size > 0xFFFF) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_u16(w, (uint16_t)v.size);
    sb_writer_write_bytes(w, v.data, v.size);
}

sb_span  sb_read_text32(sb_reader *r);
void     sb_write_text32(sb_writer *w, sb_span v);
sb_span  sb_read_text32z(sb_reader *r);
void     sb_write_text32z(sb_writer *w, sb_span v);
sb_span  sb_read_utf16(sb_reader *r);
uint32_t sb_read_address(sb_reader *r);
void     sb_write_address(sb_writer *w, uint32_t v);

static inline sb_span sb_read_bytes(sb_reader *r)
{
    return sb_reader_read_rest(r);
}

static inline void sb_write_bytes(sb_writer *w, sb_span v)
{
    sb_writer_write_bytes(w, v.data, v.size);
}

static inline void sb_write_utf16(sb_writer *w, sb_span v)
{
    sb_writer_write_bytes(w, v.data, v.size);
}

#define SB_WALK_COMPOSITE(suffix, type)                                                            \
    static SB_ALWAYS_INLINE void sb_walk_##suffix(sb_walk *w, const sb_how how, const sb_field *f, \
                                                  type *v)                                         \
    {                                                                                              \
        if (how == SB_READ) *v = sb_read_##suffix(&w->r);                                          \
        else if (how == SB_WRITE) sb_write_##suffix(&w->w, *v);                                    \
        else sb_walk_field(w, f, v);                                                               \
    }
SB_WALK_COMPOSITE(vec3, sb_vec3)
SB_WALK_COMPOSITE(position, sb_vec3)
SB_WALK_COMPOSITE(quat, sb_quat)
SB_WALK_COMPOSITE(cv3, sb_cv3)
SB_WALK_COMPOSITE(cv4, sb_cv4)
SB_WALK_COMPOSITE(cv4f, sb_cv4f)
SB_WALK_COMPOSITE(cv4b, sb_cv4b)
SB_WALK_COMPOSITE(text8, sb_span)
SB_WALK_COMPOSITE(text16, sb_span)
SB_WALK_COMPOSITE(text32, sb_span)
SB_WALK_COMPOSITE(text32z, sb_span)
SB_WALK_COMPOSITE(utf16, sb_span)
SB_WALK_COMPOSITE(address, uint32_t)
SB_WALK_COMPOSITE(bytes, sb_span)
#undef SB_WALK_COMPOSITE

/* Copies at most 16 bytes: two overlapping moves are faster than a loop or a call. */
static SB_ALWAYS_INLINE void sb_copy_few(uint8_t *to, const uint8_t *from, size_t count)
{
    if (count >= 8) {
        uint64_t head, tail;
        memcpy(&head, from, 8);
        memcpy(&tail, from + count - 8, 8);
        memcpy(to, &head, 8);
        memcpy(to + count - 8, &tail, 8);
    } else if (count >= 4) {
        uint32_t head, tail;
        memcpy(&head, from, 4);
        memcpy(&tail, from + count - 4, 4);
        memcpy(to, &head, 4);
        memcpy(to + count - 4, &tail, 4);
    } else if (count > 0) {
        to[0] = from[0];
        to[count / 2] = from[count / 2];
        to[count - 1] = from[count - 1];
    }
}

static SB_ALWAYS_INLINE void sb_walk_ratios(sb_walk *w, const sb_how how, const sb_field *f,
                                            uint8_t *codes, size_t count)
{
    if (how == SB_READ) {
        if (!sb_reader_needs(&w->r, count)) return;
        sb_copy_few(codes, w->r.next, count);
        sb_reader_skip(&w->r, count);
    } else if (how == SB_WRITE) {
        if (!sb_writer_check_capacity(&w->w, count)) return;
        sb_copy_few(w->w.next, codes, count);
        sb_writer_skip(&w->w, count);
    } else {
        sb_walk_codes(w, f, codes, count);
    }
}

/* Walks the count of a list, a u8 or u16 field, and begins the list. */
static SB_ALWAYS_INLINE void sb_walk_count(sb_walk *w, const sb_how how, const sb_field *f_count,
                                           const sb_field *f_list, size_t *count, size_t max_count)
{
    bool wide = f_count->kind == SB_KIND_U16;
    if (how == SB_READ) {
        *count = wide ? sb_reader_read_u16(&w->r) : sb_reader_read_u8(&w->r);
        if (*count > max_count) sb_reader_fail(&w->r, SB_BAD_VALUE);
        if (w->r.status != SB_OK) *count = 0;
    } else if (how == SB_WRITE) {
        if (*count > max_count) {
            sb_writer_fail(&w->w, SB_BAD_VALUE);
            *count = 0;
        }
        if (wide) sb_writer_write_u16(&w->w, (uint16_t)*count);
        else sb_writer_write_u8(&w->w, (uint8_t)*count);
    } else {
        sb_walk_count_slow(w, f_count, f_list, count, max_count);
    }
}

/* ---- macros for descriptions; they expect w, how and m in scope ---- */

#define SB_FIELD(kind_, name_, walk_, target_, ...)                                                \
    do {                                                                                           \
        static const sb_field field_ = { SB_FIELD_NAME(name_), .kind = kind_, __VA_ARGS__ };       \
        walk_(w, how, &field_, target_);                                                           \
    } while (0)

#define SB_U8(member, ...)    SB_FIELD(SB_KIND_U8, #member, sb_walk_u8, &m->member, __VA_ARGS__)
#define SB_I8(member, ...)    SB_FIELD(SB_KIND_I8, #member, sb_walk_i8, &m->member, __VA_ARGS__)
#define SB_U16(member, ...)   SB_FIELD(SB_KIND_U16, #member, sb_walk_u16, &m->member, __VA_ARGS__)
#define SB_U32(member, ...)   SB_FIELD(SB_KIND_U32, #member, sb_walk_u32, &m->member, __VA_ARGS__)
#define SB_I32(member, ...)   SB_FIELD(SB_KIND_I32, #member, sb_walk_i32, &m->member, __VA_ARGS__)
#define SB_ID(member, ...)    SB_FIELD(SB_KIND_ID, #member, sb_walk_u32, &m->member, __VA_ARGS__)
#define SB_FLAGS(member, ...) SB_FIELD(SB_KIND_FLAGS, #member, sb_walk_u8, &m->member, __VA_ARGS__)
#define SB_BIT(member, ...)   SB_FIELD(SB_KIND_BIT, #member, sb_walk_bit, &m->member, __VA_ARGS__)
#define SB_F32(member, ...)   SB_FIELD(SB_KIND_F32, #member, sb_walk_f32, &m->member, __VA_ARGS__)
#define SB_VEC3(member, ...)  SB_FIELD(SB_KIND_VEC3, #member, sb_walk_vec3, &m->member, __VA_ARGS__)
#define SB_POSITION(member, ...)                                                                   \
    SB_FIELD(SB_KIND_POSITION, #member, sb_walk_position, &m->member, __VA_ARGS__)
#define SB_QUAT(member, ...) SB_FIELD(SB_KIND_QUAT, #member, sb_walk_quat, &m->member, __VA_ARGS__)
#define SB_CF16(member, ...)                                                                       \
    SB_FIELD(SB_KIND_CF16, #member, sb_walk_u16, &m->member##_code, __VA_ARGS__)
#define SB_CV3(member, ...)  SB_FIELD(SB_KIND_CV3, #member, sb_walk_cv3, &m->member, __VA_ARGS__)
#define SB_CV4(member, ...)  SB_FIELD(SB_KIND_CV4, #member, sb_walk_cv4, &m->member, __VA_ARGS__)
#define SB_CV4F(member, ...) SB_FIELD(SB_KIND_CV4F, #member, sb_walk_cv4f, &m->member, __VA_ARGS__)
#define SB_CV4B(member, ...) SB_FIELD(SB_KIND_CV4B, #member, sb_walk_cv4b, &m->member, __VA_ARGS__)
#define SB_RATIO(member, ...)                                                                      \
    SB_FIELD(SB_KIND_RATIO, #member, sb_walk_u8, &m->member##_code, __VA_ARGS__)
#define SB_PERCENT(member, ...)                                                                    \
    SB_FIELD(SB_KIND_PERCENT, #member, sb_walk_u8, &m->member##_code, __VA_ARGS__)
#define SB_LEVEL(member, ...)                                                                      \
    SB_FIELD(SB_KIND_LEVEL, #member, sb_walk_u8, &m->member##_code, __VA_ARGS__)
#define SB_SWITCH(member, ...)                                                                     \
    SB_FIELD(SB_KIND_SWITCH, #member, sb_walk_i8, &m->member##_code, __VA_ARGS__)
#define SB_TEXT8(member, ...)                                                                      \
    SB_FIELD(SB_KIND_TEXT8, #member, sb_walk_text8, &m->member, __VA_ARGS__)
#define SB_TEXT16(member, ...)                                                                     \
    SB_FIELD(SB_KIND_TEXT16, #member, sb_walk_text16, &m->member, __VA_ARGS__)
#define SB_TEXT32(member, ...)                                                                     \
    SB_FIELD(SB_KIND_TEXT32, #member, sb_walk_text32, &m->member, __VA_ARGS__)
#define SB_TEXT32Z(member, ...)                                                                    \
    SB_FIELD(SB_KIND_TEXT32Z, #member, sb_walk_text32z, &m->member, __VA_ARGS__)
#define SB_UTF16(member, ...)                                                                      \
    SB_FIELD(SB_KIND_UTF16, #member, sb_walk_utf16, &m->member, __VA_ARGS__)
#define SB_ADDRESS(member, ...)                                                                    \
    SB_FIELD(SB_KIND_ADDRESS, #member, sb_walk_address, &m->member, __VA_ARGS__)
#define SB_BYTES(member, ...)                                                                      \
    SB_FIELD(SB_KIND_BYTES, #member, sb_walk_bytes, &m->member, __VA_ARGS__)

/* Checks once for several fixed fields: unless all `count_` bytes fit, none is read or written. */
#define SB_NEEDS(count_)                                                                           \
    do {                                                                                           \
        if (how == SB_READ && !sb_reader_needs(&w->r, count_)) return;                             \
        if (how == SB_WRITE && !sb_writer_check_capacity(&w->w, count_)) return;                   \
    } while (0)

/* Starts a description and defines sb_read_*, sb_write_* and sb_walk_* of that name. The first two
 * work on a local copy of the reader or writer, which the compiler keeps in registers. */
#define SB_DESCRIBE(name, type)                                                                    \
    static SB_ALWAYS_INLINE void name##_fields(sb_walk *w, const sb_how how, type *m);             \
    void                         sb_read_##name(sb_walk *w, void *m)                               \
    {                                                                                              \
        sb_walk in;                                                                                \
        in.r = w->r;                                                                               \
        in.context = w->context;                                                                   \
        name##_fields(&in, SB_READ, m);                                                            \
        w->r = in.r;                                                                               \
    }                                                                                              \
    void sb_write_##name(sb_walk *w, void *m)                                                      \
    {                                                                                              \
        sb_walk out;                                                                               \
        out.w = w->w;                                                                              \
        out.context = w->context;                                                                  \
        name##_fields(&out, SB_WRITE, m);                                                          \
        w->w = out.w;                                                                              \
    }                                                                                              \
    void sb_walk_##name(sb_walk *w, void *m)                                                       \
    {                                                                                              \
        name##_fields(w, SB_SLOW, m);                                                              \
    }                                                                                              \
    static SB_ALWAYS_INLINE void name##_fields(sb_walk *w, const sb_how how, type *m)

#define SB_DECLARE_DESCRIPTION(name)                                                               \
    void sb_read_##name(sb_walk *w, void *m);                                                      \
    void sb_write_##name(sb_walk *w, void *m);                                                     \
    void sb_walk_##name(sb_walk *w, void *m);

#endif
