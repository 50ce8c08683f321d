/* tests/admin/command_test.c -- the table of commands, arguments, rooms, roles, records. */
#include "admin/command.h"

#include "admin/words.h"
#include "rig.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* A moderator who types in chat. */
static void be_player(rig *r, sb_role role)
{
    r->actor = (sb_actor){ SB_DOOR_CHAT, role, "chat:Kirk", 0, 2 };
}

static rig *open_room(void)
{
    rig *r = rig_open(1);
    rig_add_player(r, 0, 2, "Kirk", 0x0A000001);
    rig_add_player(r, 0, 3, "Bot 1", 0x0A000002);
    return r;
}

/* ---- the table ---- */

TEST(every_command_has_a_name_of_its_own_a_door_and_a_help)
{
    for (int i = 0; i < SB_COMMAND_COUNT; i++) {
        const sb_command *c = &sb_commands[i];
        CHECK(c->name && c->help && c->name[0] && c->help[0]);
        CHECK(c->flags & (SB_COMMAND_AT_SHELL | SB_COMMAND_IN_CHAT));
        CHECK_EQ(sb_command_find(c->name), i);
        /* A required argument never follows an optional one, and only a last one takes the rest. */
        for (size_t k = 0; k + 1 < SB_ARGUMENTS_MAX; k++) {
            const sb_argument *a = &c->arguments[k], *next = &c->arguments[k + 1];
            if (next->kind == SB_ARGUMENT_NONE) break;
            CHECK(!a->optional || next->optional);
            CHECK(a->kind != SB_ARGUMENT_TEXT && a->kind != SB_ARGUMENT_VALUE);
        }
    }
}

TEST(commands_of_operators_are_not_for_chat)
{
    for (int i = 0; i < SB_COMMAND_COUNT; i++)
        if (sb_commands[i].least == SB_ROLE_OPERATOR)
            CHECK_EQ(sb_commands[i].flags & SB_COMMAND_IN_CHAT, 0);
}

/* ---- arguments ---- */

TEST(arguments_are_read_by_their_kinds)
{
    rig *r = open_room();
    rig_has(r, SB_COMMAND_KICK);
    CHECK_SAYS(r, "kick Bot 1 10m \"no ramming\"", "done");
    CHECK_EQ(r->call.values[0].player.peer_id, 3);
    CHECK_EQ(r->call.values[1].duration, 600 * SB_SECOND);
    CHECK_TEXT(r->values[2], "no ramming");
    CHECK_SAYS(r, "kick kirk no 10m ramming", "done"); /* not a time: the reason */
    CHECK(!r->call.values[1].given);
    CHECK_TEXT(r->values[2], "no 10m ramming");
    CHECK_SAYS(r, "kick kirk 3 warnings", "done"); /* a reason may begin with a number */
    CHECK(!r->call.values[1].given);
    CHECK_TEXT(r->values[2], "3 warnings");
    CHECK_SAYS(r, "kick kirk \"2 hours of spam\"", "done");
    CHECK_TEXT(r->values[2], "2 hours of spam");
    CHECK_SAYS(r, "kick kirk 4th warning", "done");
    CHECK_TEXT(r->values[2], "4th warning");
    CHECK_SAYS(r, "kick kirk forever", "done");
    CHECK(r->call.values[1].given && r->call.values[1].duration == SB_FOREVER);
    CHECK_TEXT(r->values[2], "");
    rig_close(r);
}

TEST(a_number_may_have_a_word)
{
    rig *r = open_room();
    rig_has(r, SB_COMMAND_BOTS);
    CHECK_SAYS(r, "bots 4", "done");
    CHECK_EQ(r->call.values[0].number, 4);
    CHECK_SAYS(r, "bots OFF", "done");
    CHECK(r->call.values[0].given && r->call.values[0].number == 0);
    CHECK_SAYS(r, "bots", "done");
    CHECK(!r->call.values[0].given);
    rig_close(r);
}

TEST(only_a_value_may_be_empty)
{
    rig *r = open_room();
    rig_has(r, SB_COMMAND_PASSWORD);
    rig_has(r, SB_COMMAND_SET);
    rig_has(r, SB_COMMAND_BANS);
    CHECK_SAYS(r, "password \"\"", "done");
    CHECK(r->call.values[0].given);
    CHECK_TEXT(r->values[0], "\"\""); /* the effect knows what quotes of its key mean */
    CHECK_SAYS(r, "set motd \"\"", "done");
    CHECK(r->call.values[1].given);
    CHECK_SAYS(r, "set motd \"one, two\", three", "done");
    CHECK_TEXT(r->values[1], "\"one, two\", three");
    CHECK_SAYS(r, "set motd", "done");
    CHECK(!r->call.values[1].given);
    CHECK_SAYS(r, "bans \"\"", "done"); /* an optional text: as if it were left out */
    CHECK(!r->call.values[0].given);
    rig_close(r);
}

TEST(a_target_needs_no_player)
{
    rig *r = open_room();
    rig_has(r, SB_COMMAND_BAN);
    CHECK_SAYS(r, "ban 198.51.100.0/24 7d spam", "done");
    CHECK_TEXT(r->values[0], "198.51.100.0/24");
    CHECK_EQ(r->call.values[0].player.peer_id, 0);
    CHECK_SAYS(r, "ban name:*bot* x", "done");
    CHECK_TEXT(r->values[0], "name:*bot*");
    CHECK_SAYS(r, "ban Bot 1 x", "done");
    CHECK_EQ(r->call.values[0].player.peer_id, 3);
    CHECK_SAYS(r, "ban Spock", "there is no player `Spock`");
    rig_close(r);
}

TEST(wrong_arguments_are_explained)
{
    static const struct {
        const char     *line, *answer;
        sb_reply_status status;
    } cases[] = {
        { "kick", "a name or an id is missing: `kick PLAYER [FOR] [REASON]`", SB_REPLY_USAGE },
        { "kick 99", "there is no player 99", SB_REPLY_NEGATIVE },
        { "say", "a text is missing: `say TEXT`", SB_REPLY_USAGE },
        { "say \"\"", "a text is missing: `say TEXT`", SB_REPLY_USAGE },
        { "say \" \t\" ", "a text is missing: `say TEXT`", SB_REPLY_USAGE },
        { "tell Kirk \"\"", "a text is missing: `tell PLAYER TEXT`", SB_REPLY_USAGE },
        { "kick \"\"", "a name or an id is missing", SB_REPLY_USAGE },
        { "kick \"\" 10m", "a name or an id is missing", SB_REPLY_USAGE },
        { "ban \"\"", "a name, an id or an address is missing", SB_REPLY_USAGE },
        { "map \"\"", "a word is missing: `map SYSTEM`", SB_REPLY_USAGE },
        { "unban \"\"", "a text is missing: `unban NUMBER`", SB_REPLY_USAGE },
        { "set \"\" 3", "a key is missing", SB_REPLY_USAGE },
        { "password", "a value is missing", SB_REPLY_USAGE },
        { "bots 99", "N must be a number from 0 to 16 or off, is `99`", SB_REPLY_USAGE },
        { "bots many", "N must be a number from 0 to 16 or off, is `many`", SB_REPLY_USAGE },
        { "bots 4 5", "takes no further argument, but `5` follows", SB_REPLY_USAGE },
        { "slots 17", "N must be a number from 0 to 16, is `17`", SB_REPLY_USAGE },
        { "kick Kirk 10min spam", "`10min` is no time", SB_REPLY_USAGE },
        { "kick Kirk 10M", "`10M` is no time", SB_REPLY_USAGE },
        { "kick Kirk 0s", "`0s` is no time", SB_REPLY_USAGE },
        { "ban Kirk 30", "`30` is no time", SB_REPLY_USAGE },
        { "mute Kirk 2 hours", "`2 hours` is no time", SB_REPLY_USAGE },
        { "mute Kirk 2 h spam", "`2 h` is no time", SB_REPLY_USAGE },
        { "slots x", "N must be a number", SB_REPLY_USAGE },
        { "role Kirk god", "there is no role `god`", SB_REPLY_USAGE },
        { "set max_player 3", "did you mean `max_players`?", SB_REPLY_USAGE },
        { "drain maybe", "`maybe` is none of on|off", SB_REPLY_USAGE },
        { "help frob", "there is no command `frob`", SB_REPLY_USAGE },
        { "sya hi", "did you mean `say`?", SB_REPLY_USAGE },
        { "quit now", "`quit` takes no argument, but `now` follows", SB_REPLY_USAGE },
        { "unmute Kirk now", "takes no further argument, but `now` follows", SB_REPLY_USAGE },
        { "vote kick Kirk", "works in the game's chat only: `!vote`", SB_REPLY_USAGE },
        { "ban 1.2.3.4", "`ban` is not available on this server", SB_REPLY_NEGATIVE },
    };
    rig *r = open_room();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_SAYS(r, cases[i].line, cases[i].answer);
        CHECK_EQ(r->reply.status, cases[i].status);
        CHECK_EQ(r->posted_count, 0);
        CHECK_TEXT(r->record, "");
    }
    rig_close(r);
}

TEST(the_command_of_a_vote_is_checked_without_players)
{
    static const struct {
        const char *line, *unknown;
        bool        player;
        const char *wrong; /* NULL: fine */
    } cases[] = {
        { "kick %s voted out", "%s", true, NULL },
        { "kick %s 10m voted out", "%s", true, NULL },
        { "say \"%s\" is here", "%s", true, NULL },
        { "say %s is here", "%s", true, NULL },
        { "map %s", "%s", false, NULL },
        { "bots %s", "%s", false, NULL },
        { "kick %s", "%s", false, NULL },
        { "tell Kirk that is enough", NULL, false, NULL },
        { "unmute Bot 1", NULL, false, NULL },
        { "restart", NULL, false, NULL },
        { "mpa %s", "%s", false, "there is no command `mpa`; did you mean `map`?" },
        { "frob", NULL, false, "there is no command `frob`" },
        { "yes", NULL, false, "works in the game's chat only" },
        { "2 restart", NULL, false, "there is no command `2`" },
        { "restart now", NULL, false, "`restart` takes no argument, but `now` follows" },
        { "restart %s", "%s", false, "`restart` takes no argument, but `%s` follows" },
        { "bots 99", NULL, false, "N must be a number from 0 to 16 or off, is `99`" },
        { "kick", NULL, false, "a name or an id is missing" },
        { "mute %s", "%s", true, NULL },
        { "map %s", "%s", true, "`%s` is a player, but `map` takes SYSTEM there" },
        { "kick \"%s\" spam", "%s", true, "`%s` must stand alone, without quotes" },
        { "  ", NULL, false, "a command is missing" },
    };
    static const sb_actor vote = { SB_DOOR_VOTE, SB_ROLE_OPERATOR, "vote", 0, 0 };
    rig                  *r = open_room();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_command_check check = { cases[i].unknown, cases[i].player };
        sb_reply_init(&r->reply, &r->log, "test");
        r->size = 0;
        bool fine = sb_admin_check(&r->admin, &vote, cases[i].line, &check, &r->reply);
        if (fine != !cases[i].wrong) FAIL("`%s`: %s", cases[i].line, r->reply.summary);
        if (!fine) CHECK(strstr(r->reply.summary, cases[i].wrong));
        CHECK_EQ(r->posted_count, 0);
    }
    CHECK_TEXT(r->record, "");
    rig_close(r);
}

TEST(a_line_has_at_most_511_bytes)
{
    char line[SB_ADMIN_LINE_MAX + 1];
    rig *r = open_room();
    memset(line, 'x', sizeof line);
    line[SB_ADMIN_LINE_MAX] = '\0';
    CHECK_SAYS(r, line, "at most 511 bytes");
    line[SB_ADMIN_LINE_MAX - 1] = '\0';
    CHECK_SAYS(r, line, "there is no command");
    CHECK_TEXT(rig_run(r, "   "), "");
    rig_close(r);
}

/* ---- rooms ---- */

TEST(a_number_in_front_selects_a_room)
{
    rig *r = rig_open(3);
    rig_add_player(r, 1, 2, "Kirk", 1);
    (void)rig_run(r, "2 say hi");
    CHECK_EQ(r->posted_count, 1);
    CHECK_EQ(r->posted_room[0], 1);
    (void)rig_run(r, "--room 3 say hi");
    CHECK_EQ(r->posted_room[0], 2);
    (void)rig_run(r, "say hi");
    CHECK_EQ(r->posted_count, 3);
    CHECK_SAYS(r, "4 say hi", "there is no room 4, only 1 to 3");
    CHECK_SAYS(r, "0 say hi", "there is no room 0");
    CHECK_SAYS(r, "99999999999999999999 say hi", "there is no room");
    CHECK_SAYS(r, "--room", "there is no command");
    CHECK_SAYS(r, "2", "a command is missing");
    CHECK_SAYS(r, "1 quit", "leave out the number");
    CHECK_SAYS(r, "restart", "put the number of the room in front: `1 restart`");
    CHECK_SAYS(r, "kick 2 spam", "put the number of the room in front: `1 kick PLAYER");
    (void)rig_run(r, "kick Kirk spam"); /* a name is enough */
    CHECK_EQ(r->posted_room[0], 1);
    rig_close(r);
}

/* ---- effects ---- */

TEST(a_kick_tells_the_reason_and_keeps_the_player_out)
{
    rig *r = open_room();
    CHECK_SAYS(r, "kick Kirk 10m Gr\xC3\xBC\xC3\x9F", "kept out for 10 minutes");
    CHECK_EQ(r->posted[0].type, SB_ROOM_KICK);
    CHECK_EQ(r->posted[0].peer_id, 2);
    CHECK_TEXT(r->posted[0].text, "Gr\xFC\xDF");
    CHECK_EQ(r->kept_out, 600 * SB_SECOND);
    CHECK(strstr(r->record, "console|kick Kirk 10m Gr\xC3\xBC\xC3\x9F|player 2 Kirk is removed"));
    CHECK_EQ(r->posted_before_kept, 0); /* a client that is removed first is back at once */
    CHECK_SAYS(r, "kick Kirk", "kept out for 5 minutes");
    CHECK_SAYS(r, "kick Kirk forever", "kept out without end");
    CHECK(r->kept_out == SB_TIME_NEVER);
    rig_close(r);
}

TEST(texts_longer_than_a_chat_line_are_refused)
{
    char line[300] = "say ";
    rig *r = open_room();
    memset(line + 4, 'x', 256);
    CHECK_SAYS(r, line, "at most 255 characters; this one has 256");
    CHECK_EQ(r->posted_count, 0);
    line[4 + 255] = '\0';
    (void)rig_run(r, line);
    CHECK_EQ(r->posted_count, 1);
    rig_close(r);
}

TEST(mute_has_an_end_or_lasts_until_the_player_leaves)
{
    rig *r = open_room();
    CHECK_SAYS(r, "mute Kirk 10m spam", "muted: 10 minutes");
    CHECK_EQ(r->posted[0].until, r->now + 600 * SB_SECOND);
    CHECK(strstr(r->posted[0].text, "spam"));
    (void)rig_run(r, "mute Kirk");
    CHECK_EQ(r->posted[0].until, SB_TIME_NEVER);
    (void)rig_run(r, "unmute Kirk");
    CHECK_EQ(r->posted[0].until, 0);
    rig_close(r);
}

TEST(a_mute_with_an_end_holds_for_the_address)
{
    rig    *r = open_room();
    sb_time end = r->now + 600 * SB_SECOND;
    (void)rig_run(r, "mute Kirk 10m");
    CHECK_EQ(sb_admin_muted_until(&r->admin, 0x0A000001, r->now), end);
    CHECK_EQ(sb_admin_muted_until(&r->admin, 0x0A000002, r->now), 0);
    CHECK_EQ(sb_admin_muted_until(&r->admin, 0x0A000001, end), 0);
    (void)rig_run(r, "mute Kirk"); /* until the player leaves */
    CHECK_EQ(sb_admin_muted_until(&r->admin, 0x0A000001, r->now), 0);
    (void)rig_run(r, "mute Kirk 1h");
    (void)rig_run(r, "unmute Bot 1"); /* somebody else */
    CHECK(sb_admin_muted_until(&r->admin, 0x0A000001, r->now) > 0);
    (void)rig_run(r, "unmute Kirk");
    CHECK_EQ(sb_admin_muted_until(&r->admin, 0x0A000001, r->now), 0);
    rig_close(r);
}

TEST(end_says_when_the_match_is_over_already)
{
    rig *r = open_room();
    CHECK_SAYS(r, "end", "the match ends");
    r->rooms[0].over = true;
    CHECK_SAYS(r, "end", "is over already");
    CHECK_EQ(r->reply.status, SB_REPLY_NEGATIVE);
    CHECK_EQ(r->posted_count, 0);
    rig_close(r);
}

/* ---- records ---- */

TEST(commands_that_act_are_recorded_and_others_are_not)
{
    rig *r = open_room();
    (void)rig_run(r, "  say hello ");
    CHECK_TEXT(r->record, "console|say hello|said: hello");
    (void)rig_run(r, "players");
    CHECK_TEXT(r->record, "");
    (void)rig_run(r, "role");
    CHECK_TEXT(r->record, "");
    rig_close(r);
}

TEST(secrets_are_not_recorded)
{
    rig *r = open_room();
    rig_has(r, SB_COMMAND_PASSWORD);
    rig_has(r, SB_COMMAND_SET);
    (void)rig_run(r, "password sesame");
    CHECK_TEXT(r->record, "console|password|done");
    (void)rig_run(r, "set password sesame");
    CHECK_TEXT(r->record, "console|set|done");
    (void)rig_run(r, "role Kirk admin");
    CHECK(strstr(r->text, "!admin 123456"));
    CHECK(r->record[0] && !strstr(r->record, "123456"));
    be_player(r, SB_ROLE_PLAYER);
    (void)rig_run(r, "admin 123456");
    CHECK_TEXT(r->record, "chat:Kirk|admin|You are admin now. Other players do not see your lines "
                          "that begin with !");
    rig_close(r);
}

/* ---- roles ---- */

TEST(a_player_with_a_code_gets_the_role_and_is_trusted)
{
    rig *r = open_room();
    CHECK_SAYS(r, "role Kirk moderator", "within 60 seconds: !admin 123456");
    be_player(r, SB_ROLE_PLAYER);
    CHECK_SAYS(r, "admin 654321", "wrong or too old");
    CHECK_EQ(r->posted_count, 0);
    CHECK_SAYS(r, "admin 123456", "You are moderator now");
    CHECK_EQ(r->posted[0].type, SB_ROOM_TRUST);
    CHECK_EQ(r->posted[0].index, 1);
    r->actor = (sb_actor){ SB_DOOR_CONSOLE, SB_ROLE_OPERATOR, "console", 0, 0 };
    CHECK_SAYS(r, "role", "#2 Kirk is moderator");
    CHECK_SAYS(r, "players", "moderator");
    CHECK_SAYS(r, "role Kirk none", "has no role any more");
    CHECK_EQ(r->posted[0].index, 0);
    CHECK_SAYS(r, "role Kirk none", "has no role");
    CHECK_EQ(r->reply.status, SB_REPLY_NEGATIVE);
    rig_close(r);
}

TEST(a_role_has_its_commands_and_those_of_lesser_roles)
{
    static const struct {
        sb_role       role;
        sb_command_id command;
        bool          may;
    } cases[] = {
        { SB_ROLE_PLAYER, SB_COMMAND_PLAYERS, true }, { SB_ROLE_PLAYER, SB_COMMAND_MUTE, false },
        { SB_ROLE_HELPER, SB_COMMAND_MUTE, true },    { SB_ROLE_HELPER, SB_COMMAND_KICK, false },
        { SB_ROLE_MODERATOR, SB_COMMAND_KICK, true }, { SB_ROLE_MODERATOR, SB_COMMAND_BAN, false },
        { SB_ROLE_MODERATOR, SB_COMMAND_MUTE, true }, { SB_ROLE_ADMIN, SB_COMMAND_BAN, true },
        { SB_ROLE_ADMIN, SB_COMMAND_STOP, false },    { SB_ROLE_ADMIN, SB_COMMAND_ROLE, false },
        { SB_ROLE_OPERATOR, SB_COMMAND_STOP, false }, /* not in chat */
    };
    rig *r = open_room();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        be_player(r, cases[i].role);
        CHECK_EQ(sb_admin_may(&r->admin, &r->actor, cases[i].command), cases[i].may);
    }
    be_player(r, SB_ROLE_MODERATOR);
    CHECK_SAYS(r, "ban Bot 1", "`!ban` is not for the role moderator");
    be_player(r, SB_ROLE_PLAYER);
    CHECK_SAYS(r, "ban Bot 1", "there is no command `ban`");
    rig_close(r);
}

TEST(roles_act_only_against_lesser_roles)
{
    rig *r = open_room();
    (void)rig_run(r, "role Kirk moderator");
    be_player(r, SB_ROLE_PLAYER);
    (void)rig_run(r, "admin 123456");
    r->actor = (sb_actor){ SB_DOOR_CHAT, SB_ROLE_MODERATOR, "chat:Bot 1", 0, 3 };
    CHECK_SAYS(r, "kick Kirk", "Kirk has a role as high as yours");
    CHECK_EQ(r->posted_count, 0);
    CHECK_SAYS(r, "tell Kirk hi", "told");
    r->actor.role = SB_ROLE_ADMIN;
    CHECK_SAYS(r, "kick Kirk", "is removed");
    r->actor = (sb_actor){ SB_DOOR_VOTE, SB_ROLE_OPERATOR, "vote", 0, 0 };
    CHECK_SAYS(r, "kick Kirk", "Kirk has a role");
    CHECK_EQ(r->posted_count, 0);
    r->actor = (sb_actor){ SB_DOOR_CONSOLE, SB_ROLE_OPERATOR, "console", 0, 0 };
    CHECK_SAYS(r, "mute Kirk", "is muted");
    rig_close(r);
}

TEST(a_key_lists_the_commands_of_a_role)
{
    static const char *const own[] = { "kick", "restart" }, *const wrong[] = { "kick", "stop" };
    const char *word = "";
    rig        *r = open_room();
    be_player(r, SB_ROLE_HELPER);
    CHECK(sb_admin_allow(&r->admin, SB_ROLE_HELPER, own, 2, &word));
    CHECK(sb_admin_may(&r->admin, &r->actor, SB_COMMAND_KICK));
    CHECK(!sb_admin_may(&r->admin, &r->actor, SB_COMMAND_MUTE));
    CHECK(!sb_admin_allow(&r->admin, SB_ROLE_HELPER, wrong, 2, &word));
    CHECK_TEXT(word, "stop");
    CHECK(sb_admin_allow(&r->admin, SB_ROLE_HELPER, NULL, 0, &word));
    CHECK(sb_admin_may(&r->admin, &r->actor, SB_COMMAND_MUTE));
    rig_close(r);
}

TEST(a_command_of_chat_applies_to_the_room_of_its_player)
{
    rig *r = rig_open(3);
    rig_add_player(r, 1, 2, "Kirk", 1);
    rig_add_player(r, 2, 3, "Spock", 1);
    r->actor = (sb_actor){ SB_DOOR_CHAT, SB_ROLE_ADMIN, "chat:Kirk", 1, 2 };
    (void)rig_run(r, "say hi");
    CHECK_EQ(r->posted_count, 1);
    CHECK_EQ(r->posted_room[0], 1);
    CHECK_SAYS(r, "kick Spock", "there is no player `Spock`");
    CHECK_SAYS(r, "3 kick Spock", "there is no command `3`");
    rig_close(r);
}

TEST(answers_in_chat_name_commands_as_they_are_typed_there)
{
    rig *r = open_room();
    be_player(r, SB_ROLE_MODERATOR);
    CHECK_TEXT(rig_run(r, "kick"), "a name or an id is missing: `!kick PLAYER [FOR] [REASON]`\n");
    CHECK_TEXT(rig_run(r, "kick nobody"), "there is no player `nobody`; `!players` lists them\n");
    CHECK_TEXT(rig_run(r, "kick #9"), "there is no player 9; `!players` lists them\n");
    CHECK_TEXT(rig_run(r, "help kick"), "!kick PLAYER [FOR] [REASON]: remove a player, who is told "
                                        "the reason and kept out for a while\n");
    rig_close(r);
}

TEST(help_in_chat_is_one_line_of_what_the_player_may)
{
    rig *r = open_room();
    be_player(r, SB_ROLE_PLAYER);
    CHECK_TEXT(rig_run(r, "help"), "!help !players\n");
    be_player(r, SB_ROLE_HELPER);
    CHECK_TEXT(rig_run(r, "help"), "!help !players !mute !unmute !say !tell\n");
    CHECK_SAYS(r, "help !mute", "mute PLAYER [FOR] [REASON]");
    CHECK_TEXT(rig_run(r, "players"), "#2 Kirk 0, #3 Bot 1 0\n");
    r->rooms[0].players[1].view.house = true;
    CHECK_TEXT(rig_run(r, "players"), "#2 Kirk 0, #3 Bot 1 0 (bot)\n");
    rig_close(r);
}
