/* tests/ship/facts_test.c -- the compiled-in set against every row of docs/facts, read at run time.
 *
 * Figures are compared as floats, bit for bit: an empty cell is NAN or absent, never 0.
 */
#include <starbase/ship.h>

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 512, COLUMNS_MAX = 48, BYTES_MAX = 64 * 1024 };

static struct {
    const char *name;
    char        text[BYTES_MAX];
    char       *cells[ROWS_MAX][COLUMNS_MAX]; /* row 0: the headings */
    size_t      rows, columns;
} table;

static void split_row(char *line, size_t row)
{
    table.columns = 0;
    for (char *cell = line; cell; table.columns++) {
        char *comma = strchr(cell, ',');
        CHECK(table.columns < COLUMNS_MAX);
        table.cells[row][table.columns] = cell;
        if (comma) *comma = '\0';
        cell = comma ? comma + 1 : NULL;
    }
}

/* The facts are plain, without quotes (spec 11 §1); some files end their lines in CR LF. */
static void open_facts(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/docs/facts/%s", SB_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) FAIL("cannot open %s", path);
    size_t size = fread(table.text, 1, sizeof table.text - 1, file);
    fclose(file);
    CHECK(size < sizeof table.text - 1);
    table.text[size] = '\0';
    table.name = name;
    table.rows = 0;
    for (char *line = strtok(table.text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        CHECK(table.rows < ROWS_MAX);
        size_t columns = table.columns;
        split_row(line, table.rows++);
        CHECK(table.rows == 1 || table.columns == columns);
    }
    CHECK(table.rows > 1);
}

static const char *cell(size_t row, const char *heading)
{
    for (size_t i = 0; i < table.columns; i++)
        if (strcmp(table.cells[0][i], heading) == 0) return table.cells[row][i];
    FAIL("%s has no column %s", table.name, heading);
}

static bool empty(size_t row, const char *heading)
{
    return cell(row, heading)[0] == '\0';
}

static int number(size_t row, const char *heading)
{
    char *end;
    long  value = strtol(cell(row, heading), &end, 0);
    if (empty(row, heading) || *end) FAIL("%s:%zu: %s is no number", table.name, row + 1, heading);
    return (int)value;
}

static void check_number(size_t row, const char *heading, int actual)
{
    if (number(row, heading) != actual)
        FAIL("%s:%zu: %s is %s, the set has %d", table.name, row + 1, heading, cell(row, heading),
             actual);
}

static void check_text(size_t row, const char *heading, const char *actual)
{
    if (strcmp(cell(row, heading), actual) != 0)
        FAIL("%s:%zu: %s is %s, the set has %s", table.name, row + 1, heading, cell(row, heading),
             actual);
}

/* An empty cell must be `absent` in the set. */
static void check_figure_or(size_t row, const char *heading, float actual, float absent)
{
    float expected = empty(row, heading) ? absent : strtof(cell(row, heading), NULL);
    if (expected == actual || (isnan(expected) && isnan(actual))) return;
    FAIL("%s:%zu: %s is \"%s\", the set has %.9g", table.name, row + 1, heading, cell(row, heading),
         (double)actual);
}

static void check_figure(size_t row, const char *heading, float actual)
{
    check_figure_or(row, heading, actual, NAN);
}

static void check_axes(size_t row, const char *prefix, const float actual[3])
{
    for (size_t i = 0; i < 3; i++) {
        char heading[16];
        snprintf(heading, sizeof heading, "%s_%c", prefix, "xyz"[i]);
        check_figure(row, heading, actual[i]);
    }
}

static void check_source(size_t row, const char *heading, uint8_t actual)
{
    check_text(row, heading, actual ? sb_figure_source_name(actual) : "");
}

static const sb_ship_class *ship_of(size_t row, const char *heading)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)number(row, heading));
    if (!ship) FAIL("%s:%zu: no such ship", table.name, row + 1);
    return ship;
}

/* child -1: the top-level entry itself. */
static const sb_subsystem_class *entry_of(const sb_ship_class *ship, int top, int child)
{
    CHECK(top >= 0 && top < ship->subsystem_count);
    const sb_subsystem_class *entry = &ship->subsystems[top];
    if (child < 0) return entry;
    CHECK(child < entry->child_count);
    CHECK(entry->first_child + child < ship->child_count);
    return &ship->children[entry->first_child + child];
}

static const char *const type_words[SB_SUBSYSTEM_TYPE_COUNT] = {
    "hull",          "shield",       "sensor",         "power",
    "impulse",       "warp",         "repair",         "cloak",
    "phaser_system", "pulse_system", "torpedo_system", "tractor_system",
    "phaser_bank",   "pulse_weapon", "torpedo_tube",   "tractor_projector",
    "engine",
};
static const char *const format_words[] = { "base", "powered", "shield", "reactor" };

/* ---- sizes that follow from a list ---- */

static bool is_powered(const sb_subsystem_class *entry)
{
    return entry->format == SB_FORMAT_POWERED || entry->format == SB_FORMAT_SHIELD;
}

/* Bytes of an entry of flag 0x20 without group and power bytes (spec 03 §4.1). */
static int health_bytes(const sb_subsystem_class *entry)
{
    int extra = entry->format == SB_FORMAT_SHIELD    ? SB_FACINGS
                : entry->format == SB_FORMAT_REACTOR ? 2
                                                     : 0;
    return 1 + entry->child_count + extra;
}

static bool writes_bit(const sb_subsystem_class *entry)
{
    return entry->type >= SB_SUBSYSTEM_PHASER_SYSTEM && entry->type <= SB_SUBSYSTEM_TRACTOR_SYSTEM;
}

/* Bytes of an entry of a creation snapshot (spec 07 §2.3); *bits counts booleans, five to a byte.
 */
static int snapshot_bytes(const sb_subsystem_class *entry, int *bits)
{
    int bytes = health_bytes(entry) + is_powered(entry);
    if (!writes_bit(entry)) return bytes;
    bytes += (*bits)++ % 5 == 0;
    return bytes + (entry->type != SB_SUBSYSTEM_PULSE_SYSTEM);
}

/* ---- the tables ---- */

TEST(ships_csv_agrees_with_the_compiled_set)
{
    static const char *const facings[] = { "front", "rear", "top", "bottom", "left", "right" };
    open_facts("ships.csv");
    CHECK_EQ(table.rows - 1 + 1, sb_stock_ships()->count); /* without headings, with Enterprise */
    for (size_t row = 1; row < table.rows; row++) {
        const sb_ship_class *ship = ship_of(row, "species_id");
        check_text(row, "key", ship->key);
        check_text(row, "name", ship->name);
        check_text(row, "faction", ship->faction);
        check_number(row, "modifier_class", ship->modifier_class);
        check_figure(row, "hull_hp", ship->subsystems[0].max_condition);
        for (size_t i = 0; i < SB_FACINGS; i++) {
            char heading[32];
            snprintf(heading, sizeof heading, "shield_max_%s", facings[i]);
            check_figure(row, heading, ship->shield_max[i]);
            snprintf(heading, sizeof heading, "shield_rate_%s", facings[i]);
            check_figure(row, heading, ship->shield_rate[i]);
        }
        check_figure(row, "mass", ship->mass);
        check_figure(row, "rotational_inertia", ship->rotational_inertia);
        check_figure(row, "max_speed", ship->max_speed);
        check_figure(row, "max_accel", ship->max_accel);
        check_figure(row, "max_angular_accel", ship->max_angular_accel);
        check_figure(row, "max_angular_velocity", ship->max_angular_velocity);
        check_number(row, "can_cloak", ship->can_cloak);
        check_figure(row, "cloak_strength", ship->cloak_strength);
        check_figure(row, "max_repair_points", ship->max_repair_points);
        check_number(row, "num_repair_teams", ship->repair_teams);
        check_figure(row, "bound_radius_est", ship->bound_radius);
        CHECK_EQ(ship->selectable, ship->species <= 15);
    }
}

static int count_children(const sb_ship_class *ship, uint8_t type)
{
    int count = 0;
    for (size_t i = 0; i < ship->child_count; i++) count += ship->children[i].type == type;
    return count;
}

TEST(lengths_and_health_bytes_of_ships_csv_follow_from_lists)
{
    open_facts("ships.csv");
    for (size_t row = 1; row < table.rows; row++) {
        const sb_ship_class *ship = ship_of(row, "species_id");
        int                  own = 0, powered = 0, children = 0;
        for (size_t i = 0; i < ship->subsystem_count; i++) {
            const sb_subsystem_class *entry = &ship->subsystems[i];
            own += health_bytes(entry);
            powered += is_powered(entry);
            if (entry->child_count) CHECK_EQ(entry->first_child, children);
            children += entry->child_count;
        }
        CHECK_EQ(children, ship->child_count);
        check_number(row, "n_phaser_banks", count_children(ship, SB_SUBSYSTEM_PHASER_BANK));
        check_number(row, "n_pulse_weapons", count_children(ship, SB_SUBSYSTEM_PULSE_WEAPON));
        check_number(row, "n_torpedo_tubes", count_children(ship, SB_SUBSYSTEM_TORPEDO_TUBE));
        check_number(row, "n_tractor_projectors",
                     count_children(ship, SB_SUBSYSTEM_TRACTOR_PROJECTOR));
        check_number(row, "n_top_level", ship->subsystem_count);
        check_number(row, "n_children", ship->child_count);
        check_number(row, "n_subsystems", ship->subsystem_count + ship->child_count);
        check_number(row, "n_powered_blocks", powered);
        check_number(row, "health_bytes_own", own);
        check_number(row, "health_bytes_remote", own + powered);
    }
}

static void check_subsystem_row(size_t row, const sb_subsystem_class *entry)
{
    check_text(row, "name", entry->name);
    check_text(row, "type", type_words[entry->type]);
    check_text(row, "wire_format", format_words[entry->format]);
    check_figure(row, "max_condition", entry->max_condition);
    check_source(row, "max_condition_src", entry->condition_source);
    check_figure(row, "disabled_pct", entry->disabled_below);
    check_figure(row, "repair_complexity", entry->repair_complexity);
    check_source(row, "props_src", entry->properties_source);
    check_figure_or(row, "power_per_second", entry->power_per_second, 0);
    check_source(row, "power_src", entry->power_source);
    CHECK_EQ(empty(row, "power_mode") ? 0 : number(row, "power_mode"), entry->power_mode);
    check_number(row, "critical", entry->critical);
    check_number(row, "targetable", entry->targetable);
    CHECK_EQ(entry->has_position, !empty(row, "pos_x"));
    check_axes(row, "pos", entry->position);
    check_figure(row, "radius", entry->radius);
    check_axes(row, "hit", entry->hit);
    check_source(row, "order_src", entry->order_source);
    CHECK_EQ(empty(row, "creation_index") ? -1 : number(row, "creation_index"),
             entry->creation_index);
    check_source(row, "creation_src", entry->creation_source);
}

TEST(every_row_of_subsystems_csv_agrees_with_the_compiled_set)
{
    open_facts("subsystems.csv");
    size_t expected = 0;
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        CHECK(ship);
        expected += (size_t)ship->subsystem_count + ship->child_count;
    }
    CHECK_EQ(table.rows - 1, expected);
    for (size_t row = 1; row < table.rows; row++) {
        const sb_ship_class *ship = ship_of(row, "species_id");
        check_text(row, "ship", ship->key);
        check_subsystem_row(row,
                            entry_of(ship, number(row, "list_index"), number(row, "child_index")));
    }
}

static void check_weapon_row(size_t row, const sb_weapon_class *weapon)
{
    check_number(row, "weapon_id", weapon->weapon_id);
    check_figure(row, "max_damage", weapon->max_damage);
    check_figure(row, "max_damage_distance", weapon->max_damage_distance);
    check_figure(row, "max_charge", weapon->max_charge);
    check_figure(row, "min_firing_charge", weapon->min_firing_charge);
    check_figure(row, "recharge_rate", weapon->recharge_rate);
    check_figure(row, "discharge_rate", weapon->discharge_rate);
    check_figure(row, "reload_delay", weapon->reload_delay);
    CHECK_EQ(empty(row, "max_ready") ? -1 : number(row, "max_ready"), weapon->max_ready);
    check_figure(row, "immediate_delay", weapon->immediate_delay);
    CHECK_EQ(empty(row, "dumbfire") ? 0 : number(row, "dumbfire"), weapon->dumbfire);
    check_axes(row, "fwd", weapon->forward);
    check_axes(row, "up", weapon->up);
    check_figure(row, "arc_width_min", weapon->arc_width[0]);
    check_figure(row, "arc_width_max", weapon->arc_width[1]);
    check_figure(row, "arc_height_min", weapon->arc_height[0]);
    check_figure(row, "arc_height_max", weapon->arc_height[1]);
}

TEST(every_row_of_weapons_csv_agrees_with_the_compiled_set)
{
    open_facts("weapons.csv");
    size_t expected = 0;
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        for (size_t i = 0; i < ship->child_count; i++) expected += ship->children[i].weapon != NULL;
        for (size_t i = 0; i < ship->subsystem_count; i++) CHECK(!ship->subsystems[i].weapon);
    }
    CHECK_EQ(table.rows - 1, expected);
    for (size_t row = 1; row < table.rows; row++) {
        const sb_subsystem_class *entry = entry_of(
            ship_of(row, "species_id"), number(row, "list_index"), number(row, "child_index"));
        check_text(row, "name", entry->name);
        check_text(row, "type", type_words[entry->type]);
        check_axes(row, "pos", entry->position);
        check_figure(row, "radius", entry->radius);
        CHECK(entry->weapon);
        check_weapon_row(row, entry->weapon);
    }
}

TEST(power_csv_agrees_with_the_compiled_set)
{
    open_facts("power.csv");
    CHECK_EQ(table.rows - 1, 16);
    for (size_t row = 1; row < table.rows; row++) {
        const sb_ship_class *ship = ship_of(row, "species_id");
        float                draw = 0, cloak = 0, tractor = 0;
        for (size_t i = 0; i < ship->subsystem_count; i++) {
            const sb_subsystem_class *entry = &ship->subsystems[i];
            if (entry->type == SB_SUBSYSTEM_CLOAK) cloak += entry->power_per_second;
            else draw += entry->power_per_second;
            if (entry->type == SB_SUBSYSTEM_TRACTOR_SYSTEM) tractor += entry->power_per_second;
        }
        check_figure(row, "power_output", ship->power_output);
        check_figure(row, "main_battery_limit", ship->main_battery);
        check_figure(row, "backup_battery_limit", ship->backup_battery);
        check_figure(row, "main_conduit_capacity", ship->main_conduit);
        check_figure(row, "backup_conduit_capacity", ship->backup_conduit);
        check_figure(row, "draw_total_no_cloak", draw);
        check_figure(row, "draw_cloak", cloak);
        check_figure(row, "draw_tractor", tractor);
        check_source(row, "draw_src", ship->figures_source);
    }
}

/* ---- the tables of chapter 03, which know the Enterprise too ---- */

/* Two tables, two vocabularies: "reactor" here is "power" in subsystems.csv. */
static const char *serialization_type(uint8_t type)
{
    switch (type) {
    case SB_SUBSYSTEM_POWER: return "reactor";
    case SB_SUBSYSTEM_PHASER_SYSTEM: return "phaser";
    case SB_SUBSYSTEM_PULSE_SYSTEM: return "pulse";
    case SB_SUBSYSTEM_TORPEDO_SYSTEM: return "torpedo";
    case SB_SUBSYSTEM_TRACTOR_SYSTEM: return "tractor";
    default: return type_words[type];
    }
}

TEST(ships_serialization_csv_agrees_with_the_compiled_set)
{
    open_facts("ships-serialization.csv");
    size_t expected = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        expected += sb_stock_ships()->ships[i].subsystem_count;
    CHECK_EQ(table.rows - 1, expected);
    for (size_t row = 1; row < table.rows; row++) {
        const sb_subsystem_class *entry =
            entry_of(ship_of(row, "species"), number(row, "index"), -1);
        check_text(row, "name", entry->name);
        check_text(row, "type", serialization_type(entry->type));
        check_text(row, "format", format_words[entry->format]);
        check_number(row, "children", entry->child_count);
        if (!empty(row, "max_condition")) check_figure(row, "max_condition", entry->max_condition);
    }
}

TEST(ships_serialization_children_csv_agrees_with_the_stock_set)
{
    open_facts("ships-serialization-children.csv");
    size_t expected = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        expected += sb_stock_ships()->ships[i].child_count;
    CHECK_EQ(table.rows - 1, expected);
    for (size_t row = 1; row < table.rows; row++) {
        const sb_subsystem_class *child = entry_of(
            ship_of(row, "species"), number(row, "parent_index"), number(row, "child_index"));
        check_text(row, "name", child->name);
        check_text(row, "type", type_words[child->type]);
        check_figure(row, "max_condition", child->max_condition);
    }
}

TEST(creation_snapshots_have_the_lengths_of_the_csv)
{
    open_facts("objcreate_snapshot.csv");
    int species = 0, bits = 0;
    for (size_t row = 1; row < table.rows; row++) {
        if (number(row, "species") != species) bits = 0;
        species = number(row, "species");
        const sb_subsystem_class *entry =
            entry_of(ship_of(row, "species"), number(row, "index"), -1);
        check_text(row, "subsystem", entry->name);
        check_number(row, "children", entry->child_count);
        check_number(row, "writes_bit", writes_bit(entry));
        check_number(row, "bytes_incl_new_bit_byte", snapshot_bytes(entry, &bits));
    }
}

TEST(creation_snapshots_have_the_lengths_that_spec_07_gives)
{
    static const struct {
        uint8_t species;
        int     bytes;
    } known[] = {
        { 1, 51 },  { 2, 49 },  { 3, 54 },  { 4, 51 },  { 5, 53 },  { 6, 34 },
        { 7, 46 },  { 8, 48 },  { 9, 38 },  { 10, 35 }, { 11, 43 }, { 12, 50 },
        { 13, 43 }, { 14, 42 }, { 15, 33 }, { 37, 53 },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), known[i].species);
        int                  bytes = 0, bits = 0;
        CHECK(ship);
        for (size_t k = 0; k < ship->subsystem_count; k++)
            bytes += snapshot_bytes(&ship->subsystems[k], &bits);
        CHECK_EQ(bytes, known[i].bytes);
    }
}

/* ---- the small tables ---- */

TEST(ordnance_estimates_csv_agrees_with_the_compiled_set)
{
    open_facts("ordnance_estimates.csv");
    size_t total = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        total += sb_stock_ships()->ships[i].ordnance_count;
    CHECK_EQ(table.rows - 1, total);
    for (size_t row = 1; row < table.rows; row++) {
        const sb_ship_class *ship = ship_of(row, "species_id");
        bool                 torpedo = strcmp(cell(row, "system"), "torpedo") == 0;
        const sb_ordnance   *found = NULL;
        for (const sb_ordnance *o = ship->ordnance; o < ship->ordnance + ship->ordnance_count; o++)
            if (o->slot == number(row, "slot") &&
                o->system_type ==
                    (torpedo ? SB_SUBSYSTEM_TORPEDO_SYSTEM : SB_SUBSYSTEM_PULSE_SYSTEM))
                found = o;
        CHECK(found);
        check_number(row, "net_type_id", found->projectile_type);
        check_text(row, "ground", found->ground);
    }
}

TEST(projectiles_csv_agrees_with_the_compiled_set)
{
    open_facts("projectiles.csv");
    CHECK_EQ(table.rows - 1, sb_stock_projectiles()->count);
    for (size_t row = 1; row < table.rows; row++) {
        uint8_t                    type = (uint8_t)number(row, "net_type_id");
        const sb_projectile_class *p = sb_find_projectile(sb_stock_projectiles(), type);
        CHECK(p);
        CHECK_EQ(p->type, type);
        check_text(row, "name", p->label);
        check_text(row, "kind", p->kind == SB_PROJECTILE_TORPEDO ? "torpedo" : "bolt");
        check_figure(row, "damage", p->damage);
        check_figure(row, "launch_speed", p->launch_speed);
        check_figure(row, "power_cost", p->power_cost);
        check_figure(row, "guidance_lifetime", p->guidance_lifetime);
        check_figure(row, "max_angular_accel", p->max_angular_accel);
        check_figure(row, "lifetime", p->lifetime);
        check_figure(row, "damage_radius_factor", p->damage_radius_factor);
    }
}

static void check_name(size_t row, const char *heading, const sb_name *names, int value)
{
    const char *name = NULL;
    for (; names->name; names++)
        if (names->value == (uint32_t)value) name = names->name;
    if (empty(row, heading)) CHECK(!name);
    else check_text(row, heading, name ? name : "(none)");
}

TEST(projectile_names_are_those_of_torpedo_species_csv)
{
    open_facts("torpedo_species.csv");
    for (size_t row = 1; row < table.rows; row++)
        check_name(row, "script", sb_projectile_names(), number(row, "torpedo_species"));
}

TEST(species_csv_agrees_with_the_compiled_set)
{
    open_facts("species.csv");
    CHECK_EQ(table.rows - 2, sb_stock_species()->count); /* without headings and species 0 */
    for (size_t row = 1; row < table.rows; row++) {
        int species = number(row, "species");
        check_name(row, "script", sb_species_names(), species);
        if (species == 0) continue;
        const sb_species    *known = &sb_stock_species()->species[species - 1];
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)species);
        CHECK_EQ(known->species, species);
        check_text(row, "faction", known->faction);
        CHECK_EQ(ship != NULL, !empty(row, "subsystems"));
        if (!ship) continue;
        check_number(row, "flyable", ship->selectable);
        check_number(row, "modifier_class", ship->modifier_class);
        check_text(row, "faction", ship->faction);
        check_number(row, "subsystems", ship->subsystem_count + ship->child_count);
        check_number(row, "object_ids_used", ship->subsystem_count + ship->child_count + 1);
    }
}

static void check_other_sets(size_t row, const sb_system *system)
{
    char joined[64] = "";
    for (size_t i = 0; i < system->other_set_count; i++) {
        size_t at = strlen(joined);
        snprintf(joined + at, sizeof joined - at, "%s%s", i ? " " : "", system->other_sets[i]);
    }
    check_text(row, "other_sets", joined);
}

TEST(maps_csv_agrees_with_the_compiled_set)
{
    open_facts("maps.csv");
    CHECK_EQ(table.rows - 2, sb_stock_systems()->count); /* without headings and index 0 */
    for (size_t row = 1; row < table.rows; row++) {
        uint8_t          index = (uint8_t)number(row, "system_index");
        const sb_system *system = sb_find_system(sb_stock_systems(), index);
        CHECK_EQ(system != NULL, index > 0);
        if (!system) continue;
        check_text(row, "set_name", system->start_set);
        check_text(row, "script_path", system->script);
        check_text(row, "kind", system->campaign ? "campaign" : "multiplayer");
        check_text(row, "display_name", system->label);
        check_other_sets(row, system);
    }
}
