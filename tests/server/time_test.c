/* tests/server/time_test.c -- game times of StateUpdates: a stranger who forges them neither
 * freezes a ship nor makes the room refuse what its owner sends. Spec 03 §9. */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "sim/match.h"

#include <math.h>

static const float speed = 4.0f; /* units per second, along +X */

typedef struct flight {
    room    *r;
    seat    *owner;
    uint32_t ship;
    float    lag; /* of the owner's updates, in seconds */
} flight;

static float clock_of(const flight *f)
{
    return sb_server_game_time(f->r->server, f->r->now);
}

static void send_state(flight *f, uint32_t object, float game_time, float x)
{
    uint8_t    bytes[64];
    size_t     size;
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    m.as.state_update = (sb_state_update){
        .object_id = object, .game_time = game_time, .flags = SB_STATE_POS, .position = { x, 0, 0 }
    };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(f->r, f->owner, SB_UNRELIABLE, (sb_span){ bytes, size });
}

/* The owner's update: where the ship was `lag` seconds ago. */
static void send_true_state(flight *f)
{
    send_state(f, f->ship, clock_of(f) - f->lag, speed * (clock_of(f) - f->lag));
}

static flight take_off(void)
{
    flight f = { .r = room_open(NULL), .lag = 0.05f };
    f.owner = room_join(f.r, "Alpha");
    (void)room_join(f.r, "Beta");
    f.ship = seat_spawn(f.r, f.owner, 1, (sb_vec3){ 0, 0, 0 });
    return f;
}

/* Flies for some seconds with ten updates a second; every `pause` updates a stranger forges one
 * that is `ahead` of the host's clock. Returns the longest time that the ship did not move. */
static float fly_with_forgeries(flight *f, unsigned seconds, unsigned pause, float ahead)
{
    float longest = 0, still = 0, seen = -1;
    for (unsigned i = 0; i < 10 * seconds; i++) {
        room_wait(f->r, SB_SECOND / 10);
        if (i % pause == 0) send_state(f, f->ship, clock_of(f) + ahead, 0);
        send_true_state(f);
        float x = seat_view(f->r, f->owner).ship->motion.position.x;
        still = x > seen ? 0 : still + 0.1f;
        seen = x > seen ? x : seen;
        longest = fmaxf(longest, still);
    }
    CHECK(fabsf(seen - speed * (clock_of(f) - f->lag)) < 1.0f);
    return longest;
}

/* ---- forged times of the future ---- */

TEST(a_forged_time_of_the_future_freezes_nobody)
{
    static const float ahead[] = { 1.1f, 2.0f, 4.9f, 100.0f, 1e6f };
    for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        flight f = take_off();
        send_true_state(&f);
        CHECK(fly_with_forgeries(&f, 10, 20, ahead[i]) < 0.15f);
        CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 5);
        CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_OLD), 0);
    }
}

/* Such a time is accepted, but hardly believed. */
TEST(a_forged_time_within_a_second_holds_a_ship_for_two_updates)
{
    static const float ahead[] = { 0.2f, 0.5f, 0.95f };
    for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        flight f = take_off();
        CHECK(fly_with_forgeries(&f, 10, 10, ahead[i]) < 0.25f);
        CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 0);
    }
}

TEST(a_forged_time_before_the_first_true_one_freezes_nobody)
{
    static const float ahead[] = { -60.0f, -4.9f, -1.5f, 0.9f, 4.9f };
    for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        flight f = take_off();
        for (unsigned n = 0; n < 100; n++) {
            send_state(&f, f.ship, clock_of(&f) + ahead[i], 0);
            room_wait(f.r, SB_SECOND / 100);
        }
        CHECK(fly_with_forgeries(&f, 10, 1000, ahead[i]) < 0.25f);
    }
}

TEST(times_of_scenery_are_bounded_as_well)
{
    flight   f = take_off();
    uint32_t id = f.ship + 1000;
    seat_create_scenery(f.r, f.owner, id);
    send_true_state(&f);
    send_state(&f, id, clock_of(&f) + 1.5f, 5);
    CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 1);
    send_state(&f, id, clock_of(&f), 6);
    CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_IN), 2);
}

/* ---- forged times of the past ---- */

TEST(forged_times_of_the_past_refuse_no_true_update)
{
    static const float ahead[] = { -0.5f, -2.0f, -4.9f, -30.0f };
    for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++) {
        flight f = take_off();
        CHECK(fly_with_forgeries(&f, 40, 1, ahead[i]) < 0.15f);
        CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 0);
    }
}

/* The owner's link stalls for 10 s, a stranger fills the gap, then all arrives at once. */
TEST(a_stall_of_the_owner_does_not_help_the_forger)
{
    flight f = take_off();
    (void)fly_with_forgeries(&f, 10, 1000, 0);
    float from = clock_of(&f);
    for (unsigned i = 0; i < 100; i++) {
        room_wait(f.r, SB_SECOND / 10);
        send_state(&f, f.ship, clock_of(&f) - 4.9f, 0);
    }
    for (float t = from; t < clock_of(&f); t += 0.1f) send_state(&f, f.ship, t, speed * t);
    CHECK(fly_with_forgeries(&f, 10, 1000, 0) < 0.15f);
    CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 0);
}

/* ---- honest players ---- */

/* No stock client is known to do this. Its times have the same bounds. */
TEST(a_client_may_have_a_clock_of_its_own)
{
    flight f = take_off();
    f.lag = -60.0f;
    CHECK(fly_with_forgeries(&f, 10, 1000, 60.0f) < 0.25f);
    CHECK(fly_with_forgeries(&f, 20, 20, 64.9f) < 0.25f);
    CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 10);
}

/* Then all true updates are too far ahead, until 30 s have shown that nothing else comes. */
TEST(a_clock_that_jumps_forward_is_followed_after_30_seconds)
{
    flight f = take_off();
    send_true_state(&f);
    for (unsigned i = 0; i < 310; i++) {
        room_wait(f.r, SB_SECOND / 10);
        send_state(&f, f.ship, clock_of(&f) + 60.0f, 5);
    }
    CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_AHEAD), 301);
    CHECK_EQ(COUNTED(f.r, SB_SERVER_COUNT_STATE_IN), 10);
}

TEST(players_at_home_never_send_a_time_of_the_future)
{
    sim_match_config config;
    sim_match_defaults(&config, 11);
    sim_match_at_home(&config);
    sim_match       *m = sim_match_create(&config);
    sb_pilot_config  pilot;
    const sb_server *server = sim_match_server(m);
    sb_pilot_defaults(&pilot);
    for (unsigned i = 0; i < 4; i++) (void)sim_match_join(m, "Player", &pilot, NULL);
    sim_match_run(m, 1200 * SB_SECOND);
    CHECK(sb_server_count(server, SB_SERVER_COUNT_STATE_IN) > 30000);
    CHECK_EQ(sb_server_count(server, SB_SERVER_COUNT_STATE_AHEAD), 0);
    CHECK_EQ(sb_server_count(server, SB_SERVER_COUNT_WRONG_DELIVERY), 0);
    sim_match_destroy(m);
}
