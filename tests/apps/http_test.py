#!/usr/bin/env python3
"""tests/apps/http_test.py -- /metrics, /healthz and /api/status of a real server (key http).

promtool checks the metrics, and a Prometheus scrapes them, if they are installed. Usage:
http_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import child
from checks import check, finish
from forger import Forger, raw_socket

PROGRAM = os.path.abspath(sys.argv[1])
MALFORMED, SLOW = 100000, 1000
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}


class Server:
    """A server with its HTTP server; .http is the port."""

    def __init__(self, *arguments, http="0", rooms=1):
        self.log = tempfile.TemporaryFile()
        self.process = child.start(
            [PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", "--http", http, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=CLEAN)
        lines = [self.process.stdout.readline().decode() for _ in range(rooms + 1)]
        self.lines = lines
        found = re.search(r"http on ([\d.]+):(\d+)$", lines[-1])
        self.host, self.http = (found.group(1), int(found.group(2))) if found else ("", 0)
        room = re.search(r"on ([\d.]+:\d+), mission", lines[0])
        self.room = room.group(1) if room else ""

    def messages(self):
        return os.pread(self.log.fileno(), os.fstat(self.log.fileno()).st_size, 0).decode()

    def ask(self, request, seconds=20):
        """The whole answer to the bytes of a request."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.http), timeout=seconds) as s:
            s.sendall(request)
            try:
                while data := s.recv(65536):
                    answer += data
            except ConnectionResetError:
                pass
        return answer

    def get(self, path, method="GET"):
        """Status and body."""
        answer = self.ask(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        found = re.match(rb"HTTP/1\.[01] (\d+)", head)
        return (int(found.group(1)) if found else 0), body.decode(), head.decode().lower()

    def metrics(self):
        """All lines without comments, as a dictionary."""
        lines = [line.rsplit(" ", 1) for line in self.get("/metrics")[1].splitlines() if line[0] != "#"]
        return {name: float(value) for name, value in lines}

    def wait_for(self, condition, seconds=60):
        """The metrics for which the condition is true; None: it stays false."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            metrics = self.metrics()
            if condition(metrics):
                return metrics
            time.sleep(0.2)
        return None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def check_pages(server):
    for path, kind in (("/metrics", "text/plain; version=0.0.4"), ("/healthz", "text/plain"),
                       ("/api/status", "application/json")):
        status, body, head = server.get(path)
        check(f"GET {path} is answered", status == 200 and body and f"content-type: {kind}" in head, head)
        check(f"{path} ends the connection", "connection: close" in head, head)
        status, body, head = server.get(path, "HEAD")
        check(f"HEAD {path} has no body", status == 200 and body == "" and "content-length:" in head, head + body)
    check("the server is healthy", server.get("/healthz")[1] == "ok\n", server.get("/healthz"))


def check_refusals(server):
    check("other pages are not found", server.get("/")[0] == 404 and server.get("/metrics/x")[0] == 404)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        status, _, head = server.get("/metrics", method)
        check(f"{method} is refused and told what is allowed", status == 405 and "allow: get, head" in head, head)
    status = server.get("/" + "a" * 3000)[0]
    check("a long address is refused", status == 414, status)
    check("a long query is refused", server.get("/metrics?" + "a" * 300)[0] == 414)
    long = server.ask(b"GET /healthz HTTP/1.1\r\nHost: x\r\nAccept: " + b"a" * 8000 + b"\r\n\r\n")
    check("long headers are refused", b" 431 " in long[:20], long)
    endless = server.ask(b"GET /healthz HTTP/1.1\r\nHost: x\r\nAccept: " + b"a" * 60000 + b"\r\n\r\n")
    check("headers that are too long to read close the connection", endless == b"", endless)
    upgrade = server.ask(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                         b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    check("another protocol is refused", b" 400 " in upgrade[:20], upgrade)
    codes = server.wait_for(lambda m: m['starbase_http_answers_total{code="405"}'] == 5 and
                            m['starbase_http_answers_total{code="414"}'] == 2 and
                            m['starbase_http_answers_total{code="431"}'] == 1 and
                            m['starbase_http_dropped_connections_total{reason="upgrade"}'] == 1)
    check("refusals are counted", codes, server.metrics())


def check_promtool(server):
    if not shutil.which("promtool"):
        print("skipped: promtool is not installed (Debian: package prometheus)")
        return
    result = subprocess.run(["promtool", "check", "metrics"], input=server.get("/metrics")[1], text=True,
                            capture_output=True)
    check("promtool finds nothing to complain about",
          result.returncode == 0 and result.stdout + result.stderr == "", result.stdout + result.stderr)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def query(port, text):
    """The first value that Prometheus has for the query; None: none yet."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={text}", timeout=5) as answer:
            found = json.load(answer)["data"]["result"]
            return float(found[0]["value"][1]) if found else None
    except (OSError, ValueError):
        return None


def check_prometheus(server):
    if not shutil.which("prometheus"):
        print("skipped: prometheus is not installed (Debian: package prometheus)")
        return
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "prometheus.yml"), "w") as file:
            file.write("scrape_configs:\n  - job_name: starbase\n    scrape_interval: 1s\n    static_configs:\n"
                       f"      - targets: ['127.0.0.1:{server.http}']\n")
        port = free_port()
        scraper = child.start(["prometheus", f"--config.file={place}/prometheus.yml",
                               f"--storage.tsdb.path={place}/data", f"--web.listen-address=127.0.0.1:{port}"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 90
            while query(port, "up") != 1 and time.monotonic() < end:
                time.sleep(0.3)
            check("a Prometheus scrapes the server", query(port, "up") == 1, query(port, "up"))
            check("it has the values", query(port, "starbase_places") == 8, query(port, "starbase_places"))
            check("it reads histograms", query(port, "starbase_turn_duration_seconds_count") is not None)
        finally:
            scraper.terminate()
            scraper.wait(60)


class Bots:
    """Bots that play until the with statement ends."""

    def __init__(self, server, count):
        self.process = child.start([PROGRAM, "bot", "-n", str(count), "--time", "600", server.room],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=CLEAN)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def check_players(server):
    with Bots(server, 2):
        playing = server.wait_for(lambda m: m["starbase_players"] == 2 and m["starbase_received_states_total"] > 20)
        check("players are counted", playing is not None, server.metrics())
        if not playing:
            return
        check("joins, ships and traffic are counted", playing["starbase_joins_total"] == 2 and
              playing["starbase_ships_created_total"] >= 2 and playing["starbase_received_bytes_total"] > 1000 and
              playing['starbase_room_players{room="1"}'] == 2 and
              playing["starbase_rooms_active"] == 1, playing)
        turns = playing['starbase_turn_duration_seconds_count{thread="1"}']
        check("turns and round trips have histograms", turns > 20 and
              server.wait_for(lambda m: m["starbase_round_trip_seconds_count"] >= 2), playing)
        check("the processor time of the thread is known",
              playing['starbase_thread_cpu_seconds_total{thread="1"}'] > 0)
        status = server.get("/api/status")[1]
        room = json.loads(status)["room_list"][0]
        check("the status lists rooms and players", room["players"] == 2 and
              sorted(p["player"] for p in room["player_list"]) == ["Bot 1", "Bot 2"], status)
        check("the status has no addresses of players", "127.0.0.1" not in status, status)
        check_attacks(server)
    gone = server.wait_for(lambda m: m["starbase_leaves_total"] == 2 and m["starbase_players"] == 0)
    check("leaving is counted", gone is not None, server.metrics())


# ---- attacks ----

BAD_REQUESTS = [b"\r\n\r\n", b"\x00\xff" * 50, b"GET\r\n\r\n", b"GET /metrics HTTP/9.9\r\n: :\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                b"POST /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET /%00%zz HTTP/1.1\r\n\r\n",
                b"GET /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", b"A" * 2000]


def send_malformed(server, count):
    """Sends requests and does not read the answers; the number of those that the server took."""
    taken = 0
    for i in range(count):
        try:
            with socket.socket() as s:
                # A reset at once: ten thousands of closed connections would use up the local ports.
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                s.settimeout(20)
                s.connect(("127.0.0.1", server.http))
                s.sendall(BAD_REQUESTS[i % len(BAD_REQUESTS)])
                taken += 1
        except ConnectionError:
            taken += 1
    return taken


def states_move(server, what):
    """The match goes on: StateUpdates still arrive and go out, and nobody has left."""
    before = server.metrics()
    after = server.wait_for(lambda m: m["starbase_received_states_total"] > before["starbase_received_states_total"]
                            and m["starbase_sent_states_total"] > before["starbase_sent_states_total"])
    check(f"the match goes on {what}", after and after["starbase_leaves_total"] == 0 and
          after["starbase_players"] == 2, after)


def check_attacks(server):
    taken = send_malformed(server, MALFORMED)
    check("malformed requests are taken", taken == MALFORMED, taken)
    check("the server answers after malformed requests", server.get("/healthz")[1] == "ok\n")
    states_move(server, "after malformed requests")
    slow = []
    for _ in range(SLOW):
        s = socket.create_connection(("127.0.0.1", server.http), timeout=20)
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
        slow.append(s)
    check("the server answers beside slow connections", server.get("/healthz")[1] == "ok\n")
    states_move(server, "beside slow connections")
    dropped = server.metrics()
    check("slow connections of one address are limited", dropped["starbase_http_connections"] <= 16 and
          dropped['starbase_http_dropped_connections_total{reason="displaced"}'] > SLOW - 20,
          {k: v for k, v in dropped.items() if "http" in k})
    left = server.wait_for(lambda m: m["starbase_http_connections"] == 1)
    check("slow connections end by themselves", left, server.metrics()["starbase_http_connections"])
    for s in slow:
        s.close()


# ---- configuration ----

def run(*arguments):
    result = subprocess.run([PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", *arguments],
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=CLEAN, text=True)
    return result.returncode, result.stdout, result.stderr


def check_key(server):
    status, _, error = run("--http", f"127.0.0.1:{server.http}")
    check("a port that is taken stops the start and says so",
          status == 1 and "Address already in use" in error and "--http" in error, error)
    for wrong in ("x", "1.2.3:80", "70000", ":80", "::1", "127.0.0.1:", "80 "):
        status, _, error = run("--http", wrong, "--check-config")
        check(f"http {wrong} is refused", status == 78 and "must be PORT or ADDRESS:PORT" in error, error)
    status, out, error = run("--http", "0.0.0.0:80", "--check-config")
    check("an address with a port is accepted", status == 0 and 'http = "0.0.0.0:80"' in out, error)
    check("without the key there is no HTTP server", "http on" not in run("--check-config")[1])


def check_many_rooms():
    with Server("--rooms", "300", "--threads", "2", rooms=300) as server:
        metrics = server.metrics()
        check("all rooms are counted, the first 256 have rows of their own",
              metrics["starbase_rooms"] == 300 and metrics["starbase_places"] == 2400 and
              'starbase_room_places{room="256"}' in metrics and 'starbase_room_places{room="257"}' not in metrics,
              {k: v for k, v in metrics.items() if "room" not in k})
        check("no room starts because of that", metrics["starbase_rooms_started"] == 0)
        server.process.send_signal(signal.SIGHUP)
        check("a reload does not disturb the pages", server.get("/healthz")[0] == 200)
        check("a server with many rooms stops in order", server.stop() == 0, server.messages())


def check_bots_and_store():
    with tempfile.TemporaryDirectory() as place:
        with Server("--bots", "2", "--store", os.path.join(place, "matches.db"), "--frag-limit", "1") as server:
            found = server.wait_for(lambda m: m["starbase_bots"] == 2)
            check("bots of the server are no players", found and found["starbase_players"] == 0 and
                  found['starbase_room_bots{room="1"}'] == 2, server.metrics())
            status = json.loads(server.get("/api/status")[1])
            check("the status marks them", status["bots"] == 2 and status["players"] == 0 and
                  all(p["bot"] for p in status["room_list"][0]["player_list"]), status)
            check("the store is shown", server.metrics()["starbase_store_up"] == 1 and
                  status["store"]["state"] in ("ok", "behind"), status)
            check("the server with bots stops in order", server.stop() == 0, server.messages())


def check_forged_sources():
    """Datagrams from addresses that only bots of the server have, where the system lets us send them."""
    try:
        raw = raw_socket()
    except PermissionError:
        return
    with raw, Server() as server:
        datagrams = ((("0.0.0.1", 2000 + i), b"\\status\\") for i in range(3))
        forger = Forger(raw, ("127.0.0.1", int(server.room.rpartition(":")[2])), 1000, datagrams, 3)
        while forger.left > 0:
            forger.step(time.monotonic())
        counter = "starbase_forged_house_datagrams_total"
        found = server.wait_for(lambda m: m.get(counter) == 3)
        check("forged sources of bots are counted", found, {k: v for k, v in server.metrics().items() if "dat" in k})
        status = json.loads(server.get("/api/status")[1])
        check("in the status, too", status["room_list"][0].get("forged_house") == 3, status["room_list"][0])


def check_json_ready_line():
    with Server("--log-json") as server:
        line = json.loads(server.lines[-1])
        check("the ready line is JSON with a JSON log", line["event"] == "http" and line["port"] > 0, line)


# Slow connections: one descriptor each.
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
if "needs libwebsockets" in run("--http", "0", "--check-config")[2]:
    print("skipped: this program was built without libwebsockets")
    finish()
with Server() as server:
    check("the HTTP server is for this machine unless it is told otherwise", server.host == "127.0.0.1", server.lines)
    check_pages(server)
    check_refusals(server)
    check_promtool(server)
    check_prometheus(server)
    check_players(server)
    check_key(server)
    check("the server stops in order", server.stop() == 0, server.messages())
check_many_rooms()
check_bots_and_store()
check_forged_sources()
check_json_ready_line()
finish()
