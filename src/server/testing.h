/* src/server/testing.h -- the check of a room's invariants, and what only tests ask for.
 *
 * For:      tests, the simulator and the fuzz harness. Programs do not call it: it is slow.
 */
#ifndef SB_SERVER_TESTING_H
#define SB_SERVER_TESTING_H

#include <starbase/server.h>

/* Stops (SB_ASSERT) when two fields of the room or of its transport contradict each other. Call it
 * after sb_server_advance, when sb_server_write has nothing left to write. */
void sb_server_check(const sb_server *server);

/* How far the room thinks that the game clock of the peer is ahead of its own (spec 03 §9);
 * SB_LEAD_UNKNOWN (src/replica/sender_clock.h): it has no update of this peer. */
sb_time sb_server_lead(const sb_server *server, uint8_t peer_id);

#endif
