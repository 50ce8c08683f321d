/* apps/ctl/ctl.h -- types and functions that the files of `starbase ctl` share.
 *
 * For:      ctl.c       the command line
 *           connection.c  finds the server and speaks with it
 *           prompt.c    commands typed at a prompt
 *           pages.c     --markdown: docs/admin.md
 */
#ifndef SB_APPS_CTL_H
#define SB_APPS_CTL_H

#include <stdbool.h>
#include <stdio.h>

#include "platform/control_path.h"

enum { CTL_LINE_MAX = 512 };

typedef struct ctl {
    const char *instance; /* NULL: the only one */
    const char *room;     /* a number; NULL: none */
    bool        json;
    bool        awaits; /* an answer, and nothing was said about a server that is slow */
    int         socket;
    char        path[SB_CONTROL_PATH_MAX];
    char       *bytes; /* allocated: received, not read yet */
    size_t      size, at, capacity;
} ctl;

/* ---- connection.c ---- */

/* Prints the servers of this machine. Returns the exit status. */
int ctl_list_servers(void);
/* Connects; false: stderr has the reason and what to do. */
bool ctl_connect(ctl *c);
void ctl_disconnect(ctl *c);
/* Sends a line and prints the answer. Returns the exit status; SB_EXIT_NEGATIVE also if the server
 * has closed the connection. */
int ctl_request(ctl *c, const char *line);
/* After the request `follow`: prints what comes until the server or a signal ends it. */
int ctl_follow(ctl *c);
/* Calls `found` for each word that may stand at the end of the line. */
void ctl_complete(ctl *c, const char *line, void (*found)(void *context, const char *word),
                  void *context);
/* True if the server has closed the connection. */
bool ctl_is_closed(const ctl *c);

/* ---- prompt.c ---- */

int ctl_prompt(ctl *c);

/* ---- pages.c ---- */

void ctl_print_markdown(FILE *out);

#endif
