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
/* Accepts Data with one byte. */
sb_verdict inbox_give(sb_inbox *in, uint16_t seq, char byte);
/* The payload that is next on the channel, as a text; NULL: none is ready. */
const char *inbox_next(sb_inbox *in, sb_channel_name channel);

/* ---- Two messages with one number ---- */

enum { NUMBERS = 16, PLENTY = 1 << 20 };

/* Begins a datagram of the peer, or of anybody. */
static inline void begin(sb_inbox *in, bool proven)
{
    sb_inbox_begin_batch(in, proven);
}

static inline bool conflicts(const sb_inbox *in, uint16_t seq, char byte)
{
    sb_transport_message m = inbox_data(seq, rig_byte(byte));
    return sb_inbox_conflicts(in, &m);
}

/* The peer's own message under this number, in a datagram that is known to be the peer's. */
static inline void take_back(sb_inbox *in, uint16_t seq)
{
    sb_transport_message m = inbox_data(seq, rig_byte('T'));
    begin(in, true);
    sb_inbox_take_back(in, RIG_START, &m);
    sb_inbox_check(in);
}

static inline uint16_t expected(const sb_inbox *in)
{
    return in->channels[SB_CHANNEL_DATA].expected;
}

/* Delivers Data from the expected number on, all in one datagram. */
static inline void deliver_run(sb_inbox *in, unsigned count, char byte, bool proven)
{
    begin(in, proven);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(inbox_give(in, expected(in), byte), SB_VERDICT_DELIVER);
}

#endif
