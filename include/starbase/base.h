/* starbase/base.h -- types that every other header uses: results, byte spans, names of numbers.
 *
 * For:      every user of the library. "Spec 03 §4.1" in a comment is a chapter of docs/spec.
 * Never:    includes anything but headers of the C library.
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

/* The result of every public function that can fail. */
typedef enum sb_result {
    SB_OK = 0,
    /* The peer sent unacceptable bytes. This is normal: it is counted, never fatal or asserted. */
    SB_TRUNCATED,      /* the bytes ended inside a value */
    SB_TRAILING,       /* bytes follow where the spec requires the exact length */
    SB_BAD_VALUE,      /* a field is outside the range that the spec allows */
    SB_UNKNOWN_OPCODE, /* no message has this opcode, or the game ignores it */
    SB_NOT_ALLOWED,    /* well formed, but not from this sender or not in this state */
    /* A limit is reached. The caller decides: use a larger buffer, wait, drop, or disconnect. */
    SB_FULL,
    /* The operating system refused. Only src/platform, run, load and config return it. */
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

/* A number with a name; a table of them ends with a NULL name. `published` is the name in the
 * published descriptions (docs/evidence/sources.md) where that differs, else NULL. */
typedef struct sb_name {
    uint32_t    value;
    const char *name;
    const char *published;
} sb_name;

/* The name of `value`; NULL if the table lacks it or is NULL. */
SB_API const char *sb_find_name(const sb_name *table, uint32_t value);

/* The sender of a message; the layout of a few messages depends on it (spec 01 §4.8, 03 §7). */
typedef enum sb_side {
    SB_SIDE_UNKNOWN = 0,
    SB_SIDE_CLIENT,
    SB_SIDE_HOST,
} sb_side;

/* How a message is sent (spec 01 §6.1). Only the opcode table uses EITHER: stock peers do both. */
typedef enum sb_delivery { SB_UNRELIABLE, SB_RELIABLE, SB_EITHER_DELIVERY } sb_delivery;

/* Microseconds of a monotonic clock; the caller chooses its zero. */
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
