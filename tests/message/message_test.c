/* tests/message/message_test.c -- rules of single messages that the vectors do not cover. */
#include <starbase/datagram.h>
#include <starbase/message.h>

#include "message/describe.h"

#include "test.h"
#include "vector_fields.h"

#include <stdio.h>
#include <string.h>

static sb_message message;

static sb_result decode_hex(const char *hex, const sb_ship_class *ship, sb_refusal *why)
{
    static uint8_t     bytes[4096];
    size_t             size = test_hex(hex, bytes, sizeof bytes);
    sb_message_context context = { .ship = ship };
    return sb_decode_message((sb_span){ bytes, size }, &context, &message, why);
}

static const sb_ship_class *akira(void)
{
    return sb_find_ship(sb_stock_ships(), 1);
}

#define HEADER "1C FF FF FF 3F 00 00 70 42 "

TEST(subsys_without_a_start_index_is_malformed)
{
    CHECK_EQ(decode_hex(HEADER "20", akira(), NULL), SB_TRUNCATED);
}

TEST(an_entry_cut_short_keeps_the_entries_before_it)
{
    /* start 0: hull, then a shield generator that lacks its last facing */
    CHECK_EQ(decode_hex(HEADER "20 00 FF FF 20 FF FF FF FF FF", akira(), NULL), SB_OK);
    CHECK_EQ(message.as.state_update.entry_count, 1);
    CHECK_EQ(message.trailing.size, 7);
}

TEST(a_bad_group_count_inside_an_entry_ends_the_block)
{
    static const char *const groups[] = { "00", "1F", "C0", "FF" };
    for (int i = 0; i < 4; i++) {
        char hex[128] = HEADER "20 00 FF FF ";
        strcat(strcat(hex, groups[i]), " FF FF FF FF FF FF");
        CHECK_EQ(decode_hex(hex, akira(), NULL), SB_OK);
        CHECK_EQ(message.as.state_update.entry_count, 1);
    }
}

TEST(a_start_index_beyond_the_list_leaves_the_block_unread)
{
    CHECK_EQ(decode_hex(HEADER "20 0B FF FF", akira(), NULL), SB_OK);
    CHECK_EQ(message.as.state_update.entry_count, 0);
    CHECK_EQ(message.as.state_update.block.size, 2);
}

TEST(a_block_stops_after_one_cycle)
{
    /* 11 entries of an Akira towards its owner are 39 bytes and two group bytes; add a 12th hull */
    char hex[400] = HEADER "20 00 FF FF A0 ";
    for (int i = 0; i < 32; i++) strcat(hex, "FF ");
    strcat(hex, "60 ");
    for (int i = 0; i < 6; i++) strcat(hex, "EE "); /* one more than is left of the cycle */
    CHECK_EQ(decode_hex(hex, akira(), NULL), SB_OK);
    CHECK_EQ(message.as.state_update.entry_count, 11);
    CHECK_EQ(message.trailing.size, 1);
}

TEST(with_both_blocks_flagged_subsys_is_read_and_power_is_empty)
{
    CHECK_EQ(decode_hex(HEADER "A0 00 FF", akira(), NULL), SB_OK);
    CHECK_EQ(message.as.state_update.entry_count, 1);
    CHECK_EQ(message.as.state_update.pair_count, 0);
}

TEST(bytes_behind_an_update_without_blocks_are_left_over)
{
    static const char *const flags[] = { "00", "01" };
    static const char *const fields[] = { "", "00 00 00 00 00 00 00 00 00 00 00 00 20" };
    for (int i = 0; i < 2; i++) {
        char hex[128];
        snprintf(hex, sizeof hex, HEADER "%s %s 01 CC", flags[i], fields[i]);
        CHECK_EQ(decode_hex(hex, akira(), NULL), SB_OK);
        CHECK_EQ(message.as.state_update.pair_count, 0);
        CHECK_EQ(message.trailing.size, 2);
    }
}

TEST(an_odd_last_byte_of_a_power_block_is_left_over)
{
    CHECK_EQ(decode_hex(HEADER "80 01 CC 02", akira(), NULL), SB_OK);
    CHECK_EQ(message.as.state_update.pair_count, 1);
    CHECK_EQ(message.trailing.size, 1);
}

TEST(absurd_coordinates_are_malformed)
{
    sb_refusal why;
    /* x = 1.6e7 */
    CHECK_EQ(decode_hex(HEADER "01 00 24 74 4B 00 00 00 00 00 00 00 00 20", NULL, &why),
             SB_BAD_VALUE);
    CHECK_EQ(why.offset, 10);
    CHECK_TEXT(why.field, "position");
    CHECK_EQ(decode_hex(HEADER "01 00 00 00 00 00 00 00 00 00 00 80 7F 20", NULL, NULL),
             SB_BAD_VALUE);
}

TEST(encoding_entries_of_a_ship_nobody_knows_is_refused)
{
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    uint8_t    out[64];
    size_t     size;
    m.as.state_update.flags = SB_STATE_SUBSYS;
    m.as.state_update.entry_count = 1;
    CHECK_EQ(sb_encode_message(&m, NULL, out, sizeof out, &size), SB_BAD_VALUE);
}

TEST(a_class_id_that_crashes_stock_receivers_is_refused)
{
    sb_refusal why;
    CHECK_EQ(decode_hex("02 00 0A 80 00 00 01 00 00 00 01", NULL, &why), SB_BAD_VALUE);
    CHECK_TEXT(why.field, "class_id");
    CHECK_EQ(why.offset, 2);
}

TEST(a_collision_of_another_class_or_length_is_refused)
{
    CHECK_EQ(decode_hex("15 01 01 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F", NULL, NULL),
             SB_BAD_VALUE);
    CHECK_EQ(decode_hex(
                 "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 BB 20 A0 44 00",
                 NULL, NULL),
             SB_TRAILING);
    CHECK_EQ(
        decode_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 00 BB 20 A0 44", NULL, NULL),
        SB_OK);
    CHECK_EQ(
        decode_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 21 BB 20 A0 44", NULL, NULL),
        SB_BAD_VALUE);
    CHECK_EQ(decode_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 21", NULL, NULL),
             SB_BAD_VALUE);
}

TEST(a_checksum_tree_deeper_than_eight_levels_is_refused)
{
    char hex[1024] = "21 01 00 00 00 00 ";
    for (int i = 0; i < 8; i++) strcat(hex, "00 00 01 AA BB CC DD ");
    strcat(hex, "00 00 00");
    CHECK_EQ(decode_hex(hex, NULL, NULL), SB_OK);
    sb_tree_cursor cursor;
    sb_tree_cursor_init(&cursor, &message.as.checksum_response);
    for (unsigned depth = 1; depth <= 8; depth++) {
        sb_tree_step step = sb_tree_cursor_next(&cursor);
        CHECK_EQ(step.kind, SB_TREE_DIRECTORY);
        CHECK_EQ(step.depth, depth);
        CHECK_EQ(step.name_hash, 0xDDCCBBAA);
    }
    CHECK_EQ(sb_tree_cursor_next(&cursor).kind, SB_TREE_END);
    hex[strlen(hex) - 1] = '1';
    strcat(hex, " AA BB CC DD 00 00 00");
    CHECK_EQ(decode_hex(hex, NULL, NULL), SB_BAD_VALUE);
}

TEST(a_file_count_beyond_the_message_is_refused_at_once)
{
    sb_refusal why;
    CHECK_EQ(decode_hex("21 01 00 00 00 00 FF FF 01 02 03", NULL, NULL), SB_TRUNCATED);
    CHECK_EQ(decode_hex("21 01 00 00 00 00 01 00 01 02 03 04 05 06 07", NULL, &why), SB_TRUNCATED);
    CHECK_TEXT(why.field, "files");
    CHECK_EQ(why.offset, 8);
}

TEST(mod_messages_keep_their_bytes)
{
    CHECK_EQ(decode_hex("CD 2A 00 00 00", NULL, NULL), SB_OK);
    CHECK_EQ(message.as.mod_message.content.size, 4);
    CHECK_EQ(decode_hex("2B", NULL, NULL), SB_OK);
    CHECK_EQ(message.as.mod_message.content.size, 0);
}

/* ---- what is absent ---- */

/* The struct may hold an earlier message. */
static void decode_over_rubbish(const char *hex, const sb_ship_class *ship)
{
    memset(&message, 0xEE, sizeof message);
    CHECK_EQ(decode_hex(hex, ship, NULL), SB_OK);
    CHECK_EQ(message.trailing.size, 0);
    CHECK_EQ(message.group_count, 0);
}

#define ZEROS "00 00 00 00 "

TEST(fields_that_a_join_message_lacks_decode_to_zero)
{
    decode_over_rubbish("00 00 00 05 42 61 00 00 00", NULL);
    CHECK(!message.as.settings.checksum_flag);
    CHECK_EQ(message.as.settings.correction.size, 0);
    decode_over_rubbish("21 01 30 CB AF 4D", NULL);
    CHECK_EQ(message.as.checksum_response.ref_hash, 0);
    CHECK_EQ(message.as.checksum_response.tree.size, 0);
    CHECK(message.as.checksum_response.no_files);
    decode_over_rubbish("21 01 30 CB AF 4D 00 00 00", NULL);
    CHECK(!message.as.checksum_response.no_files);
    CHECK_EQ(message.as.checksum_response.tree.size, 3);
    decode_over_rubbish("2A", NULL);
    CHECK(!message.as.new_player_in_game.has_flag);
    CHECK(!message.as.new_player_in_game.flag);
}

TEST(fields_that_a_fire_message_lacks_decode_to_zero)
{
    const sb_torpedo_fire *torpedo = &message.as.torpedo_fire;
    decode_over_rubbish("19 07 00 00 40 02 05 00 7F 00", NULL); /* no target */
    CHECK(!torpedo->documented);
    CHECK_EQ(torpedo->target, 0);
    CHECK_EQ(torpedo->aim.direction.x | torpedo->aim.magnitude_code, 0);
    CHECK_EQ(torpedo->aim_distance.direction.y | torpedo->aim_distance.magnitude_code, 0);
    decode_over_rubbish("19 07 00 00 40 02 03 00 7F 00 01 00 00 40 01 02 03 04 05", NULL);
    CHECK(torpedo->documented);
    CHECK_EQ(torpedo->aim.direction.z | torpedo->aim.magnitude_code, 0);
    CHECK_EQ(torpedo->aim_distance.magnitude_code, 0x0504);
    decode_over_rubbish("1A 77 00 00 40 02 00 7F 00 01", NULL);
    CHECK_EQ(message.as.pulse_fire.target, 0);
    decode_over_rubbish("0C 01 01 00 00 50 00 80 00 " ZEROS ZEROS, NULL);
    CHECK_EQ(message.as.event.extension.size, 0);
}

TEST(fields_that_a_script_message_lacks_decode_to_zero)
{
    const sb_score_change *change = &message.as.score_change;
    decode_over_rubbish("35 08 01 FF 0F", NULL);
    CHECK_EQ(message.as.mission_init.end_time, 0);
    decode_over_rubbish("36 " ZEROS "02 00 00 00 01 00 00 00 00", NULL); /* nobody's kill */
    CHECK_EQ(change->kills | change->score, 0);
    CHECK_EQ(change->entry_count | change->announced, 0);
    CHECK_EQ(change->numbers.size, 0);
    decode_over_rubbish("36 " ZEROS "02 00 00 00 01 00 00 00 01 07 00 00 00", NULL);
    CHECK_EQ(change->entry_count, 0);
    CHECK_EQ(change->announced, 1);
}

TEST(fields_that_an_object_message_lacks_decode_to_zero)
{
    decode_over_rubbish("02 00 09 80 00 00 01 00 00 40 02", NULL); /* a torpedo */
    CHECK(!message.as.object_create.snapshot_known);
    CHECK_EQ(message.as.object_create.opaque.size, 0);
    decode_over_rubbish(HEADER "00", akira());
    const sb_state_update *update = &message.as.state_update;
    CHECK(!update->has_hash && !update->cloak);
    CHECK_EQ(update->start_index | update->entry_count | update->pair_count, 0);
    CHECK_EQ(update->hash | update->speed_code | update->block.size, 0);
    CHECK_EQ(update->delta.magnitude_code | update->forward.x | update->up.z, 0);
}

/* ---- encoding structs that the caller filled in ---- */

static sb_result encode(const sb_message *m, const sb_ship_class *ship, size_t capacity)
{
    static uint8_t     out[1 << 16];
    size_t             size;
    sb_message_context context = { .ship = ship };
    return sb_encode_message(m, &context, out, capacity, &size);
}

TEST(counts_beyond_their_arrays_are_refused_by_the_encoder)
{
    static sb_message m;
    for (unsigned count = 0; count < 256; count++) {
        m = (sb_message){ .opcode = SB_OP_STATE_UPDATE };
        m.as.state_update.flags = SB_STATE_SUBSYS;
        m.as.state_update.entry_count = (uint8_t)count;
        CHECK_EQ(encode(&m, akira(), sizeof m), count <= 11 ? SB_OK : SB_BAD_VALUE);
        m = (sb_message){ .opcode = SB_OP_STATE_UPDATE };
        m.as.state_update.flags = SB_STATE_POWER;
        m.as.state_update.pair_count = (uint8_t)count;
        CHECK_EQ(encode(&m, akira(), 4096), count <= SB_SUBSYSTEMS_MAX ? SB_OK : SB_BAD_VALUE);
        m = (sb_message){ .opcode = SB_OP_COLLISION };
        m.as.event.event_class = SB_EVENT_COLLISION;
        m.as.event.contact_count = (uint8_t)count;
        CHECK_EQ(encode(&m, NULL, 4096), count <= SB_CONTACTS_MAX ? SB_OK : SB_BAD_VALUE);
        m = (sb_message){ .opcode = SB_OP_SCORE_CHANGE };
        m.as.score_change.entry_count = (uint8_t)count;
        CHECK_EQ(encode(&m, NULL, 4096), SB_OK);
    }
}

/* The encoder adds the NUL without being asked: a stock receiver needs it (spec 07 §7). */
TEST(the_length_of_a_set_name_counts_its_nul)
{
    static const uint8_t name[] = "Multi1", wire[] = "\x1F\xFF\xFF\xFF\x3F\x07\0\0\0Multi1";
    sb_message           m = { .opcode = SB_OP_ENTER_SET };
    uint8_t              out[64];
    size_t               size;
    m.as.enter_set = (sb_enter_set){ .object_id = 0x3FFFFFFF, .set_name = { name, 6 } };
    CHECK_EQ(sb_encode_message(&m, NULL, out, sizeof out, &size), SB_OK);
    CHECK_BYTES(out, size, wire, sizeof wire);
    CHECK_EQ(sb_decode_message((sb_span){ out, size }, NULL, &m, NULL), SB_OK);
    CHECK(!m.as.enter_set.unterminated);
    CHECK_BYTES(m.as.enter_set.set_name.data, m.as.enter_set.set_name.size, name, 6);
    m.as.enter_set.unterminated = true;
    m.as.enter_set.set_name.size = 7; /* a name that ends with NUL is not unterminated */
    CHECK_EQ(sb_encode_message(&m, NULL, out, sizeof out, &size), SB_BAD_VALUE);
}

/* Spec 09 §6: the head of such a message counts, whatever its entries are. */
TEST(a_score_change_that_lacks_ids_keeps_its_head_and_numbers)
{
    static const char head[] = "36 03 00 00 00 04 00 00 00 9C 04 00 00 02 00 00 00 05 00 00 00 ";
    static const struct {
        unsigned  k;
        size_t    numbers; /* behind the count */
        sb_result result;
    } rows[] = {
        { 1, 1, SB_OK },        { 2, 2, SB_OK },        { 2, 3, SB_OK },       { 3, 5, SB_OK },
        { 3, 2, SB_TRUNCATED }, { 1, 0, SB_TRUNCATED }, { 0, 1, SB_TRAILING }, { 5, 9, SB_OK },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char hex[256];
        snprintf(hex, sizeof hex, "%s %02X", head, rows[i].k);
        for (size_t n = 0; n < rows[i].numbers; n++) strcat(hex, " 07 00 00 00");
        CHECK_EQ(decode_hex(hex, NULL, NULL), rows[i].result);
        if (rows[i].result != SB_OK) continue;
        const sb_score_change *s = &message.as.score_change;
        CHECK_EQ(s->killer, 3);
        CHECK_EQ(s->score, 1180);
        CHECK_EQ(s->deaths, 5);
        CHECK_EQ(s->entry_count, 0);
        CHECK_EQ(s->announced, rows[i].k);
        CHECK_EQ(s->numbers.size, 4 * rows[i].numbers);
        message.as.score_change.announced = (uint8_t)(rows[i].numbers + 1);
        CHECK_EQ(encode(&message, NULL, 4096), SB_BAD_VALUE); /* no reader would accept it */
    }
}

TEST(what_no_reader_would_accept_is_not_encoded)
{
    static const uint8_t junk[] = { 1, 2, 3 };
    sb_message           m = { .opcode = SB_OP_COLLISION, .trailing = { junk, 1 } };
    m.as.event.event_class = SB_EVENT_COLLISION;
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
    m = (sb_message){ .opcode = SB_OP_CHECKSUM_RESPONSE };
    m.as.checksum_response.tree = (sb_span){ junk, 3 };
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
    m.as.checksum_response.no_files = true; /* and yet a tree */
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
    m.as.checksum_response.tree.size = 1;
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
    m.as.checksum_response.tree = (sb_span){ NULL, 0 };
    CHECK_EQ(encode(&m, NULL, 4096), SB_OK);
    m.as.checksum_response.no_files = false; /* and yet no tree */
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
    m = (sb_message){ .opcode = SB_OP_SCORE_CHANGE };
    m.as.score_change.announced = 1;
    m.as.score_change.numbers = (sb_span){ junk, 1 }; /* less than a number */
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
}

/* A message in memory that cannot be written to. */
TEST(the_encoder_changes_nothing_in_the_message)
{
    static const sb_message messages[] = {
        { .opcode = SB_OP_COLLISION,
          .as.event = { .event_class = SB_EVENT_COLLISION, .contact_count = 2 } },
        { .opcode = SB_OP_SCORE_CHANGE, .as.score_change = { .victim = 2, .entry_count = 2 } },
        { .opcode = SB_OP_STATE_UPDATE,
          .as.state_update = { .flags = SB_STATE_POWER, .pair_count = 2 } },
        { .opcode = SB_OP_STATE_UPDATE,
          .as.state_update = { .flags = SB_STATE_SUBSYS | SB_STATE_POS, .entry_count = 2 } },
        { .opcode = SB_OP_SETTINGS },
        { .opcode = SB_OP_TORPEDO_FIRE },
        { .opcode = SB_OP_PULSE_FIRE },
        { .opcode = SB_OP_MISSION_INIT, .as.mission_init = { .time_limit = 20, .end_time = 9 } },
        { .opcode = SB_OP_NEW_PLAYER_IN_GAME },
        { .opcode = SB_OP_CHECKSUM_RESPONSE, .as.checksum_response = { .no_files = true } },
        { .opcode = SB_OP_ENTER_SET, .as.enter_set = { .set_name = { (const uint8_t *)"x", 1 } } },
        { .opcode = SB_OP_OBJECT_CREATE,
          .as.object_create = { .class_id = SB_CLASS_SHIP, .species = 1, .snapshot_known = true } },
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        CHECK_EQ(encode(&messages[i], akira(), 4096), SB_OK);
}

/* Spec 08 §14.1. */
TEST(only_mode_2_and_nine_more_bytes_are_the_documented_torpedo)
{
    static const struct {
        uint8_t flags;
        size_t  rest;
        bool    documented;
        size_t  trailing;
    } rows[] = {
        { 0x02, 9, true, 0 },   { 0x03, 9, true, 0 },  { 0x06, 9, true, 0 },  { 0x02, 8, false, 0 },
        { 0x02, 10, false, 2 }, { 0x01, 9, false, 1 }, { 0x05, 9, false, 9 }, { 0x00, 9, false, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[32] = { 0x19, 7, 0, 0, 0x40, 2, rows[i].flags, 0, 0x7F, 0 };
        sb_span payload = { bytes, 10 + rows[i].rest };
        CHECK_EQ(sb_decode_message(payload, NULL, &message, NULL), SB_OK);
        CHECK_EQ(message.as.torpedo_fire.documented, rows[i].documented);
        CHECK_EQ(message.trailing.size, rows[i].trailing);
    }
    message = (sb_message){ .opcode = SB_OP_TORPEDO_FIRE, .as.torpedo_fire.documented = true };
    CHECK_EQ(encode(&message, NULL, 4096), SB_BAD_VALUE);
    message.as.torpedo_fire.flags = SB_TORPEDO_MODE_2;
    CHECK_EQ(encode(&message, NULL, 4096), SB_OK);
}

/* Spec 07 §7: 1 to 64 bytes, with or without a NUL behind them. */
TEST(a_set_name_has_1_to_64_bytes)
{
    static const size_t sizes[] = { 0, 1, 2, 63, 64, 65 };
    for (size_t i = 0; i < 6; i++)
        for (size_t nul = 0; nul < 2; nul++) {
            uint8_t bytes[80] = { 0x1F, 1, 0, 0, 0x40 };
            size_t  size = sizes[i];
            bool    allowed = size >= 1 && size <= 64;
            bytes[5] = (uint8_t)(size + nul);
            memset(bytes + 9, 'x', size);
            sb_span payload = { bytes, 9 + size + nul };
            CHECK_EQ(sb_decode_message(payload, NULL, &message, NULL),
                     allowed ? SB_OK : SB_BAD_VALUE);
            if (!allowed) continue;
            CHECK_EQ(message.as.enter_set.unterminated, nul == 0);
            CHECK_EQ(message.as.enter_set.set_name.size, size);
            CHECK_EQ(message.trailing.size, 0);
            CHECK_EQ(encode(&message, NULL, 4096), SB_OK);
            message.as.enter_set.set_name.size = 0;
            CHECK_EQ(encode(&message, NULL, 4096), SB_BAD_VALUE);
            message.as.enter_set.set_name.size = 65;
            CHECK_EQ(encode(&message, NULL, 4096), SB_BAD_VALUE);
        }
}

TEST(a_block_given_as_bytes_is_encoded_as_it_is)
{
    static const uint8_t bytes[] = { 0xAA, 0xBB }, wire[] = { 0x20, 0, 0xAA, 0xBB };
    sb_message           m = { .opcode = SB_OP_STATE_UPDATE };
    sb_message_context   context = { .ship = akira() };
    uint8_t              out[64];
    size_t               size;
    m.as.state_update.flags = SB_STATE_SUBSYS;
    m.as.state_update.block = (sb_span){ bytes, 2 };
    CHECK_EQ(sb_encode_message(&m, &context, out, sizeof out, &size), SB_OK);
    CHECK_BYTES(out + 9, size - 9, wire, sizeof wire);
    m.as.state_update.entry_count = 1; /* and yet entries */
    CHECK_EQ(sb_encode_message(&m, &context, out, sizeof out, &size), SB_BAD_VALUE);
}

TEST(a_snapshot_of_a_ship_nobody_knows_is_not_encoded)
{
    sb_message m = { .opcode = SB_OP_OBJECT_CREATE };
    m.as.object_create = (sb_object_create){ .class_id = SB_CLASS_SHIP, .species = 200 };
    CHECK_EQ(encode(&m, NULL, 4096), SB_OK);
    m.as.object_create.snapshot_known = true;
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
    m.as.object_create.species = 1;
    CHECK_EQ(encode(&m, NULL, 4096), SB_OK);
}

TEST(power_pairs_beyond_the_longest_list_are_left_over)
{
    uint8_t bytes[10 + 2 * SB_SUBSYSTEMS_MAX + 3] = { 0x1C };
    bytes[9] = SB_STATE_POWER;
    for (size_t extra = 0; extra <= 3; extra++) {
        sb_span payload = { bytes, sizeof bytes - 3 + extra };
        CHECK_EQ(sb_decode_message(payload, NULL, &message, NULL), SB_OK);
        CHECK_EQ(message.as.state_update.pair_count, SB_SUBSYSTEMS_MAX);
        CHECK_EQ(message.trailing.size, extra);
    }
}

TEST(a_directory_has_up_to_255_subdirectories)
{
    static uint8_t bytes[6 + 3 + 255 * 4 + 255 * 3] = { 0x21, 1 };
    bytes[8] = 255;
    for (size_t i = 0; i < 255; i++) bytes[9 + 4 * i] = (uint8_t)i;
    CHECK_EQ(sb_decode_message((sb_span){ bytes, sizeof bytes }, NULL, &message, NULL), SB_OK);
    sb_tree_cursor cursor;
    sb_tree_cursor_init(&cursor, &message.as.checksum_response);
    for (unsigned i = 0; i < 255; i++) {
        sb_tree_step step = sb_tree_cursor_next(&cursor);
        CHECK_EQ(step.kind, SB_TREE_DIRECTORY);
        CHECK_EQ(step.name_hash, i);
        CHECK_EQ(step.content_hash, 0);
        CHECK_EQ(step.depth, 1);
    }
    for (int i = 0; i < 2; i++) {
        sb_tree_step end = sb_tree_cursor_next(&cursor);
        CHECK_EQ(end.kind, SB_TREE_END);
        CHECK_EQ(end.depth | end.name_hash | end.content_hash, 0);
    }
    message.as.checksum_response.tree = (sb_span){ NULL, 0 }; /* a client without files */
    sb_tree_cursor_init(&cursor, &message.as.checksum_response);
    for (int i = 0; i < 2; i++) CHECK_EQ(sb_tree_cursor_next(&cursor).kind, SB_TREE_END);
}

TEST(a_checksum_response_longer_than_64_fragments_is_refused)
{
    static uint8_t bytes[40000];
    sb_refusal     why;
    for (size_t files = 3240; files < 3250; files++) { /* 9 + 8 a file: the limit lies between */
        memset(bytes, 0, sizeof bytes);
        bytes[0] = 0x21;
        bytes[1] = 1;
        bytes[6] = (uint8_t)files;
        bytes[7] = (uint8_t)(files >> 8);
        size_t    size = 9 + 8 * files;
        sb_result result = sb_decode_message((sb_span){ bytes, size }, NULL, &message, &why);
        CHECK_EQ(result, size <= SB_CHECKSUM_RESPONSE_MAX ? SB_OK : SB_BAD_VALUE);
    }
}

TEST(an_event_larger_than_the_games_buffer_is_refused)
{
    static uint8_t bytes[2000] = { 0x0C, 0xEE };
    CHECK_EQ(sb_decode_message((sb_span){ bytes, 1024 }, NULL, &message, NULL), SB_OK);
    CHECK_EQ(sb_decode_message((sb_span){ bytes, 1025 }, NULL, &message, NULL), SB_BAD_VALUE);
    message = (sb_message){ .opcode = 0x0C };
    message.as.event.event_class = 0xEE;
    message.as.event.extension = (sb_span){ bytes, 1024 - 17 };
    CHECK_EQ(encode(&message, NULL, 4096), SB_OK);
    message.as.event.extension.size++;
    CHECK_EQ(encode(&message, NULL, 4096), SB_BAD_VALUE);
}

TEST(too_many_contacts_stay_opaque_in_other_events)
{
    static uint8_t bytes[18 + 4 * 33 + 4] = { 0x0C, 0x24, 0x81, 0, 0, 0x50, 0, 0x80 };
    bytes[17] = 33;
    CHECK_EQ(sb_decode_message((sb_span){ bytes, sizeof bytes }, NULL, &message, NULL), SB_OK);
    CHECK_EQ(message.as.event.extension.size, sizeof bytes - 17);
    CHECK_EQ(encode(&message, NULL, 4096), SB_OK);
    message.opcode = SB_OP_COLLISION;
    CHECK_EQ(encode(&message, NULL, 4096), SB_BAD_VALUE);
    bytes[17] = 32;
    CHECK_EQ(sb_decode_message((sb_span){ bytes, sizeof bytes }, NULL, &message, NULL), SB_OK);
    CHECK_EQ(message.as.event.extension.size, 0);
    CHECK_EQ(message.as.event.contact_count, 32);
    CHECK_EQ(message.trailing.size, 4);
    bytes[17] = 33;
    bytes[0] = 0x15;
    CHECK_EQ(sb_decode_message((sb_span){ bytes, sizeof bytes }, NULL, &message, NULL),
             SB_BAD_VALUE);
}

TEST(a_refusal_is_the_same_whether_or_not_somebody_asks_why)
{
    static const char *const cut[] = { "1C FF FF FF 3F 00 00 C0 7F", "1C FF FF FF", "35 08" };
    for (size_t i = 0; i < 3; i++) {
        sb_refusal why;
        CHECK_EQ(decode_hex(cut[i], NULL, NULL), decode_hex(cut[i], NULL, &why));
    }
}

/* ---- what a sink gets ---- */

static shown_fields fields;

/* The caller frees `fields`. */
static void show_hex(const char *hex, const sb_ship_class *ship, bool own)
{
    static uint8_t     bytes[256];
    size_t             size = test_hex(hex, bytes, sizeof bytes);
    sb_message_context context = { .ship = ship, .own = own };
    shown_fields_init(&fields);
    sb_sink sink = shown_fields_sink(&fields);
    CHECK_EQ(sb_show_message((sb_span){ bytes, size }, &context, &sink, NULL), SB_OK);
}

/* Spec 03 §4.1: the owner is told no power settings. */
TEST(power_towards_the_owner_is_an_oddity)
{
    static const struct {
        const char *entry; /* of the impulse engines */
        bool        own, odd;
    } rows[] = {
        { HEADER "20 02 FF 21 64", true, true },
        { HEADER "20 02 FF 21 64", false, false },
        { HEADER "20 02 FF 20", true, false },
        { HEADER "20 02 FF 20", false, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        show_hex(rows[i].entry, akira(), rows[i].own);
        CHECK(shown_fields_find(&fields, "entries[0].has_power"));
        CHECK_EQ(shown_fields_find(&fields, "entries[0].oddity") != NULL, rows[i].odd);
        shown_fields_free(&fields);
    }
}

TEST(contacts_are_shown_in_radii_of_the_object)
{
    show_hex("15 24 81 00 00 50 00 80 00 " ZEROS "FF FF FF 3F 01 00 81 00 33 00 00 00 00", NULL,
             false);
    const shown_field *contact = shown_fields_find(&fields, "contacts[0]");
    CHECK(contact);
    CHECK(contact->value.real[0] == 0.0f && contact->value.real[1] == -0.2f);
    shown_fields_free(&fields);
}

TEST(subsystems_without_children_show_none)
{
    show_hex(HEADER "20 03 FF FF FF FF FF FF 40 FF FF", akira(), false);
    CHECK(shown_fields_find(&fields, "entries[0].condition"));
    CHECK(!shown_fields_find(&fields, "entries[0].children")); /* the reactor */
    CHECK(shown_fields_find(&fields, "entries[1].children"));
    shown_fields_free(&fields);
}

TEST(power_pairs_name_the_subsystems_of_a_known_ship)
{
    show_hex(HEADER "80 00 CC 0A CC 0B CC", akira(), false);
    CHECK(shown_fields_find(&fields, "pairs[0].subsystem"));
    CHECK(shown_fields_find(&fields, "pairs[1].subsystem"));
    CHECK(!shown_fields_find(&fields, "pairs[2].subsystem")); /* the list has 11 entries */
    CHECK(shown_fields_find(&fields, "pairs[2].index"));
    shown_fields_free(&fields);
    show_hex(HEADER "80 00 CC", NULL, false);
    CHECK(shown_fields_find(&fields, "pairs[0].index"));
    CHECK(!shown_fields_find(&fields, "pairs[0].subsystem"));
    shown_fields_free(&fields);
}

TEST(leftovers_are_shown_with_their_position)
{
    show_hex("2A 41 AA BB CC", NULL, false); /* one boolean in a group of two */
    const shown_field *trailing = shown_fields_find(&fields, "trailing");
    const shown_field *groups = shown_fields_find(&fields, "groups");
    CHECK(trailing && groups);
    CHECK_EQ(trailing->offset, 2);
    CHECK_EQ(trailing->size, 3);
    CHECK_EQ(groups->offset, 5); /* behind the message: they are part of other fields */
    CHECK_EQ(groups->size, 0);
    CHECK_BYTES(groups->value.bytes.data, groups->value.bytes.size, "\x41", 1);
    shown_fields_free(&fields);
    show_hex("2A 21", NULL, false);
    CHECK(!shown_fields_find(&fields, "trailing"));
    CHECK(!shown_fields_find(&fields, "groups"));
    shown_fields_free(&fields);
}

/* ---- the names of numbers: spec 08 §3-§4, 01 §4.9 ---- */

/* Codes that stay inside a stock peer; tools name them all the same (spec 08 §4). */
TEST(internal_event_codes_have_their_names)
{
    static const struct {
        uint32_t    code;
        const char *name;
    } rows[] = {
        { 0x0080005C, "SHIP_ENTERED_SET" },        { 0x0080005D, "ENTERED_SET" },
        { 0x0080005E, "SHIP_LEFT_SET" },           { 0x0080005F, "LEFT_SET" },
        { 0x00800070, "SUBSYSTEM_REBUILT" },       { 0x00800077, "CLOAK_BEGINNING" },
        { 0x0080007B, "SHIELDS_SHOWN_OR_HIDDEN" }, { 0x0080008C, "POWER_CHANGED" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_TEXT(sb_find_name(sb_event_code_names(), rows[i].code), rows[i].name);
}

TEST(event_codes_and_classes_have_their_names)
{
    static const struct {
        const char *hex, *code, *class;
    } rows[] = {
        { "06 29 81 00 00 4E 00 80 00", "OBJECT_EXPLODING", "ObjectExplodingEvent" },
        { "06 01 01 00 00 DF 00 80 00", "ADD_TO_REPAIR_LIST", "Event" },
        { "06 0C 01 00 00 74 00 80 00", "REPAIR_COMPLETED", "ObjPtrEvent" },
        { "06 0C 01 00 00 75 00 80 00", "REPAIR_CANNOT_BE_COMPLETED", "ObjPtrEvent" },
        { "0D 0C 01 00 00 58 00 80 00", "TARGET_WAS_CHANGED", "ObjPtrEvent" },
        { "17 66 08 00 00 F1 00 80 00", "NEW_PLAYER_IN_GAME", "PlayerEvent" },
        { "17 66 08 00 00 05 00 06 00", "NETWORK_DELETE_PLAYER", "PlayerEvent" },
        { "12 05 01 00 00 E0 00 80 00", "SET_PHASER_LEVEL", "CharEvent" },
        { "0A 04 01 00 00 DD 00 80 00", "SUBSYSTEM_STATUS_NOTIFY", "BoolEvent" },
        { "11 0C 01 00 00 76 00 80 00", "REPAIR_LIST_PRIORITY", "ObjPtrEvent" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char hex[200];
        strcat(strcpy(hex, rows[i].hex), " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
        CHECK_EQ(decode_hex(hex, NULL, NULL), SB_OK);
        CHECK_TEXT(sb_find_name(sb_event_code_names(), message.as.event.event_code), rows[i].code);
        CHECK_TEXT(sb_find_name(sb_event_class_names(), message.as.event.event_class),
                   rows[i].class);
    }
    CHECK_TEXT(sb_find_name(sb_boot_reason_names(), 1), "timed out");
    CHECK_TEXT(sb_find_name(sb_boot_reason_names(), 3), "too many players");
    CHECK_TEXT(sb_find_name(sb_boot_reason_names(), 4), "server booted you");
}
