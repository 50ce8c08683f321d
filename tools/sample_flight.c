/* tools/sample_flight.c -- moves ships and encodes their StateUpdates. */
#include "sample_flight.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

enum { FULL_AFTER_US = 1000000, SUBSYS_BUDGET = 10, POWER_PAIRS = 3 };

static void reset_tracker(tracker *t)
{
    *t = (tracker){ .cloak = -1 };
}

void ship_launch(ship *s, const sb_ship_class *class, uint32_t object_id, sb_vec3 position,
                 sb_vec3 forward)
{
    *s = (ship){ .class = class,
                 .flying = true,
                 .object_id = object_id,
                 .position = position,
                 .forward = forward,
                 .up = { 0, 0, 1 } };
    memset(s->condition, 0xFF, sizeof s->condition);
    memset(s->facings, 0xFF, sizeof s->facings);
    reset_tracker(&s->up_lane);
    reset_tracker(&s->down_lanes[0]);
    reset_tracker(&s->down_lanes[1]);
}

/* A triangle wave from -1 to 1 and back in 2 * `half` steps. */
static float wave(unsigned step, unsigned half)
{
    unsigned at = step % (2 * half);
    return 2.0f * (float)(at < half ? at : 2 * half - at) / (float)half - 1.0f;
}

/* A turning ship banks and varies its speed, as a ship flown by a player does. */
void ship_move(ship *s)
{
    float   cosine = sqrtf(1 - s->turn * s->turn);
    bool    turning = s->turn != 0;
    float   speed = s->speed, bank = turning ? 0.4f * wave(s->steps, 9) : 0;
    sb_vec3 f = s->forward;
    if (turning) speed += 0.3f * wave(s->steps++, 14);
    s->shown_speed = speed;
    s->forward.x = f.x * cosine - f.y * s->turn;
    s->forward.y = f.x * s->turn + f.y * cosine;
    s->up.x = s->forward.y * bank;
    s->up.y = -s->forward.x * bank;
    s->up.z = sqrtf(1 - bank * bank);
    s->position.x += s->forward.x * speed * 0.1f;
    s->position.y += s->forward.y * speed * 0.1f;
    s->position.z += s->forward.z * speed * 0.1f;
}

static bool same_cv3(sb_cv3 a, sb_cv3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool can_cloak(const ship *s)
{
    for (size_t i = 0; i < s->class->subsystem_count; i++)
        if (s->class->subsystems[i].type == SB_SUBSYSTEM_CLOAK) return true;
    return false;
}

static void add_position(tracker *t, const ship *s, bool full, sb_state_update *m)
{
    sb_vec3 moved = { s->position.x - t->base.x, s->position.y - t->base.y,
                      s->position.z - t->base.z };
    sb_cv4  delta = sb_encode_cv4(moved);
    if (full) {
        m->flags |= SB_STATE_POS;
        m->position = t->base = s->position;
        t->delta = (sb_cv4){ 0 };
    } else if (!same_cv3(delta.direction, t->delta.direction) ||
               delta.magnitude_code != t->delta.magnitude_code) {
        m->flags |= SB_STATE_DELTA;
        m->delta = t->delta = delta;
    }
}

static void add_motion(tracker *t, const ship *s, bool full, sb_state_update *m)
{
    sb_cv3   forward = sb_encode_cv3(s->forward), up = sb_encode_cv3(s->up);
    uint16_t speed = sb_encode_cf16(s->shown_speed);
    add_position(t, s, full, m);
    if (full || !same_cv3(forward, t->forward)) m->flags |= SB_STATE_FWD;
    if (full || !same_cv3(up, t->up)) m->flags |= SB_STATE_UP;
    if (full || speed != t->speed_code) m->flags |= SB_STATE_SPEED;
    m->forward = t->forward = forward;
    m->up = t->up = up;
    m->speed_code = t->speed_code = speed;
    if (can_cloak(s) && (full || t->cloak != s->cloak)) {
        m->flags |= SB_STATE_CLOAK;
        m->cloak = s->cloak;
        t->cloak = s->cloak;
    }
}

/* Returns true if this update must be full: the first one, and once a second. */
static bool start_update(tracker *t, int64_t now_us)
{
    bool full = !t->started || now_us - t->last_full_us > FULL_AFTER_US;
    t->started = true;
    if (full) t->last_full_us = now_us;
    return full;
}

static size_t encode(const ship *s, const sb_message *m, uint8_t *out, size_t capacity)
{
    sb_message_context context = { .ship = s->class };
    size_t             size;
    sb_result          result = sb_encode_message(m, &context, out, capacity, &size);
    SB_ASSERT(result == SB_OK);
    return size;
}

static void start(sb_message *m, const ship *s, float game_time)
{
    memset(m, 0, sizeof *m);
    m->opcode = SB_OP_STATE_UPDATE;
    m->as.state_update.object_id = s->object_id;
    m->as.state_update.game_time = game_time;
}

/* Adds every powered entry once after creation, three pairs per message (spec 03 §5). */
static void add_power(tracker *t, const ship *s, sb_state_update *m)
{
    m->flags |= SB_STATE_POWER;
    for (; t->power < s->class->subsystem_count && m->pair_count < POWER_PAIRS; t->power++) {
        unsigned format = s->class->subsystems[t->power].format;
        if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD) continue;
        m->pairs[m->pair_count++] = (sb_power_pair){ (uint8_t)t->power, 0xCC };
    }
}

size_t ship_report(ship *s, int64_t now_us, float game_time, uint8_t *out, size_t capacity)
{
    static sb_message m;
    start(&m, s, game_time);
    sb_state_update *u = &m.as.state_update;
    add_motion(&s->up_lane, s, start_update(&s->up_lane, now_us), u);
    u->has_hash = u->flags & SB_STATE_POS;
    u->hash = s->hash;
    add_power(&s->up_lane, s, u);
    return encode(s, &m, out, capacity);
}

static void fill_entry(const ship *s, unsigned index, bool own, sb_subsystem_state *e)
{
    memset(e, 0xFF, sizeof *e);
    e->index = (uint8_t)index;
    e->condition_code = s->condition[index];
    e->has_power = !own;
    e->power_pct_code = 100;
    memcpy(e->facings, s->facings, sizeof e->facings);
}

/* Adds whole entries until the block, with its start index, has ten bytes (spec 03 §4.3). */
static size_t add_subsystems(tracker *t, const ship *s, bool own, sb_message *m, uint8_t *out,
                             size_t capacity)
{
    sb_state_update *u = &m->as.state_update;
    size_t           before = encode(s, m, out, capacity), size;
    unsigned         first = t->subsys;
    u->flags |= SB_STATE_SUBSYS;
    u->start_index = (uint8_t)first;
    do {
        fill_entry(s, t->subsys, own, &u->entries[u->entry_count++]);
        t->subsys = (t->subsys + 1) % s->class->subsystem_count;
        size = encode(s, m, out, capacity);
    } while (t->subsys != first && size - before < SUBSYS_BUDGET);
    return size;
}

size_t ship_announce(ship *s, size_t player, bool own, int64_t now_us, float game_time,
                     uint8_t *out, size_t capacity)
{
    static sb_message m;
    tracker          *t = &s->down_lanes[player];
    start(&m, s, game_time);
    if (!own) add_motion(t, s, start_update(t, now_us), &m.as.state_update);
    return add_subsystems(t, s, own, &m, out, capacity);
}

/* Phasers are at level 1, tractors tow, a cloak is off (spec 07 §2.3). */
static void fill_snapshot(const ship *s, sb_object_create *m)
{
    for (size_t i = 0; i < s->class->subsystem_count; i++) {
        sb_subsystem_snapshot *e = &m->snapshot[i];
        unsigned               type = s->class->subsystems[i].type;
        memset(e, 0xFF, sizeof *e);
        e->power_code = type == SB_SUBSYSTEM_CLOAK ? -100 : 100;
        e->weapon_bit = false;
        e->setting = type == SB_SUBSYSTEM_PHASER_SYSTEM || type == SB_SUBSYSTEM_TRACTOR_SYSTEM;
    }
}

size_t ship_creation(const ship *s, int8_t slot, uint8_t peer_id, sb_span name, sb_span set_name,
                     uint8_t *out, size_t capacity)
{
    static sb_message m;
    memset(&m, 0, sizeof m);
    m.opcode = SB_OP_PLAYER_OBJECT_CREATE;
    m.as.object_create.owner_slot = slot;
    m.as.object_create.peer_id = peer_id;
    m.as.object_create.class_id = SB_CLASS_SHIP;
    m.as.object_create.object_id = s->object_id;
    m.as.object_create.species = s->class->species;
    m.as.object_create.position = s->position;
    m.as.object_create.orientation = (sb_quat){ 1, 0, 0, 0 };
    m.as.object_create.name = name;
    m.as.object_create.set_name = set_name;
    m.as.object_create.snapshot_known = true;
    fill_snapshot(s, &m.as.object_create);
    return encode(s, &m, out, capacity);
}
