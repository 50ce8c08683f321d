/* src/transport/acks.h -- acknowledgements we owe a peer. Spec 01 §6.3, §6.8.
 *
 * For:      link. One Ack for each copy that arrived since the last datagram, repeated once if
 *           another datagram leaves soon anyway; then forgotten, because a peer that missed both
 * asks again by sending again.
 */
#ifndef SB_TRANSPORT_ACKS_H
#define SB_TRANSPORT_ACKS_H

#include <starbase/transport.h>

enum {
    SB_ACKS_KEPT = 512,   /* a power of two */
    SB_ACKS_RECENT = 512, /* a power of two */
};

typedef struct sb_ack_record {
    sb_time  sent_at;
    uint16_t seq;
    uint8_t  flags; /* SB_ACK_FRAGMENT, SB_ACK_LOW_CHANNEL */
    uint8_t  frag_index;
    bool     obsolete; /* a later copy has an Ack of its own: do not repeat this one */
} sb_ack_record;

/* A ring with three places that only go up: [repeat, fresh) were sent once, [fresh, end) never. */
typedef struct sb_acks {
    uint32_t      repeat, fresh, end;
    sb_time       due_at; /* of the oldest fresh one; SB_TIME_NEVER */
    sb_ack_record ring[SB_ACKS_KEPT];
    /* Where an Ack for the same message was put last. One place per key: if two keys share it, the
     * worst is an Ack too many. */
    uint32_t recent[SB_ACKS_RECENT];
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
