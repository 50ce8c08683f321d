/* src/game/match_internal.h -- functions that match.c and scoring.c share. */
#ifndef SB_GAME_MATCH_INTERNAL_H
#define SB_GAME_MATCH_INTERNAL_H

#include <starbase/match.h>

/* The row that gets the points of a peer id: the row of the present player, else of the player who
 * left last under this id. NULL: none. */
sb_match_row *sb_match_find_owner(sb_match *match, uint8_t peer_id);
/* Moves the shares of a returning player, in all ledgers, to the new id. */
void sb_match_move_shares(sb_match *match, uint8_t from, uint8_t to);
/* Adds the shares of `from`, in all ledgers, to those of `to`. */
void sb_match_merge_shares(sb_match *match, uint8_t from, uint8_t to);
/* Adds `gain` within the range of an i32. */
void sb_match_add_saturated(int32_t *total, int32_t gain);
/* Removes all shares under an id before a newcomer gets it. */
void sb_match_drop_shares(sb_match *match, uint8_t peer_id);

#endif
