/* tests/server/load_test.c -- what gives way when the machine has too much to do: the rate of ship
 * states, then newcomers (docs/decisions/overload.md).
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"

enum { SOVEREIGN = 5 };

static unsigned states_in_ten_seconds(pair t, sb_server_load load)
{
    sb_server_set_load(t.r->server, load);
    CHECK_EQ(sb_server_current_load(t.r->server), load);
    room_wait(t.r, SB_SECOND);
    uint64_t before = t.b->by_opcode[SB_OP_STATE_UPDATE];
    seat_forget(t.a);
    seat_forget(t.b);
    room_wait(t.r, 10 * SB_SECOND);
    unsigned states = (unsigned)(t.b->by_opcode[SB_OP_STATE_UPDATE] - before);
    CHECK_EQ((10 * SB_SECOND + 1) / sb_server_state_interval(t.r->server), states);
    return states;
}

TEST(ship_states_go_out_5_and_3_times_a_second)
{
    pair t = open_pair(NULL);
    (void)seat_spawn(t.r, t.a, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    CHECK_EQ(states_in_ten_seconds(t, SB_LOAD_NORMAL), 100);
    CHECK_EQ(states_in_ten_seconds(t, SB_LOAD_SHARED), 100);
    CHECK_EQ(states_in_ten_seconds(t, SB_LOAD_HALF), 50);
    CHECK_EQ(states_in_ten_seconds(t, SB_LOAD_THIRD), 30);
    CHECK_EQ(states_in_ten_seconds(t, SB_LOAD_CLOSED), 30);
    CHECK_EQ(states_in_ten_seconds(t, SB_LOAD_NORMAL), 100);
}

/* The owner sends ten a second: what arrives is not passed on more often than the load allows. */
TEST(states_that_follow_their_owner_give_way_too)
{
    pair     t = open_pair(NULL);
    uint32_t ship = seat_spawn(t.r, t.a, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_server_set_load(t.r->server, SB_LOAD_HALF);
    uint64_t before = t.b->by_opcode[SB_OP_STATE_UPDATE];
    for (int i = 0; i < 100; i++) {
        seat_say_position(t.r, t.a, ship, (sb_vec3){ 0, 0, 0.1f * (float)i });
        room_wait(t.r, SB_SECOND / 10);
        seat_forget(t.b);
    }
    unsigned states = (unsigned)(t.b->by_opcode[SB_OP_STATE_UPDATE] - before);
    CHECK(states >= 45);
    CHECK(states <= 52);
}

TEST(a_crowd_and_a_load_slow_ship_states_together)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.lane_distance = true;
    c.max_players = 8;
    room *r = room_open(&c);
    seat *seats[5];
    for (unsigned i = 0; i < 5; i++) seats[i] = room_join(r, "Alpha");
    (void)seat_spawn(r, seats[0], SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_server_set_load(r->server, SB_LOAD_HALF);
    room_wait(r, SB_SECOND);
    uint64_t before = seats[1]->by_opcode[SB_OP_STATE_UPDATE];
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(sb_server_state_interval(r->server), SB_SECOND / 4);
    CHECK_EQ(seats[1]->by_opcode[SB_OP_STATE_UPDATE] - before, 40); /* every 0.25 s */
}

TEST(chat_does_not_give_way)
{
    pair t = open_pair(NULL);
    sb_server_set_load(t.r->server, SB_LOAD_CLOSED);
    seat_say_hex(t.r, t.a, "2C {id} 02 00 68 69");
    EXPECT_HEARD(t.r, t.b, "2C 02 00 00 00 02 00 68 69");
}

TEST(a_closed_room_refuses_newcomers_and_keeps_its_players)
{
    pair  t = open_pair(NULL);
    seat *late;
    sb_server_set_load(t.r->server, SB_LOAD_CLOSED);
    late = room_connect(t.r, "Late");
    CHECK_EQ(late->id, SB_PEER_NONE);
    const room_event *e = room_expect(t.r, SB_SERVER_CONNECT_REFUSED);
    CHECK_EQ(e->event.other, SB_TRANSPORT_COUNT_REFUSED_OVERLOAD);
    CHECK_EQ(e->event.value, SB_BOOT_FULL);
    CHECK_TEXT(e->text, "the machine has too much to do");
    room_wait(t.r, 60 * SB_SECOND);
    CHECK(!t.a->left && !t.b->left);
    sb_server_set_load(t.r->server, SB_LOAD_THIRD);
    CHECK(room_connect(t.r, "Later")->id != SB_PEER_NONE);
}
