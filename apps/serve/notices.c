/* apps/serve/notices.c -- what happened in rooms, for the main thread.
 *
 * For:      everything beside the rooms that acts on events: the rooms' threads only copy them into
 *           a ring (run/notices.h), which drops when it is full.
 * Tests:    tests/run/notices_test.c, tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "base/assert.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static size_t rooms_of(const serve *s, size_t loop)
{
    size_t count = 0;
    for (size_t i = 0; i < s->room_count; i++) count += s->rooms[i].loop == loop;
    return count;
}

bool serve_open_notices(serve *s)
{
    s->notice_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->notices = calloc(s->loop_count, sizeof(sb_notices *));
    if (s->notice_wake < 0 || !s->notices) return false;
    for (size_t i = 0; i < s->loop_count; i++)
        if (!(s->notices[i] = sb_notices_create(s->notice_wake, rooms_of(s, i)))) return false;
    for (size_t i = 0; i < s->room_count; i++) s->rooms[i].notices = s->notices[s->rooms[i].loop];
    return true;
}

void serve_close_notices(serve *s)
{
    for (size_t i = 0; s->notices && i < s->loop_count; i++) sb_notices_destroy(s->notices[i]);
    free(s->notices);
    if (s->notice_wake >= 0) (void)close(s->notice_wake);
}

/* ---- the writers: threads of loops ---- */

static const uint8_t types[SB_SERVER_EVENT_TYPES] = {
    [SB_SERVER_CONNECTED] = 1 + SB_NOTICE_CONNECTED,
    [SB_SERVER_NAMED] = 1 + SB_NOTICE_NAMED,
    [SB_SERVER_JOINED] = 1 + SB_NOTICE_JOINED,
    [SB_SERVER_LEFT] = 1 + SB_NOTICE_LEFT,
    [SB_SERVER_CHAT] = 1 + SB_NOTICE_CHAT,
    [SB_SERVER_COMMAND] = 1 + SB_NOTICE_COMMAND,
    [SB_SERVER_TEAM] = 1 + SB_NOTICE_TEAM,
    [SB_SERVER_SPAWNED] = 1 + SB_NOTICE_SPAWNED,
    [SB_SERVER_KILLED] = 1 + SB_NOTICE_KILLED,
    [SB_SERVER_SCORE] = 1 + SB_NOTICE_SCORE,
    [SB_SERVER_MATCH_STARTED] = 1 + SB_NOTICE_MATCH_STARTED,
    [SB_SERVER_MATCH_OVER] = 1 + SB_NOTICE_MATCH_OVER,
};

static void copy_text(char *out, size_t capacity, sb_span text)
{
    size_t size = text.size < capacity ? text.size : capacity - 1;
    if (size > 0) memcpy(out, text.data, size);
    out[size] = '\0';
}

static sb_notice *begin(serve_room *r, const sb_server_event *e, sb_notice_type type)
{
    sb_notice *n = sb_notices_begin(r->notices, type);
    if (!n) return NULL;
    n->room = r->number;
    n->now = e->now;
    return n;
}

/* The rows of a match that has ended, the best first. */
static void notify_standings(serve_room *r, const sb_server_event *e)
{
    const sb_match_row *rows[SB_MATCH_PLAYERS];
    size_t              count = sb_match_standings(e->match, rows);
    for (size_t i = 0; i < count; i++) {
        const sb_match_row *row = rows[i];
        sb_notice          *n = begin(r, e, SB_NOTICE_STANDING);
        if (!n) continue;
        n->peer_id = row->peer_id;
        n->other = row->present;
        n->value = (int64_t)i + 1;
        n->team = row->team;
        n->kills = row->kills;
        n->deaths = row->deaths;
        n->score = row->score;
        n->house = sb_endpoint_is_house((sb_endpoint){ row->address, 0 });
        sb_utf8_from_utf16((sb_span){ row->name, row->name_size }, n->name, sizeof n->name);
        sb_notices_publish(r->notices);
    }
}

/* Mission and system of the room: a rotation changes them, while the configuration stays. */
static void add_game(const serve_room *r, sb_notice *n)
{
    bool             wanted = n->type == SB_NOTICE_JOINED || n->type == SB_NOTICE_MATCH_STARTED;
    sb_server_status status;
    if (!wanted || !r->room.server) return;
    sb_server_status_of(r->room.server, &status);
    copy_text(n->text, sizeof n->text, status.system);
    n->mission = sb_server_match(r->room.server)->config.mode->key;
}

void serve_notify(serve_room *r, const sb_server_event *e)
{
    if (types[e->type] == 0 || !r->notices) return;
    if (e->type == SB_SERVER_MATCH_OVER) notify_standings(r, e);
    sb_notice *n = begin(r, e, (sb_notice_type)(types[e->type] - 1));
    if (!n) return;
    n->peer_id = e->peer_id;
    n->other = e->other;
    n->cause = e->cause;
    n->address = e->address;
    n->value = e->value;
    n->kills = e->kills;
    n->deaths = e->deaths;
    n->house = e->house;
    n->other_house = e->other_house;
    if (e->type == SB_SERVER_SCORE) n->score = (int32_t)e->value;
    if (e->peer_id < SERVE_PEERS)
        copy_text(n->name, sizeof n->name, sb_text_span(r->names[e->peer_id]));
    copy_text(n->text, sizeof n->text, e->text);
    add_game(r, n);
    sb_notices_publish(r->notices);
}

/* ---- the reader: the main thread ---- */

static void handle(serve *s, const sb_notice *notice)
{
    for (size_t i = 0; i < SERVE_NOTICE_FNS_MAX && s->notice_fns[i]; i++)
        s->notice_fns[i](s, notice);
}

void serve_on_notice(serve *s, serve_notice_fn fn)
{
    size_t count = 0;
    while (s->notice_fns[count]) count++;
    SB_ASSERT(count + 1 < SERVE_NOTICE_FNS_MAX);
    s->notice_fns[count] = fn;
}

void serve_read_notices(serve *s)
{
    uint64_t ignored;
    (void)!read(s->notice_wake, &ignored, sizeof ignored);
    for (size_t i = 0; i < s->loop_count; i++)
        for (const sb_notice *notice; (notice = sb_notices_next(s->notices[i]));) {
            handle(s, notice);
            sb_notices_release(s->notices[i]);
        }
}
