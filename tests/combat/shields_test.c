/* tests/combat/shields_test.c -- six facings. Spec 10 §5. */
#include "rig.h"

enum { KELDON = 11 };

static const sb_vec3 origin = { 0, 0, 0 };

static void hit(rig *r, sb_vec3 outward, float damage)
{
    rig_strike(r, 0, outward, 0.15f, damage);
}

/* The facing that a shot from this direction hits. */
static unsigned facing_hit(uint8_t species, sb_vec3 outward)
{
    rig *r = rig_default();
    rig_add(r, 0, species, origin);
    hit(r, outward, 1);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_ABSORBED, 0);
    CHECK(e);
    CHECK_EQ(e->index, rig_event(r, SB_COMBAT_HIT, 0)->index);
    return e->index;
}

/* ---- §5.1 ---- */

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

/* Captured: from 45, 60 and 75 degrees above, the flat Galaxy is hit on its top facing. */
TEST(test_10_5_1_the_ellipsoid_decides_a_flat_ships_facing)
{
    static const struct {
        double   bearing, elevation; /* degrees; bearing 90: starboard */
        unsigned facing;
    } rows[] = { { 0, 0, 0 },   { 180, 0, 1 }, { 90, 0, 5 }, { 270, 0, 4 },
                 { 0, -89, 3 }, { 0, 45, 2 },  { 0, 60, 2 }, { 0, 75, 2 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double  b = rows[i].bearing * 3.14159265 / 180, e = rows[i].elevation * 3.14159265 / 180;
        sb_vec3 outward = { (float)(sin(b) * cos(e)), (float)(cos(b) * cos(e)), (float)sin(e) };
        CHECK_EQ(facing_hit(GALAXY, outward), rows[i].facing);
    }
}

/* At level 3 a ship that stands inside the shields of another gains nothing by it. */
TEST(spec_10_15_1_at_level_3_a_shot_from_inside_meets_a_facing)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, GALAXY, rig_origin);
        sb_fighter *f = rig_fighter(r, 0);
        sb_vec3     start = { 0, f->ellipsoid.half[1] * 0.99f, 0 };
        sb_combat_strike(r->combat, f,
                         &(sb_strike){ .by = { SB_DAMAGE_TORPEDO, 0, 0 },
                                       .start = start,
                                       .at = { 0, 0, 0 },
                                       .search = 0.1f,
                                       .damage = 500 });
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), level == SB_FIDELITY_ENFORCE);
        if (level == SB_FIDELITY_ENFORCE)
            CHECK_EQ(rig_event(r, SB_COMBAT_ABSORBED, 0)->index, 0); /* the front */
    }
}

TEST(test_10_5_1_a_shot_that_begins_inside_meets_no_facing)
{
    rig *r = rig_default();
    rig_add(r, 0, GALAXY, origin);
    sb_fighter *f = rig_fighter(r, 0);
    for (unsigned inside = 0; inside < 2; inside++) {
        sb_vec3 start = { 0, f->ellipsoid.half[1] * (inside ? 0.99f : 1.01f), 0 };
        rig_forget(r);
        sb_combat_strike(r->combat, f,
                         &(sb_strike){ .start = start, .at = { 0, -0.3f, -0.5f }, .damage = 10 });
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), !inside);
        CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->shields, !inside);
    }
}

/* ---- §5.2 ---- */

/* The share of a hit of 100 HP that passes a facing with this fraction of its maximum. */
static double share_through(float fraction)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    ship->facing[0] = 8000 * fraction;
    rig_seconds(r, 0.7f); /* one recharge step stores the fraction */
    ship->facing[0] = 8000;
    rig_fighter(r, 0)->facing_fraction[0] = fraction;
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    return 1 - rig_sum(r, SB_COMBAT_ABSORBED) / 100;
}

/* The table of 350 captured hits, by the middle of each bin. */
TEST(test_10_5_2_the_leak_follows_the_measured_table)
{
    static const double rows[][2] = { { 1, 0 },         { 0.6, 0 },      { 0.575, 0.02 },
                                      { 0.525, 0.04 },  { 0.475, 0.12 }, { 0.425, 0.2 },
                                      { 0.375, 0.25 },  { 0.325, 0.3 },  { 0.275, 0.35 },
                                      { 0.225, 0.435 }, { 0.175, 0.49 }, { 0.125, 0.55 },
                                      { 0.1, 1 },       { 0.05, 1 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_NEAR(share_through((float)rows[i][0]), rows[i][1], 0.0501);
}

TEST(test_10_5_2_the_leak_is_linear_between_gate_and_tight)
{
    CHECK_NEAR(share_through(0.35f), 0.3, 1e-3);
    CHECK_NEAR(share_through(0.1001f), 0.6, 1e-3);
    CHECK_NEAR(share_through(0.5999f), 0, 1e-3);
}

/* All hits between two recharges see the fraction of the last one. */
TEST(test_10_5_2_the_fraction_is_that_of_the_last_recharge)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    ship->facing[0] = 1000; /* 12.5 %, but the last recharge saw a full facing */
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    CHECK_NEAR(ship->facing[0], 900, 0.01);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 0);
    rig_seconds(r, 0.7f);
    float before = ship->facing[0];
    hit(r, (sb_vec3){ 0, 1, 0 }, 100); /* 11.3 %: 0.584 goes through */
    CHECK_NEAR(before - ship->facing[0], 100 - 58.4, 0.2);
    CHECK_NEAR(rig_event(r, SB_COMBAT_DAMAGED, 0)->amount, 58.4, 0.2);
}

TEST(test_10_5_2_the_facing_passes_on_what_it_cannot_hold)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    unsigned hull = rig_entry(ship, SB_SUBSYSTEM_HULL);
    ship->facing[0] = 60; /* the last recharge saw a full facing */
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    CHECK_NEAR(ship->facing[0], 0, 0);
    CHECK_NEAR(ship->condition[hull], 15000 - 40, 0.01);
    hit(r, (sb_vec3){ 0, 1, 0 }, 100); /* empty: stops nothing */
    CHECK_NEAR(ship->condition[hull], 15000 - 140, 0.01);
    CHECK(!rig_event(r, SB_COMBAT_HIT, 1)->shields);
    for (unsigned i = 1; i < SB_FACINGS; i++) CHECK_NEAR(ship->facing[i], 4000, 0);
}

TEST(test_10_5_2_shields_off_keep_values_and_stop_nothing)
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
}

/* Captured: rams leave all facings unchanged; explosions pass, too. */
TEST(test_10_5_2_explosions_pass_the_shields)
{
    rig *r = rig_new();
    r->config.constants.splash = 600;
    r->config.constants.splash_radius = 50;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    for (unsigned i = 0; i < SB_FACINGS; i++)
        CHECK_NEAR(ship->facing[i], ship->model->shield_max[i], 0);
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 12000 - 600, 0);
}

/* ---- §5.3 ---- */

/* Captured: 6.15 points per facing every 0.656 s on a Galaxy with a rate of 11. */
TEST(test_10_5_3_a_facing_recharges_in_steps_of_0_656_s)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    rig_facings(ship, 100);
    rig_seconds(r, 0.6f);
    CHECK_NEAR(ship->facing[0], 100, 0);
    rig_seconds(r, 0.1f);
    for (unsigned i = 0; i < SB_FACINGS; i++) CHECK_NEAR(ship->facing[i] - 100, 6.15, 6.15 * 0.01);
    rig_seconds(r, 19.3f);
    CHECK_NEAR((ship->facing[0] - 100) / 20, 9.4, 9.4 * 0.05);
}

TEST(test_10_5_3_each_facing_recharges_for_itself)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    ship->facing[0] = 4000; /* five others are full and hand nothing over */
    rig_seconds(r, 10);
    CHECK_NEAR((ship->facing[0] - 4000) / 10, 9.4, 9.4 * 0.05);
    for (unsigned i = 1; i < SB_FACINGS; i++) CHECK_NEAR(ship->facing[i], 4000, 0);
    ship = rig_add(r, 1, BIRD_OF_PREY, (sb_vec3){ 100, 0, 0 }); /* rates 20/8/8/3/3/3 */
    rig_facings(ship, 100);
    rig_seconds(r, 10);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        CHECK_NEAR((ship->facing[i] - 100) / 10 / ship->model->shield_rate[i], 0.85, 0.04);
}

/* Captured at red, yellow and green alert (generator on or off) and with half the power wanted. */
TEST(test_10_5_3_recharge_ignores_power_and_the_switch)
{
    for (unsigned i = 0; i < 4; i++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, GALAXY, origin);
        unsigned shields = rig_entry(ship, SB_SUBSYSTEM_SHIELD);
        rig_facings(ship, 1000);
        ship->power_wanted[shields] = i == 0 ? 0.5f : i == 1 ? 1.25f : 0.0f;
        ship->on[shields] = i != 3;
        rig_seconds(r, 10);
        CHECK_NEAR((ship->facing[0] - 1000) / 10, 9.4, 9.4 * 0.05);
    }
}

TEST(test_10_5_3_facings_never_exceed_their_maximum)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    ship->facing[0] = 10999.9f;
    rig_seconds(r, 1);
    CHECK_NEAR(ship->facing[0], 11000, 0);
}

TEST(test_10_5_3_a_facing_without_rate_never_recharges)
{
    static sb_ship_class model;
    rig                 *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    model.shield_rate[1] = 0;
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, &model, SOVEREIGN, RIG_SHIP(0));
    ship->facing[0] = ship->facing[1] = 100;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    rig_seconds(r, 2);
    CHECK(ship->facing[0] > 110);
    CHECK_NEAR(ship->facing[1], 100, 0);
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

/* Captured: a generator at or below its disabled share (75 %) empties every facing. */
TEST(test_10_5_2_a_disabled_generator_empties_the_facings)
{
    static const float conditions[] = { 7500, 100, 0 }; /* of 10,000 */
    for (unsigned i = 0; i < 3; i++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
        ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = conditions[i];
        rig_steps(r, 1);
        for (unsigned k = 0; k < SB_FACINGS; k++) CHECK_NEAR(ship->facing[k], 0, 0);
        CHECK_EQ(rig_count(r, SB_COMBAT_SHIELD_LOST), SB_FACINGS);
        CHECK_NEAR(rig_sum(r, SB_COMBAT_SHIELD_LOST), 49500, 0.1);
        rig_seconds(r, 2); /* nothing recharges */
        CHECK_NEAR(ship->facing[0], 0, 0);
        hit(r, (sb_vec3){ 0, 1, 0 }, 50);
        CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
    }
}

/* ---- edges ---- */

/* shield_leak may be set so high that nothing is stopped: then nothing is absorbed. */
TEST(test_10_5_2_a_facing_that_leaks_all_absorbs_nothing)
{
    static const float leaks[] = { 2, 5 }; /* at half way: exactly all, more than all */
    for (unsigned i = 0; i < 2; i++) {
        rig *r = rig_new();
        r->config.constants.shield_gate = 0.25f;
        r->config.constants.shield_tight = 0.75f;
        r->config.constants.shield_leak = leaks[i];
        rig_start(r, false);
        sb_ship *ship = rig_add(r, 0, GALAXY, origin);
        rig_fighter(r, 0)->facing_fraction[0] = 0.5f;
        hit(r, (sb_vec3){ 0, 1, 0 }, 100);
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), 0);
        CHECK_NEAR(ship->facing[0], 8000, 0);
        CHECK_NEAR(rig_event(r, SB_COMBAT_DAMAGED, 0)->amount, 100, 0);
    }
}

/* A facing whose maximum is 0 has no share: it stops nothing and gains nothing. */
TEST(test_10_5_2_a_facing_with_a_maximum_of_0_stops_nothing)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(GALAXY);
    k->model.shield_max[0] = 0;
    k->model.shield_max[1] = 0.5f; /* however little it is */
    sb_ship *ship = rig_add_class(r, 0, &k->model, origin);
    CHECK(rig_fighter(r, 0)->facing_fraction[0] == 0);
    CHECK(rig_fighter(r, 0)->facing_fraction[1] == 1);
    rig_seconds(r, 2);
    CHECK(rig_fighter(r, 0)->facing_fraction[0] == 0);
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    CHECK(!rig_event(r, SB_COMBAT_HIT, 0)->shields);
    CHECK_NEAR(ship->facing[0], 0, 0);
}

/* With decloak_facing = 0 an empty facing gets nothing, and nothing is told. */
TEST(test_10_10_a_floor_of_0_is_no_gain)
{
    for (unsigned floor = 0; floor < 2; floor++) {
        rig *r = rig_new();
        r->config.constants.decloak_facing = (float)floor;
        rig_start(r, true);
        sb_ship *ship = rig_add(r, 0, GALAXY, origin);
        ship->facing[2] = 0;
        ship->facing[SB_FACINGS - 1] = 0.5f; /* not empty */
        sb_combat_raise_shields_to_floor(r->combat, rig_fighter(r, 0));
        CHECK_EQ(rig_count(r, SB_COMBAT_RECHARGED), floor);
        CHECK_NEAR(ship->facing[2], floor, 0);
        CHECK_NEAR(ship->facing[SB_FACINGS - 1], 0.5, 0);
        if (!floor) continue;
        const sb_combat_event *e = rig_event(r, SB_COMBAT_RECHARGED, 0);
        CHECK_EQ(e->object_id, RIG_SHIP(0));
        CHECK_EQ(e->index, 2);
        CHECK_EQ(e->child, -1);
        CHECK_NEAR(e->amount, 1, 0);
        CHECK_NEAR(e->left, 1, 0);
    }
}

/* A generator that does not work raises nothing; first and last facing count like all others. */
TEST(test_10_10_the_floor_covers_all_facings_of_a_generator)
{
    for (unsigned works = 0; works < 2; works++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, GALAXY, origin);
        rig_facings(ship, 0);
        if (!works) ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = 0;
        sb_combat_raise_shields_to_floor(r->combat, rig_fighter(r, 0));
        for (unsigned i = 0; i < SB_FACINGS; i++) CHECK_NEAR(ship->facing[i], works, 0);
    }
}

/* A class of a mod without a generator has no shields. */
TEST(test_10_5_2_without_a_generator_there_are_no_shields)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(GALAXY);
    unsigned   entry = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_SHIELD);
    k->entries[entry].type = SB_SUBSYSTEM_ENGINE;
    sb_ship *ship = rig_add_class(r, 0, &k->model, origin);
    ship->facing[3] = 0.5f;
    CHECK(!sb_combat_has_shields_up(rig_fighter(r, 0)));
    rig_steps(r, 1);
    for (unsigned i = 0; i < SB_FACINGS; i++) CHECK_NEAR(ship->facing[i], 0, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_SHIELD_LOST), SB_FACINGS);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_SHIELD_LOST, SB_FACINGS - 1);
    CHECK_EQ(e->index, SB_FACINGS - 1);
    CHECK_EQ(e->child, -1);
    CHECK_NEAR(e->amount, k->model.shield_max[SB_FACINGS - 1], 0);
    CHECK_NEAR(e->left, 0, 0);
    rig_steps(r, 5); /* once */
    CHECK_EQ(rig_count(r, SB_COMBAT_SHIELD_LOST), SB_FACINGS);
}

/* §5.2: exactly at the gate a facing stops nothing, exactly at shield_tight it lets nothing pass.
 */
TEST(test_10_5_2_the_gate_and_the_tight_share_themselves)
{
    static const struct {
        float fraction;
        bool  absorbs, leaks;
    } rows[] = { { 0.1f, false, true },
                 { 0.1000001f, true, true },
                 { 0.5999f, true, true },
                 { 0.6f, true, false } };
    for (unsigned i = 0; i < 4; i++) {
        rig *r = rig_default();
        rig_add(r, 0, GALAXY, origin);
        rig_fighter(r, 0)->facing_fraction[0] = rows[i].fraction;
        hit(r, (sb_vec3){ 0, 1, 0 }, 1000);
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED) > 0, rows[i].absorbs);
        CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED) > 0, rows[i].leaks);
    }
}

/* A hit that is absorbed says by whom, what it took and what is left. */
TEST(test_10_5_2_an_absorbed_hit_names_facing_and_attacker)
{
    rig *r = rig_default();
    rig_add(r, 0, GALAXY, origin);
    sb_combat_strike(r->combat, rig_fighter(r, 0),
                     &(sb_strike){ .by = { SB_DAMAGE_BOLT, 9, RIG_SHIP(7) },
                                   .start = { 0, -100, 0 },
                                   .search = 0.1f,
                                   .damage = 500 });
    const sb_combat_event *e = rig_event(r, SB_COMBAT_ABSORBED, 0);
    CHECK_EQ(e->object_id, RIG_SHIP(0));
    CHECK_EQ(e->attacker, 9);
    CHECK_EQ(e->attacker_ship, RIG_SHIP(7));
    CHECK_EQ(e->cause, SB_DAMAGE_BOLT);
    CHECK_EQ(e->index, 1);
    CHECK_EQ(e->child, -1);
    CHECK_NEAR(e->amount, 500, 0);
    CHECK_NEAR(e->left, 3500, 0);
    const sb_combat_event *h = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_EQ(h->index, 1);
    CHECK_EQ(h->child, -1);
    CHECK_EQ(h->cause, SB_DAMAGE_BOLT);
}

/* §5.3: recharges at 0.65625 s, 1.3125 s, ...: at steps 20, 39, 59, 79, 98. */
TEST(test_10_5_3_recharges_stay_on_their_grid)
{
    static const unsigned steps[] = { 20, 39, 59, 79, 98 };
    rig                  *r = rig_new();
    rig_start(r, true);
    rig_add(r, 0, GALAXY, origin);
    rig_steps(r, 7);
    sb_ship *ship = rig_add(r, 1, GALAXY, (sb_vec3){ 0, 90, 0 }); /* counts from its creation */
    ship->facing[SB_FACINGS - 1] = 100;
    unsigned seen = 0;
    for (unsigned step = 1; step <= 100; step++) {
        rig_steps(r, 1);
        if (rig_count(r, SB_COMBAT_RECHARGED) == seen) continue;
        CHECK(seen < 5);
        CHECK_EQ(step, steps[seen++]);
        CHECK_EQ(rig_event(r, SB_COMBAT_RECHARGED, seen - 1)->index, SB_FACINGS - 1);
    }
    CHECK_EQ(seen, 5);
}

/* A generator that works again finds facings that stop nothing before the next recharge. */
TEST(test_10_5_2_lost_facings_stop_nothing_at_first)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    unsigned generator = rig_entry(ship, SB_SUBSYSTEM_SHIELD);
    float    whole = ship->condition[generator];
    ship->condition[generator] = 0;
    rig_steps(r, 1);
    ship->condition[generator] = whole;
    rig_facings(ship, 4000);
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), 0);
    rig_seconds(r, 0.7f);
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED), 1);
}

TEST(test_10_5_2_half_a_point_of_a_facing_stops_half_a_point)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    ship->facing[0] = 0.5f;
    hit(r, (sb_vec3){ 0, 1, 0 }, 100);
    CHECK(rig_event(r, SB_COMBAT_HIT, 0)->shields);
    CHECK_NEAR(rig_event(r, SB_COMBAT_ABSORBED, 0)->amount, 0.5, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_DAMAGED, 0)->amount, 99.5, 0);
}

TEST(test_10_5_3_a_recharge_of_nothing_is_not_reported)
{
    rig       *r = rig_new();
    rig_class *k = rig_copy_class(GALAXY);
    k->model.shield_rate[1] = 0;
    rig_start(r, true);
    sb_ship *ship = rig_add_class(r, 0, &k->model, origin);
    ship->facing[1] = 100;
    rig_seconds(r, 2);
    CHECK_EQ(r->event_count, 0);
    k->model.shield_rate[1] = 0.5f; /* however little it is */
    rig_seconds(r, 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_RECHARGED), 3);
}

/* With an interval of 0 every step recharges, from the one after the creation on. */
TEST(test_10_5_3_recharges_are_at_least_a_step_apart)
{
    rig *r = rig_new();
    r->config.constants.shield_interval = 0;
    rig_start(r, false);
    rig_add(r, 0, GALAXY, origin);
    rig_steps(r, 7);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 90, 0 });
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(rig_fighter(r, 1)->recharge_at, r->combat->step + 1);
        CHECK_EQ(rig_fighter(r, 1)->recharge_count, 1 + i);
        rig_steps(r, 1);
    }
}
