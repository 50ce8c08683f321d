/* tests/server/stall_test.c -- a lost datagram holds a player's channel for seconds; then a bunch
 * of messages arrives at once, and every one must reach every other player.
 * docs/decisions/room-fairness.md. */
#include "rig.h"

#include "base/bytes.h"
#include "server/server_internal.h"

#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

enum { PER_SECOND = 15, PLAYERS_MAX = 16 };

/* Every player sends numbered events; the numbers that each receiver got last from each sender. */
typedef struct talk {
    room    *r;
    unsigned players;
    uint8_t  opcode; /* of the numbered messages */
    uint32_t sent[PLAYERS_MAX];
    uint32_t got[PLAYERS_MAX][PLAYERS_MAX]; /* by receiver and sender */
} talk;

static talk open_talk(unsigned players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = players;
    talk t = { .r = room_open(&c), .players = players, .opcode = SB_OP_ADD_TO_REPAIR_LIST };
    for (unsigned i = 0; i < players; i++) (void)room_join(t.r, "Player");
    room_wait(t.r, 10 * SB_SECOND); /* all budgets are full */
    for (unsigned i = 0; i < players; i++) seat_forget(&t.r->seats[i]);
    return t;
}

/* An event that needs no ship; its source holds the sender and a number. */
static void say_number(talk *t, unsigned sender)
{
    uint8_t event[17];
    CHECK_EQ(test_hex("0B 01 01 00 00 DF 00 80 00 00 00 00 00 00 00 00 00", event, 17), 17);
    event[0] = t->opcode;
    sb_store_u32(event + 9, sender << 16 | ++t->sent[sender]);
    CHECK_EQ(sb_transport_client_send(t->r->seats[sender].client, SB_RELIABLE,
                                      (sb_span){ event, sizeof event }),
             SB_OK);
}

/* Each number must be one above the last from the same sender: none is missing, none comes twice,
 * all are in order. */
static void hear_numbers(talk *t)
{
    for (unsigned i = 0; i < t->players; i++) {
        for (sb_span m; (m = seat_find(&t->r->seats[i], t->opcode)).size;) {
            uint32_t source = sb_load_u32(m.data + 9);
            CHECK_EQ(source & 0xFFFF, ++t->got[i][source >> 16]);
        }
        seat_forget(&t->r->seats[i]);
    }
}

static void talk_for(talk *t, sb_time duration)
{
    for (sb_time end = t->r->now + duration; t->r->now < end;) {
        for (unsigned i = 0; i < t->players; i++) say_number(t, i);
        room_wait(t->r, SB_SECOND / PER_SECOND);
        hear_numbers(t);
    }
}

static void expect_all_heard(talk *t)
{
    room_wait(t->r, 10 * SB_SECOND);
    hear_numbers(t);
    for (unsigned to = 0; to < t->players; to++)
        for (unsigned from = 0; from < t->players; from++)
            if (to != from) CHECK_EQ(t->got[to][from], t->sent[from]);
    for (unsigned i = 0; i < t->players; i++) CHECK(!t->r->seats[i].left);
    CHECK_EQ(COUNTED(t->r, SB_SERVER_COUNT_RELAY_RATE), 0);
    CHECK_EQ(COUNTED(t->r, SB_SERVER_COUNT_RELAY_SKIPPED), 0);
    CHECK_EQ(COUNTED(t->r, SB_SERVER_COUNT_MOD_RATE), 0);
}

/* Everything that the first `stalled` players send is lost, Acks included, until shortly before the
 * retransmission after `seconds` (1, 3 or 6: spec 01 §6.5). */
static void stall_with(uint8_t opcode, unsigned players, unsigned stalled, unsigned seconds)
{
    talk t = open_talk(players);
    t.opcode = opcode;
    talk_for(&t, SB_SECOND);
    for (unsigned i = 0; i < stalled; i++) t.r->seats[i].muted = true;
    talk_for(&t, seconds * SB_SECOND - SB_SECOND / PER_SECOND);
    for (unsigned i = 0; i < stalled; i++) t.r->seats[i].muted = false;
    talk_for(&t, 2 * SB_SECOND);
    expect_all_heard(&t);
}

static void stall(unsigned players, unsigned stalled, unsigned seconds)
{
    stall_with(SB_OP_ADD_TO_REPAIR_LIST, players, stalled, seconds);
}

TEST(a_stall_loses_no_message_of_a_mod)
{
    static const uint8_t mod_opcode = 0xCD;
    stall_with(mod_opcode, 2, 1, 6);
    stall_with(mod_opcode, 8, 1, 6);
    stall_with(mod_opcode, 16, 1, 6);
}

TEST(a_stall_of_one_player_loses_no_message_of_anybody)
{
    static const unsigned seconds[] = { 1, 3, 6 };
    for (unsigned players = 2; players <= PLAYERS_MAX; players += players < 4 ? 1 : 4)
        for (unsigned i = 0; i < 3; i++) stall(players, 1, seconds[i]);
}

TEST(a_stall_of_all_players_for_a_second_loses_no_message)
{
    for (unsigned players = 2; players <= PLAYERS_MAX; players += 2) stall(players, players, 1);
}

/* One datagram is lost three times, and everything else arrives: the room stores 6 s of messages,
 * which it may not deliver before the first one. */
TEST(a_datagram_that_is_lost_three_times_holds_and_loses_nothing)
{
    static const unsigned crowds[] = { 2, 8, 16 };
    for (unsigned n = 0; n < 3; n++) {
        talk     t = open_talk(crowds[n]);
        uint32_t before = t.got[1][0];
        for (unsigned tick = 0; tick < 6 * PER_SECOND; tick++) {
            /* first sent at 0, then after 1 and 3 s (spec 01 §6.5) */
            t.r->seats[0].muted = tick == 0 || tick == PER_SECOND || tick == 3 * PER_SECOND;
            talk_for(&t, 1);
        }
        CHECK_EQ(t.got[1][0], before);
        talk_for(&t, SB_SECOND);
        CHECK(t.got[1][0] >= before + 6 * PER_SECOND);
        expect_all_heard(&t);
    }
}

/* Lets everything that was sent arrive before the room can send anything. */
static void deliver_at_once(room *r)
{
    uint8_t out[SB_DATAGRAM_MAX];
    for (unsigned i = 0; i < r->seat_count; i++)
        for (size_t size; (size = sb_transport_client_write(r->seats[i].client, r->now, out));)
            (void)!sb_server_receive(r->server, r->now, r->seats[i].address,
                                     (sb_span){ out, size });
}

/* 16 players with 15 messages each are 3600 copies, more than the queues hold. */
TEST(copies_that_do_not_fit_into_a_queue_wait_in_order)
{
    talk t = open_talk(PLAYERS_MAX);
    for (unsigned n = 0; n < PER_SECOND; n++)
        for (unsigned i = 0; i < PLAYERS_MAX; i++) say_number(&t, i);
    deliver_at_once(t.r);
    CHECK(COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED) > 500);
    /* These arrive with the first Acks and must not overtake the messages that wait. */
    for (unsigned i = 0; i < PLAYERS_MAX; i++) say_number(&t, i);
    expect_all_heard(&t);
}

/* A receiver that reads nothing keeps messages in the backlog; the others get theirs. */
TEST(a_backlog_that_overflows_drops_what_is_oldest)
{
    talk        t = open_talk(8);
    seat       *lost = &t.r->seats[7];
    sb_endpoint real = lost->address;
    lost->address.port = 1; /* its link is cut, both ways */
    t.players = 7;
    talk_for(&t, 30 * SB_SECOND);
    CHECK(COUNTED(t.r, SB_SERVER_COUNT_RELAY_SKIPPED) > 0);
    for (unsigned to = 0; to < 7; to++)
        for (unsigned from = 0; from < 7; from++)
            if (to != from) CHECK_EQ(t.got[to][from], t.sent[from]);
    lost->address = real;
    for (unsigned i = 0; i < 20; i++) { /* until its queue is empty */
        room_wait(t.r, SB_SECOND);
        CHECK(!lost->left);
    }
    seat_forget(lost);
    say_number(&t, 0);
    room_wait(t.r, SB_SECOND);
    sb_span newest = seat_find(lost, 0x0B);
    CHECK_EQ(newest.size, 17);
    CHECK_EQ(sb_load_u32(newest.data + 9), t.sent[0]);
}

/* Messages that the room builds itself: chat, choices of teams, DestroyObject; and a long one.
 * Lines of the server, which need no reserve, have filled the receiver's queue. */
TEST(chat_teams_removals_and_long_messages_wait_too)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    talk t = { .r = room_open(&c), .players = 7, .opcode = SB_OP_ADD_TO_REPAIR_LIST };
    for (unsigned i = 0; i < 8; i++) (void)room_join(t.r, "Player");
    seat       *a = &t.r->seats[0], *late = &t.r->seats[7];
    sb_endpoint real = late->address;
    seat_create_scenery(t.r, a, seat_first_id(t.r, a) + 0x1000);
    room_wait(t.r, 10 * SB_SECOND);
    late->address.port = 1; /* its link is cut, both ways */
    while (COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED) == 0) talk_for(&t, 1);
    while (sb_transport_host_free_bytes(t.r->server->transport, late->id) > REPAIR_QUEUE_RESERVE)
        sb_server_say(t.r->server, t.r->now, (sb_span){ (const uint8_t *)"fill", 4 });
    uint64_t skipped = COUNTED(t.r, SB_SERVER_COUNT_RELAY_SKIPPED);
    seat_say_hex(t.r, a, "41 {id} 01");
    seat_say_hex(t.r, a, "2C {id} 02 00 68 69");
    static const uint8_t mod[1024] = { 0xCD }; /* as long as mod_bytes allows by default */
    seat_say(t.r, a, SB_RELIABLE, (sb_span){ mod, sizeof mod });
    CHECK(sb_server_kick(t.r->server, t.r->now, a->id, (sb_span){ 0 }));
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(COUNTED(t.r, SB_SERVER_COUNT_RELAY_SKIPPED), skipped);
    late->address = real;
    seat_forget(late);
    room_wait(t.r, 20 * SB_SECOND);
    CHECK(!late->left);
    CHECK_EQ(late->by_opcode[0x41], 1);
    CHECK_EQ(late->by_opcode[0x14], 1);
    CHECK_EQ(late->by_opcode[0xCD], 1);
    unsigned lines = 0;
    for (sb_span m; (m = seat_find(late, 0x2C)).size;) lines += m.size == 9;
    CHECK_EQ(lines, 1);
}

/* A receiver reads nothing until its queue is full; then an object is created, which must wait, and
 * removed, which is sent at once. */
typedef enum removal {
    OWNER_LEAVES,
    SHIP_IS_REPLACED,
    SHIP_DIES,
    MATCH_RESTARTS,
    REMOVALS
} removal;

static void remove_waiting_object(talk *t, removal how)
{
    seat *a = &t->r->seats[0];
    seat_spawn(t->r, a, 5, here);
    if (how == OWNER_LEAVES) seat_create_scenery(t->r, a, seat_first_id(t->r, a) + 0x1000);
    if (how == SHIP_IS_REPLACED) seat_spawn(t->r, a, 4, here);
    if (how == SHIP_DIES) seat_say_hex(t->r, a, "13");
    if (how == OWNER_LEAVES) CHECK(sb_server_kick(t->r->server, t->r->now, a->id, (sb_span){ 0 }));
    if (how == MATCH_RESTARTS) sb_server_restart_match(t->r->server, t->r->now);
    room_wait(t->r, 2 * SB_SECOND);
}

TEST(removed_objects_do_not_appear_after_a_stall)
{
    for (removal how = 0; how < REMOVALS; how++) {
        talk        t = open_talk(8);
        seat       *late = &t.r->seats[7];
        sb_endpoint real = late->address;
        late->address.port = 1; /* its link is cut, both ways */
        t.players = 7;
        while (COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED) == 0) talk_for(&t, 1);
        remove_waiting_object(&t, how);
        CHECK_EQ(t.r->seats[6].by_opcode[0x03], how == SHIP_IS_REPLACED ? 2 : 1);
        late->address = real;
        room_wait(t.r, 20 * SB_SECOND);
        CHECK(!late->left);
        CHECK_EQ(late->by_opcode[0x02], 0);
        CHECK_EQ(late->by_opcode[0x03], how == SHIP_IS_REPLACED ? 1 : 0);
    }
}

TEST(the_backlog_of_a_player_who_left_is_forgotten)
{
    talk t = open_talk(8);
    t.r->seats[7].address.port = 1;
    t.players = 7;
    talk_for(&t, 10 * SB_SECOND);
    CHECK(COUNTED(t.r, SB_SERVER_COUNT_RELAY_DELAYED) > 0);
    CHECK(sb_server_kick(t.r->server, t.r->now, t.r->seats[7].id, (sb_span){ NULL, 0 }));
    room_wait(t.r, 2 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(t.r->server), 7);
    seat *next = room_join(t.r, "Next"); /* in the slot of the player who left */
    CHECK_EQ(seat_first_id(t.r, next), sb_slot_first_id(7));
    room_wait(t.r, SB_SECOND);
    CHECK_EQ(next->by_opcode[0x0B], 0);
}

/* ---- StopFiring ---- */

static const char start[] = "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00 00 00 "
                            "00 00";
static const char stop[] = "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40";
static const char stop_at_target[] =
    "09 0C 01 00 00 DB 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00";
static const char idle_event[] = "0B 01 01 00 00 DF 00 80 00 00 00 00 00 00 00 00 00";

static void queue_hex(seat *s, const char *hex)
{
    uint8_t bytes[64];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    CHECK_EQ(sb_transport_client_send(s->client, SB_RELIABLE, (sb_span){ bytes, size }), SB_OK);
}

/* Twelve clicks on the trigger while the channel waits 3 s for a retransmission, with 8 players. */
TEST(clicks_during_a_stall_start_and_stop_every_volley)
{
    talk  t = open_talk(8);
    seat *a = &t.r->seats[0], *b = &t.r->seats[7];
    seat_spawn(t.r, a, 5, here);
    room_wait(t.r, 2 * SB_SECOND);
    a->muted = true;
    for (unsigned i = 0; i < 12; i++) {
        queue_hex(a, start);
        room_wait(t.r, SB_SECOND / 9);
        queue_hex(a, stop);
        queue_hex(a, stop_at_target);
        room_wait(t.r, SB_SECOND / 9);
    }
    a->muted = false;
    room_wait(t.r, 5 * SB_SECOND);
    CHECK_EQ(b->by_opcode[0x07], 12);
    CHECK_EQ(b->by_opcode[0x08], 12);
    CHECK_EQ(b->by_opcode[0x09], 12);
}

/* All of one tube, and all of one cannon: the rate of a weapon must not drop what was honest. */
TEST(shots_of_one_weapon_during_a_stall_all_arrive)
{
    static const char *const shots[] = { "19 0D 00 00 40 02 05 4C 65 00",
                                         "1A 0D 00 00 40 02 00 00 7F 00" };
    for (unsigned kind = 0; kind < 2; kind++) {
        talk  t = open_talk(8);
        seat *a = &t.r->seats[0], *b = &t.r->seats[7];
        seat_spawn(t.r, a, 5, here);
        room_wait(t.r, 2 * SB_SECOND);
        a->muted = true;
        for (unsigned i = 0; i < 6 * PER_SECOND; i++) {
            queue_hex(a, shots[kind]);
            room_wait(t.r, SB_SECOND / PER_SECOND);
        }
        a->muted = false;
        room_wait(t.r, 5 * SB_SECOND);
        CHECK_EQ(b->by_opcode[0x19 + kind], 6 * PER_SECOND);
    }
}

TEST(a_spent_relay_budget_does_not_hold_back_a_stop)
{
    static const unsigned crowds[] = { 2, 8, 16 };
    for (unsigned n = 0; n < 3; n++) {
        talk  t = open_talk(crowds[n]);
        seat *a = &t.r->seats[0], *b = &t.r->seats[1];
        for (unsigned i = 0; i < 200; i++) queue_hex(a, idle_event);
        queue_hex(a, stop);
        queue_hex(a, stop_at_target);
        room_step(t.r);
        CHECK(COUNTED(t.r, SB_SERVER_COUNT_RELAY_RATE) >= 80);
        CHECK_EQ(b->by_opcode[0x08], 1);
        CHECK_EQ(b->by_opcode[0x09], 1);
    }
}

/* ---- memory ---- */

TEST(the_backlog_takes_at_most_a_twentieth_of_a_room)
{
    for (unsigned players = 1; players <= PLAYERS_MAX; players++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.max_players = players;
        CHECK(20 * players * BACKLOG_BYTES_PER_PLAYER <= sb_server_bytes(&c));
    }
}
