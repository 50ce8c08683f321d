/* tests/lab/lab_test.c -- the scenario of an experiment, and the attacker's weapons. */
#include "test.h"

#include <starbase/lab.h>

#include <math.h>
#include <stdalign.h>
#include <string.h>

enum { LAB_BYTES = 1 << 19, SHOTS = 64 };

static alignas(16) unsigned char memory[LAB_BYTES];

/* What a run showed. */
typedef struct record {
    unsigned samples, limit; /* limit: the run is ended at this sample; 0: never */
    uint64_t hash;           /* of everything in all samples */
    sb_ship  attacker, target;
    float    time;
    float    least_charge; /* of any bank in the first sample */
    unsigned events, hits;
    bool     alive;
    unsigned shots;
    float    shot_times[SHOTS];
    unsigned shot_children[SHOTS];
} record;

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

static bool on_sample(void *context, const sb_lab_sample *sample)
{
    record *r = context;
    r->hash = mix(r->hash, sample->target->facing, sizeof sample->target->facing);
    r->hash = mix(r->hash, sample->target->condition, sizeof sample->target->condition);
    r->hash = mix(r->hash, &sample->attacker->main_battery, sizeof(float));
    for (unsigned i = 0; i < sample->attacker->model->child_count; i++) {
        r->hash = mix(r->hash, &sample->weapons[i].charge, sizeof(float));
        if (r->samples > 0 || sample->attacker->model->children[i].type != SB_SUBSYSTEM_PHASER_BANK)
            continue;
        r->least_charge = fminf(r->least_charge, sample->weapons[i].charge);
    }
    r->attacker = *sample->attacker;
    r->target = *sample->target;
    r->time = sample->time;
    r->alive = sample->target_alive;
    r->samples++;
    return r->limit == 0 || r->samples < r->limit;
}

static void on_event(void *context, float time, const sb_combat_event *event)
{
    record *r = context;
    (void)time;
    r->events++;
    r->hits += event->type == SB_COMBAT_HIT;
}

static void on_shot(void *context, float time, unsigned child)
{
    record *r = context;
    CHECK(r->shots < SHOTS);
    r->shot_times[r->shots] = time;
    r->shot_children[r->shots++] = child;
}

static const sb_ship_class *ship(const char *name)
{
    const sb_ship_class *found = sb_find_ship_by_name(sb_stock_ships(), name);
    CHECK(found);
    return found;
}

static sb_lab_scenario scenario(const char *attacker, const char *target)
{
    sb_lab_scenario s;
    sb_lab_defaults(&s);
    s.attacker = ship(attacker);
    s.target = ship(target);
    return s;
}

static sb_result run(const sb_lab_scenario *s, record *r)
{
    sb_lab_observer observer = { r, on_sample, on_event, on_shot };
    CHECK(sb_lab_bytes() <= sizeof memory);
    return sb_lab_run(memory, s, &observer);
}

static record play(const sb_lab_scenario *s)
{
    record r = { .least_charge = INFINITY };
    CHECK_EQ(run(s, &r), SB_OK);
    return r;
}

static void check_near(float actual, float expected)
{
    if (!(fabsf(actual - expected) < 1e-4f)) FAIL("%g is not %g", (double)actual, (double)expected);
}

/* ---- the scenario ---- */

TEST(the_attacker_stands_at_bearing_and_elevation)
{
    static const struct {
        float bearing, elevation, x, y, z;
    } places[] = {
        { 0, 0, 0, 57, 0 },
        { 90, 0, 57, 0, 0 },
        { 180, 0, 0, -57, 0 },
        { 270, 0, -57, 0, 0 },
        { 0, 90, 0, 0, 57 },
        { 0, -90, 0, 0, -57 },
        { -90, 0, -57, 0, 0 },
        { 45, 0, 40.30509f, 40.30509f, 0 },
        { 0, 30, 0, 49.36345f, 28.5f },
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        sb_lab_scenario s = scenario("galaxy", "galaxy");
        s.bearing = places[i].bearing;
        s.elevation = places[i].elevation;
        s.action = SB_LAB_NOTHING;
        s.seconds = 0;
        record r = play(&s);
        check_near(r.attacker.motion.position.x, places[i].x);
        check_near(r.attacker.motion.position.y, places[i].y);
        check_near(r.attacker.motion.position.z, places[i].z);
    }
}

TEST(the_bow_of_the_attacker_points_at_the_target)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    s.bearing = 130;
    s.elevation = -40;
    s.seconds = 0;
    record  r = play(&s);
    sb_vec3 p = r.attacker.motion.position, f = r.attacker.motion.forward;
    check_near(p.x + 57 * f.x, 0);
    check_near(p.y + 57 * f.y, 0);
    check_near(p.z + 57 * f.z, 0);
    CHECK(r.attacker.motion.up.z > 0.7f);
}

TEST(a_run_has_a_sample_at_zero_and_one_after_every_step)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    s.seconds = 2;
    record r = play(&s);
    CHECK_EQ(r.samples, 61);
    check_near(r.time, 2);
}

TEST(shields_are_set_on_all_facings_or_on_one)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    s.seconds = 0;
    s.shields = 0.5f;
    record r = play(&s);
    check_near(r.target.facing[0], 4000);
    check_near(r.target.facing[5], 2000);
    s.facing = 5;
    r = play(&s);
    check_near(r.target.facing[0], 8000);
    check_near(r.target.facing[5], 2000);
}

TEST(the_observer_can_end_the_run)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    record          r = { .limit = 7 };
    CHECK_EQ(run(&s, &r), SB_OK);
    CHECK_EQ(r.samples, 7);
}

TEST(a_run_until_death_ends_with_the_target)
{
    sb_lab_scenario s = scenario("kessokheavy", "shuttle");
    s.action = SB_LAB_EVERYTHING;
    s.seconds = 600;
    s.until_death = true;
    record r = play(&s);
    CHECK(!r.alive);
    CHECK(r.time < 600);
}

TEST(impossible_scenarios_are_refused)
{
    sb_lab_scenario good = scenario("kessokheavy", "galaxy"), s = good;
    record          r = { 0 };
    s.attacker = NULL;
    CHECK_EQ(run(&s, &r), SB_BAD_VALUE);
    s = good;
    s.range = NAN;
    CHECK_EQ(run(&s, &r), SB_BAD_VALUE);
    s = good;
    s.elevation = 91;
    CHECK_EQ(run(&s, &r), SB_BAD_VALUE);
    s = good;
    s.shields = 1.1f;
    CHECK_EQ(run(&s, &r), SB_BAD_VALUE);
    s = good;
    s.facing = SB_FACINGS;
    CHECK_EQ(run(&s, &r), SB_BAD_VALUE);
    CHECK_EQ(r.samples, 0);
}

TEST(an_attacker_without_the_weapon_is_refused)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    record          r = { 0 };
    s.action = SB_LAB_PULSES;
    CHECK_EQ(run(&s, &r), SB_NOT_ALLOWED);
}

TEST(every_action_has_a_name_that_finds_it)
{
    sb_lab_action found;
    for (int i = 0; i < SB_LAB_ACTION_COUNT; i++) {
        CHECK(sb_lab_find_action(sb_lab_action_name((sb_lab_action)i), &found));
        CHECK_EQ(found, i);
    }
    CHECK(!sb_lab_find_action("gravity", &found));
}

TEST(equal_scenarios_give_equal_samples)
{
    static const char *const ships[] = { "kessokheavy", "warbird", "sovereign" };
    for (size_t i = 0; i < sizeof ships / sizeof *ships; i++) {
        sb_lab_scenario s = scenario(ships[i], "galaxy");
        s.action = SB_LAB_EVERYTHING;
        s.bearing = 33;
        s.seconds = 30;
        record first = play(&s), again = play(&s);
        CHECK(first.hits > 0);
        CHECK(first.hash == again.hash);
        CHECK_EQ(first.events, again.events);
    }
}

/* ---- the state at time 0 ---- */

TEST(a_disarmed_target_has_no_weapon_systems_but_tractors)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    s.seconds = 0;
    s.disarmed = true;
    record r = play(&s);
    for (unsigned i = 0; i < r.target.model->subsystem_count; i++) {
        unsigned type = s.target->subsystems[i].type;
        bool     armed = type == SB_SUBSYSTEM_PHASER_SYSTEM || type == SB_SUBSYSTEM_TORPEDO_SYSTEM;
        CHECK_EQ(r.target.condition[i] > 0, !armed);
    }
}

TEST(banks_are_brought_down_to_the_wanted_charge)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    s.seconds = 0;
    check_near(play(&s).least_charge, 7);
    s.charge = 3;
    record r = play(&s);
    CHECK(r.least_charge <= 3 && r.least_charge > 2);
    CHECK_EQ(r.hits, 0); /* nothing is reported before time 0 */
    check_near(r.target.facing[0], 8000);
}

TEST(switches_and_sliders_reach_the_attacker)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    s.action = SB_LAB_NOTHING;
    s.seconds = 0;
    s.green = true;
    s.sliders = 0.5f;
    s.main_battery = 0.25f;
    record r = play(&s);
    check_near(r.attacker.main_battery, 0.25f * s.attacker->main_battery);
    for (unsigned i = 0; i < s.attacker->subsystem_count; i++) {
        unsigned type = s.attacker->subsystems[i].type;
        if (type == SB_SUBSYSTEM_SHIELD || type == SB_SUBSYSTEM_PHASER_SYSTEM)
            CHECK(!r.attacker.on[i]);
        if (type == SB_SUBSYSTEM_IMPULSE || type == SB_SUBSYSTEM_TRACTOR_SYSTEM)
            CHECK(r.attacker.on[i]);
        check_near(r.attacker.power_wanted[i], 0.5f);
    }
}

/* ---- the attacker's weapons ---- */

/* The class with all weapon systems set to single fire, or to the opposite. */
static const sb_ship_class *with_single_fire(const sb_ship_class *from, sb_property_flag single)
{
    static sb_ship_class      copy;
    static sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    copy = *from;
    for (unsigned i = 0; i < from->subsystem_count; i++) {
        entries[i] = from->subsystems[i];
        entries[i].single_fire = (uint8_t)single;
    }
    copy.subsystems = entries;
    return &copy;
}

TEST(a_single_fire_system_fires_one_cannon_per_update)
{
    sb_lab_scenario s = scenario("warbird", "galaxy");
    s.attacker = with_single_fire(s.attacker, SB_PROPERTY_YES);
    s.action = SB_LAB_PULSES;
    s.level = 1;
    s.range = 40;
    s.seconds = 1.1f;
    record r = play(&s);
    CHECK_EQ(r.shots, 4);
    for (unsigned i = 1; i < r.shots; i++) {
        CHECK_EQ(r.shot_children[i], r.shot_children[0] + i); /* list order */
        CHECK(fabsf(r.shot_times[i] - (float)i * 0.33f) < 0.034f);
    }
}

TEST(another_system_fires_all_cannons_in_one_update)
{
    sb_lab_scenario s = scenario("birdofprey", "galaxy");
    s.attacker = with_single_fire(s.attacker, SB_PROPERTY_NO);
    s.action = SB_LAB_PULSES;
    s.level = 1;
    s.range = 40;
    s.seconds = 0.2f;
    record r = play(&s);
    CHECK_EQ(r.shots, 2);
    check_near(r.shot_times[0], r.shot_times[1]);
}

TEST(tubes_fire_two_thirds_of_a_second_apart)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    s.action = SB_LAB_TORPEDOES;
    s.seconds = 2.2f;
    record r = play(&s);
    CHECK_EQ(r.shots, 4);
    for (unsigned i = 1; i < r.shots; i++)
        CHECK(fabsf(r.shot_times[i] - (float)i * 0.656f) < 0.034f);
}

TEST(tubes_that_point_away_do_not_fire)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    s.action = SB_LAB_TORPEDOES;
    s.seconds = 10;
    record r = play(&s);
    for (unsigned i = 0; i < r.shots; i++)
        CHECK(s.attacker->children[r.shot_children[i]].weapon->forward[1] > 0);
}

TEST(a_change_of_torpedo_type_empties_the_tubes_first)
{
    sb_lab_scenario s = scenario("sovereign", "galaxy");
    s.action = SB_LAB_TORPEDOES;
    s.slot = 1;
    s.seconds = 60;
    record r = play(&s);
    CHECK(r.shots > 0);
    CHECK(r.shot_times[0] > 39);
}

TEST(a_ram_does_damage_to_both_ships_at_once)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    s.action = SB_LAB_RAM;
    s.range = 10;
    s.speed = 3.7f;
    s.seconds = 0.1f;
    record r = play(&s);
    CHECK_EQ(r.hits, 2);
}

/* ---- the helm ---- */

TEST(throttle_moves_the_attacker_toward_the_target)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    s.action = SB_LAB_THROTTLE;
    s.range = 500;
    s.seconds = 4;
    record r = play(&s);
    CHECK(fabsf(r.attacker.motion.speed - 5.63f) < 0.02f);
    CHECK(r.attacker.motion.position.y < 490 && r.attacker.motion.position.y > 485);
}

TEST(a_turn_changes_the_heading_by_the_integral_of_its_rate)
{
    sb_lab_scenario s = scenario("galaxy", "galaxy");
    s.action = SB_LAB_TURN;
    s.seconds = 1; /* 0.12 rad/s after 1 s: 0.06 rad */
    record  r = play(&s);
    sb_vec3 f = r.attacker.motion.forward;
    CHECK(fabsf(sqrtf(f.x * f.x + f.z * f.z) - 0.062f) < 0.003f);
    CHECK(f.y < -0.99f);
}

TEST(waiting_before_time_zero_changes_the_phase_and_no_state)
{
    sb_lab_scenario s = scenario("kessokheavy", "galaxy");
    s.seconds = 3;
    record now = play(&s);
    s.wait = 0.4f;
    record later = play(&s);
    CHECK_EQ(later.samples, now.samples);
    CHECK_EQ(later.hits, now.hits);
    CHECK(later.hash != now.hash); /* the facings recharge at other times */
}
