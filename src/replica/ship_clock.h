/* src/replica/ship_clock.h -- when the next updates of one ship are due at a host.
 *
 * For:      replica.c. A ship is on the tick that all ships of a replica share, or it follows the
 *           updates of its owner: what the owner sends goes out when it arrives.
 * Spec:     03 §17.1.
 * Tests:    tests/replica/ship_clock_test.c
 */
#ifndef SB_REPLICA_SHIP_CLOCK_H
#define SB_REPLICA_SHIP_CLOCK_H

#include <starbase/base.h>

typedef struct sb_ship_clock {
    bool    follows;    /* follows its owner; false: sends on the shared tick */
    bool    waiting;    /* follows: an update of the owner has arrived and is to be sent */
    sb_time credit;     /* rate limit: one update costs an interval, which refills as time passes */
    sb_time sent_at;    /* last turn of the ship */
    sb_time arrived_at; /* last update of the owner; before the first one: when the ship came */
    sb_time period;     /* time between the last two updates of the owner */
} sb_ship_clock;

/* On the shared tick, with all of its credit. */
void sb_ship_clock_init(sb_ship_clock *clock, sb_time interval, sb_time now);
/* An update of the owner has arrived: the ship follows it from now on. */
void sb_ship_clock_note_arrival(sb_ship_clock *clock, sb_time interval, sb_time now);
/* True if the ship may send at a shared tick. */
bool sb_ship_clock_has_credit(const sb_ship_clock *clock, sb_time interval, sb_time now);
/* When the owner's next update is expected: as long after the last one as that came after the one
 * before. */
sb_time sb_ship_clock_expected(const sb_ship_clock *clock);
/* When a ship that follows its owner sends if no further update arrives. */
sb_time sb_ship_clock_fallback(const sb_ship_clock *clock, sb_time interval);
/* The ship sends. It returns to the shared tick when its owner has been silent for too long. */
void sb_ship_clock_send(sb_ship_clock *clock, sb_time interval, sb_time now);

#endif
