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

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = os.path.join(ROOT, "examples", "server.lua")
READY = re.compile(r'^ready: room (\d+) "(.*)" on ([\d.]+):(\d+), mission (\w+) in (\w+), (\d+) players$')
passed = failed = 0


def check(sentence, condition, details=""):
    global passed, failed
    if condition:
        passed += 1
        return
    failed += 1
    print(f"FAILED {sentence}\n    {details}")


def environment(**values):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    return {**clean, **values}


def run(*arguments, **values):
    result = subprocess.run([PROGRAM, "serve", *arguments], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=30, env=environment(**values))
    return result.returncode, result.stdout.decode(), result.stderr.decode()


class Server:
    """A running server; its ready lines are in .rooms."""

    def __init__(self, *arguments, rooms=1, directory=None, **values):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--bind", "127.0.0.1", *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log, env=environment(**values), cwd=directory)
        self.lines = [self.process.stdout.readline().decode().rstrip("\n") for _ in range(rooms)]
        self.rooms = [READY.match(line) for line in self.lines]

    def port(self, room=0):
        return int(self.rooms[room].group(4))

    def ask(self, query, room=0):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(5)
            s.sendto(query, ("127.0.0.1", self.port(room)))
            return s.recvfrom(2048)[0].decode("latin-1")

    def messages(self):
        self.log.seek(0)
        return self.log.read().decode()

    def wait_for(self, text):
        for _ in range(500):
            if text in self.messages():
                return True
            time.sleep(0.01)
        return False

    def stop(self, number=signal.SIGTERM):
        started = time.monotonic()
        self.process.send_signal(number)
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stdout.close()
        return code, time.monotonic() - started


def lua(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False)
    file.write(text)
    file.close()
    return file.name


def starting():
    server = Server("--port", "0")
    check("one room says when it is ready", all(server.rooms), server.lines)
    m = server.rooms[0]
    check("the ready line says what it is", m and m.group(1, 2, 3, 5, 6, 7) ==
          ("1", "Starbase", "127.0.0.1", "ffa", "Multi1", "8"), server.lines)
    answer = server.ask(b"\\status\\")
    check("it answers queries then", "\\hostname\\" in answer and "Starbase" in answer, answer)
    code, seconds = server.stop()
    check("SIGTERM ends it with 0", code == 0, (code, server.messages()))
    check("within two seconds", seconds < 2, seconds)
    check("and it says so", "stopping" in server.messages(), server.messages())

    server = Server("--port", "0", "--rooms", "5", "--threads", "2", "--name", "Many",
                    "--mission", "team", "--system", "3", "--max-players", "4", rooms=5)
    check("many rooms have a ready line each", all(server.rooms), server.lines)
    check("with numbered names", [m.group(2) for m in server.rooms] ==
          [f"Many {i}" for i in range(1, 6)], server.lines)
    check("flags reach the rooms", all(m.group(5, 6, 7) == ("team", "Multi3", "4")
                                       for m in server.rooms), server.lines)
    check("each answers", all(f"Many {i + 1}" in server.ask(b"\\info\\", i) for i in range(5)))
    code, seconds = server.stop(signal.SIGINT)
    check("SIGINT ends it with 0, too", code == 0 and seconds < 2, (code, seconds))


def ports():
    server = Server("--port", "0")
    port = str(server.port())
    code, out, err = run("--bind", "127.0.0.1", "--port", port)
    check("a port in use is an error", code == 1 and out == "", (code, out, err))
    check("that says which, and what to do", f"127.0.0.1:{port}" in err and "in use" in err and
          "--port" in err, err)
    server.stop()
    code, out, err = run("--bind", "203.0.113.1")
    check("an address of somebody else, too", code == 1 and "--bind" in err, err)


def configuration():
    code, out, err = run("--check-config")
    check("without a file the configuration is fine", code == 0 and err == "" and
          "\n    max_players = 8,\n" in out, (code, out, err))
    check("what is shown is a configuration", run("--config", lua(out), "--check-config")[0] == 0)
    code, out, err = run("--config", EXAMPLE, "--check-config")
    check("the example is fine", code == 0 and err == "", (code, err))

    for text, error in (("return { max_players = 17 }", "max_players: must be a whole number"),
                        ("return { max_player = 1 }", "did you mean `max_players`?"),
                        ("return { mission = 3 }", "mission: must be a text"),
                        ("return {", "unexpected symbol")):
        name = lua(text)
        code, out, err = run("--config", name, "--check-config")
        check("a mistake is told with file and key, exit 78",
              code == 78 and out == "" and name in err and error in err, (code, out, err))
        check("and the server does not start", run("--config", name)[0] == 78)
    code, out, err = run("--config", "no/such.lua")
    check("a missing file is a mistake", code == 78 and "no/such.lua" in err, (code, err))
    code, out, err = run("--max-players", "99", "--check-config")
    check("so is a bad value on the command line", code == 78 and "--max-players" in err, err)
    code, out, err = run("--check-config", STARBASE_PORT="x")
    check("and in the environment", code == 78 and "STARBASE_PORT" in err, err)
    code, out, err = run("--check-config", STARBASE_PROT="1")
    check("and an unknown variable", code == 78 and "did you mean `port`?" in err, err)
    code, out, err = run("--prot", "1")
    check("an unknown flag is bad usage", code == 2 and "--prot" in err, err)
    code, out, err = run("operand")
    check("so is an operand", code == 2 and "operand" in err, err)

    name = lua("return { time_limit = 1, frag_limit = 2, max_players = 3 }")
    code, out, err = run("-c", name, "--max-players", "6", "--check-config",
                         STARBASE_FRAG_LIMIT="5", STARBASE_MAX_PLAYERS="5")
    check("file < environment < command line", "    time_limit = 1,\n    frag_limit = 5," in out and
          "    max_players = 6,\n" in out, (code, out, err))
    code, out, err = run("--check-config", STARBASE_CONFIG=name)
    check("STARBASE_CONFIG names the file", "    time_limit = 1," in out, (code, out, err))
    code, out, err = run("--check-config", "--master", "a", "--master", "b:5,c")
    check("lists on the command line add up", '    masters = { "a", "b:5", "c" },' in out, out)
    code, out, err = run("--check-config", "--set", "combat.beam_low=0.25", "--set", "timeout=9")
    check("--set reaches every key", "beam_low = 0.25" in out and "    timeout = 9,\n" in out, out)
    code, out, err = run("--keys")
    check("--keys lists them", code == 0 and "\nmax_players = 8\n" in out and
          "STARBASE_MAX_PLAYERS" in out, out)
    code, out, err = run("--help")
    check("there is help", code == 0 and out.startswith("Usage: starbase serve") and err == "", out)


def reloading():
    name = lua("return { name = 'Before' }")
    server = Server("--config", name, "--port", "0")
    check("the name is the file's", "Before" in server.ask(b"\\info\\"))
    with open(name, "w") as file:
        file.write("return { name = 'After', max_players = 9 }")
    server.process.send_signal(signal.SIGHUP)
    check("SIGHUP reads it again", server.wait_for("reloaded "), server.messages())
    check("what can change has changed", "After" in server.ask(b"\\info\\"))
    check("what cannot is told", "with a restart only" in server.messages(), server.messages())
    with open(name, "w") as file:
        file.write("return { nam = 'Worse' }")
    server.process.send_signal(signal.SIGHUP)
    check("a mistake is told", server.wait_for("not reloaded: "), server.messages())
    check("and changes nothing", "After" in server.ask(b"\\info\\"))
    for _ in range(20):
        with open(name, "w") as file:
            file.write("return { name = 'Again', manifests = { 'vanilla' } }")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    check("many reloads in a row are fine", server.wait_for("reloaded ") and
          "Again" in server.ask(b"\\info\\"))
    check("and it still ends well", server.stop()[0] == 0)


def logging():
    server = Server("--port", "0", "--log-json", "--log-level", "debug")
    server.process.send_signal(signal.SIGUSR1)
    server.wait_for("datagrams_in")
    server.stop()
    lines = [json.loads(line) for line in server.messages().splitlines()]
    check("JSON lines have time, level, subsystem, message",
          lines and all({"time", "level", "subsystem", "message"} <= set(line) for line in lines),
          lines)
    check("and the room where they are about one", any(line.get("room") == 1 for line in lines), lines)
    server = Server("--port", "0")
    server.stop()
    check("text lines begin with the time", all(
        re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning|error|debug) ", line)
        for line in server.messages().splitlines()), server.messages())
    check("without a terminal there is no colour", "\033" not in server.messages())
    # Whoever reads the ready line may go away.
    server = Server("--port", "0")
    port = server.port()
    server.process.stdout.close()
    server.process.send_signal(signal.SIGUSR1)
    check("a closed pipe does not end the server", server.wait_for("datagrams in"))
    server.stop()
    check("the port was open", port > 0)


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
        os.environ.update(environment(TERM="xterm"))
        os.execv(PROGRAM, [PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0", "--view",
                           "--name", "Seen"])
    seen = read_terminal(terminal, b"Seen\x1b[0m  port ")
    check("--view takes the screen", b"\033[?1049h" in seen and b"\033[?25l" in seen, seen)
    check("and shows the room", b"Seen\x1b[0m  port " in seen, seen)
    os.write(terminal, b"\x03")
    rest = read_terminal(terminal, b"stopped")
    check("Ctrl-C gives the screen back", b"\033[?25h\033[?1049l" in rest, rest)
    status = os.waitpid(pid, 0)[1]
    check("and ends with 0", os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, status)
    server = Server("--port", "0", "--view")
    check("without a terminal there is no view, but a server", server.rooms[0] is not None)
    server.stop()
    check("which says so", "no terminal" in server.messages(), server.messages())


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
        check("and a goodbye", server.stop()[0] == 0)


def bots(port, *arguments):
    return subprocess.Popen([PROGRAM, "bot", *arguments, f"127.0.0.1:{port}"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def players():
    server = Server("--port", "0", "--log-json")
    company = bots(server.port(), "-n", "2", "--time", "60", "--name", "Ann")
    both = server.wait_for('"event":"joined"') and server.wait_for("Ann 2 is in the game")
    check("players who join are logged", both, server.messages())
    code, seconds = server.stop()
    check("with players it ends as quickly and well", code == 0 and seconds < 2, (code, seconds))
    out = company.communicate(timeout=10)[0].decode()
    check("and the players are told", "the server closes" in out, out)
    lines = [json.loads(line) for line in server.messages().splitlines()]
    joined = [line for line in lines if line.get("event") == "joined"]
    check("joins have who and how long", {line.get("player") for line in joined} ==
          {"Ann 1", "Ann 2"} and all("ms" in line and "address" in line for line in joined), joined)
    check("so have departures", all("reason" in line for line in lines
                                    if line.get("event") == "left"), lines)


def tracing():
    server = Server("--port", "0", "--trace-damage", "--set", "peers_per_address=0")
    company = bots(server.port(), "-n", "6", "--time", "60", "--name", "Ann", "--ship", "galaxy")
    line = re.compile(r"Ann \d \(Galaxy\): (\w+) shield absorbs [\d.]+ HP, "
                      r"([\d.]+ left|empty) \((beam|torpedo) of Ann \d \(Galaxy\)\)")
    found = any(server.wait_for(" absorbs ") for _ in range(6))
    check("--trace-damage tells who lost what where, to whom and by what",
          found and line.search(server.messages()), server.messages()[-2000:])
    check("and nobody is suspected of anything", " cheat " not in server.messages(),
          [text for text in server.messages().splitlines() if " cheat " in text])
    server.stop()
    company.communicate(timeout=10)


def learning():
    """What one server learns, another one accepts, and refuses players who have less."""
    with tempfile.TemporaryDirectory() as place:
        manifest = os.path.join(place, "learned.csv")
        server = Server("--port", "0", "--learn", manifest)
        company = bots(server.port(), "--time", "60")
        check("what a player has is written", server.wait_for("wrote what was learned"),
              server.messages())
        server.stop()
        company.communicate(timeout=10)
        check("to the file", os.path.exists(manifest))

        server = Server("--port", "0", "--checksums", "strict", "--manifest", manifest)
        company = bots(server.port(), "--time", "60")
        check("who has the same joins", server.wait_for("is in the game"), server.messages())
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
        check("who has another file does not", server.wait_for("cannot join"), server.messages())
        check("and the log says which: round, directory and file",
              re.search(r"round 2: file changed: scripts.ships.Akira\.pyc "
                        r"\(CCD37170, expected 12345678\)", server.messages(), re.IGNORECASE),
              server.messages())
        server.stop()
        company.communicate(timeout=10)


for part in (starting, ports, configuration, reloading, logging, view, masters, players, tracing,
             learning):
    part()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
