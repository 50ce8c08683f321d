/* tests/e2e/join_test.c -- from the first datagram to a player in the game, over UDP, byte by byte.
 * Spec 06 §3-§5, §7. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const sb_vec3 here = { 38.0f, -49.0f, -35.0f };

static const char *const rounds[] = {
    "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20",
    "20 01 08 00 73 63 72 69 70 74 73 2F 0C 00 41 75 74 6F 65 78 65 63 2E 70 79 63 20",
    "20 02 0D 00 73 63 72 69 70 74 73 2F 73 68 69 70 73 05 00 2A 2E 70 79 63 21",
    "20 03 10 00 73 63 72 69 70 74 73 2F 6D 61 69 6E 6D 65 6E 75 05 00 2A 2E 70 79 63 20",
    "20 FF 13 00 53 63 72 69 70 74 73 2F 4D 75 6C 74 69 70 6C 61 79 65 72 05 00 2A 2E 70 79 63 21",
};

/* ---- the ladder ---- */

static size_t requests_heard(const seat *s)
{
    return (size_t)s->by_opcode[0x20];
}

TEST(the_ladder_of_spec_06_is_climbed_byte_for_byte_and_in_order)
{
    live *l = live_open(NULL);
    seat *s = live_connect(l, "Cady2");
    CHECK_EQ(s->id, 2);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) {
        EXPECT_HEARD(l, s, rounds[i]);
        live_wait(l, 20000);
        CHECK_EQ(requests_heard(s), i + 1); /* strictly serial (spec 06 §4.3) */
        s->heard_next--;
        seat_answer_round(l, s, sb_vanilla_manifest());
    }
    EXPECT_HEARD(l, s, "28");
    sb_span settings = seat_find(l, s, 0x00);
    EXPECT_HEARD(l, s, "01");
    live_wait(l, 20000);
    EXPECT_QUIET(s);
    /* Spec 06 §5.6; the clock is the server's. */
    uint8_t expected[46];
    CHECK_EQ(test_hex("00 00 00 00 00 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 "
                      "6F 64 65 2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31",
                      expected, sizeof expected),
             sizeof expected);
    CHECK_EQ(settings.size, sizeof expected);
    memcpy(expected + 1, settings.data + 1, 4);
    CHECK_BYTES(settings.data, settings.size, expected, sizeof expected);
    seat_say_hex(s, "2A 20");
    EXPECT_HEARD(l, s, "35 08 01 FF FF");
    EXPECT_HEARD(l, s, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02");
    EXPECT_HEARD(l, s, "37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"); /* ours, §5.11 */
    live_settle(l, s);
    EXPECT_QUIET(s);
    UNTIL(l, process_logged(&l->server, "Cady2 is in the game"));
}

TEST(the_datagrams_of_a_join_hold_what_the_stock_server_sends)
{
    live *l = live_open(NULL);
    (void)live_join(l, "Cady2");
    const seat *s = l->seats[0];
    /* Spec 06 §4.1: id 2 for the first, and the first request with number 0. */
    CHECK(seat_tapped(s, "03 06 C0 00 00 02"));
    CHECK(seat_tapped(s, "32 1B 80 00 00 20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 "
                         "79 63 20"));
    /* §4.2: the name comes back on the low channel. */
    CHECK(seat_tapped(s, "00 16 C0 01 00 02 ?? ?? ?? ?? 43 00 61 00 64 00 79 00 32 00 00 00"));
    /* §4.4: the bundle in one datagram, numbers 5, 6, 7. */
    CHECK(seat_tapped(s, "32 06 80 05 00 28 32 33 80 06 00 00 ?? ?? ?? ?? 61 00 25 00 4D 75 6C 74 "
                         "69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64 65 2E 4D 69 73 73 69 6F 6E 31 "
                         "2E 4D 69 73 73 69 6F 6E 31 32 06 80 07 00 01"));
    /* §3: MissionInit and the announcement in one datagram, numbers 8 and 9. */
    CHECK(seat_tapped(s, "32 0A 80 08 00 35 08 01 FF FF 32 17 80 09 00 17 66 08 00 00 F1 00 80 00 "
                         "00 00 00 00 4F 06 00 00 02"));
}

TEST(the_second_player_hears_of_the_first_and_both_of_the_second)
{
    live *l = live_open(NULL);
    seat *first = live_join(l, "Alpha"), *second = live_connect(l, "Beta");
    CHECK_EQ(second->id, 3);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(l, second, sb_vanilla_manifest());
    (void)seat_find(l, second, 0x01);
    CHECK_EQ(second->slot, 1);
    live_settle(l, first);
    EXPECT_QUIET(first); /* nothing before it is in the game */
    seat_say_hex(second, "2A 20");
    EXPECT_HEARD(l, second, "35 08 01 FF FF");
    EXPECT_HEARD(l, second, "37 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(l, second, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_HEARD(l, second, "37 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    EXPECT_HEARD(l, first, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 03");
    EXPECT_HEARD(l, first, "37 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
    live_settle(l, second);
    EXPECT_QUIET(first);
    EXPECT_QUIET(second);
    CHECK(first->named_count > 0 && second->named_count > 0);
}

/* Half of the seats are only for clients that have shown that they hear the server (spec 01 §5.4).
 * That costs a round trip; nobody waits for a retransmission, which would come after a second. */
TEST(eight_players_behind_one_address_join_without_waiting)
{
    live *l = LIVE("--max-players", "8");
    l->one_address = true;
    for (unsigned i = 0; i < 8; i++) {
        seat *s = live_join(l, "Kirk");
        CHECK_EQ(sb_transport_client_counter(s->client, SB_TRANSPORT_COUNT_RETRANSMITTED), 0);
    }
}

TEST(limits_and_place_of_the_configuration_reach_the_player)
{
    live *l =
        LIVE("--max-players", "6", "--system", "Multi3", "--frag-limit", "15", "--mission", "team");
    seat *s = live_connect(l, "Cady2");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(l, s, sb_vanilla_manifest());
    (void)seat_find(l, s, 0x01);
    seat_say_hex(s, "2A 20");
    EXPECT_HEARD(l, s, "35 06 03 FF 0F");
}

/* ---- late ---- */

TEST(a_late_joiner_gets_scores_and_ships_then_events)
{
    static const uint8_t order[] = { 0x35, 0x37, 0x37, 0x03, 0x03, 0x17, 0x37 };
    live                *l = live_open(NULL);
    seat                *a = live_join(l, "Alpha"), *b = live_join(l, "Beta");
    uint32_t ships[] = { seat_spawn(a, 1, here), seat_spawn(b, 5, (sb_vec3){ 200, 0, 0 }) };
    live_settle(l, a);
    live_settle(l, b);
    seat *late = live_connect(l, "Late");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(l, late, sb_vanilla_manifest());
    (void)seat_find(l, late, 0x01);
    CHECK_EQ(late->by_opcode[0x03] + late->by_opcode[0x1C], 0); /* not before it asks */
    seat_say_hex(late, "2A 20");
    (void)seat_find(l, late, 0x35);
    late->heard_next--;
    live_settle(l, late);
    for (size_t i = 0, n = 0; i < sizeof order; i++) {
        sb_span m = seat_next(late);
        CHECK(m.size > 0);
        CHECK_EQ(m.data[0], order[i]);
        if (m.data[0] == SB_OP_PLAYER_OBJECT_CREATE) CHECK_BYTES(m.data + 7, 4, &ships[n++], 4);
    }
    EXPECT_QUIET(late);
    UNTIL(l, late->by_opcode[0x1C] >= 2); /* both ships move on its screen (spec 06 §8) */
    seat_forget(late);
    seat_say_hex(a, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
    EXPECT_HEARD(l, late, "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40");
}

/* ---- full ---- */

TEST(a_full_server_refuses_with_reason_3_until_somebody_leaves)
{
    live *l = LIVE("--max-players", "2");
    seat *a = live_join(l, "Alpha"), *b = live_join(l, "Beta");
    seat *third = live_connect(l, "Gamma");
    CHECK(third->left);
    CHECK_EQ(third->left_reason, SB_LEFT_BOOTED);
    CHECK_EQ(third->boot_reason, SB_BOOT_FULL);
    CHECK_EQ(third->heard_count, 0);
    live_settle(l, b);
    CHECK_EQ(b->gone_count, 0);
    seat_leave(a);
    UNTIL(l, b->gone_count == 1 && a->left);
    CHECK(live_join(l, "Delta")->in_game);
}

/* ---- files (spec 06 §7) ---- */

/* Vanilla with another content of one file. */
static const sb_manifest *change_file(const char *directory, const char *name, uint32_t content)
{
    static sb_manifest       changed;
    static sb_manifest_file *files;
    const sb_manifest       *vanilla = sb_vanilla_manifest();
    unsigned                 found = 0;
    free(files);
    files = malloc(vanilla->count * sizeof *files);
    CHECK(files != NULL);
    memcpy(files, vanilla->files, vanilla->count * sizeof *files);
    for (size_t i = 0; i < vanilla->count; i++)
        if (strcmp(files[i].directory, directory) == 0 && files[i].name &&
            strcmp(files[i].name, name) == 0) {
            files[i].content_hash = content;
            files[i].calculated = false;
            found++;
        }
    CHECK(found > 0);
    changed = (sb_manifest){ "changed", files, vanilla->count };
    return &changed;
}

/* "Hardpoints/akira.pyc": relative to the directory of the round (spec 06 §5.3). */
static const char changed_below[] =
    "22 14 00 48 61 72 64 70 6F 69 6E 74 73 2F 61 6B 69 72 61 2E 70 79 63";

static seat *try_files(live *l, const char *name, const sb_manifest *manifest, unsigned count)
{
    seat *s = live_connect(l, name);
    for (unsigned i = 0; i < count; i++) seat_answer_round(l, s, manifest);
    return s;
}

TEST(in_strict_mode_player_and_log_get_the_changed_file)
{
    live *l = LIVE("--checksums", "strict");
    seat *s = try_files(l, "Cady2", change_file("", "App.pyc", 0x44332211), 1);
    EXPECT_HEARD(l, s, "22 07 00 41 70 70 2E 70 79 63"); /* spec 06 §5.3 */
    UNTIL(l, s->left);
    CHECK_EQ(s->left_reason, SB_LEFT_BOOTED);
    UNTIL(l, process_logged(&l->server, "Cady2 cannot join: "));
    CHECK(process_logged(&l->server, "Cady2, round 0: file changed: scripts/App.pyc (44332211, "
                                     "expected F8A0A768) in vanilla 1.1"));
    CHECK_EQ(s->by_opcode[0x20], 1); /* no further round */

    s = try_files(l, "Deep", change_file("Hardpoints", "akira.pyc", 0x55667788), 3);
    EXPECT_HEARD(l, s, changed_below);
    UNTIL(l, s->left);
    UNTIL(l, process_logged(&l->server, "Deep cannot join: "));
    CHECK(process_logged(
        &l->server, "Deep, round 2: file changed: scripts/ships/Hardpoints/akira.pyc (55667788"));

    CHECK(live_join(l, "Vanilla")->in_game); /* and who has the right files is welcome */
}

TEST(what_learn_mode_writes_is_accepted_in_strict_mode)
{
    char  path[] = "/tmp/starbase-learned-XXXXXX", *argument = path;
    int   file = mkstemp(path);
    live *l = LIVE("--learn", argument);
    CHECK(file >= 0);
    CHECK_EQ(close(file), 0);
    CHECK(
        live_join_with(l, "Teacher", change_file("Hardpoints", "akira.pyc", 0x55667788))->in_game);
    UNTIL(l, process_logged(&l->server, "wrote the learned manifest"));
    CHECK_EQ(live_stop(l, NULL), 0);

    l = LIVE("--checksums", "strict", "--manifest", argument);
    (void)unlink(path);
    CHECK(live_join_with(l, "Pupil", change_file("Hardpoints", "akira.pyc", 0x55667788))->in_game);
    seat *other = try_files(l, "Vanilla", sb_vanilla_manifest(), 3);
    EXPECT_HEARD(l, other, changed_below);
}
