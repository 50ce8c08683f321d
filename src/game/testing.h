/* src/game/testing.h -- the invariants of a match.
 *
 * For:      tests and the server's own check, after each step.
 * Never:    called in release paths: it reads the whole table and every ledger.
 */
#ifndef SB_GAME_TESTING_H
#define SB_GAME_TESTING_H

#include <starbase/match.h>

/* Stops the program (SB_ASSERT) when two fields contradict each other. */
void sb_match_check(const sb_match *match);

#endif
