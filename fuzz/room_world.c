/* fuzz/room_world.c -- seats, delivery, starting states.
 *
 * For:      room_world.h.
 */
#include "room_world.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "server/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 5000, CLIENT_CELLS = 192, CHECK_INTERVAL = 64 };

/* All state in one block; of each client only the head is saved, because its last SB_PAYLOAD_MAX
 * bytes hold nothing between two calls. */
static struct {
    uint8_t *memory, *saved[ROOM_KINDS];
    size_t   head_bytes; /* world and room */
    size_t   client_bytes, client_saved;
    bool     tracing;
} box;

static const sb_endpoint server_address = { 0x0A000001, 22101 };

/* The last byte of an address tells whose it is. */
static const uint32_t network = 0xC0A80000, first_address = 0x10;

sb_endpoint address_of(const world *w, unsigned who)
{
    uint16_t port = who < SEATS ? w->seats[who].port : 6000;
    bool     house = w->house && (who == FLYING || who == JOINING);
    return (sb_endpoint){ (house ? 0 : network) + first_address + who, port };
}

sb_player *player_of(world *w, unsigned who)
{
    return who < SEATS ? sb_server_find_player(w->server, w->seats[who].id) : NULL;
}

uint32_t object_of(world *w, unsigned who, uint8_t which)
{
    const sb_player *p = player_of(w, who);
    if (which < 64 && p && p->ship) return p->ship->object_id;
    if (which >= 250) return which == 255 ? 0 : which;
    unsigned slot = which < 128 && p ? (unsigned)(p - w->server->players) : which >> 4 & 7;
    return sb_slot_first_id(slot) + (which & 15u) * 64u;
}

/* ---- checks ---- */

/* Reported texts are UTF-8 without control characters: no byte below 0x20 and no 0x7F. */
static void check_text(sb_span text)
{
    for (size_t i = 0; i < text.size; i++) SB_ASSERT(text.data[i] >= 0x20 && text.data[i] != 0x7F);
}

static void print_event(const sb_server_event *event)
{
    if (event->type == SB_SERVER_COMBAT) return;
    fprintf(stderr, "%8.2f %-16s %3u %" PRId64 " %.*s\n", (double)event->now / (double)SB_SECOND,
            sb_server_event_name(event->type), event->peer_id, event->value, (int)event->text.size,
            (const char *)event->text.data);
}

/* With FUZZ_TRACE in the environment, the events of the room are printed: to understand one input.
 */
static void check_event(void *context, const sb_server_event *event)
{
    (void)context;
    SB_ASSERT(event->type < SB_SERVER_EVENT_TYPES && sb_server_event_name(event->type));
    check_text(event->name);
    check_text(event->text);
    if (box.tracing) print_event(event);
}

static void check_seats(const world *w)
{
    sb_server_seats seats;
    sb_server_seats_of(w->server, &seats);
    SB_ASSERT(seats.people <= seats.others);
    SB_ASSERT(w->house || seats.house == 0);
    SB_ASSERT(seats.house + seats.others <= SB_SERVER_PLAYERS_MAX);
    for (uint32_t i = 0; i < seats.house; i++)
        SB_ASSERT(sb_endpoint_is_house(seats.house_peers[i]));
}

static void check_views(const world *w)
{
    sb_player_view   view;
    sb_server_status status;
    unsigned         count = 0;
    for (; sb_server_player(w->server, count, w->now, &view); count++) {
        SB_ASSERT(memchr(view.name, 0, sizeof view.name) != NULL);
        check_text(sb_text_span(view.name));
        SB_ASSERT(sb_float_is_finite(view.position.x) && sb_float_is_finite(view.position.y) &&
                  sb_float_is_finite(view.position.z));
        SB_ASSERT(view.phase > SB_PLAYER_FREE && view.phase < SB_PLAYER_PHASES);
        SB_ASSERT(sb_player_phase_text(view.phase));
    }
    sb_server_status_of(w->server, &status);
    check_seats(w);
    SB_ASSERT(sb_server_player_count(w->server) <= count);
    SB_ASSERT(status.player_count <= sb_server_player_count(w->server));
    SB_ASSERT(status.player_count == sb_server_player_count(w->server) ||
              !w->server->config.list_house);
    SB_ASSERT(status.name_count <= SB_STATUS_PLAYERS_MAX);
}

/* One counter of each list per input: they all have a name, and the room tells their value. */
static void check_counters(const world *w)
{
    sb_server_counter    own = w->steps % SB_SERVER_COUNTER_COUNT;
    sb_transport_counter transport = w->steps % SB_TRANSPORT_COUNTER_COUNT;
    sb_implausible       implausible = w->steps % SB_IMPLAUSIBLE_COUNT;
    SB_ASSERT(sb_server_counter_name(own) && sb_transport_counter_name(transport));
    SB_ASSERT(sb_implausible_name(implausible) && sb_implausible_unit(implausible));
    SB_ASSERT(sb_server_count(w->server, own) <= UINT32_MAX);
    SB_ASSERT(sb_server_transport_count(w->server, transport) <= UINT32_MAX);
    SB_ASSERT(sb_server_implausible(w->server, implausible) <= UINT32_MAX);
    SB_ASSERT(sb_server_backlog_bytes(w->server) == w->server->backlog.used);
}

void check_world(world *w)
{
    sb_server_check(w->server);
    check_views(w);
    check_counters(w);
}

/* ---- delivery of datagrams ---- */

static bool is_mod(uint8_t opcode)
{
    return sb_find_message_type(opcode)->relay == SB_RELAY_CONFIGURABLE;
}

/* A line of a player with the command that carries codes stays in the room (hide_commands). */
static void check_chat(const sb_chat *chat)
{
    static const char word[] = "!admin ";
    size_t            size = sizeof word - 1;
    if (chat->sender == SB_PEER_HOST || chat->text.size < size) return;
    SB_ASSERT(memcmp(chat->text.data, word, size) != 0);
}

/* The honest player can decode every message of the room but those of mods. */
static void check_message(const world *w, sb_span bytes)
{
    static sb_message m;
    if (is_mod(bytes.data[0])) return;
    sb_result decoded = sb_decode_message(bytes, NULL, &m, NULL);
    SB_ASSERT(decoded == SB_OK);
    bool chat = m.opcode == SB_OP_CHAT || m.opcode == SB_OP_TEAM_CHAT;
    if (chat && w->server->config.hide_commands) check_chat(&m.as.chat);
}

static void receive_messages(world *w, unsigned who)
{
    sb_transport_event e;
    seat              *c = &w->seats[who];
    while (sb_transport_client_next_event(c->client, w->now, &e)) {
        if (e.type == SB_EVENT_JOINED) c->id = e.peer_id;
        if (e.type == SB_EVENT_LEFT && (e.peer_id == c->id || e.peer_id == SB_PEER_NONE))
            c->left = true;
        if (e.type == SB_EVENT_MESSAGE && who == HONEST) check_message(w, e.bytes);
    }
}

static void deliver(world *w, sb_endpoint to, sb_span datagram)
{
    unsigned who = (to.address & 0xFF) - first_address;
    for (size_t i = 0; i < datagram.size; i++)
        w->digest = (w->digest ^ datagram.data[i]) * 0x100000001B3u; /* FNV-1a */
    if (who >= SEATS || !w->seats[who].there || w->seats[who].deaf) return;
    if (to.port != w->seats[who].port) return;
    (void)!sb_transport_client_receive(w->seats[who].client, w->now, server_address, datagram);
    receive_messages(w, who);
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
        deliver(w, to, (sb_span){ out, size });
        any = true;
    }
    return any;
}

static bool step_seat(world *w, unsigned who)
{
    seat  *c = &w->seats[who];
    size_t size;
    bool   any = false;
    if (!c->there) return false;
    receive_messages(w, who);
    while ((size = sb_transport_client_write(c->client, w->now, c->last)) > 0) {
        c->last_size = size;
        any = true;
        if (!c->mute)
            (void)!sb_server_receive(w->server, w->now, address_of(w, who),
                                     (sb_span){ c->last, size });
    }
    return any;
}

void step_world(world *w)
{
    bool any = true;
    for (int rounds = 0; any; rounds++) {
        SB_ASSERT(rounds < ROUNDS_MAX);
        any = step_server(w);
        for (unsigned i = 0; i < SEATS; i++)
            if (step_seat(w, i)) any = true;
    }
    if (w->steps++ % CHECK_INTERVAL == 0) sb_server_check(w->server);
    SB_ASSERT(sb_server_next_deadline(w->server) > w->now);
    SB_ASSERT(w->stopped || !w->seats[HONEST].left);
}

/* ---- seats ---- */

void connect_seat(world *w, unsigned who)
{
    static const uint8_t       names[SEATS][4] = { "F\0l", "L\0y", "C\0\\", "F\0\n", "H\0o" };
    sb_transport_client_config c;
    seat                      *it = &w->seats[who];
    sb_transport_client_defaults(&c);
    c.server = server_address;
    c.cells = CLIENT_CELLS;
    c.name = (sb_span){ names[who], 4 };
    c.local_port = (uint16_t)(it->port + 1);
    *it = (seat){ .client = sb_transport_client_init(it->client, &c, w->now),
                  .port = c.local_port,
                  .id = SB_PEER_NONE,
                  .there = true };
}

void send_data(world *w, unsigned who, sb_delivery delivery, const void *bytes, size_t size)
{
    if (size > 0 && w->seats[who].there)
        (void)!sb_transport_client_send(w->seats[who].client, delivery, (sb_span){ bytes, size });
}

static void answer_checksums(world *w, unsigned who, const sb_player *p)
{
    static uint8_t           answer[SB_CHECKSUM_RESPONSE_MAX];
    size_t                   size = 0;
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

void continue_join(world *w, unsigned who)
{
    const sb_player *p = player_of(w, who);
    if (!p) return;
    if (p->phase == SB_PLAYER_LOADING) send_data(w, who, SB_RELIABLE, "\x2A\x20", 2);
    if (p->phase == SB_PLAYER_UPDATING) send_data(w, who, SB_RELIABLE, "\x27", 1);
    if (p->phase == SB_PLAYER_SYNCING && who == JOINING) /* no such files: spec 06 §5.2 */
        send_data(w, who, SB_RELIABLE, "\x21\xFF\x40\xD1\x94\x87", 6);
    else if (p->phase == SB_PLAYER_CHECKING || p->phase == SB_PLAYER_SYNCING)
        answer_checksums(w, who, p);
}

size_t make_creation(world *w, unsigned who, const creation *c, uint8_t *out, size_t capacity)
{
    static const uint8_t long_snapshot[600]; /* too long to be kept */
    const sb_player     *p = player_of(w, who);
    sb_message m = { .opcode = c->is_scenery ? SB_OP_OBJECT_CREATE : SB_OP_PLAYER_OBJECT_CREATE };
    sb_object_create *o = &m.as.object_create;
    sb_ship           ship;
    size_t            size = 0;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), c->species), c->species, c->object_id);
    ship.motion.position = c->position;
    sb_ship_write_creation(&ship, o);
    o->owner_slot = (int8_t)(p ? p - w->server->players : 0);
    o->peer_id = p ? p->peer_id : 0;
    o->name = c->name;
    o->set_name = c->set_name;
    if (!ship.model && c->long_snapshot)
        o->opaque = (sb_span){ long_snapshot, sizeof long_snapshot };
    if (ship.model && c->is_mod) {
        o->snapshot_known = false;
        o->opaque = (sb_span){ long_snapshot, 1 };
    }
    return sb_encode_message(&m, NULL, out, capacity, &size) == SB_OK ? size : 0;
}

/* ---- starting states ---- */

static void join_seat(world *w, unsigned who)
{
    connect_seat(w, who);
    for (unsigned round = 0; round <= SB_CHECKSUM_ROUNDS + 1; round++) {
        step_world(w);
        continue_join(w, who);
    }
    step_world(w);
}

static void spawn(world *w, unsigned who, uint8_t species, float x)
{
    uint8_t  bytes[1024];
    creation c = { .object_id = object_of(w, who, 64),
                   .species = species,
                   .position = { x, species, 0 },
                   .set_name = sb_text_span("Multi1") };
    send_data(w, who, SB_RELIABLE, bytes, make_creation(w, who, &c, bytes, sizeof bytes));
    step_world(w);
}

static void build_match(world *w)
{
    join_seat(w, FLYING);
    join_seat(w, LOBBY);
    join_seat(w, HONEST);
    spawn(w, FLYING, 5, 10);
    spawn(w, HONEST, 6, 20);
    w->now += 2 * SB_SECOND;
    step_world(w);
    connect_seat(w, JOINING);
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

static bool refuse_name(void *context, sb_endpoint address, const char *name, char *reason)
{
    (void)context;
    (void)address;
    if (name[0] != 'x') return false;
    snprintf(reason, SB_NAME_REASON_MAX, "Names with x are not allowed here.");
    return true;
}

/* What a program with house players, bans and moderators configures. */
static void configure_rules(sb_server_config *c, unsigned kind)
{
    c->transport.house = true;
    c->list_house = kind & 2;
    c->hide_commands = true;
    c->refuse_name = refuse_name;
    c->balance = kind & 0x10 ? SB_BALANCE_TELL : SB_BALANCE_ENFORCE;
}

static void configure(sb_server_config *c, unsigned kind)
{
    sb_server_defaults(c);
    c->max_players = 6;
    c->transport.peers_per_ip = 0;
    c->transport.shared_cells = 128;
    c->transport.assembly_cells = 128;
    c->on_event = check_event;
    c->trace_damage = true;
    c->combat.fidelity = (uint8_t)((SB_FIDELITY_WEAPONS + (kind >> 1)) & 3);
    c->trust_clients = kind & 0x20;
    c->lane_distance = c->client_sets = kind & 0x10;
    if (kind & 0x10) c->checksums = SB_CHECKSUM_STRICT;
    if (kind & 0x40) configure_rules(c, kind);
    if (!(kind & 8)) return;
    c->match.mode = sb_find_mode("team");
    c->files = make_files();
    c->file_count = 2;
    c->system = 9; /* has two sets: ships can warp */
    c->integrity = SB_INTEGRITY_MODE_BOOT;
}

static size_t round_up(size_t size)
{
    return (size + 63) / 64 * 64;
}

static void allocate_box(size_t room_bytes)
{
    sb_transport_client_config client;
    sb_transport_client_defaults(&client);
    client.cells = CLIENT_CELLS;
    size_t bytes = sb_transport_client_bytes(&client);
    box.head_bytes = round_up(sizeof(world)) + round_up(room_bytes);
    box.client_bytes = round_up(bytes);
    box.client_saved = bytes - SB_PAYLOAD_MAX;
    box.memory = aligned_alloc(64, box.head_bytes + SEATS * box.client_bytes);
    SB_ASSERT(box.memory);
    box.tracing = getenv("FUZZ_TRACE") != NULL;
}

static uint8_t *memory_of_client(unsigned who)
{
    return box.memory + box.head_bytes + who * box.client_bytes;
}

static void save(unsigned kind)
{
    uint8_t *to = malloc(box.head_bytes + SEATS * box.client_saved);
    SB_ASSERT(to);
    memcpy(to, box.memory, box.head_bytes);
    for (unsigned i = 0; i < SEATS; i++)
        memcpy(to + box.head_bytes + i * box.client_saved, memory_of_client(i), box.client_saved);
    box.saved[kind] = to;
}

static void build(unsigned kind)
{
    sb_server_config c;
    configure(&c, kind);
    if (!box.memory) allocate_box(sb_server_bytes(&c));
    memset(box.memory, 0, box.head_bytes + SEATS * box.client_bytes);
    world *w = (world *)(void *)box.memory;
    w->now = 100 * SB_SECOND;
    w->house = kind & 0x40;
    w->server = sb_server_init(box.memory + round_up(sizeof(world)), &c, w->now);
    SB_ASSERT(w->server);
    for (unsigned i = 0; i < SEATS; i++)
        w->seats[i] = (seat){ .client = (sb_transport_client *)(void *)memory_of_client(i),
                              .port = 5000,
                              .id = SB_PEER_NONE };
    if (!(kind & 1)) build_match(w);
    save(kind);
}

world *restore_world(unsigned kind)
{
    if (!box.saved[kind]) build(kind);
    const uint8_t *from = box.saved[kind];
    memcpy(box.memory, from, box.head_bytes);
    for (unsigned i = 0; i < SEATS; i++)
        memcpy(memory_of_client(i), from + box.head_bytes + i * box.client_saved, box.client_saved);
    return (world *)(void *)box.memory;
}
