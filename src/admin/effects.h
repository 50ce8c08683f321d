/* src/admin/effects.h -- what commands do to the server, as callbacks that apps/serve implements.
 *
 * For:      commands (src/admin), so that they can be tested without rooms, threads and sockets.
 * Never:    blocks longer than a room needs to answer; runs on any thread but the main thread.
 */
#ifndef SB_ADMIN_EFFECTS_H
#define SB_ADMIN_EFFECTS_H

#include "admin/command.h"

/* Runs a command and answers through call->reply. */
typedef void (*sb_effect_fn)(void *context, sb_call *call);

struct sb_effects {
    void  *context;
    size_t room_count;
    /* The state of a room, lent until the next call. */
    const sb_room_snapshot *(*snapshot)(void *context, size_t room);
    /* Queues a command for a room; `command->room` is set by the callback. */
    void (*post)(void *context, size_t room, const sb_room_command *command);
    /* A random number, for codes. */
    uint64_t (*random)(void *context);
    /* A command that acts was run: writes the log line and the audit row. `command`: the line
     * without secrets. */
    void (*record)(void *context, const sb_actor *actor, const char *command, const sb_reply *reply,
                   unsigned room);
    /* Keeps a player out who is about to be removed; `duration` 0: as long as configured,
     * SB_TIME_NEVER: without end. Returns for how long; 0: not at all. NULL: nothing keeps the
     * player out. */
    sb_time (*keep_out)(void *context, const sb_call *call, const sb_player_view *player,
                        sb_time duration, const char *reason);
    /* By command. NULL: src/admin runs the command itself if it can; else the answer says that the
     * command is not available. */
    sb_effect_fn run[SB_COMMAND_COUNT];
};

#endif
