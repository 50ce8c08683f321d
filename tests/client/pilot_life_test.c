/* tests/client/pilot_life_test.c -- what a pilot does at one call of sb_pilot_step, from the lobby
 * to the wreck: chat, team, spawn, decisions and their times. */
#include "pilot_scene.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static scene s;

static const char team_mission[] = "Multiplayer.Episode.Mission2.Mission2";

static void step(void)
{
    world_refresh(s.me);
    sb_pilot_step(s.pilot, s.me, s.w.now);
}

/* A pilot that has a ship at rest, and no decision to make before `think_at`. */
static void fly(sb_skill skill)
{
    scene_init(&s, skill);
    s.pilot->stepped_at = s.pilot->think_at = s.w.now;
    s.pilot->goal = (sb_vec3){ 0, 100, 0 };
    s.pilot->goal_at = SB_TIME_NEVER;
}

/* A pilot in the lobby, without a ship, that spawns now. */
static void enter_lobby(sb_skill skill)
{
    scene_init(&s, skill);
    s.me->ship.used = false;
    s.me->phase = SB_CLIENT_LOBBY;
    s.pilot->ship_id = 0;
    s.pilot->spawn_at = s.w.now;
}

/* ---- words and defaults ---- */

TEST(pilot_words_have_all_names_and_no_more)
{
    static const char *const skills[] = { "easy", "normal", "hard", "?", "?" };
    static const char *const moods[] = { "waiting",    "cruising", "attacking", "evading",
                                         "retreating", "dead",     "?",         "?" };
    for (unsigned i = 0; i < 5; i++) {
        sb_skill skill = SB_SKILL_COUNT;
        CHECK_TEXT(sb_skill_text((sb_skill)i), skills[i]);
        CHECK_EQ(sb_find_skill(skills[i], &skill), i < 3);
        CHECK_EQ(skill, i < 3 ? i : SB_SKILL_COUNT);
    }
    for (unsigned i = 0; i < 8; i++) CHECK_TEXT(sb_pilot_mood_text((sb_pilot_mood)i), moods[i]);
}

TEST(pilot_starts_with_sensible_defaults)
{
    sb_pilot_config config;
    sb_pilot        p;
    memset(&config, 0xFF, sizeof config);
    sb_pilot_defaults(&config);
    CHECK(config.seed == 1);
    CHECK_EQ(config.skill, SB_SKILL_NORMAL);
    CHECK_EQ(config.team, SB_NO_TEAM);
    CHECK_EQ(config.species, 0);
    CHECK(config.arena == 60);
    CHECK_EQ(config.respawn_us, 3000000);
    CHECK(!config.peaceful && !config.talkative && !config.latency_marks);
    memset(&p, 0xFF, sizeof p);
    sb_pilot_init(&p, &config, 7000000);
    CHECK_EQ(p.mood, SB_PILOT_WAITING);
    CHECK_EQ(p.team_sent, SB_NO_TEAM);
    CHECK_EQ(p.shots + p.kills + p.deaths + p.spawns + p.target + p.ship_id, 0);
    CHECK(p.position.x == 0 && p.speed == 0);
    CHECK(is_same_vector(p.forward, (sb_vec3){ 0, 1, 0 }));
    CHECK(is_same_vector(p.heading, (sb_vec3){ 0, 1, 0 }));
    CHECK(is_same_vector(p.axis, (sb_vec3){ 0, 1, 0 }));
    CHECK(is_same_vector(p.up, (sb_vec3){ 0, 0, 1 }));
    CHECK(p.stepped_at == 7000000 && p.think_at == 7000000 && p.mark_at == 7000000);
    CHECK(p.spawn_at == SB_TIME_NEVER);
    CHECK(p.random != 0);
    CHECK(p.chat_at >= 27000000 && p.chat_at < 67000000);
    CHECK(sb_pilot_next_deadline(&p) == 7000000);
}

TEST(pilot_corrects_a_skill_or_an_arena_that_cannot_be)
{
    static const struct {
        uint8_t skill, is_skill;
        float   arena, is_arena;
    } cases[] = { { 2, 2, 10, 10 },  { 3, 1, 9.5f, 10 },     { 4, 1, 0, 10 },
                  { 0, 0, NAN, 10 }, { 1, 1, 10.5f, 10.5f }, { 255, 1, -60, 10 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_pilot_config config;
        sb_pilot        p;
        sb_pilot_defaults(&config);
        config.skill = cases[i].skill;
        config.arena = cases[i].arena;
        sb_pilot_init(&p, &config, 0);
        CHECK_EQ(p.config.skill, cases[i].is_skill);
        CHECK(p.config.arena == cases[i].is_arena);
    }
}

/* ---- chat ---- */

TEST(pilot_chats_every_20_to_60_s_if_it_is_talkative)
{
    char     said[16][WORLD_CHAT_BYTES] = { "" };
    unsigned count = 0;
    spread   times = { 0 };
    scene_init(&s, SB_SKILL_NORMAL);
    s.me->game_over = true;
    s.pilot->chat_at = s.w.now;
    step();
    CHECK_EQ(s.me->chats, 0); /* it is not talkative */
    s.pilot->config.talkative = true;
    s.pilot->chat_at = s.w.now + 1;
    step();
    CHECK_EQ(s.me->chats, 0);
    for (unsigned i = 1; i <= 1000; i++) {
        unsigned k = 0;
        s.w.now = s.pilot->chat_at;
        step();
        CHECK_EQ(s.me->chats, i);
        CHECK(!s.me->chat_to_team);
        spread_add(&times, s.pilot->chat_at - s.w.now);
        while (k < count && strcmp(said[k], s.me->last_chat) != 0) k++;
        CHECK(k < 16);
        if (k == count) strcpy(said[count++], s.me->last_chat);
    }
    spread_check(&times, 20 * SB_SECOND, 60 * SB_SECOND);
    CHECK_EQ(count, 16);
}

TEST(pilot_marks_hold_the_time_and_follow_each_other_by_a_second)
{
    static const struct {
        sb_time late, next; /* microseconds; the next mark after this one */
    } cases[] = { { 0, 1000000 },       { 300000, 700000 },   { 1000000, 0 },
                  { 1000001, 1000000 }, { 1500000, 1000000 }, { 9000000, 1000000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_init(&s, SB_SKILL_NORMAL);
        s.w.now = 0x0123456789ABCDEF;
        s.me->game_over = true;
        s.pilot->mark_at = s.w.now - cases[i].late;
        step();
        CHECK_EQ(s.me->chats, 0); /* not asked for */
        s.pilot->config.latency_marks = true;
        step();
        CHECK_EQ(s.me->chats, 1);
        CHECK_TEXT(s.me->last_chat, "@0123456789abcdef");
        CHECK(!s.me->chat_to_team);
        CHECK_EQ(s.pilot->mark_at - s.w.now, cases[i].next);
        s.pilot->mark_at = s.w.now + 1;
        step();
        CHECK_EQ(s.me->chats, 1);
    }
}

/* ---- before the lobby, and after the end ---- */

TEST(pilot_waits_for_its_client)
{
    static const sb_client_phase phases[] = { SB_CLIENT_CONNECTING, SB_CLIENT_CHECKING,
                                              SB_CLIENT_LOADING, SB_CLIENT_OVER };
    for (size_t i = 0; i < 4; i++) {
        fly(SB_SKILL_NORMAL);
        bool over = phases[i] == SB_CLIENT_OVER;
        s.me->phase = phases[i];
        s.pilot->mood = SB_PILOT_ATTACKING;
        s.pilot->spawn_at = 0;
        s.pilot->config.talkative = s.pilot->config.latency_marks = true;
        s.pilot->chat_at = s.pilot->mark_at = s.w.now + 1; /* not due yet */
        step();
        CHECK_EQ(s.pilot->mood, SB_PILOT_WAITING);
        CHECK_EQ(s.pilot->ship_id, 0);
        CHECK(s.pilot->spawn_at == SB_TIME_NEVER);
        CHECK(s.pilot->think_at == (over ? SB_TIME_NEVER : s.w.now + 250000));
        CHECK(s.pilot->chat_at == (over ? SB_TIME_NEVER : s.w.now + 1));
        CHECK(s.pilot->mark_at == (over ? SB_TIME_NEVER : s.w.now + 1));
        s.pilot->chat_at = s.pilot->mark_at = s.w.now;
        step();
        CHECK(s.pilot->chat_at >= s.w.now + 20 * SB_SECOND);
        CHECK(s.pilot->mark_at == (over ? SB_TIME_NEVER : s.w.now + SB_SECOND));
        CHECK_EQ(s.me->chats + s.me->places + s.me->last_spawn.orders, 0);
    }
}

TEST(pilot_flies_a_ship_in_the_lobby_and_in_the_game)
{
    for (int lobby = 0; lobby < 2; lobby++) {
        fly(SB_SKILL_HARD);
        s.me->phase = lobby ? SB_CLIENT_LOBBY : SB_CLIENT_FLYING;
        s.pilot->stepped_at -= 50000;
        step();
        CHECK_EQ(s.me->places, 1);
    }
}

/* ---- a new ship ---- */

/* The seeds for the ends of the random delay were found by trying. */
TEST(pilot_spawns_within_two_seconds_of_coming_to_the_lobby)
{
    static const struct {
        uint64_t random;
        sb_time  delay;
    } cases[] = { { 1166661, 100000 }, { 3910219, 1999999 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enter_lobby(SB_SKILL_NORMAL);
        s.pilot->spawn_at = SB_TIME_NEVER;
        s.pilot->random = cases[i].random;
        s.pilot->mood = SB_PILOT_ATTACKING;
        s.pilot->team_sent = 1;
        step();
        CHECK_EQ(s.pilot->spawn_at - s.w.now, cases[i].delay);
        CHECK_EQ(s.pilot->mood, SB_PILOT_WAITING);
        CHECK_EQ(s.pilot->team_sent, SB_NO_TEAM);
        CHECK_EQ(s.pilot->think_at - s.w.now, 250000);
        s.w.now += cases[i].delay - 1;
        step();
        CHECK_EQ(s.me->last_spawn.orders, 0);
        s.w.now++;
        step();
        CHECK_EQ(s.me->last_spawn.orders, 1);
        CHECK_EQ(s.pilot->spawns, 1);
        CHECK(s.pilot->spawn_at == SB_TIME_NEVER);
        CHECK(s.me->ship.used);
    }
}

TEST(pilot_spawns_again_after_its_pause_when_it_died)
{
    for (int died = 0; died < 2; died++) {
        enter_lobby(SB_SKILL_NORMAL);
        s.pilot->ship_id = 77; /* that ship is gone now */
        s.pilot->spawn_at = SB_TIME_NEVER;
        s.pilot->mood = died ? SB_PILOT_DEAD : SB_PILOT_RETREATING;
        s.pilot->config.respawn_us = 12345678;
        s.pilot->team_sent = 1;
        step();
        CHECK_EQ(s.pilot->spawn_at == s.w.now + 12345678, died);
        CHECK_EQ(s.pilot->team_sent, died ? 1 : SB_NO_TEAM); /* a restart clears teams */
        CHECK_EQ(s.pilot->ship_id, 0);
        CHECK_EQ(s.pilot->mood, SB_PILOT_WAITING);
        sb_time spawn_at = s.pilot->spawn_at;
        step(); /* decided once */
        CHECK(s.pilot->spawn_at == spawn_at);
    }
}

TEST(pilot_orders_its_ship_again_after_a_second)
{
    enter_lobby(SB_SKILL_NORMAL);
    s.me->refuses = true;
    step();
    CHECK_EQ(s.me->last_spawn.orders, 1);
    CHECK_EQ(s.pilot->spawns, 0);
    CHECK_EQ(s.pilot->spawn_at - s.w.now, 1000000);
    s.me->refuses = false;
    s.w.now += 1000000;
    step();
    CHECK_EQ(s.pilot->spawns, 1);
}

/* The pilot's choice, made anew: of 12 places in 0.25 to 0.75 of the arena, the one that is
 * farthest from all others; the first one where nobody is. */
static sb_vec3 best_place(sb_pilot p, const sb_vec3 *others, unsigned count)
{
    sb_vec3 best = { 0, 0, 0 };
    float   most = -1;
    for (int i = 0; i < 12; i++) {
        float   far = 500 * (0.25f + 0.5f * sb_pilot_random_unit(&p));
        sb_vec3 place = sb_v_scale(sb_pilot_random_direction(&p), far);
        float   nearest = 1e9f;
        for (unsigned k = 0; k < count; k++)
            nearest = fminf(nearest, sb_v_length(sb_v_sub(others[k], place)));
        if (nearest <= most) continue;
        most = nearest;
        best = place;
    }
    return best;
}

TEST(pilot_spawns_far_from_others_and_faces_inwards)
{
    static const sb_vec3 others[] = { { 300, 0, 0 }, { 0, -200, 100 } };
    for (uint64_t seed = 1; seed <= 300; seed++) {
        enter_lobby(SB_SKILL_NORMAL);
        unsigned count = (unsigned)(seed % 3);
        for (unsigned i = 0; i < count; i++) scene_add(&s, others[i]);
        if (seed % 2 == 0) s.w.first_row = SB_CLIENT_SHIPS - s.w.count;
        s.pilot->random = seed;
        sb_vec3 place = best_place(*s.pilot, others, count);
        step();
        CHECK_EQ(s.pilot->spawns, 1);
        sb_vec3 forward = s.me->last_spawn.forward, up = s.me->last_spawn.up;
        if (!is_same_vector(s.me->last_spawn.position, place)) FAIL("seed %d", (int)seed);
        CHECK(is_same_vector(forward, sb_v_scale(place, -1 / sb_v_length(place))));
        CHECK(is_near(sb_v_dot(forward, up), 0, 1e-4f));
        CHECK(is_near(sb_v_length(up), 1, 1e-4f));
        CHECK(is_near(up.z, sqrtf(1 - forward.z * forward.z), 1e-3f)); /* as upright as it can be */
    }
    enter_lobby(SB_SKILL_NORMAL);
    for (unsigned i = 0; i < 2; i++) { /* a row without a ship, then one in the first row */
        scene_add(&s, others[i])->ship.used = i == 1;
    }
    s.pilot->random = 5;
    sb_vec3 place = best_place(*s.pilot, &others[1], 1);
    step();
    CHECK(is_same_vector(s.me->last_spawn.position, place));
}

TEST(pilot_counts_a_ship_in_the_first_row_when_it_spawns)
{
    static const sb_vec3 there = { 300, 0, 0 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        enter_lobby(SB_SKILL_NORMAL);
        scene_add(&s, there);
        s.w.first_row = (unsigned)-1; /* row 0 is the other ship */
        s.pilot->random = seed;
        sb_vec3 place = best_place(*s.pilot, &there, 1);
        step();
        CHECK(is_same_vector(s.me->last_spawn.position, place));
    }
}

TEST(pilot_takes_each_selectable_ship_as_often_as_any_other)
{
    unsigned           seen[256] = { 0 }, kinds = 0;
    const sb_ship_set *set = sb_stock_ships();
    enter_lobby(SB_SKILL_NORMAL);
    s.me->refuses = true;
    for (size_t i = 0; i < set->count; i++) kinds += set->ships[i].selectable;
    for (unsigned i = 0; i < 200 * kinds; i++) {
        s.pilot->spawn_at = s.w.now;
        step();
        seen[s.me->last_spawn.species]++;
    }
    for (size_t i = 0; i < set->count; i++) {
        unsigned times = seen[set->ships[i].species];
        if (!set->ships[i].selectable) CHECK_EQ(times, 0);
        else if (times < 150 || times > 250) FAIL("%s: %u times", set->ships[i].name, times);
    }
    static const uint8_t wanted[] = { 1, 5, 250 }; /* the last one does not exist */
    for (size_t i = 0; i < 3; i++) {
        unsigned hits = 0;
        s.pilot->config.species = wanted[i];
        for (int n = 0; n < 20; n++) {
            s.pilot->spawn_at = s.w.now;
            step();
            hits += s.me->last_spawn.species == wanted[i];
        }
        CHECK_EQ(hits, wanted[i] == 250 ? 0 : 20);
    }
}

/* Members of both teams; the first player of the list is the pilot itself. */
static void enter_teams(unsigned first, unsigned second)
{
    enter_lobby(SB_SKILL_NORMAL);
    world_set_map(&s.w, team_mission);
    for (unsigned i = 0; i < first + second; i++) {
        scene_add(&s, (sb_vec3){ 0, 50.0f + (float)i, 0 });
        s.w.players[s.w.count - 1].team = i >= first;
    }
}

TEST(pilot_joins_the_smaller_team)
{
    static const struct {
        uint8_t  wanted;
        unsigned first, second;
        int      team; /* 2: either */
    } cases[] = {
        { SB_NO_TEAM, 1, 0, 1 }, { SB_NO_TEAM, 0, 1, 0 }, { SB_NO_TEAM, 3, 2, 1 },
        { SB_NO_TEAM, 2, 3, 0 }, { SB_NO_TEAM, 2, 2, 2 }, { SB_NO_TEAM, 0, 0, 2 },
        { 0, 3, 1, 0 },          { 1, 1, 3, 1 },          { 2, 3, 1, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned joined[2] = { 0 };
        for (uint64_t seed = 1; seed <= 20; seed++) {
            enter_teams(cases[i].first, cases[i].second);
            if (seed % 2 == 0) s.w.first_row = SB_CLIENT_PLAYERS - s.w.count;
            s.w.players[0].team = seed % 2; /* its own team of old does not count */
            s.pilot->config.team = cases[i].wanted;
            s.pilot->random = seed;
            step();
            CHECK_EQ(s.me->teams, 1);
            CHECK_EQ(s.pilot->team_sent, s.w.players[0].team);
            joined[s.pilot->team_sent]++;
        }
        if (cases[i].team < 2 ? joined[cases[i].team] != 20 : !joined[0] || !joined[1])
            FAIL("case %zu: %u and %u", i, joined[0], joined[1]);
    }
}

TEST(pilot_counts_players_of_the_list_only)
{
    enter_teams(2, 1);
    s.w.players[1].used = s.w.players[2].used = false; /* left; row 1 and 2 were in team 0 */
    step();
    CHECK_EQ(s.pilot->team_sent, 0);
    enter_teams(1, 0);
    s.w.first_row = (unsigned)-1; /* row 0 is the other player */
    s.pilot->random = 1;
    step();
    CHECK_EQ(s.pilot->team_sent, 1);
}

TEST(pilot_joins_a_team_once_and_only_where_there_are_teams)
{
    enter_lobby(SB_SKILL_NORMAL);
    step();
    CHECK_EQ(s.me->teams, 0); /* no teams here */
    enter_teams(1, 0);
    s.pilot->team_sent = 0;
    step();
    CHECK_EQ(s.me->teams, 0); /* it has joined one */
    enter_teams(1, 0);
    s.me->refuses = true;
    step();
    CHECK_EQ(s.pilot->team_sent, SB_NO_TEAM);
}

/* A ship without data cannot be flown, so what belongs to a new ship is seen as it is set. */
TEST(pilot_forgets_all_about_its_last_ship)
{
    fly(SB_SKILL_NORMAL);
    sb_pilot *p = s.pilot;
    sb_time   past = s.w.now - 3600 * SB_SECOND;
    p->ship_id = 5;
    p->spawn_at = 5;
    p->stepped_at = p->think_at = 5;
    p->speed = p->speed_wanted = p->turn_rate = 5;
    p->spin = p->axis = p->position = p->heading = p->up = (sb_vec3){ 5, 5, 5 };
    p->target = p->attacker = 5;
    p->extend_until = p->attacked_at = p->cloak_at = p->collided_at = 5;
    p->goal_at = p->armed_at = p->volley_at = p->retreat_until = p->brave_until = 5;
    p->attitude = p->stance = 5;
    p->felt_hull = 0.5f;
    p->felt[3] = 5;
    p->mood = SB_PILOT_DEAD;
    sb_motion_set_axes(&s.ship->motion, (sb_vec3){ 1, 0, 0 }, (sb_vec3){ 0, 1, 0 });
    s.ship->motion.position = (sb_vec3){ 1, 2, 3 };
    s.ship->motion.speed = 2;
    s.ship->model = NULL;
    step();
    CHECK_EQ(p->ship_id, s.ship->object_id);
    CHECK(is_same_vector(p->position, (sb_vec3){ 1, 2, 3 }));
    CHECK(is_same_vector(p->forward, (sb_vec3){ 1, 0, 0 }));
    CHECK(is_same_vector(p->heading, (sb_vec3){ 1, 0, 0 }));
    CHECK(is_same_vector(p->up, (sb_vec3){ 0, 1, 0 }));
    CHECK(is_same_vector(p->axis, (sb_vec3){ 0, 1, 0 }));
    CHECK(is_same_vector(p->spin, (sb_vec3){ 0, 0, 0 }));
    CHECK(p->speed == 2 && p->speed_wanted == 0 && p->turn_rate == 0);
    CHECK(p->spawn_at == SB_TIME_NEVER);
    CHECK(p->think_at == s.w.now && p->stepped_at == s.w.now);
    CHECK(p->target == 0 && p->attacker == 0);
    CHECK(p->extend_until == past && p->attacked_at == past);
    CHECK(p->cloak_at == past && p->collided_at == past);
    CHECK(p->goal_at == s.w.now && p->armed_at == s.w.now && p->volley_at == s.w.now);
    CHECK(p->retreat_until == s.w.now && p->brave_until == s.w.now);
    CHECK(p->attitude == 0 && p->stance == 0);
    CHECK(p->felt_hull == 1 && p->felt[3] == 1000);
    CHECK_EQ(p->mood, SB_PILOT_CRUISING);
    CHECK_EQ(s.me->places, 0);
    s.w.now += SB_SECOND; /* it stays in place */
    step();
    CHECK(p->stepped_at == s.w.now);
    CHECK_EQ(s.me->places, 0);
}

TEST(pilot_loads_the_weapons_of_a_new_ship_and_sets_beams_to_high)
{
    for (int skill = 0; skill < SB_SKILL_COUNT; skill++) {
        fly((sb_skill)skill);
        memset(s.pilot->charge, 0, sizeof s.pilot->charge);
        s.pilot->ship_id = 5;
        step();
        CHECK(s.pilot->charge[FIRST_TUBE] == 2);
        CHECK_EQ(s.ship->setting[BEAMS], skill == SB_SKILL_EASY ? 1 : 2);
        CHECK_EQ(s.ship->setting[CANNONS], 1);
        CHECK_EQ(s.ship->setting[TUBES], 0);
        s.ship->setting[BEAMS] = 0; /* once */
        step();
        CHECK_EQ(s.ship->setting[BEAMS], 0);
    }
    fly(SB_SKILL_HARD);
    s.entries[HULL].type = SB_SUBSYSTEM_PHASER_SYSTEM; /* the first of the list */
    s.pilot->ship_id = 5;
    step();
    CHECK_EQ(s.ship->setting[HULL], 2);
}

/* ---- time ---- */

TEST(pilot_moves_in_steps_of_50_ms_and_skips_what_is_too_late)
{
    enum { FLYING, OVER, WRECK, KINDS };
    static const struct {
        sb_time  behind;
        unsigned steps;
        sb_time  left; /* behind afterwards */
    } cases[] = { { 0, 0, 0 },          { 49999, 0, 49999 }, { 50000, 1, 0 },
                  { 99999, 1, 49999 },  { 100000, 2, 0 },    { 250000, 5, 0 },
                  { 299999, 5, 49999 }, { 300000, 5, 0 },    { 349999, 5, 0 },
                  { 30000000, 5, 0 },   { -1, 0, -1 },       { -100000, 0, -100000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            fly(SB_SKILL_NORMAL);
            s.pilot->stepped_at = s.w.now - cases[i].behind;
            s.pilot->think_at = SB_TIME_NEVER;
            s.pilot->charge[FIRST_TUBE] = 0;
            s.pilot->speed = s.pilot->speed_wanted = kind == OVER ? 0 : 8;
            s.me->pull.drift = (sb_vec3){ 0, 8, 0 };
            s.me->game_over = kind == OVER;
            s.me->ship.exploding = kind == WRECK;
            step();
            float steps = (float)cases[i].steps;
            if (!is_near(s.pilot->position.y, 0.4f * steps, 1e-3f)) FAIL("case %zu, %d", i, kind);
            if (kind == FLYING) CHECK(is_near(s.pilot->charge[FIRST_TUBE], 0.005f * steps, 1e-4f));
            CHECK_EQ(s.w.now - s.pilot->stepped_at, cases[i].left);
            CHECK_EQ(s.me->places, cases[i].steps > 0);
            CHECK(is_near(s.ship->motion.position.y, 0.4f * steps, 1e-3f));
        }
}

/* The seeds for the ends of the random times were found by trying. */
TEST(pilot_decides_five_to_ten_times_per_second)
{
    static const struct {
        sb_skill skill;
        uint64_t random;
        sb_time  pause;
    } cases[] = { { SB_SKILL_EASY, 85949, 160000 },    { SB_SKILL_EASY, 194940, 259999 },
                  { SB_SKILL_NORMAL, 132269, 120000 }, { SB_SKILL_NORMAL, 46693, 159999 },
                  { SB_SKILL_HARD, 1, 100000 },        { SB_SKILL_HARD, 2, 100000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fly(cases[i].skill);
        s.pilot->random = cases[i].random;
        step();
        CHECK_EQ(s.pilot->think_at - s.w.now, cases[i].pause);
        s.pilot->mood = SB_PILOT_EVADING;
        s.w.now += cases[i].pause - 1;
        step();
        CHECK_EQ(s.pilot->mood, SB_PILOT_EVADING); /* no decision yet */
        s.w.now++;
        step();
        CHECK_EQ(s.pilot->mood, SB_PILOT_CRUISING);
    }
}

TEST(pilot_names_the_time_of_its_next_call)
{
    enum { SHIP = 1, TALKS = 2, MARKS = 4 };
    static const struct {
        int     flags, mood;
        sb_time think, spawn, stepped, chat, mark, next;
    } cases[] = {
        { SHIP, SB_PILOT_CRUISING, 500, 1, 0, 1, 1, 500 },
        { SHIP, SB_PILOT_CRUISING, 90000, 1, 20, 1, 1, 50020 },
        { SHIP, SB_PILOT_DEAD, 500, 1, 20, 1, 1, 50020 },
        { SHIP, SB_PILOT_DEAD, 500, 1, SB_TIME_NEVER - 50000, 1, 1, SB_TIME_NEVER },
        { SHIP, SB_PILOT_RETREATING, 500, 1, 20, 1, 1, 500 },
        { 0, SB_PILOT_WAITING, 500, 400, 0, 1, 1, 400 },
        { 0, SB_PILOT_WAITING, 500, 600, 0, 1, 1, 500 },
        { 0, SB_PILOT_WAITING, 500, SB_TIME_NEVER, 0, 1, 1, 500 },
        { TALKS, SB_PILOT_WAITING, 500, 600, 0, 300, 1, 300 },
        { TALKS, SB_PILOT_WAITING, 500, 600, 0, 700, 1, 500 },
        { MARKS, SB_PILOT_WAITING, 500, 600, 0, 1, 300, 300 },
        { MARKS, SB_PILOT_WAITING, 500, 600, 0, 1, 700, 500 },
        { MARKS | TALKS | SHIP, SB_PILOT_CRUISING, 500, 1, 0, 300, 200, 200 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_pilot p = { .mood = (uint8_t)cases[i].mood,
                       .think_at = cases[i].think,
                       .spawn_at = cases[i].spawn,
                       .stepped_at = cases[i].stepped,
                       .chat_at = cases[i].chat,
                       .mark_at = cases[i].mark };
        p.ship_id = cases[i].flags & SHIP ? 1 : 0;
        p.config.talkative = cases[i].flags & TALKS;
        p.config.latency_marks = cases[i].flags & MARKS;
        if (sb_pilot_next_deadline(&p) != cases[i].next) FAIL("case %zu", i);
    }
}

/* ---- target and threat ---- */

TEST(pilot_tells_the_server_about_a_new_target)
{
    fly(SB_SKILL_HARD);
    sb_client *first = scene_add(&s, (sb_vec3){ 0, 25, 0 });
    step();
    CHECK_EQ(s.pilot->target, first->ship.ship.object_id);
    CHECK_EQ(s.me->target_changes, 1);
    CHECK_EQ(s.me->previous_target, 0);
    CHECK_EQ(s.me->beams, 1);
    s.w.now += 100000;
    step();
    CHECK_EQ(s.me->target_changes, 1);
    CHECK_EQ(s.me->stops, 0);
    sb_client *second = scene_add(&s, (sb_vec3){ 0, 5, 0 });
    s.w.now += 100000;
    step();
    CHECK_EQ(s.pilot->target, second->ship.ship.object_id);
    CHECK_EQ(s.me->target_changes, 2);
    CHECK_EQ(s.me->previous_target, first->ship.ship.object_id);
    CHECK_EQ(s.me->stops, 1); /* the beam is directed anew */
    CHECK_EQ(s.me->beams, 2);
    first->ship.used = second->ship.used = false;
    s.w.now += 100000;
    step();
    CHECK_EQ(s.pilot->target, 0);
    CHECK_EQ(s.me->target_changes, 3);
    CHECK_EQ(s.me->previous_target, second->ship.ship.object_id);
    s.w.now += 100000;
    step();
    CHECK_EQ(s.me->target_changes, 3);
}

/* The target is ahead; 55 units to the right is a ship that hit us. Which one does it run from? */
TEST(pilot_runs_from_its_attacker_for_eight_seconds)
{
    static const struct {
        sb_time ago;
        bool    known, cloaked, peaceful;
        sb_vec3 heading;
    } cases[] = {
        { 0, true, false, false, { 1, 0, 0 } },       { 7999999, true, false, false, { 1, 0, 0 } },
        { 8000000, true, false, false, { 0, 1, 0 } }, { 0, false, false, false, { 0, 1, 0 } },
        { 0, true, true, false, { 0, 1, 0 } },        { 0, true, false, true, { 1, 0, 0 } },
        { 8000000, true, false, true, { 0, 0, 1 } }, /* from nobody: cruises */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fly(SB_SKILL_NORMAL);
        sb_client *target = scene_add(&s, (sb_vec3){ 0, 20, 0 });
        sb_client *attacker = scene_add(&s, (sb_vec3){ 55, 0, 0 });
        attacker->ship.ship.cloaked = cases[i].cloaked;
        s.pilot->goal = (sb_vec3){ 0, 0, 100 };
        s.pilot->attacker = cases[i].known ? attacker->ship.ship.object_id : 12345;
        s.pilot->attacked_at = s.w.now - cases[i].ago;
        s.pilot->retreat_until = s.w.now + 1;
        s.pilot->config.peaceful = cases[i].peaceful;
        s.ship->condition[HULL] = 700; /* not recovered */
        s.pilot->felt_hull = 0.7f;
        step();
        CHECK_EQ(s.pilot->mood, SB_PILOT_RETREATING);
        if (!is_same_vector(s.pilot->heading, cases[i].heading)) FAIL("case %zu", i);
        CHECK_EQ(s.pilot->target, cases[i].peaceful ? 0 : target->ship.ship.object_id);
    }
}

/* ---- retreat ---- */

static void set_health(float hull, float shields)
{
    s.ship->condition[HULL] = 1000 * hull;
    for (int i = 0; i < SB_FACINGS; i++) s.ship->facing[i] = 1000 * shields;
    s.pilot->felt_hull = hull;
    memcpy(s.pilot->felt, s.ship->facing, sizeof s.pilot->felt);
}

TEST(pilot_retreats_when_hull_or_shields_are_low)
{
    static const struct {
        sb_skill skill;
        float    hull, shields;
        bool     foe;
        sb_time  brave; /* left */
        bool     retreats;
    } cases[] = {
        { SB_SKILL_EASY, 1, 1, true, 0, false },
        { SB_SKILL_EASY, 0.25f, 1, true, 0, false },
        { SB_SKILL_EASY, 0.24f, 1, true, 0, true },
        { SB_SKILL_EASY, 1, 0.15f, true, 0, false },
        { SB_SKILL_EASY, 1, 0.14f, true, 0, true },
        { SB_SKILL_NORMAL, 0.41f, 1, true, 0, false },
        { SB_SKILL_NORMAL, 0.39f, 1, true, 0, true },
        { SB_SKILL_NORMAL, 1, 0.25f, true, 0, false },
        { SB_SKILL_NORMAL, 1, 0.24f, true, 0, true },
        { SB_SKILL_HARD, 0.26f, 1, true, 0, false },
        { SB_SKILL_HARD, 0.24f, 1, true, 0, true },
        { SB_SKILL_HARD, 1, 0.16f, true, 0, false },
        { SB_SKILL_HARD, 1, 0.14f, true, 0, true },
        { SB_SKILL_NORMAL, 0.1f, 0, true, 0, true },
        { SB_SKILL_NORMAL, 0.1f, 0, false, 0, false }, /* from nobody */
        { SB_SKILL_NORMAL, 0.1f, 0, true, 1, false },  /* it fights on for a while */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fly(cases[i].skill);
        if (cases[i].foe) scene_add(&s, (sb_vec3){ 0, 30, 0 });
        set_health(cases[i].hull, cases[i].shields);
        s.pilot->retreat_until = s.w.now; /* the last one ends now */
        s.pilot->brave_until = s.w.now + cases[i].brave;
        step();
        if ((s.pilot->mood == SB_PILOT_RETREATING) != cases[i].retreats) FAIL("case %zu", i);
        CHECK_EQ(s.pilot->retreat_until > s.w.now, cases[i].retreats);
        CHECK_EQ(s.pilot->brave_until > s.pilot->retreat_until,
                 cases[i].retreats || cases[i].brave > 0);
    }
}

TEST(pilot_retreats_for_15_to_35_s_and_not_again_for_40_to_90_s)
{
    spread retreat = { 0 }, brave = { 0 };
    fly(SB_SKILL_NORMAL);
    scene_add(&s, (sb_vec3){ 0, 30, 0 });
    for (int i = 0; i < 1000; i++) {
        set_health(0.1f, 0.1f);
        s.pilot->retreat_until = s.pilot->brave_until = s.pilot->think_at = s.w.now;
        step();
        spread_add(&retreat, s.pilot->retreat_until - s.w.now);
        spread_add(&brave, s.pilot->brave_until - s.pilot->retreat_until);
    }
    spread_check(&retreat, 15 * SB_SECOND, 35 * SB_SECOND);
    spread_check(&brave, 40 * SB_SECOND, 90 * SB_SECOND);
}

TEST(pilot_ends_a_retreat_when_it_has_recovered)
{
    static const struct {
        float hull, shields;
        bool  ends;
    } cases[] = { { 0.75f, 1, false }, { 0.76f, 0.66f, true }, { 1, 0.65f, false },
                  { 1, 0.64f, false }, { 0.5f, 0.5f, false },  { 0.9f, 0.9f, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fly(SB_SKILL_NORMAL);
        scene_add(&s, (sb_vec3){ 0, 30, 0 });
        set_health(cases[i].hull, cases[i].shields);
        s.pilot->retreat_until = s.w.now + 1;
        s.pilot->brave_until = s.w.now + 2;
        step();
        CHECK_EQ(s.pilot->mood, cases[i].ends ? SB_PILOT_ATTACKING : SB_PILOT_RETREATING);
        CHECK(s.pilot->retreat_until == s.w.now + !cases[i].ends);
        CHECK(s.pilot->brave_until == s.w.now + (cases[i].ends ? 0 : 2));
    }
}

TEST(pilot_has_its_shield_generator_repaired_first)
{
    for (int kind = 0; kind < 4; kind++) {
        fly(SB_SKILL_NORMAL);
        scene_add(&s, (sb_vec3){ 0, 30, 0 });
        set_health(0.1f, 0.1f);
        s.ship->condition[REACTOR] = 900;
        if (kind == 1) s.ship->condition[SHIELD] = 990;
        if (kind == 2) s.ship->condition[SHIELD] = 0;
        if (kind == 3) s.entries[HULL].type = SB_SUBSYSTEM_SHIELD; /* the first of the list */
        step();
        CHECK_EQ(s.me->last_repair.orders, kind > 0);
        if (kind == 0) continue;
        CHECK_EQ(s.me->last_repair.index, kind == 3 ? HULL : SHIELD);
        CHECK_EQ(s.me->last_repair.child, -1);
    }
}

/* ---- decisions ---- */

TEST(pilot_mood_says_what_it_does)
{
    fly(SB_SKILL_NORMAL);
    step();
    CHECK_EQ(s.pilot->mood, SB_PILOT_CRUISING);
    CHECK(is_same_vector(s.pilot->heading, (sb_vec3){ 0, 1, 0 }));
    sb_client *c = scene_add(&s, (sb_vec3){ 30, 0, 0 });
    s.pilot->think_at = s.w.now;
    step();
    CHECK_EQ(s.pilot->mood, SB_PILOT_ATTACKING);
    CHECK(is_same_vector(s.pilot->heading, (sb_vec3){ 1, 0, 0 }));
    c->ship.ship.motion.forward = (sb_vec3){ -1, 0, 0 };
    c->ship.ship.motion.speed = 9;
    s.pilot->think_at = s.w.now;
    step();
    CHECK_EQ(s.pilot->mood, SB_PILOT_EVADING);
    c->ship.used = false;
    s.pilot->position = (sb_vec3){ 0, 499, 0 }; /* at the edge of the arena */
    s.pilot->goal = (sb_vec3){ 0, 600, 0 };
    s.pilot->think_at = s.w.now;
    step();
    CHECK_EQ(s.pilot->mood, SB_PILOT_CRUISING);
    CHECK(is_same_vector(s.pilot->heading, (sb_vec3){ 0, -1, 0 }));
}

TEST(pilot_decision_has_all_its_parts)
{
    fly(SB_SKILL_HARD);
    sb_client *c = scene_add(&s, (sb_vec3){ 0, 20, 0 });
    s.ship->facing[0] = 500;
    step();
    CHECK_EQ(s.pilot->attacker, c->ship.ship.object_id); /* it felt a hit */
    CHECK_EQ(s.pilot->stance, 2);                        /* power for weapons */
    CHECK(s.pilot->shots > 0);
    c->ship.ship.motion.position.y = 3;
    s.pilot->think_at = s.w.now;
    step();
    CHECK_EQ(s.me->collisions, 1);
    c->ship.ship.motion.position.y = 40;
    s.pilot->retreat_until = s.w.now + SB_SECOND;
    s.ship->condition[HULL] = 500;
    s.pilot->think_at = s.w.now;
    step();
    CHECK(s.ship->cloaked);
}

TEST(pilot_reads_its_kills_from_the_list_of_players)
{
    static const struct {
        int32_t  listed;
        uint32_t before, after;
    } cases[] = { { 0, 5, 5 }, { 1, 5, 1 }, { 7, 5, 7 }, { -1, 5, 5 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fly(SB_SKILL_NORMAL);
        s.w.players[0].kills = cases[i].listed;
        s.pilot->kills = cases[i].before;
        step();
        CHECK_EQ(s.pilot->kills, cases[i].after);
    }
    fly(SB_SKILL_NORMAL);
    s.w.players[0].peer_id = 99; /* not in the list any more */
    s.pilot->kills = 5;
    step();
    CHECK_EQ(s.pilot->kills, 5);
}

/* ---- the end of a ship and of a match ---- */

TEST(pilot_dies_once_with_its_ship)
{
    fly(SB_SKILL_NORMAL);
    s.me->ship.exploding = true;
    s.pilot->target = 77;
    s.pilot->mood = SB_PILOT_RETREATING;
    memset(s.pilot->beams_on, 1, sizeof s.pilot->beams_on);
    step();
    CHECK_EQ(s.pilot->deaths, 1);
    CHECK_EQ(s.pilot->mood, SB_PILOT_DEAD);
    CHECK_EQ(s.pilot->target, 0);
    for (int i = 0; i < SB_SUBSYSTEMS_MAX; i++) CHECK(!s.pilot->beams_on[i]);
    s.w.now += 50000;
    step();
    CHECK_EQ(s.pilot->deaths, 1);
    CHECK_EQ(s.pilot->shots, 0);
    fly(SB_SKILL_NORMAL); /* a ship that dies before the pilot has flown it */
    s.pilot->ship_id = 5;
    s.pilot->position = (sb_vec3){ 9, 9, 9 };
    s.me->ship.exploding = true;
    step();
    CHECK_EQ(s.pilot->ship_id, s.ship->object_id);
    CHECK(is_same_vector(s.pilot->position, (sb_vec3){ 0, 0, 0 }));
    CHECK_EQ(s.pilot->deaths, 1);
}

TEST(pilot_comes_to_rest_at_the_end_of_a_match)
{
    enum { SHIP, NONE, UNKNOWN_CLASS, ANOTHER, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        fly(SB_SKILL_NORMAL);
        s.me->game_over = true;
        s.pilot->beams_on[BEAMS] = true;
        s.pilot->mood = SB_PILOT_ATTACKING;
        s.pilot->team_sent = 1;
        s.pilot->target = 77;
        s.pilot->speed = s.pilot->speed_wanted = 5;
        s.pilot->spawn_at = 5;
        s.pilot->stepped_at = s.w.now - 50000;
        if (kind == NONE) s.me->ship.used = false;
        if (kind == UNKNOWN_CLASS) s.ship->model = NULL;
        if (kind == ANOTHER) s.pilot->ship_id = 5;
        step();
        CHECK_EQ(s.me->stops, 1);
        CHECK(!s.pilot->beams_on[BEAMS]); /* even if the order was refused */
        CHECK_EQ(s.pilot->mood, SB_PILOT_WAITING);
        CHECK_EQ(s.pilot->team_sent, SB_NO_TEAM);
        CHECK_EQ(s.pilot->target, 0);
        CHECK(s.pilot->speed_wanted == 0);
        CHECK_EQ(s.pilot->think_at - s.w.now, 250000);
        CHECK(s.pilot->spawn_at == SB_TIME_NEVER);
        CHECK_EQ(s.pilot->ship_id, kind == SHIP ? s.ship->object_id : 0);
        CHECK_EQ(s.me->places, kind == SHIP);
        CHECK_EQ(s.pilot->speed < 5, kind == SHIP);
        for (int i = 0; i < SB_SUBSYSTEMS_MAX; i++) CHECK(!s.pilot->beams_on[i]);
    }
}
