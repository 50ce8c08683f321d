/* src/inspect/lru.h -- an LRU map from keys to indices.
 *
 * For:      the dissector's tables: conversations, objects, incomplete messages.
 * May use:  the memory it was given. Adding to a full map evicts the least recently used key.
 *
 * The map gives each key an index below the capacity. The owner keeps an array of its own and
 * stores the values there.
 */
#ifndef SB_INSPECT_LRU_H
#define SB_INSPECT_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SB_LRU_NONE UINT32_MAX

typedef struct sb_lru_key {
    uint64_t high, low;
} sb_lru_key;

typedef struct sb_lru_entry {
    sb_lru_key key;
    uint32_t   chain;        /* next entry with the same hash */
    uint32_t   newer, older; /* neighbours by last use; in the free list `newer` is the next */
} sb_lru_entry;

typedef struct sb_lru {
    sb_lru_entry *entries;
    uint32_t     *heads; /* hash to first entry */
    uint32_t      capacity, count, head_count;
    uint32_t      newest, oldest, unused;
} sb_lru;

/* `capacity`: 1 to 2^30. */
size_t sb_lru_bytes(size_t capacity);
/* `memory`: sb_lru_bytes() bytes, aligned for uint64_t. */
void sb_lru_init(sb_lru *r, void *memory, size_t capacity);

/* Returns the index of the key and makes the key the newest; SB_LRU_NONE: the map lacks the key. */
uint32_t sb_lru_find(sb_lru *r, sb_lru_key key);
/* Adds a key that the map lacks and returns its index. `*evicted`: the oldest key lost its index to
 * this one. */
uint32_t sb_lru_add(sb_lru *r, sb_lru_key key, bool *evicted);
void     sb_lru_remove(sb_lru *r, uint32_t place);
void     sb_lru_check(const sb_lru *r);

#endif
