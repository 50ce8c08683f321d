/* src/server/scripts.c -- messages of the game's scripts: chat, teams, restarts; messages of mods.
 *
 * For:      dispatch.c, through the table in opcodes.c; the operator, for chat lines of the server.
 * Spec:     09.
 * Tests:    tests/server/scripts_test.c, match_test.c, relay_test.c, abuse_test.c, told_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

/* ---- chat ---- */

static bool has_same_team(const sb_server *s, const sb_player *a, const sb_player *b)
{
    return a == b || sb_match_same_team(&s->match, a->peer_id, b->peer_id);
}

static void report_chat(const sb_server *s, const sb_player *p, sb_server_event_type type,
                        bool team, sb_span text)
{
    char            utf8[3 * SB_CHAT_MAX + 1];
    sb_server_event event = sb_server_event_about(s, type, p);
    event.text =
        (sb_span){ (const uint8_t *)utf8, sb_utf8_from_windows1252(text, utf8, sizeof utf8) };
    event.other = team;
    sb_server_report(s, &event, p);
}

/* Tells the speaker about the first of several refused lines. */
static void refuse_chat(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_server_refuse(s, p, SB_SERVER_COUNT_CHAT_RATE, bytes);
    if (!p->chat_refused)
        sb_server_tell(s, p, "Your last line was not sent: too many lines. Wait a few seconds.");
    p->chat_refused = true;
}

static bool spend_chat(const sb_server *s, sb_player *p)
{
    return sb_server_spend_token(s, &p->chat, CHAT_LINES_PER_SECOND, CHAT_BURST) ||
           (sb_server_is_attacked(s, p) &&
            sb_server_spend_token(s, &p->chat_attacked, CHAT_ATTACKED_PER_SECOND,
                                  CHAT_ATTACKED_BURST));
}

static bool is_muted(const sb_server *s, const sb_player *p)
{
    return p->muted_until > s->now;
}

/* A space, or a control character, which becomes one (report_chat). */
static bool is_blank(uint8_t c)
{
    return c <= 0x20 || (c >= 0x7F && c < 0xA0);
}

/* True if the line begins with `!admin` as a whole word, in upper or lower case. */
static bool is_code(sb_span text)
{
    static const char word[] = "!admin";
    size_t            size = sizeof word - 1;
    if (text.size < size) return false;
    for (size_t i = 1; i < size; i++)
        if ((text.data[i] | 0x20) != word[i]) return false;
    return text.size == size || is_blank(text.data[size]);
}

/* A line that must not reach other players: a code, or a command of a trusted or muted player. */
static bool is_hidden_command(const sb_server *s, const sb_player *p, sb_span text)
{
    if (!s->config.hide_commands || text.size < 2 || text.data[0] != '!') return false;
    return p->trusted || is_muted(s, p) || is_code(text);
}

/* Tells the speaker about the first of several lines. */
static void refuse_muted(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_server_refuse(s, p, SB_SERVER_COUNT_CHAT_MUTED, bytes);
    if (!p->chat_refused) sb_server_tell(s, p, "You are muted: your line was not sent.");
    p->chat_refused = true;
}

/* Sends the line with the sender's true id to all players or to the sender's team, the sender
 * included (spec 09 §4). Without teams, a team line goes to the sender alone (spec 12 #14). */
void sb_server_handle_chat(sb_server *s, sb_player *p, sb_span bytes)
{
    if (!spend_chat(s, p)) {
        refuse_chat(s, p, bytes);
        return;
    }
    p->active_at = s->now;
    sb_chat chat = s->in->as.chat;
    if (chat.sender != p->peer_id) SB_COUNT(s->counters, SB_SERVER_COUNT_CHAT_RENAMED);
    if (chat.text.size > SB_CHAT_MAX) chat.text.size = SB_CHAT_MAX;
    if (is_hidden_command(s, p, chat.text)) {
        report_chat(s, p, SB_SERVER_COMMAND, false, chat.text);
        return;
    }
    if (is_muted(s, p)) {
        refuse_muted(s, p, bytes);
        return;
    }
    p->chat_refused = false;
    chat.sender = p->peer_id;
    *s->out = (sb_message){ .opcode = s->in->opcode, .as.chat = chat };
    bool    team = s->in->opcode == SB_OP_TEAM_CHAT;
    sb_span line = sb_server_encode(s, s->out);
    if (team) sb_server_relay_to_team(s, p, line, SB_RELIABLE, NULL);
    else sb_server_relay(s, line, SB_RELIABLE, NULL);
    report_chat(s, p, SB_SERVER_CHAT, team, chat.text);
}

void sb_server_relay_to_team(sb_server *s, const sb_player *p, sb_span bytes, sb_delivery delivery,
                             const sb_player *except)
{
    uint16_t slots = 0;
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *to = &s->players[i];
        if (to != except && sb_player_is_in_game(to) && has_same_team(s, p, to))
            slots |= (uint16_t)(1u << i);
    }
    sb_server_relay_to(s, slots, bytes, delivery);
}

void sb_server_say(sb_server *s, sb_time now, sb_span text)
{
    sb_server_set_time(s, now);
    if (text.size > SB_CHAT_MAX) text.size = SB_CHAT_MAX;
    *s->out = (sb_message){ .opcode = SB_OP_CHAT };
    s->out->as.chat = (sb_chat){ .sender = SB_PEER_HOST, .text = text };
    sb_server_send_in_game(s, s->out);
}

void sb_server_tell(sb_server *s, const sb_player *p, const char *text)
{
    sb_span line = sb_text_span(text);
    if (!sb_server_can_queue(s, p, line.size, CHAT_QUEUE_RESERVE)) return;
    *s->out = (sb_message){ .opcode = SB_OP_CHAT };
    s->out->as.chat = (sb_chat){ .sender = SB_PEER_HOST, .text = line };
    sb_server_send(s, p, s->out);
}

bool sb_server_tell_player(sb_server *s, sb_time now, uint8_t peer_id, sb_span text)
{
    sb_server_set_time(s, now);
    sb_player *p = sb_server_find_player(s, peer_id);
    if (!p || !sb_player_is_in_game(p)) return false;
    if (text.size > SB_CHAT_MAX) text.size = SB_CHAT_MAX;
    if (!sb_server_can_queue(s, p, text.size, CHAT_QUEUE_RESERVE)) return true;
    *s->out = (sb_message){ .opcode = SB_OP_CHAT };
    s->out->as.chat = (sb_chat){ .sender = SB_PEER_HOST, .text = text };
    sb_server_send(s, p, s->out);
    return true;
}

bool sb_server_mute(sb_server *s, sb_time now, uint8_t peer_id, sb_time until)
{
    sb_server_set_time(s, now);
    sb_player *p = sb_server_find_player(s, peer_id);
    if (!p) return false;
    p->muted_until = until;
    p->chat_refused = false;
    return true;
}

bool sb_server_trust(sb_server *s, uint8_t peer_id, bool trusted)
{
    sb_player *p = sb_server_find_player(s, peer_id);
    if (p) p->trusted = trusted;
    return p != NULL;
}

/* ---- teams ---- */

/* True if the team would have two players more than the other one with this player. */
static bool is_larger_team(const sb_server *s, const sb_player *p, uint8_t team)
{
    unsigned members[2] = { 0, 0 };
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player    *other = &s->players[i];
        const sb_match_row *row = other != p && sb_player_is_in_game(other)
                                      ? sb_match_find(&s->match, other->peer_id)
                                      : NULL;
        if (row && row->team < 2) members[row->team]++;
    }
    return team < 2 && members[team] > members[1 - team];
}

/* The team that the player gets. The client shows the team that it has chosen until it hears the
 * other one from the server; a ship that was chosen for a team stays. */
static uint8_t balance_team(sb_server *s, const sb_player *p, uint8_t team)
{
    if (s->config.balance == SB_BALANCE_OFF || !is_larger_team(s, p, team)) return team;
    if (s->config.balance == SB_BALANCE_TELL) {
        sb_server_tell(s, p, "Your team is larger than the other one: please change sides.");
        return team;
    }
    sb_server_tell(s, p, "That team is larger: you are in the other one.");
    return (uint8_t)(1 - team);
}

void sb_server_handle_team(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_team team = s->in->as.team;
    if (!s->match.config.mode->teams) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_NO_TEAM_MODE, bytes);
        return;
    }
    if (!sb_server_spend_token(s, &p->teams, TEAM_CHOICES_PER_SECOND, TEAM_BURST)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_TEAM_RATE, bytes);
        return;
    }
    team.team = balance_team(s, p, team.team);
    if (!sb_match_set_team(&s->match, p->peer_id, team.team)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_BAD_VALUE, bytes);
        return;
    }
    *s->out = (sb_message){ .opcode = SB_OP_TEAM };
    s->out->as.team = (sb_team){ .player = p->peer_id, .team = team.team };
    sb_server_relay(s, sb_server_encode(s, s->out), SB_RELIABLE, NULL);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_TEAM, p);
    event.value = team.team;
    p->active_at = s->now;
    sb_server_report(s, &event, p);
}

/* ---- restart (spec 09 §8) ---- */

/* The player who may restart the match: the one with the lowest id in the game. NULL: none. */
static const sb_player *find_acting_host(const sb_server *s)
{
    const sb_player *first = NULL;
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (sb_player_is_in_game(p) && (!first || p->peer_id < first->peer_id)) first = p;
    }
    return first;
}

void sb_server_handle_restart(sb_server *s, sb_player *p, sb_span bytes)
{
    if (!s->config.player_restart || p != find_acting_host(s))
        sb_server_refuse(s, p, SB_SERVER_COUNT_NOT_OPERATOR, bytes);
    else if (s->now - s->restarted_at < RESTART_INTERVAL_SECONDS * SB_SECOND)
        sb_server_refuse(s, p, SB_SERVER_COUNT_RESTART_RATE, bytes);
    else sb_server_start_match(s);
}

/* ---- mods (spec 09 §9.1) ---- */

/* The reason to drop a message of a mod; SB_SERVER_COUNTER_COUNT: none. */
static sb_server_counter find_mod_fault(sb_server *s, sb_player *p, uint8_t policy, sb_span bytes)
{
    if (policy == SB_MOD_DROP || policy == SB_MOD_HOST_ONLY) return SB_SERVER_COUNT_MOD_POLICY;
    if (bytes.size > s->config.mod_bytes_max) return SB_SERVER_COUNT_MOD_OVERSIZED;
    sb_budget_refill(&p->mods, s->now, s->config.mod_per_s,
                     MOD_BURST_SECONDS * s->config.mod_per_s);
    if (!sb_budget_has(&p->mods, 1)) return SB_SERVER_COUNT_MOD_RATE;
    return sb_server_charge_relay(s, p, bytes) ? SB_SERVER_COUNTER_COUNT
                                               : SB_SERVER_COUNT_RELAY_RATE;
}

void sb_server_handle_mod(sb_server *s, sb_player *p, sb_delivery delivery, sb_span bytes)
{
    uint8_t           policy = s->config.mod_policy[bytes.data[0]];
    sb_server_counter fault = find_mod_fault(s, p, policy, bytes);
    if (fault != SB_SERVER_COUNTER_COUNT) {
        sb_server_refuse(s, p, fault, bytes);
        return;
    }
    sb_budget_spend(&p->mods, 1);
    if (policy == SB_MOD_TEAM) sb_server_relay_to_team(s, p, bytes, delivery, p);
    else sb_server_relay(s, bytes, delivery, policy == SB_MOD_ALL ? NULL : p);
}
