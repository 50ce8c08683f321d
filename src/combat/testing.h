/* src/combat/testing.h -- a function that asserts the invariants of the simulation.
 *
 * For:      tests, the simulator and fuzz harnesses, after every call or step.
 * Never:    called by programs: it visits every field and is slow.
 */
#ifndef SB_COMBAT_TESTING_H
#define SB_COMBAT_TESTING_H

#include <starbase/combat.h>

/* Asserts every invariant. Must not be called from `on_event`: in the middle of a step some do not
 * hold, because ships are dying and hits are not announced yet. */
void sb_combat_check(const sb_combat *combat);

#endif
