/* apps/serve/web.c -- collects the values that the HTTP server shows, on the main thread.
 *
 * For:      eyes.c. The HTTP server wants values at most once a second, and only when a client asks.
 *           Each loop then measures its rooms in slices (run/room_slice.h), one after another:
 *           thousands of rooms cause no pause.
 * Never:    waits for a loop. A loop that does not answer within a second is reported as late, with
 *           the figures of its rooms as they were.
 * Tests:    tests/apps/http_test.py
 */
#include "serve/serve.h"

#include "platform/clock.h"
#include "platform/process.h"
#include "run/room_slice.h"
#include "store/store.h"
#include "web/http.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* For all loops to answer: a little more than what makes a loop late. */
enum { DEADLINE_US = SB_WEB_LATE_US + 50000 };

/* Sums over the rooms of a loop. */
typedef struct room_sums {
    uint64_t messages[SB_SERVER_COUNTER_COUNT];
    uint64_t datagrams[SB_TRANSPORT_COUNTER_COUNT];
    uint64_t queries[SB_RESPONDER_COUNTER_COUNT];
    uint64_t started, with_players, by_load[SB_WEB_LOADS];
    uint64_t players, bots, connected, places;
    uint64_t implausible[SB_IMPLAUSIBLE_COUNT];
    uint64_t queued, unacknowledged, early, cells, backlog_bytes;
} room_sums;

typedef struct loop_state {
    sb_room_slice *slice;
    bool           is_asked;   /* the slice belongs to the loop */
    bool           is_refused; /* its queue was full */
    bool           is_behind;  /* its rooms are not all measured yet */
    sb_time        asked_at;   /* for the first time without an answer */
    size_t         room_count;
    room_sums      sums, latest; /* of this collection so far; of the last complete one */
} loop_state;

struct serve_web {
    serve            *s;
    sb_http          *http;
    int               wake; /* an eventfd: values are wanted, or a slice is done */
    atomic_bool       is_wanted;
    bool              is_collecting;
    loop_state       *loops;
    sb_web_room      *rooms; /* the rows that are shown */
    sb_histogram_view round_trips;
    sb_web_master     masters[SB_WEB_MASTERS_MAX];
    size_t            master_count;
    int64_t           started_us;
    sb_web_values    *spare;
};

/* ---- masters ---- */

static sb_web_master *find_master(serve_web *w, const char *name)
{
    for (size_t i = 0; i < w->master_count; i++)
        if (strcmp(w->masters[i].name, name) == 0) return &w->masters[i];
    if (w->master_count == SB_WEB_MASTERS_MAX) return NULL;
    sb_web_master *master = &w->masters[w->master_count++];
    *master = (sb_web_master){ .sent_at = SB_TIME_NEVER, .heard_at = SB_TIME_NEVER };
    snprintf(master->name, sizeof master->name, "%s", name);
    return master;
}

static sb_time later_of(sb_time a, sb_time b)
{
    if (a == SB_TIME_NEVER) return b;
    return b != SB_TIME_NEVER && b > a ? b : a;
}

/* Keeps the latest heartbeat and query of all rooms. */
static void add_masters(serve_web *w, size_t room, const sb_room_figures *f)
{
    const sb_texts *names = &w->s->current->rooms[room].masters;
    for (size_t i = 0; i < names->count && i < SB_MASTERS_MAX; i++) {
        sb_web_master *master = find_master(w, names->items[i]);
        if (!master || f->masters[i].address.port == 0) continue;
        master->resolved = true;
        master->sent_at = later_of(master->sent_at, f->masters[i].sent_at);
        master->heard_at = later_of(master->heard_at, f->masters[i].heard_at);
    }
}

/* ---- the figures of a slice ---- */

static void add_counters(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] += from[i];
}

static void add_room(room_sums *sums, const sb_room_figures *f)
{
    sums->started += f->started;
    sums->with_players += f->player_count > 0;
    sums->by_load[f->load] += f->started;
    sums->players += f->in_game;
    sums->bots += f->bots;
    sums->connected += f->player_count;
    sums->places += f->player_limit;
    sums->backlog_bytes += f->backlog_bytes;
    for (uint32_t i = 0; i < f->player_count; i++) {
        sums->queued += f->players[i].queued;
        sums->unacknowledged += f->players[i].unacknowledged;
        sums->early += f->players[i].early;
        sums->cells += f->players[i].cells;
    }
}

static void read_traffic(const sb_room *room, sb_web_traffic *out)
{
    const sb_room_traffic *t = &room->traffic;
    out->datagrams_in = atomic_load_explicit(&t->datagrams_in, memory_order_relaxed);
    out->bytes_in = atomic_load_explicit(&t->bytes_in, memory_order_relaxed);
    out->datagrams_out = atomic_load_explicit(&t->datagrams_out, memory_order_relaxed);
    out->bytes_out = atomic_load_explicit(&t->bytes_out, memory_order_relaxed);
    out->not_sent = atomic_load_explicit(&t->not_sent, memory_order_relaxed);
    out->turns = atomic_load_explicit(&t->steps, memory_order_relaxed);
    out->forged_house = atomic_load_explicit(&t->forged_house, memory_order_relaxed);
}

/* Rooms are dealt to the loops in turn (assign_rooms in serve.c). */
static size_t room_of(const serve_web *w, size_t loop, size_t index)
{
    return loop + index * w->s->loop_count;
}

static void take_slice(serve_web *w, size_t loop)
{
    loop_state          *l = &w->loops[loop];
    const sb_room_slice *slice = l->slice;
    add_counters(l->sums.messages, slice->messages, SB_SERVER_COUNTER_COUNT);
    add_counters(l->sums.datagrams, slice->datagrams, SB_TRANSPORT_COUNTER_COUNT);
    add_counters(l->sums.queries, slice->queries, SB_RESPONDER_COUNTER_COUNT);
    add_counters(l->sums.implausible, slice->implausible, SB_IMPLAUSIBLE_COUNT);
    add_counters(w->round_trips.counts, slice->round_trips.counts, SB_HISTOGRAM_BOUNDS + 1);
    w->round_trips.sum_us += slice->round_trips.sum_us;
    for (size_t i = 0; i < slice->count; i++) {
        size_t room = room_of(w, loop, slice->first + i);
        add_room(&l->sums, &slice->rooms[i]);
        add_masters(w, room, &slice->rooms[i]);
        if (room < sb_web_shown_rooms(w->s->room_count)) w->rooms[room].figures = slice->rooms[i];
    }
    l->is_asked = false;
}

/* ---- asking the loops ---- */

/* A queue that is full is tried again when the next client asks. */
static void ask_loop(serve_web *w, size_t loop, size_t first)
{
    loop_state     *l = &w->loops[loop];
    sb_room_command c = { .type = SB_ROOM_MEASURE, .room = SB_ROOM_NONE, .slice = l->slice };
    size_t          left = l->room_count - first;
    l->slice->first = first;
    l->slice->count = left < SB_ROOM_SLICE_MAX ? left : SB_ROOM_SLICE_MAX;
    l->slice->wake = w->wake;
    atomic_store_explicit(&l->slice->done, false, memory_order_relaxed);
    if (!l->is_refused) l->asked_at = sb_clock_now();
    l->is_asked = sb_room_loop_post(w->s->loops[loop], &c);
    l->is_refused = !l->is_asked;
}

static void publish_late(serve *s, void *context);

static void start_collecting(serve_web *w)
{
    w->is_collecting = true;
    w->master_count = 0;
    serve_call_at(w->s, sb_clock_now() + DEADLINE_US, publish_late, w);
    for (size_t i = 0; i < w->s->loop_count; i++) {
        loop_state *l = &w->loops[i];
        if (l->is_asked) continue; /* it is late */
        l->is_behind = true;
        memset(&l->sums, 0, sizeof l->sums);
        ask_loop(w, i, 0);
    }
}

/* Takes what the loop has measured, and asks for the rest. */
static void advance_loop(serve_web *w, size_t loop)
{
    loop_state *l = &w->loops[loop];
    if (!l->is_asked || !atomic_load_explicit(&l->slice->done, memory_order_acquire)) return;
    take_slice(w, loop);
    size_t next = l->slice->first + l->slice->count;
    if (next < l->room_count) {
        ask_loop(w, loop, next);
        return;
    }
    l->latest = l->sums;
    l->is_behind = false;
}

/* ---- values ---- */

static void add_sums(sb_web_values *v, const room_sums *sums)
{
    add_counters(v->messages, sums->messages, SB_SERVER_COUNTER_COUNT);
    add_counters(v->datagrams, sums->datagrams, SB_TRANSPORT_COUNTER_COUNT);
    add_counters(v->queries, sums->queries, SB_RESPONDER_COUNTER_COUNT);
    add_counters(v->implausible, sums->implausible, SB_IMPLAUSIBLE_COUNT);
    add_counters(v->rooms_by_load, sums->by_load, SB_WEB_LOADS);
    v->rooms_started += sums->started;
    v->rooms_with_players += sums->with_players;
    v->players += sums->players;
    v->bots += sums->bots;
    v->connected += sums->connected;
    v->places += sums->places;
    v->queued += sums->queued;
    v->unacknowledged += sums->unacknowledged;
    v->early += sums->early;
    v->cells += sums->cells;
    v->backlog_bytes += sums->backlog_bytes;
}

static void fill_thread(const serve_web *w, size_t loop, sb_time now, sb_web_thread *out)
{
    const loop_state *l = &w->loops[loop];
    sb_time           waited = now - l->asked_at;
    out->cpu_us = sb_room_loop_cpu_us(w->s->loops[loop]);
    out->late_us = l->is_behind && waited >= SB_WEB_LATE_US ? waited : 0;
    out->wakeups = sb_room_loop_wakeups(w->s->loops[loop]);
    out->notices_waiting = sb_notices_waiting(w->s->notices[loop]);
    out->notices_dropped = sb_notices_dropped(w->s->notices[loop]);
    sb_histogram_read(sb_room_loop_turns(w->s->loops[loop]), &out->turns);
}

static void fill_rooms(const serve_web *w, sb_web_values *v)
{
    for (size_t i = 0; i < w->s->room_count; i++) {
        const serve_room *r = &w->s->rooms[i];
        sb_web_traffic    traffic;
        read_traffic(&r->room, &traffic);
        add_counters(&v->traffic.datagrams_in, &traffic.datagrams_in,
                     sizeof traffic / sizeof(uint64_t));
        if (i >= v->shown_rooms) continue;
        v->rooms[i].number = r->number;
        v->rooms[i].traffic = traffic;
        v->rooms[i].figures = w->rooms[i].figures;
        snprintf(v->rooms[i].name, sizeof v->rooms[i].name, "%s", r->config->shown_name);
    }
}

/* The database of matches and players. */
static void fill_store(const serve_web *w, sb_web_store *out)
{
    sb_store_status status;
    sb_store_get_status(serve_store(w->s), &status);
    out->is_open = status.state != SB_STORE_OFF;
    out->is_up = status.state == SB_STORE_IS_OK || status.state == SB_STORE_BEHIND;
    out->has_failed = status.state == SB_STORE_FAILED;
    out->state = sb_store_state_name(status.state);
    out->queued = status.queued;
    out->spooled = status.spooled;
    out->written = status.written;
    out->dropped = status.dropped;
    out->refused = status.refused;
    snprintf(out->reason, sizeof out->reason, "%.*s", (int)sizeof out->reason - 1,
             status.last_error);
}

static void fill_values(const serve_web *w, sb_web_values *v)
{
    const serve *s = w->s;
    sb_time      now = sb_clock_now();
    memset(v, 0, sizeof *v);
    v->taken_at = now;
    v->started_us = w->started_us;
    v->uptime_us = now - s->started_at;
    v->room_count = s->room_count;
    v->shown_rooms = sb_web_shown_rooms(s->room_count);
    v->round_trips = w->round_trips;
    v->thread_count = s->loop_count < SB_WEB_THREADS_MAX ? s->loop_count : SB_WEB_THREADS_MAX;
    v->master_count = w->master_count;
    memcpy(v->masters, w->masters, sizeof v->masters);
    for (size_t i = 0; i < s->loop_count; i++) add_sums(v, &w->loops[i].latest);
    for (size_t i = 0; i < v->thread_count; i++) fill_thread(w, i, now, &v->threads[i]);
    fill_rooms(w, v);
    fill_store(w, &v->store);
    (void)sb_process_usage_of(getpid(), &v->process);
    v->log_lines_lost = sb_log_lost(&w->s->log);
}

static void publish(serve_web *w)
{
    sb_web_values *v = w->spare ? w->spare : calloc(1, sb_web_values_bytes(w->s->room_count));
    w->spare = NULL;
    w->is_collecting = false;
    serve_call_at(w->s, SB_TIME_NEVER, publish_late, w);
    if (!v) return;
    fill_values(w, v);
    w->spare = sb_http_publish(w->http, v);
}

/* ---- running ---- */

static bool is_complete(const serve_web *w)
{
    for (size_t i = 0; i < w->s->loop_count; i++)
        if (w->loops[i].is_behind) return false;
    return true;
}

static void publish_late(serve *s, void *context)
{
    (void)s;
    publish(context);
}

/* Values are wanted, or a part of them is there. */
static void on_wake(serve *s, void *context, short events)
{
    serve_web *w = context;
    uint64_t   count;
    (void)events;
    (void)!read(w->wake, &count, sizeof count);
    for (size_t i = 0; i < s->loop_count; i++) advance_loop(w, i);
    if (!w->is_collecting && atomic_exchange(&w->is_wanted, false)) start_collecting(w);
    else if (w->is_collecting && is_complete(w)) publish(w);
}

/* On the thread of the HTTP server. */
static void want(void *context)
{
    serve_web     *w = context;
    const uint64_t one = 1;
    atomic_store(&w->is_wanted, true);
    (void)!write(w->wake, &one, sizeof one);
}

/* ---- opening and closing ---- */

static bool create_loop_states(serve_web *w)
{
    const serve *s = w->s;
    w->loops = calloc(s->loop_count, sizeof *w->loops);
    w->rooms = calloc(sb_web_shown_rooms(s->room_count), sizeof *w->rooms);
    if (!w->loops || !w->rooms) return false;
    for (size_t i = 0; i < s->loop_count; i++) {
        w->loops[i].slice = calloc(1, sizeof *w->loops[i].slice);
        if (!w->loops[i].slice) return false;
    }
    for (size_t i = 0; i < s->room_count; i++) w->loops[s->rooms[i].loop].room_count++;
    return true;
}

serve_web *serve_open_web(serve *s)
{
    char       error[SB_HTTP_ERROR_MAX] = "http: out of memory, or no descriptor";
    serve_web *w = calloc(1, sizeof *w);
    if (w) {
        sb_http_options options = { s->first->http_address, s->room_count, want, w };
        w->s = s;
        w->started_us = sb_clock_wall_us();
        w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (w->wake >= 0 && create_loop_states(w) && serve_watch(s, w->wake, POLLIN, on_wake, w))
            w->http = sb_http_open(&options, error);
        if (w->http) return w;
    }
    sb_log_message(&s->log, SB_LOG_ERROR, "http", SB_LOG_NO_ROOM, "%s", error);
    serve_close_web(w);
    return NULL;
}

void serve_close_web(serve_web *w)
{
    if (!w) return;
    sb_http_close(w->http);
    for (size_t i = 0; w->loops && i < w->s->loop_count; i++) free(w->loops[i].slice);
    free(w->loops);
    free(w->rooms);
    free(w->spare);
    serve_unwatch(w->s, w->wake);
    if (w->wake >= 0) (void)close(w->wake);
    free(w);
}

sb_endpoint serve_web_local(const serve_web *w)
{
    return sb_http_local(w->http);
}
