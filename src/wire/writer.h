/* src/wire/writer.h -- typed values into bytes to be sent.
 *
 * For:      every encoder.
 * May use:  base/; the caller's buffer.
 * Never:    writes past the capacity: the first value that does not fit makes the writer stay
 *           SB_FULL, and nothing of it is written. Ask once, at the end.
 * Spec:     02 §1-§4, §9.
 */
#ifndef SB_WIRE_WRITER_H
#define SB_WIRE_WRITER_H

#include <starbase/base.h>

#include "base/bytes.h"
#include "base/compiler.h"

typedef struct sb_writer {
    uint8_t  *data;
    size_t    capacity; /* set to `at` by a failure */
    size_t    at;
    sb_result status;
    /* The open bit group (spec 02 §4.2). */
    size_t  group_at;
    uint8_t group_used;
    uint8_t group_limit; /* booleans this group may hold; 0: no group open */
    /* Group bytes to imitate, for messages whose sender grouped differently; normally none. */
    uint8_t        plan_count, plan_next;
    const uint8_t *plan;
} sb_writer;

static inline void sb_writer_init(sb_writer *w, uint8_t *data, size_t capacity)
{
    *w = (sb_writer){ .data = data, .capacity = capacity };
}

static inline void sb_writer_fail(sb_writer *w, sb_result why)
{
    if (w->status == SB_OK) w->status = why;
    w->capacity = w->at;
}

static SB_ALWAYS_INLINE uint8_t *sb_writer_take(sb_writer *w, size_t count)
{
    if (SB_UNLIKELY(count > w->capacity - w->at)) {
        sb_writer_fail(w, SB_FULL);
        return NULL;
    }
    uint8_t *bytes = w->data + w->at;
    w->at += count;
    return bytes;
}

static SB_ALWAYS_INLINE void sb_writer_write_u8(sb_writer *w, uint8_t v)
{
    uint8_t *p = sb_writer_take(w, 1);
    if (p) *p = v;
}

static SB_ALWAYS_INLINE void sb_writer_write_u16(sb_writer *w, uint16_t v)
{
    uint8_t *p = sb_writer_take(w, 2);
    if (p) sb_store_u16(p, v);
}

static SB_ALWAYS_INLINE void sb_writer_write_u32(sb_writer *w, uint32_t v)
{
    uint8_t *p = sb_writer_take(w, 4);
    if (p) sb_store_u32(p, v);
}

/* What a reader would refuse is not written (spec 02 §11: never send NaN). */
static SB_ALWAYS_INLINE void sb_writer_write_f32(sb_writer *w, float v)
{
    uint32_t bits = sb_float_bits(v);
    if (SB_UNLIKELY(!sb_bits_finite(bits))) sb_writer_fail(w, SB_BAD_VALUE);
    sb_writer_write_u32(w, bits);
}

static inline void sb_writer_write_bytes(sb_writer *w, const uint8_t *data, size_t size)
{
    uint8_t *p = sb_writer_take(w, size);
    if (p && size > 0) memcpy(p, data, size);
}

static inline void sb_writer_open_group(sb_writer *w)
{
    w->group_at = w->at;
    w->group_used = 0;
    w->group_limit = 5;
    uint8_t byte = 0;
    if (w->plan_next < w->plan_count) {
        byte = w->plan[w->plan_next++];
        w->group_limit = byte >> 5 ? (uint8_t)(byte >> 5) : 1;
    }
    sb_writer_write_u8(w, byte);
}

static SB_ALWAYS_INLINE void sb_writer_write_bit(sb_writer *w, bool v)
{
    if (w->group_used == w->group_limit) sb_writer_open_group(w);
    if (SB_UNLIKELY(w->status != SB_OK)) return;
    uint8_t *byte = w->data + w->group_at;
    unsigned mask = 1u << w->group_used++;
    unsigned bits = v ? *byte | mask : *byte & ~mask;
    /* With a plan the count is the planned one, else it grows with each boolean. */
    if (!w->plan) bits = (bits & 0x1Fu) | (unsigned)w->group_used << 5;
    *byte = (uint8_t)bits;
}

SB_MUST_USE static inline sb_result sb_writer_finish(const sb_writer *w)
{
    return w->status;
}

#endif
