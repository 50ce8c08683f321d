/* src/client/pilot_shoot.c -- fires beams, bolts and torpedoes that are ready, in arc and in range.
 *
 * For:      pilot.c, at every decision.
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
#define AIM_RANGE    45.0f /* bolts are not fired at targets farther away */
#define SOON_S       3.0f  /* a weapon that is ready within this time counts as firepower */
#define BEAM_SECONDS 4.0f  /* compared with a torpedo, a beam counts as the damage of this time */
#define BEAM_FACTOR  0.5f  /* share of max_damage that a beam does per second (spec 10 §6.2) */
#define BEAM_RESERVE 0.5f  /* charge above the minimum that a bank needs to start a beam */
#define BEAM_HOLD    1.5f  /* a firing beam continues up to this multiple of its full range */
#define BOLT_FACTOR  0.5f  /* share of the script's damage that a bolt does (spec 10 §6.3) */
#define BOLT_CHARGE  1.0f  /* charge that a bolt costs; enough for the next one of a burst */
#define BOLTS_SOON   3.0f  /* at most so many bolts of a cannon count as firepower */
#define SPARE_SHARE  0.2f  /* of single-fire banks that wait for their turn, as firepower */
enum {
    IMMEDIATE_LAG_US = 500000,
    CANNON_US = 340000,         /* a cannon fires at most once in this time (spec 10 §6.3) */
    CANNON_LAG_US = 150000,     /* added to its cool-down */
    BURST_GAP_US = 3 * 1000000, /* a pause as long as this ends a burst */
    TUBE_GAP_US = 670000,       /* between two tubes of a system; 0.656 s in the game */
};

/* ---- weapon data ---- */

typedef struct mount {
    const sb_subsystem_class *class;
    const sb_weapon_class *weapon;
    unsigned               index; /* top-level entry */
    unsigned               nth;   /* child of the entry */
    unsigned               child; /* index in the ship's list of children */
} mount;

static bool find_mount(const sb_ship_class *model, unsigned index, unsigned nth, mount *out)
{
    const sb_subsystem_class *s = &model->subsystems[index];
    if (nth >= s->child_count) return false;
    unsigned child = s->first_child + nth;
    if (child >= model->child_count) return false;
    *out = (mount){ &model->children[child], model->children[child].weapon, index, nth, child };
    return out->weapon != NULL;
}

static sb_vec3 position_of(const mount *m)
{
    return m->class->has_position ? sb_v_from(m->class->position) : (sb_vec3){ 0, 0, 0 };
}

static bool is_in_cone(const sb_weapon_class *tube, sb_vec3 local)
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

static const sb_projectile_class *loaded_projectile(const sb_ship *ship, unsigned index)
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

static void charge_weapon(sb_pilot *p, const sb_ship *ship, const mount *m, float performance)
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

static bool is_single_fire(const sb_subsystem_class *s)
{
    return s->single_fire == SB_PROPERTY_YES;
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
        mount m;
        if (!does_damage(&ship->model->subsystems[i])) continue;
        float performance = ship->on[i] ? ship->power_wanted[i] * efficiency : 0;
        for (unsigned n = 0; find_mount(ship->model, i, n, &m); n++)
            charge_weapon(p, ship, &m, performance);
    }
}

/* ---- available firepower ---- */

static bool is_system_working(const sb_ship *ship, unsigned index)
{
    return ship->on[index] && !sb_ship_is_disabled(ship, index);
}

/* Damage of one weapon if it is ready within SOON_S, else 0. */
static float damage_soon(const sb_pilot *p, const sb_ship *ship, const mount *m)
{
    const sb_weapon_class *w = m->weapon;
    float                  charge = p->charge[m->child];
    if (sb_ship_is_child_disabled(ship, m->child)) return 0;
    const sb_projectile_class *shot = loaded_projectile(ship, m->index);
    if (m->class->type == SB_SUBSYSTEM_TORPEDO_TUBE)
        return shot && charge + SOON_S / w->reload_delay >= 1 ? shot->damage : 0;
    charge += p->hot[m->child] ? 0 : SOON_S * w->recharge_rate;
    if (!p->hot[m->child] && charge < w->min_firing_charge) return 0;
    if (m->class->type == SB_SUBSYSTEM_PHASER_BANK)
        return w->max_damage * BEAM_FACTOR * BEAM_SECONDS;
    float bolts = sb_f_clamp(charge / BOLT_CHARGE, 0, BOLTS_SOON);
    return shot ? shot->damage * BOLT_FACTOR * bolts : 0;
}

/* A beam follows its target, and the host widens its arcs by more than lag can turn (spec 10 §6.2);
 * a bolt that leaves near the edge of the arc is refused. */
static bool is_bearing(const mount *m, sb_vec3 local)
{
    if (m->class->type == SB_SUBSYSTEM_TORPEDO_TUBE) return is_in_cone(m->weapon, local);
    bool cannon = m->class->type == SB_SUBSYSTEM_PULSE_WEAPON;
    return sb_ship_arc_contains(m->weapon, local, cannon ? -ARC_MARGIN : 0);
}

/* The banks of a single-fire system take turns: the best one counts, the others are a reserve. */
static float system_firepower(const sb_pilot *p, const sb_ship *ship, unsigned index, sb_vec3 local,
                              bool all)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    float                     sum = 0, best = 0;
    mount                     m;
    for (unsigned n = 0; find_mount(ship->model, index, n, &m); n++) {
        float damage = damage_soon(p, ship, &m);
        if (!(damage > 0) || !(all || is_bearing(&m, local))) continue;
        sum += damage;
        if (damage > best) best = damage;
    }
    bool in_turn = is_single_fire(s) && s->type == SB_SUBSYSTEM_PHASER_SYSTEM;
    return in_turn ? best + SPARE_SHARE * (sum - best) : sum;
}

float sb_pilot_firepower(const sb_pilot *p, const sb_ship *ship, sb_vec3 local, bool all)
{
    float sum = 0;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (does_damage(&ship->model->subsystems[i]) && is_system_working(ship, i))
            sum += system_firepower(p, ship, i, local, all);
    return sum;
}

/* ---- aiming ---- */

static sb_vec3 muzzle_position(const sb_pilot *p, const mount *m)
{
    return sb_v_add(p->position, sb_pilot_to_world(sb_pilot_axes_of(p), position_of(m)));
}

/* Seconds until a shot of this speed, fired now, meets the target; negative: never. */
static float flight_time(sb_vec3 offset, sb_vec3 velocity, float speed)
{
    float a = speed * speed - sb_v_dot(velocity, velocity);
    float b = sb_v_dot(offset, velocity), c = sb_v_dot(offset, offset);
    if (a < 0.01f) return -1; /* the target is as fast as the shot */
    return (b + sqrtf(b * b + a * c)) / a;
}

/* The direction in which a shot meets the target. An easy pilot aims at the present position of the
 * target; every pilot has a random error. */
static sb_vec3 aim_at(sb_pilot *p, const sb_contact *t, sb_vec3 from, float speed, float *seconds)
{
    static const float tremble[SB_SKILL_COUNT] = { 0.14f, 0.045f, 0.012f };
    sb_vec3            offset = sb_v_sub(t->position, from);
    *seconds = flight_time(offset, t->velocity, speed);
    if (p->config.skill != SB_SKILL_EASY && *seconds > 0)
        offset = sb_v_along(offset, t->velocity, *seconds);
    sb_vec3 straight = sb_v_unit(offset, p->forward), error = sb_pilot_random_direction(p);
    float   size = tremble[p->config.skill] * sb_pilot_random_unit(p);
    return sb_v_unit(sb_v_along(straight, error, size), straight);
}

/* True: no friend and no neutral object is between us and the target. */
static bool is_line_clear(const sb_view *view, sb_vec3 direction)
{
    for (unsigned i = 0; i < view->count; i++) {
        const sb_contact *c = &view->contacts[i];
        if (c->foe || !c->visible || c->seen->exploding) continue;
        float along = sb_v_dot(c->offset, direction);
        if (along <= 0 || along > view->target->distance + c->radius) continue;
        sb_vec3 beside = sb_v_along(c->offset, direction, -along);
        if (sb_v_length(beside) < c->radius + 1) return false;
    }
    return true;
}

/* ---- beams ---- */

/* True: the bank works and has the target in its arc, at most `reach` times its full range away. */
static bool is_bank_bearing(const sb_pilot *p, const sb_view *view, const mount *m, float reach)
{
    if (sb_ship_is_child_disabled(view->ship, m->child)) return false;
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), view->target->offset);
    local = sb_v_sub(local, position_of(m));
    return sb_v_length(local) <= m->weapon->max_damage_distance * reach && is_bearing(m, local);
}

/* A beam that has begun goes on farther out than the pilot begins one: the host makes a new beam
 * wait 1.156 s for its first damage (spec 10 §6.2). */
static bool can_bank_fire(const sb_pilot *p, const sb_view *view, const mount *m)
{
    if (p->hot[m->child]) return is_bank_bearing(p, view, m, BEAM_HOLD);
    return p->charge[m->child] >= m->weapon->min_firing_charge && is_bank_bearing(p, view, m, 1);
}

static unsigned update_all_banks(sb_pilot *p, const sb_view *view, unsigned index)
{
    unsigned firing = 0;
    mount    m;
    for (unsigned n = 0; find_mount(view->model, index, n, &m); n++) {
        p->hot[m.child] = can_bank_fire(p, view, &m);
        firing += p->hot[m.child];
    }
    return firing;
}

/* One bank fires until it is empty; then the next in the list that can. */
static unsigned update_single_bank(sb_pilot *p, const sb_view *view, unsigned index)
{
    unsigned count = view->model->subsystems[index].child_count;
    mount    m;
    for (unsigned n = 0; find_mount(view->model, index, n, &m); n++) {
        if (!p->hot[m.child]) continue;
        p->hot[m.child] = can_bank_fire(p, view, &m);
        if (p->hot[m.child]) return 1;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned n = (p->next_bank[index] + i) % count;
        if (!find_mount(view->model, index, n, &m) || !can_bank_fire(p, view, &m)) continue;
        p->next_bank[index] = (uint8_t)((n + 1) % count);
        p->hot[m.child] = true;
        return 1;
    }
    return 0;
}

/* Updates which banks of a firing system fire, by the host's rules. Returns the number of firing
 * banks. */
static unsigned update_firing_banks(sb_pilot *p, const sb_view *view, unsigned index)
{
    return is_single_fire(&view->model->subsystems[index]) ? update_single_bank(p, view, index)
                                                           : update_all_banks(p, view, index);
}

static bool is_worth_starting(const sb_pilot *p, const sb_view *view, unsigned index)
{
    mount m;
    for (unsigned n = 0; find_mount(view->model, index, n, &m); n++)
        if (p->charge[m.child] >= m.weapon->min_firing_charge + BEAM_RESERVE &&
            is_bank_bearing(p, view, &m, 1))
            return true;
    return false;
}

static void stop_beams(sb_pilot *p, sb_client *client, const sb_ship_class *model, unsigned index,
                       sb_time now)
{
    mount m;
    if (!sb_pilot_attempt(sb_client_stop_firing(client, now, index))) return;
    p->beams_on[index] = false;
    for (unsigned n = 0; model && find_mount(model, index, n, &m); n++) p->hot[m.child] = false;
}

static void fire_beams(sb_pilot *p, sb_client *client, const sb_view *view, unsigned index)
{
    sb_vec3 towards = sb_v_unit(view->target->offset, p->forward);
    bool    clear = is_line_clear(view, towards);
    if (p->beams_on[index]) {
        if (!clear || !is_system_working(view->ship, index) ||
            update_firing_banks(p, view, index) == 0)
            stop_beams(p, client, view->model, index, view->now);
        return;
    }
    if (!clear || !is_system_working(view->ship, index) || !is_worth_starting(p, view, index))
        return;
    if (p->config.skill == SB_SKILL_EASY && sb_pilot_random_unit(p) < 0.7f)
        return; /* reacts late */
    uint32_t target = view->target->seen->ship.object_id;
    if (!sb_pilot_attempt(sb_client_start_firing(client, view->now, index, target))) return;
    p->beams_on[index] = true;
    p->beam_at = view->now;
    p->shots++;
    update_firing_banks(p, view, index);
}

void sb_pilot_cease_fire(sb_pilot *p, sb_client *client, sb_time now)
{
    const sb_seen_ship *own = sb_client_own_ship(client);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        if (p->beams_on[i]) stop_beams(p, client, own ? own->ship.model : NULL, i, now);
}

/* ---- bolts ---- */

/* The first bolt of a burst needs min_firing_charge, the others what they cost (spec 10 §6.3). */
static bool is_cannon_ready(const sb_pilot *p, const sb_view *view, const mount *m)
{
    bool  burst = view->now - p->bolt_at[m->child] < BURST_GAP_US;
    float needed = burst ? BOLT_CHARGE : m->weapon->min_firing_charge;
    return p->charge[m->child] >= needed && view->now >= p->ready_at[m->child] &&
           !sb_ship_is_child_disabled(view->ship, m->child);
}

/* The cool-down is NaN if it is not known. */
static sb_time cannon_pause(sb_pilot *p, const sb_weapon_class *w)
{
    sb_time cooldown = w->cooldown_time > 0 ? (sb_time)(w->cooldown_time * 1e6f) : 0;
    sb_time pause = cooldown + CANNON_LAG_US > CANNON_US ? cooldown + CANNON_LAG_US : CANNON_US;
    return pause + sb_pilot_random_delay(p, 0, 60000);
}

static void fire_cannon(sb_pilot *p, sb_client *client, const sb_view *view, const mount *m,
                        const sb_projectile_class *bolt)
{
    if (!is_cannon_ready(p, view, m)) return;
    float   seconds;
    sb_vec3 direction =
        aim_at(p, view->target, muzzle_position(p, m), bolt->launch_speed, &seconds);
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), direction);
    if (seconds < 0 || (bolt->lifetime > 0 && seconds > bolt->lifetime)) return;
    if (!is_bearing(m, local) || !is_line_clear(view, direction)) return;
    uint32_t target = view->target->seen->ship.object_id;
    if (!sb_pilot_attempt(
            sb_client_pulse(client, view->now, m->index, m->nth, bolt->type, direction, target)))
        return;
    p->charge[m->child] -= BOLT_CHARGE;
    p->bolt_at[m->child] = view->now;
    p->ready_at[m->child] = view->now + cannon_pause(p, m->weapon);
    p->shots++;
}

static void fire_bolts(sb_pilot *p, sb_client *client, const sb_view *view, unsigned index)
{
    const sb_projectile_class *bolt = loaded_projectile(view->ship, index);
    mount                      m;
    if (!bolt || !is_system_working(view->ship, index) || view->target->distance > AIM_RANGE)
        return;
    if (p->config.skill == SB_SKILL_EASY && sb_pilot_random_unit(p) < 0.7f) return;
    for (unsigned n = 0; find_mount(view->model, index, n, &m); n++)
        fire_cannon(p, client, view, &m, bolt);
}

/* ---- torpedoes ---- */

/* A torpedo that hardly turns must arrive before the target has moved away. */
static float max_flight_seconds(const sb_projectile_class *torpedo)
{
    return torpedo->max_angular_accel >= 1 ? 0.5f * torpedo->guidance_lifetime : 2.2f;
}

static bool fire_tube(sb_pilot *p, sb_client *client, const sb_view *view, const mount *m,
                      const sb_projectile_class *torpedo)
{
    if (p->charge[m->child] < 1 || view->now < p->ready_at[m->child] ||
        sb_ship_is_child_disabled(view->ship, m->child))
        return false;
    float   seconds;
    sb_vec3 direction =
        aim_at(p, view->target, muzzle_position(p, m), torpedo->launch_speed, &seconds);
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), direction);
    if (seconds < 0 || seconds > max_flight_seconds(torpedo) || !is_in_cone(m->weapon, local))
        return false;
    if (!is_line_clear(view, direction)) return false;
    uint32_t target = view->target->seen->ship.object_id;
    if (!sb_pilot_attempt(sb_client_torpedo(client, view->now, m->index, m->nth, torpedo->type,
                                            direction, target)))
        return false;
    p->charge[m->child] -= 1;
    p->ready_at[m->child] =
        view->now + (sb_time)(m->weapon->immediate_delay * 1e6f) + IMMEDIATE_LAG_US;
    p->shots++;
    return true;
}

/* The pause after a torpedo. Tubes of a system never fire together (spec 10 §6.4); a hard pilot
 * empties them as fast as they do, an easy one rarely fires. */
static sb_time torpedo_pause(sb_pilot *p)
{
    switch (p->config.skill) {
    case SB_SKILL_EASY: return sb_pilot_random_delay(p, 3 * SB_SECOND, 6 * SB_SECOND);
    case SB_SKILL_NORMAL: return sb_pilot_random_delay(p, TUBE_GAP_US, 2 * (sb_time)TUBE_GAP_US);
    default: return TUBE_GAP_US;
    }
}

static void fire_torpedoes(sb_pilot *p, sb_client *client, const sb_view *view, unsigned index)
{
    const sb_projectile_class *torpedo = loaded_projectile(view->ship, index);
    mount                      m;
    if (!torpedo || !is_system_working(view->ship, index) || view->now < p->volley_at) return;
    if (p->config.skill == SB_SKILL_EASY && sb_pilot_random_unit(p) < 0.9f) return;
    for (unsigned n = 0; find_mount(view->model, index, n, &m); n++) {
        if (!fire_tube(p, client, view, &m, torpedo)) continue;
        p->volley_at = view->now + torpedo_pause(p);
        return;
    }
}

/* ---- all weapons ---- */

/* An easy pilot is inattentive half of the time: every other six seconds. */
static bool is_distracted(const sb_pilot *p, sb_time now)
{
    return p->config.skill == SB_SKILL_EASY &&
           ((uint64_t)(now / (6 * SB_SECOND)) + p->config.seed) % 2 == 0;
}

void sb_pilot_shoot(sb_pilot *p, sb_client *client, const sb_view *view)
{
    if (!view->target || p->config.peaceful || view->ship->cloaked || view->now < p->armed_at ||
        is_distracted(p, view->now)) {
        sb_pilot_cease_fire(p, client, view->now);
        return;
    }
    for (unsigned i = 0; i < view->model->subsystem_count; i++) {
        uint8_t type = view->model->subsystems[i].type;
        if (type == SB_SUBSYSTEM_PHASER_SYSTEM) fire_beams(p, client, view, i);
        if (type == SB_SUBSYSTEM_PULSE_SYSTEM) fire_bolts(p, client, view, i);
        if (type == SB_SUBSYSTEM_TORPEDO_SYSTEM) fire_torpedoes(p, client, view, i);
    }
}
