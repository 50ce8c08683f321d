/* tests/combat/shields_test.c -- six facings. Spec 10 §5. */
#include "rig.h"

static const sb_vec3          origin = { 0, 0, 0 };
static const sb_damage_source somebody = { SB_DAMAGE_TORPEDO, 3, 0x40040000 };

static void hit(rig *r, sb_vec3 outward, float damage)
{
    sb_combat_hit_with_weapon(r->combat, rig_fighter(r, 0), somebody, outward, 0.5f, damage);
}

TEST(test_10_5_1_facings_by_direction)
{
    static const struct {
        sb_vec3  v;
        unsigned facing;
    } rows[] = {
        { { 0, 1, 0 }, 0 },  { { 0, -1, 0 }, 1 }, { { 0, 0, 1 }, 2 },           { { 0, 0, -1 }, 3 },
        { { -1, 0, 0 }, 4 }, { { 1, 0, 0 }, 5 },  { { 0.5f, 0.6f, 0.55f }, 0 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_EQ(sb_combat_facing_of(rows[i].v), rows[i].facing);
}

TEST(test_10_5_1_ties_go_front_top_right_rear_bottom_left)
{
    CHECK_EQ(sb_combat_facing_of((sb_vec3){ 1, 1, 1 }), 0);
    CHECK_EQ(sb_combat_facing_of((sb_vec3){ 1, 0, 1 }), 2);
    CHECK_EQ(sb_combat_facing_of((sb_vec3){ 1, -1, 0 }), 5);
    CHECK_EQ(sb_combat_facing_of((sb_vec3){ -1, -1, -1 }), 1);
    CHECK_EQ(sb_combat_facing_of((sb_vec3){ -1, 0, -1 }), 3);
    CHECK_EQ(sb_combat_facing_of((sb_vec3){ 0, 0, 0 }), 0);
}

TEST(test_10_5_2_a_facing_with_anything_left_stops_the_whole_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    rig_fighter(r, 0)->constants.facing_stops = 0; /* any facing that is not empty stops a hit */
    hit(r, (sb_vec3){ -1, 0, 0 }, 500);
    CHECK_NEAR(ship->facing[4], 5000, 0);
    ship->facing[4] = 0.5f;
    hit(r, (sb_vec3){ -1, 0, 0 }, 500);
    CHECK_NEAR(ship->facing[4], 0, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 0);
    hit(r, (sb_vec3){ -1, 0, 0 }, 500); /* now everything goes through */
    CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
    CHECK(!rig_event(r, SB_COMBAT_HIT, 2)->shields);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        if (i != 4) CHECK_NEAR(ship->facing[i], ship->model->shield_max[i], 0);
}

TEST(test_10_5_2_by_default_a_facing_needs_5_hp_to_stop_a_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    ship->facing[4] = 5;
    hit(r, (sb_vec3){ -1, 0, 0 }, 500);
    CHECK_NEAR(ship->facing[4], 0, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 0);
    ship->facing[4] = 4.9f; /* below facing_stops */
    hit(r, (sb_vec3){ -1, 0, 0 }, 500);
    CHECK_NEAR(ship->facing[4], 4.9f, 0);
    CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
}

TEST(test_10_5_2_shields_off_or_disabled_keep_values_stop_nothing)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_SHIELD, -1), false);
    hit(r, (sb_vec3){ 0, 1, 0 }, 10);
    CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
    CHECK_NEAR(ship->facing[0], 11000, 0);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_SHIELD, -1), true);
    rig_forget(r);
    hit(r, (sb_vec3){ 0, 1, 0 }, 10);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 0);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = 100;
    hit(r, (sb_vec3){ 0, 1, 0 }, 10);
    CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
}

TEST(test_10_5_3_each_facing_gains_its_rate_when_all_are_low)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, BIRD_OF_PREY, origin); /* rates 20/8/8/3/3/3 */
    rig_facings(ship, 100);
    rig_steps(r, 30);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        CHECK_NEAR(ship->facing[i], 100 + ship->model->shield_rate[i], 0.01);
}

TEST(test_10_5_3_full_facings_hand_their_budget_to_the_others)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin); /* 12 everywhere */
    ship->facing[0] = 100;
    ship->facing[1] = 100;
    rig_steps(r, 30); /* four full ones: 4 s of charging shared by two */
    CHECK_NEAR(ship->facing[0], 100 + 12 + 12 * 4 / 2, 0.05);
    CHECK_NEAR(ship->facing[1], 100 + 12 + 12 * 4 / 2, 0.05);
}

TEST(test_10_5_3_facings_never_exceed_their_maximum)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    ship->facing[0] = 10999.9f;
    rig_steps(r, 5);
    CHECK_NEAR(ship->facing[0], 11000, 0);
}

TEST(test_10_5_3_a_facing_without_rate_hands_its_budget_over)
{
    static sb_ship_class model;
    rig                 *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    model.shield_rate[1] = 0;
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, &model, SOVEREIGN, RIG_SHIP(0));
    ship->facing[0] = 100;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    rig_steps(r, 30);
    CHECK_NEAR(ship->facing[0], 100 + 12 * 6, 0.05);
}

TEST(test_10_5_3_recharge_follows_the_power_of_the_generator)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    rig_facings(ship, 100);
    ship->power_wanted[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = 0.5f;
    rig_steps(r, 30);
    CHECK_NEAR(ship->facing[0], 106, 0.01);
    ship->power_wanted[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = 1.25f;
    rig_steps(r, 30);
    CHECK_NEAR(ship->facing[0], 106 + 15, 0.01);
}

TEST(test_10_5_3_no_recharge_while_shields_are_down)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    rig_facings(ship, 100);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_SHIELD, -1), false);
    rig_steps(r, 30);
    CHECK_NEAR(ship->facing[0], 100, 0);
}

TEST(test_10_14_a_facing_without_data_has_the_default_maximum)
{
    static sb_ship_class model;
    rig                 *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    model.shield_max[2] = NAN;
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, &model, SOVEREIGN, RIG_SHIP(0));
    ship->facing[2] = 5000;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    CHECK_NEAR(ship->facing[2], 1000, 0);
}

TEST(test_10_5_2_a_weak_facing_absorbs_area_damage_up_to_its_hp)
{
    rig *r = rig_new();
    r->config.constants.splash = 6000;
    r->config.constants.splash_radius = 50;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    ship->facing[2] = 900;
    ship->facing[4] = 400;
    ship->facing[5] = 1000; /* just enough */
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_NEAR(ship->facing[2] + ship->facing[4] + ship->facing[5], 0, 0);
    CHECK_NEAR(ship->facing[0], ship->model->shield_max[0] - 1000, 0.01);
    unsigned damaged = 0;
    for (size_t i = 0; i < r->event_count; i++) {
        const sb_combat_event *e = &r->events[i];
        if (e->type != SB_COMBAT_DAMAGED || e->object_id != RIG_SHIP(1)) continue;
        CHECK_NEAR(e->amount, 100 + 600, 0.01);
        damaged++;
    }
    CHECK(damaged > 0);
}

TEST(test_10_3_2_a_disabled_generator_neither_absorbs_nor_charges)
{
    static const float conditions[] = { 7500, 100, 0 }; /* of 10,000; 0.75 */
    for (unsigned i = 0; i < 3; i++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_facings(ship, 100);
        ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = conditions[i];
        rig_seconds(r, 2);
        sb_combat_hit_with_weapon(r->combat, rig_fighter(r, 0),
                                  (sb_damage_source){ SB_DAMAGE_BOLT, 3, 1 }, (sb_vec3){ 0, 1, 0 },
                                  1, 50);
        CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
        for (unsigned k = 0; k < SB_FACINGS; k++) CHECK_NEAR(ship->facing[k], 100, 0);
    }
}
