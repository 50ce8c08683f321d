/* src/transport/guard.c -- reliable messages of a peer in whose name somebody forges datagrams.
 *
 * For:      src/transport/guard.h.
 * Tests:    tests/transport/guard_test.c
 */
#include "transport/guard.h"

#include <stddef.h>
#include <string.h>

enum {
    COPIES_NEEDED = 3,
    DELIVERED = 4, /* instead of the number of copies */
    FORGED = 5,
    KEPT = 6,
    TICK_BITS = 16, /* a tick has 65 ms; 8 bits of them last 16 s */
    /* Within this time after the last one a copy may be one of the network: it does not count. */
    AT_ONCE = 3,
    /* Senders repeat a message after 1 s (spec 01 §6.5), simple programs perhaps after half of it.
     * A copy that comes sooner begins the count anew ... */
    HASTY = 7,
    /* ... but one that keeps coming for 8 s counts, one in 4 s: a forger may repeat the very
     * message of the peer, and must not keep it out. */
    LASTING = 16,      /* half seconds */
    HALF_SECONDS = 31, /* their bits */
    USEFUL = 152,      /* 10 s: the longest timeout has 5 s */
    REMEMBERED = 168,  /* 11 s: of a delivered message, one copy may be lost on its way */
    LONELY = 24,       /* 1.6 s: senders repeat a message after 1 s at first, ... */
    AWAITED = 84,      /* ... and after 5 s at most */
    REPEATED = 17,     /* 1.1 s: what came once has come again by then */
    /* During an attack numbers further ahead wait: guesses must not push out the copies of those
     * that are due, each of which has its own set. */
    AHEAD_ATTACKED = SB_GUARD_WHOLE_SETS / 2,
};

static const sb_time attack_memory = 30 * SB_SECOND; /* after the last evidence */
static const sb_time never_used = INT64_MIN / 2;
static const sb_time lasting_interval = 4 * SB_SECOND;
static const sb_time awaited_time = 5 * SB_SECOND + SB_SECOND / 2;

void sb_guard_init_blank(sb_guard *g, uint64_t seed)
{
    memset(g, 0, offsetof(sb_guard, copies));
    g->attacked_until = INT64_MIN;
    g->lasting_from = INT64_MIN;
    g->forgot_at = g->used_at = g->swept_at = never_used;
    g->seed = (uint32_t)(seed >> 32 ^ seed);
}

void sb_guard_init(sb_guard *g, uint64_t seed)
{
    sb_guard_init_blank(g, seed);
    memset(g->copies, 0, sizeof g->copies);
}

void sb_guard_remember_firsts(sb_guard *g, uint32_t *firsts)
{
    g->firsts = firsts;
}

/* Did no copy come yet? Then `copies` and `firsts` may not have been cleared. */
static bool is_blank(const sb_guard *g)
{
    return g->used_at == never_used;
}

static void clear(sb_guard *g)
{
    memset(g->copies, 0, sizeof g->copies);
    if (g->firsts) memset(g->firsts, 0, sizeof *g->firsts * SB_GUARD_FIRSTS);
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
static uint32_t hash_of(const sb_guard *g, const sb_transport_message *m)
{
    uint32_t hash = 0x811C9DC5u ^ g->seed;
    hash = mix_byte(hash, m->type);
    hash = mix_byte(hash, (uint8_t)m->seq);
    hash = mix_byte(hash, (uint8_t)(m->seq >> 8));
    hash = mix_byte(hash, m->fragment ? m->frag_index : UINT8_MAX);
    hash = mix_byte(hash, m->fragment && m->frag_index == 0 ? m->frag_total : 0);
    for (size_t i = 0; i < m->payload.size; i++) hash = mix_byte(hash, m->payload.data[i]);
    return hash;
}

static uint16_t digest_of(const sb_guard *g, const sb_transport_message *m)
{
    uint32_t hash = hash_of(g, m);
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
    uint8_t most = c->count == DELIVERED ? REMEMBERED : USEFUL;
    return c->count > 0 && (uint8_t)(tick - c->last) <= most;
}

/* Does a sender perhaps wait for the Ack of this message? */
static bool is_open(const sb_copy *c, uint8_t tick)
{
    uint8_t most = c->count == 1 ? LONELY : AWAITED;
    return c->count > 0 && c->count <= COPIES_NEEDED && (uint8_t)(tick - c->last) <= most;
}

/* Has only hasty copies come for a while? */
static bool is_hasty(const sb_copy *c)
{
    return c->count == 1 && c->first != half_second_of(c->last);
}

/* The message with this count that has not come for longest, if that is `least` or more. NULL:
 * none.
 */
static sb_copy *find_oldest(sb_copy *set, uint8_t tick, unsigned count, uint8_t least)
{
    sb_copy *found = NULL;
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++) {
        uint8_t age = (uint8_t)(tick - set[i].last);
        if (set[i].count == count && age >= least) least = age, found = &set[i];
    }
    return found;
}

/* Any place, at first one whose message came once. In a flood the oldest one would be the peer's
 * own just before it comes again; consecutive numbers come to a set at regular intervals, so places
 * in turn would be the same. */
static sb_copy *draw_place(sb_guard *g, sb_copy *set)
{
    unsigned i = (g->turn++ * 0x9E3779B1u >> 16) % SB_GUARD_WAYS, first = i;
    while (set[i].count != 1 && (i + 1) % SB_GUARD_WAYS != first) i = (i + 1) % SB_GUARD_WAYS;
    return &set[i];
}

/* The place of a new copy: one whose copy is of no use any more, one of a hasty forger, or else any
 * of them. */
static sb_copy *find_place(sb_guard *g, uint8_t tick, sb_copy *set)
{
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (!is_useful(&set[i], tick)) return &set[i];
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (is_hasty(&set[i])) return &set[i];
    sb_copy *found = find_oldest(set, tick, 1, LONELY);
    if (!found) found = find_oldest(set, tick, DELIVERED, AWAITED);
    if (!found) found = find_oldest(set, tick, FORGED, AT_ONCE);
    return found ? found : draw_place(g, set);
}

enum {
    FRAGMENTS_FROM = SB_GUARD_WHOLE_SETS,
    LOW_FROM = FRAGMENTS_FROM + SB_GUARD_FRAGMENT_SETS,
    OLD_FROM = LOW_FROM + SB_GUARD_LOW_SETS,
};

/* Old numbers are many: they must not push out the copies of those that are due. */
static unsigned set_of(const sb_guard *g, const sb_transport_message *m)
{
    uint16_t behind = (uint16_t)(g->next - m->seq);
    if (m->type != SB_TRANSPORT_DATA) return LOW_FROM + m->seq % SB_GUARD_LOW_SETS;
    if (m->fragment) return FRAGMENTS_FROM + (m->seq + 5u * m->frag_index) % SB_GUARD_FRAGMENT_SETS;
    if (behind > SB_GUARD_OLD && behind < 0x8000) return OLD_FROM + m->seq % SB_GUARD_OLD_SETS;
    return m->seq % SB_GUARD_WHOLE_SETS;
}

static sb_copy *find_set(sb_guard *g, const sb_transport_message *m)
{
    return g->copies[set_of(g, m)];
}

/* ---- first copies that gave way ---- */

enum { TICK_MASK = 0xFF };

static uint8_t age_of_first(uint32_t first, uint8_t tick)
{
    return (uint8_t)(tick - (first & TICK_MASK));
}

/* Where the message is remembered if it came once; NULL: nowhere. `key` gets its digest. */
static uint32_t *find_firsts(const sb_guard *g, const sb_transport_message *m, uint32_t *key)
{
    if (!g->firsts || is_blank(g) || set_of(g, m) >= FRAGMENTS_FROM) return NULL;
    uint32_t hash = hash_of(g, m) * 0x9E3779B1u;
    *key = (hash | 1 << 8) & ~(uint32_t)TICK_MASK; /* 0: none */
    size_t set = (hash ^ hash >> 16) % SB_GUARD_FIRSTS_SETS;
    return g->firsts + set * SB_GUARD_FIRSTS_WAYS;
}

static uint32_t *find_first(const sb_guard *g, const sb_transport_message *m, uint8_t tick)
{
    uint32_t  key = 0;
    uint32_t *set = find_firsts(g, m, &key);
    for (unsigned i = 0; set && i < SB_GUARD_FIRSTS_WAYS; i++) {
        bool same = (set[i] & ~(uint32_t)TICK_MASK) == key;
        if (same && age_of_first(set[i], tick) <= USEFUL) return &set[i];
    }
    return NULL;
}

static void forget_first(sb_guard *g, const sb_transport_message *m, uint8_t tick)
{
    uint32_t *first = find_first(g, m, tick);
    if (first) *first = 0;
}

/* In the place of the oldest one; in a flood of any one, as in draw_place. */
static void remember_first(sb_guard *g, const sb_transport_message *m, uint8_t tick)
{
    uint32_t  key = 0;
    uint32_t *set = find_firsts(g, m, &key);
    if (!set) return;
    unsigned place = 0;
    for (unsigned i = 0; i < SB_GUARD_FIRSTS_WAYS && set[place] != 0; i++)
        if (set[i] == 0 || age_of_first(set[i], tick) > age_of_first(set[place], tick)) place = i;
    if (set[place] != 0 && age_of_first(set[place], tick) < REPEATED)
        place = (g->turn * 0x9E3779B1u >> 16) % SB_GUARD_FIRSTS_WAYS;
    set[place] = key | tick;
}

/* ---- counting ---- */

/* True: the message has come for so long that it counts. */
static bool take_lasting(sb_guard *g, sb_time now, sb_copy *c, uint8_t tick)
{
    if (((half_second_of(tick) - c->first) & HALF_SECONDS) < LASTING) return false;
    c->first = (half_second_of(tick) - LASTING) & HALF_SECONDS;
    if (now < g->lasting_from) return false;
    g->lasting_from = now + lasting_interval;
    return true;
}

static sb_copy_kind count_copy(sb_guard *g, sb_time now, sb_copy *c, uint8_t tick)
{
    uint8_t age = (uint8_t)(tick - c->last);
    bool    hasty = age < HASTY;
    if (c->count == DELIVERED) {
        c->last = tick;
        return SB_COPY_DELIVERED;
    }
    if (age <= AT_ONCE) return SB_COPY_IGNORED;
    c->last = tick;
    if (c->count == KEPT && !hasty) return SB_COPY_KEPT;
    if (c->count == KEPT) c->count = FORGED; /* no sender repeats a message so fast */
    if ((hasty || c->count == FORGED) && take_lasting(g, now, c, tick)) return SB_COPY_LASTING;
    if (c->count == FORGED) return SB_COPY_FORGED;
    if (hasty) {
        c->count = 1;
        return SB_COPY_IGNORED;
    }
    if (c->count < COPIES_NEEDED) c->count = (c->count + 1u) & 7;
    return c->count < COPIES_NEEDED ? SB_COPY_SECOND : SB_COPY_THIRD;
}

/* The place of the message in its set; SB_GUARD_WAYS: it is new. */
static unsigned find_way(const sb_guard *g, const sb_transport_message *m, uint8_t tick)
{
    uint16_t       digest = digest_of(g, m);
    const sb_copy *set = g->copies[set_of(g, m)];
    unsigned       i = 0;
    if (is_blank(g)) return SB_GUARD_WAYS;
    while (i < SB_GUARD_WAYS && (set[i].digest != digest || !is_useful(&set[i], tick))) i++;
    return i;
}

/* The message among those that came; NULL: it is new. */
static sb_copy *find_copy(sb_guard *g, const sb_transport_message *m, uint8_t tick)
{
    unsigned i = find_way(g, m, tick);
    return i < SB_GUARD_WAYS ? &find_set(g, m)[i] : NULL;
}

bool sb_guard_knows(const sb_guard *g, sb_time now, const sb_transport_message *m)
{
    return find_way(g, m, tick_of(now)) < SB_GUARD_WAYS || find_first(g, m, tick_of(now));
}

static void sweep_firsts(sb_guard *g, sb_time now, bool paused)
{
    for (unsigned i = 0; g->firsts && i < SB_GUARD_FIRSTS; i++)
        if (paused || age_of_first(g->firsts[i], tick_of(now)) > USEFUL) g->firsts[i] = 0;
}

/* Removes old copies before the clock of 16 s wraps and makes them young. After a pause, a copy
 * that seems younger than the pause is old. */
static void sweep(sb_guard *g, sb_time now)
{
    const sb_time interval = 4 * SB_SECOND;
    sb_time       pause = now - g->used_at;
    bool          paused = pause > interval;
    sb_copy      *copies = g->copies[0];
    if (is_blank(g)) clear(g);
    g->used_at = now;
    if (!paused && now - g->swept_at < interval) return;
    g->swept_at = now;
    sweep_firsts(g, now, paused);
    for (unsigned i = 0; i < SB_GUARD_SETS * SB_GUARD_WAYS; i++) {
        sb_time age = (sb_time)(uint8_t)(tick_of(now) - copies[i].last) << TICK_BITS;
        bool    wrapped = paused && age + ((sb_time)2 << TICK_BITS) < pause;
        if (wrapped || !is_useful(&copies[i], tick_of(now))) copies[i].count = 0;
    }
}

/* A message that came once, at the tick `came`. */
static sb_copy *add_copy(sb_guard *g, sb_time now, const sb_transport_message *m, uint8_t came)
{
    uint8_t  tick = tick_of(now);
    sb_copy *place = find_place(g, tick, find_set(g, m));
    if (is_open(place, tick) && set_of(g, m) < OLD_FROM) g->forgot_at = now;
    *place = (sb_copy){ digest_of(g, m), came, 1, half_second_of(came) & HALF_SECONDS };
    return place;
}

sb_copy_kind sb_guard_take_copy(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    uint8_t tick = tick_of(now);
    sweep(g, now);
    sb_copy  *c = find_copy(g, m, tick);
    uint32_t *first = find_first(g, m, tick);
    uint8_t   came = first ? *first & TICK_MASK : tick;
    bool      again = c || first;
    if (!c) c = add_copy(g, now, m, came);
    if (!again) remember_first(g, m, tick);
    else if (first) *first = 0; /* its set has it */
    return again ? count_copy(g, now, c, tick) : SB_COPY_FIRST;
}

bool sb_guard_is_alone(const sb_guard *g, sb_time now, const sb_transport_message *m)
{
    uint8_t        tick = tick_of(now);
    uint16_t       digest = digest_of(g, m);
    const sb_copy *set = g->copies[set_of(g, m)];
    if (now - g->forgot_at < awaited_time) return false;
    if (is_blank(g)) return true;
    for (unsigned i = 0; i < SB_GUARD_WAYS; i++)
        if (is_open(&set[i], tick) && set[i].digest != digest) return false;
    return true;
}

static void note(sb_guard *g, sb_time now, const sb_transport_message *m, unsigned state)
{
    sb_copy *c = find_copy(g, m, tick_of(now));
    forget_first(g, m, tick_of(now));
    if (c) c->count = state & 7;
}

void sb_guard_note_delivered(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    note(g, now, m, DELIVERED);
}

void sb_guard_add_delivered(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    sweep(g, now);
    sb_copy *c = find_copy(g, m, tick_of(now));
    if (!c) c = add_copy(g, now, m, tick_of(now));
    c->count = DELIVERED;
}

bool sb_guard_take_repeat(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    sweep(g, now);
    sb_copy *c = find_copy(g, m, tick_of(now));
    if (!c) sb_guard_add_delivered(g, now, m);
    if (!c || (uint8_t)(tick_of(now) - c->last) < HASTY) return false;
    c->last = tick_of(now);
    return c->count == DELIVERED;
}

void sb_guard_note_kept(sb_guard *g, sb_time now, const sb_transport_message *m, bool kept)
{
    note(g, now, m, kept ? KEPT : 2);
}

void sb_guard_note_forged(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    note(g, now, m, FORGED);
}

/* It is remembered for as long as it comes. */
bool sb_guard_refresh_delivered(sb_guard *g, sb_time now, const sb_transport_message *m)
{
    sweep(g, now);
    sb_copy *c = find_copy(g, m, tick_of(now));
    if (!c || c->count != DELIVERED) return false;
    c->last = tick_of(now);
    return true;
}

/* A message whose number is used up: a duplicate, or a rival of the one that used it. */
static sb_admission admit_behind(sb_guard *g, sb_time now, const sb_transport_message *m,
                                 bool rival)
{
    if (sb_guard_is_attacked(g, now) && sb_guard_refresh_delivered(g, now, m)) return SB_ADMITTED;
    if (!rival) return SB_ADMITTED;
    sb_guard_suspect(g, now);
    /* A single fragment is no message that could be delivered. */
    return m->fragment ? SB_WAITS : SB_CONTESTED;
}

sb_admission sb_guard_judge(sb_guard *g, sb_time now, const sb_transport_message *m, int ahead,
                            bool rival)
{
    if (ahead < 0) return admit_behind(g, now, m, rival);
    if (ahead > SB_GUARD_AHEAD_MAX || !sb_guard_is_attacked(g, now)) return SB_ADMITTED;
    return ahead < AHEAD_ATTACKED ? SB_CONTESTED : SB_WAITS;
}
