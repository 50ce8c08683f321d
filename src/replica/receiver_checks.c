/* src/replica/receiver_checks.c -- can a ship have moved as an update says?
 *
 * For:      receiver_checks.h. Turns and changes of speed: pace.c.
 * Tests:    tests/replica/receiver_motion_test.c
 */
#include "replica/receiver_checks.h"

#include <starbase/message.h>

#include "base/counters.h"
#include "ship/vectors.h"

#include <math.h>

static const sb_time grace_us = 2 * SB_SECOND; /* no checks after creation and warp */
/* Units beyond the engines, in one update and in all. A client whose clock runs slower for a while,
 * to correct its game time, seems to fly faster. */
static const float distance_slack = 5.0f, distance_slack_in_all = 20.0f;

enum { RATE_MAX = 40 }; /* updates per second and lane (spec 03 §9); stock clients send 10 */

/* Seconds since the base was sent: after a stall of the link updates arrive in a burst. As long as
 * the sender's clock is not known, the time since the base arrived counts if it is longer, and the
 * time that the sender claims is capped. */
static float elapsed_since_base(const sb_receiver *r, sb_time sent, float game_time)
{
    float elapsed = (float)(sent - r->base_at) / (float)SB_SECOND;
    if (sb_receiver_is_clock_known(r)) return elapsed > 0.0f ? elapsed : 0.0f;
    float claimed = game_time - r->base_time;
    if (!(claimed > elapsed) || !sb_bits_finite(sb_float_bits(claimed))) return elapsed;
    return claimed < elapsed + sb_clock_restart_s ? claimed : elapsed + sb_clock_restart_s;
}

/* Distance between the base and the position in this update. */
static float distance_from_base(const sb_receiver *r, const sb_state_update *u)
{
    if (u->flags & SB_STATE_POS) return sb_v_length(sb_v_sub(u->position, r->base));
    if (u->flags & SB_STATE_DELTA) return sb_v_length(sb_decode_cv4(u->delta));
    return 0.0f;
}

bool sb_receiver_is_in_grace(const sb_receiver *r, sb_time now)
{
    return now - r->moved_at < grace_us;
}

bool sb_receiver_is_checked(const sb_receiver *r, const sb_ship *ship, sb_time now)
{
    return r->role == SB_RECEIVE_FROM_OWNER && ship->model &&
           (!sb_receiver_is_in_grace(r, now) || r->anchored);
}

/* A ship that was just created, not one that arrives from a warp. */
static bool is_new_ship(const sb_receiver *r, const sb_ship *ship)
{
    return r->role == SB_RECEIVE_FROM_OWNER && ship->model && !r->warped;
}

/* A position within reach of the creation is the owner's: a creation has a number that a stranger
 * does not know. Checks start with it. Otherwise a forged position within 2 s of the creation would
 * become the base, and the owner's own positions would be out of its reach for minutes. */
static void anchor(sb_receiver *r, const sb_ship *ship, sb_time now, const sb_state_update *u)
{
    if (!(u->flags & SB_STATE_POS) || !is_new_ship(r, ship)) return;
    float elapsed = (float)(now - r->moved_at) / (float)SB_SECOND;
    float reach = sb_power_max * ship->model->max_speed * elapsed + distance_slack_in_all;
    r->anchored = sb_v_length(sb_v_sub(u->position, r->origin)) <= reach;
}

/* Stores the evidence. */
static bool exceeds(sb_evidence *evidence, float claimed, float possible)
{
    if (!(claimed > possible)) return false;
    *evidence = (sb_evidence){ claimed, possible };
    return true;
}

/* False: the speed is plausible or missing. */
static bool exceeds_speed(sb_receiver *r, const sb_ship *ship, const sb_state_update *u)
{
    return u->flags & SB_STATE_SPEED &&
           exceeds(&r->speed, fabsf(sb_decode_cf16(u->speed_code)),
                   sb_power_max * ship->model->max_speed * 1.1f + 0.5f);
}

/* The distance that the engines allow since the base. */
static float possible_distance(const sb_receiver *r, const sb_ship *ship, sb_time sent,
                               const sb_state_update *u)
{
    return sb_power_max * ship->model->max_speed * elapsed_since_base(r, sent, u->game_time);
}

/* Pushes and rounding may bring a ship a little farther, but not again with every update. */
static bool exceeds_distance(sb_receiver *r, const sb_ship *ship, sb_time sent,
                             const sb_state_update *u)
{
    return exceeds(&r->distance, distance_from_base(r, u),
                   possible_distance(r, ship, sent, u) +
                       fminf(distance_slack, distance_slack_in_all - r->ahead));
}

/* Charges what the new base lies beyond the distance of the engines; slower flight pays it back. */
static void charge_slack(sb_receiver *r, const sb_ship *ship, sb_time sent,
                         const sb_state_update *u)
{
    if (!(u->flags & SB_STATE_POS)) return;
    float ahead = r->ahead + distance_from_base(r, u) - possible_distance(r, ship, sent, u);
    r->ahead = ahead > 0.0f ? fminf(ahead, distance_slack_in_all) : 0.0f;
}

static uint8_t check_ship(sb_receiver *r, const sb_ship *ship, sb_time sent,
                          const sb_state_update *u)
{
    uint8_t implausible = 0;
    if (exceeds_speed(r, ship, u)) {
        SB_COUNT(r->counters, SB_RECEIVED_TOO_FAST);
        implausible |= SB_STATE_SPEED;
    }
    if (exceeds_distance(r, ship, sent, u)) {
        SB_COUNT(r->counters, SB_RECEIVED_JUMPED);
        implausible |= SB_STATE_POS | SB_STATE_DELTA;
    }
    if (!r->enforce || !(implausible & SB_STATE_POS)) charge_slack(r, ship, sent, u);
    return r->enforce ? implausible : 0;
}

/* The same for a ship that is checked for its speed only: a new ship may be anywhere, but it is not
 * faster than others. After a warp nothing is checked for a while. */
static uint8_t check_new_ship(sb_receiver *r, const sb_ship *ship, const sb_state_update *u)
{
    if (!is_new_ship(r, ship) || !exceeds_speed(r, ship, u)) return 0;
    SB_COUNT(r->counters, SB_RECEIVED_TOO_FAST);
    return r->enforce ? SB_STATE_SPEED : 0;
}

uint8_t sb_receiver_check_motion(sb_receiver *r, const sb_ship *ship, bool checked, sb_time now,
                                 sb_time sent, const sb_state_update *u)
{
    if (checked) return check_ship(r, ship, sent, u);
    anchor(r, ship, now, u);
    return check_new_ship(r, ship, u);
}

/* A late base must not hide a jump. */
bool sb_receiver_check_late_base(sb_receiver *r, const sb_ship *ship, sb_time sent,
                                 const sb_state_update *u)
{
    bool jumped = exceeds_distance(r, ship, sent, u);
    if (jumped) SB_COUNT(r->counters, SB_RECEIVED_JUMPED);
    if (jumped && r->enforce) return false;
    charge_slack(r, ship, sent, u);
    return true;
}

void sb_receiver_count_rate(sb_receiver *r, sb_time now)
{
    if (now - r->rate_since >= SB_SECOND) {
        r->rate_since = now;
        r->rate_count = 0;
    }
    if (++r->rate_count > RATE_MAX) SB_COUNT(r->counters, SB_RECEIVED_TOO_OFTEN);
}
