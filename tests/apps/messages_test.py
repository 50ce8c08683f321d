#!/usr/bin/env python3
"""tests/apps/messages_test.py -- the behaviour of `starbase messages` on the command line.

Usage: messages_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import csv
import json
import pathlib
import subprocess
import sys

from checks import check, finish

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*arguments, command="messages", stdin=""):
    result = subprocess.run([PROGRAM, command, *arguments], input=stdin, capture_output=True,
                            text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def json_lines(*arguments):
    return [json.loads(line) for line in run("--json", *arguments)[1].splitlines()]


def listing():
    code, out, _ = run()
    lines = out.splitlines()
    rows = {line.split()[0]: line for line in lines if line.startswith("0x")}
    for opcode in ("0x04", "0x05", "0x24", "0x26"):
        check("unused opcodes are listed", "(unused)" in rows.get(opcode, ""), rows.get(opcode))
        check("and the list says what is known of them",
              any(line.startswith(f"- {opcode}: ") for line in lines), out[-800:])
    check("the boundary is listed", "ModMessage" in rows.get("0x2B", ""), rows.get("0x2B"))
    check("the boundary is explained", "- 0x2B: the boundary" in out, out[-800:])
    check("a restart is obeyed from the acting host", "acting host" in rows["0x39"], rows["0x39"])
    covered = []
    for row in json_lines():
        covered += range(row["opcode"], row["last_opcode"] + 1)
    check("the list covers every opcode once", code == 0 and covered == list(range(256)), covered)


def explanations():
    code, out, _ = run("0x04")
    check("a dead opcode is explained", code == 0 and "dead" in out and "Boot" in out, out)
    code, out, _ = run("ModMessage")
    check("ModMessage is explained", code == 0 and "mod" in out and "content" in out, out)
    code, out, _ = run("205")
    check("an opcode within a range is found", code == 0 and "0x42-0xFF" in out, out)
    code, out, _ = run("RESTART_GAME")
    check("a restart is explained", "acting host" in out and "lowest peer id" in out, out)
    code, out, err = run("StateUpdte")
    check("a misspelt name gets a suggestion", code == 2 and "did you mean `StateUpdate`" in err, err)
    code, out, err = run("0x100")
    check("an opcode is a byte", code == 2 and "unknown message `0x100`" in err, err)
    check("names and --markdown exclude each other", run("--markdown", "CHAT")[0] == 2)
    check("--json and --markdown exclude each other", run("--markdown", "--json")[0] == 2)


def names_that_decode_prints():
    """The names of one record per opcode, of transport messages and of other records."""
    names = set()
    for opcode in range(256):
        out = run("--json", f"{opcode:02X}00000000000000000000", command="decode")[1]
        names |= {json.loads(line)["name"] for line in out.splitlines()}
    for kind in range(8):
        out = run("--json", "--layer", "transport", f"{kind:02X}06C0000001", command="decode")[1]
        names |= {json.loads(line)["name"] for line in out.splitlines()}
    for layer, text in (("plain", "0100"), ("gamespy", "5C7374617475735C")):
        out = run("--json", "--layer", layer, text, command="decode")[1]
        names |= {json.loads(line)["name"] for line in out.splitlines()}
    check("decode printed many names", len(names) > 55, sorted(names))
    for name in sorted(names):
        code, out, err = run(name)
        check("messages knows each name that decode prints", code == 0 and out, (name, err))


def class_ids():
    code, out, _ = run("--ids")
    text = {line.split()[0]: line for line in out.splitlines()}
    rows = [json.loads(line) for line in run("--ids", "--json")[1].splitlines()]
    by_id = {row["class_id"]: row for row in rows}
    check("class ids are in order", [r["class_id"] for r in rows] == sorted(by_id), rows)
    for fact in csv.DictReader(open(ROOT / "docs/facts/class_ids.csv")):
        row = by_id.get(int(fact["class_id"], 16), {})
        check("each class id of the facts is printed", row.get("kind") == fact["kind"] and
              fact["name"].startswith(row.get("name", "?")), (fact, row))
        check("also as text", fact["kind"] in text.get(fact["class_id"], ""), fact)
    check("--ids takes no names", run("--ids", "CHAT")[0] == 2)
    event = json.loads(run("--json", "06" "1F800000" "E1008000" "00000000" "00000000",
                           command="decode")[1])
    check("decode --json names a class id", event["fields"].get("class_name") == "phaser system",
          event)
    back = run(stdin=json.dumps(event), command="encode")[1].strip()
    check("encode accepts the name", back == event["raw"], back)
    event["fields"]["class_name"] = "hull"
    code, _, err = run(stdin=json.dumps(event), command="encode")
    check("a name that contradicts the id is refused", code == 1 and "class_name" in err, err)
    tree = run("-v", event["raw"], command="decode")[1]
    check("decode -v has the name beside the number", "0x0000801F  phaser system" in tree and
          "class_name" not in tree, tree)
    check("event code E1 has a name", "REPAIR_LIST_PRIORITY_E1" in tree, tree)
    dump = run("-x", event["raw"], command="decode")[1]
    check("so has the hexdump", "phaser system" in dump and "class_name" not in dump, dump)


listing()
explanations()
names_that_decode_prints()
class_ids()
finish()
