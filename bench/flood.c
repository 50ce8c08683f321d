/* bench/flood.c -- floods a server with garbage and status queries at given rates, from one
 * address.
 *
 *     starbase-flood PORT GARBAGE_PER_S STATUS_PER_S SECONDS
 *
 * For:      tools/bench-swarm, which measures a match during the flood. Loopback only; stops by
 *           itself. Prints the numbers of datagrams sent and answers received.
 *
 * A real flood arrives evenly and takes no processor time from players and server. Therefore the
 * garbage is made beforehand and leaves in small portions, and the process runs at idle priority.
 */
#include "base/random.h"
#include "platform/clock.h"
#include "platform/udp.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    GARBAGE_BYTES_MAX = 512,
    POOL_BYTES = 1 << 16,
    PAUSE_NS = 200000, /* between two portions */
};

typedef struct flood {
    sb_udp        udp;
    sb_udp_batch *batch;
    sb_endpoint   to;
    sb_random     random;
    uint8_t       pool[POOL_BYTES];
    uint64_t      garbage, queries, answers, answer_bytes;
} flood;

static void fill_pool(flood *f)
{
    for (size_t i = 0; i < POOL_BYTES; i++) f->pool[i] = (uint8_t)sb_random_next(&f->random);
}

static void send_garbage(flood *f)
{
    uint8_t *out = sb_udp_next_buffer(&f->udp, f->batch);
    size_t   size = 1 + sb_random_below(&f->random, GARBAGE_BYTES_MAX);
    memcpy(out, f->pool + sb_random_below(&f->random, POOL_BYTES - GARBAGE_BYTES_MAX), size);
    if (out[0] == '\\') out[0] = 2;
    sb_udp_send(&f->udp, f->batch, f->to, size);
    f->garbage++;
}

static void send_query(flood *f)
{
    memcpy(sb_udp_next_buffer(&f->udp, f->batch), "\\status\\", 8);
    sb_udp_send(&f->udp, f->batch, f->to, 8);
    f->queries++;
}

static void drain_answers(flood *f)
{
    sb_endpoint from;
    for (size_t count; (count = sb_udp_receive(&f->udp, f->batch, SB_UDP_BATCH)) > 0;)
        for (size_t i = 0; i < count; i++) {
            f->answers++;
            f->answer_bytes += sb_udp_received(f->batch, i, &from).size;
        }
}

/* Number of events due after `elapsed` at a rate. */
static uint64_t due(uint64_t per_s, sb_time elapsed)
{
    return per_s * (uint64_t)elapsed / (uint64_t)SB_SECOND;
}

static void run(flood *f, uint64_t garbage, uint64_t status, sb_time length)
{
    sb_time start = sb_clock_now();
    for (sb_time elapsed = 0; elapsed < length; elapsed = sb_clock_now() - start) {
        while (f->garbage < due(garbage, elapsed)) send_garbage(f);
        while (f->queries < due(status, elapsed)) send_query(f);
        sb_udp_flush(&f->udp, f->batch);
        drain_answers(f);
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
    }
}

int main(int argc, char **argv)
{
    static flood f;
    char         error[SB_UDP_ERROR_MAX];
    /* 127.1.0.2: not in the network of the players. */
    sb_udp_options options = { .local = { 0x7F010002, 0 } };
    if (argc != 5) {
        fputs("usage: starbase-flood PORT GARBAGE_PER_S STATUS_PER_S SECONDS\n", stderr);
        return 2;
    }
    sb_random_init(&f.random, 1);
    fill_pool(&f);
    (void)sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
    (void)prctl(PR_SET_TIMERSLACK, 1000uL, 0uL, 0uL, 0uL);
    f.to = (sb_endpoint){ 0x7F000001, (uint16_t)atoi(argv[1]) };
    f.batch = sb_udp_batch_create();
    if (!f.batch || sb_udp_open(&f.udp, &options, error) != SB_OK) {
        fprintf(stderr, "starbase-flood: %s\n", f.batch ? error : "no memory");
        return 1;
    }
    run(&f, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
        (sb_time)(strtod(argv[4], NULL) * 1e6));
    printf("garbage %llu, status queries %llu, answers %llu of %llu bytes\n",
           (unsigned long long)f.garbage, (unsigned long long)f.queries,
           (unsigned long long)f.answers, (unsigned long long)f.answer_bytes);
    sb_udp_close(&f.udp);
    sb_udp_batch_destroy(f.batch);
    return 0;
}
