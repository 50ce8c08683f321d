/* src/transport/testing.h -- what tests, the simulator and the fuzz harness may do that programs
 * may not: look at every invariant, and start the counters just below their wrap.
 */
#ifndef SB_TRANSPORT_TESTING_H
#define SB_TRANSPORT_TESTING_H

#include <starbase/transport.h>

/* Stops (SB_ASSERT) when anything inside contradicts anything else. Slow: looks at everything. */
void sb_transport_host_check(const sb_transport_host *host);
void sb_transport_client_check(const sb_transport_client *client);

/* Sets the next number of the data channel to send and to expect. Only while nothing of that
 * channel is on its way, stored or queued; the other end must do the mirror of it. */
void sb_transport_host_set_numbers(sb_transport_host *host, uint8_t peer_id, uint16_t send,
                                   uint16_t expect);
void sb_transport_client_set_numbers(sb_transport_client *client, uint16_t send, uint16_t expect);

#endif
