/* src/platform/clock.h -- monotonic time for the core, wall-clock time for people, random seeds.
 *
 * For:      loops that run core objects, and logs.
 */
#ifndef SB_PLATFORM_CLOCK_H
#define SB_PLATFORM_CLOCK_H

#include <starbase/base.h>

enum { SB_CLOCK_TEXT = 25 }; /* "2026-01-31T23:59:59.999Z" and its NUL */

/* Microseconds of a monotonic clock: the `now` of every core object. */
sb_time sb_clock_now(void);
/* Sleeps until that moment; not at all if it is over. A signal may end it early. */
void sb_clock_sleep_until(sb_time until);
/* Microseconds since 1970, UTC. May go back when the system's clock is set. */
int64_t sb_clock_wall_us(void);
/* Formats a wall-clock time in ISO 8601, to the millisecond. */
void sb_clock_text(int64_t wall_us, char out[SB_CLOCK_TEXT]);
/* A random number, for seeds. */
uint64_t sb_clock_seed(void);

#endif
