/* tests/replica/forged_times_test.c -- updates of a player among forged ones with other game times:
 * a host applies what the player sends, and honest order still counts. Spec 03 §9. */
#include "replica/pace.h"
#include "replica/sender_clock.h"

#include "receiver_rig.h"

#include <math.h>

enum { PER_SECOND = 10, ATTACK_S = 60, HIDDEN_PERCENT = 2 };

static const sb_time start = 1000 * SB_SECOND;
static const sb_time tick_us = 33000;

/* A host with one player: what src/server/relay.c does with updates. */
typedef struct host {
    observer        o;
    sb_sender_clock clock;
    unsigned        hidden; /* updates of the player that were not applied */
} host;

static host open_host(void)
{
    host h = { .hidden = 0 };
    h.o = host_receiver(1);
    h.o.now = start;
    sb_sender_clock_init(&h.clock, start);
    return h;
}

static float seconds(sb_time t)
{
    return (float)((double)(t - start) / SB_SECOND);
}

static sb_result hear_bytes(host *h, sb_time at, sb_time game_time, const update_bytes *w)
{
    sb_time lead = sb_sender_clock_lead(&h->clock, at);
    h->o.now = at;
    h->o.receiver.expected_time = lead == SB_LEAD_UNKNOWN ? INFINITY : seconds(at + lead);
    h->o.receiver.latest_time = seconds(at);
    sb_result result = hear_update(&h->o, w);
    sb_sender_clock_hear(&h->clock, at, game_time - at);
    return result;
}

/* An empty update of that game time: a POWER block without settings. */
static sb_result hear(host *h, sb_time at, sb_time game_time)
{
    update_bytes w = start_update(seconds(game_time), SB_STATE_POWER);
    return hear_bytes(h, at, game_time, &w);
}

/* ---- a player and a stranger ---- */

typedef struct attack {
    sb_time        delay_us, jitter_us; /* of the player's updates */
    bool           ticks;               /* the player sends once per 33 ms */
    sb_time        begin_us;            /* of the attack */
    unsigned       rate;                /* forged updates per second */
    const sb_time *leads;               /* ahead of the host's clock, in turn */
    size_t         lead_count;
} attack;

static sb_time arrival(const attack *a, sb_random *random, sb_time made)
{
    sb_time sent = a->ticks ? (made + tick_us - 1) / tick_us * tick_us : made;
    sb_time jitter = a->jitter_us ? (sb_time)sb_random_below(random, (uint32_t)a->jitter_us) : 0;
    return sent + a->delay_us + jitter;
}

/* Forged updates that arrive before `until`. */
static void forge_until(host *h, const attack *a, unsigned *forged, sb_time until)
{
    for (;; ++*forged) {
        sb_time at = start + a->begin_us + (sb_time)*forged * SB_SECOND / a->rate;
        if (at >= until) return;
        (void)hear(h, at, at + a->leads[*forged % a->lead_count]);
    }
}

static void play(host *h, const attack *a)
{
    sb_random random;
    unsigned  forged = 0, seconds_in_all = (unsigned)(a->begin_us / SB_SECOND) + ATTACK_S;
    sb_random_init(&random, 7);
    for (unsigned i = 0; i < seconds_in_all * PER_SECOND; i++) {
        sb_time made = start + (sb_time)i * (SB_SECOND / PER_SECOND);
        sb_time at = arrival(a, &random, made);
        forge_until(h, a, &forged, at);
        h->hidden += hear(h, at, made) != SB_OK;
    }
}

static void check_attack(const attack *a)
{
    host h = open_host();
    play(&h, a);
    if (h.hidden * 100 > ATTACK_S * PER_SECOND * HIDDEN_PERCENT)
        FAIL("%u hidden: delay %d, jitter %d, ticks %d, after %d us, %u per second, lead %d",
             h.hidden, (int)a->delay_us, (int)a->jitter_us, a->ticks, (int)a->begin_us, a->rate,
             (int)a->leads[0]);
}

/* Each way of the player, each rate of the stranger. */
static void check_leads(const sb_time *leads, size_t count)
{
    static const sb_time  delays[] = { 0, 80000, 300000 }, jitters[] = { 0, 20000, 90000 };
    static const unsigned rates[] = { 1, 5, 20, 50, 200 };
    for (unsigned i = 0; i < 3 * 3 * 2 * 2; i++)
        for (unsigned k = 0; k < 5; k++)
            check_attack(&(attack){ .delay_us = delays[i % 3],
                                    .jitter_us = jitters[i / 3 % 3],
                                    .ticks = i / 9 % 2,
                                    .begin_us = i / 18 * 60 * SB_SECOND + i * 2777 + k * 17000,
                                    .rate = rates[k],
                                    .leads = leads,
                                    .lead_count = count });
}

TEST(no_forged_time_hides_the_updates_of_a_player)
{
    static const sb_time leads[] = { -60 * SB_SECOND, -4900000, -500000, -100000, -50000,  0,
                                     50000,           100000,   500000,  990000,  1200000, 4900000,
                                     60 * SB_SECOND };
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) check_leads(&leads[i], 1);
}

TEST(no_mixture_of_forged_times_hides_the_updates_of_a_player)
{
    static const sb_time ahead[] = { 100000, 500000, 900000, 990000 };
    static const sb_time behind[] = { -100000, -900000, -5500000, -60 * SB_SECOND };
    static const sb_time both[] = { 990000, -4900000, 90000, -200000, 500000, -60 * SB_SECOND };
    check_leads(ahead, sizeof ahead / sizeof *ahead);
    check_leads(behind, sizeof behind / sizeof *behind);
    check_leads(both, sizeof both / sizeof *both);
}

/* The estimate of the player's clock rises by 1 ms per second. */
TEST(an_attack_of_an_hour_hides_no_more)
{
    static const sb_time lead = 900000;
    attack               a = { .delay_us = 80000, .jitter_us = 20000, .rate = 20, .leads = &lead };
    a.lead_count = 1;
    host h = open_host();
    for (unsigned i = 0, forged = 0; i < 3600 * PER_SECOND; i++) {
        sb_time made = start + (sb_time)i * (SB_SECOND / PER_SECOND);
        forge_until(&h, &a, &forged, made + a.delay_us);
        h.hidden += hear(&h, made + a.delay_us, made) != SB_OK;
    }
    CHECK(h.hidden <= 12);
}

/* The estimate falls by 0.4 ms per second, by more than 1 s in all. */
TEST(an_hour_of_old_times_hides_no_more)
{
    static const sb_time leads[] = { -60 * SB_SECOND, -2 * SB_SECOND };
    attack               a = { .delay_us = 80000, .rate = 200, .leads = leads, .lead_count = 2 };
    host                 h = open_host();
    for (unsigned i = 0, forged = 0; i < 3600 * PER_SECOND; i++) {
        sb_time made = start + (sb_time)i * (SB_SECOND / PER_SECOND);
        forge_until(&h, &a, &forged, made + a.delay_us);
        h.hidden += hear(&h, made + a.delay_us, made) != SB_OK;
    }
    CHECK(h.clock.lead_us < -1100000);
    CHECK(h.hidden <= 12);
}

/* A player in a circle: 0.4 rad/s at the Akira's 6 units/s, as far as its engines go. */
static update_bytes circle_at(sb_time made)
{
    double       angle = 0.4 * (double)(made - start) / SB_SECOND;
    float        sine = (float)sin(angle), cosine = (float)cos(angle);
    sb_cv3       forward = sb_encode_cv3((sb_vec3){ sine, cosine, 0 });
    update_bytes w = start_update(seconds(made), SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP);
    append_position(&w, 15 - 15 * cosine, 15 * sine, 0);
    w.bytes[w.size++] = (uint8_t)forward.x;
    w.bytes[w.size++] = (uint8_t)forward.y;
    w.bytes[w.size++] = (uint8_t)forward.z;
    append_hex(&w, "00 00 7F");
    return w;
}

TEST(forged_times_ahead_do_not_make_a_player_seem_too_fast)
{
    static const sb_time lead = 990000;
    attack  a = { .begin_us = 5 * SB_SECOND, .rate = 20, .leads = &lead, .lead_count = 1 };
    host    h = open_host();
    sb_pace pace;
    sb_pace_init(&pace, start);
    h.o.receiver.pace = &pace;
    h.o.receiver.enforce = true;
    for (unsigned i = 0, forged = 0; i < ATTACK_S * PER_SECOND; i++) {
        sb_time made = start + (sb_time)i * (SB_SECOND / PER_SECOND), at = made + 80000;
        forge_until(&h, &a, &forged, at);
        update_bytes w = circle_at(made);
        h.hidden += hear_bytes(&h, at, made, &w) != SB_OK;
    }
    CHECK(h.hidden * 100 <= ATTACK_S * PER_SECOND * HIDDEN_PERCENT);
    CHECK_EQ(pace.axes.counted, 0);
    CHECK_EQ(COUNTED(h.o, SB_RECEIVED_JUMPED), 0);
}

/* ---- honest play ---- */

/* Every 20 s the network holds one update back until two later ones have passed. */
TEST(reordered_updates_are_dropped_for_an_hour)
{
    host    h = open_host();
    sb_time late = 0;
    for (unsigned i = 0; i < 3600 * PER_SECOND; i++) {
        sb_time made = start + (sb_time)i * (SB_SECOND / PER_SECOND);
        bool    held = i % 200 == 100;
        if (held) late = made;
        else CHECK_EQ(hear(&h, made + 80000, made), SB_OK);
        if (i % 200 == 102) CHECK_EQ(hear(&h, made + 90000, late), SB_NOT_ALLOWED);
    }
    CHECK_EQ(COUNTED(h.o, SB_RECEIVED_OLD), 180);
    CHECK_EQ(COUNTED(h.o, SB_RECEIVED_DISORDERED), 0);
}

TEST(a_copy_of_an_update_that_comes_late_is_dropped)
{
    host h = open_host();
    CHECK_EQ(hear(&h, start + 80000, start), SB_OK);
    CHECK_EQ(hear(&h, start + 81000, start), SB_OK);
    CHECK_EQ(hear(&h, start + 180000, start + 100000), SB_OK);
    CHECK_EQ(hear(&h, start + 181000, start), SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(h.o, SB_RECEIVED_OLD), 1);
}

/* An owner on a slow machine sends once per frame, not in step with 0.1 s. */
TEST(updates_of_every_frame_rate_leave_no_doubt)
{
    for (unsigned fps = 10; fps <= 120; fps++) {
        host    h = open_host();
        sb_time due = start;
        for (sb_time i = 0; i < 60 * fps; i++) {
            sb_time frame = start + i * SB_SECOND / fps;
            if (frame < due) continue;
            CHECK_EQ(hear(&h, frame + 50000, frame), SB_OK);
            due += SB_SECOND / PER_SECOND;
        }
        CHECK(h.o.receiver.contradicted_at < start);
    }
}

/* ---- doubt ---- */

static const sb_time flying = 1001 * SB_SECOND;

/* The player's clock is known, and the newest update has the host's time, `flying`. */
static host flying_host(void)
{
    host h = open_host();
    CHECK_EQ(hear(&h, start, start), SB_OK);
    CHECK_EQ(hear(&h, flying - 100000, flying - 100000), SB_OK);
    CHECK_EQ(hear(&h, flying, flying), SB_OK);
    return h;
}

/* Two pairs of times that cannot both be the owner's. */
static host doubtful_host(void)
{
    sb_time before = flying - SB_SECOND / 2;
    host    h = open_host();
    CHECK_EQ(hear(&h, start, start), SB_OK);
    CHECK_EQ(hear(&h, before, before), SB_OK);
    CHECK_EQ(hear(&h, before, before - 20000), SB_OK);
    CHECK_EQ(hear(&h, flying, flying), SB_OK);
    CHECK_EQ(h.o.receiver.doubt_until, 0);
    CHECK_EQ(hear(&h, flying, flying - 20000), SB_OK);
    CHECK_EQ(h.o.receiver.doubt_until, flying + 30 * SB_SECOND);
    return h;
}

static bool is_contradicted(const host *h)
{
    return h->o.receiver.contradicted_at > start;
}

TEST(times_closer_than_a_twentieth_of_a_second_contradict)
{
    static const struct {
        sb_time apart;
        bool    contradicts;
    } rows[] = { { 60000, false },  { 51000, false }, { 49000, true },    { 1000, true },
                 { 0, false },      { -1000, true },  { -49000, true },   { -51000, true },
                 { -149000, true }, { -99000, true }, { -400000, false }, { -800000, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        host h = flying_host();
        (void)hear(&h, flying + 60000, flying + rows[i].apart);
        if (is_contradicted(&h) != rows[i].contradicts) FAIL("row %zu", i);
    }
}

/* A stranger sends another time of the same slot: 16 slots are 0.8 s. */
TEST(an_older_time_does_not_remove_the_evidence)
{
    host h = flying_host();
    (void)hear(&h, flying, flying - 800000);
    (void)hear(&h, flying, flying - 4800000);
    CHECK(!is_contradicted(&h));
    (void)hear(&h, flying, flying - 10000);
    CHECK(is_contradicted(&h));
}

/* A machine that paused sends again at once; another pause is 10 s later. */
TEST(doubt_needs_two_contradictions_that_no_pause_explains)
{
    static const struct {
        sb_time apart;
        bool    doubt;
    } rows[] = { { 1000, false },          { 199999, false }, { 200000, true },
                 { SB_SECOND, true },      { 9999999, true }, { 10 * SB_SECOND, false },
                 { 20 * SB_SECOND, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        host    h = flying_host();
        sb_time now = flying + rows[i].apart;
        (void)hear(&h, flying, flying - 10000);
        for (unsigned k = 0; k < SB_RECENT_TIMES; k++)
            h.o.receiver.recent[k] = seconds(now) - 0.01f;
        (void)hear(&h, now, now);
        if ((h.o.receiver.doubt_until == now + 30 * SB_SECOND) != rows[i].doubt) FAIL("row %zu", i);
    }
}

TEST(every_old_update_is_dropped_without_doubt_and_none_in_doubt)
{
    host sure = flying_host(), doubtful = doubtful_host();
    for (unsigned i = 0; i < 20; i++) {
        CHECK_EQ(hear(&sure, flying, flying - 500000), SB_NOT_ALLOWED);
        CHECK_EQ(hear(&doubtful, flying, flying - 500000), SB_OK);
    }
    CHECK_EQ(COUNTED(sure.o, SB_RECEIVED_OLD), 20);
    CHECK_EQ(COUNTED(doubtful.o, SB_RECEIVED_DISORDERED), 20);
    CHECK_EQ(COUNTED(doubtful.o, SB_RECEIVED_CLOCK_RESTARTED), 0);
}

TEST(doubt_ends_30_seconds_after_the_last_evidence)
{
    for (sb_time early = 0; early < 2; early++) {
        host    h = doubtful_host();
        sb_time now = flying + 30 * SB_SECOND - early;
        CHECK_EQ(hear(&h, now, now), SB_OK);
        CHECK_EQ(hear(&h, now, now - 500000), early ? SB_OK : SB_NOT_ALLOWED);
    }
}

/* The estimate may have been pulled down: then the host's clock counts, in doubt only. */
TEST(in_doubt_a_second_ahead_of_the_hosts_clock_is_allowed)
{
    host sure = flying_host(), doubtful = doubtful_host();
    sure.clock.lead_us = doubtful.clock.lead_us = -3 * SB_SECOND;
    CHECK_EQ(hear(&sure, flying, flying + 990000), SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(sure.o, SB_RECEIVED_AHEAD), 1);
    CHECK_EQ(hear(&doubtful, flying, flying + 990000), SB_OK);
    CHECK_EQ(hear(&doubtful, flying, flying + 1010000), SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(doubtful.o, SB_RECEIVED_AHEAD), 1);
}

/* Later ones are compared with the newest, and so are power settings. */
TEST(an_old_update_that_is_applied_leaves_the_order_as_it_was)
{
    host         h = doubtful_host();
    float        order = h.o.receiver.order_time, last = h.o.receiver.last_time;
    update_bytes w = start_update(last, SB_STATE_POWER);
    append_hex(&w, "02 66");
    CHECK_EQ(hear_update(&h.o, &w), SB_OK);
    w = start_update(last - 0.4f, SB_STATE_POWER | SB_STATE_POS);
    append_position(&w, 3, 4, 5);
    append_hex(&w, "02 33");
    CHECK_EQ(hear_update(&h.o, &w), SB_OK);
    CHECK_EQ(COUNTED(h.o, SB_RECEIVED_DISORDERED), 1);
    check_near(h.o.ship.motion.position.x, 3, 0);
    check_near(h.o.ship.power_wanted[2], 0.5f, 1e-3f);
    check_near(h.o.receiver.order_time, order, 0);
    check_near(h.o.receiver.last_time, last, 0);
}
