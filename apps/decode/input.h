/* apps/decode/input.h -- reads units (messages or datagrams) from arguments, files and stdin.
 *
 * For:      decode.c.
 */
#ifndef SB_APPS_DECODE_INPUT_H
#define SB_APPS_DECODE_INPUT_H

#include <starbase/base.h>

#include <stdio.h>

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

typedef enum sb_file_kind {
    SB_FILE_HEX,
    SB_FILE_RAW,
    SB_FILE_CAPTURE,
    SB_FILE_COMPRESSED, /* gzip */
} sb_file_kind;

/* Looks at the first bytes of the file and rewinds it. */
sb_file_kind sb_decode_find_file_kind(FILE *file);

/* For a pipe, which cannot be rewound: reads only the bytes needed to tell a capture from hex, and
 * returns a file that starts with these bytes and continues with the pipe. Closing the file closes
 * `pipe`. NULL: out of memory. */
FILE *sb_decode_open_pipe(FILE *pipe, sb_file_kind *kind);

/* Reads one unit per line; # starts a comment. False: the sink stopped reading. */
bool sb_decode_read_hex_lines(FILE *file, const char *name, const sb_unit_sink *sink);
/* Reads the whole file as one unit. */
bool sb_decode_read_raw(FILE *file, const char *name, const sb_unit_sink *sink);

#endif
