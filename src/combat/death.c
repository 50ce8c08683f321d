/* src/combat/death.c -- deaths, explosions, wrecks and self-destruct.
 *
 * For:      combat.c, once per step, and the public sb_combat_self_destruct.
 * Spec:     10 §12.
 * Tests:    tests/combat/death_test.c
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

/* 09 §11: a suicide and a death by the explosion of another ship, which has no attacker, are
 * credited to no player. */
static sb_damage_source credited_killer(const sb_fighter *f)
{
    sb_damage_source by = f->killer;
    if (by.attacker == 0 || by.attacker == f->owner) {
        by.attacker = 0;
        by.ship = 0;
    }
    return by;
}

static void report_death(const sb_combat *c, const sb_fighter *f)
{
    sb_damage_source by = credited_killer(f);
    sb_combat_report(c, &(sb_combat_event){ .type = SB_COMBAT_EXPLODING,
                                            .object_id = f->object_id,
                                            .attacker_ship = by.ship,
                                            .attacker = by.attacker,
                                            .cause = by.cause,
                                            .child = -1,
                                            .lifetime = f->constants.explosion_lifetime });
}

void sb_combat_stop_beams_at(sb_combat *c, uint32_t object_id)
{
    for (uint32_t n = 0; n < c->top; n++) {
        sb_fighter *f = sb_combat_fighter_at(c, n);
        for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
            if (f->ordered >> i & 1 && (f->aimed_at[i] ? f->aimed_at[i] : f->target) == object_id)
                sb_combat_stop_system(f, i);
    }
}

static void stop_beams_of(sb_fighter *f)
{
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) sb_combat_stop_system(f, i);
    f->tractor_fires = false;
    f->drag = 0.0f;
}

/* §7: damage from the direction of the explosion. Shields do not stop explosions (§5.2). */
static void apply_splash(sb_combat *c, sb_fighter *f, const sb_fighter *source)
{
    const sb_combat_constants *k = &source->constants;
    sb_vec3                    away = sb_v_sub(source->position, f->position);
    if (sb_v_length(away) > k->splash_radius) return;
    sb_vec3 start = sb_v_to_local(&f->ship->motion, away);
    sb_vec3 at = sb_combat_point_of_impact(f, start, sb_combat_default_aim(f));
    sb_hit  hit = { .by = { SB_DAMAGE_SPLASH, 0, source->object_id } };
    sb_combat_report_hit(c, f, &hit.by, k->splash,
                         sb_combat_facing_of(sb_geometry_scaled(start, &f->ellipsoid)), false);
    sb_combat_damage_by_collision(
        c, f, &hit, at, sb_smaller(k->splash_radius, f->ship->model->bound_radius), k->splash);
    sb_combat_finish_hit(f, &hit);
}

static void apply_splash_to_others(sb_combat *c, const sb_fighter *source)
{
    if (!(source->constants.splash > 0.0f)) return;
    for (uint32_t i = 0; i < c->top; i++) {
        sb_fighter *f = sb_combat_fighter_at(c, i);
        if (f->ship && f != source && f->set == source->set && sb_combat_is_vulnerable(c, f))
            apply_splash(c, f, source);
    }
}

/* In the order of §12.2. The receiver of the event updates the scores. The notices are those of
 * damage that the ship took while it lived, the killing blow included (trace D). A dying ship sends
 * none: the engine's notice tests the field that holds the remaining life, which a death sets. Ours
 * takes no damage (sb_combat_is_vulnerable), so there is nothing to suppress. */
static void kill_fighter(sb_combat *c, sb_fighter *f)
{
    SB_ASSERT(f->life == SB_LIFE_DYING);
    f->life = SB_LIFE_EXPLODING;
    f->gone_at = c->step + sb_combat_steps_from_seconds(f->constants.explosion_lifetime);
    report_death(c, f);
    sb_combat_announce_hits(c, f);
    stop_beams_of(f);
    sb_combat_stop_beams_at(c, f->object_id);
    sb_combat_decloak_dying(c, f);
    apply_splash_to_others(c, f);
}

static bool kill_next(sb_combat *c)
{
    for (uint32_t i = 0; i < c->top; i++) {
        sb_fighter *f = sb_combat_fighter_at(c, i);
        if (!f->ship || f->life != SB_LIFE_DYING) continue;
        kill_fighter(c, f);
        return true;
    }
    return false;
}

void sb_combat_step_deaths(sb_combat *c)
{
    while (kill_next(c)) continue;
}

void sb_combat_step_wrecks(sb_combat *c)
{
    for (uint32_t i = 0; i < c->top; i++) {
        sb_fighter *f = sb_combat_fighter_at(c, i);
        if (!f->ship || f->life != SB_LIFE_EXPLODING) continue;
        sb_combat_step_wreck_cloak(c, f);
        if (c->step < f->gone_at) continue;
        sb_combat_event gone = { .type = SB_COMBAT_GONE, .object_id = f->object_id, .child = -1 };
        sb_combat_remove_fighter(c, f);
        sb_combat_report(c, &gone);
    }
}

/* §12.4: takes all points of the hull, and of no other part. A ship without data, or without a
 * hull, has none to take. */
static void destroy_hull(sb_combat *c, sb_fighter *f, sb_hit *hit)
{
    if (!f->ship->model || f->hull == SB_NO_PART) return;
    float full = f->ship->model->subsystems[f->hull].max_condition;
    sb_combat_report_hit(c, f, &hit->by, full, 0, false);
    (void)sb_combat_damage_part(c, f, hit, f->hull, full);
}

/* Fatal even if the hull is not critical. 08 §8: ignored if damage is switched off. */
void sb_combat_self_destruct(sb_combat *c, uint32_t object_id)
{
    sb_fighter *f = sb_combat_find_fighter(c, object_id);
    if (!sb_combat_is_simulated(c, SB_FIDELITY_COLLISIONS) || c->config.no_damage) return;
    if (!f || f->life != SB_LIFE_ALIVE) return;
    sb_hit hit = { .by = { SB_DAMAGE_SELF_DESTRUCT, 0, 0 } };
    destroy_hull(c, f, &hit);
    hit.fatal = true;
    sb_combat_finish_hit(f, &hit);
    sb_combat_step_deaths(c);
}
