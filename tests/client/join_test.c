/* tests/client/join_test.c -- each step of a join on its own: requests, settings, loading, mission,
 * end and restart. The whole ladder: client_test.c. */
#include "client_rig.h"

#include <starbase/message.h>

#include "client/client_internal.h"

#include <string.h>

static const sb_span no_bytes = { NULL, 0 };

static client_rig *r;

/* ---- checksums ---- */

/* Files that only one round has: the answer tells which round was found. */
static const sb_manifest_file files[] = { { .position = 4, .directory = "", .name = "A.pyc" },
                                          { .position = 2, .directory = "", .name = "B.pyc" } };
static const sb_manifest      fifth = { "fifth", &files[0], 1 }, third = { "third", &files[1], 1 };
static const sb_manifest *const manifests[] = { &fifth, &third };

static sb_span text_of(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

/* The number of files in the answer to a request. */
static unsigned files_for(uint8_t index, const char *directory, const char *filter, bool recursive)
{
    sb_message m = { .opcode = SB_OP_CHECKSUM_REQUEST };
    m.as.checksum_request =
        (sb_checksum_request){ index, text_of(directory), text_of(filter), recursive };
    CHECK_EQ(sb_client_handle_checksum_request(r->client, &m, no_bytes), SB_OK);
    client_rig_run(r);
    const client_sent *sent = client_rig_next_sent(r);
    CHECK(sent != NULL);
    CHECK_EQ(sent->delivery, SB_RELIABLE);
    CHECK_EQ(sent->bytes[0], SB_OP_CHECKSUM_RESPONSE);
    return sent->bytes[6] + 256u * sent->bytes[7]; /* opcode, index, hash of the directory */
}

TEST(a_round_is_found_by_directory_filter_and_depth)
{
    static const struct {
        const char *directory, *filter;
        bool        recursive;
        unsigned    files;
    } cases[] = {
        { "scripts/ships", "*.pyc", true, 1 },       { "scripts/ships", "*.pyc", false, 0 },
        { "scripts/ships", "*.py", true, 0 },        { "scripts/other", "*.pyc", true, 0 },
        { "Scripts/Multiplayer", "*.pyc", true, 1 }, { "Scripts/Multiplayer", "*.pyc", false, 0 },
        { "scripts/mainmenu", "*.pyc", false, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_client_config config;
        client_rig_config(&config);
        config.manifests = manifests;
        config.manifest_count = 2;
        r = client_rig_connected(&config);
        unsigned count = files_for(2, cases[i].directory, cases[i].filter, cases[i].recursive);
        if (count != cases[i].files) FAIL("case %zu: %u", i, count);
    }
}

TEST(the_first_of_two_manifests_with_files_answers)
{
    static const sb_manifest_file   two[] = { { .position = 2, .directory = "", .name = "C.pyc" },
                                              { .position = 2, .directory = "", .name = "D.pyc" } };
    static const sb_manifest        more = { "more", two, 2 };
    static const sb_manifest *const orders[2][2] = { { &third, &more }, { &more, &third } };
    for (unsigned i = 0; i < 2; i++) {
        sb_client_config config;
        client_rig_config(&config);
        config.manifests = orders[i];
        config.manifest_count = 2;
        r = client_rig_connected(&config);
        CHECK_EQ(files_for(2, "scripts/ships", "*.pyc", true), 1 + i);
    }
}

/* ---- refusals and files ---- */

TEST(refused_files_and_offered_ones_are_reported_by_name)
{
    static const uint8_t opcodes[] = { SB_OP_VERSION_MISMATCH, SB_OP_CHECKSUM_FAIL };
    for (int i = 0; i < 2; i++) {
        sb_message m = { .opcode = opcodes[i] };
        m.as.file_name.name = text_of("App.pyc");
        r = client_rig_connected(NULL);
        client_rig_forget(r);
        CHECK_EQ(sb_client_handle_refused_files(r->client, &m, no_bytes), SB_OK);
        const client_reported *told = EXPECT_EVENT(r, SB_CLIENT_REFUSED_FILES);
        CHECK_EQ(told->event.value, opcodes[i]);
        CHECK_TEXT(told->text, "App.pyc");
        CHECK(r->client->leaving);
    }
    r = client_rig_connected(NULL);
    client_rig_forget(r);
    sb_message m = { .opcode = SB_OP_FILE_TRANSFER };
    m.as.file_transfer.name = text_of("a.pyc");
    CHECK_EQ(sb_client_handle_file_transfer(r->client, &m, no_bytes), SB_OK);
    CHECK_TEXT(EXPECT_EVENT(r, SB_CLIENT_FILE_OFFERED)->text, "a.pyc");
    client_rig_run(r);
    EXPECT_SENT(r, "27");
}

/* ---- settings ---- */

static sb_result say_settings(uint8_t slot, size_t map_size, float time)
{
    static uint8_t map[300];
    sb_message     m = { .opcode = SB_OP_SETTINGS };
    memset(map, 'm', sizeof map);
    m.as.settings = (sb_settings){ .game_time = time, .slot = slot };
    m.as.settings.map = (sb_span){ map, map_size };
    m.as.settings.correction = (sb_span){ map, 3 };
    sb_result result = sb_client_handle_settings(r->client, &m, no_bytes);
    memset(map, 0, sizeof map); /* the client has a copy */
    return result;
}

TEST(settings_have_a_slot_below_16_and_a_map_of_at_most_255_bytes)
{
    static const struct {
        uint8_t   slot;
        size_t    map_size;
        sb_result result;
    } cases[] = { { 0, 37, SB_OK },          { 15, 37, SB_OK }, { 16, 37, SB_BAD_VALUE },
                  { 255, 37, SB_BAD_VALUE }, { 0, 255, SB_OK }, { 0, 256, SB_BAD_VALUE },
                  { 0, 0, SB_OK },           { 3, 1, SB_OK } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r = client_rig_connected(NULL);
        CHECK_EQ(say_settings(cases[i].slot, cases[i].map_size, 5), cases[i].result);
        bool ok = cases[i].result == SB_OK;
        CHECK_EQ(r->client->has_settings, ok);
        CHECK_EQ(sb_client_slot(r->client), ok ? cases[i].slot : -1);
        CHECK(sb_client_game_time(r->client, r->now) == (ok ? 5 : 0));
        if (!ok) continue;
        const sb_settings *s = sb_client_settings(r->client);
        CHECK_EQ(s->map.size, cases[i].map_size);
        for (size_t k = 0; k < s->map.size; k++) CHECK_EQ(s->map.data[k], 'm');
        CHECK_EQ(s->correction.size, 0);
        CHECK(s->correction.data == NULL);
        CHECK_EQ(r->client->next_id, sb_slot_first_id(cases[i].slot));
    }
}

TEST(the_game_clock_runs_from_the_settings_on)
{
    r = client_rig_connected(NULL);
    CHECK(sb_client_game_time(r->client, r->now) == 0);
    CHECK_EQ(say_settings(0, 1, 100), SB_OK);
    CHECK(sb_client_game_time(r->client, r->now - 1) == 100);
    CHECK(sb_client_game_time(r->client, r->now) == 100);
    CHECK(sb_client_game_time(r->client, r->now + 2500000) == 102.5f);
}

/* ---- loading and mission ---- */

static void say_game_init(void)
{
    sb_message m = { .opcode = SB_OP_GAME_INIT };
    CHECK_EQ(sb_client_handle_game_init(r->client, &m, no_bytes), SB_OK);
}

static void say_mission(void)
{
    sb_message m = { .opcode = SB_OP_MISSION_INIT };
    m.as.mission_init.system = 4;
    CHECK_EQ(sb_client_handle_mission(r->client, &m, no_bytes), SB_OK);
    CHECK_EQ(sb_client_mission(r->client)->system, 4);
}

/* S: Settings, G: GameInit, M: MissionInit, W: the loading time passes. A GameInit in the lobby
 * loads the mission anew. */
TEST(a_client_is_in_the_lobby_when_all_three_have_come)
{
    static const struct {
        const char     *steps;
        sb_time         load_us;
        sb_client_phase phase;
        unsigned        ready; /* NewPlayerInGame messages */
    } cases[] = {
        { "", 0, SB_CLIENT_CHECKING, 0 },       { "S", 0, SB_CLIENT_CHECKING, 0 },
        { "G", 0, SB_CLIENT_CHECKING, 0 },      { "M", 0, SB_CLIENT_CHECKING, 0 },
        { "SG", 0, SB_CLIENT_LOADING, 1 },      { "GS", 0, SB_CLIENT_LOADING, 1 },
        { "SM", 0, SB_CLIENT_LOBBY, 0 },        { "MS", 0, SB_CLIENT_LOBBY, 0 },
        { "SGM", 0, SB_CLIENT_LOBBY, 1 },       { "MSG", 0, SB_CLIENT_LOADING, 1 },
        { "GMS", 0, SB_CLIENT_LOBBY, 1 },       { "GM", 0, SB_CLIENT_CHECKING, 0 },
        { "SG", 5000, SB_CLIENT_LOADING, 0 },   { "SGM", 5000, SB_CLIENT_LOADING, 0 },
        { "SGW", 5000, SB_CLIENT_LOADING, 1 },  { "SGMW", 5000, SB_CLIENT_LOBBY, 1 },
        { "SGWM", 5000, SB_CLIENT_LOBBY, 1 },   { "SGGM", 0, SB_CLIENT_LOBBY, 1 },
        { "GMS", 5000, SB_CLIENT_CHECKING, 0 }, { "GMSW", 5000, SB_CLIENT_LOBBY, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_client_config config;
        client_rig_config(&config);
        config.load_us = cases[i].load_us;
        r = client_rig_connected(&config);
        for (const char *s = cases[i].steps; *s; s++) {
            if (*s == 'S') CHECK_EQ(say_settings(0, 1, 0), SB_OK);
            if (*s == 'G') say_game_init();
            if (*s == 'M') say_mission();
            if (*s == 'W') client_rig_wait(r, cases[i].load_us);
        }
        client_rig_run(r);
        if (sb_client_phase_of(r->client) != cases[i].phase)
            FAIL("%s: %s", cases[i].steps, sb_client_phase_text(sb_client_phase_of(r->client)));
        CHECK_EQ(client_rig_count_sent(r, SB_OP_NEW_PLAYER_IN_GAME), cases[i].ready);
    }
}

TEST(a_client_that_cannot_say_it_is_ready_tries_again_after_0_1_s)
{
    static const uint8_t bytes[1000] = { 0xCD };
    r = client_rig_connected(NULL);
    CHECK_EQ(say_settings(0, 1, 0), SB_OK);
    r->deaf = true;
    for (size_t size = sizeof bytes; size > 0; size /= 2)
        while (sb_client_send(r->client, r->now, SB_RELIABLE, (sb_span){ bytes, size }) == SB_OK)
            continue;
    say_game_init();
    CHECK(r->client->ready_at == r->now + SB_SECOND / 10);
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    r->deaf = false;
    client_rig_wait(r, 5 * SB_SECOND);
    CHECK(r->client->ready_at == SB_TIME_NEVER);
    CHECK_EQ(client_rig_count_sent(r, SB_OP_NEW_PLAYER_IN_GAME), 1);
}

TEST(new_settings_take_our_ship_and_wait_for_a_new_game_init)
{
    r = client_rig_flying(NULL, 5);
    CHECK_EQ(say_settings(2, 1, 0), SB_OK);
    CHECK(sb_client_own_ship(r->client) == NULL);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GONE)->event.peer_id, 2);
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    CHECK_EQ(sb_client_spawn(r->client, r->now, 5, (sb_vec3){ 0 }, (sb_vec3){ 0, 1, 0 },
                             (sb_vec3){ 0, 0, 1 }),
             SB_OK);
    CHECK_EQ(sb_client_own_ship(r->client)->ship.object_id, sb_slot_first_id(2));
    say_game_init(); /* loads the mission anew */
    CHECK(sb_client_own_ship(r->client) == NULL);
    CHECK(!r->client->has_mission);
    EXPECT_PHASE(r, SB_CLIENT_LOADING);
    say_mission();
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
}

/* ---- end and restart ---- */

TEST(a_match_ends_with_its_reason_and_restarts)
{
    sb_message m = { .opcode = SB_OP_END_GAME };
    r = client_rig_flying(NULL, 5);
    m.as.end_game.reason = 3;
    CHECK_EQ(sb_client_handle_end_game(r->client, &m, no_bytes), SB_OK);
    CHECK(sb_client_is_game_over(r->client));
    EXPECT_EVENT(r, SB_CLIENT_GONE);
    EXPECT_EVENT(r, SB_CLIENT_PHASE);
    CHECK_EQ(EXPECT_EVENT(r, SB_CLIENT_GAME_OVER)->event.value, 3);
    m = (sb_message){ .opcode = SB_OP_RESTART_GAME };
    CHECK_EQ(sb_client_handle_restart(r->client, &m, no_bytes), SB_OK);
    CHECK(!sb_client_is_game_over(r->client));
    EXPECT_EVENT(r, SB_CLIENT_RESTARTED);
    m = (sb_message){ .opcode = SB_OP_COLLISION_SETTING };
    for (int on = 0; on < 2; on++) {
        m.as.collision_setting.collision_damage = on;
        CHECK_EQ(sb_client_handle_collision_setting(r->client, &m, no_bytes), SB_OK);
        CHECK_EQ(sb_client_settings(r->client)->collision_damage, on);
    }
}
