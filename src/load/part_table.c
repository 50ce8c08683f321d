/* src/load/part_table.c -- the fields of subsystems and their children.
 *
 * For:      part_table.h. A new figure of a part is a new row in one of the lists of fields. Rules
 *           that a row cannot express (two values that contradict each other) are checked after
 *           reading.
 * May use:  lua_table.h, weapon_table.h; the words of ship_table.h.
 * Never:    knows the figures of the ship itself.
 * Spec:     03 §4.1 and §10 (lists), 07 §1.1 (creation index), 11 §1.2 (figures), 04 §9 (values
 *           that only the integrity hash uses).
 * Tests:    tests/load/part_table_test.c (hardpoints), tests/load/ship_table_test.c,
 *           tests/load/data_file_test.c
 */
#include "load/part_table.h"

#include "load/ship_table.h"
#include "load/table_limits.h"
#include "load/weapon_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { NO_TAG = SB_ENGINE_TAG_COUNT };

typedef struct entry_draft {
    sb_subsystem_class entry; /* must be first: subsystem_fields has offsets in it */
    sb_part_lists     *parts;
    uint8_t            engine_tag; /* sb_engine_tag or NO_TAG */
} entry_draft;

/* The last word is the old one of main_battery: a measurement refuted what it said. */
static const char *const mode_words[] = { "main_first", "main_battery", "backup_only",
                                          "backup_first", NULL };
static const char *const answer_words[] = { "unknown", "no", "yes", NULL };
#define SYSTEM_WORDS                                                                               \
    "hull", "shield", "sensor", "power", "impulse", "warp", "repair", "cloak", "phaser_system",    \
        "pulse_system", "torpedo_system", "tractor_system"
static const char *const tag_words[] = { "impulse", "warp", NULL };

const char *const sb_part_system_words[] = { SYSTEM_WORDS, NULL };
const char *const sb_part_type_words[] = {
    SYSTEM_WORDS,        "phaser_bank", "pulse_weapon", "torpedo_tube",
    "tractor_projector", "engine",      NULL,
};

_Static_assert(COUNT_OF(sb_part_system_words) == (int)SB_SUBSYSTEM_PHASER_BANK + 1, "every system");
_Static_assert(COUNT_OF(sb_part_type_words) == SB_SUBSYSTEM_TYPE_COUNT + 1, "every type");
_Static_assert(COUNT_OF(tag_words) == SB_ENGINE_TAG_COUNT + 1, "a word for every tag");
_Static_assert(COUNT_OF(mode_words) == SB_POWER_MODE_COUNT + 2, "and an old word");
_Static_assert(COUNT_OF(answer_words) == SB_PROPERTY_YES + 2, "a word for every answer");
_Static_assert(SB_SHIP_CHILDREN_MAX <= UINT8_MAX, "first_child and child_count are bytes");

static void refuse_hit(sb_lua *lua, void *record);
static void refuse_index(sb_lua *lua, void *record);
static void refuse_children(sb_lua *lua, void *record);
static void read_weapon(sb_lua *lua, void *record);
static void read_child(sb_lua *lua, void *record);

/* clang-format off */
#define ENTRY(member) offsetof(sb_subsystem_class, member)
const sb_lua_field sb_part_source_fields[] = {
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
    { "source",            SB_LUA_GROUP,   true,  0, .fields = sb_part_source_fields }
#define CREATION_INDEX { "creation_index", SB_LUA_I16, true, ENTRY(creation_index), 0, 1000 }
#define POWER_FIELDS                                                                               \
    { "power_per_second", SB_LUA_FIGURE, true,  ENTRY(power_per_second), 0, LIMIT },               \
    { "power_mode",       SB_LUA_WORD,   true,  ENTRY(power_mode), .words = mode_words },          \
    { "single_fire",      SB_LUA_WORD,   true,  ENTRY(single_fire), .words = answer_words },       \
    { "aimed",            SB_LUA_WORD,   true,  ENTRY(aimed), .words = answer_words }
static const sb_lua_field child_fields[] = {
    ENTRY_FIELDS,
    CREATION_INDEX,
    { "weapon", SB_LUA_PART, true, 0, .read = read_weapon },
    { NULL },
};
static const sb_lua_field subsystem_fields[] = {
    { "type",     SB_LUA_WORD, false, ENTRY(type), .words = sb_part_system_words },
    ENTRY_FIELDS,
    CREATION_INDEX,
    POWER_FIELDS,
    { "children", SB_LUA_LIST, true, 0, .count = SB_CHILDREN_MAX, .read = read_child },
    { NULL },
};
static const sb_lua_field hardpoint_fields[] = { /* `type` decides how `weapon` is read */
    { "type",           SB_LUA_WORD, false, ENTRY(type), .words = sb_part_type_words },
    ENTRY_FIELDS,
    POWER_FIELDS,
    { "creation_index", SB_LUA_PART, true, 0, .read = refuse_index },
    { "children",       SB_LUA_PART, true, 0, .read = refuse_children },
    { "engine",         SB_LUA_WORD, true, offsetof(entry_draft, engine_tag), .words = tag_words },
    { "weapon",         SB_LUA_PART, true, 0, .read = read_weapon },
    { NULL },
};
/* clang-format on */

static void refuse_hit(sb_lua *lua, void *record)
{
    (void)record;
    sb_lua_fail(lua, "is now called position, and the former position is called mount");
}

static void refuse_index(sb_lua *lua, void *record)
{
    (void)record;
    sb_lua_fail(lua, "is the place of the entry in `hardpoints`; remove the key");
}

static void refuse_children(sb_lua *lua, void *record)
{
    (void)record;
    sb_lua_fail(lua, "are entries of their own in `hardpoints`; only `subsystems` nests them");
}

/* An entry before its table is read: the values of optional fields that are missing. */
static entry_draft start_entry(sb_part_lists *parts)
{
    entry_draft draft = { .entry = parts->defaults, .parts = parts, .engine_tag = NO_TAG };
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
    if (is_weapon_type(sb_subsystem_child_type(entry->type))) return;
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

static void read_weapon(sb_lua *lua, void *record)
{
    entry_draft *draft = record;
    draft->entry.weapon =
        sb_ship_read_weapon(lua, draft->entry.type, draft->entry.properties_source);
}

static void finish_child(sb_lua *lua, sb_subsystem_class *child)
{
    child->fire_source = SB_SOURCE_NONE;
    if (child->type != SB_SUBSYSTEM_ENGINE && !child->weapon)
        sb_lua_fail_at(lua, "weapon", "is missing");
}

static unsigned count_weapons(const sb_part_lists *parts)
{
    unsigned count = 0;
    for (unsigned i = 0; i < parts->linked.child_count; i++)
        count += parts->linked.children[i].weapon != NULL;
    return count;
}

static void read_child(sb_lua *lua, void *record)
{
    entry_draft   *parent = record;
    sb_part_lists *parts = parent->parts;
    entry_draft    child = start_entry(parts);
    child.entry.type = sb_subsystem_child_type(parent->entry.type);
    child.entry.format = SB_FORMAT_BASE;
    if (!child.entry.type)
        sb_lua_fail(lua, "a %s has no children", sb_part_type_words[parent->entry.type]);
    if (parts->linked.child_count == SB_SHIP_CHILDREN_MAX)
        sb_lua_fail(lua, "a ship has at most %d children in all", SB_SHIP_CHILDREN_MAX);
    sb_lua_read_fields(lua, child_fields, &child);
    finish_entry(lua, &child.entry);
    finish_child(lua, &child.entry);
    if (child.entry.weapon && count_weapons(parts) == SB_WEAPONS_MAX)
        sb_lua_fail(lua, "a ship has at most %d weapons in all", SB_WEAPONS_MAX);
    parts->linked.children[parts->linked.child_count++] = child.entry;
    parent->entry.child_count++;
}

/* The state of a ship has one set of facings and one pair of batteries, as in spec 04 §5.4: two
 * entries of that type would overwrite each other with every block. */
static void check_only_one(sb_lua *lua, const sb_part_lists *parts, uint8_t type)
{
    if (type != SB_SUBSYSTEM_SHIELD && type != SB_SUBSYSTEM_POWER) return;
    for (size_t i = 0; i < parts->linked.subsystem_count; i++)
        if (parts->linked.subsystems[i].type == type)
            sb_lua_fail_at(lua, "type", "a ship has one %s at most, and subsystems[%zu] is one",
                           sb_part_type_words[type], i + 1);
}

void sb_part_read_subsystem(sb_lua *lua, sb_part_lists *parts)
{
    entry_draft draft = start_entry(parts);
    draft.entry.first_child = parts->linked.child_count;
    sb_lua_read_fields(lua, subsystem_fields, &draft);
    draft.entry.format = sb_subsystem_entry_format(draft.entry.type);
    check_only_one(lua, parts, draft.entry.type);
    if (draft.entry.child_count == 0) draft.entry.first_child = 0;
    finish_entry(lua, &draft.entry);
    finish_fire_flags(lua, &draft.entry);
    parts->linked.subsystems[parts->linked.subsystem_count++] = draft.entry;
}

/* ---- the flat list of a hardpoint script ---- */

/* The order of adding is that of the lists and of creation: its evidence is the script, unless the
 * file says otherwise. */
static void default_sources(sb_subsystem_class *entry)
{
    if (!entry->order_source) entry->order_source = SB_SOURCE_HARDPOINT;
    if (!entry->creation_source) entry->creation_source = SB_SOURCE_HARDPOINT;
}

void sb_part_read_hardpoint(sb_lua *lua, sb_part_lists *parts)
{
    entry_draft draft = start_entry(parts);
    sb_lua_read_fields(lua, hardpoint_fields, &draft);
    sb_hardpoint *hardpoint = &parts->hardpoints[parts->hardpoint_count];
    draft.entry.creation_index = (int16_t)parts->hardpoint_count;
    draft.entry.format = sb_subsystem_entry_format(draft.entry.type);
    default_sources(&draft.entry);
    if (draft.engine_tag != NO_TAG && draft.entry.type != SB_SUBSYSTEM_ENGINE)
        sb_lua_fail_at(lua, "engine", "only an entry of the type `engine` has it");
    finish_entry(lua, &draft.entry);
    finish_fire_flags(lua, &draft.entry);
    hardpoint->part = draft.entry;
    hardpoint->engine_tag = draft.engine_tag == NO_TAG ? SB_ENGINE_IMPULSE : draft.engine_tag;
    if (sb_hardpoint_system_type(hardpoint) >= 0) finish_child(lua, &hardpoint->part);
    parts->hardpoint_count++;
}

static const char *system_word(const sb_hardpoint *child)
{
    return sb_part_type_words[sb_hardpoint_system_type(child)];
}

static _Noreturn void refuse_link(sb_lua *lua, const sb_hardpoint *at, const char *key,
                                  sb_link_problem problem)
{
    const char *type = sb_part_type_words[at->part.type];
    switch (problem) {
    case SB_LINK_NO_SYSTEM:
        sb_lua_fail_at(lua, key, "belongs to an entry of the type %s, and there is none",
                       system_word(at));
    case SB_LINK_TWO_SYSTEMS:
        sb_lua_fail_at(lua, key,
                       "two entries are of the type %s; which of them the game gives this part to "
                       "is not known: nest the parts in `subsystems` instead",
                       system_word(at));
    case SB_LINK_SECOND_OF_ITS_TYPE:
        sb_lua_fail_at(lua, key, "a ship has one %s at most, and an earlier entry is one", type);
    case SB_LINK_TOO_MANY_SYSTEMS:
        sb_lua_fail_at(lua, key, "a ship has at most %d systems", SB_SUBSYSTEMS_MAX);
    case SB_LINK_TOO_MANY_CHILDREN:
        sb_lua_fail_at(lua, key, "a %s has at most %d children, and a ship %d", system_word(at),
                       SB_CHILDREN_MAX, SB_SHIP_CHILDREN_MAX);
    default: sb_lua_fail_at(lua, key, "a ship has at most %d weapons in all", SB_WEAPONS_MAX);
    }
}

void sb_part_link_hardpoints(sb_lua *lua, sb_part_lists *parts)
{
    char            key[32];
    size_t          at;
    sb_link_problem problem =
        sb_hardpoints_link(parts->hardpoints, parts->hardpoint_count, &parts->linked, &at);
    if (problem == SB_LINKED) return;
    snprintf(key, sizeof key, "hardpoints[%zu]", at + 1);
    refuse_link(lua, &parts->hardpoints[at], key, problem);
}

/* ---- creation indices ---- */

/* Creation indices number the N subsystems of a ship 0..N-1, each once (spec 07 §1.1). */
static void check_creation_index(sb_lua *lua, const sb_part_lists *parts, bool *used, size_t top,
                                 const sb_subsystem_class *child)
{
    const sb_subsystem_class *entry = child ? child : &parts->linked.subsystems[top];
    int                       total = parts->linked.subsystem_count + parts->linked.child_count;
    char                      key[64], below[32] = "";
    if (entry->creation_index < 0) return;
    bool fits = entry->creation_index < total;
    if (fits && !used[entry->creation_index]) {
        used[entry->creation_index] = true;
        return;
    }
    if (child) {
        long index = child - &parts->linked.children[parts->linked.subsystems[top].first_child];
        snprintf(below, sizeof below, ".children[%ld]", index + 1);
    }
    snprintf(key, sizeof key, "subsystems[%zu]%s.creation_index", top + 1, below);
    if (fits) sb_lua_fail_at(lua, key, "%d is taken by an earlier entry", entry->creation_index);
    sb_lua_fail_at(lua, key, "must be less than %d, the number of subsystems", total);
}

void sb_part_check_creation(sb_lua *lua, const sb_part_lists *parts)
{
    bool used[SB_SUBSYSTEMS_MAX + SB_SHIP_CHILDREN_MAX] = { false };
    for (size_t i = 0; i < parts->linked.subsystem_count; i++) {
        const sb_subsystem_class *entry = &parts->linked.subsystems[i];
        check_creation_index(lua, parts, used, i, NULL);
        for (size_t k = 0; k < entry->child_count; k++)
            check_creation_index(lua, parts, used, i,
                                 &parts->linked.children[entry->first_child + k]);
    }
}
