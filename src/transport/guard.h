/* src/transport/guard.h -- reliable messages of a peer in whose name somebody forges datagrams.
 *
 * For:      link. A forger who does not hear the peer can still guess its sequence numbers. While
 *           there is evidence of forgeries, a reliable message counts only when its second copy
 *           arrives. The first copy gets no Ack: the true sender repeats it after a timeout, and a
 *           forger does not know which of its guesses met a window.
 * Never:    loses a message of the peer: it costs one retransmission while the attack lasts.
 * Tests:    tests/transport/guard_test.c
 * Spec:     01 §10.8.
 */
#ifndef SB_TRANSPORT_GUARD_H
#define SB_TRANSPORT_GUARD_H

#include <starbase/base.h>
#include <starbase/datagram.h>

enum {
    SB_GUARD_ACCEPTED = 8, /* latest accepted messages of a channel, to recognise rivals of them */
    SB_GUARD_SETS = 16,    /* first copies that wait for the second one: sets of ... */
    SB_GUARD_WAYS = 4,     /* ... that many */
};

typedef struct sb_guard_accepted {
    uint16_t seq, digest; /* digest 0: none; a part of it is enough */
} sb_guard_accepted;

typedef struct sb_guard {
    sb_time           attacked_until;
    uint32_t          turn;                           /* chooses the copy that a new one replaces */
    sb_guard_accepted accepted[2][SB_GUARD_ACCEPTED]; /* by channel: Data, low */
    uint32_t          copies[SB_GUARD_SETS][SB_GUARD_WAYS]; /* digest << 8 | time of arrival */
} sb_guard;

void sb_guard_init(sb_guard *guard);
/* There is evidence of a forgery: something in the peer's name that the peer never sends. */
void sb_guard_suspect(sb_guard *guard, sb_time now);
/* May the reliable message be accepted now? `ahead`: its distance from the expected number. */
bool sb_guard_admits(sb_guard *guard, sb_time now, const sb_transport_message *message, int ahead);
/* Records that the message was accepted: delivered or stored. */
void sb_guard_note_accepted(sb_guard *guard, const sb_transport_message *message);

#endif
