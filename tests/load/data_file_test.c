/* tests/load/data_file_test.c -- data files that are accepted and refused, and the errors. */
#include "load/data_file.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A small valid ship; each test below breaks one value of it. */
static const char good_ship[] =
    "return {\n"
    "  species = 60, key = 'tug', name = 'Tug', faction = 'Nobody', modifier_class = 1,\n"
    "  selectable = false, mass = 10, rotational_inertia = 20, bound_radius = 1.5,\n"
    "  impulse = { max_speed = 5, max_accel = 1, max_angular_accel = 0.1,\n"
    "              max_angular_velocity = 0.3 },\n"
    "  shields = { max = { 1, 2, 3, 4, 5, 6 }, rate = { 1, 1, 1, 1, 1, 0.5 } },\n"
    "  power = { output = 100, main_battery = 1000, backup_battery = 500, main_conduit = 120,\n"
    "            backup_conduit = 20, draw_source = 'estimate' },\n"
    "  repair = { max_points = 5, teams = 1 },\n"
    "  ordnance = { { system = 'torpedo_system', slot = 0, projectile = 2, ground = 'test' } },\n"
    "  source = { condition = 'estimate', properties = 'estimate', power = 'estimate',\n"
    "             order = 'catalogue', creation = 'rule' },\n"
    "  subsystems = {\n"
    "    { type = 'hull', name = 'Hull', creation_index = 0, critical = true,\n"
    "      max_condition = 1000, disabled_below = 0, repair_complexity = 1,\n"
    "      position = { 0, 0.5, 0 }, radius = 1 },\n"
    "    { type = 'impulse', name = 'Impulse', max_condition = 300, disabled_below = 0.5,\n"
    "      repair_complexity = 2, power_per_second = 30,\n"
    "      children = { { name = 'Engine', max_condition = 200, disabled_below = 0.5,\n"
    "                     repair_complexity = 2 } } },\n"
    "    { type = 'torpedo_system', name = 'Torpedoes', max_condition = 300,\n"
    "      disabled_below = 0.5, repair_complexity = 2, power_per_second = 10,\n"
    "      power_mode = 'backup_only',\n"
    "      children = { { name = 'Tube', creation_index = 4, max_condition = 100,\n"
    "        disabled_below = 0.5, repair_complexity = 2, position = { 0, 1, 0 }, radius = 0.1,\n"
    "        mount = { 0, 0.5, 0 }, weapon = { id = 1, reload_delay = 40, immediate_delay = 0.25,\n"
    "          max_ready = 2, dumbfire = true, forward = { 0, 1, 0 } } } } },\n"
    "    { type = 'phaser_system', name = 'Phasers', max_condition = 300,\n"
    "      disabled_below = 0.5, repair_complexity = 2, power_per_second = 10,\n"
    "      children = { { name = 'Bank', max_condition = 100, disabled_below = 0.5,\n"
    "        repair_complexity = 2, position = { 0, 1, 0 }, radius = 0.25,\n"
    "        weapon = { id = 1, max_damage = 300, max_damage_distance = 60, max_charge = 5,\n"
    "          min_firing_charge = 3, recharge_rate = 0.08, discharge_rate = 1,\n"
    "          forward = { 0, 1, 0 }, up = { 0, 0, 1 }, arc_width = { -1, 1 },\n"
    "          arc_height = { -0.5, 0.5 } } } } },\n"
    "  },\n"
    "}\n";

static const char small_ship[] =
    "species = 61, key = 'pod', name = 'Pod', faction = 'Nobody', modifier_class = 1,\n"
    "selectable = false, mass = 1, rotational_inertia = 1, bound_radius = 1,\n"
    "impulse = { max_speed = 1, max_accel = 1, max_angular_accel = 1, max_angular_velocity = 1 },\n"
    "shields = { max = { 0, 0, 0, 0, 0, 0 }, rate = { 0, 0, 0, 0, 0, 0 } },\n"
    "power = { output = 0, main_battery = 0, backup_battery = 0, main_conduit = 0,\n"
    "          backup_conduit = 0, draw_source = 'none' },\n"
    "repair = { max_points = 0, teams = 0 },\n";

static sb_data_source source_of(const char *text)
{
    return (sb_data_source){ .name = "tug.lua", .text = text, .size = strlen(text) };
}

/* Loads `text` as a ship, expects the refusal `error`. */
static void check_refused_text(const char *text, const char *error)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    sb_result            result = sb_data_load_ship(&data, source_of(text), NULL, &ship);
    sb_data_free(&data);
    CHECK_TEXT(data.error, error);
    CHECK_EQ(result, SB_BAD_VALUE);
    CHECK(!ship);
}

/* The valid ship after some Lua code that changes `ship`. */
static const char *changed_ship(const char *change)
{
    static char text[sizeof good_ship + 4096];
    snprintf(text, sizeof text, "local ship = (function() %s end)()\n%s\nreturn ship", good_ship,
             change);
    return text;
}

static void check_refused(const char *change, const char *error)
{
    check_refused_text(changed_ship(change), error);
}

/* ---- what is accepted ---- */

TEST(a_ship_loads_from_memory_with_everything_it_says)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    sb_result            result = sb_data_load_ship(&data, source_of(good_ship), NULL, &ship);
    CHECK_TEXT(data.error, "");
    CHECK_EQ(result, SB_OK);
    CHECK_EQ(ship->species, 60);
    CHECK_TEXT(ship->name, "Tug");
    CHECK_EQ(ship->subsystem_count, 4);
    CHECK_EQ(ship->child_count, 3);
    CHECK_EQ(ship->ordnance_count, 1);
    CHECK_EQ(ship->subsystems[0].format, SB_FORMAT_BASE);
    CHECK_EQ(ship->subsystems[2].first_child, 1);
    CHECK_EQ(ship->subsystems[2].power_mode, SB_POWER_BACKUP_ONLY);
    CHECK(ship->subsystems[0].mount[1] == 0.5f); /* the position, as nothing else is said */
    CHECK(!ship->children[0].has_position);
    CHECK(isnan(ship->children[0].radius));
    CHECK_EQ(ship->children[0].creation_index, -1);
    CHECK_EQ(ship->children[0].creation_source, SB_SOURCE_NONE);
    CHECK_EQ(ship->children[1].type, SB_SUBSYSTEM_TORPEDO_TUBE);
    CHECK_EQ(ship->children[1].creation_source, SB_SOURCE_RULE);
    CHECK(ship->children[1].position[1] == 1.0f && ship->children[1].mount[1] == 0.5f);
    CHECK_EQ(ship->children[1].weapon->max_ready, 2);
    CHECK(isnan(ship->children[1].weapon->max_charge));
    CHECK(ship->shield_rate[5] == 0.5f);
    sb_data_free(&data);
}

TEST(a_file_may_compute_its_table)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    const char          *text = changed_ship("for i, v in ipairs({ 2, 3 }) do\n"
                                                      "  ship.mass = math.floor(v + 0.5)\n"
                                                      "end");
    CHECK_EQ(sb_data_load_ship(&data, source_of(text), NULL, &ship), SB_OK);
    CHECK_EQ(ship->mass, 3);
    sb_data_free(&data);
}

TEST(a_ship_borrows_the_list_of_another)
{
    char                 text[1024];
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    snprintf(text, sizeof text, "return { %s subsystems_of = 'Galaxy' }", small_ship);
    sb_result result = sb_data_load_ship(&data, source_of(text), sb_stock_ships(), &ship);
    CHECK_TEXT(data.error, "");
    CHECK_EQ(result, SB_OK);
    CHECK(ship->subsystems == sb_find_ship(sb_stock_ships(), 3)->subsystems);
    CHECK_EQ(ship->child_count, 23);
    sb_data_free(&data);

    snprintf(text, sizeof text, "return { %s subsystems_of = 'ark' }", small_ship);
    check_refused_text(text, "tug.lua: subsystems_of: no ship called ark has a list of its own");
}

TEST(the_old_power_mode_of_tractors_is_read_with_a_warning)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    const char          *text = changed_ship("ship.subsystems[3].power_mode = 'backup_first'");
    CHECK_EQ(sb_data_load_ship(&data, source_of(text), NULL, &ship), SB_OK);
    CHECK_EQ(ship->subsystems[2].power_mode, SB_POWER_MAIN_BATTERY);
    CHECK(data.warnings && !data.warnings->next);
    CHECK_TEXT(data.warnings->text, "tug.lua: subsystems[3].power_mode: `backup_first` is read as "
                                    "`main_battery`: tractors draw on the main battery");
    sb_data_free(&data);
}

/* ---- what only the integrity hash asks for (spec 04 §9) ---- */

TEST(what_a_file_does_not_say_stays_unknown)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(sb_data_load_ship(&data, source_of(good_ship), NULL, &ship), SB_OK);
    const sb_weapon_class *tube = ship->children[1].weapon, *bank = ship->children[2].weapon;
    CHECK(isnan(ship->sensor_range));
    CHECK_EQ(ship->captured_hash, 0);
    CHECK_EQ(ship->shield_layout, SB_SHIELD_STOCK);
    CHECK_EQ(ship->class_source, SB_SOURCE_HARDPOINT);
    CHECK_EQ(ship->subsystems[0].primary, SB_PROPERTY_UNKNOWN);
    CHECK_EQ(ship->subsystems[2].single_fire, SB_PROPERTY_UNKNOWN);
    CHECK_EQ(ship->subsystems[2].aimed, SB_PROPERTY_UNKNOWN);
    CHECK(isnan(tube->right[0]) && isnan(tube->right[2]));
    CHECK(isnan(bank->damage_radius_factor) && isnan(bank->beam_size[1]));
    CHECK(isnan(bank->cooldown_time) && !bank->module);
    CHECK(isnan(ship->ordnance[0].max_torpedoes) && isnan(ship->ordnance[0].integers[1]));
    CHECK(!ship->ordnance[0].script && !ship->ordnance[0].type_name);
    sb_data_free(&data);
}

static const char hashed_properties[] =
    "ship.sensor_range, ship.shield_entry, ship.class_source = 1500, 'documented', 'estimate'\n"
    "ship.captured_hash = 0xFB37\n"
    "ship.subsystems[1].primary = 'yes'\n"
    "local torpedoes, phasers = ship.subsystems[3], ship.subsystems[4]\n"
    "torpedoes.single_fire, torpedoes.aimed, torpedoes.children[1].primary = 'yes', 'no', 'no'\n"
    "torpedoes.children[1].weapon.right = { 1, 0, 0 }\n"
    "phasers.children[1].weapon.beam_size = { 1, 0.5 }\n"
    "phasers.children[1].weapon.damage_radius_factor = 0.15\n"
    "local type = ship.ordnance[1]\n"
    "type.max_torpedoes, type.script, type.type_name, type.integers = 200, 'A.B', 'C', { 2, -3 }\n";

TEST(what_the_hash_asks_for_can_be_given)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    sb_data_source       source = source_of(changed_ship(hashed_properties));
    CHECK_EQ(sb_data_load_ship(&data, source, NULL, &ship), SB_OK);
    const sb_weapon_class *tube = ship->children[1].weapon, *bank = ship->children[2].weapon;
    CHECK_EQ(ship->sensor_range, 1500);
    CHECK_EQ(ship->captured_hash, 0xFB37);
    CHECK_EQ(ship->shield_layout, SB_SHIELD_DOCUMENTED);
    CHECK_EQ(ship->class_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->subsystems[0].primary, SB_PROPERTY_YES);
    CHECK_EQ(ship->children[1].primary, SB_PROPERTY_NO);
    CHECK_EQ(ship->subsystems[2].single_fire, SB_PROPERTY_YES);
    CHECK_EQ(ship->subsystems[2].aimed, SB_PROPERTY_NO);
    CHECK(tube->right[0] == 1 && tube->right[2] == 0);
    CHECK(bank->beam_size[1] == 0.5f && bank->damage_radius_factor == 0.15f);
    CHECK_EQ(ship->ordnance[0].max_torpedoes, 200);
    CHECK_EQ(ship->ordnance[0].integers[1], -3);
    CHECK_TEXT(ship->ordnance[0].script, "A.B");
    CHECK_TEXT(ship->ordnance[0].type_name, "C");
    sb_data_free(&data);
}

TEST(a_cannon_has_a_cooldown_and_a_module)
{
    static const char    change[] = "local pulse = ship.subsystems[4]\n"
                                    "pulse.type = 'pulse_system'\n"
                                    "pulse.children[1].weapon.cooldown_time = 0.4\n"
                                    "pulse.children[1].weapon.module = 'Tactical.Projectiles.Bolt'";
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(sb_data_load_ship(&data, source_of(changed_ship(change)), NULL, &ship), SB_OK);
    CHECK(ship->children[2].weapon->cooldown_time == 0.4f);
    CHECK_TEXT(ship->children[2].weapon->module, "Tactical.Projectiles.Bolt");
    sb_data_free(&data);
}

TEST(what_the_hash_asks_for_is_checked_too)
{
    check_refused("ship.sensor_range = -1",
                  "tug.lua: sensor_range: must be a number from 0 to 1e+09, is -1");
    check_refused("ship.captured_hash = 0x10000",
                  "tug.lua: captured_hash: must be a whole number from 1 to 65535, is 65536");
    check_refused("ship.shield_entry = 'short'",
                  "tug.lua: shield_entry: must be one of stock, documented; is \"short\"");
    check_refused("ship.subsystems[1].primary = true",
                  "tug.lua: subsystems[1].primary: must be one of unknown, no, yes; is true");
    check_refused("ship.subsystems[2].single_fire = 'no'",
                  "tug.lua: subsystems[2].single_fire: only a weapon system has it");
    check_refused("ship.subsystems[1].aimed = 'yes'",
                  "tug.lua: subsystems[1].aimed: only a weapon system has it");
    check_refused("ship.subsystems[3].children[1].weapon.right = { 1, 1, 0 }",
                  "tug.lua: subsystems[3].children[1].weapon.right: must be a direction of length "
                  "1, has 1.41421");
    check_refused("ship.subsystems[4].children[1].weapon.right = { 1, 0, 0 }",
                  "tug.lua: subsystems[4].children[1].weapon.right: unknown key");
    check_refused("ship.subsystems[4].children[1].weapon.module = 'm'",
                  "tug.lua: subsystems[4].children[1].weapon.module: unknown key");
    check_refused("ship.subsystems[3].children[1].weapon.beam_size = { 1, 1 }",
                  "tug.lua: subsystems[3].children[1].weapon.beam_size: unknown key");
    check_refused("ship.ordnance[1].integers = { 1, 0.5 }",
                  "tug.lua: ordnance[1].integers: must be whole numbers");
    check_refused("ship.ordnance[1].system, ship.ordnance[1].script = 'pulse_system', 'x'",
                  "tug.lua: ordnance[1].script: only a torpedo_system has it");
}

/* ---- refusals: file, key, reason ---- */

TEST(an_unknown_key_is_named_where_it_stands)
{
    check_refused("ship.mas = 1", "tug.lua: mas: unknown key; did you mean `mass`?");
    check_refused("ship[7] = 1", "tug.lua: must have names as keys: write `key = value`");
    check_refused("ship.impulse.speed = 1", "tug.lua: impulse.speed: unknown key");
    check_refused("ship.subsystems[3].children[1].raduis = 1",
                  "tug.lua: subsystems[3].children[1].raduis: unknown key; did you mean `radius`?");
    check_refused("ship.subsystems[4].children[1].weapon.reload_delay = 1",
                  "tug.lua: subsystems[4].children[1].weapon.reload_delay: unknown key");
    check_refused("ship.subsystems[4].children[1].power_per_second = 1",
                  "tug.lua: subsystems[4].children[1].power_per_second: unknown key");
}

TEST(a_misspelt_key_is_unknown_before_the_right_one_is_missing)
{
    check_refused("ship.mass, ship.mas = nil, 10",
                  "tug.lua: mas: unknown key; did you mean `mass`?");
}

TEST(a_missing_key_is_named)
{
    check_refused("ship.mass = nil", "tug.lua: mass: is missing");
    check_refused("ship.power.output = nil", "tug.lua: power.output: is missing");
    check_refused("ship.subsystems = nil", "tug.lua: subsystems: is missing or empty");
    check_refused("ship.subsystems = {}", "tug.lua: subsystems: is missing or empty");
    check_refused("ship.subsystems[2].children[1].max_condition = nil",
                  "tug.lua: subsystems[2].children[1].max_condition: is missing");
    check_refused("ship.subsystems[2].power_per_second = nil",
                  "tug.lua: subsystems[2].power_per_second: is missing");
    check_refused("ship.subsystems[3].children[1].radius = nil",
                  "tug.lua: subsystems[3].children[1].radius: is missing, but position is given");
    check_refused("ship.subsystems[3].children[1].weapon = nil",
                  "tug.lua: subsystems[3].children[1].weapon: is missing");
}

TEST(every_figure_needs_a_source)
{
    check_refused("ship.source.order = nil", "tug.lua: subsystems[1].source.order: is missing");
    check_refused("ship.source.condition = nil",
                  "tug.lua: subsystems[1].source.condition: is missing");
    check_refused("ship.source.properties = 'none'",
                  "tug.lua: subsystems[1].source.properties: is missing");
    check_refused("ship.source.creation = nil",
                  "tug.lua: subsystems[1].source.creation: is missing");
    check_refused("ship.source.power = nil", "tug.lua: subsystems[2].source.power: is missing");
}

TEST(a_value_of_the_wrong_type_is_described)
{
    check_refused("ship.mass = 'ten'",
                  "tug.lua: mass: must be a number from 0.001 to 1e+09, is \"ten\"");
    check_refused("ship.mass = '10'", /* no number, although Lua could make it one */
                  "tug.lua: mass: must be a number from 0.001 to 1e+09, is \"10\"");
    check_refused("ship.name = 5", "tug.lua: name: must be a text of 1 to 63 bytes, is 5");
    check_refused("ship.selectable = 0", "tug.lua: selectable: must be true or false, is 0");
    check_refused("ship.power = true", "tug.lua: power: must be a table, is true");
    check_refused("ship.subsystems = 'many'", "tug.lua: subsystems: must be a table, is \"many\"");
    check_refused("ship.subsystems[2] = function() end",
                  "tug.lua: subsystems[2]: must be a table, is a function");
    check_refused("ship.subsystems[3].children[1].weapon = 1",
                  "tug.lua: subsystems[3].children[1].weapon: must be a table, is 1");
    check_refused("ship.species = 1.5",
                  "tug.lua: species: must be a whole number from 1 to 255, is 1.5");
    check_refused("ship = 3", "tug.lua: must return a table, `return { ... }`, but returns 3");
    check_refused("ship = nil", "tug.lua: must return a table, `return { ... }`, but returns nil");
}

TEST(a_value_out_of_range_is_refused)
{
    check_refused("ship.species = 0",
                  "tug.lua: species: must be a whole number from 1 to 255, is 0");
    check_refused("ship.species = 256",
                  "tug.lua: species: must be a whole number from 1 to 255, is 256");
    check_refused("ship.mass = 0", "tug.lua: mass: must be a number from 0.001 to 1e+09, is 0");
    check_refused("ship.mass = 1 / 0",
                  "tug.lua: mass: must be a number from 0.001 to 1e+09, is inf");
    check_refused("ship.mass = -(0 / 0)",
                  "tug.lua: mass: must be a number from 0.001 to 1e+09, is nan");
    check_refused("ship.subsystems[1].disabled_below = 1.01",
                  "tug.lua: subsystems[1].disabled_below: must be a number from 0 to 1, is 1.01");
    check_refused("ship.subsystems[1].position[2] = 2e6",
                  "tug.lua: subsystems[1].position[2]: must be a number from -1e+06 to 1e+06, "
                  "is 2000000");
    check_refused("ship.name = ''", "tug.lua: name: must be a text of 1 to 63 bytes, is \"\"");
    check_refused("ship.name = 'a\\nb'", "tug.lua: name: must be without control characters");
    check_refused("ship.name = 'a\\0b'", "tug.lua: name: must be without control characters");
}

TEST(an_unknown_word_gets_the_known_ones)
{
    check_refused("ship.subsystems[2].power_mode = 'solar'",
                  "tug.lua: subsystems[2].power_mode: must be one of main_first, main_battery, "
                  "backup_only, backup_first; is \"solar\"");
    check_refused("ship.subsystems[1].type = 'hul'",
                  "tug.lua: subsystems[1].type: must be one of hull, shield, sensor, power, "
                  "impulse, warp, repair, cloak, phaser_system, pulse_system, torpedo_system, "
                  "tractor_system; is \"hul\"");
    check_refused("ship.ordnance[1].system = 'phaser_system'",
                  "tug.lua: ordnance[1].system: must be torpedo_system or pulse_system");
}

TEST(a_list_of_the_wrong_shape_is_refused)
{
    check_refused("ship.shields.max[6] = nil", "tug.lua: shields.max: must have 6 numbers, has 5");
    check_refused("ship.shields.max[7] = 7",
                  "tug.lua: shields.max: has 7 entries, at most 6 are possible");
    check_refused("ship.shields.max.front = 7",
                  "tug.lua: shields.max.front: does not belong in a list");
    check_refused("ship.subsystems[40] = ship.subsystems[1]",
                  "tug.lua: subsystems: must be numbered 1, 2, 3...");
}

TEST(too_many_entries_are_refused)
{
    check_refused("local list = {}\nfor i = 1, 33 do list[i] = ship.subsystems[1] end\n"
                  "ship.subsystems = list",
                  "tug.lua: subsystems: has 33 entries, at most 32 are possible");
    check_refused("local list = {}\nfor i = 1, 17 do list[i] = {} end\n"
                  "ship.subsystems[2].children = list",
                  "tug.lua: subsystems[2].children: has 17 entries, at most 16 are possible");
    check_refused("local impulse = ship.subsystems[2]\n"
                  "for i = 2, 16 do impulse.children[i] = impulse.children[1] end\n"
                  "for i = 3, 20 do ship.subsystems[i] = impulse end",
                  "tug.lua: subsystems[8].children[1]: a ship has at most 96 children in all");
}

TEST(entries_that_contradict_themselves_are_refused)
{
    check_refused("ship.subsystems[1].children = { {} }",
                  "tug.lua: subsystems[1].children[1]: a hull has no children");
    check_refused("ship.subsystems[1].power_per_second = 5",
                  "tug.lua: subsystems[1].power_per_second: this type of subsystem draws no power");
    check_refused("ship.subsystems[1].power_mode = 'backup_only'",
                  "tug.lua: subsystems[1].power_mode: this type of subsystem draws no power");
    check_refused("ship.subsystems[2].children[1].weapon = {}",
                  "tug.lua: subsystems[2].children[1].weapon: an engine is no weapon");
    check_refused("ship.subsystems[1].position = nil",
                  "tug.lua: subsystems[1].radius: needs position");
    check_refused("ship.subsystems[2].hit = { 0, 0, 0 }",
                  "tug.lua: subsystems[2].hit: is now called position, and the former position is "
                  "called mount");
    check_refused("ship.subsystems_of = 'galaxy'",
                  "tug.lua: subsystems_of: subsystems is given as well");
    check_refused("ship.subsystems[1].type, ship.subsystems[1].power_per_second = 'sensor', 1",
                  "tug.lua: subsystems: must have a hull");
    check_refused("ship.cloak_strength = 5", "tug.lua: cloak_strength: no subsystem is a cloak");
    check_refused("ship.ordnance[1].system = 'pulse_system'",
                  "tug.lua: ordnance[1].system: the ship has no such system");
    check_refused("local hull = ship.subsystems[1]\n"
                  "hull.type, hull.power_per_second = 'shield', 1\n"
                  "ship.subsystems[2] = hull",
                  "tug.lua: subsystems[2].type: a ship has one shield at most, and subsystems[1] "
                  "is one");
    check_refused("ship.subsystems[1].type = 'power'\nship.subsystems[5] = ship.subsystems[1]",
                  "tug.lua: subsystems[5].type: a ship has one power at most, and subsystems[1] is "
                  "one");
    check_refused("ship.ordnance[2] = ship.ordnance[1]",
                  "tug.lua: ordnance[2].slot: is the same as in ordnance[1]");
}

TEST(weapon_axes_and_arcs_must_make_sense)
{
#define BANK "subsystems[4].children[1].weapon"
    check_refused("ship." BANK ".forward = { 0, 0.5, 0 }",
                  "tug.lua: " BANK ".forward: must be a direction of length 1, has 0.5");
    check_refused("ship." BANK ".up = { 1, 1, 0 }",
                  "tug.lua: " BANK ".up: must be a direction of length 1, has 1.41421");
    check_refused("ship." BANK ".arc_width = { 1, -1 }",
                  "tug.lua: " BANK ".arc_width: must be the smaller angle, then the larger");
    check_refused("ship." BANK ".arc_height = { 1, -1 }",
                  "tug.lua: " BANK ".arc_height: must be the smaller angle, then the larger");
    check_refused("ship." BANK ".min_firing_charge = 6",
                  "tug.lua: " BANK ".min_firing_charge: must not exceed max_charge");
}

TEST(creation_indices_are_unique_and_within_the_ship)
{
    check_refused("ship.subsystems[2].creation_index = 0",
                  "tug.lua: subsystems[2].creation_index: 0 is taken by an earlier entry");
    check_refused("ship.subsystems[3].children[1].creation_index = 0",
                  "tug.lua: subsystems[3].children[1].creation_index: 0 is taken by an earlier "
                  "entry");
    check_refused("ship.subsystems[4].children[1].creation_index = 7",
                  "tug.lua: subsystems[4].children[1].creation_index: must be less than 7, the "
                  "number of subsystems");
}

/* ---- the sandbox ---- */

TEST(errors_of_lua_have_file_and_line)
{
    check_refused_text("return {\n  mass = = 5\n}", "tug.lua:2: unexpected symbol near '='");
    check_refused_text("local x = nil\nreturn x.y",
                       "tug.lua:2: attempt to index a nil value (local 'x')");
    check_refused_text("error('told\\nyou')", "tug.lua:1: told?you");
    check_refused_text("error({})", "tug.lua: raised an error that is no text");
    check_refused_text("", "tug.lua: must return a table, `return { ... }`, but returns nil");
}

TEST(a_file_cannot_reach_the_system)
{
    static const char *const absent[] = {
        "io",       "os",           "package",   "require", "load",
        "loadfile", "loadstring",   "dofile",    "debug",   "string",
        "table",    "utf8",         "coroutine", "pcall",   "xpcall",
        "rawset",   "setmetatable", "_G",        "print",   "collectgarbage",
        "rawget",   "getmetatable",
    };
    char text[128], error[128];
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        snprintf(text, sizeof text, "return %s.x", absent[i]);
        snprintf(error, sizeof error, "tug.lua:1: attempt to index a nil value (global '%s')",
                 absent[i]);
        check_refused_text(text, error);
    }
    check_refused_text("io.open('/etc/passwd')",
                       "tug.lua:1: attempt to index a nil value (global 'io')");
    check_refused_text("return ('x'):rep(9)",
                       "tug.lua:1: attempt to index a string value (constant 'x')");
    check_refused_text("return math.random()",
                       "tug.lua:1: attempt to call a nil value (field 'random')");
}

TEST(an_endless_loop_is_stopped)
{
    check_refused_text("\nwhile true do end",
                       "tug.lua:2: runs for more than 10000000 instructions");
    check_refused_text("local function f() return f() end\nreturn f()",
                       "tug.lua:1: runs for more than 10000000 instructions");
}

/* Each of few instructions takes milliseconds. */
TEST(a_loop_of_long_instructions_is_stopped)
{
    check_refused_text("local s = 'x'\nfor i = 1, 22 do s = s .. s end\n"
                       "while true do local t = s .. 'y' end",
                       "tug.lua:3: runs for more than 3 s");
}

TEST(a_memory_bomb_is_stopped)
{
    check_refused_text("local s = 'x'\nwhile true do s = s .. s end",
                       "tug.lua: needs more than 16 MiB of memory");
    check_refused_text("local t = {}\nfor i = 1, 5000000 do t[i] = i end\nreturn t",
                       "tug.lua: needs more than 16 MiB of memory");
}

TEST(endless_recursion_is_stopped)
{
    check_refused_text("local function f() return 1 + f() end\nreturn f()",
                       "tug.lua: needs more than 16 MiB of memory");
}

TEST(compiled_lua_is_refused)
{
    check_refused_text("\x1bLuaT and so on", "tug.lua: is compiled Lua, must be text");
}

TEST(an_enormous_file_is_refused_unread)
{
    static char          text[SB_DATA_FILE_BYTES_MAX + 1];
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    memset(text, ' ', sizeof text);
    sb_data_source source = { .name = "tug.lua", .text = text, .size = sizeof text };
    CHECK_EQ(sb_data_load_ship(&data, source, NULL, &ship), SB_BAD_VALUE);
    CHECK_TEXT(data.error, "tug.lua: is longer than a data file can be");
    sb_data_free(&data);
}

TEST(a_long_error_is_cut_and_stays_one_line)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    static const char    text[] = "local s = 'ab\\n'\nfor i = 1, 10 do s = s .. s end\n"
                                  "return { [s] = 1 }";
    sb_data_source       source = source_of(text);
    CHECK_EQ(sb_data_load_ship(&data, source, NULL, &ship), SB_BAD_VALUE);
    CHECK(strstr(data.error, "tug.lua: ab?ab?ab?") == data.error);
    CHECK(strlen(data.error) < SB_DATA_ERROR_MAX);
    sb_data_free(&data);
}

/* ---- files and directories ---- */

TEST(a_file_that_cannot_be_read_is_an_error_of_the_system)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    const sb_ship_set   *set = NULL;
    sb_data_source       source = { .name = "/nowhere/tug.lua" };
    CHECK_EQ(sb_data_load_ship(&data, source, NULL, &ship), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/nowhere/tug.lua: No such file or directory");
    CHECK_EQ(sb_data_load_ships(&data, "/nowhere", &set), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/nowhere: No such file or directory");
    source.name = "/";
    CHECK_EQ(sb_data_load_ship(&data, source, NULL, &ship), SB_OS_ERROR);
    CHECK_TEXT(data.error, "/: Is a directory");
    sb_data_free(&data);
}

static char scratch[64];

static void make_scratch(void)
{
    snprintf(scratch, sizeof scratch, "/tmp/starbase-data-XXXXXX");
    CHECK(mkdtemp(scratch));
}

static void write_scratch(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *file = fopen(path, "wb");
    CHECK(file);
    fputs(text, file);
    CHECK(fclose(file) == 0);
}

static void remove_scratch(const char *const *names)
{
    char path[128];
    for (; *names; names++) {
        snprintf(path, sizeof path, "%s/%s", scratch, *names);
        unlink(path);
    }
    rmdir(scratch);
}

/* Loads the scratch directory, removes it, and checks the error, in which %s is its name. */
static void check_directory_refused(const char *const *names, const char *key_and_reason)
{
    sb_data            data = { 0 };
    const sb_ship_set *set = NULL;
    sb_result          result = sb_data_load_ships(&data, scratch, &set);
    sb_data_free(&data);
    remove_scratch(names);
    CHECK_EQ(result, SB_BAD_VALUE);
    CHECK_EQ(strncmp(data.error, scratch, strlen(scratch)), 0);
    const char *error = data.error + strlen(scratch);
    CHECK_EQ(strncmp(error, key_and_reason, strlen(key_and_reason)), 0);
}

TEST(a_directory_without_ships_is_refused)
{
    static const char *const names[] = { "notes.txt", ".hidden.lua", NULL };
    make_scratch();
    write_scratch("notes.txt", "return {");
    write_scratch(".hidden.lua", "return {");
    check_directory_refused(names, ": holds no data file (*.lua)");
}

TEST(two_ships_of_one_species_are_refused)
{
    static const char *const names[] = { "a.lua", "b.lua", NULL };
    make_scratch();
    write_scratch("a.lua", good_ship);
    write_scratch("b.lua", changed_ship("ship.key = 'other'"));
    check_directory_refused(names, "/b.lua: species: is the same as in /tmp/starbase-data-");
    make_scratch();
    write_scratch("a.lua", good_ship);
    write_scratch("b.lua", changed_ship("ship.species = 62"));
    check_directory_refused(names, "/b.lua: key: is the same as in /tmp/starbase-data-");
}

TEST(a_list_cannot_be_borrowed_from_a_borrower)
{
    static const char *const names[] = { "a.lua", "b.lua", NULL };
    char                     text[1024];
    make_scratch();
    snprintf(text, sizeof text, "return { %s subsystems_of = 'pod' }", small_ship);
    write_scratch("a.lua", text);
    check_directory_refused(names,
                            "/a.lua: subsystems_of: no ship called pod has a list of its own");
}

/* ---- the stock data, from disk and compiled in ---- */

static bool same_figures(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

#define CHECK_SAME(a, b, member)      CHECK_EQ((a)->member, (b)->member)
#define CHECK_SAME_TEXT(a, b, member) CHECK_TEXT((a)->member, (b)->member)
#define CHECK_SAME_WORDS(a, b, member)                                                             \
    (CHECK_EQ((a)->member != NULL, (b)->member != NULL),                                           \
     CHECK_TEXT((a)->member ? (a)->member : "", (b)->member ? (b)->member : ""))
#define CHECK_SAME_FIGURE(a, b, member) CHECK(same_figures(&(a)->member, &(b)->member, 1))
#define CHECK_SAME_FIGURES(a, b, member)                                                           \
    CHECK(same_figures((a)->member, (b)->member, sizeof(a)->member / sizeof(float)))

static void check_same_weapon(const sb_weapon_class *a, const sb_weapon_class *b)
{
    CHECK_SAME(a, b, weapon_id);
    CHECK_SAME(a, b, max_ready);
    CHECK_SAME(a, b, dumbfire);
    CHECK_SAME_FIGURE(a, b, max_damage);
    CHECK_SAME_FIGURE(a, b, max_damage_distance);
    CHECK_SAME_FIGURE(a, b, max_charge);
    CHECK_SAME_FIGURE(a, b, min_firing_charge);
    CHECK_SAME_FIGURE(a, b, recharge_rate);
    CHECK_SAME_FIGURE(a, b, discharge_rate);
    CHECK_SAME_FIGURE(a, b, reload_delay);
    CHECK_SAME_FIGURE(a, b, immediate_delay);
    CHECK_SAME_FIGURES(a, b, forward);
    CHECK_SAME_FIGURES(a, b, up);
    CHECK_SAME_FIGURES(a, b, arc_width);
    CHECK_SAME_FIGURES(a, b, arc_height);
    CHECK_SAME_FIGURE(a, b, damage_radius_factor);
    CHECK_SAME_FIGURES(a, b, right);
    CHECK_SAME_FIGURES(a, b, beam_size);
    CHECK_SAME_FIGURE(a, b, cooldown_time);
    CHECK_SAME_FIGURE(a, b, strip_length);
    CHECK_SAME_FIGURE(a, b, strip_width);
    CHECK_SAME(a, b, source);
    CHECK_SAME_WORDS(a, b, module);
}

static void check_same_subsystem(const sb_subsystem_class *a, const sb_subsystem_class *b)
{
    CHECK_SAME_TEXT(a, b, name);
    CHECK_SAME(a, b, type);
    CHECK_SAME(a, b, format);
    CHECK_SAME(a, b, child_count);
    CHECK_SAME(a, b, first_child);
    CHECK_SAME(a, b, creation_index);
    CHECK_SAME(a, b, condition_source);
    CHECK_SAME(a, b, properties_source);
    CHECK_SAME(a, b, power_source);
    CHECK_SAME(a, b, position_source);
    CHECK_SAME(a, b, fire_source);
    CHECK_SAME(a, b, order_source);
    CHECK_SAME(a, b, creation_source);
    CHECK_SAME(a, b, power_mode);
    CHECK_SAME(a, b, critical);
    CHECK_SAME(a, b, targetable);
    CHECK_SAME(a, b, has_position);
    CHECK_SAME_FIGURE(a, b, max_condition);
    CHECK_SAME_FIGURE(a, b, disabled_below);
    CHECK_SAME_FIGURE(a, b, repair_complexity);
    CHECK_SAME_FIGURE(a, b, power_per_second);
    CHECK_SAME_FIGURES(a, b, position);
    CHECK_SAME_FIGURE(a, b, radius);
    CHECK_SAME_FIGURES(a, b, mount);
    CHECK_SAME(a, b, primary);
    CHECK_SAME(a, b, single_fire);
    CHECK_SAME(a, b, aimed);
    CHECK_EQ(a->weapon != NULL, b->weapon != NULL);
    if (a->weapon) check_same_weapon(a->weapon, b->weapon);
}

static void check_same_lists(const sb_ship_class *a, const sb_ship_class *b)
{
    CHECK_SAME(a, b, subsystem_count);
    CHECK_SAME(a, b, child_count);
    CHECK_SAME(a, b, ordnance_count);
    CHECK_SAME(a, b, constant_count);
    CHECK_SAME(a, b, solid_count);
    for (size_t i = 0; i < a->solid_count; i++) {
        CHECK_SAME(a, b, solids[i].kind);
        CHECK_SAME_FIGURES(&a->solids[i], &b->solids[i], centre);
        CHECK_SAME_FIGURES(&a->solids[i], &b->solids[i], half);
    }
    for (size_t i = 0; i < a->subsystem_count; i++)
        check_same_subsystem(&a->subsystems[i], &b->subsystems[i]);
    for (size_t i = 0; i < a->child_count; i++)
        check_same_subsystem(&a->children[i], &b->children[i]);
    for (size_t i = 0; i < a->ordnance_count; i++) {
        CHECK_SAME(a, b, ordnance[i].system_type);
        CHECK_SAME(a, b, ordnance[i].slot);
        CHECK_SAME(a, b, ordnance[i].projectile_type);
        CHECK_SAME(a, b, ordnance[i].source);
        CHECK_SAME_TEXT(a, b, ordnance[i].ground);
        CHECK_SAME_FIGURE(a, b, ordnance[i].max_torpedoes);
        CHECK_SAME_WORDS(a, b, ordnance[i].script);
        CHECK_SAME_WORDS(a, b, ordnance[i].type_name);
        CHECK(same_figures(a->ordnance[i].integers, b->ordnance[i].integers, 2));
    }
}

static void check_same_ship(const sb_ship_class *a, const sb_ship_class *b)
{
    CHECK_SAME(a, b, species);
    CHECK_SAME_TEXT(a, b, key);
    CHECK_SAME_TEXT(a, b, name);
    CHECK_SAME_TEXT(a, b, faction);
    CHECK_SAME(a, b, modifier_class);
    CHECK_SAME(a, b, selectable);
    CHECK_SAME(a, b, can_cloak);
    CHECK_SAME_FIGURE(a, b, cloak_strength);
    CHECK_SAME_FIGURE(a, b, mass);
    CHECK_SAME_FIGURE(a, b, rotational_inertia);
    CHECK_SAME_FIGURE(a, b, max_speed);
    CHECK_SAME_FIGURE(a, b, max_accel);
    CHECK_SAME_FIGURE(a, b, max_angular_accel);
    CHECK_SAME_FIGURE(a, b, max_angular_velocity);
    CHECK_SAME_FIGURE(a, b, bound_radius);
    CHECK_SAME_FIGURES(a, b, box_centre);
    CHECK_SAME_FIGURES(a, b, box_half);
    CHECK_SAME(a, b, radius_source);
    CHECK_SAME(a, b, box_source);
    CHECK_SAME(a, b, centre_source);
    CHECK_SAME(a, b, mass_source);
    CHECK_SAME(a, b, impulse_source);
    CHECK_SAME(a, b, shield_source);
    CHECK_SAME(a, b, rate_source);
    CHECK_SAME(a, b, repair_source);
    CHECK_SAME(a, b, reactor_source);
    CHECK_SAME(a, b, sensor_source);
    CHECK_SAME_FIGURES(a, b, shield_max);
    CHECK_SAME_FIGURES(a, b, shield_rate);
    CHECK_SAME_FIGURE(a, b, power_output);
    CHECK_SAME_FIGURE(a, b, main_battery);
    CHECK_SAME_FIGURE(a, b, backup_battery);
    CHECK_SAME_FIGURE(a, b, main_conduit);
    CHECK_SAME_FIGURE(a, b, backup_conduit);
    CHECK_SAME_FIGURE(a, b, max_repair_points);
    CHECK_SAME(a, b, repair_teams);
    CHECK_SAME(a, b, shield_layout);
    CHECK_SAME(a, b, figures_source);
    CHECK_SAME(a, b, class_source);
    CHECK_SAME_FIGURE(a, b, sensor_range);
    CHECK_SAME(a, b, captured_hash);
    check_same_lists(a, b);
}

TEST(the_ships_on_disk_equal_the_compiled_set)
{
    sb_data            data = { 0 };
    const sb_ship_set *set = NULL;
    sb_result          result = sb_data_load_ships(&data, SB_SOURCE_DIR "/data/ships", &set);
    CHECK_TEXT(data.error, "");
    CHECK_EQ(result, SB_OK);
    CHECK_EQ(set->count, sb_stock_ships()->count);
    for (size_t i = 0; i < set->count; i++) {
        check_same_ship(&set->ships[i], &sb_stock_ships()->ships[i]);
        CHECK(set->by_species[set->ships[i].species] == &set->ships[i]);
    }
    sb_data_free(&data);
}

TEST(the_species_on_disk_equal_the_compiled_set)
{
    sb_data               data = { 0 };
    const sb_species_set *set = NULL;
    sb_data_source        source = { .name = SB_SOURCE_DIR "/data/species.lua" };
    CHECK_EQ(sb_data_load_species(&data, source, &set), SB_OK);
    CHECK_EQ(set->count, sb_stock_species()->count);
    for (size_t i = 0; i < set->count; i++) {
        CHECK_SAME(set, sb_stock_species(), species[i].species);
        CHECK_SAME_TEXT(set, sb_stock_species(), species[i].name);
        CHECK_SAME_TEXT(set, sb_stock_species(), species[i].faction);
    }
    sb_data_free(&data);
}

TEST(the_projectiles_on_disk_equal_the_compiled_set)
{
    sb_data                  data = { 0 };
    const sb_projectile_set *set = NULL;
    sb_data_source           source = { .name = SB_SOURCE_DIR "/data/projectiles.lua" };
    CHECK_EQ(sb_data_load_projectiles(&data, source, &set), SB_OK);
    CHECK_EQ(set->count, sb_stock_projectiles()->count);
    for (size_t i = 0; i < set->count; i++) {
        const sb_projectile_class *a = &set->projectiles[i];
        const sb_projectile_class *b = &sb_stock_projectiles()->projectiles[i];
        CHECK(sb_find_projectile(set, a->type) == a);
        CHECK_SAME(a, b, type);
        CHECK_SAME(a, b, kind);
        CHECK_SAME_TEXT(a, b, name);
        CHECK_SAME_TEXT(a, b, label);
        CHECK_SAME_FIGURE(a, b, damage);
        CHECK_SAME_FIGURE(a, b, launch_speed);
        CHECK_SAME_FIGURE(a, b, power_cost);
        CHECK_SAME_FIGURE(a, b, guidance_lifetime);
        CHECK_SAME_FIGURE(a, b, max_angular_accel);
        CHECK_SAME_FIGURE(a, b, lifetime);
        CHECK_SAME_FIGURE(a, b, damage_radius_factor);
        CHECK_SAME(a, b, source);
    }
    sb_data_free(&data);
}

TEST(the_systems_on_disk_equal_the_compiled_set)
{
    sb_data              data = { 0 };
    const sb_system_set *set = NULL;
    sb_data_source       source = { .name = SB_SOURCE_DIR "/data/systems.lua" };
    CHECK_EQ(sb_data_load_systems(&data, source, &set), SB_OK);
    CHECK_EQ(set->count, sb_stock_systems()->count);
    for (size_t i = 0; i < set->count; i++) {
        const sb_system *a = &set->systems[i], *b = &sb_stock_systems()->systems[i];
        CHECK_SAME(a, b, index);
        CHECK_SAME_TEXT(a, b, name);
        CHECK_SAME_TEXT(a, b, start_set);
        CHECK_SAME_TEXT(a, b, script);
        CHECK_SAME_TEXT(a, b, label);
        CHECK_SAME(a, b, campaign);
        CHECK_SAME(a, b, other_set_count);
        for (size_t k = 0; k < a->other_set_count; k++) CHECK_SAME_TEXT(a, b, other_sets[k]);
    }
    sb_data_free(&data);
}

TEST(lists_must_ascend_so_that_nothing_is_there_twice)
{
    sb_data                  data = { 0 };
    const sb_species_set    *species = NULL;
    const sb_projectile_set *projectiles = NULL;
    const sb_system_set     *systems = NULL;
    sb_data_source source = source_of("return { { species = 2, name = 'a', faction = 'b' },\n"
                                      "         { species = 2, name = 'c', faction = 'd' } }");
    CHECK_EQ(sb_data_load_species(&data, source, &species), SB_BAD_VALUE);
    CHECK_TEXT(data.error,
               "tug.lua: [2].species: must be more than 2, the value of the entry before");
    source = source_of("return { { type = 1, name = 'a', label = 'b', kind = 'arrow' } }");
    CHECK_EQ(sb_data_load_projectiles(&data, source, &projectiles), SB_BAD_VALUE);
    CHECK_TEXT(data.error, "tug.lua: [1].kind: must be one of torpedo, bolt; is \"arrow\"");
    source = source_of("return { { index = 1, name = 'a', start_set = 'b', script = 'c',\n"
                       "           label = 'd', other_sets = { 'e', 5 } } }");
    CHECK_EQ(sb_data_load_systems(&data, source, &systems), SB_BAD_VALUE);
    CHECK_TEXT(data.error, "tug.lua: [1].other_sets[2]: must be a text of 1 to 63 bytes, is 5");
    CHECK(!species && !projectiles && !systems);
    sb_data_free(&data);
}
