#!/usr/bin/env python3
"""tests/tools/check_sources_test.py -- tools/check-sources finds each kind of wrong claim."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check-sources"
HEAD = "| Heading | Verdict | Where | File | Contains | Remarks |\n|---|---|---|---|---|---|\n"
TRUE = [
    "| Ids | C | 03 | `src/a.c` | `0x801B` | |",
    "| Ids | C | 03 | `src/a.c`, `src/b.c` | `0x801B`, `only in b` | |",
    "| Examples | C | 03 | `vectors/03` | `1C FF` | |",
    "| Internal | N |  | - |  | |",
    "| Later | A | 03 | not yet: `src/later` | | |",
]
WRONG = [
    ("| Ids | C | 03 | `src/gone.c` | `0x801B` | |", "does not exist"),
    ("| Ids | C | 03 | `src/a.c` | `0x802F` | |", "`0x802F` is in none"),
    ("| Ids | C | 03 | `src/a.c`, `src/b.c` | `0x801B`, `0x813F` | |", "`0x813F` is in none"),
    ("| Ids | C | 03 | `src/a.c` | | |", "no word says"),
    ("| Ids | C | 03 | `src/a.c` | `0x801B` |", "5 cells"),
    ("| Later | A | 03 | not yet: `src/a.c` | | |", "exists now"),
]


def check(line):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in (("src/a.c", "X(0x801B)"), ("src/b.c", "only in b"),
                           ("vectors/03/x.vec", "1C FF"), ("docs/evidence/sources.md", HEAD + line)):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        run = subprocess.run([TOOL, root], capture_output=True, text=True)
        return run.returncode, run.stdout


passed = failed = 0


def expect(sentence, condition, details):
    global passed, failed
    passed += bool(condition)
    failed += not condition
    if not condition:
        print(f"FAILED {sentence}: {details}")


for line in TRUE:
    code, out = check(line)
    expect("a true row passes", code == 0 and "0 wrong" in out, (line, out))
for line, reason in WRONG:
    code, out = check(line)
    expect("a wrong row is found", code == 1 and "sources.md:3: " in out and reason in out, (line, out))
run = subprocess.run([TOOL], capture_output=True, text=True)
rows = int(run.stdout.split("sources: ")[1].split(" rows")[0])
expect("the page itself has its rows, and all are right", run.returncode == 0 and rows >= 150, run.stdout)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
