/* src/client/pilot.c -- the life of a pilot: joins a team, spawns, decides, flies, dies, respawns.
 *
 * For:      the public calls of starbase/pilot.h.
 * Tests:    tests/client/pilot_test.c, pilot_life_test.c
 */
#include "client/pilot_internal.h"

#include "base/assert.h"

#include <string.h>

enum {
    MARK_BYTES = 17, /* '@' and 16 hex digits */
    SPAWN_TRIES = 12,
    RETRY_US = 1000000,
};

/* ---- names ---- */

static const char *const skill_texts[SB_SKILL_COUNT] = { "easy", "normal", "hard" };

const char *sb_skill_text(sb_skill skill)
{
    return (unsigned)skill < SB_SKILL_COUNT ? skill_texts[skill] : "?";
}

bool sb_find_skill(const char *text, sb_skill *out)
{
    for (unsigned i = 0; text && i < SB_SKILL_COUNT; i++) {
        if (strcmp(text, skill_texts[i]) != 0) continue;
        *out = (sb_skill)i;
        return true;
    }
    return false;
}

const char *sb_pilot_mood_text(sb_pilot_mood mood)
{
    static const char *const texts[] = { "waiting", "cruising",   "attacking",
                                         "evading", "retreating", "dead" };
    return (unsigned)mood < sizeof texts / sizeof *texts ? texts[mood] : "?";
}

/* ---- chat ---- */

static const char *const lines[] = {
    "Hailing frequencies open.",
    "All hands, battle stations!",
    "Shields up!",
    "Well flown.",
    "Is that all you have?",
    "Watch your aft shields.",
    "Nice shot.",
    "Engineering, I need more power!",
    "Anybody seen my warp core?",
    "Coming about.",
    "Good fight.",
    "Today is a good day to fly.",
    "Evasive manoeuvres!",
    "You will have to do better than that.",
    "Damage report, please.",
    "Who is next?",
};

static sb_time next_chat_time(sb_pilot *p, sb_time now)
{
    return now + sb_pilot_random_delay(p, 20 * SB_SECOND, 60 * SB_SECOND);
}

static void send_chat_line(sb_pilot *p, sb_client *client, sb_time now)
{
    if (!p->config.talkative || now < p->chat_at) return;
    const char *line = lines[sb_pilot_random_u64(p) % (sizeof lines / sizeof *lines)];
    sb_pilot_attempt(
        sb_client_chat(client, now, false, (sb_span){ (const uint8_t *)line, strlen(line) }));
    p->chat_at = next_chat_time(p, now);
}

/* The server sends a chat line back to its sender (spec 09 §4). A line that contains the time of
 * sending measures the round trip. */
static void send_latency_mark(sb_pilot *p, sb_client *client, sb_time now)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t           mark[MARK_BYTES] = { '@' };
    if (!p->config.latency_marks || now < p->mark_at) return;
    for (unsigned i = 0; i < 16; i++)
        mark[1 + i] = (uint8_t)digits[(uint64_t)now >> (60 - 4 * i) & 15];
    sb_pilot_attempt(sb_client_chat(client, now, false, (sb_span){ mark, sizeof mark }));
    p->mark_at = now - p->mark_at > SB_SECOND ? now + SB_SECOND : p->mark_at + SB_SECOND;
}

/* ---- a new ship ---- */

static unsigned count_team(const sb_client *client, uint8_t team)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++) {
        const sb_seen_player *player = sb_client_player(client, i);
        if (!player || !player->used || player->peer_id == sb_client_id(client)) continue;
        count += player->team == team;
    }
    return count;
}

static void join_team(sb_pilot *p, sb_client *client, sb_time now)
{
    if (!sb_pilot_plays_in_teams(client) || p->team_sent != SB_NO_TEAM) return;
    uint8_t team = p->config.team;
    if (team > 1) {
        unsigned first = count_team(client, 0), second = count_team(client, 1);
        bool     coin = sb_pilot_random_u64(p) & 1;
        team = first == second ? coin : first > second;
    }
    if (sb_pilot_attempt(sb_client_team(client, now, team))) p->team_sent = team;
}

static uint8_t choose_species(sb_pilot *p)
{
    const sb_ship_set *set = sb_stock_ships();
    if (p->config.species != 0 && sb_find_ship(set, p->config.species)) return p->config.species;
    uint32_t selectable = 0;
    for (size_t i = 0; i < set->count; i++) selectable += set->ships[i].selectable;
    SB_ASSERT(selectable > 0);
    uint64_t nth = sb_pilot_random_u64(p) % selectable;
    for (size_t i = 0; i < set->count; i++)
        if (set->ships[i].selectable && nth-- == 0) return set->ships[i].species;
    return set->ships[0].species;
}

static float distance_to_nearest_ship(const sb_client *client, sb_vec3 place, sb_time now)
{
    float nearest = 1e9f;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        const sb_seen_ship *seen = sb_client_ship(client, i);
        if (!seen || !seen->used) continue;
        float far = sb_v_length(sb_v_sub(sb_client_position(client, seen, now), place));
        if (far < nearest) nearest = far;
    }
    return nearest;
}

/* Of SPAWN_TRIES random positions the one farthest from other ships. */
static sb_vec3 choose_spawn_position(sb_pilot *p, const sb_client *client, sb_time now)
{
    sb_vec3 best = { 0, 0, 0 };
    float   clearance = -1;
    for (unsigned i = 0; i < SPAWN_TRIES; i++) {
        float   far = p->config.arena * (0.25f + 0.5f * sb_pilot_random_unit(p));
        sb_vec3 place = sb_v_scale(sb_pilot_random_direction(p), far);
        float   distance = distance_to_nearest_ship(client, place, now);
        if (distance <= clearance) continue;
        clearance = distance;
        best = place;
    }
    return best;
}

static void spawn_ship(sb_pilot *p, sb_client *client, sb_time now)
{
    sb_vec3 place = choose_spawn_position(p, client, now);
    sb_vec3 inward = sb_v_unit(sb_v_scale(place, -1), (sb_vec3){ 0, 1, 0 });
    sb_vec3 up = sb_v_along((sb_vec3){ 0, 0, 1 }, inward, -inward.z);
    up = sb_v_unit(up, (sb_vec3){ 1, 0, 0 });
    uint8_t species = choose_species(p);
    join_team(p, client, now);
    p->spawn_at = now + RETRY_US;
    if (!sb_pilot_attempt(sb_client_spawn(client, now, species, place, inward, up))) return;
    p->spawn_at = SB_TIME_NEVER;
    p->spawns++;
}

/* The client has a new ship: resets all state that belongs to a ship. */
static void start_flying(sb_pilot *p, sb_client *client, const sb_seen_ship *own, sb_time now)
{
    const sb_motion *m = &own->ship.motion;
    p->ship_id = own->ship.object_id;
    p->spawn_at = SB_TIME_NEVER;
    p->position = m->position;
    p->forward = p->heading = m->forward;
    p->up = m->up;
    p->axis = (sb_vec3){ 0, 1, 0 };
    p->spin = (sb_vec3){ 0, 0, 0 };
    p->speed = m->speed;
    p->speed_wanted = p->turn_rate = 0;
    p->stepped_at = p->think_at = now;
    p->target = p->attacker = 0;
    p->extend_until = p->attacked_at = p->cloak_at = p->collided_at = now - 3600 * SB_SECOND;
    p->goal_at = p->armed_at = p->volley_at = p->retreat_until = p->brave_until = now;
    p->attitude = p->stance = 0;
    memcpy(p->felt, own->ship.facing, sizeof p->felt);
    p->felt_hull = 1;
    p->mood = SB_PILOT_CRUISING;
    if (!own->ship.model) return;
    sb_pilot_load_weapons(p, &own->ship);
    if (p->config.skill == SB_SKILL_EASY) return;
    /* Medium and high do the same in the game (spec 10 §6.2); other hosts may make high stronger.
     */
    for (unsigned i = 0; i < own->ship.model->subsystem_count; i++)
        if (own->ship.model->subsystems[i].type == SB_SUBSYSTEM_PHASER_SYSTEM)
            sb_pilot_attempt(sb_client_phaser_level(client, now, i, 2));
}

/* ---- deciding ---- */

static sb_time reaction_time(sb_pilot *p)
{
    switch (p->config.skill) {
    case SB_SKILL_EASY: return sb_pilot_random_delay(p, 160000, 260000);
    case SB_SKILL_NORMAL: return sb_pilot_random_delay(p, 120000, 160000);
    default: return 100000;
    }
}

static void set_target(sb_pilot *p, sb_client *client, sb_view *view)
{
    const sb_contact *chosen = p->config.peaceful ? NULL : sb_pilot_choose_target(p, view);
    uint32_t          id = chosen ? chosen->seen->ship.object_id : 0;
    view->target = chosen;
    view->threat = chosen;
    if (id != p->target) {
        sb_pilot_cease_fire(p, client, view->now);
        sb_pilot_attempt(sb_client_target_changed(client, view->now, p->target));
        p->target = id;
    }
    const sb_contact *attacker = sb_pilot_find_contact(view, p->attacker);
    if (attacker && attacker->foe && view->now - p->attacked_at < 8 * SB_SECOND)
        view->threat = attacker;
}

/* Shields take minutes to recover (spec 11 §2), so a retreat lasts 15 to 35 s, and the next one
 * starts 40 to 90 s after its end at the earliest. It brings back so little that a hard pilot
 * fights on when a normal one retreats. */
static void consider_retreat(sb_pilot *p, sb_client *client, const sb_view *view)
{
    static const float hull[SB_SKILL_COUNT] = { 0.25f, 0.4f, 0.25f };
    static const float shields[SB_SKILL_COUNT] = { 0.15f, 0.25f, 0.15f };
    if (view->now < p->retreat_until) {
        bool recovered = view->hull > 0.75f && view->shields > 0.65f;
        if (recovered) p->retreat_until = view->now;
        if (recovered) p->brave_until = view->now;
        return;
    }
    bool hurt = view->hull < hull[p->config.skill] || view->shields < shields[p->config.skill];
    if (!hurt || !view->threat || view->now < p->brave_until) return;
    p->retreat_until = view->now + sb_pilot_random_delay(p, 15 * SB_SECOND, 35 * SB_SECOND);
    p->brave_until = p->retreat_until + sb_pilot_random_delay(p, 40 * SB_SECOND, 90 * SB_SECOND);
    for (unsigned i = 0; i < view->model->subsystem_count; i++) { /* repair shields first */
        if (view->model->subsystems[i].type != SB_SUBSYSTEM_SHIELD) continue;
        if (sb_ship_ratio(view->ship, i) < 1)
            sb_pilot_attempt(sb_client_repair_first(client, view->now, i, -1));
    }
}

static void choose_course(sb_pilot *p, const sb_view *view)
{
    if (view->now < p->retreat_until) {
        p->mood = SB_PILOT_RETREATING;
        sb_pilot_retreat(p, view);
    } else if (view->target) {
        p->mood = SB_PILOT_ATTACKING;
        sb_pilot_attack(p, view);
    } else {
        p->mood = SB_PILOT_CRUISING;
        sb_pilot_cruise(p, view);
    }
    sb_pilot_stay_in_arena(p, view);
    if (sb_pilot_evade(p, view)) p->mood = SB_PILOT_EVADING;
}

static void think(sb_pilot *p, sb_client *client, const sb_seen_ship *own, sb_time now)
{
    sb_view view;
    sb_pilot_build_view(p, client, own, now, &view);
    sb_pilot_detect_hits(p, &view);
    set_target(p, client, &view);
    consider_retreat(p, client, &view);
    choose_course(p, &view);
    sb_pilot_update_cloak(p, client, &view);
    sb_pilot_set_power(p, client, &view);
    sb_pilot_shoot(p, client, &view);
    sb_pilot_check_collision(p, client, &view);
    const sb_seen_player *me = sb_client_find_player(client, sb_client_id(client));
    if (me && me->kills > 0) p->kills = (uint32_t)me->kills;
}

/* ---- with and without a ship ---- */

/* Advances stepped_at and returns how many steps of motion are due. After a long pause, only the
 * last SB_PILOT_STEPS_AT_ONCE steps are due. */
static unsigned consume_steps(sb_pilot *p, sb_time now)
{
    sb_time due = (now - p->stepped_at) / SB_PILOT_STEP_US;
    if (due > SB_PILOT_STEPS_AT_ONCE) {
        p->stepped_at = now - SB_PILOT_STEPS_AT_ONCE * (sb_time)SB_PILOT_STEP_US;
        due = SB_PILOT_STEPS_AT_ONCE;
    }
    if (due < 0) due = 0;
    p->stepped_at += due * SB_PILOT_STEP_US;
    return (unsigned)due;
}

static void place_ship(sb_pilot *p, sb_client *client, sb_time now)
{
    sb_pilot_attempt(sb_client_place(client, now, p->position, p->forward, p->up, p->speed));
}

static void fly(sb_pilot *p, sb_client *client, const sb_seen_ship *own, sb_time now)
{
    if (own->ship.object_id != p->ship_id) start_flying(p, client, own, now);
    if (!own->ship.model) { /* a species without data cannot be flown: it stays in place */
        p->stepped_at = now;
        return;
    }
    unsigned steps = consume_steps(p, now);
    sb_pull  pull = sb_client_pull(client, now);
    for (unsigned i = 0; i < steps; i++) {
        sb_pilot_charge_weapons(p, &own->ship);
        sb_pilot_move(p, &own->ship, &pull);
    }
    if (steps > 0) place_ship(p, client, now);
    if (now < p->think_at) return;
    think(p, client, own, now);
    p->think_at = now + reaction_time(p);
}

static void drift_as_wreck(sb_pilot *p, sb_client *client, const sb_seen_ship *own, sb_time now)
{
    if (own->ship.object_id != p->ship_id) start_flying(p, client, own, now);
    if (p->mood != SB_PILOT_DEAD) {
        p->deaths++;
        p->mood = SB_PILOT_DEAD;
        p->target = 0;
        memset(p->beams_on, 0, sizeof p->beams_on);
    }
    unsigned steps = consume_steps(p, now);
    for (unsigned i = 0; i < steps; i++) sb_pilot_drift(p);
    if (steps > 0) place_ship(p, client, now);
}

/* Spawns respawn_us after the end of the wreck; without a wreck (lobby, new match) within 2 s. */
static void wait_for_ship(sb_pilot *p, sb_client *client, sb_time now)
{
    if (p->ship_id != 0 || p->spawn_at == SB_TIME_NEVER) {
        bool died = p->mood == SB_PILOT_DEAD;
        p->spawn_at =
            now + (died ? p->config.respawn_us : sb_pilot_random_delay(p, 100000, 2 * SB_SECOND));
        if (!died) p->team_sent = SB_NO_TEAM; /* a restart clears teams (spec 09 §8) */
        p->ship_id = 0;
        p->mood = SB_PILOT_WAITING;
    }
    p->think_at = now + SB_PILOT_IDLE_US;
    if (now >= p->spawn_at) spawn_ship(p, client, now);
}

/* The match is over: ceases fire, slows down, waits for the restart. */
static void wait_for_match(sb_pilot *p, sb_client *client, const sb_seen_ship *own, sb_time now)
{
    sb_pilot_cease_fire(p, client, now);
    memset(p->beams_on, 0, sizeof p->beams_on);
    p->mood = SB_PILOT_WAITING;
    p->team_sent = SB_NO_TEAM;
    p->target = 0;
    p->speed_wanted = 0;
    p->think_at = now + SB_PILOT_IDLE_US;
    p->spawn_at = SB_TIME_NEVER;
    if (!own || !own->ship.model || own->ship.object_id != p->ship_id) {
        p->ship_id = 0;
        return;
    }
    unsigned steps = consume_steps(p, now);
    sb_pull  pull = sb_client_pull(client, now);
    for (unsigned i = 0; i < steps; i++) sb_pilot_move(p, &own->ship, &pull);
    if (steps > 0) place_ship(p, client, now);
}

/* ---- the public calls ---- */

void sb_pilot_defaults(sb_pilot_config *config)
{
    *config = (sb_pilot_config){
        .seed = 1,
        .skill = SB_SKILL_NORMAL,
        .team = SB_NO_TEAM,
        .arena = 60,
        .respawn_us = 3 * SB_SECOND,
    };
}

void sb_pilot_init(sb_pilot *p, const sb_pilot_config *config, sb_time now)
{
    memset(p, 0, sizeof *p);
    p->config = *config;
    if (p->config.skill >= SB_SKILL_COUNT) p->config.skill = SB_SKILL_NORMAL;
    if (!(p->config.arena >= 10)) p->config.arena = 10; /* enough to turn around in */
    p->random = config->seed;
    p->mood = SB_PILOT_WAITING;
    p->forward = p->heading = p->axis = (sb_vec3){ 0, 1, 0 };
    p->up = (sb_vec3){ 0, 0, 1 };
    p->stepped_at = p->think_at = p->mark_at = now;
    p->chat_at = next_chat_time(p, now);
    p->spawn_at = SB_TIME_NEVER;
    p->team_sent = SB_NO_TEAM;
}

/* Waits until the client is in the game. */
static void wait_for_client(sb_pilot *p, const sb_client *client, sb_time now)
{
    bool over = sb_client_is_over(client);
    p->mood = SB_PILOT_WAITING;
    p->ship_id = 0;
    p->spawn_at = SB_TIME_NEVER;
    p->think_at = over ? SB_TIME_NEVER : now + SB_PILOT_IDLE_US;
    if (now >= p->chat_at) p->chat_at = next_chat_time(p, now);
    if (now >= p->mark_at) p->mark_at = now + SB_SECOND;
    if (over) p->chat_at = p->mark_at = SB_TIME_NEVER;
}

void sb_pilot_step(sb_pilot *p, sb_client *client, sb_time now)
{
    SB_ASSERT(p->config.skill < SB_SKILL_COUNT); /* an index into tables */
    sb_client_phase phase = sb_client_phase_of(client);
    if (phase != SB_CLIENT_LOBBY && phase != SB_CLIENT_FLYING) {
        wait_for_client(p, client, now);
        return;
    }
    send_chat_line(p, client, now);
    send_latency_mark(p, client, now);
    const sb_seen_ship *own = sb_client_own_ship(client);
    if (sb_client_is_game_over(client)) wait_for_match(p, client, own, now);
    else if (!own) wait_for_ship(p, client, now);
    else if (own->exploding) drift_as_wreck(p, client, own, now);
    else fly(p, client, own, now);
}

sb_time sb_pilot_next_deadline(const sb_pilot *p)
{
    sb_time next = p->think_at;
    if (p->ship_id != 0) {
        if (p->mood == SB_PILOT_DEAD) next = SB_TIME_NEVER; /* a wreck decides nothing */
        sb_time step = p->stepped_at + SB_PILOT_STEP_US;
        if (step < next) next = step;
    } else if (p->spawn_at < next) {
        next = p->spawn_at;
    }
    if (p->config.talkative && p->chat_at < next) next = p->chat_at;
    if (p->config.latency_marks && p->mark_at < next) next = p->mark_at;
    return next;
}
