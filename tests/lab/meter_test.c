/* tests/lab/meter_test.c -- what the meter records of an experiment. */
#include "test.h"

#include "lab/meter.h"

#include <math.h>
#include <stdalign.h>

static alignas(16) unsigned char memory[1 << 19];
static sb_meter        meter;
static sb_ship         attacker, target;
static sb_weapon_state weapons[SB_SHIP_CHILDREN_MAX];

static void begin(void)
{
    const sb_ship_class *galaxy = sb_find_ship_by_name(sb_stock_ships(), "galaxy");
    sb_meter_init(&meter);
    sb_ship_init(&attacker, galaxy, galaxy->species, SB_LAB_ATTACKER_ID);
    sb_ship_init(&target, galaxy, galaxy->species, SB_LAB_TARGET_ID);
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++) weapons[i] = (sb_weapon_state){ 0 };
}

static void sample(float time)
{
    sb_lab_sample   s = { .time = time,
                          .attacker = &attacker,
                          .target = &target,
                          .weapons = weapons,
                          .target_alive = true };
    sb_lab_observer o = sb_meter_observer(&meter);
    CHECK(o.on_sample(o.context, &s));
}

static void event(sb_combat_event_type type, float amount, uint8_t index)
{
    sb_lab_observer o = sb_meter_observer(&meter);
    sb_combat_event e = { .type = type, .object_id = SB_LAB_TARGET_ID, .index = index };
    e.amount = amount;
    o.on_event(o.context, 1.0f, &e);
}

TEST(a_track_keeps_start_lowest_and_last_value)
{
    begin();
    sample(0);
    target.condition[0] -= 500;
    sample(1);
    target.condition[0] += 200;
    sample(2);
    CHECK(fabs(sb_meter_loss(&meter.target_parts[0]) - 500) < 0.01);
    CHECK(fabsf(meter.target_parts[0].start - meter.target_parts[0].now - 300) < 0.01f);
}

TEST(a_rate_runs_from_the_first_to_the_last_change)
{
    begin();
    target.facing[0] = 1000;
    for (int i = 0; i <= 40; i++) {
        sample((float)i * 0.1f);
        if (i % 10 == 4) target.facing[0] += 5; /* seen at 0.5, 1.5, 2.5 and 3.5 */
    }
    CHECK_EQ(meter.facings[0].rises.count, 4);
    CHECK(fabs(sb_meter_rate(&meter.facings[0].rises) - 5) < 0.01);
}

TEST(changes_outside_the_window_are_not_recorded)
{
    begin();
    meter.from = 1.0f;
    meter.to = 2.0f;
    for (int i = 0; i <= 30; i++) {
        sample((float)i * 0.1f);
        attacker.main_battery -= 10;
    }
    CHECK_EQ(meter.main_battery.falls.count, 11);
    CHECK(fabs(sb_meter_rate(&meter.main_battery.falls) + 100) < 1);
    CHECK_EQ(meter.main_battery.rises.count, 0);
}

TEST(what_a_facing_takes_belongs_to_the_hit_before_it)
{
    begin();
    sample(0);
    event(SB_COMBAT_HIT, 100, 0);
    event(SB_COMBAT_HIT, 100, 0);
    event(SB_COMBAT_ABSORBED, 60, 5);
    CHECK_EQ(meter.hit_count, 2);
    CHECK(meter.hits[0].absorbed == 0 && meter.hits[0].facing == SB_FACINGS);
    CHECK(meter.hits[1].absorbed == 60 && meter.hits[1].facing == 5);
    CHECK(meter.damage == 200);
}

TEST(a_beam_lasts_as_long_as_its_bank_fires)
{
    begin();
    for (int i = 0; i <= 30; i++) {
        weapons[7].firing = i >= 5 && i < 20;
        weapons[8].firing = i >= 22;
        sample((float)i * 0.1f);
    }
    CHECK_EQ(meter.beam_count, 2);
    CHECK_EQ(meter.beams[0].child, 7);
    CHECK(fabsf(meter.beams[0].start - 0.5f) < 1e-6f && meter.beams[0].ended);
    CHECK(fabsf(meter.beams[0].stop - 2.0f) < 1e-6f);
    CHECK(!meter.beams[1].ended);
}

TEST(more_hits_than_fit_are_still_counted)
{
    begin();
    sample(0);
    for (int i = 0; i < SB_METER_HITS + 5; i++) event(SB_COMBAT_HIT, 1, 0);
    event(SB_COMBAT_ABSORBED, 1, 0);
    CHECK_EQ(meter.hit_count, SB_METER_HITS + 5);
    CHECK(meter.damage == SB_METER_HITS + 5);
    CHECK(meter.hits[SB_METER_HITS - 1].absorbed == 0);
}

TEST(the_meter_follows_a_whole_experiment)
{
    sb_lab_scenario s;
    begin();
    sb_lab_defaults(&s);
    s.attacker = s.target = target.model;
    s.action = SB_LAB_TORPEDOES;
    sb_lab_observer o = sb_meter_observer(&meter);
    CHECK(sb_lab_bytes() <= sizeof memory);
    CHECK_EQ(sb_lab_run(memory, &s, &o), SB_OK);
    CHECK(meter.shot_count > 0 && meter.hit_count > 0);
    CHECK(meter.hits[0].time > meter.shot_times[0]);
    CHECK(fabsf(meter.time - 12) < 0.01f);
}
