/* tests/ship/hull_test.c -- the solids and boxes of the stock ships: where shots meet the hull.
 *
 * A shot without an aim of its own goes for the position of the target's Hull entry. The rows of
 * the Galaxy are the stretches of each ray from which a hit of reach 0.15 gets exactly the parts
 * that were measured on the running game (spec 10 §7, 11 §9). The solids of the other ships are
 * ours: a shot must reach parts, and none on the far side.
 */
#include <starbase/ship.h>

#include "test.h"

#include <math.h>
#include <string.h>

enum { GALAXY = 3 };

#define RANGE 57.0  /* units, as in the measurements */
#define REACH 0.15f /* of the beams they were made with */

typedef struct point {
    double x[3];
} point;

static point from_figures(const float v[3])
{
    return (point){ { (double)v[0], (double)v[1], (double)v[2] } };
}

static point unit_from(point from, point to)
{
    double length = 0;
    point  d;
    for (int i = 0; i < 3; i++) d.x[i] = to.x[i] - from.x[i];
    for (int i = 0; i < 3; i++) length += d.x[i] * d.x[i];
    for (int i = 0; i < 3; i++) d.x[i] /= sqrt(length);
    return d;
}

/* ---- rays and solids: the distance to the first surface, INFINITY for a miss ---- */

static double enter_box(const sb_solid *s, point from, point d)
{
    double in = 0, out = INFINITY;
    for (int i = 0; i < 3; i++) {
        double at = from.x[i] - (double)s->centre[i], half = (double)s->half[i];
        if (fabs(d.x[i]) < 1e-12) {
            if (fabs(at) > half) return INFINITY;
            continue;
        }
        double a = (-half - at) / d.x[i], b = (half - at) / d.x[i];
        in = fmax(in, fmin(a, b));
        out = fmin(out, fmax(a, b));
    }
    return in <= out ? in : INFINITY;
}

static double enter_ellipsoid(const sb_solid *s, point from, point d)
{
    double aa = 0, ab = 0, bb = -1;
    for (int i = 0; i < 3; i++) {
        double a = d.x[i] / (double)s->half[i];
        double b = (from.x[i] - (double)s->centre[i]) / (double)s->half[i];
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    double under = ab * ab - aa * bb;
    return under < 0 ? INFINITY : (-ab - sqrt(under)) / aa;
}

static double enter_solid(const sb_solid *s, point from, point d)
{
    return s->kind == SB_SOLID_BOX ? enter_box(s, from, d) : enter_ellipsoid(s, from, d);
}

/* Where a shot from `from` at `aim` meets the hull. False: it meets nothing. */
static bool meet_hull(const sb_ship_class *ship, point from, point aim, point *out)
{
    point  d = unit_from(from, aim);
    double first = INFINITY;
    for (unsigned i = 0; i < ship->solid_count; i++)
        first = fmin(first, enter_solid(&ship->solids[i], from, d));
    if (!isfinite(first)) return false;
    for (int i = 0; i < 3; i++) out->x[i] = from.x[i] + first * d.x[i];
    return true;
}

static bool is_inside(const sb_solid *s, point p)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        double at = fabs(p.x[i] - (double)s->centre[i]) / (double)s->half[i];
        largest = fmax(largest, at);
        sum += at * at;
    }
    return s->kind == SB_SOLID_BOX ? largest <= 1 : sum <= 1;
}

/* ---- parts ---- */

static const sb_subsystem_class *hull_of(const sb_ship_class *ship)
{
    for (unsigned i = 0; i < ship->subsystem_count; i++)
        if (ship->subsystems[i].type == SB_SUBSYSTEM_HULL) return &ship->subsystems[i];
    FAIL("%s has no hull", ship->key);
}

static unsigned part_count(const sb_ship_class *ship)
{
    return ship->subsystem_count + ship->child_count;
}

static const sb_subsystem_class *part_of(const sb_ship_class *ship, unsigned i)
{
    return i < ship->subsystem_count ? &ship->subsystems[i]
                                     : &ship->children[i - ship->subsystem_count];
}

static bool is_in_reach(const sb_subsystem_class *part, point p)
{
    double sum = 0;
    if (!part->has_position) return false;
    for (int i = 0; i < 3; i++) {
        double away = p.x[i] - (double)part->position[i];
        sum += away * away;
    }
    return sqrt(sum) <= (double)part->radius + (double)REACH;
}

/* ---- the Galaxy: the measured rows ---- */

/* A place at RANGE from the origin: `degrees` above the horizon ahead, or along an axis. */
static point ahead_and_above(double degrees)
{
    double angle = degrees * acos(-1) / 180;
    return (point){ { 0, RANGE * cos(angle), RANGE * sin(angle) } };
}

static const struct {
    const char *from;
    point       place;
    double      degrees;   /* above, if place is 0 */
    int         axis;      /* of the stretch */
    double      low, high; /* the hull's surface lies here */
} galaxy_rows[] = {
    { "ahead", { { 0, RANGE, 0 } }, 0, 1, -0.30, -0.26 },
    { "starboard", { { RANGE, 0, 0 } }, 0, 0, 0.54, 2.39 },
    { "port", { { -RANGE, 0, 0 } }, 0, 0, -2.39, -0.54 },
    { "below", { { 0, 0, -RANGE } }, 0, 2, -1.02, -0.61 },
    { "astern", { { 0, -RANGE, 0 } }, 0, 1, -3.3, -2.21 },
    { "45 above", { { 0 } }, 45, 2, 0.28, 0.80 },
    { "60 above", { { 0 } }, 60, 2, -0.35, 0.02 },
    { "75 above", { { 0 } }, 75, 2, -0.30, 0.06 },
};

TEST(the_galaxy_is_hit_where_its_measured_footprints_allow)
{
    const sb_ship_class *galaxy = sb_find_ship(sb_stock_ships(), GALAXY);
    point                aim = from_figures(hull_of(galaxy)->position);
    for (size_t i = 0; i < sizeof galaxy_rows / sizeof galaxy_rows[0]; i++) {
        point from = galaxy_rows[i].degrees > 0 ? ahead_and_above(galaxy_rows[i].degrees)
                                                : galaxy_rows[i].place;
        point at;
        if (!meet_hull(galaxy, from, aim, &at)) FAIL("from %s: no hit", galaxy_rows[i].from);
        double where = at.x[galaxy_rows[i].axis];
        if (where < galaxy_rows[i].low || where > galaxy_rows[i].high)
            FAIL("from %s: %g is not in %g to %g", galaxy_rows[i].from, where, galaxy_rows[i].low,
                 galaxy_rows[i].high);
    }
}

/* ---- every ship ---- */

static const point aspects[] = {
    { { 0, 1, 0 } },  { { 0, -1, 0 } }, { { 0, 0, 1 } },
    { { 0, 0, -1 } }, { { -1, 0, 0 } }, { { 1, 0, 0 } },
};

/* How far the near end of a part's sphere lies towards `aspect`, seen from the aim. */
static double nearness(const sb_subsystem_class *part, point aim, point aspect)
{
    double sum = (double)part->radius;
    for (int i = 0; i < 3; i++) sum += ((double)part->position[i] - aim.x[i]) * aspect.x[i];
    return sum;
}

static void check_aspect(const sb_ship_class *ship, point aspect)
{
    point  aim = from_figures(hull_of(ship)->position), from, at;
    double range = fmax(RANGE, 10 * (double)ship->bound_radius);
    for (int i = 0; i < 3; i++) from.x[i] = range * aspect.x[i];
    if (!meet_hull(ship, from, aim, &at))
        FAIL("%s: no hit from %g %g %g", ship->key, aspect.x[0], aspect.x[1], aspect.x[2]);
    for (unsigned i = 0; i < part_count(ship); i++) {
        const sb_subsystem_class *part = part_of(ship, i);
        if (is_in_reach(part, at) && nearness(part, aim, aspect) < 0)
            FAIL("%s: from %g %g %g the hit reaches %s on the far side", ship->key, aspect.x[0],
                 aspect.x[1], aspect.x[2], part->name);
    }
}

TEST(a_shot_from_each_aspect_hits_parts_of_that_side)
{
    for (size_t i = 0; i < sb_stock_ships()->count; i++) {
        const sb_ship_class *ship = &sb_stock_ships()->ships[i];
        /* A hit reaches every part of the Shuttle from every side: the ship is too small. */
        if (ship->bound_radius < 2 * REACH) continue;
        for (size_t k = 0; k < sizeof aspects / sizeof aspects[0]; k++)
            check_aspect(ship, aspects[k]);
    }
}

/* The aspects (as in `aspects`) from which the hull alone is hit: astern of a Galaxy by
 * measurement; the others have no part near the path, or only parts in the middle of a broad hull.
 */
static bool is_hull_alone(const sb_ship_class *ship, size_t aspect)
{
    static const struct {
        const char *key, *aspects;
    } rows[] = { { "galaxy", "1" },
                 { "vorcha", "45" },
                 { "warbird", "2345" },
                 { "marauder", "45" },
                 { "cardfreighter", "1" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].key, ship->key) == 0)
            return strchr(rows[i].aspects, (int)('0' + aspect)) != NULL;
    return false;
}

static bool reaches_a_part(const sb_ship_class *ship, point aspect)
{
    point aim = from_figures(hull_of(ship)->position), from, at;
    for (int i = 0; i < 3; i++) from.x[i] = aspect.x[i] * RANGE;
    if (!meet_hull(ship, from, aim, &at)) return false;
    for (unsigned i = 0; i < part_count(ship); i++) {
        const sb_subsystem_class *part = part_of(ship, i);
        if (part != hull_of(ship) && part->has_position && is_in_reach(part, at)) return true;
    }
    return false;
}

TEST(a_shot_from_each_aspect_reaches_a_part)
{
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        for (size_t k = 0; k < sizeof aspects / sizeof aspects[0]; k++) {
            const sb_ship_class *ship = &sb_stock_ships()->ships[i];
            if (reaches_a_part(ship, aspects[k]) == is_hull_alone(ship, k))
                FAIL("%s, aspect %zu", ship->key, k);
        }
}

TEST(solids_lie_inside_the_box_of_their_ship)
{
    for (size_t i = 0; i < sb_stock_ships()->count; i++) {
        const sb_ship_class *ship = &sb_stock_ships()->ships[i];
        CHECK(ship->solid_count > 0);
        for (unsigned k = 0; k < ship->solid_count; k++)
            for (int axis = 0; axis < 3; axis++) {
                const sb_solid *s = &ship->solids[k];
                double off = fabs((double)s->centre[axis] - (double)ship->box_centre[axis]);
                if (off + (double)s->half[axis] > (double)ship->box_half[axis] + 1e-4)
                    FAIL("%s: solid %u leaves the box on axis %d by %g", ship->key, k, axis,
                         off + (double)s->half[axis] - (double)ship->box_half[axis]);
            }
    }
}

TEST(the_hull_entry_lies_inside_a_solid)
{
    for (size_t i = 0; i < sb_stock_ships()->count; i++) {
        const sb_ship_class *ship = &sb_stock_ships()->ships[i];
        point                aim = from_figures(hull_of(ship)->position);
        bool                 inside = false;
        for (unsigned k = 0; k < ship->solid_count; k++)
            inside = inside || is_inside(&ship->solids[k], aim);
        if (!inside) FAIL("%s: no solid holds its Hull entry", ship->key);
    }
}
