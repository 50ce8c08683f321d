/* src/config/read_config.c -- the layers of a configuration: defaults, server.lua, environment,
 * command line; in that order. What they give is completed by server_complete.c.
 *
 * For:      server_config.h.
 * May use:  lua_table.h for the file; server_keys.h for what a key means.
 */
#include "config/process_config.h"

#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "config/resolve_config.h"
#include "platform/log.h"

static void *record_of(sb_process_config *config, sb_room_config *room, const sb_key *key)
{
    return key->of_room ? (void *)room : (void *)config;
}

static void set_defaults(sb_process_config *config)
{
    sb_room_config *room = &config->common;
    *config = (sb_process_config){ .bind = "0.0.0.0", .data_dir = "", .learn = "" };
    config->log_level = SB_LOG_INFO;
    config->console = true;
    sb_server_defaults(&room->server);
    room->name = "Starbase";
    room->mission = "ffa";
    room->system = "Multi1";
    room->password = room->masters_file = "";
    room->port = SB_LAN_FIRST_PORT;
}

/* ---- server.lua ---- */

/* One table of the file while it is read: the whole file, or one room. */
typedef struct reading {
    sb_process_config *config;
    sb_room_config    *room; /* where its keys go */
    sb_lua_value       values[SB_KEYS_MAX];
    sb_texts           manifests, masters;
    bool               has_manifests, has_masters;
} reading;

static void add_text(sb_lua *lua, sb_texts *texts)
{
    texts->items[texts->count++] = sb_lua_read_text(lua, 255);
}

static void read_manifest(sb_lua *lua, void *record)
{
    add_text(lua, &((reading *)record)->manifests);
}

static void read_master(sb_lua *lua, void *record)
{
    sb_texts *masters = &((reading *)record)->masters;
    add_text(lua, masters);
    const char *text = masters->items[masters->count - 1];
    const char *wrong = sb_config_find_key("masters")->check(text);
    if (wrong) sb_lua_fail(lua, "%s, is \"%.60s\"", wrong, text);
}

/* The lists arrive one text at a time; an empty one must still replace what was there before. */
static void read_manifests(sb_lua *lua, void *record)
{
    reading *r = record;
    r->has_manifests = true;
    sb_lua_read_list(lua, SB_TEXTS_MAX, read_manifest, r);
}

static void read_masters(sb_lua *lua, void *record)
{
    reading *r = record;
    r->has_masters = true;
    sb_lua_read_list(lua, SB_TEXTS_MAX, read_master, r);
}

/* combat = { beam_low = 0.4, ... }: any of the constants of the simulation. */
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
    sb_lua_read_fields(lua, fields, &((reading *)record)->room->server.combat.constants);
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
    sb_lua_read_list(lua, 213, read_mod, record);
}

/* modifiers = { { 1, 1, 1 }, ... }: rows by class of the attacker, columns by that of the target.
 */
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

static void skip_value(sb_lua *lua, void *record)
{
    (void)lua;
    (void)record;
}

static void read_rooms(sb_lua *lua, void *record);

/* How to read a table. Pass 0 of the file reads all but the rooms, pass 1 the rooms alone: they
 * start from what the rest says, wherever it stands. A room's table has only what rooms have. */
typedef enum pass { PASS_COMMON, PASS_ROOMS, PASS_ROOM } pass;

static sb_lua_field field_of(const sb_key *key, size_t index, pass p)
{
    sb_lua_field field = { .key = key->name, .kind = SB_LUA_ANY, .optional = true };
    field.offset = offsetof(reading, values) + index * sizeof(sb_lua_value);
    if (strcmp(key->name, "manifests") == 0) field.read = read_manifests;
    if (strcmp(key->name, "masters") == 0) field.read = read_masters;
    if (strcmp(key->name, "rooms") == 0) field.read = p == PASS_ROOMS ? read_rooms : skip_value;
    else if (p == PASS_ROOMS) field.read = skip_value;
    if (field.read) field.kind = SB_LUA_PART;
    return field;
}

static void read_table(sb_lua *lua, reading *r, pass p)
{
    static const sb_lua_field tables[] = {
        { .key = "combat", .kind = SB_LUA_PART, .optional = true, .read = read_combat },
        { .key = "mods", .kind = SB_LUA_PART, .optional = true, .read = read_mods },
        { .key = "modifiers", .kind = SB_LUA_PART, .optional = true, .read = read_modifiers },
    };
    sb_lua_field  fields[SB_KEYS_MAX + 4] = { 0 };
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

/* system = 3 is as good as system = "3". */
static void name_number(sb_lua *lua, const sb_key *key, sb_lua_value *value)
{
    char digits[32];
    bool number = key->kind == SB_KEY_NAME && value->kind == SB_LUA_IS_NUMBER;
    if (!number || !(value->number >= key->low && value->number <= key->high)) return;
    snprintf(digits, sizeof digits, "%.10g", value->number);
    *value = (sb_lua_value){ .kind = SB_LUA_IS_TEXT };
    value->text = sb_lua_copy(lua, digits, sizeof digits, 1);
}

/* What was read becomes part of the configuration; the value at hand is the table it was in. */
static void keep_values(sb_lua *lua, reading *r)
{
    char          reason[SB_KEY_REASON];
    const sb_key *keys = sb_config_keys();
    for (size_t i = 0; keys[i].name; i++) {
        void *record = record_of(r->config, r->room, &keys[i]);
        if (r->values[i].kind == SB_LUA_ABSENT) continue;
        name_number(lua, &keys[i], &r->values[i]);
        if (!sb_key_set(&keys[i], record, &r->values[i], reason))
            sb_lua_fail_at(lua, keys[i].name, "%s", reason);
    }
    if (r->has_manifests) r->room->manifests = r->manifests;
    if (r->has_masters) r->room->masters = r->masters;
}

static void read_room(sb_lua *lua, void *record)
{
    sb_process_config *config = ((reading *)record)->config;
    sb_room_config    *room = &config->rooms[config->room_count];
    *room = config->common;
    room->port = 0; /* the next one, unless it says otherwise */
    room->name = NULL;
    reading *r = sb_lua_allocate(lua, sizeof *r);
    *r = (reading){ .config = config, .room = room };
    read_table(lua, r, PASS_ROOM);
    keep_values(lua, r);
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
    keep_values(lua, r);
    read_table(lua, r, PASS_ROOMS);
}

/* Whose key is unknown: the file's or a room's, a constant's name in `combat`, or another's. */
typedef enum place { OF_SERVER, OF_COMBAT, OF_OTHER } place;

/* `path` is what stands before the name: "rooms[2]." of "rooms[2].threads". */
static place place_of(const char *path, size_t size)
{
    static const char combat[] = "combat.";
    size_t            tail = sizeof combat - 1;
    if (size == 0) return OF_SERVER;
    if (size >= tail && strncmp(path + size - tail, combat, tail) == 0) return OF_COMBAT;
    bool room = strncmp(path, "rooms[", 6) == 0 && strcspn(path, "]") + 2 == size;
    return room ? OF_SERVER : OF_OTHER;
}

/* "server.lua: max_player: unknown key" gets a hint; the reader of tables knows none. */
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
    place         where = place_of(path, (size_t)(begin - path));
    const sb_key *known = where == OF_SERVER ? sb_config_find_key(name) : NULL;
    const char   *near = where == OF_SERVER   ? sb_config_suggest_key(name)
                         : where == OF_COMBAT ? sb_config_suggest_constant(name)
                                              : NULL;
    if (known)
        snprintf(error + size, sizeof data->error - size, " of a room: it belongs to the server");
    else if (near) snprintf(error + size, sizeof data->error - size, "; did you mean `%s`?", near);
}

static sb_result load_file(sb_process_config *config, const char *file)
{
    sb_data_source source = { .name = file };
    if (!file) return SB_OK;
    config->file = file;
    sb_result result = sb_data_load_table(&config->data, source, read_file, config);
    if (result == SB_BAD_VALUE) add_suggestion(&config->data, file);
    return result;
}

/* ---- environment and command line ---- */

/* Flags and variables are called like their key; --set is not. */
static sb_result refuse_value(sb_process_config *config, const char *source, const sb_key *key,
                              const char *reason)
{
    bool named = strcmp(source, "--set") != 0;
    return sb_data_refuse(&config->data, source, named ? "" : key->name, reason);
}

/* Sets a key of the process once, one of rooms in all of them: what comes later wins. */
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

/* Names and ports given once for all rooms are numbered later, as if no room had its own. */
static void forget_own(sb_process_config *config, const sb_key *key)
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

/* With the bounds that a constant has in the file. */
static sb_result set_constant(sb_process_config *config, const sb_setting *s, const char *name)
{
    double    number;
    bool      fits = sb_key_parse_number(s->value, &number) && number <= SB_DATA_FIGURE_MAX;
    float     value = fits ? (float)number : -1; /* which is refused */
    sb_result result = sb_combat_constant_set(&config->common.server.combat.constants, name, value);
    if (result != SB_OK) return refuse_constant(config, s, name, result == SB_BAD_VALUE);
    for (size_t i = 0; i < config->room_count; i++)
        (void)!sb_combat_constant_set(&config->rooms[i].server.combat.constants, name, value);
    return SB_OK;
}

static sb_result apply_setting(sb_process_config *config, const sb_setting *s)
{
    const sb_key *key = sb_config_find_key(s->key);
    if (strncmp(s->key, "combat.", 7) == 0) return set_constant(config, s, s->key + 7);
    if (!key) return refuse_key(config, s->flag, s->key);
    sb_result result = set_everywhere(config, s->flag, key, s->value);
    forget_own(config, key);
    return result;
}

/* STARBASE_MAX_PLAYERS=8 to max_players and 8; false: not one of ours. */
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

static sb_result apply_environment(sb_process_config *config, const char *const *environment)
{
    char        name[48];
    const char *value;
    for (; environment && *environment; environment++) {
        if (!split_variable(*environment, name, sizeof name, &value)) continue;
        if (strcmp(name, "config") == 0) continue; /* which file: the caller knows */
        char *source = sb_data_allocate(&config->data, SB_KEY_VARIABLE);
        if (!source) return sb_data_refuse_os_error(&config->data, name, "out of memory");
        snprintf(source, SB_KEY_VARIABLE, "%.*s", (int)strcspn(*environment, "="), *environment);
        const sb_key *key = sb_config_find_key(name);
        if (!key) return refuse_key(config, source, name);
        sb_result result = set_everywhere(config, source, key, value);
        if (result != SB_OK) return result;
        forget_own(config, key);
    }
    return SB_OK;
}

/* ---- rooms ---- */

/* As many rooms as are wanted: those that are listed, and then others like `common`. */
static sb_result make_rooms(sb_process_config *config)
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
    sb_result result = load_file(out, sources->file);
    if (result == SB_OK) result = apply_environment(out, sources->environment);
    for (size_t i = 0; result == SB_OK && i < sources->setting_count; i++)
        result = apply_setting(out, &sources->settings[i]);
    if (result == SB_OK) result = make_rooms(out);
    if (result == SB_OK) result = sb_process_config_resolve(out);
    return result;
}

void sb_process_config_free(sb_process_config *config)
{
    sb_data_free(&config->data);
}
