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

/* The aim point is in the target's axes, as contact points are (spec 08 §14.1). */
static sb_vec3 decode_aim(const sb_fighter *target, sb_cv4b aim)
{
    if (!target) return (sb_vec3){ 0, 0, 0 };
    return sb_decode_cv4b(aim, target->ship->model ? target->ship->model->bound_radius : 1.0f);
}

static float lifetime_of(const sb_fighter *f, const sb_projectile_class *figures)
{
    if (figures->lifetime > 0.0f) return figures->lifetime;
    float shortest = f->constants.torpedo_life;
    return figures->guidance_lifetime > shortest ? figures->guidance_lifetime : shortest;
}

void sb_combat_launch(sb_combat *c, const sb_fighter *f, const sb_weapon *weapon,
                      const sb_projectile_class *figures, sb_vec3 direction,
                      const sb_fighter *target, sb_cv4b aim)
{
    const sb_subsystem_class *part = &f->ship->model->children[weapon->child];
    sb_vec3 muzzle = part->has_position ? sb_v_from(part->position) : (sb_vec3){ 0, 0, 0 };
    make_space(c, f->object_id);
    SB_ASSERT(c->shot_count < c->shot_capacity);
    c->shots[c->shot_count++] = (sb_shot){
        .figures = figures,
        .position = sb_v_add(f->position, sb_v_to_world(&f->ship->motion, muzzle)),
        .direction = direction,
        .aim = decode_aim(target, aim),
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

/* Turns the shot toward the aim point while its guidance lasts and the target is visible. */
static void guide(const sb_combat *c, sb_shot *s)
{
    if (s->target == 0 || !(age_of(s) < s->figures->guidance_lifetime)) return;
    const sb_fighter *target = sb_combat_find_fighter(c, s->target);
    if (!target || target->set != s->set || target->life != SB_LIFE_ALIVE ||
        target->cloak_state == SB_CLOAK_ON)
        return;
    sb_vec3 aim = sb_v_add(target->position, sb_v_to_world(&target->ship->motion, s->aim));
    sb_vec3 toward = sb_v_sub(aim, s->position);
    if (!sb_v_make_unit(&toward)) return;
    s->direction =
        sb_geometry_turned(s->direction, toward, s->figures->max_angular_accel * SB_STEP_SECONDS);
}

/* A cheap test without a square root: most ships are far from most shots. The margin covers
 * rounding, so that a shot that just touches the ship is not rejected. */
static bool is_far(const sb_body *b, sb_vec3 from, float way_length)
{
    sb_vec3 away = sb_v_sub(from, b->position);
    float   reach = (b->radius + way_length) * 1.001f;
    return sb_v_dot(away, away) > reach * reach;
}

/* The first ship that the shot hits on its way, and the fraction of the way up to the hit; NULL:
 * none. */
static const sb_body *first_on_way(const sb_combat *c, uint32_t body_count, const sb_shot *s,
                                   sb_vec3 way, float *fraction)
{
    const sb_body *first = NULL;
    float          way_length = sb_v_length(way);
    for (uint32_t i = 0; i < body_count; i++) {
        const sb_body *b = &c->bodies[i];
        float          here;
        if (is_far(b, s->position, way_length)) continue;
        if (b->set != s->set || b->object_id == s->launcher) continue;
        if (!sb_geometry_segment_enters(s->position, way, b->position, b->radius, &here)) continue;
        if (first && here >= *fraction) continue;
        first = b;
        *fraction = here;
    }
    return first;
}

static void hit_body(sb_combat *c, sb_shot *s, const sb_body *body, sb_vec3 impact)
{
    sb_fighter *f = &c->fighters[body->fighter];
    sb_vec3     outward = sb_v_sub(impact, body->position);
    if (!sb_v_make_unit(&outward)) outward = sb_v_scale(s->direction, -1.0f);
    outward = sb_v_to_local(&f->ship->motion, outward);
    bool             bolt = s->figures->kind == SB_PROJECTILE_BOLT;
    sb_damage_source by = { bolt ? SB_DAMAGE_BOLT : SB_DAMAGE_TORPEDO, s->owner, s->launcher };
    s->spent = true;
    sb_combat_hit_with_weapon(c, f, by, outward,
                              s->figures->damage_radius_factor * f->ship->model->bound_radius,
                              s->figures->damage);
}

static void advance_shot(sb_combat *c, uint32_t body_count, sb_shot *s)
{
    guide(c, s);
    sb_vec3        way = sb_v_scale(s->direction, s->figures->launch_speed * SB_STEP_SECONDS);
    float          fraction;
    const sb_body *body = first_on_way(c, body_count, s, way, &fraction);
    if (body) hit_body(c, s, body, sb_v_add(s->position, sb_v_scale(way, fraction)));
    s->position = sb_v_add(s->position, way);
    s->age++;
    if (age_of(s) >= s->life) s->spent = true;
}

/* Collects the ships that shots can hit, with their radius r_hit (§6.4): not ships that are dying,
 * exploding or without a model. Returns their number. */
static uint32_t gather_bodies(sb_combat *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->top; i++) {
        const sb_fighter *f = &c->fighters[i];
        if (!f->ship || !f->ship->model || f->life != SB_LIFE_ALIVE) continue;
        float radius = f->ship->model->bound_radius;
        if (!sb_combat_has_shields_up(f)) radius *= f->constants.impact_depth;
        c->bodies[count++] = (sb_body){ f->position, radius, f->object_id, f->set, i };
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
