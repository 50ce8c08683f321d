#!/usr/bin/env python3
"""tests/apps/bot_test.py -- `starbase bot` against our server: it joins, plays and leaves, and says
why when it cannot.

Usage: bot_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import fcntl
import json
import os
import pty
import re
import signal
import socket
import subprocess
import tempfile
import time

import child
import live_server
from live_server import PROGRAM, Server, check, finish

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run(*arguments, command="bot", timeout=90):
    return live_server.run(*arguments, command=command, timeout=timeout)


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def of_kind(all_events, kind):
    return [e for e in all_events if e["event"] == kind]


def usage():
    code, out, err = run("--help")
    check("there is help", code == 0 and out.startswith("Usage: starbase bot") and err == "", out)
    check("the program lists the command", "  bot " in run(command="help")[1])
    missing = os.path.join(tempfile.gettempdir(), "no-such-manifest.csv")
    for arguments, reason in (((), "one server is needed"), (("a", "b"), "one server is needed"),
                              (("-n", "0", "localhost"), "--count needs"),
                              (("-n", "121", "localhost"), "--count needs"),
                              (("--ship", "ufo", "localhost"), "there is no ship `ufo`; `starbase ships` lists them"),
                              (("--skill", "god", "localhost"), "--skill needs easy"),
                              (("--team", "2", "localhost"), "--team needs 0 or 1"),
                              (("--time", "-1", "localhost"), "--time needs seconds"),
                              (("--name", "", "localhost"), "--name needs"),
                              (("--name", "  ", "localhost"), "not only blanks"),
                              (("--name", "x" * 32, "localhost"), "--name needs 1 to 31"),
                              (("-n", "2", "--name", "x" * 28, "localhost"), "--name needs 1 to 27"),
                              (("--manifest", missing, "localhost"), "no-such-manifest"),
                              (("localhost:x",), "is not HOST")):
        code, out, err = run(*arguments)
        check(f"{arguments} is refused", code == 2 and out == "" and reason in err, out + err)


def playing():
    with Server() as server:
        code, out, err = run("-n", "6", "--time", "6", "--ship", "akira", "--json", "--name",
                             "K\u00e4the", server.address)
        seen = events(out)
        names = [f"K\u00e4the {i}" for i in range(1, 7)]
        check("all bots join, also more than one address may have", code == 0 and
              sorted(e["bot"] for e in of_kind(seen, "joined")) == names, out + err)
        check("each has its own id and slot",
              len({e["peer_id"] for e in of_kind(seen, "joined")}) == 6 and
              sorted(e["slot"] for e in of_kind(seen, "joined")) == list(range(6)), out)
        check("the joined event has the mission", all(e["map"].startswith("Multiplayer.")
                                         for e in of_kind(seen, "joined")), out)
        spawned = of_kind(seen, "spawned")
        check("all fly the ship that was asked for", {e["bot"] for e in spawned} == set(names) and
              {e["ship"] for e in spawned} == {"Akira"}, out)
        check("all bots leave by themselves",
              sorted(e["bot"] for e in of_kind(seen, "left")) == names and
              {e["how"] for e in of_kind(seen, "left")} == {"quit"}, out)
        summary = of_kind(seen, "summary")
        check("the summary has a line per bot", [e["bot"] for e in summary] == names and
              all(e["joined"] and not e["lost"] and e["ships"] >= 1 for e in summary), summary)
        check("arrivals of others are told with their names",
              {e["player"] for e in of_kind(seen, "player_joined")} <= set(names), out)
        check("times never go back", all(a["time"] <= b["time"] for a, b in zip(seen, seen[1:])
                                         if "time" in b), out)
        code, out, err = run("--time", "2", "--ship", "3", "--quiet", server.address)
        check("--quiet prints the summary only", code == 0 and err == "" and
              out.split()[:2] == ["NAME", "SECONDS"] and len(out.strip().splitlines()) == 2,
              out + err)
        code, out, err = run("--time", "2", "--peaceful", server.address)
        check("events are lines for people, too", re.search(
            r"^ +[\d.]+  Bot +joined as player \d+, slot \d: Multiplayer\.", out, re.M) and
            re.search(r"^ +[\d.]+  Bot +left: quit$", out, re.M), out)
        check("the server survived it", server.stop() == 0)


def talking():
    with Server() as server:
        listener = child.start([PROGRAM, "bot", "--name", "Ear", "--json", "--peaceful",
                                server.address], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        line = listener.stdout.readline().decode()
        check("events come at once, also through a pipe",
              json.loads(line)["event"] == "joined", line)
        run("--name", "Guest", "--time", "2", "--quiet", server.address)
        time.sleep(7)  # a Disconnect counts after up to 6 s of silence (spec 01 §8.4)
        listener.send_signal(signal.SIGINT)
        out, err = listener.communicate(timeout=20)
        seen = events(out.decode())
        check("Ctrl-C makes a bot leave with a goodbye", listener.returncode == 0 and
              [e["how"] for e in of_kind(seen, "left")] == ["quit"], out + err)
        check("a bot reports arrivals of others", "Guest" in
              {e["player"] for e in of_kind(seen, "player_joined")}, out)
        check("a bot reports departures of others",
              "Guest" in {e["player"] for e in of_kind(seen, "player_left")}, out)


def start_and_hang_up(server, before_exec):
    """A bot that has joined and then gets SIGHUP."""
    bot = child.start([PROGRAM, "bot", "--json", server.address], before_exec,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    bot.stdout.readline()
    bot.send_signal(signal.SIGHUP)
    return bot


def hanging_up():
    with Server() as server:
        bot = start_and_hang_up(server, child.reset_signals)
        out, err = bot.communicate(timeout=20)
        check("SIGHUP makes it leave politely", bot.returncode == 0 and
              [e["how"] for e in of_kind(events(out.decode()), "left")] == ["quit"], out + err)
        bot = start_and_hang_up(server, child.ignore_hangup)
        time.sleep(1)
        check("but not under nohup", bot.poll() is None, bot.poll())
        bot.send_signal(signal.SIGTERM)
        out, err = bot.communicate(timeout=20)
        check("which SIGTERM ends", bot.returncode == 0, out + err)


def server_ends():
    with Server() as server:
        bot = child.start([PROGRAM, "bot", "--json", server.address], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
        bot.stdout.readline()
        server.stop()
        out, err = bot.communicate(timeout=20)
        left = of_kind(events(out.decode()), "left")
        check("a server that closes ends the bot with status 0", bot.returncode == 0 and
              [e["how"] for e in left] == ["host closed"] and
              [e["reason"] for e in left] == ["server closed"], out + err)
    with Server() as server:
        bot = child.start([PROGRAM, "bot", server.address], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
        bot.stdout.readline()
        server.stop()
        out, err = bot.communicate(timeout=20)
        check("the summary says that the server closed", bot.returncode == 0 and
              out.decode().rstrip().endswith("  server closed"), out + err)


def one_failure(address, *arguments):
    code, out, err = run("--json", *arguments, address)
    failures = of_kind(events(out), "failed")
    return code, failures[0]["reason"] if failures else "", out + err


def failing():
    with Server("--max-players", "1") as server:
        first = child.start([PROGRAM, "bot", "--json", server.address],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first.stdout.readline()
        code, reason, details = one_failure(server.address)
        check("a full server is reported", code == 1 and "full" in reason, details)
        code, out, err = run("--quiet", server.address)
        check("--quiet reports a full server on stderr",
              code == 1 and "could not join" in err and "full" in err and
              "not joined" in out, out + err)
        first.send_signal(signal.SIGTERM)
        check("SIGTERM ends with 0", first.wait(timeout=20) == 0)
    with Server("--password", "sesame") as server:
        code, reason, details = one_failure(server.address)
        check("a missing password is reported", code == 1 and "--password" in reason, details)
        code, reason, details = one_failure(server.address, "--password", "wrong")
        check("a wrong password is reported", code == 1 and "wrong password" in reason, details)
        code, out, err = run("--password", "sesame", "--time", "1", server.address)
        check("the right password opens the server", code == 0, out + err)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        start = time.monotonic()
        code, reason, details = one_failure(address)
        check("no answer is reported with advice", code == 1 and address in reason and
              f"starbase query {address}" in reason, details)
        check("no answer is reported within a reasonable time", time.monotonic() - start < 60)
        start = time.monotonic()
        code, reason, details = one_failure(address, "--time", "2")
        check("no answer is reported when the time is up", code == 1 and "no answer" in reason and
              "not joined" in run("--time", "0.5", address)[1], details)
        check("a bot does not wait after the time is up", time.monotonic() - start < 12)


def files():
    vanilla = os.path.join(ROOT, "data", "manifests", "vanilla-1.1.csv")
    with open(vanilla, encoding="latin-1") as source:
        lines = source.read().splitlines()
    for i, line in enumerate(lines):
        cells = line.split(",")
        if re.fullmatch(r"0x[0-9A-Fa-f]{8}", cells[4] if len(cells) > 4 else "") and \
                cells[-1] == "wire" and "ships" not in line:
            cells[4] = "0x%08X" % (int(cells[4], 16) ^ 1)
            lines[i] = ",".join(cells)
            break
    with tempfile.TemporaryDirectory() as folder, Server("--checksums", "strict") as server:
        changed = os.path.join(folder, "changed.csv")
        with open(changed, "w", encoding="latin-1") as out:
            out.write("\n".join(lines) + "\n")
        code, out, err = run("--time", "1", "--manifest", vanilla, server.address)
        check("a strict server takes the vanilla manifest", code == 0, out + err)
        code, reason, details = one_failure(server.address, "--manifest", changed)
        check("a strict server refuses another manifest, with file and advice", code == 1 and
              re.search(r"0x2[23]", reason) and "--manifest" in reason, details)


def full_pipe():
    """A pipe that takes nothing more; its ends, and how much is in it."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    size = os.write(writer, b"x" * fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ))
    return reader, writer, size


def wait_for_players(server, count):
    for _ in range(100):
        if f'"numplayers":"{count}"' in run(server.address, "--json", command="query")[1]:
            return True
        time.sleep(0.1)
    return False


def start_unread(server, writer, *arguments):
    """Bots in the game whose stdout is `writer`; those before them have left."""
    wait_for_players(server, 0)
    bot = child.start([PROGRAM, "bot", "-n", "2", "--json", *arguments, server.address],
                      stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    return bot, wait_for_players(server, 2)


def end_of(bot, seconds):
    try:
        bot.wait(seconds)
    except subprocess.TimeoutExpired:
        bot.kill()
    return bot.wait(), bot.stderr.read().decode()


def chatter():
    """More lines than are kept for a reader."""
    with Server(stdin=subprocess.PIPE) as server:
        reader, writer, size = full_pipe()
        bot, joined = start_unread(server, writer)
        for i in range(400):
            server.process.stdin.write(f"say {i:03} {'x' * 250}\n".encode())
            server.process.stdin.flush()
            time.sleep(0.01)
        time.sleep(2)
        bot.send_signal(signal.SIGTERM)
        with os.fdopen(reader, "rb") as pipe:
            pipe.read(size)
            seen = events(pipe.read().decode())
        code, err = end_of(bot, 10)
        heard = [int(e["text"][:3]) for e in of_kind(seen, "chat") if e["text"][0] in "0123"]
        lost = re.search(r"^starbase bot: (\d+) lines were lost", err)
        check("lines beyond the buffer are lost whole and counted", joined and code == 0 and
              lost and len(heard) + int(lost.group(1)) >= 400 and 100 < len(heard) < 400 and
              heard == sorted(heard), (code, err, heard))


def unread():
    with Server() as server:
        reader, writer, _ = full_pipe()
        bot, joined = start_unread(server, writer)
        check("nobody waits for a reader: all join", joined)
        bot.send_signal(signal.SIGTERM)
        code, err = end_of(bot, 10)
        check("SIGTERM ends a bot with a slow reader and reports lost lines", code == 0 and
              re.search(r"^starbase bot: \d+ lines were lost", err), (code, err))
        os.close(reader)

        reader, writer, size = full_pipe()
        bot, joined = start_unread(server, writer, "--time", "4")
        time.sleep(6)
        with os.fdopen(reader, "rb") as pipe:
            pipe.read(size)
            seen = events(pipe.read().decode())
        code, err = end_of(bot, 10)
        check("a reader who is late misses nothing", joined and code == 0 and err == "" and
              len(of_kind(seen, "joined")) == len(of_kind(seen, "summary")) == 2, (seen, err))

        reader, writer, _ = full_pipe()
        bot, joined = start_unread(server, writer)
        os.close(reader)
        code, err = end_of(bot, 20)
        check("a reader who closes the pipe ends the bot", joined and code == 0, (code, err))

        terminal, slave = pty.openpty()
        os.write(terminal, b"\x13")
        bot, joined = start_unread(server, slave)
        bot.send_signal(signal.SIGTERM)
        code, err = end_of(bot, 10)
        check("a stopped terminal does not block the players", joined and code == 0, (code, err))
        os.close(terminal)


for part in (usage, playing, talking, hanging_up, server_ends, failing, files, unread, chatter):
    part()
finish()
