/* tests/combat/rig.h -- a simulation with ships, and a record of all its events.
 *
 * Ship n has object id RIG_SHIP(n) and peer id n + 2; time starts at 0.
 */
#ifndef TESTS_COMBAT_RIG_H
#define TESTS_COMBAT_RIG_H

#include <starbase/combat.h>

#include "combat/combat_internal.h"
#include "test.h"

enum { RIG_SHIPS = 64, RIG_EVENTS = 4096, RIG_SET = 7 };
enum {
    SOVEREIGN = 5,
    AKIRA = 1,
    GALAXY = 3,
    BIRD_OF_PREY = 6,
    VORCHA = 7,
    WARBIRD = 8,
    GALOR = 10
};

#define RIG_SHIP(n)  (0x3FFFFFFFu + ((uint32_t)(n) << 18))
#define RIG_OWNER(n) ((uint8_t)((n) + 2))

extern const sb_vec3 rig_origin;
extern const sb_cv3  rig_ahead; /* +y */
extern const sb_cv4b rig_no_aim;

typedef struct rig {
    sb_combat_config config;
    sb_combat       *combat;
    sb_time          now;
    sb_ship          ships[RIG_SHIPS];
    size_t           event_count; /* since the last rig_forget; may exceed RIG_EVENTS */
    sb_combat_event  events[RIG_EVENTS];
} rig;

/* Returns the only rig, reset to defaults and without ships. Change config, then rig_start. */
rig *rig_new(void);
void rig_start(rig *r, bool trace_gains);
/* rig_new with defaults, and rig_start. */
rig *rig_default(void);
/* The same with SB_POWER_STRICT: systems work with the share of power that they get. */
rig *rig_strict(void);

/* A fresh ship at `place`, nose along +y. */
sb_ship *rig_add(rig *r, unsigned n, uint8_t species, sb_vec3 place);
/* The same with a class that is not in the stock set. `model` is borrowed. */
sb_ship *rig_add_class(rig *r, unsigned n, const sb_ship_class *model, sb_vec3 place);

/* A class with lists of its own, which tests may change. */
typedef struct rig_class {
    sb_ship_class      model;
    sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[SB_SHIP_CHILDREN_MAX];
    sb_weapon_class    figures[SB_SHIP_CHILDREN_MAX]; /* of each child that is a weapon */
    sb_ordnance        ordnance[8];
} rig_class;

/* A copy of a stock class. There is one: the next call overwrites it. */
rig_class *rig_copy_class(uint8_t species);
/* A class that fills every table: 32 entries, 96 children, 48 weapons, all ids known, in list
 * order. Its figures are those of a Vor'cha. Overwrites the class of rig_copy_class. */
rig_class *rig_full_class(void);
enum { /* entries of the full class; each weapon system has eight weapons */
       FULL_PHASERS = 0,
       FULL_CANNONS = 1,
       FULL_TUBES = 2,
       FULL_TRACTORS = 3,
       FULL_MORE_TRACTORS = 30,
       FULL_MORE_PHASERS = 31,
       FULL_SYSTEM = 8 /* weapons */
};
/* Moves a ship, as an update of its owner does. */
void rig_move(rig *r, unsigned n, sb_vec3 place, sb_vec3 forward, sb_vec3 up, float speed);
void rig_steps(rig *r, unsigned count);
void rig_seconds(rig *r, float seconds);

void rig_forget(rig *r); /* deletes the recorded events */
/* The n-th event of a type (n from 0); NULL: none. */
const sb_combat_event *rig_event(const rig *r, sb_combat_event_type type, unsigned n);
unsigned               rig_count(const rig *r, sb_combat_event_type type);
double                 rig_sum(const rig *r, sb_combat_event_type type); /* of amounts */

sb_fighter *rig_fighter(rig *r, unsigned n);
unsigned    rig_entry(const sb_ship *ship, sb_subsystem_type type);
/* Index in model->children of the child with this name; fails the test if there is none. */
unsigned   rig_child(const sb_ship *ship, const char *name);
sb_weapon *rig_weapon(rig *r, unsigned n, const char *name);
/* Id of a subsystem by type of the entry, and child of it or -1. */
uint32_t rig_id(rig *r, unsigned n, sb_subsystem_type type, int child);
/* A ship of `species` at the origin, and a target this far ahead. */
rig *rig_duel(uint8_t species, uint8_t target_species, float distance);
/* A ship of the full class at the origin, and a Galaxy ahead of all its weapons. */
rig *rig_full_duel(void);
/* The id of a part of ship 0 by the place of its entry, and child of it or -1; 0: not known. */
uint32_t rig_entry_id(rig *r, unsigned entry, int child);
/* Weapons that fire, of the eight of this entry of ship 0. */
unsigned rig_firing_of(rig *r, unsigned entry);
/* A Vor'cha, which has weapons of all kinds, and two targets before its one beam. */
rig *rig_ambush(void);
/* Ship n orders the weapon system at this place of its list to fire. */
void rig_fire_entry(rig *r, unsigned n, unsigned entry, uint32_t target);
/* Ship n orders its weapon system of this type to fire. */
void rig_start_firing(rig *r, unsigned n, sb_subsystem_type type, uint32_t target);
/* Ship 0 holds ship 1 with its tractors. Sets the order itself: not all tractor ids are known. */
void rig_hold(rig *r);
/* Ship 0 fires a torpedo or a bolt. */
void rig_fire_tube(rig *r, int tube, uint8_t type, sb_cv3 way, uint32_t target);
void rig_fire_cannon(rig *r, int cannon, uint8_t type, sb_cv3 way, uint32_t target);
/* Banks of ship n that fire. */
unsigned rig_firing_banks(rig *r, unsigned n);
/* The ship that the next strike of a beam hits; 0: no beam strikes within 40 steps. */
uint32_t rig_beam_victim(rig *r);
/* All facings to this many HP. */
void rig_facings(sb_ship *ship, float hp);
/* A torpedo without an owner hits ship n, which comes from the direction `outward` in the ship's
 * axes and is aimed at the Hull entry. */
void rig_strike(rig *r, unsigned n, sb_vec3 outward, float search, float damage);

void rig_near(const char *file, int line, const char *text, double actual, double expected,
              double margin);
#define CHECK_NEAR(actual, expected, margin)                                                       \
    rig_near(__FILE__, __LINE__, #actual, (double)(actual), (double)(expected), (double)(margin))

#endif
