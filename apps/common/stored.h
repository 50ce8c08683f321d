/* apps/common/stored.h -- options and output that stats, matches and store share.
 *
 * For:      subcommands that read the database of a server.
 */
#ifndef SB_APPS_COMMON_STORED_H
#define SB_APPS_COMMON_STORED_H

#include <stdio.h>

#include "common/options.h"
#include "store/query.h"

struct sqlite3;

enum { SB_STORED_TIME = 48 };

/* ---- options of lists ---- */

enum {
    SB_STORED_KEY_STORE = 256,
    SB_STORED_KEY_SINCE,
    SB_STORED_KEY_LIMIT,
    SB_STORED_KEY_JSON,
    SB_STORED_KEY_OWN, /* from here on: keys of a command */
    SB_STORED_LIMIT = 20,
};

typedef struct sb_stored_choice {
    const char   *path, *since; /* since NULL: all */
    int64_t       since_ms;
    unsigned long limit;
    bool          json;
} sb_stored_choice;

/* Reads all options of a command; those from SB_STORED_KEY_OWN on go to `own` (NULL: there are
 * none). SB_OPTIONS_END: go on with the operands. Else the exit status. */
int sb_stored_read_options(sb_stored_choice *choice, sb_options *o, const sb_usage *usage,
                           void (*own)(void *context, int key, const char *argument),
                           void *context);

/* ---- the database ---- */

/* The path of --store; NULL: STARBASE_STORE, else the default of the server. */
const char *sb_stored_path(const char *argument);
/* Opens the database read-only. NULL: said on stderr, as `starbase COMMAND: ...`. */
struct sqlite3 *sb_stored_open(const char *command, const char *path);
/* Reports an error of the database; returns the exit status. */
int sb_stored_fail(const char *command, struct sqlite3 *db);

/* "30d", "12h", "2w", "90m" before now, or a day such as "2026-11-01" (UTC). False: neither. */
bool sb_stored_parse_since(const char *text, int64_t now_ms, int64_t *since_ms);

/* "2026-11-19 21:04"; "-" for 0. UTC. */
const char *sb_stored_time(int64_t ms, char out[SB_STORED_TIME]);
/* "1 h 02 min", "3 min 10 s" */
const char *sb_stored_duration(int64_t seconds, char out[SB_STORED_TIME]);

/* The members of a JSON object, one per column, the first `skip` columns left out; each follows a
 * comma but the first one if `is_first`. */
void sb_stored_print_members(FILE *out, const sb_query_row *row, int skip, bool is_first);
/* A text as a JSON string. */
void sb_stored_print_text(FILE *out, const char *text);

#endif
