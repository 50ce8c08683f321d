/* tests/game/scoring_test.c -- full tables and the edges of scores, shares and teams (spec 09 §10,
 * §11). */
#include <starbase/match.h>
#include <starbase/message_script.h>

#include "game/match_internal.h"
#include "game/testing.h"
#include "test.h"

#include <float.h>
#include <math.h>

enum { SHIP = 1000 };

static sb_match_row *join(sb_match *m, uint8_t id)
{
    uint8_t       name[] = { (uint8_t)('A' + id), 0 };
    sb_match_row *row = sb_match_join(m, id, (sb_span){ name, sizeof name }, id);
    sb_match_check(m);
    return row;
}

/* A match with players 1 to `players`. */
static void open_match(sb_match *m, const char *mode, uint8_t players)
{
    sb_match_config config;
    sb_match_defaults(&config);
    config.mode = sb_find_mode(mode);
    sb_match_init(m, &config, 0);
    for (uint8_t id = 1; id <= players; id++) CHECK(join(m, id) == &m->rows[id - 1]);
}

static void hit(sb_match *m, uint8_t attacker, uint32_t ship, float damage)
{
    sb_match_hit(m, attacker, 1, 1, ship, 1, damage, false);
    sb_match_check(m);
}

static sb_score_change death(sb_match *m, uint32_t ship, uint8_t killer)
{
    sb_score_change change;
    CHECK(sb_match_death(m, 1, ship, killer, &change));
    sb_match_check(m);
    return change;
}

/* ---- the table, full ---- */

TEST(every_row_of_a_full_table_is_a_player)
{
    sb_match            m;
    const sb_match_row *order[SB_MATCH_PLAYERS];
    open_match(&m, "team", SB_MATCH_PLAYERS);
    CHECK(!join(&m, SB_MATCH_PLAYERS + 1));
    for (uint8_t id = 1; id <= SB_MATCH_PLAYERS; id++) {
        CHECK(sb_match_find(&m, id) == &m.rows[id - 1]);
        CHECK(sb_match_find_owner(&m, id) == &m.rows[id - 1]);
        CHECK(sb_match_set_team(&m, id, id % 2));
    }
    CHECK(sb_match_same_team(&m, SB_MATCH_PLAYERS, 2));
    CHECK(!sb_match_same_team(&m, SB_MATCH_PLAYERS, 1));
    m.teams[0].kills = m.teams[0].score = 0x01010101; /* what follows the rows is no row */
    CHECK_EQ(sb_match_standings(&m, order), SB_MATCH_PLAYERS);
    CHECK(!sb_match_find(&m, 1 + SB_MATCH_PLAYERS));
}

TEST(a_player_returns_to_the_first_and_to_the_last_row)
{
    static const uint8_t ids[] = { 1, SB_MATCH_PLAYERS };
    for (size_t i = 0; i < 2; i++) {
        sb_match m;
        open_match(&m, "ffa", SB_MATCH_PLAYERS);
        m.rows[ids[i] - 1].score = 77;
        sb_match_leave(&m, ids[i]);
        CHECK(!sb_match_find(&m, ids[i]));
        CHECK(sb_match_find_owner(&m, ids[i]) == &m.rows[ids[i] - 1]);
        CHECK(join(&m, ids[i]) == &m.rows[ids[i] - 1]);
        CHECK_EQ(m.rows[ids[i] - 1].score, 77);
    }
}

TEST(id_zero_is_nobody)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    CHECK(!join(&m, 0));
    CHECK(!sb_match_find(&m, 0));
    CHECK(!sb_match_find_owner(&m, 0));
    CHECK(!sb_match_same_team(&m, 0, 1));
}

TEST(of_two_absent_players_with_one_id_the_last_is_its_owner)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    sb_match_leave(&m, 2);
    CHECK(sb_match_join(&m, 2, (sb_span){ (const uint8_t *)"x\0", 2 }, 99) == &m.rows[2]);
    sb_match_leave(&m, 2);
    CHECK(sb_match_find_owner(&m, 2) == &m.rows[2]);
    CHECK(join(&m, 2) == &m.rows[1]); /* the name and address decide who returns */
    CHECK(sb_match_find_owner(&m, 2) == &m.rows[1]);
}

TEST(a_nameless_player_and_another_address_do_not_return)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    sb_match_rename(&m, 2, (sb_span){ NULL, 0 });
    sb_match_check(&m);
    CHECK_EQ(m.rows[1].name_size, 0);
    sb_match_leave(&m, 2);
    CHECK(sb_match_join(&m, 3, (sb_span){ NULL, 0 }, 2) == &m.rows[2]);
    sb_match_leave(&m, 1);
    CHECK(sb_match_join(&m, 4, (sb_span){ (const uint8_t *)"B\0", 2 }, 9) == &m.rows[3]);
}

/* ---- defaults and the clock ---- */

TEST(by_default_only_class_2_against_class_1_counts_thrice)
{
    sb_match_config config;
    sb_match_defaults(&config);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) CHECK(config.modifiers[a][b] == (a == 2 && b == 1 ? 3 : 1));
    CHECK(config.score_divisor == 10);
    CHECK(config.mode == sb_find_mode("ffa"));
    CHECK_EQ(config.frag_limit, 0);
    CHECK_EQ(config.time_limit_min, 0);
    config.mode = NULL;
    sb_match m;
    sb_match_init(&m, &config, 0);
    CHECK(m.config.mode == sb_find_mode("ffa"));
}

TEST(a_stopped_clock_never_ends_and_starts_anew)
{
    sb_match_config config;
    sb_match        m;
    sb_match_defaults(&config);
    config.time_limit_min = 2;
    sb_match_init(&m, &config, SB_SECOND);
    CHECK_EQ(sb_match_seconds_left(&m, SB_SECOND), 120);
    CHECK_EQ(sb_match_seconds_left(&m, SB_SECOND + 1), 120);
    CHECK_EQ(sb_match_seconds_left(&m, 2 * SB_SECOND), 119);
    sb_match_stop_clock(&m);
    CHECK_EQ(sb_match_seconds_left(&m, 0), -1);
    CHECK_EQ(sb_match_end_if_due(&m, 1000 * SB_SECOND), SB_END_NONE);
    sb_match_start_clock(&m, 1000 * SB_SECOND);
    CHECK_EQ(sb_match_end_if_due(&m, 1120 * SB_SECOND - 1), SB_END_NONE);
    CHECK_EQ(sb_match_end_if_due(&m, 1120 * SB_SECOND), SB_END_TIME);
}

/* ---- ledgers, full ---- */

TEST(every_ledger_of_a_full_set_is_found_and_freed)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    for (uint32_t i = 0; i < SB_MATCH_SHIPS; i++) hit(&m, 2, SHIP + i, 10.0f * (float)(i + 1));
    int32_t expected = 0;
    for (uint32_t i = 0; i < SB_MATCH_SHIPS; i++) {
        expected += (int32_t)i + 1;
        CHECK_EQ(death(&m, SHIP + i, 2).score, expected);
        CHECK_EQ(death(&m, SHIP + i, 2).score, expected); /* its ledger is gone */
    }
}

/* The least damaged ship is the first, a middle or the last one. */
TEST(a_new_ship_takes_the_ledger_with_the_least_damage)
{
    static const uint32_t least[] = { 0, 1, 9, SB_MATCH_SHIPS - 1 };
    for (size_t k = 0; k < 4; k++) {
        sb_match m;
        open_match(&m, "ffa", 2);
        for (uint32_t i = 0; i < SB_MATCH_SHIPS; i++)
            hit(&m, 2, SHIP + i, i == least[k] ? 10 : 100);
        hit(&m, 2, SHIP + 500, 100);
        CHECK_EQ(death(&m, SHIP + least[k], 2).score, 0);
        CHECK_EQ(death(&m, SHIP + 500, 2).score, 10);
        CHECK_EQ(death(&m, SHIP + (least[k] ? 0 : 1), 2).score, 20);
    }
}

TEST(the_damage_of_a_ship_is_that_of_all_its_attackers)
{
    sb_match m;
    open_match(&m, "ffa", SB_MATCH_ATTACKERS + 1);
    for (uint8_t id = 2; id < SB_MATCH_ATTACKERS + 2; id++) hit(&m, id, SHIP, 10);
    for (uint32_t i = 1; i < SB_MATCH_SHIPS; i++)
        hit(&m, 2, SHIP + i, 10 * SB_MATCH_ATTACKERS + (i == 7 ? -1.0f : 1.0f));
    hit(&m, 2, SHIP + 500, 10);
    CHECK_EQ(m.ledgers[0].ship_id, SHIP);
    CHECK_EQ(m.ledgers[7].ship_id, SHIP + 500);
    hit(&m, 2, SHIP + 7, 1000); /* takes the place of the last one */
    hit(&m, 2, SHIP + 600, 10);
    CHECK_EQ(m.ledgers[0].ship_id, SHIP + 600);
}

TEST(a_free_ledger_is_taken_before_one_with_damage)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    hit(&m, 2, SHIP, 10);
    hit(&m, 2, SHIP + 1, 20);
    CHECK_EQ(death(&m, SHIP, 2).score, 1);
    CHECK_EQ(death(&m, SHIP + 1, 2).score, 3);
}

/* A hit on the own team is damage below zero, less than a free ledger has. */
TEST(a_free_ledger_is_taken_before_one_with_a_debt)
{
    sb_match m;
    open_match(&m, "team", 3);
    for (uint8_t id = 1; id <= 3; id++) CHECK(sb_match_set_team(&m, id, id == 3));
    hit(&m, 2, SHIP, 100);
    hit(&m, 3, SHIP + 1, 100);
    CHECK_EQ(death(&m, SHIP, 2).score, -10);
}

static float share_of(const sb_match *m, uint8_t id)
{
    for (size_t i = 0; i < m->ledgers[0].count; i++)
        if (m->ledgers[0].attackers[i].peer_id == id)
            return m->ledgers[0].attackers[i].shield + m->ledgers[0].attackers[i].hull;
    return -1;
}

/* Classes are 0 to 2; any other counts once. */
TEST(damage_counts_as_the_pair_of_classes_says)
{
    for (uint8_t a = 0; a <= 3; a++)
        for (uint8_t b = 0; b <= 3; b++) {
            sb_match m;
            open_match(&m, "ffa", 2);
            for (int k = 0; k < 9; k++) m.config.modifiers[k / 3][k % 3] = (float)(2 + k);
            sb_match_hit(&m, 2, a, 1, SHIP, b, 10, false);
            float modifier = a < 3 && b < 3 ? (float)(2 + 3 * a + b) : 1;
            CHECK(share_of(&m, 2) == 10 * modifier);
        }
}

TEST(a_divisor_of_0_is_the_default)
{
    static const float divisors[] = { 0, 10 };
    for (int i = 0; i < 2; i++) {
        sb_match m;
        open_match(&m, "ffa", 2);
        m.config.score_divisor = divisors[i];
        hit(&m, 2, SHIP, 500);
        CHECK_EQ(death(&m, SHIP, 2).score, 50);
    }
}

TEST(of_ships_with_equal_damage_the_first_is_forgotten)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    for (uint32_t i = 0; i < SB_MATCH_SHIPS; i++) hit(&m, 2, SHIP + i, 100);
    hit(&m, 2, SHIP + 500, 100);
    CHECK_EQ(death(&m, SHIP, 2).score, 0);
    for (uint32_t i = 1; i < SB_MATCH_SHIPS; i++)
        CHECK_EQ(death(&m, SHIP + i, 2).score, 10 * (int32_t)i);
}

TEST(any_ship_id_but_0_has_a_ledger)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    hit(&m, 2, 1, 100);
    hit(&m, 2, 0, 5000);
    hit(&m, 2, UINT32_MAX, 200);
    CHECK_EQ(death(&m, 1, 2).score, 10);
    CHECK_EQ(death(&m, 0, 2).score, 10);
    CHECK_EQ(death(&m, UINT32_MAX, 2).score, 30);
}

TEST(the_smallest_damage_counts_and_is_entered_where_it_hit)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    m.config.score_divisor = 0.25f;
    sb_match_hit(&m, 2, 1, 1, SHIP, 1, 0.5f, true);
    sb_match_hit(&m, 2, 1, 1, SHIP, 1, 1, false);
    CHECK(m.ledgers[0].attackers[0].shield == 0.5f);
    CHECK(m.ledgers[0].attackers[0].hull == 1);
    CHECK_EQ(death(&m, SHIP, 2).score, 6);
}

/* Hits on the own team count down; the sum stays a finite number and the score in its range. */
TEST(endless_damage_to_the_own_team_costs_all_points_there_are)
{
    static const float damages[] = { FLT_MAX, INFINITY };
    for (int i = 0; i < 2; i++) {
        sb_match m;
        open_match(&m, "team", 2);
        CHECK(sb_match_set_team(&m, 1, 1) && sb_match_set_team(&m, 2, 1));
        for (int k = 0; k < 3; k++) {
            hit(&m, 2, SHIP, damages[i]);
            sb_match_hit(&m, 2, 1, 1, SHIP, 1, damages[i], true);
            sb_match_check(&m);
        }
        CHECK(m.ledgers[0].attackers[0].hull == -FLT_MAX);
        CHECK(m.ledgers[0].attackers[0].shield == -FLT_MAX);
        CHECK_EQ(death(&m, SHIP, 2).score, INT32_MIN);
        CHECK_EQ(m.teams[1].score, INT32_MIN);
    }
}

TEST(only_teams_0_and_1_have_a_score)
{
    sb_match m;
    open_match(&m, "team", 2);
    for (int i = 0; i < 2; i++) m.teams[i].kills = 3 + i, m.teams[i].score = 30 + i;
    for (uint8_t team = 0; team < 4; team++) {
        sb_team_score score;
        sb_match_team_score(&m, team, &score);
        CHECK_EQ(score.team, team);
        CHECK_EQ(score.kills, team < 2 ? 3 + team : 0);
        CHECK_EQ(score.score, team < 2 ? 30 + team : 0);
    }
}

TEST(somebody_unknown_is_in_no_team)
{
    sb_match m;
    open_match(&m, "team", 2);
    CHECK(sb_match_set_team(&m, 1, 0) && sb_match_set_team(&m, 2, 0));
    CHECK(sb_match_same_team(&m, 1, 2));
    CHECK(!sb_match_same_team(&m, 1, 99) && !sb_match_same_team(&m, 99, 1));
    CHECK(!sb_match_same_team(&m, 98, 99));
}

/* Sixteen attackers, of whom one has the smallest share; the seventeenth starts from zero. */
TEST(a_new_attacker_takes_the_smallest_share_and_starts_at_zero)
{
    static const uint8_t smallest[] = { 2, 9, SB_MATCH_ATTACKERS + 1 };
    for (size_t k = 0; k < 3; k++) {
        sb_match m;
        open_match(&m, "ffa", SB_MATCH_ATTACKERS + 2);
        for (uint8_t id = 2; id < SB_MATCH_ATTACKERS + 2; id++) {
            sb_match_hit(&m, id, 1, 1, SHIP, 1, id == smallest[k] ? 3 : 50, true);
            hit(&m, id, SHIP, id == smallest[k] ? 2 : 50);
        }
        hit(&m, SB_MATCH_ATTACKERS + 2, SHIP, 7);
        CHECK(share_of(&m, SB_MATCH_ATTACKERS + 2) == 7);
        CHECK(share_of(&m, smallest[k]) < 0);
        CHECK(share_of(&m, smallest[k] == 9 ? 10 : 9) == 100);
    }
}

TEST(of_absent_attackers_the_smallest_share_goes_first)
{
    sb_match m;
    open_match(&m, "ffa", SB_MATCH_ATTACKERS + 3);
    for (uint8_t id = 2; id < SB_MATCH_ATTACKERS + 2; id++) hit(&m, id, SHIP, 10.0f * id);
    sb_match_leave(&m, 8);
    sb_match_leave(&m, 5);
    sb_match_leave(&m, 11);
    hit(&m, SB_MATCH_ATTACKERS + 2, SHIP, 1000);
    CHECK(share_of(&m, 5) < 0 && share_of(&m, 8) == 80 && share_of(&m, 2) == 20);
    hit(&m, SB_MATCH_ATTACKERS + 3, SHIP, 1000);
    CHECK(share_of(&m, 8) < 0 && share_of(&m, 11) == 110 && share_of(&m, 2) == 20);
}

TEST(a_player_who_returns_takes_shares_along_under_the_new_id)
{
    sb_match m;
    open_match(&m, "ffa", 4);
    hit(&m, 2, SHIP, 20);
    hit(&m, 3, SHIP, 30);
    hit(&m, 4, SHIP, 40);
    sb_match_leave(&m, 3);
    uint8_t name[] = { 'A' + 3, 0 };
    CHECK(sb_match_join(&m, 9, (sb_span){ name, 2 }, 3) == &m.rows[2]);
    CHECK(share_of(&m, 9) == 30 && share_of(&m, 3) < 0);
    CHECK(share_of(&m, 2) == 20 && share_of(&m, 4) == 40);
    sb_match_drop_shares(&m, 2);
    sb_match_check(&m);
    CHECK(share_of(&m, 2) < 0 && share_of(&m, 9) == 30 && share_of(&m, 4) == 40);
}

TEST(a_returning_player_without_a_share_changes_no_full_ledger)
{
    sb_match m;
    open_match(&m, "ffa", SB_MATCH_ATTACKERS + 2);
    for (uint8_t id = 2; id < SB_MATCH_ATTACKERS + 2; id++) hit(&m, id, SHIP, 10.0f * id);
    sb_match_leave(&m, SB_MATCH_ATTACKERS + 2);
    uint8_t name[] = { 'A' + SB_MATCH_ATTACKERS + 2, 0 };
    CHECK(sb_match_join(&m, 99, (sb_span){ name, 2 }, SB_MATCH_ATTACKERS + 2));
    sb_match_check(&m);
    CHECK(share_of(&m, 99) < 0);
    for (uint8_t id = 2; id < SB_MATCH_ATTACKERS + 2; id++) CHECK(share_of(&m, id) == 10.0f * id);
}

TEST(an_heir_gets_kills_deaths_and_score)
{
    sb_match m;
    open_match(&m, "ffa", 3);
    m.rows[1].kills = 3, m.rows[1].deaths = 4, m.rows[1].score = 50;
    m.rows[2].kills = 10, m.rows[2].deaths = 20, m.rows[2].score = 100;
    const sb_match_row *heir = sb_match_inherit(&m, 2, 3);
    CHECK(heir == &m.rows[2] && !m.rows[1].used);
    CHECK_EQ(heir->kills, 13);
    CHECK_EQ(heir->deaths, 24);
    CHECK_EQ(heir->score, 150);
}

/* ---- ends ---- */

TEST(limits_are_reached_exactly_and_negative_scores_are_none)
{
    sb_match m;
    open_match(&m, "ffa", 2);
    m.config.frag_limit = 2;
    m.rows[1].kills = 1;
    m.rows[0].score = m.rows[1].score = -5;
    CHECK_EQ(sb_match_end_if_due(&m, 0), SB_END_NONE);
    m.config.score_limit = true;
    m.rows[1].kills = 2;
    CHECK_EQ(sb_match_end_if_due(&m, 0), SB_END_NONE);
    m.rows[1].score = 19999;
    CHECK_EQ(sb_match_end_if_due(&m, 0), SB_END_NONE);
    m.rows[1].score = 20000;
    CHECK_EQ(sb_match_end_if_due(&m, 0), SB_END_SCORE);
}

TEST(a_class_outside_the_table_counts_once)
{
    for (uint8_t class = 1; class < 5; class ++) {
        sb_match m;
        open_match(&m, "ffa", 2);
        sb_match_hit(&m, 2, class, 1, SHIP, 1, 100, false);
        CHECK_EQ(death(&m, SHIP, 2).score, class == 2 ? 30 : 10);
        sb_match_hit(&m, 2, 2, 1, SHIP, class, 100, false);
        CHECK_EQ(death(&m, SHIP, 2).score, (class == 2 ? 30 : 10) + (class == 1 ? 30 : 10));
    }
}

TEST(a_match_without_players_has_no_winner)
{
    sb_match            m;
    const sb_match_row *player = m.rows;
    uint8_t             team = 0;
    open_match(&m, "ffa", 0);
    sb_match_winner(&m, &player, &team);
    CHECK(!player);
    CHECK_EQ(team, SB_NO_TEAM);
    open_match(&m, "team", 0);
    sb_match_winner(&m, &player, &team);
    CHECK(!player);
    CHECK_EQ(team, SB_NO_TEAM);
}

/* ---- the last row and the last ledger ---- */

TEST(the_last_player_of_a_full_table_reaches_the_limit)
{
    sb_match m;
    open_match(&m, "ffa", SB_MATCH_PLAYERS);
    m.config.frag_limit = 2;
    m.rows[SB_MATCH_PLAYERS - 1].kills = 2;
    CHECK_EQ(sb_match_end_if_due(&m, 0), SB_END_SCORE);
}

/* Damage to as many ships as there are ledgers; the last one counts like the others. */
static void fill_ledgers(sb_match *m, uint8_t players)
{
    open_match(m, "ffa", players);
    for (uint32_t i = 0; i < SB_MATCH_SHIPS; i++) hit(m, 2, SHIP + i, 100);
}

TEST(the_shares_of_the_last_ledger_move_merge_and_go)
{
    const sb_match_ledger *last;
    sb_match               m;
    last = &m.ledgers[SB_MATCH_SHIPS - 1];
    fill_ledgers(&m, 3);
    sb_match_move_shares(&m, 2, 9);
    CHECK_EQ(last->attackers[0].peer_id, 9);
    sb_match_drop_shares(&m, 9);
    CHECK_EQ(last->count, 0);
    fill_ledgers(&m, 3);
    hit(&m, 3, SHIP + SB_MATCH_SHIPS - 1, 50);
    sb_match_merge_shares(&m, 2, 3);
    CHECK_EQ(last->count, 1);
    CHECK_EQ(last->attackers[0].peer_id, 3);
    CHECK(last->attackers[0].hull == 150);
}

TEST(the_team_that_is_ahead_wins_whichever_it_is)
{
    static const struct {
        int32_t kills[2], score[2];
        uint8_t winner;
    } rows[] = {
        { { 1, 0 }, { 0, 0 }, 0 }, { { 0, 1 }, { 0, 0 }, 1 },          { { 0, 0 }, { 1, 0 }, 0 },
        { { 0, 0 }, { 0, 1 }, 1 }, { { 2, 2 }, { 3, 3 }, SB_NO_TEAM },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int by_score = 0; by_score < 2; by_score++) {
            const sb_match_row *player;
            uint8_t             team;
            sb_match            m;
            open_match(&m, "team", 2);
            m.config.score_limit = by_score;
            for (int k = 0; k < 2; k++) {
                m.teams[k].kills = rows[i].kills[k];
                m.teams[k].score = rows[i].score[k];
            }
            sb_match_winner(&m, &player, &team);
            CHECK_EQ(team, rows[i].winner);
        }
}
