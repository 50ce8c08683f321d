/* src/run/player_loop.c -- runs many headless players with epoll and deadlines.
 *
 * For:      player_loop.h. In this order: names and addresses, creation, the two kinds of players,
 *           the step of a player, the loop, queries.
 * Never:    allocates after sb_player_loop_create.
 */
#include "run/player_loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/text.h"
#include "client/drone.h"
#include "platform/clock.h"
#include "platform/process.h"
#include "platform/wait.h"
#include "transport/deadlines.h"

enum {
    EVENTS_AT_ONCE = 32,
    DUE_PER_STEP = 4,  /* players with a deadline that run before sockets are checked again */
    MIN_STEP_US = 200, /* shortest time between two steps of a player without a datagram */
    SPARE_DESCRIPTORS = 32,
    PEERS_PER_ADDRESS = 4,     /* players that a server accepts from one address by default */
    JOIN_INTERVAL_US = 100000, /* time between two joins */
    /* The same after the burst of joins that a server accepts from one address: 2 a second. */
    SLOW_JOIN_INTERVAL_US = 600000
};
#define WATCHED (UINT32_MAX / 2) /* epoll indices from here on mean descriptors of the caller */

typedef struct player {
    sb_player_loop *loop;
    sb_udp          udp;
    sb_client      *client; /* NULL: not started, or a drone */
    sb_drone       *drone;  /* NULL: not started, or no drone */
    sb_pilot        pilot;
    sb_player_seat  seat; /* without its texts, which are in name and password below */
    bool            leaving, over;
    void           *memory;
    uint32_t        announced; /* the player's address as the server sees it; 0: unknown */
    uint8_t         name[2 * SB_NAME_UNITS], password[2 * SB_PASSWORD_UNITS];
    size_t          name_size, password_size;
} player;

typedef struct watched {
    void (*read)(void *context);
    void *context;
} watched;

struct sb_player_loop {
    sb_client_config   client;
    bool               drones, messages;
    sb_time            mark_interval_us;
    sb_player_event_fn on_event;
    void              *event_context;
    int                epoll;
    sb_udp_batch      *batch;
    player            *players;
    uint8_t           *memory; /* holds all clients */
    sb_deadline       *items;
    sb_deadlines       deadlines;
    size_t             count, active_count;
    uint64_t           wakeups;
    watched            watched[SB_LOOP_WATCHED_MAX];
    size_t             watched_count;
};

/* ---- names and addresses ---- */

static bool is_loopback(sb_endpoint server)
{
    return server.address >> 24 == 127;
}

uint32_t sb_player_loop_source_address(sb_endpoint server, size_t index)
{
    return is_loopback(server) ? 0x7F000001 + (uint32_t)(index / PEERS_PER_ADDRESS) % 0xFFFF00 : 0;
}

sb_time sb_player_loop_start_delay(sb_endpoint server, size_t index)
{
    bool quick = is_loopback(server) || index < PEERS_PER_ADDRESS;
    return (sb_time)index * (quick ? JOIN_INTERVAL_US : SLOW_JOIN_INTERVAL_US);
}

/* The source address of datagrams to the server, for Connect and Name (spec 01 §4.6); 0: unknown.
 * Connecting a UDP socket sends nothing. */
static uint32_t address_towards(sb_endpoint server)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(server.port),
                                   .sin_addr = { htonl(server.address) } };
    socklen_t          size = sizeof address;
    uint32_t           found = 0;
    int                fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    if (connect(fd, (struct sockaddr *)&address, size) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0)
        found = ntohl(address.sin_addr.s_addr);
    (void)close(fd);
    return found;
}

/* ---- creation ---- */

static bool watch_descriptor(const sb_player_loop *loop, int descriptor, uint32_t index)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .u32 = index } };
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static sb_result open_player(sb_player_loop *loop, player *p, size_t index,
                             char error[SB_UDP_ERROR_MAX])
{
    sb_udp_options options = { .local = { p->seat.local_address, 0 } };
    sb_result      result = sb_udp_open(&p->udp, &options, error);
    if (result != SB_OK) return result;
    if (!watch_descriptor(loop, p->udp.descriptor, (uint32_t)index)) {
        snprintf(error, SB_UDP_ERROR_MAX, "cannot wait for a socket: %s", strerror(errno));
        return SB_OS_ERROR;
    }
    p->announced = p->udp.local.address;
    if (p->announced == 0) p->announced = address_towards(p->seat.server);
    return SB_OK;
}

static void copy_texts(player *p)
{
    p->name_size = sb_utf16_from_utf8(p->seat.name, p->name, SB_NAME_UNITS);
    if (p->seat.password)
        p->password_size = sb_utf16_from_utf8(p->seat.password, p->password, SB_PASSWORD_UNITS);
    p->seat.name = p->seat.password = NULL;
}

static sb_result open_players(sb_player_loop *loop, const sb_player_loop_config *config,
                              size_t bytes, char error[SB_UDP_ERROR_MAX])
{
    sb_time   now = sb_clock_now();
    sb_result result = SB_OK;
    for (size_t i = 0; i < loop->count && result == SB_OK; i++) {
        player *p = &loop->players[i];
        p->loop = loop;
        p->seat = config->seats[i];
        p->memory = loop->memory + i * bytes;
        copy_texts(p);
        result = open_player(loop, p, i, error);
        sb_deadlines_set(&loop->deadlines, (uint16_t)i, now + p->seat.start_us);
    }
    return result;
}

static bool allocate_memory(sb_player_loop *loop, size_t bytes)
{
    loop->batch = sb_udp_batch_create();
    loop->players = calloc(loop->count, sizeof *loop->players);
    for (size_t i = 0; loop->players && i < loop->count; i++) loop->players[i].udp.descriptor = -1;
    loop->items = calloc(loop->count, sizeof *loop->items);
    loop->memory = calloc(loop->count, bytes);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!loop->batch || !loop->players || !loop->items || !loop->memory) return false;
    sb_deadlines_init(&loop->deadlines, loop->items, (uint32_t)loop->count);
    return loop->epoll >= 0;
}

static size_t memory_of_player(const sb_player_loop_config *config)
{
    sb_drone_config drone;
    sb_drone_defaults(&drone);
    size_t bytes = config->drones ? sb_drone_bytes(&drone) : sb_client_bytes(&config->client);
    return (bytes + 63) / 64 * 64;
}

sb_player_loop *sb_player_loop_create(const sb_player_loop_config *config,
                                      char                         error[SB_UDP_ERROR_MAX])
{
    size_t bytes = memory_of_player(config);
    snprintf(error, SB_UDP_ERROR_MAX, "no memory for %zu players", config->count);
    if (bytes == 0 || config->count == 0 || config->count > SB_LOOP_PLAYERS_MAX) return NULL;
    sb_player_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    *loop = (sb_player_loop){ .client = config->client,
                              .drones = config->drones,
                              .mark_interval_us = config->mark_interval_us,
                              .messages = config->messages,
                              .on_event = config->on_event,
                              .event_context = config->event_context,
                              .epoll = -1,
                              .count = config->count,
                              .active_count = config->count };
    /* If the limit stays too low, opening a socket reports it. */
    (void)sb_process_reserve_descriptors(loop->count + SPARE_DESCRIPTORS);
    if (allocate_memory(loop, bytes) && open_players(loop, config, bytes, error) == SB_OK)
        return loop;
    sb_player_loop_destroy(loop);
    return NULL;
}

void sb_player_loop_destroy(sb_player_loop *loop)
{
    if (!loop) return;
    for (size_t i = 0; loop->players && i < loop->count; i++) sb_udp_close(&loop->players[i].udp);
    if (loop->epoll >= 0) (void)close(loop->epoll);
    sb_udp_batch_destroy(loop->batch);
    free(loop->players);
    free(loop->items);
    free(loop->memory);
    free(loop);
}

bool sb_player_loop_watch(sb_player_loop *loop, int descriptor, void (*read)(void *context),
                          void *context)
{
    uint32_t index = (uint32_t)loop->watched_count;
    if (index == SB_LOOP_WATCHED_MAX || !watch_descriptor(loop, descriptor, WATCHED + index))
        return false;
    loop->watched[loop->watched_count++] = (watched){ read, context };
    return true;
}

/* ---- the two kinds of players ---- */

static bool is_started(const player *p)
{
    return p->client || p->drone;
}

static void report_event(void *context, const sb_client_event *event)
{
    const player         *p = context;
    const sb_player_loop *loop = p->loop;
    bool message = event->type == SB_CLIENT_MESSAGE || event->type == SB_CLIENT_QUEUED;
    if (!loop->on_event || (message && !loop->messages)) return;
    loop->on_event(loop->event_context, (size_t)(p - loop->players), p->client, event);
}

/* Sets the fields that differ from player to player. */
static void fill_transport(const player *p, sb_transport_client_config *config)
{
    config->server = p->seat.server;
    config->name = (sb_span){ p->name, p->name_size };
    config->password = (sb_span){ p->password, p->password_size };
    config->local_address = p->announced;
    config->seed = p->seat.seed;
    config->local_port = p->udp.local.port;
}

static void start_client(player *p, sb_time now)
{
    sb_client_config config = p->loop->client;
    fill_transport(p, &config.transport);
    config.on_event = report_event;
    config.event_context = p;
    p->client = sb_client_init(p->memory, &config, now);
    sb_pilot_init(&p->pilot, &p->seat.pilot, now);
}

static void start_drone(player *p, sb_time now)
{
    sb_drone_config config;
    sb_drone_defaults(&config);
    fill_transport(p, &config.transport);
    config.seed = p->seat.pilot.seed;
    config.place = p->seat.place;
    if (p->loop->mark_interval_us) config.mark_interval_us = p->loop->mark_interval_us;
    config.on_event = report_event;
    config.event_context = p;
    p->drone = sb_drone_init(p->memory, &config, now);
}

static void start_player(player *p, sb_time now)
{
    if (p->loop->drones) start_drone(p, now);
    else start_client(p, now);
}

/* The player counts refusals. */
static void receive_datagram(player *p, sb_time now, sb_endpoint from, sb_span datagram)
{
    if (p->drone) (void)!sb_drone_receive(p->drone, now, from, datagram);
    else if (p->client) (void)!sb_client_receive(p->client, now, from, datagram);
}

static void advance_player(player *p, sb_time now)
{
    if (p->drone) {
        sb_drone_advance(p->drone, now);
        return;
    }
    sb_client_advance(p->client, now);
    if (!p->leaving) sb_pilot_step(&p->pilot, p->client, now);
}

static size_t write_datagram(player *p, sb_time now, uint8_t *out)
{
    return p->drone ? sb_drone_write(p->drone, now, out) : sb_client_write(p->client, now, out);
}

static sb_time next_time(const player *p)
{
    if (p->drone) return sb_drone_next_deadline(p->drone);
    sb_time at = sb_client_next_deadline(p->client), step = sb_pilot_next_deadline(&p->pilot);
    return !p->leaving && step < at ? step : at;
}

static bool has_left(const player *p)
{
    return p->drone ? sb_drone_is_over(p->drone) : sb_client_is_over(p->client);
}

static void start_leaving(player *p, sb_time now)
{
    if (p->drone) sb_drone_leave(p->drone, now);
    else sb_client_leave(p->client, now);
}

/* ---- the step of a player ---- */

/* Reads the clock after receiving: latencies are measured up to the arrival of a datagram. */
static void receive_datagrams(player *p)
{
    sb_endpoint from;
    if (p->over) return;
    size_t  count = sb_udp_receive(&p->udp, p->loop->batch, SB_UDP_BATCH);
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < count; i++) {
        sb_span datagram = sb_udp_received(p->loop->batch, i, &from);
        receive_datagram(p, now, from, datagram);
    }
}

static void send_datagrams(player *p, sb_time now)
{
    sb_udp_batch *batch = p->loop->batch;
    size_t        size;
    while ((size = write_datagram(p, now, sb_udp_next_buffer(&p->udp, batch))))
        sb_udp_send(&p->udp, batch, p->seat.server, size);
    sb_udp_flush(&p->udp, batch);
}

static void end_player(player *p)
{
    sb_udp_close(&p->udp);
    p->over = true;
    p->loop->active_count--;
}

static sb_time next_deadline(const player *p, sb_time now)
{
    if (p->over) return SB_TIME_NEVER;
    sb_time at = next_time(p);
    return at < now + MIN_STEP_US ? now + MIN_STEP_US : at;
}

static void step_player(player *p)
{
    sb_time now = sb_clock_now();
    if (p->over) return;
    advance_player(p, now);
    send_datagrams(p, now);
    if (has_left(p)) end_player(p);
    sb_deadlines_set(&p->loop->deadlines, (uint16_t)(p - p->loop->players), next_deadline(p, now));
}

/* ---- the loop ---- */

static void handle_readable(sb_player_loop *loop, uint32_t index)
{
    if (index < WATCHED) {
        SB_ASSERT(index < loop->count);
        receive_datagrams(&loop->players[index]);
    } else {
        SB_ASSERT(index - WATCHED < loop->watched_count);
        watched *w = &loop->watched[index - WATCHED];
        w->read(w->context);
    }
}

/* Ignores a datagram for a player who has not started. Most of what a drone receives gives it
 * nothing to do. */
static void step_after_event(sb_player_loop *loop, uint32_t index)
{
    player *p = index < WATCHED ? &loop->players[index] : NULL;
    if (!p || !is_started(p)) return;
    sb_time now = sb_clock_now();
    if (!p->drone || has_left(p) || next_time(p) <= now) step_player(p);
    else sb_deadlines_set(&loop->deadlines, (uint16_t)index, next_deadline(p, now));
}

static void step_due_players(sb_player_loop *loop, sb_time now)
{
    for (int i = 0; i < DUE_PER_STEP && sb_deadlines_next(&loop->deadlines) <= now; i++) {
        player *p = &loop->players[sb_deadlines_first(&loop->deadlines)];
        if (!is_started(p)) start_player(p, now);
        step_player(p);
    }
}

/* Receives for all players before any of them sends, so that no arrival is noticed late. Then
 * runs at most DUE_PER_STEP players whose deadline has passed, before sockets are checked again. */
void sb_player_loop_step(sb_player_loop *loop, sb_time until)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    if (loop->wakeups++ == 0) (void)prctl(PR_SET_TIMERSLACK, 1000uL, 0uL, 0uL, 0uL); /* 1 us */
    sb_time next = sb_deadlines_next(&loop->deadlines);
    if (until < next) next = until;
    int count = sb_wait_for_events(loop->epoll, events, EVENTS_AT_ONCE, next);
    for (int i = 0; i < count; i++) handle_readable(loop, events[i].data.u32);
    for (int i = 0; i < count; i++) step_after_event(loop, events[i].data.u32);
    step_due_players(loop, sb_clock_now());
}

void sb_player_loop_leave(sb_player_loop *loop, size_t index)
{
    SB_ASSERT(index < loop->count);
    player *p = &loop->players[index];
    if (p->over || p->leaving) return;
    p->leaving = true;
    if (is_started(p)) {
        start_leaving(p, sb_clock_now());
        step_player(p);
    } else {
        end_player(p);
        sb_deadlines_set(&loop->deadlines, (uint16_t)index, SB_TIME_NEVER);
    }
}

void sb_player_loop_leave_all(sb_player_loop *loop)
{
    for (size_t i = 0; i < loop->count; i++) sb_player_loop_leave(loop, i);
}

bool sb_player_loop_is_over(const sb_player_loop *loop)
{
    return loop->active_count == 0;
}

/* ---- queries ---- */

const sb_client *sb_player_loop_client(const sb_player_loop *loop, size_t index)
{
    return index < loop->count ? loop->players[index].client : NULL;
}

const sb_pilot *sb_player_loop_pilot(const sb_player_loop *loop, size_t index)
{
    return index < loop->count && loop->players[index].client ? &loop->players[index].pilot : NULL;
}

const sb_transport_client *sb_player_loop_transport(const sb_player_loop *loop, size_t index)
{
    const player *p = index < loop->count ? &loop->players[index] : NULL;
    if (!p || !is_started(p)) return NULL;
    return p->drone ? sb_drone_transport(p->drone) : sb_client_transport(p->client);
}

sb_udp_traffic sb_player_loop_traffic(const sb_player_loop *loop)
{
    sb_udp_traffic sum = { 0 };
    for (size_t i = 0; i < loop->count; i++) {
        const sb_udp_traffic *t = &loop->players[i].udp.traffic;
        sum.datagrams_in += t->datagrams_in;
        sum.bytes_in += t->bytes_in;
        sum.datagrams_out += t->datagrams_out;
        sum.bytes_out += t->bytes_out;
        sum.not_sent += t->not_sent;
    }
    return sum;
}

uint64_t sb_player_loop_wakeups(const sb_player_loop *loop)
{
    return loop->wakeups;
}
