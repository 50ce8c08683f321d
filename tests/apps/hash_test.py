#!/usr/bin/env python3
"""tests/apps/hash_test.py -- the behaviour of `starbase hash` on the command line.

Usage: hash_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
SHIPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "ships")


def run(*arguments, command="hash"):
    result = subprocess.run([PROGRAM, command, *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def objects(*arguments):
    _, out, _ = run("--json", *arguments)
    return [json.loads(line) for line in out.splitlines()]


def fold(accumulator, adds):
    accumulator ^= adds
    return (accumulator << 1 | accumulator >> 31) & 0xFFFFFFFF


def ships():
    code, out, err = run()
    check("without a ship, all are listed", code == 0 and err == "" and
          len(out.splitlines()) == 17 and out.startswith("akira "), out + err)
    check("`all` is the same", run("all")[1] == out)
    for name in ("birdofprey", "Bird of Prey", "BIRDOFPREY", "6", "0x06"):
        check(f"a ship is found by key, name or species: {name}",
              [o["ship"] for o in objects(name)] == ["birdofprey"])
    check("several ships come in the order of the command line",
          [o["ship"] for o in objects("vorcha", "1", "Galaxy")] == ["vorcha", "akira", "galaxy"])
    for name in ("akir", "0", "256", "", "-1x"):
        code, out, err = run("--", name)
        check("an unknown ship is reported", code == 2 and out == "" and
              f"unknown ship `{name}`" in err, err)
    code, out, err = run("--help")
    check("--help prints the usage",
          code == 0 and out.startswith("Usage: starbase hash") and err == "", out)
    check("the program lists the command", "  hash " in run(command="help")[1])
    code, out, err = run("--colour")
    check("an unknown option is reported", code == 2 and "unknown option --colour" in err, err)


def summary():
    one = objects("akira")[0]
    check("the wire value is the hash folded", one["wire"] == one["hash"] >> 16 ^
          one["hash"] & 0xFFFF, one)
    check("one unknown input of the Akira changes the hash",
          one["counting"] == 1 and one["unknown"] > 100, one)
    text = run("akira")[1]
    check("text and JSON agree", f"hash 0x{one['hash']:08X}  wire 0x{one['wire']:04X}" in text and
          f"unknown inputs: {one['unknown']}, changing the hash: {one['counting']}" in text, text)


def steps():
    one = objects("akira", "-v")[0]
    inputs = [step["input"] for step in one["steps"]]
    check("steps are in the order of the hash", inputs[0] == "hull.max_condition" and
          inputs[-1] == "tractors.system", inputs[:3])
    accumulator = 0
    for step in one["steps"]:
        if step["depth"] == 0:
            accumulator = fold(accumulator, step["adds"])
            if step["accumulator"] != accumulator:
                break
    check("the steps of depth 0 make the hash", accumulator == one["hash"], accumulator)
    counting = {s["input"]: s for s in one["steps"] if s.get("counts")}
    check("shields count, the hull does not", "shields.max[0]" in counting and
          not any(name.startswith("hull.") for name in counting), list(counting)[:5])
    every = {s["input"]: s for s in one["steps"]}
    check("an estimate, an unknown input and a known one have their origins",
          counting["sensors.sensor_range"]["origin"] == "estimated" and
          every["hull.primary"]["origin"] == "assumed" and
          counting["shields.max[0]"]["origin"] == "known")
    out = run("akira", "-v")[1]
    lines = [line.split() for line in out.splitlines()]
    check("the table has a line per step", len(lines) == len(one["steps"]) + 4, len(lines))
    check("a line has input, value, origin, contribution, accumulator",
          ["shields.max[0]", "10000", "known", "00002710", "00004E20", "counts"] in lines, out)


def settings():
    plain = objects("akira")[0]
    ranged = objects("akira", "--set", "sensor_range=1500")[0]
    check("an input can be set", ranged["hash"] != plain["hash"] and
          ranged["unknown"] == plain["unknown"] - 1 and ranged["counting"] == 0, ranged)
    check("an input can be set by its full name",
          objects("akira", "--set", "sensors.sensor_range=1500")[0]
          == ranged)
    check("the last setting wins", objects("akira", "--set", "sensor_range=7", "--set",
                                           "sensor_range=1500")[0] == ranged)
    same = objects("akira", "--set", "max_points=1")
    check("a bare name leaves known inputs alone", same == [], same)
    known = objects("akira", "--set", "repair.max_points=1")[0]
    check("a full name sets a known input", known["hash"] != plain["hash"])
    one = objects("akira", "-v", "--set", "primary=no")[0]
    primary = {s["adds"] for s in one["steps"] if s["input"].endswith(".primary")}
    check("a bare name sets all unknown inputs of that name", primary == {16}, primary)
    one = objects("akira", "-v", "--set", "types[0].script=ABCD", "--set",
                  "torpedoes.types[0].max_torpedoes=200")[0]
    script = [s["adds"] for s in one["steps"] if "types[0].script[" in s["input"]]
    check("a text is folded character by character, mirrored", script == [65 * 68, 66 * 67] +
          [67 * 66, 68 * 65], script)
    check("text shows in the table", '"ABCD"' in run("akira", "-v", "--set",
                                                     "types[0].script=ABCD")[1])
    one = objects("akira", "-v", "--set", "torpedoes.types=2")[0]
    check("the number of torpedo types can be set",
          any(s["input"] == "torpedoes.types[1].max_torpedoes" for s in one["steps"]))
    for bad, reason in (("sensor_range=far", "must be a number, not `far`"),
                        ("sensor_range=", "must be a number, not ``"),
                        ("sensor_range=inf", "must be a number, not `inf`"),
                        ("primary=2", "primary must be yes or no, not `2`"),
                        ("sensor=1", "no input has the name `sensor`"),
                        ("sensor_range", "--set needs NAME=VALUE"),
                        ("=5", "--set needs NAME=VALUE")):
        code, out, err = run("akira", "--set", bad)
        check(f"--set {bad} is refused before anything is printed",
              code == 2 and out == "" and reason in err, out + err)
    many = [word for _ in range(65) for word in ("--set", "sensor_range=1")]
    code, out, err = run("akira", *many)
    check("too many settings are refused", code == 2 and "at most 64" in err, err)


def expectations():
    code, out, _ = run("akira", "--expect", "0xFB37")
    check("a hash that does not match exits with 1", code == 1 and
          "expected 0xFB37: no match" in out, out)
    check("the unknown input that changes the hash is listed",
          "sensors.sensor_range = 2000, estimated" in out, out)
    needed = out.split("sensors.sensor_range = ")[-1].strip()
    code, out, _ = run("akira", "--expect", "0xFB37", "--set", f"sensor_range={needed}")
    check("the number that would match does match", code == 0 and "0xFB37: match" in out, out)
    wire = objects("galaxy")[0]["wire"]
    code, out, _ = run("--json", "--expect", str(wire))
    rows = [json.loads(line) for line in out.splitlines()]
    check("one of several ships is enough", code == 0 and
          [o["ship"] for o in rows if o["match"]] == ["galaxy"], out)
    for bad in ("0x10000", "-1", "FB37", ""):
        code, out, err = run("akira", "--expect", bad)
        check("an impossible expectation is reported",
              code == 2 and "is not a 16-bit number" in err,
              (bad, err))


def files():
    stock = os.path.join(SHIPS, "akira.lua")
    check("a data file and its stock ship have the same hash", objects(stock) == objects("akira"))
    with tempfile.TemporaryDirectory() as folder, open(stock, encoding="utf-8") as file:
        path = os.path.join(folder, "mine.lua")
        text = file.read()
        with open(path, "w", encoding="utf-8") as copy:
            copy.write(text.replace("sensor_range = 2000,", "sensor_range = 1500,")
                       .replace('sensor_range = "estimate"', 'sensor_range = "hardpoint"'))
        check("values of a data file are known", objects(path)[0] ==
              objects("akira", "--set", "sensor_range=1500")[0], objects(path))
        with open(path, "w", encoding="utf-8") as copy:
            copy.write(text.replace("sensor_range = 2000,", "sensor_range = 'far',"))
        code, out, err = run(path)
        check("an invalid file is refused with file, key and reason", code == 2 and out == ""
              and f"{path}: sensor_range: must be a number" in err, err)
    code, out, err = run("no-such-ship.lua")
    check("a missing file is reported", code == 2 and "no-such-ship.lua" in err, err)


for part in (ships, summary, steps, settings, expectations, files):
    part()
finish()
