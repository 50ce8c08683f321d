/* tests/combat/cloak_test.c -- the cloak's states, shields and energy. Spec 10 §10. */
#include "rig.h"

static rig *cloaker(void)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    return r;
}

static unsigned state(rig *r)
{
    return sb_combat_cloak_state(r->combat, RIG_SHIP(0));
}

static bool shields(rig *r)
{
    return sb_combat_has_shields_up(rig_fighter(r, 0));
}

TEST(test_10_10_cloaking_and_decloaking_take_five_seconds_each)
{
    rig *r = cloaker();
    r->ships[0].cloaked = true;
    rig_steps(r, 1);
    CHECK_EQ(state(r), 2);
    rig_steps(r, 148);
    CHECK_EQ(state(r), 2);
    rig_steps(r, 1); /* 150 steps */
    CHECK_EQ(state(r), 3);
    r->ships[0].cloaked = false;
    rig_steps(r, 1);
    CHECK_EQ(state(r), 5);
    rig_steps(r, 148);
    CHECK_EQ(state(r), 5);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 0);
    static const uint8_t states[] = { 2, 3, 5, 0 };
    CHECK_EQ(rig_count(r, SB_COMBAT_CLOAK), 4);
    for (unsigned i = 0; i < 4; i++) CHECK_EQ(rig_event(r, SB_COMBAT_CLOAK, i)->index, states[i]);
}

TEST(test_10_10_a_repeated_wish_changes_nothing)
{
    rig *r = cloaker();
    for (unsigned i = 0; i < 300; i++) {
        r->ships[0].cloaked = true;
        rig_steps(r, 1);
    }
    CHECK_EQ(rig_count(r, SB_COMBAT_CLOAK), 2);
    CHECK_EQ(state(r), 3);
}

TEST(test_10_10_turning_back_halfway_keeps_the_timer)
{
    rig *r = cloaker();
    r->ships[0].cloaked = true;
    rig_steps(r, 60);
    r->ships[0].cloaked = false;
    rig_steps(r, 59);
    CHECK_EQ(state(r), 5);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 0);

    r->ships[0].cloaked = true;
    rig_steps(r, 60);
    r->ships[0].cloaked = false;
    rig_steps(r, 30); /* 30 left */
    r->ships[0].cloaked = true;
    rig_steps(r, 119);
    CHECK_EQ(state(r), 2);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 3);
}

TEST(test_10_10_shields_follow_one_second_later)
{
    rig *r = cloaker();
    CHECK(shields(r));
    r->ships[0].cloaked = true;
    rig_steps(r, 30);
    CHECK(shields(r));
    rig_steps(r, 1);
    CHECK(!shields(r));
    rig_steps(r, 200);
    r->ships[0].cloaked = false;
    rig_steps(r, 150);
    CHECK_EQ(state(r), 0);
    CHECK(!shields(r));
    rig_steps(r, 29);
    CHECK(!shields(r));
    rig_steps(r, 1);
    CHECK(shields(r));
}

TEST(test_10_10_facings_are_kept_and_empty_ones_get_one_point)
{
    rig *r = rig_new();
    rig_start(r, true);
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    r->ships[0].cloaked = true;
    rig_steps(r, 160);
    r->ships[0].facing[0] = 1234;
    r->ships[0].facing[3] = 0;
    rig_forget(r);
    rig_steps(r, 100);
    CHECK_NEAR(r->ships[0].facing[0], 1234, 0);
    CHECK_NEAR(r->ships[0].facing[3], 0, 0);
    r->ships[0].cloaked = false;
    rig_steps(r, 150);
    CHECK_NEAR(r->ships[0].facing[0], 1234, 0);
    CHECK_NEAR(r->ships[0].facing[3], 1, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_RECHARGED), 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_RECHARGED, 0)->amount, 1, 0);
}

TEST(test_10_10_the_switch_0x0a_says_the_same_as_the_bit)
{
    rig     *r = cloaker();
    uint32_t device = rig_id(r, 0, SB_SUBSYSTEM_CLOAK, -1);
    CHECK_EQ(device, RIG_SHIP(0) + 1 + 13); /* captured: spec 08 §7.4 */
    sb_combat_switch(r->combat, RIG_SHIP(0), device, true);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 2);
    CHECK(r->ships[0].cloaked); /* others are told so, until the bit says otherwise */
    r->ships[0].cloaked = true; /* comes later, changes nothing */
    rig_steps(r, 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), device, false);
    CHECK(!r->ships[0].cloaked);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 5);
}

TEST(test_10_10_the_order_0x0e_says_the_same_as_the_bit)
{
    rig *r = cloaker();
    for (unsigned i = 0; i < 2; i++) {
        sb_combat_cloak(r->combat, RIG_SHIP(0), true);
        CHECK(r->ships[0].cloaked);
        rig_steps(r, 10);
        CHECK_EQ(state(r), 2);
        if (i == 0) r->ships[0].cloaked = false; /* a bit that is newer */
        else sb_combat_cloak(r->combat, RIG_SHIP(0), false);
        CHECK(!r->ships[0].cloaked);
        rig_steps(r, 1);
        CHECK_EQ(state(r), 5);
    }
}

TEST(test_10_10_a_bit_right_after_an_event_counts)
{
    rig *r = cloaker();
    sb_combat_cloak(r->combat, RIG_SHIP(0), true);
    r->ships[0].cloaked = false; /* in the same step */
    rig_steps(r, 1);
    CHECK_EQ(state(r), 0);
}

/* The owner's bit still says on, so only the event can be a new order. */
TEST(test_10_10_an_event_restarts_a_device_that_failed)
{
    rig     *r = cloaker();
    sb_ship *ship = &r->ships[0];
    unsigned device = 0;
    while (ship->model->subsystems[device].type != SB_SUBSYSTEM_CLOAK) device++;
    float whole = ship->condition[device];
    sb_combat_cloak(r->combat, RIG_SHIP(0), true);
    CHECK(ship->on[device]);
    rig_steps(r, 10);
    ship->condition[device] = 0.01f * whole;
    rig_steps(r, 60);
    CHECK_EQ(state(r), 0);
    ship->condition[device] = whole;
    rig_steps(r, 10);
    CHECK_EQ(state(r), 0);
    sb_combat_cloak(r->combat, RIG_SHIP(0), true);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 2);
    sb_combat_cloak(r->combat, RIG_SHIP(0), false);
    CHECK(!ship->on[device]);
}

TEST(test_10_10_without_a_working_device_a_ship_does_not_cloak)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    r->ships[0].cloaked = true;
    rig_steps(r, 2);
    CHECK_EQ(state(r), 0);
    r = cloaker();
    r->ships[0].condition[rig_entry(&r->ships[0], SB_SUBSYSTEM_CLOAK)] = 600; /* 0.75 */
    r->ships[0].cloaked = true;
    rig_steps(r, 2);
    CHECK_EQ(state(r), 0);
}

TEST(test_10_10_a_device_that_is_disabled_decloaks)
{
    rig *r = cloaker();
    r->ships[0].cloaked = true;
    rig_steps(r, 160);
    r->ships[0].condition[rig_entry(&r->ships[0], SB_SUBSYSTEM_CLOAK)] = 600;
    rig_steps(r, 1);
    CHECK_EQ(state(r), 5);
}

TEST(test_10_10_an_empty_battery_decloaks_until_the_owner_asks)
{
    rig *r = rig_strict();
    rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    r->ships[0].cloaked = true;
    rig_steps(r, 160);
    r->ships[0].backup_battery = 5;
    rig_steps(r, 2);
    CHECK_EQ(state(r), 5);
    rig_steps(r, 300);
    CHECK_EQ(state(r), 0);
    r->ships[0].backup_battery = 40000;
    r->ships[0].cloaked = false;
    rig_steps(r, 1);
    r->ships[0].cloaked = true;
    rig_steps(r, 1);
    CHECK_EQ(state(r), 2);
}

/* §4.4, rule stock: a player's ship is never short of power, so its cloak never fails. */
TEST(test_10_10_stock_a_players_cloak_outlasts_its_battery)
{
    rig *r = cloaker();
    r->ships[0].cloaked = true;
    rig_seconds(r, 150); /* the battery lasts for 105 s */
    CHECK_NEAR(r->ships[0].backup_battery, 0, 1);
    CHECK_EQ(state(r), 3);
}

/* RE `main-loop-timing`: a cloak fails below an efficiency of 0.8. */
TEST(test_10_10_a_cloak_fails_below_80_percent_of_its_power)
{
    rig     *r = rig_strict();
    sb_ship *ship = rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    float    wanted = ship->model->subsystems[rig_entry(ship, SB_SUBSYSTEM_CLOAK)].power_per_second;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        ship->on[i] = ship->model->subsystems[i].type == SB_SUBSYSTEM_CLOAK;
    ship->cloaked = true;
    rig_steps(r, 160);
    ship->main_battery = 0; /* takes all that the reactor gives */
    for (unsigned i = 0; i < 60; i++) {
        ship->backup_battery = 0.81f * wanted / 30;
        rig_steps(r, 1);
        CHECK_EQ(state(r), 3);
    }
    ship->backup_battery = 0.79f * wanted / 30;
    rig_steps(r, 1);
    CHECK_EQ(state(r), 5);
}

TEST(test_10_10_energy_matters_only_once_the_ship_is_cloaked)
{
    rig *r = rig_strict();
    rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    r->ships[0].backup_battery = 5;
    r->ships[0].on[rig_entry(&r->ships[0], SB_SUBSYSTEM_REPAIR)] = false;
    for (unsigned i = 0; i < 149; i++) {
        r->ships[0].cloaked = true;
        r->ships[0].main_battery = 80000; /* full: the reactor charges the backup */
        r->ships[0].backup_battery = 0;   /* empty */
        rig_steps(r, 1);
        CHECK_EQ(state(r), 2);
    }
}

TEST(test_10_4_5_with_frozen_batteries_the_cloak_lasts)
{
    rig *r = rig_new();
    r->config.constants.battery_frozen = 1;
    r->config.power = SB_POWER_STRICT;
    rig_start(r, false);
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    r->ships[0].backup_battery = 5;
    r->ships[0].cloaked = true;
    rig_steps(r, 400);
    CHECK_EQ(state(r), 3);
}

TEST(test_10_4_5_cloak_endurance_of_a_bird_of_prey)
{
    rig *r = rig_strict();
    rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    r->ships[0].cloaked = true;
    unsigned steps = 0;
    do {
        rig_steps(r, 1);
        steps++;
    } while (state(r) != 5 && steps < 300 * 30);
    /* 40000 / 380 = 105 s, a little more with what the reactor has left; spec: 77-200 s. */
    CHECK(steps > 77 * 30);
    CHECK(steps < 200 * 30);
}

/* RE `weapon-firing-mechanics`: the first test of a weapon is "fully cloaked". In the other states
 * the owner decides, and all clients show the shots. */
TEST(test_10_10_only_a_hidden_ship_cannot_fire)
{
    static const uint8_t states[] = { 0, 2, 3, 5 };
    for (unsigned i = 0; i < 4; i++) {
        rig *r = cloaker();
        rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 30, 0 });
        r->ships[0].cloaked = states[i] != 0;
        rig_steps(r, states[i] < 3 ? 75 : 160);
        if (states[i] == 5) r->ships[0].cloaked = false;
        rig_steps(r, 1);
        CHECK_EQ(state(r), states[i]);
        rig_fire_tube(r, 0, 6, rig_ahead, RIG_SHIP(1));
        rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
        bool hidden = states[i] == 3;
        CHECK_EQ(r->combat->shot_count, hidden ? 0 : 2);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_CLOAKED_FIRE), hidden ? 2 : 0);
        rig_seconds(r, 4);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT) > 0, !hidden);
    }
}

TEST(test_10_10_beams_stop_when_the_ship_is_hidden)
{
    rig *r = rig_default();
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 30, 0 });
    r->ships[0].cloaked = true;
    rig_steps(r, 140);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 9);
    CHECK_EQ(state(r), 2);
    CHECK(rig_firing_banks(r, 0) > 0);
    rig_steps(r, 1);
    CHECK_EQ(state(r), 3);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
}

TEST(test_10_10_a_ship_that_begins_to_cloak_keeps_firing)
{
    rig *r = rig_default();
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 30, 0 });
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 2);
    r->ships[0].cloaked = true;
    rig_steps(r, 2);
    CHECK_EQ(state(r), 2);
    CHECK(rig_firing_banks(r, 0) > 0);
}

TEST(test_10_6_1_a_fully_cloaked_target_cannot_be_fired_at)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 30, 0 });
    rig_add(r, 1, SOVEREIGN, rig_origin);
    r->ships[0].cloaked = true;
    rig_steps(r, 140);
    rig_start_firing(r, 1, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(0));
    rig_steps(r, 9);
    CHECK_EQ(state(r), 2);
    CHECK(rig_firing_banks(r, 1) > 0); /* visible while it is cloaking */
    rig_steps(r, 1);
    CHECK_EQ(state(r), 3);
    CHECK_EQ(rig_firing_banks(r, 1), 0);
}

/* §10: the first bit after a creation may have either value; it is obeyed. */
TEST(test_10_10_the_bit_right_after_creation_is_obeyed)
{
    for (unsigned on = 0; on < 2; on++)
        for (unsigned late = 0; late < 2; late++) {
            rig     *r = rig_default();
            sb_ship *ship = &r->ships[0];
            sb_ship_init(ship, sb_find_ship(sb_stock_ships(), BIRD_OF_PREY), BIRD_OF_PREY,
                         RIG_SHIP(0));
            ship->cloaked = on && !late; /* in the snapshot, or in the first update */
            CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, r->now), SB_OK);
            if (late) ship->cloaked = on != 0;
            rig_steps(r, 1);
            CHECK_EQ(state(r), on ? 2 : 0);
            rig_steps(r, 149);
            CHECK_EQ(state(r), on ? 3 : 0);
        }
}

/* Only SB_CLOAK_ON hides a ship. */
TEST(test_10_10_a_ship_that_is_decloaking_can_be_fired_at)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 30, 0 });
    rig_add(r, 1, SOVEREIGN, rig_origin);
    r->ships[0].cloaked = true;
    rig_steps(r, 160);
    r->ships[0].cloaked = false;
    rig_steps(r, 1);
    CHECK_EQ(state(r), 5);
    rig_start_firing(r, 1, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(0));
    rig_steps(r, 1);
    CHECK(rig_firing_banks(r, 1) > 0);
    CHECK(!shields(r)); /* they rise a second after SB_CLOAK_OFF */
}

/* ---- edges ---- */

TEST(test_10_10_a_change_names_the_ship_and_no_part)
{
    rig *r = cloaker();
    rig_add(r, 1, BIRD_OF_PREY, (sb_vec3){ 50, 0, 0 });
    sb_combat_cloak(r->combat, RIG_SHIP(1), true);
    rig_steps(r, 1);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_CLOAK, 0);
    CHECK_EQ(e->object_id, RIG_SHIP(1));
    CHECK_EQ(e->child, -1);
    CHECK_EQ(state(r), SB_CLOAK_OFF);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(9)), SB_CLOAK_OFF); /* no such ship */
}

/* A cloak fails with less than cloak_efficiency, not with exactly that. */
TEST(test_10_10_a_cloak_lasts_with_exactly_the_power_it_needs)
{
    rig *r = rig_new();
    r->config.power = SB_POWER_STRICT;
    r->config.constants.cloak_efficiency = 1;
    rig_start(r, false);
    rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    r->ships[0].cloaked = true;
    rig_seconds(r, 7);
    CHECK_EQ(state(r), SB_CLOAK_ON);
}

/* With a cloak_time of 0 each change takes one step. */
TEST(test_10_10_a_cloak_without_delay_changes_in_one_step)
{
    rig *r = rig_new();
    r->config.constants.cloak_time = 0;
    rig_start(r, false);
    rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    for (unsigned i = 0; i < 3; i++) {
        r->ships[0].cloaked = true;
        rig_steps(r, 1);
        CHECK_EQ(state(r), SB_CLOAK_ON);
        r->ships[0].cloaked = false;
        rig_steps(r, 1);
        CHECK_EQ(state(r), SB_CLOAK_OFF);
    }
}

/* The shields would fall a second after the start; the ship is visible again before that. */
TEST(test_10_10_a_short_cloak_leaves_the_shields_up)
{
    rig *r = cloaker();
    r->ships[0].cloaked = true;
    rig_steps(r, 10);
    r->ships[0].cloaked = false;
    rig_steps(r, 10);
    CHECK_EQ(state(r), SB_CLOAK_OFF);
    for (unsigned i = 0; i < 60; i++) {
        rig_steps(r, 1);
        CHECK(shields(r));
    }
}

/* The shields begin to rise when the ship is visible; a new cloak before that leaves them down. */
TEST(test_10_10_a_second_cloak_keeps_the_shields_down)
{
    rig *r = cloaker();
    r->ships[0].cloaked = true;
    rig_steps(r, 160);
    r->ships[0].cloaked = false;
    rig_steps(r, 160); /* visible for 10 steps */
    CHECK_EQ(state(r), SB_CLOAK_OFF);
    r->ships[0].cloaked = true;
    for (unsigned i = 0; i < 90; i++) {
        rig_steps(r, 1);
        CHECK(!shields(r));
    }
}

/* ---- full tables ---- */

TEST(all_orders_of_a_full_ship_end_when_it_is_hidden)
{
    rig *r = rig_full_duel();
    sb_combat_cloak(r->combat, RIG_SHIP(0), true);
    rig_steps(r, 120);
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
    rig_steps(r, 20);
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS) + rig_firing_of(r, FULL_MORE_PHASERS), 2 * FULL_SYSTEM);
    CHECK_EQ(rig_firing_of(r, FULL_TRACTORS), 1);
    rig_steps(r, 10); /* 150 */
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), SB_CLOAK_ON);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
}

/* An order that comes while the ship is hidden waits until it is not. */
TEST(test_10_10_an_order_of_a_hidden_ship_holds_the_fire)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    r->ships[0].cloaked = true;
    rig_seconds(r, 6);
    CHECK_EQ(state(r), SB_CLOAK_ON);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_start_firing(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, RIG_SHIP(1));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_CLOAKED_FIRE), 2);
    rig_steps(r, 3);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    CHECK(!rig_fighter(r, 0)->tractor_fires);
    r->ships[0].cloaked = false;
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
}

/* §15: without power, at level 0, no cloak fails; from level 1 on it does. */
TEST(test_10_15_a_cloak_fails_at_every_level_that_has_power)
{
    for (uint8_t level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        r->config.power = SB_POWER_STRICT;
        r->config.constants.cloak_efficiency = 2; /* more than it can get */
        rig_start(r, false);
        rig_add(r, 0, BIRD_OF_PREY, rig_origin);
        r->ships[0].cloaked = true;
        rig_seconds(r, 6);
        CHECK_EQ(state(r), level == SB_FIDELITY_RELAY ? SB_CLOAK_ON : SB_CLOAK_DISENGAGING);
    }
}
