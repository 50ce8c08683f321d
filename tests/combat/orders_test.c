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
    r = rig_duel(VORCHA, GALAXY, 60); /* its own are of type 1 */
    rig_fire_cannon(r, 0, 2, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shots[0].figures->type, 1);
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

/* ---- edges ---- */

/* All actions of owners, on ship n. */
static void do_everything(rig *r, unsigned n, uint32_t target)
{
    static const sb_cv4b nose = { { 0, 127, 0 }, 200 };
    uint32_t             ship = RIG_SHIP(n);
    for (uint32_t id = ship; id < ship + 40; id++) {
        sb_combat_start_firing(r->combat, ship, id, target, rig_no_aim);
        sb_combat_torpedo(r->combat, ship, id, 2, rig_ahead, target, rig_no_aim);
        sb_combat_pulse(r->combat, ship, id, 8, rig_ahead, target);
        sb_combat_switch(r->combat, ship, id, false);
        sb_combat_repair_first(r->combat, ship, id, id);
        sb_combat_phaser_level(r->combat, ship, id, 2);
        sb_combat_torpedo_type(r->combat, ship, id, 1);
        sb_combat_stop_firing(r->combat, ship, id, 0);
    }
    sb_combat_target(r->combat, ship, target);
    sb_combat_cloak(r->combat, ship, true);
    sb_combat_self_destruct(r->combat, ship);
    sb_combat_collision(r->combat, ship, 0, ship, &nose, 1, 5, r->now);
}

/* The message may be late: its ship is dead, gone, or was never known. */
TEST(actions_of_ships_that_cannot_act_change_nothing)
{
    enum { UNKNOWN = 200 };
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 1);
    rig_forget(r);
    uint64_t before = sb_combat_state_hash(r->combat);
    do_everything(r, 0, RIG_SHIP(1)); /* a wreck */
    do_everything(r, 9, RIG_SHIP(1)); /* never there */
    CHECK_EQ(sb_combat_state_hash(r->combat) == before, true);
    CHECK_EQ(r->event_count, 0);
    rig_add(r, 2, UNKNOWN, (sb_vec3){ 0, 90, 0 }); /* can only die */
    do_everything(r, 2, RIG_SHIP(1));
    CHECK_EQ(r->event_count, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
}

/* Below level 2 nothing flies. Tubes and cannons are still watched: three shots at once from one
 * tube and one cannon are two too many of each. */
TEST(test_10_15_below_level_2_shots_are_watched_and_do_nothing)
{
    for (uint8_t level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_COLLISIONS; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, VORCHA, rig_origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        for (unsigned i = 0; i < 3; i++) {
            rig_fire_tube(r, 0, 6, rig_ahead, RIG_SHIP(1));
            rig_fire_cannon(r, 0, 1, rig_ahead, RIG_SHIP(1));
        }
        CHECK_EQ(r->combat->shot_count, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 2);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_RATE), 2);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 4);
        CHECK_EQ(rig_weapon(r, 0, "Fwd Torpedo 1")->ready, 0);
        rig_seconds(r, 60);
        CHECK_EQ(rig_weapon(r, 0, "Fwd Torpedo 1")->ready, 1); /* loaded again */
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    }
}

/* §6.2: cannons charge by the slider of their owner, also where nothing draws power. */
TEST(test_10_15_at_level_0_a_cannon_charges_by_its_slider)
{
    static const float sliders[] = { 0.5f, 1.0f, 1.25f, 2.0f },
                       possible[] = { 0.5f, 1, 1.25f, 1.25f };
    float gain[4];
    for (unsigned i = 0; i < 4; i++) {
        rig *r = rig_new();
        r->config.fidelity = SB_FIDELITY_RELAY;
        rig_start(r, false);
        sb_ship   *ship = rig_add(r, 0, VORCHA, rig_origin);
        sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
        float      battery = ship->main_battery;
        ship->power_wanted[w->system] = sliders[i];
        w->charge = 0;
        rig_seconds(r, 1);
        gain[i] = w->charge;
        CHECK_NEAR(ship->main_battery, battery, 0);
    }
    for (unsigned i = 0; i < 4; i++) CHECK_NEAR(gain[i], gain[1] * possible[i], 1e-4);
}

/* §6.3: whatever bolt the message names, the ship fires its own; a torpedo's type is what stock
 * clients send. */
TEST(test_10_6_3_a_ship_fires_its_own_bolts)
{
    static const uint8_t types[] = { 1, 2, 8, 11, 200 }; /* Vor'cha: 1 */
    for (unsigned i = 0; i < sizeof types; i++) {
        rig *r = rig_default();
        rig_add(r, 0, VORCHA, rig_origin);
        rig_fire_cannon(r, 0, types[i], rig_ahead, 0);
        CHECK_EQ(r->combat->shot_count, 1);
        CHECK_EQ(r->combat->shots[0].figures->type, 1);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_BOLT_TYPE), i == 2 || i == 3);
    }
}

/* What the weapon or its system needs, and what it has. */
TEST(plausibility_the_evidence_of_a_closed_gate)
{
    static const struct {
        bool   on;
        float  system, tube; /* shares of their conditions */
        double claimed, possible;
    } rows[] = { { false, 1, 1, 1, 0 },
                 { false, 0.1f, 0.1f, 1, 0 },
                 { true, 0.25f, 1, 0.75, 0.25 },
                 { true, 1, 0.125f, 0.75, 0.125 } };
    for (unsigned i = 0; i < 4; i++) {
        rig     *r = rig_duel(SOVEREIGN, GALAXY, 60);
        sb_ship *ship = &r->ships[0];
        unsigned system = rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM);
        unsigned tube = rig_child(ship, "Forward Torpedo 1");
        CHECK_NEAR(ship->model->subsystems[system].disabled_below, 0.75, 0);
        CHECK_NEAR(ship->model->children[tube].disabled_below, 0.75, 0);
        ship->on[system] = rows[i].on;
        ship->condition[system] *= rows[i].system;
        ship->child_condition[tube] *= rows[i].tube;
        rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
        CHECK_EQ(r->combat->shot_count, 0);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 1);
        const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
        CHECK_EQ(e->index, SB_IMPLAUSIBLE_WEAPON_GATE);
        CHECK_NEAR(e->claimed, rows[i].claimed, 1e-6);
        CHECK_NEAR(e->possible, rows[i].possible, 1e-6);
    }
}

TEST(plausibility_cloaking_without_a_device_is_counted)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_cloak(r->combat, RIG_SHIP(0), false);
    CHECK_EQ(r->event_count, 0);
    sb_combat_cloak(r->combat, RIG_SHIP(0), true);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_CLOAK), 1);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK(e->claimed == 1 && e->possible == 0);
    CHECK(!r->ships[0].cloaked);
}

TEST(plausibility_the_fire_of_a_hidden_ship_is_evidence)
{
    rig *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    r->ships[0].cloaked = true;
    rig_seconds(r, 6);
    rig_fire_tube(r, 0, 6, rig_ahead, RIG_SHIP(1));
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_CLOAKED_FIRE);
    CHECK(e->claimed == SB_CLOAK_ON && e->possible == SB_CLOAK_OFF);
}

/* An empty tube: the time since its shot and the time that it needs. */
TEST(plausibility_the_evidence_of_a_tube_that_reloads)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    rig_steps(r, 20);
    rig_fire_tube(r, 0, 14, rig_ahead, 0);
    rig_seconds(r, 3);
    rig_fire_tube(r, 0, 14, rig_ahead, 0);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_TORPEDO_RATE);
    CHECK_NEAR(e->claimed, 3, 1e-4);
    CHECK_NEAR(e->possible, 40, 1e-4);
}

/* A tube with a second torpedo: the time between two shots, less the tolerance. */
TEST(plausibility_the_evidence_of_a_tube_that_fires_too_fast)
{
    rig *r = rig_default();
    rig_add(r, 0, GALOR, rig_origin); /* two ready, 1.5 s */
    for (unsigned i = 0; i < 2; i++) {
        sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 9, 5, rig_ahead, 0, rig_no_aim);
        rig_steps(r, 15);
    }
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_TORPEDO_RATE);
    CHECK_NEAR(e->claimed, 0.5, 1e-5);
    CHECK_NEAR(e->possible, 1.4, 1e-5);
}

TEST(plausibility_the_evidence_of_missing_ammunition)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    for (unsigned i = 0; i < k->model.ordnance_count; i++) k->ordnance[i].max_torpedoes = 0;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_fire_tube(r, 0, 14, rig_ahead, 0);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_AMMUNITION);
    CHECK(e->claimed == 1 && e->possible == 0);
}

/* A Vor'cha's cannon cools down for 0.8 s; a bolt costs 1 of charge, the first one needs 3.4. */
TEST(plausibility_the_evidence_of_a_cannon)
{
    rig       *r = rig_duel(VORCHA, GALAXY, 60);
    sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
    rig_steps(r, 20);
    w->charge = 0.5f;
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_PULSE_CHARGE);
    CHECK(e->claimed == w->figures->min_firing_charge && e->possible == 0.5f);
    w->charge = w->figures->max_charge;
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    rig_steps(r, 6);
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 1);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_PULSE_RATE);
    CHECK_NEAR(e->claimed, 0.2, 1e-6);
    CHECK(e->possible == w->figures->cooldown_time);
    rig_seconds(r, 1);
    w->charge = 0.25f;
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 2);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_PULSE_CHARGE);
    CHECK(e->claimed == 1 && e->possible == 0.25f);
}

/* Exactly the charge that is needed, less the tolerance, is enough; all of it is spent, and what
 * was missing is owed. */
TEST(test_10_6_3_a_bolt_needs_its_charge_less_the_tolerance)
{
    for (unsigned less = 0; less < 2; less++) {
        rig       *r = rig_duel(VORCHA, GALAXY, 60);
        sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
        float      needed = w->figures->min_firing_charge - 0.25f;
        w->charge = less ? nextafterf(needed, 0) : needed;
        rig_fire_cannon(r, 0, 1, rig_ahead, 0);
        CHECK_EQ(r->combat->shot_count, !less);
    }
    rig       *r = rig_duel(VORCHA, GALAXY, 60);
    sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
    w->in_burst = true;
    w->charge = 0.75f; /* a bolt costs 1 */
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK_NEAR(w->charge, 0, 0);
    CHECK_NEAR(w->owed, 0.25, 0);
    rig_steps(r, 1);
    CHECK(w->owed < 0.25f && w->charge == 0); /* the debt is paid first */
    for (unsigned i = 0; w->owed > 0; i++) {
        CHECK(i < 300 && w->charge == 0);
        rig_steps(r, 1);
    }
    CHECK(w->charge > 0);
}

/* Messages of shots arrive unevenly. Whoever fires as early as the allowance permits, again and
 * again, has one allowance in all. */
TEST(test_10_6_3_the_allowance_for_lag_counts_once)
{
    unsigned shots[2] = { 0 };
    for (unsigned early = 0; early < 2; early++) {
        rig       *r = rig_duel(VORCHA, GALAXY, 60); /* cool-down 0.8 s */
        sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
        rig_fighter(r, 0)->constants.cooldown_tolerance = early ? 0.35f : 0;
        for (unsigned i = 0; i < 60 * 30; i++) {
            uint32_t before = w->fired_at;
            bool     fired = w->has_fired;
            w->charge = w->figures->max_charge;
            rig_fire_cannon(r, 0, 1, rig_ahead, 0);
            shots[early] += !fired || w->fired_at != before;
            rig_steps(r, 1);
        }
    }
    CHECK_EQ(shots[0], 75);
    CHECK_EQ(shots[1], 76); /* the last one, which is due after 60 s */
}

/* The same with two torpedoes in a tube. */
TEST(test_10_6_4_the_allowance_for_lag_counts_once)
{
    rig *r = rig_default();
    rig_add(r, 0, GALOR, rig_origin); /* two ready, 1.5 s */
    for (unsigned i = 0; i < 43; i++) {
        sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 9, 5, rig_ahead, 0, rig_no_aim);
        rig_steps(r, 1);
    }
    const sb_weapon *w = &rig_fighter(r, 0)->weapons[4];
    CHECK_EQ(w->loading, 2);
    CHECK_EQ(w->fired_at, 45); /* fired in step 42 */
    CHECK_EQ(w->loaded_at[1] - w->loaded_at[0], 42);
}

/* The direction with this angle from +y toward +x. */
static sb_cv3 at_angle(double radians)
{
    return (sb_cv3){ (int8_t)(127 * sin(radians)), (int8_t)(127 * cos(radians)), 0 };
}

static double angle_of(sb_cv3 way)
{
    return atan2((double)way.x, (double)way.y);
}

/* §6.4: a torpedo leaves into the half space before its tube, widened by 0.09 rad; beyond that, a
 * turn of 3 s (a Sovereign: 0.3 rad/s) explains it, or nothing does. */
TEST(plausibility_torpedoes_out_of_their_half_space)
{
    static const struct {
        double angle;
        int    kind; /* sb_implausible; -1: none */
    } rows[] = { { 1.5, -1 },
                 { 1.64, -1 },
                 { 1.68, SB_IMPLAUSIBLE_ARC },
                 { 2.4, SB_IMPLAUSIBLE_ARC },
                 { 2.55, SB_IMPLAUSIBLE_BEHIND } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig *r = rig_new();
        r->config.fidelity = SB_FIDELITY_ENFORCE;
        rig_start(r, false);
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
        sb_cv3   way = at_angle(rows[i].angle);
        CHECK_NEAR(ship->model->max_angular_velocity, 0.3, 1e-6);
        rig_fire_tube(r, 0, 14, way, 0);
        CHECK_EQ(r->combat->shot_count, rows[i].kind < 0);
        const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
        CHECK_EQ(e != NULL, rows[i].kind >= 0);
        if (!e) continue;
        CHECK_EQ(e->index, rows[i].kind);
        CHECK_NEAR(e->claimed, angle_of(way), 1e-5);
        CHECK_NEAR(e->possible, 1.57079633, 1e-6);
    }
}

/* A tube whose id is learned may be any of them: one that looks aft is among them. */
TEST(plausibility_a_torpedo_may_leave_any_tube_without_an_id)
{
    for (unsigned known = 0; known < 2; known++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        unsigned system = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_TORPEDO_SYSTEM);
        unsigned first = k->entries[system].first_child;
        uint32_t tube = RIG_SHIP(0) + 1 + (uint32_t)k->children[first].creation_index;
        for (unsigned i = 0; i < k->entries[system].child_count && !known; i++)
            k->children[first + i].creation_index = -1;
        rig_add_class(r, 0, &k->model, rig_origin);
        sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 14, (sb_cv3){ 0, -127, 0 }, 0, rig_no_aim);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), known);
        CHECK_EQ(r->combat->shot_count, 1);
        for (unsigned i = 0; i < k->model.child_count; i++) { /* other weapons look aft, too */
            k->children[i].creation_index = -1;
            if (k->children[i].type == SB_SUBSYSTEM_TORPEDO_TUBE) k->figures[i].forward[1] = 1;
        }
        r = rig_default();
        rig_add_class(r, 0, &k->model, rig_origin);
        sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 14, (sb_cv3){ 0, -127, 0 }, 0, rig_no_aim);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 1);
    }
}

/* A cannon's arc: the wider of its two sides is the evidence. */
TEST(plausibility_the_evidence_of_a_bolt_out_of_its_arc)
{
    static const float widths[2][2] = { { -0.5f, 0.25f }, { -0.25f, 0.5f } };
    for (unsigned i = 0; i < 4; i++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(VORCHA);
        unsigned   cannon = rig_child(&(sb_ship){ .model = &k->model }, "Port Cannon");
        bool       behind = i >= 2;
        k->figures[cannon].arc_width[0] = widths[i % 2][0];
        k->figures[cannon].arc_width[1] = widths[i % 2][1];
        rig_add_class(r, 0, &k->model, rig_origin);
        sb_cv3 way = at_angle(behind ? 1.4 : 1.0);
        CHECK_NEAR(3 * k->model.max_angular_velocity, 0.66, 1e-6);
        rig_fire_cannon(r, 0, 1, way, 0);
        const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
        CHECK(e);
        CHECK_EQ(e->index, behind ? SB_IMPLAUSIBLE_BEHIND : SB_IMPLAUSIBLE_ARC);
        CHECK_NEAR(e->claimed, angle_of(way), 1e-5);
        CHECK_NEAR(e->possible, 0.5, 0);
    }
}

/* A change of the aim alone keeps the beam; another target is a new order. */
TEST(test_10_6_2_a_second_order_moves_aim_and_target)
{
    rig     *r = rig_ambush();
    sb_cv4b  aim = { { 1, 2, 3 }, 4 };
    unsigned phasers = rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM);
    uint32_t id = rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    sb_combat_start_firing(r->combat, RIG_SHIP(0), id, RIG_SHIP(1), aim);
    CHECK_EQ(rig_fighter(r, 0)->aim[phasers].magnitude_code, 4);
    CHECK_EQ(rig_fighter(r, 0)->aimed_at[phasers], RIG_SHIP(1));
    sb_combat_start_firing(r->combat, RIG_SHIP(0), id, RIG_SHIP(2), rig_no_aim);
    CHECK_EQ(rig_fighter(r, 0)->aim[phasers].magnitude_code, 0);
    CHECK_EQ(rig_fighter(r, 0)->aimed_at[phasers], RIG_SHIP(2));
    CHECK_EQ(rig_fighter(r, 0)->ordered, 1u << phasers);
}

/* An order at the own ship keeps the last known target, but holds the fire. */
TEST(an_order_at_the_own_ship_fires_at_nobody)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    sb_combat_target(r->combat, RIG_SHIP(0), RIG_SHIP(1));
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(0));
    CHECK_EQ(rig_fighter(r, 0)->target, RIG_SHIP(1));
    rig_steps(r, 2);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    sb_combat_target(r->combat, RIG_SHIP(0), RIG_SHIP(0));
    CHECK_EQ(rig_fighter(r, 0)->target, 0);
}

/* A torpedo at a target in another set, or one that is hidden, does not leave. */
TEST(test_10_6_1_torpedoes_need_a_target_that_can_be_hit)
{
    rig *r = rig_duel(SOVEREIGN, BIRD_OF_PREY, 60);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET, r->now);
    r->ships[1].cloaked = true;
    rig_seconds(r, 6);
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    r->ships[1].cloaked = false;
    rig_steps(r, 1);
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK_EQ(r->combat->shots[0].target, RIG_SHIP(1));
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
}

/* A class that lists no torpedoes fires what the message names, if it is one. */
TEST(test_10_6_4_a_class_without_ordnance_fires_what_is_named)
{
    static const struct {
        uint8_t type;
        bool    flies;
    } rows[] = { { 2, true }, { 8, false }, { 99, false } }; /* photon, a bolt, unknown */
    for (unsigned i = 0; i < 3; i++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        k->model.ordnance_count = 0;
        rig_add_class(r, 0, &k->model, rig_origin);
        rig_fire_tube(r, 0, rows[i].type, rig_ahead, 0);
        CHECK_EQ(r->combat->shot_count, rows[i].flies);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
        sb_combat_torpedo_type(r->combat, RIG_SHIP(0),
                               rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1), 7);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0); /* no list, no limit */
    }
}

/* The slot that is claimed, and the last one of the list. */
TEST(plausibility_the_evidence_of_a_slot_that_is_not_there)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1),
                           9);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_EQ(e->index, SB_IMPLAUSIBLE_TORPEDO_TYPE);
    CHECK_NEAR(e->claimed, 9, 0);
    CHECK_NEAR(e->possible, 2, 0);
}

/* ---- full tables ---- */

TEST(an_order_to_stop_ends_the_burst_of_every_cannon)
{
    rig *r = rig_full_duel();
    for (int i = 0; i < FULL_SYSTEM; i++)
        sb_combat_pulse(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_CANNONS, i), 1, rig_ahead, 0);
    const sb_weapon *cannons = &rig_fighter(r, 0)->weapons[FULL_SYSTEM];
    for (unsigned i = 0; i < FULL_SYSTEM; i++) CHECK(cannons[i].in_burst);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_PHASERS, -1),
                          0); /* another */
    for (unsigned i = 0; i < FULL_SYSTEM; i++) CHECK(cannons[i].in_burst);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_CANNONS, -1), 0);
    for (unsigned i = 0; i < FULL_SYSTEM; i++) CHECK(!cannons[i].in_burst);
}

/* Orders that name the last entry of the longest list. */
TEST(the_last_entry_takes_orders_like_any_other)
{
    rig     *r = rig_full_duel();
    sb_ship *ship = &r->ships[0];
    uint32_t last = rig_entry_id(r, FULL_MORE_PHASERS, -1);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), last, 2);
    CHECK_EQ(ship->setting[FULL_MORE_PHASERS], 2);
    CHECK_EQ(ship->setting[FULL_PHASERS], 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), last, false);
    CHECK(!ship->on[FULL_MORE_PHASERS]);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_TRACTORS, 0),
                     false); /* a child */
    CHECK(ship->on[FULL_TRACTORS]);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
}

/* Every slot of the list can be chosen, back and forth. */
TEST(test_10_6_4_every_slot_of_the_class_can_be_chosen)
{
    static const uint8_t slots[] = { 1, 0, 2, 0 };
    rig                 *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    for (unsigned i = 0; i < 4; i++) {
        unsigned entry = rig_entry(&r->ships[0], SB_SUBSYSTEM_TORPEDO_SYSTEM);
        sb_combat_torpedo_type(r->combat, RIG_SHIP(0), rig_entry_id(r, entry, -1), slots[i]);
        CHECK_EQ(r->ships[0].setting[entry], slots[i]);
    }
    CHECK_EQ(r->event_count, 0);
}

/* The index of tube 0, which is said to have fired, and of the only tube that looks aft. */
TEST(plausibility_tubes_with_an_index_are_no_other_tubes)
{
    static const struct {
        int16_t  fired, aft;
        unsigned counted;
    } rows[] = { { -1, -1, 0 }, { 0, -1, 1 }, { -1, 0, 1 }, { 6, -1, 1 }, { -1, 6, 1 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        unsigned system = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_TORPEDO_SYSTEM);
        unsigned first = k->entries[system].first_child;
        uint32_t own = (uint32_t)k->children[first].creation_index;
        for (unsigned n = 0; n < 6; n++) k->figures[first + n].forward[1] = n == 5 ? -1 : 1;
        k->entries[0].creation_index = -1; /* the hull had the 0 */
        k->children[first].creation_index = rows[i].fired;
        k->children[first + 5].creation_index = rows[i].aft;
        rig_add_class(r, 0, &k->model, rig_origin);
        if (rows[i].fired >= 0) own = (uint32_t)rows[i].fired;
        else if (rows[i].aft == (int16_t)own) own = 0; /* free: the hull has lost it */
        sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + own, 14, (sb_cv3){ 0, -127, 0 },
                          0, rig_no_aim);
        CHECK_EQ(r->combat->shot_count, 1);
        CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), rows[i].counted);
    }
}

/* A class with one slot. */
TEST(plausibility_a_second_slot_of_a_class_with_one_is_counted)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(VORCHA);
    CHECK_EQ(k->ordnance[1].system_type, SB_SUBSYSTEM_PULSE_SYSTEM);
    k->ordnance[1].slot = 1; /* of bolts: not one of torpedoes */
    rig_add_class(r, 0, &k->model, rig_origin);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1),
                           1);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_TYPE), 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->claimed, 1, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->possible, 0, 0);
}

/* Exactly abeam is before the tube; exactly as far behind as a turn of 3 s explains is late. */
TEST(plausibility_the_bounds_of_a_torpedos_direction)
{
    const float quarter = 1.57079633f;
    rig        *r = rig_new();
    rig_class  *k = rig_copy_class(SOVEREIGN);
    r->config.constants.arc_tolerance = 0;
    rig_start(r, false);
    k->model.max_angular_velocity = quarter / 3 * 0.999f;
    while (3.0f * k->model.max_angular_velocity < quarter)
        k->model.max_angular_velocity = nextafterf(k->model.max_angular_velocity, 9);
    CHECK(3.0f * k->model.max_angular_velocity == quarter);
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_fire_tube(r, 0, 14, (sb_cv3){ 127, 0, 0 }, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
    rig_fire_tube(r, 1, 14, (sb_cv3){ 0, -127, 0 }, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_ARC), 1);
    CHECK(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->claimed == quarter + quarter);
}
