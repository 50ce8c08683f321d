/* tests/combat/geometry_test.c -- angles, arcs and turns. Spec 10 §6.2, §6.4. */
#include "rig.h"

#include "ship/arcs.h"

#include <string.h>

TEST(test_10_6_2_angles_agree_with_atan2)
{
    for (int i = -300; i <= 300; i++)
        for (int j = -300; j <= 300; j += 7) {
            float y = (float)i * 0.013f, x = (float)j * 0.011f;
            CHECK_NEAR(sb_v_angle(y, x), i == 0 && j == 0 ? 0 : atan2((double)y, (double)x), 1e-6);
        }
    CHECK_NEAR(sb_v_angle(1e-20f, 1e-18f), 0.01, 1e-6);
    CHECK_NEAR(sb_v_angle(3, 3), 0.78539816339744831, 5e-8); /* exact where both formulas meet */
    CHECK_NEAR(sb_v_angle(0.0f, 0.0f), 0, 0);                /* no direction */
}

TEST(test_10_6_2_arcs_agree_with_the_formula_of_the_spec)
{
    const sb_ship_set *set = sb_stock_ships();
    unsigned           inside = 0, tests = 0;
    for (size_t n = 0; n < set->count; n++)
        for (unsigned c = 0; c < set->ships[n].child_count; c++) {
            const sb_weapon_class *w = set->ships[n].children[c].weapon;
            if (!w || set->ships[n].children[c].type != SB_SUBSYSTEM_PHASER_BANK) continue;
            sb_vec3 f = sb_v_from(w->forward), u = sb_v_from(w->up), right = sb_v_cross(f, u);
            for (int a = 0; a < 500; a++) {
                sb_vec3 t = { (float)(a % 11) - 5.03f, (float)(a % 7) - 3.04f,
                              (float)(a % 13) - 6.05f };
                double  width = atan2((double)sb_v_dot(t, right), (double)sb_v_dot(t, f));
                double  height = atan2((double)sb_v_dot(t, u),
                                       hypot((double)sb_v_dot(t, f), (double)sb_v_dot(t, right)));
                double  tolerance = 0.09;
                double  slack[4] = { width - (double)w->arc_width[0] + tolerance,
                                     (double)w->arc_width[1] + tolerance - width,
                                     height - (double)w->arc_height[0] + tolerance,
                                     (double)w->arc_height[1] + tolerance - height };
                bool    expected = true, close = false;
                for (unsigned i = 0; i < 4; i++) {
                    expected &= slack[i] >= 0;
                    close |= fabs(slack[i]) < 1e-4;
                }
                if (close || fabs(width) > 3.05) continue; /* widened past half a circle */
                CHECK_EQ(sb_ship_arc_contains(w, t, 0.09f), expected);
                inside += expected;
                tests++;
            }
        }
    CHECK(tests > 10000);
    CHECK(inside > 1000);
}

TEST(test_10_6_2_an_arc_widened_past_half_a_circle_continues)
{
    sb_weapon_class w = { .forward = { 0, 1, 0 },
                          .up = { 0, 0, 1 },
                          .arc_width = { 2.0f, 3.1f },
                          .arc_height = { -1, 1 } };
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ 0.01f, -1, 0 }, 0.09f));
    CHECK(sb_ship_arc_contains(&w, (sb_vec3){ -0.01f, -1, 0 }, 0.09f));
    CHECK(!sb_ship_arc_contains(&w, (sb_vec3){ -0.2f, -1, 0 }, 0.09f));
}

TEST(turns_are_limited_and_keep_their_length)
{
    sb_vec3 d = { 0, 1, 0 };
    for (unsigned i = 0; i < 9; i++) d = sb_geometry_turned(d, (sb_vec3){ 1, 0, 0 }, 0.1f);
    CHECK_NEAR(d.x, sin(0.9), 1e-6);
    CHECK_NEAR(d.y, cos(0.9), 1e-6);
    for (unsigned i = 0; i < 9; i++) d = sb_geometry_turned(d, (sb_vec3){ 1, 0, 0 }, 0.1f);
    CHECK_NEAR(d.x, 1, 1e-6); /* does not turn past it */
    d = sb_geometry_turned((sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, -1, 0 }, 0.1f);
    CHECK_NEAR(sb_v_length(d), 1, 1e-6);
    CHECK_NEAR(d.y, cos(0.1), 1e-6);
}

/* The series are good to the last bits of a float, up to their largest angle. */
TEST(turns_are_exact_up_to_one_radian)
{
    for (unsigned i = 1; i <= 100; i++) {
        float   limit = (float)i * 0.01f;
        sb_vec3 d = sb_geometry_turned((sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, -1, 0 }, limit);
        CHECK_NEAR(atan2((double)d.x, (double)d.y), limit, 1e-7);
    }
    sb_vec3 d = sb_geometry_turned((sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, -1, 0 }, 3);
    CHECK_NEAR(atan2((double)d.x, (double)d.y), 1, 1e-7); /* more counts as 1 */
}

/* Half a circle could go any way: it goes to the right of the up axis +z, or of +x if the nose
 * points along z. */
TEST(a_turn_by_half_a_circle_has_a_fixed_side)
{
    static const struct {
        sb_vec3 from, side;
    } rows[] = { { { 0, 1, 0 }, { 1, 0, 0 } },
                 { { 1, 0, 0 }, { 0, -1, 0 } },
                 { { 0, 0, 1 }, { 0, 1, 0 } },
                 { { 0, 0.6f, 0.8f }, { 0, 0.8f, -0.6f } },
                 { { 0, 0.7141428f, 0.7f }, { 0, 0.7f, -0.7141428f } },
                 { { 0, 0.8f, 0.6f }, { 1, 0, 0 } } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sb_vec3 d = sb_geometry_turned(rows[i].from, sb_v_scale(rows[i].from, -1), 0.5f);
        CHECK_NEAR(sb_v_dot(d, rows[i].from), cos(0.5), 1e-6);
        CHECK_NEAR(sb_v_dot(d, rows[i].side), sin(0.5), 1e-6);
    }
}

/* Not even the rounding of a turn by nothing. */
TEST(a_turn_by_nothing_keeps_every_bit)
{
    for (unsigned i = 0; i < 200; i++) {
        sb_vec3 d = { (float)i * 0.37f + 1, 3 - (float)i * 0.11f, 0.7f };
        CHECK(sb_v_make_unit(&d));
        sb_vec3 still = sb_geometry_turned(d, (sb_vec3){ 0, 0, 1 }, 0);
        CHECK(memcmp(&still, &d, sizeof d) == 0);
        still = sb_geometry_turned(d, (sb_vec3){ 0, 0, 1 }, NAN);
        CHECK(memcmp(&still, &d, sizeof d) == 0);
    }
    sb_vec3 ahead = { 0, 1, 0 }, d = sb_geometry_turned(ahead, ahead, 1e-5f); /* there already */
    CHECK(memcmp(&d, &ahead, sizeof d) == 0);
}

TEST(vectors_of_a_ten_thousandth_have_no_direction)
{
    sb_vec3 v = { 0, 1e-4f, 0 };
    CHECK(!sb_v_make_unit(&v));
    CHECK(v.y == 1e-4f);
    v.y = 1.5e-4f;
    CHECK(sb_v_make_unit(&v));
    CHECK_NEAR(v.y, 1, 1e-6);
}

/* A ray against the unit sphere and the cube from -1 to 1, moved and stretched. */
TEST(rays_enter_solids_where_they_touch_them)
{
    enum { CUBE = SB_SOLID_BOX, BALL = SB_SOLID_ELLIPSOID };
    static const struct {
        uint8_t kind;
        sb_vec3 start, way;
        bool    enters;
        float   fraction;
    } rows[] = {
        { BALL, { -3, 0, 0 }, { 1, 0, 0 }, true, 2 },    /* from outside */
        { BALL, { -3, 0, 0 }, { 4, 0, 0 }, true, 0.5f }, /* in units of the way */
        { BALL, { 3, 0, 0 }, { -0.5f, 0, 0 }, true, 4 },
        { BALL, { 1.5f, 0, 0 }, { 0.1f, 0, 0 }, false, 0 },
        { BALL, { -3, 0, 0 }, { -1, 0, 0 }, false, 0 },     /* leads away */
        { BALL, { -3, 0, 0 }, { 0, 1, 0 }, false, 0 },      /* leads past it */
        { BALL, { 1, -2, 0 }, { 0, 1, 0 }, true, 2 },       /* touches it */
        { BALL, { 1.01f, -2, 0 }, { 0, 1, 0 }, false, 0 },  /* just misses */
        { BALL, { 0.5f, 0, 0 }, { 1, 0, 0 }, true, 0 },     /* from inside */
        { BALL, { 1, 0, 0 }, { 1, 0, 0 }, true, 0 },        /* from the surface */
        { BALL, { 2, 0, 0 }, { 0, 0, 0 }, false, 0 },       /* goes nowhere */
        { BALL, { 2, 0, 0 }, { -1e-30f, 0, 0 }, false, 0 }, /* its square is 0 */
        { CUBE, { -3, 0.5f, 0 }, { 1, 0, 0 }, true, 2 },
        { CUBE, { 0.5f, -3, 0 }, { 0, 1, 0 }, true, 2 },
        { CUBE, { 0.5f, 0, 3 }, { 0, 0, -1 }, true, 2 },
        { CUBE, { -3, 0, 0 }, { -1, 0, 0 }, false, 0 },
        { CUBE, { -3, 1, 0 }, { 1, 0, 0 }, true, 2 }, /* along a face */
        { CUBE, { -3, 1.01f, 0 }, { 1, 0, 0 }, false, 0 },
        { CUBE, { -3, 0, -1 }, { 1, 0, 0 }, true, 2 },
        { CUBE, { -3, 0, -1.01f }, { 1, 0, 0 }, false, 0 },
        { CUBE, { -3, -5, 0 }, { 1, 1, 0 }, true, 4 }, /* touches an edge */
        { CUBE, { -3, -5.1f, 0 }, { 1, 1, 0 }, false, 0 },
        { CUBE, { 0.9f, 0.9f, 0.9f }, { 1, 0, 0 }, true, 0 }, /* from inside */
        { CUBE, { 1, 0, 0 }, { 1, 0, 0 }, true, 0 },
        { CUBE, { 1.5f, 0, 0 }, { -1e-9f, 0, 0 }, false, 0 }, /* counts as parallel */
        { CUBE, { 1.5f, 0, 0 }, { -1.5e-9f, 0, 0 }, true, 0.5f / 1.5e-9f },
    };
    static const sb_solid solids[] = { { 0, { 0, 0, 0 }, { 1, 1, 1 } },
                                       { 0, { 4, -8, 2 }, { 0.5f, 0.5f, 0.5f } },
                                       { 0, { 0, 0, 0 }, { 2, 4, 8 } } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned n = 0; n < 3; n++) {
            sb_solid solid = solids[n];
            solid.kind = rows[i].kind;
            const float *h = solid.half, *c = solid.centre;
            sb_vec3      s = rows[i].start, w = rows[i].way;
            s = (sb_vec3){ s.x * h[0] + c[0], s.y * h[1] + c[1], s.z * h[2] + c[2] };
            w = (sb_vec3){ w.x * h[0], w.y * h[1], w.z * h[2] };
            float fraction = -1;
            if (sb_geometry_ray_enters(s, w, &solid, &fraction) != rows[i].enters)
                FAIL("row %u, solid %u", i, n);
            if (rows[i].enters)
                CHECK_NEAR(fraction, rows[i].fraction, (double)rows[i].fraction * 1e-5);
        }
}
