/* src/discovery/testing.h -- the invariants of the responder and of a collected answer.
 *
 * For:      tests and fuzz harnesses, after each step.
 * Never:    called in release paths: each function reads everything it is given.
 */
#ifndef SB_DISCOVERY_TESTING_H
#define SB_DISCOVERY_TESTING_H

#include <starbase/discovery.h>

/* Each stops the program (SB_ASSERT) when two fields contradict each other. */
void sb_responder_check(const sb_responder *responder);
void sb_found_check(const sb_found *found);

#endif
