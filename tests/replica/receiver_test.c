/* tests/replica/receiver_test.c -- what a receiver believes: the table of spec 03 §9 row by row,
 * the readers of §4.5, §5 and §6, the worked examples, dead reckoning and telemetry.
 *
 * The rows about unknown objects and about senders that do not own the ship are the caller's: a
 * receiver exists for one ship and one sender.
 */
#include "rig.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

#define COUNTED(o, counter) observer_count(&(o), counter)

/* Near enough for float32 numbers around `b`. */
static void check_near(float a, float b, float margin)
{
    if (!(fabsf(a - b) <= margin)) FAIL("%.9g is not near %.9g", (double)a, (double)b);
}

/* ---- building bytes by hand ---- */

typedef struct writer {
    uint8_t bytes[RIG_BYTES];
    size_t  size;
} writer;

static void put(writer *w, const char *hex)
{
    w->size += test_hex(hex, w->bytes + w->size, sizeof w->bytes - w->size);
}

static void put_f32(writer *w, float f)
{
    sb_store_u32(w->bytes + w->size, sb_float_bits(f));
    w->size += 4;
}

/* Header of an update of RIG_SHIP. */
static writer begin(float game_time, uint8_t flags)
{
    writer w = { .size = 0 };
    put(&w, "1C FF FF FF 3F");
    put_f32(&w, game_time);
    w.bytes[w.size++] = flags;
    return w;
}

static void put_pos(writer *w, float x, float y, float z)
{
    put_f32(w, x);
    put_f32(w, y);
    put_f32(w, z);
    put(w, "20");
}

static sb_result hear(observer *o, const writer *w)
{
    return observer_hear(o, w->bytes, w->size);
}

/* A full update without a block; `forward` +X, `up` +Z, speed 5. */
static sb_result hear_full(observer *o, float game_time, float x, float y, float z)
{
    writer w = begin(game_time, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED);
    put_pos(&w, x, y, z);
    put(&w, "7F 00 00  00 00 7F  1B 47");
    return hear(o, &w);
}

static observer other(uint8_t species)
{
    observer o;
    observer_open(&o, species, SB_RECEIVE_OTHER);
    return o;
}

static observer host(uint8_t species)
{
    observer o;
    observer_open(&o, species, SB_RECEIVE_FROM_OWNER);
    return o;
}

/* Heard, refused with that result, and nothing of the ship changed. */
static void check_refused(observer *o, const writer *w, sb_result expected)
{
    sb_ship  before = o->ship;
    uint32_t applied = observer_count(o, SB_RECEIVED_APPLIED);
    CHECK_EQ(hear(o, w), expected);
    rig_check_same(&o->ship, &before);
    CHECK_EQ(observer_count(o, SB_RECEIVED_APPLIED), applied);
}

/* ---- worked examples, read (spec 03 §13) ---- */

TEST(the_host_reads_example_a)
{
    observer o = host(1);
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
    observer o = other(1);
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
    observer o = host(6);
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
    observer o = other(1);
    writer   w = begin(1, 0);
    for (size_t size = 0; size < 10; size++) {
        w.size = size;
        sb_ship before = o.ship;
        CHECK(hear(&o, &w) != SB_OK);
        rig_check_same(&o.ship, &before);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED), 10);
    w.size = 10;
    CHECK_EQ(hear(&o, &w), SB_OK); /* flags 0: accepted, nothing changes (spec 03 §2) */
}

TEST(an_update_of_another_object_is_refused)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SPEED);
    put(&w, "1B 47");
    w.bytes[1] = 0xFE;
    check_refused(&o, &w, SB_BAD_VALUE);
    w.bytes[1] = 0xFF;
    w.bytes[0] = 0x1D;
    check_refused(&o, &w, SB_BAD_VALUE); /* another opcode */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED), 2);
}

TEST(the_host_applies_the_motion_of_a_client_and_ignores_its_subsystems)
{
    observer o = host(1);
    writer   w = begin(1, SB_STATE_SPEED | SB_STATE_SUBSYS);
    put(&w, "1B 47  00 10  10 21 05 00 00 00 00 00 00");
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(o.ship.motion.speed_code, 0x471B);
    check_near(sb_ship_ratio(&o.ship, 0), 1, 0);
    check_near(o.ship.facing[0], o.ship.model->shield_max[0], 0);
    check_near(o.ship.power_wanted[1], 1, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_FOREIGN_BLOCK), 1);
}

TEST(a_client_ignores_motion_of_its_own_ship_and_applies_subsystems)
{
    observer o;
    observer_open(&o, 6, SB_RECEIVE_OWN);
    sb_ship before = o.ship;
    writer  w = begin(1, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED |
                             SB_STATE_CLOAK | SB_STATE_SUBSYS);
    put_pos(&w, 9, 9, 9);
    w.bytes[22] = 0x42; /* has_hash 0, cloak 1 */
    put(&w, "7F 00 00  00 00 7F  1B 47  00 80");
    CHECK_EQ(hear(&o, &w), SB_OK);
    before.condition[0] = o.ship.model->subsystems[0].max_condition * (128 / 255.0f);
    rig_check_same(&o.ship, &before);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_FOREIGN_MOTION), 1);
}

TEST(a_client_keeps_its_own_sliders_whatever_the_host_says)
{
    observer o;
    observer_open(&o, 1, SB_RECEIVE_OWN);
    o.ship.power_wanted[2] = 0.5f;
    writer w = begin(1, SB_STATE_POWER);
    put(&w, "02 FF");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
}

TEST(coordinates_and_times_that_are_absurd_are_dropped)
{
    static const float absurd[] = { INFINITY, -INFINITY, NAN, 1.1e7f, -1.1e7f };
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        observer o = other(1);
        writer   w = begin(1, SB_STATE_POS);
        put_pos(&w, 1, absurd[i], 2);
        check_refused(&o, &w, SB_BAD_VALUE);
        w = begin(absurd[i], SB_STATE_SPEED);
        put(&w, "1B 47");
        check_refused(&o, &w, SB_BAD_VALUE);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED) + COUNTED(o, SB_RECEIVED_ABSURD_TIME), 2);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_ABSURD_TIME), isfinite(absurd[i]) ? 1 : 0);
    }
}

/* Else one update of such a time would be the last for good, or reset what is known of it. */
TEST(an_absurd_time_makes_no_later_update_old)
{
    observer o = host(1);
    CHECK_EQ(hear_full(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full(&o, 1e38f, 4, 5, 6), SB_BAD_VALUE);
    CHECK_EQ(hear_full(&o, -1e38f, 4, 5, 6), SB_BAD_VALUE);
    CHECK_EQ(hear_full(&o, 50.1f, 7, 8, 9), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_ABSURD_TIME), 2);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_CLOCK_RESTARTED), 0);
    CHECK_EQ(hear_full(&o, 1e7f, 7, 8, 9), SB_OK); /* the last one that is not */
}

TEST(an_update_older_than_the_last_one_is_dropped)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 50, 1, 2, 3), SB_OK);
    writer w = begin(49.9f, SB_STATE_POS | SB_STATE_SUBSYS);
    put_pos(&w, 7, 7, 7);
    put(&w, "00 00");
    check_refused(&o, &w, SB_NOT_ALLOWED);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 1);
}

TEST(an_update_of_the_same_time_is_accepted)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full(&o, 50, 4, 5, 6), SB_OK);
    check_near(o.ship.motion.position.x, 4, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 0);
}

TEST(a_clock_that_jumps_back_by_more_than_5_seconds_was_restarted)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full(&o, 45, 4, 5, 6), SB_NOT_ALLOWED); /* five seconds: old */
    CHECK_EQ(hear_full(&o, 44.9f, 7, 8, 9), SB_OK);
    check_near(o.ship.motion.position.x, 7, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_CLOCK_RESTARTED), 1);
    CHECK_EQ(hear_full(&o, 45, 1, 1, 1), SB_OK); /* and the new clock counts */
}

TEST(after_a_restart_of_the_clock_settings_count_from_the_new_time)
{
    observer o = other(1);
    writer   w = begin(100, SB_STATE_SUBSYS);
    put(&w, "02 FF 21 32");
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(3, SB_STATE_SUBSYS);
    put(&w, "02 FF 21 19");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[2], 0.25f, 0);
}

TEST(a_truncated_fixed_field_drops_the_whole_message)
{
    observer o = other(6);
    writer   w = begin(1, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED);
    put_pos(&w, 1, 2, 3);
    put(&w, "7F 00 00  00 00 7F  1B 47");
    for (size_t whole = w.size; w.size > 10;) {
        w.size--;
        check_refused(&o, &w, SB_TRUNCATED);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_MALFORMED), whole - w.size);
    }
}

TEST(with_position_and_delta_both_the_delta_is_read_and_ignored)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_POS | SB_STATE_DELTA | SB_STATE_SPEED);
    put_pos(&w, 10, 20, 30);
    put(&w, "7F 00 00 1B 47  C6 41");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.motion.position.x, 10, 0);
    CHECK_EQ(o.ship.motion.speed_code, 0x41C6);
}

TEST(with_both_blocks_the_rest_is_read_as_subsystems)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SUBSYS | SB_STATE_POWER);
    put(&w, "02 80 21 32");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 2), 128 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
}

TEST(an_empty_power_block_changes_no_setting)
{
    observer o = host(1);
    for (unsigned i = 0; i < 11; i++) o.ship.power_wanted[i] = 0.25f;
    sb_ship before = o.ship;
    writer  w = begin(1, SB_STATE_POWER);
    CHECK_EQ(hear(&o, &w), SB_OK);
    rig_check_same(&o.ship, &before);
}

TEST(every_cloak_bit_is_obeyed_and_a_repetition_changes_nothing)
{
    static const char *const bits[] = { "21", "21", "20", "20", "21" };
    observer                 o = host(6);
    for (unsigned i = 0; i < 5; i++) {
        writer w = begin((float)i, SB_STATE_CLOAK | SB_STATE_POWER);
        put(&w, bits[i]);
        sb_ship before = o.ship;
        CHECK_EQ(hear(&o, &w), SB_OK);
        CHECK_EQ(o.ship.cloaked, bits[i][1] == '1');
        before.cloaked = o.ship.cloaked;
        rig_check_same(&o.ship, &before);
    }
}

TEST(a_start_beyond_the_list_is_ignored_and_the_motion_applied)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SPEED | SB_STATE_SUBSYS);
    put(&w, "1B 47  0B 00 00 00");
    sb_ship before = o.ship;
    CHECK_EQ(hear(&o, &w), SB_OK);
    sb_motion_read_speed(&before.motion, 0x471B);
    rig_check_same(&o.ship, &before);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_UNREAD_BLOCK), 1);
}

TEST(a_truncated_entry_is_discarded_and_those_before_it_are_kept)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SUBSYS);
    put(&w, "00 80  40 21 32 FF FF FF FF FF"); /* hull; generator with five of six facings */
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 0), 128 / 255.0f, 1e-6f);
    check_near(sb_ship_ratio(&o.ship, 1), 1, 0);
    check_near(o.ship.power_wanted[1], 1, 0);
    check_near(o.ship.facing[0], o.ship.model->shield_max[0], 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 1);
}

TEST(only_entries_that_are_cut_short_count_as_truncated)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SUBSYS);
    put(&w, "00 80  40 21 32 FF FF FF FF FF FF"); /* hull and the whole generator */
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(2, SB_STATE_SUBSYS);
    put(&w, "0B 00 00 00"); /* beyond the list: unread, not truncated */
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(3, SB_STATE_SPEED);
    put(&w, "1B 47  00 00"); /* bytes left over */
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 0);
    w = begin(4, SB_STATE_SUBSYS);
    put(&w, "04 FF FF"); /* an impulse system with one of two engines */
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 1);
}

TEST(reading_stops_after_one_cycle)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SUBSYS);
    put(&w, "00 80");                                 /* hull at 128 */
    put(&w, "FF A0 FF FF FF FF FF FF  FF  FF FF FF"); /* generator, sensors, core */
    put(&w, "FF FF FF  FF FF FF FF FF FF FF FF FF");  /* impulse, phasers */
    put(&w, "FF FF FF  FF FF FF FF FF FF FF 60  FF"); /* warp, torpedoes (sixth bit), repair */
    put(&w, "FF FF FF  FF");                          /* tractors, bridge */
    put(&w, "40 40 40");                              /* a second hull would be at 64 */
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 0), 128 / 255.0f, 1e-6f);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TRUNCATED), 0); /* there was one of each */
}

TEST(the_cloak_bit_of_a_ship_without_a_cloak_is_read_and_ignored)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_CLOAK | SB_STATE_SUBSYS);
    put(&w, "43  02 80 32"); /* two bits: cloak, has_power of the sensors */
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK(!o.ship.cloaked);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
}

TEST(power_above_125_percent_is_clamped)
{
    writer w;
    for (unsigned code = 126; code < 256; code++) {
        observer o = other(1);
        w = begin(1, SB_STATE_SUBSYS);
        put(&w, "02 FF 21");
        w.bytes[w.size++] = (uint8_t)code;
        CHECK_EQ(hear(&o, &w), SB_OK);
        check_near(o.ship.power_wanted[2], 1.25f, 0);
    }
    observer h = host(1);
    w = begin(1, SB_STATE_POWER);
    put(&w, "02 FF");
    CHECK_EQ(hear(&h, &w), SB_OK);
    check_near(h.ship.power_wanted[2], 1.25f, 0);
}

TEST(axes_without_direction_keep_the_orientation)
{
    static const char *const axes[] = { "00 00 00  00 00 7F", "7F 00 00  00 00 00",
                                        "7F 00 00  7F 00 00", "7F 00 00  81 00 00" };
    for (unsigned i = 0; i < 4; i++) {
        observer o = other(1);
        sb_ship  before = o.ship;
        writer   w = begin(1, SB_STATE_FWD | SB_STATE_UP);
        put(&w, axes[i]);
        CHECK_EQ(hear(&o, &w), SB_OK);
        rig_check_same(&o.ship, &before);
        CHECK_EQ(o.ship.motion.forward_code.y, 127); /* nor is the code passed on */
        CHECK_EQ(COUNTED(o, SB_RECEIVED_BAD_AXES), 1);
    }
}

TEST(a_hash_is_read_and_its_changes_are_counted)
{
    static const char *const hashes[] = { "21 37 FB", "21 37 FB", "21 38 FB", "20" };
    observer                 o = host(1);
    for (unsigned i = 0; i < 4; i++) {
        writer w = begin((float)i, SB_STATE_POS | SB_STATE_SPEED | SB_STATE_POWER);
        put_pos(&w, 1, 2, 3);
        w.size--; /* the group byte is part of the text */
        put(&w, hashes[i]);
        put(&w, "1B 47");
        CHECK_EQ(hear(&o, &w), SB_OK);
        CHECK_EQ(o.ship.motion.speed_code, 0x471B);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_HASH_SEEN), 3);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_HASH_CHANGED), 1);
    CHECK_EQ(o.receiver.hash, 0xFB38);
}

TEST(bytes_behind_the_last_fixed_field_are_ignored)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_SPEED);
    put(&w, "1B 47  DE AD BE EF");
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(o.ship.motion.speed_code, 0x471B);
}

/* ---- motion (spec 03 §3) ---- */

TEST(deltas_count_from_the_last_absolute_position_not_from_the_last_delta)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 1, 100, 0, 0), SB_OK);
    for (unsigned i = 0; i < 3; i++) { /* the same delta again and again leads nowhere else */
        writer w = begin(1.5f + 0.1f * (float)i, SB_STATE_DELTA);
        put(&w, "7F 00 00 1B 47");
        CHECK_EQ(hear(&o, &w), SB_OK);
        check_near(o.ship.motion.position.x, 104.9978f, 1e-4f);
    }
}

TEST(before_the_first_absolute_position_the_creation_is_the_base)
{
    observer o = other(1);
    o.ship.motion.position = (sb_vec3){ 10, 20, 30 };
    sb_receiver_init(&o.receiver, SB_RECEIVE_OTHER, &o.ship, 0);
    writer w = begin(1, SB_STATE_DELTA);
    put(&w, "00 7F 00 1B 47");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.motion.position.x, 10, 0);
    check_near(o.ship.motion.position.y, 24.9978f, 1e-4f);
}

/* An Akira at full speed; update 11, the second POS, is lost. A second later the next one comes. */
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
        CHECK(o->ship.motion.position.y >= seen); /* it never goes back */
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
    options.full_us = SB_SECOND / 2; /* sooner than the game: told by where the ship cannot be */
    fly_without_a_position(&o, &options, 6, 99);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 1);
}

TEST(a_late_position_is_the_base_of_what_follows_and_moves_nothing)
{
    observer        o;
    sb_lane_options options;
    sb_lane_options_stock(&options);
    fly_without_a_position(&o, &options, 11, 14);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_OLD), 1);
    CHECK(o.receiver.base.y == 0.66f * 11.0f); /* not inferred any more */
}

TEST(a_position_older_than_the_base_is_no_base)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 10, 1, 0, 0), SB_OK);
    CHECK_EQ(hear_full(&o, 11, 6, 0, 0), SB_OK);
    CHECK_EQ(hear_full(&o, 10.5f, 3, 0, 0), SB_NOT_ALLOWED);
    CHECK_EQ(hear_full(&o, 11, 7, 0, 0), SB_OK); /* of the same time: not late */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 0);
    check_near(o.receiver.base.x, 7, 0);
}

/* Nothing but a delta that is as short as a new one is taken for one. */
TEST(a_long_delta_counts_from_the_base_however_old_it_is)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 1, 100, 0, 0), SB_OK);
    for (unsigned i = 0; i < 40; i++) {
        writer w = begin(1.1f + 0.1f * (float)i, SB_STATE_DELTA);
        put(&w, "7F 00 00 1B 47");
        CHECK_EQ(hear(&o, &w), SB_OK);
    }
    check_near(o.ship.motion.position.x, 104.9978f, 1e-4f);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_INFERRED_BASE), 0);
}

TEST(in_another_set_the_position_is_the_base_and_times_and_counters_stay)
{
    observer o = host(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 50, 1, 2, 3), SB_OK);
    CHECK_EQ(hear_full(&o, 51, 1, 2, 3), SB_OK);
    o.ship.motion.position = (sb_vec3){ 500, 0, 0 };
    o.now += SB_SECOND;
    sb_receiver_moved(&o.receiver, &o.ship, o.now);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_APPLIED), 2);
    CHECK_EQ(hear_full(&o, 50.9f, 7, 7, 7), SB_NOT_ALLOWED); /* of the old set */
    writer w = begin(51.1f, SB_STATE_DELTA);
    put(&w, "7F 00 00 1B 47");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.motion.position.x, 504.9978f, 1e-3f);
    CHECK_EQ(hear_full(&o, 51.2f, 900, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0); /* two seconds of grace */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), 0);
}

TEST(received_axes_are_renormalised_and_at_right_angles)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_FWD | SB_STATE_UP);
    put(&w, "49 49 49  00 40 7F"); /* 0.997 long; up not at right angles */
    CHECK_EQ(hear(&o, &w), SB_OK);
    sb_vec3 f = o.ship.motion.forward, u = o.ship.motion.up;
    check_near(f.x * f.x + f.y * f.y + f.z * f.z, 1, 1e-6f);
    check_near(u.x * u.x + u.y * u.y + u.z * u.z, 1, 1e-6f);
    check_near(f.x * u.x + f.y * u.y + f.z * u.z, 0, 1e-6f);
    CHECK_EQ(o.ship.motion.up_code.y, 0x40); /* the codes stay as they came */
}

TEST(one_axis_alone_keeps_the_other_as_far_as_it_can)
{
    observer o = other(1);
    writer   w = begin(1, SB_STATE_FWD);
    put(&w, "7F 00 00");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.motion.forward.x, 1, 0);
    check_near(o.ship.motion.up.z, 1, 0);
    w = begin(2, SB_STATE_UP);
    put(&w, "00 7F 00");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.motion.forward.x, 1, 0);
    check_near(o.ship.motion.up.y, 1, 0);
}

/* ---- settings (spec 03 §4.5, §5) ---- */

TEST(a_setting_needs_a_newer_time_than_the_last_one_of_its_entry)
{
    observer o = other(1);
    writer   w = begin(10, SB_STATE_SUBSYS);
    put(&w, "02 80 21 32");
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(10, SB_STATE_SUBSYS); /* the same time: conditions are written, settings are not */
    put(&w, "02 40 21 19");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 2), 64 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
    w = begin(10.1f, SB_STATE_SUBSYS);
    put(&w, "02 40 21 19");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[2], 0.25f, 0);
}

TEST(the_time_of_one_setting_does_not_hold_back_another)
{
    observer o = host(1);
    writer   w = begin(10, SB_STATE_POWER);
    put(&w, "02 66");
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(10, SB_STATE_POWER);
    put(&w, "04 66 02 33");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[4], 0.5f, 0);
    check_near(o.ship.power_wanted[2], 0.5f, 0);
}

TEST(pairs_for_entries_without_power_are_skipped_and_the_rest_is_read)
{
    observer o = host(1);
    for (unsigned i = 0; i < 11; i++) o.ship.power_wanted[i] = 0.75f;
    writer w = begin(1, SB_STATE_POWER);
    put(&w, "00 33  03 33  0A 33  0B 33  FF 33  09 66  01"); /* and an odd last byte */
    CHECK_EQ(hear(&o, &w), SB_OK);
    for (unsigned i = 0; i < 11; i++) check_near(o.ship.power_wanted[i], i == 9 ? 0.5f : 0.75f, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_BAD_POWER), 5);
}

TEST(slider_steps_reach_others_as_percentages)
{
    for (unsigned level = 0; level < 256; level++) {
        observer      o = host(1);
        sb_ship_frame frame;
        writer        w = begin(1, SB_STATE_POWER);
        w.bytes[w.size++] = 2;
        w.bytes[w.size++] = (uint8_t)level;
        CHECK_EQ(hear(&o, &w), SB_OK);
        sb_frame_init(&frame, &o.ship);
        CHECK_EQ(frame.entries[2].power_pct_code, level * 100 / 204); /* spec 03 §5 */
    }
}

/* Entries of an earlier message may still lie where this one is read. */
TEST(hull_and_reactor_have_no_settings_whatever_was_read_before)
{
    observer o = other(6);
    writer   w = begin(1, SB_STATE_SUBSYS);
    put(&w, "07 FF 67 19  FF 19  FF 19"); /* cloak, sensors, repair at 25 % */
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(hear(&o, &w), SB_OK);
        w = begin(2, SB_STATE_SUBSYS);
        put(&w, "00 FF"); /* the hull */
    }
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(3, SB_STATE_SUBSYS);
    put(&w, "02 FF FF FF"); /* the reactor */
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.power_wanted[7], 0.25f, 0);
    check_near(o.ship.power_wanted[0], 1, 0);
    check_near(o.ship.power_wanted[2], 1, 0);
}

TEST(a_documented_shield_generator_has_neither_setting_nor_facings_whatever_was_read_before)
{
    observer o = other(1);
    o.layout = SB_SHIELD_DOCUMENTED;
    writer w = begin(1, SB_STATE_SUBSYS);
    put(&w, "02 FF 21 19"); /* sensors at 25 % */
    CHECK_EQ(hear(&o, &w), SB_OK);
    w = begin(2, SB_STATE_SUBSYS);
    put(&w, "01 80");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 1), 128 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[1], 1, 0);
    check_near(o.ship.facing[0], o.ship.model->shield_max[0], 0);
}

/* Before anybody knows which layout it is, only what both say is taken (starbase/layout.h). */
TEST(of_a_block_in_either_layout_what_stands_behind_the_generator_is_left_alone)
{
    observer o = other(1);
    o.layout = SB_LAYOUT_EITHER;
    sb_ship before = o.ship;
    writer  w = begin(1, SB_STATE_SUBSYS);
    put(&w, "00 80  40 21 32 01 02 03 04 05 06  33 19"); /* hull, generator, sensors at 25 % */
    CHECK_EQ(hear(&o, &w), SB_OK);
    before.condition[0] = o.ship.condition[0];
    before.condition[1] = o.ship.condition[1];
    rig_check_same(&o.ship, &before);
    check_near(sb_ship_ratio(&o.ship, 0), 128 / 255.0f, 1e-6f);
    check_near(sb_ship_ratio(&o.ship, 1), 64 / 255.0f, 1e-6f);
    w = begin(2, SB_STATE_SUBSYS);
    put(&w, "02 33 21 19"); /* without the generator there is nothing to doubt */
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_ship_ratio(&o.ship, 2), 51 / 255.0f, 1e-6f);
    check_near(o.ship.power_wanted[2], 0.25f, 0);
}

/* ---- unknown species ---- */

TEST(of_an_unknown_species_motion_is_believed_and_blocks_are_counted)
{
    observer o = other(0);
    writer   w = begin(1, SB_STATE_POS | SB_STATE_SPEED | SB_STATE_SUBSYS);
    put_pos(&w, 1, 2, 3);
    put(&w, "1B 47  00 11 22 33 44");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(o.ship.motion.position.z, 3, 0);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_UNREAD_BLOCK), 1);
    observer h = host(0);
    w = begin(1, SB_STATE_SPEED | SB_STATE_POWER);
    put(&w, "1B 47  01 CC");
    CHECK_EQ(hear(&h, &w), SB_OK);
    CHECK_EQ(h.ship.motion.speed_code, 0x471B);
    CHECK_EQ(COUNTED(h, SB_RECEIVED_BAD_POWER), 1);
}

/* ---- dead reckoning (spec 10 §11.2) ---- */

TEST(between_updates_a_ship_goes_on_along_its_nose_for_a_second)
{
    observer o = other(1);
    o.now = 20 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 100, 0, 0), SB_OK);
    float speed = o.ship.motion.speed;
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).x, 100, 0);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND / 2).x, 100 + speed / 2,
               1e-4f);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND).x, 100 + speed, 1e-4f);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + 9 * SB_SECOND).x, 100 + speed,
               1e-4f);
    check_near(o.ship.motion.position.x, 100, 0); /* an estimate is no knowledge */
}

TEST(a_copy_of_an_update_does_not_let_the_ship_begin_its_way_anew)
{
    observer o = other(1);
    o.now = 20 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 100, 0, 0), SB_OK);
    float speed = o.ship.motion.speed;
    o.now += SB_SECOND / 2;
    CHECK_EQ(hear_full(&o, 1, 100, 0, 0), SB_OK);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).x, 100 + speed / 2, 1e-4f);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND).x, 100 + speed, 1e-4f);
    CHECK_EQ(hear_full(&o, 1.1f, 100, 0, 0), SB_OK); /* news does */
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now).x, 100, 0);
}

TEST(in_reverse_the_estimate_goes_backwards)
{
    observer o = other(1);
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    writer w = begin(2, SB_STATE_SPEED);
    put(&w, "1B C7");
    CHECK_EQ(hear(&o, &w), SB_OK);
    check_near(sb_receiver_estimate(&o.receiver, &o.ship, o.now + SB_SECOND).x, -4.9978f, 1e-4f);
}

/* ---- plausibility (spec 10 §11.3) ---- */

/* The Akira: 6.6; so 9.575 may be said and 8.25 x elapsed + 5 may be flown. */
TEST(a_speed_beyond_the_engines_is_counted_and_believed)
{
    observer o = host(1);
    o.now = 3 * SB_SECOND;
    writer   w = begin(1, SB_STATE_SPEED | SB_STATE_POWER);
    uint16_t fast = sb_encode_cf16(9.5f), too_fast = sb_encode_cf16(-9.6f);
    w.bytes[w.size++] = (uint8_t)fast;
    w.bytes[w.size++] = (uint8_t)(fast >> 8);
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 0);
    w.bytes[w.size - 2] = (uint8_t)too_fast;
    w.bytes[w.size - 1] = (uint8_t)(too_fast >> 8);
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    CHECK_EQ(o.ship.motion.speed_code, too_fast);
}

TEST(a_position_beyond_reach_is_counted_and_believed)
{
    observer o = host(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    o.now += SB_SECOND;
    CHECK_EQ(hear_full(&o, 2, 13.2f, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now += SB_SECOND;
    CHECK_EQ(hear_full(&o, 3, 26.5f, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    check_near(o.ship.motion.position.x, 26.5f, 0);
}

/* 17 000 units to and fro, ten times a second. */
TEST(a_delta_beyond_reach_is_counted_like_a_position)
{
    observer o = host(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    for (unsigned i = 0; i < 8; i++) {
        writer w = begin(1.1f + 0.1f * (float)i, SB_STATE_DELTA);
        put(&w, i % 2 ? "7F 7F 7F FF 7F" : "81 7F 7F FF 7F");
        o.now += RIG_TICK;
        CHECK_EQ(hear(&o, &w), SB_OK);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 8);
}

/* ---- with `enforce` (spec 10 §15, level 3) ---- */

TEST(enforced_a_speed_beyond_the_engines_is_counted_and_not_applied)
{
    observer o = host(1);
    o.receiver.enforce = true;
    o.now = 3 * SB_SECOND;
    uint16_t fast = sb_encode_cf16(9.5f), too_fast = sb_encode_cf16(-9.6f);
    for (unsigned i = 0; i < 2; i++) {
        writer   w = begin(1 + (float)i, SB_STATE_SPEED | SB_STATE_POWER);
        uint16_t code = i ? too_fast : fast;
        w.bytes[w.size++] = (uint8_t)code;
        w.bytes[w.size++] = (uint8_t)(code >> 8);
        CHECK_EQ(hear(&o, &w), SB_OK);
    }
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_FAST), 1);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_APPLIED), 2);
    CHECK_EQ(o.ship.motion.speed_code, fast);
}

TEST(enforced_a_position_beyond_reach_is_not_applied_until_it_is_within)
{
    observer o = host(1); /* 8.25 a second, and 5 */
    o.receiver.enforce = true;
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    sb_time heard = o.now;
    for (unsigned i = 1; i <= 3; i++) {
        o.now += SB_SECOND;
        CHECK_EQ(hear_full(&o, 1 + (float)i, 30, 0, 0), SB_OK);
        check_near(o.ship.motion.position.x, 0, 0);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), i);
        CHECK_EQ(o.receiver.received_at, heard); /* it reckons on from where it was */
    }
    o.now += SB_SECOND;
    CHECK_EQ(hear_full(&o, 5, 30, 0, 0), SB_OK); /* 4 x 8.25 + 5: by now it could be there */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 3);
    check_near(o.ship.motion.position.x, 30, 0);
}

TEST(enforced_deltas_beyond_reach_move_nothing)
{
    observer o = host(1);
    o.receiver.enforce = true;
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    writer w = begin(1.1f, SB_STATE_DELTA);
    put(&w, "7F 7F 7F FF 7F");
    o.now += RIG_TICK;
    CHECK_EQ(hear(&o, &w), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
    check_near(o.ship.motion.position.x, 0, 0);
}

/* A late position moves nothing itself; as a base it would move all that follows. */
TEST(a_late_position_beyond_reach_is_counted_and_enforced_it_is_no_base)
{
    for (unsigned enforce = 0; enforce < 2; enforce++) {
        observer o = host(1);
        o.receiver.enforce = enforce;
        o.now = 3 * SB_SECOND;
        CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
        writer w = begin(2, SB_STATE_DELTA);
        put(&w, "7F 00 00 00 00");
        CHECK_EQ(hear(&o, &w), SB_OK);
        CHECK_EQ(hear_full(&o, 1.5f, 900, 0, 0), SB_NOT_ALLOWED);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
        CHECK_EQ(COUNTED(o, SB_RECEIVED_LATE_BASE), !enforce);
        check_near(o.receiver.base.x, enforce ? 0 : 900, 0);
    }
}

/* What was sent over a second and comes at once was flown in a second. */
TEST(after_a_stall_of_the_link_an_honest_sender_is_not_counted)
{
    observer o = host(1);
    o.now = 3 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    o.now += 2 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 2, 6.6f, 0, 0), SB_OK);
    CHECK_EQ(hear_full(&o, 3, 13.2f, 0, 0), SB_OK);
    CHECK_EQ(hear_full(&o, 4, 19.8f, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now += RIG_TICK; /* 8.25 x 5.1 + 5: the clock is the sender's own and buys five seconds */
    CHECK_EQ(hear_full(&o, 1000, 19.8f + 48, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
}

TEST(more_than_40_updates_within_a_second_are_counted)
{
    observer o = host(1);
    o.now = 10 * SB_SECOND;
    for (unsigned i = 0; i < 40; i++) CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_OFTEN), 0);
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full(&o, 0.5f, 0, 0, 0), SB_NOT_ALLOWED); /* whatever becomes of it */
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_OFTEN), 2);
    o.now += SB_SECOND;
    for (unsigned i = 0; i < 40; i++) CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_TOO_OFTEN), 2);
}

TEST(for_two_seconds_after_creation_nothing_is_judged)
{
    observer o = host(1);
    o.now = 2 * SB_SECOND - 1;
    CHECK_EQ(hear_full(&o, 1, 5000, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
    o.now = 2 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 2, 0, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 1);
}

TEST(clients_do_not_judge_what_the_host_says)
{
    observer o = other(1);
    o.now = 10 * SB_SECOND;
    CHECK_EQ(hear_full(&o, 1, 0, 0, 0), SB_OK);
    CHECK_EQ(hear_full(&o, 2, 9000, 0, 0), SB_OK);
    CHECK_EQ(COUNTED(o, SB_RECEIVED_JUMPED), 0);
}

/* ---- counters ---- */

TEST(every_counter_has_a_name_and_a_text)
{
    for (int i = 0; i < SB_RECEIVER_COUNTER_COUNT; i++) {
        CHECK(strlen(sb_receiver_counter_name((sb_receiver_counter)i)) > 2);
        CHECK(strlen(sb_receiver_counter_text((sb_receiver_counter)i)) > 8);
    }
    CHECK_TEXT(sb_receiver_counter_name(SB_RECEIVED_OLD), "old");
    CHECK_TEXT(sb_receiver_counter_name(SB_RECEIVER_COUNTER_COUNT), "unknown");
}

TEST(the_caller_gets_what_was_read)
{
    observer        o = other(1);
    sb_state_update update;
    writer          w = begin(7, SB_STATE_SPEED);
    put(&w, "1B 47");
    CHECK_EQ(sb_receiver_apply(&o.receiver, &o.ship, 0, 0, (sb_span){ w.bytes, w.size }, &update),
             SB_OK);
    CHECK_EQ(update.speed_code, 0x471B);
    CHECK_EQ(update.flags, SB_STATE_SPEED);
}
