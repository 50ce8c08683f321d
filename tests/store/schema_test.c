/* tests/store/schema_test.c -- versions of the tables, and the steps between them. */
#include "store/schema.h"

#include <sqlite3.h>
#include <string.h>

#include "store/database.h"
#include "store_rig.h"
#include "test.h"

static sqlite3 *open_memory(void)
{
    sqlite3 *db;
    CHECK_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
    return db;
}

static void run(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    sqlite3_exec(db, sql, NULL, NULL, &error);
    CHECK_TEXT(error ? error : "", "");
}

static sb_result apply(sqlite3 *db, const sb_schema_step *steps, size_t count)
{
    int  code;
    char error[SB_SCHEMA_ERROR_MAX];
    return sb_schema_apply(db, steps, count, 77, &code, error);
}

static int64_t number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t       value = -1;
    CHECK_EQ(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

TEST(an_empty_file_gets_all_tables_and_notes_each_step)
{
    sqlite3 *db = open_memory();
    int      version, code;
    size_t   latest;
    char     error[SB_SCHEMA_ERROR_MAX];
    (void)sb_schema_steps(&latest);
    CHECK_EQ(sb_schema_check(db, &version), SB_SCHEMA_EMPTY);
    CHECK_EQ(sb_schema_migrate(db, 77, &code, error), SB_OK);
    CHECK_EQ(sb_schema_check(db, &version), SB_SCHEMA_CURRENT);
    CHECK_EQ(version, (int)latest);
    CHECK_EQ(number(db, "SELECT count(*) FROM schema_step WHERE applied_ms = 77"), (int)latest);
    CHECK_EQ(number(db, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE "
                        "'%STRICT'"),
             0);
    CHECK_EQ(sb_schema_migrate(db, 78, &code, error), SB_OK); /* nothing left to do */
    CHECK_EQ(number(db, "SELECT max(applied_ms) FROM schema_step"), 77);
    sqlite3_close(db);
}

/* A file as the first version of the program has made it: the tables of step 1, with rows. */
TEST(a_file_of_an_earlier_version_keeps_its_rows)
{
    sqlite3              *db = open_memory();
    size_t                latest;
    int                   version, code;
    char                  error[SB_SCHEMA_ERROR_MAX];
    const sb_schema_step *steps = sb_schema_steps(&latest);
    CHECK_EQ(apply(db, steps, 1), SB_OK);
    run(db, "INSERT INTO match VALUES (1, 'u', 's', 1, 'x', 'ffa', 'Multi1', 'over', 'time limit', "
            "10, 1, 20, 20);"
            "INSERT INTO player_match VALUES (1, 1, 'Kirk', 0, -1, 1, 3, 0, 300, 1, 0, 10, 20, 10, "
            "1, 20, '')");
    CHECK_EQ(sb_schema_check(db, &version), SB_SCHEMA_OLDER);
    CHECK_EQ(version, 1);
    CHECK_EQ(sb_schema_migrate(db, 78, &code, error), SB_OK);
    CHECK_EQ(sb_schema_check(db, &version), SB_SCHEMA_CURRENT);
    CHECK_EQ(number(db, "SELECT kills FROM player_total WHERE name = 'Kirk'"), 2);
    sqlite3_close(db);
}

/* The view of the first versions counted each first place. */
TEST(a_first_place_with_nothing_or_in_a_draw_is_no_win)
{
    sqlite3              *db = open_memory();
    size_t                latest;
    int                   code;
    char                  error[SB_SCHEMA_ERROR_MAX];
    const sb_schema_step *steps = sb_schema_steps(&latest);
    CHECK_EQ(apply(db, steps, 3), SB_OK);
    run(db, "INSERT INTO match SELECT value, 'u' || value, 's', 1, 'x', 'ffa', 'Multi1', 'over', "
            "'operator', 10, 1, 20, 20 FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3);"
            "INSERT INTO player_match SELECT m.id, p.n, p.name, 0, -1, p.n, 0, 0, 0, 0, 0, 1, 20, "
            "10, 1, 20, '' FROM match m, (SELECT 1 AS n, 'Kirk' AS name UNION SELECT 2, 'Spock') p;"
            "UPDATE player_match SET kills = 3 WHERE match_id = 2 AND player = 1;"
            "UPDATE player_match SET score = 70, deaths = 1 WHERE match_id = 3;");
    CHECK_EQ(number(db, "SELECT wins FROM player_total WHERE name = 'Kirk'"), 3);
    CHECK_EQ(sb_schema_migrate(db, 78, &code, error), SB_OK);
    CHECK_EQ(number(db, "SELECT wins FROM player_total WHERE name = 'Kirk'"), 1);
    CHECK_EQ(number(db, "SELECT wins FROM player_total WHERE name = 'Spock'"), 0);
    CHECK_EQ(number(db, "SELECT match_id FROM match_win WHERE player = 1 AND name = 'Kirk'"), 2);
    CHECK_EQ(number(db, "SELECT count(*) FROM match_win"), 1);
    sqlite3_close(db);
}

TEST(a_step_that_changes_a_table_keeps_its_rows)
{
    static const sb_schema_step before[] = {
        { "first", "CREATE TABLE schema_step (version INTEGER PRIMARY KEY, applied_ms INTEGER, "
                   "summary TEXT); CREATE TABLE t (a INTEGER)" },
    };
    const sb_schema_step after[] = { before[0],
                                     { "second", "ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 5" } };
    sqlite3             *db = open_memory();
    CHECK_EQ(apply(db, before, 1), SB_OK);
    run(db, "INSERT INTO t VALUES (1)");
    CHECK_EQ(apply(db, after, 2), SB_OK);
    CHECK_EQ(number(db, "SELECT a * 10 + b FROM t"), 15);
    sqlite3_close(db);
}

TEST(a_step_that_fails_changes_nothing)
{
    static const sb_schema_step first = {
        "first", "CREATE TABLE schema_step (version INTEGER PRIMARY KEY, applied_ms INTEGER, "
                 "summary TEXT)"
    };
    const sb_schema_step steps[] = {
        first, { "second", "CREATE TABLE t (a INTEGER); CREATE TABLE t (b)" }
    };
    sqlite3 *db = open_memory();
    CHECK_EQ(apply(db, steps, 2), SB_OS_ERROR);
    CHECK_EQ(number(db, "PRAGMA user_version"), 1);
    CHECK_EQ(number(db, "SELECT count(*) FROM sqlite_master WHERE name = 't'"), 0);
    CHECK_EQ(number(db, "SELECT count(*) FROM schema_step"), 1);
    sqlite3_close(db);
}

TEST(a_later_version_and_a_foreign_file_are_left_alone)
{
    sqlite3 *db = open_memory(), *foreign = open_memory();
    int      version, code;
    char     error[SB_SCHEMA_ERROR_MAX];
    CHECK_EQ(sb_schema_migrate(db, 77, &code, error), SB_OK);
    run(db, "PRAGMA user_version = 1000");
    CHECK_EQ(sb_schema_check(db, &version), SB_SCHEMA_NEWER);
    CHECK_EQ(sb_schema_migrate(db, 77, &code, error), SB_NOT_ALLOWED);
    CHECK(strstr(error, "version 1000") != NULL);
    CHECK_EQ(number(db, "PRAGMA user_version"), 1000);
    run(foreign, "CREATE TABLE recipes (name TEXT)");
    CHECK_EQ(sb_schema_check(foreign, &version), SB_SCHEMA_FOREIGN);
    CHECK_EQ(sb_schema_migrate(foreign, 77, &code, error), SB_NOT_ALLOWED);
    CHECK_EQ(number(foreign, "SELECT count(*) FROM sqlite_master"), 1);
    sqlite3_close(db);
    sqlite3_close(foreign);
}

/* The pragmas of opening would turn another program's file into WAL mode. */
TEST(a_foreign_file_is_not_even_switched_to_wal)
{
    const char *path = rig_path("foreign.db");
    sb_database d;
    rig_run(path, "CREATE TABLE recipes (name TEXT)");
    CHECK_EQ(sb_database_open(&d, path, true, 100, 1), SB_NOT_ALLOWED);
    CHECK(strstr(d.error, "another program") != NULL);
    CHECK_TEXT(rig_text(path, "PRAGMA journal_mode"), "delete");
}
