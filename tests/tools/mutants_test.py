#!/usr/bin/env python3
"""tests/tools/mutants_test.py -- tools/mutants finds what a weak test misses, in a project of one file."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/apps"))
from checks import check, finish  # noqa: E402

MESON = """project('toy', 'c', default_options: ['c_std=gnu11'])
subdir('src')
subdir('tests')
"""
SOURCES = """core_sources = files('toy/toy.c')
core = static_library('core', core_sources)
"""
TESTS = "executable('toy-tests', 'test.c', 'toy/toy_test.c', link_with: core)\n"
OPTIONS = "option('programs', type: 'boolean', value: true)\n"
TOY = """/* Refuses what is above the limit; adds up the rest. */
enum { LIMIT = 10 };
static const int table[] = { 1, 2 };
static int hidden(int x) { return x + 5; }
int toy_unreached(int x) { return hidden(x); }
int toy_is_within(int x) { return x <= LIMIT; }
void toy_add(int *sum, int x)
{
    if (x == 3 && *sum == 0) return;
    *sum += table[0] * x;
}
"""
HEAD = """#include "test.h"
int toy_is_within(int x);
void toy_add(int *sum, int x);
"""
WEAK = HEAD + "TEST(small_numbers_are_within) { CHECK(toy_is_within(1)); int s = 1; toy_add(&s, 2); }\n"
STRONG = HEAD + """
TEST(the_limit_is_within) { CHECK(toy_is_within(10)); CHECK(!toy_is_within(11)); }
TEST(numbers_are_added) { int s = 1; toy_add(&s, 2); CHECK_EQ(s, 3); toy_add(&s, 3); CHECK_EQ(s, 6); }
TEST(three_is_not_the_first) { int s = 0; toy_add(&s, 3); CHECK_EQ(s, 0); toy_add(&s, 2); CHECK_EQ(s, 2); }
"""
BOUND = "src/toy/toy.c toy_is_within: int toy_is_within(int x) { return x <= LIMIT; } [<= -> <]"
DELETED = "src/toy/toy.c toy_add: deleted: *sum += table[0] * x;"
HIDDEN = "src/toy/toy.c hidden: static int hidden(int x) { return x + 5; } [5 -> 5 + 1]"


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def run(root, *more):
    command = [ROOT / "tools/mutants", "--root", root, "--folder", "toy", "--all-folders", "toy",
               "--suites", "tests/toy-tests", "--programs", "", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as name:
    toy = pathlib.Path(name)
    write(toy, "meson.build", MESON)
    write(toy, "meson_options.txt", OPTIONS)
    write(toy, "src/meson.build", SOURCES)
    write(toy, "src/toy/toy.c", TOY)
    write(toy, "tests/meson.build", TESTS)
    for file in ("test.c", "test.h"):
        shutil.copy(ROOT / "tests" / file, toy / "tests" / file)

    write(toy, "tests/toy/toy_test.c", WEAK)
    status, out = run(toy)
    check("a bound that no test tries survives", f"survived (1 tests)  src/toy/toy.c:6\n    {BOUND}" in out, out)
    check("a deleted statement that no test misses survives", DELETED in out, out)
    check("what no test reaches is named", f"unreached  src/toy/toy.c:4\n    {HIDDEN}" in out, out)
    check("a weak test is not enough", status == 1, out)

    write(toy, "tests/toy/toy_test.c", STRONG)
    status, out = run(toy)
    check("a strong test kills the bound", BOUND not in out, out)
    check("a strong test kills the deleted statement", DELETED not in out, out)
    check("initialisers of static tables are no mutants", "table[] =" not in out, out)
    check("what is not reached still counts", status == 1 and HIDDEN in out, out)

    reasons = "".join(f"{line.strip()}\n    toy: never called\n" for line in out.splitlines()
                      if line.startswith("    src/toy/toy.c hidden"))
    write(toy, "tests/mutants.txt", "# reasons\n" + reasons)
    status, out = run(toy)
    check("survivors with a reason do not count", status == 0 and HIDDEN not in out and "100.0%" in out, out)

    write(toy, "tests/mutants.txt", reasons + "src/toy/toy.c gone: x [1 -> 2]\n    no longer there\n")
    status, out = run(toy)
    check("a reason without its mutant is reported", status == 1 and "no such mutant" in out, out)

    (toy / "tests/mutants.txt").unlink()
    (toy / "build-mutants/results.tsv").unlink()
    status, out = run(toy, "--seconds", "0.000001")
    check("the time limit ends the run", status == 2 and "run again to continue" in out, out)
    status, out = run(toy, "--count", "3")
    check("COUNT limits the sample", " 3      3 " in out, out)
    rows = (toy / "build-mutants/results.tsv").read_text().count("\n")
    status, out = run(toy)
    again = (toy / "build-mutants/results.tsv").read_text().splitlines()
    check("a run continues where the last one stopped",
          rows == 3 and len({line.split("\t")[1] for line in again}) == len(again) > 3, again)
finish()
