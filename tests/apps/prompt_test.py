#!/usr/bin/env python3
"""tests/apps/prompt_test.py -- prompts on a terminal: of `starbase ctl`, and of the server's console.

Usage: prompt_test.py PROGRAM. The last line is "N passed, N failed". Without libedit only the plain
prompt is tried.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

import child
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="sbctl")
EDITS = b"libedit" in subprocess.run(["ldd", PROGRAM], capture_output=True).stdout


def environment():
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    return {**clean, "STARBASE_CONTROL_DIR": FOLDER, "STARBASE_STORE": "", "TERM": "xterm"}


class Terminal:
    """A program whose stdin, stdout and stderr are a terminal of its own."""

    def __init__(self, *arguments):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            child.reset_signals()
            os.execve(PROGRAM, [PROGRAM, *arguments], environment())
        self.seen = b""

    def read(self, text, seconds=20):
        """Whether the terminal shows the text, after what earlier calls have found."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            at = self.seen.find(text)
            if at >= 0:
                self.last, self.seen = self.seen[:at + len(text)], self.seen[at + len(text):]
                return True
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.terminal, 65536)
                except OSError:
                    break
        return False

    def type(self, data):
        os.write(self.terminal, data)

    def end_input(self):
        """Ctrl-D. A prompt shows before the terminal gives single keys, and the change loses a key."""
        end = time.monotonic() + 20
        while EDITS and termios.tcgetattr(self.terminal)[3] & termios.ICANON and \
                time.monotonic() < end:
            time.sleep(0.01)
        self.type(b"\x04")

    def wait(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.terminal], [], [], 0.05)[0]:
                try:
                    self.seen += os.read(self.terminal, 65536)
                except OSError:
                    pass
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def ctl_prompt():
    server = child.start([PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", "--name", "Here"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=environment())
    server.stdout.readline()
    while b"starbase ctl" not in server.stderr.readline():
        pass
    t = Terminal("ctl")
    check("ctl without a command shows a prompt", t.read(b"starbase> "), t.seen)
    t.type(b"status\r")
    check("a typed command is answered", t.read(b"Here, ffa in Multi1"), t.seen)
    if EDITS:
        t.read(b"starbase> ")
        t.type(b"sta\x1b[D\x1b[D\x1b[3~\x1b[C\x1b[C\x7f\x15sya x\x1b[D\x1b[D\x1b[D\x1b[D\x1b[3~a\x1b[3~y\r")
        check("the line can be edited", t.read(b"said: x"), t.seen)
        t.read(b"starbase> ")
        t.type(b"\x1b[A\r")
        check("arrow up repeats the last line", t.read(b"said: x"), t.seen)
        t.read(b"starbase> ")
        t.type(b"set friendly\t\r")
        check("Tab completes a key", t.read(b"friendly_fire = true"), t.seen)
        t.read(b"starbase> ")
        t.type(b"rel\t\r")
        check("Tab completes a command", t.read(b"reloaded"), t.seen)
        t.read(b"starbase> ")
        t.type(b"re\t\t")
        check("several words are listed", t.read(b"reload  "), t.seen)
        t.type(b"\x15")
    t.type(b"exit\r")
    check("exit leaves with status 0", t.wait() == 0, t.seen)
    t = Terminal("ctl")
    t.read(b"starbase> ")
    t.end_input()
    check("Ctrl-D leaves, too", t.wait() == 0, t.seen)
    t = Terminal("ctl")
    t.read(b"starbase> ")
    t.type(b"stop\r")
    check("the server stops", server.wait(20) == 0)
    t.type(b"status\r")
    check("then the prompt ends with status 1", t.wait() == 1, t.seen)


def console_prompt():
    t = Terminal("serve", "--port", "0", "--bind", "127.0.0.1", "--name", "Here", "--instance", "")
    check("the console has a prompt", t.read(b"> "), t.seen)
    t.type(b"status\r")
    check("a command is answered", t.read(b"Here, ffa in Multi1"), t.seen)
    if EDITS:
        t.type(b"say half a li")
        check("the typed text is shown", t.read(b"half a li"), t.seen)
        os.kill(t.pid, signal.SIGUSR1)
        check("a line of the log erases the prompt first", t.read(b"\r\x1b[K2"), t.seen)
        check("and the typed text is drawn again below it", t.read(b"say half a li"), t.seen)
        t.type(b"ne\r")
        check("the line goes on", t.read(b"said: half a line"), t.seen)
        t.type(b"\x1b[A\r")
        check("arrow up repeats it", t.read(b"said: half a line"), t.seen)
        t.type(b"stat\t\r")
        check("Tab asks the server", t.read(b"Here, ffa in Multi1"), t.seen)
    t.type(b"\x03")
    check("Ctrl-C stops the server", t.wait() == 0, t.seen)
    t = Terminal("serve", "--port", "0", "--bind", "127.0.0.1", "--instance", "")
    t.read(b"> ")
    t.type(b"quit\r")
    check("quit stops it, too", t.wait() == 0, t.seen)
    t = Terminal("serve", "--port", "0", "--bind", "127.0.0.1", "--instance", "")
    t.read(b"> ")
    t.end_input()
    check("Ctrl-D ends the input of commands, not the server",
          t.read(b"the input of commands has ended"), t.seen)
    os.kill(t.pid, signal.SIGTERM)
    check("which stops at SIGTERM", t.wait() == 0, t.seen)


ctl_prompt()
console_prompt()
subprocess.run(["rm", "-rf", FOLDER])
finish()
