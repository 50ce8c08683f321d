#!/usr/bin/env python3
"""tests/apps/rules_test.py -- bans, votes, rotation, greetings and idle players of a running server.

Usage: rules_test.py PROGRAM. The players are stock_like_client.py on addresses of 127.0.0.0/8; the
operator types into the console. The last line is "N passed, N failed".
"""
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

import child
import stock_like_client
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE = 40  # seconds for things that take less than one
BOOT_KICKED, BOOT_BANNED, BOOT_FULL = 4, 5, 3


class Server:
    """`starbase serve` with a configuration, a console on a pipe, and a log in a file."""

    def __init__(self, folder, lua="", *arguments):
        config = os.path.join(folder, "server.lua")
        with open(config, "w") as f:
            f.write("instance = \"\"\nbind = \"127.0.0.1\"\nport = 0\n" + lua)
        self.log = open(os.path.join(folder, "log"), "ab+")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        self.process = child.start([PROGRAM, "serve", "-c", config, *arguments], env=clean,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        ready = self.process.stdout.readline().decode()
        port = re.search(r":(\d+)", ready)
        self.address = ("127.0.0.1", int(port.group(1))) if port else None
        self.clients = []

    def messages(self):
        return os.pread(self.log.fileno(), 1 << 24, 0).decode()

    def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def answers(self, line, expected):
        """Whether the log gets the expected text after the line was typed."""
        before = len(self.messages())
        self.type(line)
        return self.turn(lambda: expected in self.messages()[before:])

    def player(self, name, address="127.0.7.1"):
        client = Player(self.address, name, address, seed=len(self.clients))
        self.clients.append(client)
        return client

    def join(self, name, address="127.0.7.1"):
        client = self.player(name, address)
        client.connect()
        self.turn(lambda: client.is_playing() or client.booted is not None)
        return client

    def turn(self, until, seconds=PATIENCE):
        """Lets the players play until something is so."""
        if not self.clients:
            end = time.monotonic() + seconds
            while not until() and time.monotonic() < end:
                time.sleep(0.02)
            return until()
        return stock_like_client.run(self.clients, seconds, until=until)

    def ask(self, query):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(1)
            s.sendto(query, self.address)
            try:
                return s.recvfrom(2048)[0].decode("latin-1")
            except TimeoutError:
                return ""  # the server answers one address a few times a second

    def plays(self, system):
        """Whether the room says that it plays in the system."""
        def look():
            time.sleep(0.3)
            return f"\\system\\{system}" in self.ask(b"\\status\\")
        return self.turn(look)

    def say(self, client, text):
        """Says a line; the server runs two commands of a player in a second."""
        self.turn(lambda: False, 1.1)
        client.say(text)

    def stop(self, number=signal.SIGTERM):
        for client in self.clients:
            client.close()
        self.process.send_signal(number)
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None
        finally:
            self.process.stdin.close()
            self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()


class Player(stock_like_client.Client):
    """Also keeps the systems that the server names in MissionInit."""

    def __init__(self, *arguments, **named):
        self.systems = []
        super().__init__(*arguments, **named)

    def _obey(self, at, payload):
        if payload and payload[0] == 0x35:
            self.systems.append(payload[2])
        super()._obey(at, payload)

    def hears(self, text):
        return any(text in line for _, line in self.chat)


def bans(folder):
    store = os.path.join(folder, "test.db")
    with Server(folder, "", "--store", store) as server:
        kirk = server.join("Kirk", "127.0.6.1")
        check("a player joins", kirk.is_playing(), server.messages())
        check("a range is banned, and the answer comes after the commit",
              server.answers("ban 127.0.6.0/24 7d spam", "127.0.6.0/24 is banned, 1 week (number 1)"),
              server.messages())
        check("nothing says that the ban will be lost", "until the server stops" not in
              server.messages(), server.messages())
        spock = server.join("Spock", "127.0.6.2")
        check("a banned address is refused with the reason for a ban",
              spock.booted == BOOT_BANNED and spock.joined_at is None, spock.booted)
        check("it gets no seat", server.ask(b"\\status\\").count("Spock") == 0)
        check("players who are there stay", kirk.is_playing())
        scotty = server.join("Scotty", "127.0.8.1")
        check("other addresses may join", scotty.is_playing(), scotty.booted)
        check("an exception is made", server.answers("bans except 127.0.6.3 lives there",
                                                     "127.0.6.3 is an exception"))
        check("which is an event, unlike a list", "console: `bans except 127.0.6.3 lives there`" in
              server.messages() and server.answers("bans", "lives there") and
              "console: `bans`" not in server.messages(), server.messages())
        check("a time that is none is no reason", server.answers("ban 127.0.6.9 10min spam",
              "`10min` is no time") and server.answers("bans except 127.0.6.9 2 days",
              "`2 days` is no time"), server.messages())
        sulu = server.join("Sulu", "127.0.6.3")
        check("an exception lets in", sulu.is_playing(), sulu.booted)
        check("a name is banned", server.answers("ban name:Grief* bad name", "name Grief* is banned"))
        server.stop(signal.SIGKILL)
    with Server(folder, "", "--store", store) as server:
        check("bans are read after a kill -9", "3 bans are in force" in server.messages(),
              server.messages())
        spock = server.join("Spock", "127.0.6.2")
        check("a ban survives kill -9", spock.booted == BOOT_BANNED, spock.booted)
        griefer = server.join("gRiEfEr 7", "127.0.9.1")
        check("a banned name is refused", server.turn(lambda: griefer.booted is not None) and
              griefer.booted == BOOT_BANNED, griefer.booted)
        check("and is told why", griefer.hears("bad name"), griefer.chat)
        check("a ban ends by its target", server.answers("unban 127.0.6.0/24", "no longer banned"))
        spock = server.join("Spock", "127.0.6.4")
        check("who is no longer banned joins", spock.is_playing(), (spock.booted, server.messages()))
        server.stop(signal.SIGKILL)
    with Server(folder, "", "--store", store) as server:
        check("the end of a ban survives, too", "2 bans are in force" in server.messages(),
              server.messages())


def lists(folder):
    path = os.path.join(folder, "bans.txt")
    with Server(folder, "store = \"\"\n") as server:
        server.type("ban 10.0.0.0/8 7d spam")
        server.type("ban name:Grief*")
        check("without a store the answer says how long it lasts",
              server.turn(lambda: "until the server stops" in server.messages()))
        check("a list is exported, and the answer says where it is",
              server.answers(f"bans export {folder}/../{os.path.basename(folder)}/bans.txt",
                             f"2 bans are in {os.path.realpath(path)}"), server.messages())
        full = server.answers("bans export /dev/full", "cannot write")
        check("a device is no list", full and os.path.exists("/dev/full"))
        with open(path) as f:
            text = f.read()
        check("an exported list has a line per ban", text.count("\n") == 2 and
              "ban 10.0.0.0/8 until 20" in text and 'reason spam' in text, text)
        check("an existing file is not overwritten",
              server.answers(f"bans export {path}", "cannot write"))
        with open(path, "a") as f:
            f.write("# from elsewhere\n198.51.100.7\nnonsense\n")
            f.write('{"kind":"except","range":"198.51.100.7","reason":"a friend"}\n')
        check("an edited list is imported",
              server.answers(f"bans import {path}", "2 bans added from"), server.messages())
        check("the first wrong line is named", "1 lines refused, the first is line 5: must begin" in
              server.messages(), server.messages())
        lines = os.path.join(folder, "bans.jsonl")
        check("a list is exported as JSON", server.answers(f"bans export {lines} json", "4 bans are in"))
        many = os.path.join(folder, "many.txt")
        with open(many, "w") as f:
            for i in range(100000):
                f.write(f"{20 + i // 65536}.{i // 256 % 256}.{i % 256}.0/24\n")
        check("a hundred thousand ranges are imported",
              server.answers(f"bans import {many}", "100000 bans added"), server.messages()[-500:])
        check("and players join", server.join("Kirk").is_playing())


def kicks(folder):
    with Server(folder, "store = \"\"\n") as server:
        kirk = server.join("Kirk", "127.0.6.1")
        friend = server.join("Friend", "127.0.6.1")
        check("a kick is answered", server.answers("kick Kirk ramming", "kept out for 5 minutes"),
              server.messages())
        check("the player is told why and removed",
              server.turn(lambda: kirk.booted is not None) and kirk.booted == BOOT_KICKED and
              kirk.hears("ramming"), (kirk.booted, kirk.chat))
        again = server.join("Kirk", "127.0.6.1")
        check("a kicked player is kept out", again.booted == BOOT_BANNED, again.booted)
        check("a kick removes nobody else", friend.is_playing(), friend.booted)
        check("a kick is in the list", server.answers("bans", "kick"))
        check("and can be ended", server.answers("unban 127.0.6.1", "no longer banned"))
        again = server.join("Kirk", "127.0.6.1")
        check("then the player may come back", again.is_playing(), again.booted)
        check("a short kick expires by itself",
              server.answers("kick Kirk 1s", "kept out for 1 second"), server.messages())
        server.turn(lambda: again.booted is not None)

        def returns():
            late = server.join("Late", "127.0.6.1")
            return late.is_playing()
        check("after its time the player may come back", server.turn(returns), server.messages())


def votes(folder):
    with Server(folder, "store = \"\"\n") as server:
        kirk, spock, griefer = (server.join(name, f"127.0.6.{i}") for i, name in
                                enumerate(("Kirk", "Spock", "Griefer"), 1))
        server.say(kirk, "!vote")
        check("votes are listed", server.turn(lambda: kirk.hears("!vote kick NAME")), kirk.chat)
        server.say(kirk, "!vote kick Grief")
        check("all are asked", server.turn(lambda: spock.hears("Kirk asks to remove Griefer")),
              (spock.chat, server.messages()))
        check("the target is told", server.turn(lambda: griefer.hears("This vote is about you")),
              griefer.chat)
        server.say(griefer, "!no")
        check("a vote is answered", server.turn(lambda: griefer.hears("You vote no: 1 yes, 1 no")),
              griefer.chat)
        server.say(spock, "!yes")
        check("a passed vote removes the player", server.turn(lambda: griefer.booted is not None) and
              griefer.booted == BOOT_KICKED, (griefer.booted, server.messages()))
        check("and is announced", server.turn(lambda: kirk.hears("The vote has passed")), kirk.chat)
        check("its command is logged as that of the vote",
              server.turn(lambda: "vote: `kick #" in server.messages()), server.messages())
        griefer = server.join("Griefer", "127.0.6.3")
        check("who was voted out is kept out", griefer.booted == BOOT_BANNED, griefer.booted)
        server.type("role Kirk helper")
        server.turn(lambda: re.search(r"!admin \d{6}", server.messages()))
        server.say(kirk, re.search(r"!admin \d{6}", server.messages()).group())
        server.turn(lambda: kirk.hears("You are helper now"))
        server.say(spock, "!vote kick Kirk")
        check("there is no vote about a player with a role",
              server.turn(lambda: spock.hears("Kirk has a role")), (spock.chat, kirk.booted))
        server.say(spock, "!vote map Nowhere")
        check("a wrong system is refused before the vote",
              server.turn(lambda: spock.hears("There is no star system `Nowhere`, only Multi1, Multi2")), spock.chat)
        server.say(spock, "!vote map Multi5")
        server.turn(lambda: kirk.hears("play in Multi5 next"))
        server.say(kirk, "!no")
        check("a vote fails", server.turn(lambda: spock.hears("The vote has failed")), spock.chat)
        server.say(kirk, "!vote map Multi5")
        check("and cannot be repeated at once", server.turn(lambda: kirk.hears("try again in")),
              kirk.chat)
        server.say(kirk, "!yes")
        check("without a vote there is nothing to vote on",
              server.turn(lambda: kirk.hears("There is no vote now")), kirk.chat)


def wrong_votes(folder):
    """A vote whose command cannot work is refused before the server runs."""
    def row(command, argument="none"):
        return ("votes = { { name = 'a', text = 'b', command = 'restart' },\n"
                f"  {{ name = 'x', text = 'y', command = '{command}', argument = '{argument}' }} }}\n")

    path = os.path.join(folder, "wrong.lua")

    def serve(lua, *arguments):
        with open(path, "w") as f:
            f.write("instance = ''\nbind = '127.0.0.1'\nport = 0\nstore = ''\n" + lua)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        result = subprocess.run([PROGRAM, "serve", "-c", path, *arguments], env=clean, timeout=30,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return result.returncode, result.stderr

    for command, argument, why in (
            ("mpa %s", "word", "there is no command `mpa`; did you mean `map`?"),
            ("restart now", "none", "`restart` takes no argument, but `now` follows"),
            ("bots 99", "none", "N must be a number from 0 to 16 or off, is `99`"),
            ("map %s", "player", "`%s` is a player, but `map` takes SYSTEM there"),
            ("map Nowhere", "none", "There is no star system `Nowhere`, only Multi1, Multi2"),
            ("mission race", "none", "There is no mission `race`, only ffa, team, faction, assault.")):
        expected = f"{path}: votes[2].command: `{command}`: {why}"
        for arguments in (["--check-config"], []):
            code, err = serve(row(command, argument), *arguments)
            check(f"the vote `{command}` is refused {arguments}", code == 78 and expected in err,
                  (code, err))
    code, err = serve(row("map Multi3"), "--check-config")
    check("a fixed system is fine", code == 0, (code, err))
    code, err = serve("rooms = { {}, { " + row("frob").replace("\n", " ") + " } }", "--check-config")
    check("the row of another room is named", code == 78 and "rooms[2].votes[2].command" in err, err)
    with Server(folder, "store = \"\"\n") as server:
        with open(os.path.join(folder, "server.lua"), "a") as f:
            f.write(row("frob"))
        check("a reload refuses it, too", server.answers("reload", "votes[2].command: `frob`"),
              server.messages())


def greetings(folder):
    lua = """store = ""
name = "Friday night"
motd = { "Welcome to %server%, %player%!", "%players% of %max_players% in %system%" }
rules = { "Be nice, always", "No ramming" }
time_limit = 30
"""
    with Server(folder, lua) as server:
        kirk = server.join("Kirk")
        check("the motd is heard", server.turn(lambda: kirk.hears("Welcome to Friday night, Kirk!")),
              kirk.chat)
        check("with its placeholders", server.turn(lambda: kirk.hears("1 of 8 in Multi1")), kirk.chat)
        server.say(kirk, "!rules")
        check("!rules answers", server.turn(lambda: kirk.hears("No ramming")), kirk.chat)
        server.say(kirk, "!time")
        check("!time answers", server.turn(lambda: kirk.hears("Multi1, free for all, time left: ")), kirk.chat)
        server.say(kirk, "!top")
        check("!top says that there is no store",
              server.turn(lambda: kirk.hears("keeps no statistics")), kirk.chat)
        spock = server.join("Spock", "127.0.6.2")
        for i in range(60):
            spock.say("!help")
        server.turn(lambda: spock.hears("too many lines"))
        server.turn(lambda: False, 3)
        check("a flood of !help costs nothing", len(spock.chat) < 220, len(spock.chat))
        check("and nobody is removed", spock.is_playing() and kirk.is_playing())


def idle(folder):
    with Server(folder, "store = \"\"\nidle_warn = 3\nidle_limit = 8\n") as server:
        kirk, spock = server.join("Kirk"), server.join("Spock", "127.0.6.2")
        last = [0.0]

        def act():
            if time.monotonic() - last[0] > 1:
                last[0] = time.monotonic()
                spock.say("here")

        stock_like_client.run(server.clients, PATIENCE, until=lambda: kirk.booted is not None, every=act)
        check("an idle player is warned", kirk.hears("You do nothing"), kirk.chat)
        check("and removed", kirk.booted == BOOT_KICKED, kirk.booted)
        check("who chats stays", spock.is_playing(), spock.booted)
        kirk = server.join("Kirk")
        check("an idle player may come back at once", kirk.is_playing(), kirk.booted)
    with Server(folder, "store = \"\"\nidle_limit = 2\nidle_action = \"lobby\"\n") as server:
        kirk = server.join("Kirk")
        kirk.spawn()
        server.turn(lambda: "flies" in server.messages())
        check("the ship of an idle player is destroyed",
              server.turn(lambda: "was destroyed" in server.messages()), server.messages())
        check("and the player stays", kirk.is_playing() and kirk.hears("your ship is destroyed"),
              kirk.chat)


def rotation(folder):
    lua = """store = ""
rotation = { { system = "Multi1", time_limit = 15 }, { system = "Multi3", mission = "team" } }
rotate = "rejoin"
"""
    with Server(folder, lua) as server:
        check("the first entry is played", server.plays("Multi1"))
        check("next counts at once in an empty room", server.answers("next", "is played now") and
              server.plays("Multi3"), server.messages())
        check("and begins again at the end", server.answers("next", "Multi1"))
        kirk, spock = server.join("Kirk"), server.join("Spock", "127.0.6.2")
        check("players get the system", kirk.systems == [1], kirk.systems)
        check("with players, next warns", server.answers("next", "they are removed in 15 s"),
              server.messages())
        check("players are told what comes and that they must join again",
              server.turn(lambda: kirk.hears("Next: Multi3") and kirk.hears("must join again")), kirk.chat)
        check("the match ends", server.turn(lambda: "the match is over" in server.messages().lower()
                                            or kirk.opcodes[0x38] > 0), server.messages())
        check("all are removed", server.turn(lambda: kirk.booted is not None and
                                             spock.booted is not None), server.messages())
        check("the room has the next entry", server.plays("Multi3"), server.messages())

        def returns():
            kirk = server.join("Kirk")
            return kirk.is_playing() and kirk.systems == [3]
        check("who joins again gets it", server.turn(returns), server.messages())
    with Server(folder, "store = \"\"\n") as server:
        kirk = server.join("Kirk")
        check("without a rotation, next says so", server.answers("next", "has no rotation"))
        check("map waits for an empty room", server.answers("map Multi5", "when the room is empty"))
        check("players stay in their system", server.plays("Multi1") and kirk.is_playing())
        check("and are told", kirk.hears("Next: Multi5, free for all, when everybody has left"), kirk.chat)
        kirk.leave()
        kirk.stage = "idle"  # a client that has left is silent
        check("the change comes when they have left", server.plays("Multi5"), server.messages())
        server.answers("set motd Hello", "motd is set")
        server.answers("reload", "reloaded")
        time.sleep(1)
        check("it stays when other keys are set, and after a reload",
              "\\system\\Multi5" in server.ask(b"\\status\\"), server.messages())
        check("until the key is", server.answers("set system Multi2", "system is set") and
              server.plays("Multi2"), server.messages())
    with Server(folder, "store = \"\"\nresend_settings = true\n") as server:
        kirk = server.join("Kirk")
        check("settings are sent again by key", server.answers("map Multi5", "are sent the new settings")
              and server.turn(lambda: kirk.systems == [1, 5]), (kirk.systems, server.messages()))
        check("and the player stays", kirk.is_playing())
        check("another mission waits all the same",
              server.answers("mission team", "when the room is empty"), server.messages())


def stored_games(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT mission, system FROM match ORDER BY id").fetchall()


def beside_bots(folder):
    lua = """bots = { fill = 3 }
rotation = { { system = "Multi1" }, { system = "Multi3", mission = "team" } }
"""
    store = os.path.join(folder, "bots.db")
    with Server(folder, lua, "--store", store) as server:
        check("bots fill the room", server.turn(lambda: server.messages().count("is in the game") >= 3 or
                                                "\\numplayers\\3" in server.ask(b"\\status\\")),
              server.messages())
        check("bots make room for the next entry",
              server.answers("next", "is played now") and server.plays("Multi3"), server.messages())
        server.turn(lambda: server.messages().count("is in the game") >= 6)
        left = server.messages().count(" left after")
        for i in range(30):  # the moment in which bots would see an unfinished change is short
            server.answers(f"set motd Hello {i}", "motd is set")
            time.sleep(0.05)
        check("bots stay when another key is set", server.messages().count(" left after") == left,
              server.messages()[-1500:])
        kirk = server.join("Kirk")
        check("a player joins beside bots", kirk.is_playing() and kirk.systems == [3],
              (kirk.booted, kirk.systems, server.messages()))
        check("the store has the match that was played",
              server.turn(lambda: stored_games(store) == [("team", "Multi3")]), stored_games(store))
        server.say(kirk, "!vote map Multi5")
        check("bots do not count in votes", server.turn(lambda: kirk.hears("The vote has passed")),
              (kirk.chat, server.messages()))
        kirk.leave()
        kirk.stage = "idle"
        check("bots make room when the last player leaves", server.plays("Multi5"), server.messages())


for part in (bans, lists, kicks, votes, wrong_votes, greetings, idle, rotation, beside_bots):
    with tempfile.TemporaryDirectory() as place:
        part(place)
finish()
