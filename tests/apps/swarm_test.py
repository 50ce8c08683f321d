#!/usr/bin/env python3
"""tests/apps/swarm_test.py -- `starbase swarm`: a small one, and what it says when things go wrong.

Usage: swarm_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import time

import child
import live_server
from live_server import PROGRAM, check, finish


def run(*arguments, command="swarm", timeout=120):
    return live_server.run(*arguments, command=command, timeout=timeout)


def start_server(*arguments):
    process = child.start(
        [PROGRAM, "serve", "--port", "0", "--bind", "127.0.0.1", "--log-level", "error",
         *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = process.stdout.readline().decode()
    return process, re.search(r"[\d.]+:(\d+)", line).group(1)


def usage():
    code, out, err = run("--help")
    check("there is help", code == 0 and out.startswith("Usage: starbase swarm") and err == "", out)
    check("the program lists the command", "  swarm " in run(command="help")[1])
    for arguments, reason in ((("--rooms", "0"), "--rooms needs"),
                              (("--players", "17"), "--players needs"),
                              (("--time", "0"), "--time needs"), (("--port", "0"), "--port needs"),
                              (("--port", "65535", "--rooms", "2"), "no port for room 2"),
                              (("--serve", "--host", "localhost"), "not both"),
                              (("--host", "localhost:22102", "--port", "22101"), "not in both"),
                              (("--host", "localhost:65535", "--rooms", "2"), "no port for room 2"),
                              (("--host", "localhost:0"), "is not HOST"),
                              (("--serve", "--pid", "1"), "not both"),
                              (("--skill", "god"), "--skill needs"),
                              (("--max-p99", "x"), "--max-p99 needs"),
                              (("more",), "unexpected argument `more`")):
        code, out, err = run(*arguments)
        check(f"{arguments} is refused", code == 2 and out == "" and reason in err, out + err)


def with_a_server_of_its_own():
    code, out, err = run("--serve", "--rooms", "2", "--players", "2", "--time", "3", "--json")
    check("the verdict is one object", len(out.splitlines()) == 1, out + err)
    r = json.loads(out)
    check("the verdict is fine", code == 0 and r["fine"] is True and err == "", out + err)
    check("all joined and nobody was lost", r["joined"] == 4 and r["failed"] == r["lost"] == 0, r)
    check("every mark reached the other player of the room", r["marks_sent"] >= 4 and
          r["marks_heard"] == r["marks_expected"] == r["marks_sent"], r)
    check("each mark that was heard is a latency", r["relay"]["count"] == r["marks_heard"], r)
    check("percentiles are in order", 0 < r["relay"]["p50_us"] <= r["relay"]["p99_us"] <=
          r["relay"]["max_us"], r)
    check("the raw echo was measured in the same run", r["echo"]["count"] > 10 and
          0 < r["echo"]["p50_us"] <= r["echo"]["p99_us"] <= r["echo"]["max_us"], r)
    check("messages were counted", r["messages_out"] > 100 and r["messages_in"] > 100 and
          r["datagrams_in"] > 10, r)
    server = r["server"]
    check("the server's CPU and memory are known", server["cpu_us"] > 0 and
          server["rss_bytes"] > 0 and server["rss_bytes_per_room"] == server["rss_bytes"] // 2, r)
    check("the server ended when it was told to", r["server_died"] is False and
          r["server_exit_status"] == 0, r)
    code, out, err = run("--serve", "--players", "2", "--time", "1")
    check("the table says the same to people", code == 0 and "joins           2 of 2" in out and
          "above raw echo" in out and out.endswith("verdict: fine\n"), out + err)
    code, out, err = run("--serve", "--players", "2", "--time", "2", "--max-p99", "0.002")
    check("a latency can be made a condition", code == 1 and "relay latency" in out and
          out.endswith("verdict: FAILED\n"), out + err)


def against_another_server():
    server, port = start_server("--max-players", "2")
    code, out, err = run("--port", port, "--players", "2", "--time", "1", "--json", "--pid",
                         str(server.pid))
    r = json.loads(out)
    check("a server that runs is measured by its pid", code == 0 and r["server"]["rss_bytes"] > 0
          and "server_exit_status" not in r, out + err)
    code, out, err = run("--host", f"127.0.0.1:{port}", "--players", "2", "--time", "1", "--json")
    check("the host may have the port with it", code == 0 and json.loads(out)["joined"] == 2,
          out + err)
    code, out, err = run("--port", port, "--players", "3", "--time", "1")
    check("a refused player makes the swarm fail, with the reason",
          code == 1 and "2 of 3" in out and
          "full" in out and out.endswith("verdict: FAILED\n"), out + err)
    for number in signal.SIGINT, signal.SIGHUP:
        swarm = child.start([PROGRAM, "swarm", "--port", port, "--players", "2", "--time", "600",
                             "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(4)
        swarm.send_signal(number)
        out, err = swarm.communicate(timeout=30)
        r = json.loads(out)
        check(f"{number.name} ends a swarm early, with a verdict", swarm.returncode == 0 and r["fine"]
              and 0 < r["seconds"] < 60, out + err)
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=20)
    check("the server ended well", server.returncode == 0, server.returncode)


def silence():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        port = mute.getsockname()[1]
        code, out, err = run("--port", str(port))
        check("a room that does not answer is told before anybody joins", code == 1 and out == ""
              and f"room 1, 127.0.0.1:{port}, does not answer" in err, out + err)
        code, out, err = run("--serve", "--port", str(port), "--players", "1")
        check("a server that cannot start says why", code == 1 and "did not start" in err and
              str(port) in err, out + err)


def read_until(terminal, text, seconds):
    """What comes until there is `text`, nothing for so long, or the end."""
    said = b""
    while text not in said and select.select([terminal], [], [], seconds)[0]:
        try:
            said += os.read(terminal, 4096)
        except OSError:
            break
    return said


def interrupt(*arguments, number=signal.SIGINT):
    """A swarm that waits for rooms, on a terminal: what it says, exit status, seconds to the end."""
    terminal, slave = pty.openpty()
    swarm = child.start([PROGRAM, "swarm", *arguments], stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    said = read_until(terminal, b"rooms answer", 5)
    start = time.monotonic()
    swarm.send_signal(number)
    out = swarm.communicate(timeout=30)[0]
    seconds = time.monotonic() - start
    said += read_until(terminal, b"had answered", 0.1)
    os.close(terminal)
    return said.decode(), swarm.returncode, out, seconds


def impatience():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        for number in signal.SIGINT, signal.SIGTERM:
            said, code, out, seconds = interrupt("--port", str(mute.getsockname()[1]),
                                                 number=number)
            check("a swarm shows what it waits for", re.search(
                r"\rwaiting for 127\.0\.0\.1:\d+: 0 of 1 rooms answer, \d+ s to go", said), said)
            check(f"{number.name} ends the wait for rooms",
                  code == 1 and out == b"" and seconds < 3 and
                  "interrupted while 0 of 1 rooms had answered" in said, (code, seconds, said))


for part in (usage, with_a_server_of_its_own, against_another_server, silence, impatience):
    part()
finish()
