/* src/game/scoring.c -- points for hits and deaths: ledgers, kills, scores.
 *
 * For:      the server, which decides hits and deaths.
 * Never:    lets a number overflow. Clients influence damage, so sums are clamped to finite floats
 *           and scores to the range of an i32.
 * Spec:     09 §10.2, §11.
 * Tests:    tests/game/match_test.c
 */
#include "game/match_internal.h"

#include <starbase/message_script.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- numbers ---- */

static int32_t saturate(int64_t value)
{
    if (value > INT32_MAX) return INT32_MAX;
    return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

void sb_match_add_saturated(int32_t *total, int32_t gain)
{
    *total = saturate((int64_t)*total + gain);
}

/* The nearest finite number, 0 for NaN. Infinities of both signs would add up to NaN. */
static float clamp_finite(float value)
{
    if (isnan(value)) return 0;
    if (value > FLT_MAX) return FLT_MAX;
    return value < -FLT_MAX ? -FLT_MAX : value;
}

/* Points, truncated toward zero (spec 09 §13 Q3). Compares with 2^31, since INT32_MAX has no exact
 * float. */
static int32_t points_for(const sb_match *match, float shield, float hull)
{
    float divisor = match->config.score_divisor > 0 ? match->config.score_divisor : 10.0f;
    float points = clamp_finite(clamp_finite(clamp_finite(shield) + clamp_finite(hull)) / divisor);
    if (points >= 2147483648.0f) return INT32_MAX;
    if (points < -2147483648.0f) return INT32_MIN;
    return (int32_t)points;
}

/* ---- ledgers ---- */

static float share_damage(const sb_match_ledger *l, size_t i)
{
    return fabsf(l->attackers[i].shield) + fabsf(l->attackers[i].hull);
}

static float ledger_damage(const sb_match_ledger *l)
{
    float damage = 0;
    for (size_t i = 0; i < l->count; i++) damage += share_damage(l, i);
    return damage;
}

static sb_match_ledger *find_ledger(sb_match *match, uint32_t ship_id)
{
    for (size_t i = 0; i < SB_MATCH_SHIPS; i++)
        if (match->ledgers[i].ship_id == ship_id) return &match->ledgers[i];
    return NULL;
}

/* If all ledgers are in use, the one with the least damage is dropped, because it costs the fewest
 * points. A game has fewer players than ledgers, so this happens only if the caller failed to
 * forget ships. */
static sb_match_ledger *find_or_add_ledger(sb_match *match, uint32_t ship_id)
{
    sb_match_ledger *ledger = find_ledger(match, ship_id);
    if (ledger) return ledger;
    ledger = find_ledger(match, 0);
    if (!ledger) {
        ledger = &match->ledgers[0];
        for (size_t i = 1; i < SB_MATCH_SHIPS; i++)
            if (ledger_damage(&match->ledgers[i]) < ledger_damage(ledger))
                ledger = &match->ledgers[i];
    }
    *ledger = (sb_match_ledger){ .ship_id = ship_id };
    return ledger;
}

/* The share that a full ledger drops: the smallest one of absent players, else the smallest. */
static size_t choose_share_to_drop(const sb_match *match, const sb_match_ledger *l)
{
    size_t chosen = 0;
    bool   chosen_present = true;
    for (size_t i = 0; i < l->count; i++) {
        bool present = sb_match_find(match, l->attackers[i].peer_id) != NULL;
        bool smaller = share_damage(l, i) < share_damage(l, chosen);
        if (i > 0 && (present != chosen_present ? present : !smaller)) continue;
        chosen = i;
        chosen_present = present;
    }
    return chosen;
}

static size_t find_share(const sb_match_ledger *l, uint8_t peer_id)
{
    size_t i = 0;
    while (i < l->count && l->attackers[i].peer_id != peer_id) i++;
    return i;
}

static size_t find_or_add_share(const sb_match *match, sb_match_ledger *l, uint8_t peer_id)
{
    size_t i = find_share(l, peer_id);
    if (i < l->count) return i;
    if (l->count == SB_MATCH_ATTACKERS) i = choose_share_to_drop(match, l);
    else l->count++;
    l->attackers[i].peer_id = peer_id;
    l->attackers[i].shield = 0;
    l->attackers[i].hull = 0;
    return i;
}

void sb_match_move_shares(sb_match *match, uint8_t from, uint8_t to)
{
    if (from == to) return;
    sb_match_drop_shares(match, to);
    for (size_t i = 0; i < SB_MATCH_SHIPS; i++) {
        sb_match_ledger *l = &match->ledgers[i];
        size_t           share = find_share(l, from);
        if (share < l->count) l->attackers[share].peer_id = to;
    }
}

static void remove_share(sb_match_ledger *l, size_t share)
{
    l->count--;
    memmove(&l->attackers[share], &l->attackers[share + 1],
            (l->count - share) * sizeof l->attackers[0]);
}

void sb_match_merge_shares(sb_match *match, uint8_t from, uint8_t to)
{
    for (size_t i = 0; from != to && i < SB_MATCH_SHIPS; i++) {
        sb_match_ledger *l = &match->ledgers[i];
        size_t           old = find_share(l, from), kept = find_share(l, to);
        if (old == l->count) continue;
        l->attackers[old].peer_id = to;
        if (kept == l->count) continue;
        l->attackers[kept].shield =
            clamp_finite(l->attackers[kept].shield + l->attackers[old].shield);
        l->attackers[kept].hull = clamp_finite(l->attackers[kept].hull + l->attackers[old].hull);
        remove_share(l, old);
    }
}

void sb_match_drop_shares(sb_match *match, uint8_t peer_id)
{
    for (size_t i = 0; i < SB_MATCH_SHIPS; i++) {
        sb_match_ledger *l = &match->ledgers[i];
        size_t           share = find_share(l, peer_id);
        if (share < l->count) remove_share(l, share);
    }
}

void sb_match_forget_ship(sb_match *match, uint32_t ship_id)
{
    sb_match_ledger *ledger = ship_id ? find_ledger(match, ship_id) : NULL;
    if (ledger) *ledger = (sb_match_ledger){ .ship_id = 0 };
}

/* ---- hits ---- */

/* Classes outside the table have the modifier 1. */
static float modifier_of(const sb_match *match, uint8_t attacker_class, uint8_t target_class)
{
    if (attacker_class > 2 || target_class > 2) return 1;
    return match->config.modifiers[attacker_class][target_class];
}

/* A hit on the attacker's own ship earns nothing: no source describes it, and a suicide has no
 * killer either [I]. */
void sb_match_hit(sb_match *match, uint8_t attacker, uint8_t attacker_class, uint8_t victim,
                  uint32_t victim_ship, uint8_t victim_class, float damage, bool shields)
{
    bool players = sb_match_find_owner(match, attacker) && sb_match_find_owner(match, victim);
    if (match->over || !players || attacker == victim || victim_ship == 0) return;
    if (!(damage > 0)) return; /* NaN too */
    float d = clamp_finite(damage * modifier_of(match, attacker_class, victim_class));
    if (sb_match_same_team(match, attacker, victim)) d = -d;
    sb_match_ledger *ledger = find_or_add_ledger(match, victim_ship);
    size_t           share = find_or_add_share(match, ledger, attacker);
    float *part = shields ? &ledger->attackers[share].shield : &ledger->attackers[share].hull;
    *part = clamp_finite(*part + d);
}

/* ---- deaths ---- */

static void add_team_kill(sb_match *match, uint8_t team)
{
    if (match->config.mode->teams && team < 2) sb_match_add_saturated(&match->teams[team].kills, 1);
}

/* Spec 09 §11 step 3, and §10.2: an attacker of Mission5 who dies without a killer is a kill for
 * the defenders. */
static void count_kill(sb_match *match, const sb_match_row *victim, sb_match_row *killer)
{
    if (!killer) {
        bool assault = match->config.mode->mission == SB_MISSION_ASSAULT;
        if (assault && victim->team == 0) add_team_kill(match, 1);
        return;
    }
    if (sb_match_same_team(match, killer->peer_id, victim->peer_id)) return;
    sb_match_add_saturated(&killer->kills, 1);
    add_team_kill(match, killer->team);
}

/* Spec 09 §11 step 4: every attacker gets points. The killer's new score is in a field of its own,
 * not in the list of entries. */
static void credit_attackers(sb_match *match, const sb_match_ledger *ledger,
                             const sb_match_row *killer, sb_score_change *out)
{
    _Static_assert((int)SB_MATCH_ATTACKERS <= (int)SB_SCORES_MAX, "an entry for every attacker");
    for (size_t i = 0; i < ledger->count; i++) {
        sb_match_row *row = sb_match_find_owner(match, ledger->attackers[i].peer_id);
        if (!row) continue; /* the player left and the row was reused */
        int32_t gain = points_for(match, ledger->attackers[i].shield, ledger->attackers[i].hull);
        sb_match_add_saturated(&row->score, gain);
        if (match->config.mode->teams && row->team < 2)
            sb_match_add_saturated(&match->teams[row->team].score, gain);
        if (row == killer) continue;
        out->entries[out->entry_count++] = (sb_score_entry){ row->peer_id, row->score };
    }
}

bool sb_match_death(sb_match *match, uint8_t victim, uint32_t victim_ship, uint8_t killer,
                    sb_score_change *out)
{
    sb_match_row    *victim_row = sb_match_find_owner(match, victim);
    sb_match_ledger *ledger = victim_ship ? find_ledger(match, victim_ship) : NULL;
    *out = (sb_score_change){ 0 };
    if (match->over || !victim_row) {
        sb_match_forget_ship(match, victim_ship);
        return false;
    }
    /* A suicide has no killer [I]. */
    sb_match_row *killer_row = killer == victim ? NULL : sb_match_find_owner(match, killer);
    sb_match_add_saturated(&victim_row->deaths, 1);
    count_kill(match, victim_row, killer_row);
    if (ledger) credit_attackers(match, ledger, killer_row, out);
    if (killer_row) {
        out->killer = killer_row->peer_id;
        out->kills = killer_row->kills;
        out->score = killer_row->score;
    }
    out->victim = victim_row->peer_id;
    out->deaths = victim_row->deaths;
    sb_match_forget_ship(match, victim_ship);
    return true;
}
