/* tests/combat/damage_test.c -- what a blow hits. Spec 10 §3, §7. */
#include "rig.h"

static const sb_damage_source nobody = { SB_DAMAGE_TORPEDO, 0, 0 };

/* A weapon hit on the ship from ahead, as far as it reaches from the point behind the shield. */
static void hit_front(rig *r, unsigned n, float search, float damage)
{
    sb_combat_hit_with_weapon(r->combat, rig_fighter(r, n), nobody, (sb_vec3){ 0, 1, 0 }, search,
                              damage);
}

static void damage(rig *r, unsigned n, sb_vec3 p, float search, float hp, bool is_weapon)
{
    sb_hit      blow = { .by = nobody };
    sb_fighter *f = rig_fighter(r, n);
    sb_combat_damage_at(r->combat, f, &blow, p, search, hp, is_weapon);
    sb_combat_finish_hit(f, &blow);
    sb_combat_announce_hits(r->combat, f);
}

/* ---- §3 ---- */

TEST(test_10_3_2_condition_stays_above_0_and_surplus_is_lost)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0.0f, 50000.0f, true);
    CHECK_NEAR(ship->condition[sensors], 0, 0);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 12000, 0);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_DAMAGED, 0);
    CHECK(e);
    CHECK_NEAR(e->amount, 8000, 0); /* what it had, not what came */
    CHECK_NEAR(e->left, 0, 0);
}

TEST(test_10_3_2_disabled_compares_the_ratio_directly)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    CHECK(sb_combat_has_shields_up(rig_fighter(r, 0)));
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = 7501; /* of 10000; 0.75 */
    CHECK(sb_combat_has_shields_up(rig_fighter(r, 0)));
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = 7500;
    CHECK(!sb_combat_has_shields_up(rig_fighter(r, 0)));
}

TEST(test_10_3_3_any_critical_subsystem_kills_not_only_the_hull)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ 0, -0.4f, -0.2f }, 0.0f, 7000.0f, true); /* the warp core */
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(0)));
    CHECK(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)] > 0);
}

TEST(test_10_3_3_a_destroyed_uncritical_part_does_not_kill)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0.0f, 50000.0f, true);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 0);
    CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
}

/* ---- §7 ---- */

TEST(test_10_7_every_part_in_reach_takes_the_full_damage)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ -0.174f, 3.127f, 0.05f }, 1.5f, 100.0f, false);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 8);
    CHECK_NEAR(rig_sum(r, SB_COMBAT_DAMAGED), 800, 1e-3);
}

TEST(test_10_7_weapons_spare_the_hull_if_something_else_is_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned hull = rig_entry(ship, SB_SUBSYSTEM_HULL), core = rig_entry(ship, SB_SUBSYSTEM_POWER);
    sb_vec3  middle = { 0, -0.4f, -0.2f };
    damage(r, 0, middle, 0.0f, 100.0f, true);
    CHECK_NEAR(ship->condition[hull], 12000, 0);
    CHECK_NEAR(ship->condition[core], 6900, 0);
    damage(r, 0, middle, 0.0f, 100.0f, false); /* a collision does not */
    CHECK_NEAR(ship->condition[hull], 11900, 0);
    CHECK_NEAR(ship->condition[core], 6800, 0);
}

TEST(test_10_7_a_weapon_that_hits_only_the_hull_damages_it)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ 0, -0.2f, -0.9f }, 0.0f, 100.0f, true);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 1);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 11900, 0);
}

TEST(test_10_7_what_hits_nothing_hits_the_hull)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ 0, 0, 30 }, 0.0f, 100.0f, true);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 11900, 0);
    damage(r, 0, (sb_vec3){ 0, 0, 30 }, 0.0f, 100.0f, false);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 11800, 0);
}

TEST(test_10_7_destroyed_parts_are_not_hit_again)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_SENSOR)] = 0;
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0.0f, 100.0f, true);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 11900, 0); /* nothing else */
}

TEST(test_10_7_parts_without_position_are_never_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ 0, 0, 0 }, 100.0f, 10.0f, false);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        const sb_subsystem_class *s = &ship->model->subsystems[i];
        CHECK_NEAR(ship->condition[i], s->max_condition - (s->has_position ? 10.0f : 0.0f), 0);
    }
    CHECK_NEAR(ship->child_condition[rig_child(ship, "Port Impulse")], 3000, 0);
}

TEST(test_10_7_no_propagation_between_system_and_child)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned tube = rig_child(ship, "Forward Torpedo 1");
    sb_vec3  at = sb_v_from(ship->model->children[tube].hit);
    damage(r, 0, at, 0.0f, 100.0f, true);
    CHECK(ship->child_condition[tube] < ship->model->children[tube].max_condition);
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    CHECK_NEAR(ship->condition[system], ship->model->subsystems[system].max_condition, 0);
}

TEST(test_10_7_weapon_hits_lie_half_a_radius_from_the_centre)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_facings(ship, 0);
    /* 0.5 x 3.7209 = 1.86 ahead; the Sensor Array begins at 2.10, 0.24 away. */
    hit_front(r, 0, 0.20f, 10.0f);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_SENSOR)], 8000, 0);
    hit_front(r, 0, 0.26f, 10.0f);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_SENSOR)], 7990, 0);
}

TEST(test_10_15_ships_without_a_model_are_never_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, NULL, 200, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, -20, 0 });
    sb_combat_start_firing(r->combat, RIG_SHIP(1), rig_id(r, 1, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(0), (sb_cv4b){ 0 });
    sb_combat_torpedo(r->combat, RIG_SHIP(1), rig_id(r, 1, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      (sb_cv3){ 0, 127, 0 }, RIG_SHIP(0), (sb_cv4b){ { 0, 0, 0 }, 0 });
    static const sb_cv4b contact = { { 0, 127, 0 }, 200 };
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &contact, 1, 1000, r->now);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_seconds(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 0);
    CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
}

TEST(test_10_15_level_0_nobody_is_hurt)
{
    rig *r = rig_new();
    r->config.fidelity = SB_FIDELITY_RELAY;
    rig_start(r, true);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    static const sb_cv4b contact = { { 0, 127, 0 }, 200 };
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(1), (sb_cv4b){ 0 });
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &contact, 1, 1000, r->now);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_seconds(r, 2);
    CHECK_EQ(r->event_count, 0);
}

TEST(test_10_15_at_level_1_only_rams_and_self_destructs_hurt)
{
    rig *r = rig_new();
    r->config.fidelity = SB_FIDELITY_COLLISIONS;
    rig_start(r, true);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(1), (sb_cv4b){ 0 });
    rig_seconds(r, 2);
    CHECK_EQ(r->event_count, 0);
    static const sb_cv4b contact = { { 0, 127, 0 }, 200 };
    sb_combat_collision(r->combat, RIG_SHIP(1), 0, RIG_SHIP(1), &contact, 1, 100, r->now);
    CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
}

TEST(spawn_grace_protects_a_new_ship)
{
    rig *r = rig_new();
    r->config.constants.spawn_grace = 3;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_steps(r, 89);
    hit_front(r, 0, 1, 100);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    rig_steps(r, 1);
    hit_front(r, 0, 1, 100);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(a_snapshot_with_absurd_conditions_is_brought_within_bounds)
{
    rig     *r = rig_default();
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(0));
    ship->condition[0] = 1e9f;
    ship->condition[2] = -5;
    ship->child_condition[0] = NAN;
    ship->facing[0] = INFINITY;
    ship->main_battery = NAN;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    CHECK_NEAR(ship->condition[0], 12000, 0);
    CHECK_NEAR(ship->condition[2], 0, 0);
    CHECK_NEAR(ship->child_condition[0], 0, 0);
    CHECK_NEAR(ship->facing[0], 11000, 0);
    CHECK_NEAR(ship->main_battery, 0, 0);
}
