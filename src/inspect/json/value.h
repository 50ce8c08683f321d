/* src/inspect/json/value.h -- one JSON value to one field value, by the kind of the field.
 *
 * For:      json_source.c. This is the list of forms `starbase encode` takes; `starbase decode
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
 *   UTF16                 "text" (the terminator is added); {"hex": "48000000"}
 *   ADDRESS               "10.10.10.239"
 *   BYTES                 "4869" or "48 69"; {"hex": "4869"}
 *
 * Where both are there, "code" counts, and "value" has to be what it means. Values become codes as
 * the game makes them, by truncation (starbase/compressed.h). CV4B values are in units of the
 * object's radius.
 */
#ifndef SB_INSPECT_JSON_VALUE_H
#define SB_INSPECT_JSON_VALUE_H

#include "inspect/json/arena.h"

#include <starbase/field.h>

#include <jansson.h>

/* Why a value cannot be, for people. */
typedef struct sb_json_reason {
    char text[240];
} sb_json_reason;

/* Fills `value`; its bytes are lent by `arena`. `count`: for RATIOS how many are needed.
 * False: `reason` says why. Numbers are expected as reals (JSON_DECODE_INT_AS_REAL). */
bool sb_json_read_value(const json_t *json, const sb_field *field, size_t count, sb_arena *arena,
                        sb_value *value, sb_json_reason *reason);

/* Hex digits, blanks between bytes allowed. */
bool sb_json_read_hex(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason);
/* A Windows-1252 text. */
bool sb_json_read_text(const json_t *json, sb_arena *arena, sb_span *bytes, sb_json_reason *reason);
/* A UTF-16LE text; the terminator is added. */
bool sb_json_read_utf16(const json_t *json, sb_arena *arena, sb_span *bytes,
                        sb_json_reason *reason);
/* A whole number; `names` (may be NULL) are taken too. */
bool sb_json_read_integer(const json_t *json, double low, double high, const sb_name *names,
                          uint32_t *number, sb_json_reason *reason);

/* The value with this name, ours or published, in any case. */
bool sb_json_find_name(const sb_name *names, const char *text, size_t size, double *number);

/* Sets the reason, printf-like, and returns false. */
bool sb_json_refuse(sb_json_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A JSON value in a few words, such as `"abc"`, `300`, `an array`; lent by `buffer`. */
const char *sb_json_describe(const json_t *json, char *buffer, size_t capacity);
#define SB_JSON_DESCRIBE(json) sb_json_describe(json, (char[64]){ 0 }, 64)

#endif
