/* apps/decode/input.h -- where `starbase decode` gets its units from: arguments, files, stdin.
 *
 * For:      decode.c. Finds out what an operand is and hands out its units as bytes.
 */
#ifndef SB_APPS_DECODE_INPUT_H
#define SB_APPS_DECODE_INPUT_H

#include <starbase/base.h>

#include <stdio.h>

/* Takes the units. False: enough, stop reading. */
typedef struct sb_unit_sink {
    void *self;
    bool (*unit)(void *self, uint8_t *bytes, size_t size);
    /* A line or operand that is not what it should be. `line` 0: not a line of a text. */
    void (*problem)(void *self, const char *name, unsigned long line, const char *text);
} sb_unit_sink;

typedef enum sb_hex_fault {
    SB_HEX_FINE,
    SB_HEX_NOT_HEX, /* some other character */
    SB_HEX_HALF,    /* a digit without its partner */
} sb_hex_fault;

/* Pairs of digits; blanks, colons, commas and 0x may stand between. In place is fine: `out` may be
 * `text`. */
sb_hex_fault sb_decode_parse_hex(const char *text, size_t length, uint8_t *out, size_t *size);

typedef enum sb_file_kind {
    SB_FILE_HEX,
    SB_FILE_RAW,
    SB_FILE_CAPTURE,
    SB_FILE_COMPRESSED, /* with gzip */
} sb_file_kind;

/* By its first bytes, which stay readable. */
sb_file_kind sb_decode_find_file_kind(FILE *file);

/* For a pipe, which cannot be rewound: reads no more than needed to tell a capture from hex, and
 * gives a file with everything in it, which is to be closed in place of `pipe`; NULL: no memory. */
FILE *sb_decode_open_pipe(FILE *pipe, sb_file_kind *kind);

/* One unit per line; # begins a comment. False: the sink had enough. */
bool sb_decode_read_hex_lines(FILE *file, const char *name, const sb_unit_sink *sink);
/* The whole file as one unit. */
bool sb_decode_read_raw(FILE *file, const char *name, const sb_unit_sink *sink);

#endif
