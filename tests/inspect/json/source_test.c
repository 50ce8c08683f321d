/* tests/inspect/json/source_test.c -- the fields a message shows build the same bytes again. */
#include "inspect/json/line.h"
#include "json_sink.h"

#include "base/random.h"
#include "test.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sb_arena      arena;
static sb_json_error error;
static uint8_t       out[1 << 17];

static char *hex_of(const uint8_t *bytes, size_t size)
{
    static char text[8192];
    for (size_t i = 0; i < size && i < 4000; i++) sprintf(text + 2 * i, "%02X", bytes[i]);
    text[2 * (size < 4000 ? size : 4000)] = '\0';
    return text;
}

static void check_line(char *line, const sb_json_defaults *defaults, sb_span expected)
{
    size_t    size;
    sb_result result =
        sb_json_encode_line(line, strlen(line), defaults, &arena, out, sizeof out, &size, &error);
    bool same = result == SB_OK && size == expected.size && memcmp(out, expected.data, size) == 0;
    if (!same) {
        printf("    %s\n    %s\n    %s\n", hex_of(expected.data, expected.size), line, error.text);
        CHECK_EQ(result, SB_OK);
        CHECK_BYTES(out, size, expected.data, expected.size);
    }
    free(line);
}

/* True if the bytes decode at all. */
static bool check_message(sb_span bytes, const sb_message_context *context)
{
    static sb_message message;
    sb_json_defaults  defaults = { .context = *context };
    json_sink         s;
    json_sink_init(&s);
    if (sb_decode_message(bytes, context, &message, NULL) != SB_OK ||
        sb_show_message(bytes, context, &s.sink, NULL) != SB_OK) {
        json_decref(s.levels[0]);
        return false;
    }
    json_t *head = json_object();
    json_object_set_new(head, "opcode", json_integer(bytes.data[0]));
    check_line(json_sink_line(&s, head), &defaults, bytes);
    return true;
}

static bool check_datagram(sb_span plain)
{
    json_sink s;
    json_sink_init(&s);
    if (sb_show_datagram(plain, &s.sink, NULL) != SB_OK) {
        json_decref(s.levels[0]);
        return false;
    }
    sb_json_defaults defaults = { .from = SB_SIDE_UNKNOWN };
    json_t          *head = json_object();
    json_object_set_new(head, "layer", json_string("plain"));
    check_line(json_sink_line(&s, head), &defaults, plain);
    return true;
}

/* Picks a byte that is frequent in messages (small numbers, group bytes, FF) or a random one. */
static uint8_t likely_byte(sb_random *r)
{
    static const uint8_t common[] = { 0x00, 0x01, 0x02, 0x20, 0x21, 0x40, 0x60, 0x64,
                                      0x7F, 0x80, 0xFF, 0x3F, 0x08, 0x81, 0x05, 0xA0 };
    if (sb_random_below(r, 4) > 0) return common[sb_random_below(r, sizeof common)];
    return (uint8_t)sb_random_next(r);
}

TEST(random_messages_of_every_opcode_survive_the_round_trip)
{
    sb_random r;
    sb_random_init(&r, 20);
    const sb_ship_set *ships = sb_stock_ships();
    unsigned           decoded[256] = { 0 };
    for (unsigned round = 0; round < 400; round++) {
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            uint8_t bytes[200];
            size_t  size = 1 + sb_random_below(&r, 8) * sb_random_below(&r, 24);
            for (size_t i = 0; i < size; i++) bytes[i] = likely_byte(&r);
            bytes[0] = (uint8_t)opcode;
            sb_message_context context = { 0 };
            uint32_t           pick = sb_random_below(&r, (uint32_t)ships->count + 1);
            if (pick < ships->count) context.ship = &ships->ships[pick];
            context.own = sb_random_below(&r, 2);
            decoded[opcode] += check_message((sb_span){ bytes, size }, &context);
        }
    }
    sb_arena_free(&arena);
    CHECK(decoded[0x1C] > 100);
    CHECK(decoded[0x2C] > 0);
    CHECK(decoded[0xCD] > 0);
}

/* Mutations of real messages reach code that random bytes do not. */
TEST(mutated_examples_survive_the_round_trip)
{
    static const char *const examples[] = {
        "1CFFFFFF3F0080E1419D0000B042000084C2000092C22137FB0B684630BB5E000001CC02CC04CC",
        "1CFFFFFF3F00A01B422008FF60FFFFFFFFFFFFFFFFFFFFFFFF",
        "1CFFFFFF3F000070423D0000C9420000A2C10000404066007F0000007FF34902CC4BFFF0FFFFFF807D",
        "1CFFFFFF3F666670423E4C65001B47007F0000007FF34905FFFFFFFFFFFFFFFFFF2164",
        "1CFFFF034000004841DD0000803F000000400000404042007F0000007F000001CC03CC0466",
        "03000208800000FFFFFF3F0500001842000044C200000CC25293453FBBC922BFE25810B3258D6CB20000000000"
        "0000054361647932064D756C746931FFFF64FFFFFFFFFFFFFF64FFFFFFFFFFFF64FFFFFFFFFFFFFF646000FF64"
        "FFFFFFFFFFFFFFFFFF6401FFFFFFFFFF6401FFFFFF64FF",
        "210100010000010002000000030000000204000000050000000000000100060000000700000000",
        "210043E20C7E2FCBAF4D010077B63E3768A7A0F800",
        "0000000542610025004D756C7469706C617965722E457069736F64652E4D697373696F6E312E4D697373696F6E"
        "31",
        "152481000050008000000000"
        "00FFFFFF3F010D7E00D9BB20A044",
        "102A810000EC008000000000"
        "00FFFFFF3F064D756C7469320000C842000048C20000000000001841",
        "062981000"
        "04E008000FFFF0340FFFFFF3F0300000000001841",
        "190700004003010"
        "07F00FFFF034000851E83",
        "1A77000040027"
        "50ED20368000840",
        "360300000001000000640000000200000001000000020300000064000000"
        "0400000032000000",
        "1FFFFFFF3F060000004D756C74693100",
        "29FFFF0340007F005A60AA52E370",
        "350801"
        "14D10400000F",
        "2C020000000500"
        "68656C6C6F",
    };
    sb_random r;
    sb_random_init(&r, 21);
    const sb_ship_class *akira = sb_find_ship_by_name(sb_stock_ships(), "akira");
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        uint8_t            original[256], bytes[256];
        size_t             whole = test_hex(examples[e], original, sizeof original);
        sb_message_context context = { .ship = akira };
        CHECK(check_message((sb_span){ original, whole }, &context));
        for (unsigned round = 0; round < 3000; round++) {
            memcpy(bytes, original, whole);
            size_t size = whole;
            if (sb_random_below(&r, 4) == 0) size = 1 + sb_random_below(&r, (uint32_t)whole);
            if (sb_random_below(&r, 4) == 0)
                for (uint32_t i = sb_random_below(&r, 4); i > 0; i--)
                    bytes[size++] = likely_byte(&r);
            for (uint32_t i = sb_random_below(&r, 4); i > 0; i--)
                bytes[1 + sb_random_below(&r, (uint32_t)size - (size > 1))] = likely_byte(&r);
            context.ship = sb_random_below(&r, 4) > 0 ? akira : NULL;
            (void)check_message((sb_span){ bytes, size }, &context);
        }
    }
    sb_arena_free(&arena);
}

TEST(mutated_datagrams_survive_the_round_trip)
{
    static const char *const examples[] = {
        "FF01030FC000000A0A0AEFF97800000000",
        "01030100000203"
        "06C0000002321B8000002000080073637269707473"
        "2F07004170702E70796320",
        "01010016C00100020A0A0AEF43006100640079003200"
        "0000",
        "01040201000002010100020104"
        "0000",
        "01010407C005000103",
        "0101050AC00300020A0A0AEF",
        "01020109000100010900"
        "0101",
        "010132079C0100032102",
        "010132089CA002000003"
        "2102",
    };
    sb_random r;
    sb_random_init(&r, 22);
    unsigned decoded = 0;
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        uint8_t original[128], bytes[128];
        size_t  whole = test_hex(examples[e], original, sizeof original);
        for (unsigned round = 0; round < 4000; round++) {
            memcpy(bytes, original, whole);
            size_t size = whole;
            if (sb_random_below(&r, 4) == 0) size = 1 + sb_random_below(&r, (uint32_t)whole);
            if (sb_random_below(&r, 4) == 0)
                for (uint32_t i = sb_random_below(&r, 4); i > 0; i--)
                    bytes[size++] = likely_byte(&r);
            for (uint32_t i = sb_random_below(&r, 4); i > 0; i--)
                bytes[sb_random_below(&r, (uint32_t)size)] = likely_byte(&r);
            decoded += check_datagram((sb_span){ bytes, size });
        }
    }
    sb_arena_free(&arena);
    CHECK(decoded > 1000);
}
