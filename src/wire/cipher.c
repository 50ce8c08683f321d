/* src/wire/cipher.c -- the datagram cipher, rearranged so that each byte costs one table lookup.
 *
 * For:      starbase/cipher.h.
 * May use:  the caller's bytes, the constant table below, SSE2 where the target has it.
 * Never:    reads or writes outside the datagram; keeps state between calls.
 * Spec:     01 §2.
 *
 *      0         1         2         3               n-1
 *     +---------+---------+---------+--     --+---------+
 *     | peer_id | cipher1 | cipher2 |   ...   |         |   cipher_i = plain_i ^ mask_i
 *     +---------+---------+---------+--     --+---------+
 *      in clear  mask_1: key, S = 0, C = 0
 *                mask_2: every key byte ^ plain_1; S, C as mask_1 left them
 *                mask_3: every key byte ^ plain_1 ^ plain_2; ...
 *
 * The feedback XORs the same byte into all ten key bytes, so the key has only 256 states: `x`, the
 * XOR of all plaintext bytes so far. The words w and the values c = w * 0x15A of spec 01 §2.3
 * depend on x alone. S is an affine function of its value after the previous byte. With A = 0x4E35,
 * all values modulo 2^16, and S and C as the previous byte left them:
 *
 *     u  = A * S + C                      before this byte; 0 at byte 1
 *     S0 = u + c0                         round 0
 *     Sr = A * (Sr-1 + r) + cr-1 + cr     rounds 1..4, which is A^r * u + kr(x)
 *     u' = A * S4 + c4                    for the next byte, which is A^5 * u + k5(x)
 *
 * So the five rounds are independent of each other, and the table below holds k0..k5 for each x.
 * The mask is the XOR of the five S and the five advanced words, folded to a byte. The table also
 * XORs x into the words, which turns mask into mask ^ x. With x' = x ^ plain, the x of the next
 * byte, and cipher = plain ^ mask, the two directions become:
 *
 *     encrypt: cipher = x' ^ fold(...)    decrypt: x' = cipher ^ fold(...), plain = x' ^ x
 *
 * The encrypter knows every x beforehand and processes eight bytes of a datagram at once. The
 * decrypter learns x byte by byte, so the latency of that loop limits one datagram; a batch hides
 * it by decrypting eight datagrams side by side.
 */
#include <starbase/cipher.h>

#include <string.h>

#if defined(__x86_64__) && defined(__SSE2__)
#define CIPHER_SSE2
#include <emmintrin.h>
#endif

#if defined(__GNUC__)
#define NOT_INLINE __attribute__((noinline))
#else
#define NOT_INLINE
#endif

/* Powers of A modulo 2^16. */
#define POWER_1 0x4E35u
#define POWER_2 (POWER_1 * POWER_1 & 0xFFFFu)
#define POWER_3 (POWER_2 * POWER_1 & 0xFFFFu)
#define POWER_4 (POWER_3 * POWER_1 & 0xFFFFu)
#define POWER_5 (POWER_4 * POWER_1 & 0xFFFFu)

/* WORD_r: the word w of round r (spec 01 §2.3) in key state x. AFTER_r: the same word, advanced.
 * The constants are the key "AlbyRules!" in pairs. Only the low 16 bits are valid. */
#define WORD_0(x)  (0x416Cu ^ (x)*0x101u)
#define WORD_1(x)  (0x6279u ^ (x)*0x101u ^ AFTER_0(x))
#define WORD_2(x)  (0x5275u ^ (x)*0x101u ^ AFTER_1(x))
#define WORD_3(x)  (0x6C65u ^ (x)*0x101u ^ AFTER_2(x))
#define WORD_4(x)  (0x7321u ^ (x)*0x101u ^ AFTER_3(x))
#define AFTER_0(x) (WORD_0(x) * POWER_1 + 1u)
#define AFTER_1(x) (WORD_1(x) * POWER_1 + 1u)
#define AFTER_2(x) (WORD_2(x) * POWER_1 + 1u)
#define AFTER_3(x) (WORD_3(x) * POWER_1 + 1u)
#define AFTER_4(x) (WORD_4(x) * POWER_1 + 1u)

/* k0..k5 of the head comment. WORDS: the XOR of the advanced words and x. */
#define K_0(x)   (WORD_0(x) * 0x15Au)
#define K_1(x)   ((K_0(x) + 1u) * POWER_1 + (WORD_0(x) + WORD_1(x)) * 0x15Au)
#define K_2(x)   ((K_1(x) + 2u) * POWER_1 + (WORD_1(x) + WORD_2(x)) * 0x15Au)
#define K_3(x)   ((K_2(x) + 3u) * POWER_1 + (WORD_2(x) + WORD_3(x)) * 0x15Au)
#define K_4(x)   ((K_3(x) + 4u) * POWER_1 + (WORD_3(x) + WORD_4(x)) * 0x15Au)
#define K_5(x)   (K_4(x) * POWER_1 + WORD_4(x) * 0x15Au)
#define WORDS(x) (AFTER_0(x) ^ AFTER_1(x) ^ AFTER_2(x) ^ AFTER_3(x) ^ AFTER_4(x) ^ (x))

#define LANE(value, shift) ((uint64_t)((value)&0xFFFFu) << (shift))
#define ROW(x)                                                                                     \
    {                                                                                              \
        LANE(K_0(x), 0) | LANE(K_1(x), 32), LANE(K_2(x), 0) | LANE(K_3(x), 32),                    \
            LANE(K_4(x), 0) | LANE(K_5(x), 32) | LANE(WORDS(x), 48),                               \
            LANE(K_0(x), 0) | LANE(K_1(x), 16) | LANE(K_2(x), 32) | LANE(K_3(x), 48)               \
    }
#define ROWS_4(x)  ROW(x), ROW((x) + 1u), ROW((x) + 2u), ROW((x) + 3u)
#define ROWS_16(x) ROWS_4(x), ROWS_4((x) + 4u), ROWS_4((x) + 8u), ROWS_4((x) + 12u)
#define ROWS_64(x) ROWS_16(x), ROWS_16((x) + 16u), ROWS_16((x) + 32u), ROWS_16((x) + 48u)

/* One row of four 64-bit numbers per key state, 8 KiB in all. In lanes of 16 bits, low lane first:
 *
 *     k0 0 k1 0 | k2 0 k3 0 | k4 0 k5 words | k0 k1 k2 k3
 *
 * advance() uses the first three: two products at once, each with 32 bits of space. The SSE2 code
 * loads the last two as one vector. */
static const _Alignas(32) uint64_t table[256][4] = { ROWS_64(0u), ROWS_64(64u), ROWS_64(128u),
                                                     ROWS_64(192u) };

/* The state between two bytes; all zero at byte 1 of a datagram. */
typedef struct cipher_state {
    uint64_t u; /* 0..65535 */
    uint64_t x; /* 0..255 */
} cipher_state;

/* Advances u by one byte and returns mask ^ x of that byte, not yet folded, in the low 16 bits. Two
 * products of 16 by 16 bits fit into 64 bits side by side, and adding a k carries into no other
 * product. Adding `words` may carry out of bit 63; the code reads `words` from the row instead. */
static inline uint32_t advance(cipher_state *state)
{
    const uint64_t *row = table[state->x];
    const uint64_t  u = state->u;
    uint64_t        s01 = u * (1u | (uint64_t)POWER_1 << 32) + row[0];
    uint64_t        s23 = u * (POWER_2 | (uint64_t)POWER_3 << 32) + row[1];
    uint64_t        s4u = u * (POWER_4 | (uint64_t)POWER_5 << 32) + row[2];
    uint64_t        both = s01 ^ s23;
    state->u = (uint16_t)(s4u >> 32);
    return (uint32_t)(both >> 32) ^ (uint32_t)(both ^ (s4u ^ row[2] >> 48));
}

static inline void decrypt_byte(cipher_state *state, uint8_t *byte)
{
    uint32_t mask = advance(state);
    uint64_t x = (uint8_t)(mask ^ *byte ^ mask >> 8);
    *byte = (uint8_t)(x ^ state->x);
    state->x = x;
}

/* Not inlined: knowing the first state, gcc 12 unrolls the loop and makes it a third slower. */
static NOT_INLINE void decrypt_bytes(cipher_state state, uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    if (size % 2 != 0) decrypt_byte(&state, bytes++);
    for (; bytes != end; bytes += 2) {
        decrypt_byte(&state, bytes);
        decrypt_byte(&state, bytes + 1);
    }
}

#if defined(CIPHER_SSE2)

enum { LANES = 8, BLOCK = 8 };

/* Loads the next eight bytes of a datagram, the first in the low byte; past its end zeros. */
static inline uint64_t load_block(const uint8_t *bytes, size_t left)
{
    uint64_t block = 0;
    if (left >= BLOCK) {
        memcpy(&block, bytes, sizeof block);
        return block;
    }
    while (left > 0) block = block << 8 | bytes[--left];
    return block;
}

static inline void store_block(uint8_t *bytes, size_t left, uint64_t block)
{
    if (left >= BLOCK) {
        memcpy(bytes, &block, sizeof block);
        return;
    }
    for (; left > 0; left--, block >>= 8) *bytes++ = (uint8_t)block;
}

/* The table rows of eight key states, transposed: each vector holds one column, one lane per key
 * state. */
typedef struct columns {
    __m128i k0, k1, k2, k3, k4, k5, words;
} columns;

static inline __m128i row_at(unsigned x)
{
    return _mm_load_si128((const __m128i *)(const void *)&table[x][2]);
}

/* Loads and transposes the rows of the eight key states in the bytes of `x`. */
static inline columns load_columns(uint64_t x)
{
    const __m128i r0 = row_at((uint8_t)x), r1 = row_at((uint8_t)(x >> 8));
    const __m128i r2 = row_at((uint8_t)(x >> 16)), r3 = row_at((uint8_t)(x >> 24));
    const __m128i r4 = row_at((uint8_t)(x >> 32)), r5 = row_at((uint8_t)(x >> 40));
    const __m128i r6 = row_at((uint8_t)(x >> 48)), r7 = row_at((uint8_t)(x >> 56));

    /* Interleave rows four apart, then two apart, then neighbours. */
    const __m128i a04 = _mm_unpacklo_epi16(r0, r4), b04 = _mm_unpackhi_epi16(r0, r4);
    const __m128i a15 = _mm_unpacklo_epi16(r1, r5), b15 = _mm_unpackhi_epi16(r1, r5);
    const __m128i a26 = _mm_unpacklo_epi16(r2, r6), b26 = _mm_unpackhi_epi16(r2, r6);
    const __m128i a37 = _mm_unpacklo_epi16(r3, r7), b37 = _mm_unpackhi_epi16(r3, r7);
    const __m128i even4 = _mm_unpacklo_epi16(a04, a26), even5w = _mm_unpackhi_epi16(a04, a26);
    const __m128i even01 = _mm_unpacklo_epi16(b04, b26), even23 = _mm_unpackhi_epi16(b04, b26);
    const __m128i odd4 = _mm_unpacklo_epi16(a15, a37), odd5w = _mm_unpackhi_epi16(a15, a37);
    const __m128i odd01 = _mm_unpacklo_epi16(b15, b37), odd23 = _mm_unpackhi_epi16(b15, b37);
    return (columns){
        .k0 = _mm_unpacklo_epi16(even01, odd01),
        .k1 = _mm_unpackhi_epi16(even01, odd01),
        .k2 = _mm_unpacklo_epi16(even23, odd23),
        .k3 = _mm_unpackhi_epi16(even23, odd23),
        .k4 = _mm_unpacklo_epi16(even4, odd4),
        .k5 = _mm_unpacklo_epi16(even5w, odd5w),
        .words = _mm_unpackhi_epi16(even5w, odd5w),
    };
}

/* Per lane: value * factor + term. */
static inline __m128i multiply_add(__m128i value, uint32_t factor, __m128i term)
{
    return _mm_add_epi16(_mm_mullo_epi16(value, _mm_set1_epi16((short)factor)), term);
}

/* Per lane: mask ^ x ^ other, folded to 0..255. `other` is in 0..255. */
static inline __m128i fold_lanes(const columns *c, __m128i u, __m128i other)
{
    __m128i s01 = _mm_xor_si128(_mm_add_epi16(u, c->k0), multiply_add(u, POWER_1, c->k1));
    __m128i s23 = _mm_xor_si128(multiply_add(u, POWER_2, c->k2), multiply_add(u, POWER_3, c->k3));
    __m128i s4 = _mm_xor_si128(multiply_add(u, POWER_4, c->k4), _mm_xor_si128(c->words, other));
    __m128i all = _mm_xor_si128(_mm_xor_si128(s01, s23), s4);
    return _mm_xor_si128(_mm_and_si128(all, _mm_set1_epi16(0xFF)), _mm_srli_epi16(all, 8));
}

#define POWER_10 (POWER_5 * POWER_5 & 0xFFFFu)
#define POWER_15 (POWER_10 * POWER_5 & 0xFFFFu)
#define POWER_20 (POWER_10 * POWER_10 & 0xFFFFu)
#define POWER_25 (POWER_20 * POWER_5 & 0xFFFFu)
#define POWER_30 (POWER_20 * POWER_10 & 0xFFFFu)
#define POWER_35 (POWER_20 * POWER_15 & 0xFFFFu)
#define POWER_40 (POWER_20 * POWER_20 & 0xFFFFu)

/* The encryption state of one datagram. */
typedef struct encrypter {
    __m128i  u; /* repeated in every lane */
    uint64_t x; /* repeated in every byte */
} encrypter;

/* Encrypts eight bytes at once, the first in the low byte of `plain`. */
static inline uint64_t encrypt_block(encrypter *e, uint64_t plain)
{
    const __m128i powers =
        _mm_setr_epi16(1, (short)POWER_5, (short)POWER_10, (short)POWER_15, (short)POWER_20,
                       (short)POWER_25, (short)POWER_30, (short)POWER_35);
    /* x after each byte: a prefix XOR in three doubling steps. */
    uint64_t after = plain ^ plain << 8;
    after ^= after << 16;
    after ^= after << 32;
    columns c = load_columns(after << 8 ^ e->x);
    after ^= e->x;
    e->x = (after >> 56) * 0x0101010101010101u;

    /* u after each byte if the block started with u = 0: three doubling steps again. */
    __m128i u = c.k5;
    u = multiply_add(_mm_slli_si128(u, 2), POWER_5, u);
    u = multiply_add(_mm_slli_si128(u, 4), POWER_10, u);
    u = multiply_add(_mm_slli_si128(u, 8), POWER_20, u);
    __m128i before = _mm_add_epi16(_mm_slli_si128(u, 2), _mm_mullo_epi16(e->u, powers));
    __m128i last = _mm_shufflehi_epi16(u, 0xFF);
    e->u = multiply_add(e->u, POWER_40, _mm_unpackhi_epi64(last, last));

    __m128i other = _mm_unpacklo_epi8(_mm_cvtsi64_si128((long long)after), _mm_setzero_si128());
    __m128i cipher = fold_lanes(&c, before, other);
    return (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(cipher, cipher));
}

static void encrypt_bytes(uint8_t *bytes, size_t size)
{
    encrypter e = { .u = _mm_setzero_si128(), .x = 0 };
    while (size > 0) {
        size_t done = size < BLOCK ? size : BLOCK;
        store_block(bytes, size, encrypt_block(&e, load_block(bytes, size)));
        bytes += done;
        size -= done;
    }
}

typedef struct lane_states {
    __m128i  u; /* 16 bits per lane */
    uint64_t x; /* a byte per lane */
} lane_states;

/* Eight datagrams side by side, each at its own position. An idle lane has left = 0. */
typedef struct lanes {
    lane_states states;
    uint8_t    *next[LANES];
    size_t      left[LANES];
} lanes;

/* Decrypts one byte in every lane: `cipher` holds a 16-bit lane for each, the result a byte. */
static inline uint64_t decrypt_step(lane_states *s, __m128i cipher)
{
    columns  c = load_columns(s->x);
    __m128i  after = fold_lanes(&c, s->u, cipher);
    uint64_t x = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(after, after));
    uint64_t plain = s->x ^ x;
    s->x = x;
    s->u = multiply_add(s->u, POWER_5, c.k5);
    return plain;
}

/* Transposes an 8 by 8 matrix of bytes with two rows in each vector. */
static inline void transpose_bytes(__m128i pair[4])
{
    __m128i row04 = _mm_unpacklo_epi8(pair[0], pair[2]);
    __m128i row15 = _mm_unpackhi_epi8(pair[0], pair[2]);
    __m128i row26 = _mm_unpacklo_epi8(pair[1], pair[3]);
    __m128i row37 = _mm_unpackhi_epi8(pair[1], pair[3]);
    __m128i even_a = _mm_unpacklo_epi8(row04, row26), even_b = _mm_unpackhi_epi8(row04, row26);
    __m128i odd_a = _mm_unpacklo_epi8(row15, row37), odd_b = _mm_unpackhi_epi8(row15, row37);
    pair[0] = _mm_unpacklo_epi8(even_a, odd_a);
    pair[1] = _mm_unpackhi_epi8(even_a, odd_a);
    pair[2] = _mm_unpacklo_epi8(even_b, odd_b);
    pair[3] = _mm_unpackhi_epi8(even_b, odd_b);
}

/* Decrypts eight bytes in every lane; true when a lane has reached its end. Results past the end of
 * a lane are discarded. */
static bool decrypt_block(lanes *l)
{
    __m128i pair[4];
    for (size_t i = 0; i < LANES; i += 2) {
        pair[i / 2] = _mm_set_epi64x((long long)load_block(l->next[i + 1], l->left[i + 1]),
                                     (long long)load_block(l->next[i], l->left[i]));
    }
    transpose_bytes(pair);
    lane_states states = l->states;
    for (size_t i = 0; i < BLOCK / 2; i++) {
        uint64_t first = decrypt_step(&states, _mm_unpacklo_epi8(pair[i], _mm_setzero_si128()));
        uint64_t second = decrypt_step(&states, _mm_unpackhi_epi8(pair[i], _mm_setzero_si128()));
        pair[i] = _mm_set_epi64x((long long)second, (long long)first);
    }
    l->states = states;
    transpose_bytes(pair);
    bool ended = false;
    for (size_t i = 0; i < LANES; i++) {
        __m128i  half = i % 2 ? _mm_unpackhi_epi64(pair[i / 2], pair[i / 2]) : pair[i / 2];
        uint64_t plain = (uint64_t)_mm_cvtsi128_si64(half);
        size_t   done = l->left[i] < BLOCK ? l->left[i] : BLOCK;
        store_block(l->next[i], done, plain);
        l->next[i] += done;
        l->left[i] -= done;
        ended |= l->left[i] == 0;
    }
    return ended;
}

/* Assigns the next datagram, from its byte 1 on, to every idle lane and returns the number of busy
 * lanes. `*next_item` is the first item that has no lane yet. */
static size_t fill_lanes(lanes *l, const sb_cipher_item *items, size_t count, size_t *next_item)
{
    uint16_t u[LANES];
    size_t   busy = 0;
    _mm_storeu_si128((__m128i *)(void *)u, l->states.u);
    for (size_t i = 0; i < LANES; i++) {
        while (l->left[i] == 0 && *next_item < count) {
            const sb_cipher_item *item = &items[(*next_item)++];
            if (item->size < 2) continue;
            l->next[i] = item->datagram + 1;
            l->left[i] = item->size - 1;
            l->states.x &= ~((uint64_t)0xFF << (8 * i));
            u[i] = 0;
        }
        busy += l->left[i] > 0;
    }
    l->states.u = _mm_loadu_si128((const __m128i *)(const void *)u);
    return busy;
}

/* Decrypts the rest of the last few datagrams of a batch one by one. */
static void finish_lanes(const lanes *l)
{
    uint16_t u[LANES];
    _mm_storeu_si128((__m128i *)(void *)u, l->states.u);
    for (size_t i = 0; i < LANES; i++) {
        cipher_state state = { .u = u[i], .x = (uint8_t)(l->states.x >> (8 * i)) };
        decrypt_bytes(state, l->next[i], l->left[i]);
    }
}

static void decrypt_items(const sb_cipher_item *items, size_t count)
{
    /* Eight lanes take about as long as three datagrams one after the other. */
    enum { MIN_BUSY_LANES = 4 };
    uint8_t nothing = 0;
    lanes   l = { .states.u = _mm_setzero_si128() };
    for (size_t i = 0; i < LANES; i++) l.next[i] = &nothing;

    size_t next_item = 0;
    while (fill_lanes(&l, items, count, &next_item) >= MIN_BUSY_LANES) {
        while (!decrypt_block(&l)) {
        }
    }
    finish_lanes(&l);
}

#else

static void encrypt_bytes(uint8_t *bytes, size_t size)
{
    cipher_state state = { 0 };
    for (size_t i = 0; i < size; i++) {
        uint64_t x = state.x ^ bytes[i];
        uint32_t mask = advance(&state);
        bytes[i] = (uint8_t)(mask ^ x ^ mask >> 8);
        state.x = x;
    }
}

static void decrypt_items(const sb_cipher_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) sb_decrypt_datagram(items[i].datagram, items[i].size);
}

#endif

void sb_encrypt_datagram(uint8_t *datagram, size_t size)
{
    if (size > 1) encrypt_bytes(datagram + 1, size - 1);
}

void sb_decrypt_datagram(uint8_t *datagram, size_t size)
{
    if (size > 1) decrypt_bytes((cipher_state){ 0 }, datagram + 1, size - 1);
}

void sb_encrypt_datagrams(const sb_cipher_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) sb_encrypt_datagram(items[i].datagram, items[i].size);
}

void sb_decrypt_datagrams(const sb_cipher_item *items, size_t count)
{
    decrypt_items(items, count);
}
