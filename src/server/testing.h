/* src/server/testing.h -- the check of a room's invariants.
 *
 * For:      tests, the simulator and the fuzz harness. Programs do not call it: it is slow.
 */
#ifndef SB_SERVER_TESTING_H
#define SB_SERVER_TESTING_H

#include <starbase/server.h>

/* Stops (SB_ASSERT) when two fields of the room contradict each other. The transport is checked,
 * too. To be called when sb_server_advance has returned and sb_server_write has nothing left. */
void sb_server_check(const sb_server *server);

#endif
