/* tests/ship/motion_test.c -- position, axes and speed with their wire codes; law of motion. Spec
 * 03 §3, 02 §6, 10 §11.2, §11.3.
 */
#include <starbase/ship_state.h>

#include "base/bytes.h"
#include "base/random.h"
#include "test.h"

#include <math.h>

static void check_near(float a, float b, float margin)
{
    if (!(fabsf(a - b) <= margin)) FAIL("%.9g is not near %.9g", (double)a, (double)b);
}

static void check_vector(sb_vec3 v, float x, float y, float z, float margin)
{
    check_near(v.x, x, margin);
    check_near(v.y, y, margin);
    check_near(v.z, z, margin);
}

static float dot(sb_vec3 a, sb_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void check_orientation(const sb_motion *m)
{
    check_near(dot(m->forward, m->forward), 1, 1e-6f);
    check_near(dot(m->up, m->up), 1, 1e-6f);
    check_near(dot(m->forward, m->up), 0, 1e-6f);
}

static void check_code(sb_cv3 code, int x, int y, int z)
{
    CHECK_EQ(code.x, x);
    CHECK_EQ(code.y, y);
    CHECK_EQ(code.z, z);
}

static sb_vec3 random_vector(sb_random *random)
{
    float v[3];
    for (int i = 0; i < 3; i++) v[i] = (float)sb_random_below(random, 2001) / 1000.0f - 1.0f;
    return (sb_vec3){ v[0], v[1], v[2] };
}

TEST(a_fresh_motion_is_at_rest_with_its_nose_along_y)
{
    sb_motion m;
    sb_motion_init(&m);
    check_vector(m.position, 0, 0, 0, 0);
    check_vector(m.forward, 0, 1, 0, 0);
    check_vector(m.up, 0, 0, 1, 0);
    check_code(m.forward_code, 0, 127, 0);
    check_code(m.up_code, 0, 0, 127);
    CHECK_EQ(m.speed_code, 0);
    check_near(m.speed, 0, 0);
}

TEST(axes_are_brought_to_unit_length_and_right_angles)
{
    sb_motion m;
    sb_motion_init(&m);
    sb_motion_set_axes(&m, (sb_vec3){ 0, 5, 0 }, (sb_vec3){ 0, 3, 0.5f });
    check_vector(m.forward, 0, 1, 0, 1e-6f);
    check_vector(m.up, 0, 0, 1, 1e-6f);
    check_code(m.up_code, 0, 0, 127);
}

TEST(axes_that_span_no_orientation_change_nothing)
{
    static const sb_vec3 pairs[][2] = {
        { { 0, 0, 0 }, { 0, 0, 1 } },     { { 1, 0, 0 }, { 0, 0, 0 } },
        { { 1, 0, 0 }, { -2, 0, 0 } },    { { NAN, 0, 0 }, { 0, 0, 1 } },
        { { 1, 0, 0 }, { 0, NAN, 0 } },   { { INFINITY, 0, 0 }, { 0, 1, 0 } },
        { { 1e-3f, 0, 0 }, { 0, 0, 1 } }, /* the longest that is too short */
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sb_motion m;
        sb_motion_init(&m);
        sb_motion_set_axes(&m, pairs[i][0], pairs[i][1]);
        check_vector(m.forward, 0, 1, 0, 0);
        check_vector(m.up, 0, 0, 1, 0);
        check_code(m.forward_code, 0, 127, 0);
    }
}

TEST(short_axes_still_have_a_direction)
{
    sb_motion m;
    sb_motion_init(&m);
    sb_motion_set_axes(&m, (sb_vec3){ 1.1e-3f, 0, 0 }, (sb_vec3){ 0, 1.1e-3f, 0 });
    check_vector(m.forward, 1, 0, 0, 1e-6f);
    check_vector(m.up, 0, 1, 0, 1e-6f);
}

TEST(speed_keeps_its_sign_and_its_code)
{
    sb_motion m;
    sb_motion_init(&m);
    sb_motion_set_speed(&m, -5.0f);
    CHECK_EQ(m.speed_code, 0xC71B);
    check_near(m.speed, -5.0f, 0);
    sb_motion_read_speed(&m, 0xC71B);
    check_near(m.speed, -4.99780273f, 0); /* spec 02 §5.5 */
    CHECK_EQ(m.speed_code, 0xC71B);
}

TEST(every_received_speed_keeps_the_code_it_came_with)
{
    sb_motion m;
    sb_motion_init(&m);
    for (unsigned code = 0; code < 0x10000; code++) {
        sb_motion_read_speed(&m, (uint16_t)code);
        CHECK_EQ(m.speed_code, code);
        CHECK(sb_bits_finite(sb_float_bits(m.speed)));
    }
}

TEST(received_axes_keep_their_codes_and_lose_their_truncation)
{
    sb_motion m;
    sb_cv3    forward = { 11, 104, 70 }, up = { 48, -69, 94 };
    sb_motion_init(&m);
    CHECK(sb_motion_read_axes(&m, &forward, &up));
    check_orientation(&m);
    check_code(m.forward_code, 11, 104, 70);
    check_code(m.up_code, 48, -69, 94);
    check_near(m.forward.y / m.forward.z, 104.0f / 70, 1e-5f);
}

TEST(an_axis_that_did_not_come_keeps_its_code)
{
    sb_motion m;
    sb_cv3    forward = { 127, 0, 0 }, up = { 0, 127, 0 };
    sb_motion_init(&m);
    CHECK(sb_motion_read_axes(&m, &forward, NULL));
    check_code(m.up_code, 0, 0, 127);
    check_vector(m.up, 0, 0, 1, 0);
    CHECK(sb_motion_read_axes(&m, NULL, &up));
    check_code(m.forward_code, 127, 0, 0);
    check_vector(m.forward, 1, 0, 0, 0);
    CHECK(sb_motion_read_axes(&m, NULL, NULL));
    check_orientation(&m);
}

TEST(received_axes_without_direction_are_refused_whole)
{
    static const sb_cv3 zero = { 0, 0, 0 }, x = { 127, 0, 0 }, back = { -127, 0, 0 };
    const sb_cv3       *pairs[][2] = { { &zero, &x }, { &x, &zero }, { &x, &x }, { &x, &back } };
    for (size_t i = 0; i < 4; i++) {
        sb_motion m;
        sb_motion_init(&m);
        CHECK(!sb_motion_read_axes(&m, pairs[i][0], pairs[i][1]));
        check_vector(m.forward, 0, 1, 0, 0);
        check_code(m.forward_code, 0, 127, 0);
        check_code(m.up_code, 0, 0, 127);
    }
}

/* The captured quaternion and codes with which spec 02 §6 proves that directions are truncated. */
TEST(the_captured_quaternion_gives_the_captured_codes)
{
    sb_motion m;
    sb_motion_init(&m);
    sb_motion_set_quaternion(&m, (sb_quat){ sb_bits_float(0x3F6F4AF5), sb_bits_float(0x3E968CFE),
                                            sb_bits_float(0x3E4BE384), sb_bits_float(0x3C4E7838) });
    check_code(m.forward_code, 11, 104, 70);
    check_code(m.up_code, 48, -69, 94);
}

TEST(a_quaternion_of_any_length_rotates_and_a_zero_one_is_ignored)
{
    sb_motion m;
    sb_motion_init(&m);
    sb_motion_set_quaternion(&m, (sb_quat){ 0, 0, 0, 7 }); /* half a turn about z */
    check_vector(m.forward, 0, -1, 0, 1e-6f);
    check_vector(m.up, 0, 0, 1, 1e-6f);
    sb_motion_set_quaternion(&m, (sb_quat){ 0, 0, 0, 0 });
    sb_motion_set_quaternion(&m, (sb_quat){ NAN, 0, 0, 1 });
    sb_motion_set_quaternion(&m, (sb_quat){ 1e-3f, 0, 0, 0 }); /* the longest that is too short */
    check_vector(m.forward, 0, -1, 0, 1e-6f);
    sb_motion_set_quaternion(&m, (sb_quat){ 1.1e-3f, 0, 0, 0 });
    check_vector(m.forward, 0, 1, 0, 1e-6f);
}

static void check_there_and_back(sb_vec3 forward, sb_vec3 up)
{
    sb_motion a, b;
    sb_motion_init(&a);
    sb_motion_init(&b);
    sb_motion_set_axes(&a, forward, up);
    sb_quat q = sb_motion_quaternion(&a);
    check_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-6f);
    sb_motion_set_quaternion(&b, q);
    check_vector(b.forward, a.forward.x, a.forward.y, a.forward.z, 2e-6f);
    check_vector(b.up, a.up.x, a.up.y, a.up.z, 2e-6f);
}

TEST(axes_to_quaternion_and_back_are_the_same_axes)
{
    static const sb_vec3 axes[] = { { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },
                                    { 0, -1, 0 }, { 0, 0, 1 },  { 0, 0, -1 } };
    sb_random            random;
    sb_random_init(&random, 5);
    for (unsigned f = 0; f < 6; f++) /* every half and quarter turn */
        for (unsigned u = 0; u < 6; u++)
            if (f / 2 != u / 2) check_there_and_back(axes[f], axes[u]);
    for (unsigned i = 0; i < 2000; i++)
        check_there_and_back(random_vector(&random), random_vector(&random));
}

TEST(an_estimate_goes_along_the_nose_and_stops_after_a_second)
{
    sb_motion m;
    sb_motion_init(&m);
    m.position = (sb_vec3){ 1, 2, 3 };
    sb_motion_set_axes(&m, (sb_vec3){ 1, 0, 0 }, (sb_vec3){ 0, 0, 1 });
    sb_motion_set_speed(&m, -4);
    check_vector(sb_motion_estimate(&m, 0), 1, 2, 3, 0);
    check_vector(sb_motion_estimate(&m, -1), 1, 2, 3, 0);
    check_vector(sb_motion_estimate(&m, NAN), 1, 2, 3, 0);
    check_vector(sb_motion_estimate(&m, 0.5f), -1, 2, 3, 0);
    check_vector(sb_motion_estimate(&m, 1), -3, 2, 3, 0);
    check_vector(sb_motion_estimate(&m, 60), -3, 2, 3, 0);
}

/* Compares bits, so that a difference between platforms or compilers is found. */
TEST(received_axes_have_the_same_bits_everywhere)
{
    sb_motion m;
    sb_cv3    forward = { 11, 104, 70 }, up = { 48, -69, 94 };
    sb_motion_init(&m);
    CHECK(sb_motion_read_axes(&m, &forward, &up));
    CHECK_EQ(sb_float_bits(m.forward.x), 0x3DB30380);
    CHECK_EQ(sb_float_bits(m.forward.y), 0x3F538FC6);
    CHECK_EQ(sb_float_bits(m.up.z), 0x3F3F7225);
}

/* ---- the law of motion (spec 10 §11.3) ---- */

static void check_share(float value, float expected, float tolerance, const char *what)
{
    if (!(fabsf(value - expected) <= tolerance * expected))
        FAIL("%s: %.4f instead of %.4f", what, (double)value, (double)expected);
}

static const sb_ship_class *class_of(const char *key)
{
    const sb_ship_class *model = sb_find_ship_by_name(sb_stock_ships(), key);
    CHECK(model);
    return model;
}

/* stbc-oracle: motion_{galaxy,bop,kessok}_impulse and _yaw, from rest, after 1, 2 and 4 s. */
TEST(spec_10_11_3_measured_speeds_and_turn_rates_after_1_2_4_s)
{
    static const struct {
        const char *ship;
        float       speed[3], turn[3];
    } rows[] = {
        { "galaxy", { 1.500f, 3.000f, 5.635f }, { 0.120f, 0.219f, 0.272f } },
        { "birdofprey", { 2.500f, 4.726f, 6.007f }, { 0.304f, 0.429f, 0.491f } },
        { "kessokheavy", { 2.226f, 3.166f, 3.630f }, { 0.110f, 0.180f, 0.215f } },
    };
    static const float seconds[3] = { 1, 2, 4 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sb_ship_class *m = class_of(rows[i].ship);
        for (size_t k = 0; k < 3; k++) {
            check_share(sb_motion_approach(0, m->max_speed, m->max_accel, seconds[k]),
                        rows[i].speed[k], 0.02f, rows[i].ship);
            check_share(
                sb_motion_approach(0, m->max_angular_velocity, m->max_angular_accel, seconds[k]),
                rows[i].turn[k], 0.02f, rows[i].ship);
        }
    }
}

/* stbc-oracle: motion_kessok_coast, from 3.7 units per second. */
TEST(spec_10_11_3_stopping_follows_the_same_law)
{
    static const float   rows[][2] = { { 1.5f, 0.92f }, { 2.1f, 0.51f }, { 3.0f, 0.20f } };
    const sb_ship_class *m = class_of("kessokheavy");
    for (size_t i = 0; i < 3; i++)
        check_share(sb_motion_approach(3.7f, 0, m->max_accel, rows[i][0]), rows[i][1], 0.05f,
                    "stopping");
}

TEST(the_length_of_the_steps_does_not_change_the_motion)
{
    sb_random random;
    sb_random_init(&random, 11);
    for (unsigned i = 0; i < 300; i++) {
        float from = (float)sb_random_below(&random, 2001) / 100 - 10;
        float to = (float)sb_random_below(&random, 2001) / 100 - 10;
        float limit = 0.05f + (float)sb_random_below(&random, 500) / 100;
        float value = from;
        float all = 0;
        for (unsigned k = 0; k < 200; k++) {
            float dt = (float)sb_random_below(&random, 64) / 1024; /* sums of these are exact */
            value = sb_motion_approach(value, to, limit, dt);
            all += dt;
        }
        check_near(value, sb_motion_approach(from, to, limit, all), 5e-5f);
    }
}

TEST(an_approach_never_overshoots_and_arrives)
{
    float value = -3;
    for (unsigned i = 0; i < 400; i++) {
        float next = sb_motion_approach(value, 5, 1.5f, 0.1f);
        CHECK(next >= value && next <= 5);
        CHECK(next - value <= 0.1500005f);
        value = next;
    }
    check_near(value, 5, 5e-6f); /* steps smaller than the rounding of the sum end here */
    check_near(sb_motion_approach(-3, 5, 1.5f, 1e30f), 5, 0);
    check_near(sb_motion_approach(5, -3, 1.5f, 2), 2, 0);
}

TEST(an_approach_without_time_or_acceleration_changes_nothing)
{
    check_near(sb_motion_approach(1, 5, 1.5f, 0), 1, 0);
    check_near(sb_motion_approach(1, 5, 1.5f, -1), 1, 0);
    check_near(sb_motion_approach(1, 5, 0, 1), 1, 0);
    check_near(sb_motion_approach(1, 5, -1, 1), 1, 0);
    check_near(sb_motion_approach(5, 5, 1, 1), 5, 0);
}

/* Against the exponential function of libm, whose error is far below the tolerance. */
TEST(an_approach_decays_exponentially_within_half_a_float_step)
{
    for (unsigned i = 0; i <= 4000; i++) {
        float  seconds = (float)i / 64;
        double exact = 1.0 - exp(-(double)seconds);
        float  value = sb_motion_approach(0, 1, 1, seconds);
        if (!(fabs((double)value - exact) <= 3.1e-8))
            FAIL("after %g s: %.9g", (double)seconds, (double)value);
    }
}

/* Compares bits, as above. */
TEST(an_approach_has_the_same_bits_everywhere)
{
    CHECK_EQ(sb_float_bits(sb_motion_approach(0, 6.3f, 1.5f, 4)), 0x40B4083F);
    CHECK_EQ(sb_float_bits(sb_motion_approach(3.7f, 0, 2.5f, 3)), 0x3E4DFA02);
    CHECK_EQ(sb_float_bits(sb_motion_approach(0, 0.28f, 0.12f, 0.05f)), 0x3BC49BA6);
}
