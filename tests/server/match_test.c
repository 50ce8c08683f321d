/* tests/server/match_test.c -- messages about deaths, scores, limits, end and restart of a match.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"

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

/* ---- what newcomers are told ---- */

static sb_mission_init mission_of(const room *r)
{
    sb_message m;
    sb_server_build_mission_init(r->server, &m);
    return m.as.mission_init;
}

TEST(limits_are_one_byte_each_and_255_means_none)
{
    static const struct {
        uint32_t limit;
        unsigned byte;
    } rows[] = { { 0, 255 }, { 1, 1 }, { 253, 253 }, { 254, 254 }, { 255, 254 }, { 1000, 254 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.max_players = 3;
        c.match.time_limit_min = c.match.frag_limit = rows[i].limit;
        room *r = room_open(&c);
        (void)room_join(r, "Alpha"); /* starts the clock of the match */
        CHECK_EQ(mission_of(r).time_limit, rows[i].byte);
        CHECK_EQ(mission_of(r).frag_limit, rows[i].byte);
        CHECK_EQ(mission_of(r).player_limit, 3);
        CHECK_EQ(mission_of(r).system, c.system);
        CHECK_EQ(mission_of(r).end_time, (int32_t)(60 * rows[i].limit));
    }
}

TEST(a_match_of_which_no_second_is_left_still_has_a_limit)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = 1;
    room *r = room_open(&c);
    (void)room_join(r, "Alpha");
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(mission_of(r).end_time, 60);
    r->server->match.ends_at = r->server->now; /* as at the end of the match */
    CHECK_EQ(mission_of(r).time_limit, 1);
    CHECK_EQ(mission_of(r).end_time, 10);
    r->server->match.ends_at = r->now + 50 * SB_SECOND;
}

/* ---- scores for newcomers ---- */

/* `left_at` counts departures. */
static void add_row(room *r, size_t index, uint8_t id, uint32_t left_at)
{
    sb_match_row *row = &r->server->match.rows[index];
    *row = (sb_match_row){ .used = true, .peer_id = id, .left_at = left_at, .team = SB_NO_TEAM };
    row->kills = (int32_t)index;
    if (r->server->match.leave_count < left_at) r->server->match.leave_count = left_at;
}

/* Rows of players who left: of several with one id the newest is sent, wherever it stands; none if
 * a player has the id now. */
TEST(of_players_who_left_with_one_id_the_last_one_counts)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    add_row(r, SB_MATCH_PLAYERS - 1, 90, 20);
    add_row(r, 5, 90, 19);
    add_row(r, 6, 91, 18);
    add_row(r, 7, 91, 21);
    add_row(r, 8, b->id, 22);
    add_row(r, 9, a->id, 23);
    add_row(r, 10, 92, 11);
    add_row(r, 11, 92, 24);
    r->server->match.rows[11].used = false; /* what a row held once does not count */
    seat_forget(b);
    sb_server_send_scores(r->server, &r->server->players[1]);
    room_step(r);
    unsigned count = 0;
    for (sb_span m; (m = seat_find(b, SB_OP_SCORE)).size; count++) {
        uint32_t id = sb_load_u32(m.data + 1), kills = sb_load_u32(m.data + 5);
        if (id == 90) CHECK_EQ(kills, SB_MATCH_PLAYERS - 1);
        else if (id == 91) CHECK_EQ(kills, 7);
        else if (id == 92) CHECK_EQ(kills, 10);
        else CHECK(kills == 0 && (id == a->id || id == b->id));
    }
    CHECK_EQ(count, 5);
    for (size_t i = 5; i < SB_MATCH_PLAYERS; i++) r->server->match.rows[i].used = false;
}

/* The later row of the id is the first of the table. */
TEST(the_first_row_of_the_table_can_be_the_last_of_its_id)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    seat        *b = room_join(r, "Beta");
    sb_match_row present = r->server->match.rows[0];
    uint64_t     before = b->by_opcode[SB_OP_SCORE];
    add_row(r, 0, 90, 20);
    add_row(r, 5, 90, 19);
    sb_server_send_scores(r->server, &r->server->players[1]);
    r->server->match.rows[0] = present;
    r->server->match.rows[5].used = false;
    room_step(r);
    CHECK_EQ(b->by_opcode[SB_OP_SCORE], before + 2); /* of the id 90 and of Beta */
}

/* The row of the newcomer's own id, while the newcomer is not in the match yet. */
TEST(a_newcomer_gets_no_score_of_a_former_owner_of_the_id)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    seat *late = room_connect(r, "Late");
    add_row(r, 5, late->id, 20);
    seat_forget(late);
    sb_server_send_scores(r->server, &r->server->players[1]);
    room_step(r);
    CHECK_EQ(late->by_opcode[SB_OP_SCORE], 1);
    r->server->match.rows[5].used = false;
}

/* ---- the pause after a match ---- */

static room *open_pause(sb_time restart_us)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.restart_us = restart_us;
    return room_open(&c);
}

TEST(pauses_of_more_than_30_s_are_announced)
{
    for (unsigned more = 0; more < 2; more++) {
        room *r = open_pause(30 * SB_SECOND + more);
        seat *a = room_join(r, "Alpha");
        sb_server_end_match(r->server, r->now, SB_END_GENERIC);
        room_step(r);
        CHECK_EQ(a->by_opcode[SB_OP_CHAT], more);
        if (!more) continue;
        sb_span line = seat_find(a, SB_OP_CHAT);
        CHECK_BYTES(line.data + 7, line.size - 7, "The match is over. The next one starts in 31 s.",
                    47);
    }
}

TEST(the_last_of_sixteen_players_is_told_of_the_pause)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    c.restart_us = 0;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    seat *last = &r->seats[SB_SERVER_PLAYERS_MAX - 1];
    sb_server_send_scores(r->server, &r->server->players[0]);
    room_step(r);
    CHECK_EQ(r->seats[0].by_opcode[SB_OP_SCORE] >= SB_SERVER_PLAYERS_MAX, true);
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK_EQ(last->by_opcode[SB_OP_CHAT], 1);
    CHECK_EQ(r->server->restart_at, SB_TIME_NEVER);
}

/* The restart is due, and the next turn of the room will start it. */
TEST(a_pause_that_is_over_has_no_seconds_left)
{
    room *r = open_pause(10 * SB_SECOND);
    seat *a = room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    r->server->now += 12 * SB_SECOND;
    sb_server_tell_pause(r->server, &r->server->players[0]);
    r->server->now -= 12 * SB_SECOND;
    room_step(r);
    sb_span line = seat_find(a, SB_OP_CHAT);
    CHECK_BYTES(line.data + 7, line.size - 7, "The match is over. The next one starts in 0 s.", 46);
}

/* ---- events and time ---- */

TEST(start_and_end_of_a_match_are_reported)
{
    room *r = open_pause(30 * SB_SECOND);
    (void)room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_SCORE);
    const sb_server_event *e = &room_expect(r, SB_SERVER_MATCH_OVER)->event;
    CHECK_EQ(e->value, SB_END_SCORE);
    CHECK(e->match == sb_server_match(r->server));
    CHECK_EQ(e->peer_id, 0);
    size_t before = r->event_count;
    sb_server_end_match(r->server, r->now, SB_END_GENERIC); /* it is over already */
    CHECK_EQ(r->event_count, before);
    sb_server_restart_match(r->server, r->now);
    CHECK_EQ(room_expect(r, SB_SERVER_MATCH_STARTED)->event.peer_id, 0);
    CHECK_EQ(r->event_count, before + 1);
}

/* The operator's calls bring the time. */
TEST(end_and_restart_of_a_match_count_from_the_call)
{
    room *r = open_pause(30 * SB_SECOND);
    (void)room_join(r, "Alpha");
    r->now += 700;
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    CHECK_EQ(r->server->restart_at, r->now + 30 * SB_SECOND);
    r->now += 800;
    sb_server_restart_match(r->server, r->now);
    CHECK_EQ(r->server->restarted_at, r->now);
    CHECK_EQ(r->server->restart_at, SB_TIME_NEVER);
    room_step(r);
}

/* spec 05 §5.2: whether the room is open is part of its state. */
TEST(masters_are_told_of_the_end_and_the_start_of_a_match)
{
    room *r = open_pause(0);
    (void)room_join(r, "Alpha");
    sb_server_set_master(r->server, 0, (sb_endpoint){ 0x51CD5D5E, SB_MASTER_PORT }, r->now);
    room_wait(r, 30 * SB_SECOND);
    uint64_t told = r->answers;
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_wait(r, SB_SECOND);
    CHECK_EQ(r->answers, told + 1);
    room_wait(r, 10 * SB_SECOND);
    sb_server_restart_match(r->server, r->now);
    room_wait(r, SB_SECOND);
    CHECK_EQ(r->answers, told + 2);
}

/* ---- wrecks ---- */

TEST(a_wreck_in_the_last_row_of_the_table_goes)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    for (uint32_t i = 1; i < OBJECTS_MAX; i++) {
        seat_create_scenery(r, b, seat_first_id(r, b) + 100 * i);
        room_wait(r, SB_SECOND / 10);
    }
    uint32_t ship = seat_spawn(r, a, 5, here);
    CHECK_EQ(r->server->objects[OBJECTS_MAX - 1].object_id, ship);
    seat_say_hex(r, a, "13");
    room_wait(r, 12 * SB_SECOND);
    CHECK_EQ(r->server->objects[OBJECTS_MAX - 1].object_id, 0);
    for (size_t i = 0; i + 1 < OBJECTS_MAX; i++) CHECK(r->server->objects[i].object_id != 0);
}

/* Within the turn of the room in which combat reports the end of the explosion. */
TEST(a_wreck_goes_in_the_turn_in_which_its_explosion_ends)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    (void)seat_spawn(r, a, 5, here);
    seat_say_hex(r, a, "13");
    unsigned turns = 0;
    for (; r->server->objects[0].object_id != 0 && turns < 400; turns++) {
        r->now += SB_SECOND / 30;
        sb_server_advance(r->server, r->now);
        CHECK(!r->server->objects[0].object_id || !r->server->objects[0].gone);
    }
    CHECK(turns > 250 && turns < 300); /* 9.5 s */
    room_step(r);
}
