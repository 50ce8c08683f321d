/* src/combat/power.c -- the power budget of a ship and the subsystems that draw on it.
 *
 * For:      combat.c, once per step. Batteries drain alike under both rules of power; the rule
 *           decides whether a shortage lowers efficiency and performance.
 * Spec:     10 §4.
 * Tests:    tests/combat/power_test.c, tractor_test.c
 */
#include "combat/combat_internal.h"

#include "ship/codes.h"

/* A new ship's subsystems count as fully supplied, as in the creation message. */
void sb_combat_init_power(sb_fighter *f)
{
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) f->efficiency[i] = f->performance[i] = 1.0f;
}

/* §4.3: charges the batteries and sets the conduits for power_interval. */
static void start_budget(const sb_combat *c, sb_fighter *f, bool frozen)
{
    uint32_t             steps = sb_combat_steps_from_seconds(f->constants.power_interval);
    float                n = steps > 0 ? (float)steps / SB_COMBAT_STEPS_PER_S : SB_STEP_SECONDS;
    sb_ship             *ship = f->ship;
    const sb_ship_class *m = ship->model;
    bool                 has_reactor = f->reactor != SB_NO_PART;
    float                condition = has_reactor ? sb_ship_ratio(ship, f->reactor) : 0.0f;
    bool                 runs = has_reactor && !sb_ship_is_disabled(ship, f->reactor);
    float                gen = runs ? m->power_output * condition * n : 0.0f;
    if (!frozen) {
        float to_main = sb_smaller(gen, m->main_battery - ship->main_battery);
        ship->main_battery += to_main;
        ship->backup_battery += sb_smaller(gen - to_main, m->backup_battery - ship->backup_battery);
    }
    f->budget_ends_at = c->step + steps;
    f->main_conduit = sb_smaller(ship->main_battery, m->main_conduit * condition * n);
    f->backup_conduit = sb_smaller(ship->backup_battery, m->backup_conduit * n);
}

/* The energy that one step draws from the batteries. It is subtracted at the end of the step: a
 * float of 200,000 is too coarse for single draws of a thirtieth of a unit. */
typedef struct drain {
    float main, backup;
} drain;

static float draw_conduit(float *conduit, float *drained, float wanted)
{
    float x = sb_smaller(wanted, *conduit);
    *conduit -= x;
    *drained += x;
    return x;
}

/* Bypasses the conduit, which then cannot give more than the battery still holds. */
static float draw_battery(float battery, float *conduit, float *drained, float wanted)
{
    float left = battery > *drained ? battery - *drained : 0.0f;
    float x = sb_smaller(wanted, left);
    *drained += x;
    *conduit = sb_smaller(*conduit, left - x);
    return x;
}

static float draw_by_mode(sb_fighter *f, drain *d, uint8_t mode, float wanted)
{
    const sb_ship *ship = f->ship;
    if (mode == SB_POWER_MAIN_BATTERY)
        return draw_battery(ship->main_battery, &f->main_conduit, &d->main, wanted);
    if (mode == SB_POWER_BACKUP_ONLY)
        return draw_battery(ship->backup_battery, &f->backup_conduit, &d->backup, wanted);
    float x = draw_conduit(&f->main_conduit, &d->main, wanted);
    return x < wanted ? x + draw_conduit(&f->backup_conduit, &d->backup, wanted - x) : x;
}

/* Tractors draw only while a projector fires, the cloak only while it is engaged (§4.4). */
static bool draws_power(const sb_fighter *f, unsigned index)
{
    uint8_t type = f->ship->model->subsystems[index].type;
    if (type == SB_SUBSYSTEM_CLOAK)
        return f->cloak_state == SB_CLOAK_ENGAGING || f->cloak_state == SB_CLOAK_ON;
    if (type == SB_SUBSYSTEM_TRACTOR_SYSTEM && !f->tractor_fires) return false;
    return f->ship->on[index];
}

static float slider_setting(float wanted)
{
    return wanted > 0.0f ? sb_smaller(wanted, 1.25f) : 0.0f; /* NaN gives 0 */
}

/* Draws the power of one entry for one step. */
static void draw_entry(sb_fighter *f, drain *d, unsigned index, bool never_short)
{
    const sb_subsystem_class *s = &f->ship->model->subsystems[index];
    bool                      on = draws_power(f, index);
    float                     full = on ? s->power_per_second * SB_STEP_SECONDS : 0.0f;
    float                     setting = 1.0f, efficiency = 0.0f;
    if (s->power_mode != SB_POWER_MAIN_BATTERY) /* measured: the slider does not scale tractors */
        setting = slider_setting(f->ship->power_wanted[index]);
    float wanted = full * setting;
    if (wanted > 0.0f) {
        float received = draw_by_mode(f, d, s->power_mode, wanted);
        efficiency = never_short ? 1.0f : received / wanted;
    }
    f->efficiency[index] = efficiency;
    f->performance[index] = full > 0.0f ? setting * efficiency : 1.0f;
}

/* §4.4, rule stock: on the stock host a player's ship drains its batteries, but only the host's own
 * ship is tested for a shortage. */
static bool is_never_short(const sb_combat *c, const sb_fighter *f)
{
    return c->config.power == SB_POWER_STOCK && f->owner != 0;
}

static void lower_battery(float *battery, float by)
{
    *battery = *battery > by ? *battery - by : 0.0f;
}

/* Measured: a low main battery switches the tractors off until it has recovered a little. */
static void shed_tractors(sb_fighter *f)
{
    const sb_combat_constants *k = &f->constants;
    float                      limit = f->tractors_shed ? k->tractor_return : k->tractor_shed;
    f->tractors_shed = f->ship->main_battery <= limit * f->ship->model->main_battery;
}

void sb_combat_step_power(sb_combat *c, sb_fighter *f)
{
    bool  frozen = f->constants.battery_frozen > 0.0f, never_short = is_never_short(c, f);
    drain d = { 0, 0 };
    if (c->step >= f->budget_ends_at) start_budget(c, f, frozen);
    shed_tractors(f);
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++)
        if (sb_is_powered(&f->ship->model->subsystems[i])) draw_entry(f, &d, i, never_short);
    if (frozen) return;
    lower_battery(&f->ship->main_battery, d.main);
    lower_battery(&f->ship->backup_battery, d.backup);
}

void sb_combat_step_sliders(sb_combat *c, sb_fighter *f)
{
    (void)c;
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++)
        if (f->ship->model->subsystems[i].type == SB_SUBSYSTEM_PULSE_SYSTEM)
            f->performance[i] = f->ship->on[i] ? slider_setting(f->ship->power_wanted[i]) : 1.0f;
}
