#!/usr/bin/env python3
"""tests/apps/house_bots_test.py -- `starbase serve` with bots of its own, and people who need their
seats.

Usage: house_bots_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import child
from checks import check, finish
from forger import Forger, raw_socket
from stock_like_client import CONNECT, HABITS, LOW, NO_ID, Client, ack, control, datagram, run

PROGRAM = os.path.abspath(sys.argv[1])
LIMIT = 60  # seconds until a state counts as never reached


class Server:
    """A running server whose log is JSON lines."""

    def __init__(self, *arguments, rooms=1):
        self.log = tempfile.TemporaryFile()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        self.process = child.start(
            [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--log-json", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=clean)
        self.ports = [json.loads(self.process.stdout.readline())["port"] for _ in range(rooms)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            for stream in (self.process.stdin, self.process.stdout):
                if not stream.closed:
                    stream.close()

    def type(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def events(self, name):
        size = os.fstat(self.log.fileno()).st_size
        lines = os.pread(self.log.fileno(), size, 0).decode().splitlines()
        found = [json.loads(line) for line in lines if line.endswith("}")]
        return [e for e in found if e.get("event") == name or
                name == "status" and e["subsystem"] == "status"]

    def query(self, room=0):
        result = subprocess.run([PROGRAM, "query", "--json", f"127.0.0.1:{self.ports[room]}"],
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        answer = json.loads(result.stdout)
        names = [v for k, v in sorted(answer.items()) if re.fullmatch(r"player_\d+", k)]
        return int(answer["numplayers"]), names

    def bots(self, room=0):
        return sum(name.startswith("Bot ") for name in self.query(room)[1])

    def status(self):
        """The lines of one `status`: of the room first, then of its players."""
        before = len(self.events("status"))
        self.type("status")
        await_true(lambda: any("bots_fill" in e for e in self.events("status")[before:]))
        time.sleep(0.2)
        return self.events("status")[before:]


def await_true(condition):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


class People:
    """`starbase bot` as people: to a server they are players like all others."""

    def __init__(self, port, count, name="Person"):
        self.process = child.start(
            [PROGRAM, "bot", "--json", "--name", name, "-n", str(count), f"127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def leave(self):
        """They leave; returns a summary for each."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=30)
        lines = [json.loads(line) for line in out.decode().splitlines()]
        return [line for line in lines if line["event"] == "summary"]


def options():
    run = subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, timeout=30)
    check("--help explains --bots", b"--bots N" in run.stdout, run.stdout)
    for value in ("17", "-1", "some"):
        run = subprocess.run([PROGRAM, "serve", "--bots", value], capture_output=True, timeout=30)
        check("an impossible number of bots is refused with the reason", run.returncode == 78 and
              b"--bots: must be a whole number from 0 to 16" in run.stderr, run)
    run = subprocess.run([PROGRAM, "serve", "--bots", "5", "--check-config"], capture_output=True,
                         timeout=30)
    check("--check-config shows the bots", b"bots = { fill = 5, skill = \"normal\"" in run.stdout,
          run.stdout)


def filling():
    with Server("--bots", "4", "--rooms", "2", "--password", "sesame", "--checksums", "strict",
                rooms=2) as server:
        check("bots fill every room, whatever its password", await_true(
            lambda: server.bots(0) == 4 and server.bots(1) == 4), server.query())
        count, names = server.query()
        check("a browser sees them as players", count == 4 and len(set(names)) == len(names),
              (count, names))
        check("bots fly", await_true(lambda: len(server.events("spawned")) >= 8),
              server.events("spawned"))
        check("bots do not chat", not server.events("chat"))
        check("nothing of bots is refused", not server.events("refused"), server.events("refused"))
        room = server.status()[0]
        check("the status counts bots", room["bots"] == 4 and room["bots_fill"] == 4 and
              room["bots_dropped"] == 0, room)
        check("and does not count them as players", room["players"] == 0, room)
        players = [e for e in server.status() if "player" in e]
        check("the status marks bots", players and all(p["bot"] == 1 for p in players), players)
        began = time.monotonic()
        check("SIGTERM ends a server with bots", server.stop() == 0 and
              time.monotonic() - began < 5, time.monotonic() - began)
        check("the bots hear the goodbye", all(e["reason"] == "host closed"
              for e in server.events("left")) and len(server.events("left")) == 8,
              server.events("left"))


def seats_for_people():
    with Server("--bots", "8", "--max-players", "8") as server:
        check("eight bots fill a room of eight", await_true(lambda: server.bots() == 8),
              server.query())
        people = People(server.ports[0], 8)
        joined = lambda: [e for e in server.events("joined") if not e.get("bot")]
        check("eight people join a room of eight bots", await_true(lambda: len(joined()) == 8),
              joined())
        check("no person waits for a seat", all(e["ms"] < 5000 for e in joined()), joined())
        check("all bots are gone", await_true(lambda: server.bots() == 0), server.query())
        gone = [e for e in server.events("left") if e["reason"] == "made room for a newcomer"]
        check("each made room for one of them", len(gone) == 8 and all(e["bot"] == 1 for e in gone),
              gone)
        summary = people.leave()
        check("nobody lost the connection", len(summary) == 8 and
              all(s["joined"] and not s["lost"] for s in summary), summary)
        check("the bots return", await_true(lambda: server.bots() == 8), server.query())


def stock_clients():
    """Programs that acknowledge in all known ways, one of them after the other."""
    with Server("--bots", "8", "--checksums", "off") as server:
        check("eight bots are there", await_true(lambda: server.bots() == 8), server.query())
        room = "127.0.0.1", server.ports[0]
        clients = [Client(room, f"Kirk {n}", f"127.0.2.{n + 1}", habit=HABITS[n % len(HABITS)])
                   for n in range(8)]
        for n, client in enumerate(clients):
            client.connect()
            check("a stock client gets the seat of a bot", run(
                clients, LIMIT, until=client.is_playing), (client.habit, client.stage))
            check("and sees the bots that are left", run(clients, LIMIT, until=lambda: sum(
                name.startswith("Bot ") for name in client.names.values()) == 7 - n),
                (n, client.names))
        check("all eight play on", all(c.is_playing() for c in clients) and
              await_true(lambda: server.bots() == 0), [c.stage for c in clients])
        check("the first one saw seven bots quit", len(clients[0].gone) == 7, clients[0].gone)
        for client in clients:
            client.close()


def above_fill():
    with Server("--bots", "3") as server:
        check("three bots are there", await_true(lambda: server.bots() == 3), server.query())
        server.type(f"kick {server.events('joined')[1]['peer']}")
        check("a kicked bot goes", await_true(lambda: server.events("left")), server.events("left"))
        check("and comes back", await_true(lambda: server.bots() == 3), server.query())
        people = People(server.ports[0], 2)
        check("a bot leaves for each person", await_true(
            lambda: server.bots() == 1 and server.query()[0] == 3), server.query())
        marks = lambda name: {e.get("player", "")[:3]: e.get("bot", 0) for e in server.events(name)}
        check("the log marks bots and only them", marks("joined") == {"Bot": 1, "Per": 0},
              marks("joined"))
        server.type("end")
        check("the match ends", await_true(lambda: server.events("match-over")))
        rows = (server.events("match-over") or [{"standings": []}])[0]["standings"]
        check("the standings mark bots", {r["player"][:3]: r.get("bot", 0) for r in rows} ==
              {"Bot": 1, "Per": 0}, rows)
        people.leave()
        check("the bots return when people leave", await_true(lambda: server.bots() == 3),
              server.query())


def configured():
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        def write(text):
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()

        write("bots = { fill = 2, skill = 'medium', count = false, names = { 'Ada', 'Bob' } }\n")
        with Server("--config", file.name) as server:
            check("bots have the names of the list", await_true(
                lambda: sorted(e["player"] for e in server.events("joined")) == ["Ada", "Bob"]),
                server.events("joined"))
            check("bots that do not count are not listed",
                  server.query() == (0, ["Dedicated Server"]), server.query())
            write("bots = { fill = 3, names = { 'Cay' } }\n")
            server.process.send_signal(signal.SIGHUP)
            check("a reload lists them and adds one", await_true(
                lambda: server.query()[0] == 3), server.query())
            write("bots = 0\nfrag_limit = 5\n")
            server.process.send_signal(signal.SIGHUP)
            check("a reload ends them", await_true(lambda: server.query()[0] == 0), server.query())
        write("bots = { fill = 3, when = 'players' }\n")
        with Server("--config", file.name) as server:
            time.sleep(0.5)
            check("bots for people stay away from an empty room", server.query()[0] == 0,
                  server.query())
            people = People(server.ports[0], 1)
            check("they come when a person is there", await_true(lambda: server.bots() == 2),
                  server.query())
            people.leave()
            check("and leave after the person", await_true(lambda: server.query()[0] == 0),
                  server.query())


def waiting_changes():
    """What takes effect in an empty room does so although bots are always there."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write("bots = 2\n")
        file.flush()
        with Server("--config", file.name) as server:
            check("two bots are there", await_true(lambda: server.bots() == 2), server.query())
            file.write("system = 'Multi3'\n")
            file.flush()
            server.process.send_signal(signal.SIGHUP)
            answer = lambda: subprocess.run(
                [PROGRAM, "query", f"127.0.0.1:{server.ports[0]}"], capture_output=True).stdout
            check("a room of bots changes its system", await_true(lambda: b"Multi3" in answer()),
                  answer())
            check("and the bots are back", await_true(lambda: server.bots() == 2), server.query())


def forged():
    """Connects of strangers, and of the addresses that only bots have."""
    try:
        raw = raw_socket()
    except PermissionError:
        return
    connect = datagram(NO_ID, control(CONNECT, 0, bytes(10)))

    def strangers():
        while True:
            for i in range(1, 250):
                yield (f"127.1.{i}.1", 4000 + i), connect
                for peer in range(2, 12):  # an answer under every id that it may have been told
                    yield (f"127.1.{i}.1", 4000 + i), datagram(peer, ack(LOW, 0))
                yield (f"0.0.0.{i}", 1024 + i), connect

    with raw, Server("--bots", "8") as server:
        check("eight bots are there", await_true(lambda: server.bots() == 8), server.query())
        flood = Forger(raw, ("127.0.0.1", server.ports[0]), 4000, strangers())
        people, began = None, time.monotonic()
        while time.monotonic() < began + 6:
            flood.step(time.monotonic())
            if not people and time.monotonic() > began + 2:
                check("forged Connects and answers cost no bot its seat",
                      server.bots() == 8 and not server.events("left"), server.events("left"))
                people = People(server.ports[0], 3)
            time.sleep(0.002)
        check("people join meanwhile", await_true(lambda: server.query()[0] == 8 and
              server.bots() == 5), server.query())
        people.leave()
        check("forged sources of the house are dropped", server.status()[0]["forged_house"] > 0)


for part in (options, filling, seats_for_people, stock_clients, above_fill, configured,
             waiting_changes, forged):
    part()
finish()
