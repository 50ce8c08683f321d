/* tests/platform/process_test.c -- usage of a process. tests/apps/swarm_test.py starts one. */
#include "platform/process.h"

#include "platform/clock.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(work_of_a_process_shows_as_its_cpu_time)
{
    sb_process_usage before, after;
    CHECK(sb_process_usage_of(getpid(), &before));
    volatile uint64_t sum = 0;
    for (unsigned i = 0; i < 50000000; i++) sum = sum + i;
    CHECK(sum > 0);
    CHECK(sb_process_usage_of(getpid(), &after));
    CHECK(after.cpu_us > before.cpu_us);
    CHECK(after.cpu_us - before.cpu_us < 60 * SB_SECOND);
}

TEST(memory_that_is_touched_shows_as_resident)
{
    enum { BYTES = 32 << 20 };
    sb_process_usage before, after;
    CHECK(sb_process_usage_of(getpid(), &before));
    volatile char *room = malloc(BYTES);
    CHECK(room != NULL);
    for (size_t i = 0; i < BYTES; i += 4096) room[i] = 1;
    CHECK(sb_process_usage_of(getpid(), &after));
    free((void *)room);
    CHECK(after.rss_bytes >= before.rss_bytes + BYTES / 2);
    CHECK(after.peak_bytes >= after.rss_bytes);
    CHECK(after.threads >= 1);
}

TEST(a_process_that_is_gone_uses_nothing_that_can_be_told)
{
    sb_process_usage usage;
    pid_t            child = fork();
    if (child == 0) _exit(0);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    CHECK(!sb_process_usage_of(child, &usage));
}

TEST(the_limit_of_descriptors_is_raised_as_far_as_possible)
{
    enum { LOW = 64, MORE = 100 };
    const size_t  absurd = (size_t)1 << 40;
    struct rlimit before, limit;
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    CHECK(before.rlim_max >= MORE && before.rlim_max < absurd);
    limit = (struct rlimit){ .rlim_cur = LOW, .rlim_max = before.rlim_max };
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(sb_process_reserve_descriptors(LOW), 0);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(limit.rlim_cur, LOW); /* never lowered, nor raised without need */
    CHECK_EQ(sb_process_reserve_descriptors(MORE), 0);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(limit.rlim_cur, MORE);
    CHECK_EQ(sb_process_reserve_descriptors(absurd), absurd - before.rlim_max);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(limit.rlim_cur, before.rlim_max);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}
