/* src/inspect/conversation.h -- what an onlooker knows about one client and its host.
 *
 * For:      the dissector. Spec 01 §5-§6, 03 §4.2, 07 §1.
 * Never:    decides what to do about it.
 */
#ifndef SB_INSPECT_CONVERSATION_H
#define SB_INSPECT_CONVERSATION_H

#include <starbase/datagram.h>
#include <starbase/layout.h>
#include <starbase/ship_state.h>

#include "base/packet.h"
#include "inspect/sequence.h"

enum {
    SB_FRAGMENT_ACKS = 32,                    /* remembered per direction */
    SB_SESSION_SILENCE_US = 12 * 1000 * 1000, /* spec 01 §5.2: then a Connect is a new session */
};

/* One direction: the numbers of what was sent, and of what was acknowledged, and the habits of its
 * sender, which outlast a session. */
typedef struct sb_flow {
    sb_sequence sent[2], acked[2]; /* 0: data, 1: low */
    uint32_t    fragment_acks[SB_FRAGMENT_ACKS];
    unsigned    next_fragment_ack;

    sb_layout_evidence shields;
} sb_flow;

typedef struct sb_conversation {
    sb_endpoint host, client;
    uint64_t    session;     /* differs between all sessions of all conversations */
    bool        ended;       /* the client said goodbye */
    bool        has_traffic; /* a message of this session went by */
    bool        has_connect;
    uint32_t    connect_hash; /* of the payload of the Connect that began it */
    int64_t     client_last_us;
    int         slot;     /* of the client (spec 07 §1) or SB_NO_SLOT */
    sb_flow     lanes[2]; /* 0: from the client, 1: from the host */
} sb_conversation;

/* Begins to listen in the middle: the first numbers are taken as they come. */
void sb_conversation_init(sb_conversation *c, sb_endpoint host, sb_endpoint client,
                          uint64_t session);

/* True if this message of the client begins another session: a Connect that is no repetition. The
 * caller then gives it a number with sb_conversation_restart. */
bool sb_conversation_starts_session(const sb_conversation *c, const sb_transport_message *m,
                                    int64_t time_us);
void sb_conversation_restart(sb_conversation *c, const sb_transport_message *m, uint64_t session);

/* Looks at the number of a reliable message that is no fragment, or of an Ack. */
sb_sighting sb_flow_add(sb_flow *lane, const sb_transport_message *m);

#endif
