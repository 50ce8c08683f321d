/* src/client/own_ship.c -- the player's own ship: its object ids, its creation, its updates.
 *
 * For:      pilots and callers, who spawn and place it; act.c and client.c.
 * Spec:     03 §7, 07 §1, §2.
 * Tests:    tests/client/act_test.c, tests/client/act_rules_test.c
 *
 * SB_FULL always means that nothing was sent and nothing has changed.
 */
#include "client/client_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/text.h"
#include "base/windows1252.h"
#include "ship/codes.h"
#include "ship/vectors.h"

#include <string.h>

enum {
    BLOCK_IDS = 0x40000, /* object ids of a slot (spec 07 §1) */
    UPDATE_MAX = 400,    /* bytes of a StateUpdate */
    CREATION_BYTES_MAX = SB_EVENT_MAX,
};

sb_seen_ship *sb_client_advance_to_own_row(sb_client *c, sb_time now)
{
    if (now > c->now) c->now = now;
    return c->own_index >= 0 && sb_client_is_in_game(c) ? &c->rows[c->own_index] : NULL;
}

/* ---- object ids ---- */

/* A known object that uses one of `count` ids from `id` on: a former owner of our slot may have
 * left it behind. */
static const sb_seen_ship *find_overlap(const sb_client *c, uint32_t id, uint32_t count)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        const sb_seen_ship *row = &c->rows[i];
        uint32_t            first = row->ship.object_id;
        if (!row->used || first >= id + count) continue;
        if (id - first < sb_client_id_count(row->ship.model) || first >= id) return row;
    }
    return NULL;
}

/* Allocates ids in ascending order from the block of our slot; after the end of the block, the
 * first id follows. Skips ids of known objects, also those of the ship that is about to be
 * replaced: the server would refuse a creation with a known id. */
static uint32_t allocate_ids(sb_client *c, uint32_t count)
{
    uint32_t            first = sb_slot_first_id(c->settings.slot), end = first + BLOCK_IDS;
    const sb_seen_ship *other;
    if (c->next_id > end - count) c->next_id = first;
    for (unsigned tries = 0; tries < SB_CLIENT_SHIPS; tries++) {
        other = find_overlap(c, c->next_id, count);
        if (!other) break;
        c->next_id = other->ship.object_id + sb_client_id_count(other->ship.model);
        if (c->next_id > end - count) c->next_id = first;
    }
    uint32_t id = c->next_id;
    c->next_id += count;
    return id;
}

void sb_client_skip_shot_id(sb_client *c)
{
    uint32_t first = sb_slot_first_id(c->settings.slot);
    c->next_id = c->next_id + 1 < first + BLOCK_IDS ? c->next_id + 1 : first;
}

/* ---- our ship ---- */

/* The set where ships spawn: the start set of the mission's system; in a mod's system, the set of
 * another ship, or else Multi1. */
static const char *start_set(const sb_client *c)
{
    const sb_system *system = sb_find_system(sb_stock_systems(), c->mission.system);
    if (system) return system->start_set;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++)
        if (c->rows[i].used && !c->rows[i].own && c->rows[i].set_name[0] != '\0')
            return c->rows[i].set_name;
    return "Multi1";
}

/* Our name as Windows-1252, which a creation message needs; other characters become '?'. */
static void write_own_name(const sb_client *c, char *out, size_t capacity)
{
    sb_span name = sb_player_name_text(&c->name);
    size_t  size = 0;
    for (size_t at = 0; at + 2 <= name.size && size + 1 < capacity; at += 2) {
        uint8_t byte = '?';
        (void)sb_windows1252_byte(sb_load_u16(name.data + at), &byte);
        out[size++] = (char)byte;
    }
    out[size] = '\0';
}

static void write_creation(const sb_client *c, const sb_seen_ship *row, sb_message *m)
{
    sb_object_create *create = &m->as.object_create;
    *m = (sb_message){ .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    sb_ship_write_creation(&row->ship, create);
    create->owner_slot = (int8_t)c->settings.slot;
    create->peer_id = c->id;
    create->name = sb_text_span(row->name);
    create->set_name = sb_text_span(row->set_name);
}

sb_result sb_client_queue_creation(sb_client *c)
{
    sb_message m;
    SB_ASSERT(c->own_index >= 0);
    write_creation(c, &c->rows[c->own_index], &m);
    return sb_client_queue_message(c, &m);
}

static void fill_own_row(sb_client *c, sb_seen_ship *row, uint8_t species, uint32_t id)
{
    const char *set = start_set(c);
    size_t      size = strlen(set);
    row->used = row->own = true;
    row->peer_id = c->id;
    sb_ship_init(&row->ship, sb_find_ship(c->ships, species), species, id);
    write_own_name(c, row->name, sizeof row->name);
    SB_ASSERT(size < sizeof row->set_name); /* a stock set, or that of another row */
    memcpy(row->set_name, set, size);
    row->set_name[size] = '\0';
}

static void place_row(sb_seen_ship *row, sb_vec3 position, sb_vec3 forward, sb_vec3 up, float speed)
{
    row->ship.motion.position = sb_clamp_position(position);
    sb_motion_set_axes(&row->ship.motion, forward, up);
    sb_motion_set_speed(&row->ship.motion, speed);
}

/* The first update is due after one interval, so that the creation arrives before it. */
static void start_flying(sb_client *c, sb_seen_ship *row)
{
    c->own_index = (int)(row - c->rows);
    sb_receiver_init(&row->receiver, SB_RECEIVE_OWN, &row->ship, c->now);
    sb_frame_init(&c->frame, &row->ship);
    sb_lane_init(&c->lane, SB_LANE_TO_HOST, &c->frame, &c->config.lanes);
    c->update_at = c->now + c->config.lanes.interval_us;
    c->answered = false;
}

static void report_spawned(sb_client *c, const sb_seen_ship *row)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_SPAWNED);
    event.object_id = row->ship.object_id;
    event.peer_id = c->id;
    sb_client_report(c, &event);
    sb_client_set_phase(c, SB_CLIENT_FLYING);
}

/* Sends nothing: the creation of the new ship tells the server that the old one is gone (07 §2.6).
 */
static void remove_previous_ship(sb_client *c)
{
    if (c->own_index < 0) return;
    sb_seen_ship   *row = &c->rows[c->own_index];
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_GONE);
    event.object_id = row->ship.object_id;
    event.peer_id = row->peer_id;
    row->used = row->own = false;
    c->own_index = -1;
    sb_client_report(c, &event);
}

/* Checks first that the longest possible creation fits into the send queue. Not allowed from
 * on_event, because the tables are being changed then. */
sb_result sb_client_spawn(sb_client *c, sb_time now, uint8_t species, sb_vec3 position,
                          sb_vec3 forward, sb_vec3 up)
{
    if (now > c->now) c->now = now;
    if (!sb_client_is_in_game(c) || c->game_over || c->reporting > 0) return SB_NOT_ALLOWED;
    if (species == 0 || !sb_v_is_finite(position) || !sb_v_is_finite(forward) ||
        !sb_v_is_finite(up))
        return SB_BAD_VALUE;
    if (sb_transport_client_free_bytes(c->transport) < CREATION_BYTES_MAX) return SB_FULL;
    uint32_t id = allocate_ids(c, sb_client_id_count(sb_find_ship(c->ships, species)));
    remove_previous_ship(c);
    sb_seen_ship *row = sb_client_allocate_row(c, true);
    SB_ASSERT(row != NULL);
    fill_own_row(c, row, species, id);
    place_row(row, position, forward, up, 0.0f);
    start_flying(c, row);
    sb_result result = sb_client_queue_creation(c);
    report_spawned(c, row);
    return result;
}

sb_result sb_client_place(sb_client *c, sb_time now, sb_vec3 position, sb_vec3 forward, sb_vec3 up,
                          float speed)
{
    sb_seen_ship *row = sb_client_advance_to_own_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    if (!sb_v_is_finite(position) || !sb_v_is_finite(forward) || !sb_v_is_finite(up) ||
        !sb_float_is_finite(speed))
        return SB_BAD_VALUE;
    place_row(row, position, forward, up, speed);
    return SB_OK;
}

static void send_update(sb_client *c, const sb_seen_ship *row)
{
    sb_message m;
    uint8_t    bytes[UPDATE_MAX];
    size_t     size;
    m.opcode = SB_OP_STATE_UPDATE;
    m.group_count = 0;
    m.trailing = (sb_span){ NULL, 0 };
    sb_frame_update(&c->frame, &row->ship, row->ship.motion.position);
    sb_message_context context = sb_lane_context(&c->lane, &c->frame, &c->config.lanes);
    if (!sb_lane_build(&c->lane, &c->frame, &c->config.lanes, false, c->now,
                       sb_client_game_time(c, c->now), &m.as.state_update))
        return;
    if (sb_encode_message(&m, &context, bytes, sizeof bytes, &size) != SB_OK) return;
    (void)!sb_client_queue(c, SB_UNRELIABLE, (sb_span){ bytes, size });
}

/* A wreck sends updates, too, as long as it burns (spec 03 §8). Missed updates are skipped. */
void sb_client_advance_own_ship(sb_client *c)
{
    if (c->own_index < 0 || c->now < c->update_at) return;
    c->update_at += c->config.lanes.interval_us;
    if (c->update_at <= c->now) c->update_at = c->now + c->config.lanes.interval_us;
    send_update(c, &c->rows[c->own_index]);
}
