/* src/run/watchdog.h -- tells whether all threads that run rooms still answer.
 *
 * For:      the watchdog of systemd, which the main thread feeds. A thread is asked by a command
 *           (SB_ROOM_PING), so one that sleeps because nothing happens answers, and one that hangs
 *           does not.
 * Never:    waits for a thread.
 * Tests:    tests/run/watchdog_test.c
 */
#ifndef SB_RUN_WATCHDOG_H
#define SB_RUN_WATCHDOG_H

#include "run/room_loop.h"

typedef struct sb_watchdog sb_watchdog;

/* Given; NULL: no memory. `loops` are borrowed until destroy, which comes after their join. */
sb_watchdog *sb_watchdog_create(sb_room_loop *const *loops, size_t count);
void         sb_watchdog_destroy(sb_watchdog *watchdog); /* may be NULL */
/* True: every thread has answered the question of the last call. Then asks again. */
bool sb_watchdog_check(sb_watchdog *watchdog);

#endif
