/* src/admin/ban_map.h -- what the threads of rooms search when a player connects: an immutable copy
 * of the list of bans.
 *
 * For:      apps/serve: the main thread makes a map after each change of the list and publishes its
 *           address; rooms search it without locks.
 * May use:  malloc in create.
 * Never:    changes after create. A search costs O(log n) of the ranges, O(log n) of the names
 *           without `*`, and a comparison with each of at most SB_BAN_PATTERNS_MAX names with one.
 * Tests:    tests/admin/ban_map_test.c
 */
#ifndef SB_ADMIN_BAN_MAP_H
#define SB_ADMIN_BAN_MAP_H

#include "admin/bans.h"

typedef struct sb_ban_map sb_ban_map;

/* The ban that refuses a player. */
typedef struct sb_ban_hit {
    int64_t     id, expires_ms;
    sb_ban_kind kind;
    const char *reason; /* lent by the map */
} sb_ban_hit;

/* Copies what is in force at `now_ms`. Make a new map when sb_bans_next_expiry is over: until then,
 * an exception that has expired would still hold. Given; NULL: no memory. */
sb_ban_map *sb_ban_map_create(const sb_bans *bans, int64_t now_ms);
void        sb_ban_map_destroy(sb_ban_map *map); /* also NULL */
/* True: the address is refused, whatever the name; *hit is the ban that expires last. */
bool sb_ban_map_refuses_address(const sb_ban_map *map, uint32_t address, int64_t now_ms,
                                sb_ban_hit *hit);
/* True: a player of this name from this address is refused, because of the name. */
bool sb_ban_map_refuses_name(const sb_ban_map *map, uint32_t address, const char *name,
                             int64_t now_ms, sb_ban_hit *hit);
/* Nanoseconds matter where a map is empty: neither search would find anything. */
bool sb_ban_map_is_empty(const sb_ban_map *map);

#endif
