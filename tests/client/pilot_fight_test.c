/* tests/client/pilot_fight_test.c -- whom a pilot attacks and with which side, when it breaks off,
 * retreats and hides, and where it sends its power. */
#include "pilot_scene.h"

#include "test.h"

#include <string.h>

static scene s;

/* Fighting range 16, plus the radii of both ships. */
static const float range = 24;

/* ---- choice of target ----
 *
 * A bonus is measured in units of distance: a ship that has it is chosen as if it were so much
 * nearer. Two ships; the second one is 20 units away. */

static bool is_first_chosen(void)
{
    const sb_contact *chosen = sb_pilot_choose_target(s.pilot, scene_look(&s));
    CHECK(chosen != NULL);
    return chosen == &s.view.contacts[0];
}

static void check_bonus(const char *about, sb_client *first, float bonus)
{
    first->ship.ship.motion.position.y = 20 + bonus - 0.2f;
    if (!is_first_chosen()) FAIL("%s: less than %.2f", about, (double)bonus);
    first->ship.ship.motion.position.y = 20 + bonus + 0.2f;
    if (is_first_chosen()) FAIL("%s: more than %.2f", about, (double)bonus);
}

static sb_client *add_two(sb_skill skill)
{
    scene_init(&s, skill);
    sb_client *first = scene_add(&s, (sb_vec3){ 0, 20, 0 });
    scene_add(&s, (sb_vec3){ 20, 0, 0 });
    return first;
}

TEST(pilot_attacks_the_nearest_foe)
{
    sb_client *first = add_two(SB_SKILL_NORMAL);
    CHECK(is_first_chosen()); /* alike: the first */
    check_bonus("nothing", first, 0);
    first->ship.ship.motion.position.y = 10;
    first->ship.ship.cloaked = true;
    CHECK(!is_first_chosen());
    s.view.count = 1; /* the second is not part of the view any more */
    CHECK(!sb_pilot_choose_target(s.pilot, &s.view));
    first->ship.ship.cloaked = false;
    first->ship.ship.motion.position.y = 30;
    scene_look(&s)->count = 1;
    CHECK(sb_pilot_choose_target(s.pilot, &s.view) == &s.view.contacts[0]);
}

TEST(pilot_prefers_its_target_and_its_attacker)
{
    static const struct {
        const char *about;
        bool        target, attacker;
        sb_time     beam_age, hit_age;
        float       bonus;
    } cases[] = {
        { "its target", true, false, 4000000, 0, 12 },
        { "its target, with a new beam", true, false, 3999999, 0, 18 },
        { "its attacker", false, true, 0, 7999999, 25 },
        { "an attacker of old", false, true, 0, 8000000, 0 },
        { "another one hit it", false, false, 0, 0, 0 },
        { "both", true, true, 5000000, 0, 37 },
    };
    for (int skill = 0; skill < SB_SKILL_COUNT; skill++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            sb_client *first = add_two((sb_skill)skill);
            if (cases[i].target) s.pilot->target = first->ship.ship.object_id;
            if (cases[i].attacker) s.pilot->attacker = first->ship.ship.object_id;
            s.pilot->beam_at = s.w.now - cases[i].beam_age;
            s.pilot->attacked_at = s.w.now - cases[i].hit_age;
            check_bonus(cases[i].about, first, cases[i].bonus);
        }
}

/* 40 for a hull that is gone, 40 for all shields, and 15 for the facing that we see: the rear. What
 * a facing stops: spec 10 §5.2. */
TEST(pilot_prefers_weak_ships_unless_it_is_easy)
{
    static const struct {
        const char *about;
        float       hull, rear, others, bonus;
    } cases[] = {
        { "no hull", 0, 1, 1, 40 },
        { "half a hull", 0.5f, 1, 1, 20 },
        { "no shields", 1, 0, 0, 55 },
        { "no rear", 1, 0, 1, 21.667f },
        { "rear at 10 %", 1, 0.1f, 1, 21 },
        { "rear at 15 %", 1, 0.15f, 1, 13.767f },
        { "rear at 35 %", 1, 0.35f, 1, 8.833f },
        { "rear at 60 %", 1, 0.6f, 1, 2.667f },
        { "rear at 90 %", 1, 0.9f, 1, 0.667f },
        { "only the rear", 1, 1, 0, 33.333f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_client *first = add_two(SB_SKILL_NORMAL);
        first->ship.ship.condition[HULL] = 1000 * cases[i].hull;
        for (int k = 0; k < SB_FACINGS; k++)
            first->ship.ship.facing[k] = 1000 * (k == 1 ? cases[i].rear : cases[i].others);
        check_bonus(cases[i].about, first, cases[i].bonus);
        s.pilot->config.skill = SB_SKILL_HARD;
        check_bonus(cases[i].about, first, cases[i].bonus);
        s.pilot->config.skill = SB_SKILL_EASY;
        check_bonus("easy", first, 0);
    }
}

TEST(pilot_judges_ships_of_unusual_classes)
{
    sb_client    *first = add_two(SB_SKILL_NORMAL);
    sb_ship_class other = s.model;
    first->ship.ship.model = NULL;
    check_bonus("unknown class", first, 15);
    first->ship.ship.model = &other;
    other.subsystem_count = 0;
    first->ship.ship.condition[HULL] = 0;
    check_bonus("no parts", first, 0);
    other.subsystem_count = 1;
    check_bonus("only a hull", first, 40);
    first->ship.ship.condition[HULL] = 1000;
    for (int i = 0; i < SB_FACINGS; i++) other.shield_max[i] = first->ship.ship.facing[i] = 0.1f;
    check_bonus("hardly any shields", first, 0);
    for (int i = 0; i < SB_FACINGS; i++) other.shield_max[i] = first->ship.ship.facing[i] = 0;
    check_bonus("no shields", first, 55);
}

/* ---- attitude ----
 *
 * One beam in direction `direction` has `share` of the firepower; the rest bears in no attitude. */

enum { TAIL_ATTITUDE = 10, NOSE_ATTITUDE = 15 }; /* numbers of attitudes */

static const sb_vec3 ahead = { 0, 1, 0 }, right = { 1, 0, 0 }, astern = { 0, -1, 0 };

static void set_beam(unsigned child, float damage, sb_vec3 direction)
{
    sb_weapon_class *w = &s.weapons[child];
    sb_vec3 up = sb_v_cross(direction, fabsf(direction.z) > 0.9f ? ahead : (sb_vec3){ 0, 0, 1 });
    up = sb_v_unit(up, up);
    w->max_damage = damage;
    memcpy(w->forward, &direction, sizeof w->forward);
    memcpy(w->up, &up, sizeof w->up);
    w->arc_width[0] = w->arc_height[0] = -0.1f;
    w->arc_width[1] = w->arc_height[1] = 0.1f;
}

static void arm(float share, sb_vec3 direction)
{
    s.entries[CANNONS].type = s.entries[TUBES].type = SB_SUBSYSTEM_SENSOR;
    set_beam(FIRST_BANK, 100 * share, direction);
    set_beam(FIRST_BANK + 1, 100 * (1 - share), (sb_vec3){ 0.382683f, 0.92388f, 0 });
}

/* Attacks a ship in `direction`; returns the direction that the pilot turns towards it. */
static sb_vec3 attack_at(float distance, sb_vec3 direction)
{
    sb_client *c = s.w.count > 1 ? &s.w.clients[1] : scene_add(&s, direction);
    c->ship.ship.motion.position = sb_v_along(s.pilot->position, direction, distance);
    s.pilot->extend_until = s.w.now; /* no new break-off */
    sb_pilot_attack(s.pilot, scene_aim(&s, c));
    CHECK(is_same_vector(s.pilot->heading, direction));
    CHECK(is_same_vector(s.pilot->goal, c->ship.ship.motion.position));
    return s.pilot->axis;
}

static bool is_attitude(sb_vec3 v)
{
    return is_same_vector(s.pilot->axis, v);
}

TEST(pilot_turns_the_side_with_the_weapons_to_the_enemy)
{
    sb_vec3  sides[28] = { { 0, 0.9397f, 0.342f }, { 0, 0.9397f, -0.342f } };
    unsigned count = 2;
    for (int i = 0; i < 27; i++) {
        sb_vec3 v = { (float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 - 1) };
        if (i != 13) sides[count++] = sb_v_unit(v, v);
    }
    for (unsigned i = 0; i < 28; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        arm(1, sides[i]);
        if (!is_same_vector(attack_at(range, ahead), sides[i])) FAIL("side %u", i);
        s.pilot->config.skill = SB_SKILL_EASY; /* always the nose */
        CHECK(is_same_vector(attack_at(range, ahead), ahead));
    }
}

/* The enemy is ahead, and the beam points to the right. How much of the firepower must it have to
 * make the pilot turn? */
static void check_share(const char *about, float distance, float share, sb_vec3 otherwise)
{
    for (int more = 0; more < 2; more++) {
        arm(share + (more ? 0.02f : -0.02f), right);
        s.pilot->attitude = is_same_vector(otherwise, ahead) ? NOSE_ATTITUDE : TAIL_ATTITUDE;
        attack_at(distance, ahead);
        if (!is_attitude(more ? right : otherwise)) FAIL("%s: %s", about, more ? "more" : "less");
    }
}

static void set_facings(float max, float front, float starboard, float others)
{
    for (int i = 0; i < SB_FACINGS; i++) {
        s.model.shield_max[i] = max;
        s.ship->facing[i] = max * (i == 0 ? front : i == 5 ? starboard : others);
    }
}

TEST(pilot_turns_only_if_it_gains_enough)
{
    scene_init(&s, SB_SKILL_NORMAL);
    check_share("at the best range", range, 0.475f, ahead);
    check_share("farther out", 1.2f * range, 0.695f, ahead);
    set_facings(1000, 0.35f, 1, 0.35f);
    check_share("weak front", range, 0.285f, ahead);
    set_facings(1, 0.35f, 1, 0.35f);
    check_share("weak front, small shields", range, 0.285f, ahead);
    set_facings(1000, 1, 0.4f, 0.4f);
    check_share("strong front", range, 0.643f, ahead);
    set_facings(1000, 0, 1, 0);
    check_share("no front", range, 0.075f, ahead);
    s.model.shield_max[0] = 0;
    check_share("no front in its class", range, 0.075f, ahead);
    set_facings(1000, 0, 0, 0);
    check_share("no shields", range, 0.475f, ahead);
    set_facings(1000, 1, 1, 1);
    s.pilot->position = (sb_vec3){ 0, 0.7f * 500, 0 }; /* the nose points out of the arena */
    check_share("near the edge", range, 0.225f, ahead);
}

TEST(pilot_counts_the_shield_towards_the_threat)
{
    scene_init(&s, SB_SKILL_NORMAL);
    sb_client *target = scene_add(&s, (sb_vec3){ 0, range, 0 });
    scene_add(&s, (sb_vec3){ -30, 0, 0 });
    arm(0.2f, right);
    s.ship->facing[4] = 0; /* port: a turn to the left shows the threat the front instead */
    for (int known = 0; known < 2; known++) {
        s.pilot->attitude = NOSE_ATTITUDE;
        s.pilot->extend_until = s.w.now;
        scene_aim(&s, target)->threat = known ? &s.view.contacts[1] : NULL;
        sb_pilot_attack(s.pilot, &s.view);
        CHECK(is_attitude(known ? right : ahead));
    }
}

TEST(pilot_without_weapons_faces_away_when_it_is_too_near)
{
    scene_init(&s, SB_SKILL_NORMAL);
    arm(0, right);
    s.weapons[FIRST_BANK + 1].max_damage = 0;
    s.pilot->attitude = NOSE_ATTITUDE;
    CHECK(is_same_vector(attack_at(range, ahead), ahead));
    CHECK(is_same_vector(attack_at(0.5f * range, ahead), astern));
    CHECK(is_same_vector(attack_at(2 * range, ahead), ahead));
}

TEST(pilot_keeps_its_attitude_if_no_other_is_better)
{
    scene_init(&s, SB_SKILL_NORMAL);
    arm(0, right);
    s.weapons[FIRST_BANK + 1].max_damage = 0;
    set_facings(0, 0, 0, 0);
    s.pilot->attitude = TAIL_ATTITUDE;
    CHECK(is_same_vector(attack_at(1.293f * range, astern), astern)); /* all scores are below 0 */
    CHECK_EQ(s.pilot->attitude, TAIL_ATTITUDE);
    CHECK(is_same_vector(attack_at(1.3f * range, astern), ahead));
    CHECK_EQ(s.pilot->attitude, NOSE_ATTITUDE);
    scene_init(&s, SB_SKILL_NORMAL);
    arm(0.5f, right);
    set_beam(FIRST_BANK + 1, 50, (sb_vec3){ -1, 0, 0 }); /* alike: the first in the list */
    CHECK(is_same_vector(attack_at(range, ahead), (sb_vec3){ -1, 0, 0 }));
}

/* Far away, going there counts most; the pull has a limit, and so has the fear of the edge. */
TEST(pilot_weighs_distance_against_the_edge_of_the_arena)
{
    scene_init(&s, SB_SKILL_HARD);
    s.pilot->position = (sb_vec3){ 0, 1.3f * 500, 0 };
    set_facings(1000, 0, 1, 0);
    arm(0.8f, right);
    s.pilot->attitude = NOSE_ATTITUDE;
    CHECK(is_same_vector(attack_at(4 * range, ahead), right));
    scene_init(&s, SB_SKILL_NORMAL);
    s.pilot->position = (sb_vec3){ 0, 1.5f * 500, 0 };
    arm(0.3f, ahead);
    s.pilot->attitude = NOSE_ATTITUDE;
    CHECK(is_same_vector(attack_at(2 * range, ahead), ahead));
}

/* ---- speed and course of an attack ---- */

TEST(pilot_attacks_at_a_speed_that_fits)
{
    static const struct {
        const char *about;
        float       distance, cosine, then; /* cosine: between the nose and the enemy */
        sb_vec3     axis;
    } cases[] = {
        { "ahead, far away", 50, 1, 10, { 0, 1, 0 } },
        { "ahead, in range", 24, 1, 6, { 0, 1, 0 } },
        { "ahead, close", 10, 1, 2.5f, { 0, 1, 0 } },
        { "ahead to the side", 24, 0.6f, 6, { 0, 1, 0 } },
        { "to the side, in range", 24, 0.4f, 6, { 0, 1, 0 } },
        { "to the side, close", 10, 0.4f, 6, { 0, 1, 0 } },
        { "to the side, farther", 25, 0.4f, 3, { 0, 1, 0 } },
        { "behind, farther", 25, -0.8f, 3, { 0, 1, 0 } },
        { "behind, close", 20, -0.8f, 6, { 0, 1, 0 } },
        { "guns on the bow", 20, 0.4f, 6, { 0.707107f, 0.707107f, 0 } },
        { "broadside, enemy beside", 20, 0.2f, 8.5f, { 1, 0, 0 } },
        { "broadside, enemy ahead", 24, 0.4f, 6, { 1, 0, 0 } },
        { "broadside, enemy ahead, close", 10, 0.4f, 2.5f, { 1, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool easy = is_same_vector(cases[i].axis, ahead);
        scene_init(&s, easy ? SB_SKILL_EASY : SB_SKILL_NORMAL);
        if (!easy) arm(1, cases[i].axis);
        float cosine = cases[i].cosine;
        attack_at(cases[i].distance, (sb_vec3){ sqrtf(1 - cosine * cosine), cosine, 0 });
        if (!is_attitude(cases[i].axis)) FAIL("%s: attitude", cases[i].about);
        if (!is_near(s.pilot->speed_wanted, cases[i].then, 1e-3f))
            FAIL("%s: speed %.2f", cases[i].about, (double)s.pilot->speed_wanted);
    }
}

TEST(pilot_approaches_in_a_zigzag_under_fire)
{
    static const struct {
        sb_skill skill;
        float    distance, time;
        int      hit_us; /* ago */
        float    side;   /* -1: left */
    } cases[] = {
        { SB_SKILL_NORMAL, 40, 1000, 0, -1 },      { SB_SKILL_HARD, 40, 1001.99f, 0, -1 },
        { SB_SKILL_NORMAL, 40, 1002, 0, 1 },       { SB_SKILL_NORMAL, 40, 1003.99f, 0, 1 },
        { SB_SKILL_NORMAL, 40, 1004, 0, -1 },      { SB_SKILL_NORMAL, 40, 1006, 0, 1 },
        { SB_SKILL_NORMAL, 40, 1008, 0, -1 },      { SB_SKILL_NORMAL, 40, 1000, 3000000, -1 },
        { SB_SKILL_NORMAL, 40, 1000, 3000001, 0 }, { SB_SKILL_EASY, 40, 1000, 0, 0 },
        { SB_SKILL_NORMAL, 36, 1000, 0, 0 }, /* 1.5 times the range */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, cases[i].skill);
        sb_client *c = scene_add(&s, (sb_vec3){ 0, cases[i].distance, 0 });
        s.w.now = (sb_time)((double)cases[i].time * 1e6);
        s.pilot->attacked_at = s.w.now - cases[i].hit_us;
        sb_pilot_attack(s.pilot, scene_aim(&s, c));
        sb_vec3 v = { 0.25f * cases[i].side, 1, 0 };
        if (!is_same_vector(s.pilot->heading, sb_v_unit(v, v))) FAIL("case %zu", i);
    }
}

/* The nose is turned so that the cosine to the enemy ahead is exact. */
static void turn_nose(float cosine)
{
    s.pilot->forward = (sb_vec3){ sqrtf(1 - cosine * cosine), cosine, 0 };
}

TEST(pilot_changes_its_speed_exactly_at_its_bounds)
{
    scene_init(&s, SB_SKILL_EASY);
    turn_nose(0.5f);
    attack_at(10, ahead);
    CHECK(is_near(s.pilot->speed_wanted, 2.5f, 1e-3f));
    scene_init(&s, SB_SKILL_NORMAL);
    arm(1, right);
    turn_nose(0.3f);
    attack_at(20, ahead);
    CHECK(is_attitude(right));
    CHECK(is_near(s.pilot->speed_wanted, 2.667f, 1e-3f));
    sb_pilot_retreat(s.pilot, &s.view);
    turn_nose(0.2f);
    sb_pilot_retreat(s.pilot, &s.view);
    CHECK(is_near(s.pilot->speed_wanted, 4, 1e-3f));
}

TEST(pilot_counts_shares_of_firepower_however_small)
{
    scene_init(&s, SB_SKILL_NORMAL);
    arm(1, right);
    s.weapons[FIRST_BANK].max_damage = 0.1f;
    CHECK(is_same_vector(attack_at(range, ahead), right));
    set_beam(FIRST_BANK, 0.1f, ahead); /* does not bear: breaks off */
    s.w.clients[1].ship.ship.motion.position = (sb_vec3){ 0, 20, 0 };
    turn_nose(0.5f);
    s.pilot->extend_until = 0;
    sb_pilot_attack(s.pilot, scene_aim(&s, &s.w.clients[1]));
    CHECK(s.pilot->extend_until > s.w.now);
}

/* ---- breaking off ---- */

TEST(pilot_breaks_off_where_no_weapon_comes_to_bear)
{
    static const struct {
        const char *about;
        float       share, distance, cosine; /* share of the firepower that bears */
        sb_time     ended;                   /* the last break-off, so many microseconds ago */
        bool        breaks_off;
    } cases[] = {
        { "circling", 0, 20, 0, 4000000, true },
        { "a fourth bears", 0.25f, 20, 0, 4000000, true },
        { "more bears", 0.3f, 20, 0, 4000000, false },
        { "at the edge of its range", 0, 24, 0, 4000000, true },
        { "beyond", 0, 24.1f, 0, 4000000, false },
        { "soon after the last one", 0, 20, 0, 3999999, false },
        { "ahead: it will bear soon", 0, 20, 0.6f, 4000000, false },
        { "hardly ahead", 0, 20, 0.4f, 4000000, true },
        { "no weapons at all", -1, 20, 0, 4000000, false },
        { "still breaking off", 0.3f, 20, 0, -1, true },
        { "just over", 0, 20, 0, 0, false },
        { "still breaking off, within 1.2 times its range", 0, 28, 0, -1000000, true },
        { "at 1.2 times its range", 0, 1.2f * 24, 0, -1000000, true },
        { "far enough away", 0, 30, 0, -1000000, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        float      cosine = cases[i].cosine;
        sb_vec3    towards = { sqrtf(1 - cosine * cosine), cosine, 0 };
        sb_client *c = scene_add(&s, sb_v_scale(towards, cases[i].distance));
        arm(fmaxf(0, cases[i].share), towards);
        if (cases[i].share < 0) s.weapons[FIRST_BANK + 1].max_damage = 0;
        s.pilot->extend_until = s.w.now - cases[i].ended;
        s.pilot->goal = (sb_vec3){ 1, 2, 3 };
        sb_pilot_attack(s.pilot, scene_aim(&s, c));
        bool breaks_off = is_same_vector(s.pilot->goal, (sb_vec3){ 1, 2, 3 });
        if (breaks_off != cases[i].breaks_off) FAIL("%s", cases[i].about);
        CHECK_EQ(s.pilot->extend_until > s.w.now, breaks_off);
        if (cases[i].distance == 30) CHECK(s.pilot->extend_until == s.w.now);
        if (breaks_off) CHECK(is_near(s.pilot->speed_wanted, cosine < 0.2f ? 10 : 4, 1e-3f));
    }
}

TEST(pilot_breaks_off_for_5_to_9_s)
{
    spread times = { 0 };
    scene_init(&s, SB_SKILL_NORMAL);
    sb_client *c = scene_add(&s, (sb_vec3){ 20, 0, 0 });
    arm(0, right);
    scene_aim(&s, c);
    for (int i = 0; i < 1000; i++) {
        s.pilot->extend_until = 0;
        sb_pilot_attack(s.pilot, &s.view);
        spread_add(&times, s.pilot->extend_until - s.w.now);
    }
    spread_check(&times, 5 * SB_SECOND, 9 * SB_SECOND);
}

/* ---- retreat ---- */

static const sb_vec3 quarter = { 0.707107f, -0.707107f, 0 };

static void retreat_from(float distance, sb_vec3 direction)
{
    sb_client *c = s.w.count > 1 ? &s.w.clients[1] : scene_add(&s, direction);
    c->ship.ship.motion.position = sb_v_scale(direction, distance);
    s.pilot->goal = (sb_vec3){ 0, 0, 100 };
    s.pilot->goal_at = SB_TIME_NEVER;
    sb_pilot_retreat(s.pilot, scene_aim(&s, c));
}

TEST(pilot_runs_from_a_threat_and_cruises_without_one)
{
    static const struct {
        float distance, cosine, speed; /* 7: cruises */
    } cases[] = { { 30, 1, 4 },   { 30, 0.3f, 4 },  { 30, 0.1f, 10 },  { 30, -1, 10 },
                  { 60, -1, 10 }, { 60.1f, -1, 7 }, { 59.5f, -1, 10 }, { 60.9f, 1, 7 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        float   cosine = cases[i].cosine;
        sb_vec3 towards = { sqrtf(1 - cosine * cosine), cosine, 0 };
        retreat_from(cases[i].distance, towards);
        CHECK(is_near(s.pilot->speed_wanted, cases[i].speed, 1e-3f));
        bool cruises = cases[i].speed == 7;
        CHECK(is_same_vector(s.pilot->heading, cruises ? (sb_vec3){ 0, 0, 1 } : towards));
    }
    s.view.threat = NULL;
    sb_pilot_retreat(s.pilot, &s.view);
    CHECK(is_same_vector(s.pilot->heading, (sb_vec3){ 0, 0, 1 }));
    CHECK(is_near(s.pilot->speed_wanted, 7, 1e-3f));
}

/* All facings are gone but starboard and, in part, the rear. The threat is ahead: the pilot shows
 * its tail, or the starboard quarter if the rear has too little left. */
TEST(pilot_shows_a_strong_side_to_the_threat)
{
    static const struct {
        const char *about;
        sb_skill    skill;
        float       rear;
        bool        stern_gun;
        sb_vec3     axis;
    } cases[] = {
        { "half a rear", SB_SKILL_NORMAL, 0.5f, false, { 0, -1, 0 } },
        { "less", SB_SKILL_NORMAL, 0.45f, false, { 0.707107f, -0.707107f, 0 } },
        { "hard", SB_SKILL_HARD, 0.45f, false, { 0.707107f, -0.707107f, 0 } },
        { "guns astern", SB_SKILL_NORMAL, 0.3f, true, { 0, -1, 0 } },
        { "guns astern, less", SB_SKILL_NORMAL, 0.25f, true, { 0.707107f, -0.707107f, 0 } },
        { "easy: does not care", SB_SKILL_EASY, 0, false, { 0, -1, 0 } },
        { "no rear", SB_SKILL_NORMAL, 0, false, { 0.707107f, -0.707107f, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, cases[i].skill);
        arm(1, cases[i].stern_gun ? astern : (sb_vec3){ 0.382683f, 0.92388f, 0 });
        set_facings(1000, 0, 1, 0);
        s.ship->facing[1] = 1000 * cases[i].rear;
        s.pilot->attitude = NOSE_ATTITUDE;
        retreat_from(30, ahead);
        if (!is_attitude(cases[i].axis)) FAIL("%s", cases[i].about);
    }
    CHECK(!is_attitude(ahead));
    CHECK(is_attitude(quarter));
}

/* ---- cloak ---- */

TEST(spec_10_10_pilot_hides_to_retreat_or_to_come_unseen)
{
    static const struct {
        const char *about;
        sb_skill    skill;
        float       battery, distance; /* distance 0: no target, but a threat; -1: nobody */
        sb_time     retreat, hit, gap; /* left; ago; left */
        bool        hides;
    } cases[] = {
        { "retreating", SB_SKILL_NORMAL, 1, 10, 1, 0, 0, true },
        { "retreating, hard", SB_SKILL_HARD, 1, 10, 1, 0, 0, true },
        { "retreating, easy", SB_SKILL_EASY, 1, 10, 1, 0, 0, false },
        { "the retreat is over", SB_SKILL_NORMAL, 1, 10, 0, 0, 0, false },
        { "not so soon again", SB_SKILL_NORMAL, 1, 10, 1, 0, 1, false },
        { "battery at 40 %", SB_SKILL_NORMAL, 0.4f, 10, 1, 0, 0, true },
        { "battery below", SB_SKILL_NORMAL, 0.39f, 10, 1, 0, 0, false },
        { "battery at 70 %", SB_SKILL_NORMAL, 0.7f, 10, 1, 0, 0, true },
        { "retreating from nobody", SB_SKILL_NORMAL, 1, -1, 1, 0, 0, false },
        { "retreating, no target", SB_SKILL_NORMAL, 1, 0, 1, 0, 0, true },
        { "coming", SB_SKILL_HARD, 1, 29, 0, 6000001, 0, true },
        { "coming, far", SB_SKILL_HARD, 1, 50, 0, 60000000, 0, true },
        { "coming, normal", SB_SKILL_NORMAL, 1, 29, 0, 6000001, 0, false },
        { "coming, easy", SB_SKILL_EASY, 1, 29, 0, 6000001, 0, false },
        { "too near", SB_SKILL_HARD, 1, 28, 0, 6000001, 0, false },
        { "at 1.8 times its range", SB_SKILL_HARD, 1, 28.8f, 0, 6000001, 0, false },
        { "just hit", SB_SKILL_HARD, 1, 29, 0, 6000000, 0, false },
        { "hit 5.5 s ago", SB_SKILL_HARD, 1, 29, 0, 5500000, 0, false },
        { "hit 6.5 s ago", SB_SKILL_HARD, 1, 29, 0, 6500000, 0, true },
        { "no target", SB_SKILL_HARD, 1, 0, 0, 6000001, 0, false },
        { "nobody", SB_SKILL_HARD, 1, -1, 0, 6000001, 0, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, cases[i].skill);
        sb_client *c = scene_add(&s, (sb_vec3){ 0, fmaxf(cases[i].distance, 10), 0 });
        s.ship->backup_battery = 200 * cases[i].battery;
        s.pilot->retreat_until = s.w.now + cases[i].retreat;
        s.pilot->attacked_at = s.w.now - cases[i].hit;
        s.pilot->cloak_at = s.w.now + cases[i].gap;
        s.pilot->beams_on[BEAMS] = true;
        scene_aim(&s, c);
        if (cases[i].distance <= 0) s.view.target = NULL;
        if (cases[i].distance < 0) s.view.threat = NULL;
        sb_pilot_update_cloak(s.pilot, s.me, &s.view);
        if (s.ship->cloaked != cases[i].hides) FAIL("%s", cases[i].about);
        CHECK_EQ(s.me->cloaks, cases[i].hides);
        CHECK_EQ(s.me->stops, cases[i].hides); /* it ceases fire first */
        CHECK(s.pilot->armed_at == (cases[i].hides ? SB_TIME_NEVER : 0));
        CHECK(s.pilot->cloak_at == s.w.now + cases[i].gap);
    }
}

TEST(spec_10_10_pilot_appears_to_fight_or_for_want_of_power)
{
    static const struct {
        const char *about;
        float       battery, distance; /* 0: no target */
        sb_time     retreat;
        bool        appears;
    } cases[] = {
        { "near", 1, 23.9f, 0, true },
        { "at 1.5 times its range", 1, 24, 0, false },
        { "far", 1, 40, 0, false },
        { "nobody", 1, 0, 0, true },
        { "retreating", 1, 10, 1, false },
        { "retreating from nobody", 1, 0, 1, false },
        { "low battery", 0.14f, 40, 0, true },
        { "low battery, retreating", 0.14f, 10, 1, true },
        { "battery at 15 %", 0.15f, 40, 0, false },
        { "battery at 25 %", 0.25f, 40, 1, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_HARD);
        sb_client *c = scene_add(&s, (sb_vec3){ 0, cases[i].distance, 0 });
        s.ship->cloaked = true;
        s.ship->backup_battery = 200 * cases[i].battery;
        s.pilot->retreat_until = s.w.now + cases[i].retreat;
        s.pilot->armed_at = SB_TIME_NEVER;
        scene_aim(&s, c);
        if (cases[i].distance <= 0) s.view.target = NULL;
        sb_pilot_update_cloak(s.pilot, s.me, &s.view);
        if (s.ship->cloaked == cases[i].appears) FAIL("%s", cases[i].about);
        CHECK(s.pilot->armed_at == (cases[i].appears ? s.w.now + 6500000 : SB_TIME_NEVER));
        CHECK(s.pilot->cloak_at == (cases[i].appears ? s.w.now + 45000000 : 0));
    }
}

/* A pilot that would hide, or one that would stay hidden. */
static bool is_cloaked_after(bool before)
{
    s.ship->cloaked = before;
    s.pilot->retreat_until = s.w.now + 1;
    sb_pilot_update_cloak(s.pilot, s.me, scene_aim(&s, &s.w.clients[1]));
    return s.ship->cloaked;
}

TEST(pilot_cloaks_only_with_a_device_that_works)
{
    scene_init(&s, SB_SKILL_NORMAL);
    scene_add(&s, (sb_vec3){ 0, 10, 0 });
    CHECK(is_cloaked_after(false));
    CHECK(is_cloaked_after(true));
    s.pilot->config.peaceful = true;
    CHECK(!is_cloaked_after(false));
    s.pilot->config.peaceful = false;
    s.ship->condition[CLOAK] = 100;
    CHECK(!is_cloaked_after(false));
    CHECK(!is_cloaked_after(true));
    s.ship->condition[CLOAK] = 1000;
    s.pilot->cloak_at = 0;
    s.model.can_cloak = false;
    CHECK(!is_cloaked_after(false));
    CHECK(is_cloaked_after(true)); /* not its doing */
    s.model.can_cloak = true;
    s.entries[CLOAK].type = SB_SUBSYSTEM_SENSOR;
    CHECK(!is_cloaked_after(false));
    s.entries[HULL].type = SB_SUBSYSTEM_CLOAK; /* the first of the list */
    CHECK(is_cloaked_after(false));
    s.model.backup_battery = s.ship->backup_battery = 0;
    CHECK(!is_cloaked_after(false));
    CHECK(!is_cloaked_after(true));
    s.pilot->cloak_at = 0;
    s.model.backup_battery = s.ship->backup_battery = 0.5f;
    CHECK(is_cloaked_after(false));
}

TEST(pilot_tries_again_if_its_cloak_order_is_refused)
{
    scene_init(&s, SB_SKILL_NORMAL);
    scene_add(&s, (sb_vec3){ 0, 10, 0 });
    s.me->refuses = true;
    CHECK(!is_cloaked_after(false));
    CHECK(s.pilot->armed_at == 0);
    s.ship->backup_battery = 0;
    CHECK(is_cloaked_after(true));
    CHECK(s.pilot->armed_at == 0);
    CHECK(s.pilot->cloak_at == 0);
}

/* ---- power ---- */

enum { CRUISE = 1, ATTACK, RETREAT, HIDDEN };

/* A pilot in that situation sets its power; main conduit as given, no backup. */
static void set_power(int situation, float conduit)
{
    scene_init(&s, SB_SKILL_NORMAL);
    sb_client *c = scene_add(&s, (sb_vec3){ 0, 10, 0 });
    s.model.main_conduit = conduit;
    s.model.backup_conduit = 0;
    s.ship->power_wanted[HULL] = 0.7f; /* none of its business */
    s.ship->power_wanted[REACTOR] = 0.7f;
    s.ship->power_wanted[CLOAK] = 0.7f;
    s.ship->power_wanted[TRACTOR] = 0.7f;
    s.ship->power_wanted[SENSORS] = 0.7f;
    s.pilot->stance = 0;
    s.ship->cloaked = situation == HIDDEN;
    s.pilot->retreat_until = s.w.now + (situation == RETREAT || situation == HIDDEN);
    scene_aim(&s, c);
    if (situation == CRUISE) s.view.target = NULL;
    sb_pilot_set_power(s.pilot, s.me, &s.view);
}

TEST(spec_10_4_2_pilot_sends_power_where_it_needs_it)
{
    static const struct {
        int   situation;
        float conduit, shields, weapons, engines;
    } cases[] = {
        { CRUISE, 200, 1, 1, 1 },
        { ATTACK, 200, 1, 1.25f, 1 },
        { ATTACK, 100, 1, 1.25f, 1 }, /* 80 + 20 for the weapons: just enough */
        { ATTACK, 99, 1, 1, 1 },
        { RETREAT, 200, 1.25f, 0.75f, 1.25f },
        { RETREAT, 90, 1.25f, 0.75f, 1.25f },
        { RETREAT, 89, 1, 0.75f, 1 },
        { HIDDEN, 200, 0.5f, 1, 1.25f },
        { HIDDEN, 84, 0.5f, 1, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_power(cases[i].situation, cases[i].conduit);
        const float *is = s.ship->power_wanted;
        CHECK_EQ(s.pilot->stance, cases[i].situation);
        CHECK(is[SHIELD] == cases[i].shields);
        CHECK(is[IMPULSE] == cases[i].engines);
        CHECK(is[BEAMS] == cases[i].weapons);
        CHECK(is[CANNONS] == cases[i].weapons);
        CHECK(is[TUBES] == cases[i].weapons);
        CHECK(is[SENSORS] == 1);
        CHECK(is[HULL] == 0.7f && is[REACTOR] == 0.7f);
        CHECK(is[CLOAK] == 0.7f && is[TRACTOR] == 0.7f);
        unsigned orders = s.me->powers;
        s.ship->power_wanted[SENSORS] = 0.5f;
        sb_pilot_set_power(s.pilot, s.me, &s.view); /* once for each situation */
        CHECK_EQ(s.me->powers, orders);
    }
    s.view.target = NULL;
    s.pilot->retreat_until = s.w.now;
    s.ship->cloaked = false;
    sb_pilot_set_power(s.pilot, s.me, &s.view);
    CHECK_EQ(s.pilot->stance, CRUISE); /* at the end of a retreat */
}

TEST(pilot_reckons_with_every_entry_that_draws_power)
{
    for (int more = 0; more < 2; more++) {
        set_power(ATTACK, 109.5f + (float)more);
        s.entries[HULL].power_per_second = 10; /* the first of the list; 110 in all */
        s.ship->power_wanted[BEAMS] = 1;
        s.pilot->stance = 0;
        sb_pilot_set_power(s.pilot, s.me, &s.view);
        CHECK(s.ship->power_wanted[BEAMS] == (more ? 1.25f : 1));
    }
}

TEST(pilot_changes_only_levels_that_differ_by_a_hundredth)
{
    static const struct {
        float    level;
        unsigned orders;
    } cases[] = { { 1, 0 }, { 0.995f, 0 }, { 1.005f, 0 }, { 0.985f, 1 }, { 1.015f, 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        s.pilot->stance = 0;
        s.ship->power_wanted[SENSORS] = cases[i].level; /* the last of the list */
        sb_pilot_set_power(s.pilot, s.me, scene_look(&s));
        CHECK_EQ(s.me->powers, cases[i].orders);
        s.entries[HULL].format = SB_FORMAT_POWERED; /* the first */
        s.ship->power_wanted[HULL] = 0.5f;
        s.pilot->stance = 0;
        sb_pilot_set_power(s.pilot, s.me, scene_look(&s));
        CHECK_EQ(s.me->powers, cases[i].orders + 1);
    }
}

TEST(pilot_sets_its_power_again_after_a_refusal)
{
    scene_init(&s, SB_SKILL_NORMAL);
    s.pilot->stance = 0;
    s.ship->power_wanted[SHIELD] = 0.5f;
    s.me->refuses = true;
    sb_pilot_set_power(s.pilot, s.me, scene_look(&s));
    CHECK_EQ(s.pilot->stance, 0);
    s.me->refuses = false;
    sb_pilot_set_power(s.pilot, s.me, scene_look(&s));
    CHECK_EQ(s.pilot->stance, CRUISE);
    CHECK(s.ship->power_wanted[SHIELD] == 1);
}

TEST(pilot_that_is_peaceful_has_no_power_for_war)
{
    scene_init(&s, SB_SKILL_NORMAL);
    sb_client *c = scene_add(&s, (sb_vec3){ 0, 10, 0 });
    s.pilot->stance = 0;
    s.pilot->config.peaceful = true;
    sb_pilot_set_power(s.pilot, s.me, scene_aim(&s, c));
    CHECK_EQ(s.pilot->stance, CRUISE);
}
