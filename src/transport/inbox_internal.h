/* src/transport/inbox_internal.h -- what the two files of the inbox share.
 *
 * For:      inbox.c (memory, fragments, order) and inbox_rivals.c (two messages with one number).
 */
#ifndef SB_TRANSPORT_INBOX_INTERNAL_H
#define SB_TRANSPORT_INBOX_INTERNAL_H

#include "transport/inbox.h"

enum { AHEAD_LIMIT = 0x4000 }; /* numbers further ahead are out of the window (spec 01 §6.3) */

static inline uint32_t *sb_inbox_slot(const sb_in_channel *c, uint16_t seq)
{
    return &c->slots[seq & c->mask];
}

static inline sb_entry *sb_inbox_entry(const sb_inbox *in, uint32_t entry)
{
    return sb_cells_entry(in->cells, entry);
}

static inline sb_channel_name sb_inbox_channel_name(const sb_transport_message *m)
{
    return m->type == SB_TRANSPORT_DATA ? SB_CHANNEL_DATA : SB_CHANNEL_LOW;
}

static inline bool sb_assembly_has(const sb_assembly *a, uint8_t index)
{
    return a->present[index / 8] >> index % 8 & 1;
}

/* Releases one stored message or fragment. */
void sb_inbox_release(sb_inbox *in, uint32_t entry);
/* Releases everything that the slot holds. */
void sb_inbox_release_slot(sb_inbox *in, uint32_t *slot);
/* Adds a fragment with `size` bytes to the sums of the assembly. */
void sb_assembly_note(sb_assembly *a, uint8_t index, uint32_t size);
/* Is an index, of this fragment or an earlier one, at or above the total that fragment 0 gives? Or
 * would the message become longer than any sender can make it? */
bool sb_assembly_contradicts(const sb_assembly *a, const sb_transport_message *m);

/* Has the entry the payload of the message? */
bool sb_inbox_has_payload(const sb_inbox *in, uint32_t entry, const sb_transport_message *m);

/* Records which message has this number. */
void sb_inbox_record_message(sb_inbox *in, sb_in_channel *c, const sb_transport_message *m);
/* After a rewind: was the peer's own message of this number delivered before? */
bool sb_inbox_is_done(const sb_in_channel *c, uint16_t seq);
/* After a rewind: was this very message delivered before? Then its number is done. */
bool sb_inbox_skip_delivered(sb_inbox *in, sb_in_channel *c, const sb_transport_message *m);
/* Does a message that is known to be the peer's wait for one that is missing? Looks at all slots.
 */
bool sb_inbox_has_waiting(const sb_inbox *in, const sb_in_channel *c);
/* Moves on to the next number that is still expected. */
void sb_inbox_advance(sb_in_channel *c);

#endif
