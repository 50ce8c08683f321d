/* tests/combat/combat_test.c -- the order of the rules within a step. Spec 10 §2. */
#include "rig.h"

#include <stdlib.h>

/* The cloak engages after the step's power is drawn, so it draws from the next step on. */
TEST(test_10_2_power_is_drawn_before_the_cloak_changes_its_state)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, VORCHA, rig_origin);
    float    full = ship->model->backup_battery;
    ship->cloaked = true;
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 2);
    CHECK_NEAR(ship->backup_battery, full, 0);
    rig_steps(r, 1);
    CHECK(ship->backup_battery < full);
}

/* All three strike in one step: the beam after its wind-up, the others from inside the ship. */
TEST(test_10_2_beams_then_bolts_then_torpedoes_strike)
{
    static const uint8_t order[] = { SB_DAMAGE_BEAM, SB_DAMAGE_BOLT, SB_DAMAGE_TORPEDO };
    static sb_ship_class giant; /* so large that every muzzle lies inside it */
    rig                 *r = rig_default();
    rig_add(r, 0, VORCHA, rig_origin);
    giant = *sb_find_ship(sb_stock_ships(), GALAXY);
    giant.solid_count = 0;
    for (unsigned i = 0; i < 3; i++) giant.box_half[i] = 20;
    sb_ship_init(&r->ships[1], &giant, GALAXY, RIG_SHIP(1));
    r->ships[1].motion.position = (sb_vec3){ 0, 10, 0 };
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[1], RIG_OWNER(1), RIG_SET, r->now), SB_OK);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 34);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    rig_fire_cannon(r, 0, 8, rig_ahead, 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 3);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(rig_event(r, SB_COMBAT_HIT, i)->cause, order[i]);
}

static unsigned index_of_first(const rig *r, sb_combat_event_type type)
{
    for (unsigned i = 0; i < r->event_count; i++)
        if (r->events[i].type == type) return i;
    FAIL("no event of type %d was reported", (int)type);
}

/* Steps 5 to 8: shields, firing, repair, deaths. */
TEST(test_10_2_a_step_recharges_fires_repairs_and_then_kills)
{
    rig *r = rig_new();
    rig_start(r, true);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    sb_hit   hit = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 1), &hit, rig_entry(ship, SB_SUBSYSTEM_SENSOR),
                          500);
    sb_combat_finish_hit(rig_fighter(r, 1), &hit);
    sb_combat_announce_hits(r->combat, rig_fighter(r, 1));
    rig_move(r, 1, (sb_vec3){ 0, 20, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 34);
    rig_fighter(r, 1)->recharge_at = r->combat->step + 1; /* in the step of the first strike */
    ship->facing[0] = 0;                                  /* lets the beam through */
    ship->facing[1] = 100;                                /* recharges */
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].critical) ship->condition[i] = 0.01f;
    sb_ship *other = rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 500, 0 });
    sb_hit   second = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 2), &second,
                          rig_entry(other, SB_SUBSYSTEM_SENSOR), 500);
    sb_combat_finish_hit(rig_fighter(r, 2), &second);
    sb_combat_announce_hits(r->combat, rig_fighter(r, 2));
    rig_forget(r);
    rig_steps(r, 1);
    unsigned order[] = { index_of_first(r, SB_COMBAT_RECHARGED), index_of_first(r, SB_COMBAT_HIT),
                         index_of_first(r, SB_COMBAT_REPAIRED),
                         index_of_first(r, SB_COMBAT_EXPLODING),
                         index_of_first(r, SB_COMBAT_REPAIR_ADDED) };
    for (unsigned i = 0; i + 1 < 5; i++) CHECK(order[i] < order[i + 1]);
}

/* §2: the cloak comes before the weapons. Only a ship that is fully cloaked does not fire. */
TEST(test_10_2_a_ship_that_is_cloaked_in_this_step_does_not_fire)
{
    rig *r = rig_new();
    r->config.constants.cloak_time = 0;
    rig_start(r, false);
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 30, 0 });
    r->ships[0].cloaked = true;
    rig_steps(r, 1);
    while (sb_combat_cloak_state(r->combat, RIG_SHIP(0)) == 2) {
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_steps(r, 1);
    }
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 3);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
}

/* ---- configuration ---- */

TEST(the_default_room_has_32_ships_weapons_and_collisions)
{
    sb_combat_config config;
    sb_combat_defaults(&config);
    CHECK_EQ(config.max_ships, 32);
    CHECK_EQ(config.fidelity, SB_FIDELITY_WEAPONS);
    CHECK_EQ(config.power, SB_POWER_STOCK);
    CHECK(config.collision_damage);
    CHECK(!config.no_damage);
    CHECK(!config.projectiles);
}

TEST(configurations_are_valid_up_to_their_bounds)
{
    static const struct {
        uint32_t ships;
        uint8_t  fidelity, power;
        float    constant;
        bool     valid;
    } rows[] = {
        { 1, 0, 0, 5, true },     { 1024, 0, 0, 5, true }, { 0, 0, 0, 5, false },
        { 1025, 0, 0, 5, false }, { 2, 3, 1, 5, true },    { 2, 4, 1, 5, false },
        { 2, 3, 2, 5, false },    { 2, 3, 1, 0, true },    { 2, 3, 1, -1e-9f, false },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sb_combat_config config;
        sb_combat_defaults(&config);
        config.max_ships = rows[i].ships;
        config.fidelity = rows[i].fidelity;
        config.power = rows[i].power;
        config.constants.facing_default = rows[i].constant;
        CHECK_EQ(sb_combat_bytes(&config) > 0, rows[i].valid);
    }
}

/* All shots of up to 8 ships; then 512, and 16 for each ship beyond 32. */
TEST(memory_for_shots_is_fair_to_large_rooms)
{
    static const uint32_t rows[][2] = { { 1, 64 },   { 7, 448 },  { 8, 512 },  { 9, 512 },
                                        { 32, 512 }, { 33, 528 }, { 64, 1024 } };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig *r = rig_new();
        r->config.max_ships = rows[i][0];
        rig_start(r, false);
        CHECK_EQ(r->combat->shot_capacity, rows[i][1]);
    }
}

/* ---- time ---- */

TEST(seconds_become_whole_steps_rounded_up)
{
    static const struct {
        float    seconds;
        uint32_t steps;
    } rows[] = {
        { 0, 0 },
        { -1, 0 },
        { NAN, 0 },
        { 0.0001f, 1 },
        { 0.03f, 1 },
        { 0.0333334f, 1 },
        { 0.034f, 2 },
        { 0.1f, 3 },
        { 0.10003f, 3 },
        { 0.1001f, 4 },
        { 9.5f, 285 },
        { 3e7f, 899999999 + 1 },
        { 3.3e7f, 990000000 },
        { 3.4e7f, 1000000000 },
        { 1e30f, 1000000000 },
        { 0.00003f, 0 },
        { 0.00005f, 1 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_EQ(sb_combat_steps_from_seconds(rows[i].seconds), rows[i].steps);
}

TEST(seconds_become_the_nearest_step)
{
    static const struct {
        double   seconds;
        uint32_t steps;
    } rows[] = {
        { 0, 0 },
        { 0.0166, 0 },
        { 0.0167, 1 },
        { 0.0499, 1 },
        { 0.0501, 2 },
        { 0.65625, 20 },
        { 33333333.0, 999999990 },
        { 4e7, 1000000000 },
        { 1e8, 1000000000 },
        { 1e300, 1000000000 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_EQ(sb_combat_nearest_step(rows[i].seconds), rows[i].steps);
}

/* The clock of a room starts with its first ship; others do not disturb it. */
TEST(test_10_2_the_first_ship_of_an_empty_room_starts_the_clock)
{
    rig *r = rig_new();
    r->now = 500;
    rig_start(r, false);
    CHECK_EQ(r->combat->clock_start, 500);
    r->now = SB_SECOND;
    rig_add(r, 0, SOVEREIGN, rig_origin);
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_SECOND + 33333);
    r->now += 20000;
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 50, 0 });
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_SECOND + 33333);
    rig_steps(r, 7);
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    rig_add(r, 2, SOVEREIGN, rig_origin); /* not empty: ship 1 is there */
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_SECOND + 266666);
    sb_combat_remove_ship(r->combat, RIG_SHIP(1));
    sb_combat_remove_ship(r->combat, RIG_SHIP(2));
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_TIME_NEVER);
    r->now = 9 * SB_SECOND;
    rig_add(r, 0, SOVEREIGN, rig_origin);
    CHECK_EQ(sb_combat_next_deadline(r->combat), 9 * SB_SECOND + 33333);
    CHECK_EQ(r->combat->step, 7); /* the game time goes on */
}

TEST(shots_end_when_the_room_is_empty)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_fire_tube(r, 0, 2, rig_ahead, 0);
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    CHECK_EQ(r->combat->shot_count, 1);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    CHECK_EQ(r->combat->shot_count, 0);
}

/* ---- ships ---- */

/* A place in the middle that becomes free is used again; the end of the list follows the ships. */
TEST(places_of_removed_ships_are_used_again)
{
    rig *r = rig_default();
    for (unsigned n = 0; n < 3; n++) rig_add(r, n, SOVEREIGN, (sb_vec3){ 0, (float)n * 50, 0 });
    rig_steps(r, 3);
    const sb_fighter *second = rig_fighter(r, 1);
    sb_combat_disarm(r->combat, RIG_SHIP(1), 60);
    rig_start_firing(r, 1, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(0));
    sb_combat_remove_ship(r->combat, RIG_SHIP(1));
    CHECK_EQ(r->combat->top, 3);
    CHECK(!sb_combat_find_fighter(r->combat, 0)); /* the id of a free place */
    rig_steps(r, 1);
    rig_add(r, 4, SOVEREIGN, rig_origin);
    CHECK(rig_fighter(r, 4) == second);
    CHECK_EQ(second->added_at, r->combat->step);
    CHECK(second->armed_at == 0 && second->ordered == 0 && second->target == 0);
    CHECK_EQ(r->combat->top, 3);
    rig_add(r, 5, SOVEREIGN, rig_origin);
    CHECK_EQ(r->combat->top, 4);
    sb_combat_remove_ship(r->combat, RIG_SHIP(2));
    sb_combat_remove_ship(r->combat, RIG_SHIP(5));
    CHECK_EQ(r->combat->top, 2);
    CHECK_EQ(r->combat->ship_count, 2);
}

TEST(a_ship_needs_an_id)
{
    rig *r = rig_default();
    sb_ship_init(&r->ships[0], sb_find_ship(sb_stock_ships(), GALAXY), GALAXY, 0);
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[0], 2, RIG_SET, 0), SB_NOT_ALLOWED);
    CHECK_EQ(r->combat->ship_count, 0);
}

/* A shot in flight and a death that is credited lose the name of a player who left. */
TEST(a_disowned_death_is_credited_to_nobody)
{
    rig   *r = rig_duel(SOVEREIGN, GALAXY, 30);
    sb_hit hit = { .by = { SB_DAMAGE_BEAM, RIG_OWNER(1), RIG_SHIP(1) } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 0), &hit, rig_fighter(r, 0)->hull, 20000);
    sb_combat_finish_hit(rig_fighter(r, 0), &hit);
    sb_combat_disown(r->combat, RIG_OWNER(0)); /* somebody else */
    CHECK_EQ(rig_fighter(r, 0)->killer.attacker, RIG_OWNER(1));
    sb_combat_disown(r->combat, RIG_OWNER(1));
    CHECK_EQ(rig_fighter(r, 0)->killer.attacker, 0);
    rig_steps(r, 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_EXPLODING, 0)->attacker, 0);
}

/* Spec 10 §15.1: the time without weapons is never shortened; afterwards the ship fires. */
TEST(a_disarmed_ship_fires_when_its_time_is_over)
{
    rig *r = rig_duel(SOVEREIGN, GALAXY, 60);
    sb_combat_disarm(r->combat, RIG_SHIP(9), 5); /* no such ship */
    sb_combat_disarm(r->combat, RIG_SHIP(0), 1);
    sb_combat_disarm(r->combat, RIG_SHIP(0), 0.5f);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_UNARMED), 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->claimed, 0, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->possible, 1, 1e-5);
    rig_steps(r, 20);
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_UNARMED), 2);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 1)->possible, 10 / 30.0, 1e-5);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 2);
    rig_steps(r, 9);
    CHECK_EQ(rig_firing_banks(r, 0), 0);
    rig_steps(r, 1); /* 30 */
    CHECK_EQ(rig_firing_banks(r, 0), 1);
    rig_fire_tube(r, 0, 14, rig_ahead, RIG_SHIP(1));
    CHECK_EQ(r->combat->shot_count, 1);
}

/* ---- listeners ---- */

static bool spares_target(const void *context, uint8_t attacker, uint8_t owner)
{
    const unsigned char *expected = context;
    CHECK_EQ(attacker, expected[0]);
    CHECK_EQ(owner, expected[1]);
    return expected[2] != 0;
}

/* The filter sees attacker and owner of every hit; without effect nothing is reported. */
TEST(a_filter_decides_whether_a_hit_has_an_effect)
{
    for (unsigned char effect = 0; effect < 2; effect++) {
        const unsigned char expected[] = { RIG_OWNER(0), RIG_OWNER(1), effect };
        rig                *r = rig_duel(VORCHA, GALAXY, 30);
        sb_combat_filter_hits(r->combat, spares_target, expected);
        rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
        rig_seconds(r, 2);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT) > 0, effect);
        CHECK_EQ(rig_count(r, SB_COMBAT_ABSORBED) > 0, effect);
    }
}

/* Nobody listens: gains are not traced either. */
TEST(a_simulation_without_a_listener_runs_on)
{
    rig *r = rig_duel(VORCHA, GALAXY, 30);
    sb_combat_listen(r->combat, NULL, NULL, true);
    r->ships[1].facing[1] = 100;
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_seconds(r, 2);
    CHECK_EQ(r->event_count, 0);
    CHECK(!r->combat->trace_gains);
}

TEST(questions_about_nothing_have_an_answer)
{
    rig            *r = rig_default();
    sb_ship        *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_weapon_state state;
    sb_vec3         place;
    rig_add(r, 1, 200, (sb_vec3){ 0, 90, 0 }); /* without a model */
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(0), rig_entry(ship, SB_SUBSYSTEM_WARP), 0, &state));
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(0), ship->model->subsystem_count, 0, &state));
    CHECK(!sb_combat_weapon(r->combat, RIG_SHIP(1), 0, 0, &state));
    CHECK_EQ(sb_combat_subsystem_id(r->combat, RIG_SHIP(1), 0, -1), 0);
    CHECK_EQ(sb_combat_subsystem_id(r->combat, RIG_SHIP(0), ship->model->subsystem_count, -1), 0);
    CHECK(!sb_combat_position(r->combat, 0, 0, &place));
    CHECK(!sb_combat_is_alive(r->combat, 0));
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COUNT), 0);
    r->combat->implausible[SB_IMPLAUSIBLE_COUNT - 1] = 5;
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COUNT - 1), 5);
}

/* §11.2: an update of the owner sets the position at once, and a set changes with it. */
TEST(an_update_counts_from_the_time_of_its_arrival)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_steps(r, 20);
    rig_move(r, 0, (sb_vec3){ 0, 10, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 3);
    CHECK_NEAR(rig_fighter(r, 0)->position.y, 10, 0);
    rig_steps(r, 10);
    CHECK_NEAR(rig_fighter(r, 0)->position.y, 11, 0.001);
    r->ships[0].motion.position = (sb_vec3){ 0, 70, 0 };
    sb_combat_entered(r->combat, RIG_SHIP(0), RIG_SET + 1, r->now);
    CHECK_NEAR(rig_fighter(r, 0)->position.y, 70, 0);
    CHECK_EQ(rig_fighter(r, 0)->set, RIG_SET + 1);
    sb_combat_entered(r->combat, RIG_SHIP(5), RIG_SET, r->now); /* no such ship */
    sb_combat_moved(r->combat, RIG_SHIP(5), r->now);
    rig_steps(r, 10);
    CHECK_NEAR(rig_fighter(r, 0)->position.y, 71, 0.001);
}

/* ---- full tables ---- */

TEST(conditions_of_first_and_last_rows_are_brought_within_bounds)
{
    rig       *r = rig_default();
    rig_class *k = rig_full_class();
    sb_ship   *ship = &r->ships[0];
    sb_ship_init(ship, &k->model, VORCHA, RIG_SHIP(0));
    ship->condition[0] = ship->condition[SB_SUBSYSTEMS_MAX - 1] = 1e9f;
    ship->child_condition[0] = ship->child_condition[SB_SHIP_CHILDREN_MAX - 1] = -1;
    ship->facing[0] = ship->facing[SB_FACINGS - 1] = 1e9f;
    ship->main_battery = ship->backup_battery = 1e9f;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, r->now), SB_OK);
    CHECK_NEAR(ship->condition[0], k->entries[0].max_condition, 0);
    CHECK_NEAR(ship->condition[SB_SUBSYSTEMS_MAX - 1],
               k->entries[SB_SUBSYSTEMS_MAX - 1].max_condition, 0);
    CHECK_NEAR(ship->child_condition[0], 0, 0);
    CHECK_NEAR(ship->child_condition[SB_SHIP_CHILDREN_MAX - 1], 0, 0);
    CHECK_NEAR(ship->facing[0], k->model.shield_max[0], 0);
    CHECK_NEAR(ship->facing[SB_FACINGS - 1], k->model.shield_max[SB_FACINGS - 1], 0);
    CHECK_NEAR(ship->main_battery, k->model.main_battery, 0);
    CHECK_NEAR(ship->backup_battery, k->model.backup_battery, 0);
}

/* Two places, in exactly the memory that sb_combat_bytes asks for: the sanitizer sees each byte
 * behind it. */
TEST(a_full_room_stays_within_its_memory)
{
    rig *r = rig_new();
    r->config.max_ships = 2;
    r->config.constants.splash = 1;
    r->config.constants.splash_radius = 100;
    void *memory = malloc(sb_combat_bytes(&r->config));
    CHECK(memory);
    r->combat = sb_combat_init(memory, &r->config, 0);
    rig_add(r, 0, VORCHA, rig_origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    sb_ship_init(&r->ships[2], r->ships[1].model, GALAXY, RIG_SHIP(2));
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[2], 4, RIG_SET, 0), SB_FULL);
    for (unsigned i = 0; i < 2 * SB_COMBAT_PROJECTILES + 5; i++) {
        unsigned         n = i % 2;
        const sb_weapon *w = &rig_fighter(r, n)->weapons[n == 0 ? 3 : 0];
        sb_combat_launch(r->combat, rig_fighter(r, n), w,
                         sb_find_projectile(sb_stock_projectiles(), 2), 1, (sb_vec3){ 0, 0, 1 },
                         NULL, rig_no_aim);
    }
    CHECK_EQ(r->combat->shot_count, 2 * SB_COMBAT_PROJECTILES);
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[2], 4, RIG_SET, 0), SB_FULL);
    rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
    rig_steps(r, 40);
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(2)));
    sb_combat_disown(r->combat, RIG_OWNER(0));
    for (uint32_t i = 0; i < r->combat->shot_count; i++)
        CHECK_EQ(r->combat->shots[i].owner, i % 2 ? 0 : RIG_OWNER(1));
    CHECK(sb_combat_state_hash(r->combat) != 0);
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    rig_seconds(r, 10);
    CHECK_EQ(r->combat->ship_count, 1);
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    CHECK_EQ(r->combat->ship_count, 0);
    free(memory);
}

/* ---- levels ---- */

/* §15: which rules a level includes. */
TEST(test_10_15_each_level_runs_its_rules)
{
    for (uint8_t level = SB_FIDELITY_RELAY; level <= SB_FIDELITY_ENFORCE; level++) {
        rig *r = rig_new();
        r->config.fidelity = level;
        rig_start(r, false);
        sb_ship *ship = rig_add(r, 0, VORCHA, rig_origin);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
        sb_hit   hit = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
        sb_combat_damage_part(r->combat, rig_fighter(r, 0), &hit, sensors, 100);
        sb_combat_finish_hit(rig_fighter(r, 0), &hit);
        sb_combat_announce_hits(r->combat, rig_fighter(r, 0));
        float hurt = ship->condition[sensors], battery = ship->main_battery;
        rig_weapon(r, 0, "Disruptor")->charge = 1;
        ship->facing[0] = 100;
        ship->cloaked = true;
        rig_steps(r, 29); /* before the shields follow the cloak */
        bool power = level >= SB_FIDELITY_COLLISIONS, shields = level >= SB_FIDELITY_WEAPONS;
        CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), SB_CLOAK_ENGAGING);
        CHECK_EQ(ship->main_battery < battery, power);
        CHECK_EQ(ship->condition[sensors] > hurt, power);
        CHECK_EQ(ship->facing[0] > 100, shields);
        CHECK(rig_weapon(r, 0, "Disruptor")->charge > 1); /* shows who fires too often */
    }
}

/* A sixth step that is due at this very moment is skipped like later ones. */
TEST(test_10_2_a_step_that_is_due_now_is_skipped_after_five)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_advance(r->combat, 200000);
    CHECK_EQ(r->combat->step, 5);
    CHECK_EQ(sb_combat_next_deadline(r->combat), 233333);
}

/* A critical part that is created at 0 gets one point; less than a point is not corrected. */
TEST(small_conditions_of_a_creation_are_kept)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    sb_ship   *ship = &r->ships[0];
    unsigned   hull = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_HULL);
    unsigned   core = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_POWER);
    unsigned   sensors = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_SENSOR);
    sb_ship_init(ship, &k->model, SOVEREIGN, RIG_SHIP(0));
    ship->condition[hull] = 0;
    ship->condition[core] = ship->condition[sensors] = 0.5f;
    ship->child_condition[0] = 0.25f;
    ship->facing[0] = 0.125f;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    CHECK(ship->condition[hull] == 1);
    CHECK(ship->condition[core] == 0.5f);
    CHECK(ship->condition[sensors] == 0.5f);
    CHECK(ship->child_condition[0] == 0.25f);
    CHECK(ship->facing[0] == 0.125f);
}

/* The steps of a call end with the last ship: here its wreck, in the first of five steps. */
TEST(test_10_2_no_step_runs_in_an_empty_room)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 284);
    sb_combat_advance(r->combat, r->now + SB_SECOND);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
    CHECK_EQ(r->combat->step, 285);
}

/* After a day the steps are still due at thirtieths of a second. */
TEST(test_10_2_a_day_of_steps_has_no_drift)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    r->combat->clock_steps = 30 * 86400;
    CHECK_EQ(sb_combat_next_deadline(r->combat), 86400 * SB_SECOND + 33333);
}

/* §4.5: any value above 0 freezes the batteries, which then are full whatever a snapshot says. */
TEST(test_10_4_5_frozen_batteries_are_full_from_the_creation_on)
{
    static const float values[] = { 0, 0.5f, 1 };
    for (unsigned i = 0; i < 3; i++) {
        rig *r = rig_new();
        r->config.constants.battery_frozen = values[i];
        rig_start(r, false);
        sb_ship *ship = &r->ships[0];
        sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(0));
        ship->main_battery = 5;
        ship->backup_battery = 7;
        CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
        CHECK_NEAR(ship->main_battery, i ? 200000 : 5, 0);
        CHECK_NEAR(ship->backup_battery, i ? 100000 : 7, 0);
        rig_seconds(r, 2);
        CHECK_EQ(ship->main_battery == 200000, i > 0);
    }
}
