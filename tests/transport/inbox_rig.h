/* tests/transport/inbox_rig.h -- an inbox without a session.
 *
 * For:      the tests of src/transport/inbox.c and inbox_rivals.c. Every step checks the invariants
 *           of the inbox.
 */
#ifndef STARBASE_INBOX_RIG_H
#define STARBASE_INBOX_RIG_H

#include "marks_rig.h"
#include "transport/inbox_internal.h"

enum { INBOX_CELLS = 8192, INBOX_CONTROL = SB_TRANSPORT_NAME };

typedef struct inbox_setup {
    uint32_t numbers, bytes, entries;
    uint32_t cells, grants; /* guaranteed, and the reserve of grants; nothing is shared */
} inbox_setup;

/* The inbox is static: one at a time. NULL: 16 numbers, much memory. */
sb_inbox *inbox_open(const inbox_setup *setup);
/* The pool of its cells. */
sb_cells *inbox_cells(void);

/* Messages with a payload that is lent (rig_pattern, rig_byte). */
sb_transport_message inbox_data(uint16_t seq, sb_span payload);
sb_transport_message inbox_control(uint16_t seq, sb_span payload);
sb_transport_message inbox_fragment(uint16_t seq, uint8_t index, uint8_t total, sb_span payload);

sb_verdict inbox_accept(sb_inbox *in, sb_transport_message m);
sb_verdict inbox_store(sb_inbox *in, sb_transport_message m);
/* Accepts Data with one byte. */
sb_verdict inbox_give(sb_inbox *in, uint16_t seq, char byte);
/* The payload that is next on the channel, as a text; NULL: none is ready. */
const char *inbox_next(sb_inbox *in, sb_channel_name channel);

#endif
