/* src/ship/axes.h -- vectors in the axes of the world and of a ship.
 *
 * For:      code that computes with a ship's orientation.
 * Spec:     10: x right, y forward, z up; right = forward x up.
 */
#ifndef SB_SHIP_AXES_H
#define SB_SHIP_AXES_H

#include <starbase/ship_state.h>

#include "ship/vectors.h"

/* From the axes of the world to the axes of a ship. */
static inline sb_vec3 sb_v_to_local(const sb_motion *m, sb_vec3 v)
{
    sb_vec3 right = sb_v_cross(m->forward, m->up);
    return (sb_vec3){ sb_v_dot(v, right), sb_v_dot(v, m->forward), sb_v_dot(v, m->up) };
}

/* From the axes of a ship to the axes of the world. */
static inline sb_vec3 sb_v_to_world(const sb_motion *m, sb_vec3 v)
{
    sb_vec3 right = sb_v_cross(m->forward, m->up);
    return sb_v_add(sb_v_scale(right, v.x),
                    sb_v_add(sb_v_scale(m->forward, v.y), sb_v_scale(m->up, v.z)));
}

#endif
