/* tests/message/message_test.c -- what single messages promise beyond their vectors. */
#include <starbase/message.h>

#include "test.h"

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

TEST(a_group_with_an_impossible_count_inside_an_entry_ends_the_block_there)
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
    sb_message m = { .opcode = 0x1C };
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

TEST(a_file_count_beyond_the_message_is_refused_before_it_is_believed)
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
