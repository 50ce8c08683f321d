/* src/client/pilot_fly.c -- motion within the limits of the engines, and collision avoidance.
 *
 * For:      pilot.c: motion at every step, courses at every decision.
 * Spec:     10 §11.3.
 * Tests:    tests/client/pilot_fly_test.c, pilot_test.c
 */
#include "client/pilot_internal.h"

static const sb_vec3 nose = { 0, 1, 0 };

/* A ship without engines brakes with this share of max_accel: it drifts to a stop. */
#define DRIFT            0.5f
#define AT_REST          1e-3f /* units per second: a smaller difference ends an approach */
#define REVERSE          0.5f  /* share of the forward speed */
#define CLEARANCE        3.0f  /* units between two hulls that count as safe */
#define LOOK_AHEAD_S     6.0f
#define GOAL_NEAR        8.0f /* units: a goal at this distance counts as reached */
#define BRAKE_S          2.5f /* the ship brakes fully if the closest approach is sooner than this */
#define TOUCH            0.5f  /* hulls overlap below this share of the sum of bounding radii */
#define BOUNCE           0.25f /* share of the speed that remains, reversed, after a hard ram */
#define COLLISION_GAP_US 300000

/* ---- one step ---- */

/* The engines' figures as far as the pilot uses them. At more than 100 % power only the speed
 * grows: the pilot leaves the additional acceleration and turn rate unused. */
static sb_engine_limits limits_of(const sb_ship *ship)
{
    sb_engine_limits     limits = sb_ship_engine_limits(ship, sb_pilot_efficiency(ship), 0);
    const sb_ship_class *m = ship->model;
    limits.accel = sb_f_clamp(limits.accel, 0, m->max_accel);
    limits.turn_rate = sb_f_clamp(limits.turn_rate, 0, m->max_angular_velocity);
    limits.turn_accel = sb_f_clamp(limits.turn_accel, 0, m->max_angular_accel);
    return limits;
}

/* Speeding up needs engines; braking has at least the share DRIFT of the class's figure. */
static float usable_accel(float accel, float class_accel, bool slowing)
{
    return slowing && accel < DRIFT * class_accel ? DRIFT * class_accel : accel;
}

/* The pilot's hands: a ship approaches what the throttle and the stick say by the law of motion,
 * slowly at the end. So the pilot sets more than it wants, up to the ends of the control, until the
 * ship has what it wants. */
static float overset(float value, float wanted, float min, float max)
{
    return sb_f_clamp(value + (wanted - value) / SB_PILOT_STEP_S, min, max);
}

static void change_speed(sb_pilot *p, const sb_ship *ship, const sb_engine_limits *limits,
                         const sb_pull *pull)
{
    float wanted = sb_f_clamp(p->speed_wanted, -limits->speed * REVERSE, limits->speed);
    bool  slowing = fabsf(wanted) < fabsf(p->speed);
    float accel = usable_accel(limits->accel, ship->model->max_accel, slowing);
    float end = fmaxf(limits->speed, fabsf(p->speed));
    float set = overset(p->speed, wanted, -limits->speed * REVERSE, end);
    set = sb_pull_speed(pull, set);
    p->speed = sb_motion_approach(p->speed, set, accel, SB_PILOT_STEP_S);
    if (fabsf(p->speed - wanted) < AT_REST) p->speed = wanted;
}

/* The rotation that brings `axis` to `heading`, at the highest rate that can still be stopped in
 * time. */
static sb_vec3 wanted_spin(const sb_pilot *p, float fastest, float accel)
{
    sb_vec3 from = sb_pilot_to_world(sb_pilot_axes_of(p), p->axis);
    sb_vec3 k = sb_v_cross(from, p->heading);
    float   sine = sb_v_length(k), cosine = sb_v_dot(from, p->heading);
    float   angle = sb_v_angle(sine, cosine);
    if (sine < 1e-3f) { /* reached, or exactly opposite: then turn about any axis */
        if (cosine > 0) return (sb_vec3){ 0, 0, 0 };
        k = sb_v_cross(from, p->up);
        sine = sb_v_length(k);
        if (sine < 1e-3f) {
            k = p->forward;
            sine = 1;
        }
    }
    float rate = sqrtf(1.6f * accel * angle);
    if (rate > 3 * angle) rate = 3 * angle;
    if (rate > fastest) rate = fastest;
    return sb_v_scale(k, rate / sine);
}

/* Turns the axes for one step of `spin`. For an angle x = turn_rate * step, the formula turns by
 * 2 atan(x / 2), which is never more than x. */
static void rotate(sb_pilot *p)
{
    sb_vec3 h = sb_v_scale(p->spin, SB_PILOT_STEP_S * 0.5f);
    float   k = 2.0f / (1.0f + sb_v_dot(h, h));
    sb_vec3 f = sb_v_add(p->forward, sb_v_cross(h, p->forward));
    sb_vec3 u = sb_v_add(p->up, sb_v_cross(h, p->up));
    p->forward = sb_v_unit(sb_v_along(p->forward, sb_v_cross(h, f), k), p->forward);
    u = sb_v_along(p->up, sb_v_cross(h, u), k);
    p->up = sb_v_unit(sb_v_along(u, p->forward, -sb_v_dot(u, p->forward)), p->up);
}

/* Turns like a player who moves the stick: the ship approaches the turn rate of the stick by the
 * law of motion, so the stick goes beyond the wanted rate, to its end at most, until the rate is
 * there.
 */
static void change_spin(sb_pilot *p, const sb_ship *ship, const sb_engine_limits *limits)
{
    sb_vec3 wanted = wanted_spin(p, limits->turn_rate, limits->turn_accel);
    bool    slowing = sb_v_length(wanted) < p->turn_rate;
    float   accel = usable_accel(limits->turn_accel, ship->model->max_angular_accel, slowing);
    sb_vec3 stick = sb_v_along(p->spin, sb_v_sub(wanted, p->spin), 1 / SB_PILOT_STEP_S);
    float   end = slowing ? ship->model->max_angular_velocity : limits->turn_rate;
    float   size = sb_v_length(stick);
    if (size > end) stick = sb_v_scale(stick, end / size);
    sb_vec3 change = sb_v_sub(stick, p->spin);
    float   rest = sb_v_length(change);
    float   done = sb_motion_approach(0, rest, accel, SB_PILOT_STEP_S);
    if (rest > 0) p->spin = sb_v_along(p->spin, change, done / rest);
    p->turn_rate = sb_v_length(p->spin);
}

/* One step at the mean of two speeds. */
static void advance(sb_pilot *p, float from, float to)
{
    rotate(p);
    p->position = sb_v_along(p->position, p->forward, 0.5f * (from + to) * SB_PILOT_STEP_S);
}

void sb_pilot_drift(sb_pilot *p)
{
    advance(p, p->speed, p->speed);
}

void sb_pilot_move(sb_pilot *p, const sb_ship *ship, const sb_pull *pull)
{
    sb_engine_limits limits = limits_of(ship);
    float            before = p->speed;
    change_speed(p, ship, &limits, pull);
    change_spin(p, ship, &limits);
    advance(p, before, p->speed);
    if (fabsf(p->speed) < AT_REST)
        p->position = sb_v_along(p->position, pull->drift, SB_PILOT_STEP_S);
}

void sb_pilot_steer(sb_pilot *p, sb_vec3 axis, sb_vec3 heading, float speed)
{
    p->axis = axis;
    p->heading = heading;
    p->speed_wanted = speed;
}

/* ---- cruising ---- */

void sb_pilot_cruise(sb_pilot *p, const sb_view *view)
{
    sb_vec3 way = sb_v_sub(p->goal, p->position);
    if (sb_v_length(way) < GOAL_NEAR || view->now >= p->goal_at) {
        float far = p->config.arena * (0.2f + 0.5f * sb_pilot_random_unit(p));
        p->goal = sb_v_scale(sb_pilot_random_direction(p), far);
        p->goal_at = view->now + sb_pilot_random_delay(p, 15 * SB_SECOND, 40 * SB_SECOND);
        way = sb_v_sub(p->goal, p->position);
    }
    sb_pilot_steer(p, nose, sb_v_unit(way, p->forward), view->speed_limit * 0.7f);
}

/* ---- collision avoidance ---- */

typedef struct encounter {
    const sb_contact *with;
    float             seconds; /* until the closest approach */
    sb_vec3           miss;    /* offset of the other ship at that time */
} encounter;

/* True: on the present courses we come too close to `c`. */
static bool comes_close(const sb_pilot *p, const sb_view *view, const sb_contact *c, encounter *out)
{
    sb_vec3 v = sb_v_sub(c->velocity, sb_v_scale(p->forward, p->speed));
    float   vv = sb_v_dot(v, v), closing = -sb_v_dot(c->offset, v);
    float   safe = sb_pilot_radius(view->ship) + c->radius + CLEARANCE;
    float   t = vv > 0.01f ? sb_f_clamp(closing / vv, 0, LOOK_AHEAD_S) : 0;
    *out = (encounter){ c, t, sb_v_along(c->offset, v, t) };
    if (sb_v_length(out->miss) >= safe) return false;
    return closing > 0 || c->distance < safe - CLEARANCE;
}

static bool find_next_encounter(const sb_pilot *p, const sb_view *view, encounter *out)
{
    bool found = false;
    for (unsigned i = 0; i < view->count; i++) {
        encounter e;
        if (!view->contacts[i].visible || !comes_close(p, view, &view->contacts[i], &e)) continue;
        if (found && e.seconds >= out->seconds) continue;
        *out = e;
        found = true;
    }
    return found;
}

/* Evades to the side on which we would pass anyway. Head on, both evade to their right, like ships
 * at sea. */
static sb_vec3 evasion_heading(const sb_pilot *p, const encounter *e)
{
    sb_vec3 ahead = sb_v_unit(e->with->offset, p->forward);
    sb_vec3 away = sb_v_scale(e->miss, -1);
    sb_vec3 side = sb_v_along(away, ahead, -sb_v_dot(away, ahead));
    if (sb_v_length(side) < 1) {
        sb_vec3 right = sb_pilot_right(sb_pilot_axes_of(p));
        side = sb_v_along(right, ahead, -sb_v_dot(right, ahead));
    }
    side = sb_v_unit(side, p->up);
    return sb_v_unit(sb_v_along(side, ahead, -0.5f), side);
}

bool sb_pilot_evade(sb_pilot *p, const sb_view *view)
{
    encounter e = { 0 };
    if (!find_next_encounter(p, view, &e)) return false;
    float ahead = sb_v_dot(p->forward, sb_v_unit(e.with->offset, p->forward));
    float speed = view->speed_limit;
    if (ahead > 0.2f) speed *= e.seconds < BRAKE_S ? -REVERSE : 0.3f;
    sb_pilot_steer(p, nose, evasion_heading(p, &e), speed);
    return true;
}

bool sb_pilot_stay_in_arena(sb_pilot *p, const sb_view *view)
{
    float rate = view->model->max_angular_velocity, arena = p->config.arena;
    float radius = rate > 0.01f ? p->speed / rate : 0; /* of our turning circle */
    float margin = sb_f_clamp(radius + 6, 6, arena * 0.6f);
    if (sb_v_length(sb_v_along(p->position, p->forward, margin)) < arena) return false;
    float out = sb_v_dot(p->forward, sb_v_unit(p->position, p->forward));
    if (out < -0.2f) return false; /* already flies inwards */
    sb_vec3 home = sb_v_unit(sb_v_scale(p->position, -1), p->forward);
    sb_pilot_steer(p, nose, home, view->speed_limit * (out > 0.5f ? 0.4f : 0.6f));
    return true;
}

/* ---- collisions ---- */

/* Reports a collision and bounces off. The force that stock clients report is the impulse, so force
 * / mass is the change of their ship's speed (spec 10 §8). Ours changes by no more than that
 * either, and not at all without a report. */
static void collide(sb_pilot *p, sb_client *client, const sb_view *view, const sb_contact *c)
{
    sb_vec3 v = sb_v_sub(c->velocity, sb_v_scale(p->forward, p->speed));
    sb_vec3 local = sb_pilot_to_local(sb_pilot_axes_of(p), c->offset);
    float   reach = sb_f_clamp(c->distance * 0.5f, 0, sb_pilot_radius(view->ship));
    sb_vec3 contact = sb_v_scale(sb_v_unit(local, nose), reach);
    float   push = sb_v_length(v), force = view->model->mass * push;
    if (!sb_pilot_attempt(
            sb_client_collision(client, view->now, c->seen->ship.object_id, contact, force)))
        return;
    p->collided_at = view->now;
    if (sb_v_dot(c->offset, p->forward) * p->speed > 0)
        p->speed -= sb_f_clamp((1 + BOUNCE) * p->speed, -push, push);
}

void sb_pilot_check_collision(sb_pilot *p, sb_client *client, const sb_view *view)
{
    if (view->now < p->collided_at + COLLISION_GAP_US) return;
    float own = sb_pilot_radius(view->ship);
    for (unsigned i = 0; i < view->count; i++) {
        const sb_contact *c = &view->contacts[i];
        if (!(c->distance < TOUCH * (own + c->radius))) continue;
        collide(p, client, view, c);
        return;
    }
}
