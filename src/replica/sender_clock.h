/* src/replica/sender_clock.h -- how far the game clock of a player is ahead of the host's.
 *
 * For:      a host, which orders a player's StateUpdates by their game times: a time in the future
 *           would make all that follow look old.
 * Spec:     03 §9.
 */
#ifndef SB_REPLICA_SENDER_CLOCK_H
#define SB_REPLICA_SENDER_CLOCK_H

#include <starbase/base.h>

/* The lead of an update is its game time minus the host's game time at its arrival. An honest
 * client sets its clock to the host's when it joins, so its updates have a lead of 0, less the time
 * on the way, and drift by the error of its clock. */
typedef struct sb_sender_clock {
    bool    settled;        /* false: it is not known yet whether the clock is the host's */
    sb_time first_at;       /* arrival of the first update; SB_TIME_NEVER: none yet */
    sb_time first_lead_us;  /* the smallest lead before it was settled */
    sb_time lead_us;        /* estimate: most honest updates have at most this lead */
    sb_time heard_at;       /* arrival of the last update since it is settled */
    sb_time ahead_since;    /* arrival of the first of the updates in a row that were too far ahead;
                               SB_TIME_NEVER: the last one was not */
    sb_time ahead_least_us; /* the smallest lead of that row */
} sb_sender_clock;

enum { SB_LEAD_MAX_US = 1000000 }; /* an update may be ahead of the estimate by at most this */
#define SB_LEAD_UNKNOWN (SB_TIME_NEVER / 4)

/* The client gets the host's game time now (Settings, spec 06 §5.6). */
void sb_sender_clock_init(sb_sender_clock *clock, sb_time now);
/* The estimate at `now`: in silence the sender's clock may have run away by its error.
 * SB_LEAD_UNKNOWN: there is none before the first update. */
sb_time sb_sender_clock_lead(const sb_sender_clock *clock, sb_time now);
/* To be called for every update that could be decoded, applied or not. */
void sb_sender_clock_hear(sb_sender_clock *clock, sb_time now, sb_time lead_us);

#endif
