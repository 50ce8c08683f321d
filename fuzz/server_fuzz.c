/* fuzz/server_fuzz.c -- a room with a running match, and players who send anything at any time.
 *
 * Players 0 to 3 do what the input says: 0 flies, 1 has no ship, 2 is in the middle of the join, 3
 * has just connected. Player 4 is honest and flies. Byte 0 of the input chooses the room:
 * restore_world in room_world.h lists its bits. One byte per step follows: the low nibble and bit 6
 * are the action, bits 4 and 5 the player; bit 7: further steps happen before the datagrams of this
 * one are delivered. Actions and their arguments:
 *
 *   0  time jumps ahead       1 byte, 10 ms each
 *   1  reliable Data          length, bytes
 *   2  unreliable Data        length, bytes
 *   3  a StateUpdate          object, length, bytes after the object id
 *   4  a creation             object, species, opcode and class, name
 *   5  an event               opcode, object, part, class, code, 8 more bytes
 *   6  own datagram           length, bytes: encrypted, with the player's id
 *   7  any datagram           source address, length, bytes without encryption
 *   8  the operator acts      action, argument
 *   9  the join continues     an honest answer, or NewPlayerInGame
 *  10  a shot                 opcode and type, part, flags, 11 more bytes
 *  11  leave, connect, rename which of them
 *  12  time passes in ticks   1 byte (low six bits), 33 ms each
 *  13  a query                query, source address
 *  14  deaf or mute           which of the two changes
 *  15  ramming, requests      opcode, two objects, 4 bytes of force
 *
 * with bit 6:
 *
 *  0-5 a message              type, fields (script_message.h); bit 0: unreliable, bit 1: changed
 *  6-7 forged                 what a stranger sends under the honest player's address: how, number,
 *                             length, bytes
 *   8  any datagram           source address, id, length, bytes: encrypted
 *   9  a Connect              source address
 *  10  a numbered message     type and flags, distance from the expected number, length, bytes
 *  11  the last datagram      of this player arrives again, from another port of its address
 *  12  seconds pass           1 byte
 *  13  the honest player acts what
 *  14  its own ship           a StateUpdate near the ship's position: flags, time, 3 bytes
 *  15  shots at each other    entry and tube; how, target
 *
 * Every 1,024th input runs twice: a restored room must send the same bytes.
 */
#include <starbase/cipher.h>
#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "expected_number.h"
#include "options.h"
#include "room_world.h"
#include "script_message.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGE_MAX = 255, STEPS_MAX = 32, HOP_SECONDS = 10, ROOM_BYTES_MAX = 4 << 20 };

/* Acts of the operator beside those that are numbered from 0. */
enum { MUTE = 249, TRUST, DISMISS_SHIP, RESEND_SETTINGS, TELL, LOAD };

typedef void action(world *w, unsigned who, script *s);

/* ---- time ---- */

static void jump(world *w, unsigned who, script *s)
{
    (void)who;
    w->now += next_byte(s) * (SB_SECOND / 100);
}

/* Combat skips what it missed in a jump, so a fight needs every tick. */
static void pass_ticks(world *w, unsigned who, script *s)
{
    (void)who;
    for (unsigned i = next_byte(s) & 63; i > 0; i--) {
        w->now += SB_SECOND / 30;
        sb_server_advance(w->server, w->now);
        if (i % 8 == 0) step_world(w);
    }
}

/* In hops that no session times out in. */
static void pass_seconds(world *w, unsigned who, script *s)
{
    (void)who;
    for (unsigned left = next_byte(s) & 63; left > 0;) {
        unsigned hop = left < HOP_SECONDS ? left : HOP_SECONDS;
        w->now += hop * SB_SECOND;
        step_world(w);
        left -= hop;
    }
}

/* ---- messages of a player ---- */

static void send_reliable(world *w, unsigned who, script *s)
{
    sb_span bytes = next_bytes(s, next_byte(s));
    send_data(w, who, SB_RELIABLE, bytes.data, bytes.size);
}

static void send_unreliable(world *w, unsigned who, script *s)
{
    sb_span bytes = next_bytes(s, next_byte(s));
    send_data(w, who, SB_UNRELIABLE, bytes.data, bytes.size);
}

static void send_state(world *w, unsigned who, script *s)
{
    uint8_t message[5 + MESSAGE_MAX] = { SB_OP_STATE_UPDATE };
    sb_store_u32(message + 1, object_of(w, who, next_byte(s)));
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(message + 5, rest.data, rest.size);
    send_data(w, who, SB_UNRELIABLE, message, 5 + rest.size);
}

static void send_creation(world *w, unsigned who, script *s)
{
    uint8_t  bytes[1024];
    creation c = { .object_id = object_of(w, who, next_byte(s) | 64), .species = next_byte(s) };
    uint8_t  kind = next_byte(s);
    c.is_mod = c.species >= 0xC0; /* a known species with another list of subsystems */
    if (c.is_mod) c.species &= 0x3F;
    c.name = next_bytes(s, next_byte(s) & 31);
    c.is_scenery = kind & 1;
    c.long_snapshot = kind & 0x40;
    c.position = (sb_vec3){ (float)(kind >> 1), (float)c.species, 0 };
    c.set_name = sb_text_span(kind & 0x80 ? "Multi2" : "Multi1");
    send_data(w, who, SB_RELIABLE, bytes, make_creation(w, who, &c, bytes, sizeof bytes));
}

static void send_event(world *w, unsigned who, script *s)
{
    static const uint16_t classes[] = { SB_EVENT_PLAIN,      SB_EVENT_BOOL,
                                        SB_EVENT_CHAR,       SB_EVENT_OBJECT_POINTER,
                                        SB_EVENT_PLAYER,     SB_EVENT_START_FIRING,
                                        SB_EVENT_START_WARP, SB_EVENT_COLLISION };
    static const uint32_t codes[] = { SB_CODE_ADD_TO_REPAIR_LIST, SB_CODE_START_FIRING_NOTIFY,
                                      SB_CODE_REPAIR_LIST_PRIORITY,
                                      SB_CODE_SUBSYSTEM_STATUS_NOTIFY };
    uint8_t               message[25] = { next_byte(s) };
    uint32_t              id = object_of(w, who, next_byte(s)) + next_byte(s);
    sb_store_u32(message + 1, classes[next_byte(s) % 8]);
    sb_store_u32(message + 5, codes[next_byte(s) % 4]);
    sb_store_u32(message + 13, id);
    for (size_t i = 17; i < sizeof message; i++) message[i] = next_byte(s);
    uint8_t third = message[17];
    if (message[24] & 1) sb_store_u32(message + 17, object_of(w, HONEST, 0) + third);
    send_data(w, who, SB_RELIABLE, message, message[24] & 2 ? 25 : message[24] & 4 ? 21 : 18);
}

static void send_shot(world *w, unsigned who, script *s)
{
    uint8_t kind = next_byte(s), part = next_byte(s), flags = next_byte(s), bytes[19];
    bytes[0] = kind & 1 ? SB_OP_TORPEDO_FIRE : SB_OP_PULSE_FIRE;
    sb_store_u32(bytes + 1, object_of(w, who, 0) + part);
    bytes[5] = kind >> 1;
    for (size_t i = 6; i < sizeof bytes; i++) bytes[i] = next_byte(s);
    bytes[kind & 1 ? 6 : 9] = flags;
    if (flags & 0x80) sb_store_u32(bytes + 10, object_of(w, HONEST, 0));
    /* Without and with the optional part. */
    for (size_t size = 10; size <= sizeof bytes; size += kind & 1 ? 9 : 4)
        send_data(w, who, SB_RELIABLE, bytes, size);
}

/* Sends one of the short messages, about an own object and, in a collision, a second one. */
static void send_short(world *w, unsigned who, script *s)
{
    static const uint8_t opcodes[] = {
        SB_OP_COLLISION,      SB_OP_SELF_DESTRUCT, SB_OP_OBJECT_NOT_FOUND,
        SB_OP_REQUEST_OBJECT, SB_OP_ENTER_SET,     SB_OP_RESTART_GAME,
        SB_OP_TEAM,           SB_OP_COLLISION
    };
    uint8_t  bytes[26] = { opcodes[next_byte(s) & 7] };
    uint32_t first = object_of(w, who, next_byte(s));
    uint8_t  other = next_byte(s);
    uint32_t second = other & 1 ? object_of(w, HONEST, other) : object_of(w, who, other);
    size_t   size = 6;
    sb_store_u32(bytes + 1, first);
    if (bytes[0] == SB_OP_SELF_DESTRUCT || bytes[0] == SB_OP_RESTART_GAME) size = 1;
    if (bytes[0] == SB_OP_OBJECT_NOT_FOUND || bytes[0] == SB_OP_REQUEST_OBJECT) size = 5;
    if (bytes[0] == SB_OP_TEAM) bytes[5] = other;
    if (bytes[0] == SB_OP_ENTER_SET) {
        memcpy(bytes + 5, "\x07\0\0\0Multi2\0", 11);
        size = 16;
    }
    if (bytes[0] == SB_OP_COLLISION) {
        sb_store_u32(bytes + 1, SB_EVENT_COLLISION);
        sb_store_u32(bytes + 5, SB_CODE_COLLISION);
        sb_store_u32(bytes + 9, second);
        sb_store_u32(bytes + 13, first);
        bytes[17] = 1;
        for (size_t i = 18; i < 26; i++) bytes[i] = next_byte(s);
        size = 26;
    }
    send_data(w, who, SB_RELIABLE, bytes, size);
}

/* ---- messages from their descriptions ---- */

typedef struct speaker {
    world   *w;
    unsigned who;
} speaker;

/* Half of the ids are the speaker's, half the honest player's. */
static uint32_t object_of_speaker(void *self, uint8_t which)
{
    const speaker *by = self;
    return object_of(by->w, which & 1 ? HONEST : by->who, (uint8_t)(which >> 1 | (which & 1) << 7));
}

static script_scene scene_of(world *w, speaker *by)
{
    const sb_player *p = player_of(w, by->who);
    return (script_scene){ .self = by,
                           .object_of = object_of_speaker,
                           .ship = p && p->ship ? p->ship->ship.model : NULL,
                           .game_time = sb_server_game_time(w->server, w->now) };
}

static void send_described(world *w, unsigned who, script *s, sb_delivery delivery, bool changed)
{
    uint8_t      bytes[600];
    speaker      by = { w, who };
    script_scene scene = scene_of(w, &by);
    size_t       size = build_script_message(&scene, s, bytes, sizeof bytes);
    if (size > 0 && changed) size = change_script_message(s, bytes, size);
    send_data(w, who, delivery, bytes, size);
}

static void send_message(world *w, unsigned who, script *s)
{
    send_described(w, who, s, SB_RELIABLE, false);
}

static void send_message_unreliably(world *w, unsigned who, script *s)
{
    send_described(w, who, s, SB_UNRELIABLE, false);
}

static void send_changed(world *w, unsigned who, script *s)
{
    send_described(w, who, s, SB_RELIABLE, true);
}

static void send_changed_unreliably(world *w, unsigned who, script *s)
{
    send_described(w, who, s, SB_UNRELIABLE, true);
}

/* A StateUpdate by the rules: near the ship's position, at about the present game time. */
static void send_motion(world *w, unsigned who, script *s)
{
    const sb_player *p = player_of(w, who);
    uint8_t          bytes[64], flags = next_byte(s);
    size_t           size = 0;
    sb_message       m = { .opcode = SB_OP_STATE_UPDATE };
    sb_state_update *u = &m.as.state_update;
    float            late = (float)(next_byte(s) & 15) / 8.0f;
    if (!p || !p->ship) return;
    u->object_id = p->ship->object_id;
    u->game_time = sb_server_game_time(w->server, w->now) - late;
    u->flags =
        flags & (SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED | SB_STATE_CLOAK);
    u->position = p->ship->ship.motion.position;
    u->position.x += (float)(int8_t)next_byte(s) / 16.0f;
    u->forward = (sb_cv3){ 0, 127, 0 };
    u->up = (sb_cv3){ 0, 0, 127 };
    u->speed_code = (uint16_t)(next_byte(s) << 4);
    u->cloak = next_byte(s) & 1;
    if (sb_encode_message(&m, NULL, bytes, sizeof bytes, &size) == SB_OK)
        send_data(w, who, SB_UNRELIABLE, bytes, size);
}

/* ---- shots ---- */

static void send_built(world *w, unsigned who, const sb_message *m)
{
    uint8_t bytes[64];
    size_t  size = 0;
    if (sb_encode_message(m, NULL, bytes, sizeof bytes, &size) == SB_OK)
        send_data(w, who, SB_RELIABLE, bytes, size);
}

/* Fires an entry of the player's ship, or stops it; `how` 0: all of a system, 1: stop, 2: a torpedo
 * of one tube, 3: a bolt of one cannon. */
static void fire(world *w, unsigned who, unsigned how, unsigned entry, uint32_t target)
{
    const sb_player *p = player_of(w, who);
    sb_message       m = { .opcode = how == 1 ? SB_OP_STOP_FIRING : SB_OP_START_FIRING };
    if (!p || !p->ship || !p->ship->ship.model) return;
    const sb_ship_class *model = p->ship->ship.model;
    uint32_t             ship = p->ship->object_id;
    int                  child = how < 2 ? -1 : (int)(entry / model->subsystem_count);
    uint32_t             part =
        sb_combat_subsystem_id(w->server->combat, ship, entry % model->subsystem_count, child);
    if (part == 0) part = ship + 1 + entry; /* the room learns it */
    m.as.event = (sb_event){ .event_class = how == 1 ? SB_EVENT_PLAIN : SB_EVENT_START_FIRING,
                             .event_code = how == 1 ? SB_CODE_STOP_FIRING_NOTIFY
                                                    : SB_CODE_START_FIRING_NOTIFY,
                             .destination = part,
                             .target = target };
    if (how == 2)
        m = (sb_message){ .opcode = SB_OP_TORPEDO_FIRE,
                          .as.torpedo_fire = { part, 1, 1, { 127, 0, 0 }, target } };
    if (how == 3)
        m = (sb_message){ .opcode = SB_OP_PULSE_FIRE,
                          .as.pulse_fire = { part, 1, { 127, 0, 0 }, 1, target } };
    send_built(w, who, &m);
}

static void shoot(world *w, unsigned who, script *s)
{
    uint8_t  entry = next_byte(s), how = next_byte(s);
    unsigned at = how & 4 ? HONEST : how >> 3 & 3;
    fire(w, who, how & 3, entry, object_of(w, at, 0));
}

static void act_honestly(world *w, unsigned who, script *s)
{
    uint8_t  what = next_byte(s), bytes[1024];
    script   straight = { (const uint8_t[]){ SB_STATE_POS | SB_STATE_SPEED, 0, 4, 8 }, 4 };
    creation c = { .object_id = object_of(w, HONEST, (uint8_t)(64 | what >> 4)),
                   .species = (uint8_t)(1 + what % 15),
                   .position = { 20, 6, 0 },
                   .set_name = sb_text_span("Multi1") };
    size_t   size = make_creation(w, HONEST, &c, bytes, sizeof bytes);
    if (what % 4 == 0) send_motion(w, HONEST, &straight);
    if (what % 4 == 1) fire(w, HONEST, what >> 7, what >> 2 & 31, object_of(w, who, 0));
    if (what % 4 == 2) send_data(w, HONEST, SB_RELIABLE, bytes, size);
    if (what % 4 == 3) send_data(w, HONEST, SB_RELIABLE, "\x13", 1); /* SelfDestruct */
}

/* ---- datagrams ---- */

static void receive(world *w, sb_endpoint from, sb_span datagram)
{
    (void)!sb_server_receive(w->server, w->now, from, datagram);
}

/* An attacker cannot receive on the honest player's address. */
static sb_endpoint next_source(world *w, script *s)
{
    unsigned from = next_byte(s) % SOURCES;
    return address_of(w, from == HONEST ? SEATS : from);
}

static void send_encrypted(world *w, sb_endpoint from, uint8_t id, script *s)
{
    uint8_t bytes[1 + MESSAGE_MAX] = { id };
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(bytes + 1, rest.data, rest.size);
    sb_encrypt_datagram(bytes, 1 + rest.size);
    receive(w, from, (sb_span){ bytes, 1 + rest.size });
}

static void send_own_datagram(world *w, unsigned who, script *s)
{
    send_encrypted(w, address_of(w, who), w->seats[who].id, s);
}

static void send_strange_datagram(world *w, unsigned who, script *s)
{
    (void)who;
    sb_endpoint from = next_source(w, s);
    uint8_t     id = next_byte(s);
    send_encrypted(w, from, id, s);
}

static void send_plain_datagram(world *w, unsigned who, script *s)
{
    (void)who;
    sb_endpoint from = next_source(w, s);
    receive(w, from, next_bytes(s, next_byte(s)));
}

static void send_again(world *w, unsigned who, script *s)
{
    sb_endpoint from = address_of(w, who);
    from.port = (uint16_t)(from.port + (next_byte(s) & 3));
    receive(w, from, (sb_span){ w->seats[who].last, w->seats[who].last_size });
}

/* Sends one transport message in a datagram of its own. */
static void send_transport(world *w, sb_endpoint from, uint8_t id, const sb_transport_message *m)
{
    uint8_t            bytes[SB_DATAGRAM_MAX];
    sb_datagram_writer writer;
    sb_datagram_writer_init(&writer, bytes, sizeof bytes, id);
    if (sb_datagram_writer_add(&writer, m) != SB_OK) return;
    sb_encrypt_datagram(bytes, writer.size);
    receive(w, from, (sb_span){ bytes, writer.size });
}

static void send_connect(world *w, unsigned who, script *s)
{
    uint8_t     payload[10] = { 10, 0, 0, (uint8_t)who, 0x13, 0x88 };
    sb_endpoint from = next_source(w, s);
    send_transport(w, from, SB_PEER_NONE,
                   &(sb_transport_message){ .type = SB_TRANSPORT_CONNECT,
                                            .reliable = true,
                                            .payload = { payload, sizeof payload } });
}

static void send_numbered(world *w, unsigned who, script *s)
{
    static const uint8_t types[] = { SB_TRANSPORT_DATA, SB_TRANSPORT_NAME, SB_TRANSPORT_DISCONNECT,
                                     SB_TRANSPORT_ACK };
    uint8_t              how = next_byte(s);
    int8_t               distance = (int8_t)next_byte(s);
    sb_span              payload = next_bytes(s, next_byte(s));
    uint8_t              type = types[how & 3];
    uint16_t             expected =
        expected_number(w->server->transport, w->seats[who].id, type == SB_TRANSPORT_DATA);
    send_transport(w, address_of(w, who), w->seats[who].id,
                   &(sb_transport_message){ .type = type,
                                            .reliable = type != SB_TRANSPORT_ACK,
                                            .seq = (uint16_t)(expected + distance),
                                            .fragment = how & 4 && type == SB_TRANSPORT_DATA,
                                            .frag_index = how >> 3 & 3,
                                            .frag_total = how >> 5,
                                            .ack_flags = how >> 3 & 3,
                                            .payload = payload });
}

/* A stranger who knows address, port and id of the honest player, but none of the numbers: they are
 * off by 600 at least. */
static void send_forged(world *w, unsigned who, script *s)
{
    static const uint8_t types[] = { SB_TRANSPORT_DISCONNECT, SB_TRANSPORT_NAME,
                                     SB_TRANSPORT_CONNECT, SB_TRANSPORT_DATA };
    uint8_t              how = next_byte(s), type = types[how & 3];
    int                  distance = 600 + next_byte(s) * 250;
    sb_span              payload = next_bytes(s, next_byte(s));
    uint8_t              id = how & 4 ? SB_PEER_NONE : w->seats[HONEST].id;
    uint16_t             expected =
        expected_number(w->server->transport, w->seats[HONEST].id, type == SB_TRANSPORT_DATA);
    (void)who;
    if (how & 8) receive(w, address_of(w, HONEST), payload);
    else
        send_transport(w, address_of(w, HONEST), id,
                       &(sb_transport_message){ .type = type,
                                                .reliable = true,
                                                .seq = (uint16_t)(expected + distance),
                                                .fragment = how & 16 && type == SB_TRANSPORT_DATA,
                                                .frag_index = how >> 5 & 1,
                                                .frag_total = how >> 6,
                                                .payload = payload });
}

static void query(world *w, unsigned who, script *s)
{
    static const char *const queries[] = { "\\status\\",  "\\basic\\",       "\\info\\",
                                           "\\rules\\",   "\\players\\",     "\\echo\\abc",
                                           "\\packets\\", "\\secure\\abcdef" };
    uint8_t                  which = next_byte(s);
    (void)who;
    receive(w, address_of(w, next_byte(s) % SOURCES), sb_text_span(queries[which & 7]));
}

/* ---- what players and operator do ---- */

static void reconfigure(world *w, uint8_t argument)
{
    sb_server_config c = w->server->config;
    c.name = sb_text_span("Room \\2");
    c.match = w->server->match.config;
    c.match.frag_limit = argument & 3;
    c.collision_damage = argument & 4;
    c.checksums = (sb_checksum_mode)(argument >> 3 & 3);
    c.leave_event = argument & 0x20;
    c.list_older_players = argument & 0x40;
    c.mod_policy[0x2C] = argument & 0x80 ? SB_MOD_TEAM : SB_MOD_DEFAULT;
    static const sb_config_field now[] = {
        SB_CONFIG_FIELD(name),       SB_CONFIG_FIELD(collision_damage),
        SB_CONFIG_FIELD(checksums),  SB_CONFIG_FIELD(leave_event),
        SB_CONFIG_FIELD(mod_policy), SB_CONFIG_FIELD(list_older_players),
    };
    static const sb_config_field  when_empty[] = { SB_CONFIG_FIELD(match) };
    static const sb_config_fields fields = { now, sizeof now / sizeof *now, when_empty, 1 };
    sb_server_reconfigure(w->server, &c, &fields);
}

/* Changes limits of players who connect later, and options that count at once. */
static void change_limits(world *w, uint8_t argument)
{
    sb_server_config c = w->server->config;
    c.max_players = 1 + argument % 8u;
    c.password = argument & 8 ? (sb_span){ (const uint8_t *)"p", 2 } : (sb_span){ NULL, 0 };
    c.transport.peers_per_ip = argument >> 4 & 1;
    c.transport.datagrams_per_s = argument & 0x20 ? 20 : 300;
    c.mod_ships = argument >> 6 & 1 ? SB_MOD_SHIPS_NO : SB_MOD_SHIPS_YES;
    c.player_restart = argument & 0x80;
    static const sb_config_field now[] = {
        SB_CONFIG_FIELD(max_players),
        SB_CONFIG_FIELD(password),
        SB_CONFIG_FIELD(transport.peers_per_ip),
        SB_CONFIG_FIELD(transport.datagrams_per_s),
        SB_CONFIG_FIELD(mod_ships),
        SB_CONFIG_FIELD(player_restart),
    };
    static const sb_config_fields fields = { now, sizeof now / sizeof *now, NULL, 0 };
    sb_server_reconfigure(w->server, &c, &fields);
}

/* Moves the room into memory for more players, if that is possible now, or gives it a master. */
static void move_room(world *w, uint8_t argument)
{
    static void *memory;
    size_t       wanted = sb_server_wanted_bytes(w->server);
    SB_ASSERT(wanted <= ROOM_BYTES_MAX);
    if (!memory) memory = malloc(ROOM_BYTES_MAX);
    SB_ASSERT(memory);
    sb_server *moved = wanted > 0 ? sb_server_move(w->server, memory, w->now) : NULL;
    if (moved) w->server = moved;
    sb_server_set_master(w->server, argument & 1, address_of(w, SEATS), w->now);
}

/* When the machine has too much to do, the room sends less, and at last admits nobody. */
static void change_load(world *w, uint8_t argument)
{
    sb_server_load load = (sb_server_load)(argument % (SB_LOAD_CLOSED + 1));
    sb_server_set_load(w->server, load);
    SB_ASSERT(sb_server_current_load(w->server) == load);
}

/* How a program treats one player: mute, roles, ships of house players. */
static void treat_player(world *w, unsigned what, uint8_t id, uint8_t argument)
{
    switch (what) {
    case MUTE: (void)sb_server_mute(w->server, w->now, id, w->now + argument * SB_SECOND); break;
    case TRUST: (void)sb_server_trust(w->server, id, !(argument & 0x80)); break;
    default: (void)sb_server_dismiss_ship(w->server, w->now, id); break;
    }
}

static void act_as_operator(world *w, unsigned who, script *s)
{
    uint8_t          what = next_byte(s), argument = next_byte(s);
    const sb_player *p = player_of(w, argument % HONEST);
    uint8_t          id = p ? p->peer_id : argument;
    sb_span          text = next_bytes(s, argument >> 3);
    (void)who;
    switch (what < MUTE ? what % 8 : what) {
    case 0: sb_server_say(w->server, w->now, text); break;
    case 1:
        if (p) (void)sb_server_kick(w->server, w->now, id, text); /* never the honest player */
        break;
    case 2: sb_server_end_match(w->server, w->now, (sb_end_reason)(argument % 5)); break;
    case 3: sb_server_restart_match(w->server, w->now); break;
    case 4: reconfigure(w, argument); break;
    case 5: w->now -= argument * SB_SECOND; break; /* a clock that goes back */
    case 6: change_limits(w, argument); break;
    case 7: move_room(w, argument); break;
    case MUTE:
    case TRUST:
    case DISMISS_SHIP: treat_player(w, what, id, argument); break;
    case RESEND_SETTINGS: (void)sb_server_resend_settings(w->server, w->now); break;
    case TELL: (void)sb_server_tell_player(w->server, w->now, id, text); break;
    case LOAD: change_load(w, argument); break;
    default: sb_server_stop(w->server, w->now); w->stopped = true;
    }
}

static void go_on_joining(world *w, unsigned who, script *s)
{
    (void)s;
    continue_join(w, who);
}

static void leave_or_connect(world *w, unsigned who, script *s)
{
    uint8_t what = next_byte(s);
    sb_span name = next_bytes(s, what >> 3);
    if (what % 3 == 1) connect_seat(w, who);
    else if (!w->seats[who].there) return;
    else if (what % 3 == 0) sb_transport_client_leave(w->seats[who].client, w->now);
    else (void)!sb_transport_client_rename(w->seats[who].client, name);
}

static void cut_off(world *w, unsigned who, script *s)
{
    if (next_byte(s) & 1) w->seats[who].mute = !w->seats[who].mute;
    else w->seats[who].deaf = !w->seats[who].deaf;
}

/* ---- the input ---- */

static action *const actions[32] = {
    jump,
    send_reliable,
    send_unreliable,
    send_state,
    send_creation,
    send_event,
    send_own_datagram,
    send_plain_datagram,
    act_as_operator,
    go_on_joining,
    send_shot,
    leave_or_connect,
    pass_ticks,
    query,
    cut_off,
    send_short,
    send_message,
    send_message_unreliably,
    send_changed,
    send_changed_unreliably,
    send_message,
    send_message_unreliably,
    send_forged,
    send_forged,
    send_strange_datagram,
    send_connect,
    send_numbered,
    send_again,
    pass_seconds,
    act_honestly,
    send_motion,
    shoot,
};

static uint64_t run(const uint8_t *data, size_t size)
{
    script s = { data, size };
    world *w = restore_world(next_byte(&s) % ROOM_KINDS);
    for (unsigned i = 0; s.left > 0 && i < STEPS_MAX; i++) {
        uint8_t what = next_byte(&s);
        sb_time before = w->now;
        actions[(what & 15) | (what & 0x40) >> 2](w, what >> 4 & 3, &s);
        if (!(what & 0x80) || w->now != before) step_world(w);
    }
    step_world(w);
    check_world(w);
    return w->digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned executions;
    uint64_t        digest = run(data, size);
    if (executions++ % 1024 == 0) {
        uint64_t again = run(data, size);
        SB_ASSERT(digest == again);
    }
    return 0;
}
