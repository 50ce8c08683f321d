/* src/transport/newcomers.c -- see newcomers.h. */
#include "transport/newcomers.h"

#include "base/assert.h"
#include "base/keyed_hash.h"

enum {
    TICK_SHIFT = 13, /* a tick is 8.2 ms */
    TICK_BITS = 25,  /* they wrap around after 76 hours */
    TICK_MASK = (1 << TICK_BITS) - 1,
    ID_BITS = 7,
    QUESTION_BITS = 2,
    PROOF_BITS = 6, /* of numbers that a newcomer has acknowledged (host_seats.c) */
    QUESTION_MASK = (1 << QUESTION_BITS) - 1,
    /* 12 bytes of response and 2 * 38 of questions, for 17 of a Connect and 2 * 3 of answers. */
    QUESTIONS_MAX = 2,
    HASH_SHIFT = ID_BITS + QUESTION_BITS + PROOF_BITS +
                 TICK_BITS,                    /* the bits of the hash above are in the entry */
    LIFE_TICKS = (10000000 >> TICK_SHIFT) + 1, /* 10 s */
    ROUND_TRIP_TICKS = 300000 >> TICK_SHIFT, /* 0.3 s: a younger entry may be answered any moment */
    AHEAD_TICKS = 128,                       /* 1 s: what another thread's clock may be ahead */
};

_Static_assert(sizeof(sb_newcomers) +
                       sizeof(uint64_t) * SB_NEWCOMER_SETS_SHARED * SB_NEWCOMER_WAYS <=
                   (size_t)256 * 1024,
               "the table of a process (spec 01 §10.6)");

size_t sb_newcomers_bytes_of(uint32_t sets)
{
    return sizeof(sb_newcomers) + sizeof(uint64_t) * sets * SB_NEWCOMER_WAYS;
}

size_t sb_newcomers_bytes(void)
{
    return sb_newcomers_bytes_of(SB_NEWCOMER_SETS_SHARED);
}

void sb_newcomers_init_sets(sb_newcomers *n, uint32_t sets, uint64_t seed)
{
    SB_ASSERT(sets > 0 && (sets & (sets - 1)) == 0);
    n->seed = seed;
    n->set_mask = sets - 1;
    atomic_init(&n->read, 0);
    for (unsigned i = 0; i < 2 * SB_NETWORK_SLOTS; i++) atomic_init(&n->read_of[0][0] + i, 0);
    for (uint32_t i = 0; i < sets * SB_NEWCOMER_WAYS; i++) atomic_init(&n->entries[i], 0);
}

sb_newcomers *sb_newcomers_init(void *memory, uint64_t seed)
{
    sb_newcomers_init_sets(memory, SB_NEWCOMER_SETS_SHARED, seed);
    return memory;
}

/* ---- limits ---- */

/* Every second has one moment, by chance, when the counts begin anew: clients repeat a Connect
 * after whole seconds, so with a fixed moment a flood would keep out the same ones each time. */
static uint16_t period_of(const sb_newcomers *n, sb_time now)
{
    uint64_t second = (uint64_t)now / SB_SECOND, within = (uint64_t)now % SB_SECOND;
    uint64_t begins = sb_keyed_hash(n->seed, 2, second, 0) % SB_SECOND;
    return (uint16_t)(second + (within >= begins));
}

/* Counts in a word hold the low 16 bits of a period, so nobody has to reset them. */
static uint32_t count_in(const _Atomic uint32_t *count, uint16_t period)
{
    uint32_t value = atomic_load_explicit(count, memory_order_relaxed);
    return value >> 16 == period ? value & 0xFFFF : 0;
}

static void add_one(_Atomic uint32_t *count, uint16_t period)
{
    uint32_t in_period = count_in(count, period);
    if (in_period == 0)
        atomic_store_explicit(count, (uint32_t)period << 16 | 1, memory_order_relaxed);
    else if (in_period < 0xFFFF) atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

_Static_assert(SB_STRANGERS_TOTAL < 0xFFFF, "a count has 16 bits");

bool sb_newcomers_spend_total(sb_newcomers *n, sb_time now)
{
    uint16_t period = period_of(n, now);
    if (count_in(&n->read, period) >= SB_STRANGERS_TOTAL) return false;
    add_one(&n->read, period);
    return true;
}

bool sb_newcomers_spend_network(sb_newcomers *n, sb_time now, uint32_t address)
{
    uint64_t          hash = sb_keyed_hash(n->seed, 1, address >> 8, 0);
    uint16_t          period = period_of(n, now);
    _Atomic uint32_t *first = &n->read_of[0][hash % SB_NETWORK_SLOTS];
    _Atomic uint32_t *second = &n->read_of[1][(hash >> 32) % SB_NETWORK_SLOTS];
    if (count_in(first, period) >= SB_STRANGERS_PER_NETWORK &&
        count_in(second, period) >= SB_STRANGERS_PER_NETWORK)
        return false;
    add_one(first, period);
    add_one(second, period);
    return true;
}

/* ---- entries ---- */

sb_newcomer_key sb_newcomers_key(const sb_newcomers *n, uint64_t host, sb_endpoint from)
{
    return (sb_newcomer_key){ sb_keyed_hash(n->seed, host, from.address, from.port) };
}

static uint64_t make_entry(sb_newcomer_key key, sb_time now, uint8_t id)
{
    uint64_t tick = (uint64_t)(now >> TICK_SHIFT) & TICK_MASK;
    return key.hash >> HASH_SHIFT << HASH_SHIFT | tick << (ID_BITS + QUESTION_BITS + PROOF_BITS) |
           id;
}

/* In ticks. An entry from a moment ahead is new. */
static uint32_t age_of(uint64_t entry, sb_time now)
{
    uint32_t tick = (uint32_t)(entry >> (ID_BITS + QUESTION_BITS + PROOF_BITS)) & TICK_MASK;
    uint32_t age = ((uint32_t)(now >> TICK_SHIFT) - tick) & TICK_MASK;
    return age > TICK_MASK - AHEAD_TICKS ? 0 : age;
}

static bool is_of(uint64_t entry, sb_newcomer_key key)
{
    return entry != 0 && entry >> HASH_SHIFT == key.hash >> HASH_SHIFT;
}

static uint32_t first_of_set(const sb_newcomers *n, sb_newcomer_key key)
{
    return ((uint32_t)key.hash & n->set_mask) * SB_NEWCOMER_WAYS;
}

static uint64_t load(const _Atomic uint64_t *entry)
{
    return atomic_load_explicit(entry, memory_order_relaxed);
}

/* The place of an entry that is still valid; UINT32_MAX: there is none. */
static uint32_t find_place(const sb_newcomers *n, sb_time now, sb_newcomer_key key)
{
    uint32_t first = first_of_set(n, key);
    for (uint32_t i = first; i < first + SB_NEWCOMER_WAYS; i++) {
        uint64_t entry = load(&n->entries[i]);
        if (is_of(entry, key) && age_of(entry, now) <= LIFE_TICKS) return i;
    }
    return UINT32_MAX;
}

uint8_t sb_newcomers_find(const sb_newcomers *n, sb_time now, sb_newcomer_key key)
{
    uint32_t place = find_place(n, now, key);
    return place == UINT32_MAX ? SB_ID_NONE : load(&n->entries[place]) & ((1 << ID_BITS) - 1);
}

uint8_t sb_newcomers_proof(const sb_newcomers *n, sb_time now, sb_newcomer_key key)
{
    uint32_t place = find_place(n, now, key);
    if (place == UINT32_MAX) return 0;
    return load(&n->entries[place]) >> (ID_BITS + QUESTION_BITS) & ((1 << PROOF_BITS) - 1);
}

void sb_newcomers_set_proof(sb_newcomers *n, sb_time now, sb_newcomer_key key, uint8_t proof)
{
    const unsigned shift = ID_BITS + QUESTION_BITS;
    SB_ASSERT(proof < 1 << PROOF_BITS);
    uint32_t place = find_place(n, now, key);
    if (place == UINT32_MAX) return;
    uint64_t without = load(&n->entries[place]) & ~((uint64_t)((1 << PROOF_BITS) - 1) << shift);
    atomic_store_explicit(&n->entries[place], without | (uint64_t)proof << shift,
                          memory_order_relaxed);
}

bool sb_newcomers_spend_question(sb_newcomers *n, sb_time now, sb_newcomer_key key)
{
    uint32_t place = find_place(n, now, key);
    if (place == UINT32_MAX) return false;
    uint64_t entry = load(&n->entries[place]);
    if ((entry >> ID_BITS & QUESTION_MASK) >= QUESTIONS_MAX) return false;
    atomic_store_explicit(&n->entries[place], entry + (1u << ID_BITS), memory_order_relaxed);
    return true;
}

/* The entry of the address, else an empty or the oldest one. If even the oldest is younger than a
 * round trip, chance decides, so that in a flood some newcomers still find their entry. */
static unsigned choose_way(const _Atomic uint64_t *set, sb_time now, sb_newcomer_key key)
{
    unsigned oldest = 0;
    uint32_t most = 0;
    for (unsigned i = 0; i < SB_NEWCOMER_WAYS; i++) {
        uint64_t entry = load(&set[i]);
        if (is_of(entry, key)) return i;
        uint32_t age = entry == 0 ? UINT32_MAX : age_of(entry, now);
        if (age <= most) continue;
        most = age;
        oldest = i;
    }
    if (most >= ROUND_TRIP_TICKS) return oldest;
    return (unsigned)(key.hash >> 24) %
           SB_NEWCOMER_WAYS; /* bits that choose neither set nor entry */
}

bool sb_newcomers_put(sb_newcomers *n, sb_time now, sb_newcomer_key key, uint8_t id)
{
    SB_ASSERT(id != SB_ID_NONE && id < 1 << ID_BITS);
    _Atomic uint64_t *set = &n->entries[first_of_set(n, key)];
    unsigned          way = choose_way(set, now, key);
    uint64_t          before = load(&set[way]);
    atomic_store_explicit(&set[way], make_entry(key, now, id), memory_order_relaxed);
    return before != 0 && !is_of(before, key) && age_of(before, now) <= LIFE_TICKS;
}

void sb_newcomers_remove(sb_newcomers *n, sb_newcomer_key key)
{
    _Atomic uint64_t *set = &n->entries[first_of_set(n, key)];
    for (unsigned i = 0; i < SB_NEWCOMER_WAYS; i++)
        if (is_of(load(&set[i]), key)) atomic_store_explicit(&set[i], 0, memory_order_relaxed);
}
