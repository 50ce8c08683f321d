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
    return f->ship->model && f->life == SB_LIFE_ALIVE && !c->config.no_damage &&
           c->step - f->added_at >= sb_combat_steps_from_seconds(f->constants.spawn_grace);
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

/* Lowers a condition: set_condition of §3.2. */
void sb_combat_damage_part(sb_combat *c, sb_fighter *f, sb_hit *hit, unsigned part, float damage)
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
}

/* ---- parts in reach ---- */

typedef struct reach {
    sb_vec3  p;
    float    search;
    unsigned count;
    uint8_t  intact[SB_PARTS]; /* list order */
} reach;

static void add_if_in_reach(reach *r, sb_ship *ship, unsigned part)
{
    const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
    if (!s->has_position) return;
    sb_vec3 away = sb_v_sub(r->p, sb_v_from(s->hit));
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

static void remove_part(reach *r, unsigned part)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < r->count; i++)
        if (r->intact[i] != part) r->intact[kept++] = r->intact[i];
    r->count = kept;
}

void sb_combat_damage_at(sb_combat *c, sb_fighter *f, sb_hit *hit, sb_vec3 p, float search,
                         float damage, bool is_weapon)
{
    reach r = { .p = p, .search = search };
    find_in_reach(&r, f->ship);
    if (is_weapon && r.count > 1 && f->hull != SB_NO_PART) remove_part(&r, f->hull);
    if (r.count == 0 && f->hull != SB_NO_PART) r.intact[r.count++] = f->hull;
    for (unsigned i = 0; i < r.count; i++) sb_combat_damage_part(c, f, hit, r.intact[i], damage);
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

sb_vec3 sb_combat_point_of_impact(const sb_fighter *f, sb_vec3 outward)
{
    return sb_v_scale(outward, f->constants.impact_depth * f->ship->model->bound_radius);
}

void sb_combat_hit_at(sb_combat *c, sb_fighter *f, sb_damage_source by, sb_vec3 outward, sb_vec3 at,
                      float search, float damage)
{
    if (!sb_combat_is_vulnerable(c, f)) return;
    unsigned facing = sb_combat_facing_of(outward);
    bool     stopped = sb_combat_has_shields_up(f) && f->ship->facing[facing] > 0.0f &&
                   f->ship->facing[facing] >= f->constants.facing_stops;
    sb_combat_report_hit(c, f, &by, damage, facing, stopped);
    if (stopped) {
        sb_combat_absorb(c, f, &by, facing, damage);
        return;
    }
    sb_hit hit = { .by = by };
    sb_combat_damage_at(c, f, &hit, at, search, damage, true);
    sb_combat_finish_hit(f, &hit);
}

void sb_combat_hit_with_weapon(sb_combat *c, sb_fighter *f, sb_damage_source by, sb_vec3 outward,
                               float search, float damage)
{
    if (f->ship->model)
        sb_combat_hit_at(c, f, by, outward, sb_combat_point_of_impact(f, outward), search, damage);
}
