/* tests/replica/ship_clock_test.c -- moments and rate of the updates of one ship. Spec 03 §17.1. */
#include "replica/ship_clock.h"

#include "test.h"

enum { INTERVAL = 100000, MS = 1000 };

static sb_ship_clock started_at(sb_time now)
{
    sb_ship_clock c;
    sb_ship_clock_init(&c, INTERVAL, now);
    return c;
}

typedef struct outcome {
    unsigned turns, at_once; /* at_once: those in the moment in which an update arrived */
    sb_time  gap_max;        /* between two turns */
} outcome;

/* Runs a clock until `end` with an owner whose updates come at `arrivals`. */
static outcome follow(const sb_time *arrivals, size_t count, sb_time end)
{
    sb_ship_clock c = started_at(0);
    outcome       out = { 0 };
    size_t        next = 0;
    for (sb_time now = 0; now < end; now += MS) {
        bool arrived = next < count && arrivals[next] <= now;
        if (arrived) sb_ship_clock_note_arrival(&c, INTERVAL, now), next++;
        if (!c.follows || (!c.waiting && sb_ship_clock_fallback(&c, INTERVAL) > now)) continue;
        if (out.turns > 0 && now - c.sent_at > out.gap_max) out.gap_max = now - c.sent_at;
        sb_ship_clock_send(&c, INTERVAL, now);
        out.turns++;
        out.at_once += arrived;
    }
    return out;
}

enum { ARRIVALS = 600 };

/* `period` apart, each one `jitter` early or late in turn. */
static outcome follow_period(sb_time period, sb_time jitter)
{
    sb_time at[ARRIVALS];
    for (size_t i = 0; i < ARRIVALS; i++)
        at[i] = (sb_time)(i + 1) * period + (i % 3 == 1 ? jitter : i % 3 == 2 ? -jitter : 0);
    return follow(at, ARRIVALS, (ARRIVALS + 1) * period);
}

TEST(an_owner_at_ten_hertz_is_followed_at_once)
{
    outcome o = follow_period(INTERVAL, 0);
    CHECK_EQ(o.turns, ARRIVALS);
    CHECK_EQ(o.at_once, ARRIVALS);
}

TEST(jitter_of_forty_ms_delays_no_update)
{
    outcome o = follow_period(INTERVAL, 40 * MS);
    CHECK_EQ(o.at_once, ARRIVALS);
    CHECK_EQ(o.turns, ARRIVALS);
}

TEST(an_owner_with_a_slow_frame_rate_is_followed_at_once)
{
    outcome o = follow_period(133 * MS, 0);
    CHECK_EQ(o.at_once, ARRIVALS);
    CHECK_EQ(o.turns, ARRIVALS);
}

TEST(a_clock_that_is_a_little_fast_loses_one_update_in_many)
{
    outcome o = follow_period(99 * MS, 0);
    CHECK(o.at_once >= ARRIVALS - ARRIVALS / 90 - 1);
    CHECK(o.at_once < ARRIVALS);
}

TEST(the_rate_stays_below_ten_a_second_whatever_the_owner_sends)
{
    for (sb_time period = 1 * MS; period < INTERVAL; period += 3 * MS) {
        outcome o = follow_period(period, 0);
        sb_time end = (ARRIVALS + 1) * period;
        CHECK(o.turns <= (unsigned)(end / INTERVAL) + 2);
        CHECK(o.gap_max < 2 * INTERVAL);
    }
}

TEST(a_lost_update_is_replaced_before_the_next_one)
{
    sb_time at[] = { 100 * MS, 200 * MS, 400 * MS, 500 * MS };
    outcome o = follow(at, 4, 550 * MS);
    CHECK_EQ(o.turns, 5);
    CHECK_EQ(o.at_once, 4); /* the one after the replacement, too */
    CHECK_EQ(o.gap_max, 160 * MS);
}

TEST(a_silent_owner_is_not_followed)
{
    sb_ship_clock c = started_at(0);
    CHECK(!c.follows);
    sb_ship_clock_note_arrival(&c, INTERVAL, 10 * MS);
    CHECK(c.follows);
    CHECK(c.waiting);
    sb_ship_clock_send(&c, INTERVAL, 10 * MS);
    CHECK(c.follows);
    CHECK_EQ(sb_ship_clock_fallback(&c, INTERVAL), 170 * MS);
    sb_ship_clock_send(&c, INTERVAL, 170 * MS);
    CHECK(c.follows);
    sb_ship_clock_send(&c, INTERVAL, 261 * MS);
    CHECK(!c.follows);
}

TEST(a_ship_has_credit_for_nearly_two_updates)
{
    sb_ship_clock c = started_at(0);
    sb_ship_clock_send(&c, INTERVAL, SB_SECOND);
    CHECK(!sb_ship_clock_has_credit(&c, INTERVAL, SB_SECOND + 10 * MS - 1));
    CHECK(sb_ship_clock_has_credit(&c, INTERVAL, SB_SECOND + 10 * MS));
    sb_ship_clock_send(&c, INTERVAL, SB_SECOND + 10 * MS);
    CHECK(!sb_ship_clock_has_credit(&c, INTERVAL, SB_SECOND + 110 * MS - 1));
    CHECK(sb_ship_clock_has_credit(&c, INTERVAL, SB_SECOND + 110 * MS));
    /* Arrived without credit: the next one, or the fallback, brings what it changed. */
    sb_ship_clock_note_arrival(&c, INTERVAL, SB_SECOND + 50 * MS);
    CHECK(!c.waiting);
    CHECK_EQ(sb_ship_clock_fallback(&c, INTERVAL), SB_SECOND + 210 * MS);
}

TEST(the_next_update_is_expected_after_the_same_time_as_the_last)
{
    sb_ship_clock c = started_at(0);
    sb_ship_clock_note_arrival(&c, INTERVAL, 200 * MS);
    sb_ship_clock_note_arrival(&c, INTERVAL, 333 * MS);
    CHECK_EQ(sb_ship_clock_expected(&c), 466 * MS);
}
