#!/usr/bin/env python3
"""tests/apps/ships_test.py -- the behaviour of `starbase ships` on the command line.

Usage: ships_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
SHIPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "ships")
SOURCES = ["engine", "hardpoint", "documented", "trace", "rule", "catalogue", "inherited",
           "estimate", "unknown"]


def run(*arguments, command="ships"):
    result = subprocess.run([PROGRAM, command, *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def objects(*arguments):
    _, out, _ = run("--json", *arguments)
    return [json.loads(line) for line in out.splitlines()]


def lists():
    code, out, err = run()
    lines = out.splitlines()
    check("without a ship, all classes are listed", code == 0 and err == "" and len(lines) == 18 and
          lines[0].startswith("key ") and lines[1].startswith("akira "), out + err)
    check("a line has key, name, species, hull, shields, mass, speed and radius",
          lines[3].split() == "galaxy Galaxy 3 15000 8000 4000 4000 4000 4000 4000 120 6.3 4.3665"
          .split(), lines[3])
    code, out, _ = run("--evidence")
    lines = [line.split() for line in out.splitlines()]
    check("--evidence counts the figures of every class by source", code == 0 and
          lines[0] == ["key"] + SOURCES and len(lines) == 18, out)
    counts = {line[0]: dict(zip(SOURCES, map(int, line[1:]))) for line in lines[1:]}
    check("the Galaxy is measured, the Freighter is not", counts["galaxy"]["engine"] > 100 and
          counts["cardfreighter"]["engine"] == 0, counts["galaxy"])
    check("nothing about the Sovereign is unknown", counts["sovereign"]["unknown"] == 0 and
          counts["keldon"]["unknown"] > 0, counts["sovereign"])
    for key, count in counts.items():
        figures = objects(key, "--evidence")[0]["figures"]
        agree = all(sum(1 for f in figures if (f["source"] or "unknown") == s) == n
                    for s, n in count.items())
        check(f"the counts are those of the figures in JSON: {key}", agree, count)


def one_class():
    code, out, err = run("galaxy")
    names = [line.strip() for line in out.splitlines()]
    check("one class is printed in full", code == 0 and err == "" and
          out.startswith("Galaxy (galaxy), species 3, Federation\n"), out[:80])
    tractors = [names.index(n) for n in ("Tractors", "Aft Tractor 2", "Aft Tractor 1",
                                         "Forward Tractor 1", "Forward Tractor 2", "Bridge")]
    check("parts come in list order, children below their system", tractors == sorted(tractors),
          tractors)
    lines = [line.split() for line in out.splitlines()]
    check("a part has condition, position, radius and their sources",
          ["position", "0", "-0.45", "-0.5,", "radius", "0.28", "engine"] in lines and
          ["condition", "8000", "engine"] in lines, out[:900])
    check("the weapons and the ammunition are there", any(l[:3] == ["weapon", "damage", "250,"]
                                                          for l in lines) and
          ["projectile", "0:", "PhotonTorpedo", "(2)", "engine"] in lines, out[-300:])
    check("a class is found by key, name or species",
          run("Bird of Prey")[1] == run("birdofprey")[1] == run("6")[1] != "")
    for name in ("akir", "0", "256", ""):
        code, out, err = run("--", name)
        check("an unknown ship is reported", code == 2 and out == "" and
              f"unknown ship `{name}`" in err, err)


def evidence():
    code, out, _ = run("keldon", "--evidence")
    check("--evidence of one class shows the source of each group", code == 0 and
          "  shields        engine\n" in out and "  radius         estimate\n" in out, out[:500])
    check("it lists what is still an estimate", "  Aft Beam: position = 0.02 -2.7 0.22" in out and
          "\nestimate: " in out, out)
    check("it lists what is unknown", "  ship: sensor_range\n" in out and
          "  torpedo type: max_torpedoes\n" in out, out)
    figures = objects("keldon", "--evidence")[0]["figures"]
    unknown = [f for f in figures if f["source"] is None]
    check("an unknown figure is null in JSON", unknown and all(f["value"] is None for f in unknown),
          unknown[:2])
    listed = out.split("\nunknown: ")[1].splitlines()
    check("the list has one line per unknown figure", int(listed[0]) == len(listed) - 1 ==
          len(unknown), listed[:2])


def json_output():
    sovereign, galaxy = objects("sovereign", "3")
    check("JSON has one object per ship, in the order of the command line",
          [sovereign["ship"], galaxy["ship"]] == ["sovereign", "galaxy"])
    check("JSON has the ammunition", [(o["slot"], o["projectile"], o["max_torpedoes"])
                                      for o in sovereign["ordnance"]] ==
          [(0, 14, 200), (1, 3, 60), (2, 12, 0)], sovereign["ordnance"])
    phasers = next(p for p in galaxy["parts"] if p["name"] == "Phasers")
    bank = phasers["children"][0]
    check("JSON has parts, children and weapons", phasers["single_fire"] is True and
          [round(x, 4) for x in bank["position"]] == [-1.33, 1.3, 0.16] and
          bank["weapon"]["max_damage"] == 250, phasers)
    with open(os.path.join(SHIPS, "galaxy.lua"), encoding="utf-8") as data:
        kinds = re.findall(r'kind = "(\w+)"', data.read())
    check("JSON has the shape", len(kinds) > 4 and
          [solid["kind"] for solid in galaxy["solids"]] == kinds, galaxy["solids"])
    check("figures come only with --evidence", "figures" not in galaxy)


def files():
    path = os.path.join(SHIPS, "galor.lua")
    check("a ship file is printed like the stock ship", run(path)[1] == run("galor")[1] != "")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "ships"))
        shutil.copy(path, os.path.join(folder, "ships", "mine.lua"))
        code, out, _ = run("--data", folder)
        check("--data replaces the stock ships", code == 0 and len(out.splitlines()) == 2 and
              "galor" in out, out)
        check("a ship that DIR lacks is unknown", run("--data", folder, "galaxy")[0] == 2)
        with open(os.path.join(folder, "ships", "mine.lua"), "a", encoding="utf-8") as file:
            file.write("x")
        code, out, err = run("--data", folder)
        check("an invalid file of DIR is refused by name", code == 2 and out == "" and
              "mine.lua" in err, err)
        code, out, err = run("--data", os.path.join(folder, "ships"))
        check("a directory without ships is refused", code == 2 and out == "" and err, err)
    code, out, err = run("no-such-ship.lua")
    check("a missing file is reported", code == 2 and "no-such-ship.lua" in err, err)
    code, out, err = run("--help")
    check("--help prints the usage", code == 0 and out.startswith("Usage: starbase ships") and
          "--evidence" in out and err == "", out)
    check("the program lists the command", "  ships " in run(command="help")[1])


for part in (lists, one_class, evidence, json_output, files):
    part()
finish()
