/* src/client/pilot_weapons.c -- what a pilot knows of its weapons: mounts, arcs, charges, reloads,
 * and the damage that they can do.
 *
 * For:      pilot_shoot.c, which fires them; pilot_fight.c, which turns the ship by its firepower.
 * Spec:     10 §6.
 * Tests:    tests/client/pilot_shoot_test.c, pilot_test.c
 *
 * The host computes charges and reloads by itself. Ours run a little slower, and our arcs are a
 * little narrower, so that lag makes no shot implausible.
 */
#include "client/pilot_internal.h"

#include "ship/arcs.h"

static const sb_vec3 nose = { 0, 1, 0 };

#define SLOWER       0.97f /* recharge rate, relative to the host's */
#define RELOAD_LAG_S 1.0f  /* added to each reload: one shot may be delayed more than the next */
#define ARC_MARGIN   0.05f /* radians by which the arcs of cannons are narrowed */
#define TUBE_CONE    0.94f /* cosine of the largest angle between a tube and its shot */
#define SOON_S       3.0f  /* a weapon that is ready within this time counts as firepower */
#define BEAM_SECONDS 4.0f  /* compared with a torpedo, a beam counts as the damage of this time */
#define BEAM_FACTOR  0.5f  /* share of max_damage that a beam does per second (spec 10 §6.2) */
#define BOLT_FACTOR  0.5f  /* share of the script's damage that a bolt does (spec 10 §6.3) */
#define BOLTS_SOON   3.0f  /* at most so many bolts of a cannon count as firepower */
#define SPARE_SHARE  0.2f  /* of single-fire banks that wait for their turn, as firepower */

/* ---- mounts ---- */

bool sb_pilot_find_mount(const sb_ship_class *model, unsigned index, unsigned nth, sb_mount *out)
{
    const sb_subsystem_class *s = &model->subsystems[index];
    if (nth >= s->child_count) return false;
    unsigned child = s->first_child + nth;
    if (child >= model->child_count) return false;
    *out = (sb_mount){ &model->children[child], model->children[child].weapon, index, nth, child };
    return out->weapon != NULL;
}

bool sb_pilot_is_in_cone(const sb_weapon_class *tube, sb_vec3 local)
{
    return sb_v_dot(sb_v_unit(local, nose), sb_v_from(tube->forward)) >= TUBE_CONE;
}

/* The projectile in a slot of the ship's ordnance (spec 07 §2.3); NULL: unknown. */
static const sb_projectile_class *find_ordnance(const sb_ship_class *model, uint8_t system_type,
                                                uint8_t slot)
{
    for (unsigned i = 0; i < model->ordnance_count; i++) {
        const sb_ordnance *o = &model->ordnance[i];
        if (o->system_type == system_type && o->slot == slot)
            return sb_find_projectile(sb_stock_projectiles(), o->projectile_type);
    }
    return NULL;
}

const sb_projectile_class *sb_pilot_loaded_projectile(const sb_ship *ship, unsigned index)
{
    uint8_t type = ship->model->subsystems[index].type;
    uint8_t slot = type == SB_SUBSYSTEM_TORPEDO_SYSTEM ? ship->setting[index] : 0;
    return find_ordnance(ship->model, type, slot);
}

float sb_pilot_fighting_range(const sb_ship_class *model)
{
    float sum = 0, damage = 0;
    for (unsigned i = 0; i < model->child_count; i++) {
        const sb_weapon_class *w = model->children[i].weapon;
        uint8_t                type = model->children[i].type;
        if (!w || (type != SB_SUBSYSTEM_PHASER_BANK && type != SB_SUBSYSTEM_PULSE_WEAPON)) continue;
        sum += w->max_damage * w->max_damage_distance;
        damage += w->max_damage;
    }
    float guns = damage > 0 ? 0.35f * sum / damage : 16;
    float rate = model->max_angular_velocity;
    float turn = rate > 0.01f ? 0.8f * model->max_speed / rate : 0;
    return sb_f_clamp(guns > turn ? guns : turn, 12, 26);
}

/* ---- charges and reloads ---- */

void sb_pilot_load_weapons(sb_pilot *p, const sb_ship *ship)
{
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++) {
        p->charge[i] = 0;
        p->hot[i] = false;
        p->ready_at[i] = p->bolt_at[i] = 0;
    }
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        p->beams_on[i] = false;
        p->next_bank[i] = 0;
    }
    for (unsigned i = 0; i < ship->model->child_count; i++) {
        const sb_weapon_class *w = ship->model->children[i].weapon;
        if (!w) continue;
        bool tube = ship->model->children[i].type == SB_SUBSYSTEM_TORPEDO_TUBE;
        p->charge[i] = tube ? (float)w->max_ready : w->max_charge;
    }
}

/* By phaser level (spec 10 §6.2). */
static float discharge_factor(const sb_ship *ship, unsigned index)
{
    static const float factors[3] = { 0.35f, 1.0f, 1.0f };
    return factors[ship->setting[index] < 3 ? ship->setting[index] : 2];
}

static void charge_weapon(sb_pilot *p, const sb_ship *ship, const sb_mount *m, float performance)
{
    const sb_weapon_class *w = m->weapon;
    float                 *charge = &p->charge[m->child];
    float                  max = w->max_charge, gain;
    if (m->class->type == SB_SUBSYSTEM_TORPEDO_TUBE) {
        max = (float)w->max_ready; /* one torpedo after the other: never faster than the host */
        gain = 1.0f / (w->reload_delay + RELOAD_LAG_S);
    } else if (p->hot[m->child]) {
        gain = -w->discharge_rate * discharge_factor(ship, m->index);
    } else {
        gain = w->recharge_rate * sb_ship_child_ratio(ship, m->child) * performance * SLOWER;
    }
    *charge = sb_f_clamp(*charge + gain * SB_PILOT_STEP_S, 0, max);
    if (*charge <= 0) p->hot[m->child] = false;
}

/* Tractor beams do no damage. */
static bool does_damage(const sb_subsystem_class *s)
{
    return s->type == SB_SUBSYSTEM_PHASER_SYSTEM || s->type == SB_SUBSYSTEM_PULSE_SYSTEM ||
           s->type == SB_SUBSYSTEM_TORPEDO_SYSTEM;
}

void sb_pilot_charge_weapons(sb_pilot *p, const sb_ship *ship)
{
    float efficiency = sb_pilot_efficiency(ship);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        sb_mount m;
        if (!does_damage(&ship->model->subsystems[i])) continue;
        float performance = ship->on[i] ? ship->power_wanted[i] * efficiency : 0;
        for (unsigned n = 0; sb_pilot_find_mount(ship->model, i, n, &m); n++)
            charge_weapon(p, ship, &m, performance);
    }
}

/* ---- available firepower ---- */

bool sb_pilot_is_system_working(const sb_ship *ship, unsigned index)
{
    return ship->on[index] && !sb_ship_is_disabled(ship, index);
}

/* Damage of one weapon if it is ready within SOON_S, else 0. */
static float damage_soon(const sb_pilot *p, const sb_ship *ship, const sb_mount *m)
{
    const sb_weapon_class *w = m->weapon;
    float                  charge = p->charge[m->child];
    if (sb_ship_is_child_disabled(ship, m->child)) return 0;
    const sb_projectile_class *shot = sb_pilot_loaded_projectile(ship, m->index);
    if (m->class->type == SB_SUBSYSTEM_TORPEDO_TUBE)
        return shot && charge + SOON_S / w->reload_delay >= 1 ? shot->damage : 0;
    charge += p->hot[m->child] ? 0 : SOON_S * w->recharge_rate;
    if (!p->hot[m->child] && charge < w->min_firing_charge) return 0;
    if (m->class->type == SB_SUBSYSTEM_PHASER_BANK)
        return w->max_damage * BEAM_FACTOR * BEAM_SECONDS;
    float bolts = sb_f_clamp(charge / SB_PILOT_BOLT_CHARGE, 0, BOLTS_SOON);
    return shot ? shot->damage * BOLT_FACTOR * bolts : 0;
}

/* A beam follows its target, and the host widens its arcs by more than lag can turn (spec 10 §6.2);
 * a bolt that leaves near the edge of the arc is refused. */
bool sb_pilot_is_bearing(const sb_mount *m, sb_vec3 local)
{
    if (m->class->type == SB_SUBSYSTEM_TORPEDO_TUBE) return sb_pilot_is_in_cone(m->weapon, local);
    bool cannon = m->class->type == SB_SUBSYSTEM_PULSE_WEAPON;
    return sb_ship_arc_contains(m->weapon, local, cannon ? -ARC_MARGIN : 0);
}

/* The banks of a single-fire system take turns: the best one counts, the others are a reserve. */
static float system_firepower(const sb_pilot *p, const sb_ship *ship, unsigned index, sb_vec3 local,
                              bool all)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    float                     sum = 0, best = 0;
    sb_mount                  m;
    for (unsigned n = 0; sb_pilot_find_mount(ship->model, index, n, &m); n++) {
        float damage = damage_soon(p, ship, &m);
        if (!(damage > 0) || !(all || sb_pilot_is_bearing(&m, local))) continue;
        sum += damage;
        if (damage > best) best = damage;
    }
    bool in_turn = sb_pilot_is_single_fire(s) && s->type == SB_SUBSYSTEM_PHASER_SYSTEM;
    return in_turn ? best + SPARE_SHARE * (sum - best) : sum;
}

float sb_pilot_firepower(const sb_pilot *p, const sb_ship *ship, sb_vec3 local, bool all)
{
    float sum = 0;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (does_damage(&ship->model->subsystems[i]) && sb_pilot_is_system_working(ship, i))
            sum += system_firepower(p, ship, i, local, all);
    return sum;
}
