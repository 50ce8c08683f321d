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

bool sb_combat_has_shields_up(const sb_fighter *f)
{
    return f->shields != SB_NO_PART && f->ship->on[f->shields] && !f->shields_lowered &&
           !sb_ship_is_disabled(f->ship, f->shields);
}

static void report_gain(const sb_combat *c, const sb_fighter *f, unsigned facing, float before)
{
    float now = f->ship->facing[facing];
    if (!c->trace_gains || now == before) return;
    sb_combat_report(c, &(sb_combat_event){ .type = SB_COMBAT_RECHARGED,
                                            .object_id = f->object_id,
                                            .index = (uint8_t)facing,
                                            .child = -1,
                                            .amount = now - before,
                                            .left = now });
}

/* ---- recharge, §5.3 ---- */

/* First pass: each facing charges at its own rate. Returns the sum of the seconds that facings did
 * not use, because they are full or have no rate. */
static float charge_facings(sb_fighter *f, float seconds)
{
    float spare = 0.0f;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float rate = f->ship->model->shield_rate[i], max = sb_combat_facing_max(f, i);
        if (!(rate > 0.0f)) {
            spare += seconds;
            continue;
        }
        f->ship->facing[i] += rate * seconds;
        if (f->ship->facing[i] <= max) continue;
        spare += (f->ship->facing[i] - max) / rate;
        f->ship->facing[i] = max;
    }
    return spare;
}

static unsigned count_below_max(const sb_fighter *f)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        count += f->ship->facing[i] < sb_combat_facing_max(f, i);
    return count;
}

/* Second pass: the facings that are not full share the spare time equally. */
static void share_spare(sb_fighter *f, float spare)
{
    unsigned below = count_below_max(f);
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float rate = f->ship->model->shield_rate[i], max = sb_combat_facing_max(f, i);
        if (!(rate > 0.0f) || !(f->ship->facing[i] < max)) continue;
        f->ship->facing[i] = sb_smaller(max, f->ship->facing[i] + rate * spare / (float)below);
    }
}

void sb_combat_step_shields(sb_combat *c, sb_fighter *f)
{
    if (!sb_combat_has_shields_up(f) || count_below_max(f) == 0) return;
    float before[SB_FACINGS];
    for (unsigned i = 0; i < SB_FACINGS; i++) before[i] = f->ship->facing[i];
    float spare = charge_facings(f, f->performance[f->shields] * SB_STEP_SECONDS);
    if (spare > 0.0f) share_spare(f, spare);
    for (unsigned i = 0; i < SB_FACINGS; i++) report_gain(c, f, i, before[i]);
}

/* §10: empty facings get a minimum after decloaking. */
void sb_combat_raise_shields_to_floor(sb_combat *c, sb_fighter *f)
{
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float before = f->ship->facing[i];
        if (before > 0.0f) continue;
        f->ship->facing[i] = sb_smaller(f->constants.decloak_facing, sb_combat_facing_max(f, i));
        report_gain(c, f, i, before);
    }
}

/* ---- absorption, §5.2 ---- */

void sb_combat_absorb(sb_combat *c, sb_fighter *f, const sb_damage_source *by, unsigned facing,
                      float damage)
{
    SB_ASSERT(facing < SB_FACINGS);
    float before = f->ship->facing[facing];
    float left = before > damage ? before - damage : 0.0f;
    if (!(left < before)) return;
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
}

float sb_combat_absorb_area(sb_combat *c, sb_fighter *f, const sb_damage_source *by, float damage)
{
    if (!sb_combat_has_shields_up(f)) return damage;
    float share = damage / SB_FACINGS, rest = 0.0f;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        float stopped = sb_smaller(share, f->ship->facing[i]);
        rest += share - stopped;
        sb_combat_absorb(c, f, by, i, stopped);
    }
    return rest;
}
