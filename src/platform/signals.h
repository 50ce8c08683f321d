/* src/platform/signals.h -- signals of a program with threads, as something to wait for.
 *
 * For:      long-running programs: SIGTERM and SIGINT ask for a clean end, SIGHUP for new
 *           configuration. interrupt.h is for programs with one thread and one loop.
 */
#ifndef SB_PLATFORM_SIGNALS_H
#define SB_PLATFORM_SIGNALS_H

typedef enum sb_signal {
    SB_SIGNAL_NONE,
    SB_SIGNAL_STOP,   /* SIGTERM, SIGINT */
    SB_SIGNAL_RELOAD, /* SIGHUP */
    SB_SIGNAL_STATUS, /* SIGUSR1: say how it goes */
} sb_signal;

/* Before any thread starts: from now on these signals wait to be taken, and a closed pipe is an
 * error of write instead of the end. Returns a descriptor to wait for; -1: the system refused. */
int sb_signals_open(void);
/* The next one that came. */
sb_signal sb_signals_next(int descriptor);
/* A stop is under way: the next SIGINT or SIGTERM ends the program at once. */
void sb_signals_release(void);
void sb_signals_close(int descriptor);

#endif
