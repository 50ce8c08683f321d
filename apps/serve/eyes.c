/* apps/serve/eyes.c -- what others see of the server: systemd its state, HTTP clients its figures.
 *
 * For:      serve.c, which polls one descriptor for all of it.
 * Tests:    tests/apps/notify_test.py, tests/apps/http_test.py
 */
#include "serve/serve.h"

#include "platform/notify.h"
#include "run/watchdog.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct serve_eyes {
    sb_notify    notify;
    sb_watchdog *watchdog;       /* NULL: systemd has no watchdog for this process */
    serve_web   *web;            /* NULL: no HTTP server */
    int          epoll, feeding; /* feeding: a timer of the watchdog; -1: none */
};

static bool watch_descriptor(const struct serve_eyes *e, int descriptor)
{
    struct epoll_event event = { .events = EPOLLIN };
    return epoll_ctl(e->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/* Twice in the time that systemd allows. */
static bool start_feeding(serve *s, struct serve_eyes *e)
{
    sb_time           half = e->notify.watchdog_us / 2;
    struct timespec   every = { (time_t)(half / SB_SECOND), (long)(half % SB_SECOND) * 1000 };
    struct itimerspec times = { .it_interval = every, .it_value = every };
    if (half == 0) return true;
    e->watchdog = sb_watchdog_create(s->loops, s->loop_count);
    e->feeding = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return e->watchdog && e->feeding >= 0 && timerfd_settime(e->feeding, 0, &times, NULL) == 0 &&
           watch_descriptor(e, e->feeding);
}

bool serve_open_eyes(serve *s)
{
    struct serve_eyes *e = s->eyes = calloc(1, sizeof *e);
    if (!e) return false;
    e->feeding = -1;
    sb_notify_open(&e->notify);
    e->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (e->epoll < 0 || !start_feeding(s, e)) return false;
    if (!s->first->http[0]) return true;
    e->web = serve_open_web(s);
    return e->web && watch_descriptor(e, serve_web_wake(e->web)) &&
           watch_descriptor(e, serve_web_timer(e->web));
}

void serve_close_eyes(serve *s)
{
    struct serve_eyes *e = s->eyes;
    if (!e) return;
    serve_close_web(e->web);
    sb_watchdog_destroy(e->watchdog);
    sb_notify_close(&e->notify);
    if (e->feeding >= 0) (void)close(e->feeding);
    if (e->epoll >= 0) (void)close(e->epoll);
    free(e);
}

/* A line of the log's JSON if the log is JSON, as the lines of rooms that are ready. */
void serve_print_eyes(serve *s)
{
    char        address[SB_ENDPOINT_TEXT], out[SB_LOG_BYTES_MAX];
    sb_log_line line;
    if (!s->eyes->web) return;
    sb_endpoint local = serve_web_local(s->eyes->web);
    sb_endpoint_text(local, address);
    if (!s->first->log_json) {
        printf("ready: http on %s\n", address);
        return;
    }
    sb_log_start_answer(&line, &s->log, "http", SB_LOG_NO_ROOM);
    sb_log_text(&line, "metrics and status are on http://%s", address);
    sb_log_value_word(&line, "event", "http");
    sb_log_value_word(&line, "address", address);
    sb_log_value_number(&line, "port", local.port);
    fwrite(out, 1, sb_log_format(&line, out), stdout);
}

/* ---- systemd ---- */

static void feed(struct serve_eyes *e)
{
    uint64_t ticks;
    if (e->feeding < 0 || read(e->feeding, &ticks, sizeof ticks) != (ssize_t)sizeof ticks) return;
    if (sb_watchdog_check(e->watchdog)) sb_notify_alive(&e->notify);
}

void serve_eyes_reloaded(serve *s)
{
    char status[96];
    snprintf(status, sizeof status, "%zu room%s ready", s->room_count,
             s->room_count == 1 ? " is" : "s are");
    sb_notify_ready(&s->eyes->notify, status);
}

void serve_eyes_ready(serve *s)
{
    serve_eyes_reloaded(s);
}

void serve_eyes_reloading(serve *s)
{
    sb_notify_reloading(&s->eyes->notify);
}

void serve_eyes_stopping(serve *s)
{
    sb_notify_stopping(&s->eyes->notify);
}

/* ---- polling ---- */

int serve_eyes_descriptor(const serve *s)
{
    return s->eyes->epoll;
}

void serve_run_eyes(serve *s)
{
    feed(s->eyes);
    if (s->eyes->web) serve_run_web(s->eyes->web);
}
