/* tests/apps/bot_score_test.c -- the summary of a bot is the sum over all its matches. */
#include "bot/bot.h"
#include "test.h"

TEST(a_bots_summary_adds_up_its_matches)
{
    bot_player     b = { 0 };
    sb_seen_player self = { .kills = 2, .deaths = 1, .score = 700 };
    bot_update_score(&b, &self);
    bot_update_score(&b, &self); /* the same match again */
    bot_update_score(&b, NULL);
    bot_finish_match(&b);
    self = (sb_seen_player){ .kills = 0, .deaths = 0, .score = 0 };
    bot_update_score(&b, &self);
    CHECK_EQ(bot_total_score(&b).kills, 2);
    self = (sb_seen_player){ .kills = 1, .deaths = 3, .score = -50 };
    bot_update_score(&b, &self);
    CHECK_EQ(bot_total_score(&b).kills, 3);
    CHECK_EQ(bot_total_score(&b).deaths, 4);
    CHECK_EQ(bot_total_score(&b).score, 650);
}
