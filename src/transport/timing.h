/* src/transport/timing.h -- timeouts of retransmission. Spec 01 §6.5, §8.4.
 *
 * For:      outbox. Every interval of retransmission is here.
 */
#ifndef SB_TRANSPORT_TIMING_H
#define SB_TRANSPORT_TIMING_H

#include <starbase/transport.h>

typedef enum sb_resend_pace {
    SB_PACE_STOCK = SB_RETRANSMIT_STOCK,
    SB_PACE_MEASURED = SB_RETRANSMIT_MEASURED,
    SB_PACE_LEAVING, /* last messages of a leaving peer: again at 0.5, 1, 2 s (spec 01 §8.4) */
} sb_resend_pace;

/* Round trip time and its variation, smoothed as in RFC 6298. The Ack of a retransmitted message
 * gives no sample. If all messages are retransmitted because the timeout is shorter than the round
 * trip, such Acks raise `least_wait_us`, so that one message waits long enough for a sample. */
typedef struct sb_round_trip {
    sb_time  smoothed_us, variation_us; /* 0: nothing measured yet */
    uint32_t least_wait_us; /* minimum of the timeout until the next sample; some seconds */
    bool     is_doubtful;   /* the latest Ack was of a retransmitted message */
} sb_round_trip;

enum {
    /* Number of sends after which no timeout grows any more: 0.25 s * 1.5^8 > 5 s. */
    SB_SENDS_DISTINCT = 9,
    /* A datagram counts as lost when a datagram sent this many later has been acknowledged. */
    SB_LOST_BEHIND = 3,
    /* Fast retransmissions of one message: maximum number and minimum interval. The limits keep
     * forged Acks from causing endless repeats; afterwards only the timeout counts. */
    SB_FAST_MAX = 6,
    SB_FAST_US = 20000,
};

void sb_timing_add_sample(sb_round_trip *trip, sb_time sample_us);
/* A message got its Ack after `sends` timed sends, `taken_us` after the last one: the Ack may be
 * for any of them. */
void sb_timing_add_ambiguous(sb_round_trip *trip, sb_time taken_us, unsigned sends);
/* The smoothed round trip, or the longer one that ambiguous Acks since the last sample allow. */
sb_time sb_timing_longest_trip(const sb_round_trip *trip);
/* The timeout after the `sends`-th send (1 is the first). */
sb_time sb_timing_resend_after(sb_resend_pace pace, const sb_round_trip *trip, unsigned sends);
/* A message counts as lost this long after it was sent if a later one has been acknowledged. */
sb_time sb_timing_reorder_time(const sb_round_trip *trip);

#endif
