/* tests/ship/ship_test.c -- finding ships, projectiles and systems; what the stock set promises. */
#include <starbase/ship.h>

#include "test.h"

#include <ctype.h>
#include <string.h>

TEST(a_ship_is_found_by_species)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), 6);
    CHECK(ship);
    CHECK_TEXT(ship->name, "Bird of Prey");
    CHECK(!sb_find_ship(sb_stock_ships(), 0));
    CHECK(!sb_find_ship(sb_stock_ships(), 17));
    CHECK(!sb_find_ship(sb_stock_ships(), 255));
}

TEST(a_ship_is_found_by_key_or_name_in_any_case)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), 6);
    CHECK(sb_find_ship_by_name(sb_stock_ships(), "birdofprey") == ship);
    CHECK(sb_find_ship_by_name(sb_stock_ships(), "BirdOfPrey") == ship);
    CHECK(sb_find_ship_by_name(sb_stock_ships(), "bird of prey") == ship);
    CHECK_EQ(sb_find_ship_by_name(sb_stock_ships(), "VOR'CHA")->species, 7);
    for (size_t i = 0; i < sb_stock_ships()->count; i++) {
        const sb_ship_class *each = &sb_stock_ships()->ships[i];
        char                 upper[64] = "";
        for (size_t k = 0; each->key[k]; k++) upper[k] = (char)toupper(each->key[k]);
        CHECK(sb_find_ship_by_name(sb_stock_ships(), upper) == each);
    }
    sb_ship_class alphabet = { .key = "abcdefghijklmnopqrstuvwxyz", .name = "[@" };
    sb_ship_set   set = { .ships = &alphabet, .count = 1 };
    CHECK(sb_find_ship_by_name(&set, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    CHECK(!sb_find_ship_by_name(&set, "{`")); /* not letters */
}

TEST(a_part_of_a_name_finds_nothing)
{
    CHECK(!sb_find_ship_by_name(sb_stock_ships(), ""));
    CHECK(!sb_find_ship_by_name(sb_stock_ships(), "akir"));
    CHECK(!sb_find_ship_by_name(sb_stock_ships(), "akiras"));
}

TEST(the_stock_set_ascends_and_its_index_matches)
{
    const sb_ship_set *set = sb_stock_ships();
    size_t             indexed = 0;
    CHECK_EQ(set->count, 17);
    for (size_t i = 0; i < set->count; i++) {
        CHECK(i == 0 || set->ships[i].species > set->ships[i - 1].species);
        CHECK(set->by_species[set->ships[i].species] == &set->ships[i]);
    }
    for (size_t i = 0; i < 256; i++) indexed += set->by_species[i] != NULL;
    CHECK_EQ(indexed, set->count);
}

TEST(every_weapon_hangs_on_a_child_that_can_fire)
{
    const sb_ship_set *set = sb_stock_ships();
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < set->ships[i].child_count; k++) {
            const sb_subsystem_class *child = &set->ships[i].children[k];
            CHECK_EQ(child->weapon != NULL, child->type != SB_SUBSYSTEM_ENGINE);
            CHECK_EQ(child->child_count, 0);
            CHECK_EQ(child->format, SB_FORMAT_BASE);
        }
}

/* Spec 11 §7: hull, shields, reactor and repair differ; the repair figures are not known. */
TEST(the_enterprise_is_a_sovereign_with_another_hull_and_power)
{
    const sb_ship_class *enterprise = sb_find_ship(sb_stock_ships(), 37);
    const sb_ship_class *sovereign = sb_find_ship(sb_stock_ships(), 5);
    CHECK(enterprise);
    CHECK_EQ(enterprise->subsystem_count, sovereign->subsystem_count);
    CHECK_EQ(enterprise->child_count, sovereign->child_count);
    CHECK_EQ(enterprise->subsystems[0].max_condition, 16000);
    CHECK_EQ(enterprise->subsystems[0].condition_source, SB_SOURCE_ENGINE);
    for (size_t i = 1; i < sovereign->subsystem_count; i++)
        CHECK_EQ(enterprise->subsystems[i].max_condition, sovereign->subsystems[i].max_condition);
    for (size_t i = 0; i < sovereign->child_count; i++)
        CHECK_EQ(enterprise->children[i].max_condition, sovereign->children[i].max_condition);
    CHECK_EQ(enterprise->shield_max[0], 16000);
    CHECK_EQ(enterprise->shield_max[5], 8000);
    CHECK_EQ(enterprise->power_output, 1600);
    CHECK_EQ(enterprise->main_battery, 300000);
    CHECK_EQ(enterprise->backup_battery, 120000);
    CHECK_EQ(enterprise->main_conduit, 1900);
    CHECK_EQ(enterprise->backup_conduit, 300);
    CHECK_EQ(enterprise->repair_source, SB_SOURCE_ESTIMATE);
    CHECK(!enterprise->selectable);
}

/* Spec 08 §2.1: the table of creation indices of the Sovereign. */
TEST(the_creation_order_of_the_sovereign_is_complete)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), 5);
    uint64_t             seen = 0;
    for (size_t i = 0; i < ship->subsystem_count; i++)
        seen |= UINT64_C(1) << ship->subsystems[i].creation_index;
    for (size_t i = 0; i < ship->child_count; i++)
        seen |= UINT64_C(1) << ship->children[i].creation_index;
    CHECK_EQ(seen, (UINT64_C(1) << 33) - 1);
    CHECK_TEXT(ship->subsystems[6].name, "Repair");
    CHECK_EQ(ship->subsystems[6].creation_index, 0x18);
}

TEST(a_projectile_is_found_by_type)
{
    CHECK_TEXT(sb_find_projectile(sb_stock_projectiles(), 13)->name, "Positron2");
    CHECK(!sb_find_projectile(sb_stock_projectiles(), 0));
    CHECK(!sb_find_projectile(sb_stock_projectiles(), 16));
}

TEST(a_system_is_found_by_index)
{
    const sb_system *system = sb_find_system(sb_stock_systems(), 9);
    CHECK(system);
    CHECK_TEXT(system->name, "Poseidon");
    CHECK_TEXT(system->start_set, "Poseidon2");
    CHECK(!sb_find_system(sb_stock_systems(), 0));
    CHECK(!sb_find_system(sb_stock_systems(), 10));
}

static size_t count_names(const sb_name *names)
{
    size_t count = 0;
    while (names[count].name) count++;
    return count;
}

TEST(name_tables_have_a_row_for_every_number_but_0)
{
    CHECK_EQ(count_names(sb_species_names()), 45);
    CHECK_EQ(count_names(sb_projectile_names()), 15);
    CHECK_EQ(count_names(sb_system_names()), 9);
    CHECK_TEXT(sb_species_names()[5].name, "BirdOfPrey");
    CHECK_TEXT(sb_system_names()[7].name, "Albirea");
}

TEST(a_source_that_does_not_exist_is_called_unknown)
{
    CHECK_TEXT(sb_figure_source_name(SB_SOURCE_COUNT), "unknown");
}
