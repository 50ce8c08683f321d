"""tests/apps/checks.py -- counts the checks of one test program and prints the result.

For: all *_test.py of this folder and of tests/e2e. A test calls check() for each
expectation and finish() at its end.
"""
import sys

passed = failed = 0


def check(sentence, condition, details=""):
    """Counts one check; prints `sentence` and `details` if `condition` is false."""
    global passed, failed
    if condition:
        passed += 1
        return
    failed += 1
    print(f"FAILED {sentence}\n    {details}")


def finish():
    """Prints "N passed, N failed" and exits with 1 if a check failed."""
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
