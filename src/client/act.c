/* src/client/act.c -- the actions of a player: spawning, flying, firing, switching, chatting.
 *
 * For:      pilots and callers. The messages are those of the game, byte for byte.
 * Never:    decides to act, or checks whether a shot makes sense: the server does that.
 * Spec:     03 §7, 07 §2, 08.
 *
 * SB_FULL always means that nothing was sent and nothing has changed.
 */
#include "client/client_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/text.h"
#include "base/windows1252.h"
#include "message/table.h"
#include "ship/codes.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_IDS = 0x40000,  /* object ids of a slot (spec 07 §1) */
    CHAT_MAX = 249,       /* bytes; the most that the game's client can send (spec 09 §4) */
    PHASER_LEVEL_MAX = 2, /* spec 08 §7.9 */
    UPDATE_MAX = 400,     /* bytes of a StateUpdate */
    CREATION_BYTES_MAX = SB_EVENT_MAX,
};

static const float max_power = 1.25f;

static bool is_finite3(sb_vec3 v)
{
    return sb_float_is_finite(v.x) && sb_float_is_finite(v.y) && sb_float_is_finite(v.z);
}

/* Advances the clock to `now` and returns our ship, wreck or not; NULL: none, or the session is
 * ending. */
static sb_seen_ship *advance_to_own_row(sb_client *c, sb_time now)
{
    if (now > c->now) c->now = now;
    return c->own_index >= 0 && sb_client_is_in_game(c) ? &c->rows[c->own_index] : NULL;
}

/* The same, but NULL also for a wreck. */
static sb_seen_ship *advance_to_living_row(sb_client *c, sb_time now)
{
    sb_seen_ship *row = advance_to_own_row(c, now);
    return row && !row->exploding ? row : NULL;
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

/* Each shot uses up one id of the same block (spec 07 §1.1). */
static void skip_shot_id(sb_client *c)
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
    if (species == 0 || !is_finite3(position) || !is_finite3(forward) || !is_finite3(up))
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
    sb_seen_ship *row = advance_to_own_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    if (!is_finite3(position) || !is_finite3(forward) || !is_finite3(up) ||
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

/* ---- events ---- */

/* An event with this opcode about one of our objects; its source is 0 (spec 08 §7). */
static sb_message new_event_message(uint8_t opcode, uint32_t destination)
{
    const sb_message_row *row = sb_find_row(opcode);
    sb_message            m = { .opcode = opcode };
    m.as.event.event_class = row->event_class;
    m.as.event.event_code = row->event_code;
    m.as.event.destination = destination;
    return m;
}

static sb_result queue_value(sb_client *c, uint8_t opcode, uint32_t destination, uint8_t value)
{
    sb_message m = new_event_message(opcode, destination);
    m.as.event.value = value;
    return sb_client_queue_message(c, &m);
}

static sb_result queue_third(sb_client *c, uint8_t opcode, uint32_t destination, uint32_t third)
{
    sb_message m = new_event_message(opcode, destination);
    m.as.event.third = third;
    return sb_client_queue_message(c, &m);
}

/* A top-level entry of our ship; NULL: no such index. */
static const sb_subsystem_class *find_entry(const sb_seen_ship *row, unsigned index)
{
    const sb_ship_class *model = row->ship.model;
    return model && index < model->subsystem_count ? &model->subsystems[index] : NULL;
}

static uint32_t part_id(const sb_seen_ship *row, unsigned index, int child)
{
    return sb_client_part_id(row->ship.model, row->ship.object_id, index, child);
}

static bool has_weapons(const sb_subsystem_class *s)
{
    return s && sb_is_weapon_system(s->type);
}

/* ---- switches ---- */

/* The state is sent twice: in this event and as a bit of the next update (spec 08 §7.4). */
sb_result sb_client_cloak(sb_client *c, sb_time now, bool on)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row || !row->ship.model || !row->ship.model->can_cloak) return SB_NOT_ALLOWED;
    unsigned index = 0, count = row->ship.model->subsystem_count;
    while (index < count && row->ship.model->subsystems[index].type != SB_SUBSYSTEM_CLOAK) index++;
    if (index == count) return SB_NOT_ALLOWED;
    if (row->ship.cloaked == on) return SB_OK;
    sb_result result = queue_value(c, SB_OP_SUBSYSTEM_STATUS, part_id(row, index, -1), on);
    if (result == SB_OK) row->ship.cloaked = row->ship.on[index] = on;
    return result;
}

/* Updates carry the level; SubsystemStatus is sent only when an entry is switched on or off. Only
 * sb_client_cloak switches the cloaking device. */
sb_result sb_client_power(sb_client *c, sb_time now, unsigned index, float wanted)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    const sb_subsystem_class *s = find_entry(row, index);
    if (!s || !sb_is_powered(s) || !(wanted >= 0.0f && wanted <= max_power)) return SB_BAD_VALUE;
    bool on = wanted > 0.0f;
    if (s->type != SB_SUBSYSTEM_CLOAK && on != row->ship.on[index]) {
        sb_result result = queue_value(c, SB_OP_SUBSYSTEM_STATUS, part_id(row, index, -1), on);
        if (result != SB_OK) return result;
        row->ship.on[index] = on;
    }
    row->ship.power_wanted[index] = wanted;
    return SB_OK;
}

sb_result sb_client_phaser_level(sb_client *c, sb_time now, unsigned index, uint8_t level)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    const sb_subsystem_class *s = find_entry(row, index);
    if (!s || s->type != SB_SUBSYSTEM_PHASER_SYSTEM || level > PHASER_LEVEL_MAX)
        return SB_BAD_VALUE;
    sb_result result = queue_value(c, SB_OP_PHASER_LEVEL, part_id(row, index, -1), level);
    if (result == SB_OK) row->ship.setting[index] = level;
    return result;
}

/* Sends only if the type changes (spec 08 §7.10). */
sb_result sb_client_torpedo_type(sb_client *c, sb_time now, unsigned index, uint8_t type)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    const sb_subsystem_class *s = find_entry(row, index);
    if (!s || s->type != SB_SUBSYSTEM_TORPEDO_SYSTEM) return SB_BAD_VALUE;
    if (row->ship.setting[index] == type) return SB_OK;
    sb_result result = queue_value(c, SB_OP_TORPEDO_TYPE, part_id(row, index, -1), type);
    if (result == SB_OK) row->ship.setting[index] = type;
    return result;
}

sb_result sb_client_repair_first(sb_client *c, sb_time now, unsigned index, int child)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    uint32_t part = child >= -1 ? part_id(row, index, child) : 0;
    if (part == 0) return SB_BAD_VALUE;
    for (unsigned i = 0; i < row->ship.model->subsystem_count; i++)
        if (row->ship.model->subsystems[i].type == SB_SUBSYSTEM_REPAIR)
            return queue_third(c, SB_OP_REPAIR_PRIORITY, part_id(row, i, -1), part);
    return SB_NOT_ALLOWED;
}

/* ---- weapons ---- */

/* Sends StartFiring twice, as the game does, in the same datagram (spec 08 §7.1). If the queue has
 * capacity for one only, only one is sent. */
sb_result sb_client_start_firing(sb_client *c, sb_time now, unsigned index, uint32_t target)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    if (!has_weapons(find_entry(row, index))) return SB_BAD_VALUE;
    sb_message m = new_event_message(SB_OP_START_FIRING, part_id(row, index, -1));
    m.as.event.target = target;
    sb_result result = sb_client_queue_message(c, &m);
    if (result != SB_OK) return result;
    (void)!sb_client_queue_message(c, &m);
    row->firing[index] = true;
    row->firing_at[index] = target;
    return SB_OK;
}

sb_result sb_client_stop_firing(sb_client *c, sb_time now, unsigned index)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    if (!has_weapons(find_entry(row, index))) return SB_BAD_VALUE;
    sb_message m = new_event_message(SB_OP_STOP_FIRING, part_id(row, index, -1));
    sb_result  result = sb_client_queue_message(c, &m);
    if (result == SB_OK) row->firing[index] = false;
    return result;
}

/* The id of tube or cannon `child`; 0: the entry is no system of this type or has no such child. */
static uint32_t find_shooter_id(const sb_seen_ship *row, unsigned index, unsigned child,
                                uint8_t type)
{
    const sb_subsystem_class *s = find_entry(row, index);
    if (!s || s->type != type || child >= s->child_count) return 0;
    return part_id(row, index, (int)child);
}

static sb_result queue_shot(sb_client *c, const sb_message *m)
{
    sb_result result = sb_client_queue_message(c, m);
    if (result == SB_OK) skip_shot_id(c);
    return result;
}

/* Flags as spec 08 §21 Q7 recommends. The torpedo aims at the centre of the target. */
sb_result sb_client_torpedo(sb_client *c, sb_time now, unsigned index, unsigned child,
                            uint8_t projectile_type, sb_vec3 direction, uint32_t target)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    uint32_t tube = find_shooter_id(row, index, child, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    if (tube == 0 || !is_finite3(direction)) return SB_BAD_VALUE;
    sb_message m = { .opcode = SB_OP_TORPEDO_FIRE };
    m.as.torpedo_fire = (sb_torpedo_fire){
        .tube = tube,
        .projectile_type = projectile_type,
        .flags = target != 0 ? SB_FIRE_MODE_1 : SB_FIRE_MODE_1 | SB_TORPEDO_NO_TARGET,
        .direction = sb_encode_cv3(direction),
        .target = target,
    };
    return queue_shot(c, &m);
}

sb_result sb_client_pulse(sb_client *c, sb_time now, unsigned index, unsigned child,
                          uint8_t projectile_type, sb_vec3 direction, uint32_t target)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    uint32_t weapon = find_shooter_id(row, index, child, SB_SUBSYSTEM_PULSE_SYSTEM);
    if (weapon == 0 || !is_finite3(direction)) return SB_BAD_VALUE;
    sb_message m = { .opcode = SB_OP_PULSE_FIRE };
    m.as.pulse_fire = (sb_pulse_fire){
        .weapon = weapon,
        .projectile_type = projectile_type,
        .direction = sb_encode_cv3(direction),
        .flags = target != 0 ? SB_FIRE_MODE_1 | SB_PULSE_HAS_TARGET : SB_FIRE_MODE_1,
        .target = target,
    };
    return queue_shot(c, &m);
}

/* ---- other actions ---- */

sb_result sb_client_target_changed(sb_client *c, sb_time now, uint32_t previous)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    return queue_third(c, SB_OP_TARGET_CHANGED, row->ship.object_id, previous);
}

/* The contact is relative to the radius of our ship; 1 if the radius is unknown (08 §10.2). */
sb_result sb_client_collision(sb_client *c, sb_time now, uint32_t other, sb_vec3 contact,
                              float force)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    if (!is_finite3(contact) || !sb_float_is_finite(force)) return SB_BAD_VALUE;
    sb_message m = new_event_message(SB_OP_COLLISION, row->ship.object_id);
    m.as.event.source = other;
    m.as.event.contact_count = 1;
    m.as.event.contacts[0] =
        sb_encode_cv4b(contact, row->ship.model ? row->ship.model->bound_radius : 1.0f);
    m.as.event.force = force;
    return sb_client_queue_message(c, &m);
}

/* Sends the request reliably. The game sends it unreliably, and it can get lost (spec 08 §8).
 */
sb_result sb_client_self_destruct(sb_client *c, sb_time now)
{
    static const uint8_t message[] = { SB_OP_SELF_DESTRUCT };
    if (!advance_to_living_row(c, now)) return SB_NOT_ALLOWED;
    return sb_client_queue(c, SB_RELIABLE, (sb_span){ message, sizeof message });
}

sb_result sb_client_chat(sb_client *c, sb_time now, bool team, sb_span text)
{
    if (now > c->now) c->now = now;
    if (!sb_client_is_in_game(c)) return SB_NOT_ALLOWED;
    if (text.size > CHAT_MAX) return SB_BAD_VALUE;
    sb_message m = { .opcode = team ? SB_OP_TEAM_CHAT : SB_OP_CHAT };
    m.as.chat = (sb_chat){ .sender = c->id, .text = text };
    return sb_client_queue_message(c, &m);
}

/* The own team changes only when the server's answer comes back (spec 09 §7). */
sb_result sb_client_team(sb_client *c, sb_time now, uint8_t team)
{
    if (now > c->now) c->now = now;
    if (!sb_client_is_in_game(c)) return SB_NOT_ALLOWED;
    if (team >= SB_CLIENT_TEAMS) return SB_BAD_VALUE;
    sb_message m = { .opcode = SB_OP_TEAM };
    m.as.team = (sb_team){ .player = c->id, .team = team };
    return sb_client_queue_message(c, &m);
}
