/* tests/ship/facts_test.c -- the compiled-in set against every row of docs/facts, read at run time.
 *
 * engine_figures_test.c compares the figures with their provenance.
 */
#include <starbase/ship.h>

#include "facts.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

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
    facts_open("ships.csv");
    CHECK_EQ(facts_rows(), sb_stock_ships()->count);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship = facts_ship(row, "species_id");
        facts_check_text(row, "key", ship->key);
        facts_check_text(row, "name", ship->name);
        facts_check_text(row, "faction", ship->faction);
        facts_check_number(row, "modifier_class", ship->modifier_class);
        facts_check_figure(row, "hull_hp", ship->subsystems[0].max_condition);
        for (size_t i = 0; i < SB_FACINGS; i++) {
            char heading[32];
            snprintf(heading, sizeof heading, "shield_max_%s", facings[i]);
            facts_check_figure(row, heading, ship->shield_max[i]);
            snprintf(heading, sizeof heading, "shield_rate_%s", facings[i]);
            facts_check_figure(row, heading, ship->shield_rate[i]);
        }
        facts_check_figure(row, "mass", ship->mass);
        facts_check_figure(row, "rotational_inertia", ship->rotational_inertia);
        facts_check_figure(row, "max_speed", ship->max_speed);
        facts_check_figure(row, "max_accel", ship->max_accel);
        facts_check_figure(row, "max_angular_accel", ship->max_angular_accel);
        facts_check_figure(row, "max_angular_velocity", ship->max_angular_velocity);
        facts_check_number(row, "can_cloak", ship->can_cloak);
        facts_check_figure(row, "cloak_strength", ship->cloak_strength);
        facts_check_figure(row, "max_repair_points", ship->max_repair_points);
        facts_check_number(row, "num_repair_teams", ship->repair_teams);
        CHECK_EQ(ship->selectable, ship->species <= 15);
    }
}

TEST(ships_csv_gives_the_shape_and_the_source_of_every_figure)
{
    facts_open("ships.csv");
    CHECK_EQ(facts_rows(), sb_stock_ships()->count);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship = facts_ship(row, "species_id");
        facts_check_figure(row, "bound_radius", ship->bound_radius);
        facts_check_source(row, "radius_src", ship->radius_source);
        facts_check_axes(row, "box", ship->box_centre);
        facts_check_axes(row, "half", ship->box_half);
        facts_check_source(row, "box_src", ship->box_source);
        facts_check_source(row, "centre_src", ship->centre_source);
        facts_check_figure(row, "sensor_range", ship->sensor_range);
        facts_check_source(row, "sensor_range_src", ship->sensor_source);
        facts_check_source(row, "hull_src", ship->subsystems[0].condition_source);
        facts_check_source(row, "shield_max_src", ship->shield_source);
        facts_check_source(row, "shield_rate_src", ship->rate_source);
        facts_check_source(row, "mass_src", ship->mass_source);
        facts_check_source(row, "impulse_src", ship->impulse_source);
        facts_check_source(row, "repair_src", ship->repair_source);
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
    facts_open("ships.csv");
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship = facts_ship(row, "species_id");
        int                  own = 0, powered = 0, children = 0;
        for (size_t i = 0; i < ship->subsystem_count; i++) {
            const sb_subsystem_class *entry = &ship->subsystems[i];
            own += health_bytes(entry);
            powered += is_powered(entry);
            if (entry->child_count) CHECK_EQ(entry->first_child, children);
            children += entry->child_count;
        }
        CHECK_EQ(children, ship->child_count);
        facts_check_number(row, "n_phaser_banks", count_children(ship, SB_SUBSYSTEM_PHASER_BANK));
        facts_check_number(row, "n_pulse_weapons", count_children(ship, SB_SUBSYSTEM_PULSE_WEAPON));
        facts_check_number(row, "n_torpedo_tubes", count_children(ship, SB_SUBSYSTEM_TORPEDO_TUBE));
        facts_check_number(row, "n_tractor_projectors",
                           count_children(ship, SB_SUBSYSTEM_TRACTOR_PROJECTOR));
        facts_check_number(row, "n_top_level", ship->subsystem_count);
        facts_check_number(row, "n_children", ship->child_count);
        facts_check_number(row, "n_subsystems", ship->subsystem_count + ship->child_count);
        facts_check_number(row, "n_powered_blocks", powered);
        facts_check_number(row, "health_bytes_own", own);
        facts_check_number(row, "health_bytes_remote", own + powered);
    }
}

static void check_flag(size_t row, const char *heading, uint8_t flag)
{
    static const char *const words[] = { "", "no", "yes" };
    facts_check_text(row, heading, words[flag]);
}

static void check_subsystem_row(size_t row, const sb_subsystem_class *entry)
{
    facts_check_text(row, "name", entry->name);
    facts_check_text(row, "type", type_words[entry->type]);
    facts_check_text(row, "wire_format", format_words[entry->format]);
    facts_check_figure(row, "max_condition", entry->max_condition);
    facts_check_source(row, "max_condition_src", entry->condition_source);
    facts_check_figure(row, "disabled_pct", entry->disabled_below);
    facts_check_figure(row, "repair_complexity", entry->repair_complexity);
    facts_check_source(row, "props_src", entry->properties_source);
    facts_check_figure_or(row, "power_per_second", entry->power_per_second, 0);
    facts_check_source(row, "power_src", entry->power_source);
    CHECK_EQ(facts_is_empty(row, "power_mode") ? 0 : facts_number(row, "power_mode"),
             entry->power_mode);
    facts_check_number(row, "critical", entry->critical);
    facts_check_number(row, "targetable", entry->targetable);
    CHECK_EQ(entry->has_position, !facts_is_empty(row, "pos_x"));
    facts_check_axes(row, "pos", entry->position);
    facts_check_figure(row, "radius", entry->radius);
    facts_check_source(row, "pos_src", entry->position_source);
    facts_check_axes(row, "mount", entry->mount);
    check_flag(row, "primary", entry->primary);
    check_flag(row, "single_fire", entry->single_fire);
    check_flag(row, "aimed", entry->aimed);
    facts_check_source(row, "fire_src", entry->fire_source);
    facts_check_source(row, "order_src", entry->order_source);
    CHECK_EQ(facts_is_empty(row, "creation_index") ? -1 : facts_number(row, "creation_index"),
             entry->creation_index);
    facts_check_source(row, "creation_src", entry->creation_source);
}

TEST(every_row_of_subsystems_csv_agrees_with_the_compiled_set)
{
    facts_open("subsystems.csv");
    size_t expected = 0;
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        CHECK(ship);
        expected += (size_t)ship->subsystem_count + ship->child_count;
    }
    CHECK_EQ(facts_rows(), expected);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship = facts_ship(row, "species_id");
        facts_check_text(row, "ship", ship->key);
        check_subsystem_row(row, facts_entry(ship, facts_number(row, "list_index"),
                                             facts_number(row, "child_index")));
    }
}

static void check_weapon_row(size_t row, const sb_weapon_class *weapon)
{
    facts_check_number(row, "weapon_id", weapon->weapon_id);
    facts_check_figure(row, "max_damage", weapon->max_damage);
    facts_check_figure(row, "max_damage_distance", weapon->max_damage_distance);
    facts_check_figure(row, "max_charge", weapon->max_charge);
    facts_check_figure(row, "min_firing_charge", weapon->min_firing_charge);
    facts_check_figure(row, "recharge_rate", weapon->recharge_rate);
    facts_check_figure(row, "discharge_rate", weapon->discharge_rate);
    facts_check_figure(row, "reload_delay", weapon->reload_delay);
    CHECK_EQ(facts_is_empty(row, "max_ready") ? -1 : facts_number(row, "max_ready"),
             weapon->max_ready);
    facts_check_figure(row, "immediate_delay", weapon->immediate_delay);
    CHECK_EQ(facts_is_empty(row, "dumbfire") ? 0 : facts_number(row, "dumbfire"), weapon->dumbfire);
    facts_check_axes(row, "fwd", weapon->forward);
    facts_check_axes(row, "up", weapon->up);
    facts_check_figure(row, "arc_width_min", weapon->arc_width[0]);
    facts_check_figure(row, "arc_width_max", weapon->arc_width[1]);
    facts_check_figure(row, "arc_height_min", weapon->arc_height[0]);
    facts_check_figure(row, "arc_height_max", weapon->arc_height[1]);
    facts_check_figure(row, "strip_length", weapon->strip_length);
    facts_check_figure(row, "strip_width", weapon->strip_width);
    facts_check_figure(row, "damage_radius_factor", weapon->damage_radius_factor);
    facts_check_figure(row, "cooldown", weapon->cooldown_time);
    facts_check_source(row, "weapon_src", weapon->source);
}

TEST(every_row_of_weapons_csv_agrees_with_the_compiled_set)
{
    facts_open("weapons.csv");
    size_t expected = 0;
    for (uint8_t species = 1; species <= 16; species++) {
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), species);
        for (size_t i = 0; i < ship->child_count; i++) expected += ship->children[i].weapon != NULL;
        for (size_t i = 0; i < ship->subsystem_count; i++) CHECK(!ship->subsystems[i].weapon);
    }
    CHECK_EQ(facts_rows(), expected);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_subsystem_class *entry =
            facts_entry(facts_ship(row, "species_id"), facts_number(row, "list_index"),
                        facts_number(row, "child_index"));
        facts_check_text(row, "name", entry->name);
        facts_check_text(row, "type", type_words[entry->type]);
        facts_check_axes(row, "pos", entry->position);
        facts_check_figure(row, "radius", entry->radius);
        CHECK(entry->weapon);
        check_weapon_row(row, entry->weapon);
    }
}

TEST(power_csv_agrees_with_the_compiled_set)
{
    facts_open("power.csv");
    CHECK_EQ(facts_rows(), sb_stock_ships()->count);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship = facts_ship(row, "species_id");
        float                draw = 0, cloak = 0, tractor = 0;
        for (size_t i = 0; i < ship->subsystem_count; i++) {
            const sb_subsystem_class *entry = &ship->subsystems[i];
            if (entry->type == SB_SUBSYSTEM_CLOAK) cloak += entry->power_per_second;
            else draw += entry->power_per_second;
            if (entry->type == SB_SUBSYSTEM_TRACTOR_SYSTEM) tractor += entry->power_per_second;
        }
        facts_check_figure(row, "power_output", ship->power_output);
        facts_check_figure(row, "main_battery_limit", ship->main_battery);
        facts_check_figure(row, "backup_battery_limit", ship->backup_battery);
        facts_check_figure(row, "main_conduit_capacity", ship->main_conduit);
        facts_check_figure(row, "backup_conduit_capacity", ship->backup_conduit);
        facts_check_figure(row, "draw_total_no_cloak", draw);
        facts_check_figure(row, "draw_cloak", cloak);
        facts_check_figure(row, "draw_tractor", tractor);
        facts_check_source(row, "draw_src", ship->figures_source);
        facts_check_source(row, "reactor_src", ship->reactor_source);
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
    facts_open("ships-serialization.csv");
    size_t expected = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        expected += sb_stock_ships()->ships[i].subsystem_count;
    CHECK_EQ(facts_rows(), expected);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_subsystem_class *entry =
            facts_entry(facts_ship(row, "species"), facts_number(row, "index"), -1);
        facts_check_text(row, "name", entry->name);
        facts_check_text(row, "type", serialization_type(entry->type));
        facts_check_text(row, "format", format_words[entry->format]);
        facts_check_number(row, "children", entry->child_count);
        if (!facts_is_empty(row, "max_condition"))
            facts_check_figure(row, "max_condition", entry->max_condition);
    }
}

TEST(ships_serialization_children_csv_agrees_with_the_stock_set)
{
    facts_open("ships-serialization-children.csv");
    size_t expected = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        expected += sb_stock_ships()->ships[i].child_count;
    CHECK_EQ(facts_rows(), expected);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_subsystem_class *child =
            facts_entry(facts_ship(row, "species"), facts_number(row, "parent_index"),
                        facts_number(row, "child_index"));
        facts_check_text(row, "name", child->name);
        facts_check_text(row, "type", type_words[child->type]);
        facts_check_figure(row, "max_condition", child->max_condition);
    }
}

TEST(creation_snapshots_have_the_lengths_of_the_csv)
{
    facts_open("objcreate_snapshot.csv");
    int species = 0, bits = 0;
    for (size_t row = 1; row <= facts_rows(); row++) {
        if (facts_number(row, "species") != species) bits = 0;
        species = facts_number(row, "species");
        const sb_subsystem_class *entry =
            facts_entry(facts_ship(row, "species"), facts_number(row, "index"), -1);
        facts_check_text(row, "subsystem", entry->name);
        facts_check_number(row, "children", entry->child_count);
        facts_check_number(row, "writes_bit", writes_bit(entry));
        facts_check_number(row, "bytes_incl_new_bit_byte", snapshot_bytes(entry, &bits));
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

TEST(ordnance_csv_agrees_with_the_compiled_set)
{
    facts_open("ordnance.csv");
    size_t total = 0;
    for (size_t i = 0; i < sb_stock_ships()->count; i++)
        total += sb_stock_ships()->ships[i].ordnance_count;
    CHECK_EQ(facts_rows(), total);
    for (size_t row = 1; row <= facts_rows(); row++) {
        const sb_ship_class *ship = facts_ship(row, "species_id");
        bool                 torpedo = strcmp(facts_cell(row, "system"), "torpedo") == 0;
        const sb_ordnance   *found = NULL;
        for (const sb_ordnance *o = ship->ordnance; o < ship->ordnance + ship->ordnance_count; o++)
            if (o->slot == facts_number(row, "slot") &&
                o->system_type ==
                    (torpedo ? SB_SUBSYSTEM_TORPEDO_SYSTEM : SB_SUBSYSTEM_PULSE_SYSTEM))
                found = o;
        CHECK(found);
        facts_check_number(row, "net_type_id", found->projectile_type);
        facts_check_figure(row, "max_torpedoes", found->max_torpedoes);
        facts_check_source(row, "src", found->source);
        facts_check_text(row, "ground", found->ground);
    }
}

TEST(projectiles_csv_agrees_with_the_compiled_set)
{
    facts_open("projectiles.csv");
    CHECK_EQ(facts_rows(), sb_stock_projectiles()->count);
    for (size_t row = 1; row <= facts_rows(); row++) {
        uint8_t                    type = (uint8_t)facts_number(row, "net_type_id");
        const sb_projectile_class *p = sb_find_projectile(sb_stock_projectiles(), type);
        CHECK(p);
        CHECK_EQ(p->type, type);
        facts_check_text(row, "name", p->label);
        facts_check_text(row, "kind", p->kind == SB_PROJECTILE_TORPEDO ? "torpedo" : "bolt");
        facts_check_figure(row, "damage", p->damage);
        facts_check_figure(row, "launch_speed", p->launch_speed);
        facts_check_figure(row, "power_cost", p->power_cost);
        facts_check_figure(row, "guidance_lifetime", p->guidance_lifetime);
        facts_check_figure(row, "max_angular_accel", p->max_angular_accel);
        facts_check_figure(row, "lifetime", p->lifetime);
        facts_check_figure(row, "damage_radius_factor", p->damage_radius_factor);
        facts_check_source(row, "src", p->source);
    }
}

static void check_name(size_t row, const char *heading, const sb_name *names, int value)
{
    const char *name = NULL;
    for (; names->name; names++)
        if (names->value == (uint32_t)value) name = names->name;
    if (facts_is_empty(row, heading)) CHECK(!name);
    else facts_check_text(row, heading, name ? name : "(none)");
}

TEST(projectile_names_are_those_of_torpedo_species_csv)
{
    facts_open("torpedo_species.csv");
    for (size_t row = 1; row <= facts_rows(); row++)
        check_name(row, "script", sb_projectile_names(), facts_number(row, "torpedo_species"));
}

TEST(species_csv_agrees_with_the_compiled_set)
{
    facts_open("species.csv");
    CHECK_EQ(facts_rows() - 1, sb_stock_species()->count); /* without species 0 */
    for (size_t row = 1; row <= facts_rows(); row++) {
        int species = facts_number(row, "species");
        check_name(row, "script", sb_species_names(), species);
        if (species == 0) continue;
        const sb_species    *known = &sb_stock_species()->species[species - 1];
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)species);
        CHECK_EQ(known->species, species);
        facts_check_text(row, "faction", known->faction);
        CHECK_EQ(ship != NULL, !facts_is_empty(row, "subsystems"));
        if (!ship) continue;
        facts_check_number(row, "flyable", ship->selectable);
        facts_check_number(row, "modifier_class", ship->modifier_class);
        facts_check_text(row, "faction", ship->faction);
        facts_check_number(row, "subsystems", ship->subsystem_count + ship->child_count);
        facts_check_number(row, "object_ids_used", ship->subsystem_count + ship->child_count + 1);
    }
}

static void check_other_sets(size_t row, const sb_system *system)
{
    char joined[64] = "";
    for (size_t i = 0; i < system->other_set_count; i++) {
        size_t at = strlen(joined);
        snprintf(joined + at, sizeof joined - at, "%s%s", i ? " " : "", system->other_sets[i]);
    }
    facts_check_text(row, "other_sets", joined);
}

TEST(maps_csv_agrees_with_the_compiled_set)
{
    facts_open("maps.csv");
    CHECK_EQ(facts_rows() - 1, sb_stock_systems()->count); /* without index 0 */
    for (size_t row = 1; row <= facts_rows(); row++) {
        uint8_t          index = (uint8_t)facts_number(row, "system_index");
        const sb_system *system = sb_find_system(sb_stock_systems(), index);
        CHECK_EQ(system != NULL, index > 0);
        if (!system) continue;
        facts_check_text(row, "set_name", system->start_set);
        facts_check_text(row, "script_path", system->script);
        facts_check_text(row, "kind", system->campaign ? "campaign" : "multiplayer");
        facts_check_text(row, "display_name", system->label);
        check_other_sets(row, system);
    }
}
