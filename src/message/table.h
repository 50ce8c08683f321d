/* src/message/table.h -- the opcode table with the codecs of each message.
 *
 * For:      message.c; src/server, src/client and src/inspect where they need more of a row than
 *           sb_message_type.
 */
#ifndef SB_MESSAGE_TABLE_H
#define SB_MESSAGE_TABLE_H

#include <starbase/protocol.h>
#include <starbase/ship.h>

#include "wire/walk.h"

typedef struct sb_message sb_message; /* starbase/message.h */

typedef struct sb_message_row {
    sb_message_type type;
    /* Generated from one description (message/describe.h); NULL: the opcode has no message. */
    sb_result (*decode)(sb_span payload, const sb_message_context *context, sb_message *out,
                        sb_refusal *refusal);
    sb_result (*encode)(const sb_message *message, const sb_message_context *context, uint8_t *out,
                        size_t capacity, size_t *size);
    void (*walk)(sb_walk *w, void *m);
    /* Defaults for a source that does not give them; 0: not an event. */
    uint32_t event_class, event_code;
} sb_message_row;

/* The rows of all 256 opcodes. */
extern const sb_message_row sb_message_rows[256];

static inline const sb_message_row *sb_find_row(uint8_t opcode)
{
    return &sb_message_rows[opcode];
}

/* True if stock peers send the message in this way; of a mod's message both are possible. */
static inline bool sb_is_stock_delivery(const sb_message_type *type, sb_delivery delivery)
{
    return type->delivery == SB_EITHER_DELIVERY || type->delivery == delivery;
}

#endif
