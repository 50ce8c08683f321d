/* src/transport/host_depart.c -- Disconnects that wait for the silence of their peer.
 *
 * For:      host. Anybody can forge a Disconnect: all of its fields can be guessed. A peer that
 *           really leaves falls silent, and a forger cannot silence a peer. So a Disconnect takes
 *           effect when the peer has been silent for a while, and anything else from the peer
 *           refutes it.
 * Tests:    tests/transport/host_depart_test.c
 * Spec:     01 §8.4; docs/decisions/forged-datagrams.md.
 */
#include "transport/host_internal.h"

enum { REFUTED_MANY = 3 }; /* refuted Disconnects after which only a long silence counts */

static const sb_time busy_silence = SB_SECOND;      /* of a peer that sent Data just before */
static const sb_time idle_silence = 6 * SB_SECOND;  /* an idle peer sends a NoOp every 5 s */
static const sb_time long_silence = 16 * SB_SECOND; /* three NoOps of an idle peer are missing */
/* A Disconnect can overtake datagrams that were sent before it by this time. */
static const sb_time overtaking_time = SB_SECOND / 2;
static const sb_time doubtful_silence = 12 * SB_SECOND; /* proves a departure that was refuted so */
static const sb_time refuted_memory = 60 * SB_SECOND;

void sb_transport_host_init_departure(sb_departure *d, sb_time now)
{
    *d = (sb_departure){ .at = SB_TIME_NEVER,
                         .received_at = now,
                         .data_at = now - idle_silence,
                         .refuted_at = now - refuted_memory };
}

static bool is_target(const sb_departure *d, sb_time now)
{
    return d->refuted_count >= REFUTED_MANY && now - d->refuted_at < refuted_memory;
}

static sb_time silence_needed(const sb_departure *d, sb_time now)
{
    if (is_target(d, now)) return long_silence;
    return now - d->data_at < SB_SECOND ? busy_silence : idle_silence;
}

void sb_transport_host_start_departure(sb_transport_host *h, sb_peer *peer)
{
    sb_departure *d = &peer->departure;
    if (d->at != SB_TIME_NEVER) return; /* a repeat */
    d->at = h->now + silence_needed(d, h->now);
    d->received_at = h->now;
}

/* The peer goes on, so its Disconnect was forged, or it has overtaken a datagram on its way. */
static void refute(sb_transport_host *h, sb_departure *d)
{
    SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_FORGED_DISCONNECT);
    d->at = SB_TIME_NEVER;
    if (h->now - d->refuted_at >= refuted_memory) d->refuted_count = 0;
    if (d->refuted_count < UINT8_MAX) d->refuted_count++;
    d->refuted_at = h->now;
    d->doubtful = h->now - d->received_at < overtaking_time && !is_target(d, h->now);
}

/* Kinds of messages in a datagram, apart from Acks. */
typedef struct contents {
    bool disconnect, data, anything_else;
} contents;

static contents find_contents(const sb_datagram *datagram)
{
    contents             found = { .anything_else = datagram->message_count == 0 };
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (m.type == SB_TRANSPORT_DISCONNECT) found.disconnect = true;
        else if (m.type == SB_TRANSPORT_DATA) found.data = true;
        else if (m.type != SB_TRANSPORT_ACK) found.anything_else = true;
    }
    return found;
}

void sb_transport_host_note_signs_of_life(sb_transport_host *h, sb_peer *peer,
                                          const sb_datagram *datagram)
{
    sb_departure *d = &peer->departure;
    contents      found = find_contents(datagram);
    if (found.data) d->data_at = h->now;
    if (found.disconnect || !(found.data || found.anything_else)) return;
    if (d->at != SB_TIME_NEVER) refute(h, d);
    else if (h->now - d->received_at >= overtaking_time) d->doubtful = false;
}

sb_time sb_transport_host_departs_at(const sb_peer *peer)
{
    const sb_departure *d = &peer->departure;
    if (d->at != SB_TIME_NEVER) return d->at;
    return d->doubtful ? peer->link.heard_at + doubtful_silence : SB_TIME_NEVER;
}
