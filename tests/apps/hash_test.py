#!/usr/bin/env python3
"""tests/apps/hash_test.py -- the behaviour of `starbase hash` on the command line.

Usage: hash_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SHIPS = os.path.join(ROOT, "data", "ships")
PREDICTION = 0xAFEF  # of the Sovereign (spec 04 §9)


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


def explanations():
    one = objects("--explain", "sovereign")[0]
    steps_ = one["steps"]
    check("--explain has every fold of the Sovereign, numbered in order",
          [s["step"] for s in steps_] == list(range(1, len(steps_) + 1)) and len(steps_) > 900)
    folds = [s for s in steps_ if "adds" in s]
    check("each fold follows from its accumulator and its integer",
          all(fold(s["before"], s["adds"]) == s["accumulator"] for s in folds))
    nested = [s["depth"] for s in steps_]
    starts = [s for i, s in enumerate(steps_) if "before" in s and
              (s["depth"] > nested[i - 1] if i else True)]
    check("a nested accumulator starts at 0", all(s["before"] == 0 for s in starts), starts[:2])
    check("the Sovereign's prediction is AFEF, unconfirmed", one["wire"] == PREDICTION and
          one["captured"] is None and one["confirmed"] is False)
    code, out, err = run("--explain", "sovereign")
    lines = out.splitlines()
    check("as text there is a line per step", code == 0 and err == "" and
          sum(line[:5].strip().isdigit() for line in lines) == len(steps_), err)
    check("a line has the accumulator before and after, and the integer",
          any(line.split()[:5] == ["1", "hull.max_condition", "12000", "known", "00000000"] and
              "00000000 ^ 00002EE0, rotated: 00005DC0" in line for line in lines), lines[7])
    check("the last lines fold the wire value and say what it rests on",
          "wire value: BC6D ^ 1382 = AFEF (spec 04 §6); prediction, unconfirmed" in out, lines[-2:])
    akira = objects("akira")[0]
    check("a captured hash that is not reproduced is named", akira["captured"] == 0xFB37 and
          akira["confirmed"] is False and
          "a captured update of this class has 0xFB37" in run("--explain", "akira")[1])


def encoded(*lines):
    text = "\n".join(json.dumps(line) for line in lines).encode()
    result = subprocess.run([PROGRAM, "encode", "-"], input=text, capture_output=True, timeout=60)
    return [bytes.fromhex(line) for line in result.stdout.decode().split()]


def datagram(peer_id, message):
    return {"layer": "datagram", "fields": {"peer_id": peer_id, "messages": [
        {"type": "Data", "reliable": message["name"] != "StateUpdate", "message": message}]}}


def created(species, object_id):
    return {"name": "PlayerObjectCreate", "fields": {
        "peer_id": 2, "object_id": object_id, "species": species, "position": [1, 2, 3],
        "orientation": [1, 0, 0, 0], "name": "A", "set_name": "Multi1"}}


def updated(object_id, game_time, **hash_):
    return {"name": "StateUpdate", "fields": {
        "object_id": object_id, "game_time": game_time, "position": [1, 2, 3], **hash_}}


def write_capture(path, datagrams, port=22101):
    """Ethernet, IPv4 and UDP headers, from a client to the server."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, payload in enumerate(datagrams):
            udp = struct.pack(">HHHH", 50001, port, 8 + len(payload), 0) + payload
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                             bytes((10, 0, 0, 2)), bytes((10, 0, 0, 1)))
            packet = bytes(12) + b"\x08\x00" + ip + udp
            file.write(struct.pack("<IIII", i, 0, len(packet), len(packet)) + packet)


def make_capture(path, species, hashes, **where):
    object_id = 0x3FFFFFFF
    messages = [created(species, object_id)] + [
        updated(object_id, 10 + i, **({} if h is None else {"hash": h}))
        for i, h in enumerate(hashes)]
    write_capture(path, encoded(*(datagram(2, m) for m in messages)), **where)


def captures():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "game.pcap")
        make_capture(path, "Sovereign", [PREDICTION] * 3)
        code, out, err = run("--check", path)
        check("a captured hash equal to the prediction confirms the class", code == 0 and
              err == "" and "hash 0xAFEF in 3 updates, computed 0xAFEF: match" in out, out + err)
        rows = objects("--check", path, "sovereign")
        check("--check has stable keys in JSON", rows == [{
            "ship": "sovereign", "object_id": 0x3FFFFFFF, "peer_id": 2, "hash": PREDICTION,
            "updates": 3, "computed": PREDICTION, "match": True, "changed": False}], rows)
        code, out, err = run("--check", path, "akira")
        check("ships on the command line select the classes", code == 1 and out == "" and
              "no hash of these classes" in err, out + err)
        code, out, _ = run("--check", path, "--set", "sensors.sensor_range=1")
        check("settings are used in the comparison", code == 1 and "no match" in out, out)

        make_capture(path, "Sovereign", [0x7018] * 2)
        code, out, _ = run("--check", path)
        check("another hash kills the prediction", code == 1 and
              "hash 0x7018 in 2 updates, computed 0xAFEF: no match" in out and
              "starbase hash sovereign --expect 0x7018" in out, out)

        make_capture(path, "Sovereign", [PREDICTION, 0x1234])
        rows = objects("--check", path)
        check("a hash that changes is marked", len(rows) == 2 and
              all(row["changed"] for row in rows), rows)

        make_capture(path, "Sovereign", [None, None])
        code, out, err = run("--check", path)
        check("a capture without hashes is a negative answer", code == 1 and out == "" and
              "2 of them with an absolute position" in err, out + err)

        make_capture(path, "Sovereign", [PREDICTION], port=4000)
        check("other ports are not read", run("--check", path)[0] == 1)
        check("--port selects them", run("--check", path, "--port", "4000")[0] == 0 and
              run("--check", path, "-p", "any")[0] == 0)

        write_capture(path, encoded(datagram(2, updated(0x3FFFFFFF, 9, hash=5))))
        rows = objects("--check", path)
        check("a ship of unknown class is listed and not compared", len(rows) == 1 and
              rows[0]["ship"] is None and rows[0]["match"] is None and
              run("--check", path)[0] == 1, rows)

        with open(path, "w", encoding="utf-8") as file:
            file.write("no capture")
        code, out, err = run("--check", path)
        check("a file that is no capture is reported", code == 2 and path in err, err)
    code, out, err = run("--check", "/no/such.pcap")
    check("a missing capture is reported", code == 2 and "/no/such.pcap" in err, err)
    check("--check needs a file", run("--check")[0] == 2)
    code, out, err = run("--check", "x.pcap", "--expect", "1")
    check("--check excludes --expect", code == 2 and "cannot be combined" in err, err)
    code, out, err = run("--check", "x.pcap", "--port", "0")
    check("an impossible port is reported", code == 2 and "--port" in err, err)


# The inputs behind the names in docs/facts/integrity-inputs.csv.
FACT_PARTS = {"Sensor Array": ["sensors"], "Hull": ["hull"], "Torpedoes": ["torpedoes"],
              "Phasers": ["beams"], "Tractors": ["tractors"], "Warp Engines": ["warp"],
              "Repair": ["repair"], "Port and Star Impulse": ["impulse[0]", "impulse[1]"],
              "Port and Star Warp": ["warp[0]", "warp[1]"]}
FACT_FIELDS = {"range": "sensor_range", "disabled_percentage": "disabled_below"}
FLAGS = {"single_fire": (99, 0), "aimed": (487, 32)}  # integers of no and yes (spec 04 §5.3)


def fact_agrees(inputs, row):
    field, value = row["field"], row["value"]
    for side, part in enumerate(FACT_PARTS[row["part"]]):
        if field.startswith("type "):
            step = inputs[f"{part}.types[{field[5:]}].max_torpedoes"]
            wanted = float(value.split(" max ")[1])
        elif field == "position":
            x, y, z = (float(number.replace("-+", "")) for number in value.split())
            wanted = [-x, x][side]
            step = inputs[f"{part}.position[0]"]
            if any(abs(inputs[f"{part}.position[{i}]"]["value"] - v) > 1e-6
                   for i, v in ((1, y), (2, z))):
                return False
        else:
            step = inputs[f"{part}.{FACT_FIELDS.get(field, field)}"]
            wanted = float(value)
        if field in FLAGS:
            if step["adds"] != FLAGS[field][int(value)]:
                return False
        elif abs(step["value"] - wanted) > 1e-6:
            return False
        if row["evidence"] == "F" and step["origin"] == "assumed":
            return False
    return True


def facts():
    with open(os.path.join(ROOT, "docs", "facts", "integrity-inputs.csv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    steps_of = {}
    compared = 0
    for row in rows:
        key = row["ship"].lower()
        one = steps_of.setdefault(key, objects("-v", key)[0])
        check("a figure has the letter of its evidence", row["evidence"] in ("F", "I", "T"), row)
        if row["field"] == "captured_hash":
            check("a captured hash is in the ship's data", one["captured"] == int(row["value"], 16))
        elif row["part"] in FACT_PARTS and row["field"] != "probes":
            compared += 1
            inputs = {s["input"]: s for s in one["steps"]}
            check("a figure of the facts is an input of the hash", fact_agrees(inputs, row), row)
    check("nearly all figures are inputs of the hash", compared >= 50, compared)


def full_disk():
    """--explain writes more than a buffer holds, so that not only the last write fails."""
    for options in ((), ("--json",), ("--explain",)):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "hash", *options, "sovereign"], stdout=full,
                                    stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        check("output to a full disk is an error", result.returncode == 1 and
              b"starbase hash: cannot write" in result.stderr, (options, result))


for part in (ships, summary, steps, settings, expectations, files, explanations, captures, facts,
             full_disk):
    part()
finish()
