#!/usr/bin/env python3
"""tests/apps/docs_test.py -- commands, options and make targets named in the pages exist.

Usage: docs_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PLACEHOLDERS = {"COMMAND"}


def pages():
    """The pages that tell people what to type; the decisions tell what was once measured."""
    for pattern in ("*.md", "docs/*.md", "docs/evidence/*.md", "samples/*.md", "data/*.md",
                    "vectors/*.md"):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            if os.path.basename(path) in ("CHANGELOG.md", "messages.md"):
                continue  # of earlier versions; generated
            with open(path, encoding="utf-8") as file:
                yield os.path.relpath(path, ROOT), file.read()


def code_of(text):
    """Lines of code blocks, and the spans between backticks outside of them."""
    parts = re.split(r"^```.*$", text, flags=re.M)
    for number, part in enumerate(parts):
        if number % 2 == 1:
            yield from part.replace("\\\n", " ").splitlines()
        else:
            yield from (span.replace("\n", " ") for span in re.findall(r"`([^`]+)`", part))


helps = {}


def help_of(*words):
    if words not in helps:
        result = subprocess.run([PROGRAM, *words, "--help"], capture_output=True, timeout=30,
                                stdin=subprocess.DEVNULL)
        helps[words] = result.stdout.decode() if result.returncode == 0 else None
    return helps[words]


def options_of(text):
    return set(re.findall(r"(?<![\w-])(-[a-zA-Z]|--[a-z][a-z-]*)(?![\w-])", text))


def check_command(page, line, words):
    """`words`: the words after `starbase`, up to the end of the command."""
    text = help_of(words[0])
    if text and len(words) > 1 and re.match("[a-z]+$", words[1]):  # ships import
        text += help_of(*words[:2]) or ""
    check("a command in the pages exists", text is not None, (page, line))
    for word in words[1:] if text else ():
        if word.startswith("-") and word.rstrip(".,;:") not in ("-", "--"):
            option = word.split("=")[0].rstrip(".,;:)")
            check("an option in the pages exists", option in options_of(text), (page, line, option))


def check_program(page, line):
    for use in re.finditer(r"(?:^|[\s;&|/])starbase +([a-z]+\b[^;&|>#]*)", line):
        words = use.group(1).split()
        if words[0] not in PLACEHOLDERS and not re.match(r"^starbase +[a-z]+:", line):
            check_command(page, line, words)


def check_make(page, line, targets):
    for target in re.findall(r"(?:^|[\s&;])make +([a-z][a-z-]*)\b", line):
        check("a target of make in the pages exists", target in targets, (page, line))
    for tool in re.findall(r"(?:^|\s)(tools/[\w-]+)(?:$|[\s.])", line):
        found = glob.glob(os.path.join(ROOT, tool + "*"))
        check("a tool in the pages exists", found, (page, line))


def check_parses(page, line, place):
    """The program accepts the command line: `serve` with its configuration, others up to --help."""
    words = shlex.split(line, comments=True)
    words = words[:next((i for i, word in enumerate(words) if word in ("|", ">", "<", "&")), None)]
    last = "--check-config" if words[1] == "serve" else "--help"
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    clean["STARBASE_CONTROL_DIR"] = place  # no command reaches a server of this machine
    result = subprocess.run([PROGRAM, *words[1:], last], capture_output=True, timeout=60, cwd=place,
                            stdin=subprocess.DEVNULL, env=clean)
    # What the reader's own machine has: the configuration of the service, a running server.
    missing = any(text in result.stderr for text in (b"/etc/starbase/", b"no server is running"))
    check("a command line for hosts and players is accepted", result.returncode == 0 or missing,
          (page, line, result.stderr))


def check_guides():
    """What hosts and players type, in a folder with the files that the pages name."""
    seen = 0
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(os.path.join(ROOT, "examples", "server.lua"), place)
        shutil.copy(os.path.join(ROOT, "data", "manifests", "vanilla-1.1.csv"),
                    os.path.join(place, "mymod.csv"))
        shutil.copytree(os.path.join(ROOT, "data"), os.path.join(place, "mymod"))
        for page, text in pages():
            if page not in ("docs/hosting.md", "docs/playing.md"):
                continue
            for line in code_of(text):
                if re.match(r"starbase [a-z]+(?: |$)", line) and "..." not in line and line in text:
                    seen += line.split()[1] == "serve"
                    check_parses(page, line, place)
    check("the guide has commands of the server", seen > 5, seen)


def main():
    check_guides()
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        targets = set(re.findall(r"^([a-z-]+):", file.read(), re.M))
    seen = 0
    for page, text in pages():
        for line in code_of(text):
            line = line.split(" # ")[0]
            seen += "starbase " in line
            check_program(page, line)
            check_make(page, line, targets)
    check("the pages have commands to check", seen > 50, seen)


main()
finish()
