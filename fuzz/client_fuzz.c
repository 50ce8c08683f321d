/* fuzz/client_fuzz.c -- a headless player at a server that sends anything, at any time.
 *
 * The input is a script. Byte 0, bits 0-1: the state of the client at the start (connected, in the
 * lobby, flying, dying); bits 2-6: species of its ship. Then steps, a byte each (low three bits),
 * with arguments:
 *
 *   0  time passes            1 byte, 10 ms each
 *   1  a reliable message     length, bytes
 *   2  an unreliable message  length, bytes
 *   3  a StateUpdate          which ship, length, bytes after the id
 *   4  a ship appears         player, slot and number, species
 *   5  the client acts        what, index, child, value
 *   6  an event               opcode, which ship, part, 4 bytes of class and code, 8 more
 *   7  a raw datagram         length, bytes: encrypted under the host's id
 *
 * Checked after each step: sb_client_check, all messages of the client can be decoded, and the next
 * deadline is in the future.
 */
#include <starbase/cipher.h>
#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "client/testing.h"
#include "script.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ITERATIONS_MAX = 5000, MESSAGE_MAX = 255 };

static const sb_endpoint server = { 0xC0A80001, 22101 }, player = { 0x0A0A0AEF, 31000 };

typedef struct world {
    sb_client         *client;
    sb_transport_host *host;
    sb_time            now;
    bool               joined;
    uint64_t           event_count;
} world;

/* ---- the loop ---- */

/* All actions but spawning are allowed in a callback. */
static void handle_event(void *context, const sb_client_event *event)
{
    world *w = context;
    SB_ASSERT(event->type <= SB_CLIENT_BAD_MESSAGE);
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
    sb_client_check(w->client);
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

static void datagram(world *w, script *s)
{
    uint8_t bytes[1 + MESSAGE_MAX] = { SB_PEER_HOST };
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(bytes + 1, rest.data, rest.size);
    sb_encrypt_datagram(bytes, 1 + rest.size);
    (void)!sb_client_receive(w->client, w->now, server, (sb_span){ bytes, 1 + rest.size });
    run_loop(w);
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
    uint8_t what = next_byte(s);
    sb_span message;
    switch (what & 7) {
    case 0:
        w->now += next_byte(s) * (SB_SECOND / 100);
        run_loop(w);
        break;
    case 1:
    case 2:
        message = next_bytes(s, next_byte(s));
        send_from_host(w, (what & 7) == 1 ? SB_RELIABLE : SB_UNRELIABLE, message.data,
                       message.size);
        break;
    case 3: state_update(w, s); break;
    case 4: ship_appears(w, s); break;
    case 5: act(w, s); break;
    case 6: event(w, s); break;
    case 7: datagram(w, s); break;
    default: break;
    }
}

/* ---- the state at the start ---- */

static void prepare(world *w, uint8_t first)
{
    static const uint8_t settings[] = { 0, 0, 0, 5, 0x42, 0x61, 0, 0, 0 }, game_init[] = { 1 };
    static const uint8_t mission[] = { 0x35, 8, 1, 0xFF, 0xFF };
    static const uint8_t dies[] = { 6,    0x29, 0x81, 0,    0, 0x4E, 0, 0x80, 0,    0, 0,    0,   0,
                                    0xFF, 0xFF, 0xFF, 0x3F, 0, 0,    0, 0,    0x00, 0, 0x18, 0x41 };
    run_loop(w);
    if ((first & 3) < 1) return;
    send_from_host(w, SB_RELIABLE, settings, sizeof settings);
    send_from_host(w, SB_RELIABLE, game_init, sizeof game_init);
    send_from_host(w, SB_RELIABLE, mission, sizeof mission);
    if ((first & 3) < 2) return;
    (void)!sb_client_spawn(w->client, w->now, (uint8_t)(1 + (first >> 2 & 31)),
                           (sb_vec3){ 1, 2, 3 }, (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 });
    run_loop(w);
    if ((first & 3) < 3) return;
    send_from_host(w, SB_RELIABLE, dies, sizeof dies);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void             *client, *host;
    sb_client_config         mine;
    sb_transport_host_config theirs;
    script                   s = { data, size };
    world                    w = { .now = SB_SECOND };
    sb_client_defaults(&mine);
    mine.transport.server = server;
    mine.on_event = handle_event;
    mine.event_context = &w;
    sb_transport_host_defaults(&theirs);
    theirs.max_peers = 1;
    if (!client) client = malloc(sb_client_bytes(&mine));
    if (!host) host = malloc(sb_transport_host_bytes(&theirs));
    SB_ASSERT(client && host);
    w.client = sb_client_init(client, &mine, w.now);
    w.host = sb_transport_host_init(host, &theirs, w.now);
    prepare(&w, next_byte(&s));
    while (s.left > 0) step(&w, &s);
    w.now += 100 * SB_SECOND;
    run_loop(&w);
    return 0;
}
