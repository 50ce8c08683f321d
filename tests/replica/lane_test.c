/* tests/replica/lane_test.c -- what a lane sends: the worked examples of spec 03 §13 and every rule
 * of §3 to §8 and §17 that a receiver can see.
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

/* A turn about `up` or, the other way, about `right`; big enough to change both codes. */
static void yaw(lane_rig *r, float angle)
{
    sb_motion *m = &r->ship.motion;
    sb_vec3    f = m->forward, u = m->up;
    sb_vec3    right = { f.y * u.z - f.z * u.y, f.z * u.x - f.x * u.z, f.x * u.y - f.y * u.x };
    float      c = cosf(angle), s = sinf(angle);
    sb_vec3    turned = { f.x * c + right.x * s, f.y * c + right.y * s, f.z * c + right.z * s };
    sb_motion_set_axes(m, turned, u);
}

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
    /* The hash is not a lane's business (spec 04); the client adds it. */
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

TEST(example_e_has_the_cloak_bit_in_the_group_byte_of_the_position)
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
    rig_send_many(&r, 2); /* the last two settings; then none is new */
    r.ship.cloaked = true;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0xC0);
    CHECK_EQ(r.size, 11); /* the size that stock shows: spec 03 §5 */
}

/* ---- motion (spec 03 §3, §8) ---- */

TEST(a_delta_is_measured_from_the_last_absolute_position_of_the_lane)
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

TEST(a_full_update_begins_a_lane_and_comes_again_after_more_than_a_second)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    for (unsigned i = 0; i < 34; i++) {
        CHECK(rig_send(&r));
        /* 1.0 s is not more than 1.0 s: every eleventh message at exactly 10 Hz (spec 03 §8). */
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

TEST(ten_thousand_units_from_the_base_the_position_is_absolute_again)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    CHECK(rig_send(&r));
    move(&r, 9999.99f, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_DELTA | SB_STATE_POWER);
    r.ship.motion.position.x = 10000;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, SB_STATE_POS | SB_STATE_POWER); /* POS alone: not a full update */
    move(&r, 1, 0, 0);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.delta.magnitude_code, sb_encode_cf16(1)); /* from the new base */
}

TEST(an_absolute_position_between_full_updates_does_not_delay_the_next_full_one)
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
    move(&r, -3, 0, 0); /* back to the base: the zero delta is news */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x82);
    CHECK_EQ(r.update.delta.magnitude_code, 0);
}

/* The same step once more, but from a new base: it is news, and so is standing still. */
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
    yaw(&r, 0.1f); /* straight ahead is the edge of a code: 127 is cut to 126 at once */
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

/* ---- shapes of the three roles (spec 03 §7) ---- */

/* Everything changes in every message. */
static void stir(lane_rig *r, sb_random *random)
{
    rig_randomize(random, &r->ship);
}

TEST(the_owner_is_told_subsystems_and_nothing_else)
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

TEST(others_are_always_told_subsystems_with_power_and_never_a_hash)
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

TEST(the_host_is_always_told_of_power_and_never_of_subsystems)
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

TEST(the_lengths_of_updates_to_the_host_are_those_of_a_stock_client)
{
    static const struct {
        uint8_t flags;
        size_t  size;
    } rows[] = { { 0x80, 10 }, { 0x90, 12 }, { 0x84, 13 }, { 0x82, 15 },
                 { 0x92, 17 }, { 0x96, 20 }, { 0x9E, 23 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lane_rig r;
        rig_open(&r, 1, SB_LANE_TO_HOST);
        rig_send_many(&r, 3); /* after which no setting is new (spec 03 §5) */
        if (rows[i].flags & SB_STATE_DELTA) move(&r, 0.5f, 0, 0);
        if (rows[i].flags & SB_STATE_UP) pitch(&r, 0.2f);
        else if (rows[i].flags & SB_STATE_FWD) yaw(&r, 0.2f);
        if (rows[i].flags & SB_STATE_SPEED) sb_motion_set_speed(&r.ship.motion, 5);
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, rows[i].flags);
        CHECK_EQ(r.size, rows[i].size);
    }
}

TEST(a_full_update_to_the_host_has_33_bytes_with_a_hash_and_31_without)
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

TEST(of_an_unknown_species_only_motion_is_told)
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

/* ---- SUBSYS (spec 03 §4.3, §4.4) ---- */

static void list_starts(lane_rig *r, size_t wanted, char *out, size_t capacity)
{
    *out = '\0';
    while (strlen(out) < wanted) {
        CHECK(rig_send(r));
        CHECK_EQ(r->update.flags, 0x20);
        size_t at = strlen(out);
        (void)snprintf(out + at, capacity - at, "%s%u(%u)", at ? " " : "", r->update.start_index,
                       rig_block_bytes(r));
    }
}

/* To the owner every message is a plain 0x20; to others it is one while nothing moves, but for the
 * full updates: long periods leave them out here. */
static void check_starts(uint8_t species, sb_lane_role role, const char *expected, unsigned then)
{
    lane_rig r;
    char     starts[256];
    rig_open(&r, species, role);
    r.options.full_us = 1000 * SB_SECOND;
    r.lane.started = role == SB_LANE_TO_OTHERS;
    if (r.lane.started) { /* as if a full update with what follows had been sent before */
        r.lane.forward = r.frame.forward;
        r.lane.up = r.frame.up;
        r.lane.cloak_known = r.frame.model->can_cloak;
    }
    list_starts(&r, strlen(expected), starts, sizeof starts);
    CHECK_TEXT(starts, expected);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, then);
}

TEST(start_sequences_to_the_owner_are_those_of_the_captures)
{
    check_starts(1, SB_LANE_TO_OWNER, "0(9) 2(17) 6(11) 8(14)", 2);
    check_starts(5, SB_LANE_TO_OWNER, "0(9) 2(15) 6(11) 8(9) 10(10)", 2);
    check_starts(6, SB_LANE_TO_OWNER, "0(9) 2(9) 5(9)", 0);
    check_starts(7, SB_LANE_TO_OWNER, "0(9) 2(9) 5(11) 8(15)", 2);
}

TEST(start_sequences_to_others_count_the_power_bytes)
{
    check_starts(1, SB_LANE_TO_OTHERS, "0(10) 2(10) 5(11) 6(13) 8(9) 1(9)", 2);
    check_starts(5, SB_LANE_TO_OTHERS, "0(10) 2(10) 5(9) 6(13) 8(11) 10(11)", 2);
    check_starts(6, SB_LANE_TO_OTHERS, "0(10) 2(11) 5(10) 8(14)", 2);
    check_starts(7, SB_LANE_TO_OTHERS, "0(10) 2(11) 5(10) 7(9) 10(16)", 2);
}

TEST(all_ships_together_give_the_starts_and_sizes_of_the_captured_session)
{
    bool     starts[SB_SUBSYSTEMS_MAX] = { 0 }, sizes[64] = { 0 };
    char     text[128] = "";
    unsigned bytes = 0;
    for (uint8_t species = 1; species <= 15; species++) {
        lane_rig r;
        rig_open(&r, species, SB_LANE_TO_OWNER);
        for (unsigned n = 0; n < 60; n++) {
            CHECK(rig_send(&r));
            starts[r.update.start_index] = sizes[rig_block_bytes(&r)] = true;
            bytes += (unsigned)r.size;
        }
    }
    /* 22.3 bytes on average there (spec 03 §14); all classes for the same time give 22.2. */
    CHECK(bytes > 22.1 * 15 * 60 && bytes < 22.4 * 15 * 60);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++)
        if (starts[i]) (void)snprintf(text + strlen(text), 8, "%u ", i);
    CHECK_TEXT(text, "0 1 2 3 4 5 6 8 9 10 ");
    for (unsigned i = 0; i < 64; i++) CHECK_EQ(sizes[i], i >= 9 && i <= 17);
}

TEST(a_cycle_takes_three_to_eight_messages)
{
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++)
        for (sb_lane_role role = SB_LANE_TO_OWNER; role <= SB_LANE_TO_OTHERS; role++) {
            lane_rig r;
            uint32_t seen = 0, all;
            unsigned messages = 0;
            rig_open(&r, rig_species[i], role);
            all = (1u << r.ship.model->subsystem_count) - 1;
            for (; seen != all; messages++) {
                CHECK(rig_send(&r));
                for (unsigned e = 0; e < r.update.entry_count; e++)
                    seen |= 1u << r.update.entries[e].index;
            }
            CHECK(messages >= 2 && messages <= 8); /* two: the Freighter, which nobody flies */
        }
}

/* With POS the group byte stands before the block and is not counted: the block of example C has
 * 10 bytes and goes on; without it the first boolean opens a byte inside the block. */
TEST(a_group_byte_before_the_block_is_not_counted)
{
    lane_rig full, plain;
    rig_open(&full, 1, SB_LANE_TO_OTHERS);
    rig_open(&plain, 1, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&full));
    CHECK_EQ(full.update.flags, 0x3D);
    CHECK_EQ(rig_block_bytes(&full), 9); /* hull 1, generator 1 + 1 + 6: nothing for the group */
    full.lane.subsys_cursor = plain.lane.subsys_cursor = 8;
    full.lane.started = false; /* a full update from the eighth entry on */
    CHECK(rig_send(&full));
    CHECK_EQ(full.update.flags, 0x3D);
    /* 1 + 2 + 4 + 1 + 1 = 9 bytes after the hull: below the budget, so the generator still comes;
     * with a group byte of its own it would be 10 and end there, as 8(9) of spec 03 §4.4 does. */
    CHECK_EQ(rig_block_bytes(&full), 2 + 4 + 1 + 1 + 8);
    CHECK_EQ(full.lane.subsys_cursor, 2);
    plain.lane.started = true;
    plain.lane.forward = plain.frame.forward;
    plain.lane.up = plain.frame.up;
    plain.lane.last_full = plain.now;
    CHECK(rig_send(&plain));
    CHECK_EQ(plain.update.flags, 0x20);
    CHECK_EQ(rig_block_bytes(&plain), 9);
    CHECK_EQ(plain.lane.subsys_cursor, 1);
}

TEST(a_cloak_bit_alone_opens_the_group_before_the_block)
{
    lane_rig r;
    rig_open(&r, 6, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x7D);
    r.ship.cloaked = true;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x60);
    CHECK_EQ(r.update.start_index, 2);
    /* Core 3, cannons 1 + 2 + pct, torpedoes 1 + 1 + pct: 10 with the start; 2(11) without CLOAK
     * holds one group byte more. */
    CHECK_EQ(rig_block_bytes(&r), 10);
    CHECK_EQ(r.bytes[10], 0x67); /* three bits: cloak on, has_power, has_power */
}

/* From the warp engines on: 4 + 2 + 2 bytes and the start are 9, so one more entry follows; with a
 * group byte inside the block they would be 10 and the end. */
TEST(a_group_byte_that_the_cloak_bit_opened_is_not_counted)
{
    lane_rig r;
    rig_open(&r, 6, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&r));
    r.lane.subsys_cursor = 6;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x20);
    CHECK_EQ(r.update.entry_count, 3);
    r.lane.subsys_cursor = 6;
    r.ship.cloaked = true;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x60);
    CHECK_EQ(r.update.entry_count, 4);
    CHECK_EQ(r.lane.subsys_cursor, 0);
}

/* A full update of a cloak ship has the bits of has_hash and cloak before those of the block. */
TEST(the_sixth_boolean_of_a_message_opens_a_second_group_byte)
{
    lane_rig r;
    rig_open(&r, 7, SB_LANE_TO_OTHERS);
    r.lane.subsys_cursor = 8; /* cloak, sensors, repair, tractors: four powered entries */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x7D);
    CHECK_EQ(r.bytes[22], 0xBC); /* full: has_hash 0, cloak 0, three times has_power */
    /* 2 + 2 + 2 bytes are below the budget, so are 2 + 2 + 2 + 5 with the second group byte. */
    CHECK_EQ(rig_block_bytes(&r), 2 + 2 + 2 + 5);
    CHECK_EQ(r.bytes[r.size - 2], 0x21);
}

/* No stock list comes near the budget with six booleans in a block; one of a mod can. */
TEST(a_second_group_byte_inside_the_block_is_counted)
{
    static const sb_subsystem_class plain = { .name = "System",
                                              .type = SB_SUBSYSTEM_SENSOR,
                                              .format = SB_FORMAT_POWERED,
                                              .max_condition = 100 };
    sb_subsystem_class              list[12];
    sb_ship_class                   mod = {
                          .species = 200, .name = "Mod", .subsystems = list, .subsystem_count = 12
    };
    lane_rig r;
    for (unsigned i = 0; i < 12; i++) list[i] = plain;
    rig_open(&r, 1, SB_LANE_TO_OWNER);
    sb_ship_init(&r.ship, &mod, 200, RIG_SHIP);
    sb_frame_init(&r.frame, &r.ship);
    sb_lane_init(&r.lane, SB_LANE_TO_OWNER, &r.frame, &r.options);
    CHECK(rig_send(&r));
    /* start 1, group 1, five conditions, group 1, condition: 9; the next one makes 10. */
    CHECK_EQ(r.update.entry_count, 7);
    CHECK_EQ(rig_block_bytes(&r), 9);
}

static void open_documented(lane_rig *r, sb_lane_role role)
{
    sb_lane_options options;
    sb_lane_options_stock(&options);
    options.layout_forced = true;
    options.layout = SB_SHIELD_DOCUMENTED;
    rig_open_with(r, 1, role, &options);
}

TEST(the_documented_layout_shortens_the_shield_generator_to_one_byte)
{
    lane_rig r;
    open_documented(&r, SB_LANE_TO_OWNER);
    CHECK_EQ(sb_lane_context(&r.lane, &r.frame, &r.options).layout, SB_SHIELD_DOCUMENTED);
    CHECK(rig_send(&r));
    /* 1 hull, 1 generator, 2 sensors with the group byte, 3 core, 3 impulse. */
    CHECK_EQ(r.update.entry_count, 5);
    CHECK_EQ(rig_block_bytes(&r), 10);
    CHECK_EQ(r.lane.subsys_cursor, 5);
    r.options.layout_forced = false; /* then the ship's data decide; stock ships are stock */
    CHECK_EQ(sb_lane_context(&r.lane, &r.frame, &r.options).layout, SB_SHIELD_STOCK);
}

/* One that expects it reads all but facings and the generator's power, which are not there. */
TEST(the_documented_layout_is_read_by_who_expects_it)
{
    lane_rig  r;
    observer  o;
    sb_random random;
    sb_random_init(&random, 11);
    open_documented(&r, SB_LANE_TO_OTHERS);
    observer_open(&o, 1, SB_RECEIVE_OTHER);
    o.layout = SB_SHIELD_DOCUMENTED;
    rig_randomize(&random, &r.ship);
    for (unsigned i = 0; i < 11; i++) {
        CHECK(rig_send(&r));
        CHECK_EQ(observer_hear(&o, r.bytes, r.size), SB_OK);
    }
    unsigned shield = rig_entry(&r.ship, SB_SUBSYSTEM_SHIELD);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        CHECK(o.ship.facing[i] == o.ship.model->shield_max[i]);
    CHECK(o.ship.power_wanted[shield] == 1);
    memcpy(o.ship.facing, r.ship.facing, sizeof o.ship.facing);
    o.ship.power_wanted[shield] = r.ship.power_wanted[shield];
    rig_check_seen(&r.ship, &o.ship, true);
}

TEST(codes_of_a_block_are_truncated_shares)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    sb_ship *s = &r.ship;
    s->condition[0] = s->model->subsystems[0].max_condition * 0.5f; /* 127.5: cut, not rounded */
    s->power_wanted[1] = 0.999f;
    for (unsigned i = 0; i < SB_FACINGS; i++) s->facing[i] = s->model->shield_max[i] * (float)i / 5;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.entries[0].condition_code, 127);
    CHECK_EQ(r.update.entries[1].power_pct_code, 99);
    static const uint8_t facings[SB_FACINGS] = { 0, 51, 102, 153, 204, 255 };
    CHECK_BYTES(r.update.entries[1].facings, SB_FACINGS, facings, SB_FACINGS);
}

/* ---- POWER (spec 03 §5) ---- */

static void list_pairs(lane_rig *r, char *out, size_t capacity)
{
    CHECK(rig_send(r));
    size_t at = strlen(out);
    at += (size_t)snprintf(out + at, capacity - at, "(");
    for (unsigned i = 0; i < r->update.pair_count; i++)
        at += (size_t)snprintf(out + at, capacity - at, "%s%u:%02X", i ? " " : "",
                               r->update.pairs[i].index, r->update.pairs[i].level_code);
    (void)snprintf(out + at, capacity - at, ")");
}

TEST(after_creation_all_settings_are_new_three_to_a_block)
{
    lane_rig r;
    char     text[256] = "";
    rig_open(&r, 1, SB_LANE_TO_HOST);
    for (unsigned i = 0; i < 5; i++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(1:CC 2:CC 4:CC)(5:CC 6:CC 7:CC)(8:CC 9:CC)()()");
}

TEST(not_even_a_full_update_repeats_a_setting)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 3);
    for (unsigned i = 0; i < 30; i++) {
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.pair_count, 0);
    }
}

TEST(a_slider_that_moves_is_sent_once_and_only_if_its_code_changed)
{
    lane_rig r;
    char     text[256] = "";
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 3);
    r.ship.power_wanted[5] = 0.5f;
    r.ship.power_wanted[2] = 1.001f; /* trunc(204.2) is still CC */
    list_pairs(&r, text, sizeof text);
    list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(5:66)()");
}

TEST(only_powered_entries_have_settings)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 3);
    r.ship.power_wanted[0] = r.ship.power_wanted[3] = r.ship.power_wanted[10] = 0.25f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.pair_count, 0); /* hull, reactor, bridge */
}

TEST(all_sliders_at_once_take_turns_from_where_the_last_block_ended)
{
    lane_rig r;
    char     text[256] = "";
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 2); /* the next would be 8 */
    for (unsigned i = 0; i < 11; i++) r.ship.power_wanted[i] = 0.25f;
    for (unsigned i = 0; i < 4; i++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(8:33 9:33 1:33)(2:33 4:33 5:33)(6:33 7:33)()");
}

TEST(the_level_is_204_times_the_setting)
{
    static const struct {
        float   wanted;
        uint8_t level;
    } rows[] = { { 0, 0 },        { 0.2f, 0x28 }, { 0.25f, 0x33 }, { 0.33f, 0x43 }, { 0.5f, 0x66 },
                 { 0.75f, 0x99 }, { 1, 0xCC },    { 1.1f, 0xE0 },  { 1.25f, 0xFF } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lane_rig r;
        rig_open(&r, 1, SB_LANE_TO_HOST);
        r.ship.power_wanted[1] = rows[i].wanted;
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.pairs[0].index, 1);
        CHECK_EQ(r.update.pairs[0].level_code, rows[i].level);
    }
}

static void open_default(lane_rig *r, uint8_t species, sb_lane_role role)
{
    sb_lane_options options;
    sb_lane_options_default(&options);
    rig_open_with(r, species, role, &options);
}

TEST(our_clients_put_a_new_setting_into_three_messages)
{
    lane_rig r;
    char     text[256] = "";
    open_default(&r, 1, SB_LANE_TO_HOST);
    unsigned sent[SB_SUBSYSTEMS_MAX] = { 0 };
    for (unsigned n = 0; n < 20; n++) {
        CHECK(rig_send(&r));
        for (unsigned i = 0; i < r.update.pair_count; i++) sent[r.update.pairs[i].index]++;
    }
    for (unsigned i = 0; i < 11; i++) CHECK_EQ(sent[i], i == 0 || i == 3 || i == 10 ? 0 : 3);
    r.ship.power_wanted[7] = 0.25f;
    for (unsigned n = 0; n < 4; n++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(7:33)(7:33)(7:33)()");
}

TEST(a_setting_that_changes_again_counts_anew_with_its_latest_level)
{
    lane_rig r;
    char     text[256] = "";
    open_default(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 20);
    r.ship.power_wanted[7] = 0.25f;
    list_pairs(&r, text, sizeof text);
    r.ship.power_wanted[7] = 0.5f;
    for (unsigned n = 0; n < 4; n++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(7:33)(7:66)(7:66)(7:66)()");
}

/* ---- CLOAK (spec 03 §6) ---- */

TEST(the_cloak_comes_with_every_full_update_and_on_change)
{
    for (sb_lane_role role = SB_LANE_TO_HOST; role <= SB_LANE_TO_OTHERS; role++) {
        lane_rig r;
        rig_open(&r, 6, role);
        for (unsigned n = 0; n < 40; n++) {
            bool change = n == 4 || n == 25; /* not with a full update: those are 0, 11, 22, 33 */
            if (change) r.ship.cloaked = !r.ship.cloaked;
            CHECK(rig_send(&r));
            bool told = role != SB_LANE_TO_OWNER && (n % 11 == 0 || change); /* spec 12 #1 */
            CHECK_EQ(r.update.flags & SB_STATE_CLOAK, told ? SB_STATE_CLOAK : 0);
            if (told) CHECK_EQ(r.update.cloak, n >= 4 && n < 25);
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

TEST(the_stock_options_go_nowhere_beyond_the_game)
{
    sb_lane_options o;
    sb_lane_options_stock(&o);
    CHECK(!o.damage_first);
    CHECK(!o.layout_forced);
    CHECK_EQ(o.level_repeats, 1);
    CHECK_EQ(o.interval_us, 100000);
    CHECK_EQ(o.full_us, 1000000);
    CHECK_EQ(o.lossy_full_us, 0);
}

static bool block_has(const lane_rig *r, unsigned index)
{
    for (unsigned i = 0; i < r->update.entry_count; i++)
        if (r->update.entries[i].index == index) return true;
    return false;
}

static void hurt(sb_ship *ship, unsigned index)
{
    ship->condition[index] -= ship->model->subsystems[index].max_condition * 0.02f;
}

TEST(damage_is_in_the_very_next_update)
{
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++)
        for (unsigned index = 0; index < 8; index++) {
            lane_rig r;
            open_default(&r, rig_species[i], SB_LANE_TO_OTHERS);
            rig_send_many(&r, 4 + index);
            hurt(&r.ship, index);
            CHECK(rig_send(&r));
            CHECK(block_has(&r, index));
        }
}

TEST(damage_to_a_part_or_a_facing_counts_as_damage)
{
    lane_rig r;
    open_default(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 2); /* next in turn: 6 */
    r.ship.facing[3] *= 0.9f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 1);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 6); /* on in turn */
    r.ship.child_condition[r.ship.model->subsystems[5].first_child + 7] *= 0.9f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 5);
}

/* Facings are not told there: a block that begins with the generator would say nothing new. */
TEST(in_the_documented_layout_a_hit_on_a_facing_waits_for_nothing)
{
    lane_rig        r;
    sb_lane_options options;
    sb_lane_options_default(&options);
    options.layout_forced = true;
    options.layout = SB_SHIELD_DOCUMENTED;
    rig_open_with(&r, 1, SB_LANE_TO_OWNER, &options);
    rig_send_many(&r, 2);
    unsigned turn = r.lane.subsys_cursor;
    CHECK(turn != 1);
    r.ship.facing[3] *= 0.9f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, turn);
    hurt(&r.ship, 1); /* the generator itself is */
    CHECK(rig_send(&r));
    CHECK(block_has(&r, 1));
}

TEST(what_falls_without_a_hit_or_rises_waits_for_its_turn)
{
    lane_rig r;
    open_default(&r, 1, SB_LANE_TO_OTHERS);
    rig_send_many(&r, 2);
    unsigned turn = r.lane.subsys_cursor;
    r.ship.main_battery *= 0.5f;
    r.ship.power_wanted[2] = 0.25f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, turn);
    r.ship.facing[0] *= 0.5f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 1);
    CHECK(rig_send(&r)); /* in turn, whatever happens: the next one could jump again */
    turn = r.lane.subsys_cursor;
    CHECK(turn != 1);
    r.ship.facing[0] *= 2;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, turn);
    hurt(&r.ship, 8);
    rig_send_many(&r, 2);
    turn = r.lane.subsys_cursor;
    r.ship.condition[8] = r.ship.model->subsystems[8].max_condition; /* repaired */
    CHECK(turn != 8);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, turn);
}

TEST(damage_jumps_the_queue_every_other_time_at_most_and_the_cycle_completes)
{
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++) {
        lane_rig r;
        uint32_t seen = 0, all;
        bool     jumped = false;
        open_default(&r, rig_species[i], SB_LANE_TO_OWNER);
        all = (1u << r.ship.model->subsystem_count) - 1;
        for (unsigned n = 0; n < 16; n++) { /* twice the longest cycle */
            unsigned turn = r.lane.subsys_cursor;
            hurt(&r.ship, n % 2);
            CHECK(rig_send(&r));
            bool jumps = r.update.start_index != turn;
            CHECK(!(jumps && jumped));
            if (jumps) CHECK_EQ(r.lane.subsys_cursor, turn);
            jumped = jumps;
            for (unsigned e = 0; e < r.update.entry_count; e++)
                seen |= 1u << r.update.entries[e].index;
        }
        CHECK_EQ(seen, all);
    }
}

TEST(damage_that_had_to_wait_is_not_forgotten)
{
    lane_rig r;
    open_default(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 1); /* next in turn: 2 */
    hurt(&r.ship, 8);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 8);
    hurt(&r.ship, 7);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 2); /* in turn */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 7);
}

TEST(damage_first_can_be_switched_off)
{
    lane_rig r;
    rig_open(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 1);
    hurt(&r.ship, 8);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 2);
}

TEST(a_receiver_that_loses_datagrams_gets_full_updates_every_quarter_second)
{
    lane_rig r;
    open_default(&r, 1, SB_LANE_TO_OTHERS);
    r.lossy = true;
    for (unsigned n = 0; n < 30; n++) {
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags & SB_STATE_POS, n % 3 == 0); /* 0.3 s is the first above 0.25 s */
    }
    rig_open(&r, 1, SB_LANE_TO_OTHERS);
    r.lossy = true; /* off with stock options */
    for (unsigned n = 0; n < 30; n++) {
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags & SB_STATE_POS, n % 11 == 0);
    }
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
