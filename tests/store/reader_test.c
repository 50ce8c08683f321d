/* tests/store/reader_test.c -- totals for commands in the game. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "store_rig.h"
#include "test.h"

/* Asks again until there is an answer, as a player would. */
static sb_result ask(sb_store *s, const char *name, sb_store_totals *out)
{
    sb_result result = SB_FULL;
    for (int i = 0; i < 6000 && result == SB_FULL; i++)
        if ((result = sb_store_player_totals(s, name, 0, out)) == SB_FULL) usleep(10000);
    return result;
}

static sb_store *open_with_players(const char *path)
{
    sb_store *s = rig_open(path);
    for (int i = 1; i <= 15; i++) {
        char name[16];
        snprintf(name, sizeof name, "Player %d", i);
        sb_store_entry player = rig_player("m", i, name, i, 1);
        sb_store_post(s, &player);
    }
    CHECK(rig_wait_number(path, "SELECT count(*) FROM player_match", 15));
    return s;
}

TEST(totals_of_a_name_are_answered)
{
    sb_store       *s = open_with_players(rig_path("totals.db"));
    sb_store_totals t;
    CHECK_EQ(ask(s, "player 7", &t), SB_OK);
    CHECK_TEXT(t.name, "Player 7");
    CHECK_EQ(t.kills, 7);
    CHECK_EQ(t.matches, 1);
    CHECK_EQ(ask(s, "Nobody", &t), SB_OK);
    CHECK_EQ(t.matches, 0);
    CHECK_EQ(sb_store_player_totals(s, "", 0, &t), SB_OK);
    CHECK_EQ(t.matches, 0);
    sb_store_close(s);
}

TEST(the_top_has_those_with_most_kills)
{
    sb_store       *s = open_with_players(rig_path("top.db"));
    sb_store_totals t[SB_STORE_TOP_MAX];
    size_t          count = 0;
    sb_result       result = SB_FULL;
    for (int i = 0; i < 6000 && result == SB_FULL; i++)
        if ((result = sb_store_top(s, 0, t, &count)) == SB_FULL) usleep(10000);
    CHECK_EQ(result, SB_OK);
    CHECK_EQ(count, SB_STORE_TOP_MAX);
    CHECK_TEXT(t[0].name, "Player 15");
    CHECK_TEXT(t[9].name, "Player 6");
    sb_store_close(s);
}

TEST(more_questions_than_places_are_answered_in_turn)
{
    sb_store       *s = open_with_players(rig_path("turns.db"));
    sb_store_totals t;
    for (int i = 1; i <= 15; i++) {
        char name[16];
        snprintf(name, sizeof name, "Player %d", i);
        (void)sb_store_player_totals(s, name, 0, &t);
    }
    for (int i = 1; i <= 15; i++) {
        char name[16];
        snprintf(name, sizeof name, "Player %d", i);
        CHECK_EQ(ask(s, name, &t), SB_OK);
        CHECK_EQ(t.kills, i);
    }
    sb_store_close(s);
}

TEST(a_database_that_cannot_be_read_is_no_answer)
{
    const char     *path = rig_path("letter.db");
    FILE           *file = fopen(path, "w");
    sb_store_totals t;
    for (int i = 0; i < 500; i++) fputs("this is a letter and no database ", file);
    fclose(file);
    sb_store *s = rig_open(path);
    CHECK_EQ(ask(s, "Kirk", &t), SB_OS_ERROR);
    sb_store_close(s);
}
