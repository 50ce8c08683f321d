/* tests/server/seats_test.c -- joins that never answer hold no seat that somebody else needs.
 *
 * For:      src/server/joining.c (sb_server_gives_way_at).
 * Spec:     01 §5.4, 06 §9.
 */
#include "rig.h"

static sb_endpoint idler_address(unsigned number)
{
    return (sb_endpoint){ 0xC0A80100u + number / 4, (uint16_t)(4000 + number) };
}

static void enter(room *r, seat *s)
{
    seat_pass_checksums(r, s);
    seat_say_hex(r, s, "2A 20");
    CHECK(seat_find(s, 0x35).size > 0);
}

static bool has_request(const seat *s)
{
    return s->by_opcode[0x20] > 0;
}

/* A room of eight seats: `players` in the game, the rest taken by clients of two addresses that
 * hear the host and never answer its first question. */
static room *room_of_idlers(unsigned players)
{
    room *r = room_open(NULL);
    for (unsigned i = 0; i < players; i++) (void)room_join(r, "Player");
    for (unsigned i = players; i < 8; i++) (void)room_connect_from(r, "Idler", idler_address(i));
    room_wait(r, 2 * SB_SECOND);
    for (unsigned i = 0; i < 8; i++) CHECK(!r->seats[i].left && r->seats[i].id != SB_PEER_NONE);
    return r;
}

TEST(two_addresses_that_never_answer_do_not_fill_a_room)
{
    room *r = room_of_idlers(0);
    seat *s = room_connect(r, "Honest");
    room_wait(r, 5 * SB_SECOND);
    CHECK(!s->left && has_request(s));
    enter(r, s);
    CHECK_EQ(sb_server_player_count(r->server), 1);
    CHECK_EQ(sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_GAVE_WAY), 1);
    CHECK(seat_is_removed(
        r, &r->seats[0])); /* the one that had answered nothing for the longest time */
    CHECK_EQ(r->seats[0].boot_reason, SB_BOOT_TIMED_OUT);
    const room_event *left = room_expect(r, SB_SERVER_LEFT);
    CHECK_TEXT(left->text, "did not answer and gave way to a newcomer");
}

/* They come back at once, and push out only each other. */
TEST(idlers_that_come_back_at_once_keep_nobody_out)
{
    room *r = room_of_idlers(2);
    seat *s = NULL;
    for (unsigned round = 0; round < 6; round++) {
        if (round == 2) s = room_connect(r, "Honest");
        (void)room_connect_from(r, "Idler", idler_address(20 + round));
        room_wait(r, SB_SECOND);
        if (s && has_request(s) && s->by_opcode[0x35] == 0) enter(r, s);
    }
    CHECK(s && !s->left);
    room_wait(r, 20 * SB_SECOND);
    CHECK(!s->left && !r->seats[0].left && !r->seats[1].left);
    CHECK_EQ(sb_server_player_count(r->server), 3);
}

TEST(players_in_the_game_never_give_way)
{
    room *r = room_open(NULL);
    for (unsigned i = 0; i < 8; i++) (void)room_join(r, "Player");
    room_wait(r, 30 * SB_SECOND);
    for (unsigned i = 0; i < 4; i++) {
        seat *s = room_connect(r, "Newcomer");
        CHECK(seat_is_removed(r, s));
        CHECK_EQ(s->boot_reason, SB_BOOT_FULL);
    }
    CHECK_EQ(sb_server_player_count(r->server), 8);
    CHECK_EQ(sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_GAVE_WAY), 0);
}

TEST(a_client_that_loads_gives_way_after_thirty_seconds)
{
    room *r = room_open(NULL);
    for (unsigned i = 0; i < 7; i++) (void)room_join(r, "Player");
    seat *loading = room_load(r, "Loader");
    room_wait(r, 17 * SB_SECOND);
    seat *early = room_connect(r, "Early");
    CHECK(seat_is_removed(r, early) && !loading->left);
    room_wait(r, 6 * SB_SECOND);
    seat *late = room_connect(r, "Late");
    CHECK(seat_is_removed(r, loading) && !late->left && has_request(late));
}

/* Puts a client of this address into the room that answers everything but the last step. */
static seat *load_from(room *r, sb_endpoint address)
{
    seat *s = room_connect_from(r, "Loader", address);
    if (s->id != SB_PEER_NONE) seat_pass_checksums(r, s);
    return s;
}

/* A room of eight seats, all taken by clients that load for 20 s: the first one of an address of
 * its own, seven of two addresses. */
static room *room_of_loaders(void)
{
    room *r = room_open(NULL);
    (void)room_load(r, "Slow");
    for (unsigned i = 0; i < 7; i++) (void)load_from(r, idler_address(i));
    room_wait(r, 20 * SB_SECOND);
    for (unsigned i = 0; i < 8; i++) CHECK(!r->seats[i].left && r->seats[i].id != SB_PEER_NONE);
    return r;
}

TEST(two_addresses_that_never_finish_do_not_fill_a_room)
{
    room *r = room_of_loaders();
    seat *slow = &r->seats[0];
    for (unsigned i = 0; i < 5; i++) { /* until each of the two addresses has one join */
        seat *s = room_connect(r, "Honest");
        room_wait(r, 3 * SB_SECOND);
        CHECK(!s->left && has_request(s));
        enter(r, s);
        CHECK_EQ(sb_server_player_count(r->server), i + 1);
        CHECK_EQ(sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_GAVE_WAY), i + 1);
    }
    CHECK(!slow->left);
    seat_say_hex(r, slow, "2A 20");
    CHECK_EQ(sb_server_player_count(r->server), 6);
}

/* They come back at once, from two other addresses as well, and the slow one has waited longest. */
TEST(a_slow_loader_keeps_its_seat_beside_joins_that_never_finish)
{
    room *r = room_of_loaders();
    for (unsigned i = 0; i < 8; i++) {
        (void)load_from(r, idler_address(20 + i));
        room_wait(r, 10 * SB_SECOND);
    }
    CHECK(!r->seats[0].left);
    seat_say_hex(r, &r->seats[0], "2A 20");
    CHECK_EQ(sb_server_player_count(r->server), 1);
}

/* ---- the pause after a match ---- */

/* A room of eight seats whose match is over: `players` were in the game, the others wait for the
 * next match, one of an address of its own, the rest of two addresses. */
static room *room_in_pause(unsigned players)
{
    room *r = room_open(NULL);
    for (unsigned i = 0; i < players; i++) (void)room_join(r, "Player");
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    (void)room_connect(r, "Alone");
    for (unsigned i = players + 1; i < 8; i++)
        (void)room_connect_from(r, "Idler", idler_address(i));
    room_wait(r, 2 * SB_SECOND);
    for (unsigned i = 0; i < 8; i++) CHECK(!r->seats[i].left && r->seats[i].id != SB_PEER_NONE);
    return r;
}

TEST(two_addresses_that_wait_in_the_pause_do_not_fill_a_room)
{
    room *r = room_in_pause(1);
    seat *alone = &r->seats[1], *honest[4];
    for (unsigned i = 0; i < 4; i++) { /* until each of the two addresses has one join */
        honest[i] = room_connect(r, "Honest");
        room_wait(r, 3 * SB_SECOND);
        CHECK(!honest[i]->left && honest[i]->id != SB_PEER_NONE && !has_request(honest[i]));
        CHECK_EQ(sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_GAVE_WAY), i + 1);
    }
    seat *late = room_connect(r, "Late");
    CHECK(seat_is_removed(r, late));
    CHECK_EQ(late->boot_reason, SB_BOOT_FULL);
    room_wait(r, 20 * SB_SECOND); /* the next match */
    CHECK(!alone->left);
    enter(r, alone);
    for (unsigned i = 0; i < 4; i++) enter(r, honest[i]);
    CHECK_EQ(sb_server_player_count(r->server), 6);
}

/* Of two clients of one address the one that has waited longest goes, and only that one. */
TEST(a_client_that_waits_alone_keeps_its_seat_in_the_pause)
{
    room *r = room_in_pause(5);
    for (unsigned i = 0; i < 8; i++) {
        (void)room_connect_from(r, "Idler", idler_address(20 + i));
        room_wait(r, SB_SECOND);
    }
    CHECK(seat_is_removed(r, &r->seats[6]));
    CHECK_EQ(sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_GAVE_WAY), 1);
    room_wait(r, 15 * SB_SECOND);
    for (unsigned i = 0; i < 8; i++) CHECK_EQ(r->seats[i].left, i == 6);
    enter(r, &r->seats[5]);
    CHECK_EQ(sb_server_player_count(r->server), 6);
}
