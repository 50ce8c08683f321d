#!/usr/bin/env python3
"""tests/apps/unit_test.py -- the systemd unit that is shipped: its exposure, and that it is not too narrow.

A whole match runs under strace, with the arguments of the unit; every system call must be in the
unit's filter, and every socket of a family that it allows. Usage: unit_test.py PROGRAM [CAPTURE].
The last line is "N passed, N failed". Checks whose tool is missing say so and are left out.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import child
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXPOSURE_MAX = 2.0
# Resolving a name over the network, which no test does; and threads where clone3 is refused.
UNSEEN = {"sendto", "recvfrom", "sendmsg", "recvmsg", "getpeername", "clone", "epoll_wait"}
CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed>)")


# ---- the unit ----

def make_unit(place):
    """Fills in the template as meson does, for the program under test."""
    with open(os.path.join(ROOT, "systemd", "starbase.service.in")) as file:
        text = file.read().replace("@bindir@", os.path.dirname(PROGRAM))
    path = os.path.join(place, "starbase.service")
    with open(path, "w") as file:
        file.write(text)
    return path


def make_instance(unit):
    """The unit of instances, made as meson makes it. systemd-analyze wants a name for %i."""
    path = unit.replace("starbase.service", "starbase@friday.service")
    with open(path, "w") as file:
        subprocess.run(["sed", "-f", os.path.join(ROOT, "systemd", "instance.sed"), unit],
                       stdout=file, check=True)
    return path


def settings(path, name):
    """All values of a key, in order."""
    with open(path) as file:
        return [line.split("=", 1)[1].strip() for line in file if line.startswith(name + "=")]


def expand(name):
    """The calls of a set such as @system-service, or the call itself."""
    if not name.startswith("@"):
        return {name}
    out = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True,
                         text=True, check=True).stdout
    members = [line.strip() for line in out.splitlines()[1:]]
    return set().union(*(expand(m) for m in members if m and not m.startswith("#")))


def allowed_calls(path):
    """The filter as systemd builds it: lines add to it, or take away with a tilde."""
    calls = expand("@default")
    for value in settings(path, "SystemCallFilter"):
        names = set().union(*(expand(name) for name in value.lstrip("~").split()))
        calls = calls - names if value.startswith("~") else calls | names
    return calls


def check_unit(path):
    result = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
    check("the unit is accepted by systemd", result.returncode == 0 and result.stderr == "",
          result.stderr)
    result = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", path],
                            capture_output=True, text=True)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", result.stdout)
    check(f"the exposure is at most {EXPOSURE_MAX}",
          found and float(found.group(1)) <= EXPOSURE_MAX, result.stdout + result.stderr)
    print(f"exposure: {found and found.group(1)}")


def check_wishes(path):
    """What other parts of the project rely on."""
    check("no user namespace hides who is at the other end of a local socket",
          settings(path, "PrivateUsers") == [])
    check("a reload sends SIGHUP", settings(path, "ExecReload") == ["/bin/kill -HUP $MAINPID"])
    check("systemd knows when the server is ready, and notices a thread that hangs",
          settings(path, "Type") == ["notify"] and settings(path, "WatchdogSec") == ["30"])
    check("the server has its directories", settings(path, "StateDirectory") == ["starbase"] and
          settings(path, "RuntimeDirectory") == ["starbase"] and
          settings(path, "WorkingDirectory") == ["/var/lib/starbase"])
    with open(os.path.join(ROOT, "systemd", "starbase.sysusers")) as file:
        check("the user of the unit is created", settings(path, "User") == ["starbase"] and
              re.search(r"^u starbase ", file.read(), re.MULTILINE))


def check_instance(unit, instance):
    """An instance differs from the service in its configuration and its folder, and in nothing else."""
    with open(unit) as one, open(instance) as other:
        lines = list(zip(one.read().splitlines(), other.read().splitlines(), strict=True))
    changed = {mine.split("=")[0]: its for mine, its in lines if mine != its and "=" in mine[:20]}
    check("an instance has a configuration and a folder of its own",
          set(changed) == {"Description", "ExecStart", "StateDirectory", "WorkingDirectory"} and
          "serve --set instance=%i --config /etc/starbase/%i.lua" in changed["ExecStart"] and
          changed["StateDirectory"] == "StateDirectory=starbase/%i" and
          changed["WorkingDirectory"] == "WorkingDirectory=/var/lib/starbase/%i", changed)
    config = os.path.join(os.path.dirname(unit), "friday.lua")
    with open(config, "w") as file:
        file.write("instance = 'another'\n")
    command = changed["ExecStart"].split("=", 1)[1].replace("/etc/starbase/%i.lua", config)
    result = subprocess.run([*command.replace("%i", "friday").split(), "--check-config"],
                            capture_output=True, text=True, timeout=60)
    check("the program takes the name of the instance from the unit", result.returncode == 0 and
          'instance = "friday"' in result.stdout, result.stderr)
    check("an instance that stops leaves the sockets of the others",
          settings(instance, "RuntimeDirectoryPreserve") == ["yes"])


# ---- a match under strace ----

class Traced:
    """The server with the arguments of the unit, its log on a socket as the journal's, traced."""

    def __init__(self, unit, config, trace, directory):
        command = settings(unit, "ExecStart")[0].split()
        command = [config if word == "/etc/starbase/server.lua" else word for word in command]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
        self.journal, theirs = socket.socketpair()
        self.log = self.states = ""
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(os.path.join(directory, "notify"))
        clean |= {"NOTIFY_SOCKET": os.path.join(directory, "notify"), "WATCHDOG_USEC": "1000000"}
        self.process = child.start(["strace", "-f", "-s", "1", "-o", trace, *command],
                                   stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                   env=clean, cwd=directory)
        theirs.close()
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.read_states, daemon=True).start()

    def read(self):
        while data := self.journal.recv(65536):
            self.log += data.decode(errors="replace")

    def read_states(self):
        while data := self.notify.recv(4096):
            self.states += data.decode()

    def wait_for_state(self, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in self.states and time.monotonic() < end:
            time.sleep(0.02)
        return text in self.states

    def wait_for(self, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in self.log and time.monotonic() < end:
            time.sleep(0.02)
        return text in self.log

    def server_pid(self):
        """The traced server: strace itself does not pass signals on."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return int(file.read().split()[0])

    def signal(self, number):
        os.kill(self.server_pid(), number)


def configuration(path, players):
    with open(path, "w") as file:
        file.write(f"""return {{ name = 'Traced', bind = '127.0.0.1', port = 0, rooms = 2,
            threads = 2, max_players = {players}, learn = 'learned.csv', data = '{ROOT}/data',
            masters = {{ 'localhost:9' }}, http = '0', restart = 1, frag_limit = 1 }}""")


def play(server, config):
    """Start, players, queries, status, reload with growth, a master by name, stop."""
    check("the traced server starts", server.wait_for('"event":"ready"') and
          server.wait_for('"room":2'), server.log)
    port = int(re.search(r'"port":(\d+)', server.log).group(1))
    bots = subprocess.run([PROGRAM, "bot", "-n", "4", "--time", "6",
                           f"127.0.0.1:{port}"], capture_output=True, text=True, timeout=120)
    check("players join and fight", bots.returncode == 0 and '"event":"spawned"' in server.log,
          bots.stderr + server.log)
    check("a manifest is learned", server.wait_for("wrote the learned manifest"), server.log)
    query = subprocess.run([PROGRAM, "query", f"127.0.0.1:{port}"], capture_output=True, text=True,
                           timeout=60)
    check("queries are answered", "Traced" in query.stdout, query.stdout + query.stderr)
    http = int(re.search(r'"event":"http".*"port":(\d+)', server.log).group(1))
    with urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics", timeout=60) as answer:
        check("metrics are served", b"starbase_players" in answer.read())
    check("systemd is told and the watchdog is fed", server.wait_for_state("READY=1") and
          server.wait_for_state("WATCHDOG=1"), server.states)
    check("names of masters are resolved", server.wait_for("localhost"), server.log)
    server.signal(signal.SIGUSR1)
    check("the status is logged", server.wait_for('"datagrams_in"'), server.log)
    configuration(config, 12)
    server.signal(signal.SIGHUP)
    check("the configuration is read again", server.wait_for("reloaded "), server.log)
    check("an empty room grows", server.wait_for("12 places"), server.log)
    server.signal(signal.SIGTERM)
    check("the traced server stops in order", server.process.wait(60) == 0, server.log)


def check_trace(unit, trace):
    with open(trace) as file:
        lines = file.read().splitlines()
    seen = {m.group(1) for m in map(CALL.match, lines) if m}
    check("the trace has the calls of a server", {"recvmmsg", "sendmmsg", "fsync", "rename"} <= seen and
          len(seen) > 30, sorted(seen))
    allowed = allowed_calls(unit)
    check("all system calls of a match are in the unit's filter", seen <= allowed,
          sorted(seen - allowed))
    check("the calls of a resolver are in the filter, too", UNSEEN <= allowed,
          sorted(UNSEEN - allowed))
    check("the filter is one: calls of administrators are not in it",
          not {"mount", "ptrace", "setuid", "init_module", "reboot", "bpf", "chroot"} & allowed)
    families = {m.group(1) for m in (re.search(r"socket\((AF_\w+)", line) for line in lines) if m}
    permitted = set(settings(unit, "RestrictAddressFamilies")[0].split())
    check("all sockets are of families that the unit allows",
          families and families | {"AF_NETLINK"} <= permitted, sorted(families - permitted))
    code = [line for line in lines if re.search(r"mprotect\(.*PROT_EXEC|PROT_WRITE\|PROT_EXEC", line)]
    check("no memory is made executable", not code, code)
    print(f"{len(seen)} system calls: {' '.join(sorted(seen))}")


def check_match(unit, place):
    works = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True)
    if works.returncode != 0:
        print(f"skipped: no match under strace, because tracing is not permitted here: "
              f"{works.stderr.strip()}")
        return
    config, trace = os.path.join(place, "server.lua"), os.path.join(place, "trace")
    configuration(config, 8)
    server = Traced(unit, config, trace, place)
    try:
        play(server, config)
        check_trace(unit, trace)
    finally:
        server.process.kill()


with tempfile.TemporaryDirectory() as place:
    unit = make_unit(place)
    instance = make_instance(unit)
    check_wishes(unit)
    check_instance(unit, instance)
    if not shutil.which("systemd-analyze"):
        print("skipped: systemd-analyze is not installed (Debian: package systemd)")
    else:
        check_unit(unit)
        check_unit(instance)
        if shutil.which("strace"):
            check_match(unit, place)
        else:
            print("skipped: strace is not installed")
finish()
