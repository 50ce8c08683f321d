/* src/inspect/lru.h -- a map from a key to a place, which forgets what was unused for longest.
 *
 * For:      the dissector's tables: conversations, objects, messages in the making.
 * May use:  the memory it was given. It never grows: adding to a full map evicts.
 *
 * A place is an index below the capacity; what is stored there is the owner's business.
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
    uint32_t   chain;        /* next with the same hash */
    uint32_t   newer, older; /* by last use; `newer` links the free ones */
} sb_lru_entry;

typedef struct sb_lru {
    sb_lru_entry *entries;
    uint32_t     *heads; /* hash -> first entry */
    uint32_t      capacity, count, head_count;
    uint32_t      newest, oldest, unused;
} sb_lru;

/* `capacity`: 1 to 2^30. */
size_t sb_lru_bytes(size_t capacity);
/* `memory`: sb_lru_bytes() bytes, aligned for uint64_t. */
void sb_lru_init(sb_lru *r, void *memory, size_t capacity);

/* The place of the key, which becomes the newest; SB_LRU_NONE: not there. */
uint32_t sb_lru_find(sb_lru *r, sb_lru_key key);
/* A place for a key that is not there. `*evicted`: it was taken from the oldest. */
uint32_t sb_lru_add(sb_lru *r, sb_lru_key key, bool *evicted);
void     sb_lru_remove(sb_lru *r, uint32_t place);
void     sb_lru_check(const sb_lru *r);

#endif
