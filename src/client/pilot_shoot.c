/* src/client/pilot_shoot.c -- fires beams, bolts and torpedoes that are ready, in arc and in range.
 *
 * For:      pilot.c, at every decision.
 * Spec:     10 §6.
 * Tests:    tests/client/pilot_shoot_test.c, pilot_test.c
 */
#include "client/pilot_internal.h"

#define AIM_RANGE    45.0f /* bolts are not fired at targets farther away */
#define BEAM_RESERVE 0.5f  /* charge above the minimum that a bank needs to start a beam */
#define BEAM_HOLD    1.5f  /* a firing beam continues up to this multiple of its full range */
enum {
    IMMEDIATE_LAG_US = 500000,
    CANNON_US = 340000,         /* a cannon fires at most once in this time (spec 10 §6.3) */
    CANNON_LAG_US = 150000,     /* added to its cool-down */
    BURST_GAP_US = 3 * 1000000, /* a pause as long as this ends a burst */
    TUBE_GAP_US = 670000,       /* between two tubes of a system; 0.656 s in the game */
};

/* ---- aiming ---- */

static sb_vec3 position_of(const sb_mount *m)
{
    return m->class->has_position ? sb_v_from(m->class->position) : (sb_vec3){ 0, 0, 0 };
}

static sb_vec3 muzzle_position(const sb_pilot *p, const sb_mount *m)
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
static bool is_bank_bearing(const sb_pilot *p, const sb_view *view, const sb_mount *m, float reach)
{
    if (sb_ship_is_child_disabled(view->ship, m->child)) return false;
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), view->target->offset);
    local = sb_v_sub(local, position_of(m));
    return sb_v_length(local) <= m->weapon->max_damage_distance * reach &&
           sb_pilot_is_bearing(m, local);
}

/* A beam that has begun goes on farther out than the pilot begins one: the host makes a new beam
 * wait 1.156 s for its first damage (spec 10 §6.2). */
static bool can_bank_fire(const sb_pilot *p, const sb_view *view, const sb_mount *m)
{
    if (p->hot[m->child]) return is_bank_bearing(p, view, m, BEAM_HOLD);
    return p->charge[m->child] >= m->weapon->min_firing_charge && is_bank_bearing(p, view, m, 1);
}

static unsigned update_all_banks(sb_pilot *p, const sb_view *view, unsigned index)
{
    unsigned firing = 0;
    sb_mount m;
    for (unsigned n = 0; sb_pilot_find_mount(view->model, index, n, &m); n++) {
        p->hot[m.child] = can_bank_fire(p, view, &m);
        firing += p->hot[m.child];
    }
    return firing;
}

/* One bank fires until it is empty; then the next in the list that can. */
static unsigned update_single_bank(sb_pilot *p, const sb_view *view, unsigned index)
{
    unsigned count = view->model->subsystems[index].child_count;
    sb_mount m;
    for (unsigned n = 0; sb_pilot_find_mount(view->model, index, n, &m); n++) {
        if (!p->hot[m.child]) continue;
        p->hot[m.child] = can_bank_fire(p, view, &m);
        if (p->hot[m.child]) return 1;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned n = (p->next_bank[index] + i) % count;
        if (!sb_pilot_find_mount(view->model, index, n, &m) || !can_bank_fire(p, view, &m))
            continue;
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
    return sb_pilot_is_single_fire(&view->model->subsystems[index])
               ? update_single_bank(p, view, index)
               : update_all_banks(p, view, index);
}

static bool is_worth_starting(const sb_pilot *p, const sb_view *view, unsigned index)
{
    sb_mount m;
    for (unsigned n = 0; sb_pilot_find_mount(view->model, index, n, &m); n++)
        if (p->charge[m.child] >= m.weapon->min_firing_charge + BEAM_RESERVE &&
            is_bank_bearing(p, view, &m, 1))
            return true;
    return false;
}

static void stop_beams(sb_pilot *p, sb_client *client, const sb_ship_class *model, unsigned index,
                       sb_time now)
{
    sb_mount m;
    if (!sb_pilot_attempt(sb_client_stop_firing(client, now, index))) return;
    p->beams_on[index] = false;
    for (unsigned n = 0; model && sb_pilot_find_mount(model, index, n, &m); n++)
        p->hot[m.child] = false;
}

static void fire_beams(sb_pilot *p, sb_client *client, const sb_view *view, unsigned index)
{
    sb_vec3 towards = sb_v_unit(view->target->offset, p->forward);
    bool    clear = is_line_clear(view, towards);
    if (p->beams_on[index]) {
        if (!clear || !sb_pilot_is_system_working(view->ship, index) ||
            update_firing_banks(p, view, index) == 0)
            stop_beams(p, client, view->model, index, view->now);
        return;
    }
    if (!clear || !sb_pilot_is_system_working(view->ship, index) ||
        !is_worth_starting(p, view, index))
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
static bool is_cannon_ready(const sb_pilot *p, const sb_view *view, const sb_mount *m)
{
    bool  burst = view->now - p->bolt_at[m->child] < BURST_GAP_US;
    float needed = burst ? SB_PILOT_BOLT_CHARGE : m->weapon->min_firing_charge;
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

static void fire_cannon(sb_pilot *p, sb_client *client, const sb_view *view, const sb_mount *m,
                        const sb_projectile_class *bolt)
{
    if (!is_cannon_ready(p, view, m)) return;
    float   seconds;
    sb_vec3 direction =
        aim_at(p, view->target, muzzle_position(p, m), bolt->launch_speed, &seconds);
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), direction);
    if (seconds < 0 || (bolt->lifetime > 0 && seconds > bolt->lifetime)) return;
    if (!sb_pilot_is_bearing(m, local) || !is_line_clear(view, direction)) return;
    uint32_t target = view->target->seen->ship.object_id;
    if (!sb_pilot_attempt(
            sb_client_pulse(client, view->now, m->index, m->nth, bolt->type, direction, target)))
        return;
    p->charge[m->child] -= SB_PILOT_BOLT_CHARGE;
    p->bolt_at[m->child] = view->now;
    p->ready_at[m->child] = view->now + cannon_pause(p, m->weapon);
    p->shots++;
}

static void fire_bolts(sb_pilot *p, sb_client *client, const sb_view *view, unsigned index)
{
    const sb_projectile_class *bolt = sb_pilot_loaded_projectile(view->ship, index);
    sb_mount                   m;
    if (!bolt || !sb_pilot_is_system_working(view->ship, index) ||
        view->target->distance > AIM_RANGE)
        return;
    if (p->config.skill == SB_SKILL_EASY && sb_pilot_random_unit(p) < 0.7f) return;
    for (unsigned n = 0; sb_pilot_find_mount(view->model, index, n, &m); n++)
        fire_cannon(p, client, view, &m, bolt);
}

/* ---- torpedoes ---- */

/* A torpedo that hardly turns must arrive before the target has moved away. */
static float max_flight_seconds(const sb_projectile_class *torpedo)
{
    return torpedo->max_angular_accel >= 1 ? 0.5f * torpedo->guidance_lifetime : 2.2f;
}

static bool fire_tube(sb_pilot *p, sb_client *client, const sb_view *view, const sb_mount *m,
                      const sb_projectile_class *torpedo)
{
    if (p->charge[m->child] < 1 || view->now < p->ready_at[m->child] ||
        sb_ship_is_child_disabled(view->ship, m->child))
        return false;
    float   seconds;
    sb_vec3 direction =
        aim_at(p, view->target, muzzle_position(p, m), torpedo->launch_speed, &seconds);
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), direction);
    if (seconds < 0 || seconds > max_flight_seconds(torpedo) ||
        !sb_pilot_is_in_cone(m->weapon, local))
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
    const sb_projectile_class *torpedo = sb_pilot_loaded_projectile(view->ship, index);
    sb_mount                   m;
    if (!torpedo || !sb_pilot_is_system_working(view->ship, index) || view->now < p->volley_at)
        return;
    if (p->config.skill == SB_SKILL_EASY && sb_pilot_random_unit(p) < 0.9f) return;
    for (unsigned n = 0; sb_pilot_find_mount(view->model, index, n, &m); n++) {
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
