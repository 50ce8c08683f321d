/* src/combat/collision.c -- collisions, as clients report them (CollisionEffect).
 *
 * Spec:     10 §8, 08 §10.
 */
#include "combat/combat_internal.h"

#include "base/bytes.h"
#include "ship/codes.h"

static sb_vec3 position_at(const sb_fighter *f, sb_time now)
{
    float elapsed = (float)(now - f->moved_at) * 1e-6f;
    return sb_clamp_position(sb_motion_estimate(&f->ship->motion, elapsed));
}

static float radius_of(const sb_fighter *f)
{
    return f->ship->model ? f->ship->model->bound_radius : 0.0f;
}

/* 08 §10.3: a player may report damage to their own ship, and to a ship without an owner that they
 * collided with. */
static bool may_report(const sb_fighter *reporter, const sb_fighter *other,
                       const sb_fighter *damaged)
{
    if (other == damaged) return false;
    if (damaged == reporter) return true;
    return other == reporter && damaged->owner == 0;
}

/* A ship that was created too early may stand anywhere, and the motion of a ship without a model
 * cannot be checked: neither hurts others, the second one at SB_FIDELITY_ENFORCE (spec 10 §15.1).
 */
static bool is_harmless(const sb_combat *c, const sb_fighter *other)
{
    return !sb_combat_is_armed(c, other) ||
           (!other->ship->model && sb_combat_is_simulated(c, SB_FIDELITY_ENFORCE));
}

/* The gap between the surfaces of two ships. */
static float gap_between(const sb_fighter *a, const sb_fighter *b, sb_time now)
{
    float distance = sb_v_length(sb_v_sub(position_at(b, now), position_at(a, now)));
    return distance - radius_of(b) - radius_of(a);
}

/* Counts a collision of ships that cannot have met. */
static bool have_met(sb_combat *c, const sb_fighter *reporter, const sb_fighter *damaged,
                     const sb_fighter *other, sb_time now)
{
    float gap = gap_between(damaged, other, now), limit = damaged->constants.collision_gap;
    if (damaged->set == other->set && gap < limit) return true;
    sb_combat_count_implausible(c, reporter, SB_IMPLAUSIBLE_COLLISION_FAR, gap, limit);
    return false;
}

static int find_pair(const sb_fighter *f, uint32_t other)
{
    for (int i = 0; i < SB_COLLISION_PAIRS; i++)
        if (f->pairs[i].used && f->pairs[i].other == other) return i;
    return -1;
}

/* §8 rule 3. Counts a collision that follows the last one of the pair too soon. */
static bool comes_too_soon(sb_combat *c, const sb_fighter *reporter, const sb_fighter *f,
                           uint32_t other, sb_time now)
{
    sb_time interval = (sb_time)((double)f->constants.collision_interval * 1e6);
    int     index = find_pair(f, other);
    if (index < 0 || now - f->pairs[index].at >= interval) return false;
    sb_combat_count_implausible(c, reporter, SB_IMPLAUSIBLE_COLLISION_RATE,
                                (float)(now - f->pairs[index].at) * 1e-6f,
                                f->constants.collision_interval);
    return true;
}

/* Starts the cooldown of the pair. Only for collisions beyond the dead zone: a touch must not
 * start the cooldown. */
static void store_collision_time(sb_fighter *f, uint32_t other, sb_time now)
{
    int index = find_pair(f, other);
    if (index < 0) {
        index = f->pair_next;
        f->pair_next = (uint8_t)((f->pair_next + 1) % SB_COLLISION_PAIRS);
    }
    f->pairs[index] = (sb_collision_pair){ .other = other, .used = true, .at = now };
}

/* §8 rule 4: limits the force to what both top speeds allow, and counts an excess as implausible.
 * The limit applies at every fidelity level: refusing the report would leave the ship undamaged.
 * The top speed of a ship without a model is not known: then there is no limit. */
static float clamp_force(sb_combat *c, const sb_fighter *reporter, const sb_fighter *f,
                         const sb_fighter *other, float force_per_mass)
{
    if (other && !other->ship->model) return force_per_mass;
    const sb_combat_constants *k = &f->constants;
    float speeds = f->ship->model->max_speed + (other ? other->ship->model->max_speed : 0.0f);
    float limit = k->force_margin * speeds + k->force_slack;
    if (!(force_per_mass > limit)) return force_per_mass;
    sb_combat_count_implausible(c, reporter, SB_IMPLAUSIBLE_FORCE, force_per_mass, limit);
    return limit;
}

/* Stores visible damage (08 §10.4) for late joiners; replaces the oldest volume when full. */
static void store_volume(sb_fighter *f, sb_vec3 at, float raw)
{
    const sb_combat_constants *k = &f->constants;
    float radius = sb_smaller(raw * k->volume_slope + k->volume_base, k->volume_limit);
    f->volumes[f->volume_next] =
        (sb_dent){ sb_v_scale(at, k->volume_scale), radius * k->volume_scale };
    f->volume_next = (uint8_t)((f->volume_next + 1) % SB_COMBAT_VOLUMES);
    if (f->volume_count < SB_COMBAT_VOLUMES) f->volume_count++;
}

/* §8 rule 6, for one contact point. Shields do not stop collisions (§5.2). */
static void apply_contact(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 at, float hp)
{
    unsigned facing = sb_combat_facing_of(sb_geometry_scaled(at, &f->ellipsoid));
    sb_combat_report_hit(c, f, &hit->by, hp, facing, false);
    sb_combat_damage_by_collision(c, f, hit, at, f->constants.collision_search, hp);
}

/* §8 rules 5 and 6. `raw`: force / mass / contacts. Not harmful: there is visible damage only. */
static void apply_collision(sb_combat *c, sb_fighter *f, sb_damage_source by,
                            const sb_cv4b *contacts, unsigned count, float raw, bool harmful)
{
    const sb_combat_constants *k = &f->constants;
    float                      hp = raw * k->collision_slope + k->collision_base;
    sb_hit                     hit = { .by = by };
    for (unsigned i = 0; i < count; i++) {
        sb_vec3 at = sb_decode_cv4b(contacts[i], f->ship->model->bound_radius);
        if (harmful) apply_contact(c, f, &hit, at, hp);
        store_volume(f, at, raw);
    }
    if (harmful) sb_combat_finish_hit(f, &hit);
    sb_combat_step_deaths(c);
}

static bool is_valid_report(const sb_cv4b *contacts, unsigned count, float force)
{
    return contacts && count >= 1 && count <= SB_CONTACTS && sb_bits_finite(sb_float_bits(force)) &&
           force >= 0.0f;
}

/* False: the collision does no damage, but it may have pushed the ship. */
static bool does_damage(const sb_combat *c, const sb_fighter *other, const sb_fighter *damaged)
{
    return sb_combat_is_simulated(c, SB_FIDELITY_COLLISIONS) && c->config.collision_damage &&
           sb_combat_is_vulnerable(c, damaged) && !(other && is_harmless(c, other));
}

/* Every level judges a report; damage is done only where the level and the settings have it.
 * Returns the force per mass; 0: the report has no effect. */
static float judge_collision(sb_combat *c, const sb_fighter *reporter, const sb_fighter *other,
                             uint32_t other_id, sb_fighter *damaged, const sb_cv4b *contacts,
                             unsigned count, float force, sb_time now)
{
    float mass = damaged->ship->model->mass > 0.0f ? damaged->ship->model->mass : 1.0f;
    if (other && !have_met(c, reporter, damaged, other, now)) return 0.0f;
    bool harmful = force / mass / (float)count > damaged->constants.collision_dead_zone;
    if (harmful && comes_too_soon(c, reporter, damaged, other_id, now)) return 0.0f;
    float            force_per_mass = clamp_force(c, reporter, damaged, other, force / mass);
    float            raw = force_per_mass / (float)count;
    sb_damage_source by = { SB_DAMAGE_COLLISION, other ? other->owner : 0,
                            other && other->owner ? other->object_id : 0 };
    if (harmful) store_collision_time(damaged, other_id, now);
    if (does_damage(c, other, damaged))
        apply_collision(c, damaged, by, contacts, count, raw, harmful);
    return harmful ? force_per_mass : 0.0f;
}

float sb_combat_collision(sb_combat *c, uint32_t reporter_id, uint32_t other_id,
                          uint32_t damaged_id, const sb_cv4b *contacts, unsigned contact_count,
                          float force, sb_time now)
{
    if (!is_valid_report(contacts, contact_count, force)) return 0.0f;
    const sb_fighter *reporter = sb_combat_find_fighter(c, reporter_id);
    const sb_fighter *other = sb_combat_find_fighter(c, other_id);
    sb_fighter       *damaged = sb_combat_find_fighter(c, damaged_id);
    if (!reporter || !damaged || !may_report(reporter, other, damaged)) return 0.0f;
    if (!damaged->ship->model || damaged->life != SB_LIFE_ALIVE) return 0.0f;
    float push =
        judge_collision(c, reporter, other, other_id, damaged, contacts, contact_count, force, now);
    return damaged == reporter ? push : 0.0f;
}

void sb_combat_set_collision_damage(sb_combat *c, bool on)
{
    c->config.collision_damage = on;
}
