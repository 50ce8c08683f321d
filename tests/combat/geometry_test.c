/* tests/combat/geometry_test.c -- angles, arcs and turns. Spec 10 §6.2, §6.4. */
#include "rig.h"

#include "ship/arcs.h"

TEST(test_10_6_2_angles_agree_with_atan2)
{
    for (int i = -300; i <= 300; i++)
        for (int j = -300; j <= 300; j += 7) {
            float y = (float)i * 0.013f, x = (float)j * 0.011f;
            CHECK_NEAR(sb_v_angle(y, x), i == 0 && j == 0 ? 0 : atan2((double)y, (double)x), 1e-6);
        }
    CHECK_NEAR(sb_v_angle(1e-20f, 1e-18f), 0.01, 1e-6);
    CHECK_NEAR(sb_v_angle(0.0f, 0.0f), 0, 0); /* no direction */
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
