/* sim/fight_bounds.c -- how far an observer's belief about a position may be from the truth.
 *
 * For:      the checks of sim/fight_checks.c. An observer is the host, which sees the updates of a
 *           ship's owner, or a client, which sees the updates of the host.
 * Spec:     02 §5, §7, 03 §3, 10 §11.2.
 *
 * POSITION. An observer believes position + forward x speed x elapsed (spec 10 §11.2). Let V be the
 * highest speed of the ship's class (125 % of its maximum speed), t the present time, and, of the
 * updates that the observer has applied,
 *
 *     p   the time at which the last one with POS or DELTA was built,
 *     r   the time at which the last one of any kind arrived.
 *
 * Then the error of the observer's belief is at most
 *
 *     S + Q + M + V (t - p) + V min(t - r, 1 s)
 *
 * - S: the error of the sender's own belief at p: 0 for the owner, the host's bound for a client.
 * - Q: the rounding of the delta: sqrt(3)/127 of its length for the direction, and one step of cf16
 *   for the length (spec 02 §7); 0 with POS.
 * - M: the mismatch of bases, if the delta counts from a POS that the observer did not receive. M
 *   ends with the next POS that arrives, on time or late: after about a second (spec 03 §3).
 *     - If the receiver noticed the loss and inferred the base (src/replica/receiver.c), M is the
 *       error of its previous belief: S, Q and M of the last position, 2 V x the time since then
 *       (once for the ship, once for the dead reckoning), and S and Q of now.
 *     - If it did not notice, M is the distance between the two bases: V x the time between them,
 *       plus the S of both.
 * - V (t - p): the distance that the ship has flown since p.
 * - V min(t - r, 1 s): the distance of the dead reckoning since r, in whatever direction.
 *
 * STEP. A delta, applied t seconds after the last position, moves a ship no farther than V t, plus
 * S and Q of both positions, plus M of the last position, which a late POS may have corrected. If a
 * lost POS was not noticed, V t becomes 2 (V + a t) t, as src/replica/receiver.c derives.
 */
#include "sim/fight_internal.h"

#include <starbase/message_object.h>

#include <math.h>

double fight_seconds(sb_time t)
{
    return (double)t / 1e6;
}

double fight_distance(sb_vec3 a, sb_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/* V of the derivation above. */
double fight_top_speed(const sb_ship *ship)
{
    return 1.25 * (double)ship->model->max_speed;
}

/* The bound of POSITION above. */
double fight_error_bound(const fight *f, const fight_view *v)
{
    double top = fight_top_speed(&v->ship),
           reckoned = fight_seconds(f->now - v->receiver.received_at);
    return v->position.source_error + v->rounding + v->mismatch +
           top * fight_seconds(f->now - v->position.sent_at) + top * fmin(reckoned, 1.0) + 1e-3;
}

/* Q of the derivation above, with the longest step of cf16 in the decade (spec 02 §5). */
static double delta_rounding(sb_cv4 delta)
{
    double length = (double)sb_decode_cf16(delta.magnitude_code);
    double step = length < 1 ? 2.2e-4 : length < 10 ? 2.2e-3 : length < 100 ? 2.2e-2 : 2.2;
    return (length + step) * sqrt(3.0) / 127 + step;
}

/* S + Q + M of the last position. */
static double believed_error(const fight_view *v)
{
    return v->position.source_error + v->rounding + v->mismatch;
}

void fight_set_base(fight_view *v, const fight_record *known, double inferred)
{
    v->base_at = known->base_at;
    v->base_error = known->base_error;
    v->inferred = inferred;
}

/* Sets Q and M after a delta. */
static void update_delta(fight_view *v, const fight_record *known, sb_cv4 delta, bool inferred)
{
    double top = fight_top_speed(&v->ship), rounding = delta_rounding(delta);
    if (inferred)
        fight_set_base(v, known,
                       believed_error(v) +
                           2 * top * fight_seconds(known->sent_at - v->position.sent_at) +
                           known->source_error + rounding);
    v->rounding = rounding;
    v->mismatch = v->inferred;
    if (v->base_at != known->base_at)
        v->mismatch += top * fabs(fight_seconds(known->base_at - v->base_at)) + v->base_error +
                       known->base_error;
}

void fight_update_position(fight_view *v, const fight_record *known, const sb_state_update *u,
                           bool inferred)
{
    if (u->flags & SB_STATE_POS) {
        fight_set_base(v, known, 0);
        v->rounding = v->mismatch = 0;
    } else if (u->flags & SB_STATE_DELTA) {
        update_delta(v, known, u->delta, inferred);
    } else {
        return;
    }
    v->position = *known;
}

/* The bound of STEP above. */
double fight_step_bound(const fight_view *v, const fight_record *known, const sb_state_update *u,
                        bool inferred)
{
    double elapsed = fight_seconds(known->sent_at - v->position.sent_at),
           top = fight_top_speed(&v->ship);
    double flown = top * elapsed;
    bool   unnoticed = !inferred && v->base_at != known->base_at;
    if (unnoticed) flown = 2 * (top + (double)v->ship.model->max_accel * elapsed) * elapsed;
    return flown + believed_error(v) + known->source_error + delta_rounding(u->delta) + 0.1;
}
