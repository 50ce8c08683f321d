/* apps/swarm/server.c -- starts the server under test, or waits for a running one.
 *
 * Tests:    tests/apps/swarm_test.py
 */
#include "swarm/swarm.h"

#include "common/commands.h"
#include "platform/clock.h"
#include "platform/terminal.h"
#include "run/survey.h"

#include <stdio.h>

enum {
    FREE_PORTS_FROM = 23000,
    FREE_PORTS_SPAN = 30000,
    FREE_PORTS_TRIES = 64,
};

static const sb_time ready_limit = 10 * SB_SECOND;
/* By default the rooms of a server together give one address 5 answers a second (spec 05 §8). */
static const sb_time ready_limit_per_room = SB_SECOND / 4;
static const sb_time show_every = SB_SECOND / 4;

int swarm_fail(const char *text)
{
    fprintf(stderr, "starbase swarm: %s\n", text);
    return SB_EXIT_NEGATIVE;
}

static bool is_port_free(uint32_t address, unsigned long port)
{
    char           error[SB_UDP_ERROR_MAX];
    sb_udp         udp;
    sb_udp_options wanted = { .local = { address, (uint16_t)port } };
    bool           taken = sb_udp_open(&udp, &wanted, error) != SB_OK;
    sb_udp_close(&udp);
    return !taken;
}

bool swarm_find_free_ports(swarm_job *j)
{
    uint64_t seed = sb_clock_seed();
    for (unsigned try = 0; try < FREE_PORTS_TRIES; try++) {
        unsigned long first = FREE_PORTS_FROM + (seed + (uint64_t)try * 7919u) % FREE_PORTS_SPAN,
                      i = 0;
        while (i < j->rooms && is_port_free(j->result.first.address, first + i)) i++;
        if (i < j->rooms) continue;
        j->result.first.port = (uint16_t)first;
        return true;
    }
    return false;
}

/* The rooms share a budget of query answers, which all of them together exceed at the start. */
bool swarm_start_server(swarm_job *j)
{
    char rooms[24], port[24], players[24], error[SB_PROCESS_ERROR_MAX];
    char program[] = "starbase", serve[] = "serve", f_rooms[] = "--rooms", f_port[] = "--port",
         f_players[] = "--max-players", f_bind[] = "--bind", bind[] = "127.0.0.1",
         f_level[] = "--log-level", level[] = "error", set[] = "--set",
         a_source[] = "answers_per_source=1000", a_burst[] = "answers_burst=1000",
         a_network[] = "answers_per_network=1000", n_burst[] = "answers_network_burst=1000",
         a_total[] = "answers_total=10000";
    char *argv[] = { program, serve,     f_rooms, rooms,   f_port, port,     f_players, players,
                     f_bind,  bind,      f_level, level,   set,    a_source, set,       a_burst,
                     set,     a_network, set,     n_burst, set,    a_total,  NULL };
    snprintf(rooms, sizeof rooms, "%lu", j->rooms);
    snprintf(port, sizeof port, "%u", j->result.first.port);
    snprintf(players, sizeof players, "%lu", j->players);
    if (sb_process_start_self(&j->server, argv, error) == SB_OK) return true;
    (void)swarm_fail(error);
    return false;
}

void swarm_print_server_output(const swarm_job *j)
{
    char text[SB_PROCESS_OUTPUT_MAX];
    sb_process_read_output(&j->server, text);
    fprintf(stderr, "starbase swarm: the server ended with status %d:\n%s", j->server.status, text);
}

/* ---- waiting ---- */

typedef struct waiting {
    swarm_job *j;
    sb_survey  survey;
    sb_time    ends_at, show_at;
} waiting;

static void print_waiting(waiting *w)
{
    char    address[SB_ENDPOINT_TEXT];
    sb_time now = sb_clock_now(), left = w->ends_at - now;
    if (now < w->show_at || !sb_terminal_is_open(stderr)) return;
    w->show_at = now + show_every;
    sb_endpoint_text(w->j->result.first, address);
    fprintf(stderr, "\rwaiting for %s: %zu of %lu rooms answer, %.0f s to go\033[K", address,
            sb_survey_answers(&w->survey), w->j->rooms,
            left > 0 ? (double)left / (double)SB_SECOND : 0);
    fflush(stderr);
}

static bool poll_waiting(void *context)
{
    waiting *w = context;
    print_waiting(w);
    return swarm_poll_stop(w->j) || (w->j->serve && sb_process_poll(&w->j->server));
}

static void report_silence(swarm_job *j, const sb_survey *survey)
{
    char address[SB_ENDPOINT_TEXT];
    if (j->interrupted) {
        fprintf(stderr, "starbase swarm: interrupted while %zu of %zu rooms had answered\n",
                sb_survey_answers(survey), survey->count);
        return;
    }
    if (j->serve) fprintf(stderr, "starbase swarm: the server did not start\n");
    if (j->serve && j->server.ended) swarm_print_server_output(j);
    for (size_t i = 0; i < survey->count; i++) {
        if (survey->servers[i].found.complete) continue;
        sb_endpoint_text(survey->servers[i].address, address);
        fprintf(stderr,
                "starbase swarm: room %zu, %s, does not answer; --serve starts a server, --rooms "
                "sets the number of rooms\n",
                i + 1, address);
        return;
    }
}

bool swarm_wait_for_rooms(swarm_job *j)
{
    static waiting     w;
    static sb_endpoint rooms[SWARM_ROOMS_MAX];
    char               error[SB_UDP_ERROR_MAX];
    sb_survey_config   config = { .servers = rooms,
                                  .count = j->rooms,
                                  .timeout_us =
                                      ready_limit + (sb_time)j->rooms * ready_limit_per_room,
                                  .stop = poll_waiting,
                                  .stop_context = &w };
    w.j = j;
    w.ends_at = sb_clock_now() + config.timeout_us;
    for (size_t i = 0; i < j->rooms; i++)
        rooms[i] = (sb_endpoint){ j->result.first.address, (uint16_t)(j->result.first.port + i) };
    sb_result result = sb_survey_run(&w.survey, &config, error);
    swarm_clear_progress();
    if (result != SB_OK) {
        (void)swarm_fail(error);
        return false;
    }
    if (!j->interrupted && sb_survey_answers(&w.survey) == j->rooms) return true;
    report_silence(j, &w.survey);
    return false;
}
