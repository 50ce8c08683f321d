#!/usr/bin/env python3
"""tests/apps/doctor_test.py -- `starbase doctor` beside real servers, and on machines with faults.

Usage: doctor_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading

from live_server import PROGRAM, Server, check, finish

NOBODY = 65534
CHECKS = ["configuration", "port", "reach", "firewall", "address", "masters", "clock", "limits",
          "store", "disk", "control", "http"]


CONTROL = tempfile.mkdtemp()  # for the control sockets of the servers of this test
os.environ["STARBASE_CONTROL_DIR"] = CONTROL


class Result:
    """The lines of a run, by check."""

    def __init__(self, *arguments, **environment):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith("STARBASE_") and k != "XDG_RUNTIME_DIR"}
        program = os.path.abspath(PROGRAM)
        result = subprocess.run([program, "doctor", *arguments], stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=120, cwd="/",
                                env={**clean, "STARBASE_CONTROL_DIR": CONTROL, **environment})
        self.code, self.out, self.err = result.returncode, result.stdout.decode(), result.stderr.decode()
        self.lines = [line.split(None, 2) for line in self.out.splitlines() if line[0] != "{"]

    def of(self, name):
        return [(verdict, text) for verdict, check_name, text in self.lines if check_name == name]

    def has(self, verdict, name, words):
        return any(v == verdict and words in text for v, text in self.of(name))

    def todo(self):
        return [line for line in self.lines if line[0] == "todo"]

    def __repr__(self):
        return f"exit {self.code}\n{self.out}{self.err}"


class Place:
    """A folder with a configuration."""

    def __init__(self, folder):
        self.folder = folder
        os.chmod(folder, 0o755)

    def write(self, text, name="server.lua"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def config(self, port, more=""):
        return self.write(f"name = 'Doctored'\nport = {port}\nbind = '127.0.0.1'\n{more}")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def all_fine(place):
    result = Result("-c", place.config(free_port()))
    check("a machine without faults needs nothing", result.code == 0 and not result.todo(), result)
    names = list(dict.fromkeys(name for _, name, _ in result.lines))
    check("every check has a line", names[:len(CHECKS)] == CHECKS, result)
    check("a free port is free", result.has("ok", "port", "is free"), result)
    check("datagrams to the own address arrive", result.has("ok", "reach", "arrive"), result)
    check("no server, no control socket", result.has("ok", "control", "not there yet"), result)
    check("no master is a choice", result.has("note", "masters", "none is configured"), result)


def running_server(place):
    with Server("--name", "Doctored") as server:
        path = place.config(server.address.split(":")[1])
        result = Result("-c", path)
        check("a running server of ours holds its port", result.code == 0 and
              result.has("ok", "port", '"Doctored" is running'), result)
        check("it is reached", result.has("ok", "reach", f"answers queries at {server.address}"), result)
        check("its control socket answers", result.has("ok", "control", "server.ctl answers"), result)
        elsewhere = Result("-c", path, STARBASE_CONTROL_DIR=place.folder)
        check("a server without its socket is named", elsewhere.code == 1 and
              elsewhere.has("todo", "control", "the server runs without"), elsewhere)
        other = place.write(open(path, encoding="utf-8").read().replace("Doctored", "Another"))
        result = Result("-c", other)
        check("a server with another name is in the way", result.code == 1 and
              result.has("todo", "port", 'another game server, "Doctored"'), result)


def any_port(place):
    result = Result("-c", place.config(0))
    check("port = 0 is explained", result.code == 0 and
          result.has("note", "port", "at each start the system chooses a free UDP port"), result)
    check("no line is about the port 0", not re.search(r"UDP 0|:0\b", result.out), result)
    check("players join at the port that the server prints",
          result.has("note", "address", "only programs on this machine") and
          result.has("note", "firewall", "no `port` is set"), result)
    with socket.socket() as http, Server("--name", "Doctored") as server:
        http.bind(("127.0.0.1", 0))
        http.listen()
        result = Result("-c", place.config(0, f"http = {http.getsockname()[1]}\n"))
        check("a server that runs at any port is known by its control socket", result.code == 0 and
              result.has("ok", "control", "server.ctl answers") and
              result.has("ok", "http", "answers"), result)
        check("the server runs", server.address)
    ports = f"port = 0\nbind = '127.0.0.1'\nrooms = {{ {{}}, {{ port = {free_port()} }} }}\n"
    result = Result("-c", place.write(ports))
    check("other rooms may have a port", result.has("ok", "port", "is free") and
          result.has("note", "port", "port = 0"), result)


def taken_port(place):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        result = Result("-c", place.config(port))
        check("a port that another program has is named, with what to do", result.code == 1 and
              result.has("todo", "port", f"ss -ulpn sport = :{port}"), result)
        check("the rest is checked all the same", result.has("note", "reach", "in use") and
              result.of("clock") and result.of("disk"), result)


def bad_configuration(place):
    result = Result("-c", place.write("max_player = 4\n"))
    check("an error of the configuration is named", result.code == 1 and
          result.has("todo", "configuration", "did you mean `max_players`?"), result)
    check("the machine is checked all the same", result.of("clock") and not result.of("port"), result)
    result = Result("-c", place.folder + "/none.lua")
    check("a missing configuration is named", result.code == 1 and
          result.has("todo", "configuration", "No such file"), result)
    result = Result(STARBASE_CONFIG=place.write("port = 'x'\n"))
    check("STARBASE_CONFIG names the file", result.has("todo", "configuration", "port"), result)


def as_another_user(place, port):
    """Faults that root does not have."""
    if os.geteuid() != 0:
        print("skipped: not root, so no other user's rights can be checked")
        return
    program = os.path.join(place.folder, "starbase")
    shutil.copy(PROGRAM, program)

    def as_nobody(config):
        return subprocess.run([program, "doctor", "-c", config], capture_output=True, text=True,
                              timeout=120, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/",
                              env={"STARBASE_CONTROL_DIR": CONTROL})

    result = as_nobody(place.config(port, f"store = '{place.folder}/new.db'\n"))
    check("a folder that this user cannot write is named", result.returncode == 1 and
          re.search(r"^todo +store .*cannot be written by this user: Permission denied",
                    result.stdout, re.M), result.stdout + result.stderr)
    hidden = place.config(port)
    os.chmod(hidden, 0o600)
    result = as_nobody(hidden)
    check("a configuration without rights is named", result.returncode == 1 and
          "sudo starbase doctor" in result.stdout, result.stdout + result.stderr)


def store_folder(place):
    port = free_port()
    result = Result("-c", place.config(port, f"store = '{place.folder}/new.db'\n"))
    check("a folder that can be written is fine", result.code == 0 and
          result.has("ok", "store", "will create"), result)
    result = Result("-c", place.config(port, "store = '/nowhere/new.db'\n"))
    check("a missing folder is named", result.code == 1 and
          result.has("todo", "store", "install -d"), result)
    result = Result("-c", place.config(port, f"store = '{place.folder}/server.lua/new.db'\n"))
    check("a file is no folder", result.code == 1 and
          result.has("todo", "store", "server.lua is no folder"), result)
    os.mkdir(os.path.join(place.folder, "folder.db"))
    result = Result("-c", place.config(port, f"store = '{place.folder}/folder.db'\n"))
    check("a folder is no store", result.code == 1 and
          result.has("todo", "store", "no regular file"), result)
    path = place.write("no database, but long enough to be one, if only its first bytes were right\n", "text.db")
    result = Result("-c", place.config(port, f"store = '{path}'\n"))
    check("a text is no store", result.code == 1 and
          result.has("todo", "store", "no SQLite database"), result)
    path = os.path.join(place.folder, "real.db")

    def of_version(version, application=0x53544253):
        with sqlite3.connect(path) as database:
            database.execute(f"PRAGMA application_id = {application}")
            database.execute(f"PRAGMA user_version = {version}")
            database.execute("CREATE TABLE IF NOT EXISTS match (id INTEGER)")
        database.close()
        return Result("-c", place.config(port, f"store = '{path}'\n"))
    result = of_version(1)
    check("a database has a version", result.has("ok", "store", "schema 1"), result)
    result = of_version(77)
    check("a later version is one for a later program", result.code == 1 and
          result.has("todo", "store", "has schema 77"), result)
    result = of_version(7, 0)
    check("the database of another program is named", result.code == 1 and
          result.has("todo", "store", "of another program"), result)
    path = os.path.join(place.folder, "young.db")
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA user_version = 7")
    database.execute("CREATE TABLE match (id INTEGER)")
    database.commit()  # to the journal: the header still has version 0
    result = Result("-c", place.config(port, f"store = '{path}'\n"))
    database.close()
    check("a database whose journal has all of it has no wrong version", result.has("ok", "store", "is new") and
          not result.has("ok", "store", "schema 0"), result)
    result = Result("-c", place.config(port, "store = ''\n"))
    check("no store is a choice", result.code == 0 and result.has("note", "store", "off"), result)


def limits(place):
    result = Result("-c", place.config(50000, "rooms = 4096\n"))
    check("the unit has files for the most rooms", result.has("ok", "limits", "4352 of 8192"), result)
    result = Result("-c", place.config(50000, "rooms = 4096\nbots = 1\n"))
    check("rooms with bots need two files each, as the server counts", result.code == 1 and
          result.has("todo", "limits", "8448 open files"), result)


def metrics(place):
    port = free_port()
    result = Result("-c", place.config(port, "http = '127.0.0.1:0'\n"))
    check("a free port for metrics is fine", result.code == 0 and result.has("ok", "http", "free"), result)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        result = Result("-c", place.config(port, f"http = '{address}'\n"))
        check("a taken port for metrics is named", result.code == 1 and
              result.has("todo", "http", f"TCP {address}: another program"), result)
    result = Result("-c", place.config(port, "http = '0.0.0.0:0'\n"))
    check("metrics for everybody are named", result.code == 0 and
          result.has("note", "http", "names of players"), result)


def firewalls(place):
    """Programs by these names count, whatever they do: they are not run."""
    port = free_port()
    tools = os.path.join(place.folder, "bin")
    os.mkdir(tools)
    path = place.config(port, "rooms = 3\n")
    with open(os.path.join(tools, "ufw"), "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ntouch {place.folder}/was-run\n")
    os.chmod(os.path.join(tools, "ufw"), 0o755)
    result = Result("-c", path, PATH=tools)
    check("the hint has the program's own words", result.has("note", "firewall",
          f"ufw allow {port}:{port + 2}/udp"), result)
    check("no firewall is asked or changed", not os.path.exists(place.folder + "/was-run"))


def addresses(place):
    result = Result("-c", place.config(free_port()))
    check("a server for this machine alone is named", result.has("note", "address", "bind"), result)
    check("ports beyond the LAN's are named", result.has("note", "address", "22101 to 22201"), result)


class Master:
    """A master on a loopback address of its own: it answers one list, or something else."""

    PORT = 28900

    def __init__(self, address, *entries):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, self.PORT))
        self.listener.listen()
        self.entries = entries
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                peer.sendall(b"\\basic\\\\secure\\ABCDEF")
                request = b""
                while not request.endswith(b"\\bcommander\\final\\"):
                    piece = peer.recv(4096)
                    if not piece:
                        return
                    request += piece
                peer.sendall(b"".join(self.entries) + b"\\final\\")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def masters(place):
    port = free_port()
    entry = socket.inet_aton("192.0.2.1") + (22101).to_bytes(2, "big")
    with Master("127.77.3.1", entry):
        result = Result("-c", place.config(port, "masters = { '127.77.3.1:27900' }\n"))
        check("a master that answers is fine", result.code == 0 and
              result.has("ok", "masters", "127.77.3.1 answers and lists 1 server"), result)
    result = Result("-c", place.config(port, "masters = { '127.77.3.2', '127.77.3.2' }\n"))
    check("a master that does not answer is named once", result.code == 1 and
          len(result.of("masters")) == 1 and result.has("todo", "masters", "Connection refused"), result)


def json_lines(place):
    result = Result("--json", "-c", place.config(free_port()))
    lines = [json.loads(line) for line in result.out.splitlines()]
    check("--json prints an object per line", result.code == 0 and
          [line["check"] for line in lines][:2] == ["configuration", "port"], result)
    check("with stable keys", all(set(line) == {"check", "verdict", "text"} and
          line["verdict"] in ("ok", "note", "todo") for line in lines), result)


def wrong_use():
    check("operands are refused", Result("x").code == 2)
    check("unknown options are refused", Result("--jsn").code == 2)


with tempfile.TemporaryDirectory() as folder:
    place = Place(folder)
    for part in (all_fine, running_server, any_port, taken_port, bad_configuration, store_folder, limits, metrics, firewalls,
                 addresses, masters, json_lines):
        part(place)
    as_another_user(place, free_port())
    wrong_use()
shutil.rmtree(CONTROL)
finish()
