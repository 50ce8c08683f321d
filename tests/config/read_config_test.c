/* tests/config/read_config_test.c -- configurations that are accepted and refused, the order of
 * sources, printing, comparing, and the table of keys. */
#include "config/process_config.h"

#include "config/keys.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sb_process_config config;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file);
    CHECK(fputs(text, file) >= 0);
    CHECK_EQ(fclose(file), 0);
}

/* Loads `text` as a file; `environment` and `settings` may be NULL. */
static sb_result load(const char *text, const char *const *environment, const sb_setting *settings,
                      size_t count)
{
    static char       path[64]; /* the configuration remembers where it came from */
    sb_config_sources sources = { .environment = environment, .settings = settings };
    sources.setting_count = count;
    if (text) {
        strcpy(path, "/tmp/starbase-server-XXXXXX.lua");
        int file = mkstemps(path, 4);
        CHECK(file >= 0);
        close(file);
        write_file(path, text);
        sources.file = path;
    }
    sb_result result = sb_process_config_load(&config, &sources);
    if (text) unlink(path);
    if (text && result != SB_OK) { /* the name is made up: tests see "server.lua" */
        char *at = strstr(config.data.error, path);
        if (at) {
            memcpy(at, "server.lua", 10);
            memmove(at + 10, at + strlen(path), strlen(at + strlen(path)) + 1);
        }
    }
    return result;
}

static void check_loads(const char *text)
{
    sb_result result = load(text, NULL, NULL, 0);
    if (result != SB_OK) FAIL("%s", config.data.error);
}

static void check_refused(const char *text, const char *error)
{
    sb_result result = load(text, NULL, NULL, 0);
    char      why[SB_DATA_ERROR_MAX];
    memcpy(why, config.data.error, sizeof why);
    sb_process_config_free(&config);
    CHECK(result != SB_OK);
    CHECK_TEXT(why, error);
}

TEST(without_any_source_there_is_one_room_with_good_defaults)
{
    check_loads(NULL);
    CHECK_EQ(config.room_count, 1);
    const sb_room_config *room = &config.rooms[0];
    CHECK_TEXT(room->shown_name, "Starbase");
    CHECK_EQ(room->port, 22101);
    CHECK_EQ(room->server.max_players, 8);
    CHECK_TEXT(room->server.match.mode->key, "ffa");
    CHECK_EQ(room->server.system, 1);
    CHECK_EQ(room->server.checksums, SB_CHECKSUM_LOG);
    CHECK_EQ(room->masters.count, 0);
    CHECK_EQ(room->server.combat.power, SB_POWER_STOCK);
    CHECK(!room->server.combat.no_damage);
    CHECK(sb_server_bytes(&room->server) > 0);
    sb_process_config_free(&config);
}

TEST(a_file_sets_every_kind_of_key)
{
    check_loads(
        "return { name = 'Caf\xC3\xA9', max_players = 4, restart = 2.5, log_level = 'debug',"
        "mission = 'team', system = 3, manifests = { 'vanilla' }, password = 'x\xC3\xA9',"
        "fidelity = 1, power = 'strict', no_damage = true, hide_addresses = true,"
        "combat = { beam_low = 0.25 },"
        "mods = { { type = 0xCD, policy = 'drop' } }, shield_layout = 'documented',"
        "modifiers = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } }");
    const sb_server_config *server = &config.rooms[0].server;
    CHECK_BYTES(server->name.data, server->name.size, "Caf\xE9", 4);
    CHECK_BYTES(server->password.data, server->password.size, "x\0\xE9\0", 4);
    CHECK_EQ(server->max_players, 4);
    CHECK_EQ(server->restart_us, 2500000);
    CHECK_EQ(config.log_level, 3);
    CHECK_TEXT(server->match.mode->key, "team");
    CHECK_EQ(server->system, 3);
    CHECK_EQ(server->manifest_count, 1);
    CHECK(server->manifests[0] == sb_vanilla_manifest());
    CHECK_EQ(server->combat.fidelity, SB_FIDELITY_COLLISIONS);
    CHECK(server->transport.hide_addresses);
    CHECK_EQ(server->combat.power, SB_POWER_STRICT);
    CHECK(server->combat.no_damage);
    CHECK(server->combat.constants.beam_low == 0.25f);
    CHECK_EQ(server->mod_policy[0xCD], SB_MOD_DROP);
    CHECK_EQ(server->mod_policy[0xCE], SB_MOD_DEFAULT);
    CHECK(server->lanes.layout_forced);
    CHECK_EQ(server->lanes.layout, SB_SHIELD_DOCUMENTED);
    CHECK(server->match.modifiers[1][2] == 6);
    sb_process_config_free(&config);
}

TEST(a_list_may_be_one_text)
{
    check_loads("masters = 'one, two:5'\nmanifests = 'vanilla'\nrooms = { {}, { masters = 'x' } }");
    CHECK_EQ(config.rooms[0].masters.count, 2);
    CHECK_TEXT(config.rooms[0].masters.items[0], "one");
    CHECK_TEXT(config.rooms[0].masters.items[1], "two:5");
    CHECK_EQ(config.rooms[0].server.manifest_count, 1);
    CHECK_EQ(config.rooms[1].masters.count, 1);
    CHECK_TEXT(config.rooms[1].masters.items[0], "x");
    sb_process_config_free(&config);
}

/* The shape that everybody expects of a configuration. */
/* In the campaign systems the names of the system and of its start set differ (spec 05 §3.1). */
TEST(status_answers_name_the_start_set_of_the_system)
{
    static const struct {
        const char *text, *set;
    } rows[] = { { "return { system = 9 }", "Poseidon2" },
                 { "return { system = 'Albirea' }", "Albirea3" },
                 { "return { system = 'Multi4' }", "Multi4" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_loads(rows[i].text);
        sb_span name = config.rooms[0].server.system_name;
        CHECK_BYTES(name.data, name.size, rows[i].set, strlen(rows[i].set));
        sb_process_config_free(&config);
    }
}

TEST(a_file_of_plain_lines_sets_keys)
{
    check_loads("name = \"x\"\nport = 22101\n");
    CHECK_TEXT(config.rooms[0].shown_name, "x");
    CHECK_EQ(config.rooms[0].port, 22101);
    sb_process_config_free(&config);
    check_loads("-- a comment\nlocal base = 5000\nport = base + 1\nlog_json = true\n"
                "masters = { 'a' }\nrooms = {\n  { name = 'A' },\n  { max_players = 3 },\n}\n"
                "combat = { beam_low = math.max(0.25, 0.1) }");
    CHECK_EQ(config.room_count, 2);
    CHECK_EQ(config.rooms[0].port, 5001);
    CHECK_TEXT(config.rooms[0].shown_name, "A");
    CHECK_EQ(config.rooms[1].server.max_players, 3);
    CHECK(config.rooms[1].server.combat.constants.beam_low == 0.25f);
    CHECK(config.log_json);
    sb_process_config_free(&config);
    check_loads(""); /* all keys are optional */
    sb_process_config_free(&config);
    check_loads("\xEF\xBB\xBFname = 'x'\r\nport = 5\r\n"); /* as editors of Windows write it */
    CHECK_EQ(config.rooms[0].port, 5);
    sb_process_config_free(&config);
}

TEST(plain_lines_are_checked_like_a_table)
{
    check_refused("max_player = 8",
                  "server.lua: max_player: unknown key; did you mean `max_players`?");
    check_refused("rooms = { { nam = 'a' } }",
                  "server.lua: rooms[1].nam: unknown key; did you mean `name`?");
    check_refused("function twice() end", "server.lua: twice: unknown key");
    check_refused("port = 22101\nreturn { name = 'x' }",
                  "server.lua: port: is set outside of the table that the file returns: write it "
                  "inside the braces, or `local` before it");
    check_refused("name = 'x'\nport = os.time()",
                  "server.lua:2: `os` is not defined: a text needs quotes, a name of your own "
                  "`local`");
    check_refused("name = string.rep('x', 9)",
                  "server.lua:1: `string` is not defined: a text needs "
                  "quotes, a name of your own `local`");
    check_refused("return { name = x }", "server.lua:1: `x` is not defined: a text needs quotes, a "
                                         "name of your own `local`");
    check_refused("return { name = 'x'\nport = 1 }",
                  "server.lua:2: '}' expected (to close '{' at line 1) near 'port'; is a comma "
                  "missing at the end of the line before?");
    check_refused("while true do port = 1 end",
                  "server.lua:1: runs for more than 10000000 instructions");
}

/* lua_shape_test.c has the other shapes. */
TEST(a_file_of_another_language_is_told_what_to_write)
{
    check_refused("-- mine\n[server]\nname = 'x'",
                  "server.lua:2: sections such as `[server]` are not known here: remove the line, "
                  "and write `key = value` lines");
    check_refused("port = 5\nname: x", "server.lua:2: write `name = \"x\"`");
    check_refused("name = 'x'\n;port = 5", "server.lua:2: a comment starts with `--`");
    check_refused("\xFF\xFEn", "server.lua: is UTF-16: save it as UTF-8");
}

TEST(a_policy_for_mods_leaves_the_games_own_messages_alone)
{
    check_loads("return { mod_policy = 'drop', mods = { { type = 0x36, policy = 'others' } } }");
    const uint8_t *policy = config.rooms[0].server.mod_policy;
    CHECK_EQ(policy[0xCD], SB_MOD_DROP);
    CHECK_EQ(policy[0x2C], SB_MOD_DEFAULT); /* chat */
    CHECK_EQ(policy[0x36], SB_MOD_OTHERS);  /* taken over by a mod (spec 09 §9.1) */
    CHECK_EQ(policy[0x07], SB_MOD_DEFAULT);
    sb_process_config_free(&config);
}

TEST(mod_ships_is_a_flag_or_depends_on_the_checksums)
{
    check_loads("return { name = 'a' }");
    CHECK_EQ(config.rooms[0].server.mod_ships, SB_MOD_SHIPS_AUTO);
    sb_process_config_free(&config);
    check_loads("return { mod_ships = false }");
    CHECK_EQ(config.rooms[0].server.mod_ships, SB_MOD_SHIPS_NO);
    sb_process_config_free(&config);
    check_loads("return { mod_ships = true }");
    CHECK_EQ(config.rooms[0].server.mod_ships, SB_MOD_SHIPS_YES);
    sb_process_config_free(&config);
}

TEST(unknown_keys_are_named_with_what_was_probably_meant)
{
    check_refused("return { max_player = 8 }",
                  "server.lua: max_player: unknown key; did you mean `max_players`?");
    check_refused("return { fraglimit = 8 }",
                  "server.lua: fraglimit: unknown key; did you mean `frag_limit`?");
    check_refused("return { checksum = 'log' }",
                  "server.lua: checksum: unknown key; did you mean `checksums`?");
    check_refused("return { xyzzy = 8 }", "server.lua: xyzzy: unknown key");
    check_refused("return { rooms = { { nam = 'a' } } }",
                  "server.lua: rooms[1].nam: unknown key; did you mean `name`?");
    check_refused(
        "return { rooms = { { threads = 2 } } }",
        "server.lua: rooms[1].threads: unknown key of a room: it applies to the whole server only");
}

TEST(an_unknown_constant_is_like_a_constant_and_not_like_a_key)
{
    check_refused("return { combat = { beam_lo = 1 } }",
                  "server.lua: combat.beam_lo: unknown key; did you mean `beam_low`?");
    check_refused("return { rooms = { { combat = { cloak_tim = 1 } } } }",
                  "server.lua: rooms[1].combat.cloak_tim: unknown key; did you mean "
                  "`cloak_time`?");
    check_refused("return { combat = { max_players = 1 } }",
                  "server.lua: combat.max_players: unknown key");
    check_refused("return { combat = { threads = 1 } }", "server.lua: combat.threads: unknown key");
    check_refused("return { mods = { { type = 200, policy = 'drop', mod_policy = 1 } } }",
                  "server.lua: mods[1].mod_policy: unknown key");
}

TEST(wrong_types_and_values_are_told_with_file_key_and_range)
{
    check_refused("return { max_players = 17 }",
                  "server.lua: max_players: must be a whole number from 1 to 16, is 17");
    check_refused("return { max_players = 'eight' }",
                  "server.lua: max_players: must be a whole number from 1 to 16, is \"eight\"");
    check_refused("return { max_players = 2.5 }",
                  "server.lua: max_players: must be a whole number from 1 to 16, is 2.5");
    check_refused("return { restart = 1/0 }",
                  "server.lua: restart: must be seconds from 0 to 3600, is inf");
    check_refused("return { score_limit = 1 }",
                  "server.lua: score_limit: must be true or false, is 1");
    check_refused("return { checksums = 'maybe' }", "server.lua: checksums: must be one of off, "
                                                    "log, strict, learn, is \"maybe\"");
    check_refused("return { mission = 'chess' }",
                  "server.lua: mission: must be ffa, team, faction, assault or the script of one "
                  "of them, is \"chess\"");
    check_refused("return { bind = 'localhost' }",
                  "server.lua: bind: must be an IPv4 address of this machine, or 0.0.0.0 for all, "
                  "is \"localhost\"");
    check_refused("return { name = 'a\\nb' }", "server.lua: name: must be a text of at most 63 "
                                               "bytes, without control characters, is \"a?b\"");
    check_refused("return { masters = 1 }", "server.lua: masters: must be a table, is 1");
    check_refused("return { masters = 'one two' }",
                  "server.lua: masters: must be HOST or HOST:PORT, is \"one two\"");
    check_refused("return { rooms = 'two' }", "server.lua: rooms: must be a whole number from 0 to "
                                              "4096, is \"two\", or a list of rooms");
    check_refused("return { combat = { beam_low = -1 } }",
                  "server.lua: combat.beam_low: must be a number from 0 to 1e+09, is -1");
    check_refused("return { mods = { { type = 1, policy = 'drop' } } }",
                  "server.lua: mods[1].type: must be a whole number from 43 to 255, is 1");
    check_refused("return { modifiers = { { 1, 2 } } }",
                  "server.lua: modifiers[1]: must have 3 numbers");
    check_refused("return { rooms = { {}, { max_players = 0 } } }",
                  "server.lua: rooms[2].max_players: must be a whole number from 1 to 16, is 0");
    check_refused("return { port = 65535, rooms = 2 }", "server.lua: room 2: port: is above 65535");
    check_refused("return { rooms = { { port = 5000 }, { port = 5000 } } }",
                  "server.lua: room 2: port: is the port of another room, too");
    check_refused("return { system = 'Atlantis' }",
                  "server.lua: system: there is no `Atlantis`, only Multi1, Multi2, Multi3, "
                  "Multi4, Multi5, Multi6, Multi7, Albirea, Poseidon");
    check_refused("return 5", "server.lua: must return a table, `return { ... }`, but returns 5");
    check_refused("return nil",
                  "server.lua: must return a table, `return { ... }`, but returns nil");
    check_refused(
        "return {",
        "server.lua:1: unexpected symbol near <eof>; write `key = value` lines, or `return { key "
        "= value, ... }`");
}

TEST(the_environment_overrides_the_file_the_command_line_both)
{
    static const char        text[] = "return { max_players = 2, time_limit = 3, frag_limit = 4 }";
    static const char *const environment[] = { "HOME=/", "STARBASE_TIME_LIMIT=30",
                                               "STARBASE_FRAG_LIMIT=40", NULL };
    static const sb_setting  settings[] = { { "--frag-limit", "frag_limit", "41" } };
    CHECK_EQ(load(text, environment, settings, 1), SB_OK);
    CHECK_EQ(config.rooms[0].server.max_players, 2);
    CHECK_EQ(config.rooms[0].server.match.time_limit_min, 30);
    CHECK_EQ(config.rooms[0].server.match.frag_limit, 41);
    sb_process_config_free(&config);
}

TEST(environment_and_command_line_win_over_what_single_rooms_say)
{
    static const char text[] = "return { rooms = { { name = 'a', port = 5000, max_players = 2 },"
                               "                   { name = 'b', port = 6000 } } }";
    static const char *const environment[] = { "STARBASE_MAX_PLAYERS=3", NULL };
    static const sb_setting  settings[] = { { "--port", "port", "7000" },
                                            { "--set", "combat.beam_low", "0.5" } };
    CHECK_EQ(load(text, environment, settings, 2), SB_OK);
    CHECK_EQ(config.rooms[0].server.max_players, 3);
    CHECK_EQ(config.rooms[1].server.max_players, 3);
    CHECK_EQ(config.rooms[0].port, 7000);
    CHECK_EQ(config.rooms[1].port, 7001);
    CHECK(config.rooms[1].server.combat.constants.beam_low == 0.5f);
    sb_process_config_free(&config);
}

/* All constants that only earlier versions had. */
static const char *const old_constants[] = {
    "beam_cutoff", "beam_search",       "facing_stops", "impact_depth", "spawn_grace",
    "pulse_cost",  "collision_shields", "lag_seconds",  "lag_distance",
};

static void check_warning(const char *name)
{
    CHECK(config.data.warnings != NULL);
    CHECK(strstr(config.data.warnings->text, name) != NULL);
    CHECK(strstr(config.data.warnings->text, sb_combat_constant_removed(name)) != NULL);
}

static void check_removed_constant(const char *name)
{
    char       text[80], key[48];
    sb_setting setting = { "--set", key, "0" };
    snprintf(text, sizeof text, "return { rooms = { { combat = { %s = 1 } } } }", name);
    snprintf(key, sizeof key, "combat.%s", name);
    check_loads(text);
    check_warning(name);
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, NULL, &setting, 1), SB_OK);
    check_warning(name);
    sb_process_config_free(&config);
}

TEST(a_constant_of_an_earlier_version_is_no_mistake)
{
    for (size_t i = 0; i < sizeof old_constants / sizeof *old_constants; i++) {
        CHECK(sb_combat_constant_removed(old_constants[i]) != NULL);
        check_removed_constant(old_constants[i]);
    }
    CHECK(sb_combat_constant_removed("beam_low") == NULL);
}

TEST(mistakes_in_environment_and_command_line_name_their_source)
{
    static const char *const unknown[] = { "STARBASE_MAX_PLAYER=3", NULL };
    static const char *const bad[] = { "STARBASE_LOG_JSON=perhaps", NULL };
    static const sb_setting  setting = { "--port", "port", "99999" };
    static const sb_setting  constant = { "--set", "combat.nothing", "1" };
    CHECK_EQ(load(NULL, unknown, NULL, 0), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error,
               "STARBASE_MAX_PLAYER: max_player: unknown key; did you mean `max_players`?");
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, bad, NULL, 0), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error, "STARBASE_LOG_JSON: must be true or false, is \"perhaps\"");
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, NULL, &setting, 1), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error, "--port: must be a whole number from 0 to 65535, is 99999");
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, NULL, &constant, 1), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error,
               "--set: combat.nothing: there is no such constant of the simulation");
    sb_process_config_free(&config);
}

/* The error of a variable or flag does not name the file. */
TEST(a_value_that_names_nothing_is_told_with_where_it_came_from)
{
    static const char text[] = "return { name = 'fine', system = 2, rooms = 2 }";
    static const struct {
        const char *variable; /* or NULL, then: */
        sb_setting  setting;
        const char *error;
    } cases[] = {
        { NULL, { "--system", "system", "Foo" }, "--system: there is no `Foo`, only " },
        { NULL, { "--set", "system", "Foo" }, "--set: system: there is no `Foo`, only " },
        { "STARBASE_SYSTEM=Foo", { 0 }, "STARBASE_SYSTEM: there is no `Foo`, only " },
        { NULL, { "--manifest", "manifests", "no.csv" }, "--manifest: no.csv: No such file" },
        { "STARBASE_MANIFESTS=no.csv", { 0 }, "STARBASE_MANIFESTS: no.csv: No such file" },
        { NULL, { "--data", "data", "no/dir" }, "--data: no/dir: No such file" },
        { "STARBASE_DATA=no/dir", { 0 }, "STARBASE_DATA: no/dir: No such file" },
        { NULL,
          { "--set", "masters_file", "no.txt" },
          "--set: masters_file: no.txt: No such file" },
        { "STARBASE_MASTERS_FILE=no.txt", { 0 }, "STARBASE_MASTERS_FILE: no.txt: No such file" },
        { NULL, { "--learn", "learn", "no/dir/x.csv" }, "--learn: no/dir/x.csv: No such file" },
        { "STARBASE_PORT=65535", { 0 }, "STARBASE_PORT: room 2: is above 65535" },
        { "STARBASE_SYSTEM=Foo", { "--system", "system", "Bar" }, "--system: there is no `Bar`" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *environment[] = { cases[i].variable, NULL };
        size_t      count = cases[i].setting.flag ? 1 : 0;
        CHECK(load(text, environment, &cases[i].setting, count) != SB_OK);
        if (strncmp(config.data.error, cases[i].error, strlen(cases[i].error)) != 0)
            FAIL("%s", config.data.error);
        sb_process_config_free(&config);
    }
}

TEST(a_mistake_in_one_of_several_rooms_names_the_room)
{
    check_refused("return { rooms = { {}, { manifests = { 'no.csv' } } } }",
                  "server.lua: room 2: manifests: no.csv: No such file or directory");
}

TEST(tables_say_where_they_can_be_set)
{
    static const char *const mods[] = { "STARBASE_MODS=drop", NULL };
    static const char *const combat[] = { "STARBASE_COMBAT=1", NULL };
    static const sb_setting  set = { "--set", "modifiers", "1" };
    CHECK_EQ(load(NULL, mods, NULL, 0), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error, "STARBASE_MODS: is a table: it can be set only in the file");
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, combat, NULL, 0), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error,
               "STARBASE_COMBAT: is a table: it can be set in the file, or one by one "
               "with --set combat.NAME=NUMBER");
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, NULL, &set, 1), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error, "--set: modifiers: is a table: it can be set only in the file");
    sb_process_config_free(&config);
}

/* The output of --check-config must load again. */
TEST(bounds_are_the_same_on_the_command_line_as_in_the_file)
{
    static const char *const bad[] = { "1e30", "-1", "nan", "inf", "x", "", " 1", "1e9x" };
    char                     error[200], long_name[300];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sb_setting set = { "--set", "combat.cloak_time", bad[i] };
        CHECK_EQ(load(NULL, NULL, &set, 1), SB_BAD_VALUE);
        snprintf(error, sizeof error,
                 "--set: combat.cloak_time: must be a number from 0 to 1e+09, is %s", bad[i]);
        CHECK_TEXT(config.data.error, error);
        sb_process_config_free(&config);
    }
    sb_setting most = { "--set", "combat.cloak_time", "1e9" };
    CHECK_EQ(load(NULL, NULL, &most, 1), SB_OK);
    sb_process_config_free(&config);
    sb_setting near = { "--set", "combat.cloak_tim", "1" };
    CHECK_EQ(load(NULL, NULL, &near, 1), SB_BAD_VALUE);
    CHECK(strstr(config.data.error, "; did you mean `cloak_time`?"));
    sb_process_config_free(&config);
    memset(long_name, 'm', 256);
    long_name[256] = '\0';
    sb_setting manifest = { "--manifest", "manifests", long_name };
    CHECK_EQ(load(NULL, NULL, &manifest, 1), SB_BAD_VALUE);
    CHECK(strstr(config.data.error, "--manifest: entries must have at most 255 bytes"));
    sb_process_config_free(&config);
}

TEST(a_mistake_behind_set_names_the_key)
{
    static const sb_setting port = { "--set", "port", "abc" };
    static const sb_setting timeout = { "--set", "timeout", "5" };
    CHECK_EQ(load(NULL, NULL, &port, 1), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error,
               "--set: port: must be a whole number from 0 to 65535, is \"abc\"");
    sb_process_config_free(&config);
    CHECK_EQ(load(NULL, NULL, &timeout, 1), SB_BAD_VALUE);
    CHECK_TEXT(config.data.error, "--set: timeout: must be seconds from 12 to 600, is 5");
    sb_process_config_free(&config);
}

/* People paste errors into forums. */
TEST(a_password_is_not_repeated_in_an_error)
{
    static const sb_setting long_one = { "--password", "password",
                                         "correct-horse-battery-staple-and-more" };
    check_refused("return { password = 'correct-horse-battery-staple-and-more' }",
                  "server.lua: password: must be a text of at most 31 bytes, without control "
                  "characters");
    check_refused("return { password = 4711 }",
                  "server.lua: password: must be a text of at most 31 bytes, without control "
                  "characters");
    CHECK_EQ(load(NULL, NULL, &long_one, 1), SB_BAD_VALUE);
    CHECK(!strstr(config.data.error, "horse"));
    sb_process_config_free(&config);
}

TEST(masters_are_host_or_host_and_port)
{
    static const char *const bad[] = { "a b",         "host:",      ":27900",    "host:0",
                                       "host:65536",  "host:x",     "host:1:2",  "http://a",
                                       "a..b",        ".a",         "1.2.3.4.5", "300.1.1.1",
                                       "host:123456", "h\xC3\xB6st" };
    static const char *const good[] = { "a", "a-b.example.org.", "10.0.0.1", "host_1:65535" };
    char                     text[400], error[400], long_host[300];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "return { masters = { 'fine', '%s' } }", bad[i]);
        snprintf(error, sizeof error,
                 "server.lua: masters[2]: must be HOST or HOST:PORT, is \"%s\"", bad[i]);
        check_refused(text, error);
        sb_setting setting = { "--master", "masters", bad[i] };
        CHECK_EQ(load(NULL, NULL, &setting, 1), SB_BAD_VALUE);
        CHECK(strstr(config.data.error, "--master: must be HOST or HOST:PORT, is "));
        sb_process_config_free(&config);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "return { masters = { '%s' } }", good[i]);
        check_loads(text);
        CHECK_TEXT(config.rooms[0].masters.items[0], good[i]);
        sb_process_config_free(&config);
    }
    memset(long_host, 'a', 254);
    long_host[254] = '\0';
    snprintf(text, sizeof text, "return { masters = { '%s' } }", long_host);
    CHECK_EQ(load(text, NULL, NULL, 0), SB_BAD_VALUE);
    sb_process_config_free(&config);
}

TEST(a_bad_line_of_a_masterserver_txt_is_named)
{
    char path[] = "/tmp/starbase-masters-XXXXXX", text[160], error[160];
    int  file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    write_file(path, "# masters\nmaster.example.org\nmaster.example.org:99999\n");
    snprintf(text, sizeof text, "return { masters_file = '%s' }", path);
    snprintf(error, sizeof error, "server.lua: masters_file: %s: line 3: must be HOST or HOST:PORT",
             path);
    check_refused(text, error);
    unlink(path);
    check_refused("return { masters_file = '/' }", "server.lua: masters_file: /: Is a directory");
}

TEST(values_in_the_environment_are_read_by_their_kind)
{
    static const char *const environment[] = {
        "STARBASE_LOG_JSON=Yes", "STARBASE_LIST_OBJECT=0x10",  "STARBASE_MASTERS=a:1, b ,c",
        "STARBASE_FIDELITY=3",   "STARBASE_TIMEOUT=12.5",      "STARBASE_CHECKSUMS=Strict",
        "STARBASE_SYSTEM=2",     "STARBASE_CONFIG=/somewhere", NULL,
    };
    CHECK_EQ(load(NULL, environment, NULL, 0), SB_OK);
    const sb_room_config *room = &config.rooms[0];
    CHECK(config.log_json);
    CHECK_EQ(room->server.list_object, 16);
    CHECK_EQ(room->masters.count, 3);
    CHECK_TEXT(room->masters.items[0], "a:1");
    CHECK_TEXT(room->masters.items[1], "b");
    CHECK_TEXT(room->masters.items[2], "c");
    CHECK_EQ(room->server.combat.fidelity, 3);
    CHECK_EQ(room->server.transport.timeout_us, 12500000);
    CHECK_EQ(room->server.checksums, SB_CHECKSUM_STRICT);
    CHECK_EQ(room->server.system, 2);
    sb_process_config_free(&config);
}

TEST(rooms_without_their_own_get_consecutive_ports_and_names)
{
    check_loads(
        "return { port = 4000, name = 'X', rooms = { {}, { name = 'Y', port = 5000 }, {} } }");
    CHECK_EQ(config.room_count, 3);
    CHECK_EQ(config.rooms[0].port, 4000);
    CHECK_EQ(config.rooms[1].port, 5000);
    CHECK_EQ(config.rooms[2].port, 5001);
    CHECK_TEXT(config.rooms[0].shown_name, "X 1");
    CHECK_TEXT(config.rooms[1].shown_name, "Y");
    CHECK_TEXT(config.rooms[2].shown_name, "X 3");
    sb_process_config_free(&config);
    check_loads("return { rooms = 5 }");
    CHECK_EQ(config.room_count, 5);
    CHECK_EQ(config.rooms[4].port, 22105);
    sb_process_config_free(&config);
}

/* A name of 63 bytes is cut so that its number fits. */
TEST(rooms_with_one_long_name_differ_on_the_wire)
{
    char name[64], text[300];
    memset(name, 'n', 63);
    name[63] = '\0';
    snprintf(text, sizeof text, "return { name = '%s', rooms = 12 }", name);
    check_loads(text);
    for (size_t i = 0; i < 12; i++) {
        const sb_room_config *room = &config.rooms[i];
        char                  number[8];
        int                   size = snprintf(number, sizeof number, " %zu", i + 1);
        CHECK_EQ(room->server.name.size, SB_SERVER_NAME_MAX);
        CHECK_BYTES(room->server.name.data + 63 - size, (size_t)size, number, (size_t)size);
        CHECK_BYTES(room->server.name.data, room->server.name.size, room->shown_name,
                    strlen(room->shown_name));
    }
    sb_process_config_free(&config);
    /* 31 characters of two bytes each are 31 bytes on the wire: nothing is cut. */
    for (size_t i = 0; i < 31; i++) memcpy(name + 2 * i, "\xC3\xA9", 2);
    name[62] = '\0';
    snprintf(text, sizeof text, "return { name = '%s', rooms = 2 }", name);
    check_loads(text);
    CHECK_EQ(config.rooms[1].server.name.size, 33);
    CHECK_EQ(config.rooms[1].server.name.data[32], '2');
    sb_process_config_free(&config);
}

TEST(a_number_of_rooms_extends_or_shortens_the_list)
{
    static const char       text[] = "return { rooms = { { name = 'a' }, { name = 'b' } } }";
    static const sb_setting three = { "--rooms", "rooms", "3" }, one = { "--rooms", "rooms", "1" };
    CHECK_EQ(load(text, NULL, &three, 1), SB_OK);
    CHECK_EQ(config.room_count, 3);
    CHECK_TEXT(config.rooms[1].shown_name, "b");
    CHECK_TEXT(config.rooms[2].shown_name, "Starbase");
    sb_process_config_free(&config);
    CHECK_EQ(load(text, NULL, &one, 1), SB_OK);
    CHECK_EQ(config.room_count, 1);
    sb_process_config_free(&config);
}

TEST(masters_come_from_a_masterserver_txt_too)
{
    char path[] = "/tmp/starbase-masters-XXXXXX", text[160], error[160];
    int  file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    write_file(path, "# masters\r\n\r\nmaster.example.org\r\n10.0.0.1:27901 # ours\n// another\n");
    snprintf(text, sizeof text, "return { masters = { 'first' }, masters_file = '%s' }", path);
    check_loads(text);
    const sb_texts *masters = &config.rooms[0].masters;
    CHECK_EQ(masters->count, 3);
    CHECK_TEXT(masters->items[0], "first");
    CHECK_TEXT(masters->items[1], "master.example.org");
    CHECK_TEXT(masters->items[2], "10.0.0.1:27901");
    sb_process_config_free(&config);
    unlink(path);
    snprintf(error, sizeof error, "server.lua: masters_file: %s: No such file or directory", path);
    check_refused(text, error);
}

TEST(the_data_directory_of_the_sources_gives_the_stock_ships)
{
    check_loads("return { data = '" SB_SOURCE_DIR "/data' }");
    CHECK(config.rooms[0].server.ships);
    CHECK_EQ(config.rooms[0].server.ships->count, sb_stock_ships()->count);
    CHECK(config.rooms[0].server.combat.projectiles);
    sb_process_config_free(&config);
    check_refused("return { data = 'no/such/place' }",
                  "server.lua: data: no/such/place: No such file or directory");
}

TEST(a_manifest_that_cannot_be_read_refuses_the_configuration)
{
    check_refused("return { manifests = { 'vanilla', 'missing.csv' } }",
                  "server.lua: manifests: missing.csv: No such file or directory");
}

TEST(learn_makes_the_mode_learn)
{
    check_loads("return { learn = 'x.csv' }");
    CHECK_EQ(config.rooms[0].server.checksums, SB_CHECKSUM_LEARN);
    sb_process_config_free(&config);
}

/* The path is checked at the start, not when a player has joined. */
TEST(a_place_where_nothing_can_be_written_cannot_be_learned_to)
{
    check_refused("return { learn = '/no/such/place/x.csv' }",
                  "server.lua: learn: /no/such/place/x.csv: No such file or directory");
    check_refused("return { learn = '/dev/null/x.csv' }",
                  "server.lua: learn: /dev/null/x.csv: Not a directory");
    check_refused("return { learn = '/tmp' }", "server.lua: learn: /tmp: Is a directory");
    check_loads("return { learn = '/tmp/x.csv' }");
    sb_process_config_free(&config);
}

/* ---- what is shown can be loaded ---- */

static char *print_config(void)
{
    static char  *text; /* static: gcc 12 takes a returned local's value for its address */
    static size_t size;
    FILE         *out = open_memstream(&text, &size);
    CHECK(out);
    sb_process_config_print(out, &config);
    fclose(out);
    return text;
}

/* The text without its first line, which names the file. */
static const char *body(const char *text)
{
    const char *line = strchr(text, '\n');
    return line ? line : text;
}

TEST(the_effective_configuration_loads_to_the_same_configuration)
{
    check_loads(
        "return { name = 'A \"quoted\" name \\\\', masters = { 'a', 'b:1' }, restart = 1.5,"
        "combat = { beam_low = 0.3 }, mods = { { type = 200, policy = 'team' } },"
        "rooms = { {}, { name = 'Other', max_players = 3, combat = { beam_low = 0.4 } } } }");
    char *first = print_config();
    sb_process_config_free(&config);
    check_loads(first);
    char *second = print_config();
    CHECK_EQ(config.room_count, 2);
    CHECK_EQ(config.rooms[1].server.max_players, 3);
    CHECK(config.rooms[1].server.combat.constants.beam_low == 0.4f);
    CHECK_EQ(config.rooms[0].server.mod_policy[200], SB_MOD_TEAM);
    sb_process_config_free(&config);
    CHECK_TEXT(body(second), body(first));
    free(first);
    free(second);
}

static void check_shown_loads_again(void)
{
    char *first = print_config();
    sb_process_config_free(&config);
    check_loads(first);
    char *second = print_config();
    sb_process_config_free(&config);
    CHECK_TEXT(body(second), body(first));
    free(first);
    free(second);
}

/* Sixteen names of the maximum length. */
TEST(long_lists_are_shown_whole)
{
    char   text[6000] = "return { masters = { ";
    size_t at = strlen(text);
    for (int i = 0; i < SB_MASTERS_MAX; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "'%0245d.m%d', ", 0, i);
    snprintf(text + at, sizeof text - at, "} }");
    check_loads(text);
    CHECK_EQ(config.rooms[0].masters.count, SB_MASTERS_MAX);
    check_shown_loads_again();
}

TEST(fractions_and_taken_back_policies_are_shown_as_they_are)
{
    check_loads("return { combat = { beam_low = 0.1 }, mods = { { type = 200, policy = 'drop' } },"
                "modifiers = { { 1.2345678, 0.1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } },"
                "rooms = { {}, { mods = { { type = 200, policy = 'default' } } } } }");
    char *shown = print_config();
    CHECK(strstr(shown, "beam_low = 0.1,"));
    CHECK(strstr(shown, "{ 1.2345678, 0.1, 1 }"));
    sb_process_config_free(&config);
    check_loads(shown);
    CHECK_EQ(config.rooms[0].mods[200], SB_MOD_DROP);
    CHECK_EQ(config.rooms[1].mods[200], SB_MOD_DEFAULT);
    check_shown_loads_again();
    free(shown);
}

/* ---- the table ---- */

TEST(keys_have_different_names_and_a_help)
{
    const sb_key *keys = sb_config_keys();
    for (size_t i = 0; keys[i].name; i++) {
        CHECK(keys[i].help && keys[i].help[0]);
        for (size_t k = 0; k < i; k++) CHECK(strcmp(keys[i].name, keys[k].name) != 0);
    }
}

/* ---- what a change needs ---- */

static char told[2000];

static void note_change(void *context, const char *key, unsigned room)
{
    size_t at = strlen(told);
    (void)context;
    snprintf(told + at, sizeof told - at, "%s", at ? ", " : "");
    at = strlen(told);
    if (room) snprintf(told + at, sizeof told - at, "%s of %u", key, room);
    else snprintf(told + at, sizeof told - at, "%s", key);
}

static const char *changes_of(size_t rooms, const char *before, const char *after,
                              sb_key_change change)
{
    static sb_process_config old;
    check_loads(before);
    old = config;
    check_loads(after);
    told[0] = '\0';
    sb_process_config_compare(&old, &config, rooms, change, note_change, NULL);
    sb_process_config_free(&old);
    sb_process_config_free(&config);
    return told;
}

static const char *changes(const char *before, const char *after, sb_key_change change)
{
    return changes_of(1, before, after, change);
}

TEST(changes_are_named_by_when_they_count)
{
    static const char before[] = "return { name = 'a', masters = { 'x' } }";
    static const char after[] =
        "return { name = 'b', password = 'p', mission = 'team', system = 5, fidelity = 'relay',"
        "log_json = true, log_level = 'debug', retransmit = 'stock', timeout = 20, restart = 5,"
        "answers_per_source = 1, stock_updates = true, masters = { 'y' }, learn = 'f.csv',"
        "combat = { beam_low = 0.1 }, mods = { { type = 0xCD, policy = 'drop' } },"
        "modifiers = { { 2, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } }, list_object = 1, rooms = 3,"
        "bind = '127.0.0.1' }";
    CHECK_TEXT(changes(before, after, SB_CHANGE_RESTART),
               "bind, rooms, learn, fidelity, retransmit, stock_updates, "
               "list_object, log_json, combat");
    CHECK_TEXT(changes(before, after, SB_CHANGE_NEWCOMERS), "password, timeout");
    CHECK_TEXT(changes(before, "return { max_players = 9 }", SB_CHANGE_GROWS), "max_players");
    CHECK_TEXT(changes(before, after, SB_CHANGE_WHEN_EMPTY), "mission, system, modifiers");
    CHECK_TEXT(changes(before, after, SB_CHANGE_AT_ONCE),
               "name, restart, checksums, masters, answers_per_source, log_level, mods");
    CHECK_TEXT(changes(before, before, SB_CHANGE_RESTART), "");
}

TEST(a_change_of_one_room_is_told_with_its_number)
{
    CHECK_TEXT(changes_of(3, "return { rooms = { {}, {}, {} } }",
                          "return { rooms = { {}, { retransmit = 'stock' }, { port = 4000 } } }",
                          SB_CHANGE_RESTART),
               "port of 3, retransmit of 2");
    CHECK_TEXT(changes_of(3, "return { rooms = 3 }", "return { rooms = 3, timeout = 20 }",
                          SB_CHANGE_NEWCOMERS),
               "timeout");
}

/* Configured rooms that do not run yet start after a restart. */
TEST(rooms_that_do_not_run_have_no_changes)
{
    static const char before[] = "return { rooms = { { name = 'a' }, { name = 'b' } } }";
    static const char after[] =
        "return { rooms = { { name = 'c' }, { name = 'd', restart = 5 } } }";
    CHECK_TEXT(changes_of(1, before, after, SB_CHANGE_AT_ONCE), "name");
    CHECK_TEXT(changes_of(2, before, after, SB_CHANGE_AT_ONCE), "name, restart of 2");
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file);
    char  *text = calloc(1, 1 << 16);
    size_t size = fread(text, 1, (1 << 16) - 1, file);
    CHECK(size > 0);
    fclose(file);
    return text;
}

TEST(the_example_is_what_the_table_of_keys_prints)
{
    char  *example = read_whole(SB_SOURCE_DIR "/examples/server.lua"), *printed = NULL;
    size_t size;
    FILE  *out = open_memstream(&printed, &size);
    check_loads(NULL);
    sb_process_config_print_example(out, &config);
    fclose(out);
    sb_process_config_free(&config);
    if (strcmp(example, printed) != 0)
        FAIL("run: build/apps/starbase serve --example > examples/server.lua");
    free(example);
    free(printed);
}

TEST(the_example_shows_the_defaults)
{
    char *example = read_whole(SB_SOURCE_DIR "/examples/server.lua");
    check_loads(example);
    char *shown = print_config();
    sb_process_config_free(&config);
    check_loads(NULL);
    char *defaults = print_config();
    sb_process_config_free(&config);
    CHECK_TEXT(body(shown), body(defaults));
    free(example);
    free(shown);
    free(defaults);
}
