/* tests/e2e/quiet_test.c -- an idle server does not wake up, and a running match does not
 * allocate. */
#include "rig.h"

#include "count_alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- wake-ups ---- */

/* The voluntary context switches of the server's threads. */
static long count_sleeps(const live *l)
{
    char           path[128], line[256];
    long           sum = 0, one;
    struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%d/task", (int)l->server.pid);
    DIR *tasks = opendir(path);
    CHECK(tasks != NULL);
    while ((entry = readdir(tasks))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.16s/status", (int)l->server.pid,
                 entry->d_name);
        FILE *file = fopen(path, "r");
        CHECK(file != NULL);
        while (fgets(line, sizeof line, file))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &one) == 1) sum += one;
        (void)fclose(file);
    }
    (void)closedir(tasks);
    CHECK(sum > 0);
    return sum;
}

TEST(an_idle_server_wakes_up_for_its_timers_only)
{
    live *l = LIVE("--rooms", "4");
    live_wait(l, SB_SECOND / 2);
    long before = count_sleeps(l);
    live_wait(l, 3 * SB_SECOND);
    long sleeps = count_sleeps(l) - before;
    if (sleeps > 3) FAIL("%ld wake-ups of four rooms in 3 s", sleeps);
}

TEST(a_server_without_players_wakes_up_for_its_timers_only)
{
    live *l = live_open(NULL);
    seat *a = live_join(l, "Alpha");
    (void)seat_spawn(a, 1, (sb_vec3){ 38, -49, -35 });
    live_settle(l, a);
    seat_leave(a);
    UNTIL(l, a->left);
    live_wait(l, 8 * SB_SECOND); /* silence proves the departure after 6 s (spec 01 §8.4) */
    long before = count_sleeps(l);
    live_wait(l, 3 * SB_SECOND);
    long sleeps = count_sleeps(l) - before;
    if (sleeps > 3) FAIL("%ld wake-ups in 3 s", sleeps);
}

/* ---- allocations: not under sanitizers, which have an allocator of their own ---- */

#ifdef SB_COUNT_ALLOC
static count_alloc *open_counter(char path[])
{
    int file = mkstemp(path);
    CHECK(file >= 0);
    CHECK_EQ(ftruncate(file, sizeof(count_alloc)), 0);
    count_alloc *counter =
        mmap(NULL, sizeof(count_alloc), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    CHECK(counter != MAP_FAILED);
    return counter;
}

/* Prints the callers of the first allocations, for addr2line. */
static void fail_with_calls(const count_alloc *counter)
{
    unsigned shown = counter->calls < COUNT_ALLOC_TOLD ? counter->calls : COUNT_ALLOC_TOLD;
    printf("    allocations during a match:\n");
    for (unsigned i = 0; i < shown; i++)
        printf("      %s of %llu bytes from %s+0x%llx\n", counter->told[i].what,
               (unsigned long long)counter->told[i].size, counter->told[i].file,
               (unsigned long long)counter->told[i].offset);
    FAIL("%u calls of the allocator", counter->calls);
}

static void start_bots(live *l, const char *count)
{
    char              place[SB_ENDPOINT_TEXT];
    const char *const argv[] = { program_path(), "bot",    "-q",  "-n",  count, "--skill",
                                 "hard",         "--name", "Bot", place, NULL };
    sb_endpoint_text(l->address, place);
    process_start(&l->bots, argv, NULL);
}

static unsigned count_lines(const live *l, const char *text)
{
    unsigned count = 0;
    for (const char *at = process_log(&l->server); (at = strstr(at, text)); at++) count++;
    return count;
}

/* A player joins, chats and leaves; a query arrives; SIGUSR1 asks for the status. */
static void do_everything_else(live *l)
{
    sb_udp stranger;
    seat  *guest = live_join(l, "Guest");
    (void)seat_spawn(guest, 1, (sb_vec3){ 38, -49, -35 });
    seat_say_hex(guest, "2C {id} 05 00 68 65 6C 6C 6F");
    live_settle(l, guest);
    live_open_stranger(&stranger, 3);
    (void)live_ask(l, &stranger);
    sb_udp_close(&stranger);
    seat_leave(guest);
    UNTIL(l, guest->left);
    CHECK_EQ(kill(l->server.pid, SIGUSR1), 0);
    UNTIL(l, process_logged(&l->server, "\"subsystem\":\"status\""));
}

TEST(nothing_is_allocated_while_a_match_goes_on)
{
    char         path[] = "/tmp/starbase-alloc-XXXXXX", variable[64];
    count_alloc *counter = open_counter(path);
    snprintf(variable, sizeof variable, "COUNT_ALLOC=%s", path);
    live *l = live_open_with((const char *const[]){ "--log-level", "debug", "--log-json", "--set",
                                                    "trace_damage=true", NULL },
                             (const char *const[]){ "LD_PRELOAD=" SB_COUNT_ALLOC, variable, NULL });
    (void)unlink(path);
    CHECK(counter->total > 0); /* it counts: the start was no match */
    start_bots(l, "4");
    UNTIL(l, count_lines(l, "\"event\":\"spawned\"") >= 4);
    live_wait(l, SB_SECOND / 2);
    size_t log_before = strlen(process_log(&l->server));
    counter->armed = true;
    live_wait(l, 4 * SB_SECOND);
    do_everything_else(l);
    counter->armed = false;
    CHECK_EQ(process_status(&l->bots), -1);
    CHECK(strlen(process_log(&l->server)) > log_before); /* it has logged meanwhile */
    if (counter->calls > 0) fail_with_calls(counter);
    counter->armed = true; /* the counter would have seen it: a reload does allocate */
    CHECK_EQ(kill(l->server.pid, SIGHUP), 0);
    UNTIL(l, process_logged(&l->server, "reloaded"));
    CHECK(counter->calls > 0);
    CHECK_EQ(munmap(counter, sizeof *counter), 0);
}
#endif
