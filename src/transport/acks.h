/* src/transport/acks.h -- Acks that are still to be sent to a peer. Spec 01 §6.3, §6.8.
 *
 * For:      link. Each copy of a message that arrived since the last datagram gets one Ack. An Ack
 *           is repeated once if another datagram leaves soon anyway, and then forgotten: a peer
 *           that missed both Acks retransmits, and its copy gets a new Ack.
 */
#ifndef SB_TRANSPORT_ACKS_H
#define SB_TRANSPORT_ACKS_H

#include <starbase/transport.h>

enum {
    /* Enough for a client's whole window before a datagram leaves. Powers of two. */
    SB_ACKS_KEPT = 1024,
    SB_ACKS_RECENT = 1024,
    SB_ACKS_FEW = 64, /* most peers never have more at a time */
};

typedef struct sb_ack_record {
    uint32_t sent_us; /* low 32 bits of the time: a wrap after 71 minutes costs one extra Ack */
    uint16_t seq;
    uint8_t  flags; /* SB_ACK_FRAGMENT, SB_ACK_LOW_CHANNEL, SB_ACK_OBSOLETE */
    uint8_t  frag_index;
} sb_ack_record;

/* Marks an Ack that must not be repeated because a later copy has its own Ack. Never sent. */
enum { SB_ACK_OBSOLETE = 0x80 };

/* A ring with three positions that only grow: Acks in [repeat, fresh) were sent once, Acks in
 * [fresh, end) were never sent. At first only the last SB_ACKS_FEW places of the array are the
 * ring, and Acks are searched one by one: the rest of the memory is not touched before it is
 * needed. */
typedef struct sb_acks {
    /* All places in use: hash table with the low 16 bits of the position of the last Ack for a
     * message. Two messages may share a slot; the only harm is an extra Ack. */
    uint16_t      recent[SB_ACKS_RECENT];
    sb_ack_record ring[SB_ACKS_KEPT];
    uint32_t      repeat, fresh, end;
    uint32_t      places; /* in use, at the end of `ring`: SB_ACKS_FEW or SB_ACKS_KEPT */
    sb_time       due_at; /* of the oldest fresh Ack; SB_TIME_NEVER: there is none */
} sb_acks;

void sb_acks_init(sb_acks *acks);
/* Queues an Ack; false: the ring was full and an Ack that was never sent was dropped. */
bool sb_acks_add(sb_acks *acks, const sb_ack_record *ack, sb_time due_at);

/* Forgets all Acks that were to be sent or repeated. */
void sb_acks_cancel(sb_acks *acks);

/* Writes fresh Acks until the datagram is full or has `limit` messages; they count as sent at
 * `now`. */
void sb_acks_write_fresh(sb_acks *acks, sb_time now, sb_datagram_writer *w, uint32_t limit);
/* Repeats Acks that were sent at most 700 ms ago. `end` is the value of `fresh` before this
 * datagram, so that no Ack is twice in one datagram. */
void sb_acks_write_repeats(sb_acks *acks, sb_time now, uint32_t end, sb_datagram_writer *w,
                           uint32_t limit);

#endif
