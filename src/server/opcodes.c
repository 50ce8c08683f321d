/* src/server/opcodes.c -- the handler, budget and cost of each message that clients send.
 *
 * For:      dispatch.c. A message without a row here is relayed as the opcode table of
 *           starbase/protocol.h says; an event must first pass the checks of
 *           sb_server_handle_event. A new message needs a row here only if the room acts on it.
 * Spec:     06 §9, 07, 08 §7 to §14, 09.
 * Tests:    tests/server/dispatch_test.c
 */
#include "server/server_internal.h"

/* The cost counts what the room itself sends because of the message: notices of a new ship,
 * the removal of an evicted object, scores and repairs of a death, the messages of a new match. */
/* clang-format off */
const sb_server_opcode sb_server_opcodes[256] = {
    /* opcode                        handler                          cost  budget           joins */
    [SB_OP_CHECKSUM_RESPONSE]    = { sb_server_handle_checksums,      0,    SB_BUDGET_OWN,   true  },
    [SB_OP_FILE_TRANSFER_ACK]    = { sb_server_handle_file_ack,       0,    SB_BUDGET_OWN,   true  },
    [SB_OP_NEW_PLAYER_IN_GAME]   = { sb_server_handle_new_player,     0,    SB_BUDGET_OWN,   true  },
    [SB_OP_OBJECT_CREATE]        = { sb_server_handle_creation,       3,    SB_BUDGET_OWN,   false },
    [SB_OP_PLAYER_OBJECT_CREATE] = { sb_server_handle_creation,       8,    SB_BUDGET_OWN,   false },
    [SB_OP_TARGET_CHANGED]       = { sb_server_handle_target,         0,    SB_BUDGET_OWN,   false },
    [SB_OP_SELF_DESTRUCT]        = { sb_server_handle_self_destruct,  8,    SB_BUDGET_RELAY, false },
    [SB_OP_COLLISION]            = { sb_server_handle_collision,      0,    SB_BUDGET_OWN,   false },
    [SB_OP_TORPEDO_FIRE]         = { sb_server_handle_torpedo,        0,    SB_BUDGET_RELAY, false },
    [SB_OP_PULSE_FIRE]           = { sb_server_handle_pulse,          0,    SB_BUDGET_RELAY, false },
    [SB_OP_OBJECT_NOT_FOUND]     = { sb_server_handle_object_request, 0,    SB_BUDGET_OWN,   false },
    [SB_OP_REQUEST_OBJECT]       = { sb_server_handle_object_request, 0,    SB_BUDGET_OWN,   false },
    [SB_OP_ENTER_SET]            = { sb_server_handle_enter_set,      0,    SB_BUDGET_RELAY, false },
    [SB_OP_CHAT]                 = { sb_server_handle_chat,           0,    SB_BUDGET_OWN,   false },
    [SB_OP_TEAM_CHAT]            = { sb_server_handle_chat,           0,    SB_BUDGET_OWN,   false },
    [SB_OP_RESTART_GAME]         = { sb_server_handle_restart,       16,    SB_BUDGET_RELAY, false },
    [SB_OP_TEAM]                 = { sb_server_handle_team,           0,    SB_BUDGET_OWN,   false },

    /* event                                     apply                            max value       needs a ship */
    [SB_OP_START_FIRING]          = { .event = { sb_server_apply_start_firing,    0,              true  } },
    [SB_OP_STOP_FIRING]           = { .event = { sb_server_apply_stop_firing,     0,              false },
                                      .budget = SB_BUDGET_STOP },
    [SB_OP_STOP_FIRING_AT_TARGET] = { .event = { sb_server_apply_stop_firing,     0,              false },
                                      .budget = SB_BUDGET_STOP },
    [SB_OP_SUBSYSTEM_STATUS]      = { .event = { sb_server_apply_switch,          1,              false } },
    [SB_OP_START_CLOAKING]        = { .event = { sb_server_apply_start_cloaking,  0,              false } },
    [SB_OP_STOP_CLOAKING]         = { .event = { sb_server_apply_stop_cloaking,   0,              false } },
    [SB_OP_START_WARP]            = { .event = { sb_server_apply_warp,            0,              false } },
    [SB_OP_REPAIR_PRIORITY]       = { .event = { sb_server_apply_repair_priority, 0,              false } },
    [SB_OP_PHASER_LEVEL]          = { .event = { sb_server_apply_phaser_level,    SB_PHASER_HIGH, false } },
    [SB_OP_TORPEDO_TYPE]          = { .event = { sb_server_apply_torpedo_type,    0,              false } },
};
/* clang-format on */
