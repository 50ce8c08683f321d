/* tests/message/message_test.c -- rules of single messages that the vectors do not cover. */
#include <starbase/datagram.h>
#include <starbase/message.h>

#include "message/describe.h"

#include "test.h"

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
    CHECK_EQ(decode_hex("21 01 00 00 00 00 FF FF 01 02 03", NULL, NULL), SB_TRUNCATED);
}

TEST(mod_messages_keep_their_bytes)
{
    CHECK_EQ(decode_hex("CD 2A 00 00 00", NULL, NULL), SB_OK);
    CHECK_EQ(message.as.mod_message.content.size, 4);
    CHECK_EQ(decode_hex("2B", NULL, NULL), SB_OK);
    CHECK_EQ(message.as.mod_message.content.size, 0);
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
        { 3, 2, SB_TRUNCATED }, { 1, 0, SB_TRUNCATED }, { 0, 1, SB_TRAILING },
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
    m.as.checksum_response.tree = (sb_span){ NULL, 0 };
    CHECK_EQ(encode(&m, NULL, 4096), SB_OK);
    m.as.checksum_response.no_files = false; /* and yet no tree */
    CHECK_EQ(encode(&m, NULL, 4096), SB_BAD_VALUE);
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
}

TEST(too_many_contacts_stay_opaque_in_other_events)
{
    static uint8_t bytes[18 + 4 * 33 + 4] = { 0x0C, 0x24, 0x81, 0, 0, 0x50, 0, 0x80 };
    bytes[17] = 33;
    CHECK_EQ(sb_decode_message((sb_span){ bytes, sizeof bytes }, NULL, &message, NULL), SB_OK);
    CHECK_EQ(message.as.event.extension.size, sizeof bytes - 17);
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
