/* src/server/testing.h -- the check of a room's invariants.
 *
 * For:      tests, the simulator and the fuzz harness. Programs do not call it: it is slow.
 */
#ifndef SB_SERVER_TESTING_H
#define SB_SERVER_TESTING_H

#include <starbase/server.h>

/* Stops (SB_ASSERT) when two fields of the room or of its transport contradict each other. Call it
 * after sb_server_advance, when sb_server_write has nothing left to write. */
void sb_server_check(const sb_server *server);

#endif
