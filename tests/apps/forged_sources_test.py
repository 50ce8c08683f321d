#!/usr/bin/env python3
"""tests/apps/forged_sources_test.py -- a stranger with forged addresses against a running server.

Usage: forged_sources_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
Environment: ATTACK_SEED=N chooses the seed (1), ATTACK_SECONDS=N the length of each attack (3).

Four players are attacked under their own addresses: one flies, one chats in the lobby, one only
listens there, one loads.
Whatever the stranger sends, nobody leaves, every line of chat arrives once and in order, names stay,
and the others see the ship where it is. Nothing is judged by the clock of the test: a busy machine
makes attacks and players slow together.
"""
import bisect
import fcntl
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import child
import forger
from checks import check as check_plain, finish
from stock_like_client import HABITS, Client, run

PROGRAM = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get("ATTACK_SEED", "1"))
SECONDS = float(os.environ.get("ATTACK_SECONDS", "3"))
SERVER = "127.0.0.1"
VICTIMS, THOUSAND, TEN_THOUSAND, BLIND, STALLED, LOADING, FORESTALLED, VOTES = range(8)  # rooms
PATIENCE = 40  # seconds for what must happen at some time
MARGIN = 0.03  # a StateUpdate needs at most this long from its sender into the next one of the server
INSIDE = "FORGED_SOURCES_TEST_NAMESPACE"


def check(sentence, condition, details=""):
    check_plain(sentence, condition, f"ATTACK_SEED={SEED} {details}")


# ---- permission to forge ----

def raise_loopback():
    """Sets the flag IFF_UP of lo in a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sH14x", b"lo", 0x1 | 0x8)
        fcntl.ioctl(s, 0x8914, request)


def open_raw():
    """A raw socket, if need be in a network namespace of our own; None if neither is allowed."""
    if os.environ.get(INSIDE):
        raise_loopback()
    try:
        return forger.raw_socket()
    except PermissionError:
        pass
    if os.environ.get(INSIDE):
        return None
    try:
        if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode != 0:
            return None
    except FileNotFoundError:
        return None
    os.execvpe("unshare", ["unshare", "-rn", sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})


# ---- the server ----

class Server:
    """Eight rooms on free ports; its log is JSON."""

    def __init__(self, *arguments, rooms=8):
        self.log = tempfile.TemporaryFile()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        self.process = child.start(
            [PROGRAM, "serve", "--bind", SERVER, "--port", "0", "--rooms", str(rooms), "--threads",
             "1", "--checksums", "off", "--set", "loading_limit=600", "--log-json", "--no-console",
             *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=clean)
        self.honest = []  # addresses of players, as the log writes them
        self.rooms = [(SERVER, json.loads(self.process.stdout.readline())["port"])
                      for _ in range(rooms)]

    def lines(self):
        size = os.fstat(self.log.fileno()).st_size
        return [json.loads(line) for line in os.pread(self.log.fileno(), size, 0).splitlines()]

    def left(self):
        """Lines about honest players who left, by will or not."""
        return [line for line in self.lines() if line.get("event") in ("left", "kicked", "join-failed")
                and line.get("address") in self.honest]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode


# ---- the players and what they see ----

class Players:
    """Alice flies, Bob talks in the lobby, Erin listens there, Carol loads during all attacks."""

    def __init__(self, server):
        room = server.rooms[VICTIMS]
        r = random.Random(f"{SEED} addresses")
        habits = r.sample(HABITS, 4)
        self.all = [Client(room, name, f"127.0.{n}.{r.randrange(1, 255)}", seed=SEED, habit=habit,
                           private=f"192.168.{r.randrange(256)}.{r.randrange(1, 255)}")
                    for n, (name, habit) in enumerate(zip(("Alice", "Bob", "Carol", "Erin"), habits), 1)]
        self.alice, self.bob, self.carol, self.erin = self.all
        server.honest = [f"{c.endpoint[0]}:{c.endpoint[1]}" for c in self.all]
        self.carol.hold_loading = True
        self.said = {"Alice": [], "Bob": []}
        self.events = []
        self.ranges = []  # (attack, first, behind the last) of Bob's sightings
        self.next_line = self.next_event = 0
        self.attack = "quiet"

    def join(self):
        for client in self.all:
            client.connect()
        ready = run(self.all, PATIENCE, until=lambda: self.carol.stage == "loading" and all(
            c.is_playing() for c in self.all if c is not self.carol))
        check("the players join", ready, [(c.name, c.stage) for c in self.all])
        self.alice.spawn()
        run(self.all, PATIENCE, until=lambda: self.alice.object_id in self.bob.ships)
        self.alice.fly()

    def act(self):
        """Chat every two seconds, for the rate limit; two StopFiring of Alice's ship a second."""
        now = time.monotonic()
        if now >= self.next_line:
            self.next_line = now + 2
            for client in (self.alice, self.bob):
                text = f"{self.attack} {len(self.said[client.name])}"
                self.said[client.name].append(text)
                client.say(text)
        if now >= self.next_event:
            self.next_event = now + 0.5
            number = len(self.events)
            self.events.append((number, self.alice.object_id))
            self.alice.send(struct.pack("<BIIII", 8, 0x101, 0x008000DA, *self.events[-1]))

    def run(self, attack, seconds, forgers=(), others=(), until=None):
        self.attack = attack
        first = len(self.bob.seen)
        done = run(self.all + list(others), seconds, forgers, until, self.act)
        self.ranges.append((attack, first, len(self.bob.seen)))
        return done

    def heard(self, listener, speaker):
        """What the listener heard of the speaker, without what the stranger forged."""
        return [text for sender, text in listener.chat if sender == speaker.peer_id and text != "forged"]

    def is_complete(self):
        return self.bob.events == self.events and all(
            self.heard(c, s) == self.said[s.name] for c in (self.alice, self.bob, self.erin)
            for s in (self.alice, self.bob))

    def stale(self, first, end):
        """Of Bob's sightings: how many there are, and how many show an older state of the ship than
        the last one that Alice had sent MARGIN before."""
        times = [at for at, _ in self.alice.flown]
        index = {code: i for i, (_, code) in enumerate(self.alice.flown)}
        count = stale = 0
        for sight in self.bob.seen[first:end]:
            if sight.object_id != self.alice.object_id:
                continue
            needed = bisect.bisect_right(times, sight.at - MARGIN) - 1
            count += 1
            stale += index.get(sight.speed_code, -1) < needed
        return count, stale

    def judge(self, server):
        run(self.all, PATIENCE, until=self.is_complete)
        for listener in (self.alice, self.bob, self.erin):
            for speaker in (self.alice, self.bob):
                heard, said = self.heard(listener, speaker), self.said[speaker.name]
                check(f"{listener.name} heard all lines of {speaker.name} once and in order",
                      heard == said, ("lost", [t for t in said if t not in heard], "heard", heard))
        check("the messages of the ship arrive once and in order", self.bob.events == self.events,
              (len(self.events), len(self.bob.events), set(self.events) - set(self.bob.events)))
        check("nobody left", not server.left(), server.left())
        ids = {c.peer_id for c in self.all}
        check("nobody heard that somebody left", not any(ids & set(c.gone) or c.booted for c in self.all),
              [(c.name, c.gone, c.booted) for c in self.all])
        names = {c.peer_id: c.name for c in self.all}
        check("all names are right", all(c.names.items() >= names.items() for c in self.all),
              [c.names for c in self.all])
        check("the match was not restarted and no ship was lost", not any(
            c.opcodes[0x38] or c.opcodes[0x39] or c.destroyed for c in self.all),
            [(c.name, c.opcodes, c.destroyed) for c in self.all])
        check("nobody saw a ship that is not there", not self.alice.ships and
              set(self.bob.ships) == {self.alice.object_id}, (self.alice.ships, self.bob.ships))
        by_attack = [(attack, *self.stale(first, end)) for attack, first, end in self.ranges]
        count, stale = (sum(row[k] for row in by_attack) for k in (1, 2))
        check("the others saw the ship", count > 0, by_attack)
        check("at most 2 % of the states of the ship are lost", stale * 50 <= count, by_attack)


# ---- attacks on the players ----

def attacks(players, raw, room):
    """(name, forgers): each attack goes to all players at once."""
    r = random.Random(f"{SEED} attacks")
    clock = players.alice.game_time

    def each(rate, make, *extra):
        return [forger.Forger(raw, room, rate, make(c.endpoint, c, *extra)) for c in players.all]

    yield "Disconnects with the right id", each(5, lambda v, c: forger.disconnects(
        r, v, c.private, [c.peer_id]))
    yield "Disconnects", each(150, lambda v, c: forger.disconnects(r, v, c.private))
    yield "bad creations and fragments", each(150, lambda v, c: forger.mixed(
        r, forger.bad_creations(r, v), forger.contradicting_fragments(r, v)))
    yield "empty datagrams", each(1000, lambda v, c: forger.empty_datagrams(v))
    yield "garbage", each(150, lambda v, c: forger.garbage(r, v))
    yield "messages without a number", each(150, lambda v, c: forger.unnumbered(r, v))
    yield "updates of the future", each(100, lambda v, c: forger.future_updates(r, v, clock))
    yield "guessed numbers", each(100, lambda v, c: forger.mixed(
        r, forger.guessed_numbers(r, v), forger.names(r, v, v[0])))
    yield "sweeps and Acks", each(60, lambda v, c: forger.mixed(
        r, forger.sweeps(r, v), forger.acks(r, v)))
    yield "Connects", each(150, lambda v, c: forger.mixed(
        r, forger.connects_of(r, v), forger.joins(r, [(v[0], 5000), (v[0], 5001), v])))
    yield "queries", each(300, lambda v, c: forger.queries(v))
    yield "everything", each(100, lambda v, c: forger.mixed(
        r, forger.disconnects(r, v, c.private), forger.bad_creations(r, v),
        forger.contradicting_fragments(r, v), forger.garbage(r, v), forger.unnumbered(r, v),
        forger.guessed_numbers(r, v), forger.sweeps(r, v), forger.acks(r, v),
        forger.names(r, v, v[0]), forger.connects_of(r, v), forger.empty_datagrams(v)))


def attack_players(players, raw, server):
    for name, forgers in attacks(players, raw, server.rooms[VICTIMS]):
        seconds = 7 if "Disconnects" in name else SECONDS  # longer than a Disconnect waits
        players.run(name, max(seconds, SECONDS), forgers)
        left = [line["message"] for line in server.left()]
        check(f"nobody leaves: {name}", not left, left)
        if left:
            finish()  # what follows would only repeat this


def check_queries(players):
    """A player's address gets a few answers at once and five a second, in all (spec 05 §8)."""
    answers = [c.queries_answered for c in players.all]
    check("queries under a player's address get few answers",
          max(answers) <= 15 + 5 * (2 * SECONDS + 2), answers)


# ---- newcomers ----

def newcomers(room, count, network):
    return [Client(room, f"New{n}", f"127.{network}.{n}.1", seed=SEED) for n in range(count)]


def admit(players, clients, attack, forgers, before=0.5):
    """Lets the newcomers connect during an attack; how many Connects each needed, 0: not in."""
    players.run(attack, before, forgers)
    for client in clients:
        client.connect()
    players.run(attack, PATIENCE, forgers, clients, lambda: all(c.is_playing() for c in clients))
    return [c.connects if c.is_playing() else 0 for c in clients]


def check_newcomers(players, raw, server):
    """A stock client connects at 0, 1, 3 and 6 s: so within 3 s means two Connects."""
    r = random.Random(f"{SEED} newcomers")
    for index, rate, most in ((THOUSAND, 1000, 2), (TEN_THOUSAND, 10000, 3)):
        room = server.rooms[index]
        clients = newcomers(room, 7, 20 + index)
        flood = forger.Forger(raw, room, rate, forger.connects(r))
        tries = admit(players, clients, f"{rate} Connects a second", [flood])
        check(f"7 of 7 newcomers get in with {most} Connects during {rate} forged ones a second",
              all(1 <= n <= most for n in tries), (tries, flood.sent))
        for client in clients:
            client.close()


def check_blind_joins(players, raw, server):
    """Eight seats: forged joins may sit in four of them, until five newcomers come."""
    r = random.Random(f"{SEED} joins")
    room = server.rooms[BLIND]
    sources = [(f"127.40.{n}.1", 6000 + n) for n in range(12)]
    blind = forger.Forger(raw, room, 800, forger.joins(r, sources))
    clients = newcomers(room, 5, 41)
    tries = admit(players, clients, "forged joins", [blind], before=2)
    check("newcomers get in although whole joins are forged", all(tries), tries)
    for client in clients:
        client.close()


def check_forged_votes(players, raw, server):
    """Two players and four whose whole joins are forged, and who vote to remove one of the two."""
    r, room = random.Random(f"{SEED} votes"), server.rooms[VOTES]
    fay, gil = clients = [Client(room, name, f"127.55.{n}.1", seed=SEED) for n, name in enumerate(("Fay", "Gil"))]
    for client in clients:
        client.connect()
    players.run("forged votes", PATIENCE, (), clients, lambda: fay.is_playing() and gil.is_playing())
    sources = [(f"127.56.{n}.1", 6000 + n) for n in range(4)]
    ids = range(2, 10)
    joins = forger.Forger(raw, room, 400, forger.joins(r, sources, ids))

    def are_in():
        inside = {line["address"] for line in server.lines() if line.get("event") == "joined"}
        return inside >= {f"{address}:{port}" for address, port in sources}
    players.run("forged votes", PATIENCE, [joins], clients, are_in)
    check("forged joins get into a room where nobody needs their seats", are_in())
    lines = forger.Forger(raw, room, 50, forger.lines(
        sources, ["!vote kick Fay", "!yes", "!yes", "!yes"], ids, 6), len(sources) * len(ids))
    players.run("forged votes", PATIENCE, [lines], clients, lambda: lines.left == 0)
    players.run("forged votes", 2, (), clients)
    check("forged players cannot vote", fay.is_playing() and not fay.booted, (fay.stage, fay.booted, fay.chat))
    fay.say("!vote kick Gil")
    players.run("forged votes", PATIENCE, (), clients, lambda: any("asks to remove Gil" in text
                                                                  for _, text in gil.chat))
    check("players can", any("asks to remove Gil" in text for _, text in gil.chat), gil.chat)
    for client in clients:
        client.close()


def check_join_under_attack(players, raw, server):
    """The stranger knows the newcomer's address and port before the newcomer connects."""
    r = random.Random(f"{SEED} early")
    room = server.rooms[VICTIMS]
    dora = Client(room, "Dora", "127.0.9.9", seed=SEED, habit=r.choice(HABITS))
    v = dora.endpoint
    forgers = [forger.Forger(raw, room, 150, forger.mixed(
        r, forger.disconnects(r, v, dora.private), forger.guessed_numbers(r, v, most=8),
        forger.names(r, v, v[0]), forger.acks(r, v), forger.garbage(r, v), forger.connects_of(r, v),
        forger.joins(r, [v])))]
    tries = admit(players, [dora], "join under attack", forgers, before=2)
    check("a newcomer whose address is attacked all the time gets in", all(tries), (dora.habit, dora.stage))
    dora.say("here")
    done = players.run("join under attack", PATIENCE, forgers, [dora], lambda: (
        dora.peer_id, "here") in players.bob.chat and players.bob.names.get(dora.peer_id) == "Dora")
    check("and is called and heard as itself", done, (
        dora.habit, dora.stage, players.bob.names, players.bob.chat[-5:]))
    dora.leave()
    players.run("quiet", 1, (), [dora])
    dora.close()


def check_joins_forged_before(players, raw, server):
    """The sockets of four players are open, and the stranger joins in their names before they do. The
    first two, with the habits that the original may have, read what came before their Connect and take
    it for the answer; the others drop it. The stranger knows which id is next."""
    r, room = random.Random(f"{SEED} forestalled"), server.rooms[FORESTALLED]
    watcher = Client(room, "Watcher", "127.54.9.1", seed=SEED)
    clients = [Client(room, f"Late{habit}", f"127.54.{n}.1", seed=SEED, habit=habit)
               for n, habit in enumerate(HABITS)]
    believers, others = clients[:2], clients[2:]
    watcher.connect()
    players.run("joins forged before", PATIENCE, (), [watcher], watcher.is_playing)
    for n, client in enumerate(others + believers, 1):
        whole = 8 if client in others else 2  # datagrams: a whole join, or Connect and Name
        early = forger.Forger(raw, room, 500, forger.joins(r, [client.endpoint], [watcher.peer_id + n]), whole)
        players.run("joins forged before", PATIENCE, [early], [watcher, *others], lambda: early.left == 0)
    run([watcher, *others], PATIENCE, until=lambda: list(watcher.names.values()).count("Blind") == 4)
    for client in clients:
        client.connect()
    done = players.run("joins forged before", PATIENCE, (), [watcher, *clients], lambda: all(
        watcher.names.get(c.peer_id) == c.name for c in clients))
    check("players for whom joins were forged before have their own names", done,
          (watcher.names, [(c.name, c.peer_id, c.stage) for c in clients]))

    def joined():
        ids = {(line["peer"], line["address"]) for line in server.lines() if line.get("event") == "joined"}
        return ids >= {(c.peer_id, f"{c.endpoint[0]}:{c.endpoint[1]}") for c in clients}
    players.run("joins forged before", PATIENCE, (), [watcher, *clients], joined)
    check("and are in the game", joined(), [(c.name, c.peer_id, c.stage) for c in clients])
    for client in (watcher, *clients):
        client.close()


class Stalled:
    """Eight joins of two addresses that hear everything and never answer a request."""

    def __init__(self, room):
        self.clients = [Client(room, f"Stalled{n}", f"127.50.{n // 4}.1", seed=SEED) for n in range(8)]
        for client in self.clients:
            client.never_answer = True
            client.connect()

    def check(self, players, room):
        newcomer = newcomers(room, 1, 51)
        newcomer[0].connect()
        players.run("joins that never answer", PATIENCE, (), newcomer + self.clients,
                    newcomer[0].is_playing)
        check("a newcomer gets in although joins that never answer hold all seats",
              newcomer[0].is_playing(), newcomer[0].stage)
        for client in newcomer + self.clients:
            client.close()


class NeverLoaded:
    """Seven joins of two addresses that answer everything but the last step and come back at once, and
    one honest player who loads for as long."""

    def __init__(self, room):
        self.slow = Client(room, "Slow", "127.52.9.1", seed=SEED)
        self.clients = [Client(room, f"Never{n}", f"127.52.{n // 4}.1", seed=SEED) for n in range(7)]
        for client in (self.slow, *self.clients):
            client.hold_loading = True
            client.connect()

    def come_back(self):
        for client in self.clients:
            if client.stage == "booted":
                client.connect()

    def admit(self, players, newcomer):
        """Refused newcomers do not try again."""
        def is_decided():
            self.come_back()
            return newcomer.stage in ("playing", "booted")
        newcomer.connect()
        players.run("joins that never end", PATIENCE, (), [newcomer, self.slow, *self.clients], is_decided)

    def check(self, players, room):
        arrived = newcomers(room, 5, 53)
        for client in arrived:
            self.admit(players, client)
        check("newcomers get in although joins that never end hold all seats",
              all(c.is_playing() for c in arrived), [(c.stage, c.booted) for c in arrived])
        self.slow.finish_loading()
        players.run("joins that never end", PATIENCE, (), [self.slow, *self.clients], self.slow.is_playing)
        check("and a player who loads for as long keeps the seat", self.slow.is_playing(),
              (self.slow.stage, self.slow.booted))
        for client in (*arrived, self.slow, *self.clients):
            client.close()


# ---- afterwards ----

def check_loading(players):
    """The player who was loading all the time comes into the game and can talk."""
    carol = players.carol
    carol.finish_loading()
    done = players.run("loaded", PATIENCE, until=carol.is_playing)
    carol.say("at last")
    done = done and players.run("loaded", PATIENCE, until=lambda: (carol.peer_id, "at last") in
                                players.bob.chat)
    check("the player who was loading gets in and talks", done, (carol.stage, carol.booted))


def check_leaving(players, server):
    """A player who really disconnects leaves, and comes back from the same port."""
    alice, bob, carol, _ = players.all
    old = {alice.peer_id, bob.peer_id}
    for client in (alice, bob):
        client.leave()
    run(players.all, 0.5)
    for client in (alice, bob):  # each drops its session and starts a new one on the same port
        client.connect()
    done = run(players.all, PATIENCE, until=lambda: alice.is_playing() and bob.is_playing())
    check("who has left can come back from the same port", done,
          [(c.name, c.stage, c.booted, c.connects) for c in (alice, bob)])
    check("who disconnects leaves", {line["peer"] for line in server.left()} == old and
          all(line.get("reason") == "quit" for line in server.left()), server.left())
    check("the others are told", old <= set(carol.gone), (carol.gone, old))


def attack(raw, server):
    players = Players(server)
    players.join()
    stalled, loading = Stalled(server.rooms[STALLED]), NeverLoaded(server.rooms[LOADING])
    players.run("quiet", 6, (), [*stalled.clients, loading.slow, *loading.clients])
    stalled.check(players, server.rooms[STALLED])
    loading.check(players, server.rooms[LOADING])
    attack_players(players, raw, server)
    check_queries(players)
    check_newcomers(players, raw, server)
    check_blind_joins(players, raw, server)
    check_forged_votes(players, raw, server)
    check_join_under_attack(players, raw, server)
    check_joins_forged_before(players, raw, server)
    players.judge(server)
    check_loading(players)
    check_leaving(players, server)


def main():
    raw = open_raw()
    if raw is None:
        print("skipped: no forged addresses, because neither raw sockets nor network namespaces "
              "are permitted here")
        finish()
    server = Server()
    try:
        attack(raw, server)
        check("the server stops in order", server.stop() == 0)
    finally:
        server.process.kill()
    finish()


main()
