/* src/run/datagram_ring.h -- datagrams from one thread to another, through memory.
 *
 * For:      house_link.h: players of the server itself and their room.
 * Never:    blocks, wakes anybody, or allocates after create. A full ring drops the datagram and
 *           counts it, as a network does.
 * Tests:    tests/run/datagram_ring_test.c
 */
#ifndef SB_RUN_DATAGRAM_RING_H
#define SB_RUN_DATAGRAM_RING_H

#include <starbase/base.h>

enum {
    SB_RING_BYTES = 1 << 16,     /* of datagrams and their headers */
    SB_RING_DATAGRAM_MAX = 1536, /* longer ones are dropped */
};

/* A ring with one writer and one reader. */
typedef struct sb_datagram_ring sb_datagram_ring;

/* Given; NULL: no memory. */
sb_datagram_ring *sb_datagram_ring_create(void);
void              sb_datagram_ring_destroy(sb_datagram_ring *ring); /* also NULL */
/* The writer: appends a copy. `peer` is the sender or the receiver, as the two sides agree. False:
 * the ring is full, and the datagram is counted as dropped. */
bool sb_datagram_ring_push(sb_datagram_ring *ring, sb_endpoint peer, sb_span datagram);
/* The reader: the oldest datagram; false: there is none. It is lent until sb_datagram_ring_pop. */
bool sb_datagram_ring_next(sb_datagram_ring *ring, sb_endpoint *peer, sb_span *datagram);
void sb_datagram_ring_pop(sb_datagram_ring *ring);
/* Any thread. */
uint64_t sb_datagram_ring_pushed(const sb_datagram_ring *ring);
uint64_t sb_datagram_ring_dropped(const sb_datagram_ring *ring);

#endif
