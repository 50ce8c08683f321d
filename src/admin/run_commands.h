/* src/admin/run_commands.h -- the commands that need nothing but snapshots and commands of rooms.
 *
 * For:      admin.c. Every other command is in sb_effects.run.
 */
#ifndef SB_ADMIN_RUN_COMMANDS_H
#define SB_ADMIN_RUN_COMMANDS_H

#include "admin/admin.h"

typedef void (*sb_command_fn)(sb_call *call);

/* NULL: only sb_effects.run can have it. */
sb_command_fn sb_run_command_of(sb_command_id id);
/* The conversation of a player whom a command found. */
sb_conversation sb_conversation_of(size_t room, const sb_player_view *player);

#endif
