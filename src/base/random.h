/* src/base/random.h -- reproducible random numbers from a seed.
 *
 * For:      random messages, the simulator, tests.
 * Never:    seeds itself, or makes secrets.
 */
#ifndef SB_BASE_RANDOM_H
#define SB_BASE_RANDOM_H

#include <stdint.h>

typedef struct sb_random {
    uint64_t state;
} sb_random;

static inline void sb_random_init(sb_random *r, uint64_t seed)
{
    r->state = seed;
}

/* SplitMix64: one addition and one mix per number. It has no weak seeds. */
static inline uint64_t sb_random_next(sb_random *r)
{
    uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A number in 0 .. bound-1; bound > 0. It multiplies and shifts instead of dividing, so the
 * probability of a number is off by less than 2^-32. */
static inline uint32_t sb_random_below(sb_random *r, uint32_t bound)
{
    return (uint32_t)((sb_random_next(r) >> 32) * bound >> 32);
}

#endif
