/* src/replica/frame.c -- a ship in wire codes, made once per tick for all receivers.
 *
 * For:      lanes, which compare codes. Only positions stay floats.
 * Spec:     03 §4.1, §11.
 * Tests:    tests/replica/frame_test.c, tests/replica/lane_blocks_test.c,
 *           tests/replica/property_test.c
 */
#include "replica/testing.h"

#include "base/assert.h"
#include "ship/codes.h"

#include <string.h>

static void encode_motion(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position)
{
    frame->position = sb_clamp_position(position);
    frame->forward = ship->motion.forward_code;
    frame->up = ship->motion.up_code;
    frame->speed_code = ship->motion.speed_code;
    frame->cloaked = ship->cloaked;
}

/* ---- conditions, settings, charges ---- */

/* Compares bits, which is fast in the usual case that no number changed. Equal numbers with
 * different bits (0 and -0) only cost a loop that finds no change. */
static bool same_floats(const float *a, const float *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* Encodes the number if it changed since the last frame. True: its code is lower now. */
static bool update_code(uint8_t *code, float *seen, float now, float max)
{
    uint8_t before = *code;
    if (*seen == now) return false;
    *seen = now;
    *code = sb_code_of_ratio(now, max);
    return *code < before;
}

static void mark_damaged(sb_ship_frame *f, unsigned index)
{
    for (unsigned i = 0; i < SB_SHIELD_LAYOUTS; i++) f->damaged[i] |= 1u << index;
}

static void update_conditions(sb_ship_frame *f, const sb_ship *ship)
{
    const unsigned count = ship->model->subsystem_count;
    if (same_floats(f->condition, ship->condition, count)) return;
    for (unsigned i = 0; i < count; i++)
        if (update_code(&f->entries[i].condition_code, &f->condition[i], ship->condition[i],
                        ship->model->subsystems[i].max_condition))
            mark_damaged(f, i);
}

static void update_children_of(sb_ship_frame *f, const sb_ship *ship, unsigned index)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    for (unsigned i = 0; i < s->child_count; i++) {
        unsigned child = s->first_child + i;
        if (update_code(&f->entries[index].children[i], &f->child_condition[child],
                        ship->child_condition[child], ship->model->children[child].max_condition))
            mark_damaged(f, index);
    }
}

static void update_children(sb_ship_frame *f, const sb_ship *ship)
{
    if (same_floats(f->child_condition, ship->child_condition, ship->model->child_count)) return;
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) update_children_of(f, ship, i);
}

static void update_power(sb_ship_frame *f, const sb_ship *ship)
{
    const unsigned count = ship->model->subsystem_count;
    if (same_floats(f->power_wanted, ship->power_wanted, count)) return;
    for (unsigned i = 0; i < count; i++) {
        if (f->power_wanted[i] == ship->power_wanted[i]) continue;
        f->power_wanted[i] = ship->power_wanted[i];
        f->level_codes[i] = sb_encode_power_level(ship->power_wanted[i]);
        f->entries[i].power_pct_code = sb_encode_power_pct(ship->power_wanted[i]);
    }
}

/* Index of the first entry of this format; subsystem_count if there is none. Facings belong to the
 * one entry of SB_FORMAT_SHIELD, batteries to that of SB_FORMAT_REACTOR. */
static unsigned find_entry_of_format(const sb_ship_class *model, sb_subsystem_format format)
{
    unsigned i = 0;
    while (i < model->subsystem_count && model->subsystems[i].format != format) i++;
    return i;
}

static void update_facings(sb_ship_frame *f, const sb_ship *ship)
{
    if (same_floats(f->facing, ship->facing, SB_FACINGS)) return;
    unsigned index = find_entry_of_format(ship->model, SB_FORMAT_SHIELD);
    if (index == ship->model->subsystem_count) return;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        if (update_code(&f->entries[index].facings[i], &f->facing[i], ship->facing[i],
                        ship->model->shield_max[i]))
            f->damaged[SB_SHIELD_STOCK] |= 1u << index;
}

/* Batteries discharge in use, so a lower code is not marked as damage. */
static void update_batteries(sb_ship_frame *f, const sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    if (f->batteries[0] == ship->main_battery && f->batteries[1] == ship->backup_battery) return;
    unsigned index = find_entry_of_format(model, SB_FORMAT_REACTOR);
    if (index == model->subsystem_count) return;
    sb_subsystem_state *e = &f->entries[index];
    update_code(&e->main_battery_code, &f->batteries[0], ship->main_battery, model->main_battery);
    update_code(&e->backup_battery_code, &f->batteries[1], ship->backup_battery,
                model->backup_battery);
}

void sb_frame_update(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position)
{
    encode_motion(frame, ship, position);
    memset(frame->damaged, 0, sizeof frame->damaged);
    if (!ship->model) return;
    update_conditions(frame, ship);
    update_children(frame, ship);
    update_power(frame, ship);
    update_facings(frame, ship);
    update_batteries(frame, ship);
}

/* Starting from zeros makes every non-zero value count as changed, and no code as lower. */
void sb_frame_init(sb_ship_frame *frame, const sb_ship *ship)
{
    memset(frame, 0, sizeof *frame);
    frame->model = ship->model;
    frame->object_id = ship->object_id;
    for (unsigned i = 0; ship->model && i < ship->model->subsystem_count; i++)
        frame->entries[i].index = (uint8_t)i;
    sb_frame_update(frame, ship, ship->motion.position);
}

/* ---- invariants ---- */

static void check_entry(const sb_ship_frame *f, unsigned index)
{
    const sb_ship_class      *model = f->model;
    const sb_subsystem_class *s = &model->subsystems[index];
    const sb_subsystem_state *e = &f->entries[index];
    SB_ASSERT(e->index == index);
    SB_ASSERT(e->condition_code == sb_code_of_ratio(f->condition[index], s->max_condition));
    SB_ASSERT(e->power_pct_code == sb_encode_power_pct(f->power_wanted[index]));
    SB_ASSERT(f->level_codes[index] == sb_encode_power_level(f->power_wanted[index]));
    for (unsigned i = 0; i < s->child_count; i++) {
        unsigned child = s->first_child + i;
        SB_ASSERT(child < model->child_count);
        SB_ASSERT(e->children[i] == sb_code_of_ratio(f->child_condition[child],
                                                     model->children[child].max_condition));
    }
}

static void check_facings(const sb_ship_frame *f)
{
    unsigned index = find_entry_of_format(f->model, SB_FORMAT_SHIELD);
    for (unsigned i = 0; index < f->model->subsystem_count && i < SB_FACINGS; i++)
        SB_ASSERT(f->entries[index].facings[i] ==
                  sb_code_of_ratio(f->facing[i], f->model->shield_max[i]));
}

static void check_batteries(const sb_ship_frame *f)
{
    unsigned index = find_entry_of_format(f->model, SB_FORMAT_REACTOR);
    if (index == f->model->subsystem_count) return;
    const sb_subsystem_state *e = &f->entries[index];
    SB_ASSERT(e->main_battery_code == sb_code_of_ratio(f->batteries[0], f->model->main_battery));
    SB_ASSERT(e->backup_battery_code ==
              sb_code_of_ratio(f->batteries[1], f->model->backup_battery));
}

void sb_frame_check(const sb_ship_frame *f)
{
    unsigned count = f->model ? f->model->subsystem_count : 0;
    uint32_t damaged = f->damaged[SB_SHIELD_STOCK];
    sb_vec3  inside = sb_clamp_position(f->position);
    SB_ASSERT(count <= SB_SUBSYSTEMS_MAX);
    SB_ASSERT(inside.x == f->position.x);
    SB_ASSERT(inside.y == f->position.y);
    SB_ASSERT(inside.z == f->position.z);
    SB_ASSERT(((uint64_t)damaged >> count) == 0);
    /* The stock layout has everything of the documented one, and facings. */
    SB_ASSERT((f->damaged[SB_SHIELD_DOCUMENTED] & ~damaged) == 0);
    for (unsigned i = 0; i < count; i++) check_entry(f, i);
    if (!f->model) return;
    check_facings(f);
    check_batteries(f);
}
