/* src/server/leaving.c -- departures and kicks, and the messages about them to other players.
 *
 * For:      server.c, when the transport reports a departure; the operator, for kicks.
 * Spec:     07 §9, 06 §9.
 * Tests:    tests/server/leaving_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include <string.h>

/* Sends the messages about a departure to the other players, in the order of the table in spec 07
 * §9. The transport announces the departure by itself. */
static void send_departure(sb_server *s, const sb_player *p)
{
    if (s->config.leave_destroy && p->ship) {
        *s->out = (sb_message){ .opcode = SB_OP_DESTROY_OBJECT };
        s->out->as.object_ref.object_id = p->ship->object_id;
        sb_server_send_in_game(s, s->out);
    }
    if (s->config.leave_destroy) sb_server_destroy_scenery_of(s, p->peer_id);
    if (s->config.leave_event) {
        *s->out = (sb_message){ .opcode = SB_OP_PLAYER_LIST };
        s->out->as.event = (sb_event){ .event_class = SB_EVENT_PLAYER,
                                       .event_code = SB_CODE_NETWORK_DELETE_PLAYER,
                                       .destination = s->config.list_object,
                                       .peer_id = p->peer_id };
        sb_server_send_in_game(s, s->out);
    }
    uint8_t name[SB_NAME_UNITS];
    size_t  size = sb_windows1252_from_utf16((sb_span){ p->name, p->name_size }, name, sizeof name);
    if (s->config.leave_text && size > 0) { /* an empty name crashes the client */
        *s->out = (sb_message){ .opcode = SB_OP_PLAYER_LEFT_TEXT };
        s->out->as.player_left.name = (sb_span){ name, size };
        sb_server_send_in_game(s, s->out);
    }
}

static bool is_empty(const sb_server *s)
{
    for (size_t i = 0; i < s->capacity; i++)
        if (s->players[i].phase != SB_PLAYER_FREE) return false;
    return true;
}

/* Removes everything the player created: ship, wreck and other objects. The next player in the slot
 * wants nothing yet. */
static void remove_objects_of(sb_server *s, const sb_player *p)
{
    for (size_t i = 0; i < s->object_top; i++) {
        sb_object *o = &s->objects[i];
        if (o->object_id && o->owner == p->peer_id) sb_server_remove_object(s, o);
        o->wanted_by &= (uint16_t) ~(1u << (p - s->players));
        if (o->hit_by == p->peer_id) o->hit_by = 0;
    }
}

static bool has_same_name_and_address(const sb_player *a, const sb_player *b)
{
    return a->name_size > 0 && a->name_size == b->name_size &&
           memcmp(a->name, b->name, a->name_size) == 0 && a->address.address == b->address.address;
}

/* The player who crashed, came back from another port and is in the game already, while the old
 * session only now times out (spec 09 §11). Name and address must be the same, and the session must
 * have been silent since before the other one began: two players behind one address can have the
 * same name, and neither must get the other's numbers. NULL: none. */
static const sb_player *find_returned(const sb_server *s, const sb_player *gone)
{
    sb_time          silent_since = s->now - gone->timeout_us;
    const sb_player *found = NULL;
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (p == gone || !sb_player_is_in_game(p) || p->connected_at <= silent_since) continue;
        if (!has_same_name_and_address(p, gone)) continue;
        if (!found || p->connected_at > found->connected_at) found = p;
    }
    return found;
}

/* Moves the numbers of a session that timed out to the player's present session. */
static void move_numbers(sb_server *s, const sb_player *gone)
{
    const sb_player    *to = find_returned(s, gone);
    const sb_match_row *row = to ? sb_match_inherit(&s->match, gone->peer_id, to->peer_id) : NULL;
    if (!row) return;
    sb_server_send_score(s, row);
    sb_server_report_score(s, to->peer_id);
}

void sb_server_on_leave(sb_server *s, const sb_transport_event *event)
{
    sb_player *p = sb_server_find_player(s, event->peer_id);
    if (!p) return;
    bool in_game = p->was_in_game;
    if (!in_game && p->phase != SB_PLAYER_REFUSED)
        SB_COUNT(s->counters, SB_SERVER_COUNT_FAILED_JOINS);
    sb_server_report_stopped_files(s, p);
    /* A refused player gets none of the messages below. */
    sb_player_set_phase(p, SB_PLAYER_REFUSED, SB_TIME_NEVER);
    if (in_game) sb_server_remember_departure(s, p);
    if (in_game) send_departure(s, p);
    remove_objects_of(s, p);
    sb_replica_remove_peer(s->replica, p->peer_id);
    sb_backlog_forget(&s->backlog, (size_t)(p - s->players));
    if (event->reason == SB_LEFT_TIMED_OUT) move_numbers(s, p);
    sb_match_leave(&s->match, p->peer_id);
    if (in_game) {
        SB_COUNT(s->counters, SB_SERVER_COUNT_LEAVES);
        sb_responder_state_changed(s->responder, s->now);
    }
    sb_server_event left = sb_server_event_about(s, SB_SERVER_LEFT, p);
    left.text = sb_text_span(sb_leave_reason_text(event->reason));
    left.value = (s->now - p->connected_at) / SB_SECOND;
    left.other = in_game;
    sb_server_report(s, &left, p);
    *p = (sb_player){ .phase = SB_PLAYER_FREE, .phase_ends = SB_TIME_NEVER };
    if (in_game && !sb_server_has_players(s)) sb_server_begin_anew(s);
    if (is_empty(s)) sb_server_on_empty(s);
}

bool sb_server_kick(sb_server *s, sb_time now, uint8_t peer_id, sb_span text)
{
    sb_server_set_time(s, now);
    sb_player *p = sb_server_find_player(s, peer_id);
    if (!p) return false;
    if (text.size > SB_CHAT_MAX) text.size = SB_CHAT_MAX;
    if (text.size) {
        *s->out = (sb_message){ .opcode = SB_OP_CHAT };
        s->out->as.chat = (sb_chat){ .sender = SB_PEER_HOST, .text = text };
        sb_server_send(s, p, s->out);
    }
    if (!p->was_in_game && p->phase != SB_PLAYER_REFUSED)
        SB_COUNT(s->counters, SB_SERVER_COUNT_FAILED_JOINS);
    sb_server_report_stopped_files(s, p);
    char utf8[3 * SB_CHAT_MAX + 1];
    sb_utf8_from_windows1252(text, utf8, sizeof utf8);
    sb_server_report_text(s, SB_SERVER_KICKED, p, utf8);
    p->boot_reason = SB_BOOT_KICKED;
    sb_time limit = text.size ? REASON_SECONDS : REASON_SECONDS_JOINING;
    sb_player_set_phase(p, SB_PLAYER_REFUSED, s->now + limit * SB_SECOND);
    return true;
}
