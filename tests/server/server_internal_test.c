/* tests/server/server_internal_test.c -- the small functions that all files of the room share. */
#include "rig.h"

#include "server/server_internal.h"

TEST(a_set_of_files_has_a_bit_for_each_file)
{
    static const size_t files[] = { 0, 1, 7, 8, 9, SB_CLIENT_FILES_MAX - 1 };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sb_file_set set = { { 0 } };
        sb_file_set_add(&set, files[i]);
        for (size_t k = 0; k < SB_CLIENT_FILES_MAX; k++)
            CHECK_EQ(sb_file_set_has(&set, k), k == files[i]);
        for (size_t k = 0; k < SB_CLIENT_FILES_MAX; k++) sb_file_set_add(&set, k);
        sb_file_set_remove(&set, files[i]);
        for (size_t k = 0; k < SB_CLIENT_FILES_MAX; k++)
            CHECK_EQ(sb_file_set_has(&set, k), k != files[i]);
    }
}

TEST(the_time_of_a_room_never_goes_back)
{
    room *r = room_open(NULL);
    sb_server_set_time(r->server, r->now + 7);
    CHECK_EQ(r->server->now, r->now + 7);
    sb_server_set_time(r->server, r->now + 6);
    CHECK_EQ(r->server->now, r->now + 7);
}

TEST(a_token_is_spent_if_there_is_a_whole_one)
{
    room     *r = room_open(NULL);
    sb_budget budget = { 0, r->now - 500000 }; /* half a second at two per second */
    CHECK(sb_server_spend_token(r->server, &budget, 2, 5));
    CHECK_EQ(budget.left, 0);
    CHECK(!sb_server_spend_token(r->server, &budget, 2, 5));
    CHECK_EQ(budget.left, 0);
    budget = (sb_budget){ 0, r->now - 60 * SB_SECOND };
    CHECK(sb_server_spend_token(r->server, &budget, 2, 5));
    CHECK_EQ(budget.left, 4 * SB_SECOND);
    budget = (sb_budget){ SB_SECOND - 1, r->now };
    CHECK(!sb_server_spend_token(r->server, &budget, 2, 5));
    CHECK_EQ(budget.left, SB_SECOND - 1);
}

TEST(control_characters_are_not_printable)
{
    for (unsigned code = 0; code < 256; code++) {
        uint8_t text[] = { 'a', (uint8_t)code };
        bool    control = code < 0x20 || code == 0x7F;
        CHECK_EQ(sb_server_is_printable((sb_span){ text, 2 }), !control);
        CHECK(sb_server_is_printable((sb_span){ text, 1 }));
    }
    CHECK(sb_server_is_printable((sb_span){ NULL, 0 }));
    CHECK(!sb_server_is_printable((sb_span){ (const uint8_t *)"\na", 2 }));
}

TEST(players_in_the_lobby_and_in_flight_are_in_the_game)
{
    for (sb_player_phase phase = SB_PLAYER_FREE; phase < SB_PLAYER_PHASES; phase++) {
        sb_player p = { .phase = phase };
        CHECK_EQ(sb_player_is_in_game(&p), phase == SB_PLAYER_LOBBY || phase == SB_PLAYER_FLYING);
    }
}
