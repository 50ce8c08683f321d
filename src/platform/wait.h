/* src/platform/wait.h -- sleeping until something arrives or a time has come.
 *
 * For:      the loops that turn cranks.
 */
#ifndef SB_PLATFORM_WAIT_H
#define SB_PLATFORM_WAIT_H

#include <starbase/base.h>

struct epoll_event;

/* As epoll_wait, until `until` of sb_clock_now (SB_TIME_NEVER: only events end it). Where the
 * system can, to the microsecond: a millisecond more is a millisecond of everybody's lag. */
int sb_wait_for_events(int epoll, struct epoll_event *events, int capacity, sb_time until);

#endif
