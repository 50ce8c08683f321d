/* tests/client/pilot_scene.h -- one moment in the life of a pilot: a ship of a class with round
 * figures, others around it, and the view that the pilot has of them.
 *
 * For:      tests of single decisions. They call the functions of client/pilot_internal.h with the
 *           scene's pilot and view; a test of behaviour over time uses pilot_world.h alone.
 */
#ifndef TEST_PILOT_SCENE_H
#define TEST_PILOT_SCENE_H

#include "pilot_world.h"

#include "client/pilot_internal.h"

/* Entries of the class, and the first child of each. */
enum {
    HULL,
    SHIELD,
    REACTOR,
    IMPULSE,
    CLOAK,
    BEAMS,
    CANNONS,
    TUBES,
    TRACTOR,
    SENSORS,
    SCENE_ENTRIES,
    FIRST_ENGINE = 0,
    FIRST_BANK = 2, /* ahead, astern */
    FIRST_CANNON = 4,
    FIRST_TUBE = 6, /* ahead, astern */
    FIRST_PROJECTOR = 8,
    SCENE_CHILDREN = 9,
};

/* Top speed 10, 1 per second more; turn rate 0.5, 0.25 per second more; radius 4, mass 100; six
 * shields of 1000; main battery 1000, conduit 100; backup battery 200, conduit 20; the entries draw
 * 90 per second, cloak and tractor 30 each. A test may change all of it. */
typedef struct scene {
    world         w;
    sb_client    *me;
    sb_pilot     *pilot;
    sb_ship      *ship;
    sb_ship_class model;
    sb_view       view;
    /* Of the class. Arrays of their own, so that a sanitizer sees an index behind the end. */
    sb_subsystem_class *entries, *children;
    sb_weapon_class    *weapons;
    sb_ordnance        *ordnance; /* photon torpedoes: 500 at 19; disruptor bolts: 400 at 43 */
} scene;

/* Our ship at rest in the origin, nose along +y, nobody else there. */
void scene_init(scene *s, sb_skill skill);
/* Another ship of the same class at rest, nose along +y. */
sb_client *scene_add(scene *s, sb_vec3 position);
/* Builds the view anew. Nobody is the target. */
sb_view *scene_look(scene *s);
/* ... with `target` as target and threat. */
sb_view *scene_aim(scene *s, const sb_client *target);

/* The shortest and the longest of many random times; all zero: none yet. */
typedef struct spread {
    unsigned count;
    sb_time  shortest, longest;
} spread;

void spread_add(spread *spread, sb_time time);
/* All times were `least` or more and less than `most`, and some came within 2 % of either end. */
void spread_check(const spread *spread, sb_time least, sb_time most);

bool is_near(float a, float b, float tolerance);
bool is_same_vector(sb_vec3 a, sb_vec3 b);

#endif
