/* tests/transport/host_flood_test.c -- newcomers get in while strangers forge Connects and joins.
 *
 * For:      src/transport/host_connect.c, host_seats.c, newcomers.c.
 * Spec:     01 §5.3, §5.4, §10.6.
 *
 * A host, seven honest clients that ask at 0, 1 and 3 s, a player who is in the room already, and
 * forged datagrams at any rate, in virtual time.
 */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

enum { HONEST = 8, FLIGHTS = 4096 }; /* client 0 is in the room before the flood begins */

typedef struct flight {
    sb_time     at;
    sb_endpoint from, to;
    size_t      size;
    uint8_t     bytes[SB_DATAGRAM_MAX];
} flight;

typedef struct honest {
    sb_transport_client *client;
    void                *memory;
    sb_time              starts_at;
    sb_time              seated_at; /* the host said JOINED; 0: not yet */
    bool                 left;
} honest;

typedef struct arena {
    sb_transport_host *host;
    void              *memory;
    sb_time            now, delay; /* delay: half a round trip */
    honest             clients[HONEST];
    sb_random          random;
    flight            *flights;
    size_t             flight_count;
    uint64_t           strangers_in, strangers_out; /* bytes */
    unsigned           rate;                        /* forged Connects or joins a second */
    bool               joins; /* each forged Connect is followed by what a client would answer */
    unsigned           blind_max; /* most seats that forged joins held at one time */
} arena;

static sb_endpoint home_of(unsigned client)
{
    return (sb_endpoint){ 0x0A000001u + (client << 8), 5000 };
}

static bool is_home(sb_endpoint a, unsigned *client)
{
    *client = (a.address - 0x0A000001u) >> 8;
    return a.port == 5000 && *client < HONEST && rig_same_endpoint(home_of(*client), a);
}

static void send(arena *a, sb_endpoint from, sb_endpoint to, const uint8_t *bytes, size_t size)
{
    CHECK(a->flight_count < FLIGHTS);
    flight *f = &a->flights[a->flight_count++];
    *f = (flight){ .at = a->now + a->delay, .from = from, .to = to, .size = size };
    memcpy(f->bytes, bytes, size);
}

static void drain_host(arena *a)
{
    sb_transport_event e;
    unsigned           client;
    while (sb_transport_host_next_event(a->host, a->now, &e)) {
        if (!is_home(e.address, &client)) continue;
        if (e.type == SB_EVENT_JOINED) a->clients[client].seated_at = a->now;
        if (e.type == SB_EVENT_LEFT) a->clients[client].left = true;
    }
}

static void give_host(arena *a, sb_endpoint from, const uint8_t *bytes, size_t size)
{
    (void)!sb_transport_host_receive(a->host, a->now, from, (sb_span){ bytes, size });
    drain_host(a);
}

/* A forged datagram: it arrives at once, and its sender never hears of an answer. */
static void forge(arena *a, sb_endpoint from, const char *plain, uint8_t id)
{
    uint8_t bytes[SB_DATAGRAM_ACCEPTED];
    size_t  size = test_hex(plain, bytes, sizeof bytes);
    bytes[0] = id;
    sb_encrypt_datagram(bytes, size);
    a->strangers_in += size;
    give_host(a, from, bytes, size);
}

/* Answers like a client, under the right id: nobody guesses better than that. */
static void forge_answers(arena *a, sb_endpoint from, uint8_t id)
{
    forge(a, from, "02 02 01 00 00 02 01 00 00 00", id); /* Ack(low 0), Ack(data 0) */
    forge(a, from, "02 04 01 00 00 00 01 00 F0 00 01 00 E0 00 01 00 D8 00", id); /* guesses */
    forge(a, from, "02 01 02", id);
}

static void write_host(arena *a)
{
    sb_endpoint to;
    uint8_t     out[SB_DATAGRAM_MAX];
    unsigned    client;
    for (size_t size; (size = sb_transport_host_write(a->host, a->now, &to, out)) > 0;) {
        if (is_home(to, &client)) {
            send(a, rig_server(), to, out, size);
            continue;
        }
        a->strangers_out += size;
        sb_decrypt_datagram(out, size);
        if (a->joins && size == 12) forge_answers(a, to, out[11]);
    }
}

static void forge_one(arena *a)
{
    uint32_t    where = (uint32_t)sb_random_next(&a->random) | 0x40000000u;
    sb_endpoint from = { where, (uint16_t)(1024 + sb_random_below(&a->random, 60000)) };
    forge(a, from, RIG_CONNECT, SB_PEER_NONE);
}

static void step_client(arena *a, unsigned i)
{
    honest                    *c = &a->clients[i];
    sb_transport_client_config config;
    sb_transport_event         event;
    uint8_t                    out[SB_DATAGRAM_MAX];
    if (a->now < c->starts_at) return;
    if (!c->client) {
        rig_client_config(&config);
        c->memory = malloc(sb_transport_client_bytes(&config));
        c->client = sb_transport_client_init(c->memory, &config, a->now);
    }
    while (sb_transport_client_next_event(c->client, a->now, &event))
        if (event.type == SB_EVENT_LEFT && event.peer_id == sb_transport_client_id(c->client))
            c->left = true;
    for (size_t size; (size = sb_transport_client_write(c->client, a->now, out)) > 0;)
        send(a, home_of(i), rig_server(), out, size);
}

static void deliver(arena *a)
{
    for (size_t i = 0; i < a->flight_count;) {
        flight   f = a->flights[i];
        unsigned client;
        if (f.at > a->now) {
            i++;
            continue;
        }
        memmove(&a->flights[i], &a->flights[i + 1], (--a->flight_count - i) * sizeof f);
        if (!is_home(f.to, &client)) give_host(a, f.from, f.bytes, f.size);
        else
            (void)!sb_transport_client_receive(a->clients[client].client, a->now, f.from,
                                               (sb_span){ f.bytes, f.size });
        if (is_home(f.to, &client)) step_client(a, client);
    }
}

/* Seats of peers that are no honest client. */
static unsigned count_blind(const arena *a)
{
    sb_peer_info info;
    unsigned     blind = 0, client;
    for (unsigned id = 2; id < 128; id++)
        blind +=
            sb_transport_host_peer(a->host, (uint8_t)id, &info) && !is_home(info.address, &client);
    return blind;
}

static void run(arena *a, sb_time duration)
{
    for (sb_time end = a->now + duration; a->now < end;) {
        a->now += RIG_MILLISECOND;
        uint64_t due = (uint64_t)(a->now / RIG_MILLISECOND) * a->rate / 1000;
        uint64_t done = (uint64_t)(a->now / RIG_MILLISECOND - 1) * a->rate / 1000;
        deliver(a);
        for (; done < due; done++) {
            forge_one(a);
            write_host(a);
        }
        for (unsigned i = 0; i < HONEST; i++) step_client(a, i);
        drain_host(a);
        write_host(a);
        unsigned blind = count_blind(a);
        if (blind > a->blind_max) a->blind_max = blind;
    }
    sb_transport_host_check(a->host);
}

static arena *open_arena(sb_time round_trip, uint64_t seed)
{
    static arena             a;
    sb_transport_host_config config;
    for (unsigned i = 0; i < HONEST; i++) free(a.clients[i].memory);
    free(a.memory);
    free(a.flights);
    a = (arena){ .now = RIG_START, .delay = round_trip / 2 };
    sb_random_init(&a.random, seed);
    rig_host_config(&config);
    config.seed = seed * 0x9E3779B97F4A7C15u;
    config.max_peers = HONEST;
    a.memory = malloc(sb_transport_host_bytes(&config));
    a.host = sb_transport_host_init(a.memory, &config, a.now);
    a.flights = malloc(FLIGHTS * sizeof *a.flights);
    for (unsigned i = 0; i < HONEST; i++) a.clients[i].starts_at = i ? SB_TIME_NEVER : a.now;
    run(&a, SB_SECOND);
    CHECK(a.clients[0].seated_at > 0);
    return &a;
}

/* Seven clients come `apart` from each other in the middle of the flood; all have a seat within
 * `limit` and keep it. */
static void expect_all_get_in(arena *a, sb_time apart, sb_time limit)
{
    run(a, 3 * SB_SECOND);
    for (unsigned i = 1; i < HONEST; i++) a->clients[i].starts_at = a->now + i * apart;
    run(a, 12 * SB_SECOND);
    for (unsigned i = 0; i < HONEST; i++) {
        const honest *c = &a->clients[i];
        sb_time       took = c->seated_at - c->starts_at;
        if (c->seated_at == 0 || took > limit || c->left)
            FAIL("client %u: %d ms%s, round trip %d ms, %u a second", i, (int)(took / 1000),
                 c->left ? ", removed" : "", (int)(2 * a->delay / 1000), a->rate);
    }
}

static const sb_time round_trips[] = { 1000, 20000, 100000, 300000 };

TEST(seven_newcomers_get_in_under_1000_forged_connects_a_second)
{
    for (size_t i = 0; i < sizeof round_trips / sizeof *round_trips; i++)
        for (sb_time apart = 0; apart < 100000; apart += 33000) {
            arena *a = open_arena(round_trips[i], 1 + i);
            a->rate = 1000;
            expect_all_get_in(a, apart, 3 * SB_SECOND);
            CHECK(a->strangers_out <= a->strangers_in);
            CHECK_EQ(a->blind_max, 0);
        }
}

TEST(seven_newcomers_get_in_under_10000_forged_connects_a_second)
{
    for (size_t i = 0; i < sizeof round_trips / sizeof *round_trips; i++) {
        arena *a = open_arena(round_trips[i], 1 + i);
        a->rate = 10000;
        expect_all_get_in(a, 0, 6 * SB_SECOND);
        CHECK(a->strangers_out <= a->strangers_in);
    }
}

/* The player of the room hears every message of the host, in time. */
TEST(a_player_in_the_room_notices_nothing_of_the_flood)
{
    arena       *a = open_arena(20000, 7);
    sb_peer_info info;
    uint8_t      id = sb_transport_client_id(a->clients[0].client);
    a->rate = 10000;
    for (unsigned i = 0; i < 50; i++) {
        CHECK_EQ(sb_transport_host_send(a->host, id, SB_RELIABLE, rig_pattern(30, i)), SB_OK);
        run(a, 50 * RIG_MILLISECOND);
        CHECK(sb_transport_host_peer(a->host, id, &info));
        CHECK_EQ(info.unacknowledged, 0);
    }
    CHECK_EQ(info.retransmitted, 0);
    CHECK(!a->clients[0].left);
}

TEST(seven_newcomers_get_in_under_100_blind_joins_a_second)
{
    for (size_t i = 0; i < sizeof round_trips / sizeof *round_trips; i++) {
        arena *a = open_arena(round_trips[i], 1 + i);
        a->rate = 100;
        a->joins = true;
        expect_all_get_in(a, 40 * RIG_MILLISECOND, 6 * SB_SECOND);
        CHECK_EQ(a->blind_max, HONEST / 2);
        CHECK_EQ(count_blind(a), 0); /* eight honest players need all seats */
        CHECK(a->strangers_out <= 4 * a->strangers_in);
    }
}

TEST(blind_joins_never_hold_more_than_half_of_an_empty_room)
{
    arena *a = open_arena(20000, 3);
    a->rate = 1000;
    a->joins = true;
    run(a, 20 * SB_SECOND);
    CHECK_EQ(a->blind_max, HONEST / 2);
    CHECK_EQ(sb_transport_host_counter(a->host, SB_TRANSPORT_COUNT_PROVEN), 1); /* client 0 */
    CHECK(!a->clients[0].left);
}
