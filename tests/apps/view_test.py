#!/usr/bin/env python3
"""tests/apps/view_test.py -- `starbase serve --view` on terminals of all kinds, and the demo that
shows it.

Usage: view_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

import child
from live_server import PROGRAM, check, finish

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "run-demo")
ESCAPE = re.compile(r"\033\[([?0-9;]*)([A-Za-z])")
ROWS = 24


def set_size(terminal, columns, rows=ROWS):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Terminal:
    """A program in front of a terminal of its own."""

    def __init__(self, *argv, columns=100, rows=ROWS, **values):
        environment = {k: v for k, v in os.environ.items()
                       if k != "NO_COLOR" and not k.startswith("STARBASE_")}
        master, slave = pty.openpty()
        set_size(slave, columns, rows)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(master)
            child.reset_signals()
            self.take(slave)
            os.execve(argv[0], argv, {**environment, "TERM": "xterm", **values})
        os.close(slave)
        self.master = master
        self.status = None
        self.seen = b""

    @staticmethod
    def take(slave):
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for descriptor in range(3):
            os.dup2(slave, descriptor)

    def read(self, seconds):
        """What comes in so many seconds, or until the end."""
        fresh, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            try:
                part = os.read(self.master, 65536)
            except OSError:
                break
            fresh += part
        self.seen += fresh
        return fresh

    def wait_for(self, pattern, seconds=20):
        """The match in the next picture that has one; a picture is what follows a jump home."""
        end, fresh = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            *pictures, fresh = (fresh + self.read(0.1)).split(b"\033[H")
            for text in pictures[1:]:
                found = re.search(pattern, "\n".join(Picture(text.decode(errors="replace"), 1000).lines))
                if found:
                    return found
            fresh = b"\033[H" + fresh
        return None

    def picture(self, columns):
        """The first whole one after the window has this width."""
        set_size(self.master, columns)
        self.read(0.5)
        for _ in range(50):
            pictures = self.read(0.6).split(b"\033[H")
            if len(pictures) > 2:
                return Picture(pictures[-2].decode(), columns)
        return Picture("", columns)

    def end(self, seconds):
        """Exit status, or None if it has not ended in time; reads nothing."""
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            time.sleep(0.02)
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)

    def stop(self, seconds=2):
        os.kill(self.pid, signal.SIGTERM)
        code = self.end(seconds)
        if code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        return code

    def close(self):
        os.close(self.master)


class Picture:
    """Lines of characters as they stand on the screen; `lost` is what was written at its edge on top
    of something else, and what was erased there."""

    def __init__(self, text, columns):
        self.lines, self.lost, self.colours = [""], "", []
        at = 0
        while at < len(text):
            escape = ESCAPE.match(text, at)
            if escape:
                self.obey(escape, columns)
                at = escape.end()
                continue
            if text[at] == "\n":
                self.lines.append("")
            elif text[at] != "\r":
                self.write(text[at], columns)
            at += 1

    def obey(self, escape, columns):
        if escape.group(2) == "m" and re.search(r"(^|;)[34]\d", escape.group(1)):
            self.colours.append(escape.group(0))
        elif escape.group(2) == "K" and len(self.lines[-1]) == columns:
            self.lost += self.lines[-1][-1]  # the cursor stands on it
        elif escape.group(2) == "H":
            self.lines.append("")

    def write(self, character, columns):
        if len(self.lines[-1]) == columns:
            self.lost += self.lines[-1][-1]
            self.lines[-1] = self.lines[-1][:-1]
        self.lines[-1] += character

    def line(self, pattern):
        return next((line for line in self.lines if re.search(pattern, line)), "")


def serve(*arguments, **values):
    return Terminal(PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--view", *arguments,
                    **values)


def port_of(terminal, room=1):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = re.search(rb"ready: room %d .* on 127\.0\.0\.1:(\d+)," % room, terminal.seen)
        if found:
            return found.group(1).decode()
        terminal.read(0.1)
    return "1"


def bots(port, *arguments):
    return child.start([PROGRAM, "bot", "--quiet", "--peaceful", *arguments,
                        f"127.0.0.1:{port}"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def widths():
    server = serve("--name", "Starbase demo", columns=100)
    port = port_of(server)
    name = "N\u00e4me " + "x" * 20
    company = bots(port, "-n", "2", "--name", name, "--ship", "galaxy")
    check("two players are there", server.wait_for(r"2/8 players(.|\n)*Galaxy(.|\n)*Galaxy"))
    time.sleep(1)  # pings are measured
    row = r"^ +\d+ N\u00e4me x+( \d)? +"
    score, ping = r" +\d+ +\d+ +\d+", r" +[\d.]+ ms$"
    for columns, there in ((160, r"Galaxy +\S+.*" + score + ping),
                           (100, r"Galaxy +\S+.*" + score + ping),
                           (99, r"Galaxy +\S+.*" + score + ping),
                           (80, r"Galaxy +\S+.*" + score + ping),
                           (79, r"Galaxy +\S+.*" + score + "$"),
                           (60, r"\S+.*" + score + "$"), (45, r"\S+" + score + "$"),
                           (40, score + "$"), (24, r"\d+$")):
        picture = server.picture(columns)
        heading, player = picture.line(r"^ id player "), picture.line(row)
        tally = re.search(r"\d+(?=( +[\d.]+ ms)?$)", player)
        check(f"at {columns} columns a player's row has what fits, the score always",
              re.search(row + there, player), picture.lines)
        check(f"at {columns} columns the heading stands above it",
              tally and re.search("score", heading).end() == tally.end(), picture.lines)
        check(f"at {columns} columns no line goes beyond the edge", picture.lost == "" and
              max(map(len, picture.lines)) <= columns, (picture.lost, picture.lines))
        if columns == 160:
            check("with space a long name is not cut", re.search(r"x{20} [12] +Galaxy", player), player)
        if columns >= 60:
            check(f"at {columns} columns the room's line is whole", re.search(
                r"^room 1  Starbase demo  .*2/8 players( |$)", picture.line("^room 1")) and
                (columns < 100 or re.search(rf"port {port}  free for all in Multi1 .* in .*B/s  "
                                            r"out .*B/s *$", picture.line("^room 1"))),
                picture.lines)
        if columns >= 80:
            check(f"at {columns} columns the title tells the traffic", re.search(
                r"^ starbase .*2 players .* in .*B/s  out .*B/s", picture.lines[0]), picture.lines)
    os.write(server.master, b"say " + b"y" * 300)
    check("a long typed line is cut", server.picture(50).lost == "")
    check("the view has colours", server.picture(100).colours != [])
    check("the server ends well", server.stop() == 0)
    company.wait(20)
    server.close()

    server = serve(NO_COLOR="1")
    company = bots(port_of(server), "--ship", "galaxy")
    check("bars are shown without colours", server.wait_for("Galaxy +\u2588"))
    picture = server.picture(100)
    check("NO_COLOR switches colours off", picture.lines[1:] and picture.colours == [],
          picture.colours)
    server.stop()
    company.wait(20)
    server.close()


def many_rooms():
    server = serve("--rooms", "20", "--threads", "1")
    company = [bots(port_of(server, room), "-n", str(room - 17)) for room in (18, 20)]
    check("the title counts the players of rooms that are not shown",
          server.wait_for(r"^ starbase \S+  20 rooms  4 players "), server.picture(100).lines)
    picture = server.picture(100)
    shown = sum(line.startswith("room ") for line in picture.lines)
    check("the view counts the rooms that are not shown",
          picture.line(rf"^\+{20 - shown} rooms below; PgDn") != "", picture.lines)
    for _ in range(20):
        os.write(server.master, b"\x1b[6~" * 5)
        if server.wait_for(r"(?m)^room 20 (.|\n)*^ +\d+ Bot 3 ", 1):
            break
    picture = server.picture(100)
    check("PgDn scrolls to the last room and its players", picture.line("^room 20 ") and
          picture.line(r"^ +\d+ Bot 3 ") and picture.line("rooms? below") == "", picture.lines)
    os.write(server.master, b"\x1b[A" * 3)
    check("an arrow scrolls a line", server.wait_for(r"\+\d+ rooms? below|PgUp scrolls"),
          server.picture(100).lines)
    for _ in range(10):
        os.write(server.master, b"\x1b[5~")
    check("PgUp scrolls back to the first room", server.wait_for(r"(?m)^room 1 "))
    os.write(server.master, b"say " + b"long " * 40 + b"end\r")
    check("a long answer is wrapped, not cut", server.wait_for(r"said: [long \n]+end"))
    check("the server ends well", server.stop() == 0)
    for each in company:
        each.wait(20)
    server.close()


def stalled():
    server = serve()
    server.wait_for("nobody is here yet")
    os.write(server.master, b"\x13")
    time.sleep(1)
    check("SIGTERM ends a server whose terminal was stopped with Ctrl-S", server.stop() == 0)
    check("a stopped terminal gets its screen back", b"\033[?25h\033[?1049l" in server.read(1))
    server.close()

    server = serve("--rooms", "16", rows=200, columns=200)
    server.wait_for("nobody is here yet")
    time.sleep(4)  # more pictures than the terminal holds
    check("SIGTERM ends a server whose terminal is not read", server.stop() == 0)
    server.close()

    master, slave = pty.openpty()
    server = child.start([PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0"], stdin=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    server.stdin.write(b"status\nhelp\n" * 500)  # more lines than the terminal holds
    server.stdin.flush()
    time.sleep(0.5)
    server.terminate()
    try:
        check("SIGTERM ends a server whose log goes to a terminal that is not read",
              server.wait(3) == 0)
    except subprocess.TimeoutExpired:
        check("SIGTERM ends a server whose log goes to a terminal that is not read", False)
        server.kill()
    os.close(master)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("0.0.0.0", 0))
        return str(s.getsockname()[1])


def is_free(port, seconds):
    """Whether nobody has the port any more, within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            try:
                s.bind(("0.0.0.0", int(port)))
                return True
            except OSError:
                time.sleep(0.1)
    return False


def demo():
    def start():
        port = free_port()
        terminal = Terminal(DEMO, PROGRAM, "2", PORT=port)
        check("the demo shows its bots", terminal.wait_for("Bot 2 +[A-Z]"))
        return terminal, port

    terminal, port = start()
    os.write(terminal.master, b"say hi\r")
    check("the demo takes commands", terminal.wait_for("said: hi"))
    os.write(terminal.master, b"\x03")
    terminal.read(5)
    check("Ctrl-C ends the demo with status 0", terminal.end(10) == 0)
    check("the demo's server says goodbye",
          b"\033[?1049l" in terminal.seen and b"room 1: stopped" in terminal.seen,
          terminal.seen[-500:])
    check("Ctrl-C ends the demo's server", is_free(port, 5))
    terminal.close()

    terminal, port = start()
    terminal.close()
    check("a closed terminal ends the demo", terminal.end(10) is not None)
    check("a closed terminal ends the demo's server", is_free(port, 5))
    for number in signal.SIGTERM, signal.SIGINT:
        terminal, port = start()
        os.kill(terminal.pid, number)
        terminal.read(6)
        check(f"{number.name} to the script alone ends it", terminal.end(10) == 128 + number)
        check("a signal ends the demo's server with a goodbye", is_free(port, 5) and
              b"room 1: stopped" in terminal.seen, terminal.seen[-500:])
        terminal.close()


PARTS = (widths, many_rooms, stalled, demo)
chosen = [part for part in PARTS if part.__name__ in sys.argv[2:]]
for part in chosen or PARTS:
    part()
finish()
