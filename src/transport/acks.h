/* src/transport/acks.h -- acknowledgements we owe a peer. Spec 01 §6.3, §6.8.
 *
 * For:      link. One Ack for each copy that arrived since the last datagram, repeated once if
 *           another datagram leaves soon anyway; then forgotten, because a peer that missed both
 * asks again by sending again.
 */
#ifndef SB_TRANSPORT_ACKS_H
#define SB_TRANSPORT_ACKS_H

#include <starbase/transport.h>

/* As many as can arrive before a datagram leaves: a client's whole window. Powers of two. */
enum { SB_ACKS_KEPT = 1024, SB_ACKS_RECENT = 1024 };

typedef struct sb_ack_record {
    uint32_t sent_us; /* low bits of the time: an error after 71 minutes is an Ack too many */
    uint16_t seq;
    uint8_t  flags; /* SB_ACK_FRAGMENT, SB_ACK_LOW_CHANNEL, SB_ACK_OBSOLETE */
    uint8_t  frag_index;
} sb_ack_record;

/* A later copy has an Ack of its own: do not repeat this one. Never on the wire. */
enum { SB_ACK_OBSOLETE = 0x80 };

/* A ring with three places that only go up: [repeat, fresh) were sent once, [fresh, end) never. */
typedef struct sb_acks {
    uint32_t      repeat, fresh, end;
    sb_time       due_at; /* of the oldest fresh one; SB_TIME_NEVER */
    sb_ack_record ring[SB_ACKS_KEPT];
    /* Where an Ack for the same message was put last (low bits). One place per key: if two keys
     * share it, the worst is an Ack too many. */
    uint16_t recent[SB_ACKS_RECENT];
} sb_acks;

void sb_acks_init(sb_acks *acks);
/* Returns false when an unsent Ack was lost to make room. */
bool sb_acks_add(sb_acks *acks, const sb_ack_record *ack, sb_time due_at);

/* Writes fresh Acks as far as there is room, marked as sent at `now`. */
void sb_acks_write_fresh(sb_acks *acks, sb_time now, sb_datagram_writer *w, uint32_t limit);
/* Repeats Acks that stood in an earlier datagram not long ago. `end`: value of `fresh` before this
 * datagram. */
void sb_acks_write_repeats(sb_acks *acks, sb_time now, uint32_t end, sb_datagram_writer *w,
                           uint32_t limit);

#endif
