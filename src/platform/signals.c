/* src/platform/signals.c -- blocked signals, read from a signalfd.
 *
 * Tests:    tests/apps/serve_test.py
 */
#include "platform/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sb_signal hangup_signal;

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int sb_signals_open(sb_hangup hangup)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
    sigset_t         blocked;
    hangup_signal = hangup == SB_HANGUP_STOPS ? SB_SIGNAL_STOP : SB_SIGNAL_RELOAD;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i] == SIGHUP && hangup == SB_HANGUP_STOPS && is_ignored(SIGHUP)) continue;
        sigaddset(&blocked, numbers[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &blocked, NULL) != 0) return -1;
    /* POSIX leaves open whether a blocked signal that is ignored stays pending. */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigismember(&blocked, numbers[i]) == 1) (void)signal(numbers[i], SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
}

sb_signal sb_signals_next(int descriptor)
{
    struct signalfd_siginfo info;
    if (read(descriptor, &info, sizeof info) != (ssize_t)sizeof info) return SB_SIGNAL_NONE;
    if (info.ssi_signo == SIGHUP) return hangup_signal;
    if (info.ssi_signo == SIGUSR1) return SB_SIGNAL_STATUS;
    return SB_SIGNAL_STOP;
}

void sb_signals_release(void)
{
    sigset_t released;
    sigemptyset(&released);
    sigaddset(&released, SIGINT);
    sigaddset(&released, SIGTERM);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)pthread_sigmask(SIG_UNBLOCK, &released, NULL);
}

void sb_signals_close(int descriptor)
{
    if (descriptor >= 0) (void)close(descriptor);
}
