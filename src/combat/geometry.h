/* src/combat/geometry.h -- vectors, rays and solids, with bit-identical results on every machine.
 *
 * For:      combat/.
 * Spec:     10: x right, y forward, z up; right = forward x up.
 */
#ifndef SB_COMBAT_GEOMETRY_H
#define SB_COMBAT_GEOMETRY_H

#include <starbase/ship_state.h>

#include "ship/axes.h"

static inline float sb_smaller(float a, float b)
{
    return b < a ? b : a;
}

/* Scales `v` to unit length. False: `v` is too short to have a direction; it stays as it is. */
static inline bool sb_v_make_unit(sb_vec3 *v)
{
    float length = sb_v_length(*v);
    if (!(length > 1e-4f)) return false;
    *v = sb_v_scale(*v, 1.0f / length);
    return true;
}

/* Returns `direction`, turned toward `toward` by at most `limit` radians. Both are unit vectors. A
 * limit above 1 counts as 1. */
sb_vec3 sb_geometry_turned(sb_vec3 direction, sb_vec3 toward, float limit);
/* Finds where the ray from `start` along `way` enters the solid. `fraction` is that point as a
 * multiple of `way`, 0 or more; 0: the ray starts inside. False: the ray does not enter. */
bool sb_geometry_ray_enters(sb_vec3 start, sb_vec3 way, const sb_solid *solid, float *fraction);
/* `p` in coordinates in which the solid is the unit sphere, or the cube from -1 to 1. */
sb_vec3 sb_geometry_scaled(sb_vec3 p, const sb_solid *solid);

#endif
