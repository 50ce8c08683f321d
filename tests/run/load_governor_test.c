/* tests/run/load_governor_test.c -- what gives way, and when. */
#include "run/load_governor.h"

#include "test.h"

enum { TURN_US = 10000 };

/* Runs turns that are busy for `percent` of their time; returns how often the load changed. */
static unsigned run_for(sb_load_governor *g, sb_time *now, unsigned percent, sb_time duration)
{
    unsigned changes = 0;
    for (sb_time end = *now + duration; *now < end;) {
        *now += TURN_US;
        changes += sb_load_governor_add(g, *now, TURN_US * (sb_time)percent / 100);
    }
    return changes;
}

TEST(a_loop_with_time_to_spare_stays_normal)
{
    sb_load_governor g;
    sb_time          now = 7 * SB_SECOND;
    sb_load_governor_init(&g, now);
    CHECK_EQ(run_for(&g, &now, 19, 60 * SB_SECOND), 0);
    CHECK_EQ(g.load, SB_LOAD_NORMAL);
}

/* Sharing saves a quarter of the time: that alone does not end it. */
TEST(a_busy_loop_lets_states_share_datagrams)
{
    sb_load_governor g;
    sb_time          now = 7 * SB_SECOND;
    sb_load_governor_init(&g, now);
    CHECK_EQ(run_for(&g, &now, 25, 1600 * 1000), 1);
    CHECK_EQ(g.load, SB_LOAD_SHARED);
    CHECK_EQ(run_for(&g, &now, 85, 60 * SB_SECOND), 0);
    CHECK_EQ(run_for(&g, &now, 12, 60 * SB_SECOND), 0);
    CHECK_EQ(g.load, SB_LOAD_SHARED);
    CHECK_EQ(run_for(&g, &now, 8, 11 * SB_SECOND), 1);
    CHECK_EQ(g.load, SB_LOAD_NORMAL);
}

TEST(a_short_stall_is_no_overload)
{
    sb_load_governor g;
    sb_time          now = 0;
    sb_load_governor_init(&g, now);
    CHECK_EQ(run_for(&g, &now, 50, 10 * SB_SECOND), 1); /* states share datagrams from now on */
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(run_for(&g, &now, 100, SB_SECOND), 0);
        CHECK_EQ(run_for(&g, &now, 50, SB_SECOND), 0);
    }
}

TEST(what_gives_way_grows_step_by_step)
{
    sb_load_governor g;
    sb_time          now = 0;
    sb_load_governor_init(&g, now);
    CHECK_EQ(run_for(&g, &now, 100, 1600 * 1000), 1);
    CHECK_EQ(g.load, SB_LOAD_SHARED);
    CHECK_EQ(run_for(&g, &now, 100, 1600 * 1000), 1);
    CHECK_EQ(g.load, SB_LOAD_HALF);
    CHECK_EQ(run_for(&g, &now, 60, 60 * SB_SECOND), 0); /* that was enough, and is needed */
    CHECK_EQ(run_for(&g, &now, 95, 2100 * 1000), 1);
    CHECK_EQ(g.load, SB_LOAD_THIRD);
    CHECK_EQ(run_for(&g, &now, 95, 60 * SB_SECOND), 1);
    CHECK_EQ(g.load, SB_LOAD_CLOSED);
}

TEST(with_time_to_spare_for_ten_seconds_all_comes_back)
{
    sb_load_governor g;
    sb_time          now = 0;
    sb_load_governor_init(&g, now);
    (void)run_for(&g, &now, 100, 10 * SB_SECOND);
    CHECK_EQ(g.load, SB_LOAD_CLOSED);
    CHECK_EQ(run_for(&g, &now, 20, 9 * SB_SECOND), 0);
    CHECK_EQ(run_for(&g, &now, 20, 2 * SB_SECOND), 1);
    CHECK_EQ(g.load, SB_LOAD_THIRD);
    CHECK_EQ(run_for(&g, &now, 20, 60 * SB_SECOND), 2);
    CHECK_EQ(g.load, SB_LOAD_SHARED);
    CHECK_EQ(run_for(&g, &now, 5, 11 * SB_SECOND), 1);
    CHECK_EQ(g.load, SB_LOAD_NORMAL);
}

/* One turn can be longer than a window. */
TEST(turns_of_seconds_count_once)
{
    sb_load_governor g;
    sb_load_governor_init(&g, 0);
    CHECK(!sb_load_governor_add(&g, 5 * SB_SECOND, 5 * SB_SECOND));
    CHECK(!sb_load_governor_add(&g, 10 * SB_SECOND, 5 * SB_SECOND));
    CHECK(sb_load_governor_add(&g, 15 * SB_SECOND, 5 * SB_SECOND));
}
