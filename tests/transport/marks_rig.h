/* tests/transport/marks_rig.h -- peers in whose name somebody forges datagrams, and their proof.
 *
 * For:      tests of stolen numbers: marks_test.c, inbox_rivals_test.c, client_confirm_test.c.
 * Spec:     01 §10.8.
 */
#ifndef STARBASE_MARKS_RIG_H
#define STARBASE_MARKS_RIG_H

#include "rig.h"
#include "transport/marks.h"

/* A host whose peer 2 has sent Data 0; Data 1 is expected. */
rig *rig_host_with_history(void);
rig *rig_stock_host_with_history(void); /* retransmits after 1, 3, 6 ... s */
/* A client that believes only what its host proves; its first Connect has left. */
rig *rig_cautious_client(void);
/* The numbers that the endpoint asks `to` to acknowledge: now, or in an unread datagram. Reads
 * all datagrams to `to`. */
void rig_read_marks(rig *r, sb_endpoint to, uint16_t marks[SB_MARKS_COUNT]);
/* The same for the latest set that was sent since; if there is none, the marks stay. */
void rig_renew_marks(rig *r, sb_endpoint to, uint16_t marks[SB_MARKS_COUNT]);
/* Begins a datagram with the Acks of the marks; NULL: without them, as a forger's. */
void rig_pack_init_marked(rig_pack *p, uint8_t peer_id, const uint16_t *marks);
/* A payload of one byte; valid for ever. */
sb_span rig_byte(char byte);

#endif
