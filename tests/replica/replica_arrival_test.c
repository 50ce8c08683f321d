/* tests/replica/replica_arrival_test.c -- a host that sends what an owner sent when it arrives.
 * Spec 03 §17.1.
 */
#include "replica_rig.h"

#include <starbase/message_object.h>

enum { MS = 1000, GATHER = 10 * MS };

/* Two ships, of the peers 0 and 1; peer 2 has none. The first tick is over. */
static replica_rig *open_pair(void)
{
    replica_rig *r = open_default();
    for (unsigned peer = 0; peer < 3; peer++) sb_replica_add_peer(r->replica, peer);
    (void)add_ship(r, 1, 0);
    (void)add_ship(r, 5, 1);
    (void)collect(r);
    return r;
}

/* An update of the ship's owner arrives at `now`; collects what is sent at once. */
static unsigned arrive_at(replica_rig *r, sb_ship *ship, sb_time now)
{
    r->now = now;
    sb_motion_set_speed(&ship->motion, 1 + (float)((now / MS) % 7));
    sb_replica_note_arrival(r->replica, ship->object_id, now);
    return collect(r);
}

static unsigned collect_at(replica_rig *r, sb_time now)
{
    r->now = now;
    return collect(r);
}

TEST(an_arrival_is_sent_at_once_to_the_owner_and_the_others)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now;
    CHECK(!sb_replica_is_due(r->replica, ship->object_id, start + 37 * MS));
    CHECK_EQ(arrive_at(r, ship, start + 37 * MS), 2);
    CHECK_EQ(flags_to(r, ship, 0), 0x20);
    CHECK(flags_to(r, ship, 1) & SB_STATE_SPEED); /* what has just arrived */
    CHECK(message_to(r, ship, 1) == message_to(r, ship, 2));
}

/* The other ship stays on the shared tick, which goes on. */
TEST(a_ship_without_arrivals_keeps_the_shared_tick)
{
    replica_rig *r = open_pair();
    sb_ship     *follower = &r->ships[0], *other = &r->ships[1];
    sb_time      start = r->now;
    for (sb_time n = 0; n < 20; n++) {
        CHECK_EQ(arrive_at(r, follower, start + n * 100 * MS + 37 * MS), 2);
        CHECK(message_to(r, other, 0) == NULL);
        CHECK_EQ(sb_replica_next_deadline(r->replica), start + (n + 1) * 100 * MS);
        CHECK_EQ(collect_at(r, start + (n + 1) * 100 * MS), 2);
        CHECK(message_to(r, follower, 1) == NULL);
        CHECK(message_to(r, other, 0) != NULL);
    }
}

/* Both owners send every 100 ms, the second one `after` the first. Returns the time of a turn of
 * the first ship; the second ship's next update is expected `after` later. */
static sb_time fly_apart(replica_rig *r, sb_time after)
{
    sb_time at = r->now + 20 * MS;
    for (unsigned n = 0; n < 5; n++, at += 100 * MS) {
        (void)arrive_at(r, &r->ships[0], at);
        (void)collect_at(r, at + after - 1);
        (void)arrive_at(r, &r->ships[1], at + after);
        (void)collect_at(r, at + 50 * MS);
    }
    return at;
}

TEST(an_update_waits_for_the_next_one_if_that_is_expected_soon)
{
    replica_rig *r = open_pair();
    sb_ship     *a = &r->ships[0], *b = &r->ships[1];
    sb_time      at = fly_apart(r, GATHER);
    CHECK_EQ(arrive_at(r, a, at), 0);
    CHECK(!sb_replica_is_due(r->replica, a->object_id, at + GATHER - 1));
    CHECK_EQ(arrive_at(r, b, at + GATHER - MS),
             4); /* a little early: goes at once, with the other */
    CHECK(message_to(r, a, 2) != NULL);
    CHECK(message_to(r, b, 2) != NULL);
}

TEST(an_update_does_not_wait_for_one_that_is_expected_later)
{
    replica_rig *r = open_pair();
    sb_time      at = fly_apart(r, GATHER + MS);
    CHECK_EQ(arrive_at(r, &r->ships[0], at), 2);
    CHECK_EQ(arrive_at(r, &r->ships[1], at + GATHER + MS), 2);
}

TEST(an_update_does_not_wait_long_for_one_that_does_not_come)
{
    replica_rig *r = open_pair();
    sb_time      at = fly_apart(r, 4 * MS), end = at + 4 * MS + GATHER / 4;
    CHECK_EQ(arrive_at(r, &r->ships[0], at), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), end);
    CHECK_EQ(collect_at(r, end - 1), 0);
    CHECK_EQ(collect_at(r, end), 2);
}

TEST(two_arrivals_share_one_turn)
{
    replica_rig *r = open_pair();
    sb_time      at = r->now + 50 * MS;
    sb_replica_note_arrival(r->replica, r->ships[0].object_id, at);
    sb_replica_note_arrival(r->replica, r->ships[1].object_id, at);
    CHECK_EQ(collect_at(r, at), 4);
}

TEST(an_owner_who_sends_more_often_gets_no_higher_rate)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now;
    unsigned     sent = 0;
    for (sb_time at = 5 * MS; at < 10 * SB_SECOND; at += 5 * MS) {
        (void)arrive_at(r, ship, start + at);
        sent += message_to(r, ship, 2) != NULL;
    }
    CHECK(sent >= 98);
    CHECK(sent <= 101);
}

/* The owner's last update before its silence is brought by the fallback; then the shared tick. */
TEST(a_ship_whose_owner_falls_silent_returns_to_the_shared_tick)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now, last = start + 437 * MS;
    for (sb_time at = start + 37 * MS; at <= last; at += 100 * MS) (void)arrive_at(r, ship, at);
    sb_time  previous = last, longest = 0;
    unsigned sent = 0;
    for (sb_time at = last + MS; at < last + 5 * SB_SECOND; at += MS) {
        (void)collect_at(r, at);
        if (!message_to(r, ship, 2)) continue;
        if (at - previous > longest) longest = at - previous;
        previous = at;
        sent++;
    }
    CHECK(sent >= 45);
    CHECK(sent <= 50);
    CHECK(longest <= 200 * MS);
    CHECK_EQ((previous - start) % (100 * MS), 0);
}

TEST(damage_between_turns_comes_first_in_the_next_one)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now;
    unsigned     last = ship->model->subsystem_count - 1;
    CHECK_EQ(arrive_at(r, ship, start + 37 * MS), 2);
    ship->condition[last] /= 2;
    CHECK_EQ(collect_at(r, start + 100 * MS), 2); /* the other ship */
    CHECK_EQ(arrive_at(r, ship, start + 137 * MS), 2);
    CHECK_EQ(message_to(r, ship, 0)->update.start_index, last);
    CHECK_EQ(message_to(r, ship, 1)->update.start_index, last);
}

TEST(the_owners_blocks_still_go_round)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      at = r->now + 37 * MS;
    unsigned     next = message_to(r, ship, 0)->update.entry_count, count;
    for (unsigned n = 0; n < 50; n++, at += 100 * MS) {
        CHECK_EQ(arrive_at(r, ship, at), 2);
        const sb_state_update *u = &message_to(r, ship, 0)->update;
        CHECK_EQ(u->start_index, next);
        count = ship->model->subsystem_count;
        next = (next + u->entry_count) % count;
        (void)collect_at(r, at + 63 * MS); /* the tick of the other ship */
    }
}

TEST(a_newcomer_starts_with_a_full_update_of_a_ship_that_follows)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now;
    for (sb_time n = 0; n < 5; n++) (void)arrive_at(r, ship, start + n * 100 * MS + 37 * MS);
    sb_replica_add_peer(r->replica, 7);
    (void)arrive_at(r, ship, start + 537 * MS);
    CHECK_EQ(flags_to(r, ship, 7), 0x3D);
    CHECK(message_to(r, ship, 7) == message_to(r, ship, 1));
}

TEST(a_full_update_is_due_every_second_of_a_ship_that_follows)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now;
    unsigned     full = 0;
    for (sb_time n = 0; n < 110; n++) {
        (void)arrive_at(r, ship, start + n * 100 * MS + 37 * MS);
        full += (flags_to(r, ship, 1) & 0x1D) == 0x1D;
    }
    CHECK_EQ(full, 10);
}

TEST(slow_lanes_count_the_turns_of_their_ship)
{
    replica_rig *r = open_pair();
    sb_ship     *ship = &r->ships[0];
    sb_time      start = r->now;
    unsigned     sent = 0;
    sb_replica_set_pace(r->replica, ship->object_id, 2, SB_REPLICA_EVERY_5_TICKS);
    for (sb_time n = 0; n < 50; n++) {
        (void)arrive_at(r, ship, start + n * 100 * MS + 37 * MS);
        sent += message_to(r, ship, 2) != NULL;
    }
    CHECK_EQ(sent, 10);
}

TEST(stock_lanes_ignore_arrivals)
{
    replica_rig *r = open_stock();
    for (unsigned peer = 0; peer < 2; peer++) sb_replica_add_peer(r->replica, peer);
    sb_ship *ship = add_ship(r, 1, 0);
    (void)collect(r);
    sb_time start = r->now;
    CHECK_EQ(arrive_at(r, ship, start + 37 * MS), 0);
    CHECK_EQ(sb_replica_next_deadline(r->replica), start + 100 * MS);
    CHECK_EQ(collect_at(r, start + 100 * MS), 2);
}

/* The owner is silent; its ship waits for the fallback, which now comes earlier. */
TEST(a_shorter_interval_brings_the_next_turn_forward)
{
    replica_rig *r = open_pair();
    sb_time      at = r->now + 37 * MS;
    sb_replica_remove_ship(r->replica, r->ships[1].object_id);
    sb_replica_set_interval(r->replica, 300 * MS);
    CHECK_EQ(arrive_at(r, &r->ships[0], at), 0); /* no credit for the longer interval yet */
    CHECK_EQ(collect_at(r, at + 63 * MS), 0);    /* the shared tick */
    CHECK(sb_replica_next_deadline(r->replica) > at + 160 * MS);
    sb_replica_set_interval(r->replica, 100 * MS);
    CHECK(sb_replica_next_deadline(r->replica) <= at + 160 * MS);
    CHECK_EQ(collect_at(r, at + 160 * MS), 2);
}

TEST(each_ship_is_due_at_its_turn_and_not_before)
{
    replica_rig *r = open_pair();
    sb_time      start = r->now;
    for (unsigned i = 0; i < 2; i++) {
        CHECK(!sb_replica_is_due(r->replica, r->ships[i].object_id, start + 100 * MS - 1));
        CHECK(sb_replica_is_due(r->replica, r->ships[i].object_id, start + 100 * MS));
    }
}

TEST(an_arrival_of_an_unknown_ship_changes_nothing)
{
    replica_rig *r = open_pair();
    sb_time      due = sb_replica_next_deadline(r->replica);
    sb_replica_note_arrival(r->replica, 0x12345678, r->now + MS);
    CHECK_EQ(sb_replica_next_deadline(r->replica), due);
    CHECK(!sb_replica_is_due(r->replica, 0x12345678, due));
}
