/* tests/combat/damage_test.c -- the parts that a hit damages. Spec 10 §3, §7. */
#include "rig.h"

static const sb_damage_source nobody = { SB_DAMAGE_TORPEDO, 0, 0 };

/* A hit that damages the parts within `search` of p. */
static void hit_front(rig *r, unsigned n, float search, float damage)
{
    sb_combat_hit_with_weapon(r->combat, rig_fighter(r, n), nobody, (sb_vec3){ 0, 1, 0 }, search,
                              damage);
}

static void damage(rig *r, unsigned n, sb_vec3 p, float search, float hp, bool is_weapon)
{
    sb_hit      hit = { .by = nobody };
    sb_fighter *f = rig_fighter(r, n);
    sb_combat_damage_at(r->combat, f, &hit, p, search, hp, is_weapon);
    sb_combat_finish_hit(f, &hit);
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
    CHECK_NEAR(e->amount, 8000, 0); /* its condition, not the damage of the hit */
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

TEST(test_10_7_a_hit_without_parts_in_reach_hits_the_hull)
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

TEST(test_10_15_at_level_0_no_ship_takes_damage)
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

/* The reach of an explosion on a ship is at most the ship's own radius (§7). */
TEST(test_10_7_area_damage_searches_at_most_bound_radius)
{
    rig *r = rig_new();
    r->config.constants.splash = 600;
    r->config.constants.splash_radius = 1000;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 500, 0 });
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 1);
    float    radius = ship->model->bound_radius;
    sb_vec3  p = { 0, -0.5f * radius, 0 }; /* toward the blast, behind it */
    unsigned near = 0, far = 0;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part)) {
        const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
        if (!s->has_position) continue;
        bool in_reach = sb_v_length(sb_v_sub(p, sb_v_from(s->hit))) <= radius + s->radius;
        bool hurt = *sb_combat_part_condition(ship, part) < s->max_condition;
        CHECK_EQ(hurt, in_reach);
        if (in_reach) near++;
        else far++;
    }
    CHECK(near > 0 && far > 0);
}

/* The examples: "a phaser bank stops at 75 %, a sensor array at 50 %, a repair bay at 10 %"; hulls
 * never. */
TEST(test_10_3_2_thresholds_of_bank_sensors_bay_and_hull)
{
    static const struct {
        sb_subsystem_type type;
        float             stops;
    } rows[] = { { SB_SUBSYSTEM_SENSOR, 0.5f },
                 { SB_SUBSYSTEM_REPAIR, 0.1f },
                 { SB_SUBSYSTEM_HULL, 0 } };
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, rig_origin);
    for (unsigned i = 0; i < 3; i++) {
        unsigned entry = rig_entry(ship, rows[i].type);
        float    most = ship->model->subsystems[entry].max_condition;
        ship->condition[entry] = most * rows[i].stops + 1;
        CHECK(!sb_ship_is_disabled(ship, entry));
        ship->condition[entry] = most * rows[i].stops;
        CHECK(sb_ship_is_disabled(ship, entry));
    }
    unsigned bank = rig_child(ship, "Dorsal Phaser 2");
    ship->child_condition[bank] = 751;
    CHECK(!sb_ship_is_child_disabled(ship, bank));
    ship->child_condition[bank] = 750;
    CHECK(sb_ship_is_child_disabled(ship, bank));
}

TEST(test_10_3_2_sensors_and_warp_engines_have_no_effect_here)
{
    double damage[2];
    for (unsigned out = 0; out < 2; out++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        if (out)
            ship->condition[rig_entry(ship, SB_SUBSYSTEM_SENSOR)] =
                ship->condition[rig_entry(ship, SB_SUBSYSTEM_WARP)] = 0;
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                          (sb_cv3){ 0, 127, 0 }, RIG_SHIP(1), (sb_cv4b){ 0 });
        rig_seconds(r, 3);
        damage[out] = rig_sum(r, SB_COMBAT_HIT);
        CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
        CHECK_NEAR(sb_ship_speed_limit(ship, 1, 0), 7.5, 1e-6);
    }
    CHECK(damage[0] > 500);
    CHECK_NEAR(damage[0], damage[1], 0);
}

/* Every part within `search` of p is damaged; the hull only if there is no such part. */
static unsigned check_reach(rig *r, unsigned n, sb_vec3 p, double search)
{
    sb_ship *ship = &r->ships[n];
    unsigned hull = rig_entry(ship, SB_SUBSYSTEM_HULL), reached = 0;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part)) {
        const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
        if (!s->has_position || part == hull) continue;
        double away = (double)sb_v_length(sb_v_sub(p, sb_v_from(s->hit)));
        bool   expected = away <= search + (double)s->radius;
        if (fabs(away - search - (double)s->radius) < 1e-3) continue;
        if ((*sb_combat_part_condition(ship, part) < s->max_condition) != expected)
            FAIL("%s: %s", s->name, expected ? "spared" : "hurt");
        reached += expected;
    }
    CHECK_EQ(ship->condition[hull] < ship->model->subsystems[hull].max_condition, reached == 0);
    return reached;
}

/* A Sovereign 30 units away in the direction `from`, its nose toward the ship at the origin. If
 * it fires its first tube, that tube is on the line between them. */
static void lie_in_wait(rig *r, sb_vec3 from, bool with_tube)
{
    const sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_vec3        up = from.z != 0 ? (sb_vec3){ 0, 1, 0 } : (sb_vec3){ 0, 0, 1 };
    sb_vec3        place = sb_v_scale(from, 30);
    rig_move(r, 0, place, sb_v_scale(from, -1), up, 0);
    if (!with_tube) return;
    const float *tube = ship->model->children[rig_child(ship, "Forward Torpedo 1")].position;
    place = sb_v_sub(place, sb_v_to_world(&ship->motion, sb_v_from(tube)));
    rig_move(r, 0, place, sb_v_scale(from, -1), up, 0);
}

/* One hit of this type (0: beams) on a ship without shields. Returns the number of damaged parts.
 */
static unsigned hit_from(uint8_t species, sb_vec3 from, uint8_t type, double factor)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 1, species, rig_origin);
    sb_cv3   way = { (int8_t)(-127 * from.x), (int8_t)(-127 * from.y), (int8_t)(-127 * from.z) };
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    ship->on[rig_entry(ship, SB_SUBSYSTEM_REPAIR)] = false;
    lie_in_wait(r, from, type != 0);
    if (type == 0) rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    else
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0),
                          type, way, 0, (sb_cv4b){ 0 });
    for (unsigned n = 0; n < 150 && rig_count(r, SB_COMBAT_HIT) == 0; n++) rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    return check_reach(r, 1, sb_v_scale(from, 0.5f * ship->model->bound_radius),
                       factor * (double)ship->model->bound_radius);
}

/* The table of search radii: 0.1 (beams), 0.13 (photon), 0.2 (Klingon) x bound_radius, around a
 * point 0.5 x bound_radius toward the impact. */
TEST(test_10_7_search_radii_of_beams_and_torpedoes)
{
    static const struct {
        uint8_t type;
        double  factor;
    } rows[] = { { 0, 0.1 }, { 2, 0.13 }, { 6, 0.2 } };
    static const sb_vec3 from[] = { { 0, 1, 0 },  { 0, -1, 0 }, { 0, 0, 1 },
                                    { 0, 0, -1 }, { -1, 0, 0 }, { 1, 0, 0 } };
    unsigned             reached[3] = { 0, 0, 0 };
    for (unsigned i = 0; i < 3; i++)
        for (uint8_t species = 1; species <= 15; species++)
            for (unsigned n = 0; n < 6; n++)
                reached[i] += hit_from(species, from[n], rows[i].type, rows[i].factor);
    CHECK(reached[0] > 20 && reached[0] < reached[1] && reached[1] < reached[2]);
}
