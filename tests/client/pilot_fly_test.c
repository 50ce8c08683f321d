/* tests/client/pilot_fly_test.c -- one step of motion, and the courses that avoid collisions and
 * the edge of the arena. The law of motion is that of spec 10 §11.3. */
#include "pilot_scene.h"

#include "test.h"

static scene         s;
static const sb_pull none;
static const float   step_s = 0.05f;

/* ---- one step ---- */

TEST(spec_10_11_3_pilot_changes_speed_within_its_engines)
{
    static const struct {
        const char *about;
        float       power, speed, wanted, loss, then;
    } cases[] = {
        { "full power", 1, 0, 10, 0, 0.05f },
        { "more power gives no more acceleration", 1.25f, 0, 20, 0, 0.05f },
        { "more power gives a higher speed", 1.25f, 12, 20, 0, 12.5f - 0.5f * 0.951229f },
        { "half the power", 0.5f, 0, 10, 0, 0.025f },
        { "no engines: it brakes with half the figure", 0, 5, 10, 0, 4.975f },
        { "weak engines brake with half the figure, too", 0.25f, 2, 1, 0, 1.975f },
        { "strong engines brake with their own", 0.75f, 5, 0, 0, 4.9625f },
        { "weak engines do not speed up more", 0.25f, -1, 1, 0, -0.9875f },
        { "reverse: half the speed", 1, -4.9f, -100, 0, -5 + 0.1f * 0.951229f },
        { "the end of an approach", 1, -4.9995f, -100, 0, -5 },
        { "too fast for the engines", 0.5f, 8, 10, 0, 7.975f },
        { "the throttle is set beyond what is wanted", 1, 2, 2.045f, 0, 2.043893f },
        { "close enough", 1, 2, 2.02f, 0, 2.02f },
        { "a tractor beam takes its share", 1, 6, 10, 4, 6 },
        { "a tractor beam brakes as the engines do", 0.25f, 2.5f, 2.5f, 2, 2.4875f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        sb_pull pull = { .loss = cases[i].loss };
        s.ship->power_wanted[IMPULSE] = cases[i].power;
        s.pilot->speed = cases[i].speed;
        s.pilot->speed_wanted = cases[i].wanted;
        sb_pilot_move(s.pilot, s.ship, &pull);
        if (!is_near(s.pilot->speed, cases[i].then, 2e-5f))
            FAIL("%s: %.5f", cases[i].about, (double)s.pilot->speed);
        float way = 0.5f * (cases[i].speed + s.pilot->speed) * step_s;
        CHECK(is_near(s.pilot->position.y, way, 1e-5f));
    }
}

TEST(pilot_ends_an_approach_at_a_thousandth)
{
    static const struct {
        float speed, wanted;
        bool  drifts; /* at rest, a tractor beam draws the ship */
    } cases[] = { { 0, 0, true },      { 1e-3f, 1e-3f, false }, { 1.5e-3f, 1.5e-3f, false },
                  { 1e-3f, 0, false }, { 0.9e-3f, 0, true },    { -0.9e-3f, 0, true },
                  { -1e-3f, 0, false } };
    const sb_pull pull = { .drift = { 1, 0, -2 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        s.model.max_accel = 0; /* so that the speed stays what it is */
        s.pilot->speed = cases[i].speed;
        s.pilot->speed_wanted = cases[i].wanted;
        sb_pilot_move(s.pilot, s.ship, &pull);
        CHECK(s.pilot->speed == (cases[i].drifts ? 0 : cases[i].speed));
        CHECK(is_near(s.pilot->position.x, cases[i].drifts ? 0.05f : 0, 1e-6f));
        CHECK(is_near(s.pilot->position.z, cases[i].drifts ? -0.1f : 0, 1e-6f));
    }
}

static sb_vec3 spin_after(float power, sb_vec3 axis, sb_vec3 heading, sb_vec3 spin)
{
    scene_init(&s, SB_SKILL_NORMAL);
    s.ship->power_wanted[IMPULSE] = power;
    s.pilot->axis = axis;
    s.pilot->heading = sb_v_unit(heading, axis);
    s.pilot->spin = spin;
    s.pilot->turn_rate = sb_v_length(spin);
    sb_pilot_move(s.pilot, s.ship, &none);
    CHECK(is_near(s.pilot->turn_rate, sb_v_length(s.pilot->spin), 1e-6f));
    return s.pilot->spin;
}

TEST(spec_10_11_3_pilot_changes_its_spin_within_its_engines)
{
    static const struct {
        const char *about;
        float       power;
        sb_vec3     axis, heading, spin, then;
    } cases[] = {
        { "to the right", 1, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, -0.0125f } },
        { "upwards", 1, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 }, { 0.0125f, 0, 0 } },
        { "any axis", 1, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0.0125f } },
        { "there", 1, { 0, 1, 0 }, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { "almost there", 1, { 0, 1, 0 }, { 5e-4f, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { "opposite", 1, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 0 }, { 0.0125f, 0, 0 } },
        { "oblique, opposite",
          1,
          { 0, .6f, .8f },
          { 0, -.6f, -.8f },
          { .5f, 0, 0 },
          { .5f, 0, 0 } },
        { "upside down", 1, { 0, 0, 1 }, { 0, 0, -1 }, { 0, 0, 0 }, { 0, 0.0125f, 0 } },
        { "upside down, at speed", 1, { 0, 0, 1 }, { 0, 0, -1 }, { 0, .5f, 0 }, { 0, .5f, 0 } },
        { "nearly upside down",
          1,
          { 0, .0015f, 1 },
          { 0, -.0015f, -1 },
          { 0, 0, 0 },
          { .0125f, 0, 0 } },
        { "half the power", .5f, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, -0.00625f } },
        { "more power changes nothing",
          1.25f,
          { 0, 1, 0 },
          { 1, 0, 0 },
          { 0, 0, 0 },
          { 0, 0, -.0125f } },
        { "nor the limit", 1.25f, { 0, 1, 0 }, { 0, -1, 0 }, { .5f, 0, 0 }, { .5f, 0, 0 } },
        { "the end of the stick",
          1,
          { 0, 1, 0 },
          { 0, -1, 0 },
          { .49f, 0, 0 },
          { .490488f, 0, 0 } },
        { "and with less power",
          .5f,
          { 0, 1, 0 },
          { 0, -1, 0 },
          { .24f, 0, 0 },
          { .240488f, 0, 0 } },
        { "no engines", 0, { 0, 1, 0 }, { 0, 1, 0 }, { 0, 0, .05f }, { 0, 0, .04375f } },
        { "as fast, another way",
          .5f,
          { 0, 1, 0 },
          { 0, -1, 0 },
          { 0, 0, .25f },
          { .002466f, 0, .244257f } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_vec3 is = spin_after(cases[i].power, cases[i].axis, cases[i].heading, cases[i].spin);
        if (!(sb_v_length(sb_v_sub(is, cases[i].then)) < 1e-5f))
            FAIL("%s: %.6f %.6f %.6f", cases[i].about, (double)is.x, (double)is.y, (double)is.z);
    }
}

/* The rate that can be stopped in time: the root of 1.6 times the acceleration and the rest, at
 * most three times the rest. */
TEST(pilot_turns_slower_near_its_heading)
{
    static const struct {
        float rest, rate;
    } cases[] = { { 0.0015f, 0.0045f }, { 0.02f, 0.06f }, { 0.04f, 0.12f },
                  { 0.06f, 0.154919f }, { 0.1f, 0.2f },   { 2, 0.5f } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_vec3 heading = { sinf(cases[i].rest), cosf(cases[i].rest), 0 };
        sb_vec3 spin = { 0, 0, -cases[i].rate };
        sb_vec3 is = spin_after(1, (sb_vec3){ 0, 1, 0 }, heading, spin);
        if (!is_near(is.z, spin.z, 2e-5f)) FAIL("%.4f: %.5f", (double)cases[i].rest, (double)is.z);
    }
    sb_vec3 close = spin_after(1, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ sinf(0.1f), cosf(0.1f), 0 },
                               (sb_vec3){ 0, 0, -0.199f });
    CHECK(is_near(close.z, -0.199975f, 1e-5f)); /* the stick goes beyond */
}

TEST(pilot_wreck_turns_and_drifts_on)
{
    static const struct {
        sb_vec3 spin, forward, up;
    } cases[] = { /* by 2 atan(0.0125) */
                  { { 0, 0, -0.5f }, { 0.024996f, 0.999688f, 0 }, { 0, 0, 1 } },
                  { { 0.5f, 0, 0 }, { 0, 0.999688f, 0.024996f }, { 0, -0.024996f, 0.999688f } },
                  { { 0, 0.5f, 0 }, { 0, 1, 0 }, { 0.024996f, 0, 0.999688f } }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        s.pilot->spin = cases[i].spin;
        s.pilot->speed = 8;
        sb_pilot_drift(s.pilot);
        CHECK(sb_v_length(sb_v_sub(s.pilot->forward, cases[i].forward)) < 2e-6f);
        CHECK(sb_v_length(sb_v_sub(s.pilot->up, cases[i].up)) < 2e-6f);
        CHECK(is_same_vector(s.pilot->position, sb_v_scale(s.pilot->forward, 0.4f)));
        CHECK(s.pilot->speed == 8);
    }
}

/* ---- cruising ---- */

TEST(pilot_cruises_to_its_goal_until_it_is_near_or_late)
{
    static const struct {
        float distance;
        int   left_us;
        bool  keeps;
    } cases[] = { { 8, 1, true },   { 12, 1, true },   { 7.9f, 1, false },
                  { 12, 0, false }, { 12, -1, false }, { 300, SB_SECOND, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        s.pilot->position = (sb_vec3){ 5, 0, 0 };
        s.pilot->goal = (sb_vec3){ 5 + cases[i].distance, 0, 0 };
        s.pilot->goal_at = s.w.now + cases[i].left_us;
        sb_vec3 was = s.pilot->goal;
        sb_pilot_cruise(s.pilot, scene_look(&s));
        if (is_same_vector(s.pilot->goal, was) != cases[i].keeps) FAIL("case %zu", i);
        sb_vec3 way = sb_v_sub(s.pilot->goal, s.pilot->position);
        CHECK(is_same_vector(s.pilot->heading, sb_v_unit(way, way)));
        CHECK(is_same_vector(s.pilot->axis, (sb_vec3){ 0, 1, 0 }));
        CHECK(is_near(s.pilot->speed_wanted, 7, 1e-5f));
    }
}

TEST(pilot_chooses_goals_in_the_arena_for_15_to_40_s)
{
    float  nearest = 1e9f, farthest = 0;
    spread times = { 0 };
    scene_init(&s, SB_SKILL_NORMAL);
    scene_look(&s);
    for (int i = 0; i < 3000; i++) {
        s.pilot->goal_at = s.w.now;
        sb_pilot_cruise(s.pilot, &s.view);
        float far = sb_v_length(s.pilot->goal);
        nearest = fminf(nearest, far);
        farthest = fmaxf(farthest, far);
        spread_add(&times, s.pilot->goal_at - s.w.now);
    }
    CHECK(nearest >= 99.99f && nearest < 101);
    CHECK(farthest > 349 && farthest < 350.01f);
    spread_check(&times, 15 * SB_SECOND, 40 * SB_SECOND);
}

/* ---- collision avoidance ---- */

static void set_velocity(sb_client *c, sb_vec3 velocity)
{
    sb_vec3 forward = sb_v_unit(velocity, (sb_vec3){ 0, 1, 0 });
    c->ship.ship.motion.forward = forward;
    c->ship.ship.motion.speed = sb_v_length(velocity);
}

/* The radii are 4 each, and 3 units between hulls count as safe: 11. */
TEST(pilot_evades_who_comes_closer_than_three_units)
{
    static const struct {
        const char *about;
        sb_vec3     offset, velocity;
        float       speed; /* ours */
        bool        evades;
    } cases[] = {
        { "at rest, at a safe distance", { 0, 11, 0 }, { 0, 0, 0 }, 0, false },
        { "at rest, close", { 0, 10, 0 }, { 0, 0, 0 }, 0, false },
        { "at rest, side by side", { 0, 8, 0 }, { 0, 0, 0 }, 0, false },
        { "at rest, bounds overlap", { 0, 7.9f, 0 }, { 0, 0, 0 }, 0, true },
        { "close, comes slowly", { 0, 10, 0 }, { 0, -0.05f, 0 }, 0, true },
        { "close, leaves", { 0, 10, 0 }, { 0, 5, 0 }, 0, false },
        { "overlaps, leaves", { 0, 7, 0 }, { 0, 5, 0 }, 0, true },
        { "too slow to reckon", { 0, 11.05f, 0 }, { 0, -0.09f, 0 }, 0, false },
        { "within 6 s", { 0, 11.5f, 0 }, { 0, -0.12f, 0 }, 0, true },
        { "later than in 6 s", { 0, 100, 0 }, { 0, -10, 0 }, 0, false },
        { "we come", { 0, 60, 0 }, { 0, 0, 0 }, 10, true },
        { "as fast as we", { 0, 20, 0 }, { 0, 10, 0 }, 10, false },
        { "passes just now", { 10.5f, 0.5f, 0 }, { 0, -5, 0 }, 0, true },
        { "passes at 11", { 11, 20, 0 }, { 0, -5, 0 }, 0, false },
        { "passes at 10.9", { 10.9f, 20, 0 }, { 0, -5, 0 }, 0, true },
        { "passes at 12", { 12, 20, 0 }, { 0, -5, 0 }, 0, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        sb_client *c = scene_add(&s, cases[i].offset);
        set_velocity(c, cases[i].velocity);
        s.pilot->speed = cases[i].speed;
        s.pilot->speed_wanted = 77;
        bool evades = sb_pilot_evade(s.pilot, scene_look(&s));
        if (evades != cases[i].evades) FAIL("%s", cases[i].about);
        CHECK_EQ(s.pilot->speed_wanted != 77, evades);
        c->ship.ship.cloaked = true; /* what it does not see, it does not avoid */
        CHECK(!sb_pilot_evade(s.pilot, scene_look(&s)));
    }
}

TEST(pilot_evades_to_the_side_on_which_it_would_pass)
{
    static const struct {
        const char *about;
        sb_vec3     offset, velocity;
        float       speed, then;
        int         side; /* +1: right */
    } cases[] = {
        { "head on: to the right", { 0, 30, 0 }, { 0, -5, 0 }, 5, 3, 1 },
        { "soon: backwards", { 0, 20, 0 }, { 0, -5, 0 }, 5, -5, 1 },
        { "in 2.5 s: slowly", { 0, 25, 0 }, { 0, -5, 0 }, 5, 3, 1 },
        { "on our right", { 3, 30, 0 }, { 0, -5, 0 }, 5, 3, -1 },
        { "on our left", { -3, 30, 0 }, { 0, -5, 0 }, 5, 3, 1 },
        { "hardly on our right", { 0.9f, 30, 0 }, { 0, -5, 0 }, 5, 3, 1 },
        { "a little on our right", { 1.5f, 30, 0 }, { 0, -5, 0 }, 5, 3, -1 },
        { "from behind: at full speed", { -2, -20, 0 }, { 0, 9, 0 }, 5, 10, 1 },
        { "from the side, ahead", { 19.0788f, 6, 0 }, { -4.7697f, -1.5f, 0 }, 0, 3, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        set_velocity(scene_add(&s, cases[i].offset), cases[i].velocity);
        s.pilot->speed = cases[i].speed;
        s.pilot->axis = (sb_vec3){ 1, 0, 0 };
        CHECK(sb_pilot_evade(s.pilot, scene_look(&s)));
        if (!is_near(s.pilot->speed_wanted, cases[i].then, 1e-4f))
            FAIL("%s: speed", cases[i].about);
        CHECK(is_same_vector(s.pilot->axis, (sb_vec3){ 0, 1, 0 }));
        /* Two parts to the side, one part back. */
        sb_vec3 to = sb_v_unit(cases[i].offset, cases[i].offset);
        CHECK(is_near(sb_v_length(s.pilot->heading), 1, 1e-4f));
        CHECK(is_near(sb_v_dot(s.pilot->heading, to), -0.44721f, 1e-4f));
        if ((float)cases[i].side * s.pilot->heading.x < 0) FAIL("%s: side", cases[i].about);
    }
}

TEST(pilot_evasion_changes_exactly_at_its_bounds)
{
    scene_init(&s, SB_SKILL_NORMAL);
    sb_client *c = scene_add(&s, (sb_vec3){ 0, 20, 0 });
    c->ship.ship.motion.forward = (sb_vec3){ 1.0f / 6, -2, 0 };
    c->ship.ship.motion.speed = 1; /* in 6 s one unit to our right: no right of way any more */
    CHECK(sb_pilot_evade(s.pilot, scene_look(&s)));
    CHECK(s.pilot->heading.x < 0);
    c->ship.ship.motion.position = (sb_vec3){ 0, 32, 0 };
    c->ship.ship.motion.forward = (sb_vec3){ 0, -8, 0 };
    s.pilot->forward = (sb_vec3){ 0.979796f, 0.2f, 0 };
    CHECK(sb_pilot_evade(s.pilot, scene_look(&s)));
    CHECK(s.pilot->speed_wanted == 10);
}

TEST(pilot_evades_the_next_of_several)
{
    for (int later = 0; later < 3; later++) { /* which one of them comes later */
        scene_init(&s, SB_SKILL_NORMAL);
        sb_client *left = scene_add(&s, (sb_vec3){ -3, 30, 0 });
        sb_client *right = scene_add(&s, (sb_vec3){ 3, 30, 0 });
        set_velocity(left, (sb_vec3){ 0, later == 0 ? -8 : -10, 0 });
        set_velocity(right, (sb_vec3){ 0, later == 1 ? -8 : -10, 0 });
        CHECK(sb_pilot_evade(s.pilot, scene_look(&s)));
        CHECK_EQ(s.pilot->heading.x > 0, later != 0); /* alike: the first in the list */
        s.view.count = 1; /* the second is not part of the view any more */
        CHECK(sb_pilot_evade(s.pilot, &s.view));
        CHECK(s.pilot->heading.x > 0);
        s.view.count = 0;
        CHECK(!sb_pilot_evade(s.pilot, &s.view));
    }
}

/* A turn rate of 0.5 at speed 5 makes circles of 10 units; 6 more are kept free. */
TEST(pilot_turns_back_before_the_edge_of_the_arena)
{
    static const struct {
        const char *about;
        float       rate, speed, y;
        sb_vec3     forward;
        float       then; /* speed; 0: nothing happens */
    } cases[] = {
        { "far enough", 0.5f, 5, 43.5f, { 0, 1, 0 }, 0 },
        { "the circle ends at the edge", 0.5f, 5, 44, { 0, 1, 0 }, 4 },
        { "near", 0.5f, 5, 44.5f, { 0, 1, 0 }, 4 },
        { "backwards: 6 units", 0.5f, -5, 53.5f, { 0, 1, 0 }, 0 },
        { "backwards, near", 0.5f, -5, 54.5f, { 0, 1, 0 }, 4 },
        { "a wide circle: 0.6 of the arena", 0.5f, 25, 23, { 0, 1, 0 }, 0 },
        { "a wide circle, near", 0.5f, 25, 25, { 0, 1, 0 }, 4 },
        { "slow turns", 0.015f, 0.15f, 43.5f, { 0, 1, 0 }, 0 },
        { "slow turns, near", 0.015f, 0.15f, 44.5f, { 0, 1, 0 }, 4 },
        { "hardly turns", 0.01f, 0.1f, 44.5f, { 0, 1, 0 }, 0 },
        { "cannot turn", 0, 5, 53.5f, { 0, 1, 0 }, 0 },
        { "cannot turn, near", 0, 5, 54.5f, { 0, 1, 0 }, 4 },
        { "outside, obliquely out", 0.5f, 5, 70, { 0.8f, 0.6f, 0 }, 4 },
        { "outside, at 60 degrees", 0.5f, 5, 64, { 0.866025f, 0.5f, 0 }, 6 },
        { "outside, along the edge", 0.5f, 5, 70, { 0.916515f, 0.4f, 0 }, 6 },
        { "outside, inwards by 0.2", 0.5f, 5, 64, { 0.979796f, -0.2f, 0 }, 6 },
        { "outside, a little inwards", 0.5f, 5, 90, { 0.994987f, -0.1f, 0 }, 6 },
        { "outside, inwards", 0.5f, 5, 90, { 0.953939f, -0.3f, 0 }, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        s.pilot->config.arena = 60;
        s.pilot->position = (sb_vec3){ 0, cases[i].y, 0 };
        s.pilot->forward = cases[i].forward;
        s.pilot->speed = cases[i].speed;
        s.pilot->axis = (sb_vec3){ 1, 0, 0 };
        s.pilot->speed_wanted = 0;
        s.model.max_angular_velocity = cases[i].rate;
        bool turns = sb_pilot_stay_in_arena(s.pilot, scene_look(&s));
        if (turns != (cases[i].then > 0)) FAIL("%s", cases[i].about);
        if (!is_near(s.pilot->speed_wanted, cases[i].then, 1e-4f))
            FAIL("%s: speed", cases[i].about);
        if (!turns) continue;
        CHECK(is_same_vector(s.pilot->heading, (sb_vec3){ 0, -1, 0 }));
        CHECK(is_same_vector(s.pilot->axis, (sb_vec3){ 0, 1, 0 }));
    }
}

/* ---- collisions ---- */

TEST(pilot_reports_a_collision_where_half_the_bounds_overlap)
{
    static const struct {
        const char *about;
        sb_vec3     offset;
        float       speed, then;
        bool        reports;
        sb_vec3     contact;
    } cases[] = {
        { "apart", { 0, 6, 0 }, 4, 4, false, { 0, 0, 0 } },
        { "at 4", { 0, 4, 0 }, 4, 4, false, { 0, 0, 0 } },
        { "ahead", { 0, 3.9f, 0 }, 4, -1, true, { 0, 1.95f, 0 } },
        { "very close", { 0, 0.2f, 0 }, 4, -1, true, { 0, 0.1f, 0 } },
        { "astern", { 0, -3, 0 }, 4, 4, true, { 0, -1.5f, 0 } },
        { "astern, in reverse", { 0, -3, 0 }, -4, 1, true, { 0, -1.5f, 0 } },
        { "beside", { 3, 0, 0 }, 4, 4, true, { 1.5f, 0, 0 } },
        { "above", { 0, 0, 2 }, 4, 4, true, { 0, 0, 1 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        sb_client *c = scene_add(&s, cases[i].offset);
        scene_add(&s, (sb_vec3){ 0, 0, 3 }); /* one report for both */
        set_velocity(c, (sb_vec3){ 0, 0, 3 });
        s.pilot->speed = cases[i].speed;
        scene_look(&s)->count = 1;
        sb_pilot_check_collision(s.pilot, s.me, &s.view);
        if (s.me->collisions != cases[i].reports) FAIL("%s", cases[i].about);
        if (!is_near(s.pilot->speed, cases[i].then, 1e-5f)) FAIL("%s: speed", cases[i].about);
        CHECK(s.pilot->collided_at == (cases[i].reports ? s.w.now : 0));
        if (!cases[i].reports) continue;
        CHECK_EQ(s.me->last_other, c->ship.ship.object_id);
        CHECK(is_near(s.me->last_force, 500, 0.01f)); /* mass 100; 3 and 4 at right angles */
        if (!is_same_vector(s.me->last_contact, cases[i].contact))
            FAIL("%s: contact", cases[i].about);
        CHECK_EQ(world_complaints(&s.w), 0);
        s.pilot->collided_at = 0;
        s.view.count = 2;
        sb_pilot_check_collision(s.pilot, s.me, &s.view);
        CHECK_EQ(s.me->collisions, 2);
    }
}

/* Two Galaxies of spec 10 §8: one that stands is hit by the other, which then stands. A ship that
 * runs into one a little slower than itself is not thrown back. */
TEST(pilot_speed_changes_by_no_more_than_its_collision_reports)
{
    static const struct {
        const char *about;
        float       ahead, speed, other, then; /* the other ship is ahead, or astern if < 0 */
    } cases[] = {
        { "into one at rest", 3, 4, 0, 0 },
        { "head on", 3, 4, -4, -1 },
        { "into a slower one", 3, 4, 3, 3 },
        { "just faster", 3, 4, 3.875f, 3.875f },
        { "as fast", 3, 4, 4, 4 },
        { "into a faster one", 3, 4, 4.5f, 3.5f },
        { "in reverse", -3, -4, -3, -3 },
        { "in reverse, head on", -3, -4, 4, 1 },
        { "hit from astern", -3, 4, 6, 4 },
        { "at rest", 3, 0, -4, 0 },
        { "hardly moving", 3, 0.5f, -4, -0.125f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        sb_client *c = scene_add(&s, (sb_vec3){ 0, cases[i].ahead, 0 });
        set_velocity(c, (sb_vec3){ 0, cases[i].other, 0 });
        s.pilot->speed = cases[i].speed;
        scene_look(&s);
        sb_pilot_check_collision(s.pilot, s.me, &s.view);
        CHECK_EQ(s.me->collisions, 1);
        if (!is_near(s.pilot->speed, cases[i].then, 1e-5f))
            FAIL("%s: %g", cases[i].about, (double)s.pilot->speed);
        CHECK(fabsf(s.pilot->speed - cases[i].speed) <= s.me->last_force / 100 + 1e-5f);
    }
}

TEST(pilot_bounces_when_its_report_of_a_collision_is_sent)
{
    scene_init(&s, SB_SKILL_NORMAL);
    scene_add(&s, (sb_vec3){ 0, 3, 0 });
    s.pilot->speed = 4;
    scene_look(&s);
    s.me->refuses = true;
    sb_pilot_check_collision(s.pilot, s.me, &s.view);
    CHECK(s.me->collisions == 0 && is_near(s.pilot->speed, 4, 0));
    s.me->refuses = false;
    sb_pilot_check_collision(s.pilot, s.me, &s.view);
    CHECK(s.me->collisions == 1 && is_near(s.pilot->speed, 0, 1e-5f));
}

TEST(pilot_contact_of_a_collision_is_within_its_own_bounds)
{
    scene_init(&s, SB_SKILL_NORMAL);
    sb_client    *c = scene_add(&s, (sb_vec3){ 0, 4, 0 });
    sb_ship_class large = s.model;
    large.bound_radius = 8;
    c->ship.ship.model = &large;
    s.model.bound_radius = 0.5f;
    scene_look(&s);
    sb_pilot_check_collision(s.pilot, s.me, &s.view);
    CHECK(is_same_vector(s.me->last_contact, (sb_vec3){ 0, 0.5f, 0 }));
}

TEST(pilot_waits_0_3_s_between_two_reports_of_collisions)
{
    scene_init(&s, SB_SKILL_NORMAL);
    scene_add(&s, (sb_vec3){ 0, 3, 0 });
    scene_look(&s);
    s.pilot->collided_at = s.w.now - 299999;
    sb_pilot_check_collision(s.pilot, s.me, &s.view);
    CHECK_EQ(s.me->collisions, 0);
    s.pilot->collided_at = s.w.now - 300000;
    sb_pilot_check_collision(s.pilot, s.me, &s.view);
    CHECK_EQ(s.me->collisions, 1);
}
