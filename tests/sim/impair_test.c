/* tests/sim/impair_test.c -- the bad network keeps its promises about one datagram. */
#include "sim/impair.h"

#include "test.h"

#include <string.h>

enum { DRAWS = 20000, SIZE = 100 };

/* How many of DRAWS datagrams arrive in `copies` copies. */
static int count_arrivals(const sim_conditions *conditions, uint64_t seed, int wanted)
{
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    int            found = 0;
    sim_impairment_init(&impairment, seed);
    for (int i = 0; i < DRAWS; i++)
        if (sim_impair(&impairment, conditions, SIZE, copies) == wanted) found++;
    return found;
}

TEST(impairment_does_nothing_unless_told)
{
    sim_conditions none = { 0 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    sim_impairment_init(&impairment, 1);
    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(sim_impair(&impairment, &none, SIZE, copies), 1);
        CHECK_EQ(copies[0].delay_us, 0);
        CHECK_EQ(copies[0].size, SIZE);
        CHECK_EQ(copies[0].flip_count, 0);
    }
}

TEST(impairment_of_one_seed_repeats_and_of_another_differs)
{
    sim_conditions bad = { .jitter_us = 1000000, .loss = 300000, .duplicate = 300000 };
    sim_impairment a, b, other;
    int            different = 0;
    sim_impairment_init(&a, 7);
    sim_impairment_init(&b, 7);
    sim_impairment_init(&other, 8);
    for (int i = 0; i < 1000; i++) {
        sim_copy x[SIM_COPIES_MAX], y[SIM_COPIES_MAX], z[SIM_COPIES_MAX];
        int      count = sim_impair(&a, &bad, SIZE, x);
        CHECK_EQ(sim_impair(&b, &bad, SIZE, y), count);
        for (int c = 0; c < count; c++) CHECK_EQ(x[c].delay_us, y[c].delay_us);
        int from_other = sim_impair(&other, &bad, SIZE, z);
        different += from_other != count || z[0].delay_us != x[0].delay_us;
    }
    CHECK(different > 900);
}

TEST(impairment_draws_equally_many_numbers_in_all_conditions)
{
    sim_conditions all = { .delay_us = 5,
                           .jitter_us = 1000,
                           .loss = 500000,
                           .burst_begin = 500000,
                           .burst_end = 500000,
                           .burst_loss = 500000,
                           .duplicate = 500000,
                           .reorder = 500000,
                           .reorder_us = 1000,
                           .corrupt = 500000,
                           .truncate = 500000 };
    sim_conditions none = { 0 };
    sim_impairment a, b;
    sim_copy       copies[SIM_COPIES_MAX];
    sim_impairment_init(&a, 3);
    sim_impairment_init(&b, 3);
    for (size_t i = 0; i < 1000; i++) {
        (void)sim_impair(&a, &all, i % 500, copies);
        (void)sim_impair(&b, &none, SIZE, copies);
        CHECK(a.random.state == b.random.state);
    }
}

TEST(impairment_loses_as_many_as_it_should)
{
    for (uint32_t percent = 0; percent <= 100; percent += 10) {
        sim_conditions lossy = { .loss = percent * 10000 };
        int            lost = count_arrivals(&lossy, 11 + percent, 0);
        int            expected = DRAWS / 100 * (int)percent;
        CHECK(lost > expected - DRAWS / 50 && lost < expected + DRAWS / 50);
        if (percent == 0) CHECK_EQ(lost, 0);
        if (percent == 100) CHECK_EQ(lost, DRAWS);
    }
}

TEST(impairment_duplicates_as_many_as_it_should)
{
    sim_conditions twice = { .duplicate = 250000 };
    int            doubled = count_arrivals(&twice, 5, 2);
    CHECK(doubled > DRAWS / 4 - DRAWS / 50 && doubled < DRAWS / 4 + DRAWS / 50);
    CHECK_EQ(count_arrivals(&twice, 5, 1), DRAWS - doubled);
}

TEST(impairment_lets_nothing_through_a_partition)
{
    sim_conditions down = { .down = true, .duplicate = 1000000 };
    CHECK_EQ(count_arrivals(&down, 5, 0), DRAWS);
}

TEST(impairment_loses_runs_of_datagrams_in_a_burst)
{
    /* A fifth of the time in bursts of 20 on average; a single loss would have a run of about 1. */
    sim_conditions bursts = { .burst_begin = 12500, .burst_end = 50000, .burst_loss = 1000000 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    int            lost = 0, runs = 0;
    bool           before = false;
    sim_impairment_init(&impairment, 9);
    for (int i = 0; i < DRAWS; i++) {
        bool now = sim_impair(&impairment, &bursts, SIZE, copies) == 0;
        lost += now;
        runs += now && !before;
        before = now;
    }
    CHECK(lost > DRAWS / 10 && lost < DRAWS * 3 / 10);
    CHECK(lost / runs >= 14 && lost / runs <= 28);
}

TEST(impairment_delays_within_what_was_said)
{
    sim_conditions late = { .delay_us = 100, .jitter_us = 50, .reorder = 500000, .reorder_us = 30 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    sb_time        least = 1000, most = 0;
    sim_impairment_init(&impairment, 2);
    for (int i = 0; i < DRAWS; i++) {
        CHECK_EQ(sim_impair(&impairment, &late, SIZE, copies), 1);
        if (copies[0].delay_us < least) least = copies[0].delay_us;
        if (copies[0].delay_us > most) most = copies[0].delay_us;
    }
    CHECK_EQ(least, 100);
    CHECK_EQ(most, 180);
}

TEST(impairment_gives_each_copy_its_own_delay)
{
    sim_conditions twice = { .jitter_us = 1000000, .duplicate = 1000000 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    int            equal = 0;
    sim_impairment_init(&impairment, 2);
    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(sim_impair(&impairment, &twice, SIZE, copies), 2);
        equal += copies[0].delay_us == copies[1].delay_us;
    }
    CHECK(equal < 10);
}

TEST(impairment_flips_one_to_four_bits_inside_the_datagram)
{
    sim_conditions corrupt = { .corrupt = 1000000 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    bool           seen[5] = { false }, positions[3 * 8] = { false };
    sim_impairment_init(&impairment, 4);
    for (int i = 0; i < 2000; i++) {
        uint8_t bytes[3] = { 0 };
        CHECK_EQ(sim_impair(&impairment, &corrupt, sizeof bytes, copies), 1);
        CHECK(copies[0].flip_count >= 1 && copies[0].flip_count <= 4);
        CHECK_EQ(copies[0].size, sizeof bytes);
        sim_damage(&copies[0], bytes);
        int set = 0;
        for (int b = 0; b < 24; b++) set += bytes[b / 8] >> b % 8 & 1;
        CHECK_EQ(set, copies[0].flip_count); /* no bit flipped twice */
        for (uint32_t f = 0; f < copies[0].flip_count; f++) {
            CHECK(copies[0].flips[f] < 24);
            positions[copies[0].flips[f]] = true;
        }
        seen[copies[0].flip_count] = true;
    }
    for (int i = 1; i <= 4; i++) CHECK(seen[i]);
    for (int i = 0; i < 24; i++) CHECK(positions[i]);
}

TEST(impairment_cuts_to_every_length_below_the_datagrams_own)
{
    sim_conditions cut = { .truncate = 1000000, .corrupt = 1000000 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    bool           seen[10] = { false };
    sim_impairment_init(&impairment, 4);
    for (int i = 0; i < 2000; i++) {
        CHECK_EQ(sim_impair(&impairment, &cut, 10, copies), 1);
        CHECK(copies[0].size < 10);
        seen[copies[0].size] = true;
        for (uint32_t f = 0; f < copies[0].flip_count; f++)
            CHECK(copies[0].flips[f] < copies[0].size * 8);
    }
    for (int i = 0; i < 10; i++) CHECK(seen[i]);
}

TEST(impairment_survives_an_empty_datagram)
{
    sim_conditions all = { .truncate = 1000000, .corrupt = 1000000, .duplicate = 1000000 };
    sim_impairment impairment;
    sim_copy       copies[SIM_COPIES_MAX];
    sim_impairment_init(&impairment, 4);
    CHECK_EQ(sim_impair(&impairment, &all, 0, copies), 2);
    CHECK_EQ(copies[0].size, 0);
    CHECK_EQ(copies[0].flip_count, 0);
    sim_damage(&copies[0], NULL);
}

TEST(damage_leaves_the_other_bits_alone)
{
    sim_copy copy = { .size = 4, .flip_count = 2, .flips = { 0, 31 } };
    uint8_t  bytes[5] = { 0x10, 0x20, 0x30, 0x40, 0x50 };
    sim_damage(&copy, bytes);
    CHECK_BYTES(bytes, 5, "\x11\x20\x30\xC0\x50", 5);
}
