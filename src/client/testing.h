/* src/client/testing.h -- the client's invariants, for tests, the simulator and the fuzz harness.
 *
 * For:      callers that check a client after every step.
 * Never:    part of the public API: programs do not include this file.
 */
#ifndef SB_CLIENT_TESTING_H
#define SB_CLIENT_TESTING_H

#include <starbase/client.h>

/* Stops (SB_ASSERT) when two fields of the client contradict each other. Slow: it looks at every
 * row. Call it between two calls of the client, never from `on_event`. */
void sb_client_check(const sb_client *client);
/* True if the client acts on messages with this opcode. */
bool sb_client_handles(uint8_t opcode);

#endif
