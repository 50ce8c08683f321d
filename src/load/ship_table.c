/* src/load/ship_table.c -- the fields of a ship and of its ordnance.
 *
 * For:      ship_table.h. A new figure is a new row in one of the lists of fields. Rules that a row
 *           cannot express (two values that contradict each other) are checked after reading.
 * May use:  lua_table.h; part_table.h for the parts, hull_table.h for the shape.
 * Never:    touches Lua itself, or looks at another ship.
 * Spec:     11 (figures). data/README.md lists the keys for people.
 * Tests:    tests/load/ship_table_test.c, tests/load/data_file_test.c
 */
#include "load/ship_table.h"

#include "load/hull_table.h"
#include "load/part_table.h"
#include "load/table_limits.h"

#include <starbase/combat.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
    GROUND_BYTES_MAX = 127,
    SHIP_ORDNANCE_MAX = 32,
    SHIP_CHANGES_MAX = 32,
#define COUNT_ONE(name, value, tag, text) +1
    SHIP_CONSTANTS_MAX = 0 SB_COMBAT_CONSTANTS(COUNT_ONE),
#undef COUNT_ONE
};

typedef struct ship_draft {
    sb_ship_class    ship;          /* must be first: ship_fields has offsets in it */
    const char      *subsystems_of; /* NULL: the ship has its own list */
    sb_ship_change   changes[SHIP_CHANGES_MAX];
    size_t           change_count;
    sb_part_lists    parts;
    sb_ordnance      ordnance[SHIP_ORDNANCE_MAX];
    sb_ship_constant constants[SHIP_CONSTANTS_MAX];
} ship_draft;

const char *const sb_source_words[] = {
#define WORD(name, word) word,
    SB_FIGURE_SOURCES(WORD) NULL,
#undef WORD
};
static const char *const layout_words[] = { "stock", "documented", NULL };
_Static_assert(COUNT_OF(layout_words) == SB_SHIELD_LAYOUTS + 1, "a word for every layout");

static void read_change(sb_lua *lua, void *record);
static void read_subsystem(sb_lua *lua, void *record);
static void read_hardpoint(sb_lua *lua, void *record);
static void read_ordnance(sb_lua *lua, void *record);
static void read_constants(sb_lua *lua, void *record);

/* clang-format off */
#define ORDNANCE(member) offsetof(sb_ordnance, member)
static const sb_lua_field ordnance_fields[] = {
    { "system",        SB_LUA_WORD,    false, ORDNANCE(system_type), .words = sb_part_system_words },
    { "slot",          SB_LUA_U8,      false, ORDNANCE(slot), 0, 255 },
    { "projectile",    SB_LUA_U8,      false, ORDNANCE(projectile_type), 0, 255 },
    { "ground",        SB_LUA_TEXT,    false, ORDNANCE(ground), .count = GROUND_BYTES_MAX },
    { "source",        SB_LUA_WORD,    true,  ORDNANCE(source), .words = sb_source_words },
    { "max_torpedoes", SB_LUA_FIGURE,  true,  ORDNANCE(max_torpedoes), 0, MAX_DISTANCE },
    { "script",        SB_LUA_TEXT,    true,  ORDNANCE(script), .count = SCRIPT_BYTES_MAX },
    { "type_name",     SB_LUA_TEXT,    true,  ORDNANCE(type_name), .count = SB_DATA_NAME_MAX },
    { "integers",      SB_LUA_FIGURES, true,  ORDNANCE(integers), -MAX_DISTANCE, MAX_DISTANCE, 2 },
    { NULL },
};

#define CHANGE(member) offsetof(sb_ship_change, member)
static const sb_lua_field change_fields[] = {
    { "name",          SB_LUA_TEXT,   false, CHANGE(name), .count = SB_DATA_NAME_MAX },
    { "max_condition", SB_LUA_FIGURE, false, CHANGE(max_condition), MIN_DIVISOR, LIMIT },
    { "source",        SB_LUA_WORD,   false, CHANGE(source), .words = sb_source_words },
    { NULL },
};

#define SHIP(member) offsetof(sb_ship_class, member)
static const sb_lua_field impulse_fields[] = {
    { "max_speed",            SB_LUA_FIGURE, false, SHIP(max_speed), 0, LIMIT },
    { "max_accel",            SB_LUA_FIGURE, false, SHIP(max_accel), 0, LIMIT },
    { "max_angular_accel",    SB_LUA_FIGURE, false, SHIP(max_angular_accel), 0, LIMIT },
    { "max_angular_velocity", SB_LUA_FIGURE, false, SHIP(max_angular_velocity), 0, LIMIT },
    { NULL },
};
static const sb_lua_field shield_fields[] = {
    { "max",  SB_LUA_FIGURES, false, SHIP(shield_max), 0, LIMIT, SB_FACINGS },
    { "rate", SB_LUA_FIGURES, false, SHIP(shield_rate), 0, LIMIT, SB_FACINGS },
    { NULL },
};
static const sb_lua_field power_fields[] = {
    { "output",         SB_LUA_FIGURE, false, SHIP(power_output), 0, LIMIT },
    { "main_battery",   SB_LUA_FIGURE, false, SHIP(main_battery), 0, LIMIT },
    { "backup_battery", SB_LUA_FIGURE, false, SHIP(backup_battery), 0, LIMIT },
    { "main_conduit",   SB_LUA_FIGURE, false, SHIP(main_conduit), 0, LIMIT },
    { "backup_conduit", SB_LUA_FIGURE, false, SHIP(backup_conduit), 0, LIMIT },
    { "draw_source",    SB_LUA_WORD,   false, SHIP(figures_source), .words = sb_source_words },
    { NULL },
};
static const sb_lua_field repair_fields[] = {
    { "max_points", SB_LUA_FIGURE, false, SHIP(max_repair_points), 0, LIMIT },
    { "teams",      SB_LUA_U8,     false, SHIP(repair_teams), 0, 255 },
    { NULL },
};
#define CLASS_SOURCE(key, member) { key, SB_LUA_WORD, true, SHIP(member), .words = sb_source_words }
static const sb_lua_field class_source_fields[] = {
    CLASS_SOURCE("mass",         mass_source),
    CLASS_SOURCE("impulse",      impulse_source),
    CLASS_SOURCE("shields",      shield_source),
    CLASS_SOURCE("shield_rates", rate_source),
    CLASS_SOURCE("repair",       repair_source),
    CLASS_SOURCE("reactor",      reactor_source),
    CLASS_SOURCE("sensor_range", sensor_source),
    CLASS_SOURCE("radius",       radius_source),
    { NULL },
};
static const sb_lua_field ship_fields[] = { /* `source` sets the defaults of `subsystems` */
    { "species",            SB_LUA_U8,     false, SHIP(species), 1, 255 },
    { "key",                SB_LUA_TEXT,   false, SHIP(key), .count = SB_DATA_NAME_MAX },
    { "name",               SB_LUA_TEXT,   false, SHIP(name), .count = SB_DATA_NAME_MAX },
    { "faction",            SB_LUA_TEXT,   false, SHIP(faction), .count = SB_DATA_NAME_MAX },
    { "modifier_class",     SB_LUA_U8,     false, SHIP(modifier_class), 0, 255 },
    { "selectable",         SB_LUA_FLAG,   false, SHIP(selectable) },
    { "mass",               SB_LUA_FIGURE, false, SHIP(mass), MIN_DIVISOR, LIMIT },
    { "rotational_inertia", SB_LUA_FIGURE, false, SHIP(rotational_inertia), 0, LIMIT },
    { "bound_radius",       SB_LUA_FIGURE, false, SHIP(bound_radius), MIN_DIVISOR, MAX_DISTANCE },
    { "cloak_strength",     SB_LUA_FIGURE, true,  SHIP(cloak_strength), 0, LIMIT },
    { "sensor_range",       SB_LUA_FIGURE, true,  SHIP(sensor_range), 0, LIMIT },
    { "captured_hash",      SB_LUA_INT,    true,  SHIP(captured_hash), 1, 65535 },
    { "shield_entry",       SB_LUA_WORD,   true,  SHIP(shield_layout), .words = layout_words },
    { "class_source",       SB_LUA_WORD,   true,  SHIP(class_source), .words = sb_source_words },
    { "class_sources",      SB_LUA_GROUP,  true,  0, .fields = class_source_fields },
    { "impulse",            SB_LUA_GROUP,  false, 0, .fields = impulse_fields },
    { "shields",            SB_LUA_GROUP,  false, 0, .fields = shield_fields },
    { "power",              SB_LUA_GROUP,  false, 0, .fields = power_fields },
    { "repair",             SB_LUA_GROUP,  false, 0, .fields = repair_fields },
    { "ordnance",           SB_LUA_LIST,   true,  0, .count = SHIP_ORDNANCE_MAX,
                                                     .read = read_ordnance },
    { "combat",             SB_LUA_PART,   true,  0, .read = read_constants },
    { "hull",               SB_LUA_PART,   true,  0, .read = sb_ship_read_hull },
    { "source",             SB_LUA_GROUP,  true,  offsetof(ship_draft, parts.defaults),
                                                     .fields = sb_part_source_fields },
    { "subsystems",         SB_LUA_LIST,   true,  0, .count = SB_SUBSYSTEMS_MAX,
                                                     .read = read_subsystem },
    { "hardpoints",         SB_LUA_LIST,   true,  0, .count = SB_HARDPOINTS_MAX,
                                                     .read = read_hardpoint },
    { "subsystems_of",      SB_LUA_TEXT,   true,  offsetof(ship_draft, subsystems_of),
                                                     .count = SB_DATA_NAME_MAX },
    { "changes",            SB_LUA_LIST,   true,  0, .count = SHIP_CHANGES_MAX,
                                                     .read = read_change },
    { NULL },
};
/* clang-format on */

static void check_torpedo(sb_lua *lua, const sb_ordnance *ordnance)
{
    bool        torpedo = ordnance->system_type == SB_SUBSYSTEM_TORPEDO_SYSTEM;
    const char *key = !isnan(ordnance->max_torpedoes) ? "max_torpedoes"
                      : ordnance->script              ? "script"
                      : ordnance->type_name           ? "type_name"
                      : !isnan(ordnance->integers[0]) ? "integers"
                                                      : NULL;
    if (!torpedo && key) sb_lua_fail_at(lua, key, "only a torpedo_system has it");
    for (size_t i = 0; i < 2; i++)
        if (!isnan(ordnance->integers[i]) && ordnance->integers[i] != rintf(ordnance->integers[i]))
            sb_lua_fail_at(lua, "integers", "must be whole numbers");
}

static void read_ordnance(sb_lua *lua, void *record)
{
    ship_draft  *ship = record;
    sb_ordnance *ordnance = &ship->ordnance[ship->ship.ordnance_count];
    ordnance->max_torpedoes = ordnance->integers[0] = ordnance->integers[1] = NAN;
    ordnance->source = SB_SOURCE_ESTIMATE;
    sb_lua_read_fields(lua, ordnance_fields, ordnance);
    if (ordnance->system_type != SB_SUBSYSTEM_TORPEDO_SYSTEM &&
        ordnance->system_type != SB_SUBSYSTEM_PULSE_SYSTEM)
        sb_lua_fail_at(lua, "system", "must be torpedo_system or pulse_system");
    check_torpedo(lua, ordnance);
    for (size_t i = 0; i < ship->ship.ordnance_count; i++)
        if (ship->ordnance[i].system_type == ordnance->system_type &&
            ship->ordnance[i].slot == ordnance->slot)
            sb_lua_fail_at(lua, "slot", "is the same as in ordnance[%zu]", i + 1);
    ship->ship.ordnance_count++;
}

static void read_subsystem(sb_lua *lua, void *record)
{
    ship_draft *ship = record;
    sb_part_read_subsystem(lua, &ship->parts);
}

static void read_hardpoint(sb_lua *lua, void *record)
{
    ship_draft *ship = record;
    sb_part_read_hardpoint(lua, &ship->parts);
}

static void read_change(sb_lua *lua, void *record)
{
    ship_draft *ship = record;
    sb_lua_read_fields(lua, change_fields, &ship->changes[ship->change_count]);
    ship->change_count++;
}

/* combat = { cloak_time = 3, ... }: constants of the simulation that this ship overrides. Stores
 * names and values; the simulation knows their meaning. */
static void read_constants(sb_lua *lua, void *record)
{
    static const sb_lua_field fields[] = {
#define FIELD(name_, value, tag, text)                                                             \
    { .key = #name_,                                                                               \
      .kind = SB_LUA_FIGURE,                                                                       \
      .optional = true,                                                                            \
      .offset = offsetof(sb_combat_constants, name_),                                              \
      .high = LIMIT },
        SB_COMBAT_CONSTANTS(FIELD){ 0 },
#undef FIELD
    };
    ship_draft *ship = record;
    float       values[SHIP_CONSTANTS_MAX];
    _Static_assert(sizeof values == sizeof(sb_combat_constants), "all of them are floats");
    for (size_t i = 0; i < SHIP_CONSTANTS_MAX; i++) values[i] = NAN;
    sb_lua_read_fields_warning(lua, fields, values, sb_combat_constant_removed);
    for (size_t i = 0; i < SHIP_CONSTANTS_MAX; i++)
        if (!isnan(values[i]))
            ship->constants[ship->ship.constant_count++] =
                (sb_ship_constant){ fields[i].key, values[i] };
}

static void set_missing(uint8_t *source, uint8_t word)
{
    if (!*source) *source = word;
}

static void finish_class_sources(sb_lua *lua, sb_ship_class *ship)
{
    bool sensors = !isnan(ship->sensor_range);
    if (!sensors && ship->sensor_source)
        sb_lua_fail_at(lua, "class_sources.sensor_range", "sensor_range is missing");
    set_missing(&ship->mass_source, ship->class_source);
    set_missing(&ship->impulse_source, ship->class_source);
    set_missing(&ship->shield_source, ship->class_source);
    set_missing(&ship->rate_source, ship->class_source);
    set_missing(&ship->repair_source, ship->class_source);
    set_missing(&ship->reactor_source, ship->class_source);
    if (sensors) set_missing(&ship->sensor_source, ship->class_source);
    set_missing(&ship->radius_source, SB_SOURCE_ESTIMATE);
}

/* A ship has one of `subsystems`, `hardpoints` and `subsystems_of`. */
static void check_lists(sb_lua *lua, const ship_draft *draft)
{
    bool nested = draft->parts.linked.subsystem_count > 0, flat = draft->parts.hardpoint_count > 0;
    bool own = nested || flat;
    if (nested && flat) sb_lua_fail_at(lua, "hardpoints", "subsystems is given as well");
    if (own && draft->subsystems_of)
        sb_lua_fail_at(lua, "subsystems_of", "%s is given as well",
                       nested ? "subsystems" : "hardpoints");
    if (!own && !draft->subsystems_of) sb_lua_fail_at(lua, "subsystems", "is missing or empty");
    if (own && draft->change_count > 0)
        sb_lua_fail_at(lua, "changes", "only a ship with subsystems_of has them");
}

static void keep_parts(sb_lua *lua, sb_part_lists *parts, sb_ship_class *ship)
{
    if (parts->hardpoint_count > 0) sb_part_link_hardpoints(lua, parts);
    sb_part_check_creation(lua, parts);
    const sb_linked_parts *linked = &parts->linked;
    ship->subsystem_count = linked->subsystem_count;
    ship->child_count = linked->child_count;
    ship->subsystems =
        sb_lua_copy(lua, linked->subsystems, linked->subsystem_count, sizeof linked->subsystems[0]);
    ship->children =
        sb_lua_copy(lua, linked->children, linked->child_count, sizeof linked->children[0]);
}

static void read_ship(sb_lua *lua, void *record)
{
    ship_draft    *draft = record;
    sb_ship_class *ship = &draft->ship;
    ship->sensor_range = NAN;
    ship->class_source = SB_SOURCE_HARDPOINT;
    sb_lua_read_fields(lua, ship_fields, draft);
    finish_class_sources(lua, ship);
    check_lists(lua, draft);
    keep_parts(lua, &draft->parts, ship);
    ship->ordnance =
        sb_lua_copy(lua, draft->ordnance, ship->ordnance_count, sizeof draft->ordnance[0]);
    ship->constants =
        sb_lua_copy(lua, draft->constants, ship->constant_count, sizeof draft->constants[0]);
}

static sb_result keep_changes(sb_data *data, const ship_draft *draft, sb_ship_table *out)
{
    size_t bytes = draft->change_count * sizeof draft->changes[0];
    if (bytes == 0) return SB_OK;
    sb_ship_change *changes = sb_data_allocate(data, bytes);
    if (!changes) return sb_data_refuse_os_error(data, out->file, "out of memory");
    memcpy(changes, draft->changes, bytes);
    out->changes = changes;
    out->change_count = draft->change_count;
    return SB_OK;
}

sb_result sb_data_load_ship_table(sb_data *data, sb_data_source source, sb_ship_table *out)
{
    ship_draft draft;
    memset(&draft, 0, sizeof draft);
    sb_result result = sb_data_load_table(data, source, read_ship, &draft);
    if (result != SB_OK) return result;
    *out = (sb_ship_table){ .ship = draft.ship,
                            .file = source.name,
                            .subsystems_of = draft.subsystems_of };
    return keep_changes(data, &draft, out);
}
