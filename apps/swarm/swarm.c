/* apps/swarm/swarm.c -- `starbase swarm`: a load test of a server with many players.
 *
 * For:      measuring a server over real sockets: joins and lost players, the latency from player
 *           to player, CPU and memory of the server.
 * Tests:    tests/apps/swarm_test.py
 *
 * The latency of a chat line is the time from sending it to its arrival at another player. Both
 * players are in this process, and the line carries the time of sending (a mark, see
 * sb_pilot_config.latency_marks). The latency of a change of state is the same for a StateUpdate
 * with another speed (run/tally.h). The raw echo is measured in the same loops at the same time.
 */
#include "swarm/swarm.h"
#include "common/arguments.h"
#include "common/commands.h"
#include "common/options.h"

#include "platform/clock.h"
#include "platform/signals.h"

#include <sched.h>

enum {
    KEY_ROOMS = 256,
    KEY_PLAYERS,
    KEY_TIME,
    KEY_HOST,
    KEY_PORT,
    KEY_SERVE,
    KEY_PID,
    KEY_SKILL,
    KEY_CHEAP,
    KEY_CHAT_EVERY,
    KEY_THREADS,
    KEY_MAX_P99,
    KEY_JSON
};
enum {
    PLAYERS_MAX = 16,
    /* The players that one thread runs, if the number of threads is not given. */
    PILOTS_PER_THREAD = 400,
    DRONES_PER_THREAD = 1000,
    DESCRIPTORS_PER_CREW = 8,
    SPARE_DESCRIPTORS = 64,
};

static const sb_time stop_limit = 5 * SB_SECOND;

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
    { KEY_CHEAP, "cheap", NULL,
      "players that only fly in circles and chat: thousands of them load\nthe server, not this "
      "program" },
    { KEY_CHAT_EVERY, "chat-every", "SECONDS",
      "seconds between the chat lines of a cheap player (1)" },
    { KEY_THREADS, "threads", "N",
      "threads that run the players (one less than processors, at most as\nmany as the players "
      "need)" },
    { KEY_MAX_P99, "max-p99", "MILLISECONDS",
      "fail if the p99 of the latency of chat lines is higher" },
    { KEY_JSON, "json", NULL, "print the verdict as a JSON object" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "swarm",
    .synopsis = "[options]",
    .about =
        "Fills the rooms of a server with headless players who fly, fight and chat, and prints a\n"
        "verdict: joined and lost players, the latency of changes of speed and of chat lines\n"
        "from player to player (compared with a raw UDP echo in the same run), CPU and memory\n"
        "of the server. Exit status 1: a player did not join or was lost, or a chat line did not\n"
        "reach all players.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase swarm --serve --rooms 16 --players 8 --time 30\n"
              "  starbase swarm --rooms 2 --host 192.0.2.7:22101 --json\n"
              "  starbase swarm --serve --rooms 250 --players 8 --cheap\n",
};

/* ---- threads and descriptors ---- */

static size_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* At most one thread per room: the players of a room share it. */
static size_t choose_threads(const swarm_job *j)
{
    size_t per_thread = j->cheap ? DRONES_PER_THREAD : PILOTS_PER_THREAD;
    size_t needed = (j->rooms * j->players + per_thread - 1) / per_thread, all = processors();
    size_t threads = j->threads ? j->threads : all > 1 ? all - 1 : 1;
    if (!j->threads && threads > needed) threads = needed;
    if (threads > SWARM_THREADS_MAX) threads = SWARM_THREADS_MAX;
    return threads < j->rooms ? threads : j->rooms;
}

/* Every player has a socket. The server inherits the limit. */
static bool reserve_descriptors(const swarm_job *j)
{
    size_t players = j->rooms * j->players;
    size_t wanted = players + j->result.threads * DESCRIPTORS_PER_CREW + SPARE_DESCRIPTORS;
    size_t missing = sb_process_reserve_descriptors(wanted);
    if (missing == 0) return true;
    fprintf(stderr,
            "starbase swarm: %zu players need %zu open files, %zu more than the system allows: "
            "raise the limit with `ulimit -n %zu`\n",
            players, wanted, missing, wanted);
    return false;
}

/* ---- the run ---- */

static int play(swarm_job *j)
{
    int status = SB_EXIT_NEGATIVE;
    j->started_at = sb_clock_now();
    if (swarm_create_crews(j) && swarm_start_crews(j)) {
        swarm_run_stages(j);
        swarm_join_crews(j);
        status = SB_EXIT_FINE;
    }
    swarm_destroy_crews(j);
    return status;
}

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
    j->result.cheap = j->cheap;
    j->result.threads = choose_threads(j);
    if (j->cheap) j->seed = sb_clock_seed();
    if (!reserve_descriptors(j)) return SB_EXIT_NEGATIVE;
    j->signals = sb_signals_open(SB_HANGUP_STOPS);
    if (j->signals < 0) return swarm_fail("signals cannot be watched");
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
    case KEY_THREADS: return parse_count("threads", text, 1, SWARM_THREADS_MAX, &j->threads);
    case KEY_CHEAP: j->cheap = true; break;
    case KEY_HOST: j->host = text; break;
    case KEY_SERVE: j->serve = true; break;
    case KEY_JSON: j->json = true; break;
    case KEY_TIME:
        if (!sb_argument_parse_seconds(text, 1, 1e6, &j->time_us))
            return sb_usage_error(&usage, "--time needs seconds from 1, is `%s`", text);
        break;
    case KEY_CHAT_EVERY:
        if (!sb_argument_parse_seconds(text, 0.1, 1000, &j->chat_every_us))
            return sb_usage_error(&usage, "--chat-every needs seconds from 0.1 to 1000, is `%s`",
                                  text);
        break;
    case KEY_MAX_P99: /* parsed as seconds, given in milliseconds */
        if (!sb_argument_parse_seconds(text, 0.001, 1e6, &j->result.p99_limit_us))
            return sb_usage_error(&usage, "--max-p99 needs milliseconds, is `%s`", text);
        j->result.p99_limit_us /= 1000;
        break;
    case KEY_SKILL:
        j->skill_given = true;
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
    if (j->cheap && j->skill_given)
        return sb_usage_error(&usage,
                              "either --cheap or --skill, not both: cheap players do not fight");
    if (j->chat_every_us && !j->cheap)
        return sb_usage_error(&usage, "--chat-every is for --cheap: pilots chat as they like");
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
