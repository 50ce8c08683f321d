/* apps/swarm/stages.c -- the main thread of a run: leads the crews from stage to stage, shows the
 * progress, and watches signals and the server.
 *
 * Tests:    tests/apps/swarm_test.py
 */
#include "swarm/swarm.h"

#include "base/assert.h"
#include "platform/clock.h"
#include "platform/signals.h"
#include "platform/terminal.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static const sb_time check_interval = SB_SECOND / 4;
static const sb_time join_limit = 25 * SB_SECOND; /* after the start of the last join */
static const sb_time settle_us = SB_SECOND;
static const sb_time listen_min = SB_SECOND / 4;
static const sb_time listen_limit = 5 * SB_SECOND;

enum { LOOK_MS = 20 };

/* ---- sums over the crews ---- */

typedef struct progress {
    size_t joined, failed, lost;
    bool   gone, heard_all, done;
} progress;

static progress look(const swarm_job *j)
{
    progress sum = { .gone = true, .heard_all = true, .done = true };
    for (size_t i = 0; i < j->crew_count; i++) {
        const swarm_crew *c = &j->crews[i];
        sum.joined += c->joined;
        sum.failed += c->failed;
        sum.lost += c->lost;
        sum.gone = sum.gone && c->gone;
        sum.heard_all = sum.heard_all && c->heard_all;
        sum.done = sum.done && c->done;
    }
    return sum;
}

static void show_progress(const swarm_job *j, const progress *p)
{
    static const char *const words[] = { "joining", "joined", "playing", "listening", "leaving" };
    double                   left = (double)(j->stage_ends_at - sb_clock_now()) / (double)SB_SECOND;
    if (!sb_terminal_is_open(stderr)) return;
    SB_ASSERT((size_t)j->stage < sizeof words / sizeof *words);
    fprintf(stderr, "\r%-9s %zu of %zu players, %zu lost", words[j->stage], p->joined,
            (size_t)(j->rooms * j->players), p->lost);
    if (j->stage == STAGE_PLAYING) fprintf(stderr, ", %.0f s to go", left > 0 ? left : 0);
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

void swarm_clear_progress(void)
{
    if (sb_terminal_is_open(stderr)) fprintf(stderr, "\r\033[K");
}

/* ---- the stages ---- */

static pid_t server_pid(const swarm_job *j)
{
    return j->serve ? j->server.pid : (pid_t)j->pid;
}

static int64_t own_cpu(void)
{
    sb_process_usage usage_now;
    return sb_process_usage_of(getpid(), &usage_now) ? usage_now.cpu_us : 0;
}

static void enter_stage(swarm_job *j, swarm_stage next, sb_time duration)
{
    SB_ASSERT((int)next >= j->stage); /* stages never go back */
    j->stage_ends_at = sb_clock_now() + duration;
    j->stage = next;
}

static void start_playing(swarm_job *j)
{
    enter_stage(j, STAGE_PLAYING, j->time_us);
    j->play_started_at = sb_clock_now();
    j->own_before_us = own_cpu();
    if (server_pid(j) != 0)
        j->result.has_server = sb_process_usage_of(server_pid(j), &j->result.before);
}

static void end_playing(swarm_job *j)
{
    swarm_result *r = &j->result;
    r->seconds = (double)(sb_clock_now() - j->play_started_at) / (double)SB_SECOND;
    r->own_cpu_us = own_cpu() - j->own_before_us;
    if (r->has_server) r->has_server = sb_process_usage_of(server_pid(j), &r->after);
    if (r->died) r->has_server = false;
}

static void start_leaving(swarm_job *j)
{
    if (j->stage == STAGE_LEAVING) return;
    if (j->stage == STAGE_PLAYING) end_playing(j);
    enter_stage(j, STAGE_LEAVING, 0);
}

static void end_joining(swarm_job *j, const progress *p)
{
    j->result.join_seconds = (double)(sb_clock_now() - j->started_at) / (double)SB_SECOND;
    if (p->joined == 0) start_leaving(j);
    else enter_stage(j, STAGE_SETTLING, settle_us);
}

/* The crews need a moment to see that the playing stage is over. */
static bool has_heard_all(const swarm_job *j, const progress *p)
{
    bool early = sb_clock_now() < j->stage_ends_at - listen_limit + listen_min;
    return !early && p->heard_all;
}

static void advance_stage(swarm_job *j, const progress *p)
{
    bool late = sb_clock_now() >= j->stage_ends_at;
    switch ((swarm_stage)j->stage) {
    case STAGE_JOINING:
        if (late || p->joined + p->failed >= j->rooms * j->players) end_joining(j, p);
        break;
    case STAGE_SETTLING:
        if (late) start_playing(j);
        break;
    case STAGE_PLAYING:
        if (!late && !p->gone) break;
        end_playing(j);
        enter_stage(j, STAGE_LISTENING, listen_limit);
        break;
    case STAGE_LISTENING:
        if (late || has_heard_all(j, p)) start_leaving(j);
        break;
    case STAGE_LEAVING: break;
    }
}

/* ---- the loop ---- */

/* Ends the run at once if the server has died, without waiting for the players' timeouts. */
static void check_server(swarm_job *j)
{
    if (!j->serve || j->result.died || j->stage == STAGE_LEAVING) return;
    j->result.died = sb_process_poll(&j->server);
    if (j->result.died) start_leaving(j);
}

bool swarm_poll_stop(swarm_job *j)
{
    if (j->interrupted || sb_signals_next(j->signals) != SB_SIGNAL_STOP) return false;
    sb_signals_release();
    j->interrupted = true;
    return true;
}

static void check_signals(swarm_job *j)
{
    struct pollfd wait = { j->signals, POLLIN, 0 };
    (void)poll(&wait, 1, LOOK_MS);
    if (!swarm_poll_stop(j)) return;
    j->result.cut_short = true;
    start_leaving(j);
}

void swarm_run_stages(swarm_job *j)
{
    enter_stage(j, STAGE_JOINING, j->last_start_us + join_limit);
    for (;;) {
        progress p = look(j);
        if (p.done) break;
        if (sb_clock_now() >= j->check_at) {
            check_server(j);
            show_progress(j, &p);
            j->check_at = sb_clock_now() + check_interval;
        }
        advance_stage(j, &p);
        check_signals(j);
    }
    swarm_clear_progress();
}
