"""tests/apps/live_server.py -- what the tests of serve's companions share: a program, checks, a server.

For: bot_test.py, query_test.py, swarm_test.py; argv[1] is the program.
"""
import re
import signal
import subprocess
import sys

import child

PROGRAM = sys.argv[1]
passed = failed = 0


def run(*arguments, command, timeout=120):
    result = subprocess.run([PROGRAM, command, *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=timeout)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def check(sentence, condition, details=""):
    global passed, failed
    if condition:
        passed += 1
        return
    failed += 1
    print(f"FAILED {sentence}\n    {details}")


def finish():
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


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
