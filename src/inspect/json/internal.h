/* src/inspect/json/internal.h -- what the files that make bytes of one line share.
 *
 * For:      json_line.c (the line), json_head.c (the keys beside `fields`), json_build.c (messages
 * and datagrams), json_gamespy.c (query texts). Nobody else.
 */
#ifndef SB_INSPECT_JSON_INTERNAL_H
#define SB_INSPECT_JSON_INTERNAL_H

#include "inspect/json/line.h"

#include "inspect/record.h"

/* One line on its way. `object` is the line, or a message inside it. */
typedef struct sb_json_line {
    const json_t           *object;
    const char             *prefix; /* "" or the path of `object` and a point */
    const sb_json_defaults *defaults;
    sb_arena               *arena;
    uint8_t                *out;
    size_t                  capacity, size;
    sb_json_error          *error;
    sb_json_reason          reason;
} sb_json_line;

/* All return false after they have filled `error`. */
bool sb_json_fail_at(sb_json_line *l, const char *key, const char *reason);

/* json_line.c: a key decode never writes is an error. */
bool sb_json_check_keys(sb_json_line *l);
/* json_line.c: `*taken`: the bytes are those of `raw`, there is nothing to build. */
bool sb_json_read_raw(sb_json_line *l, bool *taken);

/* json_head.c. NULL: not there, or null. */
const json_t *sb_json_member(const sb_json_line *l, const char *key);
/* NULL: there are none, which is fine. False: they are no object. */
bool sb_json_read_fields(sb_json_line *l, const json_t **fields);
bool sb_json_read_opcode(sb_json_line *l, uint8_t *opcode);
bool sb_json_read_context(sb_json_line *l, sb_message_context *context);
bool sb_json_read_side(sb_json_line *l, sb_side *from);
/* From `name` (then `*named`), from fields.type, or `!*known`. Both must agree. */
bool sb_json_read_transport_type(sb_json_line *l, const json_t *fields, uint8_t *type, bool *known,
                                 bool *named);

/* json_build.c, json_gamespy.c */
bool sb_json_build_message(sb_json_line *l);
bool sb_json_build_datagram(sb_json_line *l, bool encrypted);
bool sb_json_build_transport(sb_json_line *l);
bool sb_json_build_gamespy(sb_json_line *l);

#endif
