/* tests/server/empty_room_test.c -- a room without players begins anew, and whoever comes between
 * two matches waits for the next one and is told so. Spec 06 §9, 09 §8. */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"

#include <string.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

static room *open_room(uint32_t time_limit_min, sb_time restart_us)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = time_limit_min;
    c.restart_us = restart_us;
    return room_open(&c);
}

static bool is_open(const room *r)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    return status.open;
}

/* The next chat line of the server that the seat received; empty: none. */
static const char *next_line(seat *s)
{
    static char text[256];
    sb_span     line = seat_find(s, SB_OP_CHAT);
    text[0] = 0;
    if (line.size < 7) return text;
    CHECK_EQ(sb_load_u32(line.data + 1), SB_PEER_HOST);
    memcpy(text, line.data + 7, line.size - 7);
    text[line.size - 7] = 0;
    return text;
}

static const char starts_when_empty[] = "The match is over. The next one starts when all players "
                                        "have left, or when the operator starts it.";

/* ---- an empty room ---- */

TEST(after_the_last_player_left_the_match_is_new)
{
    static const sb_time restarts[] = { 0, 30 * SB_SECOND };
    for (unsigned i = 0; i < 2; i++) {
        room *r = open_room(1, restarts[i]);
        seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
        seat_spawn(r, a, 5, here);
        seat_say_hex(r, a, "13"); /* a death */
        sb_server_end_match(r->server, r->now, SB_END_GENERIC);
        room_step(r);
        CHECK(!is_open(r));
        seat_leave(r, a);
        CHECK(!is_open(r)); /* Beta still looks at the scores */
        seat_leave(r, b);
        CHECK(is_open(r));
        seat *c = room_connect(r, "Gamma");
        CHECK_EQ(c->by_opcode[SB_OP_CHECKSUM_REQUEST], 1); /* the join starts at once */
        const sb_match *match = sb_server_match(r->server);
        for (size_t row = 0; row < SB_MATCH_PLAYERS; row++) CHECK(!match->rows[row].used);
        room_wait(r, 35 * SB_SECOND);
        CHECK_EQ(c->by_opcode[SB_OP_RESTART_GAME], 0); /* no restart of the old match */
    }
}

TEST(scores_of_a_running_match_end_with_its_last_player)
{
    room *r = room_open(NULL);
    seat *a = room_join(r, "Alpha");
    seat_spawn(r, a, 5, here);
    seat_say_hex(r, a, "13");
    CHECK_EQ(sb_match_find(sb_server_match(r->server), a->id)->deaths, 1);
    seat_leave(r, a);
    CHECK(!sb_server_match(r->server)->rows[0].used);
    seat *b = room_join(r, "Beta");
    CHECK_EQ(b->by_opcode[SB_OP_SCORE], 1); /* Beta's own */
}

TEST(the_time_of_a_match_starts_with_the_first_player)
{
    room *r = open_room(1, 30 * SB_SECOND);
    room_wait(r, 45 * SB_SECOND);
    seat *a = room_join(r, "Alpha");
    CHECK_EQ(sb_match_seconds_left(sb_server_match(r->server), r->now), 60);
    room_wait(r, 10 * SB_SECOND);
    seat *b = room_join(r, "Beta"); /* the second player does not start it again */
    CHECK_EQ(sb_match_seconds_left(sb_server_match(r->server), r->now), 50);
    seat_leave(r, a);
    seat_leave(r, b);
    room_wait(r, 300 * SB_SECOND);
    CHECK(is_open(r)); /* the time does not run in an empty room */
    (void)room_join(r, "Gamma");
    CHECK_EQ(sb_match_seconds_left(sb_server_match(r->server), r->now), 60);
    room_wait(r, 61 * SB_SECOND);
    CHECK(!is_open(r));
}

TEST(ending_the_match_of_an_empty_room_does_not_close_it)
{
    room *r = open_room(0, 0);
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK(is_open(r));
    seat *a = room_join(r, "Alpha");
    seat_spawn(r, a, 5, here);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_SPAWNS), 1);
}

/* ---- the pause after a match ---- */

TEST(a_newcomer_in_a_long_pause_is_told_how_long_and_kept)
{
    room *r = open_room(0, 90 * SB_SECOND);
    seat *a = room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK_TEXT(next_line(a), "The match is over. The next one starts in 90 s.");
    room_wait(r, 20 * SB_SECOND);
    seat *late = room_connect(r, "Late");
    CHECK_TEXT(next_line(late), "The match is over. The next one starts in 70 s.");
    const room_event *e = room_expect(r, SB_SERVER_WAITING);
    CHECK_TEXT(e->text, "The match is over. The next one starts in 70 s.");
    CHECK_EQ(e->event.value, 70);
    CHECK_EQ(e->event.peer_id, late->id);
    CHECK_EQ(late->by_opcode[SB_OP_CHECKSUM_REQUEST], 0);
    room_wait(r, 69 * SB_SECOND);
    CHECK(!late->left);
    CHECK_EQ(late->by_opcode[SB_OP_CHECKSUM_REQUEST], 0);
    room_wait(r, 2 * SB_SECOND);
    CHECK_EQ(late->by_opcode[SB_OP_CHECKSUM_REQUEST], 1);
}

TEST(without_a_restart_a_newcomer_gets_in_when_the_room_was_empty)
{
    room *r = open_room(0, 0);
    seat *a = room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK_TEXT(next_line(a), starts_when_empty);
    seat *late = room_connect(r, "Late");
    CHECK_TEXT(next_line(late), starts_when_empty);
    CHECK_EQ(room_expect(r, SB_SERVER_WAITING)->event.value, -1);
    room_wait(r, 300 * SB_SECOND);
    CHECK(!late->left && !is_open(r));
    CHECK_EQ(late->by_opcode[SB_OP_CHECKSUM_REQUEST], 0);
    seat_leave(r, a);
    CHECK(is_open(r));
    CHECK_EQ(late->by_opcode[SB_OP_CHECKSUM_REQUEST], 1);
}

TEST(a_new_length_of_the_pause_counts_at_once)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.restart_us = 0;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_wait(r, 100 * SB_SECOND);
    c.restart_us = 10 * SB_SECOND;
    seat *b = room_connect(r, "Beta");
    seat_forget(a);
    seat_forget(b);
    room_reconfigure(r, &c);
    room_step(r);
    CHECK_TEXT(next_line(a), "The match is over. The next one starts in 10 s.");
    CHECK_TEXT(next_line(b), "The match is over. The next one starts in 10 s.");
    room_wait(r, 9 * SB_SECOND);
    CHECK(!is_open(r));
    room_wait(r, 2 * SB_SECOND);
    CHECK(is_open(r));
    CHECK_EQ(a->by_opcode[SB_OP_RESTART_GAME], 1);
    c.restart_us = 20 * SB_SECOND; /* no effect on a match that runs */
    room_reconfigure(r, &c);
    room_wait(r, 30 * SB_SECOND);
    CHECK_EQ(a->by_opcode[SB_OP_RESTART_GAME], 1);
}

TEST(a_short_pause_is_not_announced_to_players_in_the_game)
{
    room *r = open_room(0, 30 * SB_SECOND);
    seat *a = room_join(r, "Alpha");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK_EQ(a->by_opcode[SB_OP_END_GAME], 1);
    CHECK_EQ(a->by_opcode[SB_OP_CHAT], 0);
}

TEST(a_player_who_loaded_during_the_end_is_told_of_the_pause)
{
    room *r = open_room(0, 30 * SB_SECOND);
    (void)room_join(r, "Alpha");
    seat *b = room_load(r, "Beta");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_wait(r, 10 * SB_SECOND);
    seat_say_hex(r, b, "2A 20");
    CHECK_EQ(b->by_opcode[SB_OP_MISSION_INIT], 1);
    CHECK_TEXT(next_line(b), "The match is over. The next one starts in 20 s.");
}

/* ---- scores of players who left (spec 09 §7) ---- */

TEST(a_newcomer_gets_one_score_per_id)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Stays");
    static const char *const names[] = { "First", "Second", "Third" };
    uint8_t                  id = 0;
    for (unsigned i = 0; i < 3; i++) { /* one after another under the same id */
        seat *s = room_join(r, names[i]);
        if (i > 0) CHECK_EQ(s->id, id);
        id = s->id;
        uint32_t ship = seat_spawn(r, s, 5, here);
        for (unsigned deaths = 0; deaths <= i; deaths++) {
            CHECK(ship != 0);
            seat_say_hex(r, s, "13");
            ship = seat_spawn(r, s, 5, here);
        }
        seat_leave(r, s);
        room_wait(r, 60 * SB_SECOND);
        seat_forget(&r->seats[0]);
    }
    (void)room_join(r, "Takes the id");
    seat *late = room_load(r, "Late");
    seat_leave(r, &r->seats[4]); /* the id has no owner again */
    seat_forget(late);
    seat_say_hex(r, late, "2A 20");
    unsigned rows[256] = { 0 };
    for (sb_span m; (m = seat_find(late, SB_OP_SCORE)).size;) {
        rows[m.data[1]]++;
        CHECK_EQ(sb_load_u32(m.data + 9), 0); /* no deaths: the row of the last owner */
    }
    CHECK_EQ(rows[r->seats[0].id], 1);
    CHECK_EQ(rows[id], 1);
}
