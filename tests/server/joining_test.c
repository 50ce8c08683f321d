/* tests/server/joining_test.c -- from the first datagram to a player in the game, byte by byte.
 * Spec 06. */
#include "rig.h"

#include <starbase/message_join.h>

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
    seat *second = room_connect(r, "Beta");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, second, sb_vanilla_manifest());
    CHECK_EQ(first->heard_count, 0); /* nothing is relayed before the player is in the game */
    seat_forget(second);
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
    sb_transport_client_leave(a->client, r->now);
    room_wait(r, 7 * SB_SECOND); /* the silence of an idle player (spec 01 §8.4) */
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
