/* apps/serve/rules.c -- passes notices and deadlines on to bans, votes, rotation, greetings and the
 * look at idle players.
 *
 * For:      rules.h.
 * Tests:    tests/apps/rules_test.py
 */
#include "serve/rules.h"

#include "base/text.h"
#include "base/time.h"
#include "platform/clock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- start and end ---- */

static void set_tables(serve *s, size_t room, const sb_room_config *config)
{
    serve_rules_room *r = &s->rules->rooms[room];
    sb_votes_set_rows(&r->votes, config->votes.rows, config->votes.count);
    sb_rotation_set_entries(&r->rotation, config->rotation.entries, config->rotation.count);
}

bool serve_rules_open(serve *s)
{
    s->rules = calloc(1, sizeof *s->rules);
    if (!s->rules) return false;
    s->rules->due_at = SB_TIME_NEVER;
    s->rules->rooms = calloc(s->room_count, sizeof *s->rules->rooms);
    if (!s->rules->rooms || !serve_bans_open(s)) return false;
    for (size_t i = 0; i < s->room_count; i++) {
        s->rooms[i].bans = &s->rules->bans;
        s->rules->rooms[i].idle_at = SB_TIME_NEVER;
        set_tables(s, i, s->rooms[i].config);
    }
    return true;
}

void serve_rules_close(serve *s)
{
    if (!s->rules) return;
    serve_bans_close(s);
    free(s->rules->rooms);
    free(s->rules);
}

void serve_rules_set_effects(sb_effects *effects)
{
    effects->keep_out = serve_keep_out;
    effects->run[SB_COMMAND_BAN] = serve_run_ban;
    effects->run[SB_COMMAND_UNBAN] = serve_run_unban;
    effects->run[SB_COMMAND_BANS] = serve_run_bans;
    effects->run[SB_COMMAND_VOTE] = serve_run_vote;
    effects->run[SB_COMMAND_YES] = serve_run_yes;
    effects->run[SB_COMMAND_NO] = serve_run_no;
    effects->run[SB_COMMAND_MAP] = serve_run_map;
    effects->run[SB_COMMAND_MISSION] = serve_run_mission;
    effects->run[SB_COMMAND_NEXT] = serve_run_next;
    effects->run[SB_COMMAND_RULES] = serve_run_rules;
    effects->run[SB_COMMAND_TIME] = serve_run_time;
    effects->run[SB_COMMAND_STATS] = serve_run_stats;
    effects->run[SB_COMMAND_TOP] = serve_run_top;
}

/* An open vote is over: its rows belong to the old configuration. */
static bool is_same_game(const sb_room_config *a, const sb_room_config *b)
{
    return a->server.system == b->server.system && a->server.match.mode == b->server.match.mode;
}

void serve_rules_reload(serve *s, const sb_process_config *next)
{
    for (size_t i = 0; i < s->room_count; i++) {
        serve_rules_room     *r = &s->rules->rooms[i];
        const sb_room_config *config = &next->rooms[i];
        if (r->votes.open) serve_say(s, i, "The settings have changed: the vote is over.");
        if (!is_same_game(s->rooms[i].config, config)) sb_rotation_forget_choice(&r->rotation);
        set_tables(s, i, config);
    }
}

void serve_rules_reloaded(serve *s)
{
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < s->room_count; i++) {
        serve_rules_room *r = &s->rules->rooms[i];
        if (r->rotation.has_choice) serve_rotation_reloaded(s, i);
        r->idle_at = now;
    }
    serve_rules_wake(s, now);
}

/* ---- notices and deadlines ---- */

/* Voters must hear the server: the whole join of anybody else may be forged (spec 01 §5.4). */
static void ask_proof(serve *s, size_t room, uint8_t peer_id)
{
    serve_post_to_room(s, room, (sb_room_command){ .type = SB_ROOM_ASK_PROOF, .peer_id = peer_id });
}

static void note_left(serve *s, size_t room, const sb_notice *n)
{
    serve_rules_room *r = &s->rules->rooms[room];
    serve_rotation_left(s, room);
    if (!n->other || n->house) return;
    if (r->people > 0) r->people--;
    serve_votes_leave(s, room, n->peer_id, n->now);
    if (r->people == 0) serve_rotation_emptied(s, room, n->now);
}

void serve_rules_notice(serve *s, const sb_notice *n)
{
    size_t            room = n->room - 1;
    serve_rules_room *r = &s->rules->rooms[room];
    switch (n->type) {
    case SB_NOTICE_JOINED:
        if (n->house) break;
        ask_proof(s, room, n->peer_id);
        if (r->people++ == 0) r->idle_at = n->now;
        serve_greet_later(s, n);
        serve_rules_wake(s, r->idle_at);
        break;
    case SB_NOTICE_LEFT: note_left(s, room, n); break;
    case SB_NOTICE_MATCH_STARTED: r->over = false; break;
    case SB_NOTICE_MATCH_OVER:
        r->over = true;
        serve_rotation_match_over(s, room, n->now);
        serve_rules_wake(s, sb_rotation_deadline(&r->rotation));
        break;
    default: break;
    }
}

static sb_time room_deadline(const serve_rules_room *r)
{
    sb_time next = sb_time_earlier(r->idle_at, sb_votes_deadline(&r->votes));
    return sb_time_earlier(next, sb_rotation_deadline(&r->rotation));
}

static sb_time find_deadline(const serve *s)
{
    sb_time next = s->rules->bans.expires_at;
    for (size_t i = 0; i < SERVE_GREETINGS_MAX; i++) {
        sb_time at = s->rules->greetings[i].at;
        if (at != 0) next = sb_time_earlier(next, at);
    }
    for (size_t i = 0; i < s->room_count; i++)
        next = sb_time_earlier(next, room_deadline(&s->rules->rooms[i]));
    return next;
}

static void advance(serve *s, void *context)
{
    sb_time now = sb_clock_now();
    (void)context;
    s->rules->due_at = SB_TIME_NEVER;
    serve_bans_advance(s, now);
    serve_greet(s, now);
    for (size_t i = 0; i < s->room_count; i++) {
        serve_rules_room *r = &s->rules->rooms[i];
        if (now >= sb_votes_deadline(&r->votes)) serve_votes_advance(s, i, now);
        if (now >= sb_rotation_deadline(&r->rotation)) serve_rotation_advance(s, i, now);
        if (now >= r->idle_at) serve_idle_advance(s, i, now);
    }
    serve_rules_wake(s, find_deadline(s));
}

void serve_rules_wake(serve *s, sb_time at)
{
    if (at >= s->rules->due_at) return;
    s->rules->due_at = at;
    serve_call_at(s, at, advance, NULL);
}

/* ---- texts and players ---- */

void serve_post_to_room(serve *s, size_t room, sb_room_command command)
{
    command.room = (int)s->rooms[room].index;
    serve_post(s, s->rooms[room].loop, &command);
}

static void post_text(serve *s, size_t room, sb_room_command c, const char *format, va_list values)
{
    char text[3 * SB_CHAT_MAX + 1];
    vsnprintf(text, sizeof text, format, values);
    size_t size = sb_windows1252_from_utf8(text, (uint8_t *)c.text, SB_CHAT_MAX);
    c.text[size] = '\0';
    if (size > 0) serve_post_to_room(s, room, c);
}

void serve_tell(serve *s, size_t room, uint8_t peer_id, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    post_text(s, room, (sb_room_command){ .type = SB_ROOM_TELL, .peer_id = peer_id }, format,
              values);
    va_end(values);
}

void serve_say(serve *s, size_t room, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    post_text(s, room, (sb_room_command){ .type = SB_ROOM_SAY }, format, values);
    va_end(values);
}

bool serve_is_person(const sb_player_view *player)
{
    return !player->house;
}

static bool is_in_game(const sb_player_view *p)
{
    return p->phase == SB_PLAYER_LOBBY || p->phase == SB_PLAYER_FLYING;
}

unsigned serve_count_people(const serve *s)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < s->snapshot->player_count; i++) {
        const sb_player_view *p = &s->snapshot->players[i].view;
        count += is_in_game(p) && serve_is_person(p);
    }
    return count;
}
