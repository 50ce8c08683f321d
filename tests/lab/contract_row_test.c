/* tests/lab/contract_row_test.c -- reading rows of the contract, and judging them. */
#include "test.h"

#include "lab/contract.h"

#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

static alignas(16) unsigned char memory[1 << 19];
static sb_contract_bench bench = { .memory = memory };
static sb_contract_row   row;
static const char       *why;

#define SCENARIO "photon,galaxy,warbird,57,90,-30,torpedoes,low,6,0.5,front"

static sb_result read_line(const char *line)
{
    return sb_contract_read_row(line, sb_stock_ships(), &row, &why);
}

TEST(a_row_names_scenario_quantity_and_tolerance)
{
    CHECK_EQ(read_line(SCENARIO ",disarmed=1 charge=3 from=1 beam_recharge_others=1,"
                                "part_loss:Hull,-1.25,0.05,rel,\"a, \"\"b\"\"\",cannot,because\n"),
             SB_OK);
    CHECK_TEXT(row.id, "photon");
    CHECK_TEXT(row.scenario.attacker->key, "galaxy");
    CHECK_TEXT(row.scenario.target->key, "warbird");
    CHECK(row.scenario.bearing == 90 && row.scenario.elevation == -30);
    CHECK_EQ(row.scenario.action, SB_LAB_TORPEDOES);
    CHECK_EQ(row.scenario.level, 0);
    CHECK_EQ(row.scenario.facing, 0);
    CHECK(row.scenario.disarmed && row.scenario.charge == 3 && row.from == 1);
    CHECK(row.scenario.constants.beam_recharge_others == 1);
    CHECK_TEXT(row.quantity, "part_loss");
    CHECK_TEXT(row.argument, "Hull");
    CHECK(fabs(row.expected_number + 1.25) < 1e-9);
    CHECK_EQ(row.kind, SB_CONTRACT_RELATIVE);
    CHECK_TEXT(row.source, "a, \"b\"");
    CHECK(row.cannot);
    CHECK_TEXT(row.reason, "because");
}

TEST(a_row_with_a_wrong_cell_is_refused_with_the_reason)
{
    static const struct {
        const char *line, *why;
    } bad[] = {
        { "x,galaxy,nautilus,57,0,0,phasers,high,1,1,all,,hit,1,0,abs,s,holds,", "no such ship" },
        { "x,galaxy,galaxy,near,0,0,phasers,high,1,1,all,,hit,1,0,abs,s,holds,", "not a number" },
        { "x,galaxy,galaxy,57,0,0,words,high,1,1,all,,hit,1,0,abs,s,holds,", "no such action" },
        { "x,galaxy,galaxy,57,0,0,phasers,up,1,1,all,,hit,1,0,abs,s,holds,",
          "neither low, medium nor high" },
        { "x,galaxy,galaxy,57,0,0,phasers,high,1,1,all,magic=1,hit,1,0,abs,s,holds,",
          "not a list of NAME=VALUE, or an unknown name" },
        { "x,galaxy,galaxy,57,0,0,phasers,high,1,1,all,,hit,1,0,abs,s,cannot,",
          "missing: a row that cannot hold says why" },
        { "x,galaxy,galaxy,57", "a cell is missing or too long" },
        { "x,galaxy,galaxy,57,0,0,phasers,high,1,1,all,,hit,1,0,abs,s,holds,,more",
          "there are too many cells" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(read_line(bad[i].line), SB_BAD_VALUE);
        CHECK_TEXT(why, bad[i].why);
    }
}

/* Measures the range-independent count of hits of nothing, which is 0. */
static sb_contract_result judge(const char *expected, const char *tolerance, const char *kind)
{
    char               line[256];
    sb_contract_result result;
    snprintf(line, sizeof line,
             "x,galaxy,galaxy,57,0,0,nothing,high,0.1,1,all,,facings_left,%s,%s,%s,s,holds,",
             expected, tolerance, kind);
    CHECK_EQ(read_line(line), SB_OK);
    CHECK_EQ(sb_contract_measure(&bench, &row, &result), SB_OK);
    return result;
}

TEST(a_value_is_judged_by_kind_and_tolerance)
{
    CHECK(sb_lab_bytes() <= sizeof memory);
    CHECK(judge("28000", "0", "exact").holds);
    CHECK(!judge("28001", "0", "exact").holds);
    CHECK(judge("28001", "1", "abs").holds);
    CHECK(!judge("28001.1", "1", "abs").holds);
    CHECK(judge("27000", "0.05", "rel").holds);
    CHECK(!judge("26000", "0.05", "rel").holds);
}

TEST(texts_are_compared_as_they_are)
{
    sb_contract_result result;
    CHECK_EQ(read_line("x,galaxy,galaxy,57,0,0,nothing,high,0,1,all,,footprint,none,0,exact,s,"
                       "holds,"),
             SB_OK);
    CHECK_EQ(sb_contract_measure(&bench, &row, &result), SB_OK);
    CHECK(result.is_text && result.holds);
    strcpy(row.expected, "Hull");
    CHECK_EQ(sb_contract_measure(&bench, &row, &result), SB_OK);
    CHECK(!result.holds);
}

TEST(an_unknown_quantity_is_refused)
{
    sb_contract_result result;
    CHECK_EQ(read_line("x,galaxy,galaxy,57,0,0,nothing,high,0,1,all,,beauty,1,0,exact,s,holds,"),
             SB_OK);
    CHECK_EQ(sb_contract_measure(&bench, &row, &result), SB_BAD_VALUE);
}
