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

TEST(ship_and_name_of_a_player_go_when_the_player_leaves)
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
    CHECK(!sb_server_kick(r->server, r->now, 2, (sb_span){ NULL, 0 }));
    expect_leave_sequence(r, b, 2);
    CHECK(seat_is_removed(r, a));
    CHECK_EQ(a->left_reason, SB_LEFT_BOOTED);
    CHECK_EQ(a->boot_reason, SB_BOOT_KICKED);
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
    seat_leave(r, a);
    EXPECT_HEARD(r, b, "17 66 08 00 00 05 00 06 00 00 00 00 00 4F 06 00 00 02");
    EXPECT_QUIET(b);
}

TEST(leaving_before_the_game_is_not_announced_to_players)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_connect(r, "Beta");
    seat_forget(a);
    seat_leave(r, b);
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
    (void)room_expect(r, SB_SERVER_STOPPED);
    CHECK(seat_is_removed(r, a) && seat_is_removed(r, b));
    CHECK_EQ(a->left_reason, SB_LEFT_HOST_CLOSED);
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
    seat_leave(r, a);
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
    seat *late = room_load(r, "Late"); /* the old id has no row any more */
    seat_say_hex(r, late, "2A 20");
    unsigned rows = 0;
    while (seat_find(late, 0x37).size) rows++;
    CHECK_EQ(rows, 3); /* Beta, Alpha, Late */
}

/* ---- the edges of that rule, with sessions as the test sets them ---- */

enum { GONE = 0, TIMEOUT_S = 45 };

/* Players of one address with these names, and one death of the first. A NULL ends the list. */
static room *room_of_namesakes(const char *const *names, unsigned players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    c.transport.peers_per_ip = 0;
    room *r = room_open(&c);
    r->one_address = true;
    for (unsigned i = 0; i < players; i++) (void)room_join(r, names[i]);
    die(r, &r->seats[GONE]);
    r->now += 100 * SB_SECOND;
    sb_server_set_time(r->server, r->now);
    for (unsigned i = 0; i < players; i++) /* all began 20 s ago */
        r->server->players[i].connected_at = r->now - 20 * SB_SECOND;
    return r;
}

static int deaths_of(const room *r, unsigned seat_index)
{
    return sb_match_find(sb_server_match(r->server), r->seats[seat_index].id)->deaths;
}

static void time_out(room *r, unsigned seat_index)
{
    sb_transport_event event = { .type = SB_EVENT_LEFT,
                                 .peer_id = r->seats[seat_index].id,
                                 .reason = SB_LEFT_TIMED_OUT };
    sb_server_on_leave(r->server, &event);
}

/* The first session times out; returns the index of the player who has its death now, 0: nobody. */
static unsigned heir_of(room *r)
{
    time_out(r, GONE);
    unsigned heir = 0;
    for (unsigned i = 1; i < r->seat_count; i++)
        if (deaths_of(r, i)) heir = i;
    return heir;
}

TEST(numbers_move_to_the_session_of_the_same_name_that_began_last)
{
    static const char *const names[] = { "Alpha", "Alphb", "Alph", "Alpha", "Alpha", "Alpha" };
    room                    *r = room_of_namesakes(names, 6);
    CHECK_EQ(heir_of(r), 3); /* the first of several that began in the same moment */
    r = room_of_namesakes(names, 6);
    r->server->players[4].connected_at++;
    CHECK_EQ(heir_of(r), 4);
    r = room_of_namesakes(names, 6);
    sb_time silent_since = r->now - TIMEOUT_S * SB_SECOND;
    r->server->players[3].connected_at = silent_since; /* was there before the silence */
    r->server->players[4].connected_at = silent_since + 1;
    r->server->players[5].phase = SB_PLAYER_LOADING; /* is not in the game */
    r->server->players[4].connected_at--;
    CHECK_EQ(heir_of(r), 0);
    r = room_of_namesakes(names, 6);
    r->server->players[3].connected_at = silent_since;
    r->server->players[4].connected_at = silent_since + 1;
    r->server->players[5].connected_at = silent_since;
    CHECK_EQ(heir_of(r), 4);
    const room_event *score = room_expect(r, SB_SERVER_SCORE);
    while (score->event.peer_id != r->seats[4].id) score = room_expect(r, SB_SERVER_SCORE);
    CHECK_EQ(score->event.deaths, 1);
}

TEST(numbers_move_to_the_first_slot)
{
    static const char *const names[] = { "Alpha", "Alpha" };
    room                    *r = room_of_namesakes(names, 2); /* the first one has died once */
    ((sb_match_row *)sb_match_find(&r->server->match, r->seats[1].id))->deaths = 1;
    time_out(r, 1);
    CHECK_EQ(deaths_of(r, 0), 2);
}

TEST(numbers_move_to_the_last_slot_and_never_between_the_nameless)
{
    static const char *const sixteen[] = { "Alpha", "B", "B", "B", "B", "B", "B", "B",
                                           "B",     "B", "B", "B", "B", "B", "B", "Alpha" };
    CHECK_EQ(heir_of(room_of_namesakes(sixteen, 16)), 15);
    room *r = room_of_namesakes(sixteen, 16);
    r->server->players[GONE].name_size = r->server->players[15].name_size = 0;
    CHECK_EQ(heir_of(r), 0);
    r = room_of_namesakes(sixteen, 16);
    r->server->players[15].address.address++;
    CHECK_EQ(heir_of(r), 0);
}

/* ---- what a departure leaves behind ---- */

TEST(a_departure_is_counted_and_reported_with_its_duration)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_connect(r, "Beta");
    room_wait(r, 12 * SB_SECOND);
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ NULL, 0 }));
    CHECK(sb_server_kick(r->server, r->now, b->id, (sb_span){ NULL, 0 }));
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 1);
    CHECK(sb_server_kick(r->server, r->now, b->id, (sb_span){ NULL, 0 })); /* once more */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 1);
    room_wait(r, 2 * SB_SECOND);
    for (unsigned in_game = 0; in_game < 2; in_game++) {
        const room_event *left = room_expect(r, SB_SERVER_LEFT);
        while (left->event.other != in_game) left = room_expect(r, SB_SERVER_LEFT);
        CHECK_EQ(left->event.peer_id, in_game ? a->id : b->id);
        CHECK_EQ(left->event.value, 12);
        CHECK(strlen(left->text) > 0);
        r->event_next = 0;
    }
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_LEAVES), 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 1);
}

TEST(a_player_without_a_name_leaves_without_a_text)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    sb_server_find_player(r->server, a->id)->name_size = 0;
    seat_forget(b);
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ NULL, 0 }));
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(b->gone_count, 1);
    EXPECT_QUIET(b);
}

TEST(a_name_of_one_letter_is_told)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "A"), *b = room_join(r, "Beta");
    seat_forget(b);
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ NULL, 0 }));
    room_wait(r, 2 * SB_SECOND);
    EXPECT_HEARD(r, b, "18 01 00 41");
}

TEST(nothing_waits_for_a_player_who_leaves)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_create_scenery(r, a, seat_first_id(r, a) + 0x1000);
    seat_spawn(r, b, 5, here);
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ NULL, 0 }));
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(b->by_opcode[SB_OP_DESTROY_OBJECT], 1); /* the scenery; not to Alpha, who is gone */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_RELAY_DELAYED), 0);
    sb_replica_message message;
    unsigned           updates = 0;
    r->now += SB_SECOND / 10;
    for (; sb_replica_next(r->server->replica, r->now, 5.0f, &message); updates++)
        CHECK(!sb_peer_mask_has(&message.peers, a->id));
    CHECK(updates > 0);
}

TEST(a_departure_changes_no_counter_of_refusals)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    for (unsigned i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++) r->server->counters[i] = a->id;
    CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ NULL, 0 }));
    room_wait(r, 2 * SB_SECOND);
    for (unsigned i = 0; i < SB_SERVER_COUNT_MESSAGES_IN; i++)
        CHECK_EQ(r->server->counters[i], a->id);
}

TEST(what_a_player_wanted_and_hit_is_forgotten_in_every_row)
{
    room      *r = room_open(NULL);
    seat      *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    sb_object *rows[] = { &r->server->objects[0], &r->server->objects[OBJECTS_MAX - 1] };
    memset(r->server->objects, 0, sizeof r->server->objects);
    r->server->object_top = OBJECTS_MAX;
    for (unsigned i = 0; i < 2; i++) {
        rows[i]->hit_by = i ? b->id : a->id;
        rows[i]->wanted_by = 0xFFFF;
    }
    CHECK(sb_server_kick(r->server, r->now, b->id, (sb_span){ NULL, 0 }));
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(rows[0]->hit_by, a->id);
    CHECK_EQ(rows[1]->hit_by, 0);
    CHECK_EQ(rows[0]->wanted_by, 0xFFFD); /* Beta had slot 1 */
    CHECK_EQ(rows[1]->wanted_by, 0xFFFD);
}

/* Players leave from the first slot to the last one, then the reverse. */
TEST(a_room_is_not_empty_while_any_slot_is_taken)
{
    for (unsigned reverse = 0; reverse < 2; reverse++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.max_players = SB_SERVER_PLAYERS_MAX;
        room *r = room_open(&c);
        for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_connect(r, "Player");
        c.system = 9;
        room_reconfigure(r, &c); /* when the room is empty */
        for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
            const seat *s = &r->seats[reverse ? SB_SERVER_PLAYERS_MAX - 1 - i : i];
            CHECK_EQ(r->server->config.system, 1);
            CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
            room_wait(r, SB_SECOND);
        }
        CHECK_EQ(r->server->config.system, 9);
    }
}

/* ---- kicks ---- */

TEST(the_reason_of_a_kick_is_cut_at_255_characters)
{
    static uint8_t text[300];
    memset(text, 0x80, sizeof text); /* the euro sign, three bytes in UTF-8 */
    for (size_t size = 254; size <= 257; size++) {
        room *r = room_open(NULL);
        seat *a = room_join(r, "Alpha");
        CHECK(sb_server_kick(r->server, r->now, a->id, (sb_span){ text, size }));
        room_step(r);
        size_t kept = size < 255 ? size : 255;
        CHECK_EQ(seat_find(a, SB_OP_CHAT).size, 7 + kept);
        CHECK_EQ(room_expect(r, SB_SERVER_KICKED)->event.text.size, 3 * kept);
    }
}

TEST(a_kicked_player_who_is_silent_is_booted_after_4_s_or_1_s)
{
    for (unsigned with_text = 0; with_text < 2; with_text++) {
        room *r = room_open(NULL);
        seat *a = room_join(r, "Alpha");
        a->muted = true; /* nothing is acknowledged ... */
        sb_server_say(r->server, r->now,
                      (sb_span){ (const uint8_t *)"hear", 4 }); /* ... not this */
        sb_time start = r->now;
        CHECK(
            sb_server_kick(r->server, start, a->id, (sb_span){ (const uint8_t *)"x", with_text }));
        CHECK_EQ(sb_server_joins_deadline(r->server), start + (with_text ? 4 : 1) * SB_SECOND);
        room_wait(r, 6 * SB_SECOND);
        CHECK_EQ(room_expect(r, SB_SERVER_LEFT)->event.now,
                 start + (with_text ? 4 : 1) * SB_SECOND);
        CHECK(seat_is_removed(r, a));
        CHECK_EQ(a->boot_reason, SB_BOOT_KICKED);
    }
}
