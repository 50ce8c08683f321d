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
    sb_notice *notice = sb_notices_begin(n, SB_NOTICE_CHAT);
    CHECK(notice != NULL);
    notice->value = value;
    sb_notices_publish(n);
}

TEST(notices_are_read_in_order_and_wake_the_reader_once)
{
    int         wake = eventfd(0, EFD_NONBLOCK);
    sb_notices *n = sb_notices_create(wake, 1);
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

enum { ANY = SB_NOTICES_OF_LOOP + SB_NOTICES_OF_ROOM }; /* places for all types, with one room */

TEST(a_full_ring_drops_notices_and_counts_them)
{
    int         wake = eventfd(0, EFD_NONBLOCK);
    sb_notices *n = sb_notices_create(wake, 1);
    for (int i = 0; i < ANY; i++) publish(n, i);
    CHECK(sb_notices_begin(n, SB_NOTICE_CHAT) == NULL);
    CHECK(sb_notices_begin(n, SB_NOTICE_CHAT) == NULL);
    CHECK_EQ(sb_notices_dropped(n), 2);
    CHECK_EQ(sb_notices_next(n)->value, 0);
    sb_notices_release(n);
    publish(n, 1000);
    for (int i = 1; i < ANY; i++) {
        CHECK_EQ(sb_notices_next(n)->value, i);
        sb_notices_release(n);
    }
    CHECK_EQ(sb_notices_next(n)->value, 1000);
    sb_notices_destroy(n);
    close(wake);
}

TEST(places_for_results_are_not_taken_by_chat)
{
    int         wake = eventfd(0, EFD_NONBLOCK);
    sb_notices *n = sb_notices_create(wake, 1);
    for (int i = 0; i < ANY; i++) publish(n, i);
    CHECK(sb_notices_begin(n, SB_NOTICE_KILLED) == NULL);
    for (int i = 0; i < SB_NOTICES_OF_RESULT; i++) {
        sb_notice *row = sb_notices_begin(n, SB_NOTICE_STANDING);
        CHECK(row != NULL);
        CHECK_EQ(row->type, SB_NOTICE_STANDING);
        row->value = ANY + i;
        sb_notices_publish(n);
    }
    CHECK(sb_notices_begin(n, SB_NOTICE_MATCH_OVER) == NULL);
    CHECK_EQ(sb_notices_dropped(n), 2);
    for (int i = 0; i < ANY + SB_NOTICES_OF_RESULT; i++) {
        CHECK_EQ(sb_notices_next(n)->value, i);
        sb_notices_release(n);
    }
    sb_notices_destroy(n);
    close(wake);
}

/* Memory beyond what was waiting at once is never touched. */
TEST(an_empty_ring_starts_again_at_its_front)
{
    int              wake = eventfd(0, EFD_NONBLOCK);
    sb_notices      *n = sb_notices_create(wake, 1);
    const sb_notice *first = NULL;
    for (int i = 0; i < 1000; i++) {
        publish(n, 2 * i);
        publish(n, 2 * i + 1);
        if (!first) first = sb_notices_next(n);
        CHECK(sb_notices_next(n) == first);
        CHECK_EQ(sb_notices_next(n)->value, 2 * i);
        sb_notices_release(n);
        CHECK(sb_notices_next(n) == first + 1);
        CHECK_EQ(sb_notices_next(n)->value, 2 * i + 1);
        sb_notices_release(n);
    }
    sb_notices_destroy(n);
    close(wake);
}

enum { COUNT = 200000 };

static void *write_all(void *context)
{
    for (int64_t i = 0; i < COUNT; i++) {
        sb_notice *notice;
        while (!(notice = sb_notices_begin(context, SB_NOTICE_KILLED))) sched_yield();
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
    sb_notices *n = sb_notices_create(wake, 1);
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
