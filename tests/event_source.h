/* tests/event_source.h -- no event has the source -1; only its destination can be (spec 08 §2).
 *
 * For:      the rigs of tests/server and tests/client, for every message that is sent in a test.
 */
#ifndef TESTS_EVENT_SOURCE_H
#define TESTS_EVENT_SOURCE_H

#include <starbase/protocol.h>

#include "base/bytes.h"
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

#endif
