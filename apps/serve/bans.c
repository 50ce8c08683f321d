/* apps/serve/bans.c -- bans and kicks that hold: the list, what rooms search, and the commands.
 *
 * For:      rules.c. In this order: what rooms ask, publishing, the store, adding and removing, the
 *           commands.
 * Never:    lets the thread of a room wait: it searches an immutable map whose address is atomic.
 * Tests:    tests/apps/rules_test.py; the list and the map: tests/admin
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "admin/ban_text.h"
#include "admin/words.h"
#include "base/text.h"
#include "platform/clock.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 20, IMPORT_BYTES_MAX = 32 << 20, IMPORT_STEP = 500 };

static int64_t wall_ms(void)
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
    if (!sb_ban_map_refuses_address(map, from.address, wall_ms(), &hit)) return true;
    *boot_reason = SB_BOOT_BANNED;
    return false;
}

bool serve_bans_refuse_name(void *context, sb_endpoint address, const char *name, char *reason)
{
    const sb_ban_map *map = map_of(context);
    sb_ban_hit        hit;
    if (!map || sb_endpoint_is_house(address)) return false;
    if (!sb_ban_map_refuses_name(map, address.address, name, wall_ms(), &hit)) return false;
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

static bool publish(serve *s)
{
    serve_bans *b = &s->rules->bans;
    int64_t     now_ms = wall_ms();
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
    size_t expired = sb_bans_expire(b->list, wall_ms());
    (void)publish(s);
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

/* SB_OK: on disk; SB_FULL: it will be; SB_NOT_ALLOWED: the store is off. */
static sb_result store_ban(serve *s, const sb_ban *ban, int64_t *id)
{
    sb_store_ban stored;
    fill_stored(ban, &stored);
    return sb_store_ban_add(serve_store(s), &stored, id);
}

static sb_result unstore_ban(serve *s, int64_t id)
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

/* How long the change lasts, for answers. */
static const char *lasting(const serve *s, sb_result stored)
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
    return publish(s);
}

void serve_bans_close(serve *s)
{
    serve_bans *b = &s->rules->bans;
    sb_ban_map_destroy(atomic_load(&b->published));
    for (size_t i = 0; i < SERVE_MAPS_RETIRED_MAX; i++) free_retired(&b->retired[i]);
    sb_bans_destroy(b->list);
}

/* ---- adding and removing ---- */

/* Stores the ban and adds it to the list. The answer says why not. */
static bool add_ban(serve *s, sb_reply *reply, sb_ban *ban, sb_result *stored)
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
    if (id) (void)!unstore_ban(s, id);
    sb_reply_refuse(reply, SB_LOG_NO_ROOM,
                    "the list is full: it holds %d bans, %d of them with a `*` in the name; end "
                    "some with `unban`",
                    SB_BANS_MAX, SB_BAN_PATTERNS_MAX);
    return false;
}

static void print_span(const sb_ban *ban, int64_t now_ms, char *out, size_t capacity)
{
    if (ban->expires_ms == 0) snprintf(out, capacity, "without end");
    else sb_words_print_duration((ban->expires_ms - now_ms) * 1000, out, capacity);
}

static void add_values(sb_log_line *line, const sb_ban *ban)
{
    char   range[SB_BAN_TARGET_TEXT], time[SB_BAN_TIME_TEXT] = "";
    sb_ban only_range = *ban;
    only_range.name = "";
    sb_ban_target_text(&only_range, range);
    if (ban->expires_ms) sb_ban_print_time(ban->expires_ms, time);
    sb_log_value_number(line, "number", ban->id);
    sb_log_value_word(line, "kind", sb_ban_kind_words[ban->kind]);
    sb_log_value_word(line, "range", range);
    sb_log_value_word(line, "name", ban->name);
    sb_log_value_word(line, "expires", time);
    sb_log_value_word(line, "reason", ban->reason);
    sb_log_value_word(line, "by", ban->by);
}

static void end_line(sb_reply *reply, sb_log_line *line)
{
    snprintf(reply->summary, sizeof reply->summary, "%.*s", (int)line->text_size, line->text);
    sb_log_end(line);
}

static void answer_added(const serve *s, sb_call *call, const sb_ban *ban, sb_result stored,
                         const char *player)
{
    char        target[SB_BAN_TARGET_TEXT], span[48];
    sb_log_line line;
    sb_ban_target_text(ban, target);
    print_span(ban, wall_ms(), span, sizeof span);
    sb_reply_start(call->reply, &line, sb_call_room(call));
    if (player) sb_log_text(&line, "%s is removed, and ", player);
    sb_log_text(&line, "%s is %s, %s (number %lld)%s", target,
                ban->kind == SB_BAN_EXCEPTION ? "an exception" : "banned", span, (long long)ban->id,
                lasting(s, stored));
    add_values(&line, ban);
    sb_log_value_number(&line, "stored", stored == SB_OK);
    end_line(call->reply, &line);
}

sb_time serve_keep_out(void *context, const sb_call *call, const sb_player_view *player,
                       sb_time duration, const char *reason)
{
    serve    *s = context;
    int64_t   now_ms = wall_ms();
    sb_time   span = duration > 0 ? duration : s->rooms[call->first_room].config->kick_us;
    sb_ban    ban = { .created_ms = now_ms, .kind = SB_BAN_KICK, .has_range = true, .name = "" };
    sb_result stored;
    if (span <= 0 || !serve_is_person(player)) return 0;
    char text[SB_BAN_REASON_MAX + 1];
    snprintf(text, sizeof text, "%.150s", reason);
    ban.expires_ms = now_ms + span / 1000;
    ban.range = (sb_ban_range){ player->address.address, 32 };
    ban.reason = text;
    ban.by = call->actor->name;
    if (!add_ban(s, call->reply, &ban, &stored)) return 0;
    (void)publish(s);
    return span;
}

/* ---- ban ---- */

/* Fills the target from "ADDRESS", "ADDRESS/BITS" or "name:PATTERN". */
static bool read_target(sb_call *call, const char *text, sb_ban *ban)
{
    if (sb_words_starts_with(text, "name:")) {
        ban->name = text + 5;
        return true;
    }
    ban->has_range = sb_ban_parse_range(text, &ban->range);
    if (!ban->has_range)
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "`%.60s` is no address: write it like 203.0.113.7 or 203.0.113.0/24", text);
    return ban->has_range;
}

static void kick_player(serve *s, size_t room, uint8_t peer_id, const char *reason)
{
    char            text[SB_CHAT_MAX + 1];
    sb_room_command c = { .type = SB_ROOM_KICK, .peer_id = peer_id };
    snprintf(text, sizeof text, "You are banned%s%.180s", reason[0] ? ": " : ".", reason);
    size_t size = sb_windows1252_from_utf8(text, (uint8_t *)c.text, SB_CHAT_MAX);
    c.text[size] = '\0';
    serve_post_to_room(s, room, c);
}

/* The same target again: the new time and reason replace the old ones. */
static void replace_same(serve *s, const sb_ban *ban)
{
    const sb_ban *same = sb_bans_find_same(s->rules->bans.list, ban);
    if (!same) return;
    int64_t id = same->id;
    (void)!unstore_ban(s, id);
    (void)sb_bans_remove(s->rules->bans.list, id);
}

static void add_and_answer(serve *s, sb_call *call, sb_ban *ban, const sb_argument_value *who)
{
    bool      player = who && who->player.peer_id != 0;
    sb_result stored;
    if (sb_ban_fault(ban) == NULL) replace_same(s, ban);
    if (!add_ban(s, call->reply, ban, &stored)) return;
    (void)publish(s);
    if (player) kick_player(s, who->room, who->player.peer_id, ban->reason);
    answer_added(s, call, ban, stored, player ? who->player.name : NULL);
}

void serve_run_ban(void *context, sb_call *call)
{
    const sb_argument_value *who = &call->values[0], *span = &call->values[1];
    int64_t                  now_ms = wall_ms();
    sb_ban ban = { .created_ms = now_ms, .name = "", .reason = call->values[2].text };
    ban.by = call->actor->name;
    if (span->given && span->duration > 0) ban.expires_ms = now_ms + span->duration / 1000;
    if (who->player.peer_id == 0) {
        if (!read_target(call, who->text, &ban)) return;
    } else if (!serve_is_person(&who->player)) {
        sb_reply_refuse(call->reply, sb_call_room(call),
                        "%s is a bot of this server: `bots` says how many there are",
                        who->player.name);
        return;
    } else {
        ban.has_range = true;
        ban.range = (sb_ban_range){ who->player.address.address, 32 };
    }
    add_and_answer(context, call, &ban, who);
}

/* ---- unban ---- */

/* By number, or by the same target as in `ban`. NULL: none. */
static const sb_ban *find_ban(const serve *s, const char *text)
{
    uint32_t     number;
    sb_ban_range range;
    sb_bans     *list = s->rules->bans.list;
    if (text[0] == '#') text++;
    if (sb_words_parse_number(text, 1, UINT32_MAX, &number)) return sb_bans_find(list, number);
    bool        ranged = sb_ban_parse_range(text, &range);
    const char *name = sb_words_starts_with(text, "name:") ? text + 5 : text;
    for (size_t i = 0; i < sb_bans_count(list); i++) {
        const sb_ban *ban = sb_bans_at(list, i);
        bool          same_range = ranged && ban->has_range && ban->name[0] == '\0' &&
                          ban->range.address == range.address && ban->range.bits == range.bits;
        bool same_name = !ranged && !ban->has_range && sb_words_is_same(ban->name, name);
        if (same_range || (same_name && ban->name[0])) return ban;
    }
    return NULL;
}

void serve_run_unban(void *context, sb_call *call)
{
    serve        *s = context;
    const char   *text = call->values[0].text;
    const sb_ban *ban = find_ban(s, text);
    char          target[SB_BAN_TARGET_TEXT];
    sb_log_line   line;
    if (!ban) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM,
                        "there is no ban `%.60s`; `bans` lists them with their numbers", text);
        return;
    }
    int64_t id = ban->id;
    sb_ban_target_text(ban, target);
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    sb_result stored = unstore_ban(s, id);
    sb_log_text(&line, "number %lld, %s, is no longer %s%s", (long long)id, target,
                ban->kind == SB_BAN_EXCEPTION ? "an exception" : "banned",
                stored == SB_FULL ? lasting(s, stored) : "");
    add_values(&line, ban);
    end_line(call->reply, &line);
    (void)sb_bans_remove(s->rules->bans.list, id);
    (void)publish(s);
}

/* ---- bans ---- */

static void list_ban(sb_call *call, const sb_ban *ban, int64_t now_ms)
{
    char        target[SB_BAN_TARGET_TEXT], span[48];
    sb_log_line line;
    sb_ban_target_text(ban, target);
    print_span(ban, now_ms, span, sizeof span);
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    sb_log_text(&line, "%4lld  %-6s  %-20s  %s, by %s%s%s", (long long)ban->id,
                sb_ban_kind_words[ban->kind], target, span, ban->by[0] ? ban->by : "?",
                ban->reason[0] ? ": " : "", ban->reason);
    add_values(&line, ban);
    sb_log_end(&line);
}

/* True if target, reason or origin contain the text. */
static bool contains(const sb_ban *ban, const char *text)
{
    char target[SB_BAN_TARGET_TEXT];
    sb_ban_target_text(ban, target);
    return strstr(target, text) || strstr(ban->reason, text) || strstr(ban->by, text);
}

/* The latest ones first in people's minds, but last on the screen. */
static void list_bans(serve *s, sb_call *call, const char *text)
{
    const sb_bans *list = s->rules->bans.list;
    size_t         found = 0, shown = 0, most = LISTED_MAX;
    int64_t        now_ms = wall_ms();
    if (call->actor->door == SB_DOOR_CHAT) most = 4;
    if (call->reply->log && call->reply->log->options.json) most = SB_BANS_MAX;
    for (size_t i = 0; i < sb_bans_count(list); i++) found += contains(sb_bans_at(list, i), text);
    for (size_t i = 0; i < sb_bans_count(list); i++) {
        if (!contains(sb_bans_at(list, i), text)) continue;
        if (shown++ + most >= found) list_ban(call, sb_bans_at(list, i), now_ms);
    }
    if (found == 0)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM, text[0] ? "no ban has that text" : "no bans");
    else if (found > most)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "the latest %zu of %zu; `bans TEXT` finds others, `bans export FILE` writes "
                     "all",
                     most, found);
}

static void export_bans(serve *s, sb_call *call, char *rest)
{
    const sb_bans *list = s->rules->bans.list;
    const char    *path = sb_words_next(&rest, NULL), *form = sb_words_next(&rest, NULL);
    char           line[SB_BAN_LINE_TEXT];
    bool           json = form && sb_words_is_same(form, "json");
    if (!path || (form && !json)) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "`bans export FILE` or `bans export FILE json`");
        return;
    }
    FILE *out = fopen(path, "wx"); /* an existing file stays as it is */
    bool  fine = out != NULL;
    for (size_t i = 0; fine && i < sb_bans_count(list); i++) {
        const sb_ban *ban = sb_bans_at(list, i);
        size_t        size = json ? sb_ban_print_json(ban, line) : sb_ban_print_line(ban, line);
        fine = fwrite(line, 1, size, out) == size;
    }
    if (out && fclose(out) != 0) fine = false;
    if (fine)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%zu bans are in %s", sb_bans_count(list), path);
    else sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "cannot write %s: %s", path, strerror(errno));
}

/* Waits for every IMPORT_STEP-th ban, so that a long list does not overflow the store's queue. */
static bool store_imported(void *context, sb_ban *ban)
{
    serve       *s = context;
    sb_store_ban stored;
    fill_stored(ban, &stored);
    bool waits = sb_bans_count(s->rules->bans.list) % IMPORT_STEP == 0;
    (void)!(waits ? sb_store_ban_add : sb_store_ban_queue)(serve_store(s), &stored, &ban->id);
    return true;
}

static void answer_import(sb_call *call, const char *path, const sb_ban_import *r)
{
    sb_log_line line;
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    sb_log_text(&line, "%zu bans added from %s, %zu known already, %zu expired", r->added, path,
                r->known, r->expired);
    if (r->wrong > 0)
        sb_log_text(&line, "; %zu lines refused, the first is line %zu: %s", r->wrong, r->line,
                    r->why);
    if (r->full) sb_log_text(&line, "; the list is full, the rest was not read");
    if (r->wide > 0)
        sb_log_text(&line,
                    "; %zu of them are ranges wider than a /8, which keep out or let in very many: "
                    "`bans /` lists ranges, `unban` ends one",
                    r->wide);
    sb_log_value_number(&line, "added", (int64_t)r->added);
    sb_log_value_number(&line, "known", (int64_t)r->known);
    sb_log_value_number(&line, "expired", (int64_t)r->expired);
    sb_log_value_number(&line, "refused", (int64_t)r->wrong);
    sb_log_value_number(&line, "full", r->full);
    sb_log_value_number(&line, "wide", (int64_t)r->wide);
    end_line(call->reply, &line);
    if (r->wrong > 0 || r->full) call->reply->status = SB_REPLY_NEGATIVE;
}

static void import_bans(serve *s, sb_call *call, char *rest)
{
    sb_data       data = { .error = "" };
    char         *text = NULL;
    size_t        size = 0;
    sb_ban_import result;
    const char   *path = sb_words_next(&rest, NULL);
    if (!path) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`bans import FILE`");
        return;
    }
    sb_result read = sb_data_read_file(&data, path, IMPORT_BYTES_MAX, &text, &size);
    if (read != SB_OK) sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "%s", data.error);
    else if (size > IMPORT_BYTES_MAX)
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "%s has more than 32 MiB", path);
    else {
        sb_bans_import(s->rules->bans.list, (sb_span){ (const uint8_t *)text, size }, wall_ms(),
                       store_imported, s, &result);
        (void)publish(s);
        answer_import(call, path, &result);
    }
    free(text);
    sb_data_free(&data);
}

/* except WHO [FOR] [REASON] */
static void except(serve *s, sb_call *call, char *rest)
{
    sb_time     span = 0;
    int64_t     now_ms = wall_ms();
    sb_ban      ban = { .created_ms = now_ms, .kind = SB_BAN_EXCEPTION, .name = "" };
    const char *who = sb_words_next(&rest, NULL);
    if (!who) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "`bans except ADDRESS [FOR] [REASON]` or `bans except name:PATTERN`");
        return;
    }
    rest = sb_words_skip_blanks(rest);
    char  *after = rest, word[24];
    size_t size = strcspn(rest, " \t");
    snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : 0), rest);
    if (word[0] && sb_words_parse_duration(word, &span)) after = sb_words_skip_blanks(rest + size);
    if (span > 0) ban.expires_ms = now_ms + span / 1000;
    ban.reason = after;
    ban.by = call->actor->name;
    if (read_target(call, who, &ban)) add_and_answer(s, call, &ban, NULL);
}

static const struct {
    const char *word;
    void (*run)(serve *s, sb_call *call, char *rest);
} bans_words[] = {
    { "export", export_bans },
    { "import", import_bans },
    { "except", except },
};

/* The words that change or write something are not for chat; a list is no event. */
void serve_run_bans(void *context, sb_call *call)
{
    char   text[SB_ADMIN_LINE_MAX];
    size_t size = strcspn(call->values[0].text, " \t");
    bool   chat = call->actor->door == SB_DOOR_CHAT;
    snprintf(text, sizeof text, "%s", call->values[0].text);
    for (size_t i = 0; !chat && i < sizeof bans_words / sizeof *bans_words; i++)
        if (strlen(bans_words[i].word) == size && strncmp(text, bans_words[i].word, size) == 0) {
            bans_words[i].run(context, call, text + size);
            return;
        }
    call->only_shows = true;
    list_bans(context, call, text);
}
