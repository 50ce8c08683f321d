/* src/inspect/json/line.h -- encodes one line of JSON to the bytes it describes.
 *
 * For:      `starbase encode` and its fuzz harness.
 * Never:    does I/O, or keeps state between lines.
 *
 * The line is an object as `starbase decode --json` prints it. These keys are used:
 *
 *   schema   "starbase.decode/1" (render.h) or missing
 *   layer    "message" (default), "transport", "plain", "datagram" (the bytes are encrypted),
 *            "gamespy"
 *   opcode   layer message: a number, "0x1C" or a name; `name` alone is enough, both must agree
 *   name     layer transport: the type; fields.type alone is enough, both must agree
 *   fields   the fields, by the spec's names; a field that is missing or null has its default
 *   raw      hex; the bytes themselves if the line has no fields, or if `ok` is false, which
 *            requires `raw`
 *   species  number or name of the ship a StateUpdate is about
 *   own      true if the receiver of the StateUpdate owns that ship
 *   shields  "stock" (default) or "documented": the layout of that ship's shield generator
 *   side     "client" or "host", the sender: distinguishes a Connect from its answer (layer
 *            transport); without it, a Connect with only a peer_id is an answer
 *
 * Facts that a line states twice must agree: a code and its value, a list and its count, the name
 * of a subsystem and its index, the "payload" of Data and its "message". The exception is `raw`
 * beside `fields`, which is ignored, because people edit the fields.
 *
 * All other keys that decode writes are ignored; a key it never writes is an error. In a datagram,
 * each item of `fields.messages` may have "message" (opcode, name, fields, species), "payload", or
 * both. GameSpy: fields.pairs = [{"key": "hostname", "value": "x"}, ...] and fields.end = "value",
 * "key" or "backslash"; or just fields = {"hostname": "x", ...}.
 */
#ifndef SB_INSPECT_JSON_LINE_H
#define SB_INSPECT_JSON_LINE_H

#include "inspect/json/source.h"

#include <starbase/protocol.h>
#include <starbase/ship.h>

enum { SB_JSON_LINE_MAX = 4 * 1024 * 1024 };

/* Used for lines that lack these keys. All zeros are valid. */
typedef struct sb_json_defaults {
    sb_message_context context;
    sb_side            from;
} sb_json_defaults;

/* Writes the bytes to `out`. Anything but SB_OK: `error` has path and reason. Resets the arena
 * first, so one arena serves all lines. */
SB_MUST_USE sb_result sb_json_encode_line(const char *line, size_t size,
                                          const sb_json_defaults *defaults, sb_arena *arena,
                                          uint8_t *out, size_t capacity, size_t *out_size,
                                          sb_json_error *error);

/* The ship class of a species given as number or name; NULL: `reason` says why. */
const sb_ship_class *sb_json_find_ship(const sb_ship_set *ships, const char *text,
                                       sb_json_reason *reason);

#endif
