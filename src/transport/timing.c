/* src/transport/timing.c -- see timing.h. */
#include "transport/timing.h"

#include "base/assert.h"

static const sb_time first_wait = SB_SECOND;
static const sb_time max_wait = 5 * SB_SECOND;
static const sb_time min_measured_wait = SB_SECOND / 4;
static const sb_time max_measured_wait = 2 * SB_SECOND;
/* A stock host under load acknowledges this late. */
static const sb_time stock_host_tick = SB_SECOND / 10;

void sb_timing_add_sample(sb_round_trip *trip, sb_time sample)
{
    if (sample < 1) sample = 1; /* 0 means "not measured yet" */
    if (trip->smoothed_us == 0) {
        *trip = (sb_round_trip){ sample, sample / 2 };
        return;
    }
    sb_time off =
        sample > trip->smoothed_us ? sample - trip->smoothed_us : trip->smoothed_us - sample;
    trip->variation_us += (off - trip->variation_us) / 4;
    trip->smoothed_us += (sample - trip->smoothed_us) / 8;
    if (trip->smoothed_us < 1) trip->smoothed_us = 1;
}

static sb_time measured_wait(const sb_round_trip *trip)
{
    if (trip->smoothed_us == 0) return first_wait;
    sb_time wait = trip->smoothed_us + 4 * trip->variation_us + stock_host_tick;
    if (wait < min_measured_wait) return min_measured_wait;
    return wait < max_measured_wait ? wait : max_measured_wait;
}

static sb_time grow_wait(sb_time wait, unsigned sends)
{
    for (unsigned i = 1; i < sends && wait < max_wait; i++) wait += wait / 2;
    return wait < max_wait ? wait : max_wait;
}

/* Sends at 0, 0.5, 1 and 2 s, then every second (spec 01 §8.4). */
static sb_time leaving_wait(unsigned sends)
{
    return sends < 3 ? SB_SECOND / 2 : SB_SECOND;
}

sb_time sb_timing_resend_after(sb_pace pace, const sb_round_trip *trip, unsigned sends)
{
    SB_ASSERT(sends >= 1);
    switch (pace) {
    case SB_PACE_STOCK: return sends < 5 ? (sb_time)sends * SB_SECOND : max_wait;
    case SB_PACE_MEASURED: return grow_wait(measured_wait(trip), sends);
    case SB_PACE_LEAVING: return leaving_wait(sends);
    }
    return max_wait;
}

sb_time sb_timing_reorder_time(const sb_round_trip *trip)
{
    sb_time slack = trip->smoothed_us / 4;
    if (slack < 2 * trip->variation_us) slack = 2 * trip->variation_us;
    return trip->smoothed_us + slack;
}
