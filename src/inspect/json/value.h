/* src/inspect/json/value.h -- reads a field value from a JSON value, by the kind of the field.
 *
 * For:      json/source.c. The rows list the forms `starbase encode` accepts; `starbase decode
 *           --json` writes the first form of each row.
 *
 *   U8 I8 U16 U32 I32 ID  28, "0x1C", or a name of the value ("Akira"); {"code": any of these}
 *   FLAGS                 157, "0x9D", "POS|FWD", ["POS", "FWD"]; {"code": any of these}
 *   BIT                   true, false; 1, 0
 *   F32                   0.5
 *   VEC3 POSITION QUAT    [x, y, z], [w, x, y, z]; {"value": [...]}
 *   CF16                  {"code": 18931}; {"value": 6.6}; 6.6
 *   RATIO                 {"code": 204}; {"value": 0.8}; 0.8        (0..1)
 *   PERCENT LEVEL         {"code": 75}; {"value": 0.75}; 0.75       (0..1.25)
 *   SWITCH                {"code": -100}; {"value": 1, "on": false}; -1
 *   RATIOS                {"code": [255, 128]}; {"value": [1, 0.5]}; [1, 0.5]
 *   CV3                   {"code": [0, 127, 0]}; {"value": [x, y, z]}; [x, y, z]
 *   CV4 CV4B              {"code": [76, 101, 0, 18203]}; {"value": ...}; [x, y, z]
 *   CV4F                  {"code": [76, 101, 0], "magnitude": 5}; {"value": ...}; [x, y, z]
 *   TEXT8 TEXT16 TEXT32   "text" (characters of Windows-1252); {"hex": "4869"}
 *   TEXT32Z               the same; its NUL is added
 *   UTF16                 "text" (the terminator is added); {"hex": "48000000"}
 *   ADDRESS               "10.10.10.239"
 *   BYTES                 "4869" or "48 69"; {"hex": "4869"}
 *
 * If an object has both, "code" is used and "value" must be what the code means. A value alone is
 * converted to its code by truncation, as the game does (starbase/compressed.h). CV4B values are in
 * units of the object's radius.
 */
#ifndef SB_INSPECT_JSON_VALUE_H
#define SB_INSPECT_JSON_VALUE_H

#include "inspect/json/arena.h"

#include <starbase/field.h>

#include <jansson.h>

/* Why a value was refused, for people. */
typedef struct sb_json_reason {
    char text[240];
} sb_json_reason;

/* Fills `value`; `arena` lends its bytes. `count` is the number of RATIOS the ship has. False:
 * `reason` says why. All numbers must be reals (JSON_DECODE_INT_AS_REAL). */
bool sb_json_read_value(const json_t *json, const sb_field *field, size_t count, sb_arena *arena,
                        sb_value *value, sb_json_reason *reason);

/* Reads hex digits; blanks between bytes are allowed. */
bool sb_json_read_hex(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason);
/* Reads a text and converts it to Windows-1252. */
bool sb_json_read_text(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason);
/* Reads a text, converts it to UTF-16LE and adds the terminator. */
bool sb_json_read_utf16(const json_t *json, sb_arena *arena, sb_span *bytes,
                        sb_json_reason *reason);
/* Reads a whole number from low to high, or one of `names` (may be NULL). */
bool sb_json_read_integer(const json_t *json, double low, double high, const sb_name *names,
                          uint32_t *number, sb_json_reason *reason);

/* Finds the value with this name, ours or published, ignoring case. */
bool sb_json_find_name(const sb_name *names, const char *text, size_t size, double *number);

/* Sets the reason, printf-like, and returns false. */
bool sb_json_refuse(sb_json_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Describes a JSON value, such as `"abc"`, `300`, `an array`. The result may be in `buffer`. */
const char *sb_json_describe(const json_t *json, char *buffer, size_t capacity);
#define SB_JSON_DESCRIBE(json) sb_json_describe(json, (char[64]){ 0 }, 64)

#endif
