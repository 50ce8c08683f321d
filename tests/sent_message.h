/* tests/sent_message.h -- what every message that we send must fulfil: no event has the source -1;
 * only its destination can be (spec 08 §2). Each message has the delivery of stock (spec 08 §1.3).
 *
 * For:      the rigs of tests/server and tests/client, for every message that is sent in a test.
 */
#ifndef TESTS_SENT_MESSAGE_H
#define TESTS_SENT_MESSAGE_H

#include <starbase/protocol.h>
#include <starbase/transport.h>

#include "base/bytes.h"
#include "message/table.h"
#include "test.h"

static inline bool is_event_opcode(uint8_t opcode)
{
    return (opcode >= SB_OP_PYTHON_EVENT && opcode <= SB_OP_PHASER_LEVEL) ||
           opcode == SB_OP_COLLISION || opcode == SB_OP_PLAYER_LIST || opcode == SB_OP_TORPEDO_TYPE;
}

static inline void check_event_source(sb_span message)
{
    if (message.size < 13 || !is_event_opcode(message.data[0])) return;
    if (sb_load_u32(message.data + 9) == UINT32_MAX)
        FAIL("the event 0x%02X has the source -1", message.data[0]);
}

/* A mod may use a script message of the stock game in both deliveries. */
static inline void check_delivery(uint8_t opcode, sb_delivery delivery)
{
    if (opcode < SB_OP_SCRIPT_FIRST &&
        !sb_is_stock_delivery(sb_find_message_type(opcode), delivery))
        FAIL("the message 0x%02X is sent in the wrong delivery", opcode);
}

static inline void check_sent_message(const sb_transport_event *event)
{
    check_event_source(event->bytes);
    check_delivery(event->bytes.data[0], event->delivery);
}

#endif
