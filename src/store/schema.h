/* src/store/schema.h -- the tables of the database, and the steps that lead to them.
 *
 * For:      database.c, `starbase store migrate`. docs/store.md describes the tables.
 * Never:    changes a step that was released: a change of the tables is a new step.
 * Tests:    tests/store/schema_test.c
 *
 * The tables use what PostgreSQL has, too: numbers of rows are given in INSERTs, times are integers
 * (milliseconds since 1970), flags are 0 and 1, and upserts are ON CONFLICT. STRICT and the pragmas
 * are the only words of SQLite.
 */
#ifndef SB_STORE_SCHEMA_H
#define SB_STORE_SCHEMA_H

#include <starbase/base.h>

struct sqlite3;

enum {
    SB_SCHEMA_ID = 0x53544253, /* application_id of our databases: "STBS" */
    SB_SCHEMA_ERROR_MAX = 256,
};

typedef struct sb_schema_step {
    const char *summary;
    const char *sql;
} sb_schema_step;

/* Step i leads from version i to i + 1. */
const sb_schema_step *sb_schema_steps(size_t *count);

typedef enum sb_schema_state {
    SB_SCHEMA_CURRENT,
    SB_SCHEMA_EMPTY,   /* no tables at all */
    SB_SCHEMA_OLDER,   /* sb_schema_migrate makes it current */
    SB_SCHEMA_NEWER,   /* made by a later version of the program */
    SB_SCHEMA_FOREIGN, /* the database of another program */
    SB_SCHEMA_UNREADABLE,
} sb_schema_state;

sb_schema_state sb_schema_check(struct sqlite3 *db, int *version);
/* Applies the missing steps, each in a transaction of its own. SB_OK: the tables are current.
 * SB_NOT_ALLOWED: they are newer or foreign. SB_OS_ERROR: SQLite refused; *code is its result.
 * `error` says why. */
SB_MUST_USE sb_result sb_schema_migrate(struct sqlite3 *db, int64_t now_ms, int *code,
                                        char error[SB_SCHEMA_ERROR_MAX]);
/* The same with other steps, for tests. */
SB_MUST_USE sb_result sb_schema_apply(struct sqlite3 *db, const sb_schema_step *steps, size_t count,
                                      int64_t now_ms, int *code, char error[SB_SCHEMA_ERROR_MAX]);

#endif
