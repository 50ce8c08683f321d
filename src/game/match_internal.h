/* src/game/match_internal.h -- what match.c and scoring.c want of each other. */
#ifndef SB_GAME_MATCH_INTERNAL_H
#define SB_GAME_MATCH_INTERNAL_H

#include <starbase/match.h>

/* Whose points a peer id earns: the player who is here, else the last one who left with it.
 * NULL: nobody. */
sb_match_row *sb_match_find_owner(sb_match *match, uint8_t peer_id);
/* Shares in all ledgers: a returning player takes his along to a new id; a newcomer must not find
 * those of the player whose id he got. */
void sb_match_move_shares(sb_match *match, uint8_t from, uint8_t to);
void sb_match_drop_shares(sb_match *match, uint8_t peer_id);

#endif
