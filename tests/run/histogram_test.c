/* tests/run/histogram_test.c -- classes of durations; what a reader sees. */
#include "run/histogram.h"

#include "test.h"

TEST(a_bound_is_the_longest_duration_of_its_class)
{
    for (unsigned i = 0; i < SB_HISTOGRAM_BOUNDS; i++) {
        sb_time bound = sb_histogram_bounds_us[i];
        CHECK_EQ(sb_histogram_class(bound), i);
        CHECK_EQ(sb_histogram_class(bound + 1), i + 1);
        if (i > 0) CHECK(sb_histogram_bounds_us[i - 1] < sb_histogram_bounds_us[i]);
    }
    CHECK_EQ(sb_histogram_class(0), 0);
    CHECK_EQ(sb_histogram_class(INT64_MAX), SB_HISTOGRAM_BOUNDS);
}

TEST(a_histogram_counts_durations_and_their_sum)
{
    static sb_histogram h;
    sb_histogram_view   view;
    sb_histogram_add(&h, 40);
    sb_histogram_add(&h, 50);
    sb_histogram_add(&h, 51);
    sb_histogram_add(&h, 6000000);
    sb_histogram_add(&h, -5);
    sb_histogram_read(&h, &view);
    CHECK_EQ(view.counts[0], 3);
    CHECK_EQ(view.counts[1], 1);
    CHECK_EQ(view.counts[SB_HISTOGRAM_BOUNDS], 1);
    CHECK_EQ(view.sum_us, 40 + 50 + 51 + 6000000);
    sb_histogram_view_add(&view, 100);
    CHECK_EQ(view.counts[1], 2);
    CHECK_EQ(view.sum_us, 40 + 50 + 51 + 6000000 + 100);
}
