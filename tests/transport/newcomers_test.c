/* tests/transport/newcomers_test.c -- who was told which id, and how many strangers are heard.
 *
 * For:      src/transport/newcomers.c.
 * Spec:     01 §5.3, §10.6.
 */
#include "rig.h"
#include "transport/newcomers.h"

#include <stdlib.h>
#include <string.h>

static sb_newcomers *open_table(void)
{
    static void *memory;
    free(memory);
    memory = malloc(sb_newcomers_bytes());
    CHECK(memory != NULL);
    memset(memory, 0xA5, sb_newcomers_bytes()); /* init must not rely on zeros */
    return sb_newcomers_init(memory, 0x1234567);
}

static sb_newcomer_key key_of(const sb_newcomers *n, uint32_t number)
{
    return sb_newcomers_key(n, 1, (sb_endpoint){ number * 0x01000193u, (uint16_t)number });
}

/* ---- The table ---- */

TEST(a_process_has_8192_entries_or_more_in_256_kib)
{
    CHECK(sb_newcomers_bytes() <= 256 * 1024);
    CHECK(SB_NEWCOMER_SETS_SHARED * SB_NEWCOMER_WAYS >= 8192);
    CHECK(SB_NEWCOMER_SETS_OWN * SB_NEWCOMER_WAYS >= 8192);
    sb_transport_host_config own, lent;
    rig_host_config(&own);
    lent = own;
    lent.newcomers = open_table();
    size_t table = sb_transport_host_bytes(&own) - sb_transport_host_bytes(&lent);
    CHECK(table >= 64 * 1024 && table <= 128 * 1024);
    CHECK_EQ(sb_newcomers_bytes(), sizeof(sb_newcomers) + 16384 * sizeof(uint64_t));
}

TEST(an_entry_holds_the_id_of_one_address_at_one_host)
{
    sb_newcomers   *n = open_table();
    sb_endpoint     from = { 0x0A000001, 4000 }, port = { 0x0A000001, 4001 };
    sb_newcomer_key key = sb_newcomers_key(n, 1, from);
    CHECK_EQ(sb_newcomers_find(n, RIG_START, key), SB_ID_NONE);
    CHECK(!sb_newcomers_put(n, RIG_START, key, 127));
    CHECK_EQ(sb_newcomers_find(n, RIG_START, key), 127);
    CHECK_EQ(sb_newcomers_find(n, RIG_START, sb_newcomers_key(n, 2, from)), SB_ID_NONE);
    CHECK_EQ(sb_newcomers_find(n, RIG_START, sb_newcomers_key(n, 1, port)), SB_ID_NONE);
    CHECK(!sb_newcomers_put(n, RIG_START, key, 5)); /* its own entry is not another's */
    CHECK_EQ(sb_newcomers_find(n, RIG_START, key), 5);
    sb_newcomers_remove(n, key);
    CHECK_EQ(sb_newcomers_find(n, RIG_START, key), SB_ID_NONE);
}

TEST(an_entry_lives_for_ten_seconds_and_does_not_come_back)
{
    sb_newcomers   *n = open_table();
    sb_newcomer_key key = key_of(n, 1);
    for (int round = 0; round < 3; round++) {
        sb_time start = round * 1000 * 3600 * SB_SECOND;
        CHECK(!sb_newcomers_put(n, start, key, 9));
        CHECK_EQ(sb_newcomers_find(n, start + 10 * SB_SECOND, key), 9);
        for (sb_time late = 10020 * RIG_MILLISECOND; late < 60 * 3600 * SB_SECOND; late *= 2)
            CHECK_EQ(sb_newcomers_find(n, start + late, key), SB_ID_NONE);
    }
}

/* Another thread's clock may be a moment behind. */
TEST(an_entry_from_the_near_future_is_new)
{
    sb_newcomers   *n = open_table();
    sb_newcomer_key key = key_of(n, 1);
    CHECK(!sb_newcomers_put(n, RIG_START, key, 9));
    CHECK_EQ(sb_newcomers_find(n, RIG_START - SB_SECOND / 2, key), 9);
}

/* Puts `rate` newcomers a second; returns how many of 1000 find their entry `later`. */
static unsigned count_found(unsigned rate, sb_time later)
{
    sb_newcomers *n = open_table();
    unsigned      found = 0, behind = (unsigned)(later * rate / SB_SECOND);
    for (uint32_t i = 0; i < 4 * rate; i++) {
        sb_time now = RIG_START + (sb_time)i * SB_SECOND / rate;
        (void)sb_newcomers_put(n, now, key_of(n, i), (uint8_t)(2 + i % 100));
        if (i >= 3 * rate && i < 3 * rate + 1000)
            found += sb_newcomers_find(n, now, key_of(n, i - behind)) == 2 + (i - behind) % 100;
    }
    return found;
}

TEST(newcomers_find_their_entry_after_a_round_trip_in_a_flood)
{
    CHECK_EQ(count_found(1000, SB_SECOND), 1000);
    CHECK_EQ(count_found(10000, 300 * RIG_MILLISECOND), 1000);
    CHECK(count_found(20000, 300 * RIG_MILLISECOND) >= 990);
}

TEST(when_all_entries_are_young_chance_decides_who_goes)
{
    unsigned found = count_found(200000, 150 * RIG_MILLISECOND); /* twice as many as entries */
    CHECK(found > 50 && found < 500);
}

/* A key of this set. The bits above 35 tell its entries apart; those from 24 on are chance. */
static sb_newcomer_key key_in(uint32_t set, uint64_t tag, uint64_t chance)
{
    return (sb_newcomer_key){ tag << 41 | chance << 24 | set };
}

static const sb_time tick = 1 << 13;

TEST(a_new_table_is_empty_to_its_last_entry)
{
    sb_newcomers *n = open_table();
    for (uint32_t set = 0; set < SB_NEWCOMER_SETS_SHARED; set++)
        for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++)
            CHECK(!sb_newcomers_put(n, 0, key_in(set, i, 0), 9));
    for (uint32_t set = 0; set < SB_NEWCOMER_SETS_SHARED; set++) {
        for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++)
            CHECK_EQ(sb_newcomers_find(n, 0, key_in(set, i, 0)), 9);
        CHECK(sb_newcomers_put(n, 0, key_in(set, 99, 0), 9)); /* now it is full */
    }
    n = open_table();
    for (unsigned i = 0; i < SB_NEWCOMER_SETS_SHARED * SB_NEWCOMER_WAYS; i++)
        CHECK_EQ(n->entries[i], 0);
    for (unsigned i = 0; i < 2 * SB_NETWORK_SLOTS; i++)
        CHECK_EQ(n->read_of[i / SB_NETWORK_SLOTS][i % SB_NETWORK_SLOTS], 0);
    CHECK_EQ(n->read, 0);
}

/* Nobody can choose addresses that share a set without the seed. */
TEST(keys_depend_on_the_seed_of_the_table)
{
    sb_endpoint     from = { 0x0A000001, 4000 };
    sb_newcomer_key key = sb_newcomers_key(open_table(), 1, from);
    sb_newcomers   *other = open_table();
    sb_newcomers_init_sets(other, SB_NEWCOMER_SETS_SHARED, 99);
    CHECK(sb_newcomers_key(other, 1, from).hash != key.hash);
    sb_newcomers_init_sets(other, SB_NEWCOMER_SETS_SHARED, 0x1234567);
    CHECK(sb_newcomers_key(other, 1, from).hash == key.hash);
}

/* Times have 8 ms: the last tick in which an entry is found, or another gets its place. */
TEST(an_entry_lives_for_1221_ticks)
{
    sb_newcomers *n = open_table();
    for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++)
        CHECK(!sb_newcomers_put(n, tick, key_in(7, i, 0), 9));
    CHECK_EQ(sb_newcomers_find(n, 1222 * tick, key_in(7, 1, 0)), 9);
    CHECK_EQ(sb_newcomers_find(n, 1223 * tick, key_in(7, 1, 0)), SB_ID_NONE);
    CHECK(sb_newcomers_put(n, 1222 * tick, key_in(7, 20, 0), 9));
    CHECK(!sb_newcomers_put(n, 1223 * tick, key_in(7, 21, 0), 9)); /* nobody misses it */
    CHECK_EQ(sb_newcomers_find(n, 1222 * tick, key_in(7, 5, 0)), 9);
}

TEST(an_entry_is_new_for_a_clock_that_is_128_ticks_behind)
{
    sb_newcomers   *n = open_table();
    sb_newcomer_key key = key_in(7, 1, 0);
    CHECK(!sb_newcomers_put(n, 1000 * tick, key, 9));
    CHECK_EQ(sb_newcomers_find(n, 872 * tick, key), 9);
    CHECK_EQ(sb_newcomers_find(n, 871 * tick, key), SB_ID_NONE);
}

TEST(the_oldest_entry_goes_if_it_has_had_its_round_trip)
{
    for (sb_time now = 135; now <= 137; now++) {
        bool          young = now == 135;
        sb_newcomers *n = open_table();
        for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++) /* 5 is the oldest */
            CHECK(!sb_newcomers_put(n, (i == 5 ? 100 : 101) * tick, key_in(7, i, 0), 9));
        CHECK(sb_newcomers_put(n, now * tick, key_in(7, 99, 2), 9));
        CHECK_EQ(sb_newcomers_find(n, now * tick, key_in(7, 5, 0)), young ? 9 : SB_ID_NONE);
        CHECK_EQ(sb_newcomers_find(n, now * tick, key_in(7, 3, 0)), young ? SB_ID_NONE : 9);
    }
}

TEST(chance_chooses_each_of_the_16_entries_of_a_set)
{
    sb_newcomers *n = open_table();
    for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++) {
        CHECK(!sb_newcomers_put(n, tick, key_in(7, i, 0), 9));
        CHECK(!sb_newcomers_put(n, tick, key_in(8, i, 0), 9));
    }
    for (uint64_t i = 0; i < SB_NEWCOMER_WAYS; i++) {
        CHECK(sb_newcomers_put(n, tick, key_in(7, 100 + i, i), 9));
        CHECK_EQ(sb_newcomers_find(n, tick, key_in(7, 100 + i, i)), 9);
        CHECK_EQ(sb_newcomers_find(n, tick, key_in(7, i + 1, 0)), SB_ID_NONE);
    }
    for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++)
        CHECK_EQ(sb_newcomers_find(n, tick, key_in(8, i, 0)), 9);
}

TEST(an_entry_is_removed_and_its_neighbours_stay)
{
    sb_newcomers *n = open_table();
    for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++) {
        CHECK(!sb_newcomers_put(n, tick, key_in(7, i, 0), 9));
        CHECK(!sb_newcomers_put(n, tick, key_in(8, i, 0), 9));
    }
    for (uint64_t i = 1; i <= SB_NEWCOMER_WAYS; i++) {
        sb_newcomers_remove(n, key_in(7, i, 0));
        for (uint64_t k = 1; k <= SB_NEWCOMER_WAYS; k++)
            CHECK_EQ(sb_newcomers_find(n, tick, key_in(7, k, 0)), k <= i ? SB_ID_NONE : 9);
        CHECK_EQ(sb_newcomers_find(n, tick, key_in(8, i, 0)), 9);
    }
}

TEST(an_entry_keeps_six_bits_of_proof_until_it_is_put_again)
{
    sb_newcomers   *n = open_table();
    sb_newcomer_key key = key_of(n, 1);
    sb_newcomers_set_proof(n, RIG_START, key, 63); /* there is no entry */
    CHECK_EQ(sb_newcomers_proof(n, RIG_START, key), 0);
    CHECK(!sb_newcomers_put(n, RIG_START, key, 127));
    for (uint8_t bits = 0; bits < 64; bits++) {
        sb_newcomers_set_proof(n, RIG_START + 1, key, bits);
        CHECK_EQ(sb_newcomers_proof(n, RIG_START + 1, key), bits);
        CHECK_EQ(sb_newcomers_find(n, RIG_START + 1, key), 127);
    }
    CHECK(sb_newcomers_spend_question(n, RIG_START + 1, key));
    CHECK_EQ(sb_newcomers_proof(n, RIG_START + 1, key), 63);
    CHECK_EQ(sb_newcomers_proof(n, RIG_START + 11 * SB_SECOND, key), 0); /* it keeps its age */
    CHECK(!sb_newcomers_put(n, RIG_START + 1, key, 9));
    CHECK_EQ(sb_newcomers_proof(n, RIG_START + 1, key), 0);
    for (sb_time now = RIG_START; now < RIG_START + 100000; now += 5000) { /* at any age */
        (void)sb_newcomers_put(n, now, key, 9);
        CHECK_EQ(sb_newcomers_proof(n, now, key), 0);
        sb_newcomers_set_proof(n, now, key, 5);
        CHECK_EQ(sb_newcomers_proof(n, now, key), 5);
        CHECK_EQ(sb_newcomers_find(n, now + 9 * SB_SECOND, key), 9);
    }
}

TEST(an_entry_allows_two_long_questions)
{
    sb_newcomers   *n = open_table();
    sb_newcomer_key key = key_of(n, 1), other = key_of(n, 2);
    CHECK(!sb_newcomers_spend_question(n, RIG_START, key)); /* it has sent no Connect */
    for (int connect = 0; connect < 2; connect++) {
        CHECK(!sb_newcomers_put(n, RIG_START, key, 127));
        CHECK(!sb_newcomers_put(n, RIG_START, other, 2));
        for (unsigned i = 0; i < 5; i++) {
            CHECK_EQ(sb_newcomers_spend_question(n, RIG_START, key), i < 2);
            CHECK_EQ(sb_newcomers_find(n, RIG_START, key), 127);
        }
        CHECK(sb_newcomers_spend_question(n, RIG_START, other));
    }
    CHECK_EQ(sb_newcomers_find(n, RIG_START + 10 * SB_SECOND, key), 127); /* as old as before */
    CHECK(!sb_newcomers_put(n, RIG_START, key, 127));
    CHECK(sb_newcomers_spend_question(n, RIG_START + 10 * SB_SECOND, key));
    CHECK(!sb_newcomers_spend_question(n, RIG_START + 11 * SB_SECOND, key));
    CHECK_EQ(sb_newcomers_find(n, RIG_START + 11 * SB_SECOND, key), SB_ID_NONE);
}

/* ---- Limits ---- */

static unsigned spend_networks(sb_newcomers *n, sb_time now, uint32_t address, unsigned times)
{
    unsigned spent = 0;
    for (unsigned i = 0; i < times; i++)
        spent += sb_newcomers_spend_network(n, now, address + i % 256);
    return spent;
}

static uint32_t period_at(sb_newcomers *n, sb_time now)
{
    n->read = 0;
    CHECK(sb_newcomers_spend_total(n, now));
    return n->read >> 16;
}

/* When the counts begin anew for the first time after `from`. */
static sb_time next_period(sb_newcomers *n, sb_time from)
{
    uint32_t period = period_at(n, from);
    for (sb_time step = 1 << 20; step > 0; step /= 2) /* to the last moment of the period */
        while (period_at(n, from + step) == period) from += step;
    return from + 1;
}

TEST(of_one_24_at_most_12000_datagrams_are_read_in_a_period)
{
    sb_newcomers *n = open_table();
    sb_time       begin = next_period(n, RIG_START), end = next_period(n, begin);
    CHECK(begin < end);
    CHECK_EQ(spend_networks(n, begin, 0x0A000000, 20000), 12000);
    CHECK_EQ(spend_networks(n, begin, 0x0A000100, 20000), 12000); /* the next /24 has its own */
    CHECK_EQ(spend_networks(n, end - 1, 0x0A000000, 10), 0);
    CHECK_EQ(spend_networks(n, end, 0x0A000000, 20000), 12000);
}

/* Stock clients repeat a Connect after whole seconds: no flood may hide the same ones each time. */
TEST(a_period_begins_once_in_each_second_at_a_moment_of_chance)
{
    sb_newcomers *n = open_table();
    sb_time       at = RIG_START;
    unsigned      parts[4] = { 0 };
    for (unsigned i = 0; i < 400; i++) {
        at = next_period(n, at);
        CHECK_EQ(at / SB_SECOND, RIG_START / SB_SECOND + i);
        parts[at % SB_SECOND / (SB_SECOND / 4)]++;
    }
    for (unsigned i = 0; i < 4; i++) CHECK(parts[i] > 50 && parts[i] < 150);
    sb_newcomers *other = sb_newcomers_init(malloc(sb_newcomers_bytes()), 0x1234568);
    unsigned      same = 0;
    for (sb_time second = 0; second < 20; second++)
        same += next_period(open_table(), RIG_START + second * SB_SECOND) ==
                next_period(other, RIG_START + second * SB_SECOND);
    CHECK_EQ(same, 0); /* nobody knows it without the seed */
    free(other);
}

/* No flood makes the table forget a /24, and none fills the counts of others. */
TEST(a_flood_from_everywhere_hides_no_24_and_blocks_none)
{
    sb_newcomers *n = open_table();
    CHECK_EQ(spend_networks(n, RIG_START, 0x0A000000, 12100), 12000);
    for (uint32_t i = 0; i < 20000; i++)
        (void)sb_newcomers_spend_network(n, RIG_START, i * 0x9E3779B1u);
    CHECK_EQ(spend_networks(n, RIG_START, 0x0A000000, 100), 0);
    for (uint32_t i = 0; i < 100; i++)
        CHECK_EQ(spend_networks(n, RIG_START, 0xC0A80000 + (i << 8), 16), 16);
}

/* A /24 that shares one count with 10.0.0.x, the first or the second, but not both. */
static uint32_t find_neighbour(unsigned row)
{
    sb_newcomers *n = open_table();
    CHECK(sb_newcomers_spend_network(n, 0, 0x0A000000));
    for (uint32_t network = 0x0B000000;; network += 256) {
        unsigned twice[2] = { 0, 0 };
        CHECK(sb_newcomers_spend_network(n, 0, network));
        for (unsigned i = 0; i < 2 * SB_NETWORK_SLOTS; i++)
            twice[i / SB_NETWORK_SLOTS] +=
                n->read_of[i / SB_NETWORK_SLOTS][i % SB_NETWORK_SLOTS] == 2;
        if (twice[row] == 1 && twice[!row] == 0) return network;
        n = open_table();
        CHECK(sb_newcomers_spend_network(n, 0, 0x0A000000));
    }
}

TEST(a_24_is_over_its_limit_if_both_of_its_counts_are)
{
    for (unsigned row = 0; row < 2; row++) {
        uint32_t      neighbour = find_neighbour(row);
        sb_newcomers *n = open_table();
        CHECK_EQ(spend_networks(n, RIG_START, 0x0A000000, 13000), 12000);
        CHECK_EQ(spend_networks(n, RIG_START, neighbour, 13000), 12000);
    }
}

TEST(of_all_strangers_at_most_20000_datagrams_a_second_are_read)
{
    sb_newcomers *n = open_table();
    unsigned      spent = 0;
    for (unsigned i = 0; i < 30000; i++) spent += sb_newcomers_spend_total(n, RIG_START);
    CHECK_EQ(spent, 20000);
    CHECK(sb_newcomers_spend_total(n, RIG_START + SB_SECOND));
}

TEST(hosts_that_share_a_table_share_the_limits)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.newcomers = open_table();
    rig *a = rig_open_host(&config);
    config.seed++;
    rig *b = rig_open_host(&config);
    for (unsigned i = 0; i < 12100; i++) {
        sb_endpoint from = { 0x0B000000 + i % 256, (uint16_t)(1000 + i) };
        (void)!rig_give_hex(i % 2 ? a : b, from, RIG_CONNECT);
        rig_step(i % 2 ? a : b);
    }
    CHECK_EQ(rig_count(a, SB_TRANSPORT_COUNT_CONNECTS) + rig_count(b, SB_TRANSPORT_COUNT_CONNECTS),
             12000);
    CHECK_EQ(rig_count(a, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE), 50);
}

TEST(an_id_told_by_one_host_is_not_accepted_by_another)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.newcomers = open_table();
    rig *a = rig_open_host(&config);
    config.seed++;
    rig *b = rig_open_host(&config);
    GIVE(a, rig_endpoint(1), RIG_CONNECT);
    REFUSE(b, rig_endpoint(1), rig_hex("02 01 01 00 00 02"), SB_TRANSPORT_COUNT_UNKNOWN_SOURCE);
    GIVE(a, rig_endpoint(1), "02 01 01 00 00 02");
    EXPECT_JOINED(a, 2);
}
