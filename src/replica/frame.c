/* src/replica/frame.c -- a ship in wire codes, made once per tick for all receivers.
 *
 * For:      lanes, which compare codes. Only positions stay floats.
 * Spec:     03 §4.1, §11.
 * Tests:    tests/replica/frame_test.c, tests/replica/lane_blocks_test.c,
 *           tests/replica/property_test.c
 */
#include "replica/code_block.h"
#include "replica/testing.h"

#include "base/assert.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "ship/codes.h"

#include <math.h>
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

/* Lists are encoded in blocks. The last block may read numbers behind the list, but never behind
 * the array. */
_Static_assert(SB_SUBSYSTEMS_MAX % SB_CODE_BLOCK == 0, "a list of subsystems is whole blocks");
_Static_assert(SB_SHIP_CHILDREN_MAX % SB_CODE_BLOCK == 0, "a list of children is whole blocks");
_Static_assert((int)SB_FRAME_STORES == (int)SB_CODE_BLOCK, "the stores are one block");

/* Compares bits, which is fast in the usual case that no number changed. Equal numbers with
 * different bits (0 and -0) only cost a loop that finds no change. */
static inline bool same_floats(const float *a, const float *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static void mark_damaged(sb_ship_frame *f, uint32_t entries)
{
    for (unsigned i = 0; i < SB_SHIELD_LAYOUTS; i++) f->damaged[i] |= entries;
}

/* Copies a list of numbers and encodes it. Sets the bits of codes that are lower now. Behind the
 * list all codes are 0, so whole blocks are copied. */
static SB_ALWAYS_INLINE void encode_list(uint8_t *codes, float *numbers, const float *values,
                                         const float *max, unsigned count, uint8_t *lower)
{
    for (unsigned at = 0; at < count; at += SB_CODE_BLOCK) {
        memcpy(numbers + at, values + at, SB_CODE_BLOCK * sizeof *numbers);
        sb_store_u16(lower + at / 8,
                     (uint16_t)sb_encode_code_block(codes + at, values + at, max + at));
    }
}

static SB_NOINLINE void encode_conditions(sb_ship_frame *f, const sb_ship *ship, unsigned count)
{
    uint8_t lower[SB_SUBSYSTEMS_MAX / 8] = { 0 };
    encode_list(f->condition_codes, f->condition, ship->condition, f->condition_max, count, lower);
    for (unsigned at = 0; at < count; at += SB_CODE_BLOCK)
        for (unsigned i = at; i < at + SB_CODE_BLOCK; i++)
            f->entries[i].condition_code = f->condition_codes[i];
    mark_damaged(f, sb_load_u32(lower));
}

/* A load of 32 bits has those of all children of an entry, wherever they begin in a byte. */
enum { CHILD_BITS_BYTES = SB_SHIP_CHILDREN_MAX / 8 + 3 };

_Static_assert(SB_CHILDREN_MAX + 7 <= 32, "the bits of an entry's children fit into 32");

static SB_NOINLINE void encode_children(sb_ship_frame *f, const sb_ship *ship, unsigned count)
{
    uint8_t  lower[CHILD_BITS_BYTES] = { 0 };
    uint32_t damaged = 0;
    encode_list(f->child_codes, f->child_condition, ship->child_condition, f->child_max, count,
                lower);
    for (unsigned i = 0; i < f->parent_count; i++) {
        unsigned entry = f->parents[i].entry, first = f->parents[i].first_child;
        uint32_t bits = sb_load_u32(lower + first / 8) >> first % 8 & f->parents[i].child_bits;
        memcpy(f->entries[entry].children, f->child_codes + first, SB_CHILDREN_MAX);
        damaged |= (uint32_t)(bits != 0) << entry;
    }
    mark_damaged(f, damaged);
}

static SB_NOINLINE void encode_power(sb_ship_frame *f, const sb_ship *ship, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (f->power_wanted[i] == ship->power_wanted[i]) continue;
        f->power_wanted[i] = ship->power_wanted[i];
        f->level_codes[i] = sb_encode_power_level(ship->power_wanted[i]);
        f->entries[i].power_pct_code = sb_encode_power_pct(ship->power_wanted[i]);
    }
}

static bool same_stores(const sb_ship_frame *f, const sb_ship *ship)
{
    return same_floats(f->stores, ship->facing, SB_FACINGS) &&
           same_floats(&f->stores[SB_FACINGS], &ship->main_battery, 1) &&
           same_floats(&f->stores[SB_FACINGS + 1], &ship->backup_battery, 1);
}

/* Facings belong to the one entry of SB_FORMAT_SHIELD, batteries to that of SB_FORMAT_REACTOR.
 * Batteries discharge in use, so a lower code is not marked as damage. */
static SB_NOINLINE void encode_stores(sb_ship_frame *f, const sb_ship *ship, unsigned count)
{
    memcpy(f->stores, ship->facing, sizeof ship->facing);
    f->stores[SB_FACINGS] = ship->main_battery;
    f->stores[SB_FACINGS + 1] = ship->backup_battery;
    uint32_t lower = sb_encode_code_block(f->stores_codes, f->stores, f->stores_max);
    if (f->shield < count) {
        bool hit = (lower & ((1u << SB_FACINGS) - 1)) != 0;
        memcpy(f->entries[f->shield].facings, f->stores_codes, SB_FACINGS);
        f->damaged[SB_SHIELD_STOCK] |= (uint32_t)hit << f->shield;
    }
    if (f->reactor == count) return;
    f->entries[f->reactor].main_battery_code = f->stores_codes[SB_FACINGS];
    f->entries[f->reactor].backup_battery_code = f->stores_codes[SB_FACINGS + 1];
}

void sb_frame_update(sb_ship_frame *frame, const sb_ship *ship, sb_vec3 position)
{
    encode_motion(frame, ship, position);
    memset(frame->damaged, 0, sizeof frame->damaged);
    if (!ship->model) return;
    const unsigned count = ship->model->subsystem_count;
    const unsigned children = ship->model->child_count;
    if (!same_floats(frame->condition, ship->condition, count))
        encode_conditions(frame, ship, count);
    if (!same_floats(frame->child_condition, ship->child_condition, children))
        encode_children(frame, ship, children);
    if (!same_floats(frame->power_wanted, ship->power_wanted, count))
        encode_power(frame, ship, count);
    if (!same_stores(frame, ship)) encode_stores(frame, ship, count);
}

/* ---- the first frame ---- */

/* sb_code_of_ratio gives 0 without a maximum, and so does a division by infinity. */
static float usable_max(float max)
{
    return max > 0.0f ? max : INFINITY;
}

/* Index of the first entry of this format; subsystem_count if there is none. */
static uint8_t find_entry_of_format(const sb_ship_class *model, sb_subsystem_format format)
{
    uint8_t i = 0;
    while (i < model->subsystem_count && model->subsystems[i].format != format) i++;
    return i;
}

static void add_parent(sb_ship_frame *f, unsigned entry, const sb_subsystem_class *s)
{
    unsigned n = f->parent_count++;
    f->parents[n].entry = (uint8_t)entry;
    f->parents[n].first_child = s->first_child;
    f->parents[n].child_bits = (uint16_t)((1u << s->child_count) - 1);
}

static void init_lists(sb_ship_frame *f, const sb_ship_class *model)
{
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) f->condition_max[i] = INFINITY;
    for (unsigned i = 0; i < SB_SHIP_CHILDREN_MAX; i++) f->child_max[i] = INFINITY;
    for (unsigned i = 0; i < model->subsystem_count; i++) {
        f->entries[i].index = (uint8_t)i;
        f->condition_max[i] = usable_max(model->subsystems[i].max_condition);
        if (model->subsystems[i].child_count > 0) add_parent(f, i, &model->subsystems[i]);
    }
    for (unsigned i = 0; i < model->child_count; i++)
        f->child_max[i] = usable_max(model->children[i].max_condition);
    for (unsigned i = 0; i < SB_FRAME_STORES; i++) f->stores_max[i] = INFINITY;
    for (unsigned i = 0; i < SB_FACINGS; i++) f->stores_max[i] = usable_max(model->shield_max[i]);
    f->stores_max[SB_FACINGS] = usable_max(model->main_battery);
    f->stores_max[SB_FACINGS + 1] = usable_max(model->backup_battery);
    f->shield = find_entry_of_format(model, SB_FORMAT_SHIELD);
    f->reactor = find_entry_of_format(model, SB_FORMAT_REACTOR);
}

/* Starting from zeros makes every non-zero value count as changed, and no code as lower. */
void sb_frame_init(sb_ship_frame *frame, const sb_ship *ship)
{
    memset(frame, 0, sizeof *frame);
    frame->model = ship->model;
    frame->object_id = ship->object_id;
    if (ship->model) init_lists(frame, ship->model);
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
    SB_ASSERT(index == f->shield);
    for (unsigned i = 0; index < f->model->subsystem_count && i < SB_FACINGS; i++)
        SB_ASSERT(f->entries[index].facings[i] ==
                  sb_code_of_ratio(f->stores[i], f->model->shield_max[i]));
}

static void check_batteries(const sb_ship_frame *f)
{
    const float *batteries = f->stores + SB_FACINGS;
    unsigned     index = find_entry_of_format(f->model, SB_FORMAT_REACTOR);
    SB_ASSERT(index == f->reactor);
    if (index == f->model->subsystem_count) return;
    const sb_subsystem_state *e = &f->entries[index];
    SB_ASSERT(e->main_battery_code == sb_code_of_ratio(batteries[0], f->model->main_battery));
    SB_ASSERT(e->backup_battery_code == sb_code_of_ratio(batteries[1], f->model->backup_battery));
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
