/* src/client/client.c -- the main loop of a headless player, and the queries about its state.
 *
 * For:      datagrams in and out; passes each received message to its handler.
 * Never:    decides what to do: that is the pilot's or the caller's job.
 * Spec:     06 §10.
 */
#include "client/client_internal.h"
#include "client/testing.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/time.h"
#include "message/table.h"

#include <string.h>

/* ---- setting up ---- */

/* 904 cells (113 KiB): the largest message of a join (832 bytes) needs 12 of them, and the memory
 * of a thousand clients fits into one process. */
enum { CELLS = 904 };

void sb_client_defaults(sb_client_config *config)
{
    *config = (sb_client_config){ .ships = NULL };
    sb_transport_client_defaults(&config->transport);
    config->transport.cells = CELLS;
    /* A bot tells who joins: names are wanted at once, and a forged one does no harm. */
    config->transport.cautious = false;
    sb_lane_options_stock(&config->lanes);
}

static size_t struct_bytes(void)
{
    return (sizeof(sb_client) + 15) / 16 * 16;
}

static bool is_valid_config(const sb_client_config *c)
{
    return c->load_us >= 0 && c->load_us < INT64_MAX / 4 && c->lanes.interval_us > 0 &&
           c->lanes.full_us > 0 && (c->manifest_count == 0 || c->manifests);
}

size_t sb_client_bytes(const sb_client_config *config)
{
    size_t transport = sb_transport_client_bytes(&config->transport);
    return transport > 0 && is_valid_config(config) ? struct_bytes() + transport : 0;
}

sb_client *sb_client_init(void *memory, const sb_client_config *config, sb_time now)
{
    SB_ASSERT(sb_client_bytes(config) > 0);
    sb_client *c = memory;
    memset(c, 0, sizeof *c);
    c->config = *config;
    c->ships = config->ships ? config->ships : sb_stock_ships();
    c->transport =
        sb_transport_client_init((uint8_t *)memory + struct_bytes(), &config->transport, now);
    c->now = now;
    c->phase = SB_CLIENT_CONNECTING;
    c->id = SB_PEER_NONE;
    c->own_index = -1;
    c->ready_at = c->update_at = SB_TIME_NEVER;
    sb_player_name_clean(&c->name, config->transport.name, SB_PEER_NONE);
    c->config.transport.name = c->config.transport.password =
        (sb_span){ NULL, 0 }; /* the caller keeps them */
    return c;
}

/* ---- events for the caller ---- */

sb_client_event sb_client_new_event(const sb_client *c, sb_client_event_type type)
{
    return (sb_client_event){ .type = type, .now = c->now };
}

void sb_client_report(sb_client *c, const sb_client_event *event)
{
    if (!c->config.on_event) return;
    c->reporting++;
    c->config.on_event(c->config.event_context, event);
    c->reporting--;
}

void sb_client_set_phase(sb_client *c, sb_client_phase phase)
{
    if (c->phase == phase) return;
    SB_ASSERT(phase <= SB_CLIENT_OVER);
    SB_ASSERT(c->phase != SB_CLIENT_OVER); /* the last phase */
    c->phase = (uint8_t)phase;
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_PHASE);
    event.value = (int32_t)phase;
    sb_client_report(c, &event);
}

static void report_bad_message(sb_client *c, sb_span bytes, sb_result why)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_BAD_MESSAGE);
    event.bytes = bytes;
    event.result = why;
    sb_client_report(c, &event);
}

/* ---- messages in ---- */

/* Opcodes without a handler are counted and ignored, as the game does (spec 08 §1.1): messages that
 * only clients send (OpenBC relays some of them), ChecksumComplete, which the stock client does not
 * read either (spec 06 §5.5), and the messages of mods. */
static const sb_client_handler handlers[256] = {
    [SB_OP_SETTINGS] = sb_client_handle_settings,
    [SB_OP_GAME_INIT] = sb_client_handle_game_init,
    [SB_OP_OBJECT_CREATE] = sb_client_handle_object_create,
    [SB_OP_PLAYER_OBJECT_CREATE] = sb_client_handle_object_create,
    [SB_OP_PYTHON_EVENT] = sb_client_handle_python_event,
    [SB_OP_START_FIRING] = sb_client_handle_start_firing,
    [SB_OP_STOP_FIRING] = sb_client_handle_stop_firing,
    [SB_OP_STOP_FIRING_AT_TARGET] = sb_client_handle_stop_firing,
    [SB_OP_SUBSYSTEM_STATUS] = sb_client_handle_status,
    [SB_OP_ADD_TO_REPAIR_LIST] = sb_client_handle_repair_list,
    [SB_OP_CLIENT_EVENT] = sb_client_handle_repair_list,
    [SB_OP_START_CLOAKING] = sb_client_handle_cloaking,
    [SB_OP_STOP_CLOAKING] = sb_client_handle_cloaking,
    [SB_OP_START_WARP] = sb_client_handle_warp,
    [SB_OP_REPAIR_PRIORITY] = sb_client_handle_repair_priority,
    [SB_OP_PHASER_LEVEL] = sb_client_handle_setting,
    [SB_OP_TORPEDO_TYPE] = sb_client_handle_setting,
    [SB_OP_DESTROY_OBJECT] = sb_client_handle_destroy,
    [SB_OP_COLLISION_SETTING] = sb_client_handle_collision_setting,
    [SB_OP_PLAYER_LIST] = sb_client_handle_player_list,
    [SB_OP_PLAYER_LEFT_TEXT] = sb_client_handle_left_text,
    [SB_OP_TORPEDO_FIRE] = sb_client_handle_torpedo,
    [SB_OP_PULSE_FIRE] = sb_client_handle_pulse,
    [SB_OP_STATE_UPDATE] = sb_client_handle_state_update,
    [SB_OP_OBJECT_NOT_FOUND] = sb_client_handle_not_found,
    [SB_OP_REQUEST_OBJECT] = sb_client_handle_request_object,
    [SB_OP_ENTER_SET] = sb_client_handle_enter_set,
    [SB_OP_CHECKSUM_REQUEST] = sb_client_handle_checksum_request,
    [SB_OP_VERSION_MISMATCH] = sb_client_handle_refused_files,
    [SB_OP_CHECKSUM_FAIL] = sb_client_handle_refused_files,
    [SB_OP_FILE_TRANSFER] = sb_client_handle_file_transfer,
    [SB_OP_DAMAGE_VOLUME] = sb_client_handle_volume,
    [SB_OP_CHAT] = sb_client_handle_chat,
    [SB_OP_TEAM_CHAT] = sb_client_handle_chat,
    [SB_OP_MISSION_INIT] = sb_client_handle_mission,
    [SB_OP_SCORE_CHANGE] = sb_client_handle_score_change,
    [SB_OP_SCORE] = sb_client_handle_score,
    [SB_OP_END_GAME] = sb_client_handle_end_game,
    [SB_OP_RESTART_GAME] = sb_client_handle_restart,
    [SB_OP_SCORE_INIT] = sb_client_handle_score,
    [SB_OP_TEAM_SCORE] = sb_client_handle_team_score,
    [SB_OP_TEAM] = sb_client_handle_team,
};

bool sb_client_handles(uint8_t opcode)
{
    return handlers[opcode] != NULL;
}

static sb_result dispatch(sb_client *c, sb_span bytes)
{
    sb_client_handler handler = handlers[bytes.data[0]];
    if (!handler) return SB_OK;
    if (bytes.data[0] == SB_OP_STATE_UPDATE) return handler(c, NULL, bytes);
    sb_message               message;
    const sb_message_context context = { .ships = c->ships };
    sb_result                result = sb_decode_message(bytes, &context, &message, NULL);
    return result == SB_OK ? handler(c, &message, bytes) : result;
}

/* No host sends a reliable message unreliably; whoever forges one would need no number. A reliable
 * StateUpdate does no harm (spec 08 §1.3). */
static bool is_forged(uint8_t opcode, sb_delivery delivery)
{
    return delivery == SB_UNRELIABLE &&
           !sb_is_stock_delivery(sb_find_message_type(opcode), SB_UNRELIABLE);
}

static void handle_message(sb_client *c, sb_delivery delivery, sb_span bytes)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_MESSAGE);
    if (c->leaving || bytes.size == 0) return;
    if (is_forged(bytes.data[0], delivery)) {
        report_bad_message(c, bytes, SB_NOT_ALLOWED);
        return;
    }
    if (c->received[bytes.data[0]] < UINT32_MAX) c->received[bytes.data[0]]++;
    event.bytes = bytes;
    sb_client_report(c, &event);
    sb_result result = dispatch(c, bytes);
    if (result != SB_OK) report_bad_message(c, bytes, result);
}

/* ---- events of the transport ---- */

static void handle_joined(sb_client *c, uint8_t id)
{
    SB_ASSERT(c->phase == SB_CLIENT_CONNECTING);
    SB_ASSERT(sb_client_is_player_id(id));
    c->id = id;
    if (c->name.size == 0) sb_player_name_clean(&c->name, (sb_span){ NULL, 0 }, id);
    sb_client_name_player(c, id, sb_player_name_text(&c->name));
    sb_client_set_phase(c, SB_CLIENT_CHECKING);
}

/* The tables of ships and players keep their last state. */
static void handle_end(sb_client *c, const sb_transport_event *e)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_LEFT);
    event.peer_id = e->peer_id;
    event.reason = e->reason;
    event.boot_reason = e->boot_reason;
    c->leaving = true;
    sb_client_set_phase(c, SB_CLIENT_OVER);
    sb_client_report(c, &event);
}

static void handle_event(sb_client *c, const sb_transport_event *e)
{
    bool about_us =
        e->peer_id == SB_PEER_NONE || e->peer_id == sb_transport_client_id(c->transport);
    switch (e->type) {
    case SB_EVENT_JOINED: handle_joined(c, e->peer_id); break;
    case SB_EVENT_NAMED: sb_client_name_player(c, e->peer_id, e->bytes); break;
    case SB_EVENT_MESSAGE: handle_message(c, e->delivery, e->bytes); break;
    case SB_EVENT_LEFT:
        if (about_us) handle_end(c, e);
        else sb_client_remove_player(c, e->peer_id);
        break;
    }
}

static void drain_events(sb_client *c)
{
    sb_transport_event event;
    while (sb_transport_client_next_event(c->transport, c->now, &event)) handle_event(c, &event);
}

/* ---- the main loop ---- */

static void advance_clock(sb_client *c, sb_time now)
{
    if (now > c->now) c->now = now;
}

sb_result sb_client_receive(sb_client *c, sb_time now, sb_endpoint from, sb_span datagram)
{
    advance_clock(c, now);
    sb_result result = sb_transport_client_receive(c->transport, c->now, from, datagram);
    drain_events(c);
    return result;
}

void sb_client_advance(sb_client *c, sb_time now)
{
    advance_clock(c, now);
    drain_events(c);
    if (c->leaving) return;
    sb_client_advance_join(c);
    sb_client_advance_world(c);
    sb_client_advance_own_ship(c);
}

size_t sb_client_write(sb_client *c, sb_time now, uint8_t *out)
{
    advance_clock(c, now);
    return sb_transport_client_write(c->transport, c->now, out);
}

sb_time sb_client_next_deadline(const sb_client *c)
{
    sb_time at = sb_transport_client_next_deadline(c->transport);
    if (c->leaving) return at;
    at = sb_time_earlier(at, sb_time_earlier(c->ready_at, c->update_at));
    at = sb_time_earlier(at, sb_client_world_deadline(c));
    return at < c->now ? c->now : at;
}

void sb_client_start_leaving(sb_client *c)
{
    c->leaving = true;
    sb_transport_client_leave(c->transport, c->now);
}

void sb_client_leave(sb_client *c, sb_time now)
{
    advance_clock(c, now);
    if (!c->leaving) sb_client_start_leaving(c);
}

bool sb_client_is_over(const sb_client *c)
{
    return c->phase == SB_CLIENT_OVER && sb_transport_client_is_over(c->transport);
}

/* ---- messages out ---- */

bool sb_client_is_in_game(const sb_client *c)
{
    return !c->leaving && (c->phase == SB_CLIENT_LOBBY || c->phase == SB_CLIENT_FLYING);
}

static void report_queued(sb_client *c, sb_span message)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_QUEUED);
    event.bytes = message;
    sb_client_report(c, &event);
}

/* Checks the capacity first, because the transport disconnects when it cannot queue a reliable
 * message. */
sb_result sb_client_queue(sb_client *c, sb_delivery delivery, sb_span message)
{
    if (c->leaving || c->id == SB_PEER_NONE || message.size == 0) return SB_NOT_ALLOWED;
    if (message.size > SB_PAYLOAD_MAX) return SB_BAD_VALUE;
    if (message.size > sb_transport_client_free_bytes(c->transport)) return SB_FULL;
    sb_result result = sb_transport_client_send(c->transport, delivery, message);
    if (result == SB_OK) report_queued(c, message);
    return result;
}

sb_result sb_client_queue_message(sb_client *c, const sb_message *message)
{
    uint8_t                  bytes[SB_EVENT_MAX];
    size_t                   size;
    const sb_message_context context = { .ships = c->ships };
    sb_result result = sb_encode_message(message, &context, bytes, sizeof bytes, &size);
    if (result != SB_OK) return result;
    return sb_client_queue(c, SB_RELIABLE, (sb_span){ bytes, size });
}

sb_result sb_client_send(sb_client *c, sb_time now, sb_delivery delivery, sb_span message)
{
    advance_clock(c, now);
    return sb_client_queue(c, delivery, message);
}

/* ---- queries ---- */

sb_client_phase sb_client_phase_of(const sb_client *c)
{
    return (sb_client_phase)c->phase;
}

const char *sb_client_phase_text(sb_client_phase phase)
{
    static const char *const texts[] = { "connecting", "checking", "loading",
                                         "lobby",      "flying",   "over" };
    return (size_t)phase < sizeof texts / sizeof *texts ? texts[phase] : "unknown";
}

uint8_t sb_client_id(const sb_client *c)
{
    return c->id;
}

int sb_client_slot(const sb_client *c)
{
    return c->has_settings ? c->settings.slot : -1;
}

float sb_client_game_time(const sb_client *c, sb_time now)
{
    if (!c->has_settings) return 0.0f;
    double elapsed = now > c->settings_at ? (double)(now - c->settings_at) / SB_SECOND : 0.0;
    return (float)((double)c->settings.game_time + elapsed);
}

const sb_settings *sb_client_settings(const sb_client *c)
{
    return &c->settings;
}

const sb_mission_init *sb_client_mission(const sb_client *c)
{
    return &c->mission;
}

bool sb_client_is_game_over(const sb_client *c)
{
    return c->game_over;
}

const sb_seen_ship *sb_client_ship(const sb_client *c, unsigned index)
{
    return index < SB_CLIENT_SHIPS && c->rows[index].used ? &c->rows[index] : NULL;
}

const sb_seen_player *sb_client_player(const sb_client *c, unsigned index)
{
    return index < SB_CLIENT_PLAYERS && c->players[index].used ? &c->players[index] : NULL;
}

const sb_seen_ship *sb_client_find_ship(const sb_client *c, uint32_t object_id)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++)
        if (c->rows[i].used && c->rows[i].ship.object_id == object_id) return &c->rows[i];
    return NULL;
}

const sb_seen_player *sb_client_find_player(const sb_client *c, uint8_t peer_id)
{
    for (unsigned i = 0; i < SB_CLIENT_PLAYERS; i++)
        if (c->players[i].used && c->players[i].peer_id == peer_id) return &c->players[i];
    return NULL;
}

const sb_seen_ship *sb_client_own_ship(const sb_client *c)
{
    return c->own_index >= 0 ? &c->rows[c->own_index] : NULL;
}

sb_vec3 sb_client_position(const sb_client *c, const sb_seen_ship *ship, sb_time now)
{
    (void)c;
    if (ship->own) return ship->ship.motion.position;
    return sb_receiver_estimate(&ship->receiver, &ship->ship, now);
}

/* The pull of the tractor systems of one ship. */
static sb_pull pull_of(const sb_client *c, const sb_seen_ship *holder, const sb_seen_ship *own,
                       sb_time now)
{
    sb_pull sum = { 0 };
    sb_vec3 from = sb_client_position(c, holder, now), at = own->ship.motion.position;
    sb_vec3 to_us = { at.x - from.x, at.y - from.y, at.z - from.z };
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        if (!holder->firing[i] || holder->firing_at[i] != own->ship.object_id) continue;
        sum = sb_pull_add(sum, sb_ship_pull(&holder->ship, i, to_us, own->ship.model->mass));
    }
    return sum;
}

sb_pull sb_client_pull(const sb_client *c, sb_time now)
{
    sb_pull             sum = { 0 };
    const sb_seen_ship *own = sb_client_own_ship(c);
    if (!own || !own->ship.model) return sum;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        const sb_seen_ship *row = &c->rows[i];
        if (!row->used || row->own || !sb_client_can_meet(row, own, now)) continue;
        sum = sb_pull_add(sum, pull_of(c, row, own, now));
    }
    return sum;
}

sb_layout_verdict sb_client_layout(const sb_client *c)
{
    return sb_layout_evidence_verdict(&c->evidence);
}

int32_t sb_client_team_score(const sb_client *c, unsigned team, int32_t *kills)
{
    bool known = team < SB_CLIENT_TEAMS;
    if (kills) *kills = known ? c->teams[team].kills : 0;
    return known ? c->teams[team].score : 0;
}

const sb_transport_client *sb_client_transport(const sb_client *c)
{
    return c->transport;
}

uint64_t sb_client_received(const sb_client *c, uint8_t opcode)
{
    return c->received[opcode];
}
