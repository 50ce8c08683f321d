#!/usr/bin/env python3
"""tests/apps/query_test.py -- `starbase query` against our server and against strange ones.

Usage: query_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import re
import socket
import threading

import live_server
from live_server import Server, check, finish


def run(*arguments, command="query", timeout=60):
    return live_server.run(*arguments, command=command, timeout=timeout)


class Mock:
    """A UDP socket that answers every \\status\\ with the given packets."""

    def __init__(self, *packets, port=0, address="127.0.0.1"):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, port))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.packets, self.questions, self.done = packets, [], False
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while not self.done:
            try:
                question, source = self.socket.recvfrom(2000)
            except socket.timeout:
                continue
            self.questions.append(question)
            for packet in self.packets:
                self.socket.sendto(packet, source)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done = True
        self.thread.join()
        self.socket.close()


def usage():
    code, out, err = run("--help")
    check("there is help", code == 0 and out.startswith("Usage: starbase query") and err == "", out)
    check("the program lists the command", "  query " in run(command="help")[1])
    for arguments, reason in (((), "name a server"), (("--lan", "localhost"), "not both"),
                              (("--timeout", "0", "localhost"), "--timeout needs seconds"),
                              (("--timeout", "soon", "localhost"), "--timeout needs seconds"),
                              (("localhost:0",), "is not HOST"),
                              (("localhost:70000",), "is not HOST"), ((":",), "is not HOST")):
        code, out, err = run(*arguments)
        check(f"{arguments} is refused", code == 2 and out == "" and reason in err, err)


class Master:
    """A TCP socket that greets, reads a request and sends the given bytes, in pieces."""

    def __init__(self, *pieces, greeting=b"\\basic\\\\secure\\LRPOPQ"):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(5)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.pieces, self.greeting, self.request = pieces, greeting, b""
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection = self.socket.accept()[0]
        with connection:
            connection.settimeout(5)
            connection.sendall(self.greeting[:10])
            connection.sendall(self.greeting[10:])
            while not self.request.endswith(b"\\bcommander\\final\\"):
                received = connection.recv(2000)
                if not received:
                    return
                self.request += received
            for piece in self.pieces:
                connection.sendall(piece)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.thread.join()
        self.socket.close()


def masters():
    server = Server("--name", "Listed")
    entry = socket.inet_aton("127.0.0.1") + int(server.address.split(":")[1]).to_bytes(2, "big")
    with Master(entry[:3], entry[3:] + b"\\fin", b"al\\") as master:
        code, out, err = run("--master", master.address)
    check("--master asks the servers that a master lists", code == 0 and "Listed" in out and
          server.address in out and err == "", (code, out, err))
    check("a master gets the bytes that the game sends", master.request ==
          b"\\gamename\\bcommander\\gamever\\1.6\\location\\0\\validate\\hMwdTNWS\\final\\"
          b"\\queryid\\1.1\\\\list\\cmp\\gamename\\bcommander\\final\\", master.request)
    server.stop()
    with Master(b"\\final\\") as master:
        code, out, err = run("--master", master.address, "--json")
    check("an empty list is a negative answer", (code, out) == (1, "") and
          f"master {master.address} lists no server" in err, (code, out, err))
    with Master(b"\x7f\x00\x00") as master:
        code, out, err = run("--master", master.address)
    check("a list that is cut off is an error", code == 1 and "within its list" in err, err)
    with Master(greeting=b"HTTP/1.0 400 Bad Request\r\n" + b"x" * 300) as master:
        code, out, err = run("--master", master.address)
    check("a server that is no master is an error", code == 1 and "not a master" in err, err)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    code, out, err = run("--master", f"127.0.0.1:{port}")
    check("a master that is not there is an error", code == 1 and "Connection refused" in err, err)
    for arguments in (("--master", "localhost", "localhost"), ("--master", "localhost", "--lan")):
        check("--master excludes others", run(*arguments)[0] == 2)


def our_server():
    with Server("--name", "Friday night", "--mission", "team", "--system", "Multi3",
                "--time-limit", "20", "--frag-limit", "7", "--max-players", "5") as server:
        code, out, err = run(server.address)
        lines = out.splitlines()
        check("a server is a line of the table", code == 0 and len(lines) == 2 and
              lines[0].split() == ["NAME", "ADDRESS", "MODE", "SYSTEM", "PLAYERS", "LIMITS",
                                   "PING"], out + err)
        check("the table has name, address, system, players, limits and ping", re.match(
            r"Friday night +" + re.escape(server.address) + r" +\S+ +Multi3 +0/5 +"
            r"20 min, 7 kills +[\d.]+ ms$", lines[-1]), out)
        code, out, err = run("--json", server.address)
        one = json.loads(out)
        check("JSON has the keys of the wire", code == 0 and one["address"] == server.address and
              one["hostname"] == "Friday night" and one["gamename"] == "bcommander" and
              one["maxplayers"] == "5" and one["timelimit"] == "20" and one["system"] == "Multi3" and
              one["ping_ms"] >= 0 and one["answered"] is True and "queryid" not in one, out + err)
        with Server() as other:
            code, out, err = run("--json", other.address, server.address)
            both = [json.loads(line) for line in out.splitlines()]
            check("several servers come in the order of the command line",
                  [b["address"] for b in both] == [other.address, server.address], out)
        code, out, err = run(server.address, server.address)
        rows = [line for line in out.splitlines() if line.startswith("Friday night")]
        check("a server that is asked for twice has two lines", code == 0 and len(rows) == 2 and
              "no answer" not in out, out + err)
        code, out, err = run("-v", server.address)
        check("-v lists players", any(line.startswith("    ") for line in out.splitlines()), out)
        port = server.address.split(":")[1]
        check("names are resolved", run(f"localhost:{port}")[0] == 0)


def strange_servers():
    split = (b"\\player_1\\Ben\\final\\\\queryid\\9.2",
             b"\\hostname\\A\x96B\x1b[31m\\mapname\\DM\\numplayers\\2\\maxplayers\\8"
             b"\\player_0\\Ann\\queryid\\9.1")
    with Mock(*split) as mock:
        code, out, err = run("-v", mock.address)
        check("packets are put together", code == 0 and "    Ann" in out and "    Ben" in out,
              out + err)
        check("control bytes do not reach the terminal", "\x1b" not in out and
              "A\u2013B[31m" in out, out)
        check("the query has eight bytes", set(mock.questions) == {b"\\status\\"},
              mock.questions)
    doubled = b"\\hostname\\First\\hostname\\Second\\address\\6.6.6.6:6\\x\\\"\\final\\\\queryid\\1.1"
    with Mock(doubled) as mock:
        one = json.loads(run("--json", mock.address)[1])
        check("the first of two values counts, and our own keys are kept",
              one["hostname"] == "First" and one["address"] == mock.address and one["x"] == '"',
              one)
    with Mock(b"garbage", b"", b"\\hostname\\half\\queryid\\1.1") as mock:
        code, out, err = run("--timeout", "0.3", mock.address)
        check("half an answer is no answer", code == 1 and "no answer" in out and
              "no server answered" in err, out + err)
        code, out, err = run("--timeout", "0.3", "--json", mock.address)
        one = json.loads(out)
        check("half an answer is no answer in JSON",
              code == 1 and one == {"address": mock.address, "answered": False,
                                                   "ping_ms": one.get("ping_ms")} or
              one == {"address": mock.address, "answered": False}, out)
    with Mock() as mute, Mock(doubled) as mock:
        code, out, err = run("--timeout", "0.5", mute.address, mock.address)
        check("one answer is enough for exit status 0", code == 0 and
              len(out.splitlines()) == 3 and err == "", out + err)
    code, out, err = run("--timeout", "0.2", "127.0.0.1:9")
    check("a closed port does not answer", code == 1 and "no server answered" in err, out + err)


def lan():
    answer = b"\\hostname\\On the LAN\\final\\\\queryid\\1.1"
    port = next((p for p in range(22201, 22101, -1) if is_free(p)), None)
    with Mock(answer, port=port, address="") as mock:
        code, out, err = run("--lan", "--timeout", "0.5", "--json")
        found = [json.loads(line) for line in out.splitlines()]
        mine = [f for f in found if f["address"].endswith(f":{port}") and
                f.get("hostname") == "On the LAN"]
        check("the sweep finds a server of this machine", code == 0 and len(mine) == 1, out + err)
        check("the sweep measures the ping", mine and mine[0].get("ping_ms", -1) >= 0, mine)
    # Whoever else answers on this network would be found, too: then there is nothing to check.
    code, out, err = run("--lan", "--timeout", "0.3")
    check("an empty LAN is a negative answer", (code == 1 and out == "" and
          "no server on the LAN answered" in err) or (code == 0 and out.startswith("NAME")),
          out + err)


def is_free(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
        return True


for part in (usage, masters, our_server, strange_servers, lan):
    part()
finish()
