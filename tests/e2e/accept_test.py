#!/usr/bin/env python3
"""tests/e2e/accept_test.py -- other people's server browsers look at a live server with players.

Usage: accept_test.py PROGRAM. gamedig and quakestat are installed by tools/setup-accept, which is
called here; GAMEDIG names another copy. The last line is "N passed, N failed".

Both show as many players as `numplayers` says. The stock server lists itself as the first player
without counting itself (spec 05 §3.1), and so does ours by default: then they miss the last player,
as they do with the stock server. With list_host_as_player=false they show all.
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
        # It takes `\final\`, which follows the last player as on the stock server, for a part of him.
        found["players"] = sorted(name.text.removesuffix("\\final")
                                  for name in one.iterfind("players/player/name"))
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


def expect_gamedig(server, name, password, players, count, rules):
    if not have_gamedig:
        return
    seen = gamedig(server)
    what = f"gamedig, {name}"
    check(f"{what}: name", seen.get("name") == name, seen)
    check(f"{what}: map", seen.get("map") == "DM", seen)
    check(f"{what}: password", seen.get("password") is password, seen)
    check(f"{what}: limit of players", seen.get("maxplayers") == 6, seen)
    check(f"{what}: number of players", seen.get("numplayers") == count, seen)
    check(f"{what}: players", sorted(p["name"] for p in seen.get("players", [])) == players, seen)
    check(f"{what}: where", seen.get("connect") == f"127.0.0.1:{server.port}" and
          seen.get("queryPort") == server.port, seen)
    raw = {key: str(value) for key, value in seen.get("raw", {}).items()}
    check(f"{what}: limits and place", {k: raw.get(k) for k in rules} == rules, raw)


def expect_quakestat(server, name, players, count, rules):
    seen = quakestat(server)
    what = f"quakestat, {name}"
    check(f"{what}: it is up", seen.get("status") == "UP", seen)
    check(f"{what}: name", seen.get("name") == name, seen)
    check(f"{what}: map", seen.get("map") == "DM", seen)
    check(f"{what}: limit of players", seen.get("maxplayers") == "6", seen)
    check(f"{what}: number of players", seen.get("numplayers") == str(count), seen)
    check(f"{what}: players", seen.get("players") == players, seen)
    check(f"{what}: limits and place, and no other rule", seen.get("rules") == rules, seen)


def rules_of(time_limit, frag_limit, system):
    return {"gamename": "bcommander", "gamever": "60", "location": "1",
            "missionscript": "Multiplayer.Episode.Mission1.Mission1", "gamemode": "openplaying",
            "timelimit": time_limit, "fraglimit": frag_limit, "system": system, "password": "0"}


def as_stock():
    server = Server(PROGRAM, "--max-players", "6")
    rules = rules_of("-1", "-2", "Multi1")
    expect_gamedig(server, "Starbase", False, [], 0, rules)
    bots = join(server, 3, "Bot")
    first = ["Bot 1", "Bot 2", "Dedicated Server"]  # and one more whom they do not show
    expect_gamedig(server, "Starbase", False, first, 3, rules)
    expect_quakestat(server, "Starbase", first, 3, rules)
    check("the bots leave in good order", bots.stop() == 0, bots.messages())
    check("and so does the server", server.stop() == 0, server.messages())


def all_players():
    server = Server(PROGRAM, "--name", "Friday night", "--max-players", "6", "--system", "Multi3",
                    "--time-limit", "20", "--frag-limit", "15", "--set", "list_host_as_player=false")
    rules = rules_of("20", "15", "Multi3")
    join(server, 3, "Bot")
    expect_gamedig(server, "Friday night", False, ["Bot 1", "Bot 2", "Bot 3"], 3, rules)
    expect_quakestat(server, "Friday night", ["Bot 1", "Bot 2", "Bot 3"], 3, rules)
    join(server, 1, "Ev\\numplayers\\99")
    names = sorted(["Bot 1", "Bot 2", "Bot 3", "Evnumplayers99"])
    expect_gamedig(server, "Friday night", False, names, 4, rules)
    expect_quakestat(server, "Friday night", names, 4, rules)


prepare()
as_stock()
all_players()
sys.exit(summary())
