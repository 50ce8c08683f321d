/* bench/room_bench.c -- the cost of 0.1 s of a fight for a host: three combat steps and all
 * StateUpdates; in a whole room also the datagrams in both directions.
 *
 *     fight_N   N ships that fire beams, torpedoes and bolts at their neighbours and are hit: three
 *               combat steps, then the lanes with N x N deliveries
 *     combat_N  the three combat steps alone
 *     room_N    a room with N players who fire at each other, with datagrams: N positions and some
 *               orders received, N x N StateUpdates built, queued, packed and encrypted
 *     flight_8  a second of eight players who fly and send at random phases, in virtual time;
 *               flight_8_stock_clock: all ships on one tick
 *     slice_8   a room with eight players measured for metrics, at most once a second; turn_time:
 * what every turn of a loop adds to its histogram seal_N    the floor of room_N: encryption of the
 * datagrams of one tick
 */
#include "bench.h"

#include <starbase/cipher.h>
#include <starbase/message.h>
#include <starbase/server.h>

#include "base/bytes.h"
#include "run/room_slice.h"

#include <stdlib.h>
#include <string.h>

enum { SHIPS_MAX = 64, STEPS = 3, ROOM_SHIPS_MAX = 16 };

static const uint8_t classes[] = { 1, 3, 5, 6, 7, 8, 12, 13 };

static void must(bool condition)
{
    if (!condition) __builtin_trap();
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    must(memory != NULL);
    return memory;
}

/* ---- ships in rows of eight, each facing the next ---- */

static sb_vec3 position_of(unsigned i, unsigned ships)
{
    float across = (float)(i % 8) * 9.0f, along = (float)(i / 8) * 9.0f;
    return (sb_vec3){ across, along, (float)(i % 3) * 0.5f * (ships > 1) };
}

static void init_ship(sb_ship *ship, unsigned i, unsigned ships, uint32_t object_id)
{
    uint8_t species = classes[i % sizeof classes];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), species), species, object_id);
    ship->motion.position = position_of(i, ships);
    sb_motion_set_axes(&ship->motion, (sb_vec3){ i % 8 == 7 ? -1.0f : 1.0f, 0, 0 },
                       (sb_vec3){ 0, 0, 1 });
}

/* Restores a ship, so that no ship dies and damage never ends. */
static void heal(sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    for (unsigned i = 0; i < model->subsystem_count; i++)
        ship->condition[i] = model->subsystems[i].max_condition;
    for (unsigned i = 0; i < model->child_count; i++)
        ship->child_condition[i] = model->children[i].max_condition;
    for (unsigned i = 0; i < SB_FACINGS; i++) ship->facing[i] = model->shield_max[i];
    ship->main_battery = model->main_battery;
    ship->backup_battery = model->backup_battery;
}

static void open_fire(sb_combat *combat, const sb_ship *ship, uint32_t target)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == SB_SUBSYSTEM_PHASER_SYSTEM)
            sb_combat_start_firing(combat, ship->object_id,
                                   sb_combat_subsystem_id(combat, ship->object_id, i, -1), target,
                                   (sb_cv4b){ 0 });
}

/* Fires one tube or cannon of each torpedo and pulse system. */
static void shoot(sb_combat *combat, const sb_ship *ship, uint32_t target, unsigned tick)
{
    sb_cv3 ahead = { .x = 127 };
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) {
        const sb_subsystem_class *s = &ship->model->subsystems[i];
        if (s->child_count == 0) continue;
        unsigned child = tick % s->child_count;
        uint32_t id = sb_combat_subsystem_id(combat, ship->object_id, i, (int)child);
        if (s->type == SB_SUBSYSTEM_TORPEDO_SYSTEM)
            sb_combat_torpedo(combat, ship->object_id, id, 2, ahead, target, (sb_cv4b){ 0 });
        if (s->type == SB_SUBSYSTEM_PULSE_SYSTEM)
            sb_combat_pulse(combat, ship->object_id, id, 8, ahead, target);
    }
}

/* ---- combat and lanes ---- */

typedef struct fight {
    sb_combat  *combat; /* NULL: not made yet */
    sb_replica *replica;
    unsigned    ships, tick;
    sb_time     now;
    sb_ship     ship[SHIPS_MAX];
} fight;

static void make_fight(fight *f, unsigned ships)
{
    sb_combat_config  combat;
    sb_replica_config replica = { .max_ships = ships };
    sb_combat_defaults(&combat);
    combat.max_ships = ships;
    sb_lane_options_default(&replica.lanes);
    f->ships = ships;
    f->now = 10 * SB_SECOND;
    f->combat = sb_combat_init(allocate(sb_combat_bytes(&combat)), &combat, f->now);
    f->replica = sb_replica_init(allocate(sb_replica_bytes(&replica)), &replica);
    for (unsigned i = 0; i < ships; i++) {
        init_ship(&f->ship[i], i, ships, sb_slot_first_id(i % SB_SLOTS) + 64 * (i / SB_SLOTS));
        sb_replica_add_peer(f->replica, i);
        must(sb_combat_add_ship(f->combat, &f->ship[i], (uint8_t)(2 + i), 1, f->now) == SB_OK);
        must(sb_replica_add_ship(f->replica, &f->ship[i], i, f->now) == SB_OK);
    }
}

static void step_fight(fight *f)
{
    for (unsigned i = 0; i < f->ships; i++) {
        sb_ship *ship = &f->ship[i];
        uint32_t target = f->ship[i % 8 == 7 ? i - 1 : (i + 1) % f->ships].object_id;
        sb_combat_moved(f->combat, ship->object_id, f->now);
        if (f->tick % 10 == 0) open_fire(f->combat, ship, target);
        if ((f->tick + i) % 10 == 0) shoot(f->combat, ship, target, f->tick / 10);
        if (f->tick % 4 == 0) heal(ship);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        f->now += SB_SECOND / 30 + 1;
        sb_combat_advance(f->combat, f->now);
    }
    f->tick++;
}

static void run_fight(fight *f, unsigned ships, bool lanes, size_t count)
{
    if (!f->combat) make_fight(f, ships);
    while (count-- > 0) {
        sb_replica_message m;
        step_fight(f);
        while (lanes && sb_replica_next(f->replica, f->now, (float)f->tick * 0.1f, &m))
            bench_use(m.bytes.data);
    }
    bench_use(&f->ship);
}

#define FIGHT(n)                                                                                   \
    BENCH(combat_##n)                                                                              \
    {                                                                                              \
        static fight f;                                                                            \
        run_fight(&f, n, false, bench_count);                                                      \
    }                                                                                              \
    BENCH(fight_##n)                                                                               \
    {                                                                                              \
        static fight f;                                                                            \
        run_fight(&f, n, true, bench_count);                                                       \
    }

FIGHT(8)
FIGHT(16)
FIGHT(64)

/* ---- a whole room ---- */

typedef struct player {
    sb_transport_client *client;
    sb_endpoint          address;
    uint32_t             ship;
    sb_time              next_update; /* flight_8 */
} player;

typedef struct room {
    sb_server *server; /* NULL: not made yet */
    unsigned   player_count, tick;
    sb_time    now;
    uint64_t   datagrams, bytes;
    player     players[ROOM_SHIPS_MAX];
} room;

static player *find_player(room *r, sb_endpoint to)
{
    for (unsigned i = 0; i < r->player_count; i++)
        if (r->players[i].address.address == to.address) return &r->players[i];
    return NULL;
}

static void send_reliable(player *p, const void *bytes, size_t size)
{
    must(sb_transport_client_send(p->client, SB_RELIABLE, (sb_span){ bytes, size }) == SB_OK);
}

static void answer_checksum_request(player *p, sb_span bytes)
{
    static uint8_t answer[SB_CHECKSUM_RESPONSE_MAX];
    sb_message     request;
    size_t         size;
    must(sb_decode_message(bytes, NULL, &request, NULL) == SB_OK);
    must(sb_manifest_answer(sb_vanilla_manifest(), &request.as.checksum_request, answer,
                            sizeof answer, &size) == SB_OK);
    send_reliable(p, answer, size);
}

static void spawn(room *r, player *p, unsigned i, uint8_t peer_id)
{
    sb_ship    ship;
    sb_message m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    uint8_t    bytes[512];
    size_t     size;
    p->ship = sb_slot_first_id(i);
    init_ship(&ship, i, r->player_count, p->ship);
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)i;
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)"Guest", 5 };
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
    must(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size) == SB_OK);
    send_reliable(p, bytes, size);
}

static void handle_events(room *r, unsigned i)
{
    static const uint8_t in_game[] = { SB_OP_NEW_PLAYER_IN_GAME, 0x20 };
    sb_transport_event   e;
    player              *p = &r->players[i];
    while (sb_transport_client_next_event(p->client, r->now, &e)) {
        if (e.type != SB_EVENT_MESSAGE) continue;
        if (e.bytes.data[0] == SB_OP_CHECKSUM_REQUEST) answer_checksum_request(p, e.bytes);
        if (e.bytes.data[0] == SB_OP_GAME_INIT) send_reliable(p, in_game, sizeof in_game);
        if (e.bytes.data[0] == SB_OP_MISSION_INIT)
            spawn(r, p, i, sb_transport_client_id(p->client));
    }
}

/* Writes all datagrams of the server; `deliver` false: they are dropped, so that only the server's
 * work is measured. */
static void write_all(room *r, bool deliver)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to, from = { 0x7F000001, 22101 };
    size_t      size;
    sb_server_advance(r->server, r->now);
    while ((size = sb_server_write(r->server, r->now, &to, out))) {
        player *p = find_player(r, to);
        r->datagrams++;
        r->bytes += size;
        if (deliver && p) {
            (void)!sb_transport_client_receive(p->client, r->now, from, (sb_span){ out, size });
            handle_events(r, (unsigned)(p - r->players));
        }
        bench_use(out);
    }
}

static void write_player(room *r, unsigned i)
{
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size;
    handle_events(r, i);
    while ((size = sb_transport_client_write(r->players[i].client, r->now, out)))
        (void)!sb_server_receive(r->server, r->now, r->players[i].address, (sb_span){ out, size });
}

/* Players join one after the other, so that slots are in order. */
static void join(room *r, unsigned i)
{
    player                    *p = &r->players[i];
    sb_transport_client_config c;
    sb_transport_client_defaults(&c);
    p->address = (sb_endpoint){ 0x0A000001 + i, 30000 };
    c.server = (sb_endpoint){ 0x7F000001, 22101 };
    c.name = (sb_span){ (const uint8_t *)"G\0", 2 };
    p->client = sb_transport_client_init(allocate(sb_transport_client_bytes(&c)), &c, r->now);
    for (unsigned step = 0; step < 40; step++) {
        r->now += 1000;
        for (unsigned n = 0; n <= i; n++) write_player(r, n);
        write_all(r, true);
    }
    must(p->ship != 0);
}

static sb_server_config room_config(unsigned players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = players;
    c.transport.peers_per_ip = 0;
    c.combat.constants.beam_medium = 0.001f; /* full computation, but no ship dies */
    return c;
}

static void make_room(room *r, const sb_server_config *c)
{
    unsigned players = c->max_players;
    r->player_count = players;
    r->now = 10 * SB_SECOND;
    r->server = sb_server_init(allocate(sb_server_bytes(c)), c, r->now);
    for (unsigned i = 0; i < players; i++) join(r, i);
    must(sb_server_player_count(r->server) == players);
}

/* Sends a StateUpdate with the position of the player's ship. */
static void send_position(room *r, unsigned i)
{
    player *p = &r->players[i];
    uint8_t state[] = { SB_OP_STATE_UPDATE,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0x11,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0x20,
                        0,
                        0 };
    sb_vec3 at = position_of(i, r->player_count);
    sb_store_u32(state + 1, p->ship);
    sb_store_u32(state + 5, sb_float_bits((float)r->tick * 0.1f));
    sb_store_u32(state + 10, sb_float_bits(at.x + (float)(r->tick % 7) * 0.01f));
    sb_store_u32(state + 14, sb_float_bits(at.y));
    sb_store_u32(state + 18, sb_float_bits(at.z));
    (void)!sb_transport_client_send(p->client, SB_UNRELIABLE, (sb_span){ state, sizeof state });
}

static void send_event(player *p, uint8_t opcode, sb_event event)
{
    sb_message m = { .opcode = opcode, .as.event = event };
    uint8_t    bytes[64];
    size_t     size;
    must(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size) == SB_OK);
    send_reliable(p, bytes, size);
}

/* Sends StartFiring for every beam system of the player's ship. */
static void send_start_firing(room *r, unsigned i)
{
    player              *p = &r->players[i];
    uint32_t             target = r->players[i % 8 == 7 ? i - 1 : (i + 1) % r->player_count].ship;
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), classes[i % sizeof classes]);
    for (unsigned n = 0; n < model->subsystem_count; n++) {
        uint32_t id = sb_subsystem_id(model, p->ship, n, -1);
        if (id && model->subsystems[n].type == SB_SUBSYSTEM_PHASER_SYSTEM)
            send_event(p, SB_OP_START_FIRING,
                       (sb_event){ .event_class = SB_EVENT_START_FIRING,
                                   .event_code = SB_CODE_START_FIRING_NOTIFY,
                                   .destination = id,
                                   .target = target });
    }
}

static void run_room(room *r, unsigned players, size_t count)
{
    sb_server_config c = room_config(players);
    /* The players hear nothing for 1.9 s at a time. Measured timeouts would cause more
     * retransmissions than any network does. */
    c.transport.retransmit = SB_RETRANSMIT_STOCK;
    if (!r->server) make_room(r, &c);
    while (count-- > 0) {
        for (unsigned i = 0; i < players; i++) {
            send_position(r, i);
            if ((r->tick + i) % 10 == 0) send_start_firing(r, i);
            write_player(r, i);
        }
        for (unsigned i = 0; i < STEPS; i++) {
            r->now += SB_SECOND / 30 + 1;
            /* Every 1.9 s: a period that differs from the timeouts of retransmission. */
            write_all(r, r->tick % 19 == 0);
        }
        r->tick++;
    }
    must(sb_server_player_count(r->server) == players); /* no player was lost */
}

static void run_seal(unsigned players, size_t count)
{
    uint8_t datagram[480];
    bench_random_bytes(7, datagram, sizeof datagram);
    while (count-- > 0)
        for (unsigned i = 0; i < players; i++) {
            sb_encrypt_datagram(datagram, sizeof datagram);
            bench_use(datagram);
        }
}

/* ---- a second of flight ---- */

enum { FLYERS = 8, UPDATE_US = 100000 };

static void make_flight(room *r, bool on_arrival)
{
    sb_server_config c = room_config(FLYERS);
    uint8_t          phases[2 * FLYERS];
    c.lanes.on_arrival = on_arrival;
    make_room(r, &c);
    bench_random_bytes(1, phases, sizeof phases);
    for (unsigned i = 0; i < FLYERS; i++)
        r->players[i].next_update =
            r->now + (phases[2 * i] << 8 | phases[2 * i + 1]) * UPDATE_US / 65536;
}

static sb_time next_event(const room *r)
{
    sb_time next = sb_server_next_deadline(r->server);
    for (unsigned i = 0; i < FLYERS; i++)
        if (r->players[i].next_update < next) next = r->players[i].next_update;
    return next;
}

static void run_flight(room *r, bool on_arrival, size_t count)
{
    if (!r->server) make_flight(r, on_arrival);
    for (sb_time end = r->now + (sb_time)count * SB_SECOND; r->now < end;) {
        sb_time next = next_event(r);
        if (next > r->now) r->now = next;
        r->tick = (unsigned)(r->now / UPDATE_US);
        for (unsigned i = 0; i < FLYERS; i++) {
            player *p = &r->players[i];
            if (p->next_update <= r->now) send_position(r, i);
            if (p->next_update <= r->now) p->next_update += UPDATE_US;
            write_player(r, i);
        }
        write_all(r, true);
    }
    must(sb_server_player_count(r->server) == FLYERS);
}

BENCH(flight_8_stock_clock)
{
    static room r;
    run_flight(&r, false, bench_count);
}

BENCH(flight_8, .reference = "flight_8_stock_clock")
{
    static room r;
    run_flight(&r, true, bench_count);
}

#define ROOM(n)                                                                                    \
    BENCH(seal_##n)                                                                                \
    {                                                                                              \
        run_seal(n, bench_count);                                                                  \
    }                                                                                              \
    BENCH(room_##n, .floor = "seal_" #n)                                                           \
    {                                                                                              \
        static room r;                                                                             \
        run_room(&r, n, bench_count);                                                              \
    }

ROOM(8)
ROOM(16)

/* ---- what metrics cost a room ---- */

BENCH(slice_8)
{
    static room          r;
    static sb_room_slice slice;
    static sb_room       measured;
    static sb_room      *order[] = { &measured };
    sb_server_config     c = room_config(8);
    if (!r.server) make_room(&r, &c);
    measured.server = r.server;
    slice.count = 1;
    slice.wake = -1;
    for (size_t i = 0; i < bench_count; i++) {
        sb_room_slice_fill(&slice, order, r.now);
        bench_use(&slice);
    }
}

BENCH(turn_time)
{
    static sb_histogram turns;
    for (size_t i = 0; i < bench_count; i++) {
        sb_histogram_add(&turns, (sb_time)(i % 400));
        bench_use(&turns);
    }
}
