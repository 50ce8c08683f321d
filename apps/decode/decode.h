/* apps/decode/decode.h -- the settings and state of `starbase decode`.
 *
 * For:      the files of this folder: decode.c parses the command line, operands.c decodes
 *           operands, input.c reads hex and raw bytes, capture.c reads captures, output.c prints
 *           records.
 */
#ifndef SB_APPS_DECODE_H
#define SB_APPS_DECODE_H

#include "inspect/columns.h"
#include "inspect/dissector.h"
#include "inspect/filter.h"
#include "inspect/render.h"
#include "inspect/stats.h"
#include "load/input_stream.h"

#include <stdio.h>

typedef enum sb_decode_form {
    SB_FORM_LINE,
    SB_FORM_TREE,
    SB_FORM_HEX,
    SB_FORM_JSON,
    SB_FORM_COLUMNS,
    SB_FORM_STATS,
} sb_decode_form;

typedef enum sb_decode_header {
    SB_HEADER_AUTO, /* on a terminal; scripts get the values alone */
    SB_HEADER_ALWAYS,
    SB_HEADER_NEVER,
} sb_decode_header;

typedef struct sb_decode {
    /* settings */
    sb_decode_form     form;
    bool               wanted[SB_FORM_STATS + 1]; /* forms the options ask for */
    bool               stats_as_json;
    uint16_t           port;
    bool               has_layer, raw, strict, has_filter;
    sb_layer           layer;
    sb_side            from;
    sb_message_context context;
    bool               fixed_layout; /* context.layout is given; false: learn it from captures */
    uint64_t           count_max;    /* 0: all */
    sb_filter          filter;
    char              *filter_text; /* all --filter options, joined; owned */
    sb_columns         columns;
    sb_decode_header   header;
    /* state */
    sb_output       out;
    sb_render       render;
    sb_object_names names;
    sb_stats        stats;
    uint64_t        units, records, shown, undecoded;
    const char     *file;    /* name of the input if there are several, else NULL */
    bool            several; /* there are several inputs, so records name theirs */
    bool            fed;     /* some input was decoded or reported as faulty */
    bool            live;    /* input comes line by line: flush after each record */
    bool            stopped; /* --count is reached, or writing failed */
    bool            write_failed;
    int             status; /* SB_EXIT_... so far */
} sb_decode;

/* Decodes the operands, or stdin if there are none. */
void sb_decode_operands(sb_decode *d, int count, char **operands);
/* Filters, counts and prints a record. */
void sb_decode_on_record(void *self, const sb_record *record);
/* Prints to stderr what is wrong with an input; `line` is 0 if no line is to blame. */
void sb_decode_report(void *self, const char *name, unsigned long line, const char *text);
/* Decodes a capture and closes the input. */
void sb_decode_capture(sb_decode *d, sb_input *input, const char *name);

void sb_decode_open_output(sb_decode *d, bool colour);
void sb_decode_close_output(sb_decode *d);

#endif
