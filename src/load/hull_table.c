/* src/load/hull_table.c -- reads the key `hull` of a ship, or estimates a box from the parts.
 *
 * For:      hull_table.h.
 * May use:  lua_table.h; the words of ship_table.h.
 * Never:    looks at another ship.
 * Spec:     11 §9.
 * Tests:    tests/load/hull_table_test.c
 */
#include "load/hull_table.h"

#include "load/ship_table.h"
#include "load/table_limits.h"

#include <math.h>
#include <string.h>

/* Of the two boxes that are known, the half diagonal is 0.92 (Galaxy) and 0.94 (Sovereign) of the
 * ship's radius. */
#define DIAGONAL_SHARE 0.93
/* A ship whose parts lie in a plane is still a solid body: the smallest half axis in radii. */
#define MIN_SHARE 0.08

typedef struct hull_draft {
    float    centre[3], half[3];
    uint8_t  source, centre_source; /* without the latter: as source */
    sb_solid solids[SB_SOLIDS_MAX];
    uint8_t  solid_count;
} hull_draft;

static const char *const kind_words[] = { "box", "ellipsoid", NULL };
_Static_assert(sizeof kind_words / sizeof kind_words[0] == SB_SOLID_KIND_COUNT + 1,
               "a word for every kind");

static void read_solid(sb_lua *lua, void *record);

/* clang-format off */
#define SOLID(member) offsetof(sb_solid, member)
static const sb_lua_field solid_fields[] = {
    { "kind",   SB_LUA_WORD,    false, SOLID(kind), .words = kind_words },
    { "centre", SB_LUA_FIGURES, false, SOLID(centre), -MAX_DISTANCE, MAX_DISTANCE, 3 },
    { "half",   SB_LUA_FIGURES, false, SOLID(half), MIN_DIVISOR, MAX_DISTANCE, 3 },
    { NULL },
};
#define HULL(member) offsetof(hull_draft, member)
static const sb_lua_field box_fields[] = {
    { "centre", SB_LUA_FIGURES, false, HULL(centre), -MAX_DISTANCE, MAX_DISTANCE, 3 },
    { "half",   SB_LUA_FIGURES, false, HULL(half), MIN_DIVISOR, MAX_DISTANCE, 3 },
    { "source", SB_LUA_WORD,    false, HULL(source), .words = sb_source_words },
    { "centre_source", SB_LUA_WORD, true, HULL(centre_source), .words = sb_source_words },
    { NULL },
};
static const sb_lua_field hull_fields[] = {
    { "box",    SB_LUA_GROUP, true, 0, .fields = box_fields },
    { "solids", SB_LUA_LIST,  true, 0, .count = SB_SOLIDS_MAX, .read = read_solid },
    { NULL },
};
/* clang-format on */

static void read_solid(sb_lua *lua, void *record)
{
    hull_draft *draft = record;
    sb_lua_read_fields(lua, solid_fields, &draft->solids[draft->solid_count]);
    draft->solid_count++;
}

void sb_ship_read_hull(sb_lua *lua, void *record)
{
    sb_ship_class *ship = record;
    hull_draft     draft;
    memset(&draft, 0, sizeof draft);
    sb_lua_read_fields(lua, hull_fields, &draft);
    memcpy(ship->box_centre, draft.centre, sizeof ship->box_centre);
    memcpy(ship->box_half, draft.half, sizeof ship->box_half);
    ship->box_source = draft.source;
    ship->centre_source =
        draft.centre_source == SB_SOURCE_NONE ? draft.source : draft.centre_source;
    ship->solids = sb_lua_copy(lua, draft.solids, draft.solid_count, sizeof draft.solids[0]);
    ship->solid_count = draft.solid_count;
}

bool sb_ship_has_box(const sb_ship_class *ship)
{
    return ship->box_half[0] > 0;
}

/* ---- the estimate ---- */

typedef struct span {
    float low[3], high[3];
} span;

static void widen(span *s, const sb_subsystem_class *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].has_position) continue;
        for (size_t axis = 0; axis < 3; axis++) {
            s->low[axis] = fminf(s->low[axis], parts[i].position[axis]);
            s->high[axis] = fmaxf(s->high[axis], parts[i].position[axis]);
        }
    }
}

static double half_diagonal(const span *s)
{
    double sum = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        double half = ((double)s->high[axis] - s->low[axis]) / 2;
        sum += half * half;
    }
    return sqrt(sum);
}

void sb_ship_estimate_box(sb_ship_class *ship)
{
    span all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    widen(&all, ship->subsystems, ship->subsystem_count);
    widen(&all, ship->children, ship->child_count);
    if (all.low[0] > all.high[0])
        all = (span){ .low = { -1, -1, -1 }, .high = { 1, 1, 1 } }; /* no part has a position */
    double diagonal = half_diagonal(&all), wanted = DIAGONAL_SHARE * (double)ship->bound_radius;
    double scale = diagonal > 0 ? wanted / diagonal : 1;
    for (size_t axis = 0; axis < 3; axis++) {
        double half = ((double)all.high[axis] - all.low[axis]) / 2 * scale;
        ship->box_centre[axis] = (all.low[axis] + all.high[axis]) / 2;
        ship->box_half[axis] = (float)fmax(half, MIN_SHARE * (double)ship->bound_radius);
    }
    ship->box_source = SB_SOURCE_ESTIMATE;
    ship->centre_source = SB_SOURCE_ESTIMATE;
}
