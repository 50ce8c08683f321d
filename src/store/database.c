/* src/store/database.c -- see database.h. */
#include "store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "platform/file.h"
#include "store/schema.h"

/* ---- statements ---- */

/* ?N is field N of the entry (entry.c). An entry about a match first makes a row for the match if
 * there is none: the entry of the match itself then fills it in. */
static const char ensure_match[] =
    "INSERT INTO match (id, uid, session, room, server, mission, system, state, reason, started_ms,"
    " revision, updated_ms, ended_ms)"
    " SELECT (SELECT COALESCE(MAX(id), 0) + 1 FROM match), ?1, '', ?2, '', '', '', 'running', '',"
    " ?3, 0, ?3, 0"
    " WHERE NOT EXISTS (SELECT 1 FROM match WHERE uid = ?1)";

static const char update_match[] =
    "UPDATE match SET session = ?4, server = ?5, mission = ?6, system = ?7, state = ?8, reason = "
    "?9,"
    " revision = ?10, updated_ms = ?11, ended_ms = ?12 WHERE uid = ?1 AND revision <= ?10";

static const char upsert_player[] =
    "INSERT INTO player_match (match_id, player, name, is_bot, team, place, kills, deaths, score,"
    " joined_ms, left_ms, seconds, bot_kills, bot_deaths, revision,"
    " updated_ms, address)"
    " SELECT id, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19"
    " FROM match WHERE uid = ?1"
    " ON CONFLICT (match_id, player) DO UPDATE SET name = excluded.name, is_bot = excluded.is_bot,"
    " team = excluded.team, place = excluded.place, kills = excluded.kills,"
    " deaths = excluded.deaths, score = excluded.score, joined_ms = excluded.joined_ms,"
    " left_ms = excluded.left_ms, seconds = excluded.seconds, bot_kills = excluded.bot_kills,"
    " bot_deaths = excluded.bot_deaths, revision = excluded.revision,"
    " updated_ms = excluded.updated_ms, address = excluded.address"
    " WHERE excluded.revision >= player_match.revision";

static const char insert_kill[] =
    "INSERT INTO kill (match_id, number, at_ms, killer, victim, killer_name, victim_name,"
    " killer_ship, victim_ship, cause)"
    " SELECT id, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM match WHERE uid = ?1"
    " ON CONFLICT (match_id, number) DO NOTHING";

static const char insert_chat[] =
    "INSERT INTO chat (session, number, at_ms, room, to_team, match_uid, name, text)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (session, number) DO NOTHING";

static const char insert_ban[] =
    "INSERT INTO ban (id, created_ms, expires_ms, removed_ms, is_exception, kind, network, name,"
    " reason, created_by)"
    " VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO NOTHING";

static const char remove_ban[] = "UPDATE ban SET removed_ms = ?2 WHERE id = ?1 AND removed_ms = 0";

static const char upsert_name[] =
    "INSERT INTO name_seen (name, address, first_ms, last_ms) VALUES (?1, ?2, ?3, ?3)"
    " ON CONFLICT (name, address) DO UPDATE SET"
    " first_ms = CASE WHEN excluded.first_ms < name_seen.first_ms THEN excluded.first_ms"
    " ELSE name_seen.first_ms END,"
    " last_ms = CASE WHEN excluded.last_ms > name_seen.last_ms THEN excluded.last_ms"
    " ELSE name_seen.last_ms END";

static const char insert_audit[] =
    "INSERT INTO audit (session, number, at_ms, who, command, result)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (session, number) DO NOTHING";

static const char *const statements[SB_STORE_ENTRY_TYPES][SB_DATABASE_STATEMENTS] = {
    [SB_STORE_ENTRY_MATCH] = { ensure_match, update_match },
    [SB_STORE_ENTRY_PLAYER] = { ensure_match, upsert_player },
    [SB_STORE_ENTRY_KILL] = { ensure_match, insert_kill },
    [SB_STORE_ENTRY_CHAT] = { insert_chat },
    [SB_STORE_ENTRY_BAN] = { insert_ban },
    [SB_STORE_ENTRY_UNBAN] = { remove_ban },
    [SB_STORE_ENTRY_NAME] = { upsert_name },
    [SB_STORE_ENTRY_AUDIT] = { insert_audit },
};

/* ---- opening ---- */

static void explain(sb_database *d, const char *path, const char *reason)
{
    snprintf(d->error, sizeof d->error, "%.120s: %s", path, reason);
}

/* The texts of SQLite are short; an operator also needs to know what to do. */
static const char *advice(int code)
{
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return " (another program holds it; it is tried again)";
    case SQLITE_FULL: return " (make space on this disk)";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return " (the server's user must be able to write the file and its folder)";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return " (`starbase store check` examines it; move it away to start anew)";
    default: return "";
    }
}

static sb_result refuse(sb_database *d)
{
    snprintf(d->error, sizeof d->error, "%.160s%s", sqlite3_errmsg(d->db),
             advice(sqlite3_errcode(d->db)));
    return SB_OS_ERROR;
}

static sb_result prepare(sb_database *d)
{
    for (size_t i = 0; i < SB_STORE_ENTRY_TYPES; i++)
        for (size_t k = 0; k < SB_DATABASE_STATEMENTS && statements[i][k]; k++)
            if (sqlite3_prepare_v3(d->db, statements[i][k], -1, SQLITE_PREPARE_PERSISTENT,
                                   &d->statements[i][k], NULL) != SQLITE_OK)
                return refuse(d);
    return SB_OK;
}

static bool find_file(const char *path, uint64_t *device, uint64_t *file)
{
    struct stat status;
    if (stat(path, &status) != 0) return false;
    *device = (uint64_t)status.st_dev;
    *file = (uint64_t)status.st_ino;
    return true;
}

/* Only the server's user and group may read addresses. SQLite gives its other files the same mode.
 */
static void make_file(const char *path)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (descriptor >= 0) (void)close(descriptor);
}

static sb_result open_file(sb_database *d, const char *path, bool may_create, int busy_ms)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (may_create ? SQLITE_OPEN_CREATE : 0);
    const char *wrong_kind = sb_file_kind_error(path); /* SQLite would wait at a FIFO */
    if (wrong_kind) {
        explain(d, path, wrong_kind);
        return SB_OS_ERROR;
    }
    if (!may_create && access(path, F_OK) != 0) {
        explain(d, path, "the file is gone; put it back, or restart the server to make a new one");
        return SB_OS_ERROR;
    }
    if (may_create) make_file(path);
    int code = sqlite3_open_v2(path, &d->db, flags, NULL);
    if (!d->db) {
        explain(d, path, "out of memory");
        return SB_OS_ERROR;
    }
    sqlite3_extended_result_codes(d->db, 1);
    sqlite3_busy_timeout(d->db, busy_ms);
    return code == SQLITE_OK ? SB_OK : refuse(d);
}

/* An empty file or one of ours; a file of another program must not be changed by the pragmas. */
static sb_result set_up(sb_database *d, int64_t now_ms)
{
    int             version, code = SQLITE_OK;
    sb_schema_state state = sb_schema_check(d->db, &version);
    if (state == SB_SCHEMA_UNREADABLE) return refuse(d);
    if (state <= SB_SCHEMA_OLDER &&
        sqlite3_exec(d->db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
                     "PRAGMA journal_size_limit = 16777216",
                     NULL, NULL, NULL) != SQLITE_OK)
        return refuse(d);
    sb_result result = sb_schema_migrate(d->db, now_ms, &code, d->error);
    return result == SB_OS_ERROR ? refuse(d) : result;
}

sb_result sb_database_open(sb_database *d, const char *path, bool may_create, int busy_ms,
                           int64_t now_ms)
{
    char error[SB_DATABASE_ERROR_MAX];
    *d = (sb_database){ .db = NULL };
    sb_result result = open_file(d, path, may_create, busy_ms);
    if (result == SB_OK) result = set_up(d, now_ms);
    if (result == SB_OK) result = prepare(d);
    if (result == SB_OK && !find_file(path, &d->device, &d->file)) {
        explain(d, path, "the file has just been removed");
        result = SB_OS_ERROR;
    }
    if (result == SB_OK) return SB_OK;
    memcpy(error, d->error, sizeof error);
    sb_database_close(d);
    memcpy(d->error, error, sizeof error);
    return result;
}

void sb_database_close(sb_database *d)
{
    for (size_t i = 0; i < SB_STORE_ENTRY_TYPES; i++)
        for (size_t k = 0; k < SB_DATABASE_STATEMENTS; k++) sqlite3_finalize(d->statements[i][k]);
    if (d->db) (void)sqlite3_close(d->db);
    *d = (sb_database){ .db = NULL };
}

void sb_database_abandon(sb_database *d)
{
    if (d->db) (void)sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sb_database_close(d);
}

void sb_database_set_patience(sb_database *d, int busy_ms)
{
    (void)sqlite3_busy_timeout(d->db, busy_ms);
}

bool sb_database_is_in_place(const sb_database *d, const char *path)
{
    uint64_t device, file;
    return d->db && find_file(path, &device, &file) && device == d->device && file == d->file;
}

/* ---- writing ---- */

static sb_result run(sb_database *d, const char *sql)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? SB_OK : refuse(d);
}

sb_result sb_database_begin(sb_database *d)
{
    return run(d, "BEGIN IMMEDIATE");
}

sb_result sb_database_commit(sb_database *d)
{
    sb_result result = run(d, "COMMIT");
    if (result != SB_OK) sb_database_rollback(d);
    return result;
}

void sb_database_rollback(sb_database *d)
{
    if (!sqlite3_get_autocommit(d->db)) (void)sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
}

static void bind(sqlite3_stmt *statement, const sb_store_entry *entry)
{
    const sb_store_entry_shape *shape = sb_store_entry_shape_of(entry->type);
    const char                 *values = (const char *)&entry->u;
    int                         wanted = sqlite3_bind_parameter_count(statement);
    for (int i = 0; i < wanted && (size_t)i < shape->count; i++) {
        const sb_store_entry_field *f = &shape->fields[i];
        int64_t                     number;
        if (!f->is_text) memcpy(&number, values + f->offset, sizeof number);
        if (f->is_text)
            (void)sqlite3_bind_text(statement, i + 1, values + f->offset, -1, SQLITE_STATIC);
        else (void)sqlite3_bind_int64(statement, i + 1, number);
    }
}

/* True for errors that this entry causes, whenever it is tried. */
static bool is_about_the_entry(int code)
{
    int kind = code & 0xFF;
    return kind == SQLITE_CONSTRAINT || kind == SQLITE_MISMATCH || kind == SQLITE_TOOBIG ||
           kind == SQLITE_RANGE;
}

sb_result sb_database_write(sb_database *d, const sb_store_entry *entry)
{
    for (size_t i = 0; i < SB_DATABASE_STATEMENTS; i++) {
        sqlite3_stmt *statement = d->statements[entry->type][i];
        if (!statement) break;
        bind(statement, entry);
        int code = sqlite3_step(statement);
        if (code != SQLITE_DONE) (void)refuse(d);
        (void)sqlite3_reset(statement);
        (void)sqlite3_clear_bindings(statement);
        if (code != SQLITE_DONE) return is_about_the_entry(code) ? SB_BAD_VALUE : SB_OS_ERROR;
    }
    return SB_OK;
}

/* ---- chores ---- */

/* A statement with a text and a number; the number of changed rows, or -1. */
static int change(sb_database *d, const char *sql, const char *text, int64_t number)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        (void)refuse(d);
        return -1;
    }
    int wanted = sqlite3_bind_parameter_count(statement);
    (void)sqlite3_bind_int64(statement, 1, number);
    if (wanted > 1) (void)sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) (void)refuse(d);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? sqlite3_changes(d->db) : -1;
}

int sb_database_interrupt(sb_database *d, const char *session)
{
    /* Players who were present were there until the match was last seen to run. */
    static const char players[] =
        "UPDATE player_match SET"
        " seconds = seconds + (SELECT CASE WHEN m.updated_ms > player_match.updated_ms"
        " THEN (m.updated_ms - player_match.updated_ms) / 1000 ELSE 0 END"
        " FROM match m WHERE m.id = match_id),"
        " left_ms = (SELECT m.updated_ms FROM match m WHERE m.id = match_id)"
        " WHERE left_ms = 0 AND match_id IN"
        " (SELECT id FROM match WHERE state = 'running' AND session <> ?2 AND ?1 = 0)";
    static const char matches[] = "UPDATE match SET state = 'interrupted', ended_ms = updated_ms"
                                  " WHERE state = 'running' AND session <> ?2 AND ?1 = 0";
    if (sb_database_begin(d) != SB_OK) return -1;
    int count = change(d, players, session, 0) < 0 ? -1 : change(d, matches, session, 0);
    if (count < 0) sb_database_rollback(d);
    return count >= 0 && sb_database_commit(d) == SB_OK ? count : -1;
}

bool sb_database_touch(sb_database *d, const char *session, int64_t now_ms)
{
    return change(d,
                  "UPDATE match SET updated_ms = ?1"
                  " WHERE state = 'running' AND session = ?2 AND updated_ms < ?1",
                  session, now_ms) >= 0;
}

bool sb_database_erase_addresses(sb_database *d, int64_t before_ms)
{
    /* A name without an address keeps the times of its erased rows. */
    static const char *const steps[] = {
        "UPDATE player_match SET address = '' WHERE address <> '' AND updated_ms < ?1",
        "INSERT INTO name_seen (name, address, first_ms, last_ms)"
        " SELECT name, '', MIN(first_ms), MAX(last_ms) FROM name_seen"
        " WHERE address <> '' AND last_ms < ?1 GROUP BY name"
        " ON CONFLICT (name, address) DO UPDATE SET"
        " first_ms = CASE WHEN excluded.first_ms < name_seen.first_ms THEN excluded.first_ms"
        " ELSE name_seen.first_ms END,"
        " last_ms = CASE WHEN excluded.last_ms > name_seen.last_ms THEN excluded.last_ms"
        " ELSE name_seen.last_ms END",
        "DELETE FROM name_seen WHERE address <> '' AND last_ms < ?1",
    };
    if (sb_database_begin(d) != SB_OK) return false;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (change(d, steps[i], NULL, before_ms) < 0) {
            sb_database_rollback(d);
            return false;
        }
    return sb_database_commit(d) == SB_OK;
}

/* ---- reading ---- */

/* `path` as a URI with `?immutable=1`: reads a file in a folder that cannot be written, where no
 * WAL can be made. NULL: out of memory. */
static char *immutable_uri(const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    char             *uri = malloc(3 * strlen(path) + 32);
    size_t            at = 5;
    if (!uri) return NULL;
    memcpy(uri, "file:", 5);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        if (*c != '%' && *c != '?' && *c != '#') {
            uri[at++] = (char)*c;
            continue;
        }
        uri[at++] = '%';
        uri[at++] = digits[*c >> 4];
        uri[at++] = digits[*c & 15];
    }
    memcpy(uri + at, "?immutable=1", sizeof "?immutable=1");
    return uri;
}

static bool has_wal(const char *path)
{
    char        wal[4096];
    struct stat status;
    snprintf(wal, sizeof wal, "%s-wal", path);
    return stat(wal, &status) == 0 && status.st_size > 0;
}

static int open_to_read(const char *path, int extra, int busy_ms, sqlite3 **db)
{
    int code = sqlite3_open_v2(path, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | extra, NULL);
    if (*db) sqlite3_busy_timeout(*db, busy_ms);
    if (code == SQLITE_OK)
        code = sqlite3_exec(*db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
    return code;
}

static void explain_reading(const char *path, sqlite3 *db, int code, char *error)
{
    const char *what = db ? sqlite3_errmsg(db) : "out of memory", *hint = "";
    int         kind = code & 0xFF;
    if (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY || kind == SQLITE_PERM)
        hint = ": become a user who may read it, such as the server's (sudo -u starbase)";
    if (kind == SQLITE_NOTADB) hint = ": name the file of --store";
    if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
        hint = ": another program holds it, try again";
    snprintf(error, SB_DATABASE_ERROR_MAX, "%.120s: %.60s%s", path, what, hint);
}

static bool check_version(sqlite3 *db, const char *path, char *error)
{
    int             version;
    sb_schema_state state = sb_schema_check(db, &version);
    if (state == SB_SCHEMA_CURRENT) return true;
    static const char *const texts[] = {
        [SB_SCHEMA_EMPTY] = "is empty: a server with --store fills it",
        [SB_SCHEMA_OLDER] = "was made by an earlier version: starbase store migrate",
        [SB_SCHEMA_NEWER] = "was made by a later version of starbase: use that version",
        [SB_SCHEMA_FOREIGN] = "is the database of another program",
        [SB_SCHEMA_UNREADABLE] = "cannot be read",
    };
    snprintf(error, SB_DATABASE_ERROR_MAX, "%.120s: %s", path, texts[state]);
    return false;
}

sqlite3 *sb_database_open_to_read(const char *path, int busy_ms, char error[SB_DATABASE_ERROR_MAX])
{
    sqlite3 *db = NULL;
    if (access(path, F_OK) != 0) {
        snprintf(error, SB_DATABASE_ERROR_MAX,
                 "%.120s: there is no such file; a server with --store makes it", path);
        return NULL;
    }
    const char *wrong_kind = sb_file_kind_error(path);
    if (wrong_kind) {
        snprintf(error, SB_DATABASE_ERROR_MAX, "%.120s: %s", path, wrong_kind);
        return NULL;
    }
    int code = open_to_read(path, 0, busy_ms, &db);
    if ((code & 0xFF) == SQLITE_CANTOPEN && !has_wal(path)) {
        char *uri = immutable_uri(path);
        (void)sqlite3_close(db);
        db = NULL;
        code = uri ? open_to_read(uri, SQLITE_OPEN_URI, busy_ms, &db) : SQLITE_NOMEM;
        free(uri);
    }
    if (code != SQLITE_OK) explain_reading(path, db, code, error);
    if (code == SQLITE_OK && check_version(db, path, error)) return db;
    (void)sqlite3_close(db);
    return NULL;
}
