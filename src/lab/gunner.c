/* src/lab/gunner.c -- the attacker's weapons, fired as a ship of the game fires them.
 *
 * Beams need one order; the simulation does the rest. Bolts and torpedoes are decisions of the
 * ship's owner, which the game makes in updates of each weapon system, every 0.33 s. In an update a
 * single-fire system of cannons fires one of them, another system every cannon that can fire; a
 * system of tubes fires one, and rests in the next update. Measured: stbc-oracle dscale_warbird,
 * dscale_bop, torpedo_galaxy_front_57.
 *
 * Tests:    tests/lab/lab_test.c
 */
#include "lab/lab_internal.h"

#include "combat/geometry.h"
#include "ship/arcs.h"

/* ---- systems ---- */

static const sb_ship_class *attacker_class(const sb_lab *lab)
{
    return &lab->models[SB_LAB_ATTACKER];
}

/* True if the scenario's action uses systems of this type. */
static bool is_used(const sb_lab *lab, unsigned type)
{
    unsigned action = lab->scenario.action;
    bool     all = action == SB_LAB_EVERYTHING;
    switch (type) {
    case SB_SUBSYSTEM_PHASER_SYSTEM: return all || action == SB_LAB_PHASERS;
    case SB_SUBSYSTEM_PULSE_SYSTEM: return all || action == SB_LAB_PULSES;
    case SB_SUBSYSTEM_TORPEDO_SYSTEM: return all || action == SB_LAB_TORPEDOES;
    case SB_SUBSYSTEM_TRACTOR_SYSTEM: return action == SB_LAB_TRACTOR;
    default: return false;
    }
}

bool sb_lab_has_weapon(const sb_lab *lab)
{
    const sb_ship_class *m = attacker_class(lab);
    unsigned             action = lab->scenario.action;
    bool                 helm = action == SB_LAB_THROTTLE || action == SB_LAB_TURN;
    if (action == SB_LAB_NOTHING || action == SB_LAB_RAM || helm) return true;
    for (unsigned i = 0; i < m->subsystem_count; i++)
        if (is_used(lab, m->subsystems[i].type)) return true;
    return false;
}

static void order_system(sb_lab *lab, unsigned system)
{
    const sb_lab_scenario *s = &lab->scenario;
    uint32_t               id = sb_lab_part_id(lab, SB_LAB_ATTACKER, system, -1);
    switch (attacker_class(lab)->subsystems[system].type) {
    case SB_SUBSYSTEM_PHASER_SYSTEM:
        sb_combat_phaser_level(lab->combat, SB_LAB_ATTACKER_ID, id, s->level);
        sb_combat_start_firing(lab->combat, SB_LAB_ATTACKER_ID, id, SB_LAB_TARGET_ID,
                               (sb_cv4b){ { 0, 0, 0 }, 0 });
        break;
    case SB_SUBSYSTEM_TRACTOR_SYSTEM:
        sb_combat_start_firing(lab->combat, SB_LAB_ATTACKER_ID, id, SB_LAB_TARGET_ID,
                               (sb_cv4b){ { 0, 0, 0 }, 0 });
        break;
    case SB_SUBSYSTEM_TORPEDO_SYSTEM:
        if (s->slot >= 0)
            sb_combat_torpedo_type(lab->combat, SB_LAB_ATTACKER_ID, id, (uint8_t)s->slot);
        break;
    default: break;
    }
}

void sb_lab_open_fire(sb_lab *lab)
{
    const sb_ship_class *m = attacker_class(lab);
    sb_combat_target(lab->combat, SB_LAB_ATTACKER_ID, SB_LAB_TARGET_ID);
    for (unsigned i = 0; i < m->subsystem_count; i++)
        if (is_used(lab, m->subsystems[i].type)) order_system(lab, i);
}

void sb_lab_cease_fire(sb_lab *lab)
{
    const sb_ship_class *m = attacker_class(lab);
    for (unsigned i = 0; i < m->subsystem_count; i++)
        if (is_used(lab, m->subsystems[i].type))
            sb_combat_stop_firing(lab->combat, SB_LAB_ATTACKER_ID,
                                  sb_lab_part_id(lab, SB_LAB_ATTACKER, i, -1), 0);
}

/* ---- bolts and torpedoes ---- */

/* The point that a shot without an aim of its own goes for: the target's hull entry (spec 10 §7),
 * in the world's axes. */
static sb_vec3 aim_point(const sb_lab *lab)
{
    const sb_ship       *target = &lab->ships[SB_LAB_TARGET];
    const sb_ship_class *m = target->model;
    for (unsigned i = 0; i < m->subsystem_count; i++)
        if (m->subsystems[i].type == SB_SUBSYSTEM_HULL && m->subsystems[i].has_position)
            return sb_v_add(target->motion.position,
                            sb_v_to_world(&target->motion, sb_v_from(m->subsystems[i].position)));
    return target->motion.position;
}

/* From a weapon to the aim point, in the attacker's axes. */
static sb_vec3 way_to_target(const sb_lab *lab, unsigned child)
{
    const sb_subsystem_class *s = &attacker_class(lab)->children[child];
    const sb_motion          *m = &lab->ships[SB_LAB_ATTACKER].motion;
    sb_vec3                   way = sb_v_to_local(m, sb_v_sub(aim_point(lab), m->position));
    return s->has_position ? sb_v_sub(way, sb_v_from(s->position)) : way;
}

/* A cannon bears on targets in its arc, a tube on those before its mouth. */
static bool bears(const sb_weapon_class *weapon, bool tube, sb_vec3 way)
{
    if (tube) return sb_v_dot(sb_v_from(weapon->forward), way) > 0.0f;
    return sb_ship_arc_contains(weapon, way, 0.0f);
}

/* The projectile of the weapon system, by the ship's own list. */
static uint8_t projectile_of(const sb_lab *lab, unsigned system)
{
    const sb_ship_class *m = attacker_class(lab);
    const sb_ordnance   *found = NULL;
    for (unsigned i = 0; i < m->ordnance_count; i++) {
        const sb_ordnance *o = &m->ordnance[i];
        if (o->system_type != m->subsystems[system].type) continue;
        if (!found || o->slot == lab->ships[SB_LAB_ATTACKER].setting[system]) found = o;
    }
    return found ? found->projectile_type : 0;
}

static sb_weapon_state state_of(const sb_lab *lab, unsigned system, unsigned index)
{
    sb_weapon_state state = { 0 };
    (void)sb_combat_weapon(lab->combat, SB_LAB_ATTACKER_ID, system, index, &state);
    return state;
}

/* Bolts fly at the aim point; torpedoes leave along their tube and are guided. */
static void shoot(sb_lab *lab, unsigned system, unsigned index, bool tube)
{
    unsigned               child = attacker_class(lab)->subsystems[system].first_child + index;
    const sb_weapon_class *weapon = attacker_class(lab)->children[child].weapon;
    const sb_motion       *m = &lab->ships[SB_LAB_ATTACKER].motion;
    sb_vec3                way = tube ? sb_v_from(weapon->forward) : way_to_target(lab, child);
    sb_cv3                 direction = sb_encode_cv3(sb_v_to_world(m, way));
    uint32_t               id = sb_lab_part_id(lab, SB_LAB_ATTACKER, system, (int)index);
    uint8_t                type = projectile_of(lab, system);
    if (tube)
        sb_combat_torpedo(lab->combat, SB_LAB_ATTACKER_ID, id, type, direction, SB_LAB_TARGET_ID,
                          (sb_cv4b){ { 0, 0, 0 }, 0 });
    else sb_combat_pulse(lab->combat, SB_LAB_ATTACKER_ID, id, type, direction, SB_LAB_TARGET_ID);
}

static uint32_t steps_of(float seconds)
{
    return seconds > 0.0f ? (uint32_t)((double)seconds * SB_COMBAT_STEPS_PER_S + 0.999) : 0;
}

/* The pause that one cannon or tube needs between two shots. */
static bool has_cooled_down(const sb_lab *lab, unsigned child, const sb_weapon_class *weapon,
                            bool tube)
{
    float pause = tube ? weapon->immediate_delay : weapon->cooldown_time;
    return !lab->has_fired[child] || lab->step - lab->fired_step[child] >= steps_of(pause);
}

/* A weapon with less than min_firing_charge does not begin, but goes on (measured: dscale_bop). */
static bool may_begin(const sb_lab *lab, unsigned child, const sb_weapon_class *weapon,
                      float charge)
{
    return lab->has_fired[child] || !(charge < weapon->min_firing_charge);
}

/* Tries one weapon; whether it can fire is decided by the simulation. True: it fired. */
static bool try_weapon(sb_lab *lab, unsigned system, unsigned index, bool tube)
{
    unsigned               child = attacker_class(lab)->subsystems[system].first_child + index;
    const sb_weapon_class *weapon = attacker_class(lab)->children[child].weapon;
    if (!weapon || !bears(weapon, tube, way_to_target(lab, child))) return false;
    if (!has_cooled_down(lab, child, weapon, tube)) return false;
    sb_weapon_state before = state_of(lab, system, index);
    if (!tube && !may_begin(lab, child, weapon, before.charge)) return false;
    shoot(lab, system, index, tube);
    sb_weapon_state after = state_of(lab, system, index);
    if (!(after.charge < before.charge) && after.ready >= before.ready) return false;
    lab->has_fired[child] = true;
    lab->fired_step[child] = lab->step;
    if (lab->observer.on_shot && !lab->silent)
        lab->observer.on_shot(lab->observer.context, sb_lab_time(lab), child);
    return true;
}

/* One update of a system: its weapons in list order, beginning behind the last one that fired.
 * False: none fired. */
static bool update_system(sb_lab *lab, unsigned system, bool tube)
{
    const sb_subsystem_class *s = &attacker_class(lab)->subsystems[system];
    sb_lab_turn              *turn = &lab->turns[system];
    unsigned                  first = turn->next_child;
    bool                      one = tube || s->single_fire == SB_PROPERTY_YES, fired = false;
    for (unsigned n = 0; n < s->child_count; n++) {
        unsigned index = (first + n) % s->child_count;
        if (!try_weapon(lab, system, index, tube)) continue;
        turn->next_child = (uint8_t)((index + 1) % s->child_count);
        fired = true;
        if (one) break;
    }
    return fired;
}

/* The step of update `n` since the action began. */
static uint32_t step_of_update(uint32_t n)
{
    return (uint32_t)(n * 0.33 * SB_COMBAT_STEPS_PER_S + 0.5);
}

void sb_lab_fire(sb_lab *lab)
{
    const sb_ship_class *m = attacker_class(lab);
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        bool tube = m->subsystems[i].type == SB_SUBSYSTEM_TORPEDO_SYSTEM;
        bool cannon = m->subsystems[i].type == SB_SUBSYSTEM_PULSE_SYSTEM;
        if (!(tube || cannon) || !is_used(lab, m->subsystems[i].type)) continue;
        sb_lab_turn *turn = &lab->turns[i];
        if (lab->step < turn->next_step) continue;
        bool fired = update_system(lab, i, tube);
        turn->updates += tube && fired ? 2 : 1;
        turn->next_step = step_of_update(turn->updates);
    }
}
