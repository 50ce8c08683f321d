/* src/admin/commands.c -- the one table of commands.
 *
 * For:      command.h. A new command is a row here, its id in command.h, and its effect: a function
 *           in run_commands.c or one that apps/serve puts into sb_effects.run.
 * Tests:    tests/admin/command_test.c
 */
#include "admin/command.h"

#include <stdio.h>
#include <string.h>

#include "admin/words.h"

const char *const sb_role_words[SB_ROLES + 1] = {
    [SB_ROLE_PLAYER] = "player", [SB_ROLE_HELPER] = "helper",     [SB_ROLE_MODERATOR] = "moderator",
    [SB_ROLE_ADMIN] = "admin",   [SB_ROLE_OPERATOR] = "operator",
};

static const char *const on_off[] = { "off", "on", NULL };
static const char *const only_off[] = { "off", NULL };

#define PLAYER                                                                                     \
    {                                                                                              \
        "PLAYER", SB_ARGUMENT_PLAYER, false, NULL, 0, 0                                            \
    }
#define TARGET                                                                                     \
    {                                                                                              \
        "WHO", SB_ARGUMENT_TARGET, false, NULL, 0, 0                                               \
    }
#define FOR                                                                                        \
    {                                                                                              \
        "FOR", SB_ARGUMENT_DURATION, true, NULL, 0, 0                                              \
    }
#define REASON                                                                                     \
    {                                                                                              \
        "REASON", SB_ARGUMENT_TEXT, true, NULL, 0, 0                                               \
    }
#define TEXT                                                                                       \
    {                                                                                              \
        "TEXT", SB_ARGUMENT_TEXT, false, NULL, 0, 0                                                \
    }
#define WORD(name)                                                                                 \
    {                                                                                              \
        name, SB_ARGUMENT_WORD, false, NULL, 0, 0                                                  \
    }
#define MAYBE(name)                                                                                \
    {                                                                                              \
        name, SB_ARGUMENT_WORD, true, NULL, 0, 0                                                   \
    }
#define REST(name)                                                                                 \
    {                                                                                              \
        name, SB_ARGUMENT_TEXT, false, NULL, 0, 0                                                  \
    }
#define OPTIONS(name)                                                                              \
    {                                                                                              \
        name, SB_ARGUMENT_TEXT, true, NULL, 0, 0                                                   \
    }
#define VALUE(name, optional)                                                                      \
    {                                                                                              \
        name, SB_ARGUMENT_VALUE, optional, NULL, 0, 0                                              \
    }
#define SHELL   SB_COMMAND_AT_SHELL
#define CHAT    SB_COMMAND_IN_CHAT
#define BOTH    (SHELL | CHAT)
#define ACTS    SB_COMMAND_ACTS
#define SECRET  SB_COMMAND_SECRET
#define AGAINST SB_COMMAND_AGAINST

/* clang-format off */
const sb_command sb_commands[SB_COMMAND_COUNT] = {
    [SB_COMMAND_HELP] = { "help", { { "COMMAND", SB_ARGUMENT_COMMAND, true, NULL, 0, 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_SERVER, BOTH, "list the commands, or explain one" },
    [SB_COMMAND_STATUS] = { "status", { { 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_ANY, SHELL,
        "show rooms, players with ids and queues, refusals" },
    [SB_COMMAND_PLAYERS] = { "players", { { 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_ANY, BOTH, "list the players: id, name, ship, score, role" },
    [SB_COMMAND_KICK] = { "kick", { PLAYER, FOR, REASON },
        SB_ROLE_MODERATOR, SB_SCOPE_PLAYER, BOTH | ACTS | AGAINST,
        "remove a player, who is told the reason and kept out for a while" },
    [SB_COMMAND_BAN] = { "ban", { TARGET, FOR, REASON },
        SB_ROLE_ADMIN, SB_SCOPE_PLAYER, BOTH | ACTS | AGAINST,
        "keep out a player, ADDRESS, ADDRESS/BITS or name:PATTERN" },
    [SB_COMMAND_UNBAN] = { "unban", { REST("NUMBER") },
        SB_ROLE_ADMIN, SB_SCOPE_SERVER, BOTH | ACTS, "end a ban, by its number, address or name" },
    [SB_COMMAND_BANS] = { "bans", { OPTIONS("OPTIONS") },
        SB_ROLE_MODERATOR, SB_SCOPE_SERVER, BOTH | ACTS,
        "list the bans, or those with a text; at the shell also `bans except WHO [FOR] [REASON]`, "
        "`bans export FILE`, `bans import FILE`" },
    [SB_COMMAND_MUTE] = { "mute", { PLAYER, FOR, REASON },
        SB_ROLE_HELPER, SB_SCOPE_PLAYER, BOTH | ACTS | AGAINST,
        "stop passing on what a player writes; the player is told" },
    [SB_COMMAND_UNMUTE] = { "unmute", { PLAYER },
        SB_ROLE_HELPER, SB_SCOPE_PLAYER, BOTH | ACTS, "pass on again what a player writes" },
    [SB_COMMAND_SAY] = { "say", { TEXT },
        SB_ROLE_HELPER, SB_SCOPE_ANY, BOTH | ACTS, "send a chat line as the server" },
    [SB_COMMAND_TELL] = { "tell", { PLAYER, TEXT },
        SB_ROLE_HELPER, SB_SCOPE_PLAYER, BOTH | ACTS, "send a chat line to one player" },
    [SB_COMMAND_MAP] = { "map", { WORD("SYSTEM") },
        SB_ROLE_ADMIN, SB_SCOPE_ONE, BOTH | ACTS,
        "change the star system: at once in an empty room, else when it is empty" },
    [SB_COMMAND_MISSION] = { "mission", { WORD("MISSION") },
        SB_ROLE_ADMIN, SB_SCOPE_ONE, BOTH | ACTS,
        "change the mission: at once in an empty room, else when it is empty" },
    [SB_COMMAND_NEXT] = { "next", { { 0 } },
        SB_ROLE_ADMIN, SB_SCOPE_ONE, BOTH | ACTS, "go on to the next entry of the rotation" },
    [SB_COMMAND_RESTART] = { "restart", { { 0 } },
        SB_ROLE_MODERATOR, SB_SCOPE_ONE, BOTH | ACTS, "start a new match now" },
    [SB_COMMAND_END] = { "end", { { 0 } },
        SB_ROLE_MODERATOR, SB_SCOPE_ONE, BOTH | ACTS,
        "end the match; the next one starts after `restart` seconds" },
    [SB_COMMAND_SLOTS] = { "slots", { { "N", SB_ARGUMENT_COUNT, true, NULL, 0, 16 } },
        SB_ROLE_OPERATOR, SB_SCOPE_ANY, SHELL | ACTS,
        "keep N seats of a room for players with roles; without N: show it" },
    [SB_COMMAND_PASSWORD] = { "password", { VALUE("TEXT", false) },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL | ACTS | SECRET,
        "set the password for players who join from now on; none: \"\"" },
    [SB_COMMAND_BOTS] = { "bots", { { "N", SB_ARGUMENT_COUNT, true, only_off, 0, SB_SERVER_PLAYERS_MAX } },
        SB_ROLE_ADMIN, SB_SCOPE_ANY, BOTH | ACTS,
        "fill the room up to N players with bots; off: none; without N: show them" },
    [SB_COMMAND_RELOAD] = { "reload", { { 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL | ACTS,
        "read the configuration again, as SIGHUP does" },
    [SB_COMMAND_SET] = { "set", { { "KEY", SB_ARGUMENT_KEY, false, NULL, 0, 0 }, VALUE("VALUE", true) },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL | ACTS,
        "change a key of the configuration until the next reload or start; without VALUE: show it" },
    [SB_COMMAND_ROLE] = { "role", { { "PLAYER", SB_ARGUMENT_PLAYER, true, NULL, 0, 0 },
                                    { "ROLE", SB_ARGUMENT_ROLE, true, NULL, 0, 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_PLAYER, SHELL | ACTS,
        "make a code by which a player gets a role: helper, moderator, admin, none" },
    [SB_COMMAND_FOLLOW] = { "follow", { { 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL,
        "show the log as it is written, one JSON object per line, until interrupted" },
    [SB_COMMAND_DRAIN] = { "drain", { { "on|off", SB_ARGUMENT_CHOICE, true, on_off, 0, 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL | ACTS,
        "admit no new players and stop when the matches are over" },
    [SB_COMMAND_STOP] = { "stop", { { 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL | ACTS,
        "say goodbye to the players and stop the server" },
    [SB_COMMAND_QUIT] = { "quit", { { 0 } },
        SB_ROLE_OPERATOR, SB_SCOPE_SERVER, SHELL | ACTS, "the same as stop" },
    [SB_COMMAND_ADMIN] = { "admin", { WORD("CODE") },
        SB_ROLE_PLAYER, SB_SCOPE_SERVER, CHAT | ACTS | SECRET,
        "get the role that the code of the operator stands for" },
    [SB_COMMAND_VOTE] = { "vote", { OPTIONS("WHAT") },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "start a vote; without WHAT: list the votes" },
    [SB_COMMAND_YES] = { "yes", { { 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "vote for it" },
    [SB_COMMAND_NO] = { "no", { { 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "vote against it" },
    [SB_COMMAND_STATS] = { "stats", { OPTIONS("NAME") },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "show what is known of a name" },
    [SB_COMMAND_TOP] = { "top", { { 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "show the best players" },
    [SB_COMMAND_RULES] = { "rules", { { 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "show the rules of this server" },
    [SB_COMMAND_TIME] = { "time", { { 0 } },
        SB_ROLE_PLAYER, SB_SCOPE_ONE, CHAT, "show how long the match goes on" },
};
/* clang-format on */

sb_command_id sb_command_find(const char *name)
{
    for (int i = 0; i < SB_COMMAND_COUNT; i++)
        if (sb_words_is_same(sb_commands[i].name, name)) return (sb_command_id)i;
    return SB_COMMAND_COUNT;
}

void sb_command_form(const sb_command *command, char *out, size_t capacity)
{
    size_t size = (size_t)snprintf(out, capacity, "%s", command->name);
    for (size_t i = 0; i < SB_ARGUMENTS_MAX && size < capacity; i++) {
        const sb_argument *a = &command->arguments[i];
        if (a->kind == SB_ARGUMENT_NONE) return;
        size +=
            (size_t)snprintf(out + size, capacity - size, a->optional ? " [%s]" : " %s", a->name);
    }
}
