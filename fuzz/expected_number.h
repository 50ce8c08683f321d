/* fuzz/expected_number.h -- the sequence number that a host expects next from a peer.
 *
 * For:      harnesses that send messages with right and nearly right numbers.
 */
#ifndef SB_FUZZ_EXPECTED_NUMBER_H
#define SB_FUZZ_EXPECTED_NUMBER_H

#include <starbase/transport.h>

/* `data`: of the Data channel, else of the low channel. 0: there is no such peer. */
uint16_t expected_number(const sb_transport_host *host, uint8_t peer_id, bool data);

#endif
