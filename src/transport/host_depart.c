/* src/transport/host_depart.c -- Disconnects that wait for the silence of their peer.
 *
 * For:      host.
 * Tests:    tests/transport/host_depart_test.c
 * Spec:     01 §8.4; docs/decisions/forged-datagrams.md.
 */
#include "transport/host_internal.h"

/* A stock client that leaves answers for 4.2 s more (spec 01 §8.4): answers after 5 s are of one
 * that stays. An idle client sends a NoOp 5 s after its last datagram, and that refutes a forged
 * Disconnect. Its answers to marks would put the NoOp off, so it is asked a little later. */
static const sb_time farewell_time = 5 * SB_SECOND;
static const sb_time ask_after = 26 * SB_SECOND / 5;
/* A peer that is known to answer is asked a dozen times in this time. */
static const sb_time answering_silence = 8 * SB_SECOND;

/* Messages that were on their way, or that we did not acknowledge, may have refuted a true one. */
static const sb_time goodbye_memory = 12 * SB_SECOND;

bool sb_transport_host_said_goodbye(const sb_transport_host *h, const sb_peer *peer)
{
    const sb_departure *d = &peer->departure;
    return sb_departure_is_open(d) || h->now - d->refuted_at < goodbye_memory;
}

void sb_transport_host_start_departure(sb_transport_host *h, sb_peer *peer)
{
    sb_time silence = sb_departure_silence(&peer->departure, h->now);
    if (peer->departure.at != SB_TIME_NEVER) return; /* a repeat */
    if (peer->link.marks.ever_answered && silence > answering_silence) silence = answering_silence;
    peer->farewell_answers = 0;
    sb_departure_start_after(&peer->departure, h->now, silence);
    sb_marks_request_later(&peer->link.marks, h->now, h->now + ask_after);
}

/* A peer that is asked again and again sends no NoOp: without evidence of forgeries, one answer or
 * any other sign of life is enough. */
static void stop_asking(const sb_transport_host *h, sb_peer *peer)
{
    if (!sb_marks_is_on(&peer->link.marks, h->now)) sb_marks_stop_asking(&peer->link.marks, h->now);
}

/* Two Acks of marks are enough, in any datagrams: a forger who guesses them only keeps the seat of
 * somebody who has left. */
static bool take_answers(const sb_transport_host *h, sb_peer *peer, const sb_datagram *datagram,
                         unsigned mark_acks)
{
    if (datagram->kinds & SB_HAS_FAREWELL) return false;
    if (h->now - peer->departure.received_at < farewell_time) return false;
    peer->farewell_answers = (uint16_t)(peer->farewell_answers + mark_acks);
    return peer->farewell_answers >= 2;
}

void sb_transport_host_note_signs_of_life(sb_transport_host *h, sb_peer *peer,
                                          const sb_datagram *datagram, unsigned mark_acks)
{
    sb_departure *d = &peer->departure;
    bool          answered = take_answers(h, peer, datagram, mark_acks);
    if (answered && !sb_marks_is_on(&peer->link.marks, h->now)) {
        sb_departure_prolong(d);
        stop_asking(h, peer);
        answered = false;
    }
    if (!answered && sb_link_has_only_repeats(&peer->link, h->now, datagram)) return;
    if (answered ? sb_departure_refute(d, h->now) : sb_departure_note(d, h->now, datagram)) {
        SB_COUNT(h->counters.values, SB_TRANSPORT_COUNT_FORGED_DISCONNECT);
        stop_asking(h, peer);
    }
}
