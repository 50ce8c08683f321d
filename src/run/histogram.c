/* src/run/histogram.c -- see histogram.h. */
#include "run/histogram.h"

const uint32_t sb_histogram_bounds_us[SB_HISTOGRAM_BOUNDS] = {
    50,    100,   200,    500,    1000,   2000,    5000,    10000,
    20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000,
};

unsigned sb_histogram_class(sb_time duration_us)
{
    unsigned i = 0;
    while (i < SB_HISTOGRAM_BOUNDS && duration_us > (sb_time)sb_histogram_bounds_us[i]) i++;
    return i;
}

/* Load and store instead of an atomic addition: there is only one writer. */
static void add_to(_Atomic uint64_t *number, uint64_t amount)
{
    uint64_t before = atomic_load_explicit(number, memory_order_relaxed);
    atomic_store_explicit(number, before + amount, memory_order_relaxed);
}

void sb_histogram_add(sb_histogram *h, sb_time duration_us)
{
    if (duration_us < 0) duration_us = 0;
    add_to(&h->counts[sb_histogram_class(duration_us)], 1);
    add_to(&h->sum_us, (uint64_t)duration_us);
}

void sb_histogram_read(const sb_histogram *h, sb_histogram_view *out)
{
    for (unsigned i = 0; i <= SB_HISTOGRAM_BOUNDS; i++)
        out->counts[i] = atomic_load_explicit(&h->counts[i], memory_order_relaxed);
    out->sum_us = atomic_load_explicit(&h->sum_us, memory_order_relaxed);
}

void sb_histogram_view_add(sb_histogram_view *view, sb_time duration_us)
{
    if (duration_us < 0) duration_us = 0;
    view->counts[sb_histogram_class(duration_us)]++;
    view->sum_us += (uint64_t)duration_us;
}
