/* tests/combat/tractor_test.c -- tractor beams, their power, and the speed limit while towing.
 * Spec 10 §6.5, §4.4, §11.3.
 */
#include "rig.h"

#include <string.h>

static const sb_vec3 origin = { 0, 0, 0 }, ahead = { 0, 1, 0 }, above = { 0, 0, 1 };

static void pull(rig *r)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1),
                           RIG_SHIP(1), (sb_cv4b){ 0 });
}

static void let_go(rig *r)
{
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1), 0);
}

/* A Sovereign in the origin and a Galaxy this far ahead of it. */
static rig *tow(float distance)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, distance, 0 });
    return r;
}

/* A Galaxy and another one this far ahead of it. Its four projectors have a force of 260. */
static rig *galaxies(float distance)
{
    rig *r = rig_default();
    rig_add(r, 0, GALAXY, origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, distance, 0 });
    rig_hold(r);
    return r;
}

static unsigned count_firing(rig *r)
{
    const sb_fighter *f = rig_fighter(r, 0);
    unsigned          count = 0;
    for (unsigned i = 0; i < f->weapon_count; i++)
        count += f->weapons[i].type == SB_SUBSYSTEM_TRACTOR_PROJECTOR && f->weapons[i].firing;
    return count;
}

/* ---- §6.5 ---- */

/* Captures tractor_engage_*: yes at 20, 60, 100, 115, no at 125 and 150, with shields up too. */
TEST(test_10_6_5_a_galaxy_holds_up_to_118_units)
{
    static const float near[] = { 20, 60, 100, 115 }, far[] = { 125, 150 };
    for (unsigned up = 0; up < 2; up++) {
        for (unsigned i = 0; i < 4; i++) {
            rig *r = galaxies(near[i]);
            if (!up) rig_facings(&r->ships[1], 0);
            rig_steps(r, 1);
            CHECK_EQ(count_firing(r), 1);
        }
        for (unsigned i = 0; i < 2; i++) {
            rig *r = galaxies(far[i]);
            if (!up) rig_facings(&r->ships[1], 0);
            rig_seconds(r, 1);
            CHECK_EQ(count_firing(r), 0);
            CHECK_NEAR(rig_fighter(r, 0)->drag, 0, 0);
        }
    }
}

/* Capture tractor_galaxy_hold: both forward projectors bear, and Forward Tractor 1 alone fires. A
 * moving target falls from 6.300 to 5.883 units/s: by 50 / 120, its force over the mass. */
TEST(test_10_6_5_one_projector_of_a_galaxy_pulls_by_its_force)
{
    rig *r = galaxies(20);
    rig_steps(r, 1);
    CHECK_EQ(count_firing(r), 1);
    CHECK(rig_weapon(r, 0, "Forward Tractor 1")->firing);
    double force = (double)rig_fighter(r, 0)->drag * 260;
    CHECK_NEAR(6.300 - force / (double)r->ships[1].model->mass, 5.883, 0.001);
}

/* Capture tractor_galaxy_hold: the charges stay at 5.0. */
TEST(test_10_6_5_holding_uses_no_charge)
{
    rig *r = galaxies(15);
    rig_seconds(r, 25);
    CHECK(rig_fighter(r, 0)->tractor_fires);
    CHECK_NEAR(rig_weapon(r, 0, "Forward Tractor 1")->charge, 5, 0);
}

TEST(test_10_6_5_the_range_begins_at_the_projector)
{
    rig *r = tow(3.1f + 113.9f); /* Forward Tractor 1 lies at y 3.1 and reaches 114 */
    pull(r);
    rig_steps(r, 1);
    CHECK(rig_weapon(r, 0, "Forward Tractor 1")->firing);
    rig_move(r, 1, (sb_vec3){ 0, 3.1f + 114.1f, 0 }, ahead, above, 0);
    rig_steps(r, 1);
    CHECK_EQ(count_firing(r), 0);
}

TEST(test_10_6_5_a_holding_projector_goes_on_or_is_replaced)
{
    rig     *r = tow(30);
    sb_ship *ship = &r->ships[0];
    float   *first = &ship->child_condition[rig_child(ship, "Forward Tractor 1")], full = *first;
    pull(r);
    rig_steps(r, 1);
    CHECK(rig_weapon(r, 0, "Forward Tractor 1")->firing);
    *first = 0;
    rig_steps(r, 1);
    CHECK(rig_weapon(r, 0, "Forward Tractor 2")->firing);
    *first = full;
    rig_steps(r, 1);
    CHECK(rig_weapon(r, 0, "Forward Tractor 2")->firing);
    CHECK_EQ(count_firing(r), 1);
    rig_move(r, 1, (sb_vec3){ 0, -30, 0 }, ahead, above, 0);
    rig_steps(r, 1);
    CHECK(rig_weapon(r, 0, "Aft Tractor 1")->firing);
    CHECK_EQ(count_firing(r), 1);
}

TEST(test_10_6_5_without_single_fire_all_that_bear_hold)
{
    static sb_subsystem_class list[SB_SUBSYSTEMS_MAX];
    static sb_ship_class      model;
    for (unsigned flag = SB_PROPERTY_UNKNOWN; flag <= SB_PROPERTY_YES; flag++) {
        rig *r = rig_default();
        model = *sb_find_ship(sb_stock_ships(), GALAXY);
        memcpy(list, model.subsystems, model.subsystem_count * sizeof list[0]);
        model.subsystems = list;
        sb_ship_init(&r->ships[0], &model, GALAXY, RIG_SHIP(0));
        list[rig_entry(&r->ships[0], SB_SUBSYSTEM_TRACTOR_SYSTEM)].single_fire = (uint8_t)flag;
        CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, 0), SB_OK);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        rig_hold(r);
        rig_steps(r, 1);
        CHECK_EQ(count_firing(r), flag == SB_PROPERTY_NO ? 2 : 1);
        CHECK_NEAR(rig_fighter(r, 0)->drag, (flag == SB_PROPERTY_NO ? 100 : 50) / 260.0, 1e-6);
    }
}

TEST(test_10_6_5_force_follows_system_and_projector)
{
    rig     *r = tow(30);
    sb_ship *ship = &r->ships[0];
    pull(r);
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 80 / 320.0, 1e-6); /* one of four projectors of 80 */
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_TRACTOR_SYSTEM)] *= 0.8f;
    ship->child_condition[rig_child(ship, "Forward Tractor 1")] *= 0.9f;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0.8 * 0.9 * 80 / 320, 1e-5);
}

/* ---- §4.4: a low main battery sheds the tractors, under both rules ---- */

static void check_shedding(rig *r)
{
    sb_ship *ship = rig_add(r, 0, GALAXY, origin); /* 250,000 */
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_hold(r);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0; /* nothing is generated */
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        ship->on[i] = ship->model->subsystems[i].type == SB_SUBSYSTEM_TRACTOR_SYSTEM;
    ship->main_battery = 4000;
    for (unsigned n = 0; n < 90 && (n == 0 || rig_fighter(r, 0)->tractor_fires); n++)
        rig_steps(r, 1); /* 600 a second */
    CHECK_NEAR(ship->main_battery, 2500, 20.1);
    CHECK_EQ(count_firing(r), 0);
    ship->main_battery = 13900;
    rig_seconds(r, 1);
    CHECK_EQ(count_firing(r), 0);
    CHECK_NEAR(ship->main_battery, 13900, 0); /* and draw nothing */
    ship->main_battery = 14100;
    rig_steps(r, 1);
    CHECK_EQ(count_firing(r), 1); /* the order still stands */
    rig_seconds(r, 1);
    CHECK_EQ(count_firing(r), 1);
}

TEST(test_10_4_4_tractors_are_shed_at_1_percent_return_at_5_6)
{
    check_shedding(rig_default());
    check_shedding(rig_strict());
}

/* With tractor_shed = 0 tractors empty the battery, and its conduit gives no more than it holds. */
TEST(test_10_4_4_no_battery_gives_more_than_it_holds)
{
    rig *r = rig_new();
    r->config.power = SB_POWER_STRICT;
    r->config.constants.tractor_shed = 0;
    rig_start(r, false);
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_hold(r);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0.4f * 7000; /* conduit 480 */
    ship->main_battery = 700;
    ship->backup_battery = 0;
    double received = 0;
    for (unsigned n = 0; n < 90; n++) {
        rig_steps(r, 1);
        for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
            double full = (double)ship->model->subsystems[i].power_per_second;
            if (full > 0 && rig_fighter(r, 0)->efficiency[i] > 0)
                received += full / 30 * (double)rig_fighter(r, 0)->performance[i];
        }
    }
    CHECK_NEAR(received, 700, 0.1);
    CHECK_NEAR(ship->main_battery, 0, 0);
}

TEST(test_10_6_5_no_mode_does_damage_and_all_pull_alike)
{
    for (uint8_t mode = 0; mode <= 5; mode++) {
        rig     *r = tow(30);
        sb_ship *ship = &r->ships[0];
        unsigned system = rig_entry(ship, SB_SUBSYSTEM_TRACTOR_SYSTEM);
        CHECK_EQ(ship->setting[system], 1); /* tow, unless the owner says otherwise */
        ship->setting[system] = mode;
        rig_facings(&r->ships[1], 0); /* nothing would stop it */
        pull(r);
        rig_seconds(r, 5);
        CHECK_NEAR(rig_fighter(r, 0)->drag, 0.25, 1e-6);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT) + rig_count(r, SB_COMBAT_DAMAGED), 0);
        for (unsigned i = 0; i < r->ships[1].model->subsystem_count; i++)
            CHECK_NEAR(sb_ship_ratio(&r->ships[1], i), 1, 0);
    }
}

/* The target's own client applies the pull (§6.5); only owners move ships (§1). */
TEST(test_10_6_5_a_tractor_moves_no_ship)
{
    rig *r = tow(30);
    pull(r);
    rig_seconds(r, 5);
    CHECK_NEAR(rig_fighter(r, 0)->position.y, 0, 0);
    CHECK_NEAR(rig_fighter(r, 1)->position.y, 30, 0);
}

/* ---- §4.4: the tractor system draws only while a projector fires ---- */

TEST(test_10_4_4_a_tractor_takes_its_power_beside_the_conduits)
{
    rig     *r = tow(30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_TRACTOR_SYSTEM);
    CHECK_NEAR(ship->model->subsystems[system].power_per_second, 700, 0);
    ship->power_wanted[system] = 0.25f; /* has no effect */
    pull(r);
    rig_seconds(r, 1); /* the first second begins before a projector fires */
    double main = (double)ship->main_battery, backup = (double)ship->backup_battery;
    for (unsigned n = 0; n < 30; n++) {
        rig_steps(r, 1);
        for (unsigned i = 0; i < ship->model->subsystem_count; i++)
            if (ship->model->subsystems[i].power_per_second > 0)
                CHECK_NEAR(rig_fighter(r, 0)->performance[i], 1, 1e-5);
    }
    CHECK_NEAR(main - (double)ship->main_battery, 1351 + 700 - 1200, 1);
    CHECK_NEAR(backup - (double)ship->backup_battery, 0, 0);
}

TEST(test_10_4_4_a_tractor_draws_only_while_a_projector_fires)
{
    rig     *r = tow(30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_TRACTOR_SYSTEM);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->on[i] = i == system;
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0; /* nothing is generated */
    float full = ship->main_battery;
    rig_seconds(r, 2); /* switched on, but idle */
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[system], 0, 0);
    CHECK_NEAR(ship->main_battery, full, 0);
    pull(r);
    rig_move(r, 1, (sb_vec3){ 0, 0, 100 }, ahead, above, 0); /* outside all arcs */
    rig_seconds(r, 2);
    CHECK_NEAR(ship->main_battery, full, 0); /* ordered to fire, but nothing fires */
    rig_move(r, 1, (sb_vec3){ 0, 30, 0 }, ahead, above, 0);
    rig_steps(r, 1); /* draws of a step come before its beams (§2) */
    rig_seconds(r, 2);
    CHECK_NEAR(ship->main_battery, full - 1400, 1);
    let_go(r);
    rig_steps(r, 1);
    float left = ship->main_battery;
    rig_seconds(r, 2);
    CHECK_NEAR(ship->main_battery, left, 0);
}

/* ---- §11.3: limits of engines that are damaged, starved and braked ---- */

/* The formula, as the spec writes it. */
static double limit_of(const rig *r, unsigned n, double efficiency, double drag)
{
    const sb_ship            *ship = &r->ships[n];
    unsigned                  impulse = rig_entry(ship, SB_SUBSYSTEM_IMPULSE);
    const sb_subsystem_class *s = &ship->model->subsystems[impulse];
    double                    most = (double)ship->model->max_speed, e = most;
    bool                      out = true;
    for (unsigned i = 0; i < s->child_count; i++) {
        const sb_subsystem_class *engine = &ship->model->children[s->first_child + i];
        double                    ratio =
            (double)ship->child_condition[s->first_child + i] / (double)engine->max_condition;
        bool disabled = ratio <= (double)engine->disabled_below;
        e -= most / s->child_count * (disabled ? 1 : 1 - ratio);
        out &= disabled;
    }
    double whole = (double)ship->condition[impulse] / (double)s->max_condition;
    if (out || !ship->on[impulse] || whole <= (double)s->disabled_below) return 0;
    e *= 1 - drag;
    e = e < 0 ? 0 : e > most ? most : e;
    return e * (double)ship->power_wanted[impulse] * efficiency;
}

TEST(test_10_11_3_every_ship_and_engine_follows_the_formula)
{
    static const float conditions[] = { 1, 0.95f, 0.8f, 0.6f, 0.51f, 0.5f, 0.25f, 0 };
    unsigned           moving = 0, still = 0;
    for (size_t k = 0; k < sb_stock_ships()->count; k++) {
        const sb_ship_class *model = &sb_stock_ships()->ships[k];
        for (unsigned trial = 0; trial < 64; trial++) {
            rig                      *r = rig_default();
            sb_ship                  *ship = rig_add(r, 0, model->species, origin);
            unsigned                  impulse = rig_entry(ship, SB_SUBSYSTEM_IMPULSE);
            const sb_subsystem_class *s = &model->subsystems[impulse];
            for (unsigned i = 0; i < s->child_count; i++)
                ship->child_condition[s->first_child + i] *= conditions[(trial >> (3 * i)) % 8];
            ship->power_wanted[impulse] = trial % 2 ? 1.25f : 0.5f;
            if (trial % 5 == 4) ship->condition[impulse] *= conditions[trial % 8]; /* the system */
            ship->on[impulse] = trial % 11 != 10;
            rig_steps(r, 1);
            double efficiency = (double)rig_fighter(r, 0)->efficiency[impulse];
            double limit = limit_of(r, 0, efficiency, 0);
            CHECK_NEAR(sb_ship_speed_limit(ship, (float)efficiency, 0), limit, 1e-5);
            if (limit > 0) moving++;
            else still++;
        }
    }
    CHECK(moving > 100 && still > 100);
}

TEST(test_10_11_3_towing_with_damaged_engines_follows_the_formula)
{
    rig     *r = tow(100);
    sb_ship *ship = &r->ships[0];
    unsigned impulse = rig_entry(ship, SB_SUBSYSTEM_IMPULSE);
    ship->child_condition[rig_child(ship, "Port Impulse")] *= 0.8f;
    ship->child_condition[rig_child(ship, "Forward Tractor 1")] *= 0.9f;
    ship->power_wanted[impulse] = 1.25f;
    pull(r);
    rig_steps(r, 2);
    const sb_fighter *f = rig_fighter(r, 0);
    CHECK_NEAR(f->drag, 0.9 * 80 / 320, 1e-6);
    float limit = sb_ship_speed_limit(ship, f->efficiency[impulse], f->drag);
    CHECK_NEAR(limit, limit_of(r, 0, 1, (double)f->drag), 1e-5);
    CHECK_NEAR(limit, 7.5 * 0.9 * (1 - (double)f->drag) * 1.25, 1e-4);
}

TEST(test_10_11_3_engines_without_power_have_no_speed)
{
    rig     *r = rig_strict();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    unsigned impulse = rig_entry(ship, SB_SUBSYSTEM_IMPULSE);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0.6f * 7000;
    rig_steps(r, 20);
    CHECK_NEAR(sb_ship_speed_limit(ship, rig_fighter(r, 0)->efficiency[impulse], 0), 7.5, 1e-5);
    rig_steps(r, 9); /* 0.829 s of each second (§4.4) are over */
    CHECK_NEAR(sb_ship_speed_limit(ship, rig_fighter(r, 0)->efficiency[impulse], 0), 0, 0);
}

TEST(test_10_6_5_tractors_do_no_damage_and_brake_by_their_share)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1),
                           RIG_SHIP(1), (sb_cv4b){ 0 });
    rig_seconds(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK(rig_fighter(r, 0)->tractor_fires);
    /* One projector of four. */
    float used = rig_weapon(r, 0, "Forward Tractor 1")->figures->max_damage;
    float most = 2 * used + 2 * rig_weapon(r, 0, "Aft Tractor 1")->figures->max_damage;
    CHECK_NEAR(rig_fighter(r, 0)->drag, used / most, 1e-5);
    CHECK(rig_weapon(r, 0, "Forward Tractor 1")->firing);
    rig_move(r, 1, (sb_vec3){ 0, 0, 100 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_steps(r, 1);
    CHECK(!rig_fighter(r, 0)->tractor_fires); /* overhead: outside all arcs */
    rig_move(r, 1, (sb_vec3){ 0, 30, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_steps(r, 1);
    CHECK(rig_fighter(r, 0)->tractor_fires);
    sb_combat_target(r->combat, RIG_SHIP(0), 0);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1), false);
    rig_steps(r, 1);
    CHECK(!rig_weapon(r, 0, "Forward Tractor 1")->firing);
    CHECK(!rig_fighter(r, 0)->tractor_fires);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1), true);
    rig_steps(r, 1);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, -1), 0);
    rig_steps(r, 1);
    CHECK(!rig_fighter(r, 0)->tractor_fires);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0, 0);
}

/* §12.2 step 4: the towing ship dies, or the towed one. */
TEST(test_10_12_2_tractor_beams_let_go_when_either_ship_dies)
{
    for (unsigned dies = 0; dies < 2; dies++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        rig_start_firing(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, RIG_SHIP(1));
        rig_steps(r, 2);
        CHECK(rig_fighter(r, 0)->tractor_fires && rig_fighter(r, 0)->drag > 0);
        sb_combat_self_destruct(r->combat, RIG_SHIP(dies));
        rig_steps(r, 1);
        CHECK(!rig_fighter(r, 0)->tractor_fires && rig_fighter(r, 0)->drag == 0);
        CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    }
}

/* ---- edges ---- */

/* A Sovereign whose forward projectors stand in its centre and pull with this force. */
static rig *odd_tow(float range, float force, float distance)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    for (unsigned i = 0; i < k->model.child_count; i++) {
        if (k->children[i].type != SB_SUBSYSTEM_TRACTOR_PROJECTOR) continue;
        k->children[i].has_position = false;
        for (unsigned n = 0; n < 3; n++) k->children[i].position[n] = NAN;
        k->figures[i].max_damage_distance = range;
        k->figures[i].max_damage = force;
    }
    rig_add_class(r, 0, &k->model, origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, distance, 0 });
    pull(r);
    rig_steps(r, 1);
    return r;
}

TEST(test_10_6_5_the_end_of_the_range_belongs_to_it)
{
    CHECK_EQ(count_firing(odd_tow(64, 80, 64)), 1);
    CHECK_EQ(count_firing(odd_tow(64, 80, nextafterf(64, 99))), 0);
}

TEST(test_10_6_5_a_weak_projector_brakes_by_its_share)
{
    rig *r = odd_tow(64, 0.1f, 30);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0.25, 1e-6);
    r = odd_tow(64, 0, 30); /* no force: no brake, though it fires */
    CHECK(rig_fighter(r, 0)->drag == 0);
    CHECK(rig_fighter(r, 0)->tractor_fires);
}

/* ---- full tables ---- */

/* §6.5: drag is the force in use over that of all projectors of the ship. */
TEST(both_tractor_systems_hold_and_brake_together)
{
    rig *r = rig_full_duel();
    rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_of(r, FULL_TRACTORS), 1);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_TRACTORS), 0);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 1 / 16.0, 1e-6);
    rig_fire_entry(r, 0, FULL_MORE_TRACTORS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1)); /* banks start while projectors hold */
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_of(r, FULL_TRACTORS), 1);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_TRACTORS), 1);
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS), 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 2 / 16.0, 1e-6);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_TRACTORS, -1), 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_of(r, FULL_TRACTORS), 0);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_TRACTORS), 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_MORE_TRACTORS, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_TRACTORS), 0);
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS), 2);
    CHECK(!rig_fighter(r, 0)->tractor_fires);
}

TEST(a_system_without_single_fire_holds_with_all_it_has)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_TRACTORS].single_fire = k->entries[FULL_MORE_TRACTORS].single_fire =
        SB_PROPERTY_NO;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_fire_entry(r, 0, FULL_MORE_TRACTORS, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_of(r, FULL_TRACTORS), 0);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_TRACTORS), FULL_SYSTEM);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0.5, 1e-6);
    rig_fire_entry(r, 0, FULL_TRACTORS, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 1, 1e-6);
}

/* The tractors are the first weapons of the list. */
TEST(test_10_6_5_the_first_weapon_can_be_a_projector)
{
    for (unsigned single = SB_PROPERTY_NO; single <= SB_PROPERTY_YES; single++) {
        rig               *r = rig_default();
        rig_class         *k = rig_full_class();
        sb_subsystem_class first = k->entries[FULL_PHASERS];
        k->entries[FULL_PHASERS] = k->entries[FULL_TRACTORS];
        k->entries[FULL_TRACTORS] = first;
        k->entries[FULL_PHASERS].single_fire = (uint8_t)single;
        rig_add_class(r, 0, &k->model, origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        const sb_weapon *w = rig_fighter(r, 0)->weapons;
        CHECK_EQ(w->type, SB_SUBSYSTEM_TRACTOR_PROJECTOR);
        rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
        rig_steps(r, 1);
        CHECK(w->firing);
        CHECK_NEAR(rig_fighter(r, 0)->drag, (single == SB_PROPERTY_YES ? 1 : 8) / 16.0, 1e-6);
        r->ships[0].on[FULL_PHASERS] = false;
        rig_steps(r, 1);
        CHECK(!w->firing);
    }
}

/* §4.4: exactly at the limit the tractors are shed. */
TEST(test_10_4_4_the_limit_of_shedding_itself)
{
    for (unsigned more = 0; more < 2; more++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, GALAXY, origin);
        float    limit = 0.01f * ship->model->main_battery;
        for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->on[i] = false;
        ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0;
        ship->main_battery = more ? nextafterf(limit, 1e6f) : limit;
        rig_steps(r, 1);
        CHECK_EQ(rig_fighter(r, 0)->tractors_shed, !more);
    }
}
