/* src/config/read_config.c -- reads the sources of a configuration in order: defaults, server.lua,
 * environment, command line; then resolve_config.c completes it.
 *
 * For:      process_config.h.
 * May use:  lua_table.h for the file; keys.h for the meaning of a key.
 */
#include "config/process_config.h"

#include <stdlib.h>
#include <string.h>

#include "config/bots_table.h"
#include "config/keys.h"
#include "config/placeholders.h"
#include "config/resolve_config.h"
#include "platform/log.h"

static void *record_of(sb_process_config *config, sb_room_config *room, const sb_key *key)
{
    return key->of_room ? (void *)room : (void *)config;
}

static void set_defaults(sb_process_config *config)
{
    sb_room_config *room = &config->common;
    *config = (sb_process_config){ .bind = "0.0.0.0", .data_dir = "", .learn = "", .http = "" };
    config->instance = "server";
    config->slots_for = config->helper_commands = "";
    config->moderator_commands = config->admin_commands = "";
    config->log_level = SB_LOG_INFO;
    config->send_files_rate = 256;
    config->console = true;
    config->store = SB_STORE_PATH;
    config->keep_days = 90;
    sb_responder_defaults(&config->queries);
    sb_server_defaults(&room->server);
    room->name = "Starbase";
    room->mission = "ffa";
    room->system = "Multi1";
    room->password = room->masters_file = room->send_files = "";
    room->port = SB_LAN_FIRST_PORT;
    room->kick_us = 300 * SB_SECOND;
    room->votes = (sb_vote_rows){ sb_vote_default_rows, sb_vote_default_count };
    sb_bots_defaults(&room->bots);
}

/* systemd gives every unit a folder of its own (StateDirectory=): the store of an instance is
 * there, unless the configuration names another one. */
static void place_store(sb_process_config *config, const char *const *environment)
{
    static const char variable[] = "STATE_DIRECTORY=", file[] = "/starbase.db";
    enum { FOLDER_MAX = 200 };
    for (; environment && *environment; environment++) {
        if (strncmp(*environment, variable, sizeof variable - 1) != 0) continue;
        const char *folder = *environment + sizeof variable - 1;
        size_t      size = strcspn(folder, ":");
        char       *path = folder[0] == '/' && size < FOLDER_MAX
                               ? sb_data_allocate(&config->data, size + sizeof file)
                               : NULL;
        if (!path) return;
        snprintf(path, size + sizeof file, "%.*s%s", (int)size, folder, file);
        config->store = path;
    }
}

/* ---- server.lua ---- */

/* The state of reading one table: the whole file, or one room. */
typedef struct reading {
    sb_process_config *config;
    sb_room_config    *room; /* receives the keys of rooms */
    sb_lua_value       values[SB_KEYS_MAX];
    sb_texts           manifests, masters, motd, rules;
    bool               has_manifests, has_masters, has_motd, has_rules;
} reading;

static void append_text(sb_lua *lua, sb_texts *texts)
{
    texts->items[texts->count++] = sb_lua_read_text(lua, 255);
}

/* A line that players are told. */
static void append_line(sb_lua *lua, sb_texts *texts)
{
    append_text(lua, texts);
    const char *wrong = sb_placeholder_fault(texts->items[texts->count - 1]);
    if (wrong) sb_lua_fail(lua, "%s", wrong);
}

static void read_manifest(sb_lua *lua, void *record)
{
    append_text(lua, &((reading *)record)->manifests);
}

static void read_master(sb_lua *lua, void *record)
{
    sb_texts *masters = &((reading *)record)->masters;
    append_text(lua, masters);
    const char *text = masters->items[masters->count - 1];
    const char *wrong = sb_config_find_key("masters")->check(text);
    if (wrong) sb_lua_fail(lua, "%s, is \"%.60s\"", wrong, text);
}

/* True: the list is given as one text, as in the environment: masters = "a, b". */
static bool read_list_text(sb_lua *lua, reading *r, const char *name)
{
    char         reason[SB_KEY_REASON];
    sb_lua_value value = sb_lua_read_value(lua);
    if (value.kind != SB_LUA_IS_TEXT) return false;
    if (!sb_key_set_text(sb_config_find_key(name), r->room, value.text, &r->config->data, reason))
        sb_lua_fail(lua, "%s", reason);
    return true;
}

/* Lists are read one text at a time. The flag makes an empty list replace an earlier one, too. */
static void read_manifests(sb_lua *lua, void *record)
{
    reading *r = record;
    if (read_list_text(lua, r, "manifests")) return;
    r->has_manifests = true;
    sb_lua_read_list(lua, SB_TEXTS_MAX, read_manifest, r);
}

static void read_masters(sb_lua *lua, void *record)
{
    reading *r = record;
    if (read_list_text(lua, r, "masters")) return;
    r->has_masters = true;
    sb_lua_read_list(lua, SB_TEXTS_MAX, read_master, r);
}

static void read_motd_line(sb_lua *lua, void *record)
{
    append_line(lua, &((reading *)record)->motd);
}

static void read_rules_line(sb_lua *lua, void *record)
{
    append_line(lua, &((reading *)record)->rules);
}

/* One text is one line: lines have commas. */
static void read_motd(sb_lua *lua, void *record)
{
    reading *r = record;
    r->has_motd = true;
    if (sb_lua_read_value(lua).kind == SB_LUA_IS_TEXT) append_line(lua, &r->motd);
    else sb_lua_read_list(lua, SB_TEXTS_MAX, read_motd_line, r);
}

static void read_rules(sb_lua *lua, void *record)
{
    reading *r = record;
    r->has_rules = true;
    if (sb_lua_read_value(lua).kind == SB_LUA_IS_TEXT) append_line(lua, &r->rules);
    else sb_lua_read_list(lua, SB_TEXTS_MAX, read_rules_line, r);
}

static void read_votes(sb_lua *lua, void *record)
{
    sb_vote_rows_read(lua, &((reading *)record)->room->votes);
}

static void read_rotation(sb_lua *lua, void *record)
{
    sb_rotation_entries_read(lua, &((reading *)record)->room->rotation);
}

/* combat = { beam_low = 0.4, ... }: any constants of the simulation. */
static void read_combat(sb_lua *lua, void *record)
{
#define CONSTANT_FIELD(name_, value, tag, text)                                                    \
    { .key = #name_,                                                                               \
      .kind = SB_LUA_FIGURE,                                                                       \
      .optional = true,                                                                            \
      .offset = offsetof(sb_combat_constants, name_),                                              \
      .high = SB_DATA_FIGURE_MAX },
    static const sb_lua_field fields[] = { SB_COMBAT_CONSTANTS(CONSTANT_FIELD){ 0 } };
#undef CONSTANT_FIELD
    sb_lua_read_fields_warning(lua, fields, &((reading *)record)->room->server.combat.constants,
                               sb_combat_constant_removed);
}

/* mods = { { type = 0xCD, policy = "drop" }, ... } (spec 09 §9.1). */
static void read_mod(sb_lua *lua, void *record)
{
    static const sb_lua_field fields[] = {
        { .key = "type", .kind = SB_LUA_U8, .offset = 0, .low = SB_OP_SCRIPT_FIRST, .high = 0xFF },
        { .key = "policy", .kind = SB_LUA_WORD, .offset = 1, .words = sb_mod_policy_words },
        { 0 },
    };
    uint8_t entry[2] = { 0, 0 };
    sb_lua_read_fields(lua, fields, entry);
    ((reading *)record)->room->mods[entry[0]] = entry[1];
}

static void read_mods(sb_lua *lua, void *record)
{
    sb_lua_read_list(lua, 256 - SB_OP_SCRIPT_FIRST, read_mod, record);
}

/* modifiers = { { 1, 1, 1 }, ... }: a row per class of the attacker, a column per class of the
 * target. */
typedef struct grid {
    float *cells;
    size_t count;
} grid;

static void read_cell(sb_lua *lua, void *record)
{
    grid        *g = record;
    sb_lua_value value = sb_lua_read_value(lua);
    if (value.kind != SB_LUA_IS_NUMBER || !(value.number >= -100 && value.number <= 100))
        sb_lua_fail(lua, "must be a number from -100 to 100");
    g->cells[g->count++] = (float)value.number;
}

static void read_row(sb_lua *lua, void *record)
{
    grid *g = record;
    sb_lua_read_list(lua, 3, read_cell, g);
    if (g->count % 3 != 0) sb_lua_fail(lua, "must have 3 numbers");
}

static void read_modifiers(sb_lua *lua, void *record)
{
    grid g = { &((reading *)record)->room->server.match.modifiers[0][0], 0 };
    sb_lua_read_list(lua, 3, read_row, &g);
    if (g.count != 9) sb_lua_fail(lua, "must have 3 rows of 3 numbers");
}

static void read_bots(sb_lua *lua, void *record)
{
    sb_bots_read(lua, &((reading *)record)->room->bots);
}

static void skip_value(sb_lua *lua, void *record)
{
    (void)lua;
    (void)record;
}

static void read_rooms(sb_lua *lua, void *record);

/* A file is read twice: first all keys but `rooms`, then `rooms` alone. So a room starts with the
 * common values even if they stand below it in the file. */
typedef enum pass {
    PASS_COMMON, /* the file, without its rooms */
    PASS_ROOMS,  /* the file, only its rooms */
    PASS_ROOM    /* the table of one room: only keys that rooms have */
} pass;

static sb_lua_field field_of(const sb_key *key, size_t index, pass p)
{
    sb_lua_field field = { .key = key->name, .kind = SB_LUA_ANY, .optional = true };
    field.offset = offsetof(reading, values) + index * sizeof(sb_lua_value);
    if (strcmp(key->name, "manifests") == 0) field.read = read_manifests;
    if (strcmp(key->name, "masters") == 0) field.read = read_masters;
    if (strcmp(key->name, "motd") == 0) field.read = read_motd;
    if (strcmp(key->name, "rules") == 0) field.read = read_rules;
    if (strcmp(key->name, "rooms") == 0) field.read = p == PASS_ROOMS ? read_rooms : skip_value;
    else if (p == PASS_ROOMS) field.read = skip_value;
    if (field.read) field.kind = SB_LUA_PART;
    return field;
}

static void read_table(sb_lua *lua, reading *r, pass p)
{
    static const sb_lua_field tables[] = {
        { .key = "bots", .kind = SB_LUA_PART, .optional = true, .read = read_bots },
        { .key = "combat", .kind = SB_LUA_PART, .optional = true, .read = read_combat },
        { .key = "mods", .kind = SB_LUA_PART, .optional = true, .read = read_mods },
        { .key = "modifiers", .kind = SB_LUA_PART, .optional = true, .read = read_modifiers },
        { .key = "votes", .kind = SB_LUA_PART, .optional = true, .read = read_votes },
        { .key = "rotation", .kind = SB_LUA_PART, .optional = true, .read = read_rotation },
    };
    sb_lua_field  fields[SB_KEYS_MAX + 8] = { 0 };
    const sb_key *keys = sb_config_keys();
    size_t        count = 0;
    for (size_t i = 0; keys[i].name; i++)
        if (keys[i].of_room || p != PASS_ROOM) fields[count++] = field_of(&keys[i], i, p);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        fields[count] = tables[i];
        if (p == PASS_ROOMS) fields[count].read = skip_value;
        count++;
    }
    sb_lua_read_fields(lua, fields, r);
}

/* Makes system = 3 the same as system = "3". */
static void convert_number_to_text(sb_lua *lua, const sb_key *key, sb_lua_value *value)
{
    char digits[32];
    bool number = key->kind == SB_KEY_NAME && value->kind == SB_LUA_IS_NUMBER;
    if (!number || !(value->number >= key->low && value->number <= key->high)) return;
    snprintf(digits, sizeof digits, "%.10g", value->number);
    *value = (sb_lua_value){ .kind = SB_LUA_IS_TEXT };
    value->text = sb_lua_copy(lua, digits, sizeof digits, 1);
}

/* Stores the values that were read. Lua's current value is their table, so that errors name it. */
static void store_values(sb_lua *lua, reading *r)
{
    char          reason[SB_KEY_REASON];
    const sb_key *keys = sb_config_keys();
    for (size_t i = 0; keys[i].name; i++) {
        void *record = record_of(r->config, r->room, &keys[i]);
        if (r->values[i].kind == SB_LUA_ABSENT) continue;
        convert_number_to_text(lua, &keys[i], &r->values[i]);
        if (!sb_key_set(&keys[i], record, &r->values[i], reason))
            sb_lua_fail_at(lua, keys[i].name, "%s", reason);
    }
    if (r->has_manifests) r->room->manifests = r->manifests;
    if (r->has_masters) r->room->masters = r->masters;
    if (r->has_motd) r->room->motd = r->motd;
    if (r->has_rules) r->room->rules = r->rules;
}

static void read_room(sb_lua *lua, void *record)
{
    sb_process_config *config = ((reading *)record)->config;
    sb_room_config    *room = &config->rooms[config->room_count];
    *room = config->common;
    room->port = 0; /* 0: assign_ports chooses the next one */
    room->name = NULL;
    reading *r = sb_lua_allocate(lua, sizeof *r);
    *r = (reading){ .config = config, .room = room };
    read_table(lua, r, PASS_ROOM);
    store_values(lua, r);
    config->room_count++;
}

static void read_rooms(sb_lua *lua, void *record)
{
    sb_process_config *config = ((reading *)record)->config;
    sb_lua_value       value = sb_lua_read_value(lua);
    char               reason[SB_KEY_REASON];
    if (value.kind == SB_LUA_IS_OTHER) {
        config->rooms = sb_lua_allocate(lua, SB_ROOMS_MAX * sizeof *config->rooms);
        sb_lua_read_list(lua, SB_ROOMS_MAX, read_room, record);
    } else if (!sb_key_set(sb_config_find_key("rooms"), config, &value, reason))
        sb_lua_fail(lua, "%s, or a list of rooms", reason);
}

static void read_file(sb_lua *lua, void *record)
{
    sb_process_config *config = record;
    reading           *r = sb_lua_allocate(lua, sizeof *r);
    *r = (reading){ .config = config, .room = &config->common };
    read_table(lua, r, PASS_COMMON);
    store_values(lua, r);
    read_table(lua, r, PASS_ROOMS);
}

/* The table that holds an unknown key, for the suggestion. */
typedef enum place { IN_FILE_OR_ROOM, IN_COMBAT, IN_OTHER_TABLE } place;

/* `path` is the part before the name: "rooms[2]." of "rooms[2].threads". */
static place find_place(const char *path, size_t size)
{
    static const char combat[] = "combat.";
    size_t            tail = sizeof combat - 1;
    if (size == 0) return IN_FILE_OR_ROOM;
    if (size >= tail && strncmp(path + size - tail, combat, tail) == 0) return IN_COMBAT;
    bool room = strncmp(path, "rooms[", 6) == 0 && strcspn(path, "]") + 2 == size;
    return room ? IN_FILE_OR_ROOM : IN_OTHER_TABLE;
}

/* Appends "; did you mean ...?" to "server.lua: max_player: unknown key". */
static void add_suggestion(sb_data *data, const char *file)
{
    static const char ending[] = ": unknown key";
    char             *error = data->error, *path = error + strlen(file) + 2, name[64];
    size_t            size = strlen(error), tail = sizeof ending - 1;
    if (size < strlen(file) + 2 + tail || strcmp(error + size - tail, ending) != 0) return;
    char *end = error + size - tail, *begin = end;
    while (begin > path && begin[-1] != '.') begin--;
    if (end - begin >= (ptrdiff_t)sizeof name) return;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    place         where = find_place(path, (size_t)(begin - path));
    const sb_key *known = where == IN_FILE_OR_ROOM ? sb_config_find_key(name) : NULL;
    const char   *near = where == IN_FILE_OR_ROOM ? sb_config_suggest_key(name)
                         : where == IN_COMBAT     ? sb_config_suggest_constant(name)
                                                  : NULL;
    if (known)
        snprintf(error + size, sizeof data->error - size,
                 " of a room: it applies to the whole server only");
    else if (near) snprintf(error + size, sizeof data->error - size, "; did you mean `%s`?", near);
}

static sb_result load_file(sb_process_config *config, const char *file)
{
    sb_data_source source = { .name = file, .accepts_lines = true };
    if (!file) return SB_OK;
    config->file = file;
    sb_result result = sb_data_load_table(&config->data, source, read_file, config);
    if (result == SB_BAD_VALUE) add_suggestion(&config->data, file);
    return result;
}

/* ---- environment and command line ---- */

/* Flags and variables are named after their key; --set is not. */
static sb_result refuse_value(sb_process_config *config, const char *source, const sb_key *key,
                              const char *reason)
{
    bool named = strcmp(source, "--set") != 0;
    return sb_data_refuse(&config->data, source, named ? "" : key->name, reason);
}

/* Sets a key of the process, or a key of rooms in every room. */
static sb_result set_everywhere(sb_process_config *config, const char *source, const sb_key *key,
                                const char *text)
{
    char reason[SB_KEY_REASON];
    bool fine =
        sb_key_set_text(key, record_of(config, &config->common, key), text, &config->data, reason);
    if (!fine) return refuse_value(config, source, key, reason);
    for (size_t i = 0; key->of_room && i < config->room_count; i++)
        (void)sb_key_set_text(key, &config->rooms[i], text, &config->data, reason);
    config->set_by[key - sb_config_keys()] = source;
    return SB_OK;
}

/* A name or port for all rooms replaces those of single rooms; resolve_config.c then
 * numbers them. */
static void clear_own_values(sb_process_config *config, const sb_key *key)
{
    for (size_t i = 0; i < config->room_count; i++) {
        if (strcmp(key->name, "port") == 0) config->rooms[i].port = 0;
        if (strcmp(key->name, "name") == 0) config->rooms[i].name = NULL;
    }
}

static sb_result refuse_table(sb_process_config *config, const char *source,
                              const sb_table_key *table)
{
    char reason[160];
    bool named = strcmp(source, "--set") != 0;
    snprintf(reason, sizeof reason, "is a table: it can be set %s", table->where);
    return sb_data_refuse(&config->data, source, named ? "" : table->name, reason);
}

static sb_result refuse_key(sb_process_config *config, const char *source, const char *name)
{
    char                reason[160] = "unknown key";
    const char         *near = sb_config_suggest_key(name);
    const sb_table_key *table = sb_config_find_table(name);
    if (table) return refuse_table(config, source, table);
    if (near) snprintf(reason, sizeof reason, "unknown key; did you mean `%s`?", near);
    return sb_data_refuse(&config->data, source, name, reason);
}

/* bots=4 sets `fill` of the table in every room. */
static sb_result set_bots(sb_process_config *config, const char *source, const char *text)
{
    char reason[SB_KEY_REASON];
    bool named = strcmp(source, "--set") != 0;
    if (!sb_bots_set_fill(&config->common.bots, text, reason))
        return sb_data_refuse(&config->data, source, named ? "" : "bots", reason);
    for (size_t i = 0; i < config->room_count; i++)
        config->rooms[i].bots.fill = config->common.bots.fill;
    return SB_OK;
}

static sb_result refuse_constant(sb_process_config *config, const sb_setting *s, const char *name,
                                 bool known)
{
    char        reason[160];
    const char *near = known ? NULL : sb_config_suggest_constant(name);
    if (known)
        snprintf(reason, sizeof reason, "must be a number from 0 to %g, is %.60s",
                 SB_DATA_FIGURE_MAX, s->value);
    else
        snprintf(reason, sizeof reason, "there is no such constant of the simulation%s%s%s",
                 near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    return sb_data_refuse(&config->data, s->flag, s->key, reason);
}

static sb_result warn_removed_constant(sb_process_config *config, const sb_setting *s,
                                       const char *sentence)
{
    char reason[240];
    snprintf(reason, sizeof reason, "has no effect any more: %s", sentence);
    sb_data_warn(&config->data, s->flag, s->key, reason);
    return SB_OK;
}

/* Applies the same bounds as in the file. */
static sb_result set_constant(sb_process_config *config, const sb_setting *s, const char *name)
{
    double    number;
    bool      fits = sb_key_parse_number(s->value, &number) && number <= SB_DATA_FIGURE_MAX;
    float     value = fits ? (float)number : -1; /* sb_combat_constant_set refuses -1 */
    sb_result result = sb_combat_constant_set(&config->common.server.combat.constants, name, value);
    const char *removed = result == SB_NOT_ALLOWED ? sb_combat_constant_removed(name) : NULL;
    if (removed) return warn_removed_constant(config, s, removed);
    if (result != SB_OK) return refuse_constant(config, s, name, result == SB_BAD_VALUE);
    for (size_t i = 0; i < config->room_count; i++)
        (void)!sb_combat_constant_set(&config->rooms[i].server.combat.constants, name, value);
    return SB_OK;
}

static sb_result apply_setting(sb_process_config *config, const sb_setting *s)
{
    const sb_key *key = sb_config_find_key(s->key);
    if (strncmp(s->key, "combat.", 7) == 0) return set_constant(config, s, s->key + 7);
    if (strcmp(s->key, "bots") == 0) return set_bots(config, s->flag, s->value);
    if (!key) return refuse_key(config, s->flag, s->key);
    sb_result result = set_everywhere(config, s->flag, key, s->value);
    clear_own_values(config, key);
    return result;
}

/* Splits STARBASE_MAX_PLAYERS=8 into max_players and 8. False: another program's variable. */
static bool split_variable(const char *text, char *name, size_t capacity, const char **value)
{
    static const char prefix[] = "STARBASE_";
    const char       *equals = strchr(text, '=');
    size_t            skip = sizeof prefix - 1;
    if (!equals || strncmp(text, prefix, skip) != 0) return false;
    size_t size = (size_t)(equals - text) - skip;
    if (size >= capacity) size = capacity - 1;
    for (size_t i = 0; i < size; i++) {
        char c = text[skip + i];
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    name[size] = '\0';
    *value = equals + 1;
    return true;
}

/* STARBASE_CONFIG names the file; STARBASE_PORT_HINT is for scripts (apps/serve);
 * STARBASE_CONTROL_DIR is also read by `starbase ctl` (platform/control_path.h). */
static bool is_no_key(const char *name)
{
    static const char *const names[] = { "config", "port_hint", "control_dir" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static sb_result apply_environment(sb_process_config *config, const char *const *environment)
{
    char        name[48];
    const char *value;
    for (; environment && *environment; environment++) {
        if (!split_variable(*environment, name, sizeof name, &value)) continue;
        if (is_no_key(name)) continue;
        char *source = sb_data_allocate(&config->data, SB_KEY_VARIABLE);
        if (!source) return sb_data_refuse_os_error(&config->data, name, "out of memory");
        snprintf(source, SB_KEY_VARIABLE, "%.*s", (int)strcspn(*environment, "="), *environment);
        const sb_key *key = sb_config_find_key(name);
        if (!key && strcmp(name, "bots") != 0) return refuse_key(config, source, name);
        sb_result result =
            key ? set_everywhere(config, source, key, value) : set_bots(config, source, value);
        if (result != SB_OK) return result;
        if (key) clear_own_values(config, key);
    }
    return SB_OK;
}

/* ---- rooms ---- */

/* Adds rooms with the common values until there are as many as `rooms` says. */
static sb_result add_common_rooms(sb_process_config *config)
{
    size_t wanted = config->wanted_rooms ? config->wanted_rooms : config->room_count;
    if (wanted == 0) wanted = 1;
    if (!config->rooms)
        config->rooms = sb_data_allocate(&config->data, wanted * sizeof *config->rooms);
    if (!config->rooms) return sb_data_refuse_os_error(&config->data, "rooms", "out of memory");
    for (; config->room_count < wanted; config->room_count++) {
        sb_room_config *room = &config->rooms[config->room_count];
        *room = config->common;
        room->port = 0;
        room->name = NULL;
    }
    config->room_count = wanted;
    return SB_OK;
}

sb_result sb_process_config_load(sb_process_config *out, const sb_config_sources *sources)
{
    set_defaults(out);
    place_store(out, sources->environment);
    sb_result result = load_file(out, sources->file);
    if (result == SB_OK) result = apply_environment(out, sources->environment);
    for (size_t i = 0; result == SB_OK && i < sources->setting_count; i++)
        result = apply_setting(out, &sources->settings[i]);
    if (result == SB_OK) result = add_common_rooms(out);
    if (result == SB_OK) result = sb_process_config_resolve(out);
    return result;
}

void sb_process_config_free(sb_process_config *config)
{
    sb_data_free(&config->data);
}
