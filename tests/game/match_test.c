/* tests/game/match_test.c -- the rules of a match: modes, table, teams, points, limits, end and
 * restart (spec 09 §7-§11).
 */
#include <starbase/match.h>
#include <starbase/message.h>

#include "base/random.h"
#include "game/testing.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SHIP = 0x3FFFFFFF }; /* the victim's ship in most tests */

/* UTF-16LE of a short ASCII name; lent until the next call. */
static sb_span name_of(const char *text)
{
    static uint8_t units[256];
    size_t         size = strlen(text);
    memset(units, 0, sizeof units);
    for (size_t i = 0; i < size; i++) units[2 * i] = (uint8_t)text[i];
    return (sb_span){ units, 2 * size };
}

static sb_match_row *join(sb_match *m, uint8_t peer_id, const char *name)
{
    sb_match_row *row = sb_match_join(m, peer_id, name_of(name), 0x0A000001);
    CHECK(row);
    sb_match_check(m);
    return row;
}

/* A match of `mode` with players 2, 3, 4 and 5; in team modes 2 and 4 on team 0, others on 1. */
static void open_match(sb_match *m, const char *mode)
{
    static const char *const names[] = { "Ann", "Bob", "Cid", "Dot" };
    sb_match_config          config;
    sb_match_defaults(&config);
    config.mode = sb_find_mode(mode);
    CHECK(config.mode);
    sb_match_init(m, &config, 0);
    for (uint8_t i = 0; i < 4; i++) {
        join(m, (uint8_t)(i + 2), names[i]);
        CHECK_EQ(sb_match_set_team(m, (uint8_t)(i + 2), i % 2), config.mode->teams);
    }
}

static sb_match_row *row_of(sb_match *m, uint8_t peer_id)
{
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++)
        if (sb_match_find(m, peer_id) == &m->rows[i]) return &m->rows[i];
    FAIL("no player %u", peer_id);
}

static void hit(sb_match *m, uint8_t attacker, uint8_t victim, float damage)
{
    sb_match_hit(m, attacker, 1, victim, SHIP, 1, damage, false);
    sb_match_check(m);
}

static sb_score_change death(sb_match *m, uint8_t victim, uint8_t killer)
{
    sb_score_change change;
    CHECK(sb_match_death(m, victim, SHIP, killer, &change));
    sb_match_check(m);
    return change;
}

static sb_end_reason end_if_due(sb_match *m, sb_time now)
{
    sb_end_reason reason = sb_match_end_if_due(m, now);
    sb_match_check(m);
    return reason;
}

static void end_match(sb_match *m, sb_end_reason reason)
{
    sb_match_end(m, reason);
    sb_match_check(m);
}

static int32_t points_for(float damage)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 3, 2, damage);
    return death(&m, 2, 3).score;
}

/* ---- modes (§10) ---- */

TEST(there_are_four_modes_found_by_key_or_script)
{
    size_t count;
    CHECK(sb_modes(&count));
    CHECK_EQ(count, 4);
    CHECK_TEXT(sb_find_mode("ffa")->script, "Multiplayer.Episode.Mission1.Mission1");
    CHECK_TEXT(sb_find_mode("ffa")->short_name, "DM");
    CHECK(!sb_find_mode("ffa")->teams);
    CHECK_TEXT(sb_find_mode("Multiplayer.Episode.Mission2.Mission2")->key, "team");
    CHECK_TEXT(sb_find_mode("Multiplayer.Episode.Mission3.Mission3")->team_names[0], "Federation");
    CHECK_TEXT(sb_find_mode("assault")->script, "Multiplayer.Episode.Mission5.Mission5");
    CHECK(sb_find_mode("assault")->teams);
    CHECK(!sb_find_mode("Multiplayer.Episode.Mission4.Mission4"));
    CHECK(!sb_find_mode(NULL));
}

/* ---- scoring (§11) ---- */

TEST(the_worked_example_gives_30_bytes)
{
    sb_match   m;
    sb_message message = { .opcode = SB_OP_SCORE_CHANGE };
    uint8_t    bytes[64], expected[64];
    size_t     size, expected_size;
    open_match(&m, "ffa");
    row_of(&m, 3)->kills = 3;
    row_of(&m, 3)->score = 60;
    row_of(&m, 2)->deaths = 4;
    sb_match_hit(&m, 3, 1, 2, SHIP, 1, 8000, true);
    sb_match_hit(&m, 4, 1, 2, SHIP, 1, 3100, true);
    sb_match_hit(&m, 3, 1, 2, SHIP, 1, 3200, false);
    CHECK(sb_match_death(&m, 2, SHIP, 3, &message.as.score_change));
    CHECK_EQ(sb_encode_message(&message, NULL, bytes, sizeof bytes, &size), SB_OK);
    expected_size = test_hex("36 03 00 00 00 04 00 00 00 9C 04 00 00 02 00 00 00 05 00 00 00 01"
                             "04 00 00 00 36 01 00 00",
                             expected, sizeof expected);
    CHECK_BYTES(bytes, size, expected, expected_size);
}

TEST(a_death_without_a_killer_is_the_captured_message)
{
    sb_match   m;
    sb_message message = { .opcode = SB_OP_SCORE_CHANGE };
    uint8_t    bytes[64], expected[64];
    size_t     size, expected_size;
    open_match(&m, "ffa");
    CHECK(sb_match_death(&m, 2, SHIP, 0, &message.as.score_change));
    CHECK_EQ(sb_encode_message(&message, NULL, bytes, sizeof bytes, &size), SB_OK);
    expected_size = test_hex("36 00 00 00 00 02 00 00 00 01 00 00 00 00", expected, 64);
    CHECK_BYTES(bytes, size, expected, expected_size);
}

TEST(a_suicide_has_no_killer)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 2, 2, 500); /* earns nothing */
    sb_score_change change = death(&m, 2, 2);
    CHECK_EQ(change.killer, 0);
    CHECK_EQ(change.entry_count, 0);
    CHECK_EQ(row_of(&m, 2)->kills, 0);
    CHECK_EQ(row_of(&m, 2)->score, 0);
    CHECK_EQ(row_of(&m, 2)->deaths, 1);
}

TEST(every_attacker_gets_a_tenth_of_the_damage_as_points)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 3, 2, 100);
    hit(&m, 4, 2, 59);
    sb_score_change change = death(&m, 2, 5);
    CHECK_EQ(change.killer, 5);
    CHECK_EQ(change.kills, 1);
    CHECK_EQ(change.score, 0);
    CHECK_EQ(change.entry_count, 2);
    CHECK_EQ(change.entries[0].player, 3);
    CHECK_EQ(change.entries[0].score, 10);
    CHECK_EQ(change.entries[1].player, 4);
    CHECK_EQ(change.entries[1].score, 5);
    CHECK_EQ(death(&m, 2, 5).entry_count, 0); /* the ledger was freed */
}

TEST(shields_and_hull_are_added_before_they_are_divided)
{
    sb_match m;
    open_match(&m, "ffa");
    sb_match_hit(&m, 3, 1, 2, SHIP, 1, 5, true);
    sb_match_hit(&m, 3, 1, 2, SHIP, 1, 5, false);
    CHECK_EQ(death(&m, 2, 3).score, 1);
}

TEST(points_are_truncated_toward_zero)
{
    sb_match m;
    CHECK_EQ(points_for(19.9f), 1);
    CHECK_EQ(points_for(9.9f), 0);
    open_match(&m, "team");
    hit(&m, 4, 2, 19.9f); /* a hit on the own team */
    CHECK_EQ(death(&m, 2, 3).entries[0].score, -1);
}

TEST(class_2_counts_three_times_against_class_1)
{
    sb_match m;
    open_match(&m, "ffa");
    sb_match_hit(&m, 3, 2, 2, SHIP, 1, 100, false);
    CHECK_EQ(death(&m, 2, 3).score, 30);
    sb_match_hit(&m, 4, 1, 2, SHIP, 2, 100, false);
    sb_match_hit(&m, 5, 200, 2, SHIP, 255, 100, false); /* no such class: modifier 1 */
    sb_score_change change = death(&m, 2, 0);
    CHECK_EQ(change.entries[0].score, 10);
    CHECK_EQ(change.entries[1].score, 10);
}

TEST(hits_without_a_player_on_either_side_are_not_entered)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 0, 2, 100);
    hit(&m, 77, 2, 100);
    hit(&m, 3, 77, 100);
    sb_match_hit(&m, 3, 1, 2, 0, 1, 100, false);
    CHECK_EQ(death(&m, 2, 0).entry_count, 0);
}

TEST(a_ship_that_is_no_players_dies_unscored)
{
    sb_match        m;
    sb_score_change change;
    open_match(&m, "ffa");
    CHECK(!sb_match_death(&m, 77, SHIP, 3, &change));
    CHECK(!sb_match_death(&m, 0, SHIP, 3, &change));
    CHECK_EQ(row_of(&m, 3)->kills, 0);
}

TEST(an_unknown_killer_is_no_killer)
{
    sb_match m;
    open_match(&m, "ffa");
    CHECK_EQ(death(&m, 2, 77).killer, 0);
}

TEST(a_ship_that_is_forgotten_takes_its_ledger_along)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 3, 2, 100);
    sb_match_forget_ship(&m, SHIP);
    sb_match_forget_ship(&m, 0);
    CHECK_EQ(death(&m, 2, 3).score, 0);
}

/* ---- hostile numbers ---- */

TEST(damage_that_is_no_number_is_not_entered)
{
    CHECK_EQ(points_for(NAN), 0);
    CHECK_EQ(points_for(-INFINITY), 0);
    CHECK_EQ(points_for(-500), 0);
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 3, 2, NAN);
    hit(&m, 3, 2, 0);
    CHECK_EQ(death(&m, 2, 0).entry_count, 0);
}

TEST(damage_beyond_all_bounds_is_worth_the_most_there_is)
{
    CHECK_EQ(points_for(INFINITY), INT32_MAX);
    CHECK_EQ(points_for(FLT_MAX), INT32_MAX);
    CHECK_EQ(points_for(21474836480.0f), INT32_MAX);
    CHECK_EQ(points_for(21474834432.0f), 2147483392);
    sb_match m;
    open_match(&m, "team");
    hit(&m, 4, 2, FLT_MAX);
    sb_match_hit(&m, 4, 1, 2, SHIP, 1, FLT_MAX, true);
    CHECK_EQ(death(&m, 2, 0).entries[0].score, INT32_MIN);
}

/* Damage to an enemy counts up, to the own team down: the infinities must not add up to NaN. */
TEST(a_change_of_sides_does_not_make_a_sum_that_is_no_number)
{
    sb_match m;
    open_match(&m, "team");
    hit(&m, 3, 2, INFINITY);
    CHECK(sb_match_set_team(&m, 3, 0));
    sb_match_hit(&m, 3, 1, 2, SHIP, 1, INFINITY, true);
    CHECK_EQ(death(&m, 2, 0).entries[0].score, 0);
}

TEST(totals_stop_at_the_ends_of_their_range)
{
    sb_match m;
    open_match(&m, "team");
    row_of(&m, 3)->score = INT32_MAX - 5;
    row_of(&m, 3)->kills = INT32_MAX;
    row_of(&m, 2)->deaths = INT32_MAX;
    row_of(&m, 4)->score = INT32_MIN + 5;
    m.teams[1].kills = INT32_MAX;
    m.teams[1].score = INT32_MAX;
    m.teams[0].score = INT32_MIN;
    hit(&m, 3, 2, 1000);
    hit(&m, 4, 2, 1000);
    sb_score_change change = death(&m, 2, 3);
    CHECK_EQ(change.score, INT32_MAX);
    CHECK_EQ(change.kills, INT32_MAX);
    CHECK_EQ(change.deaths, INT32_MAX);
    CHECK_EQ(change.entries[0].score, INT32_MIN);
    CHECK_EQ(m.teams[1].kills, INT32_MAX);
    CHECK_EQ(m.teams[1].score, INT32_MAX);
    CHECK_EQ(m.teams[0].score, INT32_MIN);
}

/* ---- full ledgers ---- */

TEST(a_full_ledger_drops_absent_players_then_the_smallest_share)
{
    sb_match m;
    open_match(&m, "ffa");
    for (uint8_t i = 10; i < 10 + SB_MATCH_ATTACKERS; i++) {
        join(&m, i, "Eve");
        hit(&m, i, 2, 100.0f * i);
    }
    sb_match_leave(&m, 15);
    hit(&m, 3, 2, 5000); /* replaces the share of 15, who left */
    hit(&m, 4, 2, 5000); /* replaces the share of 10, the smallest */
    sb_score_change change = death(&m, 2, 0);
    CHECK_EQ(change.entry_count, SB_MATCH_ATTACKERS);
    bool seen[256] = { false };
    for (size_t i = 0; i < change.entry_count; i++) seen[change.entries[i].player] = true;
    CHECK(seen[3] && seen[4] && seen[11] && seen[25]);
    CHECK(!seen[15] && !seen[10]);
}

TEST(of_too_many_damaged_ships_the_least_damaged_is_forgotten)
{
    sb_match        m;
    sb_score_change change;
    open_match(&m, "ffa");
    for (uint32_t i = 0; i < SB_MATCH_SHIPS; i++)
        sb_match_hit(&m, 3, 1, 2, 100 + i, 1, i == 7 ? 10.0f : 100.0f, false);
    sb_match_hit(&m, 3, 1, 2, 200, 1, 100, false);
    CHECK(sb_match_death(&m, 2, 107, 3, &change));
    CHECK_EQ(change.score, 0);
    CHECK(sb_match_death(&m, 2, 200, 3, &change));
    CHECK_EQ(change.score, 10);
    CHECK(sb_match_death(&m, 2, 100, 3, &change));
    CHECK_EQ(change.score, 20);
}

/* ---- teams (§7, §10, §11) ---- */

TEST(a_team_is_0_or_1_and_only_of_a_player_in_a_team_mode)
{
    sb_match m;
    open_match(&m, "ffa");
    CHECK(!sb_match_set_team(&m, 2, 0));
    CHECK_EQ(row_of(&m, 2)->team, SB_NO_TEAM);
    open_match(&m, "faction");
    CHECK(!sb_match_set_team(&m, 2, 2));
    CHECK(!sb_match_set_team(&m, 2, SB_NO_TEAM));
    CHECK(!sb_match_set_team(&m, 77, 0));
    CHECK_EQ(row_of(&m, 2)->team, 0);
    CHECK(sb_match_set_team(&m, 2, 1));
    CHECK_EQ(row_of(&m, 2)->team, 1);
}

TEST(the_same_team_needs_two_players_with_a_team)
{
    sb_match m;
    open_match(&m, "team");
    CHECK(sb_match_same_team(&m, 2, 4));
    CHECK(!sb_match_same_team(&m, 2, 3));
    CHECK(!sb_match_same_team(&m, 0, 0));
    CHECK(!sb_match_same_team(&m, 2, 77));
    join(&m, 8, "Gil");
    join(&m, 9, "Hal");
    CHECK(!sb_match_same_team(&m, 8, 9));
    open_match(&m, "ffa");
    CHECK(!sb_match_same_team(&m, 2, 4));
}

TEST(a_kill_counts_for_the_team_but_not_a_team_kill)
{
    sb_match      m;
    sb_team_score score;
    open_match(&m, "team");
    hit(&m, 3, 2, 100);
    hit(&m, 4, 2, 30);
    CHECK_EQ(death(&m, 2, 3).kills, 1);
    CHECK_EQ(m.teams[1].kills, 1);
    CHECK_EQ(m.teams[1].score, 10);
    CHECK_EQ(m.teams[0].score, -3);
    sb_score_change change = death(&m, 2, 4);
    CHECK_EQ(change.killer, 4);
    CHECK_EQ(change.kills, 0);
    CHECK_EQ(change.score, -3);
    CHECK_EQ(change.deaths, 2);
    sb_match_team_score(&m, 0, &score);
    CHECK(score.team == 0 && score.kills == 0 && score.score == -3);
    sb_match_team_score(&m, 9, &score);
    CHECK(score.team == 9 && score.kills == 0 && score.score == 0);
}

TEST(a_killer_without_a_team_scores_for_no_team)
{
    sb_match m;
    open_match(&m, "team");
    join(&m, 8, "Gil");
    hit(&m, 8, 2, 100);
    sb_score_change change = death(&m, 2, 8);
    CHECK(change.kills == 1 && change.score == 10);
    CHECK(m.teams[0].kills == 0 && m.teams[1].kills == 0);
    CHECK(m.teams[0].score == 0 && m.teams[1].score == 0);
}

TEST(an_attacker_of_mission5_dead_without_killer_is_a_kill)
{
    sb_match m;
    open_match(&m, "assault");
    death(&m, 2, 0);
    CHECK_EQ(m.teams[1].kills, 1);
    death(&m, 2, 2);
    CHECK_EQ(m.teams[1].kills, 2);
    death(&m, 2, 4); /* a killer of the same team is a killer */
    death(&m, 3, 0); /* a defender */
    CHECK(m.teams[0].kills == 0 && m.teams[1].kills == 2);
    open_match(&m, "team");
    death(&m, 2, 0);
    CHECK_EQ(m.teams[1].kills, 0);
}

/* ---- leaving and returning (§11) ---- */

TEST(a_returning_player_keeps_score_under_the_new_id)
{
    sb_match m;
    sb_score score;
    open_match(&m, "team");
    hit(&m, 3, 2, 100);
    death(&m, 2, 3);
    sb_match_leave(&m, 3);
    CHECK(!sb_match_find(&m, 3));
    join(&m, 9, "Bob");
    sb_match_score(row_of(&m, 9), &score);
    CHECK(score.player == 9 && score.kills == 1 && score.deaths == 0 && score.score == 10);
    CHECK_EQ(score.team, SB_NO_TEAM); /* a returning player chooses a team again */
    CHECK(!sb_match_find(&m, 3));
}

TEST(anybody_else_starts_from_zero_also_under_an_old_id)
{
    sb_match m;
    open_match(&m, "ffa");
    death(&m, 2, 3);
    sb_match_leave(&m, 3);
    CHECK_EQ(join(&m, 3, "Eve")->kills, 0);
    sb_match_leave(&m, 3);
    sb_match_row *other = sb_match_join(&m, 3, name_of("Bob"), 0x0A000002); /* another address */
    CHECK(other && other->kills == 0);
    CHECK_EQ(join(&m, 8, "Bob")->kills, 1);
    sb_match_leave(&m, 8);
    sb_match_row *nameless = sb_match_join(&m, 8, (sb_span){ NULL, 0 }, 0x0A000001);
    CHECK(nameless && nameless->kills == 0);
    nameless->kills = 5;
    sb_match_leave(&m, 8);
    nameless = sb_match_join(&m, 8, (sb_span){ NULL, 0 }, 0x0A000001);
    CHECK(nameless && nameless->kills == 0);
}

TEST(a_newcomer_does_not_inherit_the_shares_of_an_old_id)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 3, 2, 100);
    sb_match_leave(&m, 3);
    join(&m, 3, "Eve");
    CHECK_EQ(death(&m, 2, 0).entry_count, 0);
    CHECK_EQ(row_of(&m, 3)->score, 0);
}

TEST(a_returning_player_keeps_shares_in_living_ships)
{
    sb_match m;
    open_match(&m, "ffa");
    hit(&m, 3, 2, 100);
    hit(&m, 4, 2, 50);
    sb_match_leave(&m, 3);
    join(&m, 9, "Bob");
    sb_score_change change = death(&m, 2, 9);
    CHECK(change.killer == 9 && change.score == 10);
    CHECK_EQ(change.entry_count, 1);
    sb_match_leave(&m, 9);
    hit(&m, 9, 2, 70); /* a torpedo of a player who left */
    CHECK_EQ(death(&m, 2, 9).score, 17);
    CHECK_EQ(join(&m, 9, "Bob")->score, 17);
    hit(&m, 9, 2, 30);
    sb_match_leave(&m, 9);
    join(&m, 9, "Bob"); /* under the same id */
    CHECK_EQ(death(&m, 2, 9).score, 20);
}

TEST(joining_twice_without_leaving_is_one_player)
{
    sb_match m;
    open_match(&m, "ffa");
    death(&m, 2, 3);
    join(&m, 3, "Bob");
    CHECK_EQ(row_of(&m, 3)->kills, 1);
    join(&m, 3, "Eve");
    CHECK_EQ(row_of(&m, 3)->kills, 0);
    size_t present = 0;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) present += m.rows[i].used && m.rows[i].present;
    CHECK_EQ(present, 4);
}

TEST(a_renamed_player_returns_under_the_new_name)
{
    sb_match m;
    open_match(&m, "ffa");
    death(&m, 2, 3);
    sb_match_rename(&m, 3, name_of("Rob"));
    sb_match_rename(&m, 77, name_of("Rob"));
    sb_match_leave(&m, 3);
    CHECK_EQ(join(&m, 8, "Bob")->kills, 0);
    CHECK_EQ(join(&m, 9, "Rob")->kills, 1);
}

TEST(a_long_name_is_cut_to_31_units)
{
    sb_match m;
    open_match(&m, "ffa");
    sb_match_row *row = join(&m, 9, "a name that is longer than 31 characters");
    CHECK_EQ(row->name_size, 62);
    sb_match_rename(&m, 9, (sb_span){ (const uint8_t *)"odd", 3 });
    CHECK_EQ(row->name_size, 2);
}

TEST(a_full_table_drops_the_longest_absent_player_only)
{
    sb_match m;
    char     name[8] = "P";
    open_match(&m, "ffa");
    death(&m, 5, 3);
    death(&m, 5, 4);
    sb_match_leave(&m, 3);
    sb_match_leave(&m, 4);
    for (uint8_t i = 0; i < SB_MATCH_PLAYERS - 4 + 1; i++) {
        name[1] = (char)('A' + i);
        join(&m, (uint8_t)(100 + i), name);
    }
    CHECK_EQ(join(&m, 8, "Cid")->kills, 1); /* left after Bob, so the row is kept */
    CHECK(!sb_match_join(&m, 9, name_of("Bob"), 0x0A000001));
    sb_match_leave(&m, 100);
    CHECK_EQ(join(&m, 9, "Bob")->kills, 0); /* the row was reused */
    CHECK(!sb_match_join(&m, 0, name_of("Nil"), 0x0A000001));
}

/* ---- limits and time (§10.1) ---- */

static void limit(sb_match *m, const char *mode, uint32_t frags, bool score)
{
    open_match(m, mode);
    m->config.frag_limit = frags;
    m->config.score_limit = score;
}

TEST(a_kill_limit_ends_with_stocks_reason_or_with_kills)
{
    sb_match m;
    limit(&m, "ffa", 2, false);
    death(&m, 2, 3);
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE);
    death(&m, 2, 3);
    CHECK_EQ(end_if_due(&m, 0), SB_END_SCORE);
    CHECK(m.over && m.end_reason == SB_END_SCORE);
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE); /* the reason is returned once */
    limit(&m, "ffa", 1, false);
    m.config.kills_as_kills = true;
    death(&m, 2, 3);
    CHECK_EQ(end_if_due(&m, 0), SB_END_KILLS);
}

TEST(a_score_limit_counts_ten_thousands)
{
    sb_match m;
    limit(&m, "ffa", 2, true);
    m.config.kills_as_kills = true;
    death(&m, 2, 3);
    death(&m, 2, 3);
    row_of(&m, 3)->score = 19999;
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE);
    row_of(&m, 3)->score = 20000;
    CHECK_EQ(end_if_due(&m, 0), SB_END_SCORE);
    limit(&m, "ffa", UINT32_MAX, true);
    row_of(&m, 3)->score = INT32_MAX;
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE);
    limit(&m, "ffa", UINT32_MAX, false);
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE);
}

TEST(in_team_modes_the_limits_are_those_of_teams)
{
    sb_match m;
    limit(&m, "team", 2, false);
    death(&m, 2, 3);
    death(&m, 3, 2);
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE);
    death(&m, 4, 5); /* the second kill of team 1, by another player */
    CHECK_EQ(end_if_due(&m, 0), SB_END_SCORE);
    limit(&m, "team", 1, true);
    row_of(&m, 2)->score = 50000;
    CHECK_EQ(end_if_due(&m, 0), SB_END_NONE);
    m.teams[0].score = 10000;
    CHECK_EQ(end_if_due(&m, 0), SB_END_SCORE);
}

TEST(without_limits_a_match_goes_on)
{
    sb_match m;
    open_match(&m, "ffa");
    row_of(&m, 2)->kills = row_of(&m, 2)->score = INT32_MAX;
    CHECK_EQ(end_if_due(&m, SB_TIME_NEVER), SB_END_NONE);
    CHECK_EQ(sb_match_seconds_left(&m, 0), -1);
}

TEST(time_is_up_when_no_second_is_left)
{
    sb_match        m;
    sb_match_config config;
    sb_match_defaults(&config);
    config.time_limit_min = 20;
    sb_match_init(&m, &config, 5 * SB_SECOND);
    CHECK_EQ(sb_match_seconds_left(&m, 5 * SB_SECOND), 1200);
    CHECK_EQ(sb_match_seconds_left(&m, 5 * SB_SECOND + 1), 1200);
    CHECK_EQ(sb_match_seconds_left(&m, 6 * SB_SECOND), 1199);
    CHECK_EQ(end_if_due(&m, 1205 * SB_SECOND - 1), SB_END_NONE);
    CHECK_EQ(sb_match_seconds_left(&m, 1205 * SB_SECOND - 1), 1);
    CHECK_EQ(sb_match_seconds_left(&m, 1205 * SB_SECOND), 0);
    CHECK_EQ(sb_match_seconds_left(&m, SB_TIME_NEVER), 0);
    CHECK_EQ(sb_match_seconds_left(&m, INT64_MIN), INT32_MAX);
    CHECK_EQ(end_if_due(&m, 1205 * SB_SECOND), SB_END_TIME);
    config.time_limit_min = UINT32_MAX;
    sb_match_init(&m, &config, SB_TIME_NEVER - 1);
    CHECK_EQ(m.ends_at, SB_TIME_NEVER);
}

/* ---- end and restart (§8) ---- */

TEST(when_a_match_is_over_nothing_is_scored)
{
    sb_match        m;
    sb_score_change change;
    open_match(&m, "ffa");
    hit(&m, 3, 2, 100);
    end_match(&m, SB_END_STARBASE);
    end_match(&m, SB_END_GENERIC); /* too late */
    CHECK_EQ(m.end_reason, SB_END_STARBASE);
    hit(&m, 3, 2, 100);
    CHECK(!sb_match_death(&m, 2, SHIP, 3, &change));
    CHECK(row_of(&m, 2)->deaths == 0 && row_of(&m, 3)->score == 0);
    open_match(&m, "ffa");
    end_match(&m, SB_END_NONE);
    CHECK(m.over && m.end_reason == SB_END_GENERIC);
}

TEST(a_restart_keeps_the_players_and_their_teams_only)
{
    sb_match m;
    open_match(&m, "team");
    m.config.time_limit_min = 1;
    hit(&m, 3, 2, 100);
    death(&m, 2, 3);
    hit(&m, 3, 4, 100);
    sb_match_leave(&m, 5);
    end_match(&m, SB_END_GENERIC);
    sb_match_restart(&m, 100 * SB_SECOND);
    CHECK(!m.over && m.end_reason == SB_END_NONE);
    CHECK_EQ(sb_match_seconds_left(&m, 100 * SB_SECOND), 60);
    for (uint8_t i = 2; i < 5; i++) {
        const sb_match_row *row = row_of(&m, i);
        CHECK(row->kills == 0 && row->deaths == 0 && row->score == 0);
        CHECK_EQ(row->team, i % 2);
        CHECK_EQ(row->name_size, 6);
    }
    CHECK(m.teams[1].kills == 0 && m.teams[1].score == 0);
    CHECK(sb_match_same_team(&m, 2, 4) && !sb_match_same_team(&m, 2, 3));
    CHECK(sb_match_set_team(&m, 4, 1)); /* a new choice replaces the old one */
    CHECK(sb_match_same_team(&m, 4, 3));
    CHECK_EQ(death(&m, 4, 3).score, 0); /* ledgers are empty */
    size_t used = 0;
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) used += m.rows[i].used;
    CHECK_EQ(used, 3); /* the row of 5, who left, is dropped */
    CHECK_EQ(m.leave_count, 0);
}

/* ---- random events ---- */

static void do_something(sb_match *m, sb_random *r)
{
    static const float damages[] = { 1, 1000, 1e9f, FLT_MAX, INFINITY, -1, NAN, 0 };
    uint8_t            a = (uint8_t)sb_random_below(r, 40), b = (uint8_t)sb_random_below(r, 40);
    uint32_t           ship = sb_random_below(r, 40);
    char               name[2] = { (char)('A' + sb_random_below(r, 26)), '\0' };
    sb_score_change    change;
    switch (sb_random_below(r, 12)) {
    case 0: sb_match_leave(m, a); break;
    case 1: sb_match_join(m, a, name_of(name), b & 1); break;
    case 2: sb_match_set_team(m, a, b & 3); break;
    case 3: sb_match_forget_ship(m, ship); break;
    case 4: sb_match_rename(m, a, name_of(name)); break;
    case 5: end_if_due(m, (sb_time)sb_random_next(r)); break;
    case 6:
        if (b == 0) sb_match_restart(m, 0);
        break;
    case 7:
    case 8:
        if (!sb_match_death(m, a, ship, b, &change)) break;
        CHECK(change.victim == a && (change.killer == 0 || change.killer == b));
        for (size_t i = 0; i < change.entry_count; i++)
            CHECK(change.killer == 0 || change.entries[i].player != change.killer);
        break;
    default: sb_match_hit(m, a, a & 3, b, ship, b & 3, damages[ship % 8], b & 1);
    }
}

TEST(no_order_of_events_breaks_the_table)
{
    sb_random random;
    sb_random_init(&random, 9);
    for (unsigned game = 0; game < 20; game++) {
        sb_match m;
        open_match(&m, game % 2 ? "assault" : "ffa");
        for (unsigned i = 0; i < 2000; i++) {
            do_something(&m, &random);
            sb_match_check(&m);
        }
    }
}

/* ---- standings ---- */

static void set_row(sb_match_row *row, int32_t kills, int32_t deaths, int32_t score)
{
    row->kills = kills;
    row->deaths = deaths;
    row->score = score;
}

TEST(standings_are_ordered_by_what_the_limit_counts)
{
    sb_match            m;
    const sb_match_row *rows[SB_MATCH_PLAYERS], *winner;
    uint8_t             team;
    open_match(&m, "ffa"); /* players 2 to 5 in rows 0 to 3 */
    set_row(&m.rows[0], 1, 2, 900);
    set_row(&m.rows[1], 3, 0, 100);
    set_row(&m.rows[2], 1, 1, 900);
    set_row(&m.rows[3], 3, 5, 200);
    sb_match_leave(&m, 5);
    CHECK_EQ(sb_match_standings(&m, rows), 4);
    CHECK(rows[0] == &m.rows[3] &&
          rows[1] == &m.rows[1]); /* equal kills: score; left: still there */
    CHECK(rows[2] == &m.rows[2] && rows[3] == &m.rows[0]); /* all equal: fewer deaths */
    sb_match_winner(&m, &winner, &team);
    CHECK(winner == &m.rows[3] && team == SB_NO_TEAM);
    m.config.score_limit = true;
    CHECK_EQ(sb_match_standings(&m, rows), 4);
    CHECK(rows[0] == &m.rows[2] && rows[1] == &m.rows[0]);
    CHECK(rows[2] == &m.rows[3] && rows[3] == &m.rows[1]);
}

TEST(a_match_without_a_score_or_with_a_tie_has_no_winner)
{
    sb_match            m;
    const sb_match_row *winner;
    uint8_t             team;
    open_match(&m, "ffa");
    sb_match_winner(&m, &winner, &team);
    CHECK(!winner);
    set_row(&m.rows[0], 1, 0, 10);
    set_row(&m.rows[1], 1, 0, 10);
    sb_match_winner(&m, &winner, &team);
    CHECK(!winner);
}

TEST(one_kill_or_one_point_wins_and_none_does_not)
{
    static const struct {
        int32_t kills, score;
        bool    wins;
    } rows[] = { { 0, 0, false }, { 1, 0, true }, { 0, 1, true }, { 0, -1, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sb_match            m;
        sb_match_config     config;
        const sb_match_row *winner;
        uint8_t             team;
        sb_match_defaults(&config);
        sb_match_init(&m, &config, 0);
        sb_match_winner(&m, &winner, &team);
        CHECK(!winner); /* nobody is there */
        sb_match_row *first = join(&m, 2, "A");
        set_row(first, rows[i].kills, 0, rows[i].score);
        sb_match_winner(&m, &winner, &team);
        CHECK_EQ(winner != NULL, rows[i].wins);
        sb_match_row *second = join(&m, 3, "B");
        set_row(second, rows[i].kills, 0, rows[i].score);
        sb_match_winner(&m, &winner, &team);
        CHECK(!winner); /* two are equal */
        set_row(second, -1, 0, -1);
        sb_match_winner(&m, &winner, &team);
        CHECK_EQ(winner == first, rows[i].wins);
    }
}

TEST(in_team_modes_a_team_wins)
{
    sb_match            m;
    const sb_match_row *winner;
    uint8_t             team;
    open_match(&m, "team");
    sb_match_winner(&m, &winner, &team);
    CHECK(!winner && team == SB_NO_TEAM);
    m.teams[1].kills = 1;
    m.teams[0].score = 500;
    sb_match_winner(&m, &winner, &team);
    CHECK(!winner && team == 1);
    m.config.score_limit = true;
    sb_match_winner(&m, &winner, &team);
    CHECK(!winner && team == 0);
}

TEST(an_heir_gets_the_numbers_and_the_shares_of_both_ids)
{
    sb_match_config config;
    sb_match        m;
    sb_score_change change;
    sb_span         name = { (const uint8_t *)"A\0", 2 };
    sb_match_defaults(&config);
    sb_match_init(&m, &config, 0);
    for (uint8_t id = 2; id <= 4; id++) CHECK(sb_match_join(&m, id, name, id) != NULL);
    CHECK(sb_match_death(&m, 2, 100, 3, &change)); /* a kill and a death for each */
    CHECK(sb_match_death(&m, 3, 101, 4, &change));
    CHECK(sb_match_death(&m, 4, 102, 3, &change));
    sb_match_hit(&m, 3, 1, 2, 200, 1, 500, true); /* both ids in one ledger */
    sb_match_hit(&m, 4, 1, 2, 200, 1, 300, false);
    sb_match_hit(&m, 3, 1, 2, 201, 1, 100, false); /* the old one alone in another */
    const sb_match_row *heir = sb_match_inherit(&m, 3, 4);
    sb_match_check(&m);
    CHECK(heir == sb_match_find(&m, 4));
    CHECK_EQ(heir->kills, 3);
    CHECK_EQ(heir->deaths, 2);
    CHECK(!sb_match_find(&m, 3));
    CHECK(sb_match_death(&m, 2, 200, 4, &change));
    CHECK_EQ(change.score, 80); /* (500 + 300) / 10 */
    CHECK_EQ(change.entry_count, 0);
    CHECK(sb_match_death(&m, 2, 201, 4, &change));
    CHECK_EQ(change.score, 90);
    CHECK(!sb_match_inherit(&m, 3, 4) && !sb_match_inherit(&m, 4, 4));
}
