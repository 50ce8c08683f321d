/* src/transport/inbox.h -- reliable messages from a peer: once, whole and in order. Spec 01 §6.3,
 * §6.4, §7.2.
 *
 * For:      link. Decides about each reliable message and fragment, keeps what is early, joins
 *           fragments.
 * Never:    keeps more than its bounds, whatever arrives: what does not fit is not acknowledged,
 * and the peer will send it again.
 */
#ifndef SB_TRANSPORT_INBOX_H
#define SB_TRANSPORT_INBOX_H

#include "transport/outbox.h"

/* How much may wait here for what is missing (spec 01 §6.3, §9). */
typedef struct sb_store_bounds {
    uint32_t numbers; /* of Data ahead of the expected one; a power of two */
    uint32_t bytes, entries;
} sb_store_bounds;

enum {
    SB_FRAGMENTS_UNTRUSTED = 64,
    SB_FRAGMENTS_TRUSTED = 255,
    SB_BAD_FRAGMENTS_MAX = 3,
};

typedef struct sb_in_channel {
    uint16_t  expected;
    uint32_t  mask;  /* numbers - 1 */
    uint32_t *slots; /* by number: a whole message or an assembly */
} sb_in_channel;

typedef struct sb_inbox {
    sb_cells       *cells;
    sb_cell_account account;  /* early messages */
    sb_cell_account assembly; /* fragments of the expected message, once it has its grant */
    sb_store_bounds bounds;
    uint32_t        stored, stored_bytes;
    uint8_t         fragments_max;
    uint8_t         bad_fragments; /* that contradict others */
    bool            eight_bit;     /* the peer's numbers have 8 bits (spec 01 §6.9) */
    sb_in_channel   channels[SB_CHANNELS];
} sb_inbox;

typedef enum sb_verdict {
    SB_VERDICT_DELIVER,       /* its turn: hand its payload up, then ask for stored ones */
    SB_VERDICT_STORED,        /* kept; ask for stored ones, it may have completed something */
    SB_VERDICT_DUPLICATE,     /* acknowledge again */
    SB_VERDICT_BEYOND_BUFFER, /* from here on: do not acknowledge */
    SB_VERDICT_OUT_OF_WINDOW,
    SB_VERDICT_NO_ROOM,
    SB_VERDICT_BAD_FRAGMENT,
} sb_verdict;

static inline bool sb_verdict_is_acknowledged(sb_verdict verdict)
{
    return verdict <= SB_VERDICT_DUPLICATE;
}

/* `tables`: bounds->numbers + SB_LOW_WINDOW places, borrowed as long as the inbox is used. */
void sb_inbox_init(sb_inbox *inbox, sb_cells *cells, uint32_t guaranteed,
                   const sb_store_bounds *bounds, uint32_t *tables);
void sb_inbox_clear(sb_inbox *inbox);
/* Decides about a reliable message; copies it if it must wait. */
sb_verdict sb_inbox_accept(sb_inbox *inbox, const sb_transport_message *message);
/* Keeps a message that would be its turn, because nobody is ready for it yet. */
sb_verdict sb_inbox_store(sb_inbox *inbox, const sb_transport_message *message);
/* Is it new, and at most `ahead` numbers from the next one? (spec 01 §10.5) */
bool sb_inbox_is_plausible(const sb_inbox *inbox, const sb_transport_message *message, int ahead);
/* Gives the next message of the channel that was stored and whose turn it is now, and forgets it.
 * The payload is copied to `room` (SB_PAYLOAD_MAX bytes). False: none. */
bool sb_inbox_next(sb_inbox *inbox, sb_channel_name channel, uint8_t *type, sb_span *payload,
                   uint8_t *buffer);

void sb_inbox_check(const sb_inbox *inbox);

#endif
