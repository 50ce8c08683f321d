/* tests/combat/constants_test.c -- the constants of spec 10 §14. */
#include "rig.h"

#include <string.h>

static float value_of(const char *wanted)
{
    const char *name;
    float       value;
    for (size_t i = 0; sb_combat_constant_at(i, &name, &value, NULL, NULL); i++)
        if (strcmp(name, wanted) == 0) return value;
    FAIL("no constant %s", wanted);
}

TEST(test_10_14_the_constants_have_the_values_of_the_spec)
{
    static const struct {
        const char *name;
        double      value;
    } rows[] = {
        { "collision_dead_zone", 0.01 },
        { "collision_slope", 900 },
        { "collision_base", 500 },
        { "collision_search", 1.5 },
        { "collision_gap", 26 },
        { "collision_interval", 0.25 },
        { "volume_limit", 0.5 },
        { "volume_strength", 6000 },
        { "cloak_time", 5 },
        { "shield_delay", 1 },
        { "decloak_facing", 1 },
        { "cloak_efficiency", 0.8 },
        { "tractor_shed", 0.01 },
        { "tractor_return", 0.056 },
        { "explosion_lifetime", 9.5 },
        { "beam_low", 0.25 },
        { "beam_medium", 0.5 },
        { "beam_high", 0.5 },
        { "discharge_low", 0.35 },
        { "discharge_medium", 1 },
        { "discharge_high", 1 },
        { "discharge_delay", 0.5 },
        { "beam_delay", 0.625 },
        { "beam_quantum", 0.53125 },
        { "beam_radius", 0.15 },
        { "beam_recharge_others", 1.25 },
        { "pulse_low", 0.2 },
        { "pulse_medium", 0.5 },
        { "pulse_high", 1 },
        { "pulse_cost_low", 0.5 },
        { "pulse_cost_medium", 1 },
        { "pulse_cost_high", 2 },
        { "shield_interval", 0.65625 },
        { "shield_recharge", 0.85 },
        { "shield_gate", 0.1 },
        { "shield_tight", 0.6 },
        { "shield_leak", 0.6 },
        { "facing_default", 1000 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_NEAR(value_of(rows[i].name), rows[i].value, 1e-6);
}

TEST(constants_are_set_by_name_and_absurd_values_refused)
{
    sb_combat_constants k;
    sb_combat_constants_default(&k);
    CHECK_EQ(sb_combat_constant_set(&k, "cloak_time", 3), SB_OK);
    CHECK_NEAR(k.cloak_time, 3, 0);
    CHECK_EQ(sb_combat_constant_set(&k, "cloak_tim", 3), SB_NOT_ALLOWED);
    CHECK_EQ(sb_combat_constant_set(&k, "", 3), SB_NOT_ALLOWED);
    CHECK_EQ(sb_combat_constant_set(&k, "cloak_time", NAN), SB_BAD_VALUE);
    CHECK_EQ(sb_combat_constant_set(&k, "cloak_time", INFINITY), SB_BAD_VALUE);
    CHECK_EQ(sb_combat_constant_set(&k, "cloak_time", -1), SB_BAD_VALUE);
    CHECK_NEAR(k.cloak_time, 3, 0);
}

TEST(a_changed_constant_changes_the_rule)
{
    rig *r = rig_new();
    CHECK_EQ(sb_combat_constant_set(&r->config.constants, "explosion_lifetime", 12.9f), SB_OK);
    rig_start(r, false);
    rig_add(r, 0, SOVEREIGN, (sb_vec3){ 0, 0, 0 });
    sb_combat_self_destruct(r->combat, RIG_SHIP(0));
    CHECK_NEAR(rig_event(r, SB_COMBAT_EXPLODING, 0)->lifetime, 12.9, 1e-6);
}

TEST(every_constant_has_a_tag_and_a_sentence)
{
    const char *name, *tag, *text;
    size_t      count = 0;
    for (; sb_combat_constant_at(count, &name, NULL, &tag, &text); count++) {
        CHECK(strlen(name) > 0);
        CHECK(strlen(tag) == 1 && strchr("TERI", tag[0]));
        CHECK(strlen(text) > 5);
    }
    CHECK_EQ(count, sizeof(sb_combat_constants) / sizeof(float));
}

TEST(names_of_causes_and_counters_are_never_null)
{
    for (int i = -1; i <= SB_DAMAGE_CAUSES; i++)
        CHECK(strlen(sb_damage_cause_text((sb_damage_cause)i)) > 3);
    for (int i = -1; i <= SB_IMPLAUSIBLE_COUNT; i++) {
        CHECK(strlen(sb_implausible_name((sb_implausible)i)) > 2);
        CHECK(strlen(sb_implausible_text((sb_implausible)i)) > 5);
        CHECK(strlen(sb_implausible_unit((sb_implausible)i)) > 0);
    }
    CHECK_TEXT(sb_implausible_name(SB_IMPLAUSIBLE_FORCE), "force");
    CHECK_TEXT(sb_damage_cause_text(SB_DAMAGE_SELF_DESTRUCT), "self-destruct");
}

/* Every constant may be 0 or huge: the simulation goes on without an assertion. */
TEST(absurd_constants_do_no_harm)
{
    const char *name;
    for (size_t i = 0; sb_combat_constant_at(i, &name, NULL, NULL, NULL); i++)
        for (unsigned huge = 0; huge < 2; huge++) {
            rig *r = rig_new();
            CHECK_EQ(sb_combat_constant_set(&r->config.constants, name, huge ? 1e9f : 0), SB_OK);
            rig_start(r, true);
            rig_add(r, 0, VORCHA, rig_origin);
            rig_add(r, 1, GALAXY, (sb_vec3){ 0, 30, 0 });
            rig_start_firing(r, 0, SB_SUBSYSTEM_PHASER_SYSTEM, RIG_SHIP(1));
            rig_fire_tube(r, 0, 2, rig_ahead, RIG_SHIP(1));
            rig_fire_cannon(r, 0, 8, rig_ahead, RIG_SHIP(1));
            r->ships[1].cloaked = true;
            rig_seconds(r, 3);
        }
}

TEST(numbers_that_are_no_counter_or_cause_are_unknown)
{
    static const int others[] = { -1, SB_IMPLAUSIBLE_COUNT, SB_IMPLAUSIBLE_COUNT + 1 };
    for (unsigned i = 0; i < 3; i++) {
        sb_implausible what = (sb_implausible)others[i];
        CHECK_TEXT(sb_implausible_name(what), "unknown");
        CHECK_TEXT(sb_implausible_text(what), "unknown counter");
        CHECK_TEXT(sb_implausible_unit(what), "unknown unit");
        CHECK_EQ(sb_implausible_lag(what), 0);
    }
    CHECK_TEXT(sb_damage_cause_text(SB_DAMAGE_CAUSES), "unknown cause");
    CHECK_TEXT(sb_damage_cause_text(SB_DAMAGE_CAUSES - 1), "self-destruct");
    CHECK_TEXT(sb_implausible_name(SB_IMPLAUSIBLE_COUNT - 1), "recreation");
    CHECK_TEXT(sb_implausible_text(SB_IMPLAUSIBLE_COUNT - 1),
               "new ships while the old one lives or explodes");
    CHECK_TEXT(sb_implausible_unit(SB_IMPLAUSIBLE_COUNT - 1), "s");
    CHECK_EQ(sb_implausible_lag(SB_IMPLAUSIBLE_ARC), 40);
    CHECK_EQ(sb_implausible_lag(SB_IMPLAUSIBLE_NO_SHIP), 200);
}

/* Files that name a constant of an earlier version get a sentence about it. */
TEST(removed_constants_are_explained)
{
    static const char *const names[] = {
        "beam_cutoff", "beam_search",       "facing_stops", "impact_depth", "spawn_grace",
        "pulse_cost",  "collision_shields", "lag_seconds",  "lag_distance",
    };
    sb_combat_constants k;
    sb_combat_constants_default(&k);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK(sb_combat_constant_removed(names[i]));
        CHECK_EQ(sb_combat_constant_set(&k, names[i], 1), SB_NOT_ALLOWED);
    }
    CHECK_TEXT(sb_combat_constant_removed("spawn_grace"), "the game has no grace after a spawn");
    CHECK(!sb_combat_constant_removed("cloak_time"));
    CHECK(!sb_combat_constant_removed(""));
}

TEST(the_first_and_the_last_constant_can_be_set_to_0)
{
    const char         *name = NULL;
    size_t              last = sizeof(sb_combat_constants) / sizeof(float) - 1;
    sb_combat_constants k;
    sb_combat_constants_default(&k);
    CHECK_EQ(sb_combat_constant_set(&k, "collision_dead_zone", 0), SB_OK);
    CHECK_NEAR(k.collision_dead_zone, 0, 0);
    CHECK(sb_combat_constant_at(last, &name, NULL, NULL, NULL));
    CHECK_TEXT(name, "facing_default");
    CHECK_EQ(sb_combat_constant_set(&k, name, 0), SB_OK);
    CHECK_NEAR(k.facing_default, 0, 0);
    CHECK(!sb_combat_constant_at(last + 1, &name, NULL, NULL, NULL));
}
