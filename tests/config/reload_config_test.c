/* tests/config/reload_config_test.c -- a key that the table marks as reloadable reaches a running
 * room, and changes what the room does.
 *
 * The first half changes each key of the table, reconfigures a room with the lists that
 * reload_config.c makes, and reads the value back from the room. The second half sees the effect of
 * keys on players and queries.
 */
#include "config/keys.h"
#include "send_folder.h"

#include "server/rig.h"
#include "server/server_internal.h"
#include <starbase/message.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- configurations ---- */

static sb_process_config before, after;

static void load(sb_process_config *out, const char *file, const char *key, const char *value)
{
    sb_setting        setting = { "--set", key, value };
    sb_config_sources sources = { .file = file,
                                  .settings = &setting,
                                  .setting_count = key != NULL };
    if (sb_process_config_load(out, &sources) != SB_OK) FAIL("%s", out->data.error);
}

/* A room with the defaults. */
static room *open_room(void)
{
    load(&before, NULL, NULL, NULL);
    return room_open(&before.rooms[0].server);
}

static void reconfigure(room *r)
{
    sb_reload_fields fields;
    sb_reload_fields_init(&fields);
    sb_server_reconfigure(r->server, &after.rooms[0].server, &fields.lists);
    room_wait(r, SB_SECOND / 100);
}

/* Changes one key of the running room. */
static void reload(room *r, const char *key, const char *value)
{
    load(&after, NULL, key, value);
    reconfigure(r);
}

static void free_configs(void)
{
    sb_process_config_free(&before);
    sb_process_config_free(&after);
}

/* ---- every key arrives ---- */

static const char *word_other_than(const sb_key *key, const void *record)
{
    uint8_t index = *((const uint8_t *)record + key->offset); /* the low byte of an enum, too */
    return key->words[index == 0 ? 1 : 0];
}

static char empty_path[] = "/tmp/starbase-empty-XXXXXX";

static void remove_empty_file(void)
{
    (void)unlink(empty_path);
}

static const char *empty_file(void)
{
    int file = strstr(empty_path, "XXXXXX") ? mkstemp(empty_path) : -1;
    if (file < 0) return empty_path;
    (void)close(file);
    (void)atexit(remove_empty_file);
    return empty_path;
}

/* A value that differs from the default, for any key of the table. Texts have no general rule. */
static const char *second_value(const sb_key *key)
{
    static char              text[64];
    static const char *const texts[][2] = {
        { "name", "Second" },         { "mission", "team" },           { "system", "5" },
        { "password", "sesame" },     { "manifests", "vanilla" },      { "masters", "example.org" },
        { "motd", "Hello" },          { "rules", "Be nice" },          { "slots_for", "127.0.0.1" },
        { "helper_commands", "say" }, { "moderator_commands", "say" }, { "admin_commands", "say" },
    };
    if (strcmp(key->name, "send_files") == 0) return send_folder();
    if (strcmp(key->name, "masters_file") == 0) return empty_file();
    const void *record = key->of_room ? (const void *)&before.common : (const void *)&before;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i][0], key->name) == 0) return texts[i][1];
    if (key->kind == SB_KEY_FLAG) return *((const bool *)record + key->offset) ? "no" : "yes";
    if (key->kind == SB_KEY_WORD) return word_other_than(key, record);
    if (key->kind != SB_KEY_WHOLE && key->kind != SB_KEY_SECONDS)
        FAIL("add a second value of %s to this test", key->name);
    snprintf(text, sizeof text, "%.0f", key->low + 1);
    return text;
}

static bool is_same_text(sb_span a, sb_span b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool is_same_name(const sb_server_config *a, const sb_server_config *b)
{
    return is_same_text(a->name, b->name);
}

static bool is_same_mission(const sb_server_config *a, const sb_server_config *b)
{
    return a->match.mode == b->match.mode;
}

static bool is_same_system(const sb_server_config *a, const sb_server_config *b)
{
    return a->system == b->system && is_same_text(a->system_name, b->system_name);
}

static bool is_same_password(const sb_server_config *a, const sb_server_config *b)
{
    return is_same_text(a->password, b->password);
}

static bool has_same_manifests(const sb_server_config *a, const sb_server_config *b)
{
    return a->manifests == b->manifests && a->manifest_count == b->manifest_count;
}

static bool has_same_files(const sb_server_config *a, const sb_server_config *b)
{
    return a->files == b->files && a->file_count == b->file_count;
}

static bool has_same_file_rate(const sb_server_config *a, const sb_server_config *b)
{
    return a->file_bytes_per_s == b->file_bytes_per_s;
}

static bool has_same_mod_policy(const sb_server_config *a, const sb_server_config *b)
{
    return memcmp(a->mod_policy, b->mod_policy, sizeof a->mod_policy) == 0;
}

static bool has_same_modifiers(const sb_server_config *a, const sb_server_config *b)
{
    return memcmp(a->match.modifiers, b->match.modifiers, sizeof a->match.modifiers) == 0;
}

static bool has_same_listing(const sb_server_config *a, const sb_server_config *b)
{
    return a->list_house == b->list_house;
}

/* Keys and tables from which resolve_config.c computes fields of sb_server_config. */
static const struct {
    const char *key;
    bool (*is_same)(const sb_server_config *a, const sb_server_config *b);
} resolved[] = {
    { "name", is_same_name },
    { "mission", is_same_mission },
    { "system", is_same_system },
    { "password", is_same_password },
    { "manifests", has_same_manifests },
    { "send_files", has_same_files },
    { "send_files_rate", has_same_file_rate },
    { "mods", has_same_mod_policy },
    { "mod_policy", has_same_mod_policy },
    { "modifiers", has_same_modifiers },
    { "bots", has_same_listing },
};

/* `starbase serve` applies these itself; serve_test.py, ctl_test.py and rules_test.py of tests/apps
 * see their effect. */
static bool is_key_of_program(const char *key)
{
    static const char *const names[] = {
        "masters",     "masters_file",    "log_level",          "motd",
        "rules",       "kick_seconds",    "idle_warn",          "idle_limit",
        "idle_action", "rotate",          "resend_settings",    "slots",
        "slots_for",   "helper_commands", "moderator_commands", "admin_commands",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], key) == 0) return true;
    return strncmp(key, "answers_", 8) == 0;
}

/* The room has the new value of a key whose field the test must know. */
static void check_resolved(const room *r, const char *key)
{
    for (size_t i = 0; i < sizeof resolved / sizeof *resolved; i++) {
        if (strcmp(resolved[i].key, key) != 0) continue;
        CHECK(!resolved[i].is_same(&before.rooms[0].server, &after.rooms[0].server));
        if (!resolved[i].is_same(&r->server->config, &after.rooms[0].server))
            FAIL("%s did not reach the room", key);
        return;
    }
    if (!is_key_of_program(key)) FAIL("add %s to the keys that this test can compare", key);
}

/* The room has the new value of the key, which must differ from the old one. */
static void check_arrived(const room *r, const sb_key *key)
{
    sb_room_config running = { .server = r->server->config };
    if (!sb_key_is_server_field(key)) {
        check_resolved(r, key->name);
        return;
    }
    CHECK(!sb_key_is_equal(key, &before.rooms[0], &after.rooms[0]));
    if (!sb_key_is_equal(key, &running, &after.rooms[0]))
        FAIL("%s did not reach the room", key->name);
}

static void check_keys(sb_key_change change, unsigned min_count)
{
    unsigned count = 0;
    for (const sb_key *key = sb_config_keys(); key->name; key++) {
        if (key->change != change) continue;
        room *r = open_room();
        reload(r, key->name, second_value(key));
        check_arrived(r, key);
        free_configs();
        count++;
    }
    CHECK(count >= min_count);
}

TEST(every_key_marked_at_once_reaches_a_running_room)
{
    check_keys(SB_CHANGE_AT_ONCE, 20);
}

TEST(every_key_marked_when_empty_reaches_an_empty_room)
{
    check_keys(SB_CHANGE_WHEN_EMPTY, 5);
}

TEST(every_key_marked_for_newcomers_reaches_a_running_room)
{
    check_keys(SB_CHANGE_NEWCOMERS, 6);
}

/* 2 players: below the value at the start. reconfigure_test.c has the growth above it. */
TEST(every_key_that_grows_reaches_a_running_room)
{
    check_keys(SB_CHANGE_GROWS, 1);
}

TEST(tables_marked_as_reloadable_reach_a_running_room)
{
    static const char *const texts[][2] = {
        { "mods", "return { mods = { { type = 0xCD, policy = 'drop' } } }" },
        { "bots", "return { bots = { count = false } }" },
        { "modifiers", "return { modifiers = { { 2, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } } }" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        room *r = open_room();
        char  path[] = "/tmp/starbase-reload-XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        CHECK(file && fputs(texts[i][1], file) >= 0 && fclose(file) == 0);
        CHECK(sb_config_find_table(texts[i][0])->change != SB_CHANGE_RESTART);
        load(&after, path, NULL, NULL);
        (void)remove(path);
        reconfigure(r);
        check_resolved(r, texts[i][0]);
        free_configs();
    }
}

TEST(a_key_marked_when_empty_waits_for_the_last_player)
{
    room *r = open_room();
    (void)room_join(r, "Alpha");
    reload(r, "mission", "team");
    CHECK_TEXT(sb_server_match(r->server)->config.mode->key, "ffa");
    sb_transport_client_leave(r->seats[0].client, r->now);
    room_wait(r, 7 * SB_SECOND);
    CHECK_TEXT(sb_server_match(r->server)->config.mode->key, "team");
    free_configs();
}

/* ---- effects ---- */

/* A room with a player, after one change. */
static room *room_with(const char *key, const char *value)
{
    room *r = open_room();
    (void)room_join(r, "Alpha");
    seat_forget(&r->seats[0]);
    reload(r, key, value);
    return r;
}

static bool answer_has(room *r, const char *query, const char *text)
{
    sb_span bytes = { (const uint8_t *)query, strlen(query) };
    CHECK_EQ(room_give(r, room_stranger(1), bytes), SB_OK);
    return memmem(r->last_answer, r->last_answer_size, text, strlen(text)) != NULL;
}

TEST(a_new_name_is_in_the_next_status_answer)
{
    room *r = room_with("name", "Second");
    CHECK(answer_has(r, "\\info\\", "\\hostname\\Second\\"));
    free_configs();
}

TEST(without_list_host_as_player_the_server_is_not_listed)
{
    room *r = room_with("list_host_as_player", "no");
    CHECK(!answer_has(r, "\\players\\", "Dedicated Server"));
    CHECK(answer_has(r, "\\players\\", "\\player_0\\Alpha"));
    free_configs();
}

TEST(a_new_pause_starts_the_next_match_sooner)
{
    room *r = room_with("restart", "2");
    sb_server_end_match(r->server, r->now, SB_END_TIME);
    (void)room_expect(r, SB_SERVER_MATCH_OVER);
    room_wait(r, 3 * SB_SECOND); /* the default is 30 */
    (void)room_expect(r, SB_SERVER_MATCH_STARTED);
    free_configs();
}

TEST(a_change_of_collision_damage_is_sent_to_players)
{
    room *r = room_with("collision_damage", "no");
    EXPECT_HEARD(r, &r->seats[0], "16 20");
    free_configs();
}

/* The second boolean of the Settings that a newcomer gets after one change. */
static bool second_settings_bit_with(const char *key, const char *value)
{
    sb_message message;
    room      *r = room_with(key, value);
    seat      *s = room_connect(r, "Beta");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, s, sb_vanilla_manifest());
    sb_span settings = seat_find(s, SB_OP_SETTINGS);
    CHECK_EQ(sb_decode_message(settings, NULL, &message, NULL), SB_OK);
    free_configs();
    return message.as.settings.throttle_bit;
}

TEST(only_throttle_bit_sets_the_second_boolean_of_settings)
{
    CHECK(second_settings_bit_with("throttle_bit", "yes"));
    CHECK(!second_settings_bit_with("friendly_fire", "no"));
    CHECK(!second_settings_bit_with("restart", "29"));
}

TEST(without_spawn_notice_a_new_ship_has_none)
{
    room *r = room_with("spawn_notice", "no");
    seat *b = room_join(r, "Beta");
    (void)seat_spawn(r, b, 5, (sb_vec3){ 0, 0, 0 });
    CHECK(seat_find(&r->seats[0], SB_OP_PLAYER_OBJECT_CREATE).size > 0);
    CHECK_EQ(r->seats[0].by_opcode[SB_OP_OBJECT_NOT_FOUND] + b->by_opcode[SB_OP_OBJECT_NOT_FOUND],
             0);
    free_configs();
}

/* What Alpha hears of Beta's departure, after one change. */
static seat *leave_with(const char *key, const char *value)
{
    room *r = room_with(key, value);
    seat *a = &r->seats[0], *b = room_join(r, "Beta");
    (void)seat_spawn(r, b, 5, (sb_vec3){ 0, 0, 0 });
    memset(a->by_opcode, 0, sizeof a->by_opcode);
    sb_transport_client_leave(b->client, r->now);
    room_wait(r, 7 * SB_SECOND);
    free_configs();
    return a;
}

TEST(the_three_leave_keys_decide_what_a_departure_sends)
{
    seat *a = leave_with("leave_destroy", "no");
    CHECK_EQ(a->by_opcode[SB_OP_DESTROY_OBJECT], 0);
    CHECK_EQ(a->by_opcode[SB_OP_PLAYER_LEFT_TEXT], 1);
    a = leave_with("leave_text", "no");
    CHECK_EQ(a->by_opcode[SB_OP_DESTROY_OBJECT], 1);
    CHECK_EQ(a->by_opcode[SB_OP_PLAYER_LEFT_TEXT], 0);
    CHECK_EQ(a->by_opcode[SB_OP_PLAYER_LIST], 0);
    a = leave_with("leave_event", "yes");
    CHECK_EQ(a->by_opcode[SB_OP_PLAYER_LIST], 1);
}

TEST(list_older_players_names_players_to_a_newcomer)
{
    room *r = open_room();
    (void)room_join(r, "Alpha");
    uint64_t stock = room_join(r, "Beta")->by_opcode[SB_OP_PLAYER_LIST];
    reload(r, "list_older_players", "yes");
    CHECK_EQ(room_join(r, "Gamma")->by_opcode[SB_OP_PLAYER_LIST], stock + 2);
    free_configs();
}

TEST(without_score_self_on_join_a_newcomer_gets_other_scores)
{
    room *r = open_room();
    CHECK_EQ(room_join(r, "Alpha")->by_opcode[SB_OP_SCORE], 1);
    reload(r, "score_self_on_join", "no");
    CHECK_EQ(room_join(r, "Beta")->by_opcode[SB_OP_SCORE], 1);
    free_configs();
}

/* How many of Beta's two messages of a mod reach Alpha. */
static uint64_t mod_messages_with(const char *key, const char *value)
{
    room *r = room_with(key, value);
    seat *b = room_join(r, "Beta");
    seat_say_hex(r, b, "CD 01 02");
    seat_say_hex(r, b, "CD 01");
    free_configs();
    return r->seats[0].by_opcode[0xCD];
}

TEST(policy_size_and_rate_of_mods_change_at_once)
{
    CHECK_EQ(mod_messages_with("restart", "30"), 2); /* the defaults */
    CHECK_EQ(mod_messages_with("mod_policy", "drop"), 0);
    CHECK_EQ(mod_messages_with("mod_bytes", "2"), 1);
    CHECK_EQ(mod_messages_with("mod_per_s", "0"), 0);
}

TEST(a_new_checksum_limit_applies_to_the_next_newcomer)
{
    room *r = room_with("checksum_limit", "2");
    (void)room_connect(r, "Silent");
    room_wait(r, 3 * SB_SECOND); /* the default is 30 */
    (void)room_expect(r, SB_SERVER_JOIN_FAILED);
    free_configs();
}

TEST(a_new_loading_limit_applies_to_the_next_newcomer)
{
    room *r = room_with("loading_limit", "5");
    seat *s = room_connect(r, "Slow");
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, s, sb_vanilla_manifest());
    room_wait(r, 6 * SB_SECOND); /* the default is 120 */
    (void)room_expect(r, SB_SERVER_JOIN_FAILED);
    free_configs();
}
