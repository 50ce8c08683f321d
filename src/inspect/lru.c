/* src/inspect/lru.c -- hash chains to find a key, a linked list by last use to evict the oldest. */
#include "inspect/lru.h"

#include "base/assert.h"

static uint32_t heads_for(size_t capacity)
{
    uint32_t heads = 1;
    while (heads < capacity) heads *= 2;
    return heads;
}

size_t sb_lru_bytes(size_t capacity)
{
    size_t heads = (heads_for(capacity) * sizeof(uint32_t) + 7) / 8 * 8;
    return capacity * sizeof(sb_lru_entry) + heads;
}

void sb_lru_init(sb_lru *r, void *memory, size_t capacity)
{
    SB_ASSERT(capacity >= 1);
    SB_ASSERT(capacity <= 1u << 30);
    *r = (sb_lru){ .entries = memory,
                   .capacity = (uint32_t)capacity,
                   .head_count = heads_for(capacity),
                   .newest = SB_LRU_NONE,
                   .oldest = SB_LRU_NONE };
    r->heads = (uint32_t *)(void *)(r->entries + capacity);
    for (uint32_t i = 0; i < r->head_count; i++) r->heads[i] = SB_LRU_NONE;
    for (uint32_t i = 0; i < r->capacity; i++)
        r->entries[i].newer = i + 1 < r->capacity ? i + 1 : SB_LRU_NONE;
}

static uint32_t *head_of(const sb_lru *r, sb_lru_key key)
{
    uint64_t hash = (key.high * 0x9E3779B97F4A7C15u ^ key.low) * 0xBF58476D1CE4E5B9u;
    return &r->heads[(uint32_t)(hash >> 32) & (r->head_count - 1)];
}

static void unlink_use(sb_lru *r, uint32_t place)
{
    const sb_lru_entry *e = &r->entries[place];
    *(e->newer == SB_LRU_NONE ? &r->newest : &r->entries[e->newer].older) = e->older;
    *(e->older == SB_LRU_NONE ? &r->oldest : &r->entries[e->older].newer) = e->newer;
}

static void link_newest(sb_lru *r, uint32_t place)
{
    sb_lru_entry *e = &r->entries[place];
    e->newer = SB_LRU_NONE;
    e->older = r->newest;
    *(r->newest == SB_LRU_NONE ? &r->oldest : &r->entries[r->newest].newer) = place;
    r->newest = place;
}

uint32_t sb_lru_find(sb_lru *r, sb_lru_key key)
{
    uint32_t place = *head_of(r, key);
    while (place != SB_LRU_NONE) {
        const sb_lru_entry *e = &r->entries[place];
        if (e->key.low == key.low && e->key.high == key.high) break;
        place = e->chain;
    }
    if (place != SB_LRU_NONE && place != r->newest) {
        unlink_use(r, place);
        link_newest(r, place);
    }
    return place;
}

void sb_lru_remove(sb_lru *r, uint32_t place)
{
    SB_ASSERT(place < r->capacity);
    uint32_t *link = head_of(r, r->entries[place].key);
    while (*link != place) {
        SB_ASSERT(*link != SB_LRU_NONE);
        link = &r->entries[*link].chain;
    }
    *link = r->entries[place].chain;
    unlink_use(r, place);
    r->entries[place].newer = r->unused;
    r->unused = place;
    r->count--;
}

uint32_t sb_lru_add(sb_lru *r, sb_lru_key key, bool *evicted)
{
    *evicted = r->unused == SB_LRU_NONE;
    if (*evicted) sb_lru_remove(r, r->oldest);
    uint32_t  place = r->unused;
    uint32_t *head = head_of(r, key);
    SB_ASSERT(place < r->capacity);
    r->unused = r->entries[place].newer;
    r->entries[place].key = key;
    r->entries[place].chain = *head;
    *head = place;
    link_newest(r, place);
    r->count++;
    return place;
}

void sb_lru_check(const sb_lru *r)
{
    uint32_t count = 0, newer = SB_LRU_NONE;
    for (uint32_t i = r->newest; i != SB_LRU_NONE; i = r->entries[i].older) {
        SB_ASSERT(i < r->capacity);
        SB_ASSERT(r->entries[i].newer == newer);
        SB_ASSERT(count < r->count);
        newer = i;
        count++;
    }
    SB_ASSERT(newer == r->oldest);
    SB_ASSERT(count == r->count);
    for (uint32_t i = r->unused; i != SB_LRU_NONE; i = r->entries[i].newer) {
        SB_ASSERT(count < r->capacity);
        count++;
    }
    SB_ASSERT(count == r->capacity);
}
