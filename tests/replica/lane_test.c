/* tests/replica/lane_test.c -- the updates of a lane: the worked examples of spec 03 §13, motion,
 * cloak, roles and full updates (§3, §6 to §8, §17). lane_blocks_test.c has SUBSYS and POWER.
 */
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOTION = SB_STATE_DELTA | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED };

static void check_hex(const lane_rig *r, const char *hex)
{
    uint8_t expected[RIG_BYTES];
    size_t  size = test_hex(hex, expected, sizeof expected);
    CHECK_BYTES(r->bytes, r->size, expected, size);
}

static void move(lane_rig *r, float x, float y, float z)
{
    sb_vec3 *p = &r->ship.motion.position;
    *p = (sb_vec3){ p->x + x, p->y + y, p->z + z };
}

/* Turns the ship about its `up` axis. */
static void yaw(lane_rig *r, float angle)
{
    sb_motion *m = &r->ship.motion;
    sb_vec3    f = m->forward, u = m->up;
    sb_vec3    right = { f.y * u.z - f.z * u.y, f.z * u.x - f.x * u.z, f.x * u.y - f.y * u.x };
    float      c = cosf(angle), s = sinf(angle);
    sb_vec3    turned = { f.x * c + right.x * s, f.y * c + right.y * s, f.z * c + right.z * s };
    sb_motion_set_axes(m, turned, u);
}

/* Turns the ship about its right axis. */
static void pitch(lane_rig *r, float angle)
{
    sb_motion *m = &r->ship.motion;
    sb_vec3    f = m->forward, u = m->up;
    float      c = cosf(angle), s = sinf(angle);
    sb_motion_set_axes(m, (sb_vec3){ f.x * c + u.x * s, f.y * c + u.y * s, f.z * c + u.z * s },
                       (sb_vec3){ u.x * c - f.x * s, u.y * c - f.y * s, u.z * c - f.z * s });
}

/* ---- worked examples (spec 03 §13) ---- */

TEST(example_a_is_the_first_update_of_an_akira_to_the_host)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    r.ship.motion.position = (sb_vec3){ 88, -66, -73 };
    /* The quaternion of its creation: spec 02 §6. */
    sb_motion_set_quaternion(&r.ship.motion,
                             (sb_quat){ 0.934737504f, 0.294044435f, 0.199110091f, 0.0126019046f });
    CHECK(rig_send_at(&r, 28.1875));
    /* The lane sends no hash; the client adds it (spec 04). */
    CHECK(!r.update.has_hash);
    r.update.has_hash = true;
    r.update.hash = 0xFB37;
    rig_encode(&r);
    check_hex(&r, "1C FF FF FF 3F 00 80 E1 41 9D 00 00 B0 42 00 00 84 C2 00 00 92 C2 21 37 FB"
                  "0B 68 46 30 BB 5E 00 00 01 CC 02 CC 04 CC");
}

TEST(example_b_is_the_fourth_update_of_an_akira_to_its_owner)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 3);
    CHECK(rig_send_at(&r, 38.90625));
    check_hex(&r, "1C FF FF FF 3F 00 A0 1B 42 20 08 FF 60 FF FF FF FF FF FF FF FF FF FF FF FF");
}

/* Sensors at 204/255 and 75 %, main battery at 240/255, an impulse engine at 128/255, 125 %. */
static void damage_as_in_example_c(sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    unsigned             impulse = rig_entry(ship, SB_SUBSYSTEM_IMPULSE);
    unsigned             sensors = rig_entry(ship, SB_SUBSYSTEM_SENSOR);
    ship->condition[sensors] = m->subsystems[sensors].max_condition * 204.5f / 255;
    ship->power_wanted[sensors] = 0.75f;
    ship->main_battery = m->main_battery * 240.5f / 255;
    unsigned second = m->subsystems[impulse].first_child + 1u;
    ship->child_condition[second] = m->children[second].max_condition * 128.5f / 255;
    ship->power_wanted[impulse] = 1.25f;
}

TEST(example_c_is_a_full_update_to_others_with_one_group_byte)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    CHECK(rig_send_at(&r, 58.9));
    damage_as_in_example_c(&r.ship);
    r.ship.motion.position = (sb_vec3){ 100.5f, -20.25f, 3 };
    sb_motion_set_speed(&r.ship.motion, 6.6f);
    CHECK(rig_send_at(&r, 60.0));
    check_hex(&r, "1C FF FF FF 3F 00 00 70 42 3D 00 00 C9 42 00 00 A2 C1 00 00 40 40 66 00 7F 00"
                  "00 00 7F F3 49 02 CC 4B FF F0 FF FF FF 80 7D");
    CHECK_EQ(r.lane.subsys_cursor, 5);
}

TEST(example_d_is_a_delta_from_the_last_absolute_position)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    r.ship.motion.position = (sb_vec3){ 100.5f, -20.25f, 3 };
    sb_motion_set_axes(&r.ship.motion, (sb_vec3){ 1, 0, 0 }, (sb_vec3){ 0, 1, 0 });
    CHECK(rig_send_at(&r, 59.9));
    move(&r, 1, 2, 0); /* a delta in between does not move the base */
    CHECK(rig_send_at(&r, 60.0));
    move(&r, 2, 2, 0);
    sb_motion_set_axes(&r.ship.motion, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 });
    sb_motion_set_speed(&r.ship.motion, 6.6f);
    CHECK(rig_send_at(&r, 60.1));
    check_hex(&r, "1C FF FF FF 3F 66 66 70 42 3E 4C 65 00 1B 47 00 7F 00 00 00 7F F3 49 05 FF FF"
                  "FF FF FF FF FF FF FF 21 64");
    CHECK_EQ(r.lane.subsys_cursor, 6);
}

/* A Bird of Prey of slot 1, cloaked, its torpedoes at 50 %. */
static void open_example_e(lane_rig *r)
{
    rig_open(r, 6, SB_LANE_TO_HOST);
    r->ship.object_id = sb_slot_first_id(1);
    r->ship.motion.position = (sb_vec3){ 1, 2, 3 };
    r->ship.power_wanted[4] = 0.5f;
    r->ship.cloaked = true;
    sb_frame_init(&r->frame, &r->ship);
    sb_lane_init(&r->lane, SB_LANE_TO_HOST, &r->frame, &r->options);
}

TEST(example_e_has_the_cloak_bit_in_the_group_byte_of_pos)
{
    lane_rig r;
    open_example_e(&r);
    CHECK(rig_send_at(&r, 12.5));
    check_hex(&r, "1C FF FF 03 40 00 00 48 41 DD 00 00 80 3F 00 00 00 40 00 00 40 40 42 00 7F 00"
                  "00 00 7F 00 00 01 CC 03 CC 04 66");
}

TEST(example_f_tells_of_the_cloak_alone_between_full_updates)
{
    lane_rig r;
    open_example_e(&r);
    CHECK(rig_send_at(&r, 12.5));
    r.ship.cloaked = false;
    CHECK(rig_send_at(&r, 12.6));
    check_hex(&r, "1C FF FF 03 40 9A 99 49 41 C0 20 05 CC 06 CC 07 CC");
    rig_send_many(&r, 2); /* the last two new settings */
    r.ship.cloaked = true;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0xC0);
    CHECK_EQ(r.size, 11); /* the size of a stock client's: spec 03 §5 */
}

/* ---- motion (spec 03 §3, §8) ---- */

TEST(a_delta_is_measured_from_the_last_position_of_the_lane)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    CHECK(rig_send(&r));
    for (unsigned i = 1; i <= 5; i++) {
        move(&r, 1.5f, 0, 0);
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, SB_STATE_DELTA | SB_STATE_POWER);
        CHECK_EQ(r.update.delta.magnitude_code, sb_encode_cf16(1.5f * (float)i));
    }
}

TEST(the_first_update_is_full_then_one_after_each_second)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    for (unsigned i = 0; i < 34; i++) {
        CHECK(rig_send(&r));
        /* 1.0 s is not more than 1.0 s, so every eleventh message at 10 Hz is full (spec 03 §8). */
        CHECK_EQ(r.update.flags, i % 11 == 0 ? 0x9D : 0x80);
    }
}

TEST(one_microsecond_decides_over_a_full_update)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    CHECK(rig_send_at(&r, 5.0));
    CHECK(rig_send_at(&r, 6.0));
    CHECK_EQ(r.update.flags, 0x80);
    CHECK(rig_send_at(&r, 6.000001));
    CHECK_EQ(r.update.flags, 0x9D);
}

TEST(ten_thousand_units_from_the_base_a_position_is_sent)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    CHECK(rig_send(&r));
    move(&r, 9999.99f, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_DELTA | SB_STATE_POWER);
    r.ship.motion.position.x = 10000;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_POS | SB_STATE_POWER); /* POS alone is not a full update */
    move(&r, 1, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.delta.magnitude_code, sb_encode_cf16(1)); /* from the new base */
}

TEST(a_position_alone_does_not_delay_the_next_full_update)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 9);
    move(&r, 0, 20000, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_POS | SB_STATE_POWER);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x80);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x9D);
}

TEST(after_an_absolute_position_a_ship_at_rest_sends_no_delta)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    r.ship.motion.position = (sb_vec3){ 5, 6, 7 };
    rig_send_many(&r, 2);
    CHECK_EQ(r.update.flags, 0x80);
}

TEST(a_ship_that_stopped_repeats_no_delta)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    CHECK(rig_send(&r));
    move(&r, 3, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x82);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x80);
    move(&r, -3, 0, 0); /* back at the base: the delta changed to zero */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x82);
    CHECK_EQ(r.update.delta.magnitude_code, 0);
}

/* The same step from a new base is sent again, since POS reset the last delta. */
TEST(after_an_absolute_position_the_last_delta_is_forgotten)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 10);
    move(&r, 3, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x82);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x9D); /* the base is here now */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x80);
    move(&r, 3, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x82);
}

TEST(changes_below_a_step_of_the_code_are_not_sent)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    sb_motion_set_speed(&r.ship.motion, 5.1f);
    yaw(&r, 0.1f); /* away from the axis, where any turn would change the code 127 */
    CHECK(rig_send(&r));
    sb_motion_set_speed(&r.ship.motion, 5.1005f); /* a step is 0.0022 here (spec 02 §5) */
    yaw(&r, 0.0005f);                             /* a step is 1/127 */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x80);
    sb_motion_set_speed(&r.ship.motion, 5.11f);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x90);
}

TEST(each_motion_field_comes_by_itself_when_it_alone_changed)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    CHECK(rig_send(&r));
    yaw(&r, 0.3f);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_FWD | SB_STATE_POWER);
    CHECK_EQ(r.size, 13u + 6);
    pitch(&r, 0.3f);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_FWD | SB_STATE_UP | SB_STATE_POWER);
    sb_motion_set_axes(&r.ship.motion, r.ship.motion.forward, (sb_vec3){ 0.9f, 0.1f, 0.2f });
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_UP | SB_STATE_POWER);
    sb_motion_set_speed(&r.ship.motion, -2);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_SPEED | SB_STATE_POWER);
}

/* One step of one component is a change. */
TEST(every_component_of_an_axis_counts)
{
    for (unsigned i = 0; i < 3; i++) {
        lane_rig r;
        sb_cv3   forward = { 100, 50, 60 }, up = { -50, 100, 30 };
        int8_t *changed[2][3] = { { &forward.x, &forward.y, &forward.z }, { &up.x, &up.y, &up.z } };
        rig_open(&r, 1, SB_LANE_TO_HOST);
        CHECK(sb_motion_read_axes(&r.ship.motion, &forward, &up));
        CHECK(rig_send(&r));
        ++*changed[0][i];
        CHECK(sb_motion_read_axes(&r.ship.motion, &forward, NULL));
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, SB_STATE_FWD | SB_STATE_POWER);
        ++*changed[1][i];
        CHECK(sb_motion_read_axes(&r.ship.motion, NULL, &up));
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, SB_STATE_UP | SB_STATE_POWER);
    }
}

TEST(received_codes_are_passed_on_as_they_came)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    const sb_cv3 forward = { 11, 104, 70 }, up = { 48, -69, 94 };
    CHECK(sb_motion_read_axes(&r.ship.motion, &forward, &up));
    unsigned altered = 0;
    for (unsigned code = 0; code < 0x8000; code += 7) {
        sb_motion_read_speed(&r.ship.motion, (uint16_t)code);
        altered += sb_encode_cf16(r.ship.motion.speed) != code;
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.speed_code, code);
        CHECK_EQ(r.update.forward.x, 11);
        CHECK_EQ(r.update.up.y, -69);
    }
    CHECK(altered > 0); /* encoding the numbers again would have changed some (spec 02 §5.8) */
}

TEST(a_moving_and_turning_ship_sends_all_four_motion_fields)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&r));
    pitch(&r, 0.1f);
    move(&r, 0, 0.6f, 0);
    sb_motion_set_speed(&r.ship.motion, 6);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, MOTION | SB_STATE_SUBSYS);
}

/* ---- shapes of the three roles (spec 03 §7) ---- */

/* Everything changes in every message. */
static void stir(lane_rig *r, sb_random *random)
{
    rig_randomize(random, &r->ship);
}

TEST(the_owner_gets_subsystems_and_nothing_else)
{
    sb_random random;
    sb_random_init(&random, 1);
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++) {
        lane_rig r;
        rig_open(&r, rig_species[i], SB_LANE_TO_OWNER);
        for (unsigned n = 0; n < 30; n++) {
            stir(&r, &random);
            CHECK(rig_send(&r));
            CHECK_EQ(r.update.flags, 0x20);
            for (unsigned e = 0; e < r.update.entry_count; e++)
                CHECK(!r.update.entries[e].has_power);
        }
    }
}

TEST(others_always_get_subsystems_with_power_and_never_a_hash)
{
    sb_random random;
    sb_random_init(&random, 2);
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++) {
        lane_rig r;
        rig_open(&r, rig_species[i], SB_LANE_TO_OTHERS);
        for (unsigned n = 0; n < 30; n++) {
            stir(&r, &random);
            CHECK(rig_send(&r));
            CHECK_EQ(r.update.flags & 0xA0, 0x20);
            CHECK(!r.update.has_hash);
            CHECK((r.update.flags & 3) != 3);
            CHECK(r.size <= 50); /* the largest of a stock ship: spec 03 §2 */
            for (unsigned e = 0; e < r.update.entry_count; e++)
                CHECK(r.update.entries[e].has_power);
        }
    }
}

TEST(the_host_always_gets_power_and_never_subsystems)
{
    sb_random random;
    sb_random_init(&random, 3);
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++) {
        lane_rig r;
        rig_open(&r, rig_species[i], SB_LANE_TO_HOST);
        for (unsigned n = 0; n < 30; n++) {
            if (n % 2) stir(&r, &random);
            CHECK(rig_send(&r));
            CHECK_EQ(r.update.flags & 0xA0, 0x80);
            CHECK((r.update.flags & 3) != 3);
        }
    }
}

TEST(updates_to_the_host_are_as_long_as_a_stock_clients)
{
    static const struct {
        uint8_t flags;
        size_t  size;
    } rows[] = { { 0x80, 10 }, { 0x90, 12 }, { 0x84, 13 }, { 0x82, 15 },
                 { 0x92, 17 }, { 0x96, 20 }, { 0x9E, 23 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lane_rig r;
        rig_open(&r, 1, SB_LANE_TO_HOST);
        rig_send_many(&r, 3); /* then no setting is new (spec 03 §5) */
        if (rows[i].flags & SB_STATE_DELTA) move(&r, 0.5f, 0, 0);
        if (rows[i].flags & SB_STATE_UP) pitch(&r, 0.2f);
        else if (rows[i].flags & SB_STATE_FWD) yaw(&r, 0.2f);
        if (rows[i].flags & SB_STATE_SPEED) sb_motion_set_speed(&r.ship.motion, 5);
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, rows[i].flags);
        CHECK_EQ(r.size, rows[i].size);
    }
}

TEST(a_full_update_has_33_bytes_with_a_hash_and_31_without)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 12);
    CHECK_EQ(r.update.flags, 0x9D);
    CHECK_EQ(r.size, 31);
    r.update.has_hash = true;
    rig_encode(&r);
    CHECK_EQ(r.size, 33);
}

/* ---- unknown species (spec 07 §2.6) ---- */

TEST(of_an_unknown_species_only_motion_is_sent)
{
    lane_rig others, host, owner;
    rig_open(&others, 0, SB_LANE_TO_OTHERS);
    rig_open(&host, 0, SB_LANE_TO_HOST);
    rig_open(&owner, 0, SB_LANE_TO_OWNER);
    others.ship.cloaked = host.ship.cloaked = true;
    CHECK(rig_send(&others));
    CHECK_EQ(others.update.flags, 0x1D);
    CHECK(!rig_send(&others)); /* nothing changed, no list: nothing to send (spec 03 §8) */
    move(&others, 1, 0, 0);
    CHECK(rig_send(&others));
    CHECK_EQ(others.update.flags, 0x02);
    CHECK(rig_send(&host));
    CHECK_EQ(host.update.flags, 0x9D);
    CHECK_EQ(host.update.pair_count, 0);
    CHECK(!rig_send(&owner));
}

/* ---- CLOAK (spec 03 §6) ---- */

TEST(the_cloak_comes_with_every_full_update_and_on_change)
{
    for (sb_lane_role role = SB_LANE_TO_HOST; role <= SB_LANE_TO_OTHERS; role++) {
        lane_rig r;
        rig_open(&r, 6, role);
        for (unsigned n = 0; n < 40; n++) {
            bool change = n == 4 || n == 25; /* not full updates, which are 0, 11, 22, 33 */
            if (change) r.ship.cloaked = !r.ship.cloaked;
            CHECK(rig_send(&r));
            bool sent = role != SB_LANE_TO_OWNER && (n % 11 == 0 || change); /* spec 12 #1 */
            CHECK_EQ(r.update.flags & SB_STATE_CLOAK, sent ? SB_STATE_CLOAK : 0);
            if (sent) CHECK_EQ(r.update.cloak, n >= 4 && n < 25);
        }
    }
}

TEST(a_ship_without_a_cloaking_device_never_sends_the_bit)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    for (unsigned n = 0; n < 24; n++) {
        r.ship.cloaked = n % 3 == 0;
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags & SB_STATE_CLOAK, 0);
    }
}

/* ---- beyond stock (spec 03 §17) ---- */

TEST(a_lossy_receiver_gets_full_updates_every_quarter_second)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OTHERS);
    r.lossy = true;
    for (unsigned n = 0; n < 30; n++) {
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags & SB_STATE_POS, n % 3 == 0); /* 0.3 s is the first above 0.25 s */
    }
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    r.lossy = true; /* stock options ignore it */
    for (unsigned n = 0; n < 30; n++) {
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags & SB_STATE_POS, n % 11 == 0);
    }
}

TEST(the_shortest_time_between_full_updates_is_obeyed)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OTHERS);
    r.lossy = true;
    r.options.lossy_full_us = 1;
    for (unsigned n = 0; n < 5; n++) {
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, 0x3D);
    }
}

/* ---- the state of a lane ---- */

TEST(only_the_lane_to_the_owner_has_the_context_of_an_owner)
{
    for (sb_lane_role role = SB_LANE_TO_HOST; role <= SB_LANE_TO_OTHERS; role++) {
        lane_rig r;
        rig_open(&r, 1, role);
        sb_message_context context = sb_lane_context(&r.lane, &r.frame, &r.options);
        CHECK_EQ(context.own, role == SB_LANE_TO_OWNER);
        CHECK(context.ship == r.ship.model);
    }
}

TEST(a_new_lane_does_not_depend_on_old_memory)
{
    lane_rig r;
    sb_lane  lane;
    rig_open(&r, 6, SB_LANE_TO_HOST);
    memset(&lane, 0xA5, sizeof lane);
    sb_lane_init(&lane, SB_LANE_TO_HOST, &r.frame, &r.options);
    CHECK_BYTES(&lane, sizeof lane, &r.lane, sizeof r.lane);
}
