/* tests/combat/tractor_test.c -- tractor beams, their power, and the speed limit while towing.
 * Spec 10 §6.5, §4.4, §11.3.
 */
#include "rig.h"

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

/* §6.5: force of one projector at a target `distance` before the ship's centre. */
static double force_of(rig *r, const char *name, double system, double projector, double distance)
{
    const sb_weapon          *w = rig_weapon(r, 0, name);
    const sb_subsystem_class *s = &r->ships[0].model->children[w->child];
    double away = hypot(distance - (double)s->position[1], (double)s->position[2]);
    double full = (double)w->figures->max_damage_distance;
    return (double)w->figures->max_damage * system * projector * (away > full ? full / away : 1);
}

/* ---- §6.5 ---- */

TEST(test_10_6_5_the_figures_of_a_sovereigns_projectors)
{
    rig *r = tow(30);
    CHECK_NEAR(force_of(r, "Forward Tractor 1", 1, 1, 30), 80, 0);
    CHECK_NEAR(force_of(r, "Forward Tractor 1", 1, 1, 117.1), 80, 0.01); /* 114 from y 3.1 */
    CHECK_NEAR(force_of(r, "Forward Tractor 1", 1, 1, 3.1 + 228), 40, 0.01);
}

TEST(test_10_6_5_force_follows_system_projector_and_distance)
{
    static const float distances[] = { 30, 100, 117, 130, 231, 400 };
    for (unsigned i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        rig     *r = tow(distances[i]);
        sb_ship *ship = &r->ships[0];
        ship->condition[rig_entry(ship, SB_SUBSYSTEM_TRACTOR_SYSTEM)] *= 0.8f;
        ship->child_condition[rig_child(ship, "Forward Tractor 2")] *= 0.9f;
        pull(r);
        rig_steps(r, 2);
        double far = (double)distances[i];
        double used = force_of(r, "Forward Tractor 1", 0.8, 1, far) +
                      force_of(r, "Forward Tractor 2", 0.8, 0.9, far);
        CHECK_NEAR(rig_fighter(r, 0)->drag, used / 320, 1e-5); /* four projectors of 80 */
    }
}

TEST(test_10_6_5_both_ratios_multiply_so_a_worn_system_pulls_less)
{
    rig *r = tow(30);
    pull(r);
    rig_steps(r, 2);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0.5, 1e-6); /* two of four */
    r->ships[0].child_condition[rig_child(&r->ships[0], "Forward Tractor 1")] = 0;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->drag, 0.25, 1e-6); /* a destroyed one counts in the divisor */
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
        CHECK_NEAR(rig_fighter(r, 0)->drag, 0.5, 1e-6);
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
    rig     *r = tow(150);
    sb_ship *ship = &r->ships[0];
    unsigned impulse = rig_entry(ship, SB_SUBSYSTEM_IMPULSE);
    ship->child_condition[rig_child(ship, "Port Impulse")] *= 0.8f;
    ship->child_condition[rig_child(ship, "Forward Tractor 2")] *= 0.9f;
    ship->power_wanted[impulse] = 1.25f;
    pull(r);
    rig_steps(r, 2);
    const sb_fighter *f = rig_fighter(r, 0);
    CHECK(f->drag > 0.3f && f->drag < 0.5f);
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
    /* The two forward projectors of four. */
    float used = 2 * rig_weapon(r, 0, "Forward Tractor 1")->figures->max_damage;
    float most = used + 2 * rig_weapon(r, 0, "Aft Tractor 1")->figures->max_damage;
    CHECK_NEAR(rig_fighter(r, 0)->drag, used / most, 1e-5);
    CHECK(rig_weapon(r, 0, "Forward Tractor 1")->firing);
    rig_move(r, 1, (sb_vec3){ 0, 0, 200 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
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
