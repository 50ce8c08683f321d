/* src/client/drone.c -- joins, spawns, flies a circle, and reports every message.
 *
 * For:      drone.h. In this order: setting up, messages out, the join, the ship, flight, messages
 *           in, the main loop.
 * Never:    keeps more of a match than the next ship needs: other ships are not looked at.
 * Spec:     06 §4, §5, §10, 07 §1, §2, 03 §7, §8.
 * Tests:    tests/client/drone_test.c
 */
#include "client/drone.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/random.h"
#include "base/text.h"
#include "base/time.h"
#include "client/client_internal.h"
#include "ship/vectors.h"

#include <string.h>

enum {
    CELLS = 256, /* 32 KiB; the largest message of a join needs 12 */
    UPDATE_MAX = 400,
    NAME_MAX = 31,
    MARK_BYTES = 17, /* '@' and 16 hex digits */
    /* The clock of a drone is as uneven as that of a client that draws 30 to 60 frames a second.
     * So the phases of a room drift, and a run measures all of them. */
    UPDATE_MIN_US = 90000,
    UPDATE_SPREAD_US = 20000,
    UPDATES_PER_CODE = 2, /* updates between two changes of the speed code */
    SPEED_CODES = 64,     /* codes that follow one another: 12 s */
};

static const sb_time retry_us = SB_SECOND / 2;
static const float   circle = 40.0f;      /* radius, in units */
static const float   circle_apart = 8.0f; /* height between two circles; no ship is as large */
static const float   cruise = 0.6f;       /* share of the highest speed */
/* Below this difference the speed is set, not approached: a share of the acceleration of a second.
 * Servers must allow much more (spec 10 §11.3). */
static const float speed_step = 0.1f;

struct sb_drone {
    sb_drone_config      config;
    sb_transport_client *transport;
    sb_time              now;
    sb_random            random;
    uint8_t              phase; /* sb_client_phase */
    uint8_t              id;    /* SB_PEER_NONE before it is known */
    bool                 leaving, has_settings, has_game_init, has_mission, game_over;
    uint8_t              slot, system; /* of Settings and MissionInit */
    float                game_time;    /* at settings_at */
    sb_time              settings_at, ready_at;
    char                 name[NAME_MAX + 1]; /* Windows-1252 */

    /* The ship; `spawn_at` is SB_TIME_NEVER while there is one. */
    sb_time         spawn_at, update_at, moved_at, mark_at;
    uint32_t        next_id;
    sb_ship         ship;
    sb_ship_frame   frame;
    sb_lane         lane;
    sb_lane_options lanes;
    sb_vec3         spoke;   /* unit vector from the centre of the circle to the ship */
    uint32_t        updates; /* sent by this ship */
};

typedef sb_result (*handler)(sb_drone *d, const sb_message *m);

/* ---- setting up ---- */

void sb_drone_defaults(sb_drone_config *config)
{
    *config = (sb_drone_config){ .seed = 1 };
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

static sb_time random_us(sb_drone *d, uint32_t below)
{
    return sb_random_below(&d->random, below);
}

sb_drone *sb_drone_init(void *memory, const sb_drone_config *config, sb_time now)
{
    SB_ASSERT(sb_drone_bytes(config) > 0);
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
    size_t size = sb_windows1252_from_utf16(config->transport.name, (uint8_t *)d->name, NAME_MAX);
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

static void set_phase(sb_drone *d, sb_client_phase phase)
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
static sb_result queue(sb_drone *d, sb_delivery delivery, sb_span message)
{
    if (message.size > sb_transport_client_free_bytes(d->transport)) return SB_FULL;
    sb_result result = sb_transport_client_send(d->transport, delivery, message);
    if (result == SB_OK) report_bytes(d, SB_CLIENT_QUEUED, message);
    return result;
}

static sb_result queue_message(sb_drone *d, const sb_message *m)
{
    uint8_t   bytes[SB_EVENT_MAX];
    size_t    size;
    sb_result result = sb_encode_message(m, NULL, bytes, sizeof bytes, &size);
    return result == SB_OK ? queue(d, SB_RELIABLE, (sb_span){ bytes, size }) : result;
}

/* The first mark of a player comes at a random moment of a second, like the phases of updates. */
static void advance_marks(sb_drone *d)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t           text[MARK_BYTES] = { '@' };
    if (d->now < d->mark_at) return;
    for (unsigned i = 0; i < 16; i++)
        text[1 + i] = (uint8_t)digits[(uint64_t)d->now >> (60 - 4 * i) & 15];
    sb_message m = { .opcode = SB_OP_CHAT };
    m.as.chat = (sb_chat){ .sender = d->id, .text = { text, sizeof text } };
    (void)!queue_message(d, &m); /* a full queue leaves a mark out */
    d->mark_at += SB_SECOND;
    if (d->mark_at <= d->now) d->mark_at = d->now + SB_SECOND;
}

/* ---- the join ---- */

static sb_result handle_checksum_request(sb_drone *d, const sb_message *m)
{
    uint8_t   answer[SB_CHECKSUM_RESPONSE_MAX];
    size_t    size;
    sb_result result = sb_manifest_answer(sb_vanilla_manifest(), &m->as.checksum_request, answer,
                                          sizeof answer, &size);
    return result == SB_OK ? queue(d, SB_RELIABLE, (sb_span){ answer, size }) : result;
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
    return queue(d, SB_RELIABLE, (sb_span){ answer, sizeof answer });
}

static void try_enter_game(sb_drone *d)
{
    if (is_in_game(d) || !d->has_mission || !d->has_game_init || d->ready_at != SB_TIME_NEVER)
        return;
    set_phase(d, SB_CLIENT_LOBBY);
    d->spawn_at = d->now + random_us(d, SB_SECOND);
    d->mark_at = d->now + random_us(d, SB_SECOND);
}

/* Sends NewPlayerInGame (spec 06 §5.9); again a little later if the queue is full. */
static void advance_join(sb_drone *d)
{
    static const uint8_t ready[] = { SB_OP_NEW_PLAYER_IN_GAME, 0x20 };
    if (d->now < d->ready_at) return;
    bool sent = queue(d, SB_RELIABLE, (sb_span){ ready, sizeof ready }) == SB_OK;
    d->ready_at = sent ? SB_TIME_NEVER : d->now + retry_us;
    try_enter_game(d);
}

static void remove_ship(sb_drone *d, sb_time spawn_at)
{
    d->update_at = SB_TIME_NEVER;
    d->spawn_at = spawn_at;
    if (d->phase == SB_CLIENT_FLYING) set_phase(d, SB_CLIENT_LOBBY);
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
    if (is_in_game(d)) remove_ship(d, d->now + random_us(d, SB_SECOND));
    return SB_OK;
}

/* ---- the ship ---- */

static const sb_ship_class *choose_class(sb_drone *d)
{
    const sb_ship_set *set = sb_stock_ships();
    uint32_t           selectable = 0;
    for (size_t i = 0; i < set->count; i++) selectable += set->ships[i].selectable;
    SB_ASSERT(selectable > 0);
    uint32_t nth = sb_random_below(&d->random, selectable);
    for (size_t i = 0; i < set->count; i++)
        if (set->ships[i].selectable && nth-- == 0) return &set->ships[i];
    return &set->ships[0];
}

static sb_vec3 centre_of(const sb_drone *d)
{
    return (sb_vec3){ 0, 0, circle_apart * ((float)d->config.place - 7.5f) };
}

/* Puts the ship where its spoke points, with its nose along the circle. */
static void place_ship(sb_drone *d)
{
    static const sb_vec3 up = { 0, 0, 1 };
    d->ship.motion.position = sb_v_along(centre_of(d), d->spoke, circle);
    sb_motion_set_axes(&d->ship.motion, sb_v_cross(up, d->spoke), up);
}

/* Half of the drones start on one side of their circle, half on the other. */
static void init_ship(sb_drone *d)
{
    const sb_ship_class *model = choose_class(d);
    uint32_t             first = sb_slot_first_id(d->slot), end = sb_slot_first_id(d->slot + 1u);
    uint32_t             count = sb_client_id_count(model);
    if (d->next_id > end - count) d->next_id = first;
    sb_ship_init(&d->ship, model, model->species, d->next_id);
    d->next_id += count;
    d->spoke = (sb_vec3){ d->config.place % 2 == 0 ? 1.0f : -1.0f, 0, 0 };
    place_ship(d);
}

static void write_creation(const sb_drone *d, sb_message *m)
{
    const sb_system  *system = sb_find_system(sb_stock_systems(), d->system);
    sb_object_create *create = &m->as.object_create;
    *m = (sb_message){ .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship_write_creation(&d->ship, create);
    create->owner_slot = (int8_t)d->slot;
    create->peer_id = d->id;
    create->name = sb_text_span(d->name);
    create->set_name = sb_text_span(system ? system->start_set : "Multi1");
}

static void advance_spawn(sb_drone *d)
{
    sb_message m;
    if (d->now < d->spawn_at || d->game_over) return;
    init_ship(d);
    write_creation(d, &m);
    d->spawn_at = d->now + retry_us;
    if (queue_message(d, &m) != SB_OK) return;
    d->spawn_at = SB_TIME_NEVER;
    sb_frame_init(&d->frame, &d->ship);
    sb_lane_init(&d->lane, SB_LANE_TO_HOST, &d->frame, &d->lanes);
    d->updates = 0;
    d->moved_at = d->now;
    d->update_at = d->now + UPDATE_MIN_US + random_us(d, UPDATE_SPREAD_US);
    set_phase(d, SB_CLIENT_FLYING);
}

/* The server asks for our ship: somebody does not know it (spec 07 §6). */
static sb_result handle_request_object(sb_drone *d, const sb_message *m)
{
    sb_message answer;
    if (d->phase != SB_CLIENT_FLYING || m->as.object_ref.object_id != d->ship.object_id)
        return SB_OK;
    write_creation(d, &answer);
    return queue_message(d, &answer);
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

/* ---- flight ---- */

/* The speed to be reached: the cruising speed plus a few of the smallest steps that a speed code
 * can express, so that every code names one change. */
static uint16_t wanted_code(const sb_drone *d)
{
    uint16_t first = sb_encode_cf16(cruise * d->ship.model->max_speed);
    return (uint16_t)(first + d->updates / UPDATES_PER_CODE % SPEED_CODES);
}

static void change_speed(sb_drone *d, float seconds)
{
    const sb_ship_class *model = d->ship.model;
    uint16_t             code = wanted_code(d);
    float                wanted = sb_decode_cf16(code), left = wanted - d->ship.motion.speed;
    if (left < speed_step * model->max_accel && left > -speed_step * model->max_accel)
        sb_motion_read_speed(&d->ship.motion, code);
    else
        sb_motion_set_speed(&d->ship.motion, sb_motion_approach(d->ship.motion.speed, wanted,
                                                                model->max_accel, seconds));
}

/* Moves the spoke by the distance flown. The arc is so short that its chord is as good. */
static void move_ship(sb_drone *d)
{
    float   seconds = (float)(d->now - d->moved_at) / (float)SB_SECOND;
    float   arc = d->ship.motion.speed * seconds / circle;
    sb_vec3 moved = sb_v_along(d->spoke, d->ship.motion.forward, arc);
    d->spoke = sb_v_scale(moved, 1.0f / sb_v_length(moved));
    d->moved_at = d->now;
    place_ship(d);
    change_speed(d, seconds);
}

static float game_time(const sb_drone *d)
{
    return (float)((double)d->game_time + (double)(d->now - d->settings_at) / SB_SECOND);
}

static void send_update(sb_drone *d)
{
    sb_message m = { .opcode = SB_OP_STATE_UPDATE };
    uint8_t    bytes[UPDATE_MAX];
    size_t     size;
    sb_frame_update(&d->frame, &d->ship, d->ship.motion.position);
    sb_message_context context = sb_lane_context(&d->lane, &d->frame, &d->lanes);
    if (!sb_lane_build(&d->lane, &d->frame, &d->lanes, false, d->now, game_time(d),
                       &m.as.state_update))
        return;
    if (sb_encode_message(&m, &context, bytes, sizeof bytes, &size) == SB_OK)
        (void)!queue(d, SB_UNRELIABLE, (sb_span){ bytes, size });
}

static void advance_flight(sb_drone *d)
{
    if (d->now < d->update_at) return;
    d->update_at += UPDATE_MIN_US + random_us(d, UPDATE_SPREAD_US);
    if (d->update_at <= d->now) d->update_at = d->now + UPDATE_MIN_US;
    move_ship(d);
    send_update(d);
    d->updates++;
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
    set_phase(d, SB_CLIENT_OVER);
    report(d, &event);
}

static void handle_event(sb_drone *d, const sb_transport_event *e)
{
    switch (e->type) {
    case SB_EVENT_JOINED:
        d->id = e->peer_id;
        set_phase(d, SB_CLIENT_CHECKING);
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
    advance_spawn(d);
    advance_flight(d);
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
    return queue(d, delivery, message);
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
