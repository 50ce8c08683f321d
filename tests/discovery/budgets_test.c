/* tests/discovery/budgets_test.c -- spec 05 §8: limits of packets per address, per /24, per master
 * and in all. */
#include "discovery/budgets.h"
#include "rig.h"
#include "test.h"

#include <string.h>

TEST(an_address_gets_15_answers_at_once_and_5_a_second)
{
    rig         r = new_rig();
    sb_endpoint other_port = { stranger.address, 50000 };
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 15);
    CHECK_EQ(counted(&r, SB_QUERY_OVER_SOURCE), 25);
    CHECK_EQ(ask_many(&r, other_port, "\\status\\", 3),
             0); /* ports share the budget of the address */
    r.now += SB_SECOND / 5 - 1;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 3), 0);
    r.now += 1;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 3), 1);
    r.now += SB_SECOND;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 10), 5);
    r.now += 1000000 * SB_SECOND;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 15);
    CHECK_EQ(ask_many(&r, neighbour, "\\status\\", 1), 1); /* other addresses are not affected */
    close_rig(&r);
}

TEST(a_third_of_a_second_is_rounded_up)
{
    rig r = new_rig();
    r.config.source_per_s = 3;
    r.config.source_burst = 1;
    sb_responder_init(r.responder, &r.config, r.now);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 2), 1);
    r.now += SB_SECOND / 3; /* 333333 microseconds */
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 1), 0);
    r.now += 1;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 2), 1);
    close_rig(&r);
}

TEST(refused_queries_cost_nothing)
{
    rig r = new_rig();
    ask_many(&r, stranger, "\\foo\\", 100);
    ask_many(&r, stranger, "\\echo\\a", 100);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 15);
    close_rig(&r);
}

TEST(a_network_gets_60_answers_at_once_and_20_a_second)
{
    rig      r = new_rig();
    unsigned answered = 0;
    for (uint32_t host = 0; host < 20; host++)
        answered += ask_many(&r, (sb_endpoint){ 0x08080800 + host, 4000 }, "\\rules\\", 5);
    CHECK_EQ(answered, 60);
    CHECK_EQ(counted(&r, SB_QUERY_OVER_NETWORK), 40);
    CHECK_EQ(ask_many(&r, (sb_endpoint){ 0x08080900, 4000 }, "\\rules\\", 5), 5);
    r.now += SB_SECOND;
    answered = 0;
    for (uint32_t host = 20; host < 40; host++)
        answered += ask_many(&r, (sb_endpoint){ 0x08080800 + host, 4000 }, "\\rules\\", 5);
    CHECK_EQ(answered, 20);
    close_rig(&r);
}

/* More addresses than the tables hold: each looks new, and only the total limits them. */
TEST(all_together_get_200_answers_a_second)
{
    rig      r = new_rig();
    unsigned answered = 0;
    for (uint32_t i = 0; i < 5000; i++)
        answered += ask_many(&r, (sb_endpoint){ 0x10000000 + i * 0x10001, 4000 }, "\\rules\\", 1);
    CHECK_EQ(answered, 200);
    CHECK_EQ(counted(&r, SB_QUERY_OVER_TOTAL), 4800);
    r.now += SB_SECOND / 2;
    answered = 0;
    for (uint32_t i = 0; i < 5000; i++)
        answered += ask_many(&r, (sb_endpoint){ 0x10000000 + i * 0x10001, 4000 }, "\\rules\\", 1);
    CHECK_EQ(answered, 100);
    close_rig(&r);
}

TEST(a_hundred_addresses_keep_their_budgets_beside_each_other)
{
    rig r = unlimited_rig();
    r.config.source_burst = 2;
    sb_responder_init(r.responder, &r.config, r.now);
    for (uint32_t i = 0; i < 100; i++) {
        sb_endpoint from = { 0x20000000 + i * 0x10001, 4000 };
        CHECK_EQ(ask_many(&r, from, "\\rules\\", 3), 2);
    }
    for (uint32_t i = 0; i < 100; i++) {
        sb_endpoint from = { 0x20000000 + i * 0x10001, 4000 };
        CHECK_EQ(ask_many(&r, from, "\\rules\\", 3), 0);
    }
    close_rig(&r);
}

TEST(packets_costs_four_answers)
{
    rig r = new_rig();
    CHECK_EQ(ask_many(&r, neighbour, "\\packets\\", 10), 3);
    CHECK_EQ(counted(&r, SB_QUERY_ANSWERS), 12);
    CHECK_EQ(ask_many(&r, neighbour, "\\rules\\", 10), 3);
    close_rig(&r);
}

TEST(packets_that_a_split_adds_are_owed)
{
    rig     r = new_rig();
    uint8_t letters[300];
    make_longest(&r, letters); /* three packets each */
    CHECK_EQ(ask_many(&r, stranger, "\\rules\\", 1), 1);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 15), 5);
    CHECK_EQ(counted(&r, SB_QUERY_ANSWERS), 16);
    r.now += 2 * SB_SECOND / 5 - 1; /* one packet of debt, one for the query */
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 1), 0);
    r.now += 1;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 1), 1);
    close_rig(&r);
}

TEST(masters_have_a_bucket_of_their_own)
{
    rig         r = new_rig();
    sb_endpoint asking = { master.address, 27901 }; /* spec 05 §5.3 */
    sb_responder_set_master(r.responder, 0, master, r.now);
    sb_responder_set_master(r.responder, 1, (sb_endpoint){ 0x51CD5D5F, SB_MASTER_PORT }, r.now);
    drain(&r);
    for (uint32_t i = 0; i < 5000; i++)
        ask_many(&r, (sb_endpoint){ 0x10000000 + i * 0x10001, 4000 }, "\\rules\\", 1);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 1), 0); /* the flood exhausted the total budget */
    CHECK_EQ(ask_many(&r, asking, "\\status\\", 80), 50);
    CHECK_EQ(ask_many(&r, (sb_endpoint){ 0x51CD5D5F, 4000 }, "\\status\\", 80), 50);
    r.now += SB_SECOND / 10;
    CHECK_EQ(ask_many(&r, asking, "\\status\\", 80), 5);
    sb_responder_set_master(r.responder, 0, (sb_endpoint){ 0, 0 }, r.now); /* no longer a master */
    CHECK_EQ(ask_many(&r, asking, "\\status\\", 80), 15);
    close_rig(&r);
}

TEST(masters_owe_the_packets_of_a_split_too)
{
    rig     r = new_rig();
    uint8_t letters[300];
    make_longest(&r, letters); /* three packets each */
    sb_responder_set_master(r.responder, 0, master, r.now);
    drain(&r);
    CHECK_EQ(ask_many(&r, master, "\\status\\", 80), 17);
    r.now += 2 * SB_SECOND / 50 - 1; /* one packet of debt, one for the query */
    CHECK_EQ(ask_many(&r, master, "\\status\\", 1), 0);
    r.now += 1;
    CHECK_EQ(ask_many(&r, master, "\\status\\", 1), 1);
    close_rig(&r);
}

/* Tokens that an address has saved up count only up to the new burst. */
TEST(new_rates_hold_at_once)
{
    rig                 r = new_rig();
    sb_responder_config c;
    sb_responder_defaults(&c);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 1), 1); /* 14 left */
    c.source_per_s = 1;
    c.source_burst = 4;
    c.total_per_s = 6;
    sb_responder_set_rates(r.responder, &c);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 4);
    CHECK_EQ(ask_many(&r, neighbour, "\\status\\", 40), 2); /* six in all */
    r.now += SB_SECOND;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 1);
    c.source_burst = 15;
    c.total_per_s = 200;
    sb_responder_set_rates(r.responder, &c);
    r.now += 100 * SB_SECOND;
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 15);
    close_rig(&r);
}

/* ---- budgets of several rooms ---- */

typedef struct shared_budget {
    sb_budget_result result; /* of charges that are not owed */
    sb_query_charge  last;
    unsigned         charges, owed;
} shared_budget;

static sb_budget_result charge_shared(void *context, const sb_query_charge *charge)
{
    shared_budget *b = context;
    b->last = *charge;
    b->charges++;
    if (!charge->owed) return b->result;
    b->owed += charge->packets;
    return SB_BUDGET_GRANTED;
}

static rig shared_rig(shared_budget *budget)
{
    rig r = { 0 };
    *budget = (shared_budget){ .result = SB_BUDGET_GRANTED };
    sb_responder_defaults(&r.config);
    r.config.source_burst = 1; /* means nothing: the budget is shared */
    r.config.charge = charge_shared;
    r.config.charge_context = budget;
    open_rig(&r);
    return r;
}

TEST(a_shared_budget_is_asked_instead_of_the_own_one)
{
    shared_budget b;
    rig           r = shared_rig(&b);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 40);
    CHECK_EQ(b.charges, 40);
    CHECK_EQ(b.last.address, stranger.address);
    CHECK_EQ(b.last.now, r.now);
    CHECK_EQ(b.last.packets, 1);
    CHECK(!b.last.is_master && !b.last.owed);
    CHECK_EQ(ask_many(&r, neighbour, "\\packets\\", 1), 1);
    CHECK_EQ(b.last.packets, 4);
    sb_responder_set_rates(r.responder, &r.config); /* no effect */
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 40), 40);
    close_rig(&r);
}

TEST(a_shared_budget_refuses_with_its_reason)
{
    static const struct {
        sb_budget_result     result;
        sb_responder_counter counter;
    } reasons[] = { { SB_BUDGET_OVER_SOURCE, SB_QUERY_OVER_SOURCE },
                    { SB_BUDGET_OVER_NETWORK, SB_QUERY_OVER_NETWORK },
                    { SB_BUDGET_OVER_TOTAL, SB_QUERY_OVER_TOTAL } };
    shared_budget b;
    rig           r = shared_rig(&b);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        b.result = reasons[i].result;
        CHECK_EQ(ask(&r, stranger, "\\status\\"), SB_FULL);
        CHECK_EQ(counted(&r, reasons[i].counter), 1);
        CHECK(!next_packet(&r));
    }
    close_rig(&r);
}

TEST(a_shared_budget_is_told_about_masters_and_owed_packets)
{
    shared_budget b;
    rig           r = shared_rig(&b);
    uint8_t       letters[300];
    make_longest(&r, letters); /* three packets each */
    sb_responder_set_master(r.responder, 0, master, r.now);
    drain(&r);
    CHECK_EQ(ask_many(&r, master, "\\status\\", 1), 1);
    CHECK(b.last.is_master);
    CHECK(b.last.owed);
    CHECK_EQ(b.charges, 2);
    CHECK_EQ(b.owed, 2);
    CHECK_EQ(ask_many(&r, master, "\\players\\", 1), 1); /* two packets */
    CHECK_EQ(b.charges, 4);
    CHECK_EQ(b.owed, 3);
    close_rig(&r);
}

TEST(a_shared_budget_saves_the_memory_of_the_own_one)
{
    shared_budget       b;
    rig                 r = shared_rig(&b);
    sb_responder_config own;
    sb_responder_defaults(&own);
    CHECK_EQ(sb_responder_bytes(&own) - sb_responder_bytes(&r.config), sizeof(sb_query_budgets));
    close_rig(&r);
}

/* Sums of times cannot overflow: a quarter of their range is the most. */
TEST(times_beyond_a_quarter_of_the_range_are_clamped)
{
    static const struct {
        sb_time now, charged;
    } rows[] = { { INT64_MAX, INT64_MAX / 4 },
                 { INT64_MAX / 4 - 1, INT64_MAX / 4 - 1 },
                 { INT64_MIN, -(INT64_MAX / 4) },
                 { 1 - INT64_MAX / 4, 1 - INT64_MAX / 4 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shared_budget b;
        rig           r = shared_rig(&b);
        r.now = rows[i].now;
        CHECK_EQ(ask_many(&r, stranger, "\\status\\", 1), 1);
        CHECK_EQ(b.last.now, rows[i].charged);
        close_rig(&r);
    }
}

TEST(a_successor_uses_the_same_shared_budget)
{
    shared_budget b;
    rig           r = shared_rig(&b), next = shared_rig(&b);
    CHECK_EQ(ask_many(&r, stranger, "\\status\\", 3), 3);
    sb_responder_succeed(next.responder, r.responder);
    CHECK_EQ(counted(&next, SB_QUERY_ANSWERS), 3);
    CHECK_EQ(ask_many(&next, stranger, "\\status\\", 3), 3);
    CHECK_EQ(b.charges, 6);
    close_rig(&r);
    close_rig(&next);
}

/* ---- more masters than buckets ---- */

static sb_budget_result charge_master(sb_query_budgets *b, uint32_t address, sb_time now,
                                      uint32_t packets)
{
    sb_query_charge  c = { .now = now, .address = address, .packets = packets, .is_master = true };
    sb_budget_result result = sb_query_budgets_charge(b, &c);
    sb_query_budgets_check(b);
    return result;
}

TEST(the_master_that_asked_longest_ago_loses_its_bucket)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    sb_responder_defaults(&config);
    sb_query_budgets_init(&b, &config, 0);
    for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++)
        CHECK_EQ(charge_master(&b, 100 + i, 1 + i, 50), SB_BUDGET_GRANTED);
    for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++)
        CHECK_EQ(charge_master(&b, 100 + i, 70 + i, 50), SB_BUDGET_OVER_SOURCE);
    CHECK_EQ(charge_master(&b, 99, 200, 50), SB_BUDGET_GRANTED);
    CHECK_EQ(charge_master(&b, 101, 201, 50), SB_BUDGET_OVER_SOURCE);
    CHECK_EQ(charge_master(&b, 100, 202, 50), SB_BUDGET_GRANTED); /* a new bucket */
}

TEST(of_masters_that_asked_at_once_the_first_loses_its_bucket)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    sb_responder_defaults(&config);
    sb_query_budgets_init(&b, &config, 0);
    for (uint32_t i = 0; i <= SB_MASTER_BUCKETS; i++)
        CHECK_EQ(charge_master(&b, 100 + i, 1, 50), SB_BUDGET_GRANTED);
    for (uint32_t i = 1; i <= SB_MASTER_BUCKETS; i++)
        CHECK_EQ(charge_master(&b, 100 + i, 1, 50), SB_BUDGET_OVER_SOURCE);
}

TEST(any_master_can_be_the_one_that_asked_longest_ago)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    sb_responder_defaults(&config);
    for (uint32_t oldest = 0; oldest < SB_MASTER_BUCKETS; oldest++) {
        sb_query_budgets_init(&b, &config, 0);
        for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++)
            CHECK_EQ(charge_master(&b, 100 + i, 1, 50), SB_BUDGET_GRANTED);
        for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++)
            if (i != oldest) CHECK_EQ(charge_master(&b, 100 + i, 2, 50), SB_BUDGET_OVER_SOURCE);
        CHECK_EQ(charge_master(&b, 99, 3, 50), SB_BUDGET_GRANTED);
        for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++)
            if (i != oldest) CHECK_EQ(charge_master(&b, 100 + i, 4, 50), SB_BUDGET_OVER_SOURCE);
        CHECK_EQ(charge_master(&b, 100 + oldest, 5, 50), SB_BUDGET_GRANTED); /* a new bucket */
    }
}

/* ---- more addresses than buckets of a set ---- */

static sb_budget_result charge(sb_query_budgets *b, uint32_t address, sb_time now)
{
    sb_query_charge  c = { .now = now, .address = address, .packets = 1 };
    sb_budget_result result = sb_query_budgets_charge(b, &c);
    sb_query_budgets_check(b);
    return result;
}

static void open_budgets(sb_query_budgets *b, sb_responder_config *config)
{
    sb_responder_defaults(config);
    config->source_per_s = config->network_per_s = 0; /* a bucket is used up for good */
    config->source_burst = 1;
    config->network_burst = config->total_per_s = 1000000;
    config->seed = 7;
    memset(b, 0xA5, sizeof *b); /* the memory may hold anything */
    sb_query_budgets_init(b, config, 0);
}

static size_t set_of(const sb_bucket_table *t, uint32_t key)
{
    for (size_t set = 0; set < SB_BUCKET_SETS; set++)
        for (size_t way = 0; way < SB_BUCKET_WAYS; way++)
            if (t->sets[set][way].used && t->sets[set][way].key == key) return set;
    FAIL("no bucket");
}

TEST(the_address_that_asked_longest_ago_loses_its_bucket)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    uint32_t                same[SB_BUCKET_WAYS + 1]; /* addresses of one set */
    size_t                  count = 0, first = 0;
    for (uint32_t address = 0x01000000; count <= SB_BUCKET_WAYS; address += 0x100) {
        open_budgets(&b, &config);
        CHECK_EQ(charge(&b, address, 1), SB_BUDGET_GRANTED);
        size_t set = set_of(&b.sources, address);
        if (count == 0) first = set;
        if (set == first) same[count++] = address;
    }
    open_budgets(&b, &config); /* of those that asked at the same time, the first one */
    for (size_t i = 0; i <= SB_BUCKET_WAYS; i++)
        CHECK_EQ(charge(&b, same[i], 10), SB_BUDGET_GRANTED);
    for (size_t i = 1; i <= SB_BUCKET_WAYS; i++)
        CHECK_EQ(charge(&b, same[i], 10), SB_BUDGET_OVER_SOURCE);
    for (size_t oldest = 0; oldest < SB_BUCKET_WAYS; oldest++) {
        open_budgets(&b, &config);
        for (size_t i = 0; i < SB_BUCKET_WAYS; i++)
            CHECK_EQ(charge(&b, same[i], 10), SB_BUDGET_GRANTED);
        for (size_t i = 0; i < SB_BUCKET_WAYS; i++)
            if (i != oldest) CHECK_EQ(charge(&b, same[i], 20), SB_BUDGET_OVER_SOURCE);
        CHECK_EQ(charge(&b, same[SB_BUCKET_WAYS], 30), SB_BUDGET_GRANTED);
        for (size_t i = 0; i <= SB_BUCKET_WAYS; i++)
            if (i != oldest) CHECK_EQ(charge(&b, same[i], 40), SB_BUDGET_OVER_SOURCE);
        CHECK_EQ(charge(&b, same[oldest], 50), SB_BUDGET_GRANTED); /* a new bucket */
    }
}

/* Neighbours and a seed of another process fall into other sets: nobody can choose a collision. */
TEST(sets_are_spread_by_address_and_seed)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    bool                    used[SB_BUCKET_SETS] = { false };
    unsigned                sets = 0, moved = 0;
    for (uint32_t i = 0; i < 2 * SB_BUCKET_SETS; i++) {
        open_budgets(&b, &config);
        (void)charge(&b, 0x05000000 + i, 1);
        size_t set = set_of(&b.sources, 0x05000000 + i);
        sets += !used[set];
        used[set] = true;
        config.seed = 8;
        sb_query_budgets_init(&b, &config, 0);
        (void)charge(&b, 0x05000000 + i, 1);
        moved += set_of(&b.sources, 0x05000000 + i) != set;
    }
    CHECK(sets > SB_BUCKET_SETS * 3 / 4 && sets < SB_BUCKET_SETS);
    CHECK(moved > SB_BUCKET_SETS);
}

/* Tokens that buckets have saved up count only up to the new bursts. */
TEST(new_bursts_hold_for_every_bucket)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    open_budgets(&b, &config);
    config.source_burst = 100;
    sb_query_budgets_set_rates(&b, &config);
    for (uint32_t i = 0; i < 20000; i++) {
        sb_query_charge c = { .now = 1, .address = i * 0x100, .packets = 1 };
        CHECK_EQ(sb_query_budgets_charge(&b, &c), SB_BUDGET_GRANTED);
    }
    for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++)
        CHECK_EQ(charge_master(&b, 100 + i, 1, 1), SB_BUDGET_GRANTED);
    for (size_t set = 0; set < SB_BUCKET_SETS; set++)
        for (size_t way = 0; way < SB_BUCKET_WAYS; way++)
            CHECK(b.sources.sets[set][way].used && b.networks.sets[set][way].used);
    config.source_burst = config.network_burst = config.total_per_s = config.master_burst = 2;
    sb_query_budgets_set_rates(&b, &config);
    sb_query_budgets_check(&b);
    for (size_t set = 0; set < SB_BUCKET_SETS; set++)
        for (size_t way = 0; way < SB_BUCKET_WAYS; way++) {
            CHECK_EQ(b.sources.sets[set][way].left, 2 * SB_SECOND);
            CHECK_EQ(b.networks.sets[set][way].left, 2 * SB_SECOND);
        }
    CHECK_EQ(b.total.left, 2 * SB_SECOND);
    for (uint32_t i = 0; i < SB_MASTER_BUCKETS; i++) CHECK_EQ(b.masters[i].left, 2 * SB_SECOND);
}

/* Each row owes three packets; then neighbours of the /24 or strangers ask for what is left. */
TEST(owed_packets_count_for_the_network_and_in_all)
{
    static const struct {
        uint32_t         network_burst, total_per_s, next;
        sb_budget_result refusal;
    } rows[] = { { 5, 1000, 0x080808FE, SB_BUDGET_OVER_NETWORK },
                 { 1000, 5, 0x09000000, SB_BUDGET_OVER_TOTAL } };
    static sb_query_budgets b;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_responder_config config;
        sb_query_charge     owed = { .now = 1, .address = 0x08080808, .packets = 3, .owed = true };
        open_budgets(&b, &config);
        config.network_burst = rows[i].network_burst;
        config.total_per_s = rows[i].total_per_s;
        sb_query_budgets_init(&b, &config, 1);
        CHECK_EQ(charge(&b, owed.address, 1), SB_BUDGET_GRANTED);
        CHECK_EQ(sb_query_budgets_charge(&b, &owed), SB_BUDGET_GRANTED);
        CHECK_EQ(charge(&b, rows[i].next, 1), SB_BUDGET_GRANTED);
        CHECK_EQ(charge(&b, rows[i].next + 1, 1), rows[i].refusal);
    }
}

/* Its buckets were replaced since it asked: only the total is charged. */
TEST(an_address_without_buckets_may_owe)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    sb_query_charge         owed = { .now = 1, .address = 9, .packets = 3, .owed = true };
    open_budgets(&b, &config);
    int64_t before = b.total.left;
    CHECK_EQ(sb_query_budgets_charge(&b, &owed), SB_BUDGET_GRANTED);
    CHECK_EQ(before - b.total.left, 3 * SB_SECOND);
    CHECK_EQ(charge(&b, 9, 1), SB_BUDGET_GRANTED); /* a new bucket */
}

TEST(owed_packets_are_always_granted_and_paid_later)
{
    static sb_query_budgets b;
    sb_responder_config     config;
    sb_query_charge         owed = { .now = 1, .address = 9, .packets = 3, .owed = true };
    open_budgets(&b, &config);
    config.source_burst = 5;
    sb_query_budgets_set_rates(&b, &config);
    CHECK_EQ(charge(&b, 9, 1), SB_BUDGET_GRANTED);
    CHECK_EQ(sb_query_budgets_charge(&b, &owed), SB_BUDGET_GRANTED);
    CHECK_EQ(charge(&b, 9, 1), SB_BUDGET_GRANTED);
    CHECK_EQ(charge(&b, 9, 1), SB_BUDGET_OVER_SOURCE);
    CHECK_EQ(sb_query_budgets_charge(&b, &owed), SB_BUDGET_GRANTED);
}
