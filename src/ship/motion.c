/* src/ship/motion.c -- position, axes and speed of a ship with their wire codes; law of motion.
 *
 * For:      starbase/ship_state.h.
 * Spec:     03 §3, 10 §11.
 */
#include <starbase/ship_state.h>

#include "base/bytes.h"
#include "ship/codes.h"
#include "ship/vectors.h"

#include <math.h>

/* False: too short to have a direction, or not finite. */
static bool normalize(sb_vec3 *v)
{
    float length = sqrtf(sb_v_dot(*v, *v));
    if (!(length > 1e-3f) || !sb_bits_finite(sb_float_bits(length))) return false;
    *v = sb_v_scale(*v, 1.0f / length);
    return true;
}

void sb_motion_init(sb_motion *m)
{
    *m = (sb_motion){ 0 };
    sb_motion_set_axes(m, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 });
}

/* Makes both axes unit vectors and `up` perpendicular to `forward`. False: an axis is zero, or both
 * are parallel. */
static bool orthonormalize(sb_vec3 *forward, sb_vec3 *up)
{
    if (!normalize(forward)) return false;
    *up = sb_v_add(*up, sb_v_scale(*forward, -sb_v_dot(*forward, *up)));
    return normalize(up);
}

void sb_motion_set_axes(sb_motion *m, sb_vec3 forward, sb_vec3 up)
{
    if (!orthonormalize(&forward, &up)) return;
    m->forward = forward;
    m->up = up;
    m->forward_code = sb_encode_cv3(forward);
    m->up_code = sb_encode_cv3(up);
}

void sb_motion_set_speed(sb_motion *m, float speed)
{
    m->speed = speed;
    m->speed_code = sb_encode_cf16(speed);
}

bool sb_motion_read_axes(sb_motion *m, const sb_cv3 *forward, const sb_cv3 *up)
{
    sb_vec3 f = forward ? sb_decode_cv3(*forward) : m->forward;
    sb_vec3 u = up ? sb_decode_cv3(*up) : m->up;
    if (!orthonormalize(&f, &u)) return false;
    m->forward = f;
    m->up = u;
    if (forward) m->forward_code = *forward;
    if (up) m->up_code = *up;
    return true;
}

void sb_motion_read_speed(sb_motion *m, uint16_t code)
{
    m->speed_code = code;
    m->speed = sb_decode_cf16(code);
}

static sb_vec3 rotated(sb_quat q, sb_vec3 v)
{
    sb_vec3 axis = { q.x, q.y, q.z };
    sb_vec3 t = sb_v_scale(sb_v_cross(axis, v), 2.0f);
    return sb_v_add(sb_v_add(v, sb_v_scale(t, q.w)), sb_v_cross(axis, t));
}

void sb_motion_set_quaternion(sb_motion *m, sb_quat q)
{
    float length = sqrtf(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 1e-3f) || !sb_bits_finite(sb_float_bits(length))) return;
    float   k = 1.0f / length;
    sb_quat unit = { q.w * k, q.x * k, q.y * k, q.z * k };
    sb_motion_set_axes(m, rotated(unit, (sb_vec3){ 0, 1, 0 }), rotated(unit, (sb_vec3){ 0, 0, 1 }));
}

/* The quaternion of the rotation that maps x, y, z to right, forward, up. The formula starts from
 * the largest of the four components, which keeps the precision near half turns. */
sb_quat sb_motion_quaternion(const sb_motion *m)
{
    sb_vec3 f = m->forward, u = m->up, r = sb_v_cross(f, u);
    float   w4 = 1.0f + r.x + f.y + u.z, x4 = 1.0f + r.x - f.y - u.z;
    float   y4 = 1.0f - r.x + f.y - u.z, z4 = 1.0f - r.x - f.y + u.z;
    sb_quat q;
    if (w4 >= x4 && w4 >= y4 && w4 >= z4) q = (sb_quat){ w4, f.z - u.y, u.x - r.z, r.y - f.x };
    else if (x4 >= y4 && x4 >= z4) q = (sb_quat){ f.z - u.y, x4, r.y + f.x, u.x + r.z };
    else if (y4 >= z4) q = (sb_quat){ u.x - r.z, r.y + f.x, y4, f.z + u.y };
    else q = (sb_quat){ r.y - f.x, u.x + r.z, f.z + u.y, z4 };
    float k = 1.0f / sqrtf(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (sb_quat){ q.w * k, q.x * k, q.y * k, q.z * k };
}

/* ---- the law of motion ---- */

/* exp(-seconds) for seconds >= 0, with a relative error below 1e-11. Only operations whose rounding
 * IEEE 754 prescribes: 2^-n times the Taylor series of the rest, which is at most 0.35. */
static double decay(double seconds)
{
    if (seconds > 40.0) return 0.0; /* below 1e-17, which no float sum notices */
    int    n = (int)(seconds * 1.4426950408889634 + 0.5);
    double rest = seconds - n * 0.6931471805599453, sum = 1.0;
    for (int i = 10; i > 0; i--) sum = 1.0 - rest / i * sum;
    return sum / (double)((uint64_t)1 << n);
}

float sb_motion_approach(float value, float target, float limit, float dt)
{
    double rest = (double)target - (double)value, size = fabs(rest), sign = rest < 0.0 ? -1.0 : 1.0;
    double accel = (double)limit, seconds = (double)dt;
    if (!(seconds > 0.0) || !(accel > 0.0)) return value;
    double linear = size > accel ? (size - accel) / accel : 0.0; /* seconds at full acceleration */
    if (seconds <= linear) return (float)((double)value + sign * accel * seconds);
    double left = size < accel ? size : accel;
    return (float)((double)target - sign * left * decay(seconds - linear));
}

sb_vec3 sb_motion_estimate(const sb_motion *m, float elapsed)
{
    if (!(elapsed > 0.0f)) return m->position;
    if (elapsed > 1.0f) elapsed = 1.0f;
    return sb_clamp_position(sb_v_add(m->position, sb_v_scale(m->forward, m->speed * elapsed)));
}
