/* apps/serve/eyes.c -- what others see of the server: systemd its state, HTTP clients its figures.
 *
 * For:      serve.c. The watchdog of systemd is fed by a deadline of the main thread.
 * Tests:    tests/apps/notify_test.py, tests/apps/http_test.py
 */
#include "serve/serve.h"

#include "platform/clock.h"
#include "platform/notify.h"
#include "run/watchdog.h"

#include <stdlib.h>

struct serve_eyes {
    sb_notify    notify;
    sb_watchdog *watchdog; /* NULL: systemd has no watchdog for this process */
    serve_web   *web;      /* NULL: no HTTP server */
};

bool serve_open_eyes(serve *s)
{
    struct serve_eyes *e = s->eyes = calloc(1, sizeof *e);
    if (!e) return false;
    sb_notify_open(&e->notify);
    if (e->notify.watchdog_us > 0) {
        e->watchdog = sb_watchdog_create(s->loops, s->loop_count);
        if (!e->watchdog) return false;
    }
    if (!s->first->http[0]) return true;
    e->web = serve_open_web(s);
    return e->web != NULL;
}

void serve_close_eyes(serve *s)
{
    struct serve_eyes *e = s->eyes;
    if (!e) return;
    serve_close_web(e->web);
    sb_watchdog_destroy(e->watchdog);
    sb_notify_close(&e->notify);
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
    size_t size = sb_log_format(&line, out);
    fwrite(out, 1, size, stdout);
}

/* ---- systemd ---- */

/* Twice in the time that systemd allows. */
static void feed(serve *s, void *context)
{
    struct serve_eyes *e = context;
    if (sb_watchdog_check(e->watchdog)) sb_notify_alive(&e->notify);
    serve_call_at(s, sb_clock_now() + e->notify.watchdog_us / 2, feed, e);
}

/* `systemctl reload` cannot know that a configuration was refused; `systemctl status` shows it. */
void serve_eyes_reloaded(serve *s, bool accepted)
{
    char status[160];
    snprintf(status, sizeof status, "%zu room%s ready%s", s->room_count,
             s->room_count == 1 ? " is" : "s are",
             accepted ? "" : "; the new configuration is refused, the log says why");
    sb_notify_ready(&s->eyes->notify, status);
}

void serve_eyes_ready(serve *s)
{
    serve_eyes_reloaded(s, true);
    if (s->eyes->watchdog) feed(s, s->eyes);
}

void serve_eyes_reloading(serve *s)
{
    sb_notify_reloading(&s->eyes->notify);
}

void serve_eyes_stopping(serve *s)
{
    sb_notify_stopping(&s->eyes->notify);
}
