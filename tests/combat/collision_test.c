/* tests/combat/collision_test.c -- reported collisions (0x15). Spec 10 §8, 08 §10. */
#include "rig.h"

#include "base/bytes.h"

static const sb_cv4b nose = { { 0, 127, 0 }, 200 };

static void collide(rig *r, unsigned n, float force)
{
    sb_combat_collision(r->combat, RIG_SHIP(n), 0, RIG_SHIP(n), &nose, 1, force, r->now);
}

/* The captured report of trace D. */
static void ram_asteroid(rig *r)
{
    static const sb_cv4b contact = { { (int8_t)0xF9, 0x7E, 0x02 }, 0xD8 };
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &contact, 1,
                        sb_bits_float(0x4492C265u), r->now);
}

TEST(test_10_8_trace_d_eight_parts_in_order_and_death_by_bridge)
{
    static const struct {
        const char *name;
        float       hp;
        uint32_t    k;
    } expected[8] = {
        { "Sensor Array", 8000, 2 },       { "Ventral Phaser 2", 1000, 13 },
        { "Ventral Phaser 3", 1000, 14 },  { "Dorsal Phaser 2", 1000, 17 },
        { "Dorsal Phaser 3", 1000, 18 },   { "Forward Tractor 1", 1500, 31 },
        { "Forward Tractor 2", 1500, 32 }, { "Bridge", 10000, 28 },
    };
    rig *r = rig_default();
    ram_asteroid(r);
    const sb_ship *ship = &r->ships[0];

    const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, 0);
    CHECK(hit);
    CHECK_NEAR(hit->amount, 11066.67, 0.01);
    CHECK_EQ(hit->cause, SB_DAMAGE_COLLISION);
    CHECK(!hit->shields);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), 9);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 8); /* the hull is hurt, not announced */
    CHECK_EQ(rig_event(r, SB_COMBAT_DAMAGED, 8)->index, rig_entry(ship, SB_SUBSYSTEM_HULL));
    for (unsigned i = 0; i < 8; i++) {
        const sb_combat_event    *lost = rig_event(r, SB_COMBAT_DAMAGED, i);
        const sb_combat_event    *added = rig_event(r, SB_COMBAT_REPAIR_ADDED, i);
        const sb_subsystem_class *s = &ship->model->subsystems[lost->index];
        if (lost->child >= 0) s = &ship->model->children[s->first_child + lost->child];
        CHECK_TEXT(s->name, expected[i].name);
        CHECK_NEAR(lost->amount, expected[i].hp, 0);
        CHECK_NEAR(lost->left, 0, 0);
        CHECK_EQ(added->subsystem_id, RIG_SHIP(0) + 1 + expected[i].k);
        CHECK_EQ(added->repair_id, RIG_SHIP(0) + 1 + 24);
        CHECK_EQ(added->index, lost->index);
        CHECK_EQ(added->child, lost->child);
    }
    CHECK_NEAR(ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)], 12000 - 11066.67, 0.01);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        CHECK_NEAR(ship->facing[i], ship->model->shield_max[i], 0);
}

TEST(test_10_12_2_trace_d_death_is_reported_before_repair_list)
{
    rig *r = rig_default();
    ram_asteroid(r);
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 0);
    CHECK(death);
    CHECK_EQ(rig_count(r, SB_COMBAT_EXPLODING), 1);
    CHECK_EQ(death->object_id, RIG_SHIP(0));
    CHECK_EQ(death->attacker, 0);
    CHECK_EQ(death->attacker_ship, 0);
    CHECK_NEAR(death->lifetime, 9.5, 0);
    CHECK(death < rig_event(r, SB_COMBAT_REPAIR_ADDED, 0));
    CHECK(!sb_combat_is_alive(r->combat, RIG_SHIP(0)));
}

TEST(test_10_8_1_contact_points_decode_with_the_bounding_radius)
{
    sb_vec3 p = sb_decode_cv4b((sb_cv4b){ { -7, 126, 2 }, 216 }, 3.7209f);
    CHECK_NEAR(p.x, -0.174, 0.0005);
    CHECK_NEAR(p.y, 3.127, 0.0005);
    CHECK_NEAR(p.z, 0.050, 0.0005);
}

TEST(test_10_8_1_only_the_owner_of_the_damaged_ship_is_believed)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 7, 0 });
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 14, 0 });
    /* The other ship has an owner, who reports for it. */
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(0), RIG_SHIP(1), &nose, 1, 500, 0);
    /* The sender's ship is neither of the two. */
    sb_combat_collision(r->combat, RIG_SHIP(2), RIG_SHIP(0), RIG_SHIP(1), &nose, 1, 500, 0);
    /* A collision of a ship with itself. */
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(0), RIG_SHIP(0), &nose, 1, 500, 0);
    CHECK_EQ(r->event_count, 0);
    sb_combat_collision(r->combat, RIG_SHIP(1), RIG_SHIP(0), RIG_SHIP(1), &nose, 1, 500, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(1));
}

TEST(test_10_8_1_ships_further_apart_than_26_do_not_collide)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 2 * 3.929f + 26.01f, 0 });
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 500, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_FAR), 1);
    rig_move(r, 1, (sb_vec3){ 0, 2 * 3.929f + 25.9f, 0 }, (sb_vec3){ 0, 1, 0 },
             (sb_vec3){ 0, 0, 1 }, 0);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 500, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(test_10_11_4_ships_in_different_sets_do_not_collide)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 7, 0 });
    sb_combat_entered(r->combat, RIG_SHIP(1), RIG_SET + 1, r->now);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 500, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
}

TEST(test_10_8_1_hostile_numbers_are_refused)
{
    rig                 *r = rig_default();
    static const sb_cv4b many[33];
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    collide(r, 0, NAN);
    collide(r, 0, INFINITY);
    collide(r, 0, -1);
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), many, 33, 500, 0);
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), many, 0, 500, 0);
    CHECK(!rig_fighter(r, 0)->pairs[0].used); /* starts no interval either */
    sb_combat_collision(r->combat, RIG_SHIP(9), 0, RIG_SHIP(9), many, 1, 500, 0);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(0), RIG_SHIP(9), many, 1, 500, 0);
    sb_ship_init(&r->ships[1], r->ships[0].model, SOVEREIGN, RIG_SHIP(1)); /* of nobody */
    CHECK_EQ(sb_combat_add_ship(r->combat, &r->ships[1], 0, RIG_SET, 0), SB_OK);
    sb_combat_collision(r->combat, RIG_SHIP(9), 0, RIG_SHIP(1), many, 1, 500, 0);
    sb_combat_collision(r->combat, RIG_SHIP(9), RIG_SHIP(9), RIG_SHIP(1), many, 1, 500, 0);
    CHECK_EQ(r->event_count, 0);
}

TEST(test_10_8_2_no_collision_with_damage_off_or_with_a_wreck)
{
    rig *r = rig_new();
    r->config.collision_damage = false;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    collide(r, 0, 500);
    CHECK_EQ(r->event_count, 0);

    r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_forget(r);
    collide(r, 0, 500);
    CHECK_EQ(r->event_count, 0);
}

TEST(test_10_8_3_one_collision_per_pair_and_interval)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 7, 0 });
    sb_time at[] = { 0, 20000, 249999, 250000, 400000 };
    for (unsigned i = 0; i < 5; i++)
        sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &nose, 1, 5, at[i]);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_RATE), 3);
    /* Another pair has its own interval. */
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 5, 400000);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 3);
}

TEST(test_10_8_3_a_harmless_touch_starts_no_cooldown)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    collide(r, 0, 0.07f); /* the lightest of the captured ones: dead zone */
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    collide(r, 0, 500);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

TEST(test_10_8_4_implausible_force_is_clamped_and_counted)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    collide(r, 0, 1e9f);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_FORCE), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->object_id, RIG_SHIP(0));
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 19.75 * 900 + 500, 0.01);

    r = rig_default(); /* a player's ship adds its own speed: Bird of Prey 6.2 */
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, BIRD_OF_PREY, (sb_vec3){ 0, 5, 0 });
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 1e9f, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, (2.5 * (7.5 + 6.2) + 1) * 900 + 500, 0.05);
}

TEST(test_10_8_5_the_dead_zone)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    collide(r, 0, 1.0f); /* 0.01 */
    CHECK_EQ(r->event_count, 0);
    r->now = SB_SECOND;
    collide(r, 0, 1.01f);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 0.0101 * 900 + 500, 0.01);
}

/* The captured light volume (08 §15) has radius code 0x5003: a force below the dead zone. */
TEST(test_10_8_5_the_dead_zone_keeps_the_volume)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_volume v;
    float     hull = r->ships[0].condition[0];
    collide(r, 0, 0.5f); /* raw 0.005 */
    CHECK_EQ(r->event_count, 0);
    CHECK_NEAR(r->ships[0].condition[0], hull, 0);
    CHECK(sb_combat_volume(r->combat, RIG_SHIP(0), 0, &v));
    CHECK_NEAR(v.radius, (0.005 * 0.1 + 0.1) * 100, 1e-4);
    CHECK(!sb_combat_volume(r->combat, RIG_SHIP(0), 1, &v));
}

TEST(test_10_8_6_every_contact_point_has_its_share_of_the_force)
{
    rig                 *r = rig_default();
    static const sb_cv4b two[2] = { { { 0, 127, 0 }, 200 }, { { 127, 0, 0 }, 10 } };
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), two, 2, 100, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 2);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 0.5 * 900 + 500, 0.01);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 1)->amount, 0.5 * 900 + 500, 0.01);
}

TEST(test_08_10_4_the_published_force_of_a_sovereign)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    collide(r, 0, sb_bits_float(0x44A020BBu)); /* 1281.023 */
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 12029, 0.5);
    sb_volume v;
    CHECK(sb_combat_volume(r->combat, RIG_SHIP(0), 0, &v));
    CHECK_NEAR(v.radius, 50, 1e-4); /* 0.5 x 100 model units */
    CHECK_NEAR(v.strength, 6000, 0);
    CHECK_NEAR(v.centre.y, 200 / 255.0 * 3.929 * 100, 0.01);
    CHECK(!sb_combat_volume(r->combat, RIG_SHIP(0), 1, &v));
}

TEST(test_08_15_light_collisions_leave_small_volumes_oldest_goes)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_volume v;
    for (unsigned i = 0; i <= SB_COMBAT_VOLUMES; i++) {
        sb_cv4b at = { { 127, 0, 0 }, (uint8_t)i };
        for (unsigned k = 0; k < r->ships[0].model->subsystem_count; k++)
            r->ships[0].condition[k] = r->ships[0].model->subsystems[k].max_condition;
        sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &at, 1, 1.2f,
                            (sb_time)i * SB_SECOND);
    }
    CHECK(sb_combat_volume(r->combat, RIG_SHIP(0), SB_COMBAT_VOLUMES - 1, &v));
    CHECK(!sb_combat_volume(r->combat, RIG_SHIP(0), SB_COMBAT_VOLUMES, &v));
    CHECK(sb_combat_volume(r->combat, RIG_SHIP(0), 0, &v));
    CHECK_NEAR(v.centre.x, 1 / 255.0 * 3.929 * 100, 0.01); /* the second one made */
    CHECK_NEAR(v.radius, 10.12, 0.001);                    /* 0.012 * 0.1 + 0.1 */
}

TEST(test_10_8_7_the_destination_is_damaged_the_source_is_killer)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 4, 0 });
    static const sb_cv4b centre = { { 0, 127, 0 }, 0 };
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &centre, 1, 1000, 0);
    for (unsigned i = 0; i < r->event_count; i++) CHECK_EQ(r->events[i].object_id, RIG_SHIP(0));
    const sb_combat_event *death = rig_event(r, SB_COMBAT_EXPLODING, 0);
    CHECK(death);
    CHECK_EQ(death->attacker, RIG_OWNER(1));
    CHECK_EQ(death->attacker_ship, RIG_SHIP(1));
}

/* The measured rams: an elastic collision has the impulse 2 m1 m2 v / (m1 + m2), which the hull of
 * each ship feels as 900 x impulse / mass + 500. Shields stay as they are. */
TEST(test_10_8_the_measured_rams)
{
    enum { KESSOK_HEAVY = 13 };
    static const struct {
        uint8_t species, other;
        double  mass, other_mass, speed, lost;
    } rows[] = {
        { GALAXY, GALAXY, 120, 120, 6.21, 6089 },
        { GALAXY, KESSOK_HEAVY, 120, 500, 3.70, 5870 },
        { KESSOK_HEAVY, GALAXY, 500, 120, 3.70, 1789 },
        { GALAXY, BIRD_OF_PREY, 120, 45, 6.17, 3527 },
        { BIRD_OF_PREY, GALAXY, 45, 120, 6.17, 4000 }, /* its whole hull */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, rows[i].species, rig_origin);
        rig_add(r, 1, rows[i].other, (sb_vec3){ 0, 8, 0 });
        double  sum = rows[i].mass + rows[i].other_mass;
        double  impulse = 2 * rows[i].mass * rows[i].other_mass * rows[i].speed / sum;
        float   before = ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)];
        sb_cv4b far_side = { { 0, 0, 127 }, 255 };
        sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &far_side, 1,
                            (float)impulse, r->now);
        double lost = (double)(before - ship->condition[rig_entry(ship, SB_SUBSYSTEM_HULL)]);
        CHECK_NEAR(lost, rows[i].lost, rows[i].lost * 0.01);
        for (unsigned k = 0; k < SB_FACINGS; k++)
            CHECK_NEAR(ship->facing[k], ship->model->shield_max[k], 0);
    }
}

TEST(test_10_8_the_hull_is_announced_last_unless_the_ship_dies)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    unsigned hull = rig_entry(ship, SB_SUBSYSTEM_HULL);
    collide(r, 0, 10);
    rig_steps(r, 1);
    unsigned count = rig_count(r, SB_COMBAT_REPAIR_ADDED);
    CHECK(count > 1);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, i)->index == hull, i + 1 == count);
    CHECK_EQ(rig_fighter(r, 0)->queue[count - 1], hull);
}

TEST(test_10_10_collisions_with_a_cloaked_ship_are_normal)
{
    rig *r = rig_default();
    rig_add(r, 0, BIRD_OF_PREY, (sb_vec3){ 0, 0, 0 });
    r->ships[0].cloaked = true;
    rig_seconds(r, 6);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 3);
    collide(r, 0, 10);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

/* A ship without an owner: the other ship of the collision reports, a third one may not. */
TEST(test_10_8_1_the_source_reports_for_a_ship_without_an_owner)
{
    static const sb_cv4b ahead = { { 0, 127, 0 }, 200 };
    rig                 *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 14, 0 });
    sb_ship *ship = &r->ships[1];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(1));
    ship->motion.position = (sb_vec3){ 0, 7, 0 };
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 0, RIG_SET, r->now), SB_OK);
    sb_combat_collision(r->combat, RIG_SHIP(2), RIG_SHIP(0), RIG_SHIP(1), &ahead, 1, 500, 0);
    CHECK_EQ(r->event_count, 0);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(0), RIG_SHIP(1), &ahead, 1, 500, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->object_id, RIG_SHIP(1));
    CHECK_EQ(rig_event(r, SB_COMBAT_HIT, 0)->attacker, RIG_OWNER(0));
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 500.0 / 100 * 900 + 500, 0.01);
}

/* A report has one to SB_CONTACTS points; a report with more is not believed. */
TEST(test_10_8_1_a_report_has_as_many_contacts_as_the_message)
{
    sb_cv4b many[SB_CONTACTS + 1];
    for (unsigned i = 0; i <= SB_CONTACTS; i++) many[i] = nose;
    for (unsigned count = 0; count <= SB_CONTACTS + 1; count++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
        sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), many, count, 1000, r->now);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT) > 0, count >= 1 && count <= SB_CONTACTS);
    }
}

/* ---- edges ---- */

TEST(test_10_8_1_the_largest_gap_is_too_far)
{
    const float distance = 40, radius = 3.929f;
    for (unsigned more = 0; more < 2; more++) {
        rig  *r = rig_new();
        float gap = distance - radius - radius;
        r->config.constants.collision_gap = more ? nextafterf(gap, 100) : gap;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, distance, 0 });
        sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 5, 0);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), more);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_FAR), !more);
        if (more) continue;
        const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
        CHECK(e->claimed == gap && e->possible == gap);
        CHECK_EQ(e->object_id, RIG_SHIP(0));
        CHECK_EQ(e->attacker_ship, RIG_SHIP(0));
        CHECK_EQ(e->attacker, RIG_OWNER(0));
        CHECK_EQ(e->index, SB_IMPLAUSIBLE_COLLISION_FAR);
        CHECK_EQ(e->child, -1);
    }
}

/* Both ships are where they are at the time of the report: the gap is 23 and grows by 6 a second.
 */
TEST(test_10_8_1_the_gap_is_that_at_the_time_of_the_report)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_add(r, 1, SOVEREIGN, rig_origin);
    rig_move(r, 1, (sb_vec3){ 0, 2 * 3.929f + 23, 0 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 },
             6);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 5, 450000);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 5, 900000);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

/* The cooldowns of the last eight bodies are kept; the ninth one replaces the oldest. */
TEST(test_10_8_3_cooldowns_of_eight_bodies_are_kept)
{
    rig *r = rig_new();
    r->config.constants.collision_base = 1;
    r->config.constants.collision_slope = 0;
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, rig_origin);
    for (uint32_t i = 0; i <= SB_COLLISION_PAIRS; i++) /* scenery: ids that are no ships */
        sb_combat_collision(r->combat, RIG_SHIP(0), 100 + i, RIG_SHIP(0), &nose, 1, 5, 1000);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), SB_COLLISION_PAIRS + 1);
    for (uint32_t i = 1; i <= SB_COLLISION_PAIRS; i++) {
        sb_combat_collision(r->combat, RIG_SHIP(0), 100 + i, RIG_SHIP(0), &nose, 1, 5, 101000);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_RATE), i);
    }
    const sb_combat_event *e = rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0);
    CHECK_NEAR(e->claimed, 0.1, 1e-6);
    CHECK_NEAR(e->possible, 0.25, 0);
    sb_combat_collision(r->combat, RIG_SHIP(0), 100, RIG_SHIP(0), &nose, 1, 5, 101000);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), SB_COLLISION_PAIRS + 2);
    CHECK_EQ(rig_fighter(r, 0)->pairs[1].other, 100); /* the oldest one then was 101 */
    /* A body that is known keeps its place; the interval is over after exactly 0.25 s. */
    sb_combat_collision(r->combat, RIG_SHIP(0), 105, RIG_SHIP(0), &nose, 1, 5, 251000);
    CHECK_EQ(rig_fighter(r, 0)->pairs[5].other, 105);
    CHECK_EQ(rig_fighter(r, 0)->pairs[5].at, 251000);
    CHECK_EQ(rig_fighter(r, 0)->pair_next, 2);
}

/* 2.5 x 7.5 + 1 = 19.75 is allowed. */
TEST(test_10_8_4_the_largest_force_is_not_counted)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    collide(r, 0, 1975);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
    r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    collide(r, 0, 1976);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->claimed, 19.76, 1e-5);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->possible, 19.75, 0);
}

/* A class of a mod without a mass: the force counts as that of a mass of 1. */
TEST(test_10_8_5_a_ship_without_mass_counts_as_1)
{
    static const float masses[] = { 0, 1, 0.5f };
    for (unsigned i = 0; i < 3; i++) {
        rig       *r = rig_default();
        rig_class *k = rig_copy_class(SOVEREIGN);
        k->model.mass = masses[i];
        rig_add_class(r, 0, &k->model, rig_origin);
        collide(r, 0, 5);
        CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, (i == 2 ? 10 : 5) * 900 + 500, 0.01);
    }
}

/* Nobody gets credit for a collision with scenery or with a ship of nobody. */
TEST(test_10_8_7_collisions_with_nobody_have_no_attacker)
{
    rig     *r = rig_default();
    sb_ship *ship = &r->ships[1];
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(1));
    ship->motion.position = (sb_vec3){ 0, 7, 0 };
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 0, RIG_SET, r->now), SB_OK);
    const uint32_t others[] = { 0, 77, RIG_SHIP(1) };
    for (unsigned i = 0; i < 3; i++) {
        sb_combat_collision(r->combat, RIG_SHIP(0), others[i], RIG_SHIP(0), &nose, 1, 2, 0);
        const sb_combat_event *hit = rig_event(r, SB_COMBAT_HIT, i);
        CHECK(hit);
        CHECK_EQ(hit->attacker, 0);
        CHECK_EQ(hit->attacker_ship, 0);
        CHECK_EQ(hit->index, 0); /* the nose */
        CHECK_EQ(hit->child, -1);
    }
}

/* 10 §15.1: a ship without a model hurts others below level 3; an unarmed one never does. */
TEST(test_10_15_1_collisions_with_ships_that_must_not_hurt)
{
    enum { UNKNOWN = 200 };
    for (uint8_t level = SB_FIDELITY_COLLISIONS; level <= SB_FIDELITY_ENFORCE; level++)
        for (unsigned unarmed = 0; unarmed < 2; unarmed++) {
            static const uint8_t others[] = { UNKNOWN, SOVEREIGN };
            for (unsigned known = 0; known < 2; known++) {
                rig *r = rig_new();
                r->config.fidelity = level;
                rig_start(r, false);
                rig_add(r, 0, SOVEREIGN, rig_origin);
                rig_add(r, 1, others[known], (sb_vec3){ 0, 7, 0 });
                if (unarmed) sb_combat_disarm(r->combat, RIG_SHIP(1), 1);
                sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 5,
                                    0);
                bool hurts = !unarmed && (known || level < SB_FIDELITY_ENFORCE);
                CHECK_EQ(rig_count(r, SB_COMBAT_HIT), hurts);
            }
        }
}

static float report_ram(rig *r, uint32_t other, float force)
{
    return sb_combat_collision(r->combat, RIG_SHIP(0), other, RIG_SHIP(0), &nose, 1, force, r->now);
}

/* At level 0, and where collision damage is off, a report still explains motion (§11.3): by no more
 * than the ships can have, and not twice at once. */
TEST(test_10_15_1_reports_are_judged_where_nothing_is_damaged)
{
    for (unsigned off = 0; off < 2; off++) {
        rig *r = rig_new();
        r->config.fidelity = off ? SB_FIDELITY_ENFORCE : SB_FIDELITY_RELAY;
        r->config.collision_damage = !off;
        rig_start(r, false);
        rig_add(r, 0, SOVEREIGN, rig_origin);
        rig_add(r, 1, SOVEREIGN, (sb_vec3){ 0, 120, 0 });
        CHECK_NEAR(report_ram(r, 0, 1), 0, 0); /* in the dead zone */
        CHECK_NEAR(report_ram(r, 0, 500), 5, 1e-5);
        CHECK_NEAR(report_ram(r, 0, 500), 0, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_RATE), 1);
        rig_seconds(r, 1);
        CHECK_NEAR(report_ram(r, 0, 1e9f), 19.75, 1e-5);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_FORCE), 1);
        CHECK_NEAR(report_ram(r, RIG_SHIP(1), 500), 0, 0);
        CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_FAR), 1);
        CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    }
}

/* A ship that grinds along an asteroid sends dozens of grazes a second: none is a cheat. */
TEST(test_10_8_3_a_graze_is_never_too_soon)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    collide(r, 0, 500);
    for (unsigned i = 0; i < 43; i++) collide(r, 0, 1); /* just in the dead zone */
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_RATE), 0);
    collide(r, 0, 1.1f);
    CHECK_EQ(sb_combat_implausible(r->combat, SB_IMPLAUSIBLE_COLLISION_RATE), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

/* The top speed of a ship without a model is not known, so no force is too large. */
TEST(test_10_8_4_no_force_limit_with_an_unknown_ship)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    rig_add(r, 1, 200, (sb_vec3){ 0, 20, 0 }); /* no radius either: a gap of 16 */
    sb_combat_collision(r->combat, RIG_SHIP(0), RIG_SHIP(1), RIG_SHIP(0), &nose, 1, 1e5f, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_IMPLAUSIBLE), 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_HIT, 0)->amount, 1000.0 * 900 + 500, 1);
    rig_add(r, 2, SOVEREIGN, (sb_vec3){ 0, 120, 0 });
    sb_combat_collision(r->combat, RIG_SHIP(2), RIG_SHIP(1), RIG_SHIP(2), &nose, 1, 5, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_IMPLAUSIBLE, 0)->claimed, 100 - 3.929, 1e-4);
}

/* A force of 0 is a report like any other: it leaves the smallest mark. */
TEST(test_10_8_5_a_touch_without_force_leaves_a_volume)
{
    rig      *r = rig_default();
    sb_volume v;
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), NULL, 1, 5, 0); /* no contacts */
    CHECK(!sb_combat_volume(r->combat, RIG_SHIP(0), 0, &v));
    collide(r, 0, 0);
    CHECK(sb_combat_volume(r->combat, RIG_SHIP(0), 0, &v));
    CHECK_NEAR(v.radius, 10, 1e-5);
    CHECK_EQ(r->event_count, 0);
    CHECK(!sb_combat_volume(r->combat, RIG_SHIP(7), 0, &v)); /* no such ship */
}

TEST(test_10_8_2_collision_damage_can_change_in_a_match)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_combat_set_collision_damage(r->combat, false);
    collide(r, 0, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 0);
    sb_combat_set_collision_damage(r->combat, true);
    rig_seconds(r, 1);
    collide(r, 0, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_HIT), 1);
}

/* Every volume of a full ring, in the order in which they were made. */
TEST(test_08_15_a_full_ring_of_volumes_is_told_oldest_first)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, rig_origin);
    for (unsigned i = 0; i < SB_COMBAT_VOLUMES + 3; i++) {
        sb_cv4b   at = { { 127, 0, 0 }, (uint8_t)(i + 1) };
        sb_volume v;
        sb_combat_collision(r->combat, RIG_SHIP(0), 0, RIG_SHIP(0), &at, 1, 0.5f, 0);
        unsigned count = i < SB_COMBAT_VOLUMES ? i + 1 : SB_COMBAT_VOLUMES;
        for (unsigned n = 0; n < count; n++) {
            CHECK(sb_combat_volume(r->combat, RIG_SHIP(0), n, &v));
            CHECK_NEAR(v.centre.x, (i + 2 - count + n) / 255.0 * 3.929 * 100, 0.01);
        }
        CHECK(!sb_combat_volume(r->combat, RIG_SHIP(0), count, &v));
    }
}
