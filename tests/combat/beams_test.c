/* tests/combat/beams_test.c -- phaser beams. Spec 10 §6.2. The measured figures are those of the
 * public captures that the contract names (docs/facts/engine-contract.csv). */
#include "rig.h"

enum { KESSOK_HEAVY = 13 };

/* The step of the n-th hit (n from 0) after now, at most 400 steps later. */
static unsigned steps_to_hit(rig *r, unsigned n)
{
    for (unsigned step = 1; step <= 400; step++) {
        rig_steps(r, 1);
        if (rig_count(r, SB_COMBAT_HIT) > n) return step;
    }
    FAIL("no hit %u in 400 steps", n);
}

static void set_level(rig *r, unsigned n, uint8_t level)
{
    sb_combat_phaser_level(r->combat, RIG_SHIP(n), rig_id(r, n, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           level);
}

/* A Vor'cha has one forward bank: 450 HP, charge 8. */
TEST(test_10_6_2_a_beam_strikes_after_its_windup_in_quanta)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    CHECK_NEAR(steps_to_hit(r, 0) / 30.0, 1.156, 0.017);
    rig_seconds(r, 4);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 8); /* 7 more in 4 s */
    for (unsigned i = 0; i < 8; i++)
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, i)->amount, 450 * 0.5 * 0.53125, 0.01);
    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK_EQ(hit->cause, SB_DAMAGE_BEAM);
    CHECK_EQ(hit->attacker, RIG_OWNER(0));
    CHECK_EQ(hit->attacker_ship, RIG_SHIP(0));
    CHECK_EQ(hit->index, 1); /* from behind: both look along +y */
}

/* The strikes stay on the grid of 0.53125 s: rounding to steps does not add up. */
TEST(test_10_6_2_strikes_do_not_drift_from_their_grid)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    unsigned step = 0;
    for (unsigned i = 0; i < 12; i++) {
        step += steps_to_hit(r, i);
        CHECK_NEAR(step / 30.0, 1.15625 + i * 0.53125, 0.0167);
    }
}

TEST(test_10_6_2_the_level_scales_damage_and_discharge_apart)
{
    static const double damage[3] = { 0.25, 0.5, 0.5 }, discharge[3] = { 0.35, 1, 1 };
    for (uint8_t i = 0; i < 3; i++) {
        rig *r = rig_duel(VORCHA, GALAXY, 30);
        set_level(r, 0, i);
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_steps(r, 45); /* 0.5 s without discharge, then 1 s */
        const sb_weapon *w = rig_weapon(r, 0, "Disruptor");
        CHECK(w->firing);
        CHECK_NEAR(w->charge, 8 - discharge[i], 1e-4);
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 450 * 0.53125 * damage[i], 0.01);
    }
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    set_level(r, 0, 3); /* no such level */
    CHECK_EQ(r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM)], 1);
}

/* Low level discharges a third: high level for the moment of the strike alone must gain nothing. */
TEST(test_10_6_2_a_strike_has_the_lowest_level_of_its_quantum)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    set_level(r, 0, 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 50);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    set_level(r, 0, 2);
    rig_steps(r, 1); /* 1.6875 s */
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 1)->amount, 450 * 0.53125 * 0.25, 0.01);
    rig_steps(r, 16); /* a whole quantum at high level */
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 2)->amount, 450 * 0.53125 * 0.5, 0.01);
}

TEST(test_10_6_2_at_low_level_a_beam_spares_the_hull)
{
    for (uint8_t level = 0; level < 2; level++) {
        rig     *r = rig_duel(VORCHA, GALAXY, 30);
        sb_ship *ship = &r->ships[1];
        rig_facings(ship, 0);
        ship->on[rig_entry(ship, SB_SUBSYSTEM_REPAIR)] = false;
        rig_move(r, 1, (sb_vec3){ 0, 30, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
        set_level(r, 0, level);
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_seconds(r, 3);
        double lost = 15000 - (double)ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)];
        CHECK_EQ(lost > 0, level == 1);
        CHECK(ship->condition[rig_entry(ship, SB_SUBSYSTEM_SENSOR)] < 8000);
    }
}

/* Inside max_damage_distance (60) the distance does not matter; beyond it the damage falls with
 * 60 / distance, without an end. The distance counts from the bank (2.95 ahead) to the shield (5.58
 * from the centre), or to the stern of the hull (2.42) if the shield is down. */
TEST(test_10_6_2_damage_falls_with_distance_without_an_end)
{
    static const float distances[] = { 30, 57, 90, 180, 600 };
    for (unsigned i = 0; i < 10; i++) {
        float distance = distances[i / 2];
        bool  up = i % 2 == 0;
        rig  *r = rig_duel(VORCHA, GALAXY, distance);
        r->ships[1].on[rig_entry(&r->ships[1], SB_SUBSYSTEM_SHIELD)] = up;
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        steps_to_hit(r, 0);
        double beam = (double)distance - 2.95 - (up ? 5.58 : 2.42),
               share = beam > 60 ? 60 / beam : 1;
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount / (450 * 0.5 * 0.53125), share, 0.006);
    }
}

/* stbc-oracle beam_warbird_front_57: 57.75 of 66.41. The bank is 51.31 from the Galaxy's centre,
 * and the shield ellipsoid 5.31 nearer. */
TEST(test_10_6_2_the_range_of_a_beam_ends_at_the_shields)
{
    for (unsigned up = 0; up < 2; up++) {
        rig *r = rig_duel(WARBIRD, GALAXY, 57);
        rig_move(r, 1, (sb_vec3){ 0, 57, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
        if (!up) rig_facings(&r->ships[1], 0);
        sb_combat_start_firing(r->combat, RIG_SHIP(0), RIG_SHIP(0) + 4, RIG_SHIP(1), rig_no_aim);
        steps_to_hit(r, 0);
        double range = up ? 46.0 : 51.6;
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 66.41 * 40 / range, 0.3);
    }
}

TEST(test_10_6_2_condition_of_bank_and_system_scale_the_damage)
{
    rig     *r = rig_duel(VORCHA, GALAXY, 30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    unsigned bank = ship->model->subsystems[system].first_child;
    ship->condition[system] *= 0.8f;
    ship->child_condition[bank] *= 0.9f;
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    steps_to_hit(r, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 450 * 0.5 * 0.53125 * 0.8 * 0.9, 0.01);
}

/* Captured: four banks of charge 7 fire for 7.38 to 7.59 s and strike with the rest at the end. */
TEST(test_10_6_2_a_bank_that_runs_empty_strikes_with_the_rest)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1); /* from now on it does not recharge */
    rig_weapon(r, 0, "Disruptor")->charge = 7;
    rig_seconds(r, 7.36f);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 12);
    rig_seconds(r, 0.2f);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 13);
    CHECK_NEAR(rig_sum(r, SB_COMBAT_HIT), 450 * 0.5 * (7.5 - 0.625), 450 * 0.5 * 0.034);
}

TEST(test_10_6_2_an_order_to_stop_drops_what_was_collected)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    steps_to_hit(r, 0);
    rig_steps(r, 10);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 0);
    rig_seconds(r, 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    CHECK_NEAR(steps_to_hit(r, 1) / 30.0, 1.156, 0.017); /* the wind-up starts again */
}

TEST(test_10_6_2_an_empty_bank_starts_again_at_its_minimum)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    sb_weapon *w = rig_weapon(r, 0, "Disruptor");
    w->charge = 0.1f;
    rig_steps(r, 1);
    CHECK(!w->firing); /* minimum 4 */
    w->charge = 4;
    rig_steps(r, 1);
    CHECK(w->firing);
    w->charge = 0.1f;
    rig_steps(r, 1);
    CHECK(w->firing); /* any charge is enough to continue */
}

TEST(test_10_6_2_banks_stop_when_the_target_leaves_their_arc)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30); /* one forward beam */
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    steps_to_hit(r, 0);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    rig_move(r, 1, (sb_vec3){ 0, -30, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_seconds(r, 2);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

/* ---- which banks ---- */

static void set_single_fire(sb_subsystem_class *entries, sb_ship_class *model, uint8_t single)
{
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        entries[i] = model->subsystems[i];
        if (entries[i].type == SB_SUBSYSTEM_PHASER_SYSTEM) entries[i].single_fire = single;
    }
    model->subsystems = entries;
}

/* A Sovereign whose phasers are, or are not, a single-fire system, behind a Galaxy. */
static rig *rig_phasers(uint8_t single)
{
    static sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    static sb_ship_class      model;
    rig                      *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    set_single_fire(entries, &model, single);
    sb_ship_init(&r->ships[0], &model, SOVEREIGN, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, r->now), SB_OK);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    return r;
}

TEST(test_10_6_2_all_banks_in_arc_fire_if_not_single_fire)
{
    rig *r = rig_phasers(SB_PROPERTY_NO);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    rig_steps(r, 2); /* captured: each further bank starts some updates later */
    CHECK_EQ(rig_firing_banks(r, 0), 2);
    rig_seconds(r, 0.6f);
    unsigned banks = rig_firing_banks(r, 0);
    CHECK(banks >= 2 && banks < 8);
    rig_seconds(r, 0.8f);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), banks); /* each bank strikes for itself */
}

static int firing_index(rig *r)
{
    const sb_fighter *f = rig_fighter(r, 0);
    for (unsigned i = 0; i < f->weapon_count; i++)
        if (f->weapons[i].firing) return (int)i;
    return -1;
}

TEST(test_10_6_2_single_fire_takes_the_banks_in_list_order)
{
    rig     *r = rig_phasers(SB_PROPERTY_YES);
    int      seen[8], last = -1;
    unsigned count = 0;
    for (unsigned step = 0; step < 30 * 16 && count < 8; step++) {
        rig_steps(r, 1);
        CHECK(rig_firing_banks(r, 0) <= 1);
        int now = firing_index(r);
        if (now >= 0 && now != last) seen[count++] = last = now;
    }
    CHECK(count >= 2);
    for (unsigned i = 1; i < count; i++) CHECK(seen[i] > seen[i - 1]);
}

/* Captured: 5.47 s of beam for a charge of 5, then the next bank. */
TEST(test_10_6_2_single_fire_changes_the_bank_when_it_is_empty)
{
    rig *r = rig_phasers(SB_PROPERTY_YES);
    rig_seconds(r, 5.4f);
    int first = firing_index(r);
    CHECK(first >= 0);
    rig_seconds(r, 0.3f);
    CHECK(firing_index(r) >= 0);
    CHECK(firing_index(r) != first);
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
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_seconds(r, 1.3f);
    CHECK(rig_count(r, SB_COMBAT_HIT) > 0);
}

/* Without power the bank does not charge before it fires. */
TEST(test_10_6_2_a_bank_starts_with_exactly_its_minimum)
{
    for (unsigned less = 0; less < 2; less++) {
        rig       *r = rig_ambush();
        sb_weapon *w = rig_weapon(r, 0, "Disruptor");
        float      least = w->figures->min_firing_charge;
        CHECK(least > 0);
        r->ships[0].power_wanted[w->system] = 0;
        w->charge = less ? nextafterf(least, 0) : least;
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        CHECK_EQ(rig_beam_victim(r), less ? 0 : RIG_SHIP(1));
    }
}

/* ---- measured volleys ---- */

/* A Kessok Heavy 57 units ahead of a Galaxy, nose to nose, level high. */
static rig *rig_volley(float front_share)
{
    rig *r = rig_new();
    r->config.constants.beam_recharge_others = 1; /* the captures are of a single player */
    rig_start(r, false);
    rig_add(r, 0, KESSOK_HEAVY, (sb_vec3){ 0, 57, 0 });
    rig_move(r, 0, (sb_vec3){ 0, 57, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    sb_ship *target = rig_add(r, 1, GALAXY, rig_origin);
    if (front_share > 0) target->facing[0] = 8000 * front_share;
    else rig_facings(target, 0);
    r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM)] = 2;
    uint32_t unknown = RIG_SHIP(0) + 1 + 15; /* counts as that of the phasers */
    sb_combat_start_firing(r->combat, RIG_SHIP(0), unknown, RIG_SHIP(1), rig_no_aim);
    return r;
}

TEST(test_10_5_2_a_captured_volley_leaks_as_measured)
{
    static const struct {
        float  share;   /* of the facing's maximum */
        double through; /* measured share of the volley */
    } rows[] = { { 1, 0.051 }, { 0.5f, 0.387 }, { 0.25f, 0.748 }, { 0, 1 } };
    for (unsigned i = 0; i < 4; i++) {
        rig *r = rig_volley(rows[i].share);
        rig_seconds(r, 9);
        double volley = rig_sum(r, SB_COMBAT_HIT);
        CHECK_NEAR(volley, 5500, 5500 * 0.02);
        CHECK_NEAR(1 - rig_sum(r, SB_COMBAT_ABSORBED) / volley, rows[i].through, 0.03);
    }
}

/* ---- edges ---- */

static sb_weapon_class *beam_of(rig_class *k)
{
    return &k->figures[rig_child(&(sb_ship){ .model = &k->model }, "Disruptor")];
}

/* A Vor'cha of another class fires at a Galaxy. */
static rig *rig_beam(const rig_class *k, float beam_radius, float distance)
{
    rig *r = rig_new();
    r->config.constants.beam_radius = beam_radius;
    rig_start(r, false);
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_facings(rig_add(r, 1, GALAXY, (sb_vec3){ 0, distance, 0 }), 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    return r;
}

TEST(test_10_6_2_a_bank_without_damage_reports_no_hits)
{
    rig_class *k = rig_copy_class(VORCHA);
    for (unsigned damage = 0; damage < 2; damage++) {
        beam_of(k)->max_damage = (float)damage;
        rig *r = rig_beam(k, 0.15f, 30);
        rig_seconds(r, 2);
        CHECK_EQ(rig_firing_banks(r, 0), 1);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT) > 0, damage); /* however little it is */
    }
}

/* Only a reach that is not known is replaced by the constant. */
TEST(test_10_7_a_reach_of_0_is_known)
{
    static const struct {
        float reach, constant;
    } rows[] = { { 0, 3 }, { NAN, 0 }, { NAN, 3 } };
    unsigned parts[3];
    for (unsigned i = 0; i < 3; i++) {
        rig_class *k = rig_copy_class(VORCHA);
        beam_of(k)->damage_radius_factor = rows[i].reach;
        rig *r = rig_beam(k, rows[i].constant, 30);
        steps_to_hit(r, 0);
        parts[i] = rig_count(r, SB_COMBAT_DAMAGED);
    }
    CHECK_EQ(parts[0], parts[1]);
    CHECK(parts[2] > parts[0]);
}

/* Neither the minimum nor power keeps the bank from firing: there is nothing in it. */
TEST(test_10_6_2_a_bank_without_charge_does_not_start)
{
    rig_class *k = rig_copy_class(VORCHA);
    beam_of(k)->min_firing_charge = 0;
    for (unsigned charged = 0; charged < 2; charged++) {
        rig       *r = rig_beam(k, 0.15f, 30);
        sb_weapon *w = rig_weapon(r, 0, "Disruptor");
        r->ships[0].power_wanted[w->system] = 0; /* does not recharge */
        w->charge = charged ? 0.01f : 0;
        rig_steps(r, 1);
        CHECK_EQ(w->firing, charged);
    }
}

/* Many small steps leave a rounding error: a charge of up to 0.0001 is none. */
TEST(test_10_6_2_a_bank_is_empty_at_a_ten_thousandth)
{
    for (unsigned more = 0; more < 2; more++) {
        rig *r = rig_new();
        r->config.constants.discharge_medium = 0; /* the charge stays as it is set */
        rig_start(r, false);
        rig_add(r, 0, VORCHA, rig_origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_steps(r, 20);
        sb_weapon *w = rig_weapon(r, 0, "Disruptor");
        w->charge = more ? nextafterf(1e-4f, 1) : 1e-4f;
        rig_steps(r, 1);
        CHECK_EQ(w->firing, more);
        CHECK_EQ(w->charge > 0, more);
    }
}

/* A bank whose place is not known stands in the centre of its ship. */
TEST(test_10_6_2_a_bank_without_a_place_fires_from_the_centre)
{
    float amount[2];
    for (unsigned known = 0; known < 2; known++) {
        rig_class          *k = rig_copy_class(VORCHA);
        sb_subsystem_class *bank =
            &k->children[rig_child(&(sb_ship){ .model = &k->model }, "Disruptor")];
        bank->has_position = known;
        for (unsigned i = 0; i < 3; i++) bank->position[i] = known ? 0 : NAN;
        rig *r = rig_beam(k, 0.15f, 73.21f);
        rig_move(r, 0, (sb_vec3){ 3, 4, 5 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
        steps_to_hit(r, 0);
        amount[known] = rig_event(r, SB_COMBAT_HIT, 0)->amount;
    }
    CHECK(amount[0] < 110);
    CHECK(amount[0] == amount[1]);
}

TEST(test_10_6_2_a_beam_stops_when_its_system_is_switched_off)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30); /* its one bank is its first weapon */
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 2);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
}

/* An aim needs a length and a direction; the smallest ones count. */
TEST(test_10_7_an_aim_of_zero_means_the_hull)
{
    static const struct {
        sb_cv4b aim;
        bool    given;
    } rows[] = {
        { { { 1, 0, 0 }, 1 }, true },    { { { 0, 1, 0 }, 1 }, true },
        { { { 0, 0, -1 }, 1 }, true },   { { { 127, 0, 0 }, 2 }, true },
        { { { 0, 0, 0 }, 255 }, false }, { { { 127, 9, 9 }, 0 }, false },
    };
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    rig_add(r, 2, 200, (sb_vec3){ 0, 60, 0 }); /* without a model */
    const sb_fighter *f = rig_fighter(r, 1);
    sb_vec3           hull = sb_combat_default_aim(f);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sb_vec3 at = sb_combat_decode_aim(f, rows[i].aim);
        sb_vec3 given = sb_decode_cv4b(rows[i].aim, f->ship->model->bound_radius);
        CHECK_NEAR(sb_v_length(sb_v_sub(at, rows[i].given ? given : hull)), 0, 0);
        at = sb_combat_decode_aim(rig_fighter(r, 2), rows[i].aim);
        CHECK(at.x == 0 && at.y == 0 && at.z == 0);
    }
}

/* ---- full tables ---- */

TEST(first_and_last_phasers_fire_and_stop_apart)
{
    rig *r = rig_full_duel();
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
    rig_steps(r, 1); /* each system starts a bank at once */
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS), 1);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_PHASERS), 1);
    rig_steps(r, 2 * FULL_SYSTEM - 1);
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS), FULL_SYSTEM);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_PHASERS), FULL_SYSTEM);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_PHASERS, -1), 0);
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS), 0);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_PHASERS), FULL_SYSTEM);
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_MORE_PHASERS, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_of(r, FULL_PHASERS), 1);
    CHECK_EQ(rig_firing_of(r, FULL_MORE_PHASERS), 0);
}

/* Single fire: each of two systems has its own next bank. */
TEST(two_single_fire_systems_take_turns_apart)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_PHASERS].single_fire = k->entries[FULL_MORE_PHASERS].single_fire =
        SB_PROPERTY_YES;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
    rig_fire_entry(r, 0, FULL_MORE_PHASERS, RIG_SHIP(1));
    unsigned first = k->entries[FULL_PHASERS].first_child,
             more = SB_WEAPONS_MAX - FULL_SYSTEM; /* in the list of weapons */
    sb_weapon *weapons = rig_fighter(r, 0)->weapons;
    for (unsigned turn = 0; turn < 2 * FULL_SYSTEM + 1; turn++) {
        rig_steps(r, 1);
        for (unsigned i = 0; i < FULL_SYSTEM; i++) {
            CHECK_EQ(weapons[first + i].firing, i == turn % FULL_SYSTEM);
            CHECK_EQ(weapons[more + i].firing, i == turn / 2 % FULL_SYSTEM);
            weapons[first + i].charge = weapons[more + i].charge = 8;
        }
        weapons[first + turn % FULL_SYSTEM].charge = 0; /* empty: the next one's turn */
        if (turn % 2) weapons[more + turn / 2 % FULL_SYSTEM].charge = 0;
    }
}

/* A new order goes on with the next bank, though the last one has charge left. */
TEST(test_10_6_2_single_fire_goes_on_after_the_last_bank)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_PHASERS].single_fire = SB_PROPERTY_YES;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    for (unsigned turn = 0; turn < FULL_SYSTEM + 2; turn++) {
        rig_fire_entry(r, 0, FULL_PHASERS, RIG_SHIP(1));
        rig_steps(r, 2);
        for (unsigned i = 0; i < FULL_SYSTEM; i++)
            CHECK_EQ(rig_fighter(r, 0)->weapons[i].firing, i == turn % FULL_SYSTEM);
        sb_combat_stop_firing(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_PHASERS, -1), 0);
    }
}

/* Low level for a moment of the quantum, high level at its strike. */
TEST(test_10_6_2_a_moment_at_low_level_counts_for_the_strike)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    set_level(r, 0, 2);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 30);
    set_level(r, 0, 0);
    rig_steps(r, 1);
    set_level(r, 0, 2);
    steps_to_hit(r, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 450 * 0.53125 * 0.25, 0.01);
    steps_to_hit(r, 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 1)->amount, 450 * 0.53125 * 0.5, 0.01);
}
