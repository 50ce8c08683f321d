/* bench/ban_bench.c -- what a Connect and a Name cost a room because of bans.
 *
 * Floor: a search of an empty map. Reference: a plain search of the list.
 */
#include "bench.h"

#include "admin/ban_map.h"

#include <stdlib.h>

enum { RANGES = 100000, ADDRESSES = 4096 };

static uint32_t    addresses[ADDRESSES];
static sb_bans    *list, *names;
static sb_ban_map *empty, *ranges, *patterns;

static void add(sb_bans *bans, sb_ban ban)
{
    ban.reason = ban.by = "";
    if (sb_bans_add(bans, &ban, NULL) != SB_OK) abort();
}

__attribute__((constructor)) static void prepare(void)
{
    static char name[] = "a000*";
    uint8_t     bytes[4];
    list = sb_bans_create();
    names = sb_bans_create();
    empty = sb_ban_map_create(list, 0);
    for (uint32_t i = 0; i < RANGES; i++)
        add(list, (sb_ban){ .has_range = true, .range = { i * 40000u & ~255u, 24 }, .name = "" });
    for (int i = 0; i < SB_BAN_PATTERNS_MAX; i++) {
        name[1] = (char)('0' + i / 100);
        name[2] = (char)('0' + i / 10 % 10);
        name[3] = (char)('0' + i % 10);
        add(names, (sb_ban){ .name = name });
    }
    ranges = sb_ban_map_create(list, 0);
    patterns = sb_ban_map_create(names, 0);
    for (uint32_t i = 0; i < ADDRESSES; i++) {
        bench_random_bytes(i + 1, bytes, sizeof bytes);
        addresses[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                       (uint32_t)bytes[2] << 8 | bytes[3];
    }
}

static void search(const sb_ban_map *map, size_t bench_count)
{
    sb_ban_hit hit;
    BENCH_LOOP
    {
        uint32_t address = addresses[bench_at % ADDRESSES];
        bench_use_value(sb_ban_map_refuses_address(map, address, 1, &hit));
    }
}

BENCH(search_no_bans)
{
    search(empty, bench_count);
}

BENCH(search_list_of_100000)
{
    BENCH_LOOP
    {
        uint32_t address = addresses[bench_at % ADDRESSES], found = 0;
        for (size_t i = 0; i < sb_bans_count(list) && !found; i++)
            found = sb_ban_is_in_range(&sb_bans_at(list, i)->range, address);
        bench_use_value(found);
    }
}

BENCH(search_100000_ranges, .floor = "search_no_bans", .reference = "search_list_of_100000")
{
    search(ranges, bench_count);
}

BENCH(search_256_patterns)
{
    sb_ban_hit hit;
    BENCH_LOOP
    {
        bench_use(patterns);
        bench_use_value(sb_ban_map_refuses_name(patterns, 1, "Captain James T. Kirk", 1, &hit));
    }
}

BENCH(make_map_of_100000)
{
    BENCH_LOOP
    {
        sb_ban_map *map = sb_ban_map_create(list, 0);
        bench_use(map);
        sb_ban_map_destroy(map);
    }
}
