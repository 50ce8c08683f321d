/* src/transport/host_depart.c -- Disconnects that wait for the silence of their peer.
 *
 * For:      host.
 * Tests:    tests/transport/host_depart_test.c
 * Spec:     01 §8.4; docs/decisions/forged-datagrams.md.
 */
#include "transport/host_internal.h"

void sb_transport_host_init_departure(sb_departure *departure, sb_time now)
{
    sb_departure_init(departure, now);
}

void sb_transport_host_start_departure(sb_transport_host *h, sb_peer *peer)
{
    sb_departure_start(&peer->departure, h->now);
}

void sb_transport_host_note_signs_of_life(sb_transport_host *h, sb_peer *peer,
                                          const sb_datagram *datagram)
{
    if (sb_departure_note(&peer->departure, h->now, datagram))
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_FORGED_DISCONNECT);
}
