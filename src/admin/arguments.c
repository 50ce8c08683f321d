/* src/admin/arguments.c -- reads the arguments of a command by their kinds.
 *
 * For:      arguments.h.
 * Tests:    tests/admin/command_test.c
 */
#include "admin/arguments.h"

#include <string.h>

#include "admin/admin.h"
#include "admin/find_player.h"
#include "admin/run_commands.h"
#include "admin/words.h"
#include "base/suggestion.h"
#include "config/keys.h"

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
    sb_reply_usage(call->reply, sb_call_room(call), "%s: `%s%s`", sentence, sb_call_mark(call),
                   form);
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
    sb_find_rooms rooms = { call->effects, call->first_room, call->room_count, sb_call_mark(call) };
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

void sb_explain_unknown_command(const sb_call *call, const char *name)
{
    sb_suggestion near = sb_suggestion_start(name);
    const char   *mark = sb_call_mark(call);
    for (int i = 0; i < SB_COMMAND_COUNT; i++)
        if (sb_admin_may(call->admin, call->actor, (sb_command_id)i))
            sb_suggestion_try(&near, sb_commands[i].name);
    if (near.best)
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "there is no command `%.40s`; did you mean `%s%s`?", name, mark, near.best);
    else
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "there is no command `%.40s`; `%shelp` lists them", name, mark);
}

static bool read_command(sb_call *call, sb_argument_value *v, char **text)
{
    v->text = sb_words_next(text, NULL);
    v->given = true;
    v->number = sb_command_find(v->text + (v->text[0] == '!'));
    if (v->number != SB_COMMAND_COUNT) return true;
    sb_explain_unknown_command(call, v->text);
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

bool sb_arguments_refuse_duration(sb_reply *reply, const char *text)
{
    size_t size = sb_words_like_duration(text);
    if (size > 0)
        sb_reply_usage(reply, SB_LOG_NO_ROOM,
                       "`%.*s` is no time: write it like 90s, 10m, 2h, 7d, 4w or forever; quotes "
                       "make it a text",
                       (int)size, text);
    return size > 0;
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
    else if (sb_arguments_refuse_duration(call->reply, *text)) return false;
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

/* ---- checks ---- */

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

/* ---- a line's arguments ---- */

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

bool sb_arguments_read(sb_call *call, char *text)
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
