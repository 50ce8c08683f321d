/* tests/combat/projectiles_test.c -- bolts and torpedoes in flight. Spec 10 §6.3, §6.4. */
#include "rig.h"

#include <string.h>

TEST(test_10_6_3_a_bolt_flies_straight_with_damage_of_its_type)
{
    rig *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1)); /* PulseDisruptor: 220, 55 units/s */
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 40);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_NEAR(hit->amount, 110, 0); /* medium: half of its script damage */
    CHECK_EQ(hit->cause, SB_DAMAGE_BOLT);
    for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
        CHECK_EQ(sb_combat_implausible(r->combat, (sb_implausible)i), 0);
    CHECK_EQ(hit->index, 1);
    CHECK_EQ(r->combat->shot_count, 0);
}

TEST(test_10_6_3_bolts_end_after_their_lifetime)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, rig_origin);
    sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 8, rig_ahead, 0);
    rig_steps(r, 239);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1); /* 8 s */
    CHECK_EQ(r->combat->shot_count, 0);
}

TEST(test_10_6_4_a_torpedo_flies_and_hits)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_fire_tube(r, 0, 3, rig_ahead, RIG_SHIP(1)); /* quantum: 900, 22 units/s */
    rig_steps(r, 30);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    rig_steps(r, 15);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_NEAR(hit->amount, 900, 0);
    CHECK_EQ(hit->cause, SB_DAMAGE_TORPEDO);
    CHECK_EQ(hit->attacker, RIG_OWNER(0));
    CHECK(hit->shields);
}

TEST(test_10_6_4_a_torpedo_of_a_leaver_is_credited_to_nobody)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_fire_tube(r, 0, 3, rig_ahead, RIG_SHIP(1));
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    sb_combat_disown(r->combat, RIG_OWNER(0)); /* another player has the id now */
    rig_steps(r, 45);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->attacker, 0);
}

TEST(test_10_6_4_guidance_turns_at_most_by_the_limit_and_ends)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 500);
    rig_move(r, 1, (sb_vec3){ 500, 0, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1)); /* 0.15 rad/s^2, 6 s */
    rig_steps(r, 30);
    CHECK_NEAR(r->combat->shots[0].direction.x, sin(0.15 / 2), 4e-3);
    rig_steps(r, 60);
    CHECK_NEAR(r->combat->shots[0].direction.x, sin(0.15 * 9 / 2), 1e-2);
    rig_steps(r, 90);
    sb_vec3 at_end = r->combat->shots[0].direction;
    rig_steps(r, 60);
    CHECK_NEAR(r->combat->shots[0].direction.x, at_end.x, 0);
    CHECK_NEAR(sb_v_length(r->combat->shots[0].direction), 1, 1e-5);
}

TEST(test_10_6_4_a_torpedo_aims_at_the_offset_of_its_message)
{
    rig    *r = rig_duel(SOVEREIGN, GALAXY, 100);
    sb_cv4b aim = { { 127, 0, 0 }, 255 }; /* one bounding radius to starboard */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      rig_ahead, RIG_SHIP(1), aim);
    CHECK_NEAR(r->combat->shots[0].aim.x, r->ships[1].model->bound_radius, 1e-4);
    rig_steps(r, 30);
    CHECK(r->combat->shots[0].direction.x > 0.01f);
}

TEST(test_10_6_4_a_torpedo_without_lifetime_flies_30_seconds)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    rig_steps(r, 899);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1);
    CHECK_EQ(r->combat->shot_count, 0);
}

/* A torpedo bursts on the shield ellipsoid (5.58 long) or on the hull behind it. */
TEST(test_10_6_4_a_torpedo_bursts_on_the_shields_or_on_the_hull)
{
    unsigned steps[2];
    for (unsigned up = 0; up < 2; up++) {
        rig *r = rig_duel(SOVEREIGN, GALAXY, 60);
        rig_move(r, 1, (sb_vec3){ 0, 60, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
        r->ships[1].on[rig_entry(&r->ships[1], SB_SUBSYSTEM_SHIELD)] = up != 0;
        rig_fire_tube(r, 0, 3, rig_ahead, RIG_SHIP(1)); /* 22 units/s */
        for (steps[up] = 0; rig_count(r, SB_COMBAT_HIT) == 0; steps[up]++) rig_steps(r, 1);
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), up);
    }
    /* aimed at the Hull entry, it passes under the saucer and meets the deflector at -0.27 */
    CHECK_NEAR((steps[0] - steps[1]) / 30.0, (5.58 + 0.27) / 22, 0.035);
}

/* stbc-oracle torpedo_warbird_front_57_noshields: Sensor Array and tubes, but neither Tractors nor
 * the Shield Generator. */
TEST(test_10_7_a_klingon_torpedo_from_ahead_spares_the_tractors)
{
    rig *r = rig_duel(WARBIRD, GALAXY, 57);
    rig_move(r, 1, (sb_vec3){ 0, 57, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_facings(&r->ships[1], 0);
    r->ships[1].condition[rig_entry(&r->ships[1], SB_SUBSYSTEM_PHASER_SYSTEM)] =
        0; /* as captured */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 12, 6, rig_ahead, RIG_SHIP(1),
                      rig_no_aim); /* learned as the first tube */
    rig_seconds(r, 6);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 6); /* hull, sensors, four tubes */
}

/* A shot that passes through the shields beside the hull bursts there, and misses without them. */
TEST(test_10_6_4_shields_are_larger_than_the_hull)
{
    for (unsigned up = 0; up < 2; up++) {
        rig *r = rig_duel(SOVEREIGN, GALAXY, 60);
        rig_move(r, 1, (sb_vec3){ 0, 60, -1.2f }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
        r->ships[1].on[rig_entry(&r->ships[1], SB_SUBSYSTEM_SHIELD)] = up != 0;
        rig_fire_tube(r, 0, 2, rig_ahead, 0);
        rig_seconds(r, 6);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), up);
    }
}

TEST(test_10_6_4_a_facing_below_the_gate_lets_a_torpedo_pass)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 60);
    r->ships[1].facing[1] = 4000 * 0.09f; /* seen from behind */
    rig_seconds(r, 0.7f);
    float before = r->ships[1].facing[1];
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    rig_seconds(r, 4);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK(!rig_event(r, SB_COMBAT_HIT, 0)->shields);
    CHECK(r->ships[1].facing[1] >= before);
    CHECK_NEAR(rig_event(r, SB_COMBAT_DAMAGED, 0)->amount, 550, 0);
}

TEST(test_10_6_4_projectiles_outlive_their_ship_and_hit_anybody)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 60);
    rig_add(r, 2, AKIRA, (sb_vec3){ 0, 30, 0 });
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1));
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    rig_seconds(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(2));
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->attacker, RIG_OWNER(0));
}

TEST(test_10_6_4_the_first_ship_on_the_way_is_hit)
{
    rig *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    rig_add(r, 2, GALAXY,
            (sb_vec3){ 0, 59.99f, 0 }); /* entered in the same step, a little before */
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
    rig_steps(r, 40);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(2));
}

TEST(test_10_6_4_a_cloaked_target_is_no_longer_followed)
{
    rig *r = rig_duel(SOVEREIGN, BIRD_OF_PREY, 500);
    rig_move(r, 1, (sb_vec3){ 500, 0, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    r->ships[1].cloaked = true;
    rig_steps(r, 100);
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1));
    rig_steps(r, 51); /* cloaked from step 150 on */
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(1)), 3);
    sb_vec3 before = r->combat->shots[0].direction;
    CHECK(before.x > 0.1f);
    rig_steps(r, 30);
    CHECK_NEAR(r->combat->shots[0].direction.x, before.x, 0);
}

TEST(test_10_6_4_the_65th_projectile_of_a_ship_replaces_the_first)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    for (unsigned i = 0; i < 70; i++) {
        rig_weapon(r, 0, "Forward Torpedo 1")->ready = 1;
        rig_weapon(r, 0, "Forward Torpedo 1")->loading = 0;
        rig_weapon(r, 0, "Forward Torpedo 1")->has_fired = false;
        rig_fire_tube(r, 0, 2, (sb_cv3){ (int8_t)i, 127, 0 }, 0);
    }
    CHECK_EQ(r->combat->shot_count, SB_COMBAT_PROJECTILES);
    CHECK_NEAR(r->combat->shots[0].direction.x, 6 / sqrt(6 * 6 + 127 * 127), 1e-4);
}

static uint32_t in_flight_after(uint8_t type, float seconds)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    const sb_projectile_class *figures = sb_find_projectile(sb_stock_projectiles(), type);
    sb_combat_launch(r->combat, rig_fighter(r, 0), rig_weapon(r, 0, "Forward Torpedo 1"), figures,
                     figures->damage, (sb_vec3){ 0, 1, 0 }, NULL, (sb_cv4b){ 0 });
    CHECK_EQ(r->combat->shot_count, 1);
    rig_seconds(r, seconds);
    return r->combat->shot_count;
}

/* The two types that are guided for longer than 30 s, and one other type. */
TEST(test_10_6_4_torpedoes_fly_30_s_or_as_long_as_guided)
{
    static const uint8_t positron[] = { 7, 13 };
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(in_flight_after(positron[i], 39.9f), 1);
        CHECK_EQ(in_flight_after(positron[i], 40.1f), 0);
    }
    CHECK_EQ(in_flight_after(2, 29.9f), 1);
    CHECK_EQ(in_flight_after(2, 30.1f), 0);
}

/* §11.4: when the target leaves the set, the torpedo flies straight on. */
TEST(test_10_6_4_a_torpedo_does_not_follow_into_another_set)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 60, 60, 0 });
    rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1));
    rig_seconds(r, 1.5f);
    sb_vec3 way = r->combat->shots[0].direction;
    CHECK(way.x > 0.1f);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    rig_seconds(r, 1);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK(memcmp(&r->combat->shots[0].direction, &way, sizeof way) == 0);
}

TEST(test_10_5_1_a_torpedo_strikes_the_facing_at_its_impact)
{
    static const struct {
        sb_vec3 from;
        sb_cv3  way;
        uint8_t facing;
    } rows[] = {
        { { 0, 30, 0 }, { 0, -127, 0 }, 0 }, { { 0, -30, 0 }, { 0, 127, 0 }, 1 },
        { { 0, 0, 30 }, { 0, 0, -127 }, 2 }, { { 0, 0, -30 }, { 0, 0, 127 }, 3 },
        { { -30, 0, 0 }, { 127, 0, 0 }, 4 }, { { 30, 0, 0 }, { -127, 0, 0 }, 5 },
    };
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, rows[i].from);
        rig_add(r, 1, SOVEREIGN, rig_origin);
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 14,
                          rows[i].way, RIG_SHIP(1), (sb_cv4b){ 0 });
        rig_seconds(r, 3);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
        CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->index, rows[i].facing);
        CHECK_NEAR(r->ships[1].model->shield_max[rows[i].facing] - 550,
                   rig_event(r, SB_COMBAT_ABSORBED, 0)->left, 0);
    }
}

/* A ship that looks along -x, up +z: its starboard is +y. */
TEST(test_10_6_4_a_torpedo_starts_at_its_tube_inside_its_own_ship)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_move(r, 0, (sb_vec3){ 10, 20, 30 }, (sb_vec3){ -1, 0, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    const float *tube = ship->model->children[rig_child(ship, "Forward Torpedo 1")].position;
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      (sb_cv3){ 127, 0, 0 }, 0, (sb_cv4b){ 0 }); /* backwards, through the ship */
    CHECK(tube[1] != 0);
    CHECK_NEAR(r->combat->shots[0].position.x, 10 - (double)tube[1], 1e-5);
    CHECK_NEAR(r->combat->shots[0].position.y, 20 + (double)tube[0], 1e-5);
    CHECK_NEAR(r->combat->shots[0].position.z, 30 + (double)tube[2], 1e-5);
    rig_seconds(r, 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(r->combat->shot_count, 1);
}

/* ---- full tables ---- */

static void launch(rig *r, unsigned n, unsigned number)
{
    const sb_projectile_class *figures = sb_find_projectile(sb_stock_projectiles(), 2);
    sb_combat_launch(r->combat, rig_fighter(r, n), &rig_fighter(r, n)->weapons[0], figures,
                     (float)number, (sb_vec3){ 0, 0, 1 }, NULL, rig_no_aim);
}

static void check_numbers(const rig *r, unsigned first, unsigned count)
{
    CHECK_EQ(r->combat->shot_count, count);
    for (unsigned i = 0; i < count; i++) CHECK_NEAR(r->combat->shots[i].damage, first + i, 0);
}

TEST(test_10_6_4_all_but_the_oldest_shot_of_a_ship_fly_on)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    for (unsigned i = 0; i < SB_COMBAT_PROJECTILES; i++) launch(r, 0, i);
    check_numbers(r, 0, SB_COMBAT_PROJECTILES);
    for (unsigned i = 0; i < 3; i++) launch(r, 0, SB_COMBAT_PROJECTILES + i);
    check_numbers(r, 3, SB_COMBAT_PROJECTILES);
    launch(r, 1, 500); /* another ship has its own number */
    CHECK_EQ(r->combat->shot_count, SB_COMBAT_PROJECTILES + 1);
    CHECK_NEAR(r->combat->shots[0].damage, 3, 0);
    launch(r, 0, 600); /* replaces number 3, and keeps the shot of the other ship */
    CHECK_EQ(r->combat->shot_count, SB_COMBAT_PROJECTILES + 1);
    CHECK_NEAR(r->combat->shots[0].damage, 4, 0);
    CHECK_NEAR(r->combat->shots[SB_COMBAT_PROJECTILES - 1].damage, 500, 0);
    CHECK_NEAR(r->combat->shots[SB_COMBAT_PROJECTILES].damage, 600, 0);
    for (unsigned i = 0; i < SB_COMBAT_PROJECTILES; i++) launch(r, 0, 700 + i);
    CHECK_EQ(r->combat->shot_count, SB_COMBAT_PROJECTILES + 1);
    CHECK_NEAR(r->combat->shots[0].damage, 500, 0); /* the oldest of all, but not of this ship */
    launch(r, 0, 800);
    CHECK_NEAR(r->combat->shots[0].damage, 500, 0);
    CHECK_NEAR(r->combat->shots[1].damage, 701, 0);
}

/* 512 shots of eight ships: the shot of a ninth replaces the oldest of all. */
TEST(test_10_6_4_a_full_table_drops_the_oldest_shot_of_all)
{
    rig *r = rig_default();
    for (unsigned n = 0; n < 9; n++) rig_add(r, n, SOVEREIGN, (sb_vec3){ (float)n * 90, 0, 0 });
    for (unsigned i = 0; i < 8 * SB_COMBAT_PROJECTILES; i++) launch(r, i % 8, i);
    check_numbers(r, 0, 512);
    launch(r, 8, 512);
    check_numbers(r, 1, 512);
    launch(r, 8, 513);
    check_numbers(r, 2, 512);
    rig_steps(r, 1);
    check_numbers(r, 2, 512);
}

/* ---- edges ---- */

/* Figures of a torpedo that turns by 0.3 rad/s^2 for this long. */
static const sb_projectile_class *guided_for(float seconds)
{
    static sb_projectile_class figures;
    figures = *sb_find_projectile(sb_stock_projectiles(), 2);
    figures.guidance_lifetime = seconds;
    figures.max_angular_accel = 0.3f;
    return &figures;
}

static rig *guided_shot(float seconds)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_move(r, 1, (sb_vec3){ 500, 0, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    sb_combat_launch(r->combat, rig_fighter(r, 0), rig_weapon(r, 0, "Forward Torpedo 1"),
                     guided_for(seconds), 100, (sb_vec3){ 0, 1, 0 }, rig_fighter(r, 1), rig_no_aim);
    return r;
}

/* At the age of its guidance a shot is not guided any more. */
TEST(test_10_6_4_guidance_ends_at_its_age)
{
    const float one_second = 30 * SB_STEP_SECONDS;
    sb_vec3     after[2];
    for (unsigned more = 0; more < 2; more++) {
        rig *r = guided_shot(more ? nextafterf(one_second, 9) : one_second);
        rig_steps(r, 30);
        sb_vec3 before = r->combat->shots[0].direction;
        CHECK_NEAR(before.x, 0.3 * 29 * 15 / 900, 1e-3); /* 0 + 1 + ... + 29 steps */
        rig_steps(r, 1);
        after[more] = r->combat->shots[0].direction;
        CHECK_EQ(memcmp(&after[more], &before, sizeof before) != 0, more);
    }
}

/* A dead target is not followed, nor one that left. */
TEST(test_10_6_4_a_shot_follows_only_a_living_target)
{
    for (unsigned gone = 0; gone < 2; gone++) {
        rig *r = guided_shot(9);
        rig_steps(r, 30);
        sb_vec3 before = r->combat->shots[0].direction;
        CHECK(before.x > 0.1f);
        if (gone) sb_combat_remove_ship(r->combat, RIG_SHIP(1));
        else sb_combat_self_destruct(r->combat, RIG_SHIP(1));
        rig_steps(r, 10);
        CHECK(memcmp(&r->combat->shots[0].direction, &before, sizeof before) == 0);
    }
}

/* A tube whose place is not known stands in the centre; a bolt has no target and no aim. */
TEST(test_10_6_4_a_shot_without_a_muzzle_starts_in_the_centre)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    unsigned   tube = rig_child(&(sb_ship){ .model = &k->model }, "Forward Torpedo 1");
    k->children[tube].has_position = false;
    for (unsigned i = 0; i < 3; i++) k->children[tube].position[i] = NAN;
    rig_add_class(r, 0, &k->model, (sb_vec3){ 4, 5, 6 });
    rig_fire_tube(r, 0, 14, rig_ahead, 0);
    const sb_shot *s = &r->combat->shots[0];
    CHECK(s->position.x == 4 && s->position.y == 5 && s->position.z == 6);
    CHECK(s->aim.x == 0 && s->aim.y == 0 && s->aim.z == 0);
    CHECK_EQ(s->target, 0);
    CHECK_EQ(s->owner, RIG_OWNER(0));
    CHECK_EQ(s->set, RIG_SET);
    CHECK_EQ(s->launcher, RIG_SHIP(0));
}

/* Of two ships that the shot meets at once, the first of the list is hit. */
TEST(test_10_6_4_of_two_ships_at_one_place_the_first_is_hit)
{
    rig *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    rig_add(r, 2, GALAXY, (sb_vec3){ 0, 60, 0 });
    rig_fire_cannon(r, 0, 8, rig_ahead, 0);
    rig_steps(r, 40);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(1));
}

/* A shot that ends between others leaves their order as it was. */
TEST(shots_that_end_leave_the_others_in_order)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    for (unsigned i = 0; i < 5; i++) launch(r, 0, i);
    r->combat->shots[0].life = r->combat->shots[2].life = SB_STEP_SECONDS;
    rig_steps(r, 1);
    static const double left[] = { 1, 3, 4 };
    CHECK_EQ(r->combat->shot_count, 3);
    for (unsigned i = 0; i < 3; i++) CHECK_NEAR(r->combat->shots[i].damage, left[i], 0);
}

/* A lifetime of the script counts, however short; one of 0 is none. */
TEST(test_10_6_4_a_lifetime_of_the_script_counts)
{
    static sb_projectile_class figures;
    static const struct {
        float    lifetime, guidance;
        unsigned steps;
    } rows[] = { { 0.5f, 9, 15 }, { 0, 40, 1200 }, { 0, 2, 900 } };
    for (unsigned i = 0; i < 3; i++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, rig_origin);
        figures = *sb_find_projectile(sb_stock_projectiles(), 2);
        figures.lifetime = rows[i].lifetime;
        figures.guidance_lifetime = rows[i].guidance;
        sb_combat_launch(r->combat, rig_fighter(r, 0), rig_weapon(r, 0, "Forward Torpedo 1"),
                         &figures, 100, (sb_vec3){ 0, 1, 0 }, NULL, rig_no_aim);
        rig_steps(r, rows[i].steps - 1);
        CHECK_EQ(r->combat->shot_count, 1);
        rig_steps(r, 1);
        CHECK_EQ(r->combat->shot_count, 0);
    }
}

/* The point of impact lies exactly at the end of the way of a step, or just behind it. */
TEST(test_10_6_4_a_shot_hits_in_the_step_whose_way_ends_there)
{
    static sb_projectile_class figures;
    static const sb_solid      cube = { SB_SOLID_BOX, { 0, 0, 0 }, { 1, 1, 1 } };
    for (unsigned shields = 0; shields < 2; shields++)
        for (unsigned farther = 0; farther < 2; farther++) {
            rig       *r = rig_default();
            rig_class *k = rig_copy_class(GALAXY);
            figures = *sb_find_projectile(sb_stock_projectiles(), 2);
            figures.launch_speed = 60; /* 2 units a step */
            for (unsigned i = 0; i < 3; i++) {
                k->model.box_centre[i] = 0;
                k->model.box_half[i] = 1;
            }
            k->model.solids = &cube;
            k->model.solid_count = 1;
            rig_add(r, 0, SOVEREIGN, rig_origin);
            rig_add_class(r, 1, &k->model, (sb_vec3){ 0, 8, 0 });
            r->ships[1].on[rig_entry(&r->ships[1], SB_SUBSYSTEM_SHIELD)] = shields != 0;
            sb_combat_launch(r->combat, rig_fighter(r, 0), &rig_fighter(r, 0)->weapons[0], &figures,
                             100, (sb_vec3){ 0, 1, 0 }, NULL, rig_no_aim);
            float surface = shields ? rig_fighter(r, 1)->ellipsoid.half[1] : 1;
            float nearer = farther ? -0.001f : shields ? 0.001f : 0; /* the ellipsoid is rounded */
            r->combat->shots[0].position = (sb_vec3){ 0, 8 - surface - 2 + nearer, 0 };
            rig_steps(r, 1);
            CHECK_EQ(rig_count(r, SB_COMBAT_HIT), !farther);
            rig_steps(r, 1);
            CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
        }
}

/* A shot strikes where its path meets the hull, not where it would have been aimed. */
TEST(test_10_7_a_shot_without_an_aim_strikes_on_its_path)
{
    static sb_projectile_class figures;
    rig                       *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, rig_origin); /* the first ship of the list is hit */
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, -60, 0 });
    sb_vec3 nacelle = sb_v_from(ship->model->children[rig_child(ship, "Star Warp")].position);
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    launch(r, 1, 100);
    r->combat->shots[0].position = (sb_vec3){ nacelle.x, -20, nacelle.z };
    r->combat->shots[0].direction = (sb_vec3){ 0, 1, 0 };
    figures = *r->combat->shots[0].figures;
    figures.launch_speed = 900; /* meets the ship within a step, from far behind */
    r->combat->shots[0].figures = &figures;
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(0));
    CHECK(ship->child_condition[rig_child(ship, "Star Warp")] <
          ship->model->children[rig_child(ship, "Star Warp")].max_condition);
    CHECK_NEAR(ship->child_condition[rig_child(ship, "Port Warp")],
               ship->model->children[rig_child(ship, "Port Warp")].max_condition, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 2); /* and the hull */
}

/* A target without a model is not hit: the torpedo passes the very point that it is aimed at. */
TEST(test_10_6_4_a_shot_at_its_aim_keeps_its_direction)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_add(r, 1, 200, (sb_vec3){ 50, 60, 70 });
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    sb_shot *s = &r->combat->shots[0];
    CHECK_EQ(s->target, RIG_SHIP(1));
    CHECK(s->aim.x == 0 && s->aim.y == 0 && s->aim.z == 0);
    s->position = (sb_vec3){ 50, 60, 70 };
    s->age = 30; /* turns by now */
    rig_steps(r, 1);
    CHECK(s->direction.x == 0 && s->direction.y == 1 && s->direction.z == 0);
    rig_steps(r, 1);
    CHECK(s->direction.y < 1); /* and turns back */
}

/* The shields lie exactly at the end of the way: start 2 radii away, a way of 1. */
TEST(test_10_6_4_a_shot_reaches_shields_at_the_end_of_its_way)
{
    static sb_projectile_class figures;
    rig                       *r = rig_default();
    rig_class                 *k = rig_copy_class(GALAXY);
    figures = *sb_find_projectile(sb_stock_projectiles(), 2);
    for (unsigned i = 0; i < 3; i++) {
        k->model.box_centre[i] = 0;
        k->model.box_half[i] = 1;
    }
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 900, 0, 0 });
    rig_add_class(r, 1, &k->model, rig_origin);
    float radius = rig_fighter(r, 1)->ellipsoid.half[1];
    figures.launch_speed = radius * 29.99f;
    while (figures.launch_speed * SB_STEP_SECONDS < radius)
        figures.launch_speed = nextafterf(figures.launch_speed, 1000);
    CHECK(figures.launch_speed * SB_STEP_SECONDS == radius);
    sb_combat_launch(r->combat, rig_fighter(r, 0), &rig_fighter(r, 0)->weapons[0], &figures, 100,
                     (sb_vec3){ 0, 1, 0 }, NULL, rig_no_aim);
    r->combat->shots[0].position = (sb_vec3){ 0, -2 * radius, 0 };
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}
