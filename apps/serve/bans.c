/* apps/serve/bans.c -- bans and kicks that hold: what rooms search, the list, the store.
 *
 * For:      rules.c and ban_commands.c. In this order: what rooms ask, publishing, the store, adding
 *           and removing.
 * Never:    lets the thread of a room wait: it searches an immutable map whose address is atomic.
 * Tests:    tests/apps/rules_test.py; the list and the map: tests/admin
 */
#include "serve/rules.h"

#include "admin/ban_text.h"
#include "platform/clock.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

enum { IMPORT_STEP = 500 };

int64_t serve_wall_ms(void)
{
    return sb_clock_wall_us() / 1000;
}

/* ---- what rooms ask: the threads of loops ---- */

static const sb_ban_map *map_of(const serve_room *r)
{
    const sb_ban_map *map =
        r->bans ? atomic_load_explicit(&r->bans->published, memory_order_acquire) : NULL;
    return map && !sb_ban_map_is_empty(map) ? map : NULL;
}

bool serve_bans_admit(const serve_room *r, sb_endpoint from, uint8_t *boot_reason)
{
    const sb_ban_map *map = map_of(r);
    sb_ban_hit        hit;
    if (atomic_load_explicit(&r->is_closed, memory_order_relaxed)) {
        *boot_reason = SB_BOOT_FULL;
        return false;
    }
    if (!map || sb_endpoint_is_house(from)) return true;
    if (!sb_ban_map_refuses_address(map, from.address, serve_wall_ms(), &hit)) return true;
    *boot_reason = SB_BOOT_BANNED;
    return false;
}

bool serve_bans_refuse_name(void *context, sb_endpoint address, const char *name, char *reason)
{
    const sb_ban_map *map = map_of(context);
    sb_ban_hit        hit;
    if (!map || sb_endpoint_is_house(address)) return false;
    if (!sb_ban_map_refuses_name(map, address.address, name, serve_wall_ms(), &hit)) return false;
    snprintf(reason, SB_NAME_REASON_MAX, "Your name is banned here%s%.100s",
             hit.reason[0] ? ": " : ".", hit.reason);
    return true;
}

/* ---- publishing: the main thread ---- */

static void free_retired(serve_retired_map *r)
{
    sb_ban_map_destroy(r->map);
    free(r->passed);
    *r = (serve_retired_map){ NULL, NULL };
}

static bool have_all_passed(const serve *s, const serve_retired_map *r)
{
    for (size_t i = 0; i < s->loop_count; i++)
        if (!atomic_load_explicit(&r->passed[i], memory_order_acquire)) return false;
    return true;
}

static serve_retired_map *find_place(serve *s)
{
    serve_bans        *b = &s->rules->bans;
    serve_retired_map *place = NULL;
    for (size_t i = 0; i < SERVE_MAPS_RETIRED_MAX; i++) {
        if (b->retired[i].map && have_all_passed(s, &b->retired[i])) free_retired(&b->retired[i]);
        if (!b->retired[i].map) place = &b->retired[i];
    }
    return place;
}

/* Asks each loop to say when it has left its present turn; later turns use the new map. */
static bool ask_loops(serve *s, serve_retired_map *r)
{
    r->passed = calloc(s->loop_count, sizeof *r->passed);
    if (!r->passed) return false;
    for (size_t i = 0; i < s->loop_count; i++) {
        sb_room_command c = { .type = SB_ROOM_PASS, .room = 0, .done = &r->passed[i] };
        serve_post(s, i, &c);
    }
    return true;
}

/* Without memory to say when, the old map is kept for ever. A full table waits for a loop. */
static void retire(serve *s, sb_ban_map *map)
{
    serve_retired_map *place;
    if (!map) return;
    while (!(place = find_place(s))) serve_wait_done(&s->rules->bans.retired[0].passed[0]);
    if (ask_loops(s, place)) place->map = map;
}

static void schedule_expiry(serve_bans *b, int64_t now_ms)
{
    int64_t next = sb_bans_next_expiry(b->list);
    sb_time left = next > now_ms ? (next - now_ms) * 1000 : 0;
    b->expires_at = next == 0 ? SB_TIME_NEVER : sb_clock_now() + left + SB_SECOND / 100;
}

bool serve_bans_publish(serve *s)
{
    serve_bans *b = &s->rules->bans;
    int64_t     now_ms = serve_wall_ms();
    sb_ban_map *map = NULL;
    if (sb_bans_count(b->list) > 0 && !(map = sb_ban_map_create(b->list, now_ms))) {
        sb_log_message(&s->log, SB_LOG_ERROR, "bans", SB_LOG_NO_ROOM,
                       "out of memory: the last change of the bans has no effect yet");
        return false;
    }
    schedule_expiry(b, now_ms);
    serve_rules_wake(s, b->expires_at);
    retire(s, atomic_exchange_explicit(&b->published, map, memory_order_acq_rel));
    return true;
}

void serve_bans_advance(serve *s, sb_time now)
{
    serve_bans *b = &s->rules->bans;
    if (now < b->expires_at) return;
    size_t expired = sb_bans_expire(b->list, serve_wall_ms());
    (void)serve_bans_publish(s);
    if (expired > 0)
        sb_log_message(&s->log, SB_LOG_INFO, "bans", SB_LOG_NO_ROOM, "%zu expired, %zu left",
                       expired, sb_bans_count(b->list));
}

/* ---- the store ---- */

static void fill_stored(const sb_ban *ban, sb_store_ban *out)
{
    sb_ban range = *ban;
    char   text[SB_BAN_TARGET_TEXT];
    range.name = "";
    sb_ban_target_text(&range, text);
    *out = (sb_store_ban){ .created_ms = ban->created_ms, .expires_ms = ban->expires_ms };
    out->exception = ban->kind == SB_BAN_EXCEPTION;
    out->kind = ban->kind == SB_BAN_KICK ? 'k' : 'b';
    snprintf(out->range, sizeof out->range, "%.31s", text);
    snprintf(out->name, sizeof out->name, "%s", ban->name);
    snprintf(out->reason, sizeof out->reason, "%s", ban->reason);
    snprintf(out->by, sizeof out->by, "%s", ban->by);
}

static sb_result store_ban(serve *s, const sb_ban *ban, int64_t *id)
{
    sb_store_ban stored;
    fill_stored(ban, &stored);
    return sb_store_ban_add(serve_store(s), &stored, id);
}

sb_result serve_bans_unstore(serve *s, int64_t id)
{
    return sb_store_ban_remove(serve_store(s), id);
}

/* Of a stored list: its context. */
typedef struct loading {
    serve *s;
    size_t refused;
} loading;

static void load_ban(void *context, const sb_store_ban *stored)
{
    loading *l = context;
    sb_ban   ban = { .id = stored->id, .created_ms = stored->created_ms };
    ban.expires_ms = stored->expires_ms;
    ban.kind = stored->exception     ? SB_BAN_EXCEPTION
               : stored->kind == 'k' ? SB_BAN_KICK
                                     : SB_BAN_BAN;
    ban.has_range = stored->range[0] != '\0';
    ban.name = stored->name;
    ban.reason = stored->reason;
    ban.by = stored->by;
    bool fine = !ban.has_range || sb_ban_parse_range(stored->range, &ban.range);
    if (!fine || sb_bans_add(l->s->rules->bans.list, &ban, NULL) != SB_OK) l->refused++;
}

static void load_bans(serve *s)
{
    loading l = { s, 0 };
    if (!serve_store(s)) return;
    if (!sb_store_bans_load(serve_store(s), load_ban, &l))
        sb_log_message(&s->log, SB_LOG_ERROR, "bans", SB_LOG_NO_ROOM,
                       "the stored bans cannot be read: nobody is kept out by them; see the lines "
                       "about the store, then restart");
    if (l.refused > 0)
        sb_log_message(&s->log, SB_LOG_WARNING, "bans", SB_LOG_NO_ROOM,
                       "%zu stored bans are not understood or too many, and have no effect",
                       l.refused);
    if (sb_bans_count(s->rules->bans.list) > 0)
        sb_log_message(&s->log, SB_LOG_INFO, "bans", SB_LOG_NO_ROOM, "%zu bans are in force",
                       sb_bans_count(s->rules->bans.list));
}

const char *serve_bans_lasting(const serve *s, sb_result stored)
{
    sb_store_status status;
    if (stored == SB_OK) return "";
    sb_store_get_status(serve_store(s), &status);
    if (stored == SB_FULL && status.state == SB_STORE_FAILED)
        return "; the store cannot be written (see `status`), and this is lost if the server stops "
               "before it can";
    if (stored == SB_FULL) return "; the store is busy and keeps it as soon as it can";
    if (stored == SB_OS_ERROR)
        return "; the store cannot take it now: this lasts until the server stops";
    return "; without a store, this lasts until the server stops";
}

bool serve_bans_open(serve *s)
{
    serve_bans *b = &s->rules->bans;
    b->list = sb_bans_create();
    b->expires_at = SB_TIME_NEVER;
    if (!b->list) return false;
    load_bans(s);
    return serve_bans_publish(s);
}

void serve_bans_close(serve *s)
{
    serve_bans *b = &s->rules->bans;
    sb_ban_map_destroy(atomic_load(&b->published));
    for (size_t i = 0; i < SERVE_MAPS_RETIRED_MAX; i++) free_retired(&b->retired[i]);
    sb_bans_destroy(b->list);
}

/* ---- adding and removing ---- */

bool serve_bans_add(serve *s, sb_reply *reply, sb_ban *ban, sb_result *stored)
{
    const char *fault = sb_ban_fault(ban);
    if (fault) {
        sb_reply_usage(reply, SB_LOG_NO_ROOM, "%s", fault);
        return false;
    }
    int64_t id = 0;
    *stored = store_ban(s, ban, &id);
    ban->id = id;
    if (sb_bans_add(s->rules->bans.list, ban, &ban->id) == SB_OK) return true;
    if (id) (void)!serve_bans_unstore(s, id);
    sb_reply_refuse(reply, SB_LOG_NO_ROOM,
                    "the list is full: it holds %d bans, %d of them with a `*` in the name; end "
                    "some with `unban`",
                    SB_BANS_MAX, SB_BAN_PATTERNS_MAX);
    return false;
}

sb_time serve_keep_out(void *context, const sb_call *call, const sb_player_view *player,
                       sb_time duration, const char *reason)
{
    serve    *s = context;
    int64_t   now_ms = serve_wall_ms();
    sb_time   span = duration != 0 ? duration : s->rooms[call->first_room].config->kick_us;
    sb_ban    ban = { .created_ms = now_ms, .kind = SB_BAN_KICK, .has_range = true, .name = "" };
    sb_result stored;
    if (span <= 0 || !serve_is_person(player)) return 0;
    char text[SB_BAN_REASON_MAX + 1];
    snprintf(text, sizeof text, "%.150s", reason);
    if (span != SB_TIME_NEVER) ban.expires_ms = now_ms + span / 1000;
    ban.range = (sb_ban_range){ player->address.address, 32 };
    ban.reason = text;
    ban.by = call->actor->name;
    if (!serve_bans_add(s, call->reply, &ban, &stored)) return 0;
    (void)serve_bans_publish(s);
    return span;
}

static bool has_store_failed(const serve *s)
{
    sb_store_status status;
    sb_store_get_status(serve_store(s), &status);
    return status.state == SB_STORE_FAILED;
}

/* Waits for every IMPORT_STEP-th ban, so that a long list does not overflow the store's queue. A
 * store that cannot be written ends that: each wait lasts two seconds then, and the queue is for
 * results of matches. */
bool serve_bans_store_imported(void *context, sb_ban *ban)
{
    serve_ban_import *t = context;
    sb_store         *store = serve_store(t->s);
    sb_store_ban      row;
    if (t->failed) return false;
    fill_stored(ban, &row);
    bool      waits = sb_bans_count(t->s->rules->bans.list) % IMPORT_STEP == 0;
    sb_result stored = (waits ? sb_store_ban_add : sb_store_ban_queue)(store, &row, &ban->id);
    t->failed = stored == SB_OS_ERROR || (waits && has_store_failed(t->s));
    return stored != SB_OS_ERROR;
}
