/* tests/replica/rig.c -- a ship with one lane that sends its updates, and an observer that applies
 * them.
 */
#include "rig.h"

#include <starbase/message.h>

#include "base/bytes.h"
#include "replica/testing.h"

#include <math.h>
#include <string.h>

const uint8_t rig_species[RIG_STOCK_SHIPS] = { 1,  2,  3,  4,  5,  6,  7,  8, 9,
                                               10, 11, 12, 13, 14, 15, 16, 37 };

/* ---- a sender ---- */

static void init_ship(sb_ship *ship, uint8_t species)
{
    const sb_ship_class *model = species ? sb_find_ship(sb_stock_ships(), species) : NULL;
    if (species && !model) FAIL("no ship of species %u", species);
    sb_ship_init(ship, model, species ? species : 200, RIG_SHIP);
}

void rig_open_with(lane_rig *r, uint8_t species, sb_lane_role role, const sb_lane_options *options)
{
    memset(r, 0, sizeof *r);
    r->options = *options;
    r->now = 10 * SB_SECOND;
    init_ship(&r->ship, species);
    sb_frame_init(&r->frame, &r->ship);
    sb_lane_init(&r->lane, role, &r->frame, &r->options);
}

void rig_open(lane_rig *r, uint8_t species, sb_lane_role role)
{
    sb_lane_options options;
    sb_lane_options_stock(&options);
    rig_open_with(r, species, role, &options);
}

void rig_open_default(lane_rig *r, uint8_t species, sb_lane_role role)
{
    sb_lane_options options;
    sb_lane_options_default(&options);
    rig_open_with(r, species, role, &options);
}

void rig_encode(lane_rig *r)
{
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE, .as.state_update = r->update };
    sb_message_context context = sb_lane_context(&r->lane, &r->frame, &r->options);
    CHECK_EQ(sb_encode_message(&m, &context, r->bytes, sizeof r->bytes, &r->size), SB_OK);
}

static bool send(lane_rig *r, float game_time)
{
    sb_frame_update(&r->frame, &r->ship, r->ship.motion.position);
    bool any =
        sb_lane_build(&r->lane, &r->frame, &r->options, r->lossy, r->now, game_time, &r->update);
    sb_frame_check(&r->frame);
    sb_lane_check(&r->lane, &r->frame, &r->options);
    r->size = 0;
    if (any) rig_encode(r);
    r->now += RIG_TICK;
    return any;
}

bool rig_send(lane_rig *r)
{
    return send(r, (float)((double)r->now / 1e6));
}

void rig_send_many(lane_rig *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) CHECK(rig_send(r));
}

bool rig_send_at(lane_rig *r, double seconds)
{
    r->now = (sb_time)(seconds * 1e6 + 0.5);
    return send(r, (float)seconds);
}

/* The flags give the size of the fields before the block (spec 03 §2). */
unsigned rig_block_bytes(const lane_rig *r)
{
    static const unsigned sizes[8] = { 12, 5, 3, 3, 2, 0, 0, 0 };
    unsigned              before = 10;
    for (unsigned i = 0; i < 8; i++)
        if (r->update.flags >> i & 1) before += sizes[i];
    if (r->update.flags & (SB_STATE_POS | SB_STATE_CLOAK)) before++;
    CHECK(r->size > before);
    CHECK_EQ(r->bytes[before], r->update.start_index);
    return (unsigned)r->size - before - 1;
}

/* ---- a ship class of a mod ---- */

void rig_mod_init(rig_mod *mod, unsigned count)
{
    static const sb_subsystem_class plain = { .name = "System",
                                              .type = SB_SUBSYSTEM_SENSOR,
                                              .format = SB_FORMAT_POWERED,
                                              .max_condition = 100 };
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) mod->list[i] = plain;
    for (unsigned i = 0; i < SB_CHILDREN_MAX; i++) mod->children[i] = plain;
    mod->model = (sb_ship_class){ .species = 200,
                                  .name = "Mod",
                                  .subsystems = mod->list,
                                  .children = mod->children,
                                  .subsystem_count = (uint8_t)count };
}

void rig_open_mod(lane_rig *r, const rig_mod *mod, sb_lane_role role)
{
    rig_open(r, 0, role);
    sb_ship_init(&r->ship, &mod->model, 200, RIG_SHIP);
    sb_frame_init(&r->frame, &r->ship);
    sb_lane_init(&r->lane, role, &r->frame, &r->options);
}

/* ---- an observer ---- */

void observer_open(observer *o, uint8_t species, sb_receiver_role role)
{
    memset(o, 0, sizeof *o);
    init_ship(&o->ship, species);
    sb_receiver_init(&o->receiver, role, &o->ship, 0);
}

sb_result observer_hear(observer *o, const uint8_t *bytes, size_t size)
{
    sb_result result = sb_receiver_apply(&o->receiver, &o->ship, o->now, o->layout,
                                         (sb_span){ bytes, size }, NULL);
    sb_receiver_check(&o->receiver);
    return result;
}

sb_result observer_hear_hex(observer *o, const char *hex)
{
    uint8_t bytes[RIG_BYTES];
    size_t  size = test_hex(hex, bytes, sizeof bytes);
    return observer_hear(o, bytes, size);
}

uint32_t observer_count(const observer *o, sb_receiver_counter counter)
{
    return o->receiver.counters[counter];
}

/* ---- states ---- */

float rig_random_float(sb_random *random, float max)
{
    return (float)sb_random_below(random, 1u << 24) / (float)(1u << 24) * max;
}

static float either_sign(sb_random *random, float max)
{
    return rig_random_float(random, 2 * max) - max;
}

static sb_vec3 random_vector(sb_random *random, float max)
{
    return (sb_vec3){ either_sign(random, max), either_sign(random, max),
                      either_sign(random, max) };
}

/* 0 and the maximum come in a quarter of the cases each. */
static float random_value(sb_random *random, float max)
{
    uint32_t kind = sb_random_below(random, 4);
    return kind == 0 ? 0.0f : kind == 1 ? max : rig_random_float(random, max);
}

static void randomize_parts(sb_random *random, sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        ship->condition[i] = random_value(random, m->subsystems[i].max_condition);
        ship->power_wanted[i] = random_value(random, 1.25f);
    }
    for (unsigned i = 0; i < m->child_count; i++)
        ship->child_condition[i] = random_value(random, m->children[i].max_condition);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        ship->facing[i] = random_value(random, m->shield_max[i]);
    ship->main_battery = random_value(random, m->main_battery);
    ship->backup_battery = random_value(random, m->backup_battery);
    if (m->can_cloak) ship->cloaked = sb_random_below(random, 2);
}

void rig_randomize(sb_random *random, sb_ship *ship)
{
    ship->motion.position = random_vector(random, 2000.0f);
    sb_motion_set_axes(&ship->motion, random_vector(random, 1.0f), random_vector(random, 1.0f));
    sb_motion_set_speed(&ship->motion, either_sign(random, 12.0f));
    if (ship->model) randomize_parts(random, ship);
}

static void check_bits(const char *part, unsigned index, float a, float b)
{
    if (sb_float_bits(a) != sb_float_bits(b))
        FAIL("%s %u: %.9g is not %.9g", part, index, (double)a, (double)b);
}

static void check_vector_bits(const char *part, sb_vec3 a, sb_vec3 b)
{
    check_bits(part, 0, a.x, b.x);
    check_bits(part, 1, a.y, b.y);
    check_bits(part, 2, a.z, b.z);
}

void rig_check_same(const sb_ship *a, const sb_ship *b)
{
    CHECK(a->model == b->model);
    CHECK_EQ(a->cloaked, b->cloaked);
    check_vector_bits("position", a->motion.position, b->motion.position);
    check_vector_bits("forward", a->motion.forward, b->motion.forward);
    check_vector_bits("up", a->motion.up, b->motion.up);
    check_bits("speed", 0, a->motion.speed, b->motion.speed);
    CHECK_EQ(a->motion.speed_code, b->motion.speed_code);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        check_bits("condition", i, a->condition[i], b->condition[i]);
        check_bits("power", i, a->power_wanted[i], b->power_wanted[i]);
    }
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++)
        check_bits("child", i, a->child_condition[i], b->child_condition[i]);
    for (unsigned i = 0; i < SB_FACINGS; i++) check_bits("facing", i, a->facing[i], b->facing[i]);
    check_bits("main battery", 0, a->main_battery, b->main_battery);
    check_bits("backup battery", 0, a->backup_battery, b->backup_battery);
}

/* trunc(value / max * steps) is at most the sender's value and less than one step below it (spec
 * 03 §4.1). The margin allows for float32 rounding. */
static void check_cut(const char *part, unsigned index, float sent, float seen, float max,
                      float steps)
{
    float margin = max * 1e-6f;
    if (!(seen <= sent + margin && seen > sent - max / steps - margin))
        FAIL("%s %u: %.9g is not %.9g cut to %g steps", part, index, (double)seen, (double)sent,
             (double)steps);
}

void rig_check_seen(const sb_ship *sender, const sb_ship *seen, bool power)
{
    const sb_ship_class *m = sender->model;
    for (unsigned i = 0; i < m->subsystem_count; i++) {
        const sb_subsystem_class *s = &m->subsystems[i];
        check_cut("condition", i, sender->condition[i], seen->condition[i], s->max_condition, 255);
        if (power && (s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD))
            check_cut("power", i, sender->power_wanted[i], seen->power_wanted[i], 1.0f, 100);
    }
    for (unsigned i = 0; i < m->child_count; i++)
        check_cut("child", i, sender->child_condition[i], seen->child_condition[i],
                  m->children[i].max_condition, 255);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        check_cut("facing", i, sender->facing[i], seen->facing[i], m->shield_max[i], 255);
    check_cut("main battery", 0, sender->main_battery, seen->main_battery, m->main_battery, 255);
    check_cut("backup battery", 0, sender->backup_battery, seen->backup_battery, m->backup_battery,
              255);
}

static void check_code(const char *part, sb_cv3 a, sb_cv3 b)
{
    if (a.x != b.x || a.y != b.y || a.z != b.z) FAIL("the codes of %s differ", part);
}

void rig_check_motion_seen(const sb_ship *sender, const sb_ship *seen)
{
    check_vector_bits("position", seen->motion.position, sender->motion.position);
    check_code("forward", seen->motion.forward_code, sender->motion.forward_code);
    check_code("up", seen->motion.up_code, sender->motion.up_code);
    CHECK_EQ(seen->motion.speed_code, sender->motion.speed_code);
    CHECK_EQ(seen->cloaked, sender->cloaked);
}

unsigned rig_entry(const sb_ship *ship, sb_subsystem_type type)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (ship->model->subsystems[i].type == type) return i;
    FAIL("%s has no such entry", ship->model->name);
}
