/* src/client/players.c -- the table of players: names, teams, scores; and chat.
 *
 * For:      messages of the server about players. A player is identified by the peer id; names come
 *           from the transport's Name records.
 * Spec:     07 §8, §9, 09 §4, §6, §7.
 * Tests:    tests/client/players_test.c, world_test.c
 */
#include "client/client_internal.h"

#include <starbase/message.h>

#include "base/text.h"

#include <string.h>

/* 1 is the host, which may play or chat; 0 and 0xFF are no players. */
bool sb_client_is_player_id(int32_t id)
{
    return id >= 1 && id < SB_PEER_NONE;
}

static sb_seen_player *find_row(sb_client *c, uint8_t peer_id)
{
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++)
        if (c->players[i].used && c->players[i].peer_id == peer_id) return &c->players[i];
    return NULL;
}

/* A free row, or else one of a player that has a name but was never announced. */
static sb_seen_player *find_spare_row(sb_client *c)
{
    sb_seen_player *unlisted = NULL;
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++) {
        sb_seen_player *row = &c->players[i];
        if (!row->used) return row;
        if (!row->in_list && row->peer_id != c->id) unlisted = row;
    }
    return unlisted;
}

sb_seen_player *sb_client_find_or_add_player(sb_client *c, uint8_t peer_id)
{
    sb_seen_player *row = find_row(c, peer_id);
    if (row) return row;
    row = find_spare_row(c);
    if (row) *row = (sb_seen_player){ .used = true, .peer_id = peer_id, .team = SB_NO_TEAM };
    return row;
}

/* ---- names ---- */

void sb_client_name_player(sb_client *c, uint8_t peer_id, sb_span name)
{
    sb_seen_player *row =
        sb_client_is_player_id(peer_id) ? sb_client_find_or_add_player(c, peer_id) : NULL;
    if (row) (void)sb_utf8_from_utf16(name, row->name, sizeof row->name);
}

/* ---- joining and leaving ---- */

static void report_player(sb_client *c, sb_client_event_type type, uint8_t peer_id)
{
    sb_client_event event = sb_client_new_event(c, type);
    event.peer_id = peer_id;
    sb_client_report(c, &event);
}

/* Disconnect, Boot and PlayerList may all come, in any order: the first one counts (07 §9). */
void sb_client_remove_player(sb_client *c, uint8_t peer_id)
{
    sb_seen_player *row = find_row(c, peer_id);
    if (peer_id == c->id) return;
    if (row) {
        report_player(c, SB_CLIENT_PLAYER_LEFT, peer_id);
        row->used = false;
    }
    sb_client_remove_ships_of(c, peer_id);
}

/* The destination does not matter: a stock receiver puts in an object of its own (spec 07 §8). */
sb_result sb_client_handle_player_list(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    (void)bytes;
    if (e->event_class != SB_EVENT_PLAYER || !sb_client_is_player_id(e->peer_id))
        return SB_BAD_VALUE;
    if (e->event_code == SB_CODE_NETWORK_DELETE_PLAYER) sb_client_remove_player(c, e->peer_id);
    if (e->event_code != SB_CODE_NEW_PLAYER_IN_GAME) return SB_OK;
    sb_seen_player *row = sb_client_find_or_add_player(c, e->peer_id);
    if (!row) return SB_FULL;
    row->in_list = true;
    report_player(c, SB_CLIENT_PLAYER_JOINED, e->peer_id);
    return SB_OK;
}

/* A text for the screen (spec 07 §9). It has no id, and names are not unique: nothing changes. */
sb_result sb_client_handle_left_text(sb_client *c, const sb_message *m, sb_span bytes)
{
    (void)c, (void)m, (void)bytes;
    return SB_OK;
}

/* ---- chat ---- */

sb_result sb_client_handle_chat(sb_client *c, const sb_message *m, sb_span bytes)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_CHAT);
    int32_t         sender = m->as.chat.sender;
    if (sender != 0 && !sb_client_is_player_id(sender)) return SB_BAD_VALUE;
    event.peer_id = (uint8_t)sender;
    event.value = m->opcode == SB_OP_TEAM_CHAT;
    event.text = m->as.chat.text;
    event.bytes = bytes;
    sb_client_report(c, &event);
    return SB_OK;
}

/* ---- scores ---- */

/* The row of a player, added if there is none and marked as listed; NULL: the table is full. */
static sb_seen_player *find_or_list_player(sb_client *c, int32_t player)
{
    sb_seen_player *row = sb_client_find_or_add_player(c, (uint8_t)player);
    if (row) row->in_list = true;
    return row;
}

static sb_result check_score_change(const sb_score_change *s)
{
    if (s->killer != 0 && !sb_client_is_player_id(s->killer)) return SB_BAD_VALUE;
    if (!sb_client_is_player_id(s->victim)) return SB_BAD_VALUE;
    for (unsigned i = 0; i < s->entry_count; i++)
        if (!sb_client_is_player_id(s->entries[i].player)) return SB_BAD_VALUE;
    return SB_OK;
}

static void apply_killer(sb_client *c, const sb_score_change *s)
{
    sb_seen_player *row = s->killer != 0 ? find_or_list_player(c, s->killer) : NULL;
    if (!row) return;
    row->kills = s->kills;
    row->score = s->score;
}

/* The message carries new totals, not differences (spec 09 §6). Entries of a stock host that lack
 * ids belong to nobody in particular; killer and victim count all the same. */
sb_result sb_client_handle_score_change(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_score_change *s = &m->as.score_change;
    sb_result              result = check_score_change(s);
    if (result != SB_OK) return result;
    apply_killer(c, s);
    sb_seen_player *row = find_or_list_player(c, s->victim);
    if (row) row->deaths = s->deaths;
    for (unsigned i = 0; i < s->entry_count; i++) {
        row = find_or_list_player(c, s->entries[i].player);
        if (row) row->score = s->entries[i].score;
    }
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_SCORE);
    event.peer_id = (uint8_t)s->killer;
    event.value = s->victim;
    event.bytes = bytes;
    sb_client_report(c, &event);
    return SB_OK;
}

/* Score, ScoreInit. */
sb_result sb_client_handle_score(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_score *s = &m->as.score;
    (void)bytes;
    if (!sb_client_is_player_id(s->player)) return SB_BAD_VALUE;
    sb_seen_player *row = find_or_list_player(c, s->player);
    if (!row) return SB_FULL;
    row->kills = s->kills;
    row->deaths = s->deaths;
    row->score = s->score;
    if (m->opcode == SB_OP_SCORE_INIT) row->team = s->team;
    return SB_OK;
}

sb_result sb_client_handle_team_score(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_team_score *s = &m->as.team_score;
    (void)bytes;
    if (s->team >= SB_CLIENT_TEAMS) return SB_BAD_VALUE;
    c->teams[s->team].kills = s->kills;
    c->teams[s->team].score = s->score;
    return SB_OK;
}

sb_result sb_client_handle_team(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_team *t = &m->as.team;
    (void)bytes;
    if (!sb_client_is_player_id(t->player)) return SB_BAD_VALUE;
    sb_seen_player *row = find_or_list_player(c, t->player);
    if (!row) return SB_FULL;
    row->team = t->team;
    return SB_OK;
}

/* Called at a restart, which keeps the players themselves (spec 09 §8). */
void sb_client_clear_scores(sb_client *c)
{
    memset(c->teams, 0, sizeof c->teams);
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++) {
        sb_seen_player *row = &c->players[i];
        row->kills = row->deaths = row->score = 0;
        row->team = SB_NO_TEAM;
    }
}
