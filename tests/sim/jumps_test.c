/* tests/sim/jumps_test.c -- health blocks do not move what a stock client has computed.
 *
 * The host and its clients are the simulator's; stock_engine.c computes the fight beside one of the
 * clients. The links have 20, 80 and 150 ms each way and lose nothing. docs/evidence/jumps.md has
 * the figures of longer matches and of lossy links, and says what the classes mean.
 */
#include "tests/sim/jumps.h"

#include "test.h"

/* 0.4 % of the maximum: the smallest change that a byte can show. */
static const double one_code = 0.004 * 255;

static const unsigned delays_ms[] = { 20, 80, 150 };

enum { DELAYS = sizeof delays_ms / sizeof *delays_ms };

static session_config config_over(unsigned delay_ms, double seconds)
{
    return (session_config){ .seed = 1, .delay_us = delay_ms * 1000, .seconds = seconds };
}

static jumps play(const session_config *config)
{
    jumps j = { 0 };
    jumps_add_session(&j, config);
    return j;
}

static void check_quiet(jumps *j)
{
    jumps_figures updates = jumps_figures_of(j, JUMPS_UPDATE, JUMPS_QUIET);
    jumps_figures unrounded = jumps_figures_of(j, JUMPS_UPDATE, JUMPS_UNROUNDED);
    CHECK(unrounded.count > 0);
    if (!(unrounded.p99 < 1.0))
        FAIL("quiet updates jump by %.3f codes (p99), without rounding", unrounded.p99);
    if (!(updates.p99 <= one_code) || !(updates.above < 0.01))
        FAIL("quiet updates jump by %.3f codes (p99), %.2f %% by more than one", updates.p99,
             updates.above * 100);
}

/* The ship that computes is a Galaxy, a Warbird, a Kessok Heavy. */
TEST(quiet_updates_of_a_battle_agree_with_a_stock_client)
{
    for (unsigned i = 0; i < DELAYS; i++) {
        session_config config = config_over(delays_ms[i], 90);
        config.watched = 2 * i;
        jumps j = play(&config);
        CHECK(jumps_figures_of(&j, JUMPS_UPDATE, JUMPS_QUIET).count > 4000);
        CHECK(jumps_figures_of(&j, JUMPS_UPDATE, JUMPS_STRUCK).count > 400);
        check_quiet(&j);
        jumps_clear(&j);
    }
}

/* Recorded at the attacker, the target or a third ship. */
TEST(quiet_updates_of_measured_duels_agree_with_a_stock_client)
{
    for (unsigned i = 0; i < DELAYS; i++) {
        jumps j = { 0 };
        for (unsigned duel = 0; duel < SESSION_DUELS; duel++) {
            session_config config = config_over(delays_ms[i], 26);
            config.duel = &session_duels[duel];
            config.watched = (i + duel) % (SESSION_WATCHER + 1);
            unsigned before = j.totals.hits_here;
            jumps_add_session(&j, &config);
            CHECK(j.totals.hits_here > before);
        }
        CHECK(jumps_figures_of(&j, JUMPS_UPDATE, JUMPS_QUIET).count > 2000);
        check_quiet(&j);
        jumps_clear(&j);
    }
}

/* ---- the model ---- */

/* Beams of the model start up to 0.33 s later than the host's, so it computes a few hits less. */
TEST(a_stock_client_computes_the_hits_of_the_host)
{
    session_config config = config_over(20, 90);
    jumps          j = play(&config);
    unsigned       here = j.totals.hits_here, host = j.totals.hits_at_host;
    CHECK(host > 200);
    if (10 * here < 9 * host || 10 * here > 11 * host)
        FAIL("%u hits here, %u at the host", here, host);
    jumps_clear(&j);
}

TEST(the_same_seed_gives_the_same_jumps)
{
    session_config config = config_over(80, 20);
    config.loss = 50000;
    jumps         first = play(&config), second = play(&config);
    jumps_figures a = jumps_figures_of(&first, JUMPS_VALUE, JUMPS_ALL);
    jumps_figures b = jumps_figures_of(&second, JUMPS_VALUE, JUMPS_ALL);
    CHECK_EQ(a.count, b.count);
    CHECK(a.p99 == b.p99 && a.largest == b.largest && a.one == b.one && a.above == b.above);
    jumps_clear(&first);
    jumps_clear(&second);
}

/* ---- hosts that are wrong ---- */

/* 7 times: an earlier version handed the recharge of full facings to the one that was shot at. */
static void recharge_7_times(sb_server_config *host)
{
    host->combat.constants.shield_recharge *= 7;
}

TEST(a_host_that_recharges_shields_too_fast_is_noticed)
{
    session_config config = config_over(80, 90);
    config.configure = recharge_7_times;
    jumps j = play(&config);
    CHECK(jumps_figures_of(&j, JUMPS_UPDATE, JUMPS_QUIET).p99 > one_code);
    CHECK(jumps_figures_of(&j, JUMPS_UPDATE, JUMPS_UNROUNDED).p99 > 1.0);
    jumps_clear(&j);
}

static void double_beams(sb_server_config *host)
{
    host->combat.constants.beam_medium *= 2;
    host->combat.constants.beam_high *= 2;
}

TEST(a_host_with_beams_twice_as_strong_is_noticed)
{
    session_config config = config_over(80, 26);
    config.duel = &session_duels[0];
    config.watched = SESSION_WATCHER;
    jumps right = play(&config);
    config.configure = double_beams;
    jumps wrong = play(&config);
    CHECK(jumps_figures_of(&wrong, JUMPS_UPDATE, JUMPS_ALL).p99 >
          1.5 * jumps_figures_of(&right, JUMPS_UPDATE, JUMPS_ALL).p99);
    jumps_clear(&right);
    jumps_clear(&wrong);
}
