/* src/wire/hash.c -- StringHash, FileHash and the folding of the integrity hash.
 *
 * For:      starbase/hash.h.
 * Spec:     06 §6 (StringHash, FileHash), 04 §3 to §6 (integrity hash).
 */
#include <starbase/hash.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "wire/hash_tables.h"

/* Byte `i` of the hash after one more character. */
static SB_ALWAYS_INLINE uint32_t with_character(size_t i, uint32_t h, uint32_t c)
{
    return string_hash_tables[i][c ^ h];
}

static SB_ALWAYS_INLINE uint32_t with_pair(size_t i, uint32_t h, const uint8_t *pair)
{
    return with_character(i, with_character(i, h, pair[0]), pair[1]);
}

/* Takes an odd character, then pairs: the loop itself costs a quarter of one character. */
uint32_t sb_hash_string(sb_span text)
{
    if (text.size == 0) return 0; /* its data may be NULL */
    const uint8_t *at = text.data, *end = at + text.size;
    uint32_t       h0 = 0, h1 = 0, h2 = 0, h3 = 0;
    if (text.size % 2 != 0) {
        h0 = with_character(0, 0, *at);
        h1 = with_character(1, 0, *at);
        h2 = with_character(2, 0, *at);
        h3 = with_character(3, 0, *at++);
    }
    for (; at != end; at += 2) {
        h0 = with_pair(0, h0, at);
        h1 = with_pair(1, h1, at);
        h2 = with_pair(2, h2, at);
        h3 = with_pair(3, h3, at);
    }
    return h0 << 24 | h1 << 16 | h2 << 8 | h3;
}

uint32_t sb_hash_directory(sb_span request_dir)
{
    if (request_dir.size > 0 && request_dir.data[request_dir.size - 1] == '/') request_dir.size--;
    return sb_hash_string(request_dir);
}

enum { HASH_BLOCK = 32 * 4 }; /* 32 words of four bytes */

static uint32_t mix(uint32_t hash, uint32_t word)
{
    hash ^= word;
    return hash << 1 | hash >> 31;
}

/* The game reads the tail bytes as signed characters. */
static uint32_t sign_extended(uint8_t byte)
{
    return byte < 0x80 ? byte : byte | 0xFFFFFF00u;
}

void sb_file_hash_init(sb_file_hash *h, sb_file_hash_rule rule)
{
    SB_ASSERT((unsigned)rule < SB_FILE_HASH_RULE_COUNT);
    *h = (sb_file_hash){ .rule = rule };
}

static void add_bytes(sb_file_hash *h, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        h->tail[h->size % 4] = bytes[i];
        h->size++;
        if (h->size % 4 != 0) continue;
        /* Word 1, bytes 4..7, is the time stamp of a .pyc file: it is left out. */
        if (h->size != 8) h->hash = mix(h->hash, sb_load_u32(h->tail));
        h->before = h->tail[3];
    }
}

/* Adds blocks of 32 whole words. mix() is linear over XOR, and 32 of them rotate a word back to its
 * place: words that stand at the same place of two blocks have the same effect on the hash, so all
 * blocks can be combined by XOR and mixed as one. XOR does not mind the order of bytes. */
static void add_blocks(sb_file_hash *h, const uint8_t *bytes, size_t blocks)
{
    uint8_t all[HASH_BLOCK] = { 0 };
    for (size_t block = 0; block < blocks; block++)
        for (size_t i = 0; i < HASH_BLOCK; i++) all[i] ^= bytes[block * HASH_BLOCK + i];
    for (size_t i = 0; i < HASH_BLOCK; i += 4) h->hash = mix(h->hash, sb_load_u32(all + i));
    h->size += blocks * HASH_BLOCK;
    h->before = bytes[blocks * HASH_BLOCK - 1];
}

/* Blocks begin behind the time stamp, between two words. */
void sb_file_hash_add(sb_file_hash *h, sb_span bytes)
{
    size_t first = h->size < 8 ? 8 - (size_t)h->size : (size_t)(0 - h->size) % 4;
    if (first > bytes.size) first = bytes.size;
    size_t blocks = (bytes.size - first) / HASH_BLOCK, behind = first + blocks * HASH_BLOCK;
    add_bytes(h, bytes.data, first);
    if (blocks > 0) add_blocks(h, bytes.data + first, blocks);
    if (behind < bytes.size) add_bytes(h, bytes.data + behind, bytes.size - behind);
}

static uint8_t tail_byte(const sb_file_hash *h, unsigned j)
{
    switch (h->rule) {
    case SB_FILE_HASH_RULE_A: return h->tail[j];
    case SB_FILE_HASH_RULE_C: return j == 0 ? h->before : h->tail[j - 1];
    default: return h->tail[0];
    }
}

uint32_t sb_file_hash_result(const sb_file_hash *h)
{
    uint32_t hash = h->hash;
    unsigned left = (unsigned)(h->size % 4);
    for (unsigned j = 0; j < left; j++) hash = mix(hash, sign_extended(tail_byte(h, j)));
    return hash;
}

uint32_t sb_hash_file(sb_span file, sb_file_hash_rule rule)
{
    sb_file_hash h;
    sb_file_hash_init(&h, rule);
    sb_file_hash_add(&h, file);
    return sb_file_hash_result(&h);
}

bool sb_file_hash_matches(uint32_t calculated, uint32_t wire)
{
    /* Three tail bytes affect the bits 0..10; a sign-extended byte flips all higher bits together.
     */
    uint32_t difference = (calculated ^ wire) >> 11;
    return difference == 0 || difference == 0x1FFFFF;
}

/* ---- folding of the integrity hash, spec 04 §3 to §6 ---- */

/* The game converts to a 64-bit integer by truncation and keeps the low 32 bits. Beyond the 64-bit
 * range the low 32 bits of the x87 result ("integer indefinite") are 0. No cast here is out of
 * range. */
static uint32_t contribution_of(float value)
{
    double magnitude = value < 0 ? -(double)value : (double)value;
    if (!(magnitude < 9223372036854775808.0)) return 0; /* 2^63, infinities, NaN */
    return (uint32_t)(uint64_t)magnitude;
}

uint32_t sb_fold_integrity(uint32_t accumulator, float value)
{
    accumulator ^= contribution_of(value);
    return accumulator << 1 | accumulator >> 31;
}

uint16_t sb_integrity_wire(uint32_t hash)
{
    return (uint16_t)(hash >> 16 ^ hash);
}
