/* apps/matches/matches.c -- `starbase matches`: the results that a server has stored.
 *
 * Tests:    tests/apps/store_test.py
 */
#include "common/arguments.h"
#include "common/commands.h"
#include "common/options.h"
#include "common/stored.h"
#include "common/table.h"

#include "platform/clock.h"

#include <sqlite3.h>
#include <string.h>

enum { KEY_PLAYER = SB_STORED_KEY_OWN, KEY_KILLS };
enum { NAME_COLUMNS = 32 };

/* Columns of sb_query_matches. */
enum {
    M_ID,
    M_UID,
    M_ROOM,
    M_SERVER,
    M_MISSION,
    M_SYSTEM,
    M_STATE,
    M_REASON,
    M_STARTED,
    M_UPDATED,
    M_ENDED,
    M_PLAYERS,
    M_KILLS,
    M_WINNER
};

static const sb_option options[] = {
    { SB_STORED_KEY_STORE, "store", "PATH",
      "the database of the server; also STARBASE_STORE\n(/var/lib/starbase/starbase.db)" },
    { SB_STORED_KEY_SINCE, "since", "TIME",
      "only matches that began later: 30d, 12h, 2w, or a day such as\n2026-11-01 (all matches)" },
    { KEY_PLAYER, "player", "NAME", "only matches with this name" },
    { SB_STORED_KEY_LIMIT, "limit", "N", "at most N matches (20)" },
    { KEY_KILLS, "kills", NULL, "with ID: list who destroyed whom, too" },
    { SB_STORED_KEY_JSON, "json", NULL,
      "print a JSON object per match; with ID also its lists players and\nkills; times are "
      "milliseconds since 1970" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "matches",
    .synopsis = "[options] [ID]",
    .about =
        "Lists the matches of a server, the latest first; with ID the results of one match. A "
        "match\n"
        "begins with its first player. States: running; over (a limit or the operator ended it);\n"
        "abandoned (all players left); stopped (the server was stopped, or the match restarted);\n"
        "interrupted (the server died; the standings are the last ones before). Names are not\n"
        "checked: the game has no accounts. Exit status 1: there is nothing to print.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase matches\n"
              "  starbase matches --since 7d --player Kirk\n"
              "  starbase matches 118 --kills\n"
              "  starbase matches 118 --json\n",
};

typedef struct job {
    sb_stored_choice choice;
    const char      *player; /* NULL: all */
    bool             kills;
    unsigned long    id; /* 0: all */
    sqlite3         *db;
    size_t           rows;
    sb_table         table;
    bool             is_first; /* of a JSON list */
    bool             failed;
} job;

/* A match that runs lasts until it was last seen to run. */
static int64_t seconds_of(const sb_query_row *row)
{
    int64_t ended = sb_query_row_number(row, M_ENDED);
    int64_t end = ended ? ended : sb_query_row_number(row, M_UPDATED);
    return (end - sb_query_row_number(row, M_STARTED)) / 1000;
}

/* ---- the list ---- */

static const sb_column list_columns[] = {
    { "ID", true, 0 },       { "STARTED", false, 0 },
    { "LENGTH", true, 0 },   { "SERVER", false, NAME_COLUMNS },
    { "MISSION", false, 0 }, { "SYSTEM", false, 0 },
    { "PLAYERS", true, 0 },  { "KILLS", true, 0 },
    { "STATE", false, 0 },   { "WINNER", false, NAME_COLUMNS },
};

static void add_match(void *context, const sb_query_row *row)
{
    job *j = context;
    char text[SB_STORED_TIME];
    j->rows++;
    if (j->choice.json) {
        putchar('{');
        sb_stored_print_members(stdout, row, 0, true);
        puts("}");
        return;
    }
    sb_table_add(&j->table, "%lld", (long long)sb_query_row_number(row, M_ID));
    sb_table_add(&j->table, "%s", sb_stored_time(sb_query_row_number(row, M_STARTED), text));
    sb_table_add(&j->table, "%s", sb_stored_duration(seconds_of(row), text));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, M_SERVER));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, M_MISSION));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, M_SYSTEM));
    sb_table_add(&j->table, "%lld", (long long)sb_query_row_number(row, M_PLAYERS));
    sb_table_add(&j->table, "%lld", (long long)sb_query_row_number(row, M_KILLS));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, M_STATE));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, M_WINNER));
}

static int print_list(job *j)
{
    sb_table_init(&j->table, list_columns, sizeof list_columns / sizeof *list_columns);
    sb_result result = sb_query_matches(j->db, 0, j->player, j->choice.since_ms,
                                        (int64_t)j->choice.limit, add_match, j);
    if (result == SB_OK && !j->choice.json && j->rows > 0) {
        sb_table_print(&j->table, stdout);
        printf("\n`starbase matches ID` prints a match. Times are UTC.\n");
    }
    sb_table_free(&j->table);
    if (result != SB_OK) return sb_stored_fail("matches", j->db);
    if (j->rows > 0) return SB_EXIT_FINE;
    fprintf(stderr, "starbase matches: no match is stored%s\n",
            j->player || j->choice.since ? " that fits these options" : " yet");
    return SB_EXIT_NEGATIVE;
}

/* ---- one match as JSON ---- */

static void print_item(void *context, const sb_query_row *row)
{
    job *j = context;
    fputs(j->is_first ? "{" : ",{", stdout);
    j->is_first = false;
    sb_stored_print_members(stdout, row, 0, true);
    putchar('}');
}

static void print_json(void *context, const sb_query_row *row)
{
    job *j = context;
    j->rows++;
    putchar('{');
    sb_stored_print_members(stdout, row, 0, true);
    fputs(",\"player_list\":[", stdout);
    j->is_first = true;
    if (sb_query_match_players(j->db, (int64_t)j->id, print_item, j) != SB_OK) j->failed = true;
    fputs("],\"kill_list\":[", stdout);
    j->is_first = true;
    if (sb_query_match_kills(j->db, (int64_t)j->id, print_item, j) != SB_OK) j->failed = true;
    puts("]}");
}

/* ---- one match as text ---- */

static const sb_column player_columns[] = {
    { "PLACE", true, 0 },  { "NAME", false, NAME_COLUMNS },
    { "TEAM", true, 0 },   { "KILLS", true, 0 },
    { "DEATHS", true, 0 }, { "SCORE", true, 0 },
    { "PLAYED", true, 0 }, { "", false, 0 },
};

static void add_player(void *context, const sb_query_row *row)
{
    job    *j = context;
    char    text[SB_STORED_TIME];
    int64_t place = sb_query_row_number(row, 0), team = sb_query_row_number(row, 3);
    sb_table_add(&j->table, place ? "%lld" : "-", (long long)place);
    sb_table_add(&j->table, "%s", sb_query_row_text(row, 1));
    sb_table_add(&j->table, team >= 0 ? "%lld" : "-", (long long)team);
    for (int i = 4; i < 7; i++)
        sb_table_add(&j->table, "%lld", (long long)sb_query_row_number(row, i));
    sb_table_add(&j->table, "%s", sb_stored_duration(sb_query_row_number(row, 7), text));
    sb_table_add(&j->table, "%s", sb_query_row_number(row, 2) ? "bot" : "");
}

static const sb_column kill_columns[] = {
    { "AT", false, 0 },   { "DESTROYED", false, NAME_COLUMNS },
    { "SHIP", false, 0 }, { "BY", false, NAME_COLUMNS },
    { "SHIP", false, 0 }, { "CAUSE", false, 0 },
};

static void add_kill(void *context, const sb_query_row *row)
{
    job *j = context;
    char text[SB_CLOCK_TEXT];
    sb_clock_text(sb_query_row_number(row, 0) * 1000, text);
    sb_table_add(&j->table, "%.8s", text + 11);
    sb_table_add(&j->table, "%s", sb_query_row_text(row, 3));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, 4));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, 1)[0] ? sb_query_row_text(row, 1) : "-");
    sb_table_add(&j->table, "%s", sb_query_row_text(row, 2));
    sb_table_add(&j->table, "%s", sb_query_row_text(row, 5));
}

static void print_rows(job *j, const sb_column *columns, size_t count, sb_query_fn fn,
                       sb_result (*ask)(sqlite3 *db, int64_t id, sb_query_fn fn, void *context))
{
    sb_table_init(&j->table, columns, count);
    if (ask(j->db, (int64_t)j->id, fn, j) != SB_OK) j->failed = true;
    if (sb_table_rows(&j->table) > 0) {
        putchar('\n');
        sb_table_print(&j->table, stdout);
    }
    sb_table_free(&j->table);
}

static void print_text(void *context, const sb_query_row *row)
{
    job                   *j = context;
    char                   began[SB_STORED_TIME], length[SB_STORED_TIME];
    const char            *reason = sb_query_row_text(row, M_REASON);
    sb_table               line; /* for its safe cells */
    static const sb_column one[] = { { "", false, 0 } };
    j->rows++;
    sb_table_init(&line, one, 1);
    sb_table_add(&line, "match %lld on %s, room %lld, %s in %s",
                 (long long)sb_query_row_number(row, M_ID), sb_query_row_text(row, M_SERVER),
                 (long long)sb_query_row_number(row, M_ROOM), sb_query_row_text(row, M_MISSION),
                 sb_query_row_text(row, M_SYSTEM));
    sb_table_add(&line, "began %s UTC, lasted %s",
                 sb_stored_time(sb_query_row_number(row, M_STARTED), began),
                 sb_stored_duration(seconds_of(row), length));
    sb_table_add(&line, "%s%s%s", sb_query_row_text(row, M_STATE), reason[0] ? ": " : "", reason);
    for (size_t i = 0; i < line.count; i++) puts(line.cells[i]);
    sb_table_free(&line);
    print_rows(j, player_columns, sizeof player_columns / sizeof *player_columns, add_player,
               sb_query_match_players);
    if (j->kills)
        print_rows(j, kill_columns, sizeof kill_columns / sizeof *kill_columns, add_kill,
                   sb_query_match_kills);
}

static int print_one(job *j)
{
    sb_result result = sb_query_matches(j->db, (int64_t)j->id, NULL, 0, 1,
                                        j->choice.json ? print_json : print_text, j);
    if (result != SB_OK || j->failed) return sb_stored_fail("matches", j->db);
    if (j->rows > 0) return SB_EXIT_FINE;
    fprintf(stderr, "starbase matches: there is no match %lu; `starbase matches` lists them\n",
            j->id);
    return SB_EXIT_NEGATIVE;
}

/* ---- the command ---- */

static int run(job *j)
{
    j->db = sb_stored_open("matches", j->choice.path);
    if (!j->db) return SB_EXIT_NEGATIVE;
    int status = j->id ? print_one(j) : print_list(j);
    (void)sqlite3_close(j->db);
    return status;
}

static void read_own_option(void *context, int key, const char *argument)
{
    job *j = context;
    if (key == KEY_PLAYER) j->player = argument;
    else j->kills = true;
}

int sb_run_matches(int argc, char **argv)
{
    job        j = { 0 };
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    int status = sb_stored_read_options(&j.choice, &o, &usage, read_own_option, &j);
    if (status != SB_OPTIONS_END) return status;
    if (argc - o.operand > 1) return sb_usage_error(&usage, "name one match");
    if (argc > o.operand && !sb_argument_parse_count(argv[o.operand], 1, 1000000000, &j.id))
        return sb_usage_error(&usage, "ID is the number of a match, is `%s`", argv[o.operand]);
    return run(&j);
}
