/* apps/serve/greeting.c -- what players are told: the lines of the keys motd and rules, the time of
 * the match, and what the store knows.
 *
 * For:      rules.c, and the command table.
 * Tests:    tests/apps/rules_test.py
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "config/placeholders.h"
#include "store/store.h"

#include <string.h>

enum { GREETING_DELAY_US = SB_SECOND };

/* ---- placeholders ---- */

/* From s->snapshot, which must be of this room. */
static sb_placeholder_values values_of(const serve *s, size_t room, const char *player)
{
    const sb_room_snapshot  *seen = s->snapshot;
    const sb_room_config    *config = s->rooms[room].config;
    const sb_rotation_entry *next = sb_rotation_peek(&s->rules->rooms[room].rotation);
    sb_placeholder_values    v = { .server = config->shown_name, .player = player };
    v.system = seen->system;
    v.mission = seen->mode ? seen->mode->label : "";
    v.next_system = next && next->system ? next->system : seen->system;
    v.next_mission = next && next->mission ? next->mission : v.mission;
    v.players = serve_count_people(s);
    v.max_players = seen->player_limit;
    v.seconds_left = seen->seconds_left;
    v.frag_limit = seen->frag_limit;
    return v;
}

/* ---- the greeting ---- */

void serve_greet_later(serve *s, const sb_notice *n)
{
    size_t room = n->room - 1;
    if (s->rooms[room].config->motd.count == 0) return;
    for (size_t i = 0; i < SERVE_GREETINGS_MAX; i++) {
        serve_greeting *g = &s->rules->greetings[i];
        if (g->at != 0) continue;
        *g = (serve_greeting){ .at = n->now + GREETING_DELAY_US, .room = room };
        g->peer_id = n->peer_id;
        memcpy(g->name, n->name, sizeof g->name);
        serve_rules_wake(s, g->at);
        return;
    }
}

static void greet(serve *s, const serve_greeting *g)
{
    const sb_texts *lines = &s->rooms[g->room].config->motd;
    char            text[3 * SB_CHAT_MAX + 1];
    serve_snapshot_room(s, g->room);
    sb_placeholder_values values = values_of(s, g->room, g->name);
    for (size_t i = 0; i < lines->count; i++) {
        (void)sb_placeholder_fill(lines->items[i], &values, text, sizeof text);
        serve_tell(s, g->room, g->peer_id, "%s", text);
    }
}

void serve_greet(serve *s, sb_time now)
{
    for (size_t i = 0; i < SERVE_GREETINGS_MAX; i++) {
        serve_greeting *g = &s->rules->greetings[i];
        if (g->at == 0 || g->at > now) continue;
        greet(s, g);
        g->at = 0;
    }
}

/* ---- the commands ---- */

void serve_run_rules(void *context, sb_call *call)
{
    serve          *s = context;
    const sb_texts *lines = &s->rooms[call->first_room].config->rules;
    char            text[3 * SB_CHAT_MAX + 1];
    serve_snapshot_room(s, call->first_room);
    sb_placeholder_values values = values_of(s, call->first_room, "");
    for (size_t i = 0; i < lines->count; i++) {
        (void)sb_placeholder_fill(lines->items[i], &values, text, sizeof text);
        sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%s", text);
    }
    if (lines->count == 0)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM, "This server has no rules of its own.");
}

void serve_run_time(void *context, sb_call *call)
{
    static const char form[] =
        "%system%, %mission%, time left: %time_left%, kill limit: %frag_limit%";
    serve *s = context;
    char   text[200];
    serve_snapshot_room(s, call->first_room);
    sb_placeholder_values values = values_of(s, call->first_room, "");
    if (s->snapshot->over) snprintf(text, sizeof text, "The match is over.");
    else (void)sb_placeholder_fill(form, &values, text, sizeof text);
    sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%s", text);
}

/* ---- what the store knows ---- */

/* True: there is an answer. */
static bool check_answer(sb_call *call, sb_result result)
{
    if (result == SB_OK) return true;
    sb_reply_refuse(call->reply, SB_LOG_NO_ROOM,
                    result == SB_NOT_ALLOWED
                        ? "This server keeps no statistics."
                        : "The statistics are not ready: ask again in a moment.");
    return false;
}

/* The name of the player who asks, from a new snapshot; "": unknown. */
static const char *asker(serve *s, const sb_call *call)
{
    serve_snapshot_room(s, call->actor->room);
    for (uint32_t i = 0; i < s->snapshot->player_count; i++)
        if (s->snapshot->players[i].view.peer_id == call->actor->peer_id)
            return s->snapshot->players[i].view.name;
    return "";
}

void serve_run_stats(void *context, sb_call *call)
{
    serve          *s = context;
    sb_store_totals t;
    const char     *name = call->values[0].given ? call->values[0].text : asker(s, call);
    if (!check_answer(call, sb_store_player_totals(serve_store(s), name, 0, &t))) return;
    if (t.matches == 0)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM, "Nothing is known of the name %.60s.", name);
    else
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "%s: %lld matches, %lld won, %lld kills, %lld deaths, %lld points, %lld h "
                     "played (all who used this name)",
                     t.name, (long long)t.matches, (long long)t.wins, (long long)t.kills,
                     (long long)t.deaths, (long long)t.score, (long long)(t.seconds / 3600));
}

void serve_run_top(void *context, sb_call *call)
{
    serve          *s = context;
    sb_store_totals best[SB_STORE_TOP_MAX];
    char            list[SB_CHAT_MAX + 1] = "";
    size_t          count = 0, size = 0;
    if (!check_answer(call, sb_store_top(serve_store(s), 0, best, &count))) return;
    for (size_t i = 0; i < count && size < sizeof list; i++)
        size += (size_t)snprintf(list + size, sizeof list - size, "%s%zu. %s: %lld", i ? ", " : "",
                                 i + 1, best[i].name, (long long)best[i].kills);
    if (count == 0) sb_reply_say(call->reply, SB_LOG_NO_ROOM, "No matches are stored yet.");
    else sb_reply_say(call->reply, SB_LOG_NO_ROOM, "Most kills: %s", list);
}
