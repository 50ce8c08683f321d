/* apps/decode/decode.h -- what the files of `starbase decode` share: its settings and its state.
 *
 * decode.c reads the command line and the operands, decode_input.c gets units out of texts and
 * files, decode_capture.c records out of captures, decode_output.c takes the records.
 */
#ifndef SB_APPS_DECODE_H
#define SB_APPS_DECODE_H

#include "inspect/columns.h"
#include "inspect/dissector.h"
#include "inspect/filter.h"
#include "inspect/render.h"
#include "inspect/stats.h"

#include <stdio.h>

typedef enum sb_decode_form {
    SB_FORM_LINE,
    SB_FORM_TREE,
    SB_FORM_HEX,
    SB_FORM_JSON,
    SB_FORM_COLUMNS,
    SB_FORM_STATS,
} sb_decode_form;

typedef struct sb_decode {
    /* settings */
    sb_decode_form     form;
    bool               wanted[SB_FORM_STATS + 1]; /* forms that were asked for */
    bool               stats_as_json;
    uint16_t           port;
    bool               has_layer, raw, strict, has_filter;
    sb_layer           layer;
    sb_side            from;
    sb_message_context context;
    bool               fixed_layout; /* of the shield generator; false: learn it from captures */
    uint64_t           count_max;    /* 0: all */
    sb_filter          filter;
    char              *filter_text; /* all of --filter, joined */
    sb_columns         columns;
    /* state */
    sb_output   out;
    sb_render   render;
    sb_stats    stats;
    uint64_t    units, records, shown, undecoded;
    const char *file;    /* name of the input, if there are several; else NULL */
    bool        several; /* inputs: then records say which they are from */
    bool        fed;     /* there was something to decode, or to complain about */
    bool        live;    /* units come one by one: show each at once */
    bool        stopped; /* --count is reached, or writing failed */
    bool        write_failed;
    int         status; /* SB_EXIT_... so far */
} sb_decode;

/* Takes every record: filter, count, show. */
void sb_decode_on_record(void *self, const sb_record *record);
/* Tells on stderr what is wrong with an input; `line` 0: not with a line of it. */
void sb_decode_report(void *self, const char *name, unsigned long line, const char *text);
/* Takes the file: it is closed at the end. */
void sb_decode_capture(sb_decode *d, FILE *file, const char *name);
/* Opens and closes the output. */
void sb_decode_open_output(sb_decode *d, bool colour);
void sb_decode_close_output(sb_decode *d);

#endif
