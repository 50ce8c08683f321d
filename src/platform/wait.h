/* src/platform/wait.h -- epoll_wait with a deadline in microseconds.
 *
 * For:      the loops that run rooms and players.
 */
#ifndef SB_PLATFORM_WAIT_H
#define SB_PLATFORM_WAIT_H

#include <starbase/base.h>

struct epoll_event;

/* As epoll_wait, but waits until the clock of sb_clock_now reaches `until` (SB_TIME_NEVER: no
 * deadline). Precise to the microsecond where the system supports it: oversleeping adds to every
 * player's latency. */
int sb_wait_for_events(int epoll, struct epoll_event *events, int capacity, sb_time until);

#endif
