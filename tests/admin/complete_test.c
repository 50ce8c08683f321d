/* tests/admin/complete_test.c -- the words that the Tab key offers. */
#include "admin/complete.h"

#include "rig.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static char offered[8192];

static void collect(void *context, const char *word)
{
    (void)context;
    size_t size = strlen(offered);
    snprintf(offered + size, sizeof offered - size, "%s,", word);
}

static const char *complete(rig *r, const char *line)
{
    offered[0] = '\0';
    sb_admin_complete(&r->admin, &r->actor, line, collect, NULL);
    return offered;
}

TEST(words_are_completed_by_their_place)
{
    rig *r = rig_open(2);
    rig_add_player(r, 0, 2, "Kirk", 1);
    rig_add_player(r, 1, 3, "Bot 1", 1);
    CHECK_TEXT(complete(r, "ki"), "kick,");
    CHECK_TEXT(complete(r, "2 ki"), "kick,");
    CHECK_TEXT(complete(r, "kick "), "Kirk,Bot 1,");
    CHECK_TEXT(complete(r, "kick k"), "Kirk,");
    CHECK_TEXT(complete(r, "2 kick b"), "Bot 1,");
    CHECK_TEXT(complete(r, "role Kirk "), "helper,moderator,admin,none,");
    CHECK_TEXT(complete(r, "set friendly"), "friendly_fire,");
    CHECK_TEXT(complete(r, "help unm"), "unmute,");
    CHECK_TEXT(complete(r, "set max_players 8 "), "");
    CHECK_TEXT(complete(r, "bots o"), "off,");
    CHECK_TEXT(complete(r, "slots "), "");
    CHECK_TEXT(complete(r, "frob "), "");
    CHECK_TEXT(complete(r, "ban "), "Kirk,Bot 1,"); /* known, if not available here */
    CHECK(!strstr(complete(r, ""), "ban,"));
    CHECK(strstr(complete(r, ""), "say,"));
    rig_close(r);
}

TEST(players_are_offered_only_what_they_may_use)
{
    rig *r = rig_open(1);
    r->actor = (sb_actor){ SB_DOOR_CHAT, SB_ROLE_PLAYER, "chat:Kirk", 0, 2 };
    CHECK_TEXT(complete(r, ""), "help,players,admin,");
    CHECK_TEXT(complete(r, "kick "), "");
    rig_close(r);
}
