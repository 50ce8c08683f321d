/* tests/combat/rules_test.c -- sentences of spec 10 that stand beside the formulas. */
#include "rig.h"

static const sb_vec3 here = { 0, 0, 0 };

static void start(rig *r, unsigned n, sb_subsystem_type type, unsigned at)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, type, -1), RIG_SHIP(at),
                           (sb_cv4b){ 0 });
}

/* Warp engines (§4.4). */
TEST(test_10_4_4_entries_that_need_no_power_have_efficiency_0_and_perform_fully)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, here);
    unsigned warp = rig_entry(ship, SB_SUBSYSTEM_WARP);
    CHECK_NEAR(ship->model->subsystems[warp].power_per_second, 0, 0);
    rig_seconds(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[warp], 0, 0);
    CHECK_NEAR(rig_fighter(r, 0)->performance[warp], 1, 0);
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

/* No source says how many a ship carries. */
TEST(test_10_6_4_torpedoes_never_run_out)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    uint32_t tube = rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0);
    for (unsigned i = 0; i < 60; i++) {
        sb_combat_torpedo(r->combat, RIG_SHIP(0), tube, 2, (sb_cv3){ 0, 127, 0 }, 0,
                          (sb_cv4b){ 0 });
        rig_seconds(r, 60);
    }
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_torpedo_rate), 0);
}

/* Hull and children included, and no limit (§9.2). */
TEST(test_10_9_2_every_part_of_a_ship_can_be_queued)
{
    rig        *r = rig_default();
    sb_ship    *ship = rig_add(r, 0, SOVEREIGN, here);
    sb_fighter *f = rig_fighter(r, 0);
    unsigned    parts = ship->model->subsystem_count + ship->model->child_count;
    sb_blow     blow = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    for (unsigned part = 0; part != SB_NO_PART; part = sb_next_part(ship->model, part))
        sb_damage_part(r->combat, f, &blow, part, 1);
    sb_end_blow(r->combat, f, &blow);
    CHECK_EQ(f->queue_size, parts);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), parts);
    rig_seconds(r, 120);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), parts);
    CHECK_EQ(f->queue_size, 0);
}

/* §12.2 step 4, from both ends of the beam. */
TEST(test_10_12_2_tractor_beams_let_go_when_either_ship_dies)
{
    for (unsigned dies = 0; dies < 2; dies++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, here);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        start(r, 0, SB_SUBSYSTEM_TRACTOR_SYSTEM, 1);
        rig_steps(r, 2);
        CHECK(rig_fighter(r, 0)->tractor_fires && rig_fighter(r, 0)->drag > 0);
        sb_combat_self_destruct(r->combat, RIG_SHIP(dies));
        rig_steps(r, 1);
        CHECK(!rig_fighter(r, 0)->tractor_fires && rig_fighter(r, 0)->drag == 0);
        CHECK_EQ(rig_fighter(r, 0)->ordered, 0);
    }
}

/* However large the explosion: its reach on a ship is the ship's own radius (§7). */
TEST(test_10_7_area_damage_searches_no_farther_than_the_ship_is_large)
{
    rig *r = rig_new();
    r->config.constants.splash = 600;
    r->config.constants.splash_radius = 1000;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, here);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 500, 0 });
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 1);
    float    radius = ship->model->bound_radius;
    sb_vec3  p = { 0, -0.5f * radius, 0 }; /* toward the blast, behind it */
    unsigned near = 0, far = 0;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_next_part(ship->model, part)) {
        const sb_subsystem_class *s = sb_part_class(ship->model, part);
        if (!s->has_position) continue;
        bool in_reach = sb_v_length(sb_v_sub(p, sb_v(s->hit))) <= radius + s->radius;
        bool hurt = *sb_part_condition(ship, part) < s->max_condition;
        CHECK_EQ(hurt, in_reach);
        if (in_reach) near++;
        else far++;
    }
    CHECK(near > 0 && far > 0);
}

/* §6.1, §10: a wreck fires nothing, and what was fired at it stops. */
TEST(test_10_12_1_a_wreck_does_not_fire)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_forget(r);
    start(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 1);
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      (sb_cv3){ 0, 127, 0 }, RIG_SHIP(1), (sb_cv4b){ 0 });
    rig_seconds(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(r->combat->shot_count, 0);
}
