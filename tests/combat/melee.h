/* tests/combat/melee.h -- a fight of eight players from one seed: they fly, fire, ram, cloak,
 * switch things off, die and come back.
 *
 * For:      determinism and conservation: no libm, no clock, nothing but the seed.
 */
#ifndef TESTS_COMBAT_MELEE_H
#define TESTS_COMBAT_MELEE_H

#include <starbase/combat.h>

#include "base/random.h"

enum { MELEE_PLAYERS = 8, MELEE_HULLS = 8, MELEE_BYTES = 256 * 1024 };

typedef struct melee_player {
    sb_ship  hulls[MELEE_HULLS]; /* the current ship, and wrecks that still drift */
    unsigned generation;
    sb_ship *ship; /* NULL: dead */
    unsigned wait; /* steps until the next ship */
} melee_player;

typedef struct melee {
    sb_combat   *combat;
    sb_random    random;
    sb_time      now;
    unsigned     deaths, hits;
    melee_player players[MELEE_PLAYERS];
    void (*on_event)(void *context, const sb_combat_event *event); /* may be NULL */
    void (*appears)(void *context, const sb_ship *ship);           /* may be NULL */
    void          *context;
    unsigned char *memory;
} melee;

/* There is one melee per program. */
melee *melee_new(uint64_t seed);
void   melee_start(melee *m, const sb_combat_config *config, bool trace_gains);
void   melee_step(melee *m);

#endif
