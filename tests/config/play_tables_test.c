/* tests/config/play_tables_test.c -- the tables votes and rotation, and the lists motd and rules.
 */
#include "config/process_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static sb_process_config config;

/* The error, or NULL. */
static const char *load(const char *text)
{
    char  path[] = "/tmp/starbase-tables-XXXXXX";
    int   descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
    sb_config_sources sources = { .file = path };
    sb_result         result = sb_process_config_load(&config, &sources);
    unlink(path);
    return result == SB_OK ? NULL : config.data.error;
}

static void load_fine(const char *text)
{
    const char *error = load(text);
    if (error) FAIL("%s", error);
}

static void refuses(const char *text, const char *part)
{
    const char *error = load(text);
    if (!error || !strstr(error, part)) FAIL("`%s`: %s", text, error ? error : "accepted");
    sb_process_config_free(&config);
}

TEST(without_a_table_there_are_three_votes)
{
    load_fine("name = \"x\"");
    CHECK_EQ(config.rooms[0].votes.count, 3);
    CHECK_EQ(config.rooms[0].rotation.count, 0);
    sb_process_config_free(&config);
    load_fine("votes = {}");
    CHECK_EQ(config.rooms[0].votes.count, 0);
    sb_process_config_free(&config);
}

TEST(rows_of_votes_have_defaults)
{
    load_fine("votes = { { name = \"end\", text = \"end it\", command = \"end\", seconds = 10 } }");
    const sb_vote_row *row = config.rooms[0].votes.rows;
    CHECK_TEXT(row->command, "end");
    CHECK_EQ(row->quorum, 50);
    CHECK_EQ(row->majority, 51);
    CHECK_EQ(row->seconds, 10);
    CHECK_EQ(row->argument, SB_VOTE_NOTHING);
    sb_process_config_free(&config);
}

TEST(wrong_rows_are_named)
{
    refuses("votes = { { name = \"x\", text = \"y\" } }", "votes[1].command: is missing");
    refuses("votes = { { name = \"x\", text = \"y\", command = \"say %d\" } }",
            "votes[1]: text and");
    refuses("votes = { { name = \"x\", text = \"y\", command = \"z\", majority = 20 } }",
            "majority");
    refuses("votes = { { name = \"x\", text = \"y\", command = \"z\" },"
            " { name = \"x\", text = \"y\", command = \"z\" } }",
            "votes[2]: there is a vote `x` already");
    refuses("rotation = { { time_limit = 5 } }", "rotation[1]: must have a system or a mission");
    refuses("rotation = { { mission = \"race\" } }", "rotation[1].mission");
    refuses("rotation = { { system = \"Multi1\" }, { system = \"Nowhere\" } }",
            "there is no star system `Nowhere` (entry 2)");
    refuses("motd = { \"Hello %nobody%\" }", "unknown placeholder");
}

TEST(the_first_entry_is_what_the_room_plays)
{
    load_fine("system = \"Multi2\"\ntime_limit = 30\nfrag_limit = 7\n"
              "rotation = { { system = 3, mission = \"team\", time_limit = 15 }, { mission = "
              "\"ffa\" } }");
    const sb_room_config *room = &config.rooms[0];
    CHECK_TEXT(room->place->name, "Multi3");
    CHECK_TEXT(room->server.match.mode->key, "team");
    CHECK_EQ(room->server.match.time_limit_min, 15);
    CHECK_EQ(room->server.match.frag_limit, 7);
    /* What the second one leaves out is as the keys say, not as the first one says. */
    const sb_rotation_entry *second = &room->rotation.entries[1];
    CHECK_TEXT(second->system, "Multi2");
    CHECK_EQ(second->time_limit, 30);
    sb_process_config_free(&config);
}

TEST(a_choice_changes_what_clients_load)
{
    sb_server_config out;
    load_fine("system = \"Multi2\"");
    const sb_room_config *room = &config.rooms[0];
    out = room->server;
    CHECK(sb_room_config_choose(room, "multi5", "team", 5, -1, &out));
    CHECK_EQ(out.system, 5);
    CHECK_TEXT(out.match.mode->key, "team");
    CHECK_EQ(out.match.time_limit_min, 5);
    CHECK(sb_room_config_choose(room, "", NULL, -1, -1, &out));
    CHECK_EQ(out.system, 2);
    CHECK(!sb_room_config_choose(room, "nowhere", NULL, -1, -1, &out));
    CHECK(!sb_room_config_choose(room, NULL, "race", -1, -1, &out));
    sb_process_config_free(&config);
}

TEST(lines_for_players_may_have_commas)
{
    load_fine("motd = { \"Welcome, %player%\", \"Have fun\" }\nrules = \"Be nice, always\"\n"
              "rooms = { {}, { rules = {} } }");
    CHECK_EQ(config.rooms[0].motd.count, 2);
    CHECK_TEXT(config.rooms[0].motd.items[0], "Welcome, %player%");
    CHECK_EQ(config.rooms[0].rules.count, 1);
    CHECK_TEXT(config.rooms[0].rules.items[0], "Be nice, always");
    CHECK_EQ(config.rooms[1].motd.count, 2);
    CHECK_EQ(config.rooms[1].rules.count, 0);
    sb_process_config_free(&config);
}

/* Sets motd on the command line; returns the error, or NULL. */
static const char *set_motd(const char *value)
{
    sb_setting        setting = { "--set", "motd", value };
    sb_config_sources sources = { .settings = &setting, .setting_count = 1 };
    sb_result         result = sb_process_config_load(&config, &sources);
    return result == SB_OK ? NULL : config.data.error;
}

TEST(a_list_outside_the_file_may_have_commas_in_quotes)
{
    static const struct {
        const char *value, *entries[3];
    } cases[] = {
        { "one, two", { "one", "two" } },
        { "\"Welcome, %player%\", \"Have fun\"", { "Welcome, %player%", "Have fun" } },
        { " \"a,b\" ,c, \"d\\\\\\\"e\"", { "a,b", "c", "d\\\"e" } },
        { "say \"hi\", C:\\x", { "say \"hi\"", "C:\\x" } },
        { "one,,two,", { "one", "two" } },
        { "", { NULL } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *error = set_motd(cases[i].value);
        if (error) FAIL("%s: %s", cases[i].value, error);
        const sb_texts *motd = &config.rooms[0].motd;
        size_t          count = 0;
        for (; count < 3 && cases[i].entries[count]; count++)
            if (count < motd->count) CHECK_TEXT(motd->items[count], cases[i].entries[count]);
        CHECK_EQ(motd->count, count);
        sb_process_config_free(&config);
    }
}

TEST(wrong_quotes_of_a_list_are_explained)
{
    static const struct {
        const char *value, *error;
    } cases[] = {
        { "\"Hello, all", "a quote is not closed" },
        { "\"Hello\" all", "a comma must follow an entry in quotes" },
        { "one, \"two\\\"", "a quote is not closed" },
        { "one, \"\"", "must be a list of at most 32 texts" },
        { "one,  , two", "must be a list of at most 32 texts" },
        { "\"%nobody%, hello\"", "unknown placeholder" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *error = set_motd(cases[i].value);
        if (!error || !strstr(error, cases[i].error))
            FAIL("%s: %s", cases[i].value, error ? error : "accepted");
        sb_process_config_free(&config);
    }
}

TEST(what_is_printed_reads_as_the_same_tables)
{
    static char       text[1 << 17];
    sb_process_config again;
    load_fine(
        "motd = { \"a \\\"b\\\"\" }\n"
        "votes = { { name = \"x\", text = \"say \\\"%s\\\"\", command = \"say %s\", "
        "argument = \"word\" } }\nrotation = { { system = \"Multi4\" }, { mission = \"team\" } }");
    FILE *out = fmemopen(text, sizeof text, "w");
    sb_process_config_print(out, &config);
    fclose(out);
    again = config;
    load_fine(text);
    CHECK(sb_vote_rows_are_equal(&config.rooms[0].votes, &again.rooms[0].votes));
    CHECK(sb_rotation_entries_are_equal(&config.rooms[0].rotation, &again.rooms[0].rotation));
    CHECK_TEXT(config.rooms[0].motd.items[0], "a \"b\"");
    sb_process_config_free(&config);
    sb_process_config_free(&again);
}
