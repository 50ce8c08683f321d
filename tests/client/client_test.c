/* tests/client/client_test.c -- the ladder of spec 06 from the client's side: joining, refusals,
 * leaving, and servers that do it otherwise. */
#include "client_rig.h"

#include <starbase/hash.h>
#include <starbase/message_join.h>
#include <starbase/message_script.h>

#include "base/bytes.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const char settings[] =
    "00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64 65"
    "2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31";
static const char joined_2[] = "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02";

/* ---- the ladder (spec 06 §3) ---- */

TEST(the_ladder_of_spec_06_leads_to_the_lobby)
{
    client_rig *r = client_rig_open(NULL);
    EXPECT_PHASE(r, SB_CLIENT_CONNECTING);
    CHECK_EQ(sb_client_id(r->client), SB_PEER_NONE);
    CHECK_EQ(sb_client_slot(r->client), -1);
    client_rig_run(r);
    EXPECT_PHASE(r, SB_CLIENT_CHECKING);
    CHECK_EQ(sb_client_id(r->client), 2);
    SAY(r, "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20");
    EXPECT_SENT(r, "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 68 A7 A0 F8 00");
    SAY(r, "20 01 08 00 73 63 72 69 70 74 73 2F 0C 00 41 75 74 6F 65 78 65 63 2E 70 79 63 20");
    CHECK_EQ(client_rig_next_sent(r)->bytes[1], 1);
    SAY(r, "20 02 0D 00 73 63 72 69 70 74 73 2F 73 68 69 70 73 05 00 2A 2E 70 79 63 21");
    CHECK_EQ(client_rig_next_sent(r)->size, 832);
    SAY(r, "20 03 10 00 73 63 72 69 70 74 73 2F 6D 61 69 6E 6D 65 6E 75 05 00 2A 2E 70 79 63 20");
    CHECK_EQ(client_rig_next_sent(r)->bytes[1], 3);
    SAY(r, "20 FF 13 00 53 63 72 69 70 74 73 2F 4D 75 6C 74 69 70 6C 61 79 65 72 05 00"
           "2A 2E 70 79 63 21");
    CHECK_EQ(client_rig_next_sent(r)->size, 268);
    SAY(r, "28");
    SAY(r, settings);
    EXPECT_PHASE(r, SB_CLIENT_CHECKING);
    EXPECT_SILENCE(r);
    SAY(r, "01");
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    EXPECT_SENT(r, "2A 20");
    SAY(r, "35 08 01 FF FF");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    SAY(r, joined_2);
    EXPECT_SILENCE(r);
    EXPECT_EVENT(r, SB_CLIENT_PHASE);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PHASE)->event.value, SB_CLIENT_LOADING);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PHASE)->event.value, SB_CLIENT_LOBBY);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_PLAYER_JOINED)->event.peer_id, 2);
    EXPECT_NOTHING(r);
    CHECK_EQ(sb_client_received(r->client, 0x20), 5);
}

TEST(settings_give_clock_slot_and_flags)
{
    client_rig *r = client_rig_in_lobby(NULL);
    CHECK_EQ(sb_client_slot(r->client), 0);
    CHECK(sb_client_settings(r->client)->collision_damage);
    CHECK(!sb_client_settings(r->client)->throttle_bit);
    CHECK_BYTES(sb_client_settings(r->client)->map.data, sb_client_settings(r->client)->map.size,
                "Multiplayer.Episode.Mission1.Mission1", 37);
    CHECK(sb_client_game_time(r->client, r->now) == 33.25f);
    CHECK(sb_client_game_time(r->client, r->now + 1500000) == 34.75f);
    CHECK_EQ(sb_client_mission(r->client)->player_limit, 8);
    SAY(r, "16 20");
    CHECK(!sb_client_settings(r->client)->collision_damage);
}

/* Spec 06 §5.2: the hash of the directory plus 1, and no tree. */
TEST(a_request_no_manifest_knows_is_answered_as_without_files)
{
    client_rig *r = client_rig_connected(NULL);
    SAY(r, "20 07 03 00 66 6F 6F 05 00 2A 2E 70 79 63 21");
    const client_sent *sent = client_rig_next_sent(r);
    CHECK(sent != NULL);
    CHECK_EQ(sent->size, 6);
    CHECK_EQ(sent->bytes[1], 7);
    CHECK_EQ(sb_load_u32(sent->bytes + 2), sb_hash_string(sb_text_span("foo")) + 1);
}

TEST(a_repeated_request_is_answered_again)
{
    client_rig *r = client_rig_connected(NULL);
    for (int i = 0; i < 3; i++) {
        SAY(r, "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20");
        EXPECT_SENT(r, "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 68 A7 A0 F8 00");
    }
}

TEST(the_first_manifest_that_has_files_for_a_round_answers_it)
{
    static const sb_manifest_file   app = { 0, "", "App.pyc", 0, 0x373EB677, 0x11223344, false };
    static const sb_manifest_file   ship = { 2, "", "Akira.pyc", 0, 0x3EB23EBA, 0x55667788, false };
    static const sb_manifest        ships = { "ships", &ship, 1 }, apps = { "apps", &app, 1 };
    static const sb_manifest *const both[] = { &ships, &apps };
    sb_client_config                config;
    client_rig_config(&config);
    config.manifests = both;
    config.manifest_count = 2;
    client_rig *r = client_rig_connected(&config);
    SAY(r, "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20");
    EXPECT_SENT(r, "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 44 33 22 11 00");
    SAY(r, "20 02 0D 00 73 63 72 69 70 74 73 2F 73 68 69 70 73 05 00 2A 2E 70 79 63 21");
    EXPECT_SENT(r, "21 02 C4 D1 17 C0 01 00 BA 3E B2 3E 88 77 66 55 00");
}

TEST(loading_takes_as_long_as_it_is_told_to)
{
    sb_client_config config;
    client_rig_config(&config);
    config.load_us = 2 * SB_SECOND;
    client_rig *r = client_rig_connected(&config);
    SAY(r, settings);
    SAY(r, "01");
    client_rig_wait(r, 2 * SB_SECOND - 1);
    EXPECT_SILENCE(r);
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    client_rig_wait(r, 1);
    EXPECT_SENT(r, "2A 20");
}

/* ---- servers that do it otherwise (spec 06 §11) ---- */

TEST(scores_and_ships_may_come_early_and_a_relayed_2A_is_ignored)
{
    client_rig *r = client_rig_connected(NULL);
    SAY(r, "37 03 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00");
    client_rig_say_ship(r, 0x03, 3, 0x4003FFFF, 1, (sb_vec3){ 1, 2, 3 });
    SAY(r, "28");
    SAY(r, settings);
    SAY(r, "01");
    EXPECT_SENT(r, "2A 20");
    SAY(r, "2A 20");
    EXPECT_SILENCE(r);
    SAY(r, "35 08 01 FF FF");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_BAD_MESSAGE), 0);
    CHECK_EQ(sb_client_find_player(r->client, 3)->score, 1180);
    CHECK_EQ(sb_client_find_ship(r->client, 0x4003FFFF)->peer_id, 3);
}

TEST(an_early_35_leads_to_the_lobby_once_2A_is_sent)
{
    sb_client_config config;
    client_rig_config(&config);
    config.load_us = SB_SECOND;
    client_rig *r = client_rig_connected(&config);
    SAY(r, settings);
    SAY(r, "01");
    SAY(r, "35 08 01 FF FF");
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    client_rig_wait(r, SB_SECOND);
    EXPECT_SENT(r, "2A 20");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
}

TEST(game_init_before_settings_is_remembered)
{
    client_rig *r = client_rig_connected(NULL);
    SAY(r, "01");
    EXPECT_SILENCE(r);
    SAY(r, settings);
    EXPECT_SENT(r, "2A 20");
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
}

TEST(a_second_game_init_does_not_send_2A_again)
{
    client_rig *r = client_rig_in_lobby(NULL);
    SAY(r, "01");
    EXPECT_SILENCE(r);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
}

TEST(new_settings_restart_ids_at_the_first_of_the_new_slot)
{
    client_rig *r = client_rig_flying(NULL, 5);
    SAY(r, "00 00 00 00 00 60 01 00 00");
    CHECK(sb_client_own_ship(r->client) == NULL);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    SAY(r, "01");
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    EXPECT_SENT(r, "2A 20");
    SAY(r, "35 08 01 FF FF");
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, (sb_vec3){ 0 }, (sb_vec3){ 0, 1, 0 },
                             (sb_vec3){ 0, 0, 1 }),
             SB_OK);
    CHECK_EQ(sb_client_own_ship(r->client)->ship.object_id, 0x4003FFFF);
}

TEST(a_ship_spawned_before_a_second_game_init_is_removed)
{
    client_rig *r = client_rig_flying(NULL, 5);
    SAY(r, "00 00 00 00 00 60 01 00 00");
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, (sb_vec3){ 0 }, (sb_vec3){ 0, 1, 0 },
                             (sb_vec3){ 0, 0, 1 }),
             SB_OK);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
    client_rig_forget(r);
    SAY(r, "01");
    CHECK(sb_client_own_ship(r->client) == NULL);
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GONE)->event.object_id, 0x4003FFFF);
    client_rig_forget(r);
    client_rig_wait(r, SB_SECOND);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_STATE_UPDATE), 0);
    SAY(r, "35 08 01 FF FF");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
}

/* ---- refusals (spec 06 §5.3, §5.4) ---- */

TEST(a_client_whose_files_are_refused_tells_the_file_and_leaves)
{
    static const struct {
        const char *bytes;
        sb_opcode   opcode;
    } refusals[] = { { "22 07 00 41 70 70 2E 70 79 63", SB_OP_CHECKSUM_FAIL },
                     { "23 07 00 41 70 70 2E 70 79 63", SB_OP_VERSION_MISMATCH } };
    for (size_t i = 0; i < 2; i++) {
        client_rig *r = client_rig_connected(NULL);
        client_rig_forget(r);
        SAY(r, refusals[i].bytes);
        const client_reported *refused = EXPECT_EVENT(r, SB_CLIENT_REFUSED_FILES);
        CHECK_EQ(refused->event.value, refusals[i].opcode);
        CHECK_TEXT(refused->text, "App.pyc");
        EXPECT_EVENT(r, SB_CLIENT_PHASE);
        CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_LEFT)->event.reason, SB_LEFT_QUIT);
        EXPECT_PHASE(r, SB_CLIENT_OVER);
        client_rig_wait(r, 7 * SB_SECOND); /* the host waits for silence (spec 01 §8.4) */
        CHECK_EQ(r->peer, 0);
    }
}

/* The stock client always answers, whatever its user decides (spec 06 §5.4). */
TEST(each_pushed_file_is_answered_dropped_and_reported)
{
    client_rig *r = client_rig_connected(NULL);
    client_rig_forget(r);
    for (unsigned i = 0; i < 3; i++) {
        SAY(r, "25 05 00 41 2E 70 79 63 00 01 02");
        EXPECT_SENT(r, "27");
        CHECK_TEXT(EXPECT_EVENT(r, SB_CLIENT_FILE_OFFERED)->text, "A.pyc");
    }
    EXPECT_NOTHING(r);
    EXPECT_PHASE(r, SB_CLIENT_CHECKING); /* the join goes on */
    SAY(r, settings);
    SAY(r, "01");
    EXPECT_SENT(r, "2A 20");
}

TEST(a_malformed_pushed_file_is_not_answered)
{
    static const char *const files[] = { "25", "25 FF FF 41" };
    client_rig              *r = client_rig_in_lobby(NULL);
    r->may_refuse = true;
    for (size_t i = 0; i < 2; i++) {
        SAY(r, files[i]);
        CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_BAD_MESSAGE)->event.result, SB_TRUNCATED);
        EXPECT_SILENCE(r);
        EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    }
}

/* The stock client has no reader for 0x28 (spec 06 §5.5). */
TEST(a_join_needs_no_0x28)
{
    client_rig *r = client_rig_connected(NULL);
    SAY(r, settings);
    SAY(r, "01");
    EXPECT_SENT(r, "2A 20");
    SAY(r, "35 08 01 FF FF");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    CHECK_EQ(sb_client_received(r->client, SB_OP_CHECKSUM_COMPLETE), 0);
}

TEST(nothing_is_handled_after_the_decision_to_leave)
{
    client_rig   *r = client_rig_in_lobby(NULL);
    const uint8_t file[] = { 0x22, 1, 0, 'A' }, chat[] = { 0x2C, 3, 0, 0, 0, 1, 0, 'x' };
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, (sb_span){ file, 4 }), SB_OK);
    CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE, (sb_span){ chat, 8 }), SB_OK);
    client_rig_run(r);
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_CHAT), 0);
    CHECK_EQ(sb_client_received(r->client, 0x2C), 0);
}

/* ---- leaving ---- */

TEST(a_client_that_leaves_says_so_and_is_over)
{
    client_rig *r = client_rig_flying(NULL, 5);
    sb_client_leave(r->client, r->now);
    client_rig_wait(r, 7 * SB_SECOND); /* the host waits for silence (spec 01 §8.4) */
    CHECK_EQ(r->peer, 0);
    EXPECT_EVENT(r, SB_CLIENT_PHASE);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_LEFT)->event.reason, SB_LEFT_QUIT);
    CHECK(sb_client_is_over(r->client));
    CHECK_EQ(sb_client_next_deadline(r->client), SB_TIME_NEVER);
    CHECK_EQ(sb_client_chat(r->client, r->now, false, (sb_span){ NULL, 0 }), SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_place(r->client, r->now, (sb_vec3){ 0 }, (sb_vec3){ 0 }, (sb_vec3){ 0 }, 0),
             SB_NOT_ALLOWED);
    CHECK_EQ(sb_client_send(r->client, r->now, SB_RELIABLE, (sb_span){ (const uint8_t *)"x", 1 }),
             SB_NOT_ALLOWED);
}

TEST(a_boot_and_a_host_that_closes_end_the_session)
{
    client_rig *r = client_rig_in_lobby(NULL);
    sb_transport_host_boot(r->host, r->now, 2, SB_BOOT_KICKED);
    client_rig_wait(r, 7 * SB_SECOND); /* the client waits for silence (spec 01 §8.4) */
    EXPECT_EVENT(r, SB_CLIENT_PHASE);
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_LEFT);
    CHECK_EQ(told->event.reason, SB_LEFT_BOOTED);
    CHECK_EQ(told->event.boot_reason, SB_BOOT_KICKED);
    r = client_rig_in_lobby(NULL);
    sb_transport_host_stop(r->host, r->now);
    client_rig_wait(r, 7 * SB_SECOND);
    EXPECT_EVENT(r, SB_CLIENT_PHASE);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_LEFT)->event.reason, SB_LEFT_HOST_CLOSED);
}

TEST(a_server_that_never_answers_is_given_up)
{
    client_rig *r = client_rig_open(NULL);
    r->deaf = true;
    client_rig_wait(r, 15 * SB_SECOND);
    EXPECT_EVENT(r, SB_CLIENT_PHASE);
    const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_LEFT);
    CHECK_EQ(told->event.reason, SB_LEFT_NO_ANSWER);
    CHECK_EQ(told->event.peer_id, SB_PEER_NONE);
    CHECK(sb_client_is_over(r->client));
}

TEST(a_lobby_is_quiet_but_for_signs_of_life)
{
    client_rig *r = client_rig_in_lobby(NULL);
    client_rig_wait(r, 100 * SB_SECOND);
    CHECK_EQ(r->sent_count, 0);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
}

/* ---- bounds ---- */

TEST(a_thousand_clients_fit_into_a_third_of_a_gigabyte)
{
    sb_client_config config;
    client_rig_config(&config);
    CHECK(sb_client_bytes(&config) > 0);
    CHECK(sb_client_bytes(&config) < 340 * 1024);
}

TEST(impossible_configurations_have_no_size)
{
    sb_client_config config;
    client_rig_config(&config);
    config.lanes.interval_us = 0;
    CHECK_EQ(sb_client_bytes(&config), 0);
    client_rig_config(&config);
    config.load_us = -1;
    CHECK_EQ(sb_client_bytes(&config), 0);
    client_rig_config(&config);
    config.transport.cells = 1;
    CHECK_EQ(sb_client_bytes(&config), 0);
}

TEST(a_full_queue_is_said_and_ends_nothing)
{
    client_rig *r = client_rig_in_lobby(NULL);
    uint8_t     text[249] = { 0 };
    sb_result   result = SB_OK;
    unsigned    count = 0;
    r->deaf = true;
    for (; result == SB_OK && count < 100000; count++)
        result = sb_client_chat(r->client, r->now, false, (sb_span){ text, sizeof text });
    CHECK_EQ(result, SB_FULL);
    CHECK(count > 50);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, (sb_vec3){ 0 }, (sb_vec3){ 0, 1, 0 },
                             (sb_vec3){ 0, 0, 1 }),
             SB_FULL);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    r->deaf = false;
    client_rig_wait(r, 5 * SB_SECOND);
    CHECK_EQ(client_rig_count_sent(r, 0x2C), count - 1);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
}

/* ---- hostile servers ---- */

TEST(messages_that_make_no_sense_are_told_and_change_nothing)
{
    static const struct {
        const char *hex;
        sb_result   result;
    } bad[] = {
        { "00 00 00 C0 7F 61 00 00 00", SB_BAD_VALUE },          /* clock NaN */
        { "00 00 00 05 42 61 10 00 00", SB_BAD_VALUE },          /* slot 16 */
        { "00 00 00 05 42 61 00 FF FF 41", SB_TRUNCATED },       /* map cut short */
        { "03 00 03 08 80", SB_TRUNCATED },                      /* creation cut short */
        { "03 00 03 0A 80 00 00 01 00 00 40 05", SB_BAD_VALUE }, /* class nobody knows */
        { "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF FF 3F 00 00 00 00 00 00 C0 7F",
          SB_BAD_VALUE },                                                          /* NaN */
        { "12 05 01 00 00 E0 00 80 00 00 00 00 00 FF FF 03 40 03", SB_BAD_VALUE }, /* level 3 */
        { "14 FF", SB_TRUNCATED },
        { "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 00", SB_BAD_VALUE }, /* player 0 */
        { "17 01 01 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00",
          SB_BAD_VALUE }, /* not a player event */
        { "1C FF FF FF 3F", SB_TRUNCATED },
        { "1C FF FF 03 40 00 00 C0 7F 00", SB_BAD_VALUE }, /* clock NaN */
        { "1F FF FF 03 40 FF FF FF 7F 41", SB_TRUNCATED }, /* absurd length */
        { "20 00 FF FF", SB_TRUNCATED },
        { "2C FF FF FF FF 01 00 41", SB_BAD_VALUE }, /* sender -1 */
        { "2C 02 00 00 00 FF FF 41", SB_TRUNCATED },
        { "35 08", SB_TRUNCATED },
        { "36 00 00 00 00 00 00 00 00 01 00 00 00 00", SB_BAD_VALUE }, /* victim 0 */
        { "36 00 00 00 00 02 00 00 00 01 00 00 00 01 FF 00 00 00 01 00 00 00",
          SB_BAD_VALUE },                                                /* of player 255 */
        { "36 00 00 00 00 02 00 00 00 01 00 00 00 00 00", SB_TRAILING }, /* one byte too many */
        { "37 00 01 00 00 04 00 00 00 02 00 00 00 9C 04 00 00", SB_BAD_VALUE }, /* player 256 */
        { "40 02 00 00 00 00 00 00 00 00", SB_BAD_VALUE },                      /* team 2 */
        { "41 00 00 00 00 01", SB_BAD_VALUE },
        { "03 00 03 08 80 00 00 00 00 00 00 05", SB_TRUNCATED },
        { "37 00 00 00 00 04 00 00 00 02 00 00 00 9C 04 00 00", SB_BAD_VALUE }, /* player 0 */
        { "36 FF 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 01 00 00 00 00", SB_BAD_VALUE },
        { "41 FF 00 00 00 01", SB_BAD_VALUE }, /* player 255 */
        { "1C FF FF FF 3F 00 00 00 00", SB_TRUNCATED },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        client_rig *r = client_rig_flying(NULL, 5);
        client_rig_say_ship(r, 0x03, 3, 0x4003FFFF, 1, (sb_vec3){ 1, 2, 3 });
        client_rig_forget(r);
        r->may_refuse = true;
        SAY(r, bad[i].hex);
        const client_reported *told = client_rig_next_event(r);
        if (!told || told->event.type != SB_CLIENT_BAD_MESSAGE) FAIL("not refused: %s", bad[i].hex);
        CHECK_EQ(told->event.result, bad[i].result);
        EXPECT_NOTHING(r);
        EXPECT_SILENCE(r);
        EXPECT_PHASE(r, SB_CLIENT_FLYING);
        CHECK(sb_client_game_time(r->client, r->now) == 33.25f);
        CHECK_EQ(sb_client_slot(r->client), 0);
    }
}

TEST(unknown_and_dead_opcodes_are_counted_and_ignored)
{
    client_rig *r = client_rig_flying(NULL, 5);
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        bool dead = sb_find_message_type((uint8_t)opcode)->relay == SB_RELAY_IGNORE;
        if (!dead && opcode < 0x42) continue;
        uint8_t message[3] = { (uint8_t)opcode, 1, 2 };
        client_rig_say(r, SB_RELIABLE, (sb_span){ message, 3 });
        CHECK_EQ(sb_client_received(r->client, (uint8_t)opcode), 1);
    }
    EXPECT_NOTHING(r);
    EXPECT_SILENCE(r);
}

TEST(an_unreliable_form_of_a_reliable_message_is_refused)
{
    client_rig   *r = client_rig_flying(NULL, 5);
    const uint8_t chat[] = { 0x2C, 3, 0, 0, 0, 1, 0, 'x' }, restart[] = { 0x39 };
    r->may_refuse = true;
    client_rig_say(r, SB_UNRELIABLE, (sb_span){ chat, sizeof chat });
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_BAD_MESSAGE)->event.result, SB_NOT_ALLOWED);
    client_rig_say(r, SB_UNRELIABLE, (sb_span){ restart, 1 });
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_BAD_MESSAGE)->event.result, SB_NOT_ALLOWED);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
    CHECK_EQ(sb_client_received(r->client, SB_OP_CHAT), 0);
}

TEST(messages_of_mods_come_in_either_delivery)
{
    client_rig   *r = client_rig_flying(NULL, 5);
    const uint8_t mod[] = { 0xCD, 1 };
    client_rig_say(r, SB_UNRELIABLE, (sb_span){ mod, 2 });
    client_rig_say(r, SB_RELIABLE, (sb_span){ mod, 2 });
    CHECK_EQ(sb_client_received(r->client, 0xCD), 2);
}

TEST(a_host_that_names_everybody_leaves_us_in_the_table)
{
    client_rig *r = client_rig_in_lobby(NULL);
    r->may_refuse = true;
    for (int id = 1; id < 255; id++) {
        uint8_t score[17] = { 0x37, (uint8_t)id };
        client_rig_say(r, SB_RELIABLE, (sb_span){ score, sizeof score });
    }
    CHECK(sb_client_find_player(r->client, 2) != NULL);
    CHECK_TEXT(sb_client_find_player(r->client, 2)->name, "Cady2");
    CHECK_EQ(client_rig_count_events(r, SB_CLIENT_BAD_MESSAGE), 254 - SB_CLIENT_PLAYERS);
}

TEST(a_client_reports_each_message_that_it_queues)
{
    const uint8_t chat[] = { 0x2C, 2, 0, 0, 0, 1, 0, 'x' };
    client_rig   *r = client_rig_in_lobby(NULL);
    CHECK_EQ(sb_client_send(r->client, r->now, SB_RELIABLE, (sb_span){ chat, sizeof chat }), SB_OK);
    CHECK_EQ(r->queued_count, 1);
    CHECK_BYTES(r->queued.bytes, r->queued.size, chat, sizeof chat);
    CHECK_EQ(sb_client_send(r->client, r->now, SB_RELIABLE, (sb_span){ chat, 0 }), SB_NOT_ALLOWED);
    CHECK_EQ(r->queued_count, 1);
    client_rig_run(r);
    EXPECT_SENT(r, "2C 02 00 00 00 01 00 78");
}
