/* tests/combat/combat_test.c -- the order of the rules within a step. Spec 10 §2. */
#include "rig.h"

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
