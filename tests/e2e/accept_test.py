#!/usr/bin/env python3
"""tests/e2e/accept_test.py -- other people's server browsers look at a live server with players.

Usage: accept_test.py PROGRAM. gamedig and quakestat are installed by tools/setup-accept, which is
called here; GAMEDIG names another copy. The last line is "N passed, N failed".

Both show the first `numplayers` names. Our server lists itself without counting itself, as the
stock server does, but as the last name (spec 05 §3.1), so both show exactly the players.
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from live import Program, Server, check, summary  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GAMEDIG = os.environ.get("GAMEDIG") or os.path.join(ROOT, "build/accept/node_modules/.bin/gamedig")


NO_REGISTRY = 3  # of tools/setup-accept
have_gamedig = True


def prepare():
    if os.environ.get("GAMEDIG"):
        return
    setup = subprocess.run([os.path.join(ROOT, "tools/setup-accept")], capture_output=True, text=True)
    if setup.returncode == NO_REGISTRY and not os.environ.get("ACCEPT_ALL"):
        global have_gamedig
        have_gamedig = False
        print("NOT RUN: gamedig; no npm registry can be reached from here (ACCEPT_ALL=1 makes this a failure)")
        return
    if setup.returncode != 0:
        print("FAILED gamedig and quakestat are there: tools/setup-accept says\n" + setup.stderr)
        print("0 passed, 1 failed")
        sys.exit(1)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return result.stdout if result.returncode == 0 else f"exit {result.returncode}: {result.stderr}"


def gamedig(server):
    text = run(GAMEDIG, "--type", "stbc", f"127.0.0.1:{server.port}")
    try:
        return json.loads(text)
    except ValueError:
        return {"not JSON": text}


def quakestat(server):
    text = run("quakestat", "-xml", "-P", "-R", "-gps", f"127.0.0.1:{server.port}")
    try:
        one = xml.fromstring(text.encode("iso-8859-1")).find("server")
        found = {item.tag: item.text for item in one if len(item) == 0}
        found["status"] = one.get("status")
        found["rules"] = {rule.get("name"): rule.text for rule in one.iter("rule")}
        found["players"] = sorted(name.text for name in one.iterfind("players/player/name"))
        return found
    except (xml.ParseError, AttributeError):
        return {"not XML": text}


def join(server, count, name):
    bots = Program(PROGRAM, "bot", "-q", "-n", str(count), "--name", name,
                   f"127.0.0.1:{server.port}")
    before = len(server.events("joined"))
    check(f"{count} of {name} join", server.wait_until(
        lambda: len(server.events("joined")) >= before + count), server.messages())
    return bots


def expect_gamedig(server, name, password, players, count, limit, rules):
    if not have_gamedig:
        return
    seen = gamedig(server)
    what = f"gamedig, {name}"
    check(f"{what}: name", seen.get("name") == name, seen)
    check(f"{what}: map", seen.get("map") == "DM", seen)
    check(f"{what}: password", seen.get("password") is password, seen)
    check(f"{what}: limit of players", seen.get("maxplayers") == limit, seen)
    check(f"{what}: number of players", seen.get("numplayers") == count, seen)
    check(f"{what}: players", sorted(p["name"] for p in seen.get("players", [])) == players, seen)
    check(f"{what}: where", seen.get("connect") == f"127.0.0.1:{server.port}" and
          seen.get("queryPort") == server.port, seen)
    raw = {key: str(value) for key, value in seen.get("raw", {}).items()}
    check(f"{what}: limits and place", {k: raw.get(k) for k in rules} == rules, raw)


def expect_quakestat(server, name, players, count, limit, rules):
    seen = quakestat(server)
    what = f"quakestat, {name}"
    check(f"{what}: it is up", seen.get("status") == "UP", seen)
    check(f"{what}: name", seen.get("name") == name, seen)
    check(f"{what}: map", seen.get("map") == "DM", seen)
    check(f"{what}: limit of players", seen.get("maxplayers") == str(limit), seen)
    check(f"{what}: number of players", seen.get("numplayers") == str(count), seen)
    check(f"{what}: players", seen.get("players") == players, seen)
    check(f"{what}: limits and place, and no other rule", seen.get("rules") == rules, seen)


def rules_of(time_limit, frag_limit, system):
    return {"gamename": "bcommander", "gamever": "60", "location": "1",
            "missionscript": "Multiplayer.Episode.Mission1.Mission1", "gamemode": "openplaying",
            "timelimit": time_limit, "fraglimit": frag_limit, "system": system, "password": "0"}


def by_default():
    """1, 3 and 8 players: exactly their names are shown, whatever the number."""
    server = Server(PROGRAM, "--max-players", "8", "--set", "peers_per_address=8")
    rules = rules_of("-1", "-2", "Multi1")
    expect_gamedig(server, "Starbase", False, [], 0, 8, rules)
    names = []
    for more, name in ((1, "Kira"), (2, "Bot"), (5, "Ro")):
        join(server, more, name)
        names += [name] if more == 1 else [f"{name} {i + 1}" for i in range(more)]
        expect_gamedig(server, "Starbase", False, sorted(names), len(names), 8, rules)
        expect_quakestat(server, "Starbase", sorted(names), len(names), 8, rules)
    check("the server ends in good order", server.stop() == 0, server.messages())


def with_limits():
    server = Server(PROGRAM, "--name", "Friday night", "--max-players", "6", "--system", "Multi3",
                    "--time-limit", "20", "--frag-limit", "15")
    rules = rules_of("20", "15", "Multi3")
    bots = join(server, 3, "Bot")
    join(server, 1, "Ev\\numplayers\\99")
    names = sorted(["Bot 1", "Bot 2", "Bot 3", "Ev/numplayers/99"])
    expect_gamedig(server, "Friday night", False, names, 4, 6, rules)
    expect_quakestat(server, "Friday night", names, 4, 6, rules)
    check("the bots leave in good order", bots.stop() == 0, bots.messages())


def without_host():
    """qstat takes `\\final\\`, which follows the last player, for a part of that player's name."""
    server = Server(PROGRAM, "--max-players", "6", "--set", "list_host_as_player=false")
    rules = rules_of("-1", "-2", "Multi1")
    join(server, 2, "Bot")
    expect_gamedig(server, "Starbase", False, ["Bot 1", "Bot 2"], 2, 6, rules)
    expect_quakestat(server, "Starbase", ["Bot 1", "Bot 2\\final"], 2, 6, rules)


prepare()
by_default()
with_limits()
without_host()
sys.exit(summary())
