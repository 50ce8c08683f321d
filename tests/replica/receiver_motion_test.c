/* tests/replica/receiver_motion_test.c -- where a receiver sees a ship: deltas and their base, dead
 * reckoning, plausibility. Spec 03 §3, 10 §11.2, §11.3, §15.
 */
#include "receiver_rig.h"
#include "replica/pace.h"

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

/* A DELTA along +X. */
static sb_result hear_delta(observer *o, float game_time, float length)
{
    uint16_t     code = sb_encode_cf16(length);
    update_bytes w = start_update(game_time, SB_STATE_DELTA);
    append_hex(&w, "7F 00 00");
    w.bytes[w.size++] = (uint8_t)code;
    w.bytes[w.size++] = (uint8_t)(code >> 8);
    return hear_update(o, &w);
}

/* A full update of a ship at rest. */
static sb_result hear_rest(observer *o, float game_time, float x)
{
    update_bytes w = start_update(game_time, SB_STATE_POS | SB_STATE_SPEED);
    append_position(&w, x, 0, 0);
    append_hex(&w, "00 00");
    return hear_update(o, &w);
}

/* A sender sends POS when its base is more than 1 s old, and checks once per tick. */
TEST(a_base_older_than_1050_ms_was_replaced_by_one_that_is_lost)
{
    static const float ages[] = { 1.0f, 1.05f, 1.06f };
    for (unsigned i = 0; i < 3; i++) {
        observer o = other_client(1);
        CHECK_EQ(hear_rest(&o, 0, 100), SB_OK);
        CHECK_EQ(hear_delta(&o, ages[i], 0), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), i == 2);
        check_near(o.ship.motion.position.x, 100, 0);
    }
}

/* An Akira at rest accelerates by 3 units/s^2, so it flies 0.03 units in 0.1 s. A delta of d has an
 * error of 0.02 d + 0.02. So deltas up to 0.051 may count from a new base; longer ones cannot. */
TEST(only_a_delta_within_reach_may_have_a_new_base)
{
    static const struct {
        float    length;
        unsigned inferred;
    } rows[] = { { 0.0505f, 1 }, { 0.0515f, 0 } };
    for (unsigned i = 0; i < 2; i++) {
        observer o = other_client(1);
        CHECK_EQ(hear_rest(&o, 0, 0), SB_OK);
        update_bytes w = start_update(1, 0);
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        CHECK_EQ(hear_delta(&o, 1.1f, rows[i].length), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), rows[i].inferred);
    }
}

/* A ship that stops where nobody expects it: its deltas do not become shorter. */
TEST(deltas_that_do_not_become_shorter_keep_their_base)
{
    static const float lengths[] = { 0.3f, 0.4f };
    for (unsigned i = 0; i < 2; i++) {
        observer o = other_client(1);
        CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK); /* speed 5 */
        CHECK_EQ(hear_delta(&o, 1.1f, 0.3f), SB_OK);
        CHECK_EQ(hear_delta(&o, 1.2f, lengths[i]), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 0);
        check_near(o.ship.motion.position.x, 100 + lengths[i], 1e-3f);
    }
}

/* Deltas from different bases cannot be compared. */
TEST(the_first_delta_from_a_new_base_may_be_shorter_than_the_last)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 1, 100, 0, 0), SB_OK); /* speed 5 */
    CHECK_EQ(hear_delta(&o, 1.5f, 2.5f), SB_OK);
    CHECK_EQ(hear_full_update(&o, 2, 105, 0, 0), SB_OK);
    CHECK_EQ(hear_delta(&o, 2.5f, 0.5f), SB_OK); /* it has stopped */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 0);
    check_near(o.ship.motion.position.x, 105.5f, 1e-3f);
}

/* The POS with which every lane starts was lost (spec 03 §8). It is as old as the first update. */
TEST(a_lane_that_starts_without_a_position_lost_its_first_one)
{
    observer o = other_client(1);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(hear_delta(&o, 10 + 1.1f * (float)i, 0), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), i);
    }
}

TEST(a_late_copy_of_the_base_is_no_late_base)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 10, 1, 0, 0), SB_OK);
    CHECK_EQ(hear_delta(&o, 10.1f, 0.5f), SB_OK);
    CHECK_EQ(hear_full_update(&o, 10, 1, 0, 0), SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 0);
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

/* A client's clock may run slower than the host's: the time of arrival counts too. */
TEST(reach_counts_from_when_the_base_arrived_or_was_sent)
{
    static const struct {
        float    x;
        unsigned jumped;
    } rows[] = { { 13.2f, 0 }, { 13.3f, 1 } }; /* 8.25 units in a second, plus 5 */
    for (unsigned i = 0; i < 4; i++) {
        observer o = host_receiver(1);
        bool     sent = i / 2; /* a second between the game times, or between the arrivals */
        o.now = 3 * SB_SECOND;
        CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
        o.now += sent ? SB_SECOND / 10 : SB_SECOND;
        CHECK_EQ(hear_full_update(&o, sent ? 2 : 1.1f, rows[i % 2].x, 0, 0), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), rows[i % 2].jumped);
    }
}

/* No update tells when the ship was created: only arrivals count. */
TEST(the_first_position_counts_from_the_arrival_of_the_creation)
{
    static const float x[] = { 29.7f, 29.8f }; /* 3 x 8.25 + 5 */
    for (unsigned i = 0; i < 2; i++) {
        observer o = host_receiver(1);
        o.now = 3 * SB_SECOND;
        CHECK_EQ(hear_full_update(&o, 500, x[i], 0, 0), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), i);
    }
}

TEST(a_distance_of_exactly_the_reach_is_plausible)
{
    observer o = host_receiver(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 1, 5, 0, 0), SB_OK); /* no time has passed: 5 units */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    check_near(o.receiver.ahead, 5, 0);
}

static void check_ahead(observer *o, float game_time, float x, float ahead)
{
    o->now += SB_SECOND;
    CHECK_EQ(hear_full_update(o, game_time, x, 0, 0), SB_OK);
    check_near(o->receiver.ahead, ahead, 1e-4f);
}

/* An Akira's engines allow 8.25 units a second. */
TEST(positions_are_charged_what_they_exceed_the_engines)
{
    observer o = host_receiver(1);
    o.now = 9 * SB_SECOND;
    check_ahead(&o, 10, 0, 0);
    check_ahead(&o, 11, 8.75f, 0.5f);
    check_ahead(&o, 12, 8.75f + 12, 0.5f + 3.75f);
    for (unsigned i = 1; i < 9; i++) { /* deltas are neither charged nor do they pay back */
        o.now += SB_SECOND / 10;
        CHECK_EQ(hear_delta(&o, 12 + 0.1f * (float)i, i < 5 ? 0 : 5), SB_OK);
        check_near(o.receiver.ahead, 4.25f, 1e-4f);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now -= 8 * (SB_SECOND / 10);
    check_ahead(&o, 13, 20.75f + 8, 4); /* slower flight pays it back ... */
    check_ahead(&o, 14, 28.75f, 0);     /* ... and earns nothing */
}

TEST(a_ship_that_used_all_its_slack_may_still_turn_and_stop)
{
    observer o = host_receiver(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 10, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 10, 100, 0, 0), SB_OK); /* counted and believed */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    check_near(o.receiver.ahead, 20, 0);
    update_bytes w = start_update(10, SB_STATE_SPEED);
    append_hex(&w, "00 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK); /* no position, no distance */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    sb_receiver_moved(&o.receiver, &o.ship, o.now);
    check_near(o.receiver.ahead, 0, 0); /* a change of set pays for everything */
}

TEST(a_late_position_is_charged_too)
{
    observer o = host_receiver(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 10, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_delta(&o, 11, 5), SB_OK);
    CHECK_EQ(hear_full_update(&o, 10.5f, 6.125f, 0, 0), SB_NOT_ALLOWED); /* 8.25 / 2 and 2 more */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 1);
    check_near(o.receiver.ahead, 2, 1e-4f);
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

static void hear_speed(observer *o, float game_time, float speed)
{
    update_bytes w = start_update(game_time, SB_STATE_SPEED | SB_STATE_POWER);
    uint16_t     code = sb_encode_cf16(speed);
    w.bytes[w.size++] = (uint8_t)code;
    w.bytes[w.size++] = (uint8_t)(code >> 8);
    CHECK_EQ(hear_update(o, &w), SB_OK);
}

/* Half a turn, or 5 units/s more and less, in each tenth of a second. */
TEST(enforced_each_axis_and_the_speed_are_checked_alone)
{
    static const struct {
        uint8_t     flags;
        const char *hex[2];
    } rows[] = { { SB_STATE_FWD, { "81 00 00", "7F 00 00" } },
                 { SB_STATE_UP, { "00 00 81", "00 00 7F" } },
                 { SB_STATE_SPEED, { "00 00", "1B 47" } } };
    for (unsigned i = 0; i < 3; i++) {
        observer o = host_receiver(1);
        sb_pace  pace;
        o.receiver.enforce = true;
        o.receiver.pace = &pace;
        o.now = 10 * SB_SECOND;
        sb_pace_init(&pace, o.now);
        CHECK_EQ(hear_full_update(&o, 50, 0, 0, 0), SB_OK);
        for (unsigned n = 0; n < 100; n++) {
            update_bytes w = start_update(50.1f + 0.1f * (float)n, rows[i].flags);
            append_hex(&w, rows[i].hex[n % 2]);
            o.now += RIG_TICK;
            CHECK_EQ(hear_update(&o, &w), SB_OK);
        }
        CHECK(pace.axes.counted + pace.speed.counted > 30);
    }
}

/* Otherwise a claim within 2 s of the creation would stay for the life of the ship. */
TEST(enforced_a_new_ship_is_no_faster_than_others)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    hear_speed(&o, 1, 5000);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    CHECK_EQ(o.ship.motion.speed_code, sb_encode_cf16(0));
    hear_speed(&o, 1.1f, 9.5f);
    CHECK_EQ(o.ship.motion.speed_code, sb_encode_cf16(9.5f));
}

TEST(a_new_ship_that_is_too_fast_is_only_counted_otherwise)
{
    observer o = host_receiver(1);
    hear_speed(&o, 1, 5000);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    CHECK_EQ(o.ship.motion.speed_code, sb_encode_cf16(5000));
}

TEST(after_a_warp_the_speed_is_not_checked_for_2_seconds)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now += SB_SECOND;
    sb_receiver_moved(&o.receiver, &o.ship, o.now);
    hear_speed(&o, 1, 5000);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 0);
    o.now += 2 * SB_SECOND;
    hear_speed(&o, 3, 5000);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
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

TEST(enforced_a_position_that_is_not_applied_is_not_charged)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 10, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 10, 100, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    check_near(o.receiver.ahead, 0, 0);
    check_ahead(&o, 11, 10.25f, 2); /* one that is applied is */
}

TEST(enforced_a_speed_not_applied_does_not_hold_the_position)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_rest(&o, 10, 0), SB_OK);
    update_bytes w = start_update(11, SB_STATE_POS | SB_STATE_SPEED);
    append_position(&w, 6, 0, 0);
    append_hex(&w, "FF 7F"); /* the fastest */
    o.now += SB_SECOND;
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    check_near(o.ship.motion.position.x, 6, 0);
    check_near(o.ship.motion.speed, 0, 0);
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

/* A stranger who forges one position in these 2 s would hold the ship there: at 8.25 units a second
 * the owner's own position would be out of reach for ten minutes. */
TEST(enforced_no_forged_position_holds_a_new_ship)
{
    observer o = host_receiver(1); /* created at 0, 0, 0 */
    o.receiver.enforce = true;
    o.now = SB_SECOND / 20;
    CHECK_EQ(hear_full_update(&o, 0.05f, 5000, 0, 0), SB_OK); /* forged, before the owner's first */
    o.now = SB_SECOND / 10;
    CHECK_EQ(hear_full_update(&o, 0.1f, 0.5f, 0, 0), SB_OK);
    check_near(o.ship.motion.position.x, 0.5f, 0);
    for (unsigned i = 2; i < 40; i++) {
        o.now = SB_SECOND / 10 * (sb_time)i;
        CHECK_EQ(hear_full_update(&o, 0.1f * (float)i, 0.5f * (float)i, 0, 0), SB_OK);
        CHECK_EQ(hear_full_update(&o, 0.1f * (float)i, 5000, 0, 0), SB_OK); /* forged */
        check_near(o.ship.motion.position.x, 0.5f * (float)i, 1e-3f);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 38);
}

TEST(a_new_ship_that_starts_elsewhere_is_checked_after_2_seconds)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = SB_SECOND; /* reach: 8.25 units a second, plus 20 */
    CHECK_EQ(hear_full_update(&o, 1, 28.3f, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 1.1f, 900, 0, 0), SB_OK);
    check_near(o.ship.motion.position.x, 900, 0);
    CHECK_EQ(hear_full_update(&o, 1.2f, 28.2f, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 1.3f, 900, 0, 0), SB_OK);
    check_near(o.ship.motion.position.x, 28.2f, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
}

/* A player's first update seems to have been sent when it arrived; the player's clock is known with
 * the next one, and if the link lags, that one seems to be older by seconds. */
TEST(changes_of_speed_of_a_new_ship_are_checked_after_2_seconds)
{
    observer o = host_receiver(1);
    sb_pace  pace;
    sb_pace_init(&pace, 0);
    o.receiver.enforce = true;
    o.receiver.pace = &pace;
    o.now = SB_SECOND / 2;
    CHECK_EQ(hear_full_update(&o, 100, 0, 0, 0), SB_OK); /* within reach of the creation */
    for (unsigned i = 1; i <= 30; i++) {
        o.now += SB_SECOND / 10;
        o.receiver.expected_time = 103.0f + 0.1f * (float)i;
        float speed = 0.5f + 0.3f * fabsf((float)i - 15.0f); /* 3 units/s2, as its engines can */
        hear_speed(&o, 100.0f + 0.1f * (float)i, speed);
        CHECK_EQ(o.ship.motion.speed_code, sb_encode_cf16(speed));
    }
    CHECK_EQ(pace.speed.counted, 0);
    hear_speed(&o, 103.1f, 0);
    CHECK_EQ(pace.speed.counted, 1);
}

TEST(after_a_warp_positions_are_not_checked_for_2_seconds)
{
    observer o = host_receiver(1);
    o.receiver.enforce = true;
    o.now = SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    o.now = 10 * SB_SECOND;
    sb_receiver_moved(&o.receiver, &o.ship, o.now);
    CHECK_EQ(hear_full_update(&o, 10, 1, 0, 0), SB_OK); /* says nothing about the arrival */
    CHECK_EQ(hear_full_update(&o, 10.1f, 900, 0, 0), SB_OK);
    check_near(o.ship.motion.position.x, 900, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
}

TEST(times_of_a_new_ship_count_from_its_creation)
{
    observer o = host_receiver(1);
    sb_motion_set_speed(&o.ship.motion, 4);
    o.now = 100 * SB_SECOND;
    sb_receiver_init(&o.receiver, SB_RECEIVE_FROM_OWNER, &o.ship, o.now);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).y, 0, 0);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND / 2).y, 2, 1e-2f);
    o.now += SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 5000, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0); /* no checks for two seconds */
}

TEST(clients_do_not_check_the_hosts_motion)
{
    observer o = other_client(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full_update(&o, 2, 9000, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
}
