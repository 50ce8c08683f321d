/* src/transport/guard.c -- reliable messages of a peer in whose name somebody forges datagrams.
 *
 * For:      src/transport/guard.h.
 * Tests:    tests/transport/guard_test.c
 */
#include "transport/guard.h"

#include <string.h>

enum {
    COPIES_NEEDED = 3,
    DELIVERED = 4,  /* instead of the number of copies */
    TICK_BITS = 16, /* a tick has 65 ms; 8 bits of them last 16 s */
    /* Within this time after the last one a copy may be one of the network: it does not count. */
    AT_ONCE = 3,
    /* Senders repeat a message after 1 s (spec 01 §6.5), simple programs perhaps after half of it.
     * A copy that comes sooner begins the count anew ... */
    HASTY = 7,
    /* ... but a message that keeps coming for 6 s counts, one a second: a forger may repeat the
     * very message of the peer, and must not keep it out. */
    LASTING = 12,      /* half seconds */
    HALF_SECONDS = 31, /* their bits */
    USEFUL = 152,      /* 10 s: the longest timeout has 5 s */
    STOPPED = 20,      /* 1.3 s: simple programs repeat each second */
    /* During an attack numbers further ahead wait: guesses must not push out the copies of those
     * that are due, each of which has its own set. */
    AHEAD_ATTACKED = SB_GUARD_WHOLE_SETS,
};

static const sb_time attack_memory = 30 * SB_SECOND; /* after the last evidence */
static const sb_time lasting_interval = SB_SECOND;

void sb_guard_init(sb_guard *g, uint64_t seed)
{
    memset(g, 0, sizeof *g);
    g->attacked_until = INT64_MIN;
    g->lasting_from = INT64_MIN;
    g->seed = (uint32_t)(seed >> 32 ^ seed);
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

/* Differs for other numbers, fragments and contents. */
static uint16_t digest_of(const sb_guard *g, const sb_transport_message *m)
{
    uint32_t hash = 0x811C9DC5u ^ g->seed;
    hash = mix_byte(hash, m->type);
    hash = mix_byte(hash, (uint8_t)m->seq);
    hash = mix_byte(hash, (uint8_t)(m->seq >> 8));
    hash = mix_byte(hash, m->fragment ? m->frag_index : UINT8_MAX);
    hash = mix_byte(hash, m->fragment && m->frag_index == 0 ? m->frag_total : 0);
    for (size_t i = 0; i < m->payload.size; i++) hash = mix_byte(hash, m->payload.data[i]);
    return (uint16_t)(hash >> 16 ^ hash);
}

/* ---- copies ---- */

static uint8_t tick_of(sb_time now)
{
    return (uint8_t)((uint64_t)now >> TICK_BITS);
}

/* Eight ticks have half a second; 5 bits of them last 16 s, too. */
static unsigned half_second_of(uint8_t tick)
{
    return tick >> 3;
}

static bool is_useful(const sb_copy *c, uint8_t tick)
{
    return c->count > 0 && (uint8_t)(tick - c->last) <= USEFUL;
}

/* Has only hasty copies come for a while? */
static bool is_hasty(const sb_copy *c)
{
    return c->count == 1 && c->first != half_second_of(c->last);
}

/* The delivered message that has not come for longest, if that is more than a second: its sender
 * has stopped. NULL: none. */
static sb_copy *find_stopped(sb_copy *set, uint8_t tick)
{
    sb_copy *found = NULL;
    uint8_t  longest = STOPPED;
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        uint8_t age = (uint8_t)(tick - set[i].last);
        if (set[i].count == DELIVERED && age >= longest) longest = age, found = &set[i];
    }
    return found;
}

/* The place of a new copy: one whose copy is of no use any more, one of a hasty forger, or else any
 * of them. */
static sb_copy *find_place(sb_guard *g, uint8_t tick, sb_copy *set)
{
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (!is_useful(&set[i], tick)) return &set[i];
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (is_hasty(&set[i])) return &set[i];
    sb_copy *stopped = find_stopped(set, tick);
    if (stopped) return stopped;
    /* Consecutive numbers come to a set at regular intervals: places in turn would be the same. */
    return &set[(g->turn++ * 0x9E3779B1u >> 16) % SB_GUARD_WAYS];
}

static sb_copy *find_set(sb_guard *g, const sb_transport_message *m)
{
    unsigned i = m->seq % SB_GUARD_WHOLE_SETS;
    if (m->type != SB_TRANSPORT_DATA)
        i = SB_GUARD_WHOLE_SETS + SB_GUARD_FRAGMENT_SETS + m->seq % SB_GUARD_LOW_SETS;
    else if (m->fragment)
        i = SB_GUARD_WHOLE_SETS + (m->seq + 5u * m->frag_index) % SB_GUARD_FRAGMENT_SETS;
    return g->copies[i];
}

/* True: the message has come for so long that it counts. */
static bool take_lasting(sb_guard *g, sb_time now, sb_copy *c, uint8_t tick)
{
    if (((half_second_of(tick) - c->first) & HALF_SECONDS) < LASTING) return false;
    c->first = (half_second_of(tick) - LASTING) & HALF_SECONDS;
    if (now < g->lasting_from) return false;
    g->lasting_from = now + lasting_interval;
    return true;
}

/* True: the message counts. */
static bool count_copy(sb_guard *g, sb_time now, sb_copy *c, uint8_t tick)
{
    uint8_t age = (uint8_t)(tick - c->last);
    if (age <= AT_ONCE) return false;
    c->last = tick;
    if (c->count >= COPIES_NEEDED) return true;
    c->count = (age < HASTY ? 1u : c->count + 1u) & 7;
    if (age < HASTY && take_lasting(g, now, c, tick)) c->count = COPIES_NEEDED;
    return c->count >= COPIES_NEEDED;
}

/* The message among those that came; NULL: it is new. */
static sb_copy *find_copy(sb_guard *g, const sb_transport_message *m, uint8_t tick)
{
    uint16_t digest = digest_of(g, m);
    sb_copy *set = find_set(g, m);
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (set[i].digest == digest && is_useful(&set[i], tick)) return &set[i];
    return NULL;
}

bool sb_guard_take_copy(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    uint8_t  tick = tick_of(now);
    sb_copy *c = find_copy(g, m, tick);
    if (c) return count_copy(g, now, c, tick);
    *find_place(g, tick, find_set(g, m)) =
        (sb_copy){ digest_of(g, m), tick, 1, half_second_of(tick) & HALF_SECONDS };
    return false;
}

void sb_guard_note_delivered(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    sb_copy *c = find_copy(g, m, tick_of(now));
    if (c) c->count = DELIVERED;
}

/* A further copy of a message that was delivered? It is remembered for as long as it comes. */
static bool refresh_delivered(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    sb_copy *c = find_copy(g, m, tick_of(now));
    if (!c || c->count != DELIVERED) return false;
    c->last = tick_of(now);
    return true;
}

/* A message whose number is used up: a duplicate, or a rival of the one that used it. */
static sb_admission admit_behind(sb_guard *g, sb_time now, const sb_transport_message *m,
                                 bool rival)
{
    if (sb_guard_is_attacked(g, now) && refresh_delivered(g, now, m)) return SB_ADMITTED;
    if (!rival) return SB_ADMITTED;
    sb_guard_suspect(g, now);
    /* A single fragment is no message that could be delivered. */
    if (m->fragment || !sb_guard_take_copy(g, now, m)) return SB_WAITS;
    sb_guard_note_delivered(g, now, m);
    return SB_LATE;
}

sb_admission sb_guard_judge(sb_guard *g, sb_time now, const sb_transport_message *m, int ahead,
                            bool rival)
{
    if (ahead < 0) return admit_behind(g, now, m, rival);
    if (ahead > SB_GUARD_AHEAD_MAX || !sb_guard_is_attacked(g, now)) return SB_ADMITTED;
    return ahead < AHEAD_ATTACKED && sb_guard_take_copy(g, now, m) ? SB_ADMITTED : SB_WAITS;
}
