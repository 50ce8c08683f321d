/* starbase/base.h -- the words every other header uses: results, byte spans, names of numbers.
 *
 * For:      everybody. Spec chapters are cited as "spec 03 §4.1" and live in docs/spec/.
 * Never:    needs anything but the C library's headers.
 */
#ifndef STARBASE_BASE_H
#define STARBASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SB_MUST_USE __attribute__((warn_unused_result))
#define SB_API      __attribute__((visibility("default")))
#else
#define SB_MUST_USE
#define SB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One enum for every public function that can fail. */
typedef enum sb_result {
    SB_OK = 0,
    /* They sent what we cannot accept. Happens daily: counted, never fatal, never asserted. */
    SB_TRUNCATED,      /* the bytes ended inside a value */
    SB_TRAILING,       /* bytes were left where the spec demands the exact length */
    SB_BAD_VALUE,      /* a field is outside what the spec allows */
    SB_UNKNOWN_OPCODE, /* no such message, or one that is dead in the game */
    SB_NOT_ALLOWED,    /* well formed, but not from this sender or not in this state */
    /* A bound is reached. The caller decides: a larger buffer, wait, drop, or disconnect. */
    SB_FULL,
    /* The system refused. Only host/ returns it. */
    SB_OS_ERROR,
    SB_RESULT_COUNT
} sb_result;

/* A short sentence for people, such as "the bytes ended inside a value". Never NULL. */
SB_API const char *sb_result_text(sb_result result);
/* The identifier without its prefix, such as "TRUNCATED", for logs and JSON. Never NULL. */
SB_API const char *sb_result_name(sb_result result);

/* Borrowed bytes. An empty span may have a NULL pointer. */
typedef struct sb_span {
    const uint8_t *data;
    size_t         size;
} sb_span;

/* A number that has a name; tables of these end with a NULL name. `published` is what the
 * published descriptions call it where that differs (docs/evidence/sources.md), else NULL. */
typedef struct sb_name {
    uint32_t    value;
    const char *name;
    const char *published;
} sb_name;

/* The name of `value`, or NULL when the table (which may be NULL) has none. */
SB_API const char *sb_find_name(const sb_name *table, uint32_t value);

/* Who sent something: decides how a few messages are read (spec 01 §4.8, 03 §7). */
typedef enum sb_side {
    SB_SIDE_UNKNOWN = 0,
    SB_SIDE_CLIENT,
    SB_SIDE_HOST,
} sb_side;

/* How a message travels (spec 01 §6.1). EITHER: both occur; only the opcode table says it. */
typedef enum sb_delivery { SB_UNRELIABLE, SB_RELIABLE, SB_EITHER_DELIVERY } sb_delivery;

/* Microseconds of a clock that never goes back; where it starts is the caller's choice. */
typedef int64_t sb_time;
#define SB_TIME_NEVER INT64_MAX
#define SB_SECOND     ((sb_time)1000000)

/* An IPv4 address (first octet in the high byte) and a UDP port. */
typedef struct sb_endpoint {
    uint32_t address;
    uint16_t port;
} sb_endpoint;

/* "major.minor.patch" of the library that is running. */
SB_API const char *sb_version(void);

#ifdef __cplusplus
}
#endif
#endif
