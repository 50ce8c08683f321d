/* src/lab/lab_internal.h -- a running experiment.
 *
 * lab.c     the scenario: memory, ships, the run
 * gunner.c  the attacker's weapons: when a ship of the game would fire which of them
 * helm.c    the attacker's motion
 */
#ifndef SB_LAB_INTERNAL_H
#define SB_LAB_INTERNAL_H

#include <starbase/lab.h>

enum { SB_LAB_ATTACKER, SB_LAB_TARGET, SB_LAB_SHIPS };

/* When a weapon system may act again, and which of its weapons has the next turn. Times are steps
 * since the action began. */
typedef struct sb_lab_turn {
    uint32_t next_step;
    uint32_t updates; /* done so far */
    uint8_t  next_child;
} sb_lab_turn;

typedef struct sb_lab {
    sb_lab_scenario scenario;
    sb_lab_observer observer;
    sb_combat      *combat;
    uint32_t        step;   /* since the action began */
    bool            silent; /* before time 0: no callbacks */
    bool            ended;
    sb_ship         ships[SB_LAB_SHIPS];
    float           turn_rate; /* of the attacker */

    /* Copies of the classes in which every part has an id: in list order, each entry and then its
     * children. That is the creation order of the game's ships (spec 08 §2.1). */
    sb_ship_class      models[SB_LAB_SHIPS];
    sb_subsystem_class subsystems[SB_LAB_SHIPS][SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[SB_LAB_SHIPS][SB_SHIP_CHILDREN_MAX];

    sb_lab_turn     turns[SB_SUBSYSTEMS_MAX];         /* of the attacker's systems */
    bool            has_fired[SB_SHIP_CHILDREN_MAX];  /* since the action began */
    uint32_t        fired_step[SB_SHIP_CHILDREN_MAX]; /* of the last shot */
    sb_weapon_state weapons[SB_SHIP_CHILDREN_MAX];
} sb_lab;

float    sb_lab_time(const sb_lab *lab);
uint32_t sb_lab_part_id(const sb_lab *lab, unsigned ship, unsigned index, int child);

/* ---- gunner.c ---- */
/* False: the attacker has no weapon for the scenario's action. */
bool sb_lab_has_weapon(const sb_lab *lab);
/* Gives the orders that stand from time 0 on: levels, torpedo type, beams. */
void sb_lab_open_fire(sb_lab *lab);
void sb_lab_cease_fire(sb_lab *lab);
/* Fires the bolts and torpedoes that are due before the next step. */
void sb_lab_fire(sb_lab *lab);

/* ---- helm.c ---- */
/* Moves the attacker for one step, if the scenario's action is one of the helm. `now`: the time at
 * the end of the step. */
void sb_lab_steer(sb_lab *lab, sb_time now);

#endif
