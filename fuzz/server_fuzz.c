/* fuzz/server_fuzz.c -- a room with a running match, and players who send anything at any time.
 *
 * Players 0 to 3 do what the input says: 0 flies, 1 has no ship, 2 is in the middle of the join, 3
 * has just connected. Player 4 is honest and flies; 5 is an address that never connected. Byte 0 of
 * the input: how far the join of player 2 is (low three bits), team mode (bit 3), strict checksums
 * (bit 4). One byte per step follows: the low nibble is the action, the high nibble the player.
 * Actions and their arguments:
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
 *  12  time passes in ticks   1 byte (low nibble), 33 ms each
 *  13  a query                query, source address
 *  14  deaf                   on or off: the player receives and acknowledges nothing
 *  15  ramming, requests      opcode, two objects, 4 bytes of force
 *
 * Checks after every step: sb_server_check; the room has nothing left to do at this time; reported
 * texts are clean; the honest player is still connected and can decode all received messages.
 */
#include <starbase/cipher.h>
#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "script.h"
#include "server/server_internal.h"
#include "server/testing.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    FLYING,
    LOBBY,
    JOINING,
    FRESH,
    HONEST,
    SEATS,
    STRANGER = SEATS,
    ROUNDS_MAX = 5000,
    JOIN_STATES = 8,
    MESSAGE_MAX = 255,
    STEPS_MAX = 200,
};

typedef struct seat {
    sb_transport_client *client;
    uint16_t             port;
    uint8_t              id;
    bool                 there, deaf, left;
} seat;

typedef struct world {
    sb_time    now;
    sb_server *server;
    seat       seats[SEATS];
    bool       stopped;
} world;

/* All state in one block. A running match is built once per starting state, saved, and copied back
 * for every input. */
static struct {
    uint8_t *memory, *saved[JOIN_STATES * 4];
    size_t   size, client_bytes;
    world   *world;
} box;

static const sb_endpoint server_address = { 0x0A000001, 22101 };

static sb_endpoint address_of(const world *w, unsigned who)
{
    uint16_t port = who < SEATS ? w->seats[who].port : 6000;
    return (sb_endpoint){ 0xC0A80010u + who, port };
}

/* ---- checks ---- */

static void check_vector(sb_vec3 v)
{
    SB_ASSERT(sb_float_is_finite(v.x));
    SB_ASSERT(sb_float_is_finite(v.y));
    SB_ASSERT(sb_float_is_finite(v.z));
}

/* Besides sb_server_check: the room has nothing left to do at this time, and the honest player is
 * still connected. */
static void check_world(const world *w)
{
    sb_server_check(w->server);
    SB_ASSERT(sb_server_next_deadline(w->server) > w->now);
    SB_ASSERT(w->stopped || !w->seats[HONEST].left);
}

/* Reported texts are UTF-8 without control characters: no byte below 0x20 and no 0x7F. */
static void check_text(sb_span text)
{
    for (size_t i = 0; i < text.size; i++) SB_ASSERT(text.data[i] >= 0x20 && text.data[i] != 0x7F);
}

static void check_event(void *context, const sb_server_event *event)
{
    (void)context;
    SB_ASSERT(event->type < SB_SERVER_EVENT_TYPES && sb_server_event_name(event->type));
    check_text(event->name);
    check_text(event->text);
}

/* ---- delivery of datagrams ---- */

static bool is_mod(uint8_t opcode)
{
    return sb_find_message_type(opcode)->relay == SB_RELAY_CONFIGURABLE;
}

static void receive_messages(world *w, unsigned who)
{
    static sb_message  m;
    sb_transport_event e;
    seat              *c = &w->seats[who];
    while (sb_transport_client_next_event(c->client, w->now, &e)) {
        if (e.type == SB_EVENT_JOINED) c->id = e.peer_id;
        if (e.type == SB_EVENT_LEFT && (e.peer_id == c->id || e.peer_id == SB_PEER_NONE))
            c->left = true;
        if (e.type == SB_EVENT_MESSAGE && who == HONEST && !is_mod(e.bytes.data[0])) {
            sb_result decoded = sb_decode_message(e.bytes, NULL, &m, NULL);
            SB_ASSERT(decoded == SB_OK);
        }
    }
}

static bool step_server(world *w)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    bool        any = false;
    sb_server_advance(w->server, w->now);
    while ((size = sb_server_write(w->server, w->now, &to, out)) > 0) {
        SB_ASSERT(size <= sizeof out);
        unsigned who = to.address - address_of(w, 0).address;
        any = true;
        if (who >= SEATS || w->seats[who].deaf || to.port != w->seats[who].port) continue;
        (void)!sb_transport_client_receive(w->seats[who].client, w->now, server_address,
                                           (sb_span){ out, size });
        receive_messages(w, who);
    }
    return any;
}

static void step_world(world *w)
{
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size;
    bool    any = true;
    for (int steps = 0; any; steps++) {
        SB_ASSERT(steps < ROUNDS_MAX);
        any = step_server(w);
        for (unsigned i = 0; i < SEATS; i++) {
            if (!w->seats[i].there) continue;
            receive_messages(w, i);
            while ((size = sb_transport_client_write(w->seats[i].client, w->now, out)) > 0) {
                (void)!sb_server_receive(w->server, w->now, address_of(w, i),
                                         (sb_span){ out, size });
                any = true;
            }
        }
    }
    check_world(w);
}

/* ---- seats ---- */

static void connect_seat(world *w, unsigned who)
{
    static const uint8_t       names[SEATS][4] = { "F\0l", "L\0y", "C\0\\", "F\0\n", "H\0o" };
    sb_transport_client_config c;
    sb_transport_client_defaults(&c);
    c.server = server_address;
    c.cells = 384;
    c.name = (sb_span){ names[who], 4 };
    c.local_port = ++w->seats[who].port;
    void *memory = w->seats[who].client;
    SB_ASSERT(sb_transport_client_bytes(&c) <= box.client_bytes);
    w->seats[who].client = sb_transport_client_init(memory, &c, w->now);
    w->seats[who].id = SB_PEER_NONE;
    w->seats[who].left = w->seats[who].deaf = false;
    w->seats[who].there = true;
}

static sb_player *player_of(world *w, unsigned who)
{
    return who < SEATS ? sb_server_find_player(w->server, w->seats[who].id) : NULL;
}

static void send_data(world *w, unsigned who, sb_delivery delivery, const void *bytes, size_t size)
{
    if (size > 0)
        (void)!sb_transport_client_send(w->seats[who].client, delivery, (sb_span){ bytes, size });
    step_world(w);
}

/* Sends the honest answer to the pending message of the join, if there is one. */
static void continue_join(world *w, unsigned who)
{
    static uint8_t   answer[SB_CHECKSUM_RESPONSE_MAX];
    const sb_player *p = player_of(w, who);
    size_t           size = 0;
    if (!p) return;
    if (p->phase == SB_PLAYER_LOADING) send_data(w, who, SB_RELIABLE, "\x2A\x20", 2);
    if (p->phase == SB_PLAYER_UPDATING) send_data(w, who, SB_RELIABLE, "\x27", 1);
    if (p->phase == SB_PLAYER_SYNCING && who == JOINING) { /* no such files: spec 06 §5.2 */
        send_data(w, who, SB_RELIABLE, "\x21\xFF\x40\xD1\x94\x87", 6);
        return;
    }
    if (p->phase != SB_PLAYER_CHECKING && p->phase != SB_PLAYER_SYNCING) return;
    const sb_checksum_round *round = &sb_checksum_rounds()[p->round];
    sb_checksum_request      request = { .index = round->index,
                                         .directory = sb_text_span(round->directory),
                                         .filter = sb_text_span(round->filter),
                                         .recursive = round->recursive };
    sb_result                answered =
        sb_manifest_answer(sb_vanilla_manifest(), &request, answer, sizeof answer, &size);
    SB_ASSERT(answered == SB_OK);
    send_data(w, who, SB_RELIABLE, answer, size);
}

/* ---- actions of the input ---- */

/* An object id: the player's own ship, an id in the player's block or in another block, or a small
 * number. */
static uint32_t object_of(world *w, unsigned who, uint8_t which)
{
    const sb_player *p = player_of(w, who);
    if (which < 64 && p && p->ship) return p->ship->object_id;
    if (which >= 250) return which == 255 ? 0 : which;
    unsigned slot = which < 128 && p ? (unsigned)(p - w->server->players) : which >> 4 & 7;
    return sb_slot_first_id(slot) + (which & 15u) * 64u;
}

static void send_state(world *w, unsigned who, script *s)
{
    uint8_t message[5 + MESSAGE_MAX] = { SB_OP_STATE_UPDATE };
    sb_store_u32(message + 1, object_of(w, who, next_byte(s)));
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(message + 5, rest.data, rest.size);
    send_data(w, who, SB_UNRELIABLE, message, 5 + rest.size);
}

static size_t make_creation(world *w, unsigned who, script *s, uint8_t *out, size_t capacity)
{
    uint32_t         id = object_of(w, who, next_byte(s) | 64);
    uint8_t          species = next_byte(s), kind = next_byte(s);
    sb_span          name = next_bytes(s, next_byte(s) & 31);
    const sb_player *p = player_of(w, who);
    sb_message       m = { .opcode = kind & 1 ? SB_OP_OBJECT_CREATE : SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship          ship;
    size_t           size = 0;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species, id);
    ship.motion.position = (sb_vec3){ (float)(kind >> 1), (float)species, 0 };
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)(p ? p - w->server->players : 0);
    m.as.object_create.peer_id = p ? p->peer_id : 0;
    m.as.object_create.name = name;
    m.as.object_create.set_name = sb_text_span(kind & 0x80 ? "Multi2" : "Multi1");
    /* A species without data with a snapshot that is too long to be kept. */
    static const uint8_t long_snapshot[600];
    if (!ship.model && kind & 0x40)
        m.as.object_create.opaque = (sb_span){ long_snapshot, sizeof long_snapshot };
    if (sb_encode_message(&m, NULL, out, capacity, &size) != SB_OK) return 0;
    return size;
}

static void send_creation(world *w, unsigned who, script *s)
{
    uint8_t bytes[1024];
    send_data(w, who, SB_RELIABLE, bytes, make_creation(w, who, s, bytes, sizeof bytes));
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

static void receive_datagram(world *w, unsigned from, sb_span datagram)
{
    (void)!sb_server_receive(w->server, w->now, address_of(w, from), datagram);
    step_world(w);
}

static void send_own_datagram(world *w, unsigned who, script *s)
{
    uint8_t bytes[1 + MESSAGE_MAX] = { w->seats[who].id };
    sb_span rest = next_bytes(s, next_byte(s));
    if (rest.size > 0) memcpy(bytes + 1, rest.data, rest.size);
    sb_encrypt_datagram(bytes, 1 + rest.size);
    receive_datagram(w, who, (sb_span){ bytes, 1 + rest.size });
}

static void send_any_datagram(world *w, script *s)
{
    unsigned from = next_byte(s) % (SEATS + 1);
    if (from == HONEST)
        from = STRANGER; /* an attacker cannot receive on the honest player's address */
    receive_datagram(w, from, next_bytes(s, next_byte(s)));
}

static void query(world *w, script *s)
{
    static const char *const queries[] = { "\\status\\",  "\\basic\\",       "\\info\\",
                                           "\\rules\\",   "\\players\\",     "\\echo\\abc",
                                           "\\packets\\", "\\secure\\abcdef" };
    uint8_t                  which = next_byte(s);
    receive_datagram(w, next_byte(s) % (SEATS + 1), sb_text_span(queries[which & 7]));
}

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

static void act_as_operator(world *w, script *s)
{
    uint8_t          what = next_byte(s), argument = next_byte(s);
    const sb_player *p = player_of(w, argument % HONEST);
    sb_span          text = next_bytes(s, argument >> 3);
    if (what % 8 == 0) sb_server_say(w->server, w->now, text);
    if (what % 8 == 1 && p) (void)sb_server_kick(w->server, w->now, p->peer_id, text);
    if (what % 8 == 2) sb_server_end_match(w->server, w->now, (sb_end_reason)(argument % 5));
    if (what % 8 == 3) sb_server_restart_match(w->server, w->now);
    if (what % 8 == 4) reconfigure(w, argument);
    if (what % 8 == 5) w->now -= argument * SB_SECOND; /* a clock that goes back */
    if (what == 255) {
        sb_server_stop(w->server, w->now);
        w->stopped = true;
    }
    step_world(w);
}

static void leave_or_connect(world *w, unsigned who, script *s)
{
    uint8_t what = next_byte(s);
    sb_span name = next_bytes(s, what >> 3);
    if (what % 3 == 0) sb_transport_client_leave(w->seats[who].client, w->now);
    else if (what % 3 == 1) connect_seat(w, who);
    else (void)!sb_transport_client_rename(w->seats[who].client, name);
    step_world(w);
}

static void send_bytes(world *w, unsigned who, sb_delivery delivery, script *s)
{
    sb_span bytes = next_bytes(s, next_byte(s));
    send_data(w, who, delivery, bytes.data, bytes.size);
}

static void step(world *w, script *s)
{
    uint8_t  what = next_byte(s);
    unsigned who = what >> 4 & 3;
    switch (what & 15) {
    case 0:
        w->now += next_byte(s) * (SB_SECOND / 100);
        step_world(w);
        break;
    case 1:
    case 2: send_bytes(w, who, (what & 15) == 1 ? SB_RELIABLE : SB_UNRELIABLE, s); break;
    case 3: send_state(w, who, s); break;
    case 4: send_creation(w, who, s); break;
    case 5: send_event(w, who, s); break;
    case 6: send_own_datagram(w, who, s); break;
    case 7: send_any_datagram(w, s); break;
    case 8: act_as_operator(w, s); break;
    case 9: continue_join(w, who); break;
    case 10: send_shot(w, who, s); break;
    case 11: leave_or_connect(w, who, s); break;
    case 12:
        for (unsigned i = next_byte(s) & 15; i > 0; i--) {
            w->now += SB_SECOND / 30;
            step_world(w);
        }
        break;
    case 13: query(w, s); break;
    case 14: w->seats[who].deaf = !w->seats[who].deaf; break;
    case 15: send_short(w, who, s); break;
    default: break;
    }
}

/* The views of the room that displays use are valid. */
static void check_views(const world *w)
{
    sb_player_view   view;
    sb_server_status status;
    unsigned         count = 0;
    for (; sb_server_player(w->server, count, w->now, &view); count++) {
        SB_ASSERT(memchr(view.name, 0, sizeof view.name) != NULL);
        check_text(sb_text_span(view.name));
        check_vector(view.position);
        SB_ASSERT(view.phase > SB_PLAYER_FREE && view.phase < SB_PLAYER_PHASES);
    }
    sb_server_status_of(w->server, &status);
    SB_ASSERT(sb_server_player_count(w->server) <= count);
    SB_ASSERT(status.player_count == sb_server_player_count(w->server));
    SB_ASSERT(status.name_count <= SB_STATUS_PLAYERS_MAX);
}

/* ---- starting states ---- */

static void spawn(world *w, unsigned who, uint8_t species, uint8_t place)
{
    uint8_t bytes[1024];
    script  s = { (const uint8_t[]){ 64, species, (uint8_t)(place << 1), 0 }, 4 };
    send_data(w, who, SB_RELIABLE, bytes, make_creation(w, who, &s, bytes, sizeof bytes));
}

static void build_match(world *w, unsigned state)
{
    for (unsigned i = 0; i < SEATS; i++) {
        if (i == JOINING || i == FRESH) continue;
        connect_seat(w, i);
        for (unsigned round = 0; round <= SB_CHECKSUM_ROUNDS + 1; round++) {
            step_world(w);
            continue_join(w, i);
        }
    }
    spawn(w, FLYING, 5, 10);
    spawn(w, HONEST, 6, 20);
    w->now += 2 * SB_SECOND;
    step_world(w);
    if (state % JOIN_STATES == 7)
        sb_server_end_match(w->server, w->now,
                            SB_END_TIME); /* player 2 then waits for a new match */
    connect_seat(w, JOINING);
    step_world(w);
    for (unsigned i = 0; i < state % JOIN_STATES && i < 6; i++) continue_join(w, JOINING);
    connect_seat(w, FRESH);
    step_world(w);
}

/* A short and a long file for clients (spec 06 §5.4). */
static const sb_client_file *make_files(void)
{
    static uint8_t        messages[2][20000] = { { 0x25, 1, 0, 'a' }, { 0x25, 1, 0, 'b' } };
    static sb_client_file files[2];
    files[0] = (sb_client_file){ 1, "", 1, 2, "a", { messages[0], 50 } };
    files[1] = (sb_client_file){ 1, "", 3, 4, "b", { messages[1], sizeof messages[1] } };
    return files;
}

static void build(unsigned state)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.max_players = 6;
    c.transport.peers_per_ip = 0;
    c.on_event = check_event;
    c.trace_damage = true;
    if (state & JOIN_STATES) c.match.mode = sb_find_mode("team");
    if (state & 2 * JOIN_STATES) c.checksums = SB_CHECKSUM_STRICT;
    c.lane_distance = (state & 2 * JOIN_STATES) != 0;
    c.client_sets = c.lane_distance;
    if (state & JOIN_STATES) c.files = make_files();
    if (state & JOIN_STATES) c.file_count = 2;
    if (state & JOIN_STATES) c.system = 9; /* has two sets: ships can warp */
    sb_transport_client_config client;
    sb_transport_client_defaults(&client);
    client.cells = 384;
    size_t header = (sizeof(world) + 63) / 64 * 64, room = (sb_server_bytes(&c) + 63) / 64 * 64;
    if (!box.memory) {
        box.client_bytes = (sb_transport_client_bytes(&client) + 63) / 64 * 64;
        box.size = header + room + SEATS * box.client_bytes;
        box.memory = aligned_alloc(64, box.size);
        SB_ASSERT(box.memory);
        box.world = (world *)box.memory;
    }
    memset(box.memory, 0, box.size);
    world *w = box.world;
    w->now = 100 * SB_SECOND;
    w->server = sb_server_init(box.memory + header, &c, w->now);
    for (unsigned i = 0; i < SEATS; i++) {
        void *memory = box.memory + header + room + i * box.client_bytes;
        w->seats[i] = (seat){ .client = memory, .port = 5000 };
    }
    SB_ASSERT(w->server);
    build_match(w, state);
    box.saved[state] = malloc(box.size);
    SB_ASSERT(box.saved[state]);
    memcpy(box.saved[state], box.memory, box.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script   s = { data, size };
    unsigned state = next_byte(&s) % (4 * JOIN_STATES);
    if (!box.saved[state]) build(state);
    memcpy(box.memory, box.saved[state], box.size);
    for (unsigned i = 0; s.left > 0 && i < STEPS_MAX; i++) step(box.world, &s);
    check_views(box.world);
    return 0;
}
