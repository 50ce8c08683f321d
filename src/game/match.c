/* src/game/match.c -- modes, the table of players, teams, limits and restart.
 *
 * For:      the server. scoring.c has the points for hits and deaths.
 * Never:    sends, or reads a clock.
 * Spec:     09 §7 (table and teams), §8 (end, restart), §10 (modes, limits), §11 (return).
 */
#include "game/match_internal.h"

#include <starbase/message_script.h>

#include "base/assert.h"
#include "game/testing.h"

#include <math.h>
#include <string.h>

/* ---- modes ---- */

#define MISSION(number) "Multiplayer.Episode.Mission" number ".Mission" number

/* A stock server of Mission1 answers the short name DM [T]. The other short names were never
 * captured; they follow its pattern [I]. A client only displays them (spec 05 §3.1). */
static const sb_mode modes[] = {
    { SB_MISSION_FREE_FOR_ALL, "ffa", MISSION("1"), "DM", "free for all", false, { NULL, NULL } },
    { SB_MISSION_TEAM,
      "team",
      MISSION("2"),
      "TDM",
      "team deathmatch",
      true,
      { "Team 1", "Team 2" } },
    { SB_MISSION_FACTION,
      "faction",
      MISSION("3"),
      "FDM",
      "faction deathmatch",
      true,
      { "Federation", "Non-Federation" } },
    { SB_MISSION_ASSAULT,
      "assault",
      MISSION("5"),
      "SBA",
      "starbase assault",
      true,
      { "Attackers", "Defenders" } },
};

const sb_mode *sb_modes(size_t *count)
{
    if (count) *count = sizeof modes / sizeof *modes;
    return modes;
}

const sb_mode *sb_find_mode(const char *key_or_script)
{
    if (!key_or_script) return NULL;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].key, key_or_script) == 0 || strcmp(modes[i].script, key_or_script) == 0)
            return &modes[i];
    return NULL;
}

/* ---- start of a match ---- */

void sb_match_defaults(sb_match_config *config)
{
    *config = (sb_match_config){
        .mode = &modes[0],
        .modifiers = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } },
        .score_divisor = 10,
    };
}

static sb_time end_time(uint32_t minutes, sb_time now)
{
    sb_time span = (sb_time)minutes * 60 * SB_SECOND;
    if (minutes == 0 || now > SB_TIME_NEVER - span) return SB_TIME_NEVER;
    return now + span;
}

void sb_match_init(sb_match *match, const sb_match_config *config, sb_time now)
{
    *match = (sb_match){ .config = *config, .end_reason = SB_END_NONE };
    if (!match->config.mode) match->config.mode = &modes[0];
    match->ends_at = end_time(config->time_limit_min, now);
}

void sb_match_stop_clock(sb_match *match)
{
    match->ends_at = SB_TIME_NEVER;
}

void sb_match_start_clock(sb_match *match, sb_time now)
{
    match->ends_at = end_time(match->config.time_limit_min, now);
}

/* ---- the table ---- */

/* Searches return indices, which serve const and mutable callers alike. */
enum { NO_ROW = SB_MATCH_PLAYERS };

static size_t present_index(const sb_match *match, uint8_t peer_id)
{
    size_t i = 0;
    for (; i < SB_MATCH_PLAYERS; i++) {
        const sb_match_row *row = &match->rows[i];
        if (row->used && row->present && row->peer_id == peer_id) break;
    }
    return i;
}

static size_t owner_index(const sb_match *match, uint8_t peer_id)
{
    size_t owner = present_index(match, peer_id);
    if (owner != NO_ROW || peer_id == 0) return owner;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        const sb_match_row *row = &match->rows[i];
        if (!row->used || row->peer_id != peer_id) continue;
        if (owner == NO_ROW || row->left_at > match->rows[owner].left_at) owner = i;
    }
    return owner;
}

static sb_match_row *find_present(sb_match *match, uint8_t peer_id)
{
    size_t i = present_index(match, peer_id);
    return i == NO_ROW ? NULL : &match->rows[i];
}

const sb_match_row *sb_match_find(const sb_match *match, uint8_t peer_id)
{
    size_t i = present_index(match, peer_id);
    return i == NO_ROW ? NULL : &match->rows[i];
}

sb_match_row *sb_match_find_owner(sb_match *match, uint8_t peer_id)
{
    size_t i = owner_index(match, peer_id);
    return i == NO_ROW ? NULL : &match->rows[i];
}

/* Copies as many whole UTF-16 units as fit. */
static void set_name(sb_match_row *row, sb_span name)
{
    size_t size = name.size & ~(size_t)1;
    if (size > sizeof row->name) size = sizeof row->name;
    memset(row->name, 0, sizeof row->name);
    if (size > 0) memcpy(row->name, name.data, size);
    row->name_size = (uint8_t)size;
}

/* The absent row with the name and address of `as`, the latest if there are several. A player
 * without a name is never recognised. */
static sb_match_row *find_returning(sb_match *match, const sb_match_row *as)
{
    sb_match_row *found = NULL;
    for (size_t i = 0; i < SB_MATCH_PLAYERS && as->name_size > 0; i++) {
        sb_match_row *row = &match->rows[i];
        if (!row->used || row->present || row->address != as->address) continue;
        if (row->name_size != as->name_size || memcmp(row->name, as->name, as->name_size) != 0)
            continue;
        if (!found || row->left_at > found->left_at) found = row;
    }
    return found;
}

/* An unused row, else the row of the player who left first. NULL: all players are present. */
static sb_match_row *find_free_row(sb_match *match)
{
    sb_match_row *oldest = NULL;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        sb_match_row *row = &match->rows[i];
        if (!row->used) return row;
        if (!row->present && (!oldest || row->left_at < oldest->left_at)) oldest = row;
    }
    return oldest;
}

sb_match_row *sb_match_join(sb_match *match, uint8_t peer_id, sb_span name, uint32_t address)
{
    sb_match_row as = { .used = true, .team = SB_NO_TEAM, .address = address };
    if (peer_id == 0) return NULL;
    sb_match_leave(match, peer_id); /* a player who had this id before is gone */
    set_name(&as, name);
    sb_match_row *row = find_returning(match, &as);
    if (row) {
        /* The player keeps scores and shares in living ships, but chooses a team again. */
        if (sb_match_find_owner(match, row->peer_id) == row)
            sb_match_move_shares(match, row->peer_id, peer_id);
        else sb_match_drop_shares(match, peer_id);
        row->team = SB_NO_TEAM;
    } else {
        row = find_free_row(match);
        if (!row) return NULL;
        sb_match_drop_shares(match, peer_id);
        *row = as;
    }
    row->present = true;
    row->peer_id = peer_id;
    return row;
}

void sb_match_leave(sb_match *match, uint8_t peer_id)
{
    sb_match_row *row = find_present(match, peer_id);
    if (!row) return;
    row->present = false;
    row->left_at = ++match->leave_count;
}

const sb_match_row *sb_match_inherit(sb_match *match, uint8_t from, uint8_t to)
{
    sb_match_row *old = find_present(match, from), *heir = find_present(match, to);
    if (!old || !heir || old == heir) return NULL;
    sb_match_add_saturated(&heir->kills, old->kills);
    sb_match_add_saturated(&heir->deaths, old->deaths);
    sb_match_add_saturated(&heir->score, old->score);
    sb_match_merge_shares(match, from, to);
    *old = (sb_match_row){ .used = false };
    return heir;
}

void sb_match_rename(sb_match *match, uint8_t peer_id, sb_span name)
{
    sb_match_row *row = find_present(match, peer_id);
    if (row) set_name(row, name);
}

/* ---- teams ---- */

bool sb_match_set_team(sb_match *match, uint8_t peer_id, uint8_t team)
{
    sb_match_row *row = find_present(match, peer_id);
    if (!row || !match->config.mode->teams || team > 1) return false;
    row->team = team;
    return true;
}

bool sb_match_same_team(const sb_match *match, uint8_t a, uint8_t b)
{
    size_t one = owner_index(match, a), other = owner_index(match, b);
    if (!match->config.mode->teams || one == NO_ROW || other == NO_ROW) return false;
    return match->rows[one].team < 2 && match->rows[one].team == match->rows[other].team;
}

/* ---- end and restart ---- */

/* The highest kills and score of a player or, in team modes, of a team (spec 09 §10.1). */
static void find_best(const sb_match *match, int32_t *kills, int32_t *score)
{
    bool teams = match->config.mode->teams;
    *kills = *score = INT32_MIN;
    for (size_t i = 0; i < (teams ? 2 : SB_MATCH_PLAYERS); i++) {
        const sb_match_row *row = &match->rows[i];
        if (!teams && !row->used) continue;
        int32_t k = teams ? match->teams[i].kills : row->kills;
        int32_t s = teams ? match->teams[i].score : row->score;
        if (k > *kills) *kills = k;
        if (s > *score) *score = s;
    }
}

/* Stock gives SB_END_SCORE for both limits; SB_END_KILLS only makes clients show another text (spec
 * 09 §10.1). */
static sb_end_reason find_limit_reached(const sb_match *match)
{
    const sb_match_config *c = &match->config;
    int32_t                kills, score;
    if (c->frag_limit == 0) return SB_END_NONE;
    find_best(match, &kills, &score);
    if (c->score_limit) return score >= (int64_t)c->frag_limit * 10000 ? SB_END_SCORE : SB_END_NONE;
    if (kills < (int64_t)c->frag_limit) return SB_END_NONE;
    return c->kills_as_kills ? SB_END_KILLS : SB_END_SCORE;
}

sb_end_reason sb_match_end_if_due(sb_match *match, sb_time now)
{
    if (match->over) return SB_END_NONE;
    sb_end_reason reason = find_limit_reached(match);
    bool          time_up = match->ends_at != SB_TIME_NEVER && now >= match->ends_at;
    if (reason == SB_END_NONE && time_up) reason = SB_END_TIME;
    if (reason != SB_END_NONE) sb_match_end(match, reason);
    return reason;
}

void sb_match_end(sb_match *match, sb_end_reason reason)
{
    if (match->over) return;
    match->over = true;
    match->end_reason = reason == SB_END_NONE ? SB_END_GENERIC : reason;
}

/* A player stays in their team until they choose again (spec 09 §8). */
static void restart_row(sb_match_row *row)
{
    if (!row->present) {
        *row = (sb_match_row){ .used = false };
        return;
    }
    row->kills = row->deaths = row->score = 0;
}

void sb_match_restart(sb_match *match, sb_time now)
{
    match->over = false;
    match->end_reason = SB_END_NONE;
    match->ends_at = end_time(match->config.time_limit_min, now);
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) restart_row(&match->rows[i]);
    memset(match->teams, 0, sizeof match->teams);
    memset(match->ledgers, 0, sizeof match->ledgers);
    match->leave_count = 0;
}

/* Rounded up, so that 0 means that the time is up. */
int32_t sb_match_seconds_left(const sb_match *match, sb_time now)
{
    if (match->ends_at == SB_TIME_NEVER) return -1;
    if (now >= match->ends_at) return 0;
    uint64_t left = ((uint64_t)match->ends_at - (uint64_t)now + SB_SECOND - 1) / SB_SECOND;
    return left > INT32_MAX ? INT32_MAX : (int32_t)left;
}

/* ---- messages ---- */

void sb_match_score(const sb_match_row *row, sb_score *out)
{
    *out = (sb_score){ row->peer_id, row->kills, row->deaths, row->score, row->team };
}

void sb_match_team_score(const sb_match *match, uint8_t team, sb_team_score *out)
{
    *out = (sb_team_score){ .team = team };
    if (team > 1) return;
    out->kills = match->teams[team].kills;
    out->score = match->teams[team].score;
}

/* ---- invariants ---- */

static void check_row(const sb_match *match, const sb_match_row *row)
{
    SB_ASSERT(row->peer_id != 0);
    SB_ASSERT(row->name_size <= sizeof row->name && row->name_size % 2 == 0);
    SB_ASSERT(row->team == SB_NO_TEAM || (match->config.mode->teams && row->team < 2));
    SB_ASSERT(row->kills >= 0 && row->deaths >= 0);
    if (!row->present) SB_ASSERT(row->left_at >= 1 && row->left_at <= match->leave_count);
}

/* Present players have different ids; no two players left at the same moment. */
static void check_rows_differ(const sb_match_row *a, const sb_match_row *b)
{
    if (!a->used || !b->used || a->present != b->present) return;
    if (a->present) SB_ASSERT(a->peer_id != b->peer_id);
    else SB_ASSERT(a->left_at != b->left_at);
}

static void check_ledger(const sb_match_ledger *l)
{
    SB_ASSERT(l->count <= SB_MATCH_ATTACKERS);
    SB_ASSERT(l->ship_id != 0 || l->count == 0);
    for (size_t i = 0; i < l->count; i++) {
        SB_ASSERT(l->attackers[i].peer_id != 0);
        SB_ASSERT(isfinite(l->attackers[i].shield));
        SB_ASSERT(isfinite(l->attackers[i].hull));
        for (size_t j = 0; j < i; j++)
            SB_ASSERT(l->attackers[i].peer_id != l->attackers[j].peer_id);
    }
}

static void check_ledgers(const sb_match *match)
{
    for (size_t i = 0; i < SB_MATCH_SHIPS; i++) {
        const sb_match_ledger *l = &match->ledgers[i];
        check_ledger(l);
        for (size_t j = 0; j < i && l->ship_id != 0; j++)
            SB_ASSERT(l->ship_id != match->ledgers[j].ship_id);
    }
}

void sb_match_check(const sb_match *match)
{
    SB_ASSERT(match->config.mode);
    SB_ASSERT(match->over == (match->end_reason != SB_END_NONE));
    SB_ASSERT(match->config.time_limit_min > 0 || match->ends_at == SB_TIME_NEVER);
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        const sb_match_row *row = &match->rows[i];
        SB_ASSERT(row->used || !row->present);
        if (row->used) check_row(match, row);
        for (size_t j = 0; j < i; j++) check_rows_differ(row, &match->rows[j]);
    }
    for (size_t i = 0; i < 2; i++) {
        bool zero = match->teams[i].kills == 0 && match->teams[i].score == 0;
        SB_ASSERT(match->teams[i].kills >= 0);
        SB_ASSERT(match->config.mode->teams || zero);
    }
    check_ledgers(match);
}
