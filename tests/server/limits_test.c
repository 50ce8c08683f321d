/* tests/server/limits_test.c -- the limits of a room's configuration, and what it counts. */
#include "rig.h"

#include <starbase/message.h>
#include <string.h>

static size_t bytes_of(sb_server_config config)
{
    return sb_server_bytes(&config);
}

TEST(a_room_may_have_as_many_players_and_manifests_as_allowed)
{
    static const sb_manifest *manifests[SB_SERVER_MANIFESTS_MAX + 1];
    sb_server_config          c;
    sb_server_defaults(&c);
    for (size_t i = 0; i <= SB_SERVER_MANIFESTS_MAX; i++) manifests[i] = sb_vanilla_manifest();
    c.manifests = manifests;
    c.manifest_count = SB_SERVER_MANIFESTS_MAX;
    CHECK(bytes_of(c) > 0);
    c.manifest_count++;
    CHECK_EQ(bytes_of(c), 0);
    c.manifest_count = 0;
    c.max_players = SB_SERVER_PLAYERS_MAX;
    CHECK(bytes_of(c) > 0);
    c.max_players = SB_SERVER_PLAYERS_MAX + 1;
    CHECK_EQ(bytes_of(c), 0);
    c.max_players = 0;
    CHECK_EQ(bytes_of(c), 0);
    c.max_players = 1;
    CHECK(bytes_of(c) > 0);
    c.match.mode = NULL;
    CHECK_EQ(bytes_of(c), 0);
}

TEST(every_message_of_a_player_is_counted_once)
{
    room    *r = room_open(NULL);
    seat    *s = room_join(r, "Ann");
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN);
    uint32_t ship = seat_spawn(r, s, 5, (sb_vec3){ 0, 0, 0 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN), before + 1);
    seat_say_position(r, s, ship, (sb_vec3){ 1, 0, 0 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN), before + 2);
}

TEST(a_team_can_be_chosen_four_times_at_once)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    room *r = room_open(&c);
    seat *s = room_join(r, "Ann");
    for (unsigned i = 1; i <= 6; i++) {
        sb_message m = { .opcode = SB_OP_TEAM };
        m.as.team = (sb_team){ .player = s->id, .team = (uint8_t)(i % 2) };
        seat_say_message(r, s, &m);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_TEAM_RATE), i > 4 ? i - 4 : 0);
    }
}
