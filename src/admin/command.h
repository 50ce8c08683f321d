/* src/admin/command.h -- the one table of commands, and a command with its parsed arguments.
 *
 * For:      admin.c, which parses a line by the table and runs it; completion, help, docs/admin.md.
 * May use:  run/ for the state of rooms.
 * Never:    acts while parsing: a line is parsed completely, then the command runs.
 * Tests:    tests/admin/command_test.c
 */
#ifndef SB_ADMIN_COMMAND_H
#define SB_ADMIN_COMMAND_H

#include "admin/actor.h"
#include "admin/reply.h"
#include "admin/words.h"
#include "run/room_loop.h"

typedef enum sb_command_id {
    SB_COMMAND_HELP,
    SB_COMMAND_STATUS,
    SB_COMMAND_PLAYERS,
    SB_COMMAND_KICK,
    SB_COMMAND_BAN,
    SB_COMMAND_UNBAN,
    SB_COMMAND_BANS,
    SB_COMMAND_MUTE,
    SB_COMMAND_UNMUTE,
    SB_COMMAND_SAY,
    SB_COMMAND_TELL,
    SB_COMMAND_MAP,
    SB_COMMAND_MISSION,
    SB_COMMAND_NEXT,
    SB_COMMAND_RESTART,
    SB_COMMAND_END,
    SB_COMMAND_SLOTS,
    SB_COMMAND_PASSWORD,
    SB_COMMAND_BOTS,
    SB_COMMAND_RELOAD,
    SB_COMMAND_SET,
    SB_COMMAND_ROLE,
    SB_COMMAND_FOLLOW,
    SB_COMMAND_DRAIN,
    SB_COMMAND_STOP,
    SB_COMMAND_QUIT,
    /* Chat only. */
    SB_COMMAND_ADMIN, /* !admin CODE */
    SB_COMMAND_VOTE,
    SB_COMMAND_YES,
    SB_COMMAND_NO,
    SB_COMMAND_STATS,
    SB_COMMAND_TOP,
    SB_COMMAND_RULES,
    SB_COMMAND_TIME,
    SB_COMMAND_COUNT
} sb_command_id;

typedef enum sb_argument_kind {
    SB_ARGUMENT_NONE,
    SB_ARGUMENT_PLAYER,   /* name, unique prefix, #id, id, or address: `player` */
    SB_ARGUMENT_TARGET,   /* as PLAYER, or an address, range or name:PATTERN without a player */
    SB_ARGUMENT_DURATION, /* 90s, 10m, 2h, 7d, forever: `duration`; skipped if the word is none */
    SB_ARGUMENT_COUNT,   /* a whole number, or one of `words`, which stand for 0, 1 ...: `number` */
    SB_ARGUMENT_WORD,    /* one word, or a text in quotes: `text` */
    SB_ARGUMENT_TEXT,    /* the rest of the line: `text` */
    SB_ARGUMENT_VALUE,   /* the same with its quotes, for a key: it may be empty, as "" */
    SB_ARGUMENT_KEY,     /* a key of the configuration: `text` */
    SB_ARGUMENT_ROLE,    /* a role of players: `number` is an sb_role */
    SB_ARGUMENT_COMMAND, /* a command: `number` is an sb_command_id */
    SB_ARGUMENT_CHOICE,  /* one of `words`: `number` is its index */
    SB_ARGUMENT_KINDS
} sb_argument_kind;

enum { SB_ARGUMENTS_MAX = 4, SB_ADMIN_LINE_MAX = 512 };

typedef struct sb_argument {
    const char        *name; /* in the help: "PLAYER" */
    sb_argument_kind   kind;
    bool               optional;
    const char *const *words;     /* CHOICE, COUNT (may be NULL); ends with NULL */
    uint32_t           low, high; /* COUNT */
} sb_argument;

/* The rooms that a command applies to. A number in front of the command, or --room N, selects one.
 * A chat line applies to the room of its player. */
typedef enum sb_scope {
    SB_SCOPE_SERVER, /* the whole server: no number allowed */
    SB_SCOPE_ANY,    /* one room, or all rooms without a number */
    SB_SCOPE_ONE,    /* exactly one room: a number is needed where there are several */
    SB_SCOPE_PLAYER, /* the room of the player who is named */
} sb_scope;

enum {
    SB_COMMAND_ACTS = 1,     /* an event: written to the log and to the audit table */
    SB_COMMAND_IN_CHAT = 2,  /* players with the role may type it as a chat line */
    SB_COMMAND_AT_SHELL = 4, /* console and control socket */
    SB_COMMAND_SECRET = 8,   /* the log shows the name of the command without its arguments */
    SB_COMMAND_AGAINST = 16, /* in chat: only against players with a lesser role */
};

typedef struct sb_command {
    const char *name;
    sb_argument arguments[SB_ARGUMENTS_MAX];
    sb_role     least; /* the least role that has it, unless a key lists the role's commands */
    sb_scope    scope;
    unsigned    flags;
    const char *help;
} sb_command;

/* By sb_command_id. */
extern const sb_command sb_commands[SB_COMMAND_COUNT];
/* SB_COMMAND_COUNT: none. */
sb_command_id sb_command_find(const char *name);
/* "kick PLAYER [FOR] [REASON]" */
void sb_command_form(const sb_command *command, char *out, size_t capacity);

/* The value of one argument. */
typedef struct sb_argument_value {
    bool           given;
    const char    *text; /* as written, without quotes; "" if not given */
    uint32_t       number;
    sb_time        duration; /* SB_FOREVER: without end */
    size_t         room;     /* PLAYER: index of the room */
    sb_player_view player;   /* PLAYER; TARGET if a player was named, else peer_id is 0 */
} sb_argument_value;

/* The command of a vote, checked before anybody votes. */
typedef struct sb_command_check {
    const char *unknown;   /* the word that the vote replaces, "%s"; NULL: none */
    bool        is_player; /* by a player's id; else by any word */
} sb_command_check;

typedef struct sb_effects sb_effects;
struct sb_admin;

/* A command with its arguments. Valid while it runs. */
typedef struct sb_call {
    sb_command_id     id;
    const sb_command *command;
    const sb_actor   *actor;
    sb_reply         *reply;
    const sb_effects *effects;
    struct sb_admin  *admin;
    /* NULL: the command runs. Else its arguments are only checked, and players are not looked up.
     */
    const sb_command_check *check;
    sb_time                 now;
    bool                    only_shows; /* set by a command that acts if this time it only showed
                                           something: nothing is recorded */
    size_t            first_room, room_count; /* indices of the rooms that it applies to */
    sb_argument_value values[SB_ARGUMENTS_MAX];
} sb_call;

/* The number of the only room of the call, for lines of the answer; SB_LOG_NO_ROOM: several. */
unsigned sb_call_room(const sb_call *call);
/* "!" in chat, else "": before the names of commands in answers. */
const char *sb_call_mark(const sb_call *call);

#endif
