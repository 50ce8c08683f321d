/* tests/run/latency_test.c -- percentiles of durations, and the raw echo. */
#include "run/latency.h"

#include "platform/clock.h"
#include "run/raw_echo.h"
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

static sb_latency l; /* 8 KiB: too large for a stack */

static void reset(void)
{
    memset(&l, 0, sizeof l);
}

TEST(percentiles_of_short_durations_are_exact)
{
    reset();
    for (sb_time us = 100; us >= 1; us--) sb_latency_add(&l, us);
    CHECK_EQ(l.count, 100);
    CHECK_EQ(sb_latency_percentile(&l, 0), 1);
    CHECK_EQ(sb_latency_percentile(&l, 1), 1);
    CHECK_EQ(sb_latency_percentile(&l, 50), 50);
    CHECK_EQ(sb_latency_percentile(&l, 50.5), 51);
    CHECK_EQ(sb_latency_percentile(&l, 99), 99);
    CHECK_EQ(sb_latency_percentile(&l, 100), 100);
    CHECK(sb_latency_mean(&l) == 50.5);
}

TEST(a_percentile_is_never_too_low_and_at_most_a_64th_too_high)
{
    for (sb_time us = 1; us < (sb_time)1 << 36; us += 1 + us / 37) {
        reset();
        sb_latency_add(&l, us);
        sb_latency_add(&l, us);
        sb_latency_add(&l, (sb_time)1 << 40);
        sb_time found = sb_latency_percentile(&l, 50);
        if (found < us || found > us + us / 64)
            FAIL("%lld became %lld", (long long)us, (long long)found);
    }
}

TEST(no_duration_at_all_gives_zeros)
{
    reset();
    CHECK_EQ(sb_latency_percentile(&l, 50), 0);
    CHECK_EQ(sb_latency_percentile(&l, 100), 0);
    CHECK(sb_latency_mean(&l) == 0);
}

TEST(extremes_are_kept_as_they_are)
{
    reset();
    sb_latency_add(&l, -5);
    CHECK_EQ(l.max_us, 0);
    sb_latency_add(&l, 123457);
    CHECK_EQ(l.min_us, 0);
    CHECK_EQ(l.max_us, 123457);
    CHECK_EQ(sb_latency_percentile(&l, 100), 123457);
    sb_latency_add(&l, INT64_MAX / 2);
    CHECK_EQ(sb_latency_percentile(&l, 100), INT64_MAX / 2);
}

TEST(every_probe_of_the_raw_echo_comes_back_once)
{
    char         error[SB_UDP_ERROR_MAX];
    sb_raw_echo *echo = sb_raw_echo_start(error);
    if (!echo) FAIL("%s", error);
    reset();
    for (int i = 0; i < 20; i++) sb_raw_echo_send(echo);
    struct pollfd wait = { sb_raw_echo_descriptor(echo), POLLIN, 0 };
    for (sb_time end = sb_clock_now() + 5 * SB_SECOND; l.count < 20 && sb_clock_now() < end;) {
        (void)poll(&wait, 1, 100);
        sb_raw_echo_receive(echo, &l);
    }
    sb_raw_echo_stop(echo);
    CHECK_EQ(l.count, 20);
    CHECK(l.max_us < 5 * SB_SECOND);
}
