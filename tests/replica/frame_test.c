/* tests/replica/frame_test.c -- a ship in wire codes: the ends of its lists, the entries that count
 * as damaged, and ships that lack a part. Spec 03 §4.1.
 *
 * lane_blocks_test.c and property_test.c have the codes as they are sent.
 */
#include "rig.h"

#include "replica/testing.h"

#include <math.h>
#include <string.h>

static void update(sb_ship_frame *frame, const sb_ship *ship)
{
    sb_frame_update(frame, ship, ship->motion.position);
    sb_frame_check(frame);
}

static void check_damaged(const sb_ship_frame *frame, uint32_t stock, uint32_t documented)
{
    CHECK_EQ(frame->damaged[SB_SHIELD_STOCK], stock);
    CHECK_EQ(frame->damaged[SB_SHIELD_DOCUMENTED], documented);
}

TEST(a_frame_does_not_depend_on_old_memory)
{
    for (unsigned known = 0; known < 2; known++) {
        sb_ship       ship;
        sb_ship_frame a, b;
        sb_ship_init(&ship, known ? sb_find_ship(sb_stock_ships(), 6) : NULL, 6, RIG_SHIP);
        memset(&a, 0, sizeof a);
        memset(&b, 0xA5, sizeof b);
        sb_frame_init(&a, &ship);
        sb_frame_init(&b, &ship);
        CHECK_BYTES(&a, sizeof a, &b, sizeof b);
        sb_frame_check(&a);
    }
}

TEST(behind_the_list_of_a_ship_a_frame_has_no_codes)
{
    static const sb_subsystem_state none[SB_SUBSYSTEMS_MAX];
    static const uint8_t            no_levels[SB_SUBSYSTEMS_MAX];
    for (unsigned count = 0; count < 6; count++) { /* 0: unknown species */
        rig_mod       mod;
        sb_ship       ship;
        sb_ship_frame frame;
        size_t        behind = SB_SUBSYSTEMS_MAX - count;
        rig_mod_init(&mod, count);
        sb_ship_init(&ship, count ? &mod.model : NULL, 200, RIG_SHIP);
        sb_frame_init(&frame, &ship);
        CHECK_BYTES(frame.entries + count, behind * sizeof *none, none, behind * sizeof *none);
        CHECK_BYTES(frame.level_codes + count, behind, no_levels, behind);
    }
}

/* No stock list is that long, or begins with a powered entry or with one that has children. */
TEST(a_list_may_have_32_entries_that_are_all_powered)
{
    rig_mod       mod;
    sb_ship       ship;
    sb_ship_frame frame;
    rig_mod_init(&mod, SB_SUBSYSTEMS_MAX);
    mod.list[0].child_count = mod.model.child_count = 1;
    sb_ship_init(&ship, &mod.model, 200, RIG_SHIP);
    sb_frame_init(&frame, &ship);
    sb_frame_check(&frame);
    check_damaged(&frame, 0, 0);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        CHECK_EQ(frame.entries[i].index, i);
        CHECK_EQ(frame.entries[i].condition_code, 0xFF);
        CHECK_EQ(frame.entries[i].power_pct_code, 100);
        CHECK_EQ(frame.level_codes[i], 0xCC);
    }
    ship.power_wanted[0] = ship.power_wanted[31] = 0.5f;
    ship.condition[31] = 50;
    ship.child_condition[0] = 50;
    update(&frame, &ship);
    CHECK_EQ(frame.level_codes[0], 0x66);
    CHECK_EQ(frame.level_codes[31], 0x66);
    CHECK_EQ(frame.entries[31].condition_code, 127);
    CHECK_EQ(frame.entries[0].children[0], 127);
    check_damaged(&frame, 1u << 31 | 1, 1u << 31 | 1);
}

TEST(a_lower_code_is_damage_until_the_next_frame)
{
    sb_ship       ship;
    sb_ship_frame frame;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    sb_frame_init(&frame, &ship);
    ship.condition[4] *= 0.5f;
    ship.child_condition[ship.model->subsystems[5].first_child] *= 0.5f;
    update(&frame, &ship);
    check_damaged(&frame, 1u << 4 | 1u << 5, 1u << 4 | 1u << 5);
    update(&frame, &ship);
    check_damaged(&frame, 0, 0);
    ship.condition[4] *= 0.9999f; /* below a step of the code */
    update(&frame, &ship);
    check_damaged(&frame, 0, 0);
    ship.condition[4] *= 1.5f;
    update(&frame, &ship);
    check_damaged(&frame, 0, 0);
}

/* The documented layout sends no facings. */
TEST(a_hit_on_any_facing_is_damage_in_the_stock_layout_alone)
{
    sb_ship       ship;
    sb_ship_frame frame;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, RIG_SHIP);
    unsigned shield = rig_entry(&ship, SB_SUBSYSTEM_SHIELD);
    sb_frame_init(&frame, &ship);
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        ship.facing[i] *= 0.5f;
        update(&frame, &ship);
        CHECK_EQ(frame.entries[shield].facings[i], 127);
        check_damaged(&frame, 1u << shield, 0);
    }
}

static void drain(sb_ship *ship)
{
    ship->facing[0] = ship->main_battery = ship->backup_battery = 50;
}

/* 32 entries, so that an entry behind the last one would lie behind the frame. */
TEST(a_ship_without_generator_and_reactor_has_no_entry_for_them)
{
    rig_mod       mod;
    sb_ship       ship;
    sb_ship_frame frame, before;
    rig_mod_init(&mod, SB_SUBSYSTEMS_MAX);
    mod.model.main_battery = mod.model.backup_battery = mod.model.shield_max[0] = 100;
    sb_ship_init(&ship, &mod.model, 200, RIG_SHIP);
    sb_frame_init(&frame, &ship);
    before = frame;
    drain(&ship);
    update(&frame, &ship);
    check_damaged(&frame, 0, 0);
    CHECK_BYTES(frame.entries, sizeof frame.entries, before.entries, sizeof before.entries);
}

TEST(generator_and_reactor_may_stand_at_either_end_of_the_list)
{
    for (unsigned first = 0; first < 2; first++) {
        rig_mod       mod;
        sb_ship       ship;
        sb_ship_frame frame;
        unsigned      shield = first ? 0 : 4, reactor = 4 - shield;
        rig_mod_init(&mod, 5);
        mod.list[shield].format = SB_FORMAT_SHIELD;
        mod.list[reactor].format = SB_FORMAT_REACTOR;
        mod.model.main_battery = mod.model.backup_battery = mod.model.shield_max[0] = 100;
        sb_ship_init(&ship, &mod.model, 200, RIG_SHIP);
        sb_frame_init(&frame, &ship);
        CHECK_EQ(frame.entries[shield].facings[0], 0xFF);
        drain(&ship);
        update(&frame, &ship);
        CHECK_EQ(frame.entries[shield].facings[0], 127);
        CHECK_EQ(frame.entries[reactor].main_battery_code, 127);
        CHECK_EQ(frame.entries[reactor].backup_battery_code, 127);
        check_damaged(&frame, 1u << shield, 0);
    }
}

/* Frames encode whole lists by code of their own: sb_frame_check compares each code with
 * sb_code_of_ratio. */
TEST(codes_of_odd_numbers_are_those_of_single_numbers)
{
    static const float odd[] = { 0.0f,  -0.0f,    1e-45f,    -1.0f, 0.99999994f,   1.0f, 1.0000001f,
                                 3e38f, INFINITY, -INFINITY, NAN,   1.0f / 255.0f, 0.5f, -1e-45f };
    enum { COUNT = sizeof odd / sizeof *odd };
    sb_ship       ship;
    sb_ship_frame frame;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 5), 5, RIG_SHIP);
    sb_frame_init(&frame, &ship);
    for (unsigned round = 0; round < COUNT; round++) {
        const sb_ship_class *model = ship.model;
        for (unsigned i = 0; i < model->subsystem_count; i++)
            ship.condition[i] = odd[(i + round) % COUNT] * model->subsystems[i].max_condition;
        for (unsigned i = 0; i < model->child_count; i++)
            ship.child_condition[i] = odd[(i + round) % COUNT] * model->children[i].max_condition;
        for (unsigned i = 0; i < SB_FACINGS; i++)
            ship.facing[i] = odd[(i + round) % COUNT] * model->shield_max[i];
        ship.main_battery = odd[round] * model->main_battery;
        update(&frame, &ship);
    }
}

TEST(an_entry_is_damaged_if_one_of_its_children_lost_strength)
{
    sb_ship       ship;
    sb_ship_frame frame;
    for (unsigned species = 1; species <= 15; species++) {
        sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), (uint8_t)species), (uint8_t)species,
                     RIG_SHIP);
        sb_frame_init(&frame, &ship);
        for (unsigned i = 0; i < ship.model->subsystem_count; i++) {
            const sb_subsystem_class *s = &ship.model->subsystems[i];
            for (unsigned child = 0; child < s->child_count; child++) {
                ship.child_condition[s->first_child + child] *= 0.5f;
                update(&frame, &ship);
                check_damaged(&frame, 1u << i, 1u << i);
            }
        }
    }
}
