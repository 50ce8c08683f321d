/* src/client/act.c -- the actions of a player: firing, switching, repairing, chatting.
 *
 * For:      pilots and callers. The messages are those of the game, byte for byte.
 * Never:    decides to act, or checks whether a shot makes sense: the server does that.
 * Spec:     08, 09 §4.
 *
 * SB_FULL always means that nothing was sent and nothing has changed.
 */
#include "client/client_internal.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "message/table.h"
#include "ship/codes.h"
#include "ship/vectors.h"

enum {
    CHAT_MAX = 249,       /* bytes; the most that the game's client can send (spec 09 §4) */
    PHASER_LEVEL_MAX = 2, /* spec 08 §7.9 */
};

static const float max_power = 1.25f;

/* Advances the clock to `now` and returns our ship; NULL: none, a wreck, or the session is ending.
 */
static sb_seen_ship *advance_to_living_row(sb_client *c, sb_time now)
{
    sb_seen_ship *row = sb_client_advance_to_own_row(c, now);
    return row && !row->exploding ? row : NULL;
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
    if (result == SB_OK) sb_client_skip_shot_id(c);
    return result;
}

/* Flags as spec 08 §21 Q7 recommends. The torpedo aims at the centre of the target. */
sb_result sb_client_torpedo(sb_client *c, sb_time now, unsigned index, unsigned child,
                            uint8_t projectile_type, sb_vec3 direction, uint32_t target)
{
    sb_seen_ship *row = advance_to_living_row(c, now);
    if (!row) return SB_NOT_ALLOWED;
    uint32_t tube = find_shooter_id(row, index, child, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    if (tube == 0 || !sb_v_is_finite(direction)) return SB_BAD_VALUE;
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
    if (weapon == 0 || !sb_v_is_finite(direction)) return SB_BAD_VALUE;
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
    if (!sb_v_is_finite(contact) || !sb_float_is_finite(force)) return SB_BAD_VALUE;
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
