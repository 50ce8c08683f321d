/* apps/swarm/crew.c -- the threads that run the players: each runs those of some rooms.
 *
 * For:      swarm.c, which creates the crews; stages.c, which leads them from stage to stage.
 * Never:    shares anything with another crew: all players of a room are in the same crew, so a
 *           tally has both ends of every message.
 * Tests:    tests/apps/swarm_test.py
 */
#include "swarm/swarm.h"

#include "common/clean_text.h"
#include "platform/clock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const sb_time probe_interval = 10000;
static const sb_time look_interval = 20000; /* how often a crew looks for a new stage */
static const sb_time leave_limit = 5 * SB_SECOND;
static const sb_time join_step_us = 4000; /* time between two joins: 250 a second */

/* ---- events ---- */

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

static void handle_end(swarm_crew *c, size_t index, const char *text)
{
    swarm_seat *s = &c->seats[index];
    if (s->over) return;
    s->over = true;
    if (c->stage == STAGE_LEAVING) return;
    sb_tally_leave(c->tally, index);
    if (s->joined) c->lost++;
    else c->failed++;
    store_first_reason(s->joined ? c->loss : c->failure, s, text);
}

static void handle_refused_files(swarm_crew *c, size_t index, const sb_client_event *e)
{
    char file[100], text[140];
    (void)sb_clean_game_text(e->text, file, sizeof file);
    snprintf(text, sizeof text, "%s refused: %s",
             e->value == SB_OP_VERSION_MISMATCH ? "version" : "files", file);
    handle_end(c, index, text);
}

static void handle_lobby(swarm_crew *c, size_t index)
{
    if (c->seats[index].joined) return;
    c->seats[index].joined = true;
    c->joined++;
    sb_tally_enter(c->tally, index,
                   sb_transport_client_id(sb_player_loop_transport(c->loop, index)));
}

static void handle_event(void *context, size_t index, const sb_client *client,
                         const sb_client_event *e)
{
    swarm_crew *c = context;
    (void)client;
    switch (e->type) {
    case SB_CLIENT_MESSAGE: sb_tally_received(c->tally, index, e->now, e->bytes); break;
    case SB_CLIENT_QUEUED: sb_tally_sent(c->tally, index, e->now, e->bytes); break;
    case SB_CLIENT_REFUSED_FILES: handle_refused_files(c, index, e); break;
    case SB_CLIENT_LEFT:
        handle_end(c, index,
                   e->reason == SB_LEFT_BOOTED ? boot_text(e->boot_reason)
                                               : sb_leave_reason_text(e->reason));
        break;
    case SB_CLIENT_PHASE:
        if (e->value == SB_CLIENT_LOBBY) handle_lobby(c, index);
        break;
    default: break;
    }
}

static void handle_echo(void *context)
{
    swarm_crew *c = context;
    sb_raw_echo_receive(c->echo, &c->echo_latency);
}

/* ---- stages ---- */

static swarm_totals sum_totals(const swarm_crew *c)
{
    sb_udp_traffic traffic = sb_player_loop_traffic(c->loop);
    swarm_totals   t = { .datagrams_out = traffic.datagrams_out,
                         .datagrams_in = traffic.datagrams_in,
                         .bytes_out = traffic.bytes_out,
                         .bytes_in = traffic.bytes_in,
                         .not_sent = traffic.not_sent };
    for (size_t i = 0; i < c->count; i++) {
        const sb_transport_client *p = sb_player_loop_transport(c->loop, i);
        if (!p) continue;
        t.messages_out += sb_transport_client_counter(p, SB_TRANSPORT_COUNT_MESSAGES_OUT);
        t.messages_in += sb_transport_client_counter(p, SB_TRANSPORT_COUNT_MESSAGES_IN);
        t.retransmitted += sb_transport_client_counter(p, SB_TRANSPORT_COUNT_RETRANSMITTED) +
                           sb_transport_client_counter(p, SB_TRANSPORT_COUNT_RETRANSMITTED_FAST);
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

static void set_playing(swarm_crew *c, bool playing)
{
    sb_tally_set_open(c->tally, playing);
    c->totals = playing ? sum_totals(c) : subtract(sum_totals(c), c->totals);
}

/* The sums are those of the moment before anybody leaves. */
static void start_leaving(swarm_crew *c)
{
    c->sums = *sb_tally_sums_of(c->tally);
    c->leave_by = sb_clock_now() + leave_limit;
    sb_player_loop_leave_all(c->loop);
}

static void enter_stage(swarm_crew *c, swarm_stage next)
{
    swarm_stage before = c->stage;
    if (next == before) return;
    c->stage = next;
    if (next == STAGE_PLAYING) set_playing(c, true);
    if (before == STAGE_PLAYING) set_playing(c, false);
    if (next == STAGE_LEAVING) start_leaving(c);
}

static void publish(swarm_crew *c)
{
    const sb_tally_sums *s = sb_tally_sums_of(c->tally);
    c->gone = sb_player_loop_is_over(c->loop);
    c->heard_all = c->stage >= STAGE_LISTENING && s->lines_heard == s->lines_expected;
}

static bool is_done(const swarm_crew *c)
{
    if (c->stage != STAGE_LEAVING) return false;
    return sb_player_loop_is_over(c->loop) || sb_clock_now() >= c->leave_by;
}

/* ---- the thread ---- */

static void *run(void *context)
{
    swarm_crew *c = context;
    sb_time     probe_at = 0, look_at = 0;
    while (!is_done(c)) {
        sb_time now = sb_clock_now();
        if (now >= look_at) {
            enter_stage(c, (swarm_stage)c->job->stage);
            publish(c);
            look_at = now + look_interval;
        }
        if (c->stage == STAGE_PLAYING && now >= probe_at) {
            sb_raw_echo_send(c->echo);
            probe_at = now + probe_interval;
        }
        bool probing = c->stage == STAGE_PLAYING && probe_at < look_at;
        sb_player_loop_step(c->loop, probing ? probe_at : look_at);
    }
    publish(c);
    c->done = true;
    return NULL;
}

bool swarm_start_crews(swarm_job *j)
{
    sigset_t all, before;
    bool     fine = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    for (size_t i = 0; i < j->crew_count && fine; i++) {
        swarm_crew *c = &j->crews[i];
        fine = c->running = pthread_create(&c->thread, NULL, run, c) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fine) return true;
    (void)swarm_fail("the system starts no thread");
    j->stage = STAGE_LEAVING;
    swarm_join_crews(j);
    return false;
}

static void add_totals(swarm_totals *sum, const swarm_totals *t)
{
    sum->messages_out += t->messages_out;
    sum->messages_in += t->messages_in;
    sum->datagrams_out += t->datagrams_out;
    sum->datagrams_in += t->datagrams_in;
    sum->bytes_out += t->bytes_out;
    sum->bytes_in += t->bytes_in;
    sum->retransmitted += t->retransmitted;
    sum->not_sent += t->not_sent;
}

static void add_crew(swarm_result *r, const swarm_crew *c)
{
    r->joined += c->joined;
    r->failed += c->failed;
    r->lost += c->lost;
    sb_tally_add(&r->sums, &c->sums);
    sb_latency_merge(&r->echo, &c->echo_latency);
    add_totals(&r->totals, &c->totals);
    if (r->failure[0] == '\0') memcpy(r->failure, c->failure, sizeof r->failure);
    if (r->loss[0] == '\0') memcpy(r->loss, c->loss, sizeof r->loss);
}

void swarm_join_crews(swarm_job *j)
{
    for (size_t i = 0; i < j->crew_count; i++) {
        if (!j->crews[i].running) continue;
        pthread_join(j->crews[i].thread, NULL);
        j->crews[i].running = false;
        add_crew(&j->result, &j->crews[i]);
    }
}

/* ---- creation ---- */

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

static void fill_seats(swarm_crew *c, sb_player_seat *seats)
{
    swarm_job *j = c->job;
    for (size_t i = 0; i < c->count; i++) {
        size_t      room = c->first_room + i / j->players, index = i % j->players;
        sb_endpoint server = { j->result.first.address, (uint16_t)(j->result.first.port + room) };
        snprintf(c->seats[i].name, sizeof c->seats[i].name, "Swarm %zu.%zu", room + 1, index + 1);
        seats[i] = (sb_player_seat){ .server = server,
                                     .local_address = sb_player_loop_source_address(server, index),
                                     .name = c->seats[i].name,
                                     .start_us = start_delay(j, server, room, index),
                                     .place = (unsigned)index,
                                     .pilot = j->pilot };
        seats[i].pilot.seed = j->seed + room * j->players + index + 1;
    }
}

static bool create_loop(swarm_crew *c, char error[SB_UDP_ERROR_MAX])
{
    sb_player_seat       *seats = calloc(c->count, sizeof *seats);
    sb_player_loop_config config = { .seats = seats,
                                     .count = c->count,
                                     .drones = c->job->cheap,
                                     .mark_interval_us = c->job->chat_every_us,
                                     .messages = true,
                                     .on_event = handle_event,
                                     .event_context = c };
    sb_client_defaults(&config.client);
    if (seats) {
        fill_seats(c, seats);
        c->loop = sb_player_loop_create(&config, error);
    }
    free(seats);
    return c->loop != NULL;
}

static bool create_crew(swarm_crew *c)
{
    char error[SB_UDP_ERROR_MAX] = "no memory";
    c->seats = calloc(c->count, sizeof *c->seats);
    c->tally = sb_tally_create(c->rooms, c->job->players);
    bool fine = c->seats && c->tally && create_loop(c, error);
    if (fine) c->echo = sb_raw_echo_start(error);
    fine = fine && c->echo &&
           sb_player_loop_watch(c->loop, sb_raw_echo_descriptor(c->echo), handle_echo, c);
    if (!fine) (void)swarm_fail(error);
    return fine;
}

bool swarm_create_crews(swarm_job *j)
{
    j->crew_count = j->result.threads;
    j->crews = calloc(j->crew_count, sizeof *j->crews);
    if (!j->crews) {
        (void)swarm_fail("no memory");
        return false;
    }
    for (size_t i = 0; i < j->crew_count; i++) {
        swarm_crew *c = &j->crews[i];
        size_t      end = (i + 1) * j->rooms / j->crew_count;
        c->job = j;
        c->first_room = i * j->rooms / j->crew_count;
        c->rooms = end - c->first_room;
        c->count = c->rooms * j->players;
        if (!create_crew(c)) return false;
    }
    return true;
}

void swarm_destroy_crews(swarm_job *j)
{
    for (size_t i = 0; j->crews && i < j->crew_count; i++) {
        swarm_crew *c = &j->crews[i];
        sb_player_loop_destroy(c->loop);
        sb_raw_echo_stop(c->echo);
        sb_tally_destroy(c->tally);
        free(c->seats);
    }
    free(j->crews);
    j->crews = NULL;
}
