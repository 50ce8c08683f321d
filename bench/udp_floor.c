/* bench/udp_floor.c -- the least that the kernel asks of a server with that many players: sockets,
 * epoll, recvmmsg and sendmmsg; no cipher, no game.
 *
 *     starbase-udp-floor ROOMS PLAYERS SECONDS
 *
 * The server has a socket for each room. It receives what it is sent and, ten times a second per
 * room, sends 246 bytes to each player, which is what a server with a common tick sends. The load,
 * a process of its own, sends what cheap players with `--chat-every 5` send: 12 datagrams of 60
 * bytes a second each. If there are two processors, each of the two has its own.
 * Prints the processor time of the server in us per player and second, and how many datagrams it
 * received and sent per player and second.
 *
 * For:      tools/bench-floor, which compares a real server with it in the same run.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/process.h"
#include "platform/udp.h"
#include "platform/wait.h"

enum {
    LOOPBACK = 0x7F000001,
    TICK_US = 100000,
    STATE_BYTES = 246,
    SENT_PER_S = 12, /* by each player */
    SENT_BYTES = 60,
    EVENTS = 256,
};

typedef struct floor {
    size_t        rooms, players;
    sb_udp       *room, *player; /* player i is in room i / players */
    sb_time      *tick;          /* next one of each room */
    sb_udp_batch *batch;
} floor_state;

static void fail(const char *what)
{
    fprintf(stderr, "udp_floor: %s\n", what);
    exit(1);
}

/* Like a server and players that are measured: neither takes time from the other. */
static void run_on_processor(size_t number)
{
    cpu_set_t set;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
}

static sb_udp *open_sockets(size_t count)
{
    char    error[SB_UDP_ERROR_MAX];
    sb_udp *sockets = calloc(count, sizeof *sockets);
    if (!sockets) fail("out of memory");
    for (size_t i = 0; i < count; i++)
        if (sb_udp_open(&sockets[i], &(sb_udp_options){ .local = { LOOPBACK, 0 } }, error) != SB_OK)
            fail(error);
    return sockets;
}

static void queue(floor_state *f, sb_udp *from, sb_endpoint to, size_t size)
{
    memset(sb_udp_next_buffer(from, f->batch), 0x55, size);
    sb_udp_send(from, f->batch, to, size);
}

static void drain(floor_state *f, sb_udp *socket)
{
    sb_endpoint from;
    size_t      count = sb_udp_receive(socket, f->batch, SB_UDP_BATCH);
    for (size_t i = 0; i < count; i++) (void)sb_udp_received(f->batch, i, &from);
}

static int watch(const sb_udp *sockets, size_t count)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data = { .u32 = (uint32_t)i } };
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[i].descriptor, &event) != 0) fail("epoll");
    }
    return epoll;
}

/* Waits for datagrams until the time `until`, and reads them. */
static void receive(floor_state *f, int epoll, sb_udp *sockets, sb_time until)
{
    struct epoll_event events[EVENTS];
    int                count = sb_wait_for_events(epoll, events, EVENTS, until);
    for (int i = 0; i < count; i++) drain(f, &sockets[events[i].data.u32]);
}

/* ---- the server ---- */

static void plan_ticks(floor_state *f)
{
    for (size_t i = 0; i < f->rooms; i++)
        f->tick[i] = sb_clock_now() + (sb_time)i * TICK_US / (sb_time)f->rooms;
}

static void send_tick(floor_state *f, size_t room)
{
    for (size_t k = 0; k < f->players; k++)
        queue(f, &f->room[room], f->player[room * f->players + k].local, STATE_BYTES);
    sb_udp_flush(&f->room[room], f->batch);
}

static void serve(floor_state *f, sb_time end)
{
    int    epoll = watch(f->room, f->rooms);
    size_t next = 0; /* rooms tick in turn */
    plan_ticks(f);
    for (sb_time now = sb_clock_now(); now < end; now = sb_clock_now()) {
        receive(f, epoll, f->room, f->tick[next]);
        for (now = sb_clock_now(); f->tick[next] <= now; next = (next + 1) % f->rooms) {
            send_tick(f, next);
            f->tick[next] += TICK_US;
        }
    }
}

static double cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* ---- the load ---- */

/* Players send in turn, evenly over time. In between, the load waits for datagrams, as clients do:
 * whoever sends to a socket that somebody waits for pays for waking him. */
static void load(floor_state *f)
{
    size_t  count = f->rooms * f->players;
    int     epoll = watch(f->player, count);
    sb_time start = sb_clock_now();
    for (uint64_t n = 0;; n++) {
        sb_udp *player = &f->player[n % count];
        sb_time at = start + (sb_time)(n * SB_SECOND / (count * SENT_PER_S));
        do receive(f, epoll, f->player, at);
        while (sb_clock_now() < at);
        queue(f, player, f->room[n % count / f->players].local, SENT_BYTES);
        sb_udp_flush(player, f->batch);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) fail("usage: starbase-udp-floor ROOMS PLAYERS SECONDS");
    floor_state f = { .rooms = strtoul(argv[1], NULL, 10), .players = strtoul(argv[2], NULL, 10) };
    double      seconds = strtod(argv[3], NULL);
    size_t      sockets = f.rooms * (f.players + 1);
    if (f.rooms < 1 || f.players < 1 || sockets > 60000 || !(seconds > 0)) fail("bad number");
    if (sb_process_reserve_descriptors(sockets + 64) > 0) fail("not enough open files: ulimit -n");
    f.room = open_sockets(f.rooms);
    f.player = open_sockets(f.rooms * f.players);
    f.tick = calloc(f.rooms, sizeof *f.tick);
    f.batch = sb_udp_batch_create();
    if (!f.tick || !f.batch) fail("out of memory");
    pid_t child = fork();
    if (child < 0) fail("fork");
    run_on_processor(child == 0 ? 1 : 0);
    if (child == 0) load(&f);
    double before = cpu_us();
    serve(&f, sb_clock_now() + (sb_time)(seconds * 1e6));
    double players = seconds * (double)(f.rooms * f.players), in = 0, out = 0;
    for (size_t i = 0; i < f.rooms; i++) {
        in += (double)f.room[i].traffic.datagrams_in;
        out += (double)f.room[i].traffic.datagrams_out;
    }
    printf("%.1f %.1f %.1f\n", (cpu_us() - before) / players, in / players, out / players);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}
