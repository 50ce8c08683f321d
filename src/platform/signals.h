/* src/platform/signals.h -- signals as a descriptor, for programs with threads.
 *
 * For:      long-running programs: SIGTERM and SIGINT ask for a clean stop, SIGHUP for a reload,
 *           SIGUSR1 for a status report. interrupt.h is for programs with one thread and one loop.
 */
#ifndef SB_PLATFORM_SIGNALS_H
#define SB_PLATFORM_SIGNALS_H

typedef enum sb_signal {
    SB_SIGNAL_NONE,
    SB_SIGNAL_STOP,   /* SIGTERM, SIGINT; SIGHUP if SB_HANGUP_STOPS */
    SB_SIGNAL_RELOAD, /* SIGHUP if SB_HANGUP_RELOADS */
    SB_SIGNAL_STATUS, /* SIGUSR1: log the status */
} sb_signal;

typedef enum sb_hangup {
    SB_HANGUP_RELOADS, /* SIGHUP asks for new configuration, even if it was ignored at the start */
    SB_HANGUP_STOPS,   /* SIGHUP ends the program, unless it was ignored at the start (nohup) */
} sb_hangup;

/* Blocks the four signals, so that they stay pending until they are read, and ignores SIGPIPE, so
 * that write returns an error. Call it before any thread starts. The result does not depend on
 * which signals the parent process ignored, except for SB_HANGUP_STOPS. Returns a descriptor to
 * poll; -1: the system refused. */
int sb_signals_open(sb_hangup hangup);
/* Reads the next signal; SB_SIGNAL_NONE: none is waiting. */
sb_signal sb_signals_next(int descriptor);
/* From now on SIGINT and SIGTERM end the program at once. For a program that is stopping. */
void sb_signals_release(void);
void sb_signals_close(int descriptor);

#endif
