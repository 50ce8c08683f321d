/* src/platform/wait.c -- epoll_pwait2, or epoll_wait in milliseconds where it is missing.
 *
 * Tests:    tests/run/room_loop_test.c
 */
#include "platform/wait.h"

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include "platform/clock.h"

enum { MAX_WAIT_MS = 60000 }; /* keeps the milliseconds within an int */

int sb_wait_for_events(int epoll, struct epoll_event *events, int capacity, sb_time until)
{
    bool    forever = until == SB_TIME_NEVER;
    sb_time left = forever ? 0 : until - sb_clock_now();
    if (left < 0) left = 0;
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
    struct timespec wait = { (time_t)(left / SB_SECOND), (long)(left % SB_SECOND) * 1000 };
    int             count = epoll_pwait2(epoll, events, capacity, forever ? NULL : &wait, NULL);
    if (count >= 0 || errno != ENOSYS) return count;
#endif
    int64_t ms = (left + 999) / 1000;
    if (ms > MAX_WAIT_MS) ms = MAX_WAIT_MS;
    return epoll_wait(epoll, events, capacity, forever ? -1 : (int)ms);
}
