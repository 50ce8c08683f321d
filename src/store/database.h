/* src/store/database.h -- an open database, and the statements that store entries in it.
 *
 * For:      the writer of the store; opening read-only also for questions and the programs.
 * Never:    retries or waits longer than the limit it was opened with.
 * Tests:    tests/store/database_test.c
 */
#ifndef SB_STORE_DATABASE_H
#define SB_STORE_DATABASE_H

#include <starbase/base.h>

#include "store/entry.h"

struct sqlite3;
struct sqlite3_stmt;

enum { SB_DATABASE_ERROR_MAX = 256, SB_DATABASE_STATEMENTS = 2 };

typedef struct sb_database {
    struct sqlite3      *db; /* NULL: not open */
    struct sqlite3_stmt *statements[SB_STORE_ENTRY_TYPES][SB_DATABASE_STATEMENTS];
    uint64_t             device, file;                 /* the file that was opened */
    char                 error[SB_DATABASE_ERROR_MAX]; /* of the last call that failed */
} sb_database;

/* ---- writing ---- */

/* Opens, sets WAL and synchronous = FULL, and migrates. A lock is waited for `busy_ms`.
 * `may_create`: makes the file if it is missing. SB_OK; else out->error says why and what to do:
 * SB_NOT_ALLOWED: the tables are newer or another program's; SB_OS_ERROR: anything else. */
SB_MUST_USE sb_result sb_database_open(sb_database *out, const char *path, bool may_create,
                                       int busy_ms, int64_t now_ms);
void                  sb_database_close(sb_database *database); /* also if it is not open */
/* Closes a file that has been moved or replaced. The rest of the WAL goes into the moved file:
 * SQLite would apply a WAL that is left to whatever file has this path next, and damage it. */
void sb_database_abandon(sb_database *database);
/* From now on, a lock is waited for so long. */
void sb_database_set_patience(sb_database *database, int busy_ms);
/* False: the path names another file now, or none: what is written would be lost. */
bool sb_database_is_in_place(const sb_database *database, const char *path);

SB_MUST_USE sb_result sb_database_begin(sb_database *database);
SB_MUST_USE sb_result sb_database_commit(sb_database *database); /* else it has rolled back */
void                  sb_database_rollback(sb_database *database);
/* Inside a transaction. SB_BAD_VALUE: the database refuses this entry, and would always.
 * SB_OS_ERROR: it cannot be written now; roll back. */
SB_MUST_USE sb_result sb_database_write(sb_database *database, const sb_store_entry *entry);

/* Matches of other sessions that are "running" become "interrupted", with the standings that they
 * had; the number of them. -1: refused. */
int sb_database_interrupt(sb_database *database, const char *session);
/* Notes that the matches of this session still run. False: refused. */
bool sb_database_touch(sb_database *database, const char *session, int64_t now_ms);
/* Erases addresses of players who were last seen before that. False: refused. */
bool sb_database_erase_addresses(sb_database *database, int64_t before_ms);

/* ---- reading ---- */

/* Opens the file read-only, also on a read-only file system. NULL: `error` says why and what to do.
 * sqlite3_close closes it. */
struct sqlite3 *sb_database_open_to_read(const char *path, int busy_ms,
                                         char error[SB_DATABASE_ERROR_MAX]);

#endif
