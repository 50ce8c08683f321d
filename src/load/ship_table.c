/* src/load/ship_table.c -- the fields of a ship, its subsystems, weapons and ordnance.
 *
 * For:      ship_table.h. A new figure is a new row in one of the lists of fields. Rules that a row
 *           cannot express (two values that contradict each other) are checked after reading.
 * May use:  lua_table.h.
 * Never:    touches Lua itself, or looks at another ship.
 * Spec:     03 §4.1 and §10 (lists), 07 §1.1 (creation index), 11 (figures), 04 §9 (values that
 *           only the integrity hash uses). data/README.md lists the keys for people.
 * Tests:    tests/load/ship_table_test.c, tests/load/data_file_test.c
 */
#include "load/ship_table.h"

#include "load/hull_table.h"

#include <starbase/combat.h>
#include <starbase/ship_state.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
    GROUND_BYTES_MAX = 127,
    SCRIPT_BYTES_MAX = 127,                   /* names of Python modules, with their packages */
    SHIP_CHILDREN_MAX = SB_SHIP_CHILDREN_MAX, /* entries in the state of a ship */
    SHIP_ORDNANCE_MAX = 32,
    SHIP_CHANGES_MAX = 32,
#define COUNT_ONE(name, value, tag, text) +1
    SHIP_CONSTANTS_MAX = 0 SB_COMBAT_CONSTANTS(COUNT_ONE),
#undef COUNT_ONE
};

/* Quantities that the simulation divides by must not be 0. */
#define MIN_DIVISOR  0.001
#define LIMIT        SB_DATA_FIGURE_MAX
#define MAX_DISTANCE 1e6
#define HALF_TURN    3.1416 /* radians; data files round pi up to 3.141593 */

typedef struct ship_draft {
    sb_ship_class      ship;          /* must be first: ship_fields has offsets in it */
    const char        *subsystems_of; /* NULL: the ship has its own list */
    sb_ship_change     changes[SHIP_CHANGES_MAX];
    size_t             change_count;
    sb_subsystem_class defaults; /* only the sources in it are used */
    sb_subsystem_class subsystems[SB_SUBSYSTEMS_MAX];
    sb_subsystem_class children[SHIP_CHILDREN_MAX];
    sb_ordnance        ordnance[SHIP_ORDNANCE_MAX];
    sb_ship_constant   constants[SHIP_CONSTANTS_MAX];
} ship_draft;

typedef struct entry_draft {
    sb_subsystem_class entry; /* must be first: subsystem_fields has offsets in it */
    ship_draft        *ship;
} entry_draft;

const char *const sb_source_words[] = {
#define WORD(name, word) word,
    SB_FIGURE_SOURCES(WORD) NULL,
#undef WORD
};
/* The last word is the old one of main_battery: a measurement refuted what it said. */
static const char *const mode_words[] = { "main_first", "main_battery", "backup_only",
                                          "backup_first", NULL };
static const char *const answer_words[] = { "unknown", "no", "yes", NULL };
static const char *const layout_words[] = { "stock", "documented", NULL };
static const char *const type_words[] = {
    "hull",  "shield",        "sensor",       "power",          "impulse",        "warp", "repair",
    "cloak", "phaser_system", "pulse_system", "torpedo_system", "tractor_system", NULL,
};

/* Properties that follow from the type of a system: the format of its entry on the wire (spec 03
 * §4.1) and the type of its children (spec 03 §10). Child type 0 (hull) means: no children. */
static const struct {
    uint8_t format, child_type;
} systems[] = {
    [SB_SUBSYSTEM_HULL] = { SB_FORMAT_BASE, 0 },
    [SB_SUBSYSTEM_SHIELD] = { SB_FORMAT_SHIELD, 0 },
    [SB_SUBSYSTEM_SENSOR] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_POWER] = { SB_FORMAT_REACTOR, 0 },
    [SB_SUBSYSTEM_IMPULSE] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_ENGINE },
    [SB_SUBSYSTEM_WARP] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_ENGINE },
    [SB_SUBSYSTEM_REPAIR] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_CLOAK] = { SB_FORMAT_POWERED, 0 },
    [SB_SUBSYSTEM_PHASER_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_PHASER_BANK },
    [SB_SUBSYSTEM_PULSE_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_PULSE_WEAPON },
    [SB_SUBSYSTEM_TORPEDO_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_TORPEDO_TUBE },
    [SB_SUBSYSTEM_TRACTOR_SYSTEM] = { SB_FORMAT_POWERED, SB_SUBSYSTEM_TRACTOR_PROJECTOR },
};
_Static_assert(COUNT_OF(type_words) == COUNT_OF(systems) + 1, "a word for every type of system");
_Static_assert(COUNT_OF(mode_words) == SB_POWER_MODE_COUNT + 2, "and an old word");
_Static_assert(COUNT_OF(answer_words) == SB_PROPERTY_YES + 2, "a word for every answer");
_Static_assert(COUNT_OF(layout_words) == SB_SHIELD_LAYOUTS + 1, "a word for every layout");
_Static_assert(SHIP_CHILDREN_MAX <= UINT8_MAX, "first_child and child_count are bytes");

static void refuse_hit(sb_lua *lua, void *record);
static void read_weapon(sb_lua *lua, void *record);
static void read_change(sb_lua *lua, void *record);
static void read_child(sb_lua *lua, void *record);
static void read_subsystem(sb_lua *lua, void *record);
static void read_ordnance(sb_lua *lua, void *record);
static void read_constants(sb_lua *lua, void *record);

/* clang-format off */
#define WEAPON(member) offsetof(sb_weapon_class, member)
#define WEAPON_ID      { "id",      SB_LUA_INT,     false, WEAPON(weapon_id), 0, 255 }
#define WEAPON_FORWARD { "forward", SB_LUA_FIGURES, false, WEAPON(forward),   -1, 1, 3 }
#define WEAPON_RIGHT   { "right",   SB_LUA_FIGURES, true,  WEAPON(right),     -1, 1, 3 }
#define WEAPON_REACH                                                                               \
    { "damage_radius_factor", SB_LUA_FIGURE, true, WEAPON(damage_radius_factor), 0, LIMIT }
#define WEAPON_SOURCE { "source", SB_LUA_WORD, true, WEAPON(source), .words = sb_source_words }
#define ENERGY_FIELDS                                                                              \
    WEAPON_ID,                                                                                     \
    { "max_damage",          SB_LUA_FIGURE,  false, WEAPON(max_damage),          0, LIMIT },       \
    { "max_damage_distance", SB_LUA_FIGURE,  false, WEAPON(max_damage_distance), 0, LIMIT },       \
    { "max_charge",          SB_LUA_FIGURE,  false, WEAPON(max_charge), MIN_DIVISOR, LIMIT },      \
    { "min_firing_charge",   SB_LUA_FIGURE,  false, WEAPON(min_firing_charge),   0, LIMIT },       \
    { "recharge_rate",       SB_LUA_FIGURE,  false, WEAPON(recharge_rate),       0, LIMIT },       \
    { "discharge_rate",      SB_LUA_FIGURE,  false, WEAPON(discharge_rate),      0, LIMIT },       \
    WEAPON_FORWARD,                                                                                \
    { "up",                  SB_LUA_FIGURES, false, WEAPON(up),                  -1, 1, 3 },       \
    { "arc_width",           SB_LUA_FIGURES, false, WEAPON(arc_width),  -HALF_TURN, HALF_TURN, 2 },\
    { "arc_height",          SB_LUA_FIGURES, false, WEAPON(arc_height), -HALF_TURN, HALF_TURN, 2 },\
    WEAPON_REACH,                                                                                  \
    WEAPON_SOURCE
static const sb_lua_field bank_fields[] = {
    ENERGY_FIELDS,
    { "strip_length", SB_LUA_FIGURE,  true, WEAPON(strip_length), 0, MAX_DISTANCE },
    { "strip_width",  SB_LUA_FIGURE,  true, WEAPON(strip_width), 0, MAX_DISTANCE },
    { "beam_size",    SB_LUA_FIGURES, true, WEAPON(beam_size), 0, MAX_DISTANCE, 2 },
    { NULL },
};
static const sb_lua_field cannon_fields[] = {
    ENERGY_FIELDS,
    WEAPON_RIGHT,
    { "cooldown_time", SB_LUA_FIGURE, true, WEAPON(cooldown_time), 0, LIMIT },
    { "module",        SB_LUA_TEXT,   true, WEAPON(module), .count = SCRIPT_BYTES_MAX },
    { NULL },
};
static const sb_lua_field projector_fields[] = { ENERGY_FIELDS, WEAPON_RIGHT, { NULL } };
static const sb_lua_field tube_fields[] = {
    WEAPON_ID,
    { "reload_delay",    SB_LUA_FIGURE, false, WEAPON(reload_delay),    0, LIMIT },
    { "immediate_delay", SB_LUA_FIGURE, false, WEAPON(immediate_delay), 0, LIMIT },
    { "max_ready",       SB_LUA_INT,    false, WEAPON(max_ready),       1, SB_TUBE_PLACES },
    { "dumbfire",        SB_LUA_FLAG,   false, WEAPON(dumbfire) },
    WEAPON_FORWARD,
    WEAPON_RIGHT,
    WEAPON_REACH,
    WEAPON_SOURCE,
    { NULL },
};

#define ENTRY(member) offsetof(sb_subsystem_class, member)
static const sb_lua_field source_fields[] = {
    { "condition",  SB_LUA_WORD, true, ENTRY(condition_source),  .words = sb_source_words },
    { "properties", SB_LUA_WORD, true, ENTRY(properties_source), .words = sb_source_words },
    { "power",      SB_LUA_WORD, true, ENTRY(power_source),      .words = sb_source_words },
    { "position",   SB_LUA_WORD, true, ENTRY(position_source),   .words = sb_source_words },
    { "fire",       SB_LUA_WORD, true, ENTRY(fire_source),       .words = sb_source_words },
    { "order",      SB_LUA_WORD, true, ENTRY(order_source),      .words = sb_source_words },
    { "creation",   SB_LUA_WORD, true, ENTRY(creation_source),   .words = sb_source_words },
    { NULL },
};
#define ENTRY_FIELDS                                                                               \
    { "name",              SB_LUA_TEXT,    false, ENTRY(name), .count = SB_DATA_NAME_MAX },        \
    { "creation_index",    SB_LUA_I16,     true,  ENTRY(creation_index), 0, 1000 },                \
    { "critical",          SB_LUA_FLAG,    true,  ENTRY(critical) },                               \
    { "targetable",        SB_LUA_FLAG,    true,  ENTRY(targetable) },                             \
    { "max_condition",     SB_LUA_FIGURE,  false, ENTRY(max_condition), MIN_DIVISOR, LIMIT },      \
    { "disabled_below",    SB_LUA_FIGURE,  false, ENTRY(disabled_below), 0, 1 },                   \
    { "repair_complexity", SB_LUA_FIGURE,  false, ENTRY(repair_complexity), MIN_DIVISOR, LIMIT },  \
    { "position",          SB_LUA_FIGURES, true,  ENTRY(position), -MAX_DISTANCE, MAX_DISTANCE, 3 },\
    { "radius",            SB_LUA_FIGURE,  true,  ENTRY(radius), 0, MAX_DISTANCE },                \
    { "mount",             SB_LUA_FIGURES, true,  ENTRY(mount), -MAX_DISTANCE, MAX_DISTANCE, 3 },  \
    { "hit",               SB_LUA_PART,    true,  0, .read = refuse_hit },                         \
    { "primary",           SB_LUA_WORD,    true,  ENTRY(primary), .words = answer_words },         \
    { "source",            SB_LUA_GROUP,   true,  0, .fields = source_fields }
static const sb_lua_field child_fields[] = {
    ENTRY_FIELDS,
    { "weapon", SB_LUA_PART, true, 0, .read = read_weapon },
    { NULL },
};
static const sb_lua_field subsystem_fields[] = {
    { "type",             SB_LUA_WORD,   false, ENTRY(type), .words = type_words },
    ENTRY_FIELDS,
    { "power_per_second", SB_LUA_FIGURE, true,  ENTRY(power_per_second), 0, LIMIT },
    { "power_mode",       SB_LUA_WORD,   true,  ENTRY(power_mode), .words = mode_words },
    { "single_fire",      SB_LUA_WORD,   true,  ENTRY(single_fire), .words = answer_words },
    { "aimed",            SB_LUA_WORD,   true,  ENTRY(aimed), .words = answer_words },
    { "children",         SB_LUA_LIST,   true,  0, .count = SB_CHILDREN_MAX, .read = read_child },
    { NULL },
};

#define ORDNANCE(member) offsetof(sb_ordnance, member)
static const sb_lua_field ordnance_fields[] = {
    { "system",        SB_LUA_WORD,    false, ORDNANCE(system_type), .words = type_words },
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
    { "source",             SB_LUA_GROUP,  true,  offsetof(ship_draft, defaults),
                                                     .fields = source_fields },
    { "subsystems",         SB_LUA_LIST,   true,  0, .count = SB_SUBSYSTEMS_MAX,
                                                     .read = read_subsystem },
    { "subsystems_of",      SB_LUA_TEXT,   true,  offsetof(ship_draft, subsystems_of),
                                                     .count = SB_DATA_NAME_MAX },
    { "changes",            SB_LUA_LIST,   true,  0, .count = SHIP_CHANGES_MAX,
                                                     .read = read_change },
    { NULL },
};
/* clang-format on */

static void refuse_hit(sb_lua *lua, void *record)
{
    (void)record;
    sb_lua_fail(lua, "is now called position, and the former position is called mount");
}

static void check_axis(sb_lua *lua, const char *key, const float axis[3])
{
    double length =
        sqrt((double)axis[0] * axis[0] + (double)axis[1] * axis[1] + (double)axis[2] * axis[2]);
    if (length < 0.999 || length > 1.001)
        sb_lua_fail_at(lua, key, "must be a direction of length 1, has %g", length);
}

static void check_beam(sb_lua *lua, const sb_weapon_class *weapon)
{
    check_axis(lua, "up", weapon->up);
    if (weapon->arc_width[0] > weapon->arc_width[1])
        sb_lua_fail_at(lua, "arc_width", "must be the smaller angle, then the larger");
    if (weapon->arc_height[0] > weapon->arc_height[1])
        sb_lua_fail_at(lua, "arc_height", "must be the smaller angle, then the larger");
    if (weapon->min_firing_charge > weapon->max_charge)
        sb_lua_fail_at(lua, "min_firing_charge", "must not exceed max_charge");
}

/* The fields of a weapon by the type of the child that carries it. NULL: no weapon. */
static const sb_lua_field *weapon_fields(uint8_t type)
{
    switch (type) {
    case SB_SUBSYSTEM_PHASER_BANK: return bank_fields;
    case SB_SUBSYSTEM_PULSE_WEAPON: return cannon_fields;
    case SB_SUBSYSTEM_TRACTOR_PROJECTOR: return projector_fields;
    case SB_SUBSYSTEM_TORPEDO_TUBE: return tube_fields;
    default: return NULL;
    }
}

/* A weapon before its table is read: NAN and -1 mean that a value does not apply. */
static const sb_weapon_class no_weapon = {
    .max_damage = NAN,
    .max_damage_distance = NAN,
    .max_charge = NAN,
    .min_firing_charge = NAN,
    .recharge_rate = NAN,
    .discharge_rate = NAN,
    .reload_delay = NAN,
    .immediate_delay = NAN,
    .max_ready = -1,
    .up = { NAN, NAN, NAN },
    .arc_width = { NAN, NAN },
    .arc_height = { NAN, NAN },
    .damage_radius_factor = NAN,
    .cooldown_time = NAN,
    .strip_length = NAN,
    .strip_width = NAN,
    .right = { NAN, NAN, NAN },
    .beam_size = { NAN, NAN },
};

static void read_weapon(sb_lua *lua, void *record)
{
    entry_draft        *draft = record;
    const sb_lua_field *fields = weapon_fields(draft->entry.type);
    if (!fields) sb_lua_fail(lua, "an engine is no weapon");
    sb_weapon_class *weapon = sb_lua_allocate(lua, sizeof *weapon);
    *weapon = no_weapon;
    weapon->source = draft->entry.properties_source;
    sb_lua_read_fields(lua, fields, weapon);
    check_axis(lua, "forward", weapon->forward);
    if (!isnan(weapon->right[0])) check_axis(lua, "right", weapon->right);
    if (fields != tube_fields) check_beam(lua, weapon);
    draft->entry.weapon = weapon;
}

/* An entry before its table is read: the values of optional fields that are missing. */
static entry_draft start_entry(ship_draft *ship)
{
    entry_draft draft = { .entry = ship->defaults, .ship = ship };
    draft.entry.creation_index = -1;
    draft.entry.targetable = true;
    draft.entry.power_per_second = NAN;
    draft.entry.radius = NAN;
    for (size_t i = 0; i < 3; i++) draft.entry.position[i] = draft.entry.mount[i] = NAN;
    return draft;
}

/* right = forward x up. */
static float right_of(const sb_weapon_class *weapon, size_t axis)
{
    size_t k = (axis + 1) % 3, m = (axis + 2) % 3;
    return weapon->forward[k] * weapon->up[m] - weapon->forward[m] * weapon->up[k];
}

/* Where a bank stands: on the ellipse with the half axes strip_length (forward) and strip_width
 * (right) around its mount, in the middle of its arc (spec 11 §9.1). */
static void place_on_strip(sb_subsystem_class *bank)
{
    const sb_weapon_class *w = bank->weapon;
    double                 middle = ((double)w->arc_width[0] + (double)w->arc_width[1]) / 2;
    double                 ahead = (double)w->strip_length * cos(middle);
    double                 aside = (double)w->strip_width * sin(middle);
    for (size_t i = 0; i < 3; i++)
        bank->position[i] = (float)((double)bank->mount[i] + (double)w->forward[i] * ahead +
                                    (double)right_of(w, i) * aside);
    bank->position_source = SB_SOURCE_RULE;
}

static bool has_strip(const sb_subsystem_class *entry)
{
    return entry->weapon && !isnan(entry->weapon->strip_length) &&
           !isnan(entry->weapon->strip_width);
}

static void finish_position(sb_lua *lua, sb_subsystem_class *entry)
{
    bool mounted = !isnan(entry->mount[0]);
    if (isnan(entry->position[0]) && mounted) {
        if (!has_strip(entry))
            sb_lua_fail_at(lua, "mount",
                           "needs position, or a weapon with strip_length and strip_width");
        place_on_strip(entry);
    }
    entry->has_position = !isnan(entry->position[0]);
    if (!entry->has_position) {
        if (!isnan(entry->radius)) sb_lua_fail_at(lua, "radius", "needs position");
        entry->position_source = SB_SOURCE_NONE;
        return;
    }
    if (isnan(entry->radius)) sb_lua_fail_at(lua, "radius", "is missing, but position is given");
    if (!mounted) memcpy(entry->mount, entry->position, sizeof entry->mount);
    if (!entry->position_source) entry->position_source = entry->properties_source;
}

static void replace_old_power_mode(sb_lua *lua, sb_subsystem_class *entry)
{
    if (entry->power_mode != SB_POWER_MODE_COUNT) return;
    sb_lua_warn_at(lua, "power_mode",
                   "`backup_first` is read as `main_battery`: tractors draw on the main battery");
    entry->power_mode = SB_POWER_MAIN_BATTERY;
}

static void finish_power(sb_lua *lua, sb_subsystem_class *entry)
{
    bool powered = entry->format == SB_FORMAT_POWERED || entry->format == SB_FORMAT_SHIELD;
    bool given = !isnan(entry->power_per_second);
    if (powered && !given) sb_lua_fail_at(lua, "power_per_second", "is missing");
    if (!powered && given)
        sb_lua_fail_at(lua, "power_per_second", "this type of subsystem draws no power");
    if (!powered && entry->power_mode)
        sb_lua_fail_at(lua, "power_mode", "this type of subsystem draws no power");
    replace_old_power_mode(lua, entry);
    if (powered) return;
    entry->power_per_second = 0;
    entry->power_source = SB_SOURCE_NONE;
}

static bool is_weapon_type(uint8_t child_type)
{
    return child_type != 0 && child_type != SB_SUBSYSTEM_ENGINE;
}

static void finish_fire_flags(sb_lua *lua, sb_subsystem_class *entry)
{
    if (!entry->single_fire && !entry->aimed) entry->fire_source = SB_SOURCE_NONE;
    else if (!entry->fire_source) entry->fire_source = entry->properties_source;
    if (is_weapon_type(systems[entry->type].child_type)) return;
    if (entry->single_fire) sb_lua_fail_at(lua, "single_fire", "only a weapon system has it");
    if (entry->aimed) sb_lua_fail_at(lua, "aimed", "only a weapon system has it");
}

static void finish_sources(sb_lua *lua, sb_subsystem_class *entry)
{
    bool powered = entry->format == SB_FORMAT_POWERED || entry->format == SB_FORMAT_SHIELD;
    if (entry->creation_index < 0) entry->creation_source = SB_SOURCE_NONE;
    else if (!entry->creation_source) sb_lua_fail_at(lua, "source.creation", "is missing");
    if (!entry->condition_source) sb_lua_fail_at(lua, "source.condition", "is missing");
    if (!entry->properties_source) sb_lua_fail_at(lua, "source.properties", "is missing");
    if (!entry->order_source) sb_lua_fail_at(lua, "source.order", "is missing");
    if (powered && !entry->power_source) sb_lua_fail_at(lua, "source.power", "is missing");
}

static void finish_entry(sb_lua *lua, sb_subsystem_class *entry)
{
    finish_position(lua, entry);
    finish_power(lua, entry);
    finish_sources(lua, entry);
}

static unsigned count_weapons(const ship_draft *ship)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ship->ship.child_count; i++) count += ship->children[i].weapon != NULL;
    return count;
}

static void read_child(sb_lua *lua, void *record)
{
    entry_draft *parent = record;
    ship_draft  *ship = parent->ship;
    entry_draft  child = start_entry(ship);
    child.entry.type = systems[parent->entry.type].child_type;
    child.entry.format = SB_FORMAT_BASE;
    if (!child.entry.type) sb_lua_fail(lua, "a %s has no children", type_words[parent->entry.type]);
    if (ship->ship.child_count == SHIP_CHILDREN_MAX)
        sb_lua_fail(lua, "a ship has at most %d children in all", SHIP_CHILDREN_MAX);
    sb_lua_read_fields(lua, child_fields, &child);
    finish_entry(lua, &child.entry);
    child.entry.fire_source = SB_SOURCE_NONE;
    if (child.entry.type != SB_SUBSYSTEM_ENGINE && !child.entry.weapon)
        sb_lua_fail_at(lua, "weapon", "is missing");
    if (child.entry.weapon && count_weapons(ship) == SB_WEAPONS_MAX)
        sb_lua_fail(lua, "a ship has at most %d weapons in all", SB_WEAPONS_MAX);
    ship->children[ship->ship.child_count++] = child.entry;
    parent->entry.child_count++;
}

/* The state of a ship has one set of facings and one pair of batteries, as in spec 04 §5.4: two
 * entries of that type would overwrite each other with every block. */
static void check_only_one(sb_lua *lua, const ship_draft *ship, uint8_t type)
{
    if (type != SB_SUBSYSTEM_SHIELD && type != SB_SUBSYSTEM_POWER) return;
    for (size_t i = 0; i < ship->ship.subsystem_count; i++)
        if (ship->subsystems[i].type == type)
            sb_lua_fail_at(lua, "type", "a ship has one %s at most, and subsystems[%zu] is one",
                           type_words[type], i + 1);
}

static void read_subsystem(sb_lua *lua, void *record)
{
    ship_draft *ship = record;
    entry_draft draft = start_entry(ship);
    draft.entry.first_child = ship->ship.child_count;
    sb_lua_read_fields(lua, subsystem_fields, &draft);
    draft.entry.format = systems[draft.entry.type].format;
    check_only_one(lua, ship, draft.entry.type);
    if (draft.entry.child_count == 0) draft.entry.first_child = 0;
    finish_entry(lua, &draft.entry);
    finish_fire_flags(lua, &draft.entry);
    ship->subsystems[ship->ship.subsystem_count++] = draft.entry;
}

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

/* Creation indices number the N subsystems of a ship 0..N-1, each once (spec 07 §1.1). */
static void check_creation_index(sb_lua *lua, const ship_draft *ship, bool *used, size_t top,
                                 const sb_subsystem_class *child)
{
    const sb_subsystem_class *entry = child ? child : &ship->subsystems[top];
    int                       total = ship->ship.subsystem_count + ship->ship.child_count;
    char                      key[64], below[32] = "";
    if (entry->creation_index < 0) return;
    bool fits = entry->creation_index < total;
    if (fits && !used[entry->creation_index]) {
        used[entry->creation_index] = true;
        return;
    }
    if (child) {
        long index = child - &ship->children[ship->subsystems[top].first_child];
        snprintf(below, sizeof below, ".children[%ld]", index + 1);
    }
    snprintf(key, sizeof key, "subsystems[%zu]%s.creation_index", top + 1, below);
    if (fits) sb_lua_fail_at(lua, key, "%d is taken by an earlier entry", entry->creation_index);
    sb_lua_fail_at(lua, key, "must be less than %d, the number of subsystems", total);
}

static void check_creation(sb_lua *lua, const ship_draft *ship)
{
    bool used[SB_SUBSYSTEMS_MAX + SHIP_CHILDREN_MAX] = { false };
    for (size_t i = 0; i < ship->ship.subsystem_count; i++) {
        const sb_subsystem_class *entry = &ship->subsystems[i];
        check_creation_index(lua, ship, used, i, NULL);
        for (size_t k = 0; k < entry->child_count; k++)
            check_creation_index(lua, ship, used, i, &ship->children[entry->first_child + k]);
    }
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

static void read_ship(sb_lua *lua, void *record)
{
    ship_draft    *draft = record;
    sb_ship_class *ship = &draft->ship;
    ship->sensor_range = NAN;
    ship->class_source = SB_SOURCE_HARDPOINT;
    sb_lua_read_fields(lua, ship_fields, draft);
    finish_class_sources(lua, ship);
    bool own = ship->subsystem_count > 0;
    if (own && draft->subsystems_of)
        sb_lua_fail_at(lua, "subsystems_of", "subsystems is given as well");
    if (!own && !draft->subsystems_of) sb_lua_fail_at(lua, "subsystems", "is missing or empty");
    if (own && draft->change_count > 0)
        sb_lua_fail_at(lua, "changes", "only a ship with subsystems_of has them");
    check_creation(lua, draft);
    ship->subsystems =
        sb_lua_copy(lua, draft->subsystems, ship->subsystem_count, sizeof draft->subsystems[0]);
    ship->children =
        sb_lua_copy(lua, draft->children, ship->child_count, sizeof draft->children[0]);
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
