/* bench/enet/compare.c -- our transport beside ENet: 1,000 reliable messages of 200 bytes over an
 * impaired loopback path.
 *
 *     enet-compare [RUNS]     (7)
 *
 * Sender, receiver and relay (sim/relay.h) are one process each, the same for both kinds. The same
 * loop drives both ends: wait at most a millisecond for the socket, then run the endpoint once. The
 * relay delays by 40 ms each way and loses datagrams in both directions; run r of both kinds has
 * the same seed. The measured time starts when the sender sees the established connection and
 * queues all messages at once; it ends when the receiver has delivered the last one in order. Runs
 * of the two kinds alternate, so that noise of the machine hits both.
 *
 * Prints a Markdown table; exits with 1 if a transfer did not complete.
 */
#include "side.h"
#include "sim/relay.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 7, RUNS_MAX = 99, KINDS = 2 };

static const sb_time          DELAY_US = 40000;
static const sb_time          STEP_US = 1000;             /* maximum wait between two steps */
static const sb_time          LIMIT_US = 30 * SB_SECOND;  /* of one transfer, handshake included */
static const uint32_t         losses[] = { 0, 1, 5, 20 }; /* percent */
static const side_kind *const kinds[KINDS] = { &side_ours, &side_enet };

enum { LOSSES = sizeof losses / sizeof *losses };

sb_time side_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (sb_time)now.tv_sec * SB_SECOND + now.tv_nsec / 1000;
}

void side_make_message(unsigned n, uint8_t bytes[MESSAGE_BYTES])
{
    for (size_t i = 0; i < MESSAGE_BYTES; i++) bytes[i] = (uint8_t)(31 * n + (unsigned)i);
    bytes[0] = (uint8_t)n;
    bytes[1] = (uint8_t)(n >> 8);
}

void side_receive_message(side_progress *progress, sb_span message)
{
    uint8_t expected[MESSAGE_BYTES];
    side_make_message(progress->delivered, expected);
    if (message.size != sizeof expected || memcmp(message.data, expected, sizeof expected) != 0)
        progress->failed = true;
    progress->delivered++;
}

/* ---- Processes ---------------------------------------------------------------------------- */

/* Forks a child that dies with its parent; returns 0 in the child. */
static pid_t start_child(void)
{
    pid_t pid = fork();
    if (pid == 0) (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static void stop_child(pid_t pid)
{
    if (pid <= 0) return;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

static void run_relay(sim_relay *relay)
{
    for (sb_time end = side_clock() + LIMIT_US; side_clock() < end;)
        sim_relay_step(relay, SB_SECOND / 10);
    _exit(0);
}

/* Waits for the socket, or for `other` (-1: none); true: `other` has something to read. */
static bool wait_for(int fd, int other)
{
    struct pollfd polls[2] = { { .fd = fd, .events = POLLIN }, { .fd = other, .events = POLLIN } };
    struct timespec wait = { .tv_nsec = (long)STEP_US * 1000 };
    return ppoll(polls, 2, &wait, NULL) > 0 && polls[1].revents != 0;
}

/* Writes the time of the last delivery to the pipe, and runs until it is killed. */
static void run_receiver(const side_kind *kind, uint16_t port, int report)
{
    side_progress progress = { 0 };
    bool          reported = false;
    void         *side = kind->open_receiver(port);
    if (!side) _exit(1);
    for (sb_time end = side_clock() + LIMIT_US; side_clock() < end && !progress.failed;) {
        kind->step(side, &progress);
        if (!reported && progress.delivered == MESSAGE_COUNT) {
            sb_time now = side_clock();
            reported = write(report, &now, sizeof now) == (ssize_t)sizeof now;
        }
        (void)wait_for(kind->socket_of(side), -1);
    }
    _exit(1);
}

/* Microseconds from queueing to the delivery that the receiver reports; -1: not completed. */
static sb_time run_sender(const side_kind *kind, void *side, int report)
{
    side_progress progress = { 0 };
    sb_time       start = -1, delivered;
    for (sb_time end = side_clock() + LIMIT_US; side_clock() < end && !progress.failed;) {
        kind->step(side, &progress);
        if (start < 0 && progress.established) {
            start = side_clock();
            kind->queue_messages(side, &progress);
            kind->step(side, &progress);
        }
        if (!wait_for(kind->socket_of(side), report)) continue;
        if (read(report, &delivered, sizeof delivered) != (ssize_t)sizeof delivered) return -1;
        return start < 0 ? -1 : delivered - start;
    }
    return -1;
}

/* ---- One transfer ------------------------------------------------------------------------- */

static sim_relay *make_relay(uint16_t target, uint32_t loss, uint64_t seed)
{
    sim_relay_config config;
    sim_relay_defaults(&config);
    config.target = (sb_endpoint){ 0x7F000001, target };
    config.seed = seed;
    config.to_target = (sim_conditions){ .delay_us = DELAY_US, .loss = loss * 10000 };
    config.to_client = config.to_target;
    return sim_relay_create(&config);
}

static sb_time transfer_through(const side_kind *kind, void *sender, sim_relay *relay)
{
    int   report[2];
    pid_t relaying, receiving;
    if (pipe(report) != 0) return -1;
    if ((relaying = start_child()) == 0) run_relay(relay);
    if ((receiving = start_child()) == 0) {
        (void)close(report[0]);
        run_receiver(kind, sim_relay_port(relay), report[1]);
    }
    (void)close(report[1]); /* so that a read fails when the receiver dies */
    sb_time taken = relaying > 0 && receiving > 0 ? run_sender(kind, sender, report[0]) : -1;
    stop_child(receiving);
    stop_child(relaying);
    (void)close(report[0]);
    return taken;
}

static sb_time transfer(const side_kind *kind, uint32_t loss, uint64_t seed)
{
    uint16_t   port = 0;
    void      *sender = kind->open_sender(&port);
    sim_relay *relay = sender ? make_relay(port, loss, seed) : NULL;
    sb_time    taken = relay ? transfer_through(kind, sender, relay) : -1;
    sim_relay_destroy(relay);
    if (sender) kind->close(sender);
    if (taken < 0)
        fprintf(stderr, "%s, %u %% loss, seed %llu: not completed\n", kind->name, (unsigned)loss,
                (unsigned long long)seed);
    return taken;
}

/* ---- The table ---------------------------------------------------------------------------- */

static sb_time taken[LOSSES][KINDS][RUNS_MAX];

static int compare_times(const void *a, const void *b)
{
    sb_time x = *(const sb_time *)a, y = *(const sb_time *)b;
    return (x > y) - (x < y);
}

static bool measure_all(unsigned runs)
{
    bool all = true;
    for (unsigned run = 0; run < runs; run++) {
        for (unsigned loss = 0; loss < LOSSES; loss++) {
            for (unsigned i = 0; i < KINDS; i++) {
                unsigned kind = (i + run) % KINDS; /* both kinds run first in turn */
                sb_time  us = transfer(kinds[kind], losses[loss], run + 1);
                taken[loss][kind][run] = us;
                if (us < 0) all = false;
            }
        }
    }
    return all;
}

static void print_row(unsigned loss, unsigned runs)
{
    double median[KINDS];
    printf("| %u %% |", (unsigned)losses[loss]);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        sb_time *t = taken[loss][kind];
        qsort(t, runs, sizeof *t, compare_times);
        size_t middle = runs / 2;
        median[kind] = (double)t[middle] / 1000;
        printf(" %.0f (%.0f to %.0f) |", median[kind], (double)t[0] / 1000,
               (double)t[runs - 1] / 1000);
    }
    printf(" %.2f |\n", median[1] / median[0]);
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : RUNS;
    if (runs == 0 || runs > RUNS_MAX || argc > 2) {
        fprintf(stderr, "usage: enet-compare [RUNS]   (1 to %d)\n", RUNS_MAX);
        return 2;
    }
    bool all = measure_all(runs);
    printf("| loss each way | ours, ms: median (range) | ENet, ms: median (range) | ENet / ours |\n"
           "| ---: | ---: | ---: | ---: |\n");
    for (unsigned loss = 0; loss < LOSSES; loss++) print_row(loss, runs);
    printf("\n%d reliable messages of %d bytes, 40 ms each way, %u runs each.\n", MESSAGE_COUNT,
           MESSAGE_BYTES, runs);
    return all ? 0 : 1;
}
