/* src/config/read_file.c -- reads server.lua: its keys, tables and rooms.
 *
 * For:      read_config.c.
 * May use:  lua_table.h for the file; keys.h for the meaning of a key.
 * Tests:    tests/config/read_config_test.c
 */
#include <string.h>

#include "config/bots_table.h"
#include "config/placeholders.h"
#include "config/read_config_internal.h"

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
        void *record = sb_key_record(r->config, r->room, &keys[i]);
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

sb_result sb_process_config_read_file(sb_process_config *config, const char *file)
{
    sb_data_source source = { .name = file, .accepts_lines = true };
    if (!file) return SB_OK;
    config->file = file;
    sb_result result = sb_data_load_table(&config->data, source, read_file, config);
    if (result == SB_BAD_VALUE) add_suggestion(&config->data, file);
    return result;
}
