/* tests/server/match_test.c -- messages about deaths, scores, limits, end and restart of a match.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"

#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

TEST(self_destruct_is_a_death_without_a_killer)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    seat_forget(a);
    seat_forget(b);
    seat_say(r, a, SB_UNRELIABLE, (sb_span){ (const uint8_t *)"\x13", 1 }); /* as stock sends it */
    EXPECT_HEARD(r, b,
                 "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF FF 3F 00 00 00 00 00 00 18 41");
    EXPECT_HEARD(r, b, "36 00 00 00 00 02 00 00 00 01 00 00 00 00");
    /* The damaged hull is added to the repair list. Sovereign: hull 0, repair 0x18. */
    EXPECT_HEARD(r, b, "06 01 01 00 00 DF 00 80 00 00 00 00 40 18 00 00 40");
    EXPECT_QUIET(b);
    EXPECT_HEARD(r, a,
                 "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF FF 3F 00 00 00 00 00 00 18 41");
    seat_say_hex(r, a, "13"); /* a second self-destruct has no effect */
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 1);
    uint64_t updates = b->by_opcode[0x1C];
    room_wait(r, 5 * SB_SECOND);
    CHECK(b->by_opcode[0x1C] > updates + 40); /* the wreck still gets StateUpdates */
    room_wait(r, 6 * SB_SECOND);
    seat_forget(b);
    updates = b->by_opcode[0x1C];
    room_wait(r, SB_SECOND);
    CHECK_EQ(b->by_opcode[0x1C], updates);
    CHECK_EQ(b->by_opcode[0x14], 0); /* a death sends no DestroyObject */
}

TEST(a_ramming_death_of_a_sovereign_is_announced_as_in_trace_d)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    seat_spawn(r, a, 5, here);
    seat_forget(a);
    seat_say_hex(r, a,
                 "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 F9 7E 02 D8 65 C2 92 44");
    EXPECT_HEARD(r, a,
                 "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF FF 3F 00 00 00 00 00 00 18 41");
    EXPECT_HEARD(r, a, "36 00 00 00 00 02 00 00 00 01 00 00 00 00");
    static const uint8_t index[] = { 2, 13, 14, 17, 18, 31, 32, 28 };
    for (size_t i = 0; i < sizeof index; i++) {
        uint8_t expected[17] = { 6, 1, 1, 0, 0, 0xDF, 0, 0x80, 0 };
        sb_store_u32(expected + 9, 0x40000000u + index[i]);
        sb_store_u32(expected + 13, 0x40000018u);
        sb_span m = seat_next(a);
        CHECK_BYTES(m.data, m.size, expected, sizeof expected);
    }
    EXPECT_QUIET(a);
}

TEST(a_respawn_replaces_the_wreck_at_once)
{
    room    *r = room_open(NULL);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t first = seat_spawn(r, a, 5, here);
    seat_say_hex(r, a, "13");
    uint32_t second = seat_spawn(r, a, 5, here);
    CHECK(second > first);
    CHECK_EQ(b->by_opcode[0x14], 0);
    uint8_t collision[26];
    CHECK_EQ(
        test_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 00 00 00 00 01 F9 7E 02 D8 65 C2 92 44",
                 collision, sizeof collision),
        26);
    sb_store_u32(collision + 13, second);
    seat_say(r, a, SB_RELIABLE, (sb_span){ collision, sizeof collision });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 2);
    CHECK(seat_spawn(r, a, 1, here) > second);
    CHECK_EQ(b->by_opcode[0x14], 0);
}

TEST(the_time_limit_ends_the_match_and_30_s_later_one_starts)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = 1;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    seat_spawn(r, a, 5, here);
    room_wait(r, 30 * SB_SECOND);
    seat_forget(a);
    room_wait(r, 31 * SB_SECOND);
    CHECK_EQ(seat_find(a, 0x38).data[1], 1);
    uint64_t updates = a->by_opcode[0x1C];
    seat    *late = room_connect(r, "Late");
    CHECK_EQ(late->by_opcode[0x20], 0); /* no checksum round yet (spec 06 §9) */
    seat_spawn(r, a, 5, here);          /* refused: the match is over */
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(a->by_opcode[0x1C], updates);
    seat_say_hex(r, a, "2C {id} 01 00 61"); /* chat is still relayed */
    CHECK_EQ(a->by_opcode[0x2C], 1);
    room_wait(r, 21 * SB_SECOND);
    CHECK_EQ(a->by_opcode[0x39], 1);
    CHECK_EQ(late->by_opcode[0x20], 1);
    CHECK(!late->left);
    seat_spawn(r, a, 5, here);
    CHECK_EQ(a->by_opcode[0x1D], 2);
}

/* A stock host stays closed to newcomers after a restart; ours does not, by policy (09 §8). */
TEST(after_a_restart_newcomers_are_accepted)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK_EQ(a->by_opcode[0x38], 1);
    sb_server_restart_match(r->server, r->now);
    seat *late = room_join(r, "Late");
    seat_spawn(r, late, 5, here);
    CHECK_EQ(seat_find(a, SB_OP_PLAYER_OBJECT_CREATE).data[2], late->id);
}

/* The seat reports that `other` rammed its ship, which is fatal. */
static void ram(room *r, seat *s, uint32_t ship, uint32_t other)
{
    uint8_t collision[26];
    CHECK_EQ(
        test_hex("15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 F9 7E 02 D8 65 C2 92 44",
                 collision, sizeof collision),
        26);
    sb_store_u32(collision + 9, other);
    sb_store_u32(collision + 13, ship);
    seat_say(r, s, SB_RELIABLE, (sb_span){ collision, sizeof collision });
}

TEST(a_kill_limit_in_deaths_by_others_ends_the_match)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.frag_limit = 1;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t victim = seat_spawn(r, a, 5, here), rammer = seat_spawn(r, b, 8, here);
    ram(r, a, victim, rammer);
    sb_message m;
    CHECK_EQ(sb_decode_message(seat_find(b, SB_OP_PYTHON_EVENT), NULL, &m, NULL), SB_OK);
    CHECK_EQ(m.as.event.event_code, SB_CODE_OBJECT_EXPLODING);
    CHECK_EQ(m.as.event.source, rammer);
    CHECK_EQ(m.as.event.killer, 3); /* the owner of the other ship (10 §12.2) */
    sb_span change = seat_find(b, 0x36);
    CHECK_EQ(sb_load_u32(change.data + 1), 3);
    const sb_match *match = sb_server_match(r->server);
    CHECK_EQ(sb_match_find(match, b->id)->kills, 1); /* scored as a kill (09 §11) */
    CHECK_EQ(sb_match_find(match, b->id)->deaths, 0);
    CHECK_EQ(sb_match_find(match, a->id)->deaths, 1);
    CHECK_EQ(seat_find(b, 0x38).data[1], 3); /* the reason a stock host sends */
    CHECK(sb_server_match(r->server)->over);
}

TEST(teams_survive_a_restart_and_their_totals_do_not)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta"), *g = room_join(r, "Gamma");
    seat_say_hex(r, a, "41 {id} 01");
    seat_say_hex(r, b, "41 {id} 01");
    seat_say_hex(r, g, "41 {id} 00");
    uint32_t victim = seat_spawn(r, g, 5, here), rammer = seat_spawn(r, a, 8, here);
    ram(r, g, victim, rammer);
    const sb_match *match = sb_server_match(r->server);
    CHECK_EQ(match->teams[1].kills, 1);
    sb_server_restart_match(r->server, r->now);
    room_step(r);
    CHECK_EQ(match->teams[1].kills, 0);
    seat_forget(b);
    seat_forget(g);
    seat_say_hex(r, a, "2D {id} 01 00 61"); /* to the team that Alpha chose before the restart */
    EXPECT_HEARD(r, b, "2D 02 00 00 00 01 00 61");
    EXPECT_QUIET(g);
}

TEST(no_player_may_restart_the_match_by_default)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    seat_say_hex(r, a, "39");
    EXPECT_QUIET(a);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_NOT_OPERATOR), 1);
}

TEST(only_the_acting_host_may_restart_and_all_is_zero_then)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.player_restart = true;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    seat_spawn(r, a, 5, here);
    seat_say_hex(r, a, "13");
    seat_forget(a);
    seat_forget(b);
    seat_say_hex(r, b, "39");
    EXPECT_QUIET(a);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_NOT_OPERATOR), 1);
    seat_say_hex(r, a, "39");
    EXPECT_HEARD(r, a, "39");
    EXPECT_HEARD(r, b, "39");
    CHECK_EQ(sb_match_find(sb_server_match(r->server), 2)->deaths, 0);
    CHECK_EQ(b->by_opcode[0x14], 0); /* no DestroyObject at the end of a match (spec 09 §8) */
    seat_say_hex(r, a, "1C FF FF FF 3F 00 00 80 3F 00"); /* a late StateUpdate of the old ship */
    EXPECT_QUIET(a);
}
