/* src/ship/ship_state.c -- the state of one ship, and the ids of its subsystems.
 *
 * For:      starbase/ship_state.h.
 * Spec:     07 §1, 08 §2.1, 10 §3, §11.3.
 */
#include <starbase/ship_state.h>

#include "base/assert.h"

/* Defaults of a fresh ship (spec 07 §2.3): phasers and cannons at medium,
 * tractors set to tow, cloak off. */
static void init_entry(sb_ship *ship, size_t index)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    ship->condition[index] = s->max_condition;
    ship->on[index] = s->type != SB_SUBSYSTEM_CLOAK;
    ship->setting[index] = s->type == SB_SUBSYSTEM_PHASER_SYSTEM ||
                           s->type == SB_SUBSYSTEM_PULSE_SYSTEM ||
                           s->type == SB_SUBSYSTEM_TRACTOR_SYSTEM;
}

void sb_ship_init(sb_ship *ship, const sb_ship_class *model, uint8_t species, uint32_t object_id)
{
    *ship = (sb_ship){ .model = model, .object_id = object_id, .species = species };
    sb_motion_init(&ship->motion);
    for (size_t i = 0; i < SB_SUBSYSTEMS_MAX; i++) {
        ship->power_wanted[i] = 1.0f;
        ship->on[i] = true;
    }
    if (!model) return;
    SB_ASSERT(model->subsystem_count <= SB_SUBSYSTEMS_MAX);
    SB_ASSERT(model->child_count <= SB_SHIP_CHILDREN_MAX);
    for (size_t i = 0; i < model->subsystem_count; i++) init_entry(ship, i);
    for (size_t i = 0; i < model->child_count; i++)
        ship->child_condition[i] = model->children[i].max_condition;
    for (size_t i = 0; i < SB_FACINGS; i++) ship->facing[i] = model->shield_max[i];
    ship->main_battery = model->main_battery;
    ship->backup_battery = model->backup_battery;
}

static float ratio(float value, float max)
{
    return max > 0.0f ? value / max : 0.0f;
}

float sb_ship_ratio(const sb_ship *ship, unsigned index)
{
    SB_ASSERT(index < ship->model->subsystem_count);
    return ratio(ship->condition[index], ship->model->subsystems[index].max_condition);
}

float sb_ship_child_ratio(const sb_ship *ship, unsigned child)
{
    SB_ASSERT(child < ship->model->child_count);
    return ratio(ship->child_condition[child], ship->model->children[child].max_condition);
}

bool sb_ship_is_child_disabled(const sb_ship *ship, unsigned child)
{
    return sb_ship_child_ratio(ship, child) <= ship->model->children[child].disabled_below;
}

bool sb_ship_is_disabled(const sb_ship *ship, unsigned index)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    if (sb_ship_ratio(ship, index) <= s->disabled_below) return true;
    for (unsigned i = 0; i < s->child_count; i++)
        if (!sb_ship_is_child_disabled(ship, s->first_child + i)) return false;
    return s->child_count > 0;
}

/* The share of the speed that the engines still give: each damaged or disabled engine takes away
 * its part (spec 10 §11.3). */
static float engine_share(const sb_ship *ship, const sb_subsystem_class *s)
{
    float share = 1.0f;
    for (unsigned i = 0; i < s->child_count; i++) {
        unsigned child = s->first_child + i;
        float    lost =
            sb_ship_is_child_disabled(ship, child) ? 1.0f : 1.0f - sb_ship_child_ratio(ship, child);
        share -= lost / (float)s->child_count;
    }
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

/* The performance of the impulse engines as a share of the class's figures: 1 if they are intact at
 * 100 % power. The power is not capped: 125 % gives 1.25 (spec 10 §11.3). */
static float engine_performance(const sb_ship *ship, float efficiency, float drag)
{
    const sb_ship_class *model = ship->model;
    for (unsigned i = 0; model && i < model->subsystem_count; i++) {
        const sb_subsystem_class *s = &model->subsystems[i];
        if (s->type != SB_SUBSYSTEM_IMPULSE) continue;
        if (!ship->on[i] || sb_ship_is_disabled(ship, i)) return 0.0f;
        return engine_share(ship, s) * (1.0f - drag) * ship->power_wanted[i] * efficiency;
    }
    return 0.0f;
}

sb_engine_limits sb_ship_engine_limits(const sb_ship *ship, float efficiency, float drag)
{
    const sb_ship_class *m = ship->model;
    float                k = engine_performance(ship, efficiency, drag);
    if (!m) return (sb_engine_limits){ 0.0f, 0.0f, 0.0f, 0.0f };
    return (sb_engine_limits){ .speed = m->max_speed * k,
                               .accel = m->max_accel * k,
                               .turn_rate = m->max_angular_velocity * k,
                               .turn_accel = m->max_angular_accel * k };
}

float sb_ship_speed_limit(const sb_ship *ship, float efficiency, float drag)
{
    return sb_ship_engine_limits(ship, efficiency, drag).speed;
}

float sb_ship_target_speed(const sb_ship *ship, float throttle, float efficiency, float drag)
{
    if (throttle > 1.0f) throttle = 1.0f;
    if (throttle < -1.0f) throttle = -1.0f;
    return sb_ship_speed_limit(ship, efficiency, drag) * throttle;
}

/* ---- ids ---- */

enum { FIRST_ID = 0x3FFFFFFF, BLOCK_BITS = 18 };

uint32_t sb_slot_first_id(unsigned slot)
{
    return FIRST_ID + ((uint32_t)slot << BLOCK_BITS);
}

int sb_slot_of_id(uint32_t object_id)
{
    uint32_t slot = (object_id - FIRST_ID) >> BLOCK_BITS;
    return object_id >= FIRST_ID && slot < SB_SLOTS ? (int)slot : SB_NO_SLOT;
}

uint32_t sb_ship_id_count(const sb_ship_class *model)
{
    return model ? 1u + model->subsystem_count + model->child_count : 0;
}

uint32_t sb_subsystem_id(const sb_ship_class *model, uint32_t ship_id, unsigned index, int child)
{
    if (!model || index >= model->subsystem_count) return 0;
    const sb_subsystem_class *s = &model->subsystems[index];
    if (child >= s->child_count) return 0;
    if (child >= 0) s = &model->children[s->first_child + child];
    if (s->creation_index < 0) return 0;
    return ship_id + 1u + (uint16_t)s->creation_index;
}

bool sb_find_subsystem(const sb_ship_class *model, uint32_t ship_id, uint32_t id, unsigned *index,
                       int *child)
{
    if (!model || id <= ship_id || id - ship_id >= sb_ship_id_count(model)) return false;
    for (*index = 0; *index < model->subsystem_count; ++*index)
        for (*child = -1; *child < model->subsystems[*index].child_count; ++*child)
            if (sb_subsystem_id(model, ship_id, *index, *child) == id) return true;
    return false;
}
