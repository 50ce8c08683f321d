/* src/combat/geometry.c -- turns, rays and solids; of libm only sqrtf and fabsf, which round
 * correctly.
 *
 * Spec:     10 §5.1, §6.4, §7.
 */
#include "combat/geometry.h"

/* Taylor series up to the tenth power (cosine) and the ninth (sine): the error is below 3e-8 for
 * angles below 1 rad. */
static float cosine(float x)
{
    float s = x * x;
    return 1.0f -
           s / 2.0f *
               (1.0f - s / 12.0f * (1.0f - s / 30.0f * (1.0f - s / 56.0f * (1.0f - s / 90.0f))));
}

static float sine(float x)
{
    float s = x * x;
    return x * (1.0f - s / 6.0f * (1.0f - s / 20.0f * (1.0f - s / 42.0f * (1.0f - s / 72.0f))));
}

/* A unit vector perpendicular to `v`: the axis of a turn by half a circle is arbitrary. */
static sb_vec3 any_perpendicular(sb_vec3 v)
{
    sb_vec3 axis = fabsf(v.z) < 0.7f ? (sb_vec3){ 0, 0, 1 } : (sb_vec3){ 1, 0, 0 };
    sb_vec3 out = sb_v_cross(v, axis);
    (void)sb_v_make_unit(&out);
    return out;
}

sb_vec3 sb_geometry_turned(sb_vec3 direction, sb_vec3 toward, float limit)
{
    limit = sb_smaller(limit, 1.0f);
    if (!(limit > 0.0f)) return direction;
    float along = sb_v_dot(direction, toward), cos_limit = cosine(limit);
    if (along >= cos_limit) return toward;
    sb_vec3 aside = sb_v_sub(toward, sb_v_scale(direction, along));
    if (!sb_v_make_unit(&aside)) aside = any_perpendicular(direction);
    sb_vec3 out = sb_v_add(sb_v_scale(direction, cos_limit), sb_v_scale(aside, sine(limit)));
    return sb_v_make_unit(&out) ? out : direction;
}

/* ---- rays and solids ---- */

sb_vec3 sb_geometry_scaled(sb_vec3 p, const sb_solid *solid)
{
    sb_vec3 from = sb_v_sub(p, sb_v_from(solid->centre));
    return (sb_vec3){ from.x / solid->half[0], from.y / solid->half[1], from.z / solid->half[2] };
}

/* The unit sphere: a t^2 + 2 b t + outside = 0. */
static bool ray_enters_sphere(sb_vec3 start, sb_vec3 way, float *fraction)
{
    float outside = sb_v_dot(start, start) - 1.0f;
    *fraction = 0.0f;
    if (outside <= 0.0f) return true;
    float a = sb_v_dot(way, way), b = sb_v_dot(start, way);
    if (!(b < 0.0f) || !(a > 0.0f)) return false; /* leads away */
    float discriminant = b * b - a * outside;
    if (discriminant < 0.0f) return false;
    *fraction = (-b - sqrtf(discriminant)) / a;
    return true;
}

/* Limits the part of the ray between `enter` and `leave` to the slab from -1 to 1 of one axis.
 * False: the ray never enters the slab. */
static bool clip_to_slab(float start, float way, float *enter, float *leave)
{
    if (!(fabsf(way) > 1e-9f)) return fabsf(start) <= 1.0f; /* parallel to the slab */
    float a = (-1.0f - start) / way, b = (1.0f - start) / way;
    float first = sb_smaller(a, b), last = a < b ? b : a;
    if (first > *enter) *enter = first;
    if (last < *leave) *leave = last;
    return *enter <= *leave;
}

/* The cube from -1 to 1: the ray is inside where it is inside the slabs of all three axes. */
static bool ray_enters_cube(sb_vec3 start, sb_vec3 way, float *fraction)
{
    float leave = 1e30f;
    *fraction = 0.0f;
    return clip_to_slab(start.x, way.x, fraction, &leave) &&
           clip_to_slab(start.y, way.y, fraction, &leave) &&
           clip_to_slab(start.z, way.z, fraction, &leave);
}

bool sb_geometry_ray_enters(sb_vec3 start, sb_vec3 way, const sb_solid *solid, float *fraction)
{
    sb_vec3 from = sb_geometry_scaled(start, solid);
    sb_vec3 along = { way.x / solid->half[0], way.y / solid->half[1], way.z / solid->half[2] };
    if (solid->kind == SB_SOLID_BOX) return ray_enters_cube(from, along, fraction);
    return ray_enters_sphere(from, along, fraction);
}
