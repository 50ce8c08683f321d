"""tests/apps/child.py -- starts programs with default signal dispositions.

A process inherits which signals its parent ignores: `nohup make test` ignores SIGHUP, a job in the
background of a script ignores SIGINT. Tests that send signals start their programs through here,
so that the result does not depend on how the tests themselves were started.
"""
import signal
import subprocess


def reset_signals():
    """For the child process, between fork and exec: no signal is ignored or blocked."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def ignore_hangup():
    """For the child process instead of reset_signals: as nohup starts a program."""
    reset_signals()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def start(argv, before_exec=reset_signals, **options):
    """subprocess.Popen with default signal dispositions."""
    return subprocess.Popen(argv, preexec_fn=before_exec, **options)
