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

/* The ship whose range of ids contains `id`; where ranges overlap, the ship with the nearest id. */
static sb_seen_ship *find_ship_of_part(sb_client *c, uint32_t id)
{
    sb_seen_ship *nearest = NULL;
    for (unsigned i = 0; i < SB_CLIENT_SHIPS; i++) {
        sb_seen_ship *row = &c->rows[i];
        uint32_t      ship = row->ship.object_id;
        if (!row->used || id < ship || id - ship >= sb_client_id_count(row->ship.model)) continue;
        if (!nearest || ship > nearest->ship.object_id) nearest = row;
    }
    return nearest;
}

/* Finds the top-level entry with this id: first by the ids known from the data, then by the ids
 * that sb_client_part_id assumes. */
static bool find_entry(const sb_ship *ship, uint32_t id, unsigned *index)
{
    int child;
    if (!ship->model) return false;
    if (sb_find_subsystem(ship->model, ship->object_id, id, index, &child)) return child < 0;
    for (*index = 0; *index < ship->model->subsystem_count; ++*index)
        if (sb_client_part_id(ship->model, ship->object_id, *index, -1) == id) return true;
    return false;
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

static void copy_text(char *out, size_t capacity, sb_span text)
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
        if (row->used && !row->own && row->peer_id != 0 && row->peer_id == create->peer_id &&
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
    copy_text(row->name, sizeof row->name, create->name);
    copy_text(row->set_name, sizeof row->set_name, create->set_name);
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
 */
sb_result sb_client_handle_enter_set(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_enter_set *enter = &m->as.enter_set;
    sb_seen_ship       *row = sb_client_find_row(c, enter->object_id);
    (void)bytes;
    if (!row) {
        request_object(c, SB_OP_REQUEST_OBJECT, enter->object_id);
        return SB_OK;
    }
    copy_text(row->set_name, sizeof row->set_name, enter->set_name);
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
    memset(row->firing, 0, sizeof row->firing);
    uint8_t killer = sb_client_is_player_id(e->killer) ? (uint8_t)e->killer : 0;
    report_object(c, SB_CLIENT_EXPLODING, row, killer);
}

/* Only deaths matter here: the results of repairs come in state updates. */
sb_result sb_client_handle_python_event(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    (void)bytes;
    if (e->event_class != SB_EVENT_OBJECT_EXPLODING || e->event_code != SB_CODE_OBJECT_EXPLODING)
        return SB_OK;
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

/* ---- actions of other players ---- */

/* The ship of another player that contains this part; NULL: unknown, or the own ship, whose events
 * are echoes of what we sent. */
static sb_seen_ship *find_foreign_ship(sb_client *c, uint32_t part)
{
    sb_seen_ship *row = find_ship_of_part(c, part);
    return row && !row->own ? row : NULL;
}

static void report_fired(sb_client *c, const sb_seen_ship *row, uint8_t opcode, uint32_t target)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_FIRED);
    event.object_id = row->ship.object_id;
    event.peer_id = row->peer_id;
    event.value = opcode;
    event.target = target;
    sb_client_report(c, &event);
}

/* The game sends StartFiring twice (spec 08 §7.1); both messages are reported. */
sb_result sb_client_handle_start_firing(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    sb_seen_ship   *row = find_foreign_ship(c, e->destination);
    uint32_t        target = e->event_class == SB_EVENT_START_FIRING ? e->target : 0;
    unsigned        index;
    (void)bytes;
    if (!row) return SB_OK;
    if (!row->exploding && find_entry(&row->ship, e->destination, &index)) {
        row->firing[index] = true;
        row->firing_at[index] = target;
    }
    report_fired(c, row, m->opcode, target);
    return SB_OK;
}

/* StopFiring, and StopFiringAtTarget, which names the target that is released, or 0 for any. */
sb_result sb_client_handle_stop_firing(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    sb_seen_ship   *row = find_foreign_ship(c, e->destination);
    uint32_t        released = e->event_class == SB_EVENT_OBJECT_POINTER ? e->third : 0;
    unsigned        index;
    (void)bytes;
    if (!row || !find_entry(&row->ship, e->destination, &index)) return SB_OK;
    if (released == 0 || row->firing_at[index] == 0 || released == row->firing_at[index])
        row->firing[index] = false;
    return SB_OK;
}

/* SubsystemStatus: on or off, the cloaking device included (spec 08 §7.4). */
sb_result sb_client_handle_status(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    sb_seen_ship   *row = find_foreign_ship(c, e->destination);
    unsigned        index;
    (void)bytes;
    if (e->event_class != SB_EVENT_BOOL || !row) return SB_OK;
    if (!find_entry(&row->ship, e->destination, &index)) return SB_OK;
    row->ship.on[index] = e->value != 0;
    if (row->ship.model->subsystems[index].type == SB_SUBSYSTEM_CLOAK)
        row->ship.cloaked = e->value != 0;
    return SB_OK;
}

/* StartCloaking, StopCloaking: only mods send them (spec 08 §7.6). */
sb_result sb_client_handle_cloaking(sb_client *c, const sb_message *m, sb_span bytes)
{
    sb_seen_ship *row = find_foreign_ship(c, m->as.event.destination);
    (void)bytes;
    if (row && row->ship.model && row->ship.model->can_cloak)
        row->ship.cloaked = m->opcode == SB_OP_START_CLOAKING;
    return SB_OK;
}

/* PhaserLevel, TorpedoType. */
sb_result sb_client_handle_setting(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    sb_seen_ship   *row = find_foreign_ship(c, e->destination);
    unsigned        index;
    (void)bytes;
    if (e->event_class != SB_EVENT_CHAR || !row) return SB_OK;
    if (m->opcode == SB_OP_PHASER_LEVEL && e->value > 2) return SB_BAD_VALUE;
    if (find_entry(&row->ship, e->destination, &index)) row->ship.setting[index] = e->value;
    return SB_OK;
}

sb_result sb_client_handle_torpedo(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_seen_ship *row = find_foreign_ship(c, m->as.torpedo_fire.tube);
    (void)bytes;
    if (row) report_fired(c, row, m->opcode, m->as.torpedo_fire.target);
    return SB_OK;
}

sb_result sb_client_handle_pulse(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_seen_ship *row = find_foreign_ship(c, m->as.pulse_fire.weapon);
    (void)bytes;
    if (row) report_fired(c, row, m->opcode, m->as.pulse_fire.target);
    return SB_OK;
}
