/* src/transport/timing.c -- see timing.h. */
#include "transport/timing.h"

#include "base/assert.h"

static const sb_time first_wait = SB_SECOND;
static const sb_time max_wait = 5 * SB_SECOND;
static const sb_time min_measured_wait = SB_SECOND / 4;
static const sb_time max_measured_wait = 3 * SB_SECOND;
/* A stock host under load acknowledges this late. */
static const sb_time stock_host_tick = SB_SECOND / 10;

void sb_timing_add_sample(sb_round_trip *trip, sb_time sample)
{
    if (sample < 1) sample = 1; /* 0 means "not measured yet" */
    trip->least_wait_us = 0;
    trip->is_doubtful = false;
    if (trip->smoothed_us == 0) {
        trip->smoothed_us = sample;
        trip->variation_us = sample / 2;
        return;
    }
    sb_time off =
        sample > trip->smoothed_us ? sample - trip->smoothed_us : trip->smoothed_us - sample;
    trip->variation_us += (off - trip->variation_us) / 4;
    trip->smoothed_us += (sample - trip->smoothed_us) / 8;
    if (trip->smoothed_us < 1) trip->smoothed_us = 1;
}

/* The first timeout that follows from the samples alone. */
static sb_time sampled_wait(const sb_round_trip *trip)
{
    if (trip->smoothed_us == 0) return first_wait;
    sb_time wait = trip->smoothed_us + 4 * trip->variation_us + stock_host_tick;
    if (wait < min_measured_wait) return min_measured_wait;
    return wait < max_measured_wait ? wait : max_measured_wait;
}

static sb_time measured_wait(const sb_round_trip *trip)
{
    sb_time wait = sampled_wait(trip);
    return wait > trip->least_wait_us ? wait : trip->least_wait_us;
}

static sb_time grow_wait(sb_time wait, unsigned sends)
{
    for (unsigned i = 1; i < sends && wait < max_wait; i++) wait += wait / 2;
    return wait < max_wait ? wait : max_wait;
}

/* The Ack may be for the first copy, so the round trip is at most the time since that left. That
 * time is computed from the timeouts without least_wait_us, which would count itself once more for
 * each Ack of messages in flight. One such Ack is not enough if there are samples: the message was
 * probably lost, and the next losses should be noticed as early as before. */
void sb_timing_add_ambiguous(sb_round_trip *trip, sb_time taken, unsigned sends)
{
    bool raise = trip->is_doubtful || trip->smoothed_us == 0;
    trip->is_doubtful = true;
    if (!raise) return;
    for (unsigned i = 1; i < sends; i++) taken += grow_wait(sampled_wait(trip), i);
    sb_time wait = taken + taken / 4;
    if (wait > max_measured_wait) wait = max_measured_wait;
    if (trip->least_wait_us < wait) trip->least_wait_us = (uint32_t)wait;
}

sb_time sb_timing_longest_trip(const sb_round_trip *trip)
{
    sb_time longest = trip->least_wait_us - trip->least_wait_us / 5; /* without the quarter */
    return longest > trip->smoothed_us ? longest : trip->smoothed_us;
}

/* Sends at 0, 0.5, 1 and 2 s, then every second (spec 01 §8.4). */
static sb_time leaving_wait(unsigned sends)
{
    return sends < 3 ? SB_SECOND / 2 : SB_SECOND;
}

sb_time sb_timing_resend_after(sb_resend_pace pace, const sb_round_trip *trip, unsigned sends)
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
