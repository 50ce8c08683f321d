/* tests/replica/pace_test.c -- how fast a ship may turn and change its speed. Spec 10 §11.3, §15.1.
 */
#include "replica/pace.h"

#include <starbase/message.h>

#include "receiver_rig.h"

#include <math.h>

/* Akira: 0.4 rad/s and 3 units/s2; the limits are 2.2 times as much. */
static const float turn_limit = 0.88f, accel_limit = 6.6f;

typedef struct helm {
    sb_pace  pace;
    observer o;
    sb_time  now;
} helm;

static helm take_helm(uint8_t species)
{
    helm h = { .o = host_receiver(species), .now = 10 * SB_SECOND };
    sb_pace_init(&h.pace, h.now);
    return h;
}

static uint8_t hear_as(helm *h, const sb_state_update *u, bool believed)
{
    sb_motion *m = &h->o.ship.motion, before = *m;
    if (u->flags & (SB_STATE_FWD | SB_STATE_UP))
        sb_motion_read_axes(m, u->flags & SB_STATE_FWD ? &u->forward : NULL,
                            u->flags & SB_STATE_UP ? &u->up : NULL);
    uint8_t refused = sb_pace_check(&h->pace, &h->o.ship, &before, u, h->now, believed);
    if (refused & SB_STATE_FWD && !believed) *m = before;
    sb_pace_hear(&h->pace, h->now);
    return refused;
}

static uint8_t hear(helm *h, const sb_state_update *u)
{
    return hear_as(h, u, false);
}

/* The nose at this angle, by an update that the receiver believes if the pace allows it. */
static bool turn_to(helm *h, double angle)
{
    sb_vec3         forward = { (float)sin(angle), (float)cos(angle), 0 }, up = { 0, 0, 1 };
    sb_state_update u = { .flags = SB_STATE_FWD | SB_STATE_UP,
                          .forward = sb_encode_cv3(forward),
                          .up = sb_encode_cv3(up) };
    uint8_t         refused = hear(h, &u);
    CHECK(refused == 0 || refused == (SB_STATE_FWD | SB_STATE_UP));
    return !refused;
}

static bool speed_to(helm *h, float speed)
{
    sb_state_update u = { .flags = SB_STATE_SPEED, .speed_code = sb_encode_cf16(speed) };
    uint8_t         refused = hear(h, &u);
    CHECK(refused == 0 || refused == SB_STATE_SPEED);
    if (!refused) sb_motion_read_speed(&h->o.ship.motion, u.speed_code);
    return !refused;
}

static void wait(helm *h, double seconds)
{
    h->now += (sb_time)(seconds * 1e6);
}

/* ---- turning ---- */

TEST(pace_a_half_turn_within_an_update_is_counted_with_evidence)
{
    helm h = take_helm(1);
    wait(&h, 0.1);
    CHECK(!turn_to(&h, 3.1415926));
    CHECK_EQ(h.pace.axes.counted, 1);
    check_near(h.pace.axes.last.claimed, 3.14f, 0.02f);
    check_near(h.pace.axes.last.possible, turn_limit * 0.5f + 0.05f, 1e-4f);
    check_near(h.o.ship.motion.forward.y, 1, 0);
}

/* All axes count: a ship that rolls over keeps its nose. */
TEST(pace_a_roll_is_a_turn)
{
    helm            h = take_helm(1);
    sb_state_update u = { .flags = SB_STATE_UP, .up = sb_encode_cv3((sb_vec3){ 0, 0, -1 }) };
    wait(&h, 0.1);
    CHECK_EQ(hear(&h, &u), SB_STATE_FWD | SB_STATE_UP);
    check_near(h.pace.axes.last.claimed, 3.1415926f, 1e-3f);
}

/* Power of 125 %, and all three axes at once; updates seem to be sent up to 50 ms too early or too
 * late. */
TEST(pace_engines_never_turn_a_ship_too_fast)
{
    for (uint8_t species = 1; species <= 15; species++) {
        helm   h = take_helm(species);
        double rate = 1.25 * sqrt(3) * (double)h.o.ship.model->max_angular_velocity;
        for (unsigned i = 1; i <= 600; i++) {
            h.now =
                10 * SB_SECOND + (sb_time)i * (SB_SECOND / 10) + (i * 7919 % 101) * 1000 - 50000;
            CHECK(turn_to(&h, rate * 0.1 * i));
        }
    }
}

TEST(pace_the_slack_of_turns_is_used_once)
{
    helm   h = take_helm(1);
    double angle = 0;
    for (unsigned i = 0; i < 100; i++) { /* as far as it goes, ten times a second */
        wait(&h, 0.1);
        for (double more = 1; more > 0.005; more /= 2)
            if (turn_to(&h, angle + more)) angle += more;
    }
    double allowed = (double)turn_limit * (10 + 0.8) + 0.05;
    CHECK(angle < allowed + 0.02 && angle > allowed - 0.3);
}

TEST(pace_a_refused_turn_is_seen_when_engines_could_do_it)
{
    helm     h = take_helm(1);
    unsigned refused = 0;
    for (; !turn_to(&h, 3.1415926); refused++) {
        CHECK(refused < 100);
        wait(&h, 0.1);
    }
    double seconds = (3.1415926 - 0.05) / (double)turn_limit - 0.4;
    CHECK(refused >= seconds * 10 - 1 && refused <= seconds * 10 + 2);
}

/* Updates without axes in between: the ship has stopped turning. */
TEST(pace_a_refused_turn_is_not_refused_for_ever)
{
    helm            h = take_helm(1);
    sb_state_update silent = { .flags = 0 };
    unsigned        i = 0;
    for (; !turn_to(&h, 3.1415926); i++) {
        CHECK(i < 10);
        for (unsigned n = 0; n < 10; n++) {
            wait(&h, 0.1);
            CHECK_EQ(hear(&h, &silent), 0);
        }
    }
    CHECK_EQ(i, 4);
}

/* A ship that says for a while that it does not turn cannot save that time for a flip. */
TEST(pace_straight_flight_earns_no_turn)
{
    helm            h = take_helm(1);
    sb_state_update silent = { .flags = 0 };
    CHECK(turn_to(&h, 0));
    for (unsigned i = 0; i < 100; i++) {
        wait(&h, 0.1);
        CHECK_EQ(hear(&h, &silent), 0);
    }
    wait(&h, 0.1);
    CHECK(!turn_to(&h, 1.1));
    check_near(h.pace.axes.last.possible, turn_limit * (0.1f + 0.5f + 0.4f) + 0.05f, 1e-3f);
}

/* A stall of the link: nothing was heard, and the ship turned all the time. */
TEST(pace_silence_is_time_to_turn)
{
    helm h = take_helm(1);
    CHECK(turn_to(&h, 0));
    wait(&h, 3);
    CHECK(turn_to(&h, 2.6));
}

TEST(pace_times_that_go_back_give_no_time)
{
    helm h = take_helm(1);
    CHECK(turn_to(&h, 0));
    for (unsigned i = 0; i < 10; i++) {
        wait(&h, -5);
        CHECK(turn_to(&h, 0));
        wait(&h, 5);
        CHECK(!turn_to(&h, 1));
    }
}

TEST(pace_axes_without_direction_are_no_turn)
{
    helm            h = take_helm(1);
    sb_state_update u = { .flags = SB_STATE_FWD };
    CHECK_EQ(hear(&h, &u), 0);
    CHECK_EQ(h.pace.axes.counted, 0);
}

TEST(pace_what_is_not_judged_or_believed_is_the_new_value)
{
    helm            h = take_helm(1);
    sb_state_update u = { .flags = SB_STATE_FWD | SB_STATE_SPEED,
                          .forward = sb_encode_cv3((sb_vec3){ 0, -1, 0 }),
                          .speed_code = sb_encode_cf16(8) };
    wait(&h, 0.1);
    sb_pace_skip(&h.pace, h.now);
    CHECK(h.pace.axes.since == h.now && h.pace.speed.since == h.now && !h.pace.suspect);
    wait(&h, 0.1);
    CHECK_EQ(hear_as(&h, &u, true), SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED);
    CHECK(h.pace.axes.counted == 1 && h.pace.speed.counted == 1 && h.pace.suspect);
    CHECK(h.pace.axes.since == h.now && h.pace.speed.since == h.now);
}

/* ---- speed ---- */

TEST(pace_full_speed_at_once_is_counted_with_evidence)
{
    helm h = take_helm(1);
    wait(&h, 0.1);
    CHECK(!speed_to(&h, 6.6f));
    CHECK_EQ(h.pace.speed.counted, 1);
    check_near(h.pace.speed.last.claimed, 6.6f, 0.01f);
    check_near(h.pace.speed.last.possible, accel_limit * 0.5f + 0.4f, 1e-3f);
    CHECK(speed_to(&h, 3.6f));
    wait(&h, 0.1);
    CHECK(!speed_to(&h, 0)); /* stopping is the same */
}

TEST(pace_slow_classes_are_judged_as_well)
{
    helm          h = take_helm(1);
    sb_ship_class slow = *h.o.ship.model;
    slow.max_accel = 0.4f;
    h.o.ship.model = &slow;
    wait(&h, 0.1);
    CHECK(!speed_to(&h, 6.6f));
    check_near(h.pace.speed.last.possible, 0.88f * 0.5f + 0.4f, 1e-3f);
}

TEST(pace_engines_never_accelerate_too_fast)
{
    for (uint8_t species = 1; species <= 15; species++) {
        helm                 h = take_helm(species);
        const sb_ship_class *m = h.o.ship.model;
        float                speed = 0;
        for (unsigned i = 1; i <= 400; i++) { /* full ahead, full astern */
            float target = 1.25f * m->max_speed * (i / 60 % 2 ? -1.0f : 1.0f);
            speed = sb_motion_approach(speed, target, 1.25f * m->max_accel, 0.1f);
            h.now =
                10 * SB_SECOND + (sb_time)i * (SB_SECOND / 10) + (i * 7919 % 101) * 1000 - 50000;
            CHECK(speed_to(&h, speed));
        }
    }
}

/* ---- collisions ---- */

/* The rams of spec 10 §8: a Galaxy at rest has 5.97 units/s at once. */
TEST(pace_a_collision_explains_a_change_of_speed_once)
{
    helm h = take_helm(1);
    CHECK(speed_to(&h, 0));
    sb_pace_push(&h.pace, &h.o.ship, 6, h.now);
    wait(&h, 0.1);
    CHECK(speed_to(&h, 5.97f));
    wait(&h, 0.1);
    CHECK(!speed_to(&h, 0));
    h.pace.pushed_at = h.now;
    h.pace.push = 6;
    wait(&h, 3); /* too long ago */
    h.pace.speed.since = h.now;
    CHECK(!speed_to(&h, 0));
}

TEST(pace_a_small_part_of_a_push_is_used_up_too)
{
    helm h = take_helm(1);
    CHECK(speed_to(&h, 0));
    sb_pace_push(&h.pace, &h.o.ship, 6, h.now);
    wait(&h, 0.1);
    CHECK(speed_to(&h, 0.9f));
    CHECK(h.pace.push < 6);
    CHECK(h.pace.push > 5);
}

/* Measured: 0.038 rad/s for each unit/s. */
TEST(pace_a_collision_explains_a_spin_that_slows_down)
{
    helm   h = take_helm(1);
    double angle = 0, spin = 0.038 * 20;
    CHECK(turn_to(&h, 0));
    sb_pace_push(&h.pace, &h.o.ship, 20, h.now);
    for (unsigned i = 0; i < 200; i++) {
        wait(&h, 0.1);
        angle += (spin + 0.4) * 0.1;
        spin = fmax(0, spin - 0.0075);
        CHECK(turn_to(&h, angle));
    }
    wait(&h, 30); /* nothing is left of it */
    CHECK(turn_to(&h, angle));
    wait(&h, 0.1);
    CHECK(!turn_to(&h, angle + 0.6));
}

TEST(pace_a_touch_explains_nothing)
{
    helm h = take_helm(1);
    CHECK(turn_to(&h, 0));
    CHECK(speed_to(&h, 0));
    sb_pace_push(&h.pace, &h.o.ship, 0.02f, h.now);
    wait(&h, 0.1);
    CHECK(!turn_to(&h, 0.6));
    CHECK(!speed_to(&h, 4));
    sb_pace_push(&h.pace, &h.o.ship, 1e9f, h.now); /* no collision is as hard as that */
    check_near(h.pace.push, 50.02f, 1e-3f);
    CHECK(h.pace.spin < 5.1f);
}
