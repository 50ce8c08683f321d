/* bench/message_bench.c -- codecs on the hot path: bit groups, cf16, StateUpdate, object creation.
 *
 * The messages are worked examples of the spec. Floor: a copy of the same bytes.
 */
#include "bench.h"

#include <starbase/message.h>

#include "wire/reader.h"
#include "wire/writer.h"

#include <string.h>

enum { CAPACITY = 256 };

typedef struct example {
    uint8_t            bytes[CAPACITY], out[CAPACITY];
    size_t             size;
    sb_message         message;
    sb_message_context context;
} example;

static example subsys, power, full, creation;

static size_t parse_hex(const char *hex, uint8_t *out)
{
    size_t count = 0;
    for (; *hex; hex++) {
        static const char set[] = "0123456789ABCDEF";
        const char       *at = strchr(set, *hex);
        if (*hex == ' ' || !at) continue;
        out[count / 2] = (uint8_t)(out[count / 2] << 4 | (at - set));
        count++;
    }
    return count / 2;
}

static void prepare(example *e, const char *hex)
{
    e->size = parse_hex(hex, e->bytes);
    e->context.ship = sb_find_ship(sb_stock_ships(), 1);
    if (sb_decode_message((sb_span){ e->bytes, e->size }, &e->context, &e->message, NULL) != SB_OK)
        __builtin_trap();
}

__attribute__((constructor)) static void prepare_examples(void)
{
    /* spec 03 §13.4: dirty flags 0x3E with one SUBSYS entry, the phasers with their eight banks */
    prepare(&subsys,
            "1C FF FF FF 3F 66 66 70 42 3E 4C 65 00 1B 47 00 7F 00 00 00 7F F3 49 05 FF FF FF "
            "FF FF FF FF FF FF 21 64");
    /* dirty flags 0x9E with three POWER pairs, as after a spawn (spec 03 §5) */
    prepare(
        &power,
        "1C FF FF FF 3F 00 80 E1 41 9E 4C 65 00 1B 47 0B 68 46 30 BB 5E 00 00 01 CC 02 CC 04 CC");
    /* spec 03 §13.3: a full update with three SUBSYS entries */
    prepare(&full,
            "1C FF FF FF 3F 00 00 70 42 3D 00 00 C9 42 00 00 A2 C1 00 00 40 40 66 00 7F 00 00 00 "
            "7F F3 49 02 CC 4B FF F0 FF FF FF 80 7D");
    /* spec 07 §2.5: a Sovereign with its whole snapshot */
    prepare(&creation,
            "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2 52 93 45 "
            "3F BB C9 22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 "
            "4D 75 6C 74 69 31 FF FF 64 FF FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF "
            "FF FF FF FF 64 60 00 FF 64 FF FF FF FF FF FF FF FF FF 64 01 FF FF FF FF FF 64 01 "
            "FF FF FF 64 FF");
}

static void decode(example *e, size_t bench_count)
{
    BENCH_LOOP
    {
        sb_result result =
            sb_decode_message((sb_span){ e->bytes, e->size }, &e->context, &e->message, NULL);
        bench_use_value((uint32_t)result);
        bench_use(&e->message);
    }
}

static void encode(example *e, size_t bench_count)
{
    BENCH_LOOP
    {
        size_t    size;
        sb_result result = sb_encode_message(&e->message, &e->context, e->out, CAPACITY, &size);
        bench_use_value((uint32_t)result);
        bench_use(e->out);
    }
}

static void copy(example *e, size_t bench_count)
{
    BENCH_LOOP
    {
        size_t size = bench_use_value((uint32_t)e->size);
        memcpy(e->out, e->bytes, size);
        bench_use(e->out);
    }
}

#define CODEC(name)                                                                                \
    BENCH(copy_##name)                                                                             \
    {                                                                                              \
        copy(&name, bench_count);                                                                  \
    }                                                                                              \
    BENCH(decode_##name, .floor = "copy_" #name)                                                   \
    {                                                                                              \
        decode(&name, bench_count);                                                                \
    }                                                                                              \
    BENCH(encode_##name, .floor = "copy_" #name)                                                   \
    {                                                                                              \
        encode(&name, bench_count);                                                                \
    }
CODEC(subsys)
CODEC(power)
CODEC(full)
CODEC(creation)

/* ---- bit groups: ten booleans, each followed by a byte ---- */

static uint8_t stream[CAPACITY];

BENCH(copy_12_bytes)
{
    static uint8_t to[16];
    BENCH_LOOP
    {
        memcpy(to, stream, 12);
        bench_use(to);
    }
}

BENCH(write_10_bits_in_groups, .floor = "copy_12_bytes")
{
    BENCH_LOOP
    {
        sb_writer w;
        uint32_t  bits = bench_use_value(0x2A5);
        sb_writer_init(&w, stream, sizeof stream);
        for (unsigned i = 0; i < 10; i++) {
            sb_writer_write_bit(&w, bits >> i & 1);
            sb_writer_write_u8(&w, (uint8_t)i);
        }
        bench_use(stream);
    }
}

BENCH(read_10_bits_in_groups, .floor = "copy_12_bytes")
{
    BENCH_LOOP
    {
        sb_reader r;
        uint8_t   groups[SB_GROUPS_MAX];
        uint32_t  sum = 0;
        sb_reader_init(&r, (sb_span){ stream, 12 }, groups);
        for (unsigned i = 0; i < 10; i++) {
            sum += sb_reader_read_bit(&r);
            sum += sb_reader_read_u8(&r);
        }
        bench_use_value(sum + (uint32_t)r.status);
    }
}

/* ---- cf16, random codes of all ranges ---- */

static float    numbers[64];
static uint16_t codes[64];

__attribute__((constructor)) static void prepare_numbers(void)
{
    bench_random_bytes(3, (uint8_t *)codes, sizeof codes);
    for (int i = 0; i < 64; i++) numbers[i] = sb_decode_cf16(codes[i]);
}

BENCH(copy_one_float)
{
    static float to;
    BENCH_LOOP
    {
        to = numbers[bench_at % 64];
        bench_use(&to);
    }
}

BENCH(encode_cf16, .floor = "copy_one_float")
{
    BENCH_LOOP bench_use_value(sb_encode_cf16(numbers[bench_at % 64]));
}

BENCH(decode_cf16, .floor = "copy_one_float")
{
    static float to;
    BENCH_LOOP
    {
        to = sb_decode_cf16(codes[bench_at % 64]);
        bench_use(&to);
    }
}
