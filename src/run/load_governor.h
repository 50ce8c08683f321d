/* src/run/load_governor.h -- decides what gives way when a loop has more work than time.
 *
 * For:      room_loop.c. First the rate of ship states, then new joins: reliable messages and the
 *           players who are there come first (docs/decisions/overload.md).
 * Tests:    tests/run/load_governor_test.c
 */
#ifndef SB_RUN_LOAD_GOVERNOR_H
#define SB_RUN_LOAD_GOVERNOR_H

#include <starbase/server.h>

typedef struct sb_load_governor {
    sb_server_load load;
    sb_time        since;       /* start of the current window */
    sb_time        busy_us;     /* time not spent waiting in this window */
    unsigned       full, spare; /* windows in a row without and with time to spare */
} sb_load_governor;

void sb_load_governor_init(sb_load_governor *governor, sb_time now);
/* Adds a turn of the loop that took `busy_us` until `now`. True: the load has changed. */
bool sb_load_governor_add(sb_load_governor *governor, sb_time now, sb_time busy_us);

#endif
