/* tests/server/players_test.c -- the table of players: its last row, its phases. Spec 06 §1. */
#include "rig.h"

#include "server/server_internal.h"

static room *open_full_room(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    return r;
}

TEST(every_phase_of_a_player_has_a_text)
{
    CHECK_TEXT(sb_player_phase_text(SB_PLAYER_FREE), "free");
    CHECK_TEXT(sb_player_phase_text(SB_PLAYER_LOADING), "loading");
    CHECK_TEXT(sb_player_phase_text(SB_PLAYER_REFUSED), "leaving");
    CHECK_TEXT(sb_player_phase_text(SB_PLAYER_PHASES), "unknown");
    for (unsigned i = 0; i < SB_PLAYER_PHASES; i++)
        CHECK(sb_player_phase_text((sb_player_phase)i) != NULL);
}

TEST(all_sixteen_players_are_counted_and_found)
{
    room *r = open_full_room();
    CHECK_EQ(sb_server_player_count(r->server), SB_SERVER_PLAYERS_MAX);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        CHECK(sb_server_find_player(r->server, r->seats[i].id) == &r->server->players[i]);
    CHECK(sb_server_find_player(r->server, 100) == NULL);
}

/* A match goes on as long as one player is there, in whatever slot. */
TEST(the_player_in_the_last_slot_keeps_the_match)
{
    room *r = open_full_room();
    CHECK(sb_server_has_players(r->server));
    for (unsigned i = 0; i + 1 < SB_SERVER_PLAYERS_MAX; i++)
        sb_transport_client_leave(r->seats[i].client, r->now);
    room_wait(r, 7 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 1);
    CHECK(sb_server_has_players(r->server));
    seat_leave(r, &r->seats[SB_SERVER_PLAYERS_MAX - 1]);
    CHECK(!sb_server_has_players(r->server));
}

TEST(free_rows_are_no_players_and_waiting_players_are)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    CHECK(sb_server_find_player(r->server, 0) == NULL);
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    seat *late = room_connect(r, "Late");
    CHECK_EQ(r->server->players[1].phase, SB_PLAYER_WAITING);
    CHECK(sb_server_kick(r->server, r->now, late->id, (sb_span){ NULL, 0 }));
}
