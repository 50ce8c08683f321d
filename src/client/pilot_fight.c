/* src/client/pilot_fight.c -- whom to fight, which side to turn to him, when to run, when to hide,
 * and where the power goes. */
#include "client/pilot_internal.h"

static const sb_vec3 nose = { 0, 1, 0 };

enum {
    GRUDGE_US = 8000000, /* how long a hit is held against somebody */
    CLOAK_US = 6500000,  /* CloakTime of spec 10 §10 and some lag: no weapon before */
    CLOAK_GAP_US = 45000000,
    ATTITUDES = 28,
};

/* ---- whom ---- */

static float health_ratio(const sb_ship *ship)
{
    if (!ship->model) return 1;
    float sum = 0, most = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        sum += ship->facing[i];
        most += ship->model->shield_max[i];
    }
    float hull = ship->model->subsystem_count > 0 ? sb_ship_ratio(ship, 0) : 1;
    return 0.5f * hull + (most > 0 ? 0.5f * sum / most : 0);
}

/* What is left of the facing that `c` shows us, 0..1. */
static float facing_ratio_towards_us(const sb_contact *c)
{
    const sb_ship *ship = &c->seen->ship;
    sb_pilot_axes  axes = { ship->motion.forward, ship->motion.up };
    unsigned       facing = sb_pilot_facing_of(sb_pilot_to_local(axes, sb_v_scale(c->offset, -1)));
    float          most = ship->model ? ship->model->shield_max[facing] : 0;
    return most > 0 ? ship->facing[facing] / most : 1;
}

/* The nearest; who is almost dead, who shot at us and whom we fight already count as nearer. */
static float target_score(const sb_pilot *p, const sb_view *view, const sb_contact *c)
{
    float    worth = -c->distance;
    uint32_t id = c->seen->ship.object_id;
    if (id == p->target) worth += 12;
    if (id == p->attacker && view->now - p->attacked_at < GRUDGE_US) worth += 25;
    if (p->config.skill == SB_SKILL_EASY) return worth;
    return worth + 80 * (1 - health_ratio(&c->seen->ship)) + 15 * (1 - facing_ratio_towards_us(c));
}

const sb_contact *sb_pilot_choose_target(sb_pilot *p, const sb_view *view)
{
    const sb_contact *best = NULL;
    float             most = 0;
    for (unsigned i = 0; i < view->count; i++) {
        const sb_contact *c = &view->contacts[i];
        if (!c->foe) continue;
        float worth = target_score(p, view, c);
        if (best && worth <= most) continue;
        best = c;
        most = worth;
    }
    return best;
}

/* ---- which side ----
 *
 * A ship that turns its direction d to the enemy fires with what looks that way, shows the facing
 * that lies that way, and flies where its nose then points: away, towards or around him. So one
 * choice of d settles guns, shields and course; it is the best of some directions, by weights. */

typedef struct weights {
    float fire, shield, turn, closer;
} weights;

/* 26 sides, edges and corners of a cube, and two that lower or raise the nose a little: broad arcs
 * of many classes begin just beside the plane of the ship. */
static sb_vec3 attitude_at(unsigned i)
{
    if (i >= 26) return (sb_vec3){ 0, 0.9397f, i == 26 ? 0.342f : -0.342f };
    if (i >= 13) i++;
    int x = (int)(i % 3) - 1, y = (int)(i / 3 % 3) - 1, z = (int)(i / 9) - 1;
    return sb_v_unit((sb_vec3){ (float)x, (float)y, (float)z }, nose);
}

/* How far out of the arena the nose would lead us: 0 in its inner part. */
static float outward_penalty(const sb_pilot *p, sb_vec3 direction)
{
    float far = sb_v_length(p->position) / (p->config.arena > 1 ? p->config.arena : 1);
    float edge = sb_f_clamp((far - 0.6f) * 2.5f, 0, 1.5f);
    return edge * sb_v_dot(direction, sb_v_unit(p->position, direction));
}

static float facing_ratio(const sb_ship *ship, sb_vec3 local)
{
    unsigned facing = sb_pilot_facing_of(local);
    float    best = 1;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        if (ship->facing[i] > best) best = ship->facing[i];
    return ship->facing[facing] / best;
}

static float attitude_score(const sb_pilot *p, const sb_view *view, const weights *w,
                            unsigned index, sb_vec3 towards, float arsenal)
{
    sb_vec3       d = attitude_at(index);
    sb_pilot_axes now = sb_pilot_axes_of(p);
    sb_vec3       points = sb_pilot_to_world(now, d);
    sb_pilot_axes then = sb_pilot_turn_axes(now, points, towards);
    sb_vec3       danger = view->threat ? sb_pilot_to_local(then, view->threat->offset) : d;
    float         worth = w->closer * sb_v_dot(then.forward, towards);
    if (arsenal > 0) worth += w->fire * sb_pilot_firepower(p, view->ship, d, false) / arsenal;
    worth += w->shield * facing_ratio(view->ship, danger);
    worth -= w->turn * 0.5f * (1 - sb_v_dot(points, towards));
    worth -= outward_penalty(p, then.forward);
    return index == p->attitude ? worth + 0.2f : worth; /* no dithering */
}

static sb_vec3 choose_attitude(sb_pilot *p, const sb_view *view, const weights *w, sb_vec3 towards)
{
    float    arsenal = sb_pilot_firepower(p, view->ship, nose, true), most = 0;
    unsigned best = ATTITUDES;
    for (unsigned i = 0; i < ATTITUDES; i++) {
        float worth = attitude_score(p, view, w, i, towards, arsenal);
        if (best < ATTITUDES && worth <= most) continue;
        best = i;
        most = worth;
    }
    p->attitude = (uint8_t)best;
    return attitude_at(best);
}

/* Never at rest: who stands still is a target. But who must come about first does it slowly: a fast
 * ship turns in a wide circle, and away from the fight. */
static float attack_speed(const sb_pilot *p, const sb_view *view, sb_vec3 axis, float range)
{
    float distance = view->target->distance;
    float on_target = sb_v_dot(p->forward, sb_v_unit(view->target->offset, p->forward));
    if (on_target < 0.5f && axis.y > 0.5f)
        return view->speed_limit * (distance > range ? 0.3f : 0.6f);
    if (on_target < 0.3f) return view->speed_limit * 0.85f;
    return view->speed_limit * sb_f_clamp((distance - 0.7f * range) / (0.5f * range), 0.25f, 1);
}

/* Under fire a better pilot does not come in on a straight line. */
static sb_vec3 weave_under_fire(sb_pilot *p, const sb_view *view, sb_vec3 towards)
{
    if (view->now - p->attacked_at > 3 * SB_SECOND || p->config.skill == SB_SKILL_EASY)
        return towards;
    bool    left = view->now / (2 * SB_SECOND) % 2 == 0; /* a beat of two seconds */
    sb_vec3 side = sb_pilot_right(sb_pilot_axes_of(p));
    return sb_v_unit(sb_v_along(towards, side, left ? -0.25f : 0.25f), towards);
}

/* Two that circle around each other can go on for ever, neither with the other before its guns. One
 * that gets nowhere leaves, and comes again from farther away. */
static bool update_break_off(sb_pilot *p, const sb_view *view, float range)
{
    const sb_contact *t = view->target;
    if (view->now < p->extend_until && t->distance > 1.4f * range) p->extend_until = view->now;
    if (view->now < p->extend_until) return true;
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), t->offset);
    float   all = sb_pilot_firepower(p, view->ship, nose, true);
    bool    bears = all <= 0 || sb_pilot_firepower(p, view->ship, local, false) > 0.25f * all;
    if (bears || t->distance > range || view->now < p->extend_until + 4 * SB_SECOND) return false;
    if (local.y > 0.5f * t->distance) return false; /* almost there */
    p->extend_until = view->now + sb_pilot_random_delay(p, 5 * SB_SECOND, 9 * SB_SECOND);
    return true;
}

void sb_pilot_attack(sb_pilot *p, const sb_view *view)
{
    static const float fire[SB_SKILL_COUNT] = { 1, 1, 1.3f };
    static const float shield_care[SB_SKILL_COUNT] = { 0, 0.4f, 0.8f };
    const sb_contact  *t = view->target;
    float              range = view->range + sb_pilot_radius(view->ship) + t->radius;
    if (update_break_off(p, view, range)) {
        sb_pilot_retreat(p, view);
        return;
    }
    sb_vec3 towards = sb_v_unit(t->offset, p->forward);
    sb_vec3 axis = nose;
    p->goal = t->position;
    if (p->config.skill != SB_SKILL_EASY) {
        float   off = sb_f_clamp((t->distance - range) / range, -1, 2.5f);
        weights w = { fire[p->config.skill], shield_care[p->config.skill], 0.35f, 1.1f * off };
        axis = choose_attitude(p, view, &w, towards);
    }
    float speed = attack_speed(p, view, axis, range);
    if (t->distance > 1.5f * range) towards = weave_under_fire(p, view, towards);
    sb_pilot_steer(p, axis, towards, speed);
}

/* Away from whoever is dangerous, with the strongest facing between us and him. */
void sb_pilot_retreat(sb_pilot *p, const sb_view *view)
{
    if (!view->threat || view->threat->distance > 2.5f * view->range + 20) {
        sb_pilot_cruise(p, view);
        return;
    }
    weights w = { 0.3f, 1.2f, 0.35f, -1.5f };
    sb_vec3 towards = sb_v_unit(view->threat->offset, p->forward);
    if (p->config.skill == SB_SKILL_EASY) w.shield = 0.3f;
    sb_vec3 axis = choose_attitude(p, view, &w, towards);
    bool    leads_away = sb_v_dot(p->forward, towards) < 0.2f;
    sb_pilot_steer(p, axis, towards, view->speed_limit * (leads_away ? 1 : 0.4f));
}

/* ---- cloak (spec 10 §10) ---- */

static unsigned find_cloak(const sb_view *view)
{
    for (unsigned i = 0; i < view->model->subsystem_count; i++)
        if (view->model->subsystems[i].type == SB_SUBSYSTEM_CLOAK) return i;
    return view->model->subsystem_count;
}

static float backup_battery_ratio(const sb_view *view)
{
    float most = view->model->backup_battery;
    return most > 0 ? view->ship->backup_battery / most : 0;
}

/* To run, or for a hard pilot to come near unseen. */
static bool wants_to_hide(const sb_pilot *p, const sb_view *view)
{
    if (view->now < p->cloak_at || backup_battery_ratio(view) < 0.4f || !view->threat) return false;
    if (view->now < p->retreat_until) return p->config.skill != SB_SKILL_EASY;
    if (p->config.skill != SB_SKILL_HARD || !view->target) return false;
    return view->target->distance > 1.8f * view->range &&
           view->now - p->attacked_at > 6 * SB_SECOND;
}

static bool wants_to_appear(const sb_pilot *p, const sb_view *view)
{
    if (backup_battery_ratio(view) < 0.15f) return true;
    if (view->now < p->retreat_until) return false;
    return !view->target || view->target->distance < 1.5f * view->range;
}

void sb_pilot_update_cloak(sb_pilot *p, sb_client *client, const sb_view *view)
{
    unsigned index = find_cloak(view);
    if (!view->model->can_cloak || index == view->model->subsystem_count) return;
    bool broken = sb_ship_is_disabled(view->ship, index);
    if (!view->ship->cloaked && !broken && !p->config.peaceful && wants_to_hide(p, view)) {
        sb_pilot_cease_fire(p, client, view->now);
        if (!sb_pilot_is_accepted(sb_client_cloak(client, view->now, true))) return;
        p->armed_at = SB_TIME_NEVER;
    } else if (view->ship->cloaked && (broken || wants_to_appear(p, view))) {
        if (!sb_pilot_is_accepted(sb_client_cloak(client, view->now, false))) return;
        p->armed_at = view->now + CLOAK_US;
        p->cloak_at = view->now + CLOAK_GAP_US;
    }
}

/* ---- power (spec 10 §4.2) ---- */

typedef struct stance {
    float shields, weapons, engines;
} stance;

static const stance stances[] = {
    { 0, 0, 0 },             /* not set yet */
    { 1, 1, 1 },             /* cruising */
    { 1, 1.25f, 1 },         /* attacking */
    { 1.25f, 0.75f, 1.25f }, /* retreating */
    { 0.5f, 1, 1.25f },      /* cloaked: shields are down anyway */
};

static uint8_t choose_stance(const sb_pilot *p, const sb_view *view)
{
    if (view->ship->cloaked) return 4;
    if (view->now < p->retreat_until) return 3;
    return view->target && !p->config.peaceful ? 2 : 1;
}

static float power_level(const stance *s, uint8_t type)
{
    switch (type) {
    case SB_SUBSYSTEM_SHIELD: return s->shields;
    case SB_SUBSYSTEM_IMPULSE: return s->engines;
    case SB_SUBSYSTEM_PHASER_SYSTEM:
    case SB_SUBSYSTEM_PULSE_SYSTEM:
    case SB_SUBSYSTEM_TORPEDO_SYSTEM: return s->weapons;
    default: return 1;
    }
}

/* More than the conduits carry is worth nothing: everybody would be at 0 for the rest of the second
 * (spec 10 §4.4). */
static bool is_affordable(const sb_view *view, const stance *s)
{
    sb_ship would = *view->ship;
    for (unsigned i = 0; i < view->model->subsystem_count; i++)
        would.power_wanted[i] = power_level(s, view->model->subsystems[i].type);
    return sb_pilot_efficiency(&would) >= 1;
}

void sb_pilot_set_power(sb_pilot *p, sb_client *client, const sb_view *view)
{
    uint8_t wanted = choose_stance(p, view);
    if (wanted == p->stance) return;
    stance s = stances[wanted];
    if (!is_affordable(view, &s)) {
        s.shields = sb_f_clamp(s.shields, 0, 1);
        s.weapons = sb_f_clamp(s.weapons, 0, 1);
        s.engines = sb_f_clamp(s.engines, 0, 1);
    }
    p->stance = wanted;
    for (unsigned i = 0; i < view->model->subsystem_count; i++) {
        const sb_subsystem_class *entry = &view->model->subsystems[i];
        float                     level = power_level(&s, entry->type);
        if (entry->format != SB_FORMAT_POWERED && entry->format != SB_FORMAT_SHIELD) continue;
        if (entry->type == SB_SUBSYSTEM_CLOAK || entry->type == SB_SUBSYSTEM_TRACTOR_SYSTEM)
            continue;
        float off = level - view->ship->power_wanted[i];
        if (off < 0.01f && off > -0.01f) continue;
        if (!sb_pilot_is_accepted(sb_client_power(client, view->now, i, level))) p->stance = 0;
    }
}
