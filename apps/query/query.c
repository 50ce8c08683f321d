/* apps/query/query.c -- `starbase query`: asks servers, or the LAN, for their status. Spec 05.
 *
 * Tests:    tests/apps/query_test.py
 */
#include "common/arguments.h"
#include "common/clean_text.h"
#include "common/commands.h"
#include "common/options.h"
#include "common/waiting.h"

#include "base/text.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/terminal.h"
#include "run/master_list.h"
#include "run/survey.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 256, KEY_LAN, KEY_MASTER, KEY_TIMEOUT };
enum { TEXT_BYTES = 4 * SB_GAMESPY_VALUE_MAX, NAME_COLUMNS = 32, GAME_PORT = 22101 };

static const sb_option options[] = {
    { KEY_LAN, "lan", NULL, "ask all servers on the LAN, ports 22101 to 22201" },
    { KEY_MASTER, "master", "HOST[:PORT]",
      "ask a master server for its list (TCP port 28900), then each server\nof the list" },
    { KEY_TIMEOUT, "timeout", "SECONDS",
      "time to wait for answers (3); with --lan: after the last answer" },
    { 'v', "verbose", NULL, "list the players, too" },
    { KEY_JSON, "json", NULL,
      "print a JSON object per server: `address`, `answered`, `ping_ms`\nand the keys of the "
      "answer, whose values are texts" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "query",
    .synopsis = "[options] HOST[:PORT]... | --lan | --master HOST[:PORT]",
    .about =
        "Asks game servers for their status, as the game's server browser does (GameSpy QR1),\n"
        "and prints a table: name, address, mode, system, players, limits, ping. Works with any\n"
        "server of the game. The default port is 22101. Exit status 1: no server answered, or the\n"
        "master gave no list.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase query localhost\n"
              "  starbase query -v example.org:22101 example.org:22102\n"
              "  starbase query --lan --json\n"
              "  starbase query --master master.example.org\n",
};

typedef struct job {
    bool        lan, json, verbose;
    const char *master; /* NULL: none */
    sb_time     timeout_us;
    sb_waiting  waiting;
    sb_browse   list;
    sb_survey   survey;
} job;

/* ---- values of an answer ---- */

static const char *value_of(const sb_survey_entry *a, const char *key, char out[TEXT_BYTES])
{
    sb_span value;
    if (!sb_found_value(&a->found, key, &value)) value = (sb_span){ NULL, 0 };
    (void)sb_clean_game_text(value, out, TEXT_BYTES);
    return out;
}

static bool is_player_key(sb_span key)
{
    static const char prefix[] = "player_";
    size_t            size = sizeof prefix - 1;
    if (key.size <= size || memcmp(key.data, prefix, size) != 0) return false;
    for (size_t i = size; i < key.size; i++)
        if (key.data[i] < '0' || key.data[i] > '9') return false;
    return true;
}

/* ---- the table ---- */

enum {
    COLUMN_NAME,
    COLUMN_ADDRESS,
    COLUMN_MODE,
    COLUMN_SYSTEM,
    COLUMN_PLAYERS,
    COLUMN_LIMITS,
    COLUMN_PING,
    COLUMNS
};

static const char *const headings[COLUMNS] = { "NAME",    "ADDRESS", "MODE", "SYSTEM",
                                               "PLAYERS", "LIMITS",  "PING" };

typedef struct row {
    char cells[COLUMNS][TEXT_BYTES];
} row;

/* True for a number above 0; other values mean no limit (spec 05 §3.1: -1 minutes, -2 kills). */
static bool is_limit(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' && strtol(text, NULL, 10);
}

static void write_limits(const sb_survey_entry *a, char *out)
{
    char  minutes[TEXT_BYTES], kills[TEXT_BYTES];
    bool  timed = is_limit(value_of(a, "timelimit", minutes));
    bool  counted = is_limit(value_of(a, "fraglimit", kills));
    char *end = out + TEXT_BYTES;
    out[0] = '\0';
    if (timed) out += snprintf(out, (size_t)(end - out), "%.9s min", minutes);
    if (counted) snprintf(out, (size_t)(end - out), "%s%.9s kills", timed ? ", " : "", kills);
    if (!timed && !counted) snprintf(out, (size_t)(end - out), "-");
}

static void write_ping(const sb_survey_entry *a, char *out)
{
    if (a->ping_us < 0) snprintf(out, TEXT_BYTES, "-");
    else snprintf(out, TEXT_BYTES, "%.1f ms", (double)a->ping_us / 1000);
}

/* A server that did not answer has a row, too. */
static void fill_row(const sb_survey_entry *a, row *r)
{
    char players[TEXT_BYTES], limit[TEXT_BYTES];
    (void)value_of(a, "hostname", r->cells[COLUMN_NAME]);
    sb_endpoint_text(a->address, r->cells[COLUMN_ADDRESS]);
    (void)value_of(a, "mapname", r->cells[COLUMN_MODE]);
    (void)value_of(a, "system", r->cells[COLUMN_SYSTEM]);
    snprintf(r->cells[COLUMN_PLAYERS], TEXT_BYTES, "%.9s/%.9s", value_of(a, "numplayers", players),
             value_of(a, "maxplayers", limit));
    write_limits(a, r->cells[COLUMN_LIMITS]);
    write_ping(a, r->cells[COLUMN_PING]);
    if (a->found.complete) return;
    for (int i = COLUMN_MODE; i < COLUMNS; i++) r->cells[i][0] = '\0';
    snprintf(r->cells[COLUMN_NAME], TEXT_BYTES, "no answer");
}

static void widen_columns(const row *r, size_t widths[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        size_t width = sb_clean_columns(r->cells[i]);
        if (width > NAME_COLUMNS) width = NAME_COLUMNS;
        if (width > widths[i]) widths[i] = width;
    }
}

static void print_row(const row *r, const size_t widths[COLUMNS])
{
    int last = COLUMNS - 1;
    while (last > 0 && r->cells[last][0] == '\0') last--;
    for (int i = 0; i < last; i++) {
        sb_clean_print_cell(stdout, r->cells[i], widths[i]);
        fputs("  ", stdout);
    }
    puts(r->cells[last]);
}

static void print_players(const sb_survey_entry *a)
{
    sb_span key, value;
    char    name[TEXT_BYTES];
    for (size_t i = 0; sb_found_pair(&a->found, i, &key, &value); i++) {
        if (!is_player_key(key)) continue;
        (void)sb_clean_game_text(value, name, sizeof name);
        printf("    %s\n", name);
    }
}

static int print_table(const job *j)
{
    const sb_survey *survey = &j->survey;
    size_t           widths[COLUMNS] = { 0 };
    row              heading, *rows = calloc(survey->count + 1, sizeof *rows);
    if (!rows) return SB_EXIT_NEGATIVE;
    for (int i = 0; i < COLUMNS; i++) snprintf(heading.cells[i], TEXT_BYTES, "%s", headings[i]);
    widen_columns(&heading, widths);
    for (size_t i = 0; i < survey->count; i++) {
        fill_row(&survey->servers[i], &rows[i]);
        widen_columns(&rows[i], widths);
    }
    if (survey->count > 0) print_row(&heading, widths);
    for (size_t i = 0; i < survey->count; i++) {
        print_row(&rows[i], widths);
        if (j->verbose) print_players(&survey->servers[i]);
    }
    free(rows);
    return SB_EXIT_FINE;
}

/* ---- JSON ---- */

/* False if the key came before, or if print_json prints a key of this name itself. */
static bool is_new_key(const sb_survey_entry *a, size_t index, sb_span key)
{
    sb_span other, value;
    if (sb_text_equals(key, "address") || sb_text_equals(key, "ping_ms") ||
        sb_text_equals(key, "answered"))
        return false;
    for (size_t i = 0; i < index && sb_found_pair(&a->found, i, &other, &value); i++)
        if (other.size == key.size && memcmp(other.data, key.data, key.size) == 0) return false;
    return true;
}

static void print_pair(sb_span key, sb_span value)
{
    char text[TEXT_BYTES];
    (void)sb_clean_game_text(key, text, sizeof text);
    putchar(',');
    sb_clean_print_json(stdout, text);
    putchar(':');
    (void)sb_clean_game_text(value, text, sizeof text);
    sb_clean_print_json(stdout, text);
}

static void print_json(const sb_survey_entry *a)
{
    char    address[SB_ENDPOINT_TEXT];
    sb_span key, value;
    sb_endpoint_text(a->address, address);
    printf("{\"address\":\"%s\",\"answered\":%s", address, a->found.complete ? "true" : "false");
    if (a->ping_us >= 0) printf(",\"ping_ms\":%.3f", (double)a->ping_us / 1000);
    for (size_t i = 0; a->found.complete && sb_found_pair(&a->found, i, &key, &value); i++)
        if (is_new_key(a, i, key)) print_pair(key, value);
    printf("}\n");
}

/* ---- the command ---- */

static void print_waiting(const char *text)
{
    if (text) fputs(text, stderr);
}

/* Called often during the survey; true ends it. */
static bool poll_survey(void *context)
{
    job *j = context;
    if (sb_survey_answers(&j->survey) > 0) print_waiting(sb_waiting_end(&j->waiting));
    print_waiting(sb_waiting_next(&j->waiting, sb_clock_now()));
    return sb_interrupt_pending() != 0;
}

static int report(const job *j)
{
    const sb_survey *survey = &j->survey;
    int              status = SB_EXIT_FINE;
    size_t           answers = sb_survey_answers(survey);
    if (j->json)
        for (size_t i = 0; i < survey->count; i++) print_json(&survey->servers[i]);
    else status = print_table(j);
    if (answers > 0) return status;
    fprintf(stderr, "starbase query: no server%s answered\n", j->lan ? " on the LAN" : "");
    return SB_EXIT_NEGATIVE;
}

static int ask(job *j, const sb_endpoint *servers, size_t count)
{
    char             error[SB_UDP_ERROR_MAX];
    sb_survey_config config = { servers, count, j->lan, j->timeout_us, poll_survey, j };
    sb_interrupt_catch();
    if (sb_terminal_is_open(stderr) && j->lan) fprintf(stderr, "asking the LAN ...\n");
    sb_result result = sb_survey_run(&j->survey, &config, error);
    print_waiting(sb_waiting_end(&j->waiting));
    if (result == SB_OK) return report(j);
    fprintf(stderr, "starbase query: %s\n", error);
    return SB_EXIT_NEGATIVE;
}

static bool poll_master(void *context)
{
    job *j = context;
    print_waiting(sb_waiting_next(&j->waiting, sb_clock_now()));
    return sb_interrupt_pending() != 0;
}

/* Asks the servers that the master lists. */
static int ask_master(job *j)
{
    char        error[SB_UDP_ERROR_MAX];
    sb_endpoint master;
    if (!sb_udp_resolve_endpoint(j->master, SB_MASTER_LIST_PORT, &master, error))
        return sb_usage_error(&usage, "%s", error);
    sb_interrupt_catch();
    sb_waiting_start(&j->waiting, j->master, sb_clock_now());
    sb_result result = sb_master_list_fetch(&j->list, master, poll_master, j, error);
    print_waiting(sb_waiting_end(&j->waiting));
    if (result != SB_OK) {
        fprintf(stderr, "starbase query: master %s: %s\n", j->master, error);
        return SB_EXIT_NEGATIVE;
    }
    size_t count = j->list.count < SB_SURVEY_MAX ? j->list.count : SB_SURVEY_MAX;
    if (count == 0) {
        fprintf(stderr, "starbase query: master %s lists no server\n", j->master);
        return SB_EXIT_NEGATIVE;
    }
    if (count < j->list.count)
        fprintf(stderr, "starbase query: asking the first %zu of %zu listed servers\n", count,
                j->list.count);
    sb_waiting_start(&j->waiting, "the listed servers", sb_clock_now());
    return ask(j, j->list.servers, count);
}

static int run(job *j, int count, char **operands)
{
    static sb_endpoint servers[SB_SURVEY_MAX];
    char               error[SB_UDP_ERROR_MAX];
    if ((j->lan || j->master) && count > 0)
        return sb_usage_error(&usage, "name servers or use --%s, not both",
                              j->lan ? "lan" : "master");
    if (j->lan && j->master) return sb_usage_error(&usage, "use --lan or --master, not both");
    if (j->master) return ask_master(j);
    if (!j->lan && count == 0)
        return sb_usage_error(&usage, "name a server, or use --lan or --master");
    if (count > SB_SURVEY_MAX) return sb_usage_error(&usage, "at most %d servers", SB_SURVEY_MAX);
    for (int i = 0; i < count; i++)
        if (!sb_udp_resolve_endpoint(operands[i], GAME_PORT, &servers[i], error))
            return sb_usage_error(&usage, "%s", error);
    char several[40];
    snprintf(several, sizeof several, "%d servers", count);
    if (!j->lan) sb_waiting_start(&j->waiting, count == 1 ? operands[0] : several, sb_clock_now());
    return ask(j, servers, (size_t)count);
}

int sb_run_query(int argc, char **argv)
{
    static job j; /* all zeros: a default in the initializer would put megabytes into the file */
    sb_options o;
    j.timeout_us = 3 * SB_SECOND;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == KEY_JSON) j.json = true;
        else if (key == KEY_LAN) j.lan = true;
        else if (key == KEY_MASTER) j.master = o.argument;
        else if (key == 'v') j.verbose = true;
        else if (key == KEY_TIMEOUT &&
                 !sb_argument_parse_seconds(o.argument, 0.05, 600, &j.timeout_us))
            return sb_usage_error(&usage, "--timeout needs seconds from 0.05 to 600, is `%s`",
                                  o.argument);
    }
    return run(&j, argc - o.operand, argv + o.operand);
}
