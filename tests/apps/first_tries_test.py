#!/usr/bin/env python3
"""tests/apps/first_tries_test.py -- what people type at first, and the help that they get.

Usage: first_tries_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import os
import pty
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SIZE_MAX = 2 * 1000 * 1000


def starbase(line):
    """Runs `starbase LINE`; returns the exit status, stdout and stderr."""
    result = subprocess.run([PROGRAM, *line.split()], stdin=subprocess.DEVNULL, timeout=60,
                            capture_output=True, env=environment())
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def environment(**values):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    return {**clean, **values}


def misspelt_names():
    for line, advice in (
            ("srve", "unknown command `srve`; did you mean `serve`?"),
            ("help srve", "unknown command `srve`; did you mean `serve`?"),
            ("--hlep", "unknown option `--hlep`; did you mean `--help`?"),
            ("serve --prot", "unknown option --prot; did you mean `--port`?"),
            ("serve --prot=22102", "unknown option --prot=22102; did you mean `--port`?"),
            ("serve -port 22102", "unknown option -port; did you mean `--port`?"),
            ("serve --max_players 4", "unknown option --max_players; did you mean `--max-players`?"),
            ("serve --timeout 20", "unknown option --timeout; did you mean `--set timeout=VALUE`?"),
            ("serve --timeuot 20", "unknown option --timeuot; did you mean `--set timeout=VALUE`?"),
            ("bot --sikll hard localhost", "unknown option --sikll; did you mean `--skill`?"),
            ("query --timout 1 localhost", "unknown option --timout; did you mean `--timeout`?"),
            ("swarm --room 2 --sevre", "unknown option --sevre; did you mean `--serve`?"),
            ("decode --jsno x", "unknown option --jsno; did you mean `--json`?"),
            ("encode --ouput x", "unknown option --ouput; did you mean `--output`?"),
            ("ships --jsom", "unknown option --jsom; did you mean `--json`?"),
            ("ships imprt lancer.py", "did you mean `starbase ships import`?"),
            ("ships import --spices 1", "unknown option --spices; did you mean `--species`?"),
            ("hash --jsom", "unknown option --jsom; did you mean"),
            ("lab --atacker x", "unknown option --atacker; did you mean `--attacker`?"),
            ("messages --jsn", "unknown option --jsn; did you mean `--json`?")):
        code, out, err = starbase(line)
        check("a misspelt command or option gets a suggestion, exit status 2",
              code == 2 and out == "" and advice in err, (line, code, out, err))
    for line in ("xyzzy", "serve --xyzzy", "serve -z"):
        code, out, err = starbase(line)
        check("a word that is like no other gets no suggestion",
              code == 2 and "unknown" in err and "did you mean" not in err, (line, code, err))


def short_options():
    for line, text in (("serve -p 22105 --check-config", "    port = 22105,\n"),
                       ("serve -p22105 --check-config", "    port = 22105,\n"),
                       ("serve -q --check-config", '    log_level = "warning",\n'),
                       ("serve -v --check-config", '    log_level = "debug",\n'),
                       ("serve -q --log-level error --check-config", '    log_level = "error",\n')):
        code, out, err = starbase(line)
        check("serve has -p, -q and -v", code == 0 and text in out, (line, code, err))
    code, out, err = starbase("serve -p x")
    check("an error of -p names the port", code == 78 and "--port: must be a whole number" in err, err)
    code, out, err = starbase("serve --help")
    check("the help shows the short options", "-p, --port PORT" in out and "-q, --quiet" in out and
          "-v, --verbose" in out, out)


def help_texts():
    commands = [line.split()[0] for line in starbase("help")[1].splitlines()
                if line.startswith("  ")]
    check("help lists the commands", {"serve", "decode", "ships"} <= set(commands), commands)
    for command in commands + ["ships import"]:
        code, out, err = starbase(f"{command} --help")
        wide = [line for line in out.splitlines() if len(line) > 100]
        check("help is at most 100 columns wide", code == 0 and err == "" and out and not wide,
              (command, wide))
        check("`help COMMAND` is `COMMAND --help`", command in ("help", "version") or
              starbase(f"help {command}")[1] == out, command)


def hints():
    code, out, err = starbase("bot --ship foo localhost")
    check("an unknown ship of a bot: `starbase ships` lists them",
          code == 2 and "`starbase ships`" in err and "hash" not in err, err)
    for line in ("bot --ship soverign localhost", "ships soverign", "hash soverign"):
        code, out, err = starbase(line)
        check("a misspelt ship gets a suggestion", code == 2 and
              "ship `soverign`; did you mean `sovereign`?" in err, (line, code, err))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("0.0.0.0", 0))
        port = taken.getsockname()[1]
        demo = subprocess.run([os.path.join(ROOT, "tools", "run-demo"), PROGRAM, "1"],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              env=environment(PORT=str(port)))
        err = demo.stderr.decode()
        check("`make run` with the port taken says what to type",
              demo.returncode != 0 and f"`PORT={port + 1} make run`" in err and "--port" not in err,
              demo)
        code, out, err = starbase(f"serve --port {port}")
        check("`serve` with the port taken names --port", code == 1 and "with --port" in err, err)
        result = subprocess.run([PROGRAM, "serve"], stdin=subprocess.DEVNULL, timeout=60,
                                capture_output=True, env=environment(STARBASE_PORT=str(port)))
        check("a port from the environment is changed there",
              result.returncode == 1 and b"with STARBASE_PORT" in result.stderr, result)


def on_terminal(arguments, seconds):
    """The program's stdout and stderr on a terminal, for at most `seconds`."""
    main, other = pty.openpty()
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=other,
                               stderr=other, env=environment(TERM="xterm"))
    os.close(other)
    text, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([main], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        text += part
    process.kill()
    process.wait()
    os.close(main)
    return text.decode(errors="replace")


def waiting():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        host = f"localhost:{silent.getsockname()[1]}"
        line, cleared = f"waiting for {host} ...", "\r\033[K"
        for arguments in (["query", "--timeout", "2", host], ["bot", "--time", "3", host]):
            text = on_terminal(arguments, 30)
            check("on a terminal a command says for whom it waits", text.count(line) == 1, text)
            check("and removes the line before the next one",
                  cleared in text[text.find(line):] and
                  "answer" in text[text.rfind(cleared):], text)
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        text = on_terminal(["swarm", "--host", address, "--players", "1"], 2)
        check("swarm says for whom it waits", f"waiting for {address}: 0 of 1 rooms" in text, text)
        for arguments in (f"query --timeout 1.5 {host}", f"bot --time 2 {host}"):
            code, out, err = starbase(arguments)
            check("pipes get no such line", code == 1 and "waiting" not in out + err, (out, err))


def size_of_the_program():
    with open(PROGRAM, "rb") as file:
        if b"__asan_init" in file.read() or not shutil.which("strip"):
            return
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, PROGRAM], check=True)
        size = os.path.getsize(stripped.name)
    check("the program is below 2 MB without its symbols", size < SIZE_MAX, size)


def path_with(place, *names, **scripts):
    """A PATH of one folder: links to the programs `names`, replaced or completed by scripts."""
    folder = os.path.join(place, f"bin{len(os.listdir(place))}")
    os.mkdir(folder)
    for name in names:
        if name.replace("-", "_") not in scripts and shutil.which(name):
            os.symlink(shutil.which(name), os.path.join(folder, name))
    for name, text in scripts.items():
        path = os.path.join(folder, name.replace("_", "-"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    return folder


def setup(path, *groups):
    return subprocess.run(["/bin/bash", os.path.join(ROOT, "tools", "setup"), *groups],
                          capture_output=True, timeout=60, env={"PATH": path})


def packages():
    basic = ("bash", "dirname", "id", "cat", "mktemp", "rm")
    tools = (*basic, "gcc", "as", "make", "pkg-config", "meson", "ninja")
    with tempfile.TemporaryDirectory() as place:
        result = setup(path_with(place, *tools), "build")
        check("all is found on a machine without dpkg and apt",
              result.returncode == 0 and result.stderr == b"", result)
        without = tuple(name for name in tools if name != "meson")
        result = setup(path_with(place, *without), "build")
        err = result.stderr.decode()
        check("without apt the missing parts are named in general terms",
              result.returncode == 1 and "\n    meson\n" in err and "apt" not in err, result)
        fake = path_with(place, *without, apt_get="exit 9", id="echo 1000",
                         pkg_config='case "$*" in *jansson*) exit 1;; esac; exit 0')
        result = setup(fake, "build")
        err = result.stderr.decode()
        check("with apt the command follows", result.returncode == 1 and "jansson with headers" in err
              and "sudo apt-get update && sudo apt-get install -y --no-install-recommends meson "
              "libjansson-dev\n" in err, result)


for part in (misspelt_names, short_options, help_texts, hints, waiting, size_of_the_program,
             packages):
    part()
finish()
