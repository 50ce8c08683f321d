/* apps/common/waiting.c -- the line "waiting for HOST" on a terminal while nothing has come.
 *
 * Tests:    tests/apps/query_test.py, tests/apps/bot_test.py
 */
#include "common/waiting.h"

#include "common/clean_text.h"
#include "platform/terminal.h"

#include <stdio.h>

static const sb_time show_after = SB_SECOND;

void sb_waiting_start(sb_waiting *w, const char *host, sb_time now)
{
    char clean[80];
    *w = (sb_waiting){ .enabled = sb_terminal_is_open(stderr), .show_at = now + show_after };
    (void)sb_clean_utf8(host, clean, sizeof clean);
    snprintf(w->text, sizeof w->text, "\rwaiting for %s ...\033[K", clean);
}

const char *sb_waiting_next(sb_waiting *w, sb_time now)
{
    if (!w->enabled || w->shown || now < w->show_at) return NULL;
    w->shown = true;
    return w->text;
}

const char *sb_waiting_end(sb_waiting *w)
{
    bool shown = w->enabled && w->shown;
    w->enabled = false;
    return shown ? "\r\033[K" : NULL;
}
