/* src/discovery/found.c -- collects the packets of a server's answer, ours and others'.
 *
 * For:      browsers.
 * Spec:     05 §3, §4 step 4.
 *
 * Other servers put uncleaned names into their answers (spec 05 §8), and a player must not be able
 * to hide a server from browsers with a name like `A\`. So the tail of a packet is parsed from its
 * end, empty keys are skipped and control characters are removed. If a key occurs twice, the first
 * one counts.
 */
#include "discovery/testing.h"

#include "base/assert.h"
#include "base/text.h"

#include <string.h>

#define BACKSLASH 0x5C

enum {
    PACKET_MAX = 1500, /* longer packets are refused (spec 05 §1) */
    PARTS_MAX = sizeof((sb_found *)0)->part_size / sizeof(uint16_t),
};

/* One packet, split into its tail and the other pairs. */
typedef struct parsed_packet {
    bool     is_final, has_number;
    uint32_t number, part; /* N and M of queryid */
    sb_span  pairs;
} parsed_packet;

/* ---- pairs ---- */

/* Reads from the backslash at `*at` to the next one or the end, and leaves `*at` there. */
static sb_span next_token(sb_span text, size_t *at)
{
    size_t start = ++*at;
    while (*at < text.size && text.data[*at] != BACKSLASH) ++*at;
    return (sb_span){ text.data + start, *at - start };
}

/* `text` is empty or starts with a backslash. Skips empty keys. False: no more pairs. */
static bool next_pair(sb_span text, size_t *at, sb_gamespy_pair *out)
{
    do {
        if (*at == text.size) return false;
        out->key = next_token(text, at);
    } while (out->key.size == 0);
    out->value = (sb_span){ text.data + *at, 0 };
    if (*at < text.size) out->value = next_token(text, at);
    return true;
}

bool sb_found_pair(const sb_found *found, size_t index, sb_span *key, sb_span *value)
{
    sb_gamespy_pair pair;
    size_t          at = 0;
    do {
        if (!next_pair((sb_span){ found->text, found->size }, &at, &pair)) return false;
    } while (index-- > 0);
    *key = pair.key;
    *value = pair.value;
    return true;
}

bool sb_found_value(const sb_found *found, const char *key, sb_span *value)
{
    sb_gamespy_pair pair;
    size_t          at = 0;
    while (next_pair((sb_span){ found->text, found->size }, &at, &pair)) {
        if (!sb_text_equals(pair.key, key)) continue;
        *value = pair.value;
        return true;
    }
    return false;
}

/* ---- queryid and final ---- */

/* Parses digits and stops at the first other byte. False: no digits, or above UINT32_MAX. */
static bool parse_number(sb_span text, size_t *at, uint32_t *out)
{
    size_t   start = *at;
    uint64_t value = 0;
    for (; *at < text.size && text.data[*at] >= '0' && text.data[*at] <= '9'; ++*at) {
        value = value * 10 + (uint64_t)(text.data[*at] - '0');
        if (value > UINT32_MAX) return false;
    }
    *out = (uint32_t)value;
    return *at > start;
}

/* Parses N.M; any other value counts as a missing queryid. */
static void parse_query_id(sb_span value, parsed_packet *out)
{
    size_t   at = 0;
    uint32_t number, part;
    if (out->has_number || !parse_number(value, &at, &number)) return;
    if (at == value.size || value.data[at++] != '.') return;
    if (!parse_number(value, &at, &part) || at < value.size) return;
    out->has_number = true;
    out->number = number;
    out->part = part;
}

/* Removes `\queryid\N.M` from the end, with or without the backslash that some servers append (spec
 * 05 §7). */
static void strip_query_id(parsed_packet *p)
{
    static const char mark[] = "\\queryid\\";
    size_t            length = sizeof mark - 1, end = p->pairs.size;
    if (end > 0 && p->pairs.data[end - 1] == BACKSLASH) end--;
    size_t value = end;
    while (value > 0 && p->pairs.data[value - 1] != BACKSLASH) value--;
    if (value < length || memcmp(p->pairs.data + value - length, mark, length) != 0) return;
    parse_query_id((sb_span){ p->pairs.data + value, end - value }, p);
    if (p->has_number) p->pairs.size = value - length;
}

static void strip_final(parsed_packet *p)
{
    size_t length = sizeof SB_GAMESPY_LIST_END - 1, size = p->pairs.size;
    if (size < length || memcmp(p->pairs.data + size - length, SB_GAMESPY_LIST_END, length) != 0)
        return;
    p->is_final = true;
    p->pairs.size -= length;
}

/* A stock server ends with final, then queryid; others end with queryid, then final. */
static void strip_tail(parsed_packet *p)
{
    for (int i = 0; i < 2; i++) {
        if (!p->is_final) strip_final(p);
        if (!p->has_number) strip_query_id(p);
    }
}

/* ---- packets ---- */

static size_t copy_printable(sb_span bytes, uint8_t *out)
{
    size_t size = 0;
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i] >= 0x20) out[size++] = bytes.data[i];
    return size;
}

static size_t append_token(uint8_t *out, size_t at, sb_span piece)
{
    out[at++] = BACKSLASH;
    if (piece.size > 0) memcpy(out + at, piece.data, piece.size);
    return at + piece.size;
}

/* Copies all pairs except queryid and final, which may be anywhere, each key and value after a
 * backslash, so that the texts of several packets can be joined. `out` holds one byte more than the
 * packet has. */
static sb_result copy_pairs(parsed_packet *p, uint8_t *out, size_t *size)
{
    sb_gamespy_pair pair;
    size_t          at = 0;
    *size = 0;
    while (next_pair(p->pairs, &at, &pair)) {
        if (pair.key.size > SB_GAMESPY_KEY_MAX) return SB_FULL;
        if (pair.value.size > SB_GAMESPY_VALUE_MAX) return SB_FULL;
        if (sb_text_equals(pair.key, "queryid")) {
            parse_query_id(pair.value, p);
        } else if (sb_text_equals(pair.key, "final")) {
            p->is_final = true;
        } else {
            *size = append_token(out, *size, pair.key);
            *size = append_token(out, *size, pair.value);
        }
    }
    return SB_OK;
}

/* A packet without queryid must be final; it is the only packet of its answer. */
static sb_result check_part_number(const sb_found *f, parsed_packet *p)
{
    if (!p->has_number && !p->is_final) return SB_NOT_ALLOWED;
    if (!p->has_number) p->part = 1;
    if (p->part == 0) return SB_BAD_VALUE;
    if (p->part > PARTS_MAX) return SB_FULL;
    if (f->packets_seen == 0 || f->query_number != p->number) return SB_OK;
    /* The final packet has the highest part number. */
    if (f->packet_count > 0 && p->part > f->packet_count) return SB_BAD_VALUE;
    if (p->is_final && f->packets_seen >> p->part != 0) return SB_BAD_VALUE;
    return SB_OK;
}

/* A server that was queried twice sends two answers, whose packets may arrive mixed. The later
 * answer replaces the earlier one unless that is complete. */
static bool is_needed(const sb_found *f, const parsed_packet *p)
{
    if (f->packets_seen == 0) return true;
    if (f->complete) return false;
    if (f->query_number == p->number) return !(f->packets_seen >> (p->part - 1) & 1);
    return (int32_t)(p->number - f->query_number) > 0;
}

static void insert_pairs(sb_found *f, const parsed_packet *p, sb_span pairs)
{
    size_t at = 0;
    for (uint32_t i = 0; i + 1 < p->part; i++) at += f->part_size[i];
    SB_ASSERT(at <= f->size && f->size + pairs.size <= SB_FOUND_TEXT_MAX);
    memmove(f->text + at + pairs.size, f->text + at, f->size - at);
    memcpy(f->text + at, pairs.data, pairs.size);
    f->size += (uint32_t)pairs.size;
    f->part_size[p->part - 1] = (uint16_t)pairs.size;
    f->packets_seen |= (uint32_t)1 << (p->part - 1);
    if (p->is_final) f->packet_count = p->part;
    f->complete = f->packet_count > 0 && f->packets_seen == ((uint32_t)1 << f->packet_count) - 1;
}

sb_result sb_found_add(sb_found *f, sb_span packet)
{
    uint8_t clean[PACKET_MAX], pairs[PACKET_MAX + 1];
    size_t  size;
    if (packet.size > PACKET_MAX) return SB_FULL;
    if (packet.size == 0 || packet.data[0] != BACKSLASH) return SB_BAD_VALUE;
    parsed_packet p = { .pairs = { clean, copy_printable(packet, clean) } };
    strip_tail(&p);
    sb_result result = copy_pairs(&p, pairs, &size);
    if (result == SB_OK) result = check_part_number(f, &p);
    if (result != SB_OK || !is_needed(f, &p)) return result;

    bool new_answer = f->packets_seen == 0 || f->query_number != p.number;
    if (!new_answer && f->size + size > SB_FOUND_TEXT_MAX) return SB_FULL;
    if (new_answer) {
        f->size = f->packets_seen = f->packet_count = 0;
        memset(f->part_size, 0, sizeof f->part_size);
        f->query_number = p.number;
    }
    insert_pairs(f, &p, (sb_span){ pairs, size });
    return SB_OK;
}

/* ---- invariants ---- */

void sb_found_check(const sb_found *f)
{
    size_t sum = 0;
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        SB_ASSERT(f->part_size[i] == 0 || f->packets_seen >> i & 1);
        sum += f->part_size[i];
    }
    SB_ASSERT(f->size == sum && f->size <= SB_FOUND_TEXT_MAX);
    SB_ASSERT(f->packets_seen >> PARTS_MAX == 0);
    SB_ASSERT(f->packet_count <= PARTS_MAX);
    uint32_t all = ((uint32_t)1 << f->packet_count) - 1;
    SB_ASSERT(f->packet_count == 0 || (f->packets_seen & ~all) == 0);
    SB_ASSERT(f->complete == (f->packet_count > 0 && f->packets_seen == all));
}
