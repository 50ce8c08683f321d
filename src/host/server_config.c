/* src/host/server_config.c -- the layers of a configuration: defaults, server.lua, environment,
 * command line; in that order. What they give is completed by server_complete.c.
 *
 * For:      server_config.h.
 * May use:  lua_table.h for the file; server_keys.h for what a key means.
 */
#include "host/server_config.h"

#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "host/server_complete.h"
#include "host/server_keys.h"

enum { KEYS_MAX = 96 };

static void *record_of(sb_serve_config *config, sb_room_config *room, const sb_key *key)
{
    return key->of_room ? (void *)room : (void *)config;
}

static void set_defaults(sb_serve_config *config)
{
    sb_room_config *room = &config->common;
    *config = (sb_serve_config){ .bind = "0.0.0.0", .data_dir = "", .learn = "" };
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
    sb_serve_config *config;
    sb_room_config  *room; /* where its keys go */
    sb_lua_value     values[KEYS_MAX];
    sb_texts         manifests, masters;
    bool             has_manifests, has_masters;
} reading;

static void add_text(sb_lua *lua, sb_texts *texts)
{
    texts->items[texts->count++] = sb_lua_take_text(lua, 255);
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
    const char *wrong = sb_find_server_key("masters")->check(text);
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
        { .key = "type", .kind = SB_LUA_U8, .offset = 0, .low = 0x2B, .high = 0xFF },
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
    sb_lua_value value = sb_lua_take_value(lua);
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
    sb_lua_field  fields[KEYS_MAX + 4] = { 0 };
    const sb_key *keys = sb_server_keys();
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
    value->text = sb_lua_keep_copy(lua, digits, sizeof digits, 1);
}

/* What was read becomes part of the configuration; the value at hand is the table it was in. */
static void keep_values(sb_lua *lua, reading *r)
{
    char          reason[SB_KEY_REASON];
    const sb_key *keys = sb_server_keys();
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
    sb_serve_config *config = ((reading *)record)->config;
    sb_room_config  *room = &config->rooms[config->room_count];
    *room = config->common;
    room->port = 0; /* the next one, unless it says otherwise */
    room->name = NULL;
    reading *r = sb_lua_keep(lua, sizeof *r);
    *r = (reading){ .config = config, .room = room };
    read_table(lua, r, PASS_ROOM);
    keep_values(lua, r);
    config->room_count++;
}

static void read_rooms(sb_lua *lua, void *record)
{
    sb_serve_config *config = ((reading *)record)->config;
    sb_lua_value     value = sb_lua_take_value(lua);
    char             reason[SB_KEY_REASON];
    if (value.kind == SB_LUA_IS_OTHER) {
        config->rooms = sb_lua_keep(lua, SB_ROOMS_MAX * sizeof *config->rooms);
        sb_lua_read_list(lua, SB_ROOMS_MAX, read_room, record);
    } else if (!sb_key_set(sb_find_server_key("rooms"), config, &value, reason))
        sb_lua_fail(lua, "%s, or a list of rooms", reason);
}

static void read_file(sb_lua *lua, void *record)
{
    sb_serve_config *config = record;
    reading         *r = sb_lua_keep(lua, sizeof *r);
    *r = (reading){ .config = config, .room = &config->common };
    read_table(lua, r, PASS_COMMON);
    keep_values(lua, r);
    read_table(lua, r, PASS_ROOMS);
}

/* "server.lua: max_player: unknown key" gets a hint; the reader of tables knows none. */
static void add_suggestion(sb_data *data)
{
    static const char ending[] = ": unknown key";
    char             *error = data->error, name[64];
    size_t            size = strlen(error), tail = sizeof ending - 1;
    if (size < tail || strcmp(error + size - tail, ending) != 0) return;
    size_t end = size - tail, begin = end;
    while (begin > 0 && error[begin - 1] != ' ' && error[begin - 1] != '.') begin--;
    if (end - begin >= sizeof name) return;
    memcpy(name, error + begin, end - begin);
    name[end - begin] = '\0';
    const sb_key *known = sb_find_server_key(name);
    const char   *near = sb_suggest_server_key(name);
    if (known && !known->of_room)
        snprintf(error + size, sizeof data->error - size, " of a room: it belongs to the server");
    else if (near) snprintf(error + size, sizeof data->error - size, "; did you mean `%s`?", near);
}

static sb_result load_file(sb_serve_config *config, const char *file)
{
    sb_data_source source = { .name = file };
    if (!file) return SB_OK;
    config->file = file;
    sb_result result = sb_data_load_table(&config->data, source, read_file, config);
    if (result == SB_BAD_VALUE) add_suggestion(&config->data);
    return result;
}

/* ---- environment and command line ---- */

/* Flags and variables are called like their key; --set is not. */
static sb_result refuse_value(sb_serve_config *config, const char *source, const sb_key *key,
                              const char *reason)
{
    bool named = strcmp(source, "--set") != 0;
    return sb_data_refuse(&config->data, source, named ? "" : key->name, reason);
}

/* Sets a key of the process once, one of rooms in all of them: what comes later wins. */
static sb_result set_everywhere(sb_serve_config *config, const char *source, const sb_key *key,
                                const char *text)
{
    char reason[SB_KEY_REASON];
    bool fine =
        sb_key_set_text(key, record_of(config, &config->common, key), text, &config->data, reason);
    if (!fine) return refuse_value(config, source, key, reason);
    for (size_t i = 0; key->of_room && i < config->room_count; i++)
        (void)sb_key_set_text(key, &config->rooms[i], text, &config->data, reason);
    return SB_OK;
}

/* Names and ports given once for all rooms are numbered later, as if no room had its own. */
static void forget_own(sb_serve_config *config, const sb_key *key)
{
    for (size_t i = 0; i < config->room_count; i++) {
        if (strcmp(key->name, "port") == 0) config->rooms[i].port = 0;
        if (strcmp(key->name, "name") == 0) config->rooms[i].name = NULL;
    }
}

static sb_result refuse_key(sb_serve_config *config, const char *source, const char *name)
{
    char        reason[160] = "unknown key";
    const char *near = sb_suggest_server_key(name);
    if (near) snprintf(reason, sizeof reason, "unknown key; did you mean `%s`?", near);
    return sb_data_refuse(&config->data, source, name, reason);
}

static sb_result set_constant(sb_serve_config *config, const sb_setting *s, const char *name)
{
    char     *end;
    float     value = strtof(s->value, &end);
    bool      number = end != s->value && *end == '\0';
    sb_result result =
        number ? sb_combat_constant_set(&config->common.server.combat.constants, name, value)
               : SB_BAD_VALUE;
    if (result != SB_OK)
        return sb_data_refuse(&config->data, s->flag, s->key,
                              result == SB_UNKNOWN_OPCODE
                                  ? "there is no such constant of the simulation"
                                  : "must be a number that is not negative");
    for (size_t i = 0; i < config->room_count; i++)
        (void)!sb_combat_constant_set(&config->rooms[i].server.combat.constants, name, value);
    return SB_OK;
}

static sb_result apply_setting(sb_serve_config *config, const sb_setting *s)
{
    const sb_key *key = sb_find_server_key(s->key);
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

static sb_result apply_environment(sb_serve_config *config, const char *const *environment)
{
    char        name[48], source[SB_KEY_VARIABLE];
    const char *value;
    for (; environment && *environment; environment++) {
        if (!split_variable(*environment, name, sizeof name, &value)) continue;
        if (strcmp(name, "config") == 0) continue; /* which file: the caller knows */
        snprintf(source, sizeof source, "%.*s", (int)strcspn(*environment, "="), *environment);
        const sb_key *key = sb_find_server_key(name);
        if (!key) return refuse_key(config, source, name);
        sb_result result = set_everywhere(config, source, key, value);
        if (result != SB_OK) return result;
        forget_own(config, key);
    }
    return SB_OK;
}

/* ---- rooms ---- */

/* As many rooms as are wanted: those that are listed, and then others like `common`. */
static sb_result make_rooms(sb_serve_config *config)
{
    size_t wanted = config->wanted_rooms ? config->wanted_rooms : config->room_count;
    if (wanted == 0) wanted = 1;
    if (!config->rooms) config->rooms = sb_data_keep(&config->data, wanted * sizeof *config->rooms);
    if (!config->rooms) return sb_data_refuse_for_host(&config->data, "rooms", "out of memory");
    for (; config->room_count < wanted; config->room_count++) {
        sb_room_config *room = &config->rooms[config->room_count];
        *room = config->common;
        room->port = 0;
        room->name = NULL;
    }
    config->room_count = wanted;
    return SB_OK;
}

sb_result sb_serve_config_load(sb_serve_config *out, const sb_config_sources *sources)
{
    set_defaults(out);
    sb_result result = load_file(out, sources->file);
    if (result == SB_OK) result = apply_environment(out, sources->environment);
    for (size_t i = 0; result == SB_OK && i < sources->setting_count; i++)
        result = apply_setting(out, &sources->settings[i]);
    if (result == SB_OK) result = make_rooms(out);
    if (result == SB_OK) result = sb_complete_config(out);
    return result;
}

void sb_serve_config_free(sb_serve_config *config)
{
    sb_data_free(&config->data);
}

/* ---- what has changed ---- */

/* Counts rooms in which something differs, and remembers the last. */
typedef struct differing {
    size_t rooms;
    size_t last; /* its number, from 1 */
} differing;

static void count_room(differing *d, size_t index, bool equal)
{
    if (equal) return;
    d->rooms++;
    d->last = index + 1;
}

static size_t common_rooms(const sb_serve_config *a, const sb_serve_config *b)
{
    return a->room_count < b->room_count ? a->room_count : b->room_count;
}

static bool are_equal(const float *a, const float *b, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool is_table_equal(const char *table, const sb_room_config *a, const sb_room_config *b)
{
    const sb_server_config *s = &a->server, *t = &b->server;
    if (strcmp(table, "combat") == 0)
        return are_equal((const float *)&s->combat.constants, (const float *)&t->combat.constants,
                         sizeof s->combat.constants); /* nothing but floats */
    if (strcmp(table, "modifiers") == 0)
        return are_equal(&s->match.modifiers[0][0], &t->match.modifiers[0][0],
                         sizeof s->match.modifiers);
    return memcmp(a->mods, b->mods, sizeof a->mods) == 0;
}

static differing compare_key(const sb_serve_config *before, const sb_serve_config *after,
                             const sb_key *key)
{
    differing d = { 0, 0 };
    bool      rooms = strcmp(key->name, "rooms") == 0; /* a number, or a list that long */
    if (rooms) d.rooms = before->room_count != after->room_count;
    else if (!key->of_room) d.rooms = !sb_key_is_equal(key, before, after);
    for (size_t i = 0; key->of_room && i < common_rooms(before, after); i++)
        count_room(&d, i, sb_key_is_equal(key, &before->rooms[i], &after->rooms[i]));
    return d;
}

static differing compare_table(const sb_serve_config *before, const sb_serve_config *after,
                               const char *table)
{
    differing d = { 0, 0 };
    for (size_t i = 0; i < common_rooms(before, after); i++)
        count_room(&d, i, is_table_equal(table, &before->rooms[i], &after->rooms[i]));
    return d;
}

static void tell_difference(const sb_serve_config *before, const char *name, differing d,
                            sb_change_fn tell, void *context)
{
    if (d.rooms == 0) return;
    tell(context, name, d.rooms == 1 && before->room_count > 1 ? (unsigned)d.last : 0);
}

void sb_serve_config_compare(const sb_serve_config *before, const sb_serve_config *after,
                             unsigned change, sb_change_fn tell, void *context)
{
    for (const sb_key *key = sb_server_keys(); key->name; key++)
        if (key->change == change)
            tell_difference(before, key->name, compare_key(before, after, key), tell, context);
    for (size_t i = 0; sb_server_table_keys[i]; i++) {
        const char *table = sb_server_table_keys[i];
        if (sb_server_table_change(table) == (sb_key_change)change)
            tell_difference(before, table, compare_table(before, after, table), tell, context);
    }
}

/* ---- showing it ---- */

static void print_keys(FILE *out, const sb_serve_config *config, const sb_room_config *room,
                       bool of_room, const char *indent)
{
    char value[SB_KEY_VALUE], common[SB_KEY_VALUE];
    bool whole = room == &config->common;
    for (const sb_key *key = sb_server_keys(); key->name; key++) {
        if (key->of_room != of_room || strcmp(key->name, "rooms") == 0) continue;
        sb_key_value_text(key, of_room ? (const void *)room : config, value);
        sb_key_value_text(key, of_room ? (const void *)&config->common : config, common);
        bool own = strcmp(key->name, "port") == 0 || strcmp(key->name, "name") == 0;
        if (whole || own || strcmp(value, common) != 0)
            fprintf(out, "%s%s = %s,\n", indent, key->name, value);
    }
}

static void print_combat(FILE *out, const sb_room_config *room, const sb_room_config *other,
                         const char *indent)
{
    const char  *name, *tag, *text;
    float        value;
    const float *here = (const float *)&room->server.combat.constants;
    const float *there = other ? (const float *)&other->server.combat.constants : NULL;
    fprintf(out, "%scombat = {", indent);
    for (size_t i = 0; sb_combat_constant_at(i, &name, &value, &tag, &text); i++)
        if (here[i] != (there ? there[i] : value))
            fprintf(out, " %s = %.9g,", name, (double)here[i]);
    fprintf(out, " },\n");
}

static void print_mods(FILE *out, const sb_room_config *room, const char *indent)
{
    fprintf(out, "%smods = {", indent);
    for (int i = 0; i < 256; i++)
        if (room->mods[i])
            fprintf(out, " { type = 0x%02X, policy = \"%s\" },", (unsigned)i,
                    sb_mod_policy_text((sb_mod_policy)room->mods[i]));
    fprintf(out, " },\n%smodifiers = {", indent);
    for (int i = 0; i < 3; i++) {
        const float *row = room->server.match.modifiers[i];
        fprintf(out, " { %g, %g, %g },", (double)row[0], (double)row[1], (double)row[2]);
    }
    fprintf(out, " },\n");
}

void sb_serve_config_print(FILE *out, const sb_serve_config *config)
{
    fprintf(out, "-- effective configuration: %s%senvironment, command line\nreturn {\n",
            config->file ? config->file : "defaults", ", ");
    print_keys(out, config, &config->common, false, "    ");
    print_keys(out, config, &config->common, true, "    ");
    print_combat(out, &config->common, NULL, "    ");
    print_mods(out, &config->common, "    ");
    fprintf(out, "    rooms = {\n");
    for (size_t i = 0; i < config->room_count; i++) {
        const sb_room_config *room = &config->rooms[i];
        fprintf(out, "        {\n");
        print_keys(out, config, room, true, "            ");
        print_combat(out, room, &config->common, "            ");
        print_mods(out, room, "            ");
        fprintf(out, "        },\n");
    }
    fprintf(out, "    },\n}\n");
}
