/* src/load/data_lists.c -- loads the lists of species, projectiles and systems, sorted by number.
 *
 * For:      the part of data_file.h that is not about ships. A new figure is a new row of fields.
 * May use:  lua_table.h.
 * Never:    touches Lua itself, or compares one list with another.
 * Spec:     11 (figures).
 * Tests:    tests/load/data_file_test.c
 */
#include "load/data_file.h"

#include "load/ship_table.h"

#include "load/lua_table.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define LIMIT           SB_DATA_FIGURE_MAX

enum { ROWS_MAX = 255, OTHER_SETS_MAX = 16 };

static void check_ascending(sb_lua *lua, const char *key, unsigned before, unsigned now)
{
    if (now <= before)
        sb_lua_fail_at(lua, key, "must be more than %u, the value of the entry before", before);
}

/* clang-format off */
#define SPECIES(member) offsetof(sb_species, member)
static const sb_lua_field species_fields[] = {
    { "species", SB_LUA_U8,   false, SPECIES(species), 1, 255 },
    { "name",    SB_LUA_TEXT, false, SPECIES(name), .count = SB_DATA_NAME_MAX },
    { "faction", SB_LUA_TEXT, false, SPECIES(faction), .count = SB_DATA_NAME_MAX },
    { NULL },
};

static const char *const kind_words[] = { "torpedo", "bolt", NULL };
_Static_assert(COUNT_OF(kind_words) == SB_PROJECTILE_KIND_COUNT + 1, "a word for every kind");

#define PROJECTILE(member) offsetof(sb_projectile_class, member)
static const sb_lua_field projectile_fields[] = {
    { "type",                 SB_LUA_U8,     false, PROJECTILE(type), 1, 255 },
    { "name",                 SB_LUA_TEXT,   false, PROJECTILE(name), .count = SB_DATA_NAME_MAX },
    { "label",                SB_LUA_TEXT,   false, PROJECTILE(label), .count = SB_DATA_NAME_MAX },
    { "kind",                 SB_LUA_WORD,   false, PROJECTILE(kind), .words = kind_words },
    { "damage",               SB_LUA_FIGURE, false, PROJECTILE(damage), 0, LIMIT },
    { "launch_speed",         SB_LUA_FIGURE, false, PROJECTILE(launch_speed), 0, LIMIT },
    { "power_cost",           SB_LUA_FIGURE, false, PROJECTILE(power_cost), 0, LIMIT },
    { "guidance_lifetime",    SB_LUA_FIGURE, false, PROJECTILE(guidance_lifetime), 0, LIMIT },
    { "max_angular_accel",    SB_LUA_FIGURE, false, PROJECTILE(max_angular_accel), 0, LIMIT },
    { "lifetime",             SB_LUA_FIGURE, false, PROJECTILE(lifetime), 0, LIMIT },
    { "damage_radius_factor", SB_LUA_FIGURE, false, PROJECTILE(damage_radius_factor), 0, LIMIT },
    { "source",               SB_LUA_WORD,   true,  PROJECTILE(source), .words = sb_source_words },
    { NULL },
};

static void read_other_set(sb_lua *lua, void *record);
#define SYSTEM(member) offsetof(sb_system, member)
static const sb_lua_field system_fields[] = {
    { "index",      SB_LUA_U8,   false, SYSTEM(index), 1, 255 },
    { "name",       SB_LUA_TEXT, false, SYSTEM(name), .count = SB_DATA_NAME_MAX },
    { "start_set",  SB_LUA_TEXT, false, SYSTEM(start_set), .count = SB_DATA_NAME_MAX },
    { "script",     SB_LUA_TEXT, false, SYSTEM(script), .count = SB_DATA_NAME_MAX },
    { "label",      SB_LUA_TEXT, false, SYSTEM(label), .count = SB_DATA_NAME_MAX },
    { "campaign",   SB_LUA_FLAG, true,  SYSTEM(campaign) },
    { "other_sets", SB_LUA_LIST, true,  0, .count = OTHER_SETS_MAX, .read = read_other_set },
    { NULL },
};
/* clang-format on */

typedef struct species_draft {
    sb_species rows[ROWS_MAX];
    size_t     count;
} species_draft;

static void read_species(sb_lua *lua, void *record)
{
    species_draft *draft = record;
    sb_species    *row = &draft->rows[draft->count++];
    sb_lua_read_fields(lua, species_fields, row);
    check_ascending(lua, "species", draft->count > 1 ? row[-1].species : 0, row->species);
}

static void read_species_list(sb_lua *lua, void *out)
{
    species_draft draft = { .count = 0 };
    sb_lua_read_list(lua, ROWS_MAX, read_species, &draft);
    sb_species_set *set = sb_lua_allocate(lua, sizeof *set);
    set->species = sb_lua_copy(lua, draft.rows, draft.count, sizeof draft.rows[0]);
    set->count = draft.count;
    *(const sb_species_set **)out = set;
}

sb_result sb_data_load_species(sb_data *data, sb_data_source source, const sb_species_set **out)
{
    return sb_data_load_table(data, source, read_species_list, out);
}

typedef struct projectile_draft {
    sb_projectile_class rows[ROWS_MAX];
    size_t              count;
} projectile_draft;

static void read_projectile(sb_lua *lua, void *record)
{
    projectile_draft    *draft = record;
    sb_projectile_class *row = &draft->rows[draft->count++];
    row->source = SB_SOURCE_DOCUMENTED;
    sb_lua_read_fields(lua, projectile_fields, row);
    check_ascending(lua, "type", draft->count > 1 ? row[-1].type : 0, row->type);
}

static void read_projectile_list(sb_lua *lua, void *out)
{
    projectile_draft draft = { .count = 0 };
    sb_lua_read_list(lua, ROWS_MAX, read_projectile, &draft);
    sb_projectile_set *set = sb_lua_allocate(lua, sizeof *set);
    set->projectiles = sb_lua_copy(lua, draft.rows, draft.count, sizeof draft.rows[0]);
    set->count = draft.count;
    for (size_t i = 0; i < set->count; i++)
        set->by_type[set->projectiles[i].type] = &set->projectiles[i];
    *(const sb_projectile_set **)out = set;
}

sb_result sb_data_load_projectiles(sb_data *data, sb_data_source source,
                                   const sb_projectile_set **out)
{
    return sb_data_load_table(data, source, read_projectile_list, out);
}

typedef struct system_draft {
    sb_system rows[ROWS_MAX];
    size_t    count;
} system_draft;

typedef struct other_sets_draft {
    sb_system   row; /* must be first: system_fields has offsets in it */
    const char *other_sets[OTHER_SETS_MAX];
} other_sets_draft;

static void read_other_set(sb_lua *lua, void *record)
{
    other_sets_draft *draft = record;
    draft->other_sets[draft->row.other_set_count++] = sb_lua_read_text(lua, SB_DATA_NAME_MAX);
}

static void read_system(sb_lua *lua, void *record)
{
    system_draft    *draft = record;
    other_sets_draft one = { .row = { 0 } };
    sb_lua_read_fields(lua, system_fields, &one);
    one.row.other_sets =
        sb_lua_copy(lua, one.other_sets, one.row.other_set_count, sizeof one.other_sets[0]);
    check_ascending(lua, "index", draft->count ? draft->rows[draft->count - 1].index : 0,
                    one.row.index);
    draft->rows[draft->count++] = one.row;
}

static void read_system_list(sb_lua *lua, void *out)
{
    system_draft draft = { .count = 0 };
    sb_lua_read_list(lua, ROWS_MAX, read_system, &draft);
    sb_system_set *set = sb_lua_allocate(lua, sizeof *set);
    set->systems = sb_lua_copy(lua, draft.rows, draft.count, sizeof draft.rows[0]);
    set->count = draft.count;
    *(const sb_system_set **)out = set;
}

sb_result sb_data_load_systems(sb_data *data, sb_data_source source, const sb_system_set **out)
{
    return sb_data_load_table(data, source, read_system_list, out);
}
