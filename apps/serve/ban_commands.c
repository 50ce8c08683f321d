/* apps/serve/ban_commands.c -- the commands ban, unban and bans.
 *
 * For:      the command table. bans.c has the list and tells the rooms.
 * Tests:    tests/apps/rules_test.py
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "admin/arguments.h"
#include "admin/ban_text.h"
#include "admin/words.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED_MAX = 20, IMPORT_BYTES_MAX = 32 << 20 };

/* ---- answers ---- */

static void print_span(const sb_ban *ban, int64_t now_ms, char *out, size_t capacity)
{
    if (ban->expires_ms == 0) snprintf(out, capacity, "without end");
    else sb_words_print_time_left((ban->expires_ms - now_ms) * 1000, out, capacity);
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
    print_span(ban, serve_wall_ms(), span, sizeof span);
    sb_reply_start(call->reply, &line, sb_call_room(call));
    if (player) sb_log_text(&line, "%s is removed, and ", player);
    sb_log_text(&line, "%s is %s, %s (number %lld)%s", target,
                ban->kind == SB_BAN_EXCEPTION ? "an exception" : "banned", span, (long long)ban->id,
                serve_bans_lasting(s, stored));
    add_values(&line, ban);
    sb_log_value_number(&line, "stored", stored == SB_OK);
    end_line(call->reply, &line);
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
    (void)!serve_bans_unstore(s, id);
    (void)sb_bans_remove(s->rules->bans.list, id);
}

static void add_and_answer(serve *s, sb_call *call, sb_ban *ban, const sb_argument_value *who)
{
    bool      player = who && who->player.peer_id != 0;
    sb_result stored;
    if (sb_ban_fault(ban) == NULL) replace_same(s, ban);
    if (!serve_bans_add(s, call->reply, ban, &stored)) return;
    (void)serve_bans_publish(s);
    if (player) kick_player(s, who->room, who->player.peer_id, ban->reason);
    answer_added(s, call, ban, stored, player ? who->player.name : NULL);
}

void serve_run_ban(void *context, sb_call *call)
{
    const sb_argument_value *who = &call->values[0], *span = &call->values[1];
    int64_t                  now_ms = serve_wall_ms();
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
                        "there is no ban `%.60s`; `%sbans` lists them with their numbers", text,
                        sb_call_mark(call));
        return;
    }
    int64_t id = ban->id;
    sb_ban_target_text(ban, target);
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    sb_result stored = serve_bans_unstore(s, id);
    sb_log_text(&line, "number %lld, %s, is no longer %s%s", (long long)id, target,
                ban->kind == SB_BAN_EXCEPTION ? "an exception" : "banned",
                stored == SB_NOT_ALLOWED ? "" : serve_bans_lasting(s, stored));
    add_values(&line, ban);
    end_line(call->reply, &line);
    (void)sb_bans_remove(s->rules->bans.list, id);
    (void)serve_bans_publish(s);
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
    int64_t        now_ms = serve_wall_ms();
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

static bool write_bans(FILE *out, const sb_bans *list, bool json)
{
    char line[SB_BAN_LINE_TEXT];
    for (size_t i = 0; i < sb_bans_count(list); i++) {
        const sb_ban *ban = sb_bans_at(list, i);
        size_t        size = json ? sb_ban_print_json(ban, line) : sb_ban_print_line(ban, line);
        if (fwrite(line, 1, size, out) != size) return false;
    }
    return true;
}

/* An existing file stays as it is, and half a list is removed. */
static bool write_list(const char *path, const sb_bans *list, bool json)
{
    FILE *out = fopen(path, "wx");
    if (!out) return false;
    bool fine = write_bans(out, list, json);
    int  why = errno;
    if (fclose(out) == 0 && fine) return true;
    if (fine) why = errno;
    (void)unlink(path);
    errno = why;
    return false;
}

/* The answer has the whole path: relative ones start in the server's folder, not in that of
 * `starbase ctl`. */
static void export_bans(serve *s, sb_call *call, char *rest)
{
    const sb_bans *list = s->rules->bans.list;
    const char    *path = sb_words_next(&rest, NULL), *form = sb_words_next(&rest, NULL);
    bool           json = form && sb_words_is_same(form, "json");
    if (!path || (form && !json)) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM,
                       "`bans export FILE` or `bans export FILE json`");
        return;
    }
    if (!write_list(path, list, json)) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "cannot write %s: %s", path, strerror(errno));
        return;
    }
    char *whole = realpath(path, NULL);
    sb_reply_say(call->reply, SB_LOG_NO_ROOM, "%zu bans are in %s", sb_bans_count(list),
                 whole ? whole : path);
    free(whole);
}

static void answer_import(sb_call *call, const char *path, const sb_ban_import *r, bool stored)
{
    sb_log_line line;
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    sb_log_text(&line, "%zu bans added from %s, %zu known already, %zu expired", r->added, path,
                r->known, r->expired);
    if (r->wrong > 0)
        sb_log_text(&line, "; %zu lines refused, the first is line %zu: %s", r->wrong, r->line,
                    r->why);
    if (r->full) sb_log_text(&line, "; the list is full, the rest was not read");
    if (!stored)
        sb_log_text(&line, "; the store cannot be written (see `status`): import the list again "
                           "when it can");
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
    sb_log_value_number(&line, "stored", stored);
    end_line(call->reply, &line);
    if (r->wrong > 0 || r->full || !stored) call->reply->status = SB_REPLY_NEGATIVE;
}

static void import_bans(serve *s, sb_call *call, char *rest)
{
    sb_data          data = { .error = "" };
    char            *text = NULL;
    size_t           size = 0;
    sb_ban_import    result;
    serve_ban_import context = { s, false };
    const char      *path = sb_words_next(&rest, NULL);
    if (!path) {
        sb_reply_usage(call->reply, SB_LOG_NO_ROOM, "`bans import FILE`");
        return;
    }
    sb_result read = sb_data_read_file(&data, path, IMPORT_BYTES_MAX, &text, &size);
    if (read != SB_OK) sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "%s", data.error);
    else if (size > IMPORT_BYTES_MAX)
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "%s has more than 32 MiB", path);
    else {
        sb_bans_import(s->rules->bans.list, (sb_span){ (const uint8_t *)text, size },
                       serve_wall_ms(), serve_bans_store_imported, &context, &result);
        (void)serve_bans_publish(s);
        answer_import(call, path, &result, !context.failed);
    }
    free(text);
    sb_data_free(&data);
}

/* except WHO [FOR] [REASON] */
static void except(serve *s, sb_call *call, char *rest)
{
    sb_time     span = 0;
    int64_t     now_ms = serve_wall_ms();
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
    else if (sb_arguments_refuse_duration(call->reply, rest)) return;
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
