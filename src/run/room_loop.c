/* src/run/room_loop.c -- runs many rooms on one thread with epoll and deadlines.
 *
 * For:      room_loop.h. In this order: creation, commands, the step of a room, waiting, load, the
 *           loop.
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
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/time.h"
#include "platform/clock.h"
#include "platform/wait.h"
#include "run/house_link.h"
#include "run/load_governor.h"
#include "run/room_commands.h"
#include "run/room_heap.h"
#include "run/room_slice.h"

enum { EVENTS_AT_ONCE = 256 };
#define WAKE_UP     UINT32_MAX  /* in place of a room's index */
#define HOUSE_EVENT 0x40000000u /* added to a room's index: its house has sent datagrams */

struct sb_room_loop {
    sb_room *const  *rooms;
    size_t           count;
    size_t           over;    /* rooms that have stopped */
    sb_room_heap     heap;    /* all rooms by deadline */
    bool             backlog; /* datagrams of the last turn are left */
    bool             dense;   /* datagrams come faster than one in SB_ROOM_TURN_US */
    sb_time          turn_at; /* beginning of the last turn */
    sb_load_governor governor;
    sb_room_load_fn  on_load; /* NULL: not reported */
    void            *load_context;
    int              epoll, wake; /* wake: an eventfd that signals a queued command */
    sb_udp_batch    *batch;
    pthread_t        thread;
    sb_time          stop_deadline; /* SB_TIME_NEVER: not stopping */
    _Atomic uint64_t wakeups;
    sb_histogram     turns;

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
    if (!sb_room_heap_init(&loop->heap, loop->count)) return false;
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
    sb_room_heap_free(&loop->heap);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
}

void sb_room_loop_on_load(sb_room_loop *loop, sb_room_load_fn report, void *context)
{
    loop->on_load = report;
    loop->load_context = context;
}

uint64_t sb_room_loop_wakeups(const sb_room_loop *loop)
{
    return atomic_load_explicit(&loop->wakeups, memory_order_relaxed);
}

const sb_histogram *sb_room_loop_turns(const sb_room_loop *loop)
{
    return &loop->turns;
}

sb_time sb_room_loop_cpu_us(const sb_room_loop *loop)
{
    clockid_t       clock;
    struct timespec used;
    if (pthread_getcpuclockid(loop->thread, &clock) != 0) return 0;
    if (clock_gettime(clock, &used) != 0) return 0;
    return (sb_time)used.tv_sec * SB_SECOND + used.tv_nsec / 1000;
}

/* Edge-triggered: every write to the eventfd is an event, and nobody has to read it. */
sb_result sb_room_loop_watch_house(sb_room_loop *loop, size_t index, struct sb_house_link *link)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLET,
                                 .data = { .u32 = HOUSE_EVENT | (uint32_t)index } };
    SB_ASSERT(index < loop->count);
    SB_ASSERT(!atomic_load(&loop->rooms[index]->house));
    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, link->wake, &event) != 0) return SB_OS_ERROR;
    atomic_store_explicit(&loop->rooms[index]->house, link, memory_order_release);
    return SB_OK;
}

/* ---- commands ---- */

bool sb_room_loop_post(sb_room_loop *loop, const sb_room_command *command)
{
    const uint64_t one = 1;
    SB_ASSERT(command->room == SB_ROOM_ALL || command->room == SB_ROOM_NONE ||
              (size_t)command->room < loop->count);
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

static void set_over(sb_room_loop *loop, sb_room *room)
{
    if (!room->over) loop->over++;
    room->over = true;
    sb_room_heap_set(&loop->heap, room, SB_TIME_NEVER);
}

/* The room is due at once, so that its answers are sent. */
static void run_command(sb_room_loop *loop, sb_room *room, const sb_room_command *c, sb_time now)
{
    bool dormant = !room->server;
    if (c->type == SB_ROOM_PASS) return;
    sb_room_run_command(room, c, now);
    if (dormant && room->server) sb_server_set_load(room->server, loop->governor.load);
    if (!room->server && c->type == SB_ROOM_STOP) set_over(loop, room);
    if (room->server && !room->over && c->type != SB_ROOM_SNAPSHOT)
        sb_room_heap_set(&loop->heap, room, now);
}

/* Runs the command in the rooms that it is for. */
static void run_in_rooms(sb_room_loop *loop, const sb_room_command *c, sb_time now)
{
    if (c->room == SB_ROOM_NONE) {
        if (c->type == SB_ROOM_MEASURE) sb_room_slice_fill(c->slice, loop->rooms, now);
        return;
    }
    size_t first = c->room == SB_ROOM_ALL ? 0 : (size_t)c->room;
    size_t end = c->room == SB_ROOM_ALL ? loop->count : first + 1;
    for (size_t i = first; i < end; i++) run_command(loop, loop->rooms[i], c, now);
}

static void drain_commands(sb_room_loop *loop)
{
    uint64_t        ignored;
    sb_room_command c;
    (void)!read(loop->wake, &ignored, sizeof ignored);
    while (pop_command(loop, &c)) {
        sb_time now = sb_clock_now();
        if (c.type == SB_ROOM_STOP && loop->stop_deadline == SB_TIME_NEVER)
            loop->stop_deadline = now + SB_ROOM_STOP_US;
        run_in_rooms(loop, &c, now);
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

static sb_house_link *house_of(sb_room *room)
{
    return atomic_load_explicit(&room->house, memory_order_acquire);
}

/* A full ring drops the datagram and counts it. Without a house there are no such peers. */
static void send_to_house(sb_room *room, sb_endpoint to, sb_span datagram)
{
    sb_house_link *house = house_of(room);
    if (house) (void)sb_datagram_ring_push(house->from_room, to, datagram);
}

static void write_room(sb_room_loop *loop, sb_room *room, sb_time now)
{
    sb_endpoint to;
    size_t      size;
    uint8_t    *out;
    _Static_assert((int)SB_UDP_DATAGRAM_MAX >= (int)SB_SERVER_DATAGRAM_MAX,
                   "a server's datagram fits");
    while ((size = sb_server_write(room->server, now, &to,
                                   out = sb_udp_next_buffer(&room->udp, loop->batch)))) {
        if (sb_endpoint_is_house(to)) send_to_house(room, to, (sb_span){ out, size });
        else sb_udp_send(&room->udp, loop->batch, to, size);
    }
    sb_udp_flush(&room->udp, loop->batch);
}

static void wake_room(sb_room_loop *loop, sb_room *room, sb_time now)
{
    if (room->server) return;
    sb_room_start(room, now);
    sb_server_set_load(room->server, loop->governor.load);
}

/* Receives a limited number of datagrams, so that a flood on one socket cannot starve other rooms.
 * If datagrams are left, the next wait returns at once. */
static void receive_room(sb_room_loop *loop, sb_room *room, sb_time now)
{
    sb_endpoint from;
    size_t      count = sb_udp_receive(&room->udp, loop->batch, SB_ROOM_STEP_DATAGRAMS_MAX);
    if (count == SB_ROOM_STEP_DATAGRAMS_MAX) loop->backlog = true;
    if (count > 0) wake_room(loop, room, now);
    for (size_t i = 0; i < count; i++) {
        sb_span datagram = sb_udp_received(loop->batch, i, &from);
        if (sb_endpoint_is_house(from)) {
            atomic_fetch_add_explicit(&room->traffic.forged_house, 1, memory_order_relaxed);
            continue;
        }
        (void)!sb_server_receive(room->server, now, from,
                                 datagram); /* the server counts refusals */
    }
}

/* As receive_room, from the house. True: datagrams are left. */
static bool receive_house(sb_room_loop *loop, sb_room *room, sb_house_link *house, sb_time now)
{
    sb_endpoint from;
    sb_span     datagram;
    for (size_t i = 0; sb_datagram_ring_next(house->to_room, &from, &datagram); i++) {
        if (i == SB_ROOM_STEP_DATAGRAMS_MAX) return true;
        wake_room(loop, room, now);
        (void)!sb_server_receive(room->server, now, from, datagram);
        sb_datagram_ring_pop(house->to_room);
    }
    return false;
}

/* A room that has just run is not due again in the same turn: step_due would run it instead of
 * others. */
static sb_time later_than(sb_time now, sb_time deadline)
{
    return deadline > now ? deadline : now + 1;
}

static void step_room(sb_room_loop *loop, sb_room *room)
{
    sb_time        now = sb_clock_now();
    sb_house_link *house = house_of(room);
    if (room->arrived) receive_room(loop, room, now);
    room->arrived = false;
    bool more = house && receive_house(loop, room, house, now);
    if (!room->server) return; /* an empty wake-up: nothing had arrived */
    sb_server_advance(room->server, now);
    if (room->spare) sb_room_move(room, now);
    write_room(loop, room, now);
    sb_time next = more ? now : sb_server_next_deadline(room->server);
    sb_room_heap_set(&loop->heap, room, later_than(now, next));
    if (house) sb_house_link_publish(house, room->server);
    if (sb_server_is_stopped(room->server)) set_over(loop, room);
    publish_traffic(room);
    if (room->on_step) room->on_step(room, now);
    room->has_moved = false;
}

/* ---- waiting ---- */

static sb_time next_deadline(const sb_room_loop *loop)
{
    const sb_room *first = sb_room_heap_first(&loop->heap);
    return sb_time_earlier(loop->stop_deadline, first ? first->deadline : SB_TIME_NEVER);
}

static int poll_events(sb_room_loop *loop, struct epoll_event *events, sb_time until)
{
    int count = sb_wait_for_events(loop->epoll, events, EVENTS_AT_ONCE, until);
    atomic_fetch_add_explicit(&loop->wakeups, 1, memory_order_relaxed);
    return count;
}

/* Waits for datagrams and deadlines. The first datagram after a pause is served at once. One that
 * comes sooner than SB_ROOM_TURN_US after the last turn began waits for the rest of that time, and
 * with it all that arrive meanwhile; as long as they come so fast, the loop sleeps first, so that
 * it does not wake for each. A backlog is worked off without a pause. */
static int wait_for_turn(sb_room_loop *loop, struct epoll_event *events)
{
    sb_time earliest = loop->turn_at + SB_ROOM_TURN_US;
    if (loop->dense && !loop->backlog) sb_clock_sleep_until(earliest);
    int  count = poll_events(loop, events, next_deadline(loop));
    bool early = !loop->backlog && sb_clock_now() < earliest;
    if (early) {
        sb_clock_sleep_until(earliest);
        count = poll_events(loop, events, 0);
    }
    sb_time now = sb_clock_now();
    loop->dense = early || (loop->dense && now < earliest + SB_ROOM_TURN_US);
    loop->turn_at = now;
    return count;
}

/* ---- load ---- */

static void apply_load(sb_room_loop *loop, sb_server_load before)
{
    sb_server_load load = loop->governor.load;
    for (size_t i = 0; i < loop->count; i++)
        if (loop->rooms[i]->server) sb_server_set_load(loop->rooms[i]->server, load);
    if (loop->on_load) loop->on_load(loop->load_context, load, load > before);
}

static void note_turn(sb_room_loop *loop)
{
    sb_time        now = sb_clock_now();
    sb_server_load before = loop->governor.load;
    sb_histogram_add(&loop->turns, now - loop->turn_at);
    if (sb_load_governor_add(&loop->governor, now, now - loop->turn_at)) apply_load(loop, before);
}

/* ---- the loop ---- */

static bool is_over(const sb_room_loop *loop)
{
    if (loop->stop_deadline == SB_TIME_NEVER) return false;
    return loop->over == loop->count || sb_clock_now() >= loop->stop_deadline;
}

static void step_arrived(sb_room_loop *loop, const struct epoll_event *events, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t index = events[i].data.u32;
        if (index == WAKE_UP) {
            drain_commands(loop);
            continue;
        }
        size_t room = index & ~HOUSE_EVENT;
        SB_ASSERT(room < loop->count);
        loop->rooms[room]->arrived = room == index;
        step_room(loop, loop->rooms[room]);
    }
}

/* Each room once, so that one whose deadline stays in the past starves no other. */
static void step_due(sb_room_loop *loop)
{
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < loop->count; i++) {
        sb_room *room = sb_room_heap_first(&loop->heap);
        if (room->deadline > now) return;
        step_room(loop, room);
    }
}

static void step(sb_room_loop *loop)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int                count = wait_for_turn(loop, events);
    loop->backlog = false;
    step_arrived(loop, events, count);
    step_due(loop);
    note_turn(loop);
}

void sb_room_loop_run(sb_room_loop *loop)
{
    (void)prctl(PR_SET_TIMERSLACK, 1000uL, 0uL, 0uL, 0uL); /* 1 us instead of 50 us */
    sb_load_governor_init(&loop->governor, sb_clock_now());
    for (size_t i = 0; i < loop->count; i++) {
        loop->rooms[i]->deadline = loop->rooms[i]->server ? 0 : SB_TIME_NEVER;
        sb_room_heap_add(&loop->heap, loop->rooms[i]);
    }
    step_due(loop);
    while (!is_over(loop)) step(loop);
}

static void *run_thread(void *context)
{
    (void)prctl(PR_SET_NAME, "rooms", 0uL, 0uL, 0uL); /* for top -H and debuggers */
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
