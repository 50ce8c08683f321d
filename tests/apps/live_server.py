"""tests/apps/live_server.py -- runs the program under test and a server for it to talk to.

For: bot_test.py, query_test.py, swarm_test.py, view_test.py; argv[1] is the program.
"""
import re
import signal
import subprocess
import sys

import child
from checks import check, finish  # noqa: F401 -- its users import both from here

PROGRAM = sys.argv[1]


def run(*arguments, command, timeout=120):
    result = subprocess.run([PROGRAM, command, *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=timeout)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


class Server:
    """`starbase serve` on a free port, until the with statement ends."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL):
        self.process = child.start(
            [PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", "--log-level", "error",
             *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        self.address = re.search(r"[\d.]+:\d+", line).group()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.communicate(timeout=20)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
