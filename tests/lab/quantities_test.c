/* tests/lab/quantities_test.c -- quantities, computed from a record made by hand. */
#include "test.h"

#include "lab/contract.h"

#include <math.h>
#include <string.h>

static sb_meter        meter;
static sb_contract_row row;

/* Two banks of a Galaxy fire one after the other at a Galaxy; the second hit leaks. */
static void begin(void)
{
    sb_meter_init(&meter);
    memset(&row, 0, sizeof row);
    sb_lab_defaults(&row.scenario);
    row.scenario.attacker = row.scenario.target = sb_find_ship_by_name(sb_stock_ships(), "galaxy");
    meter.hit_count = 3;
    meter.hits[0] = (sb_meter_hit){ 1.2f, 100, 100, 0 };
    meter.hits[1] = (sb_meter_hit){ 1.7f, 100, 75, 0 };
    meter.hits[2] = (sb_meter_hit){ 2.2f, 40, 0, SB_FACINGS };
    meter.damage = 240;
    meter.beam_count = 2;
    meter.beams[0] = (sb_meter_beam){ 6, true, 0.1f, 1.8f };
    meter.beams[1] = (sb_meter_beam){ 7, false, 2.0f, 2.5f };
    meter.time = 2.5f;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        meter.facings[i] = (sb_meter_track){ .start = 100, .least = 100, .now = 100 };
    meter.facings[0].least = 20;
    meter.target_parts[0] = (sb_meter_track){ .start = 15000, .least = 14900, .now = 14940 };
    meter.target_parts[3] = (sb_meter_track){ .start = 8000, .least = 7990, .now = 8000 };
}

static double number(const char *quantity, const char *argument)
{
    sb_contract_result result = { 0 };
    strcpy(row.quantity, quantity);
    strcpy(row.argument, argument);
    CHECK(sb_contract_reduce(&meter, &row, &result));
    CHECK(!result.is_text);
    return result.number;
}

static const char *text(const char *quantity, const char *argument)
{
    static sb_contract_result result;
    memset(&result, 0, sizeof result);
    strcpy(row.quantity, quantity);
    strcpy(row.argument, argument);
    CHECK(sb_contract_reduce(&meter, &row, &result));
    CHECK(result.is_text);
    return result.text;
}

static void check_near(double actual, double expected)
{
    if (!(fabs(actual - expected) < 1e-4)) FAIL("%g is not %g", actual, expected);
}

TEST(hits_give_amounts_rates_and_times)
{
    begin();
    check_near(number("hit", ""), 100);
    check_near(number("hit", "3"), 40);
    check_near(number("hits", ""), 3);
    check_near(number("total", ""), 240);
    check_near(number("rate", ""), 240);
    check_near(number("first_hit", ""), 1.2);
    check_near(number("hit_time", "2"), 0.5);
    check_near(number("period", ""), 0.5);
    CHECK(isnan(number("hit", "4")));
}

TEST(beams_give_windup_life_and_order)
{
    begin();
    check_near(number("windup", ""), 1.1);
    check_near(number("beam_time", ""), 1.7);
    check_near(number("beam_turn", ""), 1.9);
    check_near(number("beam_gap", ""), 0.2);
    check_near(number("beam_total", ""), 200);
    check_near(number("beams_at_once", ""), 1);
    const sb_subsystem_class *banks = row.scenario.attacker->children;
    CHECK_TEXT(text("beam_after", banks[6].name), banks[7].name);
    CHECK_TEXT(text("beam_after", banks[7].name), "none");
    meter.beams[1].start = 1.0f;
    check_near(number("beams_at_once", ""), 2);
    CHECK(isnan(number("beam_time", "2"))); /* not over yet */
}

TEST(shields_give_leak_and_facing)
{
    begin();
    check_near(number("leak", ""), 0);
    check_near(number("leak", "2"), 0.25);
    check_near(number("leak", "3"), 1);
    check_near(number("facing", ""), 0);
    check_near(number("facings_lost", ""), 80);
    check_near(number("facings_left", ""), 600);
}

TEST(parts_give_losses_and_the_footprint)
{
    begin();
    check_near(number("hull_loss", ""), 60);
    check_near(number("hull_share", ""), 0.25);
    check_near(number("part_loss", "Sensor Array"), 0);
    CHECK_TEXT(text("footprint", ""), "Sensor Array");
    CHECK(isnan(number("part_loss", "Holodeck")));
}

TEST(regained_points_give_rate_step_and_period)
{
    begin();
    row.scenario.facing = 2;
    meter.facings[2].rises = (sb_meter_trend){ 3, 1.0f, 50, 56, 2.2f, 68 };
    check_near(number("regen", ""), 10);
    check_near(number("regen_step", ""), 6);
    check_near(number("regen_period", ""), 0.6);
}

TEST(shots_give_times_order_and_charge)
{
    begin();
    meter.shot_count = 2;
    meter.shot_times[0] = 0.5f;
    meter.shot_times[1] = 1.0f;
    meter.shot_children[0] = 1;
    meter.shot_children[1] = 0;
    meter.charges[1].falls = (sb_meter_trend){ 1, 0.5f, 2.0f, 1.03f, 0.5f, 1.03f };
    check_near(number("shots", ""), 2);
    check_near(number("first_shot", ""), 0.5);
    check_near(number("shot_time", "2"), 0.5);
    check_near(number("flight", ""), 0.7);
    check_near(number("charge_per_shot", ""), 0.97);
    CHECK_TEXT(text("shot_order", ""), "Forward Torpedo 2+Forward Torpedo 1");
}

TEST(batteries_give_their_mean_rate)
{
    begin();
    meter.main_battery = (sb_meter_track){ .start = 1000, .now = 500 };
    check_near(number("main_rate", ""), -200);
}

TEST(kill_hits_counts_up_to_the_death)
{
    begin();
    CHECK(isnan(number("kill_hits", "")));
    meter.death_time = 1.7f;
    check_near(number("kill_hits", ""), 2);
}
