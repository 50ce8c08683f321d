/* src/transport/link_trust.h -- what a session believes of messages that anybody could have sent.
 *
 * For:      link.c and link_trust.c.
 * Spec:     01 §10.8.
 */
#ifndef SB_TRANSPORT_LINK_TRUST_H
#define SB_TRANSPORT_LINK_TRUST_H

#include "transport/link.h"

/* Would the message end the session of this end? Those about other players do not. */
bool sb_link_is_farewell(const sb_link *link, const sb_transport_message *message);
/* Takes a message that the peer is known to have sent: it replaces whatever has its number. False:
 * it must wait until a dispute is over, or for another copy. */
bool sb_link_take_proven(sb_link *link, sb_time now, const sb_transport_message *message);
/* Decides about a message that anybody could have sent; true: it goes the usual way. `late`: it is
 * delivered although its number is used up. */
bool sb_link_take_unproven(sb_link *link, sb_time now, const sb_transport_message *message,
                           bool *late);
/* A message that was stored is delivered: if it is kept, too, or has come again, further copies are
 * no news, whatever else is delivered under its number. */
void sb_link_note_delivered(sb_link *link, sb_time now, const sb_transport_message *message);
/* The message was delivered or stored, without an Ack: its copies decide nothing any more. */
void sb_link_note_accepted(sb_link *link, sb_time now, const sb_transport_message *message);
/* Keeps a message that does not count, if its sender may take an Ack of another one with its number
 * for its own. */
void sb_link_keep_crossed(sb_link *link, sb_time now, const sb_transport_message *message);
/* Delivers the next message that was kept and that has come often enough, or whose copies have
 * ended with an Ack; `buffer` gets its payload. False: there is none. */
bool sb_link_next_ended(sb_link *link, sb_time now, uint8_t *buffer, sb_transport_message *out);
/* Queues an Ack. */
void sb_link_acknowledge(sb_link *link, sb_time now, const sb_transport_message *message);
/* May a message count although anybody could have sent it? For a cautious client, control messages
 * and fragments count only with proof: numbers of control messages are small and easy to guess, and
 * nothing contradicts a forged one until the host uses its number; a forged fragment spoils the
 * whole message. The host repeats its own one together with the answer to the marks. */
bool sb_link_confirm(sb_link *link, sb_time now, const sb_transport_message *message);

/* A message that anybody could have sent, and that was delivered or stored: may it be acknowledged
 * when it comes again, though there is evidence of forgeries? */
bool sb_link_decide_second_ack(sb_link *link, sb_time now, const sb_transport_message *message);

/* During an attack, an Ack of a forgery would make the peer give up its own message of that number.
 * So what anybody could have sent is not acknowledged, or only when it comes again, if the peer
 * does not send marks beside its messages and no number was stolen. */
static inline bool sb_link_decide_ack(sb_link *link, sb_time now, sb_verdict verdict, bool proven,
                                      const sb_transport_message *m)
{
    if (!sb_verdict_is_acknowledged(verdict)) return false;
    if (proven || !sb_marks_is_on(&link->marks, now)) return true;
    return verdict > SB_VERDICT_STORED && sb_link_decide_second_ack(link, now, m);
}

#endif
