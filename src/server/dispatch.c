/* src/server/dispatch.c -- who may say what, and who deals with it. Spec 06 §9, 08 §1.2, 09 §9.
 *
 * The opcode table says what kind of message it is (sb_relay); here each kind that a server acts on
 * has its function. Everything is decoded completely before anybody acts on it.
 */
#include "server/server_internal.h"

typedef void handler(sb_server *s, sb_player *p, sb_span bytes);

/* Messages with a function of their own; what is not here goes by its relay rule. */
static handler *const handlers[256] = {
    [SB_OP_OBJECT_CREATE] = sb_server_handle_creation,
    [SB_OP_PLAYER_OBJECT_CREATE] = sb_server_handle_creation,
    [SB_OP_TARGET_CHANGED] = sb_server_handle_absorbed,
    [SB_OP_SELF_DESTRUCT] = sb_server_handle_self_destruct,
    [SB_OP_COLLISION] = sb_server_handle_collision,
    [SB_OP_TORPEDO_FIRE] = sb_server_handle_torpedo,
    [SB_OP_PULSE_FIRE] = sb_server_handle_pulse,
    [SB_OP_OBJECT_NOT_FOUND] = sb_server_handle_object_request,
    [SB_OP_REQUEST_OBJECT] = sb_server_handle_object_request,
    [SB_OP_ENTER_SET] = sb_server_handle_enter_set,
    [SB_OP_FILE_TRANSFER_ACK] = sb_server_handle_absorbed,
    [SB_OP_CHAT] = sb_server_handle_chat,
    [SB_OP_TEAM_CHAT] = sb_server_handle_chat,
    [SB_OP_RESTART_GAME] = sb_server_handle_restart,
    [SB_OP_TEAM] = sb_server_handle_team,
};

static bool is_join_message(uint8_t opcode)
{
    return opcode == SB_OP_CHECKSUM_RESPONSE || opcode == SB_OP_FILE_TRANSFER_ACK ||
           opcode == SB_OP_NEW_PLAYER_IN_GAME;
}

static void handle_join_message(sb_server *s, sb_player *p, sb_span bytes)
{
    if (bytes.data[0] == SB_OP_CHECKSUM_RESPONSE) sb_server_handle_checksums(s, p, bytes);
    else if (bytes.data[0] == SB_OP_NEW_PLAYER_IN_GAME) sb_server_handle_new_player(s, p, bytes);
}

/* What everybody hears because of one message, in cells, where it is more than the message: a death
 * with its score and repairs, a new ship with its notices, a whole new match. */
static const uint8_t costs[256] = { [SB_OP_OBJECT_CREATE] = 2,
                                    [SB_OP_PLAYER_OBJECT_CREATE] = 8,
                                    [SB_OP_SELF_DESTRUCT] = 8,
                                    [SB_OP_RESTART_GAME] = 16 };

/* These have rates of their own: what players say and choose; what reaches nobody else. */
static bool is_free(uint8_t opcode)
{
    switch (opcode) {
    case 0x0D:
    case 0x15:
    case 0x1D:
    case 0x1E:
    case 0x2C:
    case 0x2D:
    case 0x41: return true;
    default: return false;
    }
}

/* Together the players have a burst that a receiver can take (and sb_server_relay spares those who
 * cannot): alone one may have all of it. */
static uint32_t burst_of(const sb_server *s)
{
    uint32_t players = sb_server_player_count(s);
    uint32_t share = 2 * RELAY_BURST / (players ? players : 1);
    if (share > RELAY_BURST) return RELAY_BURST;
    return share < RELAY_BURST_LEAST ? RELAY_BURST_LEAST : share;
}

bool sb_server_charge_relay(sb_server *s, sb_player *p, sb_span bytes)
{
    uint8_t  opcode = bytes.data[0];
    uint32_t cost = (uint32_t)(bytes.size / SB_CELL_BYTES) + (costs[opcode] ? costs[opcode] : 1);
    uint32_t burst = burst_of(s);
    sb_budget_cap(&p->relay, burst);
    sb_budget_refill(&p->relay, s->now, RELAY_PER_S, burst);
    if (!sb_budget_has(&p->relay, cost)) return false;
    sb_budget_spend(&p->relay, cost);
    return true;
}

static void handle_game_message(sb_server *s, sb_player *p, const sb_message_type *type,
                                sb_span bytes)
{
    bool script = type->opcode >= SB_OP_SCRIPT_FIRST;
    if (!script && bytes.size > SB_EVENT_MAX) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_OVERSIZED, bytes);
        return;
    }
    sb_message_context context = { .ships = s->config.ships };
    if (sb_decode_message(bytes, &context, &s->in, NULL) != SB_OK) {
        if (handlers[type->opcode] == sb_server_handle_creation)
            sb_server_handle_bad_creation(s, p, bytes);
        else sb_server_refuse(s, p, SB_SERVER_COUNT_MALFORMED, bytes);
        return;
    }
    if (!is_free(type->opcode) && !sb_server_charge_relay(s, p, bytes))
        sb_server_refuse(s, p, SB_SERVER_COUNT_RELAY_RATE, bytes);
    else if (handlers[type->opcode]) handlers[type->opcode](s, p, bytes);
    else sb_server_handle_event(s, p, bytes); /* all other messages of class F are events */
}

void sb_server_dispatch(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes)
{
    const sb_message_type *type = sb_find_message_type(bytes.data[0]);
    SB_COUNT(s->counters, SB_SERVER_COUNT_MESSAGES_IN);
    if (p->phase == SB_PLAYER_REFUSED) return; /* on its way out */
    if (is_join_message(type->opcode)) {
        handle_join_message(s, p, bytes);
        return;
    }
    bool mod = type->relay == SB_RELAY_CONFIGURABLE ||
               (type->opcode >= SB_OP_SCRIPT_FIRST &&
                s->config.mod_policy[type->opcode] != SB_MOD_DEFAULT);
    if (mod && sb_player_is_in_game(p)) sb_server_handle_mod(s, p, delivery, bytes);
    else if (type->relay == SB_RELAY_IGNORE)
        sb_server_refuse(s, p, SB_SERVER_COUNT_UNKNOWN_OPCODE, bytes);
    else if (type->relay == SB_RELAY_SERVER && !handlers[type->opcode])
        sb_server_refuse(s, p, SB_SERVER_COUNT_SERVER_ONLY, bytes);
    else if (!sb_player_is_in_game(p)) sb_server_refuse(s, p, SB_SERVER_COUNT_TOO_EARLY, bytes);
    else if (type->relay == SB_RELAY_STATE) sb_server_handle_state(s, p, bytes);
    else handle_game_message(s, p, type, bytes);
}
