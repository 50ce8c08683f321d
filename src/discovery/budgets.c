/* src/discovery/budgets.c -- see budgets.h.
 *
 * A flood from forged addresses replaces buckets in the tables, and a replaced address starts with
 * a full bucket again. The bucket of all addresses still bounds what we send.
 */
#include "discovery/budgets.h"

#include "base/assert.h"

#include <string.h>

static sb_bucket full_bucket(uint32_t key, sb_rate rate, sb_time now)
{
    return (sb_bucket){ (int64_t)rate.burst * SB_SECOND, now, key, true };
}

static void refill(sb_bucket *b, sb_rate rate, sb_time now)
{
    int64_t missing = (int64_t)rate.burst * SB_SECOND - b->left;
    if (now <= b->at) return;
    sb_time elapsed_us = now - b->at;
    b->at = now;
    if (rate.per_s == 0) return;
    /* The product cannot overflow: it is at most `missing`. */
    if (elapsed_us <= missing / rate.per_s) b->left += elapsed_us * rate.per_s;
    else b->left += missing;
}

/* Refills the bucket. True: it has enough tokens for `packets`. */
static bool refill_and_check(sb_bucket *b, sb_rate rate, sb_time now, uint32_t packets)
{
    refill(b, rate, now);
    return b->left >= (int64_t)packets * SB_SECOND;
}

static void spend(sb_bucket *b, uint32_t packets)
{
    b->left -= (int64_t)packets * SB_SECOND;
}

/* The mixing function of SplitMix64. */
static size_t set_index(const sb_bucket_table *t, uint32_t key)
{
    uint64_t x = key ^ t->seed;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (x ^ x >> 31) % SB_BUCKET_SETS;
}

/* NULL: none has this key. */
static sb_bucket *find_bucket(sb_bucket_table *t, uint32_t key)
{
    sb_bucket *set = t->sets[set_index(t, key)];
    for (size_t i = 0; i < SB_BUCKET_WAYS; i++)
        if (set[i].used && set[i].key == key) return &set[i];
    return NULL;
}

/* A new key replaces the least recently used bucket of its set. */
static sb_bucket *find_or_add_bucket(sb_bucket_table *t, uint32_t key, sb_time now)
{
    sb_bucket *found = find_bucket(t, key);
    if (found) return found;
    sb_bucket *set = t->sets[set_index(t, key)], *oldest = &set[0];
    for (size_t i = 1; i < SB_BUCKET_WAYS && oldest->used; i++)
        if (!set[i].used || set[i].at < oldest->at) oldest = &set[i];
    *oldest = full_bucket(key, t->rate, now);
    return oldest;
}

static uint32_t network_of(uint32_t address)
{
    return address >> 8;
}

static void limit_bucket(sb_bucket *b, sb_rate rate)
{
    int64_t most = (int64_t)rate.burst * SB_SECOND;
    if (b->left > most) b->left = most;
}

static void limit_table(sb_bucket_table *t)
{
    for (size_t set = 0; set < SB_BUCKET_SETS; set++)
        for (size_t i = 0; i < SB_BUCKET_WAYS; i++) limit_bucket(&t->sets[set][i], t->rate);
}

void sb_query_budgets_set_rates(sb_query_budgets *b, const sb_responder_config *config)
{
    b->sources.rate = (sb_rate){ config->source_per_s, config->source_burst };
    b->networks.rate = (sb_rate){ config->network_per_s, config->network_burst };
    /* The spec gives no burst for all addresses; we use the packets of one second. */
    b->total_rate = (sb_rate){ config->total_per_s, config->total_per_s };
    b->master_rate = (sb_rate){ config->master_per_s, config->master_burst };
    limit_table(&b->sources);
    limit_table(&b->networks);
    limit_bucket(&b->total, b->total_rate);
    for (size_t i = 0; i < SB_MASTER_BUCKETS; i++) limit_bucket(&b->masters[i], b->master_rate);
}

void sb_query_budgets_init(sb_query_budgets *b, const sb_responder_config *config, sb_time now)
{
    memset(b, 0, sizeof *b);
    b->sources.seed = config->seed;
    b->networks.seed = config->seed + 0x9E3779B97F4A7C15u;
    sb_query_budgets_set_rates(b, config);
    b->total = full_bucket(0, b->total_rate, now);
}

/* Only addresses of configured masters come here, so a flood of other addresses replaces none. */
static sb_bucket *find_or_add_master(sb_query_budgets *b, uint32_t address, sb_time now)
{
    sb_bucket *oldest = &b->masters[0];
    for (size_t i = 0; i < SB_MASTER_BUCKETS; i++) {
        sb_bucket *bucket = &b->masters[i];
        if (bucket->used && bucket->key == address) return bucket;
        if (oldest->used && (!bucket->used || bucket->at < oldest->at)) oldest = bucket;
    }
    *oldest = full_bucket(address, b->master_rate, now);
    return oldest;
}

static sb_budget_result charge_master(sb_query_budgets *b, const sb_query_charge *c)
{
    sb_bucket *bucket = find_or_add_master(b, c->address, c->now);
    bool       enough = refill_and_check(bucket, b->master_rate, c->now, c->packets);
    if (!enough && !c->owed) return SB_BUDGET_OVER_SOURCE;
    spend(bucket, c->packets);
    return SB_BUDGET_GRANTED;
}

static void overdraw(sb_query_budgets *b, const sb_query_charge *c)
{
    /* The debt of a bucket that was replaced in the meantime is lost. */
    sb_bucket *source = find_bucket(&b->sources, c->address);
    sb_bucket *network = find_bucket(&b->networks, network_of(c->address));
    if (source) spend(source, c->packets);
    if (network) spend(network, c->packets);
    spend(&b->total, c->packets);
}

static sb_budget_result charge_source(sb_query_budgets *b, const sb_query_charge *c)
{
    sb_bucket *source = find_or_add_bucket(&b->sources, c->address, c->now);
    if (!refill_and_check(source, b->sources.rate, c->now, c->packets))
        return SB_BUDGET_OVER_SOURCE;
    sb_bucket *network = find_or_add_bucket(&b->networks, network_of(c->address), c->now);
    if (!refill_and_check(network, b->networks.rate, c->now, c->packets))
        return SB_BUDGET_OVER_NETWORK;
    if (!refill_and_check(&b->total, b->total_rate, c->now, c->packets))
        return SB_BUDGET_OVER_TOTAL;
    spend(source, c->packets);
    spend(network, c->packets);
    spend(&b->total, c->packets);
    return SB_BUDGET_GRANTED;
}

sb_budget_result sb_query_budgets_charge(sb_query_budgets *b, const sb_query_charge *c)
{
    if (c->is_master) return charge_master(b, c);
    if (!c->owed) return charge_source(b, c);
    overdraw(b, c);
    return SB_BUDGET_GRANTED;
}

/* ---- invariants ---- */

static void check_bucket(const sb_bucket *b, sb_rate rate)
{
    SB_ASSERT(b->used);
    SB_ASSERT(b->left <= (int64_t)rate.burst * SB_SECOND);
}

static void check_table(const sb_bucket_table *t)
{
    for (size_t set = 0; set < SB_BUCKET_SETS; set++)
        for (size_t i = 0; i < SB_BUCKET_WAYS; i++) {
            const sb_bucket *b = &t->sets[set][i];
            if (!b->used) continue;
            check_bucket(b, t->rate);
            SB_ASSERT(set_index(t, b->key) == set);
            for (size_t j = 0; j < i; j++)
                SB_ASSERT(!t->sets[set][j].used || t->sets[set][j].key != b->key);
        }
}

void sb_query_budgets_check(const sb_query_budgets *b)
{
    check_table(&b->sources);
    check_table(&b->networks);
    check_bucket(&b->total, b->total_rate);
    for (size_t i = 0; i < SB_MASTER_BUCKETS; i++)
        if (b->masters[i].used) check_bucket(&b->masters[i], b->master_rate);
}
