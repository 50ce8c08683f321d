#!/usr/bin/env python3
"""tests/apps/decode_test.py -- the behaviour of `starbase decode` on the command line.

Usage: decode_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import fcntl
import gzip
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import zlib

import child
from checks import check, finish

PROGRAM = sys.argv[1]
CAPTURE = sys.argv[2] if len(sys.argv) > 2 else None
STATE = ("1CFFFFFF3F0080E1419D0000B042000084C2000092C22137FB0B684630BB5E000001CC02CC04CC")
CHAT = "2C 02 00 00 00 05 00 68 65 6C 6C 6F"


def run(*arguments, stdin=b"", command="decode"):
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    result = subprocess.run([PROGRAM, command, *arguments], input=stdin, capture_output=True,
                            env=environment, timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def run_on_terminal(*arguments, environment=None, columns=0):
    """Returns what the program prints if stdout is a terminal."""
    master, slave = pty.openpty()
    if columns:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = child.start([PROGRAM, "decode", *arguments], stdout=slave,
                          stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm",
                                                         **(environment or {})})
    os.close(slave)
    text = b""
    try:
        while chunk := os.read(master, 4096):
            text += chunk
    except OSError:
        pass
    process.wait()
    os.close(master)
    return text.decode()


def hex_operands():
    for form in ([STATE], [STATE[i:i + 2] for i in range(0, len(STATE), 2)],
                 [":".join(STATE[i:i + 2] for i in range(0, len(STATE), 2))],
                 [STATE[:10] + " " + STATE[10:]]):
        code, out, err = run("--json", *form)
        check("hex may be joined, split and separated", code == 0 and
              out.count("\n") == 1 and json.loads(out)["raw"] == STATE, (form, out, err))
    code, out, _ = run("--json", STATE, CHAT)
    check("each operand is a unit", out.count("\n") == 2, out)
    code, out, err = run("1C1")
    check("half a byte is reported",
          code == 2 and out == "" and "odd number of hex digits" in err, err)
    code, out, err = run("no-such-file")
    check("a missing file is reported", code == 2 and "no-such-file: No such file" in err, err)


def lines_on_stdin():
    text = f"# comment\n\n{CHAT} # trailing\nxyz\n13\n".encode()
    code, out, err = run("--json", stdin=text)
    names = [json.loads(line)["name"] for line in out.splitlines()]
    check("lines are units, comments and blanks are not", names == ["CHAT", "HostMsg"], out)
    check("a bad line is reported with its number",
          code == 2 and "stdin, line 4: not hex" in err, err)


def files():
    with tempfile.TemporaryDirectory() as folder:
        raw, text, query = (os.path.join(folder, n) for n in ("raw", "text", "query"))
        with open(raw, "wb") as f:
            f.write(bytes.fromhex(STATE))
        with open(text, "w") as f:
            f.write(f"{CHAT}\n{STATE}\n")
        with open(query, "wb") as f:
            f.write(b"\\status\\")
        code, out, err = run("--json", text)
        kinds = [json.loads(line)["name"] for line in out.splitlines()]
        check("a file of hex is recognised", kinds == ["CHAT", "StateUpdate"], out + err)
        code, out, err = run("--json", "--raw", raw, query)
        kinds = [json.loads(line)["name"] for line in out.splitlines()]
        check("raw files are messages or queries", kinds == ["StateUpdate", "GameSpy"], out + err)
        code, out, err = run("--json", "--raw", text)
        check("--raw reads a file as raw bytes", json.loads(out)["raw"].startswith("3243"), out)


def layers():
    plain = "0103010500000232 08001DFFFFFF3F"
    _, out, _ = run("--json", "--layer", "plain", plain)
    line = json.loads(out)
    inner = line["fields"]["messages"][2]["message"]
    check("a datagram shows the messages in it", inner["name"] == "ObjectNotFound" and
          inner["fields"]["object_id"] == 0x3FFFFFFF, out)
    _, out, _ = run("--layer", "plain", plain)
    check("lines show each message", out.count("\n") == 3, out)
    code, _, err = run("--layer", "nonsense", "13")
    check("a wrong layer is reported", code == 2 and "--layer" in err, err)
    _, out, _ = run("--json", "5C7374617475735C")
    check("5C begins a query", json.loads(out)["layer"] == "gamespy", out)


def context():
    subsys = "1CFFFFFF3F0000E141200 0FFFF64FFFFFFFFFFFF".replace(" ", "")
    _, out, _ = run("--json", subsys)
    check("without a ship the block is bytes", "block" in json.loads(out)["fields"], out)
    for species in ("1", "Akira", "akira"):
        _, out, _ = run("--json", "--species", species, subsys)
        line = json.loads(out)
        check("with a ship it is entries", line["species"] == 1 and
              line["fields"]["entries"][0]["subsystem"] == "Hull", out)
    code, _, err = run("--species", "borg", subsys)
    check("an unknown ship is reported with the known ones", code == 2 and "1=akira" in err, err)


def verdicts():
    check("a refusal is not a failure", run("1C0001")[0] == 0)
    check("with --strict a refusal is a failure", run("--strict", "1C0001")[0] == 1)
    check("--strict passes valid bytes", run("--strict", STATE)[0] == 0)
    check("--strict looks into datagrams",
          run("--strict", "--json", "--layer", "plain", "0101320500 1CFF")[0] == 1)
    line = json.loads(run("--json", "1C0001")[1])
    check("a refusal has reason, offset and bytes", line["ok"] is False and line["offset"] == 1 and
          line["undecoded"] == "0001" and line["error"].startswith("TRUNCATED"), line)


def selections():
    text = "\n".join([STATE, CHAT, "13", CHAT]).encode()
    _, out, _ = run("--filter", "opcode == CHAT and text ~ ell", "--fields", "number,text",
                    stdin=text)
    check("filter and fields", out == '2\t"hello"\n4\t"hello"\n', out)
    _, out, _ = run("--count", "2", "--fields", "name", stdin=text)
    check("count", out == "StateUpdate\nCHAT\n", out)
    code, _, err = run("--filter", "opcode == Chatt", "13")
    check("a mistake in a filter is shown with a caret",
          code == 2 and "\n  opcode == Chatt\n            ^\n" in err, err)
    for option in ("--filter", "--fields"):
        code, out, err = run(option, "objekt_id", STATE)
        check("an unknown name is an error with a suggestion", code == 2 and out == "" and
              "no message has a field `objekt_id`; did you mean `object_id`?" in err, err)
    code, out, err = run("--filter", "position", "--fields", "text", CHAT, STATE)
    check("a known name that no record has is a warning", code == 0 and
          "no record printed has a field `text`" in err, err)


def what_tshark_users_try():
    code, out, err = run("-f", "time,nosuch", STATE)
    check("-f time,nosuch", code == 2 and out == "" and "`nosuch`" in err and
          "starbase messages" in err, err)
    for expression, wanted in (('text contains "x"', 0), ('text contains "ell"', 1),
                               ('text contains "ell" && !reliable', 1),
                               ('text matches "^h.llo$" || opcode == 1', 1),
                               ('!(text matches "z")', 2), ('opcode eq CHAT', 1)):
        code, out, err = run("-F", expression, CHAT, STATE)
        check("words and signs of tshark", code == 0 and out.count("\n") == wanted,
              (expression, out, err))
    code, out, err = run("-F", 'text contains "ell', CHAT)
    check("an open quote is an error", code == 2 and "never closed" in err, err)
    code, out, err = run("-F", 'nosuch contains "x"', CHAT)
    check("an unknown name with contains is an error", code == 2 and "`nosuch`" in err, err)


def headers():
    _, out, _ = run("-f", "name,text", CHAT)
    check("a pipe gets the values alone", out == 'CHAT\t"hello"\n', out)
    _, out, _ = run("--header", "-f", "name,text", CHAT)
    check("--header names the columns", out == 'name\ttext\nCHAT\t"hello"\n', out)
    _, out, _ = run("--header", "-f", "name,text", "-F", "opcode == 1", CHAT)
    check("the header is there without records", out == 'name\ttext\n', out)
    check("a terminal gets a header", run_on_terminal("-f", "name", CHAT).split() ==
          ["name", "CHAT"])
    check("--no-header on a terminal", run_on_terminal("--no-header", "-f", "name", CHAT).split() ==
          ["CHAT"])
    code, out, err = run("--header", CHAT)
    check("--header needs --fields", code == 2 and out == "" and "--fields" in err, err)


def schema():
    line = json.loads(run("--json", CHAT)[1])
    check("JSON lines have a schema", line["schema"] == "starbase.decode/1" and
          list(line)[0] == "schema", line)
    check("statistics have a schema", json.loads(run("--stats", "--json", CHAT)[1])["schema"] ==
          "starbase.decode-stats/1")
    code, out, _ = run(stdin=json.dumps(line).encode(), command="encode")
    check("encode accepts it", code == 0 and out.strip() == CHAT.replace(" ", ""), out)
    line["schema"] = "starbase.decode/2"
    code, out, err = run(stdin=json.dumps(line).encode(), command="encode")
    check("encode refuses another schema", code != 0 and "schema" in err, (code, err))


def forms():
    _, out, _ = run("-v", STATE)
    check("a tree has published names",
          "[POSITION_ABSOLUTE]" in out and "WEAPON_STATES" in out, out)
    _, out, _ = run("-x", STATE)
    check("a hexdump has bytes beside names", "FF FF FF 3F               object_id" in out, out)
    _, out, _ = run("--stats", STATE)
    check("statistics count", "StateUpdate" in out, out)
    _, out, _ = run("--stats", "--json", STATE)
    check("statistics are JSON too", isinstance(json.loads(out), dict), out)


def usage():
    for command in ("decode", "encode"):
        code, out, err = run("--help", command=command)
        check("help goes to stdout", code == 0 and out.startswith("Usage:") and err == "", err)
    check("starbase help decode",
          run("decode", command="help")[1].startswith("Usage: starbase dec"))
    check("version", run(command="version")[1].startswith("starbase "))
    code, out, err = run(command="nonsense")
    check("an unknown command is reported", code == 2 and out == "" and "nonsense" in err, err)
    for wrong in (["--nonsense"], ["--port", "x"], ["--count", "0"], ["--color", "x"],
                  ["--from", "x"], ["--fields", "name,,size"], ["--json=1"], ["-Q"]):
        code, out, err = run(*wrong, "13")
        check("bad usage exits with 2 and a hint", code == 2 and out == "" and
              err.startswith("starbase decode: "), (wrong, code, err))


def colours():
    check("no colours in a pipe", "\033" not in run(STATE)[1])
    check("colours when asked for", "\033" in run("--color=always", STATE)[1])
    check("colours on a terminal", "\033" in run_on_terminal(STATE))
    check("no colours with NO_COLOR",
          "\033" not in run_on_terminal(STATE, environment={"NO_COLOR": "1"}))
    check("no colours with --color=never", "\033" not in run_on_terminal("--color=never", STATE))


def round_trips():
    text = "\n".join([STATE, CHAT, "1C0001", "5C7374617475735C", "FF01020304"]).encode()
    code, out, _ = run("--json", stdin=text)
    code, back, err = run(stdin=out.encode(), command="encode")
    wanted = [line.replace(" ", "") for line in text.decode().split("\n")]
    check("encode gives the bytes that decode was given", back.split() == wanted, (back, err))


def broken_datagrams():
    code, out, _ = run("--strict", "--layer", "plain", "--json", "020201000000770102")
    line = json.loads(out)
    check("an unknown type is not ok", code == 1 and line["ok"] is False and line["offset"] == 6 and
          line["name"] == "Datagram" and line["undecoded"] == "770102", out)
    check("the messages before it are shown", line["fields"]["messages"] ==
          [{"type": 1, "seq": 0, "flags": 0}], out)
    check("encode gives the same bytes again",
          run(stdin=out.encode(), command="encode")[1] == "020201000000770102\n")
    opaque = "1CFFFFFF3F0000E14120" + "00FFFF64FFFFFFFFFFFF"
    check("--strict agrees with --stats about opaque bytes", run("--strict", opaque)[0] == 1 and
          run("--strict", "--species", "1", opaque)[0] == 0 and
          "opaque" in run("--stats", opaque)[1])


def options_together():
    check("-v and -x go together", "[dirty flags" in run("-v", "-x", STATE)[1])
    for wrong in (["--json", "-v"], ["--json", "--fields", "name"], ["--stats", "--fields", "name"],
                  ["--stats", "-x"]):
        code, out, err = run(*wrong, STATE)
        check("forms that exclude each other are refused", code == 2 and out == "" and
              "cannot be combined" in err, (wrong, err))
    text = "\n".join([STATE, CHAT, "13"]).encode()
    _, out, _ = run("-F", "size < 20", "-F", "opcode != HostMsg", "-f", "name,raw", stdin=text)
    check("filters add up, raw is hex", out == "CHAT\t" + CHAT.replace(" ", "") + "\n", out)
    code, _, err = run("-F", "opcode == 300", "13")
    check("an impossible opcode is reported", code == 2 and "255" in err, err)
    _, _, err = run("-F", "opcode == CHAT and position", STATE, CHAT)
    check("a warning does not claim more than was searched", "in the input" not in err, err)


def odd_inputs():
    code, out, err = run(stdin=b"")
    check("empty input is reported", code == 0 and out == "" and "nothing to decode" in err, err)
    _, out, err = run("--fields", "name", stdin=b"\xEF\xBB\xBF13\n")
    check("a byte order mark is skipped", out == "HostMsg\n", err)
    code, out, err = run(stdin=b"\x1F\x8B\x08\x00rest")
    check("a damaged archive is reported", code == 2 and out == "" and
          "the gzip data is cut off after byte 8 (0 bytes unpacked)" in err, err)
    header = bytes.fromhex("D4C3B2A1 02000400 00000000 00000000 FFFF0000 01000000")
    code, out, err = run(stdin=header)
    check("a capture without packets is reported", out == "" and "has no packets" in err, err)


def write_file(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(content)
    return path


def wrong_files():
    """A file that is no capture and no hex is an error, named with the way out."""
    readme = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")
    with open(readme, "rb") as f:
        text = f.read()
    noise = bytes((i * 89 + 7) % 256 for i in range(4096))
    packed = gzip.compress(text)
    contents = {"README.md": text, "rnd.bin": noise, "words": b"add bad\n", "README.gz": packed,
                "raw.bin": bytes.fromhex(STATE), "query": b"\\status\\", "x.tar": bytes(1024),
                "long": b"00" * (1 << 20), "half": STATE[:-1].encode()}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            path = write_file(folder, name, content)
            for code, out, err in (run(path), run("--json", stdin=content), run("--stats", path)):
                check("a file of no known kind is an error", code == 2 and err.count("\n") == 1 and
                      "neither a capture" in err and "--raw" in err and
                      (out == "" or "StateUpdate" not in out), (name, code, err))
            code, out, err = run("--raw", path)
            check("--raw decodes its bytes", code == 0 and out.count("\n") == 1, (name, code, err))
        empty = write_file(folder, "empty", b"")
        code, out, err = run(empty)
        check("an empty file is an error", code == 2 and out == "" and "an empty file" in err, err)
        code, out, err = run(folder)
        check("a directory is an error", code == 2 and out == "" and "a directory" in err, err)
        late = write_file(folder, "late", b"13\nhello world\n")
        code, out, err = run(late)
        check("a wrong line after hex is reported by its number", code == 2 and "HostMsg" in out and
              "late, line 2: not hex" in err, (out, err))


def packed_captures():
    with open(CAPTURE, "rb") as f:
        plain = f.read()
    wanted = run("--json", CAPTURE)
    packings = [("gzip", gzip.compress(plain))]
    if shutil.which("zstd"):
        result = subprocess.run(["zstd", "-q", "-c"], input=plain, capture_output=True, check=True)
        packings.append(("zstd", result.stdout))
    with tempfile.TemporaryDirectory() as folder:
        for name, packed in packings:
            path = write_file(folder, "no-suffix", packed)
            for got in (run("--json", path), run("--json", stdin=packed)):
                check("a packed capture opens as it is", got == wanted, (name, got[2]))
            lines = write_file(folder, "lines", gzip.compress(CHAT.encode()))
            check("packed hex, too", "hello" in run(lines)[1])
            path = write_file(folder, "cut", packed[:-3])
            code, out, err = run("--json", path)
            check("a cut archive gives its packets and says how far it is sound",
                  code in (1, 2) and f"{name} data is cut off after byte {len(packed) - 3} (" in err
                  and wanted[1].startswith(out), (name, code, err))
        spoilt = bytearray(packings[0][1])
        spoilt[-8] ^= 0xFF # the checksum
        code, out, err = run("--json", write_file(folder, "spoilt", bytes(spoilt)))
        check("damage is reported with its place", code == 1 and "gzip data is damaged at" in err
              and "bytes unpacked" in err, (code, err))
    with tempfile.NamedTemporaryFile(suffix=".gz") as bomb: # 400 MB of empty packets
        header = bytes.fromhex("D4C3B2A1 02000400 00000000 00000000 FFFF0000 01000000")
        piece = zlib.compressobj(9, zlib.DEFLATED, 31)
        bomb.write(piece.compress(header))
        for _ in range(400):
            bomb.write(piece.compress(bytes(1 << 20)))
        bomb.write(piece.flush())
        bomb.flush()
        process = child.start([PROGRAM, "decode", "--stats", bomb.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        _, status, usage_ = os.wait4(process.pid, 0)
        check("a bomb is streamed", status == 0 and usage_.ru_maxrss < 200000, # kB
              (status, usage_.ru_maxrss))


def wait_until_idle(process, number):
    """Waits until the program handles the signal, has read all its input and sleeps; no timeout."""
    for _ in range(2000):
        with open(f"/proc/{process.pid}/status") as f:
            status = dict(line.split(":", 1) for line in f)
        caught = int(status["SigCgt"], 16) >> (number - 1) & 1
        left = struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)))[0]
        if caught and left == 0 and status["State"].split()[0] == "S":
            return
        time.sleep(0.01)


def interrupted(number):
    process = child.start([PROGRAM, "decode"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    process.stdin.write(b"13\n")
    process.stdin.flush()
    wait_until_idle(process, number)
    process.send_signal(number)
    out, err = process.stdout.read(), process.stderr.read()
    return process.wait(), out, err


def signals():
    for number, wanted in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
        code, out, err = interrupted(number)
        check("records read before a signal are printed", code == wanted and b"HostMsg" in out and
              err == b"", (number, code, out, err))


def endless_blank_lines():
    """A packed file can hold gigabytes of them."""
    process = child.start([PROGRAM, "decode"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    for _ in range(4):
        process.stdin.write(b"\n" * 65536)  # the program catches signals before it reads
    process.send_signal(signal.SIGINT)
    try:
        for _ in range(2000):
            process.stdin.write(b"\n" * 65536)
        ended = False
    except BrokenPipeError:
        ended = process.wait() == 130
    process.kill()
    check("a signal ends decode also between blank lines", ended)


def cut_capture():
    with open(CAPTURE, "rb") as f:
        data = f.read()
    at, parts = 24, [data[:24]]
    while at < len(data):
        size, = struct.unpack("<I", data[at + 8:at + 12])
        kept = size if len(parts) != 10 else size - 1
        parts.append(data[at:at + 8] + struct.pack("<II", kept, size) +
                     data[at + 16:at + 16 + kept])
        at += 16 + size
    text = b"".join(parts)
    code, _, err = run("--strict", "--stats", stdin=text)
    check("packets that were cut off are reported and fail --strict", code == 1 and
          "1 cut off by the capture" in err, (code, err))
    line = json.loads(run("--stats", "--json", stdin=text)[1])
    check("statistics count packets that were cut off",
          line["skipped"] == {"cut off by the capture": 1}, line["skipped"])


def documented_keys():
    """docs/decode.md lists every key of a line."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "decode.md")
    with open(page, encoding="utf-8") as f:
        text = f.read()
    keys = {key for line in run("--json", CAPTURE, CAPTURE)[1].splitlines()
            for part in (json.loads(line),) for key in [*part, *part.get("transport", {})]}
    keys |= set(json.loads(run("--json", "1C0001")[1]))
    missing = [key for key in keys if f"`{key}`" not in text and f"{key}," not in text]
    check("docs/decode.md lists every key", missing == [], missing)


def names_of_objects():
    """Lines show ids as people know them; -v adds the number; columns and JSON keep it."""
    torpedo = ("-F", "opcode == TorpedoFire", "-n", "1", CAPTURE)
    out = run(*torpedo)[1]
    check("lines name weapons, ships and players", "C2:Cady2>S " in out and
          "tube=Cady2/Torpedo tube 2  " in out and "target=Kira/Akira  " in out and
          "0x4000" not in out, out)
    out = run("-v", *torpedo)[1]
    check("-v shows the number and the name", "C2:Cady2>S" in out and
          "0x40000007  Cady2/Torpedo tube 2 (Forward Torpedo 2)" in out and
          "0x4003FFFF  Kira/Akira" in out, out)
    out = run("-x", *torpedo)[1]
    check("-x shows the number and the name", re.search(
        r"^0001  07 00 00 40 +tube +0x40000007  Cady2/Torpedo tube 2 \(Forward Torpedo 2\)$", out,
        re.MULTILINE), out)
    check("columns keep numbers", run("-f", "tube,target", *torpedo)[1] ==
          "0x40000007\t0x4003FFFF\n")
    fields = json.loads(run("--json", *torpedo)[1])["fields"]
    check("JSON keeps numbers", (fields["tube"], fields["target"]) == (0x40000007, 0x4003FFFF))
    out = run("-F", "opcode == CHAT or opcode == SCORE_CHANGE", CAPTURE)[1]
    check("peer ids are names", "sender=Cady2" in out and "killer=Kira" in out and
          "victim=Cady2" in out and "S>C3:Kira" in out, out)
    for name, number in (('target == "kira/akira"', "target == 0x4003FFFF"),
                         ('target contains akira', "target == 0x4003FFFF"),
                         ('tube matches "^Cady2/Torpedo tube [0-9]"', "tube == 0x40000007"),
                         ('tube contains "Forward Torpedo 2"', "tube == 0x40000007"),
                         ("sender == Cady2", "sender == 2"),
                         ("sender != Kira and name == CHAT", "sender == 2"),
                         ("not killer != Kira and killer", "killer == 3")):
        for form in ((), ("--json",)):
            found = run("-F", name, *form, CAPTURE)
            check("a filter knows the names of ids", found[0] == 0 and found[1] != "" and
                  found[1] == run("-F", number, *form, CAPTURE)[1], (name, found))
    for name in ("target == Nobody", "target < Kira"):
        code, out, err = run("-F", name, CAPTURE)
        check("a name that no id has gives a warning", out == "" and
              "`target` has no value named" in err, (name, code, out, err))
    out = run_on_terminal("--color=never", "-F", "opcode == StateUpdate and position", "-n", "1",
                          CAPTURE, columns=100)
    check("100 columns show flags and motion of a StateUpdate", len(out.rstrip()) <= 100 and
          "Cady2>S" in out and "POS|FWD|UP|SPEED|POWER  pos=(38,-49,-35)" in out, out)
    out = run_on_terminal("--color=never", "-F", "delta", "-n", "20", CAPTURE, columns=100)
    check("and of one without a position", all("DELTA|" in line and "delta=(" in line
                                               for line in out.splitlines()), out)
    out = run(STATE)[1]
    check("hex has no names", "object_id=0x3FFFFFFF" in out, out)


def several_captures():
    once = run("--json", CAPTURE)[1].count("\n")
    _, out, _ = run("--fields", "number,file", CAPTURE, CAPTURE)
    check("numbers continue over several captures",
          out.splitlines()[once] == f"{once + 1}\t{CAPTURE}", out[:200])
    check("lines have a heading", f"== {CAPTURE} ==" in run("-n", "1", CAPTURE, CAPTURE)[1])
    _, out, _ = run("--filter", "retransmission and type == Ack", CAPTURE)
    check("repeated Acks are no retransmissions", out == "" and
          run("--filter", "repeated", CAPTURE)[1] != "", out[:200])
    _, out, _ = run("--filter", "opcode == ConnectAckMessage or name == ObjCreateTeam", CAPTURE)
    check("published names select", "PlayerObjectCreate" in out, out[:200])


def stderr_on_terminal(arguments, stdout):
    """Starts decode with stderr on a terminal, keeps it waiting for longer than the second after
    which it shows its progress, and returns what the terminal got. `stdout` is the terminal, too,
    or a pipe; nothing is read from it in that second, so the program cannot end before."""
    master, slave = pty.openpty()
    process = child.start([PROGRAM, "decode", *arguments], stdin=subprocess.DEVNULL, stderr=slave,
                          stdout=slave if stdout == "terminal" else subprocess.PIPE)
    os.close(slave)
    text = os.read(master if stdout == "terminal" else process.stdout.fileno(), 1)
    time.sleep(1.2)
    if stdout != "terminal":
        process.stdout.read()
        text = b""
    try:
        while chunk := os.read(master, 65536):
            text += chunk
    except OSError:
        pass
    os.close(master)
    return process.wait(), text.decode()


def progress():
    with tempfile.TemporaryDirectory() as folder:
        big = os.path.join(folder, "big.pcap")
        tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/make-big-capture")
        subprocess.run([tool, "2", big, CAPTURE], stdout=subprocess.DEVNULL, check=True)
        code, text = stderr_on_terminal(["--json", big], "pipe")
        shown = re.match(r"\r *(\d+) % of 2 MB, \d+ messages, \d+/s\033\[K", text)
        check("on a terminal decode shows its progress", code == 0 and shown, (code, text))
        check("and removes the line at the end", text.endswith("\r\033[K") and "\n" not in text, text)
        code, text = stderr_on_terminal([big], "terminal")
        check("between lines on the same terminal there is no progress",
              code == 0 and "\n" in text and " MB, " not in text and "\033[K" not in text, text[-200:])


def captures():
    code, out, err = run("--json", CAPTURE)
    lines = [json.loads(line) for line in out.splitlines()]
    check("a capture decodes", code == 0 and len(lines) > 0 and err == "", err)
    check("lines have time and addresses",
          all("time" in line and "from" in line and "to" in line for line in lines))
    with open(CAPTURE, "rb") as f:
        piped = run("--json", stdin=f.read())
    check("a capture may come through a pipe", piped[1] == out, piped[2])
    code, back, err = run(stdin=out.encode(), command="encode")
    check("encode gives the same bytes for every line of a capture",
          back.split() == [line["raw"] for line in lines], err)
    code, out, err = run("--port", "1", CAPTURE)
    check("other ports are reported", out == "" and "--port any" in err, err)
    with tempfile.NamedTemporaryFile() as cut:
        with open(CAPTURE, "rb") as f:
            cut.write(f.read()[:-7])
        cut.flush()
        code, out, err = run("--json", cut.name)
        check("a truncated capture is reported and its whole packets are printed",
              code == 1 and err and out, err)


for test in (hex_operands, lines_on_stdin, files, layers, context, verdicts, selections,
             what_tshark_users_try, headers, schema, forms, usage,
             colours, round_trips, broken_datagrams, options_together, odd_inputs, wrong_files,
             signals, endless_blank_lines) + (
                 (captures, cut_capture, packed_captures, documented_keys, names_of_objects,
                  several_captures, progress) if CAPTURE else ()):
    test()
finish()
