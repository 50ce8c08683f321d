/* src/client/ship_events.c -- messages about single ships: shots, switches, warps, repairs, damage
 * volumes.
 *
 * For:      the dispatch of client.c. Events of the own ship are echoes of what we sent; only the
 *           host's own messages about it are applied.
 * Never:    simulates: conditions, deaths and positions come from the server.
 * Spec:     08 §5, §7, §14, §15; 07 §7.
 * Tests:    tests/client/ship_events_test.c, ship_events_rules_test.c
 */
#include "client/client_internal.h"

#include <starbase/message.h>

#include "base/assert.h"

#include <string.h>

/* ---- ids of parts ---- */

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

/* ---- shots and switches of other players ---- */

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

/* ---- warps ---- */

/* The warp time of the message; spec 07 §7.3 says which values count. */
static sb_time warp_time_of(const sb_event *e)
{
    float seconds = e->warp_speed > 0.0f && e->warp_speed <= 60.0f ? e->warp_speed : 5.0f;
    return (sb_time)(seconds * (float)SB_SECOND);
}

/* A warp ends with an EnterSet. One that leads to no other set has none, so it ends by itself: a
 * stock client needs 10.5 s beside the warp time (spec 07 §7.2). */
sb_result sb_client_handle_warp(sb_client *c, const sb_message *m, sb_span bytes)
{
    static const sb_time other_stages = 21 * SB_SECOND / 2;
    const sb_event      *e = &m->as.event;
    sb_seen_ship        *row = find_foreign_ship(c, e->destination);
    (void)bytes;
    if (e->event_class != SB_EVENT_START_WARP || !row || row->exploding) return SB_OK;
    sb_client_copy_text(row->warp_set, sizeof row->warp_set, e->set_name);
    row->warp_to = e->warp_to;
    row->warp_until = c->now + warp_time_of(e) + other_stages;
    return SB_OK;
}

/* ---- repairs ---- */

static unsigned find_repair(const sb_seen_ship *row, uint32_t part)
{
    unsigned at = 0;
    while (at < row->repair_count && row->repairs[at] != part) at++;
    return at;
}

static void insert_repair(sb_seen_ship *row, unsigned at, uint32_t part)
{
    SB_ASSERT(at <= row->repair_count && row->repair_count < SB_CLIENT_REPAIRS);
    memmove(row->repairs + at + 1, row->repairs + at,
            (row->repair_count - at) * sizeof *row->repairs);
    row->repairs[at] = part;
    row->repair_count++;
}

static void remove_repair(sb_seen_ship *row, unsigned at)
{
    if (at >= row->repair_count) return;
    row->repair_count--;
    memmove(row->repairs + at, row->repairs + at + 1,
            (row->repair_count - at) * sizeof *row->repairs);
}

/* Appends the part, if it is not in the queue. A destroyed part is announced, too, but is never in
 * the queue (spec 08 §5.1); its condition comes later, in a state update, so it is kept until the
 * host says that it cannot be repaired. */
static void add_repair(sb_seen_ship *row, uint32_t part)
{
    if (part == 0 || row->exploding || row->repair_count == SB_CLIENT_REPAIRS) return;
    if (find_repair(row, part) == row->repair_count) insert_repair(row, row->repair_count, part);
}

void sb_client_apply_repair_event(sb_client *c, const sb_event *e)
{
    bool added = e->event_code == SB_CODE_ADD_TO_REPAIR_LIST;
    bool ended = e->event_class == SB_EVENT_OBJECT_POINTER &&
                 (e->event_code == SB_CODE_REPAIR_COMPLETED ||
                  e->event_code == SB_CODE_REPAIR_CANNOT_BE_COMPLETED);
    sb_seen_ship *row = added || ended ? find_ship_of_part(c, e->destination) : NULL;
    if (!row) return;
    if (added && find_ship_of_part(c, e->source) == row) add_repair(row, e->source);
    if (ended) remove_repair(row, find_repair(row, e->third));
}

/* AddToRepairList and ClientEvent of another player: only a queue of the sender's ship can change
 * by them (spec 08 §7.5). */
sb_result sb_client_handle_repair_list(sb_client *c, const sb_message *m, sb_span bytes)
{
    (void)bytes;
    if (find_foreign_ship(c, m->as.event.destination))
        sb_client_apply_repair_event(c, &m->as.event);
    return SB_OK;
}

/* A part that a team works on goes to the tail, any other to the head (spec 08 §7.8). */
sb_result sb_client_handle_repair_priority(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_event *e = &m->as.event;
    sb_seen_ship   *row = find_foreign_ship(c, e->destination);
    (void)bytes;
    if (e->event_class != SB_EVENT_OBJECT_POINTER || !row) return SB_OK;
    unsigned at = find_repair(row, e->third),
             teams = row->ship.model ? row->ship.model->repair_teams : 1;
    if (at == row->repair_count) return SB_OK;
    remove_repair(row, at);
    insert_repair(row, at < teams ? row->repair_count : 0, e->third);
    return SB_OK;
}

/* ---- damage volumes ---- */

/* Keeps the latest SB_CLIENT_VOLUMES. The host's conditions hold the damage already. */
sb_result sb_client_handle_volume(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_damage_volume *v = &m->as.damage_volume;
    sb_seen_ship           *row = sb_client_find_row(c, v->object_id);
    (void)bytes;
    if (!row) return SB_OK; /* spec 08 §15: ignored */
    if (row->volume_count == SB_CLIENT_VOLUMES) {
        row->volume_count--;
        memmove(row->volumes, row->volumes + 1, row->volume_count * sizeof *row->volumes);
    }
    row->volumes[row->volume_count++] = (sb_seen_volume){
        .centre = sb_decode_cv4(v->centre),
        .radius = sb_decode_cf16(v->radius_code),
        .strength = sb_decode_cf16(v->strength_code),
    };
    return SB_OK;
}
