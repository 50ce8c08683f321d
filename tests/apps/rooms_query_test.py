#!/usr/bin/env python3
"""tests/apps/rooms_query_test.py -- the rooms of one process share one budget of query answers.

Usage: rooms_query_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import os
import select
import signal
import socket
import sys
import subprocess
import tempfile
import time

import child
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
ROOMS = 64
SECONDS = 3


class Rooms:
    """A server of 64 rooms on free ports, its configuration in a file."""

    def __init__(self, text):
        self.config = tempfile.NamedTemporaryFile("w", suffix=".lua")
        self.write(text)
        self.log = tempfile.TemporaryFile()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        self.process = child.start(
            [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--rooms", str(ROOMS),
             "--threads", "4", "--config", self.config.name], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log, env=clean)
        lines = [self.process.stdout.readline().decode() for _ in range(ROOMS)]
        self.ports = [int(line.split(" on 127.0.0.1:")[1].split(",")[0]) for line in lines]

    def write(self, text):
        self.config.seek(0)
        self.config.truncate()
        self.config.write(text)
        self.config.flush()

    def messages(self):
        return os.pread(self.log.fileno(), 100000, 0).decode(errors="replace")

    def reload(self, text):
        self.write(text)
        self.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 10
        while "reloaded " not in self.messages() and time.monotonic() < end:
            time.sleep(0.02)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode


def receive_all(s, seconds):
    """The number of datagrams that arrive within the time."""
    count, end = 0, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([s], [], [], left)[0]:
            s.recv(2048)
            count += 1
    return count


def flood(rooms, address):
    """Asks every room again and again; the answers that `address` gets, and the seconds."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind((address, 0))
        began, count = time.monotonic(), 0
        while time.monotonic() < began + SECONDS:
            for port in rooms.ports:
                s.sendto(b"\\status\\", ("127.0.0.1", port))
            count += receive_all(s, 0.1)
        count += receive_all(s, 0.5)
        return count, time.monotonic() - began


rooms = Rooms("return {}")
answers, seconds = flood(rooms, "127.0.0.1")
check("64 rooms send one address what one room would",
      15 <= answers <= 15 + 5 * seconds + 1, f"{answers} answers in {seconds:.1f} s")
answers, _ = flood(rooms, "127.0.9.1")
check("another address has a budget of its own", answers >= 15, answers)
rooms.reload("return { answers_burst = 100, answers_per_source = 1000, answers_total = 1000,"
             " answers_network_burst = 200, answers_per_network = 1000 }")
check("the log names the new rates", "changed: answers_per_source, answers_burst, "
      "answers_per_network, answers_network_burst, answers_total\n" in rooms.messages(),
      rooms.messages())
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.bind(("127.0.17.1", 0))
    for port in rooms.ports:
        s.sendto(b"\\status\\", ("127.0.0.1", port))
    check("a browser sees all rooms if the burst allows it", receive_all(s, 1) == ROOMS)
check("the server stops in order", rooms.stop() == 0, rooms.messages())
with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
    file.write("return { rooms = { { answers_burst = 3 } } }")
    file.flush()
    out = subprocess.run([PROGRAM, "serve", "--check-config", "--config", file.name],
                         capture_output=True, text=True, timeout=30)
    check("a single room has no rates of its own", out.returncode == 78 and
          "answers_burst" in out.stderr and "whole server" in out.stderr, out.stderr)
finish()
