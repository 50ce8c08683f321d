/* src/server/dispatch.c -- decides whether a player may send a message, and calls its handler.
 *
 * For:      server.c. The opcode table (starbase/protocol.h) says which side sends a message and how
 *           it is relayed; opcodes.c names its handler and its budget.
 * Never:    names a single opcode, or acts on a message that was not decoded completely.
 * Spec:     06 §9, 08 §1.2, 09 §9.
 * Tests:    tests/server/dispatch_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "message/table.h"

/* The burst of each player, in cells: a share of `burst`, but at least `minimum`. */
static uint32_t share_of(const sb_server *s, uint32_t burst, uint32_t minimum)
{
    uint32_t players = sb_server_player_count(s);
    uint32_t share = 2 * burst / (players ? players : 1);
    if (share > burst) return burst;
    return share < minimum ? minimum : share;
}

/* Refills a budget whose burst depends on the number of players. */
static void refill(const sb_server *s, sb_budget *budget, uint32_t per_second, uint32_t burst)
{
    sb_budget_cap(budget, burst);
    sb_budget_refill(budget, s->now, per_second, burst);
}

bool sb_server_charge_relay(sb_server *s, sb_player *p, sb_span bytes)
{
    uint32_t cost = (uint32_t)(bytes.size / SB_CELL_BYTES) + 1;
    uint32_t effect = sb_server_opcodes[bytes.data[0]].effect_cost;
    refill(s, &p->relay, RELAY_CELLS_PER_SECOND,
           share_of(s, RELAY_BURST_CELLS, RELAY_BURST_CELLS_MIN));
    refill(s, &p->effects, EFFECT_CELLS_PER_SECOND,
           share_of(s, EFFECT_BURST_CELLS, EFFECT_BURST_CELLS_MIN));
    if (!sb_budget_has(&p->relay, cost) || !sb_budget_has(&p->effects, effect)) return false;
    sb_budget_spend(&p->relay, cost);
    sb_budget_spend(&p->effects, effect);
    return true;
}

bool sb_server_charge_effect(sb_server *s, sb_player *p, uint32_t cells)
{
    refill(s, &p->effects, EFFECT_CELLS_PER_SECOND,
           share_of(s, EFFECT_BURST_CELLS, EFFECT_BURST_CELLS_MIN));
    if (!sb_budget_has(&p->effects, cells)) return false;
    sb_budget_spend(&p->effects, cells);
    return true;
}

static bool charge_budget(sb_server *s, sb_player *p, sb_message_budget budget, sb_span bytes)
{
    if (budget == SB_BUDGET_RELAY) return sb_server_charge_relay(s, p, bytes);
    if (budget == SB_BUDGET_STOP)
        return sb_server_spend_token(s, &p->stops, STOPS_PER_SECOND, STOPS_BURST);
    return true;
}

/* Relays a message that has no handler. sb_server_dispatch has already refused messages that
 * clients may not send, so no other relay values can occur here. */
static void relay_by_table(sb_server *s, sb_player *p, const sb_message_row *row,
                           sb_delivery delivery, sb_span bytes)
{
    switch (row->type.relay) {
    case SB_RELAY_OTHERS:
        if (row->event_class) sb_server_handle_event(s, p, bytes);
        else sb_server_relay(s, bytes, delivery, p);
        break;
    case SB_RELAY_ALL: sb_server_relay(s, bytes, delivery, NULL); break;
    case SB_RELAY_TEAM: sb_server_relay_to_team(s, p, bytes, delivery, NULL); break;
    case SB_RELAY_ABSORB: break;
    default: SB_ASSERT(false);
    }
}

static void handle_game_message(sb_server *s, sb_player *p, const sb_message_row *row,
                                sb_delivery delivery, sb_span bytes)
{
    const sb_server_opcode *rule = &sb_server_opcodes[row->type.opcode];
    if (row->type.opcode < SB_OP_SCRIPT_FIRST && bytes.size > SB_EVENT_MAX) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_OVERSIZED, bytes);
        return;
    }
    sb_message_context context = { .ships = s->config.ships };
    if (sb_decode_message(bytes, &context, s->in, NULL) != SB_OK) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_MALFORMED, bytes);
        return;
    }
    if (!charge_budget(s, p, rule->budget, bytes))
        sb_server_refuse(s, p, SB_SERVER_COUNT_RELAY_RATE, bytes);
    else if (rule->handle) rule->handle(s, p, bytes);
    else relay_by_table(s, p, row, delivery, bytes);
}

/* True for messages of mods, and for script messages that the operator gave to a mod (spec 09
 * §9.1). */
static bool is_mod_message(const sb_server *s, const sb_message_type *type)
{
    return type->relay == SB_RELAY_CONFIGURABLE ||
           (type->opcode >= SB_OP_SCRIPT_FIRST &&
            s->config.mod_policy[type->opcode] != SB_MOD_DEFAULT);
}

/* A reliable message needs a number that a stranger must guess; its unreliable form would need
 * none, so it has no effect. Mods choose the delivery of their messages (spec 08 §1.3). */
static bool is_wrong_delivery(const sb_server *s, const sb_message_type *type, sb_delivery delivery)
{
    return type->relay != SB_RELAY_IGNORE && !is_mod_message(s, type) &&
           !sb_is_stock_delivery(type, delivery);
}

void sb_server_dispatch(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes)
{
    SB_ASSERT(bytes.size > 0);
    const sb_message_row   *row = sb_find_row(bytes.data[0]);
    const sb_message_type  *type = &row->type;
    const sb_server_opcode *rule = &sb_server_opcodes[type->opcode];
    SB_COUNT(s->counters, SB_SERVER_COUNT_MESSAGES_IN);
    if (p->phase == SB_PLAYER_REFUSED) return; /* is being removed */
    if (delivery == SB_RELIABLE) p->reliable_at = s->now;
    if (is_wrong_delivery(s, type, delivery)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_WRONG_DELIVERY, bytes);
        return;
    }
    if (rule->joins) {
        rule->handle(s, p, bytes);
        return;
    }
    bool in_game = sb_player_is_in_game(p);
    if (in_game && is_mod_message(s, type)) sb_server_handle_mod(s, p, delivery, bytes);
    else if (type->relay == SB_RELAY_IGNORE)
        sb_server_refuse(s, p, SB_SERVER_COUNT_UNKNOWN_OPCODE, bytes);
    else if (type->relay == SB_RELAY_SERVER && !rule->handle)
        sb_server_refuse(s, p, SB_SERVER_COUNT_SERVER_ONLY, bytes);
    else if (!in_game) sb_server_refuse(s, p, SB_SERVER_COUNT_TOO_EARLY, bytes);
    else if (type->relay == SB_RELAY_STATE) sb_server_handle_state(s, p, bytes);
    else handle_game_message(s, p, row, delivery, bytes);
}
