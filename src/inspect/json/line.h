/* src/inspect/json/line.h -- one line of JSON to the bytes it describes.
 *
 * For:      `starbase encode` and its fuzz harness. No I/O, nothing kept between lines.
 *
 * The line is an object as `starbase decode --json` prints it. What counts:
 *
 *   layer    "message" (default), "transport", "plain", "datagram" (encrypted at the end),
 *            "gamespy"
 *   opcode   number, "0x1C" or a name; `name` alone will do. Both must agree. (layer message)
 *   name     layer transport: the type, if fields.type does not say it. Both must agree.
 *   fields   the fields, by the spec's names. Left out: their defaults. null is as good as none.
 *   raw      hex; given back as it is when there are no fields, or when `ok` is false (then it
 *            has to be there)
 *   species  number or name: the ship a StateUpdate is about; `own`: its receiver owns it;
 *            `shields`: "stock" (default) or "documented", how its shield generator is written
 *   side     "client" or "host" sent it: tells a Connect from its answer (layer transport); a
 *            Connect with just a peer_id is an answer without it, too
 *
 * What a line says twice has to agree: a code and its value, a list and its count, the name of a
 * subsystem and its index, the "payload" of Data and the "message" it is. Only `raw` beside
 * `fields` is not looked at: fields are there to be edited.
 *
 * All other keys of decode's output are ignored; any key it never writes is an error. In a
 * datagram, each item of `fields.messages` may have "message" (opcode, name, fields, species)
 * or "payload", or both. GameSpy: fields.pairs = [{"key": "hostname", "value": "x"}, ...] and
 * fields.end = "value", "key" or "backslash"; or simply fields = {"hostname": "x", ...}.
 */
#ifndef SB_INSPECT_JSON_LINE_H
#define SB_INSPECT_JSON_LINE_H

#include "inspect/json/source.h"

#include <starbase/protocol.h>
#include <starbase/ship.h>

enum { SB_JSON_LINE_MAX = 4 * 1024 * 1024 };

/* What holds for lines that do not say it themselves. All zero is fine. */
typedef struct sb_json_defaults {
    sb_message_context context;
    sb_side            from;
} sb_json_defaults;

/* Writes the bytes to `out`. Anything but SB_OK: `error` has path and reason. The arena is reset
 * first, so it may be the same for all lines. */
SB_MUST_USE sb_result sb_json_encode_line(const char *line, size_t size,
                                          const sb_json_defaults *defaults, sb_arena *arena,
                                          uint8_t *out, size_t capacity, size_t *out_size,
                                          sb_json_error *error);

/* The ship class of a species given as number or name; NULL: `reason` says why. */
const sb_ship_class *sb_json_find_ship(const sb_ship_set *ships, const char *text,
                                       sb_json_reason *reason);

#endif
