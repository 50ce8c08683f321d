/* src/admin/admin.c -- runs command lines: roles, rooms, effects, records.
 *
 * For:      admin.h. In this order: roles and their commands, rooms, a line.
 * Tests:    tests/admin/command_test.c
 */
#include "admin/admin.h"

#include <stdio.h>
#include <string.h>

#include "admin/arguments.h"
#include "admin/run_commands.h"
#include "admin/words.h"
#include "base/assert.h"

void sb_admin_init(sb_admin *admin, const sb_effects *effects)
{
    *admin = (sb_admin){ .effects = *effects };
    sb_roles_init(&admin->roles);
}

unsigned sb_call_room(const sb_call *call)
{
    return call->room_count == 1 ? (unsigned)call->first_room + 1 : SB_LOG_NO_ROOM;
}

const char *sb_call_mark(const sb_call *call)
{
    return call->actor->door == SB_DOOR_CHAT ? "!" : "";
}

/* ---- roles and their commands ---- */

bool sb_admin_allow(sb_admin *admin, sb_role role, const char *const *names, size_t count,
                    const char **wrong)
{
    SB_ASSERT(role > SB_ROLE_PLAYER && role < SB_ROLE_OPERATOR);
    admin->listed[role] = count > 0;
    memset(admin->allowed[role], 0, sizeof admin->allowed[role]);
    for (size_t i = 0; i < count; i++) {
        sb_command_id id = sb_command_find(names[i]);
        if (id == SB_COMMAND_COUNT || !(sb_commands[id].flags & SB_COMMAND_IN_CHAT)) {
            *wrong = names[i];
            return false;
        }
        admin->allowed[role][id] = true;
    }
    return true;
}

/* A role has its own commands and those of every lesser role. */
static bool role_has(const sb_admin *admin, sb_role role, sb_command_id command)
{
    for (sb_role r = SB_ROLE_PLAYER; r <= role; r++) {
        bool own = admin->listed[r] ? admin->allowed[r][command] : sb_commands[command].least == r;
        if (own) return true;
    }
    return false;
}

bool sb_admin_may(const sb_admin *admin, const sb_actor *actor, sb_command_id command)
{
    const sb_command *c = &sb_commands[command];
    bool              chat = actor->door == SB_DOOR_CHAT;
    bool              open = (c->flags & (chat ? SB_COMMAND_IN_CHAT : SB_COMMAND_AT_SHELL)) != 0;
    return open && (actor->role == SB_ROLE_OPERATOR || role_has(admin, actor->role, command));
}

bool sb_admin_has(const sb_admin *admin, sb_command_id command)
{
    return admin->effects.run[command] || sb_run_command_of(command);
}

sb_time sb_admin_muted_until(const sb_admin *admin, uint32_t address, sb_time now)
{
    for (size_t i = 0; i < SB_MUTES_MAX; i++)
        if (admin->mutes[i].until > now && admin->mutes[i].address == address)
            return admin->mutes[i].until;
    return 0;
}

/* ---- rooms ---- */

/* Removes "--room N" or "N" at the start. False: there is no such room, and the answer says so. */
static bool read_room(sb_call *call, char **text, bool *named)
{
    static const char option[] = "--room ";
    char             *at = *text;
    bool              has_option = strncmp(at, option, sizeof option - 1) == 0;
    uint32_t          number;
    if (has_option) at = sb_words_skip_blanks(at + sizeof option - 1);
    size_t digits = strspn(at, "0123456789");
    *named = digits > 0 && (at[digits] == ' ' || at[digits] == '\t' || at[digits] == '\0');
    call->first_room = 0;
    call->room_count = call->effects->room_count;
    if (!*named && !has_option) return true;
    char *word = sb_words_next(&at, NULL);
    if (!word || !sb_words_parse_number(word, 1, (uint32_t)call->room_count, &number)) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "there is no room %.20s, only 1 to %zu",
                       word ? word : "", call->room_count);
        return false;
    }
    *named = true;
    call->first_room = number - 1;
    call->room_count = 1;
    *text = at;
    return true;
}

static bool check_scope(sb_call *call, bool named)
{
    const sb_command *c = call->command;
    char              form[120];
    if (c->scope == SB_SCOPE_SERVER && named) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "`%s` applies to the whole server: leave out the number", c->name);
        return false;
    }
    if (c->scope != SB_SCOPE_ONE || call->room_count == 1) return true;
    sb_command_form(c, form, sizeof form);
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "put the number of the room in front: `1 %s`",
                   form);
    return false;
}

/* ---- a line ---- */

static bool is_secret(const sb_call *call)
{
    bool password = call->id == SB_COMMAND_SET && strcmp(call->values[0].text, "password") == 0;
    return password || (call->command->flags & SB_COMMAND_SECRET) != 0;
}

/* The whole line for log and audit, without what must stay secret. */
static void record(const sb_call *call, const char *line)
{
    bool acts = (call->command->flags & SB_COMMAND_ACTS) && !call->only_shows;
    if (!acts || !call->effects->record || call->reply->status == SB_REPLY_USAGE) return;
    unsigned room = call->command->scope == SB_SCOPE_SERVER ? SB_LOG_NO_ROOM : sb_call_room(call);
    call->effects->record(call->effects->context, call->actor,
                          is_secret(call) ? call->command->name : line, call->reply, room);
}

static void run_effect(sb_call *call)
{
    sb_effect_fn  effect = call->effects->run[call->id];
    sb_command_fn own = sb_run_command_of(call->id);
    if (effect) effect(call->effects->context, call);
    else if (own) own(call);
    else {
        call->only_shows = true;
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "`%s` is not available on this server",
                        call->command->name);
    }
}

/* A command that the actor may not use is answered like one that does not exist, except that
 * players with a role learn that theirs is too low. */
static bool find_command(sb_call *call, const char *name)
{
    const char *mark = sb_call_mark(call);
    call->id = sb_command_find(name);
    bool known = call->id != SB_COMMAND_COUNT;
    if (known && sb_admin_may(call->admin, call->actor, call->id)) {
        call->command = &sb_commands[call->id];
        return true;
    }
    if (known && (sb_commands[call->id].flags & SB_COMMAND_AT_SHELL) == 0)
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`%s` works in the game's chat only: `!%s`",
                       name, name);
    else if (known && call->actor->role > SB_ROLE_PLAYER)
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "`%s%s` is not for the role %s", mark, name,
                        sb_role_words[call->actor->role]);
    else sb_explain_unknown_command(call, name);
    return false;
}

/* Fills the call from a line. False: the answer says what is wrong. */
static bool parse(sb_call *call, char *text)
{
    sb_door door = call->actor->door;
    bool    named = true, chat = door == SB_DOOR_CHAT || door == SB_DOOR_VOTE;
    if (!chat && !read_room(call, &text, &named)) return false;
    if (chat) {
        call->first_room = call->actor->room;
        call->room_count = 1;
    }
    char *name = sb_words_next(&text, NULL);
    if (!name)
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "a command is missing; `help` lists them");
    return name && find_command(call, name) && check_scope(call, named && !chat) &&
           sb_arguments_read(call, text);
}

bool sb_admin_check(sb_admin *admin, const sb_actor *actor, const char *line,
                    const sb_command_check *check, sb_reply *reply)
{
    char    buffer[SB_ADMIN_LINE_MAX];
    sb_call call = { .actor = actor, .reply = reply, .effects = &admin->effects, .admin = admin };
    call.check = check;
    snprintf(buffer, sizeof buffer, "%s", line);
    sb_words_trim_end(buffer);
    return parse(&call, sb_words_skip_blanks(buffer));
}

bool sb_admin_run(sb_admin *admin, const sb_actor *actor, const char *line, sb_time now,
                  sb_reply *reply)
{
    char    buffer[SB_ADMIN_LINE_MAX], whole[SB_ADMIN_LINE_MAX];
    sb_call call = { .actor = actor, .reply = reply, .effects = &admin->effects, .admin = admin };
    if (strlen(line) >= sizeof buffer) {
        sb_reply_usage(reply, SB_LOG_NO_ROOM, "a command has at most %d bytes",
                       SB_ADMIN_LINE_MAX - 1);
        return true;
    }
    call.now = now;
    memcpy(buffer, line, strlen(line) + 1);
    sb_words_trim_end(buffer);
    char *text = sb_words_skip_blanks(buffer);
    memcpy(whole, text, strlen(text) + 1);
    if (*text == '\0') return false;
    if (!parse(&call, text)) return true;
    run_effect(&call);
    record(&call, whole);
    return true;
}
