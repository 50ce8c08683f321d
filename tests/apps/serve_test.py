#!/usr/bin/env python3
"""tests/apps/serve_test.py -- the behaviour of `starbase serve` as a program.

Usage: serve_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

import child
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = os.path.join(ROOT, "examples", "server.lua")
READY = re.compile(r'^ready: room (\d+) "(.*)" on ([\d.]+):(\d+), mission (\w+) in (\w+), (\d+) players$')


def environment(**values):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    return {**clean, **values}


def run(*arguments, **values):
    result = subprocess.run([PROGRAM, "serve", *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=30, env=environment(**values))
    return result.returncode, result.stdout.decode(), result.stderr.decode()


class Server:
    """A running server; its ready lines are in .rooms."""

    def __init__(self, *arguments, rooms=1, directory=None, stdin=subprocess.DEVNULL, **values):
        self.log = tempfile.TemporaryFile()
        self.process = child.start(
            [PROGRAM, "serve", "--bind", "127.0.0.1", *arguments], stdin=stdin,
            stdout=subprocess.PIPE, stderr=self.log, env=environment(**values), cwd=directory)
        self.lines = [self.process.stdout.readline().decode().rstrip("\n") for _ in range(rooms)]
        self.rooms = [READY.match(line) for line in self.lines]

    def port(self, room=0):
        if self.rooms[room]:
            return int(self.rooms[room].group(4))
        return json.loads(self.lines[room])["port"]  # --log-json

    def ask(self, query, room=0):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(5)
            s.sendto(query, ("127.0.0.1", self.port(room)))
            return s.recvfrom(2048)[0].decode("latin-1")

    def messages(self):
        """The log so far; without seeking, because the server writes at the same offset."""
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size, 0).decode()

    def wait_for(self, text):
        for _ in range(2000):
            if text in self.messages():
                return True
            time.sleep(0.01)
        return False

    def type(self, *lines):
        for line in lines:
            self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def answers(self, line, expected):
        """Whether the log has the expected text after the line was typed."""
        self.type(line)
        return self.wait_for(expected)

    def stop(self, number=signal.SIGTERM):
        started = time.monotonic()
        self.process.send_signal(number)
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stdout.close()
        if self.process.stdin:
            self.process.stdin.close()
        return code, time.monotonic() - started


def lua(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False)
    file.write(text)
    file.close()
    return file.name


def plain_lines():
    """What a newcomer types after reading that a configuration has `key = value` lines."""
    with tempfile.TemporaryDirectory() as place:
        command = f"""printf 'name = "x"\\nport = 22101\\n' > s.lua; starbase serve -c s.lua"""
        shell = command.replace("starbase", PROGRAM) + " --check-config"
        result = subprocess.run(["sh", "-c", shell], cwd=place, capture_output=True, timeout=30,
                                env=environment())
        check("a file of key = value lines is a configuration", result.returncode == 0 and
              b'    name = "x",\n    port = 22101,\n' in result.stdout, result)
        server = Server("-c", "s.lua", "--port", "0", directory=place)
        check("and the server starts with it", server.rooms[0] and
              server.rooms[0].group(2) == "x", (server.lines, server.messages()))
        server.stop()
    code, out, err = run("--example")
    check("the example has key = value lines", "\nname = \"Starbase\"\n" in out and
          "return {\n" not in out, out)
    rooms = re.compile(r"^rooms = (.*)$", re.M)
    check("--keys and the example give the same number of rooms",
          rooms.findall(out) == rooms.findall(run("--keys")[1]) == ["1"], rooms.findall(out))


def starting():
    server = Server("--port", "0")
    check("one room prints a ready line", all(server.rooms), server.lines)
    m = server.rooms[0]
    check("the ready line has name, port, mission and players", m and m.group(1, 2, 3, 5, 6, 7) ==
          ("1", "Starbase", "127.0.0.1", "ffa", "Multi1", "8"), server.lines)
    answer = server.ask(b"\\status\\")
    check("a ready server answers queries",
          "\\hostname\\" in answer and "Starbase" in answer, answer)
    code, seconds = server.stop()
    check("SIGTERM stops the server with status 0", code == 0, (code, server.messages()))
    check("the server stops within two seconds", seconds < 2, seconds)
    check("the log says that the server stops", "stopping" in server.messages(), server.messages())

    server = Server("--port", "0", "--rooms", "5", "--threads", "2", "--name", "Many",
                    "--mission", "team", "--system", "3", "--max-players", "4", rooms=5)
    check("each room prints a ready line", all(server.rooms), server.lines)
    check("rooms with a common name get numbers", [m.group(2) for m in server.rooms] ==
          [f"Many {i}" for i in range(1, 6)], server.lines)
    check("flags reach the rooms", all(m.group(5, 6, 7) == ("team", "Multi3", "4")
                                       for m in server.rooms), server.lines)
    check("each room answers queries",
          all(f"Many {i + 1}" in server.ask(b"\\info\\", i) for i in range(5)))
    code, seconds = server.stop(signal.SIGINT)
    check("SIGINT stops the server with status 0", code == 0 and seconds < 2, (code, seconds))


def ports():
    server = Server("--port", "0")
    port = str(server.port())
    code, out, err = run("--bind", "127.0.0.1", "--port", port)
    check("a port in use is an error", code == 1 and out == "", (code, out, err))
    check("the error of a port in use names the port and gives advice",
          f"127.0.0.1:{port}" in err and "in use" in err and
          "--port" in err, err)
    server.stop()
    code, out, err = run("--bind", "203.0.113.1")
    check("an address of another machine is an error", code == 1 and "--bind" in err, err)


def configuration():
    code, out, err = run("--check-config")
    check("a server needs no configuration file", code == 0 and err == "" and
          "\n    max_players = 8,\n" in out, (code, out, err))
    check("the output of --check-config is a configuration",
          run("--config", lua(out), "--check-config")[0] == 0)
    code, out, err = run("--config", EXAMPLE, "--check-config")
    check("the example is accepted", code == 0 and err == "", (code, err))
    for option in ("--example", "--keys", "--check-config", "--help"):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "serve", option], stdin=subprocess.DEVNULL, stdout=full,
                                    stderr=subprocess.PIPE, timeout=30, env=environment())
        check("output to a full disk is an error", result.returncode == 1 and
              b"starbase serve: cannot write: No space left" in result.stderr, (option, result))
    closed = f'echo quit | "{PROGRAM}" serve --bind 127.0.0.1 --port 0 --log-level error >&-'
    result = subprocess.run(["sh", "-c", closed], stderr=subprocess.PIPE, timeout=30,
                            env=environment())
    check("a server without stdout stops without an error", result.returncode == 0 and
          result.stderr == b"", result)

    for text, error in (("return { max_players = 17 }", "max_players: must be a whole number"),
                        ("return { max_player = 1 }", "did you mean `max_players`?"),
                        ("return { mission = 3 }", "mission: must be a text"),
                        ("return { manifests = { 'no.csv' } }", ": manifests: no.csv: No such file"),
                        ("return { masters_file = 'no.txt' }", ": masters_file: no.txt: No such"),
                        ("return { data = 'no/dir' }", ": data: no/dir: No such file"),
                        ("return { learn = '/no/dir/x.csv' }", ": learn: /no/dir/x.csv: No such"),
                        ("name = Friday", ":1: texts stand in quotes: write `name = \"Friday\"`"),
                        ("[server]\nport = 1\n", ":1: sections such as `[server]` are not known"),
                        ("name: Friday\n", ":1: write `name = \"Friday\"`"),
                        ("port 22101\n", ":1: write `port = 22101`"),
                        ("log_json = yes\n", ":1: write `log_json = true` instead of `yes`"),
                        ("name = 'a'\n;port = 5\n", ":2: a comment starts with `--`"),
                        ('{ "name": "x" }', ":1: write `return {` instead of `{`"),
                        ("prot = 1\n", ": prot: unknown key; did you mean `port`?"),
                        ("port = 1\nreturn { name = 'x' }", ": port: is set outside of the table"),
                        ("<xml/>", ":1: unexpected symbol near '<'; write `key = value` lines, or "),
                        ("return { { name = 'x' } }", "as keys: write `key = value`"),
                        ("masters = 'a', 'b'\n", ":1: `masters` has several values: write one; a list"),
                        ("name = 'Friday\n", ":1: unfinished string near ''Friday'; is a quote missing?"),
                        ("return {", "unexpected symbol")):
        name = lua(text)
        code, out, err = run("--config", name, "--check-config")
        check("an error names file and key, exit status 78",
              code == 78 and out == "" and name in err and error in err, (code, out, err))
        check("a server with a wrong file does not start", run("--config", name)[0] == 78)
    code, out, err = run("--config", "no/such.lua")
    check("a missing file is an error", code == 78 and "no/such.lua" in err, (code, err))
    code, out, err = run("--max-players", "99", "--check-config")
    check("a bad value on the command line is an error", code == 78 and "--max-players" in err, err)
    code, out, err = run("--check-config", STARBASE_PORT="x")
    check("a bad value in the environment is an error", code == 78 and "STARBASE_PORT" in err, err)
    code, out, err = run("--check-config", STARBASE_PROT="1")
    check("an unknown variable is an error", code == 78 and "did you mean `port`?" in err, err)
    name = lua("return { name = 'x' }")
    code, out, err = run("--config", name, "--system", "Foo", "--check-config")
    check("the error of a flag does not name the file", code == 78 and name not in err and
          "--system: there is no `Foo`" in err, err)
    code, out, err = run("--check-config", STARBASE_MODS="drop")
    check("a table says where it is set", code == 78 and
          "STARBASE_MODS: is a table: it can be set only in the file" in err, err)
    code, out, err = run("--check-config", STARBASE_CONFIG="")
    check("an empty STARBASE_CONFIG names no file", code == 0 and err == "", (code, err))
    code, out, err = run("--prot", "1")
    check("an unknown flag is bad usage", code == 2 and "--prot" in err, err)
    code, out, err = run("operand")
    check("an operand is bad usage", code == 2 and "operand" in err, err)

    name = lua("return { time_limit = 1, frag_limit = 2, max_players = 3 }")
    code, out, err = run("-c", name, "--max-players", "6", "--check-config",
                         STARBASE_FRAG_LIMIT="5", STARBASE_MAX_PLAYERS="5")
    check("file < environment < command line", "    time_limit = 1,\n    frag_limit = 5," in out and
          "    max_players = 6,\n" in out, (code, out, err))
    code, out, err = run("--check-config", STARBASE_CONFIG=name)
    check("STARBASE_CONFIG names the file", "    time_limit = 1," in out, (code, out, err))
    code, out, err = run("--check-config", "--master", "a", "--master", "b:5,c")
    check("lists on the command line add up", '    masters = { "a", "b:5", "c" },' in out, out)
    code, out, err = run("--check-config", "--set", "combat.beam_low=0.125", "--set", "timeout=13")
    check("--set reaches every key", "beam_low = 0.125" in out and "    timeout = 13,\n" in out, out)
    code, out, err = run("--check-config", "--set", "port=abc")
    check("an error of --set names the key", code == 78 and "--set: port: must be" in err, err)
    code, out, err = run("--keys")
    check("--keys lists every key", code == 0 and "\nmax_players = 8\n" in out and
          "STARBASE_MAX_PLAYERS" in out, out)
    counts = {block.split(" ")[0]: re.search("a change takes effect (.*)", block).group(1)
              for block in re.split(r"\n(?=\w)", out)}
    check("--keys says when a change of a key takes effect", counts["name"] == "at once" and
          counts["mission"] == "when the room is empty" and
          counts["password"] == counts["timeout"] == "at once, for players who join later" and
          counts["max_players"] == "at once, above the value at the start when the room is empty" and
          counts["port"] == "after a restart", counts)
    check("--keys says when a change of a table takes effect",
          counts.get("combat") == "after a restart" and
          counts.get("mods") == "at once" and
          counts.get("modifiers") == "when the room is empty", counts)
    with open(os.path.join(ROOT, "include", "starbase", "combat.h"), encoding="utf-8") as header:
        table = header.read().split("#define SB_COMBAT_CONSTANTS(X)")[1].split("typedef")[0]
    constants = re.findall(r"^    X\((\w+),", table, re.M)
    check("and lists the constants of the simulation", re.findall(
          r"^        (\w+) = [\d.]+ \[[TRIE]\] \w.{10,}$", out, re.M) == constants and
          "\n        cloak_time = 5 [R] seconds to cloak" in out, out)
    legend = re.search(r"a default rests on .*?:\n", out, re.S)
    check("and explains every tag", legend and set(re.findall(r" \[(\w)\] ", legend.group())) ==
          set(re.findall(r"^        \w+ = [\d.]+ \[(\w)\]", out, re.M)), out)
    with tempfile.TemporaryDirectory() as place:
        manifest = os.path.join(ROOT, "data", "manifests", "vanilla-1.1.csv")
        names = [os.path.join(place, "m" * 110 + f"{i}.csv") for i in range(9)]
        for long_name in names:
            os.symlink(os.path.abspath(manifest), long_name)
        many = [argument for long_name in names for argument in ("--manifest", long_name)]
        code, out, err = run("--check-config", *many)
        check("long lists are printed whole",
              code == 0 and all(f'"{n}"' in out for n in names), out)
        again = run("--config", lua(out), "--check-config")
        check("the printed lists load again", again[0] == 0 and
              again[1].split("\n", 1)[1] == out.split("\n", 1)[1], again)
    code, out, err = run("--help")
    check("there is help", code == 0 and out.startswith("Usage: starbase serve") and err == "", out)


def reloading():
    name = lua("return { name = 'Before' }")
    server = Server("--config", name, "--port", "0")
    check("the name comes from the file", "Before" in server.ask(b"\\info\\"))
    company = bots(server.port(), "--time", "60")
    server.wait_for("is in the game")
    with open(name, "w") as file:
        file.write("""return { name = 'After', max_players = 9, password = 'secret', mission = 'team',
                   checksums = 'learn', system = 'Multi5', fidelity = 'relay', mod_per_s = 5,
                   log_json = true, retransmit = 'stock', timeout = 13, port = 22150,
                   answers_per_source = 1, stock_updates = true, combat = { beam_low = 0.1 } }""")
    server.process.send_signal(signal.SIGHUP)
    check("SIGHUP reads the file again", server.wait_for("reloaded "), server.messages())
    check("the new name is in the next answer", "After" in server.ask(b"\\info\\"))
    check("the log names keys that need a restart",
          "warning server   changed, takes effect after a "
          "restart: fidelity, retransmit, stock_updates, log_json, combat\n"
          in server.messages(), server.messages())
    check("the log names keys that hold for newcomers",
          "changed, for players who join from now on: password, timeout\n"
          in server.messages(), server.messages())
    check("more places than at the start wait for an empty room",
          "changed: max_players is 9 when the room is empty, 8 until then\n"
          in server.messages() and "\\maxplayers\\8\\" in server.ask(b"\\info\\"), server.messages())
    check("the log names keys that wait for an empty room",
          "changed, takes effect when the room is empty: mission, system"
          in server.messages(), server.messages())
    check("the log names keys that changed",
          "changed: name, answers_per_source, mod_per_s\n" in server.messages(), server.messages())
    check("the log says that learning needs a restart", 'checksums = "learn" needs a restart' in
          server.messages(), server.messages())
    check("secrets are not logged", "secret" not in server.messages(), server.messages())
    check("the system waits for an empty room", "Multi1" in server.ask(b"\\status\\"))
    company.send_signal(signal.SIGTERM)
    company.communicate(timeout=10)
    server.wait_for(" left after ")
    answer = server.ask(b"\\info\\") + server.ask(b"\\rules\\") + server.ask(b"\\status\\")
    check("an empty room gets the new system",
          "Multi5" in answer and "\\password\\1" in answer, answer)
    check("an empty room gets its places", server.wait_for("has 9 places for players now") and
          "\\maxplayers\\9\\" in server.ask(b"\\info\\"), server.messages())
    with open(name, "w") as file:
        file.write("return { nam = 'Worse' }")
    server.process.send_signal(signal.SIGHUP)
    check("the log has the error of a reload", server.wait_for("not reloaded: "), server.messages())
    check("a reload with an error changes nothing", "After" in server.ask(b"\\info\\"))
    for _ in range(20):
        with open(name, "w") as file:
            file.write("return { name = 'Again', manifests = { 'vanilla' } }")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    check("many reloads in a row work", server.wait_for("reloaded ") and
          "Again" in server.ask(b"\\info\\"))
    check("and fewer places count at once", server.wait_for("changed: max_players is 8; players who")
          and "\\maxplayers\\8\\" in server.ask(b"\\info\\"), server.messages())
    check("the server stops with status 0 after reloads", server.stop()[0] == 0)


def reload_with(server, name, text):
    """Writes the file and reloads; whether the server has read it."""
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    before = server.messages().count("reloaded ")
    server.process.send_signal(signal.SIGHUP)
    for _ in range(500):
        if server.messages().count("reloaded ") > before:
            return True
        time.sleep(0.01)
    return False


def game_night():
    """The two keys that change most on a game night, while a player is there."""
    name = lua("max_players = 3\n")
    server = Server("--config", name, "--port", "0")
    company = bots(server.port(), "--time", "60", "--name", "Ann")
    server.wait_for("Ann is in the game")
    check("a reload changes the password", reload_with(
          server, name, 'max_players = 3\npassword = "sesame"\n') and
          "join from now on: password\n" in server.messages(), server.messages())
    stranger = bots(server.port(), "--time", "20", "--name", "Bob")
    out = stranger.communicate(timeout=30)[0].decode()
    check("a newcomer needs the new password", stranger.returncode == 1 and "password" in out, out)
    friend = bots(server.port(), "--time", "60", "--name", "Cid", "--password", "sesame")
    check("and gets in with it", server.wait_for("Cid is in the game"), server.messages())
    check("a reload changes max_players", reload_with(
          server, name, 'max_players = 1\npassword = "sesame"\n') and
          "changed: max_players is 1; players who are there stay\n" in server.messages(),
          server.messages())
    late = bots(server.port(), "--time", "20", "--name", "Dan", "--password", "sesame")
    out = late.communicate(timeout=30)[0].decode()
    check("a newcomer finds no place", late.returncode == 1 and "full" in out, out)
    check("nobody who is there is removed", company.poll() is None and friend.poll() is None and
          "\\numplayers\\2\\" in server.ask(b"\\info\\"), server.messages())
    for bot in company, friend:
        bot.send_signal(signal.SIGTERM)
        bot.communicate(timeout=20)
    server.stop()


def reloading_more_rooms():
    name = lua("return { name = 'One' }")
    server = Server("--config", name, "--port", "0")
    for text, told in (("rooms = 2, name = 'Two'", "changed: name\n"),
                       ("rooms = { { mod_per_s = 5 }, { timeout = 13 } }, name = 'Two'",
                        "changed: mod_per_s\n"),
                       ("manifests = { 'gone.csv' }",
                        f"not reloaded: {name}: manifests: gone.csv: No such file")):
        with open(name, "w") as file:
            file.write("return { " + text + " }")
        server.process.send_signal(signal.SIGHUP)
        check("a reload names keys, and no room where only one runs",
              server.wait_for(told) and "of room" not in server.messages(), server.messages())
    server.stop()


def heartbeat_reaches(master):
    try:
        return master.recvfrom(2048)[0].startswith(b"\\heartbeat\\")
    except socket.timeout:
        return False


def reloading_keys_of_the_program():
    name, listed = lua("return {}"), lua("")
    server = Server("--config", name, "--port", "0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
        for master in (first, second):
            master.bind(("127.0.0.1", 0))
            master.settimeout(5)
        with open(listed, "w") as file:
            file.write(f"127.0.0.1:{second.getsockname()[1]}\n")
        for text, master in ((f"masters = {{ '127.0.0.1:{first.getsockname()[1]}' }}", first),
                             (f"masters_file = '{listed}'", second)):
            with open(name, "w") as file:
                file.write("return { " + text + " }")
            server.process.send_signal(signal.SIGHUP)
            check("a new master gets a heartbeat after a reload", heartbeat_reaches(master),
                  server.messages())
    with open(name, "w") as file:
        file.write("return { log_level = 'error', name = 'Quiet' }")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for("changed: ")
    time.sleep(0.3)
    check("a new log level hides lines at once", "Quiet" in server.ask(b"\\info\\") and
          "changed: name, " in server.messages() and
          not server.messages().rstrip().endswith(f"reloaded {name}"), server.messages())
    server.stop()


def refusals():
    server = Server("--port", "0", "--log-json")
    server.process.send_signal(signal.SIGUSR1)
    server.wait_for("datagrams_in")
    check("without refusals there is no line about them", "refused" not in server.messages(),
          server.messages())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for _ in range(3):
            stranger.sendto(b"\x05\x01garbage", ("127.0.0.1", server.port()))
        stranger.sendto(b"\\nonsense\\", ("127.0.0.1", server.port()))
    server.ask(b"\\basic\\")
    server.process.send_signal(signal.SIGUSR1)
    server.wait_for('"refused":"queries"')
    lines = [json.loads(line) for line in server.messages().splitlines()]
    refused = {line["refused"]: line for line in lines if "refused" in line}
    check("status counts refused datagrams by reason",
          refused.get("datagrams", {}).get("unknown_source") == 3 and
          "3 unknown_source" in refused["datagrams"]["message"], lines)
    check("status counts refused queries by reason",
          refused.get("queries", {}).get("unknown_query") == 1, lines)
    ready = json.loads(server.lines[0])
    check("with --log-json the ready line is JSON, too", ready["event"] == "ready" and
          ready["room"] == 1 and ready["name"] == "Starbase" and ready["mission"] == "ffa" and
          ready["system"] == "Multi1" and ready["max_players"] == 8 and
          ready["address"] == f"127.0.0.1:{server.port()}", ready)

    connect = bytes.fromhex("ffd7336138b35b334d60f34dc9c2f60e8d")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.7.1", 0))
        end = time.monotonic() + 20
        while "connects-unanswered" not in server.messages() and time.monotonic() < end:
            for _ in range(5000):  # as fast as can be: the limit of a /24 is 12,000 in a second
                stranger.sendto(connect, ("127.0.0.1", server.port()))
    check("a flood of Connects from one network is a warning",
          server.wait_for('"event":"connects-unanswered"'), server.messages())
    server.ask(b"\\basic\\")
    server.stop()
    check("a flood of Connects gives only one warning",
          server.messages().count("connects-unanswered") == 1, server.messages())


def logging():
    server = Server("--port", "0", "--log-json", "--log-level", "debug")
    server.process.send_signal(signal.SIGUSR1)
    server.wait_for("datagrams_in")
    server.stop()
    lines = [json.loads(line) for line in server.messages().splitlines()]
    check("JSON lines have time, level, subsystem, message",
          lines and all({"time", "level", "subsystem", "message"} <= set(line) for line in lines),
          lines)
    check("JSON lines about a room have its number",
          any(line.get("room") == 1 for line in lines), lines)
    wrong = lua("[server]\n")
    for arguments, variables, code, text in (
            (("--log-json", "--config", wrong), {}, 78, ":1: sections such as `[server]`"),
            (("--set", "log_json=yes", "--config", wrong), {}, 78, ":1: sections such as"),
            (("--log-json", "--port", "a"), {}, 78, "--port: must be a whole number"),
            (("--config", wrong), {"STARBASE_LOG_JSON": "1"}, 78, ":1: sections such as"),
            (("--config", wrong, "--set", "log_json=yes", "--bind", "x"), {}, 78, ":1: sections"),
            (("--prot", "1", "--log-json"), {}, 2, "did you mean `--port`?"),
            (("extra",), {"STARBASE_LOG_JSON": "on"}, 2, "unexpected argument `extra`")):
        status, out, err = run(*arguments, **variables)
        try:
            line = json.loads(err)  # one object, and nothing else
        except ValueError:
            line = {}
        check("with --log-json an error at the start is JSON", status == code and out == "" and
              line.get("level") == "error" and text in line.get("message", ""), (status, out, err))
    for arguments in (("--log-json", "--check-config"), ("--set", "log_json=no")):
        status, out, err = run("--config", wrong, *arguments, STARBASE_LOG_JSON="yes")
        check("--check-config and log_json=no give a plain error", status == 78 and
              err.startswith("starbase serve: "), (status, out, err))
    server = Server("--port", "0")
    server.stop()
    check("text lines start with the time", all(
        re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning|error|debug) ", line)
        for line in server.messages().splitlines()), server.messages())
    check("without a terminal there is no colour", "\033" not in server.messages())
    # Whoever reads the ready line may go away.
    server = Server("--port", "0")
    port = server.port()
    server.process.stdout.close()
    server.process.send_signal(signal.SIGUSR1)
    check("a closed pipe does not stop the server", server.wait_for("datagrams in"))
    server.stop()
    check("the port was open", port > 0)


def console():
    server = Server("--port", "0", "--log-level", "error", stdin=subprocess.PIPE)
    check("the console answers at every log level", server.answers("help", "kick PLAYER [FOR] [REASON]"),
          server.messages())
    company = bots(server.port(), "--time", "60", "--name", "Ann", "--json")
    line = json.loads(company.stdout.readline())
    ident = line.get("peer_id")
    check("status lists players with ship, score, ping and queues",
          server.answers("status", f"player {ident} Ann, ") and re.search(
              rf"room 1: player {ident} Ann, [\w' -]+, \d+ points, 0 kills, 0 deaths, ping [\d.]+ ms, "
              r"\d+ queued, \d+ unacknowledged, \d+ out of order, 127\.0\.0\.1:\d+\n",
              server.messages()), server.messages())
    for typed, answer in (("kick", "an id is missing"), ("kick 99", "there is no player 99"),
                          ("kick Zoe", "there is no player `Zoe`"), ("say", "a text is missing"),
                          ("shout", "there is no command `shout`; `help` lists them"),
                          ("sya hello", "there is no command `sya`; did you mean `say`?"),
                          ("2 status", "there is no room 2, only 1 to 1"),
                          ("1 quit", "leave out the number"),
                          ("quit now", "`quit` takes no argument"),
                          ("say " + "x" * 300, "at most 255 characters"),
                          ("x" * 600, "a command has at most 511 bytes")):
        check(f"`{typed[:10]}` is explained", server.answers(typed, answer), server.messages())
    server.type("say Gr\u00fc\u00dfe an alle", "end")
    check("end ends the match", server.wait_for("the match ends"), server.messages())
    check("end does nothing after the end of a match",
          server.answers("end", "is over already"), server.messages())
    check("restart starts a match",
          server.answers("restart", "a new match starts"), server.messages())
    server.type(f"kick {ident} too loud")
    out = company.communicate(timeout=20)[0].decode()
    seen = [json.loads(text) for text in out.splitlines()]
    chat = [e["text"] for e in seen if e["event"] == "chat"]
    check("players receive the server's chat", "Gr\u00fc\u00dfe an alle" in chat, out)
    check("a kicked player receives the reason", "too loud" in chat, out)
    check("players see matches end and start",
          {"game_over", "restarted"} <= {e["event"] for e in seen},
          out)
    check("a removed bot exits with status 1 and prints the reason", company.returncode == 1 and
          any(e["event"] == "left" and "removed us (kicked)" in e["reason"] for e in seen) and
          seen[-1]["lost"] is True and seen[-1]["how"] == "booted", out)
    check("quit stops the server with status 0", server.type("quit") is None and
          server.process.wait(10) == 0, server.messages())
    server.stop()

    server = Server("--port", "0", "--rooms", "3", "--log-json", rooms=3, stdin=subprocess.PIPE)
    company = bots(server.port(1), "--time", "60", "--name", "Ben", "--json")
    ident = json.loads(company.stdout.readline()).get("peer_id")
    check("with several rooms a kick needs a room number",
          server.answers(f"kick {ident} spam", "put the number of the room in front"),
          server.messages())
    check("a kick in the wrong room finds no player",
          server.answers(f"1 kick {ident}", f"there is no player {ident}"), server.messages())
    server.type("2 say here", "say everywhere", "status", f"2 kick {ident} spam")
    out = company.communicate(timeout=20)[0].decode()
    chat = [e["text"] for e in map(json.loads, out.splitlines()) if e["event"] == "chat"]
    check("a number in front selects the room", "spam" in chat and "here" in chat and
          "everywhere" in chat, out)
    lines = [json.loads(line) for line in server.messages().splitlines()]
    status = [line for line in lines if line["subsystem"] == "status"]
    check("status without a number lists all rooms", [line["room"] for line in status
                                                  if "datagrams_in" in line] == [1, 2, 3], status)
    player = [line for line in status if line.get("player") == "Ben"]
    check("JSON status lines have the queues", player and all(
        {"queued", "unacknowledged", "early", "ping_ms", "score", "peer"} <= set(p)
        for p in player), status)
    check("reload reads the configuration again",
          server.answers("reload", "reloaded "), server.messages())
    server.process.stdin.close()
    check("the log reports the end of the input",
          server.wait_for("input of commands has ended"), server.messages())
    server.process.send_signal(signal.SIGUSR1)
    check("the end of the input does not stop the server", "bcommander" in server.ask(b"\\basic\\"))
    server.process.stdin = None
    check("a server without input stops with status 0", server.stop()[0] == 0)

    server = Server("--port", "0", "--no-console", stdin=subprocess.PIPE)
    server.type("quit")
    time.sleep(0.5)
    check("--no-console reads nothing", server.process.poll() is None and
          "bcommander" in server.ask(b"\\basic\\"))
    server.stop()
    with open(os.devnull) as nothing:
        server = Server("--port", "0", stdin=nothing)
        server.stop()
    check("/dev/null is no console", "console" not in server.messages(), server.messages())
    server = Server("--port", "0", stdin=subprocess.PIPE)
    server.process.stdin.write(b"say a\r\n\n   \n\x1b[A\x00say b\tc\nqu")
    server.process.stdin.flush()
    check("binary input does not harm the server", server.wait_for("said: b c"), server.messages())
    server.process.stdin.write(b"it")
    server.process.stdin.close()
    server.process.stdin = None
    check("the last line needs no newline", server.process.wait(10) == 0, server.messages())
    server.stop()


def warnings():
    server = Server("--port", "0", "--mission", "assault")
    check("the log warns that assault has no starbase", server.wait_for("has no starbase"),
          server.messages())
    server.stop()
    check("the help says that assault has no starbase", "no starbase" in run("--help")[1])
    server = Server("--port", "0", "--password", "sesame")
    company = bots(server.port(), "--time", "5")
    check("a Connect that is refused is logged with its address",
          server.wait_for(" is refused: wrong password") and
          re.search(r"127\.0\.0\.1:\d+ is refused", server.messages()), server.messages())
    company.communicate(timeout=10)
    server.stop()


def read_terminal(terminal, until, seconds=5):
    seen = b""
    end = time.monotonic() + seconds
    while until not in seen and time.monotonic() < end:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            break
    return seen


def view():
    pid, terminal = pty.fork()
    if pid == 0:
        child.reset_signals()
        os.environ.update(environment(TERM="xterm"))
        os.execv(PROGRAM, [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--view",
                           "--name", "Seen", "--set", "restart=0"])
    seen = read_terminal(terminal, b"Seen\x1b[0m  port ")
    check("--view takes the screen", b"\033[?1049h" in seen and b"\033[?25l" in seen, seen)
    check("the view shows the room", b"Seen\x1b[0m  port " in seen, seen)
    check("the view has a line for commands", b"\x1b[0m> " in seen or
          b"\x1b[0m> " in read_terminal(terminal, b"\x1b[0m> "), seen)
    os.write(terminal, b"junk\x15sayx\x7f h\xc3\xa4\x7fi")
    typed = read_terminal(terminal, b"> say hi\x1b[7m")
    check("typed text is shown and can be corrected", b"> say hi\x1b[7m" in typed, typed)
    os.write(terminal, b"\r")
    typed = read_terminal(terminal, b"said: hi")
    check("enter runs the typed command", b"said: hi" in typed, typed)
    os.write(terminal, b"\x03")
    rest = read_terminal(terminal, b"stopped")
    check("Ctrl-C restores the screen", b"\033[?25h\033[?1049l" in rest, rest)
    status = os.waitpid(pid, 0)[1]
    check("Ctrl-C stops the server with status 0",
          os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, status)
    pid, terminal = pty.fork()
    if pid == 0:
        child.reset_signals()
        os.environ.update(environment(TERM="xterm"))
        os.execv(PROGRAM, [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--view",
                           "--name", "Up\u202ednoD\u200b!"])
    seen = read_terminal(terminal, b"port ")
    check("the view shows no text in reverse", "Up?dnoD?!".encode() in seen and
          "\u202e".encode() not in seen.split(b"\033[?1049h")[-1], seen)
    os.write(terminal, b"status\r")
    seen = read_terminal(terminal, b"Up?dnoD?!, ffa")
    check("the log shows no text in reverse",
          b"Up?dnoD?!, ffa" in seen and "\u202e".encode() not in seen, seen)
    os.write(terminal, b"quit\n")
    rest = read_terminal(terminal, b"stopped")
    status = os.waitpid(pid, 0)[1]
    check("quit stops a server with a view",
          os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, rest)
    server = Server("--port", "0", "--view")
    check("without a terminal the server runs without a view", server.rooms[0] is not None)
    server.stop()
    check("the log says that --view needs a terminal",
          "needs a terminal" in server.messages(), server.messages())


def masters():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as master:
        master.bind(("127.0.0.1", 0))
        master.settimeout(5)
        server = Server("--port", "0", "--master", f"localhost:{master.getsockname()[1]}")
        try:
            heartbeat, sender = master.recvfrom(2048)
        except socket.timeout:
            heartbeat, sender = b"", ("", 0)
        check("a master gets a heartbeat from the game's port",
              heartbeat.startswith(b"\\heartbeat\\") and sender[1] == server.port(), heartbeat)
        more = [master.recvfrom(2048)[0] for _ in range(2)]
        check("two more heartbeats follow soon", all(h.startswith(b"\\heartbeat\\") for h in more),
              more)
        name = f"localhost:{master.getsockname()[1]}"
        server.process.send_signal(signal.SIGUSR1)
        check("status says that no query came from the master",
              server.wait_for(" s ago, no query from it yet\n") and
              f"master {name} (127.0.0.1:{name[10:]}): last heartbeat " in server.messages(),
              server.messages())
        master.sendto(b"\\status\\", ("127.0.0.1", server.port()))
        master.recvfrom(2048)
        server.process.send_signal(signal.SIGUSR1)
        check("status says when the master asked last",
              server.wait_for(" s ago, last query from it "), server.messages())
        check("the server stops with status 0 while it has a master", server.stop()[0] == 0)


def bots(port, *arguments):
    return child.start([PROGRAM, "bot", *arguments, f"127.0.0.1:{port}"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)


def players():
    server = Server("--port", "0", "--log-json")
    company = bots(server.port(), "-n", "2", "--time", "60", "--name", "Ann")
    both = server.wait_for('"event":"joined"') and server.wait_for("Ann 2 is in the game")
    check("players who join are logged", both, server.messages())
    code, seconds = server.stop()
    check("a server with players stops within two seconds",
          code == 0 and seconds < 2, (code, seconds))
    out = company.communicate(timeout=10)[0].decode()
    check("players are told that the server closes", "server closed" in out, out)
    lines = [json.loads(line) for line in server.messages().splitlines()]
    joined = [line for line in lines if line.get("event") == "joined"]
    check("join lines have player and duration", {line.get("player") for line in joined} ==
          {"Ann 1", "Ann 2"} and all("ms" in line and "address" in line for line in joined), joined)
    check("lines about departures have a reason", all("reason" in line for line in lines
                                    if line.get("event") == "left"), lines)


def tracing():
    server = Server("--port", "0", "--trace-damage", "--set", "peers_per_address=0")
    company = bots(server.port(), "-n", "6", "--time", "60", "--name", "Ann", "--ship", "galaxy")
    line = re.compile(r"Ann \d \(Galaxy\): (\w+) shield absorbs [\d.]+ HP, "
                      r"([\d.]+ left|empty) \((beam|torpedo) of Ann \d \(Galaxy\)\)")
    found = any(server.wait_for(" absorbs ") for _ in range(6))
    check("--trace-damage logs damage with attacker, part and cause",
          found and line.search(server.messages()), server.messages()[-2000:])
    check("bots do nothing implausible", " cheat " not in server.messages(),
          [text for text in server.messages().splitlines() if " cheat " in text])
    server.stop()
    company.terminate()  # those who had not joined yet would try for 15 s
    company.communicate(timeout=10)


def learning():
    """What one server learns, another one accepts, and refuses players who have less."""
    with tempfile.TemporaryDirectory() as place:
        manifest = os.path.join(place, "learned.csv")
        server = Server("--port", "0", "--learn", manifest)
        company = bots(server.port(), "--time", "60")
        check("the log says that a manifest was written",
              server.wait_for("wrote the learned manifest"),
              server.messages())
        server.stop()
        company.communicate(timeout=10)
        check("the manifest is in the file", os.path.exists(manifest))

        server = Server("--port", "0", "--checksums", "strict", "--manifest", manifest)
        company = bots(server.port(), "--time", "60")
        check("a player with the same files joins",
              server.wait_for("is in the game"), server.messages())
        server.stop()
        company.communicate(timeout=10)

        with open(manifest) as file:
            text = file.read()
        other = os.path.join(place, "other.csv")
        with open(other, "w") as file:
            file.write(text.replace("Akira.pyc,0x3EB23EBA,0xCCD37170",
                                    "Akira.pyc,0x3EB23EBA,0x12345678"))
        server = Server("--port", "0", "--checksums", "strict", "--manifest", other)
        company = bots(server.port(), "--time", "20")
        check("a player with another file is refused",
              server.wait_for("cannot join"), server.messages())
        check("the log names round, directory and file",
              re.search(r"round 2: file changed: scripts.ships.Akira\.pyc "
                        r"\(CCD37170, expected 12345678\)", server.messages(), re.IGNORECASE),
              server.messages())
        server.stop()
        company.communicate(timeout=10)


def standings():
    """The end of a match names every player's result, in both forms of the log."""
    server = Server("--port", "0", stdin=subprocess.PIPE)
    company = bots(server.port(), "-n", "2", "--time", "60", "--name", "Ann")
    server.wait_for("Ann 2 is in the game")
    check("a text log has a line per player at the end of a match",
          server.answers("end", "the match is over: ended by the operator; nobody is ahead\n") and
          server.wait_for("score    room 1: 2. Ann ") and
          re.search(r"score    room 1: 1\. Ann \d: 0 kills, 0 deaths, 0 points\n",
                    server.messages()), server.messages())
    server.stop()
    company.communicate(timeout=10)
    server = Server("--port", "0", "--log-json", "--mission", "team", stdin=subprocess.PIPE)
    company = bots(server.port(), "--team", "1", "--time", "60", "--name", "Ann")
    check("text and key agree about the team", server.wait_for(
        '"message":"Ann is in team 1","event":"team"') and server.wait_for('"team":1'),
        server.messages())
    server.answers("end", '"event":"match-over"')
    over = [line for line in map(json.loads, server.messages().splitlines())
            if line.get("event") == "match-over"][0]
    check("a JSON log has the standings in one line", over["players"] == 1 and
          over["standings"] == [{"peer": 2, "player": "Ann", "team": 1, "kills": 0, "deaths": 0,
                                 "score": 0}] and
          over["teams"] == [{"team": 0, "kills": 0, "score": 0},
                            {"team": 1, "kills": 0, "score": 0}], over)
    server.stop()
    company.communicate(timeout=10)


for part in (plain_lines, starting, ports, configuration, reloading, game_night,
             reloading_more_rooms,
             reloading_keys_of_the_program, refusals, logging, console, warnings, view, masters,
             players, standings, tracing, learning):
    part()
finish()
