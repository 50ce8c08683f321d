/* tests/client/client_rig.c -- see client_rig.h. */
#include "client_rig.h"

#include <starbase/message.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/testing.h"
#include "sent_message.h"

enum { ITERATIONS_MAX = 2000 };

static const sb_endpoint server = { 0xC0A80001, 22101 }, player = { 0x0A0A0AEF, 31000 };
static const sb_endpoint guest = { 0x0A0A0AF0, 31001 };

/* ---- opening ---- */

void client_rig_config(sb_client_config *config)
{
    static const uint8_t name[] = { 'C', 0, 'a', 0, 'd', 0, 'y', 0, '2', 0 };
    sb_client_defaults(config);
    config->transport.server = server;
    config->transport.local_address = player.address;
    config->transport.local_port = player.port;
    config->transport.name = (sb_span){ name, sizeof name };
}

static bool has_bytes(sb_client_event_type type)
{
    switch (type) {
    case SB_CLIENT_REFUSED_FILES:
    case SB_CLIENT_FILE_OFFERED:
    case SB_CLIENT_CHAT:
    case SB_CLIENT_SCORE:
    case SB_CLIENT_GAME_OVER:
    case SB_CLIENT_RESTARTED:
    case SB_CLIENT_MESSAGE:
    case SB_CLIENT_BAD_MESSAGE: return true;
    default: return false;
    }
}

/* What holds for every event: its time, and the bytes of the message that it is about. */
static void check_event(const client_rig *r, const sb_client_event *event)
{
    CHECK(event->now == r->now);
    if (has_bytes(event->type) && r->said_size > 0)
        CHECK_BYTES(event->bytes.data, event->bytes.size, r->said, r->said_size);
    else if (!has_bytes(event->type)) CHECK_EQ(event->bytes.size, 0);
    if (event->type == SB_CLIENT_BAD_MESSAGE && !r->may_refuse)
        FAIL("message 0x%02X is refused: %d", event->bytes.data[0], (int)event->result);
}

/* Most tests look at what arrives at the server instead. */
static void record_queued(client_rig *r, sb_span message)
{
    size_t kept = sizeof r->queued.bytes;
    r->queued_count++;
    r->queued.size = message.size;
    memcpy(r->queued.bytes, message.data, message.size < kept ? message.size : kept);
}

static void record_event(void *context, const sb_client_event *event)
{
    client_rig *r = context;
    if (event->type == SB_CLIENT_QUEUED) {
        record_queued(r, event->bytes);
        return;
    }
    check_event(r, event);
    if (event->type == SB_CLIENT_MESSAGE) return;
    if (r->event_count == CLIENT_RIG_RECORDS) FAIL("more events than the rig can record");
    client_reported *told = &r->events[r->event_count++];
    size_t           size = event->text.size < sizeof told->text ? event->text.size : 63;
    told->event = *event;
    told->event.text = told->event.bytes = (sb_span){ NULL, 0 };
    if (size > 0) memcpy(told->text, event->text.data, size);
    told->text[size] = '\0';
}

/* Fills the memory, because no code may rely on zeros. A failed test frees nothing, so the memory
 * is kept until the next call. */
static void *allocate(void **kept, size_t bytes)
{
    CHECK(bytes > 0);
    free(*kept);
    *kept = malloc(bytes);
    CHECK(*kept != NULL);
    memset(*kept, 0xA5, bytes);
    return *kept;
}

client_rig *client_rig_open(const sb_client_config *config)
{
    static client_rig        rig;
    static void             *client, *host;
    sb_client_config         mine;
    sb_transport_host_config theirs;
    if (config) mine = *config;
    else client_rig_config(&mine);
    mine.on_event = record_event;
    mine.event_context = &rig;
    sb_transport_host_defaults(&theirs);
    theirs.seed = 1;
    memset(&rig, 0, sizeof rig);
    rig.now = CLIENT_RIG_START;
    rig.host =
        sb_transport_host_init(allocate(&host, sb_transport_host_bytes(&theirs)), &theirs, rig.now);
    rig.client = sb_client_init(allocate(&client, sb_client_bytes(&mine)), &mine, rig.now);
    return &rig;
}

client_rig *client_rig_connected(const sb_client_config *config)
{
    client_rig *r = client_rig_open(config);
    client_rig_run(r);
    CHECK_EQ(r->peer, 2);
    EXPECT_PHASE(r, SB_CLIENT_CHECKING);
    return r;
}

client_rig *client_rig_in_lobby(const sb_client_config *config)
{
    client_rig *r = client_rig_connected(config);
    SAY(r, "28");
    SAY(r, "00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64 65"
           "2E 4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31");
    SAY(r, "01");
    SAY(r, "35 08 01 FF FF");
    SAY(r, "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02");
    EXPECT_PHASE(r, SB_CLIENT_LOBBY);
    client_rig_forget(r);
    return r;
}

client_rig *client_rig_flying(const sb_client_config *config, uint8_t species)
{
    client_rig *r = client_rig_in_lobby(config);
    CHECK_EQ(sb_client_spawn(r->client, r->now, species, (sb_vec3){ 38, -49, -35 },
                             (sb_vec3){ 0, 1, 0 }, (sb_vec3){ 0, 0, 1 }),
             SB_OK);
    client_rig_run(r);
    EXPECT_PHASE(r, SB_CLIENT_FLYING);
    client_rig_forget(r);
    return r;
}

client_rig *client_rig_with_other(uint8_t species)
{
    client_rig *r = client_rig_flying(NULL, 5);
    client_rig_say_ship(r, SB_OP_PLAYER_OBJECT_CREATE, 3, CLIENT_RIG_OTHER, species,
                        (sb_vec3){ 10, 20, 30 });
    client_rig_forget(r);
    return r;
}

/* ---- the loop ---- */

static void record_sent(client_rig *r, const sb_transport_event *event)
{
    if (r->sent_count == CLIENT_RIG_RECORDS) FAIL("more messages than the rig can record");
    client_sent *sent = &r->sent[r->sent_count++];
    CHECK(event->bytes.size <= sizeof sent->bytes);
    check_sent_message(event);
    sent->delivery = event->delivery;
    sent->size = event->bytes.size;
    memcpy(sent->bytes, event->bytes.data, sent->size);
}

static void drain_host_events(client_rig *r)
{
    sb_transport_event event;
    while (sb_transport_host_next_event(r->host, r->now, &event)) {
        if (event.address.port == guest.port) continue;
        if (event.type == SB_EVENT_JOINED) r->peer = event.peer_id;
        if (event.type == SB_EVENT_LEFT) r->peer = 0;
        if (event.type == SB_EVENT_MESSAGE) record_sent(r, &event);
    }
}

static bool carry_up(client_rig *r)
{
    uint8_t out[SB_DATAGRAM_MAX];
    size_t  size = sb_client_write(r->client, r->now, out);
    if (size == 0) return false;
    if (!r->deaf) (void)!sb_transport_host_receive(r->host, r->now, player, (sb_span){ out, size });
    drain_host_events(r);
    return true;
}

static bool carry_down(client_rig *r)
{
    uint8_t     out[SB_DATAGRAM_MAX];
    sb_endpoint to;
    size_t      size = sb_transport_host_write(r->host, r->now, &to, out);
    if (size == 0) return false;
    if (to.port == guest.port) {
        (void)!sb_transport_client_receive(r->guest, r->now, server, (sb_span){ out, size });
        return true;
    }
    (void)!sb_client_receive(r->client, r->now, server, (sb_span){ out, size });
    sb_client_check(r->client);
    return true;
}

static bool carry_guest(client_rig *r)
{
    uint8_t            out[SB_DATAGRAM_MAX];
    sb_transport_event event;
    if (!r->guest) return false;
    while (sb_transport_client_next_event(r->guest, r->now, &event)) continue;
    size_t size = sb_transport_client_write(r->guest, r->now, out);
    if (size == 0) return false;
    (void)!sb_transport_host_receive(r->host, r->now, guest, (sb_span){ out, size });
    drain_host_events(r);
    return true;
}

void client_rig_add_guest(client_rig *r)
{
    static const uint8_t       name[] = { 0xDC, 0, 'n', 0, 0xEF, 0 };
    static void               *memory;
    sb_transport_client_config config;
    sb_transport_client_defaults(&config);
    config.server = server;
    config.local_address = guest.address;
    config.name = (sb_span){ name, sizeof name };
    r->guest = sb_transport_client_init(allocate(&memory, sb_transport_client_bytes(&config)),
                                        &config, r->now);
    client_rig_run(r);
    CHECK_EQ(sb_transport_client_id(r->guest), 3);
}

void client_rig_run(client_rig *r)
{
    for (int iterations = 0;; iterations++) {
        if (iterations == ITERATIONS_MAX) FAIL("datagrams without end");
        sb_client_advance(r->client, r->now);
        drain_host_events(r);
        bool up = carry_up(r), down = carry_down(r), other = carry_guest(r);
        if (!up && !down && !other) break;
    }
    sb_client_check(r->client);
    if (sb_client_next_deadline(r->client) <= r->now) FAIL("a deadline is not in the future");
}

void client_rig_wait(client_rig *r, sb_time us)
{
    sb_time until = r->now + us;
    client_rig_run(r);
    while (r->now < until) {
        sb_time next = sb_client_next_deadline(r->client);
        sb_time theirs = sb_transport_host_next_deadline(r->host);
        if (theirs < next) next = theirs;
        r->now = next < until ? next : until;
        client_rig_run(r);
    }
}

void client_rig_forget(client_rig *r)
{
    r->sent_count = r->sent_next = r->event_count = r->event_next = r->queued_count = 0;
}

/* ---- messages of the host ---- */

void client_rig_say(client_rig *r, sb_delivery delivery, sb_span message)
{
    CHECK(message.size <= sizeof r->said);
    if (message.size > 0) memcpy(r->said, message.data, message.size);
    r->said_size = message.size;
    if (sb_transport_host_send(r->host, r->peer, delivery, message) != SB_OK)
        FAIL("the host cannot send");
    client_rig_run(r);
    r->said_size = 0;
}

void client_rig_say_hex(client_rig *r, const char *hex)
{
    uint8_t bytes[2048];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    client_rig_say(r, bytes[0] == SB_OP_STATE_UPDATE ? SB_UNRELIABLE : SB_RELIABLE,
                   (sb_span){ bytes, size });
}

void client_rig_say_ship(client_rig *r, uint8_t opcode, uint8_t peer_id, uint32_t object_id,
                         uint8_t species, sb_vec3 position)
{
    static const char name[] = "Other", set[] = "Multi1";
    sb_message        m = { .opcode = opcode };
    sb_ship           ship;
    uint8_t           bytes[512];
    size_t            size;
    sb_ship_init(&ship, sb_find_ship(sb_stock_ships(), species), species, object_id);
    ship.motion.position = position;
    sb_ship_write_creation(&ship, &m.as.object_create);
    m.as.object_create.owner_slot = (int8_t)sb_slot_of_id(object_id);
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.name = (sb_span){ (const uint8_t *)name, sizeof name - 1 };
    m.as.object_create.set_name = (sb_span){ (const uint8_t *)set, sizeof set - 1 };
    CHECK_EQ(sb_encode_message(&m, NULL, bytes, sizeof bytes, &size), SB_OK);
    client_rig_say(r, SB_RELIABLE, (sb_span){ bytes, size });
}

/* ---- records ---- */

const client_sent *client_rig_next_sent(client_rig *r)
{
    while (r->sent_next < r->sent_count) {
        const client_sent *sent = &r->sent[r->sent_next++];
        if (sent->bytes[0] != SB_OP_STATE_UPDATE) return sent;
    }
    return NULL;
}

const client_reported *client_rig_next_event(client_rig *r)
{
    return r->event_next < r->event_count ? &r->events[r->event_next++] : NULL;
}

size_t client_rig_count_sent(const client_rig *r, uint8_t opcode)
{
    size_t count = 0;
    for (size_t i = 0; i < r->sent_count; i++) count += r->sent[i].bytes[0] == opcode;
    return count;
}

size_t client_rig_count_events(const client_rig *r, sb_client_event_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < r->event_count; i++) count += r->events[i].event.type == type;
    return count;
}

void client_rig_expect_sent(const char *file, int line, client_rig *r, const char *hex)
{
    uint8_t            bytes[2048];
    size_t             size = test_hex(hex, bytes, sizeof bytes);
    const client_sent *sent = client_rig_next_sent(r);
    if (!sent) test_fail(file, line, "nothing was sent, expected %s", hex);
    test_check_bytes(file, line, "the message", sent->bytes, sent->size, bytes, size);
    test_check_int(file, line, "the delivery", sent->delivery, SB_RELIABLE);
}

void client_rig_expect_phase(const char *file, int line, client_rig *r, sb_client_phase phase)
{
    test_check_text(file, line, "the phase", sb_client_phase_text(sb_client_phase_of(r->client)),
                    sb_client_phase_text(phase));
}

const client_reported *client_rig_expect_event(const char *file, int line, client_rig *r,
                                               sb_client_event_type type)
{
    const client_reported *told = client_rig_next_event(r);
    if (!told) test_fail(file, line, "no event, expected %d", (int)type);
    test_check_int(file, line, "the event", told->event.type, type);
    return told;
}
