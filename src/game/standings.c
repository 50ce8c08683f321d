/* src/game/standings.c -- the order of the players at the end of a match.
 *
 * Tests:    tests/game/match_test.c
 */
#include <starbase/match.h>

/* Below 0: `a` is ahead of `b`. The number that the limit counts comes first (spec 09 §10.1). */
static int compare_rows(const sb_match *match, const sb_match_row *a, const sb_match_row *b)
{
    int kills = (b->kills > a->kills) - (b->kills < a->kills);
    int score = (b->score > a->score) - (b->score < a->score);
    int deaths = (a->deaths > b->deaths) - (a->deaths < b->deaths);
    int first = match->config.score_limit ? score : kills;
    int second = match->config.score_limit ? kills : score;
    return first ? first : second ? second : deaths;
}

size_t sb_match_standings(const sb_match *match, const sb_match_row *out[SB_MATCH_PLAYERS])
{
    size_t count = 0;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        const sb_match_row *row = &match->rows[i];
        size_t              at = count;
        if (!row->used) continue;
        for (; at > 0 && compare_rows(match, row, out[at - 1]) < 0; at--) out[at] = out[at - 1];
        out[at] = row;
        count++;
    }
    return count;
}

static const sb_match_row *find_winning_row(const sb_match *match)
{
    const sb_match_row *rows[SB_MATCH_PLAYERS];
    size_t              count = sb_match_standings(match, rows);
    bool                tied = count > 1 && compare_rows(match, rows[0], rows[1]) == 0;
    bool                scored = count > 0 && (rows[0]->kills > 0 || rows[0]->score > 0);
    return scored && !tied ? rows[0] : NULL;
}

static uint8_t find_winning_team(const sb_match *match)
{
    int kills = (match->teams[1].kills > match->teams[0].kills) -
                (match->teams[1].kills < match->teams[0].kills);
    int score = (match->teams[1].score > match->teams[0].score) -
                (match->teams[1].score < match->teams[0].score);
    int ahead = match->config.score_limit ? (score ? score : kills) : (kills ? kills : score);
    return ahead == 0 ? SB_NO_TEAM : ahead > 0;
}

void sb_match_winner(const sb_match *match, const sb_match_row **player, uint8_t *team)
{
    bool teams = match->config.mode->teams;
    *player = teams ? NULL : find_winning_row(match);
    *team = teams ? find_winning_team(match) : SB_NO_TEAM;
}
