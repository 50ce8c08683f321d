/* src/base/packet.h -- one captured UDP datagram with its time and its addresses.
 *
 * For:      src/load, which reads capture files, and src/inspect, which decodes the datagrams.
 */
#ifndef SB_BASE_PACKET_H
#define SB_BASE_PACKET_H

#include <starbase/base.h>

typedef struct sb_packet {
    int64_t     time_us; /* since the epoch */
    sb_endpoint source, destination;
    sb_span     payload; /* lent by the maker of the packet */
} sb_packet;

static inline bool sb_endpoints_equal(sb_endpoint a, sb_endpoint b)
{
    return a.address == b.address && a.port == b.port;
}

#endif
