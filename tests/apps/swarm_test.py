#!/usr/bin/env python3
"""tests/apps/swarm_test.py -- `starbase swarm`: a small one, and what it says when things go wrong.

Usage: swarm_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import ctypes
import json
import os
import pathlib
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
                              (("--cheap", "--skill", "hard"), "not both"),
                              (("--cheap", "--chat-every", "0"), "--chat-every needs"),
                              (("--chat-every", "5"), "--chat-every is for --cheap"),
                              (("--rooms", "4097"), "--rooms needs a number from 1 to 4096"),
                              (("--max-p99", "x"), "--max-p99 needs"),
                              (("--threads", "0"), "--threads needs"),
                              (("--threads", "65"), "--threads needs"),
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
    check("each mark that was heard is a latency", r["chat"]["count"] == r["marks_heard"], r)
    for key in "state", "chat", "echo":
        check(f"percentiles of {key} are in order", r[key]["count"] > 0 and
              0 < r[key]["p50_us"] <= r[key]["p90_us"] <= r[key]["p99_us"] <= r[key]["max_us"], r)
    check("the raw echo was measured in the same run", r["echo"]["count"] > 10, r)
    check("each change of speed was seen by the other player at most once",
          r["state"]["count"] == r["changes_seen"] <= r["changes_expected"] == r["changes_sent"], r)
    check("messages were counted", r["messages_out"] > 100 and r["messages_in"] > 100 and
          r["datagrams_in"] > 10, r)
    server = r["server"]
    check("the server's CPU and memory are known", server["cpu_us"] > 0 and
          server["rss_bytes"] > 0 and server["rss_bytes_per_room"] == server["rss_bytes"] // 2, r)
    check("the server ended when it was told to", r["server_died"] is False and
          r["server_exit_status"] == 0, r)
    code, out, err = run("--serve", "--players", "2", "--time", "1")
    check("the table says the same to people", code == 0 and "joins           2 of 2" in out and
          out.endswith("verdict: fine\n") and all(
              re.search(rf"  {label} +p50 [\d.]+  p90 [\d.]+  p99 [\d.]+  max [\d.]+ ms ", out)
              for label in ("state change", "chat line", "raw echo")), out + err)
    code, out, err = run("--serve", "--players", "2", "--time", "2", "--max-p99", "0.002")
    check("a latency can be made a condition", code == 1 and
          re.search(r"  chat line .* FAILED\n", out) and out.endswith("verdict: FAILED\n"), out + err)


def cheap_players():
    code, out, err = run("--serve", "--rooms", "3", "--players", "8", "--cheap", "--time", "4",
                         "--threads", "2", "--json")
    r = json.loads(out)
    check("cheap players join, and hear each other", code == 0 and r["fine"] and r["cheap"] and
          r["joined"] == 24 and r["lost"] == 0 and
          r["marks_heard"] == r["marks_expected"] == 7 * r["marks_sent"] >= 7 * 72, out + err)
    check("two threads run three rooms", r["threads"] == 2, out)
    # Each room has the changes of its own players only: 7 receivers, and not 23.
    check("cheap players change their speed", r["changes_sent"] > 24 * 4 and
          r["changes_expected"] == 7 * r["changes_sent"] and
          r["changes_expected"] // 2 < r["state"]["count"] <= r["changes_expected"], out)
    code, out, err = run("--serve", "--rooms", "2", "--players", "1", "--cheap", "--time", "1",
                         "--threads", "64", "--json")
    r = json.loads(out)
    check("there are no more threads than rooms, and a lonely player is fine",
          code == 0 and r["threads"] == 2 and r["marks_expected"] == 0, out + err)


def cheap_players_are_honest():
    """A server that enforces the rules has nothing to say about players that fly circles."""
    server, port = start_server("--max-players", "16", "--set", "fidelity=enforce",
                                "--peers-per-address", "0", "--log-level", "info")
    code, out, err = run("--port", port, "--players", "16", "--cheap", "--time", "8", "--json")
    check("16 cheap players fly where the rules are enforced", code == 0 and
          json.loads(out)["joined"] == 16, out + err)
    server.send_signal(signal.SIGTERM)
    said = b"".join(server.communicate(timeout=20)).decode()
    check("the server suspects none of them", "Swarm 1.16" in said and "cheat" not in said, said)


def play_beside_a_pause(pause, seconds):
    """A swarm whose server stands still as soon as all play: the verdict, and the exit status."""
    server, port = start_server("--max-players", "8", "--peers-per-address", "0")
    terminal, slave = pty.openpty()
    swarm = child.start([PROGRAM, "swarm", "--port", port, "--players", "8", "--cheap", "--time",
                         str(seconds), "--json"], stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    read_until(terminal, b"playing", 30)
    server.send_signal(signal.SIGSTOP)
    time.sleep(pause)
    server.send_signal(signal.SIGCONT)
    out = swarm.communicate(timeout=60)[0]
    os.close(terminal)
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=20)
    return json.loads(out), swarm.returncode


def overload():
    r, code = play_beside_a_pause(2, 5)
    check("lines that a slow server delays are heard, and none twice", code == 0 and
          r["marks_heard"] == r["marks_expected"] == 7 * r["marks_sent"] and
          r["chat"]["max_us"] > 500000, r)
    r, code = play_beside_a_pause(9, 3)  # the swarm listens for 5 s after it has played
    check("lines that never come are missing in the verdict", code == 1 and not r["fine"] and
          r["marks_expected"] == 7 * r["marks_sent"] and
          r["marks_heard"] == r["chat"]["count"] < r["marks_expected"], r)


def few_descriptors():
    done = subprocess.run(["sh", "-c", f"ulimit -n 100; exec {PROGRAM} swarm --rooms 25 --players 8"],
                          capture_output=True, text=True, timeout=60, preexec_fn=forbid_higher_limits)
    check("a limit of open files is named with what is missing", done.returncode == 1 and
          "200 players need 272 open files, 172 more than the system allows" in done.stderr and
          "`ulimit -n 272`" in done.stderr, done)
    done = subprocess.run(["sh", "-c", f"ulimit -S -n 50; exec {PROGRAM} swarm --serve --rooms 5 "
                           "--players 8 --cheap --time 1 --json"],
                          capture_output=True, text=True, timeout=60)
    check("a soft limit is raised", done.returncode == 0 and json.loads(done.stdout)["fine"], done)


def check_of_latencies():
    """tools/bench-check judges ratios to the raw echo of the same run; verdicts from a file."""
    def check_runs(*ratios):
        """State changes take that many echoes in each run, chat lines 2."""
        def latency(us):
            return {"count": 9, "p50_us": us, "p90_us": us, "p99_us": us, "max_us": 9999}
        verdicts.write_text("".join(json.dumps(
            {"fine": ratio > 0, "state": latency(abs(ratio) * echo), "chat": latency(2 * echo),
             "echo": latency(echo)}) + "\n" for echo, ratio in enumerate(ratios, 50)))
        return subprocess.run([sys.executable, tool, "--read", verdicts, "--record", record],
                              capture_output=True, text=True)

    tool = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/bench-check"
    with tempfile.TemporaryDirectory() as folder:
        verdicts, record = pathlib.Path(folder, "verdicts"), pathlib.Path(folder, "record.csv")
        record.write_text("# a comment\nlatency,ratio\nstate,100\nchat,2\n")
        done = check_runs(149, 149, 900, 30, 149)
        check("the median may be 1.5 times the record", done.returncode == 0 and
              "state change: 149.00 echoes" in done.stdout, done)
        done = check_runs(30, 151, 900, 151, 151)
        check("more is a failure", done.returncode == 1 and "1.51 times, at most 1.5: FAILED" in
              done.stdout and "1.00 times, at most 1.5: ok" in done.stdout, done)
        done = check_runs(100, -100, 100)
        check("so is a run with a bad verdict", done.returncode == 1 and "run 2 failed" in done.stderr,
              done)
        check_runs(300)
        subprocess.run([sys.executable, tool, "--read", verdicts, "--record", record, "--renew"],
                       check=True, stdout=subprocess.DEVNULL)
        done = check_runs(310)
        check("a renewed record holds for later runs", done.returncode == 0 and
              "recorded 300.00: 1.03 times" in done.stdout, done)


def forbid_higher_limits():
    """Without the capability CAP_SYS_RESOURCE root has limits, too."""
    PR_CAPBSET_DROP, CAP_SYS_RESOURCE = 24, 24
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0)


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


for part in (usage, with_a_server_of_its_own, cheap_players, cheap_players_are_honest, overload,
             few_descriptors, check_of_latencies, against_another_server, silence, impatience):
    part()
finish()
