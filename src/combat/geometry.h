/* src/combat/geometry.h -- vectors and angles of the simulation, the same bits on every machine.
 *
 * For:      combat/. Spec 10: x right, y forward, z up; right = forward x up.
 */
#ifndef SB_COMBAT_GEOMETRY_H
#define SB_COMBAT_GEOMETRY_H

#include <starbase/ship_state.h>

#include "ship/vectors.h"

static inline sb_vec3 sb_v_from(const float v[3])
{
    return (sb_vec3){ v[0], v[1], v[2] };
}

static inline float sb_smaller(float a, float b)
{
    return b < a ? b : a;
}

/* To unit length; false: too short to have a direction. */
static inline bool sb_v_make_unit(sb_vec3 *v)
{
    float length = sb_v_length(*v);
    if (!(length > 1e-4f)) return false;
    *v = sb_v_scale(*v, 1.0f / length);
    return true;
}

/* From the axes of the world to those of a ship, and back. */
static inline sb_vec3 sb_v_to_local(const sb_motion *m, sb_vec3 v)
{
    sb_vec3 right = sb_v_cross(m->forward, m->up);
    return (sb_vec3){ sb_v_dot(v, right), sb_v_dot(v, m->forward), sb_v_dot(v, m->up) };
}

static inline sb_vec3 sb_v_to_world(const sb_motion *m, sb_vec3 v)
{
    sb_vec3 right = sb_v_cross(m->forward, m->up);
    return sb_v_add(sb_v_scale(right, v.x),
                    sb_v_add(sb_v_scale(m->forward, v.y), sb_v_scale(m->up, v.z)));
}

/* `direction`, turned toward `toward` by at most `limit` rad; both of unit length. More than 1 rad
 * at once counts as 1. */
sb_vec3 sb_geometry_turned(sb_vec3 direction, sb_vec3 toward, float limit);
/* Where the segment from `start` along `way` first comes within `radius` of `centre`, as a part of
 * the way (0: it starts inside); false: it does not. */
bool sb_geometry_segment_enters(sb_vec3 start, sb_vec3 way, sb_vec3 centre, float radius,
                                float *part);
/* The arc test of spec 10 §6.2: `to` leads from the weapon to the target, ship-local. */
bool sb_geometry_is_in_arc(const sb_weapon_class *weapon, sb_vec3 to, float tolerance);

#endif
