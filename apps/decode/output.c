/* apps/decode/output.c -- filters and counts records and prints them to stdout.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "decode/decode.h"

#include "common/commands.h"
#include "inspect/undecoded.h"
#include "platform/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 16 };

static void flush_output(void *self, const char *data, size_t size)
{
    sb_decode *d = self;
    if (d->write_failed || fwrite(data, 1, size, stdout) == size) return;
    /* EPIPE: the reader, such as head, closed the pipe on purpose. */
    if (errno != EPIPE) fprintf(stderr, "starbase decode: cannot write: %s\n", strerror(errno));
    d->write_failed = d->stopped = true;
    d->status = SB_EXIT_NEGATIVE;
}

void sb_decode_open_output(sb_decode *d, bool colour)
{
    d->out =
        (sb_output){ .capacity = BUFFER_BYTES, .flush = flush_output, .self = d, .colour = colour };
    d->out.data = malloc(BUFFER_BYTES);
    if (!d->out.data) {
        fprintf(stderr, "starbase decode: out of memory\n");
        exit(SB_EXIT_NEGATIVE);
    }
    setvbuf(stdout, NULL, _IONBF, 0); /* d->out is the buffer */
    sb_render_init(&d->render, &d->out);
    d->render.width = sb_terminal_columns(stdout);
    d->render.names = &d->names;
    d->filter.names = &d->names;
    sb_stats_init(&d->stats);
    d->stats.definitions = d->context.definitions;
    d->stats.width = d->render.width;
}

void sb_decode_close_output(sb_decode *d)
{
    if (d->form == SB_FORM_STATS && d->stats_as_json) sb_stats_print_json(&d->stats, &d->out);
    else if (d->form == SB_FORM_STATS) sb_stats_print(&d->stats, &d->out);
    sb_output_flush(&d->out);
    free(d->out.data);
    d->out.data = NULL;
}

static void print_or_count(sb_decode *d, const sb_record *r)
{
    switch (d->form) {
    case SB_FORM_LINE: sb_render_line(&d->render, r); break;
    case SB_FORM_TREE: sb_render_tree(&d->render, r); break;
    case SB_FORM_HEX: sb_render_hex(&d->render, r); break;
    case SB_FORM_JSON: sb_render_json(&d->render, r); break;
    case SB_FORM_COLUMNS: sb_render_columns(&d->render, &d->columns, r); break;
    case SB_FORM_STATS: sb_stats_add(&d->stats, r); break;
    }
}

/* True if records are printed with names and times that earlier records give. */
static bool shows_names(const sb_decode *d)
{
    return d->form != SB_FORM_STATS && d->form != SB_FORM_JSON;
}

void sb_decode_on_record(void *self, const sb_record *r)
{
    sb_decode *d = self;
    if (d->stopped) return;
    d->records++;
    if (shows_names(d) || d->has_filter) sb_render_learn(&d->render, r);
    if (d->has_filter && !sb_filter_matches(&d->filter, r, d->render.start_us)) return;
    if (d->strict && !sb_record_is_understood(r)) d->undecoded++;
    print_or_count(d, r);
    d->shown++;
    if (d->live) sb_output_flush(&d->out);
    if (d->count_max > 0 && d->shown == d->count_max) d->stopped = true;
}

void sb_decode_report(void *self, const char *name, unsigned long line, const char *text)
{
    sb_decode *d = self;
    d->fed = true;
    sb_output_flush(&d->out);
    if (line > 0) fprintf(stderr, "starbase decode: %s, line %lu: %s\n", name, line, text);
    else fprintf(stderr, "starbase decode: %s: %s\n", name, text);
    d->status = SB_EXIT_USAGE;
}
