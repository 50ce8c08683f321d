/* tests/inspect/render_test.c -- records printed as lines, trees, hexdumps, columns and JSON.
 *
 * Covers render*.c, json/render.c, json/write_fields.c, columns.c, show.c, split.c, text.c and
 * value_text.c.
 */
#include "inspect/render.h"

#include <starbase/cipher.h>
#include <starbase/message.h>

#include "inspect/columns.h"
#include "inspect/show.h"
#include "inspect/split.h"
#include "inspect/undecoded.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Spec 03 §13.1: an Akira, flags 0x9D. */
#define STATE                                                                                      \
    "1C FF FF FF 3F 00 80 E1 41 9D 00 00 B0 42 00 00 84 C2 00 00 92 C2 21 37 FB 0B 68 46 30 BB "   \
    "5E "                                                                                          \
    "00 00 01 CC 02 CC 04 CC"

static char      text[1 << 16];
static size_t    text_size;
static uint8_t   bytes[1024];
static char      buffer[64]; /* the smallest capacity allowed, so that every flush is exercised */
static sb_output out;
static sb_render render;

static void collect(void *self, const char *data, size_t size)
{
    (void)self;
    CHECK(text_size + size < sizeof text);
    memcpy(text + text_size, data, size);
    text_size += size;
    text[text_size] = '\0';
}

static sb_record record_of(sb_layer layer, const char *hex)
{
    static sb_message message;
    sb_record         r = { .number = 1, .datagram = 1, .layer = layer };
    r.bytes = (sb_span){ bytes, test_hex(hex, bytes, sizeof bytes) };
    if (layer == SB_LAYER_PLAIN) r.plain = r.bytes;
    sb_record_decode(&r, &message);
    text_size = 0;
    text[0] = '\0';
    out = (sb_output){ buffer, sizeof buffer, 0, collect, NULL, false };
    sb_render_init(&render, &out);
    return r;
}

typedef void renderer(sb_render *render, const sb_record *record);

static const char *rendered(renderer *with, const sb_record *r)
{
    sb_render_learn(&render, r);
    with(&render, r);
    sb_output_flush(&out);
    return text;
}

static const char *rendered_hex(renderer *with, sb_layer layer, const char *hex)
{
    sb_record r = record_of(layer, hex);
    return rendered(with, &r);
}

static void check_has(const char *part)
{
    if (!strstr(text, part)) FAIL("`%s` is not in\n%s", part, text);
}

/* ---- JSON ---- */

TEST(json_carries_every_field_of_a_state_update)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, STATE);
    r.context.ship = sb_find_ship(sb_stock_ships(), 1);
    CHECK_TEXT(
        rendered(sb_render_json, &r),
        "{\"schema\":\"starbase.decode/"
        "1\",\"ok\":true,\"layer\":\"message\",\"opcode\":28,\"name\":\"StateUpdate\",\"species\":"
        "1,"
        "\"fields\":{\"object_id\":1073741823,\"game_time\":28.1875,\"flags\":157,"
        "\"position\":[88,-66,-73],\"has_hash\":true,\"hash\":64311,"
        "\"forward\":{\"code\":[11,104,70],\"value\":[0.08661418,0.81889766,0.5511811]},"
        "\"up\":{\"code\":[48,-69,94],\"value\":[0.37795275,-0.54330707,0.7401575]},"
        "\"speed\":{\"code\":0,\"value\":0},\"pairs\":["
        "{\"index\":1,\"level\":{\"code\":204,\"value\":1},\"subsystem\":\"Shield Generator\"},"
        "{\"index\":2,\"level\":{\"code\":204,\"value\":1},\"subsystem\":\"Sensor Array\"},"
        "{\"index\":4,\"level\":{\"code\":204,\"value\":1},\"subsystem\":\"Impulse Engines\"}]},"
        "\"raw\":\"1CFFFFFF3F0080E1419D0000B042000084C2000092C22137FB0B684630BB5E000001CC02CC04CC\""
        "}\n");
}

/* Hull, shield generator, sensors and warp core of an Akira, sent to its owner. */
#define DOCUMENTED_BLOCK "1C FF FF FF 3F 00 A0 1B 42 20 00 FE CC FD 20 FC F0 FB"

TEST(json_of_a_documented_block_names_its_layout)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, DOCUMENTED_BLOCK);
    r.context.layout = SB_SHIELD_DOCUMENTED;
    if (strstr(rendered(sb_render_json, &r), "shields")) FAIL("without a ship it has no effect");
    r = record_of(SB_LAYER_MESSAGE, DOCUMENTED_BLOCK);
    r.context.ship = sb_find_ship(sb_stock_ships(), 1);
    r.context.layout = SB_SHIELD_DOCUMENTED;
    (void)rendered(sb_render_json, &r);
    check_has("\"species\":1,\"shields\":\"documented\",\"fields\":{");
    check_has("{\"subsystem\":\"Shield Generator\",\"condition\":{\"code\":204,\"value\":0.8}},"
              "{\"subsystem\":\"Sensor Array\",\"condition\":{\"code\":253");
}

TEST(the_block_that_changes_the_shield_layout_is_marked)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, DOCUMENTED_BLOCK);
    r.shield_layout_changed = true;
    r.context.layout = SB_SHIELD_DOCUMENTED;
    (void)rendered(sb_render_line, &r);
    check_has("  StateUpdate             shields documented  flags=");
    r = record_of(SB_LAYER_MESSAGE, DOCUMENTED_BLOCK);
    r.shield_layout_changed = r.has_transport = true;
    r.transport.type = SB_TRANSPORT_DATA;
    (void)rendered(sb_render_tree, &r);
    check_has(", unreliable, shields stock from here on\n");
}

TEST(json_texts_keep_every_byte)
{
    rendered_hex(sb_render_json, SB_LAYER_MESSAGE,
                 "2C 02 00 00 00 0A 00 41 22 5C 0A 00 7F 80 81 E9 FF");
    check_has("\"text\":\"A\\\"\\\\\\u000A\\u0000\\u007F\xE2\x82\xAC\\u0081\xC3\xA9\xC3\xBF\"");
}

TEST(json_of_a_refusal_has_the_fields_before_it)
{
    CHECK_TEXT(rendered_hex(sb_render_json, SB_LAYER_MESSAGE, "1C FF FF FF 3F 00 00"),
               "{\"schema\":\"starbase.decode/"
               "1\",\"ok\":false,\"layer\":\"message\",\"opcode\":28,\"name\":\"StateUpdate\","
               "\"fields\":{\"object_id\":1073741823},\"raw\":\"1CFFFFFF3F0000\","
               "\"error\":\"TRUNCATED: the bytes ended inside a value, in game_time\","
               "\"offset\":5,\"undecoded\":\"0000\"}\n");
}

/* The contact list is open when the bytes end. */
TEST(json_closes_brackets_a_refusal_left_open)
{
    rendered_hex(sb_render_json, SB_LAYER_MESSAGE,
                 "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 02 01 02 03 04 05");
    check_has("\"n\":2,\"contacts\":[{\"code\":[1,2,3,4],");
    check_has("]}]},\"raw\":");
    check_has("\"offset\":22,\"undecoded\":\"05\"}");
}

TEST(json_of_a_datagram_shows_the_messages_in_it)
{
    CHECK_TEXT(
        rendered_hex(sb_render_json, SB_LAYER_PLAIN, "01 02 02 32 08 00 1D FF FF FF 3F"),
        "{\"schema\":\"starbase.decode/"
        "1\",\"ok\":true,\"layer\":\"plain\",\"opcode\":null,\"name\":\"Datagram\",\"fields\":{"
        "\"peer_id\":1,\"msg_count\":2,\"messages\":[{\"type\":2},{\"type\":50,"
        "\"flags_len\":8,\"reliable\":false,\"priority\":false,\"fragment\":false,"
        "\"payload\":\"1DFFFFFF3F\",\"message\":{\"opcode\":29,\"name\":\"ObjectNotFound\","
        "\"fields\":{\"object_id\":1073741823}}}]},\"raw\":\"0102023208001DFFFFFF3F\"}\n");
}

TEST(json_of_a_datagram_with_one_message_has_its_name)
{
    rendered_hex(sb_render_json, SB_LAYER_PLAIN, "01 01 32 08 00 1D FF FF FF 3F");
    check_has("\"opcode\":29,\"name\":\"ObjectNotFound\",\"fields\"");
    rendered_hex(sb_render_json, SB_LAYER_PLAIN, "01 01 01 05 00 00");
    check_has("\"opcode\":null,\"name\":\"Ack\",\"fields\"");
}

/* The messages before the fault are shown, and the record does not get the name of the first. */
TEST(json_of_a_datagram_with_a_bad_end_is_not_ok)
{
    CHECK_TEXT(rendered_hex(sb_render_json, SB_LAYER_PLAIN, "02 02 01 00 00 00 77 01 02"),
               "{\"schema\":\"starbase.decode/"
               "1\",\"ok\":false,\"layer\":\"plain\",\"opcode\":null,\"name\":\"Datagram\","
               "\"fields\":{\"peer_id\":2,\"msg_count\":2,\"messages\":[{\"type\":1,\"seq\":0,"
               "\"flags\":0}],\"rest\":\"770102\"},\"raw\":\"020201000000770102\","
               "\"error\":\"UNKNOWN_OPCODE: no transport message has this type, in type\","
               "\"offset\":6,\"undecoded\":\"770102\"}\n");
    rendered_hex(sb_render_json, SB_LAYER_PLAIN, "02 01 01 00 00 00 77");
    check_has("\"name\":\"Datagram\"");
    check_has("\"error\":\"TRAILING: ");
    check_has("\"offset\":6,\"undecoded\":\"77\"}");
}

TEST(json_of_a_malformed_datagram_shows_the_messages_before)
{
    rendered_hex(sb_render_json, SB_LAYER_PLAIN, "02 02 01 05 00 00 32 09 80 01 00");
    check_has("{\"schema\":\"starbase.decode/1\",\"ok\":false,");
    check_has("\"peer_id\":2,\"msg_count\":2,\"messages\":[{\"type\":1,\"seq\":5,\"flags\":0},"
              "{\"type\":50,\"flags_len\":32777,\"reliable\":true,");
    check_has("in flags_len\",\"offset\":7,\"undecoded\":\"09800100\"}");
}

/* Without a terminator, or with half a surrogate pair, the text would not give the same bytes. */
TEST(json_gives_odd_utf16_as_hex)
{
    rendered_hex(sb_render_json, SB_LAYER_PLAIN, "02 01 00 0E C0 00 00 02 0A 0A 0A EF 41 00 42 00");
    check_has("\"name\":{\"hex\":\"41004200\"}");
    rendered_hex(sb_render_json, SB_LAYER_PLAIN,
                 "02 01 00 10 C0 00 00 02 0A 0A 0A EF 3D D8 41 00 00 00");
    check_has("\"name\":{\"hex\":");
    rendered_hex(sb_render_json, SB_LAYER_PLAIN,
                 "02 01 00 12 C0 00 00 02 0A 0A 0A EF 3D D8 00 DE 41 00 00 00");
    check_has("\"address\":\"10.10.10.239\",\"name\":\"\xF0\x9F\x98\x80"
              "A\"");
}

TEST(json_of_a_query_has_its_pairs)
{
    CHECK_TEXT(
        rendered_hex(sb_render_json, SB_LAYER_GAMESPY, "5C 73 74 61 74 75 73 5C"),
        "{\"schema\":\"starbase.decode/"
        "1\",\"ok\":true,\"layer\":\"gamespy\",\"opcode\":null,\"name\":\"GameSpy\",\"fields\":{"
        "\"pairs\":[{\"key\":\"status\",\"value\":\"\"}],\"end\":\"value\"},"
        "\"raw\":\"5C7374617475735C\"}\n");
}

TEST(json_has_time_addresses_and_transport)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, "1D FF FF FF 3F");
    r.has_time = r.has_endpoints = r.has_peer_id = r.has_transport = true;
    r.time_us = 1014940809801700;
    r.source = (sb_endpoint){ 0x0A0A0AEF, 50001 };
    r.destination = (sb_endpoint){ 0x0A0A0A01, 22101 };
    r.from = SB_SIDE_CLIENT;
    r.peer_id = 2;
    r.transport = (sb_transport_message){ .type = SB_TRANSPORT_DATA, .reliable = true, .seq = 5 };
    r.retransmission = true;
    r.gap = 3;
    r.fragment_count = 2;
    rendered(sb_render_json, &r);
    check_has("\"time\":1014940809.801700,\"from\":\"10.10.10.239:50001\","
              "\"to\":\"10.10.10.1:22101\",\"side\":\"client\",\"peer_id\":2,\"datagram\":1,"
              "\"transport\":{\"type\":50,\"name\":\"Data\",\"reliable\":true,\"priority\":false,"
              "\"seq\":5},\"retransmission\":true,\"gap\":3,\"fragments\":2,\"opcode\":29,");
}

static sb_record record_of_datagram(uint64_t number)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, "1D FF FF FF 3F");
    r.has_time = r.has_endpoints = r.has_peer_id = true;
    r.time_us = 5000000;
    r.datagram = number;
    r.source = (sb_endpoint){ 0x0A0A0AEF, 50001 };
    r.destination = (sb_endpoint){ 0x0A0A0A01, 22101 };
    r.from = SB_SIDE_CLIENT;
    r.peer_id = 2;
    return r;
}

/* The renderer keeps the text of the values that the records of a datagram share. */
TEST(json_of_a_record_has_its_own_datagram)
{
    sb_record first = record_of_datagram(7), r = first;
    rendered(sb_render_json, &first);
    check_has("\"time\":5.000000,\"from\":\"10.10.10.239:50001\",\"to\":\"10.10.10.1:22101\","
              "\"side\":\"client\",\"peer_id\":2,\"datagram\":7,\"opcode\"");
    r.datagram = 8;
    rendered(sb_render_json, &r);
    check_has("\"peer_id\":2,\"datagram\":8,");
    r.time_us = 6000000;
    rendered(sb_render_json, &r);
    check_has("\"time\":6.000000,");
    r.source.port = 50002;
    rendered(sb_render_json, &r);
    check_has("10.10.10.239:50002");
    r.destination.address = 0x0A0A0A02;
    rendered(sb_render_json, &r);
    check_has("\"to\":\"10.10.10.2:22101\"");
    r.from = SB_SIDE_HOST;
    rendered(sb_render_json, &r);
    check_has("\"side\":\"host\",\"peer_id\":2,\"datagram\":8,");
    r.peer_id = 3;
    rendered(sb_render_json, &r);
    check_has("\"side\":\"host\",\"peer_id\":3,");
    r.has_peer_id = false;
    rendered(sb_render_json, &r);
    check_has("\"side\":\"host\",\"datagram\":8,");
    r.has_endpoints = false;
    rendered(sb_render_json, &r);
    check_has("\"time\":6.000000,\"side\":\"host\",");
    r.has_time = false;
    rendered(sb_render_json, &r);
    check_has("\"layer\":\"message\",\"side\":\"host\",\"opcode\"");
}

/* Plain characters are copied in parts of 64. */
TEST(json_texts_of_any_length_are_complete)
{
    char long_text[201] = "";
    for (unsigned size = 0; size <= 200; size++) {
        char hex[700], wanted[256];
        int  at = sprintf(hex, "2C 02 00 00 00 %02X 00", size);
        for (unsigned i = 0; i < size; i++) at += sprintf(hex + at, " %02X", 'a' + i % 26);
        rendered_hex(sb_render_json, SB_LAYER_MESSAGE, hex);
        (void)snprintf(wanted, sizeof wanted, "\"text\":\"%s\"}", long_text);
        check_has(wanted);
        if (size < 200) long_text[size] = (char)('a' + size % 26);
    }
}

/* ---- for people ---- */

TEST(a_line_sums_up_a_message)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, STATE);
    r.context.ship = sb_find_ship(sb_stock_ships(), 1);
    CHECK_TEXT(
        rendered(sb_render_line, &r),
        "     1  StateUpdate             flags=POS|FWD|UP|SPEED|POWER  "
        "position=(88,-66,-73)  speed=0  object_id=0x3FFFFFFF  game_time=28.188  hash=64311  "
        "forward=(0.09,0.82,0.55)  up=(0.38,-0.54,0.74)  pairs=[1 100% Shield Generator, "
        "2 100% Sensor Array, 4 100% Impulse Engines]\n");
}

TEST(a_line_is_cut_to_the_terminal)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, STATE);
    render.width = 60;
    CHECK_TEXT(rendered(sb_render_line, &r),
               "    1  StateUpdate   POS|FWD|UP|SPEED|POWER  \xE2\x80\xA6\n");
    render.width = 100;
    text_size = 0;
    CHECK_TEXT(rendered(sb_render_line, &r),
               "    1  StateUpdate   POS|FWD|UP|SPEED|POWER  pos=(88,-66,-73)  speed=0  "
               "id=0x3FFFFFFF  \xE2\x80\xA6\n");
    render.width = 160;
    text_size = 0;
    CHECK_TEXT(
        rendered(sb_render_line, &r),
        "     1  StateUpdate             flags=POS|FWD|UP|SPEED|POWER  "
        "position=(88,-66,-73)  speed=0  object_id=0x3FFFFFFF  game_time=28.188  hash=64311  "
        "\xE2\x80\xA6\n");
}

TEST(a_line_of_a_repeated_ack_ends_with_its_mark)
{
    sb_record r = record_of(SB_LAYER_TRANSPORT, "01 05 00 00");
    r.repeated = true;
    CHECK_TEXT(rendered(sb_render_line, &r), "     1  #5      Ack                     again\n");
}

TEST(a_line_of_a_mod_message_has_its_opcode)
{
    rendered_hex(sb_render_line, SB_LAYER_MESSAGE, "CD 01");
    check_has("ModMessage 0xCD ");
}

TEST(a_line_of_a_refusal_says_why_and_where)
{
    CHECK_TEXT(rendered_hex(sb_render_line, SB_LAYER_MESSAGE, "1C FF FF FF 3F 00 00"),
               "     1  StateUpdate             refused at byte 5 in game_time: the bytes ended "
               "inside a value \xC2\xB7 00 00\n");
}

TEST(lines_name_the_receiver_of_a_hosts_message)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, "13");
    r.has_endpoints = r.has_peer_id = true;
    r.from = SB_SIDE_CLIENT;
    r.peer_id = 2;
    r.source = (sb_endpoint){ 1, 1 };
    r.destination = (sb_endpoint){ 2, 2 };
    rendered(sb_render_line, &r);
    check_has("C2>S");
    sb_record answer = r;
    answer.from = SB_SIDE_HOST;
    answer.peer_id = SB_PEER_HOST;
    answer.source = r.destination;
    answer.destination = r.source;
    rendered(sb_render_line, &answer);
    check_has("S>C2");
}

TEST(colours_appear_only_when_wanted)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, "13");
    rendered(sb_render_line, &r);
    CHECK(!strchr(text, '\033'));
    out.colour = true;
    rendered(sb_render_line, &r);
    CHECK(strchr(text, '\033'));
}

TEST(a_tree_shows_published_names)
{
    sb_record r = record_of(SB_LAYER_MESSAGE, STATE);
    r.context.ship = sb_find_ship(sb_stock_ships(), 1);
    rendered(sb_render_tree, &r);
    check_has("flags               0x9D POS FWD UP SPEED POWER");
    check_has("[dirty flags; POSITION_ABSOLUTE ORIENTATION_FWD ORIENTATION_UP WEAPON_STATES]");
    check_has("speed               0  code 0x0000");
    check_has("[SPEED; CompressedFloat16]");
    rendered_hex(sb_render_tree, SB_LAYER_MESSAGE, "03 00 02");
    check_has("PlayerObjectCreate [ObjCreateTeam]  opcode 0x03");
}

TEST(a_hexdump_shows_shared_bits)
{
    rendered_hex(sb_render_hex, SB_LAYER_MESSAGE, "00 00 00 E1 41 65 01 01 00 4D AA");
    check_has("0000  00                        opcode               0x00  Settings\n");
    check_has(
        "0005  65                        collision_damage     yes  bit 0 of 65, a group of 3");
    check_has("0007  01 00 4D                  map                  \"M\"\n");
    check_has(
        "                                checksum_flag        yes  bit 2 of 65, a group of 3");
    check_has("000A  AA                        correction           1 byte\n");
}

/* Collects the bytes in the left column, in order. */
static size_t dumped_bytes(uint8_t *dumped)
{
    size_t      count = 0;
    unsigned    byte;
    const char *line = text;
    for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strspn(line, "0123456789ABCDEF") != 4 || line[4] != ' ') continue;
        for (const char *p = line + 6; p < line + 30 && sscanf(p, "%2X", &byte) == 1; p += 3) {
            if (p[0] == ' ') break;
            dumped[count++] = (uint8_t)byte;
            if (p[2] != ' ') break;
        }
    }
    return count;
}

static void check_every_byte_once(sb_layer layer, const char *hex)
{
    uint8_t   dumped[256];
    sb_record r = record_of(layer, hex);
    rendered(sb_render_hex, &r);
    CHECK_EQ(dumped_bytes(dumped), r.bytes.size);
    if (memcmp(dumped, r.bytes.data, r.bytes.size) != 0) FAIL("other bytes:\n%s", text);
}

TEST(a_hexdump_shows_every_byte_once)
{
    check_every_byte_once(SB_LAYER_MESSAGE, STATE);
    check_every_byte_once(SB_LAYER_MESSAGE, "00 00 00 E1 41 65 01 01 00 4D AA");
    check_every_byte_once(SB_LAYER_PLAIN, "01 02 32 08 80 05 00 1D FF FF FF 3F");
    check_every_byte_once(SB_LAYER_PLAIN, "01 02 02 32 0A C0 05 00 1D FF FF FF 3F 77");
    check_has("reliable         yes  bit 15 of C00A\n");
    check_has("priority         yes  bit 14 of C00A\n");
    check_has("fragment         no  bit 13 of C00A\n");
    check_every_byte_once(SB_LAYER_PLAIN, "02 01 32 02 00 00 00");
    check_every_byte_once(SB_LAYER_GAMESPY, "5C 61 5C 62 5C 63 5C 5C 64");
    check_every_byte_once(SB_LAYER_GAMESPY, "5C 61 5C 62 5C");
    check_every_byte_once(SB_LAYER_GAMESPY, "5C 61 5C 62 5C 5C 63 5C 64");
}

TEST(a_hexdump_says_which_bytes_it_shows)
{
    static uint8_t datagram[16];
    sb_record      r = record_of(SB_LAYER_MESSAGE, "1D FF FF FF 3F");
    size_t size = test_hex("01 01 32 0A 80 05 00 1D FF FF FF 3F", datagram, sizeof datagram);
    r.plain = (sb_span){ datagram, size };
    r.bytes = (sb_span){ datagram + 7, 5 };
    r.has_transport = true;
    r.transport = (sb_transport_message){ .type = SB_TRANSPORT_DATA, .reliable = true, .seq = 5 };
    rendered(sb_render_hex, &r);
    check_has("bytes 7-11 of the decrypted datagram, after the header 32 0A 80 05 00\n");
    r.layer = SB_LAYER_DATAGRAM;
    text_size = 0;
    rendered(sb_render_hex, &r);
    check_has("the bytes after decryption\n");
}

TEST(a_hexdump_shows_the_bytes_that_were_refused)
{
    rendered_hex(sb_render_hex, SB_LAYER_MESSAGE, "1C FF FF FF 3F 00 00");
    check_has("0001  FF FF FF 3F               object_id            0x3FFFFFFF\n0005  00 00\n");
}

TEST(columns_are_separated_by_tabs)
{
    sb_columns columns;
    sb_record  r = record_of(SB_LAYER_MESSAGE, STATE);
    CHECK(
        sb_columns_init(&columns, "opcode,name,object_id,position,position.y,pairs.index,text,ok"));
    sb_render_columns(&render, &columns, &r);
    sb_output_flush(&out);
    CHECK_TEXT(text, "28\tStateUpdate\t0x3FFFFFFF\t88,-66,-73\t-66\t1,2,4\t\tyes\n");
    CHECK(!columns.columns[6].found);
    CHECK(!sb_columns_init(&columns, "a,,b"));
    CHECK(!sb_columns_init(&columns, ""));
}

/* ---- splitting ---- */

static size_t    part_count;
static sb_record parts[8];

static void keep_part(void *self, const sb_record *r)
{
    (void)self;
    CHECK(part_count < 8);
    parts[part_count++] = *r;
}

TEST(a_datagram_is_split_into_its_messages)
{
    static sb_message    message;
    const sb_record_sink sink = { NULL, keep_part };
    sb_record r = record_of(SB_LAYER_PLAIN, "01 02 01 05 00 00 32 08 00 1D FF FF FF 3F 77");
    part_count = 0;
    sb_record_split(&r, &message, &sink);
    CHECK_EQ(part_count, 3);
    CHECK_EQ(parts[0].layer, SB_LAYER_TRANSPORT);
    CHECK_EQ(parts[1].layer, SB_LAYER_MESSAGE);
    CHECK_EQ(parts[1].number, 2);
    CHECK_EQ(parts[1].bytes.size, 5);
    CHECK_EQ(parts[2].layer, SB_LAYER_PLAIN);
    CHECK_EQ(parts[2].result, SB_TRAILING);
    CHECK_EQ(parts[2].refusal.offset, 14);
    CHECK(!sb_record_is_understood(&r));
}

/* ---- random input ---- */

TEST(no_bytes_break_a_renderer)
{
    static renderer *const all[] = { sb_render_line, sb_render_tree, sb_render_hex,
                                     sb_render_json };
    static const sb_layer  layers[] = { SB_LAYER_MESSAGE, SB_LAYER_PLAIN, SB_LAYER_TRANSPORT,
                                        SB_LAYER_GAMESPY };
    uint32_t               seed = 1;
    for (int i = 0; i < 20000; i++) {
        sb_message message;
        sb_record  r = record_of(layers[i % 4], "");
        r.bytes.size = 0;
        for (size_t count = (size_t)i % 61; r.bytes.size < count; r.bytes.size++) {
            seed = seed * 1664525 + 1013904223;
            bytes[r.bytes.size] = (uint8_t)(seed >> 24);
        }
        if (r.layer == SB_LAYER_GAMESPY) bytes[0] = '\\';
        if (r.layer == SB_LAYER_PLAIN) r.plain = r.bytes;
        r.context.ship = sb_find_ship(sb_stock_ships(), (uint8_t)(i % 20));
        sb_record_decode(&r, &message);
        for (size_t with = 0; with < 4; with++) {
            text_size = 0;
            rendered(all[with], &r);
        }
    }
}
