/* src/client/world.c -- the table of ships and other objects that the server reported.
 *
 * For:      messages of the server about objects, the own ship included.
 * Never:    simulates: conditions, deaths and positions come from the server.
 * Spec:     03 §9, 07, 08 §5, §7, §14.
 */
#include "client/client_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"

#include <math.h>
#include <string.h>

enum {
    WRECK_SECONDS_MAX = 60, /* a longer explosion is cut; captures have 9.5 and 12.9 s */
    STATE_UPDATE_MIN = 10,  /* bytes of the header (spec 03 §1) */
};

/* An object that is created with a higher speed starts at rest: the fastest ship of spec 11
 * has 9.5. */
static const float max_creation_speed = 1000.0f;

/* ---- rows ---- */

sb_seen_ship *sb_client_find_row(sb_client *c, uint32_t object_id)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++)
        if (c->rows[i].used && c->rows[i].ship.object_id == object_id) return &c->rows[i];
    return NULL;
}

static void report_object(sb_client *c, sb_client_event_type type, const sb_seen_ship *row,
                          uint8_t peer_id)
{
    sb_client_event event = sb_client_new_event(c, type);
    event.object_id = row->ship.object_id;
    event.peer_id = peer_id;
    sb_client_report(c, &event);
}

static void clear_own_ship(sb_client *c)
{
    c->own_index = -1;
    c->update_at = SB_TIME_NEVER;
    if (c->phase == SB_CLIENT_FLYING) sb_client_set_phase(c, SB_CLIENT_LOBBY);
}

void sb_client_remove_row(sb_client *c, sb_seen_ship *row)
{
    bool own = row->own;
    SB_ASSERT(row >= c->rows && row < c->rows + SB_CLIENT_SHIPS);
    if (!row->used) return;
    SB_ASSERT(own == (c->own_index == row - c->rows));
    row->used = false;
    report_object(c, SB_CLIENT_GONE, row, row->peer_id);
    if (own) clear_own_ship(c);
}

void sb_client_remove_all_rows(sb_client *c)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) sb_client_remove_row(c, &c->rows[i]);
}

void sb_client_remove_ships_of(sb_client *c, uint8_t peer_id)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++)
        if (c->rows[i].used && !c->rows[i].own && c->rows[i].peer_id == peer_id)
            sb_client_remove_row(c, &c->rows[i]);
}

/* The oldest row but our own; `scenery_only`: the oldest that belongs to no player. */
static sb_seen_ship *find_evictable_row(sb_client *c, bool scenery_only)
{
    sb_seen_ship *oldest = NULL;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        sb_seen_ship *row = &c->rows[i];
        if (row->own || (scenery_only && row->peer_id != 0)) continue;
        if (!oldest || c->row_order[i] < c->row_order[oldest - c->rows]) oldest = row;
    }
    return oldest;
}

static sb_seen_ship *find_free_row(sb_client *c)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++)
        if (!c->rows[i].used) return &c->rows[i];
    return NULL;
}

sb_seen_ship *sb_client_allocate_row(sb_client *c, bool for_own)
{
    sb_seen_ship *row = find_free_row(c);
    if (!row) row = find_evictable_row(c, true);
    if (!row && for_own) row = find_evictable_row(c, false);
    if (!row) return NULL;
    sb_client_remove_row(c, row);
    memset(row, 0, sizeof *row);
    c->row_order[row - c->rows] = c->created_count++;
    return row;
}

/* ---- ids of parts ---- */

uint32_t sb_client_id_count(const sb_ship_class *model)
{
    uint32_t count = sb_ship_id_count(model);
    return count > 0 ? count : SB_UNKNOWN_ID_COUNT;
}

uint32_t sb_client_part_id(const sb_ship_class *model, uint32_t ship_id, unsigned index, int child)
{
    if (!model || index >= model->subsystem_count) return 0;
    if (child >= model->subsystems[index].child_count) return 0;
    uint32_t id = sb_subsystem_id(model, ship_id, index, child);
    if (id != 0) return id;
    id = ship_id + 1;
    for (unsigned i = 0; i < index; i++) id += 1u + model->subsystems[i].child_count;
    return child < 0 ? id : id + 1u + (uint32_t)child;
}

/* ---- requests for objects ---- */

static bool is_in_own_block(const sb_client *c, uint32_t id)
{
    return c->has_settings && sb_slot_of_id(id) == c->settings.slot;
}

/* Records a request and returns true, unless the rate limit forbids it: one request per id and
 * second, and SB_CLIENT_REQUESTS_MAX ids per second (spec 07 §6). */
static bool record_request(sb_client *c, uint32_t id)
{
    sb_object_request *oldest = &c->requests[0];
    for (unsigned i = 0; i < SB_CLIENT_REQUESTS_MAX; i++) {
        sb_object_request *a = &c->requests[i];
        if (a->object_id == id) {
            oldest = a;
            break;
        }
        if (a->object_id == 0 || (oldest->object_id != 0 && a->at < oldest->at)) oldest = a;
    }
    if (oldest->object_id != 0 && c->now - oldest->at < SB_SECOND) return false;
    *oldest = (sb_object_request){ id, c->now };
    return true;
}

/* Asks the server for an object, within the rate limit. Never for an id of our own block: an object
 * of ours that is not in the table is gone. */
static void request_object(sb_client *c, uint8_t opcode, uint32_t id)
{
    uint8_t request[5] = { opcode };
    if (id == 0 || !sb_client_is_in_game(c) || is_in_own_block(c, id) || !record_request(c, id))
        return;
    sb_store_u32(request + 1, id);
    (void)!sb_client_queue(c, SB_RELIABLE, (sb_span){ request, sizeof request });
}

/* ---- creation and removal ---- */

static uint8_t to_printable(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7F ? ' ' : byte;
}

void sb_client_copy_text(char *out, size_t capacity, sb_span text)
{
    size_t size = text.size < capacity ? text.size : capacity - 1;
    for (size_t i = 0; i < size; i++) out[i] = (char)to_printable(text.data[i]);
    out[size] = '\0';
}

/* Some servers relay a creation to its sender as well. The peer id alone does not identify our
 * ship: some descriptions call this byte "team", so a server may put a team there (spec 07 §2). */
static bool is_own_echo(const sb_client *c, const sb_object_create *create)
{
    return create->peer_id == c->id && is_in_own_block(c, create->object_id);
}

/* A player has one ship: a new one replaces the previous, wreck or not (07 §2.6, 10 §12.1). */
static void remove_previous_ship(sb_client *c, const sb_object_create *create)
{
    int slot = sb_slot_of_id(create->object_id);
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        sb_seen_ship *row = &c->rows[i];
        if (row->used && !row->own && row->peer_id == create->peer_id &&
            sb_slot_of_id(row->ship.object_id) == slot)
            sb_client_remove_row(c, row);
    }
}

static void read_creation(sb_client *c, sb_seen_ship *row, const sb_object_create *create,
                          uint8_t peer_id)
{
    row->used = true;
    row->peer_id = peer_id;
    sb_ship_read_creation(&row->ship, create, c->ships);
    if (!(fabsf(row->ship.motion.speed) <= max_creation_speed))
        sb_motion_set_speed(&row->ship.motion, 0.0f);
    sb_client_copy_text(row->name, sizeof row->name, create->name);
    sb_client_copy_text(row->set_name, sizeof row->set_name, create->set_name);
    sb_receiver_init(&row->receiver, SB_RECEIVE_OTHER, &row->ship, c->now);
}

/* Torpedo objects are ignored: TorpedoFire and PulseFire announce every shot (spec 07 §2.4). */
sb_result sb_client_handle_object_create(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_object_create *create = &m->as.object_create;
    bool                    players = m->opcode == SB_OP_PLAYER_OBJECT_CREATE;
    (void)bytes;
    if (create->class_id != SB_CLASS_SHIP) return SB_OK;
    if (create->object_id == 0 || create->object_id == UINT32_MAX || create->species == 0)
        return SB_BAD_VALUE;
    if (sb_client_find_row(c, create->object_id)) return SB_OK;
    if (players && is_own_echo(c, create)) return SB_OK;
    uint8_t peer_id = players && sb_client_is_player_id(create->peer_id) ? create->peer_id : 0;
    if (peer_id != 0) remove_previous_ship(c, create);
    sb_seen_ship *row = sb_client_allocate_row(c, false);
    if (!row) return SB_FULL;
    read_creation(c, row, create, peer_id);
    sb_seen_player *player = peer_id != 0 ? sb_client_find_or_add_player(c, peer_id) : NULL;
    if (player) player->in_list = true;
    report_object(c, SB_CLIENT_SPAWNED, row, peer_id);
    return SB_OK;
}

sb_result sb_client_handle_destroy(sb_client *c, const sb_message *m, sb_span bytes)
{
    sb_seen_ship *row = sb_client_find_row(c, m->as.object_ref.object_id);
    (void)bytes;
    if (row) sb_client_remove_row(c, row);
    return SB_OK;
}

sb_result sb_client_handle_not_found(sb_client *c, const sb_message *m, sb_span bytes)
{
    uint32_t id = m->as.object_ref.object_id;
    (void)bytes;
    if (!sb_client_find_row(c, id)) request_object(c, SB_OP_REQUEST_OBJECT, id);
    return SB_OK;
}

/* Answers at most once a second, and not for a dying ship (spec 07 §6). */
sb_result sb_client_handle_request_object(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_seen_ship *own = sb_client_own_ship(c);
    (void)bytes;
    if (!own || own->exploding || own->ship.object_id != m->as.object_ref.object_id) return SB_OK;
    if (c->answered && c->now - c->answered_at < SB_SECOND) return SB_OK;
    c->answered = true;
    c->answered_at = c->now;
    return sb_client_queue_creation(c);
}

/* EnterSet carries no position. The host's lane continues, so the base of its deltas stays valid.
 * It ends a warp (spec 07 §7.1). */
sb_result sb_client_handle_enter_set(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_enter_set *enter = &m->as.enter_set;
    sb_seen_ship       *row = sb_client_find_row(c, enter->object_id);
    (void)bytes;
    if (!row) {
        request_object(c, SB_OP_OBJECT_NOT_FOUND, enter->object_id); /* spec 07 §5 */
        return SB_OK;
    }
    sb_client_copy_text(row->set_name, sizeof row->set_name, enter->set_name);
    row->warp_until = 0;
    return SB_OK;
}

/* ---- state updates ---- */

sb_result sb_client_handle_state_update(sb_client *c, const sb_message *m, sb_span bytes)
{
    (void)m;
    if (bytes.size < STATE_UPDATE_MIN) return SB_TRUNCATED;
    uint32_t      id = sb_load_u32(bytes.data + 1);
    sb_seen_ship *row = sb_client_find_row(c, id);
    if (!row) {
        request_object(c, SB_OP_OBJECT_NOT_FOUND, id); /* spec 03 §9 */
        return SB_OK;
    }
    uint8_t   layout = sb_layout_evidence_choose(&c->evidence, row->ship.model, bytes);
    sb_result result = sb_receiver_apply(&row->receiver, &row->ship, c->now, layout, bytes, NULL);
    /* Not allowed: an old update, because unreliable messages may arrive out of order. */
    return result == SB_NOT_ALLOWED ? SB_OK : result;
}

/* ---- deaths ---- */

static void start_explosion(sb_client *c, sb_seen_ship *row, const sb_event *e)
{
    float seconds = e->lifetime > 0.0f ? e->lifetime : 0.0f;
    if (seconds > WRECK_SECONDS_MAX) seconds = WRECK_SECONDS_MAX;
    row->exploding = true;
    row->ship.cloaked = false; /* spec 10 §12.2 */
    row->gone_at = c->now + (sb_time)(seconds * (float)SB_SECOND);
    row->warp_until = 0;
    row->repair_count = 0;
    memset(row->firing, 0, sizeof row->firing);
    uint8_t killer = sb_client_is_player_id(e->killer) ? (uint8_t)e->killer : 0;
    report_object(c, SB_CLIENT_EXPLODING, row, killer);
}

/* A death, or a change of a repair queue. */
sb_result sb_client_handle_python_event(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    (void)bytes;
    if (e->event_class != SB_EVENT_OBJECT_EXPLODING || e->event_code != SB_CODE_OBJECT_EXPLODING) {
        sb_client_apply_repair_event(c, e);
        return SB_OK;
    }
    sb_seen_ship *row = sb_client_find_row(c, e->destination);
    if (row && !row->exploding) start_explosion(c, row, e);
    return SB_OK;
}

void sb_client_advance_world(sb_client *c)
{
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        sb_seen_ship *row = &c->rows[i];
        if (row->used && row->exploding && c->now >= row->gone_at) sb_client_remove_row(c, row);
    }
}

sb_time sb_client_world_deadline(const sb_client *c)
{
    sb_time first = SB_TIME_NEVER;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        const sb_seen_ship *row = &c->rows[i];
        if (row->used && row->exploding && row->gone_at < first) first = row->gone_at;
    }
    return first;
}
