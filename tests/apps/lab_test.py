#!/usr/bin/env python3
"""tests/apps/lab_test.py -- the behaviour of `starbase lab` on the command line.

Usage: lab_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SHIPS = os.path.join(ROOT, "data", "ships")
CONTRACT = os.path.join(ROOT, "docs", "facts", "engine-contract.csv")


def run(*arguments, command="lab"):
    result = subprocess.run([PROGRAM, command, *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=120)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def kessok(*arguments):
    return run("--attacker", "kessokheavy", "--target", "galaxy", *arguments)


def help_and_errors():
    code, out, err = run("--help")
    check("--help prints the usage", code == 0 and out.startswith("Usage: starbase lab") and err == "")
    check("the program lists the command", "  lab " in run(command="help")[1])
    code, out, err = run()
    check("without ships the command says what it needs",
          code == 2 and "--attacker SHIP and --target SHIP are needed" in err, err)
    code, out, err = run("--attacker", "nautilus", "--target", "galaxy")
    check("an unknown ship is reported with the known ones",
          code == 2 and "unknown ship `nautilus`" in err and "kessokheavy" in err, err)
    for bad, text in ((("--range", "far"), "--range: `far` is not a number"),
                      (("--elevation", "91"), "--elevation: `91` is not a number from -90 to 90"),
                      (("--weapon", "words"), "--weapon: `words` is none of nothing, phasers, pulses"),
                      (("--level", "up"), "--level: `up` is none of low, medium, high"),
                      (("--set", "magic=1"), "no constant is called `magic`; `starbase serve --keys`"),
                      (("--set", "beam_high=-1"), "--set: `-1` is not a number from 0"),
                      (("--ranges", "57,100"), "--bearings and --ranges are for a duel"),
                      (("--set", "beam_high"), "--set needs NAME=VALUE"),
                      (("--facing", "left"), "--facing: `left`")):
        code, out, err = kessok(*bad)
        check(f"{' '.join(bad)} is refused", code == 2 and text in err and out == "", err)
    code, out, err = kessok("--seconds", "1", "--set", "facing_stops=0.4")
    check("a removed constant is a warning that names the change", code == 0 and out != "" and
          err.startswith("starbase lab: warning: --set: facing_stops: has no effect any more: the share "),
          err)
    code, out, err = run("--attacker", "galaxy", "--target", "galaxy", "--weapon", "pulses")
    check("a ship without the weapon is refused", code == 2 and "Galaxy has no pulses" in err, err)
    code, out, err = run("race", "galaxy", "akira")
    check("an unknown command is refused", code == 2 and "unknown command `race`" in err, err)


def table():
    code, out, err = kessok("--seconds", "3")
    lines = out.splitlines()
    check("the table has a title, a head and a line every half second", code == 0 and err == "" and
          lines[0].startswith("Kessok Heavy: phasers at Galaxy, range 57") and len(lines) == 2 + 7 + 2, out)
    check("facings, hull and the charges that change have columns", lines[1].split()[:8] ==
          ["time", "front", "rear", "top", "bottom", "port", "starboard", "Hull"] and
          "Forward Beam 1" in lines[1], lines[1])
    check("the last line sums up", "hits" in lines[-1] and "HP/s" in lines[-1], lines[-1])
    check("the same command prints the same", kessok("--seconds", "3")[1] == out)
    check("--every sets the interval", len(kessok("--seconds", "3", "--every", "1")[1].splitlines()) == 8)
    code, out, _ = run("--attacker", "galaxy", "--target", "galaxy", "--weapon", "ram", "--range", "8",
                       "--speed", "6.21", "--seconds", "0.1")
    check("a ram is one hit of 6089", "1 hit, 6089 HP" in out, out)


    code, out, _ = run("--attacker", "galaxy", "--target", "galaxy", "--weapon", "throttle", "--range", "500",
                       "--seconds", "4", "--every", "2")
    check("throttle follows the measured law", [line.split()[-2] for line in out.splitlines()[2:5]] ==
          ["0.000", "3.000", "5.626"], out)


def rows_of(*arguments):
    return list(csv.DictReader(io.StringIO(kessok("--csv", *arguments)[1])))


def series():
    rows = rows_of("--seconds", "3")
    check("CSV has a line at 0 and one after every step", len(rows) == 91 and float(rows[0]["time"]) == 0)
    check("CSV has facings, parts, charges and batteries",
          {"front", "Hull", "Sensor Array", "charge of Forward Beam 1", "main battery"} <= set(rows[0]))
    check("the front facing loses, the hull does not yet",
          float(rows[-1]["front"]) < 8000 and float(rows[-1]["Hull"]) == 15000)
    half = rows_of("--seconds", "0", "--shields", "0.5", "--facing", "port")[0]
    check("--facing limits --shields", float(half["port"]) == 2000 and float(half["front"]) == 8000)
    side = rows_of("--seconds", "3", "--bearing", "90")[-1]
    check("--bearing 90 hits the starboard facing", float(side["starboard"]) < 4000 == float(side["port"]))
    low = float(rows_of("--seconds", "3", "--level", "low")[-1]["front"])
    check("--level low does half", abs((8000 - low) / (8000 - float(rows[-1]["front"])) - 0.5) < 0.02, low)
    off = rows_of("--seconds", "3", "--set", "beam_high=0")[-1]
    check("--set changes a constant", float(off["front"]) == 8000)
    objects = [json.loads(line) for line in kessok("--json", "--seconds", "3")[1].splitlines()]
    check("JSON and CSV agree", len(objects) == 91 and
          abs(objects[-1]["facings"][0] - float(rows[-1]["front"])) < 0.02 and
          objects[-1]["parts"]["Hull"] == 15000 and objects[-1]["alive"] is True, objects[-1])


def mods():
    with tempfile.TemporaryDirectory() as folder:
        text = open(os.path.join(SHIPS, "akira.lua"), encoding="utf-8").read()
        path = os.path.join(folder, "weak.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('name = "Akira"', 'name = "Weak"', 1))
        code, out, err = run("--attacker", "galaxy", "--target", path, "--seconds", "1")
        check("a ship of a mod is a file", code == 0 and "at Weak" in out and err == "", out + err)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('name = "Akira"', 'name = "Weak", combat = { pulse_cost = 2 }', 1))
        code, out, err = run("--attacker", "galaxy", "--target", path, "--seconds", "1")
        check("a removed constant of a file is a warning", code == 0 and "at Weak" in out and
              "starbase lab: warning: " in err and "combat.pulse_cost: has no effect" in err, err)
        ships = os.path.join(folder, "ships")
        os.mkdir(ships)
        os.rename(path, os.path.join(ships, "weak.lua"))
        code, out, err = run("--attacker", "weak", "--target", "weak", "--data", folder, "--seconds", "1")
        check("--data replaces the ships", code == 0 and "Weak: phasers at Weak" in out, out + err)
        with open(os.path.join(ships, "weak.lua"), "a", encoding="utf-8") as file:
            file.write("nonsense")
        code, out, err = run("--attacker", os.path.join(ships, "weak.lua"), "--target", "galaxy")
        check("a wrong file is refused with its name", code == 2 and "weak.lua" in err, err)


def duel():
    code, out, err = run("duel", "kessokheavy", "shuttle", "--bearings", "0,180", "--ranges", "57,100")
    lines = out.splitlines()
    check("a duel has a table for each side", code == 0 and err == "" and len(lines) == 9 and
          "Kessok Heavy (everything) kills Shuttle" in lines[0] and
          "Shuttle (everything) kills Kessok Heavy" in lines[5], out + err)
    check("a table has a column per range and a line per bearing",
          lines[1].split() == ["bearing", "57", "100"] and [l.split()[0] for l in lines[2:4]] == ["0", "180"])
    check("a survivor is a dash", lines[7].split()[1:] == ["-", "-"], lines[7])
    rows = list(csv.DictReader(io.StringIO(run("duel", "galaxy", "shuttle", "--csv", "--bearings", "0",
                                               "--ranges", "57")[1])))
    check("a duel as CSV has one line per cell", len(rows) == 2 and rows[0]["attacker"] == "galaxy" and
          float(rows[0]["seconds"]) > 0, rows)
    check("a duel needs two ships", run("duel", "galaxy")[0] == 2)
    check("a duel has no --attacker and --target",
          "duel SHIP SHIP" in run("duel", "galaxy", "warbird", "--attacker", "akira")[2])
    check("a list with a word is refused", "is not a number" in
          run("duel", "galaxy", "akira", "--ranges", "57,near")[2])


def contract():
    code, out, err = run("contract", CONTRACT)
    check("the contract is played", "rows:" in out.splitlines()[-1] and err == "", out[-200:] + err)
    check("the contract is kept", code == 0, [l for l in out.splitlines() if "DIFFERS" in l or "HOLDS" in l])
    code, out, err = run("contract", "/nonexistent.csv")
    check("a missing file says how to name one", code == 1 and "starbase lab contract FILE.csv" in err, err)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        head, row = open(CONTRACT, encoding="utf-8").read().splitlines()[:2]
        cells = row.split(",")
        cells[13] = "1"
        file.write(head + "\n" + ",".join(cells) + "\n")
        file.flush()
        code, out, err = run("contract", file.name)
        check("a row that differs ends with status 1", code == 1 and "DIFFERS" in out, out)


help_and_errors()
table()
series()
mods()
duel()
contract()
finish()
