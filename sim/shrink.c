/* sim/shrink.c -- runs requests, survives their asserts, and shrinks failing ones. */
#include "sim/shrink.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES_MAX = 150, RUN_SECONDS_MAX = 300 };

static sigjmp_buf            aborted;
static volatile sig_atomic_t running; /* a run is under way */
static char                  crash_message[200];

/* Called by the address sanitizer, which looks for this symbol, when it reports an error. */
void sim_on_sanitizer_error(void) __asm__("__asan_on_error");

static void write_crash_message(void)
{
    if (running && write(STDERR_FILENO, crash_message, strlen(crash_message)) < 0) return;
}

void sim_on_sanitizer_error(void)
{
    write_crash_message();
}

static void on_abort(int number)
{
    (void)number;
    if (running) siglongjmp(aborted, 1);
}

static void on_fatal(int number)
{
    write_crash_message();
    signal(number, SIG_DFL);
    raise(number);
}

/* The handler has a stack of its own, because the normal one may be exhausted. */
static void catch_fatal(int number)
{
    struct sigaction action = { .sa_handler = on_fatal, .sa_flags = SA_ONSTACK };
    struct sigaction before;
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return; /* a sanitizer handles it */
    sigaction(number, &action, NULL);
}

void sim_catch_aborts(void)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM };
    static char      buffer[64 * 1024];
    stack_t          stack = { .ss_sp = buffer, .ss_size = sizeof buffer };
    sigaltstack(&stack, NULL);
    signal(SIGABRT, on_abort);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) catch_fatal(fatal[i]);
}

static void prepare_crash_message(uint64_t seed)
{
    snprintf(crash_message, sizeof crash_message,
             "\nstarbase-sim: stopped in seed %llu; replay: starbase-sim --seed %llu --trace\n",
             (unsigned long long)seed, (unsigned long long)seed);
}

void sim_run_request(const sim_request *request, sim_trace *trace, sim_outcome *outcome)
{
    static sim_plan plan; /* static, so that siglongjmp does not make it indeterminate */
    prepare_crash_message(request->seed);
    sim_plan_make(&plan, request);
    alarm(RUN_SECONDS_MAX);
    if (sigsetjmp(aborted, 1) == 0) {
        running = 1;
        sim_world_run(&plan, trace, outcome);
    } else {
        /* The memory of the world leaks: this is rare, and the process soon ends. */
        outcome->failed = true;
        outcome->invariant = "assert";
        snprintf(outcome->detail, sizeof outcome->detail,
                 "an assert failed; the line above says where");
    }
    running = 0;
    alarm(0);
}

/* ---- Shrinking ------------------------------------------------------------------------------ */

typedef struct search {
    sim_request best;
    const char *invariant;
    int         tries;
} search;

/* Runs the request. True: the same invariant breaks, and the request is the best one so far. */
static bool try_request(search *s, const sim_request *request)
{
    static sim_trace trace;
    sim_outcome      outcome;
    if (s->tries++ >= TRIES_MAX) return false;
    sim_trace_init(&trace, false, NULL);
    sim_run_request(request, &trace, &outcome);
    if (!outcome.failed || strcmp(outcome.invariant, s->invariant) != 0) return false;
    s->best = *request;
    return true;
}

static void drop_features(search *s)
{
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++) {
        sim_plan    plan;
        sim_request smaller = s->best;
        sim_plan_make(&plan, &smaller);
        if (!sim_plan_has(&plan, (sim_feature)i)) continue;
        smaller.without |= (uint64_t)1 << i;
        (void)try_request(s, &smaller);
    }
}

static void drop_forgeries(search *s)
{
    for (uint32_t i = 0; i < SIM_FORGERY_COUNT; i++) {
        sim_plan    plan;
        sim_request smaller = s->best;
        sim_plan_make(&plan, &smaller);
        if (!sim_plan_has(&plan, SIM_HAS_ATTACKER)) return;
        smaller.spared |= (uint64_t)1 << i;
        (void)try_request(s, &smaller);
    }
}

static void drop_clients(search *s)
{
    sim_plan plan;
    sim_plan_make(&plan, &s->best);
    for (uint32_t count = 1; count < plan.client_count; count++) {
        sim_request smaller = s->best;
        smaller.max_clients = count;
        if (try_request(s, &smaller)) return;
    }
}

static void drop_time(search *s)
{
    sim_plan plan;
    sim_plan_make(&plan, &s->best);
    for (sb_time step = plan.length_us / 2; step >= SB_SECOND / 4; step /= 2) {
        sim_request smaller = s->best;
        sb_time     length = s->best.max_length > 0 ? s->best.max_length : plan.length_us;
        smaller.max_length = length - step;
        if (smaller.max_length > 0) (void)try_request(s, &smaller);
    }
}

/* Mutes stderr while shrinking, because asserts print a line in every run. Returns a copy of
 * the old descriptor. */
static int mute_stderr(void)
{
    fflush(stderr);
    int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
        dup2(null, STDERR_FILENO);
        close(null);
    }
    return kept;
}

static void restore_stderr(int kept)
{
    fflush(stderr);
    if (kept < 0) return;
    dup2(kept, STDERR_FILENO);
    close(kept);
}

sim_request sim_shrink(const sim_request *request, const char *invariant)
{
    search s = { .best = *request, .invariant = invariant };
    int    kept = mute_stderr();
    drop_clients(&s);
    drop_forgeries(&s);
    drop_features(&s);
    drop_time(&s);
    drop_features(&s);
    drop_clients(&s);
    restore_stderr(kept);
    return s.best;
}
