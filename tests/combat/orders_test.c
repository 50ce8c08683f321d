/* tests/combat/orders_test.c -- actions of owners: targets, implausible shots. Spec 10 §6, §11.2.
 */
#include "rig.h"

TEST(test_10_6_2_0x07_comes_twice_and_0x08_ends_it)
{
    rig     *r = rig_duel(VORCHA, GALAXY, 30);
    uint32_t phasers = rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 20);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1)); /* no new wind-up */
    rig_steps(r, 16);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), phasers, RIG_SHIP(5)); /* another target */
    rig_steps(r, 16);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), phasers, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), phasers, 0);
    rig_seconds(r, 2);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
}

TEST(test_10_6_2_an_order_without_target_takes_the_last_known)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 0,
                           (sb_cv4b){ 0 });
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    sb_combat_target(r->combat, RIG_SHIP(0), RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK(rig_firing_banks(r, 0) > 0);
    sb_combat_target(r->combat, RIG_SHIP(0), 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
}

TEST(a_ship_cannot_fire_at_itself)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(0));
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(0));
    CHECK_EQ(rig_fighter(r, 0)->target, 0);
    rig_seconds(r, 2);
    for (size_t i = 0; i < r->event_count; i++) CHECK(r->events[i].object_id != RIG_SHIP(0));
}

TEST(test_10_6_3_a_type_that_is_no_bolt_means_the_ships_own)
{
    rig *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    rig_fire_cannon(r, 0, 2, rig_ahead, RIG_SHIP(1)); /* captured: 2, which names a torpedo */
    CHECK_EQ(r->combat->shots[0].figures->type, 8);
    rig_fire_cannon(r, 1, 200, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shots[1].figures->type, 8);
}

TEST(plausibility_bolts_out_of_arc_are_counted_level_3_stops_them)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, BIRD_OF_PREY, rig_origin);
        sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 8, (sb_cv3){ 0, -127, 0 }, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_BEHIND), 1);
        CHECK_EQ(r->combat->shot_count, level == SB_FIDELITY_WEAPONS);
    }
}

/* A Sovereign's banks do full damage up to 70 units. */
TEST(plausibility_no_range_of_a_beam_is_too_far)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 600, 0 });
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_seconds(r, 2);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
        CHECK(rig_count(r, SB_COMBAT_HIT) > 0);
    }
}

TEST(plausibility_weapons_the_ship_does_not_have_are_counted)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 6, 8, rig_ahead, 0); /* a tube */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 0, 2, rig_ahead, 0,
                      rig_no_aim); /* hull */
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 2, RIG_SHIP(1),
                           (sb_cv4b){ 0 });
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 3);
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    /* An id of another ship is not implausible: the message may be late. */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(1) + 7, 2, rig_ahead, 0, rig_no_aim);
    sb_combat_torpedo(r->combat, RIG_SHIP(0), 0, 2, rig_ahead, 0, rig_no_aim);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 3);
}

TEST(test_10_6_4_an_unknown_type_means_the_ships_own)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 300);
    rig_fire_tube(r, 0, 99, rig_ahead, 0);
    CHECK_EQ(r->combat->shots[0].figures->type, 14); /* PhotonTorpedo2 */
    r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_TORPEDO_SYSTEM)] = 1;
    rig_fire_tube(r, 1, 99, rig_ahead, 0);
    CHECK_EQ(r->combat->shots[1].figures->type, 3);
}

TEST(test_10_6_1_torpedoes_fly_at_scenery_but_not_at_dead_ships)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_WEAPON_GATE), 0); /* a late shot */
    rig_fire_tube(r, 0, 2, rig_ahead, 0x00000123);
    CHECK_EQ(r->combat->shot_count, 1);
}

TEST(test_10_6_4_a_direction_of_zero_is_ignored)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_fire_tube(r, 0, 2, (sb_cv3){ 0, 0, 0 }, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(rig_weapon(r, 0, "Forward Torpedo 1")->ready, 1);
}

TEST(test_10_6_4_a_bolt_from_a_tube_is_counted_level_3_stops_it)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_fire_tube(r, 0, 11, rig_ahead, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_TYPE), 1);
        CHECK_EQ(r->combat->shot_count, level == SB_FIDELITY_WEAPONS);
    }
}

/* A Bird of Prey carries type 6. Every other one is counted; at level 3 it does not fly, and at
 * level 2 it flies as type 6, so that it gains nothing. */
TEST(test_10_6_4_a_tube_fires_only_what_the_class_carries)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++)
        for (unsigned type = 0; type < 256; type++) {
            rig *r = rig_new();
            r->config.fidelity = level;
            rig_start(r, false);
            rig_add(r, 0, BIRD_OF_PREY, rig_origin);
            rig_fire_tube(r, 0, (uint8_t)type, rig_ahead, 0);
            bool own = type == 6;
            CHECK_EQ(r->combat->shot_count, own || level == SB_FIDELITY_WEAPONS);
            if (r->combat->shot_count) CHECK_EQ(r->combat->shots[0].figures->type, 6);
            CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_TYPE), !own);
            if (own) continue;
            const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
            CHECK(e->claimed == (float)type && e->possible == 6);
        }
}

/* A Sovereign's tubes hold type 14 until TorpedoTypeChange and its 40 s: to fire type 3 at once
 * would save the time. */
TEST(test_10_6_4_a_tube_fires_only_what_it_has_loaded)
{
    rig *r = rig_new();
    r->config.fidelity = SB_FIDELITY_ENFORCE;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_fire_tube(r, 0, 3, rig_ahead, 0);
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_TYPE), 1);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1),
                           1);
    rig_seconds(r, 41);
    rig_fire_tube(r, 0, 3, rig_ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_TYPE), 1);
}

TEST(test_10_6_4_a_slot_that_the_class_lacks_is_counted)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, rig_origin);
        uint32_t system = rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1);
        sb_combat_torpedo_type(r->combat, RIG_SHIP(0), system, 3);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_TYPE), 1);
        unsigned entry = rig_entry(&r->ships[0], SB_SUBSYSTEM_TORPEDO_SYSTEM);
        CHECK_EQ(r->ships[0].setting[entry], level == SB_FIDELITY_ENFORCE ? 0 : 3);
    }
}

TEST(test_10_6_4_torpedoes_do_not_leave_a_tube_backward)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_fire_tube(r, 0, 14, (sb_cv3){ 0, -127, 0 }, 0);
        CHECK_EQ(r->combat->shot_count, level != SB_FIDELITY_ENFORCE);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_BEHIND), 1);
        rig_fire_tube(r, 1, 14, (sb_cv3){ 127, 0, 0 }, 0); /* abeam: a spread may be wide */
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_BEHIND), 1);
    }
}

static void stop_beams(rig *r, uint32_t target)
{
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                          target);
}

/* The captured 0x07 has target 0. */
TEST(test_10_6_2_last_known_target_comes_from_an_earlier_0x07)
{
    rig *r = rig_ambush();
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    stop_beams(r, 0);
    CHECK_EQ(rig_beam_victim(r), 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 0);
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(1));
    stop_beams(r, 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(2));
    stop_beams(r, 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 0);
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(2));
}

TEST(test_10_6_2_last_known_target_comes_from_a_torpedo)
{
    rig *r = rig_ambush();
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 0);
    CHECK_EQ(rig_beam_victim(r), 0);
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(2));
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(2));
}

TEST(test_10_6_2_last_known_target_comes_from_a_bolt)
{
    rig *r = rig_ambush();
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 0);
    CHECK_EQ(rig_beam_victim(r), 0);
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(2));
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(2));
}

/* A change of the last known target does not affect an order with a target of its own. */
TEST(test_10_6_2_beams_with_a_target_of_their_own_stay_on_it)
{
    rig *r = rig_ambush();
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    sb_combat_target(r->combat, RIG_SHIP(0), RIG_SHIP(2));
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(1));
    stop_beams(r, RIG_SHIP(2));
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(1));
    sb_combat_self_destruct(r->combat, RIG_SHIP(2));
    CHECK_EQ(rig_beam_victim(r), RIG_SHIP(1));
    stop_beams(r, RIG_SHIP(1));
    CHECK_EQ(rig_beam_victim(r), 0);
}
