"""tests/apps/forger.py -- a stranger who forges source addresses and hears nothing.

For: forged_sources_test.py. Each function below yields (source, datagram) for ever; a Forger sends
them at a steady rate. The stranger knows the addresses and ports of server and players, the clock of
the game and every constant of the protocol; ids and sequence numbers are guesses.
"""
import itertools
import socket
import struct

from stock_like_client import (
    ACK, CONNECT, DISCONNECT, FRAGMENT, HIGH, LOW, NAME, NO_ID, DIRECTORY_HASHES, REFERENCE_HASH,
    ack, control, creation, datagram, encrypt, name_payload, reliable, unreliable)

IDS = range(2, 18)
BURST = 40  # of one step: the server's socket must be able to hold it
TEXT = b"forged"


def raw_socket():
    """A socket for datagrams with any source. PermissionError: not allowed here."""
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)


class Forger:
    """Sends what `source` yields to the server, `rate` datagrams a second, at most `count`."""

    def __init__(self, raw, server, rate, source, count=1 << 30):
        self.raw, self.server, self.rate, self.source, self.left = raw, server, rate, source, count
        self.began = self.sent = None
        self.destination = socket.inet_aton(server[0])

    def step(self, now):
        if self.began is None:
            self.began, self.sent = now, 0
        due = min(int((now - self.began) * self.rate) - self.sent, BURST, self.left)
        for address, payload in itertools.islice(self.source, max(due, 0)):
            self.send(address, payload)
        if due == BURST:  # a busy machine: what was missed is not sent later
            self.began = now - self.sent / self.rate

    def send(self, source, payload):
        size = len(payload) + 8
        header = struct.pack(">BBHHHBBH4s4sHHHH", 0x45, 0, size + 20, 0, 0, 64, 17, 0,
                             socket.inet_aton(source[0]), self.destination,
                             source[1], self.server[1], size, 0)
        self.raw.sendto(header + payload, self.server)
        self.sent += 1
        self.left -= 1


def mixed(random, *sources):
    """One of `sources` at a time, by chance."""
    while True:
        yield next(random.choice(sources))


def _under_all_ids(victim, ids, *messages_of):
    for peer_id in ids:
        yield victim, datagram(peer_id, *(m(peer_id) for m in messages_of))


# ---- departures ----

def disconnects(random, victim, private, ids=IDS):
    """`private` is the address that the victim's Name tells; one forgery in three has it."""
    while True:
        address = random.choice((private, victim[0], "9.9.9.9"))
        number = random.choice((2, 2, 2, 0, 1, 3, 4, random.randrange(65536)))
        yield from _under_all_ids(victim, ids, lambda i: control(
            DISCONNECT, number, bytes([i]) + socket.inet_aton(address)))


# ---- what the server once punished ----

def bad_creations(random, victim, ids=IDS):
    while True:
        yield from _under_all_ids(victim, ids, *[lambda i: unreliable(b"\3\0")] * 3)


def contradicting_fragments(random, victim, ids=IDS):
    pair = (lambda n: reliable(b"\x09\x78", n, FRAGMENT), lambda n: reliable(b"\0\2\x78", n, FRAGMENT))
    while True:
        for first in range(random.randrange(256), 65536, 256 * 24):
            for peer_id in ids:
                numbers = range(first, first + 256 * 24, 256)
                yield victim, datagram(peer_id, *(make(n) for n in numbers for make in pair))


def empty_datagrams(victim):
    payload = encrypt(bytes((NO_ID, 0)))
    while True:
        yield victim, payload


def garbage(random, victim, ids=IDS):
    while True:
        first = random.choice((*ids, NO_ID, 1, 0, 0x80))
        yield victim, bytes([first]) + random.randbytes(random.choice((1, 2, 15, 40, 400, 1400)))


# ---- messages without a number ----

def unnumbered(random, victim, ids=IDS):
    """Chat, ships and restarts as no client sends them: unreliably."""
    while True:
        slot = random.randrange(8)
        makers = (lambda i: struct.pack("<BiH", 0x2C, i, 6) + TEXT, lambda i: b"\x39",
                  lambda i: creation(slot, i, 0x3FFFFFFF + 0x40000 * slot + 340, "Forged"))
        for make in makers:
            yield from _under_all_ids(victim, ids, lambda i: unreliable(make(i)))


def future_updates(random, victim, clock, ids=IDS):
    """`clock` tells the time of the game; the ship's owner has one of eight slots."""
    while True:
        ahead = random.choice((1.6, 4.9, 20.0, 1000.0, float("inf"), float("nan")))
        updates = [unreliable(struct.pack("<BIfB", 0x1C, 0x3FFFFFFF + 0x40000 * slot,
                                          clock() + ahead, 0x80)) for slot in range(8)]
        for peer_id in ids:
            yield victim, datagram(peer_id, *updates)


# ---- guessed numbers ----

def guessed_numbers(random, victim, ids=IDS, most=400):
    """Chat and restarts under numbers that a young session may be at."""
    while True:
        number = random.randrange(most)
        payload = random.choice((None, b"\x39"))
        yield from _under_all_ids(victim, ids, lambda i: reliable(
            payload or struct.pack("<BiH", 0x2C, i, 6) + TEXT, number))


def sweeps(random, victim, ids=IDS):
    """Chat under all numbers, one after the other."""
    while True:
        for first in range(random.randrange(24), 65536, 24):
            for peer_id in ids:
                text = struct.pack("<BiH", 0x2C, peer_id, 6) + TEXT
                yield victim, datagram(peer_id, *(reliable(text, first + k) for k in range(24)))


def acks(random, victim, ids=IDS):
    """255 Acks of one channel; the victim's own messages may be on their way."""
    while True:
        channel, first = random.choice((LOW, HIGH)), random.choice((0, 0, random.randrange(300)))
        for peer_id in ids:
            yield victim, datagram(peer_id, *(ack(channel, first + k) for k in range(125)))


def names(random, victim, private, ids=IDS):
    """Renames; `private` is the address that the victim's Name tells, or any other."""
    while True:
        number = random.choice((1, 2, 2, 3, 4, 5))
        yield from _under_all_ids(victim, ids, lambda i: control(
            NAME, number, name_payload(i, private, "Forged")))


# ---- strangers who connect ----

def connect_payload(random):
    return datagram(NO_ID, control(CONNECT, 0, bytes((10, 0, 0, random.randrange(256)))
                                   + random.randbytes(2) + bytes(4)))


def connects_of(random, victim):
    """Connects from the victim's address: its port, and other ports."""
    payloads = [connect_payload(random) for _ in range(64)]
    while True:
        port = random.choice((victim[1], 1024 + random.randrange(64000)))
        yield (victim[0], port), random.choice(payloads)


def connects(random):
    """Connects from everywhere. All loopback addresses stand for the internet."""
    payloads = [connect_payload(random) for _ in range(64)]
    while True:
        bits = random.getrandbits(40)
        address = f"127.{64 | bits & 63}.{bits >> 8 & 255}.{1 + (bits >> 16 & 127)}"
        yield (address, 1024 | bits >> 24), payloads[bits & 63]


def joins(random, sources, ids=IDS):
    """Whole joins, all answers guessed."""
    while True:
        for source in sources:
            yield source, connect_payload(random)
            for i in ids:
                yield source, datagram(i, ack(LOW, 0), control(
                    NAME, 1, name_payload(i, source[0], "Blind")))
            for step, r in enumerate((0, 1, 2, 3, 0xFF)):
                head = struct.pack("<I", REFERENCE_HASH) if r == 0 else b""
                answer = bytes((0x21, r)) + head + struct.pack("<I", DIRECTORY_HASHES[r] + 1)
                for i in ids:
                    yield source, datagram(i, ack(HIGH, step), reliable(answer, step))
            for i in ids:
                yield source, datagram(i, ack(HIGH, 5), ack(HIGH, 6), ack(HIGH, 7),
                                       reliable(b"\x2a\x20", 5))


def lines(sources, texts, ids, number):
    """A chat line of each source, under the next number of a client that has just joined."""
    for source, text in zip(sources, texts):
        for i in ids:
            line = struct.pack("<BiH", 0x2C, i, len(text)) + text.encode()
            yield source, datagram(i, reliable(line, number))


def queries(victim):
    while True:
        yield victim, b"\\status\\"
