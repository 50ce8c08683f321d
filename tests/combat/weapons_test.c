/* tests/combat/weapons_test.c -- charge, reload, and the conditions for firing. Spec 10 §6. */
#include "rig.h"

TEST(test_10_6_2_an_idle_bank_recharges_by_condition_and_power)
{
    rig       *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_ship   *ship = &r->ships[0];
    sb_weapon *w = rig_weapon(r, 0, "Dorsal Phaser 2");
    w->charge = 1;
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 1 + 0.08 * 1.25, 1e-4); /* x 1.25 on a host */
    ship->child_condition[w->child] *= 0.5f;
    ship->power_wanted[w->system] = 1.25f;
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 1.1 + 0.08 * 1.25 * 0.5 * 1.25, 1e-4);
    w->charge = 4.9999f;
    rig_steps(r, 30);
    CHECK_NEAR(w->charge, 5, 0);
}

TEST(test_10_6_1_a_closed_gate_stops_the_beams)
{
    rig     *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 1);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), false);
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1), true);
    rig_steps(r, 1);
    CHECK(rig_firing_banks(r, 0) > 0);
    const sb_fighter *f = rig_fighter(r, 0);
    unsigned          bank = 0;
    while (!f->weapons[bank].firing) bank++;
    ship->child_condition[f->weapons[bank].child] *= 0.75f; /* a bank stops at 75 % */
    rig_steps(r, 1);
    CHECK(!f->weapons[bank].firing);
    ship->condition[system] *= 0.5f;
    rig_steps(r, 1);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
}

TEST(test_10_3_2_a_system_is_disabled_when_all_children_are)
{
    rig     *r = rig_duel(VORCHA, GALAXY, 30);
    sb_ship *ship = &r->ships[0];
    unsigned system = rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM);
    CHECK(sb_combat_may_fire_system(r->combat, rig_fighter(r, 0), system));
    ship->child_condition[ship->model->subsystems[system].first_child] = 0;
    CHECK(!sb_combat_may_fire_system(r->combat, rig_fighter(r, 0), system));
}

TEST(test_10_11_4_ships_in_different_sets_cannot_hit_each_other)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    rig_seconds(r, 4);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET, r->now);
    rig_seconds(r, 1.2f);
    CHECK(rig_count(r, SB_COMBAT_HIT) > 0);
}

/* A Bird of Prey's cannon: charge 3.8, minimum 3.6, recharge 0.4/s x 1.25 on a host. */
TEST(test_10_6_3_only_the_first_bolt_of_a_burst_needs_the_minimum)
{
    rig       *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
    uint32_t   cannons = rig_id(r, 0, SB_SUBSYSTEM_PULSE_SYSTEM, -1);
    w->charge = 3.34f; /* 3.6 - 0.25 = 3.35 */
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_CHARGE), 1);
    w->charge = 3.8f;
    for (unsigned i = 0; i < 4; i++) { /* captured: four bolts, 0.33 s apart */
        rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_CHARGE), 1);
        rig_steps(r, 10);
    }
    CHECK_NEAR(w->charge, 3.8 - 4 + 0.5 * 40 / 30, 1e-3);
    w->charge = 0.74f; /* 1 - 0.25 = 0.75 */
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_CHARGE), 2);
    w->charge = 1;
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_CHARGE), 2);
    sb_combat_stop_firing(r->combat, RIG_SHIP(0), cannons, 0); /* the trigger is released */
    rig_steps(r, 10);
    w->charge = 3;
    rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_PULSE_CHARGE), 3);
}

TEST(test_10_6_3_the_level_sets_damage_and_cost_of_a_bolt)
{
    static const double damage[3] = { 44, 110, 220 }, cost[3] = { 0.5, 1, 2 };
    for (uint8_t level = 0; level < 3; level++) {
        rig       *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
        sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
        if (level != 1) r->ships[0].setting[w->system] = level; /* medium is the default */
        rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
        CHECK_NEAR(w->charge, 3.8 - cost[level], 1e-4);
        rig_seconds(r, 2);
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, damage[level], 0.01);
    }
}

/* Captured: a Warbird's cannon with a cool-down of 1.6 s fires again after 1.625 s. */
TEST(test_10_6_3_a_cannon_cools_down_between_two_bolts)
{
    rig                   *r = rig_duel(BIRD_OF_PREY, GALAXY, 60);
    sb_weapon             *w = rig_weapon(r, 0, "Port Cannon");
    static sb_weapon_class figures;
    figures = *w->figures;
    figures.cooldown_time = 1.6f;
    CHECK(!sb_combat_is_cannon_cooling(r->combat, rig_fighter(r, 0), w));
    w->has_fired = true;
    w->fired_at = r->combat->step;
    const sb_weapon_class *own = w->figures;
    w->figures = &figures;
    CHECK(sb_combat_is_cannon_cooling(r->combat, rig_fighter(r, 0), w));
    w->figures = own;
    rig_seconds(r, 1.625f);
    w->figures = &figures;
    CHECK(!sb_combat_is_cannon_cooling(r->combat, rig_fighter(r, 0), w));
    w->figures = own;
}

TEST(test_10_6_4_a_tube_is_empty_until_it_is_reloaded)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    rig_seconds(r, 1);
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 1);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_fire_tube(r, 1, 2, rig_ahead, 0); /* another tube is still loaded */
    CHECK_EQ(r->combat->shot_count, 2);
    rig_steps(r, 1200 - 31);
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 2);
    rig_steps(r, 1); /* 40 s */
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 2);
}

TEST(test_10_6_4_a_tube_with_two_places_has_an_interval)
{
    rig *r = rig_default();
    rig_add(r, 0, GALOR, rig_origin); /* two ready, 1.5 s, 30 s */
    uint32_t tube = RIG_SHIP(0) + 1 + 9;
    for (unsigned i = 0; i < 2; i++)
        sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 5, rig_ahead, 0, rig_no_aim);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 41); /* 1.37 s */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 5, rig_ahead, 0, rig_no_aim);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1); /* 1.4 s: 0.1 s of lag is tolerated */
    sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 5, rig_ahead, 0, rig_no_aim);
    CHECK_EQ(r->combat->shot_count, 2);
    rig_steps(r, 900 - 42);
    CHECK_EQ(rig_fighter(r, 0)->weapons[4].ready, 1); /* each place reloads by itself */
    rig_steps(r, 42);
    CHECK_EQ(rig_fighter(r, 0)->weapons[4].ready, 2);
}

TEST(test_10_6_4_changing_the_type_empties_all_tubes)
{
    rig     *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    uint32_t system = rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), system, 0); /* the same type: no effect */
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), system, 1);
    for (int tube = 0; tube < 6; tube++) rig_fire_tube(r, tube, 3, rig_ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
    rig_steps(r, 1199);
    rig_fire_tube(r, 3, 3, rig_ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 7);
    rig_steps(r, 1);
    rig_fire_tube(r, 3, 3, rig_ahead, 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 7);
}

TEST(test_10_6_weapons_begin_charged_and_loaded_at_level_1)
{
    rig *r = rig_default();
    for (unsigned n = 0; n < sb_stock_ships()->count; n++) {
        const sb_ship_class *model = &sb_stock_ships()->ships[n];
        rig_add(r, n, model->species, (sb_vec3){ (float)n * 100, 0, 0 });
        for (unsigned i = 0; i < model->subsystem_count; i++)
            if (model->subsystems[i].type == SB_SUBSYSTEM_PHASER_SYSTEM)
                CHECK_EQ(r->ships[n].setting[i], 1);
        const sb_fighter *f = rig_fighter(r, n);
        for (unsigned i = 0; i < f->weapon_count; i++) {
            const sb_weapon *w = &f->weapons[i];
            if (w->type == SB_SUBSYSTEM_TORPEDO_TUBE) CHECK_EQ(w->ready, w->figures->max_ready);
            else CHECK(w->charge == w->figures->max_charge);
        }
    }
}

/* The first slot holds `count` torpedoes; NAN: not known. */
static rig *rig_with_ammo(float count)
{
    static sb_ordnance   ordnance[8];
    static sb_ship_class model;
    rig                 *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    CHECK(model.ordnance_count <= 8);
    for (unsigned i = 0; i < model.ordnance_count; i++) {
        ordnance[i] = model.ordnance[i];
        ordnance[i].max_torpedoes = count;
    }
    model.ordnance = ordnance;
    sb_ship_init(&r->ships[0], &model, SOVEREIGN, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, r->now), SB_OK);
    return r;
}

static unsigned torpedoes_fired(rig *r)
{
    uint32_t tube = rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0);
    unsigned fired = 0;
    for (unsigned i = 0; i < 20; i++) {
        uint64_t refused = sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE);
        sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 2, (sb_cv3){ 0, 127, 0 }, 0,
                          (sb_cv4b){ 0 });
        fired += sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE) == refused;
        rig_seconds(r, 60);
    }
    return fired;
}

/* Six tubes are loaded; the first one takes what lies in no other tube. */
TEST(test_10_6_4_a_tube_reloads_while_torpedoes_are_left)
{
    CHECK_EQ(torpedoes_fired(rig_with_ammo(12)), 7);
    CHECK_EQ(torpedoes_fired(rig_with_ammo(NAN)), 20); /* a number that is not known is no limit */
}

/* StopFiring after each bolt is no way to fire faster. */
TEST(test_10_6_3_releasing_the_trigger_does_not_cool_a_cannon)
{
    rig       *r = rig_duel(VORCHA, GALAXY, 60); /* cool-down 0.8 s - 0.35 s of tolerance */
    sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
    uint32_t   cannons = rig_id(r, 0, SB_SUBSYSTEM_PULSE_SYSTEM, -1);
    uint32_t   cannon =
        sb_combat_subsystem_id(r->combat, RIG_SHIP(0), w->system,
                               w->child - r->ships[0].model->subsystems[w->system].first_child);
    for (unsigned i = 0; i < 14; i++) {
        w->charge = w->figures->max_charge;
        sb_combat_pulse(r->combat, RIG_SHIP(0), cannon, 8, rig_ahead, RIG_SHIP(1));
        sb_combat_stop_firing(r->combat, RIG_SHIP(0), cannons, 0);
        rig_steps(r, 1);
    }
    CHECK_EQ(r->combat->shot_count, 1);
}

static unsigned volley(rig *r, uint8_t type)
{
    uint32_t before = r->combat->shot_count;
    for (int tube = 0; tube < 6; tube++)
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, tube),
                          type, rig_ahead, 0, rig_no_aim);
    return r->combat->shot_count - before;
}

TEST(test_10_6_4_a_ship_fires_no_more_torpedoes_than_it_has)
{
    CHECK_EQ(volley(rig_with_ammo(0), 14), 0); /* though its tubes begin loaded */
    CHECK_EQ(volley(rig_with_ammo(2), 14), 2);
    CHECK_EQ(volley(rig_with_ammo(9), 14), 6);
}

/* A slot or a type that a ship does not have is no way around its number of torpedoes. */
TEST(test_10_6_4_other_slots_and_types_are_no_further_torpedoes)
{
    static const uint8_t slots[] = { 0, 3, 4, 200 };
    for (unsigned i = 0; i < 4; i++) {
        rig     *r = rig_with_ammo(2);
        uint32_t system = rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1);
        sb_combat_torpedo_type(r->combat, RIG_SHIP(0), system, slots[i]);
        rig_seconds(r, 60);
        CHECK_EQ(volley(r, 2), 2); /* not in the ship's list: counts as the chosen one */
    }
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    CHECK_EQ(volley(r, 12), 0); /* slot 2 is empty, though slot 0 is chosen */
    CHECK_EQ(volley(r, 3), 6);
    CHECK_EQ(rig_fighter(r, 0)->ammo[1], 54);
    CHECK_EQ(rig_fighter(r, 0)->ammo[0], 200);
}

TEST(test_10_3_2_disabled_tubes_cannons_projectors_do_not_fire)
{
    static const struct {
        uint8_t           species;
        sb_subsystem_type system;
    } rows[] = { { SOVEREIGN, SB_SUBSYSTEM_TORPEDO_SYSTEM },
                 { BIRD_OF_PREY, SB_SUBSYSTEM_PULSE_SYSTEM },
                 { VORCHA, SB_SUBSYSTEM_TRACTOR_SYSTEM } };
    for (unsigned i = 0; i < 3; i++)
        for (unsigned out = 0; out < 2; out++) {
            rig     *r = rig_default();
            sb_ship *ship = rig_add(r, 0, rows[i].species, rig_origin);
            unsigned system = rig_entry(ship, rows[i].system);
            unsigned first = ship->model->subsystems[system].first_child;
            unsigned last = first + (i == 2); /* the forward tractor */
            rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
            const sb_subsystem_class *s = &ship->model->children[last];
            if (out) ship->child_condition[last] = s->max_condition * s->disabled_below;
            int n = (int)(last - first);
            if (i == 0)
                sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, rows[i].system, n), 2,
                                  (sb_cv3){ 0, 127, 0 }, 0, (sb_cv4b){ 0 });
            else if (i == 1)
                sb_combat_pulse(r->combat, RIG_SHIP(0), rig_id(r, 0, rows[i].system, n), 8,
                                (sb_cv3){ 0, 127, 0 }, 0);
            else rig_start_firing(r, 0, rows[i].system, RIG_SHIP(1));
            rig_steps(r, 1);
            bool fired = i == 2 ? rig_fighter(r, 0)->tractor_fires : r->combat->shot_count == 1;
            CHECK_EQ(fired, !out);
        }
}

TEST(test_the_state_of_a_weapon_is_found_by_its_place_in_the_list)
{
    rig            *r = rig_duel(SOVEREIGN, GALAXY, 30);
    unsigned        phasers = rig_entry(&r->ships[0], SB_SUBSYSTEM_PHASER_SYSTEM);
    unsigned        torpedoes = rig_entry(&r->ships[0], SB_SUBSYSTEM_TORPEDO_SYSTEM);
    sb_weapon_state state;
    rig_weapon(r, 0, "Ventral Phaser 2")->charge = 1.5f;
    CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), phasers, 1, &state));
    CHECK_NEAR(state.charge, 1.5, 0);
    CHECK(!state.firing);
    CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), torpedoes, 0, &state));
    CHECK(state.ready > 0);
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(0), phasers, 8, &state));
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(0), 99, 0, &state));
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(5), phasers, 0, &state));
}

/* ---- edges ---- */

/* A Sovereign whose tubes have other figures. */
static rig *rig_tubes(int places, float immediate, float reload)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    for (unsigned i = 0; i < k->model.child_count; i++) {
        if (k->children[i].type != SB_SUBSYSTEM_TORPEDO_TUBE) continue;
        k->figures[i].max_ready = places;
        k->figures[i].immediate_delay = immediate;
        k->figures[i].reload_delay = reload;
    }
    rig_add_class(r, 0, &k->model, rig_origin);
    return r;
}

TEST(test_10_6_4_a_tube_has_one_to_four_places)
{
    static const int rows[][2] = { { -1, 1 }, { 0, 1 }, { 1, 1 }, { 2, 2 },
                                   { 3, 3 },  { 4, 4 }, { 5, 4 }, { 99, 4 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_EQ(rig_weapon(rig_tubes(rows[i][0], 0, 40), 0, "Forward Torpedo 1")->ready,
                 rows[i][1]);
}

/* Four shots, a second apart: the places are ready again a second apart. */
TEST(test_10_6_4_a_full_tube_reloads_place_by_place)
{
    rig             *r = rig_tubes(4, 0, 10);
    const sb_weapon *w = rig_weapon(r, 0, "Forward Torpedo 1");
    for (unsigned i = 0; i < 4; i++) {
        rig_fire_tube(r, 0, 14, rig_ahead, 0);
        CHECK_EQ(w->ready, 3 - i);
        CHECK_EQ(w->loading, i + 1);
        rig_steps(r, 30);
    }
    rig_steps(r, 179); /* 10 s after the first shot, less a step */
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(w->ready, i);
        rig_steps(r, 1);
        CHECK_EQ(w->ready, i + 1);
        rig_steps(r, 29);
    }
    CHECK_EQ(w->loading, 0);
}

/* TorpedoTypeChange empties all four places of every tube at once. */
TEST(test_10_6_4_a_change_of_type_reloads_every_place)
{
    rig *r = rig_tubes(4, 0, 10);
    rig_fire_tube(r, 0, 14, rig_ahead, 0);
    rig_steps(r, 30);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, -1),
                           1);
    for (unsigned seconds = 0; seconds < 2; seconds++) {
        const sb_fighter *f = rig_fighter(r, 0);
        for (unsigned i = 0; i < f->weapon_count; i++)
            if (f->weapons[i].type == SB_SUBSYSTEM_TORPEDO_TUBE) {
                CHECK_EQ(f->weapons[i].ready, seconds ? 4 : 0);
                CHECK_EQ(f->weapons[i].loading, seconds ? 0 : 4);
            }
        rig_seconds(r, 10);
    }
}

/* Delays that are not known or negative are no delays. */
TEST(test_10_6_4_a_tube_without_a_delay_reloads_at_once)
{
    static const float delays[] = { 0, -5, NAN };
    for (unsigned i = 0; i < 3; i++) {
        rig *r = rig_tubes(1, 0, delays[i]);
        rig_fire_tube(r, 0, 14, rig_ahead, 0);
        rig_steps(r, 1);
        CHECK_EQ(rig_weapon(r, 0, "Forward Torpedo 1")->ready, 1);
    }
}

/* Exactly the delay between two shots, less the tolerance, has to pass. */
TEST(test_10_6_4_a_second_shot_waits_for_the_delay)
{
    for (unsigned more = 0; more < 2; more++) {
        float least = 30 * SB_STEP_SECONDS; /* one second of steps */
        rig  *r = rig_tubes(2, more ? 1.2f : least + 0.1f, 40);
        rig_fighter(r, 0)->constants.torpedo_tolerance = 0.1f;
        rig_fire_tube(r, 0, 14, rig_ahead, 0);
        rig_steps(r, 30);
        rig_fire_tube(r, 0, 14, rig_ahead, 0);
        CHECK_EQ(r->combat->shot_count, more ? 1 : 2);
    }
}

static rig *rig_with_slot(uint8_t slot, float count)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    k->model.ordnance_count = 1;
    CHECK_EQ(k->ordnance[0].system_type, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    k->ordnance[0].slot = slot;
    k->ordnance[0].max_torpedoes = count;
    rig_add_class(r, 0, &k->model, rig_origin);
    return r;
}

/* Four slots are counted; the number of the others is no limit, nor is a number that is too large
 * to count. */
TEST(test_10_6_4_four_slots_of_torpedoes_are_counted)
{
    static const struct {
        uint8_t  slot;
        float    count;
        uint16_t ammo;
        unsigned fired; /* of six */
    } rows[] = { { 0, 1, 1, 1 },
                 { SB_AMMO_SLOTS - 1, 1, 1, 1 },
                 { SB_AMMO_SLOTS, 1, SB_AMMO_UNLIMITED, 6 },
                 { 1, 65534, 65534, 6 },
                 { 1, 65535, SB_AMMO_UNLIMITED, 6 },
                 { 1, 1e9f, SB_AMMO_UNLIMITED, 6 },
                 { 1, -1, SB_AMMO_UNLIMITED, 6 },
                 { 1, 0, 0, 0 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig *r = rig_with_slot(rows[i].slot, rows[i].count);
        for (unsigned slot = 0; slot < SB_AMMO_SLOTS; slot++)
            CHECK_EQ(rig_fighter(r, 0)->ammo[slot],
                     slot == rows[i].slot ? rows[i].ammo : SB_AMMO_UNLIMITED);
        CHECK_EQ(volley(r, r->ships[0].model->ordnance[0].projectile_type), rows[i].fired);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_AMMUNITION), 6 - rows[i].fired);
    }
}

/* The number of bolts in the list is not one of torpedoes. */
TEST(test_10_6_4_bolts_are_not_counted_as_torpedoes)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(VORCHA);
    CHECK_EQ(k->ordnance[1].system_type, SB_SUBSYSTEM_PULSE_SYSTEM);
    k->ordnance[1].max_torpedoes = 0;
    rig_add_class(r, 0, &k->model, rig_origin);
    CHECK_EQ(rig_fighter(r, 0)->ammo[0], SB_AMMO_UNLIMITED);
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    CHECK_EQ(r->combat->shot_count, 1);
}

/* A figure of charge that does not apply gives a weapon without charge. */
TEST(test_10_6_a_weapon_without_figures_of_charge_has_none)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(VORCHA);
    unsigned   bank = rig_child(&(sb_ship){ .model = &k->model }, "Disruptor");
    unsigned   cannon = rig_child(&(sb_ship){ .model = &k->model }, "Port Cannon");
    k->figures[bank].max_charge = NAN;
    k->figures[cannon].recharge_rate = NAN;
    rig_add_class(r, 0, &k->model, rig_origin);
    CHECK(rig_weapon(r, 0, "Disruptor")->charge == 0);
    rig_weapon(r, 0, "Port Cannon")->charge = 1;
    rig_steps(r, 30);
    CHECK(rig_weapon(r, 0, "Disruptor")->charge == 0);
    CHECK(rig_weapon(r, 0, "Port Cannon")->charge == 1);
}

/* ---- full tables ---- */

/* The data of a mod may list more weapons than the table holds. */
TEST(weapons_beyond_the_table_are_left_out)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->children[k->entries[9].first_child] = k->children[0]; /* an engine becomes a bank */
    rig_add_class(r, 0, &k->model, rig_origin);
    sb_weapon_state state;
    CHECK_EQ(rig_fighter(r, 0)->weapon_count, SB_WEAPONS_MAX);
    CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), 9, 0, &state));
    CHECK(sb_combat_weapon(r->combat, RIG_SHIP(0), FULL_MORE_PHASERS, 6, &state));
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(0), FULL_MORE_PHASERS, 7, &state));
}

/* Every tube and every cannon, the first and the last of a system among them. */
TEST(every_tube_and_cannon_of_a_full_ship_fires)
{
    rig *r = rig_full_duel();
    for (int i = 0; i < FULL_SYSTEM; i++) {
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_TUBES, i), 6, rig_ahead, 0,
                          rig_no_aim);
        sb_combat_pulse(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_CANNONS, i), 1, rig_ahead, 0);
        CHECK_EQ(r->combat->shot_count, 2 * (i + 1));
    }
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
}

/* A Galaxy's tubes are its first weapons. Six torpedoes: each tube has one, none is left. */
TEST(test_10_6_4_the_first_tube_counts_among_the_loaded)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(GALAXY);
    CHECK_EQ(k->ordnance[0].slot, 0);
    k->ordnance[0].max_torpedoes = 6;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_fire_tube(r, 1, 2, rig_ahead, 0);
    CHECK_EQ(rig_fighter(r, 0)->ammo[0], 5);
    rig_seconds(r, 60);
    CHECK_EQ(rig_fighter(r, 0)->weapons[0].ready, 1);
    CHECK_EQ(rig_fighter(r, 0)->weapons[1].ready, 0);
}

/* Level 2 lets a type fly that is not loaded: it counts as that of its own slot, the first too. */
TEST(test_10_6_4_a_type_of_the_list_counts_in_its_slot)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 3000);
    r->ships[0].setting[rig_entry(&r->ships[0], SB_SUBSYSTEM_TORPEDO_SYSTEM)] = 1;
    uint16_t before = rig_fighter(r, 0)->ammo[0], other = rig_fighter(r, 0)->ammo[1];
    rig_fire_tube(r, 0, 14, rig_ahead, 0);
    CHECK_EQ(r->combat->shots[0].figures->type, 14);
    CHECK_EQ(rig_fighter(r, 0)->ammo[0], before - 1);
    CHECK_EQ(rig_fighter(r, 0)->ammo[1], other);
}

/* Two torpedo systems: the tubes of the other one stay loaded. */
TEST(test_10_6_4_a_change_of_type_empties_only_its_system)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    k->entries[FULL_CANNONS].type = SB_SUBSYSTEM_TORPEDO_SYSTEM;
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++)
        if (k->children[i].type == SB_SUBSYSTEM_PULSE_WEAPON)
            k->children[i].type = SB_SUBSYSTEM_TORPEDO_TUBE;
    rig_add_class(r, 0, &k->model, rig_origin);
    sb_combat_torpedo_type(r->combat, RIG_SHIP(0), rig_entry_id(r, FULL_TUBES, -1), 1);
    for (unsigned i = 0; i < FULL_SYSTEM; i++) {
        CHECK_EQ(rig_fighter(r, 0)->weapons[FULL_SYSTEM + i].ready, 1);
        CHECK_EQ(rig_fighter(r, 0)->weapons[2 * FULL_SYSTEM + i].ready, 0);
    }
}

/* Exactly the cool-down, less the tolerance, has to pass. */
TEST(test_10_6_3_the_end_of_the_cool_down_is_not_cooling)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(VORCHA);
    unsigned   cannon = rig_child(&(sb_ship){ .model = &k->model }, "Port Cannon");
    k->figures[cannon].cooldown_time = 12 * SB_STEP_SECONDS;
    rig_add_class(r, 0, &k->model, rig_origin);
    rig_fighter(r, 0)->constants.cooldown_tolerance = 0;
    rig_fire_cannon(r, 0, 1, rig_ahead, 0);
    const sb_weapon *w = rig_weapon(r, 0, "Port Cannon");
    rig_steps(r, 11);
    CHECK(sb_combat_is_cannon_cooling(r->combat, rig_fighter(r, 0), w));
    rig_steps(r, 1);
    CHECK(!sb_combat_is_cannon_cooling(r->combat, rig_fighter(r, 0), w));
}
