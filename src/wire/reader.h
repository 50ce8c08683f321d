/* src/wire/reader.h -- typed values out of received bytes.
 *
 * For:      every decoder of datagrams and game messages.
 * May use:  base/; the caller's buffer, read-only.
 * Never:    allocates, logs, or interprets a value.
 * Spec:     02 §1 to §4, §9.
 * Tests:    tests/wire/stream_test.c
 *
 * Reads need no check between them: after the first failure each read returns 0 and moves nothing.
 * The caller checks once, at the end. Only a value that controls a loop or an index is checked
 * where it is read.
 *
 * Booleans share group bytes (spec 02 §4). The first boolean of a message appends a group byte. The
 * next booleans are stored in the same byte, even if other fields were written in between, until it
 * is full:
 *
 *       7   6   5     4     3     2     1     0
 *     +-------------+-----+-----+-----+-----+-----+
 *     | count, 1..5 | 5th | 4th | 3rd | 2nd | 1st |      boolean, in the order of writing
 *     +-------------+-----+-----+-----+-----+-----+
 *
 *     bit 1, bit 0, u8 AA, bit 1    is   65 AA        3 << 5 | 1 << 2 | 0 << 1 | 1 << 0
 */
#ifndef SB_WIRE_READER_H
#define SB_WIRE_READER_H

#include <starbase/base.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/compiler.h"

/* Limit of the group bytes in one message. A sender may give every boolean a group byte of its own;
 * a message has at most SB_SUBSYSTEMS_MAX booleans and a few more. */
enum { SB_GROUPS_MAX = 40 };

/* The position is a pointer and a count of bytes left, not two indices: the compiler can then merge
 * the checks of consecutive fixed fields. */
typedef struct sb_reader {
    const uint8_t *data;   /* borrowed: outlives the reader */
    const uint8_t *next;   /* the byte to read next */
    size_t         left;   /* bytes left; 0 after a failure, so that nothing more is read */
    sb_result      status; /* SB_OK until the first failure; keeps the first failure */
    /* The open bit group (spec 02 §4.3) stays open while other values are read. */
    uint8_t        group_bits;  /* the next boolean is bit 0 */
    uint8_t        group_left;  /* booleans not yet read; 0: no group is open */
    uint8_t        group_count; /* group bytes read so far */
    uint8_t       *groups;      /* copies of these bytes: the caller's, SB_GROUPS_MAX bytes */
    const uint8_t *group_byte;  /* position of the last group byte */
} sb_reader;

/* `groups`: buffer of SB_GROUPS_MAX bytes; may be NULL if no boolean will be read. */
static SB_ALWAYS_INLINE void sb_reader_init(sb_reader *r, sb_span bytes, uint8_t *groups)
{
    r->data = bytes.data;
    r->next = bytes.data;
    r->left = bytes.size;
    r->status = SB_OK;
    r->group_bits = 0;
    r->group_left = 0;
    r->group_count = 0;
    r->groups = groups;
    r->group_byte = NULL;
}

/* Keeps the first reason and the position of the failure. */
static SB_ALWAYS_INLINE void sb_reader_fail(sb_reader *r, sb_result why)
{
    if (r->status == SB_OK) r->status = why;
    r->left = 0;
}

static SB_ALWAYS_INLINE size_t sb_reader_at(const sb_reader *r)
{
    return r->data ? (size_t)(r->next - r->data) : 0;
}

static SB_ALWAYS_INLINE void sb_reader_skip(sb_reader *r, size_t count)
{
    r->next += count;
    r->left -= count;
}

/* True if `count` bytes are left; else fails with SB_TRUNCATED. */
static SB_ALWAYS_INLINE bool sb_reader_needs(sb_reader *r, size_t count)
{
    if (SB_LIKELY(r->left >= count)) return true;
    sb_reader_fail(r, SB_TRUNCATED);
    return false;
}

static SB_ALWAYS_INLINE uint8_t sb_reader_read_u8(sb_reader *r)
{
    if (!sb_reader_needs(r, 1)) return 0;
    uint8_t v = r->next[0];
    sb_reader_skip(r, 1);
    return v;
}

static SB_ALWAYS_INLINE uint16_t sb_reader_read_u16(sb_reader *r)
{
    if (!sb_reader_needs(r, 2)) return 0;
    uint16_t v = sb_load_u16(r->next);
    sb_reader_skip(r, 2);
    return v;
}

static SB_ALWAYS_INLINE uint32_t sb_reader_read_u32(sb_reader *r)
{
    if (!sb_reader_needs(r, 4)) return 0;
    uint32_t v = sb_load_u32(r->next);
    sb_reader_skip(r, 4);
    return v;
}

/* Refuses infinities and NaN, as in every f32 field (spec 02 §9, 08 §1.3, 12 #18). */
static SB_ALWAYS_INLINE float sb_reader_read_f32(sb_reader *r)
{
    if (!sb_reader_needs(r, 4)) return 0;
    uint32_t bits = sb_load_u32(r->next);
    if (SB_UNLIKELY(!sb_bits_finite(bits))) {
        sb_reader_fail(r, SB_BAD_VALUE);
        return 0;
    }
    sb_reader_skip(r, 4);
    return sb_bits_float(bits);
}

static SB_ALWAYS_INLINE sb_span sb_reader_read_span(sb_reader *r, size_t count)
{
    if (!sb_reader_needs(r, count)) return (sb_span){ NULL, 0 };
    sb_span span = { r->next, count };
    if (count > 0) sb_reader_skip(r, count);
    return span;
}

static SB_ALWAYS_INLINE sb_span sb_reader_read_rest(sb_reader *r)
{
    return sb_reader_read_span(r, r->left);
}

/* Opens the group byte at the current position. False: no byte is left, or its count is 6 or 7
 * (spec 02 §4.3). A count of 0 behaves like 1, but is refused if `strict` (spec 12 #3). */
static SB_ALWAYS_INLINE bool sb_reader_open_group(sb_reader *r, bool strict)
{
    if (!sb_reader_needs(r, 1)) return false;
    unsigned byte = r->next[0], lowest = strict ? 0x20 : 0;
    if (SB_UNLIKELY(byte - lowest >= 0xC0 - lowest || r->group_count == SB_GROUPS_MAX)) {
        sb_reader_fail(r, SB_BAD_VALUE);
        return false;
    }
    r->group_bits = (uint8_t)byte;
    r->group_left = (uint8_t)(strict || byte >= 0x20 ? byte >> 5 : 1);
    r->groups[r->group_count++] = (uint8_t)byte;
    r->group_byte = r->next;
    sb_reader_skip(r, 1);
    return true;
}

static SB_ALWAYS_INLINE bool sb_reader_read_group_bit(sb_reader *r, bool strict)
{
    if (r->group_left == 0 && !sb_reader_open_group(r, strict)) return false;
    bool value = r->group_bits & 1;
    r->group_bits >>= 1;
    r->group_left--;
    return value;
}

static SB_ALWAYS_INLINE bool sb_reader_read_bit(sb_reader *r)
{
    return sb_reader_read_group_bit(r, false);
}

/* A saved position, to try one interpretation of the bytes and return. */
typedef struct sb_reader_mark {
    const uint8_t *next, *group_byte;
    size_t         left;
    uint8_t        group_bits, group_left, group_count;
} sb_reader_mark;

/* Saves the position. Nothing may have failed yet. */
static SB_ALWAYS_INLINE sb_reader_mark sb_reader_marked(const sb_reader *r)
{
    return (sb_reader_mark){ r->next,       r->group_byte, r->left,
                             r->group_bits, r->group_left, r->group_count };
}

/* Returns to a saved position; a failure since then is forgotten. */
static SB_ALWAYS_INLINE void sb_reader_return(sb_reader *r, const sb_reader_mark *mark)
{
    r->next = mark->next;
    r->group_byte = mark->group_byte;
    r->left = mark->left;
    r->group_bits = mark->group_bits;
    r->group_left = mark->group_left;
    r->group_count = mark->group_count;
    r->status = SB_OK;
}

/* True if the writer of spec 02 §4.2 could have written this group byte; `last`: it is the last one
 * of the message. */
static inline bool sb_group_is_canonical(unsigned byte, bool last)
{
    unsigned count = byte >> 5;
    return last ? count > 0 && (byte & 0x1Fu) >> count == 0 : count == 5;
}

/* True if the writer of spec 02 §4.2 would have written the same group bytes: all but the last are
 * full, every boolean was read, and no bit above the count is set. */
static SB_ALWAYS_INLINE bool sb_reader_groups_are_canonical(const sb_reader *r)
{
    if (r->group_count == 0) return true;
    if (r->group_left != 0) return false;
    if (SB_LIKELY(r->group_count == 1)) return sb_group_is_canonical(r->groups[0], true);
    for (unsigned i = 0; i + 1 < r->group_count; i++)
        if (!sb_group_is_canonical(r->groups[i], false)) return false;
    return sb_group_is_canonical(r->groups[r->group_count - 1], true);
}

/* SB_OK only if every read succeeded and no byte is left. */
SB_MUST_USE static inline sb_result sb_reader_finish(const sb_reader *r)
{
    if (r->status != SB_OK) return r->status;
    return r->left == 0 ? SB_OK : SB_TRAILING;
}

#endif
