/* src/replica/ship_clock.c -- see ship_clock.h.
 *
 * An owner sends every interval, give or take some jitter. Its update is sent at once if the ship
 * has credit; an owner that sends faster has every few of its updates skipped: the next one, or the
 * fallback, brings what they changed. So the phase of our updates is that of the owner's, and their
 * rate has a limit.
 */
#include "replica/ship_clock.h"

/* Credit for nearly two updates: 90 ms of jitter do not make an update wait. */
static sb_time credit_max(sb_time interval)
{
    return interval + interval * 9 / 10;
}

/* Without an update of its owner, a ship that follows sends this long after the last one, sent or
 * arrived: later than the owner's next update usually comes. Otherwise that one would find no
 * credit. */
static sb_time fallback_after(sb_time interval)
{
    return interval + interval * 6 / 10;
}

/* The owner is silent: its next update has no phase to be expected in. */
static sb_time silent_after(sb_time interval)
{
    return interval * 5 / 2;
}

static sb_time credit_at(const sb_ship_clock *c, sb_time interval, sb_time now)
{
    sb_time credit = c->credit + (now - c->sent_at), max = credit_max(interval);
    return credit < max ? credit : max;
}

void sb_ship_clock_init(sb_ship_clock *c, sb_time interval, sb_time now)
{
    *c = (sb_ship_clock){ .credit = credit_max(interval), .sent_at = now, .arrived_at = now };
}

bool sb_ship_clock_has_credit(const sb_ship_clock *c, sb_time interval, sb_time now)
{
    return credit_at(c, interval, now) >= interval;
}

void sb_ship_clock_note_arrival(sb_ship_clock *c, sb_time interval, sb_time now)
{
    c->follows = true;
    c->period = now - c->arrived_at;
    c->arrived_at = now;
    if (sb_ship_clock_has_credit(c, interval, now)) c->waiting = true;
}

sb_time sb_ship_clock_expected(const sb_ship_clock *c)
{
    return c->arrived_at + c->period;
}

sb_time sb_ship_clock_fallback(const sb_ship_clock *c, sb_time interval)
{
    sb_time last = c->arrived_at > c->sent_at ? c->arrived_at : c->sent_at;
    return last + fallback_after(interval);
}

void sb_ship_clock_send(sb_ship_clock *c, sb_time interval, sb_time now)
{
    sb_time credit = credit_at(c, interval, now) - interval;
    c->credit = credit > 0 ? credit : 0;
    c->sent_at = now;
    c->waiting = false;
    if (c->follows && now - c->arrived_at > silent_after(interval)) c->follows = false;
}
