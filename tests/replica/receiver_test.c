/* tests/replica/receiver_test.c -- how a receiver applies updates: the table of spec 03 §9 row by
 * row, settings (§4.5, §5), cloak (§6), the worked examples and the counters.
 *
 * The caller handles unknown objects and senders that do not own the ship: a receiver exists for
 * one ship and one sender. receiver_motion_test.c has positions.
 */
#include "receiver_rig.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

/* ---- worked examples, read (spec 03 §13) ---- */

TEST(the_host_reads_example_a)
{
    observer o = host_receiver(1);
    for (unsigned i = 0; i < 11; i++) o.ship.power_wanted[i] = 0.25f;
    CHECK_EQ(observer_hear_hex(&o, "1C FF FF FF 3F 00 80 E1 41 9D 00 00 B0 42 00 00 84 C2 00 00 92"
                                   "C2 21 37 FB 0B 68 46 30 BB 5E 00 00 01 CC 02 CC 04 CC"),
             SB_OK);
    check_near(o.ship.motion.position.x, 88, 0);
    check_near(o.ship.motion.position.y, -66, 0);
    check_near(o.ship.motion.position.z, -73, 0);
    check_near(o.ship.motion.forward.y, 104.0f / 125.85f, 2e-3f);
    CHECK_EQ(o.ship.motion.forward_code.y, 104);
    CHECK_EQ(o.ship.motion.up_code.y, -69);
    for (unsigned i = 0; i < 11; i++)
        check_near(o.ship.power_wanted[i], i == 1 || i == 2 || i == 4 ? 1.0f : 0.25f, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_HASH_SEEN), 1);
    CHECK_EQ(o.receiver.hash, 0xFB37);
}

TEST(the_owner_reads_example_b)
{
    observer o;
    observer_open(&o, 1, SB_RECEIVE_OWN);
    sb_ship intact = o.ship;
    o.ship.condition[0] = o.ship.condition[10] = 1;
    memset(o.ship.facing, 0, sizeof o.ship.facing);
    o.ship.child_condition[o.ship.model->subsystems[9].first_child] = 0;
    CHECK_EQ(observer_hear_hex(&o, "1C FF FF FF 3F 00 A0 1B 42 20 08 FF 60 FF FF FF FF FF FF FF FF"
                                   "FF FF FF FF"),
             SB_OK);
    rig_check_same(&o.ship, &intact);
}

TEST(others_read_example_c_then_d)
{
    observer o = other_client(1);
    CHECK_EQ(observer_hear_hex(&o, "1C FF FF FF 3F 00 00 70 42 3D 00 00 C9 42 00 00 A2 C1 00 00 40"
                                   "40 66 00 7F 00 00 00 7F F3 49 02 CC 4B FF F0 FF FF FF 80 7D"),
             SB_OK);
    const sb_ship_class *m = o.ship.model;
    check_near(o.ship.motion.position.x, 100.5f, 0);
    check_near(o.ship.motion.speed, 6.59780264f, 0);
    check_near(sb_ship_ratio(&o.ship, 2), 0.8f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.75f, 0);
    check_near(o.ship.main_battery, m->main_battery * 240 / 255, m->main_battery * 1e-6f);
    check_near(o.ship.backup_battery, m->backup_battery, 0);
    check_near(sb_ship_child_ratio(&o.ship, m->subsystems[4].first_child + 1u), 128 / 255.0f,
               1e-6f);
    check_near(o.ship.power_wanted[4], 1.25f, 0);
    CHECK_EQ(observer_hear_hex(&o, "1C FF FF FF 3F 66 66 70 42 3E 4C 65 00 1B 47 00 7F 00 00 00 7F"
                                   "F3 49 05 FF FF FF FF FF FF FF FF FF 21 64"),
             SB_OK);
    check_near(o.ship.motion.position.x, 100.5f + 2.991f, 1e-3f);
    check_near(o.ship.motion.position.y, -20.25f + 3.975f, 1e-3f);
    check_near(o.ship.motion.position.z, 3, 0);
}

TEST(the_host_reads_examples_e_and_f)
{
    observer o = host_receiver(6);
    o.ship.object_id = sb_slot_first_id(1);
    CHECK_EQ(observer_hear_hex(&o, "1C FF FF 03 40 00 00 48 41 DD 00 00 80 3F 00 00 00 40 00 00 40"
                                   "40 42 00 7F 00 00 00 7F 00 00 01 CC 03 CC 04 66"),
             SB_OK);
    CHECK(o.ship.cloaked);
    check_near(o.ship.power_wanted[4], 0.5f, 0);
    CHECK_EQ(observer_hear_hex(&o, "1C FF FF 03 40 9A 99 49 41 C0 20 05 CC 06 CC 07 CC"), SB_OK);
    CHECK(!o.ship.cloaked);
}

/* ---- the table of spec 03 §9 ---- */

TEST(fewer_than_10_bytes_are_dropped)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, 0);
    for (size_t size = 0; size < 10; size++) {
        w.size = size;
        sb_ship before = o.ship;
        CHECK(hear_update(&o, &w) != SB_OK);
        rig_check_same(&o.ship, &before);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED), 10);
    w.size = 10;
    CHECK_EQ(hear_update(&o, &w), SB_OK); /* flags 0: accepted, nothing changes (spec 03 §2) */
}

TEST(an_update_of_another_object_is_refused)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SPEED);
    append_hex(&w, "1B 47");
    w.bytes[1] = 0xFE;
    check_refused(&o, &w, SB_BAD_VALUE);
    w.bytes[1] = 0xFF;
    w.bytes[0] = 0x1D;
    check_refused(&o, &w, SB_BAD_VALUE); /* another opcode */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED), 2);
}

/* A turned, moving and cloaked ship, to which an update of one field alone is applied. */
static observer moving_bird_of_prey(void)
{
    observer o = other_client(6);
    o.ship.motion.position = (sb_vec3){ 4, 5, 6 };
    sb_motion_set_axes(&o.ship.motion, (sb_vec3){ 0.6f, 0.8f, 0 }, (sb_vec3){ 0, 0, 1 });
    sb_motion_set_speed(&o.ship.motion, 3);
    o.ship.cloaked = true;
    sb_receiver_init(&o.receiver, SB_RECEIVE_OTHER, &o.ship, 0);
    return o;
}

TEST(a_field_that_comes_alone_changes_nothing_else)
{
    static const struct {
        uint8_t     flags;
        const char *bytes;
    } rows[] = {
        { SB_STATE_POS, "00 00 80 3F 00 00 00 40 00 00 40 40 20" }, /* 1, 2, 3 */
        { SB_STATE_DELTA, "7F 00 00 1B 47" },
        { SB_STATE_FWD, "7F 00 00" },
        { SB_STATE_UP, "00 00 81" },
        { SB_STATE_SPEED, "1B 47" },
        { SB_STATE_CLOAK, "20" },
        { SB_STATE_SUBSYS, "00 80" },
        { SB_STATE_POWER, "01 66" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        observer     o = moving_bird_of_prey();
        sb_ship      expected = o.ship;
        sb_motion   *m = &expected.motion;
        update_bytes w = start_update(1, rows[i].flags);
        append_hex(&w, rows[i].bytes);
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        if (rows[i].flags == SB_STATE_POS) m->position = (sb_vec3){ 1, 2, 3 };
        if (rows[i].flags == SB_STATE_DELTA) m->position.x = 4 + sb_decode_cf16(0x471B);
        if (rows[i].flags == SB_STATE_FWD)
            CHECK(sb_motion_read_axes(m, &(sb_cv3){ 127, 0, 0 }, NULL));
        if (rows[i].flags == SB_STATE_UP)
            CHECK(sb_motion_read_axes(m, NULL, &(sb_cv3){ 0, 0, -127 }));
        if (rows[i].flags == SB_STATE_SPEED) sb_motion_read_speed(m, 0x471B);
        if (rows[i].flags == SB_STATE_CLOAK) expected.cloaked = false;
        if (rows[i].flags == SB_STATE_SUBSYS) expected.condition[0] = o.ship.condition[0];
        if (rows[i].flags == SB_STATE_POWER) expected.power_wanted[1] = 0.5f;
        rig_check_same(&o.ship, &expected);
        for (unsigned c = 0; c < SB_RECEIVER_COUNTER_COUNT; c++)
            CHECK_EQ(COUNTED(o, c), c == SB_RECEIVED_APPLIED);
        CHECK_EQ(o.ship.condition[0] < o.ship.model->subsystems[0].max_condition,
                 rows[i].flags == SB_STATE_SUBSYS);
    }
}

TEST(the_host_applies_a_clients_motion_but_not_its_subsystems)
{
    observer     o = host_receiver(1);
    update_bytes w = start_update(1, SB_STATE_SPEED | SB_STATE_SUBSYS);
    append_hex(&w, "1B 47  00 10  10 21 05 00 00 00 00 00 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(o.ship.motion.speed_code, 0x471B);
    check_near(sb_ship_ratio(&o.ship, 0), 1, 0);
    check_near(o.ship.facing[0], o.ship.model->shield_max[0], 0);
    check_near(o.ship.power_wanted[1], 1, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_FOREIGN_BLOCK), 1);
    w.size--; /* a facing is missing: nobody reads the block */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_FOREIGN_BLOCK), 2);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 0);
}

TEST(a_client_applies_subsystems_but_no_motion_to_its_own_ship)
{
    observer o;
    observer_open(&o, 6, SB_RECEIVE_OWN);
    sb_ship      before = o.ship;
    update_bytes w = start_update(1, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED |
                                         SB_STATE_CLOAK | SB_STATE_SUBSYS);
    append_position(&w, 9, 9, 9);
    w.bytes[22] = 0x42; /* has_hash 0, cloak 1 */
    append_hex(&w, "7F 00 00  00 00 7F  1B 47  00 80");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    before.condition[0] = o.ship.model->subsystems[0].max_condition * (128 / 255.0f);
    rig_check_same(&o.ship, &before);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_FOREIGN_MOTION), 1);
}

TEST(each_motion_field_alone_is_foreign_to_a_clients_own_ship)
{
    static const struct {
        uint8_t     flags;
        const char *bytes;
    } rows[] = {
        { SB_STATE_POS, "00 00 80 3F 00 00 00 40 00 00 40 40 20" },
        { SB_STATE_DELTA, "7F 00 00 1B 47" },
        { SB_STATE_FWD, "7F 00 00" },
        { SB_STATE_UP, "00 00 81" },
        { SB_STATE_SPEED, "1B 47" },
        { SB_STATE_CLOAK, "21" },
        { SB_STATE_SUBSYS, "00 FF" },
        { SB_STATE_POWER, "01 66" },
        { 0, "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        observer o;
        observer_open(&o, 6, SB_RECEIVE_OWN);
        sb_ship      before = o.ship;
        update_bytes w = start_update(1, rows[i].flags);
        append_hex(&w, rows[i].bytes);
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_FOREIGN_MOTION), i < 6);
        rig_check_same(&o.ship, &before);
    }
}

TEST(a_client_keeps_its_own_sliders_whatever_the_host_says)
{
    static const struct {
        uint8_t     flags;
        const char *bytes;
    } rows[] = { { SB_STATE_POWER, "02 FF" }, { SB_STATE_SUBSYS, "02 FF 21 7D" } };
    for (unsigned i = 0; i < 2; i++) {
        observer o;
        observer_open(&o, 1, SB_RECEIVE_OWN);
        o.ship.power_wanted[2] = 0.5f;
        update_bytes w = start_update(1, rows[i].flags);
        append_hex(&w, rows[i].bytes);
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        check_near(o.ship.power_wanted[2], 0.5f, 0);
    }
}

TEST(coordinates_and_times_that_are_absurd_are_dropped)
{
    static const float absurd[] = { INFINITY, -INFINITY, NAN, 1.1e7f, -1.1e7f };
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        observer     o = other_client(1);
        update_bytes w = start_update(1, SB_STATE_POS);
        append_position(&w, 1, absurd[i], 2);
        check_refused(&o, &w, SB_BAD_VALUE);
        w = start_update(absurd[i], SB_STATE_SPEED);
        append_hex(&w, "1B 47");
        check_refused(&o, &w, SB_BAD_VALUE);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED) + COUNTED(o, SB_RECEIVED_ABSURD_TIME), 2);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_ABSURD_TIME), isfinite(absurd[i]) ? 1 : 0);
    }
}

/* One update with such a time would otherwise make all later ones old, or restart the clock. */
TEST(an_absurd_time_makes_no_later_update_old)
{
    observer o = host_receiver(1);
    CHECK_EQ(hear_full_update(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full_update(&o, 1e38f, 4, 5, 6), SB_BAD_VALUE);
    CHECK_EQ(hear_full_update(&o, -1e38f, 4, 5, 6), SB_BAD_VALUE);
    CHECK_EQ(hear_full_update(&o, 50.1f, 7, 8, 9), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_ABSURD_TIME), 2);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_CLOCK_RESTARTED), 0);
    CHECK_EQ(hear_full_update(&o, 1e7f, 7, 8, 9), SB_OK); /* the largest accepted time */
}

TEST(an_update_older_than_the_last_one_is_dropped)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 50, 1, 2, 3), SB_OK);
    update_bytes w = start_update(49.9f, SB_STATE_POS | SB_STATE_SUBSYS);
    append_position(&w, 7, 7, 7);
    append_hex(&w, "00 00");
    check_refused(&o, &w, SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 1);
}

TEST(an_update_of_the_same_time_is_accepted)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full_update(&o, 50, 4, 5, 6), SB_OK);
    check_near(o.ship.motion.position.x, 4, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 0);
}

TEST(a_clock_that_jumps_back_by_more_than_5_seconds_was_restarted)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full_update(&o, 45, 4, 5, 6),
             SB_NOT_ALLOWED); /* 5 s back is old, not a restart */
    CHECK_EQ(hear_full_update(&o, 44.9f, 7, 8, 9), SB_OK);
    check_near(o.ship.motion.position.x, 7, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_CLOCK_RESTARTED), 1);
    CHECK_EQ(hear_full_update(&o, 45, 1, 1, 1), SB_OK); /* later than the restart */
}

/* The last update was forged, or the clock fell a little: nothing newer follows. */
TEST(after_a_second_without_a_newer_update_an_older_one_counts)
{
    observer o = host_receiver(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full_update(&o, 54.9f, 1, 2, 3), SB_OK);
    for (unsigned i = 0; i < 9; i++) {
        o.now += SB_SECOND / 10;
        CHECK_EQ(hear_full_update(&o, 50.1f + 0.1f * (float)i, 4, 5, 6), SB_NOT_ALLOWED);
    }
    o.now += SB_SECOND / 10;
    CHECK_EQ(hear_full_update(&o, 51.0f, 7, 8, 9), SB_OK);
    check_near(o.ship.motion.position.x, 7, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_CLOCK_RESTARTED), 1);
    CHECK_EQ(hear_full_update(&o, 50.9f, 4, 5, 6), SB_NOT_ALLOWED);
}

TEST(a_time_a_second_ahead_of_the_expected_one_is_refused)
{
    observer o = host_receiver(1);
    o.receiver.expected_time = 50;
    CHECK_EQ(hear_full_update(&o, 51.01f, 1, 2, 3), SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_AHEAD), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_APPLIED) + COUNTED(o, SB_RECEIVED_OLD), 0);
    CHECK_EQ(hear_full_update(&o, 51.0f, 4, 5, 6), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_AHEAD), 1);
}

/* However often: the owner's own updates are a little behind the clock or before it. */
TEST(times_ahead_do_not_hide_the_updates_of_the_owner)
{
    observer o = host_receiver(1);
    for (int i = 0; i < 100; i++) {
        float now = o.receiver.expected_time = 50.0f + 0.1f * (float)i;
        CHECK_EQ(hear_full_update(&o, now + (i % 2 ? 0.09f : 0.9f), 1, 2, 3), SB_OK);
        CHECK_EQ(hear_full_update(&o, now - 0.03f, 4, 5, 6), SB_OK);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD) + COUNTED(o, SB_RECEIVED_CLOCK_RESTARTED), 0);
    CHECK_EQ(hear_full_update(&o, o.receiver.expected_time - 0.1f, 7, 8, 9), SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 1); /* the network has reordered it */
}

TEST(of_a_time_ahead_only_a_tenth_of_a_second_counts)
{
    observer o = host_receiver(1);
    o.receiver.expected_time = 50;
    CHECK_EQ(hear_full_update(&o, 50.9f, 1, 2, 3), SB_OK);
    check_near(o.receiver.last_time, 50.1f, 1e-4f);
    CHECK_EQ(hear_full_update(&o, 49.94f, 4, 5, 6), SB_NOT_ALLOWED);
    CHECK_EQ(hear_full_update(&o, 49.96f, 7, 8, 9), SB_OK); /* the owner's next one */
    check_near(o.ship.motion.position.x, 7, 0);
    update_bytes w = start_update(50.99f, SB_STATE_POWER);
    append_hex(&w, "02 33");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    o.receiver.expected_time = 50.2f;
    w = start_update(50.2f, SB_STATE_POWER);
    append_hex(&w, "02 66");
    CHECK_EQ(hear_update(&o, &w), SB_OK); /* a setting is not held back either */
    check_near(o.ship.power_wanted[2], 0.5f, 1e-3f);
}

TEST(a_time_that_turns_out_as_forged_makes_nothing_old)
{
    observer o = host_receiver(1);
    CHECK_EQ(hear_full_update(&o, 53, 1, 2, 3), SB_OK); /* the clock is not known yet */
    CHECK_EQ(hear_full_update(&o, 50, 4, 5, 6), SB_NOT_ALLOWED);
    o.receiver.expected_time = 50.1f;
    CHECK_EQ(hear_full_update(&o, 50.1f, 7, 8, 9), SB_OK);
    check_near(o.ship.motion.position.x, 7, 0);
}

/* A time of the future counts as forged if it exceeds the expected time by more than twice what is
 * believed. */
TEST(a_time_two_tenths_of_a_second_ahead_is_not_forged)
{
    static const struct {
        float     last, time;
        sb_result result;
    } rows[] = { { 50.15f, 50.05f, SB_NOT_ALLOWED },
                 { 50 + 0.2f, 50.05f, SB_NOT_ALLOWED },
                 { 50.25f, 50.05f, SB_OK } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        observer o = host_receiver(1);
        CHECK_EQ(hear_full_update(&o, rows[i].last, 1, 2, 3), SB_OK); /* the clock is not known */
        o.receiver.expected_time = 50;
        CHECK_EQ(hear_full_update(&o, rows[i].time, 4, 5, 6), rows[i].result);
    }
}

/* The base has a time of the old clock; by the new one it is as old as the restart. */
TEST(after_a_clock_restart_the_base_has_the_new_time)
{
    observer o = other_client(1);
    CHECK_EQ(hear_full_update(&o, 100, 1, 2, 3), SB_OK);
    update_bytes w = start_update(3, SB_STATE_SPEED);
    append_hex(&w, "00 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.receiver.base_time, 3, 0);
    check_near(o.receiver.base_latest, 3, 0);
    w = start_update(4, SB_STATE_DELTA);
    append_hex(&w, "7F 00 00 00 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 0);
    w = start_update(4.1f, SB_STATE_DELTA);
    append_hex(&w, "7F 00 00 00 00");
    CHECK_EQ(hear_update(&o, &w), SB_OK); /* more than a second after the restart: a POS is lost */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 1);
}

/* The first and the last entry that a list can have. */
TEST(after_a_clock_restart_every_setting_is_accepted)
{
    rig_mod  mod;
    observer o = host_receiver(0);
    rig_mod_init(&mod, SB_SUBSYSTEMS_MAX);
    sb_ship_init(&o.ship, &mod.model, 200, RIG_SHIP);
    update_bytes w = start_update(100, SB_STATE_POWER);
    append_hex(&w, "00 66 1F 66");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(3, SB_STATE_POWER);
    append_hex(&w, "00 33 1F 33");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[0], 0.25f, 0);
    check_near(o.ship.power_wanted[31], 0.25f, 0);
}

TEST(after_a_clock_restart_settings_use_the_new_time)
{
    observer     o = other_client(1);
    update_bytes w = start_update(100, SB_STATE_SUBSYS);
    append_hex(&w, "02 FF 21 32");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(3, SB_STATE_SUBSYS);
    append_hex(&w, "02 FF 21 19");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[2], 0.25f, 0);
}

TEST(a_truncated_fixed_field_drops_the_whole_message)
{
    observer     o = other_client(6);
    update_bytes w = start_update(1, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED);
    append_position(&w, 1, 2, 3);
    append_hex(&w, "7F 00 00  00 00 7F  1B 47");
    for (size_t whole = w.size; w.size > 10;) {
        w.size--;
        check_refused(&o, &w, SB_TRUNCATED);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED), whole - w.size);
    }
}

TEST(with_position_and_delta_both_the_delta_is_read_and_ignored)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_POS | SB_STATE_DELTA | SB_STATE_SPEED);
    append_position(&w, 10, 20, 30);
    append_hex(&w, "7F 00 00 1B 47  C6 41");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.motion.position.x, 10, 0);
    CHECK_EQ(o.ship.motion.speed_code, 0x41C6);
}

TEST(with_both_blocks_the_rest_is_read_as_subsystems)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SUBSYS | SB_STATE_POWER);
    append_hex(&w, "02 80 21 32");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 2), 128 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
}

TEST(an_empty_power_block_changes_no_setting)
{
    observer o = host_receiver(1);
    for (unsigned i = 0; i < 11; i++) o.ship.power_wanted[i] = 0.25f;
    sb_ship      before = o.ship;
    update_bytes w = start_update(1, SB_STATE_POWER);
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    rig_check_same(&o.ship, &before);
}

TEST(every_cloak_bit_is_obeyed_and_a_repetition_changes_nothing)
{
    static const char *const bits[] = { "21", "21", "20", "20", "21" };
    observer                 o = host_receiver(6);
    for (unsigned i = 0; i < 5; i++) {
        update_bytes w = start_update((float)i, SB_STATE_CLOAK | SB_STATE_POWER);
        append_hex(&w, bits[i]);
        sb_ship before = o.ship;
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        CHECK_EQ(o.ship.cloaked, bits[i][1] == '1');
        before.cloaked = o.ship.cloaked;
        rig_check_same(&o.ship, &before);
    }
}

TEST(a_start_beyond_the_list_is_ignored_and_the_motion_applied)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SPEED | SB_STATE_SUBSYS);
    append_hex(&w, "1B 47  0B 00 00 00");
    sb_ship before = o.ship;
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    sb_motion_read_speed(&before.motion, 0x471B);
    rig_check_same(&o.ship, &before);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_UNREAD_BLOCK), 1);
}

TEST(a_truncated_entry_is_discarded_and_those_before_it_are_kept)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SUBSYS);
    append_hex(&w, "00 80  40 21 32 FF FF FF FF FF"); /* hull; generator with five of six facings */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 0), 128 / 255.0f, 1e-6f);
    check_near(sb_ship_ratio(&o.ship, 1), 1, 0);
    check_near(o.ship.power_wanted[1], 1, 0);
    check_near(o.ship.facing[0], o.ship.model->shield_max[0], 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 1);
}

TEST(only_entries_that_are_cut_short_count_as_truncated)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SUBSYS);
    append_hex(&w, "00 80  40 21 32 FF FF FF FF FF FF"); /* hull and the whole generator */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(2, SB_STATE_SUBSYS);
    append_hex(&w, "0B 00 00 00"); /* beyond the list: unread, not truncated */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(3, SB_STATE_SPEED);
    append_hex(&w, "1B 47  00 00"); /* bytes left over */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 0);
    w = start_update(3, SB_STATE_POS);
    append_position(&w, 1, 2, 3);
    append_hex(&w, "00 00"); /* the same after a position */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 0);
    w = start_update(4, SB_STATE_SUBSYS);
    append_hex(&w, "04 FF FF"); /* an impulse system with one of two engines */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 1);
    w.size--; /* one byte is enough to be an entry cut short */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 2);
}

TEST(reading_stops_after_one_cycle)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SUBSYS);
    append_hex(&w, "00 80");                                 /* hull at 128 */
    append_hex(&w, "FF A0 FF FF FF FF FF FF  FF  FF FF FF"); /* generator, sensors, core */
    append_hex(&w, "FF FF FF  FF FF FF FF FF FF FF FF FF");  /* impulse, phasers */
    append_hex(&w,
               "FF FF FF  FF FF FF FF FF FF FF 60  FF"); /* warp, torpedoes (sixth bit), repair */
    append_hex(&w, "FF FF FF  FF");                      /* tractors, bridge */
    append_hex(&w, "40 40 40");                          /* a second hull would be at 64 */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 0), 128 / 255.0f, 1e-6f);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 0); /* the block has every entry of the list */
}

TEST(the_cloak_bit_of_a_ship_without_a_cloak_is_read_and_ignored)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_CLOAK | SB_STATE_SUBSYS);
    append_hex(&w, "43  02 80 32"); /* two bits: cloak, has_power of the sensors */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK(!o.ship.cloaked);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_BAD_CLOAK), 1);
    w = start_update(2, SB_STATE_CLOAK);
    append_hex(&w, "21");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK(!o.ship.cloaked);
    w = start_update(3, SB_STATE_CLOAK);
    append_hex(&w, "20"); /* "not cloaked" is true */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    for (unsigned i = 0; i < SB_RECEIVER_COUNTER_COUNT; i++)
        CHECK_EQ(COUNTED(o, i), i == SB_RECEIVED_APPLIED ? 3 : i == SB_RECEIVED_BAD_CLOAK ? 2 : 0);
}

TEST(power_above_125_percent_is_clamped)
{
    update_bytes w;
    for (unsigned code = 126; code < 256; code++) {
        observer o = other_client(1);
        w = start_update(1, SB_STATE_SUBSYS);
        append_hex(&w, "02 FF 21");
        w.bytes[w.size++] = (uint8_t)code;
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        check_near(o.ship.power_wanted[2], 1.25f, 0);
    }
    observer h = host_receiver(1);
    w = start_update(1, SB_STATE_POWER);
    append_hex(&w, "02 FF");
    CHECK_EQ(hear_update(&h, &w), SB_OK);
    check_near(h.ship.power_wanted[2], 1.25f, 0);
}

TEST(axes_without_direction_keep_the_orientation)
{
    static const char *const axes[] = { "00 00 00  00 00 7F", "7F 00 00  00 00 00",
                                        "7F 00 00  7F 00 00", "7F 00 00  81 00 00" };
    for (unsigned i = 0; i < 4; i++) {
        observer     o = other_client(1);
        sb_ship      before = o.ship;
        update_bytes w = start_update(1, SB_STATE_FWD | SB_STATE_UP);
        append_hex(&w, axes[i]);
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        rig_check_same(&o.ship, &before);
        CHECK_EQ(o.ship.motion.forward_code.y, 127); /* the bad code is not stored */
        CHECK_EQ(COUNTED(o, SB_RECEIVED_BAD_AXES), 1);
    }
}

TEST(a_hash_is_read_and_its_changes_are_counted)
{
    static const char *const hashes[] = { "21 37 FB", "21 37 FB", "21 38 FB", "20" };
    observer                 o = host_receiver(1);
    for (unsigned i = 0; i < 4; i++) {
        update_bytes w = start_update((float)i, SB_STATE_POS | SB_STATE_SPEED | SB_STATE_POWER);
        append_position(&w, 1, 2, 3);
        w.size--; /* drop append_position's group byte: the rows bring their own */
        append_hex(&w, hashes[i]);
        append_hex(&w, "1B 47");
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        CHECK_EQ(o.ship.motion.speed_code, 0x471B);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_HASH_SEEN), 3);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_HASH_CHANGED), 1);
    CHECK_EQ(o.receiver.hash, 0xFB38);
}

/* A StateUpdate of the host_receiver's ship with a position and these hash bytes. */
static sb_result hear_hash(observer *o, sb_time now, float game_time, const char *hash)
{
    update_bytes w = start_update(game_time, SB_STATE_POS);
    append_position(&w, 1, 2, 3);
    w.size--; /* drop append_position's group byte */
    append_hex(&w, hash);
    o->now = now;
    return hear_update(o, &w);
}

TEST(a_run_of_equal_hashes_is_counted_from_its_first_update)
{
    observer o = host_receiver(1);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(hear_hash(&o, (sb_time)(i + 1) * SB_SECOND, (float)i, "21 37 FB"), SB_OK);
    CHECK_EQ(o.receiver.hash_run, 3);
    CHECK_EQ(o.receiver.hash_since, SB_SECOND);
    CHECK_EQ(hear_hash(&o, 4 * SB_SECOND, 2, "21 37 FB"), SB_OK); /* a copy of the last one */
    CHECK_EQ(o.receiver.hash_run, 3);
    update_bytes w = start_update(3, SB_STATE_SPEED);
    append_hex(&w, "1B 47");
    CHECK_EQ(hear_update(&o, &w), SB_OK); /* says nothing about the hash */
    CHECK_EQ(o.receiver.hash_run, 3);
    CHECK_EQ(hear_hash(&o, 6 * SB_SECOND, 4, "21 38 FB"), SB_OK);
    CHECK_EQ(o.receiver.hash_run, 1);
    CHECK_EQ(o.receiver.hash_since, 6 * SB_SECOND);
}

TEST(a_copy_neither_lengthens_a_run_of_hashes_nor_prevents_one)
{
    observer o = host_receiver(1);
    CHECK_EQ(hear_hash(&o, SB_SECOND, 1, "21 37 FB"), SB_OK);
    CHECK_EQ(hear_hash(&o, 2 * SB_SECOND, 1, "21 37 FB"), SB_OK);
    CHECK_EQ(o.receiver.hash_run, 1);
    CHECK_EQ(hear_hash(&o, 3 * SB_SECOND, 2, "20"), SB_OK);
    CHECK_EQ(o.receiver.hash_run, 0);
    CHECK_EQ(hear_hash(&o, 4 * SB_SECOND, 2, "21 37 FB"), SB_OK); /* the first with a hash */
    CHECK_EQ(o.receiver.hash_run, 1);
}

TEST(a_run_of_hashes_is_counted_up_to_65535)
{
    observer o = host_receiver(1);
    CHECK_EQ(hear_hash(&o, SB_SECOND, 1, "21 37 FB"), SB_OK);
    o.receiver.hash_run = UINT16_MAX - 1;
    for (unsigned i = 2; i < 4; i++) {
        CHECK_EQ(hear_hash(&o, i * SB_SECOND, (float)i, "21 37 FB"), SB_OK);
        CHECK_EQ(o.receiver.hash_run, UINT16_MAX);
        CHECK_EQ(o.receiver.hash_since, SB_SECOND);
    }
}

TEST(a_position_without_a_hash_ends_the_run)
{
    observer o = host_receiver(1);
    CHECK_EQ(hear_hash(&o, SB_SECOND, 1, "21 37 FB"), SB_OK);
    CHECK_EQ(hear_hash(&o, 2 * SB_SECOND, 2, "20"), SB_OK);
    CHECK_EQ(o.receiver.hash_run, 0);
    CHECK_EQ(hear_hash(&o, 3 * SB_SECOND, 3, "21 37 FB"), SB_OK);
    CHECK_EQ(o.receiver.hash_run, 1);
    CHECK_EQ(o.receiver.hash_since, 3 * SB_SECOND);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_HASH_CHANGED), 0);
}

/* Forged updates with a game time of the near future make the owner's updates old. */
TEST(an_old_update_with_another_hash_ends_the_run)
{
    static const char *const owner[] = { "21 38 FB", "20" };
    for (unsigned i = 0; i < 2; i++) {
        observer o = host_receiver(1);
        CHECK_EQ(hear_hash(&o, SB_SECOND, 4, "21 37 FB"), SB_OK);
        CHECK_EQ(hear_hash(&o, SB_SECOND, 1, "21 37 FB"), SB_NOT_ALLOWED);
        CHECK_EQ(o.receiver.hash_run, 1);
        CHECK_EQ(hear_hash(&o, SB_SECOND, 1, owner[i]), SB_NOT_ALLOWED);
        CHECK_EQ(o.receiver.hash_run, 0);
        CHECK_EQ(o.receiver.hash, 0xFB37);
    }
}

TEST(bytes_behind_the_last_fixed_field_are_ignored)
{
    observer     o = other_client(1);
    update_bytes w = start_update(1, SB_STATE_SPEED);
    append_hex(&w, "1B 47  DE AD BE EF");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    CHECK_EQ(o.ship.motion.speed_code, 0x471B);
}

/* ---- settings (spec 03 §4.5, §5) ---- */

TEST(a_setting_needs_a_newer_time_than_the_last_one_of_its_entry)
{
    observer     o = other_client(1);
    update_bytes w = start_update(10, SB_STATE_SUBSYS);
    append_hex(&w, "02 80 21 32");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(10,
                     SB_STATE_SUBSYS); /* the same time: conditions are applied, settings are not */
    append_hex(&w, "02 40 21 19");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 2), 64 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
    w = start_update(10.1f, SB_STATE_SUBSYS);
    append_hex(&w, "02 40 21 19");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[2], 0.25f, 0);
}

TEST(the_time_of_one_setting_does_not_hold_back_another)
{
    observer     o = host_receiver(1);
    update_bytes w = start_update(10, SB_STATE_POWER);
    append_hex(&w, "02 66");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(10, SB_STATE_POWER);
    append_hex(&w, "04 66 02 33");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[4], 0.5f, 0);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
}

TEST(pairs_for_unpowered_entries_are_skipped)
{
    observer o = host_receiver(1);
    for (unsigned i = 0; i < 11; i++) o.ship.power_wanted[i] = 0.75f;
    update_bytes w = start_update(1, SB_STATE_POWER);
    append_hex(
        &w,
        "00 33  03 33  0A 33  0B 33  FF 33  09 66  01"); /* five pairs for unpowered or unknown
                                                            entries, one good pair, an odd byte */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    for (unsigned i = 0; i < 11; i++) check_near(o.ship.power_wanted[i], i == 9 ? 0.5f : 0.75f, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_BAD_POWER), 5);
}

TEST(slider_steps_reach_others_as_percentages)
{
    for (unsigned level = 0; level < 256; level++) {
        observer      o = host_receiver(1);
        sb_ship_frame frame;
        update_bytes  w = start_update(1, SB_STATE_POWER);
        w.bytes[w.size++] = 2;
        w.bytes[w.size++] = (uint8_t)level;
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        sb_frame_init(&frame, &o.ship);
        CHECK_EQ(frame.entries[2].power_pct_code, level * 100 / 204); /* spec 03 §5 */
    }
}

/* The decoder's memory may still hold entries of an earlier message. */
TEST(hull_and_reactor_have_no_settings_whatever_was_read_before)
{
    observer     o = other_client(6);
    update_bytes w = start_update(1, SB_STATE_SUBSYS);
    append_hex(&w, "07 FF 67 19  FF 19  FF 19"); /* cloak, sensors, repair at 25 % */
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(hear_update(&o, &w), SB_OK);
        w = start_update(2, SB_STATE_SUBSYS);
        append_hex(&w, "00 FF"); /* the hull */
    }
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(3, SB_STATE_SUBSYS);
    append_hex(&w, "02 FF FF FF"); /* the reactor */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[7], 0.25f, 0);
    check_near(o.ship.power_wanted[0], 1, 0);
    check_near(o.ship.power_wanted[2], 1, 0);
}

TEST(a_documented_generator_has_no_setting_and_no_facings)
{
    observer o = other_client(1);
    o.layout = SB_SHIELD_DOCUMENTED;
    update_bytes w = start_update(1, SB_STATE_SUBSYS);
    append_hex(&w, "02 FF 21 19"); /* sensors at 25 % */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    w = start_update(2, SB_STATE_SUBSYS);
    append_hex(&w, "01 80");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 1), 128 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[1], 1, 0);
    check_near(o.ship.facing[0], o.ship.model->shield_max[0], 0);
}

/* While the layout is unknown, only values that both layouts agree on apply (starbase/layout.h). */
TEST(with_an_unknown_layout_entries_after_the_generator_stay)
{
    observer o = other_client(1);
    o.layout = SB_LAYOUT_EITHER;
    sb_ship      before = o.ship;
    update_bytes w = start_update(1, SB_STATE_SUBSYS);
    append_hex(&w,
               "00 80  40 21 32 01 02 03 04 05 06  33 19"); /* hull, generator, sensors at 25 % */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    before.condition[0] = o.ship.condition[0];
    before.condition[1] = o.ship.condition[1];
    rig_check_same(&o.ship, &before);
    check_near(sb_ship_ratio(&o.ship, 0), 128 / 255.0f, 1e-6f);
    check_near(sb_ship_ratio(&o.ship, 1), 64 / 255.0f, 1e-6f);
    w = start_update(2, SB_STATE_SUBSYS);
    append_hex(&w, "02 33 21 19"); /* without the generator the layouts agree */
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 2), 51 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.25f, 0);
}

/* ---- unknown species ---- */

TEST(of_an_unknown_species_only_motion_is_applied)
{
    observer     o = other_client(0);
    update_bytes w = start_update(1, SB_STATE_POS | SB_STATE_SPEED | SB_STATE_SUBSYS);
    append_position(&w, 1, 2, 3);
    append_hex(&w, "1B 47  00 11 22 33 44");
    CHECK_EQ(hear_update(&o, &w), SB_OK);
    check_near(o.ship.motion.position.z, 3, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_UNREAD_BLOCK), 1);
    observer h = host_receiver(0);
    w = start_update(1, SB_STATE_SPEED | SB_STATE_POWER);
    append_hex(&w, "1B 47  01 CC");
    CHECK_EQ(hear_update(&h, &w), SB_OK);
    CHECK_EQ(h.ship.motion.speed_code, 0x471B);
    CHECK_EQ(COUNTED(h, SB_RECEIVED_BAD_POWER), 1);
}

/* ---- counters ---- */

TEST(every_counter_has_a_name_and_a_text)
{
    for (int i = 0; i < SB_RECEIVER_COUNTER_COUNT; i++) {
        CHECK(strlen(sb_receiver_counter_name((sb_receiver_counter)i)) > 2);
        CHECK(strlen(sb_receiver_counter_text((sb_receiver_counter)i)) > 8);
    }
    CHECK_TEXT(sb_receiver_counter_name(SB_RECEIVED_OLD), "old");
    CHECK_TEXT(sb_receiver_counter_name(SB_RECEIVER_COUNTER_COUNT - 1), "late_base");
    CHECK_TEXT(sb_receiver_counter_text(SB_RECEIVER_COUNTER_COUNT - 1),
               "late absolute positions used as the base of later deltas");
    for (unsigned i = 0; i < 2; i++) { /* no counter */
        sb_receiver_counter beyond = (sb_receiver_counter)(SB_RECEIVER_COUNTER_COUNT + i);
        CHECK_TEXT(sb_receiver_counter_name(beyond), "unknown");
        CHECK_TEXT(sb_receiver_counter_text(beyond), "unknown counter");
    }
}

TEST(the_caller_gets_the_decoded_update)
{
    observer        o = other_client(1);
    sb_state_update update;
    update_bytes    w = start_update(7, SB_STATE_SPEED);
    append_hex(&w, "1B 47");
    CHECK_EQ(sb_receiver_apply(&o.receiver, &o.ship, 0, 0, (sb_span){ w.bytes, w.size }, &update),
             SB_OK);
    CHECK_EQ(update.speed_code, 0x471B);
    CHECK_EQ(update.flags, SB_STATE_SPEED);
}
