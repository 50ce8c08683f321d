/* tests/server/dispatch_test.c -- every row of the opcode table, sent to a room by a player.
 *
 * A row alone must be enough: each message without a handler is relayed as its relay column says,
 * and no message, however it is filled, makes the room read outside its tables (run under
 * sanitizers by `make test`).
 */
#include "rig.h"

#include <starbase/message.h>

#include "message/table.h"
#include "server/server_internal.h"
#include "wire/random_source.h"

enum { MESSAGES_PER_ROW = 12 };

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

/* A random message of this opcode; empty: the opcode has none. */
static sb_span random_message(uint8_t opcode, uint64_t seed, uint8_t *out, size_t capacity)
{
    static uint8_t     texts[4096];
    sb_random_source   random;
    size_t             size = 0;
    sb_message_context context = { .ships = sb_stock_ships() };
    sb_random_source_init(&random, seed, texts, sizeof texts);
    sb_source source = sb_random_source_of(&random);
    if (sb_build_message(opcode, &context, &source, out, capacity, &size, NULL) != SB_OK) size = 0;
    return (sb_span){ out, size };
}

/* Sends random messages of every row, each row to a new room, from a player who is in the game or
 * still joining. */
static void say_everything(bool in_game)
{
    uint8_t  bytes[2048];
    unsigned said = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        room *r = room_open(NULL);
        seat *a = in_game ? room_join(r, "Alpha") : room_connect(r, "Alpha");
        seat *b = room_join(r, "Beta");
        if (in_game) (void)seat_spawn(r, a, 1, here);
        (void)seat_spawn(r, b, 5, here);
        for (uint64_t seed = 1; seed <= MESSAGES_PER_ROW; seed++) {
            sb_span message = random_message((uint8_t)opcode, seed, bytes, sizeof bytes);
            if (message.size == 0 || a->left) break;
            seat_say(r, a, seed % 2 ? SB_RELIABLE : SB_UNRELIABLE, message);
            room_wait(r, SB_SECOND / 2);
            CHECK(!b->left); /* one player's messages never remove another */
            said++;
        }
    }
    CHECK(said > 256);
}

TEST(every_row_may_come_from_a_player_in_the_game)
{
    say_everything(true);
}

TEST(every_row_may_come_from_a_player_who_is_joining)
{
    say_everything(false);
}

/* Messages without a handler follow the relay column. */
static bool is_relayed_by_table(const sb_message_row *row)
{
    const sb_server_opcode *rule = &sb_server_opcodes[row->type.opcode];
    bool relays = row->type.relay == SB_RELAY_OTHERS || row->type.relay == SB_RELAY_ALL ||
                  row->type.relay == SB_RELAY_TEAM;
    return row->decode && relays && !rule->handle && !row->event_class;
}

TEST(rows_without_a_handler_follow_the_relay_column)
{
    uint8_t bytes[2048];
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_row *row = sb_find_row((uint8_t)opcode);
        if (!is_relayed_by_table(row)) continue;
        room   *r = room_open(NULL);
        seat   *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
        sb_span message = random_message((uint8_t)opcode, 1, bytes, sizeof bytes);
        seat_forget(a);
        seat_forget(b);
        seat_say(r, a, SB_RELIABLE, message);
        bool to_sender = row->type.relay != SB_RELAY_OTHERS;
        bool to_others = row->type.relay != SB_RELAY_TEAM; /* no player has a team here */
        CHECK_EQ(seat_find(a, (uint8_t)opcode).size, to_sender ? message.size : 0);
        sb_span relayed = seat_find(b, (uint8_t)opcode);
        CHECK_EQ(relayed.size, to_others ? message.size : 0);
        if (to_others) CHECK_BYTES(relayed.data, relayed.size, message.data, message.size);
    }
}

TEST(events_without_a_rule_are_checked_and_relayed)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t ship = seat_spawn(r, a, 1, here);
    unsigned events = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_row   *row = sb_find_row((uint8_t)opcode);
        const sb_server_opcode *rule = &sb_server_opcodes[opcode];
        if (!row->event_class || row->type.relay != SB_RELAY_OTHERS || rule->handle) continue;
        sb_message m = event_message((uint8_t)opcode, row->event_class, row->event_code, ship);
        seat_forget(b);
        seat_say_message(r, a, &m);
        CHECK(seat_find(b, (uint8_t)opcode).size > 0);
        m.as.event.destination = seat_first_id(r, b);
        seat_say_message(r, a, &m);
        EXPECT_QUIET(b); /* another player's ship */
        events++;
    }
    CHECK(events >= 12);
}

/* relay_by_table sends events through the event rules only on their way to the other players. */
TEST(events_are_relayed_to_others_or_not_at_all)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_row *row = sb_find_row((uint8_t)opcode);
        if (!row->event_class) continue;
        CHECK(row->type.relay != SB_RELAY_ALL);
        CHECK(row->type.relay != SB_RELAY_TEAM);
    }
}

/* ---- delivery (spec 08 §1.3) ---- */

/* Sends a message of each row that has a class of its own, once in each class, and counts. */
static void check_delivery(bool in_game)
{
    uint8_t bytes[2048];
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        sb_delivery stock = sb_find_message_type((uint8_t)opcode)->delivery;
        sb_span     message = random_message((uint8_t)opcode, 1, bytes, sizeof bytes);
        if (message.size == 0 || message.size > 400) continue; /* long ones become reliable */
        for (sb_delivery delivery = SB_UNRELIABLE; delivery <= SB_RELIABLE; delivery++) {
            room *r = room_open(NULL);
            seat *a = in_game ? room_join(r, "Alpha") : room_connect(r, "Alpha");
            seat_say(r, a, delivery, message);
            bool wrong = stock != SB_EITHER_DELIVERY && stock != delivery;
            CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_WRONG_DELIVERY), wrong);
        }
    }
}

TEST(each_row_is_refused_in_the_delivery_that_stock_never_uses)
{
    check_delivery(true);
    check_delivery(false);
}

/* What a stranger can send without a number, apart from StateUpdates and self-destructs. */
TEST(an_unreliable_form_of_a_reliable_message_has_no_effect)
{
    static const char *const messages[] = {
        "2C 02 00 00 00 01 00 61",                           /* chat */
        "41 02 00 00 00 01",                                 /* team */
        "39",                                                /* restart */
        "07 28 81 00 00 D8 00 80 00 00 00 00 00 FF FF FF 3F" /* an event */
        "00 00 00 00 00",
        "19 05 00 00 40 02 05 00 7F 00", /* a torpedo */
        "1E FF FF FF 3F",                /* an object request */
        "03 00 02 08 80 00 00 FF 00 00 40 05 00 00 18 42 00 00 44 C2 00 00 0C C2 00 00 80 3F "
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 41 06 4D 75 6C 74 69 31",
    };
    sb_server_config c;
    sb_server_defaults(&c);
    c.player_restart = true;
    c.match.mode = sb_find_mode("team");
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 1, here);
    seat_forget(a);
    seat_forget(b);
    uint32_t ship = seat_view(r, a).ship->object_id;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        uint8_t bytes[128];
        size_t  size = test_hex(messages[i], bytes, sizeof bytes);
        seat_say(r, a, SB_UNRELIABLE, (sb_span){ bytes, size });
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_WRONG_DELIVERY), i + 1);
    }
    EXPECT_QUIET(a);
    EXPECT_QUIET(b);
    CHECK_EQ(seat_view(r, a).ship->object_id, ship);
}

TEST(a_stock_opcode_that_a_mod_uses_may_come_in_either_delivery)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.mod_policy[SB_OP_CHAT] = SB_MOD_OTHERS;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_say(r, a, SB_UNRELIABLE, (sb_span){ (const uint8_t *)"\x2C\x01", 2 });
    CHECK_EQ(b->by_opcode[SB_OP_CHAT], 1);
}
