/* src/ship/vectors.h -- vector arithmetic with identical results on every machine.
 *
 * For:      code that computes with positions and directions. Axes: x right, y forward, z up (spec
 *           10).
 * Never:    calls a libm function whose last bit may differ by platform: only sqrtf, whose rounding
 *           IEEE 754 prescribes.
 */
#ifndef SB_SHIP_VECTORS_H
#define SB_SHIP_VECTORS_H

#include <starbase/compressed.h>

#include "base/bytes.h"

#include <math.h>

static inline sb_vec3 sb_v_from(const float v[3])
{
    return (sb_vec3){ v[0], v[1], v[2] };
}

static inline sb_vec3 sb_v_add(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline sb_vec3 sb_v_sub(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline sb_vec3 sb_v_scale(sb_vec3 v, float k)
{
    return (sb_vec3){ v.x * k, v.y * k, v.z * k };
}

/* a + b * k */
static inline sb_vec3 sb_v_along(sb_vec3 a, sb_vec3 b, float k)
{
    return sb_v_add(a, sb_v_scale(b, k));
}

static inline bool sb_v_is_finite(sb_vec3 v)
{
    return sb_float_is_finite(v.x) && sb_float_is_finite(v.y) && sb_float_is_finite(v.z);
}

static inline float sb_v_dot(sb_vec3 a, sb_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sb_vec3 sb_v_cross(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline float sb_v_length(sb_vec3 v)
{
    return sqrtf(sb_v_dot(v, v));
}

/* The angle of the vector (x, y) in -pi..pi, with an error below 1e-6; 0 for the zero vector. */
float sb_v_angle(float y, float x);

#endif
