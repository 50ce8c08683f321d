/* tests/server/view_test.c -- what displays and status answers show of a room. Spec 05 §3. */
#include "rig.h"

#include "server/server_internal.h"

#include <string.h>

static const sb_vec3 middle = { 0, 0, 0 };

static sb_server_status status_of(const room *r)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    return status;
}

static sb_player_view view_at(const room *r, unsigned index)
{
    sb_player_view view;
    CHECK(sb_server_player(r->server, index, r->now, &view));
    return view;
}

TEST(all_sixteen_players_are_shown_and_listed)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    c.list_host_as_player = true;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) {
        char name[] = "Player a";
        name[7] = (char)('a' + i);
        (void)room_join(r, name);
    }
    sb_server_status status = status_of(r);
    CHECK_EQ(status.player_count, SB_SERVER_PLAYERS_MAX);
    CHECK_EQ(status.name_count, SB_SERVER_PLAYERS_MAX + 1u);
    CHECK_BYTES(status.names[15].data, status.names[15].size, "Player p", 8);
    CHECK_BYTES(status.names[16].data, status.names[16].size, "Dedicated Server", 16);
    CHECK_EQ(view_at(r, 15).slot, 15);
    CHECK_TEXT(view_at(r, 15).name, "Player p");
    sb_player_view view;
    CHECK(!sb_server_player(r->server, 16, r->now, &view));
}

TEST(a_name_of_31_characters_is_listed_completely)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyz01234";
    room             *r = room_open(NULL);
    (void)room_join(r, name);
    sb_server_status status = status_of(r);
    CHECK_BYTES(status.names[0].data, status.names[0].size, name, SB_NAME_UNITS);
}

TEST(a_status_names_the_system_even_in_one_letter)
{
    static const char *const names[] = { "", "X" };
    sb_server_config         c;
    sb_server_defaults(&c);
    for (unsigned i = 0; i < 2; i++) {
        c.system_name = sb_text_span(names[i]);
        sb_span system = status_of(room_open(&c)).system;
        CHECK_BYTES(system.data, system.size, i ? "X" : "Multi1", i ? 1 : 6);
    }
}

TEST(a_status_says_whether_a_password_is_needed)
{
    sb_server_config c;
    sb_server_defaults(&c);
    CHECK(!status_of(room_open(&c)).password);
    c.password = (sb_span){ (const uint8_t *)"x\0", 2 };
    CHECK(status_of(room_open(&c)).password);
}

TEST(limits_that_are_off_are_negative_in_a_status)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = c.match.frag_limit = 0;
    CHECK_EQ(status_of(room_open(&c)).time_limit, -1);
    CHECK_EQ(status_of(room_open(&c)).frag_limit, -2);
    c.match.time_limit_min = c.match.frag_limit = 1;
    CHECK_EQ(status_of(room_open(&c)).time_limit, 1);
    CHECK_EQ(status_of(room_open(&c)).frag_limit, 1);
    CHECK_EQ(status_of(room_open(&c)).location, 1);
}

/* Alpha has died; Beta is given three kills. */
TEST(a_player_is_shown_with_score_team_and_connection)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    (void)room_connect(r, "Late");
    seat_say_hex(r, b, "41 {id} 01");
    (void)seat_spawn(r, a, 5, middle);
    seat_say_hex(r, a, "13");
    sb_match_row *row = (sb_match_row *)sb_match_find(&r->server->match, b->id);
    row->kills = 3;
    row->score = 77;
    CHECK_EQ(view_at(r, 0).deaths, 1);
    CHECK(view_at(r, 0).exploding);
    CHECK_EQ(view_at(r, 0).phase, SB_PLAYER_FLYING);
    CHECK_EQ(view_at(r, 0).team, SB_NO_TEAM);
    CHECK_EQ(view_at(r, 1).kills, 3);
    CHECK_EQ(view_at(r, 1).score, 77);
    CHECK_EQ(view_at(r, 1).team, 1);
    CHECK_EQ(view_at(r, 1).peer_id, b->id);
    CHECK_EQ(view_at(r, 1).peer.peer_id, b->id);
    CHECK_EQ(view_at(r, 1).address.port, b->address.port);
    CHECK_EQ(view_at(r, 1).connected_at, 1000 * SB_SECOND);
    CHECK_EQ(view_at(r, 2).team, SB_NO_TEAM); /* not in the match yet */
    CHECK_EQ(view_at(r, 2).phase, SB_PLAYER_CHECKING);
}

TEST(the_last_counter_of_each_list_is_shown)
{
    room *r = room_open(NULL);
    r->server->counters[SB_SERVER_COUNTER_COUNT - 1] = 5;
    r->server->implausible[SB_IMPLAUSIBLE_COUNT - 1] = 7;
    CHECK_EQ(sb_server_count(r->server, (sb_server_counter)(SB_SERVER_COUNTER_COUNT - 1)), 5);
    CHECK_EQ(sb_server_count(r->server, SB_SERVER_COUNTER_COUNT), 0);
    CHECK_EQ(sb_server_implausible(r->server, (sb_implausible)(SB_IMPLAUSIBLE_COUNT - 1)), 7);
    CHECK_EQ(sb_server_implausible(r->server, SB_IMPLAUSIBLE_COUNT), 0);
}
