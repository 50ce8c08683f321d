/* src/combat/shields.c -- the six shield facings: choice, state, recharge, absorption.
 *
 * Spec:     10 §5.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"
#include "base/bytes.h"

/* §5.1: the largest of y, z, x, -y, -z, -x decides; of equal ones, the first in this order. */
unsigned sb_combat_facing_of(sb_vec3 v)
{
    const float          along[SB_FACINGS] = { v.y, v.z, v.x, -v.y, -v.z, -v.x };
    static const uint8_t facings[SB_FACINGS] = { 0, 2, 5, 1, 3, 4 };
    unsigned             best = 0;
    for (unsigned i = 1; i < SB_FACINGS; i++)
        if (along[i] > along[best]) best = i;
    return facings[best];
}

float sb_combat_facing_max(const sb_fighter *f, unsigned facing)
{
    SB_ASSERT(facing < SB_FACINGS);
    float max = f->ship->model->shield_max[facing];
    return sb_bits_finite(sb_float_bits(max)) ? max : f->constants.facing_default;
}

static bool has_working_generator(const sb_fighter *f)
{
    return f->shields != SB_NO_PART && !sb_ship_is_disabled(f->ship, f->shields);
}

bool sb_combat_has_shields_up(const sb_fighter *f)
{
    return has_working_generator(f) && f->ship->on[f->shields] && !f->shields_lowered;
}

static void report_change(const sb_combat *c, const sb_fighter *f, sb_combat_event_type type,
                          unsigned facing, float before)
{
    float now = f->ship->facing[facing];
    sb_combat_report(c, &(sb_combat_event){ .type = type,
                                            .object_id = f->object_id,
                                            .index = (uint8_t)facing,
                                            .child = -1,
                                            .amount = now > before ? now - before : before - now,
                                            .left = now });
}

/* ---- recharge, §5.3 ---- */

/* Recharges stay on the grid of shield_interval, at the nearest steps. */
static void schedule_recharge(sb_fighter *f)
{
    double   seconds = (double)++f->recharge_count * (double)f->constants.shield_interval;
    uint32_t due = f->added_at + sb_combat_nearest_step(seconds);
    f->recharge_at = due > f->recharge_at ? due : f->recharge_at + 1;
}

static void store_fractions(sb_fighter *f)
{
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float max = sb_combat_facing_max(f, i);
        f->facing_fraction[i] = max > 0.0f ? f->ship->facing[i] / max : 0.0f;
    }
}

void sb_combat_init_shields(sb_fighter *f)
{
    f->recharge_at = f->added_at;
    schedule_recharge(f);
    store_fractions(f);
}

static void recharge_facing(const sb_combat *c, sb_fighter *f, unsigned facing)
{
    const sb_combat_constants *k = &f->constants;
    float rate = f->ship->model->shield_rate[facing], max = sb_combat_facing_max(f, facing);
    float before = f->ship->facing[facing];
    if (!(rate > 0.0f) || !(before < max)) return;
    f->ship->facing[facing] =
        sb_smaller(max, before + rate * k->shield_recharge * k->shield_interval);
    if (c->trace_gains) report_change(c, f, SB_COMBAT_RECHARGED, facing, before);
}

/* Each facing recharges for itself, at every power setting, and also while the generator is
 * switched off: at green alert, when it draws no power, the measured rate is the same. */
static void recharge(sb_combat *c, sb_fighter *f)
{
    schedule_recharge(f);
    if (has_working_generator(f) && !f->shields_lowered)
        for (unsigned i = 0; i < SB_FACINGS; i++) recharge_facing(c, f, i);
    store_fractions(f);
}

static void drop_facings(sb_combat *c, sb_fighter *f)
{
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float before = f->ship->facing[i];
        f->facing_fraction[i] = 0.0f;
        if (!(before > 0.0f)) continue;
        f->ship->facing[i] = 0.0f;
        report_change(c, f, SB_COMBAT_SHIELD_LOST, i, before);
    }
}

void sb_combat_step_shields(sb_combat *c, sb_fighter *f)
{
    if (!has_working_generator(f)) drop_facings(c, f);
    if (c->step >= f->recharge_at) recharge(c, f);
}

/* §10: empty facings get a minimum after decloaking. */
void sb_combat_raise_shields_to_floor(sb_combat *c, sb_fighter *f)
{
    if (!has_working_generator(f)) return;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float before = f->ship->facing[i];
        if (before > 0.0f) continue;
        f->ship->facing[i] = sb_smaller(f->constants.decloak_facing, sb_combat_facing_max(f, i));
        if (c->trace_gains && f->ship->facing[i] > 0.0f)
            report_change(c, f, SB_COMBAT_RECHARGED, i, before);
    }
}

/* ---- absorption, §5.2 ---- */

bool sb_combat_does_facing_stop(const sb_fighter *f, unsigned facing)
{
    SB_ASSERT(facing < SB_FACINGS);
    return sb_combat_has_shields_up(f) && f->ship->facing[facing] > 0.0f &&
           f->facing_fraction[facing] > f->constants.shield_gate;
}

/* The share of a hit that goes through, by the fraction that the facing had at its last recharge:
 * shield_leak just above the gate, falling to 0 at the fraction shield_tight. */
static float leak_of(const sb_fighter *f, unsigned facing)
{
    const sb_combat_constants *k = &f->constants;
    float                      fraction = f->facing_fraction[facing];
    if (fraction >= k->shield_tight) return 0.0f;
    return k->shield_leak * (k->shield_tight - fraction) / (k->shield_tight - k->shield_gate);
}

float sb_combat_absorb(sb_combat *c, sb_fighter *f, const sb_damage_source *by, unsigned facing,
                       float damage)
{
    float before = f->ship->facing[facing];
    float taken = sb_smaller(damage * (1.0f - leak_of(f, facing)), before);
    if (!(taken > 0.0f)) return damage; /* also if the leak is set to more than all */
    float left = before - taken;
    f->ship->facing[facing] = left;
    sb_combat_report(c, &(sb_combat_event){ .type = SB_COMBAT_ABSORBED,
                                            .object_id = f->object_id,
                                            .attacker_ship = by->ship,
                                            .attacker = by->attacker,
                                            .cause = by->cause,
                                            .index = (uint8_t)facing,
                                            .child = -1,
                                            .amount = before - left,
                                            .left = left });
    return damage - taken;
}
