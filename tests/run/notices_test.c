/* tests/run/notices_test.c -- the ring that brings notices from a loop to the main thread. */
#include "run/notices.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "test.h"

static uint64_t wakeups(int wake)
{
    uint64_t count = 0;
    return read(wake, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}

static void publish(sb_notices *n, int64_t value)
{
    sb_notice *notice = sb_notices_begin(n);
    CHECK(notice != NULL);
    notice->value = value;
    sb_notices_publish(n);
}

TEST(notices_are_read_in_order_and_wake_the_reader_once)
{
    int         wake = eventfd(0, EFD_NONBLOCK);
    sb_notices *n = sb_notices_create(wake);
    CHECK(sb_notices_next(n) == NULL);
    for (int i = 0; i < 5; i++) publish(n, i);
    CHECK_EQ(wakeups(wake), 1);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(sb_notices_next(n)->value, i);
        sb_notices_release(n);
    }
    CHECK(sb_notices_next(n) == NULL);
    publish(n, 5);
    CHECK_EQ(wakeups(wake), 1);
    sb_notices_destroy(n);
    close(wake);
}

TEST(a_full_ring_drops_notices_and_counts_them)
{
    int         wake = eventfd(0, EFD_NONBLOCK);
    sb_notices *n = sb_notices_create(wake);
    for (int i = 0; i < SB_NOTICES_MAX; i++) publish(n, i);
    CHECK(sb_notices_begin(n) == NULL);
    CHECK(sb_notices_begin(n) == NULL);
    CHECK_EQ(sb_notices_dropped(n), 2);
    CHECK_EQ(sb_notices_next(n)->value, 0);
    sb_notices_release(n);
    publish(n, 1000);
    for (int i = 1; i < SB_NOTICES_MAX; i++) {
        CHECK_EQ(sb_notices_next(n)->value, i);
        sb_notices_release(n);
    }
    CHECK_EQ(sb_notices_next(n)->value, 1000);
    sb_notices_destroy(n);
    close(wake);
}

enum { COUNT = 200000 };

static void *write_all(void *context)
{
    for (int64_t i = 0; i < COUNT; i++) {
        sb_notice *notice;
        while (!(notice = sb_notices_begin(context))) sched_yield();
        notice->value = i;
        sb_notices_publish(context);
    }
    return NULL;
}

/* The reader sleeps on the eventfd whenever the ring is empty: a lost wake-up would hang the test.
 */
TEST(no_notice_and_no_wake_up_is_lost_between_threads)
{
    int         wake = eventfd(0, 0);
    sb_notices *n = sb_notices_create(wake);
    pthread_t   writer;
    int64_t     next = 0;
    CHECK_EQ(pthread_create(&writer, NULL, write_all, n), 0);
    while (next < COUNT) {
        const sb_notice *notice;
        (void)wakeups(wake);
        for (; (notice = sb_notices_next(n)); sb_notices_release(n))
            CHECK_EQ(notice->value, next++);
    }
    pthread_join(writer, NULL);
    sb_notices_destroy(n);
    close(wake);
}
