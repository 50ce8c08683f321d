/* tests/admin/votes_test.c -- calling, casting and counting votes. */
#include "admin/votes.h"

#include <string.h>

#include "test.h"

enum { KICK, MAP, RESTART };

static sb_votes votes;

static void start(void)
{
    sb_votes_set_rows(&votes, sb_vote_default_rows, sb_vote_default_count);
}

static sb_vote_fault call(size_t row, uint8_t caller, uint8_t target, sb_time now)
{
    return sb_votes_call(&votes, row, caller, 1000u + caller, target, "X", now, NULL);
}

TEST(the_default_rows_are_valid_and_found_by_name)
{
    start();
    for (size_t i = 0; i < sb_vote_default_count; i++)
        if (sb_vote_row_fault(&sb_vote_default_rows[i]))
            FAIL("%s: %s", sb_vote_default_rows[i].name,
                 sb_vote_row_fault(&sb_vote_default_rows[i]));
    CHECK_EQ(sb_votes_find_row(&votes, "MAP"), MAP);
    CHECK_EQ(sb_votes_find_row(&votes, "nothing"), -1);
}

TEST(a_vote_passes_as_soon_as_nobody_can_change_it)
{
    start();
    CHECK_EQ(call(KICK, 2, 5, 0), SB_VOTE_FINE); /* six players, 60 % must vote, 66 % say yes */
    CHECK_EQ(sb_votes_advance(&votes, 6, 1), SB_VOTE_OPEN);
    CHECK_EQ(sb_votes_cast(&votes, 3, true), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_cast(&votes, 4, true), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 6, 1), SB_VOTE_OPEN); /* three of six: too few */
    CHECK_EQ(sb_votes_cast(&votes, 6, true), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 6, 1), SB_VOTE_PASSED); /* four of four; two noes: 66 % */
    CHECK_EQ(sb_votes_advance(&votes, 6, 1), SB_VOTE_NONE);
    char command[SB_VOTE_COMMAND_MAX];
    sb_votes_command(&votes, command);
    CHECK_TEXT(command, "kick #5 voted out");
}

TEST(a_vote_fails_as_soon_as_nobody_can_save_it)
{
    start();
    CHECK_EQ(call(RESTART, 2, 0, 0), SB_VOTE_FINE); /* 66 % must say yes */
    CHECK_EQ(sb_votes_cast(&votes, 3, false), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 4, 1), SB_VOTE_OPEN); /* 1 to 1, and two more */
    CHECK_EQ(sb_votes_cast(&votes, 4, false), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 4, 1), SB_VOTE_FAILED);
    CHECK_EQ(sb_votes_cast(&votes, 5, true), SB_VOTE_NOT_OPEN);
}

TEST(too_few_votes_fail_when_the_time_is_up)
{
    start();
    CHECK_EQ(call(KICK, 2, 5, 0), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_deadline(&votes), 30 * SB_SECOND);
    CHECK_EQ(sb_votes_advance(&votes, 8, 30 * SB_SECOND - 1), SB_VOTE_OPEN);
    CHECK_EQ(sb_votes_advance(&votes, 8, 30 * SB_SECOND), SB_VOTE_FAILED);
    CHECK_EQ(sb_votes_deadline(&votes), SB_TIME_NEVER);
}

TEST(enough_votes_count_when_the_time_is_up)
{
    start();
    CHECK_EQ(call(MAP, 2, 0, 0), SB_VOTE_FINE); /* half of eight must vote */
    for (uint8_t id = 3; id < 6; id++) CHECK_EQ(sb_votes_cast(&votes, id, id != 3), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 8, SB_SECOND), SB_VOTE_OPEN); /* 3 to 1: four may say no */
    CHECK_EQ(sb_votes_advance(&votes, 8, 30 * SB_SECOND), SB_VOTE_PASSED);
    char command[SB_VOTE_COMMAND_MAX], question[SB_VOTE_TEXT_MAX];
    sb_votes_command(&votes, command);
    CHECK_TEXT(command, "map X");
    sb_votes_question(&votes, question);
    CHECK_TEXT(question, "play in X next");
}

TEST(one_player_alone_decides)
{
    start();
    CHECK_EQ(call(MAP, 2, 0, 0), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 1, 1), SB_VOTE_PASSED);
}

TEST(two_players_cannot_remove_each_other)
{
    start();
    CHECK_EQ(call(KICK, 2, 3, 0), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 2, 1), SB_VOTE_OPEN);
    CHECK_EQ(sb_votes_cast(&votes, 3, false), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 2, 1), SB_VOTE_FAILED);
    CHECK_EQ(call(KICK, 2, 2, 10000 * SB_SECOND), SB_VOTE_AGAINST_SELF);
}

TEST(a_vote_may_be_changed_and_leaves_with_its_player)
{
    start();
    CHECK_EQ(call(MAP, 2, 0, 0), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_cast(&votes, 2, true), SB_VOTE_CAST_ALREADY);
    CHECK_EQ(sb_votes_cast(&votes, 3, true), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_cast(&votes, 3, false), SB_VOTE_FINE);
    CHECK_EQ(votes.yes, 1);
    CHECK_EQ(votes.no, 1);
    CHECK(!sb_votes_leave(&votes, 3, 1));
    CHECK_EQ(votes.no, 0);
    CHECK(!sb_votes_leave(&votes, 2, 1)); /* the caller, too: the vote goes on */
    CHECK_EQ(votes.yes, 0);
    CHECK(votes.open);
    CHECK_EQ(sb_votes_cast(&votes, 200, true), SB_VOTE_NOT_OPEN); /* no such id */
}

TEST(a_vote_ends_when_its_player_leaves)
{
    start();
    CHECK_EQ(call(KICK, 2, 5, 0), SB_VOTE_FINE);
    CHECK(sb_votes_leave(&votes, 5, SB_SECOND));
    CHECK(!votes.open);
    CHECK_EQ(call(KICK, 3, 6, 2 * SB_SECOND), SB_VOTE_ROW_COOLS);
}

TEST(rows_and_callers_cool_down_after_a_failure)
{
    start();
    uint32_t wait = 0;
    CHECK_EQ(call(MAP, 2, 0, 0), SB_VOTE_FINE);
    CHECK_EQ(call(RESTART, 3, 0, 0), SB_VOTE_IS_OPEN);
    CHECK_EQ(sb_votes_advance(&votes, 8, 30 * SB_SECOND), SB_VOTE_FAILED);
    CHECK_EQ(sb_votes_call(&votes, MAP, 3, 1003, 0, "X", 31 * SB_SECOND, &wait), SB_VOTE_ROW_COOLS);
    CHECK_EQ(wait, 59);
    CHECK_EQ(sb_votes_call(&votes, RESTART, 2, 1002, 0, "", 31 * SB_SECOND, &wait),
             SB_VOTE_CALLER_COOLS);
    CHECK_EQ(wait, 119);
    CHECK_EQ(call(RESTART, 3, 0, 31 * SB_SECOND), SB_VOTE_FINE); /* another row, another caller */
}

TEST(a_passed_vote_has_no_cooldown)
{
    start();
    CHECK_EQ(call(MAP, 2, 0, 0), SB_VOTE_FINE);
    CHECK_EQ(sb_votes_advance(&votes, 1, 1), SB_VOTE_PASSED);
    CHECK_EQ(call(MAP, 2, 0, 2), SB_VOTE_FINE);
}

TEST(many_callers_cool_down_and_the_oldest_is_forgotten)
{
    sb_vote_row row = sb_vote_default_rows[RESTART];
    row.cooldown = 3600;
    sb_votes_set_rows(&votes, &row, 1);
    for (uint32_t i = 0; i < 2 * SB_VOTE_CALLERS_MAX; i++) {
        sb_time now = (sb_time)i * 3601 * SB_SECOND;
        votes.row_until[0] = 0;
        CHECK_EQ(sb_votes_call(&votes, 0, 2, 100 + i, 0, "", now, NULL), SB_VOTE_FINE);
        CHECK_EQ(sb_votes_advance(&votes, 8, now + 30 * SB_SECOND), SB_VOTE_FAILED);
    }
    CHECK_EQ(votes.callers[0].address, 100 + SB_VOTE_CALLERS_MAX);
}

TEST(wrong_rows_are_refused)
{
    const sb_vote_row good = sb_vote_default_rows[KICK];
    sb_vote_row       row = good;
    row.name = "Kick Player";
    CHECK(sb_vote_row_fault(&row) != NULL);
    row = good;
    row.command = "kick %s %s";
    CHECK(sb_vote_row_fault(&row) != NULL);
    row.command = "kick %n";
    CHECK(sb_vote_row_fault(&row) != NULL);
    row.command = "kick";
    CHECK(sb_vote_row_fault(&row) != NULL); /* the player would not be named */
    row = good;
    row.argument = SB_VOTE_NOTHING;
    CHECK(sb_vote_row_fault(&row) != NULL);
    row = good;
    row.majority = 49;
    CHECK(sb_vote_row_fault(&row) != NULL);
    row = good;
    row.quorum = 0;
    CHECK(sb_vote_row_fault(&row) != NULL);
    row = good;
    row.seconds = 4;
    CHECK(sb_vote_row_fault(&row) != NULL);
    CHECK(sb_vote_row_fault(&good) == NULL);
}
