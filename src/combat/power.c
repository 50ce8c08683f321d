/* src/combat/power.c -- the power budget of a ship and the subsystems that draw on it.
 *
 * Spec:     10 §4.
 */
#include "combat/combat_internal.h"

#include "ship/codes.h"

#include <math.h>

/* A new ship's subsystems count as fully supplied, as in the creation message. */
void sb_combat_init_power(sb_fighter *f)
{
    f->main_conduit = f->backup_conduit = 0.0f;
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) f->efficiency[i] = f->performance[i] = 1.0f;
}

/* §4.3: charges the batteries and sets the conduits, for `n` seconds. */
static void start_budget(sb_fighter *f, bool frozen, float n)
{
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
    f->main_conduit = sb_smaller(ship->main_battery, m->main_conduit * condition * n);
    f->backup_conduit = sb_smaller(ship->backup_battery, m->backup_conduit * n);
}

/* The energy that one step draws from the batteries. It is subtracted at the end of the step: a
 * float of 200,000 is too coarse for single draws of a thirtieth of a unit. */
typedef struct drain {
    float main, backup;
} drain;

static float draw_battery(float battery, float *drained, float wanted)
{
    float left = battery - *drained;
    float x = left > 0.0f ? sb_smaller(wanted, left) : 0.0f;
    *drained += x;
    return x;
}

/* The battery limits the draw too: tractors and cloak, which bypass the conduits, may have emptied
 * it. */
static float draw_through(float *conduit, float battery, float *drained, float wanted)
{
    float x = draw_battery(battery, drained, sb_smaller(wanted, *conduit));
    *conduit -= x;
    return x;
}

static float draw_by_mode(sb_fighter *f, drain *d, uint8_t mode, float wanted)
{
    const sb_ship *ship = f->ship;
    if (mode == SB_POWER_MAIN_BATTERY) return draw_battery(ship->main_battery, &d->main, wanted);
    if (mode == SB_POWER_BACKUP_ONLY) return draw_battery(ship->backup_battery, &d->backup, wanted);
    float x = draw_through(&f->main_conduit, ship->main_battery, &d->main, wanted);
    if (!(x < wanted)) return x;
    return x + draw_through(&f->backup_conduit, ship->backup_battery, &d->backup, wanted - x);
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

static void draw_entry(sb_fighter *f, drain *d, unsigned index)
{
    const sb_subsystem_class *s = &f->ship->model->subsystems[index];
    bool                      on = draws_power(f, index);
    float                     full = on ? s->power_per_second * SB_STEP_SECONDS : 0.0f;
    float                     wanted = full;
    if (s->power_mode != SB_POWER_MAIN_BATTERY) /* measured: the slider does not scale tractors */
        wanted *= slider_setting(f->ship->power_wanted[index]);
    float received = wanted > 0.0f ? draw_by_mode(f, d, s->power_mode, wanted) : 0.0f;
    f->efficiency[index] = wanted > 0.0f ? received / wanted : 0.0f;
    f->performance[index] = full > 0.0f ? received / full : 1.0f;
}

static void lower_battery(float *battery, float by)
{
    *battery = *battery > by ? *battery - by : 0.0f;
}

void sb_combat_step_power(sb_combat *c, sb_fighter *f)
{
    bool     frozen = f->constants.battery_frozen > 0.0f;
    drain    d = { 0, 0 };
    uint32_t interval = sb_combat_steps_from_seconds(f->constants.power_interval);
    if (interval == 0) interval = 1;
    if ((c->step - f->added_at - 1) % interval == 0)
        start_budget(f, frozen, (float)interval / (float)SB_COMBAT_STEPS_PER_S);
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++)
        if (sb_is_powered(&f->ship->model->subsystems[i])) draw_entry(f, &d, i);
    if (frozen) return;
    lower_battery(&f->ship->main_battery, d.main);
    lower_battery(&f->ship->backup_battery, d.backup);
}
