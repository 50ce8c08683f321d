/* tests/replica/receiver_motion_test.c -- where a receiver sees a ship: deltas and their base, dead
 * reckoning, plausibility. Spec 03 §3, 10 §11.2, §11.3, §15.
 */
#include "receiver_rig.h"

#include <math.h>
#include <string.h>

/* ---- motion (spec 03 §3) ---- */

TEST(deltas_count_from_the_last_position_not_from_each_other)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK);
    for (unsigned i = 0; i < 3; i++) { /* repeating a delta does not move the ship again */
        update_bytes w = start_update(1.5f + 0.1f * (float)i, SB_STATE_DELTA);
        append_hex(&w, "7F 00 00 1B 47");
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        check_near(o.ship.motion.position.x, 104.9978f, 1e-4f);
    }
}

TEST(before_the_first_absolute_position_the_creation_is_the_base)
{
    observer o = other_client(1);
    o.ship.motion.position = (sb_vec3){ 10, 20, 30 };
    sb_receiver_init(&o.receiver, SB_RECEIVE_OTHER, &o.ship, 0);
    update_bytes w = start_update(1, SB_STATE_DELTA);
    append_hex(&w, "00 7F 00 1B 47");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.motion.position.x, 10, 0);
    check_near(o.ship.motion.position.y, 24.9978f, 1e-4f);
}

/* An Akira at full speed. Update 11, the second POS, is lost; the next POS comes a second later. */
static void fly_without_a_position(observer *o, const sb_lane_options *options, unsigned lost,
                                   unsigned late)
{
    lane_rig sender, kept;
    float    seen = -1;
    rig_open_with(&sender, 1, SB_LANE_TO_OTHERS, options);
    observer_open(o, 1, SB_RECEIVE_OTHER);
    sb_motion_set_speed(&sender.ship.motion, 6.6f);
    for (unsigned n = 0; n < 22; n++) {
        sender.ship.motion.position.y = 0.66f * (float)n;
        CHECK(rig_send(&sender));
        if (n == lost) CHECK(sender.update.flags & SB_STATE_POS);
        if (n == lost) kept = sender;
        if (n != lost) CHECK_EQ(observer_hear(o, sender.bytes, sender.size), SB_OK);
        if (n == late) CHECK_EQ(observer_hear(o, kept.bytes, kept.size), SB_NOT_ALLOWED);
        CHECK(o->ship.motion.position.y >= seen); /* the ship never moves back */
        seen = o->ship.motion.position.y;
        check_near(seen, sender.ship.motion.position.y, n == lost ? 0.75f : 0.15f);
    }
}

TEST(after_a_lost_position_a_ship_goes_on_from_where_it_was)
{
    observer        o;
    sb_lane_options options;
    sb_lane_options_stock(&options);
    fly_without_a_position(&o, &options, 11, 99);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 0);
    options.full_us =
        SB_SECOND /
        2; /* more often than stock: the receiver must detect it from the position (rule 3) */
    fly_without_a_position(&o, &options, 6, 99);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 1);
}

TEST(a_late_position_moves_nothing_but_is_the_next_base)
{
    observer        o;
    sb_lane_options options;
    sb_lane_options_stock(&options);
    fly_without_a_position(&o, &options, 11, 14);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 1);
    CHECK(o.receiver.base.y == 0.66f * 11.0f); /* the late POS, no longer an inferred base */
}

TEST(a_position_older_than_the_base_is_no_base)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 10, 1, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 11, 6, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 10.5f, 3, 0, 0), SB_NOT_ALLOWED);
    CHECK_EQ(hear_full_update(&o, 11, 7, 0, 0), SB_OK); /* the same time is not late */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 0);
    check_near(o.receiver.base.x, 7, 0);
}

/* A delta longer than a ship can fly since its last update counts from the known base. */
TEST(a_long_delta_counts_from_the_base_however_old_it_is)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK);
    for (unsigned i = 0; i < 40; i++) {
        update_bytes w = start_update(1.1f + 0.1f * (float)i, SB_STATE_DELTA);
        append_hex(&w, "7F 00 00 1B 47");
        CHECK_EQ(hear_update(&o, &w), SB_OK);
    }
    check_near(o.ship.motion.position.x, 104.9978f, 1e-4f);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 0);
}

TEST(after_a_set_change_the_position_is_the_base)
{
    observer o = host_receiver(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full_update(&o, 51, 1, 2, 3), SB_OK);
    o.ship.motion.position = (sb_vec3){ 500, 0, 0 };
    o.now += SB_SECOND;
    sb_receiver_moved(&o.receiver, &o.ship, o.now);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_APPLIED), 2);
    CHECK_EQ(hear_full_update(&o, 50.9f, 7, 7, 7), SB_NOT_ALLOWED); /* sent before the set change */
    update_bytes w = start_update(51.1f, SB_STATE_DELTA);
    append_hex(&w, "7F 00 00 1B 47");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.motion.position.x, 504.9978f, 1e-3f);
    CHECK_EQ(hear_full_update(&o, 51.2f, 900, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0); /* no checks for two seconds */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 0);
}

TEST(received_axes_are_renormalised_and_at_right_angles)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_FWD | SB_STATE_UP);
    append_hex(&w,
               "49 49 49  00 40 7F"); /* `forward` is 0.997 long, `up` not perpendicular to it */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    sb_vec3 f = o.ship.motion.forward, u = o.ship.motion.up;
    check_near(f.x * f.x + f.y * f.y + f.z * f.z, 1, 1e-6f);
    check_near(u.x * u.x + u.y * u.y + u.z * u.z, 1, 1e-6f);
    check_near(f.x * u.x + f.y * u.y + f.z * u.z, 0, 1e-6f);
    CHECK_EQ(o.ship.motion.up_code.y, 0x40); /* the received codes are kept */
}

TEST(one_axis_alone_keeps_the_other_as_far_as_it_can)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_FWD);
    append_hex(&w, "7F 00 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.motion.forward.x, 1, 0);
    check_near(o.ship.motion.up.z, 1, 0);
    w = start_update(2, SB_STATE_UP);
    append_hex(&w, "00 7F 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.motion.forward.x, 1, 0);
    check_near(o.ship.motion.up.y, 1, 0);
}

/* ---- dead reckoning (spec 10 §11.2) ---- */

TEST(between_updates_a_ship_goes_on_along_its_nose_for_a_second)
{
    observer o = other_client(1);
    o.now = 20 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK);
    float speed = o.ship.motion.speed;
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).x, 100, 0);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND / 2).x, 100 + speed / 2,
               1e-4f);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND).x, 100 + speed, 1e-4f);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + 9 * SB_SECOND).x, 100 + speed,
               1e-4f);
    check_near(o.ship.motion.position.x, 100, 0); /* an estimate does not change the ship */
}

TEST(a_copy_of_an_update_does_not_let_the_ship_begin_its_way_anew)
{
    observer o = other_client(1);
    o.now = 20 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK);
    float speed = o.ship.motion.speed;
    o.now += SB_SECOND / 2;
    CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).x, 100 + speed / 2, 1e-4f);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND).x, 100 + speed, 1e-4f);
    CHECK_EQ(hear_full_update(&o, 1.1f, 100, 0, 0),
             SB_OK); /* a newer update restarts dead reckoning */
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).x, 100, 0);
}

TEST(in_reverse_the_estimate_goes_backwards)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    update_bytes w = start_update(2, SB_STATE_SPEED);
    append_hex(&w, "1B C7");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND).x, -4.9978f, 1e-4f);
}

/* ---- plausibility (spec 10 §11.3) ---- */

/* An Akira flies 6.6 units/s: speeds up to 9.575 and distances up to 8.25 x seconds + 5 are
 * plausible. */
TEST(a_speed_beyond_the_engines_is_counted_and_believed)
{
    observer o = host_receiver(1);
    o.now = 3 * SB_SECOND;
    update_bytes w = start_update(1, SB_STATE_SPEED | SB_STATE_POWER);
    uint16_t     fast = sb_encode_cf16(9.5f), too_fast = sb_encode_cf16(-9.6f);
    w.bytes[w.size++] = (uint8_t)fast;
    w.bytes[w.size++] = (uint8_t)(fast >> 8);
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 0);
    w.bytes[w.size - 2] = (uint8_t)too_fast;
    w.bytes[w.size - 1] = (uint8_t)(too_fast >> 8);
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    CHECK_EQ(o.ship.motion.speed_code, too_fast);
}

TEST(a_position_beyond_reach_is_counted_and_believed)
{
    observer o = host_receiver(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    o.now += SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 2, 13.2f, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now += SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 3, 26.5f, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    check_near(o.ship.motion.position.x, 26.5f, 0);
}

/* Jumps of 17 000 units back and forth, ten times a second. */
TEST(a_delta_beyond_reach_is_counted_like_a_position)
{
    observer o = host_receiver(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    for (unsigned i = 0; i < 8; i++) {
        update_bytes w = start_update(1.1f + 0.1f * (float)i, SB_STATE_DELTA);
        append_hex(&w, i % 2 ? "7F 7F 7F FF 7F" : "81 7F 7F FF 7F");
        o.now += RIG_TICK;
        CHECK_EQ(hear_update(&o, &w), SB_OK);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 8);
}

/* ---- with `enforce` (spec 10 §15, level 3) ---- */

TEST(enforced_a_speed_beyond_the_engines_is_not_applied)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = 3 * SB_SECOND;
    uint16_t fast = sb_encode_cf16(9.5f), too_fast = sb_encode_cf16(-9.6f);
    for (unsigned i = 0; i < 2; i++) {
        update_bytes w = start_update(1 + (float)i, SB_STATE_SPEED | SB_STATE_POWER);
        uint16_t     code = i ? too_fast : fast;
        w.bytes[w.size++] = (uint8_t)code;
        w.bytes[w.size++] = (uint8_t)(code >> 8);
        CHECK_EQ(hear_update(&o, &w), SB_OK);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_APPLIED), 2);
    CHECK_EQ(o.ship.motion.speed_code, fast);
}

TEST(enforced_a_position_waits_until_it_is_within_reach)
{
    observer o = host_receiver(1); /* reach: 8.25 units a second, plus 5 */
    o.receiver.enforce = true;
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    sb_time heard = o.now;
    for (unsigned i = 1; i <= 3; i++) {
        o.now += SB_SECOND;
        CHECK_EQ(hear_full_update(&o, 1 + (float)i, 30, 0, 0), SB_OK);
        check_near(o.ship.motion.position.x, 0, 0);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), i);
        CHECK_EQ(o.receiver.received_at,
                 heard); /* dead reckoning continues from the old position */
    }
    o.now += SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 5, 30, 0, 0), SB_OK); /* within 4 x 8.25 + 5 */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 3);
    check_near(o.ship.motion.position.x, 30, 0);
}

/* An Akira flies 6.6 units/s, with full power 8.25. One that reports 12 units more every second
 * used the slack of each update and flew half as fast again. */
TEST(enforced_the_slack_of_positions_is_no_speed)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 10, 0, 0, 0), SB_OK);
    for (unsigned i = 1; i <= 20; i++) {
        o.now += SB_SECOND;
        CHECK_EQ(hear_full_update(&o, 10 + (float)i, 12 * (float)i, 0, 0), SB_OK);
    }
    CHECK(o.ship.motion.position.x <= 20 * 8.25f + 20);
    CHECK(COUNTED(o, SB_RECEIVED_JUMPED) > 0);
    CHECK(o.receiver.distance.claimed > o.receiver.distance.possible);
}

TEST(enforced_deltas_beyond_reach_move_nothing)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    update_bytes w = start_update(1.1f, SB_STATE_DELTA);
    append_hex(&w, "7F 7F 7F FF 7F");
    o.now += RIG_TICK;
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    check_near(o.ship.motion.position.x, 0, 0);
}

/* A late position moves nothing itself, but as a base it would move later deltas. */
TEST(a_late_position_beyond_reach_is_counted)
{
    for (unsigned enforce = 0; enforce < 2; enforce++) {
        observer o = host_receiver(1);
        o.receiver.enforce = enforce;
        o.now = 3 * SB_SECOND;
        CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
        update_bytes w = start_update(2, SB_STATE_DELTA);
        append_hex(&w, "7F 00 00 00 00");
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        CHECK_EQ(hear_full_update(&o, 1.5f, 900, 0, 0), SB_NOT_ALLOWED);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), !enforce);
        check_near(o.receiver.base.x, enforce ? 0 : 900, 0);
    }
}

/* Updates sent over a second may arrive at once; the ship had a second to fly. */
TEST(after_a_stall_of_the_link_an_honest_sender_is_not_counted)
{
    observer o = host_receiver(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    o.now += 2 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 2, 6.6f, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 3, 13.2f, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 4, 19.8f, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now += RIG_TICK; /* reach is 8.25 x 5.1 + 5: the sender's clock is trusted for 5 s */
    CHECK_EQ(hear_full_update(&o, 1000, 19.8f + 48, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
}

TEST(more_than_40_updates_within_a_second_are_counted)
{
    observer o = host_receiver(1);
    o.now = 10 * SB_SECOND;
    for (unsigned i = 0; i < 40; i++) CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_OFTEN), 0);
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 0.5f, 0, 0, 0), SB_NOT_ALLOWED); /* refused updates count too */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_OFTEN), 2);
    o.now += SB_SECOND;
    for (unsigned i = 0; i < 40; i++) CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_OFTEN), 2);
}

TEST(for_two_seconds_after_creation_nothing_is_implausible)
{
    observer o = host_receiver(1);
    o.now = 2 * SB_SECOND - 1;
    CHECK_EQ(hear_full_update(&o, 1, 5000, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now = 2 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 2, 0, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
}

TEST(clients_do_not_check_the_hosts_motion)
{
    observer o = other_client(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 2, 9000, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
}
