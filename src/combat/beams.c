/* src/combat/beams.c -- phaser beams and tractor beams.
 *
 * For:      combat.c, once per step: systems with an order (StartFiring until StopFiring).
 * Spec:     10 §6.2, §6.5. While a system has an order, each of its banks fires in every step in
 *           which it can. All banks of one system hit the same point of the target, so their damage
 *           in a step is one hit.
 * Tests:    tests/combat/beams_test.c, tractor_test.c
 */
#include "combat/combat_internal.h"

/* The target of a system's order; NULL: none, or it cannot be fired at. */
static sb_fighter *target_of(const sb_combat *c, const sb_fighter *f, unsigned system)
{
    uint32_t id = f->aimed_at[system] ? f->aimed_at[system] : f->target;
    if (id == 0 || id == f->object_id) return NULL;
    sb_fighter *target = sb_combat_find_fighter(c, id);
    return target && sb_combat_may_fire_at(f, target) ? target : NULL;
}

/* The factor K of §6.2. */
static float level_factor(const sb_fighter *f, unsigned system)
{
    const sb_combat_constants *k = &f->constants;
    switch (f->ship->setting[system]) {
    case 0: return k->beam_low;
    case 1: return k->beam_medium;
    default: return k->beam_high;
    }
}

/* From a weapon to `centre`, in the ship's axes. */
static sb_vec3 vector_to(const sb_fighter *f, const sb_weapon *w, sb_vec3 centre)
{
    const sb_subsystem_class *s = &f->ship->model->children[w->child];
    return s->has_position ? sb_v_sub(centre, sb_v_from(s->position)) : centre;
}

/* Factor on damage: 1 up to max_damage_distance, then inversely proportional to the distance. */
static float falloff(const sb_weapon *w, float distance)
{
    float full = w->figures->max_damage_distance;
    return distance > full ? full / distance : 1.0f;
}

/* A bank needs min_firing_charge to start and any charge to continue. */
static bool can_fire_bank(const sb_fighter *f, const sb_weapon *w, sb_vec3 to)
{
    if (!w->firing && !(w->charge >= w->figures->min_firing_charge)) return false;
    if (!(w->charge > 0.0f) || !sb_combat_may_fire_weapon(f, w)) return false;
    return sb_geometry_is_in_arc(w->figures, to, f->constants.arc_tolerance);
}

/* One step of a firing bank: lowers its charge and returns its damage. */
static float discharge(const sb_fighter *f, sb_weapon *w, float level, float distance)
{
    w->charge -= w->figures->discharge_rate * level * SB_STEP_SECONDS;
    if (!(w->charge > 0.0f)) {
        w->charge = 0.0f;
        w->firing = false;
    }
    if (distance > f->constants.beam_cutoff * w->figures->max_damage_distance) return 0.0f;
    return w->figures->max_damage * sb_ship_child_ratio(f->ship, w->child) *
           sb_ship_ratio(f->ship, w->system) * falloff(w, distance) * level * SB_STEP_SECONDS;
}

static void stop_banks(sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (f->weapons[i].system == system) f->weapons[i].firing = false;
}

/* Fires each bank of the system that can fire; `centre` is the target's centre in the shooter's
 * axes. Returns the sum of the damage. */
static float fire_banks(sb_fighter *f, unsigned system, sb_vec3 centre)
{
    float level = level_factor(f, system), damage = 0.0f;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = &f->weapons[i];
        if (w->system != system || w->type != SB_SUBSYSTEM_PHASER_BANK) continue;
        sb_vec3 to = vector_to(f, w, centre);
        w->firing = can_fire_bank(f, w, to);
        if (w->firing) damage += discharge(f, w, level, sb_v_length(to));
    }
    return damage;
}

static bool has_aim(sb_cv4b aim)
{
    return aim.magnitude_code != 0 && (aim.direction.x | aim.direction.y | aim.direction.z) != 0;
}

/* §7: the shield facing toward the shooter can stop the hit. Otherwise the hit strikes the aim
 * point of the order, or the default point of impact if the order has none. */
static void hit_target(sb_combat *c, const sb_fighter *f, unsigned system, sb_fighter *target,
                       float damage)
{
    sb_vec3 outward = sb_v_sub(f->position, target->position);
    if (!target->ship->model) return;
    float radius = target->ship->model->bound_radius;
    outward = sb_v_to_local(&target->ship->motion, outward);
    if (!sb_v_make_unit(&outward)) outward = (sb_vec3){ 0, 1, 0 };
    sb_vec3 at = has_aim(f->aim[system]) ? sb_decode_cv4b(f->aim[system], radius)
                                         : sb_combat_point_of_impact(target, outward);
    sb_combat_hit_at(c, target, (sb_damage_source){ SB_DAMAGE_BEAM, f->owner, f->object_id },
                     outward, at, f->constants.beam_search * radius, damage);
}

static void fire_system(sb_combat *c, sb_fighter *f, unsigned system)
{
    sb_fighter *target = target_of(c, f, system);
    if (!target || !sb_combat_may_fire_system(f, system)) {
        stop_banks(f, system);
        return;
    }
    sb_vec3 centre = sb_v_to_local(&f->ship->motion, sb_v_sub(target->position, f->position));
    float   damage = fire_banks(f, system, centre);
    if (damage > 0.0f) hit_target(c, f, system, target, damage);
}

void sb_combat_step_beams(sb_combat *c, sb_fighter *f)
{
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++)
        if (f->ordered >> i & 1 && f->ship->model->subsystems[i].type == SB_SUBSYSTEM_PHASER_SYSTEM)
            fire_system(c, f, i);
}

float sb_combat_beam_reach(const sb_fighter *f, unsigned system)
{
    float farthest = 0.0f;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        const sb_weapon *w = &f->weapons[i];
        if (w->system == system && w->type == SB_SUBSYSTEM_PHASER_BANK &&
            w->figures->max_damage_distance > farthest)
            farthest = w->figures->max_damage_distance;
    }
    return farthest * f->constants.beam_cutoff;
}

/* ---- tractor beams ---- */

/* Updates `firing` of one projector and returns its force (§6.5). The target is not moved here: its
 * own client moves it. */
static float pull(const sb_fighter *f, sb_weapon *w, const sb_fighter *target)
{
    sb_vec3 centre = sb_v_to_local(&f->ship->motion, sb_v_sub(target->position, f->position));
    sb_vec3 to = vector_to(f, w, centre);
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
        const sb_fighter *target = target_of(c, f, w->system);
        if (target) used += pull(f, w, target);
        f->tractor_fires |= w->firing;
    }
    if (full > 0.0f) f->drag = sb_smaller(used / full, 1.0f);
}
