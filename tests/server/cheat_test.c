/* tests/server/cheat_test.c -- implausible messages, one test for each check of spec 10 §6, §8,
 * §11.3 and 08 §17: at level 2 they are counted and reported, at level 3 they also have no effect.
 * Honest players are never reported.
 */
#include "sim/match.h"

#include <starbase/message.h>

#include "test.h"

#include <math.h>
#include <string.h>

enum { SOVEREIGN = 5, BIRD_OF_PREY = 6, PHOTON = 14, KLINGON = 6, DISRUPTOR_BOLT = 8 };
enum { OFTEN = 6 }; /* more than a lossy link explains */

static const sb_vec3 ahead = { 0, 1, 0 }, above = { 0, 0, 1 }, behind = { 0, -1, 0 };

/* ---- a cheat and a victim ---- */

typedef struct duel {
    sim_match *m;
    sb_server *server;
    sb_client *cheat, *victim;
    uint32_t   cheat_ship, victim_ship;
    uint64_t   reported[SB_IMPLAUSIBLE_COUNT], reported_others;
    sb_time    reported_at[SB_IMPLAUSIBLE_COUNT];
    unsigned   hits;   /* on the victim */
    double     damage; /* to the cheat's own ship */
} duel;

static duel the_duel;

static void count_report(duel *d, const sb_server_event *e)
{
    CHECK(e->value >= 0 && e->value < SB_IMPLAUSIBLE_COUNT);
    CHECK_EQ(e->text.size, strlen(sb_implausible_text((sb_implausible)e->value)));
    if (!d->cheat || e->peer_id != sb_client_id(d->cheat)) d->reported_others++;
    if (d->reported[e->value]) CHECK(e->now - d->reported_at[e->value] >= SB_SECOND);
    d->reported[e->value]++;
    d->reported_at[e->value] = e->now;
}

static void count_event(void *context, const sb_server_event *e)
{
    duel *d = context;
    if (e->type == SB_SERVER_SUSPICIOUS) count_report(d, e);
    if (e->type != SB_SERVER_COMBAT || e->combat->type != SB_COMBAT_HIT) return;
    if (e->object_id == d->victim_ship) d->hits++;
    if (e->object_id == d->cheat_ship) d->damage += (double)e->combat->amount;
}

static sb_client *join(duel *d, const char *name)
{
    unsigned number = sim_match_join(d->m, name, NULL, NULL);
    for (unsigned i = 0; i < 100; i++) {
        sim_match_run(d->m, SB_SECOND / 10);
        sb_client *client = sim_match_client(d->m, number);
        if (sb_client_phase_of(client) == SB_CLIENT_LOBBY) return client;
    }
    FAIL("%s did not get in", name);
}

static uint32_t spawn(duel *d, sb_client *client, uint8_t species, sb_vec3 at)
{
    CHECK_EQ(sb_client_spawn(client, sim_match_now(d->m), species, at, ahead, above), SB_OK);
    return sb_client_own_ship(client)->ship.object_id;
}

static sb_server_config level_config(sb_fidelity level)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.combat.fidelity = (uint8_t)level;
    c.trace_damage = true;
    return c;
}

/* The cheat in the middle, the victim at `place`; both ships exist long enough for their positions
 * to be checked. */
static duel *open_duel(const sb_server_config *server, uint8_t species, sb_vec3 place)
{
    sim_match_config config;
    sim_match_defaults(&config, 5);
    config.link.delay_us = 50000;
    config.server = *server;
    config.on_event = count_event;
    config.event_context = &the_duel;
    duel *d = &the_duel;
    memset(d, 0, sizeof *d);
    d->m = sim_match_create(&config);
    d->server = sim_match_server(d->m);
    d->cheat = join(d, "Cheat");
    d->victim = join(d, "Victim");
    d->cheat_ship = spawn(d, d->cheat, species, (sb_vec3){ 0, 0, 0 });
    d->victim_ship = spawn(d, d->victim, SOVEREIGN, place);
    sim_match_run(d->m, 3 * SB_SECOND);
    return d;
}

static duel *open_at_level(sb_fidelity level, uint8_t species, sb_vec3 place)
{
    sb_server_config c = level_config(level);
    return open_duel(&c, species, place);
}

static void pass(duel *d, unsigned ms)
{
    sim_match_run(d->m, (sb_time)ms * 1000);
}

static uint64_t counted(const duel *d, sb_implausible what)
{
    return sb_server_implausible(d->server, what);
}

/* Only this kind was reported, and only of the cheat. */
static void close_duel(duel *d, sb_implausible what)
{
    for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++) {
        if ((sb_implausible)i == what) continue;
        if (counted(d, (sb_implausible)i) != 0)
            FAIL("%s counted %s", sb_implausible_name(what),
                 sb_implausible_name((sb_implausible)i));
    }
    CHECK(counted(d, what) > 0);
    CHECK(d->reported[what] > 0 && d->reported[what] <= counted(d, what));
    CHECK_EQ(d->reported_others, 0);
    sim_match_destroy(d->m);
}

static unsigned entry(const sb_client *client, sb_subsystem_type type)
{
    const sb_ship_class *model = sb_client_own_ship(client)->ship.model;
    for (unsigned i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].type == type) return i;
    FAIL("the ship has no such system");
}

static void fire_torpedo(duel *d, unsigned tube, uint8_t type)
{
    CHECK_EQ(sb_client_torpedo(d->cheat, sim_match_now(d->m),
                               entry(d->cheat, SB_SUBSYSTEM_TORPEDO_SYSTEM), tube, type, ahead,
                               d->victim_ship),
             SB_OK);
}

static void fire_bolt(duel *d, unsigned cannon, sb_vec3 direction)
{
    CHECK_EQ(sb_client_pulse(d->cheat, sim_match_now(d->m),
                             entry(d->cheat, SB_SUBSYSTEM_PULSE_SYSTEM), cannon, PHOTON, direction,
                             0),
             SB_OK);
}

/* The server's own copy of a ship, with its damage. */
static sb_ship *copy_of(duel *d, uint32_t object_id)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(d->server, i, sim_match_now(d->m), &view); i++)
        if (view.ship && view.ship->object_id == object_id) return (sb_ship *)(uintptr_t)view.ship;
    FAIL("there is no ship %08X", object_id);
}

#define AT_BOTH_LEVELS(level)                                                                      \
    for (sb_fidelity level = SB_FIDELITY_WEAPONS; level <= SB_FIDELITY_ENFORCE; level++)

/* ---- rates ---- */

TEST(spec_10_6_4_too_fast_torpedoes_are_reported_and_ignored)
{
    AT_BOTH_LEVELS(level)
    {
        duel    *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
        unsigned sent = 0;
        for (; sent < 20; sent++) {
            fire_torpedo(d, 0, PHOTON);
            pass(d, 60);
        }
        pass(d, 4000);
        CHECK(d->hits >= 1);
        CHECK_EQ(d->hits + counted(d, SB_IMPLAUSIBLE_TORPEDO_RATE), sent);
        CHECK(d->reported[SB_IMPLAUSIBLE_TORPEDO_RATE] <= 2); /* once a second */
        CHECK_EQ(sb_client_received(d->victim, 0x19), sent);
        close_duel(d, SB_IMPLAUSIBLE_TORPEDO_RATE);
    }
}

TEST(spec_10_6_3_bolts_without_charge_are_told_and_do_nothing)
{
    AT_BOTH_LEVELS(level)
    {
        duel    *d = open_at_level(level, BIRD_OF_PREY, (sb_vec3){ 0, 20, 0 });
        unsigned sent = 0;
        for (; sent < 30; sent++) {
            fire_bolt(d, 0, ahead);
            pass(d, 220); /* more than the cool-down, 0.2 s */
        }
        pass(d, 4000);
        CHECK(d->hits >= 1);
        CHECK_EQ(d->hits + counted(d, SB_IMPLAUSIBLE_PULSE_CHARGE), sent);
        CHECK_EQ(sb_client_received(d->victim, 0x1A), sent);
        close_duel(d, SB_IMPLAUSIBLE_PULSE_CHARGE);
    }
}

/* ---- weapon systems that cannot fire, §6.1 ---- */

static void shut_nothing(duel *d)
{
    (void)d;
}

static void shut_by_switch(duel *d)
{
    copy_of(d, d->cheat_ship)->on[entry(d->cheat, SB_SUBSYSTEM_TORPEDO_SYSTEM)] = false;
}

static void shut_by_damage(duel *d)
{
    copy_of(d, d->cheat_ship)->condition[entry(d->cheat, SB_SUBSYSTEM_TORPEDO_SYSTEM)] *= 0.1f;
}

static void shut_by_destruction(duel *d)
{
    const sb_ship_class *model = sb_client_own_ship(d->cheat)->ship.model;
    unsigned first = model->subsystems[entry(d->cheat, SB_SUBSYSTEM_TORPEDO_SYSTEM)].first_child;
    copy_of(d, d->cheat_ship)->child_condition[first] = 0;
}

static void shut_by_cloak(duel *d)
{
    CHECK_EQ(sb_client_cloak(d->cheat, sim_match_now(d->m), true), SB_OK);
    pass(d, 6000);
}

static void run_gate(sb_fidelity level, uint8_t species, void (*shut)(duel *d), sb_implausible what)
{
    uint8_t type = species == SOVEREIGN ? PHOTON : KLINGON;
    duel   *d = open_at_level(level, species, (sb_vec3){ 0, 20, 0 });
    shut(d);
    pass(d, 3000);
    for (unsigned i = 0; i < OFTEN; i++) {
        fire_torpedo(d, 0, type);
        pass(d, 500);
    }
    pass(d, 3000);
    CHECK_EQ(d->hits, 0);
    CHECK_EQ(sb_client_received(d->victim, 0x19), OFTEN); /* relayed all the same (§10) */
    CHECK_EQ(counted(d, what), OFTEN);
    close_duel(d, what);
}

TEST(spec_10_6_1_disabled_torpedoes_are_reported_and_ignored)
{
    AT_BOTH_LEVELS(level)
    {
        run_gate(level, SOVEREIGN, shut_by_switch, SB_IMPLAUSIBLE_WEAPON_GATE);
        run_gate(level, SOVEREIGN, shut_by_damage, SB_IMPLAUSIBLE_WEAPON_GATE);
        run_gate(level, SOVEREIGN, shut_by_destruction, SB_IMPLAUSIBLE_WEAPON_GATE);
        run_gate(level, BIRD_OF_PREY, shut_by_cloak, SB_IMPLAUSIBLE_CLOAKED_FIRE);
    }
}

/* Without any of these conditions the same shot hits. */
TEST(spec_10_6_1_the_same_torpedo_hits_when_nothing_is_shut)
{
    duel *d = open_at_level(SB_FIDELITY_ENFORCE, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
    shut_nothing(d);
    fire_torpedo(d, 0, PHOTON);
    pass(d, 3000);
    CHECK_EQ(d->hits, 1);
    CHECK_EQ(sim_match_told(d->m, SB_SERVER_SUSPICIOUS), 0);
    sim_match_destroy(d->m);
}

/* Sends a TorpedoFire as bytes, from any tube. */
static void say_torpedo(duel *d, uint32_t tube)
{
    uint8_t    bytes[64];
    size_t     size;
    sb_message m = { .opcode = SB_OP_TORPEDO_FIRE };
    m.as.torpedo_fire = (sb_torpedo_fire){ .tube = tube,
                                           .projectile_type = PHOTON,
                                           .flags = 1,
                                           .direction = sb_encode_cv3(ahead),
                                           .target = d->victim_ship };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    CHECK_EQ(sb_client_send(d->cheat, sim_match_now(d->m), SB_RELIABLE, (sb_span){ bytes, size }),
             SB_OK);
}

TEST(spec_08_17_shots_of_the_dead_are_dropped_and_counted)
{
    AT_BOTH_LEVELS(level)
    {
        duel    *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
        uint64_t heard = sb_client_received(d->victim, 0x19);
        CHECK_EQ(sb_client_self_destruct(d->cheat, sim_match_now(d->m)), SB_OK);
        pass(d, 1000);
        say_torpedo(d, d->cheat_ship + 1 + 6);
        pass(d, 3000);
        CHECK_EQ(d->hits, 0);
        CHECK_EQ(sb_server_count(d->server, SB_SERVER_COUNT_NO_SHIP), 1);
        CHECK_EQ(sb_client_received(d->victim, 0x19), heard);
        sim_match_destroy(d->m);
    }
}

/* ---- arc, range and weapon ---- */

TEST(spec_10_6_2_bolts_outside_the_arc_are_reported_or_refused)
{
    AT_BOTH_LEVELS(level)
    {
        duel *d = open_at_level(level, BIRD_OF_PREY, (sb_vec3){ 0, -20, 0 });
        for (unsigned i = 0; i < OFTEN; i++) {
            CHECK_EQ(d->reported[SB_IMPLAUSIBLE_BEHIND] > 0, i >= 2); /* the first may be lag */
            fire_bolt(d, i % 2, behind); /* at the rate at which the weapons charge */
            pass(d, 1300);
        }
        pass(d, 3000);
        if (level == SB_FIDELITY_ENFORCE) CHECK_EQ(d->hits, 0);
        else CHECK(d->hits >= 1);
        CHECK_EQ(counted(d, SB_IMPLAUSIBLE_BEHIND), OFTEN);
        close_duel(d, SB_IMPLAUSIBLE_BEHIND);
    }
}

/* Beams have no maximum range: from 300 units, where a quarter of the damage is left, they count at
 * both levels, and nobody is suspected. */
TEST(spec_10_6_2_beams_from_afar_are_neither_reported_nor_refused)
{
    AT_BOTH_LEVELS(level)
    {
        duel    *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 300, 0 });
        unsigned phasers = entry(d->cheat, SB_SUBSYSTEM_PHASER_SYSTEM);
        sb_time  now = sim_match_now(d->m);
        CHECK_EQ(sb_client_start_firing(d->cheat, now, phasers, d->victim_ship), SB_OK);
        pass(d, 3000);
        CHECK(d->hits > 0);
        for (unsigned i = 0; i < SB_IMPLAUSIBLE_COUNT; i++)
            CHECK_EQ(counted(d, (sb_implausible)i), 0);
        sim_match_destroy(d->m);
    }
}

TEST(spec_08_17_unknown_weapons_are_reported_or_refused)
{
    AT_BOTH_LEVELS(level)
    {
        duel *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 20, 0 });
        say_torpedo(d, d->cheat_ship + 1); /* the hull fires: accepted at no level */
        pass(d, 3000);
        CHECK_EQ(counted(d, SB_IMPLAUSIBLE_NOT_ITS_WEAPON), 1);
        CHECK_EQ(d->hits, 0);
        say_torpedo(d, d->victim_ship + 1 + 6); /* another player's tube: not relayed */
        pass(d, 3000);
        CHECK_EQ(sb_server_count(d->server, SB_SERVER_COUNT_FOREIGN_OBJECT), 1);
        CHECK_EQ(d->hits, 0);
        close_duel(d, SB_IMPLAUSIBLE_NOT_ITS_WEAPON);
    }
}

/* ---- collisions, §8 ---- */

static void collide(duel *d, uint32_t other, float force)
{
    CHECK_EQ(
        sb_client_collision(d->cheat, sim_match_now(d->m), other, (sb_vec3){ 0, -3, 0 }, force),
        SB_OK);
}

TEST(spec_10_8_too_hard_collisions_are_reported_and_capped)
{
    AT_BOTH_LEVELS(level)
    {
        duel        *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
        const float  speed = sb_client_own_ship(d->cheat)->ship.model->max_speed;
        const double max_force = 2 * 1.25 * (double)speed + 1;
        collide(d, 0, 1e9f);
        pass(d, 500);
        CHECK(fabs(d->damage - (max_force * 900 + 500)) < 1);
        CHECK_EQ(counted(d, SB_IMPLAUSIBLE_FORCE), 1);
        close_duel(d, SB_IMPLAUSIBLE_FORCE);
    }
}

TEST(spec_10_8_too_frequent_collisions_are_reported_and_ignored)
{
    AT_BOTH_LEVELS(level)
    {
        duel *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
        collide(d, 0, 10);
        pass(d, 100);
        double once = d->damage;
        for (unsigned i = 0; i < 3 * OFTEN; i++) collide(d, 0, 10);
        pass(d, 100);
        CHECK(once > 0 && d->damage == once);
        CHECK_EQ(counted(d, SB_IMPLAUSIBLE_COLLISION_RATE), 3 * OFTEN);
        CHECK_EQ(d->reported[SB_IMPLAUSIBLE_COLLISION_RATE], 1);
        close_duel(d, SB_IMPLAUSIBLE_COLLISION_RATE);
    }
}

TEST(spec_10_8_collisions_with_far_ships_are_reported_and_ignored)
{
    AT_BOTH_LEVELS(level)
    {
        duel *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
        collide(d, d->victim_ship, 500);
        pass(d, 500);
        CHECK(d->damage == 0 && d->hits == 0);
        CHECK_EQ(counted(d, SB_IMPLAUSIBLE_COLLISION_FAR), 1);
        close_duel(d, SB_IMPLAUSIBLE_COLLISION_FAR);
    }
}

/* ---- motion, §11.3 ---- */

static const sb_motion *seen_by_victim(const duel *d)
{
    const sb_seen_ship *seen = sb_client_find_ship(d->victim, d->cheat_ship);
    CHECK(seen != NULL);
    return &seen->ship.motion;
}

TEST(spec_10_11_3_impossible_speeds_are_reported_or_refused)
{
    AT_BOTH_LEVELS(level)
    {
        duel *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
        float fastest = 0;
        for (unsigned i = 0; i < 20; i++) {
            sb_vec3 at = { 0, 0.1f * (float)i, 0 };
            CHECK_EQ(sb_client_place(d->cheat, sim_match_now(d->m), at, ahead, above, 100), SB_OK);
            pass(d, 100);
            if (seen_by_victim(d)->speed > fastest) fastest = seen_by_victim(d)->speed;
        }
        if (level == SB_FIDELITY_ENFORCE) CHECK(fastest == 0);
        else CHECK(fastest > 90);
        CHECK(d->reported[SB_IMPLAUSIBLE_SPEED] >= 1 && d->reported[SB_IMPLAUSIBLE_SPEED] <= 3);
        close_duel(d, SB_IMPLAUSIBLE_SPEED);
    }
}

TEST(spec_10_11_3_impossible_jumps_are_reported_or_refused)
{
    AT_BOTH_LEVELS(level)
    {
        duel         *d = open_at_level(level, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
        const float   speed = sb_client_own_ship(d->cheat)->ship.model->max_speed;
        const sb_vec3 far = { 0, 0, 1000 };
        CHECK_EQ(sb_client_place(d->cheat, sim_match_now(d->m), far, ahead, above, 0), SB_OK);
        pass(d, 3000);
        if (level == SB_FIDELITY_ENFORCE) CHECK(seen_by_victim(d)->position.z < 4 * speed + 10);
        else CHECK(seen_by_victim(d)->position.z > 990);
        close_duel(d, SB_IMPLAUSIBLE_POSITION);
    }
}

/* After a jump, positions are accepted again once the ship could have got there, or when it goes
 * back. */
TEST(spec_10_15_at_level_3_a_ship_that_jumped_is_accepted_again)
{
    duel         *d = open_at_level(SB_FIDELITY_ENFORCE, SOVEREIGN, (sb_vec3){ 0, 200, 0 });
    const sb_vec3 far = { 0, 0, 100 }, near = { 2, 0, 0 };
    CHECK_EQ(sb_client_place(d->cheat, sim_match_now(d->m), far, ahead, above, 0), SB_OK);
    pass(d, 2000);
    CHECK(seen_by_victim(d)->position.z < 50);
    CHECK_EQ(sb_client_place(d->cheat, sim_match_now(d->m), near, ahead, above, 0), SB_OK);
    pass(d, 2000);
    CHECK(fabsf(seen_by_victim(d)->position.x - 2) < 0.5f);
    uint64_t before = counted(d, SB_IMPLAUSIBLE_POSITION);
    pass(d, 3000);
    CHECK_EQ(counted(d, SB_IMPLAUSIBLE_POSITION), before);
    close_duel(d, SB_IMPLAUSIBLE_POSITION);
}

/* ---- honest players ---- */

/* On a good link nothing is counted; on a lossy link nothing is reported. */
static void check_honest(const sim_match *m, uint64_t seed, sb_skill skill, bool bad_link)
{
    sb_server *server = sim_match_server((sim_match *)(uintptr_t)m);
    for (unsigned i = 0; !bad_link && i < SB_IMPLAUSIBLE_COUNT; i++)
        if (sb_server_implausible(server, (sb_implausible)i) != 0)
            FAIL("seed %llu, %s: %s was counted", (unsigned long long)seed, sb_skill_text(skill),
                 sb_implausible_name((sb_implausible)i));
    if (sim_match_told(m, SB_SERVER_SUSPICIOUS) != 0)
        FAIL("seed %llu, %s, %s link: an honest player is reported", (unsigned long long)seed,
             sb_skill_text(skill), bad_link ? "bad" : "good");
}

static void run_honest(uint64_t seed, sb_skill skill, bool bad_link)
{
    enum { BOTS = 4, SECONDS = 60 };
    sim_match_config config;
    sim_match_defaults(&config, seed);
    if (bad_link) sim_match_bad_link(&config.link);
    config.server = level_config(SB_FIDELITY_ENFORCE);
    config.server.trace_damage = false;
    sim_match *m = sim_match_create(&config);
    for (unsigned i = 0; i < BOTS; i++) {
        sb_pilot_config pilot;
        sb_pilot_defaults(&pilot);
        pilot.skill = (uint8_t)skill;
        pilot.arena = 30;
        sim_match_join(m, "Honest", &pilot, NULL);
    }
    sim_match_run(m, SECONDS * SB_SECOND);
    check_honest(m, seed, skill, bad_link);
    CHECK(sim_match_told(m, SB_SERVER_SPAWNED) >= BOTS);
    sim_match_destroy(m);
}

static void run_all_honest(bool bad_link)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (sb_skill skill = SB_SKILL_EASY; skill < SB_SKILL_COUNT; skill++)
            run_honest(seed, skill, bad_link);
}

TEST(honest_players_of_every_skill_are_never_suspected)
{
    run_all_honest(false);
}

TEST(honest_players_on_bad_links_are_never_suspected)
{
    run_all_honest(true);
}
