/* tests/transport/link_rig.h -- a session of a host without addresses, a host or a network.
 *
 * For:      tests of src/transport/link_trust.c. Time is a member; each step checks the invariants
 *           of the session.
 */
#ifndef STARBASE_LINK_RIG_H
#define STARBASE_LINK_RIG_H

#include "inbox_rig.h"
#include "transport/link.h"
#include "transport/link_trust.h"

enum { LINK_NUMBERS = 256 };

typedef struct link_rig {
    sb_link     link;
    sb_counters counters;
    sb_time     now;
} link_rig;

/* The session is static: one at a time. Data `expect` is expected. */
link_rig *link_open(uint16_t expect);
/* The same after strong evidence of forgeries. */
link_rig *link_open_attacked(uint16_t expect);

/* Gives a datagram; `proven`: the peer is known to have sent it. Returns the first bytes of the
 * payloads that are delivered, as a text; "refused": the datagram is dropped. */
const char *link_give(link_rig *r, const rig_pack *p, bool proven);
/* Gives one message that anybody could have sent. */
const char *link_give_one(link_rig *r, sb_transport_message m);
/* Data with one byte. */
const char *link_give_text(link_rig *r, uint16_t seq, char byte);
/* The same in a datagram that the peer is known to have sent. */
const char *link_prove_text(link_rig *r, uint16_t seq, char byte);
/* A NoOp: what is ready is delivered. */
const char *link_give_nothing(link_rig *r);
/* Gives copies of the message, a second apart and a second from now; returns what the last one
 * delivers. */
const char *link_repeat(link_rig *r, sb_transport_message m, unsigned count);

/* Acks that are waiting; they are forgotten. */
unsigned link_take_acks(link_rig *r);
uint64_t link_count(const link_rig *r, sb_transport_counter counter);

static inline bool link_is_attacked(const link_rig *r)
{
    return sb_guard_is_attacked(&r->link.guard, r->now);
}

/* The datagram which the Data of this number came with. */
static inline uint16_t link_batch(const link_rig *r, uint16_t seq)
{
    const sb_in_channel *c = &r->link.inbox.channels[SB_CHANNEL_DATA];
    return c->batches[seq & c->record_mask];
}

#endif
