/* src/replica/pace.c -- judges turns and changes of speed by what engines and collisions can do.
 *
 * The engine changes speed and turn rate by a law (spec 10 §11.3), so there are upper limits: a
 * rate of turning, and an acceleration. Values sent within t seconds may differ by limit x t. The
 * sender's clock is not known exactly, so there is slack; what a ship uses of it must be paid back
 * by slower changes, so it is gained once and not with every update. A collision adds what its
 * impulse can do.
 *
 * Tests:    tests/replica/pace_test.c
 */
#include "replica/pace.h"

#include <starbase/message.h>

#include "ship/vectors.h"

#include <math.h>

/* Engine power of 125 %, times the square root of 3 for turns about all three axes at once. The
 * largest excess that was measured is 1.82: a computer pilot's Kessok Heavy. */
static const float engine_factor = 2.2f;
/* Slack: seconds at the limit, in one update and in all, and the rounding of the codes. */
static const float slack_s = 0.4f, slack_in_all_s = 0.8f;
static const float turn_rounding = 0.05f, speed_rounding = 0.4f;
/* An update without axes says that the ship does not turn any more. A turn in updates that were
 * lost shows in the next axes, a second later (spec 03 §8). */
static const sb_time lost_us = SB_SECOND / 2;
/* A ship that collided spins: 0.038 rad/s were measured for each unit/s of its change of speed. The
 * spin was seen to fall by half of the acceleration of the engines. */
static const float   spin_per_push = 0.1f, spin_decay = 0.5f;
static const sb_time push_lasts_us = 3 * SB_SECOND;
static const float   push_max = 50.0f; /* units/s; the fastest ships that meet head on: 38 */

void sb_pace_init(sb_pace *p, sb_time now)
{
    *p = (sb_pace){ .heard = now, .axes.since = now, .speed.since = now, .pushed_at = now };
}

static float seconds_between(sb_time from, sb_time to)
{
    return to > from ? (float)(to - from) / (float)SB_SECOND : 0.0f;
}

/* ---- collisions ---- */

/* The turn rate that collisions left. */
static float spin_at(const sb_pace *p, const sb_ship *ship, sb_time at)
{
    float lost = spin_decay * ship->model->max_angular_accel * seconds_between(p->pushed_at, at);
    return p->spin > lost ? p->spin - lost : 0.0f;
}

static float push_at(const sb_pace *p, sb_time at)
{
    return at - p->pushed_at < push_lasts_us ? p->push : 0.0f;
}

void sb_pace_push(sb_pace *p, const sb_ship *ship, float push, sb_time now)
{
    if (!ship->model) return;
    if (push > push_max) push = push_max;
    p->spin = spin_at(p, ship, now) + spin_per_push * push;
    p->push = push_at(p, now) + push;
    p->pushed_at = now;
}

/* ---- limits ---- */

/* The largest change of a value: rate x seconds + extra, and slack. */
typedef struct reach {
    float rate, seconds, extra, rounding;
} reach;

/* The value may have changed since then. After a refusal all the time counts: the value is taken as
 * soon as the engines could have reached it. */
static sb_time since_of(const sb_pace *p, const sb_pace_value *v)
{
    sb_time lost = p->heard - lost_us;
    return v->refused || lost < v->since ? v->since : lost;
}

/* Counts a change beyond reach and slack; any other is charged what it uses of the slack. */
static bool count_beyond(sb_pace *p, sb_pace_value *v, const reach *k, float change)
{
    float possible = k->rate * k->seconds + k->extra;
    float left = slack_in_all_s * k->rate + k->rounding - v->ahead;
    float slack = fminf(slack_s * k->rate + k->rounding, left);
    if (change > possible + slack) {
        v->counted++;
        p->suspect = true;
        v->last = (sb_evidence){ change, possible + slack };
        return true;
    }
    float ahead = v->ahead + change - possible;
    v->ahead = ahead > 0.0f ? ahead : 0.0f;
    return false;
}

/* The square of the sine of half the angle between two orientations: a quarter of 3 minus the sum
 * of the cosines between their axes. The third cosine follows from the others. */
static float sine2_between(const sb_motion *a, const sb_motion *b)
{
    float ff = sb_v_dot(a->forward, b->forward), uu = sb_v_dot(a->up, b->up);
    float rr = ff * uu - sb_v_dot(a->forward, b->up) * sb_v_dot(a->up, b->forward);
    float sine2 = (3.0f - ff - uu - rr) * 0.25f;
    return sine2 < 0.0f ? 0.0f : sine2 < 1.0f ? sine2 : 1.0f;
}

static bool turns_too_fast(sb_pace *p, const sb_ship *ship, const sb_motion *before, sb_time sent)
{
    reach k = { .rate = engine_factor * ship->model->max_angular_velocity,
                .seconds = seconds_between(since_of(p, &p->axes), sent),
                .rounding = turn_rounding };
    float sine2 = sine2_between(before, &ship->motion), possible = k.rate * k.seconds;
    /* The common case, without the angle: up to 0.9 rad it is at most 2.1 times the sine. */
    if (!(p->axes.ahead > 0.0f) && sine2 < 0.18f && 4.41f * sine2 <= possible * possible)
        return false;
    if (!(k.rate > 0.0f)) return false;
    if (p->spin > 0.0f) k.extra = spin_at(p, ship, sent) * (k.seconds + slack_s);
    return count_beyond(p, &p->axes, &k, 2.0f * sb_v_angle(sqrtf(sine2), sqrtf(1.0f - sine2)));
}

/* The sign of a speed says whether the ship flies backwards; a ship that spins changes it at once.
 * */
static bool accelerates_too_fast(sb_pace *p, const sb_ship *ship, uint16_t code, sb_time sent)
{
    if (code == ship->motion.speed_code && !(p->speed.ahead > 0.0f)) return false;
    float change = fabsf(fabsf(sb_decode_cf16(code)) - fabsf(ship->motion.speed));
    reach k = { .rate = engine_factor * ship->model->max_accel,
                .seconds = seconds_between(since_of(p, &p->speed), sent),
                .extra = push_at(p, sent),
                .rounding = speed_rounding };
    if (!(k.rate > 0.0f)) return false;
    if (count_beyond(p, &p->speed, &k, change)) return true;
    float used = change - k.rate * k.seconds;
    if (used > 0.0f) p->push = p->push > used ? p->push - used : 0.0f;
    return false;
}

/* ---- updates ---- */

static void take(sb_pace_value *v, sb_time sent, bool refused)
{
    v->refused = refused;
    if (!refused && sent > v->since) v->since = sent;
}

uint8_t sb_pace_check(sb_pace *p, const sb_ship *ship, const sb_motion *before,
                      const sb_state_update *u, sb_time sent, bool believed)
{
    const uint8_t axes = SB_STATE_FWD | SB_STATE_UP;
    uint8_t       implausible = 0;
    if (u->flags & axes) {
        bool turned = turns_too_fast(p, ship, before, sent);
        take(&p->axes, sent, turned && !believed);
        if (turned) implausible |= axes;
    }
    if (u->flags & SB_STATE_SPEED) {
        bool sped = accelerates_too_fast(p, ship, u->speed_code, sent);
        take(&p->speed, sent, sped && !believed);
        if (sped) implausible |= SB_STATE_SPEED;
    }
    return implausible;
}

void sb_pace_skip(sb_pace *p, sb_time sent)
{
    p->axes.since = p->speed.since = p->heard = sent;
    p->axes.refused = p->speed.refused = false;
}
