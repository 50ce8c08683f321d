/* tests/replica/replica_test.c -- a host's lanes: receivers and times of each message, and sharing
 * of messages by peers with the same baselines. Spec 03 §7, §8, §17. replica_pace_test.c has paces.
 */
#include "replica_rig.h"

#include "replica/testing.h"

#include <string.h>

enum { PEERS = 6 };

/* ---- sizes and bounds ---- */

TEST(a_configuration_that_is_not_possible_has_no_size)
{
    sb_replica_config c = { .max_ships = 16 };
    sb_lane_options_default(&c.lanes);
    CHECK(sb_replica_bytes(&c) > 0);
    c.max_ships = 0;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    c.max_ships = 16;
    c.lanes.interval_us = 0;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    c.lanes.interval_us = RIG_TICK;
    c.lanes.layout = SB_SHIELD_LAYOUTS;
    CHECK_EQ(sb_replica_bytes(&c), 0);
}

/* The limits themselves are possible; one step further is not. */
TEST(a_configuration_may_reach_its_limits)
{
    sb_replica_config stock = { .max_ships = 1 }, c;
    sb_lane_options_default(&stock.lanes);
    size_t one = sb_replica_bytes(&stock);
    c = stock, c.max_ships = 2;
    size_t two = sb_replica_bytes(&c);
    CHECK(one > 0 && two > one);
    c = stock, c.max_ships = 1024;
    CHECK_EQ(sb_replica_bytes(&c), one + 1023 * (two - one));
    c = stock, c.max_ships = 1025;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    for (unsigned layout = 0; layout < SB_SHIELD_LAYOUTS; layout++) {
        c = stock, c.lanes.layout = (uint8_t)layout;
        CHECK_EQ(sb_replica_bytes(&c), one);
    }
    c = stock, c.lanes.interval_us = 1, c.lanes.full_us = 1, c.lanes.level_repeats = 1;
    c.lanes.lossy_full_us = 0;
    CHECK_EQ(sb_replica_bytes(&c), one);
    c.lanes.full_us = 0;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    c.lanes.full_us = 1, c.lanes.level_repeats = 0;
    CHECK_EQ(sb_replica_bytes(&c), 0);
    c.lanes.level_repeats = 1, c.lanes.lossy_full_us = -1;
    CHECK_EQ(sb_replica_bytes(&c), 0);
}

TEST(ships_beyond_the_bound_and_ids_that_are_there_are_refused)
{
    replica_rig *r = open_stock();
    sb_ship      more;
    for (unsigned i = 0; i < SHIPS_MAX; i++) (void)add_ship(r, 1, i);
    CHECK_EQ(sb_replica_add_ship(r->replica, &r->ships[3], 3, r->now), SB_NOT_ALLOWED);
    sb_ship_init(&more, r->ships[0].model, 1, sb_slot_first_id(12));
    CHECK_EQ(sb_replica_add_ship(r->replica, &more, 12, r->now), SB_FULL);
    sb_replica_remove_ship(r->replica, r->ships[3].object_id);
    CHECK_EQ(sb_replica_add_ship(r->replica, &more, 12, r->now), SB_OK);
}

TEST(only_ships_that_were_added_and_not_removed_are_there)
{
    replica_rig *r = open_stock();
    sb_ship     *a = add_ship(r, 1, 0), *b = add_ship(r, 5, 1);
    CHECK(sb_replica_has_ship(r->replica, a->object_id));
    CHECK(sb_replica_has_ship(r->replica, b->object_id));
    CHECK(!sb_replica_has_ship(r->replica, b->object_id + 1));
    sb_replica_remove_ship(r->replica, a->object_id);
    sb_replica_remove_ship(r->replica, 0x1234); /* unknown: ignored */
    sb_replica_set_pace(r->replica, 0x1234, 1, SB_REPLICA_SILENT);
    sb_replica_set_share(r->replica, 0x1234, 2);
    CHECK(!sb_replica_has_ship(r->replica, a->object_id));
    CHECK(sb_replica_has_ship(r->replica, b->object_id));
    sb_replica_check(r->replica);
}

TEST(a_mask_of_peers_ends_with_127)
{
    struct {
        sb_peer_mask mask;
        uint64_t     next;
    } m = { .next = UINT64_MAX };
    memset(&m.mask, 0xFF, sizeof m.mask);
    for (unsigned peer = 0; peer < 256; peer++)
        CHECK_EQ(sb_peer_mask_has(&m.mask, peer), peer < SB_REPLICA_PEERS);
}

/* ---- receivers ---- */

TEST(the_owner_gets_subsystems_and_all_others_share_one_message)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 2);
    CHECK_EQ(collect(r), 2);
    CHECK_EQ(flags_to(r, ship, 2), 0x20);
    CHECK_EQ(mask_count(&message_to(r, ship, 2)->peers), 1);
    CHECK_EQ(flags_to(r, ship, 0), 0x3D);
    CHECK_EQ(mask_count(&message_to(r, ship, 0)->peers), PEERS - 1);
}

TEST(a_ship_without_a_present_owner_is_sent_to_all)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 200);
    CHECK_EQ(collect(r), 1);
    CHECK_EQ(mask_count(&message_to(r, ship, 0)->peers), PEERS);
}

TEST(without_peers_nothing_is_built)
{
    replica_rig *r = open_stock();
    (void)add_ship(r, 1, 0);
    CHECK_EQ(collect(r), 0);
    sb_replica_add_peer(r->replica, 0);
    CHECK_EQ(tick(r), 1); /* the owner alone */
    sb_replica_remove_peer(r->replica, 0);
    CHECK_EQ(tick(r), 0);
}

TEST(the_owner_of_a_ship_without_a_list_gets_nothing)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 0, 0);
    CHECK_EQ(collect(r), 1);
    CHECK(!message_to(r, ship, 0));
    CHECK_EQ(flags_to(r, ship, 1), 0x1D);
    CHECK_EQ(tick(r), 0);
}

TEST(peers_up_to_127_are_served)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < SB_REPLICA_PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 127);
    CHECK_EQ(collect(r), 2);
    CHECK_EQ(flags_to(r, ship, 127), 0x20);
    CHECK_EQ(mask_count(&message_to(r, ship, 64)->peers), 127);
}

TEST(peers_of_both_words_of_the_mask_come_and_go)
{
    static const unsigned peers[] = { 0, 63, 64, 65, 127 };
    replica_rig          *r = open_stock();
    sb_ship              *ship = add_ship(r, 1, 200);
    for (unsigned i = 0; i < 5; i++) {
        sb_replica_add_peer(r->replica, peers[i]);
        CHECK_EQ(i ? tick(r) : collect(r), 1);
        CHECK_EQ(mask_count(&r->messages[0].peers), i + 1);
        CHECK(message_to(r, ship, peers[i]));
    }
    for (unsigned i = 0; i < 4; i++) {
        sb_replica_remove_peer(r->replica, peers[i]);
        CHECK_EQ(tick(r), 1);
        CHECK_EQ(mask_count(&r->messages[0].peers), 4 - i);
        CHECK(!message_to(r, ship, peers[i]));
    }
}

/* ---- time ---- */

TEST(ticks_come_every_tenth_of_a_second)
{
    replica_rig *r = open_stock();
    CHECK_EQ(sb_replica_next_deadline(r->replica), SB_TIME_NEVER);
    sb_replica_add_peer(r->replica, 1);
    (void)add_ship(r, 1, 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now);
    CHECK_EQ(collect(r), 1);
    CHECK_EQ(collect(r), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now + RIG_TICK);
    r->now += RIG_TICK - 1;
    CHECK_EQ(collect(r), 0);
    r->now += 1;
    CHECK_EQ(collect(r), 1);
}

TEST(a_late_tick_keeps_the_rhythm_and_missed_ticks_are_skipped)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    (void)add_ship(r, 1, 0);
    CHECK_EQ(collect(r), 1);
    sb_time first = r->now;
    r->now += RIG_TICK + 30000;
    CHECK_EQ(collect(r), 1);
    CHECK_EQ(sb_replica_next_deadline(r->replica), first + 2 * RIG_TICK);
    r->now += 10 * SB_SECOND;
    CHECK_EQ(collect(r), 1);
    CHECK_EQ(collect(r), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now + RIG_TICK);
}

TEST(a_tick_that_is_late_by_a_whole_interval_is_not_made_up_for)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    (void)add_ship(r, 1, 0);
    CHECK_EQ(collect(r), 1);
    r->now += 2 * RIG_TICK;
    CHECK_EQ(collect(r), 1);
    CHECK_EQ(collect(r), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), r->now + RIG_TICK);
}

TEST(a_new_ship_is_sent_within_two_tenths_of_a_second)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    (void)add_ship(r, 1, 0);
    (void)collect(r);
    r->now += 1000;
    sb_ship *late = add_ship(r, 5, 1);
    CHECK_EQ(collect(r), 0);
    r->now += RIG_TICK - 1000; /* spec 03 §16 */
    CHECK_EQ(collect(r), 4);
    CHECK_EQ(flags_to(r, late, 1), 0x20);
    CHECK_EQ(flags_to(r, late, 2), 0x3D);
}

TEST(when_the_last_ship_is_gone_there_is_no_deadline)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)collect(r);
    sb_replica_remove_ship(r->replica, ship->object_id);
    CHECK_EQ(sb_replica_next_deadline(r->replica), SB_TIME_NEVER);
    CHECK_EQ(tick(r), 0);
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, 0, r->now), SB_OK);
    CHECK_EQ(collect(r), 1);
}

TEST(a_ship_removed_during_a_tick_is_not_sent)
{
    replica_rig       *r = open_stock();
    sb_replica_message m;
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    (void)add_ship(r, 1, 0);
    (void)add_ship(r, 5, 1);
    CHECK(sb_replica_next(r->replica, r->now, 1, &m));
    sb_replica_remove_ship(r->replica, r->ships[0].object_id);
    CHECK_EQ(collect(r), 2); /* the second ship, to its owner and to the others */
    CHECK_EQ(r->messages[0].object_id, r->ships[1].object_id);
}

/* The next tick begins with the first lane of the first ship. */
TEST(a_tick_ends_when_its_last_ship_is_removed)
{
    replica_rig       *r = open_stock();
    sb_replica_message m;
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    CHECK(sb_replica_next(r->replica, r->now, 1, &m)); /* to the owner */
    sb_replica_remove_ship(r->replica, ship->object_id);
    sb_replica_check(r->replica);
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, 0, r->now), SB_OK);
    sb_replica_set_pace(r->replica, ship->object_id, 1, SB_REPLICA_EVERY_2_TICKS);
    sb_replica_set_pace(r->replica, ship->object_id, 1, SB_REPLICA_EVERY_TICK);
    CHECK_EQ(collect(r), 2);
    CHECK_EQ(flags_to(r, ship, 0), 0x20);
    CHECK_EQ(flags_to(r, ship, 1), 0x3D);
}

/* ---- newcomers ---- */

/* Moves the ship a little, so that no update is empty. */
static void drift(sb_ship *ship, unsigned n)
{
    ship->motion.position.x += 0.3f;
    sb_motion_set_speed(&ship->motion, 3 + (float)(n % 2));
}

TEST(the_first_update_for_a_newcomer_is_a_full_one_of_every_ship)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *a = add_ship(r, 1, 0), *b = add_ship(r, 6, 1);
    for (unsigned n = 0; n < 5; n++) (void)(n ? tick(r) : collect(r));
    CHECK_EQ(flags_to(r, a, 2), 0x20); /* nothing moves */
    sb_replica_add_peer(r->replica, 5);
    (void)tick(r);
    CHECK_EQ(flags_to(r, a, 5), 0x3D);
    CHECK_EQ(flags_to(r, b, 5), 0x7D);
}

/* The full update for a newcomer goes to the others too; afterwards all have the same baselines. */
TEST(after_a_newcomer_all_others_still_share_one_lane)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned n = 0; n < 40; n++) {
        drift(ship, n);
        if (n == 13) sb_replica_add_peer(r->replica, 5);
        if (n == 17) sb_replica_add_peer(r->replica, 4);
        if (n == 29) sb_replica_remove_peer(r->replica, 1);
        CHECK_EQ(n ? tick(r) : collect(r), 2);
        int others = 2 + (n >= 13) + (n >= 17) - (n >= 29);
        CHECK_EQ(mask_count(&message_to(r, ship, 2)->peers), others);
        bool full = n == 0 || n == 11 || n == 13 || n == 17 || n == 28 || n == 39;
        CHECK_EQ(flags_to(r, ship, 2), full ? 0x3D : 0x32);
    }
}

TEST(a_peer_that_asks_for_a_ship_gets_a_full_update_of_it)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *a = add_ship(r, 1, 0), *b = add_ship(r, 5, 1);
    (void)collect(r);
    (void)tick(r);
    sb_replica_repeat(r->replica, a->object_id, 2);
    (void)tick(r);
    CHECK_EQ(flags_to(r, a, 2), 0x3D);
    CHECK_EQ(flags_to(r, b, 2), 0x20);
    sb_replica_repeat(r->replica, 0x1234, 2); /* unknown ships and peers are ignored */
    sb_replica_repeat(r->replica, a->object_id, 77);
    sb_replica_repeat(r->replica, a->object_id, 4000);
    (void)tick(r);
    CHECK_EQ(flags_to(r, a, 2), 0x20);
    CHECK_EQ(mask_count(&message_to(r, a, 2)->peers), 2);
}

TEST(a_peer_that_left_gets_nothing_and_comes_back_as_a_newcomer)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)collect(r);
    sb_replica_remove_peer(r->replica, 2);
    sb_replica_remove_peer(r->replica, 0);
    CHECK_EQ(tick(r), 1);
    CHECK(!message_to(r, ship, 2));
    CHECK(!message_to(r, ship, 0));
    sb_replica_add_peer(r->replica, 2);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
}

TEST(a_recreated_ship_begins_again)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned n = 0; n < 4; n++) (void)(n ? tick(r) : collect(r));
    sb_replica_remove_ship(r->replica, ship->object_id);
    sb_ship_init(ship, ship->model, 1, ship->object_id + 32);
    CHECK_EQ(sb_replica_add_ship(r->replica, ship, 0, r->now), SB_OK);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 1), 0x3D);
    CHECK_EQ(message_to(r, ship, 1)->update.start_index, 0);
    CHECK_EQ(message_to(r, ship, 0)->update.start_index, 0);
}

/* ---- peers that lose datagrams ---- */

TEST(lossy_peers_share_a_lane_with_full_updates_every_250_ms)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < PEERS; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 3, true);
    sb_replica_set_lossy(r->replica, 4, true);
    for (unsigned n = 0; n < 24; n++) {
        CHECK_EQ(n ? tick(r) : collect(r), 3);
        CHECK_EQ(mask_count(&message_to(r, ship, 3)->peers), 2);
        CHECK(message_to(r, ship, 3) == message_to(r, ship, 4));
        CHECK_EQ(flags_to(r, ship, 3), n % 3 == 0 ? 0x3D : 0x20);
        CHECK_EQ(flags_to(r, ship, 1), n % 11 == 0 ? 0x3D : 0x20);
        CHECK_EQ(flags_to(r, ship, 0), 0x20);
    }
}

TEST(a_peer_that_changes_lanes_gets_a_full_update_at_once)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)collect(r);
    (void)tick(r);
    sb_replica_set_lossy(r->replica, 2, true);
    CHECK_EQ(tick(r), 3);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK_EQ(flags_to(r, ship, 1), 0x20);
    sb_replica_set_lossy(r->replica, 2, true); /* already lossy: no second full update */
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 2), 0x20);
    sb_replica_set_lossy(r->replica, 2, false);
    CHECK_EQ(tick(r), 2);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK_EQ(mask_count(&message_to(r, ship, 2)->peers), 2);
}

TEST(a_peer_that_joins_the_lossy_lane_gets_a_full_update)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 4; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 3, true);
    (void)collect(r);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 3),
             0x20); /* the lane is running; its next full update is two ticks away */
    sb_replica_set_lossy(r->replica, 2, true);
    CHECK_EQ(tick(r), 3);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK(message_to(r, ship, 2) == message_to(r, ship, 3));
    CHECK_EQ(flags_to(r, ship, 1), 0x20);
}

/* A change within the tick would give the peer two messages of the same time. */
TEST(a_peer_that_becomes_lossy_changes_lanes_at_the_next_tick)
{
    replica_rig       *r = open_default();
    sb_replica_message m;
    bool               first = true;
    for (unsigned peer = 0; peer < 4; peer++) sb_replica_add_peer(r->replica, peer);
    sb_replica_set_lossy(r->replica, 3, true);
    sb_ship *ship = add_ship(r, 1, 0);
    for (unsigned n = 0; n < 2; n++) { /* to lossy after the others' lane, back before it */
        unsigned count[4] = { 0 };
        if (!first) r->now += RIG_TICK;
        first = false;
        while (sb_replica_next(r->replica, r->now, (float)((double)r->now / 1e6), &m)) {
            for (unsigned peer = 0; peer < 4; peer++)
                count[peer] += sb_peer_mask_has(&m.peers, peer);
            if (sb_peer_mask_has(&m.peers, n ? 0 : 2)) sb_replica_set_lossy(r->replica, 2, !n);
            sb_replica_check(r->replica);
        }
        for (unsigned peer = 0; peer < 4; peer++) CHECK_EQ(count[peer], 1);
    }
    CHECK_EQ(tick(r), 3);
    CHECK_EQ(flags_to(r, ship, 2), 0x3D);
    CHECK(message_to(r, ship, 2) == message_to(r, ship, 1));
}

TEST(an_owner_that_loses_datagrams_keeps_the_owners_lane)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 0, true);
    for (unsigned n = 0; n < 8; n++) {
        CHECK_EQ(n ? tick(r) : collect(r), 2);
        CHECK_EQ(flags_to(r, ship, 0), 0x20);
    }
}

TEST(with_stock_options_lossy_peers_are_like_all_others)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 2, true);
    (void)collect(r);
    for (unsigned n = 1; n < 11; n++) {
        CHECK_EQ(tick(r), 2);
        CHECK_EQ(flags_to(r, ship, 2), 0x20);
    }
}

TEST(the_last_peer_may_be_lossy_and_an_absent_one_is_on_no_lane)
{
    sb_lane_options o;
    sb_lane_options_default(&o);
    o.lossy_full_us = 1; /* the shortest: every update is full */
    replica_rig *r = open_with(&o);
    sb_replica_add_peer(r->replica, 1);
    sb_replica_add_peer(r->replica, 127);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_replica_set_lossy(r->replica, 127, true);
    sb_replica_set_lossy(r->replica, 5, true); /* not there */
    for (unsigned n = 0; n < 3; n++) {
        CHECK_EQ(n ? tick(r) : collect(r), 2);
        CHECK_EQ(flags_to(r, ship, 127), 0x3D);
        CHECK_EQ(flags_to(r, ship, 1), n ? 0x20 : 0x3D);
        CHECK(!message_to(r, ship, 5));
    }
}

/* The second player may have a good link. */
TEST(a_player_with_the_number_of_a_lossy_one_is_not_lossy)
{
    for (unsigned effective = 0; effective < 2; effective++) {
        replica_rig *r = open_default();
        for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
        sb_ship *ship = add_ship(r, 1, 0);
        sb_replica_set_lossy(r->replica, 2, true);
        if (effective) CHECK_EQ(collect(r), 3);
        sb_replica_remove_peer(r->replica, 2);
        sb_replica_add_peer(r->replica, 2);
        CHECK_EQ(tick(r), 2);
        CHECK(message_to(r, ship, 1) == message_to(r, ship, 2));
    }
}

TEST(the_damage_of_a_ship_is_in_the_next_update_of_every_lane)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    sb_replica_set_lossy(r->replica, 2, true);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)collect(r);
    ship->condition[8] *= 0.5f;
    CHECK_EQ(tick(r), 3);
    for (unsigned peer = 0; peer < 3; peer++) {
        CHECK_EQ(message_to(r, ship, peer)->update.start_index, 8);
        CHECK_EQ(message_to(r, ship, peer)->update.entries[0].condition_code, 127);
    }
}

/* ---- positions ---- */

TEST(a_placed_ship_is_sent_there_and_else_where_its_state_is)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    ship->motion.position = (sb_vec3){ 10, 0, 0 };
    sb_replica_place(r->replica, ship->object_id, (sb_vec3){ 11, 0, 0 });
    sb_replica_place(r->replica, 0x1234, (sb_vec3){ 99, 0, 0 });
    (void)collect(r);
    CHECK(message_to(r, ship, 1)->update.position.x == 11);
    (void)tick(r);
    CHECK_EQ(flags_to(r, ship, 1), 0x22); /* one unit back, to the ship's own position */
    CHECK_EQ(message_to(r, ship, 1)->update.delta.direction.x, -127);
    CHECK(ship->motion.position.x == 10);
}

/* Receivers drop positions beyond 1e7 (spec 12 #4), but a delta or an estimate can lead there from
 * a valid position. The host must neither stop nor send such a position. */
TEST(a_ship_beyond_the_universe_is_sent_at_its_edge)
{
    replica_rig *r = open_stock();
    observer     seer;
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    observer_open(&seer, 1, SB_RECEIVE_OTHER);
    ship->motion.position = (sb_vec3){ 1e7f, 0, -1e7f };
    sb_motion_set_axes(&ship->motion, (sb_vec3){ 1, 0, -1 }, (sb_vec3){ 0, 1, 0 });
    sb_motion_set_speed(&ship->motion, 10000);
    for (unsigned n = 0; n < 24; n++) {
        sb_replica_place(r->replica, ship->object_id, sb_motion_estimate(&ship->motion, 0.5f));
        (void)(n ? tick(r) : collect(r));
        const sent_message *t = message_to(r, ship, 1);
        CHECK(t);
        CHECK_EQ(observer_hear(&seer, t->bytes, t->size), SB_OK);
    }
    CHECK(seer.ship.motion.position.x > 9.9e6f);
    CHECK(seer.ship.motion.position.z < -9.9e6f);
}

TEST(messages_carry_the_game_time_of_their_tick)
{
    replica_rig *r = open_stock();
    sb_replica_add_peer(r->replica, 1);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)collect(r);
    CHECK(message_to(r, ship, 1)->update.game_time == 100.0f);
}

/* A host sends the owner's codes, but with its own flags, base and time (spec 03 §7). */
TEST(an_owners_state_goes_out_on_the_hosts_own_lanes)
{
    replica_rig *r = open_stock();
    lane_rig     owner;
    sb_receiver  receiver;
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    sb_receiver_init(&receiver, SB_RECEIVE_FROM_OWNER, ship, r->now);
    rig_open(&owner, 1, SB_LANE_TO_HOST);
    sb_motion_set_speed(&owner.ship.motion, 5);
    for (unsigned n = 0; n < 30; n++) {
        owner.ship.motion.position.x += 0.5f;
        CHECK(rig_send(&owner));
        CHECK_EQ(sb_receiver_apply(&receiver, ship, r->now, 0, (sb_span){ owner.bytes, owner.size },
                                   NULL),
                 SB_OK);
        (void)(n ? tick(r) : collect(r));
        const sent_message *t = message_to(r, ship, 1);
        CHECK_EQ(t->update.flags & 0xA0, 0x20);
        CHECK(!t->update.has_hash);
        CHECK(t->update.game_time >= 100);
        if (n % 11 == 0) CHECK_EQ(t->update.speed_code, owner.ship.motion.speed_code);
    }
}
