/* apps/common/waiting.h -- the line "waiting for HOST" on a terminal while nothing has come.
 *
 * For:      commands that wait for an answer from the network. The caller writes the texts to
 *           stderr, because some commands must not block on it.
 * Never:    shows anything if stderr is not a terminal.
 */
#ifndef SB_APPS_COMMON_WAITING_H
#define SB_APPS_COMMON_WAITING_H

#include <starbase/base.h>

typedef struct sb_waiting {
    bool    enabled, shown;
    sb_time show_at;
    char    text[120];
} sb_waiting;

/* `host` as the user typed it; it is copied. */
void sb_waiting_start(sb_waiting *w, const char *host, sb_time now);
/* The text to write at `now`; NULL: none. The line appears once, after a second. */
const char *sb_waiting_next(sb_waiting *w, sb_time now);
/* Ends the wait. The text that removes the line; NULL: none was shown. */
const char *sb_waiting_end(sb_waiting *w);

#endif
