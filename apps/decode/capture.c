/* apps/decode/capture.c -- feeds the packets of a capture to the dissector and prints progress.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "decode/decode.h"

#include "common/commands.h"
#include "load/capture_file.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/terminal.h"

#include <stdlib.h>

typedef struct progress {
    bool    wanted, shown;
    int64_t start_us, next_us;
} progress;

static progress start_progress(const sb_decode *d)
{
    int64_t now = sb_clock_now();
    bool    free_terminal = !sb_terminal_is_open(stdout) || d->form == SB_FORM_STATS;
    return (progress){ sb_terminal_is_open(stderr) && free_terminal, false, now, now + 1000000 };
}

static void show_progress(progress *p, const sb_decode *d, const sb_capture *capture)
{
    int64_t now = sb_clock_now();
    if (!p->wanted || now < p->next_us) return;
    double at = (double)sb_capture_position(capture), all = (double)sb_capture_bytes(capture);
    double rate = (double)d->records / ((double)(now - p->start_us) / 1e6);
    if (all > 0)
        fprintf(stderr, "\r%3.0f %% of %.0f MB, %.0f messages, %.0f/s\033[K", 100 * at / all,
                all / 1e6, (double)d->records, rate);
    else
        fprintf(stderr, "\r%.0f MB, %.0f messages, %.0f/s\033[K", at / 1e6, (double)d->records,
                rate);
    p->shown = true;
    p->next_us = now + 250000;
}

/* Prints how many packets were skipped, by reason. */
static void print_skipped(const sb_decode *d, const sb_capture_counts *counts, const char *name)
{
    unsigned long long packets = counts->packets, accepted = counts->accepted;
    if (packets == 0) {
        fprintf(stderr, "starbase decode: %s: the capture has no packets\n", name);
        return;
    }
    if (accepted == 0)
        fprintf(stderr, "starbase decode: %s: all %llu packets were skipped", name, packets);
    else
        fprintf(stderr, "starbase decode: %s: %llu of %llu packets were skipped", name,
                packets - accepted, packets);
    for (int i = 0; i < SB_CAPTURE_SKIP_COUNT; i++)
        if (counts->skipped[i] > 0)
            fprintf(stderr, "; %llu %s", (unsigned long long)counts->skipped[i],
                    sb_capture_skip_text((sb_capture_skip)i));
    if (counts->skipped[SB_CAPTURE_OTHER_PORT] > 0)
        fprintf(stderr, ", not %u (--port any accepts all)", d->port);
    fprintf(stderr, "\n");
}

static void report_capture(sb_decode *d, const sb_capture *capture, const char *name)
{
    sb_capture_counts counts = sb_capture_counted(capture);
    const char       *error = sb_capture_error(capture);
    uint64_t lost = counts.skipped[SB_CAPTURE_CUT_OFF] + counts.skipped[SB_CAPTURE_IP_FRAGMENT];
    d->stats.packets += counts.packets;
    for (int i = 0; i < SB_CAPTURE_SKIP_COUNT; i++)
        sb_stats_add_skipped(&d->stats, sb_capture_skip_text((sb_capture_skip)i),
                             counts.skipped[i]);
    d->undecoded += lost; /* these packets may have carried game data */
    if (d->stopped || sb_interrupt_pending()) return;
    if (error) {
        fprintf(stderr, "starbase decode: %s: %s; all packets before it were decoded\n", name,
                error);
        if (d->status == SB_EXIT_FINE) d->status = SB_EXIT_NEGATIVE;
    }
    if (counts.accepted == 0 || lost > 0) print_skipped(d, &counts, name);
}

static void dissect(sb_decode *d, sb_capture *capture, sb_dissector *dissector)
{
    const sb_record_sink sink = { d, sb_decode_on_record };
    progress             p = start_progress(d);
    sb_packet            packets[SB_CAPTURE_BATCH_MAX];
    for (unsigned batches = 1; !d->stopped && !sb_interrupt_pending(); batches++) {
        size_t count = sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX);
        if (count == 0 && sb_capture_has_ended(capture)) break;
        sb_dissector_feed_batch(dissector, packets, count, &sink);
        if (batches % 256 == 0 || count == 0) show_progress(&p, d, capture);
    }
    if (p.shown) fprintf(stderr, "\r\033[K");
}

void sb_decode_capture(sb_decode *d, sb_input *input, const char *name)
{
    char                 error[SB_CAPTURE_ERROR_MAX];
    sb_dissector_options settings = { .port = d->port,
                                      .fallback = d->context,
                                      .fixed_layout = d->fixed_layout,
                                      .first_record = d->records,
                                      .first_datagram = d->units,
                                      .file = d->file };
    d->fed = true;
    sb_capture *capture = sb_capture_open_input(input, d->port, error);
    if (!capture) {
        sb_decode_report(d, name, 0, error);
        return;
    }
    void         *memory = malloc(sb_dissector_bytes(&settings));
    sb_dissector *dissector = memory ? sb_dissector_init(memory, &settings) : NULL;
    if (dissector) dissect(d, capture, dissector);
    else sb_decode_report(d, name, 0, "out of memory");
    if (dissector) d->units += sb_dissector_counted(dissector).datagrams;
    report_capture(d, capture, name);
    free(memory);
    sb_capture_close(capture);
}
