/* src/run/latency.h -- a histogram of durations: percentiles, mean, minimum, maximum.
 *
 * For:      measuring the loops of this folder while they run (`starbase swarm`, bench/): adding a
 *           duration costs a few instructions and allocates nothing.
 *
 * Durations up to 127 us are kept exactly, longer ones in classes whose width is at most 1/64 of
 * the duration: a percentile is at most 1.6 % too high, never too low.
 */
#ifndef SB_RUN_LATENCY_H
#define SB_RUN_LATENCY_H

#include <starbase/base.h>

enum {
    SB_LATENCY_EXACT = 128,
    SB_LATENCY_STEPS = 64,  /* classes between one power of two and the next */
    SB_LATENCY_POWERS = 30, /* from 2^7 us to 2^37 us, 38 hours */
    SB_LATENCY_CLASSES = SB_LATENCY_EXACT + SB_LATENCY_STEPS * SB_LATENCY_POWERS,
};

/* Starts as zeros. */
typedef struct sb_latency {
    uint64_t count, sum_us;
    sb_time  min_us, max_us;
    uint32_t classes[SB_LATENCY_CLASSES];
} sb_latency;

/* A negative duration counts as 0. */
void sb_latency_add(sb_latency *latency, sb_time duration);
/* Adds all durations of `more`. */
void sb_latency_merge(sb_latency *latency, const sb_latency *more);
/* The duration that `percent` of all durations do not exceed; 0 if there are none. 100: the
 * maximum. */
sb_time sb_latency_percentile(const sb_latency *latency, double percent);
double  sb_latency_mean(const sb_latency *latency);

#endif
