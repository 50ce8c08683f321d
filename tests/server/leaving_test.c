/* tests/server/leaving_test.c -- departures: left, timed out, kicked, server stopped. Spec 07 §9,
 * 06 §9. */
#include <starbase/cipher.h>

#include "rig.h"

#include "server/server_internal.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

static void expect_leave_sequence(room *r, seat *s, uint8_t id)
{
    EXPECT_HEARD(r, s, "14 FF FF FF 3F");
    EXPECT_HEARD(r, s, "18 05 00 41 6C 70 68 61");
    EXPECT_QUIET(s);
    CHECK_EQ(s->gone_count, 1);
    CHECK_EQ(s->gone[0], id);
}

TEST(a_player_who_leaves_takes_ship_and_name_with_him)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    seat_say_position(r, a, sb_slot_first_id(0), here); /* flying: a second of silence is enough */
    seat_forget(b);
    sb_transport_client_leave(a->client, r->now);
    room_wait(r, SB_SECOND);
    expect_leave_sequence(r, b, 2);
    CHECK_EQ(room_expect(r, SB_SERVER_LEFT)->event.other, 1);
    uint64_t updates = b->by_opcode[0x1C];
    room_wait(r, SB_SECOND);
    CHECK_EQ(b->by_opcode[0x1C], updates); /* the ship is gone */
}

TEST(a_player_who_vanishes_is_missed_after_45_seconds)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    room_wait(r, SB_SECOND);
    a->address.port = 1; /* nothing reaches the seat, and the room gets nothing from it */
    seat_forget(b);
    sb_time start = r->now;
    while (r->now - start < 60 * SB_SECOND && !b->gone_count) {
        room_wait(r, SB_SECOND);
        b->heard_count = b->heard_count > 3000 ? 0 : b->heard_count;
    }
    CHECK((r->now - start) / SB_SECOND >= 44 && (r->now - start) / SB_SECOND <= 48);
    CHECK_EQ(b->gone[0], 2);
    CHECK_TEXT(room_expect(r, SB_SERVER_LEFT)->text, "timed out");
}

TEST(a_kick_sends_the_reason_to_the_player_and_a_boot_to_all)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    seat_forget(a);
    seat_forget(b);
    static const char text[] = "no ramming please";
    CHECK(sb_server_kick(r->server, r->now, 2, (sb_span){ (const uint8_t *)text, strlen(text) }));
    room_wait(r, 2 * SB_SECOND);
    sb_span line = seat_find(a, 0x2C);
    CHECK_EQ(line.size, 7 + strlen(text));
    CHECK_EQ(line.data[1], SB_PEER_HOST);
    CHECK_BYTES(line.data + 7, line.size - 7, text, strlen(text));
    CHECK(a->left);
    CHECK_EQ(a->left_reason, SB_LEFT_BOOTED);
    CHECK_EQ(a->boot_reason, SB_BOOT_KICKED);
    CHECK(!sb_server_kick(r->server, r->now, 2, (sb_span){ NULL, 0 }));
    expect_leave_sequence(r, b, 2);
}

TEST(the_options_of_spec_07_9_switch_each_message)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.leave_destroy = c.leave_text = false;
    c.leave_event = true;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    seat_forget(b);
    sb_transport_client_leave(a->client, r->now);
    room_wait(r, 7 * SB_SECOND);
    EXPECT_HEARD(r, b, "17 66 08 00 00 05 00 06 00 00 00 00 00 4F 06 00 00 02");
    EXPECT_QUIET(b);
}

TEST(leaving_before_the_game_is_not_announced_to_players)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_connect(r, "Beta");
    seat_forget(a);
    sb_transport_client_leave(b->client, r->now);
    room_wait(r, 7 * SB_SECOND); /* the silence of an idle player (spec 01 §8.4) */
    EXPECT_QUIET(a);
    CHECK_EQ(a->gone_count, 1); /* the transport's notice: the name had been sent before */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_LEAVES), 0);
}

/* Sends a Disconnect (0x05) with the player's id and every sequence number that may be next (spec
 * 01 §4.10). */
static void say_goodbye_as(room *r, uint8_t id, uint32_t address, sb_endpoint from)
{
    for (uint16_t seq = 0; seq < 24; seq++) {
        uint8_t goodbye[] = { id, 1, 0x05, 0x0A, 0xC0, 0, 0, id, 0, 0, 0, 0 };
        sb_store_u16(goodbye + 5, seq);
        for (unsigned i = 0; i < 4; i++) goodbye[8 + i] = (uint8_t)(address >> (24 - 8 * i));
        sb_encrypt_datagram(goodbye, sizeof goodbye);
        (void)!room_give(r, from, (sb_span){ goodbye, sizeof goodbye });
    }
    room_wait(r, 4 * SB_SECOND);
}

TEST(a_forged_disconnect_ends_no_session_from_any_address)
{
    room       *r = room_open(NULL);
    seat       *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    sb_endpoint own = a->address;
    say_goodbye_as(r, a->id, own.address, room_stranger(1));
    say_goodbye_as(r, a->id, own.address, (sb_endpoint){ own.address, 1 });
    say_goodbye_as(r, a->id, own.address, b->address);
    say_goodbye_as(r, a->id, own.address, own); /* refuted by the next NoOp */
    say_goodbye_as(r, a->id, own.address + 1, own);
    CHECK(!a->left && !b->left);
    CHECK_EQ(sb_server_player_count(r->server), 2);
    CHECK_EQ(b->gone_count, 0);
    a->address.port = 1; /* the player is silent */
    say_goodbye_as(r, a->id, own.address, own);
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 1);
    CHECK_EQ(b->gone_count, 1);
    CHECK_EQ(b->gone[0], a->id);
}

TEST(a_stopping_server_says_goodbye_to_all_within_a_second)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_connect(r, "Beta");
    sb_server_stop(r->server, r->now);
    room_wait(r, SB_SECOND);
    CHECK(sb_server_is_stopped(r->server));
    CHECK(a->left && b->left);
    CHECK_EQ(a->left_reason, SB_LEFT_HOST_CLOSED);
    (void)room_expect(r, SB_SERVER_STOPPED);
}

/* Connects from the address of the last seat, whose player has left. */
static seat *join_from_last_seat(room *r, const char *name)
{
    free(r->seats[--r->seat_count].heard);
    return room_join(r, name);
}

static void leave_for_a_minute(room *r, seat *s)
{
    sb_transport_client_leave(s->client, r->now);
    room_wait(r, 60 * SB_SECOND);
    for (unsigned i = 0; i < r->seat_count; i++) seat_forget(&r->seats[i]);
}

TEST(only_a_returning_player_gets_the_old_score_back)
{
    room   *r = room_open(NULL);
    seat   *b = room_join(r, "Beta"), *a = room_join(r, "Alpha");
    uint8_t id = a->id;
    seat_spawn(r, a, 5, here);
    seat_say_hex(r, a, "13"); /* a death */
    CHECK_EQ(sb_match_find(sb_server_match(r->server), id)->deaths, 1);
    leave_for_a_minute(r, a);
    a = join_from_last_seat(r, "Alpha");
    CHECK_EQ(sb_match_find(sb_server_match(r->server), a->id)->deaths, 1);
    CHECK_EQ(seat_find_deaths(b, a->id), 1);
    leave_for_a_minute(r, a);
    seat *c = join_from_last_seat(r, "Gamma"); /* same address and id, another name */
    CHECK_EQ(c->id, id);
    CHECK_EQ(seat_find_deaths(b, id), 0);
    leave_for_a_minute(r, c);
    seat *d = room_join(r, "Alpha"); /* same name and id, another address */
    CHECK_EQ(d->id, id);
    CHECK_EQ(seat_find_deaths(b, id), 0);
    CHECK_EQ(sb_match_find(sb_server_match(r->server), id)->deaths, 0);
}

/* ---- a player who crashed and came back before the old session timed out (spec 09 §11) ---- */

static void die(room *r, seat *s)
{
    seat_spawn(r, s, 5, here);
    seat_say_hex(r, s, "13");
}

/* Waits longer than the timeout of a silent session. */
static void wait_for_timeout(room *r)
{
    for (unsigned i = 0; i < 50; i++) {
        room_wait(r, SB_SECOND);
        for (unsigned k = 0; k < r->seat_count; k++)
            if (r->seats[k].heard_count > 2000) seat_forget(&r->seats[k]);
    }
}

static sb_time changed_timeout_us; /* a reload during the silence sets it; 0: there is none */

static void reload_timeout(room *r)
{
    static const sb_config_field field = SB_CONFIG_FIELD(transport.timeout_us);
    sb_server_config             c = r->server->config;
    sb_config_fields             fields = { &field, 1, NULL, 0 };
    c.transport.timeout_us = changed_timeout_us;
    if (changed_timeout_us) sb_server_reconfigure(r->server, &c, &fields);
}

/* Alpha dies, falls silent, and a player joins with this name, address and port; that player dies
 * once, too. Returns its deaths after Alpha's session timed out. */
static int deaths_of_next(const char *name, uint32_t other_address, bool before_the_crash)
{
    room       *r = room_open(NULL);
    seat       *b = room_join(r, "Beta"), *a = room_join(r, "Alpha");
    sb_endpoint next = { a->address.address + other_address, 31000 };
    die(r, a);
    seat *c = before_the_crash ? room_join_from(r, name, next) : NULL;
    if (c) room_wait(r, 6 * SB_SECOND); /* Alpha is heard from */
    a->address.port = 1;                /* the crash */
    room_wait(r, 5 * SB_SECOND);
    reload_timeout(r);
    if (!c) c = room_join_from(r, name, next);
    die(r, c);
    seat_forget(b);
    wait_for_timeout(r);
    CHECK_EQ(sb_server_player_count(r->server), 2);
    return sb_match_find(sb_server_match(r->server), c->id)->deaths;
}

TEST(numbers_move_to_a_player_who_returned_before_the_timeout)
{
    CHECK_EQ(deaths_of_next("Alpha", 0, false), 1 + 1);
}

TEST(numbers_do_not_move_to_another_name_or_address)
{
    CHECK_EQ(deaths_of_next("Gamma", 0, false), 1);
    CHECK_EQ(deaths_of_next("Alpha", 100, false), 1);
}

TEST(numbers_do_not_move_to_a_namesake_who_was_there_before)
{
    CHECK_EQ(deaths_of_next("Alpha", 0, true), 1);
}

/* A session keeps the timeout with which it began. */
TEST(a_reload_of_the_timeout_gives_numbers_to_nobody_else)
{
    changed_timeout_us = 20 * SB_SECOND;
    CHECK_EQ(deaths_of_next("Alpha", 0, false), 1 + 1);
    changed_timeout_us = 600 * SB_SECOND;
    CHECK_EQ(deaths_of_next("Alpha", 0, true), 1);
    changed_timeout_us = 0;
}

TEST(numbers_do_not_move_when_a_player_quits)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    die(r, a);
    seat *c = room_join_from(r, "Alpha", (sb_endpoint){ a->address.address, 31000 });
    sb_transport_client_leave(a->client, r->now);
    room_wait(r, 7 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 1);
    CHECK_EQ(sb_match_find(sb_server_match(r->server), c->id)->deaths, 0);
}

TEST(all_players_are_told_of_numbers_that_moved)
{
    room *r = room_open(NULL);
    seat *b = room_join(r, "Beta"), *a = room_join(r, "Alpha");
    die(r, a);
    a->address.port = 1;
    room_wait(r, SB_SECOND);
    seat *c = room_join_from(r, "Alpha", (sb_endpoint){ a->address.address, 31000 });
    room_wait(r, 40 * SB_SECOND);
    seat_forget(b);
    seat_forget(c);
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(seat_find_deaths(b, c->id), 1);
    CHECK_EQ(seat_find_deaths(c, c->id), 1);
    seat *late = room_connect(r, "Late"); /* the old id has no row any more */
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, late, sb_vanilla_manifest());
    seat_say_hex(r, late, "2A 20");
    unsigned rows = 0;
    while (seat_find(late, 0x37).size) rows++;
    CHECK_EQ(rows, 3); /* Beta, Alpha, Late */
}
