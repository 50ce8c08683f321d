/* tests/load/part_table_test.c -- the key `hardpoints` of a ship file.
 *
 * tests/load/ship_table_test.c and data_file_test.c have the keys of parts in `subsystems`.
 */
#include "load/part_table.h"

#include "load/data_file.h"
#include "test.h"
#include "tug.h"

#include <stdio.h>
#include <string.h>

/* A ship that a test gives hardpoints; part(), engine() and tube() make entries. */
static const char ship_text[] =
    "local ship = {\n" TUG_KEYS
    "  source = { condition = 'hardpoint', properties = 'hardpoint', power = 'hardpoint' },\n"
    "}\n"
    "local function part(type, name)\n"
    "  return { type = type, name = name, max_condition = 100, disabled_below = 0.5,\n"
    "           repair_complexity = 1 }\n"
    "end\n"
    "local function system(type, name)\n"
    "  local p = part(type, name); p.power_per_second = 10; return p\n"
    "end\n"
    "local function engine(name, tag)\n"
    "  local p = part('engine', name); p.engine = tag; return p\n"
    "end\n"
    "local function tube(name)\n"
    "  local p = part('torpedo_tube', name)\n"
    "  p.weapon = { id = 1, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,\n"
    "               dumbfire = true, forward = { 0, 1, 0 } }\n"
    "  return p\n"
    "end\n"
    "local list = { part('hull', 'Hull'), tube('Tube 1'), engine('Nacelle', 'warp'),\n"
    "  system('impulse', 'Impulse'), engine('Plain'), system('torpedo_system', 'Torpedoes'),\n"
    "  system('warp', 'Warp'), engine('Left', 'impulse'), tube('Tube 2') }\n"
    "ship.hardpoints = list\n";

static sb_data              data;
static const sb_ship_class *ship;

static sb_result load(const char *change)
{
    static char text[8192];
    sb_data_free(&data);
    data = (sb_data){ 0 };
    ship = NULL;
    snprintf(text, sizeof text, "%s%s\nreturn ship", ship_text, change);
    sb_data_source source = { .name = "tug.lua", .text = text, .size = strlen(text) };
    return sb_data_load_ship(&data, source, sb_stock_ships(), &ship);
}

static void check_refused(const char *change, const char *error)
{
    sb_result result = load(change);
    CHECK_TEXT(data.error, error);
    CHECK_EQ(result, SB_BAD_VALUE);
    sb_data_free(&data);
    data = (sb_data){ 0 };
}

static void check_part(const sb_subsystem_class *part, const char *name, int index)
{
    CHECK_TEXT(part->name, name);
    CHECK_EQ(part->creation_index, index);
    CHECK_EQ(part->creation_source, SB_SOURCE_HARDPOINT);
    CHECK_EQ(part->order_source, SB_SOURCE_HARDPOINT);
}

TEST(hardpoints_become_lists_in_the_order_of_adding)
{
    CHECK_EQ(load(""), SB_OK);
    CHECK_EQ(ship->subsystem_count, 4);
    CHECK_EQ(ship->child_count, 5);
    check_part(&ship->subsystems[0], "Hull", 0);
    check_part(&ship->subsystems[1], "Impulse", 3);
    check_part(&ship->subsystems[2], "Torpedoes", 5);
    check_part(&ship->subsystems[3], "Warp", 6);
    check_part(&ship->children[0], "Plain", 4); /* without a tag: impulse */
    check_part(&ship->children[1], "Left", 7);
    check_part(&ship->children[2], "Tube 1", 1);
    check_part(&ship->children[3], "Tube 2", 8);
    check_part(&ship->children[4], "Nacelle", 2);
    CHECK_EQ(ship->subsystems[2].first_child, 2);
    CHECK_EQ(ship->subsystems[2].child_count, 2);
    CHECK_EQ(ship->subsystems[2].format, SB_FORMAT_POWERED);
    CHECK_EQ(ship->children[2].format, SB_FORMAT_BASE);
    CHECK_EQ(ship->children[2].weapon->max_ready, 1);
    sb_data_free(&data);
}

TEST(the_file_can_name_other_evidence_for_the_order)
{
    CHECK_EQ(load("ship.source.order = 'trace'; list[1].source = { creation = 'rule' }"), SB_OK);
    CHECK_EQ(ship->subsystems[0].order_source, SB_SOURCE_TRACE);
    CHECK_EQ(ship->subsystems[0].creation_source, SB_SOURCE_RULE);
    CHECK_EQ(ship->subsystems[1].creation_source, SB_SOURCE_HARDPOINT);
    sb_data_free(&data);
}

TEST(hardpoints_that_cannot_be_linked_are_refused)
{
    check_refused(
        "list[4] = list[1]",
        "tug.lua: hardpoints[5]: belongs to an entry of the type impulse, and there is none");
    check_refused("list[10] = system('torpedo_system', 'More')",
                  "tug.lua: hardpoints[2]: two entries are of the type torpedo_system; which of "
                  "them the game gives this part to is not known: nest the parts in `subsystems` "
                  "instead");
    check_refused("list[10] = part('power', 'A'); list[11] = part('power', 'B')",
                  "tug.lua: hardpoints[11]: a ship has one power at most, and an earlier entry is "
                  "one");
    check_refused("for i = 10, 42 do list[i] = part('hull', 'H') end",
                  "tug.lua: hardpoints[38]: a ship has at most 32 systems");
    check_refused("for i = 10, 24 do list[i] = tube('T') end",
                  "tug.lua: hardpoints[24]: a torpedo_system has at most 16 children, and a ship "
                  "96");
    check_refused("for i = 10, 129 do list[i] = tube('T') end",
                  "tug.lua: hardpoints: has 129 entries, at most 128 are possible");
}

TEST(keys_that_only_nested_parts_have_are_refused_in_hardpoints)
{
    check_refused("list[1].creation_index = 0",
                  "tug.lua: hardpoints[1].creation_index: is the place of the entry in "
                  "`hardpoints`; remove the key");
    check_refused("list[6].children = {}",
                  "tug.lua: hardpoints[6].children: are entries of their own in `hardpoints`; only "
                  "`subsystems` nests them");
    check_refused("list[1].engine = 'warp'",
                  "tug.lua: hardpoints[1].engine: only an entry of the type `engine` has it");
    check_refused("list[2].weapon = nil", "tug.lua: hardpoints[2].weapon: is missing");
    check_refused("list[3].weapon = {}", "tug.lua: hardpoints[3].weapon: an engine is no weapon");
    check_refused("list[1].weapon = {}", "tug.lua: hardpoints[1].weapon: a system is no weapon");
    check_refused("list[2].power_per_second = 1",
                  "tug.lua: hardpoints[2].power_per_second: this type of subsystem draws no power");
    check_refused("list[1].single_fire = 'yes'",
                  "tug.lua: hardpoints[1].single_fire: only a weapon system has it");
}

TEST(a_ship_has_only_one_kind_of_list)
{
    check_refused("ship.source.order = 'trace'; ship.subsystems = { part('hull', 'Hull') }",
                  "tug.lua: hardpoints: subsystems is given as well");
    check_refused("ship.subsystems_of = 'akira'",
                  "tug.lua: subsystems_of: hardpoints is given as well");
    check_refused("ship.hardpoints = {}", "tug.lua: subsystems: is missing or empty");
    check_refused("ship.changes = { { name = 'Hull', max_condition = 1, source = 'rule' } }",
                  "tug.lua: changes: only a ship with subsystems_of has them");
}
