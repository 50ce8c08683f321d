/* src/run/histogram.h -- a histogram of durations with fixed bounds, for metrics.
 *
 * For:      the thread of a loop, which adds durations while other threads read. latency.h measures
 *           more exactly, for one thread.
 * Never:    locks or allocates. Adding costs a few instructions, because only one thread writes.
 * Tests:    tests/run/histogram_test.c
 */
#ifndef SB_RUN_HISTOGRAM_H
#define SB_RUN_HISTOGRAM_H

#include <starbase/base.h>
#include <stdatomic.h>

enum { SB_HISTOGRAM_BOUNDS = 16 };

/* In microseconds, from 50 us to 5 s; each bound is the largest duration of its class. */
extern const uint32_t sb_histogram_bounds_us[SB_HISTOGRAM_BOUNDS];

/* Starts as zeros. */
typedef struct sb_histogram {
    _Atomic uint64_t counts[SB_HISTOGRAM_BOUNDS + 1]; /* by class; the last: above all bounds */
    _Atomic uint64_t sum_us;
} sb_histogram;

/* A copy that belongs to one thread. */
typedef struct sb_histogram_view {
    uint64_t counts[SB_HISTOGRAM_BOUNDS + 1];
    uint64_t sum_us;
} sb_histogram_view;

/* The class of a duration; a negative duration counts as 0. */
unsigned sb_histogram_class(sb_time duration_us);
/* Only one thread may add to the same histogram. */
void sb_histogram_add(sb_histogram *histogram, sb_time duration_us);
/* Any thread. The counts may be those of different moments, a few durations apart. */
void sb_histogram_read(const sb_histogram *histogram, sb_histogram_view *out);
void sb_histogram_view_add(sb_histogram_view *view, sb_time duration_us);

#endif
