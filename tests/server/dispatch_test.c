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

/* ---- who may send what ---- */

TEST(each_opcode_is_refused_for_the_reason_of_its_row)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_type *type = sb_find_message_type((uint8_t)opcode);
        uint8_t                byte = (uint8_t)opcode;
        uint64_t               unknown = COUNTED(r, SB_SERVER_COUNT_UNKNOWN_OPCODE);
        uint64_t               server_only = COUNTED(r, SB_SERVER_COUNT_SERVER_ONLY);
        bool                   handled = sb_server_opcodes[opcode].handle != NULL;
        seat_say(r, a, type->delivery == SB_UNRELIABLE ? SB_UNRELIABLE : SB_RELIABLE,
                 (sb_span){ &byte, 1 });
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNKNOWN_OPCODE) - unknown,
                 type->relay == SB_RELAY_IGNORE);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_SERVER_ONLY) - server_only,
                 type->relay == SB_RELAY_SERVER && !handled);
        room_wait(r, SB_SECOND / 10);
        if (type->relay != SB_RELAY_IGNORE) continue;
        seat_say(r, a, SB_UNRELIABLE, (sb_span){ &byte, 1 }); /* has no right delivery */
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNKNOWN_OPCODE), unknown + 2);
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_WRONG_DELIVERY), 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_TOO_EARLY), 0);
    CHECK(!a->left);
}

static uint64_t refusals(const room *r)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++)
        count += COUNTED(r, (sb_server_counter)i);
    return count;
}

TEST(only_messages_of_the_engine_are_limited_to_its_buffer)
{
    static uint8_t bytes[1025];
    room          *r = room_open(NULL);
    seat          *a = room_join(r, "Alpha");
    (void)room_join(r, "Beta");
    for (size_t size = 1023; size <= 1025; size++) {
        bytes[0] = SB_OP_ADD_TO_REPAIR_LIST;
        uint64_t before = refusals(r), relayed = COUNTED(r, SB_SERVER_COUNT_RELAYED);
        seat_say(r, a, SB_RELIABLE, (sb_span){ bytes, size });
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_OVERSIZED), size > 1024);
        if (size <= 1024) continue;
        CHECK_EQ(refusals(r), before + 1); /* and for no other reason */
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAYED), relayed);
    }
    bytes[0] = SB_OP_CHAT;
    seat_say(r, a, SB_RELIABLE, (sb_span){ bytes, sizeof bytes });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_OVERSIZED), 1);
}

TEST(a_player_who_is_being_removed_is_not_heard)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ (const uint8_t *)"out", 3 }));
    sb_player *p = sb_server_find_player(r->server, a->id);
    uint64_t   before = COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN);
    seat_forget(b);
    sb_server_dispatch(r->server, p, SB_RELIABLE, (sb_span){ (const uint8_t *)"\xCD", 1 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN), before + 1);
    CHECK_EQ(refusals(r), 0);
    room_step(r);
    CHECK_EQ(b->by_opcode[0xCD], 0);
}

TEST(only_reliable_messages_prove_that_a_link_works)
{
    room      *r = room_open(NULL);
    seat      *a = room_join(r, "Alpha");
    sb_player *p = sb_server_find_player(r->server, a->id);
    sb_time    joined = r->now;
    CHECK_EQ(p->reliable_at, joined);
    room_wait(r, SB_SECOND);
    seat_say(r, a, SB_UNRELIABLE, (sb_span){ (const uint8_t *)"\xCD", 1 });
    CHECK_EQ(p->reliable_at, joined);
    seat_say(r, a, SB_RELIABLE, (sb_span){ (const uint8_t *)"\xCD", 1 });
    CHECK_EQ(p->reliable_at, r->now);
}

/* A policy of an opcode below the script messages has no effect (spec 09 §9.1). */
TEST(only_script_messages_can_be_given_to_a_mod)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.mod_policy[SB_OP_SCRIPT_FIRST - 1] = SB_MOD_OTHERS;
    c.mod_policy[SB_OP_SCRIPT_FIRST] = SB_MOD_DROP;
    room   *r = room_open(&c);
    seat   *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint8_t byte = SB_OP_SCRIPT_FIRST - 1; /* NewPlayerInGame: ignored in the game */
    seat_say(r, a, SB_RELIABLE, (sb_span){ &byte, 1 });
    CHECK_EQ(b->by_opcode[byte], 0);
    seat_say(r, a, SB_UNRELIABLE, (sb_span){ &byte, 1 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_WRONG_DELIVERY), 1);
    byte = SB_OP_SCRIPT_FIRST;
    seat_say(r, a, SB_RELIABLE, (sb_span){ &byte, 1 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MOD_POLICY), 1);
}

/* ---- budgets (docs/decisions/room-fairness.md) ---- */

static room *room_of(unsigned players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < players; i++) (void)room_join(r, "Player");
    return r;
}

static sb_budget filled(const room *r, uint32_t tokens, sb_time ago)
{
    return (sb_budget){ (int64_t)tokens * SB_SECOND, r->now - ago };
}

TEST(the_bursts_of_a_player_are_shares_of_those_of_the_room)
{
    static const struct {
        uint32_t players, relay, effects;
    } rows[] = { { 0, 120, 120 }, { 1, 120, 120 }, { 2, 120, 120 }, { 3, 100, 80 },
                 { 4, 100, 60 },  { 9, 100, 26 },  { 10, 100, 24 }, { 16, 100, 24 } };
    static const uint8_t event[17] = { SB_OP_ADD_TO_REPAIR_LIST };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room      *r = room_of(rows[i].players);
        sb_player *p = &r->server->players[0];
        for (unsigned full = 0; full < 2; full++) { /* a pause fills, and a crowd cuts */
            p->relay = p->effects = filled(r, full ? 120 : 0, full ? 0 : 60 * SB_SECOND);
            CHECK(sb_server_charge_relay(r->server, p, (sb_span){ event, sizeof event }));
            CHECK_EQ(p->relay.left, (rows[i].relay - 1) * SB_SECOND);
            CHECK_EQ(p->effects.left, rows[i].effects * SB_SECOND);
            p->effects = filled(r, full ? 120 : 0, full ? 0 : 60 * SB_SECOND);
            CHECK(sb_server_charge_effect(r->server, p, 3));
            CHECK_EQ(p->effects.left, (rows[i].effects - 3) * SB_SECOND);
        }
    }
}

TEST(relayed_cells_and_effects_come_back_a_hundred_per_second)
{
    static const uint8_t event[17] = { SB_OP_ADD_TO_REPAIR_LIST };
    static const uint8_t restart[1] = { SB_OP_RESTART_GAME }; /* costs 16 effects */
    room                *r = room_of(2);
    sb_player           *p = &r->server->players[0];
    for (sb_time missing = 0; missing < 2; missing++) {
        p->effects = filled(r, 100, 0);
        p->relay = filled(r, 0, 10000 - missing);
        CHECK_EQ(sb_server_charge_relay(r->server, p, (sb_span){ event, 17 }), !missing);
        p->relay = filled(r, 100, 0);
        p->effects = filled(r, 0, 160000 - missing);
        CHECK_EQ(sb_server_charge_relay(r->server, p, (sb_span){ restart, 1 }), !missing);
        CHECK_EQ(p->relay.left, (missing ? 100 : 99) * SB_SECOND); /* refused: nothing is spent */
        if (!missing) CHECK_EQ(p->effects.left, 0);
        p->effects = filled(r, 0, 30000 - missing);
        CHECK_EQ(sb_server_charge_effect(r->server, p, 3), !missing);
    }
}

TEST(a_relayed_message_costs_one_cell_per_128_bytes_begun)
{
    static const uint8_t bytes[300] = { SB_OP_ADD_TO_REPAIR_LIST };
    static const struct {
        size_t   size;
        uint32_t cells;
    } rows[] = { { 1, 1 }, { 127, 1 }, { 128, 2 }, { 255, 2 }, { 256, 3 } };
    room      *r = room_of(2);
    sb_player *p = &r->server->players[0];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        p->relay = filled(r, 10, 0);
        CHECK(sb_server_charge_relay(r->server, p, (sb_span){ bytes, rows[i].size }));
        CHECK_EQ(p->relay.left, (10 - rows[i].cells) * SB_SECOND);
    }
}

TEST(stops_have_a_budget_of_their_own)
{
    static const uint8_t stop[17] = { SB_OP_STOP_FIRING, 0x01, 0x01, 0, 0, 0xDA, 0, 0x80 };
    room                *r = room_of(2);
    sb_player           *p = &r->server->players[0];
    p->relay = filled(r, 0, 0); /* is not needed */
    p->stops = filled(r, 0, 60 * SB_SECOND);
    sb_server_dispatch(r->server, p, SB_RELIABLE, (sb_span){ stop, sizeof stop });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), 0);
    CHECK_EQ(p->stops.left, 119 * SB_SECOND);
    for (sb_time missing = 0; missing < 2; missing++) {
        p->stops = filled(r, 0, 10000 - missing);
        sb_server_dispatch(r->server, p, SB_RELIABLE, (sb_span){ stop, sizeof stop });
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), missing);
    }
}
