/* tests/replica/replica_pace_test.c -- how often a host sends the updates of a ship to a peer:
 * paces, shares, intervals, SUBSYS only in full updates. Spec 03 §7, §8.1.
 */
#include "replica_rig.h"

/* Peer 0 owns the ship; peers 1 to 4 have the paces 0 to 3, peer 5 the same as peer 2. */
static sb_ship *open_paced(replica_rig **out)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 6; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned peer = 1; peer < 5; peer++)
        sb_replica_set_pace(r->replica, ship->object_id, peer, (sb_replica_pace)(peer - 1));
    sb_replica_set_pace(r->replica, ship->object_id, 5, SB_REPLICA_EVERY_2_TICKS);
    (void)collect(r);
    *out = r;
    return ship;
}

TEST(a_pace_is_every_tick_every_second_every_fifth_or_none)
{
    replica_rig *r;
    sb_ship     *ship = open_paced(&r);
    unsigned     count[6] = { 0 };
    for (unsigned n = 0; n < 20; n++) {
        (void)tick(r);
        for (unsigned peer = 0; peer < 6; peer++) count[peer] += message_to(r, ship, peer) != NULL;
        CHECK(message_to(r, ship, 2) == message_to(r, ship, 5)); /* they share a lane */
    }
    CHECK_EQ(count[0], 20);
    CHECK_EQ(count[1], 20);
    CHECK_EQ(count[2], 10);
    CHECK_EQ(count[3], 4);
    CHECK_EQ(count[4], 0);
}

TEST(the_first_update_at_a_new_pace_is_a_full_one)
{
    replica_rig *r;
    sb_ship     *ship = open_paced(&r);
    for (unsigned n = 0; n < 8; n++) (void)tick(r);
    ship->motion.position = (sb_vec3){ 1, 2, 3 };
    sb_replica_set_pace(r->replica, ship->object_id, 4, SB_REPLICA_EVERY_TICK); /* was silent */
    sb_replica_set_pace(r->replica, ship->object_id, 5, SB_REPLICA_EVERY_TICK);
    sb_replica_set_pace(r->replica, ship->object_id, 2, SB_REPLICA_SILENT);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 4), 0x3D);
    CHECK(message_to(r, ship, 4)->update.position.z == 3.0f);
    CHECK(message_to(r, ship, 4) == message_to(r, ship, 5));
    CHECK(message_to(r, ship, 2) == NULL);
    sb_replica_set_pace(r->replica, ship->object_id, 4, SB_REPLICA_EVERY_TICK); /* no change */
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 4), 0x20);
}

TEST(a_slow_lane_keeps_the_damage_of_the_ticks_it_skipped)
{
    replica_rig *r;
    sb_ship     *ship = open_paced(&r);
    while (!message_to(r, ship, 3)) (void)tick(r);
    (void)tick(r);
    ship->condition[8] *= 0.5f;
    unsigned ticks = 0;
    do {
        CHECK(message_to(r, ship, 3) == NULL);
        (void)tick(r);
        ticks++;
    } while (!message_to(r, ship, 3));
    CHECK_EQ(ticks, 4);
    CHECK_EQ(message_to(r, ship, 3)->update.start_index, 8);
}

TEST(full_updates_at_a_slow_pace_still_come_after_a_second)
{
    replica_rig *r;
    sb_ship     *ship = open_paced(&r);
    sb_time      last_full = 0;
    unsigned     fulls = 0;
    for (unsigned n = 0; n < 100; n++) {
        (void)tick(r);
        if (!message_to(r, ship, 3) || !(flags_to(r, ship, 3) & SB_STATE_POS)) continue;
        if (fulls++ > 0) CHECK_EQ(r->now - last_full, 15 * RIG_TICK); /* the first after 1.0 s */
        last_full = r->now;
    }
    CHECK(fulls >= 6);
}

TEST(a_shared_ship_is_sent_that_many_times_more_rarely)
{
    replica_rig *r;
    sb_ship     *ship = open_paced(&r);
    unsigned     count[6] = { 0 };
    sb_replica_set_share(r->replica, ship->object_id, 4);
    for (unsigned n = 0; n < 40; n++) {
        (void)tick(r);
        for (unsigned peer = 0; peer < 6; peer++) count[peer] += message_to(r, ship, peer) != NULL;
    }
    CHECK_EQ(count[0], 10);
    CHECK_EQ(count[1], 10);
    CHECK_EQ(count[2], 5);
    CHECK_EQ(count[3], 2);
    CHECK_EQ(count[4], 0);
    sb_replica_set_share(r->replica, ship->object_id, 1);
    (void)tick(r);
    CHECK(message_to(r, ship, 1) != NULL);
}

/* A lossy peer at the slowest pace has the last lane of a ship, a silent one has none. There is no
 * room for a second ship, in which a lane beyond the last would go unnoticed. */
static sb_ship *open_lossy(replica_rig **out)
{
    sb_lane_options o;
    sb_lane_options_default(&o);
    o.full_us = o.lossy_full_us = 100 * SB_SECOND;
    replica_rig *r = open_for(1, &o);
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 2, true);
    (void)collect(r);
    *out = r;
    return ship;
}

TEST(a_lossy_peer_may_have_any_pace)
{
    static const struct {
        sb_replica_pace pace;
        unsigned        updates; /* of 20 ticks */
    } rows[] = { { SB_REPLICA_EVERY_2_TICKS, 10 },
                 { SB_REPLICA_EVERY_5_TICKS, 4 },
                 { SB_REPLICA_SILENT, 0 },
                 { SB_REPLICA_EVERY_5_TICKS, 4 } };
    replica_rig *r;
    sb_ship     *ship = open_lossy(&r);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned count = 0;
        sb_replica_set_pace(r->replica, ship->object_id, 2, rows[i].pace);
        for (unsigned n = 0; n < 20; n++) {
            (void)tick(r);
            if (!message_to(r, ship, 2)) continue;
            CHECK_EQ(flags_to(r, ship, 2), count++ == 0 ? 0x3D : 0x20);
        }
        CHECK_EQ(count, rows[i].updates);
    }
}

TEST(a_lossy_peer_at_the_slowest_pace_can_leave)
{
    replica_rig *r;
    sb_ship     *ship = open_lossy(&r);
    sb_replica_set_pace(r->replica, ship->object_id, 2, SB_REPLICA_EVERY_5_TICKS);
    sb_replica_remove_peer(r->replica, 2);
    for (unsigned n = 0; n < 10; n++) {
        (void)tick(r);
        CHECK(!message_to(r, ship, 2));
    }
}

TEST(with_rare_health_the_owner_gets_one_update_a_second)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_rare_health(r->replica, true);
    for (unsigned n = 0; n < 23; n++) {
        (void)(n ? tick(r) : collect(r));
        CHECK_EQ(message_to(r, ship, 0) != NULL, n % 11 == 0);
    }
    sb_replica_set_rare_health(r->replica, false);
    (void)tick(r);
    CHECK(message_to(r, ship, 0));
}

TEST(an_owner_and_a_newcomer_are_not_paced)
{
    replica_rig *r;
    sb_ship     *ship = open_paced(&r);
    sb_replica_set_pace(r->replica, ship->object_id, 0, SB_REPLICA_SILENT);
    sb_replica_remove_peer(r->replica, 4);
    sb_replica_add_peer(r->replica, 4); /* another player with the same number */
    (void)tick(r);
    CHECK(message_to(r, ship, 0) != NULL);
    CHECK_EQ(flags_to(r, ship, 4), 0x3D);
}

TEST(a_new_interval_counts_from_the_next_tick_on)
{
    replica_rig *r;
    (void)open_paced(&r);
    sb_replica_set_interval(r->replica, SB_SECOND / 8);
    sb_time tick_at = sb_replica_next_deadline(r->replica);
    r->now = tick_at;
    CHECK(collect(r) > 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), tick_at + SB_SECOND / 8);
}
