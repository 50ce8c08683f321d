/* src/combat/testing.h -- the invariants of the simulation, as a function.
 *
 * For:      tests, the simulator and fuzz harnesses, after every call or step.
 * Never:    programs: it looks at everything and is slow.
 */
#ifndef SB_COMBAT_TESTING_H
#define SB_COMBAT_TESTING_H

#include <starbase/combat.h>

/* Stops (SB_ASSERT) when two fields inside contradict each other. Not from within `on_event`: in
 * the middle of a step ships are dying and hits are not announced yet. */
void sb_combat_check(const sb_combat *combat);

#endif
