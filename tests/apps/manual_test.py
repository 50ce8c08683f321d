#!/usr/bin/env python3
"""tests/apps/manual_test.py -- `starbase manual`: a page for every command, with every option and key.

Usage: manual_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed". Checks whose tool is
missing say so and are left out.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
OPTION = re.compile(r"^ {2,6}(?:(-[a-zA-Z0-9]), )?(--[a-z0-9-]+)", re.M)


def starbase(*arguments):
    result = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def commands():
    text = starbase("help")[1].split("Commands:\n", 1)[1].split("\n\n", 1)[0]
    return [line.split()[0] for line in text.splitlines()]


def escaped(text):
    return text.replace("-", "\\-")


def check_page(words):
    code, page, err = starbase("manual", *words)
    check("every command has a page", code == 0 and page.startswith(".\\\" Made by"), (words, err))
    options = OPTION.findall(starbase(*words, "--help")[1].split("\nOptions:\n")[-1])
    check("every command has options", ("-h", "--help") in options, words)
    for letter, name in options:
        tag = f"{escaped(letter)}\\fR, \\fB{escaped(name)}\\fR" if letter else f"\\fB{escaped(name)}\\fR"
        check("every option of the help is in the page", f".TP\n\\fB{tag.removeprefix(chr(92) + 'fB')}"
              in page, (words, letter, name))


def pages_of_commands():
    names = commands()
    check("the help lists the commands", {"serve", "manual", "completion", "doctor"} <= set(names), names)
    for name in names:
        check_page([name])
    check_page(["ships", "import"])
    program = starbase("manual")[1]
    for name in names:
        check("the page of the program names every command", f".TP\n\\fB{name}\\fR\n" in program, name)


def page_of_keys():
    code, page, err = starbase("manual", "server.lua")
    keys = re.findall(r"^(\w+) = ", starbase("serve", "--keys")[1], re.M)
    check("the keys are listed", code == 0 and len(keys) > 80, (err, keys))
    for key in keys:
        check("every key is in the page of server.lua", f"\\fB{key}\\fR = " in page, key)


def wrong_use():
    code, out, err = starbase("manual", "srve")
    check("a page that does not exist gets a suggestion", code == 2 and out == "" and
          "did you mean `serve`?" in err, err)
    check("--output excludes a name", starbase("manual", "-o", "x", "serve")[0] == 2)
    code, out, err = starbase("manual", "-o", "/proc/nowhere")
    check("a folder that cannot be made is an error", code == 1 and "/proc/nowhere" in err, err)


def written_pages():
    with tempfile.TemporaryDirectory() as place:
        code, out, err = starbase("manual", "--output", os.path.join(place, "man"))
        found = sorted(os.path.relpath(os.path.join(base, name), place)
                       for base, _, files in os.walk(place) for name in files)
        expected = sorted(["man/man1/starbase.1", "man/man1/starbase-ships-import.1",
                           "man/man5/starbase-server.lua.5",
                           *(f"man/man1/starbase-{name}.1" for name in commands())])
        check("all pages are written", code == 0 and found == expected, (err, found))
        if not shutil.which("groff"):
            print("skipped: groff is not installed, so pages are not formatted")
            return
        for name in found:
            format_page(os.path.join(place, name))


def format_page(path):
    """By groff with all warnings, and by man as people read it."""
    result = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-P-cbou", "-rLL=100n", path],
                            capture_output=True, text=True, timeout=60)
    check("groff formats the page without a warning", result.returncode == 0 and
          result.stderr == "" and "NAME" in result.stdout, (path, result.stderr[:500]))
    if not shutil.which("man"):
        return
    result = subprocess.run(["man", "--warnings=w", "-l", path], capture_output=True, text=True,
                            timeout=60, env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
    check("man shows the page without a warning", result.returncode == 0 and result.stderr == "" and
          "SEE ALSO" in result.stdout, (path, result.stderr[:500]))


for part in (pages_of_commands, page_of_keys, wrong_use, written_pages):
    part()
finish()
