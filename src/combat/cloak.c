/* src/combat/cloak.c -- the states of a cloaking device.
 *
 * For:      combat.c, once per step.
 * Spec:     10 §10. The owner asks for a state by the cloak bit of StateUpdate (ship->cloaked) and
 *           by events (sb_combat_cloak, sb_combat_switch), which set ship->cloaked, too. The newest
 *           counts; a bit that repeats the state changes nothing. When a device fails, cloak_wanted
 *           is cleared: otherwise the device would start again as soon as the ship is visible.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

static void enter_state(sb_combat *c, sb_fighter *f, sb_cloak_state state)
{
    f->cloak_state = (uint8_t)state;
    sb_combat_report(c, &(sb_combat_event){ .type = SB_COMBAT_CLOAK,
                                            .object_id = f->object_id,
                                            .index = (uint8_t)state,
                                            .child = -1 });
}

/* Lowers or raises the shields after shield_delay; replaces a change that is still pending. */
static void schedule_shields(sb_combat *c, sb_fighter *f, bool lower)
{
    f->shields_change = f->shields_lowered != lower;
    f->shields_change_at = c->step + sb_combat_steps_from_seconds(f->constants.shield_delay);
}

static void engage(sb_combat *c, sb_fighter *f)
{
    SB_ASSERT(f->cloak_state == SB_CLOAK_OFF || f->cloak_state == SB_CLOAK_DISENGAGING);
    if (f->cloak_state == SB_CLOAK_OFF) {
        SB_ASSERT(f->cloak_timer == 0);
        schedule_shields(c, f, true);
    }
    enter_state(c, f, SB_CLOAK_ENGAGING);
}

/* Beams fire until the ship is hidden: only SB_CLOAK_ON blocks weapons. */
static void become_hidden(sb_combat *c, sb_fighter *f)
{
    enter_state(c, f, SB_CLOAK_ON);
    for (unsigned i = 0; i < f->ship->model->subsystem_count; i++) sb_combat_stop_system(f, i);
}

static void disengage(sb_combat *c, sb_fighter *f)
{
    SB_ASSERT(f->cloak_state == SB_CLOAK_ENGAGING || f->cloak_state == SB_CLOAK_ON);
    enter_state(c, f, SB_CLOAK_DISENGAGING);
}

static void become_visible(sb_combat *c, sb_fighter *f)
{
    enter_state(c, f, SB_CLOAK_OFF);
    schedule_shields(c, f, false);
    sb_combat_raise_shields_to_floor(c, f);
}

static bool is_cloak_usable(const sb_fighter *f)
{
    return f->cloak != SB_NO_PART && !sb_ship_is_disabled(f->ship, f->cloak);
}

/* Never true with frozen batteries, nor for a player's ship under SB_POWER_STOCK: its efficiency
 * stays at 1. power.c has already computed the efficiency of this step. */
static bool lacks_power(const sb_combat *c, const sb_fighter *f)
{
    const sb_combat_constants *k = &f->constants;
    return sb_combat_is_simulated(c, SB_FIDELITY_COLLISIONS) && !(k->battery_frozen > 0.0f) &&
           f->cloak_state == SB_CLOAK_ON && f->efficiency[f->cloak] < k->cloak_efficiency;
}

static void update_cloak_state(sb_combat *c, sb_fighter *f)
{
    if (f->ship->cloaked != f->cloak_bit_seen)
        f->cloak_wanted = f->cloak_bit_seen = f->ship->cloaked;
    bool engaged = f->cloak_state == SB_CLOAK_ENGAGING || f->cloak_state == SB_CLOAK_ON;
    if (engaged && (!is_cloak_usable(f) || lacks_power(c, f))) f->cloak_wanted = false;
    if (f->cloak_wanted && !engaged && is_cloak_usable(f)) engage(c, f);
    if (!f->cloak_wanted && engaged) disengage(c, f);
}

/* Advances the timer of a ship that is decloaking. True: the ship is visible now. */
static bool advance_decloaking(sb_fighter *f)
{
    return f->cloak_state == SB_CLOAK_DISENGAGING && (f->cloak_timer == 0 || --f->cloak_timer == 0);
}

void sb_combat_step_cloak(sb_combat *c, sb_fighter *f)
{
    update_cloak_state(c, f);
    if (f->cloak_state == SB_CLOAK_ENGAGING &&
        ++f->cloak_timer >= sb_combat_steps_from_seconds(f->constants.cloak_time))
        become_hidden(c, f);
    else if (advance_decloaking(f)) become_visible(c, f);
    if (f->shields_change && c->step >= f->shields_change_at) {
        f->shields_lowered = !f->shields_lowered;
        f->shields_change = false;
    }
}

void sb_combat_decloak_dying(sb_combat *c, sb_fighter *f)
{
    f->cloak_wanted = f->cloak_bit_seen = f->ship->cloaked = false;
    if (f->cloak_state == SB_CLOAK_ENGAGING || f->cloak_state == SB_CLOAK_ON) disengage(c, f);
}

void sb_combat_step_wreck_cloak(sb_combat *c, sb_fighter *f)
{
    if (advance_decloaking(f)) enter_state(c, f, SB_CLOAK_OFF);
}
