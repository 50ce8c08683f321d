/* tests/admin/idle_test.c -- players who do nothing. */
#include "admin/idle.h"

#include "test.h"

static const sb_idle_rule kick = { 60 * SB_SECOND, 90 * SB_SECOND, false };
static const sb_idle_rule lobby = { 60 * SB_SECOND, 90 * SB_SECOND, true };

static sb_idle idle;

static sb_idle_step look(const sb_idle_rule *rule, int64_t active_s, bool flying, int64_t now_s)
{
    return sb_idle_look(&idle, rule, 2, active_s * SB_SECOND, flying, now_s * SB_SECOND);
}

TEST(an_idle_player_is_warned_once_and_then_removed)
{
    idle = (sb_idle){ 0 };
    CHECK_EQ(look(&kick, 100, true, 159), SB_IDLE_NOTHING);
    CHECK_EQ(look(&kick, 100, true, 160), SB_IDLE_WARNS);
    CHECK_EQ(look(&kick, 100, true, 162), SB_IDLE_NOTHING);
    CHECK_EQ(look(&kick, 100, false, 190), SB_IDLE_REMOVES);
}

TEST(an_action_begins_the_time_anew)
{
    idle = (sb_idle){ 0 };
    CHECK_EQ(look(&kick, 100, true, 160), SB_IDLE_WARNS);
    CHECK_EQ(look(&kick, 170, true, 200), SB_IDLE_NOTHING);
    CHECK_EQ(look(&kick, 170, true, 230), SB_IDLE_WARNS);
}

TEST(a_ship_is_destroyed_once_and_its_player_stays)
{
    idle = (sb_idle){ 0 };
    CHECK_EQ(look(&lobby, 100, true, 160), SB_IDLE_WARNS);
    CHECK_EQ(look(&lobby, 100, true, 190), SB_IDLE_DISMISSES);
    CHECK_EQ(look(&lobby, 100, true, 192), SB_IDLE_NOTHING);
    CHECK_EQ(look(&lobby, 100, false, 900), SB_IDLE_NOTHING);
    CHECK_EQ(look(&lobby, 1000, false, 1070), SB_IDLE_NOTHING); /* no ship: nothing to warn of */
}

TEST(zero_switches_each_half_off)
{
    const sb_idle_rule off = { 0, 0, false }, only_warn = { 60 * SB_SECOND, 0, false };
    const sb_idle_rule only_limit = { 0, 90 * SB_SECOND, false };
    idle = (sb_idle){ 0 };
    CHECK(!sb_idle_is_on(&off) && sb_idle_is_on(&only_warn) && sb_idle_is_on(&only_limit));
    CHECK_EQ(look(&off, 0, true, 9999), SB_IDLE_NOTHING);
    CHECK_EQ(look(&only_warn, 100, true, 9999), SB_IDLE_WARNS);
    CHECK_EQ(look(&only_warn, 100, true, 99999), SB_IDLE_NOTHING);
    CHECK_EQ(look(&only_limit, 200, true, 289), SB_IDLE_NOTHING);
    CHECK_EQ(look(&only_limit, 200, true, 290), SB_IDLE_REMOVES);
}
