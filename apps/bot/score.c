/* apps/bot/score.c -- a bot's kills, deaths and points, summed over all matches since its join.
 *
 * For:      the summary. A client sets its scores to zero at the start of a match.
 * Tests:    tests/apps/bot_score_test.c
 */
#include "bot/bot.h"

void bot_update_score(bot_player *b, const sb_seen_player *self)
{
    if (self) b->match = (bot_score){ self->kills, self->deaths, self->score };
}

void bot_finish_match(bot_player *b)
{
    b->earlier = bot_total_score(b);
    b->match = (bot_score){ 0 };
}

bot_score bot_total_score(const bot_player *b)
{
    return (bot_score){ b->earlier.kills + b->match.kills, b->earlier.deaths + b->match.deaths,
                        b->earlier.score + b->match.score };
}
