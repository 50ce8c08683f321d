/* tests/client/check_test.c -- sb_client_check stops for every field that contradicts another. */
#include "client_rig.h"

#include "client/client_internal.h"
#include "client/testing.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The check ends the process, so a child runs it. Its message on stderr is not of interest. */
static bool check_stops(const sb_client *client)
{
    int   status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        sb_client_check(client);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Player 3 flies another ship in row 1; row 0 is our own. */
static sb_client *open_client(void)
{
    client_rig *r = client_rig_flying(NULL, 5);
    client_rig_say_ship(r, SB_OP_PLAYER_OBJECT_CREATE, 3, 0x4003FFFF, 1, (sb_vec3){ 1, 2, 3 });
    CHECK_EQ(r->client->own_index, 0);
    CHECK(r->client->rows[1].used);
    return r->client;
}

#define EXPECT_STOP(corruption)                                                                    \
    do {                                                                                           \
        sb_client *c = open_client();                                                              \
        corruption;                                                                                \
        if (!check_stops(c)) FAIL("not noticed: %s", #corruption);                                 \
    } while (0)

TEST(a_client_in_order_passes_the_check)
{
    CHECK(!check_stops(open_client()));
}

TEST(the_check_stops_for_a_phase_that_contradicts_the_join)
{
    EXPECT_STOP(c->reporting = 1);
    EXPECT_STOP(c->phase = SB_CLIENT_OVER + 1);
    EXPECT_STOP(c->phase = SB_CLIENT_OVER);
    EXPECT_STOP(c->phase = SB_CLIENT_CONNECTING);
    EXPECT_STOP(c->phase = SB_CLIENT_LOBBY);
    EXPECT_STOP(c->phase = SB_CLIENT_LOADING);
    EXPECT_STOP(c->id = SB_PEER_NONE);
    EXPECT_STOP(c->has_settings = false);
    EXPECT_STOP(c->has_mission = false);
    EXPECT_STOP(c->ready_at = c->now);
}

TEST(the_check_stops_for_settings_out_of_range)
{
    EXPECT_STOP(c->settings.slot = SB_SLOTS);
    EXPECT_STOP(c->settings.slot = 1);
    EXPECT_STOP(c->settings.game_time = NAN);
    EXPECT_STOP(c->settings_at = c->now + 1);
    EXPECT_STOP(c->settings.map.data = NULL);
    EXPECT_STOP(c->settings.map.size = SB_CLIENT_MAP_MAX + 1);
    EXPECT_STOP(c->next_id = 1);
    EXPECT_STOP(c->next_id = sb_slot_first_id(1) + 1);
}

TEST(the_check_stops_for_an_own_ship_that_is_not_ours)
{
    EXPECT_STOP(c->own_index = -2);
    EXPECT_STOP(c->own_index = -1);
    EXPECT_STOP(c->own_index = SB_CLIENT_SHIPS);
    EXPECT_STOP(c->own_index = 1);
    EXPECT_STOP(c->update_at = SB_TIME_NEVER);
    EXPECT_STOP(c->rows[0].used = false);
    EXPECT_STOP(c->rows[0].own = false);
    EXPECT_STOP(c->rows[0].peer_id = 3);
    EXPECT_STOP(c->rows[0].ship.object_id = sb_slot_first_id(2));
    EXPECT_STOP(c->frame.object_id++);
    EXPECT_STOP(c->lane.role = SB_LANE_TO_OWNER);
    EXPECT_STOP(c->game_over = true);
    EXPECT_STOP((c->answered = true, c->answered_at = c->now + 1));
}

TEST(the_check_stops_for_a_ship_that_cannot_be)
{
    EXPECT_STOP(c->rows[1].own = true);
    EXPECT_STOP(c->rows[1].receiver.role = SB_RECEIVE_OWN);
    EXPECT_STOP(c->rows[1].peer_id = SB_PEER_NONE);
    EXPECT_STOP(c->rows[1].ship.object_id = 0);
    EXPECT_STOP(c->rows[1].ship.object_id = UINT32_MAX);
    EXPECT_STOP(c->rows[1].ship.object_id = c->rows[0].ship.object_id);
    EXPECT_STOP(c->rows[1].ship.motion.position.y = NAN);
    EXPECT_STOP(c->rows[1].ship.motion.speed = INFINITY);
    EXPECT_STOP(c->rows[1].ship.condition[0] = -1.0f);
    EXPECT_STOP(c->rows[1].ship.condition[0] *= 2.0f);
    EXPECT_STOP((c->rows[1].exploding = true, c->rows[1].firing[3] = true));
    EXPECT_STOP(memset(c->rows[1].name, 'x', sizeof c->rows[1].name));
    EXPECT_STOP(memset(c->rows[1].set_name, 'x', sizeof c->rows[1].set_name));
    EXPECT_STOP(c->row_order[1] = c->created_count);
    EXPECT_STOP(memset(c->rows[1].warp_set, 'x', sizeof c->rows[1].warp_set));
    EXPECT_STOP((c->rows[1].exploding = true, c->rows[1].warp_until = 1));
    EXPECT_STOP((c->rows[1].exploding = true, c->rows[1].repairs[0] = c->rows[1].repair_count = 1));
    EXPECT_STOP(c->rows[1].repair_count = 1);
    EXPECT_STOP(c->rows[1].repair_count = SB_CLIENT_REPAIRS + 1);
    EXPECT_STOP((c->rows[1].repair_count = 2, c->rows[1].repairs[0] = c->rows[1].repairs[1] = 9));
    EXPECT_STOP(c->rows[1].volume_count = SB_CLIENT_VOLUMES + 1);
}

TEST(the_check_stops_for_players_and_questions_kept_twice)
{
    EXPECT_STOP(c->players[0].peer_id = 0);
    EXPECT_STOP(c->players[1].peer_id = c->players[0].peer_id);
    EXPECT_STOP(memset(c->players[0].name, 'x', sizeof c->players[0].name));
    EXPECT_STOP(c->players[0].used = false);
    EXPECT_STOP(c->name.size = 0);
    EXPECT_STOP(c->requests[0] = ((sb_object_request){ 9, c->now + 1 }));
    EXPECT_STOP(c->requests[1] = c->requests[0] = ((sb_object_request){ 9, c->now }));
}
