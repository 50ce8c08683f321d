/* tests/combat/repair_test.c -- the repair queue and its events. Spec 10 §9, 08 §5.1, §5.2. */
#include "rig.h"

#include <string.h>

static void hurt(rig *r, unsigned n, unsigned part, float hp)
{
    sb_fighter *f = rig_fighter(r, n);
    sb_hit      hit = { .by = { SB_DAMAGE_TORPEDO, 0, 0 } };
    sb_combat_damage_part(r->combat, f, &hit, part, hp);
    sb_combat_finish_hit(f, &hit);
    sb_combat_announce_hits(r->combat, f);
}

static unsigned child_part(rig *r, unsigned n, const char *name)
{
    return SB_CHILD_PART + rig_child(&r->ships[n], name);
}

TEST(test_10_9_1_two_entries_share_the_points_by_complexity)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR); /* complexity 1 */
    unsigned hull = rig_entry(ship, SB_SUBSYSTEM_HULL);      /* 3 */
    hurt(r, 0, sensors, 100);
    hurt(r, 0, hull, 100);
    rig_steps(r, 1);
    /* 50 points, dt 1/30, two entries: share 0.8333. */
    CHECK_NEAR(ship->condition[sensors], 7900 + 50.0 / 30 / 2, 0.001);
    CHECK_NEAR(ship->condition[hull], 11900 + 50.0 / 30 / 2 / 3, 0.001);
}

/* "dt 0.033: points 1.65, share 0.825; complexity 1: +0.825, 3: +0.275, 7: +0.118", at our dt. */
TEST(test_10_9_1_the_worked_example)
{
    static const struct {
        const char *name;
        double      complexity, gained;
    } rows[] = { { "Sensor Array", 1, 0.825 },
                 { "Hull", 3, 0.275 },
                 { "Dorsal Phaser 1", 7, 0.118 } };
    for (unsigned i = 0; i < 3; i++) {
        rig                      *r = rig_default();
        sb_ship                  *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
        unsigned                  part = i == 0   ? rig_entry(ship, SB_SUBSYSTEM_SENSOR)
                                         : i == 1 ? rig_entry(ship, SB_SUBSYSTEM_HULL)
                                                  : child_part(r, 0, rows[i].name);
        const sb_subsystem_class *s = sb_combat_part_class(ship->model, part);
        CHECK_TEXT(s->name, rows[i].name);
        CHECK_NEAR(s->repair_complexity, rows[i].complexity, 0);
        hurt(r, 0, part, 100);
        hurt(r, 0, rig_entry(ship, SB_SUBSYSTEM_POWER), 100); /* the second entry */
        rig_steps(r, 1);
        double gained = (double)(*sb_combat_part_condition(ship, part) - (s->max_condition - 100));
        CHECK_NEAR(gained * 0.033 * 30, rows[i].gained, 0.0012); /* a step of a float at 12,000 */
    }
}

/* Measured on a Galaxy (50 points, 3 teams; stbc-oracle): 8.3 and 25 points a second for hull and
 * Sensor Array, 5.5, 8.3 and 16.7 with the Shield Generator as third entry. The engine adds them in
 * steps of 0.33 s; the sums are the same. */
TEST(test_10_9_1_the_measured_repair_of_a_galaxy)
{
    static const sb_subsystem_type types[] = { SB_SUBSYSTEM_HULL, SB_SUBSYSTEM_SENSOR,
                                               SB_SUBSYSTEM_SHIELD };
    static const double            rates[2][3] = { { 8.3, 25, 0 }, { 5.5, 16.7, 8.3 } };
    for (unsigned entries = 2; entries <= 3; entries++) {
        rig     *r = rig_default();
        sb_ship *ship = rig_add(r, 0, GALAXY, rig_origin);
        float    before[3];
        for (unsigned i = 0; i < entries; i++) {
            unsigned entry = rig_entry(ship, types[i]);
            hurt(r, 0, entry, 1000);
            before[i] = ship->condition[entry];
        }
        rig_seconds(r, 10);
        for (unsigned i = 0; i < entries; i++) {
            double rate = rates[entries - 2][i], gained;
            gained = (double)(ship->condition[rig_entry(ship, types[i])] - before[i]) / 10;
            CHECK_NEAR(gained, rate, rate * 0.05);
        }
    }
}

TEST(test_10_9_1_repair_does_not_depend_on_power)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned bay = rig_entry(ship, SB_SUBSYSTEM_REPAIR),
             sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    ship->power_wanted[bay] = 0;
    ship->main_battery = ship->backup_battery = 0;
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 100; /* disabled: generates nothing */
    hurt(r, 0, sensors, 1000);
    rig_seconds(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[bay], 0, 0);
    CHECK_NEAR(ship->condition[sensors], 7050, 0.1);
}

TEST(test_10_9_1_a_complexity_of_0_or_less_counts_as_1)
{
    static sb_subsystem_class list[SB_SUBSYSTEMS_MAX];
    static sb_ship_class      model;
    rig                      *r = rig_default();
    model = *sb_find_ship(sb_stock_ships(), SOVEREIGN);
    memcpy(list, model.subsystems, model.subsystem_count * sizeof list[0]);
    list[0].repair_complexity = 0;
    list[2].repair_complexity = -4;
    list[3].repair_complexity = 0.5f; /* counts as it is */
    model.subsystems = list;
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, &model, SOVEREIGN, RIG_SHIP(0));
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, 2, RIG_SET, 0), SB_OK);
    hurt(r, 0, 0, 1000);
    hurt(r, 0, 2, 1000);
    rig_seconds(r, 1);
    CHECK_NEAR(ship->condition[0], 11025, 0.1);
    CHECK_NEAR(ship->condition[2], 7025, 0.1);
    ship->condition[0] = 12000;
    ship->condition[2] = 8000;
    rig_steps(r, 1); /* both are done */
    hurt(r, 0, 3, 1000);
    float before = ship->condition[3];
    rig_seconds(r, 1);
    CHECK_NEAR(ship->condition[3], before + 100, 0.1);
}

TEST(test_10_9_1_only_as_many_as_there_are_teams_are_repaired)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 }); /* 3 teams */
    for (unsigned i = 0; i < 4; i++) hurt(r, 0, i, 100);
    rig_steps(r, 1);
    for (unsigned i = 0; i < 3; i++)
        CHECK(ship->condition[i] > ship->model->subsystems[i].max_condition - 100);
    CHECK_NEAR(ship->condition[3], 6900, 0);
}

TEST(test_10_9_1_repair_ends_at_the_maximum_and_is_reported)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    hurt(r, 0, sensors, 10);
    rig_seconds(r, 1);
    CHECK_NEAR(ship->condition[sensors], 8000, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), 1);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_REPAIR_COMPLETED, 0);
    CHECK_EQ(e->subsystem_id, RIG_SHIP(0) + 1 + 2);
    CHECK_EQ(e->repair_id, RIG_SHIP(0) + 1 + 24);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 0);
}

static void strike(rig *r, unsigned part, float hp)
{
    sb_hit hit = { .by = { SB_DAMAGE_TORPEDO, 0, 0 } };
    sb_combat_damage_part(r->combat, rig_fighter(r, 0), &hit, part, hp);
    sb_combat_finish_hit(rig_fighter(r, 0), &hit);
}

/* The teams reach the part before the notices of the step are sent. */
TEST(test_10_9_2_a_destroyed_queued_part_is_impossible_once)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    strike(r, sensors, 100);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
    strike(r, sensors, 50000);
    rig_steps(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
}

TEST(test_10_9_2_a_part_hit_and_done_in_one_step_is_not_readded)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    strike(r, sensors, 0.5f);
    rig_steps(r, 1);
    strike(r, sensors, 0.25f);
    rig_steps(r, 3);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
}

TEST(test_10_9_1_a_destroyed_entry_uses_no_team_but_divides)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR), hull = 0;
    hurt(r, 0, sensors, 100);
    hurt(r, 0, hull, 100);
    hurt(r, 0, sensors, 50000);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 2); /* queued parts are not added again */
    rig_steps(r, 1);
    const sb_combat_event *e = rig_event(r, SB_COMBAT_REPAIR_IMPOSSIBLE, 0);
    CHECK(e);
    CHECK_EQ(e->subsystem_id, RIG_SHIP(0) + 1 + 2);
    CHECK_NEAR(ship->condition[hull], 11900 + 50.0 / 30 / 2 / 3, 0.001);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 1);
    CHECK_NEAR(ship->condition[sensors], 0, 0); /* stays destroyed */
    CHECK_NEAR(ship->condition[hull], 11900 + 50.0 / 30 / 2 / 3 + 50.0 / 30 / 3, 0.002);
}

TEST(test_10_9_1_destroyed_entries_beyond_the_teams_are_found)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    for (unsigned i = 0; i < 4; i++) hurt(r, 0, i == 3 ? 4 : i, 100);
    hurt(r, 0, 4, 50000); /* impulse, fourth of three teams */
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 1);
}

TEST(test_10_9_1_the_bay_works_by_its_condition_and_only_when_on)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    unsigned bay = rig_entry(ship, SB_SUBSYSTEM_REPAIR), hull = 0;
    hurt(r, 0, hull, 100);
    ship->condition[bay] *= 0.5f;
    rig_steps(r, 1);
    CHECK_NEAR(ship->condition[hull], 11900 + 50.0 * 0.5 / 30 / 3, 0.001);
    float before = ship->condition[hull];
    sb_combat_switch(r->combat, RIG_SHIP(0), rig_id(r, 0, SB_SUBSYSTEM_REPAIR, -1), false);
    rig_steps(r, 30);
    CHECK_NEAR(ship->condition[hull], before, 0);
}

/* §3.2: a bay that is disabled still works by its ratio. */
TEST(test_10_3_2_a_disabled_bay_repairs_by_its_ratio)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, (sb_vec3){ 0, 0, 0 }); /* 50 points; 0.1 */
    unsigned bay = rig_entry(ship, SB_SUBSYSTEM_REPAIR),
             sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    float before = ship->condition[sensors] - 1000;
    hurt(r, 0, sensors, 1000);
    ship->condition[bay] *= 0.05f;
    CHECK(sb_ship_is_disabled(ship, bay));
    rig_seconds(r, 1);
    float each = ship->model->subsystems[sensors].repair_complexity;
    CHECK_NEAR(ship->condition[sensors], before + 50 * 0.05f / each, 0.05);
    ship->condition[bay] = 0;
    before = ship->condition[sensors];
    rig_seconds(r, 1);
    CHECK_NEAR(ship->condition[sensors], before, 0);
}

TEST(test_10_9_2_each_damaged_part_is_queued_and_announced_once)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    hurt(r, 0, 0, 100);
    hurt(r, 0, 0, 100);
    hurt(r, 0, child_part(r, 0, "Aft Torpedo 1"), 10);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 2);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 2);
    CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, 0)->subsystem_id, RIG_SHIP(0) + 1);
    CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, 1)->subsystem_id, RIG_SHIP(0) + 1 + 10);
}

TEST(test_08_5_1_a_part_destroyed_at_once_is_not_queued)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    hurt(r, 0, 2, 50000);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 1);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 0);
    rig_steps(r, 30);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 0);
}

TEST(test_12_11_a_destroyed_part_is_announced_only_once)
{
    for (uint8_t cause = 0; cause <= SB_DAMAGE_COLLISION; cause++) {
        rig *r = rig_default();
        rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
        sb_fighter *f = rig_fighter(r, 0);
        for (unsigned i = 0; i < 3; i++) {
            sb_hit hit = { .by = { cause, 0, 0 } };
            sb_combat_damage_by_weapon(r->combat, f, &hit, (sb_vec3){ 0, 2.35f, 0.07f }, 0, 8000,
                                       false);
            sb_combat_finish_hit(f, &hit);
            sb_combat_announce_hits(r->combat, f);
            f->ship->condition[0] = 12000; /* the hull, which the second and third hit */
        }
        unsigned announced = 0;
        for (size_t i = 0; i < r->event_count; i++)
            announced += r->events[i].type == SB_COMBAT_REPAIR_ADDED && r->events[i].index == 2;
        CHECK_EQ(announced, 1);
    }
}

/* stbc-oracle phaser_high_front_57: three teams, five other parts; the hull regains nothing. */
TEST(test_10_9_2_the_hull_is_queued_behind_the_other_parts)
{
    rig        *r = rig_default();
    sb_ship    *ship = rig_add(r, 0, GALAXY, (sb_vec3){ 0, 0, 0 });
    sb_fighter *f = rig_fighter(r, 0);
    sb_hit      hit = { .by = { SB_DAMAGE_BEAM, 0, 0 } };
    unsigned    sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    sb_combat_damage_part(r->combat, f, &hit, f->hull, 100);
    sb_combat_damage_part(r->combat, f, &hit, child_part(r, 0, "Forward Torpedo 2"), 100);
    sb_combat_damage_part(r->combat, f, &hit, sensors, 100);
    sb_combat_finish_hit(f, &hit);
    sb_combat_announce_hits(r->combat, f);
    CHECK_EQ(f->queue_size, 3);
    CHECK_EQ(f->queue[0], sensors); /* list order */
    CHECK_EQ(f->queue[1], child_part(r, 0, "Forward Torpedo 2"));
    CHECK_EQ(f->queue[2], f->hull);
}

TEST(test_10_9_2_raising_a_condition_never_queues)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    ship->condition[2] = 100; /* as a creation message could say */
    rig_steps(r, 30);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 0);
    CHECK_NEAR(ship->condition[2], 100, 0);
}

TEST(test_10_9_2_a_dead_ship_is_not_repaired)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    hurt(r, 0, 2, 100);
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    rig_steps(r, 30);
    CHECK_NEAR(ship->condition[2], 7900, 0);
}

TEST(test_10_9_2_unknown_ids_are_reported_as_0)
{
    rig *r = rig_default();
    rig_add(r, 0, GALOR, (sb_vec3){ 0, 0, 0 });
    hurt(r, 0, 0, 100);
    CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, 0)->subsystem_id, 0);
    CHECK_EQ(rig_event(r, SB_COMBAT_REPAIR_ADDED, 0)->repair_id, 0);
}

static void check_queue(rig *r, const uint8_t *expected, unsigned count)
{
    const sb_fighter *f = rig_fighter(r, 0);
    CHECK_EQ(f->queue_size, count);
    CHECK(memcmp(f->queue, expected, count) == 0);
}

TEST(test_10_9_3_priority_moves_to_the_head_or_from_work_to_tail)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    for (unsigned i = 0; i < 5; i++) hurt(r, 0, i, 100);
    uint32_t bay = rig_id(r, 0, SB_SUBSYSTEM_REPAIR, -1);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, RIG_SHIP(0) + 1 + 1); /* among three */
    check_queue(r, (uint8_t[]){ 0, 2, 3, 4, 1 }, 5);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, RIG_SHIP(0) + 1 + 4); /* fourth */
    check_queue(r, (uint8_t[]){ 4, 0, 2, 3, 1 }, 5);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, RIG_SHIP(0) + 1 + 28); /* absent */
    check_queue(r, (uint8_t[]){ 4, 0, 2, 3, 1 }, 5);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, 0xFFFFFFFF);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), 12, RIG_SHIP(0) + 1);
    check_queue(r, (uint8_t[]){ 4, 0, 2, 3, 1 }, 5);
}

/* Hull and children included, and no limit (§9.2). */
TEST(test_10_9_2_every_part_of_a_ship_can_be_queued)
{
    rig        *r = rig_default();
    sb_ship    *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    sb_fighter *f = rig_fighter(r, 0);
    unsigned    parts = ship->model->subsystem_count + ship->model->child_count;
    sb_hit      hit = { .by = { SB_DAMAGE_COLLISION, 0, 0 } };
    for (unsigned part = 0; part != SB_NO_PART; part = sb_combat_next_part(ship->model, part))
        sb_combat_damage_part(r->combat, f, &hit, part, 1);
    sb_combat_finish_hit(f, &hit);
    sb_combat_announce_hits(r->combat, f);
    CHECK_EQ(f->queue_size, parts);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), parts);
    rig_seconds(r, 120);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), parts);
    CHECK_EQ(f->queue_size, 0);
}

/* ---- edges ---- */

/* A class of a mod without teams: nothing is repaired, and destroyed parts are found. */
TEST(test_10_9_1_without_teams_nothing_is_repaired)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    k->model.repair_teams = 0;
    sb_ship *ship = rig_add_class(r, 0, &k->model, rig_origin);
    hurt(r, 0, 2, 100);
    hurt(r, 0, 4, 100);
    ship->condition[4] = 0;
    rig_steps(r, 10);
    CHECK_NEAR(ship->condition[2], 7900, 0);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 1);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 1);
}

/* A class of a mod without a repair bay: hits are neither announced nor repaired. */
TEST(test_10_9_2_without_a_bay_nothing_is_announced)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    unsigned   bay = rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_REPAIR);
    k->entries[bay].type = SB_SUBSYSTEM_ENGINE;
    sb_ship *ship = rig_add_class(r, 0, &k->model, rig_origin);
    hurt(r, 0, 2, 100);
    rig_steps(r, 10);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_ADDED), 0);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 0);
    CHECK_NEAR(ship->condition[2], 7900, 0);
    CHECK(sb_part_set_is_empty(&rig_fighter(r, 0)->hit_parts));
}

/* The events of a repair name the part, what it gained and what it has. */
TEST(test_08_5_2_events_of_a_repair_name_part_and_condition)
{
    rig *r = rig_new();
    rig_start(r, true);
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    unsigned tube = child_part(r, 0, "Forward Torpedo 2");
    float    full = ship->model->children[tube - SB_CHILD_PART].max_condition;
    hurt(r, 0, tube, 0.5f);
    rig_steps(r, 2);
    static const sb_combat_event_type types[] = { SB_COMBAT_REPAIR_ADDED, SB_COMBAT_REPAIRED,
                                                  SB_COMBAT_REPAIR_COMPLETED };
    for (unsigned i = 0; i < 3; i++) {
        const sb_combat_event *e = rig_event(r, types[i], 0);
        CHECK(e);
        CHECK_EQ(e->object_id, RIG_SHIP(0));
        CHECK_EQ(e->index, rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM));
        CHECK_EQ(e->child, 1);
        CHECK_EQ(e->left > full - 0.4f, i > 0);
    }
    CHECK_NEAR(rig_event(r, SB_COMBAT_REPAIR_ADDED, 0)->left, full - 0.5f, 0);
    CHECK_NEAR(rig_event(r, SB_COMBAT_REPAIR_COMPLETED, 0)->left, full, 0);
    CHECK_NEAR(rig_sum(r, SB_COMBAT_REPAIRED), 0.5, 1e-3);
    rig_forget(r);
    rig_steps(r, 5); /* complete: no more events */
    CHECK_EQ(r->event_count, 0);
}

/* A bay without condition works on an entry but adds nothing, which is no event. */
TEST(test_10_9_1_a_repair_of_nothing_is_not_reported)
{
    rig *r = rig_new();
    rig_start(r, true);
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    hurt(r, 0, 2, 100);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_REPAIR)] = 0;
    rig_steps(r, 5);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIRED), 0);
    CHECK_NEAR(ship->condition[2], 7900, 0);
}

/* Three teams: the third entry is worked on, the fourth waits. */
TEST(test_10_9_3_priority_by_the_number_of_teams)
{
    rig     *r = rig_default();
    uint32_t bay;
    rig_add(r, 0, SOVEREIGN, rig_origin);
    for (unsigned i = 0; i < 5; i++) hurt(r, 0, i, 100);
    bay = rig_id(r, 0, SB_SUBSYSTEM_REPAIR, -1);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, RIG_SHIP(0) + 1 + 2); /* the third */
    check_queue(r, (uint8_t[]){ 0, 1, 3, 4, 2 }, 5);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, RIG_SHIP(0) + 1 + 2); /* the last */
    check_queue(r, (uint8_t[]){ 2, 0, 1, 3, 4 }, 5);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, RIG_SHIP(0) + 1 + 2); /* the first */
    check_queue(r, (uint8_t[]){ 0, 1, 3, 4, 2 }, 5);
}

/* Entries that leave the queue from its middle keep the order of the others. */
TEST(test_10_9_1_entries_that_are_done_leave_the_others_in_order)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    for (unsigned i = 0; i < 5; i++) hurt(r, 0, i, 100);
    ship->condition[1] = ship->model->subsystems[1].max_condition; /* as good as done */
    ship->condition[4] = 0;
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 1);
    check_queue(r, (uint8_t[]){ 0, 2, 3 }, 3);
    hurt(r, 0, 1, 100); /* can be queued again */
    check_queue(r, (uint8_t[]){ 0, 2, 3, 1 }, 4);
}

/* ---- full tables ---- */

/* A hit that reaches all parts: the queue holds them all, the hull at its end. */
TEST(all_parts_of_a_full_ship_are_hit_queued_and_repaired)
{
    rig        *r = rig_full_duel();
    sb_fighter *f = rig_fighter(r, 0);
    sb_hit      hit = { .by = { SB_DAMAGE_TORPEDO, 0, 0 } };
    sb_combat_damage_by_weapon(r->combat, f, &hit, rig_origin, 100, 1, false);
    sb_combat_finish_hit(f, &hit);
    CHECK_EQ(rig_count(r, SB_COMBAT_DAMAGED), SB_PARTS);
    sb_combat_announce_hits(r->combat, f);
    CHECK_EQ(f->queue_size, SB_PARTS);
    CHECK_EQ(f->queue[0], FULL_PHASERS);
    CHECK_EQ(f->queue[SB_PARTS - 2], SB_PARTS - 1);
    CHECK_EQ(f->queue[SB_PARTS - 1], f->hull);
    uint32_t bay = sb_combat_part_id(f, f->repair);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, sb_combat_part_id(f, SB_PARTS - 1));
    CHECK_EQ(f->queue[0], SB_PARTS - 1);
    CHECK_EQ(f->queue[1], FULL_PHASERS);
    CHECK_EQ(f->queue[SB_PARTS - 1], f->hull);
    sb_combat_repair_first(r->combat, RIG_SHIP(0), bay, sb_combat_part_id(f, SB_PARTS - 1));
    CHECK_EQ(f->queue[0], FULL_PHASERS);
    CHECK_EQ(f->queue[SB_PARTS - 1], SB_PARTS - 1);
    rig_seconds(r, 60);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_COMPLETED), SB_PARTS);
    CHECK_EQ(f->queue_size, 0);
}

/* Half a point is enough for the teams to begin with. */
TEST(test_10_9_1_a_part_with_half_a_point_is_repaired)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    hurt(r, 0, 2, 7999.5f);
    CHECK_EQ(rig_fighter(r, 0)->queue_size, 1);
    rig_steps(r, 1);
    CHECK_EQ(rig_count(r, SB_COMBAT_REPAIR_IMPOSSIBLE), 0);
    CHECK_NEAR(ship->condition[2], 0.5 + 50.0 / 30, 0.001);
}

/* One team: a destroyed entry at the head leaves it to the next one, in the same step. */
TEST(test_10_9_1_a_destroyed_entry_leaves_its_team_free)
{
    rig       *r = rig_default();
    rig_class *k = rig_copy_class(SOVEREIGN);
    k->model.repair_teams = 1;
    sb_ship *ship = rig_add_class(r, 0, &k->model, rig_origin);
    for (unsigned i = 2; i < 5; i++) hurt(r, 0, i, 100);
    ship->condition[2] = 0;
    rig_steps(r, 1);
    CHECK(ship->condition[3] > k->entries[3].max_condition - 100);
    CHECK_NEAR(ship->condition[4], k->entries[4].max_condition - 100, 0);
}
