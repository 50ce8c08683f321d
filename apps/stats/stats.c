/* apps/stats/stats.c -- `starbase stats`: what the players of a server have done.
 *
 * Tests:    tests/apps/store_test.py
 */
#include "common/commands.h"
#include "common/options.h"
#include "common/stored.h"
#include "common/table.h"

#include <sqlite3.h>
#include <string.h>

enum { NAME_COLUMNS = 32, RECENT_MATCHES = 10 };

static const sb_option options[] = {
    { SB_STORED_KEY_STORE, "store", "PATH",
      "the database of the server; also STARBASE_STORE\n(/var/lib/starbase/starbase.db)" },
    { SB_STORED_KEY_SINCE, "since", "TIME",
      "only matches that began later: 30d, 12h, 2w, or a day such as\n2026-11-01 (all matches)" },
    { SB_STORED_KEY_LIMIT, "limit", "N", "at most N names (20)" },
    { SB_STORED_KEY_JSON, "json", NULL,
      "print a JSON object per name: name, matches, wins, kills, deaths,\nscore, seconds, "
      "last_ms" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "stats",
    .synopsis = "[options] [NAME]",
    .about =
        "Prints totals of the names that have played on a server, those with most kills first; "
        "with\n"
        "NAME the totals and the latest matches of that name. Wins are first places, with a kill "
        "or\n"
        "points and shared with nobody, in matches that reached their end. Bots of the server "
        "itself\n"
        "are left out, and so are kills of them and deaths by them.\n"
        "\n"
        "The game has no accounts: a name is whatever a player typed. Two people with one name "
        "are\n"
        "one row here, and one person with two names is two. Exit status 1: there is nothing to\n"
        "print.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase stats\n"
              "  starbase stats --since 30d --limit 100\n"
              "  starbase stats Kirk --json\n",
};

typedef struct job {
    sb_stored_choice choice;
    const char      *name; /* NULL: all */
    size_t           rows;
    sb_table         table;
} job;

static const char footnote[] = "Names are not checked: the game has no accounts. Times are UTC.";

/* ---- totals ---- */

static const sb_column total_columns[] = {
    { "NAME", false, NAME_COLUMNS },
    { "MATCHES", true, 0 },
    { "WINS", true, 0 },
    { "KILLS", true, 0 },
    { "DEATHS", true, 0 },
    { "SCORE", true, 0 },
    { "PLAYED", true, 0 },
    { "LAST SEEN", false, 0 },
};

static void add_total(void *context, const sb_query_row *row)
{
    job            *j = context;
    char            text[SB_STORED_TIME];
    sb_store_totals t;
    sb_query_read_totals(row, &t);
    j->rows++;
    if (j->choice.json) {
        putchar('{');
        sb_stored_print_members(stdout, row, 0, true);
        puts("}");
        return;
    }
    sb_table_add(&j->table, "%s", t.name);
    sb_table_add(&j->table, "%lld", (long long)t.matches);
    sb_table_add(&j->table, "%lld", (long long)t.wins);
    sb_table_add(&j->table, "%lld", (long long)t.kills);
    sb_table_add(&j->table, "%lld", (long long)t.deaths);
    sb_table_add(&j->table, "%lld", (long long)t.score);
    sb_table_add(&j->table, "%s", sb_stored_duration(t.seconds, text));
    sb_table_add(&j->table, "%s", sb_stored_time(t.last_ms, text));
}

static int print_totals(job *j, sqlite3 *db)
{
    size_t columns = sizeof total_columns / sizeof *total_columns;
    sb_table_init(&j->table, total_columns, columns);
    sb_result result =
        sb_query_players(db, j->name, j->choice.since_ms, (int64_t)j->choice.limit, add_total, j);
    if (result == SB_OK && !j->choice.json && j->rows > 0) sb_table_print(&j->table, stdout);
    sb_table_free(&j->table);
    if (result != SB_OK) return sb_stored_fail("stats", db);
    if (j->rows > 0) return SB_EXIT_FINE;
    if (j->name)
        fprintf(stderr,
                "starbase stats: nobody called `%s` has played%s%s; `starbase stats` lists "
                "the names\n",
                j->name, j->choice.since ? " since " : "", j->choice.since ? j->choice.since : "");
    else fprintf(stderr, "starbase stats: nobody has played yet\n");
    return SB_EXIT_NEGATIVE;
}

/* ---- the latest matches of a name ---- */

static const sb_column match_columns[] = {
    { "MATCH", true, 0 },    { "STARTED", false, 0 }, { "SERVER", false, NAME_COLUMNS },
    { "MISSION", false, 0 }, { "STATE", false, 0 },   { "WINNER", false, NAME_COLUMNS },
};

static void add_match(void *context, const sb_query_row *row)
{
    sb_table *table = context;
    char      text[SB_STORED_TIME];
    sb_table_add(table, "%lld", (long long)sb_query_row_number(row, 0));
    sb_table_add(table, "%s", sb_stored_time(sb_query_row_number(row, 8), text));
    sb_table_add(table, "%s", sb_query_row_text(row, 3));
    sb_table_add(table, "%s", sb_query_row_text(row, 4));
    sb_table_add(table, "%s", sb_query_row_text(row, 6));
    sb_table_add(table, "%s", sb_query_row_text(row, 13));
}

static int print_matches(job *j, sqlite3 *db)
{
    sb_table table;
    sb_table_init(&table, match_columns, sizeof match_columns / sizeof *match_columns);
    sb_result result =
        sb_query_matches(db, 0, j->name, j->choice.since_ms, RECENT_MATCHES, add_match, &table);
    if (result == SB_OK) {
        putchar('\n');
        sb_table_print(&table, stdout);
    }
    sb_table_free(&table);
    return result == SB_OK ? SB_EXIT_FINE : sb_stored_fail("stats", db);
}

/* ---- the command ---- */

static int run(job *j)
{
    sqlite3 *db = sb_stored_open("stats", j->choice.path);
    if (!db) return SB_EXIT_NEGATIVE;
    int status = print_totals(j, db);
    if (status == SB_EXIT_FINE && j->name && !j->choice.json) status = print_matches(j, db);
    if (status == SB_EXIT_FINE && !j->choice.json) printf("\n%s\n", footnote);
    (void)sqlite3_close(db);
    return status;
}

int sb_run_stats(int argc, char **argv)
{
    job        j = { 0 };
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    int status = sb_stored_read_options(&j.choice, &o, &usage, NULL, NULL);
    if (status != SB_OPTIONS_END) return status;
    if (argc - o.operand > 1)
        return sb_usage_error(&usage, "name one player; put quotes around a name with blanks");
    if (argc > o.operand) j.name = argv[o.operand];
    return run(&j);
}
