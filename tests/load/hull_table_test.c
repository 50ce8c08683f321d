/* tests/load/hull_table_test.c -- the key `hull` of a ship file, and the box of a ship without it.
 */
#include "load/hull_table.h"

#include "load/data_file.h"
#include "test.h"
#include "tug.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHECK_NEAR(value, expected, off) CHECK(fabs((double)(value) - (expected)) <= (off))

/* A ship with a hull part and a sensor. In place of %s: keys of the ship, of the hull part, of the
 * sensor. */
static const char ship_text[] =
    "return {\n" TUG_KEYS
    "  source = { condition = 'estimate', properties = 'estimate', power = 'estimate',\n"
    "             order = 'catalogue' },\n"
    "  %s\n"
    "  subsystems = {\n"
    "    { type = 'hull', name = 'Hull', critical = true, max_condition = 1000,\n"
    "      disabled_below = 0, repair_complexity = 1%s },\n"
    "    { type = 'sensor', name = 'Sensors', max_condition = 300, disabled_below = 0.5,\n"
    "      repair_complexity = 2, power_per_second = 30%s },\n"
    "  },\n"
    "}\n";

static sb_result load(sb_data *data, const char *keys, const char *hull, const char *sensor,
                      const sb_ship_class **out)
{
    static char text[sizeof ship_text + 2048];
    snprintf(text, sizeof text, ship_text, keys, hull, sensor);
    sb_data_source source = { .name = "tug.lua", .text = text, .size = strlen(text) };
    return sb_data_load_ship(data, source, NULL, out);
}

static void check_refused(const char *keys, const char *error)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    sb_result            result = load(&data, keys, "", "", &ship);
    sb_data_free(&data);
    CHECK_TEXT(data.error, error);
    CHECK_EQ(result, SB_BAD_VALUE);
}

TEST(the_centre_of_a_box_can_have_a_source_of_its_own)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(load(&data,
                  "hull = { box = { centre = { 1, 2, 3 }, half = { 4, 5, 6 },\n"
                  "source = 'estimate', centre_source = 'engine' } },",
                  "", "", &ship),
             SB_OK);
    CHECK_EQ(ship->box_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->centre_source, SB_SOURCE_ENGINE);
    sb_data_free(&data);
}

TEST(a_hull_is_loaded_with_its_box_and_all_its_solids)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(
        load(&data,
             "hull = { box = { centre = { 1, 2, 3 }, half = { 4, 5, 6 }, source = 'engine' },\n"
             "solids = { { kind = 'box', centre = { 0, 1, 0 }, half = { 1, 1, 1 } },\n"
             "{ kind = 'ellipsoid', centre = { 0, 0, -1 }, half = { 2, 3, 0.5 } } } },",
             "", "", &ship),
        SB_OK);
    CHECK(ship->box_centre[1] == 2.0f);
    CHECK(ship->box_half[2] == 6.0f);
    CHECK_EQ(ship->box_source, SB_SOURCE_ENGINE);
    CHECK_EQ(ship->centre_source, SB_SOURCE_ENGINE);
    CHECK_EQ(ship->solid_count, 2);
    CHECK_EQ(ship->solids[0].kind, SB_SOLID_BOX);
    CHECK(ship->solids[0].centre[1] == 1.0f);
    CHECK_EQ(ship->solids[1].kind, SB_SOLID_ELLIPSOID);
    CHECK(ship->solids[1].half[2] == 0.5f);
    sb_data_free(&data);
}

TEST(a_hull_that_makes_no_sense_is_refused_with_key_and_reason)
{
    check_refused("hull = { box = { centre = { 0, 0, 0 }, half = { 1, 1 }, source = 'engine' } },",
                  "tug.lua: hull.box.half: must have 3 numbers, has 2");
    check_refused("hull = { box = { centre = { 0, 0, 0 }, half = { 1, 1, 0 }, source = 'rule' } },",
                  "tug.lua: hull.box.half[3]: must be a number from 0.001 to 1e+06, is 0");
    check_refused("hull = { box = { centre = { 0, 0, 0 }, half = { 1, 1, 1 } } },",
                  "tug.lua: hull.box.source: is missing");
    check_refused("hull = { solids = { { kind = 'cone', centre = { 0, 0, 0 },\n"
                  "half = { 1, 1, 1 } } } },",
                  "tug.lua: hull.solids[1].kind: must be one of box, ellipsoid; is \"cone\"");
    check_refused("hull = { solids = { { kind = 'box', half = { 1, 1, 1 } } } },",
                  "tug.lua: hull.solids[1].centre: is missing");
    check_refused("hull = { shape = 1 },", "tug.lua: hull.shape: unknown key");
}

TEST(a_hull_has_a_limit_of_solids)
{
    check_refused("hull = { solids = (function() local l = {} for i = 1, 17 do\n"
                  "l[i] = { kind = 'box', centre = { 0, 0, 0 }, half = { 1, 1, 1 } } end\n"
                  "return l end)() },",
                  "tug.lua: hull.solids: has 17 entries, at most 16 are possible");
}

/* Parts at (0, -3, 0) and (0, 1, 2): half extents 0, 2, 1, diagonal sqrt(5), wanted 0.93 * 5. */
TEST(a_ship_without_a_box_gets_one_that_spans_its_parts)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(load(&data, "", ", position = { 0, -3, 0 }, radius = 1",
                  ", position = { 0, 1, 2 }, radius = 1", &ship),
             SB_OK);
    double scale = 0.93 * 5 / sqrt(5);
    CHECK_NEAR(ship->box_centre[0], 0, 0);
    CHECK_NEAR(ship->box_centre[1], -1, 0);
    CHECK_NEAR(ship->box_centre[2], 1, 0);
    CHECK_NEAR(ship->box_half[0], 0.08 * 5, 1e-6); /* never flat */
    CHECK_NEAR(ship->box_half[1], 2 * scale, 1e-5);
    CHECK_NEAR(ship->box_half[2], scale, 1e-5);
    CHECK_EQ(ship->box_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->centre_source, SB_SOURCE_ESTIMATE);
    CHECK_EQ(ship->solid_count, 0);
    sb_data_free(&data);
}

TEST(a_ship_without_positions_gets_a_cube_around_its_origin)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(load(&data, "", "", "", &ship), SB_OK);
    for (int axis = 0; axis < 3; axis++) {
        CHECK_NEAR(ship->box_centre[axis], 0, 0);
        CHECK_NEAR(ship->box_half[axis], 0.93 * 5 / sqrt(3), 1e-5);
    }
    sb_data_free(&data);
}

/* One part at one point has no extent that could be scaled. */
TEST(a_ship_with_one_position_gets_the_smallest_box_there)
{
    sb_data              data = { 0 };
    const sb_ship_class *ship = NULL;
    CHECK_EQ(load(&data, "", ", position = { 1, 2, 3 }, radius = 1", "", &ship), SB_OK);
    CHECK_NEAR(ship->box_centre[2], 3, 0);
    for (int axis = 0; axis < 3; axis++) CHECK_NEAR(ship->box_half[axis], 0.08 * 5, 1e-6);
    sb_data_free(&data);
}
