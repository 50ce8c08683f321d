"""tests/e2e/live.py -- programs of a build directory as child processes that never outlive a test.

For: accept_test.py. What is started is ended by `end_all`, which the end of the
interpreter calls too; should that not happen, the kernel does it.
"""
import atexit
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apps"))
import checks  # noqa: E402
import child  # noqa: E402
from checks import check  # noqa: E402, F401 (for the tests)

started = []


def summary():
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed or not checks.passed else 0


def prepare_child():
    """Between fork and exec: default signal dispositions, and no life after the parent's."""
    child.reset_signals()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Program:
    """A child process; what it prints goes to files."""

    def __init__(self, *arguments):
        self.out, self.log = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=self.out,
                                        stderr=self.log, env=clean, preexec_fn=prepare_child)
        started.append(self)

    @staticmethod
    def _text(file):
        return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")

    def output(self):
        return self._text(self.out)

    def messages(self):
        return self._text(self.log)

    def running(self):
        return self.process.poll() is None

    def wait_until(self, condition, seconds=20):
        """Until condition() is true; false: the time is up, or the program has ended before."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or not self.running():
                return condition()
            time.sleep(0.02)
        return True

    def stop(self, number=signal.SIGTERM, seconds=20):
        """The exit status after the signal."""
        if self.running():
            self.process.send_signal(number)
        return self.wait(seconds)

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        if self.running():
            self.process.kill()
        self.process.wait()


class Server(Program):
    """`starbase serve` on a free port of this machine, ready, with a log in JSON."""

    def __init__(self, program, *arguments):
        super().__init__(program, "serve", "--bind", "127.0.0.1", "--port", "0", "--log-json",
                         *arguments)
        self.wait_until(lambda: "\n" in self.output())
        try:
            self.port = json.loads(self.output())["port"]
        except ValueError:
            raise SystemExit(f"FAILED the server starts\n{self.output()}{self.messages()}\n"
                             "0 passed, 1 failed")

    def events(self, kind=None):
        """Lines of the log, those of one kind of event or all."""
        lines = [json.loads(line) for line in self.messages().splitlines()]
        return [line for line in lines if kind is None or line.get("event") == kind]


def end_all():
    for program in started:
        program.kill()


atexit.register(end_all)
signal.signal(signal.SIGTERM, lambda *_: exit(1))
