/* src/replica/testing.h -- the invariants of frames, lanes, receivers and the replica.
 *
 * For:      tests, the simulator, fuzz harnesses and the server's own check, after each step.
 * Never:    called in release paths: each function reads everything it is given.
 */
#ifndef SB_REPLICA_TESTING_H
#define SB_REPLICA_TESTING_H

#include <starbase/replica.h>

/* Each stops the program (SB_ASSERT) when two fields contradict each other. */
void sb_frame_check(const sb_ship_frame *frame);
void sb_lane_check(const sb_lane *lane, const sb_ship_frame *frame, const sb_lane_options *options);
void sb_receiver_check(const sb_receiver *receiver);
/* Checks every frame and lane of the replica as well. */
void sb_replica_check(const sb_replica *replica);

#endif
