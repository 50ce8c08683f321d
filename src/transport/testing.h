/* src/transport/testing.h -- functions for tests, the simulator and the fuzz harness only.
 *
 * For:      checking every invariant, and starting sequence numbers just below their wrap.
 */
#ifndef SB_TRANSPORT_TESTING_H
#define SB_TRANSPORT_TESTING_H

#include <starbase/transport.h>

/* Asserts every invariant of an endpoint. Slow: visits every entry. */
void sb_transport_host_check(const sb_transport_host *host);
void sb_transport_client_check(const sb_transport_client *client);

/* Sets the next sequence numbers of the Data channel to send and to expect. Only while that channel
 * has nothing queued, in flight or stored; the other end must set the same two numbers swapped. */
void sb_transport_host_set_numbers(sb_transport_host *host, uint8_t peer_id, uint16_t send,
                                   uint16_t expect);
void sb_transport_client_set_numbers(sb_transport_client *client, uint16_t send, uint16_t expect);

/* Is the message that the Ack names in flight? */
bool sb_transport_host_expects(const sb_transport_host *host, uint8_t peer_id,
                               const sb_transport_message *ack);
bool sb_transport_client_expects(const sb_transport_client  *client,
                                 const sb_transport_message *ack);
/* Was a message under the number that the Ack names delivered, or is it stored? */
bool sb_transport_host_has(const sb_transport_host *host, uint8_t peer_id,
                           const sb_transport_message *ack);
bool sb_transport_client_has(const sb_transport_client *client, const sb_transport_message *ack);
/* Does the next datagram that the host writes belong to no session? */
bool sb_transport_host_is_replying(const sb_transport_host *host);

#endif
