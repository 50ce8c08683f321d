/* src/lab/helm.c -- the attacker's motion, by the law of motion (spec 10 §11.3).
 *
 * Tests:    tests/lab/lab_test.c
 */
#include "lab/lab_internal.h"

#include "ship/vectors.h"

#define STEP_SECONDS (1.0f / SB_COMBAT_STEPS_PER_S)

static float engine_power(const sb_ship *ship)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == SB_SUBSYSTEM_IMPULSE) return ship->power_wanted[i];
    return 1.0f;
}

/* Acceleration is that of the class: the power of the engines changes the speed alone (measured:
 * stbc-oracle motion_kessok_impulse_power125). */
static void change_speed(sb_lab *lab, sb_ship *ship)
{
    float      throttle = lab->scenario.throttle > 1.0f ? 1.0f : lab->scenario.throttle;
    float      target = ship->model->max_speed * throttle * engine_power(ship);
    sb_motion *m = &ship->motion;
    sb_motion_set_speed(m,
                        sb_motion_approach(m->speed, target, ship->model->max_accel, STEP_SECONDS));
    m->position = sb_v_along(m->position, m->forward, m->speed * STEP_SECONDS);
}

static void change_heading(sb_lab *lab, sb_ship *ship)
{
    float ordered = lab->scenario.turn_rate;
    if (ordered < 0.0f) ordered = ship->model->max_angular_velocity;
    lab->turn_rate =
        sb_motion_approach(lab->turn_rate, ordered, ship->model->max_angular_accel, STEP_SECONDS);
    sb_motion *m = &ship->motion;
    sb_vec3    right = sb_v_cross(m->forward, m->up);
    sb_motion_set_axes(m, sb_v_along(m->forward, right, lab->turn_rate * STEP_SECONDS), m->up);
}

void sb_lab_steer(sb_lab *lab, sb_time now)
{
    sb_ship *ship = &lab->ships[SB_LAB_ATTACKER];
    if (lab->scenario.action == SB_LAB_THROTTLE) change_speed(lab, ship);
    else if (lab->scenario.action == SB_LAB_TURN) change_heading(lab, ship);
    else return;
    sb_combat_moved(lab->combat, SB_LAB_ATTACKER_ID, now);
}
