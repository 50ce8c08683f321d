/* fuzz/json_fuzz.c -- encodes the input as a line of `starbase encode`, and checks the round trip.
 *
 * The bytes that a line gives are decoded and printed as by `starbase decode --json`. Encoding the
 * printed line must give the same bytes. With {"raw": ...} a line can give any bytes.
 */
#include "inspect/json/line.h"

#include "base/assert.h"
#include "inspect/render.h"
#include "inspect/show.h"

#include <starbase/cipher.h>
#include <starbase/message.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CAPACITY = 1 << 20 };

static uint8_t bytes[CAPACITY], again[CAPACITY], plain[CAPACITY];
static char    printed[8 * CAPACITY];
static size_t  printed_size;
static bool    too_long;

static void append_printed(void *self, const char *text, size_t size)
{
    (void)self;
    too_long = too_long || size > sizeof printed - printed_size;
    if (too_long) return;
    memcpy(printed + printed_size, text, size);
    printed_size += size;
}

static void print_record(const sb_record *record)
{
    static char      buffer[1 << 12];
    static sb_render render;
    sb_output        out = { .data = buffer, .capacity = sizeof buffer, .flush = append_printed };
    printed_size = 0;
    too_long = false;
    sb_render_init(&render, &out);
    sb_render_json(&render, record);
    sb_output_flush(&out);
}

static void check_round_trip(sb_layer layer, const sb_message_context *context, sb_span unit)
{
    static sb_message       message;
    static sb_arena         arena;
    static sb_json_defaults nothing;
    sb_record               record = { .layer = layer, .bytes = unit, .context = *context };
    if (layer == SB_LAYER_DATAGRAM) {
        if (unit.size > 0) memcpy(plain, unit.data, unit.size);
        sb_decrypt_datagram(plain, unit.size);
        record.plain = (sb_span){ plain, unit.size };
    }
    sb_record_decode(&record, &message);
    print_record(&record);
    if (too_long || printed_size > SB_JSON_LINE_MAX) return;
    sb_json_error error;
    size_t        count;
    sb_result     result = sb_json_encode_line(printed, printed_size - 1, &nothing, &arena, again,
                                               CAPACITY, &count, &error);
    SB_ASSERT(result == SB_OK);
    SB_ASSERT(count == unit.size);
    SB_ASSERT(count == 0 || memcmp(again, unit.data, count) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sb_layer   layers[] = { SB_LAYER_MESSAGE, SB_LAYER_PLAIN, SB_LAYER_DATAGRAM,
                                         SB_LAYER_GAMESPY };
    static sb_arena         arena;
    static sb_json_defaults defaults;
    defaults.context.ship = size % 2 ? sb_find_ship(sb_stock_ships(), 1) : NULL;
    sb_json_error error;
    size_t        count;
    sb_result     result = sb_json_encode_line((const char *)data, size, &defaults, &arena, bytes,
                                               CAPACITY, &count, &error);
    SB_ASSERT((result == SB_OK) == (error.text[0] == '\0'));
    SB_ASSERT(count <= CAPACITY);
    if (result != SB_OK) return 0;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        check_round_trip(layers[i], &defaults.context, (sb_span){ bytes, count });
    return 0;
}
