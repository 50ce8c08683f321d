/* tests/combat/rules_test.c -- sentences of spec 10 that stand beside the formulas. */
#include "rig.h"

static const sb_vec3 here = { 0, 0, 0 };

static void start(rig *r, unsigned n, sb_subsystem_type type, unsigned at)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, type, -1), RIG_SHIP(at),
                           (sb_cv4b){ 0 });
}

/* Warp engines (§4.4). */
TEST(test_10_4_4_without_power_need_efficiency_0_performance_1)
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
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_TORPEDO_RATE), 0);
}

/* Hull and children included, and no limit (§9.2). */
TEST(test_10_9_2_every_part_of_a_ship_can_be_queued)
{
    rig        *r = rig_default();
    sb_ship    *ship = rig_add(r, 0, SOVEREIGN, here);
    sb_fighter *f = rig_fighter(r, 0);
    unsigned    parts = ship->model->subsystem_count + ship->model->child_count;
    sb_hit      blow = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part))
        sb_combat_damage_part(r->combat, f, &blow, part, 1);
    sb_combat_finish_hit(f, &blow);
    sb_combat_announce_hits(r->combat, f);
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
TEST(test_10_7_area_damage_searches_at_most_bound_radius)
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
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part)) {
        const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
        if (!s->has_position) continue;
        bool in_reach = sb_v_length(sb_v_sub(p, sb_v_from(s->hit))) <= radius + s->radius;
        bool hurt = *sb_combat_part_condition(ship, part) < s->max_condition;
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

/* ---- §2 ---- */

static unsigned place_of(const rig *r, sb_combat_event_type type)
{
    for (unsigned i = 0; i < r->event_count; i++)
        if (r->events[i].type == type) return i;
    FAIL("nothing of type %d was told", (int)type);
}

/* Steps 5 to 8: shields, firing, repair, deaths. */
TEST(test_10_2_a_step_recharges_fires_repairs_and_then_kills)
{
    rig *r = rig_new();
    rig_start(r, true);
    rig_add(r, 0, SOVEREIGN, here);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    sb_hit   blow = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 1), &blow, rig_entry(ship, SB_SUBSYSTEM_SENSOR),
                          500);
    sb_combat_finish_hit(rig_fighter(r, 1), &blow);
    sb_combat_announce_hits(r->combat, rig_fighter(r, 1));
    rig_move(r, 1, (sb_vec3){ 0, 20, 0 }, (sb_vec3){ 0, -1, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    ship->facing[0] = 0;   /* lets the beams through, to the Bridge */
    ship->facing[1] = 100; /* recharges */
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].critical) ship->condition[i] = 0.01f;
    sb_ship *other = rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 500, 0 });
    sb_hit   second = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 2), &second,
                          rig_entry(other, SB_SUBSYSTEM_SENSOR), 500);
    sb_combat_finish_hit(rig_fighter(r, 2), &second);
    sb_combat_announce_hits(r->combat, rig_fighter(r, 2));
    start(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 1);
    rig_forget(r);
    rig_steps(r, 1);
    unsigned order[] = { place_of(r, SB_COMBAT_RECHARGED), place_of(r, SB_COMBAT_HIT),
                         place_of(r, SB_COMBAT_REPAIRED), place_of(r, SB_COMBAT_EXPLODING),
                         place_of(r, SB_COMBAT_REPAIR_ADDED) };
    for (unsigned i = 0; i + 1 < 5; i++) CHECK(order[i] < order[i + 1]);
}

/* §2: power before the cloak, the cloak before shields and weapons. */
TEST(test_10_2_who_begins_to_cloak_does_not_fire_in_the_same_step)
{
    rig *r = rig_default();
    rig_add(r, 0, VORCHA, here);
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 30, 0 });
    start(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 1);
    r->ships[0].cloaked = true;
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 2);
}

/* ---- §3.2 ---- */

/* The examples: "a phaser bank stops at 75 %, a sensor array at 50 %, a repair bay at 10 %"; hulls
 * never. */
TEST(test_10_3_2_thresholds_of_bank_sensors_bay_and_hull)
{
    static const struct {
        sb_subsystem_type type;
        float             stops;
    } rows[] = { { SB_SUBSYSTEM_SENSOR, 0.5f },
                 { SB_SUBSYSTEM_REPAIR, 0.1f },
                 { SB_SUBSYSTEM_HULL, 0 } };
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, here);
    for (unsigned i = 0; i < 3; i++) {
        unsigned entry = rig_entry(ship, rows[i].type);
        float    most = ship->model->subsystems[entry].max_condition;
        ship->condition[entry] = most * rows[i].stops + 1;
        CHECK(!sb_ship_is_disabled(ship, entry));
        ship->condition[entry] = most * rows[i].stops;
        CHECK(sb_ship_is_disabled(ship, entry));
    }
    unsigned bank = rig_child(ship, "Dorsal Phaser 2");
    ship->child_condition[bank] = 751;
    CHECK(!sb_ship_is_child_disabled(ship, bank));
    ship->child_condition[bank] = 750;
    CHECK(sb_ship_is_child_disabled(ship, bank));
}

TEST(test_10_3_2_a_disabled_generator_neither_absorbs_nor_charges)
{
    static const float conditions[] = { 7500, 100, 0 }; /* of 10,000; 0.75 */
    for (unsigned i = 0; i < 3; i++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, here);
        rig_facings(ship, 100);
        ship->condition[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = conditions[i];
        rig_seconds(r, 2);
        sb_combat_hit_with_weapon(r->combat, rig_fighter(r, 0),
                                  (sb_damage_source){ SB_DAMAGE_BOLT, 3, 1 }, (sb_vec3){ 0, 1, 0 },
                                  1, 50);
        CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
        for (unsigned k = 0; k < SB_FACINGS; k++) CHECK_NEAR(ship->facing[k], 100, 0);
    }
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
            sb_ship *ship = rig_add(r, 0, rows[i].species, here);
            unsigned system = rig_entry(ship, rows[i].system);
            unsigned first = ship->model->subsystems[system].first_child;
            unsigned last = first + (i == 2); /* of the tractors the forward one */
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
            else start(r, 0, rows[i].system, 1);
            rig_steps(r, 1);
            bool fired = i == 2 ? rig_fighter(r, 0)->tractor_fires : r->combat->shot_count == 1;
            CHECK_EQ(fired, !out);
        }
}

TEST(test_10_3_2_sensors_and_warp_engines_have_no_effect_here)
{
    double damage[2];
    for (unsigned out = 0; out < 2; out++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, here);
        rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
        if (out)
            ship->condition[rig_entry(ship, SB_SUBSYSTEM_SENSOR)] =
                ship->condition[rig_entry(ship, SB_SUBSYSTEM_WARP)] = 0;
        start(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 1);
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                          (sb_cv3){ 0, 127, 0 }, RIG_SHIP(1), (sb_cv4b){ 0 });
        rig_seconds(r, 3);
        damage[out] = rig_sum(r, SB_COMBAT_HIT);
        CHECK(sb_combat_is_alive(r->combat, RIG_SHIP(0)));
        CHECK_NEAR(sb_ship_speed_limit(ship, 1, 0), 7.5, 1e-6);
    }
    CHECK(damage[0] > 500);
    CHECK_NEAR(damage[0], damage[1], 0);
}

/* ---- §5.1, §6.4, §7 ---- */

TEST(test_10_5_1_a_torpedo_strikes_the_facing_at_its_impact)
{
    static const struct {
        sb_vec3 from;
        sb_cv3  way;
        uint8_t facing;
    } rows[] = {
        { { 0, 30, 0 }, { 0, -127, 0 }, 0 }, { { 0, -30, 0 }, { 0, 127, 0 }, 1 },
        { { 0, 0, 30 }, { 0, 0, -127 }, 2 }, { { 0, 0, -30 }, { 0, 0, 127 }, 3 },
        { { -30, 0, 0 }, { 127, 0, 0 }, 4 }, { { 30, 0, 0 }, { -127, 0, 0 }, 5 },
    };
    for (unsigned i = 0; i < SB_FACINGS; i++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, rows[i].from);
        rig_add(r, 1, SOVEREIGN, here);
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                          rows[i].way, RIG_SHIP(1), (sb_cv4b){ 0 });
        rig_seconds(r, 3);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
        CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->index, rows[i].facing);
        CHECK_NEAR(r->ships[1].model->shield_max[rows[i].facing] - 500,
                   rig_event(r, SB_COMBAT_ABSORBED, 0)->left, 0);
    }
}

/* A ship that looks along -x, up +z: its starboard is +y. */
TEST(test_10_6_4_a_torpedo_starts_at_its_tube_inside_its_own_ship)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, here);
    rig_move(r, 0, (sb_vec3){ 10, 20, 30 }, (sb_vec3){ -1, 0, 0 }, (sb_vec3){ 0, 0, 1 }, 0);
    const float *tube = ship->model->children[rig_child(ship, "Forward Torpedo 1")].position;
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      (sb_cv3){ 127, 0, 0 }, 0, (sb_cv4b){ 0 }); /* backwards, through the ship */
    CHECK(tube[1] != 0);
    CHECK_NEAR(r->combat->shots[0].position.x, 10 - (double)tube[1], 1e-5);
    CHECK_NEAR(r->combat->shots[0].position.y, 20 + (double)tube[0], 1e-5);
    CHECK_NEAR(r->combat->shots[0].position.z, 30 + (double)tube[2], 1e-5);
    rig_seconds(r, 2);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(r->combat->shot_count, 1);
}

/* Every part whose sphere `search` reaches from p is hurt, and no other but the hull alone. */
static unsigned check_reach(rig *r, unsigned n, sb_vec3 p, double search)
{
    sb_ship *ship = &r->ships[n];
    unsigned hull = rig_entry(ship, SB_SUBSYSTEM_HULL), reached = 0;
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part)) {
        const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
        if (!s->has_position || part == hull) continue;
        double away = (double)sb_v_length(sb_v_sub(p, sb_v_from(s->hit)));
        bool   expected = away <= search + (double)s->radius;
        if (fabs(away - search - (double)s->radius) < 1e-3) continue;
        if ((*sb_combat_part_condition(ship, part) < s->max_condition) != expected)
            FAIL("%s: %s", s->name, expected ? "spared" : "hurt");
        reached += expected;
    }
    CHECK_EQ(ship->condition[hull] < ship->model->subsystems[hull].max_condition, reached == 0);
    return reached;
}

/* A Sovereign 30 units away in the direction `from`, nose on the ship in the origin; with the first
 * tube on the line between them, if it is to fire that. */
static void lie_in_wait(rig *r, sb_vec3 from, bool with_tube)
{
    const sb_ship *ship = rig_add(r, 0, SOVEREIGN, here);
    sb_vec3        up = from.z != 0 ? (sb_vec3){ 0, 1, 0 } : (sb_vec3){ 0, 0, 1 };
    sb_vec3        place = sb_v_scale(from, 30);
    rig_move(r, 0, place, sb_v_scale(from, -1), up, 0);
    if (!with_tube) return;
    const float *tube = ship->model->children[rig_child(ship, "Forward Torpedo 1")].position;
    place = sb_v_sub(place, sb_v_to_world(&ship->motion, sb_v_from(tube)));
    rig_move(r, 0, place, sb_v_scale(from, -1), up, 0);
}

/* One hit of this type (0: beams) on a ship without shields; how many parts it reached. */
static unsigned hit_from(uint8_t species, sb_vec3 from, uint8_t type, double factor)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 1, species, here);
    sb_cv3   way = { (int8_t)(-127 * from.x), (int8_t)(-127 * from.y), (int8_t)(-127 * from.z) };
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    ship->on[rig_entry(ship, SB_SUBSYSTEM_REPAIR)] = false;
    lie_in_wait(r, from, type != 0);
    if (type == 0) start(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 1);
    else
        sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0),
                          type, way, 0, (sb_cv4b){ 0 });
    for (unsigned n = 0; n < 150 && rig_count(r, SB_COMBAT_HIT) == 0; n++) rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    return check_reach(r, 1, sb_v_scale(from, 0.5f * ship->model->bound_radius),
                       factor * (double)ship->model->bound_radius);
}

/* The table of search radii: 0.1 (beams), 0.13 (photon), 0.2 (Klingon) x bound_radius, around a
 * point 0.5 x bound_radius toward the impact. */
TEST(test_10_7_search_radii_of_beams_and_torpedoes)
{
    static const struct {
        uint8_t type;
        double  factor;
    } rows[] = { { 0, 0.1 }, { 2, 0.13 }, { 6, 0.2 } };
    static const sb_vec3 from[] = { { 0, 1, 0 },  { 0, -1, 0 }, { 0, 0, 1 },
                                    { 0, 0, -1 }, { -1, 0, 0 }, { 1, 0, 0 } };
    unsigned             reached[3] = { 0, 0, 0 };
    for (unsigned i = 0; i < 3; i++)
        for (uint8_t species = 1; species <= 15; species++)
            for (unsigned n = 0; n < 6; n++)
                reached[i] += hit_from(species, from[n], rows[i].type, rows[i].factor);
    CHECK(reached[0] > 20 && reached[0] < reached[1] && reached[1] < reached[2]);
}

/* ---- §11.2, §12 ---- */

/* 0.25 s x (speed_a + speed_b) + 2: here 0.25 x (6 + 4) + 2 = 4.5 beyond 140. */
TEST(test_10_11_2_plausibility_tolerates_motion_of_both_ships)
{
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, here);
        rig_add(r, 1, SOVEREIGN, here);
        rig_move(r, 0, here, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }, 6);
        rig_move(r, 1, (sb_vec3){ 0, beyond ? 144.7f : 144.3f, 0 }, (sb_vec3){ 0, 1, 0 },
                 (sb_vec3){ 0, 0, 1 }, -4); /* in reverse: the amount counts */
        start(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, 1);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_RANGE), beyond);
    }
}

/* §12.3: what the scripted explosions of the stock server add is not imitated. */
TEST(test_10_12_3_a_wreck_announces_nothing_not_even_its_end)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
    rig_forget(r);
    rig_steps(r, 285);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
    CHECK_EQ(r->event_count, 1);
}
