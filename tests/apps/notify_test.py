#!/usr/bin/env python3
"""tests/apps/notify_test.py -- what a server tells systemd, and how its log lines reach the journal.

A socket of the test stands for systemd, a pipe for the journal. Usage: notify_test.py PROGRAM
[CAPTURE]. The last line is "N passed, N failed".
"""
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

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


def check_refused_reload(directory):
    path = os.path.join(directory, "server.lua")
    with open(path, "w") as file:
        file.write("max_players = 4\n")
    with Unit(directory, "--config", path) as unit:
        unit.next_state()
        for line, status in (("max_player = 4", "STATUS=1 room is ready; the new configuration is refused, "),
                             ("max_players = 5", "STATUS=1 room is ready\n")):
            with open(path, "w") as file:
                file.write(line + "\n")
            unit.process.send_signal(signal.SIGHUP)
            unit.next_state()
            state = unit.next_state()
            check("the status says whether the new configuration counts", status in state, state)


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


# ---- a thread that hangs ----

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17


def trace(request, thread):
    """ptrace, which can stop a single thread of a process; False: it is not permitted here."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return libc.ptrace(request, thread, None, None) == 0


def thread_named(pid, name):
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm") as file:
            if file.read().strip() == name:
                return int(thread)
    return 0


def health(port):
    """Status and text of /healthz."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def wait_for_health(port, status, seconds=60):
    end = time.monotonic() + seconds
    while (found := health(port))[0] != status and time.monotonic() < end:
        time.sleep(0.1)
    return found


def check_hanging_thread(directory):
    with Unit(directory, "--http", "0", WATCHDOG_USEC="400000") as unit:
        unit.process.stdout.readline()
        port = int(unit.process.stdout.readline().decode().rsplit(":", 1)[1])
        check("a server is healthy", health(port) == (200, "ok\n") and unit.feeds(2), health(port))
        thread = thread_named(unit.process.pid, "rooms")
        check("the thread of the rooms has a name", thread != 0)
        if not trace(SEIZE, thread):
            print("skipped: no thread is stopped, because tracing is not permitted here")
            return
        check("one thread is stopped", trace(INTERRUPT, thread))
        os.waitpid(thread, 0x40000000)  # __WALL
        status, text = wait_for_health(port, 503)
        check("the health page names the thread that hangs",
              status == 503 and re.match(r"room thread 1 has not answered for [\d.]+ s\n", text), text)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            metrics = answer.read().decode()
        check("metrics are still there and show it", "\nstarbase_healthy 0\n" in metrics and
              re.search(r'thread_late_seconds{thread="1"} [1-9]', metrics), metrics)
        unit.drain()
        check("the watchdog is not fed while a thread hangs", not unit.feeds(1, 2))
        check("the thread goes on", trace(DETACH, thread))
        check("the watchdog is fed again", unit.feeds(2))
        check("the server is healthy again", wait_for_health(port, 200)[0] == 200)
        unit.process.send_signal(signal.SIGTERM)
        check("the server stops in order after that", unit.process.wait(30) == 0)


# ---- the journal ----

def log_lines(journal, *arguments):
    """The log of a server that starts, reloads and stops. `journal`: JOURNAL_STREAM for the pipe."""
    mine, theirs = os.pipe()
    stat = os.fstat(theirs)
    process = child.start([PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", "--instance", "",
                           "--store", "", *arguments],
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


for part in (check_states, check_refused_reload, check_no_watchdog, check_bad_start, check_hanging_thread):
    with tempfile.TemporaryDirectory() as place:
        part(place)
check_journal()
finish()
