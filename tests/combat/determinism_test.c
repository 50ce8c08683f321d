/* tests/combat/determinism_test.c -- the same calls give the same states on every machine; steps
 * and time. Spec 10 §2. */
#include "melee.h"
#include "rig.h"

static uint64_t fight(uint64_t seed, unsigned steps, bool trace_gains, unsigned *deaths)
{
    sb_combat_config config;
    melee           *m = melee_new(seed);
    sb_combat_defaults(&config);
    melee_start(m, &config, trace_gains);
    for (unsigned i = 0; i < steps; i++) melee_step(m);
    CHECK(m->hits > 0);
    *deaths = m->deaths;
    return sb_combat_state_hash(m->combat);
}

/* Ten minutes of eight ships. gcc and clang, -O0 to -O3, x86-64, i386 and s390x must all give this
 * number; a change of any rule or figure changes it. */
TEST(a_ten_minute_fight_ends_in_the_same_state_everywhere)
{
    unsigned deaths;
    uint64_t hash = fight(1, 18000, false, &deaths);
    if (hash != 0xC205B95C364B1887u || deaths != 119)
        FAIL("hash 0x%016llX, deaths %u", (unsigned long long)hash, deaths);
}

TEST(the_same_seed_replays_and_another_does_not)
{
    unsigned deaths[3];
    uint64_t first = fight(7, 1800, false, &deaths[0]);
    CHECK(fight(7, 1800, true, &deaths[1]) == first); /* trace_gains has no effect on the state */
    CHECK_EQ(deaths[0], deaths[1]);
    CHECK(fight(8, 1800, false, &deaths[2]) != first);
}

TEST(the_hash_notices_a_change_of_one_bit)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    rig_steps(r, 10);
    uint64_t before = sb_combat_state_hash(r->combat);
    CHECK(sb_combat_state_hash(r->combat) == before);
    r->ships[0].facing[3] = nextafterf(r->ships[0].facing[3], 0);
    CHECK(sb_combat_state_hash(r->combat) != before);
}

/* ---- §2 ---- */

TEST(test_10_2_a_step_is_a_thirtieth_of_a_second_without_drift)
{
    rig *r = rig_new();
    r->now = 12345;
    rig_start(r, false);
    CHECK_EQ(sb_combat_next_deadline(r->combat), SB_TIME_NEVER);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    CHECK_EQ(sb_combat_next_deadline(r->combat), 12345 + 33333);
    sb_combat_advance(r->combat, 12345 + 33332);
    CHECK_EQ(r->combat->step, 0);
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_next_deadline(r->combat), 12345 + 66666);
    rig_steps(r, 1);
    CHECK_EQ(sb_combat_next_deadline(r->combat), 12345 + 100000);
    rig_steps(r, 30 * 3600 - 2);
    CHECK_EQ(r->now, 12345 + 3600 * SB_SECOND);
}

TEST(test_10_2_at_most_five_steps_at_once_then_time_is_dropped)
{
    rig *r = rig_default();
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_advance(r->combat, 5 * 33333 + 4);
    CHECK_EQ(r->combat->step, 5);
    CHECK_EQ(sb_combat_next_deadline(r->combat), 200000); /* nothing lost yet */
    sb_combat_advance(r->combat, 10 * SB_SECOND);
    CHECK_EQ(r->combat->step, 10);
    CHECK_EQ(sb_combat_next_deadline(r->combat), 10 * SB_SECOND + 33333);
    sb_combat_advance(r->combat, 10 * SB_SECOND);
    CHECK_EQ(r->combat->step, 10);
}

TEST(test_10_11_2_positions_are_reckoned_for_a_second)
{
    rig    *r = rig_default();
    sb_vec3 at;
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 1, 2, 3 });
    rig_move(r, 0, (sb_vec3){ 1, 2, 3 }, (sb_vec3){ 1, 0, 0 }, (sb_vec3){ 0, 0, 1 }, 6);
    CHECK(sb_combat_position(r->combat, RIG_SHIP(0), SB_SECOND / 2, &at));
    CHECK_NEAR(at.x, 4, 0.01);
    CHECK(sb_combat_position(r->combat, RIG_SHIP(0), 5 * SB_SECOND, &at));
    CHECK_NEAR(at.x, 7, 0.01);
    rig_steps(r, 15);
    CHECK_NEAR(rig_fighter(r, 0)->position.x, 4, 0.01);
    rig_steps(r, 100);
    CHECK_NEAR(rig_fighter(r, 0)->position.x, 7, 0.01);
    CHECK(!sb_combat_position(r->combat, RIG_SHIP(1), 0, &at));
}

TEST(memory_for_32_ships_is_well_below_200_kib)
{
    sb_combat_config config;
    sb_combat_defaults(&config);
    CHECK_EQ(config.max_ships, 32);
    CHECK(sb_combat_bytes(&config) <= 160 * 1024);
    config.max_ships = 0;
    CHECK_EQ(sb_combat_bytes(&config), 0);
    config.max_ships = 1025;
    CHECK_EQ(sb_combat_bytes(&config), 0);
    config.max_ships = 32;
    config.fidelity = 4;
    CHECK_EQ(sb_combat_bytes(&config), 0);
    config.fidelity = 2;
    config.constants.cloak_time = NAN;
    CHECK_EQ(sb_combat_bytes(&config), 0);
}
