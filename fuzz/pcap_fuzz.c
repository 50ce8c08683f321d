/* fuzz/pcap_fuzz.c -- reads the input as a capture, and dissects and counts its packets.
 *
 * A packed input is unpacked (load/input_stream.h); the corpus has small gzip and zstd captures.
 * Few bytes can unpack to gigabytes, so only the first packets are read.
 */
#include "base/assert.h"
#include "inspect/dissector.h"
#include "inspect/render.h"
#include "inspect/stats.h"
#include "load/capture_file.h"

#include <stdlib.h>

enum { BATCHES_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzzed {
    sb_stats        stats;
    sb_object_names names;
    sb_render       render;
    sb_output       out;
    char            buffer[256];
} fuzzed;

static void record(void *self, const sb_record *r)
{
    fuzzed *f = self;
    SB_ASSERT(r->result == SB_OK || r->refusal.offset <= r->bytes.size);
    sb_stats_add(&f->stats, r);
    sb_render_learn(&f->render, r);
    if (r->number % 64 != 1) return; /* printing is slow */
    sb_render_line(&f->render, r);
    sb_render_tree(&f->render, r);
}

static void ignore(void *self, const char *data, size_t size)
{
    (void)self, (void)data, (void)size;
}

static void start(fuzzed *f)
{
    f->out = (sb_output){ f->buffer, sizeof f->buffer, 0, ignore, NULL, false };
    sb_stats_init(&f->stats);
    sb_object_names_init(&f->names);
    sb_render_init(&f->render, &f->out);
    f->render.names = &f->names;
    f->render.width = 100;
}

static void feed(sb_capture *capture, sb_dissector *dissector, fuzzed *f)
{
    sb_record_sink sink = { f, record };
    sb_packet      packets[SB_CAPTURE_BATCH_MAX];
    for (int i = 0; i < BATCHES_MAX; i++) {
        size_t count = sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX);
        if (count == 0) break; /* the end, or only packets to skip */
        sb_dissector_feed_batch(dissector, packets, count, &sink);
    }
    sb_dissector_check(dissector);
}

static void print(fuzzed *f)
{
    sb_stats_print(&f->stats, &f->out);
    sb_stats_print_json(&f->stats, &f->out);
    sb_output_flush(&f->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sb_dissector_options options = { .conversations = 4,
                                                  .objects = 16,
                                                  .reassemblies = 2 };
    static void                      *memory;
    static fuzzed                    *f;
    if (size == 0) return 0;
    if (!memory) memory = malloc(sb_dissector_bytes(&options));
    if (!f) f = malloc(sizeof *f);
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    char  error[SB_CAPTURE_ERROR_MAX];
    if (!file) return 0;
    sb_capture *capture = sb_capture_open_file(file, 0, error);
    if (!capture) return 0;
    start(f);
    feed(capture, sb_dissector_init(memory, &options), f);
    if (data[size - 1] % 32 == 0) print(f); /* rarely, as printing is slow */
    sb_capture_close(capture);
    return 0;
}
