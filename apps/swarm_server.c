/* apps/swarm_server.c -- the server that a swarm runs against: its own, or one that is there. */
#include "swarm.h"

#include "commands.h"
#include "host/ask_servers.h"
#include "host/clock.h"

#include <stdio.h>

enum {
    FREE_PORTS_FROM = 23000,
    FREE_PORTS_SPAN = 30000,
    FREE_PORTS_TRIES = 64,
};

static const sb_time ready_limit = 10 * SB_SECOND;

int swarm_fail(const char *text)
{
    fprintf(stderr, "starbase swarm: %s\n", text);
    return SB_EXIT_NEGATIVE;
}

static bool is_free(uint32_t address, unsigned long port)
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
        while (i < j->rooms && is_free(j->result.first.address, first + i)) i++;
        if (i < j->rooms) continue;
        j->result.first.port = (uint16_t)first;
        return true;
    }
    return false;
}

bool swarm_start_server(swarm_job *j)
{
    char rooms[24], port[24], players[24], error[SB_PROCESS_ERROR_MAX];
    char program[] = "starbase", serve[] = "serve", f_rooms[] = "--rooms", f_port[] = "--port",
         f_players[] = "--max-players", f_bind[] = "--bind", bind[] = "127.0.0.1",
         f_level[] = "--log-level", level[] = "error";
    char *argv[] = { program, serve,  f_rooms, rooms,   f_port, port, f_players,
                     players, f_bind, bind,    f_level, level,  NULL };
    snprintf(rooms, sizeof rooms, "%lu", j->rooms);
    snprintf(port, sizeof port, "%u", j->result.first.port);
    snprintf(players, sizeof players, "%lu", j->players);
    if (sb_process_start_self(&j->server, argv, error) == SB_OK) return true;
    return swarm_fail(error), false;
}

static bool server_has_ended(void *context)
{
    swarm_job *j = context;
    return j->serve && sb_process_has_ended(&j->server);
}

void swarm_show_last_words(const swarm_job *j)
{
    char text[SB_PROCESS_SAID_MAX];
    sb_process_said(&j->server, text);
    fprintf(stderr, "starbase swarm: the server ended with status %d:\n%s", j->server.status, text);
}

static void explain_silence(swarm_job *j, const sb_survey *survey)
{
    char address[SB_ENDPOINT_TEXT];
    if (j->serve) fprintf(stderr, "starbase swarm: the server did not start\n");
    if (j->serve && j->server.ended) swarm_show_last_words(j);
    for (size_t i = 0; i < survey->count; i++) {
        if (survey->servers[i].found.complete) continue;
        sb_endpoint_text(survey->servers[i].address, address);
        fprintf(stderr,
                "starbase swarm: room %zu, %s, does not answer; --serve starts a server, --rooms "
                "says how many rooms there are\n",
                i + 1, address);
        return;
    }
}

bool swarm_wait_for_rooms(swarm_job *j)
{
    static sb_survey   survey;
    static sb_endpoint rooms[SWARM_ROOMS_MAX];
    char               error[SB_UDP_ERROR_MAX];
    sb_survey_config   config = { .servers = rooms,
                                  .count = j->rooms,
                                  .timeout_us = ready_limit,
                                  .stop = server_has_ended,
                                  .stop_context = j };
    for (size_t i = 0; i < j->rooms; i++)
        rooms[i] = (sb_endpoint){ j->result.first.address, (uint16_t)(j->result.first.port + i) };
    if (sb_survey_run(&survey, &config, error) != SB_OK) return swarm_fail(error), false;
    if (sb_survey_answers(&survey) == j->rooms) return true;
    explain_silence(j, &survey);
    return false;
}
