/* src/client/pilot_fight.c -- choice of target and attitude; retreat, cloak and power levels.
 *
 * For:      pilot.c, at every decision.
 * Tests:    tests/client/pilot_fight_test.c, pilot_test.c
 */
#include "client/pilot_internal.h"

static const sb_vec3 nose = { 0, 1, 0 };

enum {
    GRUDGE_US = 8000000,     /* an attacker is a preferred target this long after a hit */
    BEAM_US = 4000000,       /* a new beam keeps its target this long: its damage comes late */
    CLOAK_US = 6500000,      /* CloakTime of spec 10 §10 plus lag: weapons wait this long */
    CLOAK_GAP_US = 45000000, /* between the end of a cloak and the next one */
    ATTITUDES = 28,
};

/* ---- target ---- */

static float health_ratio(const sb_ship *ship)
{
    if (!ship->model) return 1;
    float sum = 0, max = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        sum += ship->facing[i];
        max += ship->model->shield_max[i];
    }
    float hull = ship->model->subsystem_count > 0 ? sb_ship_ratio(ship, 0) : 1;
    return 0.5f * hull + (max > 0 ? 0.5f * sum / max : 0);
}

/* The share of a hit that a facing stops: all of it above 60 %, less and less down to 10 %, nothing
 * below (spec 10 §5.2). */
static float share_stopped(float fraction)
{
    if (fraction <= 0.1f) return 0;
    return fraction < 0.6f ? 0.4f + 1.2f * (fraction - 0.1f) : 1;
}

/* How much of our fire is stopped by the shield facing that `c` turns towards us, 0..1. */
static float share_stopped_by(const sb_contact *c)
{
    const sb_ship *ship = &c->seen->ship;
    sb_pilot_axes  axes = { ship->motion.forward, ship->motion.up };
    unsigned       facing = sb_pilot_facing_of(sb_pilot_to_local(axes, sb_v_scale(c->offset, -1)));
    float          max = ship->model ? ship->model->shield_max[facing] : 0;
    return max > 0 ? share_stopped(ship->facing[facing] / max) : 0;
}

/* Prefers near ships. A weak ship, an attacker and the present target count as nearer. */
static float target_score(const sb_pilot *p, const sb_view *view, const sb_contact *c)
{
    float    score = -c->distance;
    uint32_t id = c->seen->ship.object_id;
    if (id == p->target) score += view->now - p->beam_at < BEAM_US ? 18 : 12;
    if (id == p->attacker && view->now - p->attacked_at < GRUDGE_US) score += 25;
    if (p->config.skill == SB_SKILL_EASY) return score;
    return score + 80 * (1 - health_ratio(&c->seen->ship)) + 15 * (1 - share_stopped_by(c));
}

const sb_contact *sb_pilot_choose_target(sb_pilot *p, const sb_view *view)
{
    const sb_contact *best = NULL;
    float             best_score = 0;
    for (unsigned i = 0; i < view->count; i++) {
        const sb_contact *c = &view->contacts[i];
        if (!c->foe) continue;
        float score = target_score(p, view, c);
        if (best && score <= best_score) continue;
        best = c;
        best_score = score;
    }
    return best;
}

/* ---- attitude ----
 *
 * The attitude is the ship-local direction d that the ship turns towards the enemy. It decides
 * which weapons bear (those that point along d), which shield facing is exposed, and where the nose
 * points: towards, away from or around the enemy. The pilot chooses the best of ATTITUDES
 * directions by a weighted sum. */

typedef struct weights {
    float fire, shield, turn, closer;
} weights;

/* 26 directions to the sides, edges and corners of a cube, and two that lower or raise the nose by
 * 20 degrees, because the broad arcs of many classes begin just beside the plane of the ship. */
static sb_vec3 attitude_at(unsigned i)
{
    if (i >= 26) return (sb_vec3){ 0, 0.9397f, i == 26 ? 0.342f : -0.342f };
    if (i >= 13) i++;
    int x = (int)(i % 3) - 1, y = (int)(i / 3 % 3) - 1, z = (int)(i / 9) - 1;
    return sb_v_unit((sb_vec3){ (float)x, (float)y, (float)z }, nose);
}

/* Penalty for a nose that points out of the arena; 0 in the inner 60 % of it. */
static float outward_penalty(const sb_pilot *p, sb_vec3 direction)
{
    float far = sb_v_length(p->position) / p->config.arena;
    float edge = sb_f_clamp((far - 0.6f) * 2.5f, 0, 1.5f);
    return edge * sb_v_dot(direction, sb_v_unit(p->position, direction));
}

/* The worth of the facing in direction `local`, 0..1: what it stops now, and how much is left of it
 * compared with the strongest one. */
static float facing_worth(const sb_ship *ship, sb_vec3 local)
{
    unsigned facing = sb_pilot_facing_of(local);
    float    max = ship->model->shield_max[facing], best = 1;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        if (ship->facing[i] > best) best = ship->facing[i];
    float stops = max > 0 ? share_stopped(ship->facing[facing] / max) : 0;
    return 0.5f * stops + 0.5f * ship->facing[facing] / best;
}

static float attitude_score(const sb_pilot *p, const sb_view *view, const weights *w,
                            unsigned index, sb_vec3 towards, float arsenal)
{
    sb_vec3       d = attitude_at(index);
    sb_pilot_axes now = sb_pilot_axes_of(p);
    sb_vec3       points = sb_pilot_to_world(now, d);
    sb_pilot_axes then = sb_pilot_turn_axes(now, points, towards);
    sb_vec3       danger = view->threat ? sb_pilot_to_local(then, view->threat->offset) : d;
    float         score = w->closer * sb_v_dot(then.forward, towards);
    if (arsenal > 0) score += w->fire * sb_pilot_firepower(p, view->ship, d, false) / arsenal;
    score += w->shield * facing_worth(view->ship, danger);
    score -= outward_penalty(p, then.forward);
    /* Against oscillation: the present attitude gets a bonus and pays nothing for the rest of a
     * turn that the ship has begun. */
    if (index == p->attitude) return score + 0.3f;
    return score - w->turn * 0.5f * (1 - sb_v_dot(points, towards));
}

static sb_vec3 choose_attitude(sb_pilot *p, const sb_view *view, const weights *w, sb_vec3 towards)
{
    float    arsenal = sb_pilot_firepower(p, view->ship, nose, true), best_score = 0;
    unsigned best = ATTITUDES;
    for (unsigned i = 0; i < ATTITUDES; i++) {
        float score = attitude_score(p, view, w, i, towards, arsenal);
        if (best < ATTITUDES && score <= best_score) continue;
        best = i;
        best_score = score;
    }
    p->attitude = (uint8_t)best;
    return attitude_at(best);
}

/* The speed is never 0, because a ship at rest is easy to hit. A ship that must first turn around
 * flies slowly, because a fast ship turns in a wide circle, away from the fight. */
static float attack_speed(const sb_pilot *p, const sb_view *view, sb_vec3 axis, float range)
{
    float distance = view->target->distance;
    float on_target = sb_v_dot(p->forward, sb_v_unit(view->target->offset, p->forward));
    if (on_target < 0.5f && axis.y > 0.5f)
        return view->speed_limit * (distance > range ? 0.3f : 0.6f);
    if (on_target < 0.3f) return view->speed_limit * 0.85f;
    return view->speed_limit * sb_f_clamp((distance - 0.7f * range) / (0.5f * range), 0.25f, 1);
}

/* Under fire, a normal or hard pilot approaches on a zigzag course. */
static sb_vec3 weave_under_fire(sb_pilot *p, const sb_view *view, sb_vec3 towards)
{
    if (view->now - p->attacked_at > 3 * SB_SECOND || p->config.skill == SB_SKILL_EASY)
        return towards;
    bool    left = view->now / (2 * SB_SECOND) % 2 == 0; /* changes side every two seconds */
    sb_vec3 side = sb_pilot_right(sb_pilot_axes_of(p));
    return sb_v_unit(sb_v_along(towards, side, left ? -0.25f : 0.25f), towards);
}

/* Two ships can circle around each other for ever without a weapon bearing. A pilot in that
 * situation breaks off: it flies away for 5 to 9 s or up to 1.2 times the range. Starts or ends the
 * break-off, and returns true while it lasts. */
static bool update_break_off(sb_pilot *p, const sb_view *view, float range)
{
    const sb_contact *t = view->target;
    if (view->now < p->extend_until && t->distance > 1.2f * range) p->extend_until = view->now;
    if (view->now < p->extend_until) return true;
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), t->offset);
    float   all = sb_pilot_firepower(p, view->ship, nose, true);
    bool    bears = all <= 0 || sb_pilot_firepower(p, view->ship, local, false) > 0.25f * all;
    if (bears || t->distance > range || view->now < p->extend_until + 4 * SB_SECOND) return false;
    if (local.y > 0.5f * t->distance) return false; /* weapons will bear soon */
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

/* Flies away from the threat and turns a strong shield facing towards it. */
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
    float max = view->model->backup_battery;
    return max > 0 ? view->ship->backup_battery / max : 0;
}

/* True to retreat; for a hard pilot also to approach a distant target unseen. */
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
        if (!sb_pilot_attempt(sb_client_cloak(client, view->now, true))) return;
        p->armed_at = SB_TIME_NEVER;
    } else if (view->ship->cloaked && (broken || wants_to_appear(p, view))) {
        if (!sb_pilot_attempt(sb_client_cloak(client, view->now, false))) return;
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

/* False: the levels need more than the conduits carry, and all systems would get no power for the
 * rest of the second (spec 10 §4.4). */
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
        if (!sb_pilot_attempt(sb_client_power(client, view->now, i, level))) p->stance = 0;
    }
}
