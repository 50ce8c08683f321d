/* starbase/gamespy.h -- GameSpy query texts (QR1), the challenge, the master's list.
 *
 * For:      code that sends or answers `\status\`, registers with a master or reads its list.
 * Never:    decides what to answer, to whom or how often: src/discovery does (spec 05 §8).
 * Spec:     05.
 *
 * A text is a list of keys and values with a backslash before each: `\final\\queryid\2.1` is
 * final="" and queryid="2.1". Texts are Windows-1252 and have no terminator.
 */
#ifndef STARBASE_GAMESPY_H
#define STARBASE_GAMESPY_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SB_GAMESPY_PAIRS_MAX     32 /* in a received text; spec 05 §2 */
#define SB_GAMESPY_KEY_MAX       32
#define SB_GAMESPY_VALUE_MAX     255
#define SB_GAMESPY_CHALLENGE_MAX 64
#define SB_GAMESPY_RESPONSE_MAX                                                                    \
    88 /* base64 of 66 bytes; the buffer needs one byte more for the NUL */
#define SB_GAMESPY_ENTRY_BYTES 6
#define SB_GAMESPY_ENTRIES_MAX 4096
#define SB_GAMESPY_LIST_END    "\\final\\" /* end mark: follows the last entry of a list */

/* --- Texts --------------------------------------------------------------------------------- */

typedef struct sb_gamespy_pair {
    sb_span key; /* never empty */
    sb_span value;
} sb_gamespy_pair;

/* How a text ends. */
typedef enum sb_gamespy_end {
    SB_GAMESPY_END_VALUE = 0, /* after a value, which may be empty: `\status\` */
    SB_GAMESPY_END_KEY,       /* after a key, whose value counts as empty: `\status` (§8) */
    SB_GAMESPY_END_BACKSLASH, /* one backslash after a value: `...\queryid\1.1\` (§7 step 3) */
} sb_gamespy_end;

/* Why a text was refused. */
typedef enum sb_gamespy_fault {
    SB_GAMESPY_FINE = 0,
    SB_GAMESPY_NO_BACKSLASH, /* the text is empty or starts with another byte: not QR1 */
    SB_GAMESPY_EMPTY_KEY,
    SB_GAMESPY_CONTROL_BYTE, /* a byte below 0x20 */
    SB_GAMESPY_LONG_KEY,
    SB_GAMESPY_LONG_VALUE,
    SB_GAMESPY_TOO_MANY_PAIRS,
    SB_GAMESPY_FAULT_COUNT
} sb_gamespy_fault;

/* A short sentence for people. Never NULL. */
SB_API const char *sb_gamespy_fault_text(sb_gamespy_fault fault);

typedef struct sb_gamespy_text {
    sb_gamespy_pair  pairs[SB_GAMESPY_PAIRS_MAX]; /* point into the decoded bytes */
    size_t           count;                       /* valid pairs */
    sb_gamespy_end   end;
    sb_gamespy_fault fault;
    size_t           fault_offset; /* of the first unacceptable byte or missing key */
} sb_gamespy_text;

/* Splits a text without copying: `out` points into `bytes`. Keys may repeat. SB_BAD_VALUE: the text
 * is malformed; SB_FULL: it exceeds a limit. Both set `fault` and `fault_offset`, and `pairs` holds
 * the pairs before the fault. sb_encode_gamespy writes every accepted text back byte for byte. */
SB_API SB_MUST_USE sb_result sb_decode_gamespy(sb_span bytes, sb_gamespy_text *out);

/* The first pair with this key, case-sensitive; NULL: none. Lent by `text`. */
SB_API const sb_gamespy_pair *sb_gamespy_find(const sb_gamespy_text *text, const char *key);

/* Appends pairs to the caller's buffer, which is borrowed until the last call. */
typedef struct sb_gamespy_writer {
    uint8_t *data;
    size_t   capacity;
    size_t   size;  /* bytes written; invariant: size <= capacity */
    size_t   count; /* pairs written; the writer has no limit */
    bool     ended; /* a bare key or a final backslash is written: nothing may follow */
} sb_gamespy_writer;

SB_API void sb_gamespy_writer_init(sb_gamespy_writer *w, uint8_t *out, size_t capacity);

/* Each of the following functions writes everything or nothing. SB_FULL: the buffer is too small;
 * use a new packet (spec 05 §3.3). SB_BAD_VALUE: the key is empty or too long, the value is too
 * long, or one of them holds a backslash or control byte. SB_NOT_ALLOWED: the text has ended. */
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_pair(sb_gamespy_writer *w, sb_span key,
                                                          sb_span value);
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_text(sb_gamespy_writer *w, const char *key,
                                                          const char *value);
/* Write the ends END_KEY and END_BACKSLASH. A backslash without a pair before it: SB_NOT_ALLOWED.
 */
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_bare_key(sb_gamespy_writer *w, sb_span key);
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_backslash(sb_gamespy_writer *w);
/* Writes the whole text with its end. A text without pairs writes nothing. */
SB_API SB_MUST_USE sb_result sb_encode_gamespy(sb_gamespy_writer *w, const sb_gamespy_text *text);

/* Copies a Windows-1252 text so that it is a valid value: a backslash becomes '/', bytes below 0x20
 * are dropped (spec 12 #7), the result is cut at `capacity` or SB_GAMESPY_VALUE_MAX. Returns the
 * size. `out` may be value.data itself. */
SB_API size_t sb_gamespy_clean_value(sb_span value, uint8_t *out, size_t capacity);

/* --- Challenge and response, spec 05 §6 ---------------------------------------------------- */

/* Writes the response to `\secure\<challenge>` and a NUL to `out`. An empty `key` means the
 * game's, "Nm3aZ9". SB_BAD_VALUE: the challenge is empty or longer than 64 bytes; SB_FULL: `out` is
 * too small. On failure `out` is the empty string, unless `capacity` is 0. */
SB_API SB_MUST_USE sb_result sb_gamespy_validate(sb_span challenge, sb_span key, char *out,
                                                 size_t capacity);

/* --- The compact list of a master ("cmp"), spec 05 §7 step 5 ------------------------------- */

typedef struct sb_gamespy_entry {
    uint8_t  ip[4]; /* first octet first: 203.0.113.5 is { 203, 0, 113, 5 } */
    uint16_t port;
} sb_gamespy_entry;

/* Six bytes: address and port in network byte order. */
SB_API void sb_encode_gamespy_entry(const sb_gamespy_entry *entry,
                                    uint8_t                 out[SB_GAMESPY_ENTRY_BYTES]);
SB_API void sb_decode_gamespy_entry(const uint8_t     bytes[SB_GAMESPY_ENTRY_BYTES],
                                    sb_gamespy_entry *out);

/* Position in a list; starts as { 0 }. */
typedef struct sb_gamespy_list {
    size_t at;    /* bytes of the stream that were read */
    size_t count; /* entries read */
    bool   ended; /* the last call found the end */
} sb_gamespy_list;

/* Reads one entry. `stream` holds all bytes received so far; `closed`: no more will come. SB_OK:
 * either `out` is an entry, or `ended` is true and `out` is zero. SB_TRUNCATED: no complete entry
 * is left; call again with more bytes, or, if `closed`, the list was cut off. SB_FULL: a 4097th
 * entry.
 *
 * An entry may have the same bytes as the end mark. So `\final\` at an entry boundary is the end
 * only
 * - if the stream ends with it; if more bytes arrive, the next call reads it as an entry;
 * - or if the peer has closed and the stream does not end with another such mark at an entry
 *   boundary; the bytes after the end mark are ignored. */
SB_API SB_MUST_USE sb_result sb_gamespy_list_next(sb_gamespy_list *list, sb_span stream,
                                                  bool closed, sb_gamespy_entry *out);

#ifdef __cplusplus
}
#endif
#endif
