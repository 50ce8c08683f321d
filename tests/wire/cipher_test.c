/* tests/wire/cipher_test.c -- the cipher against the vectors of the spec and a literal
 * transcription of its pseudocode.
 *
 * Spec: 01 §2.3-2.6, with the captured and constructed datagrams of §8.2 and §11.
 */
#include "../test.h"

#include <starbase/cipher.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spec 01 §2.3 and §2.4 transcribed literally: slow, but obviously right. */

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

static void plain_feed(plain_state *state, uint8_t plain)
{
    for (size_t j = 0; j < 10; j++) state->key[j] ^= plain;
}

static void plain_encrypt(uint8_t *datagram, size_t size)
{
    plain_state state = plain_reset;
    for (size_t i = 1; i < size; i++) {
        uint8_t plain = datagram[i];
        datagram[i] ^= plain_mask(&state);
        plain_feed(&state, plain);
    }
}

static void plain_decrypt(uint8_t *datagram, size_t size)
{
    plain_state state = plain_reset;
    for (size_t i = 1; i < size; i++) {
        datagram[i] ^= plain_mask(&state);
        plain_feed(&state, datagram[i]);
    }
}

/* ---- helpers ---- */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void fill_random(uint64_t *state, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)next_random(state);
}

/* Checks both directions, as single datagrams and as batches of one. */
static void check_pair(const char *plain_hex, const char *encrypted_hex)
{
    uint8_t        plain[64], encrypted[64], work[64];
    size_t         size = test_hex(plain_hex, plain, sizeof plain);
    sb_cipher_item item = { work, size };
    CHECK_EQ(test_hex(encrypted_hex, encrypted, sizeof encrypted), size);

    memcpy(work, plain, size);
    sb_encrypt_datagram(work, size);
    CHECK_BYTES(work, size, encrypted, size);
    sb_decrypt_datagram(work, size);
    CHECK_BYTES(work, size, plain, size);
    sb_encrypt_datagrams(&item, 1);
    CHECK_BYTES(work, size, encrypted, size);
    sb_decrypt_datagrams(&item, 1);
    CHECK_BYTES(work, size, plain, size);
}

static uint32_t rotate(uint32_t value, int by)
{
    return value >> by | value << (32 - by);
}

static void sha256_chunk(uint32_t hash[8], const uint8_t chunk[64])
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    };
    uint32_t w[64], v[8];
    for (size_t i = 0; i < 16; i++) {
        w[i] = (uint32_t)chunk[4 * i] << 24 | (uint32_t)chunk[4 * i + 1] << 16 |
               (uint32_t)chunk[4 * i + 2] << 8 | chunk[4 * i + 3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, hash, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        uint32_t one = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t two = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++) hash[i] += v[i];
}

/* SHA-256 of whole chunks only: these tests hash 512 bytes. */
static void sha256_hex(const uint8_t *data, size_t size, char out[65])
{
    uint32_t hash[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    uint8_t  last[64] = { 0x80 };
    CHECK_EQ(size % 64, 0);
    for (size_t i = 0; i < size; i += 64) sha256_chunk(hash, data + i);
    last[62] = (uint8_t)(size * 8 >> 8);
    last[63] = (uint8_t)(size * 8);
    sha256_chunk(hash, last);
    for (size_t i = 0; i < 8; i++) snprintf(out + 8 * i, 9, "%08x", (unsigned)hash[i]);
}

/* ---- vectors ---- */

TEST(cipher_agrees_with_the_vectors_of_the_spec)
{
    check_pair("42", "42");                                          /* C1 */
    check_pair("FF 00", "FF D6");                                    /* C2 */
    check_pair("01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", /* C3 */
               "01 D6 FE 17 F1 86 49 BC 51 A5 0F 17 6C 96 16 5B 52");
    check_pair("01 01 03 06 C0 00 00 02", "01 D7 33 68 C3 BF 76 DB"); /* C4 */
    check_pair("FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00",  /* C5 */
               "FF D7 33 61 38 B3 5B 46 54 35 D1 E9 C3 5E B0 4B D6");
    check_pair("01 01 00 16 C0 01 00 02 0A 0A 0A EF 43 00 61 00 64 00 79 00 32 00 00 00", /* C6 */
               "01 D7 30 13 2F 03 B3 53 07 56 AE 4E 7C 4E C4 DB 1E B8 8F 5B C0 F4 86 00");
    check_pair("01 01 1C 0F 00 00 00 AA BB CC DD EE FF", /* C7 */
               "01 D7 2C 66 C5 E9 42 13 E6 74 CC EE 71");
    check_pair("02 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF", /* C8 */
               "02 29 97 5E 7E BC 14 14 8B 83 1A 29 F2 CD 93 FD 09");
}

TEST(cipher_agrees_with_the_long_vector_of_the_spec)
{
    uint8_t datagram[512], last[8]; /* C9 */
    char    digest[65];
    for (size_t i = 0; i < sizeof datagram; i++) datagram[i] = (uint8_t)i;
    datagram[0] = 2;
    sb_encrypt_datagram(datagram, sizeof datagram);
    test_hex("0E 72 5A E6 F8 CB 13 4E", last, sizeof last);
    CHECK_BYTES(datagram + 504, 8, last, 8);
    sha256_hex(datagram, sizeof datagram, digest);
    CHECK_TEXT(digest, "4e0a7ec2844d16d4fedc53239c31d1a53b342851c4c6d6d6291f758e45b2211b");

    sb_decrypt_datagram(datagram, sizeof datagram);
    for (size_t i = 1; i < sizeof datagram; i++) CHECK_EQ(datagram[i], (uint8_t)i);
}

/* Spec 01 §2.5: with plaintext 01 03 the first masks are D6 and 30. */
TEST(cipher_follows_the_trace_of_the_spec)
{
    plain_state state = plain_reset;
    CHECK_EQ(plain_mask(&state), 0xD6);
    CHECK_EQ(state.s, 0x7582);
    plain_feed(&state, 0x01);
    CHECK_EQ(plain_mask(&state), 0x30);
    CHECK_EQ(state.s, 0x1E7E);

    uint8_t datagram[] = { 0x01, 0x01, 0x03 };
    sb_encrypt_datagram(datagram, sizeof datagram);
    CHECK_EQ(datagram[1] ^ 0x01, 0xD6);
    CHECK_EQ(datagram[2] ^ 0x03, 0x30);
}

TEST(cipher_agrees_with_the_worked_examples_of_the_spec)
{
    check_pair("01 01 02", "01 D7 32"); /* §8.2 */
    check_pair("02 01 02", "02 D7 32");
    check_pair(
        "01 03 01 00 00 02 03 06 C0 00 00 02 32 1B 80 00 00 20 00 08 00 73 63 72 69 70 74 73 "
        "2F 07 00 41 70 70 2E 70 79 63 20", /* §11.2 */
        "01 D5 3B DE 6B 28 F7 D1 7F 1A 5A B8 B7 48 A7 78 73 C0 DE 8E 6F 68 0D 6F 01 3D 2A 33 "
        "DF 7B B1 F5 8D 15 2A 91 73 8D 4E");
    check_pair("02 01 32 07 80 05 00 2A 20", "02 D7 02 D4 22 78 8A B6 03"); /* §11.7 */
    check_pair("01 04 02 01 00 00 02 01 01 00 02 01 04 00 00",              /* §11.11 */
               "01 D2 AA 7A 5F C4 25 48 E3 82 58 08 83 5B 2C");
}

/* Spec 01 §11.11: captured encrypted, host and client. */
TEST(cipher_decrypts_the_captured_heads_of_idle_datagrams)
{
    uint8_t              host[] = { 0x01, 0xD2, 0xAA, 0x7A, 0x5F };
    uint8_t              client[] = { 0x02, 0xD2, 0xAA, 0x7A, 0x5F };
    static const uint8_t plain[] = { 0x04, 0x02, 0x01, 0x00 };
    sb_decrypt_datagram(host, sizeof host);
    sb_decrypt_datagram(client, sizeof client);
    CHECK_EQ(host[0], 0x01);
    CHECK_EQ(client[0], 0x02);
    CHECK_BYTES(host + 1, 4, plain, 4);
    CHECK_BYTES(client + 1, 4, plain, 4);
}

/* ---- properties ---- */

enum { SIZE_TESTED = 1500, GUARD = 32 };

TEST(cipher_leaves_empty_datagrams_and_the_peer_id_alone)
{
    uint8_t        one = 0x5A;
    sb_cipher_item items[] = { { NULL, 0 }, { &one, 1 }, { &one, 0 } };
    sb_encrypt_datagram(NULL, 0);
    sb_decrypt_datagram(NULL, 0);
    sb_encrypt_datagram(&one, 1);
    sb_decrypt_datagram(&one, 1);
    sb_encrypt_datagrams(items, 3);
    sb_decrypt_datagrams(items, 3);
    sb_encrypt_datagrams(NULL, 0);
    sb_decrypt_datagrams(NULL, 0);
    CHECK_EQ(one, 0x5A);
    for (unsigned id = 0; id < 256; id++) {
        uint8_t datagram[] = { (uint8_t)id, 1, 2 };
        sb_encrypt_datagram(datagram, 3);
        CHECK_EQ(datagram[0], id);
        CHECK_EQ(datagram[1], 0xD7);
        CHECK_EQ(datagram[2], 0x32);
        sb_decrypt_datagram(datagram, 3);
        CHECK_EQ(datagram[0], id);
    }
}

/* One datagram of a length, at an address of an alignment: equal to the transcription, back again,
 * and no byte around it changed. */
static void check_datagram(uint64_t *random, size_t size, size_t alignment)
{
    static uint8_t area[SIZE_TESTED + 3 * GUARD], expected[SIZE_TESTED + 3 * GUARD];
    uint8_t       *datagram = area + GUARD + alignment;
    fill_random(random, area, sizeof area);
    memcpy(expected, area, sizeof area);

    plain_encrypt(expected + GUARD + alignment, size);
    sb_encrypt_datagram(datagram, size);
    CHECK_BYTES(area, sizeof area, expected, sizeof expected);
    plain_decrypt(expected + GUARD + alignment, size);
    sb_decrypt_datagram(datagram, size);
    CHECK_BYTES(area, sizeof area, expected, sizeof expected);
    plain_decrypt(expected + GUARD + alignment,
                  size); /* decrypts bytes that were never encrypted */
    sb_decrypt_datagram(datagram, size);
    CHECK_BYTES(area, sizeof area, expected, sizeof expected);
}

TEST(cipher_equals_the_transcription_at_every_length)
{
    uint64_t random = 1;
    for (size_t size = 0; size <= SIZE_TESTED; size++) check_datagram(&random, size, size % 17);
}

TEST(cipher_equals_the_transcription_at_every_alignment)
{
    uint64_t random = 2;
    for (size_t alignment = 0; alignment < GUARD; alignment++) {
        for (size_t size = 0; size < 40; size++) check_datagram(&random, size, alignment);
    }
}

/* The 256 values of the first byte reach every key state x; random bytes reach many values of u. */
TEST(cipher_equals_the_transcription_in_every_key_state)
{
    for (unsigned x = 0; x < 256; x++) {
        uint8_t datagram[20] = { 0, (uint8_t)x }, expected[20];
        memcpy(expected, datagram, sizeof datagram);
        sb_encrypt_datagram(datagram, sizeof datagram);
        plain_encrypt(expected, sizeof expected);
        CHECK_BYTES(datagram, sizeof datagram, expected, sizeof expected);
        sb_decrypt_datagram(datagram, sizeof datagram);
        plain_decrypt(expected, sizeof expected);
        CHECK_BYTES(datagram, sizeof datagram, expected, sizeof expected);
    }
    uint64_t random = 3;
    for (size_t i = 0; i < 2000; i++) check_datagram(&random, next_random(&random) % 200, i % 8);
}

/* A datagram that ends exactly where its allocation ends, for the address sanitizer. */
TEST(cipher_reads_nothing_behind_the_end)
{
    for (size_t size = 1; size < 40; size++) {
        uint8_t *blocks[8], plain[40] = { 7 };
        for (size_t i = 0; i < 8; i++) {
            blocks[i] = malloc(size);
            CHECK(blocks[i] != NULL);
            memcpy(blocks[i], plain, size);
            sb_encrypt_datagram(blocks[i], size);
        }
        sb_cipher_item items[8];
        for (size_t i = 0; i < 8; i++) items[i] = (sb_cipher_item){ blocks[i], size };
        sb_decrypt_datagrams(items, 8);
        for (size_t i = 0; i < 8; i++) {
            CHECK_BYTES(blocks[i], size, plain, size);
            sb_decrypt_datagram(blocks[i], size);
            free(blocks[i]);
        }
    }
}

/* ---- batches ---- */

enum { BATCH_MAX = 20, BATCH_SIZE_MAX = 300, BATCH_AREA = BATCH_MAX * (BATCH_SIZE_MAX + GUARD) };

/* Cuts datagrams of random lengths out of `area`, some bytes apart. `size_limit` > 0. */
static void cut_batch(uint64_t *random, uint8_t *area, size_t count, size_t size_limit,
                      sb_cipher_item *items)
{
    size_t at = 1;
    for (size_t i = 0; i < count; i++) {
        items[i] = (sb_cipher_item){ area + at, next_random(random) % size_limit };
        at += items[i].size + 1 + next_random(random) % 8;
        CHECK(at <= BATCH_AREA);
    }
}

static void check_batch(uint64_t *random, size_t count, size_t size_limit)
{
    static uint8_t area[BATCH_AREA], expected[BATCH_AREA];
    sb_cipher_item items[BATCH_MAX] = { 0 };
    fill_random(random, area, sizeof area);
    memcpy(expected, area, sizeof area);
    cut_batch(random, area, count, size_limit, items);

    for (size_t i = 0; i < count; i++)
        plain_decrypt(expected + (items[i].datagram - area), items[i].size);
    sb_decrypt_datagrams(items, count);
    CHECK_BYTES(area, sizeof area, expected, sizeof expected);

    for (size_t i = 0; i < count; i++)
        plain_encrypt(expected + (items[i].datagram - area), items[i].size);
    sb_encrypt_datagrams(items, count);
    CHECK_BYTES(area, sizeof area, expected, sizeof expected);
}

TEST(cipher_batches_equal_the_transcription)
{
    static const size_t limits[] = { 1, 2, 3, 8, 10, 18, 65, BATCH_SIZE_MAX };
    uint64_t            random = 4;
    for (size_t count = 0; count <= BATCH_MAX; count++) {
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            for (size_t again = 0; again < 10; again++) check_batch(&random, count, limits[i]);
        }
    }
}

/* One long datagram among short ones: its last bytes are decrypted when all other lanes are idle.
 */
TEST(cipher_batches_end_a_straggler)
{
    static uint8_t area[8][1400], expected[8][1400];
    uint64_t       random = 5;
    for (size_t straggler = 0; straggler < 8; straggler++) {
        sb_cipher_item items[8];
        fill_random(&random, area[0], sizeof area);
        memcpy(expected, area, sizeof area);
        for (size_t i = 0; i < 8; i++) {
            items[i] = (sb_cipher_item){ area[i], i == straggler ? 1400 : 20 + i };
            plain_decrypt(expected[i], items[i].size);
        }
        sb_decrypt_datagrams(items, 8);
        CHECK_BYTES(area, sizeof area, expected, sizeof expected);
    }
}
