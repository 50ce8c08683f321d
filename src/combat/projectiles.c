/* src/combat/projectiles.c -- bolts and torpedoes in flight.
 *
 * The shots of all ships are in one array, oldest first. A new shot replaces the oldest shot of its
 * ship if the ship has SB_COMBAT_PROJECTILES in flight, and the oldest of all if the array is full.
 * Shots outlive the ship that fired them.
 *
 * Spec:     10 §6.3, §6.4.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

#include <string.h>

static void remove_shot(sb_combat *c, uint32_t at)
{
    memmove(&c->shots[at], &c->shots[at + 1], (c->shot_count - at - 1) * sizeof c->shots[0]);
    c->shot_count--;
}

/* Removes a shot if there is no space for one more; see the head of this file. */
static void make_space(sb_combat *c, uint32_t launcher)
{
    uint32_t own = 0, oldest = 0;
    for (uint32_t i = c->shot_count; i-- > 0;) {
        if (c->shots[i].launcher != launcher) continue;
        own++;
        oldest = i;
    }
    if (own >= SB_COMBAT_PROJECTILES) remove_shot(c, oldest);
    else if (c->shot_count == c->shot_capacity) remove_shot(c, 0);
}

static float lifetime_of(const sb_fighter *f, const sb_projectile_class *figures)
{
    if (figures->lifetime > 0.0f) return figures->lifetime;
    float shortest = f->constants.torpedo_life;
    return figures->guidance_lifetime > shortest ? figures->guidance_lifetime : shortest;
}

void sb_combat_launch(sb_combat *c, const sb_fighter *f, const sb_weapon *weapon,
                      const sb_projectile_class *figures, float damage, sb_vec3 direction,
                      const sb_fighter *target, sb_cv4b aim)
{
    const sb_subsystem_class *part = &f->ship->model->children[weapon->child];
    sb_vec3 muzzle = part->has_position ? sb_v_from(part->position) : (sb_vec3){ 0, 0, 0 };
    make_space(c, f->object_id);
    SB_ASSERT(c->shot_count < c->shot_capacity);
    c->shots[c->shot_count++] = (sb_shot){
        .figures = figures,
        .damage = damage,
        .position = sb_v_add(f->position, sb_v_to_world(&f->ship->motion, muzzle)),
        .direction = direction,
        .aim = target ? sb_combat_decode_aim(target, aim) : (sb_vec3){ 0, 0, 0 },
        .launcher = f->object_id,
        .set = f->set,
        .target = target ? target->object_id : 0,
        .owner = f->owner,
        .life = lifetime_of(f, figures),
    };
}

/* ---- flight ---- */

static float age_of(const sb_shot *s)
{
    return (float)s->age * SB_STEP_SECONDS;
}

/* Turns the shot toward the aim point while its guidance lasts and the target is visible. The turn
 * rate grows with the age of the shot (§6.4, an inference from the name of the figure). */
static void guide(const sb_combat *c, sb_shot *s)
{
    if (!(age_of(s) < s->figures->guidance_lifetime)) return;
    const sb_fighter *target = sb_combat_find_fighter(c, s->target);
    if (!target || target->set != s->set || target->life != SB_LIFE_ALIVE ||
        target->cloak_state == SB_CLOAK_ON)
        return;
    sb_vec3 aim = sb_v_add(target->position, sb_v_to_world(&target->ship->motion, s->aim));
    sb_vec3 toward = sb_v_sub(aim, s->position);
    if (!sb_v_make_unit(&toward)) return;
    float turn_rate = s->figures->max_angular_accel * age_of(s);
    s->direction = sb_geometry_turned(s->direction, toward, turn_rate * SB_STEP_SECONDS);
}

/* A cheap test without a square root: most ships are far from most shots. The margin covers
 * rounding, so that a shot that just touches the ship is not rejected. */
static bool is_far(const sb_body *b, sb_vec3 from, float way_length)
{
    sb_vec3 away = sb_v_sub(from, b->position);
    float   reach = (b->radius + way_length) * 1.001f;
    return sb_v_dot(away, away) > reach * reach;
}

/* Where the shot meets the ship: on the shield ellipsoid if the facing there stops shots, otherwise
 * on the hull. False: it does not meet the ship in this step. */
static bool meets_body(const sb_combat *c, const sb_body *b, const sb_shot *s, sb_vec3 way,
                       float *fraction)
{
    const sb_fighter *f = sb_combat_fighter_at(c, b->fighter);
    unsigned          facing;
    sb_vec3           start = sb_v_to_local(&f->ship->motion, sb_v_sub(s->position, f->position));
    sb_vec3           along = sb_v_to_local(&f->ship->motion, way);
    if (sb_combat_enters_shields(f, start, along, fraction, &facing) &&
        sb_combat_does_facing_stop(f, facing))
        return *fraction <= 1.0f;
    return sb_combat_enters_hull(f, start, along, fraction) && *fraction <= 1.0f;
}

/* The first ship that the shot hits on its way; NULL: none. */
static const sb_body *first_on_way(const sb_combat *c, uint32_t body_count, const sb_shot *s,
                                   sb_vec3 way)
{
    const sb_body *first = NULL;
    float          way_length = sb_v_length(way), nearest = 2.0f, here;
    for (uint32_t i = 0; i < body_count; i++) {
        const sb_body *b = &c->bodies[i];
        if (is_far(b, s->position, way_length)) continue;
        if (b->set != s->set || b->object_id == s->launcher) continue;
        if (!meets_body(c, b, s, way, &here) || here >= nearest) continue;
        first = b;
        nearest = here;
    }
    return first;
}

/* The share of a burst that passes the shield strikes the hull where the shot would have hit it; a
 * burst whose path leads past the hull strikes toward the default aim. */
static sb_vec3 hull_point(const sb_fighter *f, sb_vec3 start, sb_vec3 way)
{
    float fraction;
    if (sb_combat_enters_hull(f, start, way, &fraction)) return sb_v_along(start, way, fraction);
    return sb_combat_point_of_impact(f, start, sb_combat_default_aim(f));
}

static void hit_body(sb_combat *c, sb_shot *s, const sb_body *body)
{
    sb_fighter *f = sb_combat_fighter_at(c, body->fighter);
    sb_vec3     start = sb_v_to_local(&f->ship->motion, sb_v_sub(s->position, f->position));
    sb_vec3     way = sb_v_to_local(&f->ship->motion, s->direction);
    bool        bolt = s->figures->kind == SB_PROJECTILE_BOLT;
    s->spent = true;
    sb_combat_strike(
        c, f,
        &(sb_strike){ .by = { bolt ? SB_DAMAGE_BOLT : SB_DAMAGE_TORPEDO, s->owner, s->launcher },
                      .start = start,
                      .at = hull_point(f, start, way),
                      .search = s->figures->damage_radius_factor,
                      .damage = s->damage });
}

static void advance_shot(sb_combat *c, uint32_t body_count, sb_shot *s)
{
    guide(c, s);
    sb_vec3        way = sb_v_scale(s->direction, s->figures->launch_speed * SB_STEP_SECONDS);
    const sb_body *body = first_on_way(c, body_count, s, way);
    if (body) hit_body(c, s, body);
    s->position = sb_v_add(s->position, way);
    s->age++;
    if (age_of(s) >= s->life) s->spent = true;
}

/* Collects the ships that shots can hit: not ships that are dying, exploding or without a model.
 * Returns their number. */
static uint32_t gather_bodies(sb_combat *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->top; i++) {
        const sb_fighter *f = sb_combat_fighter_at(c, i);
        if (!f->ship || !f->ship->model || f->life != SB_LIFE_ALIVE) continue;
        c->bodies[count++] = (sb_body){ f->position, f->shape_radius, f->object_id, f->set, i };
    }
    return count;
}

static void drop_spent(sb_combat *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->shot_count; i++) {
        if (c->shots[i].spent) continue;
        if (kept != i) c->shots[kept] = c->shots[i];
        kept++;
    }
    c->shot_count = kept;
}

static void advance_shots_of_kind(sb_combat *c, uint32_t body_count, sb_projectile_kind kind)
{
    for (uint32_t i = 0; i < c->shot_count; i++)
        if (c->shots[i].figures->kind == kind) advance_shot(c, body_count, &c->shots[i]);
}

/* Bolts move before torpedoes (§2). */
void sb_combat_step_shots(sb_combat *c)
{
    if (c->shot_count == 0) return;
    uint32_t body_count = gather_bodies(c);
    advance_shots_of_kind(c, body_count, SB_PROJECTILE_BOLT);
    advance_shots_of_kind(c, body_count, SB_PROJECTILE_TORPEDO);
    drop_spent(c);
}
