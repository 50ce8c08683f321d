/* tests/run/datagram_ring_test.c -- the ring that brings datagrams from one thread to another. */
#include "run/datagram_ring.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/random.h"
#include "test.h"

static bool push(sb_datagram_ring *ring, uint32_t peer, size_t size)
{
    uint8_t bytes[SB_RING_DATAGRAM_MAX + 1];
    memset(bytes, (int)(peer & 0xFF), sizeof bytes);
    return sb_datagram_ring_push(ring, (sb_endpoint){ peer, (uint16_t)size },
                                 (sb_span){ bytes, size });
}

/* Takes the oldest datagram, which push must have made with `peer`. */
static void pop(sb_datagram_ring *ring, uint32_t peer)
{
    sb_endpoint from;
    sb_span     datagram;
    CHECK(sb_datagram_ring_next(ring, &from, &datagram));
    CHECK_EQ(from.address, peer);
    CHECK_EQ(datagram.size, from.port);
    for (size_t i = 0; i < datagram.size; i++) CHECK_EQ(datagram.data[i], peer & 0xFF);
    sb_datagram_ring_pop(ring);
}

static bool is_empty(sb_datagram_ring *ring)
{
    sb_endpoint from;
    sb_span     datagram;
    return !sb_datagram_ring_next(ring, &from, &datagram);
}

TEST(datagrams_of_all_sizes_come_out_as_they_went_in)
{
    sb_datagram_ring *ring = sb_datagram_ring_create();
    for (uint32_t size = 0; size <= SB_RING_DATAGRAM_MAX; size++) { /* many times around */
        CHECK(push(ring, size, size));
        CHECK(push(ring, size + 1, SB_RING_DATAGRAM_MAX - size));
        pop(ring, size);
        pop(ring, size + 1);
        CHECK(is_empty(ring));
    }
    CHECK_EQ(sb_datagram_ring_dropped(ring), 0);
    sb_datagram_ring_destroy(ring);
}

TEST(a_full_ring_drops_datagrams_and_counts_them)
{
    sb_datagram_ring *ring = sb_datagram_ring_create();
    uint32_t          count = 0;
    while (push(ring, count, 1000)) count++;
    CHECK(count >= SB_RING_BYTES / 1100);
    CHECK(!push(ring, count, 1000));
    CHECK_EQ(sb_datagram_ring_dropped(ring), 2);
    CHECK_EQ(sb_datagram_ring_pushed(ring), count);
    pop(ring, 0);
    pop(ring, 1);
    CHECK(push(ring, 7, 1000));
    for (uint32_t i = 2; i < count; i++) pop(ring, i);
    pop(ring, 7);
    CHECK(is_empty(ring));
    sb_datagram_ring_destroy(ring);
}

TEST(a_datagram_that_is_too_long_is_dropped)
{
    sb_datagram_ring *ring = sb_datagram_ring_create();
    CHECK(!push(ring, 1, SB_RING_DATAGRAM_MAX + 1));
    CHECK_EQ(sb_datagram_ring_dropped(ring), 1);
    CHECK(is_empty(ring));
    sb_datagram_ring_destroy(ring);
}

enum { RUN = 100000 };

static void *write_many(void *context)
{
    sb_random random = { 5 };
    for (uint32_t i = 0; i < RUN;) {
        if (push(context, i, sb_random_next(&random) % 600)) i++;
        else (void)sched_yield();
    }
    return NULL;
}

TEST(two_threads_pass_every_datagram_in_order)
{
    sb_datagram_ring *ring = sb_datagram_ring_create();
    pthread_t         writer;
    CHECK_EQ(pthread_create(&writer, NULL, write_many, ring), 0);
    for (uint32_t i = 0; i < RUN; i++) {
        while (is_empty(ring)) (void)sched_yield();
        pop(ring, i);
    }
    pthread_join(writer, NULL);
    CHECK_EQ(sb_datagram_ring_pushed(ring), RUN);
    sb_datagram_ring_destroy(ring);
}
