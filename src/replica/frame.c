/* src/replica/frame.c -- a ship in wire codes, made once for all who are told. Spec 03 §4.1, §11.
 */
#include <starbase/replica.h>

#include "ship/codes.h"

#include <string.h>

/* Makes codes anew where numbers changed, and remembers the numbers. */
static void renew(uint8_t *codes, float *seen, const float *now, const float *most, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (seen[i] == now[i]) continue;
        seen[i] = now[i];
        codes[i] = sb_code_of_ratio(now[i], most[i]);
    }
}

static void renew_children(sb_subsystem_state *e, sb_ship_frame *f, const sb_ship *ship,
                           const sb_subsystem_class *s)
{
    for (unsigned i = 0; i < s->child_count; i++) {
        unsigned child = s->first_child + i;
        renew(&e->children[i], &f->child_condition[child], &ship->child_condition[child],
              &ship->model->children[child].max_condition, 1);
    }
}

static void renew_batteries(sb_subsystem_state *e, sb_ship_frame *f, const sb_ship *ship)
{
    renew(&e->main_battery_code, &f->batteries[0], &ship->main_battery, &ship->model->main_battery,
          1);
    renew(&e->backup_battery_code, &f->batteries[1], &ship->backup_battery,
          &ship->model->backup_battery, 1);
}

static void renew_power(sb_subsystem_state *e, sb_ship_frame *f, const sb_ship *ship,
                        unsigned index)
{
    if (f->power_wanted[index] == ship->power_wanted[index]) return;
    f->power_wanted[index] = ship->power_wanted[index];
    f->level_codes[index] = sb_encode_power_level(ship->power_wanted[index]);
    e->power_pct_code = sb_encode_power_pct(ship->power_wanted[index]);
}

static void renew_entry(sb_subsystem_state *e, sb_ship_frame *f, const sb_ship *ship,
                        unsigned index)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    e->index = (uint8_t)index;
    renew(&e->condition_code, &f->condition[index], &ship->condition[index], &s->max_condition, 1);
    renew_children(e, f, ship, s);
    renew_power(e, f, ship, index);
    if (s->format == SB_FORMAT_REACTOR) renew_batteries(e, f, ship);
    if (s->format == SB_FORMAT_SHIELD)
        renew(e->facings, f->facing, ship->facing, ship->model->shield_max, SB_FACINGS);
}

static void encode_motion(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position)
{
    frame->position = sb_position_within_universe(position);
    frame->forward = ship->motion.forward_code;
    frame->up = ship->motion.up_code;
    frame->speed_code = ship->motion.speed_code;
    frame->cloaked = ship->cloaked;
}

static bool is_lower(const uint8_t *now, const uint8_t *before, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (now[i] < before[i]) return true;
    return false;
}

/* Batteries and power settings go down without anybody being hit. */
static bool is_damaged(const sb_subsystem_class *s, const sb_subsystem_state *now,
                       const sb_subsystem_state *before)
{
    return now->condition_code < before->condition_code ||
           is_lower(now->children, before->children, s->child_count) ||
           is_lower(now->facings, before->facings, SB_FACINGS);
}

/* Floats that are equal have equal bits here: nothing computes a negative zero. If bits differ, an
 * entry is made again in vain, and that is all. */
static bool same_floats(const float *a, const float *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* What is the same for all entries at once is asked first: as a rule children and settings. */
typedef struct sameness {
    bool children, power, facing, batteries;
} sameness;

static sameness compare(const sb_ship_frame *f, const sb_ship *ship)
{
    const sb_ship_class *model = ship->model;
    return (sameness){
        .children = same_floats(f->child_condition, ship->child_condition, model->child_count),
        .power = same_floats(f->power_wanted, ship->power_wanted, model->subsystem_count),
        .facing = same_floats(f->facing, ship->facing, SB_FACINGS),
        .batteries =
            f->batteries[0] == ship->main_battery && f->batteries[1] == ship->backup_battery,
    };
}

static bool is_unchanged(const sb_ship_frame *f, const sb_ship *ship, const sameness *same,
                         unsigned index)
{
    const sb_subsystem_class *s = &ship->model->subsystems[index];
    if (f->condition[index] != ship->condition[index]) return false;
    if (!same->power && f->power_wanted[index] != ship->power_wanted[index]) return false;
    if (!same->facing && s->format == SB_FORMAT_SHIELD) return false;
    if (!same->batteries && s->format == SB_FORMAT_REACTOR) return false;
    return same->children || same_floats(f->child_condition + s->first_child,
                                         ship->child_condition + s->first_child, s->child_count);
}

static void update_entry(sb_ship_frame *frame, const sb_ship *ship, unsigned index)
{
    sb_subsystem_state now = frame->entries[index];
    renew_entry(&now, frame, ship, index);
    if (is_damaged(&ship->model->subsystems[index], &now, &frame->entries[index]))
        frame->damaged |= 1u << index;
    frame->entries[index] = now;
}

void sb_frame_update(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position)
{
    encode_motion(frame, ship, position);
    frame->damaged = 0;
    if (!ship->model) return;
    sameness same = compare(frame, ship);
    for (unsigned i = 0; i < ship->model->subsystem_count; i++)
        if (!is_unchanged(frame, ship, &same, i)) update_entry(frame, ship, i);
}

void sb_frame_init(sb_ship_frame *frame, const sb_ship *ship)
{
    memset(frame, 0, sizeof *frame);
    frame->model = ship->model;
    frame->object_id = ship->object_id;
    encode_motion(frame, ship, ship->motion.position);
    for (unsigned i = 0; ship->model && i < ship->model->subsystem_count; i++)
        update_entry(frame, ship, i);
    frame->damaged = 0;
}
