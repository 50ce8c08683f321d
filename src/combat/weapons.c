/* src/combat/weapons.c -- charge, reload, and the conditions for firing.
 *
 * Spec:     10 §6.1 to §6.4.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

static float figure_or_0(float value)
{
    return value > 0.0f ? value : 0.0f; /* NaN, a figure that does not apply, gives 0 */
}

uint8_t sb_combat_tube_places(const sb_weapon *w)
{
    int places = w->figures->max_ready;
    return (uint8_t)(places < 1 ? 1 : places > SB_TUBE_PLACES ? SB_TUBE_PLACES : places);
}

static void add_weapon(sb_fighter *f, unsigned system, unsigned child)
{
    const sb_subsystem_class *s = &f->ship->model->children[child];
    if (!s->weapon || f->weapon_count == SB_WEAPONS_MAX) return;
    sb_weapon *w = &f->weapons[f->weapon_count++];
    *w = (sb_weapon){
        .figures = s->weapon, .type = s->type, .system = (uint8_t)system, .child = (uint8_t)child
    };
    w->charge = figure_or_0(s->weapon->max_charge);
    if (w->type == SB_SUBSYSTEM_TORPEDO_TUBE) w->ready = sb_combat_tube_places(w);
}

/* A number that is not known is no limit (§6.4). */
static void init_ammo(sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    for (unsigned i = 0; i < SB_AMMO_SLOTS; i++) f->ammo[i] = SB_AMMO_UNLIMITED;
    for (unsigned i = 0; i < m->ordnance_count; i++) {
        const sb_ordnance *o = &m->ordnance[i];
        bool known = o->max_torpedoes >= 0.0f && o->max_torpedoes < (float)SB_AMMO_UNLIMITED;
        if (o->system_type == SB_SUBSYSTEM_TORPEDO_SYSTEM && o->slot < SB_AMMO_SLOTS && known)
            f->ammo[o->slot] = (uint16_t)o->max_torpedoes;
    }
}

/* Banks and cannons start charged, tubes loaded. */
void sb_combat_init_weapons(sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    init_ammo(f);
    for (unsigned i = 0; i < m->subsystem_count; i++)
        for (unsigned j = 0; j < m->subsystems[i].child_count; j++)
            add_weapon(f, i, m->subsystems[i].first_child + j);
}

/* ---- charge ---- */

/* Pays what the cannon owes for bolts that were early; returns what is left. */
static float pay(sb_weapon *w, float gain)
{
    float paid = sb_smaller(w->owed, gain);
    w->owed -= paid;
    return gain - paid;
}

/* §6.2 for banks, §6.3 for cannons. */
static void recharge(const sb_fighter *f, sb_weapon *w)
{
    float max = figure_or_0(w->figures->max_charge);
    if (w->firing || w->charge >= max) return;
    float rate = figure_or_0(w->figures->recharge_rate) * f->constants.beam_recharge_others;
    float gain =
        rate * sb_ship_child_ratio(f->ship, w->child) * f->performance[w->system] * SB_STEP_SECONDS;
    if (w->type == SB_SUBSYSTEM_PULSE_WEAPON) gain = pay(w, gain);
    w->charge = sb_smaller(max, w->charge + gain);
}

/* ---- ammunition, §6.4 ---- */

enum { NOT_COUNTED = -1 };

static int counted_slot(const sb_fighter *f, const sb_ordnance *o)
{
    bool counted = o && o->slot < SB_AMMO_SLOTS && f->ammo[o->slot] != SB_AMMO_UNLIMITED;
    return counted ? o->slot : NOT_COUNTED;
}

/* A slot that the class does not list stands for the first one, as for the figures of a shot:
 * otherwise an unlisted slot would be ammunition without end. */
const sb_ordnance *sb_combat_loaded_torpedo(const sb_fighter *f, unsigned system)
{
    const sb_ship_class *m = f->ship->model;
    const sb_ordnance   *found = NULL;
    for (unsigned i = 0; i < m->ordnance_count; i++) {
        if (m->ordnance[i].system_type != SB_SUBSYSTEM_TORPEDO_SYSTEM) continue;
        if (!found || m->ordnance[i].slot == f->ship->setting[system]) found = &m->ordnance[i];
    }
    return found;
}

static const sb_ordnance *find_torpedo(const sb_fighter *f, uint8_t type)
{
    const sb_ship_class *m = f->ship->model;
    for (unsigned i = 0; i < m->ordnance_count; i++) {
        const sb_ordnance *o = &m->ordnance[i];
        if (o->system_type == SB_SUBSYSTEM_TORPEDO_SYSTEM && o->projectile_type == type) return o;
    }
    return NULL;
}

bool sb_combat_carries_torpedo(const sb_fighter *f, uint8_t type)
{
    return find_torpedo(f, type) != NULL;
}

static int chosen_slot(const sb_fighter *f, unsigned system)
{
    return counted_slot(f, sb_combat_loaded_torpedo(f, system));
}

/* A type that the class lists has its own number, whatever slot is chosen; any other type counts as
 * the chosen one. */
static int slot_of_type(const sb_fighter *f, unsigned system, uint8_t type)
{
    const sb_ordnance *o = find_torpedo(f, type);
    return o ? counted_slot(f, o) : chosen_slot(f, system);
}

bool sb_combat_has_torpedo(const sb_fighter *f, unsigned system, uint8_t projectile_type)
{
    int slot = slot_of_type(f, system, projectile_type);
    return slot == NOT_COUNTED || f->ammo[slot] > 0;
}

void sb_combat_spend_torpedo(sb_fighter *f, unsigned system, uint8_t projectile_type)
{
    int slot = slot_of_type(f, system, projectile_type);
    if (slot == NOT_COUNTED) return;
    SB_ASSERT(f->ammo[slot] > 0);
    f->ammo[slot]--;
}

/* Torpedoes that lie in the tubes of a system. */
static unsigned loaded_torpedoes(const sb_fighter *f, unsigned system)
{
    unsigned count = 0;
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->system == system) count += SB_WEAPON(f, i)->ready;
    return count;
}

/* A tube is loaded only while a torpedo of the chosen type is left that lies in no tube. */
static bool has_torpedo_to_load(const sb_fighter *f, unsigned system)
{
    int slot = chosen_slot(f, system);
    return slot == NOT_COUNTED || f->ammo[slot] > loaded_torpedoes(f, system);
}

/* ---- reload ---- */

/* §6.4: each place is ready again reload_delay after it was emptied. */
static void reload(const sb_combat *c, const sb_fighter *f, sb_weapon *w)
{
    while (w->loading > 0 && c->step >= w->loaded_at[0] && has_torpedo_to_load(f, w->system)) {
        for (unsigned i = 1; i < w->loading; i++) w->loaded_at[i - 1] = w->loaded_at[i];
        w->loading--;
        w->ready++;
    }
}

void sb_combat_step_weapons(sb_combat *c, sb_fighter *f)
{
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (w->type == SB_SUBSYSTEM_TORPEDO_TUBE) reload(c, f, w);
        else recharge(f, w);
    }
}

void sb_combat_fit_tube(sb_weapon *w)
{
    if (w->type != SB_SUBSYSTEM_TORPEDO_TUBE) return;
    uint8_t places = sb_combat_tube_places(w);
    if (w->loading > places) w->loading = places; /* drops the places that are ready last */
    w->ready = (uint8_t)(places - w->loading);
}

/* §6.4: after a change of the torpedo type, all places reload. */
void sb_combat_empty_tubes(sb_combat *c, sb_fighter *f, unsigned system)
{
    for (unsigned i = 0; i < f->weapon_count; i++) {
        sb_weapon *w = SB_WEAPON(f, i);
        if (w->type != SB_SUBSYSTEM_TORPEDO_TUBE || w->system != system) continue;
        w->ready = 0;
        w->loading = sb_combat_tube_places(w);
        for (unsigned k = 0; k < w->loading; k++)
            w->loaded_at[k] = c->step + sb_combat_steps_from_seconds(w->figures->reload_delay);
    }
}

/* ---- conditions for firing, §6.1 ---- */

bool sb_combat_is_armed(const sb_combat *c, const sb_fighter *f)
{
    return c->step >= f->armed_at;
}

bool sb_combat_may_fire_system(const sb_combat *c, const sb_fighter *f, unsigned system)
{
    return sb_combat_is_armed(c, f) && f->cloak_state != SB_CLOAK_ON && f->ship->on[system] &&
           !sb_ship_is_disabled(f->ship, system);
}

/* A weapon whose condition ratio equals its threshold is disabled, so a destroyed weapon is
 * disabled even with a threshold of 0. */
bool sb_combat_may_fire_weapon(const sb_fighter *f, const sb_weapon *w)
{
    return !sb_ship_is_child_disabled(f->ship, w->child);
}

bool sb_combat_may_fire_at(const sb_fighter *f, const sb_fighter *target)
{
    return target->life == SB_LIFE_ALIVE && target->set == f->set &&
           target->cloak_state != SB_CLOAK_ON;
}

sb_fighter *sb_combat_target_of(const sb_combat *c, const sb_fighter *f, unsigned system)
{
    uint32_t id = f->aimed_at[system] ? f->aimed_at[system] : f->target;
    if (id == f->object_id) return NULL;
    sb_fighter *target = sb_combat_find_fighter(c, id);
    return target && sb_combat_may_fire_at(f, target) ? target : NULL;
}

sb_vec3 sb_combat_vector_to(const sb_fighter *f, const sb_weapon *w, sb_vec3 centre)
{
    const sb_subsystem_class *s = &f->ship->model->children[w->child];
    return s->has_position ? sb_v_sub(centre, sb_v_from(s->position)) : centre;
}

void sb_combat_stop_system(sb_fighter *f, unsigned system)
{
    SB_ASSERT(system < SB_SUBSYSTEMS_MAX);
    f->ordered &= ~((uint32_t)1 << system);
    f->aimed_at[system] = 0;
    f->aim[system] = (sb_cv4b){ 0 };
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (SB_WEAPON(f, i)->system == system) SB_WEAPON(f, i)->firing = false;
}
