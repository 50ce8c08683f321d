/* fuzz/client_fuzz.c -- a headless player at a server that sends anything, at any time.
 *
 * The input is a script. Byte 0, bits 0-1: the state of the client at the start (connected, in the
 * lobby, flying, dying); bits 2-6: species of its ship; bit 7: a pilot flies it. Then steps, a byte
 * each (low four bits), with arguments:
 *
 *   0  time passes            1 byte, 10 ms each
 *   1  a reliable message     length, bytes
 *   2  an unreliable message  length, bytes
 *   3  a StateUpdate          which ship, length, bytes after the id
 *   4  a ship appears         player, slot and number, species
 *   5  the client acts        what, index, child, value
 *   6  an event               opcode, which ship, part, 4 bytes of class and code, 8 more
 *   7  a raw datagram         length, bytes: encrypted under the host's id
 * 8-11 a message              type, fields (script_message.h); bit 0: unreliable, bit 1: changed;
 *                             15 too
 *  12  seconds pass           1 byte
 *  13  a strange datagram     source, length, bytes: encrypted under the host's id
 *  14  a plain datagram       length, bytes without encryption
 *
 * Checked in every step: all messages of the client can be decoded, and the next deadline is in the
 * future; sb_client_check in every 32nd step and at the end. A client that has connected is built
 * once and copied back for every input.
 */
#include <starbase/cipher.h>
#include <starbase/message.h>
#include <starbase/pilot.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "client/testing.h"
#include "options.h"
#include "script_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ITERATIONS_MAX = 5000, MESSAGE_MAX = 255, STEPS_MAX = 64, CHECK_INTERVAL = 32 };

static const sb_endpoint server = { 0xC0A80001, 22101 }, player = { 0x0A0A0AEF, 31000 };

typedef struct world {
    sb_client         *client;
    sb_transport_host *host;
    sb_time            now;
    bool               joined, has_pilot;
    sb_pilot           pilot;
    uint64_t           event_count;
    unsigned           loops;
} world;

/* ---- the loop ---- */

/* All actions but spawning are allowed in a callback. */
static void handle_event(void *context, const sb_client_event *event)
{
    world *w = context;
    SB_ASSERT(event->type <= SB_CLIENT_QUEUED);
    SB_ASSERT(event->type != SB_CLIENT_BAD_MESSAGE || event->result != SB_OK);
    w->event_count++;
    if (event->type == SB_CLIENT_GONE) {
        sb_result result = sb_client_spawn(w->client, w->now, 1, (sb_vec3){ 0 },
                                           (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 });
        SB_ASSERT(result == SB_NOT_ALLOWED);
    }
    if (event->type == SB_CLIENT_CHAT)
        (void)!sb_client_chat(w->client, w->now, false, (sb_span){ NULL, 0 });
}

static void drain_host_events(world *w)
{
    static sb_message  m;
    sb_transport_event event;
    while (sb_transport_host_next_event(w->host, w->now, &event)) {
        if (event.type == SB_EVENT_JOINED) w->joined = true;
        if (event.type == SB_EVENT_LEFT) w->joined = false;
        if (event.type != SB_EVENT_MESSAGE) continue;
        sb_result result = sb_decode_message(event.bytes, NULL, &m, NULL);
        SB_ASSERT(result == SB_OK);
    }
}

static void run_loop(world *w)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    size_t      size;
    sb_endpoint to;
    for (int iterations = 0;; iterations++) {
        SB_ASSERT(iterations < ITERATIONS_MAX);
        bool moved = false;
        sb_client_advance(w->client, w->now);
        if (w->has_pilot && iterations == 0) sb_pilot_step(&w->pilot, w->client, w->now);
        while ((size = sb_client_write(w->client, w->now, out)) > 0) {
            (void)!sb_transport_host_receive(w->host, w->now, player, (sb_span){ out, size });
            drain_host_events(w);
            moved = true;
        }
        drain_host_events(w);
        while ((size = sb_transport_host_write(w->host, w->now, &to, out)) > 0) {
            (void)!sb_client_receive(w->client, w->now, server, (sb_span){ out, size });
            moved = true;
        }
        if (!moved) break;
    }
    SB_ASSERT(sb_client_next_deadline(w->client) > w->now);
    if (w->loops++ % CHECK_INTERVAL == 0) sb_client_check(w->client);
}

static void send_from_host(world *w, sb_delivery delivery, const void *bytes, size_t size)
{
    if (w->joined && size > 0)
        (void)!sb_transport_host_send(w->host, 2, delivery, (sb_span){ bytes, size });
    run_loop(w);
}

/* ---- steps ---- */

/* The own ship, or an id of one of four slots. */
static uint32_t object_of(const world *w, uint8_t which)
{
    const sb_seen_ship *own = sb_client_own_ship(w->client);
    if (which < 64 && own) return own->ship.object_id;
    if (which >= 240) return which;
    return sb_slot_first_id(which >> 4 & 3) + (which & 15u) * 40u;
}

static void state_update(world *w, script *s)
{
    uint8_t message[5 + MESSAGE_MAX] = { SB_OP_STATE_UPDATE };
    sb_store_u32(message + 1, object_of(w, next_byte(s)));
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(message + 5, rest.data, rest.size);
    send_from_host(w, SB_UNRELIABLE, message, 5 + rest.size);
}

static void ship_appears(world *w, script *s)
{
    uint8_t    peer = next_byte(s), which = next_byte(s), species = next_byte(s);
    sb_message m = { .opcode = peer & 0x80 ? SB_OP_OBJECT_CREATE : SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship    ship;
    uint8_t    bytes[1024];
    size_t     size;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species,
                 object_of(w, (uint8_t)(which | 64)));
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.peer_id = peer & 0x3F;
    if (sb_encode_message(&m, NULL, bytes, sizeof bytes, &size) == SB_OK)
        send_from_host(w, SB_RELIABLE, bytes, size);
}

static void event(world *w, script *s)
{
    static const uint16_t classes[] = { 0x101, 0x104, 0x105, 0x10C, 0x866, 0x8128, 0x8129, 0x8124 };
    static const uint32_t codes[] = { SB_CODE_OBJECT_EXPLODING, SB_CODE_NEW_PLAYER_IN_GAME,
                                      SB_CODE_NETWORK_DELETE_PLAYER, SB_CODE_START_FIRING_NOTIFY };
    uint8_t               message[25] = { next_byte(s) };
    uint32_t              id = object_of(w, next_byte(s)) + next_byte(s);
    sb_store_u32(message + 1, classes[next_byte(s) % 8]);
    sb_store_u32(message + 5, codes[next_byte(s) % 4]);
    sb_store_u32(message + 13, id);
    for (size_t i = 17; i < sizeof message; i++) message[i] = next_byte(s);
    send_from_host(w, SB_RELIABLE, message, sizeof message);
}

static void datagram(world *w, sb_endpoint from, script *s)
{
    uint8_t bytes[1 + MESSAGE_MAX] = { SB_PEER_HOST };
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(bytes + 1, rest.data, rest.size);
    sb_encrypt_datagram(bytes, 1 + rest.size);
    (void)!sb_client_receive(w->client, w->now, from, (sb_span){ bytes, 1 + rest.size });
    run_loop(w);
}

static void strange_datagram(world *w, script *s)
{
    uint8_t     from = next_byte(s);
    sb_endpoint source = { server.address + (from & 1), (uint16_t)(server.port + (from >> 1)) };
    datagram(w, source, s);
}

static void plain_datagram(world *w, script *s)
{
    (void)!sb_client_receive(w->client, w->now, server, next_bytes(s, next_byte(s)));
    run_loop(w);
}

static uint32_t object_of_scene(void *self, uint8_t which)
{
    return object_of(self, which);
}

/* A message with fields of the script; `how`, bit 0: unreliable, bit 1: changed. */
static void described_message(world *w, unsigned how, script *s)
{
    uint8_t             bytes[600];
    const sb_seen_ship *own = sb_client_own_ship(w->client);
    script_scene        scene = { w, object_of_scene, own ? own->ship.model : NULL,
                                  sb_client_game_time(w->client, w->now) };
    size_t              size = build_script_message(&scene, s, bytes, sizeof bytes);
    if (size > 0 && how & 2) size = change_script_message(s, bytes, size);
    send_from_host(w, how & 1 ? SB_UNRELIABLE : SB_RELIABLE, bytes, size);
}

/* In hops that no session times out in. */
static void pass_seconds(world *w, script *s)
{
    for (unsigned left = next_byte(s) & 63; left > 0;) {
        unsigned hop = left < 10 ? left : 10;
        w->now += hop * SB_SECOND;
        run_loop(w);
        left -= hop;
    }
}

static void act(world *w, script *s)
{
    sb_client *c = w->client;
    sb_time    now = w->now;
    uint8_t  what = next_byte(s), index = next_byte(s), child = next_byte(s), value = next_byte(s);
    float    number = (float)value / 64.0f;
    sb_vec3  v = { (float)index, (float)child - 128.0f, number };
    uint32_t target = value & 1 ? object_of(w, child) : 0;
    uint8_t  bytes[2] = { (uint8_t)(0x80 | index), value };
    const sb_result results[] = {
        what % 18 == 0 ? sb_client_spawn(c, now, index, v, v, (sb_vec3){ 0, 0, 1 }) : SB_OK,
        what % 18 == 1 ? sb_client_place(c, now, v, v, (sb_vec3){ 0, 0, 1 }, number) : SB_OK,
        what % 18 == 2 ? sb_client_cloak(c, now, value & 1) : SB_OK,
        what % 18 == 3 ? sb_client_power(c, now, index, number) : SB_OK,
        what % 18 == 4 ? sb_client_start_firing(c, now, index, target) : SB_OK,
        what % 18 == 5 ? sb_client_stop_firing(c, now, index) : SB_OK,
        what % 18 == 6 ? sb_client_torpedo(c, now, index, child, value, v, target) : SB_OK,
        what % 18 == 7 ? sb_client_pulse(c, now, index, child, value, v, target) : SB_OK,
        what % 18 == 8 ? sb_client_phaser_level(c, now, index, value) : SB_OK,
        what % 18 == 9 ? sb_client_torpedo_type(c, now, index, value) : SB_OK,
        what % 18 == 10 ? sb_client_repair_first(c, now, index, (int8_t)child) : SB_OK,
        what % 18 == 11 ? sb_client_target_changed(c, now, target) : SB_OK,
        what % 18 == 12 ? sb_client_collision(c, now, target, v, number) : SB_OK,
        what % 18 == 13 ? sb_client_self_destruct(c, now) : SB_OK,
        what % 18 == 14 ? sb_client_chat(c, now, value & 1, (sb_span){ bytes, 2 }) : SB_OK,
        what % 18 == 15 ? sb_client_team(c, now, value) : SB_OK,
        what % 18 == 16 ? sb_client_send(c, now, SB_RELIABLE, (sb_span){ bytes, 2 }) : SB_OK,
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        SB_ASSERT(results[i] == SB_OK || results[i] == SB_NOT_ALLOWED ||
                  results[i] == SB_BAD_VALUE || results[i] == SB_FULL);
    if (what == 255) sb_client_leave(c, now);
    run_loop(w);
}

static void step(world *w, script *s)
{
    uint8_t what = next_byte(s) & 15;
    sb_span message;
    switch (what) {
    case 0:
        w->now += next_byte(s) * (SB_SECOND / 100);
        run_loop(w);
        break;
    case 1:
    case 2:
        message = next_bytes(s, next_byte(s));
        send_from_host(w, what == 1 ? SB_RELIABLE : SB_UNRELIABLE, message.data, message.size);
        break;
    case 3: state_update(w, s); break;
    case 4: ship_appears(w, s); break;
    case 5: act(w, s); break;
    case 6: event(w, s); break;
    case 7: datagram(w, server, s); break;
    case 12: pass_seconds(w, s); break;
    case 13: strange_datagram(w, s); break;
    case 14: plain_datagram(w, s); break;
    default: described_message(w, what, s); break;
    }
}

/* ---- the state at the start ---- */

static void enter_lobby(world *w)
{
    static const uint8_t settings[] = { 0, 0, 0, 5, 0x42, 0x61, 0, 0, 0 }, game_init[] = { 1 };
    static const uint8_t mission[] = { 0x35, 8, 1, 0xFF, 0xFF };
    send_from_host(w, SB_RELIABLE, settings, sizeof settings);
    send_from_host(w, SB_RELIABLE, game_init, sizeof game_init);
    send_from_host(w, SB_RELIABLE, mission, sizeof mission);
}

static void spawn(world *w, uint8_t species)
{
    (void)!sb_client_spawn(w->client, w->now, species, (sb_vec3){ 1, 2, 3 }, (sb_vec3){ 0, 1, 0 },
                           (sb_vec3){ 0, 0, 1 });
    run_loop(w);
}

static void die(world *w)
{
    static const uint8_t dies[] = { 6,    0x29, 0x81, 0,    0, 0x4E, 0, 0x80, 0,    0, 0,    0,   0,
                                    0xFF, 0xFF, 0xFF, 0x3F, 0, 0,    0, 0,    0x00, 0, 0x18, 0x41 };
    send_from_host(w, SB_RELIABLE, dies, sizeof dies);
}

/* World, client and host in one block, and its bytes after the join. */
static struct {
    uint8_t *memory, *saved[2];
    size_t   size;
} box;

static void build(unsigned in_lobby)
{
    sb_client_config         mine;
    sb_transport_host_config theirs;
    sb_client_defaults(&mine);
    sb_transport_host_defaults(&theirs);
    mine.transport.server = server;
    mine.transport.cells = 384;
    mine.on_event = handle_event;
    theirs.max_peers = 1;
    theirs.shared_cells = theirs.assembly_cells = 128;
    size_t head = (sizeof(world) + 63) / 64 * 64;
    size_t client = (sb_client_bytes(&mine) + 63) / 64 * 64;
    box.size = head + client + (sb_transport_host_bytes(&theirs) + 63) / 64 * 64;
    if (!box.memory) box.memory = aligned_alloc(64, box.size);
    box.saved[in_lobby] = malloc(box.size);
    SB_ASSERT(box.memory && box.saved[in_lobby]);
    memset(box.memory, 0, box.size);
    world *w = (world *)(void *)box.memory;
    mine.event_context = w;
    w->now = SB_SECOND;
    w->client = sb_client_init(box.memory + head, &mine, w->now);
    w->host = sb_transport_host_init(box.memory + head + client, &theirs, w->now);
    run_loop(w);
    if (in_lobby) enter_lobby(w);
    memcpy(box.saved[in_lobby], box.memory, box.size);
}

static world *prepare(uint8_t first)
{
    unsigned        state = first & 3, in_lobby = state > 0;
    sb_pilot_config pilot;
    if (!box.saved[in_lobby]) build(in_lobby);
    memcpy(box.memory, box.saved[in_lobby], box.size);
    world *w = (world *)(void *)box.memory;
    sb_pilot_defaults(&pilot);
    pilot.talkative = first & 4;
    sb_pilot_init(&w->pilot, &pilot, w->now);
    if (state >= 2) spawn(w, (uint8_t)(1 + (first >> 2 & 31)));
    if (state == 3) die(w);
    w->has_pilot = first & 0x80;
    return w;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script s = { data, size };
    world *w = prepare(next_byte(&s));
    for (unsigned i = 0; s.left > 0 && i < STEPS_MAX; i++) step(w, &s);
    sb_client_check(w->client);
    w->now += 100 * SB_SECOND;
    run_loop(w);
    sb_client_check(w->client);
    return 0;
}
