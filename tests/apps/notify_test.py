#!/usr/bin/env python3
"""tests/apps/notify_test.py -- what a server tells systemd, and how its log lines reach the journal.

A socket of the test stands for systemd, a pipe for the journal. Usage: notify_test.py PROGRAM
[CAPTURE]. The last line is "N passed, N failed". A thread that hangs: tests/run/watchdog_test.c.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import child
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}


class Unit:
    """A server that is run as systemd runs it."""

    def __init__(self, directory, *arguments, **values):
        path = os.path.join(tempfile.mkdtemp(dir=directory), "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.process = child.start(
            [PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", "--log-level", "error", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={**CLEAN, "NOTIFY_SOCKET": path, **values})

    def next_state(self, seconds=30):
        """The next datagram that is no feeding of the watchdog; "": none."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                text = self.socket.recv(4096).decode()
            except TimeoutError:
                return ""
            if not text.startswith("WATCHDOG=1"):
                return text
        return ""

    def feeds(self, count, seconds=30):
        """True if the watchdog is fed `count` times from now on."""
        end = time.monotonic() + seconds
        while count > 0 and (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                count -= self.socket.recv(4096) == b"WATCHDOG=1\n"
            except TimeoutError:
                return False
        return count == 0

    def drain(self):
        self.socket.settimeout(0)
        try:
            while self.socket.recv(4096):
                pass
        except BlockingIOError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.socket.close()


def check_states(directory):
    with Unit(directory, "--rooms", "2", WATCHDOG_USEC="200000") as unit:
        state = unit.next_state()
        check("READY comes when the rooms are ready",
              state == "READY=1\nSTATUS=2 rooms are ready\n", state)
        check("the ready lines are there by then", unit.process.stdout.readline().startswith(b"ready: room 1"))
        check("the watchdog is fed again and again", unit.feeds(5))
        unit.process.send_signal(signal.SIGHUP)
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        state = unit.next_state()
        found = re.match(r"RELOADING=1\nMONOTONIC_USEC=(\d+)\n", state)
        check("a reload is announced with its time", found and abs(int(found.group(1)) - before) < 60e6, state)
        state = unit.next_state()
        check("READY ends the reload", state.startswith("READY=1\n"), state)
        check("the watchdog is fed after the reload", unit.feeds(3))
        os.kill(unit.process.pid, signal.SIGSTOP)
        unit.drain()
        check("a stopped process feeds nothing", not unit.feeds(1, 1))
        os.kill(unit.process.pid, signal.SIGCONT)
        check("it feeds again when it goes on", unit.feeds(2))
        unit.process.send_signal(signal.SIGTERM)
        state = unit.next_state()
        check("STOPPING comes when the server stops", state.startswith("STOPPING=1\n"), state)
        check("the server stops in order", unit.process.wait(30) == 0)


def check_no_watchdog(directory):
    with Unit(directory) as unit:
        check("READY comes without a watchdog, too", unit.next_state().startswith("READY=1\nSTATUS=1 room is ready"))
        check("nothing is fed then", not unit.feeds(1, 1))
    with Unit(directory, WATCHDOG_USEC="200000", WATCHDOG_PID="1") as unit:
        check("the watchdog of another process is not fed", unit.next_state().startswith("READY=1") and
              not unit.feeds(1, 1))


def check_bad_start(directory):
    with Unit(directory, "--set", "max_players=99") as unit:
        check("a wrong configuration is never ready", unit.process.wait(30) == 78 and
              unit.next_state(0.2) == "")


# ---- the journal ----

def log_lines(journal, *arguments):
    """The log of a server that starts, reloads and stops. `journal`: JOURNAL_STREAM for the pipe."""
    mine, theirs = os.pipe()
    stat = os.fstat(theirs)
    process = child.start([PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", *arguments],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
                          env={**CLEAN, "JOURNAL_STREAM": journal(stat)})
    os.close(theirs)
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    with os.fdopen(mine) as file:
        return file.read().splitlines()


def check_journal():
    def own(stat):
        return f"{stat.st_dev}:{stat.st_ino}"
    lines = log_lines(own, "--mission", "assault")
    check("lines in the journal begin with their priorities", len(lines) >= 2 and
          all(re.match(r"<[3467]>\d{4}-", line) for line in lines), lines)
    check("warnings have the priority of warnings",
          any(line.startswith("<4>") and " warning " in line for line in lines) and
          any(line.startswith("<6>") and " info " in line for line in lines), lines)
    lines = log_lines(own, "--log-json")
    check("JSON lines have priorities, too", lines and all(line.startswith("<6>{") for line in lines), lines)
    lines = log_lines(lambda stat: f"{stat.st_dev}:{stat.st_ino + 1}")
    check("a log that leads elsewhere has none", lines and not any(line.startswith("<") for line in lines), lines)


for part in (check_states, check_no_watchdog, check_bad_start):
    with tempfile.TemporaryDirectory() as place:
        part(place)
check_journal()
finish()
