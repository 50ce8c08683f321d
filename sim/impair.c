/* sim/impair.c -- decides from a seed what a bad network does to one datagram.
 *
 * For:      sim/impair.h.
 */
#include "sim/impair.h"

#include "base/assert.h"

enum { MILLION = 1000000 };

void sim_impairment_init(sim_impairment *impairment, uint64_t seed)
{
    *impairment = (sim_impairment){ 0 };
    sb_random_init(&impairment->random, seed);
}

/* Every function below draws the same number of random numbers in all conditions. */

static bool chance(sb_random *random, uint32_t per_million)
{
    return sb_random_below(random, MILLION) < per_million;
}

/* 0 to max, both included. */
static sb_time time_up_to(sb_random *random, sb_time max)
{
    uint64_t draw = sb_random_next(random);
    return max > 0 ? (sb_time)(draw % ((uint64_t)max + 1)) : 0;
}

static bool draw_loss(sim_impairment *impairment, const sim_conditions *conditions)
{
    bool begins = chance(&impairment->random, conditions->burst_begin);
    bool ends = chance(&impairment->random, conditions->burst_end);
    impairment->in_burst = impairment->in_burst ? !ends : begins;
    bool lost = chance(&impairment->random, conditions->loss);
    bool lost_in_burst = chance(&impairment->random, conditions->burst_loss);
    return conditions->down || lost || (impairment->in_burst && lost_in_burst);
}

static sb_time draw_delay(sb_random *random, const sim_conditions *conditions)
{
    sb_time jitter = time_up_to(random, conditions->jitter_us);
    bool    held = chance(random, conditions->reorder);
    sb_time longer = time_up_to(random, conditions->reorder_us);
    return conditions->delay_us + jitter + (held ? longer : 0);
}

static bool has_flip(const sim_copy *copy, uint32_t position)
{
    for (uint32_t i = 0; i < copy->flip_count; i++)
        if (copy->flips[i] == position) return true;
    return false;
}

/* A bit position drawn twice is flipped once: two flips would cancel out. */
static void draw_flips(sb_random *random, bool corrupt, sim_copy *copy)
{
    uint32_t wanted = 1 + sb_random_below(random, 4);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t draw = sb_random_next(random);
        if (!corrupt || i >= wanted || copy->size == 0) continue;
        uint32_t position = (uint32_t)(draw % (copy->size * 8));
        if (!has_flip(copy, position)) copy->flips[copy->flip_count++] = position;
    }
}

static sim_copy draw_copy(sb_random *random, const sim_conditions *conditions, size_t size)
{
    sim_copy copy = { .delay_us = draw_delay(random, conditions), .size = size };
    bool     cut = chance(random, conditions->truncate);
    uint64_t length = sb_random_next(random);
    if (cut && size > 0) copy.size = (size_t)(length % size);
    draw_flips(random, chance(random, conditions->corrupt), &copy);
    return copy;
}

int sim_impair(sim_impairment *impairment, const sim_conditions *conditions, size_t size,
               sim_copy copies[SIM_COPIES_MAX])
{
    bool lost = draw_loss(impairment, conditions);
    bool twice = chance(&impairment->random, conditions->duplicate);
    for (int i = 0; i < SIM_COPIES_MAX; i++)
        copies[i] = draw_copy(&impairment->random, conditions, size);
    if (lost) return 0;
    return twice ? 2 : 1;
}

void sim_damage(const sim_copy *copy, uint8_t *bytes)
{
    SB_ASSERT(copy->flip_count <= 4);
    for (uint32_t i = 0; i < copy->flip_count; i++) {
        SB_ASSERT(copy->flips[i] < copy->size * 8);
        bytes[copy->flips[i] / 8] ^= (uint8_t)(1u << copy->flips[i] % 8);
    }
}
