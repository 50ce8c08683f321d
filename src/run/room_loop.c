/* src/run/room_loop.c -- runs many rooms on one thread with epoll and deadlines.
 *
 * For:      room_loop.h. In this order: creation, commands, the step of a room, the loop.
 * Never:    allocates after sb_room_loop_create.
 */
#include "run/room_loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/assert.h"
#include "platform/clock.h"
#include "platform/wait.h"

enum { EVENTS_AT_ONCE = 64 };
#define WAKE_UP UINT32_MAX /* in place of a room's index */

struct sb_room_loop {
    sb_room *const  *rooms;
    size_t           count;
    int              epoll, wake; /* wake: an eventfd that signals a queued command */
    sb_udp_batch    *batch;
    pthread_t        thread;
    sb_time          stop_deadline; /* SB_TIME_NEVER: not stopping */
    _Atomic uint64_t wakeups;

    pthread_mutex_t lock; /* protects the queue */
    sb_room_command commands[SB_ROOM_COMMANDS_MAX];
    size_t          first, waiting;
};

/* ---- creation ---- */

static bool watch_descriptor(const sb_room_loop *loop, int descriptor, uint32_t index)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .u32 = index } };
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static bool open_descriptors(sb_room_loop *loop)
{
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->batch = sb_udp_batch_create();
    if (loop->epoll < 0 || loop->wake < 0 || !loop->batch) return false;
    if (!watch_descriptor(loop, loop->wake, WAKE_UP)) return false;
    for (size_t i = 0; i < loop->count; i++)
        if (!watch_descriptor(loop, loop->rooms[i]->udp.descriptor, (uint32_t)i)) return false;
    return true;
}

sb_room_loop *sb_room_loop_create(sb_room *const *rooms, size_t count)
{
    sb_room_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->rooms = rooms;
    loop->count = count;
    loop->stop_deadline = SB_TIME_NEVER;
    pthread_mutex_init(&loop->lock, NULL);
    if (open_descriptors(loop)) return loop;
    int why = errno;
    sb_room_loop_destroy(loop);
    errno = why;
    return NULL;
}

void sb_room_loop_destroy(sb_room_loop *loop)
{
    if (loop->epoll >= 0) (void)close(loop->epoll);
    if (loop->wake >= 0) (void)close(loop->wake);
    sb_udp_batch_destroy(loop->batch);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
}

uint64_t sb_room_loop_wakeups(const sb_room_loop *loop)
{
    return atomic_load_explicit(&loop->wakeups, memory_order_relaxed);
}

/* ---- commands ---- */

bool sb_room_loop_post(sb_room_loop *loop, const sb_room_command *command)
{
    const uint64_t one = 1;
    SB_ASSERT(command->room == SB_ROOM_ALL || (size_t)command->room < loop->count);
    pthread_mutex_lock(&loop->lock);
    bool fits = loop->waiting < SB_ROOM_COMMANDS_MAX;
    if (fits) loop->commands[(loop->first + loop->waiting++) % SB_ROOM_COMMANDS_MAX] = *command;
    pthread_mutex_unlock(&loop->lock);
    /* Writing fails only if 2^64 wake-ups are unread. */
    if (fits && write(loop->wake, &one, sizeof one) != (ssize_t)sizeof one) return false;
    return fits;
}

static bool pop_command(sb_room_loop *loop, sb_room_command *out)
{
    pthread_mutex_lock(&loop->lock);
    bool found = loop->waiting > 0;
    if (found) {
        *out = loop->commands[loop->first];
        loop->first = (loop->first + 1) % SB_ROOM_COMMANDS_MAX;
        loop->waiting--;
    }
    pthread_mutex_unlock(&loop->lock);
    return found;
}

static void copy_players(const sb_server *server, sb_time now, sb_room_snapshot *out)
{
    out->player_count = 0;
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
        sb_player_snapshot *player = &out->players[i];
        if (!sb_server_player(server, i, now, &player->view)) break;
        if (player->view.ship) {
            player->ship = *player->view.ship;
            player->view.ship = &player->ship;
        }
        out->player_count++;
    }
}

static void copy_status(const sb_server *server, sb_room_snapshot *out)
{
    sb_server_status status;
    sb_server_status_of(server, &status);
    size_t size = status.system.size;
    if (size >= sizeof out->system) size = sizeof out->system - 1;
    if (size > 0) memcpy(out->system, status.system.data, size);
    out->system[size] = '\0';
    out->player_limit = status.player_limit;
}

static void copy_counters(const sb_server *server, sb_room_snapshot *out)
{
    for (int i = 0; i < SB_SERVER_COUNTER_COUNT; i++)
        out->counters[i] = sb_server_count(server, (sb_server_counter)i);
    for (int i = 0; i < SB_TRANSPORT_COUNTER_COUNT; i++)
        out->transport[i] = sb_server_transport_count(server, (sb_transport_counter)i);
    for (int i = 0; i < SB_RESPONDER_COUNTER_COUNT; i++)
        out->queries[i] = sb_server_query_count(server, (sb_responder_counter)i);
}

static void copy_masters(const sb_server *server, sb_time now, sb_room_snapshot *out)
{
    out->now = now;
    for (unsigned i = 0; i < SB_MASTERS_MAX; i++)
        if (!sb_server_master(server, i, &out->masters[i])) out->masters[i] = (sb_master_view){ 0 };
}

static void copy_snapshot(const sb_server *server, sb_time now, sb_room_snapshot *out)
{
    const sb_match *match = sb_server_match(server);
    copy_masters(server, now, out);
    copy_players(server, now, out);
    copy_status(server, out);
    out->mode = match->config.mode;
    out->in_game = sb_server_player_count(server);
    out->teams = match->config.mode && match->config.mode->teams;
    out->over = match->over;
    out->seconds_left = sb_match_seconds_left(match, now);
    out->game_time = sb_server_game_time(server, now);
    for (int i = 0; i < 2; i++) {
        out->team_kills[i] = match->teams[i].kills;
        out->team_score[i] = match->teams[i].score;
    }
    copy_counters(server, out);
    atomic_store_explicit(&out->done, true, memory_order_release);
}

static sb_span command_text(const sb_room_command *c)
{
    return (sb_span){ (const uint8_t *)c->text, strlen(c->text) };
}

/* ---- rooms that grow ---- */

/* Unused blocks form a list: the first bytes of each block point to the next one. */
static void retire(sb_room *room, void *block)
{
    void *next = atomic_load_explicit(&room->retired, memory_order_relaxed);
    if (!block) return;
    do memcpy(block, &next, sizeof next);
    while (!atomic_compare_exchange_weak_explicit(&room->retired, &next, block,
                                                  memory_order_release, memory_order_relaxed));
}

void sb_room_free_retired(sb_room *room)
{
    void *block = atomic_exchange_explicit(&room->retired, NULL, memory_order_acquire);
    while (block) {
        void *next;
        memcpy(&next, block, sizeof next);
        free(block);
        block = next;
    }
}

void sb_room_free_memory(sb_room *room)
{
    sb_room_free_retired(room);
    free(room->spare);
    free(room->memory);
    room->spare = room->memory = NULL;
}

static void configure(sb_room *room, const sb_room_command *c)
{
    sb_server_reconfigure(room->server, c->config, c->fields);
    size_t wanted = sb_server_wanted_bytes(room->server);
    retire(room, room->spare);
    room->spare = NULL;
    if (wanted > 0 && wanted <= c->memory_bytes) room->spare = c->memory;
    else retire(room, c->memory);
}

/* Gives an empty room its larger memory. */
static void move_room(sb_room *room, sb_time now)
{
    sb_server *moved = sb_server_move(room->server, room->spare, now);
    if (!moved) return;
    retire(room, room->memory);
    room->memory = room->spare;
    room->spare = NULL;
    room->server = moved;
    room->has_moved = true;
}

static void run_command(sb_room *room, const sb_room_command *c, sb_time now)
{
    switch (c->type) {
    case SB_ROOM_STOP: sb_server_stop(room->server, now); break;
    case SB_ROOM_CONFIGURE: configure(room, c); break;
    case SB_ROOM_SAY: sb_server_say(room->server, now, command_text(c)); break;
    case SB_ROOM_KICK: (void)sb_server_kick(room->server, now, c->peer_id, command_text(c)); break;
    case SB_ROOM_MASTER: sb_server_set_master(room->server, c->index, c->master, now); break;
    case SB_ROOM_SNAPSHOT: copy_snapshot(room->server, now, c->snapshot); break;
    case SB_ROOM_END_MATCH: sb_server_end_match(room->server, now, SB_END_GENERIC); break;
    case SB_ROOM_RESTART_MATCH: sb_server_restart_match(room->server, now); break;
    }
}

/* Runs the queued commands and makes their rooms due, so that the answers are sent at once. */
static void drain_commands(sb_room_loop *loop)
{
    uint64_t        ignored;
    sb_room_command c;
    (void)!read(loop->wake, &ignored, sizeof ignored);
    while (pop_command(loop, &c)) {
        sb_time now = sb_clock_now();
        if (c.type == SB_ROOM_STOP && loop->stop_deadline == SB_TIME_NEVER)
            loop->stop_deadline = now + SB_ROOM_STOP_US;
        for (size_t i = 0; i < loop->count; i++) {
            if (c.room != SB_ROOM_ALL && (size_t)c.room != i) continue;
            run_command(loop->rooms[i], &c, now);
            if (c.type != SB_ROOM_SNAPSHOT) loop->rooms[i]->deadline = now;
        }
        if (c.done) atomic_store_explicit(c.done, true, memory_order_release);
    }
}

/* ---- the step of a room ---- */

static void publish_traffic(sb_room *room)
{
    const sb_udp_traffic *t = &room->udp.traffic;
    sb_room_traffic      *out = &room->traffic;
    atomic_store_explicit(&out->datagrams_in, t->datagrams_in, memory_order_relaxed);
    atomic_store_explicit(&out->bytes_in, t->bytes_in, memory_order_relaxed);
    atomic_store_explicit(&out->datagrams_out, t->datagrams_out, memory_order_relaxed);
    atomic_store_explicit(&out->bytes_out, t->bytes_out, memory_order_relaxed);
    atomic_store_explicit(&out->not_sent, t->not_sent, memory_order_relaxed);
    atomic_fetch_add_explicit(&out->steps, 1, memory_order_relaxed);
}

static void write_room(sb_room_loop *loop, sb_room *room, sb_time now)
{
    sb_endpoint to;
    size_t      size;
    _Static_assert((int)SB_UDP_DATAGRAM_MAX >= (int)SB_SERVER_DATAGRAM_MAX,
                   "a server's datagram fits");
    while ((size = sb_server_write(room->server, now, &to,
                                   sb_udp_next_buffer(&room->udp, loop->batch))))
        sb_udp_send(&room->udp, loop->batch, to, size);
    sb_udp_flush(&room->udp, loop->batch);
}

/* Receives a limited number of datagrams, so that a flood on one socket cannot starve other rooms.
 * If datagrams are left, the next epoll_wait returns at once. */
static void step_room(sb_room_loop *loop, sb_room *room, bool arrived)
{
    sb_time     now = sb_clock_now();
    sb_endpoint from;
    size_t      count =
        arrived ? sb_udp_receive(&room->udp, loop->batch, SB_ROOM_STEP_DATAGRAMS_MAX) : 0;
    for (size_t i = 0; i < count; i++) {
        sb_span datagram = sb_udp_received(loop->batch, i, &from);
        (void)!sb_server_receive(room->server, now, from,
                                 datagram); /* the server counts refusals */
    }
    sb_server_advance(room->server, now);
    if (room->spare) move_room(room, now);
    write_room(loop, room, now);
    room->deadline = sb_server_next_deadline(room->server);
    room->over = sb_server_is_stopped(room->server);
    publish_traffic(room);
    if (room->on_step) room->on_step(room, now);
    room->has_moved = false;
}

/* ---- the loop ---- */

static sb_time next_deadline(const sb_room_loop *loop)
{
    sb_time next = loop->stop_deadline;
    for (size_t i = 0; i < loop->count; i++)
        if (!loop->rooms[i]->over && loop->rooms[i]->deadline < next)
            next = loop->rooms[i]->deadline;
    return next;
}

static bool is_over(const sb_room_loop *loop)
{
    if (loop->stop_deadline == SB_TIME_NEVER) return false;
    if (sb_clock_now() >= loop->stop_deadline) return true;
    for (size_t i = 0; i < loop->count; i++)
        if (!loop->rooms[i]->over) return false;
    return true;
}

static void step(sb_room_loop *loop)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = sb_wait_for_events(loop->epoll, events, EVENTS_AT_ONCE, next_deadline(loop));
    atomic_fetch_add_explicit(&loop->wakeups, 1, memory_order_relaxed);
    for (int i = 0; i < count; i++) {
        uint32_t index = events[i].data.u32;
        if (index == WAKE_UP) {
            drain_commands(loop);
            continue;
        }
        SB_ASSERT(index < loop->count);
        step_room(loop, loop->rooms[index], true);
    }
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < loop->count; i++)
        if (loop->rooms[i]->deadline <= now && !loop->rooms[i]->over)
            step_room(loop, loop->rooms[i], false);
}

void sb_room_loop_run(sb_room_loop *loop)
{
    (void)prctl(PR_SET_TIMERSLACK, 1000uL, 0uL, 0uL, 0uL); /* 1 us instead of 50 us */
    for (size_t i = 0; i < loop->count; i++) step_room(loop, loop->rooms[i], false);
    while (!is_over(loop)) step(loop);
}

static void *run_thread(void *context)
{
    sb_room_loop_run(context);
    return NULL;
}

sb_result sb_room_loop_start(sb_room_loop *loop)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits the mask */
    int status = pthread_create(&loop->thread, NULL, run_thread, loop);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status == 0 ? SB_OK : SB_OS_ERROR;
}

void sb_room_loop_join(sb_room_loop *loop)
{
    pthread_join(loop->thread, NULL);
}
