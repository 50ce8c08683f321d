/* tests/config/bots_table_test.c -- the key `bots`: a table or a number, in the file, the
 * environment and on the command line. */
#include "config/bots_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static sb_process_config config;

static sb_result load(const char *text, const char *variable, const char *value)
{
    char              path[] = "/tmp/starbase-bots-XXXXXX";
    const char *const environment[] = { variable, NULL };
    sb_setting        setting = { "--bots", "bots", value };
    FILE             *file = fdopen(mkstemp(path), "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    sb_config_sources sources = { .file = path, .environment = variable ? environment : NULL };
    if (value) sources.settings = &setting;
    sources.setting_count = value != NULL;
    sb_result result = sb_process_config_load(&config, &sources);
    (void)unlink(path);
    return result;
}

static const sb_bots_config *bots_of(const char *text)
{
    if (load(text, NULL, NULL) != SB_OK) FAIL("%s", config.data.error);
    return &config.rooms[0].bots;
}

static void check_refused(const char *text, const char *reason)
{
    CHECK_EQ(load(text, NULL, NULL), SB_BAD_VALUE);
    if (!strstr(config.data.error, reason)) FAIL("%s", config.data.error);
    sb_process_config_free(&config);
}

TEST(without_the_key_a_room_has_no_bots)
{
    const sb_bots_config *bots = bots_of("name = 'x'");
    CHECK(bots->fill == 0 && bots->skill == 1 && !bots->with_players && bots->count);
    CHECK(config.rooms[0].server.list_house);
    sb_process_config_free(&config);
}

TEST(a_table_of_bots_sets_everything)
{
    const sb_bots_config *bots = bots_of("bots = { fill = 4, skill = 'hard', when = 'players', "
                                         "count = false, names = { 'Ada', 'Bob' } }");
    CHECK(bots->fill == 4 && bots->skill == 2 && bots->with_players && !bots->count);
    CHECK_EQ(bots->names.count, 2);
    CHECK_TEXT(bots->names.items[1], "Bob");
    CHECK(!config.rooms[0].server.list_house);
    sb_process_config_free(&config);
}

TEST(medium_is_another_word_for_normal)
{
    CHECK_EQ(bots_of("bots = { skill = 'medium' }")->skill, 1);
    sb_process_config_free(&config);
}

TEST(bots_may_be_a_number)
{
    CHECK_EQ(bots_of("bots = 3")->fill, 3);
    sb_process_config_free(&config);
    CHECK_EQ(load("bots = { skill = 'easy' }", "STARBASE_BOTS=5", NULL), SB_OK);
    CHECK(config.rooms[0].bots.fill == 5 && config.rooms[0].bots.skill == 0);
    sb_process_config_free(&config);
    CHECK_EQ(load("rooms = { { bots = 2 }, {} }", "STARBASE_BOTS=5", "7"), SB_OK);
    CHECK(config.rooms[0].bots.fill == 7 && config.rooms[1].bots.fill == 7);
    sb_process_config_free(&config);
}

TEST(a_room_changes_what_it_sets)
{
    (void)bots_of("bots = { fill = 4, names = { 'Ada' } }\n"
                  "rooms = { {}, { bots = { fill = 2 } }, { bots = { names = {} } } }");
    CHECK(config.rooms[0].bots.fill == 4 && config.rooms[0].bots.names.count == 1);
    CHECK(config.rooms[1].bots.fill == 2 && config.rooms[1].bots.names.count == 1);
    CHECK(config.rooms[2].bots.fill == 4 && config.rooms[2].bots.names.count == 0);
    sb_process_config_free(&config);
}

TEST(what_bots_cannot_be_is_refused_with_a_reason)
{
    check_refused("bots = 17", "bots: must be a table, or a whole number from 0 to 16");
    check_refused("bots = 'many'", "bots: must be a table, or a whole number from 0 to 16");
    check_refused("bots = { fill = 1.5 }", "bots.fill: must be a whole number from 0 to 16");
    check_refused("bots = { skill = 'expert' }", "bots.skill: must be");
    check_refused("bots = { full = 4 }", "bots.full: unknown key");
    check_refused("bots = { names = { 'Ada', 'ADA' } }", "is the name of another bot, too");
    check_refused("bots = { names = { '  ' } }", "must not be blank");
    check_refused("bots = { names = { 'a\\nb' } }", "control characters");
    check_refused("bots = { names = { 'a\xE2\x80\x8F' } }", "visible characters");
    check_refused("bots = { names = { 'a\\xFF' } }", "must be UTF-8");
    check_refused("bots = { names = { '12345678901234567890123456789' } }", "at most 28");
    CHECK_EQ(load("", "STARBASE_BOTS=many", NULL), SB_BAD_VALUE);
    CHECK(strstr(config.data.error, "STARBASE_BOTS: must be a whole number from 0 to 16"));
    sb_process_config_free(&config);
    CHECK_EQ(load("", NULL, "-1"), SB_BAD_VALUE);
    CHECK(strstr(config.data.error, "--bots: must be a whole number from 0 to 16"));
    sb_process_config_free(&config);
}

TEST(printed_bots_are_read_as_the_same)
{
    char  *text;
    size_t size;
    FILE  *out = open_memstream(&text, &size);
    CHECK(out);
    sb_bots_config first = *bots_of("bots = { fill = 9, skill = 'easy', when = 'players', "
                                    "count = false, names = { 'A \"b\"', 'c\\\\d' } }");
    sb_bots_print(out, &first);
    CHECK_EQ(fclose(out), 0);
    sb_process_config kept = config; /* owns the names */
    CHECK(sb_bots_are_equal(bots_of(text), &first));
    sb_process_config_free(&config);
    CHECK(!sb_bots_are_equal(bots_of("bots = 9"), &first));
    sb_process_config_free(&kept);
    sb_process_config_free(&config);
    free(text);
}
