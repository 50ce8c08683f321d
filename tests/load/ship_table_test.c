/* tests/load/ship_table_test.c -- keys of a ship file about evidence, mounts, borrowed lists and
 * constants of the simulation.
 *
 * tests/load/data_file_test.c has the other keys and the ships on disk.
 */
#include "load/ship_table.h"

#include "load/data_file.h"
#include "test.h"
#include "tug.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHECK_NEAR(value, expected, off) CHECK(fabs((double)(value) - (expected)) <= (off))

/* Everything of a ship but its list and what a test adds. */
static const char class_text[] = "local ship = {\n" TUG_KEYS "}\n";
static const char list_text[] =
    "ship.source = { condition = 'hardpoint', properties = 'documented', power = 'estimate',\n"
    "                order = 'catalogue' }\n"
    "local bank = { name = 'Bank', max_condition = 100, disabled_below = 0.5,\n"
    "  repair_complexity = 2, position = { 0, 1, 0 }, radius = 0.25,\n"
    "  weapon = { id = 1, max_damage = 300, max_damage_distance = 60, max_charge = 5,\n"
    "    min_firing_charge = 3, recharge_rate = 0.08, discharge_rate = 1,\n"
    "    forward = { 0, 1, 0 }, up = { 0, 0, 1 }, arc_width = { -1.745329, 0.349066 },\n"
    "    arc_height = { -0.5, 0.5 } } }\n"
    "local hull = { type = 'hull', name = 'Hull', critical = true, max_condition = 1000,\n"
    "  disabled_below = 0, repair_complexity = 1, position = { 0, 0.5, 0 }, radius = 1 }\n"
    "ship.subsystems = { hull, { type = 'phaser_system', name = 'Phasers', max_condition = 300,\n"
    "  disabled_below = 0.5, repair_complexity = 2, power_per_second = 10, children = { bank } } "
    "}\n";

static sb_data              data;
static const sb_ship_class *ship;

/* Loads the ship after some Lua code that changes `ship`, `hull` and `bank`. */
static sb_result load(const char *list, const char *change)
{
    static char text[8192];
    sb_data_free(&data);
    data = (sb_data){ 0 };
    ship = NULL;
    snprintf(text, sizeof text, "%s%s%s\nreturn ship", class_text, list, change);
    sb_data_source source = { .name = "tug.lua", .text = text, .size = strlen(text) };
    return sb_data_load_ship(&data, source, sb_stock_ships(), &ship);
}

static void check_refused(const char *list, const char *change, const char *error)
{
    sb_result result = load(list, change);
    CHECK_TEXT(data.error, error);
    CHECK_EQ(result, SB_BAD_VALUE);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

/* ---- sources ---- */

TEST(sources_that_a_file_leaves_out_follow_from_those_it_has)
{
    CHECK_EQ(load(list_text, ""), SB_OK);
    CHECK_EQ(ship->mass_source, SB_SOURCE_HARDPOINT); /* class_source, absent: hardpoint */
    CHECK_EQ(ship->rate_source, SB_SOURCE_HARDPOINT);
    CHECK_EQ(ship->reactor_source, SB_SOURCE_HARDPOINT);
    CHECK_EQ(ship->radius_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->sensor_source, SB_SOURCE_NONE);
    CHECK_EQ(ship->subsystems[0].position_source, SB_SOURCE_DOCUMENTED); /* that of properties */
    CHECK_EQ(ship->subsystems[1].position_source, SB_SOURCE_NONE);       /* has no position */
    CHECK_EQ(ship->children[0].weapon->source, SB_SOURCE_DOCUMENTED);
    CHECK_EQ(ship->subsystems[1].fire_source, SB_SOURCE_NONE); /* no flag is given */
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(every_group_of_figures_can_have_a_source_of_its_own)
{
    CHECK_EQ(load(list_text, "ship.class_source, ship.sensor_range = 'estimate', 1500\n"
                             "ship.class_sources = { mass = 'engine', shields = 'trace',\n"
                             "  repair = 'documented', radius = 'rule' }\n"
                             "hull.source = { position = 'engine', condition = 'engine' }\n"
                             "bank.weapon.source = 'engine'\n"
                             "local phasers = ship.subsystems[2]\n"
                             "phasers.single_fire, phasers.source = 'yes', { fire = 'trace' }"),
             SB_OK);
    CHECK_EQ(ship->mass_source, SB_SOURCE_ENGINE);
    CHECK_EQ(ship->shield_source, SB_SOURCE_TRACE);
    CHECK_EQ(ship->repair_source, SB_SOURCE_DOCUMENTED);
    CHECK_EQ(ship->radius_source, SB_SOURCE_RULE);
    CHECK_EQ(ship->impulse_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->sensor_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->subsystems[0].position_source, SB_SOURCE_ENGINE);
    CHECK_EQ(ship->subsystems[0].condition_source, SB_SOURCE_ENGINE);
    CHECK_EQ(ship->children[0].position_source, SB_SOURCE_DOCUMENTED);
    CHECK_EQ(ship->children[0].weapon->source, SB_SOURCE_ENGINE);
    CHECK_EQ(ship->subsystems[1].fire_source, SB_SOURCE_TRACE);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(a_source_needs_a_known_word_and_a_figure)
{
    check_refused(list_text, "ship.class_sources = { mass = 'guess' }",
                  "tug.lua: class_sources.mass: must be one of none, hardpoint, documented, "
                  "inherited, estimate, trace, rule, catalogue, engine; is \"guess\"");
    check_refused(list_text, "ship.class_sources = { sensor_range = 'engine' }",
                  "tug.lua: class_sources.sensor_range: sensor_range is missing");
}

/* ---- mounts ---- */

/* A ventral bank of the Sovereign: middle of the arc at -40 degrees, right = +x. */
TEST(a_bank_with_a_mount_and_a_strip_is_placed_by_the_law)
{
    CHECK_EQ(load(list_text, "bank.position, bank.mount = nil, { 0, 1.7, -0.075 }\n"
                             "bank.weapon.strip_length, bank.weapon.strip_width = 1.47, 1.04"),
             SB_OK);
    CHECK_NEAR(ship->children[0].position[0], -0.6685, 1e-4);
    CHECK_NEAR(ship->children[0].position[1], 2.8261, 1e-4);
    CHECK_NEAR(ship->children[0].position[2], -0.075, 1e-6);
    CHECK_NEAR(ship->children[0].mount[1], 1.7, 1e-6);
    CHECK_EQ(ship->children[0].position_source, SB_SOURCE_RULE);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(a_position_that_a_file_gives_is_kept_beside_the_mount)
{
    CHECK_EQ(load(list_text, "bank.mount = { 0, 1.7, -0.075 }\n"
                             "bank.weapon.strip_length, bank.weapon.strip_width = 1.47, 1.04"),
             SB_OK);
    CHECK_NEAR(ship->children[0].position[1], 1, 0);
    CHECK_NEAR(ship->children[0].mount[1], 1.7, 1e-6);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(a_mount_alone_does_not_say_where_a_part_is)
{
    check_refused(list_text, "bank.position, bank.mount = nil, { 0, 1, 0 }",
                  "tug.lua: subsystems[2].children[1].mount: needs position, or a weapon with "
                  "strip_length and strip_width");
    check_refused(list_text, "hull.position, hull.mount = nil, { 0, 1, 0 }",
                  "tug.lua: subsystems[1].mount: needs position, or a weapon with strip_length and "
                  "strip_width");
}

/* ---- a list of another ship, with changes ---- */

TEST(a_ship_can_differ_in_parts_from_the_ship_whose_list_it_uses)
{
    const sb_ship_class *lender = sb_find_ship_by_name(sb_stock_ships(), "galor");
    CHECK_EQ(load("", "ship.subsystems_of = 'galor'\n"
                      "ship.changes = { { name = 'Hull', max_condition = 7, source = 'engine' },\n"
                      "  { name = 'Aft Beam', max_condition = 8, source = 'rule' } }"),
             SB_OK);
    CHECK_EQ(ship->subsystem_count, lender->subsystem_count);
    CHECK_NEAR(ship->subsystems[0].max_condition, 7, 0);
    CHECK_EQ(ship->subsystems[0].condition_source, SB_SOURCE_ENGINE);
    CHECK_NEAR(ship->subsystems[1].max_condition, lender->subsystems[1].max_condition, 0);
    CHECK_NEAR(ship->children[3].max_condition, 8, 0);
    CHECK_NEAR(lender->subsystems[0].max_condition, 5000, 0); /* the lender is as it was */
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(a_change_names_a_part_of_a_borrowed_list)
{
    check_refused("",
                  "ship.subsystems_of = 'galor'\n"
                  "ship.changes = { { name = 'Hul', max_condition = 7, source = 'engine' } }",
                  "tug.lua: changes[1].name: no part has this name");
    check_refused(list_text,
                  "ship.changes = { { name = 'Hull', max_condition = 7, source = 'rule' } }",
                  "tug.lua: changes: only a ship with subsystems_of has them");
}

/* ---- constants of the simulation ---- */

TEST(a_ship_may_have_constants_of_the_simulation_of_its_own)
{
    CHECK_EQ(load(list_text, "ship.combat = { cloak_time = 3, beam_low = 0 }"), SB_OK);
    CHECK_EQ(ship->constant_count, 2);
    CHECK_TEXT(ship->constants[0].name, "cloak_time"); /* in the order of their table */
    CHECK(ship->constants[0].value == 3.0f);
    CHECK_TEXT(ship->constants[1].name, "beam_low");
    CHECK(ship->constants[1].value == 0.0f);
    CHECK_EQ(load(list_text, ""), SB_OK);
    CHECK_EQ(ship->constant_count, 0);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(a_constant_of_an_earlier_version_does_not_refuse_a_ship)
{
    CHECK_EQ(load(list_text, "ship.combat = { facing_stops = 3, lag_seconds = 1 }"), SB_OK);
    CHECK_EQ(ship->constant_count, 0);
    size_t warnings = 0;
    for (const sb_data_warning *w = data.warnings; w; w = w->next) warnings++;
    CHECK_EQ(warnings, 2);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

TEST(constants_a_ship_cannot_have_are_refused)
{
    check_refused(list_text, "ship.combat = { cloak_tim = 3 }",
                  "tug.lua: combat.cloak_tim: unknown key; did you mean `cloak_time`?");
    check_refused(list_text, "ship.combat = { cloak_time = -1 }",
                  "tug.lua: combat.cloak_time: must be a number from 0 to 1e+09, is -1");
    check_refused(list_text, "ship.combat = { cloak_time = 0 / 0 }",
                  "tug.lua: combat.cloak_time: must be a number from 0 to 1e+09, is -nan");
    check_refused(list_text, "ship.combat = { cloak_time = 1 / 0 }",
                  "tug.lua: combat.cloak_time: must be a number from 0 to 1e+09, is inf");
    check_refused(list_text, "ship.combat = { cloak_time = 'long' }",
                  "tug.lua: combat.cloak_time: must be a number from 0 to 1e+09, is \"long\"");
    check_refused(list_text, "ship.combat = 5", "tug.lua: combat: must be a table, is 5");
}
