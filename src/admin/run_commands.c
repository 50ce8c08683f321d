/* src/admin/run_commands.c -- the commands that need nothing but snapshots and commands of rooms:
 * help, players, kick, mute, say, tell, end, restart, role, admin.
 *
 * Tests:    tests/admin/command_test.c
 */
#include "admin/run_commands.h"

#include <stdio.h>
#include <string.h>

#include "admin/words.h"
#include "base/text.h"

/* ---- texts for players ---- */

/* Stores the text as Windows-1252 in the command. False: it is too long, and the answer says so. */
static bool set_text(sb_call *call, sb_room_command *c, const char *text)
{
    uint8_t bytes[SB_ADMIN_LINE_MAX];
    size_t  size = sb_windows1252_from_utf8(text, bytes, sizeof bytes);
    if (size > SB_CHAT_MAX) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "a chat line has at most %d characters; this one has %zu", SB_CHAT_MAX,
                       size);
        return false;
    }
    if (size > 0) memcpy(c->text, bytes, size);
    c->text[size] = '\0';
    return true;
}

static void post_to_rooms(sb_call *call, const sb_room_command *c)
{
    for (size_t i = call->first_room; i < call->first_room + call->room_count; i++)
        call->effects->post(call->effects->context, i, c);
}

/* To the player of the first argument. */
static bool post_to_player(sb_call *call, sb_room_command c, const char *text)
{
    const sb_argument_value *v = &call->values[0];
    c.peer_id = v->player.peer_id;
    if (!set_text(call, &c, text)) return false;
    call->effects->post(call->effects->context, v->room, &c);
    return true;
}

static void start_about_player(const sb_call *call, sb_log_line *line)
{
    const sb_argument_value *v = &call->values[0];
    sb_reply_start(call->reply, line, (unsigned)v->room + 1);
    sb_log_value_number(line, "peer", v->player.peer_id);
    sb_log_value_word(line, "player", v->player.name);
}

static void end_about_player(sb_call *call, sb_log_line *line)
{
    snprintf(call->reply->summary, sizeof call->reply->summary, "%.*s", (int)line->text_size,
             line->text);
    sb_log_end(line);
}

static const char *name_of(const sb_player_view *player)
{
    return player->name[0] ? player->name : "?";
}

/* ---- help ---- */

static void explain_command(sb_call *call, const sb_command *command)
{
    char        form[120];
    sb_log_line line;
    sb_command_form(command, form, sizeof form);
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    if (call->actor->door == SB_DOOR_CHAT) sb_log_text(&line, "!%s: %s", form, command->help);
    else sb_log_text(&line, "%-28s %s", form, command->help);
    sb_log_value_word(&line, "command", command->name);
    sb_log_value_word(&line, "form", form);
    sb_log_value_word(&line, "help", command->help);
    sb_log_value_word(&line, "least_role", sb_role_words[command->least]);
    sb_log_end(&line);
}

/* One chat line: "!help !players !vote ...". */
static void list_for_chat(sb_call *call)
{
    char   list[SB_CHAT_MAX + 1] = "";
    size_t size = 0;
    for (int i = 0; i < SB_COMMAND_COUNT; i++) {
        if (i == SB_COMMAND_ADMIN || !sb_admin_may(call->admin, call->actor, (sb_command_id)i))
            continue;
        if (!sb_admin_has(call->admin, (sb_command_id)i)) continue;
        int added = snprintf(list + size, sizeof list - size, "%s!%s", size ? " " : "",
                             sb_commands[i].name);
        if (added < 0 || size + (size_t)added >= sizeof list) break;
        size += (size_t)added;
    }
    list[size] = '\0';
    sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%s", list);
}

static void run_help(sb_call *call)
{
    if (call->values[0].given) {
        explain_command(call, &sb_commands[call->values[0].number]);
        return;
    }
    if (call->actor->door == SB_DOOR_CHAT) {
        list_for_chat(call);
        return;
    }
    for (int i = 0; i < SB_COMMAND_COUNT; i++)
        if (sb_admin_may(call->admin, call->actor, (sb_command_id)i) &&
            sb_admin_has(call->admin, (sb_command_id)i))
            explain_command(call, &sb_commands[i]);
    if (call->effects->room_count > 1)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "a number in front selects a room: `2 kick 5 spam`; without a number, status "
                     "and say apply to all %zu rooms",
                     call->effects->room_count);
}

/* ---- players ---- */

static const char *state_of(const sb_player_view *p)
{
    if (p->exploding) return "destroyed";
    if (p->ship && p->ship->model) return p->ship->model->name;
    return p->ship ? "unknown ship" : sb_player_phase_text(p->phase);
}

sb_conversation sb_conversation_of(size_t room, const sb_player_view *p)
{
    return (sb_conversation){ (uint32_t)room + 1, p->peer_id, p->address, p->connected_at };
}

static sb_role role_of(const sb_call *call, size_t room, const sb_player_view *p)
{
    sb_conversation c = sb_conversation_of(room, p);
    return sb_roles_of(&call->admin->roles, &c);
}

static void list_player(sb_call *call, size_t room, const sb_player_view *p)
{
    sb_log_line line;
    char        address[SB_ENDPOINT_TEXT];
    sb_role     role = role_of(call, room, p);
    double      ping_ms = (double)p->peer.round_trip_us / 1000;
    int64_t     seconds = (call->now - p->connected_at) / SB_SECOND;
    if (p->house) snprintf(address, sizeof address, "bot");
    else sb_endpoint_text(p->address, address);
    sb_reply_start(call->reply, &line, (unsigned)room + 1);
    sb_log_text(&line, "#%-3u %-20s %-14s %6d points %3d:%-3d %6.1f ms  %s  %lld min%s%s",
                p->peer_id, name_of(p), state_of(p), p->score, p->kills, p->deaths, ping_ms,
                address, (long long)(seconds / 60), role ? "  " : "",
                role ? sb_role_words[role] : "");
    sb_log_value_number(&line, "peer", p->peer_id);
    sb_log_value_word(&line, "player", p->name);
    sb_log_value_word(&line, "state", state_of(p));
    sb_log_value_number(&line, "score", p->score);
    sb_log_value_number(&line, "kills", p->kills);
    sb_log_value_number(&line, "deaths", p->deaths);
    sb_log_value_figure(&line, "ping_ms", ping_ms);
    sb_log_value_number(&line, "retransmitted", (int64_t)p->peer.retransmitted);
    if (!p->house) sb_log_value_word(&line, "address", address);
    sb_log_value_number(&line, "bot", p->house);
    sb_log_value_number(&line, "seconds", seconds);
    sb_log_value_word(&line, "role", sb_role_words[role]);
    sb_log_value_number(&line, "muted", p->muted);
    if (p->muted) sb_log_text(&line, "  muted");
    sb_log_end(&line);
}

/* "#2 Kirk 120, #3 Spock 80", in as many chat lines as are needed. */
static void list_players_for_chat(sb_call *call, const sb_room_snapshot *seen)
{
    char   list[200] = "";
    size_t size = 0;
    for (uint32_t k = 0; k < seen->player_count; k++) {
        const sb_player_view *p = &seen->players[k].view;
        char                  entry[128];
        int length = snprintf(entry, sizeof entry, "#%u %s %d%s", p->peer_id, name_of(p), p->score,
                              p->house ? " (bot)" : "");
        if (length < 0) continue;
        if (size > 0 && size + (size_t)length + 3 > sizeof list) {
            sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%s", list);
            size = 0;
        }
        size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", size ? ", " : "", entry);
        if (size >= sizeof list) size = sizeof list - 1;
    }
    if (size > 0) sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%s", list);
}

static void run_players(sb_call *call)
{
    size_t count = 0;
    for (size_t i = call->first_room; i < call->first_room + call->room_count; i++) {
        const sb_room_snapshot *seen = call->effects->snapshot(call->effects->context, i);
        count += seen->player_count;
        if (call->actor->door == SB_DOOR_CHAT) list_players_for_chat(call, seen);
        else
            for (uint32_t k = 0; k < seen->player_count; k++)
                list_player(call, i, &seen->players[k].view);
    }
    if (count == 0) sb_reply_say(call->reply, sb_call_room(call), "no players");
}

/* ---- about one player ---- */

static sb_time keep_out(sb_call *call)
{
    const sb_effects        *e = call->effects;
    const sb_argument_value *who = &call->values[0], *span = &call->values[1];
    sb_time                  duration = 0; /* as configured */
    if (span->given) duration = span->duration == SB_FOREVER ? SB_TIME_NEVER : span->duration;
    return e->keep_out ? e->keep_out(e->context, call, &who->player, duration, call->values[2].text)
                       : 0;
}

static void append_kept(sb_log_line *line, sb_time kept)
{
    char time[48];
    if (kept == SB_TIME_NEVER) sb_log_text(line, " and kept out without end");
    if (kept <= 0 || kept == SB_TIME_NEVER) return;
    sb_words_print_duration(kept, time, sizeof time);
    sb_log_text(line, " and kept out for %s", time);
    sb_log_value_number(line, "seconds", kept / SB_SECOND);
}

/* The player is removed last: a client may come back at once, before a slow disk has the kick. */
static void run_kick(sb_call *call)
{
    const sb_argument_value *who = &call->values[0], *reason = &call->values[2];
    sb_room_command          c = { .type = SB_ROOM_KICK, .peer_id = who->player.peer_id };
    sb_log_line              line;
    if (!set_text(call, &c, reason->text)) return;
    sb_time kept = keep_out(call);
    call->effects->post(call->effects->context, who->room, &c);
    start_about_player(call, &line);
    sb_log_text(&line, "player %u %s is removed", who->player.peer_id, name_of(&who->player));
    append_kept(&line, kept);
    sb_log_value_word(&line, "reason", reason->text);
    end_about_player(call, &line);
}

static void run_tell(sb_call *call)
{
    sb_log_line line;
    if (!post_to_player(call, (sb_room_command){ .type = SB_ROOM_TELL }, call->values[1].text))
        return;
    start_about_player(call, &line);
    sb_log_text(&line, "told player %u %s: %s", call->values[0].player.peer_id,
                name_of(&call->values[0].player), call->values[1].text);
    end_about_player(call, &line);
}

/* Stores a mute that has an end, in place of an earlier one of the address, or else of the one that
 * ends first. `until` 0 or never: removes it. */
static void store_mute(sb_admin *admin, uint32_t address, sb_time until)
{
    sb_mute *best = &admin->mutes[0];
    for (size_t i = 0; i < SB_MUTES_MAX; i++) {
        sb_mute *m = &admin->mutes[i];
        if (m->until != 0 && m->address == address) {
            best = m;
            break;
        }
        if (m->until < best->until) best = m;
    }
    bool has_end = until != 0 && until != SB_TIME_NEVER;
    if (has_end) *best = (sb_mute){ address, until };
    else if (best->address == address) best->until = 0;
}

static void set_mute(sb_call *call, sb_time until, const char *told)
{
    sb_log_line              line;
    char                     time[48] = "until the player leaves";
    const sb_argument_value *v = &call->values[0];
    if (!post_to_player(call, (sb_room_command){ .type = SB_ROOM_MUTE, .until = until }, told))
        return;
    store_mute(call->admin, v->player.address.address, until);
    if (until != SB_TIME_NEVER) sb_words_print_duration(until - call->now, time, sizeof time);
    start_about_player(call, &line);
    if (until)
        sb_log_text(&line, "player %u %s is muted: %s", v->player.peer_id, name_of(&v->player),
                    time);
    else sb_log_text(&line, "player %u %s is heard again", v->player.peer_id, name_of(&v->player));
    sb_log_value_number(&line, "muted", until != 0);
    if (until != 0 && until != SB_TIME_NEVER)
        sb_log_value_number(&line, "seconds", (until - call->now) / SB_SECOND);
    end_about_player(call, &line);
}

static void run_mute(sb_call *call)
{
    char                     told[SB_CHAT_MAX + 1];
    const char              *reason = call->values[2].text;
    const sb_argument_value *span = &call->values[1];
    snprintf(told, sizeof told, "You are muted: other players do not see what you write.%s%.120s",
             reason[0] ? " " : "", reason);
    set_mute(call, span->given && span->duration > 0 ? call->now + span->duration : SB_TIME_NEVER,
             told);
}

static void run_unmute(sb_call *call)
{
    set_mute(call, 0, "You are no longer muted.");
}

/* ---- the room ---- */

static void run_say(sb_call *call)
{
    sb_room_command c = { .type = SB_ROOM_SAY };
    if (!set_text(call, &c, call->values[0].text)) return;
    post_to_rooms(call, &c);
    sb_reply_say(call->reply, sb_call_room(call), "said: %s", call->values[0].text);
}

static void run_end(sb_call *call)
{
    const sb_effects *e = call->effects;
    if (e->snapshot(e->context, call->first_room)->over) {
        sb_reply_refuse(call->reply, sb_call_room(call),
                        "the match is over already; `restart` starts the next one");
        return;
    }
    post_to_rooms(call, &(sb_room_command){ .type = SB_ROOM_END_MATCH });
    sb_reply_say(call->reply, sb_call_room(call), "the match ends");
}

static void run_restart(sb_call *call)
{
    post_to_rooms(call, &(sb_room_command){ .type = SB_ROOM_RESTART_MATCH });
    sb_reply_say(call->reply, sb_call_room(call), "a new match starts");
}

/* ---- roles ---- */

static void list_roles(sb_call *call)
{
    size_t count = 0;
    for (size_t i = 0; i < SB_ROLE_HOLDERS_MAX; i++) {
        const sb_role_holder *h = &call->admin->roles.holders[i];
        sb_log_line           line;
        if (h->role == SB_ROLE_PLAYER) continue;
        count++;
        sb_reply_start(call->reply, &line, h->player.room);
        sb_log_text(&line, "#%u %s is %s", h->player.peer_id, h->name, sb_role_words[h->role]);
        sb_log_value_number(&line, "peer", h->player.peer_id);
        sb_log_value_word(&line, "player", h->name);
        sb_log_value_word(&line, "role", sb_role_words[h->role]);
        sb_log_end(&line);
    }
    if (count == 0)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "no player has a role; `role PLAYER admin` makes a code for one");
}

/* Tells the room whether chat lines of the player that begin with `!` are hidden from others. */
static void trust(const sb_call *call, size_t room, uint8_t peer_id, bool trusted)
{
    sb_room_command c = { .type = SB_ROOM_TRUST, .peer_id = peer_id, .index = trusted };
    call->effects->post(call->effects->context, room, &c);
}

static void take_role(sb_call *call, const sb_conversation *player)
{
    const sb_argument_value *v = &call->values[0];
    if (!sb_roles_revoke(&call->admin->roles, player)) {
        sb_reply_refuse(call->reply, (unsigned)v->room + 1, "%s has no role", name_of(&v->player));
        return;
    }
    trust(call, v->room, v->player.peer_id, false);
    sb_reply_say(call->reply, (unsigned)v->room + 1, "%s has no role any more",
                 name_of(&v->player));
}

static void make_code(sb_call *call, const sb_conversation *player, sb_role role)
{
    sb_log_line              line;
    const sb_argument_value *v = &call->values[0];
    uint64_t                 random = call->effects->random(call->effects->context);
    uint32_t code = sb_roles_invite(&call->admin->roles, player, role, random, call->now);
    start_about_player(call, &line);
    sb_log_text(&line, "%s becomes %s by typing in chat, within %d seconds: !admin %06u",
                name_of(&v->player), sb_role_words[role], SB_ROLE_CODE_SECONDS, code);
    sb_log_value_word(&line, "role", sb_role_words[role]);
    char digits[16];
    snprintf(digits, sizeof digits, "%06u", code);
    sb_log_value_word(&line, "code", digits);
    sb_log_value_number(&line, "seconds", SB_ROLE_CODE_SECONDS);
    sb_log_end(&line);
    /* Not the code: what the audit keeps may be read by others. */
    snprintf(call->reply->summary, sizeof call->reply->summary, "a code for %s as %s",
             name_of(&v->player), sb_role_words[role]);
}

static void run_role(sb_call *call)
{
    const sb_argument_value *v = &call->values[0], *role = &call->values[1];
    call->only_shows = !role->given;
    if (!v->given) {
        list_roles(call);
        return;
    }
    sb_conversation player = sb_conversation_of(v->room, &v->player);
    if (!role->given)
        sb_reply_say(call->reply, (unsigned)v->room + 1, "%s is %s", name_of(&v->player),
                     sb_role_words[sb_roles_of(&call->admin->roles, &player)]);
    else if (role->number == SB_ROLE_PLAYER) take_role(call, &player);
    else make_code(call, &player, (sb_role)role->number);
}

/* The player who typed a chat line. NULL: the player has left. */
static const sb_player_view *find_actor(const sb_call *call)
{
    const sb_effects       *e = call->effects;
    const sb_room_snapshot *seen = e->snapshot(e->context, call->actor->room);
    for (uint32_t k = 0; k < seen->player_count; k++)
        if (seen->players[k].view.peer_id == call->actor->peer_id) return &seen->players[k].view;
    return NULL;
}

static void run_admin(sb_call *call)
{
    sb_role               role;
    unsigned              room = (unsigned)call->actor->room + 1;
    const sb_player_view *p = find_actor(call);
    if (!p) return;
    sb_conversation player = sb_conversation_of(call->actor->room, p);
    switch (sb_roles_redeem(&call->admin->roles, &player, p->name, call->values[0].text, call->now,
                            &role)) {
    case SB_REDEEM_GIVEN:
        trust(call, call->actor->room, p->peer_id, true);
        sb_reply_say(call->reply, room,
                     "You are %s now. Other players do not see your lines that begin with !",
                     sb_role_words[role]);
        break;
    case SB_REDEEM_WRONG:
        sb_reply_refuse(call->reply, room, "This code is wrong or too old.");
        break;
    case SB_REDEEM_LIMITED:
        sb_reply_refuse(call->reply, room, "Too many attempts. Wait a minute.");
        break;
    }
}

sb_command_fn sb_run_command_of(sb_command_id id)
{
    static const sb_command_fn functions[SB_COMMAND_COUNT] = {
        [SB_COMMAND_HELP] = run_help,       [SB_COMMAND_PLAYERS] = run_players,
        [SB_COMMAND_KICK] = run_kick,       [SB_COMMAND_MUTE] = run_mute,
        [SB_COMMAND_UNMUTE] = run_unmute,   [SB_COMMAND_SAY] = run_say,
        [SB_COMMAND_TELL] = run_tell,       [SB_COMMAND_END] = run_end,
        [SB_COMMAND_RESTART] = run_restart, [SB_COMMAND_ROLE] = run_role,
        [SB_COMMAND_ADMIN] = run_admin,
    };
    return functions[id];
}
