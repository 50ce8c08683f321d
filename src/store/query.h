/* src/store/query.h -- questions to the database.
 *
 * For:      the reader thread of the store, `starbase stats`, `matches` and `store`.
 * Never:    writes. Works on a connection of sb_database_open_to_read.
 * Tests:    tests/store/query_test.c
 */
#ifndef SB_STORE_QUERY_H
#define SB_STORE_QUERY_H

#include "store/store.h"

struct sqlite3;

/* Columns and rows as they are: for tables and JSON. Texts are lent until the next row. */
typedef struct sb_query_row {
    int                  count; /* of columns */
    struct sqlite3_stmt *statement;
} sb_query_row;

const char *sb_query_row_name(const sb_query_row *row, int column);
bool        sb_query_row_is_number(const sb_query_row *row, int column);
int64_t     sb_query_row_number(const sb_query_row *row, int column);
const char *sb_query_row_text(const sb_query_row *row, int column); /* never NULL */

typedef void (*sb_query_fn)(void *context, const sb_query_row *row);

/* Each calls `fn` with every row. SB_OS_ERROR: SQLite refused; sqlite3_errmsg says why. */

/* name, matches, wins, kills, deaths, score, seconds, last_ms: the names with most kills. `name`
 * NULL: all names. */
SB_MUST_USE sb_result sb_query_players(struct sqlite3 *db, const char *name, int64_t since_ms,
                                       int64_t limit, sb_query_fn fn, void *context);
/* id, uid, room, server, mission, system, state, reason, started_ms, updated_ms, ended_ms, players,
 * kills, winner: the latest first. `id` 0: all; `name` NULL: all, else only matches with it. */
SB_MUST_USE sb_result sb_query_matches(struct sqlite3 *db, int64_t id, const char *name,
                                       int64_t since_ms, int64_t limit, sb_query_fn fn,
                                       void *context);
/* place, name, is_bot, team, kills, deaths, score, seconds, joined_ms, left_ms, player */
SB_MUST_USE sb_result sb_query_match_players(struct sqlite3 *db, int64_t match_id, sb_query_fn fn,
                                             void *context);
/* at_ms, killer_name, killer_ship, victim_name, victim_ship, cause, number, killer, victim */
SB_MUST_USE sb_result sb_query_match_kills(struct sqlite3 *db, int64_t match_id, sb_query_fn fn,
                                           void *context);
/* All columns of a table of the schema, in the order of its key. `table` is one of
 * sb_query_tables. */
SB_MUST_USE sb_result    sb_query_table(struct sqlite3 *db, const char *table, sb_query_fn fn,
                                        void *context);
extern const char *const sb_query_tables[]; /* ends with NULL */

/* Bans that hold at `now_ms`, and the highest number that a ban has ever had. */
SB_MUST_USE sb_result sb_query_bans(struct sqlite3 *db, int64_t now_ms, sb_store_ban_fn fn,
                                    void *context);
SB_MUST_USE sb_result sb_query_last_ban(struct sqlite3 *db, int64_t *id);
/* One number: the first column of the first row of `sql`, a constant. */
SB_MUST_USE sb_result sb_query_number(struct sqlite3 *db, const char *sql, int64_t *out);

/* Copies a row of sb_query_players. */
void sb_query_read_totals(const sb_query_row *row, sb_store_totals *out);

#endif
