/* src/replica/sender_clock.c -- estimates a player's game clock from updates that may be forged.
 *
 * A stranger can forge any number of updates with any time, and an honest link can stall for
 * seconds and then deliver everything at once. So no update is believed: each one moves the
 * estimate by at most a small fraction of the time since the one before, however far away it is.
 * The fractions exceed the error of any real clock (300 ppm). Rising is faster than falling, so the
 * estimate settles where 2 of 7 updates lie above it: late updates do not pull it down, and nobody
 * who sends less than 2.5 times as many updates as the player can make it fall away from the
 * player's.
 *
 * For:      src/server/relay.c.
 * Spec:     03 §9.
 * Tests:    tests/replica/sender_clock_test.c
 */
#include "replica/sender_clock.h"

enum {
    RISE_DIVISOR = 1000, /* 1 ms per second: 1000 ppm */
    FALL_DIVISOR = 2500, /* 400 ppm */
};

static const sb_time settle_us = 10 * SB_SECOND;
static const sb_time fall_step_us = SB_SECOND;      /* silence does not make the estimate fall */
static const sb_time agreement_us = 30 * SB_SECOND; /* see hear_ahead */

void sb_sender_clock_init(sb_sender_clock *c, sb_time now)
{
    *c = (sb_sender_clock){ .heard_at = now,
                            .first_at = SB_TIME_NEVER,
                            .ahead_since = SB_TIME_NEVER };
}

/* The highest lead that a clock which ran on since the last update can have. */
static sb_time highest_lead(const sb_sender_clock *c, sb_time now)
{
    return c->lead_us + (now - c->heard_at) / RISE_DIVISOR;
}

sb_time sb_sender_clock_lead(const sb_sender_clock *c, sb_time now)
{
    if (c->settled) return highest_lead(c, now);
    return c->first_at == SB_TIME_NEVER ? SB_LEAD_UNKNOWN : c->first_lead_us;
}

/* One update with a time that the host's clock explains settles that the client has the host's
 * clock, whatever else arrives. A client with a clock of its own settles after 10 s without one;
 * the smallest lead counts, because forged ones can be larger. */
static void settle(sb_sender_clock *c, sb_time now, sb_time lead_us)
{
    if (c->first_at == SB_TIME_NEVER) {
        c->first_at = now;
        c->first_lead_us = lead_us;
    }
    if (lead_us < c->first_lead_us) c->first_lead_us = lead_us;
    if (lead_us <= highest_lead(c, now) + SB_LEAD_MAX_US) {
        c->settled = true;
    } else if (now - c->first_at >= settle_us) {
        c->settled = true;
        c->lead_us = c->first_lead_us;
    }
}

/* Moves the estimate toward the lead of an update. */
static void follow(sb_sender_clock *c, sb_time now, sb_time lead_us)
{
    sb_time elapsed = now - c->heard_at;
    sb_time highest = highest_lead(c, now);
    sb_time lowest = c->lead_us - (elapsed < fall_step_us ? elapsed : fall_step_us) / FALL_DIVISOR;
    c->lead_us = lead_us < lowest ? lowest : lead_us > highest ? highest : lead_us;
    c->heard_at = now;
}

/* If for 30 s all updates were too far ahead, the estimate was wrong: a long flood has pulled it
 * down, or the clock has jumped. */
static void hear_ahead(sb_sender_clock *c, sb_time now, sb_time lead_us)
{
    if (c->ahead_since == SB_TIME_NEVER) {
        c->ahead_since = now;
        c->ahead_least_us = lead_us;
    }
    if (lead_us < c->ahead_least_us) c->ahead_least_us = lead_us;
    if (now - c->ahead_since < agreement_us) return;
    c->lead_us = c->ahead_least_us;
    c->ahead_since = SB_TIME_NEVER;
}

void sb_sender_clock_hear(sb_sender_clock *c, sb_time now, sb_time lead_us)
{
    if (!c->settled) settle(c, now, lead_us);
    if (!c->settled) return;
    bool ahead = lead_us > highest_lead(c, now) + SB_LEAD_MAX_US;
    follow(c, now, lead_us);
    if (ahead) hear_ahead(c, now, lead_us);
    else c->ahead_since = SB_TIME_NEVER;
}
