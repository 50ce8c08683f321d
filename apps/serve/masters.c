/* apps/serve/masters.c -- resolves the names of master servers on a thread and gives the addresses
 * to the rooms; logs the state of each master.
 *
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "platform/resolver.h"

#include <string.h>

static void set_master(serve *s, const char *name, sb_endpoint address)
{
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_texts *masters = &s->current->rooms[i].masters;
        for (unsigned k = 0; k < masters->count; k++) {
            sb_room_command c = { .type = SB_ROOM_MASTER, .room = (int)s->rooms[i].index };
            c.master = address;
            c.index = k;
            if (strcmp(masters->items[k], name) == 0) serve_post(s, s->rooms[i].loop, &c);
        }
    }
}

/* Lists the masters of all rooms, each name once. */
static size_t collect_names(const serve *s, const char *names[SB_RESOLVER_NAMES])
{
    size_t count = 0;
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_texts *masters = &s->current->rooms[i].masters;
        for (size_t k = 0; k < masters->count; k++) {
            bool skip = count == SB_RESOLVER_NAMES; /* the resolver accepts no more */
            for (size_t m = 0; m < count; m++)
                skip = skip || strcmp(names[m], masters->items[k]) == 0;
            if (!skip) names[count++] = masters->items[k];
        }
    }
    return count;
}

static void on_resolved(void *context, size_t index, sb_endpoint address, const char *error)
{
    serve      *s = context;
    const char *names[SB_RESOLVER_NAMES];
    char        text[SB_ENDPOINT_TEXT];
    if (index >= collect_names(s, names)) return;
    if (error) {
        sb_log_message(&s->log, SB_LOG_WARNING, "master", SB_LOG_NO_ROOM, "%s; will retry", error);
        return;
    }
    sb_endpoint_text(address, text);
    if (strcmp(names[index], text) != 0)
        sb_log_message(&s->log, SB_LOG_INFO, "master", SB_LOG_NO_ROOM, "%s is %s", names[index],
                       text);
    set_master(s, names[index], address);
}

void serve_start_resolving(serve *s)
{
    const char *names[SB_RESOLVER_NAMES];
    size_t      count = collect_names(s, names);
    if (count == 0) return;
    s->resolver = sb_resolver_start(names, count, SB_MASTER_PORT, on_resolved, s);
    if (!s->resolver)
        sb_log_message(&s->log, SB_LOG_ERROR, "master", SB_LOG_NO_ROOM,
                       "cannot start a thread to resolve the names of masters");
}

void serve_stop_resolving(serve *s)
{
    if (s->resolver) sb_resolver_stop(s->resolver);
    s->resolver = NULL;
}

void serve_clear_masters(serve *s)
{
    for (size_t i = 0; i < s->room_count; i++)
        for (unsigned k = 0; k < s->current->rooms[i].masters.count; k++) {
            sb_room_command c = { .type = SB_ROOM_MASTER, .room = (int)s->rooms[i].index };
            c.index = k;
            serve_post(s, s->rooms[i].loop, &c);
        }
}

/* ---- status ---- */

static void append_age(sb_log_line *line, const char *what, const char *key, sb_time at,
                       sb_time now)
{
    if (at == SB_TIME_NEVER) {
        sb_log_text(line, "no %s yet", what);
        return;
    }
    long long seconds = (long long)((now - at) / SB_SECOND);
    sb_log_text(line, "last %s %lld s ago", what, seconds);
    sb_log_value_number(line, key, seconds);
}

/* A master may ask from another address than the one that gets heartbeats, so silence proves
 * nothing (spec 05 §5.3). */
static void log_master(serve *s, unsigned room, const char *name, const sb_master_view *m)
{
    sb_log_line line;
    char        address[SB_ENDPOINT_TEXT];
    sb_log_start_answer(&line, s->answers, "status", room);
    sb_log_text(&line, "master %s", name);
    sb_log_value_word(&line, "master", name);
    if (m->address.port == 0) {
        sb_log_text(&line, ": its address is not known yet");
    } else {
        sb_endpoint_text(m->address, address);
        sb_log_text(&line, " (%s): ", address);
        sb_log_value_word(&line, "address", address);
        append_age(&line, "heartbeat", "heartbeat_s", m->sent_at, s->snapshot->now);
        sb_log_text(&line, ", ");
        append_age(&line, "query from it", "query_s", m->heard_at, s->snapshot->now);
    }
    sb_log_end(&line);
}

void serve_log_masters(serve *s, size_t room)
{
    const sb_texts *names = &s->current->rooms[room].masters;
    for (unsigned i = 0; i < names->count && i < SB_MASTERS_MAX; i++)
        log_master(s, s->rooms[room].number, names->items[i], &s->snapshot->masters[i]);
}
