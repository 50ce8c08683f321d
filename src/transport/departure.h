/* src/transport/departure.h -- a message that ends a session waits for the silence of its sender.
 *
 * For:      host (Disconnects of its peers) and client (Boots and Disconnects of its host). Anybody
 *           can forge such a message: all of its fields can be guessed. An end that really leaves
 *           falls silent, and a forger cannot silence it. So the message takes effect when the
 *           other end has been silent for a while, and anything else from there refutes it.
 * Tests:    tests/transport/host_depart_test.c, client_departure_test.c
 * Spec:     01 §8.4; docs/decisions/forged-datagrams.md.
 */
#ifndef SB_TRANSPORT_DEPARTURE_H
#define SB_TRANSPORT_DEPARTURE_H

#include <starbase/base.h>
#include <starbase/datagram.h>

typedef struct sb_departure {
    sb_time at;            /* when it takes effect; SB_TIME_NEVER: none waits */
    sb_time received_at;   /* when the last one began to wait */
    sb_time busy_at;       /* when the other end was last known to send all the time */
    sb_time refuted_at;    /* when the last one was refuted */
    uint8_t refuted_count; /* refuted with at most 60 s between them; stops at 255 */
    bool    doubtful;      /* refuted by a datagram that the message may have overtaken */
} sb_departure;

void sb_departure_init(sb_departure *departure, sb_time now);
/* A message that ends the session has arrived; repeats change nothing. */
void sb_departure_start(sb_departure *departure, sb_time now);
/* The silence that a message takes now. */
sb_time sb_departure_silence(const sb_departure *departure, sb_time now);
/* The same as sb_departure_start, with another silence. */
void sb_departure_start_after(sb_departure *departure, sb_time now, sb_time silence);
/* The other end sends many datagrams for each second: a short silence proves that it left. */
void sb_departure_note_busy(sb_departure *departure, sb_time now);
/* Does a message wait, or leave a doubt? */
static inline bool sb_departure_is_open(const sb_departure *d)
{
    return d->at != SB_TIME_NEVER || d->doubtful;
}
/* The other end still acknowledges, as simple programs do that have left: the message that waits
 * takes a long silence. */
void sb_departure_prolong(sb_departure *departure);
/* The other end goes on: the message was forged, or it has overtaken a datagram on its way. False:
 * no message waits. */
bool sb_departure_refute(sb_departure *departure, sb_time now);
/* Notes a datagram of the other end; true: it refutes the message that waited. */
bool sb_departure_note(sb_departure *departure, sb_time now, const sb_datagram *datagram);
/* When the session ends if nothing more arrives; SB_TIME_NEVER: no message waits. */
sb_time sb_departure_ends_at(const sb_departure *departure, sb_time heard_at);

#endif
