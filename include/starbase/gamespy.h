/* starbase/gamespy.h -- GameSpy query texts (QR1), the challenge, the master's list. Spec 05.
 *
 * For:      whoever asks or answers `\status\`, registers with a master or reads its list.
 * Never:    decides what to answer, to whom or how often: that is the server's (spec 05 §8).
 *
 * A text is pairs of key and value, a backslash before each: `\final\\queryid\2.1` is final=""
 * and queryid="2.1". Texts are Windows-1252 and have no terminator.
 */
#ifndef STARBASE_GAMESPY_H
#define STARBASE_GAMESPY_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SB_GAMESPY_PAIRS_MAX     32 /* in a text we read; spec 05 §2 */
#define SB_GAMESPY_KEY_MAX       32
#define SB_GAMESPY_VALUE_MAX     255
#define SB_GAMESPY_CHALLENGE_MAX 64
#define SB_GAMESPY_RESPONSE_MAX  88 /* base64 of 66 bytes; the buffer needs one more for the NUL */
#define SB_GAMESPY_ENTRY_BYTES   6
#define SB_GAMESPY_ENTRIES_MAX   4096
#define SB_GAMESPY_LIST_END      "\\final\\" /* what follows the last entry of a list */

/* --- Texts --------------------------------------------------------------------------------- */

typedef struct sb_gamespy_pair {
    sb_span key; /* never empty */
    sb_span value;
} sb_gamespy_pair;

/* How the text stops. */
typedef enum sb_gamespy_end {
    SB_GAMESPY_END_VALUE = 0, /* after a value, which may be empty: `\status\` */
    SB_GAMESPY_END_KEY,       /* after a key, whose value counts as empty: `\status` (§8) */
    SB_GAMESPY_END_BACKSLASH, /* one backslash after a value: `...\queryid\1.1\` (§7 step 3) */
} sb_gamespy_end;

/* Why a text was refused. */
typedef enum sb_gamespy_fault {
    SB_GAMESPY_FINE = 0,
    SB_GAMESPY_NO_BACKSLASH, /* the first byte is none, or there is no byte: not QR1 */
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
    sb_gamespy_pair  pairs[SB_GAMESPY_PAIRS_MAX]; /* the first `count`; they lie in the datagram */
    size_t           count;
    sb_gamespy_end   end;
    sb_gamespy_fault fault;
    size_t           fault_offset; /* of the first byte (or missing key) that cannot be accepted */
} sb_gamespy_text;

/* Splits a text without copying: `bytes` is borrowed as long as `out` is used. Keys may repeat.
 * SB_BAD_VALUE: malformed; SB_FULL: beyond a limit. Both leave `fault` and `fault_offset`, and in
 * `pairs` what came before. Whatever is accepted, sb_encode_gamespy writes back byte for byte. */
SB_API SB_MUST_USE sb_result sb_decode_gamespy(sb_span bytes, sb_gamespy_text *out);

/* The first pair with exactly this key, case included; NULL if there is none. Lent by `text`. */
SB_API const sb_gamespy_pair *sb_gamespy_find(const sb_gamespy_text *text, const char *key);

/* Appends pairs to a buffer of the caller's, which it borrows until the last call. */
typedef struct sb_gamespy_writer {
    uint8_t *data;
    size_t   capacity;
    size_t   size;  /* bytes written; invariant: size <= capacity */
    size_t   count; /* pairs written; not limited here */
    bool     ended; /* a bare key or the last backslash is written: nothing may follow */
} sb_gamespy_writer;

SB_API void sb_gamespy_writer_init(sb_gamespy_writer *w, uint8_t *out, size_t capacity);

/* These write all or nothing. SB_FULL: does not fit, a new packet may have room (spec 05 §3.3).
 * SB_BAD_VALUE: empty or long key, long value, a backslash or control byte in either.
 * SB_NOT_ALLOWED: the text has ended. */
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_pair(sb_gamespy_writer *w, sb_span key,
                                                          sb_span value);
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_text(sb_gamespy_writer *w, const char *key,
                                                          const char *value);
/* The ends that are not END_VALUE. A backslash needs a pair before it: SB_NOT_ALLOWED. */
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_bare_key(sb_gamespy_writer *w, sb_span key);
SB_API SB_MUST_USE sb_result sb_gamespy_writer_write_backslash(sb_gamespy_writer *w);
/* All of `text`, its end included. A text without pairs writes nothing. */
SB_API SB_MUST_USE sb_result sb_encode_gamespy(sb_gamespy_writer *w, const sb_gamespy_text *text);

/* Copies what a human typed so that it can be a value: backslash becomes '/', bytes below 0x20
 * are dropped (spec 12 #7), the rest is cut at `capacity` or SB_GAMESPY_VALUE_MAX. Returns the
 * size. `out` may be value.data itself. The text is already Windows-1252. */
SB_API size_t sb_gamespy_clean_value(sb_span value, uint8_t *out, size_t capacity);

/* --- Challenge and response, spec 05 §6 ---------------------------------------------------- */

/* Writes the response to `\secure\<challenge>` and a NUL to `out`. An empty `key` means the
 * game's, "Nm3aZ9". SB_BAD_VALUE: the challenge is not 1..64 bytes; SB_FULL: `out` is too small.
 * On failure `out` is the empty string, if there is room for one. */
SB_API SB_MUST_USE sb_result sb_gamespy_validate(sb_span challenge, sb_span key, char *out,
                                                 size_t capacity);

/* --- The compact list of a master ("cmp"), spec 05 §7 step 5 ------------------------------- */

typedef struct sb_gamespy_entry {
    uint8_t  ip[4]; /* as written: 203.0.113.5 is { 203, 0, 113, 5 } */
    uint16_t port;
} sb_gamespy_entry;

/* Six bytes, both numbers in network order. */
SB_API void sb_encode_gamespy_entry(const sb_gamespy_entry *entry,
                                    uint8_t                 out[SB_GAMESPY_ENTRY_BYTES]);
SB_API void sb_decode_gamespy_entry(const uint8_t     bytes[SB_GAMESPY_ENTRY_BYTES],
                                    sb_gamespy_entry *out);

/* Where the reading of a list is; { 0 } at the beginning. */
typedef struct sb_gamespy_list {
    size_t at;    /* bytes of the stream that are consumed */
    size_t count; /* entries read */
    bool   ended; /* the last call met the end */
} sb_gamespy_list;

/* Reads one entry. `stream` is everything received so far, from its first byte; `closed` says that
 * no more will come. SB_OK: either `out` is an entry, or `ended` is true and `out` is zero.
 * SB_TRUNCATED: nothing complete is left; wait and call again with more, or, when `closed`, the
 * list was cut off. SB_FULL: a 4097th entry.
 *
 * An entry may itself begin like the end mark, so `\final\` at an entry boundary is the end only
 * - when the received bytes end with it: if more arrive after all, call again, and it is an entry;
 * - or when the peer has closed and its last bytes are not such a mark (bytes after the end mark,
 *   which are ignored). */
SB_API SB_MUST_USE sb_result sb_gamespy_list_next(sb_gamespy_list *list, sb_span stream,
                                                  bool closed, sb_gamespy_entry *out);

#ifdef __cplusplus
}
#endif
#endif
