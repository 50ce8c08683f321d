/* src/combat/orders.c -- actions of owners: fire, switch, choose.
 *
 * For:      the server, which calls these functions with the fields of messages. Unknown ships and
 *           ids are ignored; implausible actions are counted.
 * Spec:     10 §1.1, §6; 08 §7, §14.
 * Tests:    tests/combat/orders_test.c, weapons_test.c, repair_test.c
 */
#include "combat/combat_internal.h"

#include "base/assert.h"
#include "ship/arcs.h"

#define QUARTER_TURN 1.57079633f
#define LATE_SECONDS                                                                               \
    3.0f /* a message that was lost twice is retransmitted after 1 s and 2 s more */

/* The ship, if it is alive and has a model; otherwise NULL. */
static sb_fighter *find_acting(const sb_combat *c, uint32_t object_id)
{
    sb_fighter *f = sb_combat_find_fighter(c, object_id);
    return f && f->ship->model && f->life == SB_LIFE_ALIVE ? f : NULL;
}

static void remember_target(sb_fighter *f, uint32_t target)
{
    if (target != 0 && target != f->object_id) f->target = target;
}

void sb_combat_target(sb_combat *c, uint32_t object_id, uint32_t target)
{
    sb_fighter *f = find_acting(c, object_id);
    if (f) f->target = target == f->object_id ? 0 : target;
}

/* ---- ships that cannot fire at all ---- */

/* Counts the fire of a ship that is cloaked or not armed yet; false: it is neither. */
static bool count_hidden_fire(sb_combat *c, const sb_fighter *f)
{
    if (!sb_combat_is_armed(c, f))
        sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_UNARMED, 0.0f,
                                    (float)(f->armed_at - c->step) * SB_STEP_SECONDS);
    else if (f->cloak_state == SB_CLOAK_ON)
        sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_CLOAKED_FIRE, SB_CLOAK_ON, SB_CLOAK_OFF);
    else return false;
    return true;
}

/* ---- beams ---- */

/* Clients send StartFiring twice: the second one only updates the aim. */
void sb_combat_start_firing(sb_combat *c, uint32_t object_id, uint32_t system_id, uint32_t target,
                            sb_cv4b aim)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f) return;
    unsigned system = sb_combat_learn_weapon_system(c, f, system_id);
    remember_target(f, target);
    if (system == SB_NO_PART) return;
    (void)count_hidden_fire(c, f); /* beams.c holds the fire */
    if (!sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS)) return;
    f->ordered |= (uint32_t)1 << system;
    f->aimed_at[system] = target;
    f->aim[system] = aim;
}

/* The next bolt of a cannon is the first of a burst again. The cannon still cools down: otherwise
 * StopFiring after each bolt would make it fire faster. */
static void release_cannons(sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->system == system && SB_WEAPON(f, i)->type == SB_SUBSYSTEM_PULSE_WEAPON)
            SB_WEAPON(f, i)->in_burst = false;
}

void sb_combat_stop_firing(sb_combat *c, uint32_t object_id, uint32_t system_id, uint32_t target)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f) return;
    unsigned system = sb_combat_learn_weapon_system(c, f, system_id);
    if (system == SB_NO_PART) return;
    uint32_t at = f->aimed_at[system] ? f->aimed_at[system] : f->target;
    if (target != 0 && target != at) return;
    release_cannons(f, system);
    sb_combat_stop_system(f, system);
}

/* ---- projectiles ---- */

/* The projectile that a system fires, by the estimates of spec 11 §7; NULL: not known. */
static const sb_projectile_class *ordnance_of(const sb_combat *c, const sb_fighter *f,
                                              unsigned system)
{
    const sb_ship_class *m = f->ship->model;
    const sb_ordnance   *found = NULL;
    for (unsigned i = 0; i < m->ordnance_count; i++) {
        const sb_ordnance *o = &m->ordnance[i];
        if (o->system_type != m->subsystems[system].type) continue;
        if (!found || o->slot == f->ship->setting[system]) found = o;
    }
    return found ? sb_find_projectile(c->config.projectiles, found->projectile_type) : NULL;
}

/* The evidence is the condition that the weapon or its system needs, and the one it has; a system
 * that is switched off counts as 0 of 1. */
static void count_gate(sb_combat *c, const sb_fighter *f, const sb_weapon *w)
{
    const sb_ship_class *m = f->ship->model;
    float                claimed = 1.0f, possible = 0.0f;
    if (f->ship->on[w->system] && sb_ship_is_disabled(f->ship, w->system)) {
        claimed = m->subsystems[w->system].disabled_below;
        possible = sb_ship_ratio(f->ship, w->system);
    } else if (f->ship->on[w->system]) {
        claimed = m->children[w->child].disabled_below;
        possible = sb_ship_child_ratio(f->ship, w->child);
    }
    sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_WEAPON_GATE, claimed, possible);
}

/* §6.1: checks the conditions for a shot that the client has already fired, and counts a violation.
 * `target` NULL: none, or an object outside the simulation, for which there is no condition. */
static bool check_gate(sb_combat *c, sb_fighter *f, const sb_weapon *w, const sb_fighter *target)
{
    if (count_hidden_fire(c, f)) return false;
    if (!sb_combat_may_fire_system(c, f, w->system) || !sb_combat_may_fire_weapon(f, w)) {
        count_gate(c, f, w);
        return false;
    }
    return !target || sb_combat_may_fire_at(f, target);
}

static const sb_fighter *target_of(const sb_combat *c, const sb_fighter *f, uint32_t target)
{
    return target != f->object_id ? sb_combat_find_fighter(c, target) : NULL;
}

/* Seconds since the last shot, or since it was due: negative after a shot that was early. */
static float seconds_since_shot(const sb_combat *c, const sb_weapon *w)
{
    return (float)(int32_t)(c->step - w->fired_at) * SB_STEP_SECONDS;
}

/* A shot may be a little early, because messages arrive unevenly. The next one counts from the time
 * at which this one was due, so n shots never take less than n pauses and one allowance. `pause`
 * may be unknown, NaN. */
static void count_shot(const sb_combat *c, sb_weapon *w, float pause)
{
    uint32_t due = w->fired_at + (pause > 0.0f ? (uint32_t)(pause / SB_STEP_SECONDS + 0.01f) : 0u);
    w->fired_at = w->has_fired && (int32_t)(due - c->step) > 0 ? due : c->step;
    w->has_fired = true;
}

/* §6.4: a torpedo lies ready, and the delay since the last shot has passed. Counts an unready tube,
 * with the time since its last shot and the time that it needs. */
static bool check_tube(sb_combat *c, const sb_fighter *f, const sb_weapon *w)
{
    float since = seconds_since_shot(c, w);
    float delay = w->figures->immediate_delay - f->constants.torpedo_tolerance;
    if (w->ready > 0 && (!w->has_fired || !(since < delay))) return true;
    SB_ASSERT(w->ready + w->loading > 0);
    if (w->ready == 0) delay = (float)(w->loaded_at[0] - w->fired_at) * SB_STEP_SECONDS;
    sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_TORPEDO_RATE, since, delay);
    return false;
}

/* A tube cannot be loaded without ammunition: then it is empty for ever. */
static bool check_ammunition(sb_combat *c, const sb_fighter *f, const sb_weapon *w, uint8_t type)
{
    if (sb_combat_has_torpedo(f, w->system, type)) return true;
    sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_AMMUNITION, 1.0f, 0.0f);
    return false;
}

/* One place of the tube is empty now. Keeps loaded_at ascending: after a learned id moved a state
 * to another tube, an earlier shot can take longer to reload. */
static void start_reload(const sb_combat *c, sb_weapon *w)
{
    SB_ASSERT(w->ready > 0);
    SB_ASSERT(w->loading < SB_TUBE_PLACES);
    w->ready--;
    count_shot(c, w, w->figures->immediate_delay);
    uint32_t loaded_at = c->step + sb_combat_steps_from_seconds(w->figures->reload_delay);
    unsigned at = w->loading++;
    for (; at > 0 && w->loaded_at[at - 1] > loaded_at; at--)
        w->loaded_at[at] = w->loaded_at[at - 1];
    w->loaded_at[at] = loaded_at;
}

/* ---- arcs ---- */

static bool is_out_of_arc(const sb_fighter *f, const sb_weapon *w, sb_vec3 heading)
{
    return !sb_ship_arc_contains(w->figures, sb_v_to_local(&f->ship->motion, heading),
                                 f->constants.arc_tolerance);
}

/* The least angle from `heading` to a muzzle's forward axis, in radians. */
static float angle_from_muzzle(const sb_fighter *f, const sb_weapon *w, sb_vec3 heading)
{
    sb_vec3 forward = sb_v_from(w->figures->forward);
    sb_vec3 local = sb_v_to_local(&f->ship->motion, heading);
    return sb_v_angle(sb_v_length(sb_v_cross(forward, local)), sb_v_dot(forward, local));
}

/* Tubes have no arc; a torpedo leaves its tube into the half space before it [P]. Where ids are
 * learned, a torpedo may come from any of the tubes whose ids the data do not give. */
static bool is_behind_tube(const sb_fighter *f, const sb_weapon *w, sb_vec3 heading)
{
    const sb_subsystem_class *parts = f->ship->model->children;
    for (unsigned i = 0; i < f->weapon_count; i++) {
        const sb_weapon *tube = SB_WEAPON(f, i);
        bool             possible = tube->type == w->type && parts[w->child].creation_index < 0 &&
                        parts[tube->child].creation_index < 0;
        if (tube != w && !possible) continue;
        if (angle_from_muzzle(f, tube, heading) <= QUARTER_TURN + f->constants.arc_tolerance)
            return false;
    }
    return true;
}

/* True: the shot must not be carried out. The evidence is the angle to the axis of the weapon, and
 * the largest one of a bolt at the height 0 or of a torpedo. A shot that arrives late meets a ship
 * that has turned meanwhile; an angle that no turn of LATE_SECONDS explains is another kind. */
static bool count_arc(sb_combat *c, const sb_fighter *f, const sb_weapon *w, sb_vec3 heading)
{
    const float *width = w->figures->arc_width;
    bool         tube = w->type == SB_SUBSYSTEM_TORPEDO_TUBE;
    float        widest = -width[0] > width[1] ? -width[0] : width[1];
    float        possible = tube ? QUARTER_TURN : widest;
    float        angle = angle_from_muzzle(f, w, heading);
    float        turn = LATE_SECONDS * f->ship->model->max_angular_velocity;
    return sb_combat_count_implausible(
        c, f, angle > possible + turn ? SB_IMPLAUSIBLE_BEHIND : SB_IMPLAUSIBLE_ARC, angle,
        possible);
}

/* ---- torpedoes ---- */

/* Byte 5 of TorpedoFire names the type: the one that the tubes of the system hold. Any other is
 * counted. Below SB_FIDELITY_ENFORCE it flies: with its own figures if the class carries it, else
 * with those of the loaded type, so that a foreign type never gains. A class that lists no
 * torpedoes (of a mod) fires what the message names. NULL: no figures, or refused. */
static const sb_projectile_class *choose_torpedo(sb_combat *c, sb_fighter *f, const sb_weapon *w,
                                                 uint8_t type)
{
    const sb_projectile_class *p = sb_find_projectile(c->config.projectiles, type);
    const sb_ordnance         *loaded = sb_combat_loaded_torpedo(f, w->system);
    if (!loaded) return p && p->kind == SB_PROJECTILE_TORPEDO ? p : NULL;
    if (loaded->projectile_type != type &&
        sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_TORPEDO_TYPE, (float)type,
                                    (float)loaded->projectile_type))
        return NULL;
    return p && sb_combat_carries_torpedo(f, type) ? p : ordnance_of(c, f, w->system);
}

void sb_combat_torpedo(sb_combat *c, uint32_t object_id, uint32_t tube_id, uint8_t projectile_type,
                       sb_cv3 direction, uint32_t target_id, sb_cv4b aim)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f) return;
    sb_weapon *w = sb_combat_learn_weapon(c, f, tube_id, SB_SUBSYSTEM_TORPEDO_TUBE);
    sb_vec3    heading = sb_decode_cv3(direction);
    remember_target(f, target_id);
    if (!w || !sb_v_make_unit(&heading)) return;
    const sb_fighter *target = target_of(c, f, target_id);
    if (!check_gate(c, f, w, target)) return;
    if (is_behind_tube(f, w, heading) && count_arc(c, f, w, heading)) return;
    if (!check_ammunition(c, f, w, projectile_type) || !check_tube(c, f, w)) return;
    const sb_projectile_class *figures = choose_torpedo(c, f, w, projectile_type);
    if (!figures) return;
    start_reload(c, w);
    sb_combat_spend_torpedo(f, w->system, projectile_type);
    if (sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS))
        sb_combat_launch(c, f, w, figures, figures->damage, heading, target, aim);
}

/* ---- bolts ---- */

/* §6.3: a ship fires its own bolts. Captured PulseFire messages name a torpedo type, so only the
 * type of another bolt is counted. A class that lists no bolts (of a mod) fires the bolt that the
 * message names. NULL: no figures. */
static const sb_projectile_class *choose_bolt(sb_combat *c, const sb_fighter *f, const sb_weapon *w,
                                              uint8_t type)
{
    const sb_projectile_class *p = sb_find_projectile(c->config.projectiles, type);
    const sb_projectile_class *own = ordnance_of(c, f, w->system);
    bool                       bolt = p && p->kind == SB_PROJECTILE_BOLT;
    if (own && bolt && p != own)
        (void)sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_BOLT_TYPE, (float)type,
                                          (float)own->type);
    return own ? own : bolt ? p : NULL;
}

/* §6.3: no message sets the level of a cannon, so every ship's cannons stay at medium. */
static float by_level(const sb_fighter *f, const sb_weapon *w, float low, float medium, float high)
{
    uint8_t level = f->ship->setting[w->system];
    return level == 0 ? low : level == 1 ? medium : high;
}

/* The first bolt after the trigger was pulled needs min_firing_charge; the others need their cost.
 */
static float charge_for_bolt(const sb_weapon *w, float cost)
{
    return w->in_burst ? cost : w->figures->min_firing_charge;
}

bool sb_combat_is_cannon_cooling(const sb_combat *c, const sb_fighter *f, const sb_weapon *w)
{
    float since = seconds_since_shot(c, w);
    return w->has_fired && since < w->figures->cooldown_time - f->constants.cooldown_tolerance;
}

/* False: the cannon cools down or lacks the charge, which is counted. */
static bool check_cannon(sb_combat *c, const sb_fighter *f, const sb_weapon *w, float cost)
{
    float charge = w->charge - w->owed, needed = charge_for_bolt(w, cost);
    if (sb_combat_is_cannon_cooling(c, f, w))
        sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_PULSE_RATE, seconds_since_shot(c, w),
                                    w->figures->cooldown_time);
    else if (!(charge >= needed - f->constants.pulse_tolerance))
        sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_PULSE_CHARGE, needed, charge);
    else return true;
    return false;
}

/* Spends the charge for one bolt. Charge that is missing, for the sake of lag, is owed. */
static void pay_bolt(sb_weapon *w, float cost)
{
    float needed = charge_for_bolt(w, cost);
    float missing = sb_smaller(needed, cost) - w->charge;
    w->charge = w->charge > cost ? w->charge - cost : 0.0f;
    if (missing > 0.0f) w->owed += missing;
}

/* Spends the charge for one bolt; false: the cannon is not ready. */
static bool spend_charge(sb_combat *c, const sb_fighter *f, sb_weapon *w)
{
    const sb_combat_constants *k = &f->constants;
    float cost = by_level(f, w, k->pulse_cost_low, k->pulse_cost_medium, k->pulse_cost_high);
    if (!check_cannon(c, f, w, cost)) return false;
    pay_bolt(w, cost);
    count_shot(c, w, w->figures->cooldown_time);
    w->in_burst = true;
    return true;
}

static float bolt_damage(const sb_fighter *f, const sb_weapon *w, const sb_projectile_class *p)
{
    const sb_combat_constants *k = &f->constants;
    return p->damage * by_level(f, w, k->pulse_low, k->pulse_medium, k->pulse_high);
}

void sb_combat_pulse(sb_combat *c, uint32_t object_id, uint32_t weapon_id, uint8_t projectile_type,
                     sb_cv3 direction, uint32_t target_id)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f) return;
    sb_weapon *w = sb_combat_learn_weapon(c, f, weapon_id, SB_SUBSYSTEM_PULSE_WEAPON);
    sb_vec3    heading = sb_decode_cv3(direction);
    remember_target(f, target_id);
    if (!w || !sb_v_make_unit(&heading)) return;
    if (!check_gate(c, f, w, target_of(c, f, target_id))) return;
    if (is_out_of_arc(f, w, heading) && count_arc(c, f, w, heading)) return;
    if (!spend_charge(c, f, w)) return;
    const sb_projectile_class *figures = choose_bolt(c, f, w, projectile_type);
    if (figures && sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS))
        sb_combat_launch(c, f, w, figures, bolt_damage(f, w, figures), heading, NULL,
                         (sb_cv4b){ { 0, 0, 0 }, 0 });
}

/* ---- switches ---- */

/* An event counts like a cloak bit that arrives at the same time (10 §10): the updates that others
 * get of the ship must not contradict it. */
static void order_cloak(sb_fighter *f, bool on)
{
    SB_ASSERT(f->cloak != SB_NO_PART);
    f->ship->on[f->cloak] = on;
    f->cloak_wanted = f->cloak_bit_seen = f->ship->cloaked = on;
}

void sb_combat_cloak(sb_combat *c, uint32_t object_id, bool on)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f) return;
    if (f->cloak != SB_NO_PART) order_cloak(f, on);
    else if (on) sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_CLOAK, 1.0f, 0.0f);
}

void sb_combat_switch(sb_combat *c, uint32_t object_id, uint32_t subsystem_id, bool on)
{
    sb_fighter *f = find_acting(c, object_id);
    unsigned    part = f ? sb_combat_part_of_id(f, subsystem_id) : (unsigned)SB_NO_PART;
    if (part >= SB_CHILD_PART) return; /* unknown, or a child: children have no switch */
    f->ship->on[part] = on;
    if (part == f->cloak) order_cloak(f, on); /* 08 §7.4 */
}

void sb_combat_repair_first(sb_combat *c, uint32_t object_id, uint32_t repair_id,
                            uint32_t subsystem_id)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f || sb_combat_learn_entry(c, f, repair_id, SB_SUBSYSTEM_REPAIR) == SB_NO_PART) return;
    sb_combat_toggle_repair_priority(f, sb_combat_part_of_id(f, subsystem_id));
}

void sb_combat_phaser_level(sb_combat *c, uint32_t object_id, uint32_t system_id, uint8_t level)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f || level > 2) return;
    unsigned system = sb_combat_learn_entry(c, f, system_id, SB_SUBSYSTEM_PHASER_SYSTEM);
    if (system != SB_NO_PART) f->ship->setting[system] = level;
}

/* False: the class does not list this slot, and the change must not be carried out. */
static bool check_slot(sb_combat *c, const sb_fighter *f, uint8_t slot)
{
    const sb_ship_class *m = f->ship->model;
    int                  last = -1;
    for (unsigned i = 0; i < m->ordnance_count; i++) {
        if (m->ordnance[i].system_type != SB_SUBSYSTEM_TORPEDO_SYSTEM) continue;
        if (m->ordnance[i].slot == slot) return true;
        if (m->ordnance[i].slot > last) last = m->ordnance[i].slot;
    }
    return last < 0 || !sb_combat_count_implausible(c, f, SB_IMPLAUSIBLE_TORPEDO_TYPE, (float)slot,
                                                    (float)last);
}

void sb_combat_torpedo_type(sb_combat *c, uint32_t object_id, uint32_t system_id, uint8_t type)
{
    sb_fighter *f = find_acting(c, object_id);
    if (!f) return;
    unsigned system = sb_combat_learn_entry(c, f, system_id, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    if (system == SB_NO_PART || f->ship->setting[system] == type) return;
    if (!check_slot(c, f, type)) return;
    f->ship->setting[system] = type;
    sb_combat_empty_tubes(c, f, system);
}
