/* apps/decode/input.h -- reads units (messages or datagrams) from arguments, files and stdin.
 *
 * For:      decode.c.
 */
#ifndef SB_APPS_DECODE_INPUT_H
#define SB_APPS_DECODE_INPUT_H

#include <starbase/base.h>

#include <stdio.h>

#include "load/input_stream.h"

typedef struct sb_unit_sink {
    void *self;
    /* Receives one unit. False: stop reading. */
    bool (*unit)(void *self, uint8_t *bytes, size_t size);
    /* Reports a malformed line or operand. `line` is 0 if the input is not a text. */
    void (*problem)(void *self, const char *name, unsigned long line, const char *text);
} sb_unit_sink;

typedef enum sb_hex_fault {
    SB_HEX_FINE,
    SB_HEX_NOT_HEX, /* has another character */
    SB_HEX_HALF,    /* has a single digit where a pair is needed */
} sb_hex_fault;

/* Parses pairs of digits, separated by nothing, blanks, colons, commas, dashes or 0x. `out` may be
 * `text`. */
sb_hex_fault sb_decode_parse_hex(const char *text, size_t length, uint8_t *out, size_t *size);

typedef enum sb_input_kind {
    SB_INPUT_EMPTY, /* or unreadable: sb_input_fault distinguishes */
    SB_INPUT_CAPTURE,
    SB_INPUT_LINES, /* hex, or nothing that decode knows */
} sb_input_kind;

/* Looks at the first bytes, unpacked, without consuming them. */
sb_input_kind sb_decode_find_kind(sb_input *input);

/* Reads one unit per line; # starts a comment. If the first line with bytes is not hex, the input
 * is refused as a whole; with `patient`, for a person at a terminal, only that line. False: the
 * sink stopped reading, or the input was refused. */
bool sb_decode_read_lines(FILE *file, const char *name, bool patient, const sb_unit_sink *sink);
/* Reads the whole file as one unit. */
bool sb_decode_read_raw(FILE *file, const char *name, const sb_unit_sink *sink);

#endif
