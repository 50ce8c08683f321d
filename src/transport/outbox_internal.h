/* src/transport/outbox_internal.h -- what the two files of the outbox share.
 *
 * For:      outbox_queue.c (queueing, fragments) and outbox.c (acknowledging, sending).
 */
#ifndef SB_TRANSPORT_OUTBOX_INTERNAL_H
#define SB_TRANSPORT_OUTBOX_INTERNAL_H

#include "transport/outbox.h"

/* Payload limits: 412 bytes minus the header of a whole message, a first and a later fragment (spec
 * 01 §7.1). */
enum { WHOLE_MAX = 407, FIRST_FRAGMENT = 405, LATER_FRAGMENT = 406, FRAGMENTS_MAX = 255 };

static inline sb_entry *sb_outbox_entry(const sb_outbox *o, uint32_t entry)
{
    return sb_cells_entry(o->cells, entry);
}

static inline bool sb_outbox_is_later(uint16_t seq, uint16_t than)
{
    return (int16_t)(uint16_t)(seq - than) > 0;
}

#endif
