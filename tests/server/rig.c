/* tests/server/rig.c -- opens rooms, connects seats, and moves time forward. */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "player_messages.h"
#include "sent_message.h"
#include "server/limits.h"
#include "server/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOMS_KEPT = 2, STEPS_MAX = 100000, HEADER_BYTES = 28 /* of UDP and IP */ };

static struct {
    room  *room;
    void  *memory[8 + 2 * ROOM_SEATS_MAX];
    size_t memory_count;
} kept[ROOMS_KEPT];
static size_t next_kept;

static void *keep(void *memory)
{
    CHECK(memory != NULL);
    kept[next_kept].memory[kept[next_kept].memory_count++] = memory;
    return memory;
}

static void store_event(void *context, const sb_server_event *event)
{
    room       *r = context;
    room_event *e = &r->events[r->event_count % ROOM_EVENTS_MAX];
    r->event_count++;
    e->event = *event;
    e->hit = event->combat && event->combat->type == SB_COMBAT_HIT;
    snprintf(e->text, sizeof e->text, "%.*s", (int)event->text.size,
             (const char *)event->text.data);
    snprintf(e->name, sizeof e->name, "%.*s", (int)event->name.size,
             (const char *)event->name.data);
}

room *room_open(const sb_server_config *config)
{
    sb_server_config c;
    if (config) c = *config;
    else sb_server_defaults(&c);
    next_kept = (next_kept + 1) % ROOMS_KEPT;
    if (kept[next_kept].room) {
        for (size_t i = 0; i < kept[next_kept].memory_count; i++) free(kept[next_kept].memory[i]);
        for (unsigned i = 0; i < kept[next_kept].room->seat_count; i++) {
            free(kept[next_kept].room->seats[i].heard);
            free(kept[next_kept].room->seats[i].file);
        }
        free(kept[next_kept].room->events);
        free(kept[next_kept].room);
    }
    kept[next_kept].memory_count = 0;
    room *r = kept[next_kept].room = calloc(1, sizeof *r);
    CHECK(r != NULL);
    r->events = calloc(ROOM_EVENTS_MAX, sizeof *r->events);
    r->now = 1000 * SB_SECOND;
    c.on_event = store_event;
    c.event_context = r;
    if (!config) c.transport.peers_per_ip = 0; /* for tests with many ports of one address */
    size_t bytes = sb_server_bytes(&c);
    CHECK(bytes > 0);
    r->server = sb_server_init(keep(malloc(bytes)), &c, r->now);
    CHECK(r->server != NULL);
    return r;
}

void room_reconfigure(room *r, const sb_server_config *config)
{
    static const sb_config_field now[] = {
        SB_CONFIG_FIELD(name),
        SB_CONFIG_FIELD(collision_damage),
        SB_CONFIG_FIELD(friendly_fire),
        SB_CONFIG_FIELD(restart_us),
        SB_CONFIG_FIELD(manifests),
        SB_CONFIG_FIELD(manifest_count),
        SB_CONFIG_FIELD(files),
        SB_CONFIG_FIELD(file_count),
        SB_CONFIG_FIELD(file_bytes_per_s),
    };
    static const sb_config_field when_empty[] = {
        SB_CONFIG_FIELD(match),
        SB_CONFIG_FIELD(system),
        SB_CONFIG_FIELD(system_name),
    };
    static const sb_config_fields fields = { now, sizeof now / sizeof *now, when_empty,
                                             sizeof when_empty / sizeof *when_empty };
    sb_server_reconfigure(r->server, config, &fields);
}

sb_endpoint room_stranger(unsigned number)
{
    return (sb_endpoint){ 0xC0A80000u + number, 40000 };
}

static sb_endpoint seat_address(unsigned number)
{
    return (sb_endpoint){ 0x0A0A0A00u + number, 30000 };
}

static sb_endpoint server_address(void)
{
    return (sb_endpoint){ 0x0A000001, 22101 };
}

/* ---- received messages ---- */

static void handle_left(seat *s, const sb_transport_event *e)
{
    if (e->peer_id == s->id || e->peer_id == SB_PEER_NONE) {
        s->left = true;
        s->left_reason = e->reason;
        s->boot_reason = e->boot_reason;
    } else if (s->gone_count < sizeof s->gone) {
        s->gone[s->gone_count++] = e->peer_id;
    }
}

/* Stores a whole FileTransfer; returns how much of it `heard` can hold. */
static size_t store_file(seat *s, sb_span message, const heard *h)
{
    if (!s->file) s->file = malloc(SB_PAYLOAD_MAX);
    CHECK(s->file != NULL);
    memcpy(s->file, message.data, s->file_size = message.size);
    return message.size < sizeof h->bytes ? message.size : sizeof h->bytes;
}

static void receive_messages(room *r, seat *s)
{
    sb_transport_event e;
    while (sb_transport_client_next_event(s->client, r->now, &e)) {
        if (e.type == SB_EVENT_JOINED) s->id = e.peer_id;
        if (e.type == SB_EVENT_NAMED && e.peer_id != s->id) s->named_somebody = true;
        if (e.type == SB_EVENT_LEFT) handle_left(s, &e);
        if (e.type != SB_EVENT_MESSAGE) continue;
        check_sent_message(&e);
        s->by_opcode[e.bytes.data[0]]++;
        CHECK(s->heard_count < SEAT_HEARD_MAX);
        heard *h = &s->heard[s->heard_count++];
        h->delivery = e.delivery;
        h->size = e.bytes.size;
        if (e.bytes.data[0] == SB_OP_FILE_TRANSFER) h->size = store_file(s, e.bytes, h);
        CHECK(h->size <= sizeof h->bytes);
        memcpy(h->bytes, e.bytes.data, h->size);
    }
}

static seat *seat_at(room *r, sb_endpoint address)
{
    for (unsigned i = 0; i < r->seat_count; i++)
        if (r->seats[i].address.address == address.address &&
            r->seats[i].address.port == address.port)
            return &r->seats[i];
    return NULL;
}

static bool step_server(room *r)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size;
    bool        any = false;
    sb_server_advance(r->server, r->now);
    while ((size = sb_server_write(r->server, r->now, &to, out))) {
        seat *s = seat_at(r, to);
        any = true;
        if (s) {
            s->datagrams_in++;
            s->bytes_in += size + HEADER_BYTES;
            (void)!sb_transport_client_receive(s->client, r->now, server_address(),
                                               (sb_span){ out, size });
            receive_messages(r, s);
        } else {
            r->answers++;
            r->answer_bytes += size;
            memcpy(r->last_answer, out, r->last_answer_size = size);
        }
    }
    return any;
}

static bool step_seat(room *r, seat *s)
{
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size;
    bool    any = false;
    receive_messages(r, s);
    while ((size = sb_transport_client_write(s->client, r->now, out))) {
        if (!s->muted)
            (void)!sb_server_receive(r->server, r->now, s->address, (sb_span){ out, size });
        any = true;
    }
    return any;
}

void room_step(room *r)
{
    for (bool any = true; any;) {
        any = step_server(r);
        for (unsigned i = 0; i < r->seat_count; i++) any |= step_seat(r, &r->seats[i]);
        if (++r->steps > STEPS_MAX) FAIL("the room always has something to send");
    }
    CHECK(sb_server_next_deadline(r->server) >
          r->now); /* else a program would loop without sleeping */
    sb_server_check(r->server);
    r->steps = 0;
}

static sb_time next_time(const room *r)
{
    sb_time next = sb_server_next_deadline(r->server);
    for (unsigned i = 0; i < r->seat_count; i++) {
        sb_time at = sb_transport_client_next_deadline(r->seats[i].client);
        if (at < next) next = at;
    }
    return next;
}

void room_wait(room *r, sb_time duration)
{
    sb_time end = r->now + duration;
    room_step(r);
    for (sb_time next; (next = next_time(r)) <= end;) {
        if (next > r->now) r->now = next;
        room_step(r);
    }
    r->now = end;
    room_step(r);
}

bool room_move(room *r)
{
    size_t bytes = sb_server_wanted_bytes(r->server);
    CHECK(bytes > 0);
    sb_server *moved = sb_server_move(r->server, keep(malloc(bytes)), r->now);
    if (!moved) return false;
    r->server = moved;
    room_step(r);
    return true;
}

sb_result room_give(room *r, sb_endpoint from, sb_span datagram)
{
    sb_result result = sb_server_receive(r->server, r->now, from, datagram);
    room_step(r);
    return result;
}

/* ---- seats ---- */

seat *room_connect(room *r, const char *name)
{
    return room_connect_from(r, name, seat_address(r->seat_count + 1));
}

seat *room_connect_from(room *r, const char *name, sb_endpoint address)
{
    CHECK(r->seat_count < ROOM_SEATS_MAX);
    seat *s = &r->seats[r->seat_count++];
    *s = (seat){ .id = SB_PEER_NONE, .address = address };
    if (r->one_address)
        s->address = (sb_endpoint){ 0x0A0A0B01u, (uint16_t)(30000 + r->seat_count) };
    s->heard = calloc(SEAT_HEARD_MAX, sizeof *s->heard);
    sb_transport_client_config c;
    sb_transport_client_defaults(&c);
    uint8_t utf16[2 * SB_NAME_UNITS] = { 0 };
    size_t  length = strlen(name) < SB_NAME_UNITS ? strlen(name) : SB_NAME_UNITS;
    for (size_t i = 0; i < length; i++) utf16[2 * i] = (uint8_t)name[i];
    c.name = (sb_span){ utf16, 2 * length };
    uint8_t password[2 * SB_PASSWORD_UNITS] = { 0 };
    size_t  units = r->password ? strlen(r->password) : 0;
    for (size_t i = 0; i < units; i++) password[2 * i] = (uint8_t)r->password[i];
    c.password = (sb_span){ password, 2 * units };
    c.server = server_address();
    c.local_address = s->address.address;
    c.local_port = s->address.port;
    c.cells = 1024;
    s->client = sb_transport_client_init(keep(malloc(sb_transport_client_bytes(&c))), &c, r->now);
    room_step(r);
    return s;
}

bool seat_is_removed(room *r, const seat *s)
{
    room_wait(r, 7 * SB_SECOND);
    return s->left;
}

void seat_say(room *r, seat *s, sb_delivery delivery, sb_span message)
{
    CHECK_EQ(sb_transport_client_send(s->client, delivery, message), SB_OK);
    room_step(r);
}

uint32_t seat_first_id(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id) return sb_slot_first_id(view.slot);
    FAIL("player %u is not there", s->id);
}

static size_t bytes_of(const room *r, const seat *s, const char *hex, uint8_t *out, size_t capacity)
{
    uint32_t ship_id = strstr(hex, "{ship}") ? seat_first_id(r, s) : 0;
    return player_hex(hex, s->id, ship_id, out, capacity);
}

void seat_say_message(room *r, seat *s, const sb_message *message)
{
    uint8_t bytes[512];
    size_t  size;
    CHECK_EQ(sb_encode_message(message, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, size });
}

sb_message event_message(uint8_t opcode, uint32_t event_class, uint32_t code, uint32_t part)
{
    sb_message m = { .opcode = opcode };
    m.as.event = (sb_event){ .event_class = event_class, .event_code = code, .destination = part };
    return m;
}

void seat_say_hex(room *r, seat *s, const char *hex)
{
    uint8_t bytes[2048];
    size_t  size = bytes_of(r, s, hex, bytes, sizeof bytes);
    bool    is_state = size > 0 && bytes[0] == SB_OP_STATE_UPDATE;
    seat_say(r, s, is_state ? SB_UNRELIABLE : SB_RELIABLE, (sb_span){ bytes, size });
}

void seat_forget(seat *s)
{
    s->heard_next = s->heard_count = 0;
}

void room_forget(room *r)
{
    for (unsigned i = 0; i < r->seat_count; i++) seat_forget(&r->seats[i]);
}

sb_span seat_next(seat *s)
{
    while (s->heard_next < s->heard_count) {
        const heard *h = &s->heard[s->heard_next++];
        if (h->bytes[0] != SB_OP_STATE_UPDATE) return (sb_span){ h->bytes, h->size };
    }
    return (sb_span){ NULL, 0 };
}

sb_span seat_find(seat *s, uint8_t opcode)
{
    while (s->heard_next < s->heard_count) {
        const heard *h = &s->heard[s->heard_next++];
        if (h->bytes[0] == opcode) return (sb_span){ h->bytes, h->size };
    }
    return (sb_span){ NULL, 0 };
}

void seat_expect(const char *file, int line, room *r, seat *s, const char *hex)
{
    uint8_t expected[2048];
    size_t  size = bytes_of(r, s, hex, expected, sizeof expected);
    sb_span message = seat_next(s);
    test_check_bytes(file, line, "the next message", message.data, message.size, expected, size);
}

void seat_answer_round(room *r, seat *s, const sb_manifest *manifest)
{
    seat_say(r, s, SB_RELIABLE, player_checksum_answer(seat_find(s, 0x20), manifest));
}

void seat_pass_checksums(room *r, seat *s)
{
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, s, sb_vanilla_manifest());
    CHECK(seat_find(s, SB_OP_GAME_INIT).size > 0);
}

seat *room_load(room *r, const char *name)
{
    seat *s = room_connect(r, name);
    seat_pass_checksums(r, s);
    seat_forget(s);
    return s;
}

seat *room_join(room *r, const char *name)
{
    return room_join_from(r, name, seat_address(r->seat_count + 1));
}

seat *room_join_from(room *r, const char *name, sb_endpoint address)
{
    seat *s = room_connect_from(r, name, address);
    CHECK(s->id != SB_PEER_NONE);
    seat_pass_checksums(r, s);
    seat_say_hex(r, s, "2A 20");
    CHECK(seat_find(s, 0x35).size > 0);
    seat_forget(s);
    return s;
}

pair open_pair(const sb_server_config *config)
{
    pair t = { .r = room_open(config) };
    t.a = room_join(t.r, "Alpha");
    t.b = room_join(t.r, "Beta");
    return t;
}

void seat_leave(room *r, seat *s)
{
    sb_transport_client_leave(s->client, r->now);
    room_wait(r, 7 * SB_SECOND); /* the silence of an idle player (spec 01 §8.4) */
}

uint32_t seat_spawn(room *r, seat *s, uint8_t species, sb_vec3 position)
{
    return seat_spawn_in(r, s, species, position, "Multi1");
}

uint32_t seat_replace(room *r, seat *s, uint8_t species, sb_vec3 position)
{
    uint32_t id = seat_spawn(r, s, species, position);
    room_wait(r, SECOND_SHIP_WAIT_US);
    return id;
}

uint32_t seat_spawn_in(room *r, seat *s, uint8_t species, sb_vec3 position, const char *set)
{
    uint8_t  bytes[512];
    size_t   size;
    uint32_t id = seat_first_id(r, s);
    while (true) { /* the id must be above those of the player's earlier ships */
        bool           taken = false;
        sb_player_view view;
        for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
            if (view.ship && view.ship->object_id >= id && view.peer_id == s->id) {
                id = view.ship->object_id + 64;
                taken = true;
            }
        if (!taken) break;
    }
    size = player_creation(species, id, s->id, position, set, bytes, sizeof bytes);
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, size });
    return id;
}

/* ---- ships ---- */

enum { FORWARD_TUBE = 0x06, PHASERS = 0x19, PHOTON = 14 }; /* of a Sovereign; a projectile */

sb_player_view seat_view(const room *r, const seat *s)
{
    sb_player_view view;
    for (unsigned i = 0; sb_server_player(r->server, i, r->now, &view); i++)
        if (view.peer_id == s->id && view.ship) return view;
    FAIL("no ship of player %u", s->id);
}

void seat_say_position(room *r, seat *s, uint32_t ship, sb_vec3 position)
{
    uint8_t    bytes[64];
    size_t     size;
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    m.as.state_update = (sb_state_update){ .object_id = ship,
                                           .game_time = (float)(r->now - 1000 * SB_SECOND) / 1e6f,
                                           .flags = SB_STATE_POS,
                                           .position = position };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(r, s, SB_UNRELIABLE, (sb_span){ bytes, size });
}

void seat_open_fire(room *r, seat *s, uint32_t ship, uint32_t target)
{
    sb_message m = event_message(SB_OP_START_FIRING, SB_EVENT_START_FIRING,
                                 SB_CODE_START_FIRING_NOTIFY, ship + 1 + PHASERS);
    m.as.event.target = target;
    seat_say_message(r, s, &m);
}

void seat_fire_torpedo(room *r, seat *s, uint32_t ship, uint32_t target)
{
    sb_message m = { .opcode = SB_OP_TORPEDO_FIRE };
    m.as.torpedo_fire = (sb_torpedo_fire){ .tube = ship + 1 + FORWARD_TUBE,
                                           .projectile_type = PHOTON,
                                           .flags = target ? 1 : 5,
                                           .direction = sb_encode_cv3((sb_vec3){ 0, 1, 0 }),
                                           .target = target };
    seat_say_message(r, s, &m);
}

void seat_collide(room *r, seat *s, uint32_t ship, uint32_t other, float force)
{
    sb_message m = event_message(SB_OP_COLLISION, SB_EVENT_COLLISION, SB_CODE_COLLISION, ship);
    m.as.event.source = other;
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] =
        (sb_cv4b){ { -7, 126, 2 }, 216 }; /* damages eight parts and the hull */
    m.as.event.force = force;
    seat_say_message(r, s, &m);
}

unsigned room_count_hits(const room *r, uint32_t ship)
{
    unsigned count = 0;
    CHECK(r->event_count <= ROOM_EVENTS_MAX);
    for (size_t i = 0; i < r->event_count; i++)
        count += r->events[i].event.type == SB_SERVER_COMBAT && r->events[i].hit &&
                 r->events[i].event.object_id == ship;
    return count;
}

unsigned room_count_events(const room *r, sb_server_event_type type)
{
    unsigned count = 0;
    CHECK(r->event_count <= ROOM_EVENTS_MAX);
    for (size_t i = 0; i < r->event_count; i++) count += r->events[i].event.type == type;
    return count;
}

const room_event *room_expect(room *r, sb_server_event_type type)
{
    while (r->event_next < r->event_count) {
        const room_event *e = &r->events[r->event_next++ % ROOM_EVENTS_MAX];
        if (e->event.type == type) return e;
    }
    FAIL("no event of the type %s", sb_server_event_name(type));
}

void seat_create_scenery(room *r, seat *s, uint32_t id)
{
    uint8_t    bytes[512];
    size_t     size;
    sb_ship    ship;
    sb_message m = { .opcode = SB_OP_OBJECT_CREATE };
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), 1), 1, id);
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)sb_slot_of_id(id);
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)"Multi1", 6 };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    seat_say(r, s, SB_RELIABLE, (sb_span){ bytes, size });
}

int seat_find_deaths(seat *s, uint8_t id)
{
    sb_message m;
    for (sb_span bytes; (bytes = seat_find(s, SB_OP_SCORE)).size;) {
        CHECK_EQ(sb_decode_message(bytes, NULL, &m, NULL), SB_OK);
        if (m.as.score.player == id) return (int)m.as.score.deaths;
    }
    FAIL("no score of player %u", id);
}

unsigned seat_find_credited(seat *s, int32_t *players, unsigned capacity)
{
    sb_message m;
    CHECK_EQ(sb_decode_message(seat_find(s, SB_OP_SCORE_CHANGE), NULL, &m, NULL), SB_OK);
    for (unsigned i = 0; i < m.as.score_change.entry_count && i < capacity; i++)
        players[i] = m.as.score_change.entries[i].player;
    return m.as.score_change.entry_count;
}
