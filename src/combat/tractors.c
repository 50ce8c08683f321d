/* src/combat/tractors.c -- tractor beams: which projectors hold a ship, with which force.
 *
 * For:      combat.c, once per step: systems with an order (StartFiring until StopFiring).
 * Spec:     10 §6.5. The target is not moved here: its own client moves it. Neither shields nor the
 *           charge of a projector matter.
 * Tests:    tests/combat/tractor_test.c
 */
#include "combat/combat_internal.h"

#include "ship/arcs.h"

/* `centre`: the target's centre in the ship's axes. There is no pull beyond max_damage_distance. */
static bool can_hold(const sb_fighter *f, const sb_weapon *w, sb_vec3 centre)
{
    sb_vec3 to = sb_combat_vector_to(f, w, centre);
    return sb_combat_may_fire_weapon(f, w) && sb_v_length(to) <= w->figures->max_damage_distance &&
           sb_ship_arc_contains(w->figures, to, f->constants.arc_tolerance);
}

static void release_all(sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->system == system) SB_WEAPON(f, i)->firing = false;
}

/* A projector that holds the target goes on; otherwise the first in list order that can takes over.
 */
static void hold_with_one(sb_fighter *f, unsigned system, sb_vec3 centre)
{
    sb_weapon *chosen = NULL;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (w->system != system || !can_hold(f, w, centre)) continue;
        if (!chosen || w->firing) chosen = w;
    }
    release_all(f, system);
    if (chosen) chosen->firing = true;
}

static void hold_with_all(sb_fighter *f, unsigned system, sb_vec3 centre)
{
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (w->system == system) w->firing = can_hold(f, w, centre);
    }
}

/* Single fire is the rule of both classes whose flag is known, so classes without one follow it. */
static void aim_system(sb_combat *c, sb_fighter *f, unsigned system)
{
    bool              may_fire = !f->tractors_shed && sb_combat_may_fire_system(c, f, system);
    const sb_fighter *target = may_fire ? sb_combat_target_of(c, f, system) : NULL;
    if (!target) {
        release_all(f, system);
        return;
    }
    sb_vec3 centre = sb_v_to_local(&f->ship->motion, sb_v_sub(target->position, f->position));
    if (f->ship->model->subsystems[system].single_fire == SB_PROPERTY_NO)
        hold_with_all(f, system, centre);
    else hold_with_one(f, system, centre);
}

static float force_of(const sb_fighter *f, const sb_weapon *w)
{
    return w->figures->max_damage * sb_ship_ratio(f->ship, w->system) *
           sb_ship_child_ratio(f->ship, w->child);
}

/* The ship's own engines lose the share of the tractor force that is in use. */
static void update_drag(sb_fighter *f)
{
    float used = 0.0f, full = 0.0f;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        const sb_weapon *w = SB_WEAPON(f, i);
        if (w->type != SB_SUBSYSTEM_TRACTOR_PROJECTOR) continue;
        full += w->figures->max_damage;
        if (!w->firing) continue;
        used += force_of(f, w);
        f->tractor_fires = true;
    }
    if (full > 0.0f) f->drag = sb_smaller(used / full, 1.0f);
}

static void aim_systems(sb_combat *c, sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    for (unsigned i = 0; i < m->subsystem_count; i++)
        if (f->ordered >> i & 1 && m->subsystems[i].type == SB_SUBSYSTEM_TRACTOR_SYSTEM)
            aim_system(c, f, i);
}

void sb_combat_step_tractors(sb_combat *c, sb_fighter *f)
{
    f->tractor_fires = false;
    f->drag = 0.0f;
    if (f->ordered == 0) return;
    aim_systems(c, f);
    update_drag(f);
}
