/* src/combat/impact.c -- where a shot meets the shields and the hull of a ship.
 *
 * For:      beams.c and projectiles.c. Points and ways are in the axes of the ship that is hit.
 * Spec:     10 §5.1 (shield ellipsoid), §7 (hull).
 * Tests:    tests/combat/impact_test.c, damage_test.c, shields_test.c, projectiles_test.c
 */
#include "combat/combat_internal.h"

#include "base/assert.h"

#define SQRT_3 1.7320508f

/* The box of the model; a ship without one gets a cube, whose shield ellipsoid is the bounding
 * sphere. */
static sb_solid box_of(const sb_ship_class *m)
{
    sb_solid box = { .kind = SB_SOLID_ELLIPSOID };
    bool     known = m->box_half[0] > 0.0f && m->box_half[1] > 0.0f && m->box_half[2] > 0.0f;
    for (unsigned i = 0; i < 3; i++) {
        box.centre[i] = known ? m->box_centre[i] : 0.0f;
        box.half[i] = known ? m->box_half[i] : m->bound_radius / SQRT_3;
    }
    return box;
}

static float larger(float a, float b)
{
    return a < b ? b : a;
}

void sb_combat_init_shape(sb_fighter *f)
{
    f->ellipsoid = box_of(f->ship->model);
    sb_vec3 centre = sb_v_from(f->ellipsoid.centre);
    for (unsigned i = 0; i < 3; i++) f->ellipsoid.half[i] *= SQRT_3;
    f->shape_radius =
        sb_v_length(centre) +
        larger(f->ellipsoid.half[0], larger(f->ellipsoid.half[1], f->ellipsoid.half[2]));
}

sb_vec3 sb_combat_default_aim(const sb_fighter *f)
{
    const sb_ship_class *m = f->ship->model;
    if (f->hull != SB_NO_PART && m->subsystems[f->hull].has_position)
        return sb_v_from(m->subsystems[f->hull].position);
    return sb_v_from(f->ellipsoid.centre);
}

bool sb_combat_enters_shields(const sb_fighter *f, sb_vec3 start, sb_vec3 way, float *fraction,
                              unsigned *facing)
{
    if (!sb_geometry_ray_enters(start, way, &f->ellipsoid, fraction)) return false;
    if (!(*fraction > 0.0f)) return false; /* begins inside: meets no facing */
    sb_vec3 entry = sb_v_along(start, way, *fraction);
    *facing = sb_combat_facing_of(sb_geometry_scaled(entry, &f->ellipsoid));
    return true;
}

bool sb_combat_enters_hull(const sb_fighter *f, sb_vec3 start, sb_vec3 way, float *fraction)
{
    const sb_ship_class *m = f->ship->model;
    if (m->solid_count == 0) {
        sb_solid core = box_of(m);
        return sb_geometry_ray_enters(start, way, &core, fraction);
    }
    bool  found = false;
    float here;
    for (unsigned i = 0; i < m->solid_count; i++) {
        if (!sb_geometry_ray_enters(start, way, &m->solids[i], &here)) continue;
        if (found && here >= *fraction) continue;
        found = true;
        *fraction = here;
    }
    return found;
}

static bool is_in_ellipsoid(const sb_fighter *f, sb_vec3 p)
{
    sb_vec3 scaled = sb_geometry_scaled(p, &f->ellipsoid);
    return sb_v_dot(scaled, scaled) <= 1.0f;
}

/* A point that the line of fire misses because the solids are coarse still lies on the ship if it
 * is inside the ellipsoid. A line of fire that leads past the ship is corrected to the default aim:
 * no choice of the aim avoids the shields. */
sb_vec3 sb_combat_point_of_impact(const sb_fighter *f, sb_vec3 start, sb_vec3 aim)
{
    float   fraction;
    sb_vec3 way = sb_v_sub(aim, start);
    if (sb_combat_enters_hull(f, start, way, &fraction)) return sb_v_along(start, way, fraction);
    if (is_in_ellipsoid(f, aim)) return aim;
    aim = sb_combat_default_aim(f);
    way = sb_v_sub(aim, start);
    return sb_combat_enters_hull(f, start, way, &fraction) ? sb_v_along(start, way, fraction) : aim;
}
