/* src/admin/admin.c -- runs command lines: words, arguments by their kinds, roles, effects.
 *
 * For:      admin.h. In this order: roles and their commands, arguments, rooms, a line.
 * Tests:    tests/admin/command_test.c
 */
#include "admin/admin.h"

#include <stdio.h>
#include <string.h>

#include "admin/find_player.h"
#include "admin/run_commands.h"
#include "admin/words.h"
#include "base/assert.h"
#include "base/suggestion.h"
#include "config/keys.h"

void sb_admin_init(sb_admin *admin, const sb_effects *effects)
{
    *admin = (sb_admin){ .effects = *effects };
    sb_roles_init(&admin->roles);
}

unsigned sb_call_room(const sb_call *call)
{
    return call->room_count == 1 ? (unsigned)call->first_room + 1 : SB_LOG_NO_ROOM;
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

/* ---- arguments ---- */

static const char *const missing[SB_ARGUMENT_KINDS] = {
    [SB_ARGUMENT_PLAYER] = "a name or an id is missing",
    [SB_ARGUMENT_TARGET] = "a name, an id or an address is missing",
    [SB_ARGUMENT_DURATION] = "a time such as 10m or 7d is missing",
    [SB_ARGUMENT_COUNT] = "a number is missing",
    [SB_ARGUMENT_WORD] = "a word is missing",
    [SB_ARGUMENT_TEXT] = "a text is missing",
    [SB_ARGUMENT_VALUE] = "a value is missing",
    [SB_ARGUMENT_KEY] = "a key is missing",
    [SB_ARGUMENT_ROLE] = "a role is missing",
    [SB_ARGUMENT_COMMAND] = "a command is missing",
    [SB_ARGUMENT_CHOICE] = "a word is missing",
};

/* "`kick PLAYER [FOR] [REASON]`" after a sentence. */
static bool refuse_usage(sb_call *call, const char *sentence)
{
    char form[120];
    sb_command_form(call->command, form, sizeof form);
    sb_reply_usage(call->reply, sb_call_room(call), "%s: `%s`", sentence, form);
    return false;
}

static bool refuse_player(sb_call *call, sb_find found, const char *explanation)
{
    char form[120];
    if (found == SB_FIND_NEEDS_ROOM) {
        sb_command_form(call->command, form, sizeof form);
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "%s: `1 %s`", explanation, form);
    } else sb_reply_refuse(call->reply, sb_call_room(call), "%s", explanation);
    return false;
}

/* Players with a role cannot remove or mute each other, except those with a lesser role; votes
 * cannot do that to any of them. */
static bool may_act_against(const sb_call *call, const sb_argument_value *v)
{
    sb_conversation who = sb_conversation_of(v->room, &v->player);
    bool            vote = call->actor->door == SB_DOOR_VOTE;
    bool            checked = (vote || call->actor->door == SB_DOOR_CHAT) &&
                   (call->command->flags & SB_COMMAND_AGAINST) != 0;
    sb_role role = checked ? sb_roles_of(&call->admin->roles, &who) : SB_ROLE_PLAYER;
    return role == SB_ROLE_PLAYER || (!vote && role < call->actor->role);
}

static bool read_player(sb_call *call, sb_argument_value *v, char **text)
{
    char          explanation[SB_FIND_TEXT_MAX];
    sb_find_rooms rooms = { call->effects, call->first_room, call->room_count };
    sb_find       found = sb_find_player(&rooms, text, v, explanation);
    if (found != SB_FIND_ONE) return refuse_player(call, found, explanation);
    if (!may_act_against(call, v)) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "%s has a role%s", v->player.name,
                        call->actor->door == SB_DOOR_VOTE ? "" : " as high as yours");
        return false;
    }
    call->first_room = v->room;
    call->room_count = 1;
    return true;
}

/* An address, a range or a pattern needs no player. */
static bool read_target(sb_call *call, sb_argument_value *v, char **text)
{
    size_t size = strspn(*text, "0123456789./");
    bool   range = strchr(*text, '.') && size > 6 && ((*text)[size] == ' ' || !(*text)[size]);
    if (!range && !sb_words_starts_with(*text, "name:")) return read_player(call, v, text);
    v->text = sb_words_next(text, NULL);
    v->given = true;
    return true;
}

static bool read_key(sb_call *call, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    if (sb_config_find_key(v->text) || sb_config_find_table(v->text)) return true;
    const char *near = sb_config_suggest_key(v->text);
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "there is no key `%.60s`%s%s%s", v->text,
                   near ? "; did you mean `" : "; `starbase serve --keys` lists them",
                   near ? near : "", near ? "`?" : "");
    return false;
}

/* Roles of players; `none` takes a role away. */
static bool read_role(sb_call *call, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    v->number = SB_ROLE_PLAYER;
    if (sb_words_is_same(v->text, "none")) return true;
    for (sb_role r = SB_ROLE_HELPER; r < SB_ROLE_OPERATOR; r++)
        if (sb_words_is_same(v->text, sb_role_words[r])) {
            v->number = r;
            return true;
        }
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                   "there is no role `%.40s`, only helper, moderator, admin and none", v->text);
    return false;
}

static void explain_unknown(sb_reply *reply, const sb_admin *admin, const sb_actor *actor,
                            const char *name)
{
    sb_suggestion near = sb_suggestion_start(name);
    const char   *mark = actor->door == SB_DOOR_CHAT ? "!" : "";
    for (int i = 0; i < SB_COMMAND_COUNT; i++)
        if (sb_admin_may(admin, actor, (sb_command_id)i))
            sb_suggestion_try(&near, sb_commands[i].name);
    if (near.best)
        sb_reply_usage(reply, SB_LOG_NO_ROOM, "there is no command `%.40s`; did you mean `%s%s`?",
                       name, mark, near.best);
    else
        sb_reply_usage(reply, SB_LOG_NO_ROOM, "there is no command `%.40s`; `%shelp` lists them",
                       name, mark);
}

static bool read_command(sb_call *call, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    v->number = sb_command_find(v->text + (v->text[0] == '!'));
    if (v->number != SB_COMMAND_COUNT) return true;
    explain_unknown(call->reply, call->admin, call->actor, v->text);
    return false;
}

static bool find_word(const sb_argument *a, sb_argument_value *v)
{
    for (uint32_t i = 0; a->words && a->words[i]; i++)
        if (sb_words_is_same(v->text, a->words[i])) {
            v->number = i;
            return true;
        }
    return false;
}

static bool read_choice(sb_call *call, const sb_argument *a, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    if (find_word(a, v)) return true;
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`%.40s` is none of %s", v->text, a->name);
    return false;
}

static bool read_count(sb_call *call, const sb_argument *a, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    if (sb_words_parse_number(v->text, a->low, a->high, &v->number) || find_word(a, v)) return true;
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "%s must be a number from %u to %u%s%s, is `%.40s`",
                   a->name, a->low, a->high, a->words ? " or " : "", a->words ? a->words[0] : "",
                   v->text);
    return false;
}

/* A word that is no duration is left for the next argument, unless one is required. */
static bool read_duration(sb_call *call, const sb_argument *a, sb_argument_value *v, char **text)
{
    char   word[24];
    size_t size = strcspn(*text, " \t");
    if (size < sizeof word) {
        memcpy(word, *text, size);
        word[size] = '\0';
        v->given = sb_words_parse_duration(word, &v->duration);
    }
    if (v->given) v->text = sb_words_next(text, NULL);
    return v->given || a->optional || refuse_usage(call, missing[SB_ARGUMENT_DURATION]);
}

/* The rest of the line; quotes around all of it are left out. */
static const char *read_rest(char **text)
{
    char  *rest = *text;
    size_t size = strlen(rest);
    *text += size;
    bool quoted = size >= 2 && rest[0] == '"' && rest[size - 1] == '"' &&
                  memchr(rest + 1, '"', size - 2) == NULL;
    if (!quoted) return rest;
    rest[size - 1] = '\0';
    return rest + 1;
}

/* True if nothing is left for the argument, or `""`, which only values of keys may be: an optional
 * argument then counts as left out if the line ends there. */
static bool is_missing(const sb_argument *a, char **text)
{
    char *at = *text = sb_words_skip_blanks(*text);
    if (*at == '\0') return true;
    if (*at != '"' || a->kind == SB_ARGUMENT_VALUE) return false;
    at = sb_words_skip_blanks(at + 1);
    if (*at != '"') return false;
    at = sb_words_skip_blanks(at + 1);
    if (a->optional && *at) return false;
    *text = at;
    return true;
}

static bool names_player(const sb_argument *a)
{
    return a->kind == SB_ARGUMENT_PLAYER || a->kind == SB_ARGUMENT_TARGET;
}

/* In a check: true if the next word is the one that is not known yet. A text is read as it is. */
static bool is_unknown(const sb_call *call, const sb_argument *a, const char *text)
{
    const char *unknown = call->check ? call->check->unknown : NULL;
    size_t      size = unknown ? strlen(unknown) : 0;
    bool        word = a->kind != SB_ARGUMENT_TEXT && a->kind != SB_ARGUMENT_VALUE;
    return word && size > 0 && strncmp(text, unknown, size) == 0 &&
           (text[size] == '\0' || text[size] == ' ' || text[size] == '\t');
}

static bool check_unknown(sb_call *call, const sb_argument *a, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    if (!call->check->is_player || names_player(a)) return true;
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`%s` is a player, but `%s` takes %s there",
                   v->text, call->command->name, a->name);
    return false;
}

/* Any name may be that of a player who joins later. */
static bool check_player(sb_call *call, const sb_argument *a, sb_argument_value *v, char **text)
{
    bool is_last =
        a + 1 == call->command->arguments + SB_ARGUMENTS_MAX || a[1].kind == SB_ARGUMENT_NONE;
    const char *unknown = call->check->unknown;
    v->text = is_last ? read_rest(text) : sb_words_next(text, NULL);
    v->given = true;
    if (!unknown || !strstr(v->text, unknown)) return true;
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`%s` must stand alone, without quotes", unknown);
    return false;
}

static bool read_argument(sb_call *call, const sb_argument *a, sb_argument_value *v, char **text)
{
    if (is_missing(a, text)) return a->optional || refuse_usage(call, missing[a->kind]);
    if (is_unknown(call, a, *text)) return check_unknown(call, a, v, text);
    if (call->check && names_player(a)) return check_player(call, a, v, text);
    switch (a->kind) {
    case SB_ARGUMENT_PLAYER: return read_player(call, v, text);
    case SB_ARGUMENT_TARGET: return read_target(call, v, text);
    case SB_ARGUMENT_DURATION: return read_duration(call, a, v, text);
    case SB_ARGUMENT_COUNT: return read_count(call, a, v, text);
    case SB_ARGUMENT_KEY: return read_key(call, v, text);
    case SB_ARGUMENT_ROLE: return read_role(call, v, text);
    case SB_ARGUMENT_COMMAND: return read_command(call, v, text);
    case SB_ARGUMENT_CHOICE: return read_choice(call, a, v, text);
    case SB_ARGUMENT_WORD: v->text = sb_words_next(text, NULL); break;
    case SB_ARGUMENT_TEXT: v->text = read_rest(text); break;
    case SB_ARGUMENT_VALUE:
        v->text = *text;
        *text += strlen(*text);
        break;
    case SB_ARGUMENT_NONE:
    case SB_ARGUMENT_KINDS: return true;
    }
    v->given = true;
    return true;
}

static bool read_arguments(sb_call *call, char *text)
{
    const sb_command *c = call->command;
    for (size_t i = 0; i < SB_ARGUMENTS_MAX; i++) call->values[i].text = "";
    for (size_t i = 0; i < SB_ARGUMENTS_MAX && c->arguments[i].kind != SB_ARGUMENT_NONE; i++)
        if (!read_argument(call, &c->arguments[i], &call->values[i], &text)) return false;
    text = sb_words_skip_blanks(text);
    if (*text == '\0') return true;
    sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`%s` takes no %sargument, but `%.40s` follows",
                   c->name, c->arguments[0].kind == SB_ARGUMENT_NONE ? "" : "further ", text);
    return false;
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
    const char *mark = call->actor->door == SB_DOOR_CHAT ? "!" : "";
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
    else explain_unknown(call->reply, call->admin, call->actor, name);
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
           read_arguments(call, text);
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
