/* bench/room_bench.c -- what a tenth of a second of a fight costs a host: three steps of combat,
 * all StateUpdates, and in a whole room also what comes in and the datagrams that go out.
 *
 *     fight_N   N ships that all fire beams, torpedoes and bolts at their neighbours and are hit by
 *               them: 3 steps of combat, then the lanes: N x N messages to be delivered
 *     combat_N  the three steps alone
 *     room_N    a room with N players who fire at each other, datagrams included: N positions and
 *               some orders received, N x N StateUpdates built, queued, packed and encrypted
 *     seal_N    the floor of it: the datagrams of one tick, encrypted
 */
#include "bench.h"

#include <starbase/cipher.h>
#include <starbase/server.h>

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { SHIPS_MAX = 64, STEPS = 3, ROOM_SHIPS_MAX = 16 };

static const uint8_t classes[] = { 1, 3, 5, 6, 7, 8, 12, 13 };

static void must(bool right)
{
    if (!right) __builtin_trap();
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    must(memory != NULL);
    return memory;
}

/* ---- ships on a ring, each with the next one before its bow ---- */

static sb_vec3 place_of(unsigned i, unsigned ships)
{
    float across = (float)(i % 8) * 9.0f, along = (float)(i / 8) * 9.0f;
    return (sb_vec3){ across, along, (float)(i % 3) * 0.5f * (ships > 1) };
}

static void init_ship(sb_ship *ship, unsigned i, unsigned ships, uint32_t object_id)
{
    uint8_t species = classes[i % sizeof classes];
    sb_ship_init(ship, sb_find_ship(sb_stock_ships(), species), species, object_id);
    ship->motion.position = place_of(i, ships);
    sb_motion_set_axes(&ship->motion, (sb_vec3){ i % 8 == 7 ? -1.0f : 1.0f, 0, 0 },
                       (sb_vec3){ 0, 0, 1 });
}

/* Nobody dies: what was lost comes back, and is lost again. */
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

/* A torpedo or a bolt of every ship in turn. */
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

typedef struct guest {
    sb_transport_client *client;
    sb_endpoint          address;
    uint32_t             ship;
} guest;

typedef struct room {
    sb_server *server; /* NULL: not made yet */
    unsigned   players, tick;
    sb_time    now;
    uint64_t   datagrams, bytes;
    guest      guests[ROOM_SHIPS_MAX];
} room;

static guest *find_guest(room *r, sb_endpoint to)
{
    for (unsigned i = 0; i < r->players; i++)
        if (r->guests[i].address.address == to.address) return &r->guests[i];
    return NULL;
}

static void say(guest *g, const void *bytes, size_t size)
{
    must(sb_transport_client_send(g->client, SB_RELIABLE, (sb_span){ bytes, size }) == SB_OK);
}

static void answer_round(guest *g, sb_span bytes)
{
    static uint8_t answer[SB_CHECKSUM_RESPONSE_MAX];
    sb_message     request;
    size_t         size;
    must(sb_decode_message(bytes, NULL, &request, NULL) == SB_OK);
    must(sb_manifest_answer(sb_vanilla_manifest(), &request.as.checksum_request, answer,
                            sizeof answer, &size) == SB_OK);
    say(g, answer, size);
}

static void spawn(room *r, guest *g, unsigned i, uint8_t peer_id)
{
    sb_ship    ship;
    sb_message m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    uint8_t    bytes[512];
    size_t     size;
    g->ship = sb_slot_first_id(i);
    init_ship(&ship, i, r->players, g->ship);
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)i;
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)"Guest", 5 };
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
    must(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size) == SB_OK);
    say(g, bytes, size);
}

static void hear(room *r, unsigned i)
{
    sb_transport_event e;
    guest             *g = &r->guests[i];
    while (sb_transport_client_next_event(g->client, r->now, &e)) {
        if (e.type != SB_EVENT_MESSAGE) continue;
        if (e.bytes.data[0] == SB_OP_CHECKSUM_REQUEST) answer_round(g, e.bytes);
        if (e.bytes.data[0] == SB_OP_GAME_INIT) say(g, "\x2A\x20", 2);
        if (e.bytes.data[0] == SB_OP_MISSION_INIT)
            spawn(r, g, i, sb_transport_client_id(g->client));
    }
}

/* What the server has for everybody; `deliver` false: it is thrown away, as on a network that is
 * none of our business. */
static void write_all(room *r, bool deliver)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to, from = { 0x7F000001, 22101 };
    size_t      size;
    sb_server_advance(r->server, r->now);
    while ((size = sb_server_write(r->server, r->now, &to, out))) {
        guest *g = find_guest(r, to);
        r->datagrams++;
        r->bytes += size;
        if (deliver && g) {
            (void)!sb_transport_client_receive(g->client, r->now, from, (sb_span){ out, size });
            hear(r, (unsigned)(g - r->guests));
        }
        bench_use(out);
    }
}

static void write_guest(room *r, unsigned i)
{
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size;
    hear(r, i);
    while ((size = sb_transport_client_write(r->guests[i].client, r->now, out)))
        (void)!sb_server_receive(r->server, r->now, r->guests[i].address, (sb_span){ out, size });
}

/* One guest after the other, so that slots are in order. */
static void join(room *r, unsigned i)
{
    guest                     *g = &r->guests[i];
    sb_transport_client_config c;
    sb_transport_client_defaults(&c);
    g->address = (sb_endpoint){ 0x0A000001 + i, 30000 };
    c.server = (sb_endpoint){ 0x7F000001, 22101 };
    c.name = (sb_span){ (const uint8_t *)"G\0", 2 };
    g->client = sb_transport_client_init(allocate(sb_transport_client_bytes(&c)), &c, r->now);
    for (unsigned turn = 0; turn < 40; turn++) {
        r->now += 1000;
        for (unsigned n = 0; n <= i; n++) write_guest(r, n);
        write_all(r, true);
    }
    must(g->ship != 0);
}

static void make_room(room *r, unsigned players)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = players;
    c.transport.peers_per_ip = 0;
    c.combat.constants.beam_medium = 0.001f; /* everything is computed, nobody dies of it */
    r->players = players;
    r->now = 10 * SB_SECOND;
    r->server = sb_server_init(allocate(sb_server_bytes(&c)), &c, r->now);
    for (unsigned i = 0; i < players; i++) join(r, i);
    must(sb_server_player_count(r->server) == players);
}

/* A position of every owner, as his client would say it; beams now and then. */
static void guest_moves(room *r, unsigned i)
{
    guest  *g = &r->guests[i];
    uint8_t state[] = { 0x1C, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0, 0, 0,
                        0,    0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0 };
    sb_vec3 at = place_of(i, r->players);
    sb_store_u32(state + 1, g->ship);
    sb_store_u32(state + 5, sb_float_bits((float)r->tick * 0.1f + 100.0f));
    sb_store_u32(state + 10, sb_float_bits(at.x + (float)(r->tick % 7) * 0.01f));
    sb_store_u32(state + 14, sb_float_bits(at.y));
    sb_store_u32(state + 18, sb_float_bits(at.z));
    (void)!sb_transport_client_send(g->client, SB_UNRELIABLE, (sb_span){ state, sizeof state });
}

static void say_event(guest *g, uint8_t opcode, sb_event event)
{
    sb_message m = { .opcode = opcode, .as.event = event };
    uint8_t    bytes[64];
    size_t     size;
    must(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size) == SB_OK);
    say(g, bytes, size);
}

/* Once a second: beams on, and a torpedo. */
static void guest_fires(room *r, unsigned i)
{
    guest               *g = &r->guests[i];
    uint32_t             target = r->guests[i % 8 == 7 ? i - 1 : (i + 1) % r->players].ship;
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), classes[i % sizeof classes]);
    for (unsigned n = 0; n < model->subsystem_count; n++) {
        uint32_t id = sb_subsystem_id(model, g->ship, n, -1);
        if (id && model->subsystems[n].type == SB_SUBSYSTEM_PHASER_SYSTEM)
            say_event(g, 0x07,
                      (sb_event){ .event_class = SB_EVENT_START_FIRING,
                                  .event_code = SB_CODE_START_FIRING_NOTIFY,
                                  .destination = id,
                                  .target = target });
    }
}

static void run_room(room *r, unsigned players, size_t count)
{
    if (!r->server) make_room(r, players);
    while (count-- > 0) {
        for (unsigned i = 0; i < players; i++) {
            guest_moves(r, i);
            if ((r->tick + i) % 10 == 0) guest_fires(r, i);
            write_guest(r, i);
        }
        for (unsigned i = 0; i < STEPS; i++) {
            r->now += SB_SECOND / 30 + 1;
            write_all(r,
                      r->tick % 19 == 0); /* Acks and news; not in step with what is sent again */
        }
        r->tick++;
    }
    must(sb_server_player_count(r->server) == players); /* nobody was lost on the way */
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
