/* src/admin/idle.h -- which players of a room do nothing, and what follows.
 *
 * For:      apps/serve, which looks at the players of a room every few seconds.
 * May use:  nothing but base: time and players are arguments.
 * Never:    removes anybody: it says what to do.
 * Tests:    tests/admin/idle_test.c
 */
#ifndef SB_ADMIN_IDLE_H
#define SB_ADMIN_IDLE_H

#include <starbase/base.h>

enum { SB_IDLE_PLAYERS_MAX = 16 }; /* as SB_SERVER_PLAYERS_MAX */

typedef enum sb_idle_step {
    SB_IDLE_NOTHING,
    SB_IDLE_WARNS,     /* once for each time that a player stops doing anything */
    SB_IDLE_REMOVES,   /* the player leaves the server */
    SB_IDLE_DISMISSES, /* the player's ship is destroyed */
} sb_idle_step;

typedef struct sb_idle_rule {
    sb_time warn, limit; /* 0: never */
    bool    to_lobby;    /* the limit destroys the ship instead of removing the player */
} sb_idle_rule;

typedef struct sb_idle_player {
    sb_time active_at;         /* at the last look; 0: not seen yet */
    bool    warned, dismissed; /* since then */
} sb_idle_player;

typedef struct sb_idle {
    sb_idle_player players[SB_IDLE_PLAYERS_MAX]; /* by slot */
} sb_idle;

/* Looks at one player in the game. `flying`: the player has a living ship. */
sb_idle_step sb_idle_look(sb_idle *idle, const sb_idle_rule *rule, uint8_t slot, sb_time active_at,
                          bool flying, sb_time now);
/* True if the rule can have an effect. */
bool sb_idle_is_on(const sb_idle_rule *rule);

#endif
