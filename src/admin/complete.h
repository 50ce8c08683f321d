/* src/admin/complete.h -- the words that may stand at the end of an unfinished command line.
 *
 * For:      the Tab key of the console and of `starbase ctl`.
 * Never:    asks more than SB_FIND_ROOMS_MAX rooms for the names of players.
 * Tests:    tests/admin/complete_test.c
 */
#ifndef SB_ADMIN_COMPLETE_H
#define SB_ADMIN_COMPLETE_H

#include "admin/admin.h"

typedef void (*sb_complete_fn)(void *context, const char *word);

/* Calls `found` for each word that begins with the last word of the line, which may be empty. */
void sb_admin_complete(sb_admin *admin, const sb_actor *actor, const char *line,
                       sb_complete_fn found, void *context);

#endif
