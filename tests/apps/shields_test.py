#!/usr/bin/env python3
"""tests/apps/shields_test.py -- both layouts of the shield generator on the command line.

Usage: shields_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
The capture of a host with the documented layout is made here, with `starbase encode`.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
CAPTURE = sys.argv[2] if len(sys.argv) > 2 else None
# Spec 03 §4: hull, shield generator, sensors, warp core and impulse engines of an Akira.
BLOCK = "1CFFFFFF3F00A01B422000FECCFD40FCF0FBFAF9F8"
# What a documented host sends the owner of an intact Sovereign: spec 03 §4.3.
BLOCKS = ["00FFFFFF40FFFFFFFFFFFF", "05FFFFFFFFFFFFFF40FF", "07FFFFFFFFFFFFFFFFFF20",
          "08FFFFFFFFFF40FFFFFF", "0AFFFFFFFF40FFFFFFFFFFFF"]
SOVEREIGN = ("0300020880 0000FFFFFF3F05000018420000 44C200000CC25293453FBBC922BFE25810B3258D6CB2"
             "000000000000000543616479 32064D756C746931FFFF64FFFFFFFFFFFFFF64FFFFFFFFFFFF64FFFFFFFF"
             "FFFFFF646000FF64FFFFFFFFFFFFFFFFFF6401FFFFFFFFFF6401FFFFFF64FF").replace(" ", "")


def run(*arguments, stdin=b"", command="decode"):
    result = subprocess.run([PROGRAM, command, *arguments], input=stdin, capture_output=True,
                            timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def encrypted(plain):
    """Returns the encrypted datagram."""
    _, line, _ = run("--json", "--layer", "plain", plain.hex())
    line = line.replace('"layer":"plain"', '"layer":"datagram"', 1)
    return bytes.fromhex(run(stdin=line.encode(), command="encode")[1])


def packet(number, payload, from_host):
    host, client = (b"\x0A\0\0\1", 22101), (b"\x0A\0\0\2", 4001)
    source, to = (host, client) if from_host else (client, host)
    udp = struct.pack(">HHHH", source[1], to[1], 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), number, 0, 64, 17, 0) + source[0] + to[0]
    frame = ip + udp
    return struct.pack("<IIII", 1000000 + number // 10, number % 10 * 100000, len(frame),
                       len(frame)) + frame


def state_update(number, block):
    message = bytes.fromhex("1CFFFFFF3F") + struct.pack("<fB", 20 + 0.1 * number, 0x20) + block
    return b"\x01\x01\x32" + struct.pack("<H", 3 + len(message)) + message


def make_capture(path, count):
    """Writes a capture: a Sovereign is created, then its owner receives `count` blocks in turn."""
    creation = bytes.fromhex(SOVEREIGN)
    plain = b"\x02\x01\x32" + struct.pack("<HH", 0x8000 | 5 + len(creation), 0) + creation
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))  # raw IP
        f.write(packet(0, encrypted(plain), False))
        for i in range(count):
            block = BLOCKS[i if i < 5 else 1 + (i - 1) % 4]
            f.write(packet(i + 1, encrypted(state_update(i, bytes.fromhex(block))), True))


def lone_units():
    _, out, _ = run("--json", "--species", "akira", "--shields", "documented", BLOCK)
    line = json.loads(out)
    entries = line["fields"]["entries"]
    check("a documented block is read as such", line["shields"] == "documented" and
          len(entries) == 5 and entries[1]["condition"]["code"] == 0xCC, out)
    check("a documented shield generator has no power and no facings",
          set(entries[1]) == {"subsystem", "condition"} and "has_power" in entries[2], out)
    check("encode gives the same bytes again",
          run(stdin=out.encode(), command="encode")[1] == BLOCK + "\n")
    del line["shields"]
    bare = json.dumps(line).encode()
    check("encode knows the layout from the line or from its option",
          run("--shields", "documented", stdin=bare, command="encode")[1] == BLOCK + "\n" and
          run(stdin=bare, command="encode")[1] != BLOCK + "\n")
    for choice in ([], ["--shields", "auto"], ["--shields", "stock"]):
        _, out, _ = run("--json", "--species", "akira", *choice, BLOCK)
        check("a message given as hex is read as stock by default",
              "shields" not in json.loads(out) and
              len(json.loads(out)["fields"]["entries"]) == 1, (choice, out))
    facings = json.dumps({"name": "StateUpdate", "species": 1, "shields": "documented", "fields": {
        "start_index": 1, "entries": [{"facings": {"code": [1, 2, 3, 4, 5, 6]}}]}})
    code, out, err = run(stdin=facings.encode(), command="encode")
    check("the documented layout refuses facings", code == 1 and out == "" and
          "fields.entries[0].facings" in err, err)


def usage():
    code, out, err = run("--shields", "nonsense", "13")
    check("decode reports an unknown layout", code == 2 and out == "" and "--shields" in err, err)
    code, out, err = run("--shields", "auto", command="encode")
    check("encode reports an unknown layout", code == 2 and out == "" and "--shields" in err, err)
    for wrong in ("nonsense", 1, True):
        code, out, err = run(stdin=json.dumps({"opcode": 0x13, "shields": wrong}).encode(),
                             command="encode")
        check("a line with an unknown layout is reported", code == 1 and "shields: not" in err, err)
    check("the help says that early blocks are read as stock",
          "reads stock before that" in run("--help")[1])


def captured(path):
    _, out, err = run("--json", "--filter", "opcode == StateUpdate", path)
    lines = [json.loads(line) for line in out.splitlines()]
    check("the layout is learned after a few blocks, which are read as stock",
          [line.get("shields") for line in lines] == [None] * 4 + ["documented"] * 8, err)
    check("later blocks decode completely", all("trailing" not in line["fields"]
                                                for line in lines[4:]), out)
    check("encode gives the same bytes for every line", run(stdin=out.encode(), command="encode")[1]
          .split() == [line["raw"] for line in lines])
    marked = [line for line in run(path)[1].splitlines() if "shields documented" in line]
    check("one line marks the change of layout", len(marked) == 1 and " 6 " in marked[0], marked)
    check("a tree marks the change of layout",
          run("-v", path)[1].count("shields documented from here on") == 1)
    for choice, expected in (("stock", None), ("documented", "documented")):
        _, out, _ = run("--json", "--filter", "opcode == StateUpdate", "--shields", choice, path)
        check("--shields applies to all blocks",
              {json.loads(line).get("shields") for line in out.splitlines()} == {expected}, out)
        check("--shields marks no change of layout",
              "shields documented" not in run("--shields", choice, path)[1])
    code = run("--strict", "--shields", "documented", path)[0]
    check("--strict passes only with the right layout", code == 0 and
          run("--strict", "--shields", "stock", path)[0] == 1)


def counted(path):
    _, out, _ = run("--stats", path)
    rows = [line.split() for line in out.splitlines() if line.startswith("  10.0.0.1:22101")]
    check("statistics have the layout of each sender",
          ["10.0.0.1:22101", "documented", "0", "3", "9", "0", "8"] in rows, out)
    for choice, read in (("auto", 8), ("stock", 0), ("documented", 12)):
        _, out, _ = run("--stats", "--json", "--shields", choice, path)
        shields = [s["shields"] for s in json.loads(out)["senders"] if "shields" in s]
        check("statistics report the evidence whatever layout is chosen", shields == [
            {"layout": "documented", "fit_stock": 0, "fit_documented": 3, "fit_both": 9,
             "fit_neither": 0, "read_documented": read}], (choice, shields))


def sample():
    senders = json.loads(run("--stats", "--json", CAPTURE)[1])["senders"]
    shields = [s["shields"] for s in senders if "shields" in s]
    check("all blocks of the sample are stock", len(shields) == 1 and
          shields[0]["layout"] == "stock" and shields[0]["fit_documented"] == 0 and
          shields[0]["fit_neither"] == 0 and shields[0]["fit_stock"] > 50, shields)
    check("the sample marks no change of layout", "shields" not in run(CAPTURE)[1])


lone_units()
usage()
with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "documented.pcap")
    make_capture(made, 12)
    captured(made)
    counted(made)
if CAPTURE:
    sample()
finish()
