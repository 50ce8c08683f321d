/* src/transport/guard.c -- reliable messages of a peer in whose name somebody forges datagrams.
 *
 * For:      src/transport/guard.h.
 * Tests:    tests/transport/guard_test.c
 */
#include "transport/guard.h"

#include <string.h>

enum {
    KEY_BITS = 10, /* of a remembered copy: 22 bits of its digest, above count and time */
    COUNT_MAX = 3,
    COPIES_NEEDED = 3,
    TICK_BITS = 16, /* a tick has 65 ms; 8 bits of them last 16 s */
    /* During an attack numbers further ahead wait: guesses must not push out the copies of those
     * that are due. */
    AHEAD_ATTACKED = 32,
};

static const sb_time attack_memory = 30 * SB_SECOND; /* after the last evidence */
/* A copy within this time after the last one may be a copy of the network or of the forger. The
 * shortest timeout of a retransmission is 0.25 s (spec 01 §6.5). */
static const sb_time copy_min_age = SB_SECOND / 5;
static const sb_time copy_max_age = 10 * SB_SECOND; /* the longest timeout has 5 s */

void sb_guard_init(sb_guard *g)
{
    memset(g, 0, sizeof *g);
    g->attacked_until = INT64_MIN;
}

void sb_guard_suspect(sb_guard *g, sb_time now)
{
    g->attacked_until = now + attack_memory;
}

/* ---- digests ---- */

static uint32_t mix_byte(uint32_t hash, uint8_t byte)
{
    return (hash ^ byte) * 0x01000193u; /* FNV-1a */
}

/* Its 22 low bits, which are kept, differ for other numbers, fragments and contents. */
static uint32_t digest_of(const sb_transport_message *m)
{
    uint32_t hash = 0x811C9DC5u;
    hash = mix_byte(hash, m->type);
    hash = mix_byte(hash, (uint8_t)m->seq);
    hash = mix_byte(hash, (uint8_t)(m->seq >> 8));
    hash = mix_byte(hash, m->fragment ? m->frag_index : UINT8_MAX);
    hash = mix_byte(hash, m->fragment && m->frag_index == 0 ? m->frag_total : 0);
    for (size_t i = 0; i < m->payload.size; i++) hash = mix_byte(hash, m->payload.data[i]);
    return hash >> 24 ^ hash;
}

/* ---- copies ---- */

static uint32_t tick_of(sb_time now)
{
    return (uint32_t)((uint64_t)now >> TICK_BITS) & 0xFF;
}

static sb_time age_of(uint32_t copy, sb_time now)
{
    return (sb_time)((tick_of(now) - copy) & 0xFF) << TICK_BITS;
}

static uint32_t count_of(uint32_t copy)
{
    return copy >> 8 & COUNT_MAX;
}

/* The place of a new copy: one whose copy is of no use any more, or else one after the other. */
static uint32_t *find_place(sb_guard *g, sb_time now, uint32_t *set)
{
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        uint32_t count = count_of(set[i]);
        if (count == 0 || count >= COPIES_NEEDED || age_of(set[i], now) > copy_max_age)
            return &set[i];
    }
    /* Consecutive numbers come to a set at regular intervals: places in turn would be the same. */
    return &set[(g->turn++ * 0x9E3779B1u >> 16) % SB_GUARD_WAYS];
}

bool sb_guard_take_copy(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    uint32_t  key = digest_of(m) << KEY_BITS;
    uint32_t  low = m->type != SB_TRANSPORT_DATA ? SB_GUARD_SETS / 2 : 0;
    uint32_t *set = g->copies[(m->seq + 5u * m->frag_index + low) % SB_GUARD_SETS];
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        uint32_t count = count_of(set[i]);
        if (count == 0 || set[i] >> KEY_BITS != key >> KEY_BITS) continue;
        if (age_of(set[i], now) > copy_max_age) continue;
        if (age_of(set[i], now) < copy_min_age) return false;
        if (count < COUNT_MAX) count++;
        set[i] = key | count << 8 | tick_of(now);
        return count >= COPIES_NEEDED;
    }
    *find_place(g, now, set) = key | 1u << 8 | tick_of(now);
    return false;
}

/* A message whose number is used up: a duplicate, or a rival of the one that used it. */
static sb_admission admit_behind(sb_guard *g, sb_time now, const sb_transport_message *m,
                                 bool rival)
{
    if (!rival) return SB_ADMITTED;
    sb_guard_suspect(g, now);
    return sb_guard_take_copy(g, now, m) ? SB_LATE : SB_WAITS;
}

sb_admission sb_guard_judge(sb_guard *g, sb_time now, const sb_transport_message *m, int ahead,
                            bool rival)
{
    if (ahead < 0) return admit_behind(g, now, m, rival);
    if (ahead > SB_GUARD_AHEAD_MAX || !sb_guard_is_attacked(g, now)) return SB_ADMITTED;
    return ahead < AHEAD_ATTACKED && sb_guard_take_copy(g, now, m) ? SB_ADMITTED : SB_WAITS;
}
