/* src/store/schema.c -- see schema.h. */
#include "store/schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static const char tables[] =
    "CREATE TABLE schema_step ("
    "  version INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL, summary TEXT NOT NULL) STRICT;"

    "CREATE TABLE match ("
    "  id INTEGER PRIMARY KEY,"
    "  uid TEXT NOT NULL UNIQUE,"
    "  session TEXT NOT NULL,"
    "  room INTEGER NOT NULL,"
    "  server TEXT NOT NULL,"
    "  mission TEXT NOT NULL,"
    "  system TEXT NOT NULL,"
    "  state TEXT NOT NULL,"
    "  reason TEXT NOT NULL,"
    "  started_ms INTEGER NOT NULL,"
    "  revision INTEGER NOT NULL,"
    "  updated_ms INTEGER NOT NULL,"
    "  ended_ms INTEGER NOT NULL,"
    "  CHECK (state IN ('running', 'over', 'abandoned', 'stopped', 'interrupted'))) STRICT;"

    "CREATE TABLE player_match ("
    "  match_id INTEGER NOT NULL REFERENCES match (id) ON DELETE CASCADE,"
    "  player INTEGER NOT NULL,"
    "  name TEXT NOT NULL,"
    "  is_bot INTEGER NOT NULL,"
    "  team INTEGER NOT NULL,"
    "  place INTEGER NOT NULL,"
    "  kills INTEGER NOT NULL,"
    "  deaths INTEGER NOT NULL,"
    "  score INTEGER NOT NULL,"
    "  bot_kills INTEGER NOT NULL,"
    "  bot_deaths INTEGER NOT NULL,"
    "  joined_ms INTEGER NOT NULL,"
    "  left_ms INTEGER NOT NULL,"
    "  seconds INTEGER NOT NULL,"
    "  revision INTEGER NOT NULL,"
    "  updated_ms INTEGER NOT NULL,"
    "  address TEXT NOT NULL,"
    "  PRIMARY KEY (match_id, player)) STRICT;"

    "CREATE TABLE kill ("
    "  match_id INTEGER NOT NULL REFERENCES match (id) ON DELETE CASCADE,"
    "  number INTEGER NOT NULL,"
    "  at_ms INTEGER NOT NULL,"
    "  killer INTEGER NOT NULL,"
    "  victim INTEGER NOT NULL,"
    "  killer_name TEXT NOT NULL,"
    "  victim_name TEXT NOT NULL,"
    "  killer_ship TEXT NOT NULL,"
    "  victim_ship TEXT NOT NULL,"
    "  cause TEXT NOT NULL,"
    "  PRIMARY KEY (match_id, number)) STRICT;"

    "CREATE TABLE chat ("
    "  session TEXT NOT NULL,"
    "  number INTEGER NOT NULL,"
    "  at_ms INTEGER NOT NULL,"
    "  room INTEGER NOT NULL,"
    "  to_team INTEGER NOT NULL,"
    "  match_uid TEXT NOT NULL,"
    "  name TEXT NOT NULL,"
    "  text TEXT NOT NULL,"
    "  PRIMARY KEY (session, number)) STRICT;"

    "CREATE TABLE ban ("
    "  id INTEGER PRIMARY KEY,"
    "  created_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL,"
    "  removed_ms INTEGER NOT NULL,"
    "  is_exception INTEGER NOT NULL,"
    "  kind TEXT NOT NULL,"
    "  network TEXT NOT NULL,"
    "  name TEXT NOT NULL,"
    "  reason TEXT NOT NULL,"
    "  created_by TEXT NOT NULL) STRICT;"

    "CREATE TABLE name_seen ("
    "  name TEXT NOT NULL,"
    "  address TEXT NOT NULL,"
    "  first_ms INTEGER NOT NULL,"
    "  last_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (name, address)) STRICT;"

    "CREATE TABLE audit ("
    "  session TEXT NOT NULL,"
    "  number INTEGER NOT NULL,"
    "  at_ms INTEGER NOT NULL,"
    "  who TEXT NOT NULL,"
    "  command TEXT NOT NULL,"
    "  result TEXT NOT NULL,"
    "  PRIMARY KEY (session, number)) STRICT;";

static const char indexes[] = "CREATE INDEX match_started ON match (started_ms);"
                              "CREATE INDEX match_state ON match (state);"
                              "CREATE INDEX player_match_name ON player_match (lower(name));"
                              "CREATE INDEX player_match_updated ON player_match (updated_ms);"
                              "CREATE INDEX name_seen_last ON name_seen (last_ms);"
                              "CREATE INDEX chat_at ON chat (at_ms);"
                              "CREATE INDEX audit_at ON audit (at_ms);";

static const char totals[] =
    "CREATE VIEW player_total AS"
    "  SELECT max(p.name) AS name, count(DISTINCT p.match_id) AS matches,"
    "    sum(CASE WHEN p.place = 1 AND m.state = 'over' THEN 1 ELSE 0 END) AS wins,"
    "    sum(p.kills - p.bot_kills) AS kills, sum(p.deaths - p.bot_deaths) AS deaths,"
    "    sum(p.score) AS score, sum(p.seconds) AS seconds, max(p.updated_ms) AS last_ms"
    "  FROM player_match p JOIN match m ON m.id = p.match_id"
    "  WHERE p.is_bot = 0 GROUP BY lower(p.name);";

/* As sb_match_winner: equal rows at the top are a draw. */
static const char wins[] =
    "CREATE VIEW match_win AS"
    "  SELECT p.match_id, p.player, p.name"
    "  FROM player_match p JOIN match m ON m.id = p.match_id"
    "  WHERE m.state = 'over' AND p.place = 1 AND (p.kills > 0 OR p.score > 0)"
    "    AND NOT EXISTS (SELECT 1 FROM player_match o WHERE o.match_id = p.match_id"
    "      AND o.player <> p.player AND o.place > 0 AND o.kills = p.kills"
    "      AND o.score = p.score AND o.deaths = p.deaths);"
    "DROP VIEW player_total;"
    "CREATE VIEW player_total AS"
    "  SELECT max(p.name) AS name, count(DISTINCT p.match_id) AS matches,"
    "    sum(CASE WHEN EXISTS (SELECT 1 FROM match_win w WHERE w.match_id = p.match_id"
    "      AND w.player = p.player) THEN 1 ELSE 0 END) AS wins,"
    "    sum(p.kills - p.bot_kills) AS kills, sum(p.deaths - p.bot_deaths) AS deaths,"
    "    sum(p.score) AS score, sum(p.seconds) AS seconds, max(p.updated_ms) AS last_ms"
    "  FROM player_match p WHERE p.is_bot = 0 GROUP BY lower(p.name);";

static const sb_schema_step steps[] = {
    { "tables", tables },
    { "indexes for lists by name and time", indexes },
    { "view player_total: people, without bots of the server", totals },
    { "view match_win: no win without kills or points, nor in a draw", wins },
};

const sb_schema_step *sb_schema_steps(size_t *count)
{
    *count = sizeof steps / sizeof *steps;
    return steps;
}

/* ---- which version ---- */

/* The first column of the first row; -1: SQLite refused. */
static int64_t ask_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t       number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
    if (sqlite3_step(statement) == SQLITE_ROW) number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static sb_schema_state check_against(sqlite3 *db, size_t latest, int *version)
{
    int64_t id = ask_number(db, "PRAGMA application_id");
    int64_t found = ask_number(db, "PRAGMA user_version");
    int64_t objects = ask_number(db, "SELECT count(*) FROM sqlite_master");
    *version = (int)found;
    if (id < 0 || found < 0 || objects < 0) return SB_SCHEMA_UNREADABLE;
    if (id == 0 && objects == 0) return SB_SCHEMA_EMPTY;
    if (id != SB_SCHEMA_ID) return SB_SCHEMA_FOREIGN;
    if (found > (int64_t)latest) return SB_SCHEMA_NEWER;
    return found == (int64_t)latest ? SB_SCHEMA_CURRENT : SB_SCHEMA_OLDER;
}

sb_schema_state sb_schema_check(sqlite3 *db, int *version)
{
    return check_against(db, sizeof steps / sizeof *steps, version);
}

/* ---- steps ---- */

static int run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int note_step(sqlite3 *db, int version, int64_t now_ms, const char *summary)
{
    sqlite3_stmt *statement;
    int           code =
        sqlite3_prepare_v2(db, "INSERT INTO schema_step VALUES (?1, ?2, ?3)", -1, &statement, NULL);
    if (code != SQLITE_OK) return code;
    sqlite3_bind_int(statement, 1, version);
    sqlite3_bind_int64(statement, 2, now_ms);
    sqlite3_bind_text(statement, 3, summary, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Inside a transaction. Pragmas take no parameters. */
static int apply_step(sqlite3 *db, const sb_schema_step *step, int version, int64_t now_ms)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             SB_SCHEMA_ID, version);
    int code = run(db, step->sql);
    if (code == SQLITE_OK) code = note_step(db, version, now_ms, step->summary);
    if (code == SQLITE_OK) code = run(db, pragmas);
    return code;
}

static sb_result explain(sqlite3 *db, sb_schema_state state, int version, int *code, char *error)
{
    *code = sqlite3_errcode(db);
    if (state == SB_SCHEMA_NEWER)
        snprintf(error, SB_SCHEMA_ERROR_MAX,
                 "the database has version %d, made by a later version of starbase: use that "
                 "version, or another file (--store PATH)",
                 version);
    else if (state == SB_SCHEMA_FOREIGN)
        snprintf(error, SB_SCHEMA_ERROR_MAX,
                 "the file is the database of another program: name another file (--store PATH)");
    else snprintf(error, SB_SCHEMA_ERROR_MAX, "%s", sqlite3_errmsg(db));
    return state == SB_SCHEMA_UNREADABLE ? SB_OS_ERROR : SB_NOT_ALLOWED;
}

/* One step, if another process has not made it since. *done: nothing was missing. */
static sb_result next_step(sqlite3 *db, const sb_schema_step *list, size_t count, int64_t now_ms,
                           bool *done, int *code, char *error)
{
    int version = 0;
    if ((*code = run(db, "BEGIN IMMEDIATE")) != SQLITE_OK) {
        snprintf(error, SB_SCHEMA_ERROR_MAX, "%s", sqlite3_errmsg(db));
        return SB_OS_ERROR;
    }
    sb_schema_state state = check_against(db, count, &version);
    sb_result       result = SB_OK;
    *done = state == SB_SCHEMA_CURRENT;
    if (state > SB_SCHEMA_OLDER) result = explain(db, state, version, code, error);
    else if (!*done) *code = apply_step(db, &list[version], version + 1, now_ms);
    if (result == SB_OK && *code == SQLITE_OK) *code = run(db, "COMMIT");
    if (result == SB_OK && *code != SQLITE_OK) {
        snprintf(error, SB_SCHEMA_ERROR_MAX, "%s", sqlite3_errmsg(db));
        result = SB_OS_ERROR;
    }
    if (result != SB_OK) (void)run(db, "ROLLBACK");
    return result;
}

sb_result sb_schema_apply(sqlite3 *db, const sb_schema_step *list, size_t count, int64_t now_ms,
                          int *code, char error[SB_SCHEMA_ERROR_MAX])
{
    int             version;
    sb_schema_state state = check_against(db, count, &version);
    bool            done = state == SB_SCHEMA_CURRENT; /* then no lock is needed */
    *code = SQLITE_OK;
    if (state > SB_SCHEMA_OLDER) return explain(db, state, version, code, error);
    while (!done) {
        sb_result result = next_step(db, list, count, now_ms, &done, code, error);
        if (result != SB_OK) return result;
    }
    return SB_OK;
}

sb_result sb_schema_migrate(sqlite3 *db, int64_t now_ms, int *code, char error[SB_SCHEMA_ERROR_MAX])
{
    return sb_schema_apply(db, steps, sizeof steps / sizeof *steps, now_ms, code, error);
}
