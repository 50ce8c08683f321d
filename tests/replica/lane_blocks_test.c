/* tests/replica/lane_blocks_test.c -- the SUBSYS and POWER blocks of a lane, and damage first.
 * Spec 03 §4.3 to §5, §17.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

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

/* Every message to the owner has flags 0x20. Messages to others have them too while nothing moves,
 * except full updates, which the long interval avoids here. */
static void check_starts(uint8_t species, sb_lane_role role, const char *expected, unsigned then)
{
    lane_rig r;
    char     starts[256];
    rig_open(&r, species, role);
    r.options.full_us = 1000 * SB_SECOND;
    r.lane.started = role == SB_LANE_TO_OTHERS;
    if (r.lane.started) { /* as if a full update had been sent before */
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

TEST(all_ships_give_the_starts_and_sizes_of_the_capture)
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
    /* The capture has 22.3 bytes on average (spec 03 §14); all classes for equal times give 22.2.
     */
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
            CHECK(messages >= 2 &&
                  messages <= 8); /* two for the Freighter, which players cannot choose */
        }
}

/* With POS the group byte is before the block and does not count toward its size. Without POS the
 * first boolean of the block opens a group byte inside the block. */
TEST(a_group_byte_before_the_block_is_not_counted)
{
    lane_rig full, plain;
    rig_open(&full, 1, SB_LANE_TO_OTHERS);
    rig_open(&plain, 1, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&full));
    CHECK_EQ(full.update.flags, 0x3D);
    CHECK_EQ(rig_block_bytes(&full), 9); /* hull 1, generator 1 + 1 + 6, no group byte */
    full.lane.subsys_cursor = plain.lane.subsys_cursor = 8;
    full.lane.started = false; /* a full update that starts at entry 8 */
    CHECK(rig_send(&full));
    CHECK_EQ(full.update.flags, 0x3D);
    /* 1 + 2 + 4 + 1 + 1 = 9 bytes after the hull are below the limit of 10, so the generator
     * follows. A group byte inside the block would make it 10 and end it, as 8(9) in spec 03 §4.4.
     */
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
    /* Core 3, cannons 1 + 2 + pct, torpedoes 1 + 1 + pct: 10 bytes with the start index. Without
     * CLOAK the block has one group byte more: 2(11). */
    CHECK_EQ(rig_block_bytes(&r), 10);
    CHECK_EQ(r.bytes[10], 0x67); /* three bits: cloak on, has_power, has_power */
}

/* From the warp engines on, 4 + 2 + 2 bytes and the start index are 9, so one more entry follows. A
 * group byte inside the block would make them 10 and end it. */
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

/* A full update of a ship with a cloak has the bits has_hash and cloak before those of the block.
 */
TEST(the_sixth_boolean_of_a_message_opens_a_second_group_byte)
{
    lane_rig r;
    rig_open(&r, 7, SB_LANE_TO_OTHERS);
    r.lane.subsys_cursor = 8; /* cloak, sensors, repair, tractors: four powered entries */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x7D);
    CHECK_EQ(r.bytes[22], 0xBC); /* five bits: has_hash 0, cloak 0, three times has_power 1 */
    /* 2 + 2 + 2 bytes are below the limit of 10, so the fourth entry follows with a group byte. */
    CHECK_EQ(rig_block_bytes(&r), 2 + 2 + 2 + 5);
    CHECK_EQ(r.bytes[r.size - 2], 0x21);
}

/* No stock list has six booleans in a block below the limit; the list of a mod can. */
TEST(a_second_group_byte_inside_the_block_is_counted)
{
    rig_mod  mod;
    lane_rig r;
    rig_mod_init(&mod, 12);
    rig_open_mod(&r, &mod, SB_LANE_TO_OWNER);
    CHECK(rig_send(&r));
    /* Start 1, group 1, five conditions, group 1, condition 1 are 9; the next entry makes 10. */
    CHECK_EQ(r.update.entry_count, 7);
    CHECK_EQ(rig_block_bytes(&r), 9);
    mod.list[0].format = SB_FORMAT_BASE; /* one byte and no boolean */
    rig_open_mod(&r, &mod, SB_LANE_TO_OWNER);
    CHECK(rig_send(&r));
    /* Start 1, hull 1, group 1, five conditions are 8; the sixth boolean makes 10. */
    CHECK_EQ(r.update.entry_count, 7);
    CHECK_EQ(rig_block_bytes(&r), 9);
}

/* Four entries of 2 bytes and the start index are 9, so a fifth follows, unless one of the four
 * opens a group byte. */
TEST(four_power_bits_fit_behind_has_hash_or_behind_the_cloak)
{
    rig_mod  mod;
    lane_rig r;
    rig_mod_init(&mod, 12);
    rig_open_mod(&r, &mod, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x3D);
    CHECK_EQ(r.update.entry_count, 5);
    CHECK_EQ(rig_block_bytes(&r), 4 * 2 + 3);
    mod.model.can_cloak = true;
    rig_open_mod(&r, &mod, SB_LANE_TO_OTHERS);
    CHECK(rig_send(&r));
    r.ship.cloaked = true;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.flags, 0x60);
    CHECK_EQ(r.update.entry_count, 5);
    CHECK_EQ(rig_block_bytes(&r), 4 * 2 + 3);
}

static void open_documented(lane_rig *r, sb_lane_role role)
{
    sb_lane_options options;
    sb_lane_options_stock(&options);
    options.layout_forced = true;
    options.layout = SB_SHIELD_DOCUMENTED;
    rig_open_with(r, 1, role, &options);
}

TEST(in_the_documented_layout_the_generator_has_one_byte)
{
    lane_rig r;
    open_documented(&r, SB_LANE_TO_OWNER);
    CHECK_EQ(sb_lane_context(&r.lane, &r.frame, &r.options).layout, SB_SHIELD_DOCUMENTED);
    CHECK(rig_send(&r));
    /* 1 hull, 1 generator, 2 sensors with the group byte, 3 core, 3 impulse. */
    CHECK_EQ(r.update.entry_count, 5);
    CHECK_EQ(rig_block_bytes(&r), 10);
    CHECK_EQ(r.lane.subsys_cursor, 5);
    r.options.layout_forced = false; /* now the ship's data decide, which say stock */
    CHECK_EQ(sb_lane_context(&r.lane, &r.frame, &r.options).layout, SB_SHIELD_STOCK);
}

/* The receiver gets everything except facings and the generator's power, which are not sent. */
TEST(a_receiver_that_expects_the_documented_layout_reads_it)
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
    s->condition[0] =
        s->model->subsystems[0].max_condition * 0.5f; /* 127.5 is truncated, not rounded */
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

TEST(a_moved_slider_is_sent_once_if_its_code_changed)
{
    lane_rig r;
    char     text[256] = "";
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 3);
    r.ship.power_wanted[5] = 0.5f;
    r.ship.power_wanted[2] = 1.001f; /* trunc(204.2) is still 0xCC */
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
    CHECK_EQ(r.update.pair_count, 0); /* hull, reactor and bridge have no settings */
}

TEST(many_new_settings_continue_where_the_last_block_ended)
{
    lane_rig r;
    char     text[256] = "";
    rig_open(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 2); /* the next block would start at 8 */
    for (unsigned i = 0; i < 11; i++) r.ship.power_wanted[i] = 0.25f;
    for (unsigned i = 0; i < 4; i++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(8:33 9:33 1:33)(2:33 4:33 5:33)(6:33 7:33)()");
}

/* The lists of stock ships begin with the hull, which has no setting. */
TEST(the_first_entry_of_a_list_has_its_turn_too)
{
    rig_mod  mod;
    lane_rig r;
    char     text[256] = "";
    rig_mod_init(&mod, 4);
    rig_open_mod(&r, &mod, SB_LANE_TO_HOST);
    for (unsigned i = 0; i < 3; i++) list_pairs(&r, text, sizeof text);
    r.ship.power_wanted[0] = 0.25f;
    list_pairs(&r, text, sizeof text);
    for (unsigned i = 0; i < 4; i++) r.ship.power_wanted[i] = 0.5f;
    list_pairs(&r, text, sizeof text);
    list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(0:CC 1:CC 2:CC)(3:CC)()(0:33)(3:66 0:66 1:66)(2:66)");
}

/* The levels of a new lane are unset, not 0. */
TEST(after_creation_a_setting_of_0_is_new_too)
{
    rig_mod  mod;
    lane_rig r;
    char     text[256] = "";
    rig_mod_init(&mod, 2);
    rig_open_mod(&r, &mod, SB_LANE_TO_HOST);
    r.ship.power_wanted[0] = r.ship.power_wanted[1] = 0;
    sb_frame_init(&r.frame, &r.ship);
    sb_lane_init(&r.lane, SB_LANE_TO_HOST, &r.frame, &r.options);
    list_pairs(&r, text, sizeof text);
    list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(0:00 1:00)()");
}

TEST(no_block_has_the_same_setting_twice)
{
    rig_mod  mod;
    lane_rig r;
    char     text[256] = "";
    rig_mod_init(&mod, 1);
    rig_open_mod(&r, &mod, SB_LANE_TO_HOST);
    r.options.level_repeats = 3;
    sb_lane_init(&r.lane, SB_LANE_TO_HOST, &r.frame, &r.options);
    for (unsigned i = 0; i < 4; i++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(0:CC)(0:CC)(0:CC)()");
}

TEST(a_list_of_32_settings_is_sent_to_its_end)
{
    rig_mod  mod;
    lane_rig r;
    rig_mod_init(&mod, SB_SUBSYSTEMS_MAX);
    rig_open_mod(&r, &mod, SB_LANE_TO_HOST);
    for (unsigned n = 0; n < SB_SUBSYSTEMS_MAX; n++) {
        if (n % 3 == 0) CHECK(rig_send(&r));
        CHECK_EQ(r.update.pairs[n % 3].index, n);
    }
    CHECK_EQ(r.update.pair_count, 2);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.pair_count, 0);
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

TEST(our_clients_put_a_new_setting_into_three_messages)
{
    lane_rig r;
    char     text[256] = "";
    rig_open_default(&r, 1, SB_LANE_TO_HOST);
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

TEST(a_setting_that_changes_again_restarts_its_repeats)
{
    lane_rig r;
    char     text[256] = "";
    rig_open_default(&r, 1, SB_LANE_TO_HOST);
    rig_send_many(&r, 20);
    r.ship.power_wanted[7] = 0.25f;
    list_pairs(&r, text, sizeof text);
    r.ship.power_wanted[7] = 0.5f;
    for (unsigned n = 0; n < 4; n++) list_pairs(&r, text, sizeof text);
    CHECK_TEXT(text, "(7:33)(7:66)(7:66)(7:66)()");
}

/* ---- beyond stock (spec 03 §17) ---- */

TEST(the_stock_options_go_nowhere_beyond_the_game)
{
    sb_lane_options o;
    sb_lane_options_stock(&o);
    CHECK(!o.damage_first);
    CHECK(!o.rare_health);
    CHECK(!o.layout_forced);
    CHECK_EQ(o.level_repeats, 1);
    CHECK_EQ(o.interval_us, 100000);
    CHECK_EQ(o.full_us, 1000000);
    CHECK_EQ(o.lossy_full_us, 0);
}

TEST(our_options_are_those_of_the_spec)
{
    sb_lane_options o;
    sb_lane_options_default(&o);
    CHECK(o.damage_first);
    CHECK(!o.rare_health);
    CHECK(!o.layout_forced);
    CHECK_EQ(o.level_repeats, 3);
    CHECK_EQ(o.interval_us, 100000);
    CHECK_EQ(o.full_us, 1000000);
    CHECK_EQ(o.lossy_full_us, 250000);
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
            rig_open_default(&r, rig_species[i], SB_LANE_TO_OTHERS);
            rig_send_many(&r, 4 + index);
            hurt(&r.ship, index);
            CHECK(rig_send(&r));
            CHECK(block_has(&r, index));
        }
}

TEST(damage_to_a_part_or_a_facing_counts_as_damage)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 2); /* the cursor is at 6 */
    r.ship.facing[3] *= 0.9f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 1);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 6); /* the cycle continues */
    r.ship.child_condition[r.ship.model->subsystems[5].first_child + 7] *= 0.9f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 5);
}

/* That layout sends no facings, so a block that starts with the generator would carry nothing new.
 */
TEST(in_the_documented_layout_a_hit_on_a_facing_waits_for_nothing)
{
    lane_rig        r;
    sb_lane_options options;
    sb_lane_options_default(&options);
    options.layout_forced = true;
    options.layout = SB_SHIELD_DOCUMENTED;
    rig_open_with(&r, 1, SB_LANE_TO_OWNER, &options);
    rig_send_many(&r, 2);
    unsigned cursor = r.lane.subsys_cursor;
    CHECK(cursor != 1);
    r.ship.facing[3] *= 0.9f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, cursor);
    hurt(&r.ship, 1); /* damage to the generator itself is sent */
    CHECK(rig_send(&r));
    CHECK(block_has(&r, 1));
}

TEST(values_that_fall_without_a_hit_or_rise_wait_their_turn)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OTHERS);
    rig_send_many(&r, 2);
    unsigned cursor = r.lane.subsys_cursor;
    r.ship.main_battery *= 0.5f;
    r.ship.power_wanted[2] = 0.25f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, cursor);
    r.ship.facing[0] *= 0.5f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 1);
    CHECK(rig_send(&r)); /* a block at the cursor; the next block may start at damage again */
    cursor = r.lane.subsys_cursor;
    CHECK(cursor != 1);
    r.ship.facing[0] *= 2;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, cursor);
    hurt(&r.ship, 8);
    rig_send_many(&r, 2);
    cursor = r.lane.subsys_cursor;
    r.ship.condition[8] = r.ship.model->subsystems[8].max_condition; /* repaired */
    CHECK(cursor != 8);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, cursor);
}

TEST(damage_goes_first_every_other_time_so_the_cycle_completes)
{
    for (unsigned i = 0; i < RIG_STOCK_SHIPS; i++) {
        lane_rig r;
        uint32_t seen = 0, all;
        bool     jumped = false;
        rig_open_default(&r, rig_species[i], SB_LANE_TO_OWNER);
        all = (1u << r.ship.model->subsystem_count) - 1;
        for (unsigned n = 0; n < 16; n++) { /* twice the longest cycle */
            unsigned cursor = r.lane.subsys_cursor;
            hurt(&r.ship, n % 2);
            CHECK(rig_send(&r));
            bool jumps = r.update.start_index != cursor;
            CHECK(!(jumps && jumped));
            if (jumps) CHECK_EQ(r.lane.subsys_cursor, cursor);
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
    rig_open_default(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 1); /* the cursor is at 2 */
    hurt(&r.ship, 8);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 8);
    hurt(&r.ship, 7);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 2); /* the cursor, not the damage */
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

TEST(damage_to_two_entries_takes_two_blocks)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OWNER);
    rig_send_many(&r, 1); /* the cursor is at 2 */
    hurt(&r.ship, 0);
    hurt(&r.ship, 5);
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 5);
    CHECK(!block_has(&r, 0));
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 2); /* the cycle continues */
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, 0);
}

TEST(damage_below_a_step_of_the_code_waits_its_turn)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OWNER);
    hurt(&r.ship, 8);
    rig_send_many(&r, 3);
    unsigned cursor = r.lane.subsys_cursor;
    CHECK(cursor != 8);
    r.ship.condition[8] *= 0.9999f;
    CHECK(rig_send(&r));
    CHECK_EQ(r.update.start_index, cursor);
}

/* A lane may have no update for a frame; its damage still comes first in the next block. */
TEST(damage_of_a_skipped_frame_comes_first_in_the_next_block)
{
    for (sb_lane_role role = SB_LANE_TO_HOST; role <= SB_LANE_TO_OTHERS; role++) {
        lane_rig r;
        rig_open_default(&r, 1, role);
        rig_send_many(&r, 1); /* the cursor is at 2 */
        hurt(&r.ship, 8);
        sb_frame_update(&r.frame, &r.ship, r.ship.motion.position);
        sb_lane_skip(&r.lane, &r.frame, &r.options);
        CHECK(rig_send(&r));
        if (role == SB_LANE_TO_HOST) CHECK_EQ(r.lane.damaged, 0); /* it sends no conditions */
        else CHECK_EQ(r.update.start_index, 8);
    }
}

/* ---- SUBSYS only in full updates (spec 03 §7) ---- */

TEST(with_rare_health_only_full_updates_have_subsystems)
{
    lane_rig r;
    rig_open_default(&r, 1, SB_LANE_TO_OTHERS);
    r.options.rare_health = true;
    for (unsigned n = 0; n < 23; n++) {
        r.ship.motion.position.x += 0.5f;
        if (n == 13) hurt(&r.ship, 8);
        CHECK(rig_send(&r));
        CHECK_EQ(r.update.flags, n % 11 == 0 ? 0x3D : 0x02);
        if (n == 22) CHECK_EQ(r.update.start_index, 8); /* the damage since the last full update */
    }
    rig_open_default(&r, 1, SB_LANE_TO_OWNER);
    r.options.rare_health = true;
    for (unsigned n = 0; n < 23; n++) CHECK_EQ(rig_send(&r), n % 11 == 0);
}
