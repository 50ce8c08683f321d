/* tests/sim/match_test.c -- what a simulated match adds to its network: clocks and hiccups. */
#include "sim/match.h"

#include "base/packet.h"
#include "test.h"

/* The longest silence of the first player, from the tenth second on. */
typedef struct silence {
    sb_time last, longest;
} silence;

static void record_sent(void *context, sb_time now, sb_endpoint from, sb_endpoint to,
                        sb_span datagram)
{
    silence *s = context;
    (void)to, (void)datagram;
    if (!sb_endpoints_equal(from, sim_match_client_address(0))) return;
    if (now > 10 * SB_SECOND && now - s->last > s->longest) s->longest = now - s->last;
    s->last = now;
}

static sim_match *start(bool at_home, silence *s)
{
    sim_match_config config;
    sb_pilot_config  pilot;
    sim_match_defaults(&config, 3);
    if (at_home) sim_match_at_home(&config);
    config.sent = record_sent;
    config.tap_context = s;
    sim_match *m = sim_match_create(&config);
    sb_pilot_defaults(&pilot);
    for (unsigned i = 0; i < 4; i++) sim_match_join(m, "Pilot", &pilot, NULL);
    return m;
}

TEST(clocks_of_players_at_home_are_wrong_by_up_to_300_ppm)
{
    silence    s = { 0 };
    sim_match *m = start(true, &s);
    sb_time    largest = 0;
    sim_match_run(m, 100 * SB_SECOND);
    for (unsigned i = 0; i < 4; i++) {
        sb_time error = sim_match_client_now(m, i) - sim_match_now(m);
        if (error < 0) error = -error;
        if (error > largest) largest = error;
    }
    CHECK(largest <= 30000); /* 100 s at 300 ppm */
    CHECK(largest > 5000);
    sim_match_destroy(m);
}

TEST(extreme_clocks_are_wrong_by_300_ppm_and_are_followed)
{
    sim_match_config config;
    sb_pilot_config  pilot;
    sim_match_defaults(&config, 3);
    sim_match_at_home(&config);
    config.extreme_clocks = true;
    sim_match *m = sim_match_create(&config);
    sb_pilot_defaults(&pilot);
    for (unsigned i = 0; i < 2; i++) sim_match_join(m, "Pilot", &pilot, NULL);
    sim_match_run(m, 100 * SB_SECOND);
    CHECK_EQ(sim_match_client_now(m, 0) - sim_match_now(m), 30000);
    CHECK_EQ(sim_match_client_now(m, 1) - sim_match_now(m), -30000);
    sb_time misjudged = sim_match_misjudged_clock(m);
    CHECK(misjudged > 10000 && misjudged < SB_SECOND); /* at least the time on the way */
    sim_match_destroy(m);
}

TEST(clocks_are_exact_and_machines_steady_by_default)
{
    silence    s = { 0 };
    sim_match *m = start(false, &s);
    sim_match_run(m, 100 * SB_SECOND);
    CHECK_EQ(sim_match_client_now(m, 1), sim_match_now(m));
    CHECK(s.longest < SB_SECOND / 2);
    sim_match_destroy(m);
}

TEST(machines_at_home_stall_and_nobody_leaves)
{
    silence    s = { 0 };
    sim_match *m = start(true, &s);
    sim_match_run(m, 300 * SB_SECOND);
    CHECK(s.longest > SB_SECOND);
    CHECK(s.longest < 4 * SB_SECOND);
    CHECK_EQ(sim_match_told(m, SB_SERVER_JOINED), 4);
    CHECK_EQ(sim_match_told(m, SB_SERVER_LEFT), 0);
    sim_match_destroy(m);
}
