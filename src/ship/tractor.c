/* src/ship/tractor.c -- the pull of tractor beams on their target.
 *
 * For:      the client of the target, which alone moves its ship.
 * Spec:     10 §6.5. Measured on the original engine (stbc-oracle, tractor_galaxy_*): a moving target
 *           loses force / mass of its speed while it is in range; a parked one is drawn towards the
 *           projector at the same speed in every mode, push included.
 */
#include <starbase/ship_state.h>

#include "base/assert.h"
#include "ship/arcs.h"
#include "ship/axes.h"

#define DRIFT_SPEED      0.2f  /* units per second; 0.17 to 0.23 were measured */
#define FINAL_RANGE      10.0f /* between the centres: there the drift ends ... */
#define FINAL_RANGE_HOLD 12.3f /* ... and in hold mode */

/* True: the projector works, and the target is in its range and arc. `to` points from the projector
 * to the target, in the holder's axes. */
static bool is_holding(const sb_ship *holder, unsigned child, sb_vec3 to)
{
    const sb_weapon_class *w = holder->model->children[child].weapon;
    return w && !sb_ship_is_child_disabled(holder, child) &&
           sb_v_length(to) <= w->max_damage_distance && sb_ship_arc_contains(w, to, 0.0f);
}

/* Towards the projector, until the ships are as near as the mode lets them come. */
static sb_vec3 drift_of(const sb_ship *holder, unsigned system, sb_vec3 to, float distance)
{
    bool  hold = holder->setting[system] == SB_TRACTOR_HOLD;
    float length = sb_v_length(to);
    if (distance <= (hold ? FINAL_RANGE_HOLD : FINAL_RANGE) || !(length > 0.0f))
        return (sb_vec3){ 0, 0, 0 };
    return sb_v_to_world(&holder->motion, sb_v_scale(to, -DRIFT_SPEED / length));
}

/* The pull of one projector; all zero: it does not hold the target. `centre`: of the target, in the
 * holder's axes. */
static sb_pull pull_of(const sb_ship *holder, unsigned system, unsigned child, sb_vec3 centre,
                       float target_mass)
{
    const sb_subsystem_class *c = &holder->model->children[child];
    sb_vec3 to = c->has_position ? sb_v_sub(centre, sb_v_from(c->position)) : centre;
    if (!is_holding(holder, child, to)) return (sb_pull){ 0.0f, 0.0f, { 0, 0, 0 } };
    float force =
        c->weapon->max_damage * sb_ship_ratio(holder, system) * sb_ship_child_ratio(holder, child);
    return (sb_pull){ force, target_mass > 0.0f ? force / target_mass : 0.0f,
                      drift_of(holder, system, to, sb_v_length(centre)) };
}

static bool is_tractor_working(const sb_ship *ship, unsigned system)
{
    const sb_ship_class *m = ship->model;
    return m && system < m->subsystem_count &&
           m->subsystems[system].type == SB_SUBSYSTEM_TRACTOR_SYSTEM && ship->on[system] &&
           !sb_ship_is_disabled(ship, system);
}

sb_pull sb_ship_pull(const sb_ship *holder, unsigned system, sb_vec3 to_target, float target_mass)
{
    sb_pull sum = { 0.0f, 0.0f, { 0, 0, 0 } };
    if (!is_tractor_working(holder, system)) return sum;
    const sb_subsystem_class *s = &holder->model->subsystems[system];
    sb_vec3                   centre = sb_v_to_local(&holder->motion, to_target);
    for (unsigned i = 0; i < s->child_count; i++) {
        sb_pull one = pull_of(holder, system, s->first_child + i, centre, target_mass);
        if (sum.force > 0.0f) one.drift = (sb_vec3){ 0, 0, 0 };
        sum = sb_pull_add(sum, one);
        if (sum.force > 0.0f && s->single_fire != SB_PROPERTY_NO) break;
    }
    return sum;
}

sb_pull sb_pull_add(sb_pull a, sb_pull b)
{
    return (sb_pull){ a.force + b.force, a.loss + b.loss, sb_v_add(a.drift, b.drift) };
}

float sb_pull_speed(const sb_pull *pull, float speed)
{
    SB_ASSERT(pull->loss >= 0.0f);
    float left = fabsf(speed) - pull->loss;
    if (!(left > 0.0f)) return 0.0f;
    return speed < 0.0f ? -left : left;
}
