/* src/platform/clock.h -- what time it is: for the core, and for people.
 *
 * For:      loops that turn a core object's crank, and logs.
 */
#ifndef SB_PLATFORM_CLOCK_H
#define SB_PLATFORM_CLOCK_H

#include <starbase/base.h>

enum { SB_CLOCK_TEXT = 25 }; /* "2026-01-31T23:59:59.999Z" and its NUL */

/* Microseconds of a clock that never goes back: the `now` of every core object. */
sb_time sb_clock_now(void);
/* Microseconds since 1970, UTC. May go back when somebody sets the clock. */
int64_t sb_clock_wall_us(void);
/* Such a time for people and JSON, to the millisecond. */
void sb_clock_text(int64_t wall_us, char out[SB_CLOCK_TEXT]);
/* A number that differs from run to run: the seed of whoever needs one. */
uint64_t sb_clock_seed(void);

#endif
