/* src/store/query.c -- see query.h. */
#include "store/query.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

/* ---- rows ---- */

const char *sb_query_row_name(const sb_query_row *row, int column)
{
    return sqlite3_column_name(row->statement, column);
}

bool sb_query_row_is_number(const sb_query_row *row, int column)
{
    return sqlite3_column_type(row->statement, column) == SQLITE_INTEGER;
}

int64_t sb_query_row_number(const sb_query_row *row, int column)
{
    return sqlite3_column_int64(row->statement, column);
}

const char *sb_query_row_text(const sb_query_row *row, int column)
{
    const unsigned char *text = sqlite3_column_text(row->statement, column);
    return text ? (const char *)text : "";
}

/* ---- running ---- */

typedef struct argument {
    const char *text; /* NULL: a number */
    int64_t     number;
} argument;

static sb_result run(sqlite3 *db, const char *sql, const argument *arguments, size_t count,
                     sb_query_fn fn, void *context)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) return SB_OS_ERROR;
    for (size_t i = 0; i < count; i++) {
        int at = (int)i + 1;
        if (arguments[i].text)
            (void)sqlite3_bind_text(statement, at, arguments[i].text, -1, SQLITE_STATIC);
        else (void)sqlite3_bind_int64(statement, at, arguments[i].number);
    }
    sb_query_row row = { sqlite3_column_count(statement), statement };
    int          code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) fn(context, &row);
    return sqlite3_finalize(statement) == SQLITE_OK && code == SQLITE_DONE ? SB_OK : SB_OS_ERROR;
}

#define RUN(db, sql, arguments, fn, context)                                                       \
    run(db, sql, arguments, sizeof arguments / sizeof *(arguments), fn, context)

/* ---- players ---- */

#define TOTALS                                                                                     \
    "SELECT max(p.name) AS name, count(DISTINCT p.match_id) AS matches,"                           \
    " sum(CASE WHEN EXISTS (SELECT 1 FROM match_win w WHERE w.match_id = p.match_id"               \
    "  AND w.player = p.player) THEN 1 ELSE 0 END) AS wins,"                                       \
    " sum(p.kills - p.bot_kills) AS kills, sum(p.deaths - p.bot_deaths) AS deaths,"                \
    " sum(p.score) AS score, sum(p.seconds) AS seconds, max(p.updated_ms) AS last_ms"              \
    " FROM player_match p JOIN match m ON m.id = p.match_id"                                       \
    " WHERE p.is_bot = 0 AND m.started_ms >= ?1"
#define TOTALS_END " GROUP BY lower(p.name) ORDER BY kills DESC, deaths, lower(p.name) LIMIT ?2"

sb_result sb_query_players(sqlite3 *db, const char *name, int64_t since_ms, int64_t limit,
                           sb_query_fn fn, void *context)
{
    const argument all[] = { { NULL, since_ms }, { NULL, limit } };
    const argument one[] = { { NULL, since_ms }, { NULL, limit }, { name, 0 } };
    if (!name) return RUN(db, TOTALS TOTALS_END, all, fn, context);
    return RUN(db, TOTALS " AND lower(p.name) = lower(?3)" TOTALS_END, one, fn, context);
}

void sb_query_read_totals(const sb_query_row *row, sb_store_totals *out)
{
    *out = (sb_store_totals){ .matches = sb_query_row_number(row, 1) };
    snprintf(out->name, sizeof out->name, "%s", sb_query_row_text(row, 0));
    out->wins = sb_query_row_number(row, 2);
    out->kills = sb_query_row_number(row, 3);
    out->deaths = sb_query_row_number(row, 4);
    out->score = sb_query_row_number(row, 5);
    out->seconds = sb_query_row_number(row, 6);
    out->last_ms = sb_query_row_number(row, 7);
}

/* ---- matches ---- */

sb_result sb_query_matches(sqlite3 *db, int64_t id, const char *name, int64_t since_ms,
                           int64_t limit, sb_query_fn fn, void *context)
{
    /* The winner of a match without places, which did not end by a limit, is the one ahead. Equal
     * rows at the top are a draw, as in the view match_win. */
    static const char sql[] =
        "SELECT m.id, m.uid, m.room, m.server, m.mission, m.system, m.state, m.reason,"
        " m.started_ms, m.updated_ms, m.ended_ms,"
        " (SELECT count(*) FROM player_match p WHERE p.match_id = m.id) AS players,"
        " (SELECT count(*) FROM kill k WHERE k.match_id = m.id) AS kills,"
        " COALESCE((SELECT CASE WHEN EXISTS (SELECT 1 FROM player_match o"
        "   WHERE o.match_id = p.match_id AND o.player <> p.player AND o.kills = p.kills"
        "   AND o.score = p.score AND o.deaths = p.deaths) THEN '' ELSE p.name END"
        "  FROM player_match p WHERE p.match_id = m.id AND (p.kills > 0 OR p.score > 0)"
        "  ORDER BY CASE WHEN p.place > 0 THEN p.place ELSE 1000 END, p.kills DESC, p.score DESC,"
        "  p.deaths, p.player LIMIT 1), '') AS winner"
        " FROM match m WHERE m.started_ms >= ?1 AND (?2 = 0 OR m.id = ?2)"
        " AND (?3 = '' OR m.id IN (SELECT match_id FROM player_match"
        "  WHERE lower(name) = lower(?3)))"
        " ORDER BY m.started_ms DESC, m.id DESC LIMIT ?4";
    const argument arguments[] = {
        { NULL, since_ms }, { NULL, id }, { name ? name : "", 0 }, { NULL, limit }
    };
    return RUN(db, sql, arguments, fn, context);
}

sb_result sb_query_match_players(sqlite3 *db, int64_t match_id, sb_query_fn fn, void *context)
{
    static const char sql[] =
        "SELECT place, name, is_bot, team, kills, deaths, score, seconds, joined_ms, left_ms, "
        "player"
        " FROM player_match WHERE match_id = ?1"
        " ORDER BY CASE WHEN place > 0 THEN place ELSE 1000 END, kills DESC, score DESC, deaths,"
        " player";
    const argument arguments[] = { { NULL, match_id } };
    return RUN(db, sql, arguments, fn, context);
}

sb_result sb_query_match_kills(sqlite3 *db, int64_t match_id, sb_query_fn fn, void *context)
{
    static const char sql[] =
        "SELECT at_ms, killer_name, killer_ship, victim_name, victim_ship, cause, number, killer,"
        " victim FROM kill WHERE match_id = ?1 ORDER BY number";
    const argument arguments[] = { { NULL, match_id } };
    return RUN(db, sql, arguments, fn, context);
}

/* ---- bans ---- */

typedef struct ban_report {
    sb_store_ban_fn fn;
    void           *context;
} ban_report;

static void report_ban(void *context, const sb_query_row *row)
{
    const ban_report *r = context;
    sb_store_ban      ban = { .id = sb_query_row_number(row, 0) };
    ban.created_ms = sb_query_row_number(row, 1);
    ban.expires_ms = sb_query_row_number(row, 2);
    ban.exception = sb_query_row_number(row, 3) != 0;
    ban.kind = sb_query_row_text(row, 4)[0];
    snprintf(ban.range, sizeof ban.range, "%s", sb_query_row_text(row, 5));
    snprintf(ban.name, sizeof ban.name, "%s", sb_query_row_text(row, 6));
    snprintf(ban.reason, sizeof ban.reason, "%s", sb_query_row_text(row, 7));
    snprintf(ban.by, sizeof ban.by, "%s", sb_query_row_text(row, 8));
    r->fn(r->context, &ban);
}

sb_result sb_query_bans(sqlite3 *db, int64_t now_ms, sb_store_ban_fn fn, void *context)
{
    static const char sql[] =
        "SELECT id, created_ms, expires_ms, is_exception, kind, network, name, reason, created_by"
        " FROM ban WHERE removed_ms = 0 AND (expires_ms = 0 OR expires_ms > ?1) ORDER BY id";
    const argument arguments[] = { { NULL, now_ms } };
    ban_report     report = { fn, context };
    return RUN(db, sql, arguments, report_ban, &report);
}

static void read_number(void *context, const sb_query_row *row)
{
    *(int64_t *)context = sb_query_row_number(row, 0);
}

sb_result sb_query_number(sqlite3 *db, const char *sql, int64_t *out)
{
    *out = 0;
    return run(db, sql, NULL, 0, read_number, out);
}

sb_result sb_query_last_ban(sqlite3 *db, int64_t *id)
{
    return sb_query_number(db, "SELECT COALESCE(MAX(id), 0) FROM ban", id);
}

/* ---- whole tables ---- */

const char *const sb_query_tables[] = { "match", "player_match", "kill",  "chat",
                                        "ban",   "name_seen",    "audit", NULL };

sb_result sb_query_table(sqlite3 *db, const char *table, sb_query_fn fn, void *context)
{
    char   sql[64];
    size_t i = 0;
    while (sb_query_tables[i] && strcmp(sb_query_tables[i], table) != 0) i++;
    SB_ASSERT(sb_query_tables[i] != NULL);
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", sb_query_tables[i]);
    return run(db, sql, NULL, 0, fn, context);
}
