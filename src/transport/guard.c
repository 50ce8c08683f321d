/* src/transport/guard.c -- reliable messages of a peer in whose name somebody forges datagrams.
 *
 * For:      src/transport/guard.h.
 * Tests:    tests/transport/guard_test.c
 */
#include "transport/guard.h"

#include <string.h>

enum {
    TICK_BITS = 16,   /* a tick has 65 ms; 8 bits of them last 16 s */
    AHEAD_MAX = 2048, /* numbers that no peer is away from the expected one */
};

static const sb_time attack_memory = 30 * SB_SECOND; /* after the last evidence */
/* A second copy within this time may be a copy of the network or of the forger. The shortest
 * timeout of a retransmission is 0.25 s (spec 01 §6.5). */
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

/* 24 bits that differ for other numbers, fragments and contents; never 0. */
static uint32_t digest_of(const sb_transport_message *m)
{
    uint32_t hash = 0x811C9DC5u;
    hash = mix_byte(hash, m->type);
    hash = mix_byte(hash, (uint8_t)m->seq);
    hash = mix_byte(hash, (uint8_t)(m->seq >> 8));
    hash = mix_byte(hash, m->fragment ? m->frag_index : UINT8_MAX);
    hash = mix_byte(hash, m->fragment && m->frag_index == 0 ? m->frag_total : 0);
    for (size_t i = 0; i < m->payload.size; i++) hash = mix_byte(hash, m->payload.data[i]);
    uint32_t folded = (hash >> 24 ^ hash) & 0xFFFFFF;
    return folded != 0 ? folded : 1;
}

/* ---- rivals: other contents under a number that was used ---- */

static uint16_t short_digest_of(const sb_transport_message *m)
{
    return (uint16_t)(digest_of(m) | 1);
}

static const sb_guard_accepted *accepted_slot(const sb_guard *g, const sb_transport_message *m)
{
    return &g->accepted[m->type != SB_TRANSPORT_DATA][m->seq % SB_GUARD_ACCEPTED];
}

void sb_guard_note_accepted(sb_guard *g, const sb_transport_message *m)
{
    if (m->fragment) return;
    bool low = m->type != SB_TRANSPORT_DATA;
    g->accepted[low][m->seq % SB_GUARD_ACCEPTED] =
        (sb_guard_accepted){ m->seq, short_digest_of(m) };
}

static bool is_rival(const sb_guard *g, const sb_transport_message *m)
{
    const sb_guard_accepted *a = accepted_slot(g, m);
    return !m->fragment && a->digest != 0 && a->seq == m->seq && a->digest != short_digest_of(m);
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

/* True: it is the second copy. Otherwise the copy is remembered. */
static bool take_copy(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    uint32_t  digest = digest_of(m);
    uint32_t  low = m->type != SB_TRANSPORT_DATA ? SB_GUARD_SETS / 2 : 0;
    uint32_t *set = g->copies[(m->seq + 5u * m->frag_index + low) % SB_GUARD_SETS];
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        if (set[i] >> 8 != digest || age_of(set[i], now) > copy_max_age) continue;
        return age_of(set[i], now) >= copy_min_age;
    }
    set[g->turn++ % SB_GUARD_WAYS] = digest << 8 | tick_of(now);
    return false;
}

bool sb_guard_admits(sb_guard *g, sb_time now, const sb_transport_message *m, int ahead)
{
    if (ahead < 0) {
        if (is_rival(g, m) || ahead < -AHEAD_MAX) sb_guard_suspect(g, now);
        return true; /* a duplicate: it gets its Ack and has no effect */
    }
    if (ahead > AHEAD_MAX) {
        sb_guard_suspect(g, now);
        return true; /* it is refused anyway */
    }
    return now >= g->attacked_until || take_copy(g, now, m);
}
