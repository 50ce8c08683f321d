"""tests/apps/stock_like_client.py -- a player that behaves like the stock game, on a real socket.

For: forged_sources_test.py. The code shares nothing with the program under test: it was written from
the specification of the wire (docs/spec: cipher 01 §2, framing §3 and §4, delivery §6, join 06, ships
03 and 07). Like the original it acknowledges whatever has a number before it looks at the number, and
retransmits after 1, 2, 3, 4, 5, 5 ... seconds. How it acknowledges is one of four habits:

ANEW    nine times, as the original (01 §6.7 D1, D2); another copy of a message starts the count anew
ON      the same, but another copy changes nothing while an Ack of it is queued (not known: 01 §13 Q7)
APART   once, in a datagram without anything else, as simple programs do
SINGLE  the same, but every message, an Ack too, has a datagram of its own, and is repeated each second
"""
import collections
import random
import select
import socket
import struct
import time

HOST_ID, NO_ID = 1, 0xFF
NAME, ACK, NOOP, CONNECT, BOOT, DISCONNECT, DATA = 0, 1, 2, 3, 4, 5, 0x32
RELIABLE, PRIORITY, FRAGMENT = 0x8000, 0x4000, 0x2000
LOW, HIGH = 0, 1  # the channels: control messages, Data
ANEW, ON, APART, SINGLE = HABITS = "ANEW", "ON", "APART", "SINGLE"
DATAGRAM_MAX = 512
TICK = 1 / 30
SO_TIMESTAMPNS = 35  # not in the socket module

DIRECTORY_HASHES = {0: 0x4DAFCB2F, 1: 0x4DAFCB2F, 2: 0xC017D1C4, 3: 0x3409475D, 0xFF: 0x8794D13F}
REFERENCE_HASH = 0x7E0CE243
SOVEREIGN = bytes.fromhex(  # subsystem snapshot, 07 §2.5
    "FFFF64FFFFFFFFFFFFFF64FFFFFFFFFFFF64FFFFFFFFFFFFFF646000FF64FFFFFFFFFFFFFFFFFF6401"
    "FFFFFFFFFF6401FFFFFF64FF")


# ---- cipher: spec 01 §2 ----

def _rounds(feedback):
    """For one value of all plaintext so far, xored: the five terms c, and the advanced words, xored."""
    terms, words, previous = [], 0, 0
    for high, low in zip(b"AbRls", b"lyue!"):
        w = ((high ^ feedback) << 8 | (low ^ feedback)) ^ previous
        terms.append(w * 0x015A & 0xFFFF)
        previous = (w * 0x4E35 + 1) & 0xFFFF
        words ^= previous
    return (*terms, words)


_TABLE = [_rounds(x) for x in range(256)]


def _crypt(data, decrypt):
    out, s, c, feedback = bytearray(data), 0, 0, 0
    for i in range(1, len(out)):
        c0, c1, c2, c3, c4, acc = _TABLE[feedback]
        s = (c + s * 0x4E35 + c0) & 0xFFFF
        acc ^= s
        s = (c0 + (s + 1) * 0x4E35 + c1) & 0xFFFF
        acc ^= s
        s = (c1 + (s + 2) * 0x4E35 + c2) & 0xFFFF
        acc ^= s
        s = (c2 + (s + 3) * 0x4E35 + c3) & 0xFFFF
        acc ^= s
        s = (c3 + (s + 4) * 0x4E35 + c4) & 0xFFFF
        acc ^= s
        c = c4
        byte = out[i]
        out[i] = byte ^ (acc ^ acc >> 8) & 0xFF
        feedback ^= out[i] if decrypt else byte
    return bytes(out)


def encrypt(data):
    return _crypt(data, False)


def decrypt(data):
    return _crypt(data, True)


# ---- messages: spec 01 §4 ----

def control(kind, number, payload):
    return struct.pack("<BHH", kind, len(payload) + 5 | RELIABLE | PRIORITY, number & 0xFFFF) + payload


def reliable(payload, number, flags=0):
    return struct.pack("<BHH", DATA, len(payload) + 5 | RELIABLE | flags, number & 0xFFFF) + payload


def unreliable(payload):
    return struct.pack("<BH", DATA, len(payload) + 3) + payload


def ack(channel, number, fragment=None):
    flags = (fragment is not None) | (channel == LOW) << 1
    tail = b"" if fragment is None else bytes([fragment])
    return struct.pack("<BHB", ACK, number & 0xFFFF, flags) + tail


def datagram(peer_id, *messages):
    return encrypt(bytes([peer_id, len(messages)]) + b"".join(messages))


def parse(data):
    """(type, flags, number, fragment index, fragments in all, payload) of each message."""
    at = 2
    for _ in range(data[1]):
        kind = data[at]
        if kind == NOOP:
            yield kind, 0, None, None, None, b""
            at += 1
            continue
        if kind == ACK:
            number, flags = struct.unpack_from("<HB", data, at + 1)
            yield kind, flags, number, data[at + 4] if flags & 1 else None, None, b""
            at += 5 if flags & 1 else 4
            continue
        flags, = struct.unpack_from("<H", data, at + 1)
        end = at + (flags & (0x1FFF if kind == DATA else 0x3FFF))
        at += 3
        number = index = total = None
        if flags & RELIABLE:
            number, = struct.unpack_from("<H", data, at)
            at += 2
        if kind == DATA and flags & FRAGMENT:
            index = data[at]
            at += 1
            if index == 0:
                total = data[at]
                at += 1
        yield kind, flags, number, index, total, data[at:end]
        at = end


# ---- values: spec 02 ----

def read_cf16(code):
    low, high = 0.0, 0.001
    for _ in range(code >> 12 & 7):
        low, high = high, high * 10
    value = low + (high - low) * (code & 0xFFF) / 4095
    return -value if code & 0x8000 else value


def write_cf16(value):
    low, high, scale = 0.0, 0.001, 0
    while scale < 7 and value >= high:
        low, high, scale = high, high * 10, scale + 1
    return scale << 12 | min(4095, int((value - low) / (high - low) * 4095))


def name_payload(peer_id, address, name):
    return bytes([peer_id]) + socket.inet_aton(address) + name.encode("utf-16-le") + b"\0\0"


def creation(slot, peer_id, object_id, name, position=(0.0, 0.0, 0.0), species=5, snapshot=SOVEREIGN):
    return (struct.pack("<BBBIIB7f", 3, slot, peer_id, 0x8008, object_id, species, *position, 1, 0, 0, 0)
            + bytes(7) + bytes([len(name)]) + name.encode() + b"\6Multi1" + snapshot)


def update(object_id, game_time, position, speed_code, base=None):
    """0x1C of a ship that heads along +y: with its position, or with the way from `base` along +y."""
    if base is None:
        return (struct.pack("<BIfB3fB", 0x1C, object_id, game_time, 0x9D, *position, 0x20)
                + bytes((0, 127, 0, 0, 0, 127)) + struct.pack("<H", speed_code))
    return (struct.pack("<BIfB", 0x1C, object_id, game_time, 0x92) + bytes((0, 127, 0))
            + struct.pack("<HH", write_cf16(position[1] - base[1]), speed_code))


Seen = collections.namedtuple("Seen", "at object_id speed_code position")


class Client:
    """One player: connect, answer the checksums, load, chat, fly. run() of this module turns it."""

    CODES = 0x4000, 1300  # speeds of a flight: cf16 codes from 1.0 to 3.9 units a second

    def __init__(self, server, name, address, port=0, private="10.10.10.239", seed=0,
                 habit=ANEW):
        self.random = random.Random(f"{seed} {name}")
        self.server, self.name, self.private = server, name, private
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((address, port))
        self.socket.setblocking(False)
        self.endpoint = self.socket.getsockname()
        self.hold_loading = self.silent = False
        self.never_answer = False
        self.queries_answered = 0
        self.habit = habit
        self.reset()

    def reset(self):
        """As the game is before it connects; what was seen of other sessions is forgotten."""
        self.peer_id, self.stage, self.connects = NO_ID, "idle", 0
        self.connect_began = self.joined_at = None
        self.next_number = [0, 0]
        self.expected = [0, 0]
        self.early = [{}, {}]
        self.parts = {}
        self.unacknowledged, self.fresh, self.acks = {}, [], {}
        self.last_sent = self.next_tick = 0
        self.names, self.gone, self.booted = {}, [], None
        self.chat, self.events, self.seen, self.opcodes = [], [], [], collections.Counter()
        self.ships, self.destroyed = {}, []
        self.slot, self.clock = None, None
        self.object_id, self.ships_built = None, 0
        self.flown, self.next_update = [], None

    # -- what the player does --

    def connect(self):
        self.reset()
        self.stage, self.connect_began = "connecting", time.monotonic()
        opaque = self.random.randbytes(2) + b"\0\0"
        self._send_reliable(LOW, CONNECT, socket.inet_aton(self.private) + opaque + b"\0\0")

    def say(self, text):
        self.send(struct.pack("<BiH", 0x2C, self.peer_id, len(text)) + text.encode())

    def send(self, payload):
        self._send_reliable(HIGH, DATA, payload)

    def finish_loading(self):
        self.hold_loading = False
        if self.stage == "loading":
            self.send(b"\x2a\x20")

    def spawn(self, y=0.0, **what):
        base = 0x3FFFFFFF + self.slot * 0x40000
        self.object_id = base + 34 * self.ships_built
        self.ships_built += 1
        self.position, self.base = [10.0 * self.slot, y, 0.0], None
        self.send(creation(self.slot, self.peer_id, self.object_id, self.name, self.position, **what))

    def fly(self):
        self.next_update = time.monotonic() + 0.1

    def game_time(self, now=None):
        return self.clock[0] + (now or time.monotonic()) - self.clock[1]

    def leave(self):
        payload = bytes([self.peer_id]) + socket.inet_aton(self.private)
        self._send_reliable(LOW, DISCONNECT, payload)
        self.stage, self.next_update = "leaving", None
        self._tick(time.monotonic())

    def is_playing(self):
        return self.stage == "playing"

    # -- sending --

    def _send_reliable(self, channel, kind, payload):
        number = self.next_number[channel]
        self.next_number[channel] = number + 1 & 0xFFFF
        if kind != DATA:
            self.fresh.insert(0, ((channel, number, None), control(kind, number, payload)))
        elif len(payload) <= 407:
            self.fresh.append(((channel, number, None), reliable(payload, number)))
        else:
            raise ValueError("no message of this client has fragments")

    def _pack(self, now):
        """One datagram: fresh Acks, one retransmission, new messages, old Acks (01 §6.2)."""
        out, size = [], 2

        def add(message):
            nonlocal size
            if size + len(message) > DATAGRAM_MAX or len(out) == 255:
                return False
            out.append(message)
            size += len(message)
            return True

        for key, entry in self.acks.items():
            if entry[0] < 3 and now >= entry[1] and add(ack(*key)):
                entry[0], entry[1] = entry[0] + 1, now + 0.667
        for entry in self.unacknowledged.values():
            if now >= entry[1]:
                if add(entry[0]):
                    entry[2] = 1 if self.habit == SINGLE else min(entry[2] + 1, 5)
                    entry[1] = now + entry[2]
                    if entry[0][0] == CONNECT:
                        self.connects += 1
                break
        while self.fresh and add(self.fresh[0][1]):
            key, message = self.fresh.pop(0)
            self.unacknowledged[key] = [message, now + 1, 1]
            if message[0] == CONNECT:
                self.connects += 1
        if self.next_update is not None and now >= self.next_update:
            add(unreliable(self._build_update(now)))
        if not out and self.peer_id != NO_ID and now - self.last_sent >= 5:
            add(bytes([NOOP]))
        if out:
            for key, entry in self.acks.items():
                if entry[0] >= 3 and now >= entry[1] and add(ack(*key)):
                    entry[0] += 1
                    entry[1] = now
        self.acks = {k: e for k, e in self.acks.items() if e[0] < 9}
        return out

    def _build_update(self, now):
        low, count = self.CODES
        code = low + len(self.flown) % count
        self.position[1] += read_cf16(code) * 0.1
        self.next_update = max(self.next_update + 0.1, now)
        self.flown.append((time.time(), code))
        full = len(self.flown) % 10 == 1
        if full:
            self.base = list(self.position)
        return update(self.object_id, self.game_time(now), self.position, code, None if full else self.base)

    def _tick(self, now):
        self.next_tick = now + TICK
        if self.silent:
            return
        if self.habit in (APART, SINGLE):
            self._emit(now, [ack(*key) for key in self.acks][:100])
            self.acks = {}
        self._emit(now, self._pack(now))

    def _emit(self, now, messages):
        if messages:
            self.last_sent = now
        size = 1 if self.habit == SINGLE else 255
        for first in range(0, len(messages), size):
            self.socket.sendto(datagram(self.peer_id, *messages[first:first + size]), self.server)

    # -- receiving --

    def receive(self):
        while True:
            try:
                data, extra, _, source = self.socket.recvmsg(2048, 64)
            except (BlockingIOError, ConnectionRefusedError):
                return
            if source != self.server or len(data) < 2 or self.silent:
                continue
            if data[:1] == b"\\":
                self.queries_answered += 1
            elif data[0] == HOST_ID and self.stage != "idle":
                seconds, nanoseconds = struct.unpack("qq", extra[0][2][:16])
                for message in parse(decrypt(data)):
                    self._take(seconds + nanoseconds / 1e9, *message)

    def _take(self, at, kind, flags, number, index, total, payload):
        if kind == ACK:
            self.unacknowledged.pop((LOW if flags & 2 else HIGH, number, index), None)
        elif kind == DATA and number is None:
            self._obey(at, payload)
        elif kind in (NAME, CONNECT, BOOT, DISCONNECT, DATA) and number is not None:
            channel = HIGH if kind == DATA else LOW
            self._acknowledge((channel, number, index))
            self._store(at, channel, kind, number, index, total, payload)

    def _acknowledge(self, key):
        """Before any look at the window, as stock does (01 §6.3)."""
        entry = self.acks.get(key)
        if entry is None:
            self.acks[key] = [0, 0]
        elif self.habit == ANEW:
            entry[:] = [0, 0]

    def _store(self, at, channel, kind, number, index, total, payload):
        distance = number - self.expected[channel]
        if -0x4000 <= distance < 0 or distance >= 0x4000:
            return
        if index is not None:
            parts = self.parts.setdefault(number, {})
            parts[index] = payload
            if total is not None:
                parts["total"] = total
            if "total" not in parts or any(i not in parts for i in range(parts["total"])):
                return
            payload = b"".join(parts[i] for i in range(parts["total"]))
            del self.parts[number]
        self.early[channel].setdefault(number, (kind, payload))
        while self.expected[channel] in self.early[channel]:
            kind, payload = self.early[channel].pop(self.expected[channel])
            self.expected[channel] = self.expected[channel] + 1 & 0xFFFF
            if kind == DATA:
                self._obey(at, payload)
            else:
                self._control(kind, payload)

    def _control(self, kind, payload):
        if kind == CONNECT and self.peer_id == NO_ID:
            self.peer_id, self.stage = payload[0], "joining"
            self._send_reliable(LOW, NAME, name_payload(self.peer_id, self.private, self.name))
        elif kind == NAME:
            self.names[payload[0]] = payload[5:].decode("utf-16-le").rstrip("\0")
        elif kind == BOOT and payload[1] in (self.peer_id, NO_ID):
            self.booted, self.stage, self.next_update = payload[0], "booted", None
        elif kind == DISCONNECT and payload[0] in (self.peer_id, HOST_ID):
            self.booted, self.stage, self.next_update = "closed", "booted", None
        elif kind in (BOOT, DISCONNECT):
            self.gone.append(payload[0] if kind == DISCONNECT else payload[1])

    def _obey(self, at, payload):
        if not payload:
            return
        opcode = payload[0]
        self.opcodes[opcode] += 1
        if opcode == 0x20 and not self.never_answer:
            self._answer_checksum(payload[1])
        elif opcode == 0x00 and len(payload) > 6:
            self.slot = payload[6]
            self.clock = struct.unpack_from("<f", payload, 1)[0], time.monotonic()
        elif opcode == 0x01:
            self.stage = "loading"
            if not self.hold_loading:
                self.finish_loading()
        elif opcode == 0x35:
            if self.joined_at is None:
                self.joined_at = time.monotonic()
            self.stage = "playing"
        elif opcode == 0x2C:
            sender, size = struct.unpack_from("<iH", payload, 1)
            self.chat.append((sender, payload[7:7 + size].decode("latin-1")))
        elif opcode == 0x08:
            self.events.append(struct.unpack_from("<II", payload, 9))
        elif opcode == 0x03:
            self.ships[struct.unpack_from("<I", payload, 7)[0]] = payload[2]
        elif opcode in (0x14, 0x13):
            self.destroyed.append(struct.unpack_from("<I", payload, 1)[0])
        elif opcode == 0x1C:
            self._watch(at, payload)

    def _answer_checksum(self, round_index):
        reference = struct.pack("<I", REFERENCE_HASH) if round_index == 0 else b""
        self.send(bytes((0x21, round_index)) + reference
                  + struct.pack("<I", DIRECTORY_HASHES[round_index] + 1))

    def _watch(self, at, payload):
        object_id, _, flags = struct.unpack_from("<IfB", payload, 1)
        offset, position, speed = 10, None, None
        if flags & 0x01:
            position = struct.unpack_from("<3f", payload, offset)
            offset += 13 + (2 if payload[offset + 12] & 1 else 0)
        if flags & 0x02:
            offset += 5
        offset += (3 if flags & 0x04 else 0) + (3 if flags & 0x08 else 0)
        if flags & 0x10:
            speed, = struct.unpack_from("<H", payload, offset)
        self.seen.append(Seen(at, object_id, speed, position))

    def close(self):
        self.socket.close()


def run(clients, seconds, forgers=(), until=None, every=None):
    """Turns all clients and forgers for `seconds`, or until `until()`; calls `every()` at each turn."""
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        if until and until():
            return True
        if every:
            every()
        for forger in forgers:
            forger.step(now)
        for client in clients:
            if now >= client.next_tick and client.stage not in ("idle", "booted"):
                client._tick(now)
        pause = 0.001 if forgers else 0.005
        for ready in select.select([c.socket for c in clients], [], [], pause)[0]:
            next(c for c in clients if c.socket is ready).receive()
    return bool(until and until())
