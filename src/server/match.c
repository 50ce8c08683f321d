/* src/server/match.c -- start and end of a match; the mission and the scores that newcomers get.
 *
 * For:      joining.c, scripts.c, server.c and the operator.
 * Never:    decides who wins: the rules are in src/game/match.c.
 * Spec:     06 §5.10, 09 §7, §8.
 * Tests:    tests/server/match_test.c, empty_room_test.c, spec_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "server/sentence.h"

enum { NO_LIMIT = 0xFF, LIMIT_MAX = 0xFE }; /* limits in a MissionInit (spec 06 §5.10) */

static uint8_t limit_byte(uint32_t limit)
{
    return (uint8_t)(limit > LIMIT_MAX ? LIMIT_MAX : limit);
}

void sb_server_build_mission_init(const sb_server *s, sb_message *out)
{
    const sb_match_config *match = &s->match.config;
    int32_t                left = sb_match_seconds_left(&s->match, s->now);
    *out = (sb_message){ .opcode = SB_OP_MISSION_INIT };
    out->as.mission_init = (sb_mission_init){
        .player_limit = (uint8_t)s->config.max_players,
        .system = s->config.system,
        .time_limit = left < 0 ? NO_LIMIT : limit_byte(match->time_limit_min),
        .frag_limit = match->frag_limit == 0 ? NO_LIMIT : limit_byte(match->frag_limit),
        .end_time = left < 0 ? 0 : (int32_t)sb_server_clock(s) + left,
    };
}

static bool has_later_row(const sb_match *match, const sb_match_row *row)
{
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        if (!match->rows[i].used || match->rows[i].present) continue;
        if (match->rows[i].peer_id == row->peer_id && match->rows[i].left_at > row->left_at)
            return true;
    }
    return false;
}

/* True for the row of a player who left and whose id belongs to another player now, or belonged to
 * one who left later. Other rows of players who left are still sent (spec 09 §7). */
static bool is_id_reused(const sb_server *s, const sb_match_row *row, const sb_player *newcomer)
{
    return !row->present &&
           (row->peer_id == newcomer->peer_id || sb_match_find(&s->match, row->peer_id) ||
            has_later_row(&s->match, row));
}

void sb_server_build_score(const sb_server *s, const sb_match_row *row, sb_message *out)
{
    *out = (sb_message){ .opcode = s->match.config.mode->teams ? SB_OP_SCORE_INIT : SB_OP_SCORE };
    sb_match_score(row, &out->as.score);
}

void sb_server_send_score(sb_server *s, const sb_match_row *row)
{
    sb_server_build_score(s, row, s->out);
    sb_server_send_in_game(s, s->out);
}

void sb_server_send_scores(sb_server *s, const sb_player *to)
{
    bool teams = s->match.config.mode->teams;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        if (!s->match.rows[i].used || is_id_reused(s, &s->match.rows[i], to)) continue;
        sb_server_build_score(s, &s->match.rows[i], s->out);
        sb_server_send(s, to, s->out);
    }
    for (uint8_t team = 0; teams && team < 2; team++) {
        *s->out = (sb_message){ .opcode = SB_OP_TEAM_SCORE };
        sb_match_team_score(&s->match, team, &s->out->as.team_score);
        sb_server_send(s, to, s->out);
    }
}

/* ---- the pause after a match ---- */

static sb_sentence pause_text(const sb_server *s)
{
    sb_sentence line = { .size = 0 };
    sb_sentence_add(&line, "The match is over. The next one starts ");
    if (s->restart_at == SB_TIME_NEVER) {
        sb_sentence_add(&line, "when all players have left, or when the operator starts it.");
        return line;
    }
    sb_time left = s->restart_at > s->now ? s->restart_at - s->now : 0;
    sb_sentence_add(&line, "in ");
    sb_sentence_add_number(&line, (uint64_t)((left + SB_SECOND - 1) / SB_SECOND));
    sb_sentence_add(&line, " s.");
    return line;
}

void sb_server_tell_pause(sb_server *s, const sb_player *p)
{
    sb_sentence line = pause_text(s);
    sb_server_tell(s, p, line.text);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_WAITING, p);
    event.text = sb_text_span(line.text);
    event.value = s->restart_at == SB_TIME_NEVER ? -1 : (s->restart_at - s->now) / SB_SECOND;
    sb_server_report(s, &event, p);
}

/* A stock client shows the scores at the end of a match. A short pause explains itself. */
static void announce_pause(sb_server *s)
{
    sb_sentence line = pause_text(s);
    bool        is_short = s->restart_at - s->now <= PAUSE_ANNOUNCED_SECONDS * SB_SECOND;
    for (size_t i = 0; !is_short && i < s->capacity; i++)
        if (sb_player_is_in_game(&s->players[i])) sb_server_tell(s, &s->players[i], line.text);
}

/* ---- end and start ---- */

void sb_server_finish_match(sb_server *s, sb_end_reason reason)
{
    sb_match_end(&s->match, reason);
    SB_COUNT(s->counters, SB_SERVER_COUNT_MATCHES);
    *s->out = (sb_message){ .opcode = SB_OP_END_GAME };
    s->out->as.end_game.reason = reason;
    sb_server_send_connected(s, s->out);
    sb_server_remove_all_objects(s); /* clients remove theirs, too (spec 09 §8) */
    s->restart_at = s->config.restart_us ? s->now + s->config.restart_us : SB_TIME_NEVER;
    sb_responder_state_changed(s->responder, s->now);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_MATCH_OVER, NULL);
    event.value = reason;
    event.match = &s->match;
    sb_server_report(s, &event, NULL);
    announce_pause(s);
    if (!sb_server_has_players(s)) sb_server_start_match(s); /* no player waits for the next one */
}

/* The time of a match starts with its first player. */
static void restart_match(sb_server *s)
{
    sb_match_restart(&s->match, s->now);
    if (!sb_server_has_players(s)) sb_match_stop_clock(&s->match);
}

void sb_server_begin_anew(sb_server *s)
{
    if (s->match.over) sb_server_start_match(s);
    else restart_match(s);
}

void sb_server_start_match(sb_server *s)
{
    *s->out = (sb_message){ .opcode = SB_OP_RESTART_GAME };
    sb_server_send_connected(s, s->out);
    sb_server_remove_all_objects(s);
    sb_server_forget_losses(s);
    restart_match(s);
    s->restart_at = SB_TIME_NEVER;
    s->restarted_at = s->now;
    sb_responder_state_changed(s->responder, s->now);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_MATCH_STARTED, NULL);
    sb_server_report(s, &event, NULL);
}

void sb_server_end_match(sb_server *s, sb_time now, sb_end_reason reason)
{
    sb_server_set_time(s, now);
    if (!s->match.over) sb_server_finish_match(s, reason);
}

void sb_server_restart_match(sb_server *s, sb_time now)
{
    sb_server_set_time(s, now);
    sb_server_start_match(s);
}

void sb_server_after_combat(sb_server *s)
{
    for (size_t i = 0; s->has_gone_objects && i < s->object_top; i++)
        if (s->objects[i].object_id && s->objects[i].gone)
            sb_server_remove_object(s, &s->objects[i]);
    s->has_gone_objects = false;
    sb_end_reason reason = sb_match_end_if_due(&s->match, s->now);
    if (reason != SB_END_NONE) sb_server_finish_match(s, reason);
}
