/* tests/server/reconfigure_test.c -- a running room copies the fields that its caller lists, each
 * when the list says.
 */
#include "rig.h"

#include "padding.h"
#include "server/server_internal.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static sb_span text(const char *text)
{
    return (sb_span){ (const uint8_t *)text, strlen(text) };
}

static sb_server_config changed(void)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.match.mode = sb_find_mode("team");
    c.match.time_limit_min = 20;
    c.system = 5;
    c.collision_damage = false;
    c.name = text("Other");
    return c;
}

static void check_mission(room *r, const char *script, const char *system, int time_limit)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    CHECK_BYTES(status.mission_script.data, status.mission_script.size, script, strlen(script));
    CHECK_BYTES(status.system.data, status.system.size, system, strlen(system));
    CHECK_EQ(status.time_limit, time_limit);
}

static void check_name(room *r, const char *name)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    CHECK_BYTES(status.host_name.data, status.host_name.size, name, strlen(name));
}

static sb_span join_and_find_mission(room *r, const char *name)
{
    seat *s = room_load(r, name);
    seat_say_hex(r, s, "2A 20");
    return seat_find(s, SB_OP_MISSION_INIT);
}

TEST(a_new_mission_waits_for_an_empty_room_other_changes_do_not)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    seat_spawn(r, a, 5, (sb_vec3){ 0, 0, 0 });
    seat_forget(a);
    room_reconfigure(r, &c);
    room_step(r);
    EXPECT_HEARD(r, a, "16 20");
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi1", -1);
    check_name(r, "Other");
    seat_say_hex(r, a,
                 "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 F9 7E 02 D8 65 C2 92 44");
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_DEATHS), 0); /* collisions do no damage any more */
    sb_span init = join_and_find_mission(r, "Beta");
    CHECK_BYTES(init.data, init.size, "\x35\x08\x01\xFF\xFF", 5); /* what Alpha received */
    seat_leave(r, a);
    seat_leave(r, &r->seats[1]);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    init = join_and_find_mission(r, "Delta");
    CHECK_EQ(init.data[2], 5);
    CHECK_EQ(init.data[3], 20);
}

TEST(in_an_empty_room_everything_changes_at_once)
{
    room            *r = room_open(NULL);
    sb_server_config c = changed();
    room_reconfigure(r, &c);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    (void)room_join(r, "Alpha"); /* starts the time */
    CHECK_EQ(sb_match_seconds_left(sb_server_match(r->server), r->now), 20 * 60);
}

/* Every byte of the configuration but the listed ones stays as it was. */
TEST(exactly_the_listed_fields_are_copied)
{
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(restart_us),
                                            SB_CONFIG_FIELD(leave_event) };
    static const sb_config_fields fields = { now, COUNT_OF(now), NULL, 0 };
    room                         *r = room_open(NULL);
    sb_server_config              before = r->server->config, c = changed();
    c.restart_us = 77 * SB_SECOND;
    c.leave_event = !before.leave_event;
    c.mod_per_s = 99;
    sb_server_reconfigure(r->server, &c, &fields);
    before.restart_us = c.restart_us;
    before.leave_event = c.leave_event;
    accept_padding(&before, sizeof before);
    accept_padding(&r->server->config, sizeof before);
    CHECK_BYTES(&r->server->config, sizeof before, &before, sizeof before);
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi1", -1);
}

/* The second call lists other fields: the room keeps what the first one deferred. */
TEST(deferred_fields_outlive_later_changes)
{
    static const sb_config_field  match[] = { SB_CONFIG_FIELD(match) };
    static const sb_config_field  system[] = { SB_CONFIG_FIELD(system) };
    static const sb_config_field  name[] = { SB_CONFIG_FIELD(name) };
    static const sb_config_fields first = { NULL, 0, match, 1 }, second = { name, 1, system, 1 };
    room                         *r = room_open(NULL);
    seat                         *a = room_join(r, "Alpha");
    sb_server_config              c = changed();
    sb_server_reconfigure(r->server, &c, &first);
    sb_server_defaults(&c);
    c.name = text("Later");
    c.system = 5;
    sb_server_reconfigure(r->server, &c, &second);
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi1", -1);
    check_name(r, "Later");
    seat_leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    check_name(r, "Later");
}

TEST(texts_of_a_configuration_are_copied)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    char             name[] = "Alpha \\ Quadrant", system[] = "Deep Space";
    sb_server_config c = changed();
    c.name = text(name);
    c.system_name = text(system);
    room_reconfigure(r, &c);
    memset(name, 'x', sizeof name);
    memset(system, 'x', sizeof system);
    check_name(r, "Alpha / Quadrant"); /* without what would break a status answer */
    seat_leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Deep Space", 20);
    check_name(r, "Alpha / Quadrant");
}

TEST(a_setting_of_damage_can_wait_for_an_empty_room)
{
    static const sb_config_field  damage[] = { SB_CONFIG_FIELD(collision_damage) };
    static const sb_config_fields fields = { NULL, 0, damage, 1 };
    room                         *r = room_open(NULL);
    seat                         *a = room_join(r, "Alpha");
    sb_server_config              c = changed();
    sb_server_reconfigure(r->server, &c, &fields);
    room_step(r);
    EXPECT_QUIET(a);
    CHECK(r->server->config.collision_damage);
    seat_leave(r, a);
    CHECK(!r->server->config.collision_damage);
}

/* The match was over when the last player left: the new one must not be restarted under the next
 * player. */
TEST(a_new_mission_cancels_the_restart_of_the_old_match)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_reconfigure(r, &c);
    seat_leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    seat *b = room_join(r, "Beta");
    room_wait(r, c.restart_us);
    CHECK_EQ(b->by_opcode[SB_OP_RESTART_GAME], 0);
}

/* The transport has removed the last player already; the room has not taken notice yet. */
TEST(a_new_mission_starts_a_match_when_the_last_peer_is_gone)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    CHECK(r->server->restart_at != SB_TIME_NEVER);
    sb_transport_host_boot(r->server->transport, r->now, a->id, SB_BOOT_KICKED);
    room_reconfigure(r, &c);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    CHECK(!sb_server_match(r->server)->over);
    CHECK_EQ(r->server->restart_at, SB_TIME_NEVER);
    room_wait(r, SB_SECOND);
    (void)room_join(r, "Beta");
}

/* ---- limits for newcomers ---- */

static void set_password(room *r, const char *utf16, size_t size)
{
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(password) };
    static const sb_config_fields fields = { now, 1, NULL, 0 };
    char                          bytes[2 * SB_PASSWORD_UNITS];
    sb_server_config              c = changed();
    memcpy(bytes, utf16, size);
    c.password = (sb_span){ (const uint8_t *)bytes, size };
    sb_server_reconfigure(r->server, &c, &fields);
    memset(bytes, 'x', sizeof bytes); /* borrowed only during the call */
    room_step(r);
}

/* A full room may first have to ask who hears it (spec 01 §5.4). */
static bool can_connect(room *r, const char *name)
{
    const seat *s = room_connect(r, name);
    return !seat_is_removed(r, s) && s->id != SB_PEER_NONE;
}

TEST(a_new_password_holds_for_newcomers_only)
{
    sb_server_status status;
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    set_password(r, "p\0q\0", 4);
    sb_server_status_of(r->server, &status);
    CHECK(status.password);
    CHECK(!can_connect(r, "Beta"));
    CHECK_EQ(r->seats[1].boot_reason, SB_BOOT_PASSWORD);
    r->password = "pq";
    CHECK(can_connect(r, "Beta"));
    room_wait(r, 20 * SB_SECOND);
    CHECK(!a->left);
    set_password(r, "", 0);
    r->password = NULL;
    CHECK(can_connect(r, "Gamma"));
    sb_server_status_of(r->server, &status);
    CHECK(!status.password);
}

/* Another change must not disturb the password, nor a change that waits for an empty room. */
TEST(a_password_outlives_other_changes)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    room_reconfigure(r, &c); /* defers the mission */
    set_password(r, "p\0q\0", 4);
    room_reconfigure(r, &c);
    CHECK(!can_connect(r, "Beta"));
    seat_leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    CHECK(!can_connect(r, "Gamma"));
    r->password = "pq";
    CHECK(can_connect(r, "Delta"));
}

/* Changes one limit of newcomers in a room whose caller changes nothing else. */
static void set_limits(room *r, sb_server_config c)
{
    static const sb_config_field now[] = {
        SB_CONFIG_FIELD(max_players),
        SB_CONFIG_FIELD(transport.peers_per_ip),
        SB_CONFIG_FIELD(transport.timeout_us),
        SB_CONFIG_FIELD(transport.datagrams_per_s),
        SB_CONFIG_FIELD(transport.messages_per_s),
        SB_CONFIG_FIELD(transport.bytes_per_s),
    };
    static const sb_config_fields fields = { now, COUNT_OF(now), NULL, 0 };
    sb_server_reconfigure(r->server, &c, &fields);
    room_step(r);
}

TEST(a_new_limit_per_address_removes_nobody)
{
    room *r = room_open(NULL);
    r->one_address = true;
    seat            *a = room_join(r, "Alpha"), *b = room_join(r, "Beta");
    sb_server_config c = r->server->config;
    c.transport.peers_per_ip = 1;
    set_limits(r, c);
    CHECK(!can_connect(r, "Gamma"));
    room_wait(r, 20 * SB_SECOND);
    CHECK(!a->left && !b->left);
    seat_leave(r, a);
    seat_leave(r, b);
    CHECK(can_connect(r, "Delta"));
    c.transport.peers_per_ip = 2;
    set_limits(r, c);
    CHECK(can_connect(r, "Epsilon"));
}

TEST(present_players_keep_their_timeout)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = r->server->config;
    c.transport.timeout_us = 13 * SB_SECOND;
    set_limits(r, c);
    seat *b = room_join(r, "Beta");
    a->muted = b->muted = true;
    room_wait(r, 20 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 1);
    CHECK_EQ(room_expect(r, SB_SERVER_LEFT)->event.peer_id, b->id);
    room_wait(r, 30 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 0);
}

TEST(new_rates_of_answers_hold_at_once)
{
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(responder.source_burst) };
    static const sb_config_fields fields = { now, 1, NULL, 0 };
    room                         *r = room_open(NULL);
    sb_server_config              c = r->server->config;
    c.responder.source_burst = 2;
    sb_server_reconfigure(r->server, &c, &fields);
    for (int i = 0; i < 5; i++) (void)!room_give(r, room_stranger(1), text("\\info\\"));
    CHECK_EQ(sb_server_query_count(r->server, SB_QUERY_ANSWERS), 2);
}

/* ---- the number of players ---- */

static room *room_of(uint32_t max_players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = max_players;
    return room_open(&c);
}

static void set_players(room *r, uint32_t max_players)
{
    sb_server_config c = r->server->config;
    c.max_players = max_players;
    set_limits(r, c);
}

static uint32_t player_limit(const room *r)
{
    sb_server_status status;
    sb_server_status_of(r->server, &status);
    return status.player_limit;
}

TEST(fewer_places_remove_nobody_and_admit_nobody)
{
    room *r = room_of(4);
    seat *a = room_join(r, "Alpha"), *b = room_join(r, "Beta"), *c = room_join(r, "Gamma");
    set_players(r, 2);
    CHECK_EQ(player_limit(r), 2);
    CHECK(!can_connect(r, "Delta"));
    CHECK_EQ(r->seats[3].boot_reason, SB_BOOT_FULL);
    room_wait(r, 20 * SB_SECOND);
    CHECK(!a->left && !b->left && !c->left);
    seat_leave(r, a);
    CHECK(!can_connect(r, "Epsilon"));
    seat_leave(r, b);
    CHECK(!room_join(r, "Zeta")->left); /* beside Gamma, whose slot is above the limit */
    CHECK(!can_connect(r, "Eta"));
    set_players(r, 4);
    CHECK(!room_join(r, "Theta")->left);
    CHECK(!room_join(r, "Iota")->left);
    CHECK(!can_connect(r, "Kappa"));
    CHECK_EQ(sb_server_wanted_bytes(r->server), 0);
}

TEST(more_places_than_at_the_start_wait_for_an_empty_room)
{
    room *r = room_of(2);
    seat *a = room_join(r, "Alpha");
    set_players(r, 4);
    CHECK_EQ(player_limit(r), 2);
    CHECK(sb_server_wanted_bytes(r->server) > 0);
    CHECK(!room_move(r));
    seat *b = room_join(r, "Beta");
    CHECK(!can_connect(r, "Gamma"));
    seat_leave(r, a);
    seat_leave(r, b);
    room_wait(r, 10 * SB_SECOND); /* departures are complete */
    CHECK(room_move(r));
    CHECK_EQ(player_limit(r), 4);
    CHECK_EQ(sb_server_wanted_bytes(r->server), 0);
    for (int i = 0; i < 4; i++) (void)room_join(r, "Again");
    CHECK(!can_connect(r, "Fifth"));
}

/* A kicked player must get its Boot from the session that it has. */
TEST(a_room_does_not_move_before_departures_are_complete)
{
    room *r = room_of(2);
    seat *a = room_join(r, "Alpha");
    set_players(r, 3);
    CHECK(sb_server_kick(r->server, r->now, a->id, text("")));
    room_wait(r, SB_SECOND);
    CHECK_EQ(sb_server_player_count(r->server), 0);
    CHECK(!room_move(r));
    CHECK(seat_is_removed(r, a));
    room_wait(r, SB_SECOND);
    CHECK(room_move(r));
}

TEST(a_room_that_moves_keeps_settings_counters_and_masters)
{
    room            *r = room_of(2);
    sb_server_config c = changed();
    sb_endpoint      master = { 0xC0000209u, 27900 };
    sb_server_set_master(r->server, 0, master, r->now);
    set_password(r, "p\0q\0", 4);
    r->password = "pq";
    room_reconfigure(r, &c);
    seat_leave(r, room_join(r, "Alpha"));
    room_wait(r, 10 * SB_SECOND);
    uint64_t joins = sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_JOINED);
    uint64_t leaves = COUNTED(r, SB_SERVER_COUNT_LEAVES);
    uint64_t heartbeats = sb_server_query_count(r->server, SB_QUERY_HEARTBEATS);
    CHECK(joins == 1 && leaves == 1 && heartbeats > 0);
    set_players(r, 16);
    CHECK(room_move(r));
    CHECK_EQ(sb_server_transport_count(r->server, SB_TRANSPORT_COUNT_JOINED), joins);
    CHECK_EQ(COUNTED(r, SB_SERVER_COUNT_LEAVES), leaves);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    check_name(r, "Other");
    room_wait(r, 200 * SB_SECOND);
    CHECK(sb_server_query_count(r->server, SB_QUERY_HEARTBEATS) > heartbeats);
    CHECK(can_connect(r, "Beta"));
    r->password = NULL;
    CHECK(!can_connect(r, "Gamma"));
}

/* The mission changes as soon as the room is empty, the number of players with the memory. */
TEST(a_deferred_mission_does_not_bring_more_places)
{
    room            *r = room_of(2);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    room_reconfigure(r, &c);
    set_players(r, 4);
    seat_leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
    CHECK_EQ(player_limit(r), 2);
    room_wait(r, 10 * SB_SECOND);
    CHECK(room_move(r));
    CHECK_EQ(player_limit(r), 4);
    check_mission(r, "Multiplayer.Episode.Mission2.Mission2", "Multi5", 20);
}

/* A growth that was taken back, or that became smaller, before the room was empty. */
TEST(the_last_number_of_players_counts)
{
    room *r = room_of(2);
    seat *a = room_join(r, "Alpha");
    set_players(r, 8);
    set_players(r, 2);
    CHECK_EQ(sb_server_wanted_bytes(r->server), 0);
    set_players(r, 5);
    seat_leave(r, a);
    room_wait(r, 10 * SB_SECOND);
    CHECK(room_move(r));
    CHECK_EQ(player_limit(r), 5);
    set_players(r, 3);
    CHECK_EQ(player_limit(r), 3);
    set_players(r, 5);
    CHECK_EQ(player_limit(r), 5);
}

/* ---- edges ---- */

TEST(texts_are_cut_at_their_limits)
{
    static const char long_text[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXY"
                                    "Z+-*";
    room             *r = room_open(NULL);
    for (unsigned more = 0; more < 2; more++) {
        sb_server_config c = changed();
        sb_server_status status;
        c.name = (sb_span){ (const uint8_t *)long_text, SB_SERVER_NAME_MAX + more };
        c.system_name = (sb_span){ (const uint8_t *)long_text, SET_NAME_MAX + more };
        room_reconfigure(r, &c);
        room_step(r);
        sb_server_status_of(r->server, &status);
        CHECK_BYTES(status.host_name.data, status.host_name.size, long_text, SB_SERVER_NAME_MAX);
        CHECK_BYTES(status.system.data, status.system.size, long_text, SET_NAME_MAX);
    }
}

TEST(manifests_and_files_that_are_not_possible_are_left_out)
{
    static const sb_manifest   *manifests[SB_SERVER_MANIFESTS_MAX + 1];
    static const uint8_t        no_file[] = { SB_OP_CHAT };
    static const sb_client_file files[] = { { .message = { no_file, sizeof no_file } } };
    room                       *r = room_open(NULL);
    for (size_t i = 0; i < COUNT_OF(manifests); i++) manifests[i] = sb_vanilla_manifest();
    sb_server_config c = changed();
    c.manifests = manifests;
    c.manifest_count = SB_SERVER_MANIFESTS_MAX + 1;
    c.files = files;
    c.file_count = 1;
    room_reconfigure(r, &c);
    CHECK_EQ(r->server->config.manifest_count, SB_SERVER_MANIFESTS_MAX);
    CHECK_EQ(r->server->config.file_count, 0);
    room_step(r);
}

/* A pause that was to end by itself now ends when all have left. */
TEST(all_players_are_told_of_a_pause_without_an_end)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = SB_SERVER_PLAYERS_MAX;
    room *r = room_open(&c);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++) (void)room_join(r, "Player");
    sb_server_end_match(r->server, r->now, SB_END_GENERIC);
    room_step(r);
    c.restart_us = 0;
    room_reconfigure(r, &c);
    room_step(r);
    CHECK_EQ(r->server->restart_at, SB_TIME_NEVER);
    for (unsigned i = 0; i < SB_SERVER_PLAYERS_MAX; i++)
        CHECK_EQ(r->seats[i].by_opcode[SB_OP_CHAT], 1);
    room_reconfigure(r, &c); /* nothing changes */
    room_step(r);
    CHECK_EQ(r->seats[0].by_opcode[SB_OP_CHAT], 1);
}

TEST(a_change_at_once_defers_nothing_and_keeps_the_places)
{
    static const sb_config_field  now[] = { SB_CONFIG_FIELD(name) };
    static const sb_config_fields fields = { now, 1, NULL, 0 };
    room                         *r = room_open(NULL);
    (void)room_join(r, "Alpha");
    uint32_t         places = r->server->config.max_players;
    sb_server_config c = changed();
    c.max_players = places - 1;
    sb_server_reconfigure(r->server, &c, &fields);
    CHECK_EQ(r->server->config.max_players, places);
    CHECK(!r->server->has_next);
    check_name(r, "Other");
}

TEST(a_match_without_a_mode_keeps_the_old_one)
{
    room            *r = room_open(NULL);
    seat            *a = room_join(r, "Alpha");
    sb_server_config c = changed();
    c.match.mode = NULL;
    room_reconfigure(r, &c);
    room_step(r);
    seat_leave(r, a);
    check_mission(r, "Multiplayer.Episode.Mission1.Mission1", "Multi5", 20);
}
