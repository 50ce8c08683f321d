/* src/combat/check.c -- asserts what ties the fields of the simulation together.
 *
 * For:      testing.h. Everything here holds between two calls of the public functions.
 * Never:    changes anything.
 * Tests:    every test of tests/combat, through rig.c and melee.c; check_test.c corrupts fields.
 */
#include "combat/testing.h"

#include "base/assert.h"
#include "combat/combat_internal.h"
#include "ship/codes.h"

#include <math.h>
#include <string.h>

/* Sums of floats may end one rounding above their limit. */
static bool is_between_0_and(float value, float limit)
{
    return value >= 0.0f && value <= limit + limit * 1e-5f;
}

/* ---- parts, ids and the ship's own numbers ---- */

static bool is_part(const sb_ship_class *model, unsigned part)
{
    if (part < SB_CHILD_PART) return part < model->subsystem_count;
    return part - SB_CHILD_PART < model->child_count;
}

static void check_part_set(const sb_ship_class *model, const sb_part_set *set)
{
    for (unsigned part = 0; part < SB_PARTS; part++)
        if (sb_part_set_has(set, part)) SB_ASSERT(is_part(model, part));
}

static void check_entry(const sb_ship_class *model, unsigned entry, sb_subsystem_type type)
{
    if (entry == SB_NO_PART) return;
    SB_ASSERT(entry < model->subsystem_count);
    SB_ASSERT(model->subsystems[entry].type == type);
}

static void check_ids(const sb_fighter *f)
{
    uint8_t uses[SB_PARTS] = { 0 };
    for (unsigned part = 0; part < SB_PARTS; part++) {
        unsigned k = f->k_of_part[part];
        if (k == SB_NO_PART) continue;
        SB_ASSERT(is_part(f->ship->model, part));
        SB_ASSERT(k < SB_PARTS);
        SB_ASSERT(uses[k] == 0); /* an id belongs to one part */
        uses[k]++;
    }
}

static void check_conditions(const sb_fighter *f)
{
    const sb_ship       *ship = f->ship;
    const sb_ship_class *m = ship->model;
    for (unsigned i = 0; i < m->subsystem_count; i++)
        SB_ASSERT(is_between_0_and(ship->condition[i], m->subsystems[i].max_condition));
    for (unsigned i = 0; i < m->child_count; i++)
        SB_ASSERT(is_between_0_and(ship->child_condition[i], m->children[i].max_condition));
    for (unsigned i = 0; i < SB_FACINGS; i++)
        SB_ASSERT(is_between_0_and(ship->facing[i], sb_combat_facing_max(f, i)));
}

static void check_shields(const sb_combat *c, const sb_fighter *f)
{
    for (unsigned i = 0; i < SB_FACINGS; i++)
        SB_ASSERT(is_between_0_and(f->facing_fraction[i], 1.0f));
    for (unsigned i = 0; i < 3; i++) SB_ASSERT(f->ellipsoid.half[i] > 0.0f);
    if (f->life == SB_LIFE_ALIVE && sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS))
        SB_ASSERT(f->recharge_at > c->step);
}

static void check_power(const sb_fighter *f)
{
    const sb_ship *ship = f->ship;
    SB_ASSERT(is_between_0_and(ship->main_battery, ship->model->main_battery));
    SB_ASSERT(is_between_0_and(ship->backup_battery, ship->model->backup_battery));
    SB_ASSERT(is_between_0_and(f->main_conduit, ship->model->main_battery));
    SB_ASSERT(is_between_0_and(f->backup_conduit, ship->model->backup_battery));
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        SB_ASSERT(is_between_0_and(f->efficiency[i], 1.0f));
        SB_ASSERT(is_between_0_and(f->performance[i], 1.25f));
    }
}

/* ---- life and cloak ---- */

static void check_life(const sb_combat *c, const sb_fighter *f)
{
    /* Every call that kills a ship also makes it explode: no ship is left dying. */
    SB_ASSERT(f->life == SB_LIFE_ALIVE || f->life == SB_LIFE_EXPLODING);
    SB_ASSERT(f->added_at <= c->step);
    SB_ASSERT(f->killer.cause < SB_DAMAGE_CAUSES);
    if (f->life == SB_LIFE_ALIVE) {
        SB_ASSERT(f->killer.attacker == 0 && f->killer.ship == 0);
        return;
    }
    SB_ASSERT(f->gone_at >= c->step);
    SB_ASSERT(f->ordered == 0);
    SB_ASSERT(f->cloak_state == SB_CLOAK_OFF || f->cloak_state == SB_CLOAK_DISENGAGING);
    SB_ASSERT(!f->tractor_fires);
    SB_ASSERT(f->drag == 0.0f);
}

static bool is_cloak_state(unsigned state)
{
    return state == SB_CLOAK_OFF || state == SB_CLOAK_ENGAGING || state == SB_CLOAK_ON ||
           state == SB_CLOAK_DISENGAGING;
}

static void check_cloak(const sb_combat *c, const sb_fighter *f)
{
    uint32_t time = sb_combat_steps_from_seconds(f->constants.cloak_time);
    SB_ASSERT(is_cloak_state(f->cloak_state));
    SB_ASSERT(f->cloak_state == SB_CLOAK_OFF || f->cloak != SB_NO_PART);
    SB_ASSERT(f->cloak_timer <= (time > 0 ? time : 1));
    if (f->life != SB_LIFE_ALIVE)
        return; /* a death switches the cloak off and leaves the shields */
    SB_ASSERT(!f->shields_change || f->shields_change_at > c->step);
    /* After the pending change, if any, the shields are lowered exactly if the cloak is not off. */
    SB_ASSERT((f->shields_lowered != f->shields_change) == (f->cloak_state != SB_CLOAK_OFF));
}

/* ---- weapons ---- */

static bool is_beam(const sb_weapon *w)
{
    return w->type == SB_SUBSYSTEM_PHASER_BANK || w->type == SB_SUBSYSTEM_TRACTOR_PROJECTOR;
}

/* Learning an id can exchange the charges of two weapons of a type (ids.c). */
static float max_charge_of_type(const sb_fighter *f, unsigned type)
{
    float most = 0.0f;
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (f->weapons[i].type == type && f->weapons[i].figures->max_charge > most)
            most = f->weapons[i].figures->max_charge;
    return most;
}

static void check_tube(const sb_combat *c, const sb_fighter *f, const sb_weapon *w)
{
    const sb_combat_constants *k = &f->constants;
    bool                       cannon = w->type == SB_SUBSYSTEM_PULSE_WEAPON;
    float ahead = (float)(int32_t)(w->fired_at - c->step) * SB_STEP_SECONDS; /* of an early shot */
    SB_ASSERT(ahead <= (cannon ? k->cooldown_tolerance : k->torpedo_tolerance) + SB_STEP_SECONDS);
    SB_ASSERT(!w->in_burst || (w->has_fired && w->type == SB_SUBSYSTEM_PULSE_WEAPON));
    if (w->type != SB_SUBSYSTEM_TORPEDO_TUBE) {
        SB_ASSERT(w->ready == 0 && w->loading == 0);
        SB_ASSERT(!w->has_fired || w->type == SB_SUBSYSTEM_PULSE_WEAPON);
        return;
    }
    SB_ASSERT(w->ready + w->loading == sb_combat_tube_places(w));
    for (unsigned i = 1; i < w->loading; i++) SB_ASSERT(w->loaded_at[i - 1] <= w->loaded_at[i]);
}

static void check_weapon(const sb_combat *c, const sb_fighter *f, const sb_weapon *w)
{
    const sb_ship_class *m = f->ship->model;
    SB_ASSERT(w->child < m->child_count);
    SB_ASSERT(w->system < m->subsystem_count);
    SB_ASSERT(w->child >= m->subsystems[w->system].first_child);
    SB_ASSERT(w->child - m->subsystems[w->system].first_child <
              m->subsystems[w->system].child_count);
    SB_ASSERT(w->type == m->children[w->child].type);
    SB_ASSERT(w->figures && w->figures == m->children[w->child].weapon);
    SB_ASSERT(is_between_0_and(w->charge, max_charge_of_type(f, w->type)));
    check_tube(c, f, w);
    if (w->type == SB_SUBSYSTEM_PULSE_WEAPON)
        SB_ASSERT(is_between_0_and(w->owed, f->constants.pulse_tolerance));
    if (!w->firing) return;
    SB_ASSERT(is_beam(w));
    if (w->type == SB_SUBSYSTEM_PHASER_BANK) SB_ASSERT(w->quanta <= w->beam_age);
    SB_ASSERT(f->ordered >> w->system & 1);
    SB_ASSERT(f->cloak_state != SB_CLOAK_ON);
}

static unsigned count_firing_banks(const sb_fighter *f, unsigned system)
{
    unsigned count = 0;
    for (unsigned i = 0; i < f->weapon_count; i++)
        count += f->weapons[i].system == system && f->weapons[i].firing &&
                 f->weapons[i].type == SB_SUBSYSTEM_PHASER_BANK;
    return count;
}

static void check_single_fire(const sb_fighter *f)
{
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++) {
        if (f->ship->model->subsystems[i].single_fire == SB_PROPERTY_YES)
            SB_ASSERT(count_firing_banks(f, i) <= 1);
    }
}

static void check_orders(const sb_combat *c, const sb_fighter *f)
{
    static const sb_cv4b nowhere;
    if (!sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS)) SB_ASSERT(f->ordered == 0);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        if (f->ordered >> i & 1) {
            SB_ASSERT(i < f->ship->model->subsystem_count);
            SB_ASSERT(sb_is_weapon_system(f->ship->model->subsystems[i].type));
        } else {
            SB_ASSERT(f->aimed_at[i] == 0);
            SB_ASSERT(memcmp(&f->aim[i], &nowhere, sizeof nowhere) == 0);
        }
    }
}

static void check_weapons(const sb_combat *c, const sb_fighter *f)
{
    SB_ASSERT(f->weapon_count <= SB_WEAPONS_MAX);
    for (unsigned i = 0; i < f->weapon_count; i++) check_weapon(c, f, &f->weapons[i]);
    check_single_fire(f);
    SB_ASSERT(f->target != f->object_id);
    SB_ASSERT(is_between_0_and(f->drag, 1.0f));
    SB_ASSERT(!(f->drag > 0.0f) || f->tractor_fires);
    SB_ASSERT(!f->tractor_fires || !f->tractors_shed);
    check_orders(c, f);
}

/* ---- repair and collisions ---- */

/* The set and the queue hold the same parts, each once. */
static void check_repair(const sb_fighter *f)
{
    sb_part_set found = { { 0, 0 } };
    SB_ASSERT(f->queue_size <= SB_PARTS);
    SB_ASSERT(f->queue_size == 0 || f->repair != SB_NO_PART);
    for (unsigned i = 0; i < f->queue_size; i++) {
        SB_ASSERT(is_part(f->ship->model, f->queue[i]));
        SB_ASSERT(!sb_part_set_has(&found, f->queue[i]));
        sb_part_set_add(&found, f->queue[i]);
    }
    SB_ASSERT(found.bits[0] == f->queued.bits[0] && found.bits[1] == f->queued.bits[1]);
    check_part_set(f->ship->model, &f->hit_parts);
    SB_ASSERT((f->hit_parts.bits[0] & f->queued.bits[0]) == 0);
    SB_ASSERT((f->hit_parts.bits[1] & f->queued.bits[1]) == 0);
}

static void check_collisions(const sb_fighter *f)
{
    SB_ASSERT(f->pair_next < SB_COLLISION_PAIRS);
    for (unsigned i = 0; i < f->pair_next; i++) SB_ASSERT(f->pairs[i].used);
    for (unsigned i = 0; i < SB_COLLISION_PAIRS; i++)
        for (unsigned k = 0; k < i; k++)
            SB_ASSERT(!f->pairs[i].used || f->pairs[i].other != f->pairs[k].other);
    SB_ASSERT(f->volume_count <= SB_COMBAT_VOLUMES);
    SB_ASSERT(f->volume_next < SB_COMBAT_VOLUMES);
    SB_ASSERT(f->volume_count == SB_COMBAT_VOLUMES || f->volume_next == f->volume_count);
}

/* ---- fighters and shots ---- */

static void check_position(sb_vec3 position)
{
    SB_ASSERT(fabsf(position.x) <= 1e7f);
    SB_ASSERT(fabsf(position.y) <= 1e7f);
    SB_ASSERT(fabsf(position.z) <= 1e7f);
}

/* A ship without a model has motion, explodes, and has nothing else. */
static void check_ship_without_model(const sb_combat *c, const sb_fighter *f)
{
    SB_ASSERT(f->life != SB_LIFE_DYING);
    SB_ASSERT(f->life != SB_LIFE_EXPLODING || f->gone_at >= c->step);
    SB_ASSERT(f->hull == SB_NO_PART);
    SB_ASSERT(f->weapon_count == 0);
    SB_ASSERT(f->ordered == 0);
    SB_ASSERT(f->queue_size == 0);
    SB_ASSERT(f->volume_count == 0);
}

static void check_fighter(const sb_combat *c, const sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    SB_ASSERT(f->object_id != 0);
    SB_ASSERT(f->object_id == f->ship->object_id);
    SB_ASSERT(sb_combat_find_fighter(c, f->object_id) == f);
    check_position(f->position);
    if (!m) {
        check_ship_without_model(c, f);
        return;
    }
    check_entry(m, f->hull, SB_SUBSYSTEM_HULL);
    check_entry(m, f->shields, SB_SUBSYSTEM_SHIELD);
    check_entry(m, f->reactor, SB_SUBSYSTEM_POWER);
    check_entry(m, f->cloak, SB_SUBSYSTEM_CLOAK);
    check_entry(m, f->repair, SB_SUBSYSTEM_REPAIR);
    check_ids(f);
    check_conditions(f);
    check_shields(c, f);
    check_power(f);
    check_life(c, f);
    check_cloak(c, f);
    check_weapons(c, f);
    check_repair(f);
    check_collisions(f);
}

static void check_fighters(const sb_combat *c)
{
    uint32_t count = 0;
    SB_ASSERT(c->top <= c->config.max_ships);
    SB_ASSERT(c->top == 0 || c->fighters[c->top - 1].ship);
    for (uint32_t i = c->top; i < c->config.max_ships; i++) SB_ASSERT(c->ids[i] == 0);
    for (uint32_t i = 0; i < c->top; i++) {
        const sb_fighter *f = &c->fighters[i];
        SB_ASSERT(c->ids[i] == (f->ship ? f->object_id : 0));
        if (!f->ship) continue;
        count++;
        check_fighter(c, f);
    }
    SB_ASSERT(c->ship_count == count);
}

static void check_shot(const sb_shot *s)
{
    SB_ASSERT(s->figures);
    SB_ASSERT(s->figures->kind < SB_PROJECTILE_KIND_COUNT);
    SB_ASSERT(!s->spent);
    SB_ASSERT(s->damage >= 0.0f);
    SB_ASSERT(s->launcher != 0);
    SB_ASSERT(s->target != s->launcher);
    SB_ASSERT(s->age == 0 || (float)s->age * SB_STEP_SECONDS < s->life);
    SB_ASSERT(fabsf(sb_v_dot(s->direction, s->direction) - 1.0f) < 1e-3f);
    SB_ASSERT(isfinite(s->position.x) && isfinite(s->position.y) && isfinite(s->position.z));
}

static unsigned count_shots_of(const sb_combat *c, uint32_t launcher)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < c->shot_count; i++) count += c->shots[i].launcher == launcher;
    return count;
}

static void check_shots(const sb_combat *c)
{
    SB_ASSERT(c->shot_count <= c->shot_capacity);
    SB_ASSERT(c->shot_count == 0 || sb_combat_is_simulated(c, SB_FIDELITY_WEAPONS));
    for (uint32_t i = 0; i < c->shot_count; i++) check_shot(&c->shots[i]);
    for (uint32_t i = 0; i < c->top; i++)
        if (c->ids[i]) SB_ASSERT(count_shots_of(c, c->ids[i]) <= SB_COMBAT_PROJECTILES);
}

void sb_combat_check(const sb_combat *c)
{
    SB_ASSERT(sb_combat_bytes(&c->config) > 0);
    SB_ASSERT(c->config.projectiles);
    SB_ASSERT(c->on_event || !c->trace_gains);
    check_fighters(c);
    check_shots(c);
}
