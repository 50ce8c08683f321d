/* src/inspect/conversation.h -- the traffic between one client and its host, seen from outside.
 *
 * For:      the dissector.
 * Never:    answers, acknowledges or drops anything.
 * Spec:     01 §5-§6, 03 §4.2, 07 §1.
 */
#ifndef SB_INSPECT_CONVERSATION_H
#define SB_INSPECT_CONVERSATION_H

#include <starbase/datagram.h>
#include <starbase/layout.h>
#include <starbase/ship_state.h>

#include "base/packet.h"
#include "inspect/sequence.h"

enum {
    SB_FRAGMENT_ACKS = 32,                    /* newest Acks of fragments kept per direction */
    SB_SESSION_SILENCE_US = 12 * 1000 * 1000, /* a Connect after this silence starts a new session
                                                 (spec 01 §5.2) */
};

/* One direction of a conversation. The sequence numbers and Acks belong to a session; the evidence
 * about the sender's shield layout outlasts it. */
typedef struct sb_flow {
    sb_sequence sent[2], acked[2]; /* 0: data channel, 1: low channel */
    uint32_t    fragment_acks[SB_FRAGMENT_ACKS];
    unsigned    next_fragment_ack;

    sb_layout_evidence shields;
} sb_flow;

typedef struct sb_conversation {
    sb_endpoint host, client;
    uint64_t    session;     /* unique among all sessions of all conversations */
    bool        ended;       /* the client sent Disconnect */
    bool        has_traffic; /* a message of this session was seen */
    bool        has_connect;
    uint32_t    connect_hash; /* hash of the payload of the Connect that started the session */
    int64_t     client_last_us;
    int         slot;     /* the client's slot (spec 07 §1), or SB_NO_SLOT */
    sb_flow     flows[2]; /* 0: from the client, 1: from the host */
} sb_conversation;

/* The capture may start in the middle of a session, so any first sequence number is accepted. */
void sb_conversation_init(sb_conversation *c, sb_endpoint host, sb_endpoint client,
                          uint64_t session);

/* True if this message of the client starts a new session: it is a Connect and no retransmission.
 * The caller then calls sb_conversation_restart. */
bool sb_conversation_starts_session(const sb_conversation *c, const sb_transport_message *m,
                                    int64_t time_us);
void sb_conversation_restart(sb_conversation *c, const sb_transport_message *m, uint64_t session);

/* Adds the sequence number of a reliable message, or the number that an Ack acknowledges. Call it
 * only for the first fragment seen of a message: all fragments have the same number. */
sb_sighting sb_flow_add(sb_flow *flow, const sb_transport_message *m);

#endif
