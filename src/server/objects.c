/* src/server/objects.c -- the table of objects: creations, late joiners, object requests.
 *
 * For:      dispatch.c (handlers), joining.c (objects for a newcomer).
 * Never:    computes damage or motion: combat and replica borrow the ships of this table.
 * Spec:     07, 06 §8.
 * Tests:    tests/server/objects_test.c, creations_test.c, relay_test.c, spec_test.c, churn_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "ship/codes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sb_object *sb_server_find_object(const sb_server *s, uint32_t object_id)
{
    if (object_id == 0) return NULL;
    for (size_t i = 0; i < s->object_top; i++)
        if (s->objects[i].object_id == object_id) return (sb_object *)&s->objects[i];
    return NULL;
}

/* FNV-1a of the name. */
uint32_t sb_server_hash_of_set(sb_span set)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < set.size; i++) hash = (hash ^ set.data[i]) * 16777619u;
    return hash;
}

void sb_server_remove_object(sb_server *s, sb_object *o)
{
    SB_ASSERT(o->object_id != 0);
    sb_server_untrack_scenery(s, o);
    sb_backlog_forget_object(&s->backlog, o->object_id);
    sb_combat_remove_ship(s->combat, o->object_id);
    sb_replica_remove_ship(s->replica, o->object_id);
    sb_match_forget_ship(&s->match, o->object_id);
    for (size_t i = 0; i < s->capacity; i++) {
        if (s->players[i].ship != o) continue;
        sb_server_drop_second_ship(s, &s->players[i]);
        s->players[i].ship = NULL;
        if (s->players[i].phase == SB_PLAYER_FLYING)
            sb_player_set_phase(&s->players[i], SB_PLAYER_LOBBY, SB_TIME_NEVER);
    }
    o->object_id = 0;
}

void sb_server_remove_all_objects(sb_server *s)
{
    for (size_t i = 0; i < s->object_top; i++)
        if (s->objects[i].object_id) sb_server_remove_object(s, &s->objects[i]);
}

/* ---- sending objects ---- */

/* The creation of an object with its current position and state. A ship without data
 * keeps the snapshot of subsystems that its owner sent. */
static void build_creation(sb_server *s, const sb_object *o, sb_message *out)
{
    sb_object_create *create = &out->as.object_create;
    *out = (sb_message){ .opcode = o->opcode };
    if (!o->ship.model) {
        sb_message_context context = { .ships = s->config.ships };
        sb_result          result =
            sb_decode_message((sb_span){ o->creation, o->creation_size }, &context, out, NULL);
        SB_ASSERT(result == SB_OK); /* decoded before when it was stored */
    }
    sb_ship_write_creation(&o->ship, create);
    create->position = sb_receiver_estimate(&o->receiver, &o->ship, s->now);
    create->owner_slot = (int8_t)sb_slot_of_id(o->object_id);
    create->peer_id = o->owner;
    create->name = (sb_span){ o->creation + o->name_offset, o->name_size };
    create->set_name = (sb_span){ o->set_name, o->set_size };
}

/* Damage volumes only change how a ship looks, so they are not sent while the queue has little
 * space left, which ships and events need. */
static void send_volumes(sb_server *s, const sb_player *to, const sb_object *o)
{
    sb_volume volume;
    for (size_t i = 0; sb_combat_volume(s->combat, o->object_id, i, &volume); i++) {
        if (sb_transport_host_free_bytes(s->transport, to->peer_id) < VOLUME_QUEUE_RESERVE) return;
        *s->out = (sb_message){ .opcode = SB_OP_DAMAGE_VOLUME };
        s->out->as.damage_volume = (sb_damage_volume){
            .object_id = o->object_id,
            .centre = sb_encode_cv4(volume.centre),
            .radius_code = sb_encode_cf16(volume.radius),
            .strength_code = sb_encode_cf16(volume.strength),
        };
        sb_server_send(s, to, s->out);
    }
}

/* Players' ships are always sent. Other objects must not fill a newcomer's queue, because the
 * transport removes a peer with a full queue; the client can request these objects later. */
static bool may_send_object(const sb_server *s, const sb_player *to, const sb_object *o)
{
    return o->opcode == SB_OP_PLAYER_OBJECT_CREATE ||
           sb_server_can_queue(s, to, o->creation_size, VOLUME_QUEUE_RESERVE);
}

/* True while the bytes that the owner sent say all that the room knows. Combat changes the ships of
 * players that it has data of; everything else changes by messages of the owner. */
static bool is_as_created(const sb_object *o)
{
    bool in_combat = o->opcode == SB_OP_PLAYER_OBJECT_CREATE && o->ship.model;
    return o->creation_size > 0 && !in_combat && !o->receiver.started && !o->set_changed;
}

bool sb_object_is_creation_unknown(const sb_object *o)
{
    return o->creation_size == 0 && !o->ship.model;
}

/* Requests the creation from the owner, whose answer goes to `to` (spec 07 §11). */
static void request_creation(sb_server *s, const sb_player *to, sb_object *o)
{
    sb_player *owner = sb_server_find_player(s, o->owner);
    SB_ASSERT(owner);
    if (owner == to) return;
    o->wanted_by |= (uint16_t)(1u << (to - s->players));
    sb_server_request_object(s, owner, o->object_id);
}

/* The bytes that the owner sent, or a creation with the current state (spec 06 §8). */
void sb_server_send_object(sb_server *s, const sb_player *to, sb_object *o)
{
    if (o->exploding || o->gone || !may_send_object(s, to, o)) return;
    if (sb_object_is_creation_unknown(o)) {
        if (!sb_object_is_scenery(o)) request_creation(s, to, o);
        return;
    }
    if (!is_as_created(o)) {
        build_creation(s, o, s->out);
        sb_server_send(s, to, s->out);
    } else {
        sb_server_send_bytes(s, to, (sb_span){ o->creation, o->creation_size });
    }
    send_volumes(s, to, o);
}

/* In the order of creation. */
void sb_server_send_all_objects(sb_server *s, const sb_player *to)
{
    uint32_t last = 0;
    for (;;) {
        sb_object *next = NULL;
        for (size_t i = 0; i < s->object_top; i++) {
            if (!s->objects[i].object_id || s->objects[i].order <= last) continue;
            if (!next || s->objects[i].order < next->order) next = &s->objects[i];
        }
        if (!next) return;
        last = next->order;
        sb_server_send_object(s, to, next);
    }
}

/* ---- creation: the checks of spec 07 §2.6 ---- */

static bool is_owner(const sb_server *s, const sb_player *p, const sb_message *m)
{
    const sb_object_create *c = &m->as.object_create;
    int                     slot = (int)(p - s->players);
    return c->owner_slot == slot && sb_slot_of_id(c->object_id) == slot &&
           (m->opcode == SB_OP_OBJECT_CREATE || c->peer_id == p->peer_id);
}

/* True if the room can store the ship and combat can compute with its values. Trusted clients must
 * pass this check, too. */
static bool is_possible(const sb_object_create *c)
{
    const sb_quat *q = &c->orientation;
    float          length = sqrtf(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
    return c->object_id != 0 && length >= 0.5f && length <= 2.0f &&
           c->set_name.size <= SET_NAME_MAX;
}

static bool is_plausible(const sb_object_create *c)
{
    return c->species != 0 && c->set_name.size >= 1 && sb_server_is_printable(c->set_name);
}

static bool is_valid_ship(const sb_server *s, const sb_object_create *c)
{
    return is_possible(c) && (s->config.trust_clients || is_plausible(c));
}

/* The reason to refuse the creation in s->in; SB_SERVER_COUNTER_COUNT: none. */
static sb_server_counter find_fault(const sb_server *s, const sb_player *p)
{
    const sb_object_create *c = &s->in->as.object_create;
    /* The decoder refuses classes that crash the game, so this one is a torpedo (spec 07 §2.1). */
    if (s->in->opcode == SB_OP_PLAYER_OBJECT_CREATE && c->class_id != SB_CLASS_SHIP)
        return SB_SERVER_COUNT_BAD_CREATION;
    if (!s->config.trust_clients && !is_owner(s, p, s->in)) return SB_SERVER_COUNT_WRONG_OWNER;
    if (c->class_id == SB_CLASS_SHIP && !is_valid_ship(s, c)) return SB_SERVER_COUNT_BAD_CREATION;
    return SB_SERVER_COUNTER_COUNT;
}

/* A free row, or that of an evicted object. */
static sb_object *allocate_row(sb_server *s, const sb_player *p)
{
    for (size_t i = 0; i < s->object_top; i++)
        if (!s->objects[i].object_id) return &s->objects[i];
    if (s->object_top == OBJECTS_MAX) return sb_server_evict_scenery(s, p->peer_id);
    sb_object *o = &s->objects[s->object_top++];
    memset(o, 0, sizeof *o);
    return o;
}

/* Keeps the owner's bytes; of a creation that is too long only the name. */
static void store_bytes(sb_object *o, sb_span name, sb_span bytes)
{
    bool    fits = bytes.size <= sizeof o->creation;
    sb_span kept = fits ? bytes : name;
    SB_ASSERT(kept.size <= sizeof o->creation);
    o->creation_size = (uint16_t)(fits ? bytes.size : 0);
    o->name_size = (uint8_t)name.size;
    o->name_offset = (uint16_t)(fits && name.size ? name.data - bytes.data : 0);
    if (kept.size) memcpy(o->creation, kept.data, kept.size);
}

static void store_creation(sb_server *s, sb_object *o, const sb_player *p, sb_span bytes)
{
    const sb_object_create *c = &s->in->as.object_create;
    SB_ASSERT(c->set_name.size <= sizeof o->set_name);
    memset(o, 0, offsetof(sb_object, ship));
    o->object_id = c->object_id;
    o->owner = p->peer_id;
    o->opcode = s->in->opcode;
    o->any_slot = s->config.trust_clients;
    o->order = ++s->last_object_order;
    o->set_size = (uint8_t)c->set_name.size;
    memcpy(o->set_name, c->set_name.data, c->set_name.size);
    store_bytes(o, c->name, bytes);
    sb_ship_read_creation(&o->ship, c, s->config.ships);
    /* The length of the snapshot contradicts our data of the species, so the client has a mod: only
     * the motion of the ship is known. */
    if (!c->snapshot_known) o->ship.model = NULL;
    sb_receiver_init(&o->receiver, SB_RECEIVE_FROM_OWNER, &o->ship, s->now);
    o->receiver.enforce = s->config.combat.fidelity >= SB_FIDELITY_ENFORCE;
    sb_pace_init(&o->pace, s->now);
}

/* A snapshot can say up to 128 %; the sliders of the game end at 125 %, and so do ours. */
static void report_power(sb_server *s, sb_player *p, const sb_ship_class *model)
{
    enum { POWER_PCT_MAX = 125 };
    const sb_object_create *c = &s->in->as.object_create;
    int                     most = 0;
    for (unsigned i = 0; model && i < model->subsystem_count; i++) {
        int power_pct = abs((int)c->snapshot[i].power_code);
        if (sb_is_powered(&model->subsystems[i]) && power_pct > most) most = power_pct;
    }
    if (most > POWER_PCT_MAX)
        sb_server_report_implausible(s, p, SB_IMPLAUSIBLE_POWER, most, POWER_PCT_MAX);
}

/* Torpedoes are relayed and not stored: they are gone before a client could request them. */
static bool is_stored(const sb_message *m)
{
    return m->as.object_create.class_id == SB_CLASS_SHIP;
}

static void accept_creation(sb_server *s, sb_player *p, sb_span bytes)
{
    const sb_object_create *c = &s->in->as.object_create;
    bool                    player_ship = s->in->opcode == SB_OP_PLAYER_OBJECT_CREATE;
    uint32_t                object_id = c->object_id;
    sb_object              *o = NULL;
    if (bytes.size > CREATION_BYTES_MAX) SB_COUNT(s->counters, SB_SERVER_COUNT_NOT_KEPT);
    if (is_stored(s->in)) {
        o = allocate_row(s, p);
        store_creation(s, o, p, bytes);
        sb_server_relay(s, bytes, SB_RELIABLE, p);
        if (player_ship) {
            report_power(s, p, o->ship.model);
            sb_server_replace_ship(s, p, o);
            sb_server_note_mod_ship(s, p, o, bytes);
        }
    } else {
        sb_server_relay(s, bytes, SB_RELIABLE, p);
    }
    if (object_id > p->highest_id) p->highest_id = object_id;
    else SB_COUNT(s->counters, SB_SERVER_COUNT_OLD_IDS); /* no reason to refuse (spec 07 §1.1) */
    if (player_ship && o) sb_server_announce_set(s, o);
}

/* True for the answer to request_creation: the same ship once more. */
static bool is_wanted(const sb_object *o, const sb_player *p, const sb_message *m)
{
    return o->wanted_by && o->owner == p->peer_id && o->opcode == m->opcode &&
           o->ship.species == m->as.object_create.species;
}

static void relay_wanted(sb_server *s, sb_object *o, sb_span bytes)
{
    uint16_t slots = 0;
    for (size_t i = 0; i < s->capacity; i++) {
        if (!(o->wanted_by >> i & 1) || !sb_player_is_in_game(&s->players[i])) continue;
        slots |= (uint16_t)(1u << i);
        sb_replica_repeat(s->replica, o->object_id, s->players[i].peer_id);
    }
    sb_server_relay_to(s, slots, bytes, SB_RELIABLE);
    o->wanted_by = 0;
}

void sb_server_handle_creation(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_server_counter fault = find_fault(s, p);
    if (fault != SB_SERVER_COUNTER_COUNT) {
        sb_server_refuse(s, p, fault, bytes);
        return;
    }
    /* After a stall of the link the owner answers several requests for one object at once. Only the
     * first of the answers counts, so only that one is charged. */
    sb_object *known = sb_server_find_object(s, s->in->as.object_create.object_id);
    if (known && !is_wanted(known, p, s->in)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_KNOWN_OBJECT, bytes);
        return;
    }
    if (!sb_server_charge_relay(s, p, bytes)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_RELAY_RATE, bytes);
        return;
    }
    if (known) {
        relay_wanted(s, known, bytes);
        return;
    }
    if (s->match.over) { /* all clients have removed their ships (spec 09 §8) */
        sb_server_refuse(s, p, SB_SERVER_COUNT_TOO_EARLY, bytes);
        return;
    }
    if (sb_server_refuse_mod_ship(s, p, bytes)) return;
    p->active_at = s->now;
    if (s->in->opcode == SB_OP_PLAYER_OBJECT_CREATE && sb_player_has_living_ship(p))
        sb_server_delay_second_ship(s, p, bytes);
    else accept_creation(s, p, bytes);
}

/* It was checked when it arrived; since then the player may have created scenery with that id. */
void sb_server_accept_second_ship(sb_server *s, sb_player *p, sb_span bytes)
{
    sb_message_context context = { .ships = s->config.ships };
    sb_result          result = sb_decode_message(bytes, &context, s->in, NULL);
    SB_ASSERT(result == SB_OK);
    if (sb_server_find_object(s, s->in->as.object_create.object_id))
        sb_server_refuse(s, p, SB_SERVER_COUNT_KNOWN_OBJECT, bytes);
    else if (!sb_server_charge_loss(s, p))
        sb_server_refuse(s, p, SB_SERVER_COUNT_RELAY_RATE, bytes);
    else accept_creation(s, p, bytes);
}

/* ---- requests ---- */

/* Spends one request of a budget of the player; false: none is left, or the same object was
 * requested within the last second (spec 07 §6). */
static bool spend_request(sb_server *s, sb_player *p, sb_budget *budget, uint32_t per_second,
                          uint32_t object_id)
{
    uint32_t now_ms = (uint32_t)(s->now / 1000);
    sb_budget_refill(budget, s->now, per_second, per_second);
    if (!sb_budget_has(budget, 1)) return false;
    for (size_t i = 0; i < REQUEST_RECORDS_MAX; i++)
        if (p->requested[i].object_id == object_id && now_ms - p->requested[i].requested_ms < 1000)
            return false;
    SB_ASSERT(p->next_request_index < REQUEST_RECORDS_MAX);
    sb_budget_spend(budget, 1);
    p->requested[p->next_request_index] = (sb_request_record){ object_id, now_ms };
    p->next_request_index = (uint8_t)((p->next_request_index + 1) % REQUEST_RECORDS_MAX);
    return true;
}

void sb_server_handle_object_request(sb_server *s, sb_player *p, sb_span bytes)
{
    uint32_t   object_id = s->in->as.object_ref.object_id;
    sb_object *o = sb_server_find_object(s, object_id);
    if (!o) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_UNKNOWN_OBJECT, bytes);
        return;
    }
    if (o->exploding) return; /* exploding ships are not sent (spec 07 §6) */
    if (!spend_request(s, p, &p->requests, REQUESTS_PER_SECOND, object_id)) {
        sb_server_refuse(s, p, SB_SERVER_COUNT_REQUEST_RATE, bytes);
        return;
    }
    sb_server_send_object(s, p, o);
    if (o->tracked) sb_replica_repeat(s->replica, object_id, p->peer_id);
}

/* Its own budget: forged StateUpdates of unknown objects must not use up the player's requests. */
void sb_server_request_object(sb_server *s, sb_player *p, uint32_t object_id)
{
    if (!spend_request(s, p, &p->asks, ASKS_PER_SECOND, object_id)) return;
    *s->out = (sb_message){ .opcode = SB_OP_REQUEST_OBJECT };
    s->out->as.object_ref.object_id = object_id;
    sb_server_send(s, p, s->out);
}
