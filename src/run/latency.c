/* src/run/latency.c -- a histogram whose classes widen with the duration. */
#include "run/latency.h"

#include <math.h>

#include "base/assert.h"

enum { EXACT_BITS = 7, STEP_BITS = 6 };

_Static_assert(1 << EXACT_BITS == SB_LATENCY_EXACT, "as the header says");
_Static_assert(1 << STEP_BITS == SB_LATENCY_STEPS, "as the header says");

static unsigned highest_bit(uint64_t value)
{
    return 63u - (unsigned)__builtin_clzll(value);
}

static size_t class_of(uint64_t us)
{
    if (us < SB_LATENCY_EXACT) return (size_t)us;
    unsigned bit = highest_bit(us);
    size_t   power = bit - EXACT_BITS;
    if (power >= SB_LATENCY_POWERS) return SB_LATENCY_CLASSES - 1;
    size_t step = (size_t)(us >> (bit - STEP_BITS)) & (SB_LATENCY_STEPS - 1);
    return SB_LATENCY_EXACT + power * SB_LATENCY_STEPS + step;
}

/* The longest duration of a class. */
static sb_time top_of(size_t index)
{
    if (index < SB_LATENCY_EXACT) return (sb_time)index;
    size_t   power = (index - SB_LATENCY_EXACT) / SB_LATENCY_STEPS;
    uint64_t step = (index - SB_LATENCY_EXACT) % SB_LATENCY_STEPS;
    unsigned shift = (unsigned)power + EXACT_BITS - STEP_BITS;
    return (sb_time)((((SB_LATENCY_STEPS + step + 1) << shift)) - 1);
}

void sb_latency_add(sb_latency *l, sb_time duration)
{
    if (duration < 0) duration = 0;
    if (l->count == 0 || duration < l->min_us) l->min_us = duration;
    if (duration > l->max_us) l->max_us = duration;
    l->count++;
    l->sum_us += (uint64_t)duration;
    size_t class = class_of((uint64_t)duration);
    SB_ASSERT(class < SB_LATENCY_CLASSES);
    l->classes[class]++;
}

void sb_latency_merge(sb_latency *l, const sb_latency *more)
{
    if (more->count == 0) return;
    if (l->count == 0 || more->min_us < l->min_us) l->min_us = more->min_us;
    if (more->max_us > l->max_us) l->max_us = more->max_us;
    l->count += more->count;
    l->sum_us += more->sum_us;
    for (size_t i = 0; i < SB_LATENCY_CLASSES; i++) l->classes[i] += more->classes[i];
}

sb_time sb_latency_percentile(const sb_latency *l, double percent)
{
    SB_ASSERT(percent >= 0 && percent <= 100);
    if (l->count == 0) return 0;
    uint64_t wanted = (uint64_t)ceil((double)l->count * percent / 100), seen = 0;
    if (wanted == 0) return l->min_us;
    for (size_t i = 0; i < SB_LATENCY_CLASSES; i++) {
        seen += l->classes[i];
        if (seen < wanted) continue;
        bool last = i == SB_LATENCY_CLASSES - 1; /* the last class has no upper bound */
        return !last && top_of(i) < l->max_us ? top_of(i) : l->max_us;
    }
    return l->max_us;
}

double sb_latency_mean(const sb_latency *l)
{
    return l->count > 0 ? (double)l->sum_us / (double)l->count : 0;
}
