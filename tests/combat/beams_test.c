/* tests/combat/beams_test.c -- phaser beams. Spec 10 §6.2. */
#include "rig.h"

TEST(test_10_6_2_all_banks_in_arc_fire_by_the_formula)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1);
    unsigned banks = rig_firing_banks(r, 0);
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
        rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
        sb_combat_phaser_level(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                               i);
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_steps(r, 30);
        const sb_weapon *w = rig_weapon(r, 0, "Dorsal Phaser 2");
        CHECK(w->firing);
        CHECK_NEAR(w->charge, 5 - level[i], 1e-4);
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, rig_firing_banks(r, 0) * 10 * level[i],
                   0.01);
    }
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_phaser_level(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), 3);
    CHECK_EQ(r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM)], 1);
}

TEST(test_10_6_2_damage_falls_with_distance_to_twice_the_range)
{
    rig *r =
        rig_duel(SOVEREIGN, GALAXY, 105); /* 1.5 x 70, less the bank's distance from the centre */
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1);
    unsigned banks = rig_firing_banks(r, 0);
    CHECK(banks > 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, banks * 7.5 * 70 / 104, banks * 0.1);
    r = rig_duel(SOVEREIGN, GALAXY, 145);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK(rig_firing_banks(r, 0) > 0);
}

TEST(test_10_6_2_condition_of_bank_and_system_scale_the_damage)
{
    rig     *r = rig_duel(VORCHA, GALAXY, 30); /* one beam: 450 HP/s */
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    unsigned bank = ship->model->subsystems[system].first_child;
    ship->condition[system] *= 0.8f;
    ship->child_condition[bank] *= 0.9f;
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 450 * 0.75 / 30 * 0.8 * 0.9, 0.01);
}

TEST(test_10_6_2_an_empty_bank_starts_again_at_its_minimum)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
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

TEST(test_10_6_2_banks_stop_when_the_target_leaves_their_arc)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30); /* one forward beam */
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    rig_move(r, 1, (sb_vec3){ 0, -30, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
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
    rig_steps(r, 2);
    CHECK(rig_count(r, SB_COMBAT_HIT) > 0);
}

/* Distances count from the bank; its full damage ends at 60. */
TEST(test_10_6_2_beams_do_no_damage_beyond_twice_their_range)
{
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        rig         *r = rig_default();
        sb_ship     *ship = rig_add(r, 0, VORCHA, rig_origin);
        unsigned     system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
        const float *bank =
            ship->model->children[ship->model->subsystems[system].first_child].position;
        float distance = beyond ? 120.1f : 119.9f;
        rig_add(r, 1, GALAXY, (sb_vec3){ bank[0], bank[1] + distance, bank[2] });
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        CHECK_EQ(rig_beam_victim(r), beyond ? 0 : RIG_SHIP(1));
    }
}

/* Without power the bank does not charge before it fires. */
TEST(test_10_6_2_a_bank_starts_with_exactly_its_minimum)
{
    for (unsigned less = 0; less < 2; less++) {
        rig       *r = rig_ambush();
        sb_weapon *w = NULL;
        for (unsigned i = 0; i < rig_fighter(r, 0)->weapon_count; i++)
            if (rig_fighter(r, 0)->weapons[i].type == SB_SUBSYSTEM_PHASER_BANK)
                w = &rig_fighter(r, 0)->weapons[i];
        CHECK(w);
        float least = w->figures->min_firing_charge;
        CHECK(least > 0);
        r->ships[0].power_wanted[w->system] = 0;
        w->charge = less ? nextafterf(least, 0) : least;
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        CHECK_EQ(rig_beam_victim(r), less ? 0 : RIG_SHIP(1));
    }
}
