/* tests/combat/damage_test.c -- the parts that a hit damages. Spec 10 §3, §7. */
#include "rig.h"

#include <string.h>

static const sb_damage_source nobody = { SB_DAMAGE_TORPEDO, 0, 0 };

/* A hit at p that damages the hull and the parts within `search` of p. */
static void damage(rig *r, unsigned n, sb_vec3 p, float search, float hp, bool is_weapon)
{
    sb_hit      hit = { .by = nobody };
    sb_fighter *f = rig_fighter(r, n);
    if (is_weapon) sb_combat_damage_by_weapon(r->combat, f, &hit, p, search, hp, false);
    else sb_combat_damage_by_collision(r->combat, f, &hit, p, search, hp);
    sb_combat_finish_hit(f, &hit);
    sb_combat_announce_hits(r->combat, f);
}

static float part_named(rig *r, unsigned n, const char *name)
{
    sb_ship *ship = &r->ships[n];
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part))
        if (strcmp(sb_combat_part_class(ship->model, part)->name, name) == 0)
            return *sb_combat_part_condition(ship, part);
    FAIL("no %s", name);
}

/* ---- §3 ---- */

TEST(test_10_3_2_condition_stays_above_0)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0.0f, 9000.0f, false);
    CHECK_NEAR(ship->condition[sensors], 0, 0);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_DAMAGED, 0); /* the hull comes last */
    CHECK(e);
    CHECK_NEAR(e->amount, 8000, 0); /* its condition, not the damage of the hit */
    CHECK_NEAR(e->left, 0, 0);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 3000, 0); /* surplus is lost */
}

/* The second captured Klingon torpedo (1,400): the four tubes had 1013, 1013, 1000, 1000 left, and
 * hull and Sensor Array lost 2,974 and 2,975. */
TEST(test_10_7_the_surplus_of_a_weapon_goes_to_hull_and_parts)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, rig_origin);
    for (unsigned i = 0; i < 4; i++)
        ship->child_condition[rig_child(ship, "Forward Torpedo 1") + i] = i < 2 ? 1013 : 1000;
    damage(r, 0, (sb_vec3){ 0, -0.27f, -0.49f }, 0.15f, 1400.0f, true);
    CHECK_NEAR(part_named(r, 0, "Hull"), 15000 - 2974, 1);
    CHECK_NEAR(part_named(r, 0, "Sensor Array"), 8000 - 2974, 1);
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 4"), 0, 0);
    CHECK_NEAR(part_named(r, 0, "Tractors"), 3000, 0);
    damage(r, 0, (sb_vec3){ 0, -0.27f, -0.49f }, 0.15f, 1400.0f, true); /* destroyed before */
    CHECK_NEAR(part_named(r, 0, "Hull"), 15000 - 2974 - 1400, 1);
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
    unsigned core = rig_entry(ship, SB_SUBSYSTEM_POWER);
    damage(r, 0, sb_v_from(ship->model->subsystems[core].position), 0.0f, 7000.0f, true);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(0)));
    CHECK(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)] > 0);
}

TEST(test_10_3_3_a_destroyed_uncritical_part_does_not_kill)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0.0f, 9000.0f, true); /* the Sensor Array */
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 0);
    CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
}

/* ---- §7 ---- */

TEST(test_10_7_hull_and_every_part_in_reach_take_the_full_damage)
{
    for (unsigned is_weapon = 0; is_weapon < 2; is_weapon++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
        damage(r, 0, (sb_vec3){ -0.184f, 3.302f, 0.053f }, 1.5f, 100.0f, is_weapon != 0);
        CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 9);
        CHECK_NEAR(rig_sum(r, SB_COMBAT_DAMAGED), 900, 1e-3);
    }
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
    static sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    static sb_ship_class      model;
    rig                      *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    unsigned sensors = rig_entry(&(sb_ship){ .model = &model }, SB_SUBSYSTEM_SENSOR);
    memcpy(entries, model.subsystems, model.subsystem_count * sizeof entries[0]);
    entries[sensors].has_position = false;
    model.subsystems = entries;
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, &model, SOVEREIGN, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, r->now), SB_OK);
    damage(r, 0, (sb_vec3){ 0, 0, 0 }, 100.0f, 10.0f, false);
    for (unsigned i = 0; i < model.subsystem_count; i++)
        CHECK_NEAR(ship->condition[i],
                   entries[i].max_condition - (entries[i].has_position ? 10.0f : 0.0f), 0);
}

TEST(test_10_7_no_propagation_between_system_and_child)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned tube = rig_child(ship, "Forward Torpedo 1");
    sb_vec3  at = sb_v_from(ship->model->children[tube].position);
    damage(r, 0, at, 0.0f, 100.0f, true);
    CHECK(ship->child_condition[tube] < ship->model->children[tube].max_condition);
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    CHECK_NEAR(ship->condition[system], ship->model->subsystems[system].max_condition, 0);
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
    rig_seconds(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 0);
    CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
    sb_combat_self_destruct(r->combat, RIG_SHIP(0)); /* the one death that needs no conditions */
    rig_seconds(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(0)));
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

/* C11: no published source shows a time in which a new ship takes no damage. */
TEST(a_ship_takes_damage_from_its_first_step_on)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_strike(r, 0, (sb_vec3){ 0, 1, 0 }, 1, 100);
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
    float             radius = ship->model->bound_radius;
    const sb_fighter *f = rig_fighter(r, 1);
    sb_vec3           p = /* toward the blast, behind it */
        sb_combat_point_of_impact(f, (sb_vec3){ 0, -500, 0 }, sb_combat_default_aim(f));
    unsigned near = 0, far = 0;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part)) {
        const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
        if (!s->has_position || s->type == SB_SUBSYSTEM_HULL) continue;
        bool in_reach = sb_v_length(sb_v_sub(p, sb_v_from(s->position))) <= radius + s->radius;
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

/* ---- measured footprints ---- */

enum { KESSOK_HEAVY = 13 };

/* A Kessok Heavy fires at a Galaxy without shields, nose toward it, from this direction. */
static rig *fire_from(double bearing, double elevation)
{
    double  b = bearing * 3.14159265 / 180, e = elevation * 3.14159265 / 180;
    sb_vec3 from = { (float)(57 * sin(b) * cos(e)), (float)(57 * cos(b) * cos(e)),
                     (float)(57 * sin(e)) };
    sb_vec3 up = fabs(elevation) > 45 ? (sb_vec3){ 0, 1, 0 } : (sb_vec3){ 0, 0, 1 };
    rig    *r = rig_default();
    rig_add(r, 0, KESSOK_HEAVY, from);
    rig_move(r, 0, from, sb_v_scale(from, -1), up, 0);
    sb_ship *ship = rig_add(r, 1, GALAXY, rig_origin);
    rig_facings(ship, 0);
    ship->on[rig_entry(ship, SB_SUBSYSTEM_REPAIR)] = false;
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 15, RIG_SHIP(1), rig_no_aim);
    rig_seconds(r, 1.5f);
    CHECK(rig_count(r, SB_COMBAT_HIT) >= 4);
    return r;
}

/* The captured volleys of four beams. Weapons of the target were off, that is at 0. */
TEST(test_10_7_the_footprints_of_a_galaxy_are_those_measured)
{
    static const struct {
        double      bearing, elevation;
        const char *parts[6];
    } rows[] = {
        { 0,
          0,
          { "Sensor Array", "Forward Torpedo 1", "Forward Torpedo 2", "Forward Torpedo 3",
            "Forward Torpedo 4" } },
        { 90, 0, { "Star Warp" } },
        { 270, 0, { "Port Warp" } },
        { 0, -89, { "Warp Core" } },
        { 180, 0, { NULL } },
        { 0, 45, { "Shield Generator" } },
        { 0, 60, { "Warp Core", "Aft Torpedo 1", "Aft Torpedo 2", "Center Impulse" } },
        { 0, 75, { "Warp Core", "Aft Torpedo 1", "Aft Torpedo 2", "Center Impulse" } },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig     *r = fire_from(rows[i].bearing, rows[i].elevation);
        sb_ship *ship = &r->ships[1];
        CHECK(part_named(r, 1, "Hull") < 15000);
        for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part)) {
            const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
            bool hurt = *sb_combat_part_condition(ship, part) < s->max_condition;
            bool expected = strcmp(s->name, "Hull") == 0;
            for (unsigned k = 0; k < 6 && rows[i].parts[k]; k++)
                expected |= strcmp(s->name, rows[i].parts[k]) == 0;
            if (hurt != expected)
                FAIL("bearing %g, elevation %g: %s", rows[i].bearing, rows[i].elevation, s->name);
        }
    }
}

/* A point that a shot reaches is on the side that the shot comes from. */
TEST(test_10_7_shots_reach_parts_on_their_side_of_every_ship)
{
    static const sb_vec3 from[] = { { 0, 1, 0 },  { 0, -1, 0 }, { 0, 0, 1 },
                                    { 0, 0, -1 }, { -1, 0, 0 }, { 1, 0, 0 } };
    for (unsigned n = 0; n < sb_stock_ships()->count; n++) {
        const sb_ship_class *m = &sb_stock_ships()->ships[n];
        for (unsigned i = 0; i < 6; i++) {
            rig *r = rig_default();
            rig_add(r, 0, m->species, rig_origin);
            const sb_fighter *f = rig_fighter(r, 0);
            sb_vec3           aim = sb_combat_default_aim(f);
            sb_vec3           at = sb_combat_point_of_impact(f, sb_v_scale(from[i], 500), aim);
            if (sb_v_dot(sb_v_sub(at, aim), from[i]) < -1e-3f)
                FAIL("%s: a shot from side %u hits behind its aim", m->name, i);
        }
    }
}

/* The reach of a hit is the weapon's own factor in units: 0.13 (photon), 0.2 (Klingon). */
TEST(test_10_7_the_reach_of_a_torpedo_is_in_units)
{
    static const struct {
        uint8_t type;
        float   reach;
    } rows[] = { { 2, 0.13f }, { 6, 0.2f } };
    for (unsigned i = 0; i < 2; i++) {
        rig     *r = rig_default();
        sb_ship *shooter = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, -30, 0 });
        sb_ship *ship = rig_add(r, 1, GALAXY, rig_origin);
        sb_vec3  tube =
            sb_v_from(shooter->model->children[rig_child(shooter, "Forward Torpedo 1")].position);
        rig_move(r, 0, (sb_vec3){ -tube.x, -30 - tube.y, -0.4f - tube.z }, (sb_vec3){ 0, 1, 0 },
                 (sb_vec3){ 0, 0, 1 }, 0);
        ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
        rig_fire_tube(r, 0, rows[i].type, rig_ahead, 0);
        rig_seconds(r, 4);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
        sb_vec3           at = { 0, -2.42f, -0.4f }; /* the stern of the engineering hull */
        const sb_fighter *f = rig_fighter(r, 1);
        at = sb_combat_point_of_impact(f, (sb_vec3){ 0, -30, -0.4f }, (sb_vec3){ 0, 0, -0.4f });
        sb_vec3 engineering =
            sb_v_from(ship->model->subsystems[rig_entry(ship, SB_SUBSYSTEM_REPAIR)].position);
        float gap = sb_v_length(sb_v_sub(at, engineering)) -
                    ship->model->subsystems[rig_entry(ship, SB_SUBSYSTEM_REPAIR)].radius;
        CHECK_EQ(part_named(r, 1, "Engineering") < 12000, gap <= rows[i].reach);
    }
}

/* Parts that the first strike of a beam damages, the hull among them. */
static unsigned parts_of_a_strike(uint8_t shooter, float beam_radius)
{
    rig *r = rig_new();
    r->config.constants.beam_radius = beam_radius;
    rig_start(r, false);
    rig_add(r, 0, shooter, rig_origin);
    rig_facings(rig_add(r, 1, GALAXY, (sb_vec3){ 0, 50, 0 }), 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    for (unsigned n = 0; n < 60 && rig_count(r, SB_COMBAT_HIT) == 0; n++) rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    return rig_count(r, SB_COMBAT_DAMAGED);
}

/* The Sovereign's banks have a factor of 0.15; that of the Vor'cha's beam is not known. */
TEST(test_10_7_the_reach_of_a_beam_is_in_units_its_banks_or_0_15)
{
    CHECK_EQ(parts_of_a_strike(SOVEREIGN, 3), parts_of_a_strike(SOVEREIGN, 0.15f));
    CHECK_EQ(parts_of_a_strike(VORCHA, 0.15f), parts_of_a_strike(SOVEREIGN, 0.15f));
    CHECK(parts_of_a_strike(VORCHA, 0.8f) > parts_of_a_strike(VORCHA, 0.15f));
    CHECK(parts_of_a_strike(VORCHA, 3) > parts_of_a_strike(VORCHA, 0.8f));
}

/* ---- edges ---- */

TEST(test_10_3_2_damage_of_nothing_and_of_all_that_is_left)
{
    rig        *r = rig_default();
    sb_ship    *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_fighter *f = rig_fighter(r, 0);
    unsigned    sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    sb_hit      hit = { .by = nobody };
    CHECK_NEAR(sb_combat_damage_part(r->combat, f, &hit, sensors, 0), 0, 0);
    CHECK_EQ(r->event_count, 0);
    CHECK(sb_part_set_is_empty(&hit.parts));
    CHECK_NEAR(sb_combat_damage_part(r->combat, f, &hit, sensors, 8000), 0, 0); /* exactly */
    CHECK_NEAR(ship->condition[sensors], 0, 0);
    CHECK(!hit.fatal);
    CHECK_NEAR(sb_combat_damage_part(r->combat, f, &hit, f->hull, 12000.5f), 0.5, 0);
    CHECK(hit.fatal);
}

/* Less than one point is still a part that takes hits. */
TEST(test_10_7_parts_with_half_a_point_are_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    ship->condition[sensors] = ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)] = 0.5f;
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0, 0.25f, true);
    CHECK_NEAR(ship->condition[sensors], 0.25, 0);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 0.25, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 2); /* and are repaired */
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 2);
}

/* A part whose surface is exactly as near as the hit reaches. */
TEST(test_10_7_the_end_of_the_reach_belongs_to_it)
{
    for (unsigned less = 0; less < 2; less++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        unsigned   sensors = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_SENSOR);
        for (unsigned i = 0; i < 3; i++) k->entries[sensors].position[i] = 0;
        k->entries[sensors].radius = 0.5f;
        rig_add_class(r, 0, &k->model, rig_origin);
        damage(r, 0, (sb_vec3){ 0, 0, 50 }, less ? nextafterf(49.5f, 0) : 49.5f, 1, true);
        CHECK_EQ(r->ships[0].condition[sensors] < 8000, !less);
    }
}

/* The surplus of a destroyed part goes once to each part that is left, in any order of the list. */
TEST(test_10_7_the_surplus_reaches_each_part_once)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, rig_origin);
    ship->child_condition[rig_child(ship, "Forward Torpedo 1")] = 100; /* the first in reach */
    ship->child_condition[rig_child(ship, "Forward Torpedo 3")] = 0.5f;
    damage(r, 0, (sb_vec3){ 0, -0.27f, -0.49f }, 0.15f, 300, true);
    float surplus = 200 + 299.5f;
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 1"), 0, 0);
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 3"), 0, 0);
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 2"), 2400 - 300 - surplus, 0.01);
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 4"), 2400 - 300 - surplus, 0.01);
    CHECK_NEAR(part_named(r, 0, "Sensor Array"), 8000 - 300 - surplus, 0.01);
    CHECK_NEAR(part_named(r, 0, "Hull"), 15000 - 300 - surplus, 0.01);
}

/* A class of a mod without a hull: parts take hits, and a self-destruct still works. */
TEST(a_ship_without_a_hull_is_hit_and_explodes)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    for (unsigned i = 0; i < k->model.subsystem_count; i++) /* Hull and Bridge */
        if (k->entries[i].type == SB_SUBSYSTEM_HULL) k->entries[i].type = SB_SUBSYSTEM_ENGINE;
    rig_add_class(r, 0, &k->model, rig_origin);
    CHECK_EQ(rig_fighter(r, 0)->hull, SB_NO_PART);
    sb_vec3 aim = sb_combat_default_aim(rig_fighter(r, 0));
    CHECK_NEAR(sb_v_length(sb_v_sub(aim, sb_v_from(k->model.box_centre))), 0, 0);
    damage(r, 0, (sb_vec3){ 0, 2.35f, 0.07f }, 0, 10, true);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
    rig_steps(r, 1);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 1);
}

/* A ship that its own surplus kills: the hull is damaged, but a dying ship announces nothing. */
TEST(test_10_8_the_hull_of_a_ship_that_dies_is_not_announced)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    unsigned core = rig_entry(ship, SB_SUBSYSTEM_POWER);
    ship->condition[core] = 10;
    damage(r, 0, sb_v_from(ship->model->subsystems[core].position), 0, 100, false);
    CHECK(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)] < 12000);
    for (unsigned i = 0; i < rig_count(r, SB_COMBAT_REPAIR_ADDED); i++)
        CHECK(rig_event(r, SB_COMBAT_REPAIR_ADDED, i)->index != rig_entry(ship, SB_SUBSYSTEM_HULL));
    rig_steps(r, 1);
}

/* The event of a damaged part says who did it, to which part, and what is left. */
TEST(an_event_of_damage_names_ship_part_and_attacker)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    unsigned tube = rig_child(ship, "Forward Torpedo 2");
    sb_hit   hit = { .by = { SB_DAMAGE_BOLT, 9, RIG_SHIP(7) } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 0), &hit, SB_CHILD_PART + tube, 100);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_DAMAGED, 0);
    CHECK_EQ(e->object_id, RIG_SHIP(0));
    CHECK_EQ(e->attacker, 9);
    CHECK_EQ(e->attacker_ship, RIG_SHIP(7));
    CHECK_EQ(e->cause, SB_DAMAGE_BOLT);
    CHECK_EQ(e->index, rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM));
    CHECK_EQ(e->child, 1);
    CHECK_NEAR(e->amount, 100, 0);
    CHECK_NEAR(e->left, ship->model->children[tube].max_condition - 100, 0);
}

/* The surplus of a part with half a point, and a part that the first round leaves half a point. */
TEST(test_10_7_a_surplus_of_half_a_point_counts)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, rig_origin);
    ship->child_condition[rig_child(ship, "Forward Torpedo 1")] = 99.5f;
    ship->child_condition[rig_child(ship, "Forward Torpedo 3")] = 100.25f;
    damage(r, 0, (sb_vec3){ 0, -0.27f, -0.49f }, 0.15f, 100, true);
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 3"), 0, 0);
    CHECK_NEAR(part_named(r, 0, "Forward Torpedo 2"), 2400 - 100.5, 0);
    CHECK_NEAR(part_named(r, 0, "Hull"), 15000 - 100.5, 0);
}

/* Only hits kill: a hull that the caller has set to 0 takes none. */
TEST(test_10_7_a_hull_at_0_takes_no_hit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)] = 0;
    damage(r, 0, (sb_vec3){ 0, 0, 30 }, 0, 100, true);
    CHECK_EQ(r->event_count, 0);
    rig_steps(r, 1);
    CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
}
