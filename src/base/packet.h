/* src/base/packet.h -- one UDP datagram as it was seen on its way, with time and addresses.
 *
 * For:      host/, which takes datagrams out of captures, and inspect/, which reads them.
 */
#ifndef SB_BASE_PACKET_H
#define SB_BASE_PACKET_H

#include <starbase/base.h>

typedef struct sb_packet {
    int64_t     time_us; /* since the epoch */
    sb_endpoint source, destination;
    sb_span     payload; /* lent by whoever made the packet */
} sb_packet;

static inline bool sb_endpoints_equal(sb_endpoint a, sb_endpoint b)
{
    return a.address == b.address && a.port == b.port;
}

#endif
