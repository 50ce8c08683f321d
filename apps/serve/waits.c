/* apps/serve/waits.c -- what the main thread waits for: descriptors and deadlines.
 *
 * For:      every part of the server that lives on the main thread: signals, notices of rooms,
 *           console, control socket, and what else has a descriptor or something to do later.
 * Never:    allocates; a full table refuses the entry.
 * Tests:    tests/apps/serve_test.py, tests/apps/ctl_test.py
 */
#include "serve/serve.h"

#include "base/assert.h"
#include "platform/clock.h"

#include <poll.h>

static serve_watch_entry *find_watch(serve *s, int descriptor)
{
    for (size_t i = 0; i < SERVE_WATCHES_MAX; i++)
        if (s->watches[i].ready && s->watches[i].descriptor == descriptor) return &s->watches[i];
    return NULL;
}

bool serve_watch(serve *s, int descriptor, short events, serve_ready_fn ready, void *context)
{
    SB_ASSERT(descriptor >= 0 && ready && !find_watch(s, descriptor));
    for (size_t i = 0; i < SERVE_WATCHES_MAX; i++) {
        serve_watch_entry *w = &s->watches[i];
        if (w->ready) continue;
        *w = (serve_watch_entry){ descriptor, events, w->uses + 1, ready, context };
        return true;
    }
    return false;
}

void serve_watch_events(serve *s, int descriptor, short events)
{
    serve_watch_entry *w = find_watch(s, descriptor);
    if (w) w->events = events;
}

void serve_unwatch(serve *s, int descriptor)
{
    serve_watch_entry *w = find_watch(s, descriptor);
    if (w) w->ready = NULL;
}

/* ---- deadlines ---- */

void serve_call_at(serve *s, sb_time at, serve_due_fn due, void *context)
{
    serve_deadline *free_entry = NULL;
    for (size_t i = 0; i < SERVE_DEADLINES_MAX; i++) {
        serve_deadline *d = &s->deadlines[i];
        if (d->due == due && d->context == context) {
            *d = (serve_deadline){ at, at == SB_TIME_NEVER ? NULL : due, context };
            return;
        }
        if (!d->due && !free_entry) free_entry = d;
    }
    if (at == SB_TIME_NEVER) return;
    SB_ASSERT(free_entry); /* each kind of deadline has at most one entry */
    *free_entry = (serve_deadline){ at, due, context };
}

static void run_due(serve *s, sb_time now)
{
    for (size_t i = 0; i < SERVE_DEADLINES_MAX; i++) {
        serve_deadline d = s->deadlines[i];
        if (!d.due || d.at > now) continue;
        s->deadlines[i].due = NULL;
        d.due(s, d.context);
    }
}

/* Milliseconds until the next deadline, at most max_ms; -1: no limit. */
static int timeout_ms(const serve *s, int max_ms)
{
    sb_time now = sb_clock_now(), left_ms = max_ms;
    for (size_t i = 0; i < SERVE_DEADLINES_MAX; i++) {
        const serve_deadline *d = &s->deadlines[i];
        if (!d->due) continue;
        sb_time ms = d->at > now ? (d->at - now + 999) / 1000 : 0;
        if (left_ms < 0 || ms < left_ms) left_ms = ms;
    }
    return left_ms > 3600000 ? 3600000 : (int)left_ms;
}

/* ---- waiting ---- */

void serve_wait(serve *s, int max_ms)
{
    struct pollfd ready[SERVE_WATCHES_MAX];
    unsigned      uses[SERVE_WATCHES_MAX];
    for (size_t i = 0; i < SERVE_WATCHES_MAX; i++) {
        const serve_watch_entry *w = &s->watches[i];
        bool                     waits = w->ready && w->events;
        ready[i] = (struct pollfd){ .fd = waits ? w->descriptor : -1, .events = w->events };
        uses[i] = w->uses;
    }
    int count = poll(ready, SERVE_WATCHES_MAX, timeout_ms(s, max_ms));
    for (size_t i = 0; count > 0 && i < SERVE_WATCHES_MAX && !s->stop; i++) {
        serve_watch_entry *w = &s->watches[i];
        /* An earlier function may have ended this watch, or put another one in its place. */
        if (ready[i].fd < 0 || !ready[i].revents || !w->ready || w->uses != uses[i]) continue;
        w->ready(s, w->context, ready[i].revents);
    }
    if (!s->stop) run_due(s, sb_clock_now());
}
