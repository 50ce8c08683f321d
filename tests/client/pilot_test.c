/* tests/client/pilot_test.c -- what a pilot does: flies within its engines (spec 10 §11.3), fires
 * what is ready and bears (§6), spares its own side, runs, dies and comes back. */
#include "pilot_world.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    AKIRA = 1,
    GALAXY = 3,
    SOVEREIGN = 5,
    BIRD_OF_PREY = 6,
    VORCHA = 7,
    WARBIRD = 8,
    FREIGHTER = 16
};

static const sb_vec3 ahead = { 0, 1, 0 }, back = { 0, -1, 0 };

static world w, again;

static sb_pilot_config config_of(uint64_t seed, sb_skill skill)
{
    sb_pilot_config config;
    sb_pilot_defaults(&config);
    config.seed = seed;
    config.skill = (uint8_t)skill;
    return config;
}

static sb_client *new_pilot(uint64_t seed, sb_skill skill)
{
    sb_pilot_config config = config_of(seed, skill);
    return world_add_pilot(&w, &config);
}

/* A pilot with a ship at the origin, nose along +y. */
static sb_client *new_flyer(sb_skill skill, uint8_t species)
{
    sb_client *c = new_pilot(7, skill);
    world_put(c, species, (sb_vec3){ 0, 0, 0 }, ahead);
    return c;
}

static void check_no_complaints(void)
{
    for (int i = 0; i < COMPLAINTS; i++)
        if (w.complaints[i] > 0)
            FAIL("%u complaints: %s", w.complaints[i], complaint_name((complaint)i));
}

/* Cosine between the nose and the way to somebody. */
static float nose_on(const sb_client *c, const sb_client *other)
{
    sb_vec3 a = c->ship.ship.motion.position, b = other->ship.ship.motion.position;
    sb_vec3 f = c->ship.ship.motion.forward;
    float   far = world_distance(c, other);
    return ((b.x - a.x) * f.x + (b.y - a.y) * f.y + (b.z - a.z) * f.z) / far;
}

static float from_centre(const sb_client *c)
{
    sb_vec3 p = c->ship.ship.motion.position;
    return sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
}

/* ---- flying ---- */

TEST(pilot_turns_to_its_target_and_closes_in)
{
    for (int skill = 0; skill < SB_SKILL_COUNT; skill++) {
        world_init(&w);
        w.harmless = true;
        sb_client *c = new_flyer((sb_skill)skill, SOVEREIGN);
        sb_client *dummy = world_add_dummy(&w, AKIRA, (sb_vec3){ 10, -50, 5 }, ahead, 0);
        world_run(&w, 1);
        CHECK_EQ(c->pilot.mood, SB_PILOT_ATTACKING);
        CHECK_EQ(c->pilot.target, dummy->ship.ship.object_id);
        CHECK(c->target_changes == 1);
        CHECK(nose_on(c, dummy) < 0);
        world_run(&w, 14);
        CHECK(nose_on(c, dummy) > 0.8f);
        world_run(&w, 5);
        CHECK(world_distance(c, dummy) < 45);
        check_no_complaints();
    }
}

TEST(pilot_leaves_a_warping_ship_alone)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_HARD, SOVEREIGN);
    sb_client *dummy = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 20, 0 }, ahead, 0);
    world_run(&w, 1);
    CHECK_EQ(c->pilot.target, dummy->ship.ship.object_id);
    dummy->ship.warp_until = w.now + 20 * SB_SECOND;
    world_run(&w, 2);
    unsigned shots = c->pilot.shots;
    world_run(&w, 15);
    CHECK_EQ(c->pilot.target, 0);
    CHECK_EQ(c->pilot.shots, shots);
    world_run(&w, 10); /* the warp is over */
    CHECK_EQ(c->pilot.target, dummy->ship.ship.object_id);
    check_no_complaints();
}

TEST(pilot_keeps_a_range_and_keeps_moving)
{
    static const uint8_t fleet[] = { SOVEREIGN, BIRD_OF_PREY, VORCHA, WARBIRD, AKIRA };
    for (size_t i = 0; i < sizeof fleet; i++) {
        world_init(&w);
        w.harmless = true;
        sb_client *c = new_flyer(SB_SKILL_NORMAL, fleet[i]);
        sb_client *dummy = world_add_dummy(&w, SOVEREIGN, (sb_vec3){ 0, 40, 0 }, back, 0);
        float      sum = 0, speed = 0;
        world_run(&w, 20);
        for (int n = 0; n < 80; n++) {
            world_run(&w, 1);
            float far = world_distance(c, dummy);
            if (far < 4 || far > 75) FAIL("species %u at %.1f", fleet[i], (double)far);
            sum += far;
            speed += fabsf(c->ship.ship.motion.speed);
        }
        if (sum / 80 < 10 || sum / 80 > 45)
            FAIL("species %u on average at %.1f", fleet[i], (double)(sum / 80));
        CHECK(speed / 80 > 0.2f * c->ship.ship.model->max_speed);
        check_no_complaints();
    }
}

TEST(pilot_flies_and_fires_within_all_limits_in_every_ship)
{
    const sb_ship_set *set = sb_stock_ships();
    for (size_t i = 0; i < set->count; i++) {
        for (int skill = 0; skill < SB_SKILL_COUNT; skill++) {
            if (!set->ships[i].selectable) continue;
            world_init(&w);
            w.harmless = true;
            sb_client *c = new_flyer((sb_skill)skill, set->ships[i].species);
            world_add_dummy(&w, AKIRA, (sb_vec3){ 25, 30, 3 }, (sb_vec3){ -1, 0, 0 }, 1);
            world_run(&w, 90);
            for (int k = 0; k < COMPLAINTS; k++)
                if (w.complaints[k])
                    FAIL("%s, %s: %u x %s", set->ships[i].name, sb_skill_text((sb_skill)skill),
                         w.complaints[k], complaint_name((complaint)k));
            if (c->pilot.shots == 0) FAIL("%s (%d) never fired", set->ships[i].name, skill);
            CHECK_EQ(c->pilot.shots, c->beams + c->torpedoes + c->pulses);
        }
    }
}

TEST(pilot_avoids_who_comes_at_it)
{
    static const struct {
        sb_vec3 from, forward;
        float   speed;
    } cases[] = {
        { { 0, 40, 0 }, { 0, -1, 0 }, 5 },  /* head on */
        { { 30, 20, 0 }, { -1, 0, 0 }, 6 }, /* from the right */
        { { -20, 25, 10 }, { 0.7f, -0.7f, 0 }, 5 },
        { { 0, 30, 0 }, { 0, 1, 0 }, 0 },  /* in the way */
        { { 0, -25, 0 }, { 0, 1, 0 }, 7 }, /* from behind */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world_init(&w);
        sb_pilot_config config = config_of(3 + i, SB_SKILL_NORMAL);
        config.peaceful = true;
        sb_client *c = world_add_pilot(&w, &config);
        world_put(c, SOVEREIGN, (sb_vec3){ 0, 0, 0 }, ahead);
        world_add_dummy(&w, AKIRA, cases[i].from, cases[i].forward, cases[i].speed);
        world_run(&w, 20);
        if (c->collisions > 0) FAIL("case %zu: %u collisions", i, c->collisions);
        CHECK(c->nearest > 0);
        check_no_complaints();
    }
}

TEST(pilot_goes_round_an_obstacle_on_its_way)
{
    world_init(&w);
    sb_pilot_config config = config_of(5, SB_SKILL_NORMAL);
    config.peaceful = true;
    sb_client *c = world_add_pilot(&w, &config);
    world_put(c, SOVEREIGN, (sb_vec3){ 0, -30, 0 }, ahead);
    sb_client *dummy = world_add_dummy(&w, WARBIRD, (sb_vec3){ 0, 0, 0 }, ahead, 0);
    world_run(&w, 0.2f);
    bool evaded = false;
    for (int i = 0; i < 400; i++) {
        c->pilot.goal = (sb_vec3){ 0, 50, 0 };
        c->pilot.goal_at = w.now + SB_SECOND;
        world_run(&w, 0.1f);
        evaded |= c->pilot.mood == SB_PILOT_EVADING;
        if (c->ship.ship.motion.position.y > 20) break;
    }
    CHECK(evaded);
    CHECK(c->ship.ship.motion.position.y > 20);
    CHECK(world_distance(c, dummy) > 10);
    CHECK_EQ(c->collisions, 0);
}

TEST(pilot_stays_in_the_arena)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        world_init(&w);
        w.harmless = true;
        sb_pilot_config config = config_of(seed, (sb_skill)(seed % SB_SKILL_COUNT));
        config.peaceful = seed > 3;
        sb_client *c = world_add_pilot(&w, &config);
        world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 55, 0 }, ahead, 0);
        for (int i = 0; i < 120; i++) {
            world_run(&w, 1);
            if (c->ship.used && from_centre(c) > 70)
                FAIL("seed %d: %.1f", (int)seed, (double)from_centre(c));
        }
        CHECK(c->ship.used);
    }
}

TEST(pilot_without_engines_drifts_to_a_stop)
{
    world_init(&w);
    sb_client *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    world_run(&w, 8);
    float fast = c->ship.ship.motion.speed;
    CHECK(fast > 3);
    for (unsigned i = 0; i < c->ship.ship.model->subsystem_count; i++)
        if (c->ship.ship.model->subsystems[i].type == SB_SUBSYSTEM_IMPULSE)
            c->ship.ship.condition[i] = 0;
    world_run(&w, 1);
    CHECK(c->ship.ship.motion.speed > 1); /* not at once */
    CHECK(c->ship.ship.motion.speed < fast);
    world_run(&w, 20);
    CHECK(c->ship.ship.motion.speed == 0);
    CHECK(c->pilot.turn_rate < 0.001f);
    check_no_complaints();
}

/* stbc-oracle, motion_galaxy_impulse and motion_galaxy_yaw: after 1, 2 and 4 s. */
TEST(spec_10_11_3_a_pilots_galaxy_flies_as_the_measured_one)
{
    static const float speeds[] = { 1.500f, 3.000f, 0, 5.635f },
                       turns[] = { .120f, .219f, 0, .272f };
    for (unsigned behind = 0; behind < 2; behind++) {
        world_init(&w);
        w.harmless = true;
        sb_client *c = new_flyer(SB_SKILL_EASY, GALAXY);
        world_add_dummy(&w, AKIRA, (sb_vec3){ 1, behind ? -90 : 90, 0 }, ahead, 0);
        world_run(&w, 0.01f);
        for (unsigned i = 0; i < 4; i++) {
            world_run(&w, 1);
            float is = behind ? c->pilot.turn_rate : c->pilot.speed;
            float was = behind ? turns[i] : speeds[i];
            if (was > 0 && fabsf(is - was) > 0.02f * was)
                FAIL("after %u s: %.3f, measured %.3f", i + 1, (double)is, (double)was);
        }
        check_no_complaints();
    }
}

/* stbc-oracle, tractor_galaxy_*: a Galaxy at full speed, and one that is parked. */
TEST(spec_10_6_5_a_tractor_slows_a_pilots_ship_or_draws_it)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_EASY, GALAXY);
    c->pilot.config.arena = 500;
    c->pull = (sb_pull){ 50, 50.0f / 120, { 0, -0.2f, 0 } };
    world_add_dummy(&w, AKIRA, (sb_vec3){ 1, 120, 0 }, ahead, 0);
    world_run(&w, 11);
    if (fabsf(c->pilot.speed - 5.883f) > 0.02f) FAIL("speed %.3f", (double)c->pilot.speed);
    c->game_over = true;
    world_run(&w, 20);
    CHECK(c->pilot.speed == 0);
    float y = c->ship.ship.motion.position.y;
    world_run(&w, 5);
    CHECK(fabsf(y - 1 - c->ship.ship.motion.position.y) < 0.02f);
    c->pull = (sb_pull){ 0 };
    y = c->ship.ship.motion.position.y;
    world_run(&w, 5);
    CHECK(c->ship.ship.motion.position.y == y);
    check_no_complaints();
}

/* Spec 10 §11.3: one engine of two gone is half of all four figures, for a pilot that uses all of
 * them. */
TEST(spec_10_11_3_one_engine_of_two_gives_half_speed_and_turn)
{
    for (unsigned damaged = 0; damaged < 2; damaged++) {
        world_init(&w);
        w.harmless = true;
        sb_client           *c = new_flyer(SB_SKILL_HARD, SOVEREIGN);
        const sb_ship_class *m = c->ship.ship.model;
        world_add_dummy(&w, AKIRA, (sb_vec3){ 80, -50, 5 }, ahead, 3);
        for (unsigned i = 0; damaged && i < m->subsystem_count; i++)
            if (m->subsystems[i].type == SB_SUBSYSTEM_IMPULSE)
                c->ship.ship.child_condition[m->subsystems[i].first_child] = 0;
        float share = damaged ? 0.5f : 1, fastest = 0, hardest = 0, turning = 0;
        for (unsigned i = 0; i < 600; i++) {
            float before = c->pilot.speed;
            world_run(&w, 0.1f);
            fastest = fmaxf(fastest, fabsf(c->pilot.speed));
            hardest = fmaxf(hardest, fabsf(c->pilot.speed - before) / 0.1f);
            turning = fmaxf(turning, c->pilot.turn_rate);
        }
        CHECK(fastest <= m->max_speed * share + 1e-3f);
        CHECK(fastest > m->max_speed * share * 0.9f);
        CHECK(hardest <= m->max_accel * share * 1.01f); /* two steps of 50 ms */
        CHECK(hardest > m->max_accel * share * 0.8f);
        CHECK(turning <= m->max_angular_velocity * share + 1e-4f);
        CHECK(turning > m->max_angular_velocity * share * 0.9f);
        check_no_complaints();
    }
}

TEST(pilot_reports_overlapping_hulls_rarely_with_plausible_force)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    world_run(&w, 4);
    sb_client *dummy = world_add_dummy(&w, WARBIRD, c->ship.ship.motion.position, back, 2);
    dummy->ship.ship.motion.position.y += 1;
    world_run(&w, 1);
    CHECK(c->collisions >= 1);
    CHECK(c->collisions <= 4);
    CHECK(c->last_force > 0);
    world_run(&w, 20);
    CHECK(world_distance(c, dummy) > 8);
    check_no_complaints();
}

/* ---- fighting ---- */

TEST(pilot_stops_its_beams_when_the_target_dies_or_hides)
{
    for (int hides = 0; hides < 2; hides++) {
        world_init(&w);
        w.harmless = true;
        sb_client *c = new_flyer(SB_SKILL_HARD, SOVEREIGN);
        sb_client *dummy = world_add_dummy(&w, VORCHA, (sb_vec3){ 0, 30, 0 }, back, 0);
        for (int i = 0; i < 100 && c->beams == c->stops; i++) world_run(&w, 0.1f);
        CHECK(c->beams > c->stops);
        if (hides) dummy->ship.ship.cloaked = true;
        else world_kill(dummy, NULL);
        world_run(&w, 0.3f);
        CHECK_EQ(c->beams, c->stops);
        unsigned shots = c->pilot.shots;
        world_run(&w, 5);
        CHECK_EQ(c->pilot.shots, shots);
        check_no_complaints();
    }
}

TEST(pilot_ends_a_beam_that_has_run_dry)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 25, 0 }, back, 0);
    for (int i = 0; i < 100 && c->beams == 0; i++) world_run(&w, 0.1f);
    CHECK(c->beams > 0);
    world_run(&w, 60);
    CHECK(c->stops > 0);
    CHECK(c->beams <= 12); /* recharging takes long (spec 11 §5): no stutter */
}

/* The first strike comes 1.156 s after the start of a beam (spec 10 §6.2), so a beam that the pilot
 * gives up soon is wasted. */
TEST(spec_10_6_2_a_pilots_beams_outlast_their_wind_up)
{
    for (int skill = SB_SKILL_NORMAL; skill < SB_SKILL_COUNT; skill++) {
        world_init(&w);
        w.harmless = true;
        sb_client *c = new_flyer((sb_skill)skill, VORCHA);
        world_add_dummy(&w, AKIRA, (sb_vec3){ 5, 40, 0 }, (sb_vec3){ 0.6f, 0.8f, 0 }, 3);
        c->pilot.config.arena = 400;
        world_run(&w, 120);
        CHECK(c->beams >= 3);
        if (c->strikes < 3 * c->beams) FAIL("%u beams, %u strikes", c->beams, c->strikes);
        check_no_complaints();
    }
}

/* The largest range of full damage of our beams. */
static float full_range_of(const sb_client *c)
{
    float most = 0;
    for (unsigned i = 0; i < c->ship.ship.model->child_count; i++) {
        const sb_subsystem_class *s = &c->ship.ship.model->children[i];
        if (s->type == SB_SUBSYSTEM_PHASER_BANK) most = fmaxf(most, s->weapon->max_damage_distance);
    }
    return most;
}

TEST(pilot_begins_a_beam_in_full_range_and_holds_it_farther_out)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_HARD, SOVEREIGN);
    float      full = full_range_of(c);
    sb_client *dummy = world_add_dummy(&w, VORCHA, (sb_vec3){ 0, 1.1f * full, 0 }, ahead, 7);
    c->pilot.config.arena = 900;
    world_run(&w, 3);
    CHECK(world_distance(c, dummy) > full);
    CHECK_EQ(c->beams, 0);
    dummy->ship.ship.motion.position = c->ship.ship.motion.position;
    dummy->ship.ship.motion.position.y += 0.6f * full;
    for (int i = 0; i < 60 && c->beams == c->stops; i++) world_run(&w, 0.1f);
    CHECK(c->beams == c->stops + 1);
    for (int i = 0; i < 2; i++) { /* 1.3 times the full range, then 1.7 times */
        dummy->ship.ship.motion.position = c->ship.ship.motion.position;
        dummy->ship.ship.motion.position.y += (i == 0 ? 1.3f : 1.7f) * full;
        world_run(&w, 0.3f);
        CHECK_EQ(c->beams - c->stops, i == 0 ? 1 : 0);
    }
}

/* Spec 10 §6.2: the pilot knows which bank of a single-fire system the host fires. */
TEST(pilot_fires_the_banks_of_a_single_fire_system_in_turn)
{
    static sb_subsystem_class entries[SB_SUBSYSTEMS_MAX];
    world_init(&w);
    w.harmless = true;
    sb_client    *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    sb_ship_class model = *c->ship.ship.model;
    memcpy(entries, model.subsystems, model.subsystem_count * sizeof *entries);
    for (unsigned i = 0; i < model.subsystem_count; i++)
        if (entries[i].type == SB_SUBSYSTEM_PHASER_SYSTEM) entries[i].single_fire = SB_PROPERTY_YES;
    model.subsystems = entries;
    c->ship.ship.model = &model;
    world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 25, 5 }, back, 0);
    bool     fired[SB_SHIP_CHILDREN_MAX] = { false };
    unsigned banks = 0;
    for (int i = 0; i < 600; i++) {
        world_run(&w, 0.1f);
        unsigned hot = 0;
        for (unsigned k = 0; k < model.child_count; k++) {
            hot += c->pilot.hot[k];
            banks += c->pilot.hot[k] && !fired[k];
            fired[k] |= c->pilot.hot[k];
        }
        CHECK(hot <= 1);
    }
    CHECK(banks >= 3);
    CHECK(c->strikes > 10);
    check_no_complaints();
}

/* Spec 10 §6.3: a full Bird of Prey (3.8; minimum 3.6) fires three or four pairs at once, and then
 * a pair whenever 1.0 is there: every 2.5 s at 0.4 per second. */
TEST(spec_10_6_3_a_pilots_bolts_come_in_bursts)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_HARD, BIRD_OF_PREY);
    world_add_dummy(&w, WARBIRD, (sb_vec3){ 0, 30, 0 }, back, 0);
    for (int i = 0; i < 100 && c->pulses == 0; i++) world_run(&w, 0.1f);
    CHECK(c->pulses > 0);
    world_run(&w, 1.5f);
    CHECK(c->pulses == 6 || c->pulses == 8);
    world_run(&w, 5);
    if (c->pulses < 8 || c->pulses > 12) FAIL("%u bolts", c->pulses);
    check_no_complaints();
}

/* The share of the time within 30 units of an enemy in which that enemy sees facing 0, over four
 * starts, with guns that do not work: only shields and course count. */
static float front_shown(sb_skill skill, uint8_t species, bool gone)
{
    static const sb_vec3 starts[] = { { 0, 28, 0 }, { 20, 20, 0 }, { 0, 24, 12 }, { -25, 5, 5 } };
    unsigned             shown = 0, near = 0;
    for (unsigned n = 0; n < 4; n++) {
        world_init(&w);
        w.harmless = true;
        sb_client *c = new_flyer(skill, species);
        sb_client *dummy = world_add_dummy(&w, AKIRA, starts[n], back, 0);
        sb_ship   *ship = &c->ship.ship;
        for (unsigned i = 0; i < ship->model->subsystem_count; i++)
            if (ship->model->subsystems[i].type >= SB_SUBSYSTEM_PHASER_SYSTEM)
                ship->condition[i] = 0;
        for (int i = 0; i < 900; i++) {
            if (gone) ship->facing[0] = 0;
            world_run(&w, 0.1f);
            if (i < 50 || world_distance(c, dummy) > 30) continue;
            shown += nose_on(c, dummy) > 0.75f;
            near++;
        }
    }
    CHECK(near > 200);
    return (float)shown / (float)near;
}

TEST(pilot_hard_averts_a_facing_that_is_gone)
{
    float whole = front_shown(SB_SKILL_HARD, VORCHA, false); /* its front is the strongest */
    float gone = front_shown(SB_SKILL_HARD, VORCHA, true);
    if (whole < 0.2f || gone > 0.5f * whole)
        FAIL("hard: %.2f, and %.2f without the front", (double)whole, (double)gone);
    CHECK(front_shown(SB_SKILL_EASY, VORCHA, false) == front_shown(SB_SKILL_EASY, VORCHA, true));
}

TEST(pilot_retreats_when_hurt_and_comes_back)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    sb_client *dummy = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 20, 0 }, back, 0);
    world_run(&w, 5);
    CHECK_EQ(c->pilot.mood, SB_PILOT_ATTACKING);
    for (int i = 0; i < SB_FACINGS; i++) c->ship.ship.facing[i] *= 0.1f;
    float before = world_distance(c, dummy);
    world_run(&w, 1);
    CHECK(c->pilot.mood == SB_PILOT_RETREATING || c->pilot.mood == SB_PILOT_EVADING);
    CHECK(c->ship.ship.power_wanted[1] > 1.2f); /* the shield generator */
    world_run(&w, 13);
    CHECK(world_distance(c, dummy) > before + 5);
    world_run(&w, 40);
    CHECK(c->pilot.mood == SB_PILOT_ATTACKING || c->pilot.mood == SB_PILOT_EVADING);
    check_no_complaints();
}

TEST(pilot_turns_on_who_shoots_at_it)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    sb_client *near = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 25, 0 }, back, 0);
    sb_client *behind = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, -30, 0 }, ahead, 0);
    world_run(&w, 1);
    CHECK_EQ(c->pilot.target, near->ship.ship.object_id);
    c->ship.ship.facing[1] -= 800; /* the rear */
    world_run(&w, 0.5f);
    CHECK_EQ(c->pilot.attacker, behind->ship.ship.object_id);
    CHECK_EQ(c->pilot.target, behind->ship.ship.object_id);
}

TEST(pilot_hard_comes_cloaked_and_fires_only_when_seen)
{
    world_init(&w);
    w.harmless = true;
    sb_client *c = new_flyer(SB_SKILL_HARD, BIRD_OF_PREY);
    world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 58, 0 }, back, 0);
    world_run(&w, 1);
    CHECK(c->ship.ship.cloaked);
    CHECK_EQ(c->pilot.shots, 0);
    world_run(&w, 40);
    CHECK_EQ(c->cloaks, 1);
    CHECK(!c->ship.ship.cloaked);
    CHECK(c->pilot.shots > 0);
    check_no_complaints(); /* BAD_GATE: a shot before the cloak was down */
}

TEST(pilot_without_malice_does_not_shoot)
{
    world_init(&w);
    sb_pilot_config config = config_of(2, SB_SKILL_HARD);
    config.peaceful = true;
    sb_client *c = world_add_pilot(&w, &config);
    world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 20, 0 }, back, 0);
    world_run(&w, 60);
    CHECK(c->places > 1000);
    CHECK_EQ(c->pilot.shots, 0);
}

/* ---- teams ---- */

TEST(pilot_joins_the_smaller_team_and_spares_it)
{
    world_init(&w);
    world_set_map(&w, "Multiplayer.Episode.Mission2.Mission2");
    sb_client *a = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 20, 0 }, back, 0);
    sb_client *b = world_add_dummy(&w, AKIRA, (sb_vec3){ 20, 0, 0 }, back, 0);
    sb_client *c = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, -45, 0 }, back, 0);
    w.players[a->index].team = w.players[b->index].team = 0;
    w.players[c->index].team = 1;
    sb_client *me = new_pilot(4, SB_SKILL_HARD);
    world_run(&w, 90);
    CHECK_EQ(w.players[me->index].team, 1);
    CHECK_EQ(me->teams, 1);
    CHECK(me->pilot.shots > 0);
    check_no_complaints(); /* BAD_MATE */
    w.players[a->index].team = w.players[b->index].team = 1;
    world_run(&w, 1);
    unsigned shots = me->pilot.shots;
    world_run(&w, 30);
    CHECK_EQ(me->pilot.shots, shots); /* all friends */
    CHECK_EQ(me->pilot.target, 0);
}

TEST(pilot_does_not_fire_through_a_mate)
{
    world_init(&w);
    w.harmless = true;
    world_set_map(&w, "Multiplayer.Episode.Mission2.Mission2");
    sb_client      *mate = world_add_dummy(&w, WARBIRD, (sb_vec3){ 0, 22, 0 }, back, 0);
    sb_client      *foe = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 40, 0 }, back, 0);
    sb_pilot_config config = config_of(4, SB_SKILL_HARD);
    config.team = 1;
    sb_client *me = world_add_pilot(&w, &config);
    world_put(me, SOVEREIGN, (sb_vec3){ 0, 0, 0 }, ahead);
    w.players[me->index].team = w.players[mate->index].team = 1;
    w.players[foe->index].team = 0;
    world_run(&w, 0.5f);
    CHECK_EQ(me->pilot.target, foe->ship.ship.object_id);
    CHECK_EQ(me->pilot.shots, 0);
    mate->ship.used = false;
    world_run(&w, 0.5f);
    CHECK(me->pilot.shots > 0);
}

/* ---- life ---- */

TEST(pilot_dies_drifts_and_returns_in_another_ship)
{
    world_init(&w);
    sb_client *c = new_pilot(11, SB_SKILL_NORMAL);
    world_run(&w, 10);
    CHECK_EQ(c->pilot.spawns, 1);
    CHECK(from_centre(c) < 60);
    uint32_t first = c->ship.ship.object_id;
    world_kill(c, NULL);
    world_run(&w, 0.1f);
    CHECK_EQ(c->pilot.mood, SB_PILOT_DEAD);
    sb_vec3 was = c->ship.ship.motion.position;
    world_run(&w, 5);
    CHECK(c->ship.ship.motion.position.x != was.x);
    world_run(&w, 5);
    CHECK(!c->ship.used); /* the wreck is gone, the pause is not over */
    world_run(&w, 1);
    CHECK(!c->ship.used);
    world_run(&w, 3);
    CHECK(c->ship.used);
    CHECK(c->ship.ship.object_id != first);
    CHECK_EQ(c->pilot.spawns, 2);
    CHECK_EQ(c->pilot.deaths, 1);
    check_no_complaints();
}

TEST(pilot_takes_the_ship_it_was_told_to_or_all_kinds)
{
    bool     seen[256] = { false };
    unsigned kinds = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        world_init(&w);
        sb_client *c = new_pilot(seed, SB_SKILL_NORMAL);
        world_run(&w, 3);
        CHECK(c->ship.used);
        CHECK(c->ship.ship.model->selectable);
        kinds += !seen[c->ship.ship.species];
        seen[c->ship.ship.species] = true;
    }
    CHECK(kinds > 10);
    world_init(&w);
    sb_pilot_config config = config_of(1, SB_SKILL_EASY);
    config.species = VORCHA;
    sb_client *c = world_add_pilot(&w, &config);
    world_run(&w, 3);
    CHECK_EQ(c->ship.ship.species, VORCHA);
}

TEST(pilot_waits_for_the_restart_and_joins_its_team_again)
{
    world_init(&w);
    world_set_map(&w, "Multiplayer.Episode.Mission2.Mission2");
    w.harmless = true;
    sb_client *c = new_pilot(4, SB_SKILL_HARD);
    sb_client *dummy = world_add_dummy(&w, AKIRA, (sb_vec3){ 0, 20, 0 }, back, 0);
    w.players[dummy->index].team = 0;
    world_run(&w, 30);
    CHECK(c->pilot.shots > 0);
    c->game_over = true;
    world_run(&w, 0.5f);
    unsigned shots = c->pilot.shots;
    CHECK_EQ(c->beams, c->stops);
    CHECK_EQ(c->pilot.mood, SB_PILOT_WAITING);
    c->ship.used = false; /* all ships are removed (spec 09 §8) */
    world_run(&w, 20);
    CHECK_EQ(c->pilot.shots, shots);
    CHECK_EQ(c->pilot.spawns, 1);
    c->game_over = false;
    w.players[c->index].team = SB_NO_TEAM;
    world_run(&w, 10);
    CHECK_EQ(c->pilot.spawns, 2);
    CHECK_EQ(c->teams, 2);
    CHECK_EQ(w.players[c->index].team, 1);
}

TEST(pilot_has_no_business_before_the_lobby_and_after_the_end)
{
    world_init(&w);
    sb_pilot_config config = config_of(1, SB_SKILL_HARD);
    config.talkative = config.latency_marks = true;
    sb_client *c = world_add_pilot(&w, &config);
    c->phase = SB_CLIENT_CHECKING;
    world_run(&w, 90);
    CHECK_EQ(c->pilot.spawns, 0);
    CHECK_EQ(c->chats, 0);
    CHECK(sb_pilot_next_deadline(&c->pilot) > w.now);
    c->phase = SB_CLIENT_OVER;
    sb_pilot_step(&c->pilot, c, w.now);
    CHECK(sb_pilot_next_deadline(&c->pilot) == SB_TIME_NEVER);
}

TEST(pilot_talks_now_and_then)
{
    world_init(&w);
    sb_pilot_config config = config_of(1, SB_SKILL_NORMAL);
    config.talkative = true;
    sb_client *c = world_add_pilot(&w, &config);
    world_run(&w, 240);
    CHECK(c->chats >= 4);
    CHECK(c->chats <= 12);
    for (unsigned i = 1; i < c->chats && i < 8; i++) {
        sb_time gap = c->chat_times[i] - c->chat_times[i - 1];
        if (c->chats <= 8) CHECK(gap >= 20 * SB_SECOND && gap <= 61 * SB_SECOND);
    }
    CHECK(strlen(c->last_chat) > 3);
}

TEST(pilot_leaves_a_mark_each_second)
{
    world_init(&w);
    sb_pilot_config config = config_of(1, SB_SKILL_NORMAL);
    config.latency_marks = true;
    sb_client *c = world_add_pilot(&w, &config);
    world_run(&w, 10);
    CHECK(c->chats == 10 || c->chats == 11);
    char mark[32];
    snprintf(mark, sizeof mark, "@%016llx", (unsigned long long)c->chat_times[(c->chats - 1) % 8]);
    CHECK_TEXT(c->last_chat, mark);
}

TEST(pilot_sleeps_between_its_deadlines)
{
    world_init(&w);
    sb_client *c = new_flyer(SB_SKILL_NORMAL, SOVEREIGN);
    world_run(&w, 10);
    CHECK(c->places >= 195 && c->places <= 201); /* 20 Hz */
    for (int i = 0; i < 200; i++) {
        world_run(&w, 0.01f);
        CHECK(sb_pilot_next_deadline(&c->pilot) > w.now);
        CHECK(sb_pilot_next_deadline(&c->pilot) <= w.now + 50000);
    }
    c->world->now += 30 * SB_SECOND; /* a caller that slept too long */
    c->placed_at = w.now - 250000;
    world_run(&w, 1);
    check_no_complaints(); /* no jump */
}

/* ---- all together ---- */

static void run_melee(world *in, uint64_t seed, bool teams, float seconds)
{
    world_init(in);
    if (teams) world_set_map(in, "Multiplayer.Episode.Mission2.Mission2");
    for (unsigned i = 0; i < 8; i++) {
        sb_pilot_config config = config_of(seed * 100 + i, (sb_skill)(i % SB_SKILL_COUNT));
        world_add_pilot(in, &config);
    }
    world_run(in, seconds);
}

TEST(pilots_fight_a_match_without_complaints)
{
    unsigned collisions = 0, deaths = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        run_melee(&w, seed, seed % 2 == 0, 300);
        check_no_complaints();
        deaths += w.deaths;
        for (unsigned i = 0; i < w.count; i++) {
            CHECK(w.clients[i].pilot.shots > 0);
            collisions += w.clients[i].collisions;
        }
        if (seed % 2 == 0) {
            unsigned first = 0;
            for (unsigned i = 0; i < w.count; i++) first += w.players[i].team == 0;
            CHECK_EQ(first, 4);
        }
    }
    if (deaths < 8) FAIL("%u deaths in 20 minutes", deaths);
    if (collisions > 12) FAIL("%u collisions in 20 minutes of eight ships", collisions);
}

TEST(pilots_of_the_same_seed_do_the_same)
{
    run_melee(&w, 9, false, 60);
    run_melee(&again, 9, false, 60);
    CHECK(w.digest == again.digest);
    CHECK(w.digest != 0);
    run_melee(&again, 10, false, 60);
    CHECK(w.digest != again.digest);
}

TEST(pilot_hard_does_more_damage_than_easy)
{
    float easy = 0, hard = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        world_init(&w);
        sb_client *a = new_pilot(seed, SB_SKILL_EASY), *b = new_pilot(seed + 50, SB_SKILL_HARD);
        a->pilot.config.species = b->pilot.config.species = seed % 2 ? SOVEREIGN : VORCHA;
        world_run(&w, 180);
        easy += a->damage_done;
        hard += b->damage_done;
    }
    if (hard < 1.3f * easy) FAIL("easy %.0f, hard %.0f", (double)easy, (double)hard);
}

TEST(pilot_words)
{
    sb_skill skill = SB_SKILL_COUNT;
    CHECK(sb_find_skill("hard", &skill));
    CHECK_EQ(skill, SB_SKILL_HARD);
    CHECK(!sb_find_skill("brutal", &skill));
    CHECK(!sb_find_skill(NULL, &skill));
    CHECK_TEXT(sb_skill_text(SB_SKILL_EASY), "easy");
    CHECK_TEXT(sb_pilot_mood_text(SB_PILOT_RETREATING), "retreating");
}
