/* tests/admin/ban_map_test.c -- what rooms search: ranges, names, exceptions. */
#include "admin/ban_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "test.h"

static uint32_t address(const char *text)
{
    sb_ban_range range;
    CHECK(sb_ban_parse_range(text, &range));
    return range.address;
}

static void add(sb_bans *bans, sb_ban_kind kind, const char *range, const char *name,
                int64_t expires_ms, const char *reason)
{
    sb_ban ban = { .kind = kind, .name = name, .reason = reason, .by = "" };
    ban.expires_ms = expires_ms;
    ban.has_range = range[0] != '\0';
    if (ban.has_range) CHECK(sb_ban_parse_range(range, &ban.range));
    CHECK_EQ(sb_bans_add(bans, &ban, NULL), SB_OK);
}

/* "" or the reason of the refusal. */
static const char *refusal(const sb_ban_map *map, const char *from, const char *name, int64_t now)
{
    sb_ban_hit hit;
    if (sb_ban_map_refuses_address(map, address(from), now, &hit)) return hit.reason;
    if (name && sb_ban_map_refuses_name(map, address(from), name, now, &hit)) return hit.reason;
    return "";
}

TEST(an_empty_map_refuses_nobody)
{
    sb_bans    *bans = sb_bans_create();
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    CHECK(sb_ban_map_is_empty(map));
    CHECK_TEXT(refusal(map, "0.0.0.0", "x", 0), "");
    CHECK_TEXT(refusal(map, "255.255.255.255", "x", 0), "");
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}

TEST(the_edges_of_ranges_are_exact)
{
    sb_bans *bans = sb_bans_create();
    add(bans, SB_BAN_BAN, "10.0.0.0/8", "", 0, "ten");
    add(bans, SB_BAN_BAN, "0.0.0.0/32", "", 0, "first");
    add(bans, SB_BAN_BAN, "255.255.255.0/24", "", 0, "last");
    add(bans, SB_BAN_BAN, "11.0.0.0", "", 0, "beside");
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    CHECK_TEXT(refusal(map, "9.255.255.255", NULL, 0), "");
    CHECK_TEXT(refusal(map, "10.0.0.0", NULL, 0), "ten");
    CHECK_TEXT(refusal(map, "10.255.255.255", NULL, 0), "ten");
    CHECK_TEXT(refusal(map, "11.0.0.0", NULL, 0), "beside");
    CHECK_TEXT(refusal(map, "11.0.0.1", NULL, 0), "");
    CHECK_TEXT(refusal(map, "0.0.0.0", NULL, 0), "first");
    CHECK_TEXT(refusal(map, "0.0.0.1", NULL, 0), "");
    CHECK_TEXT(refusal(map, "255.255.254.255", NULL, 0), "");
    CHECK_TEXT(refusal(map, "255.255.255.255", NULL, 0), "last");
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}

TEST(an_exception_opens_what_is_banned_around_it)
{
    sb_bans *bans = sb_bans_create();
    add(bans, SB_BAN_BAN, "0.0.0.0/0", "", 0, "all");
    add(bans, SB_BAN_EXCEPTION, "203.0.113.0/24", "", 0, "");
    add(bans, SB_BAN_BAN, "203.0.113.7", "", 0, "inside");
    add(bans, SB_BAN_BAN, "", "Kirk", 0, "name");
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    CHECK_TEXT(refusal(map, "203.0.112.255", NULL, 0), "all");
    CHECK_TEXT(refusal(map, "203.0.113.0", "Kirk", 0), ""); /* names, too */
    CHECK_TEXT(refusal(map, "203.0.113.7", NULL, 0), "");
    CHECK_TEXT(refusal(map, "203.0.114.0", NULL, 0), "all");
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}

TEST(of_several_bans_the_one_that_ends_last_counts)
{
    sb_bans *bans = sb_bans_create();
    add(bans, SB_BAN_BAN, "10.0.0.0/8", "", 5000, "wide");
    add(bans, SB_BAN_KICK, "10.0.0.1", "", 1000, "kick");
    add(bans, SB_BAN_BAN, "10.0.0.2", "", 0, "for ever");
    add(bans, SB_BAN_BAN, "10.0.0.2", "", 9000, "later");
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    CHECK_TEXT(refusal(map, "10.0.0.1", NULL, 10), "wide");
    CHECK_TEXT(refusal(map, "10.0.0.1", NULL, 4999), "wide");
    CHECK_TEXT(refusal(map, "10.0.0.1", NULL, 5000), "");
    CHECK_TEXT(refusal(map, "10.0.0.2", NULL, 99999), "for ever");
    sb_ban_map_destroy(map);
    map = sb_ban_map_create(bans, 6000); /* what has expired is left out */
    CHECK_TEXT(refusal(map, "10.0.0.1", NULL, 10), "");
    CHECK_TEXT(refusal(map, "10.0.0.2", NULL, 10), "for ever");
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}

TEST(names_are_refused_without_regard_to_case)
{
    sb_bans *bans = sb_bans_create();
    add(bans, SB_BAN_BAN, "", "Griefer", 0, "plain");
    add(bans, SB_BAN_BAN, "", "*BOT*", 0, "pattern");
    add(bans, SB_BAN_BAN, "10.0.0.0/8", "Kirk", 0, "kirk of ten");
    add(bans, SB_BAN_EXCEPTION, "", "robot*", 0, "");
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    CHECK_TEXT(refusal(map, "1.1.1.1", "GRIEFER", 0), "plain");
    CHECK_TEXT(refusal(map, "1.1.1.1", "griefer2", 0), "");
    CHECK_TEXT(refusal(map, "1.1.1.1", "My Bot 3", 0), "pattern");
    CHECK_TEXT(refusal(map, "1.1.1.1", "Robot 3", 0), "");
    CHECK_TEXT(refusal(map, "1.1.1.1", "Kirk", 0), "");
    CHECK_TEXT(refusal(map, "10.2.3.4", "Kirk", 0), "kirk of ten");
    CHECK_TEXT(refusal(map, "10.2.3.4", "Spock", 0), "");
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}

TEST(a_long_name_is_compared_as_far_as_it_goes)
{
    sb_bans   *bans = sb_bans_create();
    char       name[400];
    sb_ban_hit hit;
    add(bans, SB_BAN_BAN, "", "x*", 0, "x");
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    CHECK(sb_ban_map_refuses_name(map, 1, name, 0, &hit));
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}

/* ---- compared with a plain search of the list ---- */

static bool is_refused_plainly(const sb_bans *bans, uint32_t from)
{
    bool refused = false;
    for (size_t i = 0; i < sb_bans_count(bans); i++) {
        const sb_ban *ban = sb_bans_at(bans, i);
        if (!ban->has_range || !sb_ban_is_in_range(&ban->range, from)) continue;
        if (ban->kind == SB_BAN_EXCEPTION) return false;
        refused = true;
    }
    return refused;
}

static void add_random(sb_bans *bans, sb_random *random)
{
    unsigned bits = sb_random_below(random, 33);
    uint32_t mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
    sb_ban   ban = { .has_range = true, .name = "", .reason = "", .by = "" };
    /* A few addresses in common make ranges nest. */
    uint32_t at = sb_random_below(random, 4) << 30 | sb_random_below(random, 4) << 8 |
                  sb_random_below(random, 4);
    ban.range = (sb_ban_range){ at & mask, (uint8_t)bits };
    ban.kind = sb_random_below(random, 5) == 0 ? SB_BAN_EXCEPTION : SB_BAN_BAN;
    CHECK_EQ(sb_bans_add(bans, &ban, NULL), SB_OK);
}

TEST(random_lists_are_searched_as_plainly)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        sb_random  random;
        sb_ban_hit hit;
        sb_random_init(&random, seed);
        sb_bans *bans = sb_bans_create();
        unsigned count = sb_random_below(&random, 12);
        for (unsigned i = 0; i < count; i++) add_random(bans, &random);
        sb_ban_map *map = sb_ban_map_create(bans, 0);
        for (size_t i = 0; i < count; i++) {
            const sb_ban_range *range = &sb_bans_at(bans, i)->range;
            uint32_t            size = range->bits == 0 ? 0 : (uint32_t)1 << (32 - range->bits);
            const uint32_t      edges[] = { range->address - 1, range->address,
                                            range->address + size - 1, range->address + size };
            for (size_t k = 0; k < 4; k++)
                if (sb_ban_map_refuses_address(map, edges[k], 0, &hit) !=
                    is_refused_plainly(bans, edges[k]))
                    FAIL("seed %d, address %08X", (int)seed, edges[k]);
        }
        sb_ban_map_destroy(map);
        sb_bans_destroy(bans);
    }
}

TEST(a_hundred_thousand_ranges_are_one_map)
{
    enum { COUNT = 100000 };
    sb_bans *bans = sb_bans_create();
    sb_ban   ban = { .has_range = true, .name = "", .reason = "", .by = "" };
    for (uint32_t i = 0; i < COUNT; i++) {
        ban.range = (sb_ban_range){ i * 40000u & ~255u, 24 };
        CHECK_EQ(sb_bans_add(bans, &ban, NULL), SB_OK);
    }
    sb_ban_map *map = sb_ban_map_create(bans, 0);
    sb_ban_hit  hit;
    for (uint32_t i = 0; i < COUNT; i++)
        if (!sb_ban_map_refuses_address(map, (i * 40000u & ~255u) + 77, 0, &hit))
            FAIL("range %u is not found", i);
    sb_ban_map_destroy(map);
    sb_bans_destroy(bans);
}
