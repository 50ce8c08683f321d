/* tests/store/query_test.c -- questions to a database with known rows. */
#include "store/query.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/database.h"
#include "store_rig.h"
#include "test.h"

/* Two matches: Kirk wins the first; a bot of the server and "kirk" again play the second. */
static sqlite3 *open_known(void)
{
    const char    *path = rig_path("known.db");
    sb_database    d;
    char           error[SB_DATABASE_ERROR_MAX];
    sb_store_entry entries[] = {
        rig_match("a", "over", 1, 1060000),     rig_player("a", 1, "Kirk", 5, 60),
        rig_player("a", 2, "Spock", 2, 60),     rig_kill("a", 1),
        rig_match("b", "running", 1, 90000000), rig_player("b", 1, "Dax bot", 9, 10),
        rig_player("b", 2, "kirk", 3, 30),
    };
    entries[1].u.player.place = 1;
    entries[2].u.player.place = 2;
    entries[4].u.match.key.started_ms = entries[5].u.player.key.started_ms = 89000000;
    entries[6].u.player.key.started_ms = 89000000;
    entries[5].u.player.is_bot = 1;
    entries[6].u.player.bot_kills = 1;
    entries[6].u.player.deaths = 4;
    entries[6].u.player.bot_deaths = 3;
    CHECK_EQ(sb_database_open(&d, path, true, 100, 1), SB_OK);
    CHECK_EQ(sb_database_begin(&d), SB_OK);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        CHECK_EQ(sb_database_write(&d, &entries[i]), SB_OK);
    CHECK_EQ(sb_database_commit(&d), SB_OK);
    sb_database_close(&d);
    sqlite3 *db = sb_database_open_to_read(path, 100, error);
    CHECK(db != NULL);
    return db;
}

typedef struct found {
    size_t          count;
    sb_store_totals totals[8];
} found;

static void keep(void *context, const sb_query_row *row)
{
    found *f = context;
    sb_query_read_totals(row, &f->totals[f->count++]);
}

TEST(totals_leave_out_bots_and_kills_of_them)
{
    sqlite3 *db = open_known();
    found    f = { 0 };
    CHECK_EQ(sb_query_players(db, NULL, 0, 10, keep, &f), SB_OK);
    CHECK_EQ(f.count, 2);
    CHECK_EQ(f.totals[0].kills, 7); /* 5 and 3, one of them a bot */
    CHECK_EQ(f.totals[0].deaths, 1);
    CHECK_EQ(f.totals[0].matches, 2);
    CHECK_EQ(f.totals[0].wins, 1);
    CHECK_EQ(f.totals[0].seconds, 90);
    CHECK_TEXT(f.totals[1].name, "Spock");
    CHECK_EQ(f.totals[1].wins, 0);
    sqlite3_close(db);
}

TEST(a_name_is_found_in_upper_and_lower_case)
{
    sqlite3 *db = open_known();
    found    f = { 0 };
    CHECK_EQ(sb_query_players(db, "KIRK", 0, 10, keep, &f), SB_OK);
    CHECK_EQ(f.count, 1);
    CHECK_EQ(f.totals[0].kills, 7);
    CHECK_EQ(sb_query_players(db, "Kir", 0, 10, keep, &f), SB_OK);
    CHECK_EQ(f.count, 1);
    sqlite3_close(db);
}

TEST(totals_since_a_time_leave_out_earlier_matches)
{
    sqlite3 *db = open_known();
    found    f = { 0 };
    CHECK_EQ(sb_query_players(db, NULL, 80000000, 10, keep, &f), SB_OK);
    CHECK_EQ(f.count, 1);
    CHECK_EQ(f.totals[0].kills, 2);
    sqlite3_close(db);
}

static void join(void *context, const sb_query_row *row)
{
    char  *out = context;
    size_t at = strlen(out);
    for (int i = 0; i < row->count; i++)
        if (strcmp(sb_query_row_name(row, i), "winner") == 0 ||
            strcmp(sb_query_row_name(row, i), "name") == 0 ||
            strcmp(sb_query_row_name(row, i), "state") == 0 ||
            strcmp(sb_query_row_name(row, i), "cause") == 0)
            at += (size_t)snprintf(out + at, 400 - at, "%s ", sb_query_row_text(row, i));
}

TEST(matches_come_latest_first_with_the_one_who_is_ahead)
{
    sqlite3 *db = open_known();
    char     text[400] = "";
    CHECK_EQ(sb_query_matches(db, 0, NULL, 0, 10, join, text), SB_OK);
    CHECK_TEXT(text, "running Dax bot over Kirk ");
    text[0] = '\0';
    CHECK_EQ(sb_query_matches(db, 0, "spock", 0, 10, join, text), SB_OK);
    CHECK_TEXT(text, "over Kirk ");
    text[0] = '\0';
    CHECK_EQ(sb_query_matches(db, 2, NULL, 0, 10, join, text), SB_OK);
    CHECK_TEXT(text, "running Dax bot ");
    text[0] = '\0';
    CHECK_EQ(sb_query_match_players(db, 1, join, text), SB_OK);
    CHECK_TEXT(text, "Kirk Spock ");
    text[0] = '\0';
    CHECK_EQ(sb_query_match_kills(db, 1, join, text), SB_OK);
    CHECK_TEXT(text, "beam ");
    sqlite3_close(db);
}

/* `db` itself is open for reading only. */
static void change_rows(sqlite3 *db, const char *sql)
{
    sqlite3 *other;
    CHECK_EQ(sqlite3_open(sqlite3_db_filename(db, "main"), &other), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
}

TEST(nobody_wins_a_match_without_kills_and_points)
{
    sqlite3 *db = open_known();
    char     text[400] = "";
    found    f = { 0 };
    change_rows(db, "UPDATE player_match SET kills = 0, score = 0");
    CHECK_EQ(sb_query_matches(db, 1, NULL, 0, 10, join, text), SB_OK);
    CHECK_TEXT(text, "over  ");
    CHECK_EQ(sb_query_players(db, NULL, 0, 10, keep, &f), SB_OK);
    CHECK_EQ(f.totals[0].wins + f.totals[1].wins, 0);
    sqlite3_close(db);
}

TEST(nobody_wins_a_draw)
{
    sqlite3 *db = open_known();
    char     text[400] = "";
    found    f = { 0 };
    change_rows(db, "UPDATE player_match SET kills = 2, score = 9, deaths = 1");
    CHECK_EQ(sb_query_matches(db, 1, NULL, 0, 10, join, text), SB_OK);
    CHECK_TEXT(text, "over  ");
    CHECK_EQ(sb_query_players(db, NULL, 0, 10, keep, &f), SB_OK);
    CHECK_EQ(f.totals[0].wins + f.totals[1].wins, 0);
    sqlite3_close(db);
}

TEST(every_table_of_the_schema_can_be_read)
{
    sqlite3 *db = open_known();
    char     text[400] = "";
    int64_t  tables;
    size_t   count = 0;
    for (size_t i = 0; sb_query_tables[i]; i++, count++)
        CHECK_EQ(sb_query_table(db, sb_query_tables[i], join, text), SB_OK);
    CHECK_EQ(
        sb_query_number(db, "SELECT count(*) FROM sqlite_master WHERE type = 'table'", &tables),
        SB_OK);
    CHECK_EQ(tables, (int64_t)count + 1); /* and schema_step */
    sqlite3_close(db);
}
