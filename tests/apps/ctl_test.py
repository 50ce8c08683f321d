#!/usr/bin/env python3
"""tests/apps/ctl_test.py -- commands to a running server: the control socket, chat, roles, seats.

Usage: ctl_test.py PROGRAM. The last line is "N passed, N failed". Players are those of
stock_like_client.py, which share no code with the program.
"""
import json
import os
import pwd
import random
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import child
import stock_like_client
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="sbctl")
USER = pwd.getpwuid(os.getuid()).pw_name


def environment(**values):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    return {**clean, "STARBASE_CONTROL_DIR": FOLDER, "STARBASE_STORE": "", **values}


class Server:
    def __init__(self, *arguments, rooms=1, stdin=subprocess.DEVNULL, **values):
        self.log = tempfile.TemporaryFile()
        self.process = child.start(
            [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--log-json", *arguments],
            stdin=stdin, stdout=subprocess.PIPE, stderr=self.log, env=environment(**values))
        self.ports = [json.loads(self.process.stdout.readline())["port"] for _ in range(rooms)]
        if arguments[-2:] != ("--instance", ""):
            self.wait_for("starbase ctl")  # the line that names the socket, or says why there is none

    def messages(self):
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size, 0).decode()

    def lines(self):
        return [json.loads(line) for line in self.messages().splitlines()]

    def wait_for(self, text, count=1):
        for _ in range(2000):
            if self.messages().count(text) >= count:
                return True
            time.sleep(0.01)
        return False

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stdout.close()
        return code


def ctl(*arguments, text=None, **values):
    result = subprocess.run([PROGRAM, "ctl", *arguments], capture_output=True, timeout=60,
                            input=None if text is None else text.encode(),
                            stdin=subprocess.DEVNULL if text is None else None,
                            env=environment(**values))
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def ctl_json(*arguments):
    lines = [json.loads(line) for line in ctl("--json", *arguments)[1].splitlines()]
    return lines[:-1], lines[-1]


def says(sentence, arguments, expected, code=0):
    """One command: its exit status, and a part of its output on the right stream."""
    status, out, err = ctl(*arguments)
    stream = out if code == 0 else err
    check(sentence, status == code and expected in stream, (arguments, status, out, err))


class Table:
    """Players at a server, turned by a thread, so that the test can run commands meanwhile."""

    def __init__(self, port):
        self.server, self.clients, self.over = ("127.0.0.1", port), [], False
        self.joined = 0
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.turn)
        self.thread.start()

    def turn(self):
        while not self.over:
            with self.lock:
                clients = list(self.clients)
                if clients:
                    stock_like_client.run(clients, 0.02)
            time.sleep(0.002)

    def join(self, name, address=None, wait=True):
        self.joined += 1
        address = address or f"127.0.1.{self.joined}"  # a kick keeps an address out
        client = stock_like_client.Client(self.server, name, address)
        with self.lock:
            client.connect()
            self.clients.append(client)
        if wait:
            check(f"{name} joins", self.until(client.is_playing), (client.stage, client.booted))
        return client

    def try_again(self, client):
        """Connects until the client plays: a seat may still be that of a player who has left."""
        for _ in range(15):
            with self.lock:
                client.reset()
                client.connect()
            if self.until(lambda: client.is_playing() or client.booted is not None, 5) and \
                    client.is_playing():
                return True
            time.sleep(0.5)
        return False

    def until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self.lock:
                if condition():
                    return True
            time.sleep(0.01)
        return False

    def type(self, client, text):
        with self.lock:
            client.say(text)

    def hears(self, client, text):
        return self.until(lambda: any(text in line for _, line in client.chat))

    def leave(self, client):
        with self.lock:
            client.leave()
            self.clients.remove(client)
        client.close()

    def close(self):
        self.over = True
        self.thread.join()
        for client in self.clients:
            client.close()


# ---- finding the server ----

def finding():
    status, out, err = ctl("status")
    check("without a server ctl says where it looked", status == 1 and FOLDER in err and out == "",
          (status, out, err))
    one = Server()
    says("the only server is found", ["status"], "Starbase, ffa in Multi1")
    says("its instance may be named", ["--instance", "server", "status"], "Starbase")
    says("a wrong instance gets a suggestion", ["-i", "servr", "status"], "did you mean `server`?", 1)
    second = Server()
    check("a second server of the same name runs without a socket and says so",
          second.wait_for("no control socket") and "choose another name with --instance" in
          second.messages(), second.messages())
    says("and the first one still has it", ["status"], "Starbase")
    second.stop()
    other = Server("--instance", "other", "--name", "Other")
    status, out, err = ctl("status")
    check("of several servers one must be chosen", status == 1 and "--instance NAME" in err and
          "other" in err and "server" in err, (status, out, err))
    says("the other one is reached by its name", ["-i", "other", "status"], "Other, ffa")
    status, out, err = ctl("--list")
    check("--list lists both", status == 0 and len(out.splitlines()) == 2, out)
    other.process.kill()
    other.stop()
    check("a killed server leaves its socket", os.path.exists(f"{FOLDER}/other.ctl"))
    says("which ctl does not take for a server", ["status"], "Starbase, ffa")
    status, out, err = ctl("--list")
    check("--list does not, either", status == 0 and len(out.splitlines()) == 1, out)
    other = Server("--instance", "other", "--name", "Again")
    says("the next server replaces it", ["-i", "other", "status"], "Again")
    mode = os.stat(f"{FOLDER}/other.ctl").st_mode & 0o777
    check("others may not use the socket", mode & 0o007 == 0, oct(mode))
    other.stop()
    check("a server that stops removes its socket", not os.path.exists(f"{FOLDER}/other.ctl"))
    one.stop()
    none = Server("--instance", "")
    check("an empty instance opens no socket", not os.listdir(FOLDER) or
          all(name.endswith(".lock") for name in os.listdir(FOLDER)), os.listdir(FOLDER))
    none.stop()
    world = tempfile.mkdtemp(prefix="sbopen")
    os.chmod(world, 0o777)
    server = Server(STARBASE_CONTROL_DIR=world)
    check("a folder that everybody may write to is not used",
          server.wait_for("everybody may write to it"), server.messages())
    server.stop()
    os.rmdir(world)
    status, out, err = ctl("--room", "x", "status")
    check("a wrong option is usage", status == 2 and "--room needs a number" in err, (status, err))
    for wrong, part in (("a/b", "must have letters"), (".x", "not start with")):
        result = subprocess.run([PROGRAM, "serve", "--instance", wrong], capture_output=True,
                                timeout=20, env=environment())
        check("a wrong instance is a wrong configuration", result.returncode == 78 and
              part in result.stderr.decode(), result.stderr)
    result = subprocess.run([PROGRAM, "serve", "--set", "helper_commands=mute, stop"],
                            capture_output=True, timeout=20, env=environment())
    check("a wrong list of commands, too", result.returncode == 78 and
          "helper_commands: `stop` is no command for the chat" in result.stderr.decode(),
          result.stderr)


# ---- commands ----

def commands():
    server = Server("--max-players", "6")
    table = Table(server.ports[0])
    kirk, spock = table.join("Kirk"), table.join("Spock")
    scotty = table.join("Scotty")
    lines, result = ctl_json("players")
    keys = {"time", "level", "subsystem", "room", "message", "peer", "player", "state", "score",
            "kills", "deaths", "ping_ms", "address", "seconds", "role"}
    check("players --json has stable keys", len(lines) == 3 and all(keys <= set(p) for p in lines) and
          result == {"result": "fine", "status": 0}, (lines, result))
    ident = {p["player"]: p["peer"] for p in lines}
    says("--json may follow a command", ["players", "--json"], '"result":"fine"')
    says("unless it is a text", ["say", "--json"], "said: --json")
    says("players lists names", ["players"], "Spock")
    says("an ambiguous name lists the candidates", ["kick", "S"],
         f"2 players fit `S`: #{ident['Spock']} Spock, #{ident['Scotty']} Scotty", 1)
    says("an unknown name is negative", ["kick", "Zoe"], "there is no player `Zoe`", 1)
    says("a missing argument is usage", ["kick"], "`kick PLAYER [FOR] [REASON]`", 2)
    says("an unknown command is usage", ["kikc", "Kirk"], "did you mean `kick`?", 2)
    says("a command with a wrong room is usage", ["--room", "2", "status"], "there is no room 2", 2)
    says("tell reaches one player", ["tell", f"#{ident['Kirk']}", "beam up"], "told player")
    check("the player hears it", table.hears(kirk, "beam up"), kirk.chat)
    says("a command that refuses its argument has its exit status", ["bots", "99"],
         "N must be a number from 0 to 16 or off, is `99`", 2)
    says("a server without bots says so", ["bots"], "no bots\n")
    says("bots answers as a sentence", ["bots", "6"], "0 bots, up to 6 with people")
    says("and off", ["bots", "off"], "no bots from now on")
    says("an empty text is no text", ["say", ""], "a text is missing: `say TEXT`", 2)
    says("say reaches all", ["say", "Grüße an alle"], "said: Grüße")
    check("all hear it", table.hears(spock, "Grüße") and table.hears(scotty, "Grüße"), spock.chat)
    check("a line to one player is heard by nobody else",
          not any("beam up" in line for _, line in spock.chat), spock.chat)
    says("mute answers for how long", ["mute", "spo", "10m", "spam"], "is muted: 10 minutes")
    check("the muted player is told why", table.hears(spock, "You are muted") and
          table.hears(spock, "spam"), spock.chat)
    table.type(spock, "can you hear me")
    check("the muted player is told once more", table.hears(spock, "your line was not sent"),
          spock.chat)
    table.leave(spock)
    server.wait_for("Spock left")
    spock = table.join("Spock", "127.0.1.2")
    for _ in range(200):
        if any(p["player"] == "Spock" and p["muted"] for p in ctl_json("players")[0]):
            break
        time.sleep(0.02)
    table.type(spock, "here again")
    check("a mute with an end survives a rejoin", table.hears(spock, "your line was not sent"),
          spock.chat)
    says("unmute", ["unmute", "Spock"], "is heard again")
    table.type(spock, "and now")
    check("an unmuted player is heard", table.hears(kirk, "and now"), kirk.chat)
    check("what was written before is not", not any(
        "can you" in line or "here again" in line for _, line in kirk.chat), kirk.chat)
    says("kick removes", ["kick", "Scotty", "10m", "no ramming please"], "is removed")
    check("and tells the reason", table.hears(scotty, "no ramming please"), scotty.chat)
    check("the player is out", table.until(lambda: scotty.stage == "booted"), scotty.stage)
    says("end ends the match", ["end"], "the match ends")
    says("end once more is negative", ["end"], "is over already", 1)
    says("restart starts one", ["restart"], "a new match starts")

    says("set changes a key at once", ["set", "friendly_fire", "no"], "friendly_fire is set")
    says("set shows a key", ["set", "friendly_fire"], "friendly_fire = false")
    says("a key of the start cannot be set", ["set", "port", "5"], "counts after a restart only", 1)
    says("an impossible value is refused", ["set", "max_players", "77"],
         "max_players: must be a whole number from 1 to 16", 1)
    says("a misspelt key gets a suggestion", ["set", "max_player", "4"], "did you mean", 2)
    says("a list in braces is refused", ["set", "motd", '{ "a", "b" }'], "without braces", 1)
    says("a list has commas", ["set", "motd", "one, two"], "motd is set")
    says("between its entries", ["set", "motd"], 'motd = { "one", "two" }')
    says("an entry in quotes may have commas", ["set", "motd", '"Hello, all", "have fun"'],
         'motd is set to { "Hello, all", "have fun" }')
    says("also as a whole line", ['set motd "Hello, all"'], 'motd is set to { "Hello, all" }')
    says("a quote that is not closed is refused", ["set", "motd", '"Hello, all'], "is not closed", 1)
    says("an empty value empties the list", ["set", "motd", ""], "motd is set to { }")
    says("a text in quotes is unquoted", ["set", "name", '"Friday, late"'],
         'name is set to "Friday, late"')
    says("other quotes stay", ["set", "name", '"Friday" "late"'], r'"\"Friday\" \"late\""')
    says("a value with blanks", ["set", "name", "Friday Night"], "name is set")
    says("is in force", ["status"], "Friday Night")
    says("status says what the store does", ["status"], "store off")
    says("reload takes back what was set", ["reload"], "reloaded")
    says("which status shows", ["status"], "Starbase, ffa")
    says("and set, too", ["set", "friendly_fire"], "friendly_fire = true")
    status, out, err = ctl("password", "sesame")
    check("a password on the command line is refused", status == 2 and "on a command line" in err, err)
    status, out, err = ctl("set", "password", "sesame")
    check("nor with set", status == 2 and "on a command line" in err, err)
    for words in (["password sesame"], ["set password sesame"], ["--room", "1", "password", "sesame"]):
        status, out, err = ctl(*words)
        check(f"nor as {words}", status == 2 and "other users can read" in err, (status, out, err))
    status, out, err = ctl("password", text="")
    check("no line is no password", status == 2 and "stdin has ended without a password" in err,
          (status, out, err))
    status, out, err = ctl("password", text="sesame\n")
    check("a password comes from stdin", status == 0 and "password is set" in out, (out, err))
    check("and is not in the log", "sesame" not in server.messages())
    late = table.join("Late", wait=False)
    check("a newcomer without the password is refused", table.until(lambda: late.booted is not None),
          late.stage)
    ctl("password", text="\n")
    admins = [line for line in server.lines() if line["subsystem"] == "admin"]
    check("commands that act are events with who, what and result",
          {"event", "who", "command", "result", "status"} <= set(admins[0]) and
          all(line["who"] == f"ctl:{USER}" for line in admins), admins[:3])
    done = [line["command"] for line in admins]
    check("players, status and refused commands are none", "players" not in done and
          "kick" not in done and 'set port 5' in done, done)

    status, out, err = ctl(text="status\nkick Zoe\n\nplayers\n")
    check("commands of a pipe: the worst status counts", status == 1 and "Starbase" in out and
          "Kirk" in out and "no player `Zoe`" in err, (status, out, err))
    says("help lists the commands", ["help"], "mute PLAYER [FOR] [REASON]")
    table.close()
    says("stop stops the server", ["stop"], "says goodbye")
    check("with status 0", server.process.wait(20) == 0)
    server.stop()


def rooms():
    server = Server("--rooms", "3", rooms=3)
    table = Table(server.ports[1])
    kirk = table.join("Kirk")
    ident = ctl_json("players")[0][0]["peer"]
    says("an id needs its room", ["kick", f"#{ident}"], "put the number of the room in front", 2)
    says("a name does not", ["tell", "Kirk", "hi"], "room 2: told")
    says("--room selects one", ["--room", "2", "tell", f"#{ident}", "hello"], "told")
    says("a number in front, too", ["2", "say", "numbered"], "said")
    check("the player hears all", table.hears(kirk, "hello") and table.hears(kirk, "numbered"))
    says("restart needs a room", ["restart"], "1 restart", 2)
    lines, _ = ctl_json("status")
    check("status lists all rooms", [x["room"] for x in lines if "datagrams_in" in x] == [1, 2, 3])
    table.close()
    server.stop()


# ---- roles ----

def code_for(name, role):
    lines, result = ctl_json("role", name, role)
    return lines[-1].get("code"), lines


def roles():
    server = Server()
    table = Table(server.ports[0])
    kirk, spock, bones = table.join("Kirk"), table.join("Spock"), table.join("Bones")
    table.type(spock, "!help")
    check("everybody has !help", table.hears(spock, "!players"), spock.chat)
    check("which offers no commands of roles", not any("!kick" in x for _, x in spock.chat), spock.chat)
    table.type(spock, "!kick Kirk")
    check("a player has no !kick", table.hears(spock, "there is no command `kick`"), spock.chat)
    table.type(spock, "!wow")
    code, lines = code_for("Kirk", "moderator")
    check("a code has six digits", code and re.fullmatch(r"\d{6}", code), lines)
    wrong = "000000" if code != "000000" else "000001"
    table.type(spock, f"!admin {code}")
    check("a code is good for its player only", table.hears(spock, "wrong or too old"), spock.chat)
    table.type(kirk, f"!admin {wrong}")
    check("a wrong code is refused", table.hears(kirk, "wrong or too old"), kirk.chat)
    table.type(kirk, f"!admin {code}")
    check("the code gives the role", table.hears(kirk, "You are moderator now"), kirk.chat)
    says("role lists it", ["role"], "Kirk is moderator")
    table.type(kirk, "!ban Spock")
    check("a moderator may not ban", table.hears(kirk, "not for the role moderator"), kirk.chat)
    table.type(kirk, "!tell Bones psst")
    check("a command of chat has its effect", table.hears(bones, "psst"), bones.chat)
    table.type(kirk, "hello all")
    check("other lines are passed on", table.hears(spock, "hello all"), spock.chat)
    check("codes and commands are not", not any(
        "!admin" in x or "!ban" in x or "!tell" in x for who in (spock, bones)
        for _, x in who.chat if not (who is spock and "!admin" in x and code in x)),
        (spock.chat, bones.chat))
    check("unknown words of players are no commands", any("!wow" in x for _, x in kirk.chat) and
          not any("wow" in x and "no command" in x for _, x in spock.chat), spock.chat)
    time.sleep(1.1)  # two commands in a second
    table.type(kirk, "!kick Bones 5m spam")
    check("a moderator kicks", table.until(lambda: bones.stage == "booted"), bones.stage)
    check("who did it is in the log", server.wait_for('"who":"chat:Kirk"'), server.messages()[-800:])
    check("and no code is", code not in server.messages())
    says("a role can be taken away", ["role", "Kirk", "none"], "no role any more")
    time.sleep(1.1)
    table.type(kirk, "!say x")
    check("then the commands are gone", table.hears(kirk, "there is no command `say`"), kirk.chat)

    code, _ = code_for("Spock", "admin")
    time.sleep(1.1)
    for i in range(3):
        table.type(spock, f"!admin {'111111' if code != '111111' else '222222'}")
        time.sleep(1.2)
    table.type(spock, f"!admin {code}")
    check("after three attempts a right code is not looked at",
          table.hears(spock, "Too many attempts"), spock.chat)
    code, _ = code_for("Kirk", "admin")
    time.sleep(1.1)
    table.type(kirk, f"!admin {code}")
    check("Kirk is admin", table.hears(kirk, "You are admin now"), kirk.chat)
    table.leave(kirk)
    server.wait_for('Kirk left')
    again = table.join("Kirk")
    says("a role does not come back with the name", ["role"], "no player has a role")
    says("nor with the address", ["role", "Kirk"], "Kirk is player")
    check("the player is there", again.is_playing())
    table.close()
    server.stop()

    server = Server("--set", "hide_commands=no")
    table = Table(server.ports[0])
    kirk, spock = table.join("Kirk"), table.join("Spock")
    table.type(kirk, "!admin 123456")
    check("without hide_commands every line is passed on", table.hears(spock, "!admin 123456"))
    table.close()
    server.stop()


# ---- seats ----

def seats():
    server = Server("--max-players", "3", "--set", "slots=1", "--set", "peers_per_address=0")
    table = Table(server.ports[0])
    kirk, spock = table.join("Kirk", "127.0.1.1"), table.join("Spock")
    late = table.join("Late", "127.0.1.1", wait=False)
    check("the last seat is kept", table.until(lambda: late.booted is not None), late.stage)
    says("slots shows it", ["slots"], "1 of 3 seats are kept")
    ctl("slots", "2")
    says("another key is set", ["set", "motd", "x"], "motd is set")
    says("which leaves the slots as they are", ["slots"], "2 of 3 seats are kept")
    ctl("slots", "1")
    code, _ = code_for("Kirk", "helper")
    table.type(kirk, f"!admin {code}")
    check("Kirk is helper", table.hears(kirk, "You are helper now"), kirk.chat)
    check("who held a role at that address may take it", table.try_again(late), late.stage)
    table.leave(late)
    says("more seats than there are cannot be kept", ["slots", "4"], "the room has 3 seats", 1)
    says("and are not", ["slots"], "1 of 3 seats are kept")
    says("slots 0 keeps none", ["slots", "0"], "0 of 3 seats")
    check("spock is still there", spock.is_playing())
    says("drain admits no newcomers", ["drain"], "no new players are admitted")
    says("status says so", ["status"], "draining: ")
    more = table.join("More", wait=False)
    check("a newcomer is refused", table.until(lambda: more.booted is not None), more.stage)
    says("drain off", ["drain", "off"], "admitted again")
    check("then the newcomer joins", table.try_again(more), more.stage)
    says("drain once more", ["drain"], "no new players")
    check("a server with a match that goes on runs", server.process.poll() is None)
    says("its match ends", ["end"], "the match ends")
    check("the drained server stops with status 0", server.process.wait(20) == 0)
    table.close()
    server.stop()


# ---- follow ----

def follow():
    server = Server("--rooms", "2", rooms=2)
    follower = child.start([PROGRAM, "ctl", "follow"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env=environment())
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(follower.stdout))
    reader.start()
    end = time.monotonic() + 20
    while not any(b'"said: one' in line or b"said: one" in line for line in lines) and \
            time.monotonic() < end:
        ctl("say", "one")
        time.sleep(0.05)
    table = Table(server.ports[0])
    table.join("Kirk")
    server.wait_for("is in the game")
    end = time.monotonic() + 20
    while not any(b"is in the game" in line for line in lines) and time.monotonic() < end:
        time.sleep(0.02)
    follower.send_signal(signal.SIGINT)
    follower.wait(10)
    reader.join(10)
    objects = [json.loads(line) for line in lines]
    check("follow prints the log as objects", any(
        o.get("event") == "joined" and o.get("player") == "Kirk" and o.get("room") == 1
        for o in objects), lines[-3:])
    check("with the commands of others", any(o.get("command") == "say one" for o in objects))
    table.close()

    server.process.send_signal(signal.SIGSTOP)
    waiting = child.start([PROGRAM, "ctl", "status"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment())
    said = waiting.stderr.readline() if select.select([waiting.stderr], [], [], 20)[0] else b""
    check("ctl says that the server hangs", b"has not answered for 5 s" in said, said)
    server.process.send_signal(signal.SIGCONT)
    out, _ = waiting.communicate(timeout=20)
    check("and waits for its answer", waiting.returncode == 0 and b"Starbase" in out, out)

    lazy = Raw()
    lazy.send(b"follow\n")
    for _ in range(150):  # more than a follower's queue holds
        ctl(text="say " + "x" * 200 + "\n" + ("say " + "y" * 200 + "\n") * 30)
    says("a follower that does not read costs nothing", ["status"], "Starbase")
    data = lazy.read_until(b'"event":"lost"')
    check("it learns how many lines it lost", b'"event":"lost"' in data, data[-300:])
    lazy.close()
    server.stop()


def many_followers():
    """Readers that never read have some of the places, and give them up to a follower that reads."""
    server = Server()
    hung = [Raw() for _ in range(16)]
    answers = []
    for raw in hung:
        raw.send(b"follow\n")
        answers.append(raw.read_until(b'"status"'))
    check("eight programs may follow the log", [b'"fine"' in a for a in answers] ==
          [True] * 8 + [False] * 8, answers)
    says("followers that do not read keep no command out", ["status"], "Starbase")
    says("one more is told why it may not follow", ["follow"], "8 programs follow the log already", 1)
    for _ in range(3):  # more than the queues of eight followers hold
        ctl(text=("say " + "x" * 200 + "\n") * 1000)
    says("nor do they with full queues", ["status"], "Starbase")
    reader, result = None, b""
    for _ in range(60):  # seconds
        reader = Raw()
        reader.send(b"follow\n")
        result = reader.read_until(b'"status"')
        if b'"fine"' in result:
            break
        reader.close()
        time.sleep(1)
    check("a follower that does not read gives its place to the next", b'"fine"' in result, result)
    ctl("say", "hello reader")
    check("which gets the log", b"hello reader" in reader.read_until(b"hello reader"))
    follower = child.start([PROGRAM, "ctl", "follow"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env=environment())
    for _ in range(200):
        ctl("say", "anybody?")
        if select.select([follower.stdout], [], [], 0.05)[0]:
            break
    server.stop()
    _, err = follower.communicate(timeout=20)
    check("a follower learns that the server has ended it", follower.returncode == 1 and
          b"closed the connection" in err, (follower.returncode, err))
    for raw in hung + [reader]:
        raw.close()


# ---- hostile clients ----

class Raw:
    """A client of the socket without the program."""

    def __init__(self, name="server"):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{FOLDER}/{name}.ctl")  # waits while the queue of the system is full
        self.socket.settimeout(20)

    def send(self, data):
        self.socket.sendall(data)

    def read_until(self, text, limit=64 << 20):
        data = b""
        try:
            while text not in data[-70000:] and len(data) < limit:
                part = self.socket.recv(65536)
                if not part:
                    break
                data += part
        except (TimeoutError, ConnectionError):
            pass
        return data

    def close(self):
        self.socket.close()


def hostile():
    server = Server()
    table = Table(server.ports[0])
    kirk, spock = table.join("Kirk"), table.join("Spock")
    numbers = random.Random(17)
    words = [b"kick", b"status", b"set", b"role", b"help", b"\"", b"\\", b"#", b"1", b"99999999999",
             b"\x00", b"\x1b[2J", b"\xff\xfe", b"{}", b"forever", b"10m", b"name:*", b"complete", b"!",
             b"%s%n", b"1.2.3.4/33", b"--room", b"x" * 600, b"\r", b"=", b"mute", b"ban", b"tell"]
    client, sent = Raw(), 0
    drain = threading.Thread(target=client.read_until, args=(b"the very end of it", 1 << 30))
    drain.start()
    while sent < 100_000:
        block = b""
        for _ in range(500):
            line = b" ".join(numbers.choice(words) for _ in range(numbers.randrange(5)))
            if not line.startswith((b"stop", b"quit")):
                block += line + b"\n"
        sent += 500
        client.send(block)
    client.send(b"say the very end of it\n")
    drain.join(120)
    check("10^5 malformed requests are answered", not drain.is_alive())
    client.close()
    table.type(kirk, "still here")
    check("the room goes on", table.hears(spock, "still here"), spock.chat[-3:])
    says("and so do commands", ["status"], "Starbase")

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    slow = [Raw() for _ in range(min(1000, limit[1] - 100))]
    for i, raw in enumerate(slow):
        try:
            raw.send(b"stat" if i % 2 else b"")
        except OSError:
            pass  # closed in favour of a later one
    says("slow connections do not lock others out", ["status"], "Starbase")
    open_ones = 0
    for raw in slow:
        raw.socket.setblocking(False)
        try:
            open_ones += raw.socket.recv(10) != b""
        except BlockingIOError:
            open_ones += 1
        except OSError:
            pass
        raw.close()
    check("at most 16 stay", open_ones <= 16, open_ones)
    deaf = Raw()
    deaf.socket.setblocking(False)
    try:
        for _ in range(20000):  # answers are never read
            deaf.socket.send(b"help\n" * 200)
    except OSError:
        pass
    table.type(spock, "and me")
    check("a client that does not read costs the room nothing", table.hears(kirk, "and me"))
    says("nor other clients", ["status"], "Starbase")
    deaf.close()
    status = open(f"/proc/{server.process.pid}/status").read()
    check("the server has not grown much", int(re.search(r"VmRSS:\s+(\d+)", status)[1]) < 200_000,
          status)
    check("and is alive", server.process.poll() is None)
    for who, text in ((kirk, "!help"), (spock, "!players")) * 100:  # a flood of chat commands
        table.type(who, text)
    says("a flood of chat commands costs nothing", ["status"], "Starbase")
    table.close()
    check("the server stops cleanly", server.stop() == 0, server.messages()[-500:])


def strangers():
    """Another user may not use the socket, whatever the rights of the file say."""
    if os.geteuid() != 0:
        return
    server = Server()
    os.chmod(FOLDER, 0o755)
    os.chmod(f"{FOLDER}/server.ctl", 0o666)
    result = subprocess.run([PROGRAM, "ctl", "status"], capture_output=True, timeout=30,
                            env=environment(), user=65534, group=65534, extra_groups=[])
    check("a stranger is refused", result.returncode == 1 and
          b"you may not use this server" in result.stderr, result)
    check("and named in the log", server.wait_for("may not use the control socket"))
    server.stop()


def page():
    """docs/admin.md is what the program prints."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(root, "docs", "admin.md")) as f:
        check("docs/admin.md is current (make reference)", f.read() == ctl("--markdown")[1])


PARTS = (finding, commands, rooms, roles, seats, follow, many_followers, hostile, strangers, page)
chosen = [part for part in PARTS if part.__name__ in sys.argv[2:]]
for part in chosen or PARTS:
    part()
subprocess.run(["rm", "-rf", FOLDER])
finish()
