#!/usr/bin/env python3
"""tests/apps/define_test.py -- messages of mods, defined with --define FILE.

Usage: define_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
EXAMPLE = str(pathlib.Path(__file__).resolve().parents[2] / "examples/mod_messages.lua")
WARP = "CD 07 00 00 40 05 00 68 65 6C 6C 6F"
FLEET = "CE 02 FF FF 03 40 00 00 C0 3F 02 01 00 00 40 FF 02 00 00 40 80"


def run(command, *arguments, stdin="", define=EXAMPLE):
    options = ["--define", define] if define else []
    result = subprocess.run([PROGRAM, command, *options, *arguments], input=stdin,
                            capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def undefined():
    _, out, _ = run("decode", WARP, define=None)
    check("a line shows the texts in an undefined message", "content=07 00" in out and
          "text=hello" in out, out)
    _, out, _ = run("decode", "-v", WARP, define=None)
    check("so does the tree", "hello" in out.split("content")[1], out)
    line = run("decode", "--json", WARP, define=None)[1]
    check("and JSON", json.loads(line)["fields"]["text"] == "hello", line)
    back = run("encode", stdin=line, define=None)[1].split()
    check("which encodes to the same bytes", back == [WARP.replace(" ", "")], back)


def defined():
    _, out, _ = run("decode", WARP)
    check("a line shows the fields", "WARP_CORE" in out and "ship=0x40000007" in out and
          'text="hello"' in out, out)
    _, out, _ = run("decode", "-v", FLEET)
    check("the tree shows lists and conditional fields", "FLEET" in out and "target" in out and
          "1.5" in out and "[1]" in out, out)
    for text in (WARP, FLEET, "CE 00 01 01 00 00 40 00", WARP + "AA BB", "CD 07", "CD"):
        line = run("decode", "--json", text)[1]
        back = run("encode", stdin=line)[1].split()
        check("JSON encodes to the same bytes", back == [text.replace(" ", "")], (text, line, back))
    line = run("decode", "--json", FLEET)[1]
    fields = json.loads(line)["fields"]
    check("JSON has the name and the fields", json.loads(line)["name"] == "FLEET" and
          fields["mode"] == 2 and len(fields["ships"]) == 2 and "content" not in fields, line)
    code, out, err = run("encode", stdin='{"name":"WARP_CORE","fields":{"ship":1073741831,"text":"hello"}}')
    check("a line by hand needs only name and fields", out.split() == [WARP.replace(" ", "")], err)
    code, out, err = run("encode", stdin='{"name":"WARP_CORE","fields":{"shop":1}}')
    check("a wrong field is refused with a suggestion", code == 1 and '"ship"' in err, err)
    code, _, err = run("encode", stdin='{"name":"WARP_CORE","fields":{"ship":1}}', define=None)
    check("without the definition the name is unknown", code == 1, err)


def misfits():
    _, out, _ = run("decode", "CD 07 00 00 40 09 00 68 65 6C 6C 6F")
    check("bytes that do not fit are shown as before, with the reason", "content=07" in out and
          "misfit=not as WARP_CORE is defined: text at offset 5" in out, out)
    line = run("decode", "--json", "CD 07 00 00 40 09 00 68 65 6C 6C 6F")[1]
    back = run("encode", stdin=line)[1].split()
    check("and encode to the same bytes", back == ["CD070000400900" "68656C6C6F"], (line, back))


def filters():
    both = [WARP, FLEET]
    for text, count in (("name == WARP_CORE", 1), ("opcode == warp_core", 1), ("opcode == FLEET", 1),
                        ("ship == 0x40000007", 1), ("text ~ hell", 1), ("ships.hull < 0.6", 1),
                        ("mode == 2 and speed > 1", 1), ("opcode == 0xCD or mode", 2),
                        ("misfit", 0)):
        code, out, err = run("decode", "-F", text, *both)
        check("filters know messages and fields", code == 0 and out.count("\n") == count,
              (text, out, err))
    code, _, err = run("decode", "-F", "opcode == WARP_COR", *both)
    check("a misspelt message is an error", code == 2, err)
    code, out, err = run("decode", "-f", "name,ship,text", WARP)
    check("columns know fields", code == 0 and "WARP_CORE" in out and "hello" in out, (out, err))
    code, _, err = run("decode", "-F", "ships.hull < 1", *both, define=None)
    check("without the definition the field is unknown", code == 2, err)
    check("--define may follow the filter", run("decode", "-F", "opcode == FLEET", "--define",
          EXAMPLE, *both, define=None)[0] == 0)


def statistics():
    _, out, _ = run("decode", "--stats", WARP, FLEET)
    check("statistics have the names", "0xCD WARP_CORE" in out and "0xCE FLEET" in out, out)
    _, out, _ = run("decode", "--stats", "--json", WARP)
    check("also as JSON", '"name":"WARP_CORE"' in out, out)


def messages():
    code, out, _ = run("messages")
    check("the list has the defined messages", "0xCD       WARP_CORE" in out and
          "0x42-0xCC  ModMessage" in out, out)
    code, out, _ = run("messages", "WARP_CORE")
    check("messages explains a defined message", code == 0 and "lstr16" in out, out)
    fleet = json.loads(run("messages", "--json", "FLEET")[1])
    by_name = {f["name"]: f for f in fleet["fields"]}
    check("and describes it for programs", by_name["target"]["when"] ==
          [[{"field": "mode", "op": "is", "values": [1, 2]}]] and
          by_name["ships"]["count"] == "ships_count" and
          [f["name"] for f in by_name["ships"]["item"]["fields"]] == ["ship", "hull"], fleet)
    code, _, err = run("messages", "WARP_CORR")
    check("a misspelt name gets a suggestion", code == 2 and "WARP_CORE" in err, err)


def wrong_files():
    with tempfile.TemporaryDirectory() as folder:
        wrong = pathlib.Path(folder, "mod.lua")
        wrong.write_text('return { { type = 0xCD, name = "A", fields = { { "x", "lst16" } } } }')
        for command in ("decode", "encode", "messages"):
            code, out, err = run(command, define=str(wrong))
            check("a wrong file is refused with file, key, reason and suggestion", code == 2 and
                  not out and "mod.lua: [1].fields[1].kind" in err and "`lstr16`" in err, err)
        code, _, err = run("decode", WARP, define=str(wrong) + ".gone")
        check("a missing file is named", code == 2 and "mod.lua.gone" in err, err)
        wrong.write_text("os.execute('echo hello')")
        check("a file runs in a sandbox", run("decode", WARP, define=str(wrong))[0] == 2)
    for command in ("decode", "encode", "messages"):
        check("--help names --define", "--define FILE" in run(command, "--help", define=None)[1])


undefined()
defined()
misfits()
filters()
statistics()
messages()
wrong_files()
finish()
