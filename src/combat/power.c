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

static float draw_main(sb_fighter *f, drain *d, float wanted)
{
    float x = sb_smaller(wanted, f->main_conduit);
    f->main_conduit -= x;
    d->main += x;
    return x;
}

static float backup_left(const sb_fighter *f, const drain *d)
{
    float left = f->ship->backup_battery - d->backup;
    return left > 0.0f ? left : 0.0f;
}

/* The battery limits the draw too: the cloak, which bypasses the conduit, may have emptied it. */
static float draw_backup(sb_fighter *f, drain *d, float wanted)
{
    float x = sb_smaller(sb_smaller(wanted, f->backup_conduit), backup_left(f, d));
    f->backup_conduit -= x;
    d->backup += x;
    return x;
}

static float draw_by_mode(sb_fighter *f, drain *d, uint8_t mode, float wanted)
{
    float x;
    switch (mode) {
    case SB_POWER_BACKUP_ONLY: /* from the battery, not through the conduit (§17 C8) */
        x = sb_smaller(wanted, backup_left(f, d));
        d->backup += x;
        return x;
    case SB_POWER_BACKUP_FIRST:
        x = draw_backup(f, d, wanted);
        return x < wanted ? x + draw_main(f, d, wanted - x) : x;
    default: x = draw_main(f, d, wanted); return x < wanted ? x + draw_backup(f, d, wanted - x) : x;
    }
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
    float                     wanted = full * slider_setting(f->ship->power_wanted[index]);
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
