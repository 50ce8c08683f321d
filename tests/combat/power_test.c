/* tests/combat/power_test.c -- budget, draw, batteries. Spec 10 §4. */
#include "rig.h"

static const sb_vec3 origin = { 0, 0, 0 };

/* Returns the power that the consumers received in one second, and in `full_steps` the number of
 * steps in which the shield generator got all it wanted. */
static double received_in_a_second(rig *r, unsigned *full_steps)
{
    const sb_ship *ship = &r->ships[0];
    double         sum = 0;
    *full_steps = 0;
    for (unsigned n = 0; n < 30; n++) {
        rig_steps(r, 1);
        const sb_fighter *f = rig_fighter(r, 0);
        for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
            const sb_subsystem_class *s = &ship->model->subsystems[i];
            if (s->type == SB_SUBSYSTEM_TRACTOR_SYSTEM || !(s->power_per_second > 0)) continue;
            sum += (double)f->performance[i] * (double)s->power_per_second / 30;
        }
        *full_steps += f->efficiency[f->shields] == 1.0f;
    }
    return sum;
}

TEST(test_10_4_1_batteries_start_full_and_consumers_supplied)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    CHECK_NEAR(ship->main_battery, 200000, 0);
    CHECK_NEAR(ship->backup_battery, 100000, 0);
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->performance[rig_entry(ship, SB_SUBSYSTEM_SENSOR)], 1, 0);
}

TEST(test_10_4_3_a_second_charges_main_then_backup_wastes_rest)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->on[i] = false;
    ship->main_battery = 199500;
    ship->backup_battery = 99000;
    rig_steps(r, 1); /* 1200: 500 and 700 */
    CHECK_NEAR(ship->main_battery, 200000, 0);
    CHECK_NEAR(ship->backup_battery, 99700, 0);
    rig_steps(r, 29);
    CHECK_NEAR(ship->backup_battery, 99700, 0); /* only every second */
    rig_steps(r, 1);
    CHECK_NEAR(ship->backup_battery, 100000, 0);
}

/* §14: a budget lasts for power_interval; 0 means one step. */
TEST(test_10_14_the_interval_of_power_is_a_constant)
{
    static const struct {
        float    seconds;
        unsigned steps; /* of an interval */
    } cases[] = { { 0.5f, 15 }, { 2, 60 }, { 0, 1 } };
    for (unsigned i = 0; i < 3; i++) {
        rig *r = rig_new();
        r->config.constants.power_interval = cases[i].seconds;
        rig_start(r, false);
        sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
        for (unsigned k = 0; k < ship->model->subsystem_count; k++) ship->on[k] = false;
        ship->main_battery = 1000;
        rig_steps(r, 1);
        float each = 1200 * (float)cases[i].steps / 30;
        CHECK_NEAR(ship->main_battery, 1000 + each, 0.01);
        CHECK_NEAR(rig_fighter(r, 0)->backup_conduit,
                   ship->model->backup_conduit * (float)cases[i].steps / 30, 0.01);
        rig_steps(r, cases[i].steps - 1);
        CHECK_NEAR(ship->main_battery, 1000 + each, 0.01);
        rig_steps(r, 1);
        CHECK_NEAR(ship->main_battery, 1000 + 2 * each, 0.02);
    }
}

TEST(test_10_4_3_generation_follows_the_condition_of_the_reactor)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    unsigned core = rig_entry(ship, SB_SUBSYSTEM_POWER);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->on[i] = false;
    ship->condition[core] = 0.6f * 7000;
    ship->main_battery = 100000;
    rig_steps(r, 1);
    CHECK_NEAR(ship->main_battery, 100000 + 1200 * 0.6, 0.1);
    CHECK_NEAR(rig_fighter(r, 0)->main_conduit, 870, 0.01);
    CHECK_NEAR(rig_fighter(r, 0)->backup_conduit, 250, 0); /* not scaled */
    ship->condition[core] = 3500;                          /* 0.5: disabled */
    float before = ship->main_battery;
    rig_steps(r, 30);
    CHECK_NEAR(ship->main_battery, before, 0);
    CHECK_NEAR(rig_fighter(r, 0)->main_conduit, 725, 0.01);
}

TEST(test_10_4_3_an_empty_battery_limits_the_conduit)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->on[i] = false;
    ship->main_battery = 0;
    ship->backup_battery = 0;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->main_conduit, 1200, 0); /* just generated */
    CHECK_NEAR(rig_fighter(r, 0)->backup_conduit, 0, 0);
}

TEST(test_10_4_4_worked_sovereign_everything_at_100_percent)
{
    rig     *r = rig_default();
    unsigned full;
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    CHECK_NEAR(received_in_a_second(r, &full), 1351, 0.01);
    CHECK_EQ(full, 30);
    CHECK_NEAR(ship->main_battery, 200000 - 1351,
               0.5); /* the battery was full: the output is lost */
    CHECK_NEAR(ship->backup_battery, 100000, 0);
}

TEST(test_10_4_4_worked_sovereign_all_sliders_at_125_percent)
{
    rig     *r = rig_default();
    unsigned full;
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->power_wanted[i] = 1.25f;
    CHECK_NEAR(received_in_a_second(r, &full), 1688.75, 0.01);
    CHECK(full >= 29); /* in one step main runs dry and backup adds the rest */
    CHECK_NEAR(200000 - ship->main_battery, 1450, 0.5);
    CHECK_NEAR(100000 - ship->backup_battery, 238.75, 0.1);
}

TEST(test_10_4_4_worked_sovereign_with_a_reactor_at_60_percent)
{
    rig     *r = rig_strict();
    unsigned full;
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0.6f * 7000;
    CHECK_NEAR(received_in_a_second(r, &full), 1120, 0.01);
    CHECK_EQ(full, 25); /* 0.829 s: 24.87 steps, and generators draw first */
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[rig_fighter(r, 0)->shields], 0, 0);
    rig_steps(r, 1); /* the next second */
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[rig_fighter(r, 0)->shields], 1, 0);
}

/* ---- §4.4: the rule of the server. RE `power-system`: on the stock host, players' ships drain
 * their batteries but are never short of power. ---- */

/* A Sovereign with a disabled reactor and hardly any energy left, after two seconds. */
static sb_ship *starving_sovereign(rig *r, uint8_t owner)
{
    sb_ship *ship = &r->ships[0];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), SOVEREIGN), SOVEREIGN, RIG_SHIP(0));
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0.4f * 7000;
    ship->main_battery = 700;
    ship->backup_battery = 100;
    CHECK_EQ(sb_combat_add_ship(r->combat, ship, owner, RIG_SET, r->now), SB_OK);
    rig_seconds(r, 2);
    return ship;
}

TEST(test_10_4_4_stock_players_are_never_short_of_power)
{
    rig              *r = rig_default();
    const sb_ship    *ship = starving_sovereign(r, RIG_OWNER(0));
    const sb_fighter *f = rig_fighter(r, 0);
    unsigned          full;
    CHECK_NEAR(ship->main_battery + ship->backup_battery, 0, 1);
    CHECK_NEAR(f->efficiency[f->shields], 1, 0);
    CHECK_NEAR(f->performance[f->shields], 1, 0);
    r->ships[0].power_wanted[f->shields] = 0.5f;
    CHECK_NEAR(received_in_a_second(r, &full), 1351 - 225, 0.01);
    CHECK_NEAR(f->performance[f->shields], 0.5, 0); /* sliders count */
}

TEST(test_10_4_4_stock_a_ship_of_nobody_can_be_short_of_power)
{
    rig *r = rig_default();
    starving_sovereign(r, 0);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[rig_fighter(r, 0)->shields], 0, 0);
}

TEST(test_10_4_4_batteries_drain_alike_under_both_rules)
{
    float main[2], backup[2];
    for (unsigned strict = 0; strict < 2; strict++) {
        const sb_ship *ship = starving_sovereign(strict ? rig_strict() : rig_default(), 2);
        main[strict] = ship->main_battery;
        backup[strict] = ship->backup_battery;
    }
    CHECK_NEAR(main[0], main[1], 0);
    CHECK_NEAR(backup[0], backup[1], 0);
}

TEST(an_unknown_power_rule_is_refused)
{
    rig *r = rig_new();
    CHECK_EQ(r->config.power, SB_POWER_STOCK);
    r->config.power = SB_POWER_STRICT + 1;
    CHECK_EQ(sb_combat_bytes(&r->config), 0);
}

TEST(test_10_4_4_performance_follows_slider_efficiency_supply)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR),
             warp = rig_entry(ship, SB_SUBSYSTEM_WARP);
    ship->power_wanted[sensors] = 1.25f;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->performance[sensors], 1.25, 1e-6);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[sensors], 1, 0);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[warp], 0, 0); /* wants nothing */
    CHECK_NEAR(rig_fighter(r, 0)->performance[warp], 1, 0);
    ship->power_wanted[sensors] = 0.5f;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->performance[sensors], 0.5, 1e-6);
    ship->on[sensors] = false;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[sensors], 0, 0);
    CHECK_NEAR(rig_fighter(r, 0)->performance[sensors], 1, 0);
}

TEST(test_10_4_2_sliders_are_clamped)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    unsigned sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    ship->power_wanted[sensors] = 50;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->performance[sensors], 1.25, 1e-6);
    ship->power_wanted[sensors] = NAN;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->performance[sensors], 0, 0);
    ship->power_wanted[sensors] = -1;
    rig_steps(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->performance[sensors], 0, 0);
}

/* ---- §4.4: rates of a Galaxy, measured by console probes inside the running game
 * (markward/bc_dauntless). Output 1000; conduits 1200 and 200; draws 1051 without tractors (shields
 * 400, torpedoes 100, phasers 300, the rest 251), tractors 600. ---- */

typedef struct rates {
    double main, backup; /* units per second */
} rates;

/* No message carries an alert level: at green alert the owner switches shields and weapons off, one
 * by one, with 0x0A (08 §7.4). */
static void switch_to_green(sb_ship *ship)
{
    ship->on[rig_entry(ship, SB_SUBSYSTEM_SHIELD)] = false;
    ship->on[rig_entry(ship, SB_SUBSYSTEM_TORPEDO_SYSTEM)] = false;
    ship->on[rig_entry(ship, SB_SUBSYSTEM_PHASER_SYSTEM)] = false;
}

/* Ten seconds of a Galaxy with half-full batteries. */
static rates galaxy_rates(bool green, float sliders, bool tractor)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, GALAXY, origin);
    rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->power_wanted[i] = sliders;
    if (green) switch_to_green(ship);
    if (tractor) rig_hold(r);
    ship->main_battery = 125000;
    ship->backup_battery = 40000;
    rig_seconds(r, 1); /* the first second begins before a projector fires */
    rates at = { (double)ship->main_battery, (double)ship->backup_battery };
    rig_seconds(r, 10);
    CHECK_EQ(rig_fighter(r, 0)->tractor_fires, tractor);
    return (rates){ ((double)ship->main_battery - at.main) / 10,
                    ((double)ship->backup_battery - at.backup) / 10 };
}

/* Measured -240 and -117, in the first interval of a hand-sampled run only; the law that explains
 * the other three rows gives -200 and -113.75. */
TEST(test_10_4_4_galaxy_at_red_alert_and_125_percent)
{
    rates got = galaxy_rates(false, 1.25f, false);
    CHECK_NEAR(got.main, -200, 1);
    CHECK_NEAR(got.backup, -113.75, 1);
    CHECK_NEAR(got.backup, -117, 117 * 0.05);
}

TEST(test_10_4_4_galaxy_at_125_percent_holding_a_ship)
{
    rates got = galaxy_rates(false, 1.25f, true);
    CHECK_NEAR(got.main, -789, 789 * 0.05);
    CHECK_NEAR(got.backup, -110, 110 * 0.05);
}

TEST(test_10_4_4_galaxy_at_green_alert_charges_main_alone)
{
    rates got = galaxy_rates(true, 1, false);
    CHECK_NEAR(got.main, 749, 749 * 0.05);
    CHECK_NEAR(got.backup, 0, 0);
}

/* The slider of the tractors stands at 0.4 as well, and does not scale their 600. */
TEST(test_10_4_4_galaxy_at_green_alert_40_percent_holding)
{
    rates got = galaxy_rates(true, 0.4f, true);
    CHECK_NEAR(got.main, 304, 304 * 0.05);
    CHECK_NEAR(got.backup, 0, 0);
}

TEST(test_10_4_4_the_cloak_draws_on_the_backup_battery_itself)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, BIRD_OF_PREY, origin);
    ship->cloaked = true;
    rig_steps(r, 1); /* engages after the draw of this step */
    float before = ship->backup_battery;
    rig_steps(r, 30);
    CHECK_NEAR(before - ship->backup_battery, 380, 0.5); /* the conduit gives only 70 */
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[rig_entry(ship, SB_SUBSYSTEM_CLOAK)], 1, 0);
}

TEST(test_10_4_4_a_cloak_that_is_not_engaged_draws_nothing)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, BIRD_OF_PREY, origin);
    ship->on[rig_entry(ship, SB_SUBSYSTEM_CLOAK)] = true;
    rig_seconds(r, 2);
    CHECK_NEAR(ship->backup_battery, 40000, 0); /* the rest fits the main conduit: 411 of 470 */
}

TEST(test_10_4_5_frozen_batteries_stay_full_but_conduits_limit)
{
    rig *r = rig_new();
    r->config.constants.battery_frozen = 1;
    r->config.power = SB_POWER_STRICT;
    rig_start(r, false);
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, origin);
    unsigned full;
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0.6f * 7000;
    CHECK_NEAR(received_in_a_second(r, &full), 1120, 0.01);
    CHECK_NEAR(ship->main_battery, 200000, 0);
    CHECK_NEAR(ship->backup_battery, 100000, 0);
}

TEST(test_10_4_5_full_batteries_of_a_shuttle_drain_slowly)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, 15, origin);
    rig_seconds(r, 11);
    /* 100/s against a main conduit of 140/s: 40/s; the first second is wasted on a full battery. */
    CHECK_NEAR(20000 - ship->main_battery, 11 * 40 + 100, 1);
    CHECK_NEAR(10000 - ship->backup_battery, 11 * 40, 1); /* estimated draw 191: 40 of 51 */
}

static unsigned byte_of(float value, float most)
{
    return (unsigned)(value / most * 255.0f); /* §14: truncated */
}

/* Does a Shuttle that draws this much ever show the captured bytes, 249 and 253? */
static bool shows_the_captured_bytes(float draw)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, 15, origin);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        ship->power_wanted[i] = draw / 191; /* the estimates add up to 191 without tractors */
    for (unsigned n = 0; n < 15 * 30; n++) {
        rig_steps(r, 1);
        if (byte_of(ship->main_battery, 20000) == 249 &&
            byte_of(ship->backup_battery, 10000) == 253)
            return true;
    }
    return false;
}

/* The chapter's arithmetic: "a draw of 143 to 148/s", "about 145" (11 §6). */
TEST(test_10_4_5_a_draw_of_145_gives_captured_shuttle_batteries)
{
    CHECK(shows_the_captured_bytes(145));
    CHECK(shows_the_captured_bytes(147));
    CHECK(!shows_the_captured_bytes(140)); /* the main conduit suffices */
    CHECK(!shows_the_captured_bytes(160)); /* backup falls too fast */
    CHECK(!shows_the_captured_bytes(191)); /* the estimates: too high, as 11 §6 says */
}

/* Backup battery against the cloak's draw: 77 s of the Kessok Heavy to 200 s of the Warbird. The
 * surplus of the reactor, once the main battery is full, prolongs the cloak. */
TEST(test_10_4_5_cloaks_last_77_to_200_seconds_on_the_battery)
{
    double shortest = 1e9, longest = 0;
    for (uint8_t species = 1; species <= 15; species++) {
        const sb_ship_class *m = sb_find_ship(sb_stock_ships(), species);
        if (!m->can_cloak) continue;
        rig     *r = rig_strict();
        sb_ship *ship = rig_add(r, 0, species, origin);
        unsigned cloak = rig_entry(ship, SB_SUBSYSTEM_CLOAK), steps = 0;
        double   draw = (double)m->subsystems[cloak].power_per_second, others = 0;
        for (unsigned i = 0; i < m->subsystem_count; i++)
            if (i != cloak && m->subsystems[i].type != SB_SUBSYSTEM_TRACTOR_SYSTEM)
                others += (double)m->subsystems[i].power_per_second;
        double spare = (double)m->power_output - others;
        double lasts = (double)m->backup_battery / draw;
        if (lasts < shortest) shortest = lasts;
        if (lasts > longest) longest = lasts;
        if (spare > 0) lasts = (double)m->backup_battery / (draw - spare);
        ship->cloaked = true;
        do rig_steps(r, 1);
        while (sb_combat_cloak_state(r->combat, RIG_SHIP(0)) != 5 && ++steps < 400 * 30);
        CHECK_NEAR(steps / 30.0, lasts, lasts * 0.02);
    }
    CHECK_NEAR(shortest, 77, 0.5);
    CHECK_NEAR(longest, 200, 0);
}

/* Nothing is generated, and only the cloak draws from the backup battery. */
TEST(test_10_4_4_a_device_that_decloaks_draws_no_power)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, VORCHA, rig_origin);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        ship->on[i] = ship->model->subsystems[i].type == SB_SUBSYSTEM_CLOAK;
    ship->condition[rig_entry(ship, SB_SUBSYSTEM_POWER)] = 0;
    ship->cloaked = true;
    rig_seconds(r, 6);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 3);
    float before = ship->backup_battery;
    ship->cloaked = false;
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 5);
    float after = ship->backup_battery;
    CHECK(after < before); /* it was still engaged when the step drew */
    rig_seconds(r, 4);
    CHECK_EQ(sb_combat_cloak_state(r->combat, RIG_SHIP(0)), 5);
    CHECK_NEAR(ship->backup_battery, after, 0);
}

/* Warp engines (§4.4). */
TEST(test_10_4_4_without_power_need_efficiency_0_performance_1)
{
    rig     *r = rig_default();
    sb_ship *ship = rig_add(r, 0, SOVEREIGN, rig_origin);
    unsigned warp = rig_entry(ship, SB_SUBSYSTEM_WARP);
    CHECK_NEAR(ship->model->subsystems[warp].power_per_second, 0, 0);
    rig_seconds(r, 1);
    CHECK_NEAR(rig_fighter(r, 0)->efficiency[warp], 0, 0);
    CHECK_NEAR(rig_fighter(r, 0)->performance[warp], 1, 0);
}

/* ---- full tables ---- */

/* §4.4: first and last entry draw their power; entries that draw none have an efficiency of 0. */
TEST(all_entries_of_a_full_ship_get_power)
{
    rig              *r = rig_full_duel();
    const sb_fighter *f = rig_fighter(r, 0);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        CHECK(f->efficiency[i] == 1 && f->performance[i] == 1); /* fresh */
    r->ships[0].power_wanted[FULL_PHASERS] = 0.25f;
    r->ships[0].power_wanted[FULL_MORE_PHASERS] = 0.5f;
    rig_steps(r, 1);
    CHECK_NEAR(f->performance[FULL_PHASERS], 0.25, 1e-6);
    CHECK_NEAR(f->performance[FULL_MORE_PHASERS], 0.5, 1e-6);
    CHECK_NEAR(f->efficiency[FULL_MORE_TRACTORS], 0, 0); /* idle */
}

/* A class of a mod without a reactor: nothing is generated, and the main conduit is closed. */
TEST(test_10_4_3_without_a_reactor_only_the_backup_conduit_gives)
{
    rig       *r = rig_strict();
    rig_class *k = rig_copy_class(SOVEREIGN);
    k->entries[rig_entry(&(sb_ship){ .model = &k->model }, SB_SUBSYSTEM_POWER)].type =
        SB_SUBSYSTEM_ENGINE;
    sb_ship *ship = rig_add_class(r, 0, &k->model, rig_origin);
    for (unsigned i = 0; i < k->model.subsystem_count; i++) ship->on[i] = false;
    ship->main_battery = 1000;
    rig_seconds(r, 2);
    CHECK_NEAR(ship->main_battery, 1000, 0);
    CHECK_NEAR(rig_fighter(r, 0)->main_conduit, 0, 0);
    CHECK_NEAR(rig_fighter(r, 0)->backup_conduit, 250, 0);
}
