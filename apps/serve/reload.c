/* apps/serve/reload.c -- SIGHUP: reads the configuration again, passes it to the rooms, and logs
 * which keys changed and when each change takes effect.
 *
 * Never:    decides which keys a running room adopts: the table of keys does (config/keys.c).
 * Tests:    tests/apps/serve_test.py, tests/config/reload_config_test.c
 */
#include "serve/rules.h"

#include "config/keys.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_BYTES = 600 };

/* ---- lines ---- */

/* Writes a line to the log and, if a command asked for the change, to its answer. */
static void report(serve *s, sb_log_level level, unsigned room, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void report(serve *s, sb_log_level level, unsigned room, const char *format, ...)
{
    char    text[SB_LOG_LINE_MAX / 2];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sb_log_message(&s->log, level, "server", room, "%s", text);
    if (s->answers != &s->log) sb_log_answer(s->answers, "server", room, "%s", text);
}

/* ---- logging the changes ---- */

typedef struct change_list {
    serve       *s;
    sb_log_level level;
    const char  *sentence;
    char         names[NAMES_BYTES];
    size_t       size;
} change_list;

static void log_list(change_list *list)
{
    if (list->size == 0) return;
    report(list->s, list->level, SB_LOG_NO_ROOM, "%s: %s", list->sentence, list->names);
    list->size = 0;
}

/* Appends a key to the list. A list that is too long for one line continues in another line. */
static void add_change(void *context, const char *key, unsigned room)
{
    change_list *list = context;
    char         name[SB_KEY_VARIABLE + 24];
    if (room) snprintf(name, sizeof name, "%s of room %u", key, room);
    else snprintf(name, sizeof name, "%s", key);
    if (list->size + strlen(name) + 3 > sizeof list->names) log_list(list);
    list->size += (size_t)snprintf(list->names + list->size, sizeof list->names - list->size,
                                   "%s%s", list->size ? ", " : "", name);
}

static void log_changes(serve *s, const sb_process_config *before, const sb_process_config *next,
                        sb_key_change change, sb_log_level level, const char *sentence)
{
    change_list list = { .s = s, .level = level, .sentence = sentence };
    sb_process_config_compare(before, next, s->room_count, change, add_change, &list);
    log_list(&list);
}

/* Keys that need a restart are compared with their values at the start, all others with those of
 * the last reload. */
static void log_all_changes(serve *s, const sb_process_config *next)
{
    log_changes(s, s->first, next, SB_CHANGE_RESTART, SB_LOG_WARNING,
                "changed, takes effect after a restart");
    log_changes(s, s->current, next, SB_CHANGE_WHEN_EMPTY, SB_LOG_INFO,
                "changed, takes effect when the room is empty");
    log_changes(s, s->current, next, SB_CHANGE_NEWCOMERS, SB_LOG_INFO,
                "changed, for players who join from now on");
    log_changes(s, s->current, next, SB_CHANGE_AT_ONCE, SB_LOG_INFO, "changed");
}

/* Learning needs memory that is allocated at the start: a reload cannot switch it on. */
static void keep_checksum_mode(serve *s, sb_process_config *next)
{
    bool asked = false;
    for (size_t i = 0; i < s->room_count; i++) {
        sb_checksum_mode *mode = &next->rooms[i].server.checksums;
        if (*mode != SB_CHECKSUM_LEARN || s->rooms[i].learning) continue;
        *mode = s->current->rooms[i].server.checksums;
        asked = true;
    }
    if (asked)
        report(s, SB_LOG_WARNING, SB_LOG_NO_ROOM,
               "checksums = \"learn\" needs a restart; the mode stays as it was");
}

/* ---- applying the changes ---- */

/* Allocates memory for more players than at the start; the size follows from the fields that no
 * reload changes. */
static void give_memory(serve *s, size_t index, uint32_t max_players, sb_room_command *c)
{
    sb_server_config larger = s->first->rooms[index].server;
    if (max_players <= larger.max_players) return;
    larger.max_players = max_players;
    c->memory_bytes = sb_server_bytes(&larger);
    c->memory = calloc(1, c->memory_bytes);
    if (c->memory) return;
    c->memory_bytes = 0;
    report(s, SB_LOG_WARNING, s->rooms[index].number, "out of memory: max_players stays at most %u",
           s->first->rooms[index].server.max_players);
}

/* A change of max_players: as configured, and the limit in force after the change. */
typedef struct player_limit {
    uint32_t before, configured, in_force;
} player_limit;

static void log_player_limit(serve *s, unsigned room, player_limit l)
{
    if (l.configured == l.before) return;
    if (l.in_force == l.configured)
        report(s, SB_LOG_INFO, room, "changed: max_players is %u; players who are there stay",
               l.configured);
    else
        report(s, SB_LOG_INFO, room,
               "changed: max_players is %u when the room is empty, %u until then", l.configured,
               l.in_force);
}

static player_limit find_player_limit(serve *s, const sb_process_config *before, size_t index)
{
    player_limit l = { before->rooms[index].server.max_players,
                       s->rooms[index].config->server.max_players, 0 };
    if (l.configured == l.before) return l;
    serve_snapshot_room(s, index);
    l.in_force = s->snapshot->player_limit;
    return l;
}

/* True if the same has changed in all rooms. */
static bool compare_all_rooms(serve *s, const sb_process_config *before, player_limit first)
{
    for (size_t i = 1; i < s->room_count; i++) {
        player_limit other = find_player_limit(s, before, i);
        if (memcmp(&other, &first, sizeof first) != 0) return false;
    }
    return true;
}

/* One line per room, or one for all. */
static void log_player_limits(serve *s, const sb_process_config *before)
{
    player_limit first = find_player_limit(s, before, 0);
    if (compare_all_rooms(s, before, first)) {
        log_player_limit(s, SB_LOG_NO_ROOM, first);
        return;
    }
    for (size_t i = 0; i < s->room_count; i++)
        log_player_limit(s, s->rooms[i].number, find_player_limit(s, before, i));
}

void serve_log_step(sb_room *room, sb_time now)
{
    serve_room      *r = (serve_room *)room; /* a serve_room starts with its sb_room */
    sb_server_status status;
    serve_log_late(r);
    serve_log_refused_connects(room, now);
    if (!room->has_moved) return;
    sb_server_status_of(room->server, &status);
    sb_log_message(r->log, SB_LOG_INFO, "server", r->number,
                   "the room is empty and has %u places for players now", status.player_limit);
}

static void configure_room(serve *s, size_t index, sb_process_config *next,
                           const sb_reload_fields *fields)
{
    serve_room       *r = &s->rooms[index];
    sb_server_config *config = &next->rooms[index].server;
    sb_room_command   c = { .type = SB_ROOM_CONFIGURE, .room = (int)r->index };
    c.done = &r->is_configured;
    atomic_store_explicit(&r->is_configured, false, memory_order_relaxed);
    if (next->rooms[index].slots != r->config->slots) /* else the command `slots` stays in force */
        atomic_store(&r->slots, next->rooms[index].slots);
    serve_set_callbacks(s, r, config);
    sb_room_free_retired(&r->room); /* after an earlier growth */
    if (config->max_players != r->config->server.max_players)
        give_memory(s, index, config->max_players, &c);
    c.config = config;
    c.fields = &fields->lists;
    serve_post(s, r->loop, &c);
}

/* All rooms at once, since each loop takes many commands in one turn. The rooms use the old
 * manifests until they are configured. */
static void configure_rooms(serve *s, sb_process_config *next)
{
    sb_reload_fields all, without_choice;
    serve_rules_reload(s, next);
    sb_reload_fields_init(&all);
    sb_reload_fields_init(&without_choice);
    serve_rotation_leave_out(&without_choice);
    for (size_t i = 0; i < s->room_count; i++) {
        bool has_choice = s->rules->rooms[i].rotation.has_choice;
        configure_room(s, i, next, has_choice ? &without_choice : &all);
    }
    for (size_t i = 0; i < s->room_count; i++) {
        serve_wait_done(&s->rooms[i].is_configured);
        s->rooms[i].config = &next->rooms[i];
    }
}

static void apply_config(serve *s, sb_process_config *next)
{
    sb_process_config *before = s->current;
    serve_stop_resolving(s);
    serve_clear_masters(s);
    configure_rooms(s, next);
    log_player_limits(s, before);
    sb_query_limits_set_rates(s->query_limits, &next->queries);
    sb_log_set_level(&s->log, (sb_log_level)next->log_level);
    s->current = next;
    char ignored[160];
    (void)serve_apply_roles(s->admin, next, ignored, sizeof ignored); /* checked before */
    serve_update_access(s);
    serve_rules_reloaded(s);
    serve_fill_rooms(s, before);
    if (before == s->first) return;
    sb_process_config_free(before);
    free(before);
}

/* The sources of the start, then what `set` changed. */
static sb_result load_sources(serve *s, sb_process_config *next, sb_setting *settings)
{
    sb_config_sources sources = s->options->sources;
    size_t            count = sources.setting_count;
    if (count > 0) memcpy(settings, sources.settings, count * sizeof *settings);
    memcpy(settings + count, s->overrides, s->override_count * sizeof *settings);
    sources.settings = settings;
    sources.setting_count = count + s->override_count;
    return sb_process_config_load(next, &sources);
}

static bool load_config(serve *s, sb_process_config *next, char error[SB_DATA_ERROR_MAX])
{
    sb_setting *settings = calloc(SB_SETTINGS_MAX + SERVE_OVERRIDES_MAX, sizeof *settings);
    bool        fine = settings && load_sources(s, next, settings) == SB_OK;
    snprintf(error, SB_DATA_ERROR_MAX, "%s", settings ? next->data.error : "out of memory");
    free(settings);
    if (fine) fine = serve_check_commands(next, error, SB_DATA_ERROR_MAX);
    if (fine && next->room_count < s->room_count) {
        snprintf(error, SB_DATA_ERROR_MAX, "fewer rooms than are running; that needs a restart");
        fine = false;
    }
    return fine;
}

/* False: nothing changed, and `error` says why. */
static bool load_and_apply(serve *s, char error[SB_DATA_ERROR_MAX])
{
    sb_process_config *next = calloc(1, sizeof *next);
    snprintf(error, SB_DATA_ERROR_MAX, "out of memory");
    if (!next) return false;
    if (!load_config(s, next, error)) {
        sb_process_config_free(next);
        free(next);
        return false;
    }
    keep_checksum_mode(s, next);
    log_all_changes(s, next);
    serve_log_config_warnings(s, next);
    serve_warn_missions(s, next, s->current);
    apply_config(s, next);
    serve_start_resolving(s);
    return true;
}

void serve_free_overrides(serve *s)
{
    for (size_t i = 0; i < s->override_count; i++) {
        free((void *)(uintptr_t)s->overrides[i].key);
        free((void *)(uintptr_t)s->overrides[i].value);
    }
    s->override_count = 0;
}

/* The configuration in use borrows nothing of the overrides but the names of sources, which are
 * constants. */
static bool reload(serve *s)
{
    char       error[SB_DATA_ERROR_MAX];
    sb_setting kept[SERVE_OVERRIDES_MAX];
    size_t     count = s->override_count;
    memcpy(kept, s->overrides, sizeof kept);
    s->override_count = 0;
    if (!load_and_apply(s, error)) {
        s->override_count = count;
        report(s, SB_LOG_ERROR, SB_LOG_NO_ROOM, "not reloaded: %s", error);
        return false;
    }
    memcpy(s->overrides, kept, sizeof kept);
    s->override_count = count;
    serve_free_overrides(s);
    report(s, SB_LOG_INFO, SB_LOG_NO_ROOM, "reloaded %s",
           s->current->file ? s->current->file : "the environment and the command line");
    return true;
}

bool serve_reload(serve *s)
{
    serve_eyes_reloading(s);
    bool fine = reload(s);
    serve_eyes_reloaded(s, fine);
    return fine;
}

/* ---- `set` ---- */

/* The entry of the key: an earlier one, or a new one. NULL: there are too many. */
static sb_setting *find_override(serve *s, const char *key)
{
    for (size_t i = 0; i < s->override_count; i++)
        if (strcmp(s->overrides[i].key, key) == 0) return &s->overrides[i];
    if (s->override_count == SERVE_OVERRIDES_MAX) return NULL;
    sb_setting *new = &s->overrides[s->override_count];
    char *copy = strdup(key);
    *new = (sb_setting){ copy, copy, NULL };
    if (!new->key) return NULL;
    s->override_count++;
    return new;
}

bool serve_set(serve *s, const char *key, const char *value, char error[SB_DATA_ERROR_MAX])
{
    size_t      count = s->override_count;
    sb_setting *o = find_override(s, key);
    char       *copy = strdup(value);
    if (!o || !copy) {
        free(copy);
        snprintf(error, SB_DATA_ERROR_MAX, "too many keys are set: change them in the file");
        return false;
    }
    const char *before = o->value;
    o->value = copy;
    if (load_and_apply(s, error)) {
        free((void *)(uintptr_t)before);
        return true;
    }
    o->value = before;
    free(copy);
    if (s->override_count > count) {
        free((void *)(uintptr_t)o->key);
        s->override_count = count;
    }
    return false;
}
