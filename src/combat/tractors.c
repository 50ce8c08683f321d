/* src/combat/tractors.c -- tractor beams.
 *
 * For:      combat.c, once per step: systems with an order (StartFiring until StopFiring).
 * Spec:     10 §6.5. The target is not moved here: its own client moves it.
 * Tests:    tests/combat/tractor_test.c
 */
#include "combat/combat_internal.h"

/* Factor on the force: 1 up to max_damage_distance, then inversely proportional to the distance. */
static float falloff(const sb_weapon *w, float distance)
{
    float full = w->figures->max_damage_distance;
    return distance > full ? full / distance : 1.0f;
}

/* Updates `firing` of one projector and returns its force. */
static float pull(const sb_fighter *f, sb_weapon *w, const sb_fighter *target)
{
    sb_vec3 centre = sb_v_to_local(&f->ship->motion, sb_v_sub(target->position, f->position));
    sb_vec3 to = sb_combat_vector_to(f, w, centre);
    w->firing = sb_combat_may_fire_weapon(f, w) &&
                sb_geometry_is_in_arc(w->figures, to, f->constants.arc_tolerance);
    if (!w->firing) return 0.0f;
    return w->figures->max_damage * sb_ship_ratio(f->ship, w->system) *
           sb_ship_child_ratio(f->ship, w->child) * falloff(w, sb_v_length(to));
}

void sb_combat_step_tractors(sb_combat *c, sb_fighter *f)
{
    float used = 0.0f, full = 0.0f;
    f->tractor_fires = false;
    f->drag = 0.0f;
    if (f->ordered == 0) return;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = &f->weapons[i];
        if (w->type != SB_SUBSYSTEM_TRACTOR_PROJECTOR) continue;
        full += w->figures->max_damage;
        w->firing = false;
        if (!(f->ordered >> w->system & 1) || !sb_combat_may_fire_system(f, w->system)) continue;
        const sb_fighter *target = sb_combat_target_of(c, f, w->system);
        if (target) used += pull(f, w, target);
        f->tractor_fires |= w->firing;
    }
    if (full > 0.0f) f->drag = sb_smaller(used / full, 1.0f);
}
