/* src/server/match.c -- the start and the end of a match, and what a newcomer is told about it.
 *
 * For:      joining.c, scripts.c, server.c and the operator. The rules are in src/game/match.c.
 * Spec:     06 §5.10, 09 §7, §8.
 */
#include "server/server_internal.h"

static int32_t whole_clock(const sb_server *s)
{
    return (int32_t)sb_server_clock(s);
}

void sb_server_build_mission_init(const sb_server *s, sb_message *out)
{
    const sb_match_config *match = &s->match.config;
    int32_t                left = sb_match_seconds_left(&s->match, s->now);
    *out = (sb_message){ .opcode = SB_OP_MISSION_INIT };
    out->as.mission_init = (sb_mission_init){
        .player_limit = (uint8_t)s->config.max_players,
        .system = s->config.system,
        .time_limit =
            left < 0 ? 0xFF : (uint8_t)(match->time_limit_min > 254 ? 254 : match->time_limit_min),
        .frag_limit = match->frag_limit == 0    ? 0xFF
                      : match->frag_limit > 254 ? 254
                                                : (uint8_t)match->frag_limit,
        .end_time = left < 0 ? 0 : whole_clock(s) + left,
    };
}

/* Those who left stay in the table (spec 09 §7), unless somebody else has their id by now. */
static bool is_id_reused(const sb_server *s, const sb_match_row *row, const sb_player *newcomer)
{
    return !row->present &&
           (row->peer_id == newcomer->peer_id || sb_match_find(&s->match, row->peer_id));
}

void sb_server_send_scores(sb_server *s, const sb_player *to)
{
    bool teams = s->match.config.mode->teams;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        const sb_match_row *row = &s->match.rows[i];
        if (!row->used || is_id_reused(s, row, to)) continue;
        s->out = (sb_message){ .opcode = teams ? 0x3F : 0x37 };
        sb_match_score(row, &s->out.as.score);
        sb_server_send(s, to, &s->out);
    }
    for (uint8_t team = 0; teams && team < 2; team++) {
        s->out = (sb_message){ .opcode = SB_OP_TEAM_SCORE };
        sb_match_team_score(&s->match, team, &s->out.as.team_score);
        sb_server_send(s, to, &s->out);
    }
}

void sb_server_finish_match(sb_server *s, sb_end_reason reason)
{
    sb_match_end(&s->match, reason);
    s->out = (sb_message){ .opcode = SB_OP_END_GAME };
    s->out.as.end_game.reason = reason;
    sb_server_send_connected(s, &s->out);
    sb_server_remove_all_objects(s); /* clients do the same (spec 09 §8) */
    s->restart_at = s->config.restart_us ? s->now + s->config.restart_us : SB_TIME_NEVER;
    sb_responder_state_changed(s->responder, s->now);
    sb_server_event event = sb_server_event_about(s, SB_SERVER_MATCH_OVER, NULL);
    event.value = reason;
    sb_server_report(s, &event, NULL);
}

void sb_server_start_match(sb_server *s)
{
    s->out = (sb_message){ .opcode = SB_OP_RESTART_GAME };
    sb_server_send_connected(s, &s->out);
    sb_server_remove_all_objects(s);
    sb_match_restart(&s->match, s->now);
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
    for (size_t i = 0; s->has_gone_objects && i < OBJECTS_MAX; i++)
        if (s->objects[i].object_id && s->objects[i].gone)
            sb_server_remove_object(s, &s->objects[i]);
    s->has_gone_objects = false;
    if (s->match.over) return;
    sb_end_reason reason = sb_match_end_if_due(&s->match, s->now);
    if (reason != SB_END_NONE) sb_server_finish_match(s, reason);
}
