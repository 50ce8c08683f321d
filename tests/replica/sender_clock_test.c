/* tests/replica/sender_clock_test.c -- the estimate of a player's clock, from honest updates and
 * forged ones. Spec 03 §9. */
#include "replica/sender_clock.h"

#include "base/random.h"
#include "test.h"

enum { TEN_HOURS_S = 36000, UPDATES_PER_SECOND = 10 };

static const sb_time start = 1000 * SB_SECOND;

/* A player whose clock is wrong by `ppm`, and whose updates arrive late and in order. */
typedef struct player {
    sb_sender_clock clock; /* the host's estimate */
    sb_random       random;
    int             ppm;
    sb_time         now; /* arrival of the last update */
    uint64_t        refused;
} player;

static player join(int ppm, uint64_t seed)
{
    player p = { .ppm = ppm, .now = start };
    sb_random_init(&p.random, seed);
    sb_sender_clock_init(&p.clock, start);
    return p;
}

static bool is_ahead(const sb_sender_clock *c, sb_time now, sb_time lead_us)
{
    return lead_us > sb_sender_clock_lead(c, now) + SB_LEAD_MAX_US;
}

/* What the player's clock is ahead at `at`. */
static sb_time error_at(const player *p, sb_time at)
{
    return (at - start) / SB_SECOND * p->ppm;
}

/* An update that the player sends at `sent`; later ones never overtake it. */
static void send(player *p, sb_time sent, sb_time lag)
{
    sb_time lead;
    if (sent + lag > p->now) p->now = sent + lag;
    lead = sent + error_at(p, sent) - p->now;
    p->refused += is_ahead(&p->clock, p->now, lead);
    sb_sender_clock_hear(&p->clock, p->now, lead);
}

/* A stranger's update with any lead. */
static void forge(player *p, sb_time now, sb_time lead_us)
{
    if (now > p->now) p->now = now;
    sb_sender_clock_hear(&p->clock, p->now, lead_us);
}

/* Lag of a bad link: 50 to 150 ms; 3 s for 20 s of every two minutes; every ten minutes nothing
 * arrives for 10 s, and then everything at once. */
static sb_time lag_of(player *p, unsigned tick)
{
    unsigned second = tick / UPDATES_PER_SECOND;
    if (second % 600 >= 300 && second % 600 < 310) return (sb_time)(310 - second % 600) * SB_SECOND;
    if (second % 120 >= 60 && second % 120 < 80) return 3 * SB_SECOND;
    return 50000 + sb_random_below(&p->random, 100000);
}

static void fly_for(player *p, unsigned from_s, unsigned seconds)
{
    for (unsigned i = 0; i < seconds * UPDATES_PER_SECOND; i++) {
        unsigned tick = from_s * UPDATES_PER_SECOND + i;
        send(p, start + (sb_time)tick * (SB_SECOND / UPDATES_PER_SECOND), lag_of(p, tick));
    }
}

/* ---- honest play ---- */

TEST(ten_hours_with_a_wrong_clock_on_a_bad_link_are_never_refused)
{
    static const int errors[] = { 300, -300, 0 };
    for (size_t i = 0; i < 3; i++) {
        player p = join(errors[i], 1 + i);
        for (unsigned s = 0; s < TEN_HOURS_S; s += 60) {
            fly_for(&p, s, 60);
            sb_time wrong = p.clock.lead_us - error_at(&p, p.now);
            CHECK(wrong < SB_SECOND / 10); /* a stranger gains little room, ... */
            CHECK(wrong > -SB_SECOND / 2); /* ... and honest updates keep theirs */
        }
        CHECK_EQ(p.refused, 0);
    }
}

TEST(after_ten_hours_in_the_lobby_a_fast_clock_is_not_refused)
{
    player p = join(300, 7);
    fly_for(&p, TEN_HOURS_S, 600);
    CHECK_EQ(p.refused, 0);
}

TEST(a_link_that_lags_by_3_s_for_20_minutes_may_become_fast_again)
{
    player p = join(0, 3);
    for (unsigned i = 0; i < 1200 * UPDATES_PER_SECOND; i++)
        send(&p, start + (sb_time)i * 100000, 3 * SB_SECOND);
    for (unsigned i = 1260 * UPDATES_PER_SECOND; i < 1300 * UPDATES_PER_SECOND; i++)
        send(&p, start + (sb_time)i * 100000, 50000);
    CHECK_EQ(p.refused, 0);
}

/* ---- forgeries ---- */

TEST(no_single_update_moves_the_estimate_by_much)
{
    static const sb_time leads[] = { -1000 * SB_SECOND, -5 * SB_SECOND,  -1, 1, SB_SECOND,
                                     5 * SB_SECOND,     1000 * SB_SECOND };
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        player p = join(0, 1);
        fly_for(&p, 0, 60);
        sb_time before = p.clock.lead_us;
        forge(&p, p.now + 100000, leads[i]);
        CHECK(p.clock.lead_us - before <= 100);
        CHECK(before - p.clock.lead_us <= 40);
    }
}

TEST(times_more_than_a_second_ahead_are_refused)
{
    player p = join(0, 1);
    fly_for(&p, 0, 60);
    CHECK(!is_ahead(&p.clock, p.now, 850000));
    CHECK(is_ahead(&p.clock, p.now, 1100000));
    CHECK(is_ahead(&p.clock, p.now, 4900000));
}

/* 10,000 forgeries in a minute among the player's 600 updates. */
static player play_under_fire(sb_time forged_lead)
{
    player p = join(0, 5);
    fly_for(&p, 0, 60);
    for (unsigned i = 0; i < 600; i++) {
        sb_time sent = start + (600 + (sb_time)i) * 100000;
        send(&p, sent, 50000);
        for (unsigned n = 1; n <= 16; n++) forge(&p, sent + 50000 + n * 3000, forged_lead);
    }
    return p;
}

TEST(forged_times_of_the_past_do_not_make_true_ones_too_new)
{
    static const sb_time leads[] = { -SB_SECOND, -4900000, -1000 * SB_SECOND };
    for (size_t i = 0; i < 3; i++) {
        player p = play_under_fire(leads[i]);
        CHECK_EQ(p.refused, 0);
        CHECK(p.clock.lead_us > -200000);
    }
}

TEST(forged_times_of_the_future_hardly_widen_the_limit)
{
    static const sb_time leads[] = { 900000, 1000000, 4900000, 1000 * SB_SECOND };
    for (size_t i = 0; i < 4; i++) {
        player p = play_under_fire(leads[i]);
        CHECK(is_ahead(&p.clock, p.now, 1100000));
    }
}

/* The player is silent, so all updates that arrive are forged. */
TEST(a_stall_of_the_player_gives_a_stranger_nothing)
{
    static const sb_time leads[] = { -4900000, 900000, 4900000 };
    for (size_t i = 0; i < 3; i++) {
        player p = join(0, 5);
        fly_for(&p, 0, 60);
        for (unsigned n = 0; n < 200; n++) forge(&p, p.now + 50000, leads[i]);
        CHECK(is_ahead(&p.clock, p.now, 1100000));
        fly_for(&p, 70, 60);
        CHECK_EQ(p.refused, 0);
    }
}

TEST(one_forgery_a_second_for_ten_hours_changes_nothing)
{
    static const sb_time leads[] = { -4900000, 900000 };
    for (size_t i = 0; i < 2; i++) {
        player p = join(300, 9);
        for (unsigned s = 0; s < TEN_HOURS_S; s++) {
            fly_for(&p, s, 1);
            forge(&p, p.now + 1000, error_at(&p, p.now) + leads[i]);
        }
        CHECK_EQ(p.refused, 0);
        CHECK(is_ahead(&p.clock, p.now, error_at(&p, p.now) + 1200000));
    }
}

/* ---- wrong estimates ---- */

TEST(the_first_update_may_have_any_time)
{
    player p = join(0, 1);
    CHECK(!is_ahead(&p.clock, p.now, 1000 * SB_SECOND));
    forge(&p, start, 60 * SB_SECOND);
    CHECK(!is_ahead(&p.clock, p.now, 61 * SB_SECOND));
    CHECK(is_ahead(&p.clock, p.now, 61 * SB_SECOND + 1));
}

TEST(a_clock_that_is_not_the_hosts_is_settled_after_10_seconds)
{
    player p = join(0, 1);
    for (unsigned i = 0; i <= 100; i++) {
        CHECK(!p.clock.settled);
        forge(&p, start + (sb_time)i * 100000, 60 * SB_SECOND + (i == 7 ? -100000 : 0));
    }
    CHECK(p.clock.settled);
    CHECK(p.clock.lead_us < 60 * SB_SECOND - 80000); /* near the smallest of them */
    forge(&p, p.now + 1, 0);                         /* too late to mean anything */
    CHECK(!is_ahead(&p.clock, p.now, 60 * SB_SECOND));
}

TEST(one_time_by_the_hosts_clock_settles_at_once)
{
    player p = join(0, 1);
    forge(&p, start, 60 * SB_SECOND);
    send(&p, start + 100000, 50000);
    CHECK(p.clock.settled);
    CHECK(is_ahead(&p.clock, p.now, 1100000));
    p = join(0, 1);
    forge(&p, start, -60 * SB_SECOND);
    CHECK(p.clock.settled);
    CHECK(!is_ahead(&p.clock, p.now, 900000)); /* the host's clock, not that of the update */
}

TEST(a_clock_that_jumps_is_believed_after_30_seconds)
{
    player p = join(0, 1);
    fly_for(&p, 0, 1);
    p.now = start + SB_SECOND;
    for (unsigned i = 10; i <= 310; i++) {
        CHECK(is_ahead(&p.clock, p.now, 60 * SB_SECOND));
        forge(&p, start + (sb_time)i * 100000, 60 * SB_SECOND + (i == 17 ? -100000 : 0));
    }
    CHECK(!is_ahead(&p.clock, p.now, 60 * SB_SECOND));
    CHECK_EQ(p.clock.lead_us, 60 * SB_SECOND - 100000); /* the smallest of them */
}

TEST(after_an_hour_of_flood_the_player_is_heard_within_30_seconds)
{
    player p = join(0, 1);
    for (unsigned i = 0; i < 3600 * 40; i++) forge(&p, start + (sb_time)i * 25000, -60 * SB_SECOND);
    CHECK(p.clock.lead_us < -SB_SECOND);
    fly_for(&p, 3610, 31);
    p.refused = 0;
    fly_for(&p, 3641, 100);
    CHECK_EQ(p.refused, 0);
}

/* ---- limits ---- */

/* An estimate of 0 that was last heard at `start`. */
static sb_sender_clock settled_clock(void)
{
    sb_sender_clock c;
    sb_sender_clock_init(&c, start);
    sb_sender_clock_hear(&c, start, 0);
    CHECK(c.settled);
    return c;
}

TEST(the_estimate_rises_by_1000_ppm_and_falls_by_400_ppm)
{
    static const struct {
        sb_time elapsed, lead, estimate;
    } rows[] = {
        { SB_SECOND, SB_SECOND, 1000 },
        { 1000 * SB_SECOND, 1000 * SB_SECOND, SB_SECOND }, /* a silence counts in full */
        { SB_SECOND, -SB_SECOND, -400 },
        { 999600, -SB_SECOND, -399 },
        { 1000 * SB_SECOND, -SB_SECOND, -400 }, /* of a silence only one second counts */
        { SB_SECOND, 999, 999 },
        { SB_SECOND, -399, -399 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_sender_clock c = settled_clock();
        sb_sender_clock_hear(&c, start + rows[i].elapsed, rows[i].lead);
        CHECK_EQ(c.lead_us, rows[i].estimate);
        CHECK_EQ(c.heard_at, start + rows[i].elapsed);
    }
}

TEST(a_silence_widens_the_limit_by_1_ms_per_second)
{
    sb_sender_clock c = settled_clock();
    CHECK_EQ(sb_sender_clock_lead(&c, start), 0);
    CHECK_EQ(sb_sender_clock_lead(&c, start + 1000 * SB_SECOND), SB_SECOND);
}

TEST(a_lead_of_exactly_a_second_is_the_hosts_clock)
{
    for (sb_time beyond = 0; beyond < 2; beyond++) {
        sb_sender_clock c;
        sb_sender_clock_init(&c, start);
        CHECK_EQ(sb_sender_clock_lead(&c, start), SB_LEAD_UNKNOWN);
        sb_sender_clock_hear(&c, start, SB_SECOND + beyond);
        CHECK_EQ(c.settled, beyond == 0);
        c = settled_clock();
        sb_sender_clock_hear(&c, start, SB_SECOND + beyond);
        CHECK_EQ(c.ahead_since, beyond == 0 ? SB_TIME_NEVER : start);
    }
}

TEST(an_unsettled_clock_has_no_estimate_to_move)
{
    sb_sender_clock c;
    sb_sender_clock_init(&c, start);
    for (sb_time s = 0; s < 10; s++) {
        sb_sender_clock_hear(&c, start + s * SB_SECOND, 60 * SB_SECOND);
        CHECK_EQ(c.lead_us, 0);
        CHECK_EQ(c.heard_at, start);
    }
    CHECK_EQ(sb_sender_clock_lead(&c, start + 9 * SB_SECOND), 60 * SB_SECOND);
}

/* The clock settles at the smallest lead, 60 s, by an update that is ahead of it. */
TEST(the_update_that_settles_a_clock_may_be_too_far_ahead)
{
    sb_sender_clock c;
    sb_time         settled = start + 10 * SB_SECOND;
    sb_sender_clock_init(&c, start);
    sb_sender_clock_hear(&c, start, 60 * SB_SECOND);
    sb_sender_clock_hear(&c, settled, 70 * SB_SECOND);
    CHECK(c.settled);
    CHECK_EQ(c.ahead_since, settled);
    sb_sender_clock_hear(&c, settled + 30 * SB_SECOND - 1, 70 * SB_SECOND);
    CHECK(c.lead_us < 61 * SB_SECOND);
    sb_sender_clock_hear(&c, settled + 30 * SB_SECOND, 70 * SB_SECOND);
    CHECK_EQ(c.lead_us, 70 * SB_SECOND);
}

TEST(a_second_jump_takes_30_seconds_of_its_own)
{
    sb_sender_clock c = settled_clock();
    sb_time         now = start;
    for (sb_time jump = 1; jump <= 2; jump++) {
        sb_time lead = jump * 60 * SB_SECOND;
        now += 1;
        sb_sender_clock_hear(&c, now, lead);
        sb_sender_clock_hear(&c, now + 30 * SB_SECOND - 1, lead);
        CHECK(c.lead_us < lead - 50 * SB_SECOND);
        now += 30 * SB_SECOND;
        sb_sender_clock_hear(&c, now, lead);
        CHECK_EQ(c.lead_us, lead);
    }
}
