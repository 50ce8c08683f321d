/* tests/server/attack_test.c -- a room of eight players while an off-path attacker forges 10,000
 * datagrams in a minute under the address of one of them: what the others see, with and without.
 */
#include "sim/attacker_game.h"
#include "sim/match.h"

#include "base/bytes.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum {
    SEEDS = 3,
    PLAYERS = 8,
    VICTIM = 0,
    SECONDS = 60,
    FORGED = 10000,
    CHAT_EVERY_S = 10, /* late lines come together, and chat has a rate limit */
    EVENTS_PER_S = 2,
};

static const sb_vec3 ahead = { 0, 1, 0 }, above = { 0, 0, 1 };

/* What one player sees of the victim. */
enum { FORGED_LINES_MAX = 8 };

typedef struct watcher {
    unsigned lines[SECONDS]; /* chat of the victim, by its number */
    unsigned forged_lines;
    unsigned events;     /* StopFiring of the victim's ship */
    uint32_t ship;       /* its id */
    uint64_t departures; /* bits of peer ids; an id of nobody is the attacker's */
} watcher;

typedef struct attack {
    sim_match   *m;
    sb_server   *server;
    sim_attacker attacker;
    bool         attacked;
    watcher      watchers[PLAYERS];
    uint64_t     players, left; /* bits of peer ids: the eight, and those that the server removed */
    uint64_t     reached;
    unsigned     seen_right, seen; /* positions of the victim, as others see it */
} attack;

static void watch(void *context, const sb_client_event *e)
{
    watcher *w = context;
    if (e->type == SB_CLIENT_PLAYER_LEFT || e->type == SB_CLIENT_LEFT)
        w->departures |= (uint64_t)1 << (e->peer_id & 63);
    if (e->type == SB_CLIENT_MESSAGE && e->bytes.size == 17 && e->bytes.data[0] == 0x08)
        w->events += w->ship != 0 && sb_load_u32(e->bytes.data + 13) == w->ship;
    if (e->type != SB_CLIENT_CHAT) return;
    if (e->text.size == 6 && memcmp(e->text.data, SIM_FORGED_CHAT, 6) == 0) w->forged_lines++;
    if (e->text.size == 2) w->lines[(e->text.data[0] - '0') * 10 + e->text.data[1] - '0']++;
}

static void record_left(void *context, const sb_server_event *e)
{
    attack *a = context;
    if (e->type == SB_SERVER_LEFT) a->left |= (uint64_t)1 << (e->peer_id & 63);
}

/* ---- the room ---- */

static void join_all(attack *a)
{
    for (unsigned i = 0; i < PLAYERS; i++) {
        sb_client_config config;
        sb_client_defaults(&config);
        config.on_event = watch;
        config.event_context = &a->watchers[i];
        sim_match_join(a->m, i == VICTIM ? "Victim" : "Watcher", NULL, &config);
    }
    sim_match_run(a->m, 15 * SB_SECOND);
    CHECK_EQ(sb_server_player_count(a->server), PLAYERS);
    CHECK_EQ(sb_client_spawn(sim_match_client(a->m, VICTIM), sim_match_now(a->m), 5,
                             (sb_vec3){ 900, 0, 0 }, ahead, above),
             SB_OK);
    sim_match_run(a->m, SB_SECOND);
    uint32_t ship = sb_client_own_ship(sim_match_client(a->m, VICTIM))->ship.object_id;
    for (unsigned i = 0; i < PLAYERS; i++) a->watchers[i].ship = ship;
    for (unsigned i = 0; i < PLAYERS; i++)
        a->players |= (uint64_t)1 << sb_client_id(sim_match_client(a->m, i));
}

static attack *open_room(uint64_t seed, bool attacked)
{
    static attack    a;
    sim_match_config config;
    sim_match_defaults(&config, seed);
    config.link = (sim_conditions){ .delay_us = 30000, .jitter_us = 10000 };
    config.on_event = record_left;
    config.event_context = &a;
    a = (attack){ .attacked = attacked };
    a.m = sim_match_create(&config);
    a.server = sim_match_server(a.m);
    sim_attacker_init(&a.attacker, seed, sim_match_address());
    a.attacker.payload = sim_forge_game_message;
    join_all(&a);
    return &a;
}

/* ---- one second ---- */

static void forge(attack *a, sb_time at)
{
    sim_forged  forged;
    sb_endpoint victim = sim_match_client_address(VICTIM);
    uint32_t    kinds = SIM_FORGE_HOST_BOOT; /* all that go to the host come before it */
    sim_forgery kind = (sim_forgery)sb_random_below(&a->attacker.random, kinds);
    sim_attacker_forge(&a->attacker, kind, &victim, 1, &forged);
    sim_network_inject(sim_match_network(a->m), at, forged.from, forged.to,
                       (sb_span){ forged.bytes, forged.size });
    a->reached++;
}

static void act(attack *a, unsigned second)
{
    sb_client *victim = sim_match_client(a->m, VICTIM);
    sb_time    now = sim_match_now(a->m);
    uint8_t    line[2] = { (uint8_t)('0' + second / 10), (uint8_t)('0' + second % 10) };
    uint8_t    event[17];
    CHECK_EQ(test_hex("08 01 01 00 00 DA 00 80 00 00 00 00 00 00 00 00 00", event, 17), 17);
    sb_store_u32(event + 13, a->watchers[VICTIM].ship);
    for (unsigned i = 0; i < EVENTS_PER_S; i++)
        CHECK_EQ(sb_client_send(victim, now, SB_RELIABLE, (sb_span){ event, 17 }), SB_OK);
    if (second % CHAT_EVERY_S == 0)
        CHECK_EQ(sb_client_chat(victim, now, false, (sb_span){ line, 2 }), SB_OK);
}

/* Whether the others see the victim where it is. It flies at 5 units a second, 40 ms away. */
static void look(attack *a)
{
    sb_time             now = sim_match_now(a->m);
    const sb_client    *victim = sim_match_client(a->m, VICTIM);
    const sb_seen_ship *own = sb_client_own_ship(victim);
    if (!own) return;
    sb_vec3 truth = sb_client_position(victim, own, now);
    for (unsigned i = 1; i < PLAYERS; i++) {
        const sb_client    *other = sim_match_client(a->m, i);
        const sb_seen_ship *ship = sb_client_find_ship(other, own->ship.object_id);
        sb_vec3 at = ship ? sb_client_position(other, ship, now) : (sb_vec3){ 1e9f, 0, 0 };
        a->seen_right += hypotf(hypotf(at.x - truth.x, at.y - truth.y), at.z - truth.z) < 3;
        a->seen++;
    }
}

static void run_minute(attack *a)
{
    for (unsigned second = 0; second < SECONDS; second++) {
        act(a, second);
        for (unsigned i = 0; a->attacked && i < FORGED / SECONDS + 1; i++)
            forge(a, sim_match_now(a->m) + (sb_time)i * SB_SECOND / (FORGED / SECONDS + 1));
        sim_match_run(a->m, SB_SECOND);
        look(a);
    }
    sim_match_run(a->m, 90 * SB_SECOND); /* retransmissions have 5 s between them (spec 01 §6.5) */
}

/* ---- what must be true ---- */

static const char *name_of(const attack *a, sb_endpoint address)
{
    static sb_player_view view;
    for (unsigned i = 0; sb_server_player(a->server, i, sim_match_now(a->m), &view); i++)
        if (view.address.address == address.address && view.address.port == address.port)
            return view.name;
    return "";
}

static void check_nobody_departed(const attack *a)
{
    CHECK_EQ(a->left & a->players, 0);
    for (unsigned i = 0; i < PLAYERS; i++) {
        CHECK_EQ(a->watchers[i].departures & a->players, 0);
        /* Guesses that hit before there is any evidence (docs/security.md). */
        CHECK(a->watchers[i].forged_lines <= FORGED_LINES_MAX);
        CHECK(sb_client_phase_of(sim_match_client(a->m, i)) >= SB_CLIENT_LOBBY);
        CHECK(!sb_client_is_over(sim_match_client(a->m, i)));
    }
    CHECK(strcmp(name_of(a, sim_match_client_address(VICTIM)), "Victim") == 0);
}

static void check_messages_arrived_once(const attack *a)
{
    for (unsigned i = 1; i < PLAYERS; i++) {
        for (unsigned k = 0; k < SECONDS; k++)
            CHECK_EQ(a->watchers[i].lines[k], k % CHAT_EVERY_S == 0);
        CHECK_EQ(a->watchers[i].events, SECONDS * EVENTS_PER_S);
    }
}

static void run_seed(uint64_t seed)
{
    attack  *calm = open_room(seed, false);
    uint64_t before = sb_server_count(calm->server, SB_SERVER_COUNT_STATE_IN);
    run_minute(calm);
    uint64_t updates = sb_server_count(calm->server, SB_SERVER_COUNT_STATE_IN) - before;
    CHECK_EQ(calm->seen_right, calm->seen);
    sim_match_destroy(calm->m);

    attack *a = open_room(seed, true);
    before = sb_server_count(a->server, SB_SERVER_COUNT_STATE_IN);
    run_minute(a);
    CHECK(a->reached >= FORGED);
    check_nobody_departed(a);
    check_messages_arrived_once(a);
    CHECK((sb_server_count(a->server, SB_SERVER_COUNT_STATE_IN) - before) * 100 >= updates * 98);
    CHECK(a->seen_right * 100 >= a->seen * 98);
    sim_match_destroy(a->m);
}

TEST(ten_thousand_forged_datagrams_change_nothing_for_a_player)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) run_seed(seed);
}
