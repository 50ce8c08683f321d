/* tests/server/sim_test.c -- a room and headless players on a bad network (5 % loss, 80 +- 40 ms,
 * duplicates, reordering), for many seeds. The conditions hold for every seed, and one seed always
 * gives the same events.
 */
#include "sim/match.h"
#include "test.h"

#include <string.h>

enum { SEEDS = 100 };

static const sb_vec3 ahead = { 0, 1, 0 }, above = { 0, 0, 1 };

/* ---- a room with three players on bad links ---- */

typedef struct trio {
    sim_match *m;
    sb_server *server;
    uint64_t   seed;
} trio;

static trio open_trio(uint64_t seed, uint32_t max_players)
{
    sim_match_config config;
    sim_match_defaults(&config, seed);
    sim_match_bad_link(&config.link);
    config.server.max_players = max_players;
    trio t = { .m = sim_match_create(&config), .seed = seed };
    t.server = sim_match_server(t.m);
    return t;
}

static bool is_in_game(sb_client *client)
{
    sb_client_phase phase = sb_client_phase_of(client);
    return phase == SB_CLIENT_LOBBY || phase == SB_CLIENT_FLYING;
}

/* Joins, waits until the player is in the game, and returns its number. */
static unsigned join(trio *t, const char *name)
{
    unsigned number = sim_match_join(t->m, name, NULL, NULL);
    for (unsigned i = 0; i < 600; i++) {
        sim_match_run(t->m, SB_SECOND / 10);
        if (is_in_game(sim_match_client(t->m, number))) return number;
    }
    FAIL("seed %llu: %s did not get in", (unsigned long long)t->seed, name);
}

static uint32_t spawn(trio *t, unsigned number, float x)
{
    sb_client *client = sim_match_client(t->m, number);
    CHECK_EQ(sb_client_spawn(client, sim_match_now(t->m), 5, (sb_vec3){ x, 0, 0 }, ahead, above),
             SB_OK);
    return sb_client_own_ship(client)->ship.object_id;
}

static unsigned count_ships(const sb_client *client)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) count += sb_client_ship(client, i) != NULL;
    return count;
}

static void check_sound(const trio *t, unsigned in_game)
{
    sb_player_view view;
    uint32_t       slots = 0;
    for (unsigned i = 0; sb_server_player(t->server, i, sim_match_now(t->m), &view); i++) {
        CHECK(!(slots >> view.slot & 1));
        slots |= 1u << view.slot;
        if (view.ship) CHECK_EQ(sb_slot_of_id(view.ship->object_id), view.slot);
    }
    if (sb_server_player_count(t->server) != in_game)
        FAIL("seed %llu: %u in the game, not %u", (unsigned long long)t->seed,
             sb_server_player_count(t->server), in_game);
    CHECK(sim_match_scores_agree(t->m));
}

/* ---- the scenarios ---- */

typedef void scenario(uint64_t seed);

static void over_all_seeds(scenario *run)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) run(seed);
}

static void run_join(uint64_t seed)
{
    trio t = open_trio(seed, 8);
    for (unsigned i = 0; i < 3; i++) sim_match_join(t.m, "Joiner", NULL, NULL); /* all at once */
    sim_match_run(t.m, 45 * SB_SECOND);
    check_sound(&t, 3);
    for (unsigned i = 0; i < 3; i++) {
        const sb_client *client = sim_match_client(t.m, i);
        CHECK(sb_client_phase_of(client) == SB_CLIENT_LOBBY);
        CHECK_EQ(sb_client_received(client, 0x20), SB_CHECKSUM_ROUNDS);
        CHECK_EQ(sb_client_received(client, 0x00), 1); /* each message of the join exactly once */
        CHECK_EQ(sb_client_received(client, 0x35), 1);
    }
    CHECK_EQ(sim_match_told(t.m, SB_SERVER_LEFT), 0);
    sim_match_destroy(t.m);
}

TEST(join_over_100_seeds_with_loss)
{
    over_all_seeds(run_join);
}

static void run_late_join(uint64_t seed)
{
    trio     t = open_trio(seed, 8);
    unsigned a = join(&t, "Alpha"), b = join(&t, "Beta");
    uint32_t ships[] = { spawn(&t, a, 0), spawn(&t, b, 300) };
    sim_match_run(t.m, 10 * SB_SECOND);
    const sb_client *late = sim_match_client(t.m, join(&t, "Late"));
    sim_match_run(t.m, 10 * SB_SECOND);
    CHECK_EQ(count_ships(late), 2);
    for (unsigned i = 0; i < 2; i++) {
        const sb_seen_ship *seen = sb_client_find_ship(late, ships[i]);
        CHECK(seen != NULL);
        CHECK_EQ(seen->peer_id, sb_client_id(sim_match_client(t.m, i)));
        sb_vec3 at = sb_client_position(late, seen, sim_match_now(t.m));
        CHECK(at.x > (float)i * 300 - 1 && at.x < (float)i * 300 + 1);
    }
    CHECK_EQ(sb_client_received(late, 0x03), 2);
    check_sound(&t, 3);
    sim_match_destroy(t.m);
}

TEST(late_join_over_100_seeds_with_loss)
{
    over_all_seeds(run_late_join);
}

static void run_relay(uint64_t seed)
{
    enum { EVENTS = 40 };
    trio       t = open_trio(seed, 8);
    unsigned   a = join(&t, "Alpha"), b = join(&t, "Beta"), c = join(&t, "Gamma");
    sb_client *speaker = sim_match_client(t.m, a);
    spawn(&t, a, 0);
    for (unsigned i = 0; i < EVENTS; i++) {
        uint8_t event[17];
        CHECK_EQ(test_hex("08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40", event, 17), 17);
        CHECK_EQ(sb_client_send(speaker, sim_match_now(t.m), SB_RELIABLE, (sb_span){ event, 17 }),
                 SB_OK);
        if (i % 10 == 0)
            CHECK_EQ(sb_client_chat(speaker, sim_match_now(t.m), false,
                                    (sb_span){ (const uint8_t *)"hello", 5 }),
                     SB_OK);
        sim_match_run(t.m, SB_SECOND / 20);
    }
    sim_match_run(t.m, 20 * SB_SECOND);
    CHECK_EQ(sb_client_received(speaker, 0x08), 0);
    CHECK_EQ(sb_client_received(sim_match_client(t.m, b), 0x08), EVENTS);
    CHECK_EQ(sb_client_received(sim_match_client(t.m, c), 0x08), EVENTS);
    CHECK_EQ(sb_client_received(speaker, 0x2C), 4);
    CHECK_EQ(sb_client_received(sim_match_client(t.m, c), 0x2C), 4);
    CHECK_EQ(sb_server_count(t.server, SB_SERVER_COUNT_RELAY_RATE), 0);
    check_sound(&t, 3);
    sim_match_destroy(t.m);
}

TEST(relay_over_100_seeds_with_loss)
{
    over_all_seeds(run_relay);
}

/* How a player leaves: 0 with a Disconnect, 1 by timeout, 2 kicked. */
static void run_departure(uint64_t seed, unsigned how)
{
    static const char text[] = "enough";
    trio              t = open_trio(seed, 8);
    unsigned          a = join(&t, "Alpha"), b = join(&t, "Beta");
    uint32_t          ship = spawn(&t, a, 0);
    uint8_t           id = sb_client_id(sim_match_client(t.m, a));
    spawn(&t, b, 100);
    sim_match_run(t.m, 10 * SB_SECOND);
    const sb_client *other = sim_match_client(t.m, b);
    CHECK(sb_client_find_ship(other, ship) != NULL);
    if (how == 0) sb_client_leave(sim_match_client(t.m, a), sim_match_now(t.m));
    if (how == 1) sim_match_vanish(t.m, a);
    if (how == 2)
        CHECK(sb_server_kick(t.server, sim_match_now(t.m), id,
                             (sb_span){ (const uint8_t *)text, sizeof text - 1 }));
    sim_match_run(t.m, (how == 1 ? 70 : 20) * SB_SECOND);
    CHECK(sb_client_find_ship(other, ship) == NULL);
    CHECK(sb_client_find_player(other, id) == NULL);
    CHECK_EQ(count_ships(other), 1);
    CHECK_EQ(sb_client_received(other, 0x18), 1);
    CHECK_EQ(sim_match_told(t.m, SB_SERVER_LEFT), 1);
    if (how != 1) CHECK(sb_client_is_over(sim_match_client(t.m, a)));
    if (how == 2) CHECK_EQ(sb_client_received(sim_match_client(t.m, a), 0x2C), 1);
    check_sound(&t, 1);
    CHECK_EQ(count_ships(sim_match_client(t.m, join(&t, "Late"))), 1);
    sim_match_destroy(t.m);
}

static void run_leave(uint64_t seed)
{
    run_departure(seed, 0);
}

static void run_vanish(uint64_t seed)
{
    run_departure(seed, 1);
}

static void run_kick(uint64_t seed)
{
    run_departure(seed, 2);
}

TEST(leave_over_100_seeds_with_loss)
{
    over_all_seeds(run_leave);
}

TEST(vanish_over_100_seeds_with_loss)
{
    over_all_seeds(run_vanish);
}

TEST(kick_over_100_seeds_with_loss)
{
    over_all_seeds(run_kick);
}

static void run_full(uint64_t seed)
{
    trio     t = open_trio(seed, 2);
    unsigned a = join(&t, "Alpha"), b = join(&t, "Beta");
    unsigned third = sim_match_join(t.m, "Gamma", NULL, NULL);
    sim_match_run(t.m, 20 * SB_SECOND);
    CHECK(sb_client_is_over(sim_match_client(t.m, third)));
    CHECK(is_in_game(sim_match_client(t.m, a)) && is_in_game(sim_match_client(t.m, b)));
    check_sound(&t, 2);
    sb_client_leave(sim_match_client(t.m, a), sim_match_now(t.m));
    sim_match_run(t.m, 15 * SB_SECOND);
    (void)join(&t, "Delta");
    sim_match_run(t.m, 10 * SB_SECOND); /* until Beta has its scores, too */
    check_sound(&t, 2);
    sim_match_destroy(t.m);
}

TEST(full_server_over_100_seeds_with_loss)
{
    over_all_seeds(run_full);
}

static void run_restart(uint64_t seed)
{
    trio     t = open_trio(seed, 8);
    unsigned a = join(&t, "Alpha"), b = join(&t, "Beta");
    spawn(&t, a, 0);
    spawn(&t, b, 100);
    sim_match_run(t.m, 5 * SB_SECOND);
    CHECK_EQ(sb_client_self_destruct(sim_match_client(t.m, a), sim_match_now(t.m)), SB_OK);
    unsigned late = sim_match_join(t.m, "Late", NULL, NULL); /* in the middle of the join */
    sim_match_run(t.m, (sb_time)(seed % 10) * SB_SECOND / 4);
    sb_server_restart_match(t.server, sim_match_now(t.m));
    sim_match_run(t.m, 40 * SB_SECOND);
    for (unsigned i = a; i <= b; i++) {
        const sb_client *client = sim_match_client(t.m, i);
        CHECK_EQ(sb_client_received(client, 0x39), 1);
        CHECK_EQ(count_ships(client), 0);
        CHECK_EQ(sb_client_find_player(client, sb_client_id(client))->deaths, 0);
    }
    CHECK(is_in_game(sim_match_client(t.m, late)));
    uint32_t ship = spawn(&t, late, 50);
    sim_match_run(t.m, 10 * SB_SECOND);
    CHECK(sb_client_find_ship(sim_match_client(t.m, a), ship) != NULL);
    check_sound(&t, 3);
    sim_match_destroy(t.m);
}

TEST(restart_over_100_seeds_with_loss)
{
    over_all_seeds(run_restart);
}

/* ---- misbehaving players ---- */

/* Eight players at 100 ms. For 20 seconds one player sends as many copies of a message as the
 * transport takes; a second player chats, and a third one measures the delay of the chat. */
static void run_flood(sb_span message, sb_server_counter counter)
{
    sim_match_config config;
    sim_match_defaults(&config, 3);
    config.link.delay_us = 100000;
    trio t = { .m = sim_match_create(&config), .seed = 3 };
    t.server = sim_match_server(t.m);
    for (unsigned i = 0; i < 8; i++) (void)join(&t, "Player");
    spawn(&t, 0, 0);
    sim_match_run(t.m, SB_SECOND);
    sb_client       *flood = sim_match_client(t.m, 0), *speaker = sim_match_client(t.m, 1);
    const sb_client *hearer = sim_match_client(t.m, 7);
    uint64_t         sent = 0;
    for (unsigned step = 0; step < 200; step++) {
        sb_time now = sim_match_now(t.m);
        for (unsigned i = 0; i < 1000; i++)
            sent += sb_client_send(flood, now, SB_RELIABLE, message) == SB_OK;
        uint64_t heard = sb_client_received(hearer, 0x2C);
        sb_span  hello = { (const uint8_t *)"hello", 5 };
        if (step % 20 == 0) CHECK_EQ(sb_client_chat(speaker, now, false, hello), SB_OK);
        sim_match_run(t.m, step % 20 == 0 ? 220000
                                          : 100000); /* 200 ms for both hops, and 20 ms margin */
        CHECK_EQ(sb_client_received(hearer, 0x2C), heard + (step % 20 == 0));
    }
    CHECK(sent > 1000);
    for (unsigned i = 1; i < 8; i++) CHECK(is_in_game(sim_match_client(t.m, i)));
    CHECK(sb_server_count(t.server, counter) > 100);
    sim_match_destroy(t.m);
}

TEST(a_flood_of_events_neither_removes_nor_delays_anybody_else)
{
    uint8_t event[17];
    CHECK_EQ(test_hex("08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40", event, 17), 17);
    run_flood((sb_span){ event, sizeof event }, SB_SERVER_COUNT_RELAY_RATE);
}

TEST(a_flood_of_large_mod_messages_affects_no_one_else)
{
    static const uint8_t large[1024] = { 0xCD };
    run_flood((sb_span){ large, sizeof large }, SB_SERVER_COUNT_RELAY_RATE);
}

TEST(only_the_player_who_never_acknowledges_is_affected)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        sim_conditions down = { .down = true };
        trio           t = open_trio(seed, 8);
        unsigned       a = join(&t, "Deaf"), b = join(&t, "Beta"), c = join(&t, "Gamma");
        spawn(&t, a, 0);
        uint32_t ship = spawn(&t, b, 100);
        sim_match_run(t.m, 5 * SB_SECOND);
        sim_network_set_link(sim_match_network(t.m), sim_match_address().address,
                             sim_match_client_address(a).address, &down);
        for (unsigned i = 0; i < 70 && sb_server_player_count(t.server) == 3; i++) {
            CHECK_EQ(sb_client_chat(sim_match_client(t.m, b), sim_match_now(t.m), false,
                                    (sb_span){ (const uint8_t *)"x", 1 }),
                     SB_OK);
            sim_match_run(t.m, SB_SECOND);
        }
        check_sound(&t, 2);
        uint64_t heard = sb_client_received(sim_match_client(t.m, b), 0x2C);
        sim_match_run(t.m, 10 * SB_SECOND);
        CHECK_EQ(sb_client_received(sim_match_client(t.m, c), 0x2C),
                 sb_client_received(sim_match_client(t.m, b), 0x2C));
        CHECK(heard > 0);
        CHECK(sb_client_find_ship(sim_match_client(t.m, c), ship) != NULL);
        CHECK_EQ(count_ships(sim_match_client(t.m, c)), 1);
        sim_match_destroy(t.m);
    }
}

/* ---- one seed, one match ---- */

static uint64_t play_whole_match(uint64_t seed, uint64_t *blows)
{
    sim_match_config config;
    sim_match_defaults(&config, seed);
    sim_match_bad_link(&config.link);
    config.server.trace_damage = true; /* the log has every event of combat */
    sim_match *m = sim_match_create(&config);
    for (unsigned i = 0; i < 8; i++) {
        sb_pilot_config pilot;
        char            name[] = "Bot 0";
        sb_pilot_defaults(&pilot);
        pilot.skill = (uint8_t)(i % SB_SKILL_COUNT);
        pilot.talkative = true;
        name[4] = (char)('1' + i);
        sim_match_join(m, name, &pilot, NULL);
    }
    sim_match_run(m, 60 * SB_SECOND);
    uint64_t hash = sim_match_log_hash(m);
    CHECK_EQ(sim_match_told(m, SB_SERVER_JOINED), 8);
    CHECK_EQ(sim_match_told(m, SB_SERVER_LEFT), 0);
    CHECK(sim_match_told(m, SB_SERVER_SPAWNED) >= 8);
    CHECK_EQ(sb_server_count(sim_match_server(m), SB_SERVER_COUNT_RELAY_RATE), 0);
    *blows = sim_match_told(m, SB_SERVER_COMBAT);
    sim_match_destroy(m);
    return hash;
}

TEST(a_match_of_eight_replays_from_its_seed_to_the_same_log)
{
    uint64_t blows[3];
    uint64_t first = play_whole_match(42, &blows[0]);
    uint64_t other = play_whole_match(43, &blows[1]);
    CHECK(first == play_whole_match(42, &blows[2]));
    CHECK(first != other);
    CHECK(blows[0] > 100); /* enough fighting to prove something */
    CHECK_EQ(blows[0], blows[2]);
}

/* ---- full updates on lossy links (spec 03 §17) ---- */

static void count_positions(void *context, const sb_client_event *e)
{
    unsigned *count = context;
    if (e->type == SB_CLIENT_MESSAGE && e->bytes.size > 9 &&
        e->bytes.data[0] == SB_OP_STATE_UPDATE && e->bytes.data[9] & SB_STATE_POS)
        (*count)++;
}

TEST(a_player_on_a_lossy_link_gets_full_updates_more_often)
{
    sim_match_config config;
    sim_match_defaults(&config, 7);
    sim_match       *m = sim_match_create(&config);
    sb_pilot_config  pilot;
    sb_client_config watcher[2];
    unsigned         positions[2] = { 0 };
    sb_pilot_defaults(&pilot);
    pilot.talkative = true; /* a link counts as lossy when a reliable message is lost */
    for (unsigned i = 0; i < 3; i++) sim_match_join(m, "Pilot", &pilot, NULL);
    for (unsigned i = 0; i < 2; i++) {
        sb_client_defaults(&watcher[i]);
        watcher[i].on_event = count_positions;
        watcher[i].event_context = &positions[i];
        sim_match_join(m, "Watcher", NULL, &watcher[i]);
    }
    sim_conditions bad = { .loss = 100000 };
    sim_network_set_link(sim_match_network(m), sim_match_address().address,
                         sim_match_client_address(4).address, &bad);
    sim_match_run(m, 120 * SB_SECOND);
    CHECK(positions[0] > 200);
    CHECK(positions[1] > 2 * positions[0]); /* although a tenth of them is lost */
    sim_match_destroy(m);
}
