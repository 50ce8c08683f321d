/* tests/combat/weapons_test.c -- beams, bolts, torpedoes, tractors. Spec 10 §6. */
#include "rig.h"

#include <string.h>

static const sb_vec3 origin = { 0, 0, 0 };
static const sb_cv3  ahead = { 0, 127, 0 };
static const sb_cv4b no_aim = { { 0, 0, 0 }, 0 };

/* A Sovereign in the origin and a target this far ahead, which never recharges its shields. */
static rig *duel(uint8_t species, uint8_t target_species, float distance)
{
    rig *r = rig_default();
    rig_add(r, 0, species, origin);
    sb_ship *target = rig_add(r, 1, target_species, (sb_vec3){ 0, distance, 0 });
    target->power_wanted[rig_entry(target, SB_SUBSYSTEM_SHIELD)] = 0;
    return r;
}

static void fire_phasers(rig *r, unsigned n, unsigned at)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(at), (sb_cv4b){ 0 });
}

static void fire_tube(rig *r, int tube, uint8_t type, sb_cv3 way, uint32_t target)
{
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, tube), type,
                      way, target, no_aim);
}

static unsigned firing_banks(rig *r, unsigned n)
{
    const sb_fighter *f = rig_fighter(r, n);
    unsigned          count = 0;
    for (unsigned i = 0; i < f->weapon_count; i++)
        count += f->weapons[i].type == SB_SUBSYSTEM_PHASER_BANK && f->weapons[i].firing;
    return count;
}

/* ---- geometry, on which arcs and impacts rest ---- */

TEST(test_10_6_2_angles_agree_with_atan2)
{
    for (int i = -300; i <= 300; i++)
        for (int j = -300; j <= 300; j += 7) {
            float y = (float)i * 0.013f, x = (float)j * 0.011f;
            CHECK_NEAR(sb_v_angle(y, x), i == 0 && j == 0 ? 0 : atan2((double)y, (double)x), 1e-6);
        }
    CHECK_NEAR(sb_v_angle(1e-20f, 1e-18f), 0.01, 1e-6);
}

TEST(test_10_6_2_arcs_agree_with_the_formula_of_the_spec)
{
    const sb_ship_set *set = sb_stock_ships();
    unsigned           inside = 0, tests = 0;
    for (size_t n = 0; n < set->count; n++)
        for (unsigned c = 0; c < set->ships[n].child_count; c++) {
            const sb_weapon_class *w = set->ships[n].children[c].weapon;
            if (!w || set->ships[n].children[c].type != SB_SUBSYSTEM_PHASER_BANK) continue;
            sb_vec3 f = sb_v_from(w->forward), u = sb_v_from(w->up), right = sb_v_cross(f, u);
            for (int a = 0; a < 500; a++) {
                sb_vec3 t = { (float)(a % 11) - 5.03f, (float)(a % 7) - 3.04f,
                              (float)(a % 13) - 6.05f };
                double  width = atan2((double)sb_v_dot(t, right), (double)sb_v_dot(t, f));
                double  height = atan2((double)sb_v_dot(t, u),
                                       hypot((double)sb_v_dot(t, f), (double)sb_v_dot(t, right)));
                double  tolerance = 0.09;
                double  slack[4] = { width - (double)w->arc_width[0] + tolerance,
                                     (double)w->arc_width[1] + tolerance - width,
                                     height - (double)w->arc_height[0] + tolerance,
                                     (double)w->arc_height[1] + tolerance - height };
                bool    expected = true, close = false;
                for (unsigned i = 0; i < 4; i++) {
                    expected &= slack[i] >= 0;
                    close |= fabs(slack[i]) < 1e-4;
                }
                if (close || fabs(width) > 3.05) continue; /* widened past half a circle */
                CHECK_EQ(sb_geometry_is_in_arc(w, t, 0.09f), expected);
                inside += expected;
                tests++;
            }
        }
    CHECK(tests > 10000);
    CHECK(inside > 1000);
}

TEST(test_10_6_2_an_arc_widened_past_half_a_circle_continues)
{
    sb_weapon_class w = { .forward = { 0, 1, 0 },
                          .up = { 0, 0, 1 },
                          .arc_width = { 2.0f, 3.1f },
                          .arc_height = { -1, 1 } };
    CHECK(sb_geometry_is_in_arc(&w, (sb_vec3){ 0.01f, -1, 0 }, 0.09f));
    CHECK(sb_geometry_is_in_arc(&w, (sb_vec3){ -0.01f, -1, 0 }, 0.09f));
    CHECK(!sb_geometry_is_in_arc(&w, (sb_vec3){ -0.2f, -1, 0 }, 0.09f));
}

TEST(turns_are_limited_and_keep_their_length)
{
    sb_vec3 d = { 0, 1, 0 };
    for (unsigned i = 0; i < 9; i++) d = sb_geometry_turned(d, (sb_vec3){ 1, 0, 0 }, 0.1f);
    CHECK_NEAR(d.x, sin(0.9), 1e-6);
    CHECK_NEAR(d.y, cos(0.9), 1e-6);
    for (unsigned i = 0; i < 9; i++) d = sb_geometry_turned(d, (sb_vec3){ 1, 0, 0 }, 0.1f);
    CHECK_NEAR(d.x, 1, 1e-6); /* and do not go past it */
    d = sb_geometry_turned((sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, -1, 0 }, 0.1f);
    CHECK_NEAR(sb_v_length(d), 1, 1e-6);
    CHECK_NEAR(d.y, cos(0.1), 1e-6);
}

/* ---- §6.2 beams ---- */

TEST(test_10_6_2_all_banks_in_arc_fire_by_the_formula)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    fire_phasers(r, 0, 1);
    rig_steps(r, 1);
    unsigned banks = firing_banks(r, 0);
    CHECK(banks >= 4);
    CHECK(banks < 8);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_NEAR(hit->amount, banks * 300 * 0.75 / 30, 0.01); /* level 1 at creation */
    CHECK_EQ(hit->cause, SB_DAMAGE_BEAM);
    CHECK_EQ(hit->attacker, RIG_OWNER(0));
    CHECK_EQ(hit->attacker_ship, RIG_SHIP(0));
    CHECK_EQ(hit->index, 1); /* from behind: both look along +y */
}

TEST(test_10_6_2_the_level_scales_damage_and_discharge)
{
    static const double level[3] = { 0.5, 0.75, 1.0 };
    for (uint8_t i = 0; i < 3; i++) {
        rig *r = duel(SOVEREIGN, GALAXY, 30);
        sb_combat_phaser_level(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                               i);
        fire_phasers(r, 0, 1);
        rig_steps(r, 30);
        const sb_weapon *w = rig_weapon(r, 0, "Dorsal Phaser 2");
        CHECK(w->firing);
        CHECK_NEAR(w->charge, 5 - level[i], 1e-4);
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, firing_banks(r, 0) * 10 * level[i],
                   0.01);
    }
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 3);
    CHECK_EQ(r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM)], 1);
}

TEST(test_10_6_2_damage_falls_with_distance_to_twice_the_range)
{
    rig *r = duel(SOVEREIGN, GALAXY, 105); /* 1.5 x 70, less what a bank is ahead of the centre */
    fire_phasers(r, 0, 1);
    rig_steps(r, 1);
    unsigned banks = firing_banks(r, 0);
    CHECK(banks > 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, banks * 7.5 * 70 / 104, banks * 0.1);
    r = duel(SOVEREIGN, GALAXY, 145);
    fire_phasers(r, 0, 1);
    rig_steps(r, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK(firing_banks(r, 0) > 0);
}

TEST(test_10_6_2_condition_of_bank_and_system_scale_the_damage)
{
    rig     *r = duel(VORCHA, GALAXY, 30); /* one beam: 450 HP/s */
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    unsigned bank = ship->model->subsystems[system].first_child;
    ship->condition[system] *= 0.8f;
    ship->child_condition[bank] *= 0.9f;
    fire_phasers(r, 0, 1);
    rig_steps(r, 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 450 * 0.75 / 30 * 0.8 * 0.9, 0.01);
}

TEST(test_10_6_2_an_empty_bank_starts_again_at_its_minimum)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    fire_phasers(r, 0, 1);
    sb_weapon *w = rig_weapon(r, 0, "Dorsal Phaser 2");
    rig_steps(r, 199); /* 5 / 0.75 = 6.67 s = 200 steps */
    CHECK(w->firing);
    rig_steps(r, 2);
    CHECK(!w->firing);
    CHECK(w->charge < 0.1f);
    w->charge = 2.9f; /* minimum 3 */
    rig_steps(r, 1);
    CHECK(!w->firing);
    w->charge = 3.0f;
    rig_steps(r, 1);
    CHECK(w->firing);
}

TEST(test_10_6_2_an_idle_bank_recharges_by_condition_and_power)
{
    rig       *r = duel(SOVEREIGN, GALAXY, 30);
    sb_ship   *ship = &r->ships[0];
    sb_weapon *w = rig_weapon(r, 0, "Dorsal Phaser 2");
    w->charge = 1;
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 1.08, 1e-4);
    ship->child_condition[w->child] *= 0.5f;
    ship->power_wanted[w->system] = 1.25f;
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 1.08 + 0.08 * 0.5 * 1.25, 1e-4);
    w->charge = 4.9999f;
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 5, 0);
}

TEST(test_10_6_2_0x07_comes_twice_and_0x08_ends_it)
{
    rig     *r = duel(SOVEREIGN, GALAXY, 30);
    uint32_t phasers = rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1);
    fire_phasers(r, 0, 1);
    fire_phasers(r, 0, 1);
    rig_steps(r, 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), phasers, RIG_SHIP(5)); /* at somebody else */
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 3);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), phasers, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 3);
    fire_phasers(r, 0, 1);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 4);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), phasers, 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 4);
    CHECK_EQ(firing_banks(r, 0), 0);
}

TEST(test_10_6_2_an_order_without_target_takes_the_last_known)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 0,
                           (sb_cv4b){ 0 });
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    sb_combat_target(r->combat, RIG_SHIP(0), RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    sb_combat_target(r->combat, RIG_SHIP(0), 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(test_10_6_2_banks_stop_when_the_target_leaves_their_arc)
{
    rig *r = duel(VORCHA, GALAXY, 30); /* one forward beam */
    fire_phasers(r, 0, 1);
    rig_steps(r, 1);
    CHECK_EQ(firing_banks(r, 0), 1);
    rig_move(r, 1, (sb_vec3){ 0, -30, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_steps(r, 1);
    CHECK_EQ(firing_banks(r, 0), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(test_10_6_1_a_closed_gate_stops_the_beams)
{
    rig     *r = duel(SOVEREIGN, GALAXY, 30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    fire_phasers(r, 0, 1);
    rig_steps(r, 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(firing_banks(r, 0), 0);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), true);
    rig_steps(r, 1);
    CHECK(firing_banks(r, 0) > 0);
    unsigned         before = firing_banks(r, 0);
    const sb_weapon *bank = rig_weapon(r, 0, "Dorsal Phaser 2");
    ship->child_condition[bank->child] *= 0.75f; /* a bank stops at 75 % */
    rig_steps(r, 1);
    CHECK_EQ(firing_banks(r, 0), before - 1);
    ship->condition[system] *= 0.5f;
    rig_steps(r, 1);
    CHECK_EQ(firing_banks(r, 0), 0);
}

TEST(test_10_3_2_a_system_is_disabled_when_all_children_are)
{
    rig     *r = duel(VORCHA, GALAXY, 30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    CHECK(sb_combat_may_fire_system(rig_fighter(r, 0), system));
    ship->child_condition[ship->model->subsystems[system].first_child] = 0;
    CHECK(!sb_combat_may_fire_system(rig_fighter(r, 0), system));
}

TEST(test_10_11_4_ships_in_different_sets_cannot_hit_each_other)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    fire_phasers(r, 0, 1);
    fire_tube(r, 0, 2, ahead, 0);
    rig_seconds(r, 4);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET, r->now);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(a_ship_cannot_fire_at_itself)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    fire_phasers(r, 0, 0);
    fire_tube(r, 0, 2, ahead, RIG_SHIP(0));
    CHECK_EQ(rig_fighter(r, 0)->target, 0);
    rig_steps(r, 2);
    for (size_t i = 0; i < r->event_count; i++) CHECK(r->events[i].object_id != RIG_SHIP(0));
}

TEST(plausibility_beams_beyond_range_are_counted_level_3_stops)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 143, 0 });
        fire_phasers(r, 0, 1); /* 140 and tolerance 2 */
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_RANGE), 1);
        CHECK_EQ(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->index, SB_IMPLAUSIBLE_RANGE);
        CHECK_EQ(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->attacker, RIG_OWNER(0));
        CHECK_EQ(rig_fighter(r, 0)->ordered != 0, level == SB_FIDELITY_WEAPONS);
    }
    rig *r = duel(SOVEREIGN, GALAXY, 141.5f);
    fire_phasers(r, 0, 1);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_RANGE), 0);
}

/* ---- §6.3 pulse weapons ---- */

static void fire_cannon(rig *r, int cannon, uint8_t type, sb_cv3 way)
{
    sb_combat_pulse(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PULSE_SYSTEM, cannon), type,
                    way, RIG_SHIP(1));
}

TEST(test_10_6_3_a_bolt_flies_straight_with_damage_of_its_type)
{
    rig *r = duel(BIRD_OF_PREY, GALAXY, 60);
    fire_cannon(r, 0, 8, ahead); /* PulseDisruptor: 220, 55 units/s */
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 40);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_NEAR(hit->amount, 220, 0);
    CHECK_EQ(hit->cause, SB_DAMAGE_BOLT);
    for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
        CHECK_EQ(sb_combat_implausible(r->combat, (sb_implausible)i), 0);
    CHECK_EQ(hit->index, 1);
    CHECK_EQ(r->combat->shot_count, 0);
}

TEST(test_10_6_3_a_type_that_is_no_bolt_means_the_ships_own)
{
    rig *r = duel(BIRD_OF_PREY, GALAXY, 60);
    fire_cannon(r, 0, 2, ahead); /* captured: 2, which names a torpedo */
    CHECK_EQ(r->combat->shots[0].figures->type, 8);
    fire_cannon(r, 1, 200, ahead);
    CHECK_EQ(r->combat->shots[1].figures->type, 8);
}

TEST(test_10_6_3_each_bolt_costs_one_charge_and_needs_the_minimum)
{
    rig       *r = duel(BIRD_OF_PREY, GALAXY, 60);
    sb_weapon *w = rig_weapon(r, 0, "Port Cannon"); /* 3.8, minimum 3.6, recharge 0.4 */
    fire_cannon(r, 0, 8, ahead);
    CHECK_NEAR(w->charge, 2.8, 1e-5);
    fire_cannon(r, 0, 8, ahead);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_RATE), 1);
    w->charge = 3.36f; /* 3.6 - 0.25 = 3.35 */
    fire_cannon(r, 0, 8, ahead);
    CHECK_EQ(r->combat->shot_count, 2);
    w->charge = 3.34f;
    fire_cannon(r, 0, 8, ahead);
    CHECK_EQ(r->combat->shot_count, 2);
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 3.74, 1e-3);
}

TEST(test_10_6_3_bolts_end_after_their_lifetime)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, origin);
    sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 8, ahead, 0);
    rig_steps(r, 239);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1); /* 8 s */
    CHECK_EQ(r->combat->shot_count, 0);
}

TEST(plausibility_bolts_out_of_arc_are_counted_level_3_stops_them)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, BIRD_OF_PREY, origin);
        sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 4, 8, (sb_cv3){ 0, -127, 0 }, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_ARC), 1);
        CHECK_EQ(r->combat->shot_count, level == SB_FIDELITY_WEAPONS);
    }
}

TEST(plausibility_weapons_the_ship_does_not_have_are_counted)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    sb_combat_pulse(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 6, 8, ahead, 0); /* a tube */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 0, 2, ahead, 0, no_aim); /* hull */
    sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 1 + 2, RIG_SHIP(1),
                           (sb_cv4b){ 0 });
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 3);
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    /* An id of another ship is late, not false. */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), RIG_SHIP(1) + 7, 2, ahead, 0, no_aim);
    sb_combat_torpedo(r->combat, RIG_SHIP(0), 0, 2, ahead, 0, no_aim);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 3);
}

/* The longest list a data file can have, with the phasers at its end. */
TEST(test_10_6_2_the_last_of_32_entries_fires_like_any_other)
{
    static sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    static sb_ship_class      model;
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    unsigned phasers = rig_entry(&(sb_ship){ .model = &model }, SB_SUBSYSTEM_PHASER_SYSTEM);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        entries[i] = model.subsystems[0];
        entries[i].creation_index = i == 0 ? 0 : -1; /* an id belongs to one entry */
    }
    entries[SB_SUBSYSTEMS_MAX - 1] = model.subsystems[phasers];
    model.subsystems = entries;
    model.subsystem_count = SB_SUBSYSTEMS_MAX;
    rig *r = rig_default();
    sb_ship_init(&r->ships[0], &model, SOVEREIGN, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, r->now), SB_OK);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 20, 0 });
    rig_facings(&r->ships[1], 0);
    fire_phasers(r, 0, 1);
    rig_steps(r, 2);
    CHECK(rig_count(r, SB_COMBAT_HIT) > 0);
}

/* ---- §6.4 torpedoes ---- */

TEST(test_10_6_4_a_torpedo_flies_and_hits)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    fire_tube(r, 0, 3, ahead, RIG_SHIP(1)); /* quantum: 900, 22 units/s */
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

TEST(test_10_6_4_a_torpedo_whose_owner_left_is_not_his_successors)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    fire_tube(r, 0, 3, ahead, RIG_SHIP(1));
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    sb_combat_disown(r->combat, RIG_OWNER(0)); /* somebody else has his id */
    rig_steps(r, 45);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->attacker, 0);
}

TEST(test_10_6_4_a_tube_is_empty_until_it_is_reloaded)
{
    rig *r = duel(SOVEREIGN, GALAXY, 3000);
    fire_tube(r, 0, 2, ahead, 0);
    rig_seconds(r, 1);
    fire_tube(r, 0, 2, ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 1);
    CHECK_EQ(r->combat->shot_count, 1);
    fire_tube(r, 1, 2, ahead, 0); /* the next one is another matter */
    CHECK_EQ(r->combat->shot_count, 2);
    rig_steps(r, 1200 - 31);
    fire_tube(r, 0, 2, ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 2);
    rig_steps(r, 1); /* 40 s */
    fire_tube(r, 0, 2, ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 2);
}

TEST(test_10_6_4_a_tube_with_two_places_has_an_interval)
{
    rig *r = rig_default();
    rig_add(r, 0, GALOR, origin); /* two ready, 1.5 s, 30 s */
    uint32_t tube = RIG_SHIP(0) + 1 + 9;
    for (unsigned i = 0; i < 2; i++)
        sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 5, ahead, 0, no_aim);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 41); /* 1.37 s */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 5, ahead, 0, no_aim);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1); /* 1.4 s: 0.1 s of lag is forgiven */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 5, ahead, 0, no_aim);
    CHECK_EQ(r->combat->shot_count, 2);
    rig_steps(r, 900 - 42);
    CHECK_EQ(rig_fighter(r, 0)->weapons[4].ready, 1); /* each place by itself */
    rig_steps(r, 42);
    CHECK_EQ(rig_fighter(r, 0)->weapons[4].ready, 2);
}

TEST(test_10_6_4_changing_the_type_empties_all_tubes)
{
    rig     *r = duel(SOVEREIGN, GALAXY, 3000);
    uint32_t system = rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), system, 0); /* the same: nothing */
    fire_tube(r, 0, 2, ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), system, 1);
    for (int tube = 0; tube < 6; tube++) fire_tube(r, tube, 3, ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1199);
    fire_tube(r, 3, 3, ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 7);
    rig_steps(r, 1);
    fire_tube(r, 3, 3, ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 7);
}

TEST(test_10_6_4_guidance_turns_at_most_by_the_limit_and_ends)
{
    rig *r = duel(SOVEREIGN, GALAXY, 500);
    rig_move(r, 1, (sb_vec3){ 500, 0, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    fire_tube(r, 0, 2, ahead, RIG_SHIP(1)); /* 0.15 rad/s, 6 s */
    rig_steps(r, 60);
    CHECK_NEAR(r->combat->shots[0].direction.x, sin(0.3), 1e-4);
    rig_steps(r, 120);
    CHECK_NEAR(r->combat->shots[0].direction.x, sin(0.9), 1e-4);
    rig_steps(r, 60);
    CHECK_NEAR(r->combat->shots[0].direction.x, sin(0.9), 1e-4);
    CHECK_NEAR(sb_v_length(r->combat->shots[0].direction), 1, 1e-5);
}

TEST(test_10_6_4_a_torpedo_aims_at_the_offset_of_its_message)
{
    rig    *r = duel(SOVEREIGN, GALAXY, 100);
    sb_cv4b aim = { { 127, 0, 0 }, 255 }; /* one bounding radius to starboard */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      ahead, RIG_SHIP(1), aim);
    CHECK_NEAR(r->combat->shots[0].aim.x, r->ships[1].model->bound_radius, 1e-4);
    rig_steps(r, 30);
    CHECK(r->combat->shots[0].direction.x > 0.01f);
}

TEST(test_10_6_4_a_torpedo_without_lifetime_flies_30_seconds)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, origin);
    fire_tube(r, 0, 2, ahead, 0);
    rig_steps(r, 899);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1);
    CHECK_EQ(r->combat->shot_count, 0);
}

TEST(test_10_6_4_shields_make_a_ship_larger)
{
    for (unsigned up = 0; up < 2; up++) {
        rig  *r = duel(SOVEREIGN, GALAXY, 60);
        float radius = r->ships[1].model->bound_radius;
        /* It passes at 0.8 of the radius: within the shields, beside the hull. */
        rig_move(r, 1, (sb_vec3){ 0.8f * radius, 60, 0 }, (sb_vec3){ 0, 1, 0 },
                 (sb_vec3){ 0, 0, 1 }, 0);
        r->ships[1].on[rig_entry(&r->ships[1], SB_SUBSYSTEM_SHIELD)] = up != 0;
        fire_tube(r, 0, 2, ahead, 0);
        rig_seconds(r, 6);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), up);
    }
}

TEST(test_10_6_4_projectiles_outlive_their_ship_and_hit_anybody)
{
    rig *r = duel(SOVEREIGN, GALAXY, 60);
    rig_add(r, 2, AKIRA, (sb_vec3){ 0, 30, 0 });
    fire_tube(r, 0, 2, ahead, RIG_SHIP(1));
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    rig_seconds(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(2));
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->attacker, RIG_OWNER(0));
}

TEST(test_10_6_4_the_first_ship_on_the_way_is_hit)
{
    rig *r = duel(BIRD_OF_PREY, GALAXY, 60);
    rig_add(r, 2, GALAXY,
            (sb_vec3){ 0, 59.99f, 0 }); /* entered in the same step, a little before */
    fire_cannon(r, 0, 8, ahead);
    rig_steps(r, 40);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(2));
}

TEST(test_10_6_4_a_cloaked_target_is_no_longer_followed)
{
    rig *r = duel(SOVEREIGN, BIRD_OF_PREY, 500);
    rig_move(r, 1, (sb_vec3){ 500, 0, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    r->ships[1].cloaked = true;
    rig_steps(r, 100);
    fire_tube(r, 0, 2, ahead, RIG_SHIP(1));
    rig_steps(r, 51); /* cloaked from step 150 on */
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(1)), 3);
    sb_vec3 before = r->combat->shots[0].direction;
    CHECK(before.x > 0.1f);
    rig_steps(r, 30);
    CHECK_NEAR(r->combat->shots[0].direction.x, before.x, 0);
}

TEST(test_10_6_4_the_65th_projectile_of_a_ship_replaces_the_first)
{
    rig *r = duel(SOVEREIGN, GALAXY, 3000);
    for (unsigned i = 0; i < 70; i++) {
        rig_weapon(r, 0, "Forward Torpedo 1")->ready = 1;
        rig_weapon(r, 0, "Forward Torpedo 1")->loading = 0;
        rig_weapon(r, 0, "Forward Torpedo 1")->has_fired = false;
        fire_tube(r, 0, 2, (sb_cv3){ (int8_t)i, 127, 0 }, 0);
    }
    CHECK_EQ(r->combat->shot_count, SB_COMBAT_PROJECTILES);
    CHECK_NEAR(r->combat->shots[0].direction.x, 6 / sqrt(6 * 6 + 127 * 127), 1e-4);
}

TEST(test_10_6_4_a_type_nobody_knows_means_what_the_ship_carries)
{
    rig *r = duel(SOVEREIGN, GALAXY, 300);
    fire_tube(r, 0, 99, ahead, 0);
    CHECK_EQ(r->combat->shots[0].figures->type, 2);
    r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_TORPEDO_SYSTEM)] = 1;
    fire_tube(r, 1, 99, ahead, 0);
    CHECK_EQ(r->combat->shots[1].figures->type, 3);
}

TEST(test_10_6_1_torpedoes_fly_at_scenery_but_not_at_dead_ships)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    fire_tube(r, 0, 2, ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_WEAPON_GATE), 0); /* a late shot */
    fire_tube(r, 0, 2, ahead, 0x00000123);
    CHECK_EQ(r->combat->shot_count, 1);
}

TEST(test_10_6_4_a_direction_of_zero_is_ignored)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
    fire_tube(r, 0, 2, (sb_cv3){ 0, 0, 0 }, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(rig_weapon(r, 0, "Forward Torpedo 1")->ready, 1);
}

TEST(test_10_6_4_a_bolt_from_a_tube_is_counted_level_3_stops_it)
{
    for (uint8_t level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, origin);
        fire_tube(r, 0, 11, ahead, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 1);
        CHECK_EQ(r->combat->shot_count, level == SB_FIDELITY_WEAPONS);
    }
}

/* ---- §6.5 tractors ---- */

TEST(test_10_6_5_tractors_do_no_damage_and_brake_by_their_share)
{
    rig *r = duel(SOVEREIGN, GALAXY, 30);
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
    CHECK(!rig_fighter(r, 0)->tractor_fires); /* overhead: in nobody's arc */
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
