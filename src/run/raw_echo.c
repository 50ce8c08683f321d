/* src/run/raw_echo.c -- two sockets and a thread that returns datagrams.
 *
 * Tests:    tests/apps/swarm_test.py
 */
#include "run/raw_echo.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "platform/clock.h"

enum { PROBE_BYTES = 40, LOOPBACK = 0x7F000001 };

struct sb_raw_echo {
    sb_udp        near, far; /* far: the thread's socket */
    sb_udp_batch *near_batch, *far_batch;
    int           stop; /* an eventfd; -1: none */
    pthread_t     thread;
    bool          running;
};

static void echo_datagrams(sb_raw_echo *e)
{
    sb_endpoint from;
    size_t      count = sb_udp_receive(&e->far, e->far_batch, SB_UDP_BATCH);
    for (size_t i = 0; i < count; i++) {
        sb_span datagram = sb_udp_received(e->far_batch, i, &from);
        memcpy(sb_udp_next_buffer(&e->far, e->far_batch), datagram.data, datagram.size);
        sb_udp_send(&e->far, e->far_batch, from, datagram.size);
    }
    sb_udp_flush(&e->far, e->far_batch);
}

static void *run(void *context)
{
    sb_raw_echo  *e = context;
    struct pollfd waits[] = { { e->far.descriptor, POLLIN, 0 }, { e->stop, POLLIN, 0 } };
    (void)prctl(PR_SET_TIMERSLACK, 1000uL, 0uL, 0uL, 0uL);
    while (poll(waits, 2, -1) < 0 || !waits[1].revents) echo_datagrams(e);
    return NULL;
}

static bool start_thread(sb_raw_echo *e)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    e->running = pthread_create(&e->thread, NULL, run, e) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e->running;
}

static bool open_all(sb_raw_echo *e, char error[SB_UDP_ERROR_MAX])
{
    sb_udp_options options = { .local = { LOOPBACK, 0 } };
    snprintf(error, SB_UDP_ERROR_MAX, "no memory or thread for the raw echo");
    e->near_batch = sb_udp_batch_create();
    e->far_batch = sb_udp_batch_create();
    e->stop = eventfd(0, EFD_CLOEXEC);
    if (!e->near_batch || !e->far_batch || e->stop < 0) return false;
    return sb_udp_open(&e->near, &options, error) == SB_OK &&
           sb_udp_open(&e->far, &options, error) == SB_OK;
}

sb_raw_echo *sb_raw_echo_start(char error[SB_UDP_ERROR_MAX])
{
    sb_raw_echo *e = calloc(1, sizeof *e);
    if (!e) {
        snprintf(error, SB_UDP_ERROR_MAX, "no memory for the raw echo");
        return NULL;
    }
    e->near.descriptor = e->far.descriptor = e->stop = -1;
    if (open_all(e, error) && start_thread(e)) return e;
    sb_raw_echo_stop(e);
    return NULL;
}

void sb_raw_echo_stop(sb_raw_echo *e)
{
    const uint64_t one = 1;
    if (!e) return;
    if (e->running && write(e->stop, &one, sizeof one) == (ssize_t)sizeof one)
        pthread_join(e->thread, NULL);
    sb_udp_close(&e->near);
    sb_udp_close(&e->far);
    if (e->stop >= 0) (void)close(e->stop);
    sb_udp_batch_destroy(e->near_batch);
    sb_udp_batch_destroy(e->far_batch);
    free(e);
}

int sb_raw_echo_descriptor(const sb_raw_echo *e)
{
    return e->near.descriptor;
}

/* The datagram carries the time at which it was sent. */
void sb_raw_echo_send(sb_raw_echo *e)
{
    uint8_t *buffer = sb_udp_next_buffer(&e->near, e->near_batch);
    sb_time  now = sb_clock_now();
    memset(buffer, 0, PROBE_BYTES);
    memcpy(buffer, &now, sizeof now);
    sb_udp_send(&e->near, e->near_batch, e->far.local, PROBE_BYTES);
    sb_udp_flush(&e->near, e->near_batch);
}

void sb_raw_echo_receive(sb_raw_echo *e, sb_latency *latency)
{
    sb_endpoint from;
    sb_time     sent;
    size_t      count = sb_udp_receive(&e->near, e->near_batch, SB_UDP_BATCH);
    sb_time     now = sb_clock_now();
    for (size_t i = 0; i < count; i++) {
        sb_span datagram = sb_udp_received(e->near_batch, i, &from);
        if (datagram.size != PROBE_BYTES || from.port != e->far.local.port) continue;
        memcpy(&sent, datagram.data, sizeof sent);
        sb_latency_add(latency, now - sent);
    }
}
