/* fuzz/expected_number.c -- looks into the inbox of a peer.
 *
 * For:      expected_number.h.
 */
#include "expected_number.h"

#include "transport/host_internal.h"

uint16_t expected_number(const sb_transport_host *host, uint8_t peer_id, bool data)
{
    uint16_t index = peer_id < SB_ID_LIMIT ? host->peer_by_id[peer_id] : SB_NO_PLACE;
    if (index == SB_NO_PLACE) return 0;
    sb_channel_name channel = data ? SB_CHANNEL_DATA : SB_CHANNEL_LOW;
    return host->peers[index].link.inbox.channels[channel].expected;
}
