#!/usr/bin/env python3
"""tests/apps/docs_test.py -- commands, options and make targets named in the pages exist.

Usage: docs_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import glob
import os
import re
import subprocess
import sys

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


def main():
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
