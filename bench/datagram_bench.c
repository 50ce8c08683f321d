/* bench/datagram_bench.c -- parsing and decrypting datagrams of 1 to 15 messages.
 *
 * Messages are StateUpdates with 23 bytes of payload, the most frequent size; in the datagram of 15
 * every third one is reliable. `parse` checks and lists all messages in one pass, `walk` checks
 * them and then visits each. Floors: a copy of the same bytes; for decryption, parsing and decoding
 * together, decryption alone.
 */
#include "bench.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/message.h>

#include <string.h>

enum { MESSAGES_MAX = 15 };

typedef struct traffic {
    uint8_t plain[SB_DATAGRAM_MAX], encrypted[SB_DATAGRAM_MAX], work[SB_DATAGRAM_MAX];
    size_t  size;
} traffic;

static traffic samples[MESSAGES_MAX + 1]; /* by number of messages */

__attribute__((constructor)) static void prepare(void)
{
    static const uint8_t update[23] = { 0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0,    0x80, 0xE1,
                                        0x41, 0x9E, 0x4C, 0x65, 0,    0x1B, 0x47, 0x0B,
                                        0x68, 0x46, 0x30, 0xBB, 0x5E, 0,    0 };
    for (unsigned count = 1; count <= MESSAGES_MAX; count++) {
        traffic           *t = &samples[count];
        sb_datagram_writer w;
        sb_datagram_writer_init(&w, t->plain, sizeof t->plain, 2);
        for (unsigned i = 0; i < count; i++) {
            sb_transport_message m = { .type = SB_TRANSPORT_DATA, .payload = { update, 23 } };
            m.reliable = count == MESSAGES_MAX && i % 3 == 0;
            if (sb_datagram_writer_add(&w, &m) != SB_OK) __builtin_trap();
        }
        t->size = w.size;
        memcpy(t->encrypted, t->plain, t->size);
        sb_encrypt_datagram(t->encrypted, t->size);
    }
}

static sb_transport_message messages[SB_DATAGRAM_MESSAGES_MAX];

static uint32_t parse_messages(sb_span plain, sb_message *message)
{
    sb_datagram datagram;
    uint32_t    sum = 0;
    if (sb_parse_datagram(plain, messages, SB_DATAGRAM_MESSAGES_MAX, &datagram, NULL) != SB_OK)
        return 0;
    bench_use(messages);
    for (unsigned i = 0; message && i < datagram.message_count; i++)
        sum += (uint32_t)sb_decode_message(messages[i].payload, NULL, message, NULL);
    return sum + datagram.message_count;
}

static uint32_t walk_messages(sb_span plain)
{
    sb_datagram          datagram;
    sb_transport_message m;
    uint32_t             sum = 0;
    if (sb_decode_datagram(plain, &datagram, NULL) != SB_OK) return 0;
    for (size_t at = 0; sb_datagram_next(&datagram, &at, &m);) sum += (uint32_t)m.payload.size;
    return sum;
}

static void copy(const traffic *t, size_t bench_count)
{
    static uint8_t to[SB_DATAGRAM_MAX];
    BENCH_LOOP
    {
        memcpy(to, t->plain, bench_use_value((uint32_t)t->size));
        bench_use(to);
    }
}

static void parse(const traffic *t, size_t bench_count)
{
    BENCH_LOOP bench_use_value(parse_messages((sb_span){ t->plain, t->size }, NULL));
}

static void walk(const traffic *t, size_t bench_count)
{
    BENCH_LOOP bench_use_value(walk_messages((sb_span){ t->plain, t->size }));
}

static void decrypt(traffic *t, size_t bench_count)
{
    BENCH_LOOP
    {
        memcpy(t->work, t->encrypted, t->size);
        sb_decrypt_datagram(t->work, t->size);
        bench_use(t->work);
    }
}

static void decrypt_parse_decode(traffic *t, size_t bench_count)
{
    static sb_message message;
    BENCH_LOOP
    {
        memcpy(t->work, t->encrypted, t->size);
        sb_decrypt_datagram(t->work, t->size);
        bench_use_value(parse_messages((sb_span){ t->work, t->size }, &message));
        bench_use(&message);
    }
}

#define DATAGRAM(n)                                                                                \
    BENCH(copy_datagram_##n)                                                                       \
    {                                                                                              \
        copy(&samples[n], bench_count);                                                            \
    }                                                                                              \
    BENCH(parse_datagram_##n, .floor = "copy_datagram_" #n)                                        \
    {                                                                                              \
        parse(&samples[n], bench_count);                                                           \
    }                                                                                              \
    BENCH(walk_datagram_##n, .floor = "copy_datagram_" #n)                                         \
    {                                                                                              \
        walk(&samples[n], bench_count);                                                            \
    }                                                                                              \
    BENCH(decrypt_datagram_##n, .floor = "copy_datagram_" #n)                                      \
    {                                                                                              \
        decrypt(&samples[n], bench_count);                                                         \
    }                                                                                              \
    BENCH(decrypt_parse_decode_##n, .floor = "decrypt_datagram_" #n)                               \
    {                                                                                              \
        decrypt_parse_decode(&samples[n], bench_count);                                            \
    }
DATAGRAM(1)
DATAGRAM(3)
DATAGRAM(4)
DATAGRAM(8)
DATAGRAM(15)

/* ---- one StateUpdate 0x3E of a Sovereign (spec 03 §13.4), alone and eight datagrams together ----
 */

enum { TOGETHER = 8 };

static traffic one_update;

__attribute__((constructor)) static void prepare_update(void)
{
    static const uint8_t update[] = { 0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0x66, 0x66, 0x70, 0x42,
                                      0x3E, 0x4C, 0x65, 0x00, 0x1B, 0x47, 0x00, 0x7F, 0x00,
                                      0x00, 0x00, 0x7F, 0xF3, 0x49, 0x05, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x21, 0x64 };
    sb_transport_message m = { .type = SB_TRANSPORT_DATA, .payload = { update, sizeof update } };
    sb_datagram_writer   w;
    sb_datagram_writer_init(&w, one_update.plain, sizeof one_update.plain, 2);
    if (sb_datagram_writer_add(&w, &m) != SB_OK) __builtin_trap();
    one_update.size = w.size;
    memcpy(one_update.encrypted, one_update.plain, w.size);
    sb_encrypt_datagram(one_update.encrypted, w.size);
}

BENCH(receive_update)
{
    decrypt_parse_decode(&one_update, bench_count);
}

BENCH(receive_8_updates)
{
    static uint8_t    work[TOGETHER][SB_DATAGRAM_MAX];
    static sb_message message;
    sb_cipher_item    items[TOGETHER];
    BENCH_LOOP
    {
        for (unsigned i = 0; i < TOGETHER; i++) {
            memcpy(work[i], one_update.encrypted, one_update.size);
            items[i] = (sb_cipher_item){ work[i], one_update.size };
        }
        sb_decrypt_datagrams(items, TOGETHER);
        for (unsigned i = 0; i < TOGETHER; i++) {
            bench_use_value(parse_messages((sb_span){ work[i], one_update.size }, &message));
            bench_use(&message);
        }
    }
}
