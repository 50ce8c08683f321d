/* src/inspect/json/internal.h -- functions shared by the files that encode one line.
 *
 * For:      line.c (the line), head.c (the keys beside `fields`), build.c (messages and datagrams)
 *           and gamespy.c (query texts); no other file includes it.
 */
#ifndef SB_INSPECT_JSON_INTERNAL_H
#define SB_INSPECT_JSON_INTERNAL_H

#include "inspect/json/line.h"

#include "inspect/record.h"

/* A line being encoded, or a message inside a line. */
typedef struct sb_json_line {
    const json_t           *object;
    const char             *prefix; /* "" for a line; for a message its path and a dot */
    const sb_json_defaults *defaults;
    sb_arena               *arena;
    uint8_t                *out;
    size_t                  capacity, size;
    sb_json_error          *error;
    sb_json_reason          reason;
} sb_json_line;

/* All functions that return bool fill `error` before they return false. */

bool sb_json_fail_at(sb_json_line *l, const char *key, const char *reason);

/* line.c: false if the object has a key that decode never writes. */
bool sb_json_check_keys(sb_json_line *l);
/* line.c: `*taken` is set if the bytes are those of `raw` and nothing is left to build. */
bool sb_json_read_raw(sb_json_line *l, bool *taken);

/* head.c: NULL if the object lacks the key or its value is null. */
const json_t *sb_json_member(const sb_json_line *l, const char *key);
/* `*fields` is NULL if the line has none, which is valid. False: they are no object. */
bool sb_json_read_fields(sb_json_line *l, const json_t **fields);
bool sb_json_read_opcode(sb_json_line *l, uint8_t *opcode);
bool sb_json_read_context(sb_json_line *l, sb_message_context *context);
bool sb_json_read_side(sb_json_line *l, sb_side *from);
/* Finds the type in `name` (sets `*named`) or in fields.type; both must agree. `*known` is false if
 * the line has neither. */
bool sb_json_read_transport_type(sb_json_line *l, const json_t *fields, uint8_t *type, bool *known,
                                 bool *named);

/* build.c and gamespy.c */
bool sb_json_build_message(sb_json_line *l);
bool sb_json_build_datagram(sb_json_line *l, bool encrypted);
bool sb_json_build_transport(sb_json_line *l);
bool sb_json_build_gamespy(sb_json_line *l);

#endif
