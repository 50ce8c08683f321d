/* tests/combat/death_test.c -- dying, wrecks, self-destruct, splash, credit. Spec 10 §12, §13. */
#include "rig.h"

static void hit_hull(rig *r, unsigned n, sb_damage_source by, float hp)
{
    sb_fighter *f = rig_fighter(r, n);
    rig_facings(f->ship, 0);
    sb_combat_strike(
        r->combat, f,
        &(sb_strike){ .by = by, .start = { 0, 0, -100 }, .at = { 0, 0, -50 }, .damage = hp });
}

TEST(test_10_12_4_self_destruct_takes_the_hull_and_nothing_else)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 1);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 0, 0);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)], 7000, 0);
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 0);
    CHECK(death);
    CHECK_EQ(death->attacker, 0);
    CHECK_EQ(death->attacker_ship, 0);
    CHECK_EQ(death->cause, SB_DAMAGE_SELF_DESTRUCT);
    CHECK_NEAR(death->lifetime, 9.5, 0); /* trace E */
    const sb_combat_event *added = rig_event(r, SB_COMBAT_REPAIR_ADDED, 0);
    CHECK(added);
    CHECK(death < added);
    CHECK_EQ(added->subsystem_id, RIG_SHIP(0) + 1); /* the first announced object of E */
}

TEST(test_10_12_4_self_destruct_needs_a_ship_and_works_once)
{
    rig *r = rig_default();
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
}

/* A mod's ship: nothing is known but its motion. */
TEST(test_10_12_4_a_ship_without_data_explodes_too)
{
    enum { UNKNOWN = 200 };
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, UNKNOWN, (sb_vec3){ 0, 0, 0 });
    CHECK(!ship->model);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 0);
    CHECK_EQ(death->attacker, 0);
    CHECK_EQ(death->cause, SB_DAMAGE_SELF_DESTRUCT);
    CHECK_NEAR(death->lifetime, 9.5, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 0);
    rig_steps(r, 284);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
}

TEST(test_10_12_1_a_wreck_is_removed_after_its_lifetime)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 284);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 0);
    sb_vec3 place;
    CHECK(sb_combat_position(r->combat, RIG_SHIP(0), r->now, &place));
    rig_steps(r, 1); /* 285 steps: 9.5 s */
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_GONE, 0)->object_id, RIG_SHIP(0));
    CHECK(!sb_combat_position(r->combat, RIG_SHIP(0), r->now, &place));
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_TIME_NEVER);
}

TEST(test_10_12_1_a_wreck_takes_no_damage_and_gains_nothing)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    ship->facing[0] = 5;
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_forget(r);
    float battery = ship->main_battery;
    rig_strike(r, 0, (sb_vec3){ 0, 1, 0 }, 1, 100);
    rig_seconds(r, 2);
    CHECK_EQ(r->event_count, 0);
    CHECK_NEAR(ship->facing[0], 5, 0);
    CHECK_NEAR(ship->main_battery, battery, 0);
}

TEST(test_10_12_1_a_wreck_drifts_on)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_move(r, 0, (sb_vec3){ 0, 0, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 5);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 15);
    CHECK_NEAR(rig_fighter(r, 0)->position.y, 2.5, 0.01);
}

TEST(test_10_12_2_the_killer_is_the_owner_of_the_killing_weapon)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_BEAM, 7, RIG_SHIP(5) }, 11000);
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_TORPEDO, 9, RIG_SHIP(7) }, 2000);
    rig_steps(r, 1);
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 0);
    CHECK(death);
    CHECK_EQ(death->attacker, 9);
    CHECK_EQ(death->attacker_ship, RIG_SHIP(7));
    CHECK_EQ(death->cause, SB_DAMAGE_TORPEDO);
}

TEST(test_09_11_a_player_who_dies_by_their_own_hand_has_no_killer)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_TORPEDO, RIG_OWNER(0), 0x40000021 }, 20000);
    rig_steps(r, 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 0)->attacker, 0);
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 0)->attacker_ship, 0);
}

TEST(test_10_2_both_sides_of_a_duel_can_die_in_the_same_step)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    rig_move(r, 1, (sb_vec3){ 0, 20, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    for (unsigned n = 0; n < 2; n++) {
        rig_facings(&r->ships[n], 0);
        r->ships[n].on[rig_entry(&r->ships[n], SB_SUBSYSTEM_SHIELD)] = false;
        for (unsigned i = 0; i < 11; i++)
            if (r->ships[n].model->subsystems[i].critical) r->ships[n].condition[i] = 0.01f;
        sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                               RIG_SHIP(1 - n), (sb_cv4b){ 0 });
    }
    rig_steps(r, 35); /* the wind-up */
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 2);
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 0)->attacker, RIG_OWNER(1));
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 1)->attacker, RIG_OWNER(0));
}

/* Spec 12 #12: all notices of a step come at its end, after the death. */
TEST(test_10_12_2_hits_earlier_in_the_step_follow_the_death)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_BEAM, 3, 0 }, 100);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 0);
    rig_fighter(r, 0)->ship->condition[rig_entry(&r->ships[0], SB_SUBSYSTEM_POWER)] = 1;
    sb_hit hit = { .by = { SB_DAMAGE_TORPEDO, 4, 0 } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 0), &hit,
                          rig_entry(&r->ships[0], SB_SUBSYSTEM_POWER), 100);
    sb_combat_finish_hit(rig_fighter(r, 0), &hit);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 2);
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 0);
    CHECK(death && death < rig_event(r, SB_COMBAT_REPAIR_ADDED, 0));
    CHECK_EQ(death->attacker, 4);
}

/* Both sides of the rule: the killing blow is announced, behind the death (trace D, eight parts);
 * what strikes a dying ship later is not, in the same step or afterwards. */
TEST(test_10_12_2_damage_after_the_death_is_not_announced)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_fighter *f = rig_fighter(r, 0);
    unsigned    sensors = rig_entry(f->ship, SB_SUBSYSTEM_SENSOR);
    sb_hit      blow = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    sb_combat_damage_part(r->combat, f, &blow, f->hull, 20000);
    sb_combat_damage_part(r->combat, f, &blow, sensors, 100);
    sb_combat_finish_hit(f, &blow);
    CHECK_EQ(f->life, SB_LIFE_DYING);
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_BEAM, 3, 0 }, 100);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 2);
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_BEAM, 3, 0 }, 100);
    rig_seconds(r, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 2);
    CHECK_NEAR(f->ship->condition[sensors], 7900, 0); /* and nothing is repaired */
}

TEST(test_10_12_2_hits_are_announced_once_at_the_end_of_the_step)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    for (int i = 0; i < 3; i++) hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_BEAM, 3, 0 }, 100);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
    rig_steps(r, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
}

/* §3.3: a destroyed part takes no hits, so such a ship could not be killed by it. */
TEST(test_10_3_3_created_with_a_critical_part_at_0_dies_of_a_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(0));
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].critical) ship->condition[i] = 0;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, r->now), SB_OK);
    hit_hull(r, 0, (sb_damage_source){ SB_DAMAGE_BEAM, 3, 0 }, 100);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
}

TEST(test_10_12_2_beams_of_and_at_a_dead_ship_stop)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    rig_move(r, 1, (sb_vec3){ 0, 20, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    for (unsigned n = 0; n < 2; n++)
        sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                               RIG_SHIP(1 - n), (sb_cv4b){ 0 });
    rig_steps(r, 36);
    CHECK(rig_count(r, SB_COMBAT_HIT) >= 2);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_forget(r);
    rig_seconds(r, 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(rig_firing_banks(r, 0) + rig_firing_banks(r, 1), 0);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    CHECK_EQ(rig_fighter(r, 1)->ordered, 0);
}

TEST(test_10_10_death_while_cloaked_starts_decloaking)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    r->ships[0].cloaked = true;
    rig_seconds(r, 6);
    rig_forget(r);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_CLOAK), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_CLOAK, 0)->index, 5);
    CHECK(rig_event(r, SB_COMBAT_EXPLODING, 0) < rig_event(r, SB_COMBAT_CLOAK, 0));
    CHECK(!r->ships[0].cloaked);
    rig_steps(r, 149);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 5);
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 0);
    CHECK_NEAR(r->ships[0].facing[0], r->ships[0].model->shield_max[0], 0);
}

TEST(test_10_10_a_death_halfway_into_the_cloak_turns_back)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    r->ships[0].cloaked = true;
    rig_steps(r, 60);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 59);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 5);
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 0);
}

TEST(test_10_12_5_a_new_ship_of_the_same_player_starts_fresh)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    sb_ship next;
    sb_ship_init(&next, sb_find_ship(sb_stock_ships(), GALAXY), GALAXY, 0x40000021);
    CHECK_EQ(sb_combat_add_ship(r->combat, &next, RIG_OWNER(0), RIG_SET, r->now), SB_OK);
    CHECK(sb_combat_is_alive(r->combat, 0x40000021));
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(0)));
    CHECK_EQ(sb_combat_subsystem_id(r->combat, 0x40000021, 4, 0), 0x40000021 + 1 + 5);
    rig_seconds(r, 10);
    CHECK(sb_combat_is_alive(r->combat, 0x40000021));
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
}

TEST(test_10_13_a_hit_tells_its_full_damage_even_if_less_is_left)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    r->ships[0].facing[0] = 10;
    sb_damage_source by = { SB_DAMAGE_TORPEDO, 3, RIG_SHIP(1) };
    sb_combat_strike(r->combat, rig_fighter(r, 0),
                     &(sb_strike){ .by = by, .start = { 0, 100, 0 }, .damage = 500, .search = 1 });
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_NEAR(hit->amount, 500, 0);
    CHECK(hit->shields);
    CHECK_EQ(hit->attacker, 3);
    CHECK_NEAR(rig_event(r, SB_COMBAT_ABSORBED, 0)->amount, 10, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_DAMAGED, 0)->amount, 490, 0); /* the rest goes through */
}

/* ---- area damage, §5.2 and §7 ---- */

static rig *splash_rig(float damage)
{
    rig *r = rig_new();
    r->config.constants.splash = damage;
    r->config.constants.splash_radius = 50;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    return r;
}

/* Captured: explosions pass the shields entirely. */
TEST(test_10_5_2_area_damage_passes_the_shields)
{
    for (unsigned up = 0; up < 2; up++) {
        rig *r = splash_rig(60);
        r->ships[1].on[rig_entry(&r->ships[1], SB_SUBSYSTEM_SHIELD)] = up != 0;
        sb_combat_self_destruct(r->combat, RIG_SHIP(0));
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), 0);
        const sb_combat_event *e = rig_event(r, SB_COMBAT_DAMAGED, 1);
        CHECK(e);
        CHECK_EQ(e->object_id, RIG_SHIP(1));
        CHECK_NEAR(e->amount, 60, 0);
    }
}

TEST(explosions_reach_splash_radius_and_no_other_set)
{
    rig *r = splash_rig(60);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 50.5f, 0 });
    rig_add(r, 3, SOVEREIGN, (sb_vec3){ 0, 49.5f, 0 });
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 1)->object_id, RIG_SHIP(3));
}

TEST(explosions_can_kill_in_turn_and_nobody_gets_the_credit)
{
    rig *r = splash_rig(1e6f);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 60, 0 }); /* out of reach of the first */
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 3);
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 1)->object_id, RIG_SHIP(1));
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 1)->attacker, 0);
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 2)->object_id, RIG_SHIP(2));
}

TEST(test_10_7_splash_is_off_by_default)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 5, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    for (size_t i = 0; i < r->event_count; i++) CHECK_EQ(r->events[i].object_id, RIG_SHIP(0));
}

TEST(a_removed_ship_is_gone_without_a_death)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(0)));
    CHECK_EQ(r->event_count, 0);
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_TIME_NEVER);
}

TEST(ships_are_refused_when_full_or_known)
{
    rig *r = rig_new();
    r->config.max_ships = 2;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 9, 0 });
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, 0), SB_NOT_ALLOWED);
    sb_ship_init(&r->ships[2], r->ships[0].model, SOVEREIGN, RIG_SHIP(2));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[2], 4, RIG_SET, 0), SB_FULL);
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[2], 4, RIG_SET, 0), SB_OK);
}

/* §6.1, §10: a wreck does not fire, and beams at it stop. */
TEST(test_10_12_1_a_wreck_does_not_fire)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_forget(r);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      (sb_cv3){ 0, 127, 0 }, RIG_SHIP(1), (sb_cv4b){ 0 });
    rig_seconds(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(r->combat->shot_count, 0);
}

/* §12.3: we do not imitate the notices of the stock server's scripted explosions. */
TEST(test_10_12_3_a_wreck_announces_nothing_not_even_its_end)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
    rig_forget(r);
    rig_steps(r, 285);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
    CHECK_EQ(r->event_count, 1);
}

/* ---- edges ---- */

TEST(explosions_reach_exactly_to_splash_radius)
{
    rig *r = splash_rig(60);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 50, 0, 0 });
    rig_add(r, 3, SOVEREIGN, (sb_vec3){ nextafterf(50, 99), 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 3); /* itself, 1 and 2 */
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 2)->object_id, RIG_SHIP(2));
}

/* The blow comes from ship 0, which is behind ship 1 and to port of ship 2. */
TEST(an_explosion_hits_the_facing_toward_it_and_names_its_ship)
{
    rig *r = splash_rig(60);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 30, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    static const uint8_t facings[] = { 0, 1, 4 };
    for (unsigned i = 0; i < 3; i++) {
        const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, i);
        CHECK_EQ(hit->object_id, RIG_SHIP(i));
        CHECK_EQ(hit->index, facings[i]);
        CHECK(!hit->shields);
        CHECK_EQ(hit->attacker, 0);
        CHECK_EQ(hit->cause, i == 0 ? SB_DAMAGE_SELF_DESTRUCT : SB_DAMAGE_SPLASH);
        CHECK_EQ(hit->attacker_ship, i == 0 ? 0 : RIG_SHIP(0));
        CHECK_NEAR(hit->amount, i == 0 ? 12000 : 60, 0);
    }
}

/* Wrecks and ships without a model take no part in explosions. */
TEST(explosions_spare_wrecks_and_unknown_ships)
{
    rig *r = splash_rig(60);
    rig_add(r, 2, 200, (sb_vec3){ 10, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    rig_forget(r);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1); /* its own */
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
}

TEST(test_10_12_2_events_of_a_death_name_no_part)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 0)->child, -1);
    rig_steps(r, 285);
    CHECK_EQ(rig_event(r, SB_COMBAT_GONE, 0)->child, -1);
}

/* Two wrecks whose time ends in one step, and a ship behind them in the list. */
TEST(test_10_12_1_wrecks_of_one_step_are_removed_together)
{
    rig *r = rig_default();
    for (unsigned n = 0; n < 4; n++) rig_add(r, n, SOVEREIGN, (sb_vec3){ 0, (float)n * 90, 0 });
    for (unsigned n = 0; n < 4; n++)
        if (n != 2) sb_combat_self_destruct(r->combat, RIG_SHIP(n));
    rig_steps(r, 285);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 3);
    CHECK_EQ(r->combat->ship_count, 1);
    CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(2)));
}

/* ---- full tables ---- */

/* §12.2: beams of a dead ship stop, and beams at it. */
TEST(all_orders_of_a_full_ship_end_with_a_death)
{
    for (unsigned dies = 0; dies < 2; dies++) {
        rig *r = rig_full_duel();
        rig_add(r, 2, GALAXY, (sb_vec3){ 0, 60, 0 });
        rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
        rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(2));
        rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
        rig_steps(r, 20);
        sb_combat_self_destruct(r->combat, RIG_SHIP(dies));
        CHECK_EQ(rig_fighter(r, 0)->ordered, dies == 0 ? 0 : 1 << FULL_TRACTORS);
        CHECK_EQ(rig_firing_of(r, FULL_PHASERS) + rig_firing_of(r, FULL_MORE_PHASERS), 0);
        CHECK_EQ(rig_firing_of(r, FULL_TRACTORS), dies);
        CHECK_EQ(rig_fighter(r, 0)->tractor_fires, dies == 1);
        CHECK_EQ(rig_fighter(r, 0)->drag > 0, dies == 1);
    }
}

/* The only order is that of entry 0. */
TEST(a_beam_of_the_first_entry_stops_with_its_target)
{
    rig *r = rig_full_duel();
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_steps(r, 1);
    sb_combat_remove_ship(r->combat, RIG_SHIP(1));
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
}

/* With a splash of 0 nobody is told about hits of 0. */
TEST(explosions_without_splash_hit_nobody)
{
    rig *r = splash_rig(0);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1); /* its own */
    r = splash_rig(0.5f);                     /* however little it is */
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
}

/* The first ship of the list is in reach of the second one. */
TEST(explosions_reach_the_first_ship_and_name_no_killer)
{
    rig *r = splash_rig(1e6f);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 10, 0 });
    rig_add(r, 3, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
    sb_combat_remove_ship(r->combat, RIG_SHIP(2)); /* leaves a free place */
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 2);
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 1);
    CHECK_EQ(death->object_id, RIG_SHIP(0));
    CHECK_EQ(death->attacker, 0);
    CHECK_EQ(death->attacker_ship, 0);
    CHECK_EQ(death->cause, SB_DAMAGE_SPLASH);
}
