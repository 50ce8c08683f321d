/* tests/sim/network_test.c -- datagrams in memory: order, links, partitions, a full queue. */
#include "sim/network.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static const sb_endpoint a = { 0x0A000001, 1000 }, b = { 0x0A000002, 2000 },
                         c = { 0x0A000003, 3000 };

static void send_number(sim_network *network, sb_time now, sb_endpoint from, sb_endpoint to,
                        uint32_t number)
{
    uint8_t bytes[4];
    memcpy(bytes, &number, sizeof bytes);
    sim_network_send(network, now, from, to, (sb_span){ bytes, sizeof bytes });
}

/* The number of the next datagram at `now`; -1: none. */
static int64_t next_number(sim_network *network, sb_time now, sb_endpoint *from, sb_endpoint *to)
{
    sb_endpoint ignored[2];
    sb_span     datagram;
    if (!sim_network_receive(network, now, from ? from : &ignored[0], to ? to : &ignored[1],
                             &datagram))
        return -1;
    uint32_t number = 0;
    CHECK_EQ(datagram.size, sizeof number);
    memcpy(&number, datagram.data, sizeof number);
    return number;
}

TEST(network_without_conditions_delivers_at_once_with_addresses)
{
    sim_network *network = sim_network_create(1, 10);
    sb_endpoint  from, to;
    CHECK(sim_network_next_time(network) == SB_TIME_NEVER);
    send_number(network, 77, a, b, 5);
    CHECK_EQ(sim_network_next_time(network), 77);
    CHECK_EQ(next_number(network, 76, NULL, NULL), -1);
    CHECK_EQ(next_number(network, 77, &from, &to), 5);
    CHECK(from.address == a.address && from.port == a.port);
    CHECK(to.address == b.address && to.port == b.port);
    CHECK_EQ(next_number(network, 1000, NULL, NULL), -1);
    CHECK(sim_network_next_time(network) == SB_TIME_NEVER);
    sim_network_destroy(network);
}

TEST(network_keeps_the_order_of_sending_for_equal_times)
{
    sim_network   *network = sim_network_create(1, 1000);
    sim_conditions slow = { .delay_us = 500 };
    sim_network_set_default(network, &slow);
    for (uint32_t i = 0; i < 1000; i++) send_number(network, 10, a, b, i);
    for (uint32_t i = 0; i < 1000; i++) CHECK_EQ(next_number(network, 510, NULL, NULL), i);
    sim_network_destroy(network);
}

TEST(network_delivers_in_order_of_time)
{
    sim_network   *network = sim_network_create(1, 1000);
    sim_conditions jitter = { .jitter_us = 100000 };
    sb_time        last = 0;
    int            inversions = 0;
    int64_t        before = -1;
    sim_network_set_default(network, &jitter);
    for (uint32_t i = 0; i < 1000; i++) send_number(network, i, a, b, i);
    for (uint32_t i = 0; i < 1000; i++) {
        sb_time time = sim_network_next_time(network);
        CHECK(time >= last);
        last = time;
        CHECK_EQ(next_number(network, time - 1, NULL, NULL), -1);
        int64_t number = next_number(network, time, NULL, NULL);
        CHECK(number >= 0);
        inversions += number < before;
        before = number;
    }
    CHECK(inversions > 300); /* jitter reorders */
    CHECK(sim_network_next_time(network) == SB_TIME_NEVER);
    sim_network_destroy(network);
}

static uint64_t hash_of_run(uint64_t seed)
{
    sim_network   *network = sim_network_create(seed, 100);
    sim_conditions bad = {
        .jitter_us = 9000, .loss = 100000, .duplicate = 100000, .corrupt = 50000
    };
    uint64_t hash = 0;
    sim_network_set_link(network, a.address, b.address, &bad);
    sim_network_set_link(network, b.address, a.address, &bad);
    for (uint32_t i = 0; i < 2000; i++) {
        sb_time     now = i * 100;
        sb_endpoint from, to;
        sb_span     datagram;
        send_number(network, now, i % 3 ? a : b, i % 3 ? b : a, i);
        while (sim_network_receive(network, now, &from, &to, &datagram))
            for (size_t k = 0; k < datagram.size; k++)
                hash = (hash ^ datagram.data[k] ^ from.port) * 0x100000001B3u;
    }
    sim_network_destroy(network);
    return hash;
}

TEST(network_repeats_a_run_from_its_seed)
{
    CHECK(hash_of_run(42) == hash_of_run(42));
    CHECK(hash_of_run(42) != hash_of_run(43));
}

TEST(network_gives_each_direction_its_own_conditions)
{
    sim_network   *network = sim_network_create(1, 10);
    sim_conditions down = { .down = true }, slow = { .delay_us = 50 };
    sim_network_set_default(network, &slow);
    sim_network_set_link(network, a.address, b.address, &down);
    send_number(network, 0, a, b, 1);
    send_number(network, 0, b, a, 2);
    send_number(network, 0, a, c, 3);
    CHECK_EQ(next_number(network, 50, NULL, NULL), 2);
    CHECK_EQ(next_number(network, 50, NULL, NULL), 3);
    CHECK_EQ(next_number(network, 1000, NULL, NULL), -1);
    sim_network_destroy(network);
}

TEST(network_keeps_a_link_when_a_port_changes)
{
    sim_network   *network = sim_network_create(1, 10);
    sim_conditions down = { .down = true };
    sb_endpoint    moved = { a.address, 4444 };
    sim_network_set_link(network, a.address, b.address, &down);
    send_number(network, 0, moved, b, 1);
    CHECK_EQ(next_number(network, 1000, NULL, NULL), -1);
    sim_network_destroy(network);
}

TEST(network_heals_when_a_partition_ends)
{
    sim_network   *network = sim_network_create(1, 10);
    sim_conditions down = { .down = true }, up = { 0 };
    sim_network_set_link(network, a.address, b.address, &down);
    send_number(network, 0, a, b, 1);
    sim_network_set_link(network, a.address, b.address, &up);
    send_number(network, 1, a, b, 2);
    CHECK_EQ(next_number(network, 1000, NULL, NULL), 2);
    CHECK_EQ(next_number(network, 1000, NULL, NULL), -1);
    sim_network_destroy(network);
}

TEST(network_loses_what_finds_the_queue_full_and_recovers)
{
    sim_network   *network = sim_network_create(1, 5);
    sim_conditions slow = { .delay_us = 10 };
    sim_network_set_default(network, &slow);
    for (uint32_t i = 0; i < 8; i++) send_number(network, 0, a, b, i);
    for (uint32_t i = 0; i < 5; i++) CHECK_EQ(next_number(network, 10, NULL, NULL), i);
    CHECK_EQ(next_number(network, 10, NULL, NULL), -1);
    CHECK_EQ(sim_network_totals_of(network)->lost, 3);
    CHECK_EQ(sim_network_totals_of(network)->overflowed, 3);
    send_number(network, 10, a, b, 9);
    CHECK_EQ(next_number(network, 20, NULL, NULL), 9);
    sim_network_destroy(network);
}

TEST(network_counts_what_it_did)
{
    sim_network   *network = sim_network_create(1, 5000);
    sim_conditions bad = { .loss = 200000, .duplicate = 200000 };
    uint64_t       arrived = 0;
    sim_network_set_default(network, &bad);
    for (uint32_t i = 0; i < 1000; i++) send_number(network, 0, a, b, i);
    while (next_number(network, 0, NULL, NULL) >= 0) arrived++;
    const sim_network_totals *totals = sim_network_totals_of(network);
    CHECK_EQ(totals->sent, 1000);
    CHECK_EQ(totals->bytes, 4000);
    CHECK_EQ(totals->delivered, arrived);
    CHECK_EQ(totals->sent - totals->lost + totals->duplicated, arrived);
    CHECK(totals->lost > 100 && totals->lost < 300);
    CHECK(totals->duplicated > 80 && totals->duplicated < 250);
    CHECK_EQ(totals->damaged, 0);
    sim_network_destroy(network);
}

TEST(network_says_which_datagrams_were_damaged)
{
    sim_network   *network = sim_network_create(1, 10);
    sim_conditions half = { .corrupt = 500000 };
    int            damaged = 0;
    sim_network_set_default(network, &half);
    for (int i = 0; i < 1000; i++) {
        uint8_t     bytes[20] = { 0 }, clean[20] = { 0 };
        sb_endpoint from, to;
        sb_span     datagram;
        sim_network_send(network, i, a, b, (sb_span){ bytes, sizeof bytes });
        CHECK(sim_network_receive(network, i, &from, &to, &datagram));
        CHECK_EQ(datagram.size, sizeof clean);
        CHECK_EQ(sim_network_was_damaged(network), memcmp(datagram.data, clean, 20) != 0);
        damaged += sim_network_was_damaged(network);
    }
    CHECK(damaged > 400 && damaged < 600);
    CHECK_EQ(sim_network_totals_of(network)->damaged, damaged);
    sim_network_destroy(network);
}

TEST(network_remembers_the_note_of_each_datagram)
{
    sim_network *network = sim_network_create(1, 10);
    send_number(network, 0, a, b, 0);
    sim_network_set_tag(network, 7);
    send_number(network, 0, a, b, 7);
    sim_network_set_tag(network, 9);
    for (uint32_t expected = 0; expected <= 7; expected += 7) {
        CHECK_EQ(next_number(network, 0, NULL, NULL), expected);
        CHECK_EQ(sim_network_tag(network), expected);
    }
    sim_network_destroy(network);
}

TEST(network_carries_empty_and_full_datagrams)
{
    sim_network   *network = sim_network_create(1, 10);
    sb_endpoint    from, to;
    sb_span        datagram;
    static uint8_t large[SIM_DATAGRAM_MAX];
    memset(large, 0x5A, sizeof large);
    sim_network_send(network, 0, a, b, (sb_span){ NULL, 0 });
    sim_network_send(network, 0, a, b, (sb_span){ large, sizeof large });
    CHECK(sim_network_receive(network, 0, &from, &to, &datagram));
    CHECK_EQ(datagram.size, 0);
    CHECK(sim_network_receive(network, 0, &from, &to, &datagram));
    CHECK_BYTES(datagram.data, datagram.size, large, sizeof large);
    sim_network_destroy(network);
}

TEST(network_lends_a_datagram_that_later_sending_leaves_alone)
{
    sim_network *network = sim_network_create(1, 1);
    sb_endpoint  from, to;
    sb_span      datagram;
    send_number(network, 0, a, b, 0x01020304);
    CHECK(sim_network_receive(network, 0, &from, &to, &datagram));
    send_number(network, 0, a, b, 0x0A0B0C0D);
    uint32_t number;
    memcpy(&number, datagram.data, sizeof number);
    CHECK_EQ(number, 0x01020304);
    sim_network_destroy(network);
}

TEST(an_injected_datagram_ignores_the_link_of_its_source)
{
    sim_network   *network = sim_network_create(1, 8);
    sim_conditions down = { .down = true };
    uint32_t       number = 5;
    sb_endpoint    from;
    sim_network_set_link(network, a.address, b.address, &down);
    send_number(network, 0, a, b, 4);
    sim_network_inject(network, 700, a, b, (sb_span){ (const uint8_t *)&number, sizeof number });
    CHECK_EQ(sim_network_next_time(network), 700);
    CHECK_EQ(next_number(network, 700, &from, NULL), 5);
    CHECK_EQ(from.address, a.address);
    sim_network_destroy(network);
}
