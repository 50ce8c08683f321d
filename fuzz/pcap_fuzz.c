/* fuzz/pcap_fuzz.c -- reads the input as a capture, and dissects and counts its packets.
 *
 * A packed input is unpacked (load/input_stream.h); the corpus has small gzip and zstd captures.
 * Few bytes can unpack to gigabytes, so only the first packets are read.
 */
#include "base/assert.h"
#include "inspect/dissector.h"
#include "inspect/stats.h"
#include "load/capture_file.h"

#include <stdlib.h>

enum { BATCHES_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void record(void *self, const sb_record *r)
{
    SB_ASSERT(r->result == SB_OK || r->refusal.offset <= r->bytes.size);
    sb_stats_add(self, r);
}

static void ignore(void *self, const char *data, size_t size)
{
    (void)self, (void)data, (void)size;
}

static void feed(sb_capture *capture, sb_dissector *dissector, sb_stats *stats)
{
    sb_record_sink sink = { stats, record };
    sb_packet      packets[SB_CAPTURE_BATCH_MAX];
    for (int i = 0; i < BATCHES_MAX; i++) {
        size_t count = sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX);
        if (count == 0) break;
        sb_dissector_feed_batch(dissector, packets, count, &sink);
    }
    sb_dissector_check(dissector);
}

static void print(const sb_stats *stats)
{
    char      buffer[256];
    sb_output output = { buffer, sizeof buffer, 0, ignore, NULL, false };
    sb_stats_print(stats, &output);
    sb_stats_print_json(stats, &output);
    sb_output_flush(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sb_dissector_options options = { .conversations = 4,
                                                  .objects = 16,
                                                  .reassemblies = 2 };
    static void                      *memory;
    static sb_stats                  *stats;
    if (size == 0) return 0;
    if (!memory) memory = malloc(sb_dissector_bytes(&options));
    if (!stats) stats = malloc(sizeof *stats);
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    char  error[SB_CAPTURE_ERROR_MAX];
    if (!file) return 0;
    sb_capture *capture = sb_capture_open_file(file, 0, error);
    if (!capture) return 0;
    sb_stats_init(stats);
    feed(capture, sb_dissector_init(memory, &options), stats);
    if (data[size - 1] % 32 == 0) print(stats); /* rarely, as printing is slow */
    sb_capture_close(capture);
    return 0;
}
