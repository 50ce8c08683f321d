/* apps/serve/admit.c -- who may take a seat: kept seats, and no newcomers while the server drains.
 *
 * For:      the rooms' threads, which ask for each Connect; the main thread changes the values.
 * Never:    waits or locks: all shared values are atomic.
 * Tests:    tests/apps/ctl_test.py
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "platform/clock.h"

#include <string.h>

/* ---- on the thread of the room's loop ---- */

static bool may_take_kept_seat(const serve_access *access, uint32_t address)
{
    for (size_t i = 0; i < SERVE_KNOWN_MAX; i++) {
        uint32_t known = atomic_load_explicit(&access->known[i], memory_order_relaxed);
        if (known == address) return true;
    }
    return false;
}

bool serve_admit(void *context, sb_endpoint from, const sb_connect_request *request,
                 uint8_t *boot_reason)
{
    serve_room         *r = context;
    const serve_access *access = r->access;
    (void)request;
    if (!serve_bans_admit(r, from, boot_reason)) return false;
    if (sb_endpoint_is_house(from)) return true;
    *boot_reason = SB_BOOT_FULL;
    if (atomic_load_explicit(&access->draining, memory_order_relaxed)) return false;
    unsigned slots = atomic_load_explicit(&r->slots, memory_order_relaxed);
    if (slots == 0) return true;
    unsigned seated = atomic_load_explicit(&r->seated, memory_order_relaxed);
    unsigned limit = atomic_load_explicit(&r->limit, memory_order_relaxed);
    return seated + slots < limit || may_take_kept_seat(access, from.address);
}

/* ---- on the main thread ---- */

static size_t add_known(serve_access *access, size_t count, uint32_t address)
{
    if (count < SERVE_KNOWN_MAX) atomic_store(&access->known[count++], address);
    return count;
}

void serve_update_access(serve *s)
{
    size_t      count = 0;
    sb_endpoint address;
    char        word[24];
    for (const char *at = s->current->slots_for; *at;) {
        at += strspn(at, ", ");
        size_t size = strcspn(at, ", ");
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        if (sb_parse_endpoint(word, 0, &address))
            count = add_known(&s->access, count, address.address);
        at += size;
    }
    const sb_roles *roles = &s->admin->roles;
    for (size_t i = 0; i < roles->known_count && i < SB_ROLE_KNOWN_MAX; i++)
        count = add_known(&s->access, count, roles->known[i]);
    while (count < SERVE_KNOWN_MAX) atomic_store(&s->access.known[count++], 0);
}

/* ---- drain ---- */

static bool check_done(serve *s, serve_room *r)
{
    if (atomic_load(&r->seated) == 0 || r->match_over) return true;
    serve_snapshot_room(s, r->number - 1);
    return s->snapshot->player_count == 0 || s->snapshot->over;
}

static void check_drained(serve *s, void *context)
{
    (void)context;
    bool done = true;
    for (size_t i = 0; done && i < s->room_count; i++) done = check_done(s, &s->rooms[i]);
    if (!done) {
        serve_call_at(s, sb_clock_now() + SB_SECOND, check_drained, NULL);
        return;
    }
    sb_log_message(&s->log, SB_LOG_INFO, "server", SB_LOG_NO_ROOM,
                   "drained: every match is over or has no players left");
    s->stop = true;
}

void serve_drain(serve *s, bool on)
{
    atomic_store(&s->access.draining, on);
    for (size_t i = 0; i < s->room_count; i++) s->rooms[i].match_over = false;
    serve_call_at(s, on ? sb_clock_now() + SB_SECOND : SB_TIME_NEVER, check_drained, NULL);
}

void serve_note_match(serve *s, const sb_notice *notice)
{
    if (notice->type == SB_NOTICE_MATCH_OVER && atomic_load(&s->access.draining))
        s->rooms[notice->room - 1].match_over = true;
}
