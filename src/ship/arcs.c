/* src/ship/arcs.c -- the firing arc of a weapon.
 *
 * Tests:    tests/combat/geometry_test.c, tests/ship/tractor_test.c
 */
#include "ship/arcs.h"

#include "ship/vectors.h"

#define TWO_PI 6.28318531f

static bool is_within(float angle, const float limits[2], float tolerance)
{
    return angle >= limits[0] - tolerance && angle <= limits[1] + tolerance;
}

/* Angles wrap at half a circle, and a widened arc can reach beyond it. */
static bool is_within_wrapped(float angle, const float limits[2], float tolerance)
{
    return is_within(angle, limits, tolerance) || is_within(angle + TWO_PI, limits, tolerance) ||
           is_within(angle - TWO_PI, limits, tolerance);
}

bool sb_ship_arc_contains(const sb_weapon_class *weapon, sb_vec3 to, float tolerance)
{
    sb_vec3 f = sb_v_from(weapon->forward), u = sb_v_from(weapon->up), r = sb_v_cross(f, u);
    float   along = sb_v_dot(to, f), across = sb_v_dot(to, r), above = sb_v_dot(to, u);
    if (!is_within_wrapped(sb_v_angle(across, along), weapon->arc_width, tolerance)) return false;
    float height = sb_v_angle(above, sqrtf(along * along + across * across));
    return is_within(height, weapon->arc_height, tolerance);
}
