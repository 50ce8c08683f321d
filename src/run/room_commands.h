/* src/run/room_commands.h -- what the commands of other threads do to a room.
 *
 * For:      room_loop.c.
 */
#ifndef SB_RUN_ROOM_COMMANDS_H
#define SB_RUN_ROOM_COMMANDS_H

#include "run/room_loop.h"

/* Starts the server of a dormant room. */
void sb_room_start(sb_room *room, sb_time now);
void sb_room_run_command(sb_room *room, const sb_room_command *command, sb_time now);
/* Gives an empty room its larger memory. */
void sb_room_move(sb_room *room, sb_time now);

#endif
