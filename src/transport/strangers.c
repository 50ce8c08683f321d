/* src/transport/strangers.c -- see strangers.h. */
#include "transport/strangers.h"

#include <string.h>

enum { SOURCE_RATE = 2, SOURCE_BURST = 5, TOTAL_RATE = 20, TOTAL_BURST = 40 };

void sb_strangers_init(sb_strangers *s, sb_time now, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    sb_budget_init(&s->total, now, TOTAL_BURST);
}

/* The entry of the address; a new address replaces the least recently used entry of its set. */
static sb_stranger *find_or_replace(sb_strangers *s, sb_time now, uint32_t address)
{
    uint64_t     hash = (address ^ s->seed) * 0x9E3779B97F4A7C15u;
    sb_stranger *set = s->sets[hash >> 32 & (SB_STRANGER_SETS - 1)], *oldest = &set[0];
    for (size_t i = 0; i < SB_STRANGER_WAYS; i++) {
        if (set[i].used && set[i].address == address) return &set[i];
        if (oldest->used && (!set[i].used || set[i].connects.at < oldest->connects.at))
            oldest = &set[i];
    }
    *oldest = (sb_stranger){ .address = address, .used = true };
    sb_budget_init(&oldest->connects, now, SOURCE_BURST);
    return oldest;
}

static bool spend_one(sb_budget *budget, sb_time now, uint32_t rate, uint32_t burst)
{
    sb_budget_refill(budget, now, rate, burst);
    if (!sb_budget_has(budget, 1)) return false;
    sb_budget_spend(budget, 1);
    return true;
}

bool sb_strangers_spend_source(sb_strangers *s, sb_time now, uint32_t address)
{
    return spend_one(&find_or_replace(s, now, address)->connects, now, SOURCE_RATE, SOURCE_BURST);
}

bool sb_strangers_spend_total(sb_strangers *s, sb_time now)
{
    return spend_one(&s->total, now, TOTAL_RATE, TOTAL_BURST);
}
