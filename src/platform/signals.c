/* src/platform/signals.c -- a signalfd. */
#include "platform/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int sb_signals_open(void)
{
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGHUP);
    sigaddset(&taken, SIGUSR1);
    if (pthread_sigmask(SIG_BLOCK, &taken, NULL) != 0) return -1;
    (void)signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
}

sb_signal sb_signals_next(int descriptor)
{
    struct signalfd_siginfo info;
    if (read(descriptor, &info, sizeof info) != (ssize_t)sizeof info) return SB_SIGNAL_NONE;
    if (info.ssi_signo == SIGHUP) return SB_SIGNAL_RELOAD;
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
