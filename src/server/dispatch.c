/* src/server/dispatch.c -- who may say what, and who deals with it. Spec 06 §9, 08 §1.2, 09 §9.
 *
 * The opcode table says what kind of message it is (sb_relay); here each kind that a server acts on
 * has its function. Everything is decoded completely before anybody acts on it.
 */
#include "server/server_internal.h"

typedef void handler(sb_server *s, sb_player *p, sb_span bytes);

/* Messages with a function of their own; what is not here goes by its relay rule. */
static handler *const handlers[256] = {
    [0x02] = sb_server_handle_creation,       [0x03] = sb_server_handle_creation,
    [0x0D] = sb_server_handle_absorbed,       [0x13] = sb_server_handle_self_destruct,
    [0x15] = sb_server_handle_collision,      [0x19] = sb_server_handle_torpedo,
    [0x1A] = sb_server_handle_pulse,          [0x1D] = sb_server_handle_object_request,
    [0x1E] = sb_server_handle_object_request, [0x1F] = sb_server_handle_enter_set,
    [0x27] = sb_server_handle_absorbed,       [0x2C] = sb_server_handle_chat,
    [0x2D] = sb_server_handle_chat,           [0x39] = sb_server_handle_restart,
    [0x41] = sb_server_handle_team,
};

static bool is_join_message(uint8_t opcode)
{
    return opcode == 0x21 || opcode == 0x27 || opcode == 0x2A;
}

static void handle_join_message(sb_server *s, sb_player *p, sb_span bytes)
{
    if (bytes.data[0] == 0x21) sb_server_handle_checksums(s, p, bytes);
    else if (bytes.data[0] == 0x2A) sb_server_handle_new_player(s, p, bytes);
}

/* What everybody hears because of one message, in cells, where it is more than the message: a death
 * with its score and repairs, a new ship with its notices, a whole new match. */
static const uint8_t costs[256] = { [0x02] = 2, [0x03] = 8, [0x13] = 8, [0x39] = 16 };

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
    bool script = type->opcode >= 0x2B;
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
               (type->opcode >= 0x2B && s->config.mod_policy[type->opcode] != SB_MOD_DEFAULT);
    if (mod && sb_player_is_in_game(p)) sb_server_handle_mod(s, p, delivery, bytes);
    else if (type->relay == SB_RELAY_IGNORE)
        sb_server_refuse(s, p, SB_SERVER_COUNT_UNKNOWN_OPCODE, bytes);
    else if (type->relay == SB_RELAY_SERVER && !handlers[type->opcode])
        sb_server_refuse(s, p, SB_SERVER_COUNT_SERVER_ONLY, bytes);
    else if (!sb_player_is_in_game(p)) sb_server_refuse(s, p, SB_SERVER_COUNT_TOO_EARLY, bytes);
    else if (type->relay == SB_RELAY_STATE) sb_server_handle_state(s, p, bytes);
    else handle_game_message(s, p, type, bytes);
}
