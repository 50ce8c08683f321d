/* tests/server/joining_test.c -- from the first datagram to a player in the game, byte by byte.
 * Spec 06. */
#include <starbase/cipher.h>

#include "rig.h"

#include <starbase/hash.h>
#include <starbase/message_join.h>

#include "server/server_internal.h"

#include <string.h>

static const char round_0[] = "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20";
static const char round_1[] =
    "20 01 08 00 73 63 72 69 70 74 73 2F 0C 00 41 75 74 6F 65 78 65 63 2E 70 79 63 20";
static const char round_2[] =
    "20 02 0D 00 73 63 72 69 70 74 73 2F 73 68 69 70 73 05 00 2A 2E 70 79 63 21";
static const char round_3[] =
    "20 03 10 00 73 63 72 69 70 74 73 2F 6D 61 69 6E 6D 65 6E 75 05 00 2A 2E 70 79 63 20";
static const char round_ff[] = "20 FF 13 00 53 63 72 69 70 74 73 2F 4D 75 6C 74 69 70 6C 61 79 65 "
                               "72 05 00 2A 2E 70 79 63 21";

static void answer(room *r, seat *s, unsigned position)
{
    static uint8_t           bytes[SB_CHECKSUM_RESPONSE_MAX];
    const sb_checksum_round *round = &sb_checksum_rounds()[position];
    sb_checksum_request      request = {
             .index = round->index,
             .directory = { (const uint8_t *)round->directory, strlen(round->directory) },
             .filter = { (const uint8_t *)round->filter, strlen(round->filter) },
             .recursive = round->recursive,
    };
    size_t size;
    CHECK_EQ(sb_manifest_answer(sb_vanilla_manifest(), &request, bytes, sizeof bytes, &size),
             SB_OK);
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, size });
}

static void set_clock(room *r, float seconds)
{
    room_wait(r,
              (sb_time)(seconds * 1e6f) - (sb_time)(sb_server_game_time(r->server, r->now) * 1e6f));
}

TEST(a_join_gets_five_rounds_and_the_bundle_in_one_datagram)
{
    static const char *const rounds[] = { round_0, round_1, round_2, round_3, round_ff };
    room                    *r = room_open(NULL);
    set_clock(r, 33.25f);
    seat *s = room_connect(r, "Cady2");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) {
        EXPECT_HEARD(r, s, rounds[i]);
        EXPECT_QUIET(s); /* one round at a time (spec 06 §4.3) */
        answer(r, s, i);
    }
    /* Spec 06 §4.4 and §5.6: clock 33.25, collision damage on, slot 0, Mission1. */
    EXPECT_HEARD(r, s, "28");
    EXPECT_HEARD(r, s,
                 "00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64 "
                 "65 2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31");
    EXPECT_HEARD(r, s, "01");
    EXPECT_QUIET(s);
    seat_say_hex(r, s, "2A 20");
    EXPECT_HEARD(r, s, "35 08 01 FF FF");
    EXPECT_HEARD(r, s, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02");
    EXPECT_HEARD(r, s,
                 "37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"); /* our addition (§5.11) */
    EXPECT_QUIET(s);
    CHECK_TEXT(room_expect(r, SB_SERVER_JOINED)->name, "Cady2");
}

TEST(the_second_player_hears_of_the_first_and_both_of_the_second)
{
    room *r = room_open(NULL);
    seat *first = room_join(r, "Alpha");
    seat *second = room_load(r, "Beta");
    CHECK_EQ(first->heard_count, 0); /* nothing is relayed before the player is in the game */
    seat_say_hex(r, second, "2A 20");
    EXPECT_HEARD(r, second, "35 08 01 FF FF");
    EXPECT_HEARD(r, second, "37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(r, second, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_HEARD(r, second, "37 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_QUIET(second);
    EXPECT_HEARD(r, first, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_HEARD(r, first, "37 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_QUIET(first);
    CHECK(first->named_somebody);
    CHECK(second->named_somebody);
}

TEST(a_repeated_checksum_answer_and_a_repeated_2a_change_nothing)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    answer(r, s, 0);
    seat_forget(s);
    for (unsigned i = 0; i < 10; i++) answer(r, s, 0); /* repeated answers are ignored */
    EXPECT_QUIET(s);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNEXPECTED_ROUND), 10);
    for (unsigned i = 1; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    seat_say_hex(r, s, "2A 20");
    seat_forget(s);
    seat_say_hex(r, s, "2A 20");
    EXPECT_QUIET(s);
    CHECK(!s->left);
}

TEST(a_join_goes_on_after_unrequested_checksum_answers)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    for (unsigned i = 0; i < 10; i++) answer(r, s, 3);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNEXPECTED_ROUND), 10);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    seat_say_hex(r, s, "2A 20");
    CHECK_EQ(sb_server_player_count(r->server), 1);
}

TEST(unrequested_checksum_answers_do_not_prolong_a_join)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    for (unsigned i = 0; i < 31 && !s->left; i++) {
        answer(r, s, 3);
        room_wait(r, SB_SECOND);
    }
    CHECK(seat_is_removed(r, s));
}

TEST(a_client_that_answers_no_round_is_told_off_after_30_seconds)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    room_wait(r, 29 * SB_SECOND);
    CHECK(!s->left);
    room_wait(r, 2 * SB_SECOND);
    CHECK(seat_is_removed(r, s));
    CHECK_EQ(s->left_reason, SB_LEFT_BOOTED);
    CHECK(strstr(room_expect(r, SB_SERVER_JOIN_FAILED)->text, "no answer to checksum round 00") !=
          NULL);
}

TEST(a_client_that_never_loads_is_told_off_after_120_seconds)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    room_wait(r, 119 * SB_SECOND);
    CHECK(!s->left);
    room_wait(r, 2 * SB_SECOND);
    CHECK(seat_is_removed(r, s));
    CHECK_TEXT(room_expect(r, SB_SERVER_JOIN_FAILED)->text,
               "the client did not finish loading in time");
}

TEST(strict_mode_names_a_changed_file_to_player_and_log)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.checksums = SB_CHECKSUM_STRICT;
    room *r = room_open(&c);
    seat *s = room_connect(r, "Cady2");
    seat_forget(s);
    /* The answer of spec 06 §5.2 with another hash. */
    seat_say_hex(r, s, "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 11 22 33 44 00");
    EXPECT_HEARD(r, s, "22 07 00 41 70 70 2E 70 79 63"); /* App.pyc, spec 06 §5.3 */
    CHECK(seat_is_removed(r, s));
    CHECK_EQ(s->left_reason, SB_LEFT_BOOTED);
    const room_event *e = room_expect(r, SB_SERVER_FILES_DIFFER);
    CHECK_TEXT(e->text, "vanilla 1.1");
    CHECK(strstr(room_expect(r, SB_SERVER_JOIN_FAILED)->text, "files differ") != NULL);
}

TEST(in_strict_mode_another_version_gets_0x23)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.checksums = SB_CHECKSUM_STRICT;
    room *r = room_open(&c);
    seat *s = room_connect(r, "Cady2");
    seat_forget(s);
    seat_say_hex(r, s, "21 00 43 E2 0C 7F 2F CB AF 4D 01 00 77 B6 3E 37 68 A7 A0 F8 00");
    EXPECT_HEARD(r, s, "23 07 00 41 70 70 2E 70 79 63");
    CHECK(seat_is_removed(r, s));
}

/* Judged at once: not malformed, and no wait for the 30 seconds of a silent client. */
TEST(a_client_without_files_is_judged_by_the_mode_at_once)
{
    for (int mode = 0; mode < SB_CHECKSUM_MODES; mode++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.checksums = (sb_checksum_mode)mode;
        room *r = room_open(&c);
        seat *s = room_connect(r, "Cady2");
        seat_forget(s);
        seat_say_hex(r, s, "21 00 43 E2 0C 7E 30 CB AF 4D");
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 0);
        CHECK_EQ(room_expect(r, SB_SERVER_CHECKED)->event.value, 1);
        CHECK_EQ(seat_is_removed(r, s), mode == SB_CHECKSUM_STRICT);
        if (mode == SB_CHECKSUM_STRICT) EXPECT_HEARD(r, s, "22 07 00 41 70 70 2E 70 79 63");
        else EXPECT_HEARD(r, s, round_1);
    }
}

TEST(in_log_mode_a_changed_file_is_logged_and_the_join_goes_on)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    seat_forget(s);
    seat_say_hex(r, s, "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 11 22 33 44 00");
    EXPECT_HEARD(r, s, round_1);
    (void)room_expect(r, SB_SERVER_FILES_DIFFER);
    CHECK_EQ(room_expect(r, SB_SERVER_CHECKED)->event.value, 1);
}

TEST(an_unreadable_checksum_answer_ends_only_a_strict_join)
{
    static const char bad[] = "21 00 43 E2 0C 7E 2F CB AF 4D FF FF 77";
    for (int mode = 0; mode < SB_CHECKSUM_MODES; mode++) { /* spec 12 #9 */
        sb_server_config c;
        sb_server_defaults(&c);
        c.checksums = (sb_checksum_mode)mode;
        room *r = room_open(&c);
        seat *s = room_connect(r, "Cady2");
        seat_forget(s);
        seat_say_hex(r, s, bad);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 1);
        CHECK_EQ(room_expect(r, SB_SERVER_REFUSED)->event.bytes.size, 13);
        if (mode == SB_CHECKSUM_STRICT) CHECK(seat_is_removed(r, s));
        else EXPECT_HEARD(r, s, round_1);
    }
}

TEST(game_messages_before_the_game_are_counted_and_ignored)
{
    room *r = room_open(NULL);
    seat *in = room_join(r, "Alpha");
    seat *s = room_connect(r, "Beta");
    seat_forget(s);
    seat_say_hex(r, s, "2C {id} 05 00 68 65 6C 6C 6F");
    seat_say_hex(r, s, "13");
    seat_say_hex(r, s, "35 08 01 FF FF");
    EXPECT_QUIET(s);
    EXPECT_QUIET(in);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_TOO_EARLY), 2);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_SERVER_ONLY), 1);
    CHECK(!s->left);
}

TEST(the_player_limit_is_enforced_at_the_connect)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 2;
    room *r = room_open(&c);
    seat *a = room_join(r, "Alpha");
    (void)room_join(r, "Beta");
    seat *third = room_connect(r, "Gamma");
    room_wait(r, 2 * SB_SECOND);
    CHECK(third->left);
    CHECK_EQ(third->boot_reason, SB_BOOT_FULL);
    CHECK_EQ(sb_server_player_count(r->server), 2);
    seat_leave(r, a);
    CHECK_EQ(room_join(r, "Delta")->left, false);
}

TEST(a_time_limit_is_told_with_the_clock_at_which_it_ends)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.time_limit_min = 20;
    c.match.frag_limit = 15;
    room *r = room_open(&c);
    set_clock(r, 33.0f);
    seat *s = room_connect(r, "Cady2");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    seat_forget(s);
    seat_say_hex(r, s, "2A 20");
    EXPECT_HEARD(r, s,
                 "35 08 01 14 D1 04 00 00 0F"); /* the first player starts the time: 33 + 1200 */
}

/* ---- what a newcomer has ---- */

TEST(a_newcomer_has_the_whole_burst_of_every_budget)
{
    room            *r = room_open(NULL);
    seat            *s = room_connect(r, "Cady2");
    const sb_player *p = sb_server_find_player(r->server, s->id);
    const struct {
        const sb_budget *budget;
        uint32_t         burst;
    } rows[] = { { &p->chat, 5 },      { &p->teams, 4 },   { &p->mods, 120 },
                 { &p->requests, 20 }, { &p->asks, 5 },    { &p->relay, 120 },
                 { &p->effects, 120 }, { &p->stops, 120 }, { &p->collisions, 280 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(rows[i].budget->left, (int64_t)rows[i].burst * SB_SECOND);
        CHECK_EQ(rows[i].budget->at, r->now);
    }
}

TEST(connect_and_join_are_reported_with_the_time_between_them)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    CHECK_EQ(room_expect(r, SB_SERVER_CONNECTED)->event.peer_id, s->id);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    room_wait(r, 20 * SB_SECOND);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_JOINS), 0);
    seat_say_hex(r, s, "2A 20");
    const room_event *joined = room_expect(r, SB_SERVER_JOINED);
    CHECK_EQ(joined->event.peer_id, s->id);
    CHECK_EQ(joined->event.value, 20000);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_JOINS), 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 0);
}

TEST(a_player_after_the_checksums_may_send_more_than_64_fragments)
{
    static uint8_t   message[SB_PAYLOAD_UNJOINED + 1000] = { 0xCD };
    sb_server_config c;
    sb_server_defaults(&c);
    c.mod_bytes_max = sizeof message;
    c.transport.assembly_cells = 1024;
    room    *r = room_open(&c);
    seat    *s = room_join(r, "Cady2");
    uint64_t before = COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN);
    seat_say(r, s, SB_RELIABLE, (sb_span){ message, sizeof message });
    room_wait(r, 5 * SB_SECOND);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MESSAGES_IN), before + 1);
}

TEST(a_newcomer_without_a_free_row_is_refused_as_by_a_full_room)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 2;
    room *r = room_open(&c);
    seat *first = room_join(r, "Alpha");
    r->server->capacity = r->server->config.max_players = 1; /* the transport still has a place */
    seat *s = room_connect(r, "Beta");
    CHECK(seat_is_removed(r, s));
    CHECK_EQ(s->boot_reason, SB_BOOT_FULL);
    CHECK_EQ(s->by_opcode[SB_OP_CHECKSUM_REQUEST], 0);
    CHECK(!first->left);
}

TEST(only_an_empty_room_starts_its_clock_again_after_an_hour)
{
    room *r = room_open(NULL);
    set_clock(r, 3600.0f);
    (void)room_connect(r, "Alpha");
    CHECK(sb_server_game_time(r->server, r->now) == 3600.0f);
    room_wait(r, 2 * SB_SECOND);
    (void)room_connect(r, "Beta"); /* a clock of 3602 s, but Alpha is there */
    CHECK(sb_server_game_time(r->server, r->now) == 3602.0f);
    r = room_open(NULL);
    set_clock(r, 3600.5f);
    (void)room_connect(r, "Alpha");
    CHECK(sb_server_game_time(r->server, r->now) == 0.0f);
}

TEST(older_players_are_listed_once_if_the_option_is_on)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    c.list_older_players = true;
    c.score_self_on_join = false;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    CHECK(sb_server_kick(r->server, r->now, r->seats[3].id, (sb_span){ NULL, 0 }));
    CHECK(sb_server_kick(r->server, r->now, r->seats[5].id, (sb_span){ NULL, 0 }));
    CHECK(seat_is_removed(r, &r->seats[3]) && seat_is_removed(r, &r->seats[5]));
    seat *s = room_connect(r, "Late"), *joining = room_connect(r, "Joining");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    seat_forget(s);
    seat_say_hex(r, s, "2A 20");
    unsigned listed[128] = { 0 };
    for (sb_span m; (m = seat_find(s, SB_OP_PLAYER_LIST)).size;) listed[m.data[m.size - 1]]++;
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        CHECK_EQ(listed[r->seats[i].id], i != 3 && i != 5);
    CHECK_EQ(listed[s->id], 1);
    CHECK_EQ(listed[joining->id], 0);
    CHECK_EQ(listed[0], 0);
    s->heard_next = 0;
    while (seat_find(s, SB_OP_SCORE).size)
        CHECK(s->heard[s->heard_next - 1].bytes[1] != s->id); /* not its own */
}

/* Beta's torpedo is still on its way when another player has Beta's id. */
TEST(a_newcomer_has_no_part_in_shots_of_an_earlier_player)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.trace_damage = true;
    room    *r = room_open(&c);
    seat    *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    uint32_t victim = seat_spawn(r, a, 5, (sb_vec3){ 0, 390, 0 });
    uint32_t ship = seat_spawn(r, b, 5, (sb_vec3){ 0, 0, 0 });
    seat_say_position(r, b, ship, (sb_vec3){ 0, 0, 0 }); /* flying: departs after a second */
    seat_fire_torpedo(r, b, ship, 0);
    sb_transport_client_leave(b->client, r->now);
    room_wait(r, 17 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 1);
    CHECK_EQ(room_count_hits(r, victim), 0);
    seat *next = room_join(r, "Gamma");
    CHECK_EQ(next->id, b->id);
    room_wait(r, 10 * SB_SECOND);
    CHECK_EQ(room_count_hits(r, victim), 1);
    CHECK_EQ(room_expect(r, SB_SERVER_COMBAT)->event.other, 0);
}

/* ---- times ---- */

/* When the player's session ended, from `start` on. */
static sb_time left_after(room *r, sb_time start)
{
    room_wait(r, 10 * SB_SECOND);
    return room_expect(r, SB_SERVER_LEFT)->event.now - start;
}

TEST(a_boot_follows_the_ack_of_its_reason_at_once)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.checksums = SB_CHECKSUM_STRICT;
    room *r = room_open(&c);
    seat *s = room_connect(r, "Cady2");
    seat_say_hex(r, s, "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 11 22 33 44 00");
    CHECK_EQ(left_after(r, r->now), 0);
}

/* Delivers one message; the Ack of the answer is lost, as all that follows. */
static void say_and_fall_silent(room *r, seat *s, const char *hex)
{
    uint8_t bytes[64], out[SB_DATAGRAM_MAX];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    CHECK_EQ(sb_transport_client_send(s->client, SB_RELIABLE, (sb_span){ bytes, size }), SB_OK);
    while ((size = sb_transport_client_write(s->client, r->now, out)))
        (void)!sb_server_receive(r->server, r->now, s->address, (sb_span){ out, size });
    s->muted = true;
}

TEST(a_silent_client_is_booted_some_seconds_after_the_reason)
{
    static const struct {
        const char *answer;
        sb_time     seconds;
    } rows[] = {
        { "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 11 22 33 44 00",
          3 },             /* a changed file */
        { "21 00 FF", 1 }, /* unreadable */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_server_config c;
        sb_server_defaults(&c);
        c.checksums = SB_CHECKSUM_STRICT;
        room   *r = room_open(&c);
        seat   *s = room_connect(r, "Cady2");
        sb_time start = r->now;
        say_and_fall_silent(r, s, rows[i].answer);
        CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 1);
        CHECK_EQ(sb_server_joins_deadline(r->server), start + rows[i].seconds * SB_SECOND);
        CHECK_EQ(left_after(r, start), rows[i].seconds * SB_SECOND);
        CHECK_EQ(s->boot_reason, SB_BOOT_KICKED);
    }
}

/* Another message under a number that is used. */
static void forge_conflict(room *r, const seat *s)
{
    uint8_t bytes[] = { s->id, 1, 0x32, 6, 0x80, 0, 0, (uint8_t)(r->now / SB_SECOND) };
    sb_encrypt_datagram(bytes, sizeof bytes);
    (void)!room_give(r, s->address, (sb_span){ bytes, sizeof bytes });
}

/* The messages of an attacked client come late: it is not removed for that within 90 s. */
TEST(a_join_that_is_attacked_has_a_minute_more)
{
    room   *r = room_open(NULL);
    seat   *s = room_connect(r, "Cady2");
    sb_time start = r->now;
    while (room_count_events(r, SB_SERVER_JOIN_FAILED) == 0 && r->now - start < 200 * SB_SECOND) {
        forge_conflict(r, s);
        room_wait(r, SB_SECOND);
    }
    CHECK_EQ(r->now - start, 90 * SB_SECOND);
}

TEST(a_join_that_times_out_is_booted_in_the_same_moment)
{
    room   *r = room_open(NULL);
    seat   *s = room_connect(r, "Cady2");
    sb_time start = r->now;
    say_and_fall_silent(r, s, "21 00 43 E2 0C 7E 30 CB AF 4D"); /* so round 1 is not acknowledged */
    room_wait(r, 25 * SB_SECOND);
    CHECK_EQ(left_after(r, start), 30 * SB_SECOND);
    CHECK(seat_is_removed(r, s));
    CHECK_EQ(s->boot_reason, SB_BOOT_TIMED_OUT);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_FAILED_JOINS), 1);
}

TEST(the_deadline_of_joins_is_that_of_the_oldest_question)
{
    room *r = room_open(NULL);
    CHECK_EQ(sb_server_joins_deadline(r->server), SB_TIME_NEVER);
    seat   *a = room_connect(r, "Alpha");
    sb_time start = r->now;
    CHECK_EQ(sb_server_joins_deadline(r->server), start + 30 * SB_SECOND);
    (void)room_join(r, "Beta");
    room_wait(r, 2 * SB_SECOND);
    (void)room_connect(r, "Gamma");
    CHECK_EQ(sb_server_joins_deadline(r->server), start + 30 * SB_SECOND);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, a, i);
    CHECK_EQ(sb_server_joins_deadline(r->server), start + 32 * SB_SECOND);
}

TEST(a_seat_is_kept_for_5_s_per_round_and_30_s_of_loading)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    CHECK_EQ(sb_server_gives_way_at(r->server, s->id), r->now + 5 * SB_SECOND);
    for (unsigned i = 0; i < SB_CHECKSUM_FF; i++) answer(r, s, i);
    room_wait(r, SB_SECOND);
    CHECK_EQ(sb_server_gives_way_at(r->server, s->id), r->now + 4 * SB_SECOND);
    answer(r, s, SB_CHECKSUM_FF);
    CHECK_EQ(sb_server_gives_way_at(r->server, s->id), r->now + 30 * SB_SECOND);
    seat_say_hex(r, s, "2A 20");
    CHECK_EQ(sb_server_gives_way_at(r->server, s->id), SB_TIME_NEVER);
    CHECK_EQ(sb_server_gives_way_at(r->server, 99), SB_TIME_NEVER); /* nobody */
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    seat   *waiting = room_connect(r, "Waiting");
    sb_time first = sb_server_gives_way_at(r->server, waiting->id);
    CHECK(first > r->now + (sb_time)365 * 24 * 3600 * SB_SECOND); /* no pause is that long, ... */
    CHECK(first < SB_TIME_NEVER); /* ... but the join is not finished */
    room_wait(r, SB_SECOND);
    CHECK_EQ(sb_server_gives_way_at(r->server, waiting->id), first);
    CHECK(sb_server_gives_way_at(r->server, room_connect(r, "Later")->id) > first);
}

TEST(an_answer_without_a_round_is_not_requested)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    seat_say_hex(r, s, "21");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNEXPECTED_ROUND), 1);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 0);
    sb_player *p = sb_server_find_player(r->server, s->id);
    sb_server_handle_checksums(r->server, p, (sb_span){ (const uint8_t *)"\x21\x00", 1 });
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNEXPECTED_ROUND), 2);
    seat_say_hex(r, s, "21 00");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_UNEXPECTED_ROUND), 2);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_MALFORMED), 1);
}

TEST(a_player_who_waited_for_a_match_begins_with_round_0)
{
    room *r = room_open(NULL);
    (void)room_join(r, "Alpha"); /* the pause goes on while a player is there */
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    seat *s = room_connect(r, "Cady2");
    seat_forget(s);
    sb_server_restart_match(r->server, r->now);
    room_step(r);
    s->heard_next = 0;
    sb_span request = seat_find(s, SB_OP_CHECKSUM_REQUEST);
    CHECK_EQ(request.size, 22);
    CHECK_EQ(request.data[1], 0);
    CHECK_EQ(sb_server_joins_deadline(r->server), r->now + 30 * SB_SECOND);
}

TEST(a_join_in_the_last_slot_ends_in_time)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX - 1; i++) (void)room_join(r, "Player");
    seat *s = room_connect(r, "Last");
    CHECK(sb_server_kick(r->server, r->now, s->id, (sb_span){ NULL, 0 }));
    CHECK(seat_is_removed(r, s));
}

TEST(the_settings_start_the_clock_of_a_player)
{
    room *r = room_open(NULL);
    seat *s = room_connect(r, "Cady2");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) answer(r, s, i);
    const sb_player *p = sb_server_find_player(r->server, s->id);
    CHECK_EQ(sb_sender_clock_lead(&p->clock, r->now), SB_LEAD_UNKNOWN); /* no update yet */
    CHECK_EQ(p->timeout_us, 45 * SB_SECOND);
}

/* ---- several manifests (spec 06 §7) ---- */

/* Files by name, in rounds 2 and 3: a letter is a file of round 2, a digit one of round 3, and `/`
 * begins the directory "Sub" of round 2. A capital letter is the content of its small letter
 * changed. */
typedef struct file_list {
    sb_manifest_file files[8];
    sb_manifest      manifest;
} file_list;

static const char *const file_names[] = { "a.pyc", "b.pyc", "x.pyc", "1.pyc" };

static uint32_t hash_of(const char *text)
{
    return sb_hash_string((sb_span){ (const uint8_t *)text, strlen(text) });
}

static void make_list(file_list *list, const char *title, const char *letters)
{
    const char *directory = "";
    list->manifest = (sb_manifest){ title, list->files, 0 };
    for (; *letters; letters++) {
        if (*letters == '/') {
            directory = "Sub";
            continue;
        }
        char        small = (char)(*letters | 0x20);
        const char *name = file_names[small == 'a' ? 0 : small == 'b' ? 1 : small == 'x' ? 2 : 3];
        list->files[list->manifest.count++] = (sb_manifest_file){
            .position = *letters == '1' ? 3 : 2,
            .directory = directory,
            .name = name,
            .directory_hash = directory[0] ? hash_of(directory) : 0,
            .name_hash = hash_of(name),
            .content_hash = 1000u + (uint8_t)*letters,
        };
    }
}

static file_list          lists[3], client;
static const sb_manifest *manifests[3] = { &lists[0].manifest, &lists[1].manifest,
                                           &lists[2].manifest };

static room *open_with_lists(const char *first, const char *second, const char *third, bool extra)
{
    sb_server_config c;
    sb_server_defaults(&c);
    make_list(&lists[0], "first", first);
    make_list(&lists[1], "second", second);
    make_list(&lists[2], "third", third);
    c.checksums = SB_CHECKSUM_STRICT;
    c.manifests = manifests;
    c.manifest_count = *third ? 3 : *second ? 2 : 1;
    c.allow_extra = extra;
    return room_open(&c);
}

static seat *connect_with(room *r, const char *letters)
{
    seat *s = room_connect(r, "Cady2");
    make_list(&client, "client", letters);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS && s->by_opcode[SB_OP_CHECKSUM_FAIL] == 0; i++)
        seat_answer_round(r, s, &client.manifest);
    return s;
}

TEST(a_strict_refusal_names_the_first_file_that_is_not_allowed)
{
    static const struct {
        const char *files, *named; /* NULL: the join goes on */
        bool        extra;
    } rows[] = {
        { "ab/b", NULL, false },        { "AB/b", "a.pyc", false }, { "AB/b", "a.pyc", true },
        { "aB/b", "b.pyc", true },      { "abx/b", NULL, true },    { "xaB/b", "b.pyc", true },
        { "b/b", "a.pyc", true },       { "ab", "Sub", true },      { "ab/bx", NULL, true },
        { "abx/B", "Sub/b.pyc", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room   *r = open_with_lists("ab/b", "", "", rows[i].extra);
        seat   *s = connect_with(r, rows[i].files);
        sb_span refusal = (s->heard_next = 0, seat_find(s, SB_OP_CHECKSUM_FAIL));
        CHECK_EQ(refusal.size > 0, rows[i].named != NULL);
        if (rows[i].named)
            CHECK_BYTES(refusal.data + 3, refusal.size - 3, rows[i].named, strlen(rows[i].named));
        else CHECK_EQ(s->by_opcode[SB_OP_SETTINGS], 1);
    }
}

TEST(an_extra_directory_is_refused_unless_extra_files_are_allowed)
{
    for (unsigned extra = 0; extra < 2; extra++) {
        room *r = open_with_lists("ab", "", "", extra);
        seat *s = connect_with(r, "ab/x");
        CHECK_EQ(s->by_opcode[SB_OP_CHECKSUM_FAIL], !extra);
        CHECK(room_expect(r, SB_SERVER_FILES_DIFFER)->event.difference != NULL); /* in any case */
    }
}

TEST(one_manifest_must_accept_all_rounds)
{
    static const struct {
        const char *files;
        bool        accepted;
    } rows[] = {
        { "a1", true }, { "b", true }, { "ab1", true }, { "ab", false }, { "b1", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room *r = open_with_lists("a1", "b", "ab1", false);
        seat *s = connect_with(r, rows[i].files);
        CHECK_EQ(s->by_opcode[SB_OP_SETTINGS], rows[i].accepted);
    }
}

TEST(differences_are_reported_from_the_closest_manifest)
{
    static const struct {
        const char *first, *second, *named;
    } rows[] = {
        { "ABx", "Ab", "second" }, /* one difference, not three */
        { "Ab", "ABx", "first" },
        { "Ab", "aB", "first" }, /* as many: the first one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room *r = open_with_lists(rows[i].first, rows[i].second, "", false);
        (void)connect_with(r, "ab");
        (void)room_expect(r, SB_SERVER_CHECKED);
        (void)room_expect(r, SB_SERVER_CHECKED);
        const room_event *e = room_expect(r, SB_SERVER_FILES_DIFFER);
        CHECK_TEXT(e->text, rows[i].named);
        e = room_expect(r, SB_SERVER_CHECKED);
        CHECK_EQ(e->event.value, 1);
        CHECK(e->event.bytes.size > 0);
    }
}

/* A reload during a join: the answers before it chose among the old manifests. */
TEST(a_join_goes_on_with_the_first_manifest_of_a_new_list)
{
    static const struct {
        size_t before, after, differences;
    } rows[] = {
        { 2, 1, 1 }, /* the second one accepted round 2, and is gone */
        { 1, 2, 1 }, /* the second one came after the first answer */
        { 2, 2, 0 },
        { 2, 0, 1 }, /* vanilla, which has files in round 3 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        room *r = open_with_lists("a1", "b", "x", false);
        r->server->config.checksums = SB_CHECKSUM_LOG;
        r->server->config.manifest_count = rows[i].before;
        seat *s = room_connect(r, "Cady2");
        make_list(&client, "client", "b");
        sb_server_config c = r->server->config;
        for (unsigned round = 0; round < 3; round++) {
            if (round == 0 && rows[i].after > rows[i].before) {
                c.manifest_count = rows[i].after;
                room_reconfigure(r, &c);
            }
            seat_answer_round(r, s, &client.manifest);
            (void)room_expect(r, SB_SERVER_CHECKED);
        }
        c.manifest_count = rows[i].after;
        room_reconfigure(r, &c);
        seat_answer_round(r, s, &client.manifest);
        CHECK_EQ(room_expect(r, SB_SERVER_CHECKED)->event.value, rows[i].differences);
    }
}
