/* src/wire/reader.h -- typed values out of received bytes.
 *
 * For:      every decoder. Nothing else in the project indexes into packet bytes.
 * May use:  base/; the caller's buffer, read-only.
 * Never:    allocates, logs, or decides what a value means.
 * Spec:     02 §1-§4, §9.
 *
 * Reads need no check between them: after the first failure each returns 0 and moves nothing.
 * Ask once, at the end. Only a value that steers a loop or an index is checked where it is read.
 */
#ifndef SB_WIRE_READER_H
#define SB_WIRE_READER_H

#include <starbase/base.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/compiler.h"

/* Group bytes of one message: at worst one per boolean of the longest list. */
enum { SB_GROUPS_MAX = 40 };

typedef struct sb_reader {
    const uint8_t *data;   /* borrowed: outlives the reader */
    size_t         size;   /* set to `at` by a failure, so that nothing more can be read */
    size_t         at;     /* invariant: at <= size */
    sb_result      status; /* SB_OK until the first bad read, then stuck there */
    /* The open bit group (spec 02 §4.3): it stays open while other values are read. */
    uint8_t group_bits;             /* booleans not yet handed out, next one in bit 0 */
    uint8_t group_left;             /* how many those are; 0: no group open */
    uint8_t group_count;            /* group bytes met so far ... */
    uint8_t groups[SB_GROUPS_MAX];  /* ... and what they were */
    size_t  group_at;               /* position of the last one */
} sb_reader;

static inline void sb_reader_init(sb_reader *r, const uint8_t *data, size_t size)
{
    r->data = data;
    r->size = size;
    r->at = 0;
    r->status = SB_OK;
    r->group_bits = 0;
    r->group_left = 0;
    r->group_count = 0;
    r->group_at = 0;
}

/* The first reason counts; the position stays where it happened. */
static inline void sb_reader_fail(sb_reader *r, sb_result why)
{
    if (r->status == SB_OK) r->status = why;
    r->size = r->at;
}

static inline size_t sb_reader_left(const sb_reader *r)
{
    return r->size - r->at;
}

/* The next `count` bytes, or NULL with SB_TRUNCATED. `at + count` could wrap, this cannot. */
static SB_ALWAYS_INLINE const uint8_t *sb_reader_take(sb_reader *r, size_t count)
{
    if (SB_UNLIKELY(count > r->size - r->at)) {
        sb_reader_fail(r, SB_TRUNCATED);
        return NULL;
    }
    const uint8_t *bytes = r->data + r->at;
    r->at += count;
    return bytes;
}

static SB_ALWAYS_INLINE uint8_t sb_reader_read_u8(sb_reader *r)
{
    const uint8_t *p = sb_reader_take(r, 1);
    return p ? *p : 0;
}

static SB_ALWAYS_INLINE uint16_t sb_reader_read_u16(sb_reader *r)
{
    const uint8_t *p = sb_reader_take(r, 2);
    return p ? sb_load_u16(p) : 0;
}

static SB_ALWAYS_INLINE uint32_t sb_reader_read_u32(sb_reader *r)
{
    const uint8_t *p = sb_reader_take(r, 4);
    return p ? sb_load_u32(p) : 0;
}

/* Non-finite numbers are refused wherever an f32 stands (spec 02 §9, 08 §1.3, 12 #18). */
static SB_ALWAYS_INLINE float sb_reader_read_f32(sb_reader *r)
{
    const uint8_t *p = sb_reader_take(r, 4);
    if (SB_UNLIKELY(!p)) return 0;
    uint32_t bits = sb_load_u32(p);
    if (SB_UNLIKELY(!sb_bits_finite(bits))) {
        r->at -= 4;
        sb_reader_fail(r, SB_BAD_VALUE);
        return 0;
    }
    return sb_bits_float(bits);
}

static inline sb_span sb_reader_read_span(sb_reader *r, size_t count)
{
    const uint8_t *p = sb_reader_take(r, count);
    return p ? (sb_span){ p, count } : (sb_span){ NULL, 0 };
}

static inline sb_span sb_reader_read_rest(sb_reader *r)
{
    return sb_reader_read_span(r, sb_reader_left(r));
}

/* Opens the group byte at the current position; false: none, or one the spec calls malformed. */
static inline bool sb_reader_open_group(sb_reader *r)
{
    size_t  at = r->at;
    uint8_t byte = sb_reader_read_u8(r);
    if (r->status != SB_OK) return false;
    unsigned count = byte >> 5;
    if (count > 5 || r->group_count == SB_GROUPS_MAX) {
        r->at = at;
        sb_reader_fail(r, SB_BAD_VALUE);
        return false;
    }
    r->groups[r->group_count++] = byte;
    r->group_at = at;
    r->group_bits = byte & 0x1F;
    r->group_left = count ? (uint8_t)count : 1; /* count 0 behaves like 1: spec 02 §4.3 */
    return true;
}

static SB_ALWAYS_INLINE bool sb_reader_read_bit(sb_reader *r)
{
    if (r->group_left == 0 && !sb_reader_open_group(r)) return false;
    bool value = r->group_bits & 1;
    r->group_bits >>= 1;
    r->group_left--;
    return value;
}

/* A place to come back to when what follows turns out not to be what it seemed. */
typedef struct sb_reader_mark {
    size_t    size, at, group_at;
    sb_result status;
    uint8_t   group_bits, group_left, group_count;
} sb_reader_mark;

static SB_ALWAYS_INLINE sb_reader_mark sb_reader_marked(const sb_reader *r)
{
    return (sb_reader_mark){ r->size,       r->at,         r->group_at,   r->status,
                             r->group_bits, r->group_left, r->group_count };
}

static inline void sb_reader_return(sb_reader *r, const sb_reader_mark *mark)
{
    r->size = mark->size;
    r->at = mark->at;
    r->group_at = mark->group_at;
    r->status = mark->status;
    r->group_bits = mark->group_bits;
    r->group_left = mark->group_left;
    r->group_count = mark->group_count;
}

/* True if a writer that follows spec 02 §4.2 would have made the same group bytes: all full but
 * the last, none left over, no bit set behind the count. */
static inline bool sb_reader_groups_are_plain(const sb_reader *r)
{
    if (r->group_count == 0) return true;
    if (r->group_left != 0 || r->group_bits != 0) return false;
    if (r->groups[r->group_count - 1] < 0x20) return false;
    for (int i = 0; i < r->group_count - 1; i++)
        if (r->groups[i] >> 5 != 5) return false;
    return true;
}

/* SB_OK only if every read succeeded and no byte is left over. */
SB_MUST_USE static inline sb_result sb_reader_finish(const sb_reader *r)
{
    SB_ASSERT(r->at <= r->size);
    if (r->status != SB_OK) return r->status;
    return r->at == r->size ? SB_OK : SB_TRAILING;
}

#endif
