/* src/transport/timing.h -- how long to wait for an Ack. Spec 01 §6.5, §8.4.
 *
 * For:      outbox. One place for every interval of retransmission.
 */
#ifndef SB_TRANSPORT_TIMING_H
#define SB_TRANSPORT_TIMING_H

#include <starbase/transport.h>

typedef enum sb_pace {
    SB_PACE_STOCK = SB_RETRANSMIT_STOCK,
    SB_PACE_MEASURED = SB_RETRANSMIT_MEASURED,
    SB_PACE_LEAVING, /* goodbyes: again after 0.5, 1, 2 s (spec 01 §8.4) */
} sb_pace;

/* Round trips, smoothed as in RFC 6298. */
typedef struct sb_round_trip {
    sb_time smoothed_us, variation_us; /* 0: nothing measured yet */
} sb_round_trip;

enum {
    /* Sends after which the interval no longer grows, whatever the pace: from then on all wait
     * alike. 0.25 s * 1.5^8 > 5 s. */
    SB_SENDS_DISTINCT = 9,
    /* A datagram is lost when one that left this many later has been acknowledged. */
    SB_LOST_BEHIND = 3,
    /* Acks of what never arrived must not make a sender repeat without end: so often at most, and
     * not sooner than this. Then only time counts. */
    SB_FAST_MAX = 6,
    SB_FAST_US = 20000,
};

void sb_timing_add_sample(sb_round_trip *trip, sb_time sample_us);
/* The wait after the `sends`-th send (1 = the first). */
sb_time sb_timing_resend_after(sb_pace pace, const sb_round_trip *trip, unsigned sends);
/* After this time something is lost if anything that left later has been acknowledged. */
sb_time sb_timing_reorder_time(const sb_round_trip *trip);

#endif
