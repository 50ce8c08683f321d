/* src/combat/damage.c -- one hit: the parts it damages, and whether it kills.
 *
 * Spec:     10 §7.
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

/* Only ships that are alive take damage: not exploding ones (§12.1), and not ships that were killed
 * earlier in this step. */
bool sb_combat_is_vulnerable(const sb_combat *c, const sb_fighter *f)
{
    return f->ship->model && f->life == SB_LIFE_ALIVE && !c->config.no_damage;
}

void sb_combat_report_hit(const sb_combat *c, const sb_fighter *f, const sb_damage_source *by,
                          float damage, unsigned facing, bool shields)
{
    sb_combat_report(c, &(sb_combat_event){ .type = SB_COMBAT_HIT,
                                            .object_id = f->object_id,
                                            .attacker_ship = by->ship,
                                            .attacker = by->attacker,
                                            .cause = by->cause,
                                            .shields = shields,
                                            .index = (uint8_t)facing,
                                            .child = -1,
                                            .amount = damage });
}

static void report_damaged(const sb_combat *c, const sb_fighter *f, const sb_damage_source *by,
                           unsigned part, float amount, float left)
{
    sb_combat_event e = { .type = SB_COMBAT_DAMAGED,
                          .object_id = f->object_id,
                          .attacker_ship = by->ship,
                          .attacker = by->attacker,
                          .cause = by->cause,
                          .amount = amount,
                          .left = left };
    sb_combat_locate_part(f->ship->model, part, &e.index, &e.child);
    sb_combat_report(c, &e);
}

/* Lowers a condition: set_condition of §3.2. Returns the damage that the part cannot take. */
float sb_combat_damage_part(sb_combat *c, sb_fighter *f, sb_hit *hit, unsigned part, float damage)
{
    SB_ASSERT(part < SB_PARTS);
    float *condition = sb_combat_part_condition(f->ship, part);
    float  before = *condition, left = before > damage ? before - damage : 0.0f;
    if (left < before) {
        *condition = left;
        sb_part_set_add(&hit->parts, part);
        report_damaged(c, f, &hit->by, part, before - left, left);
    }
    if (!(left > 0.0f) && sb_combat_part_class(f->ship->model, part)->critical) hit->fatal = true;
    return left > 0.0f ? 0.0f : damage - before;
}

/* ---- parts in reach ---- */

typedef struct reach {
    sb_vec3  p;
    float    search;
    unsigned hull; /* not searched: the hull takes part in every hit */
    unsigned count;
    uint8_t  intact[SB_PARTS]; /* list order */
} reach;

static void add_if_in_reach(reach *r, sb_ship *ship, unsigned part)
{
    const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
    if (!s->has_position || part == r->hull) return;
    sb_vec3 away = sb_v_sub(r->p, sb_v_from(s->position));
    float   limit = r->search + s->radius;
    if (!(sb_v_dot(away, away) <= limit * limit)) return;
    /* A destroyed part takes no further hit and is not announced again (spec 12 #11). */
    if (*sb_combat_part_condition(ship, part) > 0.0f) r->intact[r->count++] = (uint8_t)part;
}

static void find_in_reach(reach *r, sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        add_if_in_reach(r, ship, i);
        for (unsigned j = 0; j < m->subsystems[i].child_count; j++)
            add_if_in_reach(r, ship, SB_CHILD_PART + m->subsystems[i].first_child + j);
    }
}

/* All parts in reach take the whole damage. Returns the sum of what they cannot take. */
static float damage_parts(sb_combat *c, sb_fighter *f, sb_hit *hit, const reach *r, float damage)
{
    float surplus = 0.0f;
    for (unsigned i = 0; i < r->count; i++)
        surplus += sb_combat_damage_part(c, f, hit, r->intact[i], damage);
    return surplus;
}

/* The hull comes last. A ship that another part of the same hit has killed is dying already, and
 * damage to a dying ship is not announced: so the hull is missing in trace D (§8). */
static void damage_hull(sb_combat *c, sb_fighter *f, sb_hit *hit, float damage)
{
    bool dying = hit->fatal;
    if (f->hull == SB_NO_PART || !(f->ship->condition[f->hull] > 0.0f)) return;
    (void)sb_combat_damage_part(c, f, hit, f->hull, damage);
    if (dying) sb_part_set_remove(&hit->parts, f->hull);
}

static reach reach_around(const sb_fighter *f, sb_vec3 p, float search)
{
    reach r = { .p = p, .search = search, .hull = f->hull };
    find_in_reach(&r, f->ship);
    return r;
}

/* The surplus of the parts that this hit destroys goes to the hull and to the other parts in reach.
 * Two captures show it for the hull; which parts belong to it is open (spec 10 §18 Q16). */
void sb_combat_damage_by_weapon(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 p, float search,
                                float damage, bool spares_hull)
{
    reach r = reach_around(f, p, search);
    float surplus = damage_parts(c, f, hit, &r, damage);
    (void)damage_parts(c, f, hit, &r, surplus); /* destroyed parts take none of it */
    if (!spares_hull) damage_hull(c, f, hit, damage + surplus);
}

/* The surplus of a collision is lost. */
void sb_combat_damage_by_collision(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 p,
                                   float search, float damage)
{
    reach r = reach_around(f, p, search);
    (void)damage_parts(c, f, hit, &r, damage);
    damage_hull(c, f, hit, damage);
}

/* Announcements wait until the end of the step, so that they follow a death (spec 12 #12). A part
 * that is in the repair queue now is not announced, even if its repair ends in this step (§9.2). */
void sb_combat_finish_hit(sb_fighter *f, const sb_hit *hit)
{
    sb_part_set_add_all(&f->hit_parts, &hit->parts, &f->queued);
    if (!hit->fatal) return;
    SB_ASSERT(f->life == SB_LIFE_ALIVE);
    f->life = SB_LIFE_DYING;
    f->killer = hit->by;
}

/* ---- weapons ---- */

/* At SB_FIDELITY_ENFORCE a shot from inside the ellipsoid meets the facing that it is behind: a
 * client that puts its ship there must not gain. Below, it meets none. */
static bool starts_inside(const sb_combat *c, const sb_fighter *f, sb_vec3 start, unsigned *facing)
{
    if (!sb_combat_is_simulated(c, SB_FIDELITY_ENFORCE)) return false;
    sb_vec3 scaled = sb_geometry_scaled(start, &f->ellipsoid);
    if (sb_v_dot(scaled, scaled) > 1.0f) return false;
    *facing = sb_combat_facing_of(scaled);
    return true;
}

/* The shield that the line of fire enters takes its share of the hit; the rest reaches the hull. */
void sb_combat_strike(sb_combat *c, sb_fighter *f, const sb_strike *s)
{
    if (!sb_combat_is_vulnerable(c, f)) return;
    if (c->has_effect && !c->has_effect(c->filter_context, s->by.attacker, f->owner)) return;
    float    fraction;
    unsigned facing = sb_combat_facing_of(sb_geometry_scaled(s->at, &f->ellipsoid));
    sb_vec3  way = sb_v_sub(s->at, s->start);
    bool     enters = sb_combat_enters_shields(f, s->start, way, &fraction, &facing) ||
                  starts_inside(c, f, s->start, &facing);
    bool stops = enters && sb_combat_does_facing_stop(f, facing);
    sb_combat_report_hit(c, f, &s->by, s->damage, facing, stops);
    float through = stops ? sb_combat_absorb(c, f, &s->by, facing, s->damage) : s->damage;
    if (!(through > 0.0f)) return;
    sb_hit hit = { .by = s->by };
    sb_combat_damage_by_weapon(c, f, &hit, s->at, s->search, through, s->spares_hull);
    sb_combat_finish_hit(f, &hit);
}
