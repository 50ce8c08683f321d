/* src/wire/writer.h -- typed values into bytes to be sent.
 *
 * For:      every encoder. Writes need no check between them: the caller checks once, at the end.
 * May use:  base/; the caller's buffer.
 * Never:    writes past the capacity: a value that does not fit is not written at all, and the
 *           writer stays SB_FULL from then on.
 * Spec:     02 §1 to §4, §9; reader.h draws the group byte.
 * Tests:    tests/wire/stream_test.c
 */
#ifndef SB_WIRE_WRITER_H
#define SB_WIRE_WRITER_H

#include <starbase/base.h>

#include "base/bytes.h"
#include "base/compiler.h"

typedef struct sb_writer {
    uint8_t  *data;
    uint8_t  *next;
    size_t    left; /* free bytes from `next` on; 0 after a failure */
    sb_result status;
    /* The open bit group (spec 02 §4.2). */
    uint8_t  group_used;
    uint8_t  group_limit; /* booleans that the group can hold; 0: no group is open */
    uint8_t *group_byte;
    /* Group bytes to reproduce, for a message whose sender did not group its booleans as spec 02
     * §4.2 says; normally none. */
    uint8_t        plan_count, plan_next;
    const uint8_t *plan;
} sb_writer;

static SB_ALWAYS_INLINE void sb_writer_init(sb_writer *w, uint8_t *data, size_t capacity)
{
    w->data = data;
    w->next = data;
    w->left = capacity;
    w->status = SB_OK;
    w->group_used = 0;
    w->group_limit = 0;
    w->group_byte = NULL;
    w->plan_count = 0;
    w->plan_next = 0;
    w->plan = NULL;
}

static SB_ALWAYS_INLINE void sb_writer_fail(sb_writer *w, sb_result why)
{
    if (w->status == SB_OK) w->status = why;
    w->left = 0;
}

static SB_ALWAYS_INLINE size_t sb_writer_at(const sb_writer *w)
{
    return w->data ? (size_t)(w->next - w->data) : 0;
}

static SB_ALWAYS_INLINE bool sb_writer_check_capacity(sb_writer *w, size_t count)
{
    if (SB_LIKELY(w->left >= count)) return true;
    sb_writer_fail(w, SB_FULL);
    return false;
}

static SB_ALWAYS_INLINE void sb_writer_skip(sb_writer *w, size_t count)
{
    w->next += count;
    w->left -= count;
}

static SB_ALWAYS_INLINE void sb_writer_write_u8(sb_writer *w, uint8_t v)
{
    if (!sb_writer_check_capacity(w, 1)) return;
    w->next[0] = v;
    sb_writer_skip(w, 1);
}

static SB_ALWAYS_INLINE void sb_writer_write_u16(sb_writer *w, uint16_t v)
{
    if (!sb_writer_check_capacity(w, 2)) return;
    sb_store_u16(w->next, v);
    sb_writer_skip(w, 2);
}

static SB_ALWAYS_INLINE void sb_writer_write_u32(sb_writer *w, uint32_t v)
{
    if (!sb_writer_check_capacity(w, 4)) return;
    sb_store_u32(w->next, v);
    sb_writer_skip(w, 4);
}

/* Refuses infinities and NaN, like the reader (spec 02 §11: never send NaN). */
static SB_ALWAYS_INLINE void sb_writer_write_f32(sb_writer *w, float v)
{
    uint32_t bits = sb_float_bits(v);
    if (SB_UNLIKELY(!sb_bits_finite(bits))) {
        sb_writer_fail(w, SB_BAD_VALUE);
        return;
    }
    sb_writer_write_u32(w, bits);
}

static SB_ALWAYS_INLINE void sb_writer_write_bytes(sb_writer *w, const uint8_t *data, size_t size)
{
    if (size == 0 || !sb_writer_check_capacity(w, size)) return;
    memcpy(w->next, data, size);
    sb_writer_skip(w, size);
}

static SB_ALWAYS_INLINE bool sb_writer_open_group(sb_writer *w)
{
    if (!sb_writer_check_capacity(w, 1)) return false;
    unsigned byte = 0;
    w->group_limit = 5;
    if (SB_UNLIKELY(w->plan_next < w->plan_count)) {
        byte = w->plan[w->plan_next++];
        w->group_limit = byte >= 0x20 ? (uint8_t)(byte >> 5) : 1;
    }
    w->group_byte = w->next;
    w->group_used = 0;
    w->next[0] = (uint8_t)byte;
    sb_writer_skip(w, 1);
    return true;
}

/* After a failure the open group may still change; no other group is opened. */
static SB_ALWAYS_INLINE void sb_writer_write_bit(sb_writer *w, bool v)
{
    if (w->group_used == w->group_limit && !sb_writer_open_group(w)) return;
    unsigned at = w->group_used++, byte = *w->group_byte;
    /* A planned group byte already holds its count; else the count grows with each boolean. */
    if (SB_LIKELY(!w->plan)) byte += 0x20u + ((unsigned)v << at);
    else byte = (byte & ~(1u << at)) | (unsigned)v << at;
    *w->group_byte = (uint8_t)byte;
}

SB_MUST_USE static inline sb_result sb_writer_finish(const sb_writer *w)
{
    return w->status;
}

#endif
