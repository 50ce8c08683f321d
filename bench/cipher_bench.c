/* bench/cipher_bench.c -- the datagram cipher beside a plain transcription of spec 01 §2.3-2.4.
 *
 * All benchmarks work in place on the same buffers: the cost does not depend on byte values. An
 * operation of a `batch8` benchmark is eight datagrams. Floors: a copy of the same bytes, and the
 * multiply-adds of S alone in the order of the spec, five dependent ones per byte. The cipher can
 * be faster than the second floor because src/wire/cipher.c breaks up that chain.
 */
#include "bench.h"

#include <starbase/cipher.h>

#include <string.h>

enum { BATCH = 8, SIZE_MAX_BYTES = 1400 };

static uint8_t buffers[BATCH][SIZE_MAX_BYTES];
static uint8_t copies[BATCH][SIZE_MAX_BYTES];

__attribute__((constructor)) static void fill_buffers(void)
{
    bench_random_bytes(1, &buffers[0][0], sizeof buffers);
}

typedef struct plain_state {
    uint8_t  key[10];
    uint32_t s, c;
} plain_state;

static const plain_state plain_reset = { .key = "AlbyRules!" };

static uint8_t plain_mask(plain_state *state)
{
    uint32_t previous = 0, sum = 0;
    for (uint32_t r = 0; r < 5; r++) {
        uint32_t w = (state->key[2 * r] * 256u + state->key[2 * r + 1]) ^ previous;
        uint32_t t = (state->s + r) * 0x4E35u;
        uint32_t c = w * 0x15Au;
        state->s = (state->c + t + c) & 0xFFFFu;
        state->c = c & 0xFFFFu;
        w = (w * 0x4E35u + 1) & 0xFFFFu;
        sum ^= state->s ^ w;
        previous = w;
    }
    return (uint8_t)(sum ^ sum >> 8);
}

__attribute__((noinline)) static void plain_encrypt(uint8_t *datagram, size_t size)
{
    plain_state state = plain_reset;
    for (size_t i = 1; i < size; i++) {
        uint8_t byte = datagram[i];
        datagram[i] = byte ^ plain_mask(&state);
        for (size_t j = 0; j < 10; j++) state.key[j] ^= byte;
    }
}

__attribute__((noinline)) static void plain_decrypt(uint8_t *datagram, size_t size)
{
    plain_state state = plain_reset;
    for (size_t i = 1; i < size; i++) {
        uint8_t byte = datagram[i] ^ plain_mask(&state);
        datagram[i] = byte;
        for (size_t j = 0; j < 10; j++) state.key[j] ^= byte;
    }
}

static void multiply_chain(size_t size)
{
    uint32_t s = bench_use_value(0), c = bench_use_value(1);
    for (size_t i = 1; i < size; i++) {
        for (uint32_t r = 0; r < 5; r++) s = bench_use_value((s + r) * 0x4E35u + c);
    }
    bench_use_value(s);
}

static void make_batch(sb_cipher_item items[BATCH], size_t size)
{
    for (size_t i = 0; i < BATCH; i++) items[i] = (sb_cipher_item){ buffers[i], size };
}

#define CIPHER_BENCHES(size)                                                                       \
    BENCH(copy_##size)                                                                             \
    {                                                                                              \
        BENCH_LOOP                                                                                 \
        {                                                                                          \
            memcpy(copies[0], buffers[0], size);                                                   \
            bench_use(copies);                                                                     \
        }                                                                                          \
    }                                                                                              \
    BENCH(copy_batch8_##size)                                                                      \
    {                                                                                              \
        BENCH_LOOP                                                                                 \
        {                                                                                          \
            for (size_t i = 0; i < BATCH; i++) memcpy(copies[i], buffers[i], size);                \
            bench_use(copies);                                                                     \
        }                                                                                          \
    }                                                                                              \
    BENCH(multiply_chain_##size)                                                                   \
    {                                                                                              \
        BENCH_LOOP multiply_chain(size);                                                           \
    }                                                                                              \
    BENCH(plain_encrypt_##size)                                                                    \
    {                                                                                              \
        BENCH_LOOP plain_encrypt(buffers[0], size);                                                \
    }                                                                                              \
    BENCH(plain_decrypt_##size)                                                                    \
    {                                                                                              \
        BENCH_LOOP plain_decrypt(buffers[0], size);                                                \
    }                                                                                              \
    BENCH(plain_decrypt_batch8_##size)                                                             \
    {                                                                                              \
        BENCH_LOOP for (size_t i = 0; i < BATCH; i++) plain_decrypt(buffers[i], size);             \
    }                                                                                              \
    BENCH(encrypt_##size, .floor = "copy_" #size, .reference = "plain_encrypt_" #size)             \
    {                                                                                              \
        BENCH_LOOP sb_encrypt_datagram(buffers[0], size);                                          \
    }                                                                                              \
    BENCH(decrypt_##size, .floor = "multiply_chain_" #size, .reference = "plain_decrypt_" #size)   \
    {                                                                                              \
        BENCH_LOOP sb_decrypt_datagram(buffers[0], size);                                          \
    }                                                                                              \
    BENCH(decrypt_batch8_##size, .floor = "copy_batch8_" #size,                                    \
          .reference = "plain_decrypt_batch8_" #size)                                              \
    {                                                                                              \
        sb_cipher_item items[BATCH];                                                               \
        make_batch(items, size);                                                                   \
        BENCH_LOOP sb_decrypt_datagrams(items, BATCH);                                             \
    }

CIPHER_BENCHES(64)
CIPHER_BENCHES(512)
CIPHER_BENCHES(1400)
