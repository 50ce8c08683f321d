/* apps/swarm/swarm.c -- `starbase swarm`: a load test of a server with many players.
 *
 * For:      measuring a server over real sockets: joins and lost players, the latency from player
 *           to player, CPU and memory of the server.
 * Tests:    tests/apps/swarm_test.py
 *
 * A relay latency is the time from sending a chat line to its arrival at another player. Both
 * players are in this process, and the line carries the time of sending (a mark, see
 * sb_pilot_config.latency_marks). The raw echo is measured in the same loop at the same time.
 */
#include "swarm/swarm.h"
#include "base/assert.h"
#include "common/arguments.h"
#include "common/clean_text.h"
#include "common/commands.h"
#include "common/options.h"

#include "platform/clock.h"
#include "platform/signals.h"
#include "platform/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KEY_ROOMS = 256,
    KEY_PLAYERS,
    KEY_TIME,
    KEY_HOST,
    KEY_PORT,
    KEY_SERVE,
    KEY_PID,
    KEY_SKILL,
    KEY_MAX_P99,
    KEY_JSON
};
enum {
    PLAYERS_MAX = 16,
    MARK_BYTES = 17, /* '@' and 16 hex digits */
};

static const sb_time probe_interval = 10000;
static const sb_time check_interval = SB_SECOND / 4;
static const sb_time join_limit = 25 * SB_SECOND; /* after the start of the last join */
static const sb_time settle_us = SB_SECOND;
static const sb_time listen_min = SB_SECOND / 4;
static const sb_time listen_limit = 5 * SB_SECOND;
static const sb_time leave_limit = 5 * SB_SECOND;
static const sb_time stop_limit = 5 * SB_SECOND;
static const sb_time join_step_us = 4000; /* time between two joins: 250 a second */

static const sb_option options[] = {
    { KEY_ROOMS, "rooms", "N", "rooms, on consecutive ports (1)" },
    { KEY_PLAYERS, "players", "N", "players in each room, 1 to 16 (8)" },
    { KEY_TIME, "time", "SECONDS", "how long they play after all have joined (30)" },
    { KEY_HOST, "host", "HOST[:PORT]", "address of the server (127.0.0.1)" },
    { KEY_PORT, "port", "PORT", "port of the first room (22101)" },
    { KEY_SERVE, "serve", NULL,
      "start a server on this machine, on free ports unless --port is\ngiven" },
    { KEY_PID, "pid", "PID", "process id of the server, to measure its CPU and memory" },
    { KEY_SKILL, "skill", "LEVEL", "easy, normal or hard (normal)" },
    { KEY_MAX_P99, "max-p99", "MILLISECONDS", "fail if the p99 of the relay latency is higher" },
    { KEY_JSON, "json", NULL, "print the verdict as a JSON object" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "swarm",
    .synopsis = "[options]",
    .about =
        "Fills the rooms of a server with headless players who fly, fight and chat, and prints a\n"
        "verdict: joined and lost players, the latency of a chat line from player to player\n"
        "(compared with a raw UDP echo in the same run), CPU and memory of the server. Exit\n"
        "status 1: a player did not join or was lost, or a chat line did not reach all players.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase swarm --serve --rooms 16 --players 8 --time 30\n"
              "  starbase swarm --rooms 2 --host 192.0.2.7:22101 --json\n",
};

/* ---- progress ---- */

static void show_progress(const swarm_job *j)
{
    static const char *const words[] = { "joining", "joined", "playing", "listening", "leaving" };
    double                   left = (double)(j->stage_ends_at - sb_clock_now()) / (double)SB_SECOND;
    if (!sb_terminal_is_open(stderr)) return;
    SB_ASSERT((size_t)j->stage < sizeof words / sizeof *words);
    fprintf(stderr, "\r%-9s %zu of %zu players, %zu lost", words[j->stage], j->result.joined,
            j->count, j->result.lost);
    if (j->stage == STAGE_PLAYING) fprintf(stderr, ", %.0f s to go", left > 0 ? left : 0);
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

void swarm_clear_progress(void)
{
    if (sb_terminal_is_open(stderr)) fprintf(stderr, "\r\033[K");
}

/* ---- events ---- */

static bool read_mark(sb_span text, sb_time *out)
{
    uint64_t value = 0;
    if (text.size != MARK_BYTES || text.data[0] != '@') return false;
    for (size_t i = 1; i < MARK_BYTES; i++) {
        uint8_t c = text.data[i];
        bool    digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
        if (!digit && !letter) return false;
        value = value << 4 | (uint64_t)(digit ? c - '0' : c - 'a' + 10);
    }
    *out = (sb_time)value;
    return true;
}

/* The server also sends a chat line back to its sender; the lines that come back count the marks
 * that were sent. */
static void handle_chat(swarm_job *j, const sb_client *client, const sb_client_event *e)
{
    sb_time sent;
    if (!read_mark(e->text, &sent) || sent < j->marks_from || sent >= j->marks_until) return;
    if (e->peer_id == sb_client_id(client)) {
        j->result.marks_sent++;
        return;
    }
    j->result.marks_heard++;
    sb_latency_add(&j->result.relay, e->now - sent);
}

static void store_first_reason(char out[200], const swarm_seat *s, const char *text)
{
    if (out[0] == '\0') snprintf(out, 200, "%s: %s", s->name, text);
}

static const char *boot_text(uint8_t reason)
{
    switch (reason) {
    case SB_BOOT_FULL: return "removed by the server: full";
    case SB_BOOT_PASSWORD: return "removed by the server: password";
    case SB_BOOT_TIMED_OUT: return "removed by the server: timed out";
    case SB_BOOT_KICKED: return "removed by the server: kicked";
    case SB_BOOT_BANNED: return "removed by the server: banned";
    default: return "removed by the server";
    }
}

static void handle_end(swarm_job *j, swarm_seat *s, const char *text)
{
    if (s->over) return;
    s->over = true;
    if (j->stage == STAGE_LEAVING) return;
    if (s->joined) j->result.lost++;
    else j->result.failed++;
    store_first_reason(s->joined ? j->result.loss : j->result.failure, s, text);
}

static void handle_refused_files(swarm_job *j, swarm_seat *s, const sb_client_event *e)
{
    char file[100], text[140];
    (void)sb_clean_game_text(e->text, file, sizeof file);
    snprintf(text, sizeof text, "%s refused: %s",
             e->value == SB_OP_VERSION_MISMATCH ? "version" : "files", file);
    handle_end(j, s, text);
}

static void handle_event(void *context, size_t index, const sb_client *client,
                         const sb_client_event *e)
{
    swarm_job  *j = context;
    swarm_seat *s = &j->seats[index];
    switch (e->type) {
    case SB_CLIENT_CHAT: handle_chat(j, client, e); break;
    case SB_CLIENT_REFUSED_FILES: handle_refused_files(j, s, e); break;
    case SB_CLIENT_LEFT:
        handle_end(j, s,
                   e->reason == SB_LEFT_BOOTED ? boot_text(e->boot_reason)
                                               : sb_leave_reason_text(e->reason));
        break;
    case SB_CLIENT_PHASE:
        if (e->value != SB_CLIENT_LOBBY || s->joined) break;
        s->joined = true;
        j->result.joined++;
        break;
    default: break;
    }
}

/* ---- sums ---- */

static swarm_totals sum_totals(const swarm_job *j)
{
    sb_udp_traffic traffic = sb_player_loop_traffic(j->loop);
    swarm_totals   t = { .datagrams_out = traffic.datagrams_out,
                         .datagrams_in = traffic.datagrams_in,
                         .bytes_out = traffic.bytes_out,
                         .bytes_in = traffic.bytes_in,
                         .not_sent = traffic.not_sent };
    for (size_t i = 0; i < j->count; i++) {
        const sb_client *client = sb_player_loop_client(j->loop, i);
        if (!client) continue;
        const sb_transport_client *c = sb_client_transport(client);
        t.messages_out += sb_transport_client_counter(c, SB_TRANSPORT_COUNT_MESSAGES_OUT);
        t.messages_in += sb_transport_client_counter(c, SB_TRANSPORT_COUNT_MESSAGES_IN);
        t.retransmitted += sb_transport_client_counter(c, SB_TRANSPORT_COUNT_RETRANSMITTED) +
                           sb_transport_client_counter(c, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST);
    }
    return t;
}

static swarm_totals subtract(swarm_totals a, swarm_totals b)
{
    return (swarm_totals){ a.messages_out - b.messages_out,   a.messages_in - b.messages_in,
                           a.datagrams_out - b.datagrams_out, a.datagrams_in - b.datagrams_in,
                           a.bytes_out - b.bytes_out,         a.bytes_in - b.bytes_in,
                           a.retransmitted - b.retransmitted, a.not_sent - b.not_sent };
}

static pid_t server_pid(const swarm_job *j)
{
    return j->serve ? j->server.pid : (pid_t)j->pid;
}

static int64_t own_cpu(void)
{
    sb_process_usage usage_now;
    return sb_process_usage_of(getpid(), &usage_now) ? usage_now.cpu_us : 0;
}

/* ---- stages ---- */

static void enter_stage(swarm_job *j, swarm_stage next, sb_time duration)
{
    SB_ASSERT(next >= j->stage); /* stages never go back */
    j->stage = next;
    j->stage_ends_at = sb_clock_now() + duration;
}

static void start_playing(swarm_job *j)
{
    enter_stage(j, STAGE_PLAYING, j->time_us);
    j->play_started_at = sb_clock_now();
    j->marks_from = j->play_started_at;
    j->marks_until = SB_TIME_NEVER;
    j->totals_before = sum_totals(j);
    j->own_before_us = own_cpu();
    if (server_pid(j) != 0)
        j->result.has_server = sb_process_usage_of(server_pid(j), &j->result.before);
}

static void end_playing(swarm_job *j)
{
    swarm_result *r = &j->result;
    r->seconds = (double)(sb_clock_now() - j->play_started_at) / (double)SB_SECOND;
    r->totals = subtract(sum_totals(j), j->totals_before);
    r->own_cpu_us = own_cpu() - j->own_before_us;
    if (r->has_server) r->has_server = sb_process_usage_of(server_pid(j), &r->after);
    if (r->died) r->has_server = false;
    j->marks_until = sb_clock_now();
}

static void start_leaving(swarm_job *j)
{
    if (j->stage == STAGE_PLAYING) end_playing(j);
    j->marks_until = 0;
    enter_stage(j, STAGE_LEAVING, leave_limit);
    sb_player_loop_leave_all(j->loop);
}

static bool has_heard_all(const swarm_job *j)
{
    bool early = sb_clock_now() < j->stage_ends_at - listen_limit + listen_min;
    return !early && j->result.marks_heard == swarm_marks_expected(&j->result);
}

static void advance_stage(swarm_job *j)
{
    bool late = sb_clock_now() >= j->stage_ends_at;
    switch (j->stage) {
    case STAGE_JOINING:
        if (j->result.joined + j->result.failed < j->count && !late) break;
        j->result.join_seconds = (double)(sb_clock_now() - j->started_at) / (double)SB_SECOND;
        if (j->result.joined == 0) start_leaving(j);
        else enter_stage(j, STAGE_SETTLING, settle_us);
        break;
    case STAGE_SETTLING:
        if (late) start_playing(j);
        break;
    case STAGE_PLAYING:
        if (!late && !sb_player_loop_is_over(j->loop)) break;
        end_playing(j);
        enter_stage(j, STAGE_LISTENING, listen_limit);
        break;
    case STAGE_LISTENING:
        if (late || has_heard_all(j)) start_leaving(j);
        break;
    case STAGE_LEAVING: break;
    }
}

/* Ends the run at once if the server has died, without waiting for the players' timeouts. */
static void check_server(swarm_job *j)
{
    if (!j->serve || j->result.died || j->stage == STAGE_LEAVING) return;
    j->result.died = sb_process_poll(&j->server);
    if (j->result.died) start_leaving(j);
}

static bool is_done(const swarm_job *j)
{
    if (j->stage != STAGE_LEAVING) return false;
    return sb_player_loop_is_over(j->loop) || sb_clock_now() >= j->stage_ends_at;
}

static void run_loop(swarm_job *j)
{
    sb_time check_at = 0, probe_at = 0;
    while (!is_done(j)) {
        sb_time now = sb_clock_now();
        if (now >= check_at) {
            check_server(j);
            show_progress(j);
            check_at = now + check_interval;
        }
        advance_stage(j);
        if (j->stage == STAGE_PLAYING && now >= probe_at) {
            sb_raw_echo_send(j->echo);
            probe_at = now + probe_interval;
        }
        sb_time next = j->stage == STAGE_PLAYING && probe_at < check_at ? probe_at : check_at;
        sb_player_loop_step(j->loop, next < j->stage_ends_at ? next : j->stage_ends_at);
    }
    swarm_clear_progress();
}

bool swarm_poll_stop(swarm_job *j)
{
    if (j->interrupted || sb_signals_next(j->signals) != SB_SIGNAL_STOP) return false;
    sb_signals_release();
    j->interrupted = true;
    return true;
}

static void handle_signal(void *context)
{
    swarm_job *j = context;
    if (!swarm_poll_stop(j)) return;
    j->result.cut_short = true;
    start_leaving(j);
}

static void handle_echo(void *context)
{
    swarm_job *j = context;
    sb_raw_echo_receive(j->echo, &j->result.echo);
}

/* ---- the players ---- */

/* Players join in rounds: the first player of each room, then the second of each. */
static sb_time start_delay(swarm_job *j, sb_endpoint server, size_t room, size_t index)
{
    sb_time round = (sb_time)j->rooms * join_step_us,
            earliest = sb_player_loop_start_delay(server, index);
    sb_time start = (sb_time)index * round + (sb_time)room * join_step_us;
    if (start < earliest) start = earliest;
    if (start > j->last_start_us) j->last_start_us = start;
    return start;
}

static void fill_seats(swarm_job *j, sb_player_seat *seats)
{
    for (size_t i = 0; i < j->count; i++) {
        size_t      room = i / j->players, index = i % j->players;
        sb_endpoint server = { j->result.first.address, (uint16_t)(j->result.first.port + room) };
        snprintf(j->seats[i].name, sizeof j->seats[i].name, "Swarm %zu.%zu", room + 1, index + 1);
        seats[i] = (sb_player_seat){ .server = server,
                                     .local_address = sb_player_loop_source_address(server, index),
                                     .name = j->seats[i].name,
                                     .start_us = start_delay(j, server, room, index),
                                     .pilot = j->pilot };
        seats[i].pilot.seed = i + 1;
    }
}

static bool create_loop(swarm_job *j)
{
    char                  error[SB_UDP_ERROR_MAX] = "no memory";
    sb_player_seat       *seats = calloc(j->count, sizeof *seats);
    sb_player_loop_config config = {
        .seats = seats, .count = j->count, .on_event = handle_event, .event_context = j
    };
    sb_client_defaults(&config.client);
    if (seats && j->seats) {
        fill_seats(j, seats);
        j->loop = sb_player_loop_create(&config, error);
    }
    free(seats);
    if (!j->loop) (void)swarm_fail(error);
    return j->loop != NULL;
}

static bool watch_all(swarm_job *j)
{
    char error[SB_UDP_ERROR_MAX] = "signals cannot be watched";
    j->echo = sb_raw_echo_start(error);
    bool fine = j->echo && j->signals >= 0 &&
                sb_player_loop_watch(j->loop, j->signals, handle_signal, j) &&
                sb_player_loop_watch(j->loop, sb_raw_echo_descriptor(j->echo), handle_echo, j);
    if (!fine) (void)swarm_fail(error);
    return fine;
}

static int play(swarm_job *j)
{
    int status = SB_EXIT_NEGATIVE;
    j->marks_from = SB_TIME_NEVER;
    j->count = j->rooms * j->players;
    j->seats = calloc(j->count, sizeof *j->seats);
    j->started_at = sb_clock_now();
    if (create_loop(j) && watch_all(j)) {
        enter_stage(j, STAGE_JOINING, j->last_start_us + join_limit);
        run_loop(j);
        status = SB_EXIT_FINE;
    }
    sb_player_loop_destroy(j->loop);
    sb_raw_echo_stop(j->echo);
    free(j->seats);
    return status;
}

/* ---- the run ---- */

static int run_with_server(swarm_job *j)
{
    int status = swarm_wait_for_rooms(j) ? play(j) : SB_EXIT_NEGATIVE;
    if (!j->serve) return status;
    j->result.served = true;
    (void)sb_process_stop(&j->server, stop_limit);
    j->result.exit_status = j->server.status;
    if (status == SB_EXIT_FINE && j->server.status != 0) swarm_print_server_output(j);
    sb_process_close(&j->server);
    return status;
}

static int report(swarm_job *j)
{
    if (j->json) swarm_print_json(&j->result);
    else swarm_print_table(&j->result);
    return swarm_is_fine(&j->result) ? SB_EXIT_FINE : SB_EXIT_NEGATIVE;
}

static int run(swarm_job *j)
{
    j->result.rooms = j->rooms;
    j->result.players = j->players;
    j->signals = sb_signals_open(SB_HANGUP_STOPS);
    if (j->serve && !j->port_given && !swarm_find_free_ports(j))
        return swarm_fail("not enough consecutive free ports: --port sets the first one");
    if (j->serve && !swarm_start_server(j)) return SB_EXIT_NEGATIVE;
    int status = run_with_server(j);
    sb_signals_close(j->signals);
    return status == SB_EXIT_FINE ? report(j) : status;
}

/* ---- the command line ---- */

static int parse_count(const char *name, const char *text, unsigned long low, unsigned long high,
                       unsigned long *out)
{
    if (sb_argument_parse_count(text, low, high, out)) return SB_EXIT_FINE;
    return sb_usage_error(&usage, "--%s needs a number from %lu to %lu, is `%s`", name, low, high,
                          text);
}

static int apply_option(swarm_job *j, int key, const char *text)
{
    sb_skill skill;
    switch (key) {
    case KEY_ROOMS: return parse_count("rooms", text, 1, SWARM_ROOMS_MAX, &j->rooms);
    case KEY_PLAYERS: return parse_count("players", text, 1, PLAYERS_MAX, &j->players);
    case KEY_PID: return parse_count("pid", text, 1, 1ul << 30, &j->pid);
    case KEY_PORT: j->port_given = true; return parse_count("port", text, 1, 65535, &j->port);
    case KEY_HOST: j->host = text; break;
    case KEY_SERVE: j->serve = true; break;
    case KEY_JSON: j->json = true; break;
    case KEY_TIME:
        if (!sb_argument_parse_seconds(text, 1, 1e6, &j->time_us))
            return sb_usage_error(&usage, "--time needs seconds from 1, is `%s`", text);
        break;
    case KEY_MAX_P99: /* parsed as seconds, given in milliseconds */
        if (!sb_argument_parse_seconds(text, 0.001, 1e6, &j->result.p99_limit_us))
            return sb_usage_error(&usage, "--max-p99 needs milliseconds, is `%s`", text);
        j->result.p99_limit_us /= 1000;
        break;
    case KEY_SKILL:
        if (!sb_find_skill(text, &skill))
            return sb_usage_error(&usage, "--skill needs easy, normal or hard, is `%s`", text);
        j->pilot.skill = (uint8_t)skill;
        break;
    default: break;
    }
    return SB_EXIT_FINE;
}

/* --host may include the port of the first room. */
static int find_host(swarm_job *j)
{
    char         error[SB_UDP_ERROR_MAX];
    sb_endpoint *first = &j->result.first;
    if (!sb_udp_resolve_endpoint(j->host ? j->host : "127.0.0.1", 0, first, error))
        return sb_usage_error(&usage, "%s", error);
    if (first->port != 0 && j->port_given)
        return sb_usage_error(&usage, "give the port in --host or in --port, not in both");
    if (first->port != 0) j->port = first->port;
    first->port = (uint16_t)j->port;
    return SB_EXIT_FINE;
}

static int check_options(swarm_job *j)
{
    if (j->serve && j->host) return sb_usage_error(&usage, "either --serve or --host, not both");
    if (j->serve && j->pid) return sb_usage_error(&usage, "either --serve or --pid, not both");
    int status = find_host(j);
    if (status == SB_EXIT_FINE && j->port + j->rooms - 1 > 65535)
        return sb_usage_error(&usage, "there is no port for room %lu", 65536 - j->port + 1);
    return status;
}

int sb_run_swarm(int argc, char **argv)
{
    static swarm_job j; /* all zeros: not in the file of the program */
    sb_options       o;
    j.port = 22101;
    j.rooms = 1;
    j.players = 8;
    j.time_us = 30 * SB_SECOND;
    j.server.output = -1;
    sb_pilot_defaults(&j.pilot);
    j.pilot.latency_marks = true;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        int status = apply_option(&j, key, o.argument);
        if (status != SB_EXIT_FINE) return status;
    }
    if (o.operand < argc)
        return sb_usage_error(&usage, "unexpected argument `%s`", argv[o.operand]);
    int status = check_options(&j);
    return status == SB_EXIT_FINE ? run(&j) : status;
}
