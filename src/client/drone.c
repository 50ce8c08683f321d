/* src/client/drone.c -- the session of a drone: joins, reports every message, chats.
 *
 * For:      drone.h. In this order: setting up, messages out, the join, what happens to the ship,
 *           messages in, the main loop. The ship itself: drone_ship.c.
 * Never:    keeps more of a match than the next ship needs: other ships are not looked at.
 * Spec:     06 §4, §5, §10, 07 §6.
 * Tests:    tests/client/drone_test.c, tests/client/drone_session_test.c
 */
#include "client/drone_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/text.h"
#include "base/time.h"

#include <string.h>

enum {
    CELLS = 256,     /* 32 KiB; the largest message of a join needs 12 */
    MARK_BYTES = 17, /* '@' and 16 hex digits */
};

typedef sb_result (*handler)(sb_drone *d, const sb_message *m);

/* ---- setting up ---- */

void sb_drone_defaults(sb_drone_config *config)
{
    *config = (sb_drone_config){ .seed = 1, .mark_interval_us = SB_SECOND };
    sb_transport_client_defaults(&config->transport);
    config->transport.cells = CELLS;
}

static size_t struct_bytes(void)
{
    return (sizeof(sb_drone) + 15) / 16 * 16;
}

size_t sb_drone_bytes(const sb_drone_config *config)
{
    size_t transport = sb_transport_client_bytes(&config->transport);
    return transport > 0 && config->place < SB_SLOTS ? struct_bytes() + transport : 0;
}

sb_time sb_drone_random_us(sb_drone *d, uint32_t below)
{
    return sb_random_below(&d->random, below);
}

sb_drone *sb_drone_init(void *memory, const sb_drone_config *config, sb_time now)
{
    SB_ASSERT(sb_drone_bytes(config) > 0);
    SB_ASSERT(config->mark_interval_us > 0 && config->mark_interval_us <= UINT32_MAX);
    sb_drone *d = memory;
    memset(d, 0, sizeof *d);
    d->config = *config;
    d->transport =
        sb_transport_client_init((uint8_t *)memory + struct_bytes(), &config->transport, now);
    d->now = now;
    sb_random_init(&d->random, config->seed);
    d->phase = SB_CLIENT_CONNECTING;
    d->id = SB_PEER_NONE;
    d->ready_at = d->spawn_at = d->update_at = d->mark_at = SB_TIME_NEVER;
    sb_lane_options_stock(&d->lanes);
    size_t size =
        sb_windows1252_from_utf16(config->transport.name, (uint8_t *)d->name, SB_DRONE_NAME_MAX);
    d->name[size] = '\0';
    d->config.transport.name = d->config.transport.password = (sb_span){ NULL, 0 };
    return d;
}

static void report(sb_drone *d, sb_client_event *event)
{
    event->now = d->now;
    if (d->config.on_event) d->config.on_event(d->config.event_context, event);
}

static void report_bytes(sb_drone *d, sb_client_event_type type, sb_span bytes)
{
    sb_client_event event = { .type = type, .bytes = bytes };
    report(d, &event);
}

void sb_drone_set_phase(sb_drone *d, sb_client_phase phase)
{
    sb_client_event event = { .type = SB_CLIENT_PHASE, .value = (int32_t)phase };
    if (d->phase == phase) return;
    SB_ASSERT(d->phase != SB_CLIENT_OVER); /* the last phase */
    d->phase = (uint8_t)phase;
    report(d, &event);
}

static bool is_in_game(const sb_drone *d)
{
    return !d->leaving && (d->phase == SB_CLIENT_LOBBY || d->phase == SB_CLIENT_FLYING);
}

/* ---- messages out ---- */

/* Checks the capacity first, because the transport disconnects when it cannot queue a reliable
 * message. */
sb_result sb_drone_queue(sb_drone *d, sb_delivery delivery, sb_span message)
{
    if (message.size > sb_transport_client_free_bytes(d->transport)) return SB_FULL;
    sb_result result = sb_transport_client_send(d->transport, delivery, message);
    if (result == SB_OK) report_bytes(d, SB_CLIENT_QUEUED, message);
    return result;
}

sb_result sb_drone_queue_message(sb_drone *d, const sb_message *m)
{
    uint8_t   bytes[SB_EVENT_MAX];
    size_t    size;
    sb_result result = sb_encode_message(m, NULL, bytes, sizeof bytes, &size);
    return result == SB_OK ? sb_drone_queue(d, SB_RELIABLE, (sb_span){ bytes, size }) : result;
}

/* The first mark of a player comes at a random moment of an interval, like the phases of updates.
 */
static void advance_marks(sb_drone *d)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t           text[MARK_BYTES] = { '@' };
    if (d->now < d->mark_at) return;
    for (unsigned i = 0; i < 16; i++)
        text[1 + i] = (uint8_t)digits[(uint64_t)d->now >> (60 - 4 * i) & 15];
    sb_message m = { .opcode = SB_OP_CHAT };
    m.as.chat = (sb_chat){ .sender = d->id, .text = { text, sizeof text } };
    (void)!sb_drone_queue_message(d, &m); /* a full queue leaves a mark out */
    d->mark_at += d->config.mark_interval_us;
    if (d->mark_at <= d->now) d->mark_at = d->now + d->config.mark_interval_us;
}

/* ---- the join ---- */

static sb_result handle_checksum_request(sb_drone *d, const sb_message *m)
{
    uint8_t   answer[SB_CHECKSUM_RESPONSE_MAX];
    size_t    size;
    sb_result result = sb_manifest_answer(sb_vanilla_manifest(), &m->as.checksum_request, answer,
                                          sizeof answer, &size);
    return result == SB_OK ? sb_drone_queue(d, SB_RELIABLE, (sb_span){ answer, size }) : result;
}

static void start_leaving(sb_drone *d)
{
    if (d->leaving) return;
    d->leaving = true;
    sb_transport_client_leave(d->transport, d->now);
}

static sb_result handle_refused_files(sb_drone *d, const sb_message *m)
{
    sb_client_event event = { .type = SB_CLIENT_REFUSED_FILES,
                              .value = m->opcode,
                              .text = m->as.file_name.name };
    report(d, &event);
    start_leaving(d);
    return SB_OK;
}

/* The content is dropped; the host waits for the answer (spec 06 §5.4). */
static sb_result handle_file_transfer(sb_drone *d, const sb_message *m)
{
    static const uint8_t answer[] = { SB_OP_FILE_TRANSFER_ACK };
    (void)m;
    return sb_drone_queue(d, SB_RELIABLE, (sb_span){ answer, sizeof answer });
}

static void try_enter_game(sb_drone *d)
{
    if (is_in_game(d) || !d->has_mission || !d->has_game_init || d->ready_at != SB_TIME_NEVER)
        return;
    sb_drone_set_phase(d, SB_CLIENT_LOBBY);
    d->spawn_at = d->now + sb_drone_random_us(d, SB_SECOND);
    d->mark_at = d->now + sb_drone_random_us(d, (uint32_t)d->config.mark_interval_us);
}

/* Sends NewPlayerInGame (spec 06 §5.9); again a little later if the queue is full. */
static void advance_join(sb_drone *d)
{
    static const uint8_t ready[] = { SB_OP_NEW_PLAYER_IN_GAME, 0x20 };
    if (d->now < d->ready_at) return;
    bool sent = sb_drone_queue(d, SB_RELIABLE, (sb_span){ ready, sizeof ready }) == SB_OK;
    d->ready_at = sent ? SB_TIME_NEVER : d->now + SB_DRONE_RETRY_US;
    try_enter_game(d);
}

static void remove_ship(sb_drone *d, sb_time spawn_at)
{
    d->update_at = SB_TIME_NEVER;
    d->spawn_at = spawn_at;
    if (d->phase == SB_CLIENT_FLYING) sb_drone_set_phase(d, SB_CLIENT_LOBBY);
}

/* A second Settings starts a new game: object ids start over (spec 07 §1.1). */
static sb_result handle_settings(sb_drone *d, const sb_message *m)
{
    const sb_settings *s = &m->as.settings;
    if (s->slot >= SB_SLOTS) return SB_BAD_VALUE;
    d->slot = s->slot;
    d->game_time = s->game_time;
    d->settings_at = d->now;
    d->next_id = sb_slot_first_id(s->slot);
    d->has_settings = true;
    d->has_game_init = false;
    if (is_in_game(d)) remove_ship(d, SB_TIME_NEVER);
    return SB_OK;
}

static sb_result handle_game_init(sb_drone *d, const sb_message *m)
{
    (void)m;
    if (!d->has_settings || d->has_game_init) return SB_OK;
    d->has_game_init = true;
    d->ready_at = d->now;
    if (is_in_game(d)) d->spawn_at = d->now + SB_SECOND;
    advance_join(d);
    return SB_OK;
}

static sb_result handle_mission(sb_drone *d, const sb_message *m)
{
    d->system = m->as.mission_init.system;
    d->has_mission = true;
    try_enter_game(d);
    return SB_OK;
}

static sb_result handle_end_game(sb_drone *d, const sb_message *m)
{
    (void)m;
    d->game_over = true;
    if (is_in_game(d)) remove_ship(d, SB_TIME_NEVER);
    return SB_OK;
}

static sb_result handle_restart(sb_drone *d, const sb_message *m)
{
    (void)m;
    d->game_over = false;
    if (is_in_game(d)) remove_ship(d, d->now + sb_drone_random_us(d, SB_SECOND));
    return SB_OK;
}

/* ---- what happens to the ship ---- */

/* The server asks for our ship: somebody does not know it (spec 07 §6). */
static sb_result handle_request_object(sb_drone *d, const sb_message *m)
{
    if (d->phase != SB_CLIENT_FLYING || m->as.object_ref.object_id != d->ship.object_id)
        return SB_OK;
    return sb_drone_queue_creation(d);
}

static sb_result handle_destroy(sb_drone *d, const sb_message *m)
{
    if (d->phase == SB_CLIENT_FLYING && m->as.object_ref.object_id == d->ship.object_id)
        remove_ship(d, d->now + SB_SECOND);
    return SB_OK;
}

/* Our ship dies: the next one follows when its wreck is gone, and a little later. */
static sb_result handle_python_event(sb_drone *d, const sb_message *m)
{
    const sb_event *e = &m->as.event;
    if (e->event_class != SB_EVENT_OBJECT_EXPLODING || e->event_code != SB_CODE_OBJECT_EXPLODING)
        return SB_OK;
    if (d->phase != SB_CLIENT_FLYING || e->destination != d->ship.object_id) return SB_OK;
    float seconds = e->lifetime > 0 && e->lifetime < 60 ? e->lifetime : 10;
    remove_ship(d, d->now + 3 * SB_SECOND + (sb_time)(seconds * (float)SB_SECOND));
    return SB_OK;
}

/* ---- messages in ---- */

/* All other messages are only reported. */
static const handler handlers[256] = {
    [SB_OP_CHECKSUM_REQUEST] = handle_checksum_request,
    [SB_OP_VERSION_MISMATCH] = handle_refused_files,
    [SB_OP_CHECKSUM_FAIL] = handle_refused_files,
    [SB_OP_FILE_TRANSFER] = handle_file_transfer,
    [SB_OP_SETTINGS] = handle_settings,
    [SB_OP_GAME_INIT] = handle_game_init,
    [SB_OP_MISSION_INIT] = handle_mission,
    [SB_OP_END_GAME] = handle_end_game,
    [SB_OP_RESTART_GAME] = handle_restart,
    [SB_OP_REQUEST_OBJECT] = handle_request_object,
    [SB_OP_DESTROY_OBJECT] = handle_destroy,
    [SB_OP_PYTHON_EVENT] = handle_python_event,
};

static void handle_message(sb_drone *d, sb_span bytes)
{
    sb_message m;
    if (d->leaving || bytes.size == 0) return;
    report_bytes(d, SB_CLIENT_MESSAGE, bytes);
    handler handle = handlers[bytes.data[0]];
    if (handle && sb_decode_message(bytes, NULL, &m, NULL) == SB_OK) (void)!handle(d, &m);
}

static void handle_end(sb_drone *d, const sb_transport_event *e)
{
    sb_client_event event = { .type = SB_CLIENT_LEFT,
                              .peer_id = e->peer_id,
                              .reason = e->reason,
                              .boot_reason = e->boot_reason };
    d->leaving = true;
    sb_drone_set_phase(d, SB_CLIENT_OVER);
    report(d, &event);
}

static void handle_event(sb_drone *d, const sb_transport_event *e)
{
    switch (e->type) {
    case SB_EVENT_JOINED:
        d->id = e->peer_id;
        sb_drone_set_phase(d, SB_CLIENT_CHECKING);
        break;
    case SB_EVENT_MESSAGE: handle_message(d, e->bytes); break;
    case SB_EVENT_LEFT:
        if (e->peer_id == SB_PEER_NONE || e->peer_id == d->id) handle_end(d, e);
        break;
    case SB_EVENT_NAMED: break;
    }
}

static void drain_events(sb_drone *d)
{
    sb_transport_event event;
    while (sb_transport_client_next_event(d->transport, d->now, &event)) handle_event(d, &event);
}

/* ---- the main loop ---- */

static void advance_clock(sb_drone *d, sb_time now)
{
    if (now > d->now) d->now = now;
}

sb_result sb_drone_receive(sb_drone *d, sb_time now, sb_endpoint from, sb_span datagram)
{
    advance_clock(d, now);
    sb_result result = sb_transport_client_receive(d->transport, d->now, from, datagram);
    drain_events(d);
    return result;
}

void sb_drone_advance(sb_drone *d, sb_time now)
{
    advance_clock(d, now);
    drain_events(d);
    if (d->leaving) return;
    advance_join(d);
    if (!is_in_game(d)) return;
    sb_drone_advance_spawn(d);
    sb_drone_advance_flight(d);
    advance_marks(d);
}

size_t sb_drone_write(sb_drone *d, sb_time now, uint8_t *out)
{
    advance_clock(d, now);
    return sb_transport_client_write(d->transport, d->now, out);
}

sb_time sb_drone_next_deadline(const sb_drone *d)
{
    sb_time at = sb_transport_client_next_deadline(d->transport);
    if (d->leaving) return at;
    at = sb_time_earlier(at, sb_time_earlier(d->ready_at, d->mark_at));
    if (!d->game_over) at = sb_time_earlier(at, d->spawn_at);
    return sb_time_earlier(at, d->update_at);
}

sb_result sb_drone_send(sb_drone *d, sb_time now, sb_delivery delivery, sb_span message)
{
    advance_clock(d, now);
    return sb_drone_queue(d, delivery, message);
}

void sb_drone_leave(sb_drone *d, sb_time now)
{
    advance_clock(d, now);
    start_leaving(d);
}

bool sb_drone_is_over(const sb_drone *d)
{
    return d->phase == SB_CLIENT_OVER && sb_transport_client_is_over(d->transport);
}

uint8_t sb_drone_id(const sb_drone *d)
{
    return d->id;
}

sb_client_phase sb_drone_phase(const sb_drone *d)
{
    return (sb_client_phase)d->phase;
}

const sb_transport_client *sb_drone_transport(const sb_drone *d)
{
    return d->transport;
}
