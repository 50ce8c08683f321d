/* src/admin/arguments.h -- the arguments of a command, by the kinds that its row in the table
 * names.
 *
 * For:      admin.c.
 * May use:  snapshots of rooms, to find players; config/ for keys and their suggestions.
 * Never:    knows a command by its name: what one command needs is a kind, for all.
 * Tests:    tests/admin/command_test.c
 */
#ifndef SB_ADMIN_ARGUMENTS_H
#define SB_ADMIN_ARGUMENTS_H

#include "admin/command.h"

/* Reads all arguments of call->command from the rest of its line, in place. False: the answer says
 * what is wrong. */
bool sb_arguments_read(sb_call *call, char *text);
/* Answers that there is no command of this name, with one that is similar. */
void sb_explain_unknown_command(const sb_call *call, const char *name);
/* True if the text begins with what looks like a duration but is none: the answer says so. */
bool sb_arguments_refuse_duration(sb_reply *reply, const char *text);

#endif
