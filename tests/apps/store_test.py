#!/usr/bin/env python3
"""tests/apps/store_test.py -- what a server remembers, and the commands that read it.

A real server, real bots, a real SQLite file, and the sqlite3 program as the judge.
Usage: store_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import child
from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 60  # seconds until a condition counts as never met


def environment(**values):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    return {**clean, **values}


def run(*arguments, **values):
    result = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=PATIENCE, env=environment(**values))
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def until(condition):
    """Waits until the condition is true; its last value."""
    for _ in range(PATIENCE * 50):
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    return condition()


def ask(path, sql):
    """The rows that the sqlite3 program prints, as lists of texts."""
    result = subprocess.run(["sqlite3", "-readonly", "-cmd", ".timeout 5000", path, sql],
                            capture_output=True, timeout=PATIENCE)
    return [line.split("|") for line in result.stdout.decode().splitlines()]


class Server:
    def __init__(self, *arguments, **values):
        self.log = tempfile.TemporaryFile()
        self.process = child.start([PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0",
                                    "--instance", "", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=self.log, env=environment(**values))
        line = self.process.stdout.readline().decode()
        found = re.search(r" on ([\d.]+:\d+),", line)
        self.address = found.group(1) if found else None

    def messages(self):
        return os.pread(self.log.fileno(), os.fstat(self.log.fileno()).st_size, 0).decode()

    def says(self, text):
        return until(lambda: text in self.messages())

    def type(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stdin.close()
        return code


class Bots:
    def __init__(self, server, count=2, *arguments):
        self.process = child.start([PROGRAM, "bot", "-q", "-n", str(count), *arguments,
                                    server.address], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment())

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


def wait_players(path, count):
    """Whether the running match has that many players in the file."""
    return until(lambda: ask(path, "SELECT count(*) FROM player_match p JOIN match m ON m.id = "
                                   f"p.match_id WHERE m.state = 'running'") == [[str(count)]])


# A short match: bots fight until one kill; strong weapons keep the test short.
DUEL = ["--frag-limit", "1", "--set", "store_chat=yes",
        *(word for level in ("low", "medium", "high") for word in
          ("--set", f"combat.beam_{level}=500", "--set", f"combat.pulse_{level}=500"))]


def a_finished_match(folder):
    path = os.path.join(folder, "match.db")
    server = Server("--store", path, "--name", "Friday night", *DUEL)
    bots = Bots(server, 2, "--peaceful")
    check("a match begins with its players", wait_players(path, 2), server.messages())
    server.type("say welcome")
    server.type("end")
    check("the log says that the match is over", server.says("the match is over"))
    check("a finished match is in the file",
          until(lambda: ask(path, "SELECT count(*) FROM match WHERE state = 'over'") == [["1"]]),
          ask(path, "SELECT * FROM match"))
    rows = ask(path, "SELECT server, mission, system, room, state, reason, ended_ms >= started_ms "
                     "FROM match WHERE id = 1")
    check("it has server, mission, system and reason",
          rows == [["Friday night", "ffa", "Multi1", "1", "over", "operator", "1"]], rows)
    rows = ask(path, "SELECT name, place, is_bot, left_ms > 0, address FROM player_match "
                     "WHERE match_id = 1 ORDER BY name")
    check("it has a placed row per player", [r[0] for r in rows] == ["Bot 1", "Bot 2"] and
          sorted(r[1] for r in rows) == ["1", "2"] and
          all(r[2:] == ["0", "1", "127.0.0.1"] for r in rows), rows)
    check("names are noted with their address",
          ask(path, "SELECT name, address FROM name_seen ORDER BY name") ==
          [["Bot 1", "127.0.0.1"], ["Bot 2", "127.0.0.1"]], ask(path, "SELECT * FROM name_seen"))
    server.type("status")
    check("status tells the state of the store", server.says("store ok: " + path),
          server.messages())
    server.type("restart")
    check("the next match begins", wait_players(path, 2), ask(path, "SELECT * FROM match"))
    bots.end()
    check("a match that all players leave is abandoned",
          until(lambda: ask(path, "SELECT state FROM match WHERE id = 2") == [["abandoned"]]),
          ask(path, "SELECT * FROM match"))
    bots = Bots(server, 1, "--peaceful")
    check("a third match begins with the first player", wait_players(path, 1))
    check("SIGTERM ends the server with 0", server.end() == 0, server.messages())
    check("a match that runs then is stopped",
          ask(path, "SELECT state, reason FROM match WHERE id = 3") ==
          [["stopped", "server stopped"]], ask(path, "SELECT * FROM match"))
    check("the spool is empty", os.path.getsize(path + ".spool") == 0)
    bots.end()
    return path


def stopped_at_its_end(folder):
    """SIGTERM comes before the main thread has read what the rooms report."""
    path = os.path.join(folder, "stopped.db")
    server = Server("--store", path, *DUEL)
    bots = Bots(server, 2, "--peaceful")
    check("another match begins", wait_players(path, 2), server.messages())
    server.type("end")
    deadline = time.monotonic() + PATIENCE
    while "the match is over" not in server.messages() and time.monotonic() < deadline:
        pass
    server.end()
    bots.end()
    rows = ask(path, "SELECT state, reason, count(*) FROM match JOIN player_match ON match_id = id "
                     "WHERE place > 0")
    check("a match that ends as the server stops is over", rows == [["over", "operator", "2"]], rows)


def fought_to_the_limit(folder):
    path = os.path.join(folder, "duel.db")
    server = Server("--store", path, *DUEL)
    bots = Bots(server, 6, "--skill", "hard", "--ship", "galaxy")
    over = until(lambda: ask(path, "SELECT id FROM match WHERE state = 'over'")) or \
        until(lambda: ask(path, "SELECT id FROM match WHERE state = 'over'"))
    check("bots play to the limit", over, server.messages())
    if not over:
        server.end(signal.SIGKILL)
        bots.end()
        return
    number = over[0][0]
    kills = ask(path, "SELECT count(*) FROM kill WHERE killer > 0 AND killer <> victim AND "
                      f"match_id = {number}")
    top = ask(path, f"SELECT kills, player FROM player_match WHERE match_id = {number} AND place = 1")
    check("the winner has a kill, and the kill a row",
          top and top[0][0] == "1" and int(kills[0][0]) >= 1, (top, kills, server.messages()))
    rows = ask(path, "SELECT k.killer_name = p.name, killer_ship, victim_ship, cause FROM kill k "
                     "JOIN player_match p ON p.match_id = k.match_id AND p.player = k.killer "
                     f"WHERE k.match_id = {number} AND p.place = 1")
    check("the kill names the killer, both ships and the cause",
          rows and rows[0][0] == "1" and rows[0][1] == rows[0][2] == "Galaxy" and rows[0][3],
          rows)
    totals = ask(path, f"SELECT sum(deaths) FROM player_match WHERE match_id = {number}")
    check("every death has a row", ask(path, "SELECT count(*) FROM kill WHERE victim > 0 AND "
                                             f"match_id = {number}") == totals, totals)
    bots.end()
    server.end()


def bots_of_the_server(folder):
    path = os.path.join(folder, "house.db")
    server = Server("--store", path, "--bots", "3")
    bots = Bots(server, 1, "--peaceful", "--name", "Kirk")
    check("a match with bots of the server has all rows", wait_players(path, 3),
          (ask(path, "SELECT * FROM player_match"), server.messages()))
    rows = ask(path, "SELECT count(*), sum(is_bot), min(address) FROM player_match")
    check("the bots are marked and have no address", rows == [["3", "2", ""]], rows)
    code, out, err = run("stats", "--store", path, "--json")
    check("stats has people only", [json.loads(line)["name"] for line in out.splitlines()] ==
          ["Kirk"], (out, err))
    code, out, err = run("matches", "--store", path, "1")
    check("a match shows who is a bot", len(re.findall(r"  bot *$", out, re.M)) == 2, out)
    server.end()
    bots.end()


def killed(folder):
    path = os.path.join(folder, "killed.db")
    server = Server("--store", path)
    bots = Bots(server, 2, "--peaceful")
    check("players of a running match are in the file", wait_players(path, 2), server.messages())
    server.end(signal.SIGKILL)
    bots.end()
    check("kill -9 leaves it running", ask(path, "SELECT state FROM match") == [["running"]])
    server = Server("--store", path)
    check("the next start stores it as interrupted",
          until(lambda: ask(path, "SELECT state, ended_ms > 0 FROM match") == [["interrupted", "1"]]),
          ask(path, "SELECT * FROM match"))
    check("with its players, who are gone",
          ask(path, "SELECT name, left_ms > 0 FROM player_match ORDER BY name") ==
          [["Bot 1", "1"], ["Bot 2", "1"]], ask(path, "SELECT * FROM player_match"))
    check("and says so", server.says("1 match of an earlier run did not end"), server.messages())
    server.end()


def outages(folder):
    path = os.path.join(folder, "locked.db")
    server = Server("--store", path)
    holder = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
    holder.execute("BEGIN EXCLUSIVE")
    bots = Bots(server, 2, "--peaceful")
    check("a locked database stops nobody", server.says("Bot 2 is in the game"), server.messages())
    check("the log says where results are kept", server.says("what happens is kept in " + path),
          server.messages())
    server.type("end")
    server.says("the match is over")
    server.type("status")
    check("status says that the store spools", server.says("store spooling: "), server.messages())
    check("results are in the spool",
          until(lambda: b"\tover\t" in pathlib.Path(path + ".spool").read_bytes()))
    holder.execute("ROLLBACK")
    holder.close()
    check("the freed database catches up",
          until(lambda: ask(path, "SELECT state FROM match") == [["over"]]), server.messages())
    check("the log says so", server.says("the database is written again"), server.messages())
    os.rename(path, path + ".away")
    server.type("restart")
    check("a file that is away is noticed", server.says("the file is gone"), server.messages())
    os.rename(path + ".away", path)
    check("it is written when it is back", wait_players(path, 2), server.messages())
    bots.end()
    server.end()


def full_disk(folder):
    """A file system of 512 KiB in a mount namespace of its own, where that is permitted."""
    mount = os.path.join(folder, "small")
    os.mkdir(mount)
    script = (f"mount -t tmpfs -o size=400k tmpfs {mount} && echo mounted && exec sleep 600")
    holder = child.start(["unshare", "-m", "sh", "-c", script], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    if holder.stdout.readline() != b"mounted\n":
        holder.wait()
        print("a full disk: skipped, no mount namespace is permitted here")
        return
    inside = ["nsenter", "-t", str(holder.pid), "-m"]
    path = os.path.join(mount, "full.db")

    def shell(command):
        return subprocess.run([*inside, "sh", "-c", command], capture_output=True,
                              timeout=PATIENCE).stdout.decode().strip()

    log = tempfile.TemporaryFile()
    process = child.start([*inside, PROGRAM, "serve", "--bind", "127.0.0.1", "--port", "0",
                           "--instance", "", "--store", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=log, env=environment())
    server = Server.__new__(Server)
    server.log, server.process = log, process
    server.address = re.search(r" on ([\d.]+:\d+),", process.stdout.readline().decode()).group(1)
    shell(f"dd if=/dev/zero of={mount}/ballast bs=1k count=4000")
    bots = Bots(server, 2, "--peaceful")
    check("a full disk stops nobody", server.says("Bot 2 is in the game"), server.messages())
    check("the log says what to do", server.says("make space on the disk"), server.messages())
    server.type("ban 192.0.2.9")
    check("the answer to a ban says that it may be lost",
          server.says("this is lost if the server stops before it can"), server.messages())
    many = os.path.join(folder, "many.txt")
    with open(many, "w") as f:
        f.writelines(f"{20 + i // 65536}.{i // 256 % 256}.{i % 256}.0/24\n" for i in range(60000))
    server.type(f"bans import {many}")
    check("a long list is not waited for ban by ban, and is to be imported again",
          server.says("import the list again when it can"), server.messages()[-500:])
    server.type("end")
    server.says("the match is over")
    shell(f"rm {mount}/ballast")
    check("with space again, the result is stored",
          until(lambda: shell(f"sqlite3 {path} 'SELECT state FROM match'") == "over"),
          (server.messages(), shell(f"ls -l {mount}")))
    check("with both players",
          shell(f"sqlite3 {path} 'SELECT count(*) FROM player_match WHERE place > 0'") == "2")
    bots.end()
    server.end()
    holder.terminate()
    holder.wait()
    holder.stdout.close()


def starting(folder):
    code, _, err = run("serve", "--port", "0", "--store", "/nonexistent/x/starbase.db")
    check("a store in a missing folder stops the start", code == 1 and
          "/nonexistent/x/starbase.db.spool: No such file" in err, (code, err))
    server = Server("--store", "")
    server.type("status")
    check("an empty path switches the store off", server.says("store off"), server.messages())
    server.end()
    path = os.path.join(folder, "one.db")
    server = Server("--store", path)
    check("the log says where results are stored", server.says(f"results are stored in {path}"),
          server.messages())
    code, _, err = run("serve", "--port", "0", "--bind", "127.0.0.1", "--store", path)
    check("a second server does not get the same store",
          code == 1 and "another server uses this store" in err, (code, err))
    server.end()
    foreign = os.path.join(folder, "foreign.db")
    sqlite3.connect(foreign).execute("CREATE TABLE recipes (name TEXT)")
    server = Server("--store", foreign)
    check("another program's database is left alone", server.says("another program"),
          server.messages())
    server.end()
    check("and not changed", ask(foreign, "SELECT name FROM sqlite_master") == [["recipes"]])
    check("nor said to have results", "results are stored" not in server.messages(), server.messages())
    locker = sqlite3.connect(path, isolation_level=None)
    locker.execute("BEGIN EXCLUSIVE")
    server = Server("--store", path)
    check("a locked database is not said to have results", server.says("cannot be written") and
          "results are stored" not in server.messages(), server.messages())
    locker.execute("ROLLBACK")
    locker.close()
    check("until it is free", server.says("the database is written again") and
          "results are stored" not in server.messages(), server.messages())
    server.end()


def commands(path):
    code, out, err = run("matches", "--store", path)
    check("matches lists all matches, the latest first", code == 0 and
          re.findall(r"^ *(\d+)  20", out, re.M) == ["3", "2", "1"], (code, out, err))
    code, out, err = run("matches", "--store", path, "1")
    check("a match is printed with its players", code == 0 and "over: operator" in out and
          "Bot 1" in out and "Friday night" in out, (code, out, err))
    code, out, err = run("matches", "--store", path, "1", "--json")
    match = json.loads(out)
    check("and as JSON", match["state"] == "over" and len(match["player_list"]) == 2 and
          match["player_list"][0]["place"] == 1 and match["kill_list"] == [], out)
    lines = [json.loads(line) for line in run("matches", "--store", path, "--json")[1].splitlines()]
    check("the list as JSON has the same matches", [m["id"] for m in lines] == [3, 2, 1], lines)
    code, out, err = run("matches", "--store", path, "99")
    check("an unknown match is said", code == 1 and "no match 99" in err, (code, out, err))
    code, out, err = run("matches", "--store", path, "--since", "2001-01-01", "--player", "bot 1",
                         "--limit", "2")
    check("options choose matches", code == 0 and len(re.findall(r"^ *\d+  20", out, re.M)) == 2,
          out)
    code, out, err = run("stats", "--store", path)
    check("stats lists the names and says what a name is worth", code == 0 and "Bot 2" in out and
          "Names are not checked" in out, (code, out, err))
    code, out, err = run("stats", "BOT 1", "--json", STARBASE_STORE=path)
    total = json.loads(out)
    check("a name as JSON, from the path in the environment",
          total["name"] == "Bot 1" and total["matches"] == 2 and total["deaths"] == 0, out)
    code, out, err = run("stats", "Picard", "--store", path)
    check("an unknown name is said", code == 1 and "nobody called `Picard`" in err, err)
    for wrong in (["--since", "soon"], ["--since", "0d"], ["--since", "6000w"], ["--since", "forever"],
                  ["--limit", "0"], ["a", "b"]):
        code, out, err = run("stats", "--store", path, *wrong)
        check(f"stats {wrong} is a usage error", code == 2 and "--help" in err, (code, err))
    for command in ("stats", "matches", "store"):
        code, out, err = run(command, "--help")
        check(f"{command} has a help", code == 0 and "--store PATH" in out and "Examples" in out)


def store_command(path, folder):
    code, out, err = run("store", "check", "--store", path)
    check("store check finds nothing wrong", code == 0 and "integrity  ok" in out, (code, out, err))
    found = json.loads(run("store", "check", "--json", "--store", path)[1])
    check("store check counts rows", found["rows"]["match"] == 3 and found["version"] >= 3, found)
    code, out, err = run("store", "export", "--store", path)
    rows = [json.loads(line) for line in out.splitlines()]
    tables = {row["table"] for row in rows}
    check("store export has the rows of all tables", tables >= {"match", "player_match",
                                                                "name_seen"} and
          sum(row["table"] == "match" for row in rows) == 3, tables)
    old = os.path.join(folder, "old.db")
    shutil.copy(path, old)
    subprocess.run(["sqlite3", old, "DROP VIEW player_total; DROP VIEW match_win; "
                                    "PRAGMA user_version = 2; "
                                    "DELETE FROM schema_step WHERE version > 2"], check=True)
    code, out, err = run("stats", "--store", old)
    check("an older file names the command", code == 1 and "starbase store migrate" in err, err)
    code, out, err = run("store", "migrate", "--store", old)
    check("store migrate brings it up to date", code == 0 and "it had 2" in out, (code, out, err))
    check("with its rows", ask(old, "SELECT count(*) FROM player_total") == [["3"]],
          ask(old, "SELECT * FROM player_total"))
    code, out, err = run("store", "migrate", "--store", old)
    check("and then has nothing to do", code == 0 and "already" in out, (code, out, err))
    damaged = bytearray(pathlib.Path(old).read_bytes())
    damaged[8192:40960] = b"\xa5" * (40960 - 8192)
    pathlib.Path(old).write_bytes(damaged)
    code, out, err = run("store", "check", "--store", old)
    check("store check finds damage", code == 1, (code, out, err))
    code, out, err = run("store", "check", "--store", os.path.join(folder, "none.db"))
    check("a missing file is said", code == 1 and "there is no such file" in err, err)
    code, out, err = run("store", "chek")
    check("a misspelt action gets a suggestion", code == 2 and "did you mean `check`" in err, err)
    newer = os.path.join(folder, "newer.db")
    shutil.copy(path, newer)
    subprocess.run(["sqlite3", newer, "PRAGMA user_version = 1000"], check=True)
    for command in (["stats"], ["matches"], ["store", "check"], ["store", "migrate"]):
        code, out, err = run(*command, "--store", newer)
        check(f"{command} explains a newer file", code == 1 and "later version" in err, err)


def example_queries(path):
    """Every SQL example of the page runs in the sqlite3 program."""
    page = (ROOT / "docs" / "store.md").read_text()
    examples = re.findall(r"```sql\n(.*?)```", page, re.S)
    check("the page has examples", len(examples) >= 5, len(examples))
    for sql in examples:
        result = subprocess.run(["sqlite3", "-readonly", path, sql], capture_output=True,
                                timeout=PATIENCE)
        check("an example of docs/store.md runs", result.returncode == 0 and not result.stderr,
              (sql, result.stderr.decode()))
    described = set(re.findall(r"^### `(\w+)`", page, re.M))
    there = {row[0] for row in ask(path, "SELECT name FROM sqlite_master WHERE type IN "
                                         "('table', 'view') AND name NOT LIKE 'sqlite_%'")}
    check("the page describes every table", described == there, described ^ there)
    for table in sorted(there & described):
        columns = {row[1] for row in ask(path, f"PRAGMA table_info({table})")}
        section = re.search(rf"^### `{table}`\n(.*?)(?=^#)", page + "\n#", re.S | re.M).group(1)
        named = set(re.findall(r"`(\w+)`", section))
        check(f"the page names every column of {table}", columns <= named, columns - named)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = a_finished_match(folder)
        commands(path)
        store_command(path, folder)
        example_queries(path)
        bots_of_the_server(folder)
        killed(folder)
        outages(folder)
        full_disk(folder)
        starting(folder)
        fought_to_the_limit(folder)
        stopped_at_its_end(folder)
    finish()


main()
