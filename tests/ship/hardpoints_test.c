/* tests/ship/hardpoints_test.c -- linking flat lists: stock ships, engine tags, refused lists. */
#include <starbase/hardpoint.h>

#include "ship/flatten.h"
#include "test.h"

#include <string.h>

static sb_hardpoint    list[2 * SB_HARDPOINTS_MAX];
static sb_linked_parts linked;

static size_t fill(const uint8_t *types, size_t count)
{
    memset(list, 0, sizeof list);
    for (size_t i = 0; i < count; i++) list[i].part.type = types[i];
    return count;
}
#define FILL(...) fill((const uint8_t[]){ __VA_ARGS__ }, sizeof(const uint8_t[]){ __VA_ARGS__ })

static void check_problem(size_t count, sb_link_problem problem, size_t expected_at)
{
    size_t at = SIZE_MAX;
    CHECK_EQ(sb_hardpoints_link(list, count, &linked, &at), problem);
    CHECK_EQ(at, expected_at);
}

/* Linking replaces what it computes, whatever stands there. */
static void forget_links(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sb_subsystem_class *part = &list[i].part;
        part->format = part->first_child = part->child_count = 99;
        part->creation_index = 99;
    }
}

static void check_lists(const sb_ship_class *ship, size_t count)
{
    size_t at;
    forget_links(count);
    CHECK_EQ(sb_hardpoints_link(list, count, &linked, &at), SB_LINKED);
    CHECK_EQ(linked.subsystem_count, ship->subsystem_count);
    CHECK_EQ(linked.child_count, ship->child_count);
    for (size_t i = 0; i < linked.subsystem_count; i++)
        flatten_check_same(&linked.subsystems[i], &ship->subsystems[i]);
    for (size_t i = 0; i < linked.child_count; i++)
        flatten_check_same(&linked.children[i], &ship->children[i]);
}

static void check_index(const sb_subsystem_class *linked_part, const sb_subsystem_class *part,
                        size_t *known)
{
    if (part->creation_index < 0) return;
    CHECK_EQ(linked_part->creation_index, part->creation_index);
    ++*known;
}

/* ---- stock ships ---- */

TEST(every_stock_ship_is_the_same_after_flattening_and_linking)
{
    const sb_ship_set *ships = sb_stock_ships();
    size_t             known = 0;
    CHECK_EQ(ships->count, 17);
    for (size_t i = 0; i < ships->count; i++) {
        const sb_ship_class *ship = &ships->ships[i];
        check_lists(ship, flatten_ship(ship, list));
        for (size_t k = 0; k < ship->subsystem_count; k++)
            check_index(&linked.subsystems[k], &ship->subsystems[k], &known);
        for (size_t k = 0; k < ship->child_count; k++)
            check_index(&linked.children[k], &ship->children[k], &known);
    }
    CHECK(known >= 33 + 24 + 16 + 12 + 11); /* spec 11 §6, and the Enterprise */
}

TEST(lists_do_not_depend_on_where_a_script_puts_the_children)
{
    const sb_ship_set *ships = sb_stock_ships();
    for (size_t i = 0; i < ships->count; i++)
        for (uint32_t seed = 0; seed < 40; seed++)
            check_lists(&ships->ships[i], flatten_ship_at_random(&ships->ships[i], seed, list));
}

/* The order of spec 08 §2.1, as traced. */
TEST(the_sovereigns_33_traced_creation_indices_come_out)
{
    static const char *const order[] = {
        "Hull",
        "Shield Generator",
        "Sensor Array",
        "Warp Core",
        "Impulse Engines",
        "Torpedoes",
        "Forward Torpedo 1",
        "Forward Torpedo 2",
        "Forward Torpedo 3",
        "Forward Torpedo 4",
        "Aft Torpedo 1",
        "Aft Torpedo 2",
        "Ventral Phaser 1",
        "Ventral Phaser 2",
        "Ventral Phaser 3",
        "Ventral Phaser 4",
        "Dorsal Phaser 1",
        "Dorsal Phaser 2",
        "Dorsal Phaser 3",
        "Dorsal Phaser 4",
        "Port Impulse",
        "Star Impulse",
        "Port Warp",
        "Star Warp",
        "Repair",
        "Phasers",
        "Tractors",
        "Warp Engines",
        "Bridge",
        "Aft Tractor 1",
        "Aft Tractor 2",
        "Forward Tractor 1",
        "Forward Tractor 2",
    };
    const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), "sovereign");
    size_t               count = flatten_ship(ship, list), at;
    CHECK_EQ(count, 33);
    for (size_t i = 0; i < count; i++) CHECK_TEXT(list[i].part.name, order[i]);
    forget_links(count);
    CHECK_EQ(sb_hardpoints_link(list, count, &linked, &at), SB_LINKED);
    for (size_t i = 0; i < 11; i++) {
        const sb_subsystem_class *system = &linked.subsystems[i];
        CHECK_EQ(system->creation_index, ship->subsystems[i].creation_index);
        CHECK_TEXT(system->name, order[system->creation_index]);
    }
    for (size_t i = 0; i < 22; i++) {
        CHECK_EQ(linked.children[i].creation_index, ship->children[i].creation_index);
        CHECK_TEXT(linked.children[i].name, order[linked.children[i].creation_index]);
    }
}

/* ---- parents ---- */

TEST(an_engine_belongs_to_the_impulse_engines_unless_tagged_warp)
{
    size_t at, count = FILL(SB_SUBSYSTEM_ENGINE, SB_SUBSYSTEM_WARP, SB_SUBSYSTEM_ENGINE,
                            SB_SUBSYSTEM_IMPULSE, SB_SUBSYSTEM_ENGINE);
    list[2].engine_tag = SB_ENGINE_WARP;
    CHECK_EQ(sb_hardpoints_link(list, count, &linked, &at), SB_LINKED);
    CHECK_EQ(linked.subsystem_count, 2);
    CHECK_EQ(linked.subsystems[0].type, SB_SUBSYSTEM_WARP);
    CHECK_EQ(linked.subsystems[0].child_count, 1);
    CHECK_EQ(linked.children[0].creation_index, 2);
    CHECK_EQ(linked.subsystems[1].child_count, 2);
    CHECK_EQ(linked.subsystems[1].first_child, 1);
    CHECK_EQ(linked.children[1].creation_index, 0); /* added before its system */
    CHECK_EQ(linked.children[2].creation_index, 4);
}

TEST(every_weapon_belongs_to_the_system_of_its_class)
{
    static const uint8_t pairs[][2] = {
        { SB_SUBSYSTEM_PHASER_BANK, SB_SUBSYSTEM_PHASER_SYSTEM },
        { SB_SUBSYSTEM_PULSE_WEAPON, SB_SUBSYSTEM_PULSE_SYSTEM },
        { SB_SUBSYSTEM_TORPEDO_TUBE, SB_SUBSYSTEM_TORPEDO_SYSTEM },
        { SB_SUBSYSTEM_TRACTOR_PROJECTOR, SB_SUBSYSTEM_TRACTOR_SYSTEM },
    };
    for (size_t i = 0; i < 4; i++) {
        sb_hardpoint child = { .part.type = pairs[i][0], .engine_tag = SB_ENGINE_WARP };
        CHECK_EQ(sb_hardpoint_system_type(&child), pairs[i][1]);
        CHECK_EQ(sb_subsystem_child_type(pairs[i][1]), pairs[i][0]);
        CHECK_EQ(sb_subsystem_entry_format(pairs[i][0]), SB_FORMAT_BASE);
        CHECK_EQ(sb_subsystem_entry_format(pairs[i][1]), SB_FORMAT_POWERED);
    }
    sb_hardpoint none = { .part.type = SB_SUBSYSTEM_TYPE_COUNT };
    CHECK_EQ(sb_hardpoint_system_type(&none), -1);
    CHECK_EQ(sb_subsystem_child_type(SB_SUBSYSTEM_PHASER_BANK), 0);
    CHECK_EQ(sb_subsystem_child_type(SB_SUBSYSTEM_ENGINE), 0);
}

/* ---- refused lists ---- */

TEST(a_list_that_has_no_single_parent_for_a_part_is_refused)
{
    check_problem(FILL(SB_SUBSYSTEM_HULL, SB_SUBSYSTEM_PHASER_BANK), SB_LINK_NO_SYSTEM, 1);
    check_problem(FILL(SB_SUBSYSTEM_ENGINE, SB_SUBSYSTEM_WARP), SB_LINK_NO_SYSTEM, 0);
    check_problem(
        FILL(SB_SUBSYSTEM_PULSE_SYSTEM, SB_SUBSYSTEM_PULSE_WEAPON, SB_SUBSYSTEM_PULSE_SYSTEM),
        SB_LINK_TWO_SYSTEMS, 1);
    check_problem(FILL(SB_SUBSYSTEM_PULSE_SYSTEM, SB_SUBSYSTEM_PULSE_SYSTEM), SB_LINKED, 2);
    check_problem(FILL(SB_SUBSYSTEM_HULL, SB_SUBSYSTEM_HULL), SB_LINKED, 2); /* a bridge */
    check_problem(FILL(SB_SUBSYSTEM_HULL, SB_SUBSYSTEM_TYPE_COUNT), SB_LINK_BAD_TYPE, 1);
}

TEST(a_second_shield_generator_or_reactor_is_refused)
{
    check_problem(FILL(SB_SUBSYSTEM_SHIELD, SB_SUBSYSTEM_HULL, SB_SUBSYSTEM_SHIELD),
                  SB_LINK_SECOND_OF_ITS_TYPE, 2);
    check_problem(FILL(SB_SUBSYSTEM_POWER, SB_SUBSYSTEM_POWER), SB_LINK_SECOND_OF_ITS_TYPE, 1);
    check_problem(FILL(SB_SUBSYSTEM_SENSOR, SB_SUBSYSTEM_SENSOR), SB_LINKED, 2);
}

static size_t append(size_t count, uint8_t type, size_t times)
{
    for (size_t i = 0; i < times; i++) list[count + i].part.type = type;
    return count + times;
}

TEST(a_list_is_refused_at_the_first_part_too_many)
{
    check_problem(append(FILL(SB_SUBSYSTEM_HULL), SB_SUBSYSTEM_HULL, 31), SB_LINKED, 32);
    check_problem(append(FILL(SB_SUBSYSTEM_HULL), SB_SUBSYSTEM_HULL, 32), SB_LINK_TOO_MANY_SYSTEMS,
                  32);
    check_problem(append(FILL(SB_SUBSYSTEM_IMPULSE), SB_SUBSYSTEM_ENGINE, 16), SB_LINKED, 17);
    check_problem(append(FILL(SB_SUBSYSTEM_IMPULSE), SB_SUBSYSTEM_ENGINE, 17),
                  SB_LINK_TOO_MANY_CHILDREN, 17);
    size_t count = FILL(SB_SUBSYSTEM_PHASER_SYSTEM, SB_SUBSYSTEM_PULSE_SYSTEM,
                        SB_SUBSYSTEM_TORPEDO_SYSTEM, SB_SUBSYSTEM_TRACTOR_SYSTEM);
    count = append(count, SB_SUBSYSTEM_PHASER_BANK, 16);
    count = append(count, SB_SUBSYSTEM_PULSE_WEAPON, 16);
    count = append(count, SB_SUBSYSTEM_TORPEDO_TUBE, 16);
    check_problem(count, SB_LINKED, 52);
    check_problem(append(count, SB_SUBSYSTEM_TRACTOR_PROJECTOR, 1), SB_LINK_TOO_MANY_WEAPONS, 52);
    check_problem(0, SB_LINKED, 0);
    CHECK_EQ(linked.subsystem_count + linked.child_count, 0);
}
