/* tests/combat/ship_constants_test.c -- a ship's own constants, which replace the server's.
 * Spec 10 §14.
 */
#include "rig.h"

#include <string.h>

/* A ship of the stock class with constants of its own. */
static sb_ship *add_own(rig *r, unsigned n, uint8_t species, const sb_ship_constant *own,
                        uint8_t count, sb_vec3 place)
{
    static sb_ship_class classes[RIG_SHIPS];
    classes[n] = *sb_find_ship(sb_stock_ships(), species);
    classes[n].constants = own;
    classes[n].constant_count = count;
    sb_ship *ship = &r->ships[n];
    sb_ship_init(ship, &classes[n], species, RIG_SHIP(n));
    ship->motion.position = place;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, RIG_OWNER(n), RIG_SET, r->now), SB_OK);
    return ship;
}

static sb_ship *add_with(rig *r, unsigned n, uint8_t species, const char *name, float value,
                         sb_vec3 place)
{
    static sb_ship_constant own[RIG_SHIPS];
    own[n] = (sb_ship_constant){ name, value };
    return add_own(r, n, species, &own[n], 1, place);
}

static const sb_vec3 here = { 0, 0, 0 }, there = { 0, 20, 0 };

static void ram(rig *r, unsigned n)
{
    static const sb_cv4b contact = { { 0, -127, 0 }, 200 };
    sb_combat_collision(r->combat, RIG_SHIP(n), 0, RIG_SHIP(n), &contact, 1, 100, r->now);
}

static void open_fire(rig *r, unsigned n, unsigned at)
{
    sb_combat_start_firing(r->combat, RIG_SHIP(n), rig_id(r, n, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(at), (sb_cv4b){ 0 });
}

TEST(test_10_14_a_ships_constants_replace_only_those_it_names)
{
    const char *name;
    float       value;
    for (size_t i = 0; sb_combat_constant_at(i, &name, &value, NULL, NULL); i++) {
        rig *r = rig_new();
        r->config.constants.cloak_time = 4; /* the server's own */
        rig_start(r, false);
        add_with(r, 0, SOVEREIGN, name, value + 1, here);
        sb_combat_constants expected = r->config.constants;
        CHECK_EQ(sb_combat_constant_set(&expected, name, value + 1), SB_OK);
        CHECK_BYTES(&rig_fighter(r, 0)->constants, sizeof expected, &expected, sizeof expected);
        rig_add(r, 1, SOVEREIGN, there);
        CHECK_BYTES(&rig_fighter(r, 1)->constants, sizeof expected, &r->config.constants,
                    sizeof r->config.constants);
    }
}

TEST(constants_of_a_ship_that_mean_nothing_change_nothing)
{
    static const sb_ship_constant own[] = { { "warp_factor", 9 }, { "cloak_time", -1 } };
    rig                          *r = rig_default();
    add_own(r, 0, SOVEREIGN, own, 2, here);
    CHECK_BYTES(&rig_fighter(r, 0)->constants, sizeof r->config.constants, &r->config.constants,
                sizeof r->config.constants);
}

TEST(test_10_12_a_ships_own_lifetime_of_its_wreck)
{
    rig *r = rig_default();
    add_with(r, 0, SOVEREIGN, "explosion_lifetime", 2, here);
    rig_add(r, 1, SOVEREIGN, there);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    sb_combat_self_destruct(r->combat, RIG_SHIP(1));
    CHECK_NEAR(rig_event(r, SB_COMBAT_EXPLODING, 0)->lifetime, 2, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_EXPLODING, 1)->lifetime, 9.5, 0);
    rig_seconds(r, 2.1f);
    CHECK_EQ(rig_count(r, SB_COMBAT_GONE), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_GONE, 0)->object_id, RIG_SHIP(0));
}

/* There is no grace after a spawn; a constant that was removed changes nothing. */
TEST(test_10_18_a_ships_own_spawn_grace_has_no_effect)
{
    rig *r = rig_default();
    add_with(r, 0, SOVEREIGN, "spawn_grace", 1, here);
    ram(r, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(test_10_8_a_ships_own_collision_damage)
{
    rig *r = rig_default();
    add_with(r, 0, SOVEREIGN, "collision_base", 1000, here);
    rig_add(r, 1, SOVEREIGN, there);
    ram(r, 0);
    ram(r, 1);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 1900, 0.01);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 1)->amount, 1400, 0.01);
}

TEST(test_10_10_a_ships_own_cloak_time)
{
    rig *r = rig_default();
    add_with(r, 0, BIRD_OF_PREY, "cloak_time", 1, here)->cloaked = true;
    rig_add(r, 1, BIRD_OF_PREY, there)->cloaked = true;
    rig_seconds(r, 1.2f);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 3);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(1)), 2);
}

/* The shooter's constants count for beams: of two equal ships one does twice the damage. */
TEST(test_10_6_2_a_ships_own_beams)
{
    double damage[2];
    for (unsigned i = 0; i < 2; i++) {
        rig *r = rig_default();
        add_with(r, 0, SOVEREIGN, "beam_medium", i ? 1.0f : 0.5f, here);
        rig_add(r, 1, SOVEREIGN, there);
        open_fire(r, 0, 1);
        rig_seconds(r, 2);
        damage[i] = rig_sum(r, SB_COMBAT_HIT);
    }
    CHECK(damage[0] > 0);
    CHECK_NEAR(damage[1], 2 * damage[0], 0.01);
}

/* The torpedo keeps the constant when its ship is gone. */
TEST(test_10_6_4_a_ships_own_life_of_torpedoes)
{
    rig *r = rig_default();
    add_with(r, 0, SOVEREIGN, "torpedo_life", 0, here);
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, -50, 0 });
    for (unsigned n = 0; n < 2; n++)
        sb_combat_torpedo(r->combat, RIG_SHIP(n), rig_id(r, n, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                          (sb_cv3){ 127, 0, 0 }, 0, (sb_cv4b){ 0 });
    CHECK_EQ(r->combat->shot_count, 2);
    const sb_projectile_class *photon = sb_find_projectile(sb_stock_projectiles(), 2);
    CHECK(photon->lifetime == 0 && photon->guidance_lifetime < 29);
    sb_combat_remove_ship(r->combat, RIG_SHIP(0));
    rig_seconds(r, photon->guidance_lifetime + 0.2f);
    CHECK_EQ(r->combat->shot_count, 1);
    CHECK_EQ(r->combat->shots[0].launcher, RIG_SHIP(1));
}

TEST(test_10_4_5_a_ships_own_batteries_frozen)
{
    rig     *r = rig_default();
    sb_ship *own = add_with(r, 0, WARBIRD, "battery_frozen", 1, here);
    sb_ship *other = rig_add(r, 1, WARBIRD, there);
    own->cloaked = other->cloaked = true;
    rig_seconds(r, 10);
    CHECK_NEAR(own->backup_battery, own->model->backup_battery, 0);
    CHECK(other->backup_battery < other->model->backup_battery);
}

/* ---- no_damage, a server's option (§3.3) ---- */

static void attack_everything(rig *r)
{
    rig_add(r, 0, SOVEREIGN, here);
    rig_facings(rig_add(r, 1, SOVEREIGN, there), 0);
    rig_facings(&r->ships[0], 0);
    open_fire(r, 0, 1);
    sb_combat_torpedo(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_TORPEDO_SYSTEM, 0), 2,
                      (sb_cv3){ 0, 127, 0 }, RIG_SHIP(1), (sb_cv4b){ 0 });
    ram(r, 1);
    rig_seconds(r, 3);
}

TEST(test_10_3_3_no_damage_covers_self_destruct_too)
{
    rig *r = rig_new();
    CHECK(!r->config.no_damage);
    r->config.no_damage = true;
    r->config.constants.splash = 5000;
    r->config.constants.splash_radius = 100;
    rig_start(r, false);
    attack_everything(r);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED) + rig_count(r, SB_COMBAT_ABSORBED), 0);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0)); /* 08 §8 */
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 0);
}

TEST(test_10_3_3_without_it_the_same_attacks_hurt)
{
    rig *r = rig_default();
    attack_everything(r);
    CHECK(rig_count(r, SB_COMBAT_HIT) >= 5); /* the ram, a torpedo, three strikes of a bank */
    CHECK(rig_count(r, SB_COMBAT_DAMAGED) > 0);
}

/* ---- the aim of 0x07 (§7) ---- */

static void aim_at(rig *r, sb_vec3 point)
{
    float radius = r->ships[1].model->bound_radius;
    sb_combat_start_firing(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, -1),
                           RIG_SHIP(1), sb_encode_cv4b(point, radius));
}

static bool is_damaged(const rig *r, unsigned index, int child)
{
    const sb_combat_event *e;
    for (unsigned i = 0; (e = rig_event(r, SB_COMBAT_DAMAGED, i)); i++)
        if (e->object_id == RIG_SHIP(1) && e->index == index && e->child == child) return true;
    return false;
}

/* The shooter is behind the target and aims at one nacelle, then at the other. */
TEST(test_10_7_a_beam_strikes_where_it_was_aimed)
{
    static const char *const names[] = { "Port Warp", "Star Warp" };
    rig                     *r = rig_default();
    rig_add(r, 0, SOVEREIGN, here);
    sb_ship *ship = rig_add(r, 1, SOVEREIGN, there);
    unsigned warp = rig_entry(ship, SB_SUBSYSTEM_WARP);
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    for (int i = 0; i < 2; i++) { /* the second StartFiring moves the aim */
        rig_forget(r);
        aim_at(r, sb_v_from(ship->model->children[rig_child(ship, names[i])].position));
        rig_seconds(r, i == 0 ? 1.2f : 0.6f);
        CHECK(rig_count(r, SB_COMBAT_HIT) > 0);
        CHECK_EQ(is_damaged(r, warp, 0), i == 0);
        CHECK_EQ(is_damaged(r, warp, 1), i == 1);
    }
}

/* Neither an aim at the far side nor one beside the ship avoids the facing toward the shooter. */
TEST(test_10_7_an_aim_does_not_go_round_the_shields)
{
    static const sb_vec3 aims[] = { { 0, 3, 0 }, { 0, 0, 3.9f }, { 3.9f, 0, 0 }, { 0, 3.9f, 0 } };
    for (unsigned i = 0; i < 4; i++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, here);
        rig_add(r, 1, SOVEREIGN, there);
        aim_at(r, aims[i]);
        rig_seconds(r, 1.3f);
        CHECK(rig_count(r, SB_COMBAT_ABSORBED) > 0);
        CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 0);
    }
}
