#!/usr/bin/env python3
"""tests/apps/serve_integrity_test.py -- integrity hashes in the log of `starbase serve`.

Usage: serve_integrity_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".

Our clients send no hash (spec 04 §1). A proxy between a bot and the server adds one to each
absolute position, as stock clients send it.
"""
import json
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import child
from checks import check, finish

PROGRAM = sys.argv[1]
PREDICTION, WRONG, OTHER = 0xAFEF, 0x1234, 0x4321


def crypt(data, decrypt):
    """The cipher of spec 01 §2."""
    key, s, c = bytearray(b"AlbyRules!"), 0, 0
    out = bytearray(data[:1])
    for byte in data[1:]:
        previous = mix = 0
        for i in range(5):
            word = (key[2 * i] << 8 | key[2 * i + 1]) ^ previous
            product = word * 0x015A
            s, c = (c + (s + i) * 0x4E35 + product) & 0xFFFF, product & 0xFFFF
            previous = (word * 0x4E35 + 1) & 0xFFFF
            mix ^= s ^ previous
        result = byte ^ mix & 0xFF ^ mix >> 8
        out.append(result)
        plain = result if decrypt else byte
        key = bytearray(k ^ plain for k in key)
    return bytes(out)


def add_hash(message, value):
    """A StateUpdate with an absolute position gets a hash (spec 03 §2): `20` becomes `21 xx xx`."""
    if len(message) < 23 or message[0] != 0x1C or not message[9] & 1 or message[22] != 0x20:
        return message
    return message[:22] + b"\x21" + struct.pack("<H", value) + message[23:]


def rewrite(datagram, value):
    """Adds hashes to the unreliable Data messages of a client's datagram (spec 01 §4)."""
    plain = crypt(datagram, True)
    out, at = plain[:2], 2
    while at < len(plain):
        if plain[at] == 1:  # Ack
            size = 5 if plain[at + 3] & 1 else 4
            out += plain[at:at + size]
        else:
            flags = struct.unpack_from("<H", plain, at + 1)[0]
            size = flags & 0x1FFF if plain[at] == 0x32 else flags & 0x3FFF
            message = plain[at:at + size]
            if plain[at] == 0x32 and flags == size:  # neither reliable nor a fragment
                body = add_hash(message[3:], value)
                message = b"\x32" + struct.pack("<H", 3 + len(body)) + body
            out += message
        at += max(size, 1)
    return crypt(out, False)


class Proxy:
    """Passes datagrams between one client and the server; .value is the hash that it adds."""

    def __init__(self, port, value):
        self.value = value
        self.inner = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.outer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.inner.bind(("127.0.0.1", 0))
        self.outer.connect(("127.0.0.1", port))
        self.port = self.inner.getsockname()[1]
        self.client = None
        self.open = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.open:
            for ready in select.select([self.inner, self.outer], [], [], 0.1)[0]:
                try:
                    self.pass_on(ready)
                except OSError:  # the server has closed
                    pass

    def pass_on(self, ready):
        if ready is self.inner:
            data, self.client = self.inner.recvfrom(2048)
            self.outer.send(rewrite(data, self.value) if data[0] != 0x5C else data)
        elif self.client:
            self.inner.sendto(self.outer.recv(2048), self.client)

    def close(self):
        self.open = False
        self.thread.join()
        self.inner.close()
        self.outer.close()


class Game:
    """A server, and a bot in a Sovereign behind a proxy; in a fight it sends reliable messages, too."""

    def __init__(self, value, *arguments, fight=False):
        self.log = tempfile.TemporaryFile()
        self.server = child.start(
            [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--log-json", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        port = json.loads(self.server.stdout.readline().decode())["port"]
        self.proxy = Proxy(port, value)
        self.bot = child.start(
            [PROGRAM, "bot", "--ship", "sovereign", "--name", "Ann", "--json",
             *([] if fight else ["--peaceful"]), f"127.0.0.1:{self.proxy.port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.target = fight and child.start(
            [PROGRAM, "bot", "--name", "Target", "--peaceful", "--quiet", f"127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def events(self, name):
        self.log.seek(0)
        lines = [json.loads(line) for line in self.log.read().decode().splitlines()]
        return [line for line in lines if line.get("event") == name]

    def wait_for(self, name, seconds=40):
        for _ in range(seconds * 20):
            if self.events(name):
                return True
            time.sleep(0.05)
        return False

    def text(self):
        self.log.seek(0)
        return self.log.read().decode()

    def stop(self):
        self.bot.send_signal(signal.SIGTERM)
        out = self.bot.communicate(timeout=20)[0].decode()
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(20)
        if self.target:
            self.target.wait(20)
        self.server.stdout.close()
        self.proxy.close()
        return out


def reports(game):
    check("a difference from the computed hash is logged", game.wait_for("hash-differs"),
          game.text())
    line = game.events("hash-differs")[0]
    check("as a prediction, at level info", line["level"] == "info" and
          line["subsystem"] == "cheat" and line["status"] == "prediction, unconfirmed" and
          line["message"] == "Ann: the integrity hash of the Sovereign is 0x1234, computed 0xAFEF "
          "(prediction, unconfirmed)", line)
    check("with player, ship and both hashes", (line["player"], line["ship"], line["hash"],
                                                line["computed"]) ==
          ("Ann", "Sovereign", WRONG, PREDICTION), line)
    game.proxy.value = OTHER
    check("a hash that changes is logged", game.wait_for("hash-changed"), game.text())
    line = game.events("hash-changed")[0]
    check("as a warning", line["level"] == "warning" and line["message"] ==
          "Ann: the integrity hash of the Sovereign changed from 0x1234 to 0x4321; the hash of a "
          "stock ship never changes", line)
    check("with both hashes", (line["hash"], line["hash_before"], line["skipped"]) ==
          (OTHER, WRONG, 0), line)
    game.server.send_signal(signal.SIGUSR1)
    for _ in range(200):
        if "integrity hashes:" in game.text():
            break
        time.sleep(0.05)
    check("the status counts them", '"message":"integrity hashes: 1 hash_changed, 1 hash_differs, '
          '0 hash_boots"' in game.text() and '"hash_changed":1' in game.text(), game.text()[-900:])


def removal(game):
    check("boot removes a player with a wrong hash", game.wait_for("left"), game.text())
    kicked = game.events("kicked")
    check("the log says why", len(kicked) == 1 and kicked[0]["level"] == "warning" and
          kicked[0]["reason"] == "the data of your ship differ from the server's (integrity hash)",
          kicked)
    out = game.bot.communicate(timeout=20)[0].decode()
    check("the player is told why", "(integrity hash)" in out and game.bot.returncode == 1, out)


def configuration():
    for mode, fine in (("off", True), ("report", True), ("boot", True), ("kick", False)):
        result = subprocess.run([PROGRAM, "serve", "--integrity", mode, "--check-config"],
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        check(f"integrity {mode} is {'accepted' if fine else 'refused'}",
              result.returncode == (0 if fine else 78), result)
    keys = subprocess.run([PROGRAM, "serve", "--keys"], capture_output=True, timeout=30)
    words = " ".join(keys.stdout.decode().split())
    check("the help warns of boot", "no captured hash (Akira FB37, Nebula 040C) is reproduced yet, "
          "so boot may remove honest players" in words, words[:400])


booting = Game(WRONG, "--integrity", "boot", fight=True)
silent = Game(WRONG, "--integrity", "off")
honest = Game(PREDICTION, "--integrity", "boot")
reporting = Game(WRONG)
configuration()
reports(reporting)
removal(booting)
for idle, what in ((silent, "off logs nothing"), (honest, "the predicted hash is no event"),
                   (reporting, "by default nobody is removed")):
    check(f"{what}, and the player stays", idle.bot.poll() is None and not idle.events("kicked") and
          (idle is reporting or not idle.events("hash-differs")), idle.text())
for each in (silent, honest, reporting, booting):
    each.stop()
finish()
