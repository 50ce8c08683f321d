/* apps/bot/bot.c -- `starbase bot`: headless players that join any server, fly and fight.
 *
 * Tests:    tests/apps/bot_test.py
 */
#include "bot/bot.h"
#include "common/arguments.h"
#include "common/clean_text.h"
#include "common/commands.h"
#include "common/options.h"
#include "common/ship_list.h"

#include "platform/clock.h"
#include "platform/signals.h"

#include <poll.h>
#include <string.h>

enum {
    KEY_SHIP = 256,
    KEY_SKILL,
    KEY_NAME,
    KEY_TEAM,
    KEY_MANIFEST,
    KEY_PASSWORD,
    KEY_TIME,
    KEY_PEACEFUL,
    KEY_JSON
};
enum { GAME_PORT = 22101 };

static const sb_time check_interval = SB_SECOND / 4;
static const sb_time join_limit = 120 * SB_SECOND; /* includes 30 s until a new match starts */
static const sb_time leave_limit = 5 * SB_SECOND;
static const sb_time flush_limit = SB_SECOND;

static const sb_option options[] = {
    { 'n', "count", "N", "number of players (1)" },
    { KEY_SHIP, "ship", "SHIP",
      "key, name or species of the ship; any: a random ship each time\n(any)" },
    { KEY_SKILL, "skill", "LEVEL", "easy, normal or hard (normal)" },
    { KEY_NAME, "name", "NAME", "name of the player (Bot); several players get numbers" },
    { KEY_TEAM, "team", "0|1", "team in team games (the smaller team)" },
    { KEY_PASSWORD, "password", "TEXT", "password of the server" },
    { KEY_MANIFEST, "manifest", "FILE",
      "manifest of the files to claim in file checks: a CSV file from\n`starbase serve --learn`; "
      "may be repeated (vanilla 1.1)" },
    { KEY_TIME, "time", "SECONDS", "leave after this time (never)" },
    { KEY_PEACEFUL, "peaceful", NULL, "fly and chat, but do not shoot" },
    { 'q', "quiet", NULL, "print only the summary, no events" },
    { KEY_JSON, "json", NULL, "print a JSON object per event, and one per player at the end" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "bot",
    .synopsis = "[options] HOST[:PORT]",
    .about =
        "Joins a server with one or more headless players, who fly and fight until Ctrl-C,\n"
        "SIGTERM or a closed terminal (SIGHUP) makes them leave. Works with any server of the\n"
        "game; the default port is 22101. Prints a line per event. Exit status 1: a player could\n"
        "not join, was removed, or lost the connection. A server that closes is not an error.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase bot localhost\n"
              "  starbase bot -n 4 --skill hard example.org:22101\n"
              "  starbase bot --ship sovereign --name Picard --time 600 --json 192.0.2.7\n",
};

/* ---- the summary ---- */

/* Copies figures that are not available any more after a player has left. */
static void update_stats(bot_job *j, size_t index)
{
    bot_player      *b = &j->bots[index];
    const sb_client *client = sb_player_loop_client(j->loop, index);
    const sb_pilot  *pilot = sb_player_loop_pilot(j->loop, index);
    sb_peer_info     info;
    if (!client || b->joined_at == 0) return;
    bot_update_score(b, sb_client_find_player(client, sb_client_id(client)));
    b->shots = pilot->shots;
    if (sb_transport_client_peer(sb_client_transport(client), &info) && info.round_trip_us > 0)
        b->round_trip_us = info.round_trip_us;
}

static double seconds_played(const bot_player *b)
{
    sb_time end = b->left_at ? b->left_at : sb_clock_now();
    return b->joined_at ? bot_seconds(b->joined_at, end) : 0;
}

static const char *end_note(const bot_player *b)
{
    if (b->failed) return "  not joined";
    if (b->lost) return b->how == SB_LEFT_BOOTED ? "  removed" : "  lost";
    return b->left_at && b->how == SB_LEFT_HOST_CLOSED ? "  server closed" : "";
}

static void print_summary_line(bot_job *j, const bot_player *b)
{
    FILE     *line = j->output.line;
    bot_score total = bot_total_score(b);
    if (!j->json) {
        fprintf(line, "%-16s %8.1f %6u %6u %6lld %6lld %8lld %8.1f%s\n", b->name, seconds_played(b),
                b->ships, b->shots, total.kills, total.deaths, total.score,
                (double)b->round_trip_us / 1000, end_note(b));
        return;
    }
    fprintf(line, "{\"event\":\"summary\",\"bot\":");
    sb_clean_print_json(line, b->name);
    fprintf(line,
            ",\"joined\":%s,\"lost\":%s,\"how\":\"%s\",\"seconds\":%.3f,\"ships\":%u,\"shots\":%u,"
            "\"kills\":%lld,"
            "\"deaths\":%lld,\"score\":%lld,\"round_trip_ms\":%.3f}\n",
            b->joined_at ? "true" : "false", b->lost ? "true" : "false",
            b->left_at ? sb_leave_reason_text(b->how) : "", seconds_played(b), b->ships, b->shots,
            total.kills, total.deaths, total.score, (double)b->round_trip_us / 1000);
}

static int summarize(bot_job *j)
{
    bool fine = true;
    if (!j->json)
        fprintf(j->output.line, "\n%-16s %8s %6s %6s %6s %6s %8s %8s\n", "NAME", "SECONDS", "SHIPS",
                "SHOTS", "KILLS", "DEATHS", "SCORE", "PING ms");
    for (size_t i = 0; i < j->count; i++) {
        print_summary_line(j, &j->bots[i]);
        bot_output_end_line(&j->output);
        if (j->bots[i].failed || j->bots[i].lost) fine = false;
    }
    return fine ? SB_EXIT_FINE : SB_EXIT_NEGATIVE;
}

/* ---- running ---- */

static void leave(bot_job *j)
{
    for (size_t i = 0; i < j->count; i++) update_stats(j, i);
    j->leaving = true;
    j->give_up_at = sb_clock_now() + leave_limit;
    sb_player_loop_leave_all(j->loop);
}

static void handle_signal(void *context)
{
    bot_job *j = context;
    if (sb_signals_next(j->signals) != SB_SIGNAL_STOP || j->stop_requested) return;
    j->stop_requested = true;
    sb_signals_release();
    if (!j->leaving) leave(j);
}

/* Reports a join that takes too long as failed, and makes the player leave. */
static void check_join_timeout(bot_job *j, size_t index, sb_time now)
{
    bot_player *b = &j->bots[index];
    char        reason[BOT_REASON_BYTES];
    if (b->join_started_at == 0 || b->joined_at != 0 || b->failed ||
        now < b->join_started_at + join_limit)
        return;
    snprintf(reason, sizeof reason, "still %s after %d s", sb_client_phase_text(b->phase),
             (int)(join_limit / SB_SECOND));
    bot_report_failure(j, index, reason);
    sb_player_loop_leave(j->loop, index);
}

/* Reports players that never finished joining, and makes all leave. */
static void leave_at_time_limit(bot_job *j)
{
    for (size_t i = 0; i < j->count; i++) bot_report_too_late(j, i);
    leave(j);
}

static void check_players(bot_job *j)
{
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < j->count; i++) {
        update_stats(j, i);
        bot_report_arrivals(j, i);
        check_join_timeout(j, i, now);
    }
    bot_output_show_waiting(&j->output, now, sb_player_loop_traffic(j->loop).datagrams_in > 0);
    (void)bot_output_send(&j->output);
    bool late = j->time_us > 0 && now >= j->started_at + j->time_us;
    if (j->leaving) return;
    if (late) leave_at_time_limit(j);
    else if (j->output.gone) leave(j);
}

static void run_loop(bot_job *j)
{
    sb_time check_at = j->started_at;
    while (!sb_player_loop_is_over(j->loop) && sb_clock_now() < j->give_up_at) {
        if (sb_clock_now() >= check_at) {
            check_players(j);
            check_at = sb_clock_now() + check_interval;
        }
        sb_player_loop_step(j->loop, check_at);
    }
}

/* Waits until the reader has accepted all output; after a stop signal, at most a second. */
static void flush_output(bot_job *j)
{
    struct pollfd ready[2] = { { .fd = j->output.descriptor, .events = POLLOUT },
                               { .fd = j->signals, .events = POLLIN } };
    sb_time       limit = j->stop_requested ? sb_clock_now() + flush_limit : SB_TIME_NEVER;
    while (!bot_output_send(&j->output) && sb_clock_now() < limit) {
        (void)poll(ready, 2, (int)(check_interval / 1000));
        if (sb_signals_next(j->signals) == SB_SIGNAL_STOP) return;
    }
}

/* ---- preparing ---- */

static void name_bots(bot_job *j, sb_player_seat *seats)
{
    for (size_t i = 0; i < j->count; i++) {
        bot_player *b = &j->bots[i];
        char        number[24] = "";
        if (j->count > 1) snprintf(number, sizeof number, " %zu", i + 1);
        size_t size = sb_clean_utf8(j->name, b->name, SB_CLIENT_NAME_MAX);
        snprintf(b->name + size, sizeof b->name - size, "%s", number);
        seats[i] = (sb_player_seat){ .server = j->server,
                                     .local_address = sb_player_loop_source_address(j->server, i),
                                     .name = b->name,
                                     .password = j->password,
                                     .start_us = sb_player_loop_start_delay(j->server, i),
                                     .pilot = j->pilot };
        seats[i].pilot.seed = sb_clock_seed();
        seats[i].seed = sb_clock_seed();
    }
}

static bool create_loop(bot_job *j)
{
    static sb_player_seat seats[BOT_COUNT_MAX];
    sb_player_loop_config config = {
        .seats = seats, .count = j->count, .on_event = bot_handle_event, .event_context = j
    };
    char error[SB_UDP_ERROR_MAX];
    name_bots(j, seats);
    sb_client_defaults(&config.client);
    config.client.manifests = j->manifests;
    config.client.manifest_count = j->manifest_count;
    j->loop = sb_player_loop_create(&config, error);
    if (!j->loop) fprintf(stderr, "starbase bot: %s\n", error);
    return j->loop != NULL;
}

static int play(bot_job *j)
{
    j->signals = sb_signals_open(SB_HANGUP_STOPS);
    j->started_at = sb_clock_now();
    j->give_up_at = SB_TIME_NEVER;
    if (!create_loop(j)) return SB_EXIT_NEGATIVE;
    int status = SB_EXIT_NEGATIVE;
    if (!bot_output_open(&j->output)) perror("starbase bot: output");
    else if (j->signals < 0 || !sb_player_loop_watch(j->loop, j->signals, handle_signal, j))
        perror("starbase bot: signals");
    else {
        sb_waiting_start(&j->output.notice, j->host, j->started_at);
        run_loop(j);
        status = summarize(j);
        flush_output(j);
    }
    bot_output_close(&j->output);
    sb_player_loop_destroy(j->loop);
    sb_signals_close(j->signals);
    return status;
}

static int load_manifests(bot_job *j)
{
    for (size_t i = 0; i < j->manifest_count; i++) {
        sb_data_source source = { .name = j->manifest_files[i] };
        if (sb_data_load_manifest(&j->data, source, &j->manifests[i]) == SB_OK) continue;
        fprintf(stderr, "starbase bot: %s\n", j->data.error);
        return SB_EXIT_USAGE;
    }
    return SB_EXIT_FINE;
}

static int find_ship(bot_job *j)
{
    unsigned long species;
    if (strcmp(j->ship, "any") == 0) return SB_EXIT_FINE;
    const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), j->ship);
    if (!ship && sb_argument_parse_count(j->ship, 1, 255, &species))
        ship = sb_find_ship(sb_stock_ships(), (uint8_t)species);
    const char *near = ship ? NULL : sb_suggest_ship(sb_stock_ships(), j->ship);
    if (!ship)
        return sb_usage_error(&usage, "there is no ship `%s`; %s%s%s`starbase ships` lists them",
                              j->ship, near ? "did you mean `" : "", near ? near : "",
                              near ? "`? " : "");
    j->pilot.species = ship->species;
    return SB_EXIT_FINE;
}

/* True if a server would find no character in the name. */
static bool is_blank(const char *name)
{
    while (*name != '\0' && (unsigned char)*name <= ' ') name++;
    return *name == '\0';
}

static int run(bot_job *j, int count, char **operands)
{
    char   error[SB_UDP_ERROR_MAX];
    size_t max_units = SB_NAME_UNITS - (j->count > 1 ? 4 : 0); /* reserves " 120" */
    if (count != 1)
        return sb_usage_error(&usage, "exactly one server is needed: HOST or HOST:PORT");
    if (is_blank(j->name) || sb_clean_columns(j->name) > max_units)
        return sb_usage_error(&usage, "--name needs 1 to %zu characters, not only blanks",
                              max_units);
    int status = find_ship(j);
    if (status != SB_EXIT_FINE) return status;
    if (!sb_udp_resolve_endpoint(operands[0], GAME_PORT, &j->server, error))
        return sb_usage_error(&usage, "%s", error);
    j->host = operands[0];
    status = load_manifests(j);
    if (status == SB_EXIT_FINE) status = play(j);
    sb_data_free(&j->data);
    return status;
}

/* ---- the command line ---- */

static int apply_number_option(bot_job *j, int key, const char *text)
{
    unsigned long number;
    sb_skill      skill;
    if (key == 'n') {
        if (!sb_argument_parse_count(text, 1, BOT_COUNT_MAX, &number))
            return sb_usage_error(&usage, "--count needs a number from 1 to %d, is `%s`",
                                  BOT_COUNT_MAX, text);
        j->count = number;
    } else if (key == KEY_TEAM) {
        if (!sb_argument_parse_count(text, 0, 1, &number))
            return sb_usage_error(&usage, "--team needs 0 or 1, is `%s`", text);
        j->pilot.team = (uint8_t)number;
    } else if (key == KEY_SKILL) {
        if (!sb_find_skill(text, &skill))
            return sb_usage_error(&usage, "--skill needs easy, normal or hard, is `%s`", text);
        j->pilot.skill = (uint8_t)skill;
    } else if (key == KEY_TIME && !sb_argument_parse_seconds(text, 0.1, 1e7, &j->time_us))
        return sb_usage_error(&usage, "--time needs seconds from 0.1, is `%s`", text);
    return SB_EXIT_FINE;
}

static int apply_option(bot_job *j, int key, const char *text)
{
    switch (key) {
    case KEY_SHIP: j->ship = text; break;
    case KEY_NAME: j->name = text; break;
    case KEY_PASSWORD: j->password = text; break;
    case KEY_PEACEFUL: j->pilot.peaceful = true; break;
    case KEY_JSON: j->json = true; break;
    case 'q': j->quiet = true; break;
    case KEY_MANIFEST:
        if (j->manifest_count == BOT_MANIFESTS_MAX)
            return sb_usage_error(&usage, "at most %d manifests", BOT_MANIFESTS_MAX);
        j->manifest_files[j->manifest_count++] = text;
        break;
    default: return apply_number_option(j, key, text);
    }
    return SB_EXIT_FINE;
}

int sb_run_bot(int argc, char **argv)
{
    static bot_job j; /* all zeros: not in the file of the program */
    sb_options     o;
    j.count = 1;
    j.name = "Bot";
    j.ship = "any";
    sb_pilot_defaults(&j.pilot);
    j.pilot.talkative = true;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        int status = apply_option(&j, key, o.argument);
        if (status != SB_EXIT_FINE) return status;
    }
    return run(&j, argc - o.operand, argv + o.operand);
}
