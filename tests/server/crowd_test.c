/* tests/server/crowd_test.c -- several players who flood a room together, refused Connects in the
 * log, and the game clock of an empty room. */
#include "rig.h"

#include <starbase/cipher.h>

#include "base/bytes.h"

#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

/* An event that needs no ship and is relayed to all others: destination 0 is allowed (spec 08 §17).
 */
static const char idle_event[] = "0B 01 01 00 00 DF 00 80 00 00 00 00 00 00 00 00 00";

/* Queues the message `count` times without delivering anything in between. */
static void burst(seat *s, unsigned count)
{
    uint8_t bytes[32];
    size_t  size = test_hex(idle_event, bytes, sizeof bytes);
    for (unsigned i = 0; i < count; i++)
        (void)!sb_transport_client_send(s->client, SB_RELIABLE, (sb_span){ bytes, size });
}

TEST(floods_of_1_to_7_players_remove_no_one_else)
{
    for (unsigned attackers = 1; attackers < 8; attackers++) {
        room *r = room_open(NULL);
        seat *seats[8];
        for (unsigned i = 0; i < 8; i++) seats[i] = room_join(r, "Player");
        for (unsigned i = 0; i < 8; i++) seat_forget(seats[i]);
        for (unsigned round = 0; round < 5; round++) {
            for (unsigned i = 0; i < attackers; i++) burst(seats[i], 120);
            room_wait(r, 200000);
            for (unsigned i = attackers; i < 8; i++) {
                CHECK(!seats[i]->left);
                seat_forget(seats[i]);
            }
        }
        CHECK(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE) > 0);
        seat_say_hex(r, seats[7], "2C {id} 02 00 6F 6B");
        room_wait(r, SB_SECOND);
        for (unsigned i = attackers; i < 8; i++) CHECK(seats[i]->by_opcode[0x2C] == 1);
    }
}

/* The same with receivers whose Acks are late. */
TEST(a_burst_of_all_in_one_moment_removes_nobody)
{
    room *r = room_open(NULL);
    seat *seats[8];
    for (unsigned i = 0; i < 8; i++) seats[i] = room_join(r, "Player");
    uint8_t out[SB_DATAGRAM_MAX];
    for (unsigned i = 0; i < 8; i++) burst(seats[i], 120);
    for (unsigned step = 0; step < 4;
         step++) { /* the room receives and sends nothing: a network outage */
        r->now += 50000;
        for (unsigned i = 0; i < 8; i++)
            for (size_t size; (size = sb_transport_client_write(seats[i]->client, r->now, out));)
                (void)!sb_server_receive(r->server, r->now, seats[i]->address,
                                         (sb_span){ out, size });
        sb_server_advance(r->server, r->now);
    }
    CHECK(COUNTED(r, SB_SERVER_COUNT_RELAY_SKIPPED) + COUNTED(r, SB_SERVER_COUNT_RELAY_RATE) > 0);
    room_wait(r, 10 * SB_SECOND);
    for (unsigned i = 0; i < 8; i++) CHECK(!seats[i]->left);
}

TEST(who_grinds_along_an_asteroid_can_still_shoot)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 1, here);
    for (unsigned i = 0; i < 200; i++) { /* 43 reports a second were seen (spec 10 §8) */
        room_wait(r, SB_SECOND / 43);
        a->heard_count = b->heard_count = 0;
        seat_say_hex(
            r, a, "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 00 00 00 3A");
        if (i % 20 == 0) seat_say_hex(r, a, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
    }
    CHECK_EQ(b->by_opcode[0x08], 10);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_RATE), 0);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_COLLISION_RATE), 0);
}

TEST(collisions_that_nobody_has_are_refused)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    seat_spawn(r, a, 1, here);
    for (unsigned i = 0; i < 500; i++)
        seat_say_hex(
            r, a, "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 00 00 00 3A");
    CHECK(COUNTED(r, SB_SERVER_COUNT_COLLISION_RATE) > 200);
}

TEST(a_refused_connect_is_told_with_address_and_reason)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 1;
    room *r = room_open(&c);
    (void)room_join(r, "Alpha");
    seat             *b = room_connect(r, "Beta");
    const room_event *e = room_expect(r, SB_SERVER_CONNECT_REFUSED);
    CHECK_EQ(e->event.value, SB_BOOT_FULL);
    CHECK_EQ(e->event.address.address, b->address.address);
    CHECK_EQ(e->event.other, SB_TRANSPORT_COUNT_REFUSED_FULL);
    CHECK_TEXT(e->text, "the room is full");
}

TEST(too_many_players_from_one_address_is_a_reason_of_its_own)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.transport.peers_per_ip = 1;
    room *r = room_open(&c);
    (void)room_join(r, "Alpha");
    sb_endpoint other_port = { r->seats[0].address.address, 2000 };
    uint8_t     connect[64];
    size_t      size = test_hex("FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00", connect, 64);
    sb_encrypt_datagram(connect, size);
    (void)!room_give(r, other_port, (sb_span){ connect, size });
    const room_event *e = room_expect(r, SB_SERVER_CONNECT_REFUSED);
    CHECK_EQ(e->event.value, SB_BOOT_FULL); /* the protocol has one reason for both */
    CHECK_EQ(e->event.other, SB_TRANSPORT_COUNT_REFUSED_SOURCE);
    CHECK_TEXT(e->text, "too many players from this address");
}

TEST(the_acting_host_restarts_at_most_every_ten_seconds)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.player_restart = true;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    for (unsigned i = 0; i < 21; i++) {
        seat_say_hex(r, a, "39");
        room_wait(r, SB_SECOND);
    }
    CHECK_EQ(a->by_opcode[0x39], 3);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RESTART_RATE), 18);
}

TEST(a_crowd_that_talks_at_once_removes_nobody)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 16;
    room   *r = room_open(&c);
    seat   *seats[16];
    uint8_t line[262] = { 0x2C, 0, 0, 0, 0, 0xFF, 0 };
    for (unsigned i = 0; i < 16; i++) seats[i] = room_join(r, "Player");
    uint8_t out[SB_DATAGRAM_MAX];
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned n = 0; n < 5; n++)
            (void)!sb_transport_client_send(seats[i]->client, SB_RELIABLE,
                                            (sb_span){ line, sizeof line });
        burst(seats[i], 60);
    }
    for (unsigned step = 0; step < 6; step++) { /* the room sends nothing for a moment */
        r->now += 50000;
        for (unsigned i = 0; i < 16; i++)
            for (size_t size; (size = sb_transport_client_write(seats[i]->client, r->now, out));)
                (void)!sb_server_receive(r->server, r->now, seats[i]->address,
                                         (sb_span){ out, size });
        sb_server_advance(r->server, r->now);
    }
    CHECK(COUNTED(r, SB_SERVER_COUNT_RELAY_DELAYED) > 0);
    room_wait(r, 5 * SB_SECOND);
    for (unsigned i = 0; i < 16; i++) CHECK(!seats[i]->left);
}

TEST(the_next_player_after_days_of_emptiness_gets_a_new_clock)
{
    room *r = room_open(NULL);
    room_wait(r, 10 * 86400 * SB_SECOND);
    seat *a = room_connect(r, "Alpha");
    CHECK(sb_server_game_time(r->server, r->now) < 1.0f);
    CHECK(!a->left);
    room_wait(r, 20 * SB_SECOND);
    (void)room_connect(r, "Beta");
    CHECK(sb_server_game_time(r->server, r->now) >= 20.0f);
}

TEST(other_attackers_stand_in_a_score_change_by_ascending_slot)
{
    /* Directly into the match: hits by Delta, Beta and Gamma in this order, then Alpha dies. */
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    seat *others[3];
    for (unsigned i = 0; i < 3; i++) others[i] = room_join(r, "Other");
    uint32_t              ship = seat_spawn(r, a, 5, here);
    sb_match             *match = (sb_match *)sb_server_match(r->server);
    static const unsigned order[] = { 2, 0, 1 };
    for (unsigned i = 0; i < 3; i++)
        sb_match_hit(match, others[order[i]]->id, 1, a->id, ship, 1, 500, true);
    seat_forget(a);
    seat_say_hex(r, a, "13");
    int32_t credited[3];
    CHECK_EQ(seat_find_credited(a, credited, 3), 3);
    for (unsigned i = 0; i < 3; i++) CHECK_EQ(credited[i], others[i]->id);
}
